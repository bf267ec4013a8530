#!/usr/bin/python3
"""record --repeat, diff and check on real runs.  The statistics are tested with simulated runs (tests/unit/profile/test_comparison.c); here the
differences are so large that a busy machine does not hide them."""
import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
from xml.etree import ElementTree

import diff_sessions
import harness
from harness import Context, Done, Skip, check

RUNS = 5
PLAIN = ("20", "20", "5")


def compared(t: Context, *work: str) -> list[str]:
    """Three times the work: on a fast machine a run would have too few samples."""
    return [t.program("compared"), *(str(3 * int(millions)) for millions in work)]


def record_both(t: Context, work_b: tuple[str, ...], runs: int = RUNS, name: str = "") -> Done:
    """Sessions NAMEa-1.data, NAMEb-1.data, ... of the same program with other work."""
    return t.good("record", "--repeat", str(runs), "-o", f"{name}a-%n.data", "--vs",
                  f"{name}b-%n.data=" + shlex.join(compared(t, *work_b)), "--", *compared(t, *PLAIN))


def sessions(name: str, runs: int = RUNS) -> list[str]:
    return [f"{name}-{i}.data" for i in range(1, runs + 1)]


def diff(t: Context, *argv: str, a: str = "a", b: str = "b", runs: int = RUNS) -> dict:
    done = t.good("diff", "--json", *argv, *sessions(a, runs), "--", *sessions(b, runs))
    return json.loads(done.out)


def row_of(document: dict, name: str) -> dict:
    rows = [row for row in document["rows"] if row["name"] == name]
    check(len(rows) == 1, f"one row {name} in {document['rows']}")
    return rows[0]


# --- record ---


def test_runs_take_turns(t: Context) -> None:
    done = record_both(t, PLAIN, 2)
    names = [line.split(": ")[1].split(",")[0] for line in done.out.splitlines()]
    check(names == ["a-1.data", "b-1.data", "a-2.data", "b-2.data"], "a b a b", done)
    for name in names:
        t.good("report", "-i", name)
    command = t.good("dump", "a-1.data").out
    check("compared" in command, "the session knows its command")


def test_existing_sessions_are_not_mixed_with_new_ones(t: Context) -> None:
    with open(t.path("a-2.data"), "w", encoding="ascii") as file:
        file.write("mine")
    done = t.ours("record", "--repeat", "3", "-o", "a-%n.data", "--", "true")
    check(done.status == 2, "refused", done)
    harness.check_sentence(done, "a-2.data already exists")
    check(os.listdir(t.folder) == ["a-2.data"], "nothing was recorded")


def test_command_lines_that_make_no_sense(t: Context) -> None:
    for argv, words in ((("--repeat", "2", "--", "true"), "-o a-%n.data"),
                        (("--repeat", "2", "-o", "a.data", "--", "true"), "'a.data' names one session for 2 runs"),
                        (("--repeat", "2", "-o", "a-%n.data"), "needs a command"),
                        (("--repeat", "2", "-o", "a-%n.data", "--vs", "true", "--", "true"), "--vs takes"),
                        (("--repeat", "2", "-o", "a-%n.data", "--vs", "b-%n.data='x", "--", "true"), "no end"),
                        (("--repeat", "2", "-o", "a-%n.data", "--vs", "b-%n.data= ", "--", "true"), "no command"),
                        (("--repeat", "2", "-o", "a-%n.data", "--vs", "a-%n.data=true", "--", "true"), "same session"),
                        (("--repeat", "2", "-o", "a-%n.data", "--json", "--", "true"), "--json"),
                        (("--repeat", "2", "-o", "a-%n.json", "--", "true"), "a name in .json"),
                        (("--repeat", "0", "-o", "a-%n.data", "--", "true"), "--repeat")):
        done = t.ours("record", *argv)
        check(done.status == 2, f"wrong usage: {argv}", done)
        harness.check_sentence(done, words)
    check(not os.listdir(t.folder), "nothing was recorded")


def test_a_run_that_fails_is_the_last_one(t: Context) -> None:
    harness.need_events()
    done = t.ours("record", "--repeat", "3", "-o", "a-%n.data", "--", "sh", "-c", "exit 7")
    check(done.status == 7, "the command's status", done)
    check("run 1 of 3 ended with status 7" in done.err, "said so", done)
    check(not os.path.exists(t.path("a-2.data")), "no more runs", done)


# --- diff ---


