"""A second reader of event-trace files, written from their description and not from wperf's: slow, and without a word about damage.

It gives the events by kind, processes, images with the identity of their PDBs, samples with their stacks, and what was lost.
"""
import bisect
import dataclasses
import struct
import uuid
from collections import Counter, defaultdict
from typing import Callable, Iterator

HEADER = struct.Struct("<III")
KERNEL_SIZES = {1: 32, 2: 32, 3: 24, 4: 24, 0x10: 16, 0x11: 16}
PROVIDERS = (0x12, 0x13)
IMAGE_CLASS = uuid.UUID("b3e675d7-2554-4f18-830b-2762732560de")
CONFIG_CLASS = uuid.UUID("9b79ee91-b5fd-41c0-a243-4248e266e9d0")
RUNTIMES = (uuid.UUID("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4"), uuid.UUID("a669021c-c450-4609-a035-5af59af4df18"))
METHODS, JITTED = (143, 144), 8
THREAD_BEGINS, IMAGES, LEFT_IMAGES = (0x0501, 0x0503), (0x030A, 0x1403), (0x1402, 0x1404)
RUNNING = (0x0303, 0x0503, 0x1403)
SAMPLE, STACK, KEYED, KEY_FRAMES = 0x0F2E, 0x1820, (0x1825, 0x1826), (0x1823, 0x1824)


def unpacked(packed: bytes, size: int) -> bytes:
    """Plain LZ77 of [MS-XCA]."""
    out, at, flags, left, nibble_at = bytearray(), 0, 0, 0, None
    while len(out) < size:
        if not left:
            flags, left, at = int.from_bytes(packed[at:at + 4], "little"), 32, at + 4
        left -= 1
        if not flags >> left & 1:
            out.append(packed[at])
            at += 1
            continue
        match, at = int.from_bytes(packed[at:at + 2], "little"), at + 2
        length, distance = match % 8, match // 8 + 1
        if length == 7:
            if nibble_at is None:
                nibble_at, length, at = at, packed[at] % 16, at + 1
            else:
                length, nibble_at = packed[nibble_at] // 16, None
            length += 7
            if length == 22:
                length, at = packed[at] + 22, at + 1
                if length == 277:
                    length, at = int.from_bytes(packed[at:at + 2], "little"), at + 2
                    if not length:
                        length, at = int.from_bytes(packed[at:at + 4], "little"), at + 4
        for _ in range(length + 3):
            out.append(out[-distance])
    return bytes(out)


@dataclasses.dataclass
class Event:
    hook: int | None  # of the kernel's own events
    guid: uuid.UUID | None
    number: int       # of the others
    cpu: int
    time: int
    payload: bytes
    process: int = -1 # of the events of providers
    at: int = 0       # where it is in the events of its buffer
    time_at: int = 0  # where its time is there


