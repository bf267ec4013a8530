#!/usr/bin/python3
"""Names of programs that are gone when the session is read: in a root or a mount namespace that ended, deleted,
replaced, in memory.  Every session is moved before it is read, and all files of the run are removed."""
import json
import os
import re
import shutil
import struct
import time

import harness
from call_trees import is_loading, paths_of
from harness import Context, Skip, check
from own_samples import check_work, is_nameless

WAYS = ((), ("-g",))
NAMED = 99


def recorded(t: Context, *argv: str, options: tuple[str, ...] = ()) -> str:
    """Records without the table that the recorder would print itself; returns the new path of the session."""
    t.good("record", "-q", *options, "--", *argv)
    os.makedirs(t.path("moved"), exist_ok=True)
    return shutil.move(t.path("wperf.data"), t.path("moved/session"))


def named_share(t: Context, session: str, module: str) -> float:
    """The share of a module's samples in functions with names, in percent."""
    rows = harness.csv_of(t.good("report", "-i", session, "--sort", "module,symbol", "--csv"))
    mine = [row for row in rows if row["module"] == module]
    counts = [int(row["count"]) for row in mine]
    named = [int(row["count"]) for row in mine if not is_nameless(row["symbol"])]
    check(sum(counts) > 100, f"samples of {module}: {rows}")
    return 100 * sum(named) / sum(counts)


def check_kept(t: Context, session: str, module: str, *functions: str) -> None:
    share = named_share(t, session, module)
    harness.note(f"{module}: {share:.1f} % of the samples have names")
    check(share >= NAMED, f"{share:.1f} % of the samples of {module} have names")
    rows = {row.symbol.split(":")[0] for row in harness.rows_of(t.good("report", "-i", session).out)}
    for function in functions:
        check(function in rows, f"{function} is one of {rows}")


def check_callers(t: Context, session: str, *functions: str) -> None:
    tree = t.good("report", "-i", session, "-g")
    for function in functions:
        check(re.search(rf"\b{function}\b", tree.out) is not None, f"{function} in the tree", tree)
    for frames, _ in paths_of(json.loads(t.good("report", "-i", session, "-g", "--json").out)["call_trees"][0]):
        named = frames[1:] if is_loading(frames) else frames
        check(not any(frame.name.startswith("unknown") for frame in named), f"every caller has a name: {frames}", tree)


def make_root(t: Context, *programs: str) -> str:
    """A folder with programs, at its top, and the files that they need."""
    root = t.path("root")
    os.makedirs(root)
    for program in programs:
        shutil.copy(program, root)
        for library in re.findall(r"/\S+", t.run("ldd", program).out.replace(":", " ")):
            os.makedirs(os.path.dirname(root + library), exist_ok=True)
            shutil.copy(library, root + library)
    return root


def need_chroot(t: Context, root: str, *argv: str) -> None:
    harness.need_root()
    if t.run("chroot", root, *argv).status:
        raise Skip("chroot")


def test_chroot_that_is_removed(t: Context) -> None:
    for options in WAYS:
        root = make_root(t, t.program("spin"))
        need_chroot(t, root, "/spin", "1")
        session = recorded(t, "sh", "-c", 'chroot "$0" /spin 400; rm -r "$0"', root, options=options)
        check(not os.path.exists(root), "the root is gone")
        check_kept(t, session, "spin", "spin_here")
        if options:
            check_callers(t, session, "main", "spin_here")


def test_short_programs_in_a_chroot(t: Context) -> None:
    """Each of them has ended before its file is opened; the shell that starts them shows where their root is."""
    if t.run("stat", "-f", "-c", "%T", t.folder).out.strip() == "overlayfs":
        raise Skip("a scratch folder that is on no overlay, whose records have the numbers of other devices")
    root = make_root(t, t.program("spin"), "/bin/sh")
    need_chroot(t, root, "/spin", "1")
    script = "i=0; while [ $i -lt 100 ]; do /spin 3; i=$((i + 1)); done"
    session = recorded(t, "sh", "-c", 'chroot "$0" /sh -c "$1"; rm -r "$0"', root, script)
    check(named_share(t, session, "spin") >= 90, "most of them are named")


def test_mount_namespace_with_a_tmpfs(t: Context) -> None:
    harness.need_mounts()
    script = 'mount -t tmpfs none "$1" && cp "$2" "$1/hidden" && "$1/hidden" 400'
    for options in WAYS:
        os.makedirs(t.path("inner"), exist_ok=True)
        session = recorded(t, "unshare", "-m", "sh", "-c", script, "sh", t.path("inner"), t.program("spin"), options=options)
        check(not os.path.exists(t.path("inner/hidden")), "the program is not to be seen from here")
        check_kept(t, session, "hidden", "spin_here")
        if options:
            check_callers(t, session, "main", "spin_here")


