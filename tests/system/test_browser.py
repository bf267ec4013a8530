"""The terminal browser, on terminals of tmux: each page at three sizes, and actions of terminals and users."""
import os
import pathlib
import re
import shutil
import signal
import struct
import time

import harness
import memory_model
import random_keys
from harness import Context, check, document_of, limit, need_events, plain_build_only, wait_until
from memory_session import write_session
from screens import Screen
from test_main_job import WORK, need_python

SIZES = ((80, 24), (40, 12), (200, 60))
REPLAY = pathlib.Path(__file__).resolve().parent.parent / "replay"

APP = "".join(f"line_{number}()\n" for number in range(1, 60))


def python_session(t: Context, times: int = 1) -> str:
    done = t.run(t.program("make_python_session"), t.folder, str(times))
    check(done.status == 0, "make_python_session", done)
    os.makedirs(t.path("json"), exist_ok=True)
    for name in ("app.py", "json/__init__.py"):
        pathlib.Path(t.path(name)).write_text(APP * 8, encoding="ascii")
    return t.path("python.data")


def browse(t: Context, *argv: str, **options) -> Screen:
    return Screen(t, t.wperf, *argv, **options)


def to_table(screen: Screen) -> str:
    """Waits for the first page of a session with Python frames, and goes to the table of native functions below it."""
    screen.wait("functions by self")
    screen.keys("Escape")
    return screen.wait("functions by overhead")


# --- each page, as it looks ---

# Name of the page, the keys that lead to it, and text that it must show at the end.
PAGES = (
    ("functions", (), "functions by self"),
    ("table", ("Escape",), "functions by overhead"),
    ("menu", ("Escape", "Enter"), "actions for"),
    ("python", ("p",), "Python functions by self"),
    ("tree", ("g",), "call tree"),
    ("callers", ("G",), "inverted call tree"),
    ("flame", ("f",), "flame graph"),
    ("flame_zoomed", ("f", "Down", "Down", "Down", "Enter"), "flame graph"),
    ("about", ("p", "x"), "parse"),
    ("about_native", ("Escape", "x"), "callees"),
    ("source", ("p", "a"), "% func"),
    ("strips", ("t",), "over time, by thread"),
    ("help", ("?",), "On every page"),
    ("info", ("i",), "quality:"),
)


def look_at(t: Context, name: str, keys: tuple[str, ...], wanted: str, argv: tuple[str, ...], sizes: tuple[tuple[int, int], ...] = SIZES,
            first: str = "? help") -> None:
    for columns, rows in sizes:
        with browse(t, *argv, columns=columns, rows=rows) as screen:
            screen.wait(first)
            for key in keys:
                screen.keys(key)
                screen.wait()
            screen.wait(wanted if columns >= 80 else "")
            screen.check_looks(f"{name}_{columns}x{rows}")
            screen.keys("q")
            check(screen.ended() == 0, "leaves with status 0")


# What a user wants to know, at most six keys that lead to it from the first page, and text that answers it.
TASKS = (
    ("task_callers", ("/", "s", "c", "Enter", "r"), "callers of scan_once"),
    ("task_thread", ("t", "1", "Enter"), "of thread python3 100"),
    ("task_python", ("p", "a"), "parse"),
    ("task_flame", ("f", "/", "b", "Enter", "Enter"), "fib"),
    ("task_copy", ("y",), "copied parse"),
    ("task_callee", ("x", "Down", "Down", "Down", "Enter"), "loads"),
    ("task_module", ("Down", "d"), "40 of 100 samples in _json.so"),
)
# The same of a session with code, and of one with wall time and the kernel.
CODE_TASKS = (("task_line", ("/", "r", "Enter", "a", "H"), "21.21"),)
WAIT_TASKS = (
    ("task_kernel_and_waits", ("i",), "lock 1.34, sleep 0.78, gil 0.31"),
    ("task_kernel", ("Down", "Down", "d"), "in [kernel.kallsyms]"),
    ("task_waits_python", ("p",), "put [shop.py:13]"),
    ("task_waits_threads", ("t",), "l lock"),
)
TASK_SIZES = ((80, 24), (120, 40), (40, 12))


