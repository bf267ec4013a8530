#!/usr/bin/python3
"""Call stacks of an arm64 machine: taken there by each way, and read there; the paths are those that the program has."""
import collections
import json
import re

import machine
from machine import Guest, check, harness

PERIOD = 100003
BURN_MS = "60"  # of the guest's time, where an instruction takes a nanosecond
# Innermost first, as far as the program says it; the C library is stripped.
PATHS = [
    r"burn_a(;walk){4};left;main",
    r"burn_a(;walk){13};right;main",
    r"burn_b;compare(;[\w@.]+){1,8};sort;main",
    r"burn_b;handle(;[\w@.]+){1,5};interrupt;main",
]


def folded(tree: dict) -> collections.Counter:
    """Number of samples by path, innermost first."""
    counts: collections.Counter = collections.Counter()
    paths: list[tuple] = [()]
    for parent, function, count, _ in tree["nodes"]:
        paths.append((tree["functions"][function]["name"],) + paths[parent])
        counts[";".join(paths[-1])] += count
    return +counts


def check_paths(t: Guest, program: str, *how: str) -> None:
    t.good("record", *how, "-e", f"cycles:u:{PERIOD}", "--", program, BURN_MS)
    counts = folded(json.loads(t.good("report", "-g", "--no-inlines", "--json").out)["call_trees"][0])
    total = sum(counts.values())
    good = sum(n for path, n in counts.items() if any(re.match(pattern + r"(;|$)", path) for pattern in PATHS))
    bad = [path for path in counts if path.startswith("burn") and not any(re.match(p + r"(;|$)", path) for p in PATHS)]
    whole = sum(n for path, n in counts.items() if re.search(r";main(;[\w@.]+){1,3}$", path))
    harness.note(f"{total} samples, {good} on paths of the program, {whole} from above main on")
    check(total > 300, f"samples: {total}")
    check(not bad, f"paths that the program does not have: {bad[:3]}")
    check(good >= 0.97 * total, f"{good} of {total} on paths of the program: {counts.most_common(4)}")
    check(whole >= 0.97 * total, f"{whole} of {total} from above main on")


def test_unwound_while_recording(t: Guest) -> None:
    check_paths(t, "paths", "-g")


def test_copies_of_the_stack(t: Guest) -> None:
    check_paths(t, "paths", "--call-graph", "dwarf,8192")


if __name__ == "__main__":
    machine.main(__name__, extra=("paths",))