def test_a_function_with_four_times_the_work_is_slower(t: Context) -> None:
    record_both(t, ("20", "80", "5"))
    document = diff(t)
    beta = row_of(document, "beta")
    check(beta["verdict"] == "slower", f"beta is slower: {beta}")
    check(100 < beta["change_percent"] < 900, f"about 300 %: {beta}")
    totals = {row["total"]: row for row in document["totals"]}
    check(totals["cpu"]["verdict"] == "slower", f"the total is slower: {totals}")
    check(len(document["a"]) == RUNS and document["b"] == sessions("b"), "names of the sessions")
    notes = [note for note in document["notes"] if not note.startswith("module:")]
    check(notes == ["command: A " + " ".join(compared(t, *PLAIN)) + ", B " + " ".join(compared(t, "20", "80", "5"))], f"only other arguments: {notes}")
    # the sides exchanged
    beta = row_of(diff(t, a="b", b="a"), "beta")
    check(beta["verdict"] == "faster", f"beta is faster: {beta}")


def test_text_and_csv_have_the_same_rows(t: Context) -> None:
    record_both(t, ("20", "80", "5"), 2)
    names = sessions("a", 2) + ["--"] + sessions("b", 2)
    text = t.good("diff", *names)
    check(text.out.startswith("2 runs each; same machine"), "a heading says what was the same", text)
    check("\nfinds: " in text.out and "% of CPU time, " in text.out, "the smallest change", text)
    rows = list(csv.DictReader(io.StringIO(t.good("diff", "--csv", *names).out)))
    for name in ("alpha", "beta"):
        check(re.search(f"(slower|unclear.*)  +{name} +compared", text.out), f"{name} in text", text)
        check(len([row for row in rows if row["name"] == name]) == 1, f"{name} in CSV: {rows}")


def test_a_picture_shows_the_difference(t: Context) -> None:
    record_both(t, ("20", "80", "5"), 2)
    t.good("diff", "-q", "-o", "diff.svg", *sessions("a", 2), "--", *sessions("b", 2))
    with open(t.path("diff.svg"), encoding="utf-8") as file:
        picture = file.read()
    ElementTree.fromstring(picture)
    beta = picture[picture.index("<title>beta"):]
    check('class="a' in beta[:beta.index("/>")], f"beta is red: {beta[:300]}")
    check("A = a-*.data, B = b-*.data" in picture, "which side is A")


def test_groups_are_the_same_in_report_diff_and_check(t: Context) -> None:
    record_both(t, ("20", "80", "5"))
    with open(t.path("rules"), "w", encoding="ascii") as file:
        file.write("letters alpha\nletters be*\n")
    report = json.loads(t.good("report", "--group-by", "rules", "--json", "a-1.data").out)
    groups = {row["group"]: row for row in report["events"][0]["groups"]}
    check(groups["letters"]["samples"] > groups["other"]["samples"], f"most samples are letters: {groups}")
    letters = row_of(diff(t, "--group-by", "rules"), "letters")
    check(letters["verdict"] == "slower", f"letters are slower: {letters}")
    done = t.ours("check", "--group-by", "rules", "--max-change", "group:letters=40%", *sessions("a"), "--", *sessions("b"))
    check(done.status == 1, "the limit of the group is exceeded", done)


def test_single_runs_have_no_verdict(t: Context) -> None:
    record_both(t, ("20", "80", "5"), 1)
    done = t.good("diff", "a-1.data", "b-1.data")
    check("unclear: needs two runs of each" in done.out and "slower" not in done.out, "no verdict", done)
    check("record at least two runs" in t.good("diff", "--find", "2%", "a-1.data", "b-1.data").out, "what is needed")


def test_functions_that_one_side_lacks(t: Context) -> None:
    record_both(t, ("20", "0", "5"), 2)
    document = diff(t, runs=2)
    beta = row_of(document, "beta")
    check(beta["in"] == "only A", f"beta vanished: {beta}")


def test_what_differs_is_named_first(t: Context) -> None:
    harness.need_events()
    t.good("record", "-q", "-F", "500", "-o", "a.data", "--", *compared(t, *PLAIN))
    t.good("record", "-q", "-F", "999", "-o", "b.data", "--", *compared(t, *PLAIN))
    done = t.good("diff", "a.data", "b.data")
    check(done.out.index("events: A") < done.out.index("before "), "rates before the first row", done)
    check("at 500 Hz" in done.out, "the rate", done)


TWO_FUNCTIONS = """#include <stdint.h>
#include <stdlib.h>
static volatile uint64_t sink;
#define CHEAP __attribute__((noinline)) static void cheap(uint64_t n) { uint64_t x = sink; while (n--) x = x * 25 + n; sink = x; }
#define COSTLY __attribute__((noinline)) static void costly(uint64_t n) { uint64_t x = sink; while (n--) x = x * 49 ^ n; sink = x; }
#ifdef SWAPPED
COSTLY CHEAP
#else
CHEAP COSTLY
#endif
int main(void) { for (int i = 0; i < 100; i++) { cheap(500000); costly(1500000); } return 0; }
"""


