#!/usr/bin/python3
"""Sampling with an Arm PMU in an emulated machine whose counters are exact: cycles are instructions."""
import re

import machine
from machine import Guest, check, harness, total_of

# Events on every CPU also count other processes: an interval of the program may begin before the program does.
EXACT = ("record", "--no-all-children")
PERIOD = 100003  # a prime, so that samples reach all instructions of a loop
LOOPS = {"loop_of_four": (4, 4), "loop_of_six": (6, 8), "loop_of_five": (5, 8)}  # instructions, and where they begin
ALL = sum(length for length, _ in LOOPS.values())


def check_binomial(count: int, n: int, share: float, what: str) -> None:
    """Checks that a count is inside the interval that contains 95 of 100 random draws."""
    bound = 1.96 * (n * share * (1 - share)) ** 0.5
    check(abs(count - n * share) <= bound, f"{what}: {count} of {n} samples, {n * share:.1f} +- {bound:.1f} expected")


def check_shares(done: harness.Done) -> int:
    counts = {row.symbol.split(":")[0]: row.count for row in harness.rows_of(done.out)}
    n = sum(counts.values())
    for name, (length, _) in LOOPS.items():
        check_binomial(counts.get(name, 0), n, length / ALL, name)
    return n


def result_of(document: dict, name: str) -> str:
    found = [row["Result"] for row in document["Test_Results"] if row["Test_Name"] == name]
    check(len(found) == 1, f"one row {name}: {found}")
    return found[0]


def test_the_pmu_is_found(t: Guest) -> None:
    document = harness.document_of(t.good("test", "--json"))
    midr = t.run("cat", "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1").out
    check(result_of(document, "linux.core_pmu") == "armv8_pmuv3", "the PMU's name")
    check(result_of(document, "pmu_device.vendor_name") == "Arm Limited", "the vendor")
    check(result_of(document, "pmu_device.product_name") == "neoverse-n1", "the product")
    check(int(result_of(document, "PMU_CTL_QUERY_HW_CFG [midr_value]"), 16) == int(midr, 16), f"MIDR {midr}")
    check(result_of(document, "linux.sampling_default").startswith("cycles"), "cycles are sampled by default")


