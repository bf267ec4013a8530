#!/usr/bin/python3
"""A session with Python places between native frames, in each view and as perf reads it."""
import collections
import gzip
import json
import os
import re
import struct
from typing import Callable

import harness
from harness import Context, Done, check, need_tool

# The stacks of tests/python_session.h: outermost first, with lines of Python functions.
MAIN = ("main", "PyRun_Main")
EVAL = "_PyEval_EvalFrameDefault"
STACKS = collections.Counter({
    ("<module> [app.py:40]", "parse [app.py:6]", "loads [json/__init__.py:346]", EVAL, "py_scan", "scan_once"): 40,
    ("<module> [app.py:40]", "parse [app.py:6]", EVAL): 25,
    ("<module> [app.py:40]", "parse [app.py:7]", EVAL): 15,
    ("<module> [app.py:41]", "fib [app.py:10]", "fib [app.py:12]", "fib [app.py:12]", EVAL): 10,
    ("<module> [app.py:42]", EVAL, "sorted_impl", "Key.__init__ [app.py:21]", EVAL, "sorted_impl"): 3,
    ("<module> [app.py:42]", EVAL, "sorted_impl", "Other.__init__ [app.py:31]", EVAL, "sorted_impl"): 3,
    (): 2,
    (EVAL,): 2,
})
FIRST_LINES = {"<module>": 1, "parse": 5, "fib": 9, "loads": 299, "Key.__init__": 20, "Other.__init__": 30}
REPLAY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay")
QUALITY = "python: 96 of 98 merged, 2 native (1 in start-up, 1 generator at exit)"


def session(t: Context, times: int = 1) -> str:
    done = t.run(t.program("make_python_session"), t.folder, str(times))
    check(done.status == 0, "make_python_session", done)
    return t.path("python.data")


def whole(stacks: collections.Counter = STACKS) -> collections.Counter:
    return collections.Counter({MAIN + stack: n for stack, n in stacks.items()})


def mapped(stacks: collections.Counter, change: Callable[[tuple], tuple]) -> collections.Counter:
    changed: collections.Counter = collections.Counter()
    for stack, n in stacks.items():
        changed[change(stack)] += n
    return changed


def is_python(name: str) -> bool:
    return name.endswith("]")


def merged(stack: tuple) -> tuple:
    """Without the interpreter's loop directly inside Python functions."""
    return tuple(name for outer, name in zip(("",) + stack, stack) if name != EVAL or not is_python(outer))


def only(stack: tuple) -> tuple:
    return tuple(filter(is_python, stack)) or stack


def native(stack: tuple) -> tuple:
    return tuple(name for name in stack if not is_python(name))


def by_function(stack: tuple) -> tuple:
    """With the first line of each Python function instead of the line that ran."""
    return tuple(re.sub(r"^(.*) (\[.*):\d+\]$", lambda m: f"{m[1]} {m[2]}:{FIRST_LINES[m[1]]}]", name) for name in stack)


def read(t: Context, *argv: str) -> Done:
    """Runs a command on the session; standard error may only have an export's message about quality."""
    done = t.ours(*argv)
    check(done.status == 0, "wperf " + " ".join(argv), done)
    return done


def folded(t: Context, path: str, *argv: str) -> collections.Counter:
    found: collections.Counter = collections.Counter()
    for line in read(t, "export", "--format", "folded", "-i", path, *argv).out.splitlines():
        stack, n = line.rsplit(" ", 1)
        frames = stack.split(";")
        check(frames[0] == "python3", f"the process first: {line}")
        found[tuple(frames[1:] if frames[1] != "[cut]" else frames[2:])] += int(n)
    return found


def script_stacks(text: str) -> collections.Counter:
    """Stacks of perf script and of similar text, outermost first, with parts of functions as the function."""
    found: collections.Counter = collections.Counter()
    for sample in text.strip().split("\n\n"):
        frames = re.findall(r"^\t *[0-9a-f]+ (.*?)\+0x[0-9a-f]+ \(/", sample, re.M)
        found[tuple(name.removesuffix(".cold") for name in reversed(frames))] += 1
    return found


