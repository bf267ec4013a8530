#!/usr/bin/python3
"""Archived sessions on other machines: output is the same, byte for byte, without any of the session's files."""
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess

import harness
from harness import Context, Done, check
from test_annotate import LLVM_NAMES
from test_main_job import FIB, STRIPPED, WORK, need_python

REPORTS = (
    ("report",), ("report", "-v"), ("report", "-v", "--json"), ("report", "--inlines", "--sort", "symbol,line"),
    ("report", "--sort", "pid,line", "--json"), ("report", "--sample-display-long", "--csv"), ("report", "--no-demangle"),
    ("report", "--json", "--disassemble"), ("report", "--annotate"), ("report", "--disassemble"),
)
ANNOTATES = (
    ("annotate",), ("annotate", "--json"), ("annotate", "--source"), ("annotate", "--asm"),
    ("annotate", "--asm", "-v", "-M", "intel"), ("annotate", "--source", "--asm", "-v"), ("annotate", "-v", "^_"),
    ("annotate", "--source", "^_"), ("annotate", "--json", "^_"),
) + tuple(("annotate", "--by", by, *more) for by in ("function", "inlined", "handler", "block", "line", "instruction")
          for more in ((), ("--json",)))
STACKS = (
    ("report",), ("report", "-g"), ("report", "-g", "-v", "--json"), ("report", "-g", "callee", "--no-inlines"),
    ("report", "-g", "--percent-limit", "0"), ("report", "-g", "--no-demangle", "--max-stack", "5"),
    ("export", "--format", "folded"), ("export", "--format", "folded", "--no-inlines"), ("export", "--format", "perf-script"),
    ("export", "--format", "speedscope"), ("export", "--format", "firefox"), ("export", "--format", "svg"),
    ("export", "--format", "pprof"),
)
FEW = REPORTS[1:4] + REPORTS[7:8] + ANNOTATES[1:5]

# The sanitizers need /proc; without it wperf cannot open files of the process.
WITH_PROC = 'mkdir -p "$0/proc" && mount -t proc proc "$0/proc" && exec chroot "$0" /wperf "$@"'


