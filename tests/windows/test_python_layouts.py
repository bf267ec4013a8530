#!/usr/bin/python3
"""The offsets of CPython's fields on Windows: what the compiler for Windows says of CPython's own headers. Usage: test_python_layouts.py
LAYOUTS.EXE COMPILER. WPERF_TEST_WRAPPER: the program that runs Windows programs on other systems (wine64)."""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

WRAPPER = shlex.split(os.environ.get("WPERF_TEST_WRAPPER", ""))
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("/usr/include/python3.*", os.path.expanduser("~/.pyenv/versions/3.*/include/python3.*"))
# The locks before this field have another size on Windows, and wperf does not read it there.
NOT_READ = {"runtime_current"}


def run(folder: str, *argv: str) -> str:
    """Output goes to a file: wine's services hold a pipe for ever."""
    path = os.path.join(folder, "out")
    with open(path, "wb") as file:
        subprocess.run([*WRAPPER, *argv], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL, check=True, timeout=100)
    with open(path, encoding="ascii") as file:
        return file.read()


def offsets(text: str) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split() for line in text.splitlines()) if name not in NOT_READ}


def wanted(compiler: str, headers: str, folder: str) -> dict[str, int]:
    """What the headers say. Headers for Linux include some that MinGW does not have."""
    program, copy = os.path.join(folder, "headers.exe"), os.path.join(folder, "include")
    shutil.copytree(headers, copy)
    os.makedirs(os.path.join(copy, "sys"), exist_ok=True)
    for name in ("crypt.h", "dlfcn.h", "sys/select.h"):
        with open(os.path.join(copy, name), "wb"):
            pass
    shutil.copy(os.path.join(HERE, "python_config.h"), os.path.join(copy, "pyconfig.h"))
    subprocess.run([compiler, "-w", f"-I{copy}", "-o", program, os.path.join(HERE, "..", "system", "python_headers.c")], check=True,
                   timeout=100)
    return offsets(run(folder, program))


def main() -> int:
    layouts, compiler = sys.argv[1:3]
    found = {}
    for headers in sorted(path for pattern in FOLDERS for path in glob.glob(pattern)):
        match = re.search(r"python3\.(\d+)d?$", headers)
        minor = int(match[1]) if match else 0
        if 8 <= minor <= 12 and os.path.exists(os.path.join(headers, "Python.h")):
            found[minor] = headers
    print(f"1..{max(len(found), 1)}")
    if not found:
        print("ok 1 - offsets # SKIP headers of CPython 3.8 to 3.12")
    failed = 0
    for number, (minor, headers) in enumerate(sorted(found.items()), 1):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            theirs, ours = wanted(compiler, headers, folder), offsets(run(folder, layouts, str(minor)))
        # Some fields are not in all headers' programs, some not in all layouts.
        differ = {name: (theirs[name], ours[name]) for name in theirs.keys() & ours.keys() if theirs[name] != ours[name]}
        ok = not differ and len(theirs.keys() & ours.keys()) >= 15
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - offsets of 3.{minor}")
        if not ok:
            print(f"# {headers}: theirs, ours: {differ}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
