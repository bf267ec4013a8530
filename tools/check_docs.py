#!/usr/bin/python3
"""Checks two pages that name what is elsewhere.

docs/internals.md: each `function` (file.c) is a function that this file defines.
docs/README.md: it has a line for each page of docs, and for no other.

Prints one line for each finding.
"""
import os
import re
import sys
import tempfile
from typing import Iterator

NAMED = re.compile(r"`(\w+)`\s+\((\w+\.c)\)")
LINKED = re.compile(r"^\| \[[^]]*\]\(([^)]+)\) \|", re.M)


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def find_sources(root: str) -> dict[str, str]:
    return {name: os.path.join(folder, name)
            for folder, _, names in os.walk(os.path.join(root, "src")) for name in names if name.endswith(".c")}


def check_functions(root: str) -> Iterator[str]:
    page = "docs/internals.md"
    sources = find_sources(root)
    named = NAMED.findall(read(os.path.join(root, page)))
    if not named:
        yield f"{page}: names no function"
    for function, file in named:
        if file not in sources:
            yield f"{page}: there is no file {file}"
        elif not re.search(rf"^[a-z][\w *]*\b{function}\(", read(sources[file]), re.M):
            yield f"{page}: {file} has no function {function}"


def check_index(root: str) -> Iterator[str]:
    page = "docs/README.md"
    folder = os.path.join(root, "docs")
    linked = LINKED.findall(read(os.path.join(root, page)))
    for name in linked:
        if not os.path.exists(os.path.join(folder, name)):
            yield f"{page}: there is no page {name}"
    for name in sorted(os.listdir(folder)):
        if name.endswith(".md") and name not in ("README.md", *linked):
            yield f"{page}: has no line for {name}"


def findings(root: str) -> list[str]:
    return [*check_functions(root), *check_index(root)]


CASES = (
    ({}, []),
    ({"docs/internals.md": "`gone` (place.c)"}, ["docs/internals.md: place.c has no function gone"]),
    ({"docs/internals.md": "`find`\n(gone.c)"}, ["docs/internals.md: there is no file gone.c"]),
    ({"docs/internals.md": "nothing"}, ["docs/internals.md: names no function"]),
    ({"docs/README.md": "| [b](b.md) | b |\n"}, ["docs/README.md: there is no page b.md", "docs/README.md: has no line for a.md",
                                                 "docs/README.md: has no line for internals.md"]),
)
CLEAN = {
    "docs/internals.md": "It is `find` (place.c) that finds it.",
    "docs/README.md": "| [a](a.md) | a |\n| [internals](internals.md) | b |\n",
    "docs/a.md": "",
    "src/room/place.c": "/* find( */\nstatic const char *find(int key)\n{\n}\n",
}


def self_test() -> int:
    failed = 0
    for changes, expected in CASES:
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **changes}.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            found = findings(root)
        if found != expected:
            print(f"check_docs.py: found {found}, expected {expected}")
            failed = 1
    return failed


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = findings(os.path.normpath(os.path.join(os.path.dirname(__file__), "..")))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
