#!/usr/bin/python3
"""The terminal browser of comparisons, on terminals of tmux: each page at three sizes, its keys, and the rows of the text."""
import csv
import io
import os
import pathlib
import re
import termios

import diff_sessions
import harness
import random_keys
from harness import Context, check, limit, wait_until
from screens import Screen

SIZES = ((80, 24), (40, 12), (200, 60))
RUNS = 4


def sessions(t: Context) -> list[str]:
    diff_sessions.write_runs(t.folder, RUNS)
    return [f"a-{i}.data" for i in range(1, RUNS + 1)] + ["--"] + [f"b-{i}.data" for i in range(1, RUNS + 1)]


def browse(t: Context, *argv: str, **options) -> Screen:
    return Screen(t, t.wperf, "diff", *argv, **options)


def leave(screen: Screen) -> None:
    screen.keys("q")
    check(screen.ended() == 0, "leaves with status 0")


# Name of the page, the keys that lead to it, and text that it must show at the end.
PAGES = (
    ("diff_table", (), "5 functions by difference"),
    ("diff_different", ("v",), "1 function shown to differ"),
    ("diff_none", ("v", "d", "v", "v", "d"), "only in B"),
    ("diff_code", ("Enter",), "machine code identical in 1 of 3"),
    ("diff_code_end", ("Enter", "Tab", "End"), "jne"),
    ("diff_code_same", ("Down", "Enter"), "steady: machine code identical, 3 blocks"),
    ("diff_notes", ("i",), "order: all runs of A"),
    ("diff_help", ("?",), "In the table"),
)


# What a user wants to know of a comparison: which functions differ, and where their code does.
TASKS = (
    ("task_compare", ("v",), "1 function shown to differ"),
    ("task_compare_code", ("v", "Enter"), "machine code identical in 1 of 3"),
)
TASK_SIZES = ((80, 24), (120, 40), (40, 12))


@limit(300)
def test_pages_and_tasks_look_as_they_did(t: Context) -> None:
    argv = sessions(t)
    for (name, keys, wanted), sizes in [(page, SIZES) for page in PAGES] + [(task, TASK_SIZES) for task in TASKS]:
        for columns, rows in sizes:
            with browse(t, *argv, columns=columns, rows=rows) as screen:
                screen.wait("? help")
                for key in keys:
                    screen.keys(key)
                    screen.wait()
                screen.wait(wanted if columns >= 80 else "")
                screen.check_looks(f"{name}_{columns}x{rows}")
                leave(screen)


# --- The same rows as in the text and the document ---


def rows_written(t: Context, screen: Screen, number: int) -> list[str]:
    screen.keys("P")
    screen.wait(f"written to wperf.hist.{number}")
    return pathlib.Path(t.path(f"wperf.hist.{number}")).read_text(encoding="utf-8").splitlines()


def test_rows_are_those_of_text_and_csv(t: Context) -> None:
    argv = sessions(t)
    text = t.good("diff", "--sample-display-row", "50", *argv).out
    table = list(csv.DictReader(io.StringIO(t.good("diff", "--csv", *argv).out)))
    with browse(t, *argv, columns=200) as screen:
        screen.wait("5 functions by difference")
        written = rows_written(t, screen, 1)
        leave(screen)
    check([line.split()[-1] for line in written] == [f"{row['name']}:{row['module']}" for row in table], f"the names: {written}")
    for line, row in zip(written, table):
        verdict = row["verdict"] + (row["why"] and f": {row['why']}")
        check((f" {verdict} " in line) == (row["in"] == "both"), f"the verdict {verdict}: {line}")
        if row["in"] == "both":
            printed = next(other for other in text.splitlines() if other.split()[-2:] == [row["name"], row["module"]])
            check(printed.split()[:4] == line.split()[2:6] and f" {verdict} " in printed, f"amounts and verdict: {line} and {printed}")
        else:
            check(f" {row['in'].replace(' ', ' in ')} " in line and f"{float(row['a_share_percent']) + float(row['b_share_percent']):.2f} " in line,
                  f"share and side: {line}")


def test_machine_code_is_that_of_the_text(t: Context) -> None:
    argv = sessions(t)
    text = t.ours("diff", "--code", "-s", "worker", "a-1.data", "--", "b-1.data").out
    with browse(t, *argv, columns=250, rows=60) as screen:
        screen.wait("5 functions")
        screen.keys("Enter")
        screen.wait("jne")
        written = rows_written(t, screen, 1)
        leave(screen)
    lines = [line.split() for line in written if "0x" in line]
    printed = [line.split() for line in text.splitlines() if "0x" in line]
    check(lines == printed and len(lines) == 3, f"the same instructions: {lines} and {printed}")
    for wanted in ("worker: machine code identical in 1 of 3 blocks", "block 2 in A, block 2 in B: changed"):
        check(any(line.startswith(wanted) for line in written) and wanted in text, f"{wanted}: {written}")


