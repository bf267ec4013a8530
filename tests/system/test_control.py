#!/usr/bin/python3
"""Runs that another program switches on and off: --control and --delay, used as pyperf's hook uses perf."""
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time

import harness
from harness import Context, Done, check
from own_samples import check_work

HOOKED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hooked.py")
ACK = b"ack\n\0"
EVENTS = ("-e", "cpu-clock", "-F", "999")


class Peer:
    """The other side of two FIFOs, or of two descriptors."""

    def __init__(self, ctl: int, ack: int) -> None:
        self.ctl, self.ack = ctl, ack

    def say(self, text: str) -> None:
        os.write(self.ctl, text.encode())

    def hear(self, n: int = 1, seconds: float = harness.WAIT_SECONDS) -> bytes:
        """Reads answers until there are n, or the time is over."""
        heard, end = b"", time.monotonic() + seconds
        while len(heard) < n * len(ACK) and select.select([self.ack], [], [], max(0, end - time.monotonic()))[0]:
            more = os.read(self.ack, n * len(ACK) - len(heard))
            if not more:
                break
            heard += more
        return heard

    def ask(self, text: str) -> None:
        self.say(text + "\n")
        heard = self.hear()
        check(heard == ACK, f"'{text}' is answered with {heard!r}")

    def close(self) -> None:
        for fd in {self.ctl, self.ack}:
            os.close(fd)


def make_fifos(t: Context) -> str:
    os.mkfifo(t.path("ctl"))
    os.mkfifo(t.path("ack"))
    return "fifo:ctl,ack"


def open_fifos(t: Context) -> Peer:
    """Opens the FIFOs as a program does that waits for the recorder."""
    ctl = os.open(t.path("ctl"), os.O_WRONLY)
    return Peer(ctl, os.open(t.path("ack"), os.O_RDONLY))


def count_of(done: Done, symbol: str) -> int:
    return sum(row.count for row in harness.rows_of(done.out) if row.symbol.split(":")[0] == symbol)


def elapsed_seconds(done: Done) -> float:
    return float(re.search(r"([\d.]+) seconds time elapsed", done.out)[1])


def off_percent(done: Done) -> int:
    match = re.search(r", events off (\d+) % of the time", done.out)
    return int(match[1]) if match else 0


class Turn:
    """A time in which the events are on: what the target used while they certainly were, and while they may have been."""

    def __init__(self, pid: int, peer: Peer, enable: str = "enable") -> None:
        self.pid, self.peer = pid, peer
        self.before, self.before_seconds = harness.usage_of(pid), time.monotonic()
        peer.ask(enable)
        self.on, self.on_seconds = harness.usage_of(pid), time.monotonic()

    def end(self) -> None:
        still, still_seconds = harness.usage_of(self.pid), time.monotonic()
        self.peer.ask("disable")
        after, after_seconds = harness.usage_of(self.pid), time.monotonic()
        self.least, self.least_seconds = harness.usage_between(self.on, still), still_seconds - self.on_seconds
        self.most, self.most_seconds = harness.usage_between(self.before, after), after_seconds - self.before_seconds


def check_near(got: float, expected: float, tolerance: float, what: str, done: Done) -> None:
    check(abs(got - expected) <= tolerance, f"{what}: {got}, expected {expected} within {tolerance}", done)


# --- as pyperf's hook does it ---


def run_hooked(t: Context, session: str, when: str, *recorder: str) -> dict:
    done = t.run(sys.executable, HOOKED, when, t.program("part_one.so"), t.program("part_two.so"), t.path(session), *recorder)
    check(done.status == 0, "the harness", done)
    return json.loads(done.out)


def check_hooked(t: Context, facts: dict, session: str) -> Done:
    """Every command was answered, and only the enabled parts were measured, according to the readers of both recorders'
    files."""
    check(facts["status"] == 0, f"the recorder ended with {facts['status']}")
    # readline leaves the NUL of an answer for the next one.
    check(facts["answers"] == ["ack\n"] + ["\0ack\n"] * (len(facts["answers"]) - 1), f"answers: {facts['answers']}")
    done = t.good("report", "-i", session)
    check(count_of(done, "work_of_two") == 0, "nothing between the turns", done)
    harness.check_samples(count_of(done, "work_of_one"), harness.Usage(*facts["turns"]), 999, "the turns", done)
    check_work(done, "work_of_one", r"part_one\.so")
    return done