def test_functions_without_names_go_by_their_code(t: Context) -> None:
    """Two stripped builds with two functions in another order: nothing became slower by four times."""
    harness.need_events()
    compiler = harness.need_tool("gcc")
    with open(t.path("two.c"), "w", encoding="ascii") as file:
        file.write(TWO_FUNCTIONS)
    for side, option in ("a", "-DPLAIN"), ("b", "-DSWAPPED"):
        os.mkdir(t.path(side))
        argv = (compiler, "-O1", "-s", "-fno-toplevel-reorder", "-Wl,--build-id", option, "-o", t.path(f"{side}/two"), t.path("two.c"))
        check(t.run(*argv).status == 0, f"compiles: {argv}")
    t.good("record", "-q", "--repeat", "3", "-o", "a-%n.data", "--vs", f"b-%n.data={t.path('b/two')}", "--", t.path("a/two"))
    names = (*sessions("a", 3), "--", *sessions("b", 3))
    done = t.ours("diff", *names)
    rows = [row for row in csv.DictReader(io.StringIO(t.ours("diff", "--csv", *names).out)) if row["module"] == "two"]
    again = t.ours("diff", "--csv", *names).out
    check(all(row["name"] in again for row in rows), "another process gives them the same names, as baselines need", done)
    large = [row for row in rows if float(row["a_samples"]) > 20]
    if all(row["name"].startswith("code ") for row in large):
        check(len(large) == 2 and all(row["in"] == "both" and abs(float(row["change_percent"])) < 100 for row in large), "pairs of equal code", done)
    else:  # without a disassembler
        check(all(row["in"] != "both" and " of build " in row["name"] for row in large), "no pairs by address", done)


EQUAL_FUNCTIONS = """#include <stdint.h>
static volatile uint64_t sink;
#define WORK(NAME) __attribute__((noinline, noipa)) static void NAME(uint64_t n) { uint64_t x = sink; while (n--) x = x * 25 + n; sink = x; }
WORK(first) WORK(second)
int main(void) { for (int i = 0; i < 100; i++) { first(500000); second(500000); } return 0; }
"""


def test_functions_without_names_of_one_build_go_by_their_addresses(t: Context) -> None:
    """Two functions with the same code stay two, as in report; that needs no disassembler."""
    harness.need_events()
    compiler = harness.need_tool("gcc")
    with open(t.path("equal.c"), "w", encoding="ascii") as file:
        file.write(EQUAL_FUNCTIONS)
    argv = (compiler, "-O1", "-s", "-Wl,--build-id", "-o", t.path("equal"), t.path("equal.c"))
    check(t.run(*argv).status == 0, f"compiles: {argv}")
    t.good("record", "-q", "--repeat", "2", "-o", "a-%n.data", "--", t.path("equal"))
    done = t.ours("diff", "--csv", "a-1.data", "a-2.data")
    rows = [row for row in csv.DictReader(io.StringIO(done.out)) if row["module"] == "equal" and float(row["a_samples"]) > 20]
    check(len(rows) == 2 and all(row["in"] == "both" and " of build " in row["name"] for row in rows), "two functions by address", done)


def test_renamed_functions_go_by_their_code(t: Context) -> None:
    """`before` became `after`; `one` and `two` have the code of `three`, so nothing tells which one that was."""
    unlike = diff_sessions.LOOP[:-1] * 3 + diff_sessions.OTHER
    alike = diff_sessions.LOOP_CHANGED[:-1] * 2 + diff_sessions.OTHER
    steady = diff_sessions.OLD[0]
    kinds = {"a": {"before": unlike, "one": alike, "two": alike}, "b": {"three": alike, "after": unlike}}
    for side, codes in kinds.items():
        functions = (steady, *(diff_sessions.Function(name, code, 0) for name, code in codes.items()))
        diff_sessions.write_program(t.path(f"program-{side}"), functions)
        for number in (1, 2):
            diff_sessions.write_run(t.path(f"{side}-{number}.data"), t.path(f"program-{side}"), functions, {"steady": 400, **dict.fromkeys(codes, 100 + number)})
    names = (*sessions("a", 2), "--", *sessions("b", 2))
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(t.good("diff", "--csv", *names).out))}
    check({name: row["in"] for name, row in rows.items()} == {"steady": "both", "before": "both", "one": "only A", "two": "only A", "three": "only B"}, f"{rows}")
    check(float(rows["before"]["b_samples"]) == 101.5, f"the samples of `after`: {rows['before']}")
    done = t.good("diff", *names)
    check("\nfunction: before of A is compared with after of B, which has the same code\n" in done.out, "said so", done)
    done = t.ours("check", "--max-change", "before=50%", *names)
    check(done.status == 0 and "before of A is compared with after" in done.out, "check does as diff", done)


TWINS = """#include <stdint.h>
static volatile uint64_t sink;
#define TWIN(name) __attribute__((noipa)) static void name(uint64_t n) { uint64_t x = sink; while (n--) x = (x * 25 + n) ^ (x >> 7); sink = x; }
TWIN(first_twin)
TWIN(second_twin)
int main(int argc, char **argv) { for (int i = 0; i < 100; i++) (argc > 1 ? second_twin : first_twin)(1000000); return 0; }
"""


