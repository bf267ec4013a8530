#!/usr/bin/python3
"""record --wall: programs that measure their own waits, and the times by state that wperf shows of them."""
import json
import os
import re
import signal
import sys

import harness
import pythons
from harness import Context, check

PYTHON = "/usr/bin/python3.11"
WORK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wall_work.py")
NOBODY = 65534


def need_python() -> None:
    if not os.path.exists(PYTHON):
        raise harness.Skip(PYTHON)


def wall_of(t: Context, path: str) -> dict:
    return harness.document_of(t.good("report", "--json", "--force", "-i", path))["wall"]


def said_by_itself(text: str) -> dict:
    return json.loads(next(line for line in text.splitlines() if line.startswith('{"waits"')))


def seconds_of(wall: dict, function: str, state: str) -> float:
    return sum(row["seconds"].get(state, 0) for row in wall["functions"] if row["function"] == function)


def recorded(t: Context, *argv: str, **options) -> harness.Done:
    """What the command prints on standard error is part of the result."""
    done = t.ours(*argv, **options)
    check(done.status == 0, "wperf " + " ".join(argv), done)
    return done


def looks_of(t: Context, path: str) -> list[tuple[int, int, int]]:
    """Of each reading its thread, its time and the time since the look before, in nanoseconds."""
    dump = t.good("dump", "--force", "-i", path).out
    return [(int(tid), int(at), int(look)) for at, tid, look in re.findall(r"^ +time (\d+) pid \d+ tid (\d+) how .* look_ns (\d+)", dump, re.M)]


def cpu_seconds(pid: int) -> float:
    """Of the process's first thread so far, as the kernel counts it."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


def check_waits(t: Context, path: str, said: dict, is_paced: bool = False) -> None:
    """A wait counts whole if the first look that met it came sooner after the one before than half of the wait lasted, whatever the load.
    It is then as long as the kernel says that the thread neither ran nor was ready to run, and not longer than it took; of that time, a
    thread that was woken may have waited for the GIL."""
    wall, looks, n_whole = wall_of(t, path), looks_of(t, path), 0
    # where a wait begins and ends is known up to the time between two looks, if switches are not
    most = 0.02 + (2 * max(look for _, _, look in looks) / 1e9 if is_paced else 0)
    for function, (state, seconds, *exact) in said["waits"].items():
        shown = seconds_of(wall, function, state)
        if not exact:
            check(abs(shown - seconds) < 0.05 * seconds + 0.06, f"{function}: {shown} s {state}, and it measured {seconds}: {wall}")
            continue
        blocked, tid, begin, end = exact
        gil = seconds_of(wall, function, "gil")
        met = [look for of, at, look in looks if of == tid and begin < at < end]
        if met and met[0] < blocked * 1e9 / 2:
            check(blocked - gil - most < shown < seconds + most,
                  f"{function}: {shown} s {state}, and it measured {seconds} s, of which {blocked} s neither on a CPU nor ready: {wall}")
            n_whole += 1
    check(n_whole > 0, f"a wait was met: {looks}, {said}")
    states = sum(wall["seconds"].values())
    lived = sum(said["threads"])
    # threads of timers and of the start-up, which the program does not measure, are in the sum as well
    check(states > 0.97 * lived, f"all states have {states} s, and the threads lived {lived} s")


def test_each_wait_has_its_time(t: Context) -> None:
    need_python()
    path = t.path("s.data")
    done = recorded(t, "record", "--wall", "--session", path, "--", PYTHON, WORK)
    check_waits(t, path, said_by_itself(done.err))
    cut = re.search(r"(\d+) cut stacks", done.out.splitlines()[-1])
    check(cut is not None and int(cut[1]) <= 3, "threads that have just begun have their stacks", done)
    first = "\n".join(done.out.splitlines()[:26])
    check(re.search(r"^idle +\d+\.\d\d +\d+ .*queue\.get|^idle +\d+\.\d\d +\d+ .*Queue\.get", first, re.M) is not None, "idle threads", done)
    check(re.search(r"^waiting +\d", first, re.M) is not None, "the states come first", done)
    check(re.search(r"^ +wall +CPU .*sleep.*function", first, re.M) is not None, "and then functions", done)


def test_without_rights(t: Context) -> None:
    need_python()
    harness.need_root()
    path = t.path("s.data")
    os.chmod(os.path.dirname(path), 0o777)
    done = recorded(t, "record", "--wall", "--session", path, "--", PYTHON, WORK, user=NOBODY)
    check_waits(t, path, said_by_itself(done.err))


def test_without_events(t: Context) -> None:
    """Where the kernel refuses events, threads are looked at, launched and attached."""
    need_python()
    path = t.path("s.data")
    done = recorded(t, "record", "--wall", "--engine", "pace", "--session", path, "--", PYTHON, WORK)
    check("when threads ran and waited is known from times in /proc" in done.out, "the heading says so", done)
    said, wall = said_by_itself(done.err), wall_of(t, path)
    check_waits(t, path, said, is_paced=True)
    check("wperf" not in wall["seconds"], f"no wait is taken for a stop: {wall}")
    threads = "import threading, time\nfor i in range(5):\n t = threading.Thread(target=lambda: time.sleep(0.8))\n t.start()\n t.join()\n"
    recorded(t, "record", "--wall", "--engine", "pace", "--session", path, "--", PYTHON, "-c", threads + "time.sleep(0.5)")
    ended, late = wall_of(t, path), 2 * max(look for _, _, look in looks_of(t, path)) / 1e9
    asleep = ended["seconds"].get("sleep", 0) + ended["seconds"].get("unknown", 0)
    # one after the other; what they did after the last look at them is not known
    check(4.5 - 6 * late < asleep < ended["elapsed_seconds"] + 6 * late, f"five threads that slept for 0.8 s until they ended, and one for 0.5 s: {ended}")
    target = t.start(PYTHON, "-c", "import time\nprint('x', flush=True)\nwhile True:\n t = time.process_time()\n while time.process_time() < t + 0.05: pass\n time.sleep(0.1)")
    target.stdout.readline()
    before = cpu_seconds(target.pid)
    recorded(t, "record", "--wall", "--engine", "pace", "--session", path, "-p", str(target.pid), "-d", "2")
    most = cpu_seconds(target.pid) - before
    wall = wall_of(t, path)
    check(0.85 * wall["elapsed_seconds"] < sum(wall["seconds"].values()) < 1.1 * wall["elapsed_seconds"], f"all of two seconds: {wall}")
    check(wall["seconds"]["sleep"] > 0 and 0 < wall["seconds"]["on-cpu"] < most + 0.01, f"it ran for {most} s at most: {wall}")


USED_AGAIN = """
import json, sys, threading, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass

