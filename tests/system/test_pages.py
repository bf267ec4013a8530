#!/usr/bin/python3
"""README.md, CONTRIBUTING.md and docs/: commands in blocks run and print the output on the page, command lines in the text have options
that exist, and links lead to a page and a heading.  pages.py has the rules for blocks."""
import collections
import difflib
import os
import re
import shlex
import shutil
import sys
import tempfile
from typing import Callable

import check_commands
import harness
import page_pictures
import pages
import pictures
import screen_pictures
from harness import Context, Skip, check
from web_browser import Browser

PROJECT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# Other pages use this page's app.py, too.
FIRST = "docs/first-profile.md"
MARK = "-- status of the command:"
MEASURES = re.compile(r"\bwperf (?:record|sample|stat)\b(?!.*--(?:dry-run|help))")
# Number of blocks that are not run, by reason: change it only on purpose.
NOT_RUN = {"attach": 3, "arm": 2, "bisect": 1, "block": 5, "builds": 1, "check": 4, "container": 2, "cpython": 2, "driver": 2, "install": 7, "library": 1, "long": 1,
           "network": 1, "pack": 1, "packages": 2, "pyperf": 3, "trace": 1, "windows": 5, "wine": 2}
# Folders of a developer, and those of ./check for the same builds.
FOLDERS_OF_CHECK = {"build/dev": "build/asan"}
# The commands of a page run in one folder, from the first to the last.
FOLDERS = tempfile.TemporaryDirectory(prefix="wperf-pages-")
os.chmod(FOLDERS.name, 0o755)
# By page and section: why a block could not run.  The blocks after it in the section are skipped, too.
left_out: dict[tuple[str, str], str] = {}


def text_of(page: str) -> str:
    with open(os.path.join(PROJECT, page), encoding="utf-8") as file:
        return file.read()


def folder_of(t: Context, page: str) -> str:
    """Made for the first command, with the files on the page, and `program` and `app.py`, which represent the reader's
    programs."""
    folder = os.path.join(FOLDERS.name, page.replace("/", "-"))
    if not os.path.isdir(folder):
        os.mkdir(folder)
        shutil.copy(t.program("program"), folder)
        for block in [block for block in pages.blocks_of(text_of(FIRST)) if block.words.get("file") == "app.py"] + \
                [block for block in pages.blocks_of(text_of(page)) if "file" in block.words]:
            with open(os.path.join(folder, block.words["file"]), "w", encoding="utf-8") as file:
                file.write("\n".join(block.lines) + "\n")
    return folder


def need_all(block: pages.Block) -> None:
    for name in block.needs():
        if name == "root":
            harness.need_root()
        elif name == "cpu1":
            if 1 not in os.sched_getaffinity(0):
                raise Skip("CPU 1")
        else:
            harness.need_tool(name)
    if any(MEASURES.search(command.text) for command in block.commands()):
        harness.need_events()


def script_of(commands: list[pages.Command]) -> str:
    after = f"\nstatus=$?; printf '\\n{MARK} %s\\n' $status; (exit $status)\n"
    return "".join(command.text + after for command in commands)


def run_block(t: Context, page: str, block: pages.Block) -> None:
    commands = block.commands()
    env = harness.environment(TERM="dumb")
    env["PATH"] = os.path.dirname(t.wperf) + ":" + env["PATH"]
    try:
        done = t.run("bash", "--norc", "-c", "exec 2>&1\n" + script_of(commands), cwd=folder_of(t, page), env=env)
    finally:
        # A server that the page starts, if its `kill` was not reached.
        harness.kill_group(t.started[-1])
    printed = re.split(rf"\n{MARK} (\d+)\n", done.out)
    for number, command in enumerate(commands):
        check(len(printed) > 2 * number + 1, f"'{command.text}' did not end", done)
        status = int(printed[2 * number + 1])
        expected = block.status() if number == len(commands) - 1 else 0
        check(status == expected, f"'{command.text}' ended with status {status}, not {expected}", done)
        missing = pages.first_difference(command.shown, printed[2 * number])
        check(not missing, f"'{command.text}' does not print what the page shows: {missing}", done)


def typed(page: str, block: pages.Block) -> Callable[[Context], None]:
    def run(t: Context) -> None:
        section = (page, block.section)
        if section in left_out:
            raise Skip(left_out[section])
        try:
            need_all(block)
        except Skip as skip:
            left_out[section] = str(skip)
            raise
        run_block(t, page, block)
    return run


def block_tests() -> list[tuple[str, Callable[[Context], None]]]:
    return [(f"{page} {block.line} {block.commands()[0].text.splitlines()[0].replace('#', ' ')}", typed(page, block))
            for page in pages.page_paths(PROJECT) for block in pages.blocks_of(text_of(page)) if block.kind == "console"]


# --- what holds for all pages ---


