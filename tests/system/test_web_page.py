#!/usr/bin/python3
"""The HTML page, in Chromium: its figures are those of report, every part works, names of functions stay text, nothing leaves the page."""
import base64
import json
import os
import random
import re
import zlib

import harness
from harness import Context, check, need_events, need_tool
from page_checks import check_clean, check_fits, check_names, open_page, percent, views_of
from web_browser import Browser, Page

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "show", "page"))
APP = r"""import json
import re
import threading

def parse(text):
    return [json.loads(line) for line in text.splitlines()]

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def worker():
    for _ in range(120):
        fib(18)

class Rows:
    def total(self, rows):
        return sum(int(re.search(r"-(\d+)", value).group(1)) for row in rows for value in row.values())

threads = [threading.Thread(target=worker) for _ in range(2)]
for thread in threads:
    thread.start()
text = "\n".join(json.dumps({f"key{i}": f"value-{i * j}" for i in range(20)}) for j in range(200))
for _ in range(50):
    Rows().total(parse(text))
for thread in threads:
    thread.join()
"""
# Functions, files, arguments and a thread whose names would end or open something, or run.
HOSTILE = r"""
import ctypes
import sys
import time

def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(2000))

def named(name, file):
    code = work.__code__.replace(co_name=name, co_filename=file)
    return type(work)(code.replace(co_qualname=name) if hasattr(code, "co_qualname") else code, globals())

ctypes.CDLL(None).prctl(15, b"</script><b>x", 0, 0, 0)
for name in sys.argv[1:]:
    named(name, "/tmp/" + name + ".py")(0.06)
"""
HOSTILE_NAMES = ["</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=2>", "\"><svg onload=window.hacked=3>", "'-window.hacked=4-'",
                 "javascript:window.hacked=5", "${window.hacked=6}", "__proto__", "constructor", "]]><!--", "a\u202eb\u2028\u2029c", "&lt;b&gt;&#x41;"]
CHOICES = {"merged": "Python + native", "only": "Python", "native": "Native", "all": "All"}
TREE = """(function () { var app = window.wperf, texts = app.profile.texts, f = app.profile.functions, text = function (id) { return texts[id]; };
  return {n: app.shape.n, parent: Array.from(app.shape.parent), fn: Array.from(app.shape.fn), count: Array.from(app.sums.selfCount),
          names: Array.from(f.name, text), modules: Array.from(f.module, text)}; }())"""
ROWS = """Array.from(document.querySelectorAll('.functions tbody tr'), function (row) {
  return Array.from(row.cells, function (cell) { return cell.textContent; }).concat(row.cells[0].title, row.cells[1].title); })"""


def record_python(t: Context, *options: str) -> None:
    need_events()
    with open(t.path("app.py"), "w", encoding="utf-8") as file:
        file.write(APP)
    os.chmod(t.path("app.py"), 0o644)
    done = t.ours("record", "-q", "-g", *options, "--", "/usr/bin/python3", "app.py")
    check(done.status == 0, "record", done)


# --- figures ---


def plain_name(name: str, module: str) -> tuple[str, str]:
    """Without the line of a Python function, which is that of the call in trees of report and that of the definition on the page; code without a
    name by its address alone."""
    name = re.sub(r" \[[^\[\]]*\]$", "", name)
    bare = re.fullmatch(r"\[(.*?)(?:\+(0x[0-9a-f]+))?\]", name)
    if bare and bare[2]:
        return bare[2], module
    return ("unknown" if bare and (name == "[unknown]" or bare[1] == module or name == module) else name), module


def tree_of_page(browser: Browser) -> dict[tuple, int]:
    tree = browser.run(TREE)
    paths: list[tuple] = [()]
    for node in range(1, tree["n"]):
        fn = tree["fn"][node]
        paths.append(paths[tree["parent"][node]] + (plain_name(tree["names"][fn], tree["modules"][fn]),))
    return sums_of(paths, tree["count"])


def sums_of(paths: list[tuple], counts: list[int]) -> dict[tuple, int]:
    sums: dict[tuple, int] = {}
    for path, count in zip(paths, counts):
        if count:
            sums[path] = sums.get(path, 0) + count
    return sums


def tree_of_report(document: dict) -> dict[tuple, int]:
    tree = document["call_trees"][0]
    paths: list[tuple] = [()]
    for parent, fn, *_ in tree["nodes"]:
        function = tree["functions"][fn]
        paths.append(paths[parent] + (plain_name(function["name"], function["module"]),))
    return sums_of(paths, [0] + [node[2] for node in tree["nodes"]])


