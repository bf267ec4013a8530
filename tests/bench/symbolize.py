#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf symbolize with gimli's addr2line and llvm-symbolizer at random addresses, including inlined functions.

    tests/bench/symbolize.py [--wperf W] [--gimli G] [--vmlinux FILE] [--rounds N] [FILE...]

Without FILE: libpython3.11 with its debug file, as it is installed and with its sections unpacked (5,000 addresses),
and vmlinux (20,000) if --vmlinux names it.  The rounds are paired: in each round every program runs once, and ratios
are of the same round; prints the median, the smallest and the largest, of CPU time and of elapsed time.  Programs use
one CPU, or two.  No program demangles: gimli's prints names as in the file, and the others get an option for this.

For C++: cppcheck 2.10, whose Debian source `make CXXFLAGS="-O2 -g -DNDEBUG" cppcheck` builds with 62 MB of .debug_info;
name the program as FILE.

gimli's addr2line is built from tests/bench/gimli with Debian's packages rustc, cargo, librust-addr2line-dev,
librust-object-dev, librust-memmap2-dev and librust-flate2-dev:  cargo build --release --offline --config
'source.crates-io.replace-with="debian"' --config 'source.debian.directory="/usr/share/cargo/registry"'
"""
import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LIBPYTHON = "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0"


def text_range(path):
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    found = re.search(r"\.text\s+\S+\s+(\w+)\s+\w+\s+(\w+)", out)
    if not found:
        sys.exit(f"{path}: no .text")
    return int(found[1], 16), int(found[2], 16)


def debug_file(path):
    out = subprocess.run(["readelf", "-nW", path], capture_output=True, text=True).stdout
    found = re.search(r"Build ID: (\w\w)(\w+)", out)
    debug = f"/usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug" if found else ""
    return debug if os.path.exists(debug) else None


def run(command, addrs, cpus):
    """CPU seconds and elapsed seconds, and maximum KiB.  The CPUs are set here, because taskset would add a millisecond
    to the program's time."""
    os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
    with open(addrs) as text:
        before = time.monotonic()
        child = subprocess.Popen(command, stdin=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - before
    if status:
        sys.exit(f"{command[0]} ended with {status}")
    return (usage.ru_utime + usage.ru_stime, seconds), usage.ru_maxrss


def compare(label, commands, addrs, rounds, cpus):
    seconds = {name: [] for name in commands}
    memory = {}
    for i in range(rounds):
        names = list(commands) if i % 2 else list(reversed(commands))
        for name in names:
            took, memory[name] = run(commands[name], addrs, cpus)
            seconds[name].append(took)
    print(f"{label}, CPUs {cpus}, {rounds} rounds")
    for name, took in seconds.items():
        cpu, elapsed = (statistics.median(t[i] for t in took) * 1000 for i in range(2))
        print(f"  {name:16} CPU {cpu:7.1f} ms, elapsed {elapsed:7.1f} ms, {memory[name] / 1024:5.0f} MB")
        if name == "wperf":
            continue
        for i, kind in enumerate(("CPU", "elapsed")):
            ratios = sorted(peer[i] / own[i] for peer, own in zip(took, seconds["wperf"]))
            print(f"    {kind} {statistics.median(ratios):.2f} times wperf's ({ratios[0]:.2f} to {ratios[-1]:.2f})")


def bench(args, label, path, debug, n, folder):
    start, size = text_range(path)
    addrs = os.path.join(folder, "addrs")
    with open(addrs, "w") as out:
        out.write("".join(f"{a:#x}\n" for a in sorted(random.Random(7).sample(range(start, start + size), n))))
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    commands = {"wperf": [args.wperf, "symbolize", "--no-demangle", "--no-index", "-e", path]}
    if args.gimli:
        commands["gimli"] = [args.gimli, debug or path]
    if shutil.which("llvm-symbolizer-14"):
        commands["llvm-symbolizer"] = ["llvm-symbolizer-14", "--no-demangle", "--inlines", "-e", debug or path]
    for cpus in ("0", "0,1"):
        compare(f"{label}, {n} addresses", commands, addrs, args.rounds, cpus)
    again = [args.wperf, "symbolize", "--no-demangle", "-e", path]
    run(again, addrs, "0")
    took = sorted(run(again, addrs, "0")[0] for _ in range(args.rounds))
    print(f"{label}, {n} addresses from the index: CPU {took[len(took) // 2][0] * 1000:.1f} ms, elapsed {took[0][1] * 1000:.1f} to "
          f"{took[-1][1] * 1000:.1f} ms")


def unpacked(path, debug, folder):
    """A copy of the file with the sections of its debug file unpacked."""
    copy = os.path.join(folder, os.path.basename(path))
    subprocess.run(["eu-unstrip", "-o", copy + ".packed", path, debug], check=True)
    subprocess.run(["objcopy", "--decompress-debug-sections", copy + ".packed", copy], check=True)
    return copy


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", default="build/rel/src/program/cli/wperf")
    parser.add_argument("--gimli", help="the program built from tests/bench/gimli")
    parser.add_argument("--vmlinux", help="with its debug information")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("-n", type=int, default=5000)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if not args.gimli:
        print("gimli's addr2line is missing: build it from tests/bench/gimli and name it with --gimli")
    if not shutil.which("llvm-symbolizer-14"):
        print("llvm-symbolizer-14 is missing (package llvm-14)")
    with tempfile.TemporaryDirectory() as folder:
        for path in args.files:
            bench(args, path, path, debug_file(path), args.n, folder)
        debug = debug_file(LIBPYTHON) if os.path.exists(LIBPYTHON) else None
        if not args.files and not debug:
            print("libpython3.11 with its debug file is missing (packages libpython3.11, libpython3.11-dbg)")
        elif not args.files:
            bench(args, "libpython as installed", LIBPYTHON, debug, 5000, folder)
            if shutil.which("eu-unstrip"):
                bench(args, "libpython unpacked", unpacked(LIBPYTHON, debug, folder), None, 5000, folder)
            else:
                print("eu-unstrip is missing (package elfutils): libpython with unpacked sections is left out")
        if args.vmlinux:
            bench(args, "vmlinux", args.vmlinux, None, 20000, folder)
        elif not args.files:
            print("vmlinux is left out: name it with --vmlinux (package linux-image-VERSION-dbg)")


main()
