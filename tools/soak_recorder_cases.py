#!/usr/bin/python3
"""The tests of soak_recorder.py: figures that grow and figures that only vary."""
import random
import sys

from soak_recorder import Look, N_LOOKS, judge

HOUR = 3600
PROGRAMS = 40  # for each second
MIB = 1 << 20


def looks(leak_bytes: float = 0, leak_fds: float = 0, first_mib: float = 0, last_fds: int = 0) -> list[Look]:
    """An hour on a busy machine: caches of some MiB vary, buffers take up to 100 more in one look of three."""
    noise = random.Random(4711)
    seen = []
    for number in range(N_LOOKS):
        seconds = number * HOUR / N_LOOKS
        n_programs = seconds * PROGRAMS
        cache = number % 24 / 24
        held = 8 + first_mib * min(1, seconds / (HOUR / 4)) + 4 * cache + noise.uniform(0, 1)
        bursts = noise.uniform(0, 100) if noise.random() < 0.33 else 0
        seen.append(Look(seconds, int(4000 + 3000 * cache + n_programs * bool(leak_bytes)),
                         held + bursts + n_programs * leak_bytes / MIB, 16 + noise.uniform(0, 3) + bursts,
                         noise.uniform(15, 45), int(9 + n_programs * leak_fds) + last_fds * (number > 700),
                         min(1540, 160 + number * 2)))
    return seen


def more(seen: list[Look], field: str, amount: float) -> list[Look]:
    for number, look in enumerate(seen):
        setattr(look, field, getattr(look, field) + type(getattr(look, field))(amount * number / N_LOOKS))
    return seen


# name, looks, parts of the problems
CASES = [
    ("a busy hour", looks(), []),
    ("what is learned in the first quarter", looks(first_mib=40), []),
    ("descriptors at the end", looks(last_fds=100), []),
    ("pages of files", more(looks(), "files_mib", 100), []),
    ("64 bytes a program", looks(leak_bytes=64), ["blocks grew", "malloc grew"]),
    ("a table that grows by 5 MiB an hour", more(looks(), "mib", 5), ["malloc grew"]),
    ("holes of the heap", more(looks(), "resident_mib", 20), ["resident grew"]),
    ("a descriptor in 1000 programs", looks(leak_fds=0.001), ["descriptors grew"]),
    ("too many descriptors of any program", more(looks(), "all_fds", 2000), ["more than 1600"]),
    ("too short", looks()[:40], ["too short"]),
]


def main() -> int:
    bad = 0
    print(f"1..{len(CASES)}")
    for number, (name, seen, words) in enumerate(CASES, 1):
        problems = judge(seen)
        good = len(problems) == len(words) and all(word in problem for word, problem in zip(words, problems))
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}" + ("" if good else f"\n# {problems}"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
