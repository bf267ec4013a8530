#!/usr/bin/python3
"""Checks the INF file of a driver without a device, and that the files which it names are beside it: check_inf.py FILE.inf [VERSION].
VERSION, such as 0.2.0, is that of the project. Exit status: 0, or 1 with a line for each fault."""
import os
import re
import sys

from stamp_inf import driver_version

# Of INF files for devices, of other ways to install, and of what a driver package may not do.
FORBIDDEN_SECTIONS = re.compile(r"manufacturer|defaultinstall|defaultinstall\.services|defaultuninstall.*|.*\.coinstallers|controlflags", re.I)
FORBIDDEN = {"registerdlls", "unregisterdlls", "delreg", "delservice", "delfiles", "renfiles", "ini2reg", "updateinis", "updateinifields",
             "profileitems", "logconfig", "reboot", "layoutfile", "copyinf", "bitreg", "addreg"}
VERSION = {"signature": r'"\$Windows NT\$"', "class": r"\w+", "classguid": r"\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}", "provider": r".+",
           "catalogfile": r"[\w.-]+\.cat", "driverver": r"\d\d/\d\d/\d{4},\d+\.\d+\.\d+\.\d+", "pnplockdown": "1"}
SERVICE = {"servicetype": "1", "starttype": "3", "errorcontrol": "[0-3]", "servicebinary": r"%13%\\[\w.-]+\.sys"}
INSTALL, SERVICES = "defaultinstall.ntarm64", "defaultinstall.ntarm64.services"
Sections = dict[str, list[tuple[str, str]]]


def read(path: str) -> tuple[Sections, list[str]]:
    """The lines of each section, as key and value; a line without '=' is a key. Names are in lower case, as Windows compares them."""
    sections: Sections = {}
    faults, current = [], None
    with open(path, encoding="ascii", errors="surrogateescape", newline="") as file:
        text = file.read()
    if not text.isascii():
        faults.append("it has bytes that are not ASCII")
    for number, line in enumerate(text.split("\n"), 1):
        line = re.sub(r'("[^"]*")|;.*', lambda found: found[1] or "", line).strip()
        if match := re.fullmatch(r"\[(.+)\]", line):
            current = match[1].lower()
            if current in sections:
                faults.append(f"line {number}: section [{match[1]}] is there twice")
            sections.setdefault(current, [])
        elif line and current is None:
            faults.append(f"line {number}: '{line}' is in no section")
        elif line:
            key, _, value = line.partition("=")
            sections[current].append((key.strip().lower(), value.strip()))
    return sections, faults


def values(sections: Sections, section: str) -> dict[str, str]:
    return dict(sections.get(section, []))


def check_values(sections: Sections, section: str, wanted: dict[str, str]) -> list[str]:
    found = values(sections, section)
    return [f"[{section}]: {key} is '{found.get(key, '')}'" for key, pattern in wanted.items()
            if not re.fullmatch(pattern, found.get(key, ""), re.I)]


def check_names(sections: Sections) -> list[str]:
    """Sections and directives that may not be, strings that are not defined."""
    faults = [f"section [{name}] may not be in a package without a device" for name in sections if FORBIDDEN_SECTIONS.fullmatch(name)]
    strings = values(sections, "strings")
    for section, lines in sections.items():
        for key, value in lines:
            if key in FORBIDDEN:
                faults.append(f"[{section}]: directive {key} may not be in it")
            faults += [f"[{section}]: %{name}% is not in [strings]" for name in re.findall(r"%(\w+)%", value)
                       if not name.isdigit() and name.lower() not in strings]
    return faults


def check_files(sections: Sections, folder: str) -> list[str]:
    """What is copied, where to, and from where."""
    faults, copied = [], set()
    for name in values(sections, INSTALL).get("copyfiles", "").split(","):
        if name.strip().lower() not in sections:
            faults.append(f"[{INSTALL}]: CopyFiles: there is no section [{name.strip()}]")
        copied |= {key for key, _ in sections.get(name.strip().lower(), [])}
    sources = values(sections, "sourcedisksfiles")
    for name in sorted(copied ^ set(sources)):
        faults.append(f"{name} is not both copied and in [SourceDisksFiles]")
    faults += [f"[sourcedisksfiles]: there is no disk {disk}" for disk in sources.values() if disk not in values(sections, "sourcedisksnames")]
    faults += [f"{name} is not beside it" for name in sources if not os.path.isfile(os.path.join(folder, name))]
    faults += [f"[destinationdirs]: {key} is {value}, not 13, the driver store"
               for key, value in sections.get("destinationdirs", [("defaultdestdir", "missing")]) if value != "13"]
    return faults


def check_service(sections: Sections) -> list[str]:
    words = [word.strip() for word in values(sections, SERVICES).get("addservice", "").split(",")]
    if len(words) != 3 or words[2].lower() not in sections:
        return [f"[{SERVICES}]: AddService names no section of a service"]
    section = words[2].lower()
    faults = check_values(sections, section, SERVICE)
    binary = values(sections, section).get("servicebinary", "").rpartition("\\")[2]
    if binary.lower() not in values(sections, "sourcedisksfiles"):
        faults.append(f"[{section}]: {binary} is not among the files")
    return faults


def check(path: str, version: str | None) -> list[str]:
    sections, faults = read(path)
    faults += check_values(sections, "version", VERSION) + check_names(sections)
    faults += check_files(sections, os.path.dirname(path)) + check_service(sections)
    stamped = values(sections, "version").get("driverver", "").rpartition(",")[2]
    if version and stamped != driver_version(version):
        faults.append(f"[version]: DriverVer has version {stamped}, not {driver_version(version)}")
    return faults


def main() -> int:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    faults = check(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None)
    for fault in faults:
        print(f"{sys.argv[1]}: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
