#!/usr/bin/python3
"""wperf top: its tables and documents of programs that run, and no effect on them."""
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import harness
from harness import Context, check, limit, need_events, wait_until
from screens import Screen
from test_schemas import complaints
from test_stop_harmless import ORPHAN, PYTHON, need_paranoid, nobody, script
from test_waits import differing, run_waits
from test_wall import WORK as WAITS
from test_wall import check_waits, said_by_itself, wall_of

WORK = """
import sys, time

def inner(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

def outer():
    inner(3000)

print("begins", flush=True)
while time.thread_time() < float(sys.argv[1]):
    outer()
print("ends", flush=True)
sys.exit(7)
"""


def tables_of(text: str) -> list[str]:
    """The tables, each from its heading on; a note may come first."""
    parts = re.split(r"\n\n", text)
    return [part for part in parts if "  now  since  self" in part]


def documents_of(text: str) -> list[dict]:
    return [json.loads(line)["top"] for line in text.splitlines()]


def rows_by_name(document: dict) -> dict[str, dict]:
    return {row["name"]: row for row in document["functions"] if not row.get("is_rest")}


def work(t: Context, seconds: float) -> list[str]:
    return [PYTHON, script(t, "work.py", WORK), str(seconds)]


@limit(240)
def test_tables_of_a_command(t: Context) -> None:
    need_events()
    done = t.ours("top", "--stdio", "-d", "200ms", "--", *work(t, 1))
    tables = tables_of(done.out)
    check(done.status == 7 and len(tables) > 1, "tables, and the status of the command", done)
    check(re.search(r"Python 3\.\d+  99 Hz  0:\d\d  wperf \d+\.\d %", tables[-1]) is not None, "a heading", done)
    check(re.search(r"^ *[\d.]+ +[\d.]+ +[\d.]+  inner +work\.py:4$", tables[-1], re.M) is not None, "a Python function", done)
    name = re.search(r"^output of work\.py in (wperf\.out\.\w+), 12 bytes:$", done.out, re.M)
    check(name is not None and done.out.endswith("begins\nends\n"), "the output at the end", done)
    check(pathlib.Path(t.path(name[1])).read_text(encoding="ascii") == "begins\nends\n", "the output in its file", done)


@limit(240)
def test_sums_are_those_of_all_documents(t: Context) -> None:
    need_events()
    done = t.ours("top", "--json", "-d", "200ms", "--", *work(t, 1))
    documents = documents_of(done.out)
    for line in done.out.splitlines():
        found = complaints("live", json.loads(line), "live")
        check(not found, f"{found[:3]}", done)
    check(done.status == 0 and len(documents) > 1, "documents, and wperf's own status", done)
    for kind in ("functions", "threads", "processes", "containers"):
        sums: dict[tuple, list[int]] = {}
        for document in documents:
            for row in document[kind]:
                key = tuple(row.get(k) for k in ("name", "label", "module", "file", "line", "pid", "tid", "group"))
                sums.setdefault(key, [0, 0])
                sums[key][0] += row["now"]["samples"]
                sums[key][1] += row["now"]["self"]
                check(sums[key] == [row["since"]["samples"], row["since"]["self"]], f"since the start: {row}", done)
    last = documents[-1]
    rows = rows_by_name(last)
    check(rows["outer"]["since"]["samples"] >= rows["inner"]["since"]["samples"] > 0, "callers count for what they call", done)
    check(sum(row["since"]["self"] for row in last["functions"]) == last["since"]["self"], "each sample has one function", done)


@limit(240)
def test_short_intervals_have_their_own_times(t: Context) -> None:
    need_events()
    done = t.ours("top", "--json", "-d", "50ms", "--", *work(t, 1))
    elapsed = [document["elapsed_s"] for document in documents_of(done.out)]
    same = sum(1 for before, after in zip(elapsed, elapsed[1:]) if before == after)
    check(len(elapsed) > 4 and elapsed == sorted(elapsed) and same * 4 <= len(elapsed), f"times of tables: {elapsed}", done)


