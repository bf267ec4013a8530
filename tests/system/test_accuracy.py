#!/usr/bin/python3
"""Are the shares right?  Measures programs whose phases and paths print their own CPU time.

By hand: test_accuracy.py WPERF BUILD --runs 100 measures 100 times.  The share of each phase must be inside the 95 %
interval that wperf prints for it in at least 90 of 100 runs; so must the share of each path, with each method to record
stacks.
"""
import collections
import json
import math
import re
import sys

import harness
from harness import Context, Done, check

SCALE_MS = 100
SIGMAS = 5


def phases_of(done: Done) -> dict[str, float]:
    """The share of the CPU time of each phase, as the program prints it."""
    found = {name: int(ns) for name, ns in re.findall(r"^(phase_[a-d]) (\d+)$", done.out + done.err, re.M)}
    check(len(found) == 4, "four phases", done)
    return {name: ns / sum(found.values()) for name, ns in found.items()}


def counts_of(done: Done, phases: dict[str, float]) -> dict[str, int]:
    return {name: harness.row_named(done, name).count for name in phases}


def deviations(done: Done) -> dict[str, float]:
    """The error of each share, in standard errors."""
    phases = phases_of(done)
    counts = counts_of(done, phases)
    total = sum(counts.values())
    check(total > 500, f"{total} samples", done)
    return harness.deviations(counts, phases)


def check_deviations(done: Done) -> None:
    off = deviations(done)
    harness.note("standard errors off: " + ", ".join(f"{name} {value:+.2f}" for name, value in off.items()))
    check(all(abs(value) < SIGMAS for value in off.values()), "within five standard errors", done)


def test_phases_by_default(t: Context) -> None:
    check_deviations(t.good("record", "--", t.program("accuracy"), str(SCALE_MS)))


def test_phases_at_a_fixed_interval(t: Context) -> None:
    check_deviations(t.good("record", "-e", "task-clock:700000", "--", t.program("accuracy"), str(SCALE_MS)))


# What it counts of itself: faults, and how often it left the CPU.
FAULTS_AND_SWITCHES = """
import resource, time
block = bytearray(1 << 26)
for _ in range(200): time.sleep(0.0001)
used = resource.getrusage(resource.RUSAGE_SELF)
print("faults", used.ru_minflt + used.ru_majflt)
print("switches", used.ru_nvcsw + used.ru_nivcsw)
"""


def test_software_events_keep_their_interval(t: Context) -> None:
    """The kernel takes each event if a sample is to have its period."""
    for options, event, counted, interval in (((), "page-faults:u", "faults", 20), ((), "page-faults:u", "faults", 1000000),
                                              ((), "minor-faults:u", "faults", 50), (("-g",), "page-faults:u", "faults", 20),
                                              (("-k",), "context-switches", "switches", 7)):
        done = t.good("record", *options, "-e", f"{event}:{interval}", "--", "/usr/bin/python3.11", "-c", FAULTS_AND_SWITCHES)
        n, expected = harness.quality_of(done)["samples"], int(re.search(rf"^{counted} (\d+)$", done.out, re.M)[1]) / interval
        # Faults in the kernel are not the event's; faults and switches at the end are not the program's count.
        check(0.8 * expected - 2 <= n <= 1.1 * expected + 3, f"{event} every {interval}: {n} samples, {expected:.0f} expected", done)


def test_number_of_samples(t: Context) -> None:
    """There are as many samples as the CPU time has intervals."""
    done = t.good("record", "-e", "cpu-clock:1000000", "--", t.program("accuracy"), "50")
    used_s = sum(int(ns) for ns in re.findall(r"^phase_[a-d] (\d+)$", done.out, re.M)) / 1e9
    switches = int(re.search(r"^switches (\d+)$", done.out, re.M)[1])
    n = sum(counts_of(done, phases_of(done)).values())
    harness.check_samples(n, harness.Usage(used_s, 0, switches), 1000, "four phases", done)


# --- paths ---

# The program's own functions from main on.  path_e has two functions.
PATHS = {
    "run;path_a;shared;spin": "path_a",
    "run;path_b;shared;spin": "path_b",
    "run;path_c" + 11 * ";down" + ";shared;spin": "path_c",
    "run;path_e" + 4 * ";down" + ";shared;spin": "path_e",
    "run;path_e;path_d;spin": "path_e",
    "run;path_d;spin": "path_d",
}
OWN = {name for path in PATHS for name in path.split(";")}
# How the stacks are recorded, and the program for it.
WAYS = {
    "fp": (["--call-graph", "fp"], "accuracy_paths_fp"),
    "dwarf": (["--call-graph", "dwarf"], "accuracy_paths"),
    "unwound": (["-g"], "accuracy_paths"),
}


