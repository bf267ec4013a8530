#!/usr/bin/python3
"""wperf stack: threads that wait in a known way, and what it says of them."""
import json
import os
import re
import signal
import socket
import subprocess

import harness
import pythons
import stacks_of
import test_schemas
from harness import Context, Skip, check
from stacks_of import document, functions, hanging, only, python, read, settle, text

NOBODY = 65534


# --- Of whom ---


def test_a_script_by_its_name(t: Context) -> None:
    process = python(t, "import time\nprint('ready')\ntime.sleep(60)\n", 1)
    reader = t.start("tail", "-f", t.path("hang.py"))
    shown = {one["pid"] for one in document(t, "--comm", "hang.py")["processes"]}
    check(process.pid in shown and reader.pid not in shown, f"{process.pid} and not {reader.pid} in {shown}")


# --- Locks ---


def check_deadlock(lines: list[str], tids: list[int]) -> None:
    named = re.match(r"DEADLOCK: ([\d, and]+) wait for each other's locks$", lines[1])
    check(named is not None and sorted(map(int, re.findall(r"\d+", named[1]))) == sorted(tids), f"the first lines: {lines[:2]}")


def test_deadlocks_of_mutexes(t: Context) -> None:
    for n in 2, 3, 7:
        process = hanging(t, "deadlock", str(n), n=n + 1)
        threads = read(t, process.pid)
        holders = [only(threads, name=f"holder-{i}") for i in range(n)]
        for i, holder in enumerate(holders):
            check(holder["owner"] == holders[(i + 1) % n]["tid"] and holder["deadlocked"] and holder["state"] == "lock",
                  f"{n}: {holder}")
            check({"take_next", "hold_and_take"} <= set(functions(holder)), f"its stack: {functions(holder)}")
        main = only(threads, tid=process.pid)
        check(main["what"] == f"waits for a thread to end: {holders[-1]['tid']}" and not main["deadlocked"], f"{main}")
        lines = text(t, str(process.pid))
        check_deadlock(lines, [holder["tid"] for holder in holders])
        check(lines[2].split()[:2] == [str(holders[0]["tid"]), "holder-0"], f"its threads come first: {lines[2]}")


def test_a_mutex_whose_owner_has_ended(t: Context) -> None:
    process = hanging(t, "gone")
    thread = only(read(t, process.pid), state="lock")
    check(re.fullmatch(r"waits for a mutex at 0x[0-9a-f]+, held by \d+, which has ended", thread["what"]), f"{thread}")


def test_a_mutex_that_is_taken_twice(t: Context) -> None:
    process = hanging(t, "stack", "mutex")
    thread, = read(t, process.pid)
    check(thread["owner"] == process.pid and thread["deadlocked"], f"{thread}")
    check(text(t, str(process.pid))[1] == f"DEADLOCK: {process.pid} waits for a lock that it has itself", "the first lines")


# The main thread has the GIL and wants a mutex, in C code; the thread that has it wants the GIL.
MIXED = """
import ctypes, threading
libc = ctypes.PyDLL(None)
mutex = ctypes.create_string_buffer(64)
has_mutex = threading.Event()
def take_mutex():
    libc.pthread_mutex_lock(mutex)
    has_mutex.set()
    while True:
        pass
threading.Thread(target=take_mutex, daemon=True).start()
has_mutex.wait()
print("ready")
libc.pthread_mutex_lock(mutex)
"""


def test_a_deadlock_of_a_mutex_and_the_gil(t: Context) -> None:
    process = python(t, MIXED)
    threads: list[dict] = []

    def is_found() -> bool:
        nonlocal threads
        threads = read(t, process.pid)
        return all(thread["deadlocked"] for thread in threads)

    harness.wait_until(is_found, "a deadlock")
    main, = (thread for thread in threads if thread["tid"] == process.pid)
    other, = (thread for thread in threads if thread["tid"] != process.pid)
    check(main["state"] == "lock" and main["owner"] == other["tid"] and main["what"].endswith(", holds the GIL"), f"{main}")
    check(other["state"] == "gil" and other["owner"] == main["tid"], f"{other}")


