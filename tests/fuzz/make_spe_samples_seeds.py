#!/usr/bin/python3
"""Writes seeds of fuzz_spe_samples into a folder: small sessions as tests/bench/spe_session.py makes them, and some with the data that are
the seeds of fuzz_spe.

    make_spe_samples_seeds.py tests/fuzz/corpus/spe_samples tests/fuzz/corpus/spe
"""
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import spe_session as session  # pylint: disable=wrong-import-position

CONVERSION = session.record(79, struct.pack("<QQQQQQ", 1, 20, 5, 0, 0, 1))
SHORT_CONVERSION = session.record(79, struct.pack("<QQQQQQ", 1, 20, 5, 1000, (1 << 20) - 1, 0x101))
INFO = session.record(70, struct.pack("<IIQQ", 4, 0, session.SPE_TYPE, 1))
# a later version: its number, the size of the header, the type, the number of CPUs
LATER_INFO = session.record(70, struct.pack("<IIQQQQ", 4, 0, 2, 4, session.SPE_TYPE, 0))
COMM = session.record(3, struct.pack("<II8s", 7, 8, b"loop") + session.trailer(1))
FORK = session.record(7, struct.pack("<IIIIQ", 9, 7, 10, 8, 1) + session.trailer(2))


def switch(when: int, is_out: bool, cpu_wide: bool) -> bytes:
    body = struct.pack("<II", 9, 10) if cpu_wide else b""
    return session.record(15 if cpu_wide else 14, body + session.trailer(when), 1 << 13 if is_out else 0)


def piece(data: bytes, offset: int, index: int = 0, cpu: int = 0, tid: int = -1) -> bytes:
    return session.record(71, struct.pack("<QQQIiiI", len(data), offset, 0, index, tid, cpu, 0)) + data


def aux(when: int, offset: int, size: int, flags: int = 0) -> bytes:
    return session.record(11, struct.pack("<QQQ", offset, size, flags) + session.trailer(when))


def stream(rng: random.Random, n: int, with_times: bool = True, context: int = 0) -> bytes:
    data = b""
    for number in range(n):
        body = session.packet_branch(rng, 0x400000) if number % 3 == 2 else session.packet_load(rng, 0x400000, number % 3 == 1)
        if context:
            body += struct.pack("<BI", 0x64, context)
        end = struct.pack("<BQ", 0x71, 100 + 40 * number) if with_times else b"\x01"
        data += (body + end).ljust(session.RECORD_BYTES, b"\0")
    return data


# --- Sessions with a second event, whose samples have many fields ---

PLAIN_EVENT_ID, ALL_FLAGS, DEFER_FLAGS = 2, 1 << 0 | 1 << 18, 3 << 38
USER_DEFERRED = -640
(READ, CALLCHAIN, RAW, BRANCHES, REGS, STACK) = (1 << bit for bit in (4, 5, 10, 11, 12, 13))
# the fields that are one or two words: ADDR, ID, STREAM_ID, WEIGHT, DATA_SRC, TRANSACTION, PHYS_ADDR, CGROUP, both page sizes
WORDS = [1 << bit for bit in (3, 6, 9, 14, 15, 17, 19, 21, 22, 23)]


def attr(kind: int, sample_type: int, read_format: int = 0, branches: int = 0, regs: int = 0, flags: int = 0) -> bytes:
    return (struct.pack("<IIQQQQQIIQQQQII", kind, session.ATTR_BYTES, 1, 1024, sample_type, read_format, ALL_FLAGS | flags, 0, 0, 0, 0, branches, regs,
                        64, 0).ljust(session.ATTR_BYTES, b"\0"))


def write_two_events(file, records: bytes, second: bytes, cpuid: bytes = b"0x00000000410fd0c0") -> None:
    """The event with id 1 is SPE's, that with id 2 is `second`."""
    attrs = [attr(session.SPE_TYPE, session.SAMPLE_TYPE), second]
    ids_at, attrs_at = 104, 104 + 16
    head = attrs_at + len(attrs) * (session.ATTR_BYTES + 16)
    table, text = head + len(records), struct.pack("<I64s", 64, cpuid)
    file.write(struct.pack("<8sQQQQQQQQQ24x", b"PERFILE2", 104, session.ATTR_BYTES + 16, attrs_at,
                           len(attrs) * (session.ATTR_BYTES + 16), head, len(records), 0, 0, 1 << 9))
    file.write(struct.pack("<QQ", session.EVENT_ID, PLAIN_EVENT_ID))
    for number, one in enumerate(attrs):
        file.write(one + struct.pack("<QQ", ids_at + 8 * number, 8))
    file.write(records + struct.pack("<QQ", table + 16, len(text)) + text)


def sample(when: int, fields: bytes) -> bytes:
    return session.record(9, struct.pack("<QQIIQ", PLAIN_EVENT_ID, 0x400010, 7, 8, when) + fields, 2)


