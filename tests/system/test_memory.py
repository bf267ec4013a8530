#!/usr/bin/python3
"""Memory accesses that memory_model.py invents, as a session: perf and wperf have to decode what was invented.

A report of memory is compared with `differences(facts_of(program, operations), seen)`, where `seen` is the report's document in
the shape of facts_of(); each of its keys can be compared alone.
"""
import csv
import dataclasses
import functools
import os
import random
import re
import subprocess
from collections import Counter

import harness
from harness import Context, check
from memory_model import (FIRST_TICK, LEVELS, LINE_BYTES, SCENARIOS, THREADS_BY, Model, Operation, Program, Slice, compile_program,
                          differences, facts_of, key_of, make_model, quantile)
from memory_session import RECORD_BYTES, events_of, record_of, write_session

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "memory_program.c")


@functools.cache
def the_program() -> Program:
    """Compiled once for all tests."""
    path = compile_program(SOURCE, harness.CACHE)
    if not path:
        raise harness.Skip("a C compiler")
    return Program(path)


def written(t: Context, name: str, threads_by: str = THREADS_BY[0]) -> tuple[Model, str]:
    model = make_model(name, the_program(), threads_by)
    path = t.path(f"{name}.data")
    write_session(path, model)
    return model, path


# --- the expectation itself, by hand ---


def facts_by_name(name: str) -> dict:
    model = make_model(name, the_program())
    return facts_of(model.program, model.operations)


def layout_of(facts: dict) -> dict:
    """For each line the offsets of each function."""
    return {address: {name: function["offsets"] for name, function in line["functions"].items()}
            for address, line in facts["lines"].items()}


def line_of(thing: str, offset: int, pid: int = 4200) -> str:
    return key_of(pid, the_program().address(thing, offset) & -LINE_BYTES)


def sharing_of(facts: dict) -> set[tuple[bool, bool]]:
    return {(line["true_sharing"], line["false_sharing"]) for line in facts["lines"].values()}


def test_quantiles_are_of_the_nearest_rank(_: Context) -> None:
    for values, numerator, denominator, expected in (([7], 99, 100, 7), ([3, 1, 2, 4], 1, 2, 2), (list(range(1, 101)), 99, 100, 99),
                                                     (list(range(1, 102)), 99, 100, 100), (list(range(1, 11)), 9, 10, 9)):
        check(quantile(values, numerator, denominator) == expected, f"{numerator}/{denominator} of {values}")


def test_expected_of_counters_in_one_line(_: Context) -> None:
    facts = facts_by_name("two_counters")
    check(layout_of(facts) == {line_of("near_counters", 0): {"count_first_near": [0], "count_second_near": [8]}}, str(layout_of(facts)))
    check(sharing_of(facts) == {(False, True)}, "false sharing, and no other")
    check(facts["samples"]["all"] == 1700 and list(facts["objects"]) == ["near_counters"], str(facts["samples"]))
    check(facts["whole"]["threads"] == [4200, 4203], str(facts["whole"]["threads"]))


def test_expected_of_counters_apart(_: Context) -> None:
    for gap in (64, 128):
        facts = facts_by_name(f"counters_{gap}_apart")
        thing = f"counters_{gap}_apart"
        check(layout_of(facts) == {line_of(thing, 0): {f"count_first_{gap}": [0]}, line_of(thing, gap): {f"count_second_{gap}": [0]}},
              str(layout_of(facts)))
        check(sharing_of(facts) == {(False, False)}, f"no sharing at {gap} bytes")


