#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pdb.py PDB_FRAMES|WPERF IMAGE [ROUNDS [COUNT...]]: time and memory for random addresses of .text, compared with
llvm-symbolizer-14.

IMAGE's PDB is in the same folder, named IMAGE with .pdb.  The program is tests/bench/pdb_frames, which is only the
reader, or wperf, whose `symbolize` is run.  Files are in the page cache, except for the rows named cold; prints the
median of ROUNDS with the fastest and slowest.
"""
import ctypes
import os
import random
import re
import statistics
import subprocess
import sys
import time

program, image = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
counts = [int(n) for n in sys.argv[4:]] or [1, 1000, 100000]
pdb = os.path.splitext(image)[0] + ".pdb"
headers = subprocess.run(["llvm-readobj-14", "-S", image], capture_output=True, text=True, check=True).stdout
found = re.search(r"Name: \.text.*?VirtualSize: (\w+)\s+VirtualAddress: (\w+)", headers, re.S)
start, size = int(found[2], 16), int(found[1], 16)


def run(command, text):
    """Seconds and megabytes.  A child's peak begins with its parent's memory, so a small shell starts it and ends."""
    shell = subprocess.Popen(["sh", "-c", 'exec 3<&0; "$@" <&3 &', "sh"] + command, stdin=subprocess.PIPE,
                             stdout=subprocess.DEVNULL, text=True)
    began = time.monotonic()
    shell.wait()
    shell.stdin.write(text)
    shell.stdin.close()
    _, status, usage = os.wait4(-1, 0)
    if status:
        sys.exit(f"{command[0]}: status {status}")
    return time.monotonic() - began, usage.ru_maxrss / 1024


def forget():
    """Removes the two files from the page cache."""
    for path in (image, pdb):
        fd = os.open(path, os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def measure(command, text, is_cold=False):
    runs = []
    for _ in range(rounds):
        if is_cold:
            forget()
        runs.append(run(command, text))
    times = [seconds for seconds, _ in runs]
    return statistics.median(times), min(times), max(times), max(megabytes for _, megabytes in runs)


PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
print(f"{os.path.basename(pdb)}: {os.path.getsize(pdb) / 1e6:.1f} MB, .text {size / 1e6:.1f} MB, {rounds} rounds")
is_whole = os.path.basename(program) == "wperf"
ours = [program, "symbolize", "--no-index", "-e", image] if is_whole else [program, pdb]
theirs = ["llvm-symbolizer-14", "--relative-address", "--inlines", "--no-demangle", "-e", image]


def show(label, addrs, is_cold=False):
    text = "".join(f"0x{addr:x}\n" for addr in sorted(addrs))
    mine, peer = measure(ours, text, is_cold), measure(theirs, text, is_cold)
    for name, m in (("wperf", mine), ("llvm-symbolizer", peer)):
        print(f"{label:>7} {name:16} {m[0] * 1e3:9.1f} ms ({m[1] * 1e3:.1f} to {m[2] * 1e3:.1f}) {m[3]:7.1f} MB")
    print(f"{label:>7} {'':16} {peer[0] / mine[0]:9.1f} times faster ({peer[1] / mine[2]:.1f} to {peer[2] / mine[1]:.1f}), "
          f"{peer[3] / mine[3]:.1f} times less memory", flush=True)


show("cold 1", [start + size // 2], True)
for n in counts:
    show(str(n), random.Random(n).sample(range(start, start + size), n))
