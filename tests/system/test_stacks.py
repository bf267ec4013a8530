#!/usr/bin/python3
"""Call stacks that record and sample take, as perf script shows them: they have only paths of the program."""
import collections
import errno
import glob
import json
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

import harness
from call_trees import folded, is_loading, paths_of
from harness import Context, Skip, check
from own_samples import sample_its_work

# Paths of tests/system/chains.c, innermost function first; frames of the C library are left out.
OURS = ("burn", "descend", "compare", "sort_all", "in_handler", "on_signal", "interrupted", "child_work", "parent_work",
        "before_exec", "task", "worker", "run_fork", "run_exec", "run_pool", "main")
PATHS = {
    "deep": r"(burn )?(descend )*main",
    "sort": r"((burn )?compare )?sort_all main",
    "signal": r"((in_handler )?on_signal )?((burn )?interrupted )?main",
    "fork": r"((burn )?(child_work|parent_work) )?(run_fork )?main",
    "exec": r"((burn )?(before_exec |(descend )+))?(run_exec )?main",
    "pool": r"((burn )?task )?worker|(run_pool )?main",
}
OUTERMOST = ("_start", "__clone3", "clone3", "__clone", "clone", "_dl_start_user")
SAMPLE = re.compile(r"^\S.*? +(\d+)(?:/(\d+))? ")


@dataclass
class Stack:
    """One sample: functions, innermost first, and addresses."""

    tid: int
    names: list[str]
    addresses: list[int]

    def ours(self) -> str:
        return " ".join(name for name in self.names if name in OURS)

    def is_whole(self) -> bool:
        """Without debug information the C library's two functions that call a thread's function have no names."""
        return self.names[-1] in OUTERMOST or self.names[-3:] == ["worker", "[unknown]", "[unknown]"]


def stacks_of(t: Context, session: str = "wperf.data") -> list[Stack]:
    """perf's stacks of the samples; samples without a frame have none."""
    perf = harness.need_tool("perf")
    done = t.run(perf, "script", "--no-inline", "--max-stack", "10000", "-F", "comm,tid,ip,sym", "-i", t.path(session))
    check(done.status == 0, "perf script", done)
    stacks: list[Stack] = []
    for line in done.out.splitlines():
        words = line.split()
        if not words:
            continue
        if not line[0].isspace():
            stacks.append(Stack(int(words[-1]), [], []))
            continue
        name = " ".join(words[1:]) or "[unknown]"
        stacks[-1].addresses.append(int(words[0], 16))
        stacks[-1].names.append(re.split(r"[.@]", name)[0])
    return [stack for stack in stacks if stack.names]


def check_paths(stacks: list[Stack], mode: str, whole_percent: float = 99) -> None:
    """Only stacks that the program can have, and nearly none that ends early."""
    pattern = re.compile(PATHS[mode])
    inside = [stack for stack in stacks if stack.ours()]
    check(len(inside) > 50, f"{len(inside)} stacks in the program, of {len(stacks)}")
    for stack in inside:
        found = stack.is_whole()
        check(not found or pattern.fullmatch(stack.ours()) is not None, f"impossible path: {stack.names}")
    whole = sum(stack.is_whole() for stack in inside)
    harness.note(f"{mode}: {whole} of {len(inside)} stacks are whole")
    check(100 * whole >= whole_percent * len(inside),
          f"{whole} of {len(inside)} reach the outermost frame; one does not: "
          f"{next((s.names for s in inside if not s.is_whole()), None)}")


def test_fp_is_walked_by_the_kernel(t: Context) -> None:
    t.good("record", "--call-graph", "fp", "--", t.program("chains_fp"), "deep", "50", "20")
    inside = [stack for stack in stacks_of(t) if stack.ours()]
    pattern = re.compile(r"(burn )?(descend ){20,21}main")
    found = sum(pattern.fullmatch(stack.ours()) is not None for stack in inside)
    check(len(inside) > 50 and found >= 0.95 * len(inside), f"{found} of {len(inside)}: {inside[0].names}")


def test_dwarf_copies_are_unwound_by_perf(t: Context) -> None:
    for argv in (["--call-graph", "dwarf"], ["--call-graph=dwarf,16384", "-z"]):
        t.good("record", *argv, "--", t.program("chains"), "deep", "30", "20")
        stacks = stacks_of(t)
        check_paths(stacks, "deep", 95)
        check(any(stack.ours() == "burn " + "descend " * 21 + "main" for stack in stacks), "the whole path")


def test_dwarf_copies_of_an_attached_process(t: Context) -> None:
    target = t.started_ready(t.program("chains"), "wait", "100")
    sample_its_work(t, target.pid, 400, "--call-graph", "dwarf", "-p", str(target.pid))
    check_paths(stacks_of(t), "deep", 95)


