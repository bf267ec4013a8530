#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""labels.py FILE: the code and the labels of every function that has any, as llvm-dwarfdump-14 shows the entries."""
import re
import subprocess
import sys

OTHER_FUNCTIONS = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine")


def read_entries(path):
    """By offset: tag, attributes, ranges and children."""
    entries, around = {}, []
    entry = last = None
    text = subprocess.run(["llvm-dwarfdump-14", path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if found := re.match(r"0x(\w+):( +)(DW_TAG_\w+)", line):
            entry = {"off": int(found[1], 16), "tag": found[3], "code": [], "children": []}
            del around[(len(found[2]) - 1) // 2:]
            if around:
                around[-1]["children"].append(entry)
            around.append(entry)
            entries[entry["off"]] = entry
        elif found := re.match(r"\s+DW_AT_(\w+)\s+\((.*?)\)?$", line):
            entry[found[1]] = found[2].strip('"')
            last = found[1]
        elif (found := re.match(r"\s+\[0x(\w+), 0x(\w+)\)", line)) and last == "ranges":
            entry["code"].append((int(found[1], 16), int(found[2], 16)))
    return entries


def origin(entries, entry):
    found = re.match(r"0x(\w+)", entry.get("abstract_origin", ""))
    return entries.get(int(found[1], 16)) if found else None


def labels_below(entry):
    for child in entry["children"]:
        if child["tag"] == "DW_TAG_label":
            yield child
        elif child["tag"] not in OTHER_FUNCTIONS:
            yield from labels_below(child)


def labels_of(entries, function):
    """Pairs of address, or None, and the entry with the name."""
    seen = set()
    while function:
        for label in labels_below(function):
            named = label
            while origin(entries, named):
                named = origin(entries, named)
            if named["off"] not in seen:
                seen.add(named["off"])
                yield int(label["low_pc"], 16) if "low_pc" in label else None, named
        function = origin(entries, function)


def main():
    entries = read_entries(sys.argv[1])
    for entry in entries.values():
        if entry["tag"] != "DW_TAG_subprogram":
            continue
        ranges = entry["code"] or [(int(entry.get("low_pc", "0"), 16), int(entry.get("high_pc", "0"), 16))]
        labels = [(addr is None, addr or 0, int(label["decl_line"]), label) for addr, label in labels_of(entries, entry)]
        if not labels or ranges == [(0, 0)]:
            continue
        print("\t".join(["extents"] + [f"{start:#x}-{end:#x}" for start, end in sorted(ranges)]))
        for lost, addr, line, label in sorted(labels, key=lambda label: label[:3]):
            print("\t".join(["lost" if lost else f"{addr:#x}", label["name"], f"{label['decl_file']}:{line}".replace('"', "")]))


main()
