#!/usr/bin/python3
"""--engine stop: samples of Python by stopping the thread, without visible effects on the program and its parents."""
import os
import re
import shutil
import signal
import time

import harness
import own_samples
from harness import Context, Done, Skip, check

PYTHON = "/usr/bin/python3.11"
NOBODY = 65534
HEADING = "engine stop: Python programs are traced for their stacks"

BURN = """
import resource, time
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(i * i for i in range(500))
def say_usage(what, who=resource.RUSAGE_SELF):
    used = resource.getrusage(who)
    print("usage", what, used.ru_utime, used.ru_stime, used.ru_nvcsw + used.ru_nivcsw, flush=True)
"""


def need_python() -> None:
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)


def script(t: Context, name: str, text: str) -> str:
    path = t.path(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def record(t: Context, *argv: str, engine: str = "stop", options: tuple[str, ...] = ("-F", "999")) -> Done:
    """If the kernel does not allow it, the heading says why, and the test is skipped."""
    need_python()
    done = t.ours("record", "-g", "--engine", engine, *options, "--", *argv)
    why = re.search(r"the engine stop is not used: (.*)", done.out)
    if why and "kernel" in why[1]:
        raise Skip(why[1])
    return done


def traced(t: Context, *argv: str, **more) -> Done:
    done = record(t, *argv, **more)
    check(HEADING in done.out, "the heading says that threads were stopped", done)
    return done


def usage_said(done: Done, what: str) -> harness.Usage:
    """What the program prints by `say_usage`."""
    user, kernel, switches = re.search(rf"^usage {what} ([\d.e-]+) ([\d.e-]+) (\d+)$", done.out, re.M).groups()
    return harness.Usage(float(user), float(kernel), int(switches))


def run_facts(t: Context, path: str = "wperf.data") -> dict[str, str]:
    dump = t.good("dump", "-i", path)
    facts = re.search(r"^  WPERF_RUN\n((?:    .*\n)+)", dump.out, re.M)
    check(facts is not None, "the section of the run", dump)
    return dict(line.strip().partition(" ")[::2] for line in facts[1].splitlines())


def check_rate(t: Context, text: str, hz: int) -> None:
    """Compares with the CPU time that the program prints, and with the ring's own event. The kernel's work for a stop follows the
    stop, and the ring's event does not sample what is in the kernel."""
    path = script(t, "rate.py", BURN + text + "say_usage('all')\n")
    done = traced(t, PYTHON, path, options=("-F", str(hz)))
    facts, used = run_facts(t), usage_said(done, "all")
    stops, dropped = int(facts["n_stops"]), int(facts["n_ring_dropped"])
    harness.note(f"{stops} stops, {dropped} samples of the ring")
    harness.check_samples(stops, used, hz, "stops", done)
    check(0.9 * stops * used.user / used.total() <= dropped <= stops / 0.95, f"{stops} stops for {dropped} samples of the ring", done)
    check(harness.quality_of(done)["lost"] == 0, "what was dropped is not lost", done)


def test_samples_a_second_of_one_thread(t: Context) -> None:
    check_rate(t, "burn(3)\n", 999)


def test_samples_a_second_of_16_threads(t: Context) -> None:
    check_rate(t, """
import threading
threads = [threading.Thread(target=burn, args=(0.25,)) for _ in range(16)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
""", 999)


def test_stacks_are_whole(t: Context) -> None:
    path = script(t, "stacks.py", BURN + """
import threading
burn(0.3)
thread = threading.Thread(target=burn, args=(0.3,))
thread.start()
thread.join()
""")
    done = traced(t, PYTHON, path)
    own_samples.check_whole_stacks(done)
    folded = t.run(t.wperf, "export", "--format", "folded", "-i", "wperf.data", "-o", "-")
    ends = [line.split(";") for line in folded.out.splitlines()]
    begins = {frame for stack in ends for frame in stack[:6]}
    check(any("Py_BytesMain" in name for name in begins), f"stacks of the first thread begin in main: {begins}", folded)
    check(any("thread_run" in name for name in begins), f"stacks of the second begin in its function: {begins}", folded)


DEEP = """
import sys, threading
sys.setrecursionlimit(100000)
threading.stack_size(16 << 20)
def down(n):
    return max(map(down, (n - 1,))) if n else burn(0.3) or 0
thread = threading.Thread(target=down, args=(150,))
thread.start()
thread.join()
"""


def test_stacks_that_no_record_has_room_for(t: Context) -> None:
    path = script(t, "deep.py", BURN + DEEP)
    ring = record(t, PYTHON, path, engine="ring")
    check("cut stacks (" in ring.out, "the ring's are cut", ring)
    done = traced(t, PYTHON, path)
    own_samples.check_whole_stacks(done)


SIGHTS = """
import multiprocessing, os, subprocess, sys, threading
from multiprocessing import Pool
def square(x):
    return x * x
if __name__ == "__main__":
    for how in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(how).Pool(2) as pool:
            print(how, pool.map(square, range(6)), flush=True)
    run = subprocess.run
    print(run(["/bin/echo", "text"], capture_output=True).stdout)
    print(run(["/bin/sh", "-c", "exit 7"]).returncode, run(["/bin/sh", "-c", "kill -9 $$"]).returncode)
    print(run([sys.executable, "-c", "import os; os.kill(os.getpid(), 15)"]).returncode)
    print(os.system("exit 3"), os.posix_spawn("/bin/true", ["true"], {}) > 0, os.wait()[1])
    child = os.fork()
    if not child:
        os._exit(5)
    print(os.waitpid(child, 0)[1], flush=True)
    if sys.argv[1] == "exec":
        thread = threading.Thread(target=os.execv, args=("/bin/sh", ["sh", "-c", "echo executed; exit 9"]))
        thread.start()
        thread.join()
    if sys.argv[1] == "die":
        os.kill(os.getpid(), 10)
    sys.exit(4)
"""


def test_children_outputs_and_statuses(t: Context) -> None:
    path = script(t, "sights.py", SIGHTS)
    for how, status in (("exit", 4), ("exec", 9), ("die", 128 + signal.SIGUSR1)):
        # When a pool's semaphores are collected depends on the load: Python may warn of them after the exec.
        bare = t.run(PYTHON, "-W", "ignore", path, how)
        done = traced(t, PYTHON, "-W", "ignore", path, how, options=("-F", "4999"))
        check(bare.out in done.out and done.err == bare.err, f"the same output as bare\n{bare.describe()}", done)
        check(done.status == status, f"status {status}", done)


def check_stops(t: Context, done: Done, least: int, share: float) -> None:
    """At least this number, and this share, of the samples in user mode are stops. The number is far less than the CPU time of
    the programs has, of which a part is in the kernel, for the stops themselves."""
    stops, samples = int(run_facts(t).get("n_stops", 0)), harness.quality_of(done)["samples"]
    harness.note(f"{samples} samples, {stops} of them stops")
    check(stops >= least, f"{stops} stops", done)
    check(stops >= share * samples, f"{stops} stops among {samples} samples", done)


POOLS = """
import sys
from multiprocessing import get_context
def work(_):
    burn(0.2)
if __name__ == "__main__":
    with get_context(sys.argv[1]).Pool(2) as pool:
        pool.map(work, range(4), chunksize=1)
"""


def test_interpreters_among_the_children(t: Context) -> None:
    path, one = script(t, "pools.py", BURN + POOLS), script(t, "one.py", BURN + "burn(0.4)\n")
    for how in ("fork", "spawn", "forkserver"):
        check_stops(t, traced(t, PYTHON, path, how), 300, 0.9)
    text = f"import subprocess, sys\nsubprocess.run([sys.executable, {one!r}])\n"
    check_stops(t, traced(t, PYTHON, script(t, "two.py", text)), 150, 0.9)
    for shell in (f"{PYTHON} {one}; true", f"exec env python3.11 {one}"):
        check_stops(t, traced(t, "/bin/bash", "-c", shell), 150, 0.8)


SHORT = """
import time
def is_traced():
    with open("/proc/self/status") as file:
        return "TracerPid:\\t0\\n" not in file.read()
while not is_traced():
    assert time.process_time() < 2, "not traced"
begin = time.process_time()
while time.process_time() < begin + 0.02:
    sum(i for i in range(100))
print("short", begin, time.process_time() - begin, flush=True)
"""


def test_the_first_20_ms_of_an_interpreter(t: Context) -> None:
    """Children that end soon are traced, and all stacks with Python frames are merged. How long the loader and the interpreter
    take before the first Python frame depends on the machine, so the children print it."""
    path = script(t, "short.py", SHORT)
    done = traced(t, "/bin/bash", "-c", f"for i in $(seq 80); do {PYTHON} -S {path}; done", options=("-F", "4999"))
    said = [tuple(map(float, words)) for words in re.findall(r"^short (\S+) (\S+)$", done.out, re.M)]
    check(len(said) == 80, f"{len(said)} of 80 children were traced", done)
    start, work = map(sum, zip(*said))
    merged, n = (int(words.replace(",", "")) for words in re.search(r"python: ([\d,]+) of ([\d,]+) merged", done.out).groups())
    samples = harness.quality_of(done)["samples"]
    harness.note(f"{start:.2f} s before the work, {work:.2f} s of work; {merged} of {n} stacks are merged, of {samples} samples")
    check_stops(t, done, 1000, 0.88)
    check(merged >= 0.95 * n, f"{merged} of {n} are merged", done)
    # A part of both times is in the kernel, where there are no stops.
    check(merged >= 0.5 * samples * work / (start + work), f"{merged} of {samples} are merged", done)


def test_a_python_library_that_is_loaded_late(t: Context) -> None:
    library = "libpython3.11.so.1.0"
    if t.run(t.program("embeds"), library, "pass").status:
        raise Skip(library)
    done = traced(t, t.program("embeds"), library, BURN + "burn(0.2)\nimport threading\n"
                  "a = threading.Thread(target=burn, args=(0.5,))\na.start()\na.join()\n")
    check_stops(t, done, 200, 0.8)


STORM = """
import os, random, threading, time
def worker(number):
    chance = random.Random(number)
    burn(chance.uniform(0, 0.006))
    for _ in range(chance.randrange(6)):
        threading.Thread(target=burn, args=(chance.uniform(0, 0.02),), daemon=True).start()
    burn(chance.uniform(0, 0.004))
    quits = ["/usr/bin/python3.11", "-S", "-c", "import os; os._exit(3)"]
    how = number % 5
    if how == 0:
        os.execv(quits[0], quits)
    elif how == 1:
        thread = threading.Thread(target=os.execv, args=(quits[0], quits))
        thread.start()
        thread.join()
    elif how == 2:
        os.execv("/bin/sh", ["sh", "-c", "exit 3"])
    elif how == 3:
        os.execv("/usr/bin/env", ["env"] + quits)
    os._exit(3)
wrong = 0
for number in range(0, 60, 4):
    pids = []
    for k in range(4):
        pids.append(os.fork())
        if not pids[-1]:
            try:
                worker(number + k)
            finally:
                os._exit(9)
    wrong += sum(os.waitpid(pid, 0)[1] != 3 << 8 for pid in pids)
print("wrong", wrong)
"""


def test_children_that_begin_threads_and_execute(t: Context) -> None:
    done = traced(t, PYTHON, script(t, "storm.py", BURN + STORM), options=("-F", "4999"))
    check("wrong 0" in done.out, "all exits are as they would be", done)


def test_what_others_trace(t: Context) -> None:
    strace = harness.need_tool("strace")
    done = record(t, strace, "-f", "-o", "trace.txt", PYTHON, script(t, "one.py", BURN + "burn(0.3)\nprint('whole')\n"))
    check("whole" in done.out and "Python processes that wperf could not trace" in done.out, "the ring samples it, and that is told", done)
    check("not traced, so with native stacks: python3.11 (another program traces it" in done.out.splitlines()[-1],
          "the quality line names it", done)
    native = re.search(r"python: 0 of (\d+) merged, (\d+) native \(\2 of processes that were not traced\)", done.out)
    check(native is not None and native[1] == native[2] and int(native[1]) > 30, "the quality line counts its samples", done)


def test_an_interpreter_without_symbols(t: Context) -> None:
    """It has nothing but the section that CPython since 3.11 has for its state."""
    done = traced(t, t.program("stripped_runtime"), "100")
    check_stops(t, done, 50, 0.8)


EINTR = """
import ctypes, os, select, threading
libc = ctypes.CDLL(None, use_errno=True)
stop = False
def burn():
    while not stop:
        pass
thread = threading.Thread(target=burn)
thread.start()
poll = select.epoll()
events = ctypes.create_string_buffer(64)
interrupted = 0
for _ in range(40):
    got = libc.epoll_wait(poll.fileno(), events, 4, 25)
    interrupted += got < 0 and ctypes.get_errno() == 4
stop = True
thread.join()
print("interrupted", interrupted)
"""


def test_no_system_call_is_interrupted(t: Context) -> None:
    path = script(t, "eintr.py", EINTR)
    bare = t.run(PYTHON, path)
    for hz in ("999", "4999"):
        done = traced(t, PYTHON, path, options=("-F", hz))
        check(bare.out.strip() in done.out, f"as many as bare: {bare.out}", done)


def state_of(pid: int) -> str:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


def cpu_of(pid: int) -> int:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))


