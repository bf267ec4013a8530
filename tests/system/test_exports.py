#!/usr/bin/python3
"""Exports of a session and of hand-made trees, opened by the programs for which they are written, and by checkers of
this project."""
import collections
import copy
import gzip
import itertools
import json
import os
import re
import time
import xml.etree.ElementTree as ElementTree

import harness
from call_trees import folded
from firefox_schema import complaints_of, stacks_of
from harness import Context, Done, Skip, check, need_tool
from test_call_tree import record, tree_of

FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
SVG = "{http://www.w3.org/2000/svg}"

# Function: its own samples and its total, in the ordinary tree.
ORDINARY = {
    "work": (47, 85), "add": (10, 38), "carry": (20, 28), "do_syscall_64": (8, 8), "main": (5, 90),
    "[libc.so.6+0x1f00]": (5, 5), "[libc.so.6]": (0, 5), "[cut]": (0, 5),
}
SAMPLES = {"ordinary": 100, "hostile": 38}


def export(t: Context, kind: str, tree: str) -> str:
    """The path of an export of the test program; pprof unpacked."""
    path = t.path(f"{tree}.{kind}")
    with open(path, "wb") as file:
        done = t.run(t.program("exporter"), kind, tree, stdout=file)
    check(done.status == 0 and not done.err, "exporter", done)
    if kind != "pprof":
        return path
    with open(path, "rb") as file, gzip.open(path + ".pb.gz", "wb") as packed:
        packed.write(file.read())
    return path + ".pb.gz"


# --- folded ---


def folded_lines(path: str) -> list[tuple[list[str], int]]:
    """Frames and count of each line; fails for a malformed line."""
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")
    check(text.endswith("\n"), "the last line has an end")
    lines = text[:-1].split("\n")
    check(lines == sorted(set(lines), key=lambda line: line.encode()), "sorted, each once")
    found = []
    for line in lines:
        match = re.fullmatch(r"([^\x00-\x1f\x7f]+) ([1-9]\d*)", line)
        check(match is not None, f"no line of a stack: {line!r}")
        frames = match[1].split(";")
        check(all(frames) and not re.search(r"\s\d+(\.\d*)?$", match[1]), f"a frame or a value too many: {line!r}")
        found.append((frames, int(match[2])))
    return found


def test_folded_lines_are_stacks(t: Context) -> None:
    for tree, samples in SAMPLES.items():
        lines = folded_lines(export(t, "folded", tree))
        check(sum(count for _, count in lines) == samples, f"all samples of {tree}")
        check(len({tuple(frames) for frames, _ in lines}) == len(lines), "each stack once")


def test_flamegraph_pl_draws_them(t: Context) -> None:
    perl = need_tool("perl")
    if not os.path.exists(FLAMEGRAPH):
        raise Skip("flamegraph.pl (libdevel-nytprof-perl)")
    for tree, samples in SAMPLES.items():
        done = t.run(perl, FLAMEGRAPH, export(t, "folded", tree))
        check(done.status == 0 and not done.err, f"flamegraph.pl, {tree}", done)
        check(f"<title>all ({samples} samples, 100%)</title>" in done.out, f"all samples of {tree}", done)
        if tree == "ordinary":
            for name, (_, total) in ORDINARY.items():
                annotated = name + ("_[i]" if name in ("add", "carry") else "_[k]" if name == "do_syscall_64" else "")
                share = 85 if name == "main" else total
                check(f"<title>{annotated} ({share} samples, {share}.00%)</title>" in done.out, f"a frame {name}", done)


# --- speedscope ---


def speedscope_complaints(document: dict) -> list[str]:
    """Checks the requirements of speedscope's schema, that indexes of frames exist, and that the ends are correct."""
    found = []
    frames = document["shared"]["frames"]
    if document["$schema"] != "https://www.speedscope.app/file-format-schema.json":
        found.append("the schema")
    found += [f"a frame: {frame}" for frame in frames
              if not isinstance(frame["name"], str) or not set(frame) <= {"name", "file", "line"}]
    for profile in document["profiles"]:
        name = profile["name"]
        if profile["type"] != "sampled" or profile["unit"] not in ("none", "nanoseconds"):
            found.append(f"{name}: type and unit")
        if profile["startValue"] < 0 or profile["endValue"] - profile["startValue"] != sum(profile["weights"]):
            found.append(f"{name}: the sum")
        if len(profile["samples"]) != len(profile["weights"]):
            found.append(f"{name}: a weight for each stack")
        if not all(0 <= number < len(frames) for stack in profile["samples"] for number in stack):
            found.append(f"{name}: known frames")
    return found


def test_speedscope_document_is_whole(t: Context) -> None:
    for tree, threads in {"ordinary": 2, "hostile": 2}.items():
        with open(export(t, "speedscope", tree), encoding="utf-8") as file:
            document = json.load(file)
        check(not speedscope_complaints(document), f"{tree}: {speedscope_complaints(document)}")
        check(len(document["profiles"]) == threads, f"{tree}: threads")


# --- chrome ---


