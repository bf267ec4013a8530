#!/usr/bin/python3
"""Compares how wperf reads Windows unwind information with llvm-readobj, entry by entry.

    unwind_agrees.py UNWIND_DUMP FOLDER                 tests: each image in FOLDER with IMAGE.unwind next to it
    unwind_agrees.py UNWIND_DUMP --corpus               tests: the same in $WPERF_CORPUS/pdb, with the output of
                                                        llvm-readobj 19 in _truth-llvm-19.1.7, or else
                                                        the installed llvm-readobj
    unwind_agrees.py UNWIND_DUMP --readobj TOOL FILE... by hand: counts differences, by kind and with an example
    unwind_agrees.py UNWIND_DUMP --answers TOOL FILE... by hand: writes FILE.unwind, in the format of unwind_dump

The output of llvm-readobj is converted to the format of unwind_dump.  It does not print epilogues of the packed form.
It crashes on the epilogues of version 2 of x64: in its input they are replaced by small allocations, and they are not
compared.
"""
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

X64_REGS = ["RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI"] + [f"R{n}" for n in range(8, 16)]
NO_INSTRUCTION = ("end_c", "trap_frame", "machine_frame", "context", "ec_context", "clear_unwound_to_call")
PE_ENDINGS = (".exe", ".dll", ".pyd", ".node", ".bin", ".sys", ".exe.zst")


class Skip(Exception):
    """Something that the test needs is missing."""


def run(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(argv)}: {done.stderr.strip()}")
    return done.stdout


# --- llvm-readobj's side ---


def last_hex(line: str) -> int:
    return int(re.findall(r"0x([0-9A-Fa-f]+)", line)[-1], 16)


def field(line: str) -> str:
    return line.split(": ", 1)[1]


def x64_code(line: str) -> str | None:
    match = re.match(r"0x([0-9A-F]+): (\w+)(.*)", line)
    off, code, rest = match[1].lower(), match[2], match[3]
    reg = re.search(r"reg=([A-Z]+)(\d*)", rest)
    number = "" if not reg else reg[2] if reg[1] == "XMM" else str(X64_REGS.index(reg[1] + reg[2]))
    offset = last_hex(rest) if "offset=" in rest else 0
    size = re.search(r"size=(\d+)", rest)
    if code.startswith("ALLOC"):
        return f"{off} alloc {size[1]}"
    if code == "PUSH_NONVOL":
        return f"{off} push r{number} 8"
    if code == "SET_FPREG":
        return f"{off} set_fp r{number} {offset}"
    if code.startswith("SAVE_NONVOL"):
        return f"{off} save r{number} {offset}"
    if code.startswith("SAVE_XMM128"):
        return f"{off} save x{number} {offset}"
    if code == "PUSH_MACHFRAME":
        return f"{off} push_machine {8 if 'yes' in rest else 0}"
    raise AssertionError(f"llvm-readobj: {line}")


WORDS = {"mov fp, sp": "set_fp 0", "mov sp, fp": "set_fp 0", "mov x29, sp": "set_fp 0", "nop": "nop 0", "end": "end 0",
         "end_c": "end_c 0", "save next": "next", "restore next": "next", "trap frame": "trap_frame 0",
         "machine frame": "machine_frame 0", "context": "context 0", "EC context": "ec_context 0",
         "clear unwound to call": "clear_unwound_to_call 0", "pacibsp": "sign_lr 0", "autibsp": "sign_lr 0",
         "INVALID!": "invalid"}


def arm64_code(text: str) -> str:
    text = text.split(";")[-1].strip()
    if text in WORDS:
        return WORDS[text]
    if match := re.fullmatch(r"(?:sub|add) sp, (?:sp, )?#(\d+)", text):
        return f"alloc {match[1]}"
    if match := re.fullmatch(r"(?:add fp, sp|sub sp, fp), #(\d+)", text):
        return f"set_fp {match[1]}"
    match = re.fullmatch(r"(?:stp|ldp|str|ldr) (\w+), (?:(\w+), )?\[sp(?:, #(-?)(\d+)\](!?)|\], #(\d+))", text)
    if not match:
        return f"unknown {text}"
    regs = " ".join(name.replace("lr", "x30") for name in (match[1], match[2]) if name)
    if match[6] or match[5]:
        return f"save {regs} down {match[6] or match[4]}"
    return f"save {regs} {match[4]}"


