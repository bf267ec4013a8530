#!/usr/bin/python3
"""Runs wperf stat: compares counts with perf's and with known counts; timelines, repeated runs, ends, sessions."""
import csv
import json
import os
import re
import signal
import statistics

import harness
from harness import Context, Done, check
from test_refusals import PARANOID, as_plain_user, sysctl

ROUNDS = 5
# The kernel may read two clocks for an event and for the CPU time of a process.
CLOCK_ERROR = 0.995


def counts_of(document: dict) -> dict[str, int]:
    """event name -> counter value, of the first core."""
    return {row["event_name"]: row["counter_value"] for row in document["core"]["cores"][0]["Performance_counter"]}


def stat(t: Context, *argv: str) -> dict:
    return harness.document_of(t.ours("stat", "--json", *argv))


def perf_stat(t: Context, events: str, *argv: str) -> dict[str, int]:
    done = t.run(harness.need_tool("perf"), "stat", "-x,", "-e", events, "--", *argv)
    check(done.status == 0, "perf stat", done)
    rows = [line.split(",") for line in done.err.splitlines() if line.count(",") > 3]
    return {row[2]: int(float(row[0])) for row in rows if row[0].replace(".", "").isdigit()}


def values_of_both(t: Context, event: str, *argv: str) -> tuple[list[int], list[int]]:
    """Paired runs, one of each after the other."""
    ours, perfs = [], []
    for _ in range(ROUNDS):
        ours.append(counts_of(stat(t, "-e", event, "--", *argv))[event])
        perfs.append(perf_stat(t, event, *argv)[event])
    harness.note(f"{event}: wperf {ours}, perf {perfs}")
    return ours, perfs


def faults_of_start(t: Context) -> int:
    """The page faults of the same program that touches no pages: of its start and end."""
    return counts_of(stat(t, "-e", "page-faults", "--", t.program("counted"), "faults", "0"))["page-faults"]


def check_same(ours: list[int], perfs: list[int], slack: int) -> None:
    """Medians differ by no more than the runs of one tool do, plus `slack` events."""
    spread = max(max(ours) - min(ours), max(perfs) - min(perfs))
    check(abs(statistics.median(ours) - statistics.median(perfs)) <= spread + slack, "the medians agree")


def rows_of_table(done: Done) -> dict[str, str]:
    """event name -> counter value as printed; clocks with their unit."""
    rows = {}
    for line in done.out.splitlines():
        words = line.replace("<not counted>", "<not-counted>").replace("<not supported>", "<not-supported>").split()
        if len(words) >= 4 and line.startswith("        ") and words[3] == "e":
            rows[words[1]] = words[0]
    return rows


# --- Compared with perf and with known counts ---


def test_page_faults_are_those_of_perf(t: Context) -> None:
    ours, perfs = values_of_both(t, "page-faults", t.program("counted"), "faults", "5000")
    check_same(ours, perfs, 3)
    check(min(ours) >= 5000, "the pages that were touched")


def test_context_switches_are_those_of_perf(t: Context) -> None:
    ours, perfs = values_of_both(t, "context-switches", t.program("counted"), "switches", "3000")
    check_same(ours, perfs, 3)
    # Sometimes one side finds its byte already there and continues without a switch: 5,999 were seen, in perf, too.
    check(min(ours) >= 5940, "two for each hand-over")


def test_migrations_are_those_of_perf(t: Context) -> None:
    if os.cpu_count() < 2:
        raise harness.Skip("a second CPU")
    ours, perfs = values_of_both(t, "cpu-migrations", t.program("counted"), "hops", "500")
    check_same(ours, perfs, 2)
    check(min(ours) >= 499, "the hops, but the first where the program is there already")