# Each has its own lock, and wants that of the other one.
RLOCKS = """
import threading
locks = [threading.RLock() for _ in range(2)]
both = threading.Barrier(3)
def transfer(i):
    with locks[i]:
        both.wait()
        with locks[1 - i]:
            pass
threads = [threading.Thread(target=transfer, args=(i,), daemon=True) for i in range(2)]
for thread in threads:
    thread.start()
both.wait()
print("ready")
threads[0].join()
"""


def check_rlocks(t: Context, program: str) -> None:
    process = python(t, RLOCKS, 3, program)
    shown = document(t, str(process.pid))
    threads = shown["processes"][0]["threads"]
    one, other = (thread for thread in threads if thread["deadlocked"])
    check(one["owner"] == other["tid"] and other["owner"] == one["tid"], f"{program}: {threads}")
    check(shown["deadlocks"] == [[one["tid"], other["tid"]]], f"{shown['deadlocks']}")
    for thread in one, other:
        check(re.match(r"waits for RLock 0x[0-9a-f]+, held by ", thread["what"]) and thread["state"] == "lock", f"{program}: {thread}")
        check(functions(thread)[-1] == "transfer" and thread["frames"][-1]["line"] == 8, f"{program}: {thread['frames']}")
    main = only(threads, tid=process.pid)
    check("Thread.join" in main["what"] or "join" in main["what"], f"{program}: {main['what']}")
    check_deadlock(text(t, str(process.pid)), [one["tid"], other["tid"]])


def test_a_deadlock_of_rlocks(t: Context) -> None:
    check_rlocks(t, "/usr/bin/python3")


# Eight threads work; one calls C code that keeps the GIL.
GIL = """
import ctypes, threading
keep = ctypes.PyDLL(None).sleep
def wait_for_it():
    while True:
        pass
for _ in range(4):
    threading.Thread(target=wait_for_it, daemon=True).start()
def hog():
    print("ready")
    keep(1000)
hog()
"""


def check_gil(t: Context, program: str) -> None:
    process = python(t, GIL, 0, program)
    threads: list[dict] = []

    def all_wait() -> bool:
        """Who waits for the GIL looks for it every 5 ms, and then runs for a moment."""
        nonlocal threads
        threads = read(t, process.pid)
        return sorted(thread["state"] for thread in threads) == ["gil"] * 4 + ["sleep"]

    harness.wait_until(all_wait, "the GIL is kept")
    holder = only(threads, tid=process.pid)
    check(holder["holds_gil"] and holder["what"] == "sleeps for 1000 s, holds the GIL", f"{program}: {holder}")
    check(functions(holder)[-2:] == ["hog", "<module>"], f"{program}: {functions(holder)}")
    for thread in threads:
        if thread is holder:
            continue
        check(thread["owner"] == process.pid and not thread["holds_gil"], f"{program}: {thread}")
        check(thread["what"] == f"waits for the GIL, held by {process.pid}", f"{program}: {thread['what']}")
        check(functions(thread)[-1] == "wait_for_it", f"{program}: {functions(thread)}")


def test_the_gil_and_who_holds_it(t: Context) -> None:
    check_gil(t, "/usr/bin/python3")


# --- Work ---

POOL = """
import concurrent.futures, threading
pool = concurrent.futures.ThreadPoolExecutor(64)
all_run = threading.Barrier(64)
list(pool.map(lambda _: all_run.wait(), range(64)))
print("ready")
threading.Event().wait()
"""


def test_a_pool_without_work_is_idle(t: Context) -> None:
    process = python(t, POOL, 65)
    threads = read(t, process.pid)
    idle = [thread for thread in threads if thread["state"] == "idle"]
    check(len(idle) == 64 and all("_worker" in thread["what"] for thread in idle), f"{[x['what'] for x in threads]}")
    only(threads, tid=process.pid, state="lock")
    lines = text(t, str(process.pid))
    check(sum("_worker" in line and "idle" in line for line in lines) == 1, f"{lines}")
    check(any(line.startswith("64 threads ") and "idle, waits for work in _worker" in line for line in lines), f"{lines}")


# One thread for each, with its name as that of the function.
WAITS = """
import concurrent.futures, queue, threading
def one(wait):
    threading.Thread(target=wait, daemon=True).start()
def event():
    threading.Event().wait()
def condition():
    it = threading.Condition()
    with it:
        it.wait()
def semaphore():
    threading.Semaphore(0).acquire()
def lock():
    it = threading.Lock()
    it.acquire()
    it.acquire()
def barrier():
    threading.Barrier(2).wait()
def get():
    queue.Queue().get()
def put():
    it = queue.Queue(1)
    it.put(1)
    it.put(2)
def result():
    concurrent.futures.Future().result()
def join():
    threading.main_thread().join()
for wait in event, condition, semaphore, lock, barrier, get, put, result, join:
    one(wait)
print("ready")
threading.Event().wait()
"""

