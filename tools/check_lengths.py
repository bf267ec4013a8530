#!/usr/bin/python3
"""Checks lengths: a file of more than 700 lines or a function of more than 100 is an error; functions of more than 60
are listed."""
import os
import re
import sys
from typing import Iterator

from check_layers import find_sources

FILE_LIMIT = 700
FUNCTION_LIMIT = 100
FUNCTION_NOTE = 60

OPENS = re.compile(r"\{|[A-Za-z].*\)\s*\{\s*$")
NAME = re.compile(r"(\w+)\s*\(")


def functions(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Line, length and name of each function, by the braces in the first column."""
    start = 0
    head = ""
    for number, line in enumerate(lines, 1):
        if re.match(r"[A-Za-z_]", line) and not line.startswith(("#", "}")):
            head = line if NAME.search(line) else head
        if OPENS.match(line):
            start = number
        elif line.startswith("}"):
            if start and not line.startswith("};"):
                match = NAME.search(head)
                yield start, number - start + 1, match[1] if match else "?"
            start = 0


def main() -> int:
    root = os.path.normpath(os.path.join(os.path.dirname(__file__), ".."))
    bad = 0
    for path in find_sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        if len(lines) > FILE_LIMIT:
            print(f"{path}:1: {len(lines)} lines; {FILE_LIMIT} at most")
            bad += 1
        for line, length, name in functions(lines):
            if length > FUNCTION_LIMIT:
                print(f"{path}:{line}: {name} has {length} lines; {FUNCTION_LIMIT} at most")
                bad += 1
            elif length > FUNCTION_NOTE:
                print(f"{path}:{line}: note: {name} has {length} lines")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
