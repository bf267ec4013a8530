#!/usr/bin/python3
"""--engine stop: Python and C in one stack.  No stack may have a call that its program does not make."""
import collections
import glob
import json
import math
import os
import re
import stat

import harness
from harness import Context, Done, Skip, check

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "python_calls.py")
FRAME = re.compile(r"(?:\w+\.(?:<locals>\.)?)*([\w<>]+) \[([^\]]+):(\d+)\]")
MERGED = re.compile(r"python: ([\d,]+) of ([\d,]+) merged")


def interpreters() -> list[str]:
    """Debian's, and pyenv's if it is installed."""
    mine = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3.*")))
    mine = [path for path in mine if re.search(r"/python3\.(8|9|1[0-5])$", path)]
    return [path for path in ["/usr/bin/python3.11", "/usr/bin/python3.11-dbg", *mine] if os.path.exists(path)]


def allowed_calls() -> tuple[dict[int, set[str]], dict[str, range]]:
    """The functions that each line calls, and the lines of each function."""
    calls: dict[int, set[str]] = {}
    starts: list[tuple[int, str]] = [(1, "<module>")]
    with open(PROGRAM, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        if "# -> " in line:
            calls[number] = set(line.split("# -> ")[1].split())
        if match := re.match(r"\s*(?:async )?def (\w+)", line):
            starts.append((number, match[1]))
    ends = [start for start, _ in starts[1:]] + [len(lines) + 1]
    bodies = {name: range(start, end) for (start, name), end in zip(starts, ends)}
    bodies["<module>"] = range(1, len(lines) + 1)
    return calls, bodies


def stacks_of(t: Context, session: str) -> list[tuple[list[tuple[str, str, int]], int]]:
    """The Python frames of each stack as name, file and line, outermost first, and the number of its samples."""
    text = t.good("export", "--lines", "--format", "folded", "-i", session, "-o", "-").out
    stacks = []
    for line in text.splitlines():
        names, count = line.rsplit(" ", 1)
        matches = [FRAME.fullmatch(name) for name in names.split(";")]
        stacks.append(([(m[1], m[2], int(m[3])) for m in matches if m], int(count)))
    return stacks


def check_stack(frames: list[tuple[str, str, int]], calls: dict[int, set[str]], bodies: dict[str, range]) -> None:
    shown = " > ".join(f"{name} [{file}:{line}]" for name, file, line in frames)
    ours = os.path.basename(PROGRAM)
    for name, file, line in frames:
        check(file != ours or line in bodies[name], f"a line of {name}: {shown}")
    for (_, caller_file, line), (name, file, _) in zip(frames, frames[1:]):
        if caller_file == file == ours:
            check(name in calls.get(line, ()), f"a call that is not there, of {name} by line {line}: {shown}")


def merged_of(done: Done) -> tuple[int, int]:
    match = MERGED.search(done.out)
    check(match is not None, "how many stacks are merged", done)
    return int(match[1].replace(",", "")), int(match[2].replace(",", ""))


def test_no_stack_is_wrong(t: Context) -> None:
    calls, bodies = allowed_calls()
    found = interpreters()
    if not found:
        raise Skip("/usr/bin/python3.11")
    for python in found:
        session = t.path(os.path.basename(os.path.dirname(os.path.dirname(python))) + os.path.basename(python))
        done = t.ours("record", "-g", "--engine", "stop", "-F", "1999", "--session", session, "--", python, PROGRAM, "3000")
        if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
            raise Skip(why[1])
        stacks = stacks_of(t, session)
        for frames, _ in stacks:
            check_stack(frames, calls, bodies)
        merged, n = merged_of(done)
        with_main = sum(count for frames, count in stacks if any(name == "main" for name, _, _ in frames))
        harness.note(f"{python}: {merged} of {n} merged, {with_main} below main")
        # The work is the same on each machine: a fast one has fewer samples.
        check(n > 100 and merged >= 0.99 * n - 5 * math.sqrt(0.01 * n), "nearly all stacks are merged", done)
        check(with_main > 0.7 * n, f"{with_main} of {n} stacks below main", done)


def callers_of_spin(tree: dict) -> collections.Counter:
    """The paths to the function `spin`, its callers innermost first, with their samples."""
    found: collections.Counter = collections.Counter()
    callers: dict[int, tuple] = {}
    nodes, names = tree["nodes"], [function["name"] for function in tree["functions"]]
    for i, (parent, function, count, _) in enumerate(nodes, 1):
        callers[i] = callers.get(parent, ())
        if not callers[i] and names[function].startswith("spin ["):
            path, at = [], parent
            while at:
                path.append(names[nodes[at - 1][1]])
                at = nodes[at - 1][0]
            callers[i] = tuple(path)
        found[callers[i]] += count
    return found


def deep_recursion(t: Context, python: str, depth: int) -> None:
    """From recording to report: no caller is missing, and each has its line."""
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--", python, os.path.join(HERE, "python_deep.py"), t.path("frames"),
                  str(depth), "0.3")
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    with open(t.path("frames"), encoding="utf-8") as file:
        want = tuple(json.load(file))
    tree = json.loads(t.good("report", "-g", "--lines", "--python", "only", "--json").out)["call_trees"][0]
    paths = callers_of_spin(tree)
    n = paths.pop((), 0)
    harness.note(f"{python}: {paths[want]} stacks with {len(want)} callers, {n} elsewhere")
    check(len(want) > depth, f"{len(want)} callers")
    check(set(paths) == {want}, "other callers: " + " ".join(f"{len(path)} {path[:5]} ... {path[-5:]}" for path in paths if path != want))
    check(paths[want] > 100, f"{paths[want]} samples", done)


