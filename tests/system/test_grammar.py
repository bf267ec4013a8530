#!/usr/bin/python3
"""The words of the command line, a line for each: what it is typed as, and where it is tested.

`golden` names cases of tests/golden, `tests` functions of this folder, and `live` command lines that need running programs, with what
must stand in their output: {pid} is a Python program with the threads MainThread, hasher and waiter; in the folder are app.py, the
session wall.data of record --wall, and a-1.data, a-2.data, b-1.data and b-2.data of app.py.
"""
import pathlib
import re
import shlex
import subprocess
import time
from dataclasses import dataclass

import harness
from harness import Context, check, limit, need_root

FOLDER = pathlib.Path(__file__).resolve().parent
GOLDEN = FOLDER.parent / "golden"

SERVER = """
import threading, time
open("/proc/self/comm", "w").write("grammar-server")
def work():
    while True:
        sum(i * i for i in range(1000))
        time.sleep(0.003)
threading.Thread(target=work, name="hasher", daemon=True).start()
threading.Thread(target=threading.Event().wait, name="waiter", daemon=True).start()
print("ready", flush=True)
while True:
    time.sleep(0.1)
"""
APP = """
import sys, threading, time
lock = threading.Lock()
def norm(n):
    return sum(i * i for i in range(n))
def turn():
    for _ in range(5):
        with lock:
            time.sleep(0.01)
threads = [threading.Thread(target=turn) for _ in range(2)]
[thread.start() for thread in threads]
norm(int(sys.argv[1]) * 1000)
[thread.join() for thread in threads]
"""


@dataclass
class Run:
    """Words after wperf, what must and what must not be in the output, and the exit status."""

    line: str
    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    status: int = 0


@dataclass
class Line:
    """Spellings that belong together."""

    spelling: str
    live: tuple[Run, ...] = ()
    golden: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


NO_SUCH = 2**22 + 1  # above the largest PID there is

MEASURED = (
    Line("record PID, sample PID, top PID, stack PID; stat takes none",
         (Run("record {pid} -d 0.3", ("event: ", "quality: ")),
          Run("record {pid} {own} sleep 0.3", ("quality: ",)),
          Run("sample {pid} sleep 0.3", ("quality: ",)),
          Run("top {pid} --duration 0.4 -d 0.2", ("({pid})",)),
          Run("stack {pid}", ("({pid})", "MainThread")),
          Run(f"record {NO_SUCH}", (f"no process {NO_SUCH}; to run a program of that name write -- {NO_SUCH}",), status=1),
          Run(f"sample {NO_SUCH}", (f"no process {NO_SUCH}; ",), status=1),
          Run(f"top {NO_SUCH}", (f"no process {NO_SUCH}; ",), status=1),
          Run(f"stack {NO_SUCH}", (f"no process {NO_SUCH}",), status=1),
          Run(f"record -- {NO_SUCH}", (f"can't run '{NO_SUCH}'",), status=127),
          Run("stat {pid}", ("can't run '{pid}'",), status=127),
          Run("record 2", ("process 2 is a kernel thread: for 2 seconds write -d 2",), status=2)),
         ("grammar", "usage_sample_runs_nothing"), ("test_attach.test_words_that_are_no_process",)),
    Line("-p PIDS by commas, blanks or line ends; --subprocesses",
         (Run("record -p '{pid}\n{own}' -d 0.3", ("quality: ", "already; --subprocesses measures")),
          Run("record -p '{pid} {own}' -d 0.3 --subprocesses", ("quality: ",), ("--subprocesses",))),
         ("foreign_lines",), ("test_attach.test_children_that_run_already",)),
    Line("a process together with COMMAND",
         (Run("record -F 99 -p {pid} -- sleep 0.3", ("99 Hz", "quality: ")),
          Run("stat -e task-clock -p {pid} -- sleep 0.2", ("task-clock", "seconds time elapsed")),
          Run("stat -e task-clock -p {pid} -- sh -c 'echo said'", ("said",))),
         (), ("test_attach.test_a_command_sets_how_long", "test_stat.test_attached_process")),
    Line("app.py where COMMAND stands, also after --",
         (Run("record app.py 5", ("run as python3 app.py",)),
          Run("record -- app.py 5", ("run as python3 app.py",)),
          Run("stat -e task-clock app.py 5", ("'python3 app.py 5'",)),
          Run("top --duration 5 -d 1 -- app.py 5", ("run as python3 app.py",)),
          Run("record ./script.py", ("a script of its own",), ("run as",)),
          Run("record --repeat 1 -o r-%n.data --vs 'v-%n.data=app.py 5' -- app.py 5", ("r-1.data", "v-1.data")),
          Run("check --run --max-runs 2 --vs 'app.py 5' -- app.py 5", ("CPU time",), status=-1)),
         (), ("test_python_stacks.test_a_python_file_is_a_command",)),
    Line("--comm NAMES, --image_name",
         (Run("record --comm {comm} -d 0.3", ("quality: ",)),
          Run("sample --comm {comm} -d 0.3", ("quality: ",)),
          Run("stack --comm {comm}", ("({pid})",)),
          Run("top --comm {comm} --duration 0.3", ("samples",)),
          Run("record --comm no-such-comm -d 1", ("no running process is called 'no-such-comm'",), status=1)),
         (), ("test_habits.test_an_image_that_does_not_run_with_a_cpu", "test_stack.test_which_processes")),
    Line("-a; in stack all that one may read", (Run("record -a -d 0.3", ("quality: ",)),), ("grammar",),
         ("test_attach_all.test_the_whole_machine", "test_stack.test_which_processes")),
    Line("--cgroup, -G",
         (Run("record --cgroup / -d 0.3", ("only processes of the control group",)),
          Run("top -G no-such-group", ("can't open the control group",), status=1)),
         (), ("test_attach.test_a_control_group", "test_wall.test_a_control_group")),
    Line("top without a target, and with COMMAND", (Run("top --duration 0.4 -d 0.2", ("all processes",)),), ("help_top",),
         ("test_top.test_tables_of_a_command", "test_top.test_a_command_is_ended_only_when_asked")),
    Line("stack nginx", (), ("grammar", "stack_errors")),
)

