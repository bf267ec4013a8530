#!/usr/bin/python3
"""How a run ends: exit statuses, signals, a full disk, lost samples, and the content of the file then."""
import os
import re
import signal
import stat
import subprocess
import time

import harness
from harness import Context, Done, check
from own_samples import check_work

SMALL_DISK = 'mount -t tmpfs -o size=64k none "$1" && cd "$1" && shift && exec "$@"'


def check_readable(t: Context, session: str = "wperf.data") -> Done:
    return t.good("report", "-i", session)


def finish(process: subprocess.Popen, seconds: float = 30) -> Done:
    out, err = process.communicate(timeout=seconds)
    return Done(process.returncode, out.decode(), err.decode(), 0)


def samples_in(t: Context, session: str) -> int:
    """Samples that a recorder has written so far."""
    done = t.ours("dump", "-i", session)
    return len(re.findall(r" SAMPLE  ", done.out))


def start_recording(t: Context, *argv: str, session: str = "wperf.data", wrapper: tuple = (), least: int = 1) -> subprocess.Popen:
    """Starts wperf and waits until it counts, or until the session has samples."""
    if "stat" not in argv and os.path.exists(t.path(session)):
        os.remove(t.path(session))
    process = t.start(*wrapper, t.wperf, *argv)
    harness.wait_for_events(process.pid)
    if "stat" not in argv:
        harness.wait_until(lambda: samples_in(t, session) >= least, f"{least} samples in the session")
    check(process.poll() is None, "the recorder ended too early")
    return process


# --- the exit status ---


def test_the_commands_own_status(t: Context) -> None:
    for text, status in (("exit 0", 0), ("exit 1", 1), ("exit 42", 42), ("exit 255", 255), ("kill -TERM $$", 143),
                         ("kill -SEGV $$", 139), ("kill -KILL $$", 137)):
        done = t.ours("record", "--", "sh", "-c", text)
        check(done.status == status, f"status {status} of '{text}'", done)
        harness.quality_of(done)


def test_a_command_that_cannot_run(t: Context) -> None:
    with open(t.path("plain.txt"), "w", encoding="ascii") as file:
        file.write("no program\n")
    for command, status, words in (("./missing", 127, "'./missing'"), ("no-such-command", 127, "'no-such-command'"),
                                   ("./plain.txt", 126, "'./plain.txt'"), ("/", 126, "'/'"),
                                   ("/etc/passwd/x", 127, "'/etc/passwd/x'")):
        done = t.ours("record", "--", command)
        check(done.status == status, f"status {status} for {command}", done)
        harness.check_sentence(done, words)
    check(not os.path.exists(t.path("wperf.data")), "no session when nothing ran")


def test_our_own_failures(t: Context) -> None:
    done = t.ours("record", "--session", "no/such/folder/s.data", "--", "true")
    check(done.status == 125, "125 with a command", done)
    harness.check_sentence(done, "no/such/folder/s.data")
    done = t.ours("sample", "-p", "999999999", "--timeout", "1")
    check(done.status == 1, "1 without a command", done)
    harness.check_sentence(done, "999999999")
    done = t.ours("report", "-i", "missing.data")
    check(done.status == 1, "1 without a command", done)
    harness.check_sentence(done, "missing.data")


def test_wrong_usage(t: Context) -> None:
    for argv in (("record",), ("sample",), ("record", "--no-such-option", "true"), ("sample", "-p", "x"),
                 ("record", "-e", "no_such_event", "--", "true"), ("record", "--timeout", "abc", "--", "true"),
                 ("record", "-c", "100000", "--", "true"), ("report", "--sort", "colour")):
        done = t.ours(*argv)
        check(done.status == 2, f"status 2 for {argv}", done)
        check(done.out == "", "nothing on standard output", done)
        check(done.err.startswith("wperf: "), "a sentence", done)


