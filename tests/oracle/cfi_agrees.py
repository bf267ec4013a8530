#!/usr/bin/python3
"""Compares wperf's rows of call-frame information with readelf's, for each row of each entry.

    cfi_agrees.py CFI_DUMP FILE...              tests: one for each file; a missing file is skipped
    cfi_agrees.py CFI_DUMP --show N FILE...     by hand: the same, with N differences of each file

Compares the start of each row, the CFA, and the rule of each register that both print (vector registers are not
unwound).  readelf writes `u` both for undefined registers and for registers without a rule; for expressions it only
prints that there is one.  Entries that share their start with others, and entries without a length, are left out and
counted.
"""
import collections
import os
import re
import subprocess
import sys

X64 = {"rax": 0, "rdx": 1, "rcx": 2, "rbx": 3, "rsi": 4, "rdi": 5, "rbp": 6, "rsp": 7, "rip": 16}
X64.update({f"r{n}": n for n in range(8, 16)})
ARM64 = {f"x{n}": n for n in range(31)}
ARM64.update({"sp": 31})
ENTRY = re.compile(r"([0-9a-f]+) [0-9a-f]+ (?:[0-9a-f]+ )?(CIE|FDE)\b(.*)")
ROW = re.compile(r"[0-9a-f]{16} ")


class Entry:
    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.rows: list[tuple[int, str, dict[int, str]]] = []


def names_of(path: str) -> tuple[dict[str, int], int]:
    with open(path, "rb") as file:
        is_arm64 = file.read(20)[18:20] == b"\xb7\0"
    return (ARM64, 30) if is_arm64 else (X64, 16)


def read_cells(columns: list[str], cells: list[str], names: dict[str, int], return_reg: int) -> dict[int, str]:
    rules = {}
    for name, cell in zip(columns, cells):
        reg = return_reg if name == "ra" else names.get(name)
        if reg is not None and cell not in ("u", "s", "n"):
            rules[reg] = cell
    return rules


def read_cfa(text: str, names: dict[str, int]) -> str:
    match = re.fullmatch(r"(\w+)([+-]\d+)", text)
    return f"{names.get(match[1], match[1])}{match[2]}" if match else text


def readelf_entries(path: str, names: dict[str, int], return_reg: int) -> list[Entry]:
    env = dict(os.environ, LC_ALL="C")
    done = subprocess.run(["readelf", "-W", "--debug-dump=frames-interp", path], capture_output=True, text=True, env=env)
    entries: list[Entry] = []
    at, initial, columns = None, {}, []
    for line in done.stdout.splitlines():
        match = ENTRY.match(line)
        if match:
            pc = re.search(r"pc=([0-9a-f]+)\.\.([0-9a-f]+)", match[3])
            at = Entry(int(pc[1], 16), int(pc[2], 16)) if pc else Entry(0, 0)
            if pc:
                # For an entry without instructions readelf prints nothing: the rules of its CIE apply to all of it.
                cie = initial.get(re.search(r"cie=([0-9a-f]+)", match[3])[1])
                at.rows = [(at.start, *row[1:]) for row in cie.rows] if cie else []
                entries.append(at)
            else:
                initial[match[1]] = at
        elif line.startswith("Contents of"):
            at, initial = None, {}
        elif line.lstrip().startswith("LOC "):
            columns = line.split()[2:]
        elif at and ROW.match(line):
            # A register's own rule is written twice: `r9 (r9)`.
            cells = [cell for cell in line.split() if not cell.startswith("(")]
            rules = read_cells(columns, cells[2:], names, return_reg)
            at.rows.append((int(cells[0], 16), read_cfa(cells[1], names), rules))
    return entries


def pick(entries: list[Entry]) -> tuple[list[Entry], int]:
    """Entries that can be found by an address; the number of others."""
    count = collections.Counter(entry.start for entry in entries)
    kept = [e for e in entries if e.start and e.end > e.start and count[e.start] == 1 and e.rows]
    return kept, len(entries) - len(kept)


def wanted_rows(entries: list[Entry]) -> list[tuple[int, int, str, dict[int, str]]]:
    wanted = []
    for entry in entries:
        last: dict[int, tuple[int, int, str, dict[int, str]]] = {}
        for loc, cfa, rules in entry.rows:
            # If several rows begin at one address, the last is used; a row at the end of the entry is never used.
            if entry.start <= loc < entry.end:
                last[loc] = (loc, entry.end, cfa, rules)
        wanted += last.values()
    return wanted


def our_rows(dump: str, path: str, addrs: list[int]) -> list[list[str]]:
    text = "".join(f"{addr:x}\n" for addr in addrs)
    done = subprocess.run([dump, path], input=text, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr.strip())
    return [line.split() for line in done.stdout.splitlines()]


def differs(row: tuple[int, int, str, dict[int, str]], ours: list[str]) -> str:
    loc, end, cfa, rules = row
    if len(ours) < 5 or ours[1] in ("none:", "damaged:"):
        return " ".join(ours)
    got = dict(cell.split("=") for cell in ours[5:])
    got_rules = {int(reg): rule for reg, rule in got.items() if rule != "u"}
    want = (f"{loc:x}", f"{end:x}", cfa, rules)
    return "" if (ours[1], ours[3], ours[4], got_rules) == want else f"{' '.join(ours)} want {want}"


def compare(dump: str, path: str, n_show: int) -> tuple[bool, str]:
    names, return_reg = names_of(path)
    entries, n_left_out = pick(readelf_entries(path, names, return_reg))
    wanted = wanted_rows(entries)
    ours = our_rows(dump, path, [row[0] for row in wanted])
    found = [text for text in map(differs, wanted, ours) if text]
    for text in found[:n_show]:
        print(f"# {text}")
    said = f"{os.path.basename(path)}: {len(wanted)} rows of {len(entries)} entries, {len(found)} differ"
    if n_left_out:
        said += f", {n_left_out} entries left out"
    return not found and len(wanted) > 0 and len(ours) == len(wanted), said


def main() -> int:
    dump, args, n_show = sys.argv[1], sys.argv[2:], 3
    if args[0] == "--show":
        n_show, args = int(args[1]), args[2:]
    failed = False
    print(f"1..{len(args)}")
    for i, path in enumerate(args, 1):
        if not os.path.exists(path):
            print(f"ok {i} - {os.path.basename(path)} # SKIP {path} is not here")
            continue
        is_same, said = compare(dump, path, n_show)
        failed |= not is_same
        print(f"{'ok' if is_same else 'not ok'} {i} - {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