@limit(300)
def test_the_hottest_line_of_x_mul(t: Context) -> None:
    """Six keys lead to its hottest instruction, which stands below the line that annotate counts it for."""
    session = t.path("x.data")
    t.good("record", "-q", "-F", "499", "--timeout", "2", "--session", session, "--", need_python(), "-c", WORK)
    by_line = t.good("annotate", "-i", session, "--by", "line", "x_mul").out
    lines = {line: int(count) for count, line in re.findall(r"^ +\d+\.\d\d +\d+\.\d\d +(\d+)  (\w+\.\w+:\d+)", by_line, re.M)}
    with browse(t, "report", "-i", session, columns=120, rows=40) as screen:
        screen.wait("? help")
        for key in ("/", "x", "_", "m", "Enter", "a"):
            screen.keys(key)
            screen.wait()
        shown, line, hottest = screen.wait(), "", (0, "")
        for row in shown.splitlines():
            heading, count = re.search(r" (\w+\.[ch]:\d+)", row), re.match(r" +\d+\.\d\d +(\d+) ", row)
            line = heading[1] if heading else line
            hottest = max(hottest, (int(count[1]), line)) if count else hottest
        check(hottest[0] > 0 and hottest[0] <= lines.get(hottest[1], 0), f"{hottest} of {lines}:\n{shown}")
        check(lines[hottest[1]] == max(lines.values()), f"{hottest[1]} is the hottest line of {lines}")


@limit(300)
def test_tasks_take_at_most_six_keys(t: Context) -> None:
    for name in "archived_v1.data", "waits/waits.data":
        shutil.copy(REPLAY / name, t.folder)
    sessions = ((TASKS, python_session(t), "40.00"), (CODE_TASKS, t.path("archived_v1.data"), "91.67"),
                (WAIT_TASKS, t.path("waits.data"), "39.99"))
    for tasks, path, first in sessions:
        for name, keys, wanted in tasks:
            check(len(keys) <= 6, f"{name}: {len(keys)} keys")
            look_at(t, name, keys, wanted, ("report", "-i", path), TASK_SIZES, first)


@limit(240)
def test_pages_look_as_they_did(t: Context) -> None:
    path = python_session(t)
    for name, keys, wanted in PAGES:
        look_at(t, name, keys, wanted, ("report", "-i", path))


@limit(120)
def test_code_looks_as_it_did(t: Context) -> None:
    path = str(REPLAY / "archived_v1.data")
    for name, keys in (("code", ()), ("code_lines", ("l",)), ("code_instructions", ("s",)), ("code_plain", ("o",))):
        look_at(t, name, keys, "run", ("annotate", "run", "-i", path))


@limit(180)
def test_accesses_look_as_they_did(t: Context) -> None:
    """Functions by latency, cache lines, and who uses one: of two threads with a counter each in one line."""
    program = memory_model.compile_program(str(REPLAY.parent / "system" / "memory_program.c"), harness.CACHE)
    if not program:
        raise harness.Skip("a C compiler")
    path = t.path("counters.data")
    write_session(path, memory_model.make_model("two_counters", memory_model.Program(program), memory_model.THREADS_BY[0]))
    for name, keys, wanted in (("accesses", ("A",), "functions by latency"), ("accesses_lines", ("A", "c"), "cache lines by latency"),
                               ("accesses_uses", ("A", "c", "Enter"), "count_second_near")):
        look_at(t, name, keys, wanted, ("report", "-i", path))


# --- The same figures as in the text and the document ---


def rows_written(t: Context, screen: Screen, number: int) -> list[str]:
    screen.keys("P")
    screen.wait(f"written to wperf.hist.{number}")
    return pathlib.Path(t.path(f"wperf.hist.{number}")).read_text(encoding="utf-8").splitlines()


def test_figures_are_those_of_text_and_document(t: Context) -> None:
    path = python_session(t, times=7)
    text = t.good("report", "-i", path, "--sample-display-row", "1000")
    document = document_of(t.good("report", "-i", path, "--json"))
    tree = t.good("report", "-g", "-i", path, "--percent-limit", "0")
    with browse(t, "report", "-i", path) as screen:
        to_table(screen)
        table = [line.split(None, 2) for line in rows_written(t, screen, 1)]
        screen.keys("p")
        screen.wait("Python functions")
        python = [line.split(None, 3) for line in rows_written(t, screen, 2)]
        screen.keys("g", "E")
        screen.wait("call tree")
        nodes = rows_written(t, screen, 3)
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")
    printed = [[f"{row.share:.2f}", str(row.count), row.symbol] for row in harness.rows_of(text.out.split("Python functions")[0])]
    check(table == printed and len(table) == 4, f"the table's cells: {table} and {printed}")
    listed = [[f"{row['overhead']:.2f}", str(row["count"]), row["symbol"]]
              for row in document["sampling"]["events"][0]["samples"]]
    check(table == listed, f"the document's rows: {listed}")
    functions = [[f"{row['self_percent']:.2f}", str(row["self_count"]), f"{row['percent']:.2f}", row["label"]]
                 for row in document["python_functions"]]
    check(python == functions and len(python) == 6, f"rows of Python functions: {python} and {functions}")
    for share in (re.match(r" *(\d+\.\d\d) ", line) for line in nodes):
        check(share is not None and share[1] in tree.out, f"{share} in the text's tree\n{tree.out}")
    check(len(nodes) >= 8, f"nodes of the tree: {nodes}")


