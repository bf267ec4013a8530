#!/usr/bin/python3
"""--engine peek: Python frames read while the program runs, beside a debugger or strace.

By hand: test_peek.py WPERF BUILD --seconds 60 [NAME]... compares as many seconds of each interpreter with what the program has
noted of its own stack.
"""
import os
import re
import signal
import subprocess
import sys
from typing import Iterator

import harness
import peek_oracle
from harness import Context, Done, check
from pythons import find_python, installed
from test_attach import function_shares, python_of, tracer_of
from test_stop_engine import BURN, NOBODY, PYTHON, need_python, script
from test_waits import differing, run_waits

HEADING = "peek: Python frames read while the program runs, approximate"
MOST_WRONG = 0.01
SECONDS = 0.6  # of CPU time of each thread
WITHOUT_PTRACE = harness.environment(ASAN_OPTIONS="detect_leaks=0")  # with which it looks for leaks
# Prints what it has done until a signal asks it to end.
COUNTS = BURN + """
import signal, sys
ends = []
signal.signal(signal.SIGTERM, lambda *_: ends.append(1))
print("ready", flush=True)
def first():
    burn(0.002)
def second():
    burn(0.001)
while not ends:
    first(); second()
print("whole", flush=True)
sys.exit(7)
"""


def check_peeked(done: Done, why: str = "") -> None:
    check(done.status == 0 and done.err == "", "recorded", done)
    check(HEADING in done.out, "the heading says how", done)
    check(why in done.out, f"the heading says why: {why}", done)
    merged, n = python_of(done)
    check(merged > 0 and "merged (approximate)" in done.out.splitlines()[-1], f"{merged} of {n} stacks, and the quality line marks them", done)


def uses_bpf(done: Done) -> bool:
    """Root's first choice needs no tracing."""
    return os.geteuid() == 0 and "engine bpf: " in done.out


def check_shares(t: Context) -> None:
    shares = function_shares(t)
    check(shares.get("first", 0) > 30 and shares.get("second", 0) > 10, f"shares of Python functions: {shares}")


def check_end(target: subprocess.Popen) -> None:
    """It ends as it would have without recorder and tracer."""
    target.send_signal(signal.SIGTERM)
    done = harness.finish(target)
    check(done.status == 7 and done.out == "whole\n" and done.err == "", "the program's output and status", done)


def attach(t: Context, pid: int, **options) -> Done:
    return t.ours("record", "-g", "-F", "499", "-p", str(pid), "-d", "1.5", **options)


def beside_strace(t: Context, **options) -> None:
    need_python()
    strace = harness.need_tool("strace")
    os.chmod(t.folder, 0o777)
    target = t.started_ready(PYTHON, script(t, "counts.py", COUNTS), **options)
    tracer = t.launch(strace, "-f", "-o", t.path("trace"), "-p", str(target.pid), **options)
    harness.wait_until(lambda: tracer_of(target.pid) == tracer.pid, "strace to trace it")
    done = attach(t, target.pid, **options)
    if options or not uses_bpf(done):
        check_peeked(done, f"the engine stop is not used: strace ({tracer.pid}) traces process {target.pid} already")
    check(tracer_of(target.pid) == tracer.pid, "strace goes on")
    check_end(target)
    check(tracer.wait(harness.WAIT_SECONDS) == 0, "strace ends with it")
    with open(t.path("trace"), encoding="utf-8") as file:
        check("exited with 7" in file.read(), "strace has seen the end")


def test_beside_strace(t: Context) -> None:
    beside_strace(t)
    check_shares(t)


def test_the_document_marks_them(t: Context) -> None:
    need_python()
    t.good("record", "--engine", "peek", "--", PYTHON, script(t, "counts.py", BURN + "burn(0.5)\n"))
    document = harness.document_of(t.good("report", "-g", "--json", "--json-extended"))
    check(document["quality"]["python"]["approximate"] is True, f"the document marks them: {document['quality']}")


def test_beside_strace_as_nobody(t: Context) -> None:
    harness.need_root()
    beside_strace(t, user=NOBODY, group=NOBODY, extra_groups=[])


def test_beside_gdb(t: Context) -> None:
    """gdb still stops the program afterwards, looks at it and lets it go on."""
    need_python()
    gdb = harness.need_tool("gdb")
    target = t.started_ready(PYTHON, script(t, "counts.py", COUNTS))
    debugger = t.launch(gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", str(target.pid), "-ex", "handle SIGUSR1 stop nopass",
                        "-ex", "continue", "-ex", "backtrace -1", "-ex", "detach")
    harness.wait_until(lambda: tracer_of(target.pid) == debugger.pid, "gdb to trace it")
    harness.wait_for_cpu(target.pid, 0.1)
    done = attach(t, target.pid)
    if not uses_bpf(done):
        check_peeked(done, f"the engine stop is not used: gdb ({debugger.pid}) traces process {target.pid} already")
    check_shares(t)
    target.send_signal(signal.SIGUSR1)
    debugged = harness.finish(debugger)
    check("SIGUSR1" in debugged.out and re.search(r"#\d+ .*_start", debugged.out) is not None, "gdb's stack", debugged)
    check_end(target)


