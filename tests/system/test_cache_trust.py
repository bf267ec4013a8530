#!/usr/bin/python3
"""Which names the symbol cache gives: a forged file with the build id, size and times of a genuine one never changes
the names and lines of the genuine one, in any order of lookups."""
import os
import re
import shutil

import harness
from harness import Context, Done, check

HONEST, EVIL = "spin_here", "evil_here"
# Name of that function, and of the function with the samples, which is inlined into it.
CHANGES = ((HONEST, EVIL), ("spin.c", "evil.c"))
HOT_CHANGES = (("burn_ms", "evil_ms"), ("burn.h", "evil.h"))
ORDERS = (("honest", "evil"), ("evil", "honest"))


def forge(path: str, place: str, replace=CHANGES + HOT_CHANGES) -> str:
    """Makes a copy with other texts, and with everything that was once the key of the cache: build id, size and time."""
    with open(path, "rb") as file:
        content = file.read()
    for old, new in replace:
        check(content.count(old.encode()) > 0, f"{old} is in {path}")
        content = content.replace(old.encode(), new.encode())
    with open(place, "wb") as file:
        file.write(content)
    like(path, place)
    return place


def like(path: str, place: str) -> None:
    os.chmod(place, 0o755)
    there = os.stat(path)
    os.utime(place, ns=(there.st_atime_ns, there.st_mtime_ns))
    now = os.stat(place)
    check((now.st_size, now.st_mtime_ns) == (there.st_size, there.st_mtime_ns), "the same size and time")


def copy(path: str, place: str) -> str:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    shutil.copy2(path, place)
    return place


def cache_of(t: Context, name: str) -> dict[str, str]:
    """An empty cache, and a log of its contents."""
    return harness.environment(XDG_CACHE_HOME=t.path(name), WPERF_DEBUG="1")


def address_of(t: Context, path: str) -> str:
    found = re.search(rf"^0*([0-9a-f]+) t {HONEST}$", t.run(harness.need_tool("nm"), path).out, re.M)
    check(found is not None, f"{HONEST} of {path}")
    return "0x" + found[1]


def build_id_of(t: Context, path: str) -> str:
    return re.search(r"Build ID: (\w+)", t.run(harness.need_tool("readelf"), "-n", path).out)[1]


def known(done: Done, build_id: str = "") -> tuple[int, int]:
    """The number of addresses (of one module) that the cache knew, and the number of all."""
    found = re.findall(rf"/{build_id}[^/]*: knows (\d+) of (\d+) addresses$", done.err, re.M)
    return sum(int(n) for n, _ in found), sum(int(n) for _, n in found)


def n_hashed(done: Done) -> int:
    return done.err.count(": hashing its content\n")


def look_up(t: Context, env: dict[str, str], path: str, address: str, *options: str) -> Done:
    done = t.ours("symbolize", *options, "-e", path, address, env=env)
    check(done.status == 0, "looked up", done)
    return done


def check_names(done: Done, who: str, changes=CHANGES) -> None:
    check(done.status == 0, f"{who}: shown", done)
    for texts in changes:
        own, other = texts if who == "honest" else reversed(texts)
        check(own in done.out, f"{who}: its own '{own}'", done)
        check(other not in done.out, f"{who}: not the other's '{other}'", done)


def check_both(t: Context, files: dict[str, str], address: str, what: str) -> None:
    """Each of the two files has its own names, from the files and from the cache, in both orders."""
    for order in ORDERS:
        env = cache_of(t, f"cache.{what}.{order[0]}")
        for again in (False, True, True):
            for who in order:
                done = look_up(t, env, files[who], address)
                check_names(done, who)
                want = (1, 1) if again else (0, 1)
                check(known(done) == want, f"{what}, {who}, {order}: the cache knows {want[0]}: {known(done)}", done)
                check(n_hashed(done) == 0 or not again, "and hashes no file twice", done)


def test_a_forged_program(t: Context) -> None:
    program = copy(t.program("spin"), t.path("honest/spin"))
    os.mkdir(t.path("evil"))
    files = {"honest": program, "evil": forge(program, t.path("evil/spin"))}
    check_both(t, files, address_of(t, program), "program")