def marks_of(t: Context) -> dict[str, int]:
    """What the session says of its stacks."""
    done = t.good("dump")
    part = done.out.split("WPERF_STACKS")[1].split("\nrecords")[0]
    return {key: int(value) for key, value in re.findall(r"^ +([\w-]+) (\d+)$", part, re.M)}


def record_and_check(t: Context, mode: str, units: int, more: int, *options: str) -> list[Stack]:
    t.good("record", "-g", *options, "--", t.program("chains"), mode, str(units), str(more))
    stacks = stacks_of(t)
    check_paths(stacks, mode)
    return stacks


def check_marks(t: Context, stacks: list[Stack]) -> None:
    """The section counts what the samples have."""
    marks = marks_of(t)
    frames = sum(marks[way] for way in ("registers", "cfi", "fp", "signal", "pe", "stub"))
    ends = sum(marks[end] for end in ("outermost", "zero", "cut", "limit", "endless", "no_module", "no_rule", "damaged", "far",
                                      "no_file", "32-bit", "malformed_cfi", "malformed_pe", "unsupported_pe", "no_register",
                                      "unreadable", "no_code", "no_start", "other_machine"))
    check(marks["samples"] == len(stacks), f"{len(stacks)} samples in {marks}")
    check(ends == len(stacks), f"walks in {marks}")
    check(frames == sum(len(stack.addresses) for stack in stacks), f"frames in {marks}")
    check(marks["unwind_ns"] > 0, f"time in {marks}")


def test_chains_of_deep_calls(t: Context) -> None:
    stacks = record_and_check(t, "deep", 50, 60)
    check(any(stack.ours() == "burn " + "descend " * 61 + "main" for stack in stacks), "the whole path")
    check_marks(t, stacks)


def test_chains_have_the_sampled_address_and_no_more_fields(t: Context) -> None:
    t.good("record", "-g", "--", t.program("chains"), "deep", "20", "3")
    done = t.good("dump")
    samples = re.findall(r"SAMPLE  misc 0x2 size (\d+)  .* ip (0x[0-9a-f]+) .* chain \[(.*)\]", done.out)
    check(len(samples) > 20, f"{len(samples)} samples")
    for size, address, chain in samples:
        numbers = chain.split()
        check(numbers[:2] == ["0xfffffffffffffe00", address], f"chain {chain} of {address}")
        check(int(size) == 72 + 8 * (len(numbers) - 1), f"{size} bytes for {len(numbers) - 1} frames")


def test_perf_report_takes_the_chains(t: Context) -> None:
    t.good("record", "-g", "-z", "--", t.program("chains"), "deep", "30", "3")
    done = t.run(harness.need_tool("perf"), "report", "-g", "--stdio", "--no-inline", "-i", t.path("wperf.data"))
    check(done.status == 0 and "--descend" not in done.err, "perf report", done)
    check(re.search(r"_start\n(.*\n)*?.*main\n +descend\n +descend\n +descend\n +descend\n +burn", done.out) is not None,
          "the chain in perf's tree", done)


def test_too_deep_is_cut(t: Context) -> None:
    for mode, depth in ("deep", 5000), ("wide", 40):
        done = t.good("record", "-g", "--", t.program("chains"), mode, "30", str(depth))
        marks = marks_of(t)
        check(marks["cut_stacks"] == marks["samples"] - marks["outermost"], f"{marks}", done)
        check(marks["cut"] >= 0.9 * marks["samples"] > 20, f"cut in {marks}", done)
        inside = [stack for stack in stacks_of(t) if "burn" in stack.names]
        check(all(re.fullmatch("burn( descend)+|burn( descend_wide)+", " ".join(stack.names)) for stack in inside),
              f"only what the program does: {inside[0].names}")
        report = t.good("report", "-g", "--percent-limit", "5")
        for told in (report, done, t.good("report")):
            check(f" {marks['cut_stacks']} cut stacks" in told.out, "they are counted", told)
        check(re.search(r"^ +\d+\.\d\d +\d+\.\d\d \* \[cut\] > descend", report.out, re.M) is not None, "and marks them", report)


def test_thousands_of_frames_are_whole(t: Context) -> None:
    """The kernel takes 127 frames; a record can have 8,000."""
    for how in "unwind", "dwarf":
        t.good("record", "--call-graph", f"{how},65528", "--", t.program("chains"), "deep", "100", "3000")
        told = t.good("report", "-g")
        check(" 0 cut stacks" in told.out, "all are whole", told)
        check(re.search(r" > main \[chains\] > descend \(300[01] times\) > burn", told.out) is not None, "the path", told)
    stacks = [stack for stack in stacks_of(t) if "burn" in stack.names]
    check(len(stacks) > 20 and all(3000 < len(stack.names) < 3020 for stack in stacks), f"{len(stacks[0].names)} frames for perf")


