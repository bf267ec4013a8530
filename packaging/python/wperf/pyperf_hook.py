"""A hook of pyperf: `--hook wperf_record` records the values of each worker process as one session.

Two environment variables, which pyperf passes on with --inherit-environ:

    WPERF_PYPERF_SESSION   name of the sessions; %n is the first number from 1 on that is free; default pyperf-%n.data
    WPERF_PYPERF_OPTIONS   more options of wperf record, as a shell would split them: "-g -F 4999"

Warmups and the calibration of loops are not recorded.  The program is WPERF, or what the package installed, or wperf in $PATH.
"""
import os
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

try:
    from pyperf._hooks import HookBase, HookError
except ImportError:  # this module can be imported without pyperf
    HookBase = object

    class HookError(Exception):
        """The hook cannot be used."""

WAIT_SECONDS = 60


def find_program():
    named = os.environ.get("WPERF")
    if named:
        return named
    try:
        from wperf.__main__ import program
        return program()
    except (ImportError, SystemExit):
        found = shutil.which("wperf")
    if not found:
        raise HookError("wperf is not installed; put it into $PATH, or name it in $WPERF")
    return found


def next_session(pattern):
    """The name with the first number that is free."""
    if "%n" not in pattern:
        raise HookError("WPERF_PYPERF_SESSION: '%s' names one session for all processes; put %%n into it" % pattern)
    number = 1
    while os.path.lexists(pattern.replace("%n", str(number))):
        number += 1
    return pattern.replace("%n", str(number))


def warmups_of(argv):
    for option, value in zip(argv, argv[1:] + [""]):
        if option in ("--warmups", "-w") and value.isdigit():
            return int(value)
        if option.startswith("--warmups=") and option[len("--warmups="):].isdigit():
            return int(option[len("--warmups="):])
    return 0


def is_measured(argv, turn):
    """Whether the values of this turn are those of the benchmark.  pyperf makes a new hook for warmups, and then for values."""
    if any(word.startswith(("--calibrate-", "--recalibrate-")) for word in argv):
        return False
    return turn > 1 or not warmups_of(argv)


class Recorder:
    """wperf record of this process, which is switched on and off through two FIFOs."""

    def __init__(self, session):
        wperf = find_program()
        self.folder = tempfile.mkdtemp(prefix="wperf-pyperf.")
        self.ctl = self.ack = None
        names = [os.path.join(self.folder, name) for name in ("ctl", "ack")]
        for name in names:
            os.mkfifo(name)
        command = [wperf, "record", "-q", "-F", "999", "-p", str(os.getpid()), "-D", "-1", "-o", session,
                   "--control", "fifo:" + ",".join(names)]
        command += shlex.split(os.environ.get("WPERF_PYPERF_OPTIONS", ""))
        self.said = open(os.path.join(self.folder, "said"), "w+")
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.said)
        except OSError as err:
            self.clean()
            raise HookError("%s: %s" % (command[0], err.strerror))
        self.end = time.monotonic() + WAIT_SECONDS
        self.ack = os.open(names[1], os.O_RDONLY | os.O_NONBLOCK)
        self.ctl = self.open_ctl(names[0])
        self.say("ping")

    def fail(self, what):
        """Raises HookError with what wperf said."""
        try:  # it may be about to say why
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.said.seek(0)
        lines = self.said.read().splitlines() or ["wperf record " + what]
        self.clean()
        raise HookError("\n".join(lines))

    def open_ctl(self, name):
        """Fails until wperf has opened the other end."""
        while True:
            try:
                return os.open(name, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                if self.process.poll() is not None or time.monotonic() > self.end:
                    self.fail("did not begin")
                time.sleep(0.002)

    def say(self, word):
        """Sends a command and waits for its answer."""
        answer, end = b"", time.monotonic() + WAIT_SECONDS
        try:
            os.write(self.ctl, (word + "\n").encode())
        except BrokenPipeError:
            self.fail("ended early")
        while b"\n" not in answer:
            if not select.select([self.ack], [], [], 0.1)[0]:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.fail("did not answer")
                continue
            part = os.read(self.ack, 64)
            if not part:
                self.fail("ended early")
            answer += part

    def finish(self):
        self.say("stop")
        if self.process.wait(WAIT_SECONDS):
            self.fail("failed")
        self.clean()

    def clean(self):
        for fd in (self.ctl, self.ack):
            if fd is not None:
                os.close(fd)
        self.ctl = self.ack = None
        self.said.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class WperfRecord(HookBase):
    """The hook `wperf_record`."""

    turns = 0

    def __init__(self):
        super().__init__()
        WperfRecord.turns += 1
        self.recorder = None
        if is_measured(sys.argv[1:], WperfRecord.turns):
            self.session = next_session(os.environ.get("WPERF_PYPERF_SESSION", "pyperf-%n.data"))
            self.recorder = Recorder(self.session)

    def __enter__(self):
        if self.recorder:
            self.recorder.say("enable")

    def __exit__(self, _exc_type, _exc_value, _traceback):
        if self.recorder:
            self.recorder.say("disable")

    def teardown(self, metadata):
        if self.recorder:
            self.recorder.finish()
            metadata["wperf_session"] = self.session