@limit(120)
def test_sort_opens_a_table_with_the_rows_of_the_text(t: Context) -> None:
    path = python_session(t)
    for number, keys in enumerate(("symbol,dso", "dso", "comm,cpu", "thread,symbol", "pid,tid", "addr", "line,python", "file"), 1):
        text = t.good("report", "-i", path, "--stdio", "--sort", keys).out
        printed = [line.split() for line in text.splitlines() if re.match(r" +\d+\.\d\d +\d+  ", line)]
        with browse(t, "report", "-i", path, "--sort", keys, columns=200) as screen:
            screen.wait("by overhead")
            rows = [line.split() for line in rows_written(t, screen, number)]
            screen.keys("q")
            check(screen.ended() == 0, "leaves with status 0")
        check(rows == printed and rows, f"{keys}: {rows} and {printed}")


def test_a_pattern_chooses_the_samples_of_a_table_by_other_keys(t: Context) -> None:
    path = python_session(t)
    with browse(t, "report", "-i", path, "--sort", "dso,tid", "-s", "^scan_") as screen:
        first = screen.wait("1 row by overhead", "_json.so")
        check("libpython.so" not in first, f"only the module of scan_once:\n{first}")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_a_table_by_other_keys_filters_and_sorts(t: Context) -> None:
    path = python_session(t)
    with browse(t, "report", "-i", path, "--sort", "dso,tid") as screen:
        first = screen.wait("2 modules by overhead", "libpython.so").splitlines()
        screen.keys("s")
        by_name = screen.wait("2 modules by module").splitlines()
        check(first[2:4] == by_name[3:1:-1], f"_json.so comes first:\n{first}\n{by_name}")
        screen.keys("s", "s", "a")
        screen.wait("this row has no function")
        screen.keys("Enter")
        screen.wait("show only samples in module libpython.so", "show only samples of thread 100")
        screen.keys("Enter")
        screen.wait("60 of 100 samples in libpython.so", "1 row by overhead")
        screen.keys("Enter", "Down", "Enter")
        screen.wait("of thread 100")
        screen.keys("g")
        screen.wait("call tree", "parse")
        screen.keys("Escape", "Escape")
        screen.wait("100 samples  2 modules")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_a_filter_without_samples_is_an_error_as_in_text(t: Context) -> None:
    path = python_session(t)
    for words, argv in (("no sample matches --comm nobody", ("--comm", "nobody")),
                        ("need Python frames", ("-i", str(REPLAY / "calls.data"), "--sort", "python"))):
        with browse(t, "report", *(argv if "-i" in argv else ("-i", path, *argv))) as screen:
            check(screen.ended() == 1, "fails")
            said = pathlib.Path(t.path("screen.err")).read_text(encoding="utf-8")
            check(words in said and said.count("\n") == 1, f"one sentence: {said}")


def test_annotate_without_a_name_shows_the_first_row(t: Context) -> None:
    with browse(t, "annotate", "-i", python_session(t)) as screen:
        screen.wait("parse [app.py:5]: 40 of 100 samples", "65.00     25      6  line_6()")
        screen.keys("Escape")
        shown = screen.wait("functions by self")
        check("parse [app.py:5]" in shown.splitlines()[2], f"it is the first row:\n{shown}")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_annotate_takes_a_python_file_or_a_function(t: Context) -> None:
    path = python_session(t)
    for word, wanted in (("app.py", "% file"), ("parse", "% func"), ("sorted_impl", "sorted_impl:libpython.so"),
                         ("nosuch", "no sample is in a function 'nosuch'")):
        with browse(t, "annotate", word, "-i", path) as screen:
            screen.wait(wanted, *(["line_6()"] if word in ("app.py", "parse") else []))
            if word != "nosuch":
                screen.keys("Escape")
            screen.wait("12 functions by self")
            screen.keys("q")
            check(screen.ended() == 0, "leaves with status 0")


def test_a_pattern_that_matches_nothing_says_so(t: Context) -> None:
    path = python_session(t)
    for python in "merged", "native":
        with browse(t, "report", "-s", "nosuch", "--python", python, "-i", path) as screen:
            screen.wait("0 functions by", "no function matches nosuch")
            screen.keys("q")
            check(screen.ended() == 0, "leaves with status 0")


