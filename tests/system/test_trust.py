#!/usr/bin/python3
"""Which files are trusted: sessions of other users, perf maps that somebody left in /tmp, names that lead to devices."""
import os
import re
import shutil
import stat
import struct
import subprocess
import time

import harness
from harness import Context, Done, check

OTHER, THIRD = 12345, 12346  # users; they need no name
SPIN_MS = "20000"
HOUR = 3600


def session_of(t: Context, owner: int) -> str:
    t.good("record", "--session", "theirs.data", "-F", "500", "--", t.program("spin"), "50")
    os.chown(t.path("theirs.data"), owner, owner)
    return "theirs.data"


READERS = (("report", "-i"), ("report", "-g", "-i"), ("dump", "-i"), ("annotate", "-i"),
           ("export", "--format", "folded", "-o", "out.folded", "-i"), ("archive", "-o", "packed.data", "-i"),
           ("symbolize", "-e", "spin", "0x1000", "--session"))


def test_root_refuses_the_session_of_another_user(t: Context) -> None:
    harness.need_root()
    name = session_of(t, OTHER)
    for reader in READERS:
        done = t.ours(*reader, name)
        check(done.status == 1 and done.out == "", f"{reader[0]} refuses", done)
        harness.check_sentence(done, name, "belongs to another user", "--force")
    for reader in READERS[:-1]:
        done = t.ours(*reader, name, "--force")
        check(done.status == 0, f"{reader[0]} --force", done)
    done = t.ours("report", "-f", "-i", name)
    check(done.status == 0 and "quality: " in done.out, "-f", done)
    with open(t.path(name), "rb") as session:
        done = t.ours("report", "-i", "-", stdin=session)
        check(done.status == 0, "standard input is whoever's opened it", done)


def as_user(user: int, *argv: str) -> list[str]:
    return [harness.need_tool("setpriv"), f"--reuid={user}", f"--regid={user}", "--clear-groups", *argv]


def readable_program(t: Context, name: str) -> str:
    """Where every user may run it."""
    os.chmod(t.folder, 0o755)
    return shutil.copy(t.program(name), t.path(name))


def test_other_users_read_what_they_may(t: Context) -> None:
    """Only root refuses such files, because the risk is larger."""
    harness.need_root()
    name = session_of(t, OTHER)
    os.chmod(t.folder, 0o755)
    os.chmod(t.path(name), 0o644)
    done = t.run(*as_user(THIRD, readable_program_path(t), "report", "--no-index", "-i", t.path(name)))
    check(done.status == 0 and "quality: " in done.out, "another user reads it", done)


def readable_program_path(t: Context) -> str:
    return shutil.copy(t.wperf, t.path("wperf"))


