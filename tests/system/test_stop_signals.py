#!/usr/bin/python3
"""--engine stop and signals: programs that block, wait for, handle or send SIGTRAP do what they do without a recorder."""
import os
import re
import signal
import subprocess

import guardian
import harness
from guardian import SIGNALS, WAITING
from harness import Context, Done, Skip, check
from test_attach import python_of
from test_stop_harmless import BURN, PYTHON, need_engine, outcome, recorded, script

HEADING = "threads that block SIGTRAP, stopped at random moments instead: "


def same_outcome(t: Context, name: str, text: str, wanted: str, before: tuple[str, ...] = ()) -> None:
    """The bare run must print what is wanted, so that a program that does nothing is not taken for a right one."""
    need_engine(t)
    path = script(t, name, text)
    bare = outcome(t, *before, PYTHON, path)
    check(wanted in bare, f"without a recorder: {bare}")
    ours = outcome(t, *recorded(t, *before, PYTHON, path))
    check(ours == bare, f"--- {name}: without a recorder\n{bare}\n--- with it\n{ours}")


def starts_unharmed(t: Context, name: str, text: str, wanted: str) -> None:
    """With TRIALS=1000 one start may differ: in a short time before wperf has seen that the signal is blocked."""
    n = int(os.environ.get("TRIALS", "4"))
    need_engine(t)
    path = script(t, name, text)
    bare = outcome(t, PYTHON, path)
    check(wanted in bare, f"without a recorder: {bare}")
    ends = [outcome(t, *recorded(t, PYTHON, path)) for _ in range(n)]
    wrong = [end for end in ends if end != bare]
    harness.note(f"{len(wrong)} of {n} starts differ")
    check(len(wrong) <= n // 1000, f"{len(wrong)} of {n} differ\n--- without a recorder\n{bare}\n--- with it\n{''.join(wrong[:1])[:800]}")


# --- programs that block all signals and wait for those that come ---

# One thread waits, and others work; each signal is sent when the last one was seen.
WAITER = BURN + """
import os, signal, sys, threading
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
seen = threading.Event()
def watch():
    while True:
        number = signal.sigwait(signal.valid_signals())
        print(signal.Signals(number).name, flush=True)
        if number == signal.SIGHUP:
            os._exit(4)
        if number not in (signal.SIGUSR1, signal.SIGWINCH):
            os._exit(1)
        burn(0.005)
        seen.set()
for _ in range(2):
    threading.Thread(target=burn, args=(0.2,), daemon=True).start()
threading.Thread(target=watch).start()
for number in [signal.SIGUSR1, signal.SIGWINCH] * 8:
    seen.clear()
    os.kill(os.getpid(), number)
    burn(0.01)
    seen.wait()
burn(0.05)
os.kill(os.getpid(), signal.SIGHUP)
"""

DAEMON = BURN + """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
for i in range(40):
    burn(0.008)
    if i % 10 == 3:
        os.kill(os.getpid(), signal.SIGUSR2)
    got = signal.sigtimedwait(signal.valid_signals(), 0)
    if got:
        print(i, signal.Signals(got.si_signo).name, got.si_pid == os.getpid())
"""

# A selector with a signalfd, as servers have it.
SELECTS = BURN + """
import ctypes, os, selectors, signal
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
everything = (ctypes.c_ulong * 16)(*[2 ** 64 - 1] * 16)
fd = ctypes.CDLL(None).signalfd(-1, everything, os.O_NONBLOCK)
selector = selectors.DefaultSelector()
selector.register(fd, selectors.EVENT_READ)
for i in range(30):
    burn(0.01)
    if i % 7 == 5:
        os.kill(os.getpid(), signal.SIGTERM)
    while selector.select(0):
        for key, _ in selector.select(0):
            told = os.read(key.fd, 128)
            print(i, signal.Signals(told[0]).name)
print("end")
"""


@harness.limit(14000)
def test_a_thread_in_sigwait(t: Context) -> None:
    starts_unharmed(t, "waits.py", WAITER, "SIGWINCH\nSIGHUP\nstatus 4")


@harness.limit(14000)
def test_a_loop_with_sigtimedwait(t: Context) -> None:
    starts_unharmed(t, "loops.py", DAEMON, "33 SIGUSR2 True\nstatus 0")


@harness.limit(14000)
def test_a_selector_with_a_signalfd(t: Context) -> None:
    starts_unharmed(t, "selects.py", SELECTS, "26 SIGTERM\nend\nstatus 0")


# It has run for some time when it blocks them.
LATE = BURN + """
import signal
for i in range(8):
    burn(0.05)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    burn(0.02)
    print(i, signal.sigtimedwait(signal.valid_signals(), 0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
"""


@harness.limit(14000)
def test_a_busy_thread_that_blocks_signals_later(t: Context) -> None:
    starts_unharmed(t, "later.py", LATE, "7 None\nstatus 0")


# --- SIGTRAP that is blocked when the program starts ---

UNBLOCKS = BURN + WAITING + """
import signal, sys, threading
folder = sys.argv[1]
burn(0.1)
tell(folder + "/pid", str(os.getpid()))
thread = threading.Thread(target=burn, args=(0.1,))
thread.start()
wait_for(folder + "/go", lambda: burn(0.01))
thread.join()
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTRAP])
burn(0.1)
tell(folder + "/end")
sys.exit(7)
"""


def blocking() -> tuple[str, ...]:
    env = harness.need_tool("env")
    if subprocess.run([env, "--block-signal=TRAP", "true"], capture_output=True, check=False).returncode:
        raise Skip("env --block-signal")
    return env, "--block-signal=TRAP"


def test_a_blocked_signal_when_the_recorder_is_killed(t: Context) -> None:
    need_engine(t)
    path, before = script(t, "unblocks.py", UNBLOCKS), blocking()
    for number in range(3):
        folder = t.path(str(number))
        os.mkdir(folder)
        with guardian.adopting():
            recorder = t.start(*guardian.tracing(t, *before, PYTHON, path, folder, session=f"{number}.data"))
            guardian.wait_for_file(folder + "/pid", "the program works")
            guardian.kill_recorder(recorder)
            guardian.touch(folder + "/go")
            ends = guardian.reap_all()
        check(os.path.exists(folder + "/end") and ends == ["exit 7"], f"it unblocks SIGTRAP and lives: {ends}")


# One of its own waits in its queue.
OWN_WAITS = BURN + WAITING + """
import ctypes, signal, sys
folder = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTRAP])
signal.raise_signal(signal.SIGTRAP)
burn(0.2)
tell(folder + "/pid", str(os.getpid()))
wait_for(folder + "/go", lambda: burn(0.01))
events = ctypes.create_string_buffer(64)
fd = libc.epoll_create1(0)
waits = [(libc.epoll_wait(fd, events, 1, 150), ctypes.get_errno()) for _ in range(4)]
got = signal.sigtimedwait([signal.SIGTRAP], 0)
tell(folder + "/end", repr((waits, got and (got.si_code, got.si_pid == os.getpid()), signal.sigpending())))
sys.exit(7)
"""


def test_an_own_signal_that_waits_stays(t: Context) -> None:
    """It is not the event's, so nobody may take it out, or stop the thread for it again and again."""
    need_engine(t)
    path, said = script(t, "own_waits.py", OWN_WAITS), []
    for name in "bare", "kept", "killed":
        folder = t.path(name)
        os.mkdir(folder)
        with guardian.adopting():
            prefix = [] if name == "bare" else guardian.tracing(t, session=name + ".data")
            process = t.start(*prefix, PYTHON, path, folder)
            guardian.wait_for_file(folder + "/pid", "the program works")
            if name == "killed":
                guardian.kill_recorder(process)
            guardian.touch(folder + "/go")
            ends = guardian.reap_all() if name == "killed" else [f"exit {process.wait(harness.WAIT_SECONDS)}"]
        check(ends == ["exit 7"], f"{name}: it ends as it would: {ends}")
        said.append(guardian.read(folder + "/end"))
    check(said[1] == said[0] and said[2] == said[0] and "(0, 0)" in said[0], f"bare {said[0]}, recorded {said[1]}, recorder killed {said[2]}")


def test_a_blocked_signal_is_not_left_pending(t: Context) -> None:
    same_outcome(t, "pends.py", BURN + SIGNALS + """
import signal
burn(0.3)
print(sorted(signal.sigpending()), signals("SigPnd", "ShdPnd", "SigBlk", "SigIgn"))
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTRAP])
burn(0.1)
print(sorted(signal.sigpending()), signals("SigPnd", "ShdPnd", "SigBlk", "SigIgn"))
raise SystemExit(6)
""", "status 6", blocking())


def test_a_signal_that_is_blocked_now_and_then(t: Context) -> None:
    """By the main thread and by one that starts with it blocked, as the signal state of libraries is."""
    same_outcome(t, "now_and_then.py", BURN + SIGNALS + """
import signal, threading
left = set()
def work():
    for _ in range(60):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTRAP])
        burn(0.001)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTRAP])
        burn(0.001)
        left.update(signals("ShdPnd"), signal.sigpending())
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTRAP])
threads = [threading.Thread(target=work) for _ in range(2)]
[thread.start() for thread in threads]
work()
[thread.join() for thread in threads]
print(sorted(left), signals("SigBlk", "SigIgn"))
""", "status 0")


# --- the report of threads that block it ---

# Threads have names, so that the report can tell them apart; each works in C functions of the interpreter.
NAMED = BURN + """
import os, resource, signal, threading
def work(name, blocked):
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as file:
        file.write(name)
    if blocked:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTRAP])
    before = resource.getrusage(resource.RUSAGE_THREAD)
    burn(0.5)
    after = resource.getrusage(resource.RUSAGE_THREAD)
    switches = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw
    says = f"usage {name} {after.ru_utime - before.ru_utime} {after.ru_stime - before.ru_stime} {switches}\\n"
    os.write(1, says.encode())
threads = [threading.Thread(target=work, args=row) for row in (("blocks-one", True), ("blocks-two", True), ("open-one", False))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def usage_said(done: Done, name: str) -> harness.Usage:
    user, kernel, switches = re.search(rf"^usage {name} ([\d.e-]+) ([\d.e-]+) (\d+)$", done.out, re.M).groups()
    return harness.Usage(float(user), float(kernel), int(switches))


def test_the_report_of_threads_that_block_it(t: Context) -> None:
    need_engine(t)
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--", PYTHON, script(t, "named.py", NAMED))
    check(HEADING + "2" in done.out, "the heading counts the threads", done)
    threads = t.good("report", "--sort", "comm")
    names = "blocks-one", "blocks-two", "open-one"
    used = {name: usage_said(done, name).total() for name in names}
    for name in names:
        share = harness.row_named(threads, name).share
        # Their samples are fewer, and stand for more time.
        check(abs(share - 100 * used[name] / sum(used.values())) < 12, f"{name}: {share} % of the samples, {used}", threads)
    merged, n = python_of(done)
    check(merged >= 0.97 * n - 9, f"{merged} of {n} have Python functions", done)
    one = t.good("report", "--comms", "blocks-one", "-g", "--python", "only")
    check(re.search(r"^ +[\d.]+ +(9\d|100)\.\d+ +\d+  burn \[", one.out, re.M) is not None, "its functions", one)


# --- SIGTRAPs of the program's own ---

SENDS = """
    signal.raise_signal(signal.SIGTRAP)
    burn(0.003)
    os.kill(os.getpid(), signal.SIGTRAP)
    burn(0.003)
"""


def test_a_handler_for_own_signals(t: Context) -> None:
    """Each is handled once, and has the sender that it has without a recorder."""
    same_outcome(t, "handles.py", BURN + SIGNALS + f"""
import os, signal
count = 0
def handle(number, frame):
    global count
    count += 1
signal.signal(signal.SIGTRAP, handle)
for _ in range(37):{SENDS}
print("handled", count, signals("SigBlk", "SigIgn", "SigCgt", "SigPnd", "ShdPnd"))
signal.signal(signal.SIGTRAP, signal.SIG_DFL)
burn(0.1)
print("default", signals("SigIgn", "SigCgt"))
""", "handled 74")


def test_a_handler_for_signals_to_a_thread(t: Context) -> None:
    same_outcome(t, "thread.py", BURN + """
import signal, threading
count = 0
def handle(number, frame):
    global count
    count += 1
signal.signal(signal.SIGTRAP, handle)
worker = threading.Thread(target=burn, args=(0.4,))
worker.start()
for i in range(1, 24):
    signal.pthread_kill(worker.ident, signal.SIGTRAP)
    while count < i:
        burn(0.001)
worker.join()
print("handled", count)
""", "handled 23")


def test_own_signals_that_are_ignored(t: Context) -> None:
    same_outcome(t, "ignores.py", BURN + SIGNALS + f"""
import os, signal, subprocess, sys
signal.signal(signal.SIGTRAP, signal.SIG_IGN)
for _ in range(15):{SENDS}
print(signals("SigIgn", "SigPnd", "ShdPnd"), flush=True)
subprocess.run([sys.executable, "-S", "-c", "import os; os.kill(os.getpid(), 5); print('alive')"])
raise SystemExit(9)
""", "alive\nstatus 9")


def test_own_signals_that_end_the_program(t: Context) -> None:
    """A shell in between tells which signal it was; its number is the recorder's status otherwise."""
    ways = {"raise": "signal.raise_signal(signal.SIGTRAP)", "kill": "os.kill(os.getpid(), signal.SIGTRAP)"}
    for name, way in ways.items():
        path = script(t, name + ".py", BURN + f"import os, signal\nburn(0.05)\nprint('before', flush=True)\n{way}\nburn(0.05)\nprint('after')\n")
        same_outcome(t, name + "_child.py", f"""
import subprocess, sys
print(subprocess.run([sys.executable, {path!r}]).returncode)
raise SystemExit(3)
""", f"before\n{-signal.SIGTRAP}\nstatus 3")
        ours = outcome(t, *recorded(t, PYTHON, path))
        check(ours == f"before\nstatus {128 + signal.SIGTRAP}", f"the recorder's own status: {ours}")


def test_a_child_that_another_process_ends(t: Context) -> None:
    """SIGTRAP from outside is the program's own, too."""
    same_outcome(t, "outside.py", BURN + """
import os, signal, time
child = os.fork()
if not child:
    burn(10)
    os._exit(1)
burn(0.05)
os.kill(child, signal.SIGTRAP)
print(os.waitpid(child, 0)[1] & 127)
""", "5\nstatus 0")


if __name__ == "__main__":
    harness.main(__name__)