# State, and the function that waits: before 3.11 without its class.
WAITED = {
    "event": ("lock", "Event.wait"),
    "condition": ("lock", "Condition.wait"),
    "semaphore": ("lock", "Semaphore.acquire"),
    "lock": ("lock", ""),
    "barrier": ("lock", "Barrier.wait"),
    "get": ("idle", "Queue.get"),
    "put": ("lock", "Queue.put"),
    "result": ("lock", "Future.result"),
    "join": ("lock", "Thread.join"),
}


def check_waits(t: Context, program: str) -> None:
    process = python(t, WAITS, 10, program)
    threads = {functions(thread)[-1]: thread for thread in read(t, process.pid)}
    for function, (state, waits) in WAITED.items():
        thread, name = threads[function], f"(?:{waits}|{waits.split('.')[-1]})"
        what = (rf"idle, waits for work in {name}" if state == "idle" else
                rf"waits in {name} \((?:Lock, )?no owner recorded\)" if waits else
                r"waits for Lock 0x[0-9a-f]+, no owner recorded")
        check(thread["state"] == state and re.fullmatch(what, thread["what"]), f"{program} {function}: {thread}")


def test_waits_of_python(t: Context) -> None:
    check_waits(t, "/usr/bin/python3")


# --- Every kind of call ---

# Of hangs_waits.c: the state, and what the first thread waits for.
LABELS = {
    "nanosleep": ("sleep", r"sleeps for \d+ s"),
    "usleep": ("sleep", r"sleeps for \d+ s"),
    "poll": ("idle", r"idle, in poll for local socket to this process itself"),
    "select": ("idle", r"idle, in select for local socket to this process itself"),
    "epoll": ("idle", r"idle, in epoll_wait for local socket to this process itself"),
    "read": ("network", r"reads local socket to this process itself"),
    "recv": ("network", r"receives from local socket to this process itself"),
    "accept": ("idle", r"idle, accepts at TCP listener 127\.0\.0\.1:\d+"),
    "pause": ("other", r"waits for a signal"),
    "mutex": ("lock", r"waits for a mutex at 0x[0-9a-f]+, held by \d+"),
    "cond": ("lock", r"waits for a condition"),
    "sem": ("lock", r"waits for a semaphore"),
    "signal": ("other", r"waits for a signal"),
    "flock": ("lock", r"waits for the lock of file .*/hangs.*"),
    "rwlock": ("lock", r"waits for a rwlock"),
    "barrier": ("lock", r"waits for a barrier"),
    "join": ("other", r"waits for a thread to end: \d+"),
    "once": ("lock", r"waits for an initialisation that another thread runs"),
    "semop": ("lock", r"waits for a System V semaphore"),
    "mq": ("other", r"waits for a message queue"),
    "fcntl": ("lock", r"waits for the lock of file /tmp/hangs-.*"),
    "suspend": ("other", r"waits for a signal"),
    "waitid": ("child", r"waits for any child"),
    "eventfd": ("other", r"reads \[eventfd\]"),
    "timerfd": ("sleep", r"reads \[timerfd\]"),
    "inotify": ("other", r"reads inotify"),
    "send": ("network", r"sends to local socket to this process itself"),
    "udp": ("network", r"receives from UDP 127\.0\.0\.1:\d+"),
    "connect": ("network", r"connects local socket"),
    "poll-nothing": ("sleep", r"sleeps in poll"),
    "futex": ("unknown", r"waits for a futex at 0x[0-9a-f]+"),
    "system": ("child", r"waits for process \d+ \(\w+\)"),
}


def test_every_kind_of_call(t: Context) -> None:
    n_cut = 0
    for program in "hangs", "hangs_fp":
        for way, (state, what) in LABELS.items():
            process = hanging(t, "stack", way, n=2 if way in ("join", "once") else 1, program=program)
            thread = only(read(t, process.pid), tid=process.pid)
            check(thread["state"] == state and re.fullmatch(what, thread["what"]), f"{program} {way}: {thread['state']} {thread['what']}")
            n_cut += thread["cut"]
            harness.kill_group(process)
    harness.note(f"{n_cut} of {2 * len(LABELS)} cut")