def test_a_session_without_samples_says_why(t: Context) -> None:
    with browse(t, "report", "-i", python_session(t, 0)) as screen:
        screen.wait("0 samples  no samples", "no samples: nothing ran, or the event did not happen often enough")
        for key in "g", "f", "t", "p":
            screen.keys(key)
            screen.wait("there are no samples", "no samples: nothing ran")
            screen.keys("Home")
            screen.wait(without="there are no samples")
        screen.keys("i")
        screen.wait("quality:")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


# --- terminals ---


def test_size_changes_while_it_is_shown(t: Context) -> None:
    path = python_session(t)
    with browse(t, "report", "-i", path) as screen:
        wide = to_table(screen)
        screen.resize(40, 12)
        narrow = screen.wait("_PyEval")
        check(len(narrow.splitlines()) <= 12, f"it fits into 12 rows:\n{narrow}")
        screen.resize(1, 1)
        screen.resize(7, 2)
        time.sleep(0.3)
        screen.resize(80, 24)
        check(screen.wait("functions by overhead") == wide, "the same again")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_names_are_shortened_on_a_narrow_screen(t: Context) -> None:
    with browse(t, "report", "-i", python_session(t), columns=30, rows=12) as screen:
        screen.wait("? help")
        screen.keys("Escape")
        screen.wait("52.00")
        screen.keys("G")
        shown = screen.wait("40.00", without="overhead")
        rows = [line for line in shown.splitlines() if re.match(r" +\d+\.\d\d ", line)]
        check(rows and all("..." in row[20:] or len(row) < 30 for row in rows), f"no name is cut at the edge:\n{shown}")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_mouse_selects_and_wheel_scrolls(t: Context) -> None:
    path = python_session(t)
    with browse(t, "report", "-i", path) as screen:
        to_table(screen)
        screen.press(3, 20)
        screen.keys("Enter")
        screen.wait("actions for scan_once")
        screen.keys("Escape", "?")
        top = screen.wait("On every page")
        screen.send(b"\033[<65;10;10M" * 8)
        check(screen.wait("In a tree") != top, "the wheel scrolls")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_what_is_pasted_is_no_key(t: Context) -> None:
    path = python_session(t)
    with browse(t, "report", "-i", path) as screen:
        first = to_table(screen)
        screen.paste("qqq\nq")
        time.sleep(0.3)
        check(screen.wait() == first, "nothing happens")
        screen.keys("/")
        screen.paste("sorted")
        screen.wait("/sorted")
        screen.keys("Enter", "Enter")
        screen.wait("actions for sorted_impl")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def children_of(pid: int) -> list[int]:
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it(t: Context) -> None:
    path = python_session(t)
    with Screen(t, "sh", "-c", "exec bash --norc -i 2>&1") as screen:
        screen.wait("bash-")
        screen.call("send-keys", "-t", "screen", "-l", f"'{t.wperf}' report -i '{path}'")
        screen.keys("Enter")
        wanted = to_table(screen)
        screen.keys("C-z")
        screen.wait("Stopped")
        check(not screen.is_alternate(), "the alternate screen is left")
        screen.call("send-keys", "-t", "screen", "-l", "stty -a | grep -o '[-]*icanon'")
        screen.keys("Enter")
        screen.wait("\nicanon")
        screen.call("send-keys", "-t", "screen", "-l", "fg")
        screen.keys("Enter")
        check(screen.wait("functions by overhead") == wanted, "the same page again")
        screen.keys("q")
        screen.wait("bash-", without="functions by overhead")
        screen.call("send-keys", "-t", "screen", "-l", "exit")
        screen.keys("Enter")
        check(screen.ended() == 0, "leaves with status 0")


def end_by(t: Context, how: int) -> None:
    with browse(t, "report", "-i", python_session(t)) as screen:
        to_table(screen)
        os.kill(children_of(screen.pid())[0], how)
        status = screen.ended()
        check(status == 128 + how, f"it ends by signal {how}, not with {status}")


def test_terminal_is_restored_where_it_is_ended(t: Context) -> None:
    end_by(t, signal.SIGTERM)
    end_by(t, signal.SIGHUP)


@plain_build_only
def test_terminal_is_restored_where_it_crashes(t: Context) -> None:
    end_by(t, signal.SIGSEGV)


def test_ctrl_c_leaves(t: Context) -> None:
    with browse(t, "report", "-i", python_session(t)) as screen:
        to_table(screen)
        screen.keys("C-c")
        check(screen.ended() == 0, "leaves with status 0")


