#!/usr/bin/python3
"""Are the shares right?  A program whose phases print their own CPU time is measured.

By hand: test_accuracy.py WPERF BUILD --runs 100 measures again and again; each share has to lie inside of the 95 %
interval that wperf prints for it in at least 90 of 100 runs.
"""
import math
import re
import sys

import harness
from harness import Context, Done, check

SCALE_MS = 100
SIGMAS = 5


def phases_of(done: Done) -> dict[str, float]:
    """What share of their CPU time each phase says that it had."""
    found = {name: int(ns) for name, ns in re.findall(r"^(phase_[a-d]) (\d+)$", done.out + done.err, re.M)}
    check(len(found) == 4, "four phases", done)
    return {name: ns / sum(found.values()) for name, ns in found.items()}


def counts_of(done: Done, phases: dict[str, float]) -> dict[str, int]:
    return {name: harness.row_named(done, name).count for name in phases}


def deviations(done: Done) -> dict[str, float]:
    """By how many standard errors each share is off."""
    phases = phases_of(done)
    counts = counts_of(done, phases)
    total = sum(counts.values())
    check(total > 500, f"{total} samples", done)
    return {name: (counts[name] / total - share) / math.sqrt(share * (1 - share) / total)
            for name, share in phases.items()}


def check_deviations(done: Done) -> None:
    off = deviations(done)
    harness.note("standard errors off: " + ", ".join(f"{name} {value:+.2f}" for name, value in off.items()))
    check(all(abs(value) < SIGMAS for value in off.values()), "within five standard errors", done)


def test_phases_by_default(t: Context) -> None:
    check_deviations(t.good("record", "--", t.program("accuracy"), str(SCALE_MS)))


def test_phases_at_a_fixed_interval(t: Context) -> None:
    check_deviations(t.good("record", "-e", "task-clock:700000", "--", t.program("accuracy"), str(SCALE_MS)))


def test_number_of_samples(t: Context) -> None:
    """As many samples as the CPU time has intervals."""
    done = t.good("record", "-e", "cpu-clock:1000000", "--", t.program("accuracy"), "50")
    used_ms = sum(int(ns) for ns in re.findall(r"^phase_[a-d] (\d+)$", done.out, re.M)) / 1e6
    n = sum(counts_of(done, phases_of(done)).values())
    harness.note(f"{n} samples in {used_ms:.0f} ms of CPU time")
    # Each time that it is taken from the CPU, the time since the last tick is lost or comes again.
    check(0.9 * used_ms < n < 1.05 * used_ms, f"{n} samples in {used_ms:.0f} ms", done)


# --- by hand ---


def intervals_of(t: Context) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """The shares as the program says, and the intervals as wperf prints them."""
    done = t.ours("record", "--json", "-v", "--", t.program("accuracy"), str(SCALE_MS))
    document = harness.document_of(done)
    rows = document["sampling"]["events"][0]["samples"]
    intervals = {row["symbol"].split(":")[0]: tuple(map(float, row["interval_95"].split("-"))) for row in rows}
    return phases_of(done), intervals


def measure_again(t: Context, runs: int) -> bool:
    inside = dict.fromkeys(("phase_a", "phase_b", "phase_c", "phase_d"), 0)
    for number in range(runs):
        phases, intervals = intervals_of(t)
        for name, share in phases.items():
            low, high = intervals[name]
            inside[name] += low <= 100 * share <= high
        print(f"# {number + 1}: {inside}", flush=True)
    return all(10 * count >= 9 * runs for count in inside.values())


def run_by_hand(runs: int) -> None:
    verdicts = []

    def test(t: Context) -> None:
        verdicts.append(measure_again(t, runs))
        check(verdicts[0], "inside of the interval in at least 90 of 100 runs")

    test.seconds = 60 * runs
    print("1..1")
    harness.run_alone(f"{runs} runs", test, sys.argv[1], sys.argv[2])


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[3] == "--runs":
        run_by_hand(int(sys.argv[4]))
    else:
        harness.main(__name__)
