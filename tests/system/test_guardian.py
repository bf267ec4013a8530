#!/usr/bin/python3
"""The guardian traces Python programs for the recorder: it outlives the recorder, harms no program and ends as the command does."""
import os
import pathlib
import random
import re
import select
import shutil
import signal
import subprocess
import time

import guardian
import harness
from guardian import SIGNALS, WAITING, tracing
from harness import Context, check
from test_stop_harmless import BURN, PYTHON, need_engine, outcome, recorded, script

# Its last line names all that it saw: the signals before and after, and how its threads and children ended.
TARGET = BURN + SIGNALS + WAITING + """
import signal, subprocess, sys, threading
folder = sys.argv[1]
tell(folder + "/pid", str(os.getpid()))
kept = "SigBlk", "SigIgn", "SigCgt"
before = signals(*kept)
done = []
def work():
    burn(0.02)
    done.append(1)
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
child = os.fork()
if not child:
    burn(0.01)
    os._exit(3)
TELLS = "print([line[-10:-1] for line in open('/proc/self/status') if line[:6] in ('SigBlk', 'SigIgn')], end=''); raise SystemExit(5)"
def run(*argv):
    done = subprocess.run(argv, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr
runs = [run(sys.executable, "-S", "-c", TELLS), run("/bin/sh", "-c", "exit 4"), run(sys.executable, "-S", "-c", TELLS)]
[thread.join() for thread in threads]
saw = [len(done), os.waitpid(child, 0)[1], runs]
after = signals(*kept)
tell(folder + "/end", repr([saw, before == after, after, signals("SigPnd", "ShdPnd")]))
if sys.argv[2] == "signal":
    os.kill(os.getpid(), signal.SIGTERM)
sys.exit(7)
"""

ENDS = {"exit": ["exit 7"], "signal": ["SIGTERM"]}


