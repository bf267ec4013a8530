#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the time of `wperf diff` of five and five sessions with that of reading them one after the other.

    tests/bench/diff_speed.py [--wperf W] [--rounds N] [SESSION]

Without SESSION, records one of about 100,000 samples of the Python interpreter.  The ten sessions are copies of it.  Prints the
median with the smallest and the largest of the CPU times and of their ratio.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile

WORK = "import json, time\nend = time.process_time() + 10\nd = {'a': list(range(200))}\nwhile time.process_time() < end: json.loads(json.dumps(d))\n"


def cpu_seconds(command: list[str], folder: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spread(values: list[float], digits: int) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("session", nargs="?")
    parser.add_argument("--wperf", default="build/release/src/program/cli/wperf")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    wperf = os.path.abspath(options.wperf)
    with tempfile.TemporaryDirectory() as folder:
        session = os.path.join(folder, "session")
        if options.session:
            shutil.copy(options.session, session)
        else:
            subprocess.run([wperf, "record", "-q", "-F", "10000", "--session", session, "--", "/usr/bin/python3", "-c", WORK],
                           check=True)
        names = [f"{side}-{i}.data" for side in "ab" for i in range(1, 6)]
        for name in names:
            shutil.copy(session, os.path.join(folder, name))
        reads, diffs = [], []
        for _ in range(options.rounds + 1):
            reads.append(sum(cpu_seconds([wperf, "report", "--stdio", name], folder) for name in names))
            diffs.append(cpu_seconds([wperf, "diff", *names[:5], "--", *names[5:]], folder))
        reads, diffs = reads[1:], diffs[1:]  # the first round filled the symbol cache
        print(f"ten reports: {spread(reads, 3)} s of CPU time; diff: {spread(diffs, 3)} s; "
              f"ratio {spread([d / r for d, r in zip(diffs, reads)], 2)}")


if __name__ == "__main__":
    main()