def fill_next(codes: list[str]) -> list[str]:
    """A "save next" stores the next pair after the pair that was stored before it, which is on the line after it."""
    filled = list(codes)
    for i in range(len(codes) - 2, -1, -1):
        if codes[i] == "next":
            words = filled[i + 1].split()
            bank, number = words[1][0], int(words[1][1:])
            place = 16 if "down" in words else int(words[3]) + 16
            bank, number = ("d", 8) if (bank, number) == ("x", 27) else (bank, number + 2)
            filled[i] = f"save {bank}{number} {bank}{number + 1} {place} next"
    return filled


def blocks(lines: list[str]) -> list[list[str]]:
    """The lines of each RuntimeFunction."""
    found, current = [], None
    for line in lines:
        if line == "  RuntimeFunction {":
            current = []
        elif line == "  }" and current is not None:
            found.append(current)
            current = None
        elif current is not None:
            current.append(line.strip())
    return found


def read_x64(block: list[str]) -> list[str]:
    known = {line.split(":")[0]: line for line in reversed(block) if ": " in line}
    start, end, info = (last_hex(known[name]) for name in ("StartAddress", "EndAddress", "UnwindInfoAddress"))
    found = [f"{start:x} {end:x} {info:x}"]
    if "Version" not in known:
        return found
    frame = ""
    if "FrameRegister: -" not in block:
        frame = f" frame r{last_hex(known['FrameRegister'])} {last_hex(known['FrameOffset']) * 16}"
    flags = next(line for line in block if line.startswith("Flags ["))
    found.append(f"version {field(known['Version'])} flags {last_hex(flags)} prologue {field(known['PrologSize'])}{frame}"
                 f" slots {field(known['UnwindCodeCount'])}")
    found += [x64_code(line) for line in block if re.match(r"0x[0-9A-F]+: ", line)]
    if "Handler" in known:
        found.append(f"handler {last_hex(known['Handler']):x}")
    if "Chained {" in block:
        chained = block[block.index("Chained {") + 1:][:3]
        found.append("chained " + " ".join(f"{last_hex(line):x}" for line in chained))
    return found


def list_of(block: list[str], title: str) -> list[list[str]]:
    """The codes of each list with this title."""
    found = []
    for i, line in enumerate(block):
        if line == title:
            codes = block[i + 1:]
            found.append(fill_next([arm64_code(code) for code in codes[:codes.index("]")]]))
    return found


def n_instructions(codes: list[str]) -> int:
    return sum(code.split()[0] not in NO_INSTRUCTION for code in codes)


def read_arm64(block: list[str]) -> list[str]:
    known = {line.split(":")[0]: field(line) for line in reversed(block) if ": " in line and ";" not in line}
    start, length = last_hex(known["Function"]), int(known.get("FunctionLength", "0"))
    prologue = (list_of(block, "Prologue [") or [[]])[0]
    if "Fragment" in known:
        return [f"{start:x} {start + length:x}",
                f"packed {int('Yes' in known['Fragment'])} length {length} regf {known['RegF']} regi {known['RegI']}"
                f" h {int('Yes' in known['HomedParameters'])} cr {known['CR']} frame {known['FrameSize']}"] + prologue
    found = [f"{start:x} {start + length:x} {last_hex(known['ExceptionRecord']):x}"]
    at_end = known["EpiloguePacked"] == "Yes"
    index = int(known["EpilogueOffset"]) if at_end else 0
    count = 1 if at_end else int(known["EpilogueScopes"])
    found.append(f"length {length} handler {int(known['ExceptionData'] == 'Yes')} at_end {int(at_end)} index {index}"
                 f" epilogues {count} codes {known['ByteCodeLength']}")
    found += prologue
    if at_end:
        codes = list_of(block, "Epilogue [")[0] if index else prologue
        found += [f"epilogue {length - 4 * n_instructions(codes)}"] + codes
    starts = [int(field(line)) * 4 for line in block if line.startswith("StartOffset: ")]
    for begin, codes in zip(starts, list_of(block, "Opcodes [")):
        found += [f"epilogue {begin}"] + codes
    if "Routine" in known:
        found.append(f"handler {last_hex(known['Routine']):x}")
    return found


def read_readobj(text: str) -> list[list[str]]:
    lines = text.splitlines()
    read = read_arm64 if "Arch: aarch64" in lines else read_x64
    return [read(block) for block in blocks(lines)]