def start_target(t: Context, folder: str, how: str, prefix: list[str]) -> subprocess.Popen:
    os.mkdir(folder)
    return t.start(*prefix, PYTHON, t.path("target.py"), folder, how, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def bare_line(t: Context, how: str) -> str:
    folder = t.path("bare-" + how)
    process = start_target(t, folder, how, [])
    process.wait(harness.WAIT_SECONDS)
    line = guardian.read(folder + "/end")
    check(process.returncode == {"exit": 7, "signal": -signal.SIGTERM}[how] and line is not None, "the target without a recorder")
    return line


def wait_for_start(folder: str, recorder: subprocess.Popen) -> None:
    harness.wait_until(lambda: os.path.exists(folder + "/pid") or recorder.poll() is not None, "the target starts")


def times_of_a_run(t: Context) -> tuple[float, float]:
    """Until the target starts, and from then to the recorder's end."""
    begin = time.monotonic()
    process = start_target(t, t.path("whole"), "exit", tracing(t, session="whole.data"))
    wait_for_start(t.path("whole"), process)
    started = time.monotonic()
    check(process.wait(harness.WAIT_SECONDS) == 7, "the exit status of a recorder that is not killed")
    return started - begin, time.monotonic() - started


def kill_one(t: Context, number: int, how: str, delay: float, begins: bool, bare: str) -> tuple[str, str]:
    """Kills the recorder some time after its start, or after that of the target. What its death hit, and what is wrong, or ""."""
    folder = t.path(f"kill{number}")
    recorder = start_target(t, folder, how, tracing(t, session=f"kill{number}/x.data"))
    if begins:
        wait_for_start(folder, recorder)
    time.sleep(delay)
    begun, ended = os.path.exists(folder + "/pid"), os.path.exists(folder + "/end")
    recorder.kill()
    was_killed = recorder.wait() == -signal.SIGKILL
    ends = guardian.reap_all()
    line, started = guardian.read(folder + "/end"), os.path.exists(folder + "/pid")
    right = [ENDS[how]] if started else [[], ["exit 125"]]
    if ended:
        right.append([])  # the recorder had waited for the guardian
    hit = "the recorder's end" if ended else "the running command" if begun else "the start"
    if was_killed and ends in right and line == (bare if started else None) or not was_killed and ends == [] and line == bare:
        shutil.rmtree(folder)
        return hit, ""
    after = "the target's start" if begins else "its start"
    return hit, f"killed {1000 * delay:.1f} ms after {after}, in {hit}: processes ended with {ends}; the target's last line is {line}"


def kill_several(t: Context, how: str, n: int) -> None:
    """A third of them until the target starts, which has the guardian's start, seize and exec.  SEED=N repeats the delays."""
    need_engine(t)
    script(t, "target.py", TARGET)
    bare, (before, after) = bare_line(t, how), times_of_a_run(t)
    seed = int(os.environ.get("SEED", str(random.randrange(10 ** 6))))
    choose, hits, wrong = random.Random(seed), {}, []
    with guardian.adopting():
        for number in range(n):
            begins = number % 3 > 0
            delay = choose.uniform(0, after) if begins else choose.uniform(0.001, before)
            hit, fault = kill_one(t, number, how, delay, begins, bare)
            hits[hit] = hits.get(hit, 0) + 1
            wrong += [fault] if fault else []
    harness.note(f"SEED={seed}, {before:.2f} s until the target starts and {after:.2f} s from then, killed in {hits}")
    check(not wrong, f"{len(wrong)} of {n} kills changed something\n" + "\n".join(wrong[:5]))


def trials(default: int) -> int:
    return int(os.environ.get("TRIALS", str(default)))


@harness.limit(14000)
def test_kills_of_the_recorder(t: Context) -> None:
    kill_several(t, "exit", trials(30))


@harness.limit(14000)
def test_kills_when_a_signal_ends_the_command(t: Context) -> None:
    kill_several(t, "signal", max(trials(0) // 4, 8))


HOLDS = BURN + WAITING + """
import sys
folder, how, descriptors = sys.argv[1], sys.argv[2], list(map(int, sys.argv[3:]))
burn(0.05)
for fd in descriptors:
    os.close(fd)
tell(folder + "/pid", str(os.getpid()))
wait_for(folder + "/go", lambda: burn(0.01) if how == "busy" else time.sleep(0.01))
burn(0.05)
tell(folder + "/end")
sys.exit(7)
"""


def start_held(t: Context, *descriptors: int, how: str = "idle", **options) -> tuple[subprocess.Popen, int]:
    """A recorder whose command has closed the descriptors and waits for the file `go`; the command's process number."""
    need_engine(t)
    path = script(t, "holds.py", HOLDS)
    recorder = t.start(*tracing(t, PYTHON, path, t.folder, how, *map(str, descriptors)), **options)
    return recorder, int(guardian.wait_for_file(t.path("pid"), "the command starts"))


def read_to_end(fd: int, what: str) -> None:
    """Until no process has the pipe open for writing."""
    while select.select([fd], [], [], harness.WAIT_SECONDS)[0]:
        if not os.read(fd, 4096):
            return
    check(False, f"{what}: some process still has it open")


def names_of_descriptors(pid: int) -> dict[int, str]:
    names = {}
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            names[int(fd)] = os.readlink(f"/proc/{pid}/fd/{fd}")
        except FileNotFoundError:
            pass
    return names


def test_descriptors_of_the_guardian(t: Context) -> None:
    """None of the recorder's standard streams and session, nor of what a shell hands on to the command."""
    ours, theirs = os.pipe()
    recorder, command = start_held(t, 0, 1, 2, theirs, stdin=subprocess.PIPE, pass_fds=(theirs,))
    names = names_of_descriptors(guardian.guardian_of(command, recorder.pid))
    handed = {os.readlink(f"/proc/self/fd/{fd}") for fd in (recorder.stdin.fileno(), recorder.stdout.fileno(), recorder.stderr.fileno(), ours)}
    wrong = {fd: name for fd, name in names.items() if name in handed or name.startswith(t.folder)}
    os.close(ours)
    os.close(theirs)
    guardian.touch(t.path("go"))
    check(recorder.wait(harness.WAIT_SECONDS) == 7, "the recorder ends as its command")
    check(not wrong, f"the guardian holds {wrong} of {names}")


def test_pipes_end_with_the_recorder(t: Context) -> None:
    """A reader of the recorder's output waits for nobody but the recorder and the command."""
    ours, theirs = os.pipe()
    with guardian.adopting():
        recorder, command = start_held(t, 0, 1, 2, theirs, stdin=subprocess.PIPE, pass_fds=(theirs,))
        os.close(theirs)
        guardian.kill_recorder(recorder)
        for fd, what in (recorder.stdout.fileno(), "stdout"), (recorder.stderr.fileno(), "stderr"), (ours, "a pipe of the shell"):
            read_to_end(fd, what)
        try:
            os.write(recorder.stdin.fileno(), b"x")
            check(False, "nobody can read the recorder's standard input")
        except BrokenPipeError:
            pass
        check(guardian.is_alive(command) and not os.path.exists(t.path("end")), "the command is still there")
        guardian.touch(t.path("go"))
        check(guardian.reap_all() == ["exit 7"], "the guardian ends as the command")
    os.close(ours)


def test_signals_to_the_guardian(t: Context) -> None:
    """It obeys its recorder alone: no signal but SIGKILL and SIGSTOP has an effect on it."""
    recorder, command = start_held(t)
    pid = guardian.guardian_of(command, recorder.pid)
    for number in sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}):
        os.kill(pid, number)
    os.kill(pid, signal.SIGCONT)
    guardian.touch(t.path("go"))
    done = harness.finish(recorder)
    check(done.status == 7 and os.path.exists(t.path("end")), "the command and the recorder end as they would", done)
    check(harness.quality_of(t.good("report"))["samples"] > 0, "the session has samples")


def test_the_guardian_is_no_job_of_others(t: Context) -> None:
    """Keys on a terminal and signals to the recorder's process group don't reach it; the command stays in that group."""
    recorder, command = start_held(t)
    pid = guardian.guardian_of(command, recorder.pid)
    groups = {name: os.getpgid(of) for name, of in (("recorder", recorder.pid), ("command", command), ("guardian", pid))}
    sessions = {name: os.getsid(of) for name, of in (("recorder", recorder.pid), ("command", command))}
    guardian.touch(t.path("go"))
    check(recorder.wait(harness.WAIT_SECONDS) == 7, "the recorder ends as its command")
    check(groups["command"] == groups["recorder"] and sessions["command"] == sessions["recorder"], f"{groups} {sessions}")
    check(groups["guardian"] != groups["recorder"], f"the guardian has a process group of its own: {groups}")


ORPHAN = BURN + WAITING + """
import sys
end = sys.argv[1]
if not os.fork():
    middle = os.getpid()
    if not os.fork():
        while os.getppid() == middle:
            burn(0.01)
        burn(0.02)
        tell(end, str(os.getppid()))
        os._exit(0)
    os._exit(0)
os.wait()
wait_for(end)
with open(end) as file:
    print("the orphan's parent:", file.read())
"""


def test_the_parent_of_an_orphan(t: Context) -> None:
    """Daemons look whether it is init: neither the recorder nor the guardian adopts them."""
    need_engine(t)
    path = script(t, "orphan.py", ORPHAN)
    bare, ours = outcome(t, PYTHON, path, t.path("bare")), outcome(t, *recorded(t, PYTHON, path, t.path("ours")))
    check(bare == ours and "parent: " in bare, f"without a recorder: {bare}; with it: {ours}")


def kill_the_guardian(t: Context, how: str) -> bool:
    """Whether the command worked to its end.  The recorder does not wait for ever, and does not pretend that all went well."""
    for name in "pid", "go", "end":
        pathlib.Path(t.path(name)).unlink(missing_ok=True)
    with guardian.adopting():
        recorder, command = start_held(t, how=how)
        os.kill(guardian.guardian_of(command, recorder.pid), signal.SIGKILL)
        guardian.touch(t.path("go"))
        harness.wait_until(lambda: not guardian.is_alive(command), "the command ends, whatever its status")
        done = harness.finish(recorder, harness.WAIT_SECONDS)
    check(done.status != 0 and (done.err != "" or done.status == 7), "it says what happened, or knows the command's status", done)
    return os.path.exists(t.path("end"))


def kill_guardians(t: Context, how: str) -> None:
    """No promise is made for the command: the share that is harmed is a figure for the documentation."""
    n = trials(2)
    harness.note(f"{sum(not kill_the_guardian(t, how) for _ in range(n))} of {n} commands did not work to their end")


@harness.limit(14000)
def test_the_guardian_of_an_idle_program_is_killed(t: Context) -> None:
    kill_guardians(t, "idle")


@harness.limit(14000)
def test_the_guardian_of_a_busy_program_is_killed(t: Context) -> None:
    kill_guardians(t, "busy")


def test_too_few_processes(t: Context) -> None:
    """Where the guardian, the command or a thread of them can't be started, that is told, and nobody waits for ever."""
    harness.need_root()
    need_engine(t)
    os.chmod(t.folder, 0o777)
    started = 0
    for n in range(7):
        # The leak sanitizer needs a process, too.
        ours = f"export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0; ulimit -u {n}; exec '{t.wperf}' record -g --session nproc.data -- {PYTHON} -c 'raise SystemExit(7)'"
        done = t.run("setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups", "bash", "-c", ours)
        check(done.status == 7 or (done.status == 125 and re.search(r"^wperf: can't start .*: Resource temp", done.err, re.M) is not None),
              f"with {n} processes", done)
        started += done.status == 7
    check(started > 0, "with enough of them it runs")


def test_processes_begin_before_threads(t: Context) -> None:
    need_engine(t)
    engines = "stop", "pace", "bpf", "ring"
    target = t.started_ready(PYTHON, "-c", "print('ready', flush=True)\nwhile True: pass")
    guardian.check_processes_before_threads(t, engines, "-p", str(target.pid), "-d", "50ms")
    guardian.check_processes_before_threads(t, engines, "--", PYTHON, "-S", "-c", "pass")


STOPPED = """
rm -f began
"$1" record --engine stop -o s.data -- sh -c 'echo > began; exec "$0" 300' "$2" >out 2>&1 &
while [ ! -e began ]; do sleep 0.02; done
kill -STOP $!
sleep 1.5
kill -CONT $!
wait $!
echo "status $?"
"""


def test_a_group_without_a_shell_is_not_hung_up(t: Context) -> None:
    """The command ends while wperf is stopped, in a group that has no parent in its session, as those of services and CI jobs."""
    need_engine(t)
    done = t.run("setsid", "-w", "sh", "-c", STOPPED, "sh", t.wperf, t.program("spin"))
    check(done.out == "status 0\n" and done.status == 0, "no signal", done)


if __name__ == "__main__":
    harness.main(__name__)