def test_deep_recursion(t: Context) -> None:
    """One version for each format of frames.  Up to 3.10 a Python call needs several native frames, and a chain has at
    most 8,000."""
    depths = {"/usr/bin/python3.11": 5000, "/python3.13": 5000, "/python3.10": 1000}
    found = [(python, depth) for python in interpreters() for end, depth in depths.items() if python.endswith(end)]
    if not found:
        raise Skip("/usr/bin/python3.11")
    for python, depth in found:
        deep_recursion(t, python, depth)


# Each call uses libffi and qsort, which take more than 1 KiB of the stack.
THROUGH_C = """
import ctypes, sys, threading, time
sys.setrecursionlimit(100000)
threading.stack_size(64 << 20)
libc = ctypes.CDLL(None)
comparison = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def down(n):
    end = time.thread_time() + 0.3
    while not n and time.thread_time() < end:
        sum(range(1000))
    if n:
        libc.qsort((ctypes.c_int * 2)(2, 1), 2, 4, comparison(lambda a, b: down(n - 1) or 0))
thread = threading.Thread(target=down, args=(800,))
thread.start()
thread.join()
"""


def quality_of_large_stacks(t: Context, *argv: str) -> str:
    done = t.ours("record", "-g", "--engine", "stop", "-F", "199", "--", *argv)
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    quality = done.out.splitlines()[-1]
    harness.note(quality)
    check(re.search(r" cut stacks \(.*the stack is larger than the 1 MiB that are copied", quality) is not None, "the limit is named", done)
    check("too little of the stack was copied" not in quality, "it is no limit of the ring", done)
    return quality


def test_stacks_of_more_than_a_mebibyte(t: Context) -> None:
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    quality_of_large_stacks(t, "/usr/bin/python3.11", "-c", THROUGH_C)


def test_python_stacks_of_more_than_a_mebibyte(t: Context) -> None:
    """Up to 3.10 Python frames are matched with native ones by their number, which needs the whole native stack."""
    old = [python for python in interpreters() if re.search(r"/python3\.(8|9|10)$", python)]
    if not old:
        raise Skip("CPython 3.8, 3.9 or 3.10")
    quality = quality_of_large_stacks(t, old[0], os.path.join(HERE, "python_deep.py"), t.path("frames"), "5000", "0.3")
    check(re.search(r"python: .* native \(.*\d+ native stack larger than 1 MiB", quality) is not None, f"the Python stacks too: {quality}")


