#!/usr/bin/python3
"""Arm SPE in an emulated machine whose driver is a test double (fakespe.c): what wperf records perf decodes, and the reverse.

The double takes a sample each PERIOD nanoseconds.  Of eight samples in a row three are loads, two stores, two branches, one of them
mispredicted, and one another operation; samples have a total latency of 4 + their number modulo 97.
"""
import json
import re

import machine
from machine import Guest, check, harness

PERIOD = 5120
NOBODY = 65534
LOAD = "LOAD_STORE_ATOMIC-LOAD-GP"
LINE = re.compile(r"^ *(\S+) +(\d+) +\[(\d+)\] +(\d+\.\d+): .*?: +([0-9a-f]+) ", re.M)


def load_module(t: Guest) -> None:
    done = t.shell("[ -d /sys/module/fakespe ] || insmod /fakespe.ko")
    check(done.status == 0, "insmod", done)


def by_perf(t: Guest, session: str) -> list[tuple]:
    """(thread, CPU, time, address) of each record, as perf decodes them."""
    done = t.run("perf", "script", "--ns", "-i", session, "--itrace=i1i", "-F", "comm,tid,cpu,time,event,ip,sym")
    check(done.status == 0, "perf script", done)
    return sorted(LINE.findall(done.out))


def by_wperf(t: Guest, session: str) -> list[tuple]:
    """The same as wperf decodes them."""
    done = t.run("wperf", "export", "--format", "perf-script", "-i", session)
    check(done.status == 0, "wperf export", done)
    return sorted(LINE.findall(done.out))


def rounded(samples: list[tuple]) -> list[tuple]:
    """Both without the nanoseconds, which wperf's text has not."""
    return sorted((comm, tid, cpu, time[:time.index(".") + 7], int(ip, 16)) for comm, tid, cpu, time, ip in samples)


def n_samples(done: harness.Done) -> int:
    return harness.quality_of(done)["samples"]


def check_same(t: Guest, session: str, least: int) -> None:
    ours, theirs = rounded(by_wperf(t, session)), rounded(by_perf(t, session))
    check(len(ours) >= least, f"{len(ours)} samples")
    check(ours == theirs, f"{len(ours)} samples by wperf, {len(theirs)} by perf, different: {sorted(set(ours) ^ set(theirs))[:6]}")
    harness.note(f"{len(ours)} samples")


def test_perf_decodes_what_wperf_records(t: Guest) -> None:
    load_module(t)
    done = t.good("record", "-e", f"arm_spe_0//:{PERIOD}", "--", "loops", "3")
    check("skid: none" in done.out and n_samples(done) > 1000, "a table", done)
    check_same(t, "wperf.data", 1000)


def test_wperf_decodes_what_perf_records(t: Guest) -> None:
    load_module(t)
    done = t.run("perf", "record", "-e", "arm_spe_0//u", "-c", str(PERIOD), "-o", "theirs.data", "loops", "3")
    check(done.status == 0, "perf record", done)
    check_same(t, "theirs.data", 1000)


def test_a_packed_session(t: Guest) -> None:
    load_module(t)
    t.good("record", "-z", "-e", f"arm_spe_0//:{PERIOD}", "--", "loops", "3")
    check_same(t, "wperf.data", 1000)


def test_all_cpus(t: Guest) -> None:
    """Each sample is of the thread that ran on its CPU, by the records of switches."""
    load_module(t)
    t.good("record", "-a", "-e", f"arm_spe_0//u:{PERIOD}", "--", "sh", "-c", "taskset 1 loops 3; taskset 2 loops 3")
    symbols, threads = t.symbols("loops"), {}
    for comm, tid, cpu, _, ip in by_wperf(t, "wperf.data"):
        if symbols["loop_of_four"] <= int(ip, 16) < symbols["_start"]:
            threads.setdefault((comm, tid), []).append(cpu)
    wrong = {thread: set(cpus) for thread, cpus in threads.items() if thread[0] == "loops" and len(set(cpus)) != 1}
    n_loops = sum(len(cpus) for thread, cpus in threads.items() if thread[0] == "loops")
    check(n_loops > 2000 and not wrong, f"{n_loops} samples of loops, on several CPUs: {wrong}")


