"""What the tests of the guardian share: the process that traces a command's Python programs for the recorder.

The recorder starts the guardian, and the guardian starts the command, so that the guardian is the command's parent.
"""
import contextlib
import ctypes
import os
import re
import signal
import subprocess
import time

import harness
from harness import Context, check

PR_SET_CHILD_SUBREAPER = 36
ENGINE = "stop"  # of `tracing`; test_pace_harmless.py has another one

# For programs: lines of the kernel about the signals of the process, such as SigBlk.
SIGNALS = """
def signals(*names):
    with open("/proc/self/status") as file:
        return [line.strip() for line in file if line.split(":")[0] in names]
"""


# --- processes ---


def status_of(pid: int) -> dict[str, str]:
    """Empty if the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            return {name: value.strip() for name, _, value in (line.partition(":") for line in file)}
    except (FileNotFoundError, ProcessLookupError):
        return {}


def is_alive(pid: int) -> bool:
    return status_of(pid).get("State", "Z")[0] not in "ZX"


def descendants(pid: int) -> list[int]:
    found = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except FileNotFoundError:
        return []
    for task in tasks:
        try:
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                children = list(map(int, file.read().split()))
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def guardian_of(command: int, recorder: int) -> int:
    parent = int(status_of(command)["PPid"])
    check(parent != recorder, "the command's parent is the recorder itself: there is no guardian")
    grandparent = int(status_of(parent)["PPid"])
    check(grandparent == recorder, f"the guardian {parent} is a child of the recorder {recorder}, and not of {grandparent}")
    return parent


def set_subreaper(on: bool) -> None:
    check(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0, "prctl PR_SET_CHILD_SUBREAPER")


@contextlib.contextmanager
def adopting():
    """This process adopts descendants that lose their parent, and at the end ends those that are left."""
    set_subreaper(True)
    try:
        yield
    finally:
        set_subreaper(False)
        for pid in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name


def reap_all(seconds: float = harness.WAIT_SECONDS) -> list[str]:
    """How each process ended that this one adopted, when no child is left."""
    ends, limit = [], time.monotonic() + seconds
    while time.monotonic() < limit:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ends
        if pid:
            ends.append(ending(status))
        else:
            time.sleep(0.005)
    left = {pid: status_of(pid).get("State") for pid in descendants(os.getpid())}
    return [*ends, f"left after {seconds} s: {left}"]


def kill_recorder(recorder: subprocess.Popen) -> None:
    """As its parent; the process itself may be gone."""
    recorder.kill()
    recorder.wait()


# --- files by which a program and its test wait for each other ---

WAITING = """
import os, time
def wait_for(path, work=lambda: time.sleep(0.01)):
    while not os.path.exists(path):
        work()
def tell(path, text=""):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)
"""


def read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def wait_for_file(path: str, what: str) -> str:
    harness.wait_until(lambda: os.path.exists(path), what)
    return read(path)


def touch(path: str) -> None:
    with open(path, "w", encoding="utf-8"):
        pass


def tracing(t: Context, *argv: str, session: str = "wperf.data") -> list[str]:
    """The beginning of a command that records another at the default frequency. Without the leak sanitizer, which starts a process
    at the end of the recorder that would be adopted, too."""
    options = f"ASAN_OPTIONS={os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"
    return ["/usr/bin/env", options, t.wperf, "record", "-q", "-g", "--engine", ENGINE, "--session", t.path(session), "--", *argv]


def check_processes_before_threads(t: Context, engines: tuple[str, ...], *target: str) -> None:
    """What the first thread of a recorder creates: in a new process, locks that its other threads held would be held for ever."""
    trace = [harness.need_tool("strace"), "-o", t.path("calls"), "-e", "trace=clone,clone3,fork,vfork"]
    for engine in engines:
        for wall in [], ["--wall"]:
            done = t.run(*trace, t.wperf, "record", "-g", "--engine", engine, *wall, *target, env=harness.environment(ASAN_OPTIONS="detect_leaks=0"))
            calls = [line for line in read(t.path("calls")).splitlines() if re.match(r"(clone3?|v?fork)\(.* = \d+$", line)]
            created = ["thread" if "CLONE_THREAD" in line else "process" for line in calls]
            what = f"{engine} {wall} {target}: {created}"
            check("thread" in created or "can't be used here" in done.err, f"{what}: recorders have threads", done)
            check("thread" not in created or "process" not in created[created.index("thread"):], what, done)
