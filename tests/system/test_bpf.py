#!/usr/bin/python3
"""--engine bpf: Python frames that a BPF program copies at each sample.  test_python_oracle.py compares them with the truth."""
import contextlib
import glob
import json
import re
import signal
import subprocess

import harness
from harness import Context, Done, Skip, check
from pythons import find_python, installed
from test_attach import BURN, FOREVER, tracer_of
from test_refusals import as_plain_user
from test_stop_harmless import PYTHON, script

HEADING = "engine bpf: Python frames are read by a BPF program"

FORKS = BURN + """
for _ in range(60):
    pid = os.fork()
    if not pid:
        outer(0.01)
        os._exit(0)
    os.waitpid(pid, 0)
"""
EXECS = BURN + """
def first():
    outer(0.1)
def second():
    outer(0.3)
if sys.argv[1] == "1":
    first()
    os.execv(sys.executable, [sys.executable, sys.argv[0], "2"])
second()
"""
TRACED = BURN + """
outer(0.3)
print(next(line for line in open("/proc/self/status") if line.startswith("TracerPid")).split()[1])
"""


def record(t: Context, *argv: str, hz: int = 1999) -> Done:
    harness.need_root()
    done = t.ours("record", "-g", "--engine", "bpf", "-F", str(hz), *argv)
    if why := re.search(r"the engine bpf is not used: (.*)", done.out + done.err):
        raise Skip(why[1])
    check(HEADING in done.out and done.err == "", "the heading names the engine", done)
    return done


def merged_of(done: Done) -> tuple[int, int]:
    found = re.search(r"python: ([\d,]+) of ([\d,]+) merged", done.out)
    check(found is not None, "Python frames", done)
    return int(found[1].replace(",", "")), int(found[2].replace(",", ""))


def functions(t: Context) -> dict[str, int]:
    """Samples of each Python function with its callees."""
    rows = re.findall(r"^ +[\d.]+ +[\d.]+ +(\d+) [* ]*(\w+) \[\S+:\d+\]", t.good("report", "-g", "--python", "only", "--percent-limit", "0").out, re.M)
    most: dict[str, int] = {}
    for count, name in rows:
        most[name] = max(int(count), most.get(name, 0))
    return most


def test_children_of_fork(t: Context) -> None:
    """The interpreter of a child is known from its first sample on."""
    done = record(t, "--", PYTHON, script(t, "forks.py", FORKS))
    merged, total = merged_of(done)
    check(total > 200 and merged >= 0.97 * total, f"{merged} of {total} merged", done)
    check(functions(t)["outer"] >= 0.9 * total, "frames of the children", done)


def test_a_process_that_executes_another_program(t: Context) -> None:
    done = record(t, "--", PYTHON, script(t, "execs.py", EXECS), "1")
    seen = functions(t)
    check(0 < seen["first"] < seen["second"], f"functions of both: {seen}", done)
    merged, total = merged_of(done)
    check(merged >= 0.9 * total, f"{merged} of {total} merged", done)


def test_a_shell_that_executes_python(t: Context) -> None:
    """It has been looked at in vain before; libpython is mapped some time after the exec."""
    python = find_python("pyenv 3.11")
    counts = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; exec \"$0\" \"$1\""
    for number in range(4):
        done = record(t, "--session", t.path(f"{number}.data"), "--", "sh", "-c", counts, python, script(t, "short.py", BURN + "outer(0.1)\n"))
        merged, total = merged_of(done)
        check(total > 50 and merged >= 0.8 * total, f"{merged} of {total} merged", done)


def test_nothing_is_traced(t: Context) -> None:
    done = record(t, "-o", t.path("a.data"), "--", PYTHON, script(t, "traced.py", TRACED))
    check(re.search(r"^0$", done.out, re.M) is not None, "TracerPid is 0", done)


def test_a_process_with_threads(t: Context) -> None:
    target = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "20")
    done = record(t, "-p", str(target.pid), "-d", "1", hz=999)
    merged, total = merged_of(done)
    check(total > 100 and merged >= 0.97 * total, f"{merged} of {total} merged", done)
    check(functions(t).get("outer", 0) >= 0.9 * merged, "frames of all threads", done)
    check(target.poll() is None, "it runs on")


def programs_of(pid: int) -> set[int]:
    """The ids of the BPF programs that a process has open."""
    found = set()
    for name in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with contextlib.suppress(FileNotFoundError), open(name, encoding="ascii") as file:
            found |= {int(number) for number in re.findall(r"^prog_id:\t(\d+)$", file.read(), re.M)}
    return found