def test_overlay(t: Context) -> None:
    harness.need_mounts()
    mount = 'mount -t tmpfs none "$1" && cd "$1" && mkdir low up work all && cp "$2" low/layered && ' \
            'mount -t overlay overlay -olowerdir=low,upperdir=up,workdir=work all'
    os.makedirs(t.path("inner"))
    if t.run("unshare", "-m", "sh", "-c", mount, "sh", t.path("inner"), t.program("spin")).status:
        raise Skip("overlay file systems")
    for options in WAYS:
        session = recorded(t, "unshare", "-m", "sh", "-c", mount + " && all/layered 400", "sh", t.path("inner"),
                           t.program("spin"), options=options)
        check_kept(t, session, "layered", "spin_here")


def test_program_in_memory(t: Context) -> None:
    for options in WAYS:
        session = recorded(t, t.program("loader"), "memfd", t.program("spin"), "400", options=options)
        check_kept(t, session, "memfd:in-memory", "spin_here")
        if options:
            check_callers(t, session, "main", "spin_here")


def copied(t: Context, program: str, name: str) -> str:
    path = t.path(name)
    shutil.copy(t.program(program), path)
    return path


def test_deleted_while_it_runs(t: Context) -> None:
    for options in (*WAYS, ("-z",), ("-g", "-z")):
        doomed = copied(t, "spin", "doomed")
        session = recorded(t, doomed, "400", "unlink", doomed, options=options)
        check(not os.path.exists(doomed), "it is deleted")
        check_kept(t, session, "doomed", "spin_here")
        if "-g" in options:
            check_callers(t, session, "main", "spin_here")


def test_deleted_after_it_ran(t: Context) -> None:
    """As a configure script does: all of them are the same build, of which one descriptor is kept."""
    script = 'for i in 0 1 2 3 4 5 6 7; do cp "$0" "try$i"; "./try$i" 50; rm "try$i"; done'
    session = recorded(t, "sh", "-c", script, t.program("spin"))
    rows = harness.csv_of(t.good("report", "-i", session, "--sort", "module,symbol", "--csv"))
    tries = [row for row in rows if row["module"].startswith("try")]
    named = sum(int(row["count"]) for row in tries if row["symbol"] == "spin_here")
    total = sum(int(row["count"]) for row in tries)
    check(total > 200 and named >= 0.8 * total, f"{named} of {total} samples have names: {rows}")


def test_perf_map_of_another_root(t: Context) -> None:
    """JIT code whose perf map is in the /tmp of a namespace that ended."""
    harness.need_mounts()
    # The scratch folder may be below /tmp, which is hidden then, so the program runs from a descriptor.
    script = 'exec 9<"$1"; shift; mount -t tmpfs none /tmp && exec /proc/self/fd/9 "$@"'
    for options in WAYS:
        session = recorded(t, "unshare", "-m", "sh", "-c", script, "sh", t.program("jit"), "400", options=options)
        done = t.good("report", "-i", session)
        check_work(done, "jit_hot_loop", r"perf-\d+\.map", 400)


def test_perf_map_in_a_chroot(t: Context) -> None:
    root = make_root(t, t.program("jit"))
    os.makedirs(root + "/tmp", exist_ok=True)
    need_chroot(t, root, "/jit", "1")
    for options in WAYS:
        session = recorded(t, "chroot", root, "/jit", "400", options=options)
        check_work(t.good("report", "-i", session), "jit_hot_loop", r"perf-\d+\.map", 400)


def test_perf_map_of_a_container(t: Context) -> None:
    """As container runtimes do it: a root of its own after it has its namespaces, and other pids."""
    harness.need_mounts()
    root = make_root(t, t.program("jit"))
    os.makedirs(root + "/tmp", exist_ok=True)
    os.makedirs(root + "/old", exist_ok=True)
    script = 'sleep 0.3; mount --bind "$1" "$1" && cd "$1" && pivot_root . old && exec ./jit 400'
    for options in WAYS:
        session = recorded(t, "unshare", "-m", "-p", "-f", "sh", "-c", script, "sh", root, options=options)
        check_work(t.good("report", "-i", session), "jit_hot_loop", r"perf-\d+\.map", 400)


