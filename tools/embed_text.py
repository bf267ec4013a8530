#!/usr/bin/python3
"""embed_text.py INPUT OUTPUT NAME: makes a C file with the content of a file as `const unsigned char NAME[]`, followed by a NUL that
`NAME_bytes` does not count.

The bytes are numbers, because standard C allows string literals of 4095 bytes only.
"""
import sys


def main() -> int:
    source, output, name = sys.argv[1:]
    with open(source, "rb") as file:
        data = file.read() + b"\0"
    with open(output, "w", encoding="ascii") as file:
        file.write(f"/* Made by tools/embed_text.py. */\n#include <stddef.h>\n\nextern const unsigned char {name}[];\nconst unsigned char {name}[] = {{\n")
        for at in range(0, len(data), 24):
            file.write("        " + ",".join(str(byte) for byte in data[at:at + 24]) + ",\n")
        file.write(f"}};\nextern const size_t {name}_bytes;\nconst size_t {name}_bytes = sizeof({name}) - 1;\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
