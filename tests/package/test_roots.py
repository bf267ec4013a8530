#!/usr/bin/python3
"""The packages of build/package/dist (made by tools/package_linux.sh) in systems where wperf was never built: fresh
Debian 11, 12 and 13, as a user without rights; a folder with a busybox; arm64 under qemu-user.  By hand: ./check
long.

PACKAGE_ROOTS=DIR keeps the systems there for the next run; otherwise they are made in /var/tmp and removed.
"""
import atexit
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests/system"))

import harness  # noqa: E402
from debian_roots import fresh_home, inside, make_root, roots  # noqa: E402
from harness import Context, Done, check, need_root, need_tool, note  # noqa: E402

DIST = PROJECT / "build/package/dist"
SUITES = ("bullseye", "bookworm", "trixie")
LIMIT_SECONDS, OWN_SECONDS = 60, 5

PYTHON = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfor _ in range(4):\n    fib(25)\n"
CPP = """#include <cstdio>
#include <map>
namespace work {
struct Table {
    std::map<unsigned, unsigned> rows;
    __attribute__((noinline)) void fill(unsigned n) { for (unsigned i = 0; i < n; i++) rows[i * 2654435761u] += i; }
};
}
int main() { work::Table table; for (int i = 0; i < 12; i++) table.fill(100000); std::printf("%zu\\n", table.rows.size()); }
"""


def package(pattern: str) -> str:
    found = sorted(str(path) for path in DIST.glob(pattern))
    check(len(found) == 1, f"tools/package_linux.sh has made one {pattern}: {found}")
    return found[0]


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