def test_functions_of_one_build_are_not_renamed(t: Context) -> None:
    """Both sides run the same program, in which two functions have the same code: each side one of them."""
    harness.need_events()
    compiler = harness.need_tool("gcc")
    with open(t.path("twins.c"), "w", encoding="ascii") as file:
        file.write(TWINS)
    check(t.run(compiler, "-O1", "-fno-ipa-icf", "-Wl,--build-id", "-o", t.path("twins"), t.path("twins.c")).status == 0, "compiles")
    t.good("record", "-q", "--repeat", "2", "-o", "a-%n.data", "--vs", f"b-%n.data={t.path('twins')} second", "--", t.path("twins"))
    done = t.good("diff", "--csv", *sessions("a", 2), "--", *sessions("b", 2))
    found = {row["name"]: row["in"] for row in csv.DictReader(io.StringIO(done.out)) if "twin" in row["name"]}
    check(found == {"first_twin": "only A", "second_twin": "only B"}, f"{found}", done)


PYTHON_PROGRAM = """import sys
def norm(n):
    t = 0
    for i in range(n):
        t += i * i
    return t
def steady(n):
    t = 1
    while n:
        n -= 1
        t ^= n
    return t
for _ in range(20):
    norm(int(sys.argv[1])), steady(40000)
"""


def test_python_functions_come_first(t: Context) -> None:
    harness.need_events()
    with open(t.path("app.py"), "w", encoding="ascii") as file:
        file.write(PYTHON_PROGRAM)
    done = t.ours("record", "-q", "--repeat", "5", "-o", "a-%n.data", "--vs", "b-%n.data=python3 app.py 160000", "--", "python3", "app.py", "20000")
    if done.status or "Python" not in t.good("report", "-i", "a-1.data").out:
        raise Skip("Python frames")
    names = (*sessions("a"), "--", *sessions("b"))
    done = t.good("diff", *names)
    check(re.search(r"slower +norm +app\.py\n", done.out), "the Python function", done)
    check(done.out.endswith("of a Python function; native: --by function\n"), "how to see native ones", done)
    check(json.loads(t.good("diff", "--json", *names).out)["rows_are"] == "functions", "JSON keeps functions")
    check("; native" not in t.good("diff", "--by", "function", *names).out, "--by function")
    done = t.ours("check", "--max-change", "total=20%", *names)
    check(done.status == 1 and "because: norm (app.py) +" in done.out, "why", done)
    run_check(t, "--write-baseline", "base.json", "--max-runs", "2", "--", "python3", "app.py", "20000")
    check(not left_behind(t), "names of Python functions are removed, too")


def test_python_functions_that_moved_are_the_same(t: Context) -> None:
    """Each function begins at another line, and `norm` in another folder."""
    harness.need_events()
    for side, before in ("a", ""), ("b", "#\n" * 30):
        os.mkdir(t.path(side))
        with open(t.path(f"{side}/app.py"), "w", encoding="ascii") as file:
            file.write(before + PYTHON_PROGRAM)
    done = t.ours("record", "-q", "--repeat", "2", "-o", "a-%n.data", "--vs", "b-%n.data=python3 b/app.py 100000", "--", "python3", "a/app.py", "100000")
    if done.status or "Python" not in t.good("report", "-i", "a-1.data").out:
        raise Skip("Python frames")
    rows = diff(t, "--by", "python", runs=2)["rows"]
    named = {row["name"]: row["in"] for row in rows if row["name"] in ("norm", "steady")}
    check(named == {"norm": "both", "steady": "both"}, f"each is one row: {rows}")


def test_a_run_without_python_frames(t: Context) -> None:
    harness.need_events()
    with open(t.path("app.py"), "w", encoding="ascii") as file:
        file.write(PYTHON_PROGRAM)
    for name in ("a-1", "a-2", "b-1", "b-2"):
        t.good("record", "-q", *(["--no-stacks"] if name == "a-2" else []), "-o", f"{name}.data", "--", "python3", "app.py", "40000")
    if "Python" not in t.good("report", "-i", "a-1.data").out:
        raise Skip("Python frames")
    names = (*sessions("a", 2), "--", *sessions("b", 2))
    done = t.good("diff", *names)
    check("native functions are compared: a-2.data: its samples have no Python frames" in done.out, "said so", done)
    done = t.ours("diff", "--by", "python", *names)
    check(done.status == 1, "what was asked for is not replaced", done)
    harness.check_sentence(done, "a-2.data: its samples have no Python frames")


