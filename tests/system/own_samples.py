"""What must hold for the samples of a live program on each machine and under each load.

How many samples are outside of the program's own code depends on the machine: the dynamic loader, system calls and page
faults take longer on one machine than on another, and functions of a library have names only if its debug file is here.
So these checks judge the samples in the module that does the work: their names, and whether there are as many as its CPU
time gives.
"""
import os
import re
import signal

import harness
from harness import Context, Done, Row, check

# The default frequency.
HZ = 999
# Modules of the system, whose local functions have no names where their debug files are missing.
SYSTEM = re.compile(r"ld-(linux|musl).*|lib[^/]*\.so.*|\[vdso\]")


def sample_its_work(t: Context, pid: int, cpu_ms: int, *argv: str) -> Done:
    """Runs `wperf sample` until a process has used this CPU time beside it."""
    recorder = t.start(t.wperf, "sample", "-F", str(HZ), *argv)
    harness.wait_for_events(recorder.pid)
    end = used_ms(pid) + cpu_ms
    harness.wait_until(lambda: used_ms(pid) >= end or recorder.poll() is not None, f"{cpu_ms} ms of CPU time of process {pid}")
    recorder.send_signal(signal.SIGINT)
    out, err = recorder.communicate(timeout=harness.WAIT_SECONDS)
    done = Done(recorder.returncode, out.decode(), err.decode(), 0)
    check(done.status == 0 and done.err == "", "wperf sample " + " ".join(argv), done)
    return done


def used_ms(pid: int) -> float:
    """The CPU time of a process so far, which the kernel gives in steps of 10 ms."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        user, kernel = file.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(kernel)) * 1000 / os.sysconf("SC_CLK_TCK")


def is_nameless(symbol: str) -> bool:
    """Whether a row or a frame counts as unresolved: a function of which only the start is known, or not even that."""
    return re.match(r"unknown|0x|\[unknown", symbol) is not None


def rows_of_module(done: Done, module: str) -> list[Row]:
    """The rows of the modules that match.  Rows stand without a module if all samples are in one, and if they are in
    none, which would be wrong here."""
    return [row for row in harness.rows_of(done.out)
            if ":" not in row.symbol or re.fullmatch(module, row.symbol.partition(":")[2])]


def check_work(done: Done, symbol: str, module: str, cpu_ms: float = 0, least: int = 20) -> None:
    """Nearly all samples of the module are in this function.  `cpu_ms` is the CPU time that the function uses by itself:
    at least half of it has samples, the other half is room for the kernel's and the hypervisor's part of it."""
    rows = rows_of_module(done, module)
    total = sum(row.count for row in rows)
    mine = sum(row.count for row in rows if row.symbol.split(":")[0] == symbol)
    check(mine >= max(least, cpu_ms * HZ / 2000), f"{mine} samples of {symbol} in {module}", done)
    check(total - mine <= 3 + 0.01 * total, f"{mine} of {total} samples of {module} are in {symbol}", done)


def check_resolved(t: Context, done: Done, session: str = "wperf.data") -> None:
    """Nothing is lost, and only functions of the system's libraries have no names."""
    quality = harness.quality_of(done)
    check(quality["lost"] == 0, "none lost", done)
    rows = harness.csv_of(t.good("report", "-i", session, "--sort", "module,symbol", "--csv", "--sample-display-row", "100000"))
    nameless = [row for row in rows if is_nameless(row["symbol"])]
    check(sum(int(row["count"]) for row in nameless) == quality["unresolved"], f"the unresolved are those rows: {nameless}", done)
    ours = [row for row in nameless if not SYSTEM.fullmatch(row["module"])]
    few = sum(int(row["count"]) for row in ours) <= 0.01 * quality["samples"]
    check(few, f"functions of the system alone have no names: {ours}", done)


def check_whole_stacks(done: Done) -> None:
    """No stack is cut, but for the compiler's start-up code in libraries (register_tm_clones and the like), which has no call-frame
    information: a sample that hits it is rightly called cut."""
    cut = re.search(r", (\d+) cut stacks(?: \((?:\d+: )?([^);]*)\))?", done.out.splitlines()[-1])
    check(cut is not None, "the number of cut stacks", done)
    check(cut[1] == "0" or int(cut[1]) <= 2 and cut[2] == "code without call-frame information", "no stack is cut", done)


def check_delay(t: Context, done: Done, seconds: float) -> None:
    """All samples of the session are after the delay: they are in the rest of the elapsed time."""
    times = [float(time) for time in re.findall(r"^.* SAMPLE .* time (\d+\.\d+) ", t.good("dump").out, re.M)]
    elapsed = re.search(r"([\d.]+) seconds time elapsed", done.out)
    check(bool(times) and bool(elapsed), "samples and the elapsed time", done)
    span = max(times) - min(times)
    check(span < float(elapsed[1]) - seconds, f"samples of {span} s, {elapsed[1]} s with a delay of {seconds} s", done)
