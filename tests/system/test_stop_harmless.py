#!/usr/bin/python3
"""--engine stop has no effect on programs: each program of a table prints and ends as it does without a recorder."""
import concurrent.futures
import fcntl
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import termios
import time

import harness
import own_samples
from harness import Context, Skip, check

PYTHON = "/usr/bin/python3.11"
NOBODY = 65534

BURN = """
import time
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(i * i for i in range(500))
"""


def script(t: Context, name: str, text: str) -> str:
    path = t.path(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


ENGINE = "stop"  # test_pace_harmless.py does the same with another one


def need_engine(t: Context) -> None:
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)
    done = t.ours("record", "-g", "--engine", ENGINE, "--", "/bin/true")
    if "the engine stop is not used" in done.out:
        raise Skip(done.out.partition("the engine stop is not used: ")[2].splitlines()[0])


def outcome(t: Context, *argv: str, limit: float = 30) -> str:
    """The output of a command on both streams, in order, and its exit status.  bash prints process numbers, which are
    replaced."""
    folder = tempfile.mkdtemp(dir=t.folder)
    os.chmod(folder, 0o777)
    with open(os.path.join(folder, "out"), "w+b") as out:
        process = t.start(*argv, stdout=out, stderr=out, cwd=folder,
                          env=harness.environment(PYTHON=PYTHON, SCRIPTS=t.folder))
        try:
            status = str(process.wait(limit))
        except subprocess.TimeoutExpired:
            harness.kill_group(process)
            status = f"not done after {limit} s"
        return re.sub(r"(line \d+:) +\d+", r"\1", harness.read_back(out)) + f"status {status}"


def recorded(t: Context, *argv: str) -> list[str]:
    return [t.wperf, "record", "-q", "-g", "--engine", ENGINE, "-F", "4999", "--", *argv]


def difference(t: Context, name: str, argv: list[str], user: list[str]) -> str:
    """"" if both are the same.  `user` begins a command as another user."""
    bare, ours = outcome(t, *user, *argv), outcome(t, *user, *recorded(t, *argv))
    if "each child used 2 ms of CPU time at once" in ours:
        harness.note(f"{name}: not compared, because this machine takes 2 ms of CPU time for a fork, after which wperf traces a child")
        return ""
    return "" if bare == ours else f"--- {name}: without a recorder\n{bare}\n--- with it\n{ours}\n"


def compare(t: Context, table: dict[str, list[str]], user: list[str] | None = None) -> None:
    """Runs three at a time, because most errors occur on busy CPUs."""
    need_engine(t)
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        wrong = list(filter(None, threads.map(lambda row: difference(t, *row, user or []), table.items())))
    check(not wrong, f"{len(wrong)} of {len(table)} differ\n" + "".join(wrong))
    harness.note(f"{len(table)} programs")


@harness.limit(120)
def test_system_calls_of_an_interpreter(t: Context) -> None:
    acts = t.program("acts")
    compare(t, {name: [acts, name] for name in t.run(acts).out.split()})


