#!/usr/bin/python3
"""The same figures everywhere: text, CSV and JSON of report, the browser, and each format of export, cell by cell.

Functions are compared by their own samples and by those with their callees, in samples and in weights; formats that have times only,
by those.  Sessions are made here, recorded, and those of other tests; with WPERF_CORPUS in the environment, of simpleperf and perf.
"""
import json
import os
import pathlib
import re
import shutil
from typing import Iterator

import export_readers as readers
import harness
from export_readers import Sums, sums_of
from harness import Context, Done, Skip, check, csv_of, limit
from screens import Screen

REPLAY = pathlib.Path(__file__).resolve().parent.parent / "replay"
CORPUS = pathlib.Path(os.environ.get("WPERF_CORPUS", "/nowhere")) / "perfdata"
OF_CORPUS = ("simpleperf/testdata/perf_with_callchain_record.data", "simpleperf/testdata/perf_g_fp.data",
             "simpleperf/testdata/perf_with_jit_symbol.data", "simpleperf/testdata/perf_with_two_event_types.data",
             "quipper/perf.data.callgraph-3.8", "quipper/perf.data.singleprocess-3.4")
PYTHON_WORK = """
import json, threading
def fold(n):
    return n if n < 2 else fold(n - 1) + fold(n - 2)
def turn():
    for _ in range(3):
        fold(23)
        json.loads(json.dumps([{"key %d" % k: k * 1.5} for k in range(300)]))
threads = [threading.Thread(target=turn) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
US = 1000.0


def report(t: Context, session: str, *more: str) -> Done:
    done = t.ours("report", "-i", session, "--sample-display-row", "1000000", *more)
    check(done.status == 0, f"report of {session}", done)
    return done


def report_json(t: Context, session: str, *more: str) -> dict:
    return json.loads(report(t, session, "--json", *more).out)


def exported(t: Context, session: str, name: str, *more: str) -> str:
    path = t.path(name)
    done = t.ours("export", "-i", session, "-o", path, "--no-inlines", *more)
    check(done.status == 0, f"{name} of {session}", done)
    return path


def compare(what: str, got: dict, want: dict, slack: float = 0.001) -> None:
    """`slack` is of a cell, beside the tenth of a percent that rounded figures may differ."""
    wrong = []
    for name in sorted(set(got) | set(want)):
        pairs = list(zip(cells_of(got.get(name, 0)), cells_of(want.get(name, 0))))
        if any(abs(a - b) > slack + 1e-6 * max(abs(a), abs(b)) for a, b in pairs):
            wrong.append(f"{name}: {got.get(name)}, not {want.get(name)}")
    check(not wrong, f"{what}: {len(wrong)} of {len(want)} functions differ:\n" + "\n".join(wrong[:20]))


def cells_of(value: float | tuple[float, float]) -> tuple[float, float]:
    return value if isinstance(value, tuple) else (value, 0)


def own_of(sums: Sums) -> dict[str, float]:
    return {name: own for name, (own, _) in sums.items() if own}


# --- Tables of report ---


def text_rows(done: Done) -> dict[str, tuple[float, float]]:
    """Share and count by name, of the table of hot functions."""
    found = {}
    for line in done.out.split("Python functions:")[0].splitlines():
        match = re.match(r" +(\d+\.\d\d) +(\d+(?:\.\d+)?)  (\S.*)$", line)
        if match and not match[3].startswith("top "):
            found[match[3]] = (float(match[1]), float(match[2]))
    return found


def csv_rows(t: Context, session: str, event: str) -> list[dict[str, str]]:
    return [row for row in csv_of(report(t, session, "--csv", "--no-demangle")) if row.get("event", event) == event]


def check_tables(t: Context, session: str, event: str) -> None:
    """Rows of native functions: text, CSV and JSON."""
    rows = csv_rows(t, session, event)
    amount = "seconds" if rows and "seconds" in rows[0] else "count"
    want = {row["symbol"]: (float(row["overhead"]), float(row[amount])) for row in rows}
    document = report_json(t, session, "--no-demangle")
    events = [one for one in document["sampling"]["events"] if one["type"] == event]
    compare("JSON and CSV", {row["symbol"]: (row["overhead"], row[amount]) for row in events[0]["samples"]}, want, 0.006)
    if len(document["sampling"]["events"]) == 1:
        compare("text and CSV", text_rows(report(t, session, "--stdio", "--no-demangle")), want, 0.006)


def check_python(t: Context, session: str, event: str) -> None:
    """Functions of Python: the table's document, and stacks of which only they are left."""
    functions = [row for row in report_json(t, session).get("python_functions", ()) if row["event"] == event]
    if not functions:
        return
    stacks = readers.folded_stacks(exported(t, session, "python.folded", "--python", "only", "--event", event))
    labels = {row["label"] for row in functions}
    own: dict[str, float] = {}
    total: dict[str, float] = {}
    for names, value in stacks:
        inner = next((name for name in reversed(names) if name in labels), None)
        if inner:
            own[inner] = own.get(inner, 0) + value
        for name in set(names) & labels:
            total[name] = total.get(name, 0) + value
    compare("Python functions", {row["label"]: (row["self_count"], row["count"]) for row in functions},
            {label: (own.get(label, 0), total.get(label, 0)) for label in labels})


