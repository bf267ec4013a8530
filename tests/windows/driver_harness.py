"""What the tests of WPERFDRIVER share: wperf and the fake driver are run under wine, and counts are compared with the fake's rules."""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

WRAPPER = shlex.split(os.environ.get("WPERF_TEST_WRAPPER", "/usr/lib/wine/wine64"))
# A run takes less than a second; wine on a busy machine may need much longer.
LIMIT = 100
COUNTERS = 6
NO = "0xffffffff"
# Settings of the fake, as in fake_requests.h.
VERSION, N_COUNTERS, CORES, REQUEST, GROW, OFFSET, WORD, RESTING, PC_LOW, PC_HIGH, SPE_RECORDS, SPE_STEP = (str(i) for i in range(12))
DEFAULTS = [VERSION, "0x30800", N_COUNTERS, "6", CORES, "2", REQUEST, NO, GROW, "0", OFFSET, NO, WORD, "0", RESTING, "0",
            PC_LOW, "0", PC_HIGH, "0", SPE_RECORDS, "0", SPE_STEP, "0"]
CODES = {"inst_spec": 0x1b, "dp_spec": 0x73, "vfp_spec": 0x75, "ase_spec": 0x74, "ld_spec": 0x70, "st_spec": 0x71,
         "l1d_cache": 0x04, "cpu_cycles": 0x11}
# Below qemu-user wperf can't read which modules another process has, so addresses stay addresses.
MODULES_ARE_KNOWN = os.environ.get("WPERF_TEST_MODULES") != "no"
IMIX = ["inst_spec", "dp_spec", "vfp_spec", "ase_spec", "ld_spec", "st_spec"]
wperf, drive, driver = sys.argv[1:4]


class Done:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def __str__(self) -> str:
        return f"status {self.status}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}"


class Running:
    """A Windows program; its output goes to files, because wine's services hold a pipe for ever."""

    def __init__(self, argv: list[str], env: dict[str, str] | None = None) -> None:
        self.files = [tempfile.TemporaryFile() for _ in range(2)]
        self.process = subprocess.Popen(
            [*WRAPPER, *argv], stdin=subprocess.DEVNULL, stdout=self.files[0], stderr=self.files[1],
            env=dict(os.environ, WINEDEBUG="-all", **(env or {})))

    def wait(self) -> Done:
        try:
            status = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = -1
        texts = []
        for file in self.files:
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace").replace("\r\n", "\n"))
            file.close()
        return Done(status, *texts)


def run(*argv: str) -> Done:
    return Running([wperf, *argv]).wait()


def fake(*argv: str) -> str:
    done = Running([drive, *argv]).wait()
    check(done.status == 0, f"drive_fake {' '.join(argv)}", done)
    return done.out


def check(holds: bool, what: str, done: object = "") -> None:
    if not holds:
        raise AssertionError(f"{what}\n{done}")


def refused(text: str, *argv: str) -> None:
    done = run(*argv)
    check(done.status in (1, 2, 125, 127) and text in done.err and not done.out, f"{' '.join(argv)} says '{text}'", done)


def refused_later(text: str, *argv: str) -> None:
    """Refused when counting has begun."""
    done = run(*argv)
    check(done.status == 1 and text in done.err and "counter value" not in done.out, f"{' '.join(argv)} says '{text}'", done)


def wait_until_counting() -> None:
    deadline = time.monotonic() + LIMIT
    while fake("running").strip() == "0":
        check(time.monotonic() < deadline, "wperf counts")


def rate(event: str, core: int, kernel: bool) -> int:
    return 1000 * CODES[event] + core + 1 + (500000 if kernel else 0)


def times(slot: int, n_slots: int, rounds: int, counters: int) -> int:
    if n_slots <= counters:
        return rounds
    return sum((slot - counters * r % n_slots) % n_slots < counters for r in range(rounds))


def core_counts(core: dict) -> tuple[int, list[dict]]:
    """The ticks that the run saw, and the counts without the cycle counter."""
    cycle, *rows = core["Performance_counter"]
    check(cycle["event_name"] == "cycle" and cycle["counter_value"] % 1000000 == 0, "whole ticks", core)
    return cycle["counter_value"] // 1000000, rows


def check_core(core: dict, slots: list[str], counters: int = COUNTERS, kernel: bool = False) -> int:
    """Compares the counts of one core with the rules. `slots`: the schedule, with padding as "-"."""
    rounds, rows = core_counts(core)
    check(rounds > 0, "at least one tick", core)
    events = [(name, slot) for slot, name in enumerate(slots) if name != "-"]
    check([r["event_name"] for r in rows] == [name for name, _ in events], "the events in their order", core)
    for row, (name, slot) in zip(rows, events):
        per_tick = rate(name, core["core_number"], kernel)
        ticks = times(slot, len(slots), rounds, counters)
        check(row["counter_value"] == per_tick * ticks, f"{name}: {per_tick} in {ticks} of {rounds} ticks", row)
        if "scaled_value" in row and ticks:
            check(abs(row["scaled_value"] - per_tick * rounds) <= 1 + per_tick * rounds // 1000000, "scaled to all ticks", row)
    return rounds


def stat(*argv: str) -> dict:
    done = run("stat", "--json", *argv)
    check(done.status == 0, "stat counts", done)
    return json.loads(done.out)


def count_once(*options: str) -> None:
    check_core(stat("-e", "ld_spec", "-c", "0", "--timeout", "10ms", *options)["core"]["cores"][0], ["ld_spec"])