def test_filters(t: Guest) -> None:
    load_module(t)
    counts = {}
    for name in ("", "ld=1", "st=1", "b=1", "ld=1,st=1", "event_filter=mispredicted", "min=50"):
        counts[name] = n_samples(t.good("record", "-e", f"arm_spe_0/{name}/:{PERIOD}", "--", "loops", "3"))
    whole = counts[""]
    for name, share in (("ld=1", 3 / 8), ("st=1", 2 / 8), ("b=1", 2 / 8), ("ld=1,st=1", 5 / 8), ("event_filter=mispredicted", 1 / 8),
                        ("min=50", 51 / 97)):
        check(abs(counts[name] - whole * share) < 0.05 * whole, f"{name}: {counts[name]} of {whole} samples")


def test_accesses_to_memory(t: Guest) -> None:
    """record --mem chooses SPE's loads and stores by itself; --ldlat leaves out the faster ones."""
    load_module(t)
    done = t.good("record", "--mem", "--", "loops", "60")
    check("wperf report --mem shows data sources" in done.out and n_samples(done) > 100, "samples", done)
    heading = re.search(r"memory accesses: \S+, (\d+) loads and (\d+) stores in (\d+) samples", t.good("report", "--mem").out)
    check(heading is not None and int(heading[1]) > int(heading[2]) > 0, f"{heading}")
    check(int(heading[1]) + int(heading[2]) == int(heading[3]) == n_samples(done), f"{heading[0]}: nothing but loads and stores")
    t.good("record", "--mem", "--ldlat", "80", "--", "loops", "60")
    slow = re.search(r"in (\d+) samples", t.good("report", "--mem").out)
    check(slow is not None and 0 < int(slow[1]) < int(heading[3]) / 2, f"{slow}")


def test_beside_other_events(t: Guest) -> None:
    load_module(t)
    done = t.good("record", "-e", f"cycles:u:100003,arm_spe_0/ld=1/:{PERIOD}", "--", "loops", "3")
    check("sample source: cycles:u" in done.out and f"sample source: {LOAD}/" in done.out, "tables of both", done)


def check_loads(done: harness.Done, core: str) -> None:
    """WindowsPerf's text: the counters, then a table for each set of events of loads, whose counts add up to all samples."""
    check(f"Performance counter stats for {core}" in done.out, "the core", done)
    filtrate = int(re.search(r"^ *([\d,]+)  sample_filtrate   0x4002     e$", done.out, re.M)[1].replace(",", ""))
    sources = re.findall(r"^=+ sample source: (\S+), top 50 hot functions =+$", done.out, re.M)
    totals = [int(n) for n in re.findall(r"^ +100.00% +(\d+)  top \d+ in total$", done.out, re.M)]
    check(sources and all(source.startswith(f"{LOAD}/retired+level1-data-cache-access") for source in sources), f"{sources}", done)
    check(len(set(sources)) == len(sources) == len(totals), f"{len(sources)} sources, {len(totals)} totals", done)
    check(sum(totals) == filtrate == n_samples(done) > 100, f"{totals} {filtrate}", done)


