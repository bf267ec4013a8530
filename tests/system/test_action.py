#!/usr/bin/python3
"""Runs the scripts of .github/actions/profile as a runner does, with files of this test for the summary and the
outputs."""
import hashlib
import html
import os
import pathlib
import re
import subprocess
import sys

import harness
from harness import Context, Done, Skip, check, need_tool

PROJECT = pathlib.Path(__file__).resolve().parents[2]
ACTION = PROJECT / ".github/actions/profile"
# Characters that would be a column, code, HTML, emphasis, a link, a reference, a mention, an emoji or struck out.
HOSTILE = "a|b`c`<img src=x>*d*__e__[f](http://g.example/)&amp;@h:smile:~~i~~"
SOURCE = f"""
__attribute__((noinline)) void hot(volatile unsigned *x) __asm__("\\"{HOSTILE}\\"");
void hot(volatile unsigned *x) {{ for (unsigned i = 0; i < 300000000; i++) *x += i; }}
int main(void) {{ volatile unsigned x = 0; hot(&x); return 7; }}
"""
UNIT_TEST = """import unittest
class Sum(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(sum(i * i for i in range(2000000)), 0)
"""


def yaml_of(text: str) -> dict:
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Skip("python3-yaml") from error
    return yaml.safe_load(text)


def runner(t: Context, **more: str) -> dict[str, str]:
    """The environment of a step."""
    return harness.environment(GITHUB_STEP_SUMMARY=t.path("summary.md"), GITHUB_OUTPUT=t.path("output"), RUNNER_TEMP=t.folder,
                               WPERF=t.wperf, **more)


def record(t: Context, command: str, **more: str) -> Done:
    harness.need_events()
    return t.run(str(ACTION / "record.py"), env=runner(t, INPUT_COMMAND=command, **more))


def read(t: Context, name: str) -> str:
    path = pathlib.Path(t.path(name))
    return path.read_text(encoding="utf-8") if path.exists() else ""


def outputs(t: Context) -> dict[str, str]:
    return dict(line.split("=", 1) for line in read(t, "output").splitlines())


def rendered(t: Context) -> str:
    """The summary as GitHub makes HTML of it."""
    return t.run(need_tool("cmark-gfm"), "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough",
                 t.path("summary.md")).out


def hostile_program(t: Context) -> str:
    pathlib.Path(t.path("hot.c")).write_text(SOURCE, encoding="ascii")
    done = t.run(need_tool("gcc"), "-O1", "-o", t.path("hot"), t.path("hot.c"))
    if done.status:
        raise Skip("an assembler that takes any name")
    return t.path("hot")


def test_summary_has_table_and_quality(t: Context) -> None:
    done = record(t, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", INPUT_NAME="loop", INPUT_ROWS="3")
    check(done.status == 0, "records", done)
    summary = read(t, "summary.md")
    rows = re.findall(r"^\| [\d.]+ % \| \d+ \| <code>.*</code> \|$", summary, re.M)
    check("| share | samples | function |" in summary and 1 <= len(rows) <= 3, f"a table of at most three rows:\n{summary}")
    check(re.search(r"^quality: \d+ samples, 0 lost", summary, re.M) is not None, f"the quality:\n{summary}")
    check(len(summary) < 10000, "far below what GitHub takes")


def test_session_and_flame_graph_are_outputs(t: Context) -> None:
    record(t, hostile_program(t), INPUT_NAME="loop")
    found = outputs(t)
    check(set(found) == {"session", "flamegraph"}, f"{found}")
    check(found["session"].endswith("/loop.data") and found["flamegraph"].endswith("/loop.svg"), f"{found}")
    check("<svg" in pathlib.Path(found["flamegraph"]).read_text(encoding="utf-8"), "an SVG file")
    os.remove(t.path("hot"))
    check(HOSTILE in t.ours("report", "--no-index", "-i", found["session"]).out, "names go with the session")
    done = t.run(str(ACTION / "link.py"), env=runner(t, INPUT_NAME="loop", FLAMEGRAPH_URL="https://github.example/a/1"))
    check(done.status == 0 and '<a href="https://github.example/a/1">Flame graph of loop</a>' in rendered(t), "a link to it", done)


def test_status_is_that_of_the_command(t: Context) -> None:
    for command, status in (("exit 7", 7), ("false | true", 1), ("kill -TERM $$", 143)):
        done = record(t, command)
        check(done.status == status, f"{command}: {status}", done)
    check("ended with status 143" in read(t, "summary.md"), "and the summary says it")


def test_names_work_as_nothing_but_text(t: Context) -> None:
    done = record(t, hostile_program(t), INPUT_NAME="hot", INPUT_OPTIONS="-g -F 499")
    check(done.status == 7, "the program's status", done)
    page = rendered(t)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page, re.S)
    names = [html.unescape(cell) for cell in cells[2::3]]
    check(any(f"<code>{HOSTILE}" in name for name in names), f"the name as it is: {names}")
    tags = set(re.findall(r"<(?!/)([a-z0-9]+)", page))
    check(tags <= {"h3", "p", "br", "code", "table", "thead", "tbody", "tr", "th", "td"}, f"no other elements: {tags}")