# name: text for bash
SHELL = {
    "statuses of a pipeline": "$PYTHON -c 'print(1); raise SystemExit(3)' | cat >&2 | (exit 4); echo ${PIPESTATUS[@]}",
    "trap": "$PYTHON -S $SCRIPTS/burn.py 0.1; trap 'echo trapped' TRAP; kill -TRAP $$; echo after",
    "trap of a child": "(kill -TRAP $BASHPID; echo alive); echo $?",
    "wait for any": "for i in 1 2 3; do $PYTHON -S -c \"raise SystemExit($i)\" & wait -n; echo $?; done",
    "stop and continue": "$PYTHON $SCRIPTS/burn.py 0.5 & sleep 0.2; kill -STOP $!; sleep 0.1;"
                         " until grep -q 'State:.[tT]' /proc/$!/status; do :; done; echo stopped; kill -CONT $!; wait $!; echo $?",
    "kill a group": "set -m; $PYTHON $SCRIPTS/tree.py 20 & sleep 0.4; kill -TERM -$!; wait $!; echo $?",
    "hang up": "setsid -w bash -c '$PYTHON $SCRIPTS/burn.py 20 & sleep 0.3; kill -HUP 0'; echo $?",
    "timeout": "timeout 0.3 $PYTHON $SCRIPTS/burn.py 20; echo $?; timeout -s KILL 0.3 $PYTHON $SCRIPTS/burn.py 20; echo $?;"
               " timeout --foreground 9 $PYTHON $SCRIPTS/burn.py 0.1; echo $?",
    "make": "make -s -j4 -f $SCRIPTS/Makefile; echo $?",
    "xargs": "seq 40 | xargs -P4 -n1 sh -c 'exit $(($0 % 2))'; echo $?",
    "xargs of interpreters": "seq 12 | xargs -P4 -n1 $PYTHON -S -c 'pass'; echo $?",
    "find": "find $SCRIPTS -maxdepth 1 -name '*.py' -exec $PYTHON -S -c 'import sys; print(len(sys.argv))' {} +",
    "env": "env -i FOO=1 $PYTHON -S -c 'import os; print(os.environ.get(\"FOO\"))'",
    "sessions": "setsid -w $PYTHON -S -c 'import os; print(os.getsid(0) == os.getpid())'; nohup $PYTHON -S -c 'print(2)' 2>&1 | tail -n 1",
    "priority": "nice -n 3 $PYTHON -S -c 'import os; print(os.nice(0))'",
    "address space": "setarch -R $PYTHON -S $SCRIPTS/burn.py 0.1; echo $?",
    "core": "ulimit -c unlimited; $PYTHON -S -c 'import os; os.abort()'; echo $?",
    "CPU limit": "ulimit -t 1; $PYTHON $SCRIPTS/burn.py 9; echo $?",
    "open files": "ulimit -n 12; $PYTHON -S -c 'print([open(\"/dev/null\") and 1 for _ in range(5)])'; echo $?",
    "a tree": "$PYTHON $SCRIPTS/tree.py 0.1; echo $?",
    "many commands": "for i in $(seq 150); do /bin/true; n=$(echo $i); done; echo $n",
    "here document": "$PYTHON - <<< 'print(5)'",
    "descriptor of a script": "exec 9< <(echo 'print(6)'); $PYTHON /dev/fd/9",
    "interpreter line": "$SCRIPTS/line; echo $?",
    "exec": "exec $PYTHON $SCRIPTS/burn.py 0.1 11",
}

PROGRAMS = {
    "ninja": "ninja -f $SCRIPTS/build.ninja -j4 | grep -c o",
    "git": "git init -q r && cd r && echo 1 >a && git add a && git -c user.name=a -c user.email=b commit -qm c && git log --format=%s"
           " && git gc -q && git fsck 2>/dev/null; echo $?",
    "gdb": "gdb -nx -batch -ex run -ex 'print $_exitcode' --args /bin/sh -c 'exit 3' 2>&1 | grep -a -o -e '\\$1 = .*' -e 'exited.*'",
    "gdb of an interpreter": "gdb -nx -batch -ex run --args $PYTHON -S -c 'raise SystemExit(2)' 2>&1 | grep -o 'exited.*'",
    "strace": "strace -f -o log $PYTHON -S -c 'import os; os.system(\"exit 4\")'; grep -c 'exited with 4' log",
    "node": "node -e 'const c = require(\"child_process\"); console.log(c.spawnSync(\"sh\", [\"-c\", \"exit 7\"]).status,"
            " c.execFileSync(process.env.PYTHON, [\"-c\", \"print(8)\"]).toString())'",
    "java": "java -version 2>&1 | wc -l",
    "perl": "perl -e 'for (1..20) { if (!fork) { exit $_ } } my $s = 0; while (wait > 0) { $s += $? >> 8 } print \"$s\\n\"'",
    "su": "su nobody -s /bin/sh -c 'id -u; $PYTHON -S -c \"import os; print(os.getuid())\"'",
    "sudo": "sudo -n -u nobody $PYTHON -S -c 'import os; print(os.getuid())'",
    "unshare": "unshare -pf $PYTHON -S -c 'import os; print(os.getpid(), os.system(\"exit 3\"))'",
    "flock": "flock lock $PYTHON -S -c 'print(9)'",
    "script": "script -qec '$PYTHON -S -c \"import os; print(os.isatty(0))\"' /dev/null",
    "python3-dbg": "python3-dbg -S -c 'import os; print(os.system(\"exit 1\"))'",
    "go": "go version | cut -d' ' -f1-2",
}

