#!/usr/bin/python3
"""Compares Python frames that are read from another process, of each installed CPython, with what the program itself
prints."""
import collections
import glob
import json
import os
import re
import sys
from typing import Callable, Iterator

import harness
from harness import Context, Skip, check
from pythons import HERE, PYTHONS, field_offsets, find_file, find_python, installed

N_STOPS = 1500
# Their eval loop and frames are like those of 3.8 and of Debian's 3.11: stopped at random only with PYTHONS=all, in ./check long.
LIKE_OTHERS = ("pyenv 3.9", "pyenv 3.10", "pyenv 3.11")
CASES = ("generators", "asyncio", "threads", "callbacks", "json", "ctypes", "exceptions", "names")


def walked_threads(text: str) -> Iterator[tuple[str, str, int, list[list]]]:
    """Thread, end, reads and frames in the output of python_walk."""
    for part in re.split(r"^(?=thread )", text, flags=re.M)[1:]:
        head, *lines = part.splitlines()
        match = re.fullmatch(r"thread (\d+): ([\w ]+), \d+ reads first, (\d+) again", head)
        fields = (line.split("\t") for line in lines)
        yield match[1], match[2], int(match[3]), [[name, file, int(number)] for name, file, number in fields]


def walk_case(t: Context, python: str, case: str, number: int = 0) -> tuple[dict, dict, dict]:
    """The frames that the program wrote, the frames that were read from outside, and the number of reads."""
    out = t.path(f"{case}.json")
    process = t.start(python, os.path.join(HERE, "python_stacks.py"), out, case, str(number))

    def stands() -> bool:
        if process.poll() is not None:
            error = process.stderr.read().decode()
            raise Skip(f"the interpreter's {error.splitlines()[-1]}") if "ModuleNotFoundError" in error else AssertionError(error)
        with open(f"/proc/{process.pid}/stat", encoding="ascii", errors="replace") as file:
            return os.path.exists(out) and file.read().rsplit(")", 1)[1].split()[0] == "T"

    harness.wait_until(stands, f"{case} stops")
    done = t.run(t.program("python_walk"), str(process.pid))
    if done.status == 3:
        raise Skip("ptrace of another process")
    check(done.status == 0, "python_walk", done)
    with open(out, encoding="utf-8") as file:
        want = json.load(file)
    os.unlink(out)
    harness.kill_group(process)
    threads = list(walked_threads(done.out))
    check(all(end == "whole" for tid, end, _, _ in threads if tid in want), "an end that is not whole", done)
    return want, {tid: frames for tid, _, _, frames in threads}, {tid: reads for tid, _, reads, _ in threads}


def check_frames(case: str, want: dict, got: dict) -> int:
    """The same threads and frames as in the program; returns the number of frames."""
    check(set(want) <= set(got), f"{case}: threads {sorted(want)}, found {sorted(got)}")
    for tid, frames in want.items():
        check(len(frames) == len(got[tid]), f"{case}: {len(frames)} frames, found {len(got[tid])}: {frames} {got[tid]}")
        for i, (frame, other) in enumerate(zip(frames, got[tid])):
            check(frame == other, f"{case}: frame {i} of {len(frames)} is {frame}, found {other}")
    return sum(map(len, want.values()))


def frames_of(kind: str) -> Callable[[Context], None]:
    def test(t: Context) -> None:
        python = find_python(kind)
        n_frames = n_threads = 0
        for case in CASES:
            want, got, _ = walk_case(t, python, case)
            n_frames += check_frames(case, want, got)
            n_threads += len(want)
        harness.note(f"{python}: {n_frames} frames of {n_threads} threads are right")

    return test


def recursion_of(kind: str) -> Callable[[Context], None]:
    def test(t: Context) -> None:
        python = find_python(kind)
        for depth in (500, 5000):
            want, got, reads = walk_case(t, python, "recursion", depth)
            n_frames = check_frames("recursion", want, got)
            check(n_frames > depth, f"{n_frames} frames")
            most = max(reads.values())
            harness.note(f"{python}: {n_frames} frames, {most} reads")
            # Frames of 3.8 to 3.10 are on the heap, several in a page; those of later versions in chunks of 16 KB.
            check(most * (6 if re.search(r"3\.(8|9|10)$", python) else 30) < n_frames + 300, f"{most} reads for {n_frames} frames")

    return test


def subinterpreter_of(kind: str) -> Callable[[Context], None]:
    def test(t: Context) -> None:
        want, got, _ = walk_case(t, find_python(kind), "subinterpreter")
        check_frames("subinterpreter", want, got)

    return test


