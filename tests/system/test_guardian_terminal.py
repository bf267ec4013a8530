#!/usr/bin/python3
"""A command on a terminal has the same job control with --engine stop as without: its terminal, process group, keys, stops."""
import os
import sys

import guardian
import harness
from guardian import WAITING
from harness import Context, check
from test_stop_harmless import BURN, PYTHON, need_engine, script

BEGIN = BURN + WAITING + """
import signal, sys
folder = sys.argv[1]
def say(name, text):
    print("the program:", name, flush=True)
    tell(f"{folder}/{name}", text)
def ready():
    say("ready", str(os.getpid()))
def work_until(name):
    wait_for(f"{folder}/{name}", lambda: burn(0.01))
"""

# What the program does in a scenario of job_driver.py.
PROGRAMS = {
    "facts": """
import stat
SHELL = int(os.environ["SHELL_PID"])
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
say("facts", str({
    "name": [os.ttyname(fd) == os.ttyname(0) and os.ttyname(fd).startswith("/dev/pts/") for fd in range(3)],
    "in the foreground": os.tcgetpgrp(0) == os.getpgrp(),
    "in the shell's session": os.getsid(0) == SHELL,
    "in another group than the shell": os.getpgrp() != os.getpgid(SHELL),
    "its parent is not init": os.getppid() != 1,
    "can open /dev/tty": stat.S_ISCHR(os.fstat(os.open("/dev/tty", os.O_RDWR)).st_mode),
    "signals": [status[name].strip() for name in ("SigBlk", "SigIgn")],
}))
ready()
work_until("go")
sys.exit(12)
""",
    # wperf ends the run at Ctrl-C: SIGTERM follows, and SIGKILL two seconds later.
    "interrupt": """
count = 0
def handle(number, frame):
    global count
    count += 1
signal.signal(signal.SIGINT, handle)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
ready()
while not count:
    burn(0.01)
burn(0.03)
say("interrupted", str(count))
sys.exit(20)
""",
    "interrupt_by_default": """
ready()
burn(60)
""",
    "quit_by_default": """
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
ready()
burn(60)
""",
    "stop": """
import threading
thread = threading.Thread(target=work_until, args=("go",))
thread.start()
ready()
work_until("go")
thread.join()
sys.exit(13)
""",
    "background": """
ready()
work_until("go")
say("read", repr(os.read(0, 100)))
burn(0.05)
sys.exit(14)
""",
    "own_group": """
import fcntl
os.setpgid(0, 0)
count = 0
def handle(number, frame):
    global count
    count += 1
signal.signal(signal.SIGCONT, handle)
ready()
burn(0.05)
os.kill(os.getpid(), signal.SIGTSTP)
burn(0.05)
say("continued", str(count))
sys.exit(15)
""",
}


def drive(t: Context, scenario: str, name: str, prefix: list[str]) -> str:
    folder = t.path(f"{scenario}-{name}")
    os.mkdir(folder)
    path = script(t, scenario + ".py", BEGIN + PROGRAMS[scenario])
    driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), "job_driver.py")
    # The driver's own process number is the shell's, which its job gets by exec of a small shell.
    shell = ["/bin/sh", "-c", 'SHELL_PID=$$ exec "$@"', "sh"]
    done = t.run(*shell, sys.executable, driver, folder, scenario, *prefix, PYTHON, path, folder)
    check(done.status == 0, f"{scenario}, {name}", done)
    return done.out


def same_job(t: Context, scenario: str, *wanted: str) -> None:
    """The bare job must do what is wanted, and the recorded one the same."""
    need_engine(t)
    for fd in harness.open_terminal():
        os.close(fd)
    bare = drive(t, scenario, "bare", [])
    for line in wanted:
        check(line in bare, f"'{line}' without a recorder:\n{bare}")
    ours = drive(t, scenario, "recorded", guardian.tracing(t, session=scenario + ".data"))
    check(ours == bare, f"--- without a recorder\n{bare}\n--- with it\n{ours}")


def test_terminal_group_and_session(t: Context) -> None:
    same_job(t, "facts", "'name': [True, True, True], 'in the foreground': True", "ended with 12")


def test_ctrl_c_is_handled_once(t: Context) -> None:
    same_job(t, "interrupt", "signals 1\nended")


def test_ctrl_c_ends_the_program(t: Context) -> None:
    same_job(t, "interrupt_by_default", "ended\nthe program is gone")


def test_ctrl_backslash_ends_the_program(t: Context) -> None:
    same_job(t, "quit_by_default", "ended\nthe program is gone")


def test_ctrl_z_and_fg(t: Context) -> None:
    same_job(t, "stop", "stopped by SIGTSTP\nthe program is stopped\nthe program runs\n", "ended with 13")


def test_bg_and_reading_the_terminal(t: Context) -> None:
    same_job(t, "background", "stopped by SIGTTIN\nthe program is stopped\nread b'typed\\n'\nended with 14")


def test_a_program_with_a_group_of_its_own_stops(t: Context) -> None:
    same_job(t, "own_group", "continued 1\n", "ended with 15")


if __name__ == "__main__":
    harness.main(__name__)