FILES = {
    "burn.py": BURN + "import sys\nburn(float(sys.argv[1]))\nsys.exit(int(sys.argv[2]) if len(sys.argv) > 2 else 0)\n",
    "says.py": BURN + "print('burn' + 'ing', flush=True)\nburn(30)\n",
    "tree.py": BURN + """
import os, sys
for _ in range(3):
    if not os.fork():
        os.fork()
        burn(float(sys.argv[1]))
        os._exit(0)
burn(float(sys.argv[1]))
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
""",
    "line": f"#!{PYTHON} -S\nimport sys\nprint(len(sys.argv))\nsys.exit(3)\n",
    "Makefile": "all: $(foreach i,0 1 2 3 4 5 6 7 8 9,p$(i) s$(i)) bad\n"
                "p%:\n\t@$(PYTHON) -S -c 'import os; os.system(\"exit 1\")'\n"
                "s%:\n\t@x=$$(echo $@); /bin/true\nbad:\n\t-@$(PYTHON) -S -c 'raise SystemExit(5)' 2>/dev/null\n",
    "build.ninja": "rule p\n  command = $$PYTHON -S -c 'open(\"$out\", \"w\")'\n"
                   + "".join(f"build o{i}: p\n" for i in range(12)),
}


def shell_table(t: Context, texts: dict[str, str]) -> dict[str, list[str]]:
    for name, text in FILES.items():
        script(t, name, text)
    return {name: ["/bin/bash", "-c", text] for name, text in texts.items()}


DAEMON = BURN + """
import os, signal, sys
burn(0.1)
if not os.fork():
    os.setsid()
    if not os.fork():
        signal.signal(signal.SIGTRAP, signal.SIG_DFL)
        burn(0.4)
        open(sys.argv[1], "w").close()
    os._exit(0)
os.wait()
burn(0.1)
"""


@harness.limit(120)
def test_daemons_outlive_the_recorder(t: Context) -> None:
    """Also daemons that would be killed by the signal of the event."""
    need_engine(t)
    path, ends = script(t, "daemon.py", DAEMON), [t.path(f"end{i}") for i in range(12)]
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        outcomes = set(threads.map(lambda end: outcome(t, *recorded(t, PYTHON, path, end)), ends))
    check(outcomes == {"status 0"}, f"{outcomes}")
    harness.wait_until(lambda: all(map(os.path.exists, ends)), "all daemons end by themselves")


@harness.limit(120)
def test_shells(t: Context) -> None:
    compare(t, shell_table(t, SHELL))


@harness.limit(120)
def test_other_programs(t: Context) -> None:
    """Those that are installed."""
    path = "/usr/sbin:/usr/bin:/sbin:/bin"
    here = {name: text for name, text in PROGRAMS.items() if shutil.which(name.split()[0], path=path)}
    harness.note("not here: " + ", ".join(PROGRAMS.keys() - here.keys()))
    compare(t, shell_table(t, here))


# As nobody; $ID is setuid, $GROUP setgid.
UNPRIVILEGED = {
    "sudo": "sudo -n id -u; echo $?",
    "su": "echo x | su root -c 'id -u'; echo $?",
    "sudo of an interpreter": "$PYTHON -S $SCRIPTS/runs.py sudo -n id -u",
    "su of an interpreter": "$PYTHON -S $SCRIPTS/runs.py su root -c id </dev/null",
    "setuid": "$PYTHON $SCRIPTS/runs.py $ID -u",
    "setgid": "$PYTHON $SCRIPTS/runs.py $GROUP -g",
    "setuid by env, nice and timeout": "$PYTHON -S $SCRIPTS/runs.py env nice timeout 9 $ID -u",
    "setuid from pools": "$PYTHON $SCRIPTS/pools.py $ID -u",
    "gdb": "gdb -nx -batch -ex run --args $PYTHON -S -c 'raise SystemExit(2)' 2>&1 | grep -o 'exited.*'",
    "strace": "strace -o log $PYTHON -S -c 'raise SystemExit(3)'; echo $?",
    "strace of an interpreter": "$PYTHON $SCRIPTS/runs.py strace -o log $PYTHON -S -c 'raise SystemExit(3)'",
    "not dumpable": "$PYTHON $SCRIPTS/hides.py; echo $?",
}