@limit(240)
def test_a_folder_without_room_for_the_output(t: Context) -> None:
    need_events()
    done = t.run("sh", "-c", f"mkdir gone && cd gone && rmdir ../gone && exec '{t.wperf}' top --json -- true")
    check(done.status == 125 and "can't create a file for the output of true here (wperf.out.NAME): No such file" in done.err
          and "change to a folder that you may write to" in done.err, "what failed, and what to do", done)


@limit(240)
def test_as_many_samples_as_the_kernel_allows(t: Context) -> None:
    need_events()
    highest = int(pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate").read_text())
    done = t.ours("top", "--stdio", "-F", "max", "--no-stacks", "-d", "10s", "--", *work(t, 0.1))
    rates = [int(rate) for rate in re.findall(r"(\d+) Hz", done.out)]
    check(rates and min(rates) > 99 and max(rates) <= highest, f"at most {highest} Hz: {rates}", done)


@limit(240)
def test_a_process_is_watched_until_ctrl_c(t: Context) -> None:
    need_events()
    process = t.started_ready(PYTHON, script(t, "work.py", WORK.replace("begins", "ready")), "60")
    watcher = t.start(t.wperf, "top", "-d", "200ms", str(process.pid))
    while b"samples, " not in watcher.stdout.readline():
        check(watcher.poll() is None, "the first table")
    harness.wait_for_cpu(process.pid, 0.5)
    watcher.send_signal(signal.SIGINT)
    done = harness.finish(watcher)
    check(done.status == 0 and done.err == "" and f"work.py ({process.pid})" in tables_of(done.out)[-1], "a last table", done)
    check(process.poll() is None, "the process goes on")


# --- beside the session that is kept ---

def python_sums(folded: str) -> dict[str, list[int]]:
    """By the label of each Python function, its own samples and those with it on the stack: from folded stacks."""
    sums: dict[str, list[int]] = {}
    for line in folded.splitlines():
        stack, count = line.rsplit(" ", 1)
        frames = stack.split(";")
        for frame in set(frames):
            if re.search(r" \[[^\]]+:\d+\]$", frame):
                sums.setdefault(frame, [0, 0])[1] += int(count)
                sums[frame][0] += int(count) if frame == frames[-1] else 0
    return sums


@limit(240)
def test_figures_are_those_of_the_session_kept(t: Context) -> None:
    need_events()
    done = t.ours("top", "--json", "-d", "200ms", "--session", "kept.data", "--", *work(t, 2))
    last = documents_of(done.out)[-1]
    report = t.good("report", "--stdio", "--sample-display-row", "10000", "-i", "kept.data")
    check(harness.quality_of(report)["samples"] == last["since"]["samples"], "as many samples", report)
    folded = t.ours("export", "--format", "folded", "-o", "stacks", "-i", "kept.data")
    check(folded.status == 0, "stacks of the session", folded)
    wanted = python_sums(pathlib.Path(t.path("stacks")).read_text(encoding="utf-8"))
    seen = {row["label"]: [row["since"]["self_samples"], row["since"]["samples"]] for row in last["functions"] if row["is_python"]}
    check(len(seen) > 2 and wanted == seen, f"{wanted} in the session, {seen} in the table")
    own = {(row.symbol.split(":")[0]): row.count for row in harness.rows_of(report.out)}
    natives = {row["name"]: row["since"]["self_samples"] for row in last["functions"]
               if not row["is_python"] and row["since"]["self_samples"] and not row["name"].startswith("_PyEval")}
    check(bool(natives) and all(own[name] == n for name, n in natives.items()), f"{own} in the session, {natives} in the table")


# --- the screen ---

def started(t: Context) -> subprocess.Popen:
    return t.started_ready(PYTHON, script(t, "work.py", WORK.replace("begins", "ready")), "1000")


def watch(t: Context, process: subprocess.Popen, *words: str, **options) -> Screen:
    return Screen(t, t.wperf, "top", "-d", "300ms", *words, str(process.pid), **options)


@limit(240)
def test_the_screen_at_three_sizes(t: Context) -> None:
    need_events()
    process = started(t)
    for columns, rows in ((80, 24), (120, 40), (40, 12)):
        with watch(t, process, columns=columns, rows=rows) as screen:
            text = screen.look("inner", "Enter menu")
            lines = text.splitlines()
            check(len(lines) == rows and max(map(len, lines)) <= columns, f"fits:\n{text}")
            check(columns < 80 or f"work.py ({process.pid})  Python 3." in lines[0], f"a heading:\n{text}")
            check("samples" in lines[1] and lines[2].startswith("  now  since  self  function"), f"columns:\n{text}")
            check(columns < 80 or re.search(r"inner +work\.py:4$", text, re.M) is not None, f"a place:\n{text}")
            screen.resize(66, 18)
            wait_until(lambda other=lines[-1]: screen.text().splitlines()[-1] not in (other, ""), "another size")
            screen.keys("q")
            screen.look("status 0")  # the terminal has another size than before
    check(process.poll() is None, "the process goes on")


@limit(240)
def test_keys(t: Context) -> None:
    need_events()
    process = started(t)
    with watch(t, process, columns=100) as screen:
        screen.look("inner", "Enter menu")
        screen.keys("t")
        screen.look("self  thread", f"process {process.pid}")
        screen.keys("t")
        screen.look("self  process")
        screen.keys("t")
        screen.look("self  container")
        screen.keys("t", "p")
        check("python3" not in screen.look("self  function", "Python functions only", "outer"), "no native function")
        screen.keys("p", "/", "o", "u", "t", "e", "r", "Enter")
        check("inner" not in screen.look("filter: outer", "work.py:10"), "only rows with the text")
        screen.keys("Escape", "F")
        screen.look("frozen", "inner")
        screen.keys("F", "W")
        screen.look("kept as wperf.data")
        check("inner" in t.ours("report", "--stdio").out, "a session")
        screen.keys("s", "Home", "r")
        screen.look("callers of")
        screen.keys("q")
        screen.look("Enter menu", "wperf ")
        screen.keys("z", "q")
        check(screen.ended() == 0, "q quits")
    check(not [name for name in os.listdir("/tmp") if name.startswith("wperf.top.") and os.stat(f"/tmp/{name}").st_uid == os.getuid()
               and time.time() - os.stat(f"/tmp/{name}").st_mtime < 60], "no session is left in /tmp")


@limit(240)
def test_a_command_is_ended_only_when_asked(t: Context) -> None:
    need_events()
    with Screen(t, t.wperf, "top", "-d", "300ms", "--", *work(t, 1000)) as screen:
        screen.look("inner", "Enter menu")
        screen.keys("q")
        screen.look("end the program?")
        screen.keys("x")
        wait_until(lambda: "end the program?" not in screen.text(), "the question to go away")
        screen.keys("q", "y")
        check(screen.ended() == 0 and "begins" in screen.text(), "ends, and prints the output")


@limit(240)
def test_the_question_stands_on_the_table(t: Context) -> None:
    """Asked on another page or while a search is typed, it is answered on the table, and the key does nothing else."""
    need_events()
    question = "end the program?"
    with Screen(t, t.wperf, "top", "-d", "300ms", "--", *work(t, 1000)) as screen:
        screen.look("inner", "Enter menu")
        for before, key in ((["?"], "x"), (["/", "i"], "x"), ([], "?")):
            screen.keys(*before, "C-c")
            screen.look(question, "self  function")
            screen.keys(key)
            wait_until(lambda: question not in screen.text(), "the question to go away")
            screen.look("self  function", "inner")
        screen.keys("q")
        screen.look(question)
        screen.paste("y")
        screen.look(question)
        screen.keys("C-c")
        check(screen.ended() == 0 and "begins" in screen.text(), "ends, and prints the output")


@limit(240)
def test_a_terminal_that_goes_away(t: Context) -> None:
    need_events()
    process = started(t)
    screen = watch(t, process)
    screen.look("inner", "Enter menu")
    watchers = harness.children_of(screen.pid())
    screen.close()
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in watchers), "wperf to end")
    check("inner" in t.ours("report", "--stdio").out and process.poll() is None, "a session is kept, and the process goes on")