def alive(work):
    def run():
        began = time.monotonic()
        tids.append(threading.get_native_id())
        if tids[-1] == tids[0]:
            work()
            lived.append(time.monotonic() - began)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()

def short():
    for _ in range(8):
        burn(0.02)
        time.sleep(0.05)

tids, lived = [], []
alive(lambda: burn(0.3))
time.sleep(3)
for _ in range(300):
    try:
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(tids[0] - 1))
    except OSError:
        break
    alive(short)
    if len(lived) == 2:
        break
print(json.dumps({"waits": 0, "tid": tids[0], "lived": lived}), file=sys.stderr)
"""


def test_a_number_that_another_thread_has_again(t: Context) -> None:
    """The second thread has neither the times of the first one nor the time between them."""
    need_python()
    harness.need_root()
    path = t.path("s.data")
    done = recorded(t, "record", "--wall", "--engine", "pace", "--session", path, "--", PYTHON, "-c", USED_AGAIN)
    said = said_by_itself(done.err)
    if len(said["lived"]) < 2:
        raise harness.Skip("a thread number that is used again")
    wall = harness.document_of(t.good("report", "--json", "--force", "-i", path, "--tid", str(said["tid"])))["wall"]
    seconds = wall["seconds"]
    check(abs(sum(seconds.values()) - sum(said["lived"])) < 1.5, f"the threads lived {said['lived']} s: {seconds}")
    # 0.3 s of the first thread and 0.16 s of the second one; what they did after the last look at them is not known
    check(0.3 < seconds["on-cpu"] < 0.55, f"{seconds}")


def test_short_waits_share_out_their_time(t: Context) -> None:
    """They are shorter than the time between two looks, so that not all of them are read."""
    path = t.path("s.data")
    done = recorded(t, "record", "--wall", "--session", path, "--", t.program("wall_locks"))
    waited = float(done.err.splitlines()[-1])
    wall = wall_of(t, path)
    shown = sum(row["seconds"].get("lock", 0) for row in wall["functions"])
    n = len(re.findall(r"\bwaiting\b", t.good("export", "-i", path, "--format", "perf-script", "--mode", "cpu").out))
    check(n > 20, f"{n} readings")
    check(abs(shown - waited) < 0.35 * waited, f"{shown} s for the mutex, and it measured {waited}: {wall}")


LOCKS_OF_PYTHON = """
import threading, time
kept, plain = threading.RLock(), threading.Lock()