# A structure that is passed by value lies on the stack: almost a MB, but few frames.
LARGE_FRAMES = """
import ctypes, sys, threading, time
threading.stack_size(64 << 20)
libc = ctypes.CDLL(None)
comparison = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
class Large(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 16384)]
large = Large()
def down(n):
    end = time.thread_time() + 1
    while not n and time.thread_time() < end:
        sum(range(1000))
    if n:
        libc.qsort((ctypes.c_int * 2)(2, 1), 2, 4, comparison(lambda a, b: down(n - 1) or 0), large)
thread = threading.Thread(target=down, args=(18,))
thread.start()
thread.join()
"""


def test_large_stacks_do_not_wait(t: Context) -> None:
    """So many bytes come that they must be taken at once: with one look each 0.1 s most were left out."""
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    done = t.ours("record", "-g", "--engine", "stop", "-F", "2999", "--", "/usr/bin/python3.11", "-c", LARGE_FRAMES)
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    quality = done.out.splitlines()[-1]
    n, n_cut = int(re.findall(r"(\d+) samples", quality)[0]), int(re.findall(r"(\d+) cut stacks", quality)[0])
    harness.note(quality)
    check("larger than the 1 MiB" not in quality, "the stacks are copied", done)
    check(n > 300 and n_cut < 0.15 * n, f"{n_cut} of {n} stacks left out", done)


def test_native_frames_stay(t: Context) -> None:
    """The C functions are between the caller of sorted() and the function that it calls back."""
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    program = t.path("sort.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write("def key(x):\n    return sum(range(x))\n\n\ndef sort():\n    for _ in range(300):\n"
                   "        sorted(range(400), key=key)\n\n\nsort()\n")
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--", "/usr/bin/python3.11", program)
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    text = t.good("export", "--lines", "--format", "folded", "-o", "-").out
    good = re.findall(r"^.*<module> \[sort\.py:10\];.*sort \[sort\.py:7\];.*builtin_sorted;.*list_sort.*;key \[sort\.py:2\];.*$", text, re.M)
    check(sum(int(line.rsplit(" ", 1)[1]) for line in good) > 50, f"stacks through sorted() and key(): {text}")


def test_an_interpreter_in_another_root(t: Context) -> None:
    """Its maps have paths relative to another root than that of the process."""
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    root = t.path("root")
    os.mkdir(root)
    if t.run("mount", "--bind", "/", root).status:
        raise Skip("mount")
    try:
        done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--", "chroot", root, "/usr/bin/python3.11", "-c",
                      "print(sum(i * i for i in range(2000000)))")
    finally:
        t.run("umount", "-l", root)
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    merged, n = merged_of(done)
    check(merged > 30 and merged >= 0.95 * n, "merged stacks", done)


def test_a_device_has_no_file_beside_it(t: Context) -> None:
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    device, names = t.path("null"), t.path("null.pysyms")
    try:
        os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError as error:
        raise Skip(f"mknod: {error}") from error
    done = t.run(t.wperf, "record", "-q", "-g", "--session", device, "--", "/usr/bin/python3.11", PROGRAM, "100")
    check(not os.path.exists(names), f"no {names}", done)


def test_an_older_session_keeps_its_names(t: Context) -> None:
    """FILE.pysyms is not overwritten while FILE.old names it."""
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    perf = harness.need_tool("perf")
    for i in range(4):
        code = f"def work_{i}():\n    sum(range(3000000))\nwork_{i}()"
        done = t.ours("record", "-g", "--engine", "stop", "-F", "499", "--", "/usr/bin/python3.11", "-c", code)
        if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
            raise Skip(why[1])
        for session, number in ("wperf.data", i), ("wperf.data.old", i - 1):
            if number >= 0:
                names = set(re.findall(r"work_\d", t.run(perf, "script", "-i", session).out))
                check(names == {f"work_{number}"}, f"names of {session} in run {i}: {names}")
    names = sorted(name for name in os.listdir(t.folder) if "pysyms" in name)
    check(names == ["wperf.data.1.pysyms", "wperf.data.pysyms"], f"files of names: {names}")