def test_programs_that_execute_others_in_an_overlay(t: Context) -> None:
    """The recorded inode is none of the overlay's: what /proc/PID/exe leads to may be the next program already."""
    harness.need_mounts()
    script = ('mount -t tmpfs none "$1" && cd "$1" && mkdir up work all && mount -t overlay overlay -olowerdir="$2",upperdir=up,workdir=work all && '
              'cp "all$3" new && mv new "all$3" && exec chroot all /env /sh -c "exec /spin 300"')
    root = make_root(t, t.program("spin"), "/usr/bin/env", "/bin/sh")
    libc = next(os.path.realpath(f"{folder}/libc.so.6")[len(root):] for folder, _, names in os.walk(root) if "libc.so.6" in names)
    os.makedirs(t.path("inner"))
    if t.run("unshare", "-m", "sh", "-c", script, "sh", t.path("inner"), root, libc).status:
        raise Skip("overlay file systems")
    wanted = re.search(r"Build ID: (\w+)", t.run("readelf", "-n", root + libc).out)[1]
    session = recorded(t, "unshare", "-m", "sh", "-c", script, "sh", t.path("inner"), root, libc)
    found = set(re.findall(r"build_id ([0-9a-f]*) .*path \S*libc\.so\.6", t.good("dump", "-i", session).out))
    check(found == {wanted}, f"the C library has the build id {wanted}: {found}")


def test_jitdump_that_is_removed(t: Context) -> None:
    session = recorded(t, t.program("jitdumper"), t.folder, "400", "gone")
    check(not [name for name in os.listdir(t.folder) if name.endswith(".dump")], "the jitdump is gone")
    done = t.good("report", "-i", session)
    check_work(done, "dumped_loop", r"jit-\d+\.dump", 400)


def check_plain_user(t: Context, module: str, *argv: str) -> None:
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]
    done = t.run(*user, "./wperf", "record", "-q", "--", *argv)
    if done.status:
        raise Skip("plain users that may record")
    os.chown(t.path("wperf.data"), 0, 0)
    check_kept(t, t.path("wperf.data"), module, "spin_here")
    os.unlink(t.path("wperf.data"))


def test_plain_user(t: Context) -> None:
    """Who may not read /proc/PID/map_files."""
    harness.need_root()
    harness.need_tool("setpriv")
    os.chmod(t.folder, 0o777)
    for program in (t.wperf, t.program("spin"), t.program("loader")):
        shutil.copy(program, t.folder)
    check_plain_user(t, "memfd:in-memory", "./loader", "memfd", t.path("spin"), "400")
    check_plain_user(t, "spin", "./spin", "400", "unlink", t.path("spin"))
    check(not os.path.exists(t.path("spin")), "it is deleted")


def test_replaced(t: Context) -> None:
    """Samples of the old program have its names, those of the new program have the new names."""
    for options in WAYS:
        same = copied(t, "part_one.so", "same.so")
        copied(t, "part_two.so", "new.so")
        script = '"$1" load "$2" work 300; mv new.so "$2"; "$1" load "$2" work 300'
        session = recorded(t, "sh", "-c", script, "sh", t.program("loader"), same, options=options)
        check_kept(t, session, "same.so", "work_of_one", "work_of_two")
        os.unlink(same)
        rows = harness.rows_of(t.good("report", "-i", session).out)
        one = [row for row in rows if row.symbol.startswith("work_of_one")]
        check(len(one) == 1 and one[0].count > 100, f"of the first one nothing is lost: {rows}")
        check(not any(row.symbol.startswith("work_of_two") and row.count > 400 for row in rows),
              f"samples of the first one have not the second's names: {rows}")


def without_build_id(t: Context, program: str, name: str) -> str:
    """As Go made them for long."""
    check(t.run("objcopy", "-R", ".note.gnu.build-id", t.program(program), t.path(name)).status == 0, "objcopy")
    return t.path(name)


def test_built_again_without_a_build_id(t: Context) -> None:
    for how in ('mv "$1" "$2"', 'cat "$1" > "$2"'):
        program, other = without_build_id(t, "spin", "program"), without_build_id(t, "paths", "other")
        session = recorded(t, program, "300")
        check_kept(t, session, "program", "spin_here")
        time.sleep(0.02)  # a step of the file system's clock
        check(t.run("sh", "-c", how, "sh", other, program).status == 0, "built again")
        done = t.run(t.wperf, "report", "-v", "-i", session)
        check(re.search(r"^note: \S*/program: was changed after the session was recorded, and its build id is not known$", done.out, re.M) is not None,
              "the note says so", done)
        rows = harness.rows_of(t.run(t.wperf, "report", "-i", session).out)
        check({row.symbol for row in rows if row.symbol.endswith((":program", "_here"))} == {"unknown:program"}, f"{how}: no names of another build: {rows}")


