#!/usr/bin/python3
"""--engine stop: Python and C in one stack.  No stack may have a call that its program does not make."""
import collections
import glob
import json
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
    """Debian's, and those of pyenv where it is used."""
    mine = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3.*")))
    mine = [path for path in mine if re.search(r"/python3\.(8|9|1[0-5])$", path)]
    return [path for path in ["/usr/bin/python3.11", "/usr/bin/python3.11-dbg", *mine] if os.path.exists(path)]


def allowed_calls() -> tuple[dict[int, set[str]], dict[str, range]]:
    """What each line calls, and which lines each function has."""
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
    text = t.good("export", "--format", "folded", "-i", session, "-o", "-").out
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
        done = t.ours("record", "-g", "--engine", "stop", "-F", "1999", "--session", session, "--", python, PROGRAM, "2000")
        if why := re.search(r"threads are not stopped at their samples: (.*kernel.*)", done.out):
            raise Skip(why[1])
        stacks = stacks_of(t, session)
        for frames, _ in stacks:
            check_stack(frames, calls, bodies)
        merged, n = merged_of(done)
        with_main = sum(count for frames, count in stacks if any(name == "main" for name, _, _ in frames))
        harness.note(f"{python}: {merged} of {n} merged, {with_main} below main")
        check(n > 200 and merged >= 0.99 * n, "most stacks are merged", done)
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
    """From the record to the report: no caller is missing, and each has its line."""
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--", python, os.path.join(HERE, "python_deep.py"), t.path("frames"),
                  str(depth), "0.3")
    if why := re.search(r"threads are not stopped at their samples: (.*kernel.*)", done.out):
        raise Skip(why[1])
    with open(t.path("frames"), encoding="utf-8") as file:
        want = tuple(json.load(file))
    tree = json.loads(t.good("report", "-g", "--python", "only", "--json").out)["call_trees"][0]
    paths = callers_of_spin(tree)
    n = paths.pop((), 0)
    harness.note(f"{python}: {paths[want]} stacks with {len(want)} callers, {n} elsewhere")
    check(len(want) > depth, f"{len(want)} callers")
    check(set(paths) == {want}, "other callers: " + " ".join(f"{len(path)} {path[:5]} ... {path[-5:]}" for path in paths if path != want))
    check(paths[want] > 100, f"{paths[want]} samples", done)


def test_deep_recursion(t: Context) -> None:
    """One version of each kind of frames.  Up to 3.10 a Python call takes several native frames, and a chain has room for 8,000."""
    depths = {"/usr/bin/python3.11": 5000, "/python3.13": 5000, "/python3.10": 1000}
    found = [(python, depth) for python in interpreters() for end, depth in depths.items() if python.endswith(end)]
    if not found:
        raise Skip("/usr/bin/python3.11")
    for python, depth in found:
        deep_recursion(t, python, depth)


def test_native_frames_stay(t: Context) -> None:
    """Between the caller of sorted() and the function that it calls back stand the C functions."""
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    program = t.path("sort.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write("def key(x):\n    return sum(range(x))\n\n\ndef sort():\n    for _ in range(300):\n"
                   "        sorted(range(400), key=key)\n\n\nsort()\n")
    done = t.ours("record", "-g", "--engine", "stop", "-F", "999", "--", "/usr/bin/python3.11", program)
    if why := re.search(r"threads are not stopped at their samples: (.*kernel.*)", done.out):
        raise Skip(why[1])
    text = t.good("export", "--format", "folded", "-o", "-").out
    good = re.findall(r"^.*<module> \[sort\.py:10\];.*sort \[sort\.py:7\];.*builtin_sorted;.*list_sort.*;key \[sort\.py:2\];.*$", text, re.M)
    check(sum(int(line.rsplit(" ", 1)[1]) for line in good) > 50, f"stacks through sorted() and key(): {text}")


def test_an_interpreter_in_another_root(t: Context) -> None:
    """Its maps have paths below another root than that of the process."""
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
    if why := re.search(r"threads are not stopped at their samples: (.*kernel.*)", done.out):
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


def test_python_stacks_are_the_default_with_g(t: Context) -> None:
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    command = ("--", "/usr/bin/python3.11", PROGRAM, "300")
    done = t.good("record", "-g", *command)
    if why := re.search(r"threads are not stopped at their samples: (.*kernel.*)", done.out):
        raise Skip(why[1])
    check("Python stacks by stopping the thread (traced)" in done.out and merged_of(done)[0] > 0, "traced", done)
    # Where nothing can be traced by the user's own choice, nothing is said of it.
    for options in ("-g", "--engine", "ring"), (), ("-g", "--no-inherit"), ("--call-graph", "fp"):
        done = t.good("record", *options, *command)
        check("Python stacks" not in done.out and "merged" not in done.out and "not stopped" not in done.out, f"{options}", done)
    done = t.run("sh", "-c", '"$1" record -g --session - -- /usr/bin/python3.11 "$2" 300 > "$3"', "sh", t.wperf, PROGRAM,
                 t.path("piped.data"))
    check(done.status == 0 and "names of Python" not in done.err, "a pipe, without a word of it", done)


def test_a_pipe_has_native_stacks(t: Context) -> None:
    if not os.path.exists("/usr/bin/python3.11"):
        raise Skip("/usr/bin/python3.11")
    done = t.run("sh", "-c", '"$1" record -g --engine stop -F 999 --session - -- /usr/bin/python3.11 "$2" 300 > "$3"', "sh",
                 t.wperf, PROGRAM, t.path("piped.data"))
    check(done.status == 0 and "has no place for names of Python functions" in done.err, "a warning", done)
    text = t.good("report", "-g", "--python", "all", "-i", t.path("piped.data")).out
    check("_PyEval_EvalFrameDefault" in text and ".pysyms" not in text, f"native stacks: {text}")


if __name__ == "__main__":
    harness.main(__name__)
