#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions, inlined functions and lines of builds by several compilers, with versions 2 to 5 of DWARF, against llvm-symbolizer and
addr2line: where these two agree at an address, wperf agrees with them.

    inlines_agree.py WPERF [--all]      --all: all builds, else a few
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inlines.cc")
STEP = 3  # bytes between addresses
FEW = ("g++ -O2 -gdwarf-2 -gstrict-dwarf", "g++ -O2 -gdwarf-5", "g++ -O3 -gdwarf-4 -flto", "clang++-14 -O2 -gdwarf-2", "clang++-14 -O3 -gdwarf-5")
DEBUG = {
    "g++": ("-gdwarf-2 -gstrict-dwarf", "-gdwarf-3 -gstrict-dwarf", "-gdwarf-4", "-gdwarf-5", "-gdwarf-4 -flto", "-gdwarf-5 -ffunction-sections"),
    "clang++-14": ("-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -ffunction-sections"),
}
Frames = list[tuple[str, str, int]]  # function, base name of the file, line


def builds(every: bool) -> list[str]:
    if not every:
        return list(FEW)
    return [" ".join(words) for compiler, debug in DEBUG.items()
            for words in itertools.product((compiler,), ("-O1", "-O2", "-O3", "-Os", "-Og"), debug)]


def output_of(argv: list[str], text: str = "", cwd: str | None = None) -> str:
    done = subprocess.run(argv, input=text, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode:
        raise AssertionError(f"{' '.join(argv)}: {done.stderr.strip()}")
    return done.stdout


def addresses_of(program: str) -> list[int]:
    found = re.search(r"^ *\d+ +\.text +(\w+) +(\w+)", output_of(["objdump", "-h", program]), re.M)
    size, start = int(found[1], 16), int(found[2], 16)
    return list(range(start, start + size, STEP))


def frame_of(function: str, place: str) -> tuple[str, str, int]:
    """Without a line there is no file: some take it from the symbol table. A part of a function has the name of its symbol, or of the
    function."""
    file, line = re.match(r"(.*?):(\d+|\?)", place).groups()
    number = int(line) if line.isdigit() else 0
    return function.split(".")[0], os.path.basename(file) if number else "", number


def by_llvm(program: str, addresses: list[int]) -> list[Frames]:
    text = output_of(["llvm-symbolizer-14", "--no-demangle", "--inlines", "-e", program], "".join(f"{a:#x}\n" for a in addresses))
    blocks = text.rstrip("\n").split("\n\n")
    return [[frame_of(lines[i], lines[i + 1]) for i in range(0, len(lines) - 1, 2)] for lines in (block.splitlines() for block in blocks)]


def by_addr2line(program: str, addresses: list[int]) -> list[Frames]:
    text = output_of(["addr2line", "-a", "-f", "-i", "-e", program], "".join(f"{a:#x}\n" for a in addresses))
    blocks = re.split(r"^0x\w+\n", text, flags=re.M)[1:]
    return [[frame_of(lines[i], lines[i + 1]) for i in range(0, len(lines) - 1, 2)] for lines in (block.splitlines() for block in blocks)]


def by_wperf(wperf: str, program: str, addresses: list[int]) -> list[Frames]:
    text = output_of([wperf, "symbolize", "--no-demangle", "--no-index", "--json", "-e", program], "".join(f"{a:#x}\n" for a in addresses))
    frames: dict[int, Frames] = {address: [] for address in addresses}
    for row in json.loads(text)["frames"]:
        frames[int(row["address"], 16)].append(frame_of(row["function"] or "??", f"{row['file'] or '??'}:{row['line'] or 0}"))
    return list(frames.values())


def nameable(ours: Frames, theirs: Frames) -> Frames:
    """gcc gives functions of anonymous namespaces no linkage name: of the outermost one the others then have the symbol's name."""
    if not ours or ours[-1][0].startswith("_Z") or not theirs[-1][0].startswith("_Z"):
        return ours
    return ours[:-1] + [(theirs[-1][0], *ours[-1][1:])]


def compare(wperf: str, build: str, folder: str) -> tuple[int, int, list[str]]:
    """How many addresses were compared, how many have inlined functions, and what differs."""
    program = os.path.join(folder, re.sub(r"[^\w]+", "_", build))
    output_of([*build.split(), "-std=c++17", "-o", program, SOURCE], cwd=folder)  # .dwo files are there
    addresses = addresses_of(program)
    n = n_inlined = 0
    wrong = []
    for at, ours, llvm, binutils in zip(addresses, by_wperf(wperf, program, addresses), by_llvm(program, addresses), by_addr2line(program, addresses)):
        if llvm != binutils or llvm[0][0] == "??":
            continue
        n += 1
        n_inlined += len(llvm) > 1
        if nameable(ours, llvm) != llvm:
            wrong.append(f"{at:#x}: {ours}, llvm-symbolizer and addr2line {llvm}")
    return n, n_inlined, wrong


def main() -> None:
    wperf, every = os.path.abspath(sys.argv[1]), "--all" in sys.argv[2:]
    chosen = builds(every)
    print(f"1..{len(chosen)}")
    failed = False
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        os.environ["HOME"] = folder  # no answers of other builds
        for i, (build, (n, n_inlined, wrong)) in enumerate(zip(chosen, pool.map(lambda build: compare(wperf, build, folder), chosen)), 1):
            ok = not wrong and n > 300 and n_inlined > 30
            failed |= not ok
            for line in wrong[:5]:
                print(f"# {line}")
            print(f"# {n} addresses, {n_inlined} with inlined functions, {len(wrong)} differ")
            print(f"{'ok' if ok else 'not ok'} {i} - {build}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
