#!/usr/bin/python3
"""Checks that a catalogue has exactly these files, unchanged: check_catalogue.py FILE.cat FILE... It does not look at the signature
of the catalogue: osslsigncode does that. Exit status: 0, or 1 with a line for each fault. Needs: python3-asn1crypto."""
import os
import sys
from dataclasses import dataclass

from asn1crypto import parser

from make_catalogue import INDIRECT_DATA, LIST, MEMBERS, NAME_VALUE, SHA256, TRUST_LIST, file_hash, oid

MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Value:
    encoded: bytes
    content: bytes

    def __getitem__(self, index: int) -> "Value":
        return self.values()[index]

    def values(self) -> list["Value"]:
        """Those in a sequence, a set or an explicit tag."""
        found, at = [], 0
        while at < len(self.content):
            _, _, _, header, content, trailer = parser.parse(self.content[at:])
            found.append(Value(header + content + trailer, content))
            at += len(header) + len(content) + len(trailer)
        return found


def member(entry: Value) -> tuple[str, bytes]:
    """The name of a file and its hash, which is there twice."""
    name, digest = "", b""
    for attribute in entry[1].values():
        kind, value = attribute[0].encoded, attribute[1][0]
        if kind == oid(NAME_VALUE) and value[0].content == "File".encode("utf-16-be"):
            name = value[2].content.decode("utf-16-le").rstrip("\0")
        elif kind == oid(INDIRECT_DATA) and value[1][0][0].encoded == oid(SHA256):
            digest = value[1][1].content
    if not name or digest != entry[0].content:
        raise ValueError(f"the member '{name}' has no hash")
    return name, digest


def members(path: str) -> dict[str, bytes]:
    """Raises ValueError if it is no catalogue."""
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES)
    try:
        signed = Value(data, data)[0][1][0]
        kind, content = signed[2].values()
        usage, _, _, algorithm, entries = content[0].values()[:5]
        if [kind.encoded, usage[0].encoded, algorithm[0].encoded] != [oid(TRUST_LIST), oid(LIST), oid(MEMBERS)]:
            raise ValueError("it is another kind of list")
        return dict(member(entry) for entry in entries.values())
    except IndexError as error:
        raise ValueError("a part is missing") from error


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        listed = members(sys.argv[1])
    except (OSError, ValueError) as error:
        print(f"{sys.argv[1]} is no catalogue: {error}", file=sys.stderr)
        return 1
    faults = []
    for path in sys.argv[2:]:
        found = listed.pop(os.path.basename(path), None)
        if found is None:
            faults.append(f"{path} is not in it")
        elif found != file_hash(path):
            faults.append(f"{path} is not the file that it was made of")
    for fault in faults + [f"{name} is in it, and was not given" for name in listed]:
        print(f"{sys.argv[1]}: {fault}", file=sys.stderr)
    return 1 if faults or listed else 0


if __name__ == "__main__":
    sys.exit(main())
