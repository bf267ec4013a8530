#!/usr/bin/python3
"""A machine with two CPUs and uncore PMUs: CPUs apart and together, and events of the fake module."""
import machine
from machine import Guest, check, harness, of_command

TRAFFIC = "/sys/module/fakepmu/parameters/traffic"
# One CPU after the other: QEMU's CPUs take turns of 0.1 s on one clock, which the counters of both go by.  What wperf does on the
# other CPU meanwhile is therefore counted too.
EACH_CPU = "taskset 1 loops 10; taskset 2 loops 10"
PERIOD = 100003


def cpus_of(t: Guest) -> dict[int, int]:
    """Samples in the loops by their CPU."""
    symbols = t.symbols("loops")
    cpus = [record["cpu"] for record in t.samples("loops")
            if symbols["loop_of_four"] <= int(record["ip"], 16) < symbols["_start"]]
    return {cpu: cpus.count(cpu) for cpu in sorted(set(cpus))}


def test_the_command_on_one_cpu(t: Guest) -> None:
    t.good("record", "-c", "1", "-e", f"cycles:u:{PERIOD}", "--", "loops", "10")
    found = cpus_of(t)
    check(list(found) == [1] and 299 <= found[1] <= 303, f"samples of CPU 1: {found}")


def test_all_cpus(t: Guest) -> None:
    t.good("record", "-a", "-e", f"cycles:u:{PERIOD}", "--", "sh", "-c", EACH_CPU)
    found = cpus_of(t)
    check(list(found) == [0, 1] and all(299 <= n < 500 for n in found.values()), f"samples of both: {found}")
    harness.note(f"samples by CPU: {found}")


def test_one_of_two_cpus(t: Guest) -> None:
    done = t.shell(f"wperf sample -c 1 -e cycles:u:{PERIOD} --timeout 1 & sleep 0.5; {EACH_CPU}; wait")
    check(done.status == 0 and not done.err, "sample -c 1", done)
    found = cpus_of(t)
    check(list(found) == [1] and 299 <= found[1] < 500, f"samples of CPU 1 alone: {found}", done)


def test_uncore_events_are_not_sampled(t: Guest) -> None:
    load_module(t)
    for event in ("arm_dsu_0/l3d_cache/", "/dsu/l3d_cache", "arm_dmc620_10008c/clkdiv2_rdwr/"):
        done = t.ours("record", "-e", event, "--", "loops", "1")
        check(done.status == 125, "wperf's own failure", done)
        harness.check_sentence(done, event, "uncore event", "cannot be sampled", "stat")


def load_module(t: Guest) -> None:
    done = t.shell("[ -d /sys/module/fakepmu ] || insmod /fakepmu.ko")
    check(done.status == 0, "the module", done)


if __name__ == "__main__":
    machine.main(__name__, cpus=2, extra=("perf", "module"))