def all_programs() -> set[int]:
    listed = subprocess.run([harness.need_tool("bpftool"), "-j", "prog", "list"], stdout=subprocess.PIPE, check=True).stdout
    return {program["id"] for program in json.loads(listed)}


def test_a_recorder_that_is_killed(t: Context) -> None:
    """The kernel removes its programs and maps."""
    record(t, "--", PYTHON, "-c", "pass")
    target = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "2")
    recorder = t.start(t.wperf, "record", "-g", "--engine", "bpf", "-p", str(target.pid))
    harness.wait_until(lambda: len(programs_of(recorder.pid)) >= 3, "the programs")
    its = programs_of(recorder.pid)
    recorder.send_signal(signal.SIGKILL)
    recorder.wait(harness.WAIT_SECONDS)
    harness.wait_until(lambda: not its & all_programs(), "nothing is left")
    check(target.poll() is None and tracer_of(target.pid) == 0, "the target runs on")


def test_the_first_choice(t: Context) -> None:
    """If root records, a command as well as programs that run already."""
    record(t, "--", PYTHON, "-c", "pass")
    target = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "0")
    for argv in (["-p", str(target.pid), "-d", "300ms"], ["-a", "-d", "300ms"]):
        done = t.ours("record", "-g", "-F", "999", *argv)
        check(done.status == 0 and done.err == "" and HEADING in done.out, f"{argv}: a BPF program", done)
        check(merged_of(done)[0] > 0, "Python frames", done)
    started = t.ours("record", "--", PYTHON, script(t, "traced.py", TRACED))
    check(HEADING in started.out and merged_of(started)[0] > 0, "a command", started)


def test_in_a_container(t: Context) -> None:
    """The kernel's program sees other process ids: threads are stopped, and the heading says why."""
    record(t, "--", PYTHON, "-c", "pass")
    path = script(t, "traced.py", TRACED)
    done = t.run(harness.need_tool("unshare"), "--fork", "--pid", "--mount-proc", t.wperf, "record", "-g", "--engine", "bpf", "-F", "999",
                 "--", PYTHON, path)
    if "perm" in done.err:
        raise Skip("a PID namespace")
    check("the engine bpf is not used: in a container" in done.out and merged_of(done)[0] > 0, "stopped instead", done)


# The first thread has the GIL, but for moments; the second one computes without it.
GIL = """
import os, threading, zlib
data = os.urandom(1 << 24)
def computes_without():
    begun.set()
    while True:
        zlib.compress(data, 9)
begun = threading.Event()
threading.Thread(target=computes_without, daemon=True).start()
begun.wait()
print("ready", flush=True)
while True:
    pass
"""


def test_who_has_the_gil(t: Context) -> None:
    """At each sample of record --wall, with each interpreter."""
    for kind in installed():
        target = t.started_ready(find_python(kind), script(t, "gil.py", GIL))
        record(t, "--wall", "-p", str(target.pid), "-d", "1", hz=499)
        target.kill()
        rows = re.findall(r"^ +time \d+ tid (\d+) gil_holder (\d+) has_gil (\d)$", t.good("dump").out, re.M)
        of_first = [row[1:] for row in rows if int(row[0]) == target.pid]
        of_second = [row[1:] for row in rows if int(row[0]) != target.pid]
        its = str(target.pid)
        check(of_first.count((its, "1")) > 0.9 * len(of_first) > 10, f"{kind}: the first thread has it: {of_first}")
        # on a busy machine nobody has it for a while: the first one has given it away, and the second one has not run yet
        check(of_second.count((its, "0")) > 0.5 * len(of_second) > 5, f"{kind}: the second one has not: {of_second}")
        lacks = sum(row[1] == "0" for row in of_second)
        check(lacks > 0.9 * len(of_second), f"{kind}: the second one has not: {of_second}")


def functions_of(t: Context, *argv: str) -> dict[str, dict[str, float]]:
    wall = harness.document_of(t.good("report", "--json", *argv))["wall"]
    return {row["function"]: row["seconds"] for row in wall["functions"]}