def test_the_learning_path(t: Guest) -> None:
    """The lines of WindowsPerf's learning path as they stand there; the program of that name runs loops."""
    load_module(t)
    machine_rows = t.good("test").out
    check(re.search(r"spe_device.version_name +FEAT_SPE$", machine_rows, re.M) is not None, machine_rows)
    features = [row["FeatureString"] for row in json.loads(t.good("--version", "--json").out)["Version"]]
    check(len(features) == 2 and all("+spe" in feature for feature in features), f"{features}")
    events = {row["Alias_Name"]: row["Event_Type"] for row in json.loads(t.good("list", "--json").out)["Predefined_Events"]}
    check(events.get("arm_spe_0//") == "[Kernel PMU event]" and events.get("load_filter") == "[SPE filter]", f"{list(events)[-20:]}")
    t.shell("printf '#!/bin/sh\nexec loops 200\n' > 'cpython\\PCbuild\\arm64\\python_d.exe'; chmod +x cpython*")
    done = t.shell("PATH=$PATH:.; wperf record -e arm_spe_0/ld=1/ -c 1 --timeout 5 -- 'cpython\\PCbuild\\arm64\\python_d.exe' -c 10**10**100")
    check(done.status == 0, "record", done)
    check_loads(done, "core 1")


def test_the_document(t: Guest) -> None:
    """All samples are in one event, and counted for one core."""
    load_module(t)
    argv = ("record", "-a", "-e", f"arm_spe_0//u:{PERIOD}", "--sample-display-row", "100000", "--json", "--")
    done = t.run("wperf", *argv, "sh", "-c", "taskset 1 loops 3; taskset 2 loops 3")
    check(done.status == 0, "record", done)
    document = json.loads(done.out)
    check(set(document) == {"sampling", "counting"}, f"{set(document)}")
    sampling, core = document["sampling"]["sampling"], document["counting"]["core"]
    shown = sum(sample["count"] for event in sampling["events"] for sample in event["samples"])
    counted = {row["core_number"]: row["Performance_counter"][2] for row in core["cores"]}
    whole = core["overall"]["Systemwide_Overall_Performance_Counters"][2]
    check(set(counted) == {0, 1} and all(row["event_name"] == "sample_filtrate" for row in (*counted.values(), whole)), f"{core}")
    check(sum(row["counter_value"] for row in counted.values()) == whole["counter_value"], f"{core}")
    check(whole["counter_value"] == sampling["samples_generated"] == shown > 2000, f"{shown} {whole}")
    annotated = json.loads(t.good("report", "--annotate", "--json", "--sample-display-row", "100000").out)["sampling"]["sampling"]["events"]
    for event in annotated:
        rows = {row["symbol"]: row["count"] for row in event["samples"]}
        hits = {f["function_name"]: sum(line["hits"] for line in f["source_code"]) for f in event["annotate"]}
        check(all(hits[name] <= rows.get(name, 0) for name in hits), f"hits of {event['type']} only")
    check(sum(len(event["annotate"]) for event in annotated) > 10, "annotated functions")


def test_a_full_buffer(t: Guest) -> None:
    """The kernel turns the event off when the buffer is full, and wperf on again.  A user who may lock little memory has small ones."""
    load_module(t)
    t.shell("echo 2 > /proc/sys/kernel/perf_event_paranoid; echo 600 > /proc/sys/kernel/perf_event_mlock_kb; chmod 777 .")
    done = t.shell("ulimit -l 64; wperf record -e arm_spe_0//:16384 -- loops 600 > out 2>&1 & p=$!; sleep 0.2; kill -STOP $p;"
                   "sleep 0.2; kill -CONT $p; wait $p; s=$?; cat out; exit $s", uid=NOBODY)
    t.shell("echo 516 > /proc/sys/kernel/perf_event_mlock_kb")
    check("SPE paused after" in done.out, "it says so", done)
    columns = re.search(r"loops \d+/\d+  (\S[^\n]*)", t.good("report", "-f", "--threads").out)[1]
    check(re.search(r"[^ ·][ ·]{4,}[^ ·]", columns) is not None, f"samples before and after a pause: {columns}")


def test_collisions(t: Guest) -> None:
    load_module(t)
    t.shell("echo 1 > /sys/module/fakespe/parameters/collide")
    done = t.good("record", "-e", f"arm_spe_0//:{PERIOD}", "--", "loops", "3")
    t.shell("echo 0 > /sys/module/fakespe/parameters/collide")
    check("samples collided in 100.0 % of the SPE buffers" in done.out, "it says so", done)