def test_a_closed_terminal_ends_it(t: Context) -> None:
    screen = browse(t, "report", "-i", python_session(t))
    to_table(screen)
    pid = children_of(screen.pid())[0]
    screen.close()
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the browser ends with its terminal")


def test_text_where_no_browser_is_wanted(t: Context) -> None:
    path = python_session(t)
    for variables, argv in ((({}), ("--stdio",)), ({}, ("-v",)), ({}, ("--csv",)), ({}, ("--json",)), ({}, ("--threads",)),
                            ({"TERM": "dumb"}, ())):
        with browse(t, "report", "-i", path, *argv) as screen:
            if variables:
                screen.close()
                continue
            screen.wait("status 0")
            check(not screen.is_alternate(), f"{argv}: text")
    done = t.run("script", "-qec", f"TERM=dumb {t.wperf} report -i {path}", "/dev/null")
    check("_PyEval_EvalFrameDefault" in done.out and "\033[?1049h" not in done.out, "text on a dumb terminal", done)


def test_no_colors_where_none_are_wanted(t: Context) -> None:
    path = python_session(t)
    colors = re.compile(r"\033\[(?:[0-9;]*;)?(?:3[0-7]|4[0-7]|38|48)[;m]")
    for variables, has_colors in (({"NO_COLOR": "1"}, False), ({}, True)):
        with browse(t, "report", "-i", path, **variables) as screen:
            to_table(screen)
            shown = screen.text(colors=True)
            check((colors.search(shown) is not None) == has_colors, f"colours with {variables}: {shown!r}")
            screen.keys("q")
            screen.ended()


# --- what it does ---


@limit(120)
def test_filters_by_module_thread_and_time(t: Context) -> None:
    path = python_session(t)
    with browse(t, "report", "-i", path, "--python", "native") as screen:
        screen.wait("100 samples  4 functions")
        screen.keys("Down", "d")
        screen.wait("40 of 100 samples in _json.so", "1 function by")
        screen.keys("d")
        screen.wait("100 samples  4 functions")
        screen.keys("t")
        screen.wait("over time")
        screen.keys("End", "Space", "Home", "w")
        screen.wait("100 samples from 0.000 s to 0.099 s")
        screen.keys("t")
        screen.wait("over time")
        screen.keys("Space", *["Right"] * 10, "Enter")
        shown = screen.wait("of thread python3 100", "from 0.000 s")
        check(0 < int(re.search(r"(\d+) of 100 samples", shown)[1]) < 100, f"some of the samples:\n{shown}")
        screen.keys("Escape")
        screen.wait("100 samples  4 functions")
        screen.keys("Escape")
        screen.wait("this is the first page; press q to quit")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_times_count_from_the_first_sample_of_the_session(t: Context) -> None:
    """Not from the first one that the filter takes: here 40 ms later."""
    with browse(t, "report", "-i", python_session(t), "--python", "native") as screen:
        screen.wait("4 functions")
        screen.keys("d")
        screen.wait("in libpython.so")
        screen.keys("t")
        screen.wait("over time", "0.040 s to 0.099 s")
        screen.keys("Escape", "d")
        screen.wait("4 functions")
        screen.keys("t")
        screen.wait("over time", "0.000 s to 0.099 s")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_python_modes(t: Context) -> None:
    path = python_session(t)
    with browse(t, "report", "-i", path) as screen:
        to_table(screen)
        for words in ("Python frames only", "native frames only", "all frames", "Python and native frames merged"):
            screen.keys("M")
            screen.wait(words)
        screen.keys("M")
        screen.wait("Python frames only")
        screen.keys("g")
        shown = screen.wait("call tree")
        check("<module>" in shown and "py_scan" not in shown, f"Python functions alone:\n{shown}")
        screen.keys("q")
        screen.ended()