def test_what_measures_other_things_is_not_compared(t: Context) -> None:
    harness.need_events()
    for name, options in ("a", ()), ("b", ("-k",)), ("c", ()):
        t.good("record", "-q", *options, "-o", f"{name}.data", "--", *compared(t, *PLAIN))
    for command, status in ("diff", 1), ("check", 125):
        done = t.ours(command, "a.data", "--", "b.data")
        check(done.status == status, f"{command} refuses", done)
        harness.check_sentence(done, "A has samples of user code, B of user code and the kernel: record both with -k")
    check("same machine" in t.good("diff", "a.data", "c.data").out, "the same options")


def test_a_page_of_an_event_that_is_no_time(t: Context) -> None:
    harness.need_events()
    harness.need_root()
    for name in ("a-1", "a-2", "b-1", "b-2"):
        t.good("record", "-q", "-k", "-e", "context-switches:1", "-o", f"{name}.data", "--", "/usr/bin/python3", "-c",
               "import time\nfor _ in range(50): time.sleep(0.001)")
    done = t.ours("check", "-e", "context-switches", "--max-change", "event:context-switches=900%", "--html", "x.html", *sessions("a", 2), "--", *sessions("b", 2))
    check(done.status in (0, 125) and done.out != "", "a verdict", done)
    with open(t.path("x.html"), encoding="utf-8") as file:
        check("<html" in file.read(), "and the page")


def test_a_function_that_is_new(t: Context) -> None:
    """It has no change in percent, and yet it is slower than nothing, and the cause."""
    for side, program, functions in ("a", "old", diff_sessions.OLD), ("b", "new", diff_sessions.NEW):
        diff_sessions.write_program(t.path(program), functions)
        for number in (1, 2, 3):
            counts = {"steady": 500 + number, **({"came": 400 + number} if side == "b" else {})}
            diff_sessions.write_run(t.path(f"{side}-{number}.data"), t.path(program), functions, counts)
    done = t.ours("check", "--max-change", "came=5%,total=5%", *sessions("a", 3), "--", *sessions("b", 3))
    check(done.status == 1 and done.out.startswith("SLOWER: "), "slower", done)
    check(re.search(r"^came .*slower$", done.out, re.M) is not None and "because: came (" in done.out, "the limit of the function, and the cause", done)


def test_programs_that_share_nothing(t: Context) -> None:
    for number in (1, 2):
        for side, counts in ("a", {"gone": 500, "steady": 9}), ("b", {"came": 400, "steady": 9}):
            program, functions = ("old", diff_sessions.OLD) if side == "a" else ("new", diff_sessions.NEW)
            diff_sessions.write_program(t.path(program), functions)
            diff_sessions.write_run(t.path(f"{side}-{number}.data"), t.path(program), functions, counts)
    done = t.good("diff", *sessions("a", 2), "--", *sessions("b", 2))
    check("A and B share nothing: 98 % of their time is in functions that only one of them has" in done.out, "said so", done)


def test_wrong_command_lines(t: Context) -> None:
    for argv, words in ((("x.data",), "with -- between them"), (("--", "x.data"), "no session of A"),
                        (("x.data", "--"), "no session of B"), (("x.data", "--", "x.data"), "named twice"),
                        (("--by", "colour", "x", "y"), "--by takes"), (("--find", "much", "x", "y"), "--find takes"),
                        (("--measure", "weight", "x", "y"), "--measure takes"), (("-", "y"), "standard input"),
                        (("--csv", "--json", "x", "y"), "cannot be used together"),
                        (("-o", "x.svg", "--json", "x", "y"), "flame graph"),
                        (("--group-by", "cpython", "--by", "line", "x", "y"), "groups are made of functions")):
        done = t.ours("diff", *argv)
        check(done.status == 2, f"wrong usage: {argv}", done)
        harness.check_sentence(done, words)
    done = t.ours("diff", "no.data", "none.data")
    check(done.status == 1, "a missing session", done)
    harness.check_sentence(done, "no.data")


def test_all_sessions_are_opened_first(t: Context) -> None:
    """The first one, which reading would refuse, is not read if the second does not exist."""
    diff_sessions.write_program(t.path("old"), diff_sessions.OLD)
    diff_sessions.write_run(t.path("empty.data"), t.path("old"), diff_sessions.OLD, {})
    for argv in (("diff", "empty.data", "none.data"), ("check", "--max-change", "5%", "empty.data", "--", "none.data")):
        harness.check_sentence(t.ours(*argv), "none.data")
    harness.check_sentence(t.ours("diff", "empty.data", "old"), "old: ")


# --- sessions of stat ---