class Slices:
    """The slices of a trace; fails unless each ends before the one that it is in.  `own` and `total` are the microseconds
    of each thread and function, without and with callees; a recursion counts once."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            self.document = json.load(file)
        self.own: collections.Counter = collections.Counter()
        self.total: collections.Counter = collections.Counter()
        self.first = min(self.slices(), key=lambda event: event["ts"])["ts"]
        stacks: dict[int, list[dict]] = collections.defaultdict(list)
        for event in self.slices():
            self.add(event, stacks[event["tid"]])

    def slices(self) -> list[dict]:
        return [event for event in self.document["traceEvents"] if event["ph"] == "X"]

    def names(self, what: str) -> dict[int, str]:
        return {event["tid"]: event["args"]["name"] for event in self.document["traceEvents"] if event["name"] == what}

    def add(self, event: dict, stack: list[dict]) -> None:
        end = event["ts"] + event["dur"]
        check(event["dur"] > 0, f"a duration: {event}")
        check(not stack or event["ts"] >= stack[-1]["ts"], f"in the order of time: {event}")
        while stack and event["ts"] >= stack[-1]["ts"] + stack[-1]["dur"]:
            stack.pop()
        if stack:
            check(end <= stack[-1]["ts"] + stack[-1]["dur"], f"it ends in its caller: {event}, {stack[-1]}")
            self.own[event["tid"], stack[-1]["name"]] -= event["dur"]
        self.own[event["tid"], event["name"]] += event["dur"]
        if event["name"] not in [outer["name"] for outer in stack]:
            self.total[event["tid"], event["name"]] += event["dur"]
        stack.append(event)


def test_chrome_trace_is_whole(t: Context) -> None:
    ordinary = Slices(export(t, "chrome", "ordinary"))
    check(ordinary.names("thread_name") == {7: "python3", 123456: "unknown"}, f"threads: {ordinary.names('thread_name')}")
    check(set(ordinary.names("process_name").values()) == {"python3"}, "the process")
    check(ordinary.total[7, "main"] == 3, f"three samples of 1 us: {ordinary.total}")
    Slices(export(t, "chrome", "hostile"))


def test_chrome_trace_has_the_times_of_speedscope(t: Context) -> None:
    """Speedscope shows the same spans; where one slice follows another, a microsecond is left out."""
    before = time.time()
    session = t.path("family.data")
    done = t.ours("record", "--session", session, "-q", "--", t.program("family"), "60", t.program("spin"), "100")
    check(done.status == 0, "recorded", done)
    trace = Slices(export_session(t, "f.trace.json", session, "--no-inlines"))
    check(before - 1 < trace.first / 1e6 < time.time() + 1, f"the time of day: {trace.first}")
    with open(export_session(t, "f.speedscope.json", session, "--no-inlines"), encoding="utf-8") as file:
        document = json.load(file)
    check(len(document["profiles"]) == len(trace.names("thread_name")) >= 4, "threads")
    for profile in document["profiles"]:
        tid, own, n = int(re.search(r"(\d+): cpu-clock", profile["name"])[1]), collections.Counter(), 0
        for stack, weight in zip(profile["samples"], profile["weights"]):
            if stack:
                own[document["shared"]["frames"][stack[-1]]["name"]] += weight / 1000
                n += len(stack)
        for name, want in own.items():
            check(abs(trace.own[tid, name] - want) <= 2 * n, f"{name} of {tid}: {trace.own[tid, name]} us, not {want}")


# --- pprof ---


def pprof(t: Context, path: str, *options: str) -> Done:
    go = need_tool("go")
    done = t.run(go, "tool", "pprof", *options, path,
                 env=harness.environment(HOME=t.folder, PPROF_TMPDIR=t.folder, GOCACHE=t.folder))
    check(done.status == 0, "go tool pprof", done)
    return done


def test_go_tool_pprof_sums_them_up(t: Context) -> None:
    path = export(t, "pprof", "ordinary")
    done = pprof(t, path, "-top", "-sample_index=samples")
    check("100% of 100 total" in done.out, "all samples", done)
    for name, (own, total) in ORDINARY.items():
        pattern = rf"^ *{own} +[\d.]+% +[\d.]+% +{total} +[\d.]+%  {re.escape(name)}"
        check(re.search(pattern + (r" \(inline\)$" if name in ("add", "carry") else "$"), done.out, re.M) is not None,
              f"a row {name}", done)
    done = pprof(t, path, "-top", "-unit=ns")
    check("Type: cpu-clock:u" in done.out and "Duration: 2s" in done.out, "the event and how long", done)
    check(re.search(r"^ *4700ns 47.00% 47.00% +8500ns 85.00%  work$", done.out, re.M) is not None, "weights", done)
    done = pprof(t, path, "-traces")
    check(re.search(r"comm: +python3\n +800ns +do_syscall_64\n +carry \(inline\)\n +add \(inline\)\n +work\n +main\n",
                    done.out) is not None, "a stack with what is inlined", done)


def test_go_tool_pprof_takes_hostile_names(t: Context) -> None:
    done = pprof(t, export(t, "pprof", "hostile"), "-raw")
    check("\x1b" not in done.out and "\\x1b[31m\\x0a\\x0d" in done.out, "names that drive no terminal", done)
    check(done.out.count("comm:[a;b c 7]") == 9, "nine stacks", done)


# --- callgrind ---


def annotated(t: Context, path: str, **options) -> dict[str, tuple[int, int]]:
    """Weight and samples of each function with its callees, as callgrind_annotate sums them up."""
    done = t.run(need_tool("callgrind_annotate"), "--inclusive=yes", "--threshold=100", "--auto=no", path, **options)
    check(done.status == 0 and not done.err, "callgrind_annotate", done)
    rows = re.findall(r"^ *([\d,]+) \([ \d.]+%\) +([\d,]+) \([ \d.]+%\)  (.*)$", done.out, re.M)
    return {name: (int(weight.replace(",", "")), int(samples.replace(",", ""))) for weight, samples, name in rows}


def test_callgrind_annotate_sums_them_up(t: Context) -> None:
    found = annotated(t, export(t, "callgrind", "ordinary"))
    check(found["PROGRAM TOTALS"] == (10000, 100), f"all samples: {found}")
    for name in "work", "add", "carry":
        total = ORDINARY[name][1]
        check(found[f"/src/work.c:{name} [/usr/bin/python3.11]"] == (100 * total, total), f"{name}: {found}")
    check(found["/src/work.c:main [/usr/bin/python3.11]"] == (8700, 87), f"main of the program: {found}")
    check(found["???:main [/usr/lib/libc.so.6]"] == (300, 3), f"main of the library: {found}")
    check(found["???:python3 (process) [???]"] == (9000, 90), f"the process: {found}")


def test_callgrind_annotate_takes_hostile_names(t: Context) -> None:
    check(annotated(t, export(t, "callgrind", "hostile"))["PROGRAM TOTALS"][1] == SAMPLES["hostile"], "all samples")


# --- svg ---


def test_svg_is_xml_and_nothing_more(t: Context) -> None:
    known = {SVG + name for name in ("svg", "title", "desc", "style", "rect", "text", "g", "script")}
    for tree, samples in SAMPLES.items():
        root = ElementTree.parse(export(t, "svg", tree)).getroot()
        check({element.tag for element in root.iter()} <= known, f"other elements: {tree}")
        check(len(root.findall(SVG + "script")) == 1, "one script")
        check(f": {samples} samples" in root.find(SVG + "title").text, "a title")
        frames = root.find(f"{SVG}g[@class='f']").findall(SVG + "g")
        check(frames[0].find(SVG + "title").text == f"all\n{samples} samples, 100.00 %", "the root")
        for frame in frames:
            rect = frame.find(SVG + "rect")
            left, width = float(rect.get("x")), float(rect.get("width"))
            check(left >= 10 and width >= 0.1 and left + width <= 1190.005, "inside of the picture")


def dom_of(t: Context, address: str, width: int, height: int) -> ElementTree.Element:
    """The document that a browser makes of a picture in a window of this size, including scripts."""
    done = t.run(need_tool("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--user-data-dir=" + t.path("browser"), "--virtual-time-budget=3000",
                 "--hide-scrollbars", "--disable-dev-shm-usage", f"--window-size={width},{height}", "--dump-dom", address)
    check(done.status == 0 and done.out.find("<svg") >= 0, "chromium", done)
    return ElementTree.fromstring(done.out[done.out.index("<svg"):])


def test_svg_in_a_browser_is_as_wide_as_the_window(t: Context) -> None:
    """The root is the first row below the head, labels fit into their frames, a search is counted."""
    address = "file://" + export(t, "svg", "ordinary")
    for width in 600, 1700:
        root = dom_of(t, address + "#s=work", width, 500)
        frames = root.find(f"{SVG}g[@class='f']").findall(SVG + "g")
        check(root.get("width") == "100%" and root.get("viewBox") is None, "the picture is as wide as the window")
        check(float(frames[0].find(SVG + "rect").get("width")) == width - 20, f"the root at {width}")
        rows = [float(frame.find(SVG + "rect").get("y")) for frame in frames]
        check(rows[0] == min(rows), "the root is the highest row")
        for frame in frames:
            text, room = frame.find(SVG + "text"), float(frame.find(SVG + "rect").get("width"))
            check(text is None or len(text.text or "") * 7 <= room, f"a label of {room}: {text is not None and text.text}")
        words = ["".join(box.itertext()) for box in root.findall(SVG + "foreignObject")]
        check(any(word == "all100 samples, 100.00 %" for word in words), f"the status line: {words}")
        check(any("2 frames, 85.00 %" in word for word in words), f"the search: {words}")


# --- firefox ---


def profile_of(path: str) -> dict:
    """A profile in which the checker finds no errors."""
    with open(path, "rb") as file:
        text = file.read()
    profile = json.loads((gzip.decompress(text) if path.endswith(".gz") else text).decode("utf-8"))
    found = complaints_of(profile)
    check(not found, f"{os.path.basename(path)}: {found[:5]}")
    return profile


def paths_of_profile(profile: dict) -> collections.Counter:
    """process;outermost;...;innermost, as folded lines have it."""
    return collections.Counter(";".join([thread["processName"]] + path) for thread, _, path in stacks_of(profile))


def test_firefox_profile_is_one(t: Context) -> None:
    ordinary = profile_of(export(t, "firefox", "ordinary"))
    check([thread["name"] for thread in ordinary["threads"]] == ["python3", "unknown"], "threads")
    check([path for _, _, path in stacks_of(ordinary)] == [
        ["main", "work", "add", "carry"], ["main", "[libc.so.6]", "do_syscall_64", "nf_nat_setup"],
        ["main", "work", "work", "add", "carry"], ["[unknown]", "[heap]"]], "stacks")
    check(ordinary["libs"][0] == {
        "arch": "x86_64", "name": "python3.11", "path": "/usr/bin/python3.11", "debugName": "python3.11",
        "debugPath": "/usr/bin/python3.11", "breakpadId": "01EFCDAB4523896710203040506070800",
        "codeId": "abcdef0123456789102030405060708090a0b0c0"}, f"a library: {ordinary['libs'][0]}")
    hostile = profile_of(export(t, "firefox", "hostile"))
    check(hostile["threads"][0]["samples"]["weight"] == [1000], "weights")


# A position in a profile, and the value that replaces the one there.
MUTATIONS: list[tuple[str, object]] = [
    ("meta.interval", 0), ("meta.preprocessedProfileVersion", 59), ("meta.startTime", None), ("meta.stackwalk", True),
    ("meta.markerSchema", None), ("meta.product", None), ("meta.surprise", 1), ("meta.categories", []),
    ("meta.categories.0.color", "gray"), ("meta.categories.0.subcategories", []), ("meta.sampleUnits.time", "s"),
    ("libs.0.breakpadId", "12"), ("libs.0.codeId", "AB"), ("libs.0.debugPath", None), ("libs", []),
    ("shared.stringArray.1", 7), ("shared.stringArray.1", ""), ("shared.stackTable.length", 3),
    ("shared.stackTable.prefix.1", 1), ("shared.stackTable.prefix.0", 5), ("shared.stackTable.prefix.1", -1),
    ("shared.stackTable.frame.0", 999), ("shared.stackTable.frame.0", None), ("shared.stackTable.prefix.2", None),
    ("shared.stackTable.prefix.2", 0), ("shared.frameTable.address.0", -2), ("shared.frameTable.address.0", None),
    ("shared.frameTable.func.0", 999), ("shared.frameTable.line.0", 0), ("shared.frameTable.category.0", 5),
    ("shared.frameTable.subcategory.0", None), ("shared.frameTable.inlineDepth.0", -1), ("shared.frameTable.inlineDepth.0", 7),
    ("shared.frameTable.nativeSymbol.0", 999), ("shared.frameTable.column", []), ("shared.frameTable.lib", []),
    ("shared.funcTable.name.0", 999), ("shared.funcTable.resource.0", None), ("shared.funcTable.resource.0", -1),
    ("shared.funcTable.resource.0", 1), ("shared.funcTable.source.0", -1), ("shared.funcTable.isJS.0", 0),
    ("shared.resourceTable.lib.0", 999), ("shared.resourceTable.type.0", 6), ("shared.resourceTable.host.0", ""),
    ("shared.nativeSymbols.libIndex.0", None), ("shared.nativeSymbols.address.0", -1), ("shared.nativeSymbols.functionSize.0", 0),
    ("shared.sources.filename.0", 999), ("shared.sources", None), ("shared.stackTable", None),
    ("threads.0.samples.stack.0", 999), ("threads.0.samples.time.1", -1), ("threads.0.samples.time.0", 9e9),
    ("threads.0.samples.time.0", None), ("threads.0.samples.length", 2), ("threads.0.samples.weight", [1]),
    ("threads.0.samples.weightType", "ms"), ("threads.0.samples.threadCPUDelta", [1]), ("threads.0.samples.threadCPUDelta.0", -1),
    ("threads.0.pid", 7), ("threads.0.tid", None), ("threads.0.name", None), ("threads.0.isMainThread", 1),
    ("threads.0.markers.length", 1), ("threads.0.markers", None), ("threads.1.tid", 7), ("threads", None),
]


def mutate(profile: dict, where: str, value: object) -> dict:
    profile = copy.deepcopy(profile)
    *path, last = [int(key) if key.isdigit() else key for key in where.split(".")]
    at = profile
    for key in path:
        at = at[key]
    at[last] = value
    return profile


def test_firefox_checker_sees_what_is_wrong(t: Context) -> None:
    """Each mutation, and each missing key of the document."""
    profile = profile_of(export(t, "firefox", "ordinary"))
    for where, value in MUTATIONS:
        mutated = mutate(profile, where, value)
        check(json.dumps(mutated) != json.dumps(profile), f"{where} is {value!r} anyway")
        check(bool(complaints_of(mutated)), f"nothing is said of {where} = {value!r}")
    for part in (profile, profile["shared"], profile["threads"][0], profile["threads"][0]["samples"], profile["libs"][0],
                 *(profile["shared"][name] for name in profile["shared"] if name != "stringArray")):
        for key in part.keys() - {"processName", "threadCPUDelta"}:
            kept = part.pop(key)
            check(bool(complaints_of(profile)), f"nothing is said when there is no {key}")
            part[key] = kept
    check(not complaints_of(profile), "whole again")


def test_firefox_profile_of_a_session(t: Context) -> None:
    """The stacks of the folded lines, at the times of perf script, with lines and inlined functions."""
    session = record(t, "dwarf,8192", "paths")
    profile = profile_of(export_session(t, "p.firefox.json", session))
    lines = dict((";".join(frames), n) for frames, n in folded_lines(export_session(t, "p.folded", session)))
    got = collections.Counter()
    for path, count in paths_of_profile(profile).items():
        got[path] += count
    check(dict(got) == lines, f"stacks and counts: {got}, {lines}")
    samples = profile["threads"][0]["samples"]
    times = [float(HEAD.match(head)["time"]) for head in Script(script_of(t, session)).heads]
    check(all(abs(1000 * (at - times[0]) - mine) < 0.002 for at, mine in zip(times, samples["time"])), "times")
    check(samples["threadCPUDelta"] == [10**9 // 999] * len(times), "time that the thread ran")
    check(abs(profile["meta"]["interval"] - 1000 / 999) < 1e-5 and profile["meta"]["product"] == "paths", "interval and product")
    frames, shared = profile["shared"]["frameTable"], profile["shared"]
    files = {shared["stringArray"][shared["sources"]["filename"][source]] for source in shared["funcTable"]["source"] if source is not None}
    check(any(name.endswith("paths.c") for name in files) and any(frames["line"]), f"source lines: {files}")
    names = {shared["stringArray"][name] for name in shared["funcTable"]["name"]}
    check({"main", "burn_a", "walk"} <= names, f"functions: {names}")


def test_firefox_addresses_are_the_files(t: Context) -> None:
    """Other programs find the function in the file by its address and build id."""
    session = record(t, "dwarf,8192", "shapes")
    profile = profile_of(export_session(t, "s.firefox.json.gz", session))
    shared = profile["shared"]
    symbols = {(int(at, 16), int(size, 16)) for at, size in re.findall(
        r"^([0-9a-f]+) ([0-9a-f]+) [tTwWiI] ", t.run(need_tool("nm"), "-S", t.program("shapes")).out, re.M)}
    lib = next(i for i, lib in enumerate(profile["libs"]) if lib["name"] == "shapes")
    of_lib = [i for i in range(shared["nativeSymbols"]["length"]) if shared["nativeSymbols"]["libIndex"][i] == lib]
    known = [(shared["nativeSymbols"]["address"][i], shared["nativeSymbols"]["functionSize"][i]) for i in of_lib]
    check(len([one for one in known if one in symbols]) >= 3, f"functions: {known}")
    for row, native in enumerate(shared["frameTable"]["nativeSymbol"]):
        if native in of_lib and shared["nativeSymbols"]["functionSize"][native]:
            start, size = shared["nativeSymbols"]["address"][native], shared["nativeSymbols"]["functionSize"][native]
            check(start <= shared["frameTable"]["address"][row] < start + size, f"frame {row} is in its function")
    notes = t.run(need_tool("readelf"), "-n", t.program("shapes")).out
    match = re.search(r"Build ID: ([0-9a-f]+)", notes)
    check(match is not None and profile["libs"][lib]["codeId"] == match[1], "the build id")
    check(max(shared["frameTable"]["inlineDepth"]) > 0, "inlined functions")
    plain = profile_of(export_session(t, "n.firefox.json", session, "--no-inlines"))
    check(max(plain["shared"]["frameTable"]["inlineDepth"]) == 0, "none with --no-inlines")


def test_firefox_profile_of_one_event(t: Context) -> None:
    session = perf_record(t, "two.data", "-e", "cpu-clock:u,page-faults", "-g", "--", t.program("shapes"), "900")
    done = t.ours("export", "-i", session, "-o", t.path("first.firefox.json"))
    check(done.status == 0 and "only the samples of cpu-clock:u" in done.err, "a warning", done)
    profile_of(t.path("first.firefox.json"))
    faults = profile_of(export_session(t, "faults.firefox.json", session, "-e", "page-faults", "--weights"))
    samples = faults["threads"][0]["samples"]
    check("threadCPUDelta" not in samples and samples["weightType"] == "samples" and sum(samples["weight"]) >= len(samples["stack"]),
          "what the event counted")
    clock = profile_of(export_session(t, "clock.firefox.json", session, "--weights", "-e", "cpu-clock:u"))["threads"][0]["samples"]
    check(clock["weightType"] == "tracing-ms" and set(clock["weight"]) == {1.001001}, "milliseconds")


# --- perf-script ---

HEAD = re.compile(r"(?P<comm>.+?) +(?P<tid>-?\d+)(?: \[\d{3,}\])? +(?P<time>\d+\.\d{6}): +(?P<period>\d+) +(?P<event>.+?): ?$")
FRAME = re.compile(r"\t {0,15}(?P<address>[0-9a-f]{1,16}) (?P<symbol>.+?)(?:\+0x(?P<offset>[0-9a-f]+))? \((?P<dso>.+)\)$")
# For clones and parts of a function, which have the function's name everywhere except in this text.
CLONE_SUFFIX = re.compile(r"(\.cold|\.(part|isra|constprop|lto_priv)\.\d+)+(?=;|$)")


class Script:
    """The text of perf script, by its grammar: a header, frames after a tab, an empty line."""

    def __init__(self, text: str):
        check(text.endswith("\n\n"), "an empty line behind the last sample")
        self.heads, self.stacks = [], []
        for block in text[:-2].split("\n\n"):
            head, *frames = block.split("\n")
            check(HEAD.match(head) is not None, f"no head: {head!r}")
            self.heads.append(head)
            self.stacks.append([FRAME.match(frame) for frame in frames])
            check(all(self.stacks[-1]), f"frames: {block!r}")

    def folded(self) -> collections.Counter:
        """As stackcollapse-perf.pl says that it does it: comm;outermost;...;innermost."""
        counts: collections.Counter = collections.Counter()
        for head, stack in zip(self.heads, self.stacks):
            names = [HEAD.match(head)["comm"].replace(" ", "_")]
            counts[";".join(names + [frame["symbol"] for frame in reversed(stack)])] += 1
        return counts


def script_of(t: Context, session: str, *more: str) -> str:
    done = t.good("export", "--format", "perf-script", "-i", session, *more)
    return done.out


def script_of_perf(t: Context, session: str, *more: str) -> str:
    done = t.run("perf", "script", "-i", session, *more, env=harness.environment(HOME=t.folder))
    check(done.status == 0, "perf script", done)
    return done.out


def kind_of_difference(ours: re.Match, theirs: re.Match, is_caller: bool) -> str:
    """Why a frame differs from perf's: perf looks up the return address and not the address of the call."""
    same_place = ours["address"] == theirs["address"] and ours["dso"] == theirs["dso"]
    # After a call at the end of a function comes the next function, or code without a name.
    if same_place and (theirs["offset"] == "0" or (is_caller and theirs["symbol"] == "[unknown]")):
        return "behind"
    # One of the names that the symbol table has for one address.
    if same_place and ours["offset"] == theirs["offset"] and ours["offset"] is not None:
        return "alias"
    # The end of the function: perf counts code after a function without a size as a part of it.
    if same_place and ours["symbol"] == "[unknown]":
        return "no name"
    # A stub of the procedure linkage table: perf counts it as a part of the function without a size before it.
    if same_place and ours["symbol"].endswith("@plt") and not theirs["symbol"].endswith("@plt"):
        return "plt"
    # A call chain that was recorded while a program is replaced: perf still has the maps of the old program.
    if ours["dso"] == "[unknown]" and "execve" in theirs["symbol"]:
        return "before exec"
    return "other"


