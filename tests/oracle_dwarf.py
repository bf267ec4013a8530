#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""By hand: compares wperf symbolize with llvm-symbolizer-14, addr2line, eu-addr2line and gimli's addr2line (built from
tests/bench/gimli) at random addresses of a program's code.

    tests/oracle_dwarf.py [--wperf W] [--gimli G] [--peers llvm,addr2line,eu,gimli] [--same-code FILE] [-n 20000]
    FILE...
    tests/oracle_dwarf.py [--wperf W] --truth CORPUS TABLE.tsv...

--same-code: the other programs read this file, the same program in another form (without split DWARF).

Each address is compared frame by frame.  Differences are counted by kind, with two examples; explained kinds are listed
separately.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import time

TWICE = "a relative folder that the peer names twice"
ALIAS = "the outermost name, which the peer takes from the symbol table"
PADDING = "a name between functions, where the peer takes the nearest symbol"
FILE_SYMBOL = "the file of code without debug information, which the peer takes from the symbol table"
LLVM_AGREES = ", and llvm agrees with wperf"


def symbols(path):
    """The names of the symbol tables of a file and of its debug file, by start and end."""
    out = subprocess.run(["readelf", "-nW", path], capture_output=True, text=True).stdout
    found = re.search(r"Build ID: (\w\w)(\w+)", out)
    paths = [path] + ([f"/usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug"] if found else [])
    rows = collections.defaultdict(list)
    for line in subprocess.run(["readelf", "-sW", *paths], capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) == 8 and words[3] in ("FUNC", "NOTYPE", "IFUNC") and words[6] != "UND":
            size = int(words[2], 0)
            rows[words[7].split("@")[0]].append((int(words[1], 16), int(words[1], 16) + size))
    return rows


def debug_file(path):
    out = subprocess.run(["readelf", "-nW", path], capture_output=True, text=True).stdout
    found = re.search(r"Build ID: (\w\w)(\w+)", out)
    debug = f"/usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug" if found else ""
    return debug if os.path.exists(debug) else None


def text_range(path):
    for line in subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout.splitlines():
        found = re.match(r"\s*\[\s*\d+\]\s+\.text\s+\S+\s+(\w+)\s+\w+\s+(\w+)", line)
        if found:
            return int(found[1], 16), int(found[2], 16)
    sys.exit(f"{path}: no .text")


def timed(command, text):
    start = time.time()
    out = subprocess.run(command, input=text, capture_output=True, text=True)
    return out.stdout, time.time() - start


def ours(wperf, path, addrs):
    text = "".join(f"{a:#x}\n" for a in addrs)
    out, seconds = timed([wperf, "symbolize", "-e", path, "--json", "--no-demangle"], text)
    frames = collections.defaultdict(list)
    for row in json.loads(out)["frames"]:
        frames[int(row["address"], 16)].append((row["function"], row["file"], row["line"] or 0, row["column"] or 0))
    return frames, seconds


def llvm(path, addrs):
    text = "".join(f"{a:#x}\n" for a in addrs)
    out, seconds = timed(["llvm-symbolizer-14", "--inlines", "--no-demangle", "-e", path], text)
    return by_block(out, addrs), seconds


def by_block(out, addrs):
    frames = {}
    for addr, block in zip(addrs, out.split("\n\n")):
        lines = block.strip("\n").split("\n")
        frames[addr] = []
        for name, place in zip(lines[::2], lines[1::2]):
            file, line, column = place.rsplit(":", 2)
            frames[addr].append((None if name == "??" else name, None if file == "??" else file, int(line), int(column)))
    return frames


def addr2line(path, addrs):
    text = "".join(f"{a:#x}\n" for a in addrs)
    out, seconds = timed(["addr2line", "-afi", "-e", path], text)
    frames, current, name = {}, None, None
    for line in out.splitlines():
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            current, name = frames.setdefault(int(line, 16), []), None
        elif name is None:
            name = line
        else:
            file, number = line.split(" (discriminator")[0].rsplit(":", 1)
            current.append((None if name == "??" else name, None if file in ("??", "") else file,
                            int(number) if number.isdigit() else 0, 0))
            name = None
    return frames, seconds


def gimli(program, path, addrs):
    debug = debug_file(path)
    text = "".join(f"{a:#x}\n" for a in addrs)
    out, seconds = timed([program, debug or path], text)
    return by_block(out, addrs), seconds


def eu(path, addrs):
    """After a function's name eu-addr2line may print where it is inlined, which the next frame repeats."""
    text = "".join(f"{a:#x}\n" for a in addrs)
    out, seconds = timed(["eu-addr2line", "-afi", "-e", path], text)
    frames, current, name = {}, None, None
    for line in out.splitlines():
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            current, name = frames.setdefault(int(line, 16), []), None
        elif name is None:
            name = line.split(" inlined at ")[0]
        else:
            found = re.match(r"(.*?):(\d+)(?::(\d+))?$", line)
            file, number, column = found.groups() if found else ("??", 0, 0)
            current.append((None if name == "??" else name, None if file == "??" else file, int(number), int(column or 0)))
            name = None
    return frames, seconds


def is_twice(mine, theirs):
    return bool(mine and theirs and mine.startswith("./") and len(theirs) > len(mine)
                and theirs.endswith("/" + mine) and mine.startswith(theirs[:-len(mine) - 1]))