def test_names_for_others_that_could_not_be_written(t: Context) -> None:
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    os.mkdir(t.path("wperf.data.pysyms"))
    done = t.ours("record", "-g", "--engine", "stop", "-F", "499", "--", "/usr/bin/python3.11", PROGRAM, "1000")
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    check("perf will not show names of Python functions: " in done.out and "wperf.data.pysyms" in done.out, "it is said", done)
    check(merged_of(done)[0] > 0 and "main [python_calls.py:" in t.good("report", "-g").out, "wperf has them", done)


def test_greenlets(t: Context) -> None:
    """A greenlet's stack ends at the function that it was made of, and has no frames of another greenlet."""
    python = "/usr/bin/python3"
    if t.run(python, "-c", "import greenlet").status:
        raise Skip("python3-greenlet")
    done = t.good("record", "-g", "-F", "999", "--", python, os.path.join(HERE, "python_greenlets.py"), "800")
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    paths: collections.Counter = collections.Counter()
    for line in t.good("export", "--format", "folded", "-o", "-").out.splitlines():
        stack, _, n = line.rpartition(" ")
        names = re.findall(r"(burn|first|second) \[", stack)
        if "burn" in names:
            paths["<".join(reversed(names))] += int(n)
    merged, n_stacks = merged_of(done)
    harness.note(f"{merged} of {n_stacks} merged, {dict(paths)}")
    check(merged >= 0.95 * n_stacks > 100, "merged", done)
    check(set(paths) == {"burn<first", "burn<second"} and min(paths.values()) > 20, f"{paths}")


def test_python_stacks_are_the_default(t: Context) -> None:
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    command = ("--", "/usr/bin/python3.11", PROGRAM, "1000")
    done = t.good("record", *command)
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    is_bpf = os.geteuid() == 0 and "engine bpf: " in done.out
    check((is_bpf or "Python programs are traced for their stacks" in done.out) and merged_of(done)[0] > 0, "read or traced", done)
    # One sentence says what to type. Copies of stacks are unwound later, and have no Python frames.
    for options, why_not in ((("--engine", "ring"), "--engine ring reads none: record without it"),
                             (("--no-stacks",), "leave --no-stacks out"), (("--no-callers",), "leave --no-stacks out"),
                             (("--no-call-graph",), "leave --no-stacks out"),
                             (("--no-inherit",), "Python frames are read only with all threads and children: record without --no-inherit"),
                             (("--per-thread",), "Python frames are read only with all threads and children: record without --no-inherit and --per-thread"),
                             (("--call-graph", "fp"), "it needs -g"),
                             (("--call-graph", "dwarf"), "--call-graph dwarf records no Python frames: write -g")):
        if is_bpf and options[0] in ("--no-inherit", "--per-thread"):
            continue  # a BPF program needs no other thread
        done = t.good("record", *options, *command)
        check("are traced" not in done.out and "merged" not in done.out and "not stopped" not in done.out, f"{options}", done)
        said = re.search("no Python functions: (.*)", done.out)
        check(said and why_not in said[1], f"{options}: says why, and what to type", done)
    done = t.good("record", "--no-inherit", "--", "/bin/true")
    check("no Python functions" not in done.out, "nothing where no Python runs", done)
    done = t.good("record", "--call-graph", "dwarf", "--engine", "stop", *command)
    check("the engine stop is not used: --call-graph dwarf records no Python frames: write -g" in done.out and "are traced" not in done.out, "why not", done)


