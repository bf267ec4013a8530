#!/usr/bin/python3
"""--engine stop and bpf: compares each Python stack with the same frames, read in the kernel at the same instant.

By hand: test_python_oracle.py WPERF BUILD --samples 20000 [NAME]... compares at least this number of samples of each
interpreter.
"""
import collections
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Callable, Iterator

import harness
from harness import Context, Done, Skip, check
from pythons import HERE, field_offsets, find_python, include_options, installed

HZ = 1999
WORK = os.path.join(HERE, "python_oracle_work.py")
# CPU time of each case; less for the other interpreters.
SECONDS = {"python3": 0.2}
OTHER_SECONDS = 0.06
LEAST_MERGED = 0.997  # up to 0.3 %: an eval function begins, or a greenlet changes its stack
LEFT = 2  # ORACLE_LEFT in python_oracle.h
# struct oracle_sample without its frames, and struct oracle_frame, of python_oracle.h
SAMPLE = struct.Struct("=IHHQQQ")
FRAME = struct.Struct("=QqQ64s112s16s")

# Name, file, first line, and the line; or the instruction and the beginning of the line table.
Frame = tuple


@dataclass
class Seen:
    """A sample from one of the two programs; frames innermost first."""

    time_ns: int
    ip: int
    frames: tuple
    is_whole: bool = True
    is_delayed: bool = False
    has_left: bool = False  # no sample: from then on the thread's signals are not seen


@dataclass
class Counts:
    compared: int = 0
    delayed: int = 0
    not_stopped: int = 0
    repeats: int = 0
    nameless: int = 0
    wrong: list[str] = field(default_factory=list)
    cases: collections.Counter = field(default_factory=collections.Counter)
    unmerged: collections.Counter = field(default_factory=collections.Counter)
    reasons: collections.Counter = field(default_factory=collections.Counter)  # also of samples that are not compared

    def add(self, other: "Counts") -> None:
        self.compared += other.compared
        self.delayed += other.delayed
        self.not_stopped += other.not_stopped
        self.repeats += other.repeats
        self.nameless += other.nameless
        self.wrong += other.wrong
        self.cases += other.cases
        self.unmerged += other.unmerged
        self.reasons += other.reasons

    def merged(self) -> float:
        return 1 - sum(self.unmerged.values()) / max(sum(self.cases.values()), 1)


# --- the walk in the kernel ---


def text_of(raw: bytes) -> str:
    """While an eval function of 3.12 begins, its frames are not defined; then the walk is not whole."""
    return raw.partition(b"\0")[0].decode("utf-8", "replace")


def walked_frame(raw: bytes) -> Frame | None:
    """None for the frame below a call of __init__, which CPython itself leaves out."""
    _, instr, first_line, raw_name, raw_file, lines = FRAME.unpack(raw)
    name, file = text_of(raw_name), text_of(raw_file)
    return None if name and not first_line and name == file else (name, file, first_line, instr, lines)


def walked_samples(path: str) -> dict[int, list[Seen]]:
    """By thread, in order of time."""
    found: dict[int, list[Seen]] = collections.defaultdict(list)
    known: dict[bytes, Frame | None] = {}
    with open(path, "rb") as file:
        while head := file.read(SAMPLE.size):
            tid, is_whole, is_delayed, time_ns, ip, n_frames = SAMPLE.unpack(head)
            frames = []
            for _ in range(n_frames):
                raw = file.read(FRAME.size)
                if raw not in known:
                    known[raw] = walked_frame(raw)
                frames.append(known[raw])
            found[tid].append(Seen(time_ns, ip, tuple(filter(None, frames)), bool(is_whole), bool(is_delayed), is_whole == LEFT))
    for samples in found.values():
        samples.sort(key=lambda sample: sample.time_ns)
    return found


def start_oracle(t: Context, kind: str, engine: str) -> subprocess.Popen:
    harness.need_root()
    program = t.program("python_oracle")
    with open(t.path("layout"), "w", encoding="ascii") as file:
        file.write(field_offsets(t, kind))
    oracle = t.start(program, t.path("layout"), t.path("walked"), *(["timer"] if engine == "bpf" else []))
    if oracle.stdout.readline() != b"ready\n":
        said = oracle.stderr.read().decode().strip()
        check(oracle.wait() == 3, f"python_oracle: {said}")
        raise Skip(said)
    return oracle


