#!/usr/bin/python3
"""Sessions of simpleperf and hiperf: compares the names that their recorders wrote into them with those tools' own
reports."""
import json
import os
import re
import struct

import harness
from harness import Context, Done, check, quality_of, rows_of

CORPUS = os.path.join(os.environ["WPERF_CORPUS"], "perfdata")
TESTDATA = "simpleperf/testdata/"
SCRIPTS = "simpleperf/scripts/test/script_testdata/"

# Samples without a name in sessions with a section of names: the recorder could not name them, either.
UNRESOLVED = {
    SCRIPTS + "aggregatable_perf1.data": 304,
    SCRIPTS + "perf_test_vmlinux.data": 0,
    SCRIPTS + "runtest_two_functions_arm64_perf.data": 0,
    SCRIPTS + "two_process_perf.data": 0,
    TESTDATA + "perf_merge1.data": 20,
    TESTDATA + "perf_need_proguard_mapping.data": 1,
    TESTDATA + "perf_no_unwind.data": 0,
    TESTDATA + "perf_sched_stat_runtime.data": 0,
    TESTDATA + "perf_with_add_counter.data": 22,  # each sample is one of both events
    TESTDATA + "perf_with_callchain_record.data": 0,
    TESTDATA + "perf_with_failed_unwinding_debug_info.data": 0,
    TESTDATA + "perf_with_generic_git_symbols.data": 0,
    TESTDATA + "perf_with_jit_symbol.data": 19,
    TESTDATA + "perf_with_kernel_symbols_available_false.data": 97,
    TESTDATA + "perf_with_kernel_symbols_available_true.data": 0,
    TESTDATA + "perf_with_symbols.data": 3,
    TESTDATA + "perf_with_symbols_for_nonzero_minvaddr_dso.data": 0,
    TESTDATA + "perf_with_trace_offcpu.data": 240,
    TESTDATA + "perf_with_tracepoint_event.data": 0,
    "hiperf/dwarf.uncompress.data": 28,
    "hiperf/fp.compress.data": 2,
    "hiperf/fp.uncompress.data": 42,
    "hiperf/perfnew.data": 843,
    "hiperf/report_test.data": 1,
}


def corpus(name: str) -> str:
    return os.path.join(CORPUS, name)


def report(t: Context, name: str, *more: str) -> Done:
    return t.good("report", "-i", corpus(name), *more)


def without_parameters(name: str) -> str:
    """`a::b(int, char*)` as `a::b`."""
    return re.sub(r"\(.*\)$", "", name)


def folded(text: str) -> list[tuple[list[str], int]]:
    """Stacks with their weights."""
    found = []
    for line in text.splitlines():
        stack, weight = line.rsplit(" ", 1)
        found.append((stack.split(";"), int(weight)))
    return found


def is_part_of(part: list[str], whole: list[str]) -> bool:
    """Each frame in order, with its parameters if the session has several functions of this name, otherwise without."""
    rest = iter(whole)
    return all(any(ours in (frame, without_parameters(frame)) for ours in rest) for frame in part)


def test_names_of_all_sessions(t: Context) -> None:
    wrong = []
    for name, most in UNRESOLVED.items():
        found = quality_of(report(t, name))["unresolved"]
        if found != most:
            wrong.append(f"{name}: {found} without a name, not {most}")
    check(not wrong, "\n".join(wrong))


def test_stacks_of_simpleperf(t: Context) -> None:
    """simpleperf leaves out frames of the interpreter itself, so its stacks are parts of wperf's, with the same
    weights."""
    name = TESTDATA + "perf_with_jit_symbol"
    ours = folded(t.good("export", "--format", "folded", "--weights", "-i", corpus(name + ".data"), "-o", "-").out)
    with open(corpus(name + ".foldedstack_with_kernel"), encoding="utf-8") as file:
        theirs = folded(file.read())
    check(sum(weight for _, weight in ours) == sum(weight for _, weight in theirs), "the same weight in all")
    for stack, weight in theirs:
        named = [frame for frame in stack if not frame.endswith("_[k]")]
        at = [frames for frames, ours_weight in ours if is_part_of(named, frames)]
        check(bool(at), f"no stack of ours has {named} with {weight}")
        n_kernel = sum(frame.endswith("_[k]") for frame in stack)
        check(any(frames[-n_kernel:] == ["[kernel.kallsyms]"] * n_kernel for frames in at) or not n_kernel,
              f"as many kernel frames as {stack}")


def test_names_of_the_gecko_profile(t: Context) -> None:
    name = SCRIPTS + "perf_with_tracepoint_event.gecko.json"
    with open(corpus(name), encoding="utf-8") as file:
        profile = json.load(file)
    theirs = {text.split(" (in ")[0] for thread in profile["threads"] for text in thread["stringTable"]}
    done = report(t, TESTDATA + "perf_with_tracepoint_event.data")
    ours = {row.symbol.split(":")[0] for row in rows_of(done.out)}
    check(theirs == ours, f"simpleperf has {sorted(theirs)}", done)


