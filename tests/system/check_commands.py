"""The command lines of ./check, and of blocks on pages, without running them: bash runs the text with functions in place of programs,
which print their names and arguments."""
import os
import re
import subprocess
import tempfile

# `make` and the functions like it run what is a function of ./check, and show what is a program.
STUBS = r"""
show() {
        local name text=
        for name in CC RC AR RANLIB; do [ -z "${!name-}" ] || text+="$name=${!name} "; done
        printf '%s%s\n' "$text" "$*" >&3
}
make() {
        shift
        if declare -F "$1" >/dev/null; then "$@"; else show "$@"; fi
}
step() { make "$@"; }
measured() { make "$@"; }
suites() {
        shift
        show tools/run_tests.py "$@"
}
"""
# What functions of ./check call by themselves.
CALLED = ("meson", "ninja", "cross/windows_crt.sh", "cross/codec_libs.sh", "build/arm64-wine/wineserver", "wineserver", "wineboot", "find",
          "xargs", "rm")
PROGRAM = re.compile(r"(?:^|&&|\|\||;) *(?:\w+=\S+ +)*([\w./-]+)(?= |$)", re.M)


def shown(text: str, programs: set[str]) -> list[str]:
    """What bash would run; paths below the current folder are relative."""
    stubs = STUBS + "".join(f"{name}() {{ show {name} \"$@\"; }}\n" for name in programs if "=" not in name)
    with tempfile.TemporaryDirectory(prefix="wperf-shown-") as folder:
        begin, _, rest = text.partition("\n#STUBS\n")
        script = f"{begin if rest else ''}\n{stubs}\n{{\n{rest or text}\n}} 3>&1 >/dev/null 2>&1"
        done = subprocess.run(["bash", "-c", script, f"{folder}/check"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              text=True, check=False, env={"PATH": "/usr/bin:/bin", "FUZZ_TARGETS": "NAME", "FUZZ_SECONDS": "60"})
        return done.stdout.replace(os.path.realpath(folder) + "/", "").splitlines()


def commands_of_check(project: str, level: str) -> list[str]:
    """Level `check`: of `./check` without an argument; `long`: of `./check long`."""
    sources = [f". {project}/tools/check/{name}.sh" for name in ("steps", "parts", "long")]
    parts = '"${long_parts[@]}"' if level == "long" else '"${native_parts[@]}" "${full_parts[@]}" "${compiling_parts[@]}" "${alone_parts[@]}"'
    calls = [f"for part in {parts}; do part=${{part%%:*}}; part_${{part//-/_}}; done", "stop_wine", "stop_arm64_wine"]
    return shown("\n".join(["set -u", "jobs=2", *sources, "#STUBS", *calls]), set(CALLED))


def commands_of_block(lines: list[str]) -> list[str]:
    text = re.sub(r" +#.*", "", "\n".join(line.strip() for line in lines)).replace("\\\n", "")
    return shown(text, set(PROGRAM.findall(text)))


def is_part_of(command: str, whole: str) -> bool:
    """Whether `whole` is the command with more arguments."""
    words = iter(whole.split())
    return all(word in words for word in command.split())
