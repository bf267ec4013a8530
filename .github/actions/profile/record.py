#!/usr/bin/python3
"""record.py   Records INPUT_COMMAND by the program WPERF, writes the hottest functions and the quality into the job summary, and
session= and flamegraph= to $GITHUB_OUTPUT.  The exit status is that of the command, or wperf's own if it could not record.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

from summary import append, escape, table

MOST_ROWS = 200


def fail(text: str) -> None:
    print(f"::error::wperf: {text}", file=sys.stderr)
    sys.exit(125)


class Inputs:
    def __init__(self) -> None:
        env = os.environ
        self.wperf = env["WPERF"]
        self.command = env["INPUT_COMMAND"]
        self.options = shlex.split(env.get("INPUT_OPTIONS", "-g"))
        self.name = env.get("INPUT_NAME") or "wperf"
        rows = env.get("INPUT_ROWS") or "20"
        if not self.command.strip():
            fail("the input 'command' is empty")
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", self.name):
            fail("the input 'name' may have letters, digits, '.', '_' and '-'")
        if not re.fullmatch(r"[0-9]{1,3}", rows) or not 1 <= int(rows) <= MOST_ROWS:
            fail(f"the input 'rows' is a number from 1 to {MOST_ROWS}")
        self.rows = int(rows)
        self.folder = pathlib.Path(env.get("RUNNER_TEMP", "/tmp"), f"wperf-{self.name}")


def ask(*argv: str) -> subprocess.CompletedProcess:
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False, encoding="utf-8", errors="replace")


def output(name: str, value: object) -> None:
    with open(os.environ.get("GITHUB_OUTPUT", os.devnull), "a", encoding="utf-8") as file:
        file.write(f"{name}={value}\n")


def quality(wperf: str, session: pathlib.Path) -> str:
    """The last lines of the text report: `poor: ...` if it is, and `quality: ...`."""
    lines = ask(wperf, "report", "-i", str(session), "--sample-display-row", "1").stdout.splitlines()
    return "".join(f"{escape(line, 1000)}<br>\n" for line in lines if line.startswith(("poor: ", "quality: ")))


def summarize(inputs: Inputs, session: pathlib.Path, status: int) -> None:
    append(f"### Profile: {escape(inputs.name)}\n\n<code>{escape(inputs.command.strip(), 1000)}</code> ended with status {status}.\n")
    report = ask(inputs.wperf, "report", "-i", str(session), "--json", "--sample-display-row", str(inputs.rows))
    if report.returncode:
        append("`wperf report` could not read the session; the log of the step says why.\n")
        return
    for event in json.loads(report.stdout)["sampling"]["events"]:
        append(f"Functions with the most samples of {escape(event['type'])}:\n\n{table(event['samples'][:inputs.rows])}")
    append(quality(inputs.wperf, session))


def draw(inputs: Inputs, session: pathlib.Path) -> None:
    graph = inputs.folder / f"{inputs.name}.svg"
    if ask(inputs.wperf, "export", "-i", str(session), "--format", "svg", "-o", str(graph)).returncode == 0:
        output("flamegraph", graph)
    else:
        append("There is no flame graph: it needs call stacks (the option `-g`).\n")


def main() -> None:
    inputs = Inputs()
    inputs.folder.mkdir(parents=True, exist_ok=True)
    session = inputs.folder / f"{inputs.name}.data"
    session.unlink(missing_ok=True)
    status = subprocess.run([inputs.wperf, "record", *inputs.options, "--session", session, "--", "bash", "-eo", "pipefail", "-c",
                             inputs.command], check=False).returncode
    if not session.exists():
        append(f"### Profile: {escape(inputs.name)}\n\nwperf recorded nothing; the log of the step says why.\n")
        sys.exit(status or 125)
    # Names go with the session, so that it can be read on any machine.
    ask(inputs.wperf, "archive", "-i", str(session))
    output("session", session)
    summarize(inputs, session, status)
    draw(inputs, session)
    sys.exit(status)


if __name__ == "__main__":
    main()
