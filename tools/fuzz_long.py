#!/usr/bin/python3
"""Fuzzes targets for a long time, one on each core, and prints what was run and found.

It starts with all seeds that the ordinary tests replay.  Inputs that a target finds are stored in FOUND/TARGET, where the next run starts.  Fails if an input crashes its target,
or takes too much time or memory: the input is stored in FOUND/TARGET.crashes, and should be added to tests/fuzz/corpus
with the fix.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

STATUS = re.compile(rb"^#(\d+)\s+(\w+)\s+cov: (\d+) ft: (\d+) corp: (\d+)", re.MULTILINE)
ONE_INPUT_SECONDS = 25
MEMORY_MIB = 2048


def worst(log: bytes) -> tuple[int, int] | None:
    """Seconds and MiB: the most of all inputs, with sanitizers; libFuzzer counts whole seconds.  None if the target did not end by itself."""
    found = [re.search(rb"stat::" + name + rb":\s*(\d+)", log) for name in (b"slowest_unit_time_sec", b"peak_rss_mb")]
    return (int(found[0][1]), int(found[1][1])) if all(found) else None


def worst_text(log: bytes) -> str:
    """`slowest 2 s, 310 MiB`"""
    found = worst(log)
    return f"slowest {found[0]} s, {found[1]} MiB" if found else "no final figures"


def row(name: str, log: bytes, cpu_seconds: float, n_crashes: int) -> str:
    """A row of the table; ROW_HEAD is its head."""
    seen = STATUS.findall(log)
    slowest, memory = worst(log) or ("-", "-")
    return f"{name:20} {int(seen[-1][0]) if seen else 0:>9,} {cpu_seconds:>6.0f} {slowest:>10} {memory:>6} {n_crashes:>8}"


ROW_HEAD = f"{'target':20} {'inputs':>9} {'CPU s':>6} {'slowest, s':>10} {'MiB':>6} {'crashes':>8}"


def figures(name: str, log: bytes, cpu_seconds: float, crashes: list[str]) -> str:
    """`elf: 1,234,567 runs in 1,790 s of CPU time, 2,100 edges at first, 2,150 at the end, 480 inputs, slowest 2 s, 310 MiB, 0 crashes`"""
    seen = [(int(runs), int(edges), int(inputs)) for runs, _, edges, _, inputs in STATUS.findall(log)]
    if not seen:
        return f"{name}: it did not start"
    first = next((int(edges) for _, event, edges, _, _ in STATUS.findall(log) if event == b"INITED"), seen[0][1])
    return (f"{name}: {seen[-1][0]:,} runs in {cpu_seconds:,.0f} s of CPU time, {first:,} edges at first, "
            f"{seen[-1][1]:,} at the end, {seen[-1][2]:,} inputs, {worst_text(log)}, {len(crashes)} crashes")


def run(command: list[str], log_path: str) -> tuple[int, float]:
    """The exit status, and the seconds of CPU time, which on a busy machine are less than the elapsed time."""
    with open(log_path, "wb") as log, subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def seeds(options: argparse.Namespace, name: str) -> list[str]:
    """The folders and files of tests/fuzz/meson.build: libFuzzer takes folders as arguments, and files by an option."""
    with open(os.path.join(options.build, "tests/fuzz", f"fuzz_{name}.seeds"), encoding="utf-8") as file:
        paths = file.read().split("\n")[:-1]
    files = [path for path in paths if not os.path.isdir(path)]
    return ([f"-seed_inputs={','.join(files)}"] if files else []) + [path for path in paths if os.path.isdir(path)]


def fuzz(options: argparse.Namespace, name: str) -> tuple[bool, str, str]:
    """Whether all is well, what was run and found, and a row of the table."""
    found = os.path.join(options.found, name)
    crashes = found + ".crashes"
    for folder in (found, crashes):
        os.makedirs(folder, exist_ok=True)
    known = set(os.listdir(crashes))
    command = [os.path.join(options.build, "tests/fuzz", f"fuzz_{name}"), f"-max_total_time={options.seconds}",
               f"-runs={options.runs}",
               f"-timeout={ONE_INPUT_SECONDS}", f"-rss_limit_mb={MEMORY_MIB}", f"-artifact_prefix={crashes}/",
               "-print_final_stats=1", found, *seeds(options, name)]
    status, cpu_seconds = run(command, f"{found}.log")
    with open(f"{found}.log", "rb") as log:
        text = log.read()
    new = sorted(set(os.listdir(crashes)) - known)
    line = figures(name, text, cpu_seconds, new)
    return (status == 0 and not new, "\n".join([line, *(f"  {crashes}/{crash}" for crash in new)]),
            row(name, text, cpu_seconds, len(new)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", help="a build made with -Dfuzz=true")
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="as perfdata, for fuzz_perfdata")
    parser.add_argument("--seconds", type=int, default=1800, help="for each target, default 1800")
    parser.add_argument("--runs", type=int, default=-1, help="end each target after so many inputs, with its seeds; default no limit")
    parser.add_argument("--table", action="store_true", help="print at the end the most time and memory of an input of each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at a time, default one a CPU")
    parser.add_argument("--found", default="build/found", help="folder of what is found, default build/found")
    options = parser.parse_args()
    missing = [name for name in options.targets
               if not os.path.exists(os.path.join(options.build, "tests/fuzz", f"fuzz_{name}"))]
    if missing:
        sys.exit(f"fuzz_long.py: {options.build} has no target {', '.join(missing)}")
    passed = True
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for ok, text, of_table in pool.map(lambda name: fuzz(options, name), options.targets):
            print(text, flush=True)
            rows.append(of_table)
            passed &= ok
    if options.table:
        print("\n".join([ROW_HEAD, *rows]))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
