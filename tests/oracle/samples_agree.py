#!/usr/bin/python3
"""Compares samples with their call chains and branch stacks with the output of other programs, sample by sample.

    samples_agree.py WPERF            tests: other people's sessions in $WPERF_CORPUS/perfdata
    samples_agree.py WPERF FILE...    by hand: the content of the files, and differences

References are quipper's (FILE.pb_text as text, FILE.pb_data as a protobuf, both of every record), perf script's
(callchains: the stacks that perf finds; brstack) and simpleperf's folded stacks, of which the weight of each thread
name is compared, because it leaves out frames of interpreters.  The order of samples is ignored, because perf's are
sorted by time. If perf is installed, its counts of branches from module to module are compared with those of `wperf
report -b`.
"""
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

TRUTH = "_truth-perf-6.12.107"
MARKS = {2**64 - n for n in (32, 128, 512, 640, 2048, 2176, 2560)}
ALL_BITS = 2**64 - 1

Sample = collections.namedtuple("Sample", "time tid ip chain branches")
Branch = collections.namedtuple("Branch", "origin target mispredicted predicted in_transaction aborts cycles")


def read_text(path: str) -> str:
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True, text=True).stdout
    with open(path) as file:
        return file.read()


# --- ours ---


def our_records(wperf: str, path: str) -> list[dict]:
    done = subprocess.run([wperf, "dump", "--json", "--force", "-i", path], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise AssertionError(f"wperf dump: {done.stderr.strip()}")
    return json.loads(done.stdout, strict=False)["records"]


def our_samples(records: list[dict]) -> list[Sample]:
    return [our_sample(record) for record in records if record["type"] == "SAMPLE"]


def our_sample(record: dict) -> Sample:
    return Sample(int(record.get("time_ns", 0)), record.get("tid", 0), int(record.get("ip", "0"), 16),
                  tuple(int(word, 16) for word in record.get("chain", [])),
                  tuple(our_branch(b) for b in record.get("branches", [])))


def our_weights(records: list[dict]) -> dict[str, int]:
    """Of the first event, by thread name."""
    names, weights = {}, collections.Counter()
    first = next(record["event"] for record in records if record["type"] == "SAMPLE")
    for record in records:
        if record["type"] == "COMM":
            names[record["tid"]] = record["comm"]
        elif record["type"] == "SAMPLE" and record["event"] == first:
            weights[names.get(record["tid"], "")] += int(record["period"])
    return weights


def our_branch(b: dict) -> Branch:
    told = "predicted" in b
    return Branch(int(b["from"], 16), int(b["to"], 16), told and not b["predicted"], told and b["predicted"],
                  b.get("in_transaction", False), b.get("aborts", False), b.get("cycles", 0))


# --- quipper's ---


def pb_text_samples(text: str) -> list[Sample]:
    """Fields of sample_event {} are indented by four blanks, those of its branch_stack {} by six."""
    samples, fields, branch, chain, branches = [], None, None, [], []
    for line in text.split("\n"):
        if line == "  sample_event {":
            fields, chain, branches = {}, [], []
        elif fields is None:
            continue
        elif line == "  }":
            samples.append(Sample(fields.get("sample_time_ns", 0), fields.get("tid", 0), fields.get("ip", 0),
                                  tuple(chain), tuple(branches)))
            fields = None
        elif line == "    branch_stack {":
            branch = {}
        elif line == "    }" and branch is not None:
            branches.append(Branch(branch["from_ip"], branch["to_ip"], branch["mispredicted"], branch["predicted"],
                                   branch["in_transaction"], branch["abort"], branch["cycles"]))
            branch = None
        elif branch is not None:
            name, value = line.split(":")
            branch[name.strip()] = value == " true" if value.strip().isalpha() else int(value)
        elif line.startswith("    callchain: "):
            chain.append(int(line[15:]))
        elif match := re.match(r"    (ip|tid|sample_time_ns): (\d+)$", line):
            fields[match[1]] = int(match[2])
    return samples


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def pb_fields(data: bytes):
    """(number, value) of a protobuf message: for a varint the number, for a packed field the bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[key & 7]
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        yield key >> 3, value


def pb_sample(data: bytes) -> Sample:
    fields, chain, branches = {}, [], []
    for number, value in pb_fields(data):
        if number == 11:
            chain.append(value)
        elif number == 12:
            entry = dict(pb_fields(value))
            branches.append(Branch(*(entry.get(n, 0) for n in range(1, 8))))
        else:
            fields[number] = value
    return Sample(fields.get(4, 0), fields.get(3, 0), fields.get(1, 0), tuple(chain), tuple(branches))


def pb_data_samples(path: str) -> list[Sample]:
    with open(path, "rb") as file:
        data = file.read()
    events = (dict(pb_fields(value)) for number, value in pb_fields(data) if number == 2)
    return [pb_sample(event[3]) for event in events if 3 in event]


# --- perf script's ---


def perf_chains(text: str) -> list[tuple]:
    """(tid, addresses): a line with the thread, one for each frame, an empty one."""
    found, tid, chain = [], None, []
    for line in text.split("\n"):
        if line.startswith("#"):
            continue
        if line.startswith("\t"):
            chain.append(int(line, 16))
        elif line.strip():
            tid, chain = int(line.split()[0]), []
        elif tid is not None:
            found.append((tid, tuple(chain)))
            tid = None
    return found


def as_perf_takes(sample: Sample) -> tuple:
    return sample.tid, tuple(word for word in sample.chain if word not in MARKS)


def perf_branches(text: str) -> list[tuple]:
    """(tid, ip, branches) of lines `TID EVENT: IP FROM/TO/M|P/X/A/CYCLES/TYPE/SPECULATION...`"""
    found = []
    for line in text.split("\n"):
        match = re.match(r"\s*(\d+) .*?:\s+([0-9a-f]+)((?: +0x\S+)*)\s*$", line)
        if match and not line.startswith("#"):
            found.append((int(match[1]), int(match[2], 16),
                          tuple(perf_branch(word.split("/")) for word in match[3].split())))
    return found


def perf_branch(w: list[str]) -> tuple:
    return int(w[0], 16), int(w[1], 16), w[2], w[3] == "X", w[4] == "A", int(w[5])


def branches_as_perf_shows(sample: Sample) -> tuple:
    """P stands for what nobody told too."""
    return sample.tid, sample.ip, tuple(
        (b.origin, b.target, "M" if b.mispredicted else "P" if b.predicted else "-", b.in_transaction, b.aborts, b.cycles)
        for b in sample.branches)


# --- simpleperf's ---


def folded_weights(text: str) -> dict[str, int]:
    weights = collections.Counter()
    for line in text.splitlines():
        stack, _, weight = line.rpartition(" ")
        weights[stack.split(";")[0]] += int(weight)
    return weights


# --- branches from module to module ---


def our_edges(wperf: str, path: str) -> list[int]:
    done = subprocess.run([wperf, "report", "--force", "-b", "--csv", "--sample-display-row", "1000000", path],
                          check=True, capture_output=True, text=True)
    edges = collections.Counter()
    for row in csv.DictReader(io.StringIO(done.stdout, newline="")):
        edges[row["from_module"], row["to_module"]] += int(row["count"])
    return sorted(edges.values())


def perf_edges(path: str) -> list[int]:
    """Without names: perf writes names of code without a file and of kernel modules differently.  perf counts entries
    of zeros as edges from nowhere to nowhere."""
    done = subprocess.run(["perf", "report", "-b", "-n", "-t;", "--stdio", "--sort", "dso_from,dso_to", "-i", path],
                          check=True, capture_output=True, text=True)
    rows = [line.replace(" ", "").split(";") for line in done.stdout.splitlines() if ";" in line and line[0] != "#"]
    return sorted(int(count) for _, count, origin, target in rows if (origin, target) != ("[unknown]",) * 2)


# --- what differs ---

UNMAPPED = "address in no module, which quipper marks by its top bit"
LONGER = "longer than the 127 frames that perf takes"
BY_DESIGN = (UNMAPPED, LONGER)
PERF_MAX_FRAMES = 127


def is_marked(ours: tuple, theirs: tuple) -> bool:
    return len(ours) == len(theirs) and all(b in (a, a | 1 << 63) for a, b in zip(ours, theirs))


def kind_of(ours, theirs) -> str:
    if not isinstance(ours, Sample):
        if ours[0] != theirs[0]:
            return "sample"
        return LONGER if ours[1][:PERF_MAX_FRAMES] == theirs[1] and len(ours) == 2 else "stack"
    if ours._replace(chain=()) == theirs._replace(chain=()) and is_marked(ours.chain, theirs.chain):
        return UNMAPPED
    return next(name for name in Sample._fields if getattr(ours, name) != getattr(theirs, name))


def compare(ours: list, theirs: list) -> collections.Counter:
    """Number of differences, by kind; an example of each kind that is not intended."""
    left, right = collections.Counter(ours), collections.Counter(theirs)
    only_ours, only_theirs = sorted((left - right).elements()), sorted((right - left).elements())
    kinds = collections.Counter()
    for a, b in zip(only_ours, only_theirs):
        kind = kind_of(a, b)
        if kind not in kinds and kind not in BY_DESIGN:
            print(f"# {kind}: {str(a)[:1000]}\n# theirs: {str(b)[:1000]}")
        kinds[kind] += 1
    kinds["missing"] += max(0, len(only_theirs) - len(only_ours))
    kinds["too many"] += max(0, len(only_ours) - len(only_theirs))
    return +kinds


def answers(root: str, path: str):
    """(kind, their samples, wperf's in the same form) for each reference next to the file."""
    truth = os.path.join(root, TRUTH, os.path.relpath(path, root).replace(os.sep, "__"))
    for ending in (".pb_text", ".pb_text.zst", ".pr.out.pb_text", ".pr.out.pb_text.zst"):
        if os.path.exists(path + ending):
            yield "quipper's " + ending, pb_text_samples(read_text(path + ending)), lambda s: s
    if os.path.exists(path + ".pb_data"):
        yield "quipper's .pb_data", pb_data_samples(path + ".pb_data"), lambda s: s
    twin = path.removesuffix(".perf.data") + ".perf_data.pb"
    if path.endswith(".perf.data") and os.path.exists(twin):
        yield "quipper's .perf_data.pb", pb_data_samples(twin), lambda s: s
    if os.path.exists(truth + ".callchains.txt.zst"):
        yield "perf's call chains", perf_chains(read_text(truth + ".callchains.txt.zst")), as_perf_takes
    if os.path.exists(truth + ".brstack.txt.zst"):
        yield "perf's branches", perf_branches(read_text(truth + ".brstack.txt.zst")), branches_as_perf_shows


def sessions(root: str) -> list[str]:
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("_truth"))
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                if file.read(8) == b"PERFILE2":
                    found.append(path)
    return found


def check(wperf: str, root: str, paths: list[str]) -> bool:
    n = n_bad = 0
    totals = collections.Counter()
    for path in paths:
        beside = list(answers(root, path))
        folded = path.removesuffix(".data") + ".foldedstack"
        if not beside and not os.path.exists(folded):
            continue
        records = our_records(wperf, path)
        ours = our_samples(records)
        for what, theirs, form in beside:
            kinds = compare([form(s) for s in ours], theirs)
            n += 1
            bad = any(kind not in BY_DESIGN for kind in kinds)
            n_bad += bad
            totals.update(samples=len(theirs), entries=sum(map(entries_of, theirs)))
            print(f"# {len(theirs)} samples, {sum(map(entries_of, theirs))} entries of chains and branch stacks"
                  + "".join(f"; {count} x {kind}" for kind, count in kinds.items()))
            print(f"{'not ' if bad else ''}ok {n} - {what}: {os.path.relpath(path, root)}")
        if os.path.exists(folded):
            good = our_weights(records) == folded_weights(read_text(folded))
            n += 1
            n_bad += not good
            print(f"{'' if good else 'not '}ok {n} - simpleperf's weights: {os.path.relpath(path, root)}")
        if shutil.which("perf") and any(sample.branches for sample in ours):
            theirs = perf_edges(path)
            good = our_edges(wperf, path) == theirs
            n += 1
            n_bad += not good
            print(f"# {sum(theirs)} branches between {len(theirs)} pairs of modules")
            print(f"{'' if good else 'not '}ok {n} - perf's edges: {os.path.relpath(path, root)}")
    print(f"# in all {totals['samples']} samples, {totals['entries']} entries")
    print(f"1..{n}")
    return not n_bad


def entries_of(sample) -> int:
    return len(sample.chain) + len(sample.branches) if isinstance(sample, Sample) else len(sample[-1])


def main() -> int:
    wperf, paths = sys.argv[1], sys.argv[2:]
    root = os.path.join(os.environ.get("WPERF_CORPUS", ""), "perfdata")
    return not check(wperf, root, [os.path.abspath(p) for p in paths] or sessions(root))


if __name__ == "__main__":
    sys.exit(main())
