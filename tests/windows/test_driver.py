#!/usr/bin/python3
"""stat on Windows through WPERFDRIVER, against fake_wperfdriver.c in wine's driver host. Usage: test_driver.py WPERF.EXE DRIVE_FAKE.EXE
FAKE_WPERFDRIVER.SYS FAKE_CFGMGR32.DLL [TEST...]. WINEPREFIX must be set. The fake counts by rules that this program knows, so counts are
compared exactly; only how many ticks of the driver's timer a run saw is taken from its cycle counter."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from typing import Callable

import driver_unit_cases
from driver_harness import (
    CORES, DEFAULTS, GROW, IMIX, LIMIT, MODULES_ARE_KNOWN, NO, N_COUNTERS, OFFSET, PC_HIGH, PC_LOW, REQUEST, RESTING, SPE_RECORDS, SPE_STEP,
    VERSION, WORD, WRAPPER, Done, Running, check, check_core, count_once, drive, driver, fake, rate, refused,
    refused_later, run, stat, wait_until_counting, wperf)

# --- counting

def metric_on_one_core() -> None:
    done = stat("-m", "imix", "-c", "1", "--timeout", "0.3")
    check(len(done["core"]["cores"]) == 1 and done["core"]["cores"][0]["core_number"] == 1, "core 1 alone", done)
    check_core(done["core"]["cores"][0], IMIX)
    check(not done["core"]["Multiplexing"] and not done["core"]["Kernel_mode"], "one window, without the kernel", done)


def table_as_windowsperf_prints_it() -> None:
    done = run("stat", "-e", "ld_spec,vfp_spec", "-c", "0", "sleep", "1")
    check(done.status == 0 and "Performance counter stats for core 0, no multiplexing, kernel mode excluded, "
          "on Arm Limited core implementation:" in done.out and "seconds time elapsed" in done.out and "scaled value" not in done.out,
          "the table", done)


def groups_share_windows_on_all_cores() -> None:
    done = stat("-e", "{ld_spec,st_spec,dp_spec},{vfp_spec,ase_spec},{inst_spec,l1d_cache}", "--timeout", "0.7", "-k")
    check([c["core_number"] for c in done["core"]["cores"]] == [0, 1], "both cores", done)
    for core in done["core"]["cores"]:
        slots = ["ld_spec", "st_spec", "dp_spec", "-", "-", "-", "vfp_spec", "ase_spec", "-", "-", "-", "-"]
        rows = {r["event_name"]: r for r in core["Performance_counter"]}
        rounds = core["Performance_counter"][0]["counter_value"] // 1000000
        for first, second in (("ld_spec", "st_spec"), ("vfp_spec", "ase_spec"), ("inst_spec", "l1d_cache")):
            a, b = (rows[name]["counter_value"] / rate(name, core["core_number"], True) for name in (first, second))
            check(a == b and a == int(a) and 0 < a <= rounds, f"{first} and {second} in the same ticks", core)
        check(rows["ld_spec"]["counter_value"] < rounds * rate("ld_spec", core["core_number"], True), "not in all", slots)
    check(done["core"]["Multiplexing"] and done["core"]["Kernel_mode"], "multiplexed, with the kernel", done)
    total = done["core"]["overall"]["Systemwide_Overall_Performance_Counters"]
    for index, row in enumerate(total):
        parts = [c["Performance_counter"][index]["counter_value"] for c in done["core"]["cores"]]
        check(row["counter_value"] == sum(parts), "the sum of both cores", row)


def windows_wrap_without_groups() -> None:
    fake("set", N_COUNTERS, "3")
    done = stat("-e", "ld_spec,st_spec,dp_spec,vfp_spec", "-c", "0", "--config", "count.period=20", "--timeout", "0.3")
    check_core(done["core"]["cores"][0], ["ld_spec", "st_spec", "dp_spec", "vfp_spec"], counters=3)


def a_short_count_has_a_whole_tick() -> None:
    count_once()


def timeline_counts_again_from_zero() -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = run("stat", "-e", "ld_spec", "-c", "0", "-t", "-i", "100ms", "-n", "2", "--timeout", "0.3", "--json-lines",
                   "--cwd", folder)
        (name,) = os.listdir(folder)
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            check("Vendor,Arm Limited\n" in file.read(), "the CSV file", done)
    lines = [json.loads(line) for line in done.out.splitlines()]
    check(done.status == 0 and len(lines) == 2, "two lines", done)
    for line in lines:
        rows = line["core"]["cores"][0]["Performance_counter"]
        ticks = rows[0]["counter_value"] // 1000000
        check(ticks > 0 and rows[1]["counter_value"] == ticks * rate("ld_spec", 0, False), "each has its own ticks", line)


def all_of_128_cores() -> None:
    fake("set", CORES, "128")
    cores = stat("-e", "ld_spec,st_spec", "--timeout", "10ms")["core"]["cores"]
    check([c["core_number"] for c in cores] == list(range(128)), "every core", cores)
    for core in cores:
        check_core(core, ["ld_spec", "st_spec"])


def session_has_the_counts() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.data")
        counted = stat("-m", "imix", "-c", "1", "--timeout", "10ms", "--session", path)
        done = run("report", "-i", path, "--json")
        check(done.status == 0, "report", done)
        check(json.loads(done.out)["core"]["cores"] == counted["core"]["cores"], "the same counts", done)


def command_is_pinned_and_its_status_returned() -> None:
    done = run("stat", "-e", "ld_spec", "-c", "1", "--", drive, "pinned", "7")
    check(done.status == 7 and "CPUs 0x2" in done.out and "stats for core 1" in done.out, "its CPU and its status", done)
    done = run("stat", "-e", "ld_spec", "-c", "0", "--json", "--timeout", "10ms", "--", drive, "pinned", "7")
    check_core(json.loads(done.out)["core"]["cores"][0], ["ld_spec"])
    check(done.status == 0 and "CPUs 0x1" in done.err, "its output is not in the document", done)
    refused("choose the CPUs on which the command is to run with -c", "stat", "-e", "ld_spec", "--", drive, "pinned", "7")
    refused("no-such-program", "stat", "-e", "ld_spec", "-c", "0", "--", "no-such-program")
    count_once()


def modes_that_one_filter_cannot_have() -> None:
    done = run("stat", "-e", "ld_spec,st_spec:k", "-c", "0", "--timeout", "10ms")
    check("leave out the modifier" in done.out + done.err and "ld_spec" in done.out, "the other event is counted", done)


def ctrl_c_prints_and_gives_the_lock_back() -> None:
    running = Running([wperf, "stat", "--json", "-e", "ld_spec", "-c", "0"])
    wait_until_counting()
    running.process.send_signal(signal.SIGINT)
    done = running.wait()
    check(done.out.startswith("{"), "counts are printed", done)
    check_core(json.loads(done.out)["core"]["cores"][0], ["ld_spec"])
    count_once()


def third_ctrl_c_gives_the_lock_back() -> None:
    fake("set", RESTING, "1")
    running = Running([wperf, "stat", "-e", "ld_spec", "-c", "0"])
    wait_until_counting()
    deadline = time.monotonic() + LIMIT
    while running.process.poll() is None and time.monotonic() < deadline:
        running.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    done = running.wait()
    check("counter value" not in done.out, "no counts", done)
    fake("set", *DEFAULTS)
    count_once()


# --- sampling

def samples_of_two_events() -> None:
    address = int(Running([drive, "function"]).wait().out.split()[1], 16) + 4
    fake("set", PC_LOW, hex(address & 0xffffffff), PC_HIGH, hex(address >> 32))
    with tempfile.TemporaryDirectory() as folder:
        session = os.path.join(folder, "s.data")
        done = run("record", "-e", "ld_spec:100000,vfp_spec:5000", "-c", "1", "--session", session, "--json", "--", drive, "function")
        report = run("report", "-i", session)
    document = json.loads(done.out)["sampling"]
    events = {e["type"]: e for e in document["events"]}
    check(set(events) == {"ld_spec", "vfp_spec"}, "both events", done)
    for name, interval in (("ld_spec", 100000), ("vfp_spec", 5000)):
        rows = events[name]["samples"]
        check(events[name]["interval"] == interval and len(rows) == 1
              and (not MODULES_ARE_KNOWN or rows[0]["symbol"].startswith("sampled_function")) and rows[0]["count"] % 2 == 0, f"{name}: two of three samples, all in the function", done)
    check(document["samples_dropped"] == 4, "what the driver dropped", done)
    check("were lost: sample with a longer interval" in report.out, "what to do about it", report)


def record_spe(event: str, *settings: str) -> tuple[Done, Done, Done]:
    """What record, report and export say of a session with SPE data."""
    address = int(Running([drive, "function"]).wait().out.split()[1], 16) + 4
    fake("set", PC_LOW, hex(address & 0xffffffff), PC_HIGH, hex(address >> 32), *settings)
    with tempfile.TemporaryDirectory() as folder:
        session = os.path.join(folder, "s.data")
        done = run("record", "-e", event, "-c", "1", "--session", session, "--", drive, "function")
        report = run("report", "--stdio", "-i", session)
        memory = run("report", "--mem", "--json", "-i", session)
    check(done.status == 0 and report.status == 0, f"{event} is sampled", f"{done}\n{report}")
    return done, report, memory


def spe_records_are_samples() -> None:
    """Each of the driver's records is a sample: 1,000 loads, 200 at a time. The program sleeps for 1.5 s, in which a busy machine asks the
    driver some 14 times. The first 200 may be there before the program's module is known."""
    done, report, memory = record_spe("arm_spe_0//", SPE_RECORDS, "1000", SPE_STEP, "200")
    counts = {name: int(count) for count, name in re.findall(r"\d\.\d\d +(\d+) +(sampled_function|unknown)", report.out)}
    known = "sampled_function" if MODULES_ARE_KNOWN else "unknown"
    check(sum(counts.values()) == 1000 and counts.get(known, 0) >= 800 and "quality: 1000 samples, 0 lost" in report.out,
          f"a sample for each record, in the function: {counts}", report)
    check("LOAD_STORE_ATOMIC-LOAD-GP/retired+level1-data-cache-refill" in done.out, "WindowsPerf's words", done)
    check(memory.status == 0 and "load" in memory.out.lower(), "loads", memory)