@functools.cache
def cpp_program() -> str:
    """Linked statically, so that it runs in each root."""
    folder = tempfile.mkdtemp(prefix="wperf-cpp.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write(f"{folder}/table.cpp", CPP)
    subprocess.run([need_tool("g++"), "-O1", "-g", "-static", "-o", f"{folder}/table", f"{folder}/table.cpp"], check=True)
    return f"{folder}/table"


def check_quick(suite: str, what: str, seconds: float, done: Done, alone: Done) -> None:
    own = done.seconds - alone.seconds
    note(f"{suite}: {what}: {seconds:.1f} s from the archive to the table, {done.seconds:.1f} s of them in `wperf record` of a "
         f"program that takes {alone.seconds:.1f} s alone")
    check(seconds <= LIMIT_SECONDS and own <= OWN_SECONDS, "in time", done)


def from_archive_to_table(t: Context, suite: str) -> None:
    root = make_root(suite)
    home = fresh_home(root)
    shutil.copy(package("wperf-*-x86_64.tar.gz"), f"{home}/wperf.tar.gz")
    shutil.copy(cpp_program(), f"{home}/table")
    write(f"{home}/fib.py", PYTHON)
    start = time.monotonic()
    done = inside(t, root, "tar xf wperf.tar.gz && ln -s wperf-*/wperf wperf")
    check(done.status == 0, "unpacks", done)
    for what, command, row in (("python3", "python3 fib.py", r"_PyEval_EvalFrame"),
                               ("C++", "./table", r"work::Table::fill|std::_Rb_tree")):
        alone = inside(t, root, command)
        begin = time.monotonic()
        done = inside(t, root, f"./wperf record -g -- {command}")
        check(done.status == 0 and re.search(rf"^ +\d+\.\d\d +\d+ +.*({row})", done.out, re.M) is not None, "a table", done)
        check_quick(suite, what, time.monotonic() - begin + (begin - start if what == "python3" else 0), done, alone)
        done = inside(t, root, "./wperf report -g")
        check(done.status == 0 and "call tree of" in done.out, "and a call tree", done)


@harness.limit(600)
def test_archive_in_bullseye(t: Context) -> None:
    from_archive_to_table(t, "bullseye")


@harness.limit(600)
def test_archive_in_bookworm(t: Context) -> None:
    from_archive_to_table(t, "bookworm")


@harness.limit(600)
def test_archive_in_trixie(t: Context) -> None:
    from_archive_to_table(t, "trixie")


@harness.limit(600)
def test_annotate_names_what_is_missing(t: Context) -> None:
    root = make_root("bullseye")
    home = fresh_home(root)
    shutil.copy(package("wperf-*-x86_64.tar.gz"), f"{home}/wperf.tar.gz")
    shutil.copy(cpp_program(), f"{home}/table")
    done = inside(t, root, "tar xf wperf.tar.gz && wperf-*/wperf record -q -- ./table && wperf-*/wperf annotate")
    check(done.status == 0 and "install the package libllvm19" in done.out, "the package is named", done)
    check(re.search(r"^ +\d+\.\d\d +\d+ .*[0-9a-f]{6}  bytes  [0-9a-f]{2} ", done.out, re.M) is not None, "bytes", done)
    check(re.search(r"[0-9a-f]{6}  (branch|jump|call) +0x", done.out) is not None, "and flow", done)


def annotates_with(t: Context, suite: str, *libraries: str) -> None:
    """Each libLLVM of the system, alone."""
    root = make_root(suite)
    home = fresh_home(root)
    shutil.copy(package("wperf-*-x86_64.tar.gz"), f"{home}/wperf.tar.gz")
    shutil.copy(cpp_program(), f"{home}/table")
    done = inside(t, root, "tar xf wperf.tar.gz && wperf-*/wperf record -q -- ./table")
    check(done.status == 0 and inside(t, root, "apt-get update -qq", "root").status == 0, "a session", done)
    for library in libraries:
        done = inside(t, root, f"apt-get install -y --no-install-recommends {library}", "root")
        check(done.status == 0, f"apt installs {library}", done)
        done = inside(t, root, "wperf-*/wperf annotate --no-index")
        away = inside(t, root, f"apt-get purge -y --autoremove {library}", "root")
        check(away.status == 0, f"apt takes {library} away", away)
        check(done.status == 0 and not done.err and "libllvm" not in done.out, f"{library} is loaded", done)
        check(re.search(r"[0-9a-f]{6}  (mov|cmp|lea|add)[lq]? +\S", done.out) is not None and
              not re.search(r"[0-9a-f]{6}  bytes  ", done.out), f"{library}: instructions, no bytes", done)


@harness.limit(600)
def test_libllvm_in_bullseye(t: Context) -> None:
    annotates_with(t, "bullseye", "libllvm11", "libllvm13", "libllvm16")


@harness.limit(600)
def test_libllvm_in_bookworm(t: Context) -> None:
    annotates_with(t, "bookworm", "libllvm13", "libllvm14", "libllvm15", "libllvm16", "libllvm19")


@harness.limit(600)
def test_libllvm_in_trixie(t: Context) -> None:
    annotates_with(t, "trixie", "libllvm17t64", "libllvm18", "libllvm19", "libllvm22")


def files_of(t: Context, root: str) -> set[str]:
    done = inside(t, root, "find / -xdev | grep -vE '^/(proc|sys|dev|tmp|home)/|^/var/(log|cache|lib/(dpkg|apt))/'",
                  "root")
    return set(done.out.splitlines())


def deb_comes_and_goes(t: Context, suite: str) -> None:
    root = make_root(suite)
    home = fresh_home(root)
    shutil.copy(package("wperf_*_amd64.deb"), f"{home}/wperf.deb")
    shutil.copy(package("wperf-dbgsym_*_amd64.deb"), f"{home}/wperf-dbgsym.deb")
    before = files_of(t, root)
    for verb in ("remove", "purge"):
        done = inside(t, root, "apt-get install -y --no-install-recommends ./home/user/wperf.deb ./home/user/wperf-dbgsym.deb",
                      "root")
        check(done.status == 0 and "/usr/bin/wperf" in files_of(t, root) - before, "apt installs them", done)
        done = inside(t, root, "wperf record -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'")
        check(done.status == 0 and "quality: " in done.out, "it records", done)
        done = inside(t, root, f"apt-get {verb} -y wperf wperf-dbgsym", "root")
        check(done.status == 0, f"apt-get {verb}", done)
        after = files_of(t, root)
        check(after == before, f"{verb} leaves {after - before} and takes {before - after}")


@harness.limit(600)
def test_deb_in_bullseye(t: Context) -> None:
    deb_comes_and_goes(t, "bullseye")


@harness.limit(600)
def test_deb_in_bookworm(t: Context) -> None:
    deb_comes_and_goes(t, "bookworm")


@harness.limit(600)
def test_deb_in_trixie(t: Context) -> None:
    deb_comes_and_goes(t, "trixie")


BENCH = """#include <stdint.h>
#include <stdlib.h>
static volatile uint64_t sink;
static __attribute__((noinline)) void parse(uint64_t n) { uint64_t x = sink; while (n--) x = x * 25 + n; sink = x; }
static __attribute__((noinline)) void store(uint64_t n) { uint64_t x = sink; while (n--) x = x * 49 ^ n; sink = x; }
int main(void) { for (int i = 0; i < 100; i++) { parse(PARSE); store(1500000); } return 0; }
"""
# What a CI service does for a change: from the clone to the verdict.
CI_RUN = """set -e
git clone -q origin project
cd project
git checkout -q HEAD~1
make -s
wperf check --run --write-baseline ../main.json -- ./bench
git checkout -q -
make -s
wperf check --run --baseline ../main.json --max-change total=2% -- ./bench
"""


@harness.limit(2400)
def test_ci_run(t: Context) -> None:
    """A commit that takes some 5 % more CPU time, in a bare system with the package: three minutes on a machine that does nothing else."""
    root = make_root("bookworm")
    home = fresh_home(root)
    shutil.copy(package("wperf_*_amd64.deb"), f"{home}/wperf.deb")
    done = inside(t, root, "apt-get update -qq && apt-get install -y --no-install-recommends ./home/user/wperf.deb git gcc libc6-dev make", "root")
    check(done.status == 0, "apt installs the package and what the project needs", done)
    git = "git -c user.name=a -c user.email=a@b"
    script = ["git init -q origin && cd origin && printf 'bench: bench.c\\n\\tgcc -O1 -o bench bench.c\\n' >Makefile"]
    for number in (1500000, 1730000):
        write(f"{home}/bench-{number}.c", BENCH.replace("PARSE", str(number)))
        script.append(f"cp ../bench-{number}.c bench.c && git add . && {git} commit -qm '{number}'")
    check(inside(t, root, " && ".join(script)).status == 0, "a project of two commits")
    begin = time.monotonic()
    done = inside(t, root, CI_RUN, limit=2000)
    seconds, load = time.monotonic() - begin, os.getloadavg()[0]
    note(f"{seconds:.0f} s from git clone to the verdict, at a load of {load:.0f}; {done.out.splitlines()[0] if done.out else ''}")
    check(done.status == 1 and done.out.startswith("SLOWER: CPU time +"), "slower", done)
    check("because: parse (bench) +" in done.out, "and why", done)
    check(seconds <= 180 or load > os.cpu_count(), "in three minutes", done)


@harness.limit(600)
def test_lintian(t: Context) -> None:
    for name in ("wperf_*_amd64.deb", "wperf_*_arm64.deb", "wperf-dbgsym_*_amd64.deb", "wperf-dbgsym_*_arm64.deb"):
        done = t.run(need_tool("lintian"), "--fail-on", "error,warning", package(name))
        check(done.status == 0 and not done.out, f"lintian has nothing to say of {name}", done)


@harness.limit(600)
def test_static_program_beside_a_busybox(t: Context) -> None:
    need_root()
    root = t.path("root")
    for folder in ("bin", "proc", "sys", "dev"):
        os.makedirs(f"{root}/{folder}")
    shutil.copy(need_tool("busybox"), f"{root}/bin/busybox")
    for name in ("sh", "tar", "gzip"):
        os.symlink("busybox", f"{root}/bin/{name}")
    home = fresh_home(root)
    os.chmod(t.folder, 0o755)
    shutil.copy(package("wperf-*-x86_64-musl.tar.gz"), f"{home}/wperf.tar.gz")
    shutil.copy(cpp_program(), f"{home}/table")
    alone = inside(t, root, "./table")
    begin = time.monotonic()
    check(inside(t, root, "tar xzf wperf.tar.gz && ln -s wperf-*/wperf wperf").status == 0, "unpacks")
    done = inside(t, root, "./wperf record -g -- ./table")
    check(done.status == 0 and re.search(r"work::Table::fill|std::_Rb_tree", done.out) is not None, "a table", done)
    check_quick("busybox", "C++", time.monotonic() - begin, done, alone)
    done = inside(t, root, "./wperf annotate")
    check("this wperf is statically linked" in done.out, "annotate says what it cannot do", done)


# --- arm64 ---


@functools.cache
def arm64_root(suite: str) -> str:
    """Only the C library: enough for wperf."""
    root = f"{roots()}/arm64-{suite}"
    if not os.path.isdir(f"{root}/root"):
        script = ('. "$1/cross/debian_archive.sh"; set -eu; debian_archive_open "$2/apt" deb "$3" arm64; '
                  'debian_archive_unpack "$2/new" libc6; mv "$2/new" "$2/root"')
        subprocess.run(["bash", "-c", script, "bash", PROJECT, root, suite], check=True)
    return f"{root}/root"


@harness.limit(600)
def test_arm64_reads_sessions(t: Context) -> None:
    qemu = need_tool("qemu-aarch64")
    check(t.run("tar", "xf", package("wperf-*-arm64.tar.gz")).status == 0, "unpacks")
    program = str(next(pathlib.Path(t.folder).glob("wperf-*-arm64/wperf")))
    t.good("record", "-q", "-g", "--session", t.path("s.data"), "--", cpp_program(), stdout=subprocess.DEVNULL)
    t.good("archive", "-i", t.path("s.data"))
    for suite in SUITES:
        for command in (("report",), ("report", "-g"), ("report", "--json"), ("export", "-o", "-", "--format", "folded")):
            want = t.ours(command[0], "-i", t.path("s.data"), *command[1:])
            begin = time.monotonic()
            done = t.run(qemu, "-L", arm64_root(suite), program, command[0], "-i", t.path("s.data"), *command[1:])
            check(done.status == 0 and done.out == want.out, f"{suite}: {command} is what it is on x86-64", done)
        note(f"arm64 {suite}: the last of four reading commands took {time.monotonic() - begin:.1f} s under qemu")


if __name__ == "__main__":
    harness.main(__name__)
