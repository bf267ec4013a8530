#!/usr/bin/python3
"""Exports of a session and of trees made by hand, opened by the programs that they are written for, and by checkers of
our own."""
import collections
import gzip
import json
import os
import re
import xml.etree.ElementTree as ElementTree

import harness
from harness import Context, Done, Skip, check, need_tool
from test_call_tree import folded, record, tree_of

FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
SVG = "{http://www.w3.org/2000/svg}"

# Function: samples of its own and with what it called, in the ordinary tree.
ORDINARY = {
    "work": (47, 85), "add": (10, 38), "carry": (20, 28), "do_syscall_64": (8, 8), "main": (5, 90),
    "[libc.so.6+0x1f00]": (5, 5), "[libc.so.6]": (0, 5), "[cut]": (0, 5),
}
SAMPLES = {"ordinary": 100, "hostile": 38}


def export(t: Context, kind: str, tree: str) -> str:
    """The path of an export by the test program; pprof packed."""
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
    """Frames and count of each line; a line that is not one fails."""
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


def test_speedscope_document_is_whole(t: Context) -> None:
    """What speedscope's schema asks for, and that numbers of frames are some."""
    for tree, samples in SAMPLES.items():
        with open(export(t, "speedscope", tree), encoding="utf-8") as file:
            document = json.load(file)
        check(document["$schema"] == "https://www.speedscope.app/file-format-schema.json", "the schema")
        frames = document["shared"]["frames"]
        for frame in frames:
            check(isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line"}, f"a frame: {frame}")
        for profile in document["profiles"]:
            check(profile["type"] == "sampled" and profile["unit"] in ("none", "nanoseconds"), "type and unit")
            check(profile["startValue"] == 0 and profile["endValue"] == sum(profile["weights"]), "the sum")
            check(len(profile["samples"]) == len(profile["weights"]), "a weight for each stack")
            check(all(0 <= number < len(frames) for stack in profile["samples"] for number in stack), "known frames")
        if tree == "ordinary":
            check(document["profiles"][0]["endValue"] == 100 * samples, "all of it")


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


# --- svg ---


def test_svg_is_xml_and_nothing_more(t: Context) -> None:
    known = {SVG + name for name in ("svg", "title", "style", "rect", "text", "g", "script")}
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


# --- a session ---


def export_session(t: Context, name: str, session: str, *more: str) -> str:
    path = t.path(name)
    check(t.good("export", "-i", session, "-o", path, *more).out == "", "nothing but the file")
    return path


def test_folded_lines_of_a_session_are_its_tree(t: Context) -> None:
    session = record(t, "dwarf,8192", "paths")
    want = collections.Counter()
    for path, count in folded(tree_of(t, session, "--no-inlines")).items():
        want[";".join(["paths"] + path.split(";")[::-1])] += count
    lines = folded_lines(export_session(t, "p.folded", session, "--no-inlines"))
    # A function of which only the beginning is known has its module there: [libc.so.6+0x271d0].
    lines = [([re.sub(r"^\[[^+\]]+\+(0x[0-9a-f]+)\]$", r"\1", frame) for frame in frames], count) for frames, count in lines]
    check({";".join(frames): count for frames, count in lines} == dict(want), f"stacks and counts: {lines}, {want}")
    weights = folded_lines(export_session(t, "w.folded", session, "--weights"))
    check(sum(n for _, n in weights) == (10**9 // 999) * sum(want.values()), "the time of all samples")
    check(t.good("export", "-i", session, "--format", "folded").out.count("\n") >= len(lines), "on standard output")


def test_all_samples_of_a_session_are_in_each_format(t: Context) -> None:
    session = record(t, "dwarf,8192", "paths")
    n_samples = sum(folded(tree_of(t, session)).values())
    with open(export_session(t, "p.speedscope.json", session), encoding="utf-8") as file:
        profile = json.load(file)["profiles"][0]
    check(profile["unit"] == "nanoseconds" and profile["name"] == "cpu-clock:u", "the event")
    check(sum(profile["weights"]) == (10**9 // 999) * n_samples, "speedscope: the time of all samples")
    root = ElementTree.parse(export_session(t, "p.svg", session)).getroot()
    check(root.find(SVG + "title").text == f"cpu-clock:u: {n_samples} samples", "svg: the title")
    names = {frame.find(SVG + "title").text.split("\n")[0] for frame in root.find(f"{SVG}g[@class='f']")}
    check({"all", "paths", "main", "walk", "burn_a", "burn_b"} <= names, f"svg: functions: {names}")
    with open(export_session(t, "p.pb.gz", session), "rb") as file:
        check(file.read(3) == b"\x1f\x8b\x08", "pprof: packed by gzip")


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


def test_a_session_without_stacks(t: Context) -> None:
    """Each function stands alone; a sentence says what would give stacks."""
    session = t.path("flat.data")
    done = t.run(need_tool("perf"), "record", "-q", "-e", "cpu-clock:u", "-o", session, "--", t.program("paths"), "200")
    check(done.status == 0, "perf records", done)
    done = t.ours("export", "-i", session, "-o", t.path("flat.folded"), "--no-inlines")
    check(done.status == 0 and "no call stacks" in done.err and "-g" in done.err, "a warning", done)
    lines = folded_lines(t.path("flat.folded"))
    check(lines and all(len(frames) == 2 for frames, _ in lines), f"functions alone: {lines}")


if __name__ == "__main__":
    harness.main(__name__)
