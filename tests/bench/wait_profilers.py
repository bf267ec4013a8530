#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what profilers say about programs of Python whose waits are known.

    tests/bench/wait_profilers.py --wperf build/release/src/program/cli/wperf --newest-python PATH [--austin PATH]
    [--python python3.11] [--perf perf] [--rounds 3]

The first program sleeps, waits for a lock, a pipe and a socket, and computes, each in a function of its own, and measures its
wall time in each.  In the second one two threads compute by turns, each in two functions, and measure their CPU time: in pure
Python that is how long they had the GIL.  Prints for each function its true share of the time, and that which each profiler
says, as medians of the rounds, and each profiler's largest difference.  `perf sched timehist` has no functions: it says how
much of its time the thread waited.  --newest-python: CPython 3.15, which has profiling.sampling; --austin: version 3, which
needs an older Python (--python), so that its rounds have true shares of their own.  Not a test: figures depend on the machine.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

WAITS = """
import json, os, socket, threading, time
lock, seconds = threading.Lock(), {}
reading, writing = os.pipe()
asks, answers = socket.socketpair()
def hold(taken):
    with lock:
        taken.set()
        time.sleep(0.2)
def nap():
    time.sleep(0.25)
def want_lock():
    with lock:
        pass
def read_pipe():
    os.read(reading, 1)
def receive():
    answers.recv(1)
def spin():
    end = time.thread_time() + 0.15
    while time.thread_time() < end:
        sum(range(20000))
def timed(function):
    begin = time.monotonic()
    function()
    seconds[function.__name__] = seconds.get(function.__name__, 0) + time.monotonic() - begin
def main():
    for _ in range(6):
        timed(nap)
        taken = threading.Event()
        threading.Thread(target=hold, args=(taken,)).start()
        taken.wait()
        timed(want_lock)
        threading.Timer(0.15, os.write, (writing, b"x")).start()
        timed(read_pipe)
        threading.Timer(0.1, asks.send, (b"x",)).start()
        timed(receive)
        timed(spin)
    print(json.dumps(seconds))
main()
"""
TURNS = """
import json, threading, time
seconds = {}
def add(name, limit):
    begin = time.thread_time()
    while time.thread_time() < begin + limit:
        for i in range(20000):
            pass
    seconds[name] = seconds.get(name, 0) + time.thread_time() - begin
def long_one():
    add("long_one", 0.25)
def short_one():
    add("short_one", 0.1)
def other():
    add("other", 0.2)
def main():
    def work(functions):
        for _ in range(5):
            for function in functions:
                function()
    threads = [threading.Thread(target=work, args=(functions,)) for functions in ((long_one, short_one), (other,))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(seconds))
main()
"""


def run(*argv: str) -> dict[str, float]:
    """What the program measured."""
    done = subprocess.run(argv, capture_output=True, text=True)
    found = re.search(r"^\{.*\}$", done.stdout, re.M)
    if not found:
        sys.exit(f"{' '.join(argv)}: {done.stdout}{done.stderr}")
    return json.loads(found[0])


def shares(values: dict[str, float]) -> dict[str, float]:
    total = sum(values.values())
    return {name: value / total for name, value in values.items()} if total else {name: 0.0 for name in values}


def of_stacks(path: str, names: list[str]) -> dict[str, float]:
    """Of lines of frames and a weight: the function of each stack that is one of these."""
    counts = dict.fromkeys(names, 0.0)
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, _, weight = line.rstrip().rpartition(" ")
            of = [name for name in names if f":{name}:" in stack]
            if of and weight.isdigit():
                counts[of[0]] += int(weight)
    return counts


def of_wperf(args, names: list[str]) -> dict[str, float]:
    done = subprocess.run([args.wperf, "export", "-i", "session", "--format", "folded", "--weights", "--python", "only"],
                          capture_output=True, text=True, check=True)
    counts = dict.fromkeys(names, 0.0)
    for line in done.stdout.splitlines():
        stack, _, weight = line.rpartition(" ")
        of = [name for name in names if f";{name} [" in stack]
        if of:
            counts[of[0]] += int(weight)
    return counts


def of_timehist(args) -> float:
    """The part of the first thread's time in which it waited."""
    text = subprocess.run([args.perf, "sched", "timehist", "-i", "session"], capture_output=True, text=True).stdout
    sums: dict[str, list[float]] = {}
    # time, CPU, task[tid/pid] or task[tid], and milliseconds of waiting, ready to run, and on a CPU
    for tid, *times in re.findall(r"\] +python\S*\[(\d+)\] +([\d.]+) +([\d.]+) +([\d.]+)", text):
        sums[tid] = [a + float(b) for a, b in zip(sums.get(tid, [0, 0, 0]), times)]
    waited, queued, ran = max(sums.values(), key=sum, default=[0, 0, 1])
    return waited / (waited + queued + ran)


def measure(args, title: str, program: str, mode: str) -> None:
    with open("app.py", "w", encoding="utf-8") as file:
        file.write(program)
    newest = [args.newest_python, "-m", "profiling.sampling", "run", "--mode", mode, "--collapsed", "-o", "stacks", "-r", "1000"]
    newest += ["-a"] if mode == "gil" else []
    known = {"profiling.sampling": [*newest, "app.py"],
             "wperf": [args.wperf, "record", "-q", "--gil" if mode == "gil" else "--wall", "--session", "session", "--", args.newest_python, "app.py"]}
    if args.austin and mode == "wall":
        known["austin"] = [args.austin, "-i", "1000", "-t", "30000", "-o", "stacks", args.python, "app.py"]
    rows: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for i in range(args.rounds):
        names = list(known)
        for name in names[i % len(names):] + names[:i % len(names)]:
            true = shares(run(*known[name]))
            said = shares(of_wperf(args, list(true)) if name == "wperf" else of_stacks("stacks", list(true)))
            for function, share in true.items():
                rows.setdefault(function, {}).setdefault(name, []).append((said[function], share))
    print(f"{title}: share said, and true share, %, medians of {args.rounds} rounds")
    for function, by_name in rows.items():
        texts = [f"{name} {100 * statistics.median(s for s, _ in pairs):5.1f} ({100 * statistics.median(t for _, t in pairs):5.1f})"
                 for name, pairs in by_name.items()]
        print(f"  {function:10}  " + "  ".join(texts))
    for name in known:
        worst = max(statistics.median(abs(s - t) for s, t in by_name[name]) for by_name in rows.values())
        print(f"  {name}: at most {100 * worst:.1f} percentage points from the truth")
    sys.stdout.flush()


def measure_timehist(args) -> None:
    pairs = []
    for _ in range(args.rounds):
        seconds = run(args.perf, "sched", "record", "-q", "-o", "session", "--", args.newest_python, "app.py")
        pairs.append((of_timehist(args), 1 - seconds["spin"] / sum(seconds.values())))
    print(f"perf sched timehist: the thread waited for {100 * statistics.median(s for s, _ in pairs):.1f} % of its time, "
          f"true {100 * statistics.median(t for _, t in pairs):.1f} % (with the time until it ran again)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--newest-python", required=True)
    parser.add_argument("--python", default="python3.11")
    parser.add_argument("--austin")
    parser.add_argument("--perf", default="perf")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    args.wperf = os.path.abspath(args.wperf)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        measure(args, "wall time", WAITS, "wall")
        measure_timehist(args)
        measure(args, "time with the GIL", TURNS, "gil")
    return 0


if __name__ == "__main__":
    sys.exit(main())
