#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden tests: compares the output of command lines with files.

A case is tests/golden/NAME.sh, run by sh in a scratch folder with `wperf` on its PATH.  The expected output is in
NAME.stdout, NAME.stderr (missing: nothing) and NAME.exit (missing: 0).  In these files a line may be a glob (fnmatch),
and a line `...` matches any number of lines.  A case that exits with 77 is skipped; its standard error says why.

--update rewrites the files of the cases that fail and keeps globs that still match.  --each-command, or GOLDEN_CASES=each-command in
the environment, runs one case of each wperf command, for emulators, where a start is slow.
"""

import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 30
WRAPPED_TIME_LIMIT_S = 300
FEW_STARTS = 4
SKIP_STATUS = 77
ANY_LINES = "..."
STARTED = re.compile(r"\bwperf(?: +([a-z]\w*))?")
COMMAND = re.compile(r"^    wperf (\w+) ", re.MULTILINE)
STREAMS = ("stdout", "stderr")
# Environment variables that a case may use: those of sanitizers and emulators.
KEPT_VARIABLES = ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "QEMU_LD_PREFIX", "WINEPREFIX", "WINEDEBUG",
                  "WINEARCH", "WPERF_CORPUS", "LD_LIBRARY_PATH")


def line_matches(pattern, line):
    return pattern == line or fnmatch.fnmatchcase(line, pattern)


def align(patterns, lines):
    """The best alignment: a list of (pattern index or None, line index or None), in order."""
    n, m = len(patterns), len(lines)
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            choices = [0]
            if i < n:
                choices.append(best[i + 1][j])
            if j < m:
                # A skipped line counts less than a matched one, so that `...` does not replace lines that are named.
                choices.append(best[i][j + 1] + (1 if i < n and patterns[i] == ANY_LINES else 0))
            if i < n and j < m and patterns[i] != ANY_LINES and line_matches(patterns[i], lines[j]):
                choices.append(best[i + 1][j + 1] + 3)
            best[i][j] = max(choices)
    pairs, i, j = [], 0, 0
    while i < n or j < m:
        here = best[i][j]
        any_lines = i < n and patterns[i] == ANY_LINES
        if (i < n and j < m and not any_lines and line_matches(patterns[i], lines[j])
                and here == best[i + 1][j + 1] + 3):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif any_lines and j < m and here == best[i][j + 1] + 1:
            pairs.append((i, j))
            j += 1
        elif i < n and here == best[i + 1][j]:
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return pairs


def all_match(patterns, lines):
    """Whether the patterns match the lines completely."""
    reach = {0}
    for pattern in patterns:
        if pattern == ANY_LINES:
            reach = set(range(min(reach), len(lines) + 1)) if reach else set()
        else:
            reach = {j + 1 for j in reach if j < len(lines) and line_matches(pattern, lines[j])}
    return len(lines) in reach


def merged(patterns, lines):
    """The new expected output: the lines, and the patterns that still match."""
    out = []
    for i, j in align(patterns, lines):
        if i is not None and patterns[i] == ANY_LINES:
            if not out or out[-1] != ANY_LINES:
                out.append(ANY_LINES)
        elif i is not None and j is not None:
            out.append(patterns[i])
        elif j is not None:
            out.append(lines[j])
    return out


def difference(name, patterns, lines):
    """A unified diff in which a matching pattern is shown as the line that it matches."""
    shown = list(patterns)
    for i, j in align(patterns, lines):
        if i is not None and j is not None and patterns[i] != ANY_LINES:
            shown[i] = lines[j]
    return list(difflib.unified_diff(shown, lines, name, name + " (got)", lineterm=""))


class Result:
    def __init__(self, skip=None, problems=(), outputs=None, status=0):
        self.skip, self.problems, self.outputs, self.status = skip, list(problems), outputs, status


class Case:
    def __init__(self, script, root):
        self.script = script
        self.name = str(script.relative_to(root).with_suffix(""))

    def path(self, suffix):
        return self.script.with_suffix("." + suffix)

    def commands(self):
        """The command of each start of wperf in the script; "" where no word follows."""
        return STARTED.findall(self.script.read_text(encoding="utf-8"))

    def expected_lines(self, stream):
        path = self.path(stream)
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def expected_status(self):
        path = self.path("exit")
        return int(path.read_text(encoding="ascii")) if path.exists() else 0

    def check(self, outputs, status):
        problems = []
        if status != self.expected_status():
            problems.append(f"exit status is {status}, want {self.expected_status()}")
        for stream in STREAMS:
            patterns = self.expected_lines(stream)
            if not all_match(patterns, outputs[stream]):
                problems += difference(self.path(stream).name, patterns, outputs[stream])
        return problems

    def update(self, result):
        for stream in STREAMS:
            patterns, lines = self.expected_lines(stream), result.outputs[stream]
            if not all_match(patterns, lines):
                self.write(stream, "".join(line + "\n" for line in merged(patterns, lines)))
        self.write("exit", f"{result.status}\n" if result.status else "")

    def write(self, suffix, text):
        path = self.path(suffix)
        if text:
            path.write_text(text, encoding="utf-8")
        elif path.exists():
            path.unlink()


class Runner:
    """`programs` is a folder for `wperf`, shared by all cases: if a thread wrote a program while another one starts a
    process, the process would inherit the open file, and the program could not be run (ETXTBSY)."""

    def __init__(self, wperf, wrapper, root, programs):
        self.root = root
        self.programs = programs
        self.command = shlex.split(wrapper) + [str(wperf)]
        self.limit_s = WRAPPED_TIME_LIMIT_S if wrapper else TIME_LIMIT_S
        self.wine = bool(wrapper) and "wine" in pathlib.Path(shlex.split(wrapper)[0]).name

    def environment(self, scratch):
        env = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        env.update(PATH=f"{self.programs}:/usr/sbin:/usr/bin:/sbin:/bin", HOME=str(scratch), LC_ALL="C", TZ="UTC",
                   GOLDEN=str(self.root), PYTHONDONTWRITEBYTECODE="1")
        if self.wine:
            env.setdefault("WINEPREFIX", os.path.expanduser("~/.wine"))
            env.setdefault("WINEDEBUG", "-all")
        return env

    def make_program(self):
        start = pathlib.Path(self.programs, "wperf")
        start.write_text("#!/bin/sh\nexec " + shlex.join(self.command) + ' "$@"\n', encoding="utf-8")
        start.chmod(0o755)

    def known_commands(self):
        with tempfile.TemporaryFile() as out:
            subprocess.run(self.command + ["help"], stdin=subprocess.DEVNULL, stdout=out, check=True)
            out.seek(0)
            return set(COMMAND.findall(out.read().decode("utf-8")))

    def lines(self, data, scratch):
        text = data.decode("utf-8", "replace")
        if self.wine:
            text = text.replace("\r\n", "\n").replace("Z:" + str(scratch).replace("/", "\\"), "SCRATCH")
        lines = text.replace(str(scratch), "SCRATCH").split("\n")
        if lines[-1]:
            lines[-1] += " (no line end)"
        else:
            lines.pop()
        return lines

    def execute(self, case, scratch):
        """Output is written to files, because processes that a case leaves running (such as wine's services) would keep
        a pipe open."""
        late = False
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(["/bin/sh", str(case.script)], cwd=scratch / "work",
                                       env=self.environment(scratch), stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, start_new_session=True)
            try:
                process.wait(self.limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                late = True
            out.seek(0)
            err.seek(0)
            outputs = {"stdout": self.lines(out.read(), scratch), "stderr": self.lines(err.read(), scratch)}
        status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        return outputs, status, late

    def run(self, case):
        with tempfile.TemporaryDirectory(prefix="golden-") as folder:
            scratch = pathlib.Path(folder).resolve()
            (scratch / "work").mkdir()
            outputs, status, late = self.execute(case, scratch)
        if late:
            return Result(problems=[f"did not end in {self.limit_s} s"])
        if status == SKIP_STATUS:
            return Result(skip=" ".join(outputs["stderr"]) or "no reason given")
        return Result(problems=case.check(outputs, status), outputs=outputs, status=status)


def report(number, case, result):
    if result.skip:
        print(f"ok {number} - {case.name} # SKIP {result.skip}")
        return True
    for line in result.problems:
        print("# " + line)
    print(f"{'not ok' if result.problems else 'ok'} {number} - {case.name}", flush=True)
    return not result.problems


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wperf", default=os.environ.get("WPERF", "build/dev/src/program/cli/wperf"), help="the program")
    parser.add_argument("--wrapper", default=os.environ.get("WPERF_TEST_WRAPPER", ""),
                        help="what runs it: qemu-aarch64 -L FOLDER, or wine")
    parser.add_argument("--cases", default=pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden",
                        type=pathlib.Path, help="the folder of the cases")
    parser.add_argument("--each-command", action="store_true", default=os.environ.get("GOLDEN_CASES") == "each-command",
                        help="run one case of each command, the one with the fewest starts of wperf")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations of the cases that fail")
    parser.add_argument("case", nargs="*", help="names of cases; all unless given")
    return parser.parse_args()


def one_of_each(cases, known):
    """For each of the known commands one case: of those that succeed with few starts of wperf the one with the most output."""
    def worth(case):
        return (case.expected_status() == 0, len(case.commands()) <= FEW_STARTS, len(case.expected_lines("stdout")))

    chosen = {command: max((case for case in cases if command in case.commands()), key=worth, default=None)
              for command in known}
    return sorted({case for case in chosen.values() if case}, key=lambda case: case.name)


def find_cases(root, names):
    cases = [Case(script, root) for script in sorted(root.rglob("*.sh"))]
    unknown = set(names) - {case.name for case in cases}
    if unknown:
        sys.exit(f"golden: no such case: {', '.join(sorted(unknown))}")
    return [case for case in cases if not names or case.name in names]


def run_all(runner, cases, is_update):
    failed = False
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for number, (case, result) in enumerate(zip(cases, pool.map(runner.run, cases)), 1):
            if is_update and result.problems and result.outputs is not None:
                case.update(result)
                result.problems = []
                print(f"# {case.name}: rewritten")
            failed |= not report(number, case, result)
    return 1 if failed else 0


def main():
    args = read_arguments()
    root = args.cases.resolve()
    cases = find_cases(root, args.case)
    wperf = pathlib.Path(args.wperf).resolve()
    if not wperf.exists():
        sys.exit(f"golden: no program {wperf}")
    with tempfile.TemporaryDirectory(prefix="golden-bin-") as programs:
        runner = Runner(wperf, args.wrapper, root, programs)
        runner.make_program()
        if args.each_command:
            cases = one_of_each(cases, runner.known_commands())
        print(f"1..{len(cases)}")
        return run_all(runner, cases, args.update)


if __name__ == "__main__":
    sys.exit(main())