# --- Sockets, pipes, children ---


def test_a_listener_is_idle(t: Context) -> None:
    thread = only(read(t, hanging(t, "server").pid), state="idle")
    check(re.fullmatch(r"idle, in epoll_wait for TCP listener 127\.0\.0\.1:\d+", thread["what"]), f"{thread['what']}")


def test_a_server_that_was_asked_is_not_idle(t: Context) -> None:
    with socket.create_server(("127.0.0.1", 0)) as database:
        port = database.getsockname()[1]
        thread = only(read(t, hanging(t, "client", str(port)).pid), state="network")
        check(re.fullmatch(rf"waits in epoll_wait for TCP 127\.0\.0\.1:\d+ to 127\.0\.0\.1:{port}", thread["what"]),
              f"{thread['what']}")


def test_a_full_pipe(t: Context) -> None:
    process = hanging(t, "pipe")
    child, = harness.children_of(process.pid)
    thread = only(read(t, process.pid), state="pipe")
    check(thread["what"] == f"writes to pipe of process {child} (hangs)", f"{thread['what']}")
    check("full_pipe" in functions(thread), f"{functions(thread)}")


def test_the_other_end_of_a_pipe(t: Context) -> None:
    """Other readers are not at the other end, and a second descriptor of the same end does not make it an own pipe."""
    process = hanging(t, "shared-pipe")
    names = {name: pid for pid in harness.children_of(process.pid)
             for name in [open(f"/proc/{pid}/comm", encoding="utf-8").read().strip()]}
    thread = only(read(t, process.pid), state="pipe")
    check(thread["what"] == f"reads pipe of process {names['writer']} (writer)", f"{thread['what']}")


def test_a_named_pipe(t: Context) -> None:
    path = t.path("pipe")
    os.mkfifo(path)
    process = t.start("/bin/cat", path)
    harness.wait_until(lambda: any(thread["what"] == f"opens named pipe {path}, waits for its other end" for thread in read(t, process.pid)),
                       "it opens the pipe")
    check(only(read(t, process.pid), state="pipe")["name"] == "cat", "a pipe, and no file")
    with open(path, "wb"):
        harness.wait_until(lambda: any(thread["what"] == f"reads {path}" for thread in read(t, process.pid)), "it reads the pipe")
        check(only(read(t, process.pid), state="pipe")["name"] == "cat", "a pipe, and no file")


def test_a_child_that_does_not_end(t: Context) -> None:
    process = hanging(t, "child")
    child, = harness.children_of(process.pid)
    thread = only(read(t, process.pid), state="child")
    check(thread["what"] == f"waits for process {child} (hangs)", f"{thread['what']}")


def test_a_parent_of_vfork(t: Context) -> None:
    process = hanging(t, "vfork")
    check(stacks_of.threads_of(process.pid)[process.pid][0] == "D", "it is in state D")
    thread = only(read(t, process.pid), state="child")
    child, = harness.children_of(process.pid)
    check(thread["what"] == f"waits for a child of vfork process {child} (hangs)", f"{thread['what']}")
    wanted = ["__vfork", "vfork_parent"] if os.uname().machine == "x86_64" else ["__vfork"]
    check(functions(thread)[:len(wanted)] == wanted and functions(thread)[-1] in ("_start", "__vfork"), f"{functions(thread)}")


def test_sleep_and_a_stop_by_a_signal(t: Context) -> None:
    process = hanging(t, "stack", "nanosleep")
    check(only(read(t, process.pid), state="sleep")["what"] == "sleeps for 1000 s", "sleeps")
    process.send_signal(signal.SIGSTOP)
    harness.wait_until(lambda: stacks_of.threads_of(process.pid)[process.pid][0] == "T", "stopped")
    check(only(read(t, process.pid), state="sleep")["what"] == "sleeps for 1000 s (stopped by a signal)", "stopped")
    check(stacks_of.threads_of(process.pid)[process.pid][0] == "T", "it is stopped still")


