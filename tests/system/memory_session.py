"""A model of memory accesses (memory_model.py) as bytes: packets of Arm SPE, in a perf.data file as perf 6.1 writes it.

The packets are those of the Arm Architecture Reference Manual, chapter "Statistical Profiling Extension Sample Record
Specification", in the order in which Neoverse cores write them.  Nothing here was taken from wperf's own reader.
"""
import os
import struct
from typing import Callable, Iterable

from memory_model import BASE, LEVELS, PAGE_BYTES, REGIONS, TICK_NS, TIME_ZERO_NS, Model, Operation, Segment, Slice, Thread

# --- packets ---

RECORD_BYTES = 64
END, TIMESTAMP, OPERATION, EVENTS, SOURCE, CONTEXT, ADDRESS, COUNTER = 0x01, 0x71, 0x48, 0x52, 0x43, 0x64, 0xb0, 0x98
PC, TARGET, VIRTUAL = 0, 1, 2
TOTAL, ISSUE, TRANSLATION = 0, 1, 2
OTHER, LOAD_STORE, BRANCH = 0, 1, 2
RETIRED, L1_ACCESS, L1_REFILL, TLB_ACCESS, TLB_WALK, MISPREDICTED, LLC_ACCESS, LLC_MISS, REMOTE = (
    1 << bit for bit in (1, 2, 3, 4, 5, 7, 8, 9, 10))
# A code address of exception level 0, not secure.
USER_CODE = 1 << 63


def packet_address(index: int, payload: int) -> bytes:
    return struct.pack("<BQ", ADDRESS | index, payload)


def packet_counter(index: int, cycles: int) -> bytes:
    return struct.pack("<BH", COUNTER | index, cycles)


def packet_operation(kind: int, payload: int) -> bytes:
    return struct.pack("<BB", OPERATION | kind, payload)


def events_of(operation: Operation) -> int:
    events = RETIRED
    if operation.is_access:
        events |= L1_ACCESS | TLB_ACCESS | (TLB_WALK if operation.is_walk else 0)
        if operation.level != "L1":
            events |= L1_REFILL
        if operation.level in ("system cache", "remote", "DRAM"):
            events |= LLC_ACCESS
        if operation.level in ("remote", "DRAM"):
            events |= LLC_MISS
        if operation.level == "remote":
            events |= REMOTE
    return events | (MISPREDICTED if operation.is_mispredicted else 0)


def packets_of(operation: Operation, has_contexts: bool) -> bytes:
    """The record of one operation, without its timestamp."""
    parts = [packet_address(PC, operation.pc | USER_CODE)]
    if has_contexts:
        parts.append(struct.pack("<BI", CONTEXT, operation.tid))
    parts += [packet_counter(ISSUE, operation.issue), packet_counter(TOTAL, operation.total),
              struct.pack("<BH", EVENTS, events_of(operation))]
    if operation.kind == "branch":
        parts += [packet_operation(BRANCH, 1), packet_address(TARGET, operation.target | USER_CODE)]
    elif operation.kind == "other":
        parts.append(packet_operation(OTHER, 0))
    else:
        parts += [packet_operation(LOAD_STORE, operation.kind == "store"), packet_address(VIRTUAL, operation.tag << 56 | operation.address),
                  packet_counter(TRANSLATION, operation.translation)]
    if operation.kind == "load":
        parts.append(struct.pack("<BB", SOURCE, LEVELS[operation.level].source))
    return b"".join(parts)


def record_of(operation: Operation, has_contexts: bool = False) -> bytes:
    """With the timestamp, which is last."""
    return packets_of(operation, has_contexts) + struct.pack("<BQ", TIMESTAMP, operation.tick)


def stream_of(operations: Iterable[Operation], has_contexts: bool) -> bytes:
    """Each record is padded to the size of Neoverse's records."""
    records = [record_of(operation, has_contexts) for operation in operations]
    assert max(map(len, records)) <= RECORD_BYTES
    return b"".join(record.ljust(RECORD_BYTES, b"\0") for record in records)


# --- records of perf.data ---