def test_the_default_event_is_cycles(t: Guest) -> None:
    done = t.good("record", "--", "loops", "20")
    check("event: cycles at 999 Hz, user mode only" in done.out, "cycles, without a word on the clock", done)
    check("note: no hardware" not in done.out, "hardware counters are there", done)
    check_binomial(harness.quality_of(done)["samples"], total_of(done) * 999 // 10**9 * 2, 0.5, "samples of 999 Hz")


def test_each_interval_gives_a_sample(t: Guest) -> None:
    done = t.good(*EXACT, "-e", f"cycles:u:{PERIOD}", "--", "loops", "50")
    n = check_shares(done)
    check(n == total_of(done) // PERIOD, f"{n} samples of {total_of(done)} cycles", done)
    quality = harness.quality_of(done)
    check(quality == {"samples": n, "lost": 0, "throttled": 0, "unresolved": 0}, "nothing is missing", done)


def test_shares_of_single_instructions(t: Guest) -> None:
    t.good("record", "-e", f"cycles:u:{PERIOD}", "--", "loops", "50")
    event = harness.document_of(t.good("report", "--json", "-v"))["sampling"]["events"][0]
    n = sum(pc["count"] for pc in event["pcs"])
    starts = t.symbols("loops")
    seen = {(pc["in_symbol"], pc["address"]): pc["count"] for pc in event["pcs"]}
    for name, (length, skipped) in LOOPS.items():
        for i in range(length):
            address = starts[name] + skipped + 4 * i
            check_binomial(seen.pop((name, address), 0), n, 1 / ALL, f"{name}+{skipped + 4 * i}")
    check(not seen, f"no sample outside of the loops: {seen}")
    harness.note(f"{n} samples on {ALL} instructions")


def test_two_runs_are_the_same(t: Guest) -> None:
    runs = []
    for _ in range(2):
        t.good(*EXACT, "-e", f"cycles:u:{PERIOD}", "--", "loops", "10")
        runs.append([record["ip"] for record in t.samples("loops")])
    check(len(runs[0]) == 299, f"{len(runs[0])} samples")
    check(runs[0] == runs[1], "each sample is at the same instruction in both")


def test_two_events_at_once(t: Guest) -> None:
    # In QEMU before 11, an event other than cycles overflows late if it is alone: docs/testing-on-arm.md.
    done = t.good(*EXACT, "-e", f"instructions:u:{PERIOD}", "-e", "cycles:u:100019", "--", "loops", "10")
    check(harness.quality_of(done)["samples"] == 2 * 299, "both sample", done)
    document = harness.document_of(t.good("report", "--json"))
    for event in document["sampling"]["events"]:
        check(sum(row["count"] for row in event["samples"]) == 299, f"299 of {event['type']}", done)


def test_an_event_that_is_not_there_is_said(t: Guest) -> None:
    done = t.ours("record", "-e", "r1b:1000", "--", "loops", "1")
    check("note: the PMU does not advertise r1b (0x1b)" in done.out, "why there are no samples", done)
    check(harness.quality_of(done)["samples"] == 0, "and there are none", done)


def test_a_frequency_is_kept(t: Guest) -> None:
    done = t.good("record", "--no-stacks", "-e", "cycles:u", "-F", "10000", "--", "loops", "50")
    n, expected = check_shares(done), total_of(done) // 100000
    check(abs(n - expected) < expected * 0.1, f"{n} samples, {expected} expected", done)
    harness.note(f"{n} samples in {total_of(done)} ns at 10 kHz")


def test_too_many_samples_are_said(t: Guest) -> None:
    quality = harness.quality_of(t.good("record", "-e", "cycles:u:1000", "--", "loops", "10"))
    check(quality["throttled"] > 0, f"the kernel throttled: {quality}")


def test_attach_to_a_running_loop(t: Guest) -> None:
    done = t.shell(f"loops 100000 >/dev/null & wperf sample --no-stacks -p $! -e cycles:u:{PERIOD} --timeout 0.2")
    check(done.status == 0 and not done.err, "sample -p", done)
    n = check_shares(done)
    check(1800 < n <= 2000, f"{n} samples of 0.2 s, 2000 at most", done)


def test_the_kernel_is_in_or_out(t: Guest) -> None:
    command = ("--", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=50")
    user = t.ours("record", "-e", "cycles:u:10007", *command)
    both = t.ours("record", "-k", "-e", "cycles:10007", *command)
    check(user.status == 0 and both.status == 0, "record", both)
    check("add -k" in user.out.splitlines()[-1], "what is left out is said", user)
    check(kernel_share(user) == 0 and "[kernel.kallsyms]" not in user.out, "user mode only", user)
    check(kernel_share(both) > 90, f"{kernel_share(both)} % in the kernel", both)
    quality = harness.quality_of(both)
    check(quality["unresolved"] < quality["samples"] / 20, "names of the kernel", both)


def kernel_share(done: harness.Done) -> float:
    return sum(row.share for row in harness.rows_of(done.out) if row.symbol.endswith(":[kernel.kallsyms]"))


def test_perf_sees_the_same(t: Guest) -> None:
    t.good(*EXACT, "-e", f"cycles:u:{PERIOD}", "--session", "ours.data", "--", "loops", "10")
    done = t.run("perf", "record", "-q", "-e", "cycles:u", "-c", str(PERIOD), "-o", "theirs.data", "loops", "10")
    check(done.status == 0, "perf record", done)
    ours = harness.rows_of(t.good("report", "-i", "ours.data").out)
    theirs = harness.rows_of(t.good("report", "-i", "theirs.data").out)
    check(len(ours) == 3 and ours == theirs, f"the same table: {ours} and {theirs}")
    listing = t.run("perf", "report", "--stdio", "-q", "-i", "ours.data", "-F", "overhead,sample,sym")
    found = re.findall(r"([\d.]+)%\s+(\d+)\s+\[\.\] (\w+)", listing.out)
    check(found == [(f"{row.share:.2f}", str(row.count), row.symbol.split(":")[0]) for row in ours],
          "perf's table of our session", listing)


def test_a_plain_user_where_paranoid_is_3(t: Guest) -> None:
    check(t.run("cat", "/proc/sys/kernel/perf_event_paranoid").out == "3\n", "Debian's default")
    done = t.ours("record", "--", "loops", "1", uid=65534)
    check(done.status == 0 and "perf_event_paranoid is 3" in done.out and "engine pace" in done.out, "CPU time is sampled without events", done)
    done = t.ours("record", "-e", "cycles:u", "--", "loops", "1", uid=65534)
    check(done.status == 125, "wperf's own failure with a command", done)
    harness.check_sentence(done, "perf_event_paranoid is 3", "without privilege", "perf_event_paranoid=2", "root")
    done = t.ours("record", "-a", "--timeout", "0.1", uid=65534)
    check(done.status == 1, "wperf's own failure without a command", done)
    harness.check_sentence(done, "perf_event_paranoid is 3", "perf_event_paranoid=0")
    rows = harness.document_of(t.good("test", "--json", uid=65534))
    check("forbids" in result_of(rows, "linux.perf_event_open"), "test says so too")
    check(result_of(rows, "linux.sampling_default").startswith("none"), "and that nothing can be sampled")


if __name__ == "__main__":
    machine.main(__name__, extra=("perf",))
