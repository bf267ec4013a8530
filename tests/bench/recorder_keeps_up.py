#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lost samples and CPU time of recorders, beside other work, in interleaved rounds on one machine.

    tests/bench/recorder_keeps_up.py --wperf build/rel/src/program/cli/wperf [--before OLD_WPERF] [--chains build/rel/tests/system/chains]
    [--rounds 5] [--spinners 0 2 8] [--threads 4 16] [--units 100] [--rate 999] [--csv FILE]

Each round runs the program `chains pool UNITS THREADS` (with the same work for each number of threads) without a recorder,
with each wperf and with perf, while a number of other processes spin.  The recorders are

    before    the wperf of --before: record -g
    wperf     the wperf of --wperf: record -g
    perf      perf record --call-graph dwarf,8192

Prints for each number of spinners and threads, and for each recorder: in how many rounds samples were lost, the samples and
the lost samples of all rounds, the recorder's own CPU time (of its process, without the program), and how much CPU time
recorder and program took together beyond the program alone (medians of the rounds).  In `perf`, lost samples are those that
its LOST and LOST_SAMPLES records count; their number is in parentheses.  `both` is the number of rounds in which wperf lost
samples and perf lost none.
"""
import argparse
import csv
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

SPIN = "while True: pass"


@dataclass
class Run:
    """What one run of the program under a recorder gave."""

    samples: int
    lost: int
    records: int    # that say that samples were lost
    own_s: float    # CPU time of the recorder
    beyond_s: float  # CPU time of recorder and program beyond that of the program alone


def cpu_s(usage) -> float:
    return usage.ru_utime + usage.ru_stime


def timed(command: list[str]) -> tuple[float, float]:
    """CPU time of all processes, and that of the program, which the shell prints."""
    before = cpu_s(resource.getrusage(resource.RUSAGE_CHILDREN))
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    all_s = cpu_s(resource.getrusage(resource.RUSAGE_CHILDREN)) - before
    found = re.search(r"^program (\S+)$", done.stdout + done.stderr, re.M)
    if not found:
        sys.exit(f"{' '.join(command)}: the program's CPU time is missing")
    return all_s, float(found[1])


def quality_of(wperf: str, path: str) -> tuple[int, int]:
    report = subprocess.run([wperf, "report", "--json", "-i", path], capture_output=True, text=True, check=True)
    quality = json.loads(report.stdout)["quality"]
    return quality["samples"], quality["lost"]


def perf_losses(path: str) -> tuple[int, int, int]:
    """Samples, lost samples, and records about losses."""
    dump = subprocess.run(["perf", "script", "-D", "-i", path], capture_output=True, text=True, errors="replace").stdout
    lost = [int(n, 0) for n in re.findall(r"PERF_RECORD_LOST(?:_SAMPLES)?\b.*?lost:? *(\d+)", dump)]
    return len(re.findall(r"PERF_RECORD_SAMPLE\b", dump)), sum(lost), len(lost)


class Bench:
    def __init__(self, args: argparse.Namespace, folder: str):
        self.args = args
        self.path = os.path.join(folder, "session")
        # Prints the CPU time of the program that it ran; `times` of the shell has only hundredths of a second.
        self.child = os.path.join(folder, "program.py")
        with open(self.child, "w", encoding="utf-8") as file:
            file.write("import resource, subprocess, sys\n"
                       "subprocess.run(sys.argv[1:], check=True)\n"
                       "u = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
                       "s = resource.getrusage(resource.RUSAGE_SELF)\n"
                       "print('program %.6f' % (u.ru_utime + u.ru_stime + s.ru_utime + s.ru_stime), flush=True)\n")

    def program(self, threads: int) -> list[str]:
        units = max(1, self.args.units * 4 // threads)
        return ["/usr/bin/python3", self.child, self.args.chains, "pool", str(units), str(threads)]

    def recorders(self) -> list[str]:
        return (["before"] if self.args.before else []) + ["wperf"] + ([] if self.args.no_perf else ["perf"])

    def run(self, recorder: str, threads: int, alone_s: float) -> Run:
        if recorder == "perf":
            command = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(self.args.rate), "--call-graph", "dwarf,8192", "-o", self.path, "--"]
        else:
            program = self.args.before if recorder == "before" else self.args.wperf
            command = [program, "record", "-q", "-g", "-F", str(self.args.rate), "--session", self.path, "--"]
        all_s, program_s = timed(command + self.program(threads))
        samples, lost, records = (*quality_of(self.args.wperf, self.path), 0) if recorder != "perf" else perf_losses(self.path)
        for name in (self.path, self.path + ".old"):
            if os.path.exists(name):
                os.unlink(name)
        return Run(samples, lost, records, all_s - program_s, all_s - alone_s)


def median(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def print_rows(spinners: int, threads: int, runs: dict[str, list[Run]]) -> None:
    for recorder, of in runs.items():
        lost, samples = sum(r.lost for r in of), sum(r.samples for r in of)
        records = f" ({sum(r.records for r in of)} records)" if recorder == "perf" else ""
        print(f"{spinners:8} {threads:7}  {recorder:7} {sum(r.lost > 0 for r in of):3} of {len(of):3}  {samples:8} samples  {lost:6} lost{records}, "
              f"{100 * lost / max(1, samples + lost):.2f} %;  own {median([r.own_s for r in of])} s;  beyond {median([r.beyond_s for r in of])} s", flush=True)
    if "perf" in runs:
        only = sum(w.lost > 0 and not p.lost for w, p in zip(runs["wperf"], runs["perf"]))
        print(f"{spinners:8} {threads:7}  wperf lost samples and perf none: {only} of {len(runs['wperf'])} rounds", flush=True)


def measure(bench: Bench, spinners: int, threads: int, table) -> None:
    runs: dict[str, list[Run]] = {recorder: [] for recorder in bench.recorders()}
    load = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(spinners)]
    try:
        for number in range(bench.args.rounds):
            alone_s, _ = timed(bench.program(threads))
            order = list(runs) if number % 2 else list(reversed(runs))
            for recorder in order:
                run = bench.run(recorder, threads, alone_s)
                runs[recorder].append(run)
                if table:
                    table.writerow([spinners, threads, number, recorder, run.samples, run.lost, run.records, f"{run.own_s:.4f}", f"{run.beyond_s:.4f}",
                                    f"{os.getloadavg()[0]:.1f}"])
    finally:
        for one in load:
            one.kill()
            one.wait()
    print_rows(spinners, threads, runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", default="build/rel/src/program/cli/wperf")
    parser.add_argument("--before")
    parser.add_argument("--chains", default="build/rel/tests/system/chains")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--spinners", type=int, nargs="+", default=[0, 2, 8])
    parser.add_argument("--threads", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--units", type=int, default=100)
    parser.add_argument("--rate", type=int, default=999)
    parser.add_argument("--no-perf", action="store_true")
    parser.add_argument("--csv")
    args = parser.parse_args()
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, {args.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder, open(args.csv or os.devnull, "w", encoding="utf-8", newline="") as file:
        bench = Bench(args, folder)
        for spinners in args.spinners:
            for threads in args.threads:
                measure(bench, spinners, threads, csv.writer(file) if args.csv else None)
                file.flush()


if __name__ == "__main__":
    main()