@limit(240)
def test_suspended_and_resumed(t: Context) -> None:
    need_events()
    process = started(t)
    with Screen(t, "sh", "-c", "exec bash --norc -i 2>&1") as screen:
        screen.wait("bash-")
        screen.call("send-keys", "-t", "screen", "-l", f"'{t.wperf}' top -d 300ms {process.pid}")
        screen.keys("Enter")
        screen.look("inner", "Enter menu")
        screen.keys("C-z")
        screen.wait("Stopped")
        check(not screen.is_alternate(), "the alternate screen is left")
        harness.wait_for_cpu(process.pid, 0.3)  # the process goes on
        screen.call("send-keys", "-t", "screen", "-l", "fg")
        screen.keys("Enter")
        screen.look("inner", "Enter menu")
        screen.keys("q")
        screen.wait("bash-", without="Enter menu")
        screen.call("send-keys", "-t", "screen", "-l", "exit")
        screen.keys("Enter")
        check(screen.ended() == 0, "quits")
    check(process.poll() is None, "the process goes on")


@limit(240)
def test_waits_of_programs_that_are_watched(t: Context) -> None:
    """By stopping threads and, as root, by BPF: the waits of programs end as without a watcher."""
    need_events()

    def watched(started: list[subprocess.Popen]) -> None:
        for engine, process in zip(("stop", "bpf"), started):
            t.start(t.wperf, "top", "--json", "--engine", engine, "-F", "999", str(process.pid), stdout=subprocess.DEVNULL)

    bare, ours = [run_waits(t, [])], [run_waits(t, [], watched)]
    while differing(bare, ours) and len(bare) < 3:  # a busy machine may mix up what happens when
        bare.append(run_waits(t, []))
        ours.append(run_waits(t, [], watched))
    bad = differing(bare, ours)
    check(not bad, "\n".join(bad))