def test_escape(t: Context) -> None:
    sys.path.insert(0, str(ACTION))
    from summary import escape, table  # pylint: disable=import-outside-toplevel
    check(escape("a\nb\u202ec\0") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c\N{REPLACEMENT CHARACTER}", "no controls")
    check(escape("äß") == "äß" and len(escape("x" * 100000)) == 200, "letters stay, long names are cut")
    check("|" not in table([{"overhead": 1, "count": 1, "symbol": "|"}]).splitlines()[2][2:-2].replace(" | ", ""), "no column")
    pathlib.Path(t.path("summary.md")).write_text(escape(HOSTILE) + "\n", encoding="utf-8")
    check(html.unescape(rendered(t)) == f"<p>{HOSTILE}</p>\n", f"as text: {rendered(t)}")


def test_wrong_inputs_are_refused(t: Context) -> None:
    for more, words in (({"INPUT_COMMAND": " "}, "'command' is empty"), ({"INPUT_NAME": "../a"}, "'name' may have"),
                        ({"INPUT_ROWS": "0"}, "'rows' is a number"), ({"INPUT_ROWS": "$(id)"}, "'rows' is a number")):
        env = runner(t, **({"INPUT_COMMAND": "true"} | more))
        done = t.run(str(ACTION / "record.py"), env=env)
        check(done.status == 125 and words in done.err, words, done)


def test_recorder_that_fails_is_told(t: Context) -> None:
    done = record(t, "true", INPUT_OPTIONS="--frequence 3")
    check(done.status == 2 and "wperf recorded nothing" in read(t, "summary.md"), "its status, and the summary says it", done)
    check(not outputs(t), "nothing to upload")


# --- docs/ci.md ---


def documentation() -> str:
    return (PROJECT / "docs/ci.md").read_text(encoding="utf-8")


def test_page_has_the_inputs_of_the_action(t: Context) -> None:
    inputs = yaml_of((ACTION / "action.yml").read_text(encoding="utf-8"))["inputs"]
    rows = re.findall(r"^\| `(\w+)` \| (?:`([^`]+)`)? *\| \S", documentation(), re.M)
    check(dict(rows) == {name: word.get("default", "") for name, word in inputs.items()}, f"{rows} for {inputs}")


def test_steps_of_the_page_are_runnable(t: Context) -> None:
    jobs = [job for block in re.findall(r"^```yaml\n(.*?)^```$", documentation(), re.M | re.S)
            for job in yaml_of(block).get("jobs", {}).values()]
    steps = [step for job in jobs for step in job["steps"] if "/.github/actions/profile@v" in step.get("uses", "")]
    check(len(steps) == 1, "one use of the action")
    pathlib.Path(t.path("test_sum.py")).write_text(UNIT_TEST, encoding="ascii")
    inputs = {f"INPUT_{name.upper()}": value for name, value in steps[0]["with"].items()}
    done = record(t, inputs.pop("INPUT_COMMAND"), **inputs)
    check(done.status == 1 and "FAILED (failures=1)" in done.err, "the test fails, and the step with it", done)
    check("ended with status 1" in read(t, "summary.md") and set(outputs(t)) == {"session", "flamegraph"}, "with a profile")


# --- install.sh ---


def install(t: Context, **more: str) -> Done:
    return t.run(str(ACTION / "install.sh"), env=runner(t, **more))


def release_of(t: Context, program: str) -> str:
    """A release v1.2.3 with archives of this program, in the form in which GitHub serves it."""
    folder = pathlib.Path(t.path("releases/v1.2.3"))
    folder.mkdir(parents=True)
    sums = ""
    for machine in ("x86_64", "arm64"):
        top = folder / f"wperf-1.2.3-{machine}"
        top.mkdir()
        (top / "wperf").write_text(program, encoding="ascii")
        (top / "wperf").chmod(0o755)
        archive = folder / f"{top.name}.tar.gz"
        subprocess.run(["tar", "-czf", archive, "-C", folder, top.name], check=True)
        sums += f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n"
    (folder / "SHA256SUMS").write_text(sums, encoding="ascii")
    return f"file://{folder.parent}"


def test_given_program_is_taken(t: Context) -> None:
    done = install(t, INPUT_WPERF=t.wperf)
    check(done.status == 0 and outputs(t) == {"wperf": t.wperf}, "it is", done)
    done = install(t, INPUT_WPERF="/nowhere/wperf")
    check(done.status == 1 and "does not run" in done.err, "and has to run", done)


def test_release_is_downloaded_and_checked(t: Context) -> None:
    need_tool("curl")
    releases = release_of(t, "#!/bin/sh\necho wperf 1.2.3\n")
    done = install(t, INPUT_VERSION="v1.2.3", WPERF_RELEASES=releases)
    check(done.status == 0 and "wperf 1.2.3" in done.out, "it runs", done)
    check(os.access(outputs(t)["wperf"], os.X_OK), "and is the output")
    for archive in pathlib.Path(t.path("releases/v1.2.3")).glob("*.tar.gz"):
        archive.write_bytes(archive.read_bytes() + b"x")
    done = install(t, INPUT_VERSION="v1.2.3", WPERF_RELEASES=releases)
    check(done.status == 1 and "does not have the checksum" in done.err, "another one is refused", done)


def test_no_release_is_told(t: Context) -> None:
    for version in ("", "main", "v1/../../x"):
        done = install(t, INPUT_VERSION=version)
        check(done.status == 1 and "is not the tag of a release" in done.err, version, done)


if __name__ == "__main__":
    harness.main(__name__)
