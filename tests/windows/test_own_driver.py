#!/usr/bin/python3
"""wperf.exe with wperf's own driver in wine's driver host. Usage: test_own_driver.py WPERF.EXE DRIVE_WDM.EXE SIM_WPERFDRIVER.SYS TOY_WPERF.EXE
TOY_WPERFDRIVER.SYS [TEST...]. WINEPREFIX must be set. The driver's simulated machine counts by rules (sim_shared.h), so counts and samples are compared exactly; how many
milliseconds a run saw is taken from its cycle counter."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
from typing import Callable

from driver_harness import CODES, Done, IMIX, LIMIT, MODULES_ARE_KNOWN, WRAPPER, Running, check, drive, driver, fake, refused, run, stat, wperf

toy_wperf, toy_driver = sys.argv[4:6]
CYCLES_PER_MS = 1000000
FUNCTION = "sampled_function" if MODULES_ARE_KNOWN else "unknown"
CPUS = 4
# Of the machine, before each test.
SETTINGS = ["n_cpus", str(CPUS), "n_each", "1", "kernel", "0", "spe_per_ms", "100", "spe_left", str(2 ** 64 - 1), "spe_losses", "0", "pmsidr_lacks", "0",
            "others", "0"]


def rate(event: str, core: int) -> int:
    return 1000 * CODES[event] + core + 1


def core_counts(core: dict) -> tuple[int, dict[str, dict]]:
    """The milliseconds that the run saw, and the rows by event."""
    cycle, *rows = core["Performance_counter"]
    check(cycle["event_name"] == "cycle" and cycle["counter_value"] % CYCLES_PER_MS == 0, "whole milliseconds", core)
    return cycle["counter_value"] // CYCLES_PER_MS, {row["event_name"]: row for row in rows}


def check_core(core: dict, events: list[str]) -> int:
    """All events share the counters with nobody."""
    ms, rows = core_counts(core)
    check(ms > 0 and list(rows) == events, "the events in their order", core)
    for name, row in rows.items():
        check(row["counter_value"] == ms * rate(name, core["core_number"]), f"{name} in {ms} ms", row)
    return ms


def load(path: str) -> None:
    """Another driver in place of the one that is loaded."""
    for words in (("stop",), ("remove",), ("install", path), ("start",)):
        fake(*words)


def wait_until_counting() -> None:
    deadline = time.monotonic() + LIMIT
    while fake("running").strip() == "0":
        check(time.monotonic() < deadline, "wperf counts")


def count_once(*options: str) -> None:
    check_core(stat("-e", "ld_spec", "-c", "0", "--timeout", "50ms", *options)["core"]["cores"][0], ["ld_spec"])


# --- counting

def metric_on_one_core() -> None:
    done = stat("-m", "imix", "-c", "1", "--timeout", "0.3")
    ms = check_core(done["core"]["cores"][0], IMIX)
    check(50 < ms < 600, f"{ms} ms of 300", done)
    check(not done["core"]["Multiplexing"] and not done["core"]["Kernel_mode"], "one window, without the kernel", done)


def windows_on_all_cores() -> None:
    events = [*CODES][:7]
    done = stat("-e", ",".join(events), "-e", "r1,r2,r3,r5,r6", "--timeout", "1", "--config", "count.period=10")
    check([c["core_number"] for c in done["core"]["cores"]] == list(range(CPUS)), "all cores", done)
    for core in done["core"]["cores"]:
        ms, rows = core_counts(core)
        for name in events:
            in_ms, rest = divmod(rows[name]["counter_value"], rate(name, core["core_number"]))
            check(rest == 0 and 0 < in_ms < ms, f"{name}: a part of the whole milliseconds", core)
            scaled, all_of_it = rows[name]["scaled_value"], ms * rate(name, core["core_number"])
            check(abs(scaled - all_of_it) <= 2 + all_of_it // 1000, f"{name} scaled to {ms} ms", rows[name])
    check(done["core"]["Multiplexing"], "multiplexed", done)


def modes_of_each_event() -> None:
    for kernel in (0, 1):
        fake("set", "kernel", str(kernel))
        core = stat("-e", "ld_spec:u,st_spec:k,dp_spec", "-k", "-c", "2", "--timeout", "0.2")["core"]["cores"][0]
        _, rows = core_counts(core)
        values = [rows[name]["counter_value"] for name in rows]
        check(len(values) == 3 and values[2] > 0 and values[2] % rate("dp_spec", 2) == 0, "both modes", core)
        check((values[0] > 0) == (kernel == 0) and (values[1] > 0) == (kernel == 1), f"kernel {kernel}", core)


def kernel_is_left_out() -> None:
    fake("set", "kernel", "1")
    core = stat("-e", "ld_spec", "-c", "0", "--timeout", "0.1")["core"]["cores"][0]
    ms, rows = core_counts(core)
    check(ms == 0 and rows["ld_spec"]["counter_value"] == 0, "nothing in user mode", core)


def all_of_128_cores() -> None:
    fake("set", "n_cpus", "128")
    cores = stat("-e", "ld_spec,st_spec", "--timeout", "0.2")["core"]["cores"]
    check([c["core_number"] for c in cores] == list(range(128)), "every core", len(cores))
    for core in cores:
        check_core(core, ["ld_spec", "st_spec"])


def check_unit(rows: list[dict], codes: list[int], unit: int) -> None:
    """The last row is the cycle counter, which tells the milliseconds."""
    *events, cycles = rows
    check(cycles["counter_value"] % CYCLES_PER_MS == 0 < cycles["counter_value"], "whole milliseconds", rows)
    for row, code in zip(events, codes, strict=True):
        wanted = cycles["counter_value"] // CYCLES_PER_MS * (1000 * code + unit + 1)
        check(row["counter_value"] == wanted, f"unit {unit}: {wanted}", row)


def clusters_and_memory_controllers() -> None:
    """Two clusters of each kind of DSU, and two memory controllers; numbers of units are those in the driver's class."""
    fake("set", "n_each", "2")
    done = stat("-e", "ld_spec,/dsu/l3d_cache,/dsu/bus_access,/dsu/cpu_cycles,/dmc_clk/request,/dmc_clkdiv2/rdwr", "-c", "1,2", "--timeout", "0.3")
    for core in done["core"]["cores"]:
        check_core(core, ["ld_spec"])
    for number in range(4):
        check_unit(done["dsu"][str(number)]["Performance_counter"], [0x2b, 0x19], number % 2)
    rows = done["dmc"]["pmu"]["PMU_Performance_Counters"]
    for name, code in (("/dmc_clk/request", 1), ("/dmc_clkdiv2/rdwr", 0x12)):
        for number in range(2):
            value = next(r["counter_value"] for r in rows if r["event_name"] == name and r["pmu_id"] == f"dmc {number}")
            check(value % (1000 * code + number + 1) == 0 < value, f"{name} of controller {number}: a multiple of its rate", rows)