def tree_stacks(tree: dict) -> collections.Counter:
    found: collections.Counter = collections.Counter()
    paths: list[tuple] = [()]
    for parent, function, count, _ in tree["nodes"]:
        paths.append(paths[parent] + (tree["functions"][function]["name"],))
        if count:
            found[paths[-1][1:] if paths[-1][0] == "[cut]" else paths[-1]] += count
    return found


def test_a_table_is_of_native_functions(t: Context) -> None:
    done = read(t, "report", "-i", session(t))
    counts = {row.symbol: row.count for row in harness.rows_of(done.out)}
    check(counts == {EVAL + ":libpython.so": 52, "scan_once:_json.so": 40, "sorted_impl:libpython.so": 6,
                     "PyRun_Main:libpython.so": 2}, f"{counts}", done)
    check(QUALITY in done.out, "quality", done)


def test_a_function_stands_once_in_a_tree(t: Context) -> None:
    path = session(t)
    done = read(t, "report", "-g", "-i", path)
    check(re.search(r"^ +80\.00 +40\.00 +80  parse \[app\.py:5\]$", done.out, re.M) and done.out.count("  parse [") == 3, "all lines of it", done)
    check(re.search(r"^ +10\.00 +10\.00 +10  fib \[app\.py:9\]$", done.out, re.M) and "fib [app.py:9] (3 times)\n" in done.out, "recursion counts once", done)
    document = json.loads(read(t, "report", "-g", "--json", "-i", path).out)
    tree = document["call_trees"][0]
    check(tree_stacks(tree) == mapped(mapped(whole(), merged), by_function), f"{tree_stacks(tree)}")
    parse = [f for f in tree["functions"] if f["name"].startswith("parse [")]
    check(parse == [{"name": "parse [app.py:5]", "module": "app.py", "kind": "function", "file": t.path("app.py"),
                     "line": 5, "python": True}], f"{parse}")


def test_a_tree_has_lines_of_python(t: Context) -> None:
    path = session(t)
    done = read(t, "report", "-g", "--lines", "-i", path)
    check(read(t, "report", "-g", "--sort", "line", "-i", path).out == done.out, "another spelling")
    check(re.search(r"^ +40\.00 +40\.00 \* +loads \[json/__init__\.py:346\] > py_scan \[_json\.so\] > scan_once$",
                    done.out, re.M), "a path", done)
    check("fib [app.py:10] > fib [app.py:12] (2 times)\n" in done.out, "recursion", done)
    document = json.loads(read(t, "report", "-g", "--lines", "--json", "-i", path).out)
    tree = document["call_trees"][0]
    check(tree_stacks(tree) == mapped(whole(), merged), f"{tree_stacks(tree)}")
    done = t.ours("report", "--lines", "-i", path)
    check(done.status == 2 and "--lines applies to the call tree" in done.err, "without -g", done)
    parse = [f for f in tree["functions"] if f["name"] == "parse [app.py:6]"]
    check(parse == [{"name": "parse [app.py:6]", "module": "app.py", "kind": "function", "file": t.path("app.py"),
                     "line": 6, "python": True}], f"{parse}")


def test_names_are_in_the_session(t: Context) -> None:
    """FILE.pysyms is for other programs alone."""
    path = session(t)
    before = read(t, "report", "-g", "-i", path).out
    t.run("rm", path + ".pysyms")
    check(read(t, "report", "-g", "-i", path).out == before, "nothing is lost")


def test_a_tree_has_the_frames_that_are_asked_for(t: Context) -> None:
    path = session(t)
    for word, change in {"merged": merged, "only": only, "native": native, "all": tuple}.items():
        lines = mapped(whole(), change)
        for wanted, options in (mapped(lines, by_function), ()), (lines, ("--lines",)):
            found = folded(t, path, "--python", word, *options)
            check(found == wanted, f"{word} {options}: {found}")
            tree = json.loads(read(t, "report", "-g", "--json", "--python", word, *options, "-i", path).out)["call_trees"][0]
            check(tree_stacks(tree) == wanted, f"{word} {options}: {tree_stacks(tree)}")
        ours = script_stacks(read(t, "export", "--format", "perf-script", "--python", word, "-i", path).out)
        check(ours == mapped(whole(), change), f"{word}: {ours}")
    check(folded(t, path) == folded(t, path, "--python", "merged"), "the default")
    done = t.ours("report", "-g", "--python", "mergd", "-i", path)
    check(done.status == 2 and "--python takes merged, only, native or all, not 'mergd'" in done.err, "a word", done)