Cut = collections.Counter[str]
NO_FRAME_POINTERS = "the chain of frame pointers ends: record with -g to unwind"


def cut_of(t: Context, *argv: str) -> Cut | None:
    """The number of cut stacks in the quality line, for each reason; None if stacks were not unwound."""
    told = t.good(*argv)
    found = re.search(r"^quality: .*? (\d+) cut stacks(?: \((.*?)\))?", told.out, re.M)
    if found is None:
        check(", stacks not unwound" in told.out, "the quality line", told)
        return None
    cut: Cut = collections.Counter()
    for reason in found[2].split("; ") if found[2] else ():
        numbered = re.fullmatch(r"(\d+): (.*)", reason)
        cut[numbered[2] if numbered else reason] += int(numbered[1] if numbered else found[1])
    check(cut.total() == int(found[1]), f"the reasons count {cut.total()} stacks", told)
    return cut


def check_cut_by(cut: Cut | None, why: str) -> None:
    """At least 20 stacks are cut, nearly all for this reason: one sample in the loader may have another."""
    check(cut is not None and cut[why] > 20 and cut[why] >= 0.95 * cut.total(), f"{cut}")


def test_chains_of_the_kernel_are_judged(t: Context) -> None:
    """Without frame pointers no call chain reaches an outermost function; with them those of all threads do."""
    for program, mode, more, whole in (("chains", "deep", 20, False), ("chains_fp", "deep", 20, True),
                                       ("chains_fp", "pool", 3, True), ("chains_fp", "deep", 300, False)):
        done = t.good("record", "--call-graph", "fp", "--", t.program(program), mode, "40", str(more))
        samples = harness.quality_of(done)["samples"]
        for argv in ("report",), ("report", "-g"):
            cut = cut_of(t, *argv)
            harness.note(f"{program} {mode} {more}: of {samples} cut {dict(cut)}")
            check(samples > 50, f"{samples} samples")
            check(cut.total() <= 0.02 * samples if whole else cut.total() >= 0.98 * samples, f"{cut} of {samples}", done)
            if not whole:
                check_cut_by(cut, "deeper than 127 frames" if more == 300 else NO_FRAME_POINTERS)
        marked = "[cut]" in t.good("report", "-g").out
        check(marked if not whole else bool(cut) or not marked, "the mark in the tree")


def test_copies_that_nobody_looked_at_are_not_called_whole(t: Context) -> None:
    done = t.good("record", "--call-graph", "dwarf", "--", t.program("chains"), "deep", "30", "3")
    check(", stacks not unwound (wperf report -g unwinds them)" in done.out, "said at once", done)
    check(cut_of(t, "report") is None, "said by report")
    check(json.loads(t.good("report", "--json").out)["quality"]["cut_stacks"] is None, "null in JSON")
    check(cut_of(t, "report", "-g") == {}, "-g looks at them")


def test_dump_names_the_registers(t: Context) -> None:
    t.good("record", "--call-graph", "dwarf", "--", t.program("chains"), "deep", "30", "3")
    samples = [record for record in json.loads(t.good("dump", "--json").out)["records"] if "regs_user" in record]
    check(len(samples) > 20 and all(sample["regs_user"]["IP"] == sample["ip"] for sample in samples), f"{len(samples)} samples")


def need_32_bit(t: Context, program: str) -> None:
    """Some kernels do not run 32-bit programs (ENOEXEC), and some systems have no loader for them (ENOENT)."""
    try:
        t.run(program, "1")
    except OSError as error:
        if error.errno not in (errno.ENOEXEC, errno.ENOENT):
            raise
        raise Skip(f"a system that runs 32-bit programs: {error.strerror}") from None


def test_32_bit_processes_are_cut(t: Context) -> None:
    program = t.program("plt_calls_32")
    need_32_bit(t, program)
    for how in ["-g"], ["--call-graph", "dwarf"]:
        t.good("record", *how, "--", program, "200")
        check_cut_by(cut_of(t, "report", "-g"), "32-bit code is not unwound")


def test_longer_copies_do_not_help_on_another_stack(t: Context) -> None:
    t.good("record", "--call-graph", "unwind,4096", "--", t.program("altstack"), "200")
    check_cut_by(cut_of(t, "report", "-g"), "the callers are on another stack, which was not copied")


def check_cause(t: Context, key: str, why: str) -> None:
    """In the quality line and in JSON; for stacks unwound while recording also in the session."""
    cut = cut_of(t, "report", "-g")
    check_cut_by(cut, why)
    told = json.loads(t.good("report", "-g", "--json").out)["quality"]["cut_by"]
    check(told[key] == cut[why] and sum(told.values()) == cut.total(), f"{told} for {cut}")
    if "WPERF_STACKS" in t.good("dump").out:
        check(marks_of(t)[key] == cut[why], f"{marks_of(t)} for {cut}")