def test_expected_of_other_objects(_: Context) -> None:
    check(sharing_of(facts_by_name("shared_table")) == {(False, False)}, "what is only read is not in the way")
    check(sharing_of(facts_by_name("streamed_array")) == {(False, False)}, "one thread shares nothing")
    facts = facts_by_name("job_queue")
    check((facts["lines"][line_of("job_queue", 0)]["true_sharing"], facts["lines"][line_of("job_queue", 0)]["false_sharing"]) ==
          (True, False), "the heads of the queue are shared truly")
    facts = facts_by_name("without_symbols")
    check(list(facts["objects"]) == ["[heap]", "[stack]"], "memory without symbols")
    check(layout_of(facts)[line_of("[heap]", 0x2a0)] == {"count_first_near": [0x20], "count_second_near": [0x30]}, "a line of the heap")
    check(facts["lines"][line_of("[heap]", 0x2a0)]["false_sharing"], "false sharing in the heap")
    facts = facts_by_name("two_processes")
    check(layout_of(facts) == {line_of("near_counters", 0): {"count_first_near": [0]},
                               line_of("near_counters", 0, 4203): {"count_second_near": [8]}}, str(layout_of(facts)))
    check(sharing_of(facts) == {(False, False)}, "processes that share no memory")
    facts = facts_by_name("tagged_pointers")
    check(layout_of(facts) == {line_of("[heap]", 0x400): {"count_first_near": [0], "count_second_near": [8]}}, "one line, whatever the tags")
    check(set(facts_by_name("together")["objects"]) ==
          {"near_counters", "counters_64_apart", "counters_128_apart", "shared_table", "streamed_array", "job_queue"}, "all objects")


def test_differences_are_found(_: Context) -> None:
    facts, other = facts_by_name("two_counters"), facts_by_name("two_counters")
    check(not differences(facts, other), "equal documents")
    other["functions"]["count_first_near"]["loads"] += 1
    other["lines"][line_of("near_counters", 0)]["false_sharing"] = False
    del other["pages"]
    found = differences(facts, other)
    check(len(found) == 3 and "/functions/count_first_near/loads is " in found[0] and "/false_sharing is False, not True" in found[1] and
          found[2] == "/pages is missing", str(found))


# --- packets ---

EVENT_NAMES = {"RETIRED": 1, "L1D-ACCESS": 2, "L1D-REFILL": 3, "TLB-ACCESS": 4, "TLB-REFILL": 5, "MISPRED": 7, "LLC-ACCESS": 8,
               "LLC-REFILL": 9, "REMOTE-ACCESS": 10}
KINDS = {"LD GP-REG": "load", "ST GP-REG": "store", "B COND": "branch", "OTHER INSN-OTHER": "other"}
FIELDS = {"issue": r"LAT (\d+) ISSUE", "total": r"LAT (\d+) TOT", "translation": r"LAT (\d+) XLAT", "source": r"DATA-SOURCE (\d+)",
          "tick": r"TS (\d+)"}
ADDRESSES = {"pc": r"PC (0x[0-9a-f]+) el0 ns=1", "target": r"TGT (0x[0-9a-f]+) el0 ns=1", "address": r"VA (0x[0-9a-f]+)",
             "tid": r"CONTEXT (0x[0-9a-f]+) el1"}


def field_of(text: str) -> dict:
    """One packet, as perf and wperf print it."""
    for name, pattern in FIELDS.items():
        if match := re.fullmatch(pattern, text):
            return {name: int(match[1])}
    for name, pattern in ADDRESSES.items():
        if match := re.fullmatch(pattern, text):
            return {name: int(match[1], 16)}
    if text in KINDS:
        return {"kind": KINDS[text]}
    if text.startswith("EV "):
        return {"events": sum(1 << EVENT_NAMES[word] for word in text[3:].split())}
    check(text == "PAD", f"packet {text}")
    return {}


def records_of(packets: list[str]) -> list[dict]:
    """Records of a stream: a timestamp ends each of them."""
    records, record = [], {}
    for text in packets:
        found = field_of(text)
        check(not found.keys() & record.keys(), f"twice in one record: {text}")
        record |= found
        if "tick" in found:
            records.append(record)
            record = {}
    check(not record, f"a cut record: {record}")
    return records


def fields_of(operation: Operation, has_contexts: bool) -> dict:
    fields = {"tick": operation.tick, "pc": operation.pc, "kind": operation.kind, "issue": operation.issue, "total": operation.total,
              "events": events_of(operation)}
    if has_contexts:
        fields["tid"] = operation.tid
    if operation.kind == "branch":
        fields["target"] = operation.target
    if operation.is_access:
        fields |= {"address": operation.tag << 56 | operation.address, "translation": operation.translation}
    if operation.kind == "load":
        fields["source"] = LEVELS[operation.level].source
    return fields


