"""Compares stacks of --engine peek with the log of peek_work.py: which of them the program had between the sample and the end of the
reading, and which of them only after the sample."""
import bisect
import os
import re
from dataclasses import dataclass, field

from harness import Context, Done, check
from peek_work import NAMES
from pythons import HERE
from test_python_oracle import recorded_samples

WORK = os.path.join(HERE, "peek_work.py")
# C functions that only one function of the program calls.
CALLERS = {"crc32": "checked", "builtin_sum": "summed", "list_sort": "compared"}
READ = re.compile(r"^debug: peek: thread (\d+) at (\d+) read after (\d+) ns, until (\d+) ns$", re.M)


@dataclass
class Counts:
    compared: int = 0
    late: int = 0
    native: int = 0  # without Python frames
    wrong: list[str] = field(default_factory=list)
    waits_us: list[float] = field(default_factory=list)  # from the samples to the ends of their readings

    def quantile_us(self, part: float) -> float:
        return sorted(self.waits_us)[int(part * (len(self.waits_us) - 1))]


class Log:
    """What one thread has noted."""

    def __init__(self, words: list[str]) -> None:
        self.times = [int(word) for word in words[::2]]
        self.stacks: list[tuple[str, ...]] = []  # at each note; a function that returns is still there
        self.returns: list[bool] = []
        stack: tuple[str, ...] = ()
        for word in words[1::2]:
            kind = int(word)
            if kind > 0:
                stack += (NAMES[kind - 1],)
            self.stacks.append(stack)
            self.returns.append(kind < 0)
            if kind < 0:
                stack = stack[:-1]

    def between(self, i: int) -> set[tuple[str, ...]]:
        """The stacks from note i up to the next one."""
        found = {self.stacks[i], self.stacks[i + 1]}
        if self.returns[i]:
            found.add(self.stacks[i][:-1])
        return found

    def last_before(self, time_ns: int) -> int:
        return bisect.bisect_right(self.times, time_ns) - 1

    def covers(self, first: int, last: int) -> bool:
        return first >= 0 and last + 1 < len(self.times)


def wrong_callers(t: Context) -> list[str]:
    """Stacks with Python frames in which a C function has another caller than in the program; one for each sample."""
    found = []
    for line in t.run(t.wperf, "export", "--format", "folded", "-o", "-").out.splitlines():
        stack, _, count = line.rpartition(" ")
        for function, caller in CALLERS.items():
            if ".work [" in stack and re.search(rf";\w*{function}", stack) and f".{caller} [" not in stack:
                found += [stack] * int(count)
    return found


def logs_of(path: str) -> dict[int, Log]:
    with open(path, encoding="utf-8") as file:
        return {int(line.split(" ", 1)[0]): Log(line.split()[1:]) for line in file}


def compare(t: Context, done: Done, log_path: str) -> Counts:
    """`done` is a recording with WPERF_DEBUG set."""
    counts = Counts()
    logs = logs_of(log_path)
    ends = {(int(tid), int(time)): int(time) + int(until) for tid, time, _, until in READ.findall(done.err)}
    check(len(ends) > 0, "the debug log says when threads were read", done)
    for tid, samples in recorded_samples(t).items():
        for sample in samples:
            end = ends.get((tid, sample.time_ns))
            if tid not in logs or end is None:
                continue
            log = logs[tid]
            first, last = log.last_before(sample.time_ns), log.last_before(end)
            if not log.covers(first, last):
                continue
            counts.waits_us.append((end - sample.time_ns) / 1e3)
            if not sample.frames:
                counts.native += 1
                continue
            names = tuple(name.split(".")[-1] for name, *_ in reversed(sample.frames))
            stack = tuple(name for name in names if name in NAMES)
            counts.compared += 1
            if stack in log.between(first):
                continue
            if any(stack in log.between(i) for i in range(first, last + 1)):
                counts.late += 1
            else:
                counts.wrong.append(f"{sample.time_ns}: {' > '.join(stack)}, not among "
                                    f"{[' > '.join(s) for i in range(first, last + 1) for s in log.between(i)]}")
    counts.wrong += wrong_callers(t)
    return counts
