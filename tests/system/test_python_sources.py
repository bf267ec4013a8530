#!/usr/bin/python3
"""Sessions of Python programs after the recording."""
import os
import re

import harness
from harness import Context, Skip, check

PYTHON = "/usr/bin/python3.11"
BODY = "def work(n):\n    return sum(i * i for i in range(n))\n\n\nfor _ in range(40):\n    work(50000)\n"
CHANGED = "note: the source file has changed since the recording: line numbers may be wrong"


def record(t: Context, name: str = "app.py", body: str = BODY) -> str:
    """The path of the program of the session."""
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)
    path = t.path(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(body)
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--session", t.path("s.data"), "--", PYTHON, path)
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    check(done.status == 0, "a session", done)
    return path


def annotated(t: Context, session: str) -> str:
    return t.good("annotate", "app.py", "-i", t.path(session)).out


def test_annotate_says_that_the_source_has_changed(t: Context) -> None:
    path = record(t)
    check("changed" not in annotated(t, "s.data"), "the same source")
    t.good("archive", "-i", t.path("s.data"), "-o", t.path("packed.data"))
    before = os.stat(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    check(CHANGED in annotated(t, "s.data"), "another time")
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    check(CHANGED in annotated(t, "s.data"), "another size")
    check("changed" not in annotated(t, "packed.data"), "the source that was packed")


def test_the_source_is_found_by_the_process(t: Context) -> None:
    """Its path may be relative to the folder in which the program was started."""
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)
    os.mkdir(t.path("sub"))
    with open(t.path("sub/app.py"), "w", encoding="utf-8") as file:
        file.write(BODY.replace("range(40)", "range(400)"))  # the process must still exist when a slow recorder looks at it
    run = "exec(compile(open('app.py').read(), 'app.py', 'exec'))"
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--session", t.path("s.data"), "--", "sh", "-c",
                  f'cd sub && exec {PYTHON} -c "{run}"')
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    size = os.stat(t.path("sub/app.py")).st_size
    check(f"file app.py size {size} " in t.good("dump", "-i", t.path("s.data")).out, "the file below the process's folder", done)


if __name__ == "__main__":
    harness.main(__name__)