def test_python_functions_have_a_table(t: Context) -> None:
    path = session(t)
    table = [
        ("40.00", "80.00", "40", "parse [app.py:5]"),
        ("40.00", "40.00", "40", "loads [json/__init__.py:299]"),
        ("10.00", "10.00", "10", "fib [app.py:9]"),
        ("3.00", "3.00", "3", "Key.__init__ [app.py:20]"),
        ("3.00", "3.00", "3", "Other.__init__ [app.py:30]"),
        ("0.00", "96.00", "0", "<module> [app.py:1]"),
    ]
    for words in ((), ("-g",), ("-g", "--python", "native")):
        done = read(t, "report", *words, "-i", path)
        rows = re.findall(r"^ +([\d.]+) +([\d.]+) +(\d+)  (\S+ \[.*\])$", done.out.split("= Python functions:")[1], re.M)
        check(rows == table, f"{words}: {rows}", done)
    found = json.loads(read(t, "report", "--json", "-i", path).out)["python_functions"]
    check([(f["label"], f["self_count"], f["count"]) for f in found] ==
          [(label, int(own), round(float(total))) for _, total, own, label in table], f"{found}")
    check(found[0]["lines"] == [{"line": 6, "count": 25}, {"line": 7, "count": 15}], f"{found[0]}")
    done = read(t, "report", "-s", "parse", "-i", path)
    check("parse [app.py:5]" in done.out and "fib" not in done.out and "no function" not in done.out, "-s", done)
    done = read(t, "report", "-s", "nobody", "-i", path)
    check("no function matches nobody" in done.out and "Python functions" not in done.out, "-s", done)
    check("Python functions" not in read(t, "report", "--sort", "module", "-i", path).out, "rows by other keys")
    check(", top 10 by innermost" in read(t, "report", "-i", path).out, "a short table")
    done = read(t, "report", "--sample-display-row", "3", "-i", path)
    check(", top 3 by innermost" in done.out and "Key.__init__" not in done.out.split("= Python functions:")[1], "three rows", done)


def sorted_rows(t: Context, path: str, *argv: str) -> dict[tuple, int]:
    """Counts by the columns of --sort, from CSV."""
    lines = read(t, "report", "--csv", "-i", path, *argv).out.splitlines()
    check(lines[0].startswith("overhead,count,"), f"columns: {lines[0]}")
    return {tuple(line.split(",")[2:]): int(line.split(",")[1]) for line in lines[1:]}


def test_rows_by_python_function_file_and_line(t: Context) -> None:
    path = session(t)
    app, package, nobody = t.path("app.py"), t.path("json/__init__.py"), "[native]"
    check(sorted_rows(t, path, "--sort", "python") == {
        ("parse",): 40, ("loads",): 40, ("fib",): 10, ("Key.__init__",): 3, ("Other.__init__",): 3, (nobody,): 4}, "python")
    check(sorted_rows(t, path, "--sort", "file") == {(app,): 56, (package,): 40, (nobody,): 4}, "file")
    lines = {"parse": {6: 25, 7: 15}, "fib": {12: 10}, "Key.__init__": {21: 3}, "Other.__init__": {31: 3}}
    by_line = {(name, f"app.py:{line}"): n for name, counts in lines.items() for line, n in counts.items()}
    by_line |= {("loads", "json/__init__.py:346"): 40, (nobody, nobody): 4}
    check(sorted_rows(t, path, "--sort", "python,line") == by_line, "python,line")
    check(sorted_rows(t, path, "--sort", "comm,file,line") == {
        ("python3", nobody if name == nobody else package if name == "loads" else app, line): n
        for (name, line), n in by_line.items()}, "comm,file,line")
    for key in ("symbol", "module", "addr"):
        done = t.ours("report", "--sort", "python," + key, "-i", path)
        check("wperf annotate -v" in done.err, "names the command that shows both", done)
        check(done.status == 2 and "cannot be used together" in done.err, key, done)
    native = t.run(t.wperf, "report", "--sort", "python", "-i", os.path.join(REPLAY, "calls.data"))
    check(native.status == 1 and "need Python frames, and its samples have none" in native.err, "a session without Python", native)


