#!/usr/bin/python3
"""hooked.py early|late ONE TWO SESSION RECORDER...: a benchmark harness that works like pyperf's hook perf_record.

It starts RECORDER... on itself with two FIFOs, and enables the events for each call of the library ONE; calls of the
library TWO in between are not measured.  `late`: both libraries are loaded while the events are off.  Prints one JSON
object: the recorder's answers, how the recorder ended, and the CPU time in user mode and in the kernel of the calls that were
measured, and how often the process lost its CPU in them.
"""
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

TURNS = 4
TURN_MS = 150
WAIT_SECONDS = 30


class Recorder:
    """Like pyperf, opens the FIFO of commands for writing, then the FIFO of answers for reading, and reads a line for
    each command."""

    def __init__(self, command: list[str], session: str, folder: str) -> None:
        ctl, ack = os.path.join(folder, "ctl_fifo"), os.path.join(folder, "ack_fifo")
        os.mkfifo(ctl)
        os.mkfifo(ack)
        self.answers: list[str] = []
        self.slowest = 0.0
        place = ["--pid", str(os.getpid()), "--output", session, "--control", f"fifo:{ctl},{ack}"]
        self.process = subprocess.Popen(command[:2] + place + command[2:], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.ctl = open(ctl, "w", encoding="ascii")
        self.ack = open(ack, "r", encoding="ascii")

    def say(self, word: str) -> None:
        begin = time.monotonic()
        self.ctl.write(f"{word}\n")
        self.ctl.flush()
        self.answers.append(self.ack.readline())
        self.slowest = max(self.slowest, time.monotonic() - begin)

    def __enter__(self) -> None:
        self.say("enable")

    def __exit__(self, *_: object) -> None:
        self.say("disable")

    def end(self) -> int:
        self.say("stop")
        status = self.process.wait(WAIT_SECONDS)
        self.ctl.close()
        self.ack.close()
        return status


def usage() -> tuple[float, float, int]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime, used.ru_stime, used.ru_nvcsw + used.ru_nivcsw


def main() -> None:
    turns = [0.0, 0.0, 0]
    when, *libraries, session = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        if when == "early":
            one, two = map(ctypes.CDLL, libraries)
        recorder = Recorder(sys.argv[5:], session, folder)
        with recorder:
            pass
        if when == "late":
            one, two = map(ctypes.CDLL, libraries)
        for _ in range(TURNS):
            two.work(ctypes.c_uint64(TURN_MS))
            with recorder:
                before = usage()
                one.work(ctypes.c_uint64(TURN_MS))
                turns = [total + after - first for total, after, first in zip(turns, usage(), before)]
        two.work(ctypes.c_uint64(TURN_MS))
        status = recorder.end()
    print(json.dumps({"status": status, "answers": recorder.answers, "slowest": recorder.slowest,
                      "turns": turns}))


main()