def check_cut_module(t: Context, name: str, argv: list[str]) -> None:
    """Nearly all cut stacks end in this module, and the messages say so."""
    told = t.good(*argv)
    found = re.search(r"^poor: .*?\d+ % of the stacks are cut, most of them \((\d+) %\) in (\S+?)(;|$)", told.out, re.M)
    check(found is not None and found[2] == name and int(found[1]) >= 95, f"{name} is named", told)
    quality = json.loads(t.good(*argv, "--json").out)["quality"]
    check(quality["cut_module"]["module"] == name, f"{quality}")
    check(0.95 * quality["cut_stacks"] <= quality["cut_module"]["stacks"] <= quality["cut_stacks"], f"{quality}")


def test_wrong_frame_pointers_have_causes(t: Context) -> None:
    for mode, key, why in (("nowhere", "no_module", "an address is outside all mapped modules"),
                           ("above", "unreadable", "unwinding needs memory outside the stack"),
                           ("below", "endless", "the stack pointer moved backwards or did not move")):
        for how in "unwind", "dwarf":
            t.good("record", "--call-graph", f"{how},65528", "--", t.program("wrong_frames"), mode, "200")
            check_cause(t, key, why)


def break_frames(t: Context, program: str, old: bytes, new: bytes) -> str:
    """A copy of the program in which bytes of .eh_frame are changed."""
    objcopy = harness.need_tool("objcopy")
    broken, section = t.path("broken"), t.path("section")
    done = t.run(objcopy, "-O", "binary", "--only-section=.eh_frame", program, section)
    check(done.status == 0, "objcopy", done)
    with open(section, "rb+") as file:
        content = file.read()
        check(old in content, f"{old!r} in .eh_frame")
        file.seek(0)
        file.write(content.replace(old, new))
    done = t.run(objcopy, "--update-section", f".eh_frame={section}", program, broken)
    check(done.status == 0, "objcopy", done)
    return broken


def test_malformed_call_frame_information_is_a_cause(t: Context) -> None:
    """Unknown instructions, then CIEs of an unknown version; .eh_frame_hdr finds the entries."""
    if os.uname().machine != "x86_64":
        raise Skip("the call-frame information of x86-64")
    for old, new in ((b"\x0c\x07\x08\x90\x01", b"\x3e\x3e\x3e\x3e\x3e"), (b"\x01zR\0", b"\x09zR\0")):
        program = break_frames(t, t.program("chains"), old, new)
        for how in "unwind", "dwarf":
            t.good("record", "--call-graph", how, "--", program, "deep", "30", "3")
            check_cause(t, "malformed_cfi", "malformed call-frame information")
            check_cut_module(t, os.path.basename(program), ["report", "-g"])
            if how == "unwind":
                check_cut_module(t, os.path.basename(program), ["report"])


def test_a_program_whose_file_is_gone(t: Context) -> None:
    shutil.copy(t.program("chains"), t.path("gone"))
    t.good("record", "--call-graph", "dwarf", "--", t.path("gone"), "deep", "30", "3")
    os.remove(t.path("gone"))
    check_cut_by(cut_of(t, "report", "-g"), "the file of a module can't be read")


def test_musl_is_whole_at_its_start_code(t: Context) -> None:
    """musl has no call-frame information: stacks of samples in it are cut, those of functions that it calls are whole."""
    compiler = harness.need_tool("musl-gcc")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chains.c")
    for link in [], ["-static"]:
        done = t.run(compiler, "-O2", "-fomit-frame-pointer", "-pthread", *link, "-o", t.path("musl"), source)
        check(done.status == 0, "musl-gcc", done)
        for mode, inside in ("deep", "burn;descend"), ("pool", "burn;task"):
            t.good("record", "-g", "--", t.path("musl"), mode, "60", "5")
            paths = tree_of(t)
            ours = {path: n for path, n in paths.items() if inside in path}
            cut = sum(n for path, n in ours.items() if path.endswith("[cut]"))
            harness.note(f"{mode} {link}: {cut} of {sum(ours.values())} cut")
            check(sum(ours.values()) > 50 and cut <= 0.02 * sum(ours.values()), f"{cut} cut: {list(ours)[:2]}")


def test_longer_copies_reach_further(t: Context) -> None:
    for mode in "unwind", "dwarf":
        for size in (8192, 65528):
            t.good("record", "--call-graph", f"{mode},{size}", "--", t.program("chains"), "wide", "30", "8")
            cut = cut_of(t, "report", "-g")
            if size == 8192:
                check_cut_by(cut, f"too little of the stack was copied: --call-graph {mode},65528")
            else:
                check(cut.total() <= 20, f"{mode},{size}: {cut}")
                check(not any("too little" in reason for reason in cut), f"{mode},{size}: {cut}")


