#!/usr/bin/python3
"""Makes seeds for fuzz_unwind_cfi from ELF files: make_cfi_seeds.py FOLDER FILE...

Sections are moved to the addresses of tests/cfi_builder.h.  This changes the targets of pc-relative values, so the
tables are kept, but .eh_frame_hdr has the old distances of entries from .eh_frame.
"""
import os
import struct
import subprocess
import sys

HDR_ADDR, FRAME_ADDR, MAX_BYTES = 0x100000, 0x200000, 6000


def section(path: str, name: str) -> tuple[int, bytes]:
    listed = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        cells = line[line.find("]") + 1 :].split()
        if cells and cells[0] == name:
            with open(path, "rb") as file:
                file.seek(int(cells[3], 16))
                return int(cells[2], 16), file.read(int(cells[4], 16))
    return 0, b""


def moved_hdr(hdr_addr: int, hdr: bytes, frame_addr: int) -> tuple[bytes, int]:
    """The sorted table for the new addresses, and an address in it."""
    if hdr[:4] != b"\x01\x1b\x03\x3b":
        return b"", 0
    n = struct.unpack_from("<I", hdr, 8)[0]
    out, first = struct.pack("<4siI", hdr[:4], FRAME_ADDR - HDR_ADDR - 4, n), 0
    for i in range(n):
        start, entry = struct.unpack_from("<ii", hdr, 12 + 8 * i)
        start = start + hdr_addr - frame_addr + FRAME_ADDR
        first = first or start
        out += struct.pack("<ii", start - HDR_ADDR, entry + hdr_addr - frame_addr + FRAME_ADDR - HDR_ADDR)
    return out, first


def entry(content: bytes) -> bytes:
    content += bytes(-(len(content) + 4) % 8)
    return struct.pack("<I", len(content)) + content


def past_limits() -> dict[str, bytes]:
    """One more than the reader's limits: values of an expression (CFI_MAX_EXPR_DEPTH), remembered rows
    (CFI_MAX_REMEMBERED)."""
    cie = entry(struct.pack("<IB3sBBBBB", 0xFFFFFFFF, 1, b"\0\x01\x78", 16, 0x0C, 7, 8, 0x90) + b"\x01")
    found = {}
    for name, program in (("deep-expression", b"\x0f\x41" + b"\x30" * 65), ("many-remembered", b"\x0a" * 17)):
        fde = entry(struct.pack("<IQQ", 0, 0x1000, 0x100) + program)
        found[name] = struct.pack("<BHQ", 2, 0, 0x1000) + cie + fde
    return found


def main() -> None:
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, seed in past_limits().items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(seed)
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            is_arm64 = file.read(20)[18] == 183
        frame_addr, frame = section(path, ".eh_frame")
        hdr_addr, hdr = section(path, ".eh_frame_hdr")
        debug = section(path, ".debug_frame")[1]
        hdr, addr = moved_hdr(hdr_addr, hdr, frame_addr)
        name = os.path.basename(path)
        for kind, flags, head, table in (("hdr", 0, hdr, frame), ("plain", 0, b"", frame), ("debug", 2, b"", debug)):
            if table and len(table) + len(head) < MAX_BYTES:
                with open(os.path.join(folder, f"{name}-{kind}"), "wb") as out:
                    out.write(struct.pack("<BHQ", flags | is_arm64, len(head), addr or 0x1000) + head + table)


if __name__ == "__main__":
    main()
