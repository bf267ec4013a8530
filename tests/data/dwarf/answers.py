#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""answers.py FILE: what llvm-symbolizer-14 says of every address of .text, a line where that changes."""
import re
import subprocess
import sys

path = sys.argv[1]
sections = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
found = re.search(r"\.text\s+\S+\s+(\w+)\s+\w+\s+(\w+)", sections)
start = int(found[1], 16)
addrs = range(start, start + int(found[2], 16))
out = subprocess.run(["llvm-symbolizer-14", "--inlines", "--no-demangle", "-e", path], check=True,
                     input="".join(f"{a:#x}\n" for a in addrs), capture_output=True, text=True).stdout
last = None
for addr, block in zip(addrs, out.split("\n\n")):
    lines = block.strip("\n").split("\n")
    frames = "\t".join(f"{name} {place}" for name, place in zip(lines[::2], lines[1::2]))
    if frames != last:
        print(f"{addr:#x}\t{frames}")
    last = frames
print(f"{addrs.stop:#x}\tend")