def spe_filters_reach_the_driver() -> None:
    done, report, _ = record_spe("arm_spe_0/st=1/", SPE_RECORDS, "100", SPE_STEP, "20")
    check("quality: 100 samples" in report.out, "all records", report)
    check("STORE-GP" in done.out and "LOAD-GP" not in done.out, "the driver was asked for stores only", done)


def more_spe_data_than_an_answer_holds() -> None:
    """2,000 records of 64 bytes at once: all but the newest are lost, and that is said."""
    done, report, _ = record_spe("arm_spe_0//", SPE_RECORDS, "2000", SPE_STEP, "2000")
    check("quality: 272 samples" in report.out, "the newest ones", report)
    check(f"{64 * (2000 - 272)} bytes were lost" in done.out and f"{64 * (2000 - 272)} bytes were lost" in report.out, "what was lost is said", f"{done}\n{report}")


def spe_that_is_refused() -> None:
    refused("SPE is not supported by your hardware", "record", "-e", "arm_spe_0//", "-c", "1", "--", drive, "pinned", "0")
    fake("set", SPE_RECORDS, "100", SPE_STEP, "10")
    for text, *argv in (
            ("you can specify only one core for sampling", "-e", "arm_spe_0//"),
            ("WPERFDRIVER does not set the interval of SPE", "-c", "1", "-e", "arm_spe_0//:1000"),
            ("arm_spe_0 has no format/min_latency", "-c", "1", "-e", "arm_spe_0/min=5/"),
            ("can't be sampled together", "-c", "1", "-e", "arm_spe_0//,ld_spec:1000")):
        refused(text, "record", *argv, "--", drive, "pinned", "0")
    listed = [row["Alias_Name"] for row in json.loads(run("list", "--json").out)["Predefined_Events"] if row["Event_Type"] == "[SPE filter]"]
    check(listed == ["load_filter", "store_filter", "branch_filter"], "only filters that the driver takes are listed", listed)
    fake("set", REQUEST, "19", OFFSET, "0", WORD, "0x1000000")
    done = run("record", "-e", "arm_spe_0//", "-c", "1", "--", drive, "function")
    check(done.status != 0 and "bytes of SPE data" in done.err, "a size that cannot be", done)