@limit(240)
def test_signals_end_it(t: Context) -> None:
    need_events()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # below nohup all programs ignore it
    process = started(t)
    for number in (signal.SIGTERM, signal.SIGHUP):
        watcher = t.start(t.wperf, "top", "-d", "200ms", str(process.pid))
        while b"samples, " not in watcher.stdout.readline():
            check(watcher.poll() is None, "the first table")
        watcher.send_signal(number)
        done = harness.finish(watcher)
        check(done.status == 0 and done.err == "" and "inner" in tables_of(done.out)[-1], "a last table", done)
    check(process.poll() is None, "the process goes on")


def lacks_python(t: Context, process: subprocess.Popen, engine: str, sentence: str) -> None:
    words = ("--engine", engine, "-d", "200ms", "--timeout", "1s", str(process.pid))
    recorded = t.ours("record", "-p", str(process.pid), "--engine", engine, "--timeout", "1s")
    check(sentence in " ".join(recorded.out.split()), "a session has the sentence", recorded)
    done = t.ours("top", "--json", *words)
    document = documents_of(done.out)[-1]
    check(sentence in document["note"] and not any(row.get("is_python") for row in document["functions"]), "documents", done)
    check(not complaints("live", {"top": document}, "live"), "the document is as its schema says", done)
    done = t.ours("top", "--stdio", *words)
    check(f"\n{sentence}" in done.out and "  now  since  self" in done.out, "tables", done)
    with watch(t, process, "--engine", engine) as screen:
        lines = screen.look(sentence[:40], "Enter menu").splitlines()
        check(sentence.split()[-1] in " ".join(lines[1:4]), f"the whole sentence: {lines}")
        screen.keys("q")
        check(screen.ended() == 0, "quits")