def code_address(pid: int) -> str:
    """The address of its executable memory without a file; "" if there is none yet."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
        for line in maps:
            words = line.split()
            if words[1] == "r-xp" and len(words) == 5:
                return words[0].split("-")[0]
    return ""


def names_of_jit(t: Context, how) -> tuple[Done, bool]:
    """Records a process of OTHER that generates code without naming it, while `how` has put a file at the path of its
    perf map.  Whether the name was used."""
    jit = t.start(*as_user(OTHER, readable_program(t, "jit"), SPIN_MS, "nameless"))
    harness.wait_until(lambda: code_address(jit.pid), "the code of the JIT is mapped")
    address = code_address(jit.pid)
    path = f"/tmp/perf-{jit.pid}.map"
    try:
        how(path, f"{address} 1000 jit_hot_loop\n")
        done = t.ours("record", "--session", "jit.data", "-F", "500", "-p", str(jit.pid), "--timeout", "1", "-v")
        check(done.status == 0, "recorded", done)
        return done, "jit_hot_loop" in done.out
    finally:
        harness.kill_group(jit)
        if os.path.lexists(path):
            os.unlink(path)


def write_as(user: int, path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chown(path, user, user)


def link(t: Context, path: str, text: str) -> None:
    write_as(OTHER, t.path("real.map"), text)
    os.symlink(t.path("real.map"), path)


def old(path: str, text: str) -> None:
    write_as(OTHER, path, text)
    os.utime(path, (time.time() - HOUR,) * 2)


def test_perf_maps_of_a_recorded_process(t: Context) -> None:
    harness.need_root()
    harness.need_events()
    harness.need_capability("CAP_SYS_PTRACE")
    for what, how, is_taken, why in (
            ("its user's", lambda path, text: write_as(OTHER, path, text), True, ""),
            ("root's", lambda path, text: write_as(0, path, text), True, ""),
            ("another user's", lambda path, text: write_as(THIRD, path, text), False, "another user (id 12346)"),
            ("older than the process", old, False, "older than its process"),
            ("a link", lambda path, text: link(t, path, text), False, "symbolic link"),
            ("a link to a device", lambda path, text: os.symlink("/dev/zero", path), False, "symbolic link"),
            ("a FIFO", lambda path, text: os.mkfifo(path, 0o666), False, "not a regular file")):
        done, taken = names_of_jit(t, how)
        check(taken == is_taken, f"{what}: taken {taken}", done)
        check(not why or why in done.out, f"{what}: the note says why", done)
        harness.note(f"{what}: {'taken' if taken else 'refused'}")


def test_unwinding_by_the_jitdump_of_another_user(t: Context) -> None:
    """While recording, a jitdump is used for unwinding only if it belongs to its process's user and is not older than
    the process."""
    harness.need_root()
    harness.need_events()
    harness.need_capability("CAP_SYS_PTRACE")
    for what, how, is_used in (("its user's", lambda path: None, True),
                               ("another user's", lambda path: os.chown(path, THIRD, THIRD), False),
                               ("older than the process", lambda path: os.utime(path, (time.time() - HOUR,) * 2), False)):
        target = t.start(t.program("trampolines"), SPIN_MS, "5", t.folder, "dump")
        dump = t.path(f"jit-{target.pid}.dump")
        try:
            harness.wait_until(lambda path=dump: os.path.exists(path) and os.path.getsize(path) > 100, "the jitdump is written")
            how(dump)
            t.good("record", "-g", "--session", "jit.data", "-F", "500", "-p", str(target.pid), "--timeout", "1")
        finally:
            harness.kill_group(target)
        quality = t.good("report", "-i", "jit.data", "-g").out
        check((", 0 cut stacks" in quality) == is_used, f"{what}: {quality[-300:]}")


def test_perf_maps_of_a_session(t: Context) -> None:
    """After recording, the process's user is not known: the file must belong to the reader or to root, unless --force
    is given."""
    harness.need_root()
    program = readable_program(t, "jit")
    done = t.ours("record", "--session", "jit.data", "-F", "500", "--", *as_user(OTHER, program, "200"))
    check(done.status == 0 and "jit_hot_loop" in done.out, "the map of its user is taken while recording", done)
    plain, forced = t.ours("report", "-v", "-i", "jit.data"), t.ours("report", "-f", "-i", "jit.data")
    check("jit_hot_loop" not in plain.out and "--force" in plain.out, "refused, and said", plain)
    check("jit_hot_loop" in forced.out, "taken by --force", forced)


def test_no_device_is_opened(t: Context) -> None:
    """A session names a FIFO and a device: a writer would notice if the FIFO was opened."""
    fifo, null = t.path("module"), t.path("null")
    os.mkfifo(fifo)
    os.symlink("/dev/null", null)
    watched = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    trace = shutil.which("strace", path="/usr/sbin:/usr/bin:/sbin:/bin")
    for module in (fifo, null):
        check(t.run(t.program("make_hostile"), f"samples:{module}", t.path("named.data"), "3", "0").status == 0,
              "a session")
        argv = [t.wperf, "report", "-v", "-i", t.path("named.data")]
        # The leak check does not work in a traced process.
        done = t.run(*([trace, "-f", "-e", "trace=open,openat,openat2", "-o", t.path("trace")] if trace else []), *argv,
                     env=harness.environment(ASAN_OPTIONS="detect_leaks=0"))
        check(done.status == 0 and "is not a regular file" in done.out, "said", done)
        if trace:
            with open(t.path("trace"), encoding="utf-8", errors="replace") as lines:
                check(module not in lines.read(), f"{module} is not opened", done)
        else:
            harness.note("strace is not here: that nothing is opened was not seen")
    os.close(watched)


def test_the_owner_counts_as_it_is_mapped(t: Context) -> None:
    """In a user namespace where only root is mapped, root's sessions are read and all others refused."""
    harness.need_root()
    unshare = harness.need_tool("unshare")
    if subprocess.run([unshare, "--user", "--map-root-user", "true"], check=False, capture_output=True).returncode:
        raise harness.Skip("user namespaces")
    name = session_of(t, 0)
    inside = [unshare, "--user", "--map-root-user", t.wperf, "report", "--no-index", "-i", name]
    done = t.run(*inside)
    check(done.status == 0, "root's", done)
    os.chown(t.path(name), OTHER, OTHER)
    os.chmod(t.path(name), 0o644)
    done = t.run(*inside)
    harness.check_sentence(done, "belongs to another user")
    check(stat.S_ISREG(os.stat(t.path(name)).st_mode), "it is as it was")


