"""The CPython interpreters of this machine: Debian's, pyenv's if it is installed, and those of tools/newest_pythons.sh if its
folder is there."""
import glob
import os
import pwd
import re

import harness
from harness import Context, Skip, check

HERE = os.path.dirname(os.path.abspath(__file__))
PYENV = os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".pyenv", "versions")
NEWEST = os.environ.get("NEWEST_PYTHONS", "/var/tmp/newest-pythons")
# Program, headers and the file of the interpreter, as patterns.
DEBIAN = {
    "python3": ("/usr/bin/python3.[0-9]*[0-9]", "/usr/include/{name}", "{program}"),
    "python3-dbg": ("/usr/bin/python3.[0-9]*d", "/usr/include/{name}", "{program}"),
}
# These are on the list of tests where they are installed.
OTHERS = {
    f"pyenv 3.{minor}": (f"{PYENV}/3.{minor}.*/bin/python3.{minor}", "{prefix}/include/{name}", "{prefix}/lib/lib{name}.so.1.0")
    for minor in range(8, 16)
} | {
    f"newest {name}": (f"{NEWEST}/usr/bin/python{name}", "{prefix}/include/{name}", "{program}")
    for name in ("3.14", "3.14d", "3.15", "3.15d")
}
PYTHONS = DEBIAN | OTHERS


def installed() -> list[str]:
    """Debian's in any case: where one of them is missing, its tests say so."""
    return [kind for kind in PYTHONS if kind in DEBIAN or glob.glob(PYTHONS[kind][0])]


def has_tasks(kind: str) -> bool:
    """Whether the interpreter says where tasks of asyncio are."""
    return re.search(r"3\.1[45]", kind) is not None


def newest_with_tasks() -> str:
    return next((kind for kind in installed() if has_tasks(kind)), "newest 3.14")


def find_python(kind: str) -> str:
    found = sorted(glob.glob(PYTHONS[kind][0]))
    if not found:
        raise Skip(f"{kind}, an interpreter")
    return found[-1]


def find_file(kind: str, i: int) -> str:
    """The interpreter's headers (1) or its file (2)."""
    program = find_python(kind)
    path = PYTHONS[kind][i].format(program=program, name=os.path.basename(program),
                                   prefix=os.path.dirname(os.path.dirname(program)))
    if not os.path.exists(path):
        raise Skip(path)
    return path


def include_options(kind: str) -> list[str]:
    """For gcc: the interpreter's headers; those of Debian include one from the folder above."""
    headers = find_file(kind, 1)
    return [f"-I{headers}", f"-I{headers}/internal", "-idirafter", os.path.dirname(headers)]


def field_offsets(t: Context, kind: str) -> str:
    """The offsets of fields of structs in the interpreter's own headers: lines of name and number."""
    built = t.run(harness.need_tool("gcc"), "-w", *include_options(kind), "-o", t.path("offsets"),
                  os.path.join(HERE, "python_headers.c"))
    check(built.status == 0, "python_headers.c", built)
    return t.run(t.path("offsets")).out