def test_annotate_follows_calls_and_comes_back(t: Context) -> None:
    with browse(t, "annotate", "-i", str(REPLAY / "archived_v1.data")) as screen:
        screen.wait("samples  run", "jmpq")
        hottest = screen.text(colors=True)
        screen.keys("Tab")
        wait_until(lambda: screen.text(colors=True) != hottest, "the next hottest is another line")
        screen.keys("H")
        wait_until(lambda: screen.text(colors=True) == hottest, "the hottest")
        screen.keys("Tab")
        wait_until(lambda: screen.text(colors=True) != hottest, "the next hottest is another line")
        screen.keys("BTab")
        wait_until(lambda: screen.text(colors=True) == hottest, "back at the hottest")
        screen.keys("Escape")
        screen.wait("functions by overhead")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_letters_of_the_menu_do_what_they_name(t: Context) -> None:
    with browse(t, "report", "-i", python_session(t)) as screen:
        to_table(screen)
        for letter, wanted in (("x", "callees"), ("a", "_PyEval_EvalFrameDefault"), ("r", "callers of _PyEval"), ("t", "over time, by thread"),
                               ("d", "in libpython.so")):
            screen.keys("Enter")
            screen.wait("actions for _PyEval_EvalFrameDefault")
            screen.keys(letter)
            shown = screen.wait(wanted, without="actions for")
            if letter != "d":
                screen.keys("Escape")
                check("functions by overhead" in screen.wait("functions by overhead"), f"Esc leaves the page of {letter}, not the menu:\n{shown}")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_the_name_goes_to_the_clipboard(t: Context) -> None:
    """tmux takes what a program copies (OSC 52) as a buffer of its own."""
    with browse(t, "report", "-i", python_session(t)) as screen:
        screen.call("set-option", "-s", "set-clipboard", "on")
        to_table(screen)
        screen.keys("y")
        screen.wait("copied _PyEval_EvalFrameDefault")
        wait_until(lambda: "_PyEval" in screen.call("list-buffers"), "a buffer")
        check(screen.call("show-buffer") == "_PyEval_EvalFrameDefault", "the name")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_search_in_the_flame_graph_stops_at_the_largest(t: Context) -> None:
    with browse(t, "report", "-i", python_session(t)) as screen:
        screen.wait("functions by self")
        screen.keys("f", "/", *"pars", "Enter")
        screen.wait("% parse [app.py:5]")
        screen.keys("n")
        shown = screen.wait("in total")
        check(re.search(r"^\d+ frames? match(es)?, \d+\.\d\d % in total$", shown, re.M) is not None, f"the total:\n{shown}")
        screen.keys("/", "_", "Enter")
        shares = re.search(r"flame graph: (\d+\.\d\d) % (\S+)", screen.wait("in total"))
        screen.keys("n", "n", "N", "N")
        check(float(shares[1]) > 40, f"the largest first: {shares[0]}")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_search_finds_everywhere(t: Context) -> None:
    path = python_session(t)
    with browse(t, "report", "-i", path) as screen:
        to_table(screen)
        screen.keys("g", "C", "/", *"scan_once", "Enter")
        screen.wait("scan_once")
        screen.keys("Escape", "f", "/", *"py_scan", "Enter")
        screen.wait("flame graph: 40.00 % py_scan")
        screen.keys("/", *"nowhere", "Enter")
        screen.wait("no match for 'nowhere'")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


@limit(120)
def test_keys_typed_while_it_reads_are_not_lost(t: Context) -> None:
    """t reads the session again, with its samples one by one; the keys behind it come in the same write."""
    path = python_session(t, times=2000)
    for keys, words in ((b"tc", ("over time, by CPU",)), (b"t/q", ("over time, by thread", "/q")), (b"t\033x", ("callees",))):
        with browse(t, "report", "-i", path) as screen:
            to_table(screen)
            screen.send(keys)
            screen.wait(*words)
            screen.send(b"\033q")
            check(screen.ended() == 0, "leaves with status 0")
    with browse(t, "report", "-i", path) as screen:
        to_table(screen)
        screen.send(b"tcq")
        check(screen.ended() == 0, "q is not kept")


@limit(120)
def test_a_filter_changes_while_the_session_is_read(t: Context) -> None:
    """The table is shown when its rows are read; the keys behind it find the other thread reading stacks with the filter."""
    path = python_session(t, times=500)
    for argv, keys, shown in ((("--sort", "comm"), b"\r\r\033", "50000 samples  1 row"), (("--sort", "pid"), b"\r\r\033", "50000 samples  1 row"),
                              (("--python", "native"), b"dd", "50000 samples  4 functions")):
        with browse(t, "report", "-i", path, *argv) as screen:
            screen.wait(" by overhead", "? help")
            screen.send(keys)
            screen.wait(shown, "? help")
            screen.keys("g")
            screen.wait("100.00", "call tree")
            screen.keys("q")
            check(screen.ended() == 0, "leaves with status 0")


@limit(120)
def test_record_opens_it_on_what_was_recorded(t: Context) -> None:
    need_events()
    with browse(t, "record", "--tui", "-g", "--", t.program("spin"), "300") as screen:
        screen.wait("by overhead", "spin_here")
        screen.keys("q")
        status = screen.ended()
        check(status == 0, f"the command's status, not {status}")


