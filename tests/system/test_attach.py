#!/usr/bin/python3
"""Programs that run already: Python frames of processes that wperf did not start, and no effect on them.

With TRIALS=N, a server of several threads lives through N recorders that are killed while they attach, sample and
detach, and the record of waits is compared with recorders that come and go.
"""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import threading
import time

import guardian
import harness
from harness import Context, Done, check
from test_stop_harmless import PYTHON, need_engine, script
from test_waits import differing, run_waits

BURN = """
import os, sys, threading, time

def inner(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

def outer(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        inner(3000)
"""

FOREVER = BURN + """
def loop():
    while True:
        outer(1)
for _ in range(int(sys.argv[1])):
    threading.Thread(target=loop, daemon=True).start()
print("ready", flush=True)
loop()
"""


def tracer_of(pid: int) -> int:
    return int(guardian.status_of(pid).get("TracerPid", "0"))


def wait_until_traced(pid: int) -> None:
    harness.wait_until(lambda: tracer_of(pid) != 0, f"process {pid} to be traced")


def attach(t: Context, *argv: str) -> subprocess.Popen:
    return t.start(t.wperf, "record", "-g", "--engine", "stop", "-F", "999", *argv)


def sampled_for(t: Context, seconds: float, pid: int, *argv: str) -> Done:
    """Attaches until the process has used this CPU time as a traced one."""
    recorder = attach(t, *argv)
    wait_until_traced(pid)
    harness.wait_for_cpu(pid, seconds)
    recorder.send_signal(signal.SIGINT)
    done = harness.finish(recorder)
    check(done.status == 0 and done.err == "", "attached", done)
    return done


def python_of(done: Done) -> tuple[int, int]:
    """Of how many stacks of interpreters how many have Python frames."""
    found = re.search(r"python: ([\d,]+) of ([\d,]+) merged", done.out)
    check(found is not None, "Python frames", done)
    return int(found[1].replace(",", "")), int(found[2].replace(",", ""))


def function_shares(t: Context) -> dict[str, float]:
    """Of each function in Python, the largest share of its lines."""
    shares: dict[str, float] = {}
    for total, name in re.findall(r"^ +([\d.]+) +[\d.]+ +\d+  (\w+) \[\S+:\d+\]", t.good("report", "-g", "--python", "only").out, re.M):
        shares[name] = max(float(total), shares.get(name, 0))
    return shares


def test_a_process_with_threads(t: Context) -> None:
    need_engine(t)
    target = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "2")
    done = sampled_for(t, 1.5, target.pid, "-p", str(target.pid))
    merged, all_stacks = python_of(done)
    # Samples of the moment between the start of the ring's events and the first stop are native.
    check(merged >= 0.9 * all_stacks > 500, f"{merged} of {all_stacks} stacks have Python frames", done)
    check("Python programs are traced for their stacks" in done.out, "the heading says how", done)
    shares = function_shares(t)
    check(shares.get("inner", 0) > 80, f"shares of Python functions: {shares}")
    check(target.poll() is None and tracer_of(target.pid) == 0, "it runs on, untraced")


FORKS = BURN + """
def child():
    outer(0.1)
    os._exit(0)
print("ready", flush=True)
while True:
    pid = os.fork()
    if not pid:
        child()
    os.waitpid(pid, 0)
    outer(0.02)
"""


def test_children_that_it_forks_later(t: Context) -> None:
    need_engine(t)
    target = t.started_ready(PYTHON, script(t, "forks.py", FORKS))
    done = sampled_for(t, 0.3, target.pid, "-p", str(target.pid))
    merged, all_stacks = python_of(done)
    check(merged >= 0.8 * all_stacks > 200, f"{merged} of {all_stacks} stacks have Python frames", done)
    shares = function_shares(t)
    check(shares.get("child", 0) > 50, f"children are sampled, and their frames are read: {shares}", done)


SPAWNS = BURN + """
import subprocess
print("ready", flush=True)
while True:
    subprocess.run([sys.executable, "-c", "import time\\ndef spawned():\\n"
                    "    while time.thread_time() < 0.2: sum(range(3000))\\nspawned()"])
"""