def started_python(t: Context, *options: str) -> tuple:
    """The recorder of a program that burns CPU time for a while, and the program."""
    record(t, PYTHON, "-c", "pass")
    path = script(t, "long.py", BURN + "print('ready', flush=True)\nburn(20)\n")
    recorder = t.start(t.wperf, "record", "-g", "--engine", "stop", *options, "--", PYTHON, path)
    check(recorder.stdout.readline() != b"", "the program began")
    return recorder, harness.command_of(recorder, "python3.11")


def stays_stopped(pid: int) -> bool:
    """A thread is in the same state at each of its samples, for a moment."""
    before = cpu_of(pid)
    time.sleep(0.2)
    return state_of(pid) in "tT" and cpu_of(pid) == before


def test_stop_and_continue(t: Context) -> None:
    _, child = started_python(t, "-F", "4999")
    for _ in range(5):
        time.sleep(0.1)
        os.kill(child, signal.SIGSTOP)
        harness.wait_until(lambda: stays_stopped(child), "it stops and does not run")
        before = cpu_of(child)
        os.kill(child, signal.SIGCONT)
        harness.wait_until(lambda: cpu_of(child) > before, "it goes on")


JOBS = """
import os, signal, subprocess, sys, time
def seen(pid, options):
    status = os.waitpid(pid, options)[1]
    return ("stopped", os.WSTOPSIG(status)) if os.WIFSTOPPED(status) else ("continued",) if os.WIFCONTINUED(status) else status
child = subprocess.Popen([sys.executable, sys.argv[1]])
for _ in range(3):
    time.sleep(0.1)
    child.send_signal(signal.SIGSTOP)
    print(seen(child.pid, os.WUNTRACED))
    child.send_signal(signal.SIGCONT)
    print(seen(child.pid, os.WCONTINUED))
time.sleep(0.1)
child.send_signal(signal.SIGTERM)
print(seen(child.pid, 0))
"""


