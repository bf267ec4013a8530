#!/usr/bin/python3
"""libwperf as its users have it: what it exports, its examples, and what it promises to the process."""
import json
import os
import re
import resource
import subprocess
import sys

import harness
from harness import Context, check, need_tool

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = sys.argv[2] if len(sys.argv) > 2 else ""
SESSION = os.path.join(ROOT, "tests", "replay", "archived_v1.data")
OTHER = os.path.join(ROOT, "tests", "replay", "spe_perf.data")


def library() -> str:
    return os.path.join(BUILD, "src", "program", "library", "libwperf.so.1")


def declared() -> set[str]:
    with open(os.path.join(ROOT, "include", "wperf.h"), encoding="utf-8") as file:
        return set(re.findall(r"^WPERF_API [^;]*?\b(wperf_\w+)\(", file.read(), re.M))


def globals_of(t: Context, path: str, *options: str) -> set[str]:
    done = t.run(need_tool("nm"), *options, "--defined-only", path)
    check(done.status == 0, "nm", done)
    return {line.split()[-1] for line in done.out.splitlines() if re.fullmatch(r"\w+ [TDBRVWu] \S+", line.strip())}


def test_only_the_interface_is_exported(t: Context) -> None:
    names = globals_of(t, library(), "-D")
    check(names == declared(), f"extra: {names - declared()}, missing: {declared() - names}")


def test_the_static_library_has_no_other_names(t: Context) -> None:
    names = globals_of(t, os.path.join(BUILD, "src", "program", "library", "libwperf.a"), "-g")
    check(names == declared(), f"extra: {sorted(names - declared())[:10]}, missing: {declared() - names}")


def installed(t: Context) -> str:
    done = t.run(need_tool("meson"), "install", "-C", BUILD, "--no-rebuild", "--destdir", t.path("root"))
    check(done.status == 0, "meson install", done)
    return t.path("root")


def flags(t: Context, root: str, *options: str) -> list[str]:
    for folder, _, names in os.walk(root):
        if "wperf.pc" in names:
            done = t.run("env", f"PKG_CONFIG_PATH={folder}", need_tool("pkg-config"), f"--define-variable=prefix={root}/usr/local",
                         *options, "wperf")
            check(done.status == 0, "pkg-config", done)
            return done.out.split()
    raise AssertionError("no wperf.pc")


def sanitizers() -> list[str]:
    with open(os.path.join(BUILD, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as file:
        value = re.search(r'"name": "b_sanitize", "value": "([^"]*)"', file.read())
    return [f"-fsanitize={value[1]}"] if value and value[1] != "none" else []


def compile_example(t: Context, root: str, *options: str) -> str:
    out = t.path("hot")
    done = t.run(need_tool("gcc"), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", out, os.path.join(ROOT, "examples", "hot.c"),
                 *sanitizers(), *options)
    check(done.status == 0, "the example compiles", done)
    return out


def check_example(t: Context, *argv: str) -> None:
    """The same rows as in the program's document."""
    done = t.run(*argv)
    check(done.status == 0, "the example runs", done)
    shown = [(int(m[1]), m[2]) for m in re.finditer(r"^ *[\d.]+ % +(\d+)  (\S+)$", done.out, re.M)]
    (event,) = json.loads(t.good("report", "-i", SESSION, "--json").out)["sampling"]["events"]
    wanted = [(row["count"], row["symbol"]) for row in event["samples"]]
    check(len(shown) > 1 and [(count, name.split(":")[0]) for count, name in shown] == wanted, f"{shown} {wanted}", done)


def test_the_example_in_c(t: Context) -> None:
    root = installed(t)
    program = compile_example(t, root, *flags(t, root, "--cflags", "--libs"))
    library_folder = next(folder for folder, _, names in os.walk(root) if "libwperf.so.1" in names)
    check_example(t, "env", f"LD_LIBRARY_PATH={library_folder}", program, SESSION)
    done = t.run("env", f"LD_LIBRARY_PATH={library_folder}", program, "no-such.data")
    check(done.status == 1 and re.fullmatch(r"hot: no-such\.data: .*\n", done.err) is not None, "one sentence", done)


def test_the_example_with_the_static_library(t: Context) -> None:
    root = installed(t)
    words = [word for word in flags(t, root, "--cflags", "--libs", "--static") if word != "-lwperf"]
    archive = next(os.path.join(folder, "libwperf.a") for folder, _, names in os.walk(root) if "libwperf.a" in names)
    check_example(t, compile_example(t, root, "-DWPERF_STATIC", archive, *words), SESSION)


def test_the_example_in_python(t: Context) -> None:
    if sanitizers():
        raise harness.Skip("a build without sanitizers")
    check_example(t, "env", f"LIBWPERF={library()}", "/usr/bin/python3", os.path.join(ROOT, "examples", "hot.py"), SESSION)


def uses(t: Context, *argv: str) -> None:
    done = t.run(t.program("library_uses"), *argv)
    check(done.out == "ok\n" and not done.err and done.status == 0, f"{argv[0]}", done)


def test_it_measures_without_printing_or_handling_signals(t: Context) -> None:
    uses(t, "measure", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")


def test_a_measurement_can_be_stopped(t: Context) -> None:
    uses(t, "stop", "sleep", "60")


def test_threads_read_at_the_same_time(t: Context) -> None:
    uses(t, "threads", SESSION, OTHER)


def test_files_are_mapped_only_if_allowed(t: Context) -> None:
    uses(t, "mapping", SESSION)


def test_running_out_of_memory_is_told(t: Context) -> None:
    if sanitizers():
        raise harness.Skip("a build without sanitizers")
    limit = 12 << 20
    done = subprocess.run([t.program("library_uses"), "memory", SESSION], capture_output=True, text=True, check=False, cwd=t.folder,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    check(done.returncode == 7 and done.stdout == "out of memory\n" and not done.stderr, f"{done}")


if __name__ == "__main__":
    harness.main(__name__)