def test_report_says_how_frames_were_found(t: Context) -> None:
    t.good("record", "-g", "--", t.program("chains"), "deep", "100", "20")
    marks = marks_of(t)
    report = t.good("report", "-g")
    check(re.search(rf"^stacks: {marks['cfi']:,} frames by call-frame information, unwound while recording in \d+\.\d ms$",
                    report.out, re.M) is not None, f"{marks}", report)
    tree = re.search(r"^ +\d+\.\d\d +\d+\.\d\d \* _start \[chains\] .*$", report.out, re.M)
    check(tree is not None and " > descend (20 times) > burn" in report.out.replace("21 times", "20 times"), "the path", report)


def test_chains_through_the_c_library(t: Context) -> None:
    stacks = record_and_check(t, "sort", 12, 0)
    inside = [stack for stack in stacks if "compare" in stack.names]
    check(len(inside) > 50, f"{len(inside)} samples in compare")
    between = [stack.names[stack.names.index("compare") + 1:stack.names.index("sort_all")] for stack in inside]
    check(all(between), "frames of the C library between compare and sort_all")


def test_chains_through_signal_handlers(t: Context) -> None:
    stacks = record_and_check(t, "signal", 60, 0)
    inside = [stack for stack in stacks if "on_signal" in stack.names and "burn" in stack.names]
    check(len(inside) > 30, f"{len(inside)} samples of {len(stacks)} in handlers over burn")


def test_a_frame_larger_than_the_largest_copy(t: Context) -> None:
    t.good("record", "--call-graph", "unwind,65528", "--", t.program("large_frame"), "200")
    check_cut_by(cut_of(t, "report", "-g"), "the stack is larger than the largest copy")


def libc_has_debug_symbols() -> bool:
    """Debian's libc6-dbg is installed."""
    notes = subprocess.run(["readelf", "-n", "/lib/x86_64-linux-gnu/libc.so.6"], capture_output=True, text=True, check=False)
    found = re.search(r"Build ID: (..)(\w+)", notes.stdout)
    return found is not None and os.path.exists(f"/usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug")


def test_a_function_that_is_interrupted_at_its_first_instruction(t: Context) -> None:
    """Its address is no return address, nor is that of the code to which the handler returns."""
    for way in "unwind", "fp":
        t.good("record", "--call-graph", way, "--", t.program("interrupted"))
        folded = [line.rsplit(" ", 1)[0] for line in t.run(t.wperf, "export", "--format", "folded", "-o", "-").out.splitlines()]
        inside = [line for line in folded if line.endswith(";work")]
        check(len(inside) > 0 and not any("neighbour" in line for line in folded), f"{way}: {folded}")
        if way == "unwind":
            check(all(re.search(r";main;stands_still;[^;]+;on_timer;work$", line) for line in inside), f"{inside}")
        if libc_has_debug_symbols():
            check(all(";__restore_rt;" in line for line in inside), f"{way}: {inside}")


def test_chains_of_a_forked_child(t: Context) -> None:
    stacks = record_and_check(t, "fork", 40, 0)
    for name in ("parent_work", "child_work"):
        check(sum(name in stack.names for stack in stacks) > 50, f"samples of {name}")


def test_chains_after_exec(t: Context) -> None:
    stacks = record_and_check(t, "exec", 20, 2)
    check(sum("before_exec" in stack.names for stack in stacks) > 50, "samples before")
    check(sum("descend" in stack.names for stack in stacks) > 25, "samples after")


def test_chains_of_an_attached_process(t: Context) -> None:
    target = t.started_ready(t.program("chains"), "wait", "150")
    sample_its_work(t, target.pid, 400, "-g", "-p", str(target.pid))
    check_paths(stacks_of(t), "deep")


def test_chains_of_all_processes(t: Context) -> None:
    harness.need_root()
    target = t.started_ready(t.program("chains"), "wait", "200")
    sample_its_work(t, target.pid, 400, "-g", "--engine", "ring", "-a", "-k")
    check_paths([stack for stack in stacks_of(t) if "descend" in stack.names], "deep")


def test_a_chain_of_the_kernel_goes_on_in_user_code(t: Context) -> None:
    harness.need_root()
    t.good("record", "-g", "-k", "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=16M", "count=200", "status=none")
    done = t.good("dump")
    chains = re.findall(r"SAMPLE  misc 0x[14]001 .* chain \[(0xffffffffffffff80 .*)\]", done.out)
    chains += re.findall(r"SAMPLE  misc 0x1 .* chain \[(0xffffffffffffff80 .*)\]", done.out)
    both = [chain for chain in chains if " 0xfffffffffffffe00 " in chain]
    check(len(chains) > 20 and len(both) > 0.9 * len(chains), f"{len(both)} of {len(chains)} kernel chains have both parts")


