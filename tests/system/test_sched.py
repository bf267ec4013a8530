#!/usr/bin/python3
"""Wall time of sessions that perf records from the scheduler's tracepoints, beside what perf says of them."""
import json
import os
import re

import firefox_schema
import harness
from harness import Context, check

SLEEPER = "import os, time; os.fork() or (time.sleep(0.4), os._exit(0)); os.wait()"


def perf_with_tracepoints(t: Context, *argv: str) -> str:
    """Runs perf in a mount namespace of its own that has tracefs; returns the session's path."""
    harness.need_root()
    harness.need_mounts()
    harness.need_tool("perf")
    path = t.path("perf.data")
    script = 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec "$@"'
    done = t.run("unshare", "-m", "sh", "-c", script, "sh", "perf", *argv[:argv.index("--")], "-o", path, "--", *argv[argv.index("--") + 1:])
    if not os.path.exists(path) or not os.path.getsize(path):
        raise harness.Skip(f"perf cannot record tracepoints: {done.err[-200:]}")
    return path


def sleeper(t: Context) -> tuple[str, ...]:
    """Its processes have a name of their own, because perf sched records all of the machine."""
    path = t.path("napper")
    if not os.path.exists(path):
        os.symlink("/usr/bin/python3", path)
    return ("--", path, "-c", SLEEPER)


def wall_of(t: Context, path: str, *options: str) -> dict:
    return harness.document_of(t.good("report", "--json", "-i", path, *options))["wall"]["seconds"]


def check_sleeper(seconds: dict) -> None:
    """Each of both processes waits for the 0.4 s, and no process of them for much else."""
    for state in ("sleep", "child"):
        check(0.39 < seconds.get(state, 0) < 0.4 + 0.3, f"{state}: {seconds}")


def test_perf_sched_record(t: Context) -> None:
    path = perf_with_tracepoints(t, "sched", "record", "-g", *sleeper(t))
    check_sleeper(wall_of(t, path, "--comm", "napper"))
    without = wall_of(t, path, "--mode", "wall", "--idle")
    check(without["runnable"] > 0 and without["on-cpu"] > 0, f"all states: {without}")
    done = t.good("report", "-i", path, "--comm", "napper", "--state", "sleep", "-g")
    check("[sleep]" in done.out and "hrtimer_nanosleep" in done.out, "the state is the innermost frame", done)
    done = t.good("report", "-i", path, "--threads", "--comm", "napper")
    check("c child" in done.out and "s sleep" in done.out, "threads over time", done)
    check("__schedule" in t.good("report", "-i", path, "--mode", "cpu").out, "the events' own counts")


def test_wakers(t: Context) -> None:
    """A child that sleeps and ends wakes its parent; a timer wakes the child."""
    path = perf_with_tracepoints(t, "sched", "record", "-g", *sleeper(t))
    rows = harness.document_of(t.good("report", "--wakers", "--json", "-i", path, "--comm", "napper", "--sample-display-row", "1000"))["wakers"]["rows"]
    chains = {" < ".join(link["thread"] for link in row["chain"]): row for row in rows if row["seconds"] > 0.35}
    check("napper < interrupt" in chains and "napper < napper < interrupt" in chains, f"{rows}")
    child = chains["napper < napper < interrupt"]
    check(child["state"] == "child" and 0.39 < child["longest_seconds"] < 0.7, f"the parent waits for its child: {child}")
    check("do_exit" in child["waker_stack"], f"the child wakes its parent when it ends: {child}")
    done = t.good("report", "--wakers", "-i", path, "--state", "sleep")
    check("napper" in done.out and " child " not in done.out, "by state", done)


