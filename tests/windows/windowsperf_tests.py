#!/usr/bin/python3
"""By hand: WindowsPerf's own tests, with wperf.exe under wine and the driver that answers like WPERFDRIVER.

usage: windowsperf_tests.py BUILD TESTS [PYTEST-ARGUMENT]...

BUILD is the folder of a build for Windows on x86-64, TESTS the folder wperf-scripts/tests of WindowsPerf's repository. Needs Debian's
python3-pytest and python3-jsonschema. docs/windowsperf-tests.md says why the tests fail that do.
"""
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile

WINE = shlex.split(os.environ.get("WPERF_TEST_WRAPPER", "/usr/lib/wine/wine64"))
# With two clusters of four cores, and two memory controllers.
ENVIRONMENT = dict(os.environ, WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree=d;mshtml=d;cfgmgr32=n,b", PYTHONDONTWRITEBYTECODE="1",
                   FAKE_CLUSTERS="4,4", FAKE_MEMORY="2")
# The output goes to files, because wine's services hold a pipe for ever.
WPERF = """#!/bin/sh
out=$(mktemp) err=$(mktemp)
{wine} {wperf} "$@" >"$out" 2>"$err" </dev/null
status=$?
cat "$out"
cat "$err" >&2
rm -f "$out" "$err"
exit $status
"""
# Windows takes a command line as one text.
PLUGIN = """
import shlex, subprocess
import os
begin = subprocess.Popen.__init__
def begin_split(self, args, *rest, **options):
    begin(self, shlex.split(args) if isinstance(args, str) and not options.get("shell") else args, *rest, **options)
subprocess.Popen.__init__ = begin_split
os.cpu_count = lambda: {cores}
"""
# Some tests take every eighth core.
CORES = 8
# Settings 10 and 11 of fake_requests.h: the driver has SPE.
SPE = ("10", "100", "11", "10")


def quiet(*argv: str) -> None:
    with tempfile.TemporaryFile() as out:
        done = subprocess.run([*WINE, *argv], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=ENVIRONMENT, timeout=100, check=False)
        out.seek(0)
        if done.returncode and argv[-1] not in ("stop", "remove"):
            sys.exit(f"{argv}: {out.read().decode(errors='replace')}")


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, tests = map(os.path.abspath, sys.argv[1:3])
    windows = os.path.join(build, "tests", "windows")
    drive = os.path.join(windows, "drive_fake.exe")
    # Wine ends its services, and with them the driver, some seconds after the last other program has ended.
    keeper = subprocess.Popen([*WINE, "cmd.exe"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=ENVIRONMENT)
    for words in (("stop",), ("remove",), ("install", os.path.join(windows, "fake_wperfdriver.sys")), ("start",),
                  ("set", "2", str(CORES), *SPE)):
        quiet(drive, *words)
    with tempfile.TemporaryDirectory() as folder:
        # The library that finds devices lies beside the program.
        for file in (os.path.join(build, "src", "program", "cli", "wperf.exe"), os.path.join(windows, "cfgmgr32.dll")):
            shutil.copy(file, folder)
        wperf = os.path.join(folder, "wperf")
        write(wperf, WPERF.format(wine=shlex.join(WINE), wperf=shlex.quote(os.path.join(folder, "wperf.exe"))))
        os.chmod(wperf, stat.S_IRWXU)
        write(os.path.join(folder, "as_on_windows.py"), PLUGIN.format(cores=CORES))
        environment = dict(ENVIRONMENT, PATH=folder + os.pathsep + os.environ["PATH"], PYTHONPATH=folder)
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "as_on_windows", "-p", "no:cacheprovider", "-rfEs", "--tb=short",
                               *sys.argv[3:]], cwd=tests, env=environment, check=False)
    for word in ("stop", "remove"):
        quiet(drive, word)
    keeper.stdin.close()
    keeper.wait(100)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