def test_a_thread_that_was_stopped_on_a_cpu(t: Context) -> None:
    process = t.started_ready(t.program("hangs"), "spin")
    harness.wait_for_cpu(process.pid, 0.01)
    process.send_signal(signal.SIGSTOP)
    settle(process.pid, 1)
    thread, = read(t, process.pid)
    check(thread["state"] == "other" and thread["what"] == "stopped by a signal", f"{thread}")
    check("spin_here" in functions(thread), f"{functions(thread)}")


def test_a_frozen_control_group(t: Context) -> None:
    """Of either version, where it can be made."""
    harness.need_root()
    process = t.started_ready(t.program("hangs"), "spin")
    harness.wait_for_cpu(process.pid, 0.01)
    n = 0
    for folder, file, frozen, thawed in (("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED"),
                                         ("/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0"), ("/sys/fs/cgroup", "cgroup.freeze", "1", "0")):
        group = f"{folder}/wperf-test-{process.pid}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            if not os.path.exists(f"{group}/{file}"):
                continue
            write(f"{group}/cgroup.procs", str(process.pid))
            write(f"{group}/{file}", frozen)
            settle(process.pid, 1)
            thread, = read(t, process.pid)
            write(f"{group}/{file}", thawed)
            check(thread["state"] == "other" and thread["what"] == "frozen by its control group", f"{group}: {thread}")
            check(functions(thread)[0] == "spin_here", f"{functions(thread)}")
            harness.wait_for_cpu(process.pid, 0.01)
            write(f"{folder}/cgroup.procs", str(process.pid))
            n += 1
        finally:
            os.rmdir(group)
    if not n:
        raise Skip("a control group that can be frozen")


def write(path: str, text_of_it: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text_of_it)


# --- Threads that run ---


def test_a_running_thread_is_stopped_once(t: Context) -> None:
    process = t.started_ready(t.program("hangs"), "spin")
    harness.wait_for_cpu(process.pid, 0.01)
    # A thread that gets no CPU for a while is not waited for.
    lines: list[str] = []

    def stops() -> bool:
        nonlocal lines
        lines = text(t, str(process.pid))
        return "stopped for" in lines[0]

    harness.wait_until(stops, "it stops")
    check(re.search(r"  1 thread  read in [\d.]+ ms, 1 running thread stopped for \d+ us$", lines[0]), f"the heading: {lines[0]}")
    check(re.fullmatch(r"\d+ +(on CPU|runnable, waits for a CPU)", lines[1]) and [line.split()[0] for line in lines[2:5]] == ["spin_here", "spin", "main"], f"{lines}")
    harness.wait_for_cpu(process.pid, 0.01)
    check(stacks_of.threads_of(process.pid)[process.pid][0] == "R", "it goes on")


def test_nonblocking(t: Context) -> None:
    process = t.started_ready(t.program("hangs"), "spin")
    harness.wait_for_cpu(process.pid, 0.01)
    lines = text(t, "--nonblocking", str(process.pid))
    check("stopped" not in lines[0] and re.match(r"\d+ +(on CPU|runnable, waits for a CPU)$", lines[1]) and len(lines) == 2, f"{lines}")


def states_of(t: Context, processes: list[subprocess.Popen], *options: str) -> tuple[float, float]:
    """The share of the kernel's time in which the programs had a CPU, and the share of wperf's readings that say so."""
    def times() -> tuple[int, int]:
        counted = []
        for process in processes:
            with open(f"/proc/{process.pid}/schedstat", encoding="ascii") as file:
                counted.append(tuple(map(int, file.read().split()[:2])))
        return sum(ran for ran, _ in counted), sum(waited for _, waited in counted)

    states: list[str] = []
    before = times()
    for _ in range(8):
        shown = document(t, *options, *(str(process.pid) for process in processes))["processes"]
        states += [thread["state"] for process in shown for thread in process["threads"]]
    ran, waited = (after - first for first, after in zip(before, times()))
    check(set(states) <= {"on-cpu", "runnable"}, f"{states}")
    share, said = ran / (ran + waited), states.count("on-cpu") / len(states)
    harness.note(f"{len(processes)} programs {' '.join(options)}: on a CPU {share:.2f} of the time, {said:.2f} of {len(states)} readings")
    return share, said


