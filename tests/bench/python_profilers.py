#!/usr/bin/python3
"""Compares profilers of Python on one program: are the stacks right, and what do they cost?

The program calls spin() by three call paths, for random times, and measures the CPU time of each path by
CLOCK_THREAD_CPUTIME_ID.  Prints for each profiler, as medians of the rounds with their range: stacks that reach main(),
stacks with a call that the program does not make, the largest difference between a path's share of the samples and of
the CPU time, samples for each second of CPU time, the program's slow-down (its wall time for fixed work compared with a
run without a profiler in the same round), and the profiler's own CPU time.  Not a test: figures depend on the machine.

    tests/bench/python_profilers.py --wperf build/release/src/program/cli/wperf [--austin PATH] [--perf-python PATH]
                                    [--newest-python PATH] [--rounds 5] [--hz 999]

--austin: version 3.  --perf-python: CPython 3.12 or later; adds `perf record -g` of it with and without -X perf, and wperf
of it.  --newest-python: CPython 3.15; adds its own profiler, `profiling.sampling`.  Each profiler starts the program, and in
a round of its own attaches to it when it runs already.
"""
import argparse
import collections
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Callable

PROGRAM = """
import json, random, sys, time
def spin(n):
    total = 0
    for i in range(n):
        total += i
    return total
def left(n):
    return spin(n)
def right(n):
    return spin(n)
def inner(n):
    return spin(n)
def deep(n, depth):
    return deep(n, depth - 1) if depth else inner(n)
def main(rounds):
    random.seed(1)
    clock, times = time.thread_time_ns, {"left": 0, "right": 0, "inner": 0}
    start = time.monotonic()
    for _ in range(rounds):
        for name, call in ("left", left), ("right", right), ("inner", lambda n: deep(n, 12)):
            n = int(random.expovariate(1 / (400 if name == "right" else 1200)))
            begin = clock()
            call(n)
            times[name] += clock() - begin
    print(json.dumps({"wall": time.monotonic() - start, "cpu": time.process_time(), "times": times}))
if sys.argv[2:]:
    open(sys.argv[2]).read()
main(int(sys.argv[1]))
"""
ATTACH_SECONDS = 1  # after the profiler was started
# The possible callers of each function; functions that are not named here are start-up code and not checked.
CALLERS = {"spin": {"left", "right", "inner"}, "left": {"main"}, "right": {"main"}, "inner": {"deep"}, "deep": {"deep", "<lambda>"},
           "<lambda>": {"main"}, "main": {"<module>"}}


def is_wrong(stack: tuple) -> bool:
    return any(callee in CALLERS and caller not in CALLERS[callee] for caller, callee in zip(("",) + stack, stack))