# Functions of python_paths.py and their callers (the next Python frame outwards).  A coroutine's function also runs in its maker.
CALLERS = {
    "fib": ("fib", "<module>"), "sort": ("<module>",), "sort_key": ("sort",), "gen": ("<module>",), "gen_outer": ("gen",),
    "gen_inner": ("gen_outer",), "sub_repl": ("sub",), "hook": ("raw_decode",), "load": ("<module>",), "compare": ("<module>",),
    "__lt__": ("compare",), "throw_deep": ("throw_deep", "throw"), "throw": ("<module>",), "flutter": ("<module>",),
    "flutter_a": ("flutter",), "flutter_b": ("flutter",), "aleaf": ("_run", "<genexpr>"), "amain": ("_run", "<module>"), "<module>": (),
}
# There are C functions between these and their callers; from 3.11 on there are none between the others.
CALLED_BY_C = {"sort_key", "sub_repl", "hook", "__lt__"}
INNERMOST = {"fib": ("fib", "<module>"), "throw_deep": ("throw_deep", "throw"), "flutter_a": ("flutter",)}


def check_chain(chain: list[str], has_inlined_calls: bool) -> set[str]:
    """Each of our functions has one of its callers; returns the functions."""
    places = [i for i, name in enumerate(chain) if name.startswith("py:") and not name.startswith("py::")]
    names = [chain[i].split(":")[1].rpartition(".")[2] for i in places]
    check(not names or names[-1] == "<module>", f"does not end in <module>: {chain}")
    for k, (name, next_name) in enumerate(zip(names, names[1:])):
        n_native = places[k + 1] - places[k] - 1
        check(name not in CALLERS or next_name in CALLERS[name], f"{name} is not called by {next_name}: {chain}")
        check(name not in CALLED_BY_C or n_native > 0, f"nothing between {name} and {next_name}: {chain}")
        if has_inlined_calls and name in INNERMOST:
            check(n_native == 0, f"{n_native} frames between {name} and {next_name}: {chain}")
    for i in range(places[0] + 1 if places else 0, len(chain)):
        # An eval function whose Python function has returned clears its frame, which may call other functions.
        is_clearing = re.search(r"FrameClearAndPop|\?$", chain[i - 1]) is not None
        check("EvalFrameDefault" not in chain[i] or is_clearing, f"an eval function stayed: {chain}")
        check(not chain[i].startswith("py::") or "EvalFrameDefault" in chain[i - 1], f"a trampoline stayed: {chain}")
    return set(names)


def pairs_of(kind: str, *options: str) -> Callable[[Context], None]:
    """A process that is stopped at random times: nearly all stacks are merged, and merged stacks are possible."""

    def test(t: Context) -> None:
        python = find_python(kind)
        process = t.start(python, *options, os.path.join(HERE, "python_paths.py"), "60")
        check(process.stdout.readline() == b"ready\n", "python_paths.py did not begin")
        done = t.run(t.program("python_pairs"), str(process.pid), str(N_STOPS))
        if done.status == 3:
            raise Skip("ptrace of another process")
        check(done.status == 0, "python_pairs", done)
        if options:
            os.unlink(f"/tmp/perf-{process.pid}.map")
        lines = [line.split("\t") for line in done.out.splitlines()]
        ends = collections.Counter(end for end, _, _ in lines)
        has_inlined_calls = not re.search(r"3\.(8|9|10)$", python) and not options
        seen: set[str] = set()
        for end, _, chain in lines:
            if end == "merged":
                seen |= check_chain(chain.split(), has_inlined_calls)
        reads = sorted(int(reads) for end, reads, _ in lines if end == "merged")
        harness.note(f"{python}: {dict(ends)}, {reads[len(reads) // 2]} reads in the median")
        check(len(lines) == N_STOPS, f"{len(lines)} stops")
        check(ends["merged"] >= 0.99 * N_STOPS, f"{ends}")
        check(len(seen & set(CALLERS)) > 12, f"seen only {seen}")

    return test


def layout_of(kind: str) -> Callable[[Context], None]:
    """Compares the table, or the interpreter's own offsets, with the headers."""

    def test(t: Context) -> None:
        want, got = field_offsets(t, kind), t.run(t.program("python_walk"), "--layout", find_file(kind, 2))
        check(got.status == 0, "python_walk --layout", got)
        check(sorted(want.splitlines()) == sorted(got.out.splitlines()), f"{want}\nis not\n{got.out}")
        check(len(want.splitlines()) > 20, f"hardly any field: {want}")

    return test


def trampolines_of(kind: str) -> Callable[[Context], None]:
    """With -X perf each Python call uses a trampoline."""
    return pairs_of(kind, "-X", "perf")


def name_tests() -> None:
    """Tests of trampolines for those versions that have them."""
    for kind in installed():
        found = glob.glob(PYTHONS[kind][0])
        makers = {"frames": frames_of, "recursion": recursion_of, "subinterpreter": subinterpreter_of, "layout": layout_of}
        if kind not in LIKE_OTHERS or os.environ.get("PYTHONS") == "all":
            makers["pairs"] = pairs_of
        if re.search(r"3\.1[2-9]d?$", max(found, default="")):
            makers["trampolines"] = trampolines_of
        for what, make in makers.items():
            test = make(kind)
            test.__name__ = f"test_{what}_of_{re.sub('[ .-]', '_', kind)}"
            setattr(sys.modules[__name__], test.__name__, test)


name_tests()

if __name__ == "__main__":
    harness.main(__name__)