def test_samples_of_threads(t: Context) -> None:
    path = session(t)
    for options in ("--thread", "python3"), ("--tid", "100"), ("--thread", "nobody,100"):
        done = read(t, "report", *options, "-i", path)
        check("quality: 100 samples" in done.out, f"{options}", done)
        check(sum(folded(t, path, *options).values()) == 100, f"export, {options}")
    for options, known in (("--thread", "python"), "python3"), (("--tid", "10"), "100"):
        done = t.ours("report", *options, "-i", path)
        check(done.status == 1 and f"no sample matches {' '.join(options)}; the session's threads are {known}" in done.err, f"{options}", done)


def test_packages(t: Context) -> None:
    check(sorted_rows(t, session(t), "--sort", "package") == {("my code",): 96, ("[native]",): 4}, "rows")


def test_samples_of_python_files(t: Context) -> None:
    path = session(t)
    for pattern, n in {"app.py": 56, "__init__.py": 40, "json/__init__.py": 40, "*.py": 96, "/no/app.py": 0, "pp.py": 0}.items():
        done = t.ours("report", "--python-file", pattern, "-i", path)
        if n:
            check(f"quality: {n} samples" in done.out, pattern, done)
            check(sum(folded(t, path, "--python-file", pattern).values()) == n, f"export, {pattern}")
        else:
            check(done.status == 1 and f"no sample matches --python-file {pattern}" in done.err, pattern, done)
    check(sorted_rows(t, path, "--sort", "python", "--python-file", "app.py") == {
        ("parse",): 40, ("fib",): 10, ("Key.__init__",): 3, ("Other.__init__",): 3}, "rows")
    check(read(t, "annotate", "loads", "--python-file", "json/*", "-i", path).out.startswith("loads ["), "annotate")


def test_speedscope_has_files_and_lines(t: Context) -> None:
    document = json.loads(read(t, "export", "--format", "speedscope", "-i", session(t)).out)
    parse = [frame for frame in document["shared"]["frames"] if frame["name"] == "parse"]
    check(parse == [{"name": "parse", "file": t.path("app.py"), "line": 5}], f"a function stands once: {parse}")
    document = json.loads(read(t, "export", "--format", "speedscope", "--lines", "--python", "all", "-i", session(t)).out)
    frames = document["shared"]["frames"]
    check({"name": "parse", "file": t.path("app.py"), "line": 6} in frames, f"{frames}")
    check({"name": "parse", "file": t.path("app.py"), "line": 7} in frames, f"{frames}")
    check({"name": "loads", "file": t.path("json/__init__.py"), "line": 346} in frames, f"{frames}")
    check({"name": EVAL, "file": t.path("libpython.so")} in frames, f"{frames}")


def test_firefox_has_files_and_lines(t: Context) -> None:
    document = json.loads(read(t, "export", "--format", "firefox", "-i", session(t)).out)
    tables = document["shared"]
    texts = tables["stringArray"]
    functions, frames = tables["funcTable"], tables["frameTable"]
    lines = {(texts[functions["name"][f]], texts[tables["sources"]["filename"][functions["source"][f]]], line)
             for f, line in zip(frames["func"], frames["line"]) if functions["source"][f] is not None}
    check(lines == {("<module>", t.path("app.py"), 40), ("<module>", t.path("app.py"), 41),
                    ("<module>", t.path("app.py"), 42), ("parse", t.path("app.py"), 6), ("parse", t.path("app.py"), 7),
                    ("fib", t.path("app.py"), 10), ("fib", t.path("app.py"), 12),
                    ("loads", t.path("json/__init__.py"), 346), ("Key.__init__", t.path("app.py"), 21),
                    ("Other.__init__", t.path("app.py"), 31)}, f"{lines}")


