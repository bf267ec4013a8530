#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the resolver with readelf, nm, eu-nm and objdump on real files.

usage: oracle_symbols.py RESOLVE FILE...

RESOLVE is the built tests/bench/resolve.  For every function that readelf lists in the file (or in its debug file,
found by build id under /usr/lib/debug), some random addresses inside it are looked up.  Each result must be the name
that perf's rules choose among the symbols there, must be a name that nm and eu-nm have at that address, and for PLT
stubs the name that objdump prints (for a stub of an ifunc, the name of its resolver function).  Prints each difference
and a count; the exit status is 1 if there are any.
"""
import bisect
import collections
import os
import random
import re
import subprocess
import sys

PER_FUNCTION = 3
Symbol = collections.namedtuple("Symbol", "start size kind binding visibility section name")


def output(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stdout.splitlines()


def read_symbols(path, table):
    """Symbols of .symtab or .dynsym as readelf prints them."""
    symbols, current = [], None
    for line in output("readelf", "-sW", path):
        found = re.match(r"Symbol table '([^']+)'", line)
        if found:
            current = found[1]
        fields = line.split()
        if current != table or len(fields) < 8 or not re.match(r"\d+:$", fields[0]):
            continue
        name = fields[7] if table == ".symtab" else fields[7].split("@")[0]
        symbols.append(Symbol(int(fields[1], 16), int(fields[2], 0), fields[3], fields[4], fields[5], fields[6],
                              name))
    return symbols


def read_sections(path):
    """Number to (name, address, size, is code)."""
    sections = {}
    for line in output("readelf", "-SW", path):
        found = re.match(r"\s*\[\s*(\d+)\] (\S+)\s+\S+\s+(\S+) \S+ (\S+) \S+\s+([A-Z]*)\s", line)
        if found:
            sections[found[1]] = (found[2], int(found[3], 16), int(found[4], 16), "X" in found[5])
    return sections


def read_segments(path):
    segments = []
    for line in output("readelf", "-lW", path):
        fields = line.split()
        if fields and fields[0] == "LOAD":
            segments.append((int(fields[1], 16), int(fields[2], 16), int(fields[4], 16)))
    return segments


def debug_file(path):
    for line in output("readelf", "-nW", path):
        if "Build ID:" in line:
            hexa = line.split()[-1]
            name = f"/usr/lib/debug/.build-id/{hexa[:2]}/{hexa[2:]}.debug"
            return name if os.path.exists(name) else None
    return None


def names_code(symbol, sections):
    if symbol.section == "UND" or not symbol.name:
        return False
    if symbol.kind in ("FUNC", "IFUNC"):
        return True
    name, start, size, is_code = sections.get(symbol.section, ("", 0, 0, False))
    return (symbol.kind == "NOTYPE" and is_code and "text" in name and symbol.start < start + size
            and symbol.visibility not in ("HIDDEN", "INTERNAL"))


def better_key(symbol):
    """perf's choose_best_symbol as a sort key: the largest is chosen; if several are equal, the first."""
    underscores = len(symbol.name) - len(symbol.name.lstrip("_"))
    return (symbol.size > 0, symbol.binding != "WEAK", symbol.binding == "GLOBAL", -underscores, len(symbol.name))


def choose(symbols):
    """The chosen symbol of each start address."""
    best = {}
    for symbol in symbols:
        if symbol.start not in best or better_key(symbol) > better_key(best[symbol.start]):
            best[symbol.start] = symbol
    return best


def read_nm(path, table):
    """For each address, the names that nm and eu-nm have there."""
    names = collections.defaultdict(set)
    for tool in ("nm", "eu-nm"):
        command = [tool, "--format=posix"] + (["-D"] if table == ".dynsym" else []) + [path]
        for line in output(*command):
            fields = line.split(" ")
            if len(fields) >= 3 and re.fullmatch("[0-9a-f]+", fields[2]):
                name = fields[0].split("@")[0] if table == ".dynsym" else fields[0]
                names[int(fields[2], 16)].add(name)
    return names