# --- our side ---


def read_dump(text: str) -> list[list[str]]:
    found = []
    for line in text.splitlines():
        if not line.startswith(" "):
            found.append([])
        found[-1].append(line.strip())
    for entry in found:
        if len(entry) > 1 and entry[1].startswith("packed "):
            cut = [i for i, line in enumerate(entry) if line.startswith("epilogue ")]
            del entry[cut[0] if cut else len(entry):]
    return found


def without_version_2(image: str, ours: list[list[str]], folder: str) -> str:
    """A copy of the image whose epilogue codes are small allocations; the image itself if it has none."""
    infos = [int(entry[0].split()[2], 16) for entry in ours if len(entry) > 1 and entry[1].startswith("version 2 ")]
    if not infos:
        return image
    with open(image, "rb") as file:
        data = bytearray(file.read())
    header = struct.unpack_from("<I", data, 0x3c)[0]
    n_sections, optional_bytes = struct.unpack_from("<H12xH", data, header + 6)
    base = struct.unpack_from("<Q", data, header + 48)[0]
    for info in set(infos):
        for i in range(n_sections):
            size, rva, _, off = struct.unpack_from("<4I", data, header + 24 + optional_bytes + i * 40 + 8)
            if rva <= info - base < rva + size:
                at = info - base - rva + off
                for slot in range(data[at + 2]):
                    code = at + 4 + slot * 2 + 1
                    if data[code] & 0xf != 6:
                        break
                    data[code] = data[code] & 0xf0 | 2
    copy = os.path.join(folder, "version_1.exe")
    with open(copy, "wb") as file:
        file.write(data)
    return copy


