#!/usr/bin/python3
"""The tests of run_tests.py: outputs of programs and their results."""
import subprocess
import sys

from run_tests import Result, judge, kill_group, merge, reason_in, wait_for

# name, protocol, exit status, output, (passed, failed, skipped), a part of a failure or a skip
CASES = [
    ("all pass", "tap", 0, "1..2\nok 1 - a\nok 2 - b\n", (2, 0, 0), ""),
    ("lines of Windows", "tap", 0, "1..1\r\nok 1 - a\r\n", (1, 0, 0), ""),
    ("the plan at the end", "tap", 0, "ok 1 - a\n# word\n1..1\n", (1, 0, 0), ""),
    ("no numbers", "tap", 0, "1..2\nok\nok - b\n", (2, 0, 0), ""),
    ("one fails", "tap", 1, "1..2\nok 1 - a\nnot ok 2 - b\n", (1, 1, 0), "b"),
    ("a failure with exit status 0", "tap", 0, "1..1\nnot ok 1 - a\n", (0, 1, 0), "a"),
    ("a skip is no pass", "tap", 0, "1..2\nok 1 - a # SKIP no PMU\nok 2 - b\n", (1, 0, 1), "a: no PMU"),
    ("a whole program skipped", "tap", 0, "1..0 # SKIP not root\n", (0, 0, 1), "not root"),
    ("an empty plan without a reason", "tap", 0, "1..0\n", (0, 1, 0), "without a reason"),
    ("no output", "tap", 0, "", (0, 1, 0), "no plan"),
    ("no plan", "tap", 0, "ok 1 - a\n", (1, 1, 0), "no plan"),
    ("ends early", "tap", 0, "1..3\nok 1 - a\n", (1, 1, 0), "planned 3 tests, saw 1"),
    ("more than planned", "tap", 0, "1..1\nok 1 - a\nok 2 - b\n", (2, 1, 0), "planned 1 tests, saw 2"),
    ("two plans", "tap", 0, "1..1\nok 1 - a\n1..1\n", (1, 1, 0), "a second plan"),
    ("a number left out", "tap", 0, "1..1\nok 2 - b\n", (1, 1, 0), "test 2 where 1 was due"),
    ("all pass, then a leak", "tap", 23, "1..1\nok 1 - a\n", (1, 1, 0), "exit status 23"),
    ("killed", "tap", -11, "1..1\nok 1 - a\n", (1, 1, 0), "killed by signal 11"),
    ("bails out", "tap", 0, "1..1\nok 1 - a\nBail out! no disk\n", (1, 1, 0), "no disk"),
    ("a word that begins with ok", "tap", 0, "1..1\nokay\nok 1 - a\n", (1, 0, 0), ""),
    ("by exit status, good", "exitcode", 0, "", (1, 0, 0), ""),
    ("by exit status, bad", "exitcode", 1, "", (0, 1, 0), "exit status 1"),
    ("by exit status, skipped", "exitcode", 77, "no perf\n", (0, 0, 1), "no perf"),
]

TWO, ONE = "1..2\nnot ok 1 - a\nnot ok 2 - b\n", "1..2\nok 1 - a\nnot ok 2 - b\n"
GOOD, OTHER = "1..2\nok 1 - a\nok 2 - b\n", "1..2\nnot ok 1 - a\nok 2 - b\n"
# name, output and exit status of both runs, (passed, failed), unsteady
AGAIN = [
    ("again, all pass", (ONE, 1), (GOOD, 0), (2, 0), ["b"]),
    ("again, the same fails", (ONE, 1), (ONE, 1), (1, 1), []),
    ("again, one of two fails", (TWO, 1), (ONE, 1), (1, 1), ["a"]),
    ("again, another fails", (ONE, 1), (OTHER, 1), (2, 0), ["b"]),
    ("again, killed at first", (GOOD, -11), (ONE, 1), (2, 1), []),
    ("again, killed at last", (ONE, 1), (GOOD, -11), (1, 1), []),
    ("again, killed and then good", (GOOD, -11), (GOOD, 0), (2, 0), ["killed by signal 11"]),
]

SAID = "1..3\n# test_x.py:1: of another\nok 1 - a\n# 0.1 s\n# test_x.py:2: AssertionError: 3 of 4\n# status 0\nnot ok 2 - b\nnot ok 3 - c\n"
# name, name of the test, its reason
REASONS = [
    ("the reason of a test", "b", "; test_x.py:2: AssertionError: 3 of 4"),
    ("no reason", "c", ""),
    ("no such test", "not done after 60 s", ""),
]


def judged(output: str, status: int) -> Result:
    result = Result("program", "system", output=output)
    judge({"protocol": "tap"}, result, status)
    return result


def waited(program: str, limit: float) -> tuple[int, float]:
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    try:
        return wait_for(process, limit)
    except subprocess.TimeoutExpired:
        kill_group(process)
        return -1, 0.0


def reason_cases() -> list[tuple[str, bool]]:
    return [(name, reason_in(SAID, test) == reason) for name, test, reason in REASONS]


def wait_cases() -> list[tuple[str, bool]]:
    burned = waited("import sys, time\nwhile time.process_time() < 0.2: pass\nsys.exit(3)", 60)
    return [("waits for the status and the CPU seconds", burned[0] == 3 and burned[1] >= 0.2),
            ("waits no longer than the limit", waited("import time; time.sleep(60)", 0.2) == (-1, 0.0))]


def main() -> int:
    others = wait_cases() + reason_cases()
    bad = sum(not good for _, good in others)
    print(f"1..{len(CASES) + len(AGAIN) + len(others)}")
    for number, (name, protocol, status, output, counts, word) in enumerate(CASES, 1):
        result = Result(name, "unit", output=output)
        judge({"protocol": protocol}, result, status)
        got = (result.passed, len(result.failures), len(result.skips))
        good = got == counts and any(word in text for text in result.failures + result.skips + [""])
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}" + ("" if good else f"\n# {result}"))
    for number, (name, first, second, counts, unsteady) in enumerate(AGAIN, len(CASES) + 1):
        result = merge(judged(*first), judged(*second))
        good = (result.passed, len(result.failures)) == counts and result.unsteady == unsteady
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}" + ("" if good else f"\n# {result}"))
    for number, (name, good) in enumerate(others, len(CASES) + len(AGAIN) + 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