def buffers(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The CPU, and the events."""
    at = 0
    while at < len(data):
        size, used, _ = HEADER.unpack_from(data, at)
        (flags,) = struct.unpack_from("<H", data, at + 0x34)
        (cpu,) = struct.unpack_from("<H", data, at + 0x28)
        body = data[at + 0x48:at + size]
        yield cpu if flags & 0x20 else cpu & 255, unpacked(body, used - 0x48) if flags & 0x40 else body[:used - 0x48]
        at += size


def events_of(cpu: int, body: bytes) -> Iterator[Event]:
    """Those of a buffer."""
    at = 0
    while at < len(body):
        first, kind = struct.unpack_from("<HB", body, at)
        if kind in KERNEL_SIZES:
            size, hook = struct.unpack_from("<HH", body, at + 4)
            begin = KERNEL_SIZES[kind]
            time_at = at + (8 if begin == 16 else 16)
            (time,) = struct.unpack_from("<Q", body, time_at)
            yield Event(hook, None, 0, cpu, time, body[at + begin:at + size], at=at, time_at=time_at)
        else:
            size = first
            begin, (time,) = 0x50 if kind in PROVIDERS else 0x30, struct.unpack_from("<Q", body, at + 16)
            number = struct.unpack_from("<H", body, at + 40)[0] if kind in PROVIDERS else body[at + 4]
            yield Event(None, uuid.UUID(bytes_le=body[at + 24:at + 40]), number, cpu, time, body[at + begin:at + size],
                        struct.unpack_from("<I", body, at + 12)[0], at, at + 16)
        at += -(-size // 8) * 8


def events(data: bytes) -> Iterator[Event]:
    for cpu, body in buffers(data):
        yield from events_of(cpu, body)


def changed_events(data: bytes, change: Callable[[Event, bytearray], None]) -> bytes:
    """The same trace, not packed, after `change` of the events of each buffer."""
    out, at = bytearray(), 0
    for cpu, body in buffers(data):
        header, changed = bytearray(data[at:at + 0x48]), bytearray(body)
        at += HEADER.unpack_from(header)[0]
        for event in events_of(cpu, body):
            change(event, changed)
        struct.pack_into("<II", header, 0, 0x48 + len(body), 0x48 + len(body))
        struct.pack_into("<H", header, 0x34, struct.unpack_from("<H", header, 0x34)[0] & ~0x40)
        out += header + changed
    return bytes(out)


@dataclasses.dataclass
class Sample:
    time: int
    cpu: int
    thread: int
    address: int
    process: int = -1
    chain: tuple[int, ...] = ()


@dataclasses.dataclass
class Trace:
    n_events: int = 0
    kernel: Counter = dataclasses.field(default_factory=Counter)     # events by hook
    others: Counter = dataclasses.field(default_factory=Counter)     # events by GUID and number
    start: int = 0                                                   # ticks of the header's event
    ticks_a_second: int = 0
    n_lost: int = 0
    n_idle: int = 0
    n_unknown_keys: int = 0                                          # of parts of stacks whose frames are not in the file
    samples: list[Sample] = dataclasses.field(default_factory=list)
    images: Counter = dataclasses.field(default_factory=Counter)     # process, address, size, path
    pdbs: dict = dataclasses.field(default_factory=dict)             # process and address: GUID and age, as in the file
    volumes: dict = dataclasses.field(default_factory=dict)
    methods: dict = dataclasses.field(default_factory=dict)          # of .NET: by process and address the size and name

    def program_path(self, path: str) -> str:
        best = max((nt for nt in self.volumes if path.lower().startswith(nt.lower())), key=len, default="")
        return self.volumes.get(best, "") + path[len(best):]


def texts(payload: bytes) -> list[str]:
    return payload.decode("utf-16-le", errors="replace").split("\0")


def image_of(payload: bytes) -> tuple[int, int, int, str]:
    base, size, pid = struct.unpack_from("<QQI", payload)
    return pid, base, size, texts(payload[56:])[0]


class Stacks:
    """Stacks, put together in the order of time: a part with a key waits until an event gives the frames of its key.

    That event may come long after the sample: a program's part is walked, and gets its key, when the thread leaves the kernel. Between the
    sample and this moment, the key may have had the frames of another thread.
    """

    def __init__(self, found: list[Event]) -> None:
        self.parts: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)
        self.n_unknown = 0
        waiting: dict[int, list[tuple[tuple[int, int], int]]] = defaultdict(list)
        # What gives frames comes last at its time: no thread can get a key of which the frames were just written and dropped.
        # Frames that are left at the end have the time of the end.
        for event in sorted(found, key=lambda e: (e.time, e.hook in KEY_FRAMES)):
            words = struct.unpack_from(f"<{len(event.payload) // 8}Q", event.payload)
            if event.hook in KEY_FRAMES:
                for of, index in waiting.pop(words[0], ()):
                    self.parts[of][index] = words[1:]
                continue
            of = struct.unpack_from("<Q4xI", event.payload)
            if event.hook in KEYED:
                waiting[words[2]].append((of, len(self.parts[of])))
            self.parts[of].append(() if event.hook in KEYED else words[2:])
        self.n_unknown = sum(map(len, waiting.values()))

    def chain(self, time: int, tid: int) -> tuple[int, ...]:
        """The kernel's part comes first; within a part, the order is that of the file: the kernel may have called back into the program."""
        lists = [frames for frames in self.parts.get((time, tid), ()) if frames]
        return sum(sorted(lists, key=lambda frames: not frames[0] >> 63), ())


def read(data: bytes) -> Trace:
    found = list(events(data))
    trace, threads, late = Trace(len(found)), defaultdict(list), []
    stacks = Stacks([event for event in found if event.hook in (STACK, *KEYED, *KEY_FRAMES)])
    trace.n_unknown_keys = stacks.n_unknown
    for event in found:
        payload = event.payload
        if event.guid is not None:
            trace.others[event.guid, event.number] += 1
            if event.guid == IMAGE_CLASS and event.number == 36:
                base, pid = struct.unpack_from("<QI", payload)
                trace.pdbs[pid, base] = payload[12:32]
            elif event.guid == CONFIG_CLASS and event.number == 35:
                kernel_text, program_text = texts(payload)[:2]
                trace.volumes[kernel_text] = program_text
            elif event.guid in RUNTIMES and event.number in METHODS:
                start, size, _, flags = struct.unpack_from("<QIII", payload, 16)
                if flags & JITTED and size:
                    trace.methods[event.process, start] = size, ".".join(part for part in texts(payload[36:])[:2] if part)
            continue
        trace.kernel[event.hook] += 1
        if event.hook == 0:
            lost_events, lost_buffers = struct.unpack_from("<I", payload, 48)[0], struct.unpack_from("<I", payload, 276)[0]
            trace.start, trace.n_lost = event.time, lost_events + lost_buffers
            (trace.ticks_a_second,) = struct.unpack_from("<Q", payload, 256)
        elif event.hook in THREAD_BEGINS:
            pid, tid = struct.unpack_from("<II", payload)
            threads[tid].append((event.time, pid, event.hook))
        elif event.hook == SAMPLE:
            address, tid, _, flags = struct.unpack_from("<QIHH", payload)
            if tid or flags & 3:
                trace.samples.append(Sample(event.time, event.cpu, tid, address))
            else:
                trace.n_idle += 1
        elif event.hook in IMAGES:
            trace.images[image_of(payload)] += 1
        elif event.hook in LEFT_IMAGES:
            late.append(image_of(payload))
    known = {image[:2] for image in trace.images}
    for image in late:
        if image[:2] not in known:
            known.add(image[:2])
            trace.images[image] += 1
    for begins in threads.values():
        # What was listed as running existed when the recording began.
        begins[:] = sorted((trace.start if hook == THREAD_BEGINS[1] else time, pid) for time, pid, hook in begins)
    for sample in trace.samples:
        begins = threads.get(sample.thread, [])
        index = bisect.bisect_right(begins, (sample.time, 1 << 32)) - 1
        sample.process = 0 if not sample.thread else begins[max(index, 0)][1] if begins else -1
        sample.chain = stacks.chain(sample.time, sample.thread)
    return trace
