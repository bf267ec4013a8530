#!/usr/bin/python3
"""Reading commands on Windows: wperf.exe must print the same for sessions as a Linux build of the same source.

usage: test_reading.py WPERF.EXE EXPECTED.JSON      in the folder of the sessions; tools/pack_windows.py writes EXPECTED.JSON
       test_reading.py WPERF.EXE --as WPERF SESSION...    on Linux, where WPERF is that build

WPERF_TEST_WRAPPER: the program that runs Windows programs on other systems (wine64)."""
import difflib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from reading_cases import expected


# Wine's services print this to the standard error of the program that made wine start them.
WINE_NOTICE = re.compile(r"Wine cannot find the FreeType font library\..*\n.*\n.*\nhttp://www\.freetype\.org\n")


def run(argv: list[str]) -> tuple[int, str, str]:
    """Output goes to files: wine's services hold a pipe for ever."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        status = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False, timeout=60).returncode
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace").replace("\r\n", "\n"))
    return status, texts[0], WINE_NOTICE.sub("", texts[1])


def read_cases(arguments: list[str]) -> list[dict]:
    if arguments[0] != "--as":
        with open(arguments[0], encoding="utf-8") as file:
            return json.load(file)
    sessions = [pathlib.Path(name).resolve() for name in arguments[2:]]
    cases = expected(arguments[1], sessions)
    os.chdir(sessions[0].parent)
    return cases


def main() -> int:
    wperf = shlex.split(os.environ.get("WPERF_TEST_WRAPPER", "")) + [os.path.abspath(sys.argv[1])]
    cases = read_cases(sys.argv[2:])
    failed = 0
    print(f"1..{len(cases)}")
    for number, case in enumerate(cases, 1):
        want = (case["status"], case["out"], case["err"])
        got = run(wperf + case["argv"])
        failed += got != want
        print(f"{'ok' if got == want else 'not ok'} {number} - {' '.join(case['argv'])}")
        if got != want:
            print(f"# status {got[0]}, expected {want[0]}")
            for before, after in zip(want[1:], got[1:]):
                for line in list(difflib.unified_diff(before.splitlines(), after.splitlines(), "Linux", "here", lineterm=""))[:40]:
                    print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
