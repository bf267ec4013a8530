#!/usr/bin/python3
"""Checks that the wings and rooms of src/ keep the rules: which headers each room includes, and which functions it calls.

The rules are the tables below; the tables in ARCHITECTURE.md must be the same, and each wing has a README.md that names its
rooms.  Prints one line, `file:line: problem`, for each finding.
"""
import argparse
import os
import re
import sys
from dataclasses import dataclass
from typing import Iterator

# The wings of src/ and their rooms: src/WING/ROOM, but base is both.  The rooms of a wing may include those of its own wing and of the
# wings above it in this list.
WINGS: dict[str, tuple[str, ...]] = {
    "base": ("base",),
    "system": ("os", "codec", "arch", "screen"),
    "formats": ("object", "dwarf", "pdb", "demangle", "disasm", "spe", "etl"),
    "events": ("event", "grammar"),
    "session": ("perfdata", "sections", "world", "etl_import"),
    "names": ("cache", "search", "symbols", "unwind", "python"),
    "measure": ("processes", "backend", "counting", "sampling", "stops", "bpf", "waits", "peek", "facts"),
    "profile": ("stack", "analyze", "counts", "code", "compare", "waiting", "report", "archive", "live"),
    "show": ("columns", "tables", "stat", "export", "page", "dump"),
    "program": ("options", "runs", "browse", "cli", "library"),
}

