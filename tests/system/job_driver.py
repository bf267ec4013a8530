#!/usr/bin/python3
"""Runs a command as a job on a terminal, as an interactive shell does, and prints what became of it.

Usage: job_driver.py FOLDER SCENARIO COMMAND...; a session leader without a terminal.  The driver has both ends of a
pseudo-terminal: it types keys at one end, and the other is the terminal of its session.  The command, or what it starts,
runs `job_program.py FOLDER`, which says what it does by files.
"""
import fcntl
import os
import signal
import sys
import termios
import time
from typing import Callable

SECONDS = 40

FOLDER, SCENARIO, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]


def say(*words: object) -> None:
    print(*words, flush=True)


def fail(what: str) -> None:
    say(f"not within {SECONDS} s: {what}; the terminal has {TERMINAL.text!r}")
    try:
        os.killpg(JOB.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    sys.exit(1)


class Terminal:
    """Both ends."""

    def __init__(self) -> None:
        self.keys, self.screen = os.openpty()
        self.text = ""
        fcntl.ioctl(self.screen, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.set_blocking(self.keys, False)

    def read(self) -> None:
        """Keeps the output from blocking the job."""
        try:
            self.text += os.read(self.keys, 4096).decode()
        except BlockingIOError:
            pass

    def type(self, text: bytes) -> None:
        os.write(self.keys, text)


class Job:
    """A process group whose leader is the command."""

    def __init__(self) -> None:
        begin, go = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.setpgid(0, 0)
            os.read(begin, 1)
            for number in signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGHUP:
                signal.signal(number, signal.SIG_DFL)
            for fd in range(3):
                os.dup2(TERMINAL.screen, fd)
            os.execvp(COMMAND[0], COMMAND)
        try:
            os.setpgid(self.pid, self.pid)
        except PermissionError:
            pass  # it runs by now, and has done this itself
        self.foreground()
        os.write(go, b"x")

    def foreground(self) -> None:
        os.tcsetpgrp(TERMINAL.screen, self.pid)

    def background(self) -> None:
        os.tcsetpgrp(TERMINAL.screen, os.getpgrp())

    def resume(self) -> None:
        os.killpg(self.pid, signal.SIGCONT)

    def next_change(self) -> str:
        """As a shell sees it: the leader's end or stop. A recorder has the exit status of its command, and 128 and its number for a
        signal."""
        limit = time.monotonic() + SECONDS
        while time.monotonic() < limit:
            TERMINAL.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                return f"stopped by {signal.Signals(os.WSTOPSIG(status)).name}"
            if pid:
                code = os.waitstatus_to_exitcode(status)
                return f"ended with {code if code >= 0 else 128 - code}"
            time.sleep(0.005)
        return fail("the job ends or stops")


def wait_for(name: str) -> str:
    limit = time.monotonic() + SECONDS
    while time.monotonic() < limit:
        TERMINAL.read()
        if os.path.exists(f"{FOLDER}/{name}"):
            with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
                return file.read()
        time.sleep(0.005)
    return fail(name)


def tell(name: str) -> None:
    with open(f"{FOLDER}/{name}", "w", encoding="utf-8"):
        pass


def state_of(pid: int) -> list[tuple[str, list[str]]]:
    """Of each thread: the state's letter; how often it has run. Empty if the process has ended."""
    states = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/status", encoding="utf-8") as file:
                lines = file.read().splitlines()
            letter = next(line.split()[1] for line in lines if line.startswith("State:"))
            states.append((letter, [line for line in lines if "ctxt_switches" in line]))
    except (FileNotFoundError, ProcessLookupError):
        pass
    return [state for state in states if state[0] not in "ZX"]


def is_stopped(pid: int) -> bool:
    """A tracer shows each of its short stops as `t`, too: a process that is stopped does not run between two looks."""
    before = state_of(pid)
    time.sleep(0.1)
    return bool(before) and all(letter in "Tt" for letter, _ in before) and state_of(pid) == before


def say_until(holds: Callable[[], bool], what: str) -> None:
    limit = time.monotonic() + SECONDS
    while not holds():
        TERMINAL.read()
        if time.monotonic() > limit:
            fail(what)
        time.sleep(0.005)
    say(what)


def say_gone(pid: int) -> None:
    say_until(lambda: not state_of(pid), "the program is gone")


def say_stopped(pid: int) -> None:
    say_until(lambda: is_stopped(pid), "the program is stopped")


def facts(_pid: int) -> None:
    say("facts", wait_for("facts"))
    tell("go")
    say(JOB.next_change())


def interrupt(_pid: int) -> None:
    """The program counts the signals, and is to get one.  The job's status is that of the recorder, which Ctrl-C ends, too."""
    TERMINAL.type(b"\x03")
    say("signals", wait_for("interrupted"))
    say(JOB.next_change().split()[0])


def end_by_key(pid: int) -> None:
    TERMINAL.type({"interrupt_by_default": b"\x03", "quit_by_default": b"\x1c"}[SCENARIO])
    say(JOB.next_change().split()[0])
    say_gone(pid)


def stop(pid: int) -> None:
    """Ctrl-Z and fg, three times."""
    for _ in range(3):
        TERMINAL.type(b"\x1a")
        say(JOB.next_change())
        JOB.background()
        say_stopped(pid)
        JOB.foreground()
        JOB.resume()
        say_until(lambda: not is_stopped(pid), "the program runs")
    tell("go")
    say(JOB.next_change())


def background(pid: int) -> None:
    """Ctrl-Z and bg; then the program reads the terminal, and fg."""
    TERMINAL.type(b"\x1a")
    say(JOB.next_change())
    JOB.background()
    say_stopped(pid)
    JOB.resume()
    tell("go")
    say(JOB.next_change())
    say_stopped(pid)
    JOB.foreground()
    JOB.resume()
    TERMINAL.type(b"typed\n")
    say("read", wait_for("read"))
    say(JOB.next_change())


def own_group(pid: int) -> None:
    """The program has made a process group of its own and sends itself SIGTSTP, which the kernel drops if no member of the group
    has a parent in another group of the session."""
    went_on = f"{FOLDER}/continued"
    say_until(lambda: is_stopped(pid) or os.path.exists(went_on), "the program stops or goes on")
    if not os.path.exists(went_on):
        os.kill(pid, signal.SIGCONT)
    say("continued", wait_for("continued"))
    # A shell sees the stop of a bare job, and a recorder does not stop with its command.
    change = JOB.next_change()
    say(JOB.next_change() if change.startswith("stopped") else change)


TERMINAL = Terminal()
JOB = Job()
globals().get(SCENARIO, end_by_key)(int(wait_for("ready")))
TERMINAL.read()
say("printed", [line for line in TERMINAL.text.splitlines() if "the program" in line])