def samples_that_are_refused() -> None:
    for text, *argv in (
            ("you can specify only one core for sampling", "-e", "ld_spec:1000"),
            ("you can specify only one core for sampling", "-e", "ld_spec:1000", "-c", "0,1"),
            ("exceeds the number of free hardware PMU counters(6)", "-c", "0", "-e",
             "r1:1000,r2:1000,r3:1000,r4:1000,r5:1000,r6:1000,r7:1000"),
            ("event interval: 0x100000000 is out of range! (column 9)", "-e", "ld_spec:0x100000000", "-c", "0"),
            ("event interval: 4294967296 is out of range! WPERFDRIVER takes 1 to 4294967295", "-c", "0", "-e",
             "armv8_pmuv3_0/event=0x70,period=4294967296/"),
            ("unknown event name", "-e", "bogus")):
        refused(text, "record", *argv, "--", drive, "pinned", "0")
    fake("set", REQUEST, "15", OFFSET, "0", WORD, "129")
    done = run("record", "-e", "ld_spec:1000", "-c", "0", "--", drive, "function")
    check("more than 128 samples" in done.err, "too many samples in an answer", done)
    fake("set", *DEFAULTS)
    count_once()


# --- the lock

LOCKED = ("warning: other WindowsPerf process acquired the wperf-driver. note: use --force-lock to force driver to give lock to current `wperf` "
          "process. Operation cancelled!")