def sums_by_function(tree: dict[tuple, int]) -> dict[tuple, list[int]]:
    """By name and module: own samples, and those with the function on the stack."""
    sums: dict[tuple, list[int]] = {}
    for path, count in tree.items():
        for function in set(path):
            sums.setdefault(function, [0, 0])[1] += count
        sums[path[-1]][0] += count
    return sums


def rows_of_page(browser: Browser) -> dict[tuple, list[int]]:
    """The table of functions, from the numbers in its cells."""
    while browser.run("(function () { var more = document.querySelector('.table-scroll .more'); if (more.hidden) return false; more.click(); return true; }())"):
        pass
    sums: dict[tuple, list[int]] = {}
    total = browser.run("window.wperf.sums.nSamples")
    for self_share, total_share, name, module, self_title, total_title in browser.run(ROWS):
        counts = [int(title.split()[0].replace(",", "")) for title in (self_title, total_title)]
        for share, count in zip((self_share, total_share), counts):
            check(share == percent(count, total), f"{name}: {share} of {count} samples in {total}")
        row = sums.setdefault(plain_name(name, module), [0, 0])
        row[0] += counts[0]
        row[1] += counts[1]
    return sums


def different(ours: dict, theirs: dict) -> list:
    """Some of what is not the same."""
    return [(key, ours.get(key), theirs.get(key)) for key in set(ours) | set(theirs) if ours.get(key) != theirs.get(key)][:3]


def choose_frames(browser: Browser, python: str) -> None:
    browser.run("(function () { Array.from(document.querySelectorAll('.choice button')).find(function (button) {"
                f" return button.textContent === {json.dumps(CHOICES[python])}; }}).click(); }}())")


def check_figures(t: Context, browser: Browser, session: str, has_python: bool) -> None:
    browser.click("#tab-functions")
    for python in CHOICES if has_python else ["merged"]:
        document = json.loads(t.ours("report", "-i", session, "-g", "--json", "--python", python).out)
        if has_python:
            choose_frames(browser, python)
        tree = tree_of_report(document)
        check(tree_of_page(browser) == tree, f"{session}, {python}: another tree: {different(tree_of_page(browser), tree)}")
        rows, expected = rows_of_page(browser), sums_by_function(tree)
        # Functions of one name and module are one in the comparison; then totals of their sums may count a sample twice.
        check({key: row[0] for key, row in rows.items()} == {key: row[0] for key, row in expected.items()}, f"{session}, {python}: other rows")
        check(all(rows[key][1] >= row[1] for key, row in expected.items()), f"{session}, {python}: other totals")
        same = sum(rows[key] == row for key, row in expected.items())
        check(same >= 0.9 * len(rows), f"{session}, {python}: {same} of {len(rows)} rows are the same")


def check_python_rows(t: Context, browser: Browser, session: str) -> None:
    """Against the table of Python functions, whose labels have the first line, too."""
    choose_frames(browser, "only")
    document = json.loads(t.ours("report", "-i", session, "--json").out)
    rows = {row[2]: (row[4], row[5]) for row in browser.run(ROWS)}
    for function in document["python_functions"]:
        if function["self_count"]:
            expected = tuple(f"{function[key]:,} sample" + ("s" if function[key] != 1 else "") for key in ("self_count", "count"))
            check(rows.get(function["label"]) == expected, f"{function['label']}: {rows.get(function['label'])}, not {expected}")


def test_figures_are_those_of_report(t: Context) -> None:
    record_python(t)
    t.good("report", "-q", "-o", "python.html")
    browser = open_page(t, "python.html")
    try:
        check_figures(t, browser, "wperf.data", True)
        check_python_rows(t, browser, "wperf.data")
        check_clean(browser, "python.html")
    finally:
        browser.close()


def test_figures_of_other_sessions(t: Context) -> None:
    """Ten sessions of perf, simpleperf and hiperf."""
    corpus = os.path.join(os.environ.get("WPERF_CORPUS", ""), "perfdata")
    names = ["simpleperf/scripts/test/script_testdata/aggregatable_perf1.data", "quipper/perf.data.throttle-3.8", "hiperf/perfnew.data",
             "quipper/perf.data.callgraph_and_branch-3.4", "simpleperf/testdata/perf_no_unwind.data", "simpleperf/testdata/perf_with_jit_symbol.data",
             "quipper/perf.data.hw_and_sw-3.4", "perf_to_profile/multi-event-single-process.perf.data", "simpleperf/testdata/perf_g_fp.data",
             "quipper/perf.data.callgraph-3.8"]
    if not os.environ.get("WPERF_CORPUS"):
        raise harness.Skip("WPERF_CORPUS")
    browser = Browser(need_tool("chromium"))
    try:
        for name in names:
            session = os.path.join(corpus, name)
            t.ours("report", "-q", "-i", session, "-o", "page.html")
            browser.open(t.path("page.html"))
            browser.click("#tab-functions")
            tree = tree_of_report(json.loads(t.ours("report", "-i", session, "-g", "--json").out))
            check(tree_of_page(browser) == tree, f"{name}: another tree")
            check_clean(browser, "page.html")
    finally:
        browser.close()