def test_threads_that_wait_for_a_cpu(t: Context) -> None:
    """Eight programs on one CPU have it by turns. One that all others make room for has it nearly always."""
    processes = [t.started_ready(t.program("hangs"), "spin") for _ in range(8)]
    for process in processes:
        os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})
        harness.wait_for_cpu(process.pid, 0.01)
    for options in (), ("--nonblocking",):
        share, said = states_of(t, processes, *options)
        check(share < 0.2 and said < 0.5, f"{said} of the readings say on CPU, and the kernel {share}")
    for process in processes[1:]:
        process.kill()
        process.wait()
    try:
        os.setpriority(os.PRIO_PROCESS, processes[0].pid, -20)
    except PermissionError as why:
        raise Skip("the right to raise a priority") from why
    for options in (), ("--nonblocking",):
        share, said = states_of(t, processes[:1], *options)
        check(said > share - 0.4, f"{said} of the readings say on CPU, and the kernel {share}")


# --- Which threads ---


def test_another_namespace_of_pids(t: Context) -> None:
    """Owners have numbers of the program's own namespace, and are shown by those of this one."""
    harness.need_root()
    unshare = t.start(harness.need_tool("unshare"), "-pf", "--kill-child", t.program("hangs"), "deadlock", "2")
    if unshare.stdout.readline() != b"ready\n":
        raise Skip("namespaces of PIDs")
    pid, = harness.children_of(unshare.pid)
    settle(pid, 3)
    tids = sorted(set(stacks_of.threads_of(pid)) - {pid})
    check_deadlock(text(t, str(pid)), tids)
    check(sorted(thread["owner"] for thread in read(t, pid) if thread["deadlocked"]) == tids, "owners")


def test_repeated_readings(t: Context) -> None:
    process = hanging(t, "many", "5", n=6)
    threads = read(t, process.pid, "--repeat", "3", "--interval", "1ms")
    check(len(threads) == 6 and all(thread["readings_without_moving"] == 2 for thread in threads), f"{threads}")
    lines = text(t, "--repeat", "3", "--interval", "1ms", str(process.pid))
    check(lines[0].endswith("  3 readings") and all("; has not moved for 2 readings" in line for line in lines if "waits for" in line),
          f"{lines}")


MOVES = """
import time
print("ready")
while True:
    time.sleep(0.001)
"""


def test_a_thread_that_moves(t: Context) -> None:
    process = python(t, MOVES)
    for _ in range(20):
        threads = read(t, process.pid, "--repeat", "2", "--interval", "100ms")
        check(threads[0]["readings_without_moving"] == 0, f"{threads}")
        lines = text(t, "--repeat", "2", "--interval", "100ms", str(process.pid))
        if any("; has moved" in line for line in lines):
            return
    check(False, f"it has moved: {lines}")


def test_one_thread(t: Context) -> None:
    process = hanging(t, "deadlock", "3", n=4)
    whole = read(t, process.pid)
    one = only(whole, name="holder-1")
    for word in "holder-1", str(one["tid"]):
        shown = read(t, process.pid, "--thread", word)
        check(len(shown) == 1 and shown[0] == one, f"{shown}, of {one}")
    tids = [thread["tid"] for thread in whole if thread["tid"] != process.pid][:2]
    shown = document(t, *map(str, tids))["processes"]
    check([(p["pid"], [thread["tid"] for thread in p["threads"]]) for p in shown] == [(process.pid, tids)], f"{tids} alone: {shown}")
    for words in (str(tids[0]), str(process.pid)), (str(tids[0]), "--thread", "holder-1"):
        done = t.ours("stack", *words)
        check(done.status == 2, "a thread and something else", done)
        harness.check_sentence(done, f"{tids[0]}: threads of a process; write its PID and --thread {tids[0]}")
    done = t.ours("stack", "--thread", "nothing", str(process.pid))
    check(done.status == 1, "no such thread", done)
    harness.check_sentence(done, "no thread has the name or number 'nothing'")


def test_which_processes(t: Context) -> None:
    one, other = hanging(t, "child"), hanging(t, "gone")
    pids = {one.pid, other.pid}

    def shown(*argv: str) -> set[int]:
        return {process["pid"] for process in document(t, *argv)["processes"]}

    check(shown(str(one.pid), str(other.pid)) == pids and shown("-p", f"{one.pid},{other.pid}") == pids, "by number")
    check(shown(str(one.pid), "-p", str(one.pid)) == {one.pid}, "once")
    check(pids <= shown("--comm", "hangs"), "by name")
    check(pids <= shown("-a", "--nonblocking"), "all")


