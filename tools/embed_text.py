#!/usr/bin/python3
"""embed_text.py INPUT OUTPUT NAME: makes a C file with the content of a file as `const unsigned char NAME[]`, followed by a NUL that
`NAME_bytes` does not count.

The bytes are numbers, because standard C allows string literals of 4095 bytes only.
"""
import sys


def array_of(name: str, data: bytes) -> str:
    """The C text of an array and its size."""
    data += b"\0"
    lines = ["        " + ",".join(str(byte) for byte in data[at:at + 24]) + ",\n" for at in range(0, len(data), 24)]
    return (f"extern const unsigned char {name}[];\nconst unsigned char {name}[] = {{\n" + "".join(lines) +
            f"}};\nextern const size_t {name}_bytes;\nconst size_t {name}_bytes = sizeof({name}) - 1;\n")


def main() -> int:
    source, output, name = sys.argv[1:]
    with open(source, "rb") as file:
        data = file.read()
    with open(output, "w", encoding="ascii") as file:
        file.write("/* Made by tools/embed_text.py. */\n#include <stddef.h>\n\n" + array_of(name, data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
