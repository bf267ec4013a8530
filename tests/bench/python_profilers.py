#!/usr/bin/python3
"""Compares profilers of Python on one program: are the stacks right, and what do they cost?

The program calls spin() by three call paths, for random times, and measures the CPU time of each path by
CLOCK_THREAD_CPUTIME_ID.  Prints for each profiler, as medians of the rounds with their range: stacks that reach main(),
stacks with a call that the program does not make, the largest difference between a path's share of the samples and of
the CPU time, samples for each second of CPU time, the program's slow-down (its wall time for fixed work compared with a
run without a profiler in the same round), and the profiler's own CPU time.  Not a test: figures depend on the machine.

    tests/bench/python_profilers.py --wperf build/release/src/program/cli/wperf [--austin PATH] [--perf-python PATH] [--rounds
    5] [--hz 999]

--austin: built by hand, version 3.  --perf-python: CPython 3.12 or later; adds `perf record -g` of it with and without
-X perf, and wperf of it.
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
main(int(sys.argv[1]))
"""
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


def perf_stacks(args: argparse.Namespace, folder: str) -> dict[tuple, int]:
    text = subprocess.run(["perf", "script", "-F", "ip,sym", "-i", folder + "/perf.data"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True).stdout
    stacks: dict = collections.Counter()
    for sample in text.split("\n\n"):
        names = [match[1].split(".")[-1] for match in re.finditer(r"^\s+[0-9a-f]+ py::([^:]*):", sample, re.M)]
        if sample.strip():
            stacks[tuple(reversed(names))] += 1
    return stacks


def run(argv: list[str]) -> tuple[dict, float]:
    """The program's own output, and the CPU seconds of all processes together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)  # austin ends with 32 at times
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(re.search(r'^{"wall".*$', done.stdout, re.M)[0]), cpu


def judge(stacks: dict[tuple, int], said: dict) -> tuple[float, float, float, float]:
    """Shares of stacks that reach main() and of wrong ones, the largest difference of a path's share, and samples for
    each CPU second."""
    total = sum(stacks.values())
    paths = {name: sum(n for stack, n in stacks.items() if name in stack and "main" in stack) for name in said["times"]}
    in_paths, spent = sum(paths.values()) or 1, sum(said["times"].values())
    return (sum(n for stack, n in stacks.items() if "main" in stack) / total,
            sum(n for stack, n in stacks.items() if is_wrong(stack)) / total,
            max(abs(paths[name] / in_paths - said["times"][name] / spent) for name in paths), total / said["cpu"])


def profilers(args: argparse.Namespace, folder: str) -> dict:
    """For each profiler: the command before the interpreter, the interpreter with its options, the function that reads
    its stacks."""
    debian, hz = ["/usr/bin/python3.11"], str(args.hz)
    wperf = [args.wperf, "record", "-q", "-g", "-F", hz, "--session", folder + "/wperf.data", "--"]
    found = {"wperf": (wperf, debian, wperf_stacks)}
    if args.austin:
        found["austin"] = ([args.austin, "-s", "-i", str(round(1e6 / args.hz)), "-o", folder + "/austin"], debian, austin_stacks)
    if args.perf_python:
        perf = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", hz, "-g", "-o", folder + "/perf.data", "--"]
        found["wperf, python 3.12"] = (wperf, [args.perf_python], wperf_stacks)
        found["perf -g, -X perf"] = (perf, [args.perf_python, "-X", "perf"], perf_stacks)
        found["perf -g, no flags"] = (perf, [args.perf_python], perf_stacks)
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--austin")
    parser.add_argument("--perf-python")
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
            for name, (command, python, read) in profilers(args, folder).items():
                bare, _ = run([python[0], program, str(args.work)])
                said, cpu = run([*command, *python, program, str(args.work)])
                stacks = read(args, folder)
                figures[name].append((*judge(stacks, said), said["wall"] / bare["wall"], cpu - said["cpu"]))
                time.sleep(0.2)
    for name, rows in figures.items():
        print(f"{name:20}" + "".join(f"  {label} {statistics.median(column):{form}} [{min(column):{form}}, {max(column):{form}}]"
                                     for label, form, column in zip(("to main", "wrong", "path off by", "samples/s", "slow-down", "own CPU s"),
                                                                    (".1%", ".2%", ".2%", ".0f", ".3f", ".2f"), zip(*rows))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