def test_a_forged_program_in_the_place_of_the_honest_one(t: Context) -> None:
    program = copy(t.program("spin"), t.path("spin"))
    address = address_of(t, program)
    evil = forge(program, t.path("evil"))
    shutil.copy2(program, t.path("kept"))
    for turn in range(3):
        env = cache_of(t, "cache")
        check_names(look_up(t, env, program, address), "honest")
        # In place, and as a new file: neither may be taken for the old file.
        (shutil.copyfile if turn % 2 else shutil.copy2)(evil, program)
        like(t.path("kept"), program)
        done = look_up(t, env, program, address)
        check_names(done, "evil")
        (shutil.copyfile if turn % 2 else shutil.copy2)(t.path("kept"), program)
        like(t.path("kept"), program)
    done = look_up(t, env, program, address)
    check_names(done, "honest")
    check(known(done) == (1, 1), "from the cache all the same", done)


def test_copies_share_what_is_kept(t: Context) -> None:
    """And a forged one among them does not."""
    program = copy(t.program("spin"), t.path("spin"))
    address = address_of(t, program)
    env = cache_of(t, "cache")
    look_up(t, env, program, address)
    shutil.copy(program, t.path("copy"))
    os.link(program, t.path("link"))
    os.symlink(program, t.path("symlink"))
    os.rename(program, t.path("moved"))
    os.symlink(t.path("moved"), program)
    for name in ("copy", "link", "symlink", "moved"):
        done = look_up(t, env, t.path(name), address)
        check_names(done, "honest")
        check(known(done) == (1, 1), f"{name}: known", done)
    done = look_up(t, env, t.path("copy"), address)
    check(n_hashed(done) == 0, "a copy is hashed once", done)
    answers = [name for name in os.listdir(t.path("cache/wperf")) if "-answers" in name]
    check(len(answers) == 1, f"one file for all of them: {answers}")


def test_many_forgeries_do_not_push_the_honest_one_out(t: Context) -> None:
    program = copy(t.program("spin"), t.path("honest"))
    address = address_of(t, program)
    env = cache_of(t, "cache")
    look_up(t, env, program, address)
    for i in range(12):
        name = f"evil_her{i:x}"
        evil = forge(program, t.path(f"evil{i}"), ((HONEST, name),))
        done = look_up(t, env, evil, address)
        check(name in done.out and known(done) == (0, 1), "its own name", done)
    for n_times in (1, 0):
        done = look_up(t, env, program, address)
        check_names(done, "honest")
        check(known(done) == (1, 1) and n_hashed(done) == n_times, "known, though it is not among the last eight files", done)


def check_report(t: Context, env: dict[str, str], who: str, *options: str) -> Done:
    """The lines of the session; they come from the cache if it has them."""
    done = t.ours("report", "--inlines", "--sort", "symbol,line", *options, env=env)
    check_names(done, who, HOT_CHANGES)
    return done


def record(t: Context, name: str, program: str) -> str:
    done = t.ours("record", "-q", "--no-index", "-F", "1999", "--session", t.path(name), "--", program, "300")
    check(done.status == 0, "recorded", done)
    return t.path(name)


# --- files besides the program ---


def split_off(t: Context, program: str, folder: str) -> tuple[str, str]:
    """Makes the program without debug information, and its debug file."""
    objcopy = harness.need_tool("objcopy")
    os.makedirs(t.path(folder), exist_ok=True)
    stripped, debug = t.path(f"{folder}/spin"), t.path(f"{folder}/spin.debug")
    check(t.run(objcopy, "--only-keep-debug", program, debug).status == 0, "debug file")
    check(t.run(objcopy, "--strip-all", f"--add-gnu-debuglink={debug}", program, stripped).status == 0, "stripped")
    return stripped, debug


def test_a_forged_debug_file(t: Context) -> None:
    """The programs have the same bytes, and the same CRC."""
    program = t.program("spin")
    stripped, debug = split_off(t, program, "honest")
    os.mkdir(t.path("evil"))
    forge(debug, t.path("evil/spin.debug"))
    shutil.copy2(stripped, t.path("evil/spin"))
    files = {"honest": stripped, "evil": t.path("evil/spin")}
    check_both(t, files, address_of(t, program), "debug")