@limit(240)
def test_why_there_are_no_python_functions(t: Context) -> None:
    """As under Yama, in the words of record."""
    need_events()
    lacks_python(t, started(t), "ring", "no Python functions: --engine ring reads none: record without it")


@limit(240)
def test_a_process_that_may_not_be_traced(t: Context) -> None:
    """A descendant that the kernel refuses to trace, as all processes under Yama."""
    harness.need_root()
    need_paranoid()
    os.chmod(t.folder, 0o777)
    end = t.path("end")
    done = t.run(*nobody(), t.wperf, "top", "--json", "-d", "200ms", "--engine", "stop", "-F", "999", "--", PYTHON, script(t, "orphan.py", ORPHAN),
                 end, "hidden")
    harness.wait_until(lambda: os.path.exists(end), "the orphan works to its end, which may be later")
    check("Python processes that wperf could not trace, sampled with native stacks only: 1 (" in documents_of(done.out)[-1].get("note", ""), "the note", done)


@limit(240)
def test_a_reader_that_takes_nothing(t: Context) -> None:
    """The first signal ends it, says why the last table is missing, and keeps the session."""
    need_events()
    process = started(t)
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    watcher = t.start(t.wperf, "top", "--json", "-d", "50ms", "--session", "kept.data", str(process.pid), stdout=writing)
    os.close(writing)
    taken = os.read(reading, 1)  # the first table has begun; it is longer than the pipe
    harness.wait_for_cpu(process.pid, 0.3)
    watcher.send_signal(signal.SIGINT)
    err = watcher.communicate(timeout=harness.TEST_SECONDS)[1].decode()
    os.close(reading)
    check(taken == b"{" and watcher.returncode == 1, f"it fails: {watcher.returncode}")
    check(err == "wperf: standard output: its reader takes nothing, so the end of the output is missing\n", f"why: {err}")
    check("inner" in t.good("report", "--stdio", "-i", "kept.data").out, "the session")
    check(process.poll() is None, "the process goes on")


def test_words_that_are_wrong(t: Context) -> None:
    for words, sentence in ((["--by", "line"], "--by takes function, thread, process or container"),
                            (["-d", "1ms"], "-d takes 50ms or more"),
                            (["-F", "99", "-r", "99"], "-F and -r are the same option"),
                            (["--gil"], "wperf top --wall"),
                            (["--mode", "cpu", "--wall"], "--mode cpu and --wall cannot be used together"),
                            (["--wall", "--no-stacks"], "leave --no-stacks out")):
        done = t.ours("top", *words)
        check(done.status == 2 and sentence in done.err and done.out == "", f"top {' '.join(words)}", done)
    done = t.ours("top", "--", "/no/such/program")
    check(done.status == 127 and "/no/such/program" in done.err, "a program that does not exist", done)
    check(not [name for name in os.listdir(t.folder) if name.startswith("wperf.out")], "no file is left behind")


# --- wall time ---

WAITERS = """
import os, threading, time

lock, (reading, writing) = threading.Lock(), os.pipe()

def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass

def compute():
    while True:
        spin(0.05)

def compete():
    while True:
        spin(0.05)

def hold():
    while True:
        with lock:
            time.sleep(0.4)
        time.sleep(0.001)

def want():
    while True:
        with lock:
            pass
        time.sleep(0.001)

def read():
    while True:
        os.read(reading, 1)

def write():
    while True:
        time.sleep(0.3)
        os.write(writing, b"x")

for work in (compute, compete, hold, want, read, write):
    threading.Thread(target=work, name=work.__name__).start()
print("ready", flush=True)
"""


