#!/usr/bin/python3
"""The page of `stat --plot`, in Chromium: its values are those of the JSON lines of the same run, and every part works."""
import json
import math
import os
from typing import Any

import harness
from harness import Context, check, need_events
from page_checks import check_clean, check_fits, check_names, open_page, views_of
from web_browser import Page

EVENTS = ["task-clock", "page-faults"]
HOSTILE = "</script><script>window.hacked=1</script>"
LINES = """window.wperf.counts.charts.map(function (chart) { return [chart.title, chart.unit, chart.lines.map(function (line) {
  return [line.name, Array.from(line.values, function (value) { return isNaN(value) ? null : value; })]; })]; })"""
SPANS = "Array.from(window.wperf.counts.start, function (start, i) { return [start, window.wperf.counts.end[i]]; })"
TABLE = "Array.from(document.querySelectorAll('.counts tbody tr'), function (row) { return Array.from(row.cells, function (cell) { return cell.textContent; }); })"
INK = """(function (canvas) { var d = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, colors = {}, i;
  for (i = 0; i < d.length; i += 4) if (d[i + 3] > 200 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) colors[[d[i] >> 5, d[i + 1] >> 5, d[i + 2] >> 5]] = true;
  return Object.keys(colors).length; }(document.querySelectorAll('.chart canvas')[%d]))"""


def count(t: Context, *options: str) -> list[dict]:
    """The counts of a run, as JSON lines; the page is counts.html."""
    need_events()
    if "-a" in options:
        harness.need_root()
    done = t.good("stat", "-e", ",".join(EVENTS), "-I", "20", "--json-lines", "--plot", "counts.html", *options)
    return [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]


def near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-9)


def counters_of(document: Any) -> dict[str, float]:
    """By event, wherever a document has them."""
    found: dict[str, float] = {}
    if isinstance(document, dict):
        if "event_name" in document and "counter_value" in document:
            return {document["event_name"]: document["counter_value"]}
        document = list(document.values())
    for part in document if isinstance(document, list) else []:
        found.update(counters_of(part))
    return found


def test_values_are_those_of_the_run(t: Context) -> None:
    counts = [counters_of(document) for document in count(t, "--", t.program("counted"), "spin", "300")]
    browser = open_page(t, "counts.html")
    try:
        charts, spans = browser.run(LINES), browser.run(SPANS)
        check([(title, unit) for title, unit, _ in charts] == [("task-clock", "CPUs"), ("page-faults", "a second")], f"charts: {charts}")
        check(len(spans) == len(counts) > 3 and all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), f"{len(counts)} counts, spans: {spans}")
        for title, _, lines in charts:
            check([name for name, _ in lines] == ["process"], f"lines: {lines}")
            for value, span, counters in zip(lines[0][1], spans, counts):
                expected = counters[title] / (1e9 if title == "task-clock" else 1) / ((span[1] - span[0]) / 1e9)
                check(near(value, expected), f"{title} at {span}: {value}, not {expected}")
        browser.click("#tab-table")
        for row, (title, unit, lines) in zip(browser.run(TABLE), charts):
            values = lines[0][1]
            mean = sum(value * (span[1] - span[0]) for value, span in zip(values, spans)) / sum(span[1] - span[0] for span in spans)
            check([row[0], row[1], row[5]] == [title, "process", unit], f"{row}")
            for cell, expected in zip(row[2:5], (mean, min(values), max(values))):
                check(math.isclose(float(cell.replace(",", "")), expected, rel_tol=1e-3, abs_tol=0.51), f"{row}: {cell}, not {expected}")
        facts = browser.text(".about-page")
        check("counted" in facts and f"{len(counts)} counts in" in facts and "2 events" in facts, f"what was measured: {facts}")
        machine = os.uname()
        check(f"{machine.nodename}, {machine.release}, {machine.machine}" in facts and f"{os.cpu_count()} CPU" in facts, f"on which machine: {facts}")
        check("wperf stat --" in facts and "Written by" in facts, f"by which command: {facts}")
        check_clean(browser, "counts.html")
    finally:
        browser.close()


