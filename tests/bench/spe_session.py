#!/usr/bin/python3
"""Writes a session with much Arm SPE data, and compares how long wperf and perf take for its rows.

    spe_session.py WPERF SESSION [--mib N] [--rounds N] [--perf]

The data are records made here: loads, stores and branches of a loop of 600 instructions, in the packets and the order of a Neoverse
N1, 64 bytes each with the padding before the timestamp.  SESSION is written where it does not exist.  Each round runs all commands one after the other; with --perf also
`perf report` and `perf script`, as they are and with --itrace=i1i, with which they make one sample of a record.  A ratio is the
median over the rounds of perf's time and wperf's in the same round.  Processor time says more than elapsed time on a busy machine.
"""
import argparse
import os
import random
import statistics
import struct
import subprocess
import sys
import time

SPE_TYPE, EVENT_ID, CPU, TID = 9, 1, 0, 4711
# IDENTIFIER, IP, TID, TIME, CPU, PERIOD
SAMPLE_TYPE = 1 << 16 | 1 | 2 | 4 | 1 << 7 | 1 << 8
RECORD_BYTES = 64
TIMESTAMP_BYTES = 9
ATTR_BYTES = 128
FEATURES = {6: b"aarch64", 9: b"0x00000000410fd0c0"}  # ARCH, CPUID
PIECE_RECORDS = 16384
CODE = 0x400000


def packet_load(rng: random.Random, pc: int, is_store: bool) -> bytes:
    source = rng.choices((0x0, 0x8, 0xb, 0xe), (90, 7, 2, 1))[0]
    latency = {0x0: 4, 0x8: 13, 0xb: 40, 0xe: 180}[source] + rng.randrange(8)
    events = 0x16 | (0x8 if source else 0)
    return b"".join((struct.pack("<BQ", 0xb0, pc | 1 << 63), struct.pack("<BH", 0x99, rng.randrange(1, 30)),
                     struct.pack("<BH", 0x98, latency), struct.pack("<BH", 0x52, events), struct.pack("<BB", 0x49, is_store),
                     struct.pack("<BQ", 0xb2, 0x7f0000000000 + rng.randrange(1 << 24) * 8), struct.pack("<BH", 0x9a, 1),
                     struct.pack("<BB", 0x43, source)))


def packet_branch(rng: random.Random, pc: int) -> bytes:
    events = 0x02 | (0x80 if rng.random() < 0.05 else 0)
    return b"".join((struct.pack("<BQ", 0xb0, pc | 1 << 63), struct.pack("<BH", 0x99, 1), struct.pack("<BH", 0x98, 2),
                     struct.pack("<BH", 0x52, events), struct.pack("<BB", 0x4a, 1),
                     struct.pack("<BQ", 0xb1, CODE + 4 * rng.randrange(600) | 1 << 63)))


def make_templates(rng: random.Random) -> list[bytes]:
    """Records without a timestamp, which comes last."""
    made = []
    for number in range(4096):
        pc = CODE + 4 * rng.randrange(600)
        made.append(packet_branch(rng, pc) if number % 5 == 4 else packet_load(rng, pc, number % 5 == 3))
    return made


def make_piece(templates: list[bytes], rng: random.Random, tick: int) -> bytes:
    parts = []
    for _ in range(PIECE_RECORDS):
        body = templates[rng.randrange(len(templates))]
        tick += 40
        parts.append(body.ljust(RECORD_BYTES - TIMESTAMP_BYTES, b"\0") + struct.pack("<BQ", 0x71, tick))
    return b"".join(parts)


def record(kind: int, body: bytes, misc: int = 0) -> bytes:
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(when: int) -> bytes:
    return struct.pack("<IIQIIQ", TID, TID, when, CPU, 0, EVENT_ID)


def begin_file(file) -> None:
    """Leaves room for the header and the event, which end_file() writes."""
    file.write(bytes(104 + 8 + ATTR_BYTES + 16))