def ends_elsewhere(mine: list[re.Match], other: list[re.Match]) -> bool:
    """Unwinding a copied stack may end in start-up code without call-frame information, where perf continues by frame
    pointers.  In exit handlers without it, as at the start of a library's _fini, where a slow machine handles a page
    fault, perf may take a word of the heap or of the stack for the caller and end there."""
    return (len(mine) < len(other) and re.search(r"dtors_aux|fini|unknown", mine[-1]["symbol"]) is not None or
            len(mine) > len(other) and other[-1]["dso"] in ("[heap]", "[stack]", "[unknown]"))


def compare_scripts(t: Context, session: str) -> int:
    """Without inlined functions: each line is the same, except for the kinds of differences above, and for stacks of
    which perf has more.  Returns the number of frames."""
    ours, theirs = Script(script_of(t, session, "--no-inlines")), Script(script_of_perf(t, session, "--no-inline"))
    check(ours.heads == theirs.heads, f"heads: {set(ours.heads) ^ set(theirs.heads)}")
    found: collections.Counter = collections.Counter()
    total = 0
    for head, mine, other in zip(ours.heads, ours.stacks, theirs.stacks):
        total += len(mine)
        is_cut = ends_elsewhere(mine, other)
        check(len(mine) == len(other) or is_cut, f"frames of {head}: {len(mine)}, {len(other)}")
        found["cut"] += is_cut
        for i, (frame, wanted) in enumerate(zip(mine, other[:-1] if is_cut and len(other) < len(mine) else other)):
            if frame[0] != wanted[0]:
                kind = kind_of_difference(frame, wanted, i > 0)
                check(kind != "other", f"ours: {frame[0]!r}, perf: {wanted[0]!r}")
                found[kind] += 1
    harness.note(f"{total} frames of {len(ours.heads)} samples, not as perf's: {dict(+found)}")
    check(sum(found.values()) <= 0.1 * total, f"differences: {found} of {total}")
    return total