HOW = (
    Line("-d, --duration, --timeout; -d in stat, report, annotate",
         (Run("record -d 0.2 {pid}", ("quality: ",)),
          Run("sample --duration 0.2 {pid}", ("quality: ",)),
          Run("stat --duration 0.2 -e task-clock -p {pid}", ("task-clock",)),
          Run("report -d no-such-module -i wall.data", ("no sample matches -d no-such-module",), status=1),
          Run("annotate -d no-such-module -i wall.data", ("no sample matches -d no-such-module",), status=1)),
         ("grammar", "record_habits"), ("test_stat.test_detailed_adds_perfs_events",)),
    Line("--delay, --interval, -d in top; -D in record",
         (Run("top -d 0.2 --duration 0.5 --json {pid}", ('{"top":{',)),
          Run("top --delay 200ms --duration 0.5 {pid}", ("samples",)),
          Run("top --interval 200ms --duration 0.5 {pid}", ("samples",))),
         ("foreign_lines", "usage_delay_range"), ("test_refusals.test_a_delay_longer_than_the_run", "test_control.test_a_delay")),
    Line("-r, --rate",
         (Run("record -r 50 -d 0.2 {pid}", ("at 50 Hz",)),
          Run("sample --rate 50 -d 0.2 {pid}", ("at 50 Hz",)),
          Run("top -r 50 --duration 0.4 {pid}", ("50 Hz",)),
          Run("stat -r 2 -e task-clock -- true", ("counting ... done\ncounting ... done",))),
         ("grammar", "foreign_lines", "record_rate")),
    Line("the rate without -F",
         (Run("record -d 0.2 {pid}", ("at 99 Hz", "-F 999 takes more")),
          Run("record -- true", ("at 999 Hz",), ("-F 999 takes more",)),
          Run("top --duration 0.3 {pid}", ("99 Hz",))),
         ("record_rate",)),
    Line("-g is on; --no-stacks, --no-callers, --no-call-graph",
         (Run("record --no-stacks -- app.py 5", ("no Python functions: there are no call stacks: leave --no-stacks out",)),
          Run("record --no-callers --dry-run -- true", (), ("CALLCHAIN",)),
          Run("record --no-call-graph --dry-run -- true", (), ("CALLCHAIN",)),
          Run("record --dry-run -- true", ("CALLCHAIN",))),
         ("grammar", "record_stacks"), ("test_python_stacks.test_python_stacks_are_the_default",)),
    Line("--engine, --nonblocking",
         (Run("record --engine stop -- app.py 5", ("engine stop: Python programs are traced",)),
          Run("record --engine peek -- app.py 5", ("peek: Python frames read while the program runs",)),
          Run("record --engine ring -- app.py 5", ("no Python functions: --engine ring reads none",)),
          Run("record --engine pace -- app.py 5", ("engine pace: ",)),
          Run("record --nonblocking -- app.py 5", (), ("engine stop",))),
         ("grammar", "foreign_lines"), ("test_bpf.test_the_first_choice", "test_peek.test_nonblocking", "test_pace.test_by_choice")),
    Line("--wall, --mode wall, -e wall; --off-cpu, --switch-events, --latency of record",
         tuple(Run(f"record {words} -- app.py 5", ("waiting threads, read at random moments", "function, in seconds, without idle"))
               for words in ("--wall", "--mode wall", "-e wall", "-ewall", "--off-cpu", "--switch-events", "--latency"))
         + (Run("record -e wall,page-faults -- app.py 5", ("event: page-faults", "waiting threads, read")),
            Run("record --mode cpu -- app.py 5", ("quality: ",), ("waiting threads",))),
         ("grammar", "record_habits"), ("test_wall.test_words_for_wall_time",)),
    Line("--gil, --mode gil", (), ("grammar",), ("test_bpf.test_who_has_the_gil", "test_bpf.test_only_time_with_the_gil")),
    Line("--idle",
         (Run("record --idle -- app.py 5", ("function, in seconds\n",)),
          Run("report --idle -i wall.data", ("function, in seconds\n",)),
          Run("report -i wall.data", ("function, in seconds, without idle\n",))),
         ("grammar",), ("test_stack.test_a_pool_without_work_is_idle",)),
    Line("words of other profilers that are taken, or refused by a sentence",
         (Run("record --all-user --subprocesses --native --threads --function --full-filenames --nolineno --save-only -d 0.2 {pid}",
              ("quality: ",)),
          Run("stack --native --threads --function --full-filenames --idle {pid}", ("hasher",)),
          Run("top --native --function --full-filenames --nolineno --subprocesses --duration 0.3 {pid}", ("samples",))),
         ("grammar", "foreign_lines", "record_habits"), ("test_refusals.test_the_highest_rate",)),
    Line("glued values",
         (Run("report -sopen -i wall.data", ("quality: ",)), Run("report -sidle -i wall.data", ("quality: ",))),
         ("grammar", "record_habits")),
)

