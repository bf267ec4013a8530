#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lost samples when wperf and perf record call stacks under load, in rounds on one machine.

    tests/bench/lost_samples.py --wperf build/rel/src/program/cli/wperf [--rounds 3] [--seconds 4] [--python
    /usr/bin/python3.11]

Every CPU has a Python program that is recorded and one that is not, so that the recorder competes for its time.  Prints
for each rate and method to record stacks: samples, lost samples, the share of the ticks of the targets' own CPU time
that became samples, and the session's size.  wperf reads both sessions.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

SPIN = "import time\nend = time.monotonic() + {s}\nn = 0\ndef f(i):\n    return i * i % 7\nwhile time.monotonic() < end:\n    n += sum(map(f, range(1000)))\n"
RECORDED = "import os, subprocess, sys\n" \
           "subs = [subprocess.Popen([sys.executable, '-c', {code!r}]) for _ in range(os.cpu_count())]\n" \
           "[s.wait() for s in subs]\nt = os.times()\nprint(t.children_user + t.user)\n"
WAYS = {"fp": ["--call-graph", "fp"], "dwarf copies": ["--call-graph", "dwarf"], "unwound": ["-g"]}


def record(args, recorder, way, rate, path):
    code = SPIN.format(s=args.seconds)
    target = [args.python, "-c", RECORDED.format(code=code)]
    if recorder == "wperf":
        command = [args.wperf, "record", "-q", *WAYS[way], "-e", "cpu-clock:u", "-F", str(rate), "--session", path, "--"]
    else:
        command = ["perf", "record", "-q", *WAYS[way], "-e", "cpu-clock:u", "-F", str(rate), "-o", path, "--"]
    load = [subprocess.Popen([args.python, "-c", code]) for _ in range(os.cpu_count())]
    try:
        done = subprocess.run(command + target, capture_output=True, text=True)
    finally:
        for one in load:
            one.wait()
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    report = subprocess.run([args.wperf, "report", "--json", "-i", path], capture_output=True, text=True, check=True)
    quality = json.loads(report.stdout)["quality"]
    ticks = float(done.stdout.split()[-1]) * rate
    return quality["samples"], quality["lost"], quality["samples"] / ticks, os.path.getsize(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", default="build/rel/src/program/cli/wperf")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--python", default="/usr/bin/python3.11")
    args = parser.parse_args()
    for rate in (999, 4999):
        for way in WAYS:
            for recorder in ("wperf", "perf"):
                if recorder == "perf" and way == "unwound":
                    continue
                rounds = []
                with tempfile.TemporaryDirectory() as folder:
                    for number in range(args.rounds):
                        rounds.append(record(args, recorder, way, rate, os.path.join(folder, f"{number}.data")))
                samples, lost = sum(r[0] for r in rounds), sum(r[1] for r in rounds)
                shares = [100 * r[2] for r in rounds]
                print(f"{rate:5} Hz  {way:12}  {recorder:5}  {samples:7} samples, {lost:6} lost ({100 * lost / max(1, samples + lost):.2f} %), "
                      f"{min(shares):.1f} to {max(shares):.1f} % of the ticks, {sum(r[3] for r in rounds) / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