def perf_record(t: Context, name: str, *argv: str) -> str:
    path = t.path(name)
    # In a home folder of the test, where perf stores a copy of the vdso: perf script needs it to name functions of the vdso.
    done = t.run(need_tool("perf"), "record", "-q", "-o", path, "-F", "999", *argv, env=harness.environment(HOME=t.folder))
    check(done.status == 0, "perf records", done)
    return path


def test_perf_script_of_perfs_sessions_is_perfs(t: Context) -> None:
    stacks = ("-e", "cpu-clock", "--call-graph")
    for name, *more in [
            ("fp", *stacks, "fp", "--", t.program("paths_fp"), "300"),
            ("cpus", "--sample-cpu", *stacks, "fp", "--", t.program("paths_fp"), "200"),
            ("dwarf", *stacks, "dwarf,8192", "--", t.program("shapes"), "1500"),
            ("jit", *stacks, "fp", "--", t.program("jit"), "200"),
            ("vdso", *stacks, "fp", "-F", "9999", "--", t.program("calls"), "vdso", "400"),
            ("events", "-e", "cpu-clock:u,page-faults", "-g", "--", t.program("paths_fp"), "300")]:
        check(compare_scripts(t, perf_record(t, name + ".data", *more)) > 100, f"frames of {name}")