def libraries_of(path: str) -> set[str]:
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(/\S+) \(0x", listed))


class Elsewhere:
    """A folder with wperf, its libraries and LLVM, and nothing else; the sessions' programs are not there."""

    def __init__(self, t: Context) -> None:
        harness.need_root()
        if harness.is_sanitized(t.wperf):
            harness.need_mounts()
        self.t = t
        self.root = t.path("elsewhere")
        llvm = [path for name in LLVM_NAMES for path in glob.glob("/usr/lib/*/" + name)][:1]
        for path in {t.wperf, *llvm}.union(*(libraries_of(path) for path in (t.wperf, *llvm))):
            self.take(path, "/wperf" if path == t.wperf else path)

    def take(self, path: str, name: str) -> None:
        place = self.root + name
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(path, place)

    def ours(self, *argv: str, **options) -> Done:
        if harness.is_sanitized(self.t.wperf):
            return self.t.run("unshare", "-m", "sh", "-c", WITH_PROC, self.root, *argv, **options)
        return self.t.run("chroot", self.root, "/wperf", *argv, **options)


def show(done: Done) -> tuple[int, str, str]:
    """Without the advice where to get symbols, which depends on the files of the machine."""
    out, err = (re.sub(r"(of the samples have no symbol)[^;\n]*", r"\1", text) for text in (done.out, done.err))
    return done.status, out, err


def compare(t: Context, there: Elsewhere, here: str, packed: str, forms=REPORTS + ANNOTATES) -> None:
    """`here` where its files are, `packed` elsewhere."""
    compare_with([t.ours(*form, "-i", here) for form in forms], there, packed, forms)


def compare_with(wanted: list[Done], there: Elsewhere, packed: str, forms) -> None:
    """`wanted`: what was printed here."""
    there.take(packed, "/session.data")
    any_output = 0
    for form, want in zip(forms, wanted, strict=True):
        got = there.ours(*form, "-i", "/session.data")
        check(show(got)[:2] == show(want)[:2], f"{form}: the same as here\n{want.describe()}", got)
        check(show(got)[2] == show(want)[2], f"{form}: the same on standard error: {want.err}", got)
        any_output += len(want.out)
    check(any_output > 1000, "there was something to compare")


def archive(t: Context, *argv: str) -> Done:
    done = t.good("archive", *argv)
    check(re.fullmatch(r"archived: [\d,]+ modules?, [\d,]+ functions?(?:, [\d,]+ stacks?)?, [\d,]+ lines? of [\d,]+ source files?; "
                       r"[\d.]+ [KM]B -> [\d.]+ [KM]B\n(source: .+: \d+ lines\n)*", done.out) is not None, "a line", done)
    return done


def record(t: Context, name: str, *argv: str) -> str:
    path = t.path(name)
    t.good("record", "-q", "-F", "1999", "--session", path, *argv)
    return path


def test_a_session_of_python(t: Context) -> None:
    path = record(t, "x.data", "--timeout", "2", "--", need_python(), "-c", WORK)
    archive(t, "-i", path, "-o", t.path("packed.data"))
    compare(t, Elsewhere(t), path, t.path("packed.data"))


def test_a_session_of_the_stripped_python(t: Context) -> None:
    """Its names are in a debug file. That each form is the same elsewhere does not depend on where the names come from: a few are compared."""
    path = record(t, "x.data", "--timeout", "3", "--", need_python(STRIPPED), "-c", FIB % 32)
    archive(t, "-i", path, "-o", t.path("packed.data"))
    compare(t, Elsewhere(t), path, t.path("packed.data"), FEW)


def rows_of_perf(done: Done) -> list[str]:
    """Without the heading, which ends with a tip of the day."""
    return [line for line in done.out.splitlines() if line and not line.startswith("#")]


def test_a_session_of_perf(t: Context) -> None:
    """A program that has samples and is deleted or built again, which others do at any time, changes what is printed here. So the session
    elsewhere is compared with what was printed both before and after it was archived."""
    perf = harness.need_tool("perf")
    there = Elsewhere(t)
    path = t.path("perf.data")
    for more in (("--", need_python(), "-c", FIB % 25), ("-a", "-g", "--engine", "ring", "--", "sleep", "0.5")):
        for _ in range(8):
            done = t.perf_record(path, "-F", "999", "-e", "cpu-clock", *more)
            if done.status:
                raise harness.Skip("perf record -a")
            before = rows_of_perf(t.run(perf, "report", "--stdio", "-i", path))
            seen = [t.ours(*form, "-i", path) for form in FEW]
            archive(t, "-i", path, "-o", t.path("packed.data"))
            if list(map(show, seen)) == [show(t.ours(*form, "-i", path)) for form in FEW]:
                break
            harness.note("another program whose samples are there was deleted meanwhile: recorded again")
        compare_with(seen, there, t.path("packed.data"), FEW)
        after = t.run(perf, "report", "--stdio", "-i", t.path("packed.data"))
        check(len(before) > 5 and rows_of_perf(after) == before, "perf opens it", after)


def test_perf_opens_ours(t: Context) -> None:
    perf = harness.need_tool("perf")
    for more in ((), ("-z",)):
        path = record(t, "x.data", *more, "--", t.program("spin"), "400")
        before = t.run(perf, "script", "-i", path)
        archive(t, "-i", path)
        after = t.run(perf, "script", "-i", path)
        check(before.status == 0 and after.out == before.out and before.out, "the same samples", after)


def copy_program(t: Context, name: str) -> str:
    shutil.copy(t.program(name), t.path(name))
    return t.path(name)


def test_programs_that_were_replaced(t: Context) -> None:
    """The archive is used, not the file that is at the path now."""
    program = copy_program(t, "shapes")
    path = record(t, "s.data", "--", program, "400")
    forms = REPORTS + ANNOTATES
    before = [t.ours(*form, "-i", path) for form in forms]
    check(any("shapes.cpp" in done.out for done in before), "its lines")
    archive(t, "-i", path)
    check([show(t.ours(*form, "-i", path)) for form in forms] == [show(done) for done in before], "the same at once")
    shutil.copy(t.program("spin"), program)
    check([show(t.ours(*form, "-i", path)) for form in forms] == [show(done) for done in before], "and of another file")
    os.remove(program)
    check([show(t.ours(*form, "-i", path)) for form in forms] == [show(done) for done in before], "and of none")


def test_source_is_packed_or_not(t: Context) -> None:
    program = copy_program(t, "shapes")
    path = record(t, "s.data", "--", program, "400")
    source = t.good("annotate", "--source", "-i", path).out
    with_source = archive(t, "-i", path, "-o", t.path("with.data")).out
    without = archive(t, "-i", path, "-o", t.path("without.data"), "--strip-source").out
    check(" 0 lines of 0 source files" in without and " 0 lines" not in with_source, without + with_source)
    there = Elsewhere(t)
    there.take(t.path("with.data"), "/with.data")
    there.take(t.path("without.data"), "/without.data")
    check(there.ours("annotate", "--source", "-i", "/with.data").out == source, "the source")
    done = there.ours("annotate", "--source", "-i", "/without.data")
    check("was not found: name its folder" in done.out, "no source", done)
    # What was packed can be left out later.
    archive(t, "-i", t.path("with.data"), "--strip-source")
    with open(t.path("with.data"), "rb") as one, open(t.path("without.data"), "rb") as other:
        check(one.read() == other.read(), "nothing is left of it")


def test_code_made_at_run_time(t: Context) -> None:
    there = Elsewhere(t)
    path = record(t, "map.data", "--", t.program("jit"), "400")
    archive(t, "-i", path, "-o", t.path("packed.data"))
    check("jit_hot_loop" in t.good("report", "-i", path).out, "its names")
    compare(t, there, path, t.path("packed.data"), FEW)
    path = record(t, "dump.data", "--", t.program("jitdumper"), t.folder, "400")
    archive(t, "-i", path, "-o", t.path("packed.data"))
    compare(t, there, path, t.path("packed.data"), FEW)


def test_archived_elsewhere_again(t: Context) -> None:
    path = record(t, "x.data", "--timeout", "1", "--", need_python(), "-c", WORK)
    archive(t, "-i", path, "-o", t.path("packed.data"))
    there = Elsewhere(t)
    there.take(t.path("packed.data"), "/packed.data")
    done = there.ours("archive", "-i", "/packed.data")
    check(done.status == 0 and not done.err, "again", done)
    with open(t.path("packed.data"), "rb") as one, open(there.root + "/packed.data", "rb") as other:
        check(one.read() == other.read(), "nothing was lost")


def number_of_stacks(done: Done) -> int:
    found = re.search(r", ([\d,]+) stacks?,", done.out)
    return int(found[1].replace(",", "")) if found else 0


def check_whole(t: Context, path: str) -> int:
    """Returns the number of samples; nearly none of their stacks is cut."""
    quality = json.loads(t.good("report", "-g", "--json", "-i", path).out)["quality"]
    check(quality["samples"] > 50 and quality["cut_stacks"] < quality["samples"] / 5, f"whole stacks: {quality}")
    return quality["samples"]


def test_copies_of_stacks(t: Context) -> None:
    """The unwinder needs files; the archived stacks do not."""
    there = Elsewhere(t)
    program = copy_program(t, "paths")
    path = record(t, "x.data", "--call-graph", "dwarf,8192", "--", program, "500")
    n = check_whole(t, path)
    done = archive(t, "-i", path, "-o", t.path("packed.data"))
    check(number_of_stacks(done) == n, f"all of {n} stacks", done)
    document = json.loads(t.good("archive", "-i", path, "-o", t.path("packed.data"), "--json").out)
    check(document["stacks"] == n and not document["notes"], f"as JSON: {document}")
    compare(t, there, path, t.path("packed.data"), STACKS + FEW)
    before = [show(t.ours(*form, "-i", path)) for form in STACKS]
    shutil.copy(t.program("spin"), program)
    check([show(t.ours(*form, "-i", t.path("packed.data"))) for form in STACKS] == before, "whatever stands in the program's place")
    # Those of a filter are the same ones.
    shutil.copy(t.program("paths"), program)
    first = json.loads(t.good("report", "-v", "--json", "-i", path).out)
    check(first["quality"]["samples"] == n, "samples")
    compare(t, there, path, t.path("packed.data"), (("report", "-g", "--time", "0.1,0.3"), ("report", "-g", "-s", "walk")))
    parts = t.good("dump", "-i", t.path("packed.data")).out.split("WPERF_WALKS")[1].split("\nrecords")[0]
    check(f" samples {n}\n" in parts and re.search(r"^ +cfi [1-9]\d+$", parts, re.M) is not None, f"dump: {parts}")


def test_copies_of_stacks_of_python(t: Context) -> None:
    path = record(t, "x.data", "--call-graph", "dwarf,16384", "--timeout", "2", "--", need_python(STRIPPED), "-c", FIB % 32)
    check_whole(t, path)
    archive(t, "-i", path, "-o", t.path("packed.data"))
    compare(t, Elsewhere(t), path, t.path("packed.data"), STACKS)


def test_callers_of_stacks_unwound_while_recording(t: Context) -> None:
    """Only names are missing in such a session: they are packed, and no stack is."""
    there = Elsewhere(t)
    for program, mode in ("paths", ("-g",)), ("paths_fp", ("--call-graph", "fp")):
        path = record(t, "x.data", *mode, "--", t.program(program), "300")
        check(number_of_stacks(archive(t, "-i", path, "-o", t.path("packed.data"))) == 0, "nothing was walked")
        compare(t, there, path, t.path("packed.data"), STACKS)
        check("WPERF_WALKS" not in t.good("dump", "-i", t.path("packed.data")).out, "no section")


def test_stacks_archived_elsewhere_again(t: Context) -> None:
    """They are not unwound again, with files that are missing."""
    path = record(t, "x.data", "--call-graph", "dwarf,8192", "--", t.program("paths"), "300")
    archive(t, "-i", path, "-o", t.path("packed.data"))
    there = Elsewhere(t)
    there.take(t.path("packed.data"), "/packed.data")
    done = there.ours("archive", "-i", "/packed.data")
    check(done.status == 0 and not done.err and number_of_stacks(done) > 50, "again", done)
    with open(t.path("packed.data"), "rb") as one, open(there.root + "/packed.data", "rb") as other:
        check(one.read() == other.read(), "nothing was lost")


def test_perf_reads_copies_of_archived_sessions(t: Context) -> None:
    perf = harness.need_tool("perf")
    path = record(t, "x.data", "--call-graph", "dwarf,8192", "--", t.program("chains"), "deep", "20", "5")
    before = t.run(perf, "script", "-i", path)
    archive(t, "-i", path)
    after = t.run(perf, "script", "-i", path)
    check(before.status == 0 and after.out == before.out and before.out.count("descend") > 100, "the same stacks", after)


def damage(path: str, magic: bytes) -> None:
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content[content.rindex(magic) + 40] ^= 1
    with open(path, "wb") as file:
        file.write(content)


def test_damage_to_stacks_is_said(t: Context) -> None:
    path = record(t, "x.data", "--call-graph", "dwarf,8192", "--", t.program("chains"), "deep", "20", "5")
    want = t.good("report", "-g", "-i", path)
    flat = t.good("report", "-i", path)
    archive(t, "-i", path)
    damage(path, b"WPSW")
    done = t.ours("report", "-g", "-i", path)
    check(done.status == 0 and done.out == want.out, "files of this machine", done)
    harness.check_sentence(done, "the section of stacks in the session's archive is damaged")
    check(show(t.ours("report", "-i", path)) == show(flat), "who shows no stacks does not look")
    archive(t, "-i", path)
    check(show(t.ours("report", "-g", "-i", path)) == show(want), "packed once more")


def test_symbolize(t: Context) -> None:
    program = copy_program(t, "shapes")
    path = record(t, "s.data", "--", program, "400")
    archive(t, "-i", path, "-o", t.path("packed.data"))
    document = json.loads(t.good("report", "-v", "--json", "-i", path).out)
    addresses = [hex(pc["address"]) for pc in document["sampling"]["events"][0]["pcs"] if "shapes" in pc["in_symbol"]
                 or ":" not in pc["in_symbol"]]
    check(len(addresses) > 2, f"addresses: {document}")
    there = Elsewhere(t)
    there.take(t.path("packed.data"), "/packed.data")
    for more in ((), ("--json",), ("--no-demangle",)):
        want = t.good("symbolize", "-e", program, *more, *addresses)
        for name in (program, "shapes"):
            got = there.ours("symbolize", "--session", "/packed.data", "-e", name, *more, *addresses)
            check(show(got) == show(want), f"the same as of the file\n{want.describe()}", got)
    got = there.ours("symbolize", "--session", "/packed.data", "-e", "shapes", "0x1")
    check(got.status == 0 and got.out == "0x0000000000000001: ?? ??:0\n" and "1 of 1 addresses" in got.err, "not packed", got)
    for session, module, words in (("/packed.data", "shape", ["did you mean 'shapes'"]), ("/none.data", "x", ["/none.data"])):
        got = there.ours("symbolize", "--session", session, "-e", module, "0x1")
        check(got.status == 1, "no such thing", got)
        harness.check_sentence(got, *words)
    harness.check_sentence(t.ours("symbolize", "--session", path, "-e", "shapes", "0x1"), "wperf archive -i")


def test_a_cut_session_stays_one(t: Context) -> None:
    path = record(t, "x.data", "--", t.program("spin"), "1000")
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) * 2 // 3)
    want = t.ours("report", "-i", path)
    check("quality: " in want.out and want.status == 0, "a table", want)
    archive(t, "-i", path, "-o", t.path("packed.data"))
    check(show(t.ours("report", "-i", t.path("packed.data"))) == show(want), "the same quality", want)
    archive(t, "-i", t.path("packed.data"))
    check(show(t.ours("report", "-i", t.path("packed.data"))) == show(want), "and again", want)


