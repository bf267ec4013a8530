#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CPU time of commands of wperf beside the same ones of perf, in paired rounds.

    tests/bench/beside_perf.py --wperf build/release/src/program/cli/wperf [--perf "perf" ...] [--rounds N] [NAME...]

Each round runs each program once, in turn.  Prints, for each command, the median with the smallest and the largest of
the ratios of user and system time of the same round; below 1 wperf is faster.  The time of a recorded command
counts on both sides; `bare` is the ratio of the command alone.  Reading commands read sessions that the first perf
recorded.
"""
import argparse
import os
import resource
import shlex
import statistics
import subprocess
import tempfile

SOURCE = """#include <map>
#include <regex>
#include <string>
int main(int n, char **v) { std::map<std::string, int> m; for (int i = 0; i < n; i++) m[v[i]] = i; return std::regex_match(v[0], std::regex("a+b*")); }
"""
SPIN = ["/bin/sh", "-c", "i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done"]
LOOP = ["/bin/sh", "-c", "i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i+1)); done"]
# perf puts its own folder first in PATH.
BUILD = ["/usr/bin/env", "PATH=/usr/bin:/bin", "g++", "-O2", "-c", "x.cc", "-o", "x.o"]

# name: (arguments of wperf, arguments of perf, what is recorded); OUT is a file of each program
RECORDING = {
    "stat true": (["stat", "--"], ["stat", "--"], ["/bin/true"]),
    "record true": (["record", "-q", "--no-stacks", "-o", "OUT", "--"], ["record", "-q", "-o", "OUT", "--"], ["/bin/true"]),
    "record spin": (["record", "-q", "--no-stacks", "-F", "999", "-o", "OUT", "--"], ["record", "-q", "-F", "999", "-o", "OUT", "--"], SPIN),
    "record g++": (["record", "-q", "--no-stacks", "-F", "999", "-o", "OUT", "--"], ["record", "-q", "-F", "999", "-o", "OUT", "--"], BUILD),
    "record -g g++": (["record", "-q", "--call-graph", "fp", "-F", "999", "-o", "OUT", "--"],
                      ["record", "-q", "-g", "-F", "999", "-o", "OUT", "--"], BUILD),
    "record loop": (["record", "-q", "--no-stacks", "-F", "999", "-o", "OUT", "--"], ["record", "-q", "-F", "999", "-o", "OUT", "--"], LOOP),
}
# Without inlined functions perf does not start addr2line, which takes minutes.
READING = {
    "report": (["report", "--stdio", "-i", "a.data"], ["report", "--stdio", "-i", "a.data"]),
    "report -g": (["report", "--stdio", "-g", "-i", "g.data"], ["report", "--stdio", "--no-inline", "-g", "-i", "g.data"]),
    "report --no-children": (["report", "--stdio", "--no-children", "-i", "g.data"], ["report", "--stdio", "--no-inline", "--no-children", "-i", "g.data"]),
    "annotate": (["annotate", "--stdio", "-s", "_int_malloc", "-i", "a.data"], ["annotate", "--stdio", "-s", "_int_malloc", "-i", "a.data"]),
    "script": (["export", "--format", "perf-script", "-i", "a.data", "-o", "OUT"], ["script", "-i", "a.data"]),
    "script -g": (["export", "--format", "perf-script", "-i", "g.data", "-o", "OUT"], ["script", "--no-inline", "-i", "g.data"]),
    "dump": (["dump", "-i", "a.data"], ["script", "-D", "-i", "a.data"]),
    "buildid-list": (["dump", "-i", "a.data"], ["buildid-list", "-i", "a.data"]),
    "diff": (["diff", "a.data", "b.data"], ["diff", "a.data", "b.data"]),
    "archive": (["archive", "-i", "a.data", "-o", "OUT"], ["archive", "a.data"]),
}


def cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: status {done.returncode}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def filled(words: list[str], out: str) -> list[str]:
    return [out if word == "OUT" else word for word in words]


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):5.2f} ({min(values):.2f} to {max(values):.2f})"


def compare(name: str, options: argparse.Namespace) -> None:
    own, peer, *target = RECORDING.get(name) or READING[name]
    command = target[0] if target else []
    rounds = []
    for _ in range(options.rounds + 1):
        mine = cpu_seconds([options.wperf, *filled(own, "own.data"), *command])
        rounds.append((mine, [cpu_seconds([*shlex.split(perf), *filled(peer, "peer.data"), *command]) for perf in options.perf],
                       cpu_seconds(command) if command else 0))
    rounds = rounds[1:]  # the first one filled caches
    text = "   ".join(spread([mine / peers[i] for mine, peers, _ in rounds if peers[i]]) for i in range(len(options.perf)))
    bare = f"   bare {statistics.median(alone / peers[0] for _, peers, alone in rounds):.2f}" if command else ""
    print(f"{name:21} {text}   {statistics.median(mine for mine, _, _ in rounds):.3f} s{bare}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of: " + ", ".join([*RECORDING, *READING]))
    parser.add_argument("--wperf", default="build/release/src/program/cli/wperf")
    parser.add_argument("--perf", action="append", help="may be given several times, with words before it; default perf")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    options.wperf = os.path.abspath(options.wperf)
    options.perf = options.perf or ["perf"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("x.cc", "w", encoding="ascii") as file:
            file.write(SOURCE)
        for more, session in ([], "a.data"), ([], "b.data"), (["-g"], "g.data"):
            cpu_seconds([*shlex.split(options.perf[0]), "record", "-q", *more, "-F", "999", "-o", session, "--", *BUILD])
        for name in options.names or [*RECORDING, *READING]:
            compare(name, options)


if __name__ == "__main__":
    main()
