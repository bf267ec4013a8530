#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""By hand: compares wperf symbolize of PE images with PDBs with llvm-symbolizer at random addresses of .text, frame by
frame.

    pdb_agrees.py [--wperf W] [--llvm llvm-symbolizer-14] [-n 20000] IMAGE...
    pdb_agrees.py [--wperf W] --same-source IMAGE IMAGE     functions and files of two builds of the same sources

Differences are counted by kind, with two examples; docs/pdb-oracles.md explains the kinds.
"""
import argparse
import bisect
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import time

HIDDEN_LINES = (0xf00f00, 0xfeefee)
NOTHING = (None, None, 0, 0)


def run(command, text):
    before = time.monotonic()
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="surrogateescape")
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout, time.monotonic() - before


def text_range(image):
    out, _ = run(["llvm-readobj-14", "-S", image], "")
    found = re.search(r"Name: \.text.*?VirtualSize: (\w+)\s+VirtualAddress: (\w+)", out, re.S)
    return int(found[2], 16), int(found[1], 16)


def ours(wperf, image, addrs, decorated=True):
    """Frames by address, and the start of the outermost function."""
    names = ["--sample-display-long"] if decorated else []
    out, seconds = run([wperf, "symbolize", "-e", image, "--json", "--no-index", *names],
                       "".join(f"{a:#x}\n" for a in addrs))
    frames, starts = collections.defaultdict(list), {}
    for row in json.loads(out)["frames"]:
        addr = int(row["address"], 16)
        frames[addr].append((row["function"], row["file"], row["line"] or 0, row["column"] or 0))
        starts[addr] = int(row["start"], 16) if row["start"] else None
    return frames, starts, seconds


def llvm(program, image, addrs, max_crashes):
    """None instead of frames if it crashes; then it is started again after that address, up to a limit."""
    frames, seconds, n_crashes, left = {}, 0, 0, list(addrs)
    while left and n_crashes < max_crashes:
        before = time.monotonic()
        done = subprocess.run([program, "--relative-address", "--inlines", "--no-demangle", "-e", image], text=True,
                              input="".join(f"{a:#x}\n" for a in left), capture_output=True, errors="surrogateescape")
        seconds += time.monotonic() - before
        blocks = done.stdout.split("\n\n")[:-1]
        frames.update((addr, frames_of(block)) for addr, block in zip(left, blocks))
        if done.returncode:
            frames[left[len(blocks)]] = None
            n_crashes += 1
        left = left[len(blocks) + (done.returncode != 0):]
    return frames, seconds


def frames_of(block):
    lines = block.strip("\n").split("\n")
    found = []
    for name, place in zip(lines[::2], lines[1::2]):
        file, line, column = place.rsplit(":", 2)
        found.append((None if name == "??" else name, None if file == "??" else file, int(line), int(column)))
    return found


def procs(image):
    """Starts and ends of functions and thunks, from llvm-pdbutil's dump of all symbols."""
    sections, _ = run(["llvm-readobj-14", "-S", image], "")
    bases = [int(rva, 16) for rva in re.findall(r"VirtualAddress: (\w+)", sections)]
    dump, _ = run(["llvm-pdbutil-14", "dump", "--symbols", os.path.splitext(image)[0] + ".pdb"], "")
    found = [(int(m[1], 16), int(m[2]), int(m[3])) for m in re.finditer(r" addr = (\w{4}):(\d+), code size = (\d+)", dump)]
    found += [(int(m[2], 16), int(m[3]), int(m[1])) for m in re.finditer(r" size = (\d+), addr = (\w{4}):(\d+)", dump)]
    return sorted((bases[section - 1] + off, bases[section - 1] + off + size) for section, off, size in found if 0 < section <= len(bases))


def rows(image):
    """Addresses with several line rows, from llvm-pdbutil's dump: their lines in the file's order."""
    sections, _ = run(["llvm-readobj-14", "-S", image], "")
    bases = [int(rva, 16) for rva in re.findall(r"VirtualAddress: (\w+)", sections)]
    dump, _ = run(["llvm-pdbutil-14", "dump", "-l", os.path.splitext(image)[0] + ".pdb"], "")
    found, base = collections.defaultdict(list), 0
    for line in dump.splitlines():
        if head := re.match(r"\s+([0-9A-F]{4}):[0-9A-F]{8}-[0-9A-F]{8}, line/addr", line):
            base = bases[int(head[1], 16) - 1] if 0 < int(head[1], 16) <= len(bases) else 0
        else:
            for number, off in re.findall(r"(\d+) ([0-9A-F]{8})\b", line):
                found[base + int(off, 16)].append(int(number))
    return {addr: lines for addr, lines in found.items() if len(lines) > 1}


def covers(ranges, addr):
    at = bisect.bisect_right(ranges, (addr, sys.maxsize))
    return any(start <= addr < end for start, end in ranges[max(0, at - 4):at])