def test_lines_in_the_text_are_understood(t: Context) -> None:
    seen = 0
    # The golden test coming_from_perf has the lines of that page.
    for page in set(pages.page_paths(PROJECT)) - {"docs/coming-from-perf.md"}:
        for line in pages.wperf_lines(text_of(page)):
            done = t.ours("--explain", *shlex.split(line, comments=True)[1:])
            check(done.status == 0, f"{page}: `{line}`", done)
            seen += 1
    check(seen > 40, f"only {seen} lines")


def test_blocks_that_are_not_run_say_why(t: Context) -> None:
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for page in pages.page_paths(PROJECT):
        for block in pages.blocks_of(text_of(page)):
            check(block.kind, f"{page}: the block in line {block.line} has no kind")
            check(set(block.words) <= {"needs", "status", "because", "file"}, f"{page}: line {block.line}: {block.words}")
            if block.kind == "sh":
                check(block.words.get("because") in pages.REASONS, f"{page}: line {block.line} has no known reason")
                counts["not run, " + block.words["because"]][page] += 1
            counts[block.kind][page] += 1
    for kind, by_page in sorted(counts.items()):
        harness.note(f"{kind}: {by_page.total()} blocks; {', '.join(f'{page} {count}' for page, count in by_page.items())}")
    found = {reason: counts["not run, " + reason].total() for reason in pages.REASONS}
    check(found == NOT_RUN, f"blocks that are not run: {found}")


def test_readme_begins_with_two_commands(t: Context) -> None:
    """On its first screen: what a newcomer runs."""
    first = text_of("README.md").splitlines()[:20]
    for command in ("./demo", "./check"):
        check(any(line.startswith(f"| `{command}` |") for line in first), f"{command} in {first}")
        check(os.access(os.path.join(PROJECT, command), os.X_OK), f"{command} can be run")


def test_commands_stand_in_blocks(t: Context) -> None:
    """Indented lines would be neither run nor counted."""
    for page in pages.page_paths(PROJECT):
        indented = re.findall(r"^ {4,}\S.*", pages.without_blocks(text_of(page)), re.M)
        check(not indented, f"{page}: {indented}")


def test_check_runs_the_commands_of_builds(t: Context) -> None:
    """A build takes minutes, so a page may have only commands that ./check itself runs with more options."""
    seen = 0
    for level in ("check", "long"):
        run = check_commands.commands_of_check(PROJECT, level)
        for page in pages.page_paths(PROJECT):
            for block in [block for block in pages.blocks_of(text_of(page)) if block.words.get("because") == level]:
                for command in check_commands.commands_of_block(block.lines):
                    words = " ".join(FOLDERS_OF_CHECK.get(word, word) for word in command.split())
                    check(any(check_commands.is_part_of(words, whole) for whole in run), f"{page}: {level} does not run: {command}")
                    seen += 1
    check(seen > 15, f"only {seen} commands")


def test_a_command_that_check_does_not_run_is_found(t: Context) -> None:
    run = check_commands.commands_of_check(PROJECT, "check")
    for command, is_run in (("meson setup build/arm64 --cross-file cross/aarch64-linux-gnu.ini", True), ("ninja -C build/mingw", True),
                            ("meson setup build/arm64 --cross-file cross/arm64.ini", False), ("ninja -C build/fuzz", False),
                            ("meson setup build/asan -Doptimisation=1", False)):
        shown = check_commands.commands_of_block([command])
        check(len(shown) == 1 and any(check_commands.is_part_of(shown[0], whole) for whole in run) == is_run, f"{command}: {shown}")


def test_links_lead_somewhere(t: Context) -> None:
    for page in pages.page_paths(PROJECT) + ["ARCHITECTURE.md"]:
        for link in pages.links_of(text_of(page)):
            path, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            check(os.path.exists(os.path.join(PROJECT, target)), f"{page}: no {link}")
            check(not anchor or anchor in pages.anchors_of(text_of(target)), f"{page}: no heading for {link}")


def test_readme_leads_to_every_page(t: Context) -> None:
    seen, waiting = set(), ["README.md"]
    while waiting:
        page = waiting.pop()
        for link in pages.links_of(text_of(page)):
            target = os.path.normpath(os.path.join(os.path.dirname(page), link.partition("#")[0]))
            if target.endswith(".md") and target not in seen and os.path.exists(os.path.join(PROJECT, target)):
                seen.add(target)
                waiting.append(target)
    missing = set(pages.page_paths(PROJECT)) - seen - {"README.md"}
    check(not missing, f"no link leads to {sorted(missing)}")


def make_pictured_session(t: Context) -> None:
    """With the flame graph of README.md."""
    version = t.run(harness.need_tool("python3"), "--version").out
    if not version.startswith("Python 3.11."):
        raise Skip("CPython 3.11, which the pictures show")
    harness.need_events()
    with open(t.path("app.py"), "w", encoding="utf-8") as file:
        file.write(pictures.app_of_first_page())
    for command in pictures.COMMANDS:
        done = t.ours(*command)
        check(done.status == 0, f"{command}", done)