SHOWN = (
    Line("-o NAME by its ending", (), ("grammar", "export_format_near", "picture_refusals"),
         ("test_exports.test_record_and_report_write_the_formats_by_the_name_of_the_file", "test_compare.test_a_picture_shows_the_difference")),
    Line("--format, -f in record; raw, flamegraph, chrometrace",
         (Run("record -f chrometrace -- app.py 5", ("wrote wperf.trace.json",)),),
         ("grammar", "foreign_lines"), ("test_exports.test_format_goes_before_the_ending",)),
    Line("--html FILE, --open",
         (Run("report --html page.html -i a-1.data", ("wrote page.html",)),
          Run("stat --html counts.html -t -i 100ms -n 2 -e task-clock -- sleep 0.2", ("counting ... done",))),
         ("grammar",), ("test_web_page.test_options_need_a_page",)),
    Line("the last lines", (), (), ("test_terminal.test_python_comes_first",)),
    Line("sample and record in a pipe, with --json, -c, --pe_file, --sample-display-row", (), ("windowsperf_record_command",),
         ("test_terminal.test_windowsperf_tables_where_they_are_asked_for",)),
    Line("--tid TIDS, --thread NAME|TID",
         (Run("stack --thread hasher {pid}", ("hasher",), ("MainThread",)),
          Run("stack --tid {pid} {pid}", ("MainThread",), ("hasher  ",)),
          Run("stack --tids {pid},{own} {pid}", ("MainThread",), ("hasher  ",)),
          Run("stack --thread no-such-name {pid}", ("no thread has the name or number 'no-such-name'",), status=1),
          Run("report --tid 1,2 -i wall.data", ("no sample matches --tid 1,2",), status=1)),
         ("grammar",), ("test_stack.test_one_thread", "test_python.test_samples_of_threads")),
    Line("--python merged, only, native, all; --no-lines",
         (Run("stack --python only {pid}", ("work",), ("clock_nanosleep",)),
          Run("stack --python native --thread waiter {pid}", (), ("Event.wait  ",)),
          Run("stack --no-lines {pid}", ("server.py\n",), ("server.py:",)),
          Run("report --python native -g -i a-1.data", ("_PyEval_EvalFrameDefault",)),
          Run("report --python only -g -i a-1.data", ("app.py",))),
         ("grammar",), ("test_stack.test_options_of_frames", "test_python.test_a_tree_has_the_frames_that_are_asked_for")),
    Line("--state",
         (Run("report --state lock,sleep -i wall.data --csv", ("wall-time,",)),
          Run("report --state waiting -i wall.data --csv", ("wall-time,",)),
          Run("report --state network -i wall.data", ("no time in --state network; threads that were off a CPU were: ",), status=1),
          Run("annotate --state network -i wall.data", ("no time in --state network",), status=1)),
         ("grammar",), ("test_wall.test_views_by_wall_time", "test_wall_causes.test_a_lock")),
    Line("--latency, --sort latency", (Run("report --latency -i wall.data", ("sample source: latency",)),), ("grammar",),
         ("test_wall.test_latency",)),
    Line("-c, --cpu, -C in report, annotate, export",
         (Run("report -C 4094 -i a-1.data", ("no sample matches --cpu 4094; the session's CPUs are",), status=1),
          Run("annotate --cpu 4094 -i a-1.data", ("no sample matches --cpu 4094",), status=1),
          Run("export -c 4094 -o x.folded -i a-1.data", ("no sample matches --cpu 4094",), status=1)),
         ("grammar", "report_cpus")),
    Line("-h, help --all", (), ("grammar", "help_all", "help_record")),
    Line("--wakers, --lines, --max-runs, --max-time, --sort package, line, state",
         (Run("report --sort package --csv -i a-1.data", ("my code",)),
          Run("report --sort line --csv -i a-1.data", (".c:",)),
          Run("report --sort state --csv -i wall.data", ("sleep",)),
          Run("report --python only --lines -g -i a-1.data", ("app.py:",))),
         ("grammar",), ("test_sched.test_wakers", "test_python.test_packages", "test_python.test_a_tree_has_lines_of_python",
                        "test_compare.test_a_command_runs_until_the_verdict_stands")),
    Line("the keys of top", (), (), ("test_top.test_keys",)),
    Line("stack --repeat N --interval", (Run("stack --repeat 2 --interval 0.1 {pid}", ("2 readings",)),), ("grammar",),
         ("test_stack.test_repeated_readings",)),
    Line("dump -p PID, dump PID, attach, run", (), ("grammar", "foreign_lines")),
    Line("doctor, test", (), ("seed_test",), ("test_doctor.test_fifteen_lines",)),
    Line("record -m WORD", (), ("grammar",)),
    Line("annotate without a name", (), (), ("test_browser.test_annotate_without_a_name_shows_the_first_row",)),
    Line("debuginfod", (Run("report --no-debuginfod -i a-1.data", ("quality: ",)),), (),
         ("test_debuginfod.test_no_server_is_named", "test_debuginfod.test_a_server_is_asked_where_one_is_named")),
)