def test_task_clock_is_the_cpu_time(t: Context) -> None:
    """At least what the program uses by its own clock, and no more than one thread can use in that time."""
    document = stat(t, "-e", "task-clock", "--", t.program("counted"), "spin", "300")
    used_ms, elapsed_ms = counts_of(document)["task-clock"] / 1e6, 1000 * document["Time_elapsed"]
    check(300 * CLOCK_ERROR <= used_ms <= elapsed_ms / CLOCK_ERROR, f"300 ms of CPU time: {used_ms} in {elapsed_ms} ms")


# --- scopes ---


def test_default_events_without_a_pmu_say_so(t: Context) -> None:
    done = t.good("stat", "--", t.program("counted"), "faults", "10")
    rows = rows_of_table(done)
    for name in ("task-clock", "context-switches", "cpu-migrations", "page-faults"):
        check(name in rows, f"a row of {name}", done)
    if not os.path.exists("/sys/bus/event_source/devices/cpu"):
        check("no hardware counters here" in done.out, "says that there is no PMU", done)
    check(done.out.splitlines()[-1].startswith("quality: "), "ends with the quality line", done)


def test_an_event_that_is_not_there_leaves_the_others_alone(t: Context) -> None:
    missing = "arm_only_thing" if os.path.exists("/sys/bus/event_source/devices/cpu") else "instructions"
    missing = "ld_spec" if missing != "instructions" and os.uname().machine == "x86_64" else missing
    if missing == "arm_only_thing":
        raise harness.Skip("a known event that these cores do not have")
    done = t.ours("stat", "-e", f"task-clock,{missing}", "--", "sh", "-c", "exit 3")
    check(done.status == 3 and done.err == "", "the command ran, the status is its own", done)
    rows = rows_of_table(done)
    check(int(rows["task-clock"].replace(",", "")) > 0 and rows[missing] == "<not-supported>", "what can be counted is", done)
    check(f"note: {missing} is not counted: this " in done.out, "and why the other is not", done)
    check("quality: 2 events, 1 not counted" in done.out, "the quality line counts it", done)
    check(t.ours("stat", "--strict", "-e", f"task-clock,{missing}", "--", "true").status == 3, "it is poor")
    document = stat(t, "-e", f"{missing},task-clock", "--", "true")
    check([entry["event_name"] for entry in document["quality"]["not_counted"]] == [missing], f"{document['quality']}")
    path = t.path("x.csv")
    t.good("stat", "-q", "-e", f"{missing},task-clock", "-t", "-i", "0", "-n", "1", "--timeout", "20ms", "-o", path, "--",
           t.program("counted"), "spin", "50")
    row = open(path, encoding="ascii").read().splitlines()[8]
    check(re.fullmatch(r"<not supported>,\d+,", row), f"{row}")
    done = t.ours("stat", "-e", missing, "--", "touch", t.path("ran"))
    check(done.status == 125 and not os.path.exists(t.path("ran")), "nothing is left to count", done)
    harness.check_sentence(done, missing)


def test_a_row_splits_at_its_blanks(t: Context) -> None:
    done = t.good("stat", "-e", "task-clock,page-faults", "--", "true")
    rows = [line.split() for line in done.out.splitlines() if re.match(r" {8} +[0-9,]+ ", line)]
    check([row[1:] for row in rows] == [["task-clock", "0x01", "e", "ns"], ["page-faults", "0x02", "e"]], f"{rows}", done)


def test_attached_process(t: Context) -> None:
    process = t.started_ready(t.program("counted"), "grow", "1000", stdin=harness.subprocess.PIPE)
    watcher = t.start(t.wperf, "stat", "--json", "-e", "page-faults", "-p", str(process.pid))
    harness.wait_for_events(watcher.pid)
    process.stdin.write(b"x")
    process.stdin.flush()
    check(process.stdout.readline() == b"done\n", "a thread that began later")
    watcher.send_signal(signal.SIGINT)
    out, err = watcher.communicate(timeout=20)
    document = json.loads(out)
    check(watcher.returncode == 0 and not err, f"{err}")
    faults = counts_of(document)["page-faults"]
    check(1000 <= faults <= 1200, f"the faults of the new thread: {faults}")
    check(process.poll() is None, "the process lives on")