def test_pictures_of_pages_are_of_this_version(t: Context) -> None:
    make_pictured_session(t)
    browser = Browser(harness.need_tool("chromium"))
    try:
        for name, (command, page, view) in pictures.PAGES.items():
            done = t.ours(*command)
            check(done.status == 0, f"{command}", done)
            shows = page_pictures.show(browser, t.path(page), view).splitlines()
            with open(os.path.join(pictures.FOLDER, name), "rb") as file:
                pictured = page_pictures.text_of(file.read()).splitlines()
            other = [line for line in difflib.ndiff(pictured, shows) if line[0] in "+-"]
            check(not other and len(shows) > 30, f"{name} is of another version: run pictures.py; - the picture, + the page:\n" + "\n".join(other[:12]))
    finally:
        browser.close()


def test_the_picture_of_the_browser_is_of_this_version(t: Context) -> None:
    make_pictured_session(t)
    shows = screen_pictures.what_it_shows(pictures.draw_browser(t, t.wperf))
    with open(pictures.BROWSER, encoding="utf-8") as file:
        pictured = screen_pictures.what_it_shows(file.read())
    check(shows == pictured and len(shows) > 10, f"browser.svg is of another version: run pictures.py\nthe picture: {pictured}\nthe screen: {shows}")


def test_the_picture_is_what_wperf_draws(t: Context) -> None:
    make_pictured_session(t)
    drawn, shown = pictures.Picture(t.path("flame-graph.svg")), pictures.Picture(pictures.FLAME_GRAPH)
    python = {name for name in shown.wide_frames(15) if "[" in name}
    check(len(python) > 5 and python <= drawn.wide_frames(4), f"in the picture but not drawn: {python}, {drawn.wide_frames(4)}")
    check(drawn.kinds() == shown.kinds(), f"frames look different: {drawn.kinds() ^ shown.kinds()}")
    for ours, theirs in zip(drawn.rest(), shown.rest()):
        check(ours == theirs, f"the picture has another line: run pictures.py\ndrawn: {ours}\nshown: {theirs}")
    check(len(drawn.rest()) == len(shown.rest()), "the picture has more or fewer lines: run pictures.py")


# --- the reader of pages itself ---

SHOWN = ["...", "   78.85   2092  x_mul:python3.11d", "...", "quality: 2653 samples, 0 lost..."]
PRINTED = "event: x\n  9.1 7  x_mul:python3.12d\n  1.0 2 y\nquality: 1 samples, 0 lost, 0 cut\n"


def test_what_is_shown_is_compared(t: Context) -> None:
    check(pages.first_difference(SHOWN, PRINTED) == "", "other figures are no difference")
    check(pages.first_difference(SHOWN, PRINTED.replace("x_mul", "x_add")) == SHOWN[1], "another name is")
    check(pages.first_difference(SHOWN[1:], PRINTED) == SHOWN[1], "so is another first line")
    check(pages.first_difference(SHOWN[:2], PRINTED).startswith("the end"), "and a line more")
    poor = "poor: 60 % of the samples have no symbol: wperf report -v says why\nquality"
    check(pages.first_difference(SHOWN, PRINTED.replace("quality", poor)) == "", "a line about missing debug files is none")
    busy = poor.replace("poor: ", "poor: only 77 % of the CPU time was sampled; ")
    check(pages.first_difference(SHOWN, PRINTED.replace("quality", busy)) == "", "nor is one about a busy CPU")
    lost = poor.replace("60", "1 % of the samples were lost: lower the rate with -F; 60")
    check(pages.first_difference(SHOWN[1:2] + SHOWN[3:], PRINTED.partition("\n")[2].replace("  1.0 2 y\n", "").replace("quality", lost)) != "",
          "a line about lost samples is a difference")
    check(pages.first_difference([], PRINTED) == "", "nothing shown: nothing compared")
    check(pages.first_difference(["took 0x1f, 3.5 s"], "took 0xffe0,  12 s\n") == "", "addresses and fractions are numbers")


def test_a_failing_command_is_found(t: Context) -> None:
    def refused(*lines: str, **words: str) -> str:
        try:
            run_block(t, "README.md", pages.Block(1, "console", words, "", list(lines)))
        except AssertionError as error:
            return str(error)
        return ""

    check(refused("$ echo one; echo two", "one", "two", "$ true") == "", "what is right passes")
    check("'false' ended with status 1, not 0" in refused("$ false", "$ true"), "a status in the middle")
    check(refused("$ (exit 7)", status="7") == "", "a status that is meant")
    check("status 0, not 7" in refused("$ true", status="7"), "and is not there")
    check("does not print what the page shows: two" in refused("$ echo one", "two"), "another output")
    check("did not end" in refused("$ exit 3"), "the end of the shell")
    check(refused("$ echo a \\", "> b", "a b") == "", "a command of two lines")


if __name__ == "__main__":
    harness.main(__name__, block_tests() if len(sys.argv) > 2 else [])
