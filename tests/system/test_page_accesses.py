#!/usr/bin/python3
"""Accesses to memory on the HTML page, in Chromium: each cell is that of `report --mem`, and every control works."""
import glob
import json
import os

import harness
from harness import Context, check, need_tool
from page_checks import check_clean, check_fits, check_names, open_page
from test_memory import written
from web_browser import Browser, Page

# What the page calls a column, and the document of report.
NAMES = {"latency": "latency_percent", "count": "count", "loads": "loads", "stores": "stores", "p50": "latency_p50_cycles", "p90": "latency_p90_cycles",
         "p99": "latency_p99_cycles", "L1": "l1_percent", "LFB": "line_fill_buffer_percent", "L2": "l2_percent", "L3": "l3_percent", "peer": "peer_core_percent",
         "DRAM": "dram_percent", "rem.cache": "remote_cache_percent", "rem.DRAM": "remote_dram_percent", "other": "other_percent", "beyond": "beyond_cache_percent",
         "unknown": "unknown_percent", "walks": "tlb_walk_percent", "threads": "threads", "symbol": "symbol", "module": "module", "level": "level", "sharing": "sharing"}
KEYS = {"Functions": "symbol,module", "Levels": "level", "Cache lines": "cacheline", "Latencies": "latency"}
SHOWN = """(function () { var table = document.querySelector('#panel-accesses .table-side table');
  function texts(row) { return Array.from(row.cells, function (cell) { return cell.textContent; }); }
  return {heads: texts(table.tHead.rows[0]), rows: Array.from(table.tBodies[0].rows, texts)}; }())"""


def expected_text(name: str, row: dict) -> str:
    """The text of a cell by the row of the document."""
    if name == "line":
        return row["address"] + (f" ({row['pid']})" if row["pid"] > 0 else "")
    if name == "cycles":
        first, end = row["from_cycles"], row["to_cycles"]
        return "not recorded" if not end else str(first) if end - first == 1 else f"{first}-{end - 1}"
    value = row[NAMES[name]]
    return "" if value is None else value if isinstance(value, str) else f"{value:,}"


def same(name: str, text: str, row: dict) -> bool:
    """Percentages have a digit on the page and two in the document, each rounded."""
    if not text.endswith(" %"):
        return text == expected_text(name, row)
    return abs(float(text[:-2]) - row[NAMES[name]]) < 0.0551


def choose(browser: Page, title: str) -> dict:
    browser.run(f"Array.from(document.querySelectorAll('#panel-accesses .choice button')).find(function (b) {{ return b.textContent === {json.dumps(title)}; }}).click()")
    return browser.run(SHOWN)


def check_cells(t: Context, browser: Browser, path: str, title: str) -> None:
    shown = choose(browser, title)
    done = t.ours("report", "--mem", "--sort", KEYS[title], "--sample-display-row", "1000", "--json", "-i", path)
    rows = harness.document_of(done)["accesses"][0]["rows"]
    heads = [head.split()[0] for head in shown["heads"]]
    check(len(shown["rows"]) == len(rows) > 0, f"{path}, {title}: {len(shown['rows'])} rows, not {len(rows)}")
    for cells, row in zip(shown["rows"], rows):
        for name, text in zip(heads, cells):
            check(same(name, text, row), f"{path}, {title}, {name}: {text}, not {row}")
    empty = {name for name in NAMES if NAMES[name] in rows[0]} - set(heads)
    check(not any(row[NAMES[name]] for name in empty for row in rows), f"{path}, {title}: {empty} are left out")


def check_uses(t: Context, browser: Browser, path: str) -> None:
    """Of each of the first cache lines."""
    choose(browser, "Cache lines")
    done = t.ours("report", "--mem", "--sort", "cacheline", "--json", "-i", path)
    for number, row in enumerate(harness.document_of(done)["accesses"][0]["rows"][:12]):
        browser.run(f"document.querySelectorAll('#panel-accesses .table-side td.name button')[{number}].click()")
        check(row["address"] in browser.text("#panel-accesses .detail h2"), "the selected line")
        shown = browser.run("Array.from(document.querySelectorAll('#panel-accesses .detail tbody tr'), function (row) { return Array.from(row.cells, function (cell) { return cell.textContent; }); })")
        expected = [[hex(use["offset"]), use["symbol"], f"{use['count']:,}", f"{use['loads']:,}", f"{use['stores']:,}", str(len(use["tids"]))] for use in row["uses"]]
        # A symbol that several modules have is followed by its module.
        check([[offset, symbol.split(":")[0], *rest] for offset, symbol, *rest in shown] == expected, f"{path}: {shown}, not {expected}")