@harness.limit(150)
def test_pyperfs_hook(t: Context) -> None:
    harness.need_events()
    for session, extra in (("plain", ()), ("stacks", ("-g", "-z")), ("late", ("-D", "-1"))):
        facts = run_hooked(t, session, "late", t.wperf, "record", *EVENTS, *extra)
        done = check_hooked(t, facts, session)
        check(off_percent(done) > 20, "the quality line tells of the time between", done)
        harness.note(f"{session}: {harness.quality_of(done)}, slowest answer {facts['slowest'] * 1000:.1f} ms")


def test_a_harness_does_not_wait_for_a_recorder_that_fails(t: Context) -> None:
    """With some of these perf 6.1 lets the harness wait for ever."""
    for number, recorder in enumerate((("record", "--no-such-option"), ("record", "--call-graph=bogus"), ("record", "-e", "nosuch"),
                                       ("record", "-D", "x"), ("record", "-o", "/no/such/folder/file"), ("stat", "-m", "nosuch"),
                                       ("stat", "-r", "3"))):
        done = t.run(sys.executable, HOOKED, "late", t.program("part_one.so"), t.program("part_two.so"),
                     t.path(f"{number}.data"), t.wperf, *recorder)
        check(done.status == 1 and "BrokenPipeError" in done.err, f"the harness is told, with {recorder}", done)
    os.mkfifo(t.path("ctl"))
    begin = time.monotonic()
    done = t.ours("record", "--control", "fifo:ctl", "--no-such-option")
    check(done.status == 2 and time.monotonic() - begin < harness.WAIT_SECONDS, "where nobody waits it ends soon", done)


def test_perf_is_driven_in_the_same_way(t: Context) -> None:
    harness.need_events()
    perf = harness.need_tool("perf")
    # perf 6.1 turns the records of maps off with the events: a library that is loaded then has no name.
    facts = run_hooked(t, "perfs.data", "early", perf, "record", "-N", "-e", "cpu-clock:u", "-F", "999")
    check_hooked(t, facts, "perfs.data")
    harness.note(f"slowest answer of perf {facts['slowest'] * 1000:.1f} ms")


def test_perf_reads_such_a_session(t: Context) -> None:
    harness.need_events()
    perf = harness.need_tool("perf")
    run_hooked(t, "ours.data", "late", t.wperf, "record", *EVENTS)
    done = t.run(perf, "report", "--stdio", "--no-children", "-i", "ours.data", "--sort", "dso")
    share = re.search(r"(\d+\.\d+)% +part_one.so", done.out)
    rows = harness.csv_of(t.good("report", "-i", "ours.data", "--sort", "module", "--csv"))
    counts = {row["module"]: int(row["count"]) for row in rows}
    ours = 100 * counts["part_one.so"] / sum(counts.values())
    check(done.status == 0 and share is not None and abs(float(share[1]) - ours) < 0.1, f"perf's share: {ours}", done)


# --- words ---


def test_the_same_answers_as_perfs(t: Context) -> None:
    words = ("ping", "enable", "disable", "disable", "enable cpu-clock", "enable nosuch", "evlist", "snapshot", "garbage", "",
             "ping", "Ping", "stop")
    place, heard = make_fifos(t), {}
    for name, path in (("wperf", t.wperf), ("perf", harness.need_tool("perf"))):
        target = t.started_ready(t.program("spin"), "20000")
        process = t.start(path, "record", "-o", f"{name}.data", *EVENTS, "-p", str(target.pid), "--control", place)
        peer = open_fifos(t)
        heard[name] = []
        for word in words:
            peer.say(word + "\n")
            # Waits only for commands that perf does not answer.
            silent = word in ("garbage", "", "Ping")
            heard[name].append(peer.hear(seconds=0.3 if silent else harness.WAIT_SECONDS))
        done = harness.finish(process)
        check(done.status == 0, f"{name} ends", done)
        check("cpu-clock" in done.err.splitlines(), f"{name} lists its events", done)
        peer.close()
        target.kill()
    check(heard["wperf"] == heard["perf"], f"answers: {heard}")