def more_events_than_counters_of_units() -> None:
    """Eight events of a cluster with six counters, nine of a controller with eight, in turn."""
    dsu = [0x19, 0x1a, 0x1d, 0x29, 0x2a, 0x2b, 0x2c, 0x60]
    events = [*(f"/dsu/r{c:x}" for c in dsu), "/dsu/cpu_cycles", *(f"/dmc_clkdiv2/r{c:x}" for c in range(1, 10))]
    done = stat("-e", ",".join(events), "--timeout", "1", "--config", "count.period=10")
    *rows, cycles = done["dsu"]["0"]["Performance_counter"]
    ms = cycles["counter_value"] // CYCLES_PER_MS
    for row, code in zip(rows, dsu, strict=True):
        in_ms, rest = divmod(row["counter_value"], 1000 * code + 1)
        check(rest == 0 and 0 < in_ms < ms, f"{code:#x}: a part of {ms} ms", row)
        check(abs(row["scaled_value"] - ms * (1000 * code + 1)) <= 2 + ms * code, f"{code:#x}: scaled to {ms} ms", row)
    rows = [r for r in done["dmc"]["pmu"]["PMU_Performance_Counters"] if r["pmu_id"] == "dmc 0"]
    check([r["counter_value"] % (1000 * c + 1) for c, r in zip(range(1, 10), rows, strict=True)] == [0] * 9, "whole milliseconds", rows)
    refused("event group size(7) exceeds number of hardware PMU counters(6)", "stat", "--timeout", "10ms", "-e",
            "{" + ",".join(f"/dsu/r{c:x}" for c in dsu[:7]) + "}")


def cores_of_each_cluster() -> None:
    fake("set", "n_each", "2")
    done = run("stat", "-m", "l3_cache", "--json", "--", drive, "pinned", "7")
    metric = json.loads(done.out)["dsu"]["l3metric"]
    check("0,2" in json.dumps(metric) and "1,3" in json.dumps(metric), "the CPUs that share it; a command that is not pinned", done)