def test_nothing_is_lost(t: Context) -> None:
    """A full disk, simulated by a limit on the size of files; a damaged archive; sessions that can't be archived."""
    path = record(t, "x.data", "--", t.program("spin"), "400")
    with open(path, "rb") as file:
        before = file.read()
    files = set(os.listdir(t.folder))

    def little_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2,) * 2)

    done = t.ours("archive", "-i", path, preexec_fn=little_room)
    check(done.status == 1, "no room", done)
    harness.check_sentence(done, "x.data")
    with open(path, "rb") as file:
        check(file.read() == before, "the session is as it was")
    check(set(os.listdir(t.folder)) == files, f"and nothing beside it: {os.listdir(t.folder)}")
    other = t.path("text")
    with open(other, "w", encoding="utf-8") as file:
        file.write("a text\n")
    for argv, status, words in ((("-i", path, "-o", other), 1, ["not a perf.data file"]),
                                (("-i", "-"), 2, ["standard input"]), (("-i", path, "-o", "-"), 2, ["standard output"]),
                                (("-i", t.path("none.data")), 1, ["none.data"])):
        done = t.ours("archive", *argv)
        check(done.status == status and not done.out, f"{argv}", done)
        harness.check_sentence(done, *words)


def test_damage_is_said(t: Context) -> None:
    path = record(t, "x.data", "--", t.program("spin"), "400")
    want = t.good("report", "-i", path).out
    archive(t, "-i", path)
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content[content.index(b"WPSY") + 60] ^= 1
    with open(path, "wb") as file:
        file.write(content)
    done = t.ours("report", "-i", path)
    check(done.status == 0 and done.out == want, "files of this machine", done)
    harness.check_sentence(done, "the session's archive is damaged")


def test_a_link_stays_one(t: Context) -> None:
    path = record(t, "x.data", "--", t.program("spin"), "400")
    os.makedirs(t.path("folder"))
    os.rename(path, t.path("folder/x.data"))
    os.symlink("folder/x.data", path)
    size = os.path.getsize(path)
    archive(t, "-i", path)
    check(os.path.islink(path) and os.path.getsize(path) > size, "what it names was packed")
    check(os.listdir(t.path("folder")) == ["x.data"], "in its place")


def test_json_and_quiet(t: Context) -> None:
    path = record(t, "x.data", "--", t.program("spin"), "400")
    size = os.path.getsize(path)
    document = json.loads(t.good("archive", "-i", path, "--json").out)
    check(document["bytes_before"] == size and document["bytes_after"] == os.path.getsize(path), f"sizes: {document}")
    check(document["functions_whole"] == document["functions"] > 0 and not document["notes"], f"all of it: {document}")
    check(t.good("archive", "-q", "-i", path).out == "", "not a word")
    check(oct(os.stat(path).st_mode & 0o777) == "0o600", "for its owner alone")


if __name__ == "__main__":
    harness.main(__name__)