def test_other_words(t: Context) -> None:
    process = hanging(t, "child")
    for argv, words in ((["stack"], "stack needs a process"), (["stack", "nginx"], "write --comm nginx"),
                        (["stack", "-a", str(process.pid)], "cannot be used together"),
                        (["stack", "--comm", "x", "-a"], "cannot be used together"),
                        (["stack", "--comm", "no-such-name"], "no running process is called 'no-such-name'")):
        done = t.ours(*argv)
        check(done.status in (1, 2), str(argv), done)
        harness.check_sentence(done, words)


# --- Processes that can't be read ---


def test_processes_without_threads(t: Context) -> None:
    done = t.ours("stack", "4194303")
    check(done.status == 1, "no such process", done)
    harness.check_sentence(done, "there is no process 4194303")
    zombie = t.start("/bin/true")
    harness.wait_until(lambda: not stacks_of.threads_of(zombie.pid), "a zombie")
    done = t.ours("stack", str(zombie.pid))
    check(done.status == 1, "a zombie", done)
    harness.check_sentence(done, f"process {zombie.pid} has ended")


def test_a_kernel_thread(t: Context) -> None:
    if not os.path.exists("/proc/2/comm") or os.readlink("/proc/self") == "2" or os.path.exists("/proc/2/exe"):
        raise Skip("a kernel thread")
    done = t.ours("stack", "2")
    check(done.status == 2, "a kernel thread", done)
    harness.check_sentence(done, "process 2 is a kernel thread")


def test_a_process_without_its_first_thread(t: Context) -> None:
    process = t.started_ready(t.program("hangs"), "leaderless")
    harness.wait_until(lambda: len(stacks_of.threads_of(process.pid)) == 1, "the first thread has ended")
    settle(process.pid, 1)
    tid, = stacks_of.threads_of(process.pid)
    done = t.ours("stack", str(process.pid))
    check(done.status == 1, "without its first thread", done)
    harness.check_sentence(done, f"the first thread of process {process.pid} has ended", f"wperf stack {tid}")
    thread, = read(t, tid)
    check(thread["what"] == "waits for a signal" and "end_leader" in functions(thread), f"{thread}")


def test_processes_of_others(t: Context) -> None:
    harness.need_root()
    process = hanging(t, "child")
    done = t.ours("stack", str(process.pid), user=NOBODY)
    check(done.status == 1, "of another user", done)
    harness.check_sentence(done, f"process {process.pid} can't be read: it belongs to another user: sudo wperf")
    own = hanging(t, "deadlock", "2", n=3, user=NOBODY)
    check_deadlock(t.good("stack", str(own.pid), user=NOBODY).out.splitlines(), [x for x in stacks_of.threads_of(own.pid) if x != own.pid])
    done = t.ours("stack", "-p", f"{own.pid},{process.pid}", user=NOBODY)
    check(done.status == 0 and "1 process may not be read" in done.out.splitlines()[-1], "one of two", done)


def test_a_process_that_ends_meanwhile(t: Context) -> None:
    """Many come and go, and each reading ends with a table or a sentence."""
    ended = 0
    for i in range(12):
        process = hanging(t, "end-soon", stdin=subprocess.PIPE)
        reader = t.start(t.wperf, "stack", "--repeat", "20", "--interval", "20ms", str(process.pid))
        if i % 3:
            harness.wait_until(lambda: os.path.exists(f"/proc/{reader.pid}/exe"), "the reader runs")
        if i % 3 == 2:  # it sleeps between two readings
            harness.wait_until(lambda: reader.poll() is not None or stacks_of.threads_of(reader.pid).get(reader.pid, "?")[0] == "S", "it has read")
        process.stdin.write(b"x")
        process.stdin.flush()
        done = harness.finish(reader)
        if done.status:
            harness.check_sentence(done, str(process.pid))
            ended += 1
        else:
            check("hangs (" in done.out, "a table", done)
    harness.note(f"{ended} of 12 had ended before they were read")


# --- Output ---