def test_lines_are_those_of_annotate(t: Context) -> None:
    """Own samples by line of the Python file."""
    record_python(t, "-o", "lines.data")
    t.good("report", "-q", "-i", "lines.data", "-o", "lines.html", "--python", "only")
    expected: dict[int, int] = {}
    for function in json.loads(t.ours("report", "-i", "lines.data", "--json").out)["python_functions"]:
        if function["file"].endswith("/app.py"):
            for line in filter(lambda each: each["count"], function["lines"]):
                expected[line["line"]] = expected.get(line["line"], 0) + line["count"]
    browser = open_page(t, "lines.html")
    try:
        total = browser.run("window.wperf.sums.nSamples")
        browser.click("#tab-source")
        check(browser.text(".source-side h2") == "app.py", "the hottest file")
        cells = browser.run("Array.from(document.querySelectorAll('.code tr[data-line]'), function (row) { return [row.dataset.line, row.cells[0].textContent, row.cells[3].textContent]; })")
        shown = {int(line): share for line, share, _ in cells if share}
        check(shown == {line: percent(count, total) for line, count in expected.items() if line}, f"{shown}, not {expected} of {total}")
        lines = APP.splitlines()
        check(len(cells) > 15 and all(text == lines[int(line) - 1] for line, _, text in cells), "the text of the lines")
    finally:
        browser.close()


WAITER = """\
import threading
import time
lock = threading.Lock()
def work():
    for _ in range(5):
        with lock:
            time.sleep(0.05)
            sum(range(300000))
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


MANY_THREADS = """\
import threading
import time
def work():
    while time.thread_time() < 0.3:
        sum(range(1000))
    done.wait()
done = threading.Barrier(13)
threads = [threading.Thread(target=work, name=f"worker-{i}") for i in range(12)]
for thread in threads:
    thread.start()
