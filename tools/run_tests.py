#!/usr/bin/python3
"""Runs the tests of a Meson build, or of a folder that tools/pack_windows.py has packed, and counts their TAP lines.

Meson counts a program with a skipped test as passed, so this tool counts: a missing or wrong plan, a bail out, and an
exit status other than 0 are failures.  The last line of the output is `TOTAL passed failed skipped unsteady`, for scripts
that add up several builds.

--again SUITE is for suites that record live programs, whose samples depend on how a machine shares its CPUs: a program with
failures runs once more when the others have ended.  A test that then passes is counted as passed and as unsteady, and is listed
as `unsteady:` after the output of its failure.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*(.*))?$")
POINT = re.compile(r"(not )?ok\b\s*(\d+)?\s*(?:-\s*)?([^#]*?)\s*(?:#\s*(.*))?$")
PACKED = "packed_tests.json"
SKIP = re.compile(r"skip\S*\s*(.*)", re.IGNORECASE)


@dataclass
class Result:
    """The results of one test program."""

    name: str
    suite: str
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    points: int = 0  # how many of the failures are tests of the program; the others are the program's own
    unsteady: list[str] = field(default_factory=list)  # failed at first, and passed when they ran again
    skips: list[str] = field(default_factory=list)
    output: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of the program and of what it waited for


class Tap:
    """Parses the output of one program into a Result."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.planned: int | None = None
        self.seen = 0

    def line(self, text: str) -> None:
        if match := PLAN.match(text):
            self.plan(int(match[1]), match[2] or "")
        elif match := POINT.match(text):
            self.point(bool(match[1]), match[2], match[3], match[4] or "")
        elif text.startswith("Bail out!"):
            self.result.failures.append(text)

    def plan(self, count: int, directive: str) -> None:
        skip = SKIP.match(directive)
        if self.planned is not None:
            self.result.failures.append("a second plan")
        elif count == 0 and skip:
            self.result.skips.append(skip[1] or "no reason given")
        elif count == 0:
            self.result.failures.append("a plan of no tests without a reason")
        self.planned = count

    def point(self, failed: bool, number: str | None, name: str, directive: str) -> None:
        self.seen += 1
        if number and int(number) != self.seen:
            self.result.failures.append(f"test {number} where {self.seen} was due")
        if failed:
            self.result.failures.append(name or f"test {self.seen}")
            self.result.points += 1
        elif skip := SKIP.match(directive):
            self.result.skips.append(f"{name}: {skip[1] or 'no reason given'}")
        else:
            self.result.passed += 1

    def end(self, status: int) -> None:
        if self.planned is None:
            self.result.failures.append("no plan")
        elif self.planned != self.seen:
            self.result.failures.append(f"planned {self.planned} tests, saw {self.seen}")
        if status and not self.result.failures:
            self.result.failures.append(describe_status(status))


def describe_status(status: int) -> str:
    if status < 0:
        return f"killed by signal {-status}"
    return f"exit status {status}"


def judge(test: dict, result: Result, status: int) -> None:
    """Fills the result from the program's output and exit status."""
    if test["protocol"] == "tap":
        tap = Tap(result)
        for line in result.output.splitlines():
            tap.line(line.rstrip("\r"))
        tap.end(status)
    elif status == 77:
        result.skips.append(result.output.strip().splitlines()[-1] if result.output.strip() else "exit status 77")
    elif status:
        result.failures.append(describe_status(status))
    else:
        result.passed = 1


def command_of(test: dict, build: str, wrapper: list[str]) -> list[str]:
    """The command line; programs for another machine run under the wrapper."""
    command = list(test["cmd"])
    built = os.path.realpath(command[0]).startswith(os.path.realpath(build) + os.sep)
    return wrapper + command if built else command


