#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the answers of wperf diff --code with objdump's text on the functions of two builds.

usage: oracle_code.py WPERF A B [TOOLS]

TOOLS is the prefix of objdump and nm, such as aarch64-linux-gnu-.  Functions with one name are compared, in both files, by the
text of their instructions without nops and without what the linker decides: a target in the function is the number of its
instruction, another one its symbol; data is its symbol and offset, a text its content, and else its section.  On AArch64 the low
bits of an address are left out where the register has held a page anywhere in the function.  Prints the functions for which
the answers (changed or same) differ, and a count; the exit status is 1 if there are any.
"""
import bisect
import collections
import json
import re
import subprocess
import sys

SAME = {"identical", "moved", "same but for addresses"}
NOP = re.compile(r"(?:data16 |cs |rep )*nop|xchg +%ax,%ax|udf|\.inst|int3|bnd nop")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


class Build:
    def __init__(self, path, tools):
        self.path, self.tools = path, tools
        self.symbols = []  # start, size, kind, name
        for line in output(tools + "nm", "-S", path).splitlines():
            fields = line.split()
            if len(fields) == 4:
                self.symbols.append((int(fields[0], 16), int(fields[1], 16), fields[2], fields[3]))
        self.symbols.sort()
        self.starts = [symbol[0] for symbol in self.symbols]
        self.sections = []
        for line in output(tools + "objdump", "-h", "-w", path).splitlines():
            fields = line.split()
            if fields and fields[0].isdigit() and "ALLOC" in line:
                self.sections.append((int(fields[3], 16), int(fields[2], 16), int(fields[5], 16), fields[1], "CONTENTS" in line))
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.functions = self.read_functions()

    def describe(self, addr, may_be_text=True):
        """What is at an address, in words that do not depend on the linker."""
        for i in range(bisect.bisect_right(self.starts, addr) - 1, -1, -1):
            start, size, _, name = self.symbols[i]
            if addr < start + size:
                return f"{re.sub(r'[.][0-9]+$', '', name)}+{addr - start}"
            if addr - start > 1 << 20:
                break
        for start, size, offset, name, has_bytes in self.sections:
            if start <= addr < start + size:
                at = offset + addr - start
                text = re.match(rb"[\t\n\r -~]+\0", self.bytes[at:at + 4096]) if may_be_text and has_bytes and name.startswith(".rodata") else None
                return repr(text[0]) if text else name.split(".")[1] if name.startswith(".") else name
        return "nothing"

    def read_functions(self):
        functions, doubles = {}, collections.Counter()
        for block in output(self.tools + "objdump", "-d", "--no-show-raw-insn", self.path).split("\n\n"):
            heading = re.match(r"([0-9a-f]+) <([^>]+)>:\n", block)
            if heading:
                doubles[heading[2]] += 1
                functions[heading[2]] = block[heading.end():].splitlines()
        return {name: lines for name, lines in functions.items() if doubles[name] == 1}

    def parts(self, name):
        return [part for part in (name, name + ".cold") if part in self.functions]

    def text(self, name):
        """The instructions of a function and its cold part."""
        insns = []
        for part in self.parts(name):
            for line in self.functions[part]:
                found = re.match(r" *([0-9a-f]+):\t(.*)", line)
                if found and not NOP.match(found[2]):
                    insns.append((int(found[1], 16), found[2].strip()))
        numbers = {addr: i for i, (addr, _) in enumerate(insns)}
        addrs = sorted(numbers)

        def target(match):
            addr = int(match[1], 16)
            at = bisect.bisect_left(addrs, addr)
            inside = at < len(addrs) and insns and any(addr >= int(self.functions[part][0].split(":")[0], 16) and
                                                       addr - int(self.functions[part][0].split(":")[0], 16) < 1 << 20 and
                                                       match[2].split("+")[0] == part for part in self.parts(name))
            return f"@{numbers[addrs[at]]}" if inside and at else match[2] if "+" not in match[2] else self.describe(addr)

        pages = {found[1] for _, text in insns if (found := re.match(r"adrp?\t(x\d+)", text))}
        result = []
        for _, text in insns:
            text, _, data = text.partition("#")
            pointer = re.match(r" ([0-9a-f]+) <", data) if "(%rip)" in text else None
            if pointer:
                text = re.sub(r"-?0x[0-9a-f]+\(%rip\)", lambda _, p=pointer, t=text: self.describe(int(p[1], 16), t.startswith("lea")), text)
            text = re.sub(r"\b([0-9a-f]+) <([^>]+)>", target, text) if not text.startswith("adr") else text.split(",")[0]
            if pages:
                text = re.sub(r"^(add\tx\d+, (x\d+)), .*", lambda m: m[1] + ", *" if m[2] in pages else m[0], text)
                text = re.sub(r"\[(x\d+)(?:, \d+|, #\d+)?\]", lambda m: f"[{m[1]}, *]" if m[1] in pages else m[0], text)
            text = re.sub(r"\s+(//.*)?", " ", text).strip()
            result.append(re.sub(r"^bnd |,p[nt]\b", "", text))
        return result


def main():
    wperf, a, b = sys.argv[1:4]
    tools = sys.argv[4] if len(sys.argv) > 4 else ""
    x, y = Build(a, tools), Build(b, tools)
    rows = json.loads(output(wperf, "diff", "--code", "--json", "--no-demangle", a, b))["functions"]
    answers = {row["function"].rsplit(":", 1)[0]: row["state"] for row in rows}
    counts = collections.Counter()
    for name, state in sorted(answers.items()):
        if name not in x.functions or name not in y.functions or state not in SAME | {"changed"}:
            continue
        same = x.text(name) == y.text(name)
        counts["compared"] += 1
        counts["changed by both"] += not same and state not in SAME
        if same == (state in SAME):
            continue
        counts["differ"] += 1
        lines = [(p, q) for p, q in zip(x.text(name), y.text(name)) if p != q]
        print(f"{name}: wperf {state}, objdump {'same' if same else 'changed'}: {lines[:1]}")
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return counts["differ"] > 0


if __name__ == "__main__":
    sys.exit(main())
