#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the terminal browser: its first screen compared with `report`, and the time and the bytes of each key.

    tests/bench/browser_speed.py WPERF SESSION [--vs SESSION] [--columns N] [--rows N] [--rounds N] [--sort KEYS] [--ssh]

The first screen is complete when the heading of the table has arrived.  A key is answered when the last byte of its
output has arrived: nothing follows for 60 ms.  A key whose work takes longer is answered twice: at once by a line that says what is
done, then by the page.  Keys that may read the session or look up code stand last, and the next one waits for the end of that.  Each
line of output has a key, the milliseconds to its first and its last byte, and the number of bytes.

With --vs it measures the browser of `diff`, which compares both sessions.

With --ssh the browser runs at the other end of an ssh connection to this machine: an sshd of its own, with its own keys, that listens
on 127.0.0.1 only and ends with the benchmark.  The first screen then includes the time to connect.  Needs root and openssh-server.
"""
import argparse
import fcntl
import os
import pty
import select
import shlex
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

QUIET_S = 0.06
READ_S = 3  # longer than the time between two updates of the progress bar, and than the rest of the reading after the rows
KEYS = (("Down", b"\033[B"), ("PgDn", b"\033[6~"), ("End", b"\033[F"), ("Home", b"\033[H"), ("s", b"s"), ("s", b"s"), ("s", b"s"),
        ("Enter", b"\r"), ("Esc", b"\033"), ("i", b"i"), ("Esc", b"\033"), ("?", b"?"), ("Esc", b"\033"),
        ("g", b"g"), ("Down", b"\033[B"), ("PgDn", b"\033[6~"), ("-", b"-"), ("+", b"+"), ("E", b"E"), ("End", b"\033[F"),
        ("C", b"C"), ("Esc", b"\033"), ("f", b"f"), ("Down", b"\033[B"), ("Right", b"\033[C"), ("Enter", b"\r"), ("Home", b"\033[H"),
        ("Esc", b"\033"), ("G", b"G"), ("Down", b"\033[B"), ("Esc", b"\033"),
        ("/", b"/"), ("m", b"m"), ("a", b"a"), ("l", b"l"), ("Enter", b"\r"), ("n", b"n"), ("Esc", b"\033"))
# These may take longer: the key is answered by a line that says so.
SLOW_KEYS = (("x", b"x"), ("Down", b"\033[B"), ("Esc", b"\033"), ("a", b"a"), ("Tab", b"\t"), ("Esc", b"\033"),
                ("t", b"t"), ("Down", b"\033[B"), ("Right", b"\033[C"), ("1", b"1"), ("c", b"c"), ("Esc", b"\033"), ("p", b"p"), ("Esc", b"\033"),
                ("M", b"M"), ("d", b"d"), ("Down", b"\033[B"), ("d", b"d"), ("Down", b"\033[B"))

# In the browser of `diff`; in it, these keys have other pages.
DIFF_KEYS = (("Down", b"\033[B"), ("PgDn", b"\033[6~"), ("End", b"\033[F"), ("Home", b"\033[H"), ("s", b"s"), ("s", b"s"), ("s", b"s"), ("s", b"s"),
             ("s", b"s"), ("End", b"\033[F"), ("s", b"s"), ("v", b"v"), ("v", b"v"), ("v", b"v"), ("Esc", b"\033"), ("d", b"d"), ("d", b"d"),
             ("i", b"i"), ("Esc", b"\033"), ("?", b"?"), ("Esc", b"\033"), ("/", b"/"), ("m", b"m"), ("a", b"a"), ("l", b"l"), ("Enter", b"\r"),
             ("n", b"n"), ("Home", b"\033[H"))
SLOW_DIFF_KEYS = (("Enter", b"\r"), ("Down", b"\033[B"), ("H", b"H"), ("Tab", b"\t"), ("Esc", b"\033"))


class Terminal:
    def __init__(self, argv: list[str], columns: int, rows: int):
        self.begin = time.monotonic()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            os.execv(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, timeout: float) -> bytes:
        return os.read(self.fd, 65536) if select.select([self.fd], [], [], timeout)[0] else b""

    def wait_for(self, word: bytes) -> float:
        """Seconds since the start until the text has arrived."""
        seen = b""
        while word not in seen:
            seen += self.read(60)
        return time.monotonic() - self.begin

    def settle(self) -> tuple[float | None, float | None, int]:
        """Seconds to the first and to the last byte of the next output, and the number of bytes."""
        begin, first, last, n = time.monotonic(), None, None, 0
        while True:
            data = self.read(QUIET_S if last or n else 0.5)
            if not data:
                return first, last, n
            last = time.monotonic() - begin
            first = first or last
            n += len(data)

    def drain(self, quiet: float) -> None:
        while self.read(quiet):
            pass

    def press(self, key: bytes) -> tuple[float | None, float | None, int]:
        os.write(self.fd, key)
        return self.settle()

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


class Ssh:
    """An sshd on the loopback, and how a command is run through it."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="browser-ssh-")
        at = self.folder.name
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{at}/{name}"], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(f"{at}/config", "w", encoding="ascii") as config:
            config.write(f"ListenAddress 127.0.0.1\nPort {self.port}\nHostKey {at}/host\nAuthorizedKeysFile {at}/user.pub\n"
                         f"StrictModes no\nUsePAM no\nPasswordAuthentication no\nPidFile none\n")
        os.makedirs("/run/sshd", exist_ok=True)  # where Debian's sshd confines its child
        self.process = subprocess.Popen([shutil.which("sshd", path="/usr/sbin:/usr/bin:/sbin") or "sshd", "-D", "-f", f"{at}/config"],
                                        stderr=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while time.monotonic() < end and self.process.poll() is None:
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", self.port)):
                    return
            time.sleep(0.05)
        sys.exit("sshd does not answer")

    def argv(self, argv: list[str]) -> list[str]:
        command = "LC_ALL=C.UTF-8 " + shlex.join([os.path.abspath(argv[0]), *argv[1:]])
        return [shutil.which("ssh") or "ssh", "-F", "none", "-tt", "-q", "-p", str(self.port), "-i", f"{self.folder.name}/user",
                "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "127.0.0.1", command]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def command(options: argparse.Namespace) -> list[str]:
    if options.vs:
        return ["diff", os.path.abspath(options.session), "--", os.path.abspath(options.vs)]
    return ["report", *browser_keys(options), "-i", os.path.abspath(options.session)]


def heading(options: argparse.Namespace) -> bytes:
    return b"verdict" if options.vs else b"overhead"


def browser_keys(options: argparse.Namespace) -> list[str]:
    return ["--sort", options.sort] if options.sort else []


def first_screens(options: argparse.Namespace, browser: list[str]) -> None:
    texts, screens = [], []
    for _ in range(options.rounds):
        begin = time.monotonic()
        subprocess.run([options.wperf, command(options)[0], "--stdio", *command(options)[1:]], stdout=subprocess.DEVNULL, check=True)
        texts.append(time.monotonic() - begin)
        terminal = Terminal(browser, options.columns, options.rows)
        screens.append(terminal.wait_for(heading(options)))
        terminal.close()
    text, screen = statistics.median(texts), statistics.median(screens)
    print(f"{command(options)[0]} {1000 * text:.0f} ms, first screen {1000 * screen:.0f} ms: {screen / text:.2f} times (medians of {options.rounds})")


def ms(seconds: float | None) -> str:
    return f"{1000 * seconds:8.1f}" if seconds else "       -"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wperf")
    parser.add_argument("session")
    parser.add_argument("--vs", metavar="SESSION", help="compare with this session")
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--rows", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sort", metavar="KEYS", help="rows by these keys, as report takes them")
    parser.add_argument("--ssh", action="store_true", help="run the browser through ssh to this machine")
    options = parser.parse_args()
    ssh = Ssh() if options.ssh else None
    browser = [options.wperf, *command(options)]
    try:
        measure(options, ssh.argv(browser) if ssh else browser)
    finally:
        if ssh:
            ssh.close()


def measure(options: argparse.Namespace, browser: list[str]) -> None:
    first_screens(options, browser)
    terminal = Terminal(browser, options.columns, options.rows)
    terminal.wait_for(heading(options))
    time.sleep(2)
    while terminal.settle()[2]:
        pass
    slowest_first = slowest_last = slowest_answer = 0.0
    most = 0
    for name, key in DIFF_KEYS if options.vs else KEYS:
        first, last, n = terminal.press(key)
        slowest_first, slowest_last, most = max(slowest_first, first or 0), max(slowest_last, last or 0), max(most, n)
        print(f"{name:6} {ms(first)} {ms(last)} ms {n:6} bytes")
    for name, key in SLOW_DIFF_KEYS if options.vs else SLOW_KEYS:
        first, last, n = terminal.press(key)
        slowest_answer = max(slowest_answer, first or 0)
        print(f"{name:6} {ms(first)} {ms(last)} ms {n:6} bytes, may take longer")
        terminal.drain(READ_S)
    print(f"slowest to its first byte {1000 * slowest_first:.1f} ms, to its last {1000 * slowest_last:.1f} ms, most {most} bytes; "
          f"of those that may take longer, to the first byte {1000 * slowest_answer:.1f} ms")
    terminal.close()


if __name__ == "__main__":
    sys.exit(main())