def test_timeout_ends_the_command(t: Context) -> None:
    trap = 'trap "echo got TERM; exit 7" TERM; while :; do :; done'
    done = t.good("record", "--timeout", "1", "--", "sh", "-c", trap)
    check("got TERM" in done.out, "the command got SIGTERM", done)
    check(0.9 < done.seconds < 25, "in time", done)
    done = t.good("record", "--timeout", "500ms", "--", t.program("spin"), "60000", "ignore-term")
    check(2.4 < done.seconds < 25, "SIGKILL two seconds after SIGTERM", done)
    elapsed = re.search(r"([\d.]+) seconds time elapsed", done.out)
    check(bool(elapsed) and float(elapsed[1]) >= 2.4 and harness.row_named(done, "spin_here").count > 100,
          "the two seconds are in the table", done)
    done = t.good("record", "sleep", "1", "--", t.program("spin"), "60000")
    check(0.9 < done.seconds < 25, "`sleep 1` is the duration", done)


def test_a_signal_to_wperf(t: Context) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        recorder = start_recording(t, "record", "--", t.program("spin"), "60000")
        recorder.send_signal(number)
        done = finish(recorder)
        check(done.status == 0, f"status 0 after {number.name}", done)
        check_work(done, "spin_here", "spin", least=1)
        harness.quality_of(done)
        check_readable(t)
    check("quit counting" not in done.out, "Ctrl-C is said for Ctrl-C only", done)


def test_other_signals_to_wperf(t: Context) -> None:
    """Without handling, they would end the recorder without a session, and leave the command running."""
    for number in (signal.SIGPIPE, signal.SIGUSR1, signal.SIGALRM, signal.SIGXFSZ):
        for command in ("record", "stat"):
            recorder = start_recording(t, command, "--", t.program("spin"), "60000")
            with open(f"/proc/{recorder.pid}/task/{recorder.pid}/children", encoding="ascii") as file:
                target = file.read().split()
            check(len(target) == 1, f"one command runs: {target}")
            recorder.send_signal(number)
            done = finish(recorder)
            check(done.status == 0, f"status 0 of {command} after {number.name}", done)
            check(not os.path.exists(f"/proc/{target[0]}"), "the command has ended", done)
        check_readable(t)
    target = t.started_ready(t.program("spin"), "60000")
    recorder = start_recording(t, "record", "-p", str(target.pid))
    recorder.send_signal(signal.SIGPIPE)
    check(finish(recorder).status == 0, "status 0")
    check(target.poll() is None, "an attached process goes on")


def test_ignored_signals_stay_ignored(t: Context) -> None:
    recorder = start_recording(t, "record", "--", t.program("spin"), "60000",
                               wrapper=("sh", "-c", 'trap "" HUP USR1; exec "$@"', "sh"))
    recorder.send_signal(signal.SIGHUP)
    recorder.send_signal(signal.SIGUSR1)
    harness.wait_for_cpu(harness.command_of(recorder, "spin"), 0.3)
    check(recorder.poll() is None, "it goes on")
    recorder.send_signal(signal.SIGINT)
    done = finish(recorder)
    check(done.status == 0 and "Ctrl-C received" in done.out, "until Ctrl-C", done)


def test_a_reader_that_leaves(t: Context) -> None:
    t.good("record", "-g", "--", t.program("spin"), "200")
    commands = ("report", "report -g", "report --json", "report --csv", "dump", "dump --json", "dump -o -", "annotate",
                "list", "man cycles", "test", "detect", "--help", "help record", "version",
                "export --format folded", "export --format folded -o -", "export --format perf-script -o -",
                "record -- true", "stat -- true", "stat --json -- true", "stat -I 10 -- sleep 0.1", "record --json -- true")
    for command in commands:
        for ignored in ("", 'trap "" PIPE; '):
            # The pipe has no reader when wperf begins.
            script = f'{ignored}{{ sleep 0.1; "$1" {command} 2>err; echo "$?" >status; }} | true; sleep 0.1; cat status err'
            done = t.run("sh", "-c", script, "sh", t.wperf)
            status, *errors = done.out.splitlines()
            check(not errors, f"{command}: nothing is said", done)
            check(status == "0", f"{command}: status {status}", done)