def check_spawned(t: Context, done: Done) -> None:
    merged, all_stacks = python_of(done)
    check(merged >= 0.4 * all_stacks > 40, f"{merged} of {all_stacks} stacks have Python frames", done)
    check("spawned" in function_shares(t), "interpreters that start later are traced")


def test_interpreters_that_it_starts_later(t: Context) -> None:
    """Below a shell, which is no interpreter."""
    need_engine(t)
    path = script(t, "spawns.py", SPAWNS)
    target = t.started_ready("/bin/sh", "-c", f"{PYTHON} {path}; exit 0")
    recorder = attach(t, "--subprocesses", "-p", str(target.pid))
    harness.wait_until(lambda: os.path.exists(t.path("wperf.data")), "a session")
    time.sleep(1.5)
    recorder.send_signal(signal.SIGINT)
    check_spawned(t, harness.finish(recorder))


def test_a_command_sets_how_long(t: Context) -> None:
    need_engine(t)
    target = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "0")
    done = t.ours("record", "-g", "--engine", "stop", str(target.pid), "--", "/bin/sh", "-c", "sleep 0.5; exit 7")
    check(done.status == 7, "the command's status", done)
    comms = set(re.findall(r"SAMPLE .*?\bpid (\d+)", t.good("dump").out))
    check(comms == {str(target.pid)}, f"only the process is sampled: {comms}", done)
    check("cpu-clock at 99 Hz" in done.out and "-F 999 takes more" in done.out, "the rate and how to change it", done)
    counted = t.ours("stat", "-e", "task-clock", "-p", str(target.pid), "--", "/bin/sh", "-c", "sleep 0.3; exit 4")
    check(counted.status == 4 and f"process {target.pid}" in counted.out, "stat does the same", counted)
    ends = t.ours("record", "-p", str(target.pid), "--", "/no/such/program")
    check(ends.status == 127, "a command that is not there", ends)
    check(target.poll() is None, "the process runs on")


def test_words_that_are_no_process(t: Context) -> None:
    gone = t.launch("/bin/true")
    gone.wait()
    for argv, status, words in (
            ((str(gone.pid),), 1, ("no process", "to run a program of that name write --")),
            (("-a", "10"), 2, ("for 10 seconds write -d 10",)),
            (("-p", str(os.getpid()), "10"), 2, ("for 10 seconds write -d 10", f"-p {os.getpid()},10")),
            (("--comm", "no such name"), 1, ("no running process is called",))):
        done = t.ours("record", *argv)
        check(done.status == status and all(word in done.err for word in words), f"record {argv}", done)
    if guardian.status_of(2).get("Name") == "kthreadd":
        done = t.ours("record", "2")
        check(done.status == 2 and "is a kernel thread: for 2 seconds write -d 2" in done.err, "a kernel thread", done)
    zombie = t.launch("/bin/true")
    harness.wait_until(lambda: guardian.status_of(zombie.pid).get("State", "")[:1] == "Z", "a zombie")
    done = t.ours("record", "-p", str(zombie.pid))
    check(done.status == 1 and "zombie" in done.err, "a zombie", done)


def test_several_processes(t: Context) -> None:
    need_engine(t)
    path = script(t, "forever.py", FOREVER)
    targets = [t.started_ready(PYTHON, path, "0") for _ in range(2)]
    pids = [str(target.pid) for target in targets]
    for argv in (pids, ["-p", "\n".join(pids) + "\n"]):
        done = t.ours("record", "-q", "-F", "999", *argv, "-d", "700ms")
        seen = set(re.findall(r"SAMPLE .*?\bpid (\d+)", t.good("dump").out))
        check(done.status == 0 and seen == set(pids), f"samples of {seen}", done)


def test_processes_that_end_meanwhile(t: Context) -> None:
    """Processes of a name come and go; the one that stays is measured."""
    harness.need_events()
    for name in "lasting", "brief":
        shutil.copy("/bin/sleep", t.path(name))
    lasting = t.start(t.path("lasting"), "1000")
    t.start("sh", "-c", "while :; do ./brief 0.02 & ./brief 0.02; done")
    harness.wait_until(lambda: "lasting" in pathlib.Path(f"/proc/{lasting.pid}/comm").read_text(encoding="ascii"), "it runs")
    for argv in ("record", "-d", "50ms"), ("stat", "-e", "task-clock", "--duration", "50ms"):
        for _ in range(10):
            done = t.ours(*argv, "--comm", "lasting,brief")
            check(done.status == 0 and "quality: " in done.out, "the one that stays is measured", done)


