#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What recording of waits costs a program with 1,000 threads, beside perf, in interleaved rounds on one machine.

    tests/bench/switch_cost.py --wperf build/release/src/program/cli/wperf --target build/release/tests/bench/pass_tokens
    [--rates 10000 100000] [--by pipe futex] [--rounds 7] [--seconds 10] [--perf perf] [--new-perf PERF] [--only wperf]

The program pass_tokens does the same passes from thread to thread in each run, so many in a second.  In a round it runs
alone, under `perf record --switch-events` (with the samples that wperf takes), `perf sched record`, `perf record --off-cpu`
(--new-perf: 6.2 and later, built with BPF), `wperf record --wall` and with --before under an older wperf, in an order that
changes.  Prints for each recorder, as medians of the rounds: the program's CPU time and elapsed time as multiples of those of
the same round without a recorder, the recorder's own CPU time in a second (of all its processes until it has ended), bytes
in its session for each switch of the program, records of losses, and the largest memory of a process.  Then, as the median of
the rounds with its distribution-free 95 % interval, what a pass costs more under each recorder, and the program's times under
wperf as multiples of those under `--switch-events`.  Not a test: figures depend on the machine.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from record_cost import interval


@dataclass
class Run:
    """What one run of the program gave."""

    elapsed_s: float
    cpu_s: float      # of the program
    own_s: float      # of the recorder
    bytes_each: float  # for each switch
    lost: int
    peak_mb: float


def lost_records(perf: str, session: str) -> int:
    """As perf reads it: what was lost, or records of losses."""
    done = subprocess.run([perf, "report", "--stats", "-i", session], capture_output=True, text=True)
    return sum(int(n) for n in re.findall(r"^ +LOST(?:_SAMPLES)? events: +(\d+)", done.stdout, re.M))


def run(argv: list[str], perf: str, session: str | None) -> Run:
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        out = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    found = re.search(r"^(\d+\.\d{6}) (\d+\.\d{6}) (\d+)$", out, re.M)
    if child.returncode or not found:
        sys.exit(f"{' '.join(argv)}: status {child.returncode}\n{out}")
    elapsed, cpu, switches = float(found[1]), float(found[2]), int(found[3])
    result = Run(elapsed, cpu, used.ru_utime + used.ru_stime - cpu, 0, 0, used.ru_maxrss / 1024)
    if session:
        result.bytes_each = os.path.getsize(session) / switches
        result.lost = lost_records(perf, session)
        os.unlink(session)
    return result


def commands(args) -> dict[str, list[str]]:
    """Of each recorder without the program; its session is `session`."""
    # the samples that wperf takes, too
    sampled = ["-e", "cpu-clock:u", "-F", "999"]
    known = {
        "alone": [],
        "--switch-events": [args.perf, "record", "-q", "-o", "session", *sampled, "--switch-events", "--"],
        "sched record": [args.perf, "sched", "record", "-q", "-o", "session", "--"],
        "wperf": [args.wperf, "record", "-q", "--wall", "-o", "session", "--"],
    }
    if args.new_perf:
        known["--off-cpu"] = [args.new_perf, "record", "-q", "-o", "session", *sampled, "--off-cpu", "--"]
    if args.before:
        known["before"] = [args.before, "record", "-q", "--wall", "-o", "session", "--"]
    return {name: command for name, command in known.items()
            if not args.only or name in args.only or name in ("alone", "--switch-events")}


def show_interval(name: str, values: list[float]) -> None:
    low, high = interval(values)
    print(f"  {name:72} {statistics.median(values):5.2f} [{low:.2f}, {high:.2f}]")


def show(name: str, runs: list[Run], alone: list[Run]) -> None:
    middle = statistics.median
    print(f"  {name:16} program: CPU x {middle(r.cpu_s / a.cpu_s for r, a in zip(runs, alone)):5.2f}  elapsed x "
          f"{middle(r.elapsed_s / a.elapsed_s for r, a in zip(runs, alone)):5.2f}  recorder: "
          f"{100 * middle(r.own_s / r.elapsed_s for r in runs):5.1f} % of a CPU {middle(r.peak_mb for r in runs):6.0f} MB "
          f"{middle(r.bytes_each for r in runs):6.1f} bytes a switch, {sum(r.lost for r in runs)} records of losses")


def measure(args, by: str, rate: int) -> None:
    target = [args.target, by, str(args.threads), str(rate), str(args.seconds)]
    known = commands(args)
    rounds: dict[str, list[Run]] = {name: [] for name in known}
    for i in range(args.rounds):
        names = list(known)
        for name in names[i % len(names):] + names[:i % len(names)]:
            rounds[name].append(run(known[name] + target, args.perf, "session" if known[name] else None))
    alone, perf = rounds["alone"], rounds["--switch-events"]
    print(f"{args.threads} threads, {by}, {rate or 'as many as they can'} passes a second, {args.seconds} s, "
          f"{args.rounds} rounds; alone {statistics.median(r.cpu_s for r in alone):.3f} s of CPU time")
    for name, runs in rounds.items():
        if name != "alone":
            show(name, runs, alone)
    for name, runs in rounds.items():
        if name != "alone":
            show_interval(f"microseconds of CPU time that a pass costs more under {name}",
                          [1e6 * (r.cpu_s - a.cpu_s) / ((rate or 100000) * args.seconds) for r, a in zip(runs, alone)])
    for name in ("wperf", "before"):
        if name not in rounds:
            continue
        runs = rounds[name]
        show_interval(f"the program's CPU time, {name} / --switch-events", [w.cpu_s / p.cpu_s for w, p in zip(runs, perf)])
        show_interval(f"its elapsed time, {name} / --switch-events", [w.elapsed_s / p.elapsed_s for w, p in zip(runs, perf)])
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--before", help="an older wperf")
    parser.add_argument("--target", required=True, help="pass_tokens")
    parser.add_argument("--perf", default="perf")
    parser.add_argument("--new-perf")
    parser.add_argument("--only", nargs="*", help="recorders, besides --switch-events")
    parser.add_argument("--threads", type=int, default=1000)
    parser.add_argument("--rates", nargs="*", type=int, default=[10000, 100000])
    parser.add_argument("--by", nargs="*", default=["pipe", "futex"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=10)
    args = parser.parse_args()
    for name in ("wperf", "before", "target", "new_perf"):
        if getattr(args, name):
            setattr(args, name, os.path.abspath(getattr(args, name)))
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for by in args.by:
            for rate in args.rates:
                measure(args, by, rate)
    return 0


if __name__ == "__main__":
    sys.exit(main())