def need_perf() -> str:
    """Other versions print packets and levels in other words."""
    perf = harness.need_tool("perf")
    version = subprocess.run([perf, "version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    if not re.match(r"perf version 6\.(1|12)\.", version):
        raise harness.Skip("perf 6.1 or 6.12")
    return perf


def packets_by_perf(t: Context, path: str) -> dict[int, list[str]]:
    """Each CPU's packets."""
    done = t.run(need_perf(), "report", "-D", "-i", path)
    check(done.status == 0, "perf report -D", done)
    streams, cpu = {}, None
    for line in done.out.splitlines():
        if match := re.search(r"PERF_RECORD_AUXTRACE .* cpu: (\d+)", line):
            cpu = int(match[1])
        elif match := re.match(r"\. +[0-9a-f]{8}:  (?:[0-9a-f]{2} )+ *(\S.*?) *$", line):
            streams.setdefault(cpu, []).append(match[1])
    return streams


def packets_by_wperf(t: Context, path: str) -> dict[int, list[str]]:
    streams, cpu = {}, None
    for record in harness.document_of(t.good("dump", "--json", "-i", path))["records"]:
        if record["type"] == "AUXTRACE":
            cpu = record["cpu"]
        elif record["type"] == "SPE":
            streams.setdefault(cpu, []).append(record["packet"])
    return streams


def check_packets(model: Model, streams: dict[int, list[str]]) -> None:
    by_cpu = model.by_cpu()
    check(streams.keys() == by_cpu.keys(), f"CPUs {sorted(streams)}, not {sorted(by_cpu)}")
    for cpu, operations in by_cpu.items():
        expected = [fields_of(operation, model.threads_by == "contexts") for operation in operations]
        found = records_of(streams[cpu])
        check(len(found) == len(expected), f"{len(found)} records on CPU {cpu}, not {len(expected)}")
        for number, (ours, theirs) in enumerate(zip(expected, found)):
            check(ours == theirs, f"record {number} of CPU {cpu}: {theirs}, not {ours}")


def test_perf_decodes_each_packet(t: Context) -> None:
    for name in SCENARIOS:
        model, path = written(t, name, "contexts")
        check_packets(model, packets_by_perf(t, path))


def test_wperf_decodes_each_packet(t: Context) -> None:
    for name in SCENARIOS:
        model, path = written(t, name, "contexts")
        check_packets(model, packets_by_wperf(t, path))


def test_facts_of_decoded_packets(t: Context) -> None:
    """What perf decoded gives the expected facts: nothing of them is known to the model alone."""
    level_of = {level.source: name for name, level in LEVELS.items()}
    for name in SCENARIOS:
        model, path = written(t, name, "contexts")
        decoded = [(cpu, record) for cpu, packets in packets_by_perf(t, path).items() for record in records_of(packets)]
        seen = facts_of(model.program, [
            Operation(record["tick"], cpu, model.pid_of(record["tid"]), record["tid"], model.program.function_at(record["pc"]), record["pc"],
                      record["kind"], record["issue"], record["total"], record.get("address", 0) & (1 << 56) - 1, level_of.get(record.get("source"), ""),
                      record.get("translation", 0), bool(record["events"] & 1 << EVENT_NAMES["TLB-REFILL"]))
            for cpu, record in decoded])
        found = differences(facts_of(model.program, model.operations), seen)
        check(not found, f"{name}: {found[:5]}")


# --- samples ---

COMMON = r"^ *(\S+) +(-?\d+) +\[(\d+)\] +(\d+\.\d+): +.*?"
PERF_MEMORY = re.compile(COMMON + r"memory: +([0-9a-f]+) +[0-9a-f]+ (\|.*\|)BLK +N/A +(\d+) +([0-9a-f]+) (\S+)$", re.M)
SAMPLE = re.compile(COMMON + r": +([0-9a-f]+) (\S+?)(?:\+0x[0-9a-f]+)?(?= |$)", re.M)
# How perf 6.1 writes Neoverse's data sources.
PERF_LEVELS = {
    "L1": "L1 or L1 hit|SNP None",
    "L2": "L2 or L2 hit|SNP None",
    "peer core": "L2 or L2 hit|SNP Peer",
    "local cluster": "L3 or L3 hit|SNP Peer",
    "system cache": "L3 or L3 hit|SNP Hit",
    "peer cluster": "L3 or L3 hit|SNP Peer",
    "remote": "Remote N/A or N/A|SNP Peer",
    "DRAM": "Local RAM or RAM hit|SNP None",
}


def names_of(model: Model) -> dict[int, str]:
    return {thread.tid: thread.name for thread in model.threads}


def seconds(time_ns: int, digits: int) -> str:
    return f"{time_ns // 10 ** 9}.{time_ns % 10 ** 9:09d}"[:digits - 9 or None]


def in_order(samples: list[tuple]) -> list[tuple]:
    return sorted(samples, key=lambda sample: (sample[3], sample[2]))


def perf_samples(t: Context, path: str, kind: str, fields: str) -> str:
    done = t.run(need_perf(), "script", "--ns", f"--itrace={kind}", "-F", f"comm,tid,cpu,time,event,ip,sym{fields}", "-i", path)
    check(done.status == 0, "perf script", done)
    return "\n".join(line.rstrip() for line in done.out.splitlines())


def check_equal(name: str, found: list[tuple], expected: list[tuple]) -> None:
    check(len(found) == len(expected), f"{name}: {len(found)} samples, not {len(expected)}")
    for theirs, ours in zip(in_order(found), in_order(expected)):
        check(theirs == ours, f"{name}: {theirs}, not {ours}")


def source_of(access: Operation) -> str:
    level = PERF_LEVELS[access.level] if access.kind == "load" else "N/A or N/A|SNP N/A"
    return f"|OP {access.kind.upper()}|LVL {level}|TLB Walker {'miss' if access.is_walk else 'hit'}|LCK No|"


def test_perf_samples_each_access(t: Context) -> None:
    """Thread, CPU, time, data address, level, latency and function.  perf 6.1 finds threads by switches of CPUs and by CONTEXT
    packets; of a switch of a process's own thread it takes the thread that left."""
    for threads_by in ("cpu switches", "contexts"):
        for name in SCENARIOS:
            model, path = written(t, name, threads_by)
            comm = names_of(model)
            expected = [(comm[access.tid], access.tid, access.cpu, seconds(access.time_ns, 9), access.address, source_of(access),
                         access.total, access.pc, access.function) for access in model.operations if access.is_access]
            found = [(comm, int(tid), int(cpu), time, int(address, 16), source, int(weight), int(pc, 16), function)
                     for comm, tid, cpu, time, address, source, weight, pc, function in
                     PERF_MEMORY.findall(perf_samples(t, path, "M", ",addr,data_src,weight"))]
            check_equal(f"{name} by {threads_by}", found, expected)


def sample_of(one: Operation, comm: str, digits: int) -> tuple:
    return comm, one.tid, one.cpu, seconds(one.time_ns, digits), one.pc, one.function


def expected_samples(model: Model, digits: int) -> list[tuple]:
    comm = names_of(model)
    return [sample_of(operation, comm[operation.tid], digits) for operation in model.operations]


def samples_of(text: str) -> list[tuple]:
    return [(comm, int(tid), int(cpu), time, int(pc, 16), function) for comm, tid, cpu, time, pc, function in SAMPLE.findall(text)]


def test_perf_samples_each_operation(t: Context) -> None:
    for name in SCENARIOS:
        model, path = written(t, name, "cpu switches")
        check_equal(name, samples_of(perf_samples(t, path, "i1i", "")), expected_samples(model, 9))


def wperf_samples(t: Context, path: str) -> list[tuple]:
    """The warnings are about damage, and that there are branches but no call stacks."""
    done = t.ours("export", "--format", "perf-script", "-i", path, "-o", path + ".txt")
    check(done.status == 0 and done.out == "", "wperf export", done)
    with open(path + ".txt", encoding="utf-8") as file:
        return samples_of(file.read())


def test_wperf_samples_each_operation(t: Context) -> None:
    for threads_by in THREADS_BY:
        for name in SCENARIOS:
            model, path = written(t, name, threads_by)
            check_equal(f"{name} by {threads_by}", wperf_samples(t, path), expected_samples(model, 6))


def test_functions_of_a_report(t: Context) -> None:
    model, path = written(t, "together")
    done = t.good("report", "--sort", "symbol", "-i", path)
    found = {row.symbol.split(":")[0]: row.count for row in harness.rows_of(done.out)}
    check(found == Counter(one.function for one in model.operations), "samples of each function", done)
    check(harness.quality_of(done) == {"samples": len(model.operations), "lost": 0, "throttled": 0, "unresolved": 0}, "quality", done)


# --- damage ---

N_TRIALS, RECORDS_OF_TRIAL, MOST_BYTES = 1000, 16, 40


def trial_model() -> Model:
    """Each of a thousand CPUs has a stream of sixteen samples."""
    model = Model("damaged", the_program(), 3)
    template = make_model("together", the_program()).operations
    rng = random.Random(4)
    for cpu in range(N_TRIALS):
        tid, begin = model.thread("victim"), FIRST_TICK + 1000 * cpu
        for number, one in enumerate(rng.sample(template, RECORDS_OF_TRIAL)):
            model.operations.append(dataclasses.replace(one, cpu=cpu, pid=model.threads[0].pid, tid=tid, tick=begin + 50 * number))
        model.slices.append(Slice(cpu, tid, begin - 10, begin + 50 * RECORDS_OF_TRIAL))
    return model


class Damage:
    """Random bytes, 1 to 40 of them, over the bytes of a stream or between two of them.  A record is hit if one of its bytes was
    overwritten, or if the bytes were put in between two of its own; the padding behind a record is not part of it."""

    def __init__(self, model: Model, is_insertion: bool) -> None:
        self.random, self.is_insertion = random.Random(5), is_insertion
        self.by_cpu = model.by_cpu()
        self.spared: list[Operation] = []

    def __call__(self, cpu: int, stream: bytes) -> bytes:
        n = self.random.randrange(1, MOST_BYTES + 1)
        at = self.random.randrange(len(stream) - n)
        n_over = 0 if self.is_insertion else n
        for number, operation in enumerate(self.by_cpu[cpu]):
            begin = number * RECORD_BYTES
            if begin >= at + n_over or begin + len(record_of(operation)) <= at:
                self.spared.append(operation)
        return stream[:at] + self.random.randbytes(n) + stream[at + n_over:]


def check_damage(t: Context, is_insertion: bool) -> None:
    """Each record that was not hit comes out, and as it was; not more records come out than there were."""
    model, path = trial_model(), t.path("damaged.data")
    damage = Damage(model, is_insertion)
    write_session(path, model, damage)
    found, whole = Counter(wperf_samples(t, path)), Counter(expected_samples(model, 6))
    spared = Counter(sample_of(operation, "victim", 6) for operation in damage.spared)
    lost = spared - found
    check(not lost, f"{lost.total()} records lost that were not hit, such as {list(lost)[:3]}")
    of_cpu = Counter(sample[2] for sample in found.elements())
    check(max(of_cpu.values()) <= RECORDS_OF_TRIAL, f"at most {RECORDS_OF_TRIAL} records of a stream, not {max(of_cpu.values())}")
    n_hit = whole.total() - spared.total()
    harness.note(f"{N_TRIALS} trials: {n_hit} of {whole.total()} records hit; of these {(whole - found).total()} lost or changed, "
                 f"{(found - whole).total()} samples that were not written so")
    check((whole - found).total() > n_hit / 2, "the damage does damage")
    quality = harness.document_of(t.good("report", "--json-extended", "-i", path))["quality"]
    check(quality["spe"]["damaged_samples"] > 0 and quality["samples"] == found.total(), f"quality: {quality}")


def test_random_bytes_over_records(t: Context) -> None:
    check_damage(t, False)


def test_random_bytes_between_records(t: Context) -> None:
    check_damage(t, True)



# --- what report --mem says ---

# The column of the document for each level of the model: a cluster's cache is another core's.
COLUMNS = {"L1": "l1", "L2": "l2", "peer core": "peer_core", "local cluster": "peer_core", "peer cluster": "peer_core",
           "system cache": "l3", "remote": "remote_cache", "DRAM": "dram"}


def rows_by(t: Context, path: str, key: str, *options: str) -> list[dict]:
    done = t.good("report", "--mem", "--sort", key, "--sample-display-row", "100000", "--json", "-i", path, *options)
    (event,) = harness.document_of(done)["accesses"]
    check(event["left_out"] == 0, "nothing left out", done)
    return event["rows"]


def check_summary(name: str, row: dict, expected: dict) -> None:
    """Counts are equal; latencies of 256 cycles and more are rounded down by less than 1/128; shares have two digits."""
    check((row["loads"], row["stores"]) == (expected["loads"], expected["stores"]), f"{name}: {row}, not {expected}")
    for quantile_name, cycles in expected["latency"].items():
        found = row[f"latency_{quantile_name}_cycles"]
        check(found == cycles if cycles < 256 else cycles * 127 / 128 < found <= cycles,
              f"{name}: {quantile_name} is {found}, not {cycles}")
    shares: Counter = Counter()
    for level, count in expected["load_levels"].items():
        shares[COLUMNS[level]] += 100 * count / expected["loads"]
    for column in set(COLUMNS.values()):
        found = row[f"{column}_percent"]
        check(found is None if not expected["loads"] else abs(found - shares[column]) < 0.006,
              f"{name}: {column} {found}, not {shares[column]}")
    walks = 100 * expected["tlb_walks"] / (expected["loads"] + expected["stores"])
    check(abs(row["tlb_walk_percent"] - walks) < 0.006, f"{name}: walks {row['tlb_walk_percent']}, not {walks}")


def check_rows(rows: dict[str, dict], expected: dict[str, dict]) -> None:
    check(rows.keys() == expected.keys(), f"rows {sorted(rows)}, not {sorted(expected)}")
    for name, facts in expected.items():
        check_summary(name, rows[name], facts)


def test_report_by_function(t: Context) -> None:
    for name in SCENARIOS:
        model, path = written(t, name)
        facts = facts_of(model.program, model.operations)
        rows = {row["symbol"]: row for row in rows_by(t, path, "symbol")}
        check_rows(rows, facts["functions"])
        check(abs(sum(row["latency_percent"] for row in rows.values()) - 100) < 0.005 * len(rows) + 0.001, f"shares of {name}")


def by_address(rows: list[dict]) -> dict[str, dict]:
    """Processes have addresses of their own."""
    return {f"{row['pid']}:{row['address']}": row for row in rows}


def by_object(rows: list[dict]) -> dict[str, dict]:
    return {row["object"] if row["memory"] == "variable" else f"[{row['memory']}]": row for row in rows}


def uses_of(row: dict) -> dict:
    """In the shape of the model's functions of a line."""
    functions: dict[str, dict] = {}
    for use in row["uses"]:
        of = functions.setdefault(use["symbol"], {"offsets": set(), "threads": set(), "loads": 0, "stores": 0})
        of["offsets"].add(use["offset"])
        of["threads"].update(use["tids"])
        of["loads"] += use["loads"]
        of["stores"] += use["stores"]
    return {name: of | {"offsets": sorted(of["offsets"]), "threads": sorted(of["threads"])} for name, of in functions.items()}


def test_report_by_cache_line(t: Context) -> None:
    """Functions, offsets and threads of each line."""
    for name in SCENARIOS:
        model, path = written(t, name)
        facts = facts_of(model.program, model.operations)["lines"]
        rows = by_address(rows_by(t, path, "cacheline"))
        check_rows(rows, facts)
        for address, line in facts.items():
            check(uses_of(rows[address]) == line["functions"], f"{name} {address}: {rows[address]['uses']}, not {line['functions']}")
            check(rows[address]["threads"] == len(line["threads"]), f"{name} {address}: threads")


def test_report_names_false_sharing(t: Context) -> None:
    """It is said of two counters in one line, and not where they are apart, or where all threads use the same bytes.  Of a line of the
    queue with few samples nothing is said."""
    wanted = {"two_counters": {"false sharing likely"}, "counters_64_apart": {""}, "counters_128_apart": {""}, "shared_table": {""},
              "streamed_array": {""}, "job_queue": {"shared"}}
    for name, texts in wanted.items():
        _, path = written(t, name)
        rows = [row for row in rows_by(t, path, "cacheline") if row["count"] > 50 or name != "job_queue"]
        check(rows and {row["sharing"] for row in rows} == texts, f"{name}: {[row['sharing'] for row in rows]}, not {texts}")
    _, path = written(t, "two_counters")
    done = t.good("report", "--mem", "--sort", "cacheline", "-i", path)
    check("false sharing likely" in done.out and "count_first_near" in done.out, "the text says it too", done)


def test_report_by_page(t: Context) -> None:
    for name in SCENARIOS:
        model, path = written(t, name)
        facts = facts_of(model.program, model.operations)["pages"]
        rows = by_address(rows_by(t, path, "page"))
        check_rows(rows, facts)
        for address, page in facts.items():
            check(sorted({tid for use in rows[address]["uses"] for tid in use["tids"]}) == page["threads"], f"{name} {address}: threads")


def test_report_by_object(t: Context) -> None:
    """Variables of .data and .bss by their symbols, and the kind of other memory."""
    for name in SCENARIOS:
        model, path = written(t, name)
        facts = facts_of(model.program, model.operations)["objects"]
        listed = rows_by(t, path, "object")
        rows = by_object(listed)
        check(len(rows) == len(listed), f"{name}: an object has one row")
        check_rows(rows, facts)
        for row in listed:
            check(row["memory"] != "variable" or row["object_module"] == os.path.basename(the_program().path), f"module of {row}")


# --- -s ---

SORT_KEYS = ("symbol", "module", "line", "tid", "level,symbol", "level", "latency", "page", "cacheline", "object")


def matching(model: Model, wanted: str) -> list[Operation]:
    return [one for one in model.operations if re.search(wanted, one.function)]


def test_pattern_selects_accesses(t: Context) -> None:
    """Rows by address have the accesses of the functions that match, and their lists have these functions only."""
    model, path = written(t, "together")
    for pattern, wanted in (("push_job", "^push_job$"), ("^count_first", "^count_first"), ("_job$", "_job$")):
        facts = facts_of(model.program, matching(model, wanted))
        check(facts["functions"], f"functions that match {pattern}")
        lines = by_address(rows_by(t, path, "cacheline", "-s", pattern))
        check_rows(lines, facts["lines"])
        for address, line in facts["lines"].items():
            check(uses_of(lines[address]) == line["functions"], f"{pattern} {address}: {lines[address]['uses']}, not {line['functions']}")
        check_rows(by_address(rows_by(t, path, "page", "-s", pattern)), facts["pages"])
        check_rows(by_object(rows_by(t, path, "object", "-s", pattern)), facts["objects"])


def test_pattern_selects_the_same_by_all_keys(t: Context) -> None:
    """Shares are those of all accesses, not of those that are shown."""
    model, path = written(t, "together")
    accesses = [one for one in model.operations if one.is_access]
    chosen = [one for one in accesses if one.function == "push_job"]
    share = 100 * sum(one.total for one in chosen) / sum(one.total for one in accesses)
    for key in SORT_KEYS:
        rows = rows_by(t, path, key, "-s", "push_job")
        check(sum(row["count"] for row in rows) == len(chosen), f"{key}: accesses in {rows}, not {len(chosen)}")
        check(abs(sum(row["latency_percent"] for row in rows) - share) < 0.005 * len(rows) + 0.001, f"{key}: shares in {rows}, not {share}")
        done = t.good("report", "--mem", "--sort", key, "--csv", "-i", path, "-s", "push_job")
        check(sum(int(row["count"]) for row in csv.DictReader(done.out.splitlines())) == len(chosen), f"{key}: CSV", done)


def test_pattern_without_match(t: Context) -> None:
    """By each key the sentence instead of a table, and a document without rows."""
    _, path = written(t, "two_counters")
    for key in SORT_KEYS:
        done = t.good("report", "--mem", "--sort", key, "-i", path, "-s", "count_third_near")
        (section,) = re.findall("memory accesses: .*\n(.*)\n", done.out)
        check(section == "no function matches count_third_near" and "p50" not in done.out, f"{key}: sentence", done)
        check(rows_by(t, path, key, "-s", "count_third_near") == [], f"{key}: no rows")
        done = t.good("report", "--mem", "--sort", key, "--csv", "-i", path, "-s", "count_third_near")
        check(len(done.out.splitlines()) == 1, f"{key}: a heading", done)


def test_pattern_in_the_text(t: Context) -> None:
    _, path = written(t, "two_counters")
    for key in ("page", "cacheline", "object"):
        done = t.good("report", "--mem", "--sort", key, "-i", path, "-s", "count_first_near")
        check("count_first_near" in done.out and "count_second_near" not in done.out, f"{key}: functions below the table", done)


if __name__ == "__main__":
    harness.main(__name__)