def test_children_that_run_already(t: Context) -> None:
    need_engine(t)
    path = script(t, "forever.py", FOREVER)
    parent = t.started_ready("/bin/sh", "-c", f"{PYTHON} {path} 0; exit 0")
    done = t.ours("record", "-g", "--engine", "stop", "-p", str(parent.pid), "-d", "300ms")
    check("1 child process runs already; --subprocesses measures it, too" in done.out, "the heading counts it", done)
    done = t.ours("record", "-g", "--engine", "stop", "--subprocesses", "-F", "999", "-p", str(parent.pid), "-d", "700ms")
    check(python_of(done)[0] > 50 and "runs already" not in done.out, "its frames", done)
    counted = t.ours("stat", "-e", "task-clock", "-p", str(parent.pid), "--timeout", "300ms")
    check("1 child process runs already" in counted.out, "stat counts it, too", counted)


def test_a_control_group(t: Context) -> None:
    need_engine(t)
    with harness.control_group(t) as group:
        path = script(t, "forks.py", FORKS)
        inside = t.started_ready("/bin/sh", "-c", f"echo $$ >{group}/cgroup.procs && exec {PYTHON} {path}")
        outside = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "0")
        done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--cgroup", os.path.basename(group), "-d", "1500ms")
        merged, all_stacks = python_of(done)
        check(merged >= 0.7 * all_stacks > 50, f"{merged} of {all_stacks} stacks have Python frames", done)
        check(f"only processes of the control group /{os.path.basename(group)}" in done.out, "the heading names it", done)
        check("child" in function_shares(t), "children are in the group")
        check(str(outside.pid) not in re.findall(r"SAMPLE .*?\bpid (\d+)", t.good("dump").out), "only the group is sampled")
        counts = t.ours("stat", "-e", "task-clock", "-G", os.path.basename(group), "--", "/bin/sh", "-c", "sleep 0.3; exit 5")
        check(counts.status == 5 and "only processes of the control group" in counts.out, "counts of the group", counts)
        check(tracer_of(inside.pid) == 0, "it runs untraced")
    done = t.ours("record", "--cgroup", "no/such/group")
    check(done.status == 1 and "control group 'no/such/group'" in done.err, "a group that is not there", done)
    for name in ("..", "../../..", "a/../.."):
        done = t.ours("record", "--cgroup", name)
        check(done.status == 2 and "without '..'" in done.err, f"the group {name}", done)


def test_beside_another_tracer(t: Context) -> None:
    need_engine(t)
    harness.need_tool("strace")
    target = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "1")
    tracer = t.launch("strace", "-o", "/dev/null", "-p", str(target.pid))
    wait_until_traced(target.pid)
    before = harness.usage_of(target.pid)
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "-p", str(target.pid), "-d", "1")
    used = harness.usage_between(before, harness.usage_of(target.pid))
    check(f"strace ({tracer.pid}) traces process {target.pid} already" in done.out, "the heading says who traces it", done)
    harness.check_samples(harness.quality_of(done)["samples"], used, 999, "samples of both threads", done)
    check(target.poll() is None, "it runs on")


def test_a_debugger_meanwhile_and_afterwards(t: Context) -> None:
    """The process can be traced by others as soon as the recorder has ended, and not before."""
    need_engine(t)
    gdb = (harness.need_tool("gdb"), "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "info threads", "-p")
    target = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "1")
    recorder = attach(t, "-p", str(target.pid))
    wait_until_traced(target.pid)
    refused = t.run(*gdb, str(target.pid))
    check("ptrace: Operation not permitted" in refused.err and f"already traced by process {tracer_of(target.pid)}" in refused.err,
          "gdb says who traces it", refused)
    harness.wait_for_cpu(target.pid, 0.2)
    recorder.send_signal(signal.SIGINT)
    done = harness.finish(recorder)
    check(done.status == 0 and done.err == "" and python_of(done)[0] > 0, "recorded", done)
    attached = t.run(*gdb, str(target.pid))
    check(attached.status == 0 and attached.out.count("Thread 0x") >= 2, "gdb sees both threads", attached)
    check(target.poll() is None and tracer_of(target.pid) == 0, "it runs on, untraced")