def test_parents_see_their_children_stop(t: Context) -> None:
    path, child = script(t, "jobs.py", JOBS), script(t, "long.py", BURN + "burn(20)\n")
    bare = t.run(PYTHON, path, child)
    done = traced(t, PYTHON, path, child, options=("-F", "4999"))
    check(bare.out.count("stopped") == 3 and bare.out in done.out, f"the same as bare\n{bare.describe()}", done)


def test_a_pipeline_has_its_statuses(t: Context) -> None:
    path = script(t, "three.py", "import sys\nprint('a')\nsys.exit(3)\n")
    done = record(t, "/bin/bash", "-c", f"{PYTHON} {path} | cat; echo ${{PIPESTATUS[@]}}; exec {PYTHON} {path}")
    check("3 0" in done.out and done.status == 3, "statuses of a pipeline", done)


def test_another_program_by_exec_is_sampled_by_the_ring(t: Context) -> None:
    path = script(t, "exec.py", BURN + "import os, sys\nburn(0.3)\nos.execv(sys.argv[1], sys.argv[1:])\n")
    done = traced(t, PYTHON, path, t.program("spin"), "300")
    stops = int(run_facts(t)["n_stops"])
    samples = harness.quality_of(done)["samples"]
    harness.note(f"{samples} samples, {stops} of them stops")
    # Both use 0.3 s of CPU time. Of the first one a part is in the kernel, for the stops.
    check(samples - stops >= 0.3 * samples, "the program after exec was sampled", done)
    check(stops >= 0.2 * samples, "the one before was too", done)


