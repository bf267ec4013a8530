#!/usr/bin/python3
"""What `ninja` builds and `meson install` installs: the program, the library, a manual page for each command, and the completions of
the shells, where the shells look."""
import glob
import json
import os
import re
import select
import sys

import harness
from harness import Context, Skip, check, need_tool

BUILD = sys.argv[2] if len(sys.argv) > 2 else ""
PROJECT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def installed(t: Context) -> str:
    meson = need_tool("meson")
    done = t.run(meson, "install", "-C", BUILD, "--no-rebuild", "--destdir", t.path("root"))
    check(done.status == 0, "meson install works", done)
    return t.path("root")


def prefix_of(root: str) -> str:
    return os.path.dirname(os.path.dirname(find(root, "bin/wperf")[0]))


def find(root: str, pattern: str) -> list[str]:
    return sorted(glob.glob(f"{root}/**/{pattern}", recursive=True))


PROGRAM_AND_SHELLS = {"bin/wperf", "share/bash-completion/completions/wperf", "share/zsh/site-functions/_wperf",
                      "share/fish/vendor_completions.d/wperf.fish", "../../etc/fish/completions/wperf.fish",
                      "share/doc/wperf/LICENSE", "share/doc/wperf/CHANGELOG.md"}
LIBRARY = {"include/wperf.h", "libwperf.so", "libwperf.so.1", "libwperf.a", "pkgconfig/wperf.pc"}


def files_below(root: str) -> set[str]:
    return {os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names}


def test_nothing_is_missing_and_nothing_extra(t: Context) -> None:
    root = installed(t)
    prefix = prefix_of(root)
    files = {os.path.relpath(path, prefix) for path in files_below(root)}
    pages = {name for name in files if re.fullmatch(r"share/man/man1/wperf(-[a-z]+)?\.1", name)}
    # Debian's folder of libraries has the name of the machine in it.
    library = {re.sub(r"^lib/([\w-]+-linux-gnu/)?", "", name) for name in files - pages - PROGRAM_AND_SHELLS}
    check(PROGRAM_AND_SHELLS <= files and library == LIBRARY, f"{files - pages}")
    done = t.run(f"{prefix}/bin/wperf", "--version")
    check(done.status == 0, "what is installed runs", done)


def commands_of(t: Context, build: str, *targets: str) -> set[str]:
    done = t.run(need_tool("ninja"), "-C", build, "-t", "commands", *targets)
    check(done.status == 0, "ninja lists the commands", done)
    return set(done.out.splitlines())


def test_ninja_builds_what_is_installed(t: Context) -> None:
    """README's build: nothing else is compiled, so no test and no library of the tests."""
    build = t.path("build")
    done = t.run(need_tool("meson"), "setup", build, PROJECT, "--buildtype=release")
    check(done.status == 0, "meson setup works", done)
    with open(f"{build}/meson-info/intro-installed.json", encoding="utf-8") as file:
        made = [os.path.relpath(path, build) for path in json.load(file) if path.startswith(f"{build}/")]
    # Meson itself has written wperf.pc.
    files = [path for path in made if not path.startswith("meson-private/")]
    check({"src/program/cli/wperf", "src/program/library/libwperf.so.1", "src/program/library/libwperf.a", "docs/wperf.1"} <= set(files), f"{files}")
    every, needed = commands_of(t, build), commands_of(t, build, *files)
    check(len(needed) > 500 and every == needed, f"built but not installed: {sorted(every - needed)[:3]}")
    harness.note(f"{len(every)} commands build what is installed")


def states_below(folder: str) -> dict[str, tuple[int, ...]]:
    states = {path: os.lstat(path) for path in files_below(folder)}
    return {os.path.relpath(path, folder): (state.st_ino, state.st_uid, state.st_mtime_ns) for path, state in states.items()}


def test_install_leaves_the_build_to_its_user(t: Context) -> None:
    """README builds as a user and installs as root: what root wrote into the build folder, the user could not write again."""
    before = states_below(BUILD)
    installed(t)
    after = states_below(BUILD)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    check(changed == {"meson-logs/install-log.txt"}, f"{changed}")


def test_uninstall_takes_all_away(t: Context) -> None:
    root = installed(t)
    check(len(files_below(root)) > 10, "files to begin with")
    done = t.run(need_tool("ninja"), "-C", BUILD, "uninstall")
    check(done.status == 0, "ninja uninstall works", done)
    check(not files_below(root), f"left: {files_below(root)}", done)


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
        script = '. "$1"; COMP_WORDS=("$3" "$2" --); COMP_CWORD=2; _wperf; printf "%s\\n" "${COMPREPLY[@]}"'
        offered = set(t.run(bash, "--norc", "-c", script, "bash", file, command, t.wperf).out.split())
        shown = set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", t.good("help", command).out, re.MULTILINE))
        check(shown <= offered, f"{command}: {shown - offered} is not offered")