def test_a_python_file_is_a_command(t: Context) -> None:
    """Unless the system runs it itself, by its first line."""
    path = t.path("said.py")
    with open(path, "w", encoding="ascii") as file:
        file.write("import sys\nprint('python says', sys.argv[1])\n")
    for mode in 0o644, 0o755:
        os.chmod(path, mode)
        for words in ("record", path, "hello"), ("record", "-q", "--", path, "hello"), ("stat", "-e", "task-clock", path, "hello"):
            done = t.good(*words)
            check("python says hello\n" in done.out, f"{oct(mode)}: it runs", done)
            check("-q" in words or f"run as python3 {path}" in done.out or f"for 'python3 {path} hello'" in done.out, "the heading says how", done)
    with open(path, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho shell says $1\n")
    done = t.good("record", path, "hello")
    check("shell says hello\n" in done.out and "run as" not in done.out, "by itself", done)
    check(t.ours("record", t.path("absent.py")).status == 127, "not found")
    os.mkdir(t.path("folder.py"))
    check(t.ours("record", t.path("folder.py")).status == 126, "a folder")


def test_names_in_a_pipe(t: Context) -> None:
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    done = t.run("sh", "-c", '"$1" record -g -F 999 --session - -- /usr/bin/python3.11 "$2" 3000 | tee "$3" | "$1" report -g -i -', "sh",
                 t.wperf, PROGRAM, t.path("piped.data"))
    if why := re.search(r"the engine stop is not used: (.*kernel.*)", done.out):
        raise Skip(why[1])
    check(merged_of(done)[0] > 50 and re.search(r"main \[python_calls\.py:\d+\]", done.out) is not None, "names and lines", done)
    calls, bodies = allowed_calls()
    for frames, _ in stacks_of(t, "piped.data"):
        check_stack(frames, calls, bodies)
    check(not [name for name in os.listdir(t.folder) if "pysyms" in name], "no file of names")
    # perf reads the same pipe: it skips wperf's sections, and shows places without names.
    perf = harness.need_tool("perf")
    done = t.run("sh", "-c", '"$1" script -i - < "$2"', "sh", perf, t.path("piped.data"))
    check(done.status == 0 and "(/dev/null/pipe.pysyms)" in done.out and "_PyEval_EvalFrameDefault" in done.out, "perf script", done)
    check(not re.search("incompatible|unknown feature|invalid", done.err), "without a complaint", done)


def test_files_with_equal_names_are_told_apart(t: Context) -> None:
    """Functions with one name and line, in files with one name, in each view of one session."""
    for folder in "one", "two":
        os.mkdir(t.path(folder))
        with open(t.path(f"{folder}/util.py"), "w", encoding="utf-8") as file:
            file.write("def work(n):\n    for _ in range(n):\n        pass\n")
    with open(t.path("main.py"), "w", encoding="utf-8") as file:
        file.write("import one.util, two.util\nfor _ in range(40):\n    one.util.work(300000)\n    two.util.work(100000)\n")
    t.good("record", "-q", "-g", "--", "/usr/bin/python3.11", "main.py")
    rows = harness.csv_of(t.good("report", "--sort", "python", "--csv"))
    counts = {row["python"]: int(row["count"]) for row in rows if row["python"].startswith("work")}
    check(set(counts) == {"work [one/util.py:1]", "work [two/util.py:1]"}, f"{counts}")
    check(counts["work [one/util.py:1]"] > counts["work [two/util.py:1]"] > 0, f"{counts}")
    for view in t.ours("export", "--lines", "--format", "folded", "-o", "-").out, t.good("report", "-g", "--lines", "--stdio").out:
        check(all(re.search(rf"work \[{folder}/util\.py[:\]]", view) for folder in ("one", "two")), f"both files: {view[:3000]}")
        check(" [util.py" not in view and "[main.py:3]" in view, "labels are as long as they must be")


if __name__ == "__main__":
    harness.main(__name__)