COMM, EXIT, FORK, MMAP2, AUX, ITRACE_START, SWITCH, SWITCH_CPU_WIDE = 3, 4, 7, 10, 11, 12, 14, 15
FINISHED_ROUND, AUXTRACE_INFO, AUXTRACE, TIME_CONV = 68, 70, 71, 79
USER, IS_DATA, SWITCH_OUT, COMM_EXEC = 2, 1 << 13, 1 << 13, 1 << 13
SPE_TYPE, SOFTWARE, DUMMY = 10, 1, 9
IP, TID, TIME, ADDR, CPU, PERIOD, WEIGHT, DATA_SRC, IDENTIFIER = (1 << bit for bit in (0, 1, 2, 3, 7, 8, 14, 15, 16))
ATTR_BYTES = 128
TIME_SHIFT = 24
AUX_BYTES = 128 * RECORD_BYTES
NEOVERSE_N1 = "0x00000000410fd0c0"


def text_bytes(text: str) -> bytes:
    """As the kernel writes it, zero-terminated and to a multiple of 8 bytes."""
    raw = text.encode() + b"\0"
    return raw.ljust(-(-len(raw) // 8) * 8, b"\0")


def times_of(piece: Slice) -> tuple[int, int]:
    return TIME_ZERO_NS + piece.first_tick * TICK_NS, TIME_ZERO_NS + piece.last_tick * TICK_NS


class Session:
    """Records in the order of the file, and an identifier for each event on each CPU."""

    def __init__(self, model: Model, streams: dict[int, bytes]) -> None:
        self.model, self.streams = model, streams
        self.cpus = sorted(streams)
        self.data = b""
        self.index: list[tuple[int, int]] = []
        # What has a time, with a number that keeps equal times in order.
        self.timed: list[tuple[int, int, bytes]] = []

    def record(self, kind: int, body: bytes, misc: int = 0) -> bytes:
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def add_timed(self, kind: int, body: bytes, time: int, tid: int, cpu: int, misc: int = 0, event: int = 1) -> None:
        """Event 0 is SPE, event 1 the dummy that has the records of the process."""
        identifier = 1 + event * len(self.cpus) + self.cpus.index(cpu)
        trailer = struct.pack("<IIQIIQ", self.model.pid_of(tid) if tid else 0, tid, time, cpu, 0, identifier)
        self.timed.append((time, len(self.timed), self.record(kind, body + trailer, misc)))

    # --- the process ---

    def add_mapping(self, when: int, pid: int, addr: int, size: int, off: int, prot: int, name: str, misc: int) -> None:
        device = (8, 1, 77, 0) if name.startswith("/") and not name.startswith("//") else (0, 0, 0, 0)
        body = struct.pack("<IIQQQIIQQII", pid, pid, addr, size, off, *device, prot, 2) + text_bytes(name)
        self.add_timed(MMAP2, body, when, pid, self.cpus[0], misc)

    def add_segment(self, when: int, pid: int, segment: Segment) -> None:
        """As Linux loads it: whole pages of the file, and zero pages for the rest."""
        def up(value: int) -> int:
            return -(-value // PAGE_BYTES) * PAGE_BYTES

        start, off = segment.addr & -PAGE_BYTES, segment.file_off & -PAGE_BYTES
        prot = (segment.flags >> 2 & 1) | (segment.flags & 2) | (segment.flags & 1) << 2
        misc = USER | (0 if segment.is_code else IS_DATA)
        file_end, end = up(segment.addr + segment.file_bytes), up(segment.addr + segment.memory_bytes)
        self.add_mapping(when, pid, BASE + start, file_end - start, off, prot, self.model.program.path, misc)
        if end > file_end:
            self.add_mapping(when, pid, BASE + file_end, end - file_end, 0, 3, "//anon", misc)

    def add_fork(self, when: int, thread: Thread, parent: int) -> None:
        self.add_timed(FORK, struct.pack("<IIIIQ", thread.pid, parent, thread.tid, parent, when), when, parent, self.cpus[0])

    def add_process(self, when: int, first: Thread) -> None:
        """A process that runs the program, from its exec on."""
        comm = struct.pack("<II", first.pid, first.pid) + text_bytes(first.name)
        self.add_timed(COMM, comm, when, first.pid, self.cpus[0], USER | COMM_EXEC)
        for segment in self.model.program.segments:
            self.add_segment(when + 10, first.pid, segment)
        for name, (addr, size) in REGIONS.items():
            self.add_mapping(when + 20, first.pid, addr, size, 0, 3, name, USER | IS_DATA)

    def add_threads(self, when: int) -> None:
        """The first process starts the others."""
        first = self.model.threads[0]
        for thread in self.model.threads:
            if thread != first:
                self.add_fork(when + 30, thread, first.pid if thread.tid == thread.pid else thread.pid)
            if thread.tid == thread.pid:
                self.add_process(when if thread == first else when + 40, thread)
            else:
                comm = struct.pack("<II", thread.pid, thread.tid) + text_bytes(thread.name)
                self.add_timed(COMM, comm, when + 70, thread.tid, self.cpus[0], USER)

    def add_switches(self) -> None:
        """Those of the process's threads alone, each with the thread that it is about."""
        begun = set()
        for piece in self.model.slices:
            begin, end = times_of(piece)
            if (piece.tid, piece.cpu) not in begun:
                self.add_timed(ITRACE_START, struct.pack("<II", self.model.pid_of(piece.tid), piece.tid), begin, piece.tid, piece.cpu, event=0)
                begun.add((piece.tid, piece.cpu))
            self.add_timed(SWITCH, b"", begin, piece.tid, piece.cpu)
            self.add_timed(SWITCH, b"", end, piece.tid, piece.cpu, misc=SWITCH_OUT)

    def add_cpu_switches(self) -> None:
        """Those of the CPUs, each with the other thread too; between two slices a CPU is idle, which is thread 0."""
        for piece in self.model.slices:
            begin, end = times_of(piece)
            thread, idle = struct.pack("<II", self.model.pid_of(piece.tid), piece.tid), struct.pack("<II", 0, 0)
            self.add_timed(SWITCH_CPU_WIDE, thread, begin, 0, piece.cpu, misc=SWITCH_OUT)
            self.add_timed(SWITCH_CPU_WIDE, idle, begin, piece.tid, piece.cpu)
            self.add_timed(SWITCH_CPU_WIDE, idle, end, piece.tid, piece.cpu, misc=SWITCH_OUT)
            self.add_timed(SWITCH_CPU_WIDE, thread, end, 0, piece.cpu)

    def add_exits(self, when: int) -> None:
        for thread in reversed(self.model.threads):
            body = struct.pack("<IIIIQ", thread.pid, thread.pid, thread.tid, thread.pid, when)
            self.add_timed(EXIT, body, when, thread.tid, self.cpus[0])

    # --- the data ---

    def add_aux_records(self, end: int) -> None:
        """One for each piece that the kernel announced."""
        by_cpu = self.model.by_cpu()
        for cpu, stream in self.streams.items():
            operations = by_cpu[cpu]
            for off in range(0, len(stream), AUX_BYTES):
                size = min(AUX_BYTES, len(stream) - off)
                last = (off + size) // RECORD_BYTES - 1
                when = operations[last].time_ns + 100 if last < len(operations) else end
                tid = operations[min(last, len(operations) - 1)].tid
                self.add_timed(AUX, struct.pack("<QQQ", off, size, 0), when, tid, cpu, event=0)

    def add_streams(self, at: int) -> None:
        """Each CPU's buffer as perf copied it, in two rounds."""
        for is_second in (False, True):
            for number, cpu in enumerate(self.cpus):
                stream = self.streams[cpu]
                middle = len(stream) // 2 // AUX_BYTES * AUX_BYTES
                off, part = (middle, stream[middle:]) if is_second else (0, stream[:middle])
                if part:
                    head = self.record(AUXTRACE, struct.pack("<QQQIiII", len(part), off, number << 32 | off, number, -1, cpu, 0))
                    self.index.append((at + len(self.data), len(head)))
                    self.data += head + part
        self.data += self.record(FINISHED_ROUND, b"")

    def make(self, at: int) -> bytes:
        """The data section, which begins at `at` in the file."""
        times = [time for piece in self.model.slices for time in times_of(piece)]
        begin, end = min(times), max(times)
        self.data = self.record(TIME_CONV, struct.pack("<QQQQQBB6x", TIME_SHIFT, TICK_NS << TIME_SHIFT, TIME_ZERO_NS, 0,
                                                       (1 << 64) - 1, 1, 0))
        self.data += self.record(AUXTRACE_INFO, struct.pack("<IIQQ", 4, 0, SPE_TYPE, 1))
        self.add_threads(begin - 1000)
        if self.model.threads_by == "cpu switches":
            self.add_cpu_switches()
        else:
            self.add_switches()
        self.add_aux_records(end + 500)
        self.add_exits(end + 1000)
        self.data += b"".join(data for _, _, data in sorted(self.timed))
        self.add_streams(at)
        return self.data


# --- the file ---


def attr_bytes(kind: int, config: int, period: int, sample_type: int, flags: Iterable[int]) -> bytes:
    bits = sum(1 << bit for bit in flags)
    return struct.pack("<IIQQQQQ", kind, ATTR_BYTES, config, period, sample_type, 4, bits).ljust(ATTR_BYTES, b"\0")


def attributes() -> list[bytes]:
    """arm_spe_0 with loads, stores, branches and timestamps, and the dummy that perf adds for records of the process."""
    disabled, inherit, mmap, comm, inherit_exec_comm, task = 0, 1, 8, 9, 24, 13
    mmap_data, id_all, mmap2, switches, exclude_kernel, exclude_hv = 17, 18, 23, 26, 5, 6
    sampled = IP | TID | TIME | ADDR | CPU | PERIOD | WEIGHT | DATA_SRC | IDENTIFIER
    spe = attr_bytes(SPE_TYPE, 0x700010001, 1024, sampled, (disabled, inherit, id_all, exclude_kernel, exclude_hv))
    dummy = attr_bytes(SOFTWARE, DUMMY, 1, TID | TIME | CPU | IDENTIFIER,
                       (disabled, inherit, mmap, comm, inherit_exec_comm, task, mmap_data, id_all, mmap2, switches, exclude_kernel,
                        exclude_hv))
    return [spe, dummy]


def feature_text(text: str) -> bytes:
    return struct.pack("<I64s", 64, text.encode())


def feature_events(attrs: list[bytes], names: list[str], n_cpus: int) -> bytes:
    parts = [struct.pack("<II", len(attrs), ATTR_BYTES)]
    for number, (attr, name) in enumerate(zip(attrs, names)):
        ids = range(1 + number * n_cpus, 1 + (number + 1) * n_cpus)
        parts += [attr, struct.pack("<I", n_cpus), feature_text(name), struct.pack(f"<{n_cpus}Q", *ids)]
    return b"".join(parts)


def feature_index(entries: list[tuple[int, int]]) -> bytes:
    return struct.pack("<Q", len(entries)) + b"".join(struct.pack("<QQ", *entry) for entry in entries)


def features(session: Session, attrs: list[bytes]) -> dict[int, bytes]:
    times = [when for when, _, _ in session.timed]
    n_cpus = max(session.cpus) + 1
    arch = "aarch64" if session.model.program.machine == session.model.program.AARCH64 else "x86_64"
    return {
        4: feature_text("6.1.0"),
        5: feature_text("6.1.192"),
        6: feature_text(arch),
        7: struct.pack("<II", n_cpus, n_cpus),
        9: feature_text(NEOVERSE_N1),
        12: feature_events(attrs, ["arm_spe_0/branch_filter=1,load_filter=1,store_filter=1,ts_enable=1/u", "dummy:u"],
                           len(session.cpus)),
        16: struct.pack("<I", 2) + struct.pack("<I", SPE_TYPE) + feature_text("arm_spe_0") + struct.pack("<I", SOFTWARE) +
            feature_text("software"),
        18: feature_index(session.index),
        21: struct.pack("<QQ", min(times), max(times)),
    }


def file_bytes(session: Session) -> bytes:
    """The header, the identifiers, both events, the data and the feature sections."""
    attrs = attributes()
    n_ids = len(attrs) * len(session.cpus)
    ids_at, attrs_at = 104, 104 + 8 * n_ids
    data_at = attrs_at + len(attrs) * (ATTR_BYTES + 16)
    each = 8 * len(session.cpus)
    table = b"".join(attr + struct.pack("<QQ", ids_at + number * each, each) for number, attr in enumerate(attrs))
    data = session.make(data_at)
    sections = features(session, attrs)
    at, index, content = data_at + len(data) + 16 * len(sections), b"", b""
    for _, section in sorted(sections.items()):
        index += struct.pack("<QQ", at + len(content), len(section))
        content += section
    bitmap = sum(1 << number for number in sections).to_bytes(32, "little")
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, ATTR_BYTES + 16, attrs_at, len(table), data_at, len(data), 0, 0)
    return header + bitmap + struct.pack(f"<{n_ids}Q", *range(1, n_ids + 1)) + table + data + index + content


def write_session(path: str, model: Model, change: Callable[[int, bytes], bytes] | None = None) -> None:
    """`change` gets each CPU's stream and gives it back, damaged."""
    has_contexts = model.threads_by == "contexts"
    streams = {cpu: stream_of(operations, has_contexts) for cpu, operations in model.by_cpu().items()}
    if change:
        streams = {cpu: change(cpu, stream) for cpu, stream in streams.items()}
    with open(path, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(file_bytes(Session(model, streams)))
