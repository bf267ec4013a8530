#!/usr/bin/python3
"""The tests of publish_release.py, with a `gh` that records its arguments."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parent / "publish_release.py"
GH = """#!/bin/sh
printf '%s\\n' "$@" >"$ASKED"
cat >"$ASKED.text"
exit 3
"""
NAMES = ("wperf-0.2.0-x86_64.tar.gz", "wperf_0.2.0_amd64.deb", "wperf-linux-x64-0.2.0.tgz")

# name, tag, change of the folder, exit status, words of the message
CASES = [
    ("a release", "v0.2.0", None, 3, ""),
    ("a branch", "main", None, 1, "GITHUB_REF_NAME is 'main'"),
    ("no section", "v0.0.7", None, 1, "no section `## 0.0.7`"),
    ("packages of another version", "v0.1.0", None, 1, "is not of version 0.1.0"),
    ("a changed package", "v0.2.0", ("wperf_0.2.0_amd64.deb", "changed"), 1, "does not have the checksum"),
    ("a file without a sum", "v0.2.0", ("wperf-0.2.0.zip", "new"), 1, "differ in ['wperf-0.2.0.zip']"),
]


def fill(folder: pathlib.Path) -> None:
    sums = ""
    for name in NAMES:
        (folder / name).write_text(name, encoding="ascii")
        sums += f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n"
    (folder / "SHA256SUMS").write_text(sums, encoding="ascii")


def publish(folder: pathlib.Path, tag: str) -> tuple[int, str, str, list[str]]:
    """The status, the output, and the text and the arguments that gh got."""
    with tempfile.TemporaryDirectory() as bin_folder:
        gh, asked = pathlib.Path(bin_folder, "gh"), pathlib.Path(bin_folder, "asked")
        gh.write_text(GH, encoding="ascii")
        gh.chmod(0o755)
        env = {"PATH": f"{bin_folder}:/usr/bin:/bin", "GITHUB_REF_NAME": tag, "ASKED": str(asked), "LC_ALL": "C.UTF-8"}
        done = subprocess.run([PROGRAM, folder], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if not asked.exists():
            return done.returncode, done.stdout, "", []
        text = pathlib.Path(f"{asked}.text").read_text(encoding="utf-8")
        return done.returncode, done.stdout, text, asked.read_text(encoding="utf-8").splitlines()


def run_case(tag: str, change: tuple[str, str] | None, status: int, words: str) -> str:
    """The problem, or nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fill(folder)
        if change:
            (folder / change[0]).write_text(change[1], encoding="ascii")
        got, said, text, asked = publish(folder, tag)
        if got != status or words not in said:
            return f"status {got}: {said}"
        if words:
            return f"gh was asked {asked}" if asked else ""
        files = {str(folder / file) for file in (*NAMES, "SHA256SUMS")}
        if asked[:4] != ["release", "create", tag, "--verify-tag"] or not files <= set(asked):
            return f"gh was asked {asked}"
        if not text.startswith("New commands:") or "The first version" in text:
            return f"the text is {text}"
    return ""


def main() -> int:
    bad = 0
    print(f"1..{len(CASES)}")
    for number, (name, tag, change, status, words) in enumerate(CASES, 1):
        fault = run_case(tag, change, status, words)
        bad += bool(fault)
        print(f"{'not ok' if fault else 'ok'} {number} - {name}" + (f"\n# {fault}" if fault else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    os.environ.pop("GH_TOKEN", None)
    sys.exit(main())