def test_a_timeline_whose_reader_leaves_ends(t: Context) -> None:
    script = '"$1" stat -I 100 -- sleep 60 | head -n 3 >/dev/null; echo ended'
    done = t.run("sh", "-c", script, "sh", t.wperf)
    check(done.out == "ended\n" and done.seconds < 45, "the command ends with it", done)
    check(not done.err, "nothing is said", done)


def test_ctrl_c_reaches_both(t: Context) -> None:
    """A terminal sends SIGINT to the command, too: it may end before wperf notices."""
    recorder = start_recording(t, "record", "--", t.program("spin"), "60000")
    os.killpg(recorder.pid, signal.SIGINT)
    done = finish(recorder)
    check(done.status == 0, "status 0", done)
    check("Ctrl-C received, quit counting... done!" in done.out, "the line of Ctrl-C", done)
    harness.row_named(done, "spin_here")


def test_ctrl_c_while_attached(t: Context) -> None:
    target = t.started_ready(t.program("spin"), "60000")
    recorder = start_recording(t, "sample", "-F", "999", "-p", str(target.pid))
    recorder.send_signal(signal.SIGINT)
    done = finish(recorder)
    check(done.status == 0, "status 0", done)
    harness.row_named(done, "spin_here")
    check(target.poll() is None, "the target goes on")


def test_sigkill_leaves_a_readable_session(t: Context) -> None:
    target = t.started_ready(t.program("spin"), "60000")
    recorder = start_recording(t, "sample", "-F", "5000", "-p", str(target.pid), least=101)
    recorder.kill()
    recorder.wait()
    done = check_readable(t)
    check(harness.row_named(done, "spin_here").count > 100, "the samples that were written", done)
    check("the recorder did not finish" in done.out.splitlines()[-1], "what the quality line says", done)
    check(harness.document_of(t.good("report", "--json"))["quality"]["unfinished"] is True, "unfinished in JSON")
    check(t.ours("report", "--strict").status == 3, "that is poor")


