#!/usr/bin/python3
"""--engine stop with a program whose code objects are made to need much memory and time in the recorder."""
import os
import re
import time

import harness
from harness import Context, Skip, check

PYTHON = "/usr/bin/python3.11"
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile_codes.py")
MAX_MIB = 600  # maximum: 385 with AddressSanitizer, 769 with a limit of 1 GiB instead of 64 MiB


def record(t: Context, what: str) -> tuple[str, float, float]:
    """The recorder's output, its CPU seconds and its maximum memory in MiB, both without the program's."""
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)
    out = t.path(what + ".out")
    with open(out, "w", encoding="utf-8") as file:
        recorder = t.start(t.wperf, "record", "-g", "--engine", "stop", "-F", "999", "--session", t.path("s.data"), "--", PYTHON,
                           PROGRAM, what, "1", stdout=file, stderr=file)
    cpu_seconds, mib = 0.0, 0.0
    while recorder.poll() is None:
        try:
            with open(f"/proc/{recorder.pid}/stat", encoding="utf-8") as file:
                times = file.read().rsplit(")", 1)[1].split()[11:13]
            with open(f"/proc/{recorder.pid}/status", encoding="utf-8") as file:
                peak = re.search(r"VmHWM:\s+(\d+)", file.read())
        except OSError:
            break
        cpu_seconds = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
        mib = int(peak[1]) / 1024 if peak else mib
        time.sleep(0.01)
    recorder.wait()
    with open(out, encoding="utf-8") as file:
        text = file.read()
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", text):
        raise Skip(why[1])
    check(recorder.returncode == 0 and " merged" in text, text)
    harness.note(f"{what}: {cpu_seconds:.2f} s of CPU time, {mib:.0f} MiB")
    return text, cpu_seconds, mib


def test_damaged_code_objects_cost_little(t: Context) -> None:
    """They are not read again at each stop."""
    _, good, _ = record(t, "none")
    _, damaged, _ = record(t, "damaged")
    check(damaged < 2 * good + 0.5, f"{damaged:.2f} s with damaged code objects, {good:.2f} s with good ones")


def test_large_line_tables_take_bounded_memory(t: Context) -> None:
    text, _, mib = record(t, "lines")
    made = re.search(r"(\d+) code objects", text)
    check(made is not None and int(made[1]) * 8 > 2 * MAX_MIB, f"tables of 8 MB that are more than that: {text}")
    check(mib < MAX_MIB, f"{mib:.0f} MiB")


if __name__ == "__main__":
    harness.main(__name__)