def test_names_of_tracepoints(t: Context) -> None:
    done = report(t, TESTDATA + "perf_sched_stat_runtime.data")
    check("event: sched:sched_stat_runtime every 1," in done.out, "the tracepoint's name", done)
    done = report(t, TESTDATA + "perf_with_trace_offcpu.data")
    check("event: sched:sched_switch every 1," in done.out, "the tracepoint's name", done)


def test_fields_of_tracepoints(t: Context) -> None:
    done = t.good("dump", "-i", corpus(TESTDATA + "perf_sched_stat_runtime.data"))
    check(" fields {comm simpleperf pid " in done.out, "fields of sched_stat_runtime", done)
    done = t.good("dump", "-i", corpus(TESTDATA + "perf_with_big_trace_data.data"))
    check("unknown-" not in done.out, "no record of an unknown type", done)


def hiperf_names(path: str) -> set[str]:
    """All names in hiperf's section, read by this test's own reader."""
    with open(path, "rb") as file:
        data = file.read()
    data_off, data_size = struct.unpack_from("<QQ", data, 40)
    bits = int.from_bytes(data[72:104], "little")
    before = bin(bits & ((1 << 192) - 1)).count("1")
    at, _ = struct.unpack_from("<QQ", data, data_off + data_size + 16 * before)
    names: set[str] = set()

    def number(form: str) -> int:
        nonlocal at
        value, = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return value

    def text() -> str:
        nonlocal at
        size = number("I")
        at += size
        return data[at - size:at - 1].decode()

    for _ in range(number("I")):
        text()
        number("I"), number("Q"), number("Q")
        text()
        for _ in range(number("I")):
            number("Q"), number("I")
            names.add(text())
    return names


def test_names_of_hiperf(t: Context) -> None:
    for name in ("dwarf.uncompress", "fp.uncompress", "perfnew"):
        known = hiperf_names(corpus(f"hiperf/{name}.data"))
        done = t.good("export", "--format", "folded", "--no-demangle", "-i", corpus(f"hiperf/{name}.data"), "-o", "-")
        used = {frame for stack, _ in folded(done.out) for frame in stack[1:]}
        named = {frame for frame in used if not frame.startswith("[")}
        check(len(named & known) > 20, f"{name}: {len(named & known)} names of the section are used")


def test_tree_and_annotate(t: Context) -> None:
    done = report(t, TESTDATA + "perf_with_trace_offcpu.data", "-g")
    check("_start_main [simpleperf_runtest_run_and_sleep64] > __libc_init [libc.so] > main" in done.out, "the tree", done)
    done = t.good("annotate", "-i", corpus(TESTDATA + "perf_with_symbols.data"))
    check(re.search(r"^\S.*:t2: \d+ of 935 samples of cycles", done.out, re.M) is not None, "a function by name", done)


def test_dump_shows_the_pairs(t: Context) -> None:
    done = t.good("dump", "-i", corpus(TESTDATA + "perf_with_jit_symbol.data"))
    check(re.search(r"SIMPLEPERF_META_INFO\n +\w+ ", done.out) is not None, "META_INFO", done)
    check("feature-1" not in done.out, "each feature has a name", done)


def test_spe_data_are_samples(t: Context) -> None:
    """As many as perf 6.12 makes of them; of the stream with junk bytes it makes 104 more, at address 0."""
    for name, n in (("01-hisilicon-branch", 16), ("03-context-two-records", 2), ("05-random-1cpu", 1500), ("07-random-junk-bytes", 800)):
        done = report(t, f"../spe/generated/spe-{name}.data")
        check(f"\nquality: {n} samples" in done.out, f"{n} samples", done)


def test_spe_buffers_without_a_header(t: Context) -> None:
    """Raw buffers of other people's machines: as many samples as perf or Arm's decoder printed, by address."""
    for name, n, addr in (("perf-dumps/01-hisilicon-branch-2021-06-26.bin", 16, "0xfffd6cd8c014"),
                          ("perf-dumps/05-fvp-short-headers-2018.bin", 1, "0xffff00000815c400"),
                          ("telemetry-solution/tests/testdata/spe-b1-ts0.data", 1, "0x7ffdbf2143e0"),
                          ("telemetry-solution/tests/testdata/spe-b1-ts1.data", 1, "0x7ffdbf2143e0")):
        done = t.ours("report", "-i", corpus(f"../spe/{name}"))
        check(done.status == 0 and "has only the data of Arm SPE" in done.err, name, done)
        check(f"\nquality: {n} samples" in done.out and "damaged" not in done.out, f"{n} samples", done)
        check(re.search(rf"^ +\d+\.\d\d +\d+  {addr}$", done.out, re.M) is not None, addr, done)
    done = t.ours("report", "-i", corpus("../spe/perf-dumps/08-context-packets.bin"))
    check(done.status != 0 and "not a perf.data file" in done.err, "packets without a record", done)


def test_traces_are_not_decoded(t: Context) -> None:
    for mode in ("", "piped."):
        done = report(t, f"quipper/perf.data.{mode}intel_pt-4.14")
        check(" bytes of Intel PT trace not decoded" in done.out.splitlines()[-1], "PT", done)


if __name__ == "__main__":
    harness.main(__name__)