def as_both_users(t: Context) -> Iterator[dict]:
    """Options of t.run: root has the engine bpf there, others need peek."""
    os.chmod(t.folder, 0o777)
    if os.geteuid() == 0:
        yield {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    yield {}


def test_a_recorder_that_strace_follows(t: Context) -> None:
    need_python()
    strace = harness.need_tool("strace")
    path = script(t, "burn.py", BURN + "burn(0.5)\nprint('whole')\n")
    for number, options in enumerate(as_both_users(t)):
        done = t.run(strace, "-f", "-o", "/dev/null", t.wperf, "record", "-g", "--session", t.path(f"{number}.data"), "--", PYTHON, path,
                     env=WITHOUT_PTRACE, **options)
        if options or not uses_bpf(done):
            check_peeked(done, "the engine stop is not used: strace (")
        check("whole" in done.out, "the program's output", done)


def test_a_program_that_strace_starts(t: Context) -> None:
    need_python()
    strace = harness.need_tool("strace")
    done = t.ours("record", "-g", "--engine", "peek", "--", strace, "-f", "-o", "/dev/null", PYTHON,
                  script(t, "burn.py", BURN + "burn(0.5)\nprint('whole')\n"))
    check_peeked(done)
    check("whole" in done.out, "the program's output", done)


def test_a_debugger_among_the_children(t: Context) -> None:
    """gdb may attach to a program that is recorded so."""
    need_python()
    gdb = harness.need_tool("gdb")
    text = BURN + f"""
import os, subprocess
burn(0.2)
done = subprocess.run(["{gdb}", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", str(os.getpid()), "-ex", "backtrace -1"], capture_output=True, text=True)
print("attached" if "_start" in done.stdout else done.stderr)
burn(0.2)
"""
    done = t.ours("record", "-g", "--engine", "peek", "--", PYTHON, script(t, "debugged.py", text))
    check_peeked(done)
    check("attached\n" in done.out, "gdb has attached", done)


def test_where_ptrace_is_refused(t: Context) -> None:
    need_python()
    path = script(t, "burn.py", BURN + "burn(0.5)\nraise SystemExit(3)\n")
    for number, options in enumerate(as_both_users(t)):
        done = t.run(t.program("deny"), "ptrace", t.wperf, "record", "-g", "--session", t.path(f"{number}.data"), "--", PYTHON, path,
                     env=WITHOUT_PTRACE, **options)
        check(done.status == 3, "the program's status", done)
        done.status = 0
        if options or not uses_bpf(done):
            check_peeked(done, "the engine stop is not used: a seccomp filter blocks ptrace")


def test_nothing_is_traced(t: Context) -> None:
    need_python()
    target = t.started_ready(PYTHON, script(t, "counts.py", COUNTS))
    recorder = t.start(t.wperf, "record", "-g", "--engine", "peek", "-p", str(target.pid))
    harness.wait_for_events(recorder.pid)
    harness.wait_for_cpu(target.pid, 0.5)
    check(tracer_of(target.pid) == 0, "nobody traces it")
    recorder.send_signal(signal.SIGINT)
    check_peeked(harness.finish(recorder))
    check_shares(t)
    check_end(target)


def test_the_recorder_is_killed(t: Context) -> None:
    need_python()
    target = t.started_ready(PYTHON, script(t, "counts.py", COUNTS))
    for _ in range(5):
        recorder = t.start(t.wperf, "record", "-g", "--engine", "peek", "-p", str(target.pid))
        harness.wait_for_events(recorder.pid)
        recorder.kill()
        recorder.wait()
    check_end(target)


@harness.limit(240)
def test_waits_end_as_without_a_recorder(t: Context) -> None:
    prefix = [t.wperf, "record", "-q", "-g", "-F", "999", "--engine", "peek", "--"]
    bare, ours = [run_waits(t, [])], [run_waits(t, prefix)]
    check(len(bare[0]) > 160 and bare[0].keys() == ours[0].keys(), f"{len(bare[0])} and {len(ours[0])} waits")
    while differing(bare, ours) and len(bare) < 3:  # a busy machine may mix up what happens when
        bare.append(run_waits(t, []))
        ours.append(run_waits(t, prefix))
    bad = differing(bare, ours)
    check(not bad, "\n".join(bad))


def test_nonblocking(t: Context) -> None:
    """As root a BPF program may read the frames; nobody has not the right."""
    need_python()
    path = script(t, "burn.py", BURN + "burn(0.5)\n")
    done = t.ours("record", "-g", "--nonblocking", "--", PYTHON, path)
    check(HEADING in done.out or "Python frames are read by a BPF program" in done.out, "one of the two", done)
    check(python_of(done)[0] > 0, "Python frames", done)
    harness.need_root()
    os.chmod(t.folder, 0o777)
    done = t.ours("record", "-g", "--nonblocking", "--session", t.path("own.data"), "--", PYTHON, path, user=NOBODY, group=NOBODY, extra_groups=[])
    check_peeked(done, "the engine bpf is not used: ")


def test_forks_threads_and_programs(t: Context) -> None:
    need_python()
    text = BURN + """
import os, subprocess, sys, threading
def threaded():
    burn(0.3)
def forked():
    burn(0.3)
    os._exit(0)
thread = threading.Thread(target=threaded)
thread.start()
thread.join()
pid = os.fork() or forked()
os.waitpid(pid, 0)
subprocess.run([sys.executable, "-c", "import time\\ndef spawned():\\n    while time.thread_time() < 0.3: sum(range(3000))\\nspawned()"])
"""
    check_peeked(t.ours("record", "-g", "-F", "999", "--engine", "peek", "--", PYTHON, script(t, "many.py", text)))
    shares = function_shares(t)
    check(all(shares.get(name, 0) > 5 for name in ("threaded", "forked", "spawned")), f"shares of Python functions: {shares}")


def test_with_wall_time(t: Context) -> None:
    need_python()
    text = BURN + "def waits():\n    time.sleep(0.5)\nburn(0.5)\nwaits()\n"
    done = t.ours("record", "--wall", "--engine", "peek", "--", PYTHON, script(t, "wall.py", text))
    check(done.status == 0 and HEADING in done.out, "recorded", done)
    shown = t.good("report", "-g").out
    check("burn" in shown and "waits" in shown, f"what ran and what waited: {shown}")


def test_what_it_does_not_serve(t: Context) -> None:
    need_python()
    done = t.ours("record", "--no-stacks", "--engine", "peek", "--", PYTHON, "-c", "sum(range(10**6))")
    check(done.status == 0 and "the engine peek is not used: there are no call stacks: leave --no-stacks out" in done.out, "without stacks", done)
    done = t.ours("record", "--call-graph", "fp", "--engine", "peek", "--", PYTHON, "-c", "sum(range(10**6))")
    check(done.status == 0 and "the engine peek is not used: it needs -g" in done.out, "chains of the kernel", done)
    done = t.ours("record", "-g", "--per-thread", "--engine", "peek", "--", PYTHON, "-c", "sum(range(10**6))")
    check(done.status == 0 and "the engine peek is not used: it needs a ring for each CPU" in done.out, "a ring for each thread", done)
    done = t.run(t.program("deny"), "process_vm_readv", t.wperf, "record", "-g", "--engine", "peek", "--", PYTHON, "-c", "sum(range(10**6))")
    check(done.status == 0 and "blocks process_vm_readv: allow it (podman run --cap-add SYS_PTRACE)" in done.out, "no reading", done)
    done = t.ours("record", "-g", "--nonblocking", "--engine", "stop", "--", "true")
    check(done.status == 2 and "--nonblocking and --engine stop cannot be used together" in done.err, "both", done)


# --- what is wrong, and what is late ---


def oracle_of(kind: str, threads: int, seconds: float, as_nobody: bool):
    def test(t: Context) -> None:
        python = find_python(kind)
        user = {}
        if as_nobody:
            harness.need_root()
            os.chmod(t.folder, 0o777)
            user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        done = t.ours("record", "-g", "-F", "999", "--engine", "peek", "--", python, peek_oracle.WORK, t.path("log"), str(seconds), str(threads),
                      env=harness.environment(WPERF_DEBUG="1"), **user)
        check(done.status == 0 and HEADING in done.out, "recorded", done)
        os.chown(t.path("wperf.data"), os.getuid(), os.getgid())
        counts = peek_oracle.compare(t, done, t.path("log"))
        harness.note(f"{python}, {threads} threads: {len(counts.wrong)} wrong and {counts.late} late of {counts.compared}, {counts.native} native; read "
                     f"{counts.quantile_us(0.5):.0f} us after the sample in the median, {counts.quantile_us(0.9):.0f} us for nine of ten, "
                     f"{counts.quantile_us(0.99):.0f} us for 99 of 100")
        for stack in counts.wrong[:3]:
            harness.note("wrong: " + stack)
        check(counts.compared > 50 * seconds * threads, f"{counts.compared} stacks were compared", done)
        check(len(counts.wrong) <= MOST_WRONG * counts.compared, "at most 1 % wrong: " + "\n".join(counts.wrong[:5]))

    return harness.limit(int(120 + 20 * seconds))(test)


def name_tests() -> None:
    by_hand = float(sys.argv[4]) if sys.argv[3:4] == ["--seconds"] else 0
    if by_hand:
        del sys.argv[3:5]
    for kind in installed():
        for threads, as_nobody in ((1, False), (3, False), (1, True)):
            if as_nobody and kind.startswith("pyenv"):
                continue  # in root's folder
            if not by_hand and kind != "python3" and (threads > 1 or as_nobody):
                continue
            name = f"test_stacks_of_{kind}_{threads}_threads" + ("_as_nobody" if as_nobody else "")
            globals()[re.sub("[ .-]", "_", name)] = oracle_of(kind, threads, by_hand or SECONDS, as_nobody)


if __name__ == "__main__":
    name_tests()
    harness.main(__name__)
