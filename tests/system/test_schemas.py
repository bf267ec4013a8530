#!/usr/bin/python3
"""Checks the JSON documents against schemas: windowsperf.json in tests/schemas has the rules of WindowsPerf, comparison.json those of
diff and check."""
import copy
import json
import os
from typing import Any

import diff_sessions
import harness
from harness import Context, Skip, check

try:
    import jsonschema
except ImportError:
    jsonschema = None

SPE_SESSION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay", "spe_perf.data")
SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "schemas")


def complaints(kind: str, document: Any, schema: str = "windowsperf") -> list[str]:
    """The schema's complaints about that kind of document."""
    if jsonschema is None:
        raise Skip("python3-jsonschema")
    with open(os.path.join(SCHEMAS, f"{schema}.json"), encoding="utf-8") as file:
        rules = json.load(file)
    jsonschema.Draft7Validator.check_schema(rules)
    validator = jsonschema.Draft7Validator({"$ref": f"#/definitions/{kind}", "definitions": rules["definitions"]})
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:120]}" for error in validator.iter_errors(document)]


def document(t: Context, *argv: str) -> Any:
    return json.loads(t.good(*argv).out)


def test_documents_about_the_machine(t: Context) -> None:
    for kind, argv in (("list", ["list"]), ("list", ["list", "--cpu-model", "neoverse-v2"]), ("test", ["test"]),
                       ("version", ["--version"]), ("detect", ["detect"]), ("man", ["man", "cycles"])):
        for more in ["--json"], ["--json-extended"]:
            found = complaints(kind, document(t, *argv, *more))
            check(not found, f"{argv} {more}: {found[:3]}")


def test_counts(t: Context) -> None:
    one = document(t, "stat", "-e", "task-clock,page-faults", "--json", "--", t.program("chains"), "deep", "20", "3")
    check(not complaints("stat", one), f"{complaints('stat', one)[:3]}")
    check("quality" in one and one["target_exit"] == 0, "stat is open: quality and target_exit stand there")


def test_a_timeline(t: Context) -> None:
    argv = ("stat", "-t", "-e", "task-clock", "--timeout", "0.1", "-i", "0")
    command = ("--", t.program("chains"), "deep", "250", "3")
    rows = document(t, *argv, "--json", *command)
    check(not complaints("timeline", rows), f"{complaints('timeline', rows)[:3]}")
    check(len(rows["timeline"]) > 1 and all("quality" in row for row in rows["timeline"]), "each count has its quality")
    extended = document(t, *argv, "--json-extended", *command)
    check("quality" in extended and extended["target_exit"] == 0, "what the schema does not allow is there when asked for")
    check(complaints("timeline", extended) != [], "and the schema refuses it")


def test_samples(t: Context) -> None:
    command = ("--", t.program("chains"), "deep", "60", "3")
    for argv in (["record"], ["record", "-v"], ["record", "-g"], ["record", "--annotate"],
                 ["record", "-v", "--annotate", "--disassemble"]):
        found = document(t, *argv, "--json", *command)
        check(not complaints("sample", found), f"{argv}: {complaints('sample', found)[:3]}")
        check("quality" in found and found["target_exit"] == 0, f"{argv}: the top level is open")
        if "--annotate" in argv:
            lines = [line for function in found["sampling"]["events"][0]["annotate"] for line in function["source_code"]]
            listed = [line for line in lines if line["disassembled_line"]["disassemble"]]
            check(lines and bool(listed) == ("--disassemble" in argv), f"{argv}: {len(listed)} of {len(lines)} lines have code")


def test_samples_of_spe(t: Context) -> None:
    """WindowsPerf's document of SPE: an event for each source; all samples are in them, and counted."""
    for argv in ([], ["-v"], ["--annotate"], ["-v", "--annotate", "--disassemble"]):
        found = document(t, "report", "-i", SPE_SESSION, *argv, "--json")
        check(not complaints("spe", found), f"{argv}: {complaints('spe', found)[:3]}")
        check(complaints("spe", {**found, "more": 1}) != [], "the schema is closed")
        sampling, core = found["sampling"]["sampling"], found["counting"]["core"]
        counted = sum(row["count"] for event in sampling["events"] for row in event["samples"])
        counters = {row["event_name"]: row["counter_value"] for row in core["cores"][0]["Performance_counter"]}
        check(list(counters) == ["sample_pop", "sample_feed", "sample_filtrate", "sample_collision"], f"{list(counters)}")
        check(counted == sampling["samples_generated"] == counters["sample_filtrate"] == 163, f"{counted} {counters}")
        check(len(sampling["events"]) == 9 and len({event["type"] for event in sampling["events"]}) == 9, "sources")
        check("quality" in found["sampling"] and "sample_pop" in found["counting"]["quality"]["notes"][0], "what is not known")