def kind_of(addr, mine, theirs, tables):
    """None if both are equal, otherwise the kind and whether it is explained."""
    if mine == theirs:
        return None
    if len(mine) != len(theirs):
        return f"{'fewer' if len(mine) < len(theirs) else 'more'} frames than the peer"
    explained = set()
    for i, (a, b) in enumerate(zip(mine, theirs)):
        outermost = i == len(mine) - 1
        if a[1] is None and b[1] and not a[2] and not b[2]:
            explained.add(FILE_SYMBOL)
        elif a[1] != b[1] and not is_twice(a[1], b[1]):
            return f"file of the {'outer' if i else 'innermost'} frame"
        elif a[1] != b[1]:
            explained.add(TWICE)
        if a[2] != b[2]:
            return f"line of the {'outer' if i else 'innermost'} frame"
        if a[3] != b[3]:
            return "column"
        if a[0] != b[0]:
            if not outermost:
                return "name of an inlined function"
            ranges = tables.get((b[0] or "").split("@")[0], [])
            if any(start <= addr < end for start, end in ranges):
                explained.add(ALIAS)
            elif a[0] is None and b[0]:
                explained.add(PADDING)
            elif b[0] is None:
                explained.add("a name that only wperf has, from the symbol table")
            else:
                return "name of the outermost function"
    return "explained: " + " and ".join(sorted(explained))


def comparable(peer, frames):
    """Without fields that the other program does not print: addr2line has no columns, eu-addr2line no folders of
    inlined callers."""
    if peer == "addr2line":
        return [frame[:3] + (0,) for frame in frames]
    if peer == "eu":
        return [(frame[0], frame[1] and frame[1].rsplit("/", 1)[-1]) + frame[2:] for frame in frames]
    return frames


def compare(peer, mine, theirs, addrs, tables, other=None):
    kinds = collections.defaultdict(list)
    for addr in addrs:
        a, b = comparable(peer, mine[addr]), comparable(peer, theirs.get(addr, []))
        if peer == "gimli" and b and b[-1][0] is None and len(a) == len(b):
            a = a[:-1] + [(None,) + a[-1][1:]]  # it has no symbol table
        kind = kind_of(addr, a, b, tables)
        if peer == "eu" and len(b) == 1 and len(a) > 1:
            # It prints the outermost function and the innermost line.
            whole = kind_of(addr, [a[-1][:1] + a[0][1:]], b, tables)
            if whole is None or whole.startswith("explained"):
                kind = "explained: inlined functions that the peer leaves out"
        if kind and other and not kind.startswith("explained"):
            agreed = kind_of(addr, a, comparable(peer, other[addr]), tables)
            if agreed is None or agreed.startswith("explained"):
                kind += LLVM_AGREES
        if kind:
            kinds[kind].append((addr, a, b))
    print(f"  {peer}: {len(addrs) - sum(map(len, kinds.values()))} of {len(addrs)} equal")
    for kind, cases in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"    {len(cases):6} {kind}")
        for addr, a, b in cases[:2]:
            print(f"           {addr:#x}: ours {a}\n           {'':{len(hex(addr))}}  peer {b}")


def read_truth(path):
    """A table of llvm-symbolizer's results: the file's name in the corpus, and frames by address."""
    frames = {}
    with open(path) as table:
        name = table.readline().split(";")[0].removeprefix("# ")
        for line in table:
            addr, _, function, file, number, column = line.rstrip("\n").split("\t")[:6]
            frames.setdefault(int(addr, 16), []).append((function or None, file or None, int(number), int(column)))
    return name, frames


def compare_truth(args):
    for table in args.files:
        name, theirs = read_truth(table)
        path = os.path.join(args.truth, name)
        addrs = sorted(theirs)
        mine, _ = ours(args.wperf, path, addrs)
        print(f"{name}: {len(addrs)} addresses")
        compare("llvm's table", mine, theirs, addrs, symbols(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", default="build/dev/src/program/cli/wperf")
    parser.add_argument("--gimli", default="gimli-addr2line")
    parser.add_argument("-n", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers", default="llvm,addr2line")
    parser.add_argument("--same-code")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--truth", metavar="CORPUS", help="each FILE is a table of answers for a file below CORPUS")
    args = parser.parse_args()
    if args.truth:
        compare_truth(args)
        return
    ask = {"llvm": llvm, "addr2line": addr2line, "eu": eu, "gimli": lambda path, addrs: gimli(args.gimli, path, addrs)}
    for path in args.files:
        start, size = text_range(path)
        addrs = sorted(random.Random(args.seed).sample(range(start, start + size), min(args.n, size)))
        mine, seconds = ours(args.wperf, path, addrs)
        print(f"{path}: {len(addrs)} addresses, wperf {seconds:.3f} s")
        asked = args.same_code or path
        tables, by_llvm = symbols(asked), None
        for peer in args.peers.split(","):
            theirs, seconds = ask[peer](asked, addrs)
            print(f"  {peer} {seconds:.3f} s")
            compare(peer, mine, theirs, addrs, tables, by_llvm)
            if peer == "llvm":
                by_llvm = theirs
        sys.stdout.flush()


main()
