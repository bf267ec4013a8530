#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf report with perf report on sessions that perf recorded.

    tests/bench/report_speed.py [--wperf W] [--before W] [--rounds N] [--perf-rounds N] [--tree-alone |
                                --flat-alone] [--wide FILE] [--one FILE] [--small FILE]

--wide and --one name sessions that wide_session.py recorded: the call tree and the flat table on one CPU, and the call
tree on four.  --small names a session with kernel samples of this boot: the flat table, with a filled symbol cache.
Every round runs each program once, and with --before also an older wperf.  Prints the median with the smallest and the
largest of the elapsed time and of the CPU time, and of the ratios of the same round.

Memory beyond the mapped file is the peak of RssAnon + RssShmem in /proc/PID/status, read every 5 ms; the second figure
is the peak of all memory, including the mapped file, from wait4.  The texts of wperf on one CPU and on several must be
the same.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def private_kb(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
    except OSError:
        return 0
    return sum(int(fields.get(name, "0 kB").split()[0]) for name in ("RssAnon", "RssShmem"))


def run(command, cpus, limit_bytes, out):
    """Elapsed seconds, CPU seconds, MB beyond the mapped file, MB in total; None if memory ran out."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))

    before = time.monotonic()
    child = subprocess.Popen(["taskset", "-c", cpus, *command], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL,
                             preexec_fn=limit)
    most = 0
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        most = max(most, private_kb(child.pid))
        time.sleep(0.005)
    took = time.monotonic() - before
    if status:
        return None
    return took, usage.ru_utime + usage.ru_stime, most / 1024, usage.ru_maxrss / 1024


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def compare(label, own, peer, cpus, args):
    commands = {"wperf": own, "perf": peer}
    if args.before:
        commands = {"wperf": own, "before": [args.before, *own[1:]], "perf": peer}
    if not args.perf_rounds:
        del commands["perf"]
    took = {name: [] for name in commands}
    with tempfile.TemporaryFile() as out:
        for i in range(args.rounds):
            for name, command in commands.items():
                if name == "perf" and i >= args.perf_rounds:
                    continue
                out.seek(0)
                out.truncate()
                took[name].append(run(command, cpus, args.limit << 30, out))
    print(f"{label}, CPUs {cpus}")
    for name, rounds in took.items():
        if None in rounds:
            print(f"  {name} failed or needs more than {args.limit} GB")
            return
        print(f"  {name:6} elapsed {spread([r[0] for r in rounds], 3)} s, CPU {spread([r[1] for r in rounds], 3)} s, "
              f"{max(r[2] for r in rounds):.0f} MB beyond the file, {max(r[3] for r in rounds):.0f} MB in all")
    for name in list(took)[1:]:
        for i, kind in enumerate(("elapsed", "CPU")):
            print(f"  {name} {kind}: {spread([p[i] / w[i] for w, p in zip(took['wperf'], took[name])], 2)} times wperf's")


def same_text(command, n_cpus):
    texts = [subprocess.run(["taskset", "-c", cpus, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
             for cpus in ("0", f"0-{n_cpus - 1}")]
    print("  the text is " + ("the same on one CPU and on several" if texts[0] == texts[1] else "DIFFERENT on several CPUs"))
    return texts[0] == texts[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", default="build/rel/src/program/cli/wperf")
    parser.add_argument("--before", help="an older wperf, which is run as well")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--perf-rounds", type=int, default=1, help="0: without perf, which needs 11 GB for the wide session")
    parser.add_argument("--tree-alone", action="store_true", help="leave out the flat table")
    parser.add_argument("--flat-alone", action="store_true", help="leave out the call trees")
    parser.add_argument("--limit", type=int, default=12, help="GB of address space that a program may take")
    parser.add_argument("--wide")
    parser.add_argument("--one")
    parser.add_argument("--small")
    args = parser.parse_args()
    n_cpus = min(4, os.cpu_count())
    every = f"0-{n_cpus - 1}"
    ok = True
    for label, path in (("wide session", args.wide), ("one process", args.one)):
        if not path:
            continue
        tree = [args.wperf, "report", "-g", "-i", path]
        print(f"{label}: {os.path.getsize(path) / 1e6:.0f} MB")
        if not args.flat_alone:
            compare("call tree", tree, ["perf", "report", "--stdio", "-g", "-i", path], "0", args)
            compare("call tree", tree, ["perf", "report", "--stdio", "-g", "-i", path], every, args)
            ok &= same_text(tree, n_cpus)
        if args.tree_alone:
            continue
        compare("flat table", [args.wperf, "report", "-i", path], ["perf", "report", "--stdio", "-g", "none", "-i", path], "0", args)
        ok &= same_text([args.wperf, "report", "-i", path], n_cpus)
    if args.small:
        own = [args.wperf, "report", "-i", args.small]
        subprocess.run(own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        compare("small session, second time", own, ["perf", "report", "--stdio", "-i", args.small], "0", args)
    return 0 if ok else 1


sys.exit(main())