def test_a_session_that_can_not_be_read_is_a_sentence(t: Context) -> None:
    for data, words in ((b"PERFILE2" + b"\xff" * 200, ""), (b"PERFILE2" + struct.pack("<Q", 16), "no events")):
        pathlib.Path(t.path("bad.data")).write_bytes(data)
        with browse(t, "report", "-i", t.path("bad.data")) as screen:
            check(screen.ended() == 1, "fails")
            said = pathlib.Path(t.path("screen.err")).read_text(encoding="utf-8")
            check(said.startswith("wperf: ") and said.count("\n") == 1 and words in said, f"one sentence: {said}")


# --- the questions of docs/browser.md ---

PHASES = """
#include <pthread.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static double begin;
#define PHASE(name, end) __attribute__((noinline)) void name(void) { while (now() < begin + end) for (volatile int i = 0; i < 1000; i++) ; }
PHASE(whole, 3) PHASE(first, 1) PHASE(second, 2) PHASE(third, 3)
static void *other(void *x) { first(); second(); third(); return x; }
int main(void) { pthread_t t; begin = now(); pthread_create(&t, 0, other, 0); whole(); pthread_join(t, 0); return 0; }
"""


EXPORTED = re.compile(r"^\S.*?\s+(\d+) \[\d+\]\s+(\d+)\.(\d{6}):\s+(\d+) ")


def check_order_of_time(t: Context, strips: dict) -> None:
    """The columns of a thread have the same times as `export`; times there are whole microseconds."""
    columns = {row["tid"]: [0] * len(row["columns"]) for row in strips["rows"]}
    exported = t.good("export", "--format", "perf-script", "-i", t.path("phases.data"))
    for line in exported.out.splitlines():
        match = EXPORTED.match(line)
        if match:
            time_ns = int(match[2]) * 10**9 + int(match[3]) * 1000
            part = max(0, time_ns - strips["from_ns"]) / (strips["to_ns"] - strips["from_ns"] + 1)
            columns[int(match[1])][int(part * len(columns[int(match[1])]))] += int(match[4])
    for row in strips["rows"]:
        theirs, ours, one = 0, 0, row["weight"] // row["count"]
        for wanted, got in zip(row["columns"], columns[row["tid"]]):
            theirs, ours = theirs + wanted, ours + got
            check(abs(theirs - ours) <= 2 * one, f"thread {row['tid']}: {row['columns']} and {columns[row['tid']]}")
        check(theirs == ours and theirs == row["weight"], "all samples")


@limit(120)
def test_what_a_thread_did_in_a_second(t: Context) -> None:
    need_events()
    pathlib.Path(t.path("phases.c")).write_text(PHASES, encoding="ascii")
    done = t.run(harness.need_tool("gcc"), "-g", "-O1", "-o", t.path("phases"), t.path("phases.c"), "-lpthread")
    check(done.status == 0, "the program", done)
    t.good("record", "-q", "-g", "--session", t.path("phases.data"), "--", t.path("phases"))
    document = document_of(t.good("report", "--threads", "--json", "-i", t.path("phases.data")))
    rows = document["strips"][0]["rows"]
    check(len(rows) == 2 and all(len(row["columns"]) == 60 and sum(row["columns"]) == row["weight"] for row in rows),
          f"two threads: {rows}")
    threads = [row["tid"] for row in rows]
    check_order_of_time(t, document["strips"][0])
    with browse(t, "report", "-i", t.path("phases.data")) as screen:
        screen.wait("functions by overhead")
        screen.keys("t")
        listed = screen.wait("over time, by thread")
        at = next(number for number, row in enumerate(rows) if row["tid"] != row["pid"])
        check(listed.splitlines()[2 + at].split()[2].endswith(f"/{threads[at]}"), f"the same order as in the document:\n{listed}")
        screen.keys(*["Down"] * at, "3", "Enter")
        shown = screen.wait(f"of thread phases {threads[at]}", "from 2.000 s to 3.000 s")
        check("third" in shown and "first" not in shown and "whole" not in shown, f"the third second alone:\n{shown}")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