def build_states(t: Context, kind: str, folder: str) -> None:
    """The module by which an interpreter in another one passes its thread state."""
    built = t.run(harness.need_tool("gcc"), "-w", "-shared", "-fPIC", *include_options(kind), "-o",
                  os.path.join(folder, "oracle_states.so"), os.path.join(HERE, "python_oracle_states.c"))
    check(built.status == 0, "python_oracle_states.c", built)


# --- what was recorded ---


def recorded_samples(t: Context) -> dict[int, list[Seen]]:
    """The call chains of the session and its names of Python places."""
    text = t.good("dump").out
    places = {int(m[1], 16): (m[2], m[3], int(m[4]), int(m[5])) for m in re.finditer(
        r'^      address (0x\w+) function "?(.*?)"? file "?(.*?)"? first_line (\d+) line (\d+)$', text, re.M)}
    found: dict[int, list[Seen]] = collections.defaultdict(list)
    for m in re.finditer(r"^  0x\w+  SAMPLE .* tid (\d+) .*time (\d+)\.(\d+) ip (\w+) .*chain \[(.*)\]$", text, re.M):
        frames = tuple(places[addr] for addr in (int(word, 16) for word in m[5].split()) if addr in places)
        found[int(m[1])].append(Seen(int(m[2]) * 10**9 + int(m[3]), int(m[4], 16), frames))
    return found


# --- lines, which the interpreter itself tells ---


def line_at(table: list, instr: int, first_line: int) -> int:
    """0: an instruction of no line."""
    line = first_line
    for start, at in table:
        if start > instr:
            break
        line = at or 0
    return line


class Lines:
    def __init__(self, t: Context, python: str, walked: dict[int, list[Seen]]) -> None:
        codes = sorted({(name, file, first) for samples in walked.values() for sample in samples
                        for name, file, first, *_ in sample.frames if name})
        with open(t.path("questions"), "w", encoding="utf-8") as file:
            json.dump(codes, file)
        with open(t.path("questions"), encoding="utf-8") as file:
            done = t.run(python, os.path.join(HERE, "python_oracle_lines.py"), t.path("modules"), stdin=file)
        check(done.status == 0, "python_oracle_lines.py", done)
        self.tables = {code: [(bytes.fromhex(begin), table) for begin, table in tables]
                       for code, tables in zip(codes, json.loads(done.out))}
        self.unit = 2 if python.endswith("3.10") else 1  # bytes that f_lasti counts
        self.kept: dict[Frame, set[int]] = {}

    def of(self, frame: Frame) -> set[int]:
        """More than one if code objects have the same name, first line and beginning of the line table."""
        if frame not in self.kept:
            self.kept[frame] = {line_at(table, frame[3] * self.unit, frame[2])
                                for begin, table in self.tables[frame[:3]] if frame[4].startswith(begin)}
        return self.kept[frame]

    def first_difference(self, walked: tuple, recorded: tuple) -> int | None:
        for i, (a, b) in enumerate(zip(walked, recorded)):
            if a[0] and (a[:3] != b[:3] or b[3] not in self.of(a)):
                return i
        return None if len(walked) == len(recorded) else min(len(walked), len(recorded))


# --- the comparison ---


def pairs_of(walked: list[Seen], recorded: list[Seen]) -> Iterator[tuple[Seen | None, Seen | None]]:
    """The signal is sent, then the thread stops: a stop belongs to the last signal before it, and to no other."""
    i = 0
    for sample in recorded:
        last = None
        while i < len(walked) and walked[i].time_ns <= sample.time_ns:
            if last:
                yield last, None
            last = walked[i]
            i += 1
        yield last, sample
    for rest in walked[i:]:
        yield rest, None


def shown(seen: Seen, start: int = 0) -> str:
    frames = (f"{name} [{file}:{first}] {at}" for name, file, first, at, *_ in seen.frames[start:start + 5])
    return f"{seen.time_ns} ip {seen.ip:x}, {len(seen.frames)} frames, from {start} on: " + " < ".join(frames)