def wall_rows(rows: list[dict], name: str = "function", words: tuple[str, str] = ("python", "file")) -> dict[tuple, dict]:
    """The states of each function in ms: of top, or of a report."""
    sums: dict[tuple, dict] = {}
    for row in rows:
        if row.get("is_rest"):
            continue
        place = row["file"] if row[words[0]] else os.path.basename(row[words[1]])
        states = sums.setdefault((row[name], place), {})
        for state, seconds in row["since" if name == "name" else "seconds"].items():
            states[state] = states.get(state, 0) + round(1000 * seconds)
    return {key: {state: ms for state, ms in states.items() if ms} for key, states in sums.items()}


def by_name(rows: list[dict]) -> dict[tuple, dict]:
    return wall_rows([{"file": "", "module": "", **row} for row in rows], "name", ("is_python", "module"))


def is_near(a: dict[str, int], b: dict[str, int], most: int) -> bool:
    return all(abs(a.get(state, 0) - b.get(state, 0)) <= most for state in {*a, *b})


@limit(240)
def test_wall_time_is_that_of_the_session_kept(t: Context) -> None:
    """A program that measures its own waits: the table has them, and each cell is the session's."""
    need_events()
    done = t.ours("top", "--wall", "--json", "-d", "400ms", "--session", "kept.data", "--", PYTHON, WAITS)
    documents = documents_of(done.out)
    for line in done.out.splitlines():
        found = complaints("live", json.loads(line), "live")
        check(not found, f"{found[:3]}", done)
    check(done.status == 0 and len(documents) > 4, "documents", done)
    wall = wall_of(t, "kept.data")
    output = re.search(r"in (wperf\.out\.\w+)", done.err)
    check(output is not None, "the program's own figures", done)
    said = said_by_itself(pathlib.Path(t.path(output[1])).read_text(encoding="ascii"))
    for function in ("serve", "work", "spin"):  # wait for the GIL as well, and for a CPU
        said["waits"].pop(function)
    check_waits(t, t.path("kept.data"), said)
    last = documents[-1]
    sums = [{state: round(1000 * seconds) for state, seconds in states.items()}
            for states in (wall["seconds"], last["wall"]["since"]["seconds"])]
    check(is_near(sums[0], sums[1], 2), f"all threads: {sums[0]} in the session, {sums[1]} in the table")
    kept, shown = wall_rows(wall["functions"]), by_name(last["functions"])
    check(set(kept) == set(shown) and all(is_near(states, shown[key], 2) for key, states in kept.items()),
          f"functions: {kept} in the session, {shown} in the table")
    total = sum(sums[0].values())
    for kind in ("threads", "processes", "containers"):
        of_kind = sum(sum(row["since"].values()) for row in last[kind])
        check(abs(1000 * of_kind - total) < 20, f"{kind}: {of_kind} s of {total} ms")
    now = sum(sum(document["wall"]["now"]["seconds"].values()) for document in documents)
    check(abs(1000 * now - total) < 0.25 * total, f"the intervals have {now} s, all of it {total} ms")


@limit(120)
def test_an_interval_that_is_long_has_its_first_waits(t: Context) -> None:
    """Records are taken each second, also where a table comes later."""
    need_events()
    work = "import time\ndef first():\n  for _ in range(20): time.sleep(0.1)\ndef last():\n  time.sleep(18)\nfirst(); last()\n"
    done = t.ours("top", "--wall", "--json", "-d", "60s", "--", PYTHON, "-S", script(t, "phases.py", work))
    since = {row["name"]: row["since"] for row in documents_of(done.out)[-1]["functions"] if not row.get("is_rest")}
    check(since.get("first", {}).get("sleep", 0) > 1.5 and since.get("last", {}).get("sleep", 0) > 15, f"{since}", done)