def test_the_call_that_starts_a_thread_has_callers(t: Context) -> None:
    """glibc ends its call-frame information before that system call, because the new thread returns from it too."""
    harness.need_root()
    python = "/usr/bin/python3.11"
    if not os.path.exists(python):
        raise Skip(python)
    work = "import threading\nfor _ in range(6000):\n    t = threading.Thread(target=int)\n    t.start()\n    t.join()"
    t.good("record", "-q", "-g", "-k", "--engine", "ring", "-F", "9999", "--", python, "-c", work)
    done = t.good("export", "--format", "folded")
    starts = [line.rsplit(" ", 1) for line in done.out.splitlines() if ";copy_process" in line]
    n_all = sum(int(n) for _, n in starts)
    n_called = sum(int(n) for stack, n in starts if ";Py_BytesMain;" in stack)
    harness.note(f"{n_called} of {n_all} samples that copy a thread have the whole path")
    check(n_all > 100 and n_called >= 0.99 * n_all, f"{n_called} of {n_all}: "
          f"{next((stack for stack, _ in starts if ';Py_BytesMain;' not in stack), None)}")


def test_a_process_between_two_programs_says_so(t: Context) -> None:
    """In execve the old stack is freed before the new program begins: then there are no callers to find."""
    harness.need_root()
    t.good("record", "-q", "-g", "-k", "-F", "9999", "--", "sh", "-c", "for i in $(seq 300); do /bin/true; done")
    quality = harness.document_of(t.good("report", "--json", "--stdio", "-g"))["quality"]
    lines = [line for line in t.good("export", "--format", "folded").out.splitlines() if ";[cut];" in line]
    inside = sum(int(line.rsplit(" ", 1)[1]) for line in lines if ";bprm_execve;" in line)
    harness.note(f"{inside} samples in execve of {quality['cut_stacks']} cut stacks, by cause: {quality['cut_by']}")
    check(quality["cut_by"].get("exec", 0) >= max(0.97 * inside, 20), f"{inside}: {quality['cut_by']}")
    check(quality["cut_by"].get("no_module", 0) <= 0.01 * quality["samples"], f"{quality}")


def test_python_reaches_the_outermost_frame(t: Context) -> None:
    python = "/usr/bin/python3.11"
    if not os.path.exists(python):
        raise Skip(python)
    work = "import time\nwhile time.process_time() < 2: 10**10**5"
    t.good("record", "-g", "--engine", "ring", "--", python, "-c", work)
    stacks = stacks_of(t)
    whole = sum(stack.is_whole() for stack in stacks)
    harness.note(f"{whole} of {len(stacks)} stacks are whole")
    check(len(stacks) > 200 and whole >= 0.99 * len(stacks), f"{whole} of {len(stacks)}")
    check_marks(t, stacks)


def test_python_in_imports_reaches_the_outermost_frame(t: Context) -> None:
    python = "/usr/bin/python3.11"
    if not os.path.exists(python):
        raise Skip(python)
    work = ("import sys, importlib\n"
            "for _ in range(6):\n"
            "    before = set(sys.modules)\n"
            "    for name in 'asyncio unittest http.server email.mime.text xml.dom.minidom decimal pydoc'.split():\n"
            "        importlib.import_module(name)\n"
            "    for name in set(sys.modules) - before: del sys.modules[name]\n")
    t.good("record", "-g", "--", python, "-c", work)
    stacks = stacks_of(t)
    marks = marks_of(t)
    harness.note(f"{marks['outermost']} of {marks['samples']} walks reach the outermost frame")
    check(marks["samples"] > 100 and marks["outermost"] >= 0.99 * marks["samples"], f"{marks}")
    check(marks["samples"] == len(stacks), f"{len(stacks)} in perf script, {marks}")


TRAMPOLINE_DEPTH = 30


def call_tree(t: Context) -> dict:
    return json.loads(t.good("report", "-g", "--no-inlines", "--json").out)["call_trees"][0]


def tree_of(t: Context) -> dict[str, int]:
    """Paths of the call tree, `burn;work;main`, with their samples."""
    return folded(call_tree(t))


def check_trampolines(t: Context, name: str) -> None:
    """Each call uses a trampoline, and every stack reaches the outermost frame."""
    document = call_tree(t)
    paths, total = folded(document), sum(n for path, n in paths_of(document) if not is_loading(path))
    want = f"evaluate{f';{name};evaluate' * TRAMPOLINE_DEPTH};main;"
    got = sum(n for path, n in paths.items() if want in path)
    harness.note(f"{got} of {total} samples after the loader have {TRAMPOLINE_DEPTH} trampolines and main")
    check(total > 100 and got >= 0.98 * total, f"{got} of {total}: {list(paths)[:2]}")
    cut = cut_of(t, "report", "-g")
    harness.note(f"cut: {dict(cut)}")
    check(cut.total() <= 0.01 * total, f"hardly any is cut: {cut} of {total}")