def test_pprof_has_files_and_lines(t: Context) -> None:
    path = session(t)
    read(t, "export", "--format", "pprof", "-o", t.path("python.pb.gz"), "-i", path)
    done = t.run(need_tool("go"), "tool", "pprof", "-raw", t.path("python.pb.gz"))
    check(done.status == 0, "go tool pprof", done)
    for place in ("app.py:6", "app.py:7", "json/__init__.py:346"):
        check(re.search(r"\b(parse|loads) " + re.escape(t.path(place)) + r" ", done.out) is not None, place, done)
    check(f"<module> {t.path('app.py')}:40" in done.out, "a name in angle brackets", done)
    with gzip.open(t.path("python.pb.gz")) as file:
        check(b"parse [" not in file.read(), "functions have their names")


def test_a_flame_graph_shows_lines(t: Context) -> None:
    path = session(t)
    svg = read(t, "export", "--format", "svg", "-i", path).out
    check("parse [app.py:5]\napp.py: 80 samples, 80.00 %" in svg and "parse [app.py:6]" not in svg, "a function")
    svg = read(t, "export", "--format", "svg", "--lines", "-i", path).out
    check("parse [app.py:6]\napp.py: 65 samples, 65.00 %" in svg, "a line")
    check(">Python</text>" in svg, "the legend")


def test_perf_shows_names(t: Context) -> None:
    perf = need_tool("perf")
    path = session(t)
    done = t.run(perf, "script", "-i", path)
    check(script_stacks(done.out) == whole(), f"{script_stacks(done.out)}", done)
    done = t.run(perf, "report", "--stdio", "--no-children", "-i", path)
    check("--parse [app.py:6]" in done.out, "perf report", done)


def test_perf_script_is_as_perf_writes_it(t: Context) -> None:
    path = session(t)
    ours = read(t, "export", "--format", "perf-script", "--python", "all", "-i", path).out
    check(script_stacks(ours) == whole(), f"{script_stacks(ours)}")
    perf = t.run(need_tool("perf"), "script", "-i", path)
    names = [re.findall(r"^\t *[0-9a-f]+ (.*)$", text, re.M) for text in (ours, perf.out)]
    check(names[0] == names[1], "functions, offsets and modules", perf)


def write_source(t: Context) -> None:
    with open(t.path("app.py"), "w", encoding="utf-8") as file:
        definitions = {5: "def parse(text): ", 9: "def fib(n): ", 20: "def __init__(self): ", 30: "def __init__(self): "}
        file.writelines(f"{definitions.get(number, '')}line {number} of app\n" for number in range(1, 61))


def listed(text: str) -> dict[int, tuple[float, float, int, str]]:
    """For each line with own samples: percent of the file or function and of all, count, source."""
    return {int(line): (float(own), float(of_all), int(count), source) for own, of_all, _, count, line, source in
            re.findall(r"^ *([\d.]+) +([\d.]+) +([\d.]+) +(\d+) +(\d+)  (.*)$", text, re.M)}


def totals(text: str) -> dict[int, float]:
    """For each line with samples, its own or of its callees: percent of all."""
    rows = [row.split() for row in re.findall(r"^((?: +[\d.]+)+)  (?=\S|$)", text, re.M)]
    return {int(row[-1]): float(row[2] if len(row) == 5 else row[0]) for row in rows if len(row) in (2, 5)}