@limit(240)
def test_states_of_a_process_that_runs(t: Context) -> None:
    """Sleepers, the holder and the waiter of a lock, two threads that want the GIL, and the reader of a pipe."""
    need_events()
    process = t.started_ready(PYTHON, script(t, "waiters.py", WAITERS))
    done = t.ours("top", "--wall", "--idle", "--json", "-d", "1s", "--timeout", "6s", "--session", "kept.data", str(process.pid))
    check(done.status == 0 and done.err == "", "documents", done)
    last = documents_of(done.out)[-1]
    elapsed = last["wall"]["since"]["elapsed_seconds"]
    since = {row["name"]: row["since"] for row in last["functions"] if not row.get("is_rest")}
    for name, state, share in (("hold", "sleep", 0.6), ("want", "lock", 0.6), ("read", "pipe", 0.6), ("write", "sleep", 0.6)):
        part = sum(since.get(name, {}).get(word, 0) for word in (state, "gil")) / elapsed
        check(share < part < 1.1, f"{name} has {part} of the time in {state}: {since}", done)
    running, gil = ([since.get("spin", {}).get(state, 0) / elapsed for state in states] for states in (("on-cpu", "runnable"), ("gil",)))
    check(0.6 < sum(running) < 1.4 and 0.5 < gil[0] < 1.4, f"one of two runs, and the other one waits: {since}", done)
    check(last["wall"]["threads"] == 7, "threads, also those that never run", done)
    kept, shown = wall_rows(wall_of(t, "kept.data")["functions"]), by_name(last["functions"])
    near = {key for key in kept if is_near(kept[key], shown.get(key, {}), 100)}
    check({name for name, _ in near} >= {"hold", "want", "read", "write", "spin"}, f"{kept} in the session, {shown} in the table")
    check(process.poll() is None, "the process goes on")


@limit(240)
def test_a_process_in_which_nothing_happens(t: Context) -> None:
    """No record follows those of its waits, and yet they are shown soon."""
    need_events()
    process = t.started_ready(PYTHON, script(t, "still.py", "import time\nprint('ready', flush=True)\ntime.sleep(1000)\n"))
    done = t.ours("top", "--wall", "--json", "-d", "1s", "--timeout", "5s", str(process.pid))
    shares = [document["wall"]["since"]["seconds"].get("sleep", 0) / document["wall"]["since"]["elapsed_seconds"]
              for document in documents_of(done.out)[2:4]]
    check(len(shares) == 2 and min(shares) > 0.9, f"it sleeps: {shares}", done)
    done = t.ours("top", "--wall", "--stdio", "-d", "300ms", "--timeout", "400ms", str(process.pid))
    check("\n1 thread (0 idle), " in done.out, "one thread", done)


@limit(240)
def test_wall_time_on_the_screen(t: Context) -> None:
    need_events()
    process = t.started_ready(PYTHON, script(t, "waiters.py", WAITERS))
    for columns, rows in ((80, 24), (40, 12)):
        with watch(t, process, "--wall", columns=columns, rows=rows) as screen:
            text = screen.look("lock", "Enter menu", *(["want"] if rows == 24 else []))
            lines = text.splitlines()
            check(len(lines) == rows and max(map(len, lines)) <= columns, f"fits:\n{text}")
            check(lines[1].startswith("now    on CPU ") and lines[2].startswith("since  on CPU "), f"states:\n{text}")
            check(columns < 80 or re.search(r"^    now  since    CPU .*  function, in seconds, without idle", text, re.M) is not None,
                  f"columns:\n{text}")
            check(columns < 80 or re.search(r"want +waiters\.py:\d+$", text, re.M) is not None, f"a place:\n{text}")
            screen.keys("t")
            screen.look("  thread, in")
            screen.keys("t", "t", "t", "W")
            screen.look("kept as wperf.data")
            screen.keys("Home", "r")
            screen.look("callers of")
            screen.keys("q")
            screen.look("Enter menu", "since  on CPU")
            screen.keys("z", "q")
            check(screen.ended() == 0, "quits")
        check("want" in t.ours("report", "--stdio").out, "a session")
    check(process.poll() is None, "the process goes on")


if __name__ == "__main__":
    harness.main(__name__)