def kill_group(process: subprocess.Popen) -> None:
    try:
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def wait_for(process: subprocess.Popen, limit: float) -> tuple[int, float]:
    """The exit status, and the CPU seconds, which Windows does not give."""
    if not hasattr(os, "wait4"):
        return process.wait(limit), 0.0
    end, pause = time.monotonic() + limit, 0.001
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        if time.monotonic() > end:
            raise subprocess.TimeoutExpired(process.args, limit)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def run(test: dict, options: argparse.Namespace) -> Result:
    """Runs one program with its output in a file, because processes that it leaves running would keep a pipe open."""
    result = Result(test["name"], suite_of(test))
    environment = dict(os.environ, **test["env"])
    limit = (test["timeout"] or 600) * options.timeout_factor
    start = time.monotonic()
    status = 0
    with tempfile.TemporaryFile() as out:
        try:
            process = subprocess.Popen(
                command_of(test, options.build, options.wrapper), stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, cwd=test["workdir"] or options.build, env=environment, start_new_session=True)
            status, result.cpu_seconds = wait_for(process, limit)
        except subprocess.TimeoutExpired:
            kill_group(process)
            result.failures.append(f"not done after {limit:.0f} s")
        except OSError as error:
            result.failures.append(f"cannot be run: {error}")
        out.seek(0)
        result.output = out.read().decode("utf-8", "replace")
    result.seconds = time.monotonic() - start
    if not result.failures:
        judge(test, result, status)
    return result


def merge(first: Result, second: Result) -> Result:
    """The result of a program that had failures and ran again.  A test passes if it passed in one of the runs; a program that
    failed otherwise, by its exit status or its time, has to run once without a failure."""
    if not second.failures:
        second.unsteady = first.failures
        return second
    if first.points < len(first.failures) or second.points < len(second.failures):
        return first
    first.unsteady = [name for name in first.failures if name not in second.failures]
    first.failures = [name for name in first.failures if name in second.failures]
    first.passed += len(first.unsteady)
    return first


def reason_in(output: str, name: str) -> str:
    """`; test_x.py:12: AssertionError: what`, as the test said it before its line `not ok`, in at most 240 characters, or nothing."""
    said = ""
    for line in output.splitlines():
        if re.match(r"(not )?ok ", line):
            if line.startswith("not ok") and line.endswith(f"- {name}"):
                break
            said = ""
        elif not said and (match := re.match(r"# (\w+\.\w+:\d+: .*)", line)):
            said = match[1]
    else:
        said = ""
    return "; " + said[:240] if said else ""


def run_again(results: list[Result], tests: list[dict], options: argparse.Namespace) -> list[Result]:
    failed = [result.name for result in results if result.failures and result.suite in options.again]
    by_name = {test["name"]: test for test in tests}
    merged = []
    for result in results:
        if result.name in failed:
            output = result.output
            result = merge(result, run(by_name[result.name], options))
            for name in result.unsteady:
                print(f"  unsteady: {result.name}: {name}: failed, and passed when it ran again{reason_in(output, name)}")
            if result.failures:
                show_problems(result, options)
        merged.append(result)
    return merged


def suite_of(test: dict) -> str:
    """The suite in Meson's `project:suite`."""
    return test["suite"][0].split(":")[-1] if test["suite"] else "unit"


def wanted(test: dict, options: argparse.Namespace) -> bool:
    suite = suite_of(test)
    if suite == "corpus" and not os.environ.get("WPERF_CORPUS"):
        return False
    if options.suite and suite not in options.suite or suite in options.excluded or test["name"] in options.excluded:
        return False
    if options.parallel and not test["is_parallel"] or options.alone and test["is_parallel"]:
        return False
    return not options.names or any(name in test["name"] for name in options.names)