def test_perf_script_of_our_sessions_is_perfs(t: Context) -> None:
    need_tool("perf")
    for program, *mode in ("paths_fp", "--call-graph", "fp"), ("shapes", "--call-graph", "dwarf,8192"), ("shapes", "-g"):
        session = t.path(f"own{mode[-1]}.data")
        done = t.ours("record", "--session", session, *mode, "--", t.program(program), "1500")
        check(done.status == 0, "recorded", done)
        check(compare_scripts(t, session) > 100, f"frames of {mode}")


def places_of(stack: list[re.Match]) -> list[tuple[str, int]]:
    """The addresses of a sample, with the number of functions that perf or wperf has there."""
    return [(address, len(list(group))) for address, group in itertools.groupby(frame["address"] for frame in stack)]


def test_inlined_functions_of_perf_script_are_perfs(t: Context) -> None:
    """Compares the number at each address.  If debug information and symbol table name a function differently, perf
    counts the function itself as one more inlined function, without a module."""
    session = perf_record(t, "inlines.data", "-e", "cpu-clock:u", "--call-graph", "dwarf,8192", "--", t.program("shapes"), "900")
    ours, theirs = script_of(t, session), script_of_perf(t, session)
    pairs = list(zip(Script(ours).stacks, Script(theirs).stacks, strict=True))
    whole = [(mine, other) for mine, other in pairs if not ends_elsewhere(mine, other)]
    check(len(whole) >= 0.9 * len(pairs), f"{len(pairs) - len(whole)} stacks of {len(pairs)} end elsewhere")
    for mine, other in whole:
        check(places_of(mine) == places_of(other), f"as many at each address: {places_of(mine)}, {places_of(other)}")
    lines = [(a[0], b[0]) for mine, other in whole for a, b in zip(mine, other)]
    same = sum(a == b for a, b in lines)
    harness.note(f"{same} of {len(lines)} lines are perf's to the letter")
    check(same > 0.5 * len(lines), "most lines are the same")
    check(" (inlined)\n" in ours and " (inlined)\n" not in script_of(t, session, "--no-inlines"), "inlined functions")


