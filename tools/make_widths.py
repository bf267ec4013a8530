#!/usr/bin/python3
"""Prints src/base/text_width_data.h: the characters that take no column on a terminal, and those that take two.

Uses the Unicode tables of this Python: no column for combining marks and format characters, two for East Asian wide and
full-width characters.  Run by hand for a new version of Unicode.
"""
import sys
import unicodedata

HANGUL_VOWELS = range(0x1160, 0x1200)  # combined with the letter before them


def width(code: int) -> int:
    char = chr(code)
    if code == 0xad:
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or code in HANGUL_VOWELS:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def ranges(wanted: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for code in range(0x80, 0x110000):
        if 0xd800 <= code < 0xe000 or width(code) != wanted:
            continue
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def show(name: str, items: list[tuple[int, int]]) -> None:
    print(f"\nstatic const struct char_range {name}[] = {{")
    for i in range(0, len(items), 5):
        print("        " + " ".join(f"{{0x{first:x}, 0x{last:x}}}," for first, last in items[i:i + 5]))
    print("};")


def main() -> None:
    print("/* SPDX-License-Identifier: BSD-3-Clause */")
    print(f"/* Written by tools/make_widths.py from Unicode {unicodedata.unidata_version}. */")
    print("#ifndef TEXT_WIDTH_DATA_H\n#define TEXT_WIDTH_DATA_H\n\n#include <stdint.h>\n")
    print("struct char_range {\n        uint32_t first, last;\n};")
    show("zero_width", ranges(0))
    show("two_wide", ranges(2))
    print("\n#endif")


if __name__ == "__main__":
    sys.exit(main())