def hold(lock):
    with lock:
        time.sleep(0.1)

def work(lock):
    for _ in range(4):
        hold(lock)

workers = [threading.Thread(target=work, args=(lock,)) for lock in (kept, plain) * 3]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
"""


@harness.limit(200)
def test_locks_of_python_have_names_and_owners(t: Context) -> None:
    path = t.path("s.data")
    for kind in pythons.installed():
        recorded(t, "record", "--wall", "--session", path, "--", pythons.find_python(kind), "-c", LOCKS_OF_PYTHON)
        locks = harness.document_of(t.good("report", "--sort", "lock", "--json", "-i", path))["locks"]["rows"]
        waits = {row["lock"]: row for row in locks if row["function"] == "hold"}
        check({"RLock", "Lock"} <= set(waits), f"{kind}: both have their names: {locks}")
        check(any(row["lock"].endswith("join") for row in locks), f"{kind}: what a lock is for is said: {locks}")
        check(waits["RLock"]["owner_seconds"] > 0.5 * waits["RLock"]["seconds"], f"{kind}: an RLock has an owner: {locks}")
        check(waits["RLock"]["owner_function"] == "hold", f"{kind}: which runs in hold(): {locks}")
        check(waits["Lock"]["owner_seconds"] == 0, f"{kind}: a Lock has none: {locks}")


def test_perf_opens_the_session(t: Context) -> None:
    perf = harness.need_tool("perf")
    path = t.path("s.data")
    recorded(t, "record", "--wall", "--session", path, "--", t.program("wall_locks"))
    done = t.run(perf, "report", "-i", path, "--stdio", "-f")
    check(done.status == 0 and "of event 'waiting'" in done.out and "hold_mutex" in done.out, "perf's table", done)


def test_readings_are_written_while_it_records(t: Context) -> None:
    """Else they would take more and more memory until the end."""
    path, piece = t.path("s.data"), b"WPERFSEC" + (234).to_bytes(4, sys.byteorder)
    recorder = t.start(t.wperf, "record", "-q", "--wall", "-o", path, "--", "sh", "-c", "while sleep 0.05; do :; done")

    def pieces() -> int:
        with open(path, "rb") as file:
            return file.read().count(piece)

    harness.wait_until(lambda: os.path.exists(path) and pieces() > 1, "two parts of the readings")
    recorder.send_signal(signal.SIGINT)
    done = harness.finish(recorder)
    check(pieces() > 2 and len(looks_of(t, path)) > 0 and wall_of(t, path)["seconds"], f"readings of {pieces()} parts", done)


def test_words_for_wall_time(t: Context) -> None:
    for words in ("--mode", "wall"), ("--off-cpu",), ("--switch-events",), ("--latency",):
        path = t.path("s.data")
        t.good("record", *words, "--session", path, "--", "sleep", "0.3")
        wall = wall_of(t, path)
        check(0.25 < wall["seconds"]["sleep"] < 3, f"{words}: {wall}")


def rows_of(t: Context, path: str, *argv: str) -> list[list[str]]:
    """Lines of CSV without the heading."""
    return [line.split(",") for line in t.good("report", "-i", path, "--csv", *argv).out.splitlines()[1:]]


def test_views_by_wall_time(t: Context) -> None:
    """Tables, trees, exports and annotated source show the same times as the states."""
    need_python()
    path = t.path("s.data")
    recorded(t, "record", "--wall", "--session", path, "--", PYTHON, WORK)
    seconds = wall_of(t, path)["seconds"]
    shown = {state: n for state, n in seconds.items() if state not in ("idle", "wperf")}
    rows = rows_of(t, path, "--sort", "state")
    check({row[-1]: True for row in rows} == {state: True for state in shown}, f"{rows}, and the states {shown}")
    for row in rows:
        check(abs(float(row[-2]) - shown[row[-1]]) < 0.002, f"{row}, and the states {shown}")
    rows = rows_of(t, path, "--sort", "state,python", "--state", "sleep")
    check(any(row[-1] == "nap" for row in rows) and all(row[-2] == "sleep" for row in rows), f"{rows}")
    check(any(row[-1] == "idle" for row in rows_of(t, path, "--sort", "state", "--idle")), "--idle adds a state")
    folded = t.good("export", "-i", path, "--format", "folded", "--weights").out
    naps = [line.rpartition(" ") for line in folded.splitlines() if "nap [" in line and line.rpartition(" ")[0].endswith(";[sleep]")]
    check(abs(sum(int(nap[2]) for nap in naps) / 1e9 - seconds_of(wall_of(t, path), "nap", "sleep")) < 0.002, f"{naps}")
    total = sum(int(line.rpartition(" ")[2]) for line in folded.splitlines()) / 1e9
    check(abs(total - sum(shown.values())) < 0.002, f"{total} s in stacks, and the states {shown}")
    tree = t.good("report", "-i", path, "-g", "--python", "only").out
    check(re.search(r"nap \[.*\] > \[sleep\]", tree) is not None, "a state is below the function that waits", tree)
    lines = t.good("annotate", "-i", path, "nap").out
    check(re.search(r"^ *\d+\.\d+ .*sleep\(", lines, re.M) is not None, "the line that waits", lines)
    check("[sleep]" in t.good("export", "-i", path, "--format", "svg").out, "a picture by wall time")


def test_latency(t: Context) -> None:
    """Threads that take turns are alone on a CPU: then latency has the shares of CPU time."""
    need_python()
    path, other = t.path("s.data"), t.path("other.data")
    recorded(t, "record", "--wall", "--session", path, "--", "taskset", "-c", "0", PYTHON, WORK)
    shares = [{row[-1]: float(row[-3]) for row in rows_of(t, path, "--sort", "python", *mode)} for mode in (("--latency",), ("--mode", "cpu"))]
    check(abs(shares[0]["spin"] - shares[1]["spin"]) < 0.1, f"{shares}")
    recorded(t, "record", "--session", other, "--", "true")
    done = t.ours("report", "--latency", "-i", other)
    check(done.status == 1 and "--latency needs to know when threads ran" in done.err, "it needs switches", done)
    done = t.ours("report", "--mem", "--latency", "-i", path)
    check(done.status == 2 and "--mem and --latency" in done.err, "two latencies", done)
    done = t.ours("report", "--sort", "latency", "-i", path)
    check(done.status == 2 and "write --latency" in done.err, "the other one is named", done)
    done = t.ours("report", "--latency", "--state", "lock", "-i", path)
    check(done.status == 2, "there is no latency of waiting", done)


def test_states_over_time(t: Context) -> None:
    """Waits that are longer than a slice count in it for as long as they lasted there."""
    need_python()
    path = t.path("s.data")
    recorded(t, "record", "--wall", "--session", path, "--", PYTHON, WORK)
    halves = [json.loads(t.good("report", "-i", path, "--json-extended", "--time", half).out)["wall"]["seconds"] for half in ("0%-50%", "50%-100%")]
    whole = wall_of(t, path)["seconds"]
    for state in ("idle", "lock", "sleep", "network", "pipe", "child"):
        both = halves[0].get(state, 0) + halves[1].get(state, 0)
        # before the first sample and after the last one there is time, too
        check(abs(both - whole[state]) < 0.05 * whole[state] + 0.06, f"{state}: {halves} of {whole[state]}")
    strips = json.loads(t.good("report", "-i", path, "--threads", "--json").out)["strips"][0]
    column = (strips["to_ns"] - strips["from_ns"]) / 1e9 / len(strips["rows"][0]["columns"])
    naps = sum(row["states"].count("sleep") for row in strips["rows"]) * column
    check(abs(naps - whole["sleep"]) < 0.25 * whole["sleep"] + 2 * column, f"{naps} s of sleep in strips, and {whole['sleep']}")
    text = t.good("report", "-i", path, "--threads").out
    check(re.search(r"sss", text) is not None and "s sleep, " in text and "n network, " in text, "letters of states", text)


def test_only_cpu_time(t: Context) -> None:
    need_python()
    path, other = t.path("s.data"), t.path("other.data")
    works = PYTHON, "-c", "import time; time.sleep(0.2); sum(range(9 ** 7))"
    recorded(t, "record", "--wall", "--session", path, "--", *works)
    recorded(t, "record", "--session", other, "--", *works)
    done = t.good("report", "-i", path, "--mode", "cpu")
    check("cpu-clock, top" in done.out and "waiting  " not in done.out and "wall-time" not in done.out, "CPU time", done)
    for command in ("diff", path, other), ("check", path, "--", other):
        done = t.ours(*command)
        check(done.status != 0 and "add --mode cpu" in done.err, "wall time and CPU time are not compared", done)
    done = t.good("diff", "--mode", "cpu", path, other)
    check("CPU time" in done.out and "wall-time" not in done.out, "CPU time of both is compared", done)
    for option in ("--state", "lock"), ("--idle",), ("--mode", "wall"), ("--sort", "state"):
        done = t.ours("report", "-i", other, *option)
        check(done.status == 1 and "record --wall" in done.err, f"{option} needs the states", done)
    for option in ("--state", "wating"), ("--state", ","), ("--mode", "gpu"), ("--mode", "cpu", "--idle"):
        done = t.ours("report", "-i", path, *option)
        check(done.status == 2, f"{option} is wrong", done)


COLLECTING = """
import gc, json, time

