#!/usr/bin/python3
"""Call stacks that record and sample take, as perf script shows them: no path that the program does not have."""
import re
from dataclasses import dataclass

import harness
from harness import Context, check

# Paths of tests/system/stacks.c from the innermost function on; frames of the C library are left out.
OURS = ("burn", "descend", "compare", "sort_all", "in_handler", "on_signal", "interrupted", "child_work", "parent_work",
        "before_exec", "task", "worker", "run_fork", "run_exec", "run_pool", "main")
PATHS = {
    "deep": r"(burn )?(descend )*main",
    "sort": r"((burn )?compare )?sort_all main",
    "signal": r"((in_handler )?on_signal )?((burn )?interrupted )?main",
    "fork": r"((burn )?(child_work|parent_work) )?(run_fork )?main",
    "exec": r"((burn )?(before_exec|(descend )+))?(run_exec )?main",
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
        return self.names[-1] in OUTERMOST


def stacks_of(t: Context, session: str = "wperf.data") -> list[Stack]:
    """What perf makes of the samples; those without a frame have none."""
    perf = harness.need_tool("perf")
    done = t.run(perf, "script", "--no-inline", "-F", "comm,tid,ip,sym", "-i", t.path(session))
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
    """Nothing that the program can't do, and hardly any stack that ends on its way."""
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
    t.good("record", "--call-graph", "fp", "--", t.program("stacks_fp"), "deep", "50", "20")
    inside = [stack for stack in stacks_of(t) if stack.ours()]
    pattern = re.compile(r"(burn )?(descend ){20,21}main")
    found = sum(pattern.fullmatch(stack.ours()) is not None for stack in inside)
    check(len(inside) > 50 and found >= 0.95 * len(inside), f"{found} of {len(inside)}: {inside[0].names}")


def test_dwarf_copies_are_unwound_by_perf(t: Context) -> None:
    for argv in (["--call-graph", "dwarf"], ["--call-graph=dwarf,16384", "-z"]):
        t.good("record", *argv, "--", t.program("stacks"), "deep", "30", "20")
        stacks = stacks_of(t)
        check_paths(stacks, "deep", 95)
        check(any(stack.ours() == "burn " + "descend " * 21 + "main" for stack in stacks), "the whole path")


def test_dwarf_copies_of_an_attached_process(t: Context) -> None:
    target = t.started_ready(t.program("stacks"), "wait", "100")
    t.good("sample", "--call-graph", "dwarf", "-p", str(target.pid), "--timeout", "500ms")
    check_paths(stacks_of(t), "deep", 95)


def test_lbr_says_what_is_taken_instead(t: Context) -> None:
    done = t.good("record", "-e", "cpu-clock", "--call-graph", "lbr", "--", t.program("stacks"), "deep", "20", "3")
    notes = [line for line in done.out.splitlines() if line.startswith("note: ")]
    check(len(notes) == 1 and "(lbr)" in notes[0] and "cpu-clock" in notes[0], "one note about it", done)


if __name__ == "__main__":
    harness.main(__name__)