def test_questions_take_few_keys(t: Context) -> None:
    path = python_session(t)
    for keys, words in ((("Escape", "a"), ("_PyEval_EvalFrameDefault",)),
                        (("/", "s", "c", "a", "Enter", "r"), ("callers of scan_once", "scan_once", "py_scan")),
                        (("x",), ("callers", "callees", "source lines")),
                        (("a",), ("line_6()", "62.50")),
                        (("p", "a"), ("line_6()", "62.50")),
                        (("t",), ("over time, by thread",)),
                        (("f",), ("flame graph", "scan_once")),
                        (("Down", "d"), ("40 of 100 samples in _json.so",)),
                        (("i",), ("quality: 100 samples", "2 native"))):
        check(len(keys) <= 6, "at most six keys")
        with browse(t, "report", "-i", path) as screen:
            screen.wait("functions by self")
            screen.keys(*keys)
            screen.wait(*words)
            screen.keys("q")
            check(screen.ended() == 0, "leaves with status 0")


# --- hostile names and slow terminals ---

# For the assembler: names that would clear the screen, set its title, be wide, combine, run backwards, end lines.
NAMES = (r"clear\033[2J\033[Hgone", r"title\033]0;owned\007", r"\346\261\211\345\255\227" * 30, r"e\314\201\314\202" * 20,
         r"\342\200\256backwards", r"two\rlines", r"c1\302\2332Jgone", "long_" * 100)


def hostile_program(t: Context) -> str:
    functions = "".join(
        f'''__attribute__((noinline)) static int f{number}(int n) asm("\\"{name}\\"");
static int f{number}(int n) {{ for (volatile int i = 0; i < 3000000; i++) n += i; return n; }}
''' for number, name in enumerate(NAMES))
    calls = "".join(f"n += f{number}(n);" for number in range(len(NAMES)))
    pathlib.Path(t.path("names.c")).write_text(
        f'''#include <sys/prctl.h>
{functions}
int main(void) {{ int n = 1; prctl(PR_SET_NAME, "\\033[2Jcomm"); for (int i = 0; i < 8; i++) {{ {calls} }} return n == 7; }}
''', encoding="utf-8")
    done = t.run(harness.need_tool("gcc"), "-O1", "-o", t.path("names"), t.path("names.c"))
    check(done.status == 0, "a program with such names", done)
    return t.path("names")


@limit(120)
def test_hostile_names_are_text(t: Context) -> None:
    need_events()
    path = t.path("names.data")
    t.good("record", "-q", "-g", "--session", path, "--", hostile_program(t))
    with browse(t, "report", "-i", path) as screen:
        title = screen.call("display-message", "-p", "-t", "screen", "#{pane_title}")
        for key, wanted in (("", "functions by overhead"), ("g", "call tree"), ("f", "flame graph"), ("t", "over time"),
                            ("Enter", "of thread"), ("x", "callees"), ("m", "actions for"), ("a", "asm")):
            if key not in ("", "a"):
                screen.keys(key)
            shown = screen.wait(wanted if key != "a" else "")
            lines = shown.splitlines()
            check(lines[0].startswith("cpu-clock") and "? help" in lines[-1], f"the frame stands:\n{shown}")
            check(not re.search("[\u202e\x00-\x09\x0b-\x1f\x80-\x9f]", shown), f"nothing drives the terminal: {shown!r}")
        screen.keys("Escape", "Escape", "Escape")
        table = screen.wait("by overhead")
        check(r"\x1b[2J" in table and r"\x0d" in table and r"\u202e" in table, f"names with their bytes:\n{table}")
        check(screen.call("display-message", "-p", "-t", "screen", "#{pane_title}") == title, "the title is not set")
        screen.keys("q")
        check(screen.ended() == 0, "leaves with status 0")


@limit(60 * len(random_keys.seeds()))
def test_random_keys_break_nothing(t: Context) -> None:
    """Each session is read by another thread again and again, while keys change what is shown of it."""
    path = python_session(t, times=20)
    for seed in random_keys.seeds():
        random_keys.type_at_random(t, seed, t.wperf, "report", "-i", path)


def test_a_slow_terminal_blocks_nothing(t: Context) -> None:
    """1,200 baud: 120 bytes a second."""
    path = python_session(t, times=50)
    ours, theirs = harness.open_terminal()
    process = t.start(t.wperf, "report", "-i", path, stdin=theirs, stdout=theirs, stderr=theirs,
                      env=harness.environment(TERM="xterm"))
    os.close(theirs)
    end, n = time.monotonic() + 1.5, 0
    while time.monotonic() < end:
        n += len(os.read(ours, 12))
        os.write(ours, b"\033[B")
        time.sleep(0.1)
    check(process.poll() is None and n < 400, f"{n} bytes of the first screen have come")
    # Nobody reads the terminal now: a program that waited for it would never end.
    os.write(ours, b"q")
    status = process.wait(harness.WAIT_SECONDS)
    os.close(ours)
    check(status == 0, f"q is answered: status {status}")


if __name__ == "__main__":
    harness.main(__name__)
