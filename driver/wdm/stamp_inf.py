#!/usr/bin/python3
"""Writes DriverVer into an INF file: stamp_inf.py IN OUT VERSION SECONDS. VERSION is that of tools/version.sh: 0.2.0 gives 0.2.0.0,
and 0.2.0+3.g1234abcd, three commits later, 0.2.0.3. SECONDS is the time of the commit, since 1970."""
import datetime
import re
import sys

LINE = re.compile(r"^(DriverVer\s*=\s*)[^\r\n]*", re.MULTILINE)


def driver_version(version: str) -> str:
    """Four numbers of 16 bits, by which Windows tells which of two drivers is newer."""
    found = re.match(r"(\d+)\.(\d+)\.(\d+)(?:\+(\d+)|$|[-+~])", version)
    if not found:
        sys.exit(f"stamp_inf.py: the version '{version}' is not like 1.2.3")
    numbers = [int(part or 0) for part in found.groups()]
    if max(numbers) > 0xffff:
        sys.exit(f"stamp_inf.py: the version '{version}' has a number above 65535, which DriverVer can't have")
    return ".".join(map(str, numbers))


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="ascii", newline="") as file:
        text = file.read()
    date = datetime.datetime.fromtimestamp(int(sys.argv[4]), datetime.timezone.utc)
    text, lines = LINE.subn(rf"\g<1>{date:%m/%d/%Y},{driver_version(sys.argv[3])}", text)
    if lines != 1:
        sys.exit(f"stamp_inf.py: {sys.argv[1]} has {lines} lines of DriverVer, not 1")
    with open(sys.argv[2], "w", encoding="ascii", newline="") as file:
        file.write(text)


if __name__ == "__main__":
    main()
