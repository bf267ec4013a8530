#!/usr/bin/python3
"""Output on a terminal: progress is drawn only if no target writes to the terminal, and the tables at the end are for people."""
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time

import harness
from harness import Context, Skip, check, document_of


LIMIT = 50  # of seconds; a test may take 60


class Terminal:
    """A pseudo-terminal with a program in its own session."""

    def __init__(self, t: Context, *argv: str, columns: int = 80):
        self.ours, theirs = harness.open_terminal()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        self.shown = ""
        self.process = t.start(*argv, stdin=theirs, stdout=theirs, stderr=theirs, env=harness.environment(TERM="dumb"))
        os.close(theirs)

    def read(self, seconds: float, until: str = "") -> str:
        """Reads output for some time, or until a text appears."""
        end = time.monotonic() + seconds
        new = ""
        while time.monotonic() < end and not (until and until in new):
            if not select.select([self.ours], [], [], 0.05)[0]:
                continue
            try:
                new += os.read(self.ours, 65536).decode(errors="replace")
            except OSError:
                break
        self.shown += new
        return new

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def end(self) -> str:
        """All output until no program has the terminal any longer."""
        self.read(LIMIT)
        self.process.wait(LIMIT)
        os.close(self.ours)
        return self.shown


def dots_in(text: str) -> list[str]:
    return re.findall(r"sampling|counting|\r\x1b\[K|^\.+$", text, re.MULTILINE)


def talk_to_python(t: Context, *command: str) -> None:
    terminal = Terminal(t, t.wperf, *command, "--", sys.executable, "-q", "-i")
    terminal.read(LIMIT, until=">>> ")
    terminal.read(2.5)
    terminal.type("1+1\n")
    answer = terminal.read(LIMIT, until="2\r\n>>> ")
    check("1+1\r\n2\r\n>>> " in answer, f"the answer stands alone: {answer!r}")
    check(not dots_in(terminal.shown), f"nothing is drawn: {terminal.shown!r}")
    check(terminal.shown.replace("\x1b[?2004h", "").lstrip().startswith(">>> "), f"from the beginning: {terminal.shown!r}")
    terminal.type("exit()\n")
    shown = terminal.end()
    mark = "wrote wperf.data" if command[0] == "record" else "counting ..."
    check(mark in shown, "the line comes when the program has ended")


def test_a_command_has_the_terminal_for_itself(t: Context) -> None:
    talk_to_python(t, "record")


def test_a_counted_command_too(t: Context) -> None:
    talk_to_python(t, "stat")


def test_a_process_that_runs_elsewhere_leaves_it_free(t: Context) -> None:
    target = t.started_ready(t.program("spin"), "60000")
    terminal = Terminal(t, t.wperf, "sample", "-p", str(target.pid), "--timeout", "60")
    shown = terminal.read(LIMIT, until="sampling .")
    check("sampling ." in shown and "done" not in shown, f"a mark while it runs: {shown!r}")
    terminal.process.send_signal(signal.SIGINT)
    check(re.search(r"sampling \.+\r\x1b\[K", terminal.end()) is not None, f"the marks are erased: {terminal.shown!r}")


def test_reading_is_told_after_a_second(t: Context) -> None:
    """Here of a session that comes late; nothing of it is left on the screen, and nothing is drawn in a pipe."""
    t.good("record", "-q", "--session", "x.data", "--", t.program("spin"), "100")
    late = '(sleep 2.5; cat x.data) | "$0" annotate --stdio -i - spin_here'
    terminal = Terminal(t, "sh", "-c", late, t.wperf)
    shown = terminal.end()
    drawn = re.findall(r"\rreading -, (\d+) s\x1b\[K", shown)
    check(drawn and drawn[0] == "1", f"from the first second on: {shown!r}")
    check("\r\x1b[K" in shown.rpartition("reading -")[2] and "spin_here" in shown, f"erased before the result: {shown!r}")
    done = t.run("sh", "-c", late, t.wperf)
    check(done.status == 0 and "reading" not in done.err, "nothing in a pipe", done)


def test_a_process_on_the_same_terminal_is_let_alone(t: Context) -> None:
    script = '"$2" 60000 & echo "target $!"; sleep 0.5; "$1" sample -p $! --timeout 3; kill $!'
    terminal = Terminal(t, "sh", "-c", script, "sh", t.wperf, t.program("spin"))
    shown = terminal.end()
    check("target" in shown and not dots_in(shown) and "wrote wperf.data" in shown, f"nothing is drawn but the tables at the end: {shown!r}")


def test_ctrl_c_at_the_terminal(t: Context) -> None:
    terminal = Terminal(t, t.wperf, "record", "--", t.program("spin"), "60000")
    terminal.read(LIMIT, until="ready")
    os.killpg(terminal.process.pid, signal.SIGINT)
    check(" s elapsed (Ctrl-C), " in terminal.end(), "the heading says so")


# --- the tables ---