# All ways to start a program; the last one stays in its process.
RUNS = BURN + """
import os, subprocess, sys, threading
argv = sys.argv[1:]
def tell(how, *arguments, **options):
    done = subprocess.run(*arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    print(how, done.returncode, done.stdout, flush=True)
tell("plain", argv)
tell("open", argv, close_fds=False)
tell("session", argv, start_new_session=True)
tell("function", argv, preexec_fn=lambda: None)
tell("busy", argv, preexec_fn=lambda: burn(0.01))
tell("shell", " ".join(argv), shell=True)
os.system(" ".join(argv))
os.waitpid(os.posix_spawnp(argv[0], argv, os.environ), 0)
seen = set()
def several():
    for _ in range(3):
        done = subprocess.run(argv, capture_output=True, text=True)
        seen.add((done.returncode, done.stdout, done.stderr))
threads = [threading.Thread(target=several) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sorted(seen), flush=True)
burn(0.01)
os.execvp(argv[0], argv)
"""

POOLS = BURN + """
import multiprocessing, subprocess, sys
def run(number):
    burn(0.004 * (number % 3))
    return subprocess.run(sys.argv[1:], capture_output=True, text=True).stdout
if __name__ == "__main__":
    for how in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(how).Pool(4) as pool:
            print(how, set(pool.map(run, range(24), chunksize=1)))
"""

HIDES = BURN + """
import ctypes, os, sys
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
if not os.fork():
    burn(0.05)
    os._exit(7)
print(os.wait()[1])
burn(0.05)
os.execv(sys.executable, [sys.executable, "-S", "-c", "raise SystemExit(4)"])
"""


