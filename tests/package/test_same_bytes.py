#!/usr/bin/python3
"""tools/package_linux.sh and tools/package_windows.sh make packages with the same bytes in another folder and on another day:
builds a clone of this commit again, with a clock that is 25 hours ahead, and compares its SHA256SUMS with those of
build/package/dist.  By hand: ./check long. PACKAGE_TARGETS="x86_64-linux-gnu aarch64-w64-mingw32" compares fewer packages."""
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests/system"))

import harness  # noqa: E402
from harness import Context, Skip, check, need_tool, note  # noqa: E402

# -m: for programs with threads.
ANOTHER_DAY = ("-m", "-f", "+25h")


def sums(project: pathlib.Path) -> dict[str, str]:
    lines = (project / "build/package/dist/SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def git(*argv: str) -> str:
    return subprocess.run(["git", "-C", PROJECT, *argv], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def need_packages_of_this_commit() -> None:
    """The files of the packages have the time of the commit."""
    if git("status", "--porcelain", "--untracked-files=no"):
        raise Skip("a work tree without changes")
    bills = sorted((PROJECT / "build/package/dist").glob("wperf-*.spdx.json"))
    check(bool(bills), "tools/package_release.sh has made packages")
    commit = int(git("log", "-1", "--format=%ct"))
    for bill in bills:
        created = json.loads(bill.read_text())["creationInfo"]["created"]
        check(datetime.datetime.fromisoformat(created.replace("Z", "+00:00")).timestamp() == commit,
              f"{bill.name} is of another commit: run tools/package_release.sh again")


def targets_of(is_windows: bool) -> list[str]:
    return [name for name in os.environ.get("PACKAGE_TARGETS", "").split() if name.endswith("-mingw32") == is_windows]


def build_again(t: Context, script: str, targets: list[str]) -> None:
    if os.environ.get("PACKAGE_TARGETS") and not targets:
        raise Skip("a target in PACKAGE_TARGETS")
    faketime = need_tool("faketime")
    need_packages_of_this_commit()
    clone = pathlib.Path(t.path("another/place"))
    subprocess.run(["git", "clone", "-q", PROJECT, clone], check=True)
    # libfaketime breaks the times that dpkg-source sets, so the libraries' sources are unpacked only once.
    shutil.copytree(PROJECT / "build/package/sources", clone / "build/package/sources", symlinks=True)
    env = harness.environment()
    env.pop("SOURCE_DATE_EPOCH", None)
    done = t.run(faketime, *ANOTHER_DAY, str(clone / "tools" / script), *targets, env=env, limit=5400)
    check(done.status == 0, "builds", done)
    first, second = sums(PROJECT), sums(clone)
    compared = [name for name in second if name in first and (not targets or not name.endswith(".json"))]
    differ = [name for name in compared if first[name] != second[name]]
    note(f"{len(compared)} files compared after {done.seconds:.0f} s")
    check(bool(compared) and not differ, f"differ: {differ}")


@harness.limit(5400)
def test_same_bytes_in_another_folder_and_on_another_day(t: Context) -> None:
    build_again(t, "package_linux.sh", targets_of(False))


@harness.limit(5400)
def test_same_bytes_for_windows(t: Context) -> None:
    build_again(t, "package_windows.sh", targets_of(True))


if __name__ == "__main__":
    harness.main(__name__)