def read_stubs(path):
    stubs = []
    for line in output("objdump", "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", path):
        found = re.match(r"([0-9a-f]+) <(.+)@plt>:", line)
        if found:
            stubs.append((int(found[1], 16), found[2].split("@")[0] + "@plt"))
    return stubs


def resolve(tool, path, addresses, segments):
    """Looks up virtual addresses; the tool expects file offsets."""
    asked = []
    for address in addresses:
        for file_off, start, size in segments:
            if start <= address < start + size:
                asked.append((address, file_off + address - start))
                break
    text = "".join(f"{file_off:x}\n" for _, file_off in asked)
    result = subprocess.run([tool, path], input=text, stdout=subprocess.PIPE, text=True, check=True)
    for (address, _), line in zip(asked, result.stdout.splitlines()):
        found = line.split(" ", 4)
        yield address, int(found[0], 16), found[1], int(found[2], 16), int(found[3], 16), found[4]


class Report:
    def __init__(self, path):
        self.path, self.n_same, self.kinds = path, 0, collections.Counter()

    def check(self, ok, kind, text):
        if ok:
            self.n_same += 1
            return
        self.kinds[kind] += 1
        if self.kinds[kind] <= 10:
            print(f"{self.path}: {kind}: {text}")

    def end(self):
        kinds = ", ".join(f"{n} {kind}" for kind, n in self.kinds.items())
        print(f"{self.path}: {self.n_same} the same, {sum(self.kinds.values())} different {kinds}".rstrip())
        return not self.kinds


def innermost(chosen, starts, address):
    """The symbol with a size that contains the address and starts last."""
    at = bisect.bisect_right(starts, address) - 1
    for back in range(at, max(at - 50, -1), -1):
        symbol = chosen[starts[back]]
        if address < symbol.start + symbol.size:
            return symbol
    return None


def compare_functions(report, tool, path):
    table_path, table = path, ".symtab"
    if not read_symbols(path, ".symtab"):
        table_path = debug_file(path)
    if not table_path:
        table_path, table = path, ".dynsym"
    sections = read_sections(table_path)
    symbols = [s for s in read_symbols(table_path, table) if names_code(s, sections)]
    chosen = choose(symbols)
    starts = sorted(chosen)
    names = read_nm(table_path, table)
    segments = read_segments(path)
    addresses = set()
    for symbol in chosen.values():
        addresses.update(symbol.start + random.randrange(max(symbol.size, 1)) for _ in range(PER_FUNCTION))
    for address, addr, status, start, size, name in resolve(tool, path, sorted(addresses), segments):
        want = innermost(chosen, starts, address) or chosen.get(address)
        text = f"0x{address:x}: {status} {name} 0x{start:x}+{size}, want {want.name if want else '?'}"
        report.check(addr == address, "address", text)
        report.check(want and status == "named" and name == want.name, "name", text)
        report.check(want and start == want.start and (size == want.size or not want.size), "extent", text)
        report.check(name in names[start], "name that nm has not", text)
    return chosen, table_path


def compare_stubs(report, tool, path, chosen):
    stubs = read_stubs(path)
    answers = {}
    for answer in resolve(tool, path, [address + 2 for address, _ in stubs], read_segments(path)):
        answers[answer[0] - 2] = answer
    for address, want in stubs:
        answer = answers.get(address)
        picker = re.match(r"\*ABS\*\+0x([0-9a-f]+)@plt", want)
        if picker and int(picker[1], 16) in chosen:
            want = chosen[int(picker[1], 16)].name + "@plt"
        name = answer[5] if answer else "?"
        report.check(name == want, "stub", f"0x{address:x}: {name}, want {want}")
    return len(stubs)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    random.seed(1)
    ok = True
    for path in sys.argv[2:]:
        report = Report(path)
        chosen, table = compare_functions(report, sys.argv[1], path)
        n_stubs = compare_stubs(report, sys.argv[1], path, chosen)
        print(f"{path}: {len(chosen)} functions by {table}, {n_stubs} stubs")
        ok &= report.end()
    sys.exit(not ok)


if __name__ == "__main__":
    main()