HIJACKED = ("warning: other WindowsPerf process hijacked (forced lock) the wperf-driver, see --force-lock. Operation terminated, your data was "
            "lost!")


def another_process_has_the_lock() -> None:
    """Editors search for the words, and offer --force-lock only if the status says that the command failed."""
    fake("force")
    for argv in (("stat", "-e", "ld_spec", "-c", "0", "--timeout", "10ms"), ("list", "-v", "--json"), ("test", "--json"), ("test",),
                 ("record", "-e", "ld_spec:1000", "-c", "0", "--json", "--annotate", "--", drive, "pinned", "0")):
        refused(LOCKED, *argv)
    done = run("--version", "--json")
    check(done.status == 1 and LOCKED in done.err and [row["Component"] for row in json.loads(done.out)["Version"]][:1] == ["wperf"],
          "what is known of the versions", done)
    check(run("man", "neoverse-n1/ld_spec").status == 0, "a page of the manual needs no driver")
    check(run("list", "--cpu-model", "neoverse-n1").status == 0, "nor do the events of another CPU")
    for argv in (("list", "ld_spec", "--json"), ("--version", "--json")):
        fake("force")
        check(run(*argv, "--force-lock").status == 0, f"{argv} takes the lock")
    count_once()


def another_process_steals_the_lock() -> None:
    running = Running([wperf, "stat", "-e", "ld_spec", "-c", "0", "--timeout", "90"])
    wait_until_counting()
    fake("force")
    done = running.wait()
    check(done.status == 1 and HIJACKED in done.err and "counter value" not in done.out, "stolen", done)
    refused(LOCKED, "stat", "-e", "ld_spec", "-c", "0", "--timeout", "10ms")


def other_profilers_have_all_counters() -> None:
    fake("set", REQUEST, "16", OFFSET, "0", WORD, "3")
    for argv in (("stat", "-e", "ld_spec", "--timeout", "10ms"), ("list",), ("test",)):
        refused("warning: not enough resources available to execute the request. ", *argv)


# --- other drivers