def test_system_calls(t: Context) -> None:
    """Counts, errors, and times to the last digit that perf trace -s prints."""
    path = perf_with_tracepoints(t, "trace", "record", *sleeper(t))
    theirs: dict[tuple, list[str]] = {}
    tid = 0
    for line in t.run("perf", "trace", "-s", "-i", path).err.splitlines():
        thread, call = re.match(r" .* \((\d+)\), \d+ events", line), re.match(r"   (\w+) +(\d+) +(\d+) +([\d.]+) +[\d.]+ +[\d.]+ +([\d.]+) ", line)
        tid = int(thread[1]) if thread else tid
        if call and float(call[4]) > 0:  # perf has calls without a beginning
            theirs[tid, call[1]] = list(call.groups()[1:])
    check(len(theirs) > 20, f"perf trace -s has {theirs}")
    rows = harness.document_of(t.good("report", "--json", "--sort", "syscall", "-i", path))["syscalls"]["rows"]
    ours = {(row["tid"], row["call"]): [str(row["count"]), str(row["errors"]), f"{row['seconds'] * 1e3:.3f}", f"{row['longest_seconds'] * 1e3:.3f}"] for row in rows}
    differences = {key: (ours.get(key), them) for key, them in theirs.items() if ours.get(key) != them and key[1] not in ("clone", "vfork", "clone3", "fork")}
    check(not differences, f"wperf and perf: {differences}")


def test_waits_by_system_call(t: Context) -> None:
    """Both processes wait for 0.4 s, whether it is known from wperf's readings or from stacks of the kernel."""
    session = t.path("wall.data")
    t.ours("record", "--wall", "--session", session, *sleeper(t))
    for path, options in ((session, ()), (perf_with_tracepoints(t, "sched", "record", "-g", *sleeper(t)), ("--comm", "napper"))):
        found = harness.document_of(t.good("report", "--json", "--sort", "syscall", "-i", path, *options))["syscalls"]
        longest = {call: max(row["longest_seconds"] for row in found["rows"] if row["call"] == call) for call in {row["call"] for row in found["rows"]}}
        check(found["only_waits"], f"{found}")
        check(0.39 < longest.get("clock_nanosleep", 0) < 1.5 and 0.39 < longest.get("wait4", 0) < 1.5, f"{path}: {found}")


def test_locks_of_the_kernel(t: Context) -> None:
    """Waits by the kind of lock, beside perf lock contention. A busy machine has hundreds, and a quiet one with one CPU none."""
    path = perf_with_tracepoints(t, "lock", "record", "-a", "--", t.program("wall_locks"))
    theirs: dict[str, int] = {}
    for line in t.run("perf", "lock", "contention", "-i", path, "-E", "100000").err.splitlines():
        found = re.match(r" +(\d+) +[\d.]+ \ws +[\d.]+ \ws +[\d.]+ \ws +([\w:-]+) ", line + " ")
        if found:
            theirs[found[2]] = theirs.get(found[2], 0) + int(found[1])
    if not theirs:
        raise harness.Skip("nobody waited for a lock of the kernel")
    document = harness.document_of(t.good("report", "--json", "--sort", "lock", "-i", path))["locks"]
    ours: dict[str, int] = {}
    for row in document["rows"]:
        ours[row["lock"]] = ours.get(row["lock"], 0) + row["count"]
    check(document["of_kernel"] and ours == theirs, f"wperf {ours}, perf {theirs}, cut {document['cut']}")


def test_lock_and_owner(t: Context) -> None:
    path = t.path("locks.data")
    done = t.ours("record", "--wall", "--session", path, "--", t.program("wall_locks"))
    waited = float(done.err.split()[-1])
    rows = harness.document_of(t.good("report", "--json", "--sort", "lock", "-i", path))["locks"]["rows"]
    ours = [row for row in rows if row["lock"] == "mutex" and row["function"] == "want_mutex"]
    check(len(ours) == 1 and abs(ours[0]["seconds"] - waited) < 0.15 * waited + 0.1, f"waited {waited} s: {rows}")
    check(ours[0]["owner_function"] == "hold_mutex" and ours[0]["owner_seconds"] > 0.7 * ours[0]["seconds"], f"who has it: {rows}")