def test_lost_samples_are_those_that_no_stop_replaces(t: Context) -> None:
    """The recorder is stopped while an untraced program fills the ring, together with samples of the traced program that stops
    replace."""
    path = script(t, "lost.py", BURN + "burn(0.4)\nopen('begun', 'w').close()\nburn(60)\n")
    need_python()
    recorder = t.start(t.wperf, "record", "-g", "--engine", "stop", "-F", "999", "--", "/bin/sh", "-c",
                       f"{t.program('spin')} 60000 >/dev/null 2>&1 & echo $! >spin; exec {PYTHON} {path}")
    harness.wait_until(lambda: os.path.exists(t.path("begun")), "the program has begun")
    with open(t.path("spin"), encoding="ascii") as file:
        spin = int(file.read())
    recorder.send_signal(signal.SIGSTOP)
    stopped, before = time.monotonic(), harness.usage_of(spin).total()
    harness.wait_until(lambda: harness.usage_of(spin).total() > before + 1.8, "the untraced program has filled the ring", 40)
    recorder.send_signal(signal.SIGCONT)
    # The guardian keeps the stops of some seconds, and loses those of the others.
    lost_stops = 999 * max(0.0, time.monotonic() - stopped - 2)
    time.sleep(0.3)
    all_of_spin = 999 * harness.usage_of(spin).total()
    recorder.send_signal(signal.SIGINT)
    out, err = recorder.communicate(timeout=30)
    done = Done(recorder.returncode, out.decode(), err.decode(), 0)
    if "threads are not stopped at their samples" in done.out:
        raise Skip("the kernel does not stop threads at their samples")
    lost = harness.quality_of(done)["lost"]
    check(lost > 0, "samples were lost", done)
    harness.note(f"{lost} lost of {lost + harness.quality_of(done)['samples']}, {all_of_spin:.0f} at most of the untraced program")
    check(int(run_facts(t)["n_stops"]) > 100 and lost < all_of_spin + lost_stops, f"of the traced program at most {lost_stops:.0f}", done)