def versions_with_the_same_driver() -> None:
    for version in (0x30701, 0x30702):
        fake("set", VERSION, hex(version))
        count_once()


def other_versions_are_refused_by_name() -> None:
    for version, text in ((0x50500, "5.5.0"), (0x40301, "4.3.1"), (0x30700, "3.7.0"), (0x30703, "3.7.3")):
        fake("set", VERSION, hex(version))
        refused(f"WPERFDRIVER has version {text}", "stat", "-e", "ld_spec", "--timeout", "10ms")
    for argv in (("list",), ("test", "--json")):
        refused("WPERFDRIVER has version 3.7.3", *argv)
    done = run("--version")
    check(done.status == 1 and "WPERFDRIVER has version 3.7.3" in done.err and "wperf" in done.out, "versions that do not match", done)
    fake("set", *DEFAULTS)
    count_once()


SPOILED = [
    # request, bytes added, offset, word, what wperf says
    (3, -1, NO, 0, "PMU_CTL_QUERY_HW_CFG with 335 bytes where version 3.8 has 336"),
    (3, 8, NO, 0, "PMU_CTL_QUERY_HW_CFG with 344 bytes"),
    (3, 0, 0, 0x06200104, "with 32 of 6 counters"),
    (3, 0, 8, 0x00810d0c, "reports 129 cores"),
    (3, 0, 8, 0x00000d0c, "reports 0 cores"),
    (4, -3, NO, 0, "a list that is cut"),
    (4, 0, 0, 7, "of a class that version 3.8 does not have"),
    (4, 0, 4, 0xffff, "a list that is cut"),
    (5, -322, NO, 0, "PMU_CTL_QUERY_VERSION with 2 bytes"),
    (5, -4, NO, 0, "PMU_CTL_QUERY_VERSION with 320 bytes"),
    (7, -32, NO, 0, "PMU_CTL_READ_COUNTING with 4080 bytes"),
    (7, 0, 0, 129, "there are more than can be"),
    (7, 0, 0, 1, "some of the events are missing"),
    (7, 0, 48, 0x71, "they are not of the events that were assigned"),
    (7, 0, 72, 0x7fffffff, "counted in more rounds than there were"),
    (16, 4, NO, 0, "PMU_CTL_LOCK_ACQUIRE with 8 bytes"),
    (16, 0, 0, 9, "warning: unknown lock error. note: the status is 9. Operation cancelled!"),
    (6, 2, NO, 0, "PMU_CTL_ASSIGN_EVENTS with 2 bytes"),
]


def spoiled_answers_are_refused() -> None:
    for request, grow, offset, word, text in SPOILED:
        fake("set", *DEFAULTS, REQUEST, str(request), GROW, str(grow), OFFSET, str(offset), WORD, hex(word))
        done = run("stat", "-e", "ld_spec", "-c", "0", "--timeout", "10ms")
        check(done.status == 1 and text in done.err, f"request {request}: '{text}'", done)


def driver_is_stopped_meanwhile() -> None:
    running = Running([wperf, "stat", "-e", "ld_spec", "-c", "0", "--timeout", "90"])
    wait_until_counting()
    fake("stop")
    done = running.wait()
    check(done.status == 1 and "WPERFDRIVER" in done.err, "an error", done)
    fake("start")


def driver_that_does_not_tick() -> None:
    fake("set", RESTING, "1")
    refused_later("did not tick on core 0", "stat", "-e", "ld_spec", "-c", "0", "--timeout", "10ms")


# --- what is refused, and what is found

