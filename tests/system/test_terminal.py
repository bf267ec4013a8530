#!/usr/bin/python3
"""Output on a terminal while wperf runs: progress is drawn only if no target writes to the terminal."""
import os
import re
import select
import signal
import sys
import time

import harness
from harness import Context, check, wait_for_events


class Terminal:
    """A pseudo-terminal with a program in its own session."""

    def __init__(self, t: Context, *argv: str):
        self.ours, theirs = harness.open_terminal()
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
        self.read(30, until="quality: ")
        self.read(1)
        self.process.wait(timeout=30)
        os.close(self.ours)
        return self.shown


def dots_in(text: str) -> list[str]:
    return re.findall(r"sampling|counting|\r\x1b\[K|^\.+$", text, re.MULTILINE)


def talk_to_python(t: Context, *command: str) -> None:
    terminal = Terminal(t, t.wperf, *command, "--", sys.executable, "-q", "-i")
    terminal.read(30, until=">>> ")
    terminal.read(2.5)
    terminal.type("1+1\n")
    answer = terminal.read(10, until="2\r\n>>> ")
    check("1+1\r\n2\r\n>>> " in answer, f"the answer stands alone: {answer!r}")
    check(not dots_in(terminal.shown), f"nothing is drawn: {terminal.shown!r}")
    check(terminal.shown.replace("\x1b[?2004h", "").lstrip().startswith(">>> "), f"from the beginning: {terminal.shown!r}")
    terminal.type("exit()\n")
    shown = terminal.end() if command[0] == "record" else finish(terminal)
    mark = "sampling" if command[0] == "record" else "counting ..."
    check(mark in shown, "the line comes when the program has ended")


def finish(terminal: Terminal) -> str:
    terminal.read(15, until="seconds time elapsed")
    terminal.process.wait(timeout=30)
    os.close(terminal.ours)
    return terminal.shown


def test_a_command_has_the_terminal_for_itself(t: Context) -> None:
    talk_to_python(t, "record")


def test_a_counted_command_too(t: Context) -> None:
    talk_to_python(t, "stat")


def test_a_process_that_runs_elsewhere_leaves_it_free(t: Context) -> None:
    target = t.started_ready(t.program("spin"), "60000")
    terminal = Terminal(t, t.wperf, "sample", "-p", str(target.pid), "--timeout", "3")
    shown = terminal.read(30, until="sampling .")
    check(re.search(r"sampling \.+", shown) is not None, f"a mark a second: {shown!r}")
    terminal.end()


def test_a_process_on_the_same_terminal_is_let_alone(t: Context) -> None:
    script = '"$2" 60000 & echo "target $!"; sleep 0.5; "$1" sample -p $! --timeout 3; kill $!'
    terminal = Terminal(t, "sh", "-c", script, "sh", t.wperf, t.program("spin"))
    shown = terminal.read(3)
    check("target" in shown and not dots_in(shown), f"nothing is drawn: {shown!r}")
    check("sampling" in terminal.end(), "the line comes at the end")


def test_ctrl_c_at_the_terminal(t: Context) -> None:
    terminal = Terminal(t, t.wperf, "record", "--", t.program("spin"), "60000")
    terminal.read(30, until="ready")
    wait_for_events(terminal.process.pid)
    os.killpg(terminal.process.pid, signal.SIGINT)
    check("Ctrl-C received, quit counting... done!" in terminal.end(), "its line")


if __name__ == "__main__":
    harness.main(__name__)
