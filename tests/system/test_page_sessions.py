#!/usr/bin/python3
"""The HTML page of many sessions, in Chromium: figures of page, terminal browser and document are the same, and small sessions that are made to
cause much work open without an error."""
import json
import os
import re

import harness
from harness import Context, check, limit, need_events, need_tool
from page_checks import check_clean, views_of
from screens import Screen
from test_hostile import make
from test_memory import written
from test_web_page import APP, different, sums_by_function, tree_of_page, tree_of_report
from web_browser import Browser

REPLAY = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
REPLAYED = ["archived_v1.data", "branches.data", "calls.data", "every_kind.data", "jobs.data", "spe_perf.data", "spe_wperf.data"]
TALL = 100
# By event: the samples of the innermost function that is not inlined, by name; code without a name is one.
FLAT = """(function () { var app = window.wperf, profile = app.profile, shape = app.shape, f = profile.functions, sums = {}, kind, node, name;
  for (node = 1; node < shape.n; node++) {
    if (!app.sums.selfCount[node]) continue;
    for (var at = node; f.kind[shape.fn[at]] & 8 && shape.parent[at]; at = shape.parent[at]);
    kind = f.kind[shape.fn[at]] & 7;
    name = kind === 3 || kind === 4 ? '?' : profile.texts[f.name[shape.fn[at]]];
    sums[name] = (sums[name] || 0) + app.sums.selfCount[node];
  }
  return sums; }())"""


def bare(symbol: str) -> str:
    """Without the module; code without a name is one."""
    name = symbol.strip().partition(":")[0]
    return "?" if name == "unknown" or re.fullmatch(r"0x[0-9a-f]+", name) else name


def sums_by_name(rows: list[tuple[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for symbol, count in rows:
        sums[bare(symbol)] = sums.get(bare(symbol), 0) + count
    return sums


def flat_of_report(t: Context, path: str) -> dict[str, int]:
    document = json.loads(t.ours("report", "-i", path, "--json", "--sort", "symbol", "--sample-display-row", "100000").out)
    return sums_by_name([(row["symbol"], row["count"]) for row in document["sampling"]["events"][0]["samples"]])


def check_browser(t: Context, path: str, expected: dict[str, int]) -> None:
    """What the terminal browser shows; of a long table, its first rows."""
    with Screen(t, t.wperf, "report", "-i", path, columns=200, rows=TALL) as screen:
        if "functions by self" in screen.wait("? help"):
            screen.keys("Escape")
        shown = screen.wait("by overhead")
    rows = [(symbol, int(count)) for count, symbol in re.findall(r"^ *\d+\.\d+ +(\d+) +(\S.*)$", shown, re.M)]
    is_whole = 0 < len(rows) < TALL - 5
    sums = sums_by_name(rows if is_whole else [(symbol, count) for symbol, count in rows[:40] if ":" not in symbol])
    check(len(sums) > 0, f"{path}: no rows")
    wanted = expected if is_whole else {name: expected.get(name, 0) for name in sums}
    check(sums == wanted, f"{path}: browser and document: {different(sums, wanted)}")


def sessions(t: Context) -> list[str]:
    """Ten: of perf, of wperf, of Arm SPE, with Python frames, of a program of this machine."""
    with open(t.path("app.py"), "w", encoding="utf-8") as file:
        file.write(APP)
    done = t.ours("record", "-q", "-g", "-o", "python.data", "--", "/usr/bin/python3", "app.py")
    check(done.status == 0, "record", done)
    done = t.ours("record", "-q", "-g", "-o", "native.data", "--", "/usr/bin/sort", "--parallel=1", "/usr/share/dict/words" if os.path.exists("/usr/share/dict/words") else t.wperf)
    check(os.path.exists(t.path("native.data")), "record", done)
    return [os.path.join(REPLAY, name) for name in REPLAYED] + [written(t, "together")[1], t.path("python.data"), t.path("native.data")]


@limit(300)
def test_figures_of_ten_sessions(t: Context) -> None:
    need_events()
    need_tool("tmux")
    paths = sessions(t)
    browser = Browser(need_tool("chromium"))
    try:
        for path in paths:
            t.good("report", "-q", "-i", path, "-o", "page.html", "--python", "native")
            browser.open(t.path("page.html"))
            shown, expected = browser.run(FLAT), flat_of_report(t, path)
            check(shown == expected, f"{path}: page and document: {different(shown, expected)}")
            check_browser(t, path, expected)
            tree = tree_of_report(json.loads(t.ours("report", "-i", path, "-g", "--json", "--python", "native").out))
            check(tree_of_page(browser) == tree, f"{path}: another tree: {different(tree_of_page(browser), tree)}")
            check(sum(row[0] for row in sums_by_function(tree).values()) == browser.run("window.wperf.sums.nSamples"), f"{path}: all samples")
            check_clean(browser, "page.html")
        check(len(paths) == 10, "ten sessions")
    finally:
        browser.close()


def hostile_sessions(t: Context) -> list[str]:
    """Long names, deep and many stacks, overlapping maps, many names of a thread, Python code whose names share one text."""
    module = make(t, "underscores", "names.elf", 300, 60000)
    return [make(t, f"samples:{module}", "names.data", 300), make(t, "stacks", "stacks.data", 3000, 300), make(t, "overlaps", "overlaps.data", 2000, 0),
            make(t, "comms", "comms.data", 3000, 0), make(t, "python-codes", "codes.data", 1000, 60000)]


@limit(300)
def test_hostile_sessions_open(t: Context) -> None:
    paths = hostile_sessions(t)
    browser = Browser(need_tool("chromium"))
    try:
        for path in paths:
            done = t.ours("report", "-q", "-i", path, "-o", "page.html")
            check(done.status == 0, path, done)
            check(os.path.getsize(t.path("page.html")) < 8 << 20, f"{path}: {os.path.getsize(t.path('page.html'))} bytes")
            browser.open(t.path("page.html"))
            check(browser.run("window.wperf.sums.nSamples") > 0, f"{path}: samples")
            for name in views_of(browser):
                browser.run(f"document.getElementById('tab-{name}').click()")
                browser.settle()
            browser.type("#search", "a")
            check_clean(browser, "page.html")
    finally:
        browser.close()


if __name__ == "__main__":
    harness.main(__name__)