def test_strict(t: Context) -> None:
    t.good("record", "--strict", "--", t.program("spin"), "300")
    done = t.ours("record", "--strict", "--", t.program("jit"), "300", "nameless")
    check(done.status == 3, "code without names is poor", done)
    harness.quality_of(done)
    check(t.ours("record", "--", t.program("jit"), "100", "nameless").status == 0, "which is said only when asked for")
    document = harness.document_of(t.good("report", "--json"))
    check(document["quality"]["poor"] is True, "and in the document")
    with open(t.path("wperf.data"), "rb") as file:
        data = file.read()
    with open(t.path("cut.data"), "wb") as file:
        file.write(data[:len(data) * 2 // 3])
    done = t.ours("report", "--strict", "-i", "cut.data")
    check(done.status == 3, "a cut file is poor", done)
    done = t.ours("record", "--strict", "--", "sh", "-c", "exit 9")
    check(done.status == 9, "the command's status goes first", done)


def test_json_status_and_streams(t: Context) -> None:
    done = t.ours("record", "--json", "--", "sh", "-c", "echo from the command; exit 42")
    check(done.status == 0, "the status is wperf's own", done)
    document = harness.document_of(done)
    check(document["target_exit"] == 42, "target_exit at the top", done)
    check("from the command" in done.err and "from the command" not in done.out, "its output came to stderr", done)
    document = harness.document_of(t.ours("record", "--json", "--", "sh", "-c", "kill -TERM $$"))
    check(document["target_exit"] == 143, f"128 + N: {document['target_exit']}")
    document = harness.document_of(t.ours("record", "--json", "--timeout", "300ms", "--", "sleep", "60"))
    check("target_exit" not in document, "no status of a command that wperf ended")
    check("samples_generated" in document["sampling"] and "lost" in document["quality"], "the keys that are promised")
    done = t.ours("record", "--json", "-o", "d.json", "--", "sh", "-c", "echo out; exit 3")
    check(done.status == 0 and done.out.startswith("out\n"), "with a file, standard output is the command's", done)
    with open(t.path("d.json"), encoding="utf-8") as file:
        check('"target_exit": 3' in re.sub(r'":\s*', '": ', file.read()), "the document in the file")


# --- Errors with the file ---


def on_small_disk(t: Context, *argv: str, **options) -> Done:
    harness.need_root()
    harness.need_tool("unshare")
    os.makedirs(t.path("disk"), exist_ok=True)
    done = t.run("unshare", "-m", "sh", "-c", SMALL_DISK, "sh", t.path("disk"), *argv,
                 **options)
    if "mount:" in done.err or "unshare:" in done.err:
        raise harness.Skip("the right to mount a tmpfs")
    return done


READ_ONLY = """
mount --bind . . && cd . && cd "$PWD" || exit
mkdir pictures && mount -t tmpfs none pictures || exit
"$1" record -q -- true || exit
"$1" record -o pictures/x.svg -- sh -c "mount -o remount,ro,bind '$PWD'"
echo "status $?"
"$1" record -- echo ran
echo "status $?"
ls pictures
"""


def test_a_folder_that_is_read_only(t: Context) -> None:
    """The session that is there already is not shown as that of this run.  At the beginning the command does not run."""
    harness.need_root()
    harness.need_tool("unshare")
    done = t.run("unshare", "-m", "sh", "-c", READ_ONLY, "sh", t.wperf)
    if "mount:" in done.err or "unshare:" in done.err:
        raise harness.Skip("the right to mount")
    check(done.out == "status 125\nstatus 125\n", "no table, and the second command is not run", done)
    lines = done.err.splitlines()
    check(len(lines) == 2 and all("Read-only file system: name a file elsewhere" in line for line in lines), "one sentence each", done)


def test_a_full_disk(t: Context) -> None:
    script = '"$1" record --no-stacks -F 20000 -- "$2" 1500; echo "status $?"; "$1" report; echo "report $?"'
    done = on_small_disk(t, "sh", "-c", script, "sh", t.wperf, t.program("spin"))
    check("status 125\n" in done.out, "status 125", done)
    check("report 0\n" in done.out, "the session is readable", done)
    lines = done.err.splitlines()
    check(len(lines) == 1 and "No space left" in lines[0] and "wperf.data" in lines[0], "one sentence", done)
    check("name a file elsewhere with -o" in lines[0] and "--session -" in lines[0], "what helps", done)
    first, second = done.out.split("status 125\n")
    for part, name in ((first, "record"), (second, "report")):
        shown = Done(0, part, "", 0)
        check(harness.row_named(shown, "spin_here").count > 50, f"{name} shows what was measured", done)
        counts = re.search(r"^quality: ([\d,]+) samples, ([\d,]+) lost", part, re.M)
        n, lost = (int(word.replace(",", "")) for word in counts.groups())
        check(n + lost > 0.5 * 1.5 * 20000 / 20 and lost > 0.3 * n, f"{name} counts what was not written: {n} and {lost}", done)
        check(re.search(r"^poor: \d+\.\d+ % of the samples were lost: the disk was full", part, re.M) is not None, f"{name}: poor", done)


def test_a_full_disk_from_the_start(t: Context) -> None:
    script = 'head -c 65536 /dev/zero >fill; "$1" record -- "$2" 300; echo "status $?"'
    done = on_small_disk(t, "sh", "-c", script, "sh", t.wperf, t.program("spin"))
    check("status 125\n" in done.out, "status 125", done)
    check(done.err.count("No space left") == 1, "one sentence of the disk", done)


def test_a_full_standard_output(t: Context) -> None:
    for argv in (("record", "--", t.program("spin"), "200"), ("report",), ("report", "--json"), ("report", "--csv")):
        with open("/dev/full", "w", encoding="ascii") as full:
            # The program's own "ready" would fail first, so its standard output is another one.
            done = t.run("sh", "-c", 'exec "$@"', "sh", t.wperf, *argv, stdout=full)
        check(done.status in (1, 125), f"a failure of wperf's own for {argv}", done)
        check(len(done.err.splitlines()) == 1 and "No space left" in done.err, "one sentence", done)
    check_readable(t)


def test_lost_samples_are_told(t: Context) -> None:
    """wperf is stopped while the kernel continues to fill its buffer."""
    target = t.started_ready(t.program("spin"), "60000")
    recorder = start_recording(t, "sample", "--no-stacks", "-e", "cpu-clock:20000", "-p", str(target.pid))
    recorder.send_signal(signal.SIGSTOP)
    used = cpu_seconds(target.pid)
    harness.wait_until(lambda: cpu_seconds(target.pid) > used + 1, "a second of CPU time", 30)
    recorder.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    recorder.send_signal(signal.SIGINT)
    done = finish(recorder)
    check(done.status == 0, "status 0", done)
    quality = harness.quality_of(done)
    check(quality["lost"] > 0, "some were lost", done)
    document = harness.document_of(t.good("report", "--json"))
    check(document["quality"]["lost"] == quality["lost"], "report says the same")
    check(document["sampling"]["samples_dropped"] == quality["lost"], "samples_dropped is lost")
    check(document["sampling"]["samples_generated"] == quality["lost"] + quality["samples"], "generated is the sum")
    told = lost_of_perf(t)
    if told is not None:
        check(told == quality["lost"], f"LOST_SAMPLES say {told}", done)
        harness.note(f"{quality['lost']} lost of {quality['samples'] + quality['lost']}, by LOST_SAMPLES {told}")


def test_lost_samples_of_all_children_are_an_estimate(t: Context) -> None:
    """Root's rings have samples of all processes, and the kernel counts only how many of all were lost."""
    harness.need_root()
    recorder = start_recording(t, "record", "--no-stacks", "-e", "cpu-clock:20000", "--", t.program("spin"), "4000")
    recorder.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    recorder.send_signal(signal.SIGCONT)
    done = finish(recorder)
    check(done.status == 0, "status 0", done)
    told = re.search(r"^quality: \d+ samples, about (\d+) lost \(", done.out, re.M)
    check(told is not None, "about", done)
    quality = harness.document_of(t.good("report", "--json"))["quality"]
    check(quality["lost"] == int(told[1]) > 0 and quality["lost_is_estimate"], f"{quality}", done)


def cpu_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def lost_of_perf(t: Context) -> int | None:
    """The kernel's own count, as perf reads it from the session."""
    if not os.path.exists("/usr/bin/perf"):
        harness.note("perf is not here: the count is not compared with its")
        return None
    done = t.run("perf", "report", "-D", "-i", "wperf.data", limit=60)
    return sum(int(number) for number in re.findall(r"PERF_RECORD_LOST_SAMPLES[: ]+lost (\d+)", done.out)) or \
        sum(int(number) for number in re.findall(r"LOST_SAMPLES.*?(\d+)$", done.out, re.M))


def test_map_storm_is_not_silent(t: Context) -> None:
    """Lost mappings are reported like lost samples, from LOST records."""
    target = t.start(t.program("many"), "storm", "20000")
    recorder = start_recording(t, "sample", "--no-stacks", "-F", "999", "-p", str(target.pid))
    recorder.send_signal(signal.SIGSTOP)
    used = cpu_seconds(target.pid)
    harness.wait_until(lambda: cpu_seconds(target.pid) > used + 1, "a second of CPU time", 30)
    recorder.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    recorder.send_signal(signal.SIGTERM)
    done = finish(recorder)
    quality = harness.quality_of(done)
    check(quality["lost"] > 0, "lost records", done)
    check_readable(t)


def test_an_existing_session_is_kept(t: Context) -> None:
    t.good("record", "--", t.program("spin"), "100")
    with open(t.path("wperf.data"), "rb") as file:
        first = file.read()
    t.good("record", "--", t.program("spin_fixed"), "100")
    with open(t.path("wperf.data.old"), "rb") as file:
        check(file.read() == first, "the first one is FILE.old")
    check("spin_fixed" in check_readable(t).out, "the second one is in its place")
    for name in ("wperf.data", "wperf.data.old"):
        check(stat.S_IMODE(os.stat(t.path(name)).st_mode) == 0o600, f"mode 0600 of {name}")
    t.ours("record", "--", "./missing")
    check("spin_fixed" in check_readable(t).out, "a command that is not there costs no session")


def test_what_others_may_read(t: Context) -> None:
    for umask, mode in ((0o022, 0o644), (0o077, 0o600)):
        t.good("record", "-g", "--output", "spin.json", "--", t.program("spin"), "100", umask=umask)
        t.good("dump", "--output", "dump.json", umask=umask)
        t.good("export", "-o", "spin.folded", umask=umask)
        t.good("stat", "-I", "10", "--output-csv", "stat.csv", "--", t.program("spin"), "20", umask=umask)
        for name in ("spin.json", "dump.json", "spin.folded", "stat.csv"):
            check(stat.S_IMODE(os.stat(t.path(name)).st_mode) == mode, f"{name} as the umask {umask:o} says")
            os.remove(t.path(name))
        check(stat.S_IMODE(os.stat(t.path("wperf.data")).st_mode) == 0o600, "a session is for its owner alone")


def write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def test_another_users_link_is_not_followed(t: Context) -> None:
    """With any value of fs.protected_symlinks: it is off in many containers."""
    harness.need_root()
    t.good("record", "-g", "--session", "own.data", "--", t.program("spin"), "50")
    write(t.path("precious"), b"years of work\n")
    shared = t.path("shared")
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    link = os.path.join(shared, "link")
    os.symlink(t.path("precious"), link)
    os.lchown(link, 65534, 65534)
    for argv in (("export", "--format", "svg", "-i", "own.data", "-o", link), ("report", "-i", "own.data", "--json", "-o", link),
                 ("dump", "-i", "own.data", "-o", link), ("stat", "--json", "-o", link, "--", "true"),
                 ("record", "--session", link, "--", "true")):
        done = t.ours(*argv)
        check(done.status in (1, 125), f"{argv[0]} refuses", done)
        check(argv[0] == "record" or "because it is a link of another user" in done.err, "it says why", done)
        with open(t.path("precious"), "rb") as file:
            check(file.read() == b"years of work\n", "the file is untouched", done)
    harness.note(done.err.strip())
    os.remove(link)
    os.symlink(t.path("made"), link)
    os.lchown(link, 65534, 65534)
    done = t.ours("record", "--session", link, "--", "true")
    check(done.status == 125 and "because it is a link of another user" in done.err, "it says why", done)
    check(not os.path.lexists(t.path("made")), "nothing is made behind it", done)
    os.lchown(link, 0, 0)
    t.good("export", "--format", "svg", "-i", "own.data", "-o", link)
    check(os.path.getsize(t.path("made")) > 0, "one's own link is followed")


def test_what_could_not_be_written_leaves_nothing(t: Context) -> None:
    t.good("record", "-g", "--", t.program("spin"), "300")
    argv = (("export", "--no-index", "--format", "svg", "-o"), ("export", "--no-index", "--format", "perf-script", "-o"),
            ("report", "--no-index", "--json", "-o"), ("dump", "-o"))
    for words in argv:
        script = 'out=$1; shift; ulimit -f 1; trap "" XFSZ; "$@" "$out"; echo "status $?"; ls'
        done = t.run("sh", "-c", script, "sh", "half", t.wperf, *words)
        check("status 1\n" in done.out, "it fails", done)
        check("half" not in done.out, "nothing is left", done)
        check(len(done.err.splitlines()) == 1 and "half: " in done.err, "one sentence", done)


def test_what_is_no_session_is_not_overwritten(t: Context) -> None:
    for name, content in (("thesis.txt", b"years of work\n"), ("short", b"x"), ("zeros", bytes(5000))):
        with open(t.path(name), "wb") as file:
            file.write(content)
        for option in ("-o", "--session"):
            done = t.ours("record", option, name, "--", "true")
            check(done.status == 125, "125", done)
            harness.check_sentence(done, name)
            with open(t.path(name), "rb") as file:
                check(file.read() == content, f"{name} is untouched", done)
    os.mkdir(t.path("folder"))
    os.mkfifo(t.path("fifo"))
    for name in ("folder", "fifo"):
        for option in ("-o", "--session"):
            done = t.ours("record", option, name, "--", "touch", "has-run")
            check(done.status == 125, f"125 for a {name}", done)
            harness.check_sentence(done, name)
        done = t.ours("stat", "--session", name, "--", "touch", "has-run")
        check(done.status == 125, f"125 for a {name}", done)
        harness.check_sentence(done, name)
    check(not os.path.exists(t.path("has-run")), "the command was not started")


def test_what_stands_where_the_older_session_goes(t: Context) -> None:
    t.good("record", "--", t.program("spin"), "50")
    old = t.path("wperf.data.old")
    for make in (os.mkdir, os.mkfifo, lambda path: write(path, b"years of work\n")):
        make(old)
        done = t.ours("record", "--", "touch", "has-run")
        check(done.status == 125, "125", done)
        harness.check_sentence(done, "wperf.data.old")
        check(os.path.lexists(old) and not os.path.exists(t.path("has-run")), "nothing was done", done)
        if os.path.isdir(old):
            os.rmdir(old)
        else:
            os.remove(old)
    t.good("record", "--", t.program("spin"), "50")


def test_nothing_to_sample(t: Context) -> None:
    done = t.good("record", "--", "true")
    check(harness.quality_of(done)["samples"] < 20, "hardly any samples", done)
    check_readable(t)
    sleeper = t.start("sleep", "60")
    done = t.good("sample", "-p", str(sleeper.pid), "--timeout", "300ms")
    check(harness.quality_of(done)["samples"] == 0, "no samples of a sleeper", done)
    check_readable(t)


# Leaves orphans, and says how many of them stay zombies.
ORPHANS = """
import os, sys, time
for step in range(8):
    if not os.fork():
        if not os.fork():
            time.sleep(0.02 * step)
            os._exit(0)
        os._exit(0)
    os.wait()
time.sleep(0.4)
states = []
for name in filter(str.isdigit, os.listdir("/proc")):
    with open(f"/proc/{name}/stat") as file:
        states.append(file.read().rsplit(")", 1)[1].split()[0])
print(states.count("Z"), "zombies", flush=True)
time.sleep(float(sys.argv[1]))
"""


def as_first_process(t: Context, *argv: str) -> tuple[str, ...]:
    harness.need_mounts()
    return ("unshare", "-pf", "--mount-proc", t.wperf, *argv)


def test_the_first_process_of_a_container(t: Context) -> None:
    write(t.path("orphans.py"), ORPHANS.encode())
    for command in (("record", "-q"), ("stat", "-e", "task-clock")):
        done = t.run(*as_first_process(t, *command, "--", "python3", t.path("orphans.py"), "0"))
        check(done.status == 0 and "0 zombies" in done.out, "it takes the statuses of orphans", done)
    done = t.run(*as_first_process(t, "record", "-q", "--", "sh", "-c", "exit 7"))
    check(done.status == 7, "the command's status", done)


def test_the_end_of_a_container(t: Context) -> None:
    """docker stop sends SIGTERM to the first process."""
    write(t.path("orphans.py"), ORPHANS.encode())
    outer = t.start(*as_first_process(t, "record", "-q", "--", "python3", t.path("orphans.py"), "60"))
    harness.wait_until(lambda: harness.children_of(outer.pid) != [], "the first process")
    first = harness.children_of(outer.pid)[0]
    harness.wait_until(lambda: os.path.exists(t.path("wperf.data")) and os.path.getsize(t.path("wperf.data")) > 0, "it records")
    os.kill(first, signal.SIGTERM)
    done = harness.finish(outer)
    check(done.status == 0, "ended by the signal", done)
    check_readable(t)


if __name__ == "__main__":
    harness.main(__name__)
