#!/usr/bin/python3
"""Records a machine that starts many short-lived programs, and watches what the recorder takes.

The load is bounded: --rate programs a second, copies of a program with inodes of their own, half of them deleted while
they run, and shells with pipelines.  Memory and descriptors of the recorder are printed each --every seconds.  Fails when
either still grows in the last half, when the session cannot be read, or when the recorder does not end.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GROWTH_SHARE = 0.05  # of the third quarter's lower quartile, between it and that of the last quarter
GROWTH_MIB = 8
GROWTH_FDS = 16
END_SECONDS = 120

PROGRAM = """
#include <stdio.h>
int main(void)
{
        volatile unsigned long sum = 0;
        for (unsigned long i = 0; i < 3000000; i++)
                sum += i * i;
        return sum == 1;
}
"""


def compile_program(folder: str) -> str:
    path = os.path.join(folder, "work")
    subprocess.run(["cc", "-O1", "-x", "c", "-", "-o", path], input=PROGRAM, text=True, check=True)
    return path


class Load:
    """Starts programs at a steady pace and reaps them; at most 16 at a time."""

    def __init__(self, folder: str, rate: float):
        self.folder = folder
        self.program = compile_program(folder)
        self.gap = 1 / rate
        self.next_time = time.monotonic()
        self.running: list[tuple[subprocess.Popen, str]] = []
        self.started = 0

    def start_copy(self) -> None:
        path = os.path.join(self.folder, f"copy{self.started}")
        shutil.copy(self.program, path)
        child = subprocess.Popen([path])
        if self.started % 2:
            os.unlink(path)
            path = ""
        self.running.append((child, path))

    def start_shell(self) -> None:
        child = subprocess.Popen(["sh", "-c", "ls /usr/bin | sort | uniq -c | tail -n 1"], stdout=subprocess.DEVNULL)
        self.running.append((child, ""))

    def reap(self, wait: bool) -> None:
        left = []
        for child, path in self.running:
            if wait:
                child.wait()
            if child.poll() is None:
                left.append((child, path))
            elif path:
                os.unlink(path)
        self.running = left

    def step(self) -> None:
        self.reap(wait=False)
        if time.monotonic() < self.next_time or len(self.running) >= 16:
            time.sleep(0.002)
            return
        self.next_time = max(self.next_time + self.gap, time.monotonic() - 1)
        self.started += 1
        if self.started % 5:
            self.start_copy()
        else:
            self.start_shell()


def look_at(pid: int) -> tuple[float, int]:
    """MiB of resident memory that is the recorder's own, and open descriptors."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file)
    rss = int(fields["RssAnon"].split()[0]) + int(fields["RssFile"].split()[0])
    return rss / 1024, len(os.listdir(f"/proc/{pid}/fd"))


def watch(recorder: subprocess.Popen, load: Load, seconds: float, every: float) -> list[tuple[float, float, int]]:
    start = time.monotonic()
    next_look = start + every
    seen = []
    while recorder.poll() is None and time.monotonic() - start < seconds:
        load.step()
        if time.monotonic() >= next_look:
            next_look += every
            try:
                seen.append((time.monotonic() - start, *look_at(recorder.pid)))
            except (OSError, KeyError):
                break
            print(f"{seen[-1][0]:7.0f} s {seen[-1][1]:8.1f} MiB {seen[-1][2]:6d} descriptors "
                  f"{load.started:8d} programs", flush=True)
    return seen


def judge(seen: list[tuple[float, float, int]]) -> list[str]:
    """What still grew from the third quarter to the last.  Their lower quartiles are compared: a burst is given back."""
    quarter = len(seen) // 4
    if quarter < 3:
        return ["too short to tell: at least 12 looks are needed"]
    early, late = seen[2 * quarter:3 * quarter], seen[3 * quarter:]
    problems = []
    mib = [statistics.quantiles((look[1] for look in part), n=4)[0] for part in (early, late)]
    fds = [statistics.quantiles((look[2] for look in part), n=4)[0] for part in (early, late)]
    if mib[1] - mib[0] > max(GROWTH_MIB, GROWTH_SHARE * mib[0]):
        problems.append(f"memory grew from {mib[0]:.1f} to {mib[1]:.1f} MiB")
    if fds[1] - fds[0] > GROWTH_FDS:
        problems.append(f"descriptors grew from {fds[0]:.0f} to {fds[1]:.0f}")
    print(f"third quarter {mib[0]:.1f} MiB, {fds[0]:.0f} descriptors; last quarter {mib[1]:.1f} MiB, "
          f"{fds[1]:.0f} descriptors")
    return problems


def end(recorder: subprocess.Popen) -> list[str]:
    """Stops the recorder as a user does, and waits for its table."""
    start = time.monotonic()
    recorder.terminate()
    peak = 0.0
    while recorder.poll() is None:
        if time.monotonic() - start > END_SECONDS:
            recorder.kill()
            return [f"the recorder did not end within {END_SECONDS} s"]
        try:
            peak = max(peak, look_at(recorder.pid)[0])
        except (OSError, KeyError):
            pass
        time.sleep(0.02)
    print(f"end: {time.monotonic() - start:.1f} s, at most {peak:.1f} MiB")
    return [] if recorder.returncode == 0 else [f"the recorder exited with {recorder.returncode}"]


def soak(options: argparse.Namespace, folder: str) -> list[str]:
    session = os.path.join(folder, "session")
    log = os.path.join(folder, "log")
    command = [options.wperf, "record", "-a", "-F", str(options.freq), "-z", "--session", session, *options.option]
    with open(log, "wb") as out:
        recorder = subprocess.Popen(command, stdout=out, stderr=out)
        load = Load(folder, options.rate)
        seen = watch(recorder, load, options.seconds, options.every)
        ended = recorder.poll() is not None
        problems = [] if ended else end(recorder)
        load.reap(wait=True)
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    print("\n".join(lines[-3:]))
    if ended:
        problems.append(f"the recorder ended by itself, exit status {recorder.returncode}")
    if options.keep:
        shutil.copy(session, options.keep)
    print(f"{load.started} programs, session of {os.path.getsize(session) / 1e6:.1f} MB")
    return problems + judge(seen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("wperf", help="the program to watch")
    parser.add_argument("--seconds", type=float, default=3600, help="how long, default 3600")
    parser.add_argument("--every", type=float, default=30, help="seconds between two looks, default 30")
    parser.add_argument("--rate", type=float, default=40, help="programs started a second, default 40")
    parser.add_argument("--freq", type=int, default=999, help="samples a second and CPU, default 999")
    parser.add_argument("--folder", default="/var/tmp", help="where session and programs lie, default /var/tmp")
    parser.add_argument("--keep", metavar="FILE", help="copy the session to FILE")
    parser.add_argument("--option", action="append", default=[], help="an option for wperf record, as --option=-g")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="wperf-soak-", dir=options.folder)
    try:
        problems = soak(options, folder)
    finally:
        shutil.rmtree(folder)
    for problem in problems:
        print(f"failed: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