def same_but_line(a, b):
    return len(a) == len(b) and all(x[0] == y[0] for x, y in zip(a, b))


def kind_of(addr, mine, theirs, start, ranges, double):
    """None if both are equal; explained kinds begin so."""
    if theirs is None:
        return "explained: the peer crashes"
    mine, theirs = mine or [NOTHING], theirs or [NOTHING]
    if mine == theirs:
        return None
    if mine[-1][0] is None:
        return "no name, though a function covers it" if covers(ranges, addr) else "explained: padding"
    if start is None or start > addr or not covers(ranges, start):
        return "explained: separated code" if start is None or start > addr else "a public symbol of another kind"
    if theirs[-1][0] is None and len(theirs) == 1:
        return "explained: a name that only wperf has"
    n_same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(reversed(mine), reversed(theirs))))
    if n_same == len(theirs):
        return "explained: more inlining"
    if n_same == len(mine):
        return "fewer inlined functions"
    if same_but_line(mine, theirs):
        if theirs[-1][2] in HIDDEN_LINES:
            return "explained: hidden lines"
        if mine[:-1] == theirs[:-1]:
            lines = double.get(addr, [0])
            if mine[-1][2] == lines[-1] and theirs[-1][2] in lines[:-1]:
                return "explained: the last row of several at the address"
            return "line of the outermost function" + (" (column alone)" if mine[-1][:3] == theirs[-1][:3] else "")
        return "line of an inlined function" + (" (column alone)" if [f[:3] for f in mine] == [f[:3] for f in theirs] else "")
    if len(mine) == len(theirs) and [f[1:] for f in mine] == [f[1:] for f in theirs]:
        return "name of the outermost function" if mine[:-1] == theirs[:-1] else "name of an inlined function"
    if mine[-1][0] == theirs[-1][0]:
        return "more inlined functions" if len(mine) > len(theirs) else "other inlined functions"
    return "other"


def compare(args, image):
    start, size = text_range(image)
    addrs = sorted(random.Random(args.seed).sample(range(start, start + size), min(args.n, size)))
    mine, starts, seconds = ours(args.wperf, image, addrs)
    base = image_base(image)
    ranges, double = procs(image), rows(image)
    print(f"{image}: {len(addrs)} addresses, wperf {seconds:.3f} s")
    for program in args.llvm.split(","):
        theirs, seconds = llvm(program, image, addrs, args.crashes)
        kinds = collections.defaultdict(list)
        for addr in theirs:
            at = starts[addr] and starts[addr] - base
            if kind := kind_of(addr, mine[addr], theirs[addr], at, ranges, double):
                kinds[kind].append(addr)
        print(f"  {os.path.basename(program)} {seconds:.3f} s: {len(theirs) - sum(map(len, kinds.values()))} of {len(theirs)} equal")
        for kind, cases in sorted(kinds.items(), key=lambda item: -len(item[1])):
            print(f"    {len(cases):6} {kind}")
            for addr in cases[:args.examples]:
                print(f"           {addr:#x}: ours {mine[addr]}\n           {'':{len(hex(addr))}}  peer {theirs[addr]}")


def image_base(image):
    out, _ = run(["llvm-readobj-14", "--file-headers", image], "")
    return int(re.search(r"ImageBase: (\w+)", out)[1], 16)


def functions_and_files(args, image):
    """Functions, with whether their file is below --own, and the files, at every fourth address of .text; also inlined
    functions."""
    start, size = text_range(image)
    frames, _, _ = ours(args.wperf, image, range(start, start + size, 4), False)
    rows = [row for chain in frames.values() for row in chain if row[0] and row[1]]
    own = re.compile(args.own)
    return ({row[0] for row in rows if own.search(row[1])}, {row[1] for row in rows if own.search(row[1])},
            {row[0] for row in rows}, {row[1] for row in rows})


def compare_builds(args, one, two):
    titles = ("functions of --own files", "files of --own", "functions", "files")
    print(f"{one} and {two}:")
    for title, a, b in zip(titles, functions_and_files(args, one), functions_and_files(args, two)):
        print(f"  {title}: {len(a & b)} in both, {len(a - b)} in the first alone, {len(b - a)} in the second alone")
        for only in (a - b, b - a):
            for text in sorted(only)[:args.examples]:
                print(f"      {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", default="build/rel/src/program/cli/wperf")
    parser.add_argument("--llvm", default="llvm-symbolizer-14", help="one or several, with commas")
    parser.add_argument("-n", type=int, default=20000)
    parser.add_argument("--crashes", type=int, default=30, help="how often llvm-symbolizer is started again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=2)
    parser.add_argument("--same-source", action="store_true")
    parser.add_argument("--own", default=".", help="with --same-source: a pattern of the files that count")
    parser.add_argument("images", nargs="+")
    args = parser.parse_args()
    if args.same_source:
        compare_builds(args, *args.images)
        return
    for image in args.images:
        compare(args, image)
        sys.stdout.flush()


main()