# --- Keys ---


def names_on(shown: str) -> list[str]:
    return re.findall(r" (\w+):old$", shown, re.MULTILINE)


def test_sorts_filters_and_searches(t: Context) -> None:
    with browse(t, *sessions(t)) as screen:
        check(names_on(screen.wait("by difference")) == ["worker", "steady", "small", "gone", "came"], "largest difference first")
        for order, names in (("change", ["came", "worker", "steady", "small", "gone"]), ("A", ["steady", "worker", "gone", "small", "came"]),
                             ("B", ["steady", "worker", "came", "small", "gone"]), ("verdict", ["worker", "steady", "small", "gone", "came"]),
                             ("name", ["came", "gone", "small", "steady", "worker"])):
            screen.keys("s")
            shown = screen.wait(f"by {order}")
            check(names_on(shown) == names, f"by {order}: {names_on(shown)}")
        for words, names in (("1 function shown to differ", ["worker"]), ("1 function only in A", ["gone"]), ("1 function only in B", ["came"])):
            screen.keys("v")
            shown = screen.wait(words)
            check(names_on(shown) == names, f"{words}: {names_on(shown)}")
        screen.keys("Escape")
        screen.wait("5 functions by name")
        screen.keys("d")
        screen.wait("5 functions in old")
        screen.keys("Escape")
        screen.wait("5 functions by name")
        screen.keys("Escape")
        screen.wait("this is the first page; press q to quit")
        screen.keys("/")
        for letter in "work":
            screen.keys(letter)
        screen.keys("Enter", "Enter")
        screen.wait("code of worker")
        screen.keys("/", "l", "e", "a", "q", "Enter")
        screen.wait("leaq")
        screen.keys("Escape", "Tab")
        screen.wait("only one event is compared")
        leave(screen)


def test_code_scrolls_and_goes_to_the_hottest_line(t: Context) -> None:
    with browse(t, *sessions(t), columns=100) as screen:
        screen.wait("5 functions")
        screen.keys("c")
        first = screen.wait("addq   $0x1, %rax", "100.00 addq")
        screen.keys("Right")
        screen.wait("0x1, %rax", without="addq   $0x1")
        screen.keys("Left")
        check(screen.wait("addq   $0x1, %rax") == first, "back again")
        screen.keys("H")
        wait_until(lambda: len([line for line in screen.text(colors=True).splitlines()
                                if re.search(r"\033\[(\d+;)*7m", line) and "addq" in line]) == 1, "the hottest line is selected")
        leave(screen)


def test_a_long_module_does_not_hide_the_function(t: Context) -> None:
    diff_sessions.write_runs(t.folder, RUNS, ("libwith_a_long_name.so.3.12", "libwith_a_long_name.so.3.13"))
    argv = [f"a-{i}.data" for i in range(1, RUNS + 1)] + ["--"] + [f"b-{i}.data" for i in range(1, RUNS + 1)]
    for columns, ending in ((60, "worker"), (200, "worker:libwith_a_long_name.so.3.12")):
        with browse(t, *argv, columns=columns) as screen:
            shown = screen.wait("5 functions by difference")
            check(re.search(rf"slower +{re.escape(ending)}$", shown, re.MULTILINE) is not None, f"{ending} at {columns} columns:\n{shown}")
            leave(screen)


def test_size_changes_while_it_is_shown(t: Context) -> None:
    with browse(t, *sessions(t)) as screen:
        screen.wait("5 functions")
        for key, words in (("Enter", "jne"), ("i", "order: all runs of A"), ("Escape", "jne"), ("Escape", "5 functions")):
            screen.keys(key)
            wide = screen.wait(words)
            for columns, rows in ((1, 1), (7, 3), (12, 4), (40, 12), (300, 5)):
                screen.resize(columns, rows)
                screen.wait()
                screen.keys("Down", "PageDown", "Home")
            screen.resize(80, 24)
            check(screen.wait(words) == wide, "the same again")
        leave(screen)


def test_rows_without_code_say_so(t: Context) -> None:
    argv = sessions(t)
    pathlib.Path(t.path("rules")).write_text("work w*\n", encoding="ascii")
    for more, words in ((("--by", "line"), "a line has no machine code of its own"),
                        (("--group-by", "rules"), "a group has no machine code of its own")):
        with browse(t, *more, *argv) as screen:
            screen.wait("by difference")
            screen.keys("Enter")
            screen.wait(words)
            leave(screen)


def test_programs_that_are_gone_say_so(t: Context) -> None:
    argv = sessions(t)
    with browse(t, *argv) as screen:
        screen.wait("5 functions")
        for name in ("old", "new"):
            pathlib.Path(t.path(name)).unlink()
        screen.keys("Enter")
        screen.wait("a-1.data: the code of", "is not available", "5 functions by difference")
        leave(screen)


