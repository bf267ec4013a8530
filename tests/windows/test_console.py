#!/usr/bin/python3
"""Text that is not ASCII on a console of Windows. Usage: test_console.py WPERF.EXE CONSOLE.EXE. WPERF_TEST_WRAPPER: the program that runs
Windows programs on other systems (wine64), whose console draws on a terminal."""
import os
import re
import select
import shlex
import signal
import sys
import tempfile
import time

WRAPPER = shlex.split(os.environ.get("WPERF_TEST_WRAPPER", ""))
LIMIT = 100


def shown(argv: list[str], cwd: str) -> str:
    """What a program draws on a terminal, without escape codes and ends of lines."""
    import pty  # pylint: disable=import-outside-toplevel
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(cwd)
        os.environ.update(LC_ALL="C.UTF-8", TERM="xterm")
        os.execvp(WRAPPER[0], WRAPPER + argv)
    drawn, end, has_ended = b"", time.monotonic() + LIMIT, False
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.5)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            drawn += part
        elif has_ended:
            break
        has_ended = has_ended or os.waitpid(pid, os.WNOHANG)[0] == pid
    if not has_ended:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    os.close(terminal)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]", "", drawn.decode("utf-8", "replace"))


def check_lines(console: str, piece: int, folder: str) -> None:
    text = shown([console, str(piece)], folder)
    for i in range(100):
        line = f"{i:03} " + "nä中Ж" * 12 + " end"
        assert line in text, f"line {i} is not in {text!r}"


def check_message(wperf: str, folder: str) -> None:
    text = shown([wperf, "report", "-i", "näme 中.data"], folder)
    assert "näme 中.data: " in text, repr(text)


def main() -> int:
    wperf, console = (os.path.abspath(path) for path in sys.argv[1:3])
    tests = (
        ("a message", lambda folder: check_message(wperf, folder)),
        ("more than a console takes at once", lambda folder: check_lines(console, 1 << 20, folder)),
        ("characters in pieces", lambda folder: check_lines(console, 7, folder)),
    )
    failed = 0
    print(f"1..{len(tests)}")
    for number, (name, check) in enumerate(tests, 1):
        if os.name == "nt":
            print(f"ok {number} - {name} # SKIP a terminal on which wine draws")
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder)
                print(f"ok {number} - {name}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"# {str(error)[:2000]}\nnot ok {number} - {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