def test_counts_are_compared(t: Context) -> None:
    """Page faults and CPU time, which each machine can count; four times the work of `beta` in B."""
    for number in range(1, RUNS + 1):
        for side, work in (("a", PLAIN), ("b", ("20", "80", "5"))):
            t.good("stat", "-q", "-e", "page-faults,task-clock", "--session", f"{side}-{number}.data", "--", *compared(t, *work))
    document = diff(t)
    totals = {row["total"]: row for row in document["totals"]}
    check(document["rows"] == [], "no rows")
    check(totals["task-clock"]["verdict"] == "slower" and totals["cpu"]["verdict"] == "slower", f"more CPU time: {totals}")
    check(abs(totals["page-faults"]["change_percent"]) < 50, f"as many page faults: {totals['page-faults']}")
    done = t.good("diff", *sessions("a"), "--", *sessions("b"))
    check("task-clock" in done.out and " ms " in done.out and "by function" not in done.out, "only totals", done)
    check(done.out.startswith(f"{RUNS} runs each, in turn; same machine"), "counts that were made in turn are pairs", done)
    one = diff(t, "--measure", "count", "-e", "page-faults")["totals"]
    check([row["total"] for row in one] == ["page-faults"], f"one event: {one}")
    done = t.ours("check", "--max-change", "event:task-clock=10%", *sessions("a"), "--", *sessions("b"))
    check(done.status == 1, "a limit of an event", done)
    done = t.ours("check", "--measure", "count", "-e", "task-clock", *sessions("a"), "--", *sessions("b"))
    check(done.status == 1 and done.out.startswith("SLOWER: task-clock +") and ", allowed +1 %" in done.out, "the limit of a count", done)
    t.good("check", "--write-baseline", "base.json", "--", *sessions("a"))
    done = t.ours("check", "--baseline", "base.json", "--max-change", "event:task-clock=10%", "--", *sessions("b"))
    check(done.status == 1, "and against a baseline", done)


def test_instructions_per_cycle_have_an_interval(t: Context) -> None:
    for number in range(1, RUNS + 1):
        diff_sessions.write_counts(t.path(f"a-{number}.data"), (1_000_000 + 10_000 * (number % 3), 2_000_000))
        diff_sessions.write_counts(t.path(f"b-{number}.data"), (1_000_000 + 10_000 * (number % 3), 1_500_000))
    totals = {row["total"]: row for row in diff(t)["totals"]}
    check(totals["cycles"]["verdict"] == "unclear" and totals["instructions"]["verdict"] == "less", f"the events: {totals}")
    ipc = totals["ipc"]
    check(ipc["verdict"] == "less" and abs(ipc["a_mean"] - 1.98) < 0.02 and abs(ipc["change_percent"] + 25) < 0.1, f"the ratio: {ipc}")
    check(-28 < ipc["change_low_percent"] < -25 < ipc["change_high_percent"] < -22, f"its interval: {ipc}")


def test_counts_and_samples_are_not_mixed(t: Context) -> None:
    diff_sessions.write_runs(t.folder, 1)
    diff_sessions.write_counts(t.path("c.data"), (1, 2))
    diff_sessions.write_counts(t.path("d.data"), (1, 2))
    for argv, words in ((("c.data", "b-1.data"), "A has counts and B has samples"), (("a-1.data", "c.data"), "B has counts and A has samples"),
                        (("--by", "line", "c.data", "d.data"), "c.data: it has counts, not samples"),
                        (("--measure", "count", "a-1.data", "b-1.data"), "these have samples"),
                        (("-o", "x.svg", "c.data", "d.data"), "c.data: it has counts, not samples"),
                        (("-e", "branches", "c.data", "d.data"), "no event 'branches' is in A and in B")):
        done = t.ours("diff", *argv)
        check(done.status == 1, f"refused: {argv}", done)
        harness.check_sentence(done, words)


# --- check ---


def test_check_against_a_baseline(t: Context) -> None:
    record_both(t, ("20", "80", "5"))
    t.good("check", "--write-baseline", "base.json", "--", *sessions("a"))
    for name in sessions("a"):
        os.rename(t.path(name), t.path("old-" + name))
    done = t.ours("check", "--baseline", "base.json", "--max-change", "total=100%,be*=100%", "--markdown", "pr.md", "--",
                  *sessions("b"))
    check(done.status == 1, "slower", done)
    check(done.out.startswith("SLOWER: CPU time +") and "\nbecause: beta (compared) +" in done.out, "said so", done)
    check(done.out.splitlines()[1].startswith("command: A "), "what else differs comes first", done)
    check(done.out.endswith("exit 1  (0 within, 1 slower, 125 unclear)\n"), "and what the status means", done)
    with open(t.path("pr.md"), encoding="utf-8") as file:
        text = file.read()
        check("| be\\* | +100 % |" in text and "| slower | beta compared |" in text, f"Markdown: {text}")
    done = t.ours("check", "--baseline", "base.json", "--max-change", "be*=900%,total=900%", "--json", "--", *sessions("b"))
    document = json.loads(done.out)
    check(done.status == 0 and document["verdict"] == "within", "within", done)
    check([limit["limit"] for limit in document["limits"]] == ["be*", "total"], "limits in order", done)