def why_wrong(walked: Seen, recorded: Seen, lines: Lines) -> str:
    """A stack without Python frames can't be wrong; it is counted."""
    if walked.ip != recorded.ip and not walked.is_delayed:
        return f"of another instant: {shown(recorded)}\nwas: {shown(walked)}"
    at = lines.first_difference(walked.frames, recorded.frames) if recorded.frames else None
    if at is not None:
        return f"wrong: {shown(recorded, at)}\nis:    {shown(walked, at)}"
    return f"not whole: {shown(walked)}" if recorded.frames and not walked.is_whole else ""


def compare(walked: dict[int, list[Seen]], recorded: dict[int, list[Seen]], lines: Lines, engine: str) -> Counts:
    """For threads that passed their state, while they exist.  A timer also expires in the kernel, where no sample is taken."""
    counts = Counts()
    for tid, samples in walked.items():
        for walk, sample in pairs_of(samples, recorded[tid]):
            if not walk or walk.has_left or (engine == "bpf" and not sample):
                continue
            counts.compared += 1
            counts.delayed += walk.is_delayed
            case = next((name.split(".")[0] for name, *_ in walk.frames if name.startswith("case_")), "case_threads")
            counts.cases[case] += bool(walk.frames)
            # The session has the ring's sample, because the recorder had found that the thread blocks the signal.
            counts.unmerged[case] += bool(walk.frames and sample and not sample.frames)
            counts.not_stopped += not sample
            counts.nameless += bool(sample and sample.frames) and any(not name for name, *_ in walk.frames)
            if why := sample and why_wrong(walk, sample, lines):
                counts.wrong.append(why)
    return counts


