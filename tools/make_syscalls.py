#!/usr/bin/python3
"""Prints src/system/arch/syscall_names_data.h: the names of Linux' system calls by number, for x86-64 and arm64.

    tools/make_syscalls.py X86_64_HEADER ARM64_HEADER

The headers are asm/unistd_64.h of x86-64, and asm/unistd.h of arm64 after `aarch64-linux-gnu-gcc -E -dM`.  Run by hand for a new
kernel.  Calls from 424 on have the same number on both, so the newer header completes the other one.
"""
import re
import sys
import textwrap

FIRST_COMMON = 424


def numbers_of(path: str) -> dict[int, str]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    values = dict(re.findall(r"^#define (__NR\w+)\s+(\w+)\s*$", text, re.M))
    names = {name.removeprefix("__NR_"): values.get(value, value) for name, value in values.items() if name.startswith("__NR_")}
    return {int(number): name for name, number in names.items() if name != "syscalls" and number.isdecimal()}


def show(name: str, calls: dict[int, str]) -> None:
    words = " ".join(calls.get(i, "-") for i in range(max(calls) + 1))
    print(f"\nstatic const char {name}[] =")
    lines = textwrap.wrap(words, 96, break_long_words=False, break_on_hyphens=False)
    print("\n".join(f'        "{line}{" " if i + 1 < len(lines) else ""}"' for i, line in enumerate(lines)) + ";")


def main() -> None:
    x86_64, arm64 = numbers_of(sys.argv[1]), numbers_of(sys.argv[2])
    for calls, other in ((x86_64, arm64), (arm64, x86_64)):
        calls.update({number: name for number, name in other.items() if number >= FIRST_COMMON and number not in calls})
    print("/* SPDX-License-Identifier: BSD-3-Clause */\n/* Written by tools/make_syscalls.py. Names in the order of their numbers; -: none. */")
    print("#ifndef SYSCALL_NAMES_DATA_H\n#define SYSCALL_NAMES_DATA_H")
    show("x86_64_names", x86_64)
    show("arm64_names", arm64)
    print("\n#endif")


if __name__ == "__main__":
    main()