# --- Exports ---


def check_exports(t: Context, session: str, tree: dict) -> None:
    event = tree["event"]
    samples, weights = sums_of(readers.tree_stacks(tree, 2)), sums_of(readers.tree_stacks(tree, 3))
    of_event = ("--event", event)
    compare("folded", sums_of(readers.folded_stacks(exported(t, session, "x.folded", *of_event))), samples)
    compare("folded --weights", sums_of(readers.folded_stacks(exported(t, session, "w.folded", "--weights", *of_event))), weights)
    path = exported(t, session, "x.pb.gz", *of_event)
    compare("pprof samples", sums_of(readers.pprof_stacks(path, 0)), samples)
    compare("pprof weights", sums_of(readers.pprof_stacks(path, 1)), weights)
    path = exported(t, session, "x.callgrind", *of_event)
    compare("callgrind samples", readers.callgrind_own(path, 1), own_of(samples))
    compare("callgrind weights", readers.callgrind_own(path, 0), own_of(weights))
    speedscope = sums_of(readers.speedscope_stacks(exported(t, session, "x.speedscope.json"), event))
    compare("speedscope", speedscope, weights)
    firefox = readers.firefox_stacks(exported(t, session, "x.firefox.json", "--weights", *of_event))
    compare("firefox --weights", sums_of(firefox), weights, 1)
    if re.match(r"(cpu|task)-clock|wall-time", event):
        # A slice ends a microsecond before the next one begins.
        chrome = list(readers.chrome_stacks(exported(t, session, "x.trace.json", *of_event)))
        compare("chrome", sums_of(iter(chrome)), weights, US * len(chrome))


# --- The browser ---


def browser_rows(t: Context, session: str, keys: str) -> Iterator[list[str]]:
    """Cells of the rows of a page."""
    with Screen(t, t.wperf, "report", "-i", session, columns=200, rows=50) as screen:
        screen.wait("? help")
        for key in keys:
            screen.keys(key)
            screen.wait()
        number = len(list(pathlib.Path(t.folder).glob("wperf.hist.*"))) + 1
        screen.keys("P")
        screen.wait(f"written to wperf.hist.{number}")
        screen.keys("q")
        check(screen.ended() == 0, "leaves")
    for line in pathlib.Path(t.path(f"wperf.hist.{number}")).read_text(encoding="utf-8").splitlines():
        yield line.split(None, 3)


def check_browser_table(t: Context, session: str, event: str) -> None:
    """The first page of a session without Python frames."""
    want = {row["symbol"]: (float(row["overhead"]), int(row["count"])) for row in csv_rows(t, session, event)}
    compare("browser and CSV", {" ".join(cells[2:]): (float(cells[0]), int(cells[1])) for cells in browser_rows(t, session, "")}, want)