# Commands that write a file, which is the last argument.
WRITERS = (("export", "--format", "folded", "-i", "../s.data", "-o"), ("export", "--format", "perf-script", "-i", "../s.data", "-o"),
           ("export", "--format", "pprof", "-i", "../s.data", "-o"), ("report", "-q", "-i", "../s.data", "-o"),
           ("dump", "-q", "-i", "../s.data", "-o"), ("annotate", "-q", "-i", "../s.data", "-o"), ("archive", "-i", "../s.data", "-o"),
           ("diff", "-q", "../s.data", "../again.data", "-o"), ("check", "../s.data", "--write-baseline"), ("list", "-q", "-o"),
           ("stat", "-q", "--json", "--", "true", "-o"), ("stat", "-x,", "--", "true", "-o"), ("record", "-q", "--", "true", "--session"))


def put_output_last(writer: tuple[str, ...], name: str) -> list[str]:
    """The option of the file before the command of stat and record."""
    if "--" not in writer:
        return [*writer, name]
    at = writer.index("--")
    return [*writer[:at], writer[-1], name, *writer[at:-1]]


def test_what_strangers_left_in_a_sticky_folder_is_not_written(t: Context) -> None:
    """Links to files that only root may write, and files that their owner could change later."""
    harness.need_root()
    harness.need_events()
    t.good("record", "-q", "-g", "--session", "s.data", "-F", "500", "--", t.program("spin"), "50")
    os.chmod(t.folder, 0o755)
    shutil.copy(t.path("s.data"), t.path("again.data"))
    os.mkdir(t.path("rootonly"), 0o700)
    os.mkdir(t.path("shared"))
    os.chmod(t.path("shared"), 0o1777)
    subprocess.run(as_user(OTHER, "sh", "-c", "ln -s ../rootonly/new link; ln -s ../rootonly folder; echo theirs > file; chmod 666 file"),
                   cwd=t.path("shared"), check=True)
    for writer in WRITERS:
        for name, what in (("link", "a link"), ("folder/new", "a link"), ("file", "a file")):
            if writer[0] in ("record", "archive") and name == "file":
                continue  # a file that is no session is not overwritten, whoever has it
            done = t.ours(*put_output_last(writer, name), cwd=t.path("shared"))
            check(done.status in (1, 125) and f"because it is {what} of another user" in done.err, f"{writer} {name}", done)
    check(os.listdir(t.path("rootonly")) == [], "nothing was written through a link")
    with open(t.path("shared/file"), encoding="ascii") as file:
        check(file.read() == "theirs\n", "the stranger's file is as it was")
    for own in ("own", "own-link"):
        os.symlink("../rootonly/mine", t.path("shared/own-link")) if own == "own-link" else None
        done = t.ours("export", "--format", "folded", "-i", "../s.data", "-o", own, cwd=t.path("shared"))
        check(done.status == 0, "own files and links are written", done)
    check(os.path.getsize(t.path("rootonly/mine")) > 0, "through the own link")


