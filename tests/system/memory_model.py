#!/usr/bin/python3
"""Invented memory accesses of a real program: which thread, where it ran, its instruction, the address, how long it took.

    memory_model.py PROGRAM FOLDER [SCENARIO]...

writes FOLDER/SCENARIO.data, a session with these accesses as samples of Arm SPE, and FOLDER/SCENARIO.json, what a report of
the session has to say.  PROGRAM is memory_program.c, compiled; compile_program() does so.

A line has *true sharing* if two threads access the same offset of it and one of them stores there.  It has *false sharing* if
two of its offsets are accessed by one thread each, not the same one, and one of both offsets is stored to: these two could be
moved apart.  A quantile is that of the nearest rank: of n sorted values the one number ceil(p * n), counted from 1.
"""
import json
import os
import random
import shutil
import struct
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Callable, Iterable

LINE_BYTES = 64
PAGE_BYTES = 4096
QUANTILES = {"p50": (1, 2), "p90": (9, 10), "p99": (99, 100)}
# Where the kernel put the program.
BASE = 0xaaaab5f60000
# Memory that no symbol names: addresses in the process and sizes.
REGIONS = {"[heap]": (0xaaaae4c15000, 0x21000), "[stack]": (0xffffc0de0000, 0x21000)}
# The counter of an Arm machine: 25 MHz.
TICK_NS = 40
TIME_ZERO_NS = 7_000_000_000_123
FIRST_TICK = 1_000_000_000
LATENCY_MAX = 4095


@dataclass(frozen=True)
class Level:
    """A place that a load's data can come from: its number in Neoverse's data source packets, and cycles that it may take."""

    source: int
    cycles: tuple[int, int]


LEVELS = {
    "L1": Level(0x0, (4, 8)),
    "L2": Level(0x8, (11, 30)),
    "peer core": Level(0x9, (60, 160)),
    "local cluster": Level(0xa, (70, 140)),
    "system cache": Level(0xb, (60, 130)),
    "peer cluster": Level(0xc, (90, 220)),
    "remote": Level(0xd, (200, 500)),
    "DRAM": Level(0xe, (150, 900)),
}


# --- the program ---


@dataclass(frozen=True)
class Symbol:
    """A function or an object, by the addresses of the file."""

    name: str
    addr: int
    size_bytes: int


@dataclass(frozen=True)
class Segment:
    """A part of the program that is loaded: program header PT_LOAD."""

    flags: int
    file_off: int
    addr: int
    file_bytes: int
    memory_bytes: int

    @property
    def is_code(self) -> bool:
        return bool(self.flags & 1)

    @property
    def is_writable(self) -> bool:
        return bool(self.flags & 2)


def compile_program(source: str, folder: str) -> str | None:
    """For arm64 if there is a compiler for it, else for this machine.  None if there is no compiler at all."""
    out = os.path.join(folder, "memory_program")
    for compiler in ("aarch64-linux-gnu-gcc", "gcc", "cc"):
        if shutil.which(compiler):
            subprocess.run([compiler, "-O1", "-g", "-fno-builtin", "-fPIE", "-static-pie", "-nostdlib", "-Wl,--build-id",
                            "-o", out, source], check=True, stdin=subprocess.DEVNULL)
            return out
    return None