# Waits for its end; says how the kernel sees its signals.
SERVER = BURN + guardian.SIGNALS + """
def loop():
    while not over:
        assert inner(3000) == 8995500500
        time.sleep(0.0005)
over = False
threads = [threading.Thread(target=loop) for _ in range(6)]
[thread.start() for thread in threads]
print("ready", flush=True)
sys.stdin.read()
over = True
[thread.join() for thread in threads]
print(signals("SigBlk", "SigIgn", "SigCgt", "SigPnd", "TracerPid"))
"""


def live_through(t: Context, n: int) -> None:
    bare = t.started_ready(PYTHON, script(t, "server.py", SERVER), stdin=subprocess.PIPE)
    server = t.started_ready(PYTHON, t.path("server.py"), stdin=subprocess.PIPE)
    for number in range(n):
        recorder = t.start(t.wperf, "record", "-q", "-g", "--engine", "stop", "-F", "999", "-p", str(server.pid), stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.2))
        # Not SIGINT, which is lost before wperf handles it if the shell that runs the tests lets it be ignored.
        recorder.send_signal(signal.SIGKILL if number % 2 else signal.SIGTERM)
        recorder.wait(harness.WAIT_SECONDS)
        check(server.poll() is None, f"the server ended with {server.returncode} after recorder {number}")
    harness.wait_until(lambda: tracer_of(server.pid) == 0, "the end of the tracing")
    ends = [process.communicate(timeout=harness.WAIT_SECONDS)[0] for process in (bare, server)]
    check(bare.returncode == server.returncode == 0 and ends[0] == ends[1], f"without recorders {ends[0]}, with {ends[1]}")


def test_recorders_that_are_killed(t: Context) -> None:
    need_engine(t)
    live_through(t, 20)


def waits_with_visitors(t: Context) -> dict[str, tuple[str, float]]:
    """The record of waits, while recorders attach to each of its processes, and end or are killed."""
    over = threading.Event()

    def visit() -> None:
        while not over.is_set():
            pids = [pid for pid in harness.children_of(os.getpid()) if guardian.status_of(pid).get("Name") == "waits"]
            recorders = [t.start(t.wperf, "record", "-q", "-g", "--engine", "stop", "-F", "4999", "--session", t.path(f"{pid}.data"), "-p", str(pid),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for pid in pids]
            over.wait(random.uniform(0.2, 0.8))
            for recorder in recorders:
                recorder.send_signal(random.choice((signal.SIGKILL, signal.SIGTERM)))
            for recorder in recorders:
                recorder.wait(harness.WAIT_SECONDS)

    visitor = threading.Thread(target=visit)
    visitor.start()
    try:
        return run_waits(t, [])
    finally:
        over.set()
        visitor.join()


def check_waits(t: Context, trials: int) -> None:
    bare = [run_waits(t, []), run_waits(t, [])]
    ours = [waits_with_visitors(t) for _ in range(trials)]
    while differing(bare, ours) and len(bare) < 4:  # a busy machine may mix up what happens when
        bare.append(run_waits(t, []))
        ours.append(waits_with_visitors(t))
    bad = differing(bare, ours)
    check(not bad, "\n".join(bad))


@harness.limit(240)
def test_waits_end_as_without_a_recorder(t: Context) -> None:
    need_engine(t)
    check_waits(t, 1)


def the_many_recorders(t: Context) -> None:
    need_engine(t)
    live_through(t, int(os.environ["TRIALS"]))
    check_waits(t, max(1, int(os.environ["TRIALS"]) // 100))


if "TRIALS" in os.environ:
    test_many_recorders = harness.limit(3600)(the_many_recorders)


if __name__ == "__main__":
    harness.main(__name__)