def editors_read_what_they_ask_for() -> None:
    """What the extensions for VS Code and Visual Studio run and parse: their keys, types, and rules for what is there."""
    fake("set", SPE_RECORDS, "100", SPE_STEP, "10")
    versions = json.loads(run("--version", "--json").out)["Version"]
    check([v["Version"] for v in versions if v["Component"] == "wperf"] and all("+spe" in v["FeatureString"] for v in versions),
          "SPE is offered", versions)
    events = json.loads(run("list", "-v", "--json").out)["Predefined_Events"]
    check(all(isinstance(e["Alias_Name"], str) and isinstance(e.get("Description", ""), str) for e in events), "names and descriptions")
    kinds = [e["Event_Type"] for e in events]
    check(kinds.count("[SPE filter]") == 3 and kinds.count("[Kernel PMU event]") == 1, "choices of filters", kinds)
    rows = {row["Test_Name"]: row["Result"] for row in json.loads(run("test", "--json").out)["Test_Results"]}
    numbers = [int(rows[name], 16) for name in ("PMU_CTL_QUERY_HW_CFG [gpc_num]", "PMU_CTL_QUERY_HW_CFG [total_gpc_num]",
                                                "PMU_CTL_QUERY_HW_CFG [core_num]", "pmu_device.sampling.INTERVAL_DEFAULT")]
    check(numbers == [6, 6, 2, 0x4000000] and rows["spe_device.version_name"] == "FEAT_SPE", "numbers", numbers)
    page = json.loads(run("man", "ld_spec", "--json").out)["Manual_Results"]
    check({"CPU", "NAME", "DESCRIPTION"} <= {row["Field_Type"] for row in page}, "a page", page)
    address = int(Running([drive, "function"]).wait().out.split()[1], 16) + 4
    fake("set", PC_LOW, hex(address & 0xffffffff), PC_HIGH, hex(address >> 32))
    with tempfile.TemporaryDirectory() as folder:
        session = ("--session", os.path.join(folder, "s.data"))
        for more in (("--disassemble",), ("--annotate", "-v")):
            event = "ld_spec:1000,vfp_spec:5000"
            done = run("record", "-e", event, "-c", "0", *session, "--json", *more, "--", drive, "function")
            check_samples(json.loads(done.out)["sampling"], ["ld_spec", "vfp_spec"], done)
        done = run("record", "-e", "arm_spe_0/load_filter=1/", "-c", "0", *session, "--json", "--annotate", "--", drive, "function")
        document = json.loads(done.out)
        check(sorted(document) == ["counting", "sampling"], "both parts", done)
        check_samples(document["sampling"]["sampling"], None, done)


def check_samples(sampling: dict, types: list[str] | None, done: object) -> None:
    """The document of an editor, with lines of the function's source."""
    events = sampling["events"]
    check(types is None or [e["type"] for e in events] == types, "the events", done)
    for event in events:
        check(isinstance(event["type"], str) and isinstance(event["annotate"], list), "an event", event)
        for sample in event["samples"]:
            check(isinstance(sample["overhead"], (int, float)) and isinstance(sample["count"], int) and isinstance(sample["symbol"], str),
                  "a sample", sample)
        for function in event["annotate"]:
            for line in function["source_code"]:
                check(line["filename"] and line["line_number"] > 0 and line["hits"] > 0, "a line that an editor can open", line)
                for code in line.get("disassembled_line", {}).get("disassemble", []):
                    check(isinstance(code["address"], str) and isinstance(code["instruction"], str), "an instruction", code)
    lines = [line for event in events for function in event["annotate"] for line in function["source_code"]]
    check(lines or not MODULES_ARE_KNOWN, "lines of samples", done)


def what_the_driver_cannot_do() -> None:
    refused("core index 2 not allowed. Use 0-1, see option -c <n>", "stat", "-e", "ld_spec", "-c", "2", "--timeout", "10ms")
    refused("WPERFDRIVER counts CPUs, not processes", "stat", "-e", "ld_spec", "-p", "1", "--timeout", "10ms")
    refused("event group size(7) exceeds number of hardware PMU counters(6)", "stat", "-c", "0", "--timeout", "10ms", "-e",
            "{ld_spec,st_spec,dp_spec,vfp_spec,ase_spec,inst_spec,l1d_cache}")


def registered_interface_is_found() -> None:
    fake("register")
    try:
        done = run("detect")
        check(done.status == 0 and "root#system#0001#{f8047fdd" in done.out.lower() and "Root\\WPERFDRIVER" in done.out, "detect", done)
        count_once()
    finally:
        fake("forget")


