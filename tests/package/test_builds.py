#!/usr/bin/python3
"""README.md's installation, command by command, in fresh Debian 12, 13 and unstable systems, and ./demo in a fresh Debian 12: with
their compilers and Mesons.  By hand, as root: ./check builds.

The commands run in the last commit, by a user who may use sudo.  test_builds.py WPERF BUILD [NAME]...
"""
import os
import pathlib
import re
import shutil
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests/system"))

import debian_roots  # noqa: E402
import harness  # noqa: E402
import pages  # noqa: E402
from debian_roots import inside  # noqa: E402
from harness import Context, Done, check, need_root, note  # noqa: E402

SECONDS = 3600
# What the machine of a user has: an account that may use sudo, and lists of packages.  A mirror's copy of unstable may be older
# than a week, which is apt's limit.
ADD_BUILDER = """useradd --create-home --uid 1000 --shell /bin/bash builder
echo 'builder ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/builder
echo 'APT::Get::Assume-Yes "true"; Acquire::Check-Valid-Until "false";' >/etc/apt/apt.conf.d/builder
apt-get -q update"""
ZSH = "autoload -Uz compinit; compinit -u -D; print $_comps[wperf]"


def fresh_system(t: Context, suite: str, packages: str) -> str:
    """A root with the project in builder's home folder."""
    need_root()
    harness.need_mounts()
    root = f"{debian_roots.roots()}/build-{suite}"
    shutil.rmtree(root, ignore_errors=True)
    debian_roots.debootstrap(suite, root, packages)
    done = inside(t, root, ADD_BUILDER, "root")
    check(done.status == 0, "the system is prepared", done)
    done = t.run("git", "clone", "--quiet", str(PROJECT), f"{root}/home/builder/wperf")
    check(done.status == 0, "git clone", done)
    check(inside(t, root, "chown -R builder: /home/builder", "root").status == 0, "the project is the user's")
    return root


def good(t: Context, root: str, command: str, user: str = "builder") -> Done:
    folder = "/home/builder/wperf"
    done = inside(t, root, f"cd {folder}; {command}", user, limit=SECONDS)
    check(done.status == 0, command, done)
    return done


def installation() -> list[str]:
    """The commands of the first block of README's section Install."""
    blocks = pages.blocks_of((PROJECT / "README.md").read_text(encoding="utf-8"))
    return next(block.lines for block in blocks if block.kind == "sh" and block.section == "Install")


def install(t: Context, suite: str) -> str:
    root = fresh_system(t, suite, "sudo,passwd")
    for command in installation():
        done = good(t, root, command)
        check(not command.startswith("ninja") or "warning: " not in done.out, f"{command}: no warning", done)
        steps = re.findall(r"^\[\d+/(\d+)\]", done.out, re.M)
        note(f"{suite}: {done.seconds:.0f} s: {command}{f' ({steps[-1]} steps)' if steps else ''}")
    done = good(t, root, "gcc --version | head -n 1; meson --version; cd /; wperf --version")
    note(f"{suite}: {', '.join(done.out.splitlines()[:2])}")
    return root


def shells_complete(t: Context, root: str) -> None:
    good(t, root, "sudo apt-get -q install --no-install-recommends zsh fish")
    done = good(t, root, f"zsh -f -c '{ZSH}'; fish -c \"complete -C 'wperf rep'\"; ls /usr/local/share/man/man1/wperf-record.1")
    check(done.out.startswith("_wperf\nreport\t"), "zsh and fish have loaded the completions", done)


def builds_again(t: Context, root: str) -> None:
    done = good(t, root, "echo >>src/program/cli/main.c; ninja -C build/release")
    check("main.c.o" in done.out and "ninja: no work" not in done.out, "the user builds again after root's install", done)


def runs_tests(t: Context, root: str, suite: str) -> None:
    done = good(t, root, "meson configure build/release -Dtests=true; meson test -C build/release --suite unit --suite golden --suite plans")
    passed = re.search(r"^Ok: +(\d+)", done.out, re.M)
    check(passed is not None and int(passed[1]) > 100, "the tests pass", done)
    note(f"{suite}: {passed[1]} test programs of the suites unit, golden and plans passed in {done.seconds:.0f} s")


def from_readme_to_tests(t: Context, suite: str) -> None:
    root = install(t, suite)
    shells_complete(t, root)
    builds_again(t, root)
    runs_tests(t, root, suite)


@harness.limit(2 * SECONDS)
def test_bookworm(t: Context) -> None:
    from_readme_to_tests(t, "bookworm")


@harness.limit(2 * SECONDS)
def test_trixie(t: Context) -> None:
    from_readme_to_tests(t, "trixie")


@harness.limit(2 * SECONDS)
def test_unstable(t: Context) -> None:
    from_readme_to_tests(t, "unstable")


@harness.limit(SECONDS)
def test_demo_in_bookworm(t: Context) -> None:
    root = fresh_system(t, "bookworm", "passwd")
    done = good(t, root, "./demo", "root")
    check("== shown\n" in done.out and "x_mul" in done.out, "the demo shows its job", done)
    note(f"./demo: {done.seconds:.0f} s")


@harness.limit(SECONDS)
def test_blocks_of_contributors(t: Context) -> None:
    """The blocks of CONTRIBUTING.md with because=builds, in a copy of the last commit."""
    harness.need_tool("clang-14")
    check(t.run("git", "clone", "--quiet", str(PROJECT), t.path("project")).status == 0, "git clone")
    blocks = pages.blocks_of((PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    scripts = ["\n".join(block.lines).replace("NAME", "keys") for block in blocks if block.words.get("because") == "builds"]
    check(len(scripts) == 1, f"{scripts}")
    done = t.run("sh", "-e", "-c", scripts[0], cwd=t.path("project"), limit=SECONDS)
    check(done.status == 0 and re.search(r"^keys\.c: \d+ of \d+ branches", done.out, re.M) is not None, "the branches", done)


if __name__ == "__main__":
    harness.main(__name__)