def field_seeds(middle: bytes) -> dict[str, tuple[bytes, bytes]]:
    """Records and the second event, for each field that is more than one or two words, and for all those together."""
    base = 1 << 16 | 1 | 2 | 4
    one, words = struct.pack("<Q", 1), struct.pack("<Q", 3)
    made = {
        "words": (base | sum(WORDS), 0, 0, words * len(WORDS)),
        "read": (base | READ, 7, 0, struct.pack("<QQQQ", 5, 1, 1, PLAIN_EVENT_ID)),
        "read_group": (base | READ, 15, 0, struct.pack("<QQQQQQQ", 2, 1, 1, 5, 2, 6, 3)),
        "chain": (base | CALLCHAIN, 0, 0, struct.pack("<QqQQ", 3, -512, 0x400010, 0x400020)),
        "deferred": (base | CALLCHAIN, 0, 0, struct.pack("<QqQqQ", 4, -512, 0x400010, USER_DEFERRED, 77)),
        "raw": (base | RAW, 0, 0, struct.pack("<I12s", 12, b"raw data")),
        "branches": (base | BRANCHES, 0, 1 << 3, struct.pack("<QQQQ", 1, 0x400010, 0x400020, 0)),
        "branches_index": (base | BRANCHES, 0, 1 << 3 | 1 << 17, struct.pack("<QQQQQ", 1, 0, 0x400010, 0x400020, 0)),
        "regs": (base | REGS, 0, 0, struct.pack("<QQQ", 2, 1, 2)),
        "no_regs": (base | REGS, 0, 0, struct.pack("<Q", 0)),
        "stack": (base | STACK, 0, 0, struct.pack("<Q8sQ", 8, b"12345678", 8)),
        "no_stack": (base | STACK, 0, 0, struct.pack("<Q", 0)),
        "cut_chain": (base | CALLCHAIN, 0, 0, struct.pack("<QQ", 1 << 60, 1)),
        "cut_raw": (base | RAW, 0, 0, struct.pack("<I", 1 << 31)),
    }
    chain = session.record(22, struct.pack("<QQqQ", 77, 2, -512, 0x400030) + struct.pack("<QIIQ", PLAIN_EVENT_ID, 7, 8, 1400))
    return {name: (sample(500, fields) + middle + sample(1300, fields) + chain + sample(1500, fields + one),
                   attr(0, sample_type, read_format, branches, 3 if sample_type & REGS else 0, DEFER_FLAGS))
            for name, (sample_type, read_format, branches, fields) in made.items()}


def maps(path: bytes) -> bytes:
    path = path.ljust(len(path) + 8 - len(path) % 8, b"\0")
    return (session.record(1, struct.pack("<IIQQQ", 7, 8, 0x400000, 0x1000, 0) + path + session.trailer(3), 2) +
            session.record(10, struct.pack("<IIQQQIIQQII", 7, 8, 0x400000, 0x1000, 0, 8, 1, 99, 0, 5, 2) + path + session.trailer(4), 2) +
            session.record(10, struct.pack("<IIQQQBBHQQQII", 7, 8, 0x500000, 0x1000, 0, 20, 0, 0, 1, 2, 3, 5, 2) + path + session.trailer(5),
                           2 | 1 << 14))


def write_fields(folder: str, info: bytes, data: bytes) -> None:
    middle = CONVERSION + info + COMM + maps(b"/bin/loop") + piece(data, 0) + aux(9000, 0, len(data))
    for name, (records, second) in field_seeds(middle).items():
        with open(os.path.join(folder, f"field_{name}"), "wb") as file:
            write_two_events(file, records, second)
    others = {
        "maps": maps(b"/tmp/jit-7.dump") + middle + maps(b"/tmp/jit-7.dump") + maps(b"[vdso]"),
        "starts": middle + session.record(12, struct.pack("<II", 7, 8) + session.trailer(6)),
        "unknown": session.record(200, b"12345678") + middle + session.record(200, b""),
    }
    for name, records in others.items():
        for number, cpuid in enumerate((b"", b"0x00000000410fd490", b"0x00000000c00fac30", b"1,2,3")):
            with open(os.path.join(folder, f"{name}_{number}"), "wb") as file:
                write_two_events(file, records, attr(0, 1 << 16 | 1 | 2 | 4), cpuid)


def write_packets(folder: str, packets: str, info: bytes) -> None:
    """The first byte of a seed of fuzz_spe says in which pieces the rest comes."""
    for name in sorted(os.listdir(packets)):
        with open(os.path.join(packets, name), "rb") as file:
            data = file.read()[1:]
        with open(os.path.join(folder, f"packets_{name}"), "wb") as file:
            session.write_file(file, CONVERSION + info + COMM + piece(data, 0) + aux(9000, 0, len(data)))


def main() -> None:
    rng = random.Random(3)
    plain, timeless, context = stream(rng, 6), stream(rng, 6, with_times=False), stream(rng, 3, context=8)
    seeds = {
        "plain": CONVERSION + INFO + COMM + switch(900, False, True) + piece(plain, 0) + aux(9000, 0, len(plain)),
        "cut_and_gap": CONVERSION + INFO + piece(plain[:100], 0) + piece(plain[100:200], 100) + piece(plain[200:], 5000),
        "timeless": INFO + COMM + FORK + aux(500, 0, 128) + aux(800, 128, 256, 9) + piece(timeless, 0, tid=10),
        "context": SHORT_CONVERSION + LATER_INFO + COMM + piece(context, 0),
        "two_cpus": CONVERSION + INFO + switch(600, False, False) + switch(1200, True, False) + piece(plain, 0) +
                    piece(plain[64:], 0, index=1, cpu=1),
        "threads": CONVERSION + INFO + COMM + piece(plain, 0, cpu=-1, tid=8) + aux(700, 0, 384),
        "junk": CONVERSION + INFO + piece(plain[:90] + b"\xb0\x71junk" + plain[90:], 0),
    }
    for name, records in seeds.items():
        with open(os.path.join(sys.argv[1], name), "wb") as file:
            session.write_file(file, records)
    write_fields(sys.argv[1], INFO, plain)
    write_packets(sys.argv[1], sys.argv[2], INFO)


if __name__ == "__main__":
    main()
