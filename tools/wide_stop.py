#!/usr/bin/python3
"""Runs large programs without a recorder, recorded by the ring and recorded by stops, in turn, and compares how they
end and how long they take.

Each has a time limit.  The tool fails if a program ends in another way with a recorder than without, or prints another
summary.  Tests of Python that also fail without a recorder are no failures.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PYTHON = "/usr/bin/python3.11"
ENGINES = ("bare", "ring", "stop")
SHELL = "for i in $(seq 3334); do /bin/true; x=$(/bin/echo $i); [ -e /tmp ] && /bin/cat /dev/null; done; echo $x"
# Names of tests that failed, and how many ran, or what a server did; times and temporary paths vary.
SUMMARY = re.compile(r"^(?:FAIL|ERROR): .*|^Ran \d+ tests?|^OK.*|^FAILED.*|^\w+: \d+ answers.*|^sum .*|^log: .*", re.M)
SERVERS = ("gunicorn", "gthread", "uwsgi", "asyncio", "sigwait")


def tests(*names: str) -> list[str]:
    return [PYTHON, "-m", "unittest", *(f"test.{name}" for name in names)]


def programs(source: str) -> dict[str, list[str]]:
    build = (f"meson setup made {source} --buildtype=release >/dev/null && ninja -C made -j4 src/program/cli/wperf >log || exit;"
             " made/src/program/cli/wperf --version")
    return {
        "build": ["/bin/bash", "-c", build],
        "shell": ["/bin/bash", "-c", SHELL],
        "subprocess": tests("test_subprocess"),
        "signal": tests("test_signal", "test_threadsignals"),
        "threading": tests("test_threading", "test_thread"),
        "processes": tests("test_fork1", "test_wait3", "test_wait4", "test_posix", "test_pty", "test_popen", "test_faulthandler"),
        "multiprocessing": tests("test_multiprocessing_fork.WithProcessesTestPool",
                                 "test_multiprocessing_spawn.WithProcessesTestProcess",
                                 "test_multiprocessing_forkserver.WithProcessesTestQueue"),
        "asyncio": tests("test_asyncio.test_subprocess", "test_asyncio.test_events", "test_asyncio.test_unix_events"),
        "jsonschema": [PYTHON, "-m", "unittest", "discover", "-s", "/usr/lib/python3/dist-packages/jsonschema/tests", "-t",
                       "/usr/lib/python3/dist-packages"],
        **{f"server {name}": [PYTHON, os.path.join(source, "tools/wide_server.py"), name] for name in SERVERS},
    }


def run(argv: list[str], engine: str, options: argparse.Namespace) -> tuple[float, str]:
    """How long it takes, and how it ends."""
    folder = tempfile.mkdtemp(prefix="wperf-wide-")
    if engine != "bare":
        argv = [options.wperf, "record", "-q", "-g", "--engine", engine, "--session", "session", "--", *argv]
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LC_ALL", "LANG")}
    begin = time.monotonic()
    try:
        with open(os.path.join(folder, "output"), "w+", encoding="utf-8", errors="replace") as output:
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder,
                                       start_new_session=True, env={**environment, "HOME": folder})
            try:
                status = str(process.wait(options.limit))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                status = f"not done after {options.limit} s"
            seconds = time.monotonic() - begin
            output.seek(0)
            text = output.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = SUMMARY.findall(text) or text.splitlines()[-1:]
    return seconds, "\n".join([*(re.sub(r" in [\d.]+s", "", line) for line in sorted(lines)), "status " + status])


def compare(name: str, argv: list[str], options: argparse.Namespace) -> list[str]:
    seconds, problems = {engine: [] for engine in ENGINES}, []
    for _ in range(options.rounds):
        ends = {}
        for engine in ENGINES:
            took, ends[engine] = run(argv, engine, options)
            seconds[engine].append(took)
        problems += [f"{name}: by {engine}\n{ends[engine]}\nbare\n{ends['bare']}" for engine in ENGINES[1:]
                     if ends[engine] != ends["bare"]]
    ratios = {engine: [a / b for a, b in zip(seconds[engine], seconds["bare"])] for engine in ENGINES[1:]}
    of_ring = [a / b for a, b in zip(seconds["stop"], seconds["ring"])]
    texts = [f"{label} {statistics.median(of):.2f} ({min(of):.2f} to {max(of):.2f})"
             for label, of in (*((f"{engine}/bare", of) for engine, of in ratios.items()), ("stop/ring", of_ring))]
    print(f"{name}: bare {statistics.median(seconds['bare']):.1f} s, {', '.join(texts)}", flush=True)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("wperf", help="the program to record with")
    parser.add_argument("names", nargs="*", help="programs, default all")
    parser.add_argument("--rounds", type=int, default=3, help="default 3")
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="for each run, default 900")
    options = parser.parse_args()
    options.wperf = os.path.abspath(options.wperf)
    table = programs(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    problems = [problem for name, argv in table.items() if not options.names or name in options.names
                for problem in compare(name, argv, options)]
    for problem in problems:
        print(f"failed: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
