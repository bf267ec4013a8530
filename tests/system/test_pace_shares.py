#!/usr/bin/python3
"""Are the shares of --engine pace right?  The program `paced` works in two functions in many ways: with system calls, faults, sleeps,
threads and processes.  The share of the first is compared with that of the kernel's cpu-clock.

With TRIALS=N each way uses N seconds of CPU time: of 21 ways at most 3 may be more than two standard errors off, and none more than 4.
"""
import os
import re
import subprocess

import harness
from harness import Context, check

FEW = ("calls", "short_turns", "tiny_bursts", "two_threads")
FUNCTIONS = ("first", "second")


def functions_of(program: str) -> dict[str, range]:
    """Offsets in the file; the linker gives code the same ones as addresses."""
    lines = subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout.splitlines()
    symbols = [line.split() for line in lines if line.split()[-1] in FUNCTIONS]
    return {name: range(int(addr, 16), int(addr, 16) + int(size, 16)) for addr, size, _, name in symbols}


def weights_of(t: Context, session: str, program: str) -> list[tuple[str, int]]:
    """Of each sample the function that is in its stack, or "", and its period."""
    ranges, maps, found = functions_of(program), [], []
    for line in t.good("dump", "-i", session).out.splitlines():
        if "  MMAP2  " in line and line.find("/paced ") > 0:
            start, length, offset = (int(number, 16) for number in re.search(r"start (\w+) len (\w+) pgoff (\w+)", line).groups())
            maps.append((range(start, start + length), offset - start))
        sample = re.search(r"  SAMPLE  .* period (\d+) .*chain \[(.*)\]", line)
        if sample:
            offsets = [int(word, 16) + shift for word in sample[2].split() for code, shift in maps if int(word, 16) in code]
            inside = [name for name, code in ranges.items() if any(offset in code for offset in offsets)]
            found.append((inside[0] if inside else "", int(sample[1])))
    return found


def share_of(weights: list[tuple[str, int]]) -> tuple[float, float]:
    """The share of the first function, and how many samples of the same weight would say as much."""
    total = sum(weight for _, weight in weights)
    share = sum(weight for name, weight in weights if name == "first") / total
    return share, total * total / sum(weight * weight for _, weight in weights)


def error_of(t: Context, way: str, ms: int) -> float:
    """How many standard errors the share is off that of cpu-clock, which is sampled at the same time: what a system call costs
    changes from run to run."""
    paced, clock = t.path(f"{way}.data"), t.path(f"{way}-clock.data")
    recorder = t.start(t.wperf, "record", "-q", "--engine", "pace", "--session", paced, "--", t.program("paced"), way, str(ms))
    command = harness.command_of(recorder, "paced")
    done = t.ours("record", "-q", "-g", "-k", "--engine", "ring", "-e", "cpu-clock", "-F", "1999", "--subprocesses", "--session", clock, "-p", str(command),
                  limit=harness.WAIT_SECONDS)
    check(recorder.wait(harness.WAIT_SECONDS) == 0 and done.status == 0, way, done)
    share, n = share_of(weights_of(t, paced, t.program("paced")))
    right, n_clock = share_of(weights_of(t, clock, t.program("paced")))
    middle = (share * n + right * n_clock) / (n + n_clock)
    error = (max(middle * (1 - middle), 0.001) * (1 / n + 1 / n_clock)) ** 0.5
    harness.note(f"{way}: {100 * share:.1f} % of {n:.0f} samples, by cpu-clock {100 * right:.1f} % of {n_clock:.0f}: {(share - right) / error:+.2f}")
    return (share - right) / error


@harness.limit(120)
def test_shares_beside_those_of_cpu_clock(t: Context) -> None:
    harness.need_root()
    harness.need_events()
    for way in FEW:
        check(abs(error_of(t, way, 1500)) < 5, f"{way} is within five standard errors")


def all_ways(t: Context) -> None:
    ways = [way for way in os.environ.get("WAYS", t.run(t.program("paced")).out).split() if way != "long_calls"]
    errors = {way: abs(error_of(t, way, 1000 * int(os.environ["TRIALS"]))) for way in ways}
    beyond = [way for way, error in errors.items() if error > 2]
    check(len(beyond) <= 3 and max(errors.values()) <= 4, f"{len(ways)} ways, beyond two standard errors: {beyond}")


if "TRIALS" in os.environ:
    test_all_ways = harness.limit(3600)(all_ways)


if __name__ == "__main__":
    harness.main(__name__)
