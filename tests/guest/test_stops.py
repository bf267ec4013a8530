#!/usr/bin/python3
"""Samples by stopping the thread on an arm64 machine: with a clock, and with a counter whose period the kernel chooses."""
import re

import machine
from machine import Guest, check, harness

NOBODY = 65534
WORK_MS = "150"  # in each of two threads; in the guest's time


def facts_of(t: Guest) -> dict[str, int]:
    return {key: int(value) for key, value in re.findall(r"^    (n_stops|n_ring_dropped) (\d+)$", t.good("dump").out, re.M)}


def record_stops(t: Guest, event: str) -> dict[str, int]:
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "-e", event, "--", "stands", WORK_MS)
    check("Python programs are traced for their stacks" in done.out and done.status == 7, "traced, and ends with its status", done)
    check(", 0 cut stacks" in done.out.splitlines()[-1], "whole stacks", done)
    facts = facts_of(t)
    check(facts["n_stops"] >= 200, f"stops: {facts}", done)
    harness.note(str(facts))
    return facts


def test_a_clock(t: Guest) -> None:
    facts = record_stops(t, "cpu-clock:u")
    check(0.95 <= facts["n_stops"] / facts["n_ring_dropped"] <= 1.05, f"as many as the ring's: {facts}")
    tree = t.good("report", "-g", "--no-inlines").out
    first = re.search(r"main \[stands\] > work", tree)
    second = re.search(r"\d+\s+[*]? *0x\w+ \[libc.so.6\] > .*work \[stands\]", tree)
    check(first is not None and second is not None, f"stacks of both threads\n{tree}")


def test_cycles(t: Guest) -> None:
    """An instruction takes a cycle and a nanosecond.  If two events share the emulated counter, the number of its
    interrupts is not defined."""
    record_stops(t, "cycles:u")
    cycles = sum(record["period"] for record in t.samples("stands"))
    harness.note(f"{cycles} cycles in two threads of {WORK_MS} ms")
    check(0.95 <= cycles / (2e6 * int(WORK_MS)) <= 1.05, f"the samples stand for all cycles: {cycles}")


def test_a_setuid_program_keeps_its_privilege(t: Guest) -> None:
    t.shell("echo 2 > /proc/sys/kernel/perf_event_paranoid; cp /bin/stands /tmp/privileged; chmod 4755 /tmp/privileged; "
            "chmod 777 .")
    bare = t.run("stands", "30", "/tmp/privileged", "1", uid=NOBODY)
    check(bare.out == f"euid {NOBODY}\neuid 0\n", "a setuid program", bare)
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "-e", "cpu-clock:u", "--", "stands", "30", "/tmp/privileged",
                  "1", uid=NOBODY)
    check("Python programs are traced" in done.out and done.status == 7, "traced", done)
    check(bare.out in done.out, "it keeps its privilege", done)


if __name__ == "__main__":
    machine.main(__name__, extra=("stands",))
