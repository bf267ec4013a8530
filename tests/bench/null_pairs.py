#!/usr/bin/python3
"""How often `wperf diff` says that a program differs from itself: pairs of groups of runs of 22 kinds of programs, recorded in turn.

null_pairs.py WPERF PROGRAMS [--pairs N] [--runs N] [--busy] [--seconds N]: PROGRAMS is the folder of the system tests' programs.  Prints a
line for each pair, and at the end how many pairs have an alarm in a row, by function and by Python function, and in a total.  With --busy
one process for each CPU computes beside them; --seconds starts no pair later.  Not a test: chance alone makes alarms, in at most 5 % of the
pairs each.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from compare_trials import diff, has_alarm, record  # noqa: E402

PYTHON = {
    "calls": "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(27)",
    "json": "import json\nd = {'a': list(range(200))}\nfor i in range(8000): json.loads(json.dumps(d))",
    "regular expressions": "import re\nt = open('words').read()[:400000]\nfor i in range(20): re.findall(r'[a-f]+g|x.z', t)",
    "sorting": "import random\nr = random.Random(1)\nfor i in range(6): sorted(r.random() for _ in range(60000))",
    "numbers": "x = 0.5\nfor i in range(2500000): x = 3.7 * x * (1 - x)",
    "dictionaries": "d = {}\nfor i in range(1200000): d[i % 5003] = d.get(i % 4001, 0) + 1",
    "sqlite": "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table t (a, b)')\n"
              "c.executemany('insert into t values (?, ?)', ((i % 997, str(i)) for i in range(100000)))\n"
              "for i in range(5): c.execute('select a, count(*), max(b) from t group by a').fetchall()",
    "texts": "s = ' '.join(map(str, range(40000)))\nfor i in range(90): s.upper().replace('1', 'one').split()",
}


def commands(programs: str) -> dict[str, list[str]]:
    """Those whose program is on this machine, of 0.1 to 0.7 s of CPU time on a fast machine."""
    python = "/usr/bin/python3"
    binary = os.path.join(programs, "compared")
    every = {f"Python: {name}": [python, "-c", code] for name, code in PYTHON.items()}
    every.update({
        "C: three functions": [binary, "200", "200", "100"],
        "C: sorting": [os.path.join(programs, "program"), "150"],
        "gcc": ["gcc", "-O2", "-c", "-o", "/dev/null", "source.c"],
        "sort": ["sort", "words"],
        "gzip": ["gzip", "-c9", "words"],
        "xz": ["xz", "-c1", "words"],
        "bzip2": ["bzip2", "-c", "words"],
        "zstd": ["zstd", "-cq10", "words"],
        "grep": ["sh", "-c", "grep -E '(.)(.).*\\2\\1' words | cat"],
        "sed": ["sed", "-E", "s/([a-m]+)([n-z]+)/\\2\\1/g", "words"],
        "awk": ["awk", "{ n[substr($1, 1, 3)]++; n[substr($1, 2, 4)]++ } END { for (i in n) s += n[i]; print s }", "words"],
        "perl": ["perl", "-ne", "$n{$_}++ for split /[aeiou]/; END { print scalar keys %n }", "words"],
        "bash": ["bash", "-c", "for ((i = 0; i < 60000; i++)); do s=${s:0:20}$i; done"],
        "sha256sum": ["sha256sum", *["words"] * 60],
    })
    return {name: argv for name, argv in every.items() if shutil.which(argv[0])}


def write_inputs(folder: str) -> None:
    letters = random.Random(1)
    with open(os.path.join(folder, "words"), "w", encoding="ascii") as file:
        for _ in range(200000):
            file.write("".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=letters.randrange(4, 14))) + "\n")
    with open(os.path.join(folder, "source.c"), "w", encoding="ascii") as file:
        for i in range(150):
            file.write(f"int f{i}(int n) {{ int s = 0; for (int k = 0; k < n; k++) s += k * {i} % 7 + (s >> {i % 5}); return s; }}\n")


def names_of(document: dict, key: str, name: str) -> list[str]:
    return [f"{row[name]} {row['change_percent']:+.1f} %" for row in document[key] if has_alarm({key: [row]}, key)]


def alarms_of(wperf: str, folder: str, runs: int, argv: list[str]) -> dict[str, list[str]]:
    """Of one pair of groups of runs: what is said to differ."""
    record(wperf, folder, runs, argv, argv)
    functions = json.loads(diff(wperf, folder, "--json"))
    found = {"rows": names_of(functions, "rows", "name"), "totals": names_of(functions, "totals", "total"), "python": []}
    if "python" in argv[0]:
        found["python"] = names_of(json.loads(diff(wperf, folder, "--by", "python", "--json")), "rows", "name")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wperf")
    parser.add_argument("programs")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--busy", action="store_true")
    options = parser.parse_args()
    wperf = os.path.abspath(options.wperf)
    every = list(commands(os.path.abspath(options.programs)).items())
    end = time.monotonic() + options.seconds
    sums = {"rows": 0, "totals": 0, "python": 0}
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() if options.busy else 0)]
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            write_inputs(folder)
            while n < options.pairs and time.monotonic() < end:
                name, argv = every[n % len(every)]
                found = alarms_of(wperf, folder, options.runs, argv)
                n += 1
                for key, names in found.items():
                    sums[key] += bool(names)
                print(f"{n} {name}: {', '.join(sum(found.values(), [])) or 'no alarm'}; load {os.getloadavg()[0]:.0f}", flush=True)
        finally:
            for process in busy:
                process.kill()
    print(f"{n} pairs of {min(n, len(every))} programs, {options.runs} runs each: {sums['rows']} with a row, {sums['python']} with a Python row, "
          f"{sums['totals']} with a total")
    return 0


if __name__ == "__main__":
    sys.exit(main())