def test_branches(t: Guest) -> None:
    """A taken branch goes 16 bytes ahead, and is mispredicted."""
    load_module(t)
    t.good("record", "-e", f"arm_spe_0/b=1/:{PERIOD}", "--", "loops", "3")
    done = t.good("report", "-b")
    check("100.0" in done.out and "loop_of_" in done.out, "branches by function", done)


def hardware_test(t: Guest) -> tuple[int, dict]:
    """Its status and its document.  The module does not tell loops apart, and the machine has no caches."""
    load_module(t)
    done = t.run("wperf", "test", "--hardware", "--loop-operations", "2000000", "--json")
    check(done.err == "", "nothing on standard error", done)
    return done.status, harness.document_of(done)


def test_hardware_report(t: Guest) -> None:
    """Loops follow each other in the session, each with samples as the module makes them."""
    status, document = hardware_test(t)
    check(status == 1, f"status {status}: the loops are not what they should be")
    facts = {row["Fact"]: row["Value"] for row in document["Machine"]}
    check(facts["CPU"] == "Neoverse N1" and facts["arm_spe_0/caps/min_interval"] == "1024" and facts["kernel"] != "", str(facts))
    check(facts["truncated SPE buffers"] == facts["damaged samples"] == "0", str(facts))
    loops = {row["Loop"]: row for row in document["Loops"]}
    check(len(loops) == 11, f"{len(loops)} loops")
    for name, row in loops.items():
        if name == "chase 512 MiB":
            check(row["Samples"] == "0", f"the machine has too little memory for {row}")
            continue
        check(int(row["Samples"]) >= 100, f"samples: {row}")
        for column, share in (("Loads", 37.5), ("Stores", 25), ("Branches", 25), ("L1", 20), ("L2", 20), ("Far_Cache", 40),
                              ("Memory", 20), ("Unknown", 0), ("TLB_Walks", 10)):
            check(abs(float(row[column].split()[0]) - share) < 3, f"{column} of {row}")
        # 4 to 100 cycles in turn; an incomplete turn after a whole one moves the median by 12 at most.
        check(abs(int(row["Cycles"]) - 52) <= 13, f"latency: {row}")


def test_hardware_verdicts(t: Guest) -> None:
    _, document = hardware_test(t)
    found = {(row["Loop"], row["Check"]): row["Result"] for row in document["Checks"]}
    check(found["chase 8 MiB", "loads"] == "DIFFERS" and found["stores 64 MiB", "stores"] == "DIFFERS", str(found))
    check(found["chase 512 MiB", "samples"] == "not judged", str(found))
    check(found["random branches", "branches"] == "ok" and found["steady branches", "mispredicted"] == "DIFFERS", str(found))
    check(found["all chases", "latency grows with size"] == "DIFFERS", str(found))


def test_hardware_that_cannot_be_recorded(t: Guest) -> None:
    load_module(t)
    t.shell("echo 3 > /proc/sys/kernel/perf_event_paranoid; chmod 777 .")
    done = t.run("wperf", "test", "--hardware", uid=NOBODY)
    t.shell("echo 2 > /proc/sys/kernel/perf_event_paranoid")
    check(done.status != 0 and done.out == "", "no table", done)
    harness.check_sentence(done, "perf_event_paranoid")


def test_filters_that_need_privilege(t: Guest) -> None:
    load_module(t)
    t.shell("chmod 777 .")
    for name in "pa", "pct":
        done = t.run("wperf", "record", "--session", f"{name}.data", "-e", f"arm_spe_0/{name}=1/u", "--", "loops", "3", uid=NOBODY)
        check(done.status == 125 and done.out == "", "no table", done)
        harness.check_sentence(done, "has pa or pct (physical addresses, physical counter), which needs privilege: leave them out, or run wperf as root")


if __name__ == "__main__":
    machine.main(__name__, cpus=2, extra=("perf", "fakespe"))
