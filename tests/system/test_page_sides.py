#!/usr/bin/python3
"""The code of both sides on the HTML page of `diff`, in Chromium: it is that of `diff --code`, with the lines of the source."""
import json
import os
import shutil
import subprocess

import harness
from harness import Context, Skip, check, need_events
from page_checks import check_clean, check_fits, check_names, open_page, views_of
from web_browser import Page

SOURCE = """\
#include <stdio.h>

__attribute__((noinline)) double slow(unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += i % 7;
#if STEP > 1
        sum /= 1.0001;
        if (i % 13 == 5)
            sum = sum * 3 - 2;
#endif
    }
    return sum;
}

int main(void)
{
    printf("%f\\n", slow(60000000));
}
"""
SHOWN = """Array.from(document.querySelectorAll('#panel-sides .sides tbody tr'), function (row) {
  return {kind: row.className, texts: Array.from(row.cells, function (cell) { return cell.textContent; })}; })"""


def record_sides(t: Context) -> None:
    """A program and a slower one, a run each."""
    need_events()
    if not shutil.which("gcc"):
        raise Skip("gcc")
    with open(t.path("work.c"), "w", encoding="utf-8") as file:
        file.write(SOURCE)
    os.chmod(t.path("work.c"), 0o644)
    for side, step in (("a", 1), ("b", 2)):
        os.mkdir(t.path(side))
        subprocess.run(["gcc", "-O1", "-g", "-Wl,--build-id", f"-DSTEP={step}", "-o", t.path(f"{side}/work"), t.path("work.c")], check=True)
        done = t.ours("record", "-q", "-g", "-o", f"{side}.data", "--", f"{side}/work")
        check(done.status == 0, "record", done)


def check_blocks(t: Context, shown: list[dict]) -> None:
    """The blocks that are not the same are those of diff --code, line by line."""
    compared = json.loads(t.good("diff", "--code", "-s", "slow", "--json", "a.data", "b.data").out)["compared"][0]
    blocks: list[list[list[str]]] = []
    for row in shown:
        if row["kind"] == "gap":
            blocks.append([])
        elif row["kind"] != "source-line":
            blocks[-1].append(row["texts"])
    for block in compared["blocks"]:
        expected = [["" if line["a_percent"] is None else f"{line['a_percent']:.2f} %", line["a_code"], line["mark"].strip(),
                     "" if line["b_percent"] is None else f"{line['b_percent']:.2f} %", line["b_code"]] for line in block["lines"]]
        check(expected in blocks, f"no block on the page is {expected}")
    check(len(compared["blocks"]) > 2, "blocks")


def check_source(shown: list[dict]) -> None:
    """Each file and line has its text, and lines of A and B are opposite each other."""
    lines = SOURCE.splitlines()
    rows = [row["texts"] for row in shown if row["kind"] == "source-line"]
    for cells in rows:
        for name, text in ((cells[0], cells[1]), (cells[3], cells[4])):
            file, _, number = name.partition(":")
            check(not name or (file == "work.c" and text == lines[int(number) - 1]), f"{name}: {text}")
    numbers = [(cells[0], cells[3]) for cells in rows]
    check(any(a == b != "" for a, b in numbers), f"no line of A is opposite that of B: {numbers}")
    check(any(not a and b == f"work.c:{lines.index('        sum /= 1.0001;') + 1}" for a, b in numbers), f"the line that only B has: {numbers}")


def show_sides(browser: Page) -> list[dict]:
    """The rows of the code of `slow`."""
    browser.run("Array.from(document.querySelectorAll('.changes tbody tr')).find(function (row) { return row.querySelector('.to-code') && /^slow/.test(row.querySelector('.name').textContent); })"
                ".querySelector('.to-code').click()")
    check(browser.text("#panel-sides h2") == "slow", "the verdict leads to the code")
    return browser.run(SHOWN)


def test_code_is_that_of_both_sides(t: Context) -> None:
    record_sides(t)
    t.good("diff", "-o", "diff.html", "a.data", "b.data")
    browser = open_page(t, "diff.html")
    try:
        sides = browser.run("window.wperf.profile.sides.find(function (fn) { return fn.name === 'slow'; })")
        for side in range(2):
            listed = sum(line["sides"][side]["count"] for block in sides["blocks"] for line in block["lines"] if line["sides"][side])
            check(listed == sides["counts"][side] > 0, f"side {side}: {listed} samples are listed, not {sides['counts'][side]}")
        shown = show_sides(browser)
        check_blocks(t, shown)
        check_source(shown)
        check(browser.run("Array.from(document.querySelectorAll('#panel-sides .heat')).some(function (cell) { return cell.style.backgroundColor; })"), "heat")
        for width, height, scale in ((1300, 900, 1), (800, 600, 1), (400, 800, 1), (1300, 900, 2)):
            browser.resize(width, height, scale)
            for name in views_of(browser):
                browser.run(f"document.getElementById('tab-{name}').click()")
                check_names(browser)
                check(name != "changes" or browser.box(".changes .name button")["width"] > 35, f"a name at {width}x{height}, zoom {scale}")
                check_fits(browser, f"{name} at {width}x{height}, zoom {scale}")
        check_clean(browser, "diff.html")
    finally:
        browser.close()


def sources_of(t: Context, *options: str) -> tuple[set[str], str]:
    """The texts of source lines on a page, and what About says."""
    t.good("diff", "-o", "source.html", *options, "a.data", "b.data")
    browser = open_page(t, "source.html")
    try:
        texts = browser.run("""(function () { var texts = []; window.wperf.profile.sides.forEach(function (fn) { fn.blocks.forEach(function (block) {
            block.lines.forEach(function (line) { line.sides.forEach(function (side) { if (side) texts.push(side.source); }); }); }); }); return texts; }())""")
        return set(texts) - {""}, browser.text(".about-page")
    finally:
        browser.close()


def test_source_may_be_left_out(t: Context) -> None:
    record_sides(t)
    texts, _ = sources_of(t)
    check("        sum /= 1.0001;" in texts, f"source: {texts}")
    texts, _ = sources_of(t, "--strip-source")
    check(not texts, f"stripped: {texts}")
    os.utime(t.path("work.c"), (4e9, 4e9))
    texts, about = sources_of(t)
    check(not texts and "newer than the program" in about, f"a file that changed since: {texts}, {about}")
    os.utime(t.path("work.c"), (1e9, 1e9))
    os.chmod(t.path("work.c"), 0o600)
    texts, _ = sources_of(t)
    check(not texts, f"a file that only its owner may read: {texts}")


if __name__ == "__main__":
    harness.main(__name__)
