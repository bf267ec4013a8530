#!/usr/bin/python3
"""What `meson install` puts beside the program: a manual page for each command, and the completion."""
import glob
import os
import re
import sys

import harness
from harness import Context, check, need_tool

BUILD = sys.argv[2] if len(sys.argv) > 2 else ""


def installed(t: Context) -> str:
    meson = need_tool("meson")
    done = t.run(meson, "install", "-C", BUILD, "--no-rebuild", "--destdir", t.path("root"))
    check(done.status == 0, "meson install works", done)
    return t.path("root")


def find(root: str, pattern: str) -> list[str]:
    return sorted(glob.glob(f"{root}/**/{pattern}", recursive=True))


def test_each_command_has_a_page(t: Context) -> None:
    pages = {os.path.basename(path) for path in find(installed(t), "man1/*.1")}
    commands = set(re.findall(r"^    wperf (\S+)", t.good("--help").out.split("\nOPTIONS")[0], re.MULTILINE)) - {"-"}
    check(len(commands) > 10, "the help lists commands")
    check(pages == {"wperf.1"} | {f"wperf-{name}.1" for name in commands}, f"{pages} for {commands}")


def test_pages_render(t: Context) -> None:
    groff = need_tool("groff")
    for page in find(installed(t), "man1/*.1"):
        done = t.run(groff, "-man", "-Tutf8", "-P-cbou", "-ww", page)
        check(done.status == 0 and not done.err, f"no warning for {page}", done)
        check("NAME" in done.out and "SYNOPSIS" in done.out, f"the sections of {page}", done)


def test_completion_in_bash(t: Context) -> None:
    bash = need_tool("bash")
    files = find(installed(t), "bash-completion/completions/wperf")
    check(len(files) == 1, "one completion file")
    script = ('. "$1"; complete -p wperf; COMP_WORDS=("$2" man --cpu-model neoverse-n1 l1d_cache_mp); COMP_CWORD=4; '
              '_wperf; echo "${COMPREPLY[@]}"')
    done = t.run(bash, "--norc", "-c", script, "bash", files[0], t.wperf)
    check(done.status == 0 and not done.err, "the completion works", done)
    check(done.out == "complete -o default -F _wperf wperf\nl1d_cache_mpki\n", "what it completes", done)


def test_options_of_each_command_complete(t: Context) -> None:
    bash = need_tool("bash")
    file = find(installed(t), "bash-completion/completions/wperf")[0]
    for page in find(t.path("root"), "man1/wperf-*.1"):
        command = os.path.basename(page)[len("wperf-"):-2]
        script = '. "$1"; COMP_WORDS=(wperf "$2" --); COMP_CWORD=2; _wperf; printf "%s\\n" "${COMPREPLY[@]}"'
        offered = set(t.run(bash, "--norc", "-c", script, "bash", file, command).out.split())
        shown = set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", t.good("help", command).out, re.MULTILINE))
        check(shown <= offered, f"{command}: {shown - offered} is not offered")


if __name__ == "__main__":
    harness.main(__name__)
