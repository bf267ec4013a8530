#!/usr/bin/python3
"""libwperf on Windows: examples/hot.c, with the DLL and with the static library, must print the rows of wperf.exe for each session.

usage: test_library.py WPERF.EXE FOLDER_OF_THE_DLL HOT.EXE HOT_STATIC.EXE SESSION...
WPERF_TEST_WRAPPER: the program that runs Windows programs on other systems (wine64)."""
import json
import os
import re
import shlex
import sys

from test_reading import run

WRAPPER = shlex.split(os.environ.get("WPERF_TEST_WRAPPER", ""))
ROW = re.compile(r"^ *[\d.]+ % +(\d+)  (\S+)$", re.M)
MOST_ROWS = 10  # of the example


def wanted(wperf: str, session: str) -> list[tuple[int, str]]:
    status, out, err = run(WRAPPER + [wperf, "report", "-i", session, "--json"])
    if status:
        raise AssertionError(f"wperf.exe failed: {err}")
    events = json.loads(out)["sampling"]["events"]
    return [(row["count"], row["symbol"].split(":")[0]) for event in events for row in event["samples"][:MOST_ROWS]]


def check_rows(program: str, wperf: str, session: str) -> None:
    status, out, err = run(WRAPPER + [program, session])
    shown = [(int(count), name.split(":")[0]) for count, name in ROW.findall(out)]
    if status or not shown or shown != wanted(wperf, session):
        raise AssertionError(f"status {status}, {shown} in place of {wanted(wperf, session)}: {err}")


def check_refusal(program: str) -> None:
    status, out, err = run(WRAPPER + [program, "no-such.data"])
    if status != 1 or out or not re.fullmatch(r"hot: no-such\.data: .*\n", err):
        raise AssertionError(f"status {status}: {out}{err}")


def main() -> int:
    wperf, folder, *programs = [os.path.abspath(name) for name in sys.argv[1:5]]
    os.environ["WINEPATH"] = folder
    os.environ["PATH"] += os.pathsep + folder
    cases = []
    for program in programs:
        cases += [(f"{os.path.basename(program)} {os.path.basename(session)}", check_rows, (program, wperf, os.path.abspath(session)))
                  for session in sys.argv[5:]]
        cases.append((f"{os.path.basename(program)} without a session", check_refusal, (program,)))
    failed = 0
    print(f"1..{len(cases)}")
    for number, (name, function, arguments) in enumerate(cases, 1):
        try:
            function(*arguments)
            print(f"ok {number} - {name}")
        except AssertionError as error:
            failed += 1
            print(f"# {error}\nnot ok {number} - {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
