"""The self-test of check_layers.py: a small tree that keeps all rules, with one error in each case."""
import os
import tempfile

from check_layers import ROOMS, WINGS, Tree, check_document, check_readmes, check_wings, table_rows, wing_rows

CLEAN = {
    "ARCHITECTURE.md": "\n".join(["# Rooms", "", *wing_rows(), "", *table_rows(), "", "More."]),
    **{f"src/{wing}/README.md": " ".join(f"`{room}`" for room in rooms) for wing, rooms in WINGS.items()},
    "src/base/err.h": "/* exit() in a comment, and a word on _WIN32 */\n#include <stdint.h>\n",
    "src/base/attributes.h": "#ifdef _WIN32\n#endif\n",
    "src/base/mem.c": "#include <stdlib.h>\nvoid f(void) { abort(); }\n",
    "src/base/text.c": "double g(const char *t) { return strtod(t, 0); }\n",
    "src/system/os/os.h": '#include "err.h"\n',
    "src/system/os/os_linux.c": "#include <unistd.h>\nchar *p = \"/proc/self\";\n#ifdef __linux__\nchar *e(void) { return getenv(\"A\"); }\n#endif\n",
    "src/system/codec/codec_zlib.c": "#include <zlib.h>\n",
    "src/session/perfdata/record.h": '#include "err.h"\n',
    "src/session/perfdata/perfdata_writer.h": '#include "os.h"\n',
    "src/names/symbols/resolver.h": '/* as "/proc/kallsyms" */\n#include "err.h"\nchar *p = "/sys or /tmp";\n',
    "src/formats/demangle/demangle.h": '#include "err.h"\n',
    "src/formats/demangle/demangle_internal.h": '#include "demangle.h"\n',
    "src/formats/demangle/demangle.c": '#include "demangle_internal.h"\nstatic const char *t = "system(1)";\n',
    "src/profile/analyze/profile.h": '#include "record.h"\n#include "resolver.h"\n',
    "src/profile/stack/calltree.h": '#include "err.h"\n',
    "src/show/tables/table.c": '#include "err.h"\n#include "calltree.h"\n',
    "src/measure/sampling/collector.c": '#include <sys/ioctl.h>\n#include "abi.h"\n#include "record.h"\n',
    "src/program/cli/main.c": '#include "profile.h"\n#include "git_version.h"\nint main(void) { printf("x"); exit(0); }\n',
    "include/wperf.h": "#include <stddef.h>\n",
    "driver/abi.h": "#include <stdint.h>\n",
    "driver/core/counter.c": '#include "abi.h"\n',
    "tests/unit/test_table.c": '#include <unistd.h>\n#include "profile.h"\nvoid t(void) { printf("ok"); }\n',
    "tests/data/common.c": '#include "../x.h"\n',
}