# What each room may include besides its own headers: another room, or one header of a room.
ROOMS: dict[str, tuple[str, ...]] = {
    "base": (),
    "os": ("base",),
    "arch": ("base",),
    "codec": ("base",),
    "event": ("base", "os/os_paths.h", "arch"),
    "grammar": ("base", "event"),
    "object": ("base", "os", "arch", "codec"),
    "demangle": ("base",),
    "dwarf": ("base", "os", "object"),
    "pdb": ("base", "os", "object"),
    "spe": ("base",),
    "etl": ("base", "codec"),
    "perfdata": ("base", "os", "codec", "spe"),
    "sections": ("base", "os", "codec", "event", "grammar", "perfdata"),
    "etl_import": ("base", "etl", "perfdata", "sections"),
    "world": ("base", "perfdata", "sections/python_section.h"),
    "cache": ("base", "os", "codec", "object", "sections/archive_section.h"),
    "search": ("base", "os", "object", "dwarf", "pdb"),
    "symbols": ("base", "os", "object", "demangle", "sections/archive_section.h", "cache", "dwarf", "pdb", "search"),
    "unwind": ("base", "arch", "object"),
    "python": ("base", "object", "unwind/unwind.h"),
    "disasm": ("base", "os", "arch"),
    "processes": ("base", "os", "object"),
    "backend": ("base", "os", "arch", "event", "perfdata/record.h", "processes", "driver/abi.h"),
    "counting": ("base", "os", "event", "grammar", "perfdata/record.h", "processes", "backend", "driver/abi.h"),
    "stops": ("base", "os", "arch", "object", "unwind/unwind.h", "python", "perfdata/record.h",
              "sections/python_section.h", "processes", "backend"),
    "bpf": ("base", "os", "python", "processes", "backend", "stops"),
    "waits": ("base", "os", "arch", "python", "sections/task_section.h", "sections/wait_section.h", "processes", "backend", "stops"),
    "peek": ("base", "os", "arch", "python", "perfdata/record.h", "processes", "backend", "stops", "waits"),
    "waiting": ("base", "arch/syscall_names.h", "perfdata/perfdata_reader.h", "perfdata/record.h", "perfdata/record_aux.h", "perfdata/tracing_data.h", "sections/task_section.h", "sections/wait_section.h", "stack/named_stacks.h", "stack/sample_list.h", "analyze/cpu_spans.h",
                "analyze/strips.h"),
    "sampling": ("base", "os", "arch", "object", "unwind", "perfdata", "sections", "world", "processes", "backend",
                 "stops", "bpf", "waits", "peek", "driver/abi.h"),
    "facts": ("base", "os", "arch", "event", "grammar", "backend/kernel.h", "counting/counting.h"),
    "counts": ("base", "event/event_grammar.h", "grammar", "perfdata/perfdata_reader.h", "perfdata/record.h"),
    "stack": ("base", "perfdata/record.h", "sections/python_section.h", "world/world.h", "symbols/resolver.h",
              "symbols/resolver_facts.h", "python/python_native.h"),
    "analyze": ("base", "perfdata/record.h", "world/world.h", "symbols/resolver.h", "symbols/resolver_code.h", "stack", "spe",
                "disasm/disasm.h"),
    "code": ("base", "object", "demangle", "symbols/resolver.h", "symbols/resolver_code.h", "symbols/resolver_facts.h",
             "disasm"),
    "compare": ("base",),
    "report": ("base", "os", "object", "perfdata", "sections", "world", "search/pe_search.h", "search/debug_package.h", "search/debuginfod.h",
               "symbols", "sampling", "disasm/disasm.h", "arch", "event/call_graph.h", "grammar", "etl_import",
               "search/elf_search.h", "unwind", "spe", "counts", "stack", "analyze", "waiting"),
    "live": ("base", "os", "perfdata", "sections/wait_section.h", "world", "symbols/resolver_facts.h", "symbols/resolver.h", "stack",
             "analyze/cpu_spans.h", "waiting", "report/report_session.h", "report/module_source.h"),
    "archive": ("base", "os", "perfdata", "sections", "world", "search/debuginfod.h", "symbols", "disasm", "sampling",
                "stack", "analyze", "code/code_image.h", "report"),
    "runs": ("base", "os", "event", "grammar", "object", "demangle", "perfdata", "sections", "world/world.h", "pdb",
             "search/debug_package.h", "search/debug_search.h", "search/debuginfod.h", "symbols", "python/python_binary.h", "disasm/disasm.h", "processes",
             "backend/kernel.h", "counting", "sampling", "facts/event_facts.h", "facts/extra_source.h", "facts/hardware_judge.h",
             "facts/hardware_loops.h", "spe", "counts", "stack/calltree.h", "stack/stacks_tree.h", "analyze", "code",
             "compare", "report", "archive", "live"),
    "dump": ("base", "arch", "event", "perfdata", "sections", "unwind", "spe"),
    "export": ("base", "os/os_paths.h", "stack/calltree.h", "stack/named_stacks.h", "stack/sample_list.h"),
    "page": ("base", "codec", "symbols/resolver.h", "disasm/disasm.h", "stack/calltree.h", "stack/named_stacks.h",
             "stack/sample_list.h", "analyze/access_rows.h", "analyze/annotate.h", "analyze/hot.h", "analyze/strips.h", "code/code_rows.h", "compare/comparison.h", "waiting/wall_states.h", "waiting/wall_times.h", "report/annotation.h",
             "archive/sampled_source.h", "export", "columns/table.h", "tables/access_view.h", "tables/code_diff_view.h", "tables/diff_columns.h", "tables/diff_view.h"),
    "columns": ("base",),
    "stat": ("base", "counts/sheet.h", "columns", "page/web_page_charts.h"),
    "tables": ("base", "stack/calltree.h", "analyze/access_level.h", "analyze/access_rows.h", "analyze/annotate.h",
               "analyze/annotate_rows.h", "analyze/branches.h", "analyze/hot.h", "analyze/python_rows.h",
               "analyze/python_sources.h", "analyze/quality.h", "analyze/row_keys.h", "analyze/strips.h",
               "code/code_rows.h", "compare", "waiting", "report/annotation.h", "report/report.h", "report/report_python.h",
               "report/source_text.h", "live/live_table.h", "columns"),
    "screen": ("base", "os"),
    "options": ("base", "waiting/wall_states.h", "stack/stacks_python.h", "analyze/access_keys.h", "analyze/profile.h", "analyze/row_keys.h"),
    "cli": ("base", "os", "options", "grammar", "counts/sheet.h", "stack/calltree.h", "stack/sample_list.h", "stack/stacks_tree.h", "analyze",
            "compare", "waiting/task_rows.h", "waiting/wait_threads.h", "waiting/wall_pieces.h", "waiting/wall_states.h", "report", "stat", "tables", "arch", "codec", "event", "perfdata", "sections",
            "cache/answers_cache.h", "search", "symbols", "processes", "archive", "live/live_table.h", "runs", "facts", "dump", "export", "page",
            "screen/cells.h", "browse/browser.h", "browse/diff_browser.h", "browse/live_browser.h"),
    "browse": ("base", "os", "sections/session_facts.h", "disasm/disasm.h", "search/debuginfod.h", "stack/calltree.h",
               "stack/named_stacks.h", "stack/sample_list.h", "stack/stacks_python.h", "stack/stacks_tree.h", "analyze",
               "code/code_rows.h", "compare", "waiting/wall_pieces.h", "report", "live/live_table.h", "runs/code_diff.h", "runs/live_run.h", "columns", "tables", "cli", "screen"),
    "library": ("base", "os", "search/elf_search.h", "search/pe_search.h", "perfdata/session_input.h",
                "processes/target.h", "counts/sheet.h", "grammar", "disasm/disasm.h", "stack/calltree.h",
                "stack/named_stacks.h", "stack/sample_list.h", "stack/stacks_tree.h", "analyze", "report",
                "facts/event_facts.h", "facts/event_listing.h", "runs", "include/wperf.h"),
    "include": (),
    "driver/core": ("driver/abi.h", "driver/hw/block.h", "driver/hw/hw.h"),
    "driver/devgen": ("driver/abi.h",),
    "driver/wdm": ("driver/abi.h", "driver/core", "driver/hw"),
    "driver/hw": (),
}







