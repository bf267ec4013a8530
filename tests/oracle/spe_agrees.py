#!/usr/bin/python3
"""Our SPE records against perf's samples of memory accesses: address, data address, physical address, latency, data source.

    spe_agrees.py SPE_DUMP

The stream is made here, of every data source on cores that perf knows and on one that it does not know, and put into a
perf.data file with that core's CPUID.
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

N_RECORDS = 2000
# perf 6.13 and later say more of a record.
PERF_VERSIONS = re.compile(r"perf version 6\.(1|12)\.")
CORES = {"Neoverse N1": 0x413fd0c1, "Neoverse N2": 0x410fd490, "Neoverse V1": 0x411fd401, "Kunpeng 920": 0x481fd010}
SPE_TYPE, TIME_CONV, AUXTRACE_INFO, AUXTRACE, COMM, FINISHED_ROUND = 10, 79, 70, 71, 3, 68
SAMPLE = re.compile(r" memory: +(\w+) +(\w+) \|.*\| *BLK +N/A +(\d+) +(\w+) +(\w+)$")


class Stream:
    """SPE bytes, and which of their records are loads or stores."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.data = b""
        self.accesses: set[int] = set()
        for i in range(N_RECORDS):
            self.add_record(i)

    def address(self, index: int, payload: int) -> None:
        self.data += struct.pack("<BQ", 0xb0 | index, payload)

    def add_access(self, pc: int) -> None:
        self.accesses.add(pc)
        self.data += bytes([0x49, self.random.choice((0, 1, 0, 4, 5, 6, 0x0b, 0x12, 0x10, 0x20, 0x08, 0x2d))])
        if self.random.random() < 0.9:
            self.address(2, self.random.choice((0x0000ffff00000000, 0x00ff800000000000)) + self.random.randrange(1 << 32))
        if self.random.random() < 0.3:
            self.address(3, (1 << 63) + self.random.randrange(1 << 44))
        if self.random.random() < 0.8:
            self.data += bytes([0x43, self.random.randrange(16)])

    def add_record(self, i: int) -> None:
        is_kernel = self.random.random() < 0.5
        pc = (0xffff800008000000 if is_kernel else 0x400000) + 4 * i
        self.address(0, pc & (1 << 56) - 1 | (0xa0 if is_kernel else 0x80) << 56)
        if self.random.random() < 0.7:
            self.add_access(pc)
        else:
            self.data += self.random.choice((b"\x48\x00", b"\x48\x08", b"\x4a\x01", b"\x4a\x02"))
        self.data += struct.pack("<BH", 0x52, 2 | self.random.randrange(1 << 12) & ~0xc0)
        self.data += struct.pack("<BH", 0x98, self.random.randrange(4096))
        self.data += bytes(self.random.randrange(8))
        self.data += struct.pack("<BQ", 0x71, 1000000 + 1000 * i)
        if i % 50 == 49:
            self.data += b"\xff"


def attr(kind: int, config: int, sample_type: int, bits: int) -> bytes:
    return struct.pack("<IIQQQQQ", kind, 128, config, 1, sample_type, 4, bits).ljust(128, b"\0")


def record(kind: int, payload: bytes) -> bytes:
    return struct.pack("<IHH", kind, 0, 8 + len(payload)) + payload


def text_feature(text: str) -> bytes:
    return struct.pack("<I64s", 64, text.encode())


def perf_data(midr: int, spe: bytes) -> bytes:
    """A session of one process on one CPU, with the sample types that perf asks for."""
    attrs = [attr(SPE_TYPE, 1, 0x9c08f, 1 << 20 | 1 << 18 | 3), attr(1, 9, 0x10086, 1 << 24 | 1 << 18 | 3)]
    ids = 104
    attrs_at = ids + 16
    body = b"".join(a + struct.pack("<QQ", ids + 8 * i, 8) for i, a in enumerate(attrs))
    id_of_process = struct.pack("<IIQIIQ", 7, 7, 1, 0, 0, 1)
    data = record(TIME_CONV, struct.pack("<QQQQQBB6x", 0, 1, 0, 0, (1 << 64) - 1, 1, 0))
    data += record(AUXTRACE_INFO, struct.pack("<IIQQ", 4, 0, SPE_TYPE, 1))
    data += record(COMM, struct.pack("<II8s", 7, 7, b"spe") + id_of_process)
    data += record(AUXTRACE, struct.pack("<QQQIIII", len(spe), 0, 1, 0, 7, 0, 0)) + spe
    data += record(FINISHED_ROUND, b"")
    at = attrs_at + len(body)
    features = {6: text_feature("aarch64"), 9: text_feature(f"0x{midr:016x}")}
    table_at = at + len(data)
    content_at, table, content = table_at + 16 * len(features), b"", b""
    for _, feature in sorted(features.items()):
        table += struct.pack("<QQ", content_at + len(content), len(feature))
        content += feature
    bitmap = sum(1 << number for number in features).to_bytes(32, "little")
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 144, attrs_at, len(body), at, len(data), 0, 0) + bitmap
    return header + struct.pack("<QQ", 1, 2) + body + data + table + content


def perf_samples(path: str, accesses: set[int]) -> list[str]:
    """Those of loads and stores; perf 6.1 makes one of some other operations too, at address 0."""
    out = subprocess.run(["perf", "script", "--itrace=M", "-i", path, "-F", "event,ip,addr,data_src,weight,phys_addr"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    found = []
    for line in out.splitlines():
        if (match := SAMPLE.search(line.rstrip())) and int(match[4], 16) in accesses:
            addr, source, weight, pc, phys = match.groups()
            found.append(f"{pc} {addr} {phys} {weight} {source}")
    return found


def our_records(program: str, midr: int, stream: Stream) -> list[str]:
    out = subprocess.run([program, f"{midr:x}"], input=stream.data, stdout=subprocess.PIPE, check=True).stdout.decode()
    return [line for line in out.splitlines() if int(line.split()[0], 16) in stream.accesses]


def compare(program: str, midr: int, seed: int, folder: str) -> list[str]:
    stream = Stream(seed)
    path = os.path.join(folder, "perf.data")
    with open(path, "wb") as file:
        file.write(perf_data(midr, stream.data))
    theirs, ours = perf_samples(path, stream.accesses), our_records(program, midr, stream)
    problems = [f"perf {a}, wperf {b}" for a, b in zip(theirs, ours) if a != b]
    if not theirs or len(theirs) != len(ours) or len(ours) != len(stream.accesses):
        problems.append(f"perf has {len(theirs)}, wperf {len(ours)} of {len(stream.accesses)} loads and stores")
    return problems


def perf_version() -> str:
    try:
        return subprocess.run(["perf", "version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    except FileNotFoundError:
        return "perf is not installed"


def main() -> int:
    version = perf_version()
    if not PERF_VERSIONS.match(version):
        print(f"1..0 # SKIP perf 6.1 or 6.12 is needed: {version}")
        return 0
    n_failed = 0
    print(f"1..{len(CORES)}")
    with tempfile.TemporaryDirectory() as folder:
        for number, (core, midr) in enumerate(CORES.items(), 1):
            problems = compare(sys.argv[1], midr, number, folder)
            for problem in problems[:10]:
                print(f"# {problem}")
            print(f"{'not ok' if problems else 'ok'} {number} - {core}")
            n_failed += bool(problems)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