def check_browser(t: Context, session: str, tree: dict) -> None:
    """The page of Python and native functions, by names that stand once."""
    samples, weights = sums_of(readers.tree_stacks(tree, 2)), sums_of(readers.tree_stacks(tree, 3))
    all_weight = sum(node[3] for node in tree["nodes"])
    found: dict[str, list[list[str]]] = {}
    for cells in browser_rows(t, session, ""):
        found.setdefault(readers.plain(re.sub(r" \[[^\[\]]*\]+$", "", cells[3])), []).append(cells)
    states = sums_with_states(tree)
    for name, rows in found.items():
        if name and len(rows) == 1:
            own, count, total = float(rows[0][0]), int(rows[0][1]), float(rows[0][2])
            want_own = 100 * states.get(name, (0, 0))[0] / all_weight
            check(abs(own - want_own) < 0.006, f"browser: {name} has {own} %, not {want_own:.3f} %")
            check(abs(total - 100 * weights[name][1] / all_weight) < 0.006, f"browser: {name} has in total {total} %: {weights[name]}")
            check(states is not weights or count == samples[name][0], f"browser: {name} has {count} samples: {samples[name]}")
    check(bool(found), "rows")


def sums_with_states(tree: dict) -> Sums:
    """Weights, where a state of wall time counts for the function that waits."""
    is_state = [function["kind"] == "state" for function in tree["functions"]]
    paths: list[tuple[str, ...]] = [()]
    stacks = []
    for parent, function, _, weight in tree["nodes"]:
        paths.append(paths[parent] + (() if is_state[function] else (tree["functions"][function]["name"],)))
        stacks.append((paths[-1], weight))
    return sums_of(iter(stacks))


# --- Sessions ---


def check_session(t: Context, session: str, browser: bool = False) -> None:
    trees = report_json(t, session, "-g", "--no-inlines").get("call_trees") or []
    check(bool(trees), f"{session}: call trees")
    for tree in trees:
        if not any(node[2] for node in tree["nodes"]):
            continue
        check_tables(t, session, tree["event"])
        check_python(t, session, tree["event"])
        check_exports(t, session, tree)
    if browser:
        check_browser(t, session, trees[0])
    harness.note(f"{os.path.basename(session)}: {sum(node[2] for tree in trees for node in tree['nodes'])} samples, "
                 f"{sum(len(sums_of(readers.tree_stacks(tree, 2))) for tree in trees)} functions")


def copied(t: Context, name: str) -> str:
    return shutil.copy(REPLAY / name, t.folder)


@limit(240)
def test_a_session_of_python_and_c(t: Context) -> None:
    done = t.run(t.program("make_python_session"), t.folder, "3")
    check(done.status == 0, "make_python_session", done)
    check_session(t, t.path("python.data"), browser=True)


@limit(240)
def test_wall_time(t: Context) -> None:
    check_session(t, copied(t, "waits/waits.data"), browser=True)


@limit(240)
def test_an_archived_session(t: Context) -> None:
    check_session(t, copied(t, "archived_v1.data"))
    check_browser_table(t, t.path("archived_v1.data"), "cpu-clock")


@limit(240)
def test_processes_and_modules(t: Context) -> None:
    for name in "jobs.data", "calls.data":
        check_session(t, copied(t, name))


def recorded(t: Context, name: str, *argv: str) -> str:
    done = t.ours("record", "-q", "--session", name, *argv, cwd=t.folder)
    check(done.status == 0, f"{name} is recorded", done)
    return t.path(name)


@limit(400)
def test_programs_in_c_and_cpp(t: Context) -> None:
    for name, argv in (("paths.data", (t.program("paths"), "200")), ("fp.data", (t.program("paths_fp"), "200")),
                       ("shapes.data", (t.program("shapes"), "2000"))):
        check_session(t, recorded(t, name, "--", *argv))
    check_browser_table(t, t.path("paths.data"), "cpu-clock")


@limit(240)
def test_threads_and_children(t: Context) -> None:
    check_session(t, recorded(t, "family.data", "--", t.program("family"), "60", t.program("spin"), "100"))


@limit(240)
def test_two_events(t: Context) -> None:
    check_session(t, recorded(t, "two.data", "-e", "cpu-clock,page-faults", "--", t.program("shapes"), "2000"))


@limit(240)
def test_threads_of_python(t: Context) -> None:
    pathlib.Path(t.path("app.py")).write_text(PYTHON_WORK, encoding="ascii")
    check_session(t, recorded(t, "app.data", "--", "python3", "app.py"), browser=True)


@limit(400)
def test_sessions_of_other_recorders(t: Context) -> None:
    if not CORPUS.exists():
        raise Skip("WPERF_CORPUS")
    for name in OF_CORPUS:
        check_session(t, str(CORPUS / name))


if __name__ == "__main__":
    harness.main(__name__)
