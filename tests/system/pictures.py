#!/usr/bin/python3
"""The pictures of the documents, all of docs/first-profile.md's app.py: a flame graph exported by wperf, HTML pages in Chromium, and the terminal browser.

pictures.py WPERF makes docs/pictures again.  test_pages.py makes them, too, and compares.
"""
import os
import re
import subprocess
import sys
import tempfile
import types
import xml.etree.ElementTree as ElementTree

import page_pictures
import pages
import screen_pictures
from harness import Context
from screens import Screen
from web_browser import Browser

PROJECT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDER = os.path.join(PROJECT, "docs", "pictures")
BROWSER = os.path.join(FOLDER, "browser.svg")
FLAME_GRAPH = os.path.join(FOLDER, "flame-graph.svg")
SVG = "{http://www.w3.org/2000/svg}"
FRAMES = re.compile(r'(?<=<g class="f">\n).*?(?=\n</g>\n<g class="s">)', re.S)
# The start of the interpreter is left out, because its imports are many narrow towers.
COMMANDS = (("record", "-q", "-F", "1999", "-g", "--", "python3", "app.py"),
            ("export", "-q", "--time", "25%-100%", "--no-inlines", "-o", "flame-graph.svg"))


# By name of the picture: the command that makes the page, and the view that is shown, which has no table, because rows vary.
PAGES = {
    "page.png": (("report", "-q", "-o", "page.html", "--time", "25%-100%"), "page.html", "flame"),
    "page-stat.png": (("stat", "-q", "-e", "task-clock,page-faults,context-switches", "-I", "20", "--html", "stat.html", "--", "python3", "app.py"), "stat.html", "charts"),
}


class Picture:
    """A flame graph: its frames, which vary from run to run, and the rest, in which only figures vary."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            self.text = file.read()

    def wide_frames(self, percent: float) -> set[str]:
        """Names of the frames that have at least this width, without the lines of Python frames."""
        frames: dict[str, float] = {}
        for frame in ElementTree.fromstring(self.text).iter(SVG + "g"):
            title, box = frame.find(SVG + "title"), frame.find(SVG + "rect")
            if title is not None and box is not None:
                name = title.text.splitlines()[0].split(":")[0]
                frames[name] = max(frames.get(name, 0), float(box.get("width")))
        return {name for name, width in frames.items() if width >= percent / 100 * max(frames.values())}

    def kinds(self) -> set[str]:
        """The elements of frames, without names, numbers and colours."""
        bare = re.sub(r'>[^<]+<(?=/)|class="[^"]*"', "", re.sub(r"\d+(?:\.\d+)?", "N", FRAMES.search(self.text)[0]))
        return set(re.findall(r"<g>.*?</g>", bare, re.S))

    def rest(self) -> list[str]:
        """The lines other than frames, without figures and the version of wperf."""
        bare = re.sub(r"wperf \d[^<]*", "wperf", FRAMES.sub("", self.text))
        return [re.sub(r"\d+(?:\.\d+)?", "N", line) if line.startswith("<") else line for line in bare.splitlines()]


def app_of_first_page() -> str:
    with open(os.path.join(PROJECT, "docs", "first-profile.md"), encoding="utf-8") as file:
        blocks = pages.blocks_of(file.read())
    return "\n".join(next(block.lines for block in blocks if block.words.get("file") == "app.py")) + "\n"


def draw_browser(t: Context, wperf: str) -> str:
    """The first page of the browser on the session, as SVG."""
    with Screen(t, wperf, "report", columns=screen_pictures.COLUMNS, rows=screen_pictures.ROWS) as screen:
        screen.wait("? help", "functions by self")
        return screen_pictures.draw(screen.text(colors=True))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} WPERF")
    wperf = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "app.py"), "w", encoding="utf-8") as file:
            file.write(app_of_first_page())
        def run(command: tuple[str, ...]) -> None:
            subprocess.run((wperf, *command), cwd=folder, check=True)

        for command in COMMANDS:
            run(command)
        with open(os.path.join(folder, "flame-graph.svg"), "rb") as made, open(FLAME_GRAPH, "wb") as kept:
            kept.write(made.read())
        browser = Browser("/usr/bin/chromium")
        for name, (command, page, view) in PAGES.items():
            run(command)
            page_pictures.take(browser, os.path.join(folder, page), view, os.path.join(FOLDER, name))
        browser.close()
        with open(BROWSER, "w", encoding="utf-8") as kept:
            kept.write(draw_browser(types.SimpleNamespace(folder=folder), wperf))


if __name__ == "__main__":
    main()