def test_perf_script_without_stacks(t: Context) -> None:
    session = perf_record(t, "flat.data", "-e", "cpu-clock", "--", t.program("shapes"), "200")
    done = t.ours("export", "--format", "perf-script", "-i", session)
    check(done.status == 0 and "no call stacks" in done.err, "a warning", done)
    check(done.out == script_of_perf(t, session), "perf's text to the letter")


def test_perf_script_is_collapsed_to_the_folded_stacks(t: Context) -> None:
    session = record(t, "dwarf,8192", "paths")
    folded_text = t.good("export", "--format", "folded", "--no-inlines", "-i", session).out
    want = collections.Counter()
    for line in folded_text.splitlines():
        # Code without a name is shown as its module; a mark of a cut stack is not a frame.
        names = re.sub(r"\[[^;]*?\](?=;|$)", "[unknown]", line.rsplit(" ", 1)[0].replace(";[cut]", ""))
        want[names] += int(line.rsplit(" ", 1)[1])
    got = collections.Counter()
    for names, count in Script(script_of(t, session, "--no-inlines")).folded().items():
        got[CLONE_SUFFIX.sub("", names)] += count
    check(got == want, f"stacks and counts: {got - want}, {want - got}")


def test_perf_script_by_name_event_and_filter(t: Context) -> None:
    session = perf_record(t, "two.data", "-e", "cpu-clock:u,page-faults", "-g", "--", t.program("shapes"), "200")
    every = Script(script_of(t, session))
    for event in "cpu-clock:u", "page-faults":
        path = t.path(event + ".perf")
        check(t.good("export", "-i", session, "-o", path, "-e", event).out == "", "nothing but the file")
        with open(path, encoding="utf-8") as file:
            heads = Script(file.read()).heads
        check(heads == [head for head in every.heads if HEAD.match(head)["event"] == event], f"those of {event}")
    check(t.ours("export", "-i", session, "--format", "perf-script", "--comm", "nobody").status == 1, "nothing to export")