def list_packed(path: str) -> list[dict]:
    """The tests that tools/pack_windows.py listed; paths in them begin with @PACK@."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    folder = os.path.dirname(os.path.abspath(path)).replace("\\", "/")
    return json.loads(text.replace("@PACK@", folder).replace("@PYTHON@", sys.executable.replace("\\", "/")))


def list_tests(build: str) -> list[dict]:
    packed = os.path.join(build, PACKED)
    if os.path.exists(packed):
        return list_packed(packed)
    listing = subprocess.run(["meson", "introspect", "--tests", build], check=True, stdout=subprocess.PIPE)
    return json.loads(listing.stdout)


def show_problems(result: Result, options: argparse.Namespace, may_run_again: bool = False) -> None:
    for reason in result.skips:
        print(f"  skipped: {result.name}: {reason}")
    for reason in result.failures:
        print(f"  {'failed at first' if may_run_again else 'FAILED'}: {result.name}: {reason}")
    if result.failures or options.verbose:
        lines = [line for line in result.output.splitlines() if options.verbose or not line.startswith("ok ")]
        print("\n".join(f"    {'> ' if may_run_again else ''}{line}" for line in lines[-400:]))
    sys.stdout.flush()


def show_suites(results: list[Result], label: str) -> None:
    for suite in sorted({result.suite for result in results}):
        part = [result for result in results if result.suite == suite]
        passed, failed, skipped = total(part)
        seconds, cpu_seconds = sum(result.seconds for result in part), sum(result.cpu_seconds for result in part)
        print(f"{label}{suite}: {passed} passed, {failed} failed, {skipped} skipped "
              f"in {len(part)} programs, {seconds:.1f} s, {cpu_seconds:.1f} s of CPU time")


def total(results: list[Result]) -> tuple[int, int, int]:
    return (sum(result.passed for result in results), sum(len(result.failures) for result in results),
            sum(len(result.skips) for result in results))


def append_lines(path: str | None, lines: list[str]) -> None:
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)


def choose(options: argparse.Namespace) -> list[dict]:
    tests = [test for test in list_tests(options.build) if wanted(test, options)]
    append_lines(options.name_file, sorted({name for test in tests for name in (suite_of(test), test["name"])}))
    return [test for test in tests if not options.only or suite_of(test) in options.only or test["name"] in options.only]


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run the tests of a Meson build and count their TAP lines.")
    parser.add_argument("build", help="the build folder, or the folder of packed tests")
    parser.add_argument("names", nargs="*", help="run the tests whose name contains one of these")
    parser.add_argument("--suite", action="append", help="run this suite (may be repeated; default: all)")
    parser.add_argument("--except", action="append", default=[], dest="excluded", metavar="NAME",
                        help="do not run this suite or test (may be repeated)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="of the tests chosen otherwise, run only those of this suite or with this name (may be repeated)")
    parser.add_argument("--names", dest="name_file", metavar="FILE", help="append the names that --only understands")
    parser.add_argument("--times", metavar="FILE", help="append a line `SECONDS CPU_SECONDS NAME` for each program")
    parser.add_argument("--again", action="append", default=[], metavar="SUITE",
                        help="run programs of this suite again if they fail (may be repeated)")
    parser.add_argument("--wrapper", type=shlex.split, default=[], help="emulator for what was cross-built")
    parser.add_argument("--timeout-factor", type=float, default=1.0, help="multiplies each test's time limit")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--parallel", action="store_true", help="run only tests that may run side by side")
    which.add_argument("--alone", action="store_true", help="run only tests that run one after the other")
    parser.add_argument("--jobs", type=int, default=2, help="tests at a time (default 2)")
    parser.add_argument("--label", default="", help="printed before the name of each suite")
    parser.add_argument("--verbose", action="store_true", help="print the output of every test")
    return parser.parse_intermixed_args()


def main() -> int:
    options = parse_options()
    if options.wrapper:
        os.environ["WPERF_TEST_WRAPPER"] = shlex.join(options.wrapper)  # for tests that start programs themselves
    tests = choose(options)
    parallel = [test for test in tests if test["is_parallel"]]
    alone = [test for test in tests if not test["is_parallel"]]
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda test: run(test, options), parallel):
            results.append(result)
            show_problems(result, options, result.suite in options.again)
    for test in alone:
        results.append(run(test, options))
        show_problems(results[-1], options, results[-1].suite in options.again)
    results = run_again(results, tests, options)
    show_suites(results, options.label)
    append_lines(options.times, [f"{result.seconds:.1f} {result.cpu_seconds:.1f} {options.label}{result.name}" for result in results])
    print("TOTAL", *total(results), sum(len(result.unsteady) for result in results))
    return 1 if total(results)[1] else 0


if __name__ == "__main__":
    sys.exit(main())