def test_only_time_with_the_gil(t: Context) -> None:
    """One thread computes with the GIL, and one mostly without it."""
    target = t.started_ready(PYTHON, script(t, "gil.py", GIL))
    record(t, "--gil", "-p", str(target.pid), "-d", "1.5", hz=499)
    target.kill()
    whole, gil = functions_of(t), functions_of(t, "--gil")
    check(gil == functions_of(t, "--mode", "gil"), f"two spellings of one: {gil}")
    holder, other = "<module>", "computes_without"
    check(whole[other]["on-cpu"] > 0.1 and gil[holder]["on-cpu"] > 0.8 * whole[holder]["on-cpu"], f"{whole}, with --gil {gil}")
    check(gil.get(other, {}).get("on-cpu", 0) < 0.2 * whole[other]["on-cpu"], f"{whole}, with --gil {gil}")
    check(not any("gil" in states for states in gil.values()), f"waiting for it does not count: {gil}")
    done = t.ours("record", "--gil", "--engine", "stop", "--", "true")
    check(done.status == 2 and "--gil and --engine stop" in done.err, "another engine", done)
    t.good("record", "--wall", "--engine", "stop", "--", "sleep", "0.1")
    done = t.ours("report", "--gil")
    check(done.status == 1 and "record with wperf record --gil" in done.err, "a session without it", done)
    done = t.ours("record", "--gil", "--", "sleep", "0.1")
    check(done.status == 0 and "so all of wall time is shown" in done.err and "sleep" in done.out, "a program that is not Python", done)


DEEP = """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def recurse(n):
    return sorted([n], key=lambda _: recurse(n - 1)) if n else fib(18)
print("ready", flush=True)
while True:
    recurse(40)
"""


def test_deep_stacks(t: Context) -> None:
    """What the event's record has no room for is copied by the program, also with the larger stacks of waiting threads."""
    target = t.started_ready(PYTHON, script(t, "deep.py", DEEP))
    for options in ([], ["--wall"]):
        done = record(t, *options, "-p", str(target.pid), "-d", "1", hz=499)
        n, cut = harness.quality_of(done)["samples"], re.search(r", ([\d,]+) cut stacks", done.out)
        check(n > 10 and cut and int(cut[1].replace(",", "")) <= 0.05 * n, f"{options}: whole stacks", done)


MANY = BURN + """
begin = threading.Event()
def spin():
    begin.wait()
    while True:
        outer(1)
for _ in range(1000):
    threading.Thread(target=spin, daemon=True).start()
begin.set()
print("ready", flush=True)
spin()
"""


def test_processes_of_others_are_left_alone(t: Context) -> None:
    """While a command is recorded, they are not looked at, and their samples are not copied."""
    record(t, "--", PYTHON, "-c", "pass")
    python = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "2")
    shell = t.launch("sh", "-c", "while :; do :; done")
    done = t.run(harness.need_tool("strace"), "-f", "-e", "trace=open,openat", "-o", t.path("trace"), t.wperf, "record", "--engine", "bpf",
                 "--", "sh", "-c", f'{PYTHON} "$0"; {PYTHON} "$0"', script(t, "short.py", BURN + "outer(0.5)\n"),
                 env=harness.environment(ASAN_OPTIONS="detect_leaks=0"))
    merged, total = merged_of(done)
    check(total > 200 and merged >= 0.8 * total, f"{merged} of {total} merged", done)
    with open(t.path("trace"), encoding="utf-8", errors="replace") as file:
        opened = set(re.findall(r'"/proc/(\d+)/maps"', file.read()))
    check(not opened & {str(python.pid), str(shell.pid)}, f"neither {python.pid} nor {shell.pid} is looked at: {sorted(opened)}", done)


def test_a_thousand_threads(t: Context) -> None:
    target = t.started_ready(PYTHON, script(t, "many.py", MANY))
    done = record(t, "-p", str(target.pid), "-d", "2", hz=999)
    merged, total = merged_of(done)
    check(total > 100 and merged >= 0.95 * total, f"{merged} of {total} merged", done)


def test_users_without_rights(t: Context) -> None:
    """Threads are stopped instead."""
    record(t, "--session", t.path("as-root.data"), "--", PYTHON, "-c", "pass")
    path = script(t, "traced.py", TRACED)
    done = as_plain_user(t, t.wperf, "record", "-g", "--engine", "bpf", "--", PYTHON, path)
    check("the engine bpf is not used: " in done.out and "root" in done.out, "why", done)
    check(merged_of(done)[0] > 0, "frames all the same", done)


if __name__ == "__main__":
    harness.main(__name__)