def nobody() -> list[str]:
    return [harness.need_tool("setpriv"), "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]


def need_paranoid() -> None:
    """Where others than root may open events."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        if int(file.read()) > 2:
            raise Skip("perf_event_paranoid 2")


def privileged(t: Context, name: str, mode: int, group: int = 0) -> str:
    program = t.path(name)
    shutil.copy("/usr/bin/id", program)
    os.chown(program, 0, group)
    os.chmod(program, mode)
    return program


@harness.limit(180)
def test_privileges(t: Context) -> None:
    harness.need_root()
    need_paranoid()
    os.chmod(t.folder, 0o777)
    program, group = privileged(t, "id", 0o4755), privileged(t, "group", 0o2755)
    if t.run(*nobody(), program, "-u").out.strip() != "0":
        raise Skip("setuid programs in " + t.folder)
    for name, text in (("runs.py", RUNS), ("pools.py", POOLS), ("hides.py", HIDES)):
        script(t, name, text)
    path = "/usr/sbin:/usr/bin:/sbin:/bin"
    texts = {name: f"ID={program} GROUP={group}; {text}" for name, text in UNPRIVILEGED.items()
             if name.split()[0] not in ("sudo", "su", "gdb", "strace") or shutil.which(name.split()[0], path=path)}
    compare(t, shell_table(t, texts), nobody())


ORPHAN = BURN + """
import ctypes, os, sys
prctl = ctypes.CDLL(None).prctl
if not os.fork():
    if not os.fork():
        os.setsid()
        with open("/proc/self/comm", "w") as file:
            file.write("the-orphan")
        if sys.argv[2:] == ["hidden"]:
            prctl(4, 0)  # PR_SET_DUMPABLE
        burn(0.3)
        open(sys.argv[1], "w").close()
    os._exit(0)
os.wait()
burn(0.6)
"""


def test_an_orphan_where_only_descendants_may_be_traced(t: Context) -> None:
    harness.need_root()
    need_paranoid()
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope", encoding="ascii") as file:
            scope = int(file.read())
    except FileNotFoundError:
        raise Skip("Yama in this kernel") from None
    if scope != 1:
        raise Skip(f"kernel.yama.ptrace_scope 1; it is {scope}")
    record_orphan(t)


def record_orphan(t: Context, *argv: str) -> None:
    """An orphan that the kernel does not allow a recorder to trace."""
    need_engine(t)
    os.chmod(t.folder, 0o777)
    end = t.path("end")
    done = t.run(*nobody(), t.wperf, "record", "-g", "--engine", "stop", "-F", "999", "--session", "orphan.data", "--", PYTHON,
                 script(t, "orphan.py", ORPHAN), end, *argv)
    check(done.status == 0, "the command ends as it would", done)
    harness.wait_until(lambda: os.path.exists(end), "the orphan works to its end, which may be later")
    check("Python processes that wperf could not trace, sampled with native stacks only: 1" in done.out, "it is counted among those that could not be traced", done)
    check("--engine peek reads" not in done.out, "peek needs the same right, so it is not proposed", done)
    check("not traced, so with native stacks: the-orphan (" in done.out.splitlines()[-1], "the quality line names it", done)
    own_samples.check_whole_stacks(done)
    threads = t.run(*nobody(), t.wperf, "report", "--sort", "comm", "-i", "orphan.data").out
    check(re.search(r"^ +[\d.]+ +\d+ +the-orphan", threads, re.M) is not None, f"the ring samples it: {threads}")


def test_an_orphan_that_may_not_be_traced(t: Context) -> None:
    """The kernel refuses PTRACE_SEIZE of a process that is not dumpable, as Yama refuses it for a process that is not a
    descendant. If the process took long to get there, it is traced before, and then its memory can't be read."""
    harness.need_root()
    need_paranoid()
    record_orphan(t, "hidden")


@harness.limit(120)
def test_the_recorder_stops_with_its_program(t: Context) -> None:
    """As with Ctrl-Z and fg: both get the signals at the same time."""
    need_engine(t)
    path = script(t, "burn.py", FILES["burn.py"])
    for _ in range(3):
        process = t.start(*recorded(t, PYTHON, path, "0.6", "11"))
        for pause in (0.2, 0.013, 0.021, 0.007, 0.035, 0.017):
            time.sleep(pause)
            os.killpg(process.pid, signal.SIGSTOP)
            time.sleep(pause)
            os.killpg(process.pid, signal.SIGCONT)
        check(process.wait(harness.WAIT_SECONDS) == 11, "it goes on to its end")


# Lines that a user types, and the text that must be on the terminal before the next line.
JOBS = (
    ("PS1='$ '; echo begin", "begin"),
    ("$PYTHON $SCRIPTS/says.py", "burning"),
    ("\x1a", "Stopped"),
    ("bg", "&"),
    ("jobs", "Running"),
    ("fg", "says.py"),
    ("\x03", "KeyboardInterrupt"),
    ("echo status $?", "status 130"),
    ("$PYTHON $SCRIPTS/burn.py 30 & kill -STOP %1; until [ \"$(jobs -s)\" ]; do sleep 0.1; done; jobs", "Stopped"),
    ("kill -CONT %1; until [ \"$(jobs -r)\" ]; do sleep 0.1; done; jobs", "Running"),
    ("kill %1; wait; echo ended", "Terminated"),
    ("$PYTHON -S -i", ">>> "),
    ("\x04", "$ "),
    ("exit 7", None),
)


def begin_session() -> None:
    """In the new process: its terminal, and the signals that whoever started the tests may have ignored (nohup, a shell's &)."""
    for number in signal.SIGINT, signal.SIGQUIT, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def terminal_session(t: Context, *argv: str) -> tuple[list[str], int]:
    """Which of the expected texts appeared, and the exit status."""
    ours, theirs = harness.open_terminal()
    process = t.start(*argv, stdin=theirs, stdout=theirs, stderr=theirs,
                      preexec_fn=begin_session,
                      env=harness.environment(PYTHON=PYTHON, SCRIPTS=t.folder, TERM="dumb"))
    os.close(theirs)
    seen = []
    for typed, wanted in JOBS:
        os.write(ours, typed.encode() + (b"" if len(typed) == 1 else b"\n"))
        text, limit = "", time.monotonic() + 30
        while wanted and wanted not in text.replace(typed, "") and time.monotonic() < limit:
            if select.select([ours], [], [], 0.2)[0]:
                text += os.read(ours, 4096).decode("utf-8", "replace")
        seen.append(f"{typed!r}: {wanted if not wanted or wanted in text.replace(typed, '') else text}")
        time.sleep(0.5 if wanted is None else 0.1)
    status = process.wait(harness.WAIT_SECONDS)
    os.close(ours)
    return seen, status


@harness.limit(150)
def test_jobs_of_a_shell_on_a_terminal(t: Context) -> None:
    need_engine(t)
    for name in "burn.py", "says.py":
        script(t, name, FILES[name])
    shell = ["/bin/bash", "--norc", "-i"]
    bare, ours = terminal_session(t, *shell), terminal_session(t, *recorded(t, *shell))
    check(ours == bare and bare[1] == 7, f"--- bare\n{bare}\n--- recorded\n{ours}")
    for (_, wanted), line in zip(JOBS, bare[0]):
        check(line.endswith(f": {wanted}"), f"what is expected of bash itself: {line}")


if __name__ == "__main__":
    harness.main(__name__)