def test_other_programs_are_not_traced(t: Context) -> None:
    done = record(t, t.program("spin"), "200")
    check(HEADING not in done.out and "n_stops" not in run_facts(t), "nothing was traced", done)
    check(harness.quality_of(done)["samples"] >= 100, "it is sampled", done)


OFF = """
import os
def tell(word):
    os.write(ctl, word)
    assert os.read(ack, 5) == b"ack\\n\\0"
ctl, ack = os.open("ctl", os.O_WRONLY), os.open("ack", os.O_RDONLY)
burn(0.4)
say_usage("off", resource.RUSAGE_THREAD)
tell(b"enable\\n")
burn(0.5)
tell(b"disable\\n")
say_usage("all", resource.RUSAGE_THREAD)
burn(0.2)
"""


def test_events_that_are_off(t: Context) -> None:
    """The program itself switches them on and off: times would depend on how soon it begins."""
    os.mkfifo(t.path("ctl"))
    os.mkfifo(t.path("ack"))
    done = traced(t, PYTHON, script(t, "off.py", BURN + OFF), options=("-F", "999", "-D", "-1", "--control", "fifo:ctl,ack"))
    off, both = usage_said(done, "off"), usage_said(done, "all")
    on = harness.Usage(both.user - off.user, both.kernel - off.kernel, both.switches - off.switches)
    harness.check_samples(int(run_facts(t)["n_stops"]), on, 999, "stops while the events were on", done)