def test_a_forged_debug_file_by_build_id(t: Context) -> None:
    harness.need_events()
    program = t.program("spin")
    stripped, debug = split_off(t, program, "files")
    session = record(t, "files.data", stripped)
    build_id = build_id_of(t, program)
    folders = {}
    for who in ("honest", "evil"):
        folders[who] = t.path(who)
        place = t.path(f"{who}/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
        os.makedirs(os.path.dirname(place))
        if who == "honest":
            shutil.copy2(debug, place)
        else:
            forge(debug, place)
    os.unlink(debug)
    for order in ORDERS:
        env = cache_of(t, f"cache.{order[0]}")
        for again in (0, 1):
            for who in order:
                done = check_report(t, env, who, "--symbol-path", folders[who], "-i", session)
                n_known, n_asked = known(done, build_id)
                check(n_asked and n_known == again * n_asked, f"{who}, {order}: known the second time", done)


DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data/dwarf")


def check_besides(t: Context, program: str, others: tuple[str, ...], forged: str, address: str, texts: tuple[str, str]) -> None:
    """Two copies of a program, with two copies of the files that have its names; one is forged."""
    for who in ("honest", "evil"):
        os.mkdir(t.path(who))
        for name in (program, *others):
            shutil.copy2(os.path.join(DATA, name), t.path(who))
    forge(t.path(f"honest/{forged}"), t.path(f"evil/{forged}"), (texts,))
    for order in ORDERS:
        env = cache_of(t, f"cache.{order[0]}")
        for again in (0, 1):
            for who in order:
                done = look_up(t, env, t.path(f"{who}/{program}"), address)
                check_names(done, who, (texts,))
                check(known(done) == (again, 1), f"{who}, {order}: answers of its own", done)


def test_a_forged_file_that_debug_files_share(t: Context) -> None:
    """dwz: the names are in the file that .gnu_debugaltlink names."""
    check_besides(t, "dwz1.so", ("dwz.debug",), "dwz.debug", "0x220", ("distance", "poisoned"))


def test_a_forged_package_of_split_debug_information(t: Context) -> None:
    check_besides(t, "package5.so", ("package5.so.dwp",), "package5.so.dwp", "0x200", ("sum_longest", "sum_poisons"))


def test_a_forged_file_of_split_debug_information(t: Context) -> None:
    check_besides(t, "split5.so", ("split5-one.dwo", "split5-two.dwo"), "split5-two.dwo", "0x200",
                  ("report_fault", "report_wrong"))


def split_program(t: Context, name: str = "split5") -> str:
    for file in (f"{name}.so", f"{name}-one.dwo", f"{name}-two.dwo"):
        shutil.copy2(os.path.join(DATA, file), t.path(file))
    return t.path(f"{name}.so")


# An address of each file.
IN_TWO, IN_ONE = {"split4": "0x211", "split5": "0x200"}, {"split4": "0x200", "split5": "0x210"}


def test_split_files_that_answered_in_different_runs(t: Context) -> None:
    """Each run reads one of them; then the cache has the answers of both, but not those of a changed file."""
    for name, two in IN_TWO.items():
        program, one = split_program(t, name), IN_ONE[name]
        env = cache_of(t, f"cache.{name}")

        def ask(*addresses: str) -> tuple[Done, tuple[int, int]]:
            done = t.ours("symbolize", "-e", program, *addresses, env=env)
            check(done.status == 0, "looked up", done)
            return done, known(done)

        check(ask(two)[1] == (0, 1) and ask(two)[1] == (1, 1), "one file is read, and remembered")
        check(ask(one)[1] == (0, 1), "then the other one")
        first, n = ask(two, one)
        check(n == (2, 2) and n_hashed(first) == 0, f"both are known: {n}", first)
        check("report_fault" in first.out and "sum_longest" in first.out, "with their names", first)
        packed = t.path(f"{name}-two.dwo")
        check(t.run(harness.need_tool("objcopy"), "--compress-debug-sections=zlib", packed).status == 0, "packed")
        for want in (0, 2):
            done, n = ask(two, one)
            check(n == (want, 2) and done.out == first.out, f"from a packed file, {want} of 2: {n}", done)
        os.unlink(packed)
        for _ in range(2):
            done, n = ask(two)
            check(n == (0, 1) and "report_fault" not in done.out, "a file that is gone answers no more", done)
            check(f"1 .dwo file was not found, the first is {name}-two.dwo" in done.out + done.err, "and is missed", done)


def test_a_split_file_that_comes_before_the_one_that_answered(t: Context) -> None:
    """A file where the compiler wrote it is found first, and the answers of the other file are not used any more."""
    program = split_program(t)
    with open(program, "rb") as file:
        content = file.read()
    check(content.count(b"/src\0") > 0, "the compiler's folder")
    with open(program, "wb") as file:
        file.write(content.replace(b"/src\0", b"here\0"))
    env = cache_of(t, "cache")
    texts = (("report_fault", "report_wrong"),)
    for want in (0, 1):
        done = look_up(t, env, program, IN_TWO["split5"])
        check_names(done, "honest", texts)
        check(known(done) == (want, 1), "the file beside the program", done)
    os.mkdir(t.path("here"))
    forge(t.path("split5-two.dwo"), t.path("here/split5-two.dwo"), texts)
    for who, want in (("evil", 0), ("evil", 1), ("honest", 1)):
        if who == "honest":
            shutil.rmtree(t.path("here"))
        done = look_up(t, env, program, IN_TWO["split5"])
        check_names(done, who, texts)
        check(known(done) == (want, 1), f"then that of the compiler's folder: {who}", done)


# --- sessions ---


def test_sessions_and_archives(t: Context) -> None:
    """The archive of a program has its own names, although the other program was looked up before; and reading an
    archived session of the other program adds nothing to the cache."""
    harness.need_events()
    program = copy(t.program("spin"), t.path("honest/spin"))
    os.mkdir(t.path("evil"))
    programs = {"honest": program, "evil": forge(program, t.path("evil/spin"))}
    sessions = {who: record(t, f"{who}.data", path) for who, path in programs.items()}
    for order in ORDERS:
        env = cache_of(t, f"cache.{order[0]}")
        for who in order * 2:
            check_report(t, env, who, "-i", sessions[who])
            packed = t.path(f"{who}.packed")
            check(t.ours("archive", "-f", "-i", sessions[who], "-o", packed, env=env).status == 0, "packed")
            check_report(t, env, who, "-i", packed)
            os.unlink(packed)


def test_an_archive_from_elsewhere(t: Context) -> None:
    harness.need_events()
    program = copy(t.program("spin"), t.path("spin"))
    address = address_of(t, program)
    evil = forge(program, t.path("evil"))
    shutil.move(program, t.path("kept"))
    shutil.move(evil, program)
    session = record(t, "evil.data", program)
    check(t.ours("archive", "-i", session, "-o", t.path("packed"), "--no-index").status == 0, "packed")
    shutil.move(t.path("kept"), program)
    env = cache_of(t, "cache")
    for _ in range(2):
        check_report(t, env, "evil", "-i", t.path("packed"))
        check_names(look_up(t, env, program, address), "honest")
        check_report(t, env, "honest", "-i", record(t, "honest.data", program))


IN_ANOTHER_ROOT = ('mount --rbind / "$0" && mount -t tmpfs none "$0/$3" && cp -p "$1" "$0/$2" && '
                   'exec chroot "$0" "$2" 60000')


def test_a_process_in_another_root(t: Context) -> None:
    """The process runs a forged program, which can only be opened at /proc/PID/root: at its path there is another file
    here."""
    harness.need_mounts()
    harness.need_events()
    program = copy(t.program("spin"), t.path("lib/spin"))
    honest = copy(program, t.path("honest"))
    session = record(t, "honest.data", honest)
    build_id = build_id_of(t, honest)
    evil = forge(program, t.path("evil"))
    with open(program, "wb") as file:
        file.write(b"of another build")
    os.mkdir(t.path("root"))
    process = t.start("unshare", "-m", "sh", "-c", IN_ANOTHER_ROOT, t.path("root"), evil, program, os.path.dirname(program))
    check(process.stdout.readline() == b"ready\n", "it runs")
    for first in ("evil", "honest"):
        env = cache_of(t, f"cache.{first}")
        if first == "honest":
            check_report(t, env, "honest", "-i", session)
        for again in (0, 1):
            done = t.ours("sample", "-F", "999", "-p", str(process.pid), "--timeout", "400ms", "--annotate", env=env)
            check_names(done, "evil", (CHANGES[0], HOT_CHANGES[1]))
            check_report(t, env, "evil")
            done = check_report(t, env, "honest", "-i", session)
            n_known, n_asked = known(done, build_id)
            check(n_asked and (n_known == n_asked) == bool(again or first == "honest"), "and known the second time", done)


if __name__ == "__main__":
    harness.main(__name__)