def test_trampolines_of_cpython_are_stepped(t: Context) -> None:
    for how in (["-g"], ["--call-graph", "dwarf"]):
        t.good("record", *how, "--", t.program("trampolines"), "300", str(TRAMPOLINE_DEPTH), t.folder, "map")
        check_trampolines(t, "py::trampoline")


def test_unwinding_information_of_a_jitdump_is_used(t: Context) -> None:
    for how in (["-g"], ["--call-graph", "dwarf"]):
        t.good("record", *how, "--", t.program("trampolines"), "300", str(TRAMPOLINE_DEPTH), t.folder, "dump")
        check_trampolines(t, "trampoline")


def test_plt_entries_without_call_frame_information(t: Context) -> None:
    # A sample in the single jump of a static program's entry is rare, so only the paths are checked there.
    for program, in_plt, is_often in ("plt_calls_lld", r"(abs|strlen)@plt", True), ("plt_calls_static", r"strlen@plt", False):
        for how in (["-g"], ["--call-graph", "dwarf,4096"]):
            t.good("record", "-F", "4999", *how, "--", t.program(program), "800")
            paths = tree_of(t)
            stubs = {path: n for path, n in paths.items() if re.match(in_plt + ";", path)}
            strays = [path for path in stubs if not re.search(r";(left|right);main;", path)]
            harness.note(f"{program}: {sum(stubs.values())} of {sum(paths.values())} samples in PLT entries")
            check(sum(stubs.values()) > 0 or not is_often, f"samples in PLT entries: {list(paths)}")
            check(sum(stubs[path] for path in strays) <= 0.01 * sum(paths.values()), f"paths from them: {strays}")


def python_with_trampolines() -> str:
    """CPython 3.12 or later, from PATH or built by pyenv."""
    found = [shutil.which(f"python3.{minor}") for minor in range(12, 20)]
    found += glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[2-9].*/bin/python3.1[2-9]"))
    for python in filter(None, found):
        asked = subprocess.run([python, "-X", "perf", "-c", ""], capture_output=True, check=False)
        if asked.returncode == 0:
            return python
    raise Skip("CPython 3.12 or later with -X perf")


def test_python_x_perf_reaches_the_outermost_frame(t: Context) -> None:
    python = python_with_trampolines()
    work = "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfor _ in range(4): fib(27)"
    t.good("record", "-g", "--engine", "ring", "--", python, "-X", "perf", "-c", work)
    marks = marks_of(t)
    harness.note(f"{marks['outermost']} of {marks['samples']} walks reach the outermost frame")
    check(marks["samples"] > 100 and marks["outermost"] >= 0.99 * marks["samples"], f"{marks}")
    paths = tree_of(t)
    fibs = sum(n for path, n in paths.items() if "py::<module>:<string>" in path and "py::fib:<string>" in path)
    check(fibs >= 0.5 * sum(paths.values()), f"{fibs} samples in fib of {sum(paths.values())}")


def test_program_of_another_mount_namespace(t: Context) -> None:
    harness.need_root()
    harness.need_tool("unshare")
    os.makedirs(t.path("inner"))
    inside = 'mount -t tmpfs none "$1" && cp "$2" "$1/hidden" && shift 2 && exec "$@"'
    done = t.ours("record", "-g", "--", "unshare", "-mpf", "--mount-proc", "sh", "-c", inside, "sh", t.path("inner"),
                  t.program("chains"), t.path("inner/hidden"), "deep", "60", "3")
    if done.status:
        raise Skip("mount and PID namespaces")
    marks = marks_of(t)
    check(marks["outermost"] >= 0.99 * marks["samples"] > 50, f"{marks}", done)
    check(marks["cfi"] > 5 * marks["samples"], f"frames of the hidden program in {marks}")


def test_deleted_program(t: Context) -> None:
    shutil.copy(t.program("chains"), t.path("gone"))
    target = t.started_ready(t.path("gone"), "wait", "150")
    os.remove(t.path("gone"))
    sample_its_work(t, target.pid, 400, "-g", "-p", str(target.pid))
    marks = marks_of(t)
    check(marks["outermost"] >= 0.99 * marks["samples"] > 50, f"{marks}")


def lost_of(t: Context, hz: int) -> tuple[int, int]:
    done = t.ours("record", "-g", "-F", str(hz), "--", t.program("chains"), "pool", "100", "4")
    quality = harness.quality_of(done)
    marks = marks_of(t)
    check(marks["samples"] == quality["samples"], f"{marks} for {quality}")
    check_paths(stacks_of(t), "pool")
    return quality["samples"], quality["lost"]


