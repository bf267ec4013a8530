#!/usr/bin/python3
"""tools/package_linux.sh gives the same bytes in another folder and at another time: a clone of this commit is built once more, and
its SHA256SUMS are those of build/package/dist.  By hand: ./check long.  PACKAGE_TARGETS="x86_64-linux-gnu" compares less."""
import os
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests/system"))

import harness  # noqa: E402
from harness import Context, Skip, check, note  # noqa: E402



def sums(project: pathlib.Path) -> dict[str, str]:
    lines = (project / "build/package/dist/SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


@harness.limit(5400)
def test_same_bytes_in_another_folder(t: Context) -> None:
    changed = subprocess.run(["git", "-C", PROJECT, "status", "--porcelain", "--untracked-files=no"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    if changed:
        raise Skip("a work tree without changes")
    clone = pathlib.Path(t.path("another/place"))
    subprocess.run(["git", "clone", "-q", PROJECT, clone], check=True)
    targets = os.environ.get("PACKAGE_TARGETS", "").split()
    env = harness.environment()
    env.pop("SOURCE_DATE_EPOCH", None)
    done = t.run(str(clone / "tools/package_linux.sh"), *targets, env=env, limit=5400)
    check(done.status == 0, "builds", done)
    first, second = sums(PROJECT), sums(clone)
    compared = [name for name in second if name in first and (not targets or "-" in name)]
    differ = [name for name in compared if first[name] != second[name]]
    note(f"{len(compared)} files compared after {done.seconds:.0f} s")
    check(bool(compared) and not differ, f"differ: {differ}")


if __name__ == "__main__":
    harness.main(__name__)