def drop_epilogues(ours: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """Removes epilogue codes of version 2 on both sides; they are the first codes, one slot each."""
    if len(ours) < 2 or not ours[1].startswith("version 2 "):
        return ours, theirs
    n = sum(line.split()[1] in ("epilogue", "pad") for line in ours[2:] if not line.startswith(("handler", "chained")))
    return [ours[0], ours[1].split(" epilogues ")[0]] + ours[2 + n:], theirs[:2] + theirs[2 + n:]


def n_in_directory(image: str) -> int:
    """Number of entries in the exception directory, from the headers."""
    with open(image, "rb") as file:
        data = file.read()
    header = struct.unpack_from("<I", data, 0x3c)[0]
    machine = struct.unpack_from("<H", data, header + 4)[0]
    size = {0x8664: 12, 0xaa64: 8}.get(machine)
    return struct.unpack_from("<I", data, header + 24 + 112 + 3 * 8 + 4)[0] // size if size else 0


def kind_of(ours: list[str], theirs: list[str]) -> str:
    if "invalid" in theirs:
        return "packed x19 and lr, which llvm-readobj calls invalid"
    if any(line.startswith("unknown ") for line in theirs):
        return "codes that llvm-readobj does not know"
    if not ours:
        return "entries behind the table, which llvm-readobj reads too"
    if any("chained entries" in line for line in ours):
        return "an endless chain"
    if any(line.startswith("error:") for line in ours):
        return "refused by us"
    if [line for line in ours if not line.startswith("handler")] == [line for line in theirs
                                                                    if not line.startswith("handler")]:
        return "handler"
    return "other"


# Cases where llvm-readobj or the image is wrong.
EXPLAINED = ("packed x19 and lr, which llvm-readobj calls invalid", "codes that llvm-readobj does not know",
             "entries behind the table, which llvm-readobj reads too", "an endless chain")


def compare(ours: list[list[str]], theirs: list[list[str]]) -> tuple[int, collections.Counter, dict[str, str]]:
    """The number of equal entries, and the differences by kind, with the first example of each."""
    kinds, first = collections.Counter(), {}
    n_same = 0
    for i in range(max(len(ours), len(theirs))):
        a, b = (ours[i] if i < len(ours) else []), (theirs[i] if i < len(theirs) else [])
        a, b = drop_epilogues(a, b)
        if a == b:
            n_same += 1
            continue
        kind = kind_of(a, b)
        kinds[kind] += 1
        at = next((n for n in range(min(len(a), len(b))) if a[n] != b[n]), min(len(a), len(b)))
        first.setdefault(kind, f"{(a or b)[0]}: ours '{a[at] if at < len(a) else ''}',"
                               f" theirs '{b[at] if at < len(b) else ''}'")
    return n_same, kinds, first


# --- tests ---


def unpacked(path: str, folder: str) -> str:
    if not path.endswith(".zst"):
        return path
    out = os.path.join(folder, os.path.basename(path)[:-4])
    run(need("zstd"), "-q", "-f", "-d", path, "-o", out)
    return out


def need(tool: str) -> str:
    path = shutil.which(tool, path="/usr/bin:/bin")
    if not path:
        raise Skip(f"{tool} is not installed")
    return path


def corpus_answer(root: str, path: str, image: str) -> list[list[str]]:
    name = os.path.relpath(path, root).replace(os.sep, "__") + ".unwind.txt.zst"
    truth = os.path.join(root, "_truth-llvm-19.1.7", name)
    if os.path.exists(truth):
        return read_readobj(run(need("zstd"), "-dc", truth))
    return read_readobj(run(need("llvm-readobj-14"), "--unwind", image))


def check_one(dump: str, path: str, answer) -> None:
    with tempfile.TemporaryDirectory() as folder:
        image = unpacked(path, folder)
        ours = read_dump(run(dump, image))
        if len(ours) != n_in_directory(image):
            raise AssertionError(f"{len(ours)} entries, and {n_in_directory(image)} in the directory")
        theirs = answer(path, without_version_2(image, ours, folder))
    n_same, kinds, first = compare(ours, theirs)
    print(f"# {n_same} entries agree" + "".join(f", {n} {kind}" for kind, n in kinds.items()))
    wrong = [f"{n} x {kind}; {first[kind]}" for kind, n in kinds.items() if kind not in EXPLAINED]
    if wrong:
        raise AssertionError("\n".join(wrong))


def run_tests(dump: str, paths: list[str], root: str, answer) -> bool:
    good = True
    print(f"1..{len(paths)}" if paths else "1..0 # SKIP no images")
    for number, path in enumerate(paths, 1):
        name, problem, skip = os.path.relpath(path, root), "", ""
        try:
            check_one(dump, path, answer)
        except Skip as reason:
            skip = f" # SKIP {reason}"
        except AssertionError as error:
            problem, good = "not ", False
            print("\n".join(f"# {line}" for line in str(error).splitlines()))
        print(f"{problem}ok {number} - {name}{skip}", flush=True)
    return good


def beside(path: str, image: str) -> list[list[str]]:
    with open(path + ".unwind") as file:
        return read_dump(file.read())


def find_images(root: str) -> list[str]:
    """Images with an exception directory for x64 or ARM64; llvm-readobj fails on files other than PE images."""
    found = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                is_image = name.endswith(".zst") or file.read(2) == b"MZ"
            if name.lower().endswith(PE_ENDINGS) and is_image:
                found.append(path)
    return found


def by_hand(dump: str, readobj: str, paths: list[str]) -> None:
    totals, total_same = collections.Counter(), 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            image = unpacked(path, folder)
            ours = read_dump(run(dump, image))
            image = without_version_2(image, ours, folder)
            n_same, kinds, first = compare(ours, read_readobj(run(readobj, "--unwind", image)))
        total_same += n_same
        totals += kinds
        print(f"{path}: {n_same} entries agree, {kinds.total()} differ")
        for kind, n in kinds.most_common():
            print(f"  {n} x {kind}; {first[kind]}")
    print(f"in all {total_same} agree, {dict(totals)} differ")


def write_answers(dump: str, readobj: str, paths: list[str]) -> None:
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            image = without_version_2(path, read_dump(run(dump, path)), folder)
            entries = read_readobj(run(readobj, "--unwind", image))
        with open(path + ".unwind", "w") as file:
            for entry in entries:
                file.write("\n  ".join(entry) + "\n")


def main() -> int:
    dump, what = sys.argv[1:3]
    if what == "--readobj":
        by_hand(dump, sys.argv[3], sys.argv[4:])
        return 0
    if what == "--answers":
        write_answers(dump, sys.argv[3], sys.argv[4:])
        return 0
    if what == "--corpus":
        root = os.path.join(os.environ.get("WPERF_CORPUS", ""), "pdb")
        return not run_tests(dump, find_images(root), root, lambda path, image: corpus_answer(root, path, image))
    paths = [path for path in find_images(what) if os.path.exists(path + ".unwind")]
    return not run_tests(dump, paths, what, beside)


if __name__ == "__main__":
    sys.exit(main())
