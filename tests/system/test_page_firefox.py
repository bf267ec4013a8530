#!/usr/bin/python3
"""The HTML pages in firefox-esr: every part is used as in Chromium, and the console stays silent."""
import json
from collections.abc import Iterator
from contextlib import contextmanager

import harness
import test_page_accesses
import test_page_counts
import test_page_sides
from firefox import Firefox
from harness import Context, check, need_tool
from page_checks import check_fits, views_of
from test_memory import written
from test_web_page import check_flame, check_search, check_selection, check_table, check_waiting, record_python, record_waiting, tree_of_report


@contextmanager
def opened(t: Context, page: str) -> Iterator[Firefox]:
    """A browser with the page, which must be silent to the end."""
    browser = Firefox(need_tool("firefox-esr"))
    try:
        browser.open(t.path(page))
        yield browser
        check(not browser.errors, f"{page}: errors on the console: {browser.errors}")
    finally:
        browser.close()


def check_sizes(browser: Firefox) -> None:
    """Each view at four sizes, dark and light."""
    for width, height, scale in ((1300, 900, 1), (800, 600, 1), (500, 800, 1), (1300, 900, 2)):
        browser.resize(width, height, scale)
        for dark in (True, False):
            browser.use_dark(dark)
            for name in views_of(browser):
                browser.run(f"document.getElementById('tab-{name}').click()")
                browser.settle()
                check_fits(browser, f"{name} at {width}x{height}, zoom {scale}")


def test_a_profile(t: Context) -> None:
    need_tool("firefox-esr")
    record_python(t, "-o", "fox.html")
    tree = tree_of_report(json.loads(t.ours("report", "-g", "--json").out))
    with opened(t, "fox.html") as browser:
        check(browser.run("""(function () { var c = document.querySelector('#panel-flame canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, n = 0;
                             for (var i = 3; i < d.length; i += 4) n += d[i] > 0; return n / (d.length / 4); }())""") > 0.1, "the flame graph is drawn")
        check_flame(browser)
        check_search(browser, tree)
        check_table(browser)
        check_selection(browser, tree)
        browser.click("#tab-code")
        names = browser.run("Array.from(document.querySelectorAll('#panel-code .files button'), function (button) { button.click(); return document.querySelector('#panel-code h2').textContent; })")
        check(len(set(names)) > 3, f"instructions of {names}")
        check_sizes(browser)


def test_waiting(t: Context) -> None:
    need_tool("firefox-esr")
    record_waiting(t)
    first = json.loads(t.ours("report", "--json").out)["wall"]["functions"][0]["function"]
    with opened(t, "wall.html") as browser:
        check_waiting(browser, first)
        check_sizes(browser)


def test_accesses(t: Context) -> None:
    need_tool("firefox-esr")
    t.good("report", "-q", "-i", written(t, "together")[1], "-o", "mem.html")
    with opened(t, "mem.html") as browser:
        browser.click("#tab-accesses")
        test_page_accesses.use_controls(browser)
        check_sizes(browser)


def test_a_comparison(t: Context) -> None:
    need_tool("firefox-esr")
    test_page_sides.record_sides(t)
    t.good("diff", "-o", "diff.html", "a.data", "b.data")
    with opened(t, "diff.html") as browser:
        shown = test_page_sides.show_sides(browser)
        test_page_sides.check_blocks(t, shown)
        test_page_sides.check_source(shown)
        check_sizes(browser)


def test_counts(t: Context) -> None:
    need_tool("firefox-esr")
    test_page_counts.count(t, "-a", "--timeout", "0.5")
    with opened(t, "counts.html") as browser:
        test_page_counts.use_every_part(browser)
        check_sizes(browser)


if __name__ == "__main__":
    harness.main(__name__)