def wperf_stacks(args: argparse.Namespace, folder: str) -> dict[tuple, int]:
    text = subprocess.run([args.wperf, "export", "--format", "folded", "--python", "only", "-o", "-", "-i", folder + "/wperf.data"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    stacks: dict = collections.Counter()
    for line in text.splitlines():
        names, count = line.rsplit(" ", 1)
        stacks[tuple(name.split(" [")[0].split(".")[-1] for name in names.split(";"))] += int(count)
    return stacks


def austin_stacks(args: argparse.Namespace, folder: str) -> dict[tuple, int]:
    stacks: dict = collections.Counter()
    with open(folder + "/austin", encoding="utf-8", errors="replace") as file:
        for line in file:
            if re.match(r"P\d+;", line):
                names = line.rsplit(" ", 1)[0].split(";")[2:]
                stacks[tuple(name.rsplit(":", 2)[1].split(".")[-1] for name in names if name.count(":") >= 2)] += 1
    return stacks


def newest_stacks(args: argparse.Namespace, folder: str) -> dict[tuple, int]:
    stacks: dict = collections.Counter()
    with open(folder + "/collapsed", encoding="utf-8") as file:
        for line in file:
            names, count = line.rsplit(" ", 1)
            stacks[tuple(frame.rsplit(":", 2)[1].split(".")[-1] for frame in names.split(";") if frame.count(":") >= 2)] += int(count)
    return stacks


def perf_stacks(args: argparse.Namespace, folder: str) -> dict[tuple, int]:
    text = subprocess.run(["perf", "script", "-F", "ip,sym", "-i", folder + "/perf.data"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True).stdout
    stacks: dict = collections.Counter()
    for sample in text.split("\n\n"):
        names = [match[1].split(".")[-1] for match in re.finditer(r"^\s+[0-9a-f]+ py::([^:]*):", sample, re.M)]
        if sample.strip():
            stacks[tuple(reversed(names))] += 1
    return stacks


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def said_by(output: str) -> dict:
    return json.loads(re.search(r'^{"wall".*$', output, re.M)[0])


def run(argv: list[str]) -> tuple[dict, float]:
    """The program's own output, and the CPU seconds of all processes together."""
    before = cpu_of_children()
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)  # austin ends with 32 at times
    return said_by(done.stdout), cpu_of_children() - before


def run_attached(profiler: list[str], argv: list[str], gate: str) -> tuple[dict, float]:
    """The same, with a profiler that is told the PID.  The program waits at a pipe until the profiler has had time to attach;
    the profiler ends by itself after the program."""
    if not os.path.exists(gate):
        os.mkfifo(gate)
    before = cpu_of_children()
    with subprocess.Popen([*argv, gate], stdout=subprocess.PIPE, text=True) as program, \
            subprocess.Popen([*profiler, str(program.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as attached:
        time.sleep(ATTACH_SECONDS)
        with open(gate, "w", encoding="ascii"):
            pass
        output = program.communicate()[0]
        attached.wait()
    return said_by(output), cpu_of_children() - before


def judge(stacks: dict[tuple, int], said: dict) -> tuple[float, float, float, float]:
    """Shares of stacks that reach main() and of wrong ones, the largest difference of a path's share, and samples for
    each CPU second."""
    total = sum(stacks.values())
    paths = {name: sum(n for stack, n in stacks.items() if name in stack and "main" in stack) for name in said["times"]}
    in_paths, spent = sum(paths.values()) or 1, sum(said["times"].values())
    return (sum(n for stack, n in stacks.items() if "main" in stack) / total,
            sum(n for stack, n in stacks.items() if is_wrong(stack)) / total,
            max(abs(paths[name] / in_paths - said["times"][name] / spent) for name in paths), total / said["cpu"])


@dataclass
class Profiler:
    python: list[str]  # the interpreter with its options
    read: Callable[[argparse.Namespace, str], dict[tuple, int]]
    starts: list[str]  # the command before the interpreter
    attaches: list[str]  # the command before the PID; empty: it can't


def profilers(args: argparse.Namespace, folder: str) -> dict[str, Profiler]:
    debian, hz = ["/usr/bin/python3.11"], str(args.hz)
    wperf = [args.wperf, "record", "-q", "-g", "-F", hz, "--session", folder + "/wperf.data"]
    perf = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", hz, "-g", "-o", folder + "/perf.data"]
    austin = [args.austin, "-s", "-i", str(round(1e6 / args.hz)), "-o", folder + "/austin"]
    newest = [args.newest_python, "-m", "profiling.sampling"]
    options = ["-r", hz, "--mode", "gil", "--no-gc", "--collapsed", "-o", folder + "/collapsed"]
    found = {"wperf": Profiler(debian, wperf_stacks, [*wperf, "--"], [*wperf, "-p"])}
    if args.austin:
        found["austin"] = Profiler(debian, austin_stacks, austin, [*austin, "-p"])
    if args.perf_python:
        python = [args.perf_python]
        found["wperf, python 3.12"] = Profiler(python, wperf_stacks, [*wperf, "--"], [*wperf, "-p"])
        found["perf -g, -X perf"] = Profiler([*python, "-X", "perf"], perf_stacks, [*perf, "--"], [*perf, "-p"])
        found["perf -g, no flags"] = Profiler(python, perf_stacks, [*perf, "--"], [*perf, "-p"])
    if args.newest_python:
        python = [args.newest_python]
        found["wperf, python 3.15"] = Profiler(python, wperf_stacks, [*wperf, "--"], [*wperf, "-p"])
        found["profiling.sampling"] = Profiler(python, newest_stacks, [], [*newest, "attach", *options])
        found["the same, --blocking"] = Profiler(python, newest_stacks, [], [*newest, "attach", "--blocking", *options])
    return found


def measure(args: argparse.Namespace, folder: str, profiler: Profiler, attaches: bool) -> tuple:
    argv = [*profiler.python, os.path.join(folder, "program.py"), str(args.work)]
    bare, _ = run(argv)
    if attaches:
        said, cpu = run_attached(profiler.attaches, argv, os.path.join(folder, "gate"))
    else:
        said, cpu = run([*profiler.starts, *argv])
    return (*judge(profiler.read(args, folder), said), said["wall"] / bare["wall"], cpu - said["cpu"])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--austin")
    parser.add_argument("--perf-python")
    parser.add_argument("--newest-python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hz", type=int, default=999)
    parser.add_argument("--work", type=int, default=30000)
    args = parser.parse_args()
    figures: dict = collections.defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="python-profilers-") as folder:
        program = os.path.join(folder, "program.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        for _ in range(args.rounds):
            for name, profiler in profilers(args, folder).items():
                for label, command in (("", profiler.starts), (", attached", profiler.attaches)):
                    if command:
                        figures[name + label].append(measure(args, folder, profiler, bool(label)))
                        time.sleep(0.2)
    for name, rows in figures.items():
        print(f"{name:30}" + "".join(f"  {label} {statistics.median(column):{form}} [{min(column):{form}}, {max(column):{form}}]"
                                     for label, form, column in zip(("to main", "wrong", "path off by", "samples/s", "slow-down", "own CPU s"),
                                                                    (".1%", ".2%", ".2%", ".0f", ".3f", ".2f"), zip(*rows))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