def run_with_rights(t: Context, mode: int, capabilities: bytes, *prefix: str) -> Done:
    """A copy of wperf with these rights, run by another user."""
    path = shutil.copy(t.wperf, t.path("wperf"))
    os.chmod(t.folder, 0o755)
    os.chmod(path, mode)
    if capabilities:
        os.setxattr(path, "security.capability", capabilities)
    return t.run(*as_user(OTHER, *prefix, path, "list", "-q"))


def test_borrowed_rights_are_refused(t: Context) -> None:
    harness.need_root()
    dac_override = struct.pack("<5I", 0x02000001, 2, 0, 0, 0)  # VFS_CAP_REVISION_2, effective; CAP_DAC_OVERRIDE
    may_be_setuid = t.run(*as_user(OTHER, "true")).status == 0 and not os.statvfs(t.folder).f_flag & os.ST_NOSUID
    if not may_be_setuid:
        raise harness.Skip("a folder for programs that are setuid")
    for what, mode, capabilities in (("setuid", 0o4755, b""), ("setgid", 0o2755, b""), ("file capabilities", 0o755, dac_override)):
        done = run_with_rights(t, mode, capabilities)
        check(done.status == 1 and done.out == "", what, done)
        check(done.err.startswith("wperf: wperf does not run setuid, setgid or with file capabilities"), what, done)
    done = run_with_rights(t, 0o755, b"")
    check(done.status == 0, "without rights of its own", done)
    done = t.run(harness.need_tool("setpriv"), f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", "--inh-caps=+dac_override",
                 "--ambient-caps=+dac_override", t.path("wperf"), "list", "-q")
    check(done.status == 0, "ambient capabilities", done)


def test_private_source_of_root(t: Context) -> None:
    """Debug information may name any file.  Root sees and packs only source files that all users may read; what is packed must also be in
    a folder that all may enter."""
    harness.need_root()
    source = t.path("burn.h")
    with open(source, "w", encoding="ascii") as file:
        file.write("".join(f"secret line {i}\n" for i in range(1, 200)))
    t.good("record", "--session", "spin.data", "-F", "500", "--", t.program("spin"), "50")
    annotate = ("annotate", "-i", "spin.data", "--source", "--source-path", t.folder)
    archive = ("archive", "-i", "spin.data", "-o", "packed.data", "--source-path", t.folder)
    for mode, folder, force, is_shown, is_packed in ((0o644, 0o755, (), True, True), (0o600, 0o755, (), False, False),
                                                     (0o640, 0o755, (), False, False), (0o644, 0o700, (), True, False),
                                                     (0o644, 0o750, (), True, False), (0o600, 0o700, ("-f",), True, True)):
        os.chmod(source, mode)
        os.chmod(t.folder, folder)
        shown, packed = t.good(*annotate, *force), t.ours(*archive, *force)
        check(packed.status == 0, "archive", packed)
        with open(t.path("packed.data"), "rb") as file:
            in_session = t.good("annotate", "-i", "packed.data", "--source").out
        what = f"mode {mode:o} in {folder:o} {force}"
        check(("secret line" in shown.out) == is_shown, f"{what}: annotate", shown)
        check(("secret line" in in_session) == is_packed, f"{what}: archive: {in_session}", packed)
        check(("is not readable by all users: read it with --force" in shown.out) != is_shown, f"{what}: annotate says why", shown)
        check(("1 source file was not packed" in packed.err) != is_packed, f"{what}: archive says why", packed)


SECRET = "-----BEGIN PRIVATE KEY-----\n" + "".join(f"secret line {i}\n" for i in range(1, 200))

# A function whose code object names another file.
NAMED_PY = """
import sys
code = compile("\\n" * int(sys.argv[2]) + sys.argv[3], sys.argv[1], "exec")
space = {}
exec(code, space)
space.get("f", lambda: 0)()
"""
LOOP = "[i * i for i in range(4000000)]"