collected = 0.0
began = 0.0

def seen(phase, info):
    global collected, began
    if phase == "start":
        began = time.thread_time()
    else:
        collected += time.thread_time() - began

class Node:
    def __init__(self):
        self.own = self

def make(n):
    return [Node() for _ in range(n)]

gc.callbacks.append(seen)
kept = make(100000)
for _ in range(20):
    make(20000)
    gc.collect()
print(json.dumps([collected, time.thread_time()]))
"""


def check_collecting(t: Context, path: str, gc: float) -> None:
    """Filter, key and exports have the same time as the states."""
    states = {row["state"]: float(row["seconds"]) for row in harness.csv_of(t.good("report", "--sort", "state", "--csv", "-i", path))}
    check(abs(states["gc"] - gc) < 0.002, f"--sort state: {states}, and the states have {gc}")
    for chosen, words in ("gc", {"gc"}), ("on-cpu", {"gc", "on-cpu"}):
        rows = harness.csv_of(t.good("report", "--sort", "state", "--state", chosen, "--csv", "-i", path))
        check({row["state"] for row in rows} == words, f"--state {chosen}: {rows}")
    # what a picture is made of
    folded = t.good("export", "-i", path, "--format", "folded", "--weights", "--python", "only").out
    collecting = [line.rsplit(" ", 1) for line in folded.splitlines() if line.rsplit(" ", 1)[0].endswith(";[gc]")]
    check(abs(sum(int(ns) for _, ns in collecting) / 1e9 - gc) < 0.002, f"stacks: {collecting}, and the states have {gc}")
    check(any(re.search(r"<module> \[<string>:\d+\];\[gc\]$", stack) for stack, _ in collecting), f"it called gc.collect: {collecting}")
    firefox = t.good("export", "-i", path, "--format", "firefox", "--state", "gc").out
    thread = json.loads(firefox)["threads"][0]
    check(sum(thread["samples"]["threadCPUDelta"]) > 0, "a profile for Firefox has it as CPU time")


@harness.limit(200)
def test_garbage_collection(t: Context) -> None:
    """A part of the time on CPUs, whose shares have the standard error of their samples."""
    path, n_checked = t.path("s.data"), 0
    for kind in pythons.installed():
        done = recorded(t, "record", "--wall", "--session", path, "--", pythons.find_python(kind), "-c", COLLECTING)
        collected, all_of_it = json.loads(re.search(r"^\[.*\]$", done.out, re.M)[0])
        wall = wall_of(t, path)
        hottest = harness.csv_of(t.good("report", "--mode", "cpu", "--csv", "-i", path))[0]
        if re.match("0x|unknown", hottest["symbol"]):
            continue  # the functions of this interpreter have no names
        n_checked += 1
        gc = wall["seconds"]["gc"]
        share, true = gc / (gc + wall["seconds"]["on-cpu"]), collected / all_of_it
        error = (true * (1 - true) / (999 * all_of_it)) ** 0.5
        check(abs(share - true) < 5 * error + 0.05, f"{kind}: {share:.3f} of the CPU time, and it measured {true:.3f}: {wall['seconds']}")
        lines = t.good("report", "--stdio", "-i", path).out
        check(re.search(r"^on CPU .*  garbage collection \d", lines, re.M), f"{kind}: in text: {lines[:500]}")
        check(re.search(r"^ +wall +CPU +gc .*function", lines, re.M), f"{kind}: a column: {lines[:500]}")
        check_collecting(t, path, gc)
    check(n_checked > 0, "an interpreter has names")


def test_a_process_that_sleeps_all_the_time(t: Context) -> None:
    """The kernel has no switch to record."""
    target = t.launch("sleep", "100")
    harness.wait_until(lambda: "(sleep) S" in open(f"/proc/{target.pid}/stat", encoding="utf-8").read(), "it sleeps")
    path = t.path("s.data")
    recorded(t, "record", "--wall", "--session", path, "-p", str(target.pid), "-d", "0.6")
    wall = wall_of(t, path)
    check(0.4 < wall["seconds"]["sleep"] < 6 and wall["threads"] == 1, f"{wall}")


def pids_read(t: Context, path: str) -> set[int]:
    section = t.good("dump", "-i", path).out.split("\n  WPERF_WAITS\n", 1)[1]
    return {int(pid) for pid in re.findall(r"^ +time \d+ pid (\d+) tid .* how still", section, re.M)}


def test_children_that_run_already_are_not_read(t: Context) -> None:
    """Their events are not recorded, so they would be shown as threads that never ran."""
    old = t.path("old")
    parent = t.launch("sh", "-c", f"sleep 100 & echo $! >{old}; while :; do sleep 0.3; done")
    harness.wait_until(lambda: os.path.exists(old) and os.path.getsize(old) > 1, "its first child")
    child = int(open(old, encoding="utf-8").read())
    path = t.path("s.data")
    recorded(t, "record", "--wall", "--session", path, "-p", str(parent.pid), "-d", "1.5")
    read = pids_read(t, path)
    os.kill(child, 9)
    check(parent.pid in read and len(read) >= 3 and child not in read, f"the parent {parent.pid} and new children were read, and {child} not: {read}")


def test_a_control_group(t: Context) -> None:
    with harness.control_group(t) as group:
        inside = t.launch("sh", "-c", f"echo $$ >{group}/cgroup.procs && while :; do sleep 0.2; done")
        outside = t.launch("sh", "-c", "while :; do sleep 0.2; done")
        harness.wait_until(lambda: str(inside.pid) in open(f"{group}/cgroup.procs", encoding="utf-8").read().split(), "it is in the group")
        path = t.path("s.data")
        recorded(t, "record", "--wall", "--session", path, "--cgroup", os.path.basename(group), "-d", "1")
        read = pids_read(t, path)
        check(inside.pid in read and outside.pid not in read and os.getpid() not in read, f"{inside.pid} was read, and {outside.pid} not: {read}")


def test_what_it_cannot_be_combined_with(t: Context) -> None:
    for words, left_out in (("-D 10", "-D"), ("--no-inherit", "--no-inherit"), ("--per-thread", "--per-thread")):
        done = t.ours("record", "--wall", *words.split(), "--session", t.path("s.data"), "--", "sh", "-c", "echo ran")
        check(done.status == 2 and f": leave out {left_out}\n" in done.err and "ran" not in done.out, f"{words} is refused", done)
    done = t.ours("record", "--wall", "-a", "-c", "0", "-d", "0.1", "--session", t.path("s.data"))
    check(done.status == 2 and "list of CPUs" in done.err, "a list of CPUs is refused", done)
    check(not os.path.exists(t.path("s.data")), "nothing is recorded")


def test_the_line_that_names_it(t: Context) -> None:
    done = t.good("record", "--session", t.path("s.data"), "--", "sleep", "0.5")
    check(re.search(r"^off CPU: (9\d|100) % of the time; --wall shows why$", done.out, re.M) is not None, "sleep waits", done)


if __name__ == "__main__":
    harness.main(__name__)