def test_what_cannot_be_told_has_the_status_that_bisect_skips(t: Context) -> None:
    record_both(t, PLAIN, 2)
    t.good("check", "--write-baseline", "base.json", "--", *sessions("a", 2))
    for argv in (("--baseline", "base.json", "--max-change", "nothing=5%", "--", *sessions("b", 2)),
                 ("--baseline", "base.json", "--", "b-1.data"), ("--baseline", "none.json", "--", "b-1.data"),
                 ("--baseline", "a-1.data", "--", "b-1.data"), ("--baseline", "base.json", "--", "none.data"),
                 ("--baseline", "base.json"), ("--max-change", "total", "a-1.data", "b-1.data"), ("--no-such-option",),
                 ("a-1.data",), ("--", "b-1.data"), ("--baseline",),
                 ("--write-baseline", "x.json", "--max-change", "total=3%", "--", "a-1.data")):
        done = t.ours("check", *argv)
        check(done.status == 125, f"unclear: {argv}", done)


# --- check --run ---


def left_behind(t: Context) -> list[str]:
    return [name for name in os.listdir(t.folder) if name.startswith("wperf-check-")]


def run_check(t: Context, *argv: str) -> Done:
    """check --run; its sessions are made in the test's folder."""
    return t.ours("check", "--run", *argv, env={**harness.environment(), "TMPDIR": t.folder})


def test_a_command_runs_until_the_verdict_stands(t: Context) -> None:
    harness.need_events()
    slow, fast = compared(t, "20", "80", "5"), compared(t, *PLAIN)
    done = run_check(t, "--vs", shlex.join(fast), "--max-change", "total=20%", "--", *slow)
    check(done.status == 1 and done.out.startswith("SLOWER: CPU time +"), "slower", done)
    check("because: beta (compared) +" in done.out and " in turn; same machine" in done.out, "why, and how it ran", done)
    done = run_check(t, "--vs", shlex.join(slow), "--max-change", "total=20%", "--json", "--", *fast)
    document = json.loads(done.out)
    check(done.status == 0 and document["verdict"] == "within" and document["status"] == 0, "within", done)
    check(5 <= document["a_runs"] == document["b_runs"] <= 30, "as many runs of each", done)
    check(not left_behind(t), "no session stays")


def test_a_command_runs_against_a_baseline(t: Context) -> None:
    harness.need_events()
    done = run_check(t, "--write-baseline", "base.json", "--max-runs", "5", "--", *compared(t, *PLAIN))
    check(done.status == 0, "a baseline", done)
    done = run_check(t, "--baseline", "base.json", "--max-change", "total=20%", "--", *compared(t, "20", "80", "5"))
    check(done.status == 1 and "baseline: base.json, 5 runs" in done.out, "slower", done)
    # What never runs stays unclear, also after the first five runs.
    argv = ("--baseline", "base.json", "--max-change", "nothing*=5%", "--max-time", "1ms", "--max-runs", "40")
    for word, status in ("pass", 0), ("fail", 1):
        done = run_check(t, *argv, "--unclear", word, "--", *compared(t, *PLAIN))
        check(done.status == status and done.out.startswith("UNCLEAR") and "base.json, 5 runs;" in done.out, f"--unclear {word}", done)
    check(not left_behind(t), "no session stays")


def test_runs_of_poor_quality_are_told_once(t: Context) -> None:
    harness.need_events()
    stripped = t.path("stripped")
    subprocess.run([harness.need_tool("strip"), "-o", stripped, t.program("compared")], check=True)
    argv = [stripped, *compared(t, *PLAIN)[1:]]
    done = run_check(t, "--vs", shlex.join(argv), "--max-change", "total=1%", "--max-runs", "8", "--", *argv)
    warnings = [line for line in done.err.splitlines() if "warning" in line]
    check(len(warnings) == 1 and re.search(r"\d+ of the runs are of poor quality; the first: \d+ % of the samples have no symbol, \d+ % in stripped$", warnings[0]) is not None,
          "one line for all runs", done)


def test_a_command_that_fails_is_never_slower(t: Context) -> None:
    harness.need_events()
    done = run_check(t, "--vs", "true", "--", "sh", "-c", "exit 1")
    check(done.status == 125, "cannot be tested", done)
    harness.check_sentence(done, "'sh' ended with status 1 in run 1: nothing is compared")
    done = run_check(t, "--vs", "true", "--", "true")
    check(done.status == 125 and re.search(r"run \d+ of 'true': it has no samples", done.err) is not None, "the run is named, not its file", done)
    done = run_check(t, "--vs", "true", "--measure", "count", "-e", "page-fualts", "--", "true")
    check(done.status == 125 and "did you mean 'page-faults'?" in done.err and done.out == "", "an event that does not exist", done)
    for argv, words in ((("--vs", "true"), "needs a command after --"), (("--", "true"), "either --baseline FILE or --vs COMMAND"),
                        (("--measure", "count", "--vs", "true", "--", "true"), "needs an event"),
                        (("--html", "x.html", "--baseline", "b.json", "--", "true"), "no call stacks")):
        done = run_check(t, *argv)
        check(done.status == 125, f"wrong usage: {argv}", done)
        harness.check_sentence(done, words)
    done = t.ours("check", "--max-runs", "5", "a.data", "b.data")
    check(done.status == 125, "no --run", done)
    harness.check_sentence(done, "--max-runs needs --run")
    check(not left_behind(t), "no session stays")