# --- a session ---


def export_session(t: Context, name: str, session: str, *more: str) -> str:
    path = t.path(name)
    check(t.good("export", "-i", session, "-o", path, *more).out == "", "nothing but the file")
    return path


def test_record_and_report_write_the_formats_by_the_name_of_the_file(t: Context) -> None:
    """The session is beside the picture; record, report and export write the same document."""
    names = "p.svg", "p.folded", "p.html", "p.pb.gz", "p.callgrind", "p.firefox.json", "p.speedscope.json", "p.perf"
    for name in names:
        session = t.path(name + ".data")
        done = t.ours("record", "--session", session, "-o", t.path(name), "--", t.program("paths"), "200")
        check(done.status == 0 and f"wrote {t.path(name)}\n" in done.out, f"{name}, written beside the session", done)
        check("hot functions" in done.out, "the table is printed", done)
        exported = export_session(t, "exported-" + name, session)
        done = t.good("report", "-i", session, "-o", t.path("reported-" + name))
        check(done.out == f"wrote {t.path('reported-' + name)}\n", "only the file", done)
        wrote = [open(path, "rb").read() for path in (t.path(name), exported, t.path("reported-" + name))]
        check(wrote[0] == wrote[1] == wrote[2], f"{name}: one document")


def test_format_goes_before_the_ending(t: Context) -> None:
    run = t.program("paths"), "200"
    t.good("record", "-f", "raw", "-q", "--", *run, cwd=t.folder)
    check(folded_lines(t.path("wperf.folded")), "the default name")
    t.good("record", "--format", "flamegraph", "-o", "lines.folded", "-q", "--", *run, cwd=t.folder)
    check(ElementTree.parse(t.path("lines.folded")).getroot().tag == SVG + "svg", "a flame graph")
    check(os.path.exists(t.path("wperf.data")), "the session")