@harness.limit(100)
def test_nothing_is_lost_under_load(t: Context) -> None:
    samples, lost = lost_of(t, 999)
    check(samples > 1000 and lost == 0, f"{lost} lost of {samples} at 999 Hz")
    if not harness.is_sanitized(t.wperf):
        harness.note("at 4999 Hz %d samples, %d lost" % lost_of(t, 4999))


@harness.limit(100)
def test_a_late_sink_loses_nothing(t: Context) -> None:
    """The session goes to a pipe that nobody reads for a while, so the recorder can't unwind; the kernel's rings hold a third of a second."""
    recorder = t.start(t.wperf, "record", "-q", "-g", "-F", "999", "--session", "-", "--", t.program("chains"), "pool", "100", "4", stdout=subprocess.PIPE)
    with open(t.path("piped.data"), "wb") as file:
        file.write(recorder.stdout.read(65536))
        time.sleep(3)
        shutil.copyfileobj(recorder.stdout, file)
    check(recorder.wait() == 0, f"exit status {recorder.returncode}")
    quality = harness.document_of(t.good("report", "--json", "-i", t.path("piped.data")))["quality"]
    harness.note(f"{quality['samples']} samples, {quality['lost']} lost")
    check(quality["samples"] > 1000 and 100 * quality["lost"] <= quality["samples"], f"{quality}")


# What a program and its child have: scheduling policies and nice values.
PRIORITIES = "import os, subprocess, sys, time\n" \
             "print(os.sched_getscheduler(0), os.nice(0), flush=True)\n" \
             "if len(sys.argv) < 2: subprocess.run([sys.executable, __file__, 'child'], check=True)\n" \
             "time.sleep(0.5)\n"


def priorities_of_threads(pid: int) -> dict[str, tuple[int, int]]:
    """Policy and nice value of each thread by its name (proc(5)).  The name is read last: a thread of wperf takes it first."""
    found = {}
    for path in glob.glob(f"/proc/{pid}/task/*"):
        try:
            with open(f"{path}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            with open(f"{path}/comm", encoding="utf-8") as file:
                found[file.read().rstrip("\n")] = (int(fields[38]), int(fields[16]))
        except OSError:
            continue  # the thread has ended
    return found


def test_only_threads_with_little_work_have_priority(t: Context) -> None:
    """The drainer, and root's thread that finds interpreters for the BPF program."""
    own = (os.sched_getscheduler(0), os.nice(0))
    with open(t.path("priorities.py"), "w", encoding="utf-8") as file:
        file.write(PRIORITIES)
    recorder = t.start(t.wperf, "record", "-q", "-g", "--", "/usr/bin/python3", t.path("priorities.py"), stdout=subprocess.PIPE, text=True)
    lines = [recorder.stdout.readline() for _ in range(2)]
    threads = priorities_of_threads(recorder.pid)
    recorder.communicate()
    check([line.split() for line in lines] == [[str(n) for n in own]] * 2, f"the program has {lines}, this test {own}")
    check("wperf drainer" in threads, f"{threads}")
    harness.note(f"policy and nice value of the drainer: {threads['wperf drainer']}")
    check(all(own == of for name, of in threads.items() if name not in ("wperf drainer", "wperf bpf")), f"{threads}")


def test_lbr_says_what_is_taken_instead(t: Context) -> None:
    done = t.good("record", "-e", "cpu-clock", "--call-graph", "lbr", "--", t.program("chains"), "deep", "20", "3")
    notes = [line for line in done.out.splitlines() if line.startswith("note: ")]
    check(len(notes) == 1 and "(lbr)" in notes[0] and "cpu-clock" in notes[0], "one note about it", done)
    check(re.search(r"as with -g(; |$)", notes[0]) is not None, "apart from what follows", done)


def test_each_view_counts_the_same_cut_stacks(t: Context) -> None:
    """Also of samples in the kernel that a process took at its first instruction, which no call precedes."""
    harness.need_root()
    t.good("record", "-q", "-k", "--call-graph", "fp", "-F", "9999", "--", "sh", "-c", "for i in $(seq 200); do /bin/true; done")
    table = t.good("report", "--json", "--stdio")
    tree = t.good("report", "-g", "--json", "--stdio")
    cut = [harness.document_of(done)["quality"]["cut_stacks"] for done in (table, tree)]
    check(cut[0] == cut[1] > 0, f"table and tree: {cut}")
    done = t.ours("export", "--format", "folded", "-o", "out.folded")
    check(f", {cut[0]} cut stacks" in done.err, f"the export: {cut[0]}", done)


if __name__ == "__main__":
    harness.main(__name__)