def test_what_only_the_extended_document_has(t: Context) -> None:
    argv = ("record", "-v", "--annotate", "--disassemble")
    command = ("--", t.program("chains"), "deep", "60", "3")
    extended = document(t, *argv, "--json-extended", *command)
    event = extended["sampling"]["events"][0]
    line = event["annotate"][0]["source_code"][0]
    check("interval_95" in event["samples"][0], f"{event['samples'][0]}")
    check({"share_of_function", "share_of_all", "source"} <= line.keys(), f"{line.keys()}")
    check("hits" in line["disassembled_line"]["disassemble"][0], "hits of instructions")
    check(complaints("sample", extended) != [], "the schema refuses it")
    t.good("record", *command)
    plain, rows = (document(t, "annotate", "--by", "function", form)["annotate"][0]["rows"][0] for form in ("--json", "--json-extended"))
    check("share_of_all" in rows and "share_of_all" not in plain and plain["count"] == rows["count"], f"{plain} {rows}")


def test_the_rules_bite(t: Context) -> None:
    """Each closed object refuses an unknown key, and a missing required key."""
    good = document(t, "record", "--annotate", "--disassemble", "--json", "--", t.program("chains"), "deep", "60", "3")
    check(not complaints("sample", good), "the document that is spoilt below")

    def spoilt(change: Any) -> list[str]:
        bad = copy.deepcopy(good)
        change(bad["sampling"]["events"][0])
        return complaints("sample", bad)

    changes = {
        "a key in a sample": lambda event: event["samples"][0].update(more=1),
        "no symbol": lambda event: event["samples"][0].pop("symbol"),
        "a key in a line": lambda event: event["annotate"][0]["source_code"][0].update(more=1),
        "no hits": lambda event: event["annotate"][0]["source_code"][0].pop("hits"),
        "no interval": lambda event: event.pop("interval"),
    }
    for name, change in changes.items():
        check(len(spoilt(change)) == 1, name)
    check(complaints("timeline", {"timeline": [], "count_duration": 1, "count_interval": 0, "count_timeline": 0, "quality": {}}) != [],
          "quality in a timeline")


# --- diff and check ---


def of_comparison(kind: str, found: Any) -> list[str]:
    return complaints(kind, found, "comparison")


def runs_of(t: Context) -> list[str]:
    diff_sessions.write_runs(t.folder)
    return [f"a-{i}.data" for i in range(1, 5)] + ["--"] + [f"b-{i}.data" for i in range(1, 5)]


def test_comparisons(t: Context) -> None:
    runs = runs_of(t)
    with open(t.path("rules"), "w", encoding="ascii") as file:
        file.write("work w*\n")
    for argv in ([], ["--measure", "share"], ["--by", "line"], ["--by", "stack"], ["--group-by", "rules"], ["--find", "2%"]):
        found = document(t, "diff", "--json", *argv, *runs)
        check(not of_comparison("diff", found), f"{argv}: {of_comparison('diff', found)[:3]}")
        check(found["rows"] and found["totals"] and found["notes"], f"{argv}: nothing is empty: {found}")
    verdicts = {(row["verdict"], row["why"]) for row in document(t, "diff", "--json", *runs)["rows"]}
    check(verdicts == {("slower", ""), ("unclear", ""), ("unclear", "few samples"), ("unclear", "only one side has it")}, f"kinds of rows: {verdicts}")
    single = document(t, "diff", "--json", "a-1.data", "b-1.data")
    check(not of_comparison("diff", single), f"single runs: {of_comparison('diff', single)[:3]}")


def test_comparisons_of_real_runs(t: Context) -> None:
    work = [t.program("compared"), "20", "20", "5"]
    t.good("record", "-q", "--repeat", "2", "-o", "a-%n.data", "--vs", f"b-%n.data={work[0]} 20 80 5", "--", *work)
    runs = ("a-1.data", "a-2.data", "--", "b-1.data", "b-2.data")
    found = document(t, "diff", "--json", *runs)
    check(not of_comparison("diff", found) and found["rows"], f"{of_comparison('diff', found)[:3]}")
    done = t.ours("check", "--json", *runs)
    check(not of_comparison("check", json.loads(done.out)), f"{of_comparison('check', json.loads(done.out))[:3]}")
    code = json.loads(t.ours("diff", "--code", "--json", "a-1.data", "b-1.data").out)
    check(not of_comparison("diff_code", code) and code["functions"], f"{of_comparison('diff_code', code)[:3]}")