COMPARED = (
    Line("check --run -- COMMAND; a command that fails",
         (Run("check --run --vs false -- true", ("'false' ended with status 1 in run 1",), status=125),), ("grammar",),
         ("test_compare.test_a_command_runs_against_a_baseline", "test_compare.test_a_command_that_fails_is_never_slower")),
    Line("--measure time, share, count",
         (Run("diff --measure share a-1.data a-2.data -- b-1.data b-2.data", ("cpu-clock, shares",)),
          Run("check --measure share --limit total=9000% a-1.data a-2.data -- b-1.data b-2.data", ("CPU time",), status=-1)),
         ("grammar",), ("test_compare.test_events_are_counted_exactly",)),
    Line("--max-change, --limit",
         (Run("check --limit total=123456% a-1.data a-2.data -- b-1.data b-2.data", ("+123456 %",), status=-1),), ("grammar",),
         ("test_compare.test_groups_are_the_same_in_report_diff_and_check",)),
    Line("--vs COMMAND", (), ("foreign_lines",), ("test_compare.test_runs_take_turns",)),
    Line("--markdown, --junit, --html, --annotations", (), ("grammar",), ("test_compare.test_forms_that_ci_services_read",)),
    Line("0 within, 1 slower, 125 unclear; --unclear pass, fail", (), ("grammar",),
         ("test_compare.test_what_cannot_be_told_has_the_status_that_bisect_skips",)),
    Line("--by; python where both sides have Python frames",
         (Run("diff --csv --by stack a-1.data -- b-1.data", ("event,",)),
          Run("diff --csv a-1.data -- b-1.data", (",_PyEval_EvalFrameDefault,python3",))),
         ("grammar",), ("test_compare.test_python_functions_come_first",)),
    Line("diff --pair",
         (Run("diff --by python --pair app.py=main.py a-1.data -- b-1.data", ("no file of B ends in 'main.py'",), status=1),), ("grammar",),
         ("test_compare.test_python_functions_come_first",)),
)