def test_words_of_a_run(t: Context) -> None:
    target = t.started_ready(t.program("spin"), "3000")
    process = t.start(t.wperf, "sample", "--strict", "-D", "-1", *EVENTS, "-e", "page-faults", "--control", make_fifos(t), "-p",
                      str(target.pid))
    peer = open_fifos(t)
    peer.ask("ping")
    harness.wait_for_cpu(target.pid, 0.2)
    turn = Turn(target.pid, peer, "enable cpu-clock")
    harness.wait_for_cpu(target.pid, 0.6)
    turn.end()
    peer.say("garbage\nenabel\nsnapshot\nenable nosuch\n\n")
    check(peer.hear(2) == ACK * 2, "two of these are answered")
    done = harness.finish(process)
    check(done.status == 0, "not poor, since the user wanted it so", done)
    harness.check_samples(count_of(done, "spin_here"), turn.most, 999, "the turn", done)
    elapsed = elapsed_seconds(done)
    off_most, off_least = 1 - turn.least_seconds / elapsed, 1 - turn.most_seconds / elapsed
    check(100 * off_least - 2 <= off_percent(done) <= 100 * off_most + 2, f"the rest of the time, {off_least} to {off_most}", done)
    for words in ("'garbage' is not a command; the commands are enable, disable, ping, evlist and stop",
                  "'enabel' is not a command; did you mean 'enable'?", "ignoring 'snapshot': wperf records no trace data", "'enable nosuch': no sampled event has this name; evlist lists the events"):
        check(f"wperf: warning: --control: {words}" in done.err, f"a warning: {words}", done)
    document = harness.document_of(t.good("report", "--json"))
    check_near(document["quality"]["off_share"], off_percent(done) / 100, 0.01, "off_share", done)
    check(not document["quality"]["poor"], "not poor", done)


def test_stop_ends_the_command(t: Context) -> None:
    process = t.start(t.wperf, "record", *EVENTS, "--control", make_fifos(t), "--", t.program("spin"), "20000")
    peer = open_fifos(t)
    harness.wait_for_cpu(harness.command_of(process, "spin"), 0.2)
    peer.ask("stop")
    done = harness.finish(process)
    check(done.status == 0, "wperf ended the run", done)
    check(count_of(done, "spin_here") > 10, "on from the beginning without a delay", done)
    check(off_percent(done) == 0, "no word of a time in which it was off", done)


def test_never_enabled(t: Context) -> None:
    done = t.ours("record", "--strict", "--delay", "-1", "--control", make_fifos(t), "--", "sh", "-c", "exit 7")
    check(done.status == 7, "the command's own status", done)
    check(harness.quality_of(done)["samples"] == 0, "no samples", done)
    check(off_percent(done) > 95 and "dummy" not in done.out, "and why", done)


def test_a_delay(t: Context) -> None:
    done = t.good("record", "--strict", "-D", "600", *EVENTS, "--", t.program("spin"), "1000")
    before, n = harness.seconds_before_the_first_sample(t), count_of(done, "spin_here")
    check(before >= 0.59, f"the first sample is {before:.3f} s after the start", done)
    # At most 0.6 s of its second of CPU time are before it.
    check(280 < n < 1050, "samples after the delay", done)
    elapsed = elapsed_seconds(done)
    check(60 / elapsed - 1 <= off_percent(done) <= 100 - n / 9.99 / elapsed + 2, "the time before", done)
    # A command ends a delay that is not over yet: there are no samples of what runs when it would be over.
    begin = time.monotonic()
    process = t.start(t.wperf, "record", "-D", "4000", *EVENTS, "--control", make_fifos(t), "--", "sh", "-c",
                      f"sleep 4.5; exec {t.program('spin')} 200")
    peer = open_fifos(t)
    peer.ask("disable")
    check(time.monotonic() - begin < 4, "the command came before the end of the delay")
    done = harness.finish(process)
    check(harness.quality_of(done)["samples"] == 0, "disabled before its time", done)


# --- descriptors ---


def start_with_pipes(t: Context, *argv: str) -> tuple[subprocess.Popen, Peer]:
    ctl_in, ctl_out = os.pipe()
    ack_in, ack_out = os.pipe()
    process = t.start(t.wperf, "record", *EVENTS, "--control", f"fd:{ctl_in},{ack_out}", *argv, pass_fds=(ctl_in, ack_out))
    os.close(ctl_in)
    os.close(ack_out)
    return process, Peer(ctl_out, ack_in)


