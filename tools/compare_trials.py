#!/usr/bin/python3
"""Trials of `wperf diff` on real runs, for ./check long: how often a program that is compared with itself has an alarm, quiet and under load,
and how often a planted slow-down is found with the number of runs that wperf asks for.

compare_trials.py WPERF PROGRAMS [--comparisons N] [--planted N]: PROGRAMS is the folder of the system tests' programs.  Fails if more than
15 % of the comparisons have an alarm, or less than 80 % of the slow-downs are found.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

RUNS = 4
PILOT_RUNS = 5
MOST_RUNS = 80
PYTHON_WORK = "import json\nd = {'a': list(range(200))}\nfor i in range(3000): json.loads(json.dumps(d))\n"


def record(wperf: str, folder: str, runs: int, a: list[str], b: list[str]) -> None:
    for name in os.listdir(folder):
        if ".data" in name:
            os.unlink(os.path.join(folder, name))
    subprocess.run([wperf, "record", "-q", "--repeat", str(runs), "-o", "a-%n.data", "--vs", "b-%n.data=" + shlex.join(b), "--", *a],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)


def diff(wperf: str, folder: str, *options: str) -> str:
    names = sorted(name for name in os.listdir(folder) if name.endswith(".data"))
    return subprocess.run([wperf, "diff", "--by", "function", *options, *(n for n in names if n.startswith("a-")), "--",
                           *(n for n in names if n.startswith("b-"))],
                          cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def has_alarm(document: dict, key: str) -> bool:
    return any(row["verdict"] in ("slower", "faster", "more", "less") for row in document[key])


def compare_with_itself(wperf: str, label: str, command: list[str], n: int) -> tuple[int, int]:
    """Comparisons with an alarm in the rows, by time, and in the totals."""
    rows = totals = shares = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(n):
            record(wperf, folder, RUNS, command, command)
            document = json.loads(diff(wperf, folder, "--json"))
            rows += has_alarm(document, "rows")
            totals += has_alarm(document, "totals")
            shares += has_alarm(json.loads(diff(wperf, folder, "--json", "--measure", "share")), "rows")
    print(f"{label}: of {n} comparisons with itself, {rows} have an alarm in the rows by time, {shares} by share, {totals} in the totals",
          flush=True)
    return rows, totals


def find_planted(wperf: str, program: str, percent: int, n: int) -> tuple[int, int]:
    """How many of the slow-downs of `alpha` are found; those that need more than MOST_RUNS runs are not tried."""
    found = tried = n_runs = 0
    plain = [program, "400", "60", "60"]
    slow = [program, str(400 + 4 * percent), "60", "60"]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(n):
            record(wperf, folder, PILOT_RUNS, plain, plain)
            text = diff(wperf, folder, "--find", f"{percent}%")
            asked = re.search(rf"these runs suffice for {percent} % of alpha|{percent} % of alpha needs (\d+) more run", text)
            if not asked or int(asked[1] or 0) + PILOT_RUNS > MOST_RUNS:
                continue
            runs = int(asked[1] or 0) + PILOT_RUNS
            record(wperf, folder, runs, plain, slow)
            document = json.loads(diff(wperf, folder, "--json"))
            tried += 1
            n_runs += runs
            found += any(row["name"] == "alpha" and row["verdict"] == "slower" for row in document["rows"])
    print(f"slow-downs of {percent} % in one function: {found} of {tried} found with {n_runs / max(tried, 1):.0f} runs on average; "
          f"{n - tried} needed more than {MOST_RUNS} runs", flush=True)
    return found, tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wperf")
    parser.add_argument("programs")
    parser.add_argument("--comparisons", type=int, default=100)
    parser.add_argument("--planted", type=int, default=100)
    options = parser.parse_args()
    wperf = os.path.abspath(options.wperf)
    compared = os.path.join(os.path.abspath(options.programs), "compared")
    programs = {"three functions": [compared, "200", "200", "100"], "sorting": [os.path.join(os.path.dirname(compared), "program"), "150"],
                "Python": ["/usr/bin/python3", "-c", PYTHON_WORK]}
    alarms = comparisons = 0
    for load in (False, True):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() if load else 0)]
        try:
            for label, command in programs.items():
                n = options.comparisons // 2
                rows, totals = compare_with_itself(wperf, f"{label}, {'under load' if load else 'quiet'}", command, n)
                alarms += rows + totals
                comparisons += n
        finally:
            for process in busy:
                process.kill()
    good = alarms <= 0.15 * comparisons
    for percent in (5, 10, 20):
        found, tried = find_planted(wperf, compared, percent, options.planted)
        good &= found >= 0.8 * tried
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
