#!/usr/bin/python3
"""How many MB of unpacked events a second `wperf report` reads from an event-trace file.

The trace is multiplied: each copy is later than the one before, and its buffers are packed, so that a report has that many more
samples and stacks.  Packing finds no repetitions: a byte of such a stream costs more to unpack than one of a stream of Windows.

    tests/bench/etl_rows.py build/release/src/program/cli/wperf trace.etl [COPIES]
"""
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import etl_reader  # noqa: E402  pylint: disable=wrong-import-position

HEADER_BYTES, FLAGS_AT, IS_PACKED = 0x48, 0x34, 0x40
STACKS = (etl_reader.STACK, *etl_reader.KEYED)


def pack(body: bytes) -> bytes:
    """XPRESS without a match: no flag of 32 is set."""
    return b"".join(b"\0\0\0\0" + body[at:at + 32] for at in range(0, len(body), 32))


def time_places(body: bytes) -> list[int]:
    """Offsets of the times in a buffer's events, and of those that stacks refer to."""
    places, at = [], 0
    while at < len(body):
        first, kind = struct.unpack_from("<HB", body, at)
        size, hook = first, None
        if kind in etl_reader.KERNEL_SIZES:
            size, hook = struct.unpack_from("<HH", body, at + 4)
        header = etl_reader.KERNEL_SIZES.get(kind, 0x50)
        places.append(at + (8 if header == 16 else 16))
        if hook in STACKS:
            places.append(at + header)
        at += -(-size // 8) * 8
    return places


def multiply(data: bytes, copies: int, path: str) -> int:
    """Writes the trace; returns the number of bytes of its unpacked events."""
    heads, at = [], 0
    while at < len(data):
        heads.append(bytearray(data[at:at + HEADER_BYTES]))
        at += struct.unpack_from("<I", data, at)[0]
    bodies = [body for _, body in etl_reader.buffers(data)]
    places = [time_places(body) for body in bodies]
    times = [struct.unpack_from("<Q", body, place)[0] for body, found in zip(bodies, places) for place in found]
    length = max(times) - min(times) + 1
    with open(path, "wb") as file:
        for copy in range(copies):
            for number, (head, body, found) in enumerate(zip(heads, bodies, places)):
                shifted = bytearray(body)
                for place in found:
                    struct.pack_into("<Q", shifted, place, struct.unpack_from("<Q", body, place)[0] + copy * length)
                if number == 0 and copy > 0:
                    continue  # the header
                packed = pack(shifted) if number else bytes(shifted)
                flags = struct.unpack_from("<H", head, FLAGS_AT)[0]
                struct.pack_into("<H", head, FLAGS_AT, flags | IS_PACKED if number else flags & ~IS_PACKED)
                struct.pack_into("<II", head, 0, HEADER_BYTES + len(packed), HEADER_BYTES + len(body))
                file.write(head + packed)
    return sum(map(len, bodies)) * copies


def measure(wperf: str, path: str) -> tuple[float, float]:
    """Elapsed time and CPU time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([wperf, "report", "--stdio", "--force", "-i", path], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    wperf, trace = sys.argv[1:3]
    copies = int(sys.argv[3]) if len(sys.argv) > 3 else 14
    with open(trace, "rb") as file:
        data = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "many.etl")
        n_bytes = multiply(data, copies, path)
        for _ in range(3):
            elapsed, cpu = measure(wperf, path)
            print(f"{n_bytes / 1e6:.0f} MB of unpacked events, {os.path.getsize(path) / 1e6:.0f} MB packed: "
                  f"{elapsed:.2f} s elapsed, {cpu:.2f} s of CPU time: {n_bytes / 1e6 / cpu:.0f} MB/s")


if __name__ == "__main__":
    main()