# Headers that the build generates, and the paths that they would have in the tree.
GENERATED: dict[str, str] = {
    "git_version.h": "src/program/cli/git_version.h",
}

STANDARD = set("""assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h
    signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h
    time.h wchar.h""".split())
NOT_IN_BASE = {"signal.h", "setjmp.h", "locale.h", "time.h"}

# Headers of the system and of libraries beyond standard C; the platform rooms may include any header.
PLATFORM_ROOMS = {"os", "processes", "backend", "counting", "stops", "bpf", "waits", "peek", "sampling"}
LIBRARY_HEADERS: dict[str, tuple[str, ...]] = {
    "codec": ("zlib.h", "libdeflate.h", "zstd.h", "lzma.h"),
    "disasm": ("llvm-c/",),
}

PLATFORM_MACROS = re.compile(r"\b(_WIN32|_WIN64|__MINGW32__|__linux__|__unix__)\b")
PLATFORM_MACRO_FILES = {"src/base/attributes.h", "include/wperf.h"}

UNSAFE = {"strcpy", "strcat", "sprintf", "vsprintf", "strtok", "atoi", "atol", "gets", "alloca", "system"}
PRINTING = {"printf", "vprintf", "fprintf", "vfprintf", "puts", "fputs", "putchar", "putc", "fputc", "perror"}
ENDING = {"exit", "_exit", "_Exit", "abort", "quick_exit"}

# call -> the rooms in which it is allowed
CALL_ROOMS: dict[str, tuple[str, ...]] = {
    **{name: ("cli",) for name in PRINTING | ENDING},
    "getenv": ("os",),
    "secure_getenv": ("os",),
    "os_environment": ("os", "cli"),
    "os_write_stream": ("os", "cli"),
    # A process of several threads must not be forked: linux_own_thread.c sees to that.
    "fork": ("os",),
    "pthread_create": ("os",),
}
# call -> the files in which it is allowed, too
CALL_FILES: dict[str, tuple[str, ...]] = {
    "strtod": ("src/base/text.c",),
    "abort": ("src/base/mem.c",),
    "fprintf": ("src/base/log.c",),
    "vfprintf": ("src/base/log.c",),
    "fputs": ("src/base/log.c",),
    "fputc": ("src/base/log.c",),
    "_exit": ("src/system/os/os_linux_asker.c", "src/system/os/os_linux_ends.c", "src/system/os/os_linux_init.c", "src/system/os/os_linux_left_out.c",
              "src/measure/processes/linux_spawn.c"),
    "fork": ("src/measure/processes/linux_own_thread.c",),
    "pthread_create": ("src/measure/processes/linux_own_thread.c", "src/measure/stops/stop_tracer.c"),
}

# Paths of the kernel's file systems and of /tmp; only the platform rooms may contain them.
SYSTEM_PATHS = re.compile(r"/(?:proc|sys|tmp)/|^/(?:proc|sys|tmp)$")

# Words that a room may not use, and the reason: stack and analyze must not depend on the kind of a module.
ROOM_WORDS: dict[str, tuple[re.Pattern[str], str]] = {
    room: (re.compile(r"\bMODULE_(?!NONE\b|\w+_H\b)[A-Z]\w*"),
           f"{room} does not ask of what kind a module is; struct module_facts has what it may know")
    for room in ("stack", "analyze")
}

EMPTY_NAMES = re.compile(r"(^|_)(util|utils|helper|helpers|misc|common|manager)($|[_.])")
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
CALL = re.compile(r"(?<![\w.>])([A-Za-z_]\w*)\s*\(")
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

TREES = ("src", "include", "tests", "driver", "tools")
DATA_TREES = ("tests/data/", "tests/replay/")


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def find_sources(root: str) -> list[str]:
    """C files of the project, relative to its root; test data has other styles."""
    found = []
    for tree in TREES:
        for folder, _, names in os.walk(os.path.join(root, tree)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), root)
                if name.endswith((".c", ".h")) and not path.startswith(DATA_TREES):
                    found.append(path)
    return sorted(found)