TABLES = (MEASURED, HOW, SHOWN, COMPARED)


def test_every_line_is_tested(_t: Context) -> None:
    for line in (line for table in TABLES for line in table):
        check(bool(line.live or line.golden or line.tests), f"{line.spelling}: nothing tests it")
        for name in line.golden:
            check((GOLDEN / f"{name}.sh").exists(), f"{line.spelling}: no golden case {name}")
        for name in line.tests:
            module, function = name.split(".")
            check(f"def {function}(" in (FOLDER / f"{module}.py").read_text(encoding="utf-8"), f"{line.spelling}: no test {name}")


def start_server(t: Context) -> subprocess.Popen:
    pathlib.Path(t.path("server.py")).write_text(SERVER, encoding="ascii")
    server = t.start("python3", "server.py")
    check(server.stdout.readline() == b"ready\n", "the Python program runs")
    return server


def write_files(t: Context) -> None:
    pathlib.Path(t.path("app.py")).write_text(APP, encoding="ascii")
    script = pathlib.Path(t.path("script.py"))
    script.write_text("#!/bin/sh\necho a script of its own\n", encoding="ascii")
    script.chmod(0o755)


def record_sessions(t: Context) -> None:
    t.good("record", "--wall", "--session", "wall.data", "--", "app.py", "100", cwd=t.folder)
    for name in "a-1", "a-2", "b-1", "b-2":
        t.good("record", "--session", f"{name}.data", "--", "app.py", "300", cwd=t.folder)


def run_lines(t: Context, table: tuple[Line, ...]) -> None:
    harness.need_events()
    need_root()  # of all processes and control groups
    write_files(t)
    record_sessions(t)
    server = start_server(t)
    family = t.start("sh", "-c", "sleep 1000 & wait")
    comm = pathlib.Path(f"/proc/{server.pid}/comm").read_text(encoding="utf-8").strip()
    values = {"{pid}": str(server.pid), "{own}": str(family.pid), "{comm}": comm}
    for run in (run for line in table for run in line.live):
        filled = run_filled(run, values)
        begin = time.monotonic()
        done = t.ours(*shlex.split(filled.line), cwd=t.folder)
        harness.note(f"{time.monotonic() - begin:.1f} s: wperf {filled.line!r}")
        shown = done.out + done.err
        check(run.status in (-1, done.status), f"wperf {filled.line}: the status is not {run.status}", done)
        for word in filled.words:
            check(word in shown, f"wperf {filled.line}: no {word!r}", done)
        for word in filled.without:
            check(word not in shown, f"wperf {filled.line}: {word!r}", done)


def run_filled(run: Run, values: dict[str, str]) -> Run:
    def fill(text: str) -> str:
        return re.sub(r"\{(pid|own|comm)\}", lambda match: values[match[0]], text)

    return Run(fill(run.line), tuple(map(fill, run.words)), tuple(map(fill, run.without)), run.status)


@limit(400)
def test_what_is_measured(t: Context) -> None:
    run_lines(t, MEASURED)


@limit(400)
def test_how(t: Context) -> None:
    run_lines(t, HOW)


@limit(400)
def test_where_to_and_how_it_looks(t: Context) -> None:
    run_lines(t, SHOWN)


@limit(400)
def test_comparing(t: Context) -> None:
    run_lines(t, COMPARED)


if __name__ == "__main__":
    harness.main(__name__)