def paths_of(tree: dict) -> collections.Counter:
    """Number of samples by the program's own functions after main; "" for samples of the loader, and of the start and the end, which
    have none of them."""
    counts: collections.Counter = collections.Counter()
    paths: list[list[str]] = [[]]
    for parent, function, count, _ in tree["nodes"]:
        paths.append(paths[parent] + [tree["functions"][function]["name"]])
        names = paths[-1][paths[-1].index("main") + 1:] if "main" in paths[-1] else paths[-1]
        counts[";".join(name for name in names if name in OWN)] += count
    return +counts


def is_beginning(path: str) -> bool:
    """Whether a path is a part of the way to spin or back."""
    return any((whole + ";").startswith(path + ";") for whole in PATHS)


def is_without_caller(path: str) -> bool:
    """Whether a path is such a part without the caller of its last function. Until a function has set up its frame, and when it has
    removed it, the frame pointer is that of its caller, and the chain goes on with the caller of that one."""
    *outer, last = path.split(";")
    return any(is_beginning(";".join([*outer, caller, last])) for caller in OWN)


def measure_paths(t: Context, way: str) -> tuple[dict[str, float], dict[str, int], int]:
    """For each path the share of the CPU time that the program prints, the samples, and the number of lost samples."""
    how, program = WAYS[way]
    session = t.path(f"{way}.data")
    done = t.good("record", *how, "-e", "cpu-clock:u", "-F", "1999", "--session", session, "--", t.program(program), str(SCALE_MS // 2))
    found = {name: int(ns) for name, ns in re.findall(r"^(path_[a-e]) (\d+)$", done.out, re.M)}
    check(len(found) == 5, "five paths", done)
    document = json.loads(t.good("report", "-g", "--no-inlines", "--json", "-i", session).out)
    tree = document["call_trees"][0]
    counts: collections.Counter = collections.Counter()
    for path, n in paths_of(tree).items():
        if path in PATHS:
            counts[PATHS[path]] += n
        else:
            # Samples at the start and the end must also be on possible paths.
            is_possible = path == "" or is_beginning(path) or (way == "fp" and is_without_caller(path))
            check(is_possible, f"{way}: {n} samples on a path that the program does not have: {path}")
            # The start takes long on a slow machine.
            check(path == "" or n < 20, f"{way}: {n} samples that are not in spin: {path}")
    total = sum(found.values())
    return {name: ns / total for name, ns in found.items()}, counts, document["quality"]["lost"]


def check_paths(t: Context, way: str) -> None:
    for _ in range(3):
        shares, counts, lost = measure_paths(t, way)
        if not lost: # on a busy machine the rings are not read in time
            break
    check(lost == 0, f"{way}: {lost} lost samples at the third time")
    total = sum(counts.values())
    check(total > 500, f"{total} samples")
    off = harness.deviations(counts, shares)
    harness.note(f"{way}: standard errors off: " + ", ".join(f"{name} {value:+.2f}" for name, value in off.items()))
    check(all(abs(value) < SIGMAS for value in off.values()), f"within five standard errors: {off}")


def test_paths_by_frame_pointers(t: Context) -> None:
    check_paths(t, "fp")


def test_paths_in_copied_stacks(t: Context) -> None:
    check_paths(t, "dwarf")


def test_paths_unwound_while_recording(t: Context) -> None:
    check_paths(t, "unwound")


# --- by hand ---


def intervals_of(t: Context) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """The shares as the program prints them, and the intervals as wperf prints them."""
    done = t.ours("record", "--json", "-v", "--", t.program("accuracy"), str(SCALE_MS))
    document = harness.document_of(done)
    rows = document["sampling"]["events"][0]["samples"]
    intervals = {row["symbol"].split(":")[0]: tuple(map(float, row["interval_95"].split("-"))) for row in rows}
    return phases_of(done), intervals


def wilson(n: int, total: int) -> tuple[float, float]:
    """The 95 % interval of n of total, as wperf prints it for a row."""
    z, share = 1.959964, n / total
    middle, spread = share + z * z / (2 * total), z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - spread) / (1 + z * z / total), (middle + spread) / (1 + z * z / total)


def measure_paths_again(t: Context, runs: int) -> bool:
    inside: collections.Counter = collections.Counter()
    for number in range(runs):
        for way in WAYS:
            shares, counts, _ = measure_paths(t, way)
            for name, share in shares.items():
                low, high = wilson(counts[name], sum(counts.values()))
                inside[f"{way} {name}"] += low <= share <= high
        print(f"# {number + 1}: {dict(inside)}", flush=True)
    return len(inside) == 5 * len(WAYS) and all(10 * count >= 9 * runs for count in inside.values())


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
        verdicts.extend((measure_again(t, runs), measure_paths_again(t, runs)))
        check(all(verdicts), f"inside of the interval in at least 90 of 100 runs: phases, paths: {verdicts}")

    test.seconds = 120 * runs
    print("1..1")
    harness.run_alone(f"{runs} runs", test, sys.argv[1], sys.argv[2])


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[3] == "--runs":
        run_by_hand(int(sys.argv[4]))
    else:
        harness.main(__name__)