def measure(t: Context, kind: str, options: tuple[str, ...], seconds: float, attaches: bool, engine: str) -> Counts:
    """A lost sample would be compared with another one.  On a busy machine the rings are not read in time: fewer samples a second
    fit into them."""
    losses = []
    for hz in (HZ, HZ, HZ, HZ // 2, HZ // 4, HZ // 8):
        counts, lost_by_us, lost_by_oracle = measure_once(t, kind, options, seconds, hz, attaches, engine)
        if not lost_by_us + lost_by_oracle or counts.wrong:
            return counts
        losses.append(f"{lost_by_us} + {lost_by_oracle} at {hz} Hz")
    raise AssertionError("samples lost by wperf and by the walk in the kernel, each time: " + ", ".join(losses))


def record(t: Context, hz: int, attaches: bool, engine: str, command: list[str]) -> Done:
    options = ["-g", "--engine", engine, "-F", str(hz)]
    if not attaches:
        return t.ours("record", *options, "--", *command)
    done, program = harness.recorded_attached(t, options, command, traces=engine == "stop")
    check(program.status == 0, "the program that wperf attached to", program)
    return done


def reasons_of(done: Done) -> collections.Counter:
    """Why samples have no Python frames, as the quality line has it: "12 native (10 start-up, 2 Python frames cut)"."""
    native = re.search(r"merged, [\d,]+ native \((.*?)\)", done.out)
    found = re.findall(r"(\d[\d,]*) ([^,]+)", native[1]) if native else []
    return collections.Counter({reason: int(n.replace(",", "")) for n, reason in found})


def measure_once(t: Context, kind: str, options: tuple[str, ...], seconds: float, hz: int, attaches: bool, engine: str) -> tuple[Counts, int, int]:
    python, modules = find_python(kind), t.path("modules")
    oracle = start_oracle(t, kind, engine)
    os.makedirs(modules, exist_ok=True)
    build_states(t, kind, modules)
    done = record(t, hz, attaches, engine, [python, *options, WORK, str(seconds), modules, str(oracle.pid)])
    oracle.send_signal(signal.SIGTERM)
    said = oracle.communicate(timeout=harness.WAIT_SECONDS)[0].decode()
    if why := re.search(r"the engine (?:stop is not used: .*kernel.*|bpf is not used: .*)", done.out):
        raise Skip(why[0])
    check(done.status == 0, "record", done)
    walked = walked_samples(t.path("walked"))
    counts = compare(walked, recorded_samples(t), Lines(t, python, walked), engine)
    repeats = re.search(r"^    n_repeats (\d+)$", t.good("dump").out, re.M)
    counts.reasons = reasons_of(done)
    counts.repeats = int(repeats[1]) if repeats else 0
    return counts, harness.quality_of(done)["lost"], int(said.removeprefix("lost "))


def check_counts(kind: str, counts: Counts, least: int) -> None:
    harness.note(f"{find_python(kind)}: {len(counts.wrong)} wrong of {counts.compared}, {100 * counts.merged():.2f} % merged, "
                 f"{counts.delayed} delayed by a blocked signal, {counts.not_stopped} without a sample, {counts.repeats} repeated periods, "
                 f"{counts.nameless} with names that the kernel can't read")
    harness.note("  " + ", ".join(f"{case[5:]} {n}" for case, n in sorted(counts.cases.items())))
    harness.note("  not merged: " + (", ".join(f"{case[5:]} {n}" for case, n in sorted(counts.unmerged.items()) if n) or "none")
                 + "; by reason: " + (", ".join(f"{reason} {n}" for reason, n in sorted(counts.reasons.items())) or "none"))
    check(counts.not_stopped <= counts.repeats + counts.compared / 500, f"signals without a sample: {counts}")
    check(not counts.wrong, f"{len(counts.wrong)} wrong of {counts.compared}:\n" + "\n".join(counts.wrong[:5]))
    error = math.sqrt(LEAST_MERGED * (1 - LEAST_MERGED) / counts.compared) if counts.compared < 5000 else 0
    check(counts.merged() >= LEAST_MERGED - 3 * error, f"not merged: {counts.unmerged}")
    with open(WORK, encoding="utf-8") as file:
        text = file.read()
    cases = set(re.findall(r"^def (case_\w+)\(", text, re.M))
    for module in re.findall(r"^if (\w+):\n    def case_", text, re.M):
        if subprocess.run([find_python(kind), "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            cases |= set(re.findall(r"^    def (case_\w+)\(", text.partition(f"\nif {module}:\n")[2].partition("\n\n\n")[0], re.M))
    check(set(counts.cases) == cases and min(counts.cases.values()) >= least / 100, f"each case has samples: {counts.cases}")
    check(counts.compared >= least and counts.nameless <= counts.compared / 500, f"{counts.compared} samples, {counts.nameless} nameless")


def oracle_of(kind: str, options: tuple[str, ...], seconds: float, least: int, attaches: bool, engine: str) -> Callable[[Context], None]:
    """Measures until there are enough samples; in each run each case runs for some seconds."""

    @harness.limit(120 + least // 20)
    def test(t: Context) -> None:
        counts = Counts()
        while counts.compared < least and not counts.wrong:
            counts.add(measure(t, kind, options, seconds, attaches, engine))
        check_counts(kind, counts, least)

    return test


def name_tests() -> None:
    """By hand also Debian unstable's debug builds, perf's trampolines, which turn calls into native ones, and each as a
    program that runs already."""
    by_hand = int(sys.argv[4]) if sys.argv[3:4] == ["--samples"] else 0
    kinds: list[tuple[str, tuple[str, ...]]] = [(kind, ()) for kind in installed() if by_hand or not re.match("newest .*d", kind)]
    if by_hand:
        del sys.argv[3:5]
        with_perf = [("pyenv 3.12", ("-X", "perf")), ("pyenv 3.13", ("-X", "perf")), ("pyenv 3.13", ("-X", "perf_jit"))]
        kinds += [(kind, options) for kind, options in with_perf if kind in installed()]
    for kind, options in kinds:
        seconds = 0.3 if by_hand else SECONDS.get(kind, OTHER_SECONDS)
        name = re.sub("[ .-]", "_", " ".join((kind, *options[1:])))
        for attaches in (False, True) if by_hand or kind == "python3" else (False,):
            for engine in ("stop", "bpf"):
                test = oracle_of(kind, options, seconds, by_hand or int(seconds * HZ * 5), attaches, engine)
                setattr(sys.modules[__name__], f"test_{engine}_stacks_of_{'attached_' * attaches}{name}", test)


if __name__ == "__main__":
    name_tests()
    harness.main(__name__)
