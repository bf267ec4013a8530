#!/usr/bin/python3
"""Checks that an external name shows in which file it is.

An external function or variable must begin with a noun of the file that defines it, or of the header that declares it:
`record_order_next` is in record_order.c, `collector_open` is declared in collector.h.  A noun is a sequence of words of
the file's name, in the singular or the plural.  Two structs must not have the same name, except in two files that
implement one header for two systems (NAME_linux.c, windows_NAME.c).

Prints one line for each finding: `FILE: NAME does not begin with a noun of its file`, `struct NAME: FILE, FILE`.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from typing import Iterator

SYSTEMS = {"linux", "windows", "none", "posix"}
# The public interface, and functions that the C library calls.
FREE = re.compile(r"wperf_|main$|__")


def nouns_of(path: str) -> set[str]:
    """Every sequence of words of a file's name, with and without the name of the system."""
    whole = os.path.basename(path).split(".")[0].split("_")
    return {"_".join(words[i:j]) for words in (whole, [word for word in whole if word not in SYSTEMS])
            for i in range(len(words)) for j in range(i + 1, len(words) + 1)}


def begins_with(name: str, nouns: set[str]) -> bool:
    words = name.split("_")
    return any({start, start + "s", start[:-1] if start.endswith("s") else start} & nouns
               for start in ("_".join(words[:i]) for i in range(1, len(words) + 1)))


def external_names(library: str) -> Iterator[tuple[str, str]]:
    """(source file, name) for each external name that a static library defines."""
    listing = subprocess.run(["nm", "-A", "--defined-only", "--extern-only", "--portability", library],
                             capture_output=True, text=True, check=True).stdout
    for member, name in re.findall(r"(?:\[|/|:)([^\[\]/:]+)\.o\]?: (\w+) ", listing):
        yield member.rpartition("_.._")[2], name


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def misnamed(root: str, build: str) -> Iterator[str]:
    headers = glob.glob(os.path.join(root, "src", "**", "*.h"), recursive=True)
    declared_in = defaultdict(set)
    for header in headers:
        for name in set(re.findall(r"\b\w+\b", read(header))):
            declared_in[name].add(header)
    for library in sorted(glob.glob(os.path.join(build, "src", "**", "lib*.a"), recursive=True)):
        room = os.path.basename(os.path.dirname(library))
        for member, name in external_names(library):
            if FREE.match(name) or begins_with(name, nouns_of(member)):
                continue
            if not any(begins_with(name, nouns_of(header)) for header in declared_in[name]):
                yield f"{room}/{member}: {name} does not begin with a noun of its file"


def shared_structs(root: str) -> Iterator[str]:
    defined_in = defaultdict(list)
    for path in sorted(glob.glob(os.path.join(root, "src", "**", "*.[ch]"), recursive=True)):
        for name in re.findall(r"^struct (\w+) \{$", read(path), re.M):
            defined_in[name].append(path)
    for name, paths in sorted(defined_in.items()):
        systems = [SYSTEMS & set(os.path.basename(path).split(".")[0].split("_")) for path in paths]
        is_twin = all(systems) and len({frozenset(system) for system in systems}) == len(paths)
        if len(paths) > 1 and not is_twin:
            yield f"struct {name}: {', '.join(os.path.relpath(path, root) for path in paths)}"


def findings_of(root: str, build: str) -> list[str]:
    return [*misnamed(root, build), *shared_structs(root)]


CASES = {
    "src/room/linux_ring.c": "struct ring {\n};\nvoid ring_open(void) {}\nvoid linux_ring_read(void) {}\nvoid rings_see(void) {}\n",
    "src/room/windows_ring.c": "struct ring {\n};\nvoid other_open(void) {}\n",
    "src/room/other.h": "void other_open(void);\n",
    "src/room/place.c": "struct entry {\n};\nvoid find_place(void) {}\nstatic void find(void) {}\nvoid place_find(void) { find(); }\n",
    "src/room/table.c": "struct entry {\n};\nint tables;\n",
}
EXPECTED = ["room/place.c: find_place does not begin with a noun of its file",
            "struct entry: src/room/place.c, src/room/table.c"]


def self_test() -> None:
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "src/room"))
        for path, text in CASES.items():
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        sources = [os.path.basename(path) for path in CASES if path.endswith(".c")]
        subprocess.run(["gcc", "-c", *sources], cwd=os.path.join(root, "src/room"), check=True)
        for source in sources:
            os.rename(os.path.join(root, "src/room", source[:-1] + "o"), os.path.join(root, "src/room", source + ".o"))
        subprocess.run(["ar", "rc", "libroom.a", *(source + ".o" for source in sources)], cwd=os.path.join(root, "src/room"),
                       check=True)
        got = findings_of(root, root)
    if got != EXPECTED:
        sys.exit(f"check_names.py: found {got}, want {EXPECTED}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", nargs="?", help="a build folder")
    parser.add_argument("--self-test", action="store_true", help="check that the rules find what they are for")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test()
        return
    if not arguments.build:
        parser.error("name a build folder")
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
    findings = findings_of(root, arguments.build)
    print(*findings, sep="\n", end="\n" if findings else "")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
