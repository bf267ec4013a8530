#!/usr/bin/python3
"""--engine stop: compares shares of Python functions and lines with the CPU time that the program prints, also with
perf's trampolines."""
import json
import math
import os
import re
from dataclasses import dataclass

import harness
from harness import Context, Done, Skip, check
from pythons import HERE, find_python

PROGRAM = os.path.join(HERE, "python_shares.py")
NAME = os.path.basename(PROGRAM)
PYTHON = "/usr/bin/python3.11"
FUNCTIONS = ("lines", "add", "join", "table")
ROUNDS = 800
SIGMAS = 5


@dataclass
class Run:
    session: str
    merged: float     # share of the stacks
    pid: int
    spent: list[int]  # by the lines with `# timed`, in ns


def record_program(t: Context, options: list[str], command: list[str], attaches: bool) -> tuple[Done, str]:
    """The recorder and what the program printed."""
    if attaches:
        done, program = harness.recorded_attached(t, options, command)
    else:
        done = program = t.ours("record", *options, "--", *command)
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    return done, program.out


def record(t: Context, name: str, python: str, *options: str, attaches: bool = False) -> Run:
    session = t.path(name)
    for _ in range(3):
        done, out = record_program(t, ["-g", "--engine", "stop", "-F", "1999", "--session", session], [python, *options, PROGRAM, str(ROUNDS)],
                                   attaches)
        said = re.search(r"^pid (\d+) spent ([\d ]+)$", out, re.M)
        check(done.status == 0 and said is not None, "record", done)
        if not harness.quality_of(done)["lost"]: # on a busy machine the rings are not read in time
            break
    counts = re.search(r"python: ([\d,]+) of ([\d,]+) merged", done.out)
    check(counts is not None, "how many stacks are merged", done)
    merged, n = (int(count.replace(",", "")) for count in counts.groups())
    return Run(session, merged / n, int(said[1]), list(map(int, said[2].split())))


# --- functions ---


def functions_of(t: Context, run: Run) -> dict[str, int]:
    """Samples of the program by the innermost Python function. A sample of another file's `join` would change both names."""
    done = t.good("report", "--sort", "python", "--python-file", NAME, "--json", "-i", run.session)
    listed = json.loads(done.out)["sampling"]["events"][0]["samples"]
    counts = {row["python"]: row["count"] for row in listed}
    return {name: counts.get(name, 0) for name in FUNCTIONS}


def check_same_shares(names: str, ours: dict[str, int], others: dict[str, int]) -> None:
    n, m = sum(ours.values()), sum(others.values())
    check(min(n, m) > 500, f"{names}: {n} and {m} samples")
    off = {}
    for name in FUNCTIONS:
        share = (ours[name] + others[name]) / (n + m)
        off[name] = (ours[name] / n - others[name] / m) / math.sqrt(share * (1 - share) * (1 / n + 1 / m))
    harness.note(f"{names}: {n} and {m} samples, standard errors off: " + ", ".join(f"{name} {value:+.2f}" for name, value in off.items()))
    check(all(abs(value) < SIGMAS for value in off.values()), f"{names}: {ours} {others}")


def folded(t: Context, run: Run, python: str) -> list[tuple[list[str], int]]:
    text = t.good("export", "--format", "folded", "--python", python, "-i", run.session, "-o", "-").out
    return [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in text.splitlines()]


def check_folded(t: Context, run: Run) -> None:
    """A trampoline stays after its function has returned, like the eval function."""
    n_calls = sum(count * sum(frame.startswith("py::") for frame in frames) for frames, count in folded(t, run, "all"))
    check(n_calls > 1000, f"{n_calls} trampolines among all frames")
    n_left = 0
    for frames, count in folded(t, run, "merged"):
        for i, frame in enumerate(frames):
            if frame.startswith("py::"):
                n_left += count
                check(not any(inner.endswith("]") for inner in frames[i:]), "a trampoline of a Python function: " + ";".join(frames))
    harness.note(f"{n_calls} trampolines, {n_left} of them of functions that have returned or begin")
    check(n_left < n_calls / 20, f"{n_left} of {n_calls} trampolines stay")


def remove_names(run: Run) -> None:
    """What the interpreter has left of its trampolines."""
    for path in f"/tmp/perf-{run.pid}.map", f"/tmp/jit-{run.pid}.dump":
        if os.path.exists(path):
            os.unlink(path)


@harness.limit(120)
def test_trampolines_change_no_share(t: Context) -> None:
    python = find_python("pyenv 3.13")
    plain = record(t, "plain", python)
    counts = functions_of(t, plain)
    for flag in ("perf", "perf_jit"):
        run = record(t, flag, python, "-X", flag)
        try:
            check_same_shares(f"python3.13 -X {flag}", functions_of(t, run), counts)
            check(run.merged >= 0.995 and plain.merged >= 0.995, f"-X {flag}: {run.merged} of the stacks merged, {plain.merged} without")
            check_folded(t, run)
        finally:
            remove_names(run)


# --- lines ---