def test_as_nobody(t: Context) -> None:
    done = as_nobody_allowed(t, script(t, "nobody.py", BURN + "import os\nburn(0.5)\nprint(os.getuid())\nsay_usage('all')\n"))
    check(HEADING in done.out and str(NOBODY) in done.out, "traced as nobody", done)
    harness.check_samples(harness.quality_of(done)["samples"], usage_said(done, "all"), 999, "nobody", done)


def as_nobody_allowed(t: Context, path: str) -> Done:
    """Records a script as nobody, where the kernel allows it."""
    need_python()
    harness.need_root()
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        if int(file.read()) > 2:
            raise Skip("perf_event_paranoid 2")
    os.chmod(t.folder, 0o777)
    done = t.run(*nobody(), t.wperf, "record", "-g", "--engine", "stop", "-F", "999", "--session", "nobody.data", "--", PYTHON, path)
    if "the kernel refuses" in done.out:
        raise Skip(done.out)
    return done


HIDES = """
import ctypes
prctl = ctypes.CDLL(None).prctl
burn(0.2)
say_usage("before")
prctl(4, 0)  # PR_SET_DUMPABLE
burn(0.4)
say_usage("all")
"""


def test_a_program_that_hides_its_memory_while_it_is_traced(t: Context) -> None:
    """The kernel does not let wperf read its stacks any more, so the ring samples it."""
    done = as_nobody_allowed(t, script(t, "hides.py", BURN + HIDES))
    last = done.out.splitlines()[-1]
    check(HEADING in done.out and "not traced, so with native stacks: python3.11 (" in last, "the quality line names it", done)
    own_samples.check_whole_stacks(done)
    os.chown(t.path("nobody.data"), os.geteuid(), os.getegid())
    before, both = usage_said(done, "before"), usage_said(done, "all")
    samples, stops = harness.quality_of(done)["samples"], int(run_facts(t, "nobody.data")["n_stops"])
    harness.check_samples(samples, both, 999, "both parts", done)
    harness.check_samples(stops, before, 999, "stops before it hid its memory", done)


BLOCKS = """
import signal, threading
def blocked():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTRAP})
    burn(0.5)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTRAP})
    burn(0.5)
burn(0.2)
thread = threading.Thread(target=blocked)
thread.start()
thread.join()
say_usage("all")
"""


def test_a_thread_that_blocks_the_signal(t: Context) -> None:
    done = traced(t, PYTHON, script(t, "blocks.py", BURN + BLOCKS))
    check("threads that block SIGTRAP, stopped at random moments instead: 1" in done.out, "the thread was found", done)
    stops, samples = int(run_facts(t)["n_stops"]), harness.quality_of(done)["samples"]
    periods = [int(period) for period in re.findall(r"  SAMPLE  .* period (\d+) ", t.good("dump").out)]
    harness.note(f"{samples} samples, {stops} of them stops, {sum(period > 2000000 for period in periods)} of more than two periods")
    # It blocks the signal in 0.5 s of its 1.2 s, and has fewer samples then, of more time; the engine finds that after 0.1 s.
    check(stops >= 0.9 * samples - 9, "all are stops", done)
    used = usage_said(done, "all").total()
    check(0.85 * used < sum(periods) / 1e9 < 1.1 * used, f"{sum(periods) / 1e9} s of {used} s: none twice, and few missing", done)


