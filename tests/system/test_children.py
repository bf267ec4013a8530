#!/usr/bin/python3
"""Which descendants of a command are sampled, that no other process is, and that wperf reports CPU time that was not
sampled."""
import os
import re
import shutil

import harness
from harness import Context, Done, Skip, check
from own_samples import check_work

NOBODY = 65534
# A period that is longer than a short child lives, also on a slow machine.
SELDOM = "49"


def quality(t: Context, *argv: str) -> dict:
    done = t.ours("record", "--json", "-o", "out.json", *argv)
    check(done.status == 0, "record", done)
    with open(t.path("out.json"), encoding="utf-8") as file:
        return harness.json.load(file)["quality"]


def has_row(done: Done, symbol: str) -> bool:
    return any(row.symbol.split(":")[0] == symbol for row in harness.rows_of(done.out))


def pipelines(n: int) -> list[str]:
    return ["sh", "-c", f"i=0; while [ $i -lt {n} ]; do echo a | cat | tr a b > /dev/null; i=$((i + 1)); done"]


def test_short_children(t: Context) -> None:
    harness.need_root()
    for argv in ([t.program("many"), "forks", "2000"], pipelines(100)):
        whole = quality(t, "--", *argv)
        check(whole["sampled_share"] >= 0.95, f"the time of {argv[0]} was sampled: {whole}")
        parts = quality(t, "--no-all-children", "-F", SELDOM, "--", *argv)
        check(parts["sampled_share"] < 0.8 and parts["poor"], f"it was not, where each has its timer: {parts}")
        harness.note(f"{argv[0]}: {whole['samples']} samples against {parts['samples']}, sampled "
                     f"{whole['sampled_share']:.2f} against {parts['sampled_share']:.2f}")


def test_missing_time_is_told(t: Context) -> None:
    done = t.ours("record", "--no-all-children", "-F", SELDOM, "--strict", "--", t.program("many"), "forks", "1000")
    match = re.search(r", ([\d.]+) % of the CPU time was sampled", done.out.splitlines()[-1])
    check(match is not None and float(match[1]) < 80, "the share in the quality line", done)
    check(done.status == 3, "the quality is poor", done)
    done = t.good("record", "--", t.program("spin"), "300")
    check("was sampled" not in done.out, "nothing where all was sampled", done)


def pids_of_records(dump: Done) -> set[str]:
    return set(re.findall(r"^  0x\w+  (?:SAMPLE|MMAP2|COMM|EXIT|FORK) .*?\bpid (\d+) ", dump.out, re.M))


def test_nobody_else_is_recorded(t: Context) -> None:
    t.start(t.program("spin"), "60000")
    t.start(t.program("many"), "forks", "1000000")
    done = t.good("record", "--", "sh", "-c", f"echo $$; {t.program('family')} 100 {t.program('spin')} 100")
    dump = t.good("dump")
    children = re.findall(r"^  0x\w+  FORK .*? pid (\d+) ppid (\d+) ", dump.out, re.M)
    known = {re.search(r"^(\d+)$", done.out, re.M)[1]}
    for pid, parent in children:
        check(parent in known, f"{pid} is a child of the command's: {children}")
        known.add(pid)
    check(pids_of_records(dump) <= known, f"only its processes: {pids_of_records(dump)}, known are {known}")
    check(not has_row(done, "child_work:many") and "many" not in dump.out, "no other program", done)
    check(has_row(done, "thread_three") and has_row(done, "spin_here"), "all of its own", done)
    names = {row["comm"] for row in harness.csv_of(t.good("report", "--sort", "comm", "--csv"))}
    check(names <= {"sh", "family", "spin"}, f"names of its threads: {names}")


def test_an_orphan(t: Context) -> None:
    # The pipe has a writer until the orphan ends.
    done = t.good("record", "--", "sh", "-c", f"(setsid {t.program('spin')} 400 &) | cat")
    check(harness.row_named(done, "spin_here").count > 250, "a child whose parent has ended", done)


def test_a_delay(t: Context) -> None:
    done = t.good("record", "-D", "500", "--", "sh", "-c", f"{t.program('spin')} 900; {t.program('spin')} 100")
    count, before = harness.row_named(done, "spin_here").count, harness.seconds_before_the_first_sample(t)
    check(before >= 0.49, f"the first sample is {before:.3f} s after the start", done)
    # At most half a second of one second of CPU time is before it.
    check(350 < count < 1050, f"samples of a part of the time: {count}", done)
    check("was sampled" not in done.out, "the time before does not count", done)


def test_stacks(t: Context) -> None:
    done = t.good("record", "-g", "--", *pipelines(60))
    check(harness.quality_of(done)["samples"] > 20, "samples with stacks", done)
    check(harness.quality_of(done)["lost"] == 0, "none lost", done)


def test_no_inherit(t: Context) -> None:
    for option in ("--no-inherit", "--per-thread"):
        done = t.good("record", option, "--", "sh", "-c", f"{t.program('spin')} 300; true")
        check(not has_row(done, "spin_here"), f"{option}: no child", done)
        done = t.good("record", option, "--", t.program("spin"), "300")
        check_work(done, "spin_here", "spin", 300)


def test_threads_one_by_one(t: Context) -> None:
    target = t.start(t.program("family"), "400", t.program("spin"), "400")
    harness.wait_until(lambda: len(os.listdir(f"/proc/{target.pid}/task")) == 4, "the threads")
    done = t.good("sample", "--per-thread", "-p", str(target.pid))
    check(has_row(done, "thread_one") and has_row(done, "thread_three"), "threads that run already", done)


def test_perf_opens_it(t: Context) -> None:
    perf = harness.need_tool("perf")
    t.good("record", "--", t.program("family"), "100", t.program("spin"), "200")
    done = t.run(perf, "report", "-i", "wperf.data", "--stdio")
    check(done.status == 0 and "spin_here" in done.out and "thread_three" in done.out, "perf report", done)


def test_a_setuid_child_is_named(t: Context) -> None:
    harness.need_root()
    setpriv = harness.need_tool("setpriv")
    if os.statvfs(t.folder).f_flag & os.ST_NOSUID:
        raise Skip("a folder in which setuid counts")
    os.chmod(t.folder, 0o777)
    for name, mode in (("raised", 0o4755), ("plain", 0o755)):
        shutil.copy(t.program("spin"), t.path(name))
        os.chmod(t.path(name), mode)
    shutil.copy(t.wperf, t.path("wperf"))
    user = [setpriv, "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]
    script = f"{t.path('raised')} 200; {t.path('plain')} 200"
    done = t.run(*user, t.path("wperf"), "record", "--no-all-children", "--", "sh", "-c", script)
    if done.status == 125:
        raise Skip(f"a plain user who may sample: {done.err.strip()}")
    check(", not sampled: raised (a setuid program, or a file that wperf can't read)" in done.out.splitlines()[-1], "the program's name", done)
    done = t.run(*user, t.path("wperf"), "record", "--all-children", "--", t.path("plain"), "100")
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        if int(file.read()) > 0:
            check("the events can't be opened on every CPU, so each process is sampled separately" in done.out, "why not", done)


if __name__ == "__main__":
    harness.main(__name__)
