#!/usr/bin/python3
"""--engine stop changes nothing for the programs that it watches: each of a table of programs prints and ends as it does
without a recorder."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import tempfile

import harness
from harness import Context, Done, Skip, check

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


def need_engine(t: Context) -> None:
    if not os.path.exists(PYTHON):
        raise Skip(PYTHON)
    done = t.ours("record", "-g", "--engine", "stop", "--", "/bin/true")
    if "threads are not stopped at their samples" in done.out:
        raise Skip(done.out.partition("threads are not stopped at their samples: ")[2].splitlines()[0])


def outcome(t: Context, *argv: str, limit: float = 30) -> str:
    """What a command prints on both streams, in their order, and how it ends.  bash names processes by their ids."""
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
    return [t.wperf, "record", "-q", "-g", "--engine", "stop", "-F", "4999", "--session", os.devnull, "--", *argv]


def difference(t: Context, name: str, argv: list[str]) -> str:
    """"" where both are the same."""
    bare, ours = outcome(t, *argv), outcome(t, *recorded(t, *argv))
    return "" if bare == ours else f"--- {name}: without a recorder\n{bare}\n--- with it\n{ours}\n"


def compare(t: Context, table: dict[str, list[str]]) -> None:
    """Three at a time: most of what goes wrong does so where CPUs are busy."""
    need_engine(t)
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        wrong = list(filter(None, threads.map(lambda row: difference(t, *row), table.items())))
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
    "stop and continue": "$PYTHON $SCRIPTS/burn.py 0.5 & sleep 0.2; kill -STOP $!; sleep 0.1; cut -d' ' -f3 /proc/$!/stat | tr t T;"
                         " kill -CONT $!; wait $!; echo $?",
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
    """Also those that would die by the signal of the event."""
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


if __name__ == "__main__":
    harness.main(__name__)
