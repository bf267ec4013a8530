#!/usr/bin/python3
"""Checks .github: each file must be YAML, each `run` must be one command of a script of this project, so that
developers can run it, too, and actions, permissions and time limits must be as docs/ci.md says.  --self-test runs
the tests of this check."""
import os
import pathlib
import re
import shlex
import sys

import yaml

PROJECT = pathlib.Path(__file__).resolve().parent.parent
OFFICIAL = re.compile(r"actions/(checkout|upload-artifact|download-artifact)@(v[1-9][0-9]*|[0-9a-f]{40})$")
RUNNERS = {"ubuntu-24.04", "ubuntu-24.04-arm", "windows-11-arm"}
# Characters that bash would expand or use to chain commands.  Values from outside are passed by `env`, not by ${{ }} in a command.
SHELL = re.compile(r"[;&|<>`\n]|\$[({]")


def script_of(command: str, folder: str) -> tuple[str, bool]:
    """The script of a command, as a path in the project, and whether it is run directly (not by an interpreter)."""
    words = shlex.split(command)
    if words[0] == "sudo":
        words = words[1:]
    direct = words[0] != "python"
    script = words[0] if direct else words[1]
    return script.replace("$GITHUB_ACTION_PATH", folder), direct


def check_run(step: dict, folder: str) -> list[str]:
    command = str(step["run"]).rstrip("\n")
    if SHELL.search(command):
        return [f"'{command}' is more than one command"]
    script, direct = script_of(command, folder)
    path = PROJECT / script
    if not path.is_file():
        return [f"'{command}': there is no {script}"]
    if direct and not os.access(path, os.X_OK):
        return [f"'{command}': {script} is not executable"]
    return []


def check_uses(step: dict) -> list[str]:
    action = str(step["uses"])
    if action.startswith("./"):
        return [] if (PROJECT / action / "action.yml").is_file() else [f"{action} has no action.yml"]
    if not OFFICIAL.match(action):
        return [f"{action} is not an official action by major version or commit"]
    if "checkout" in action and step.get("with", {}).get("persist-credentials") is not False:
        return [f"{action} leaves its credentials to later steps; add persist-credentials: false"]
    return []


def check_steps(steps: list[dict], folder: str = ".") -> list[str]:
    faults = []
    for step in steps:
        if ("run" in step) == ("uses" in step):
            faults.append(f"a step needs either run or uses: {step}")
        else:
            faults += check_run(step, folder) if "run" in step else check_uses(step)
    return faults


def check_workflow(document: dict) -> list[str]:
    faults = [f"no {key}" for key in ("name", "permissions", "concurrency", "jobs") if key not in document]
    if document.get("permissions") not in ({}, {"contents": "read"}):
        faults.append("a workflow may read the contents; a job asks for more")
    for name, job in document.get("jobs", {}).items():
        runner = job.get("runs-on")
        job_faults = [] if runner in RUNNERS else [f"runs on {runner}"]
        if not isinstance(job.get("timeout-minutes"), int):
            job_faults.append("no timeout-minutes")
        faults += [f"{name}: {fault}" for fault in job_faults + check_steps(job.get("steps", []))]
    return faults


def check_action(document: dict, folder: str) -> list[str]:
    runs = document.get("runs", {})
    faults = [] if runs.get("using") == "composite" else ["not a composite action"]
    steps = runs.get("steps", [])
    faults += [f"a step without a shell: {step}" for step in steps if "run" in step and "shell" not in step]
    return faults + check_steps(steps, folder)


def check_text(text: str, path: str) -> list[str]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [f"not YAML: {error}"]
    if not isinstance(document, dict):
        return ["not a mapping"]
    if os.path.basename(path) == "action.yml":
        return check_action(document, os.path.dirname(path))
    return check_workflow(document)


# --- Self-test ---

WORKFLOW = """name: t
on: push
permissions: {contents: read}
concurrency: t
jobs:
  one:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
    - uses: actions/checkout@v7
      with: {persist-credentials: false}
    - run: sudo ./check quick
"""
ACTION = """name: t
runs:
  using: composite
  steps:
  - run: $GITHUB_ACTION_PATH/record.py
    shell: bash
"""
# a workflow with one replacement, and a part of the message
BAD = (("./check quick", "./check quick && ls", "more than one"), ("./check quick", "./check ${{ github.ref }}", "more than one"),
       ("sudo ./check quick", "|\n        ./check quick\n        ls", "more than one"), ("./check quick", "./chek", "no ./chek"),
       ("./check quick", "./LICENSE", "not executable"), ("checkout@v7", "checkout@main", "not an official"),
       ("actions/checkout@v7", "others/checkout@v7", "not an official"), ("persist-credentials: false", "a: 1", "credentials"),
       ("contents: read", "contents: write", "may read"), ("concurrency: t\n", "", "no concurrency"),
       ("    timeout-minutes: 5\n", "", "no timeout"), ("ubuntu-24.04", "ubuntu-latest", "runs on"),
       ("actions/checkout@v7", "./.github/actions/none", "no action.yml"), ("name: t", "name: [", "not YAML"))


def self_test() -> list[str]:
    faults = [f"a good one: {fault}" for fault in check_text(WORKFLOW, "t.yml")]
    faults += [f"a good action: {fault}" for fault in check_text(ACTION, ".github/actions/profile/action.yml")]
    for old, new, words in BAD:
        found = check_text(WORKFLOW.replace(old, new), "t.yml")
        if not any(words in fault for fault in found):
            faults.append(f"{new!r} gave {found}")
    if not check_text(ACTION.replace("    shell: bash\n", ""), ".github/actions/profile/action.yml"):
        faults.append("an action's step without a shell is taken")
    return faults


def main() -> int:
    faults = self_test() if "--self-test" in sys.argv[1:] else []
    paths = sorted((PROJECT / ".github").rglob("*.yml"))
    if not paths:
        faults.append(".github has no workflows")
    for path in paths:
        name = str(path.relative_to(PROJECT))
        faults += [f"{name}: {fault}" for fault in check_text(path.read_text(encoding="utf-8"), name)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
