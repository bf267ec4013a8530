#!/usr/bin/python3
"""Records pools of short-lived Python processes by stops (--engine stop) on a machine whose CPUs are all busy.

Each round runs pools of all kinds, interpreters as subprocesses, threads that start and end, an exec by another thread,
and job control; it checks their results, and adds a line to a file.  The tool fails if a result was wrong, if no round
ended for --stuck seconds (then it prints the states of all processes), if the resources of the recorder grow (see
soak_recorder.py), or if the recorder does not end.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

from soak_recorder import Recorder, end, judge, show_quarters, watch

PYTHON = "/usr/bin/python3.11"

# Tables of functions and lines grow while new ones are found.  A leak for each process shows in the number of blocks.
LIMITS = {"malloc": 8}

ROUNDS = """
import multiprocessing, os, random, signal, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(i * i for i in range(300))

def work(number):
    burn(random.uniform(0, 0.02))
    threads = [threading.Thread(target=burn, args=(0.002,)) for _ in range(number % 4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return number * number

def pool(how, workers):
    with multiprocessing.get_context(how).Pool(workers, maxtasksperchild=3) as made:
        return made.map(work, range(12), chunksize=1) == [n * n for n in range(12)]

def interpreter(number):
    text = f"import sys, time; end = time.thread_time() + 0.01\\nwhile time.thread_time() < end: pass\\nsys.exit({number})"
    return subprocess.run([sys.executable, "-S", "-c", text]).returncode == number

def executing(number):
    pid = os.fork()
    if not pid:
        for _ in range(3):
            threading.Thread(target=burn, args=(1,), daemon=True).start()
        burn(random.uniform(0, 0.006))
        argv = [sys.executable, "-S", "-c", f"raise SystemExit({number})"]
        thread = threading.Thread(target=os.execv, args=(argv[0], argv))
        thread.start()
        thread.join()
        os._exit(99)
    return os.waitpid(pid, 0)[1] == number << 8

def stopping():
    pid = os.fork()
    if not pid:
        burn(60)
        os._exit(99)
    seen = []
    for sig, options in ((signal.SIGSTOP, os.WUNTRACED), (signal.SIGCONT, os.WCONTINUED), (signal.SIGTERM, 0)):
        burn(0.004)
        os.kill(pid, sig)
        seen.append(os.waitpid(pid, options)[1])
    return seen == [signal.SIGSTOP << 8 | 0x7f, 0xffff, signal.SIGTERM]

def main():
    number = 0
    while True:
        number += 1
        done = {how: pool(how, 4) for how in ("fork", "spawn" if number % 4 else "forkserver")}
        with ThreadPoolExecutor(4) as threads:
            done["interpreters"] = all(threads.map(interpreter, range(8)))
        done["executing"] = all(executing(n) for n in range(3))
        done["stopping"] = stopping()
        done["commands"] = sum(subprocess.run(["/bin/sh", "-c", f"exit {n}"]).returncode for n in range(20)) == 190
        wrong = [name for name, good in done.items() if not good]
        with open(sys.argv[1], "a") as file:
            print(number, *wrong, file=file)

if __name__ == "__main__":
    main()
"""


class Stuck(Exception):
    """No round ended for too long."""


class Rounds:
    """The file of rounds, and programs that keep all CPUs busy."""

    def __init__(self, path: str, busy: int, stuck: float):
        self.path, self.stuck, self.started = path, stuck, 0
        self.hogs = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"], start_new_session=True) for _ in range(busy)]
        with open(path, "wb"):
            pass

    def step(self) -> None:
        time.sleep(0.05)
        if time.time() - os.stat(self.path).st_mtime > self.stuck:
            raise Stuck()
        self.started = len(self.read())

    def read(self) -> list[str]:
        with open(self.path, encoding="ascii") as file:
            return file.read().splitlines()

    def end(self) -> None:
        for hog in self.hogs:
            hog.kill()
            hog.wait()

    def problems(self) -> list[str]:
        return [f"round {line} is wrong" for line in self.read() if " " in line] or ([] if self.started else ["no round ended"])


def states() -> str:
    """States of all processes that may be blocked."""
    return subprocess.run(["ps", "-eLo", "pid,tid,ppid,stat,wchan:24,args"], capture_output=True, text=True, check=False).stdout


def soak(options: argparse.Namespace, folder: str) -> list[str]:
    program, path = os.path.join(folder, "rounds.py"), os.path.join(folder, "rounds")
    with open(program, "w", encoding="ascii") as file:
        file.write(ROUNDS)
    rounds = Rounds(path, options.busy, options.stuck)
    recorder = Recorder([options.wperf, "record", "-q", "-z", "-g", "--engine", "stop", "-F", str(options.freq), "--session",
                         os.path.join(folder, "session"), "--", "env", "-u", "LD_PRELOAD", "-u", "SOAK_COUNTS", PYTHON, program,
                         path], folder)
    try:
        seen = watch(recorder, rounds, options.minutes * 60, options.every)
        ended = recorder.process.poll() is not None
        problems = [f"the recorder ended by itself, exit status {recorder.process.returncode}"] if ended else end(recorder)
    except Stuck:
        print(states())
        recorder.process.kill()
        return [f"no round ended for {options.stuck} s"]
    finally:
        rounds.end()
    with open(recorder.log, encoding="utf-8", errors="replace") as file:
        print(file.read(), end="")
    print(f"{rounds.started} rounds, session of {os.path.getsize(os.path.join(folder, 'session')) / 1e6:.1f} MB")
    show_quarters(seen)
    return problems + rounds.problems() + judge(seen, LIMITS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("wperf", help="the program to watch")
    parser.add_argument("--minutes", type=float, default=60, help="how long, default 60")
    parser.add_argument("--busy", type=int, default=os.cpu_count(), help="programs that work besides, default one a CPU")
    parser.add_argument("--stuck", type=float, default=120, metavar="SECONDS", help="the longest round, default 120")
    parser.add_argument("--every", type=float, default=60, metavar="SECONDS", help="print a line every SECONDS, default 60")
    parser.add_argument("--freq", type=int, default=999, help="samples a second, default 999")
    parser.add_argument("--folder", default="/var/tmp", help="where session and programs lie, default /var/tmp")
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