def commands_about_the_machine() -> None:
    done = run("test", "--json", "-m", "imix")
    rows = {row["Test_Name"]: row["Result"] for row in json.loads(done.out)["Test_Results"]}
    for name, value in (
            ("pmu_device.vendor_name", "Arm Limited"), ("pmu_device.product_name", "neoverse-n1"),
            ("pmu_device.events_query(events) [EVT_CORE]", "5"), ("pmu_device.version_name", "FEAT_PMUv3p1"),
            ("PMU_CTL_QUERY_HW_CFG [core_num]", "0x0002"), ("PMU_CTL_QUERY_HW_CFG [gpc_num]", "0x0006"),
            ("PMU_CTL_QUERY_HW_CFG [midr_value]", "0x000000000000413fd0c1"),
            ("PMU_CTL_QUERY_HW_CFG [id_aa64dfr0_value]", "0x00000000000110305408"),
            ("PMU_CTL_QUERY_HW_CFG [device_id_str]", "core.stat=core;core.sample=core"),
            ("ioctl_events[EVT_CORE].index", "27,115,117,116,112,113"), ("gpc_nums[EVT_CORE]", "6"),
            ("spe_device.version_name", "FEAT_SPE"), ("windows.driver", "WPERFDRIVER 3.8.0 4c88f933 +trace")):
        check(rows.get(name) == value, f"{name}: {value}", done)
    done = run("--version", "--json")
    ours, of_driver = json.loads(done.out)["Version"]
    check(ours["Component"] == "wperf" and ours["FeatureString"] == "+spe", "the first of two rows", done)
    check(of_driver == {"Component": "wperf-driver", "Version": "3.8.0", "GitVer": "4c88f933", "FeatureString": "+trace"},
          "the driver's row", done)
    done = run("list", "ld_spec", "--json")
    check("ld_spec" in [e["Alias_Name"] for e in json.loads(done.out)["Predefined_Events"]], "the core's events", done)


def no_driver() -> None:
    refused("no active device interfaces found", "stat", "-e", "ld_spec", "--timeout", "10ms")
    refused("no active device interfaces found", "detect")
    done = run("--version", "--json")
    check([row["Component"] for row in json.loads(done.out)["Version"]] == ["wperf", "windows"], "two rows without a driver, too", done)


def main() -> int:
    tests: list[Callable[[], None]] = [
        metric_on_one_core, table_as_windowsperf_prints_it, groups_share_windows_on_all_cores, windows_wrap_without_groups,
        a_short_count_has_a_whole_tick, timeline_counts_again_from_zero, all_of_128_cores, command_is_pinned_and_its_status_returned, session_has_the_counts, modes_that_one_filter_cannot_have,
        ctrl_c_prints_and_gives_the_lock_back, third_ctrl_c_gives_the_lock_back, samples_of_two_events, samples_that_are_refused,
        spe_records_are_samples, spe_filters_reach_the_driver, more_spe_data_than_an_answer_holds, spe_that_is_refused,
        another_process_has_the_lock, another_process_steals_the_lock,
        other_profilers_have_all_counters, versions_with_the_same_driver, other_versions_are_refused_by_name, spoiled_answers_are_refused,
        driver_that_does_not_tick, driver_is_stopped_meanwhile, commands_about_the_machine, editors_read_what_they_ask_for,
        what_the_driver_cannot_do, registered_interface_is_found,
        *driver_unit_cases.TESTS]
    failed = 0
    wanted = sys.argv[5:]
    # Wine ends its services, and with them the driver, some seconds after the last other program has ended.
    keeper = subprocess.Popen([*WRAPPER, "cmd.exe"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A run that was stopped may have left it.
    for word in ("stop", "remove"):
        Running([drive, word]).wait()
    tests = [no_driver, *(t for t in tests if not wanted or t.__name__ in wanted)]
    print(f"1..{len(tests)}", flush=True)
    for number, test in enumerate(tests, 1):
        start = time.monotonic()
        try:
            if test is not no_driver:
                fake("set", *DEFAULTS)
                fake("free")
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
