#!/usr/bin/python3
"""pack_windows.py BUILD WPERF FOLDER   Copies the unit and fuzz tests of a Windows build, the files that they read, and
packed_tests.json (their list, for tools/run_tests.py) into FOLDER, with the test of recording.  Also writes what WPERF, a Linux
build of the same source, prints for the sessions in tests/replay; tests/windows/test_reading.py compares with it."""
import json
import pathlib
import shutil
import sys

from run_tests import PACKED, list_tests, suite_of

PROJECT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "tests/windows"))

from reading_cases import expected  # noqa: E402

SUITES = ("unit", "fuzz")
FOLDERS = ("tests/data", "tests/fuzz/corpus", "tests/replay", "tests/windows")


def copy_programs(build: pathlib.Path, pack: pathlib.Path) -> None:
    """They have the same paths as in the project, because tests find the files that they read relative to their own
    path."""
    for program in sorted([*build.rglob("*.exe"), *build.rglob("*.dll")]):
        to = pack / program.relative_to(PROJECT)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(program, to)


def python_test(build: pathlib.Path, name: str, is_parallel: bool, argument: str) -> dict:
    """A test of wperf.exe in Python."""
    folder = f"@PACK@/{build.relative_to(PROJECT)}"
    return {"name": f"test_{name}", "suite": [f"wperf:{name}"], "protocol": "tap", "timeout": 300, "is_parallel": is_parallel,
            "env": {}, "workdir": "@PACK@/tests/replay",
            "cmd": ["@PYTHON@", f"@PACK@/tests/windows/test_{name}.py", f"{folder}/src/program/cli/wperf.exe",
                    argument.replace("@BUILD@", folder)]}


def write_list(build: pathlib.Path, pack: pathlib.Path) -> None:
    tests = [test for test in list_tests(str(build)) if suite_of(test) in SUITES]
    for test in tests:
        test["workdir"] = test["workdir"] or str(build)
    tests.append(python_test(build, "reading", True, "@PACK@/expected.json"))
    # By itself, because it measures times.
    tests.append(python_test(build, "recording", False, "@BUILD@/tests/windows"))
    (pack / PACKED).write_text(json.dumps(tests, indent=1).replace(f"{PROJECT}/", "@PACK@/"), encoding="utf-8")


def write_expected(wperf: str, pack: pathlib.Path) -> None:
    sessions = sorted((PROJECT / "tests/replay").glob("*.data"))
    (pack / "expected.json").write_text(json.dumps(expected(wperf, sessions), indent=1), encoding="utf-8")


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    build, pack = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    if PROJECT not in build.parents:
        sys.exit(f"pack_windows.py: {build} is not in {PROJECT}")
    shutil.rmtree(pack, ignore_errors=True)
    for folder in FOLDERS:
        shutil.copytree(PROJECT / folder, pack / folder, ignore=shutil.ignore_patterns("__pycache__"))
    copy_programs(build, pack)
    write_list(build, pack)
    write_expected(sys.argv[2], pack)


if __name__ == "__main__":
    main()