def end_file(file) -> None:
    head, end = 104 + 8 + ATTR_BYTES + 16, file.tell()
    texts = [struct.pack("<I64s", 64, text) for text in FEATURES.values()]
    for number, text in enumerate(texts):
        file.write(struct.pack("<QQ", end + 16 * len(texts) + number * len(text), len(text)))
    file.write(b"".join(texts))
    bits = sum(1 << number for number in FEATURES)
    attr = struct.pack("<IIQQQQQ", SPE_TYPE, ATTR_BYTES, 1, 1024, SAMPLE_TYPE, 0, 1 << 0 | 1 << 18).ljust(ATTR_BYTES, b"\0")
    file.seek(0)
    file.write(struct.pack("<8sQQQQQQQQQ24x", b"PERFILE2", 104, len(attr) + 16, 112, len(attr) + 16, head, end - head, 0, 0, bits))
    file.write(struct.pack("<Q", EVENT_ID) + attr + struct.pack("<QQ", 104, 8))


def write_file(file, records: bytes) -> None:
    begin_file(file)
    file.write(records)
    end_file(file)


def write_session(path: str, mib: int) -> None:
    rng = random.Random(1)
    templates = make_templates(rng)
    with open(path, "wb") as file:
        begin_file(file)
        # one tick is 10 ns
        file.write(record(79, struct.pack("<QQQQQQ", 0, 10, 0, 0, 0, 1)))
        file.write(record(70, struct.pack("<IIQQ", 4, 0, SPE_TYPE, 1)))
        file.write(record(3, struct.pack("<II8s", TID, TID, b"loop") + trailer(1)))
        file.write(record(10, struct.pack("<IIQQQIIQQII16s", TID, TID, CODE, 0x10000, 0, 8, 1, 99, 0, 5, 2, b"/bin/loop") +
                          trailer(2), 2))
        size = PIECE_RECORDS * RECORD_BYTES
        for number in range(mib * (1 << 20) // size):
            tick = 100 + 40 * PIECE_RECORDS * number
            file.write(record(71, struct.pack("<QQQIIII", size, number * size, 0, 0, TID, CPU, 0)))
            file.write(make_piece(templates, rng, tick))
            file.write(record(11, struct.pack("<QQQ", number * size, size, 0) + trailer((tick + 40 * PIECE_RECORDS) * 10)))
            file.write(record(68, b""))
        end_file(file)


class Spent:
    """What a command took."""

    def __init__(self, argv: list[str]) -> None:
        begin = time.monotonic()
        with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{' '.join(argv)}: exit status {child.returncode}")
        self.elapsed = time.monotonic() - begin
        self.processor = usage.ru_utime + usage.ru_stime
        self.mib = usage.ru_maxrss / 1024


def print_rows(rounds: dict[str, list[Spent]], size: int) -> None:
    first = next(iter(rounds.values()))
    print(f"{'command':44} {'elapsed s':>15} {'processor s':>15} {'MiB':>5}  times the first: elapsed, processor")
    for name, runs in rounds.items():
        elapsed, processor = [run.elapsed for run in runs], [run.processor for run in runs]
        ratios = [statistics.median(one / other for one, other in zip(ours, theirs)) for ours, theirs in
                  ((elapsed, [run.elapsed for run in first]), (processor, [run.processor for run in first]))]
        print(f"{name:44} {min(elapsed):6.2f} to {max(elapsed):5.2f} {min(processor):6.2f} to {max(processor):5.2f} "
              f"{max(run.mib for run in runs):5.0f}  {ratios[0]:.1f}, {ratios[1]:.1f}")
    print(f"{size >> 20} MiB: {size / min(run.processor for run in first) / 1e6:.0f} MB in a second of processor time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("wperf")
    parser.add_argument("session")
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--perf", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not os.path.exists(options.session):
        write_session(options.session, options.mib)
    inputs = ["-i", options.session]
    commands = [[options.wperf, "report", *more, *inputs] for more in ([], ["--mem"], ["--mem", "--sort", "cacheline"])]
    if options.perf:
        commands += [["perf", *command, *more, *inputs] for command in (["report", "--stdio"], ["script"])
                     for more in ([], ["--itrace=i1i"])]
    rounds: dict[str, list[Spent]] = {}
    for _ in range(options.rounds):
        for argv in commands:
            rounds.setdefault(" ".join([os.path.basename(argv[0]), *argv[1:-2]]), []).append(Spent(argv))
    print_rows(rounds, os.path.getsize(options.session))


if __name__ == "__main__":
    main()
