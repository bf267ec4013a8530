#!/usr/bin/python3
"""Writes the checksum of a PE file into its header, which lld leaves 0: set_checksum.py FILE."""
import struct
import sys

PE_OFFSET = 0x3c
CHECKSUM_OFFSET = 24 + 64  # from the PE signature


def checksum(data: bytes) -> int:
    """Of a file whose own checksum is 0."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f"<{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def main() -> None:
    with open(sys.argv[1], "r+b") as file:
        data = bytearray(file.read())
        at = struct.unpack_from("<I", data, PE_OFFSET)[0] + CHECKSUM_OFFSET
        data[at:at + 4] = bytes(4)
        file.seek(at)
        file.write(struct.pack("<I", checksum(bytes(data)) + len(data)))


if __name__ == "__main__":
    main()