class Program:
    """The functions, objects and segments of an ELF file."""

    AARCH64 = 183

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        with open(path, "rb") as file:
            self.bytes = file.read()
        assert self.bytes[:6] == b"\x7fELF\x02\x01", f"{path}: not a 64-bit little-endian ELF file"
        self.machine = struct.unpack_from("<H", self.bytes, 18)[0]
        self.segments = list(self.read_segments())
        self.functions, self.objects = {}, {}
        self.read_symbols()

    def read_segments(self) -> Iterable[Segment]:
        table, size, count = *struct.unpack_from("<Q", self.bytes, 32), *struct.unpack_from("<HH", self.bytes, 54)
        for number in range(count):
            kind, flags, off, addr, _, n_file, n_memory = struct.unpack_from("<IIQQQQQ", self.bytes, table + number * size)
            if kind == 1:
                yield Segment(flags, off, addr, n_file, n_memory)

    def read_symbols(self) -> None:
        nm = "aarch64-linux-gnu-nm" if self.machine == self.AARCH64 and shutil.which("aarch64-linux-gnu-nm") else "nm"
        out = subprocess.run([nm, "-S", "--defined-only", self.path], check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in out.splitlines():
            words = line.split()
            if len(words) == 4:
                kind = self.functions if words[2] in "Tt" else self.objects
                kind[words[3]] = Symbol(words[3], int(words[0], 16), int(words[1], 16))

    def read_word(self, addr: int) -> int:
        segment = next(s for s in self.segments if s.addr <= addr < s.addr + s.file_bytes)
        return struct.unpack_from("<I", self.bytes, segment.file_off + addr - segment.addr)[0]

    def instructions(self, function: str, kind: str) -> list[int]:
        """Addresses in the process of the function's loads, stores, branches or others.  For another machine than arm64
        any address that is a multiple of 4."""
        symbol = self.functions[function]
        places = range((symbol.addr + 3) & ~3, symbol.addr + symbol.size_bytes, 4)
        if self.machine == self.AARCH64:
            places = [place for place in places if kind_of_instruction(self.read_word(place)) == kind]
        assert places, f"{function} has no {kind}"
        return [BASE + place for place in places]

    def address(self, name: str, offset: int) -> int:
        """In the process; of an object or a region."""
        first, size = REGIONS[name] if name in REGIONS else (BASE + self.objects[name].addr, self.objects[name].size_bytes)
        assert offset < size, f"{name} has {size} bytes"
        return first + offset

    def function_at(self, address: int) -> str:
        return name_at(self.functions, address)

    def object_at(self, address: int) -> str:
        for name, (first, size) in REGIONS.items():
            if first <= address < first + size:
                return name
        return name_at(self.objects, address)


def kind_of_instruction(word: int) -> str:
    """By the A64 encoding's main groups; of loads and stores, bit 22 is set in loads of this program."""
    if word >> 25 & 0b0101 == 0b0100:
        return "load" if word >> 22 & 1 else "store"
    return "branch" if word >> 26 & 0b111 == 0b101 else "other"


def name_at(symbols: dict[str, Symbol], address: int) -> str:
    """Of the symbol that has this address of the process."""
    return next(symbol.name for symbol in symbols.values() if symbol.addr <= address - BASE < symbol.addr + symbol.size_bytes)


# --- what happened ---


def grouped(operations: Iterable["Operation"], key: Callable[["Operation"], object]) -> dict:
    groups = defaultdict(list)
    for operation in operations:
        groups[key(operation)].append(operation)
    return dict(sorted(groups.items()))


@dataclass(frozen=True)
class Operation:
    """One sampled operation, which is a load, a store, a branch or another one."""

    tick: int
    cpu: int
    pid: int
    tid: int
    function: str
    pc: int
    kind: str
    issue: int
    total: int
    # of loads and stores
    address: int = 0
    level: str = ""
    translation: int = 0
    is_walk: bool = False
    # The highest byte of the pointer, which is not part of the address.
    tag: int = 0
    # of branches
    target: int = 0
    is_mispredicted: bool = False

    @property
    def is_access(self) -> bool:
        return self.kind in ("load", "store")

    @property
    def time_ns(self) -> int:
        return TIME_ZERO_NS + self.tick * TICK_NS


@dataclass(frozen=True)
class Thread:
    """A thread of a process.  The first one of each process has the process's number."""

    pid: int
    tid: int
    name: str


@dataclass(frozen=True)
class Slice:
    """A thread on a CPU, from when the kernel switched to it until it switched away."""

    cpu: int
    tid: int
    first_tick: int
    last_tick: int


@dataclass(frozen=True)
class Work:
    """What a function does: loads and stores at offsets of an object, found at levels with these weights."""

    function: str
    thing: str
    next_offset: Callable[[random.Random], int]
    store_share: float
    levels: dict[str, int]
    walk_share: float = 0.0
    has_tags: bool = False


# By the records of switches of the process's threads, by those of the CPUs (perf record -a), or by CONTEXT packets.
THREADS_BY = ("switches", "cpu switches", "contexts")


@dataclass
class Model:
    """Threads that run on CPUs by turns.  `threads_by` says how a session names the thread of a sample: one of THREADS_BY."""

    name: str
    program: Program
    seed: int
    threads: list[Thread] = field(default_factory=list)
    slices: list[Slice] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    threads_by: str = "switches"

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        # When a CPU or a thread is free again.
        self.free_cpus: dict[int, int] = {}
        self.free_threads: dict[int, int] = {}

    def pid_of(self, tid: int) -> int:
        return next(thread.pid for thread in self.threads if thread.tid == tid)

    def by_cpu(self) -> dict[int, list[Operation]]:
        return grouped(self.operations, lambda operation: operation.cpu)

    def thread(self, name: str, begins_process: bool = False) -> int:
        """Of the newest process, unless it begins one."""
        tid = 4200 + 3 * len(self.threads)
        pid = self.threads[-1].pid if self.threads and not begins_process else tid
        self.threads.append(Thread(pid, tid, name))
        return tid

    def run(self, cpu: int, tid: int, n: int, *works: Work) -> None:
        """`n` samples of a thread that does these works, one of six is a branch, one of fifteen something else."""
        first = tick = max(self.free_cpus.get(cpu, FIRST_TICK + 1000 * cpu), self.free_threads.get(tid, 0))
        for _ in range(n):
            tick += self.random.randrange(20, 60)
            self.operations.append(self.operation(tick, cpu, tid, self.random.choice(works)))
        self.slices.append(Slice(cpu, tid, first, tick + 10))
        self.free_cpus[cpu] = self.free_threads[tid] = tick + 500

    def operation(self, tick: int, cpu: int, tid: int, work: Work) -> Operation:
        rng = self.random
        chance = rng.random()
        kind = "branch" if chance < 1 / 6 else "other" if chance < 1 / 6 + 1 / 15 else ""
        kind = kind or ("store" if rng.random() < work.store_share else "load")
        pc = rng.choice(self.program.instructions(work.function, kind))
        issue = rng.randrange(1, 12)
        if kind == "branch":
            return Operation(tick, cpu, self.pid_of(tid), tid, work.function, pc, kind, issue, issue + rng.randrange(1, 4),
                             target=BASE + self.program.functions[work.function].addr, is_mispredicted=rng.random() < 0.05)
        if kind == "other":
            return Operation(tick, cpu, self.pid_of(tid), tid, work.function, pc, kind, issue, issue + rng.randrange(1, 4))
        level = rng.choices(list(work.levels), list(work.levels.values()))[0]
        is_walk = rng.random() < work.walk_share
        translation = rng.randrange(20, 80) if is_walk else 1
        total = issue + translation + rng.randrange(*LEVELS[level].cycles)
        return Operation(tick, cpu, self.pid_of(tid), tid, work.function, pc, kind, issue, min(total, LATENCY_MAX),
                         self.program.address(work.thing, work.next_offset(rng)), level, translation, is_walk,
                         rng.randrange(16) if work.has_tags else 0)


# --- what a report has to say ---


def quantile(values: list[int], numerator: int, denominator: int) -> int:
    """By nearest rank, in whole numbers."""
    rank = -(-len(values) * numerator // denominator)
    return sorted(values)[max(rank, 1) - 1]


def quantiles(values: list[int]) -> dict[str, int]:
    return {name: quantile(values, *share) for name, share in QUANTILES.items()} if values else {}


def summary(accesses: list[Operation]) -> dict:
    """Counts and latencies of some accesses.  Levels are those of loads: a store has no data source packet."""
    loads = [access for access in accesses if access.kind == "load"]
    return {
        "loads": len(loads),
        "stores": len(accesses) - len(loads),
        "latency": quantiles([access.total for access in accesses]),
        "load_latency": quantiles([access.total for access in loads]),
        "load_levels": counts(access.level for access in loads),
        "tlb_walks": sum(access.is_walk for access in accesses),
        "threads": sorted({access.tid for access in accesses}),
    }


def counts(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for name in names:
        found[name] += 1
    return dict(sorted(found.items()))


def has_true_sharing(accesses: list[Operation]) -> bool:
    return any(len({access.tid for access in group}) > 1 and any(access.kind == "store" for access in group)
               for group in grouped(accesses, lambda access: access.address).values())


def has_false_sharing(accesses: list[Operation]) -> bool:
    alone = {}
    for address, group in grouped(accesses, lambda access: access.address).items():
        tids = {access.tid for access in group}
        if len(tids) == 1:
            alone[address] = (tids.pop(), any(access.kind == "store" for access in group))
    return any(a[0] != b[0] and (a[1] or b[1]) for a in alone.values() for b in alone.values())


def line_facts(address: int, accesses: list[Operation]) -> dict:
    functions = {}
    for name, group in grouped(accesses, lambda access: access.function).items():
        functions[name] = {
            "offsets": sorted({access.address - address for access in group}),
            "threads": sorted({access.tid for access in group}),
            "loads": sum(access.kind == "load" for access in group),
            "stores": sum(access.kind == "store" for access in group),
        }
    return summary(accesses) | {
        "functions": functions,
        "offsets": sorted({access.address - address for access in accesses}),
        "true_sharing": has_true_sharing(accesses),
        "false_sharing": has_false_sharing(accesses),
    }


def key_of(pid: int, address: int) -> str:
    """Lines and pages of two processes are not the same ones."""
    return f"{pid}:{address:#x}"


def facts_of(program: Program, operations: list[Operation]) -> dict:
    """What is true of these operations."""
    accesses = [operation for operation in operations if operation.is_access]
    lines = grouped(accesses, lambda access: (access.pid, access.address & -LINE_BYTES))
    pages = grouped(accesses, lambda access: (access.pid, access.address & -PAGE_BYTES))
    functions = grouped(accesses, lambda access: access.function)
    objects = grouped(accesses, lambda access: program.object_at(access.address))
    return {
        "samples": {"all": len(operations)} | counts(operation.kind for operation in operations),
        "whole": summary(accesses),
        "lines": {key_of(*where): line_facts(where[1], group) for where, group in lines.items()},
        "pages": {key_of(*where): summary(group) for where, group in pages.items()},
        "functions": {name: summary(group) for name, group in functions.items()},
        "objects": {name: summary(group) for name, group in objects.items()},
    }


def differences(expected: object, seen: object, path: str = "") -> list[str]:
    """Where two documents of facts differ, one sentence each.  `seen` may leave out nothing and add nothing."""
    if isinstance(expected, dict) and isinstance(seen, dict):
        found = []
        for key in sorted(expected.keys() | seen.keys()):
            here = f"{path}/{key}"
            if key not in seen:
                found.append(f"{here} is missing")
            elif key not in expected:
                found.append(f"{here} is unexpected: {seen[key]}")
            else:
                found += differences(expected[key], seen[key], here)
        return found
    return [] if expected == seen else [f"{path} is {seen}, not {expected}"]


# --- scenarios ---

BOUNCING = {"L1": 40, "peer core": 50, "local cluster": 10}
CACHED = {"L1": 95, "L2": 5}
STREAMING = {"L1": 80, "L2": 10, "system cache": 6, "DRAM": 4}
CONTENDED = {"L1": 30, "peer core": 30, "peer cluster": 35, "remote": 5}


def always(offset: int) -> Callable[[random.Random], int]:
    return lambda _: offset


def any_of(first: int, last: int, step: int) -> Callable[[random.Random], int]:
    return lambda rng: rng.randrange(first, last, step)


def counter_works(suffix: str, thing: str, second: int, levels: dict[str, int]) -> list[Work]:
    return [Work(f"count_first_{suffix}", thing, always(0), 0.5, levels),
            Work(f"count_second_{suffix}", thing, always(second), 0.5, levels)]


def run_counters(model: Model, suffix: str, thing: str, second: int, levels: dict[str, int]) -> None:
    for cpu, work in enumerate(counter_works(suffix, thing, second, levels)):
        tid = model.thread(f"counter{cpu}")
        model.run(cpu, tid, 800 + 100 * cpu, work)


def two_counters(model: Model) -> None:
    """Two threads, two counters in one line."""
    run_counters(model, "near", "near_counters", 8, BOUNCING)


def counters_64_apart(model: Model) -> None:
    run_counters(model, "64", "counters_64_apart", 64, CACHED)


def counters_128_apart(model: Model) -> None:
    run_counters(model, "128", "counters_128_apart", 128, CACHED)


TABLE = Work("look_up", "shared_table", any_of(0, 4096, 4), 0.0, CACHED)
STREAM = Work("stream_array", "streamed_array", any_of(0, 65536, 8), 0.5, STREAMING, walk_share=0.04)
QUEUE = [Work("push_job", "job_queue", lambda rng: rng.choice((0, 8)), 0.3, CONTENDED),
         Work("push_job", "job_queue", any_of(64, 576, 8), 0.8, CONTENDED),
         Work("pop_job", "job_queue", lambda rng: rng.choice((0, 8)), 0.4, CONTENDED),
         Work("pop_job", "job_queue", any_of(64, 576, 8), 0.0, CONTENDED)]


def shared_table(model: Model) -> None:
    """Four threads read one table and nobody writes it."""
    for cpu in range(4):
        model.run(cpu, model.thread(f"reader{cpu}"), 500, TABLE)


def streamed_array(model: Model) -> None:
    """One thread reads and writes an array that is larger than the first cache."""
    model.run(2, model.thread("streamer"), 3000, STREAM)


def job_queue(model: Model) -> None:
    """Both threads push and pop: they share what they have to."""
    for cpu in (0, 1):
        model.run(cpu, model.thread(f"worker{cpu}"), 900, *QUEUE)


def one_cpu(model: Model) -> None:
    """The two counters once more; the threads take turns on one CPU, and then change to another one."""
    works = counter_works("near", "near_counters", 8, BOUNCING)
    tids = [model.thread("even"), model.thread("odd")]
    for turn in range(24):
        model.run(1 if turn < 16 else 3, tids[turn % 2], 20 + turn, works[turn % 2])


def without_symbols(model: Model) -> None:
    """Counters in one line of the heap, and a thread that works on its stack."""
    for cpu, suffix in enumerate(("first", "second")):
        model.run(cpu, model.thread(f"heap{cpu}"), 400, Work(f"count_{suffix}_near", "[heap]", always(0x2a0 + 16 * cpu), 0.5, BOUNCING))
    model.run(3, model.thread("stack"), 300, Work("stream_array", "[stack]", any_of(0x20000, 0x21000, 8), 0.5, CACHED))


def two_processes(model: Model) -> None:
    """Each counts in a line of its own memory, at the same address."""
    for cpu, work in enumerate(counter_works("near", "near_counters", 8, CACHED)):
        model.run(cpu, model.thread(f"process{cpu}", begins_process=True), 400, work)


def tagged_pointers(model: Model) -> None:
    """Two threads use one line of the heap, by pointers with tags."""
    for cpu, suffix in enumerate(("first", "second")):
        work = Work(f"count_{suffix}_near", "[heap]", always(0x400 + 8 * cpu), 0.5, BOUNCING, has_tags=True)
        model.run(cpu, model.thread(f"tags{cpu}"), 300, work)


def together(model: Model) -> None:
    """All of the others in one process."""
    near = counter_works("near", "near_counters", 8, BOUNCING)
    apart = counter_works("64", "counters_64_apart", 64, CACHED) + counter_works("128", "counters_128_apart", 128, CACHED)
    tids = [model.thread(f"thread{number}") for number in range(6)]
    jobs = [[near[0]], [near[1]], QUEUE, QUEUE, [STREAM, TABLE, apart[0], apart[2]], [TABLE, apart[1], apart[3]]]
    for turn in range(30):
        for cpu in range(4):
            number = (turn + cpu) % 6
            model.run(cpu, tids[number], model.random.randrange(5, 60), *jobs[number])


SCENARIOS = {scenario.__name__: scenario for scenario in (two_counters, counters_64_apart, counters_128_apart, shared_table,
                                                          streamed_array, job_queue, one_cpu, without_symbols, two_processes,
                                                          tagged_pointers, together)}


def make_model(name: str, program: Program, threads_by: str = THREADS_BY[0], seed: int = 1) -> Model:
    model = Model(name, program, seed, threads_by=threads_by)
    SCENARIOS[name](model)
    model.operations.sort(key=lambda operation: operation.tick)
    return model


def main() -> None:
    # That module reads this one.
    from memory_session import write_session  # pylint: disable=import-outside-toplevel
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= SCENARIOS.keys():
        sys.exit(f"usage: {sys.argv[0]} PROGRAM FOLDER [SCENARIO]...\nscenarios: {' '.join(SCENARIOS)}")
    program = Program(sys.argv[1])
    for name in sys.argv[3:] or SCENARIOS:
        model = make_model(name, program)
        path = os.path.join(sys.argv[2], name)
        write_session(path + ".data", model)
        with open(path + ".json", "w", encoding="ascii") as file:
            json.dump(facts_of(program, model.operations), file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