def room_of(path: str) -> str | None:
    """The room of a file; None if the table has no rule for it."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[-2]
    if parts[0] == "driver" and len(parts) > 2:
        return "/".join(parts[:2])
    return "include" if parts[0] == "include" else None


def wing_of(room: str) -> str | None:
    """The wing of a room of src/; None for a room beside src/."""
    return next((wing for wing, rooms in WINGS.items() if room in rooms), None)


def folder_of(room: str) -> str:
    wing = wing_of(room)
    return room if wing is None else "src/base" if wing == "base" else f"src/{wing}/{room}"


def is_below(room: str, target: str) -> bool:
    """Does `target` stand in a wing that the rooms of `room`'s wing may not include?"""
    order = list(WINGS)
    wing, other = wing_of(room), wing_of(target)
    return wing is not None and other is not None and order.index(other) > order.index(wing)


def allows(room: str, target: str) -> bool:
    """May a file in `room` include the file `target`?"""
    home = room_of(target)
    names = (target, f"{home}/{os.path.basename(target)}")
    return home == room or home in ROOMS[room] or any(name in ROOMS[room] for name in names)


def blank_out(text: str) -> str:
    """The text with blanks in place of comments and literals; lines stay."""
    return NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class Tree:
    """All sources of a project, by path and by name."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.paths = find_sources(root)
        self.by_name: dict[str, list[str]] = {}
        for path in self.paths:
            self.by_name.setdefault(os.path.basename(path), []).append(path)

    def read(self, path: str) -> str:
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def findings(self) -> Iterator[Finding]:
        yield from self.check_names()
        for path in self.paths:
            text = self.read(path)
            yield from self.check_includes(path, text)
            if path.startswith(("src/", "include/")):
                yield from check_macros(path, text)
                yield from check_calls(path, text)
                yield from check_paths(path, text)
                yield from check_words(path, text)

    def check_names(self) -> Iterator[Finding]:
        for name, paths in sorted(self.by_name.items()):
            for path in paths[1:]:
                yield Finding(path, 1, f"the name stands already at {paths[0]}")
            if EMPTY_NAMES.search(name):
                yield Finding(paths[0], 1, "a name that says nothing (util, helper, misc, common, manager)")
        for path in self.paths:
            room = room_of(path)
            if room and room not in ROOMS:
                yield Finding(path, 1, f"{room} is no room of the table")
            elif room and wing_of(room) and os.path.dirname(path) != folder_of(room):
                yield Finding(path, 1, f"{room} is the room {folder_of(room)}")

    def check_includes(self, path: str, text: str) -> Iterator[Finding]:
        for number, line in enumerate(text.splitlines(), 1):
            if match := INCLUDE.match(line):
                problem = self.quoted(path, match[1]) if match[1] else system(path, match[2])
                if problem:
                    yield Finding(path, number, problem)

    def quoted(self, path: str, target: str) -> str | None:
        """The problem with including a header of the project, or None."""
        if ".." in target.split("/"):
            return f"'{target}': a path with .. goes round the walls"
        room = room_of(path)
        if room is None or room not in ROOMS:
            return None
        name = os.path.basename(target)
        home = GENERATED.get(name) or self.by_name.get(name, [""])[0]
        if not home:
            return f"'{target}' is not in the tree; a library's header stands in <>"
        if name.endswith("_internal.h") and room_of(home) != room:
            return f"'{name}' is private to {os.path.dirname(home)}"
        return None if allows(room, home) else f"{room} may not include {home}"


def system(path: str, header: str) -> str | None:
    """The problem with including a header of the system, or None."""
    room = room_of(path)
    if room is None or room in PLATFORM_ROOMS or room.startswith("driver/"):
        return None
    if room == "base" and header in NOT_IN_BASE:
        return f"<{header}>: base is C without an operating system"
    if header in STANDARD or header.startswith(LIBRARY_HEADERS.get(room, ("\0",))):
        return None
    return f"<{header}> is not standard C; {room} asks os.h for what the system does"


def check_macros(path: str, text: str) -> Iterator[Finding]:
    if room_of(path) in PLATFORM_ROOMS or path in PLATFORM_MACRO_FILES:
        return
    for number, line in enumerate(blank_out(text).splitlines(), 1):
        if match := PLATFORM_MACROS.search(line):
            yield Finding(path, number, f"{match[1]}: platform code is chosen by file, in os/ and the rooms that measure")


def check_paths(path: str, text: str) -> Iterator[Finding]:
    if room_of(path) in PLATFORM_ROOMS:
        return
    for match in NOISE.finditer(text):
        literal = match[0]
        if literal.startswith('"') and SYSTEM_PATHS.search(literal[1:-1]):
            yield Finding(path, text.count("\n", 0, match.start()) + 1,
                          f"{literal}: such a path stands in os/ and the rooms that measure; os_paths.h has functions for them")


def check_words(path: str, text: str) -> Iterator[Finding]:
    words, why = ROOM_WORDS.get(room_of(path) or "", (None, ""))
    for number, line in enumerate(blank_out(text).splitlines() if words else (), 1):
        if match := words.search(line):
            yield Finding(path, number, f"{match[0]}: {why}")


def check_calls(path: str, text: str) -> Iterator[Finding]:
    for number, line in enumerate(blank_out(text).splitlines(), 1):
        for match in CALL.finditer(line):
            if problem := call_problem(path, match[1]):
                yield Finding(path, number, problem)


def call_problem(path: str, name: str) -> str | None:
    if path in CALL_FILES.get(name, ()):
        return None
    if name in UNSAFE:
        return f"{name}() is banned"
    if name == "strtod":
        return "strtod() depends on the locale; base/text.h has the parsers"
    if name not in CALL_ROOMS or room_of(path) in CALL_ROOMS[name]:
        return None
    return f"{name}() may stand only in {' and '.join(CALL_ROOMS[name])}"


def table_rows() -> list[str]:
    """The rules in the format of the table in ARCHITECTURE.md."""
    rows = ["| room | may include |", "|---|---|"]
    for room, allowed in ROOMS.items():
        rows.append(f"| {room} | {', '.join(allowed) or 'nothing of ours'} |")
    return rows


def check_wings() -> Iterator[Finding]:
    """The table of rooms must keep the order of the wings."""
    for room, allowed in ROOMS.items():
        for name in allowed:
            target = name if name in ROOMS else os.path.dirname(name)
            if is_below(room, target):
                yield Finding("tools/check_layers.py", 1, f"{room} may include {name}, whose wing is {wing_of(target)}")


def wing_rows() -> list[str]:
    """How the rows of the table of wings in ARCHITECTURE.md begin."""
    return ["| wing | rooms |", "|---|---|---|"] + [f"| {wing} | {', '.join(rooms)} |" for wing, rooms in WINGS.items()]


def check_readmes(root: str) -> Iterator[Finding]:
    """Each wing has a page that names its rooms."""
    for wing, rooms in WINGS.items():
        name = f"src/{wing}/README.md"
        try:
            with open(os.path.join(root, name), encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            yield Finding(name, 1, "is missing")
            continue
        if missing := [room for room in rooms if f"`{room}`" not in text]:
            yield Finding(name, 1, f"does not name {' and '.join(missing)}")
        if text.count("\n") > 14:
            yield Finding(name, 1, "has more than 14 lines")


def check_document(root: str) -> Iterator[Finding]:
    """ARCHITECTURE.md must have the rows of both tables."""
    name = "ARCHITECTURE.md"
    try:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        yield Finding(name, 1, "is missing")
        return
    yield from check_table(name, lines, table_rows() + [""], is_whole=True)
    yield from check_table(name, lines, wing_rows(), is_whole=False)


def check_table(name: str, lines: list[str], rows: list[str], is_whole: bool) -> Iterator[Finding]:
    """The table that begins with rows[0]; `is_whole`: rows are whole lines, else how lines begin."""
    first = next((number for number, line in enumerate(lines) if line.startswith(rows[0])), None)
    if first is None:
        yield Finding(name, 1, f"has no table that begins with '{rows[0]}'")
        return
    for offset, row in enumerate(rows):
        number = first + offset
        line = lines[number] if number < len(lines) else ""
        if line != row if is_whole else not line.startswith(row):
            yield Finding(name, number + 1, f"differs from the rules; should be '{row}'")
            return


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the layers of src/.")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), ".."), help="the project")
    parser.add_argument("--self-test", action="store_true", help="show on a small tree that each rule is caught")
    parser.add_argument("--table", action="store_true", help="print the table for ARCHITECTURE.md")
    options = parser.parse_args()
    if options.table:
        print("\n".join(table_rows()))
        return 0
    if options.self_test:
        import check_layers_cases
        return check_layers_cases.main()
    root = os.path.normpath(options.root)
    findings = [*check_wings(), *Tree(root).findings(), *check_document(root), *check_readmes(root)]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