def test_a_trap_that_the_program_sends_itself(t: Context) -> None:
    text = BURN + "import os\nburn(0.1)\nos.kill(os.getpid(), 5)\nburn(0.1)\nprint('alive')\n"
    done = t.ours("record", "-g", "--engine", "stop", "--", PYTHON, script(t, "trap.py", text))
    check(done.status == 128 + signal.SIGTRAP and "alive" not in done.out, "it ends by the signal", done)
    text = "import os, signal\nsignal.signal(signal.SIGTRAP, lambda *_: print('handled'))\n" + text
    done = traced(t, PYTHON, script(t, "handles.py", text))
    check("handled\nalive" in done.out, "a handler is called", done)


def end_of_recorder(t: Context, path: str) -> str:
    """Kills the recorder of a program that has printed that it runs; returns how the program ends."""
    recorder = t.start(t.wperf, "record", "-g", "--engine", "stop", "-F", "4999", "-q", "--", PYTHON, path)
    child = int(recorder.stdout.readline())
    time.sleep(0.02 + os.getpid() * time.monotonic_ns() % 20000 / 1e6)
    os.kill(recorder.pid, signal.SIGKILL)
    recorder.wait()
    try:
        before = cpu_of(child)
        harness.wait_until(lambda: cpu_of(child) > before, "it runs on")
        return "runs"
    except (FileNotFoundError, AssertionError) as error:
        return str(error)
    finally:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass


@harness.limit(900)
def test_the_recorder_is_killed(t: Context) -> None:
    record(t, PYTHON, "-c", "pass")
    path = script(t, "on.py", BURN + "import os\nprint(os.getpid(), flush=True)\nburn(20)\n")
    ends = [end_of_recorder(t, path) for _ in range(int(os.environ.get("TRIALS", "50")))]
    bad = [end for end in ends if end != "runs"]
    check(not bad, f"{len(bad)} of {len(ends)} programs died or stopped: {bad[:3]}")


def test_a_debugger_among_the_children(t: Context) -> None:
    gdb = harness.need_tool("gdb")
    text = f"""
import os, subprocess
print(subprocess.run(["{gdb}", "-p", str(os.getpid()), "-batch"], capture_output=True, text=True).stderr)
"""
    done = traced(t, PYTHON, script(t, "debugged.py", text))
    check("Operation not permitted" in done.out and "--engine peek" in done.out, "the heading names the way out", done)


PRIVILEGED = """
import multiprocessing, os, subprocess, sys, threading
program, capable, link = sys.argv[1:4]
def text(*argv, **options):
    return subprocess.run(argv, capture_output=True, text=True, **options).stdout.strip()
def execute(how):
    burn(how)
    os.execv(program, [program, "-u"])
def process(how):
    child = multiprocessing.get_context("fork").Process(target=execute, args=(how,))
    child.start()
    child.join()
print(text(program, "-u"), text(program, "-u", close_fds=False), text(program, "-u", preexec_fn=lambda: None))
print(text("/usr/bin/env", program, "-u"), text("/bin/sh", "-c", program + " -u; true"), flush=True)
os.system(program + " -u")
os.waitpid(os.posix_spawn(program, [program, "-u"], {}), 0)
process(0)
process(0.02)
print("threads", flush=True)
def several():
    for _ in range(10):
        if text(program, "-u") != "0":
            print("lost in a thread")
threads = [threading.Thread(target=several) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
if os.fork() == 0:
    burn(0.02)
    os.chdir(os.path.dirname(program))
    os.execv(os.path.basename(program), ["relative", "-u"])
os.wait()
if os.fork() == 0:
    burn(0.02)
    os.execv(os.open(program, os.O_RDONLY), ["descriptor", "-u"])
os.wait()
if os.fork() == 0:
    burn(0.02)
    thread = threading.Thread(target=execute, args=(0,))
    thread.start()
    thread.join()
os.wait()
if os.fork() == 0:
    burn(0.02)
    os.execv(capable, [capable, "CapEff", "/proc/self/status"])
os.wait()
if os.fork() == 0:
    burn(0.02)
    os.execv(link, [link, "/proc/self/status"])
os.wait()
print("itself", flush=True)
execute(0.02)
"""