def test_each_cpu_and_the_sum(t: Context) -> None:
    harness.need_root()
    done = t.good("stat", "--json", "-e", "cpu-clock", "--timeout", "0.3")
    document = harness.document_of(done)
    cores = document["core"]["cores"]
    check(len(cores) == os.cpu_count(), f"a table for each CPU: {len(cores)}")
    values = [core["Performance_counter"][0]["counter_value"] for core in cores]
    for value in values:
        check(0.28 < value / 1e9 < done.seconds, f"a CPU's clock runs all the time: {value} in {done.seconds} s")
    if len(cores) > 1:
        total = document["core"]["overall"]["Systemwide_Overall_Performance_Counters"][0]["counter_value"]
        check(total == sum(values), "the sum")


def test_command_pinned_to_a_cpu(t: Context) -> None:
    harness.need_events()
    document = stat(t, "-e", "task-clock,cpu-migrations", "-c", "0", "--", t.program("counted"), "spin", "50")
    check(document["core"]["cores"][0]["core_number"] == 0, "the table of core 0")
    check(counts_of(document)["task-clock"] >= 50e6 * CLOCK_ERROR, "its time")


def test_children_are_counted(t: Context) -> None:
    document = stat(t, "-e", "page-faults", "--", "sh", "-c", f"{t.program('counted')} faults 2000; true")
    check(counts_of(document)["page-faults"] >= 2000, "the child's faults")


# --- ends and statuses ---


def test_status_is_the_commands(t: Context) -> None:
    check(t.ours("stat", "--", "sh", "-c", "exit 7").status == 7, "the command's own")
    check(t.ours("stat", "--", "sh", "-c", "kill -9 $$").status == 137, "128 and the signal")
    done = t.ours("stat", "--", "/nowhere/at/all")
    check(done.status == 127, "not found", done)
    harness.check_sentence(done, "/nowhere/at/all")
    done = t.ours("stat", "--", "/etc/passwd")
    check(done.status == 126, "not runnable", done)
    done = t.ours("stat", "--json", "--", "sh", "-c", "exit 7")
    check(done.status == 0 and harness.document_of(done)["target_exit"] == 7, "with --json it is in the document", done)


def test_timeout_ends_the_command(t: Context) -> None:
    done = t.ours("stat", "-e", "task-clock", "--timeout", "0.3", "--", t.program("counted"), "sleep", "30000")
    check(done.status == 0, "ended by wperf", done)
    check(done.seconds < 25, "in time", done)
    elapsed = [line for line in done.out.splitlines() if "seconds time elapsed" in line]
    check(len(elapsed) == 1 and 0.29 < float(elapsed[0].split()[0]) < done.seconds, "the time counted", done)


def test_what_ignores_sigterm_is_killed(t: Context) -> None:
    done = t.ours("stat", "-e", "task-clock", "--timeout", "0.2", "--", "sh", "-c", "trap '' TERM; while :; do :; done")
    check(done.status == 0 and 2 <= done.seconds < 40, "killed after two seconds", done)


def test_ctrl_c_keeps_the_counts(t: Context) -> None:
    process = t.start(t.wperf, "stat", "--json", "-e", "task-clock", "--", t.program("counted"), "sleep", "30000")
    harness.wait_for_events(process.pid)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    check(process.returncode == 0 and "task-clock" in counts_of(json.loads(out)), "the counts so far")


def test_the_commands_output_stays_out_of_the_document(t: Context) -> None:
    done = t.ours("stat", "--json", "-e", "task-clock", "--", "echo", "hello")
    harness.document_of(done)
    check(done.err == "hello\n", "it goes to standard error", done)


# --- repeats ---