def test_folded_lines_of_a_session_are_its_tree(t: Context) -> None:
    session = record(t, "dwarf,8192", "paths")
    want = collections.Counter()
    for path, count in folded(tree_of(t, session, "--no-inlines")).items():
        want[";".join(["paths"] + path.split(";")[::-1])] += count
    lines = folded_lines(export_session(t, "p.folded", session, "--no-inlines"))
    # A function of which only the start is known is shown as its module, [libc.so.6+0x271d0], and code of which not even
    # that is known as [ld-linux-x86-64.so.2]: the dynamic loader's first function.
    named = [[re.sub(r"^\[[^+\]]+\+(0x[0-9a-f]+)\]$", r"\1", frame) for frame in frames] for frames, _ in lines]
    named = [["unknown" if re.match(r"\[ld-", frame) else frame for frame in frames] for frames in named]
    lines = [(frames, count) for frames, (_, count) in zip(named, lines)]
    check({";".join(frames): count for frames, count in lines} == dict(want), f"stacks and counts: {lines}, {want}")
    weights = folded_lines(export_session(t, "w.folded", session, "--weights"))
    check(sum(n for _, n in weights) == (10**9 // 999) * sum(want.values()), "the time of all samples")
    check(t.good("export", "-i", session, "--format", "folded").out.count("\n") >= len(lines), "on standard output")


def test_all_samples_of_a_session_are_in_each_format(t: Context) -> None:
    session = record(t, "dwarf,8192", "paths")
    n_samples = sum(folded(tree_of(t, session)).values())
    with open(export_session(t, "p.speedscope.json", session), encoding="utf-8") as file:
        profile = json.load(file)["profiles"][0]
    check(profile["unit"] == "nanoseconds", "the unit")
    check(re.fullmatch(r"paths \d+: cpu-clock:u", profile["name"]) is not None, f"the name: {profile['name']}")
    sampled = sum(weight for stack, weight in zip(profile["samples"], profile["weights"]) if stack)
    check(sampled == (10**9 // 999) * n_samples, "speedscope: the time of all samples")
    root = ElementTree.parse(export_session(t, "p.svg", session)).getroot()
    check(root.find(SVG + "title").text == f"cpu-clock:u: {n_samples} samples", "svg: the title")
    names = {frame.find(SVG + "title").text.split("\n")[0] for frame in root.find(f"{SVG}g[@class='f']")}
    check({"all", "paths", "main", "walk", "burn_a", "burn_b"} <= names, f"svg: functions: {names}")
    with open(export_session(t, "p.pb.gz", session), "rb") as file:
        check(file.read(3) == b"\x1f\x8b\x08", "pprof: packed by gzip")


def leaves_of(script: Script) -> dict[int, list[tuple[float, int, str]]]:
    """For each thread, in the order of time: when a sample was taken, its weight, and its innermost function."""
    found: dict = collections.defaultdict(list)
    for head, stack in zip(script.heads, script.stacks):
        fields = HEAD.match(head)
        name = CLONE_SUFFIX.sub("", stack[0]["symbol"])
        found[int(fields["tid"])].append((float(fields["time"]), int(fields["period"]), name))
    return found


def test_speedscope_has_the_samples_of_each_thread_in_the_order_of_time(t: Context) -> None:
    """Compares with perf's text of the same session: the thread's functions in order, and when each began."""
    session = perf_record(t, "family.data", "-e", "cpu-clock:u", "-g", "--", t.program("family"), "60",
                          t.program("spin"), "100")
    leaves = leaves_of(Script(script_of(t, session, "--no-inlines")))
    start = min(time - weight / 1e9 for samples in leaves.values() for time, weight, _ in samples)
    with open(export_session(t, "f.speedscope.json", session, "--no-inlines"), encoding="utf-8") as file:
        document = json.load(file)
    check(not speedscope_complaints(document), f"{speedscope_complaints(document)}")
    check(len(document["profiles"]) == len(leaves) >= 4, f"a profile for each of {len(leaves)} threads")
    for profile in document["profiles"]:
        tid = int(re.search(r"(\d+): cpu-clock:u$", profile["name"])[1])
        at, spans = profile["startValue"], []
        for stack, weight in zip(profile["samples"], profile["weights"]):
            name = document["shared"]["frames"][stack[-1]]["name"] if stack else None
            spans.append((at, at + weight, name))
            at += weight
        mine = [name if name[0] != "[" else "[unknown]" for _, _, name in spans if name]
        theirs = [name for _, _, name in leaves[tid]]
        check([k for k, _ in itertools.groupby(mine)] == [k for k, _ in itertools.groupby(theirs)], f"order of {tid}")
        for time, weight, name in leaves[tid]:
            middle = (time - start) * 1e9 - weight / 2
            near = [span for begin, end, span in spans if begin - 2 * weight <= middle <= end + 2 * weight]
            check(any(span and (span == name or span[0] == "[") for span in near), f"{tid}: {name} at {time}")


def test_go_tool_pprof_reads_a_session(t: Context) -> None:
    need_tool("go")
    session = record(t, "dwarf,8192", "paths")
    counts = folded(tree_of(t, session, "--no-inlines"))
    burning = sum(n for path, n in counts.items() if path.startswith("burn_a;"))
    path = export_session(t, "p.pb.gz", session)
    done = pprof(t, path, "-top", "-nodefraction=0", "-sample_index=samples")
    check(f"100% of {sum(counts.values())} total" in done.out, "all samples", done)
    check(re.search(rf"^ *{burning} +[\d.]+% +[\d.]+% +{burning} +[\d.]+%  burn_a$", done.out, re.M) is not None,
          f"{burning} of burn_a", done)
    done = pprof(t, path, "-top", "-lines")
    check(re.search(r"  burn_a \S*paths\.c:\d+$", done.out, re.M) is not None, "lines", done)


def test_callgrind_annotate_reads_a_session(t: Context) -> None:
    """Its totals of the program's functions are those of report's call tree."""
    session = record(t, "dwarf,8192", "paths")
    counts = folded(tree_of(t, session))
    for path in (export_session(t, name, session) for name in ("callgrind.out.paths", "p.callgrind")):
        found = annotated(t, path)
        check(found["PROGRAM TOTALS"][1] == sum(counts.values()), "all samples")
        for function in "main", "walk", "burn_a", "burn_b":
            want = sum(n for stack, n in counts.items() if function in stack.split(";"))
            got = [samples for name, (_, samples) in found.items() if f":{function} [" in name]
            check(got == [want], f"{want} of {function}: {found}")


MUTUAL = """
volatile unsigned long sum;
void f(int n);
__attribute__((noinline)) void g(int n) { for (int i = 0; i < 1000; i++) sum += i; if (n) f(n - 1); sum++; }
__attribute__((noinline)) void f(int n) { for (int i = 0; i < 1000; i++) sum += i; if (n) g(n - 1); sum++; }
int main(void) { for (int i = 0; i < 20000; i++) f(20); }
"""


def test_callgrind_annotate_in_the_folder_of_the_source(t: Context) -> None:
    """There it shortens the names of files, but not of callees."""
    source, program = t.path("mutual.c"), t.path("mutual")
    with open(source, "w") as file:
        file.write(MUTUAL)
    done = t.run(need_tool("gcc"), "-g", "-O1", "-fno-omit-frame-pointer", source, "-o", program)
    check(done.status == 0, "compiles", done)
    session = t.path("mutual.data")
    t.good("record", "-g", "--session", session, "--", program)
    counts = folded(tree_of(t, session))
    found = annotated(t, export_session(t, "callgrind.out.mutual", session), cwd=os.path.dirname(source))
    for function in "main", "f", "g":
        want = sum(n for stack, n in counts.items() if function in stack.split(";"))
        got = [samples for name, (_, samples) in found.items() if name.endswith(f"mutual.c:{function} [{program}]")]
        check(got == [want], f"{want} of {function}: {found}")


def test_a_session_without_stacks(t: Context) -> None:
    """Each function is a stack of its own; a sentence says how to get stacks."""
    session = t.path("flat.data")
    done = t.perf_record(session, "-e", "cpu-clock:u", "--", t.program("paths"), "200")
    check(done.status == 0, "perf records", done)
    done = t.ours("export", "-i", session, "-o", t.path("flat.folded"), "--no-inlines")
    check(done.status == 0 and "no call stacks" in done.err and "-g" in done.err, "a warning", done)
    lines = folded_lines(t.path("flat.folded"))
    check(lines and all(len(frames) == 2 for frames, _ in lines), f"functions alone: {lines}")


if __name__ == "__main__":
    harness.main(__name__)