def test_annotate_shows_lines_of_a_file(t: Context) -> None:
    path = session(t)
    write_source(t)
    counts = {6: 25, 7: 15, 12: 10, 21: 3, 31: 3}
    for word in ("app.py", t.path("app.py"), "a??.py"):
        done = read(t, "annotate", word, "-i", path)
        check(done.out.startswith(t.path("app.py") + ": 56 of 100 samples of cpu-clock (56.00 %)"), "heading", done)
        check(listed(done.out) == {line: (round(n / .56, 2), float(n), n, f"line {line} of app")
                                   for line, n in counts.items()}, f"{listed(done.out)}", done)
        check(totals(done.out) == {6: 65, 7: 15, 10: 10, 12: 10, 21: 3, 31: 3, 40: 80, 41: 10, 42: 6}, f"{totals(done.out)}", done)
        for line in (3, 8, 15, 18, 34):
            check(f"{line:>37}  line {line} of app\n" in done.out, f"line {line}, beside others", done)
        check("line 16 of app" not in done.out and "line 35" not in done.out, "lines far off", done)
    done = read(t, "annotate", "json/__init__.py", "-i", path)
    check("note: the source file was not found" in done.out and listed(done.out) == {346: (100.0, 40.0, 40, "")}, "no source", done)
    with open(t.path("app.py"), "w", encoding="utf-8") as file:
        file.write("\x1b[31m\n" * 60)
    check("\x1b" not in read(t, "annotate", "app.py", "-i", path).out, "source can't drive a terminal")


def test_a_sample_counts_once_for_a_line(t: Context) -> None:
    """Although a generator expression is a function of its own, which the line calls."""
    harness.need_events()
    with open(t.path("once.py"), "w", encoding="ascii") as file:
        file.write("def work(n):\n    return sum(i * i for i in range(n))\nwork(3000000)\n")
    t.good("record", "-q", "--", "/usr/bin/python3.11", "once.py")
    done = t.good("annotate", "once.py")
    line = re.search(r"^ +[\d.]+ +[\d.]+ +([\d.]+) +\d+ +2      return", done.out, re.M)
    check(line is not None and 50 < float(line[1]) <= totals(done.out).get(3, 0) <= 100, "the totals of both lines", done)


def test_annotate_shows_lines_of_a_function(t: Context) -> None:
    path = session(t)
    write_source(t)
    done = read(t, "annotate", "parse", "-i", path)
    check(done.out.startswith(f"parse [app.py:5]: 40 of 100 samples of cpu-clock (40.00 %)"), "heading", done)
    check({line: row[2] for line, row in listed(done.out).items()} == {6: 25, 7: 15}, "lines", done)
    check(EVAL not in done.out, "native functions", done)
    for word in "__init__", "^__init__$":
        done = read(t, "annotate", word, "-i", path)
        check("Key.__init__ [app.py:20]" in done.out and "Other.__init__ [app.py:30]" in done.out, "without the class", done)
    done = read(t, "annotate", "__init__$", "-v", "-i", path)
    check(done.out.count("samples of cpu-clock (3.00 %)") == 2, "both functions", done)
    check(re.search(r"^ +3 +21  line 21 of app\n +3 +sorted_impl \[libpython\.so\]$", done.out.replace("100.00    3.00    3.00", ""),
                    re.M) is not None, "native functions", done)
    found = json.loads(read(t, "annotate", "parse", "--json", "-i", path).out)["annotate"]
    check(len(found) == 1 and found[0]["python_function"] == "parse [app.py:5]" and found[0]["hits"] == 40, f"{found}")
    check(found[0]["lines"][0] == {"line": 6, "count": 25, "share": 62.5, "share_of_all": 25.0,
                                   "total_count": 65, "total_share_of_all": 65.0,
                                   "source": "line 6 of app",
                                   "native": [{"function": EVAL, "module": "libpython.so", "count": 25}]}, f"{found}")
    done = t.ours("annotate", "nobody", "-i", path)
    check(done.status == 1 and "no sample is in a function 'nobody' itself" in done.err, "nobody", done)


