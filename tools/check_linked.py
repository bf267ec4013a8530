#!/usr/bin/python3
"""Checks that the rooms of src/ keep the rules by what is linked, not by what is included.

If a header includes another one, check_layers.py does not see that a file may call functions of a room that it must not
include.  This tool uses `nm` to find which external names each room's static library refers to and which room defines
them, and the table of check_layers.py.  If the table names a single header of a room, only the names that this header
declares are allowed.  Inline functions and macros leave no references; check_layers.py checks their headers.

It also checks that text and files leave wperf by one way: WRITERS has the functions that write, and the object files that may
refer to them.

Prints one line for each finding: `ROOM refers to NAME of ROOM (object file)`.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from typing import Iterator

from check_layers import ROOMS

NAME = re.compile(r"[A-Za-z_]\w*")

# Functions that write, as regular expressions, and what may refer to them: rooms, and object files without their ending.  The system's own
# functions are for os, which wraps them, and for the rooms that wake another process or answer it.
WRITERS = (
    (r"os_write_stream|os_page", {"os", "text_stream"}),
    (r"os_terminal_write", {"os", "screen"}),
    (r"(v?f|v|vd|d)?printf|(v?f|v|vd|d)printf_chk|f?puts|f?putc|putchar|perror|psignal|fwrite(_unlocked)?|stdout|stderr", {"os", "log"}),
    (r"open(at)?(64)?|creat(64)?|mkos?temp(64)?|fopen(64)?|rename(at2?)?|f?truncate(64)?|(sym)?link(at)?",
     {"os", "linux_cgroup", "linux_jit", "linux_keeper", "linux_mapped_file", "stop_guardian", "stop_pace", "linux_control",
      "linux_maps", "wait_thread"}),
    (r"p?writev?(64)?", {"os", "linux_drainer", "stop_channel", "stop_watch", "linux_control", "linux_spawn"}),
)

# The rooms that have only text to write must not write bytes.
TEXT_WRITERS = (r"os_file_write(_at)?", {"cli", "tables", "columns", "stat", "dump", "export", "page"}, {"text_stream"})


def external_names(library: str) -> Iterator[tuple[str, str, bool]]:
    """(object file, name, whether it is defined there) for each external name of a static library."""
    listing = subprocess.run(["nm", "--print-file-name", "--extern-only", "--portability", library],
                             capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        where, _, rest = line.rpartition(": ")
        fields = rest.split()
        if len(fields) >= 2 and NAME.fullmatch(fields[0]):
            yield os.path.basename(where.rstrip("]").rpartition("[")[2] or where), fields[0], fields[1] not in "Uvw"


def open_names(root: str, room: str) -> set[str]:
    """Names that are declared in the single headers allowed to a room."""
    names: set[str] = set()
    for allowed in ROOMS[room]:
        if allowed.endswith(".h"):
            for path in (os.path.join(root, allowed), *glob.glob(os.path.join(root, "src", "**", allowed), recursive=True)):
                if os.path.exists(path):
                    with open(path, encoding="utf-8") as file:
                        names.update(NAME.findall(file.read()))
    return names


def references(libraries: dict[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """(room, name, the other room that defines it, one object file that refers to it), sorted by room and name."""
    home: dict[str, str] = {}
    wanted: dict[str, dict[str, str]] = defaultdict(dict)
    for room, library in libraries.items():
        for member, name, is_defined in external_names(library):
            if is_defined:
                home[name] = room
            else:
                wanted[room].setdefault(name, member)
    for room in libraries:
        for name, member in sorted(wanted[room].items()):
            if home.get(name, room) != room:
                yield room, name, home[name], member


def writes_by_itself(libraries: dict[str, str]) -> Iterator[str]:
    """References to functions that write, from where none is allowed."""
    for room, library in libraries.items():
        for member, name, is_defined in external_names(library):
            source = member.removesuffix(".o").removesuffix(".obj").removesuffix(".c")
            plain = re.sub(r"^__(isoc99_)?|_chk$", "", name)
            refused = any(re.fullmatch(names, plain) and not {room, source} & allowed for names, allowed in WRITERS)
            names, rooms, allowed = TEXT_WRITERS
            refused |= bool(re.fullmatch(names, name)) and room in rooms and source not in allowed
            if refused and not is_defined:
                yield f"{room} writes with {name} ({member})"


def findings(root: str, libraries: dict[str, str]) -> Iterator[str]:
    yield from writes_by_itself(libraries)
    opened = {room: open_names(root, room) for room in libraries}
    for room, name, target, member in references(libraries):
        if target not in ROOMS[room] and name not in opened[room]:
            yield f"{room} refers to {name} of {target} ({member})"


def find_libraries(build: str) -> dict[str, str]:
    """The static library of each room in a build folder."""
    found = {}
    for room in ROOMS:
        for library in glob.glob(os.path.join(build, "src", "**", room, "lib*.a"), recursive=True):
            found[room] = library
    return found


CASES: tuple[tuple[str, dict[str, str], list[str]], ...] = (
    ("permitted", {"base/base.c": "int base_f(void) { return 1; }",
                   "os/os.c": "int base_f(void); int os_f(void) { return base_f(); }"}, []),
    ("a room below", {"perfdata/world.c": "int world_text(void) { return 1; }",
                      "tables/view.c": "int world_text(void); int view_f(void) { return world_text(); }"},
     ["tables refers to world_text of perfdata"]),
    ("a header alone", {"os/os.c": "int os_f(void) { return 1; } int os_g(void) { return 2; }",
                        "os/os_paths.h": "int os_f(void);",
                        "event/event.c": "int os_f(void); int os_g(void); int event_f(void) { return os_f() + os_g(); }"},
     ["event refers to os_g of os"]),
    ("a pointer to a function", {"perfdata/world.c": "int world_text(void) { return 1; }",
                                 "tables/view.c": "int world_text(void); int (*view_f)(void) = world_text;"},
     ["tables refers to world_text of perfdata"]),
    ("text that goes around the filter", {"tables/view.c": '#include <stdio.h>\nvoid view_f(const char *t) { fputs(t, stdout); }'},
     ["tables writes with fputs", "tables writes with stdout"]),
    ("the filter itself", {"os/os.c": "int os_write_stream(void) { return 1; } int os_file_write(void) { return 1; }",
                           "cli/text_stream.c": "int os_write_stream(void); int os_file_write(void);"
                                                   " int output_f(void) { return os_write_stream() + os_file_write(); }"}, []),
    ("a file without the filter", {"os/os.c": "int os_file_write(void) { return 1; }",
                                   "cli/other.c": "int os_file_write(void); int output_f(void) { return os_file_write(); }"},
     ["cli writes with os_file_write"]),
)


def build_case(root: str, files: dict[str, str]) -> dict[str, str]:
    libraries = {}
    for path, text in files.items():
        full = os.path.join(root, "src", path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        if path.endswith(".c"):
            library = os.path.join(os.path.dirname(full), "lib.a")
            subprocess.run(["cc", "-w", "-c", full, "-o", full + ".o"], check=True)
            subprocess.run(["ar", "crT", library, full + ".o"], check=True)
            libraries[path.split("/")[0]] = library
    return libraries


def self_test() -> int:
    failed = 0
    print(f"1..{len(CASES)}")
    for number, (name, files, expected) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as root:
            found = [finding.rpartition(" (")[0] for finding in findings(root, build_case(root, files))]
        if found != expected:
            print(f"# found {found}, expected {expected}")
        print(f"{'ok' if found == expected else 'not ok'} {number} - {name}")
        failed += found != expected
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Check which rooms of src/ refer to which, by their static libraries.")
    parser.add_argument("build", nargs="?", help="the build folder")
    parser.add_argument("--self-test", action="store_true", help="show on small libraries that each rule is caught")
    parser.add_argument("--rooms", action="store_true", help="print the rooms that each room refers to, with the number of names")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    root = os.path.normpath(os.path.join(os.path.dirname(__file__), ".."))
    libraries = find_libraries(options.build or os.path.join(root, "build", "dev"))
    missing = [room for room in ROOMS
               if glob.glob(os.path.join(root, "src", "**", room), recursive=True) and room not in libraries]
    if missing:
        print(f"no static library of {', '.join(missing)} in the build folder")
        return 1
    if options.rooms:
        numbers = Counter((room, target) for room, _, target, _ in references(libraries))
        for room in libraries:
            print(f"{room}: " + ", ".join(f"{target} {n}" for (r, target), n in numbers.items() if r == room))
        return 0
    found = list(findings(root, libraries))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