def check_page(t: Context, path: str) -> Browser:
    t.good("report", "-q", "-i", path, "-o", "mem.html")
    browser = open_page(t, "mem.html")
    try:
        check(browser.run("window.wperf.sums.nSamples") > 0, f"{path}: samples in the flame graph")
        browser.click("#tab-accesses")
        for title in KEYS:
            check_cells(t, browser, path, title)
        check_uses(t, browser, path)
        check_clean(browser, "mem.html")
    except BaseException:
        browser.close()
        raise
    return browser


def test_cells_are_those_of_report(t: Context) -> None:
    for name in ("together", "two_processes", "without_symbols"):
        check_page(t, written(t, name)[1]).close()


def test_cells_of_other_sessions(t: Context) -> None:
    folder = os.environ.get("WPERF_CORPUS")
    if not folder:
        raise harness.Skip("WPERF_CORPUS")
    seen = 0
    for path in sorted(glob.glob(os.path.join(folder, "spe", "generated", "*.data"))):
        if t.ours("report", "--mem", "-i", path).status == 0 and json.loads(t.ours("report", "--mem", "--json", "-i", path).out)["accesses"]:
            check_page(t, path).close()
            seen += 1
    check(seen > 1, f"{seen} sessions with accesses")


def use_controls(browser: Page) -> None:
    """Each control of the part, which is shown."""
    check(" loads and " in browser.text("#panel-accesses h2"), "the title")
    choose(browser, "Functions")
    check(browser.run("document.querySelector('#panel-accesses .detail').hidden"), "only cache lines have users")
    for column in ("count", "symbol"):
        heads = [head.split()[0] for head in browser.run(SHOWN)["heads"]]
        browser.click(f"#panel-accesses th:nth-child({heads.index(column) + 1}) button")
        cells = [row[heads.index(column)] for row in browser.run(SHOWN)["rows"]]
        values = [int(cell.replace(",", "")) for cell in cells] if column == "count" else cells
        check(values == sorted(values, reverse=column == "count") and len(set(values)) > 3, f"sorted by {column}: {values}")
    browser.type("#search", "count_first_near")
    check(browser.run("document.querySelectorAll('#panel-accesses tr.match').length") == 1, "the search lights a row")
    browser.run("document.querySelector('#panel-accesses tr.match td.name button').click()")
    check(browser.text(".detail h2") == "count_first_near", "a function opens in the table of functions")
    browser.click("#tab-accesses")
    choose(browser, "Cache lines")
    browser.click("#panel-accesses th:nth-child(4) button")
    browser.run("document.querySelector('#panel-accesses tr[aria-selected=true] button').focus()")
    begin = browser.run("document.activeElement.textContent")
    for key, moved in (("ArrowDown", True), ("ArrowUp", False), ("ArrowDown", True)):
        browser.press(key)
        check((browser.run("document.activeElement.textContent") != begin) == moved, f"{key} moves between rows")
    browser.run("document.activeElement.click()")
    line = browser.run("document.activeElement.textContent")
    check(line != begin and line in browser.text("#panel-accesses .detail h2"), f"the selected line keeps the focus: {line}")


def test_controls_work(t: Context) -> None:
    need_tool("chromium")
    browser = check_page(t, written(t, "together")[1])
    try:
        use_controls(browser)
        for title in KEYS:
            choose(browser, title)
            check_names(browser)
            for width, height, scale in ((1300, 900, 1), (800, 600, 1), (400, 800, 1), (1300, 900, 2)):
                browser.resize(width, height, scale)
                check_fits(browser, f"{title} at {width}x{height}, zoom {scale}")
        check_clean(browser, "mem.html")
    finally:
        browser.close()


def test_without_accesses_there_is_no_part(t: Context) -> None:
    harness.need_events()
    done = t.ours("record", "-q", "-o", "plain.html", "--", "/usr/bin/python3", "-c", "sum(range(9000000))")
    check(os.path.exists(t.path("plain.html")), "record", done)
    browser = open_page(t, "plain.html")
    try:
        check(not browser.run("document.getElementById('tab-accesses')"), "no part")
    finally:
        browser.close()


if __name__ == "__main__":
    harness.main(__name__)