def test_single_runs_have_no_verdict(t: Context) -> None:
    sessions(t)
    with browse(t, "a-1.data", "b-1.data") as screen:
        shown = screen.wait("nothing was tested", "unclear: needs two runs")
        check("slower" not in shown, f"no verdict:\n{shown}")
        screen.keys("i")
        screen.wait("record several runs of each")
        leave(screen)


def test_counts_have_totals_and_no_rows(t: Context) -> None:
    for number in range(3):
        diff_sessions.write_counts(t.path(f"a-{number}.data"), (1_000_000 + number, 2_000_000))
        diff_sessions.write_counts(t.path(f"b-{number}.data"), (1_000_000 + number, 3_000_000))
    with browse(t, *[f"a-{i}.data" for i in range(3)], "--", *[f"b-{i}.data" for i in range(3)]) as screen:
        shown = screen.wait("instructions per cycle: 2.000 in A, 3.000 in B, +50.0 %")
        check("nothing was tested" not in shown, f"nothing about rows:\n{shown}")
        screen.keys("Escape")
        screen.wait("0 functions by difference", "no rows")
        leave(screen)


# --- When it opens ---


def test_text_where_no_browser_is_wanted(t: Context) -> None:
    argv = sessions(t)
    for more in (("--stdio",), ("-v",), ("--csv",), ("--json",), ("-q",), ("-o", "diff.json"), ("-o", "diff.svg"),
                 ("--code", "a-1.data", "b-1.data")):
        with browse(t, *more, *(argv if more[0] != "--code" else ())) as screen:
            screen.wait("status 0")
            check(not screen.is_alternate(), f"{more}: text")
    check(t.good("diff", *argv).out.startswith("4 runs each"), "text in a pipe")
    done = t.run("script", "-qec", f"TERM=dumb {t.wperf} diff {' '.join(argv)}", "/dev/null")
    check("4 runs each" in done.out and "\033[?1049h" not in done.out, "text on a dumb terminal", done)


def test_errors_are_those_of_the_text(t: Context) -> None:
    argv = sessions(t)
    pathlib.Path(t.path("b-2.data")).write_bytes(b"not a session")
    for more, words in (((), "b-2.data"), (("-e", "cycles"), "b-2.data")):
        with browse(t, *more, *argv) as screen:
            check(screen.ended() == 1, "fails")
            said = pathlib.Path(t.path("screen.err")).read_text(encoding="utf-8")
            check(words in said and said.count("\n") == 1, f"one sentence: {said}")


def test_q_leaves_while_sessions_are_read(t: Context) -> None:
    """Forty runs of a million samples each, all of them in one file."""
    diff_sessions.write_runs(t.folder, 1)
    counts = {"steady": 1_000_000}
    diff_sessions.write_run(t.path("b-1.data"), t.path("new"), diff_sessions.NEW, counts)
    more = [f"b-{number}.data" for number in range(2, 41)]
    for name in more:
        os.link(t.path("b-1.data"), t.path(name))
    with browse(t, "a-1.data", "--", "b-1.data", *more) as screen:
        screen.wait("reading the sessions")
        leave(screen)


@limit(120)
def test_q_leaves_while_a_terminal_takes_nothing(t: Context) -> None:
    """wperf offers its last bytes for a second.  The comparison, which takes longer than the fifth of a second before the progress bar,
    may end in that time."""
    diff_sessions.write_runs(t.folder, 1)
    diff_sessions.write_run(t.path("b-1.data"), t.path("new"), diff_sessions.NEW, {"steady": 200_000})
    names = ["b-1.data"]
    while t.good("diff", "--stdio", "a-1.data", "--", *names).seconds < 0.6 and len(names) < 100:
        more = [f"b-{number}.data" for number in range(len(names) + 1, 2 * len(names) + 1)]
        for name in more:
            os.link(t.path("b-1.data"), t.path(name))
        names += more
    ours, theirs = harness.open_terminal()
    process = t.start(t.wperf, "diff", "a-1.data", "--", *names, stdin=theirs, stdout=theirs, env=harness.environment(TERM="xterm"))
    shown = b""
    while b"reading the sessions" not in shown and b"by difference" not in shown:
        shown += os.read(ours, 65536)
    termios.tcflow(theirs, termios.TCOOFF)
    os.write(ours, b"q")
    status, said = process.wait(harness.WAIT_SECONDS), process.stderr.read().decode(errors="replace")
    os.close(theirs)
    os.close(ours)
    check(status == 0 and said == "", f"leaves without a word: status {status}\n{said}")


@limit(60 * len(random_keys.seeds()))
def test_random_keys_break_nothing(t: Context) -> None:
    for seed in random_keys.seeds()[:2]:
        random_keys.type_at_random(t, seed, t.wperf, "diff", *sessions(t))


if __name__ == "__main__":
    harness.main(__name__)