def test_counts_of_runs(t: Context) -> None:
    """Sessions of stat have totals, and no rows."""
    for number in range(3):
        diff_sessions.write_counts(t.path(f"a-{number}.data"), (1_000_000 + number, 2_000_000))
        diff_sessions.write_counts(t.path(f"b-{number}.data"), (1_000_000 + number, 3_000_000))
    runs = [f"a-{i}.data" for i in range(3)] + ["--"] + [f"b-{i}.data" for i in range(3)]
    found = document(t, "diff", "--json", *runs)
    check(not of_comparison("diff", found) and found["rows"] == [], f"{of_comparison('diff', found)[:3]}")
    check([row["total"] for row in found["totals"]] == ["cycles", "instructions", "ipc"], f"{found['totals']}")
    done = t.ours("check", "--json", "--max-change", "event:instructions=1%", *runs)
    found = json.loads(done.out)
    check(not of_comparison("check", found) and found["limits"][0]["verdict"] == "more", f"{of_comparison('check', found)[:3]} {found}")


def test_checks(t: Context) -> None:
    runs = runs_of(t)
    for limits, verdict, status in (("total=50%,w*=90%", "within", 0), ("total=3%,w*=90%", "slower", 1), ("total=6.2%", "unclear", 125),
                                    ("event:cycles=3%", "unclear", 125)):
        done = t.ours("check", "--json", "--max-change", limits, *runs)
        found = json.loads(done.out)
        check(not of_comparison("check", found), f"{limits}: {of_comparison('check', found)[:3]}")
        check(found["verdict"] == verdict and done.status == status, f"{limits}: {found}", done)


def test_comparisons_of_code(t: Context) -> None:
    runs_of(t)
    for argv in (["old", "new"], ["a-1.data", "b-1.data"], ["-s", "worker", "old", "new"], ["-s", "worker", "a-1.data", "b-1.data"]):
        found = json.loads(t.ours("diff", "--code", "--json", *argv).out)
        check(not of_comparison("diff_code", found), f"{argv}: {of_comparison('diff_code', found)[:3]}")
        check(("compared" in found) == ("-s" in argv) and found["functions"], f"{argv}: {found.keys()}")


def test_the_rules_of_comparisons_bite(t: Context) -> None:
    """Each change of a good document is refused."""
    runs = runs_of(t)
    good = {"diff": document(t, "diff", "--json", *runs),
            "check": json.loads(t.ours("check", "--json", "--max-change", "total=3%", *runs).out),
            "diff_code": json.loads(t.ours("diff", "--code", "--json", "-s", "worker", "old", "new").out)}
    changes = (
        ("diff", lambda d: d["rows"][0].update(more=1)), ("diff", lambda d: d["rows"][0].pop("p")),
        ("diff", lambda d: d["rows"][0].update(verdict="slow")), ("diff", lambda d: d["rows"][0].update(p=1.5)),
        ("diff", lambda d: d["rows"][0].update(change_percent=None)), ("diff", lambda d: d["rows"][0].update(inlined="yes")),
        ("diff", lambda d: d["rows"][3].update(verdict="slower")), ("diff", lambda d: d["rows"][3].update(b_samples=1)),
        ("diff", lambda d: d["totals"][0].update(q=None)), ("diff", lambda d: d.update(a=[])), ("diff", lambda d: d.pop("notes")),
        ("check", lambda d: d.update(verdict="pass")), ("check", lambda d: d["limits"][0].update(why="because")),
        ("check", lambda d: d["limits"][0].pop("a_mean")), ("check", lambda d: d.update(limits=[])), ("check", lambda d: d.update(a_runs=0)),
        ("diff_code", lambda d: d["functions"][0].update(state="new")), ("diff_code", lambda d: d["functions"][0].update(a_blocks=None)),
        ("diff_code", lambda d: d["compared"][0]["blocks"][0]["lines"][1].update(a_code="nop")),
        ("diff_code", lambda d: d["compared"][0]["blocks"][0].update(more=1)), ("diff_code", lambda d: d.update(summary=[])),
    )
    check(good["diff"]["rows"][3]["in"] == "only A" and good["check"]["verdict"] == "slower", "what is spoilt below")
    for number, (kind, change) in enumerate(changes):
        check(not of_comparison(kind, good[kind]), f"{kind}: {of_comparison(kind, good[kind])[:3]}")
        bad = copy.deepcopy(good[kind])
        change(bad)
        check(of_comparison(kind, bad) != [], f"change {number} is refused")


if __name__ == "__main__":
    harness.main(__name__)