# A line, and what its last word becomes.
COMPLETED = {
    "wperf rep": "report",
    "wperf record --dr": "--dry-run",
    "wperf report --sort comm,sym": "comm,symbol",
    "wperf export --format sp": "speedscope",
    "wperf export --format=sp": "--format=speedscope",
    "wperf annotate --by ha": "handler",
    "wperf list --cpu-model neoverse-n3": "neoverse-n3",
    "wperf test --cpu-model neoverse-n1 -m imix,ica": "imix,icache",
    "wperf test --cpu-model neoverse-n1 --event rc_s": "rc_st_spec",
    "wperf man --cpu-model neoverse-n1 l1d_cache_mp": "l1d_cache_mpki",
    "wperf help symb": "symbolize",
    "wperf record -o a_fi": "a_file",
    "wperf report --dso cal": "calls",
    "wperf annotate --module libc.so,cal": "libc.so,calls",
    "wperf export -e page-f": "page-faults",
}


def shell_folder(t: Context) -> dict[str, str]:
    """A folder with a session, a function and a file; the environment in which `wperf` is found."""
    t.good("record", "-q", "-e", "cpu-clock,page-faults", "--session", t.path("wperf.data"), "--", t.program("calls"),
           "kernel", "200")
    open(t.path("a_file"), "w", encoding="ascii").close()
    return harness.environment() | {"PATH": os.path.dirname(t.wperf) + ":" + os.environ["PATH"], "TERM": "dumb"}


def completed(t: Context) -> dict[str, str]:
    name = next(row.symbol.split(":")[0] for row in harness.rows_of(t.good("report", "-i", t.path("wperf.data")).out)
                if not row.symbol.startswith("0x"))
    return COMPLETED | {f"wperf annotate {name[:-1]}": name}


def test_completion_of_values_in_bash(t: Context) -> None:
    bash = need_tool("bash")
    file, env = find(installed(t), "bash-completion/completions/wperf")[0], shell_folder(t)
    script = ('. "$1"; COMP_WORDS=($2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _wperf; printf "%s\\n" "${COMPREPLY[@]}"')
    for line, word in completed(t).items():
        words = line.replace("=", " = ")
        done = t.run(bash, "--norc", "-c", script, "bash", file, words, env=env)
        want = "" if word == "a_file" else word.split("=")[-1]
        check(want in done.out.split("\n"), f"{line}: {word}", done)


def shell_finds(t: Context, name: str, *command: str) -> str:
    """The folder with the installed file `name`, of those that `command` prints: where a shell looks in a session without a desktop."""
    root = installed(t)
    if prefix_of(root) != f"{root}/usr/local":
        raise Skip("a build for /usr/local")
    env = {key: value for key, value in harness.environment(HOME=t.folder).items() if not key.startswith("XDG_")}
    done = t.run(*command, env=env)
    found = [f"{root}{folder}" for folder in done.out.split() if os.path.lexists(f"{root}{folder}/{name}")]
    check(done.status == 0 and found != [], f"the shell finds {name}", done)
    if os.path.islink(f"{found[0]}/{name}"):
        return os.path.dirname(root + os.readlink(f"{found[0]}/{name}"))
    return found[0]


def test_completion_in_fish(t: Context) -> None:
    fish = need_tool("fish")
    folder, env = shell_finds(t, "wperf.fish", fish, "-c", "string join \\n $fish_complete_path"), shell_folder(t)
    file = f"{folder}/wperf.fish"
    for line, word in completed(t).items():
        done = t.run(fish, "--no-config", "-c", f"source {file}; complete -C $argv[1]", line, env=env)
        found = {candidate.split("\t")[0] for candidate in done.out.splitlines()}
        check(word in found and not done.err, f"{line}: {word}", done)
    done = t.run(fish, "--no-config", "-c", f"source {file}; complete -C 'wperf stat --js'", env=env)
    check("--json\tprint one JSON document" in done.out, "with what it is", done)


class Zsh:
    """A zsh at a terminal of its own."""

    def __init__(self, t: Context, zsh: str, folder: str, env: dict[str, str]) -> None:
        leader, follower = harness.open_terminal()
        self.fd = leader
        t.start(zsh, "-f", "-i", stdin=follower, stdout=follower, stderr=follower, env=env)
        os.close(follower)
        self.type(f"unsetopt beep zle_bracketed_paste; PS1='>' RPS1=; fpath=({folder} $fpath); autoload -Uz compinit; "
                  "compinit -u -D; echo rea''dy\n", "ready\r\n")

    def type(self, text: str, until: str) -> str:
        os.write(self.fd, text.encode())
        seen = ""
        while until not in seen:
            check(bool(select.select([self.fd], [], [], 20)[0]), f"'{text}' became {seen!r}, not {until!r}")
            seen += os.read(self.fd, 65536).decode(errors="replace")
        return seen


def test_completion_in_zsh(t: Context) -> None:
    zsh = need_tool("zsh")
    folder, env = shell_finds(t, "_wperf", zsh, "-f", "-c", "print -l $fpath"), shell_folder(t)
    shell = Zsh(t, zsh, folder, env)
    for line, word in completed(t).items():
        whole = line[:len(line) - len(line.split()[-1])] + word
        shell.type(line + "\t", whole)
        shell.type("\x15", "")


def test_measured_programs_name_this_folder(t: Context) -> None:
    """A compiler cache gives one checkout the objects of another, but wperf finds source by the folder in debug information."""
    done = t.run(need_tool("readelf"), "--debug-dump=info", t.program("spin"))
    check(os.path.realpath(BUILD) in re.findall(r"DW_AT_comp_dir +: .*?(/\S+)$", done.out, re.M), f"compiled in {BUILD}")


if __name__ == "__main__":
    harness.main(__name__)
