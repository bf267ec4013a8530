"""Runs a program on a terminal of tmux, sends keys and reads the screen."""
import os
import pathlib
import re
import subprocess
import time

from harness import WAIT_SECONDS, Context, TookTooLong, check, environment, need_tool

STILL_SECONDS = 0.15
SCREENS = pathlib.Path(__file__).parent / "screens"


class Screen:
    """Runs `argv` on its own terminal; `after` runs in the same shell when it has ended."""

    def __init__(self, t: Context, *argv: str, columns: int = 80, rows: int = 24, after: str = "", **variables: str):
        self.tmux = need_tool("tmux")
        self.folder = t.folder
        self.socket = os.path.join(t.folder, f"tmux-{time.monotonic_ns()}")
        self.environment = environment(TERM="xterm-256color", SHELL="/bin/sh", **variables)
        script = os.path.join(t.folder, "run-on-screen.sh")
        words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in argv)
        pathlib.Path(script).write_text(
            f"cd '{t.folder}'\nstty -a > before.stty\n{words} 2> screen.err\nstatus=$?\n"
            f"stty -a > after.stty\necho \"status $status\"\n{after}\nexec sleep 1000\n", encoding="utf-8")
        self.call("-f", "/dev/null", "new-session", "-d", "-s", "screen", "-x", str(columns), "-y", str(rows),
                  f"exec /bin/sh '{script}'")
        self.call("set-option", "-g", "mouse", "on")

    def call(self, *words: str, data: bytes | None = None) -> str:
        done = subprocess.run([self.tmux, "-S", self.socket, *words], env=self.environment, input=data,
                              capture_output=True, check=False)
        check(done.returncode == 0, f"tmux {' '.join(words)}: {done.stderr.decode()}")
        return done.stdout.decode()

    def text(self, colors: bool = False) -> str:
        """The text of the screen, without blanks at the ends of lines."""
        shown = self.call("capture-pane", "-p", "-t", "screen", *(["-e"] if colors else []))
        return "".join(line.rstrip() + "\n" for line in shown.splitlines())

    def wait(self, *wanted: str, without: str | None = None) -> str:
        """Waits until it shows all of `wanted`, and has not changed for a moment; as long as the test may take.  Without words, a slow
        program may not have taken the last keys yet."""
        last, since = "", time.monotonic()
        try:
            while True:
                now = self.text()
                if now != last:
                    last, since = now, time.monotonic()
                is_there = all(word in now for word in wanted) and (without is None or without not in now)
                if is_there and time.monotonic() - since >= STILL_SECONDS:
                    return now
                check(is_there or not re.search(r"^status \d", now, re.MULTILINE), f"{wanted} not on the screen at the end:\n{now}")
                time.sleep(0.03)
        except TookTooLong:
            raise AssertionError(f"{wanted} not on the screen:\n{last}") from None

    def look(self, *wanted: str) -> str:
        """Waits until it shows all of `wanted`, on a screen that never stands still."""
        shown = ""
        try:
            while not all(word in shown for word in wanted):
                shown = self.text()
                time.sleep(0.03)
        except TookTooLong:
            raise AssertionError(f"{wanted} not on the screen:\n{shown}") from None
        return shown

    def check_looks(self, name: str) -> None:
        """It must show the text of the file of this name, as soon as it has taken all keys: fails if it shows another one for a long time.
        With WPERF_SCREENS=update in the environment, writes the file."""
        path = SCREENS / f"{name}.txt"
        if os.environ.get("WPERF_SCREENS") == "update":
            path.parent.mkdir(exist_ok=True)
            path.write_text(self.wait().replace(self.folder, "FOLDER"), encoding="utf-8")
        wanted = path.read_text(encoding="utf-8") if path.exists() else ""
        shown, since = "", time.monotonic()
        while shown != wanted:
            now = self.text().replace(self.folder, "FOLDER")
            if now != shown:
                shown, since = now, time.monotonic()
            check(time.monotonic() - since < WAIT_SECONDS, f"{name} shows\n{shown}\nin place of\n{wanted}")

    def keys(self, *names: str) -> None:
        """Sends keys by tmux's names: Enter, Escape, Tab, BTab, Up, PageDown, C-c, or a character."""
        for name in names:
            self.call("send-keys", "-t", "screen", name)
            if name == "Escape":
                time.sleep(0.1)  # otherwise it would be the beginning of a longer key

    def send(self, data: bytes) -> None:
        """Bytes as the terminal sends them."""
        self.call("send-keys", "-t", "screen", "-H", *(f"{byte:02x}" for byte in data))

    def press(self, row: int, column: int) -> None:
        """Presses the mouse's left button; positions count from 0."""
        self.send(b"\033[<0;%d;%dM" % (column + 1, row + 1))
        self.send(b"\033[<0;%d;%dm" % (column + 1, row + 1))

    def paste(self, text: str) -> None:
        self.call("set-buffer", text)
        self.call("paste-buffer", "-p", "-t", "screen")

    def resize(self, columns: int, rows: int) -> None:
        self.call("resize-window", "-t", "screen", "-x", str(columns), "-y", str(rows))

    def pid(self) -> int:
        return int(self.call("display-message", "-p", "-t", "screen", "#{pane_pid}"))

    def is_alternate(self) -> bool:
        return self.call("display-message", "-p", "-t", "screen", "#{alternate_on}").strip() == "1"

    def close(self) -> None:
        """Closes the terminal, as when an ssh connection breaks."""
        subprocess.run([self.tmux, "-S", self.socket, "kill-server"], env=self.environment, capture_output=True,
                       check=False)

    def __enter__(self) -> "Screen":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ended(self) -> int:
        """Waits for the end of the program; returns its exit status.  The terminal must be in its old state."""
        text = self.wait("status ")
        check(not self.is_alternate(), "the alternate screen is left")
        before, after = (pathlib.Path(self.folder, name).read_text(encoding="ascii")
                         for name in ("before.stty", "after.stty"))
        check(before == after, f"the terminal's settings:\n{before}\nbecame\n{after}")
        return int(text.rsplit("status ", 1)[1].split()[0])
