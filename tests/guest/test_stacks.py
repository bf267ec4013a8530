#!/usr/bin/python3
"""Call stacks on an arm64 machine: recorded by each method, and read there; all paths exist in the program."""
import json
import re

import machine
from machine import Guest, check, harness
from call_trees import folded, is_path

PERIOD = 100003
BURN_MS = "60"  # in the guest's time, where an instruction takes a nanosecond


def check_paths(t: Guest, program: str, *how: str) -> None:
    t.good("record", *how, "-e", f"cycles:u:{PERIOD}", "--", program, BURN_MS)
    counts = folded(json.loads(t.good("report", "-g", "--no-inlines", "--json").out)["call_trees"][0])
    total = sum(counts.values())
    good = sum(n for path, n in counts.items() if is_path(path))
    bad = [path for path in counts if path.startswith("burn") and not is_path(path)]
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