def block_of_a_page() -> None:
    """The toy block of docs/adding-a-pmu-block.md in another wperf.exe and driver: three events share two counters, beside a cluster's."""
    load(toy_driver)
    try:
        fake("set", "n_each", "3")
        count_in_factories()
    finally:
        load(driver)


def count_in_factories() -> None:
    def run(*argv: str) -> Done:
        return Running([toy_wperf, *argv]).wait()

    done = run("list", "-v", "toy")
    check(done.status == 0 and "/toy/defects     0x0002  [toy PMU event]  Toys with a defect" in done.out, "its events", done)
    done = run("man", "/toy/idle")
    check("Each factory has its own counters" in " ".join(done.out.split()), "its page", done)
    events = "/toy/toys,/toy/defects,/toy/idle,/dsu/l3d_cache,/dsu/cpu_cycles"
    done = json.loads(run("stat", "--json", "-e", events, "--timeout", "1", "--config", "count.period=10").out)
    ms = done["dsu"]["0"]["Performance_counter"][1]["counter_value"] // CYCLES_PER_MS
    check([u["pmu"] for u in done["uncore"]] == ["toy_0", "toy_1", "toy_2"], "three factories", done)
    for number, unit in enumerate(done["uncore"]):
        counted = []
        for code, row in enumerate(unit["Performance_counter"], 1):
            in_ms, rest = divmod(row["counter_value"], 1000 * code + number + 1)
            check(rest == 0 and in_ms > 0, f"whole milliseconds of {1000 * code + number + 1}", row)
            counted.append(in_ms)
        # The factory does not start at the same moment as the cluster.
        check(counted[0] == counted[1] and abs(counted[1] + counted[2] - ms) < 100, f"two and one in turn, {ms} ms in all", counted)


def devices_in_the_registry() -> None:
    """The driver has a unit for each device whose memory holds the block's registers."""
    try:
        for instance, size in (("0", 0x1000), ("1", 0x19f), ("2&daba3ff&0", 0x10000)):
            fake("device", "ARMHD620", instance, "0x80000000", hex(size))
        rows = stat("-e", "/dmc_clkdiv2/rdwr", "--timeout", "0.1")["dmc"]["pmu"]["PMU_Performance_Counters"]
        check([r["pmu_id"] for r in rows] == ["dmc 0", "dmc 1", "overall"], "two controllers", rows)
    finally:
        fake("forget", "ARMHD620")
    rows = stat("-e", "/dmc_clkdiv2/rdwr", "--timeout", "0.1")["dmc"]["pmu"]["PMU_Performance_Counters"]
    check([r["pmu_id"] for r in rows] == ["dmc 0"], "one controller without them", rows)


def command_and_its_status() -> None:
    done = run("stat", "-e", "ld_spec", "-c", "1", "--json", "--", drive, "pinned", "7")
    check_core(json.loads(done.out)["core"]["cores"][0], ["ld_spec"])
    refused("WPERFDRIVER-2 counts CPUs, not processes", "stat", "-e", "ld_spec", "--", drive, "pinned", "7")
    refused("core index 4 not allowed. Use 0-3", "stat", "-e", "ld_spec", "-c", "4", "--timeout", "10ms")


def session_and_timeline() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.data")
        counted = stat("-m", "imix", "-c", "1", "--timeout", "0.1", "--session", path)
        done = run("report", "-i", path, "--json")
        check(json.loads(done.out)["core"]["cores"] == counted["core"]["cores"], "the same counts", done)
        done = run("stat", "-e", "ld_spec", "-c", "0", "-t", "-i", "100ms", "-n", "2", "--timeout", "0.3", "--json-lines", "--cwd", folder)
    lines = [json.loads(line) for line in done.out.splitlines()]
    check(done.status == 0 and len(lines) == 2, "two lines", done)
    for line in lines:
        check_core(line["core"]["cores"][0], ["ld_spec"])


# --- sampling

def start_sampled() -> tuple[Running, str]:
    """A process that runs for a while; the machine's CPUs are said to run its function. Returns its number, too."""
    running = Running([drive, "function", str(LIMIT * 1000)])
    deadline = time.monotonic() + LIMIT
    while True:
        running.files[0].seek(0)
        words = running.files[0].read().split()
        if len(words) == 2:
            break
        check(time.monotonic() < deadline, "the process runs")
        time.sleep(0.05)
    pid, address = words[0].decode(), int(words[1], 16)
    fake("set", "pid", pid, "pc", hex(address))
    return running, pid