def test_repeats_show_mean_and_deviation(t: Context) -> None:
    done = t.good("stat", "-r", "4", "-e", "page-faults,task-clock", "--", t.program("counted"), "faults", "1000")
    check("mean of 4 runs" in done.out and "stddev" in done.out, "the heading", done)
    document = stat(t, "-r", "4", "-e", "page-faults", "--", t.program("counted"), "faults", "1000")
    row = document["core"]["cores"][0]["Performance_counter"][0]
    # From run to run the start takes a few faults more or less.
    check(document["runs"] == 4 and 990 <= row["counter_value"] - faults_of_start(t) < 1100, f"{row}")
    check(float(row["stddev"].rstrip(" %")) < 5, f"{row}")


# --- timelines ---


def test_timeline_rows_are_written_as_they_come(t: Context) -> None:
    """A killed run keeps what it had."""
    path = t.path("rows.csv")
    process = t.start(t.wperf, "stat", "-e", "task-clock,page-faults", "-t", "-i", "0", "--timeout", "100ms", "-o", path,
                      "--", t.program("counted"), "sleep", "30000")
    harness.wait_until(lambda: os.path.exists(path) and len(open(path, encoding="ascii").readlines()) >= 11, "three rows")
    process.kill()
    process.wait()
    lines = open(path, encoding="ascii").read().splitlines()
    check(lines[4] == "Event class,core" and lines[5] == "", f"{lines}")
    check(lines[7] == "task-clock,page-faults,", f"{lines}")
    check(all(line.count(",") == 2 and line.endswith(",") for line in lines[8:]), f"{lines}")


def test_timeline_document(t: Context) -> None:
    done = t.ours("stat", "-e", "cpu-clock", "-t", "-i", "500ms", "-n", "3", "--timeout", "200ms", "--json-extended",
                  "--output-csv", "a_{class}_{core}.csv", "-c", "0", cwd=t.folder)
    document = harness.document_of(done)
    check(document["count_duration"] == 0.2 and document["count_interval"] == 0.5, "what was asked for", done)
    check(document["quality"] == {"poor": False, "poor_counts": 0}, "the quality of all", done)
    check(document["count_timeline"] == 3 and len(document["timeline"]) == 3, "three counts", done)
    for one in document["timeline"]:
        check(0.19 < one["Time_elapsed"] and 0.19e9 < counts_of(one)["cpu-clock"], "200 ms each", done)
    times = sum(one["Time_elapsed"] for one in document["timeline"])
    clocks = sum(counts_of(one)["cpu-clock"] for one in document["timeline"]) / 1e9
    check(max(times, clocks) <= done.seconds - 2 * 0.5, f"the pauses are not counted: {times} and {clocks} s", done)
    rows = list(csv.reader(open(t.path("a_core_0.csv"), encoding="ascii")))
    check(rows[2] == ["Count interval", "0.50"] and rows[7] == ["cpu-clock", ""] and len(rows) == 11, f"{rows}")


def test_timeline_says_what_it_writes(t: Context) -> None:
    done = t.good("stat", "-v", "-e", "page-faults,task-clock", "-t", "-i", "0", "-n", "2", "--timeout", "20ms", "-o", "x.csv", "--",
                  t.program("counted"), "sleep", "500", cwd=t.folder)
    check("timeline file: 'x.csv'\n" in done.out, "the file", done)
    check("events to be counted:\n     2              core events: page-faults task-clock\n" in done.out, "the events", done)
    check(done.out.count("counting ... done\n") == 2, "two counts", done)
    check("sleeping" not in done.out, "and no pause", done)


