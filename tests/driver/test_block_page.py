#!/usr/bin/python3
"""docs/adding-a-pmu-block.md: its steps work, and print what the page shows.

test_block_page.py PROJECT BUILD.  The page builds wperf with one more block.  To save time the test builds it in a copy of BUILD,
where only the tables of blocks and events are new.
"""
import os
import shutil
import subprocess
import sys
import tempfile

PROJECT, BUILD = sys.argv[1:3]
sys.path.insert(0, os.path.join(PROJECT, "tests", "system"))
import pages  # noqa: E402

COPIED = ("build.ninja", ".ninja_deps", ".ninja_log", "meson-private", "meson-info", "meson-logs", "src", "data", "docs", "driver",
          "tests/driver")


def copy_build(folder: str) -> None:
    for name in COPIED:
        source, target = os.path.join(BUILD, name), os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, target, symlinks=True)
        elif os.path.exists(source):
            shutil.copy2(source, target)


def adapt(command: str, folder: str, build: str) -> str:
    """The page's command for the copied build, in a folder outside the project."""
    command = command.replace("meson setup build/toy", f"cd {PROJECT} && meson setup --reconfigure {build}")
    command = command.replace("$PWD", folder).replace("tools/wperf-devgen", os.path.join(PROJECT, "tools", "wperf-devgen"))
    return command.replace("build/toy", build)


def run(block: pages.Block, folder: str, build: str) -> subprocess.CompletedProcess[str]:
    script = "\n".join(f"({adapt(line, folder, build)}) || exit" for line in block.lines)
    return subprocess.run(["sh", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)


def steps(text: str) -> list[tuple[pages.Block, list[str]]]:
    """Each block of commands with the lines that the page shows for it."""
    found: list[tuple[pages.Block, list[str]]] = []
    for block in pages.blocks_of(text):
        if block.kind == "sh":
            found.append((block, []))
        elif block.kind == "text" and "file" not in block.words:
            found[-1][1].extend(block.lines)
    return found


def difference(shown: list[str], printed: str) -> str:
    """Counts must be exact, so this does not allow for other numbers, as pages.first_difference() does."""
    wanted = [line.rstrip() for line in shown if line.strip()]
    got = [line.rstrip() for line in printed.splitlines() if line.strip()]
    if not shown or got == wanted:
        return ""
    return next((f"printed '{b}', shown '{a}'" for a, b in zip(wanted, got) if a != b), "lines are missing or too many")


def main() -> int:
    with open(os.path.join(PROJECT, "docs", "adding-a-pmu-block.md"), encoding="utf-8") as file:
        text = file.read()
    files = [block for block in pages.blocks_of(text) if "file" in block.words]
    todo = steps(text)
    print(f"1..{len(todo)}", flush=True)
    status = 0
    with tempfile.TemporaryDirectory(prefix="wperf-block-") as folder, \
            tempfile.TemporaryDirectory(prefix="block-page-", dir=os.path.dirname(os.path.normpath(BUILD))) as build:
        copy_build(build)
        for block in files:
            with open(os.path.join(folder, block.words["file"]), "w", encoding="utf-8") as file:
                file.write("\n".join(block.lines) + "\n")
        for number, (block, shown) in enumerate(todo, 1):
            done = run(block, folder, build)
            problem = f"status {done.returncode}" if done.returncode else difference(shown, done.stdout)
            print(f"{'not ok' if problem else 'ok'} {number} - the commands in line {block.line}", flush=True)
            if problem:
                status = 1
                print("\n".join(f"# {line}" for line in [problem, *done.stdout.splitlines()[-30:]]), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