done.wait()
"""
STRIP_NAMES = "Array.from(document.querySelectorAll('button.strip-name'), function (e) { return e.textContent; })"


def test_a_thread_is_found_by_its_name(t: Context) -> None:
    need_events()
    with open(t.path("many.py"), "w", encoding="utf-8") as file:
        file.write(MANY_THREADS)
    t.good("record", "-q", "--session", t.path("x.data"), "--", "python3", "many.py")
    t.good("report", "-i", t.path("x.data"), "-o", t.path("many.html"))
    browser = open_page(t, "many.html")
    try:
        whole = browser.run("window.wperf.sums.nSamples")
        check(len(browser.run(STRIP_NAMES)) == 4, f"the first four: {browser.run(STRIP_NAMES)}")
        browser.type(".find-thread", "Worker-7")
        browser.settle()
        names = browser.run(STRIP_NAMES)
        check([name.split()[0] for name in names] == ["worker-7"], f"the one that was asked for: {names}")
        browser.press("Enter")
        browser.settle()
        check(0 < browser.run("window.wperf.sums.nSamples") < whole / 2, "Enter selects it")
        check_names(browser)
        check_fits(browser, "with a thread found")
        browser.type(".find-thread", "")
        browser.settle()
        check(len(browser.run(STRIP_NAMES)) == 4, "the first four again")
        check_clean(browser, "many.html")
    finally:
        browser.close()


def record_waiting(t: Context) -> None:
    """The page is wall.html."""
    need_events()
    with open(t.path("waiter.py"), "w", encoding="utf-8") as file:
        file.write(WAITER)
    done = t.ours("record", "-q", "--wall", "--html", "wall.html", "--", "/usr/bin/python3", "waiter.py")
    check(done.status == 0, "record", done)


def check_waiting(browser: Page, first: str) -> None:
    words = [state["word"] for state in browser.run("window.wperf.profile.wall.states")]
    check(browser.run("Array.from(document.querySelectorAll('.timeline .wall-states li'), function (e) { return e.textContent; })") == words, "the states of the strips")
    colors = browser.run("Array.from(document.querySelectorAll('.timeline .wall-states .key'), function (e) { return e.style.background; })")
    check(len(set(colors)) == len(words), f"colours of {words}: {colors}")
    said = set()
    for number in range(1, browser.run("Math.min(4, document.querySelectorAll('.strip').length - 1)") + 1):
        strip = browser.box(f".strips > :nth-child({2 * number + 2})")
        for part in range(1, 20):
            browser.mouse("mouseMoved", strip["x"] + strip["width"] * part / 20, strip["y"] + 9)
            said.add(browser.text(".status").rpartition(" · ")[2])
    check("lock" in said, f"a strip says what its thread waited for: {said}")
    check(browser.run("Array.from(document.querySelectorAll('.strip[role=img]')).some(function (e) { return /over time: .*lock \\d+ %/.test(e.getAttribute('aria-label')); })"), "and so does its name")
    browser.click("#tab-waiting")
    check("lock" in browser.text(".wall-states") and browser.text(".wall tbody tr .name") == first, "the table")
    browser.click(f".wall th:nth-child({words.index('sleep') + 2}) button")
    check(browser.text(f".wall tbody tr td:nth-child({words.index('sleep') + 2})") != "", "sorted by another state")
    check(browser.run(f"document.querySelectorAll('.wall th')[{words.index('sleep') + 1}].getAttribute('aria-sort')") == "descending", "and the head says so")


def test_waiting_is_that_of_report(t: Context) -> None:
    record_waiting(t)
    wall = json.loads(t.ours("report", "--json").out)["wall"]
    browser = open_page(t, "wall.html")
    try:
        shown = browser.run("window.wperf.profile.wall")
        check({state["word"]: state["us"] for state in shown["states"]} == {word: round(s * 1e6) for word, s in wall["seconds"].items()}, f"states: {shown['states']}, not {wall['seconds']}")
        words = [state["word"] for state in shown["states"]]
        functions = [{"name": fn["name"], **{word: us for word, us in zip(words, fn["states"]) if us}} for fn in shown["functions"]]
        expected = [{"name": fn["function"], **{word: round(s * 1e6) for word, s in fn["seconds"].items() if round(s * 1e6)}} for fn in wall["functions"]]
        check(functions[:len(expected)] == expected[:len(functions)] and len(expected) > 1, f"functions: {functions[:3]}, not {expected[:3]}")
        lock = browser.run("""(function () { var w = window.wperf.profile.wall, lock = w.states.findIndex(function (s) { return s.word === 'lock'; }), n = 0;
            w.strips.forEach(function (strip) { strip.state.forEach(function (state) { n += state === lock; }); }); return n / w.nColumns * window.wperf.profile.runNs / 1e9; }())""")
        check(0.5 * wall["seconds"]["lock"] < lock < 1.5 * wall["seconds"]["lock"], f"strips: {lock} s of lock, not {wall['seconds']['lock']}")
        check_waiting(browser, expected[0]["name"])
        check_names(browser)
        check_clean(browser, "wall.html")
    finally:
        browser.close()


def test_instructions_have_all_samples_of_a_function(t: Context) -> None:
    record_python(t, "-o", "code.html")
    rows = json.loads(t.ours("report", "--json").out)["sampling"]["events"][0]["samples"]
    counts = {row["symbol"]: row["count"] for row in rows}
    browser = open_page(t, "code.html")
    try:
        code = browser.run("window.wperf.profile.code")
        check(len(code) > 5, "functions with instructions")
        for fn in code:
            check(sum(point["count"] for point in fn["points"]) == fn["count"], f"{fn['name']}: not all samples")
            addresses = [point["address"] for point in fn["points"]]
            check(addresses == sorted(set(addresses)), f"{fn['name']}: addresses")
        hottest = max(code, key=lambda fn: fn["count"])
        found = [count for symbol, count in counts.items() if symbol.partition(":")[0] == hottest["name"]]
        check(hottest["count"] in found, f"{hottest['name']}: {hottest['count']}, not {found}")
        browser.click("#tab-code")
        check(browser.text(".wanted .text") != "" or hottest["note"], "its hottest instruction")
        cells = browser.run("Array.from(document.querySelectorAll('#panel-code .code .heat'), function (cell) { return cell.textContent; })")
        shares = sum(float(cell.split()[0]) for cell in cells if cell)
        check(abs(shares - hottest["weight"] / browser.run("window.wperf.event.total") * 100) < 0.01 * len(cells), f"their shares: {shares}")
        check_names(browser)
        check_clean(browser, "code.html")
    finally:
        browser.close()


def record_sides(t: Context) -> None:
    """Three runs of a program that spends most of its time in `slow`, and three of one that does not."""
    need_events()
    for side, n in (("a", 6), ("b", 1)):
        with open(t.path("sides.py"), "w", encoding="utf-8") as file:
            file.write(f"def slow():\n    return sum(i * i for i in range({n}00000))\n\ndef other():\n    return sorted(str(i) for i in range(60000))\n\nfor _ in range(4):\n    slow()\n    other()\n")
        for run in range(3):
            done = t.ours("record", "-q", "-g", "-o", f"{side}-{run}.data", "--", "/usr/bin/python3", "sides.py")
            check(done.status == 0, "record", done)


def test_a_comparison_has_the_verdicts_of_diff(t: Context) -> None:
    record_sides(t)
    line = ["diff", "--by", "python", *(f"a-{run}.data" for run in range(3)), "--", *(f"b-{run}.data" for run in range(3))]
    done = t.ours("diff", "-o", "diff.html", *line[1:])
    check(done.status == 0, "diff", done)
    document = json.loads(t.ours("diff", "--json", *line[1:]).out)
    browser = open_page(t, "diff.html")
    try:
        comparison = browser.run("window.wperf.profile.changes[0]")
        rows = {(row["name"], row["module"]): row for part in comparison["parts"][1:] for row in part["rows"]}
        expected = [row for row in document["rows"] if row["in"] == "both"]
        check(len(expected) > 2 and len(comparison["parts"][1]["rows"]) == len(expected), f"{len(expected)} rows in both")
        for row in expected:
            shown = rows[row["name"], row["module"]]
            check(shown["verdict"] == row["verdict"] + (row["why"] and ": " + row["why"]) and abs(float(shown["change"].split()[0]) - row["change_percent"]) < 0.06, f"{row}, shown: {shown}")
        slow = next(row for (name, _), row in rows.items() if name.startswith("slow.<locals>"))
        # On a busy machine three runs may not show it.
        check(slow["change"].startswith("-") and slow["direction"] == {"slower": 1, "faster": 2}.get(slow["verdict"].split(":")[0], 0), f"slow: {slow}")
        check("elapsed" in browser.text("#panel-changes") and "3 runs of A" in browser.text("#panel-changes"), "whole runs")
        browser.click("#tab-flame")
        total = browser.run("window.wperf.sums.total")
        check(total > 0 and browser.run("window.wperf.event.name").startswith("B: "), "B's flame graph")
        browser.run("(function () { var s = document.getElementById('event'); s.value = 1; s.dispatchEvent(new Event('change')); }())")
        check(browser.run("window.wperf.sums.total") > total, "A takes longer")
        check(re.search(r"A [\d.]+ m?s, B [\d.]+ m?s, -\d", browser.text(".status")), f"the status line: {browser.text('.status')}")
        for name in views_of(browser):
            browser.click("#tab-" + name)
            check_names(browser)
            check_fits(browser, name)
        check_clean(browser, "diff.html")
    finally:
        browser.close()


# --- parts ---


def check_flame(browser: Page) -> None:
    """The mouse describes, zooms and selects; keys do, too."""
    box = browser.box("#panel-flame .flame")
    browser.mouse("mouseMoved", box["x"] + 20, box["y"] + 19 * 3 + 9)
    browser.settle()
    described = browser.text(".status")
    check(re.search(r"\d samples? · \d+\.\d\d % of all", described), f"the status line: {described}")
    browser.click_at(box["x"] + 20, box["y"] + 19 * 3 + 9)
    check(not browser.run("document.querySelector('#panel-flame .back').hidden"), "zoomed")
    check(browser.run("window.wperf.selected") >= 0, "selected")
    browser.click("#panel-flame .back")
    check(browser.run("document.querySelector('#panel-flame .back').hidden"), "not zoomed")
    browser.run("document.querySelector('#panel-flame .flame').focus()")
    said = []
    for key in ("Home", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "Enter"):
        browser.press(key)
        said.append(browser.text(".status"))
    check(said[1] != said[0] and said[2] != said[1] and said[5] == said[1] and said[6] == said[1], f"keys: {said}")
    check(not browser.run("document.querySelector('#panel-flame .back').hidden"), "Enter zooms")
    browser.press("Escape")
    check(browser.run("document.querySelector('#panel-flame .back').hidden"), "Escape does not")


def matched(browser: Page, text: str) -> str:
    browser.type("#search", text)
    return browser.text(".found")


def check_search(browser: Page, tree: dict[tuple, int]) -> None:
    total = sum(tree.values())
    weight = sum(count for path, count in tree.items() if any("fib" in name for name, _ in path))
    check(matched(browser, "FIB") == f"1 function, {percent(weight, total)}", f"a text: {browser.text('.found')}, {weight} of {total}")
    browser.click(".regular")
    both = sum(count for path, count in tree.items() if {("fib", "app.py"), ("parse", "app.py")} & set(path))
    check(matched(browser, r"^(fib|parse) \[app") == f"2 functions, {percent(both, total)}", f"an expression: {browser.text('.found')}, {both} of {total}")
    browser.click("#tab-source")
    lit = browser.run("Array.from(document.querySelectorAll('.code .text.lit'), function (cell) { return cell.textContent.trim(); })")
    matched(browser, "fib")
    check(lit == [] and [line.strip() for line in APP.splitlines() if "fib" in line] ==
          browser.run("Array.from(document.querySelectorAll('.code .text.lit'), function (cell) { return cell.textContent.trim(); })"), "matching lines are lit")
    check(matched(browser, "(") == "not a regular expression", "no expression")
    check(browser.run("document.querySelectorAll('.lit').length") == 0, "and nothing is lit")
    browser.click(".regular")
    check(matched(browser, "") == "", "no search")


def check_table(browser: Page) -> None:
    browser.press("Escape")
    browser.run("document.activeElement.blur()")
    browser.press("2")
    for column, key in ((2, 1), (3, 2), (1, 0)):
        browser.click(f".functions th:nth-child({column}) button")
        cells = [row[key] for row in browser.run(ROWS)]
        values = [float(cell.split()[0]) for cell in cells] if key < 2 else cells
        check(values == sorted(values, reverse=key < 2), f"sorted by column {column}: {values[:9]}")
    browser.type(".filter", "fib")
    check([row[2] for row in browser.run(ROWS)] == ["fib [app.py:8]"], "filtered")
    browser.click(".functions tbody .name button")
    check(browser.text(".detail h2") == "fib [app.py:8]", "callers and callees of the selected function")
    browser.click(".actions button")
    check(browser.text(".code .wanted .text").strip().startswith("return n if n < 2"), "its hottest line")
    browser.press("2")
    browser.type(".filter", "")


def check_selection(browser: Page, tree: dict[tuple, int]) -> None:
    whole = browser.run("window.wperf.sums.nSamples")
    check(whole == sum(tree.values()), "all samples")
    strip = browser.box(".strip")
    middle = strip["y"] + strip["height"] / 2
    parts = []
    for part in range(4):
        browser.drag(strip["x"] + strip["width"] * part / 4 + (0.5 if part else 0), middle, strip["x"] + strip["width"] * (part + 1) / 4)
        parts.append(browser.run("window.wperf.sums.nSamples"))
    check(all(part < whole for part in parts) and abs(sum(parts) - whole) <= 8, f"four quarters of {whole}: {parts}")
    check(browser.run("window.wperf.sums.nSamples") == sum(int(row[4].split()[0]) for row in browser.run(ROWS)), "the table has the selected samples")
    browser.click(".timeline .back")
    threads = []
    for number in range(browser.run("document.querySelectorAll('button.strip-name').length")):
        browser.run(f"document.querySelectorAll('button.strip-name')[{number}].click()")
        threads.append(browser.run("window.wperf.sums.nSamples"))
    check(len(threads) == 3 and sum(threads) == whole, f"three threads: {threads} of {whole}")
    browser.click(".timeline .back")
    check(browser.run("window.wperf.sums.nSamples") == whole, "all again")
    browser.run("document.querySelector('.strip').focus()")
    browser.press("ArrowRight")
    first = browser.run("window.wperf.selection.to")
    browser.press("ArrowRight")
    check(browser.run("window.wperf.selection.to") > first, "arrows move the selected time")
    browser.press("Home")
    check(browser.run("window.wperf.sums.nSamples") == whole, "and Home selects all")


def test_every_part_works(t: Context) -> None:
    record_python(t, "-o", "parts.html")
    check(os.path.exists(t.path("wperf.data")), "record keeps the session")
    tree = tree_of_report(json.loads(t.ours("report", "-g", "--json").out))
    browser = open_page(t, "parts.html")
    try:
        check(int(browser.run("document.documentElement.dataset.ready")) < 20000, "ready")
        check_flame(browser)
        check_search(browser, tree)
        check_table(browser)
        check_selection(browser, tree)
        browser.press("i")
        views = views_of(browser)
        check(views[:3] + views[-1:] == ["flame", "functions", "source", "about"], f"views: {views}")
        for number, name in enumerate(views, 1):
            browser.run("document.activeElement.blur()")
            browser.press(str(number))
            check(browser.run(f"document.getElementById('tab-{name}').getAttribute('aria-selected')") == "true", f"key {number}")
            check_names(browser)
        facts = browser.text(".about-page")
        check(all(word in facts for word in ("wperf record", "quality: ", "app.py", "samples, skid")), f"what was measured: {facts}")
        browser.click(".theme")
        check(browser.run("document.documentElement.dataset.theme") == "dark", "dark by the button")
        check_clean(browser, "parts.html")
    finally:
        browser.close()


def test_it_fits_small_windows(t: Context) -> None:
    record_python(t, "-o", "sizes.html")
    browser = open_page(t, "sizes.html")
    try:
        browser.click("#tab-functions")
        check(browser.text(".detail h2") == browser.text(".functions tbody .name") != "", "a wide page begins with the hottest function")
        for width, height, scale in ((1300, 900, 1), (800, 600, 1), (400, 800, 1), (1300, 900, 2)):
            browser.resize(width, height, scale)
            for name in views_of(browser):
                browser.run(f"document.getElementById('tab-{name}').click()")
                browser.settle()
                if name in ("functions", "source"):
                    cell = browser.box(f"#panel-{name} tbody tr:not(.gap) " + (".name" if name == "functions" else ".text"))
                    check(cell["width"] >= 150, f"{name} at {width}x{height}, zoom {scale}: {cell['width']} pixels for the text")
                check_fits(browser, f"{name} at {width}x{height}, zoom {scale}")
                for dark in (False, True):
                    browser.use_dark(dark)
                    browser.settle()
        check_clean(browser, "sizes.html")
    finally:
        browser.close()


# --- safety ---


def test_hostile_names_stay_text(t: Context) -> None:
    need_events()
    with open(t.path("hostile.py"), "w", encoding="utf-8") as file:
        file.write(HOSTILE)
    done = t.ours("record", "-q", "-g", "-o", "hostile.html", "--", "/usr/bin/python3", "hostile.py", *HOSTILE_NAMES)
    check(done.status == 0, "record", done)
    browser = open_page(t, "hostile.html")
    try:
        choose_frames(browser, "only")
        for tab in ("source", "about", "functions", "flame"):
            browser.click("#tab-" + tab)
        names = browser.run("Array.from(window.wperf.profile.functions.name, function (id) { return window.wperf.profile.texts[id]; })")
        for name in HOSTILE_NAMES[:7]:
            check(any(shown.startswith(name) for shown in names), f"no function {name}: {names[-20:]}")
        check(browser.run("document.querySelectorAll('#page script, #page img, #page svg, #page b > *').length") == 0, "elements out of names")
        browser.click("#tab-functions")
        for row in range(min(12, browser.run("document.querySelectorAll('.functions tbody tr').length"))):
            browser.run(f"document.querySelectorAll('.functions tbody .name button')[{row}].click()")
        for text in HOSTILE_NAMES:
            browser.type("#search", text)
        check_clean(browser, "hostile.html")
    finally:
        browser.close()


def test_hand_made_profiles(t: Context) -> None:
    """Hostile times, ids and texts, which no recorder writes."""
    for kind in ("ordinary", "hostile"):
        with open(t.path(kind + ".html"), "wb") as file:
            done = t.run(t.program("exporter"), "html", kind, stdout=file)
        check(done.status == 0, "exporter", done)
        browser = open_page(t, kind + ".html")
        try:
            for tab in ("functions", "source", "about", "flame"):
                browser.click("#tab-" + tab)
            check(browser.run("window.wperf.sums.nSamples") > 1, "samples")
            check_clean(browser, kind + ".html")
        finally:
            browser.close()


def test_the_policy_lets_nothing_in_and_out(t: Context) -> None:
    record_python(t, "-o", "policy.html")
    with open(t.path("policy.html"), encoding="utf-8") as file:
        text = file.read()
    check(not re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//", text), "no address of another file")
    with open(t.path("changed.html"), "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'></body>"))
    browser = open_page(t, "changed.html")
    try:
        check(browser.run("window.hacked") is None, "a script that is not the page's")
        check(browser.run("fetch('https://example.com/').then(function () { return 'sent'; }, function () { return 'refused'; })") == "refused", "a request")
        refused = [error for error in browser.errors if "Content Security Policy" in error]
        check(len(refused) >= 3, f"the policy refused the script, the picture and the request: {browser.errors}")
    finally:
        browser.close()


def test_a_session_without_samples_has_a_page(t: Context) -> None:
    need_events()
    done = t.ours("record", "-q", "-F", "1", "-o", "none.html", "--", "true")
    check(done.status == 0, "record", done)
    browser = open_page(t, "none.html")
    try:
        check("no samples: " in browser.text(".note"), f"why: {browser.text('.note')}")
        for name in views_of(browser):
            browser.click("#tab-" + name)
            check_names(browser)
        browser.type("#search", "x")
        browser.run("document.querySelector('.strip').focus()")
        browser.press("ArrowRight")
        check_clean(browser, "none.html")
    finally:
        browser.close()


# --- parts of the script ---


def deflated(data: bytes, level: int, strategy: int) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, 31, 8, strategy)
    return packer.compress(data) + packer.flush()


def test_inflate_unpacks_every_kind_of_block(t: Context) -> None:
    """Stored blocks, fixed and dynamic codes, long codes, distances of 32 KiB; zlib packed them."""
    source = random.Random(7)
    noise, words = source.randbytes(100000), b"".join(source.choice([b"samples", b"of", b"the", b"stack", b"\0\1"]) for _ in range(40000))
    skewed = bytes(min(255, int(source.expovariate(0.05))) for _ in range(200000))
    far = noise[:32768] + noise[:32768] + b"x" * 70000
    with open(os.path.join(SOURCE, "page_inflate.js"), encoding="utf-8") as file:
        script = file.read()
    browser = Browser(need_tool("chromium"))
    try:
        for name, data in (("nothing", b""), ("one", b"a"), ("noise", noise), ("words", words), ("skewed", skewed), ("far", far)):
            for level, strategy in ((0, zlib.Z_DEFAULT_STRATEGY), (1, zlib.Z_DEFAULT_STRATEGY), (9, zlib.Z_DEFAULT_STRATEGY), (6, zlib.Z_FIXED), (6, zlib.Z_HUFFMAN_ONLY)):
                packed = base64.b64encode(deflated(data, level, strategy)).decode()
                got = browser.run(f"(function () {{ {script}\nvar bytes = gunzip(base64Bytes('{packed}')), hash = 0; for (var i = 0; i < bytes.length; i++) hash = Math.imul(hash, 31) + bytes[i] | 0;"
                                  "return [bytes.length, hash]; }())")
                expected = 0
                for byte in data:
                    expected = (expected * 31 + byte) & 0xffffffff
                check(got == [len(data), expected - (1 << 32) if expected >> 31 else expected], f"{name}, level {level}, strategy {strategy}: {got}")
    finally:
        browser.close()


# --- the command line ---


def test_options_need_a_page(t: Context) -> None:
    record_python(t)
    for line, said in ((["report", "--open"], "--open applies to an HTML page: add -o FILE.html"),
                       (["report", "-o", "x.html", "--json"], "--json and -o x.html cannot be used together"),
                       (["export", "-o", "x.svg", "--strip-source"], "--strip-source applies to an HTML page: add -o FILE.html"),
                       (["record", "--open", "--", "true"], "--open applies to an HTML page: add -o FILE.html"),
                       (["report", "--html", "x.html", "-o", "y.html"], "--html and -o cannot be used together"),
                       (["export", "--html", "x.svg"], "--html takes a file that ends in .html, not 'x.svg'"),
                       (["diff", "--html", "x.json", "wperf.data", "wperf.data"], "--html takes a file that ends in .html"),
                       (["diff", "--code", "--html", "x.html", "wperf.data", "wperf.data"], "--code cannot be used with an HTML page")):
        done = t.ours(*line)
        check(done.status == 2 and said in done.err, f"{line}", done)
    done = t.ours("report", "-o", "over.html", "--open", env=harness.environment(SSH_CONNECTION="10.0.0.1 1 10.0.0.2 22"))
    check(done.status == 0 and "over.html was written, but not opened: this is an ssh connection" in done.err, "over ssh", done)
    with open(t.path("xdg-open"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "$1" > opened\n')
    os.chmod(t.path("xdg-open"), 0o755)
    done = t.ours("report", "-o", "here.html", "--open", env=harness.environment(DISPLAY=":9", PATH=t.folder + ":/usr/bin:/bin"))
    check(done.status == 0 and "opened here.html" in done.out, "with a display", done)
    harness.wait_until(lambda: os.path.exists(t.path("opened")) and os.path.getsize(t.path("opened")) > 0, "the browser's program")
    with open(t.path("opened"), encoding="utf-8") as file:
        check(file.read() == "here.html\n", "it gets the path")
    record_python(t, "-o", "other.data")
    for line in (["report"], ["export"], ["diff", "wperf.data", "other.data"]):
        t.good(*line[:1], "--html", line[0] + ".html", *line[1:])
        check(os.path.getsize(t.path(line[0] + ".html")) > 50000, f"{line[0]} --html")
    check(t.ours("record", "--html", "x", "--", "true").status == t.ours("record", "--open", "--", "true").status and not os.path.exists(t.path("x")), "record refuses the name")
    t.good("report", "-q", "-o", "bare.html", "--strip-source")
    browser = open_page(t, "bare.html")
    try:
        check(browser.run("window.wperf.profile.sources.length") == 0, "no source")
    finally:
        browser.close()


if __name__ == "__main__":
    harness.main(__name__)
