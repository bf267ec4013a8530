"""Reads call stacks out of the formats of `wperf export`, and adds them up by function, as the programs that read them do."""
import collections
import gzip
import json
import pathlib
import re
from typing import Iterator

from firefox_schema import stacks_of

Stack = tuple[tuple[str, ...], float]  # names from the outermost function, and samples or nanoseconds
Sums = dict[str, tuple[float, float]]  # name: without and with callees

ORIGIN = re.compile(r" \[[^\[\]]*:\d+\]$")  # of a Python function: [app.py:5]


def plain(name: str) -> str:
    """The name without its file; "" for code without a name and for marks, which formats spell in different ways."""
    name = ORIGIN.sub("", name)
    return "" if re.match(r"\[|0x[0-9a-f]+$|unknown$|\?\?\?$", name) else name


def sums_of(stacks: Iterator[Stack]) -> Sums:
    """A function that is several times on a stack counts once.  "" has the samples in code without a name."""
    own: collections.Counter = collections.Counter()
    total: collections.Counter = collections.Counter()
    for names, value in stacks:
        shown = [plain(name) for name in names]
        if shown:
            own[shown[-1]] += value
        for name in set(shown):
            total[name] += value
    return {name: (own[name], total[name] if name else 0) for name in total if total[name]}


def tree_stacks(tree: dict, column: int) -> Iterator[Stack]:
    """Of report -g --json: column 2 has samples, column 3 weights."""
    paths: list[tuple[str, ...]] = [()]
    for node in tree["nodes"]:
        paths.append(paths[node[0]] + (tree["functions"][node[1]]["name"],))
        yield paths[-1], node[column]


def folded_stacks(path: str) -> Iterator[Stack]:
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        names, value = line.rsplit(" ", 1)
        yield tuple(names.split(";")[1:]), int(value)  # the first one is the process


def speedscope_stacks(path: str, event: str) -> Iterator[Stack]:
    document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    names = [frame["name"] for frame in document["shared"]["frames"]]
    for profile in document["profiles"]:
        if profile["name"].endswith(f": {event}"):
            for stack, weight in zip(profile["samples"], profile["weights"]):
                yield tuple(names[number] for number in stack), weight


def firefox_stacks(path: str) -> Iterator[Stack]:
    """Samples, or if they have weights in milliseconds, nanoseconds."""
    for thread, number, names in stacks_of(json.loads(pathlib.Path(path).read_text(encoding="utf-8"))):
        weights = thread["samples"].get("weight")
        unit = 1e6 if thread["samples"].get("weightType") == "tracing-ms" else 1
        yield tuple(names), weights[number] * unit if weights else 1


def chrome_stacks(path: str) -> Iterator[Stack]:
    """The time of each slice without those in it, in nanoseconds."""
    open_slices: dict[int, list[dict]] = collections.defaultdict(list)
    for event in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["traceEvents"]:
        if event["ph"] != "X":
            continue
        stack = open_slices[event["tid"]]
        while stack and event["ts"] >= stack[-1]["ts"] + stack[-1]["dur"]:
            stack.pop()
        if stack:
            yield tuple(outer["name"] for outer in stack), -1000 * event["dur"]
        stack.append(event)
        yield tuple(outer["name"] for outer in stack), 1000 * event["dur"]


# --- pprof ---


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields_of(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Numbers and values of the fields of a protobuf message, which here are numbers and texts only."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value: int | bytes
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def numbers_of(value: int | bytes) -> list[int]:
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number)
    return found


def pprof_stacks(path: str, column: int) -> Iterator[Stack]:
    """Column 0 has samples, column 1 weights."""
    strings, samples, locations, functions = [], [], {}, {}
    with gzip.open(path) as file:
        for number, value in fields_of(file.read()):
            if number == 6:
                strings.append(value.decode("utf-8"))
            elif number == 2:
                samples.append(value)
            elif number == 4:
                fields = list(fields_of(value))
                lines = [dict(fields_of(line)).get(1) for field, line in fields if field == 4]
                locations[dict(fields)[1]] = lines
            elif number == 5:
                fields = dict(fields_of(value))
                functions[fields[1]] = fields.get(2, 0)
    for sample in samples:
        parts = collections.defaultdict(list)
        for number, value in fields_of(sample):
            if number in (1, 2):
                parts[number] += numbers_of(value)
        names = [strings[functions[function]] for location in parts[1] for function in locations[location]]
        yield tuple(reversed(names)), parts[2][column]


# --- callgrind ---


def callgrind_own(path: str, column: int) -> dict[str, float]:
    """What each function cost itself: column 0 has weights, column 1 samples.  Costs of calls stand behind a line calls=."""
    names: dict[str, str] = {}
    own: collections.Counter = collections.Counter()
    function, is_call = "", False
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        named = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
        if named:
            if named[3]:
                names[named[2]] = named[3]
            if named[1] == "fn":
                function = names[named[2]]
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[\d+*-]", line):
            if not is_call:
                own[plain(function)] += int(line.split()[1 + column])
            is_call = False
    return {name: value for name, value in own.items() if value}
