#!/usr/bin/python3
"""Writes seeds of fuzz_spe_samples into a folder: small sessions as tests/bench/spe_session.py makes them.

    make_spe_samples_seeds.py tests/fuzz/corpus/spe_samples
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


if __name__ == "__main__":
    main()