# name of the case, the file, its text, a part of the finding
BROKEN = [
    ("a lower room includes a higher one", "src/base/buf.c", '#include "os.h"\n', "base may not include src/system/os/os.h"),
    ("rooms of one layer include each other", "src/system/codec/codec.c", '#include "os.h"\n', "codec may not include"),
    ("symbol includes session", "src/names/symbols/symtab.c", '#include "record.h"\n', "symbols may not include"),
    ("analyze includes more of symbol than the resolver", "src/profile/analyze/profile.c", '#include "demangle.h"\n',
     "analyze may not include src/formats/demangle/demangle.h"),
    ("analyze writes sessions", "src/profile/analyze/profile.c", '#include "perfdata_writer.h"\n', "analyze may not include"),
    ("view includes more of analyze than its rows", "src/show/tables/flame.c", '#include "profile.h"\n',
     "tables may not include"),
    ("view includes session", "src/show/tables/flame.c", '#include "record.h"\n', "tables may not include"),
    ("the driver includes src", "driver/hw/pmu.c", '#include "err.h"\n', "driver/hw may not include"),
    ("the C API includes a room", "include/wperf.h", '#include "err.h"\n', "include may not include"),
    ("a private header outside its room", "src/program/cli/main.c", '#include "demangle_internal.h"\n', "is private to"),
    ("a generated header outside its room", "src/system/os/os.c", '#include "git_version.h"\n', "os may not include"),
    ("a header of ours that is nowhere", "src/system/os/os.c", '#include "nowhere.h"\n', "is not in the tree"),
    ("an OS header in base", "src/base/buf.c", "#include <unistd.h>\n", "is not standard C"),
    ("a clock in base", "src/base/buf.c", "#include <time.h>\n", "base is C without"),
    ("an OS header beside the platform rooms", "src/events/event/pmu.c", "#include <sys/stat.h>\n", "is not standard C"),
    ("a library outside its room", "src/formats/object/elf.c", "#include <zlib.h>\n", "is not standard C"),
    ("_WIN32 outside the platform rooms", "src/events/event/pmu.c", "int a;\n#ifdef _WIN32\n#endif\n", "_WIN32"),
    ("__linux__ outside the platform rooms", "src/base/json.c", "#if defined(__linux__)\n#endif\n", "__linux__"),
    ("a relative include", "src/program/cli/main.c", '#include "../base/err.h"\n', "goes round the walls"),
    ("a relative include in a test", "tests/unit/test_x.c", '#include "../tap.h"\n', "goes round the walls"),
    ("one name twice", "src/system/os/err.h", "\n", "stands already at src/base/err.h"),
    ("a name that says nothing", "src/base/string_util.c", "\n", "says nothing"),
    ("a room in another wing", "src/show/os/wait.c", "\n", "os is the room src/system/os"),
    ("a room beside the wings", "src/os/wait.c", "\n", "os is the room src/system/os"),
    ("a page of a wing that leaves out a room", "src/events/README.md", "`event`\n", "does not name grammar"),
    ("a page of a wing that is a book", "src/events/README.md", "`event` `grammar`\n" * 15, "more than 14 lines"),
    ("a table of wings that differs", "ARCHITECTURE.md", CLEAN["ARCHITECTURE.md"].replace("| events | event", "| events | other"),
     "should be '| events | event, grammar |'"),
    ("a folder that is no room", "src/extra/thing.c", "\n", "no room of the table"),
    ("exit below cli", "src/formats/object/elf.c", "void f(void) { exit(1); }\n", "exit()"),
    ("exit where memory runs out", "src/base/mem.c", "void f(void) { exit(125); }\n", "exit()"),
    ("abort below cli", "src/formats/object/elf.c", "void f(void) { abort(); }\n", "abort()"),
    ("printing below cli", "src/show/tables/table.c", 'void f(void) { printf("x"); }\n', "printf()"),
    ("fprintf below cli", "src/system/os/os_linux.c", 'void f(void) { fprintf(stderr, "x"); }\n', "fprintf()"),
    ("a standard stream below output", "src/show/tables/table.c", "void f(void) { os_write_stream(1, 0, 0, 0); }\n",
     "os_write_stream()"),
    ("a fork beside threads", "src/measure/sampling/collector.c", "int f(void) { return fork(); }\n", "fork()"),
    ("a thread that is not counted", "src/measure/sampling/collector.c", "void f(void) { pthread_create(0, 0, 0, 0); }\n",
     "pthread_create()"),
    ("getenv outside os", "src/program/cli/main.c", 'void f(void) { getenv("A"); }\n', "getenv()"),
    ("the environment below cli", "src/formats/demangle/demangle.c", 'void f(void) { os_environment("A"); }\n', "os_environment()"),
    ("analyze asks of what kind a module is", "src/profile/analyze/hot.c",
     "\nint f(const struct module *m) { return m->kind == MODULE_ANON || m->id == MODULE_NONE; }\n",
     "src/profile/analyze/hot.c:2: MODULE_ANON"),
    ("stack asks of what kind a module is", "src/profile/stack/stacks.c",
     "\nint f(const struct module *m) { return m->kind == MODULE_ANON; }\n", "src/profile/stack/stacks.c:2: MODULE_ANON"),
    ("a path of /proc outside the platform rooms", "src/events/event/event.c", 'const char *p = "/proc/kallsyms";\n', "/proc/kallsyms"),
    ("a path of /sys inside a message", "src/show/tables/table.c", '\nconst char *p = "mount -t x nodev /sys/kernel/x";\n',
     "table.c:2: \"mount"),
    ("the folder /tmp", "src/program/cli/main.c", 'const char *p = "/tmp";\n', "such a path stands in os/"),
    ("strtod outside text", "src/events/event/event.c", "void f(void) { strtod(0, 0); }\n", "strtod()"),
    ("a document that differs", "ARCHITECTURE.md", CLEAN["ARCHITECTURE.md"].replace("| os | base |", "| os | all |"),
     "differs from the rules"),
    ("a document with a room too many", "ARCHITECTURE.md", CLEAN["ARCHITECTURE.md"].replace("\n\nMore", "\n| x | y |\n\nMore"),
     "differs from the rules"),
    ("a document without the table of rooms", "ARCHITECTURE.md", "\n".join(wing_rows()), "has no table"),
    ("a document without the table of wings", "ARCHITECTURE.md", "\n".join(table_rows()), "has no table"),
] + [
    (f"{name} is banned", "src/program/cli/main.c", f"void f(char *a)\n{{\n        {name} (a);\n}}\n", f"main.c:3: {name}()")
    for name in ("strcpy", "strcat", "sprintf", "strtok", "atoi", "gets", "alloca", "system")
]


def findings_of(files: dict[str, str]) -> list[str]:
    """Writes the tree, checks it and removes it."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return [str(finding) for finding in [*Tree(root).findings(), *check_document(root), *check_readmes(root)]]


def report(number: int, good: bool, name: str, findings: list[str]) -> bool:
    if not good:
        print("\n".join(f"# {finding}" for finding in findings or ["nothing found"]))
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    return good


def main() -> int:
    print(f"1..{len(BROKEN) + 3}")
    findings = findings_of(CLEAN)
    good = report(1, not findings, "a tree that keeps to the rules", findings)
    for number, (name, path, text, expected) in enumerate(BROKEN, 2):
        findings = findings_of({**CLEAN, path: text})
        caught = len(findings) == 1 and expected in findings[0] and findings[0].startswith(path + ":")
        good = report(number, caught, name, findings) and good
    good = report(len(BROKEN) + 2, not list(check_wings()), "the table keeps the order of the wings", []) and good
    ROOMS["event"] += ("report/report.h",)
    findings = [str(finding) for finding in check_wings()]
    caught = len(findings) == 1 and "event may include report/report.h, whose wing is profile" in findings[0]
    good = report(len(BROKEN) + 3, caught, "a room that may include a wing below its own", findings) and good
    return 0 if good else 1