def test_descriptors(t: Context) -> None:
    process, peer = start_with_pipes(t, "-D", "-1", "--", t.program("spin"), "20000")
    peer.ask("enable")
    harness.wait_for_cpu(harness.command_of(process, "spin"), 0.2)
    peer.ask("stop")
    done = harness.finish(process)
    check(done.status == 0 and done.err == "", "a good end", done)
    check(count_of(done, "spin_here") > 10, "samples", done)
    peer.close()


def test_one_socket_for_both(t: Context) -> None:
    here, there = socket.socketpair()
    process = t.start(t.wperf, "record", *EVENTS, "--control", f"fd:{there.fileno()},{there.fileno()}", "--",
                      t.program("spin"), "20000", pass_fds=(there.fileno(),))
    there.close()
    peer = Peer(here.fileno(), here.fileno())
    peer.ask("disable")
    peer.ask("stop")
    check(harness.finish(process).status == 0, "ends")
    here.close()


def test_the_other_side_closes(t: Context) -> None:
    for word, warned in (("enable", False), ("disable", True)):
        process, peer = start_with_pipes(t, "-D", "-1", "--", t.program("spin"), "700")
        peer.ask(word)
        peer.close()
        done = harness.finish(process)
        check(done.status == 0, "goes on to the end", done)
        check(("closed the FIFO while the events were disabled" in done.err) == warned, "warned where it matters", done)
        check(len(done.err.splitlines()) == warned, "one sentence at most", done)


def test_nobody_reads_the_answers(t: Context) -> None:
    # Gone: SIGPIPE for who is not careful.
    process, peer = start_with_pipes(t, "--", t.program("spin"), "20000")
    os.close(peer.ack)
    peer.say("ping\n" * 5)
    peer.say("stop\n")
    done = harness.finish(process)
    check(done.status == 0, "the recorder lives", done)
    check(done.err.count("no program reads the FIFO of ACK") == 1 and len(done.err.splitlines()) == 1, "one warning", done)
    os.close(peer.ctl)
    # It is open but not read: a descriptor that blocks when its pipe is full.
    process, peer = start_with_pipes(t, "--", t.program("spin"), "20000")
    for _ in range(200):
        peer.say("ping\n" * 100)
    peer.say("stop\n")
    done = harness.finish(process)
    check(done.status == 0 and done.err.count("no program reads the FIFO of ACK") == 1, "it does not wait", done)
    peer.close()
    # No reader at all.
    process = t.start(t.wperf, "record", *EVENTS, "--control", make_fifos(t), "--", t.program("spin"), "20000")
    ctl = os.open(t.path("ctl"), os.O_WRONLY)
    for _ in range(200):
        os.write(ctl, b"ping\n" * 100)
    os.write(ctl, b"stop\n")
    check(harness.finish(process).status == 0, "it does not wait")
    os.close(ctl)


def test_garbage(t: Context) -> None:
    process, peer = start_with_pipes(t, "--", t.program("spin"), "20000")
    peer.say("x" * 5000 + "\n")
    for _ in range(50):
        peer.say("enablx\n\0\r\n" * 100)
        os.write(peer.ctl, os.urandom(4096).replace(b"stop", b"wait"))
    peer.say("\nping\n")
    check(peer.hear() == ACK, "still there")
    peer.say("stop")  # as echo -n writes it
    check(peer.hear() == ACK, "still there")
    done = harness.finish(process)
    check(done.status == 0, "a good end", done)
    lines = done.err.splitlines()
    check(len(lines) == 10 and lines[-1].endswith("; further warnings are not shown"), "ten warnings", done)
    check("ignoring a line of more than 1024 bytes" in lines[0], "the long line", done)
    check(all(line.startswith("wperf: warning: --control: ") and line.isprintable() for line in lines), "clean lines", done)
    peer.close()


def test_a_flood_does_not_keep_the_recorder(t: Context) -> None:
    with open("/dev/zero", "rb") as zeros:
        done = t.ours("record", *EVENTS, "--control", f"fd:{zeros.fileno()}", "--timeout", "2", "--", t.program("spin"),
                      "20000", limit=20, pass_fds=(zeros.fileno(),))
    check(done.status == 0 and count_of(done, "spin_here") > 10, "samples, and an end in time", done)


# --- stat ---