def with_accesses(path: str) -> str:
    """The session with a latency of 7 cycles and a source of data (a load from the first cache) in each sample."""
    with open(path, "rb") as file:
        old = bytearray(file.read())
    attrs_at, data_at, data_bytes = (struct.unpack_from("<Q", old, at)[0] for at in (24, 40, 48))
    data, at = b"", data_at
    while at < data_at + data_bytes:
        kind, misc, size = struct.unpack_from("<IHH", old, at)
        body = old[at + 8:at + size] + (struct.pack("<QQ", 7, 0x2 | 0xa << 5) if kind == 9 else b"")
        data += struct.pack("<IHH", kind, misc, 8 + len(body)) + body
        at += size
    head, rest = old[:data_at], old[data_at + data_bytes:]
    struct.pack_into("<Q", head, 48, len(data))
    struct.pack_into("<Q", head, attrs_at + 24, struct.unpack_from("<Q", old, attrs_at + 24)[0] | 1 << 14 | 1 << 15)
    for number in range(int.from_bytes(old[72:104], "little").bit_count()):
        offset = struct.unpack_from("<Q", rest, 16 * number)[0]
        struct.pack_into("<Q", rest, 16 * number, offset + len(data) - data_bytes)
    with open(path, "wb") as file:
        file.write(head + data + rest)
    return path


def test_accesses_by_python_function(t: Context) -> None:
    done = t.ours("report", "--mem", "--sort", "python", "-i", session(t))
    check(done.status == 1 and "no sample says what it did to memory" in done.err, "no accesses", done)
    path = with_accesses(session(t))
    rows = json.loads(read(t, "report", "--mem", "--sort", "python", "--json", "-i", path).out)["accesses"][0]["rows"]
    found = {row["python"]: row["count"] for row in rows}
    check(found == {"loads": 40, "parse": 40, "fib": 10, "Key.__init__": 3, "Other.__init__": 3, "[native]": 4}, f"{found}")
    done = read(t, "report", "--mem", "--sort", "python", "--describe", "-i", path)
    check("python     the Python function that ran" in done.out, "the column is explained", done)


def test_an_archive_has_the_source(t: Context) -> None:
    path = session(t)
    write_source(t)
    before = read(t, "annotate", "app.py", "-i", path).out
    read(t, "archive", "-i", path, "-o", t.path("packed.data"))
    t.run("rm", t.path("app.py"))
    after = read(t, "annotate", "app.py", "-i", t.path("packed.data")).out
    check(listed(after) == listed(before) and listed(after)[6][3] == "line 6 of app", f"{before}\n{after}")


def test_many_samples(t: Context) -> None:
    """Several threads read them."""
    path = session(t, 2000)
    for word, change in {"merged": merged, "only": only, "native": native}.items():
        found = folded(t, path, "--python", word)
        wanted = mapped(mapped(whole(), change), by_function)
        check(found == collections.Counter({stack: n * 2000 for stack, n in wanted.items()}), word)
    check(sorted_rows(t, path, "--sort", "python") == {
        ("parse",): 80000, ("loads",): 80000, ("fib",): 20000, ("Key.__init__",): 6000, ("Other.__init__",): 6000,
        ("[native]",): 8000}, "rows")
    check("80.00    40.00 *     parse [app.py:5]" in read(t, "report", "-g", "-i", path).out, "a tree")
    check("65.00    25.00 *     parse [app.py:6]" in read(t, "report", "-g", "--lines", "-i", path).out, "a tree of lines")


def test_dump_shows_the_section(t: Context) -> None:
    path = session(t)
    done = read(t, "dump", "-i", path)
    check("address 0x1000000000010 function loads" in done.out, "text", done)
    section = json.loads(read(t, "dump", "--json", "-i", path).out)["features"]["WPERF_PYTHON"]
    check(section["merged"] == 96 and section["native"][0] == {"stacks": 1, "reason": "in start-up"}, f"{section}")
    check({"address": "0x1000000000020", "function": "parse", "file": t.path("app.py"), "first_line": 5, "line": 6}
          in section["places"], f"{section}")


def test_an_archive_keeps_the_names(t: Context) -> None:
    path = session(t)
    before = read(t, "report", "-g", "-i", path).out
    read(t, "archive", "-i", path, "-o", t.path("packed.data"))
    t.run("rm", path + ".pysyms", t.path("libpython.so"), t.path("_json.so"))
    after = read(t, "report", "-g", "-i", t.path("packed.data")).out
    check([line for line in after.splitlines() if "[app.py" in line] ==
          [line for line in before.splitlines() if "[app.py" in line], f"{after}")


if __name__ == "__main__":
    harness.main(__name__)