def sampled(*argv: str) -> tuple[dict, dict, Done]:
    """The events of a document, by name, and the document."""
    done = run("sample", "--json", *argv)
    check(done.status == 0, "it samples", done)
    document = json.loads(done.out)["sampling"]
    return {e["type"]: e for e in document["events"]}, document, done


def total(event: dict) -> int:
    return sum(row["count"] for row in event["samples"])


def samples_of_one_process() -> None:
    running, pid = start_sampled()
    try:
        with tempfile.TemporaryDirectory() as folder:
            events, document, done = sampled("-e", "cpu_cycles:1000000,ld_spec:30000", "-c", "1", "-p", pid, "--timeout", "1",
                                             "--session", os.path.join(folder, "s.data"))
            ms = total(events["cpu_cycles"])
            check(50 < ms < 5000, "a sample in each millisecond", done)
            check(total(events["ld_spec"]) == ms * rate("ld_spec", 1) // 30000, f"ld_spec in {ms} ms", done)
            for event in events.values():
                check(len(event["samples"]) == 1, "all in the function", done)
                check(not MODULES_ARE_KNOWN or event["samples"][0]["symbol"].startswith("sampled_function"), "its name", done)
            check(document["samples_dropped"] == 0, "none dropped", done)
    finally:
        running.process.kill()
        running.wait()


def samples_of_all_cores() -> None:
    running, pid = start_sampled()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.data")
            done = run("sample", "-e", "cpu_cycles:1000000,vfp_spec:5000", "-p", pid, "--timeout", "0.5", "--session", path)
            check(done.status == 0, "it samples", done)
            rows = [line.split() for line in run("export", "-i", path, "--format", "perf-script").out.splitlines() if pid in line]
            check(rows, "samples", done)
            seen = {}
            for row in rows:
                cpu = next(int(word[1:-1]) for word in row if word.startswith("[") and word.endswith("]"))
                name = next(word.rstrip(":") for word in row if word.rstrip(":") in ("cpu_cycles", "vfp_spec"))
                seen[cpu, name] = seen.get((cpu, name), 0) + 1
            for cpu in range(CPUS):
                ms = seen[cpu, "cpu_cycles"]
                check(ms > 30 and seen[cpu, "vfp_spec"] == ms * rate("vfp_spec", cpu) // 5000, f"CPU {cpu}", seen)
    finally:
        running.process.kill()
        running.wait()


def samples_of_others_are_left_out() -> None:
    running, pid = start_sampled()
    try:
        fake("set", "pid", "999999")
        with tempfile.TemporaryDirectory() as folder:
            done = run("sample", "-e", "ld_spec:30000", "-p", pid, "--timeout", "0.3", "--session", os.path.join(folder, "s.data"), "--json")
        check(done.status != 0 or not any(total(e) for e in json.loads(done.out)["sampling"]["events"]), "no samples", done)
    finally:
        running.process.kill()
        running.wait()


def sampling_that_is_refused() -> None:
    refused("has 6 free counters for each core, and more are needed", "record", "-e", ",".join(f"r{n}:1000" for n in range(1, 8)), "--",
            drive, "pinned", "0")
    refused("event interval: 4294967296 is out of range! (column 9)", "record", "-e", "ld_spec:4294967296", "--", drive, "pinned", "0")
    refused("event interval: 4294967296 is out of range! WPERFDRIVER-2 takes 1 to 4294967295", "record", "-e", "armv8_pmuv3_0/event=0x70,period=4294967296/", "--", drive, "pinned", "0")


def sampling_beside_a_trace() -> None:
    """Another program's counters interrupt, or it uses SPE: what would disturb it is refused, and counting goes on."""
    text = "another program samples with the PMU or SPE, for example a trace of WPR with PMU events: stop it"
    for others, event, other_event in (("1", "ld_spec:1000", "arm_spe_0//"), ("2", "arm_spe_0//", "ld_spec:1000")):
        fake("set", "others", others)
        count_once()
        refused(text, "record", "-e", event, "-c", "1", "--", drive, "pinned", "0")
        done = run("record", "-e", other_event, "-c", "1", "--session", os.path.join(sessions, "s.data"), "--", drive, "function", "100")
        check(done.status == 0, f"{other_event} is sampled beside it", done)


def a_trace_that_begins_later() -> None:
    """Sampling ends, what was sampled is kept, and that is said."""
    running = Running([wperf, "record", "-e", "ld_spec:30000", "-c", "0,1", "--session", os.path.join(sessions, "s.data"), "--", drive, "function", "2000"])
    wait_until_counting()
    fake("set", "others", "4")
    done = running.wait()
    check(done.status == 0 and "it stopped early, because another program began to sample with the PMU" in done.out, "the note", done)
    check(fake("running").strip() == "0", "nothing runs", fake("running"))
    count_once()


# --- Arm SPE

# The rule of the machine's operations (tests/driver/sim_spe.h) repeats after so many.
SPE_REPEATS = 200
SPE_STORE, SPE_LOAD, SPE_BRANCH = "ST", "LD", "B"


def operation(number: int) -> tuple[str, int, int]:
    """Type, latency and events of an operation that SPE samples."""
    kind = (SPE_STORE, SPE_LOAD, SPE_LOAD, SPE_BRANCH)[number % 4]
    return kind, number * 7 % 100, 2 | (0 if number % 8 >= 4 else 0x80 if kind == SPE_BRANCH else 8)


def record_spe(event: str, settings: dict[str, int], cpus: str = "1", *options: str, ms: int = 1000) -> tuple[Done, str]:
    """Records a program whose function is where the machine's CPU 1 is. Returns what record said, and the name of the session."""
    address = int(Running([drive, "function", "10"]).wait().out.split()[1], 16)
    fake("set", "pc", hex(address - 4), *(str(word) for pair in settings.items() for word in pair))
    session = os.path.join(sessions, "s.data")
    done = run("record", "-e", event, "-c", cpus, *options, "--session", session, "--", drive, "function", str(ms))
    check(done.status == 0, f"{event} is sampled", done)
    return done, session


def spe_without_samples() -> None:
    """Editors want both parts of the document, also of a program without operations that are sampled."""
    done, session = record_spe("arm_spe_0//", {"spe_left": 0}, "1", "--json", ms=100)
    for document in (json.loads(done.out), json.loads(run("record", "-e", "arm_spe_0//", "-c", "1", "--json", "--annotate", "--session", session,
                                                          "--", drive, "function", "100").out)):
        check(sorted(document) == ["counting", "sampling"], "two parts", document)
        counters = document["counting"]["core"]["overall"] or document["counting"]["core"]["cores"][0]
        check("sample_filtrate" in str(counters) and document["sampling"]["sampling"]["samples_generated"] == 0, "no sample", document)


def dumped_numbers(session: str) -> dict[int, list[int]]:
    """The numbers of the operations in the session's SPE packets, by CPU."""
    numbers, cpu = {}, -1
    for line in run("dump", "-i", session).out.splitlines():
        found = re.search(r"  AUXTRACE  .* cpu (\d+)", line)
        cpu = int(found[1]) if found else cpu
        found = re.search(r'  SPE  b[12]\w+  "(?:VA|TGT) 0x(\w+)', line)
        if found:
            numbers.setdefault(cpu, []).append((int(found[1], 16) - 0x10000) // 16)
    return numbers


def spe_records_are_samples() -> None:
    """5,000 operations, 100 in each of the machine's milliseconds: each is a sample, and none is there twice."""
    done, session = record_spe("arm_spe_0//", {"spe_left": 5000})
    numbers = dumped_numbers(session)
    check(list(numbers) == [1] and numbers[1] == list(range(numbers[1][0], numbers[1][0] + 5000)), "each operation, in order", done)
    report = run("report", "--stdio", "-i", session)
    for text in (done.out, report.out):
        check("quality: 5000 samples, 0 lost" in text and "buffer was full" not in text, "none is lost", text)
        for source, n in (("LOAD_STORE_ATOMIC-LOAD-GP/retired+level1-data-cache-refill", 1250), ("LOAD_STORE_ATOMIC-STORE-GP/retired", 625),
                          ("BRANCH_OR_EXCEPTION-UNCONDITIONAL-DIRECT/retired+mispredicted", 625)):
            check(re.search(rf"sample source: {re.escape(source)}, .*\n.*\n.*\n +100\.00 +{n} +{FUNCTION}\n", text) is not None, source, text)
    memory = run("report", "--mem", "-i", session)
    check("2500 loads and 1250 stores in 5000 samples" in memory.out, "accesses", memory)
    levels = [line.split() for line in run("report", "--mem", "-i", session, "--sort", "level").out.splitlines()]
    for level in ("L1", "DRAM"):
        check(any(row[-1:] == [level] and "1250" in row for row in levels), f"the sources of a Neoverse N1: {level}", levels)
    if MODULES_ARE_KNOWN:
        lines = run("annotate", "--stdio", "-i", session, "-s", "sampled_function")
        check("sampled_function: 5000 of 5000 samples" in lines.out and "drive_wdm.c" in lines.out, "lines", lines)
    check(fake("spe").split() == ["0x21", "0x10000", "0"], "user mode, with timestamps, every 65,536 operations", fake("spe"))


def spe_filters_arrive() -> None:
    for filters, wanted in (
            ("ld=1,min=60", lambda kind, latency, events: kind == SPE_LOAD and latency >= 60),
            ("st=1,b=1", lambda kind, latency, events: kind != SPE_LOAD),
            ("event_filter=mispredicted", lambda kind, latency, events: events & 0x80),
            ("ld=1,event_filter=0x2,inv_event_filter=l1d-refill", lambda kind, latency, events: kind == SPE_LOAD and not events & 8)):
        done, session = record_spe(f"arm_spe_0/{filters}/", {"spe_left": 10 * SPE_REPEATS})
        numbers = dumped_numbers(session)[1]
        n = 10 * sum(bool(wanted(*operation(i))) for i in range(SPE_REPEATS))
        check(numbers == [i for i in range(numbers[0], numbers[-1] + 1) if wanted(*operation(i))], f"only what {filters} wants", numbers)
        check(len(numbers) == n and f"quality: {n} samples, 0 lost" in done.out, f"{n} samples", done)


def spe_settings_arrive() -> None:
    """PMSCR_EL1 and PMSIRR_EL1."""
    for event, options, registers in (
            ("arm_spe_0/ts=0/:4096", (), ["0x1", "0x1000"]),
            ("arm_spe_0/jitter=1/:1024", (), ["0x21", "0x401"]),
            ("arm_spe_0/pa=1,pct=1,period=2048/", ("-k",), ["0x73", "0x800"])):
        done, session = record_spe(event, {"spe_left": 100}, "1", *options, ms=500)
        check(fake("spe").split()[:2] == registers, f"{event}: {registers}", fake("spe"))
        check(f"every {int(registers[1], 16) & ~1}" in done.out, "the interval", done)
        dump = run("dump", "-i", session).out
        check((' "TS ' in dump or '"TS ' in dump) == ("ts=0" not in event) and ("PA 0x" in dump) == ("pa=1" in event), "packets", event)


def spe_of_two_cores() -> None:
    done, session = record_spe("arm_spe_0/st=1/", {"spe_left": 4000}, "0,1")
    numbers = dumped_numbers(session)
    check(sorted(numbers) == [0, 1] and sum(len(n) for n in numbers.values()) == 1000 and min(len(n) for n in numbers.values()) > 100,
          "a stream for each core", {cpu: len(n) for cpu, n in numbers.items()})
    for cpu, stores in numbers.items():
        check(stores == list(range(stores[0], stores[0] + 4 * len(stores), 4)), f"the stores of core {cpu}", stores)
    rows = [line.split() for line in run("report", "--stdio", "-i", session, "--sort", "cpu").out.splitlines()]
    for cpu, stores in numbers.items():
        check(any(row[1:3] == [str(len(stores)), str(cpu)] for row in rows), f"the samples of core {cpu}", rows)
    check("quality: 1000 samples, 0 lost" in done.out, "all of them", done)


def spe_kernel_is_left_out() -> None:
    settings = {"spe_left": 100, "kernel": 1}
    record_spe("arm_spe_0//", settings, ms=300)
    check(fake("spe").split()[2] == "100", "nothing is sampled in the kernel", fake("spe"))
    done, _ = record_spe("arm_spe_0//", settings, "1", "-k", ms=500)
    check("quality: 100 samples" in done.out, "with -k it is", done)


def spe_buffer_that_is_full() -> None:
    """A millisecond of the machine has more records than the driver's buffer: what it had no room for was not sampled, and that is said."""
    done, session = record_spe("arm_spe_0//", {"spe_left": 200000, "spe_per_ms": 100000, "spe_losses": 3}, ms=3000)
    report = run("report", "--stdio", "-i", session)
    for text in (done.out, report.out):
        full = re.search(r"its buffer was full (\d+) times; SPE lost samples 3 times", text)
        check(full is not None and int(full[1]) >= 200000 * 64 // (1 << 20), "the note", text)
        check(re.search(r"quality: 200000 samples, .*SPE paused after [\d.]+ % of its buffers, which were full", text) is not None, "the quality", text)


def spe_begins_after_the_delay() -> None:
    record_spe("arm_spe_0//", {"spe_left": 100}, "1", "--delay", "100000", ms=300)
    check(fake("spe").split()[2] == "100", "nothing is sampled before", fake("spe"))


def spe_that_is_refused() -> None:
    for text, *argv in (
            ("choose the core with -c N", "-e", "arm_spe_0//"),
            ("a sample of every 1024 operations at most", "-c", "1", "-e", "arm_spe_0//:1000"),
            ("always samples user mode with SPE", "-c", "1", "-e", "arm_spe_0//k"),
            ("through WPERFDRIVER-2", "-c", "1", "-e", "arm_spe_0//,ld_spec:1000"),
            ("arm_spe_0 has no format/discard", "-c", "1", "-e", "arm_spe_0/discard=1/")):
        refused(text, "record", *argv, "--", drive, "pinned", "0")
    for bit, filters, text in ((1, "event_filter=2", "events"), (2, "ld=1", "loads, stores and branches"), (4, "min=5", "latency"),
                               (0x40, "inv_event_filter=2", "events that did not happen")):
        fake("set", "pmsidr_lacks", hex(bit))
        refused(f"SPE of core 1 has no filter of {text}", "record", "-e", f"arm_spe_0/{filters}/", "-c", "1", "--", drive, "pinned", "0")
    fake("set", "pmsidr_lacks", "0xffffffff")
    refused("SPE is not supported by your hardware", "record", "-e", "arm_spe_0//", "-c", "1", "--", drive, "pinned", "0")


# WindowsPerf's words, for which editors search.
LOCKED = "warning: other WindowsPerf process acquired the wperf-driver. note: use --force-lock "
HIJACKED = "warning: other WindowsPerf process hijacked (forced lock) the wperf-driver, see --force-lock. "


def start_spe() -> Running:
    running = Running([wperf, "record", "-e", "arm_spe_0//", "-c", "1", "--session", os.path.join(sessions, "s.data"), "--", drive,
                       "function", str(LIMIT * 1000)])
    wait_until_counting()
    return running


def spe_whose_lock_is_stolen() -> None:
    running = start_spe()
    holder = Running([drive, "hold"])
    done = running.wait()
    errors = [line for line in done.err.splitlines() if line.startswith("wperf: ") and "quality" not in line]
    check(done.status == 125 and len(errors) == 1 and HIJACKED in errors[0], "stolen", done)
    refused(LOCKED, "record", "-e", "arm_spe_0//", "-c", "1", "--", drive, "pinned", "0")
    holder.process.kill()
    holder.wait()


def spe_whose_driver_is_stopped() -> None:
    running = start_spe()
    fake("stop")
    done = running.wait()
    errors = [line for line in done.err.splitlines() if line.startswith("wperf: ") and "warning" not in line]
    check(done.status == 125 and len(errors) == 1 and "WPERFDRIVER-2 was stopped" in errors[0], "stopped", done)
    fake("start")
    record_spe("arm_spe_0//", {"spe_left": 100}, ms=300)


# --- the lock

def another_process_has_the_lock() -> None:
    holder = Running([drive, "hold"])
    deadline = time.monotonic() + LIMIT
    while run("stat", "-e", "ld_spec", "-c", "0", "--timeout", "10ms").status == 0:
        check(time.monotonic() < deadline, "the lock is held")
    for argv in (("stat", "-e", "ld_spec", "-c", "0", "--timeout", "10ms"), ("list",), ("test", "--json")):
        refused(LOCKED, *argv)
    count_once("--force-lock")
    holder.process.kill()
    holder.wait()


def another_process_steals_the_lock() -> None:
    running = Running([wperf, "stat", "-e", "ld_spec", "-c", "0", "--timeout", "90"])
    wait_until_counting()
    holder = Running([drive, "hold"])
    done = running.wait()
    check(done.status == 1 and HIJACKED in done.err and "counter value" not in done.out, "stolen", done)
    holder.process.kill()
    holder.wait()


def killed_while_it_counts() -> None:
    running = Running([wperf, "stat", "-e", "ld_spec", "-c", "0", "--timeout", "90"])
    wait_until_counting()
    running.process.kill()
    running.wait()
    deadline = time.monotonic() + LIMIT
    while fake("running").strip() != "0":
        check(time.monotonic() < deadline, "nobody counts")
    count_once()


def driver_is_stopped_meanwhile() -> None:
    running = Running([wperf, "stat", "-e", "ld_spec", "-c", "0", "--timeout", "90"])
    wait_until_counting()
    fake("stop")
    done = running.wait()
    check(done.status == 1 and "WPERFDRIVER-2 was stopped" in done.err, "an error", done)
    fake("start")


# --- what it tells

def commands_about_the_machine() -> None:
    done = run("test", "--json", "-m", "imix")
    rows = {row["Test_Name"]: row["Result"] for row in json.loads(done.out)["Test_Results"]}
    version = next(row for row in json.loads(run("--version", "--json").out)["Version"] if row["Component"] == "wperf-driver")
    check(re.search(r"(^|-g)[0-9a-f]{8,}(-dirty)?$|^unknown$", version["GitVer"]) is not None, "git's description of the driver's source", version)
    for name, value in (
            ("pmu_device.product_name", "neoverse-n1"), ("pmu_device.version_name", "FEAT_PMUv3p1"),
            ("PMU_CTL_QUERY_HW_CFG [core_num]", "0x0004"), ("PMU_CTL_QUERY_HW_CFG [gpc_num]", "0x0006"),
            ("PMU_CTL_QUERY_HW_CFG [midr_value]", "0x000000000000410fd0c1"), ("spe_device.version_name", "FEAT_SPE"),
            ("windows.driver", " ".join(["WPERFDRIVER-2", version["Version"], version["GitVer"], version["FeatureString"]]).strip())):
        check(rows.get(name) == value, f"{name}: {value}", done)
    check(int(rows["pmu_device.events_query(events) [EVT_CORE]"]) > 50, "the model's events", done)
    done = run("detect")
    check(done.status == 0 and "WPERFDRIVER-2" in done.out, "detect", done)


def no_driver() -> None:
    refused("no active device interfaces found", "stat", "-e", "ld_spec", "--timeout", "10ms")


sessions = ""


def main() -> int:
    global sessions
    with tempfile.TemporaryDirectory() as sessions:
        return run_tests()


def run_tests() -> int:
    tests: list[Callable[[], None]] = [
        metric_on_one_core, windows_on_all_cores, modes_of_each_event, kernel_is_left_out, all_of_128_cores,
        clusters_and_memory_controllers, more_events_than_counters_of_units, cores_of_each_cluster, devices_in_the_registry, block_of_a_page, command_and_its_status,
        session_and_timeline, samples_of_one_process,
        samples_of_all_cores, samples_of_others_are_left_out, sampling_that_is_refused, sampling_beside_a_trace, a_trace_that_begins_later,
        spe_records_are_samples, spe_without_samples, spe_filters_arrive, spe_settings_arrive, spe_of_two_cores, spe_kernel_is_left_out, spe_buffer_that_is_full,
        spe_begins_after_the_delay, spe_that_is_refused, spe_whose_lock_is_stolen, spe_whose_driver_is_stopped,
        another_process_has_the_lock, another_process_steals_the_lock, killed_while_it_counts,
        driver_is_stopped_meanwhile, commands_about_the_machine]
    failed = 0
    wanted = sys.argv[6:]
    # Holds the machine, and keeps wine's services alive.
    keeper = subprocess.Popen([*WRAPPER, drive, "keep"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A run that was stopped may have left it.
    for word in ("stop", "remove"):
        Running([drive, word]).wait()
    tests = [no_driver, *(t for t in tests if not wanted or t.__name__ in wanted)]
    print(f"1..{len(tests)}", flush=True)
    for number, test in enumerate(tests, 1):
        start = time.monotonic()
        try:
            if test is not no_driver:
                fake("set", *SETTINGS)
            test()
            print(f"ok {number} - {test.__name__}", flush=True)
        except Exception:  # every failure of a test is reported, and the next test runs
            failed += 1
            print(f"not ok {number} - {test.__name__}")
            print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
        print(f"# {time.monotonic() - start:.1f} s", flush=True)
        if number == 1:
            fake("install", driver)
            fake("start")
    for word in ("stop", "remove"):
        Running([drive, word]).wait()
    keeper.stdin.close()
    keeper.wait(LIMIT)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