def test_events_are_counted_exactly(t: Context) -> None:
    """Page faults, which each machine counts: those of four megabytes more are seen."""
    touch = "import sys; data = bytearray(int(sys.argv[1]) << 20); data[::4096] = b'x' * len(data[::4096])"
    python = [harness.sys.executable, "-c", touch]
    argv = ("--measure", "count", "-e", "page-faults", "--max-change", "event:page-faults=20%", "--max-runs", "12")
    done = run_check(t, *argv, "--vs", shlex.join([*python, "16"]), "--", *python, "64")
    check(done.status == 1 and done.out.startswith("MORE: page-faults +") and done.out.endswith("exit 1  (0 within, 1 more, 125 unclear)\n"), "more", done)
    done = run_check(t, *argv, "--vs", shlex.join([*python, "16"]), "--", *python, "16")
    check(done.status == 0, "as many", done)


def test_forms_that_ci_services_read(t: Context) -> None:
    diff_sessions.write_runs(t.folder)
    argv = ("--max-change", "total=3%,w*=90%,nothing*=1%", *sessions("a", 4), "--", *sessions("b", 4))
    done = t.ours("check", "--annotations", "github", "--junit", "tests.xml", "--html", "page.html", *argv)
    commands = [line for line in done.out.splitlines() if line.startswith("::")]
    check([line.split(" ")[0] for line in commands] == ["::error", "::notice", "::warning"], "a command for each limit", done)
    check(all(re.fullmatch(r"::\w+ title=wperf check::[^%]*(%25[^%]*)*", line) for line in commands), "escaped", done)
    suite = ElementTree.parse(t.path("tests.xml")).getroot()[0]
    check({key: suite.get(key) for key in ("tests", "failures", "skipped")} == {"tests": "3", "failures": "1", "skipped": "1"}, "JUnit")
    check([case[0].tag for case in suite] == ["failure", "system-out", "skipped"], "a test for each limit")
    with open(t.path("page.html"), encoding="utf-8") as file:
        check("<html" in file.read(), "the page of diff")
    t.ours("check", "--annotations", "gitlab", *argv)
    with open(t.path("gl-code-quality-report.json"), encoding="utf-8") as file:
        issues = json.load(file)
    check([issue["severity"] for issue in issues] == ["major", "info"], f"what is not within: {issues}")
    check(len({issue["fingerprint"] for issue in issues}) == 2 and all(issue["location"]["lines"]["begin"] == 1 for issue in issues), f"{issues}")


BISECTED = """#!/bin/sh
# Machines are busy now and then: what cannot be told is tried again.
for try in 1 2 3 4; do
    rm -f {folder}/now-*.data
    {wperf} record -q --repeat {runs} -o {folder}/now-%n.data -- {program} $(cat work) || exit 125
    {wperf} check --baseline {folder}/base.json --max-change total=100% -- {folder}/now-*.data
    status=$?
    [ $status = 125 ] || exit $status
done
exit 125
"""


def test_git_bisect_finds_the_commit(t: Context) -> None:
    harness.need_events()
    if not shutil.which("git"):
        raise Skip("git")
    repository = t.path("repository")
    environment = {**harness.environment(), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
                   "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}

    def git(*argv: str) -> Done:
        done = t.run("git", "-C", repository, *argv, env=environment)
        check(done.status == 0, f"git {argv}", done)
        return done

    os.mkdir(repository)
    git("init", "-q")
    for number in range(8):
        with open(os.path.join(repository, "work"), "w", encoding="ascii") as file:
            file.write(" ".join(compared(t, *(["80", "80"] if number >= 5 else ["20", "20"]), str(number))[1:]) + "\n")
        git("add", "work")
        git("commit", "-q", "-m", f"commit {number}")
    t.good("record", "--repeat", str(RUNS), "-o", "a-%n.data", "--", *compared(t, "20", "20", "0"))
    t.good("check", "--write-baseline", "base.json", "--", *sessions("a"))
    script = t.path("bisect.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write(BISECTED.format(folder=shlex.quote(t.folder), wperf=shlex.quote(t.wperf), runs=RUNS,
                                   program=shlex.quote(t.program("compared"))))
    os.chmod(script, 0o755)
    git("bisect", "start", "HEAD", "HEAD~7")
    done = git("bisect", "run", script)
    check("commit 5" in done.out.split("is the first bad commit")[-1], "the planted commit", done)


if __name__ == "__main__":
    harness.main(__name__)