def check_chart(browser: Page) -> None:
    """The mouse and keys describe points; dragging selects a time."""
    box = browser.box(".chart")
    browser.mouse("mouseMoved", box["x"] + box["width"] / 2, box["y"] + 50)
    browser.settle()
    check("core" in browser.text(".status") and " CPUs" in browser.text(".status"), f"the status line: {browser.text('.status')}")
    browser.run("document.querySelector('.chart').focus()")
    said = []
    for key in ("Home", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
        browser.press(key)
        said.append(browser.text(".status"))
    check(said[0] != said[1] and said[2] == said[0] and said[4] == said[0], f"keys: {said}")
    check((said[3] != said[0]) == (browser.run("window.wperf.counts.places.length") > 1), f"another line: {said}")
    browser.drag(box["x"] + box["width"] * 0.3, box["y"] + 50, box["x"] + box["width"] * 0.6)
    run = browser.run("window.wperf.counts.runNs")
    selected = browser.run("[window.wperf.selection.from, window.wperf.selection.to]")
    check(0.15 * run < selected[0] < 0.35 * run and 0.45 * run < selected[1] < 0.65 * run, f"{selected} of {run}")
    browser.click(".timeline .back")
    check(browser.run("document.querySelector('.timeline .back').hidden"), "all again")


def use_every_part(browser: Page) -> None:
    n_cpus = browser.run("window.wperf.counts.places.length")
    check(n_cpus >= 1 and browser.run(INK % 0) >= n_cpus, "a line of each colour is drawn")
    check_chart(browser)
    whole = browser.run("(document.getElementById('tab-table').click(), 0)") or browser.run(f"new Promise(function (done) {{ requestAnimationFrame(function () {{ done({TABLE}); }}); }})")
    check(len(whole) == 2 * n_cpus, f"rows: {whole}")
    browser.run("(function () { var f = document.getElementById('time-to'); f.value = 0.2; f.dispatchEvent(new Event('change')); }())")
    browser.settle()
    check(browser.run(TABLE) != whole, "the table is that of the selected time")
    browser.click(".timeline .back")
    for column, key in ((3, 2), (1, 0)):
        browser.click(f".counts th:nth-child({column}) button")
        browser.settle()
        cells = [row[key] for row in browser.run(TABLE)]
        values = [float(cell.replace(",", "")) for cell in cells] if key else cells
        check(values == sorted(values, reverse=key == 2), f"sorted by column {column}: {values}")
    browser.type("#search", "FAULTS")
    browser.settle()
    check(browser.text(".found") == f"{n_cpus} of {2 * n_cpus} lines" and {row[0] for row in browser.run(TABLE)} == {"page-faults"}, "a search")
    browser.click(".counts tbody button")
    check(browser.run("document.activeElement.getAttribute('aria-label')") == "page-faults, a second, over time", "a row leads to its chart")
    check(browser.run("Array.from(document.querySelectorAll('.chart-box'), function (e) { return e.hidden; })") == [True, False], "charts that do not match are hidden")
    browser.type("#search", "")
    if n_cpus > 1:
        browser.click(".places button:nth-child(2)")
        check(browser.text(".places button:nth-child(2)") in browser.text(".timeline-head"), "one CPU")
        browser.run("document.activeElement.blur()")
        browser.press("2")
        check(len(browser.run(TABLE)) == 2, "in the table, too")


def test_every_part_works(t: Context) -> None:
    count(t, "-a", "--timeout", "0.5")
    browser = open_page(t, "counts.html")
    try:
        use_every_part(browser)
        check_clean(browser, "counts.html")
    finally:
        browser.close()


def test_it_fits_and_hostile_names_stay_text(t: Context) -> None:
    os.mkdir(t.path("x"))
    os.symlink("/bin/sleep", t.path("x") + "/" + HOSTILE.replace("/", "|"))
    count(t, "--", t.path("x") + "/" + HOSTILE.replace("/", "|"), "0.1")
    browser = open_page(t, "counts.html")
    try:
        check(HOSTILE.replace("/", "|") in browser.text(".head h1"), "the command")
        for width, height, scale in ((1300, 900, 1), (800, 600, 1), (400, 800, 1), (1300, 900, 2)):
            browser.resize(width, height, scale)
            for name in views_of(browser):
                browser.run(f"document.getElementById('tab-{name}').click()")
                browser.settle()
                check_names(browser)
                check_fits(browser, f"{name} at {width}x{height}, zoom {scale}")
        light = browser.run("getComputedStyle(document.body).backgroundColor")
        browser.use_dark(True)
        browser.settle()
        check(browser.run("getComputedStyle(document.body).backgroundColor") != light, "dark as the system")
        check_clean(browser, "counts.html")
    finally:
        browser.close()


if __name__ == "__main__":
    harness.main(__name__)
