"""Two programs and runs of them whose samples are known, as perf would write them: for tests of comparisons that must not depend on the
speed of a machine.

Both programs have the functions `steady`, `worker` and `small`; `worker` has other code in the second one.  Only the first one
has `gone`, only the second one `came`.
"""
import os
import struct
from typing import NamedTuple

BASE, TEXT_OFF, FUNCTION_BYTES = 0x400000, 0x1000, 0x40
IP, TID, TIME, PERIOD = (1 << bit for bit in (0, 1, 2, 8))
COMM, MMAP2, SAMPLE, USER = 3, 10, 9, 2
ATTR_BYTES, PID, NS = 128, 100, 1_000_000

LOOP = bytes.fromhex("b800000000" "4883c001" "4839c7" "75f7" "c3")        # mov, add $1, cmp, jne, ret
LOOP_CHANGED = bytes.fromhex("b800000000" "488d0c7f" "4883c003" "4839c7" "75f7" "c3")  # with lea, add $3
PLAIN = bytes.fromhex("8d0437" "c3")                                      # lea, ret
OTHER = bytes.fromhex("89f8" "0fafc6" "c3")                               # mov, imul, ret


class Function(NamedTuple):
    name: str
    code: bytes
    hot: int  # offset of the instruction that has the samples


OLD = (Function("steady", LOOP, 9), Function("worker", LOOP, 5), Function("small", PLAIN, 0), Function("gone", OTHER, 2))
NEW = (Function("steady", LOOP, 9), Function("worker", LOOP_CHANGED, 9), Function("small", PLAIN, 0), Function("came", OTHER, 2))


def addr_of(functions: tuple[Function, ...], name: str) -> int:
    number = [function.name for function in functions].index(name)
    return BASE + TEXT_OFF + number * FUNCTION_BYTES