def annotated(t: Context, run: Run, *options: str) -> list[dict]:
    """The lines of the program; each has its number, count and native functions."""
    document = json.loads(t.good("annotate", "--json", "-i", run.session, *options, NAME).out)
    check(document["annotate"][0]["python_file"] == PROGRAM, f"{document}")
    return document["annotate"][0]["lines"]


def check_lines(t: Context, attaches: bool) -> None:
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)
    run = record(t, "lines", PYTHON, attaches=attaches)
    with open(PROGRAM, encoding="utf-8") as file:
        timed = [number for number, line in enumerate(file, 1) if line.endswith("# timed\n")]
    counts = {line["line"]: line["count"] for line in annotated(t, run)}
    n, total = sum(counts.get(number, 0) for number in timed), sum(run.spent)
    check(n > 200 and len(timed) == len(run.spent), f"{n} samples of {timed}")
    off = {}
    for number, spent in zip(timed, run.spent):
        share = spent / total
        off[number] = (counts.get(number, 0) / n - share) / math.sqrt(share * (1 - share) / n)
    harness.note(f"{n} samples, standard errors off: " + ", ".join(f"line {number} {value:+.2f}" for number, value in off.items()))
    check(all(abs(value) < SIGMAS for value in off.values()), f"{off}")


def test_lines_against_their_own_time(t: Context) -> None:
    check_lines(t, attaches=False)


def test_lines_of_an_attached_program(t: Context) -> None:
    check_lines(t, attaches=True)


# --- threads that hand over the GIL ---


def turns(t: Context, how: str, attaches: bool = False) -> None:
    """The functions have different shares, and each thread calls all of them."""
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)
    done, out = record_program(t, ["-g", "--engine", "stop", "-F", "1999"], [PYTHON, os.path.join(HERE, "python_turns.py"), how, "1.5"], attaches)
    said = re.search(r"^spent (.*)$", out, re.M)
    check(done.status == 0 and said is not None, "record", done)
    spent = {name: int(ns) for name, ns in re.findall(r"(\w+) (\d+)", said[1])}
    listed = json.loads(t.good("report", "--sort", "python", "--python-file", "python_turns.py", "--json").out)["sampling"]["events"][0]["samples"]
    counts = {row["python"]: row["count"] for row in listed}
    n, total = sum(counts.get(name, 0) for name in spent), sum(spent.values())
    off = {}
    for name, ns in spent.items():
        share = ns / total
        off[name] = (counts.get(name, 0) / n - share) / math.sqrt(share * (1 - share) / n)
    harness.note(f"{how}: {n} samples, standard errors off: " + ", ".join(f"{name} {value:+.2f}" for name, value in off.items()))
    check(n > 300 and len(spent) == 5, f"{n} samples of {spent}", done)
    check(all(abs(value) < SIGMAS for value in off.values()), f"{off}", done)


def test_threads_from_which_the_gil_is_taken(t: Context) -> None:
    turns(t, "switch")


def test_threads_that_wait_for_their_turn(t: Context) -> None:
    turns(t, "wait")


def test_threads_of_an_attached_program(t: Context) -> None:
    turns(t, "switch", attaches=True)


def heading_of(done: Done) -> tuple[int, int]:
    match = re.search(r": (\d+) of (\d+) samples of cpu-clock ", done.out)
    check(match is not None, "a heading", done)
    return int(match[1]), int(match[2])


def test_lines_and_handlers_add_up(t: Context) -> None:
    """The samples of the eval function, by Python's lines and by its handlers."""
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)
    if not os.path.isdir("/usr/lib/debug/.build-id"):
        raise Skip("debug files in /usr/lib/debug/.build-id (python3-dbg)")
    run = record(t, "lines", PYTHON)
    done = t.good("annotate", "--by", "handler", "--python-file", NAME, "--sample-display-row", "1000", "-i", run.session,
                  "_PyEval_EvalFrameDefault")
    rows = r"^ +\d+\.\d\d +\d+\.\d\d +(\d+)  +(?:\S+:\d+  \w+|\(before the first label\))$"
    handlers = [int(count) for count in re.findall(rows, done.out, re.M)]
    lines = annotated(t, run)
    n_eval = sum(native["count"] for line in lines for native in line["native"] if native["function"] == "_PyEval_EvalFrameDefault")
    n_lines = sum(line["count"] for line in lines)
    harness.note(f"{n_lines} samples of {NAME}, {n_eval} in the eval function, {len(handlers)} handlers")
    check(heading_of(done) == (n_eval, n_lines), f"{n_eval} of {n_lines} samples by lines", done)
    check(sum(handlers) == n_eval > 50, f"{sum(handlers)} samples by handlers", done)
    every = t.good("annotate", "--by", "handler", "-i", run.session, "_PyEval_EvalFrameDefault")
    listed = json.loads(t.good("report", "--sort", "python", "--json", "--sample-display-row", "10000", "-i", run.session).out)
    n_all = sum(row["count"] for row in listed["sampling"]["events"][0]["samples"])
    check(heading_of(every)[1] == n_all, f"{n_all} samples by functions", every)


if __name__ == "__main__":
    harness.main(__name__)