def test_counts_of_turns(t: Context) -> None:
    """wperf and perf count the same target in the same turns; each is compared with the kernel's CPU time."""
    harness.need_events()
    place = make_fifos(t)
    for name, path, more in (("perf", harness.need_tool("perf"), ("-x,",)),
                             ("wperf", t.wperf, ("--json", "--session", "s.data"))):
        target = t.started_ready(t.program("spin"), "20000")
        process = t.start(path, "stat", *more, "-e", "task-clock", "-D", "-1", "--control", place, "-p", str(target.pid))
        peer, turns = open_fifos(t), []
        for word in ("ping", "evlist", "snapshot"):
            if word != "snapshot" or name == "wperf":  # perf's stat has no answer to it
                peer.ask(word)
        for _ in range(3):
            turns.append(Turn(target.pid, peer))
            time.sleep(0.2)
            turns[-1].end()
            time.sleep(0.3)
        peer.ask("stop")
        if name == "perf":  # which takes the word and goes on
            process.send_signal(signal.SIGINT)
        done = harness.finish(process)
        check(done.status in (0, -signal.SIGINT), f"{name} ends", done)
        if name == "wperf":
            check(done.status == 0, "stop is a good end", done)
            document = harness.document_of(done)
            counted = document["core"]["cores"][0]["Performance_counter"][0]["counter_value"] / 1e6
            off = document["quality"]["off_seconds"]
            on = document["Time_elapsed"] - off
            check(sum(turn.least_seconds for turn in turns) - 0.01 <= on <= sum(turn.most_seconds for turn in turns) + 0.01,
                  f"{off} seconds off", done)
            again = t.good("report", "-i", "s.data")
            check(f"{off:.3f} seconds of that with the counters off" in again.out, "the session has it too", again)
        else:
            counted = float(done.err.split(",")[0].splitlines()[-1])
        least, most = (1000 * sum(used.total() for used in side) for side in zip(*((turn.least, turn.most) for turn in turns)))
        harness.note(f"{name} counted {counted:.1f} ms of {least:.1f} to {most:.1f}")
        check(0.98 * least - 1 <= counted <= 1.02 * most + 1, f"{name} counted {counted} ms of {least} to {most}", done)
        peer.close()
        target.kill()


def test_stop_ends_a_count(t: Context) -> None:
    for more in ((), ("-r", "3"), ("-t", "-i", "0", "--timeout", "200ms")):
        process = t.start(t.wperf, "stat", "-e", "task-clock", *more, "--control",
                          make_fifos(t) if not more else "fifo:ctl,ack", "--", t.program("spin"), "20000")
        peer = open_fifos(t)
        time.sleep(0.3)
        peer.ask("enable task-clock")
        peer.ask("stop")
        done = harness.finish(process)
        check(done.status == 0 and "task-clock" in done.out, f"stop with {more}", done)
        check("'enable task-clock': stat can't switch single events" in done.err, "a warning", done)
        peer.close()


# --- refusals ---


def test_refusals(t: Context) -> None:
    os.mkfifo(t.path("one"))
    with open(t.path("plain"), "w", encoding="ascii") as file:
        file.write("stop\n")
    reading = os.open(t.path("plain"), os.O_RDONLY)
    writing = os.open(t.path("plain"), os.O_WRONLY)
    for place, status, words in (
            ("fifo:missing", 125, ("'missing'", "mkfifo")), ("fifo:one,missing", 125, ("'missing'", "mkfifo")),
            ("fifo:plain", 2, ("'plain' is not a FIFO",)), ("fifo:/dev/null", 2, ("is not a FIFO",)),
            ("fifo:one,one", 2, ("two FIFOs", "'one'")), ("fd:77", 2, ("descriptor 77 is not open",)),
            (f"fd:{reading},78", 2, ("descriptor 78 is not open",)), (f"fd:{writing}", 2, ("not open for reading",)),
            (f"fd:{reading},{reading}", 2, ("not open for writing",)), ("fd:x", 2, ("'fd:x'", "fifo:CTL[,ACK]")),
            ("ctl", 2, ("'ctl'", "fifo:CTL[,ACK]"))):
        for command in ("record", "stat"):
            done = t.ours(command, "--control", place, "--", "true", pass_fds=(reading, writing))
            check(done.status == status, f"status {status} for {place}", done)
            harness.check_sentence(done, "--control", *words)
        check(not os.path.exists(t.path("wperf.data")), "nothing was measured", done)
    os.close(reading)
    os.close(writing)


harness.main(__name__)