def write_program(path: str, functions: tuple[Function, ...]) -> None:
    """An ELF file for x86-64 with one segment of code and a symbol table."""
    text = b"".join(function.code.ljust(FUNCTION_BYTES, b"\x90") for function in functions)
    names, symbols = b"\0", struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    for function in functions:
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, addr_of(functions, function.name), len(function.code))
        names += function.name.encode() + b"\0"
    section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    parts, at = [text, symbols, names, section_names], []
    content = b"".ljust(TEXT_OFF, b"\0")
    for part in parts:
        at.append(len(content))
        content += part.ljust(-(-len(part) // 8) * 8, b"\0")
    kinds = ((1, 1, 6, BASE + TEXT_OFF, 0, 0, 16, 0), (7, 2, 0, 0, 3, 1, 8, 24), (15, 3, 0, 0, 0, 0, 1, 0), (23, 3, 0, 0, 0, 0, 1, 0))
    headers = bytes(64)
    for (name, kind, flags, addr, link, info, align, entry), off, part in zip(kinds, at, parts):
        headers += struct.pack("<IIQQQQIIQQ", name, kind, flags, addr, off, len(part), link, info, align, entry)
    elf = struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 2, 62, 1, BASE + TEXT_OFF, 64, len(content), 0, 64, 56, 1, 64,
                      len(kinds) + 1, len(kinds))
    segment = struct.pack("<IIQQQQQQ", 1, 5, TEXT_OFF, BASE + TEXT_OFF, BASE + TEXT_OFF, len(text), len(text), 0x1000)
    with open(path, "wb") as file:
        file.write(elf + segment + content[len(elf) + len(segment):] + headers)
    os.chmod(path, 0o755)


def feature_text(text: str) -> bytes:
    return struct.pack("<I64s", 64, text.encode())


def record(kind: int, body: bytes) -> bytes:
    return struct.pack("<IHH", kind, USER, 8 + len(body)) + body


def text_bytes(text: str) -> bytes:
    raw = text.encode() + b"\0"
    return raw.ljust(-(-len(raw) // 8) * 8, b"\0")


def write_run(path: str, program: str, functions: tuple[Function, ...], counts: dict[str, int]) -> None:
    """A session with that many samples of cpu-clock in each function, one each millisecond."""
    data = record(COMM, struct.pack("<II", PID, PID) + text_bytes("program"))
    data += record(MMAP2, struct.pack("<IIQQQIIQQII", PID, PID, BASE + TEXT_OFF, 0x1000, TEXT_OFF, 8, 1, 77, 0, 5, 2) + text_bytes(program))
    time, samples = NS, []
    for function in functions:
        for _ in range(counts.get(function.name, 0)):
            time += NS
            samples.append(record(SAMPLE, struct.pack("<QIIQQ", addr_of(functions, function.name) + function.hot, PID, PID, time, NS)))
    data += b"".join(samples)
    attr = struct.pack("<IIQQQQQ", 1, ATTR_BYTES, 0, NS, IP | TID | TIME | PERIOD, 0, 0).ljust(ATTR_BYTES, b"\0") + struct.pack("<QQ", 0, 0)
    data_at, sum_ns = 104 + len(attr), time - NS
    sections = {5: feature_text("6.1.0"), 6: feature_text("x86_64"),
                224: b"WPRF" + struct.pack("<I", 1) +
                     f"elapsed_ns={sum_ns + 20 * NS}\nuser_ns={sum_ns}\nkernel_ns=0\nexit_status=0\n".encode()}
    at, index, content = data_at + len(data) + 16 * len(sections), b"", b""
    for _, section in sorted(sections.items()):
        index += struct.pack("<QQ", at + len(content), len(section))
        content += section
    bitmap = sum(1 << number for number in sections).to_bytes(32, "little")
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, len(attr), 104, len(attr), data_at, len(data), 0, 0) + bitmap
    with open(path, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(header + attr + data + index + content)


def write_counts(path: str, counts: tuple[int, ...]) -> None:
    """A session of cycles, instructions, ... of a process as perf stat writes it, without the time of the run."""
    stat, stat_round, final, no_cpu = 76, 77, 1, 0xffffffff
    data = b"".join(record(stat, struct.pack("<QIIQQQ", number + 1, no_cpu, 0, count, NS, NS)) for number, count in enumerate(counts))
    data += record(stat_round, struct.pack("<QQ", final, NS))
    ids_at = 104
    attrs_at = ids_at + 8 * len(counts)
    attrs = b"".join(struct.pack("<IIQQQQQ", 0, ATTR_BYTES, config, 0, 0, 7, 0).ljust(ATTR_BYTES, b"\0") + struct.pack("<QQ", ids_at + 8 * config, 8)
                     for config in range(len(counts)))
    data_at = attrs_at + len(attrs)
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, ATTR_BYTES + 16, attrs_at, len(attrs), data_at, len(data), 0, 0)
    bitmap, version = (1 << 5).to_bytes(32, "little"), feature_text("6.1.0")
    index = struct.pack("<QQ", data_at + len(data) + 16, len(version))
    with open(path, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(header + bitmap + struct.pack(f"<{len(counts)}Q", *range(1, len(counts) + 1)) + attrs + data + index + version)


def write_runs(folder: str, runs: int = 4, names: tuple[str, str] = ("old", "new")) -> None:
    """Both programs, and a-1.data, b-1.data, ... of them; `worker` takes a quarter longer in B."""
    for side, name, functions in (("a", names[0], OLD), ("b", names[1], NEW)):
        program = os.path.join(folder, name)
        write_program(program, functions)
        for number in range(1, runs + 1):
            noise = number % 3 - 1
            counts = {"steady": 1000 + 6 * noise, "worker": (400 if side == "a" else 500) + 3 * noise, "small": 3,
                      "gone": 40 + noise, "came": 30 - noise}
            write_run(os.path.join(folder, f"{side}-{number}.data"), program, functions, counts)