def as_of_go(t: Context, program: str, name: str, build_id: str) -> str:
    """With the note that Go's linker writes in place of the GNU build id."""
    note = b"Go\0\0" + build_id.encode()
    with open(t.path("note"), "wb") as out:
        out.write(struct.pack("<III", 4, len(build_id), 4) + note + bytes(-len(note) % 4))
    done = t.run("objcopy", "-R", ".note.gnu.build-id", "--add-section", f".note.go.buildid={t.path('note')}",
                 "--set-section-flags", ".note.go.buildid=readonly,noload", t.program(program), t.path(name))
    check(done.status == 0, "objcopy", done)
    return t.path(name)


def test_built_again_by_go(t: Context) -> None:
    """Go's build id tells builds apart, whatever the times of the file are."""
    program = as_of_go(t, "spin", "program", "first/build")
    session = recorded(t, program, "300")
    check_kept(t, session, "program", "spin_here")
    time.sleep(0.02)
    shutil.copy(program, t.path("copy"))
    os.replace(t.path("copy"), program)
    check_kept(t, session, "program", "spin_here")
    os.replace(as_of_go(t, "paths", "other", "second/build"), program)
    os.utime(program, (1e9, 1e9))
    done = t.run(t.wperf, "report", "-v", "-i", session)
    check(re.search(r"^note: \S*/program: was rebuilt after .*: its Go build id differs$", done.out, re.M) is not None, "the note says so", done)
    rows = harness.rows_of(t.run(t.wperf, "report", "-i", session).out)
    check({row.symbol for row in rows if row.symbol.endswith((":program", "_here"))} == {"unknown:program"},
          f"no names of another build: {rows}")


def test_written_over(t: Context) -> None:
    """The file keeps its inode: the old content is lost, and the new content gives no names."""
    same = copied(t, "part_one.so", "same.so")
    script = '"$1" load "$2" work 300; cat "$3" > "$2"'
    session = recorded(t, "sh", "-c", script, "sh", t.program("loader"), same, t.program("part_two.so"))
    done = t.good("report", "-i", session)
    check("work_of_two" not in done.out, "no wrong names", done)
    check(harness.quality_of(done)["unresolved"] > 100, "they count as unresolved", done)


def test_nothing_is_kept_of_files_that_stay(t: Context) -> None:
    session = recorded(t, t.program("spin"), "200", options=("-g",))
    check("WPERF_SYMBOLS" not in t.good("dump", "-i", session).out, "no section of symbols")


def test_a_file_that_is_back_knows_more(t: Context) -> None:
    """The recorder kept names; a file of the same build also has code."""
    doomed = copied(t, "spin", "doomed")
    session = recorded(t, doomed, "400", "unlink", doomed)
    missing = "its code is not"
    check(missing in t.good("annotate", "-i", session, "spin_here").out, "no code was kept")
    copied(t, "spin", "doomed")
    done = t.ours("annotate", "-i", session, "spin_here")
    check(done.status == 0 and missing not in done.out, "the code of the file", done)
    os.unlink(doomed)
    copied(t, "loader", "doomed")
    check_kept(t, session, "doomed", "spin_here")


def test_kept_names_can_be_archived(t: Context) -> None:
    doomed = copied(t, "spin", "doomed")
    session = recorded(t, doomed, "400", "unlink", doomed, options=("-g",))
    before = t.good("report", "-i", session, "-g").out
    done = t.ours("symbolize", "--session", session, "-e", "libc.so.6", "0x1000")
    harness.check_sentence(done, "wperf archive -i")
    done = t.ours("archive", "-i", session)
    check(done.status == 0 and "1 source file was not packed" in done.err, "nothing proves that it is source", done)
    check(t.good("report", "-i", session, "-g").out == before, "the archive shows the same")
    check_kept(t, session, "doomed", "spin_here")


def test_named_elsewhere_by_the_section_alone(t: Context) -> None:
    """Without the section, as in a session of an older wperf, every name is missing: so the names come from the
    section."""
    doomed = copied(t, "spin", "doomed")
    session = recorded(t, doomed, "400", "unlink", doomed)
    with open(session, "r+b") as file:
        content = file.read()
        at = content.find(b"WPSY")
        check(at > 0, "the section is there")
        file.seek(at)
        file.write(b"XXXX")
    done = t.ours("report", "-i", session)
    check(harness.quality_of(done)["unresolved"] > 100, "nothing has a name", done)
    check("damaged" in done.out + done.err, "and it is said why", done)


if __name__ == "__main__":
    harness.main(__name__)
