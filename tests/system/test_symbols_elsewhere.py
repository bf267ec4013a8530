#!/usr/bin/python3
"""Sessions whose programs are not at their paths: another root, named folders, the folder of the session, perf's cache."""
import os
import re
import shutil

import harness
from harness import Context, Done, check
from own_samples import rows_of_module


def record_moved(t: Context) -> str:
    """Records a copy of spin and moves the copy; returns its new path."""
    os.makedirs(t.path("run"))
    os.makedirs(t.path("away"))
    shutil.copy(t.program("spin"), t.path("run/spin_moved"))
    os.makedirs(t.path("session"))
    t.good("record", "--session", "session/wperf.data", "--", t.path("run/spin_moved"), "300")
    os.rename(t.path("run/spin_moved"), t.path("away/spin_moved"))
    return t.path("away/spin_moved")


def report(t: Context, *more: str, home: str = "/nonexistent") -> Done:
    env = dict(harness.environment(), HOME=home)
    done = t.ours("report", "-i", "session/wperf.data", "--no-index", *more, env=env)
    check(done.status == 0, "a report", done)
    return done


def is_named(done: Done) -> bool:
    rows = rows_of_module(done, "spin_moved")
    named = sum(row.count for row in rows if row.symbol.startswith("spin_here"))
    return named > 150 and named >= 0.99 * sum(row.count for row in rows)


def put(t: Context, source: str, *folders: str) -> None:
    folder = t.path(os.path.join(*folders))
    os.makedirs(folder, exist_ok=True)
    shutil.copy(source, os.path.join(folder, "spin_moved"))


def test_nothing_is_found(t: Context) -> None:
    record_moved(t)
    check(not is_named(report(t)), "no name without the program", report(t))


def test_beside_the_session(t: Context) -> None:
    put_here = record_moved(t)
    put(t, put_here, "session")
    check(is_named(report(t)), "the program beside the session", report(t))


def test_symfs(t: Context) -> None:
    program = record_moved(t)
    put(t, program, "root" + t.path("run"))
    check(is_named(report(t, "--symfs", t.path("root"))), "below another root", report(t, "--symfs", t.path("root")))
    refused = t.ours("report", "-i", "session/wperf.data", "--symfs", t.path("none"))
    harness.check_sentence(refused, "--symfs", t.path("none"))
    check(refused.status == 1, "status 1", refused)


def test_symbol_path(t: Context) -> None:
    program = record_moved(t)
    put(t, program, "flat")
    check(is_named(report(t, "--symbol-path", "other;" + t.path("flat"))), "by name in a folder")
    put(t, program, "deep" + t.path("run"))
    check(is_named(report(t, "--symbol-path", t.path("deep"))), "by path in a folder")


def test_cache_of_perf(t: Context) -> None:
    perf = harness.need_tool("perf")
    program = record_moved(t)
    home = t.path("home")
    os.makedirs(home)
    added = t.run(perf, "--buildid-dir", os.path.join(home, ".debug"), "buildid-cache", "--add", program)
    check(added.status == 0, "perf keeps the program", added)
    check(is_named(report(t, home=home)), "in ~/.debug", report(t, home=home))
    os.rename(os.path.join(home, ".debug"), t.path("kept"))
    check(not is_named(report(t, home=home)), "it has gone from there")
    with open(os.path.join(home, ".perfconfig"), "w", encoding="utf-8") as file:
        file.write(f"[report]\n\tdir = nowhere\n[buildid]\n\tdir = {t.path('kept')}\n")
    check(is_named(report(t, home=home)), "in buildid.dir of ~/.perfconfig", report(t, home=home))


def test_another_build_is_not_taken(t: Context) -> None:
    record_moved(t)
    put(t, t.program("family"), "session")
    put(t, t.program("family"), "root" + t.path("run"))
    done = report(t)
    check(not is_named(done), "another program", done)
    said = report(t, "-v")
    check("session/spin_moved is of another build" in said.out, "says which file it was", said)
    done = report(t, "--symfs", t.path("root"))
    check(not is_named(done), "below the root too", done)


def build_id_of(t: Context, program: str) -> str:
    done = t.run(harness.need_tool("readelf"), "-n", program)
    found = re.search(r"Build ID: (\w+)", done.out)
    check(found is not None, "a build id", done)
    return found[1]


def test_debug_file_by_build_id(t: Context) -> None:
    """DIR/.build-id/AB/CDEF.debug of a stripped program, for symbolize and for report."""
    program = t.path("stripped")
    objcopy = harness.need_tool("objcopy")
    shutil.copy(t.program("spin"), program)
    build_id = build_id_of(t, program)
    start = re.search(r"^(\w+) \w spin_here$", t.run(harness.need_tool("nm"), program).out, re.MULTILINE)
    check(start is not None, "the address of spin_here")
    for folder in ("store", "root/usr/lib/debug"):
        folder = t.path(os.path.join(folder, ".build-id", build_id[:2]))
        os.makedirs(folder)
        t.run(objcopy, "--only-keep-debug", program, os.path.join(folder, build_id[2:] + ".debug"))
    t.run(objcopy, "--strip-all", program)
    t.good("record", "--session", "stripped.data", "--", program, "100")
    for options in ([], ["--symbol-path", t.path("store")], ["--symfs", t.path("root")]):
        named = t.ours("symbolize", "--no-index", *options, "-e", program, start[1])
        rows = t.good("report", "--no-index", *options, "-i", "stripped.data")
        check(("spin_here at " in named.out and "spin.c:" in named.out) == bool(options), "symbolize", named)
        check(any(row.symbol in ("spin_here", "spin_here:stripped") for row in harness.rows_of(rows.out)) == bool(options), "report", rows)


def test_links_out_of_the_folder(t: Context) -> None:
    """A session may come with a folder of another user: links there are not followed out of the folder."""
    program = record_moved(t)
    os.symlink(program, t.path("session/spin_moved"))
    check(not is_named(report(t)), "a link to elsewhere", report(t))
    os.remove(t.path("session/spin_moved"))
    os.mkfifo(t.path("session/spin_moved"))
    check(not is_named(report(t)), "a FIFO, without waiting", report(t))


if __name__ == "__main__":
    harness.main(__name__)
