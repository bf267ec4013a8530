#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""answers.py IMAGE DWARF_IMAGE: the frames of every address of .text, a line where they change.

Functions and the outermost line and column are what llvm-symbolizer-14 says of IMAGE and its PDB.  Lines of inlined
functions are what it says of the same code with DWARF, since it reads binary annotations one step late.  Where the two
see another depth, or DWARF has no line, the address is left out: "-"."""
import re
import subprocess
import sys


def ask(image, addrs):
    out = subprocess.run(["llvm-symbolizer-14", "--inlines", "--no-demangle", "--relative-address", "-e", image],
                         input="".join(f"{a:#x}\n" for a in addrs), capture_output=True, text=True, check=True).stdout
    for block in out.split("\n\n"):
        lines = block.strip("\n").split("\n")
        places = [re.fullmatch(r"(.*):(\d+):(\d+)", place) for place in lines[1::2]]
        yield [(name, re.sub(r"^(C:[/\\]src[/\\])?(\./)?", "", place[1]), place[2], place[3])
               for name, place in zip(lines[::2], places)]


headers = subprocess.run(["llvm-readobj-14", "-S", sys.argv[1]], capture_output=True, text=True, check=True).stdout
found = re.search(r"Name: \.text.*?VirtualSize: (\w+)\s+VirtualAddress: (\w+)", headers, re.S)
addrs = range(int(found[2], 16), int(found[2], 16) + int(found[1], 16))
last = None
for addr, pdb, dwarf in zip(addrs, ask(sys.argv[1], addrs), ask(sys.argv[2], addrs)):
    frames = "-"
    if len(pdb) == len(dwarf) and all(frame[2] != "0" for frame in dwarf) and pdb[-1][:3] == dwarf[-1][:3] or \
            (len(pdb) == len(dwarf) == 1 and pdb[0][2] != "0" and dwarf[0][2] == "0"):
        frames = "\t".join([f"{p[0]} {d[1]}:{d[2]}" for p, d in zip(pdb[:-1], dwarf[:-1])] +
                           ["{} {}:{}:{}".format(*pdb[-1])])
    if frames != last:
        print(f"{addr:#x}\t{frames}")
    last = frames
print(f"{addrs.stop:#x}\tend")