def packs(t: Context, named: str, symbol: str, *argv: str) -> tuple[bool, str]:
    """Whether archive packs lines of the file `named` when this program is recorded, and what it prints."""
    t.good("record", "-q", "-g", "--session", "named.data", "-F", "500", "--", *argv)
    done = t.ours("archive", "-i", "named.data", "-o", "packed.data")
    check(done.status == 0, "archive", done)
    os.rename(t.path(named), t.path("away"))
    shown = t.ours("annotate", "--source", "-s", symbol, "-i", "packed.data")
    os.rename(t.path("away"), t.path(named))
    return "secret line" in shown.out, done.out + done.err


def test_files_that_are_no_source_are_not_packed(t: Context) -> None:
    """Sessions and debug information can name any file of the user."""
    harness.need_events()
    os.chmod(t.folder, 0o755)
    with open(t.path("named.py"), "w", encoding="ascii") as file:
        file.write(NAMED_PY)
    for name in ("id_key", "id_key.py"):
        with open(t.path(name), "w", encoding="ascii") as file:
            file.write(SECRET)
    os.symlink("id_key", t.path("link.py"))
    with open(t.path("real.py"), "w", encoding="ascii") as file:
        file.write("# secret line 1\ndef f():\n    pass\n# secret line 2\n")
    python = harness.need_tool("python3")
    for name, line, source, is_packed in (
            ("id_key", 3, f"def f(): {LOOP}", False), ("id_key.py", 3, f"def f(): {LOOP}", False), ("link.py", 3, f"def f(): {LOOP}", False),
            ("id_key", 0, LOOP, False), ("real.py", 1, f"def f(): {LOOP}", True), ("real.py", 2, f"def f(): {LOOP}", False)):
        packed, said = packs(t, name, "f" if "def" in source else "<module>", python, t.path("named.py"), t.path(name), str(line), source)
        check(packed == is_packed, f"{name}: packed {packed}: {said}")
        check(bool(re.search(f"^source: .*/{name}: \\d+ lines$", said, re.M)) == is_packed, f"{name}: archive lists it: {said}")
    harness.note("Python")
    for options, is_packed in (("-Wl,--build-id", True), ("-Wl,--build-id=none", False)):
        with open(t.path("work.c"), "w", encoding="ascii") as file:
            file.write(f'#line 5 "{t.path("id_key")}"\n'
                       'static volatile long s; int main(void) { for (long i = 0; i < 200000000; i++) s += i; return 0; }\n')
        done = t.run(harness.need_tool("gcc"), "-g", "-O1", options, "-o", t.path("work"), t.path("work.c"))
        check(done.status == 0, "gcc", done)
        packed, said = packs(t, "id_key", "main", t.path("work"))
        check(packed == is_packed, f"{options}: packed {packed}: {said}")


def test_source_with_another_checksum_is_not_packed(t: Context) -> None:
    """clang writes an MD5 checksum of each source file into DWARF 5."""
    harness.need_events()
    os.chmod(t.folder, 0o755)
    clang = next((path for path in (shutil.which(name, path="/usr/bin") for name in ("clang", "clang-14")) if path), None)
    if not clang:
        raise harness.Skip("clang")
    source = "static volatile long s;\n/* secret line */\nint main(void) { for (long i = 0; i < 200000000; i++) s += i; return 0; }\n"
    with open(t.path("work.c"), "w", encoding="ascii") as file:
        file.write(source)
    done = t.run(clang, "-gdwarf-5", "-O1", "-Wl,--build-id", "-o", t.path("work"), t.path("work.c"))
    check(done.status == 0, "clang", done)
    for text, is_packed in ((source, True), (source + "/* changed */\n", False)):
        with open(t.path("work.c"), "w", encoding="ascii") as file:
            file.write(text)
        packed, said = packs(t, "work.c", "main", t.path("work"))
        check(packed == is_packed, f"packed {packed}: {said}")


if __name__ == "__main__":
    harness.main(__name__)