def test_timeline_without_pauses_loses_nothing(t: Context) -> None:
    done = t.ours("stat", "-e", "page-faults", "-I", "50", "--json-lines", "--output-csv", t.path("x.csv"), "--", "sh",
                  "-c", f"for i in 1 2 3 4 5 6; do {t.program('counted')} faults 500; sleep 0.04; done")
    documents = [json.loads(line) for line in done.out.splitlines()]
    total = sum(counts_of(one)["page-faults"] for one in documents)
    whole = counts_of(stat(t, "-e", "page-faults", "--", "sh", "-c",
                           f"for i in 1 2 3 4 5 6; do {t.program('counted')} faults 500; sleep 0.04; done"))["page-faults"]
    harness.note(f"sum of {len(documents)} rows {total}, one count {whole}")
    check(len(documents) >= 4 and abs(total - whole) < 60, "the rows add up to the whole", done)


def test_interval_rows(t: Context) -> None:
    done = t.ours("stat", "-e", "task-clock,page-faults,task-clock:u", "-I", "50", "--", "sh", "-c", "sleep 0.4; exit 4")
    check(done.status == 4 and done.err == "", "the command's status", done)
    head, line, *rows = done.out.splitlines()
    check(head.split() == ["seconds", "counter", "value", "event", "name", "unit"] and set(line) <= {"=", " "}, "a heading", done)
    rows = [row.split() for row in rows if row[0] == " "]
    check([row[2] for row in rows[:3]] == ["task-clock", "page-faults", "task-clock:u"], "a row for each event", done)
    check(len(rows) % 3 == 0 and 0.05 <= float(rows[0][0]) < 0.4, "of each interval", done)
    check(4 <= len(rows) // 3 <= float(rows[-1][0]) / 0.05 + 1, "an interval each 50 ms and what is left", done)
    end = done.out[done.out.rindex(" task-clock:u  ns"):].splitlines()[1:]
    notes = [line for line in end if line.startswith("note: ")]
    check(done.out.count("quality: ") == 1 and end[-1].startswith("quality: "), "the quality once", done)
    check(done.out.count("note:") == len(set(notes)) == len(end) - 1, "each note once, after the rows", done)
    check(os.listdir(t.folder) == [], "no file is written unless it is asked for")
    done = t.good("stat", "-e", "page-faults", "-I", "100", "--", t.program("counted"), "sleep", "250")
    done = t.good("stat", "-e", "cpu-clock", "-c", "0", "-I", "100", "sleep", "0.25")
    rows = [line.split() for line in done.out.splitlines() if line.startswith("   ")][2:]
    check(1 < len(rows) <= 3 and 0.25 <= float(rows[-1][0]) < done.seconds, "sleep N ends it", done)
    done = t.good("stat", "-e", "page-faults", "-I", "20", "-n", "2", "-o", t.path("x.csv"))
    check(len(open(t.path("x.csv"), encoding="ascii").readlines()) == 10, "a CSV file where it is asked for", done)


def test_notes_of_one_reason_are_one(t: Context) -> None:
    if os.path.exists("/sys/bus/event_source/devices/cpu"):
        raise harness.Skip("a machine without a core PMU")
    done = t.good("stat", "-d", "-I", "20", "-n", "3")
    check(done.out.count("note: ") == 2, "each note once", done)
    check("note: L1-dcache-loads, L1-dcache-load-misses, LLC-loads, LLC-load-misses are not counted: " in done.out, "joined", done)


def fields_of(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.splitlines()]


def test_separated_fields_are_those_of_perf(t: Context) -> None:
    events = "task-clock,page-faults,instructions,cpu-migrations"
    for more in ((), ("-r", "3"), ("-a", "-A"), ("-I", "40")):
        command = ("sleep", "0.1") if "-a" in more else ("--", t.program("counted"), "spin", "100")
        done = t.ours("stat", "-x,", *more, "-e", events, *command)
        perf = t.run(harness.need_tool("perf"), "stat", "-x,", *more, "-e", events, *command)
        ours, theirs = fields_of(done.err), fields_of(perf.err)
        check(done.status == 0 and done.out == "", f"rows on standard error {more}", done)
        check(len(ours[0]) == len(theirs[0]), f"as many fields as perf's {more}: {ours[0]} {theirs[0]}")
        at = theirs[0].index("task-clock")
        check([row[at] for row in ours][:4] == events.split(","), f"the events {ours}")
        check(ours[0][at - 1] == theirs[0][at - 1] == "msec", "the unit")
        value, other = float(ours[0][at - 2]), float(theirs[0][at - 2])
        # -a has all that runs on a CPU, -I only the first interval.
        least = 0 if "-a" in more or "-I" in more else 100 * CLOCK_ERROR
        check(value > least < other, f"milliseconds: {value}, perf {other}")
        check(float(ours[0][len(ours[0]) - 3]) == 100, f"the share of the time: {ours[0]}")
        check(int(ours[0][len(ours[0]) - 4]) > 1000, f"the run time: {ours[0]}")
    done = t.good("stat", "-x", ";", "-o", t.path("rows"), "-e", "page-faults", "--", "true")
    check(re.fullmatch(r"\d+;;page-faults;\d+;100\.00;;\n", open(t.path("rows"), encoding="ascii").read()), "a file", done)


def test_detailed_adds_perfs_events(t: Context) -> None:
    for level in ("-d", "-dd", "-ddd"):
        perf = t.run(harness.need_tool("perf"), "stat", "-x,", level, "true")
        done = t.ours("stat", "-x,", level, "--", "true")
        names = {row[2] for row in fields_of(perf.err)} - {"cycles", "instructions", "branches", "branch-misses"}
        check(names <= {row[2] for row in fields_of(done.err)}, f"{level}: {names}", done)


def test_perfs_words_that_are_not_there(t: Context) -> None:
    for argv, words in {("--per-core",): ["--per-core", "-c"], ("-j",): ["--json"], ("-M", "x"): ["-m METRICS"],
                        ("--append",): ["-o -"], ("--per-thread",): ["-p PID"], ("-x,", "--json"): ["cannot be used together"],
                        ("-A",): ["-I"]}.items():
        done = t.ours("stat", *argv, "--", "true")
        check(done.status == 2, "wrong usage", done)
        harness.check_sentence(done, *words)


def test_plain_numbers(t: Context) -> None:
    done = t.good("stat", "--no-big-num", "-e", "task-clock", "--", "true")
    check(re.search(r"^ {8} *\d{5,}  task-clock", done.out, re.M), "no separators", done)


def test_timeline_page(t: Context) -> None:
    path = t.path("page.html")
    t.good("stat", "-q", "-e", "task-clock,page-faults", "-I", "20", "--plot", path, "--output-csv", t.path("x.csv"), "--",
           t.program("counted"), "spin", "200")
    page = open(path, encoding="utf-8").read()
    check(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n") and len(page) < 100000, f"a whole page of {len(page)} bytes")


# --- sessions ---


def test_session_is_shown_again(t: Context) -> None:
    path = t.path("counts.data")
    first = t.good("stat", "-e", "page-faults,context-switches", "--session", path, "--", t.program("counted"), "faults",
                   "100")
    again = t.good("report", path)
    check(rows_of_table(first) == rows_of_table(again) != {}, "the same rows", again)
    document = harness.document_of(t.ours("report", "--json", path))
    check(counts_of(document)["page-faults"] >= 100, "as JSON too")
    dump = t.good("dump", path).out
    check("STAT" in dump, "and as records")
    check(re.search(r"subject:? .*counted faults 100'$", dump, re.M), "whose counts they are", dump)
    check("for 'faults" not in again.out and "counted faults 100'" in again.out, "in the heading too", again)


def test_session_of_a_plain_user_says_where_counts_come_from(t: Context) -> None:
    path = t.path("counts.data")
    os.chmod(t.folder, 0o777)
    with sysctl(PARANOID, 2):
        done = as_plain_user(t, t.wperf, "stat", "-e", "page-faults,cpu-migrations", "--session", path, "--",
                             t.program("counted"), "faults", "3000")
    check(done.status == 0, "it counts", done)
    again = t.good("report", "--force", path)
    check("page-faults comes from wait4" in again.out, "where from", again)
    check("cpu-migrations is not counted: " in again.out and "<not supported>" in again.out, "and what is missing", again)
    check(done.out.splitlines()[-1] == again.out.splitlines()[-1], "the same quality", again)


def test_session_of_a_timeline_leaves_pauses_out(t: Context) -> None:
    path = t.path("counts.data")
    t.good("stat", "-q", "-e", "task-clock", "-t", "-i", "0.3", "-n", "3", "--timeout", "0.1", "--output-csv", t.path("x.csv"),
           "--session", path, "--", t.program("counted"), "sleep", "5000")
    document = json.loads(t.good("report", "--json", path).out)
    times = [one["Time_elapsed"] for one in document["timeline"]]
    check(len(times) == 3 and all(seconds > 0.09 for seconds in times), f"each count's own time: {times}")
    elapsed = re.search(r"elapsed_ns:? +(\d+)", t.good("dump", path).out)
    check(elapsed and sum(times) + 2 * 0.3 <= int(elapsed[1]) / 1e9, f"three counts and two pauses: {elapsed} ns, {times}")


def test_perf_prints_our_session(t: Context) -> None:
    path = t.path("counts.data")
    t.good("stat", "-e", "page-faults,context-switches", "--session", path, "--", t.program("counted"), "faults", "100")
    done = t.run(harness.need_tool("perf"), "stat", "report", "-i", path)
    ours = counts_of(harness.document_of(t.ours("report", "--json", path)))
    check(done.status == 0, "perf stat report", done)
    for name, value in ours.items():
        check(any(f"{value:,}" in line and name in line for line in done.err.splitlines()), f"{name} {value}", done)


def test_perfs_session_is_shown(t: Context) -> None:
    path = t.path("perf.data")
    done = t.run(harness.need_tool("perf"), "stat", "record", "-o", path, "-e", "page-faults", "--",
                 t.program("counted"), "faults", "777")
    value = next(line.split()[0].replace(",", "") for line in done.err.splitlines() if "page-faults" in line)
    document = harness.document_of(t.ours("report", "--json", path))
    check(counts_of(document)["page-faults"] == int(value), f"perf says {value}: {document}")


def test_session_of_a_killed_run(t: Context) -> None:
    path = t.path("counts.data")
    process = t.start(t.wperf, "stat", "-q", "-e", "page-faults", "-I", "20", "--output-csv", t.path("x.csv"), "--session",
                      path, "--", t.program("counted"), "sleep", "30000")
    harness.wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 1000, "some rounds")
    process.kill()
    process.wait()
    done = t.good("report", path)
    check("did not finish the file" in done.out and "page-faults" in done.out, "the rounds that it had", done)
    check(t.ours("report", "-q", "--strict", path).status == 3, "and that is poor quality")


def test_a_command_that_cannot_run_leaves_the_session(t: Context) -> None:
    path = t.path("counts.data")
    t.good("stat", "-e", "page-faults", "--session", path, "--", "true")
    before = open(path, "rb").read()
    check(t.ours("stat", "--session", path, "--", "/nowhere").status == 127, "not found")
    check(open(path, "rb").read() == before and not os.path.exists(path + ".old"), "the session is as it was")


def test_files_that_cannot_be_written_are_told_first(t: Context) -> None:
    kept = t.path("kept.json")
    with open(kept, "w", encoding="utf-8") as file:
        file.write("old")
    touch = ("--", "touch", t.path("ran"))
    for arguments in (("--json", "-o", "/nowhere/x.json"), ("-I", "10", "--plot", "/nowhere/x.html"),
                      ("-I", "10", "--output-csv", "/nowhere/x.csv"), ("--json", "-o", t.folder)):
        done = t.ours("stat", "-e", "page-faults", *arguments, *touch)
        check(done.status == 125 and not os.path.exists(t.path("ran")), "nothing was started", done)
        harness.check_sentence(done, arguments[-1])
    done = t.ours("record", "--json", "-o", "/nowhere/x.json", "--session", t.path("s.data"), *touch)
    check(done.status == 125 and not os.path.exists(t.path("ran")), "record neither", done)
    check(t.ours("stat", "--json", "-o", kept, "--", "/nowhere").status == 127, "not found")
    check(open(kept, encoding="utf-8").read() == "old", "what was there stays")


# --- plain users ---


def test_plain_user_gets_switches_and_faults_from_elsewhere(t: Context) -> None:
    harness.need_events()
    with sysctl(PARANOID, 2):
        done = as_plain_user(t, t.wperf, "stat", "-e", "task-clock,context-switches,page-faults,cpu-migrations", "--",
                             t.program("counted"), "faults", "3000")
    rows = rows_of_table(done)
    check(done.status == 0 and done.err == "", "it counts", done)
    check(int(rows["page-faults"].replace(",", "")) >= 3000, "faults", done)
    check("note: context-switches, page-faults come from wait4" in done.out, "says so", done)
    check(rows["cpu-migrations"] == "<not-supported>" and "cpu-migrations is not counted: " in done.out, "migrations", done)
    done = as_plain_user(t, t.wperf, "stat", "--timeout", "1")
    check(done.status == 1, "all CPUs are refused", done)
    harness.check_sentence(done, "perf_event_paranoid is 2", "root")


def test_a_setting_without_effect_is_told(t: Context) -> None:
    for config, words in {"count.period=50": "count.period has no effect on Linux", "count.period=5": "can't set 'count.period=5'",
                          "x=1": "can't set 'x=1'"}.items():
        done = t.ours("stat", "-q", "--config", config, "-e", "task-clock", "--", "true")
        check(done.status == 0 and done.err.startswith("wperf: warning: " + words) and done.err.count("\n") == 1, config, done)


# --- dry runs ---


def test_dry_run_prints_every_attribute(t: Context) -> None:
    done = t.good("stat", "-m", "imix", "-e", "l1i_cache:u", "-c", "7", "--timeout", "10.5", "--cpu-model", "neoverse-n1",
                  "--dry-run")
    blocks = done.out.strip().split("\n\n")
    check([block.splitlines()[0] for block in blocks] ==
          ["event " + name for name in ("cycle", "l1i_cache:u", "inst_spec", "dp_spec", "vfp_spec", "ase_spec", "ld_spec",
                                        "st_spec")], "the events", done)
    check(all("group with inst_spec" in block for block in blocks[3:]), "the group", done)
    check(all(re.search(r"^config 0x", block, re.M) and "exclude_kernel 1" in block for block in blocks), "fields", done)
    done = t.good("stat", "-e", "task-clock", "--dry-run", "--", "./program")
    check("enable_on_exec 1" in done.out and "inherit 1" in done.out, "the command's events", done)


# --- usage ---


def test_contradictions_are_told(t: Context) -> None:
    for argv, words in {
            ("-r", "3"): ["-r", "command"],
            ("-t", "-r", "3", "--", "true"): ["timeline"],
            ("--plot", "x.html", "--", "true"): ["-t"],
            ("--session", "-", "--", "true"): ["name a file"],
            ("-i", "2", "--", "true"): ["-t"],
            ("-n", "2", "--", "true"): ["-t"],
            ("-I", "20", "-i", "2", "--", "true"): ["-t"],
            ("--cpu-model", "neoverse-v2", "--", "true"): ["--dry-run"],
    }.items():
        done = t.ours("stat", *argv)
        check(done.status == 2, "wrong usage", done)
        harness.check_sentence(done, *words)


if __name__ == "__main__":
    harness.main(__name__)