@harness.limit(60)
def test_the_document(t: Context) -> None:
    processes = [hanging(t, "deadlock", "2", n=3), python(t, POOL, 65), t.started_ready(t.program("hangs"), "spin")]
    shown = document(t, "--repeat", "2", "--interval", "1ms", *(str(process.pid) for process in processes))
    complaints = test_schemas.complaints("stack", shown, "stack")
    check(not complaints, f"{complaints[:3]}")
    check(shown["readings"] == 2 and shown["refused_processes"] == 0 and len(shown["processes"]) == 3, f"{shown}")
    check([process["python"] is not None for process in shown["processes"]] == [False, True, False], "the version of Python")


def test_a_narrow_terminal(t: Context) -> None:
    process = hanging(t, "deadlock", "2", n=3)
    for columns in 40, 80:
        leader, follower = harness.open_terminal()
        with os.fdopen(leader, "rb", buffering=0) as screen:
            subprocess.run(["stty", "cols", str(columns)], stdin=follower, check=True)
            t.run(t.wperf, "stack", str(process.pid), stdout=follower)
            os.close(follower)
            shown = b""
            try:
                while chunk := screen.read(65536):
                    shown += chunk
            except OSError:
                pass  # the end of a terminal
        lines = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r", "").splitlines()
        check(any("DEADLOCK" in line for line in lines) and max(map(len, lines)) <= columns, f"{columns}: {lines}")


def test_options_of_frames(t: Context) -> None:
    process = python(t, RLOCKS, 3)
    lines = text(t, "--no-lines", str(process.pid))
    check(any(re.fullmatch(r" +transfer +hang\.py", line) for line in lines), f"{lines}")
    plain, verbose = text(t, str(process.pid)), text(t, "-v", str(process.pid))
    check(not any("libc" in line or "start_thread" in line for line in plain), f"{plain}")
    check(any("start_thread" in line or "libc" in line for line in verbose), f"{verbose}")
    natives = text(t, "--python", "native", str(process.pid))
    check(not any(re.match(r" +transfer", line) for line in natives), f"{natives}")


def test_a_dump_shows_the_readings(t: Context) -> None:
    t.good("record", "-q", "--wall", "-o", t.path("wall.data"), "--timeout", "1", "--", t.program("hangs"), "deadlock", "2")
    section = json.loads(t.good("dump", "--json", "-i", t.path("wall.data")).out)["features"]["WPERF_WAITS"]
    waits = [reading for reading in section["readings"] if reading["how"] == "still" and reading["state"] == "S"]
    check(len({reading["tid"] for reading in waits}) == 3 and all(reading["look_ns"] > 0 for reading in waits), f"{section}")


# --- Stacks of other builds ---

CHAIN = ["call_variable", "call_saving", "call_twice", "call_twice", "call_twice", "stack", "main"]
WAYS = ("nanosleep", "usleep", "poll", "select", "epoll", "read", "recv", "accept", "pause", "mutex", "cond", "sem", "signal", "flock")


def check_chains(t: Context, program: str) -> int:
    """The program's own functions, up to where the stack is cut."""
    cut = 0
    for way in WAYS:
        process = hanging(t, "stack", way, program=program)
        thread, = read(t, process.pid)
        own = [name for name in functions(thread) if name in CHAIN or name.startswith("wait_")]
        wanted = [f"wait_{way}", *CHAIN]
        check(own == wanted[:len(own)] and (thread["cut"] or len(own) == len(wanted)), f"{program} {way}: {functions(thread)}")
        cut += thread["cut"]
    harness.note(f"{program}: {cut} of {len(WAYS)} cut")
    return cut


def test_stacks_with_frame_pointers(t: Context) -> None:
    check_chains(t, "hangs_fp")


def test_stacks_without_frame_pointers(t: Context) -> None:
    check_chains(t, "hangs")


def test_stacks_of_a_static_program(t: Context) -> None:
    check_chains(t, "hangs_static")


def test_a_stripped_program(t: Context) -> None:
    process = hanging(t, "deadlock", "2", n=3, program="hangs_stripped")
    shown = document(t, str(process.pid))
    check(len(shown["deadlocks"]) == 1, f"{shown}")


# --- Other interpreters ---


@harness.limit(300)
def test_other_pythons(t: Context) -> None:
    """Each that is installed: locks, the GIL, and what waits."""
    for kind in pythons.installed():
        if kind in pythons.DEBIAN:
            continue
        program = pythons.find_python(kind)
        harness.note(program)
        check_rlocks(t, program)
        check_gil(t, program)
        check_waits(t, program)


if __name__ == "__main__":
    harness.main(__name__)