def test_exports(t: Context) -> None:
    """Speedscope's and Firefox' profiles have the time of each thread; waits are markers in a category of their own."""
    path = perf_with_tracepoints(t, "sched", "record", "-g", *sleeper(t))
    seconds = sum(wall_of(t, path, "--comm", "napper").values())
    out = t.path("p.speedscope.json")
    t.ours("export", "-i", path, "--comm", "napper", "-o", out)
    with open(out, encoding="utf-8") as file:
        weights = sum(sum(profile["weights"]) for profile in json.load(file)["profiles"]) / 1e9
    check(abs(weights - seconds) < 0.001, f"speedscope has {weights} s of {seconds}")
    out = t.path("p.firefox.json")
    t.ours("export", "-i", path, "--comm", "napper", "-o", out)
    with open(out, encoding="utf-8") as file:
        profile = json.load(file)
    complaints = firefox_schema.complaints_of(profile)
    check(not complaints, f"{complaints}")
    weights = sum(sum(thread["samples"]["weight"]) for thread in profile["threads"]) / 1e3
    check(abs(weights - seconds) < 0.001, f"Firefox has {weights} s of {seconds}")
    names = [category["name"] for category in profile["meta"]["categories"]]
    texts = profile["shared"]["stringArray"]
    sleeps = [(end - start, names[category]) for thread in profile["threads"] for name, start, end, category in zip(
        *(thread["markers"][key] for key in ("name", "startTime", "endTime", "category"))) if texts[name] == "sleep"]
    check(any(390 < ms < 700 and category == "Waiting" for ms, category in sleeps), f"markers: {sleeps}")


def perf_times(t: Context, path: str) -> dict[int, list[float]]:
    """Seconds of waiting, of delay and of running of each thread, as perf sched timehist has them."""
    done = t.run("perf", "sched", "timehist", "-i", path, "--no-call-graph")
    times: dict[int, list[float]] = {}
    for line in done.out.splitlines():
        found = re.match(r"\s*[\d.]+ \[\d+\]\s+.*\[(\d+)(?:/\d+)?\]\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*$", line)
        if found:
            sums = times.setdefault(int(found[1]), [0, 0, 0])
            for i in range(3):
                sums[i] += float(found[2 + i]) / 1000
    return times


def test_times_of_perf_sched_timehist(t: Context) -> None:
    """perf's waiting is all time off the CPU, the delay after the wakeup included. Where the idle CPU's switches are not
    recorded, as in some virtual machines, it counts the idle time as that of the thread that follows. Both leave a thread's sum of
    waiting and running as it is."""
    path = perf_with_tracepoints(t, "sched", "record", "--", t.program("wall_locks"))
    theirs = perf_times(t, path)
    done = t.run("perf", "script", "-i", path, "--show-task-events")
    threads = {int(tid) for tid in re.findall(r"^ *wall_locks .*PERF_RECORD_FORK\(\d+:(\d+)\)", done.out, re.M)} & set(theirs)
    check(len(threads) >= 2, f"threads of the program: {threads}")
    for tid in threads:
        ours = wall_of(t, path, "--tid", str(tid), "--idle")
        lived = theirs[tid][0] + theirs[tid][2]
        check(abs(sum(ours.values()) - lived) < 0.05 + 0.02 * lived, f"thread {tid}: {ours}, and perf {theirs[tid]}")
        check(ours.get("runnable", 0) > 0.9 * theirs[tid][1] - 0.01, f"thread {tid} was ready: {ours}, and perf {theirs[tid]}")


def test_chosen_threads(t: Context) -> None:
    """With and without records of switches."""
    events = ("-e", "sched:sched_switch", "-e", "sched:sched_waking", "-c", "1", "-g")
    check_sleeper(wall_of(t, perf_with_tracepoints(t, "record", *events, *sleeper(t))))
    check_sleeper(wall_of(t, perf_with_tracepoints(t, "record", "--switch-events", *events, *sleeper(t))))


def test_switch_events(t: Context) -> None:
    harness.need_root()
    harness.need_tool("perf")
    path = t.path("perf.data")
    t.run("perf", "record", "--switch-events", "-e", "cpu-clock", "-o", path, *sleeper(t))
    check("wall" not in harness.document_of(t.good("report", "--json", "-i", path)), "CPU time is shown first")
    seconds = wall_of(t, path, "--mode", "wall")
    check(0.78 < seconds["unknown"] < 1.4, f"both processes wait: {seconds}")
    check("wait" in t.good("report", "-i", path, "--state", "waiting").out, "by state")


if __name__ == "__main__":
    harness.main(__name__)