WORK = """
import json
def inner(n):
    return sum(i * i for i in range(n))
def outer(n):
    for _ in range(n):
        inner(2000)
        json.dumps({str(k): k for k in range(300)}, indent=1)
outer(400)
"""
ROW = re.compile(r"^ *(\d+\.\d)  (?: *(\d+\.\d)|     )  (\S.*?)(?:  +(\S.*))?$")
PYTHON_HEAD = " self  total  Python function (% of samples; self includes its C)"


def shown_by(t: Context, *argv: str, columns: int = 80) -> list[str]:
    return Terminal(t, t.wperf, *argv, columns=columns).end().replace("\r", "").splitlines()


def rows_below(lines: list[str], head: str) -> list[tuple[float, str | None, str, str | None]]:
    """(self, total, name or number of others, place) of each row."""
    check(head in lines, f"{head!r} in {lines}")
    rows = []
    for line in lines[lines.index(head) + 1:]:
        match = ROW.match(line)
        if not match:
            break
        rows.append((float(match[1]), match[2], match[3], match[4]))
    return rows


def check_frame(lines: list[str], head: str) -> None:
    """The lines before and after the tables."""
    check(lines.index(head) <= 3 and " s elapsed, " in lines[1], f"at most three lines of heading: {lines}")
    check(lines[-2].startswith("wrote wperf.data; callers: wperf report"), f"the next command: {lines[-2]}")
    check(re.match(r"quality: (good|poor), .*\d+ samples", lines[-1]) is not None and ", 0 " not in lines[-1], f"the quality: {lines[-1]}")


def need_python_frames(t: Context) -> None:
    done = t.good("record", "--", "/usr/bin/python3", t.path("work.py"))
    if "python: " not in done.out:
        raise Skip("Python frames")


def test_python_comes_first(t: Context) -> None:
    with open(t.path("work.py"), "w", encoding="ascii") as file:
        file.write(WORK)
    need_python_frames(t)
    lines = shown_by(t, "record", "--", "/usr/bin/python3", t.path("work.py"))
    check(re.match(r"\S+ \d+ Hz, user code; Python 3\.\d+ and native stacks$", lines[0]) is not None, f"what was measured: {lines[0]}")
    check_frame(lines, PYTHON_HEAD)
    python, native = rows_below(lines, PYTHON_HEAD), rows_below(lines, " self         native function")
    functions = [row for row in python if row[3]]
    check(len(functions) <= 20 and len([row for row in native if row[3]]) <= 10, f"20 and 10 rows: {python} {native}")
    for rows in python, native:
        check(abs(sum(row[0] for row in rows) - 100) <= 0.05 * len(rows) + 0.01, f"all samples: {rows}")
    document = document_of(t.good("report", "--json"))["python_functions"]
    named = [(f"{row['self_percent']:.1f}", f"{row['percent']:.1f}", row["function"]) for row in document]
    check(len(functions) == min(20, len(named)), f"20 rows: {functions}")
    for row, wanted in zip(functions, named):
        check((f"{row[0]:.1f}", row[1]) == wanted[:2] and (row[2] == wanted[2] or "..." in row[2]), f"the document's figures: {row} {wanted}")
    check(all(len(line) <= 80 for line in lines[:-1]), f"80 columns: {lines}")
    check(any(row[2] == "inner.<locals>.<genexpr>" and row[3] == "work.py:4" for row in functions), f"{functions}")


def test_native_functions_alone(t: Context) -> None:
    for options, head, stacks in (((), " self         function (% of samples)", "native stacks"),
                                  (("-e", "cpu-clock,task-clock"), " self         function (% of cpu-clock)", "native stacks")):
        lines = shown_by(t, "record", *options, "--", t.program("spin"), "300")[1:]
        check_frame(lines, head)
        rows = rows_below(lines, head)
        check(lines[0].endswith("; " + stacks) and rows[0][2:] == ("spin_here", "spin") and rows[0][1] is None, f"{lines}")
    lines = shown_by(t, "record", "--no-stacks", "--", t.program("spin"), "300")
    check(lines[1].endswith("; no stacks") and lines[-2].startswith("wrote wperf.data; more: wperf report"), f"{lines}")


def test_a_narrow_terminal_loses_modules_first(t: Context) -> None:
    lines = shown_by(t, "record", "--", t.program("spin"), "300", columns=30)[1:]
    rows = rows_below(lines, " self         function")
    check(rows[0][2:] == ("spin_here", None), f"no module: {rows}")
    check(lines[0].endswith("... (-v)") and all(len(line) <= 30 for line in lines[:-2]), f"30 columns: {lines}")


def test_windowsperf_tables_where_they_are_asked_for(t: Context) -> None:
    command = ("--", t.program("spin"), "300")
    piped = t.good("record", *command).out
    check("top 50 hot functions" in piped and "quality: " in piped.splitlines()[-1] and ", 0 lost" in piped, "in a pipe")
    for options in ("-c", "0"), ("--sample-display-row", "7"), ("--pe_file", t.program("spin")), ("-v",), ("--annotate",):
        lines = shown_by(t, "record", *options, *command)
        check(any("======================== sample source: " in line for line in lines), f"with {options}: {lines}")


if __name__ == "__main__":
    harness.main(__name__)