def need_setuid(t: Context) -> str:
    """A setuid copy of id that all users may run."""
    harness.need_root()
    os.chmod(t.folder, 0o777)
    program = t.path("id")
    shutil.copy("/usr/bin/id", program)
    os.chmod(program, 0o4755)
    if t.run(*nobody(), program, "-u").out.strip() != "0":
        raise Skip("setuid programs in " + t.folder)
    return program


def nobody() -> list[str]:
    return [harness.need_tool("setpriv"), "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]


def as_nobody(t: Context, *argv: str) -> Done:
    done = t.run(*nobody(), t.wperf, "record", "-g", "--engine", "stop", "-F", "4999", "--", *argv)
    if "the kernel refuses" in done.out or "perf_event_paranoid" in done.err:
        raise Skip("events or ptrace for nobody")
    return done


def test_privileged_programs_keep_their_privilege(t: Context) -> None:
    need_python()
    program, capable, path = need_setuid(t), t.path("capable"), script(t, "privileged.py", BURN + PRIVILEGED)
    shutil.copy(harness.need_tool("grep"), capable)
    if t.run(harness.need_tool("setcap"), "cap_net_raw+ep", capable).status:
        raise Skip("file capabilities")
    link = script(t, "capabilities", f"#!{capable} CapEff\n")
    bare = t.run(*nobody(), PYTHON, path, program, capable, link)
    check(bare.out.count("0000000000002000") == 2, "what has file capabilities has them bare", bare)
    for _ in range(3):
        done = as_nobody(t, PYTHON, path, program, capable, link)
        check(HEADING in done.out and bare.out in done.out, f"the same output as bare\n{bare.describe()}", done)
        check("without its privileges" not in done.out, "no word of lost privilege", done)


def test_a_privileged_program_that_can_not_be_read(t: Context) -> None:
    need_python()
    program = need_setuid(t)
    os.chmod(program, 0o4711)
    text = BURN + "import os, sys\nburn(0.02)\nos.execv(sys.argv[1], [sys.argv[1], '-u'])\n"
    done = as_nobody(t, PYTHON, script(t, "hidden.py", text), program)
    check("may have run without its privileges: id (" in done.out.splitlines()[-1], "the quality line names it", done)


def test_wrong_words(t: Context) -> None:
    done = t.ours("record", "--engine", "rung", "--", "/bin/true")
    check(done.status == 2, "wrong usage", done)
    harness.check_sentence(done, "--engine", "ring or stop")


def test_only_with_stacks(t: Context) -> None:
    need_python()
    done = t.ours("record", "--no-stacks", "--engine", "stop", "--", PYTHON, "-c", "pass")
    check("leave --no-stacks out" in done.out and HEADING not in done.out, "the heading says why nothing is traced", done)


def test_a_command_that_is_not_there(t: Context) -> None:
    done = t.ours("record", "-g", "--engine", "stop", "--", "/nonexistent/python3")
    check(done.status == 127, "not found", done)


ENDS = """
import os
while True:
    burn(0.05)
    with open("new", "w") as file:
        print(time.thread_time(), file=file)
    os.rename("new", "used")
"""


def test_the_end_by_the_recorder(t: Context) -> None:
    """The program writes down from time to time how much CPU time it has used."""
    done = traced(t, PYTHON, script(t, "ends.py", BURN + ENDS), options=("--timeout", "2"))
    with open(t.path("used"), encoding="ascii") as file:
        used = float(file.read())
    samples = harness.quality_of(done)["samples"]
    harness.note(f"{samples} samples, {used:.2f} s of CPU time or a little more")
    check(done.status == 0 and samples >= 0.5 * used * 999, "a readable session of the whole time", done)
    check(harness.quality_of(t.good("report"))["samples"] == samples, "report reads it")


def test_nothing_is_left_behind(t: Context) -> None:
    recorder, child = started_python(t, "--timeout", "1")
    recorder.wait(harness.WAIT_SECONDS)
    check(not os.path.exists(f"/proc/{child}"), "the command is gone")


if __name__ == "__main__":
    harness.main(__name__)
