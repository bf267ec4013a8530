"""Functions shared by the system tests: named tests that print TAP, each in its own scratch folder and with a time
limit.

A test is a function with one parameter, the Context.  It fails if it raises an exception, and is skipped if it raises
`Skip`, whose text names what is missing.  Usage of every test program: test_X.py WPERF BUILD [NAME]..., NAMEs select
tests.
"""
import atexit
import contextlib
import csv
import ctypes
import functools
import io
import json
import math
import os
import platform
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from typing import Callable, Iterator

# These end what hangs; a busy machine needs much less.
TEST_SECONDS = 150
WAIT_SECONDS = 60


class Skip(Exception):
    """Something that the test needs is not here."""


class TookTooLong(BaseException):
    """The test's time limit; not caught by `except Exception`."""


@dataclass
class Done:
    """A command that has ended."""

    status: int
    out: str
    err: str
    seconds: float
    # Of the command and of what it waited for: what a busy machine does not change much.
    cpu_seconds: float = 0

    def describe(self) -> str:
        return (f"status {self.status} after {self.seconds:.1f} s\n"
                f"--- stdout\n{self.out[-6000:]}\n--- stderr\n{self.err[-3000:]}")


@dataclass
class Row:
    """One row of a table: the name as printed, usually `symbol:module`."""

    share: float
    count: int
    symbol: str


@dataclass
class Context:
    """What a test gets."""

    wperf: str
    programs: str
    folder: str
    started: list[subprocess.Popen] = field(default_factory=list)

    def program(self, name: str) -> str:
        path = os.path.join(self.programs, name)
        if not os.path.exists(path):
            raise Skip(f"{name}, which this build could not make")
        return path

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def start(self, *argv: str, **options) -> subprocess.Popen:
        """Starts a process that is ended with the test, in a process group of its own.  Recorders that run in addition
        to the test are not started if nothing can be recorded."""
        if self.wperf in argv[:-1] and argv[argv.index(self.wperf) + 1] in ("record", "sample", "stat"):
            need_events()
        return self.launch(*argv, **options)

    def launch(self, *argv: str, **options) -> subprocess.Popen:
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("cwd", self.folder)
        options.setdefault("env", environment())
        process = subprocess.Popen(argv, start_new_session=True, **options)
        self.started.append(process)
        return process

    def run(self, *argv: str, limit: float = TEST_SECONDS, **options) -> Done:
        """Runs to the end.  The output is written to files, because processes that a command leaves running would keep
        a pipe open."""
        begin, begin_cpu = time.monotonic(), children_cpu_seconds()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            options.setdefault("stdout", out)
            options.setdefault("stderr", err)
            process = self.launch(*argv, **options)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                raise AssertionError(f"not done after {limit} s: {' '.join(argv)}") from None
            seconds = time.monotonic() - begin
            done = Done(status, read_back(out), read_back(err), seconds, children_cpu_seconds() - begin_cpu)
        # A test that filters warnings itself checks them.
        if REFUSED.search(done.err) and os.path.basename(argv[0]) != "deny":
            need_events()
        return done

    def ours(self, *argv: str, **options) -> Done:
        return self.run(self.wperf, *argv, **options)

    def good(self, *argv: str, **options) -> Done:
        """Runs wperf, which must succeed and print nothing on standard error.  The quality of an exported profile is
        allowed there, because the number of functions without a name depends on the machine's debug files."""
        done = self.ours(*argv, **options)
        check(done.status == 0, "wperf " + " ".join(argv), done)
        said = done.err
        if argv[0] == "export":
            said = re.sub(r"^wperf: warning: (?:quality|poor): .*\n", "", said, flags=re.M)
        check(said == "", "something on standard error", done)
        return done

    def perf_record(self, path: str, *argv: str) -> Done:
        """Without copies of files in perf's cache in the home folder: perf would use their names, also those of another
        container."""
        return self.run(need_tool("perf"), "record", "-q", "-N", "-o", path, *argv)

    def started_ready(self, *argv: str, **options) -> subprocess.Popen:
        """Starts one of our programs that says `ready`."""
        process = self.start(*argv, **options)
        check(process.stdout.readline() == b"ready\n", f"{argv[0]} did not begin")
        return process

    def release(self) -> None:
        """Ends what this test started, and nothing else."""
        self.release_processes()
        shutil.rmtree(self.folder, ignore_errors=True)

    def release_processes(self) -> None:
        for process in self.started:
            if process.poll() is None:
                kill_group(process)
            for stream in (process.stdout, process.stderr, process.stdin):
                if stream:
                    stream.close()


# wperf's symbol cache is one for each run of the tests, and the home folder is empty, so that perf's cache of binaries
# there would name what a test took away.
CACHE = tempfile.mkdtemp(prefix="wperf-cache.")
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)


def environment(**more: str) -> dict[str, str]:
    keep = {name: value for name, value in os.environ.items() if not name.startswith("WPERF")}
    return keep | {"LC_ALL": "C.UTF-8", "HOME": CACHE, "XDG_CACHE_HOME": CACHE, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} | more


def kill_group(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def children_cpu_seconds() -> float:
    """The CPU time of all children that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_back(file) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


# --- saying what is expected ---


def check(holds: bool, what: str, done: Done | None = None) -> None:
    if not holds:
        raise AssertionError(what + ("\n" + done.describe() if done else ""))


def check_sentence(done: Done, *words: str) -> None:
    """Checks that standard error is one sentence with these words, and without an errno."""
    lines = done.err.splitlines()
    check(len(lines) == 1 and lines[0].startswith("wperf: "), "one sentence on standard error", done)
    for word in words:
        check(word in lines[0], f"'{word}' in the sentence", done)
    check(not re.search(r"errno|error \d+|\bE[A-Z]{4,}\b", lines[0]), "no errno in the sentence", done)


def note(text: str) -> None:
    """A comment in the TAP output."""
    for line in text.splitlines():
        print(f"# {line}")


def need_tool(name: str) -> str:
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if not path:
        raise Skip(name)
    return path


def need_root() -> None:
    if os.geteuid() != 0:
        raise Skip("root")


# --- what the machine allows ---

CAPABILITIES = {"CAP_SYS_PTRACE": 19, "CAP_SYS_ADMIN": 21}

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
# What wperf and perf say of it.
REFUSED = re.compile(r"perf_event_open|perf_event_paranoid|No permission to enable|sys_perf_event_open")


@functools.cache
def may_open_events() -> bool:
    """Whether the kernel allows sampling the user part of an own process; asks the kernel, not wperf."""
    software, cpu_clock, disabled, exclude_kernel, exclude_hv = 1, 0, 1, 1 << 5, 1 << 6
    attr = struct.pack("IIQQQQQIIQ", software, 64, cpu_clock, 1000000, 0, 0, disabled | exclude_kernel | exclude_hv, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(PERF_EVENT_OPEN[platform.machine()], attr, 0, -1, -1, 0)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def need_events() -> None:
    if not may_open_events():
        raise Skip("perf_event_open")


def need_capability(name: str) -> None:
    """Root does not have all capabilities in a container."""
    with open("/proc/self/status", encoding="ascii") as status:
        held = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff:"))
    if not held >> CAPABILITIES[name] & 1:
        raise Skip(name)


@functools.cache
def may_mount() -> bool:
    return subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /tmp"], capture_output=True,
                          check=False).returncode == 0


def need_mounts() -> None:
    """A mount namespace: not available in a container without the right, nor if / is not a mount point."""
    need_root()
    need_tool("unshare")
    if not may_mount():
        raise Skip("mount namespaces")


def removed(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def control_group(t: Context) -> Iterator[str]:
    """The folder of a new control group. At the end the processes of the test are ended, and it is removed."""
    need_root()
    mounts = [line.split()[1] for line in open("/proc/mounts", encoding="utf-8") if line.split()[2] == "cgroup2"]
    group = os.path.join(mounts[0] if mounts else "/none", f"wperf-test-{os.getpid()}")
    try:
        os.mkdir(group)
    except OSError as error:
        raise Skip(f"a control group: {error}") from None
    try:
        yield group
    finally:
        t.release_processes()
        wait_until(lambda: removed(group), "the end of the group")


def open_terminal() -> tuple[int, int]:
    """Both ends of a pseudo-terminal."""
    try:
        return os.openpty()
    except OSError as error:
        raise Skip("a pseudo-terminal") from error


def wait_until(holds: Callable[[], bool], what: str, seconds: float = WAIT_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not holds():
        check(time.monotonic() < end, f"{what}: not within {seconds} s")
        time.sleep(0.02)


def wait_for_events(pid: int) -> None:
    """Until a recorder has opened its events and had time to start them."""
    def are_open() -> bool:
        folder = f"/proc/{pid}/fd"
        try:
            return any("[perf_event]" in os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder))
        except OSError:
            return False

    wait_until(are_open, f"events of process {pid}")
    time.sleep(0.2)


# --- reading what wperf prints ---

ROW = re.compile(r"\s*(\d+\.\d+)\s+(\d+)\s+(\S.*)$")
QUALITY = re.compile(r"quality: (\d+) samples, (?:about )?(\d+) lost(?: \([^)]*\))?, (\d+) throttled, (\d+) unresolved")


def rows_of(text: str) -> list[Row]:
    found = (ROW.match(line) for line in text.splitlines())
    return [Row(float(match[1]), int(match[2]), match[3]) for match in found if match and "top" not in match[3]]


def row_named(done: Done, symbol: str, prefix: bool = False) -> Row:
    """The row of a symbol, with or without its module."""
    for row in rows_of(done.out):
        name = row.symbol.split(":")[0]
        if row.symbol == symbol or name == symbol or (prefix and name.startswith(symbol)):
            return row
    raise AssertionError(f"no row '{symbol}'\n" + done.describe())


def quality_of(done: Done) -> dict[str, int]:
    """The numbers of the last line, which must be the quality line."""
    lines = done.out.splitlines()
    match = QUALITY.match(lines[-1]) if lines else None
    check(match is not None, "the last line is the quality line", done)
    return dict(zip(("samples", "lost", "throttled", "unresolved"), map(int, match.groups())))


def base_line(done: Done) -> tuple[str, int, int]:
    """Name, base address and runtime delta."""
    match = re.search(r"^base address of '([^']*)': (0x[0-9a-f]+), runtime delta: (0x[0-9a-f]+)$", done.out, re.M)
    check(match is not None, "a line with the base address", done)
    return match[1], int(match[2], 16), int(match[3], 16)


def document_of(done: Done) -> dict:
    try:
        return json.loads(done.out)
    except ValueError as error:
        raise AssertionError(f"not one JSON document: {error}\n{done.describe()}") from None


def csv_of(done: Done) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(done.out)))


# --- running ---


def tests_of(module) -> list[tuple[str, Callable[[Context], None]]]:
    """The functions named test_*, in the order of the file."""
    return [(name[5:].replace("_", " "), value) for name, value in vars(module).items()
            if name.startswith("test_") and callable(value)]


def too_long(_signal: int, _frame: object) -> None:
    raise TookTooLong()


def scratch_context(wperf: str, programs: str) -> Context:
    folder = tempfile.mkdtemp(prefix="wperf-test-")
    os.chmod(folder, 0o755)
    return Context(wperf, programs, folder)


def run_one(number: int, name: str, test: Callable[[Context], None], context: Context) -> bool:
    begin = time.monotonic()
    verdict, reason, passed = f"ok {number} - {name}", "", True
    signal.alarm(getattr(test, "seconds", TEST_SECONDS))
    try:
        test(context)
    except Skip as skip:
        verdict += f" # SKIP {skip}"
    except TookTooLong:
        reason, passed = "took too long", False
    except Exception as error:  # pylint: disable=broad-except
        place = traceback.extract_tb(error.__traceback__)[1]
        reason = f"{os.path.basename(place.filename)}:{place.lineno}: {type(error).__name__}: {error}"
        passed = False
    finally:
        signal.alarm(0)
        context.release()
    note(reason)
    print(verdict if passed else f"not ok {number} - {name}")
    note(f"{time.monotonic() - begin:.1f} s")
    sys.stdout.flush()
    return passed


def limit(seconds: int) -> Callable:
    """Gives a test another time limit."""
    def set_limit(test: Callable) -> Callable:
        test.seconds = seconds
        return test
    return set_limit


def plain_build_only(test: Callable) -> Callable:
    """Skips a test in a build with sanitizers, which need more memory than the test allows."""
    test.plain_build_only = True
    return test


def is_sanitized(wperf: str) -> bool:
    with open(wperf, "rb") as file:
        return b"__asan_init" in file.read()


def run_alone(name: str, test: Callable[[Context], None], wperf: str, build: str) -> None:
    """One test that is not in the list, as a program of its own."""
    signal.signal(signal.SIGALRM, too_long)
    passed = run_one(1, name, test, scratch_context(os.path.abspath(wperf), programs_of(build)))
    sys.exit(0 if passed else 1)


def programs_of(build: str) -> str:
    return os.path.join(os.path.abspath(build), "tests", "system")


def main(module_name: str, more: list[tuple[str, Callable[[Context], None]]] = ()) -> None:
    """Runs the tests of a module, then `more`: tests with their names."""
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} WPERF BUILD [NAME]...")
    wperf, build, names = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    sanitized = is_sanitized(wperf)
    tests = [(name, test) for name, test in [*tests_of(sys.modules[module_name]), *more]
             if (not names or any(word in name.replace(" ", "_") for word in names))
             and not (sanitized and hasattr(test, "plain_build_only"))]
    signal.signal(signal.SIGALRM, too_long)
    print(f"1..{len(tests)}")
    passed = [run_one(number, name, test, scratch_context(wperf, programs_of(build)))
              for number, (name, test) in enumerate(tests, 1)]
    sys.exit(0 if all(passed) else 1)


# --- judgements that hold on a busy machine, and on a slow one ---


@dataclass
class Usage:
    """CPU time as the kernel counts it, in seconds, and how often the thread lost its CPU."""

    user: float
    kernel: float
    switches: int = 0

    def total(self) -> float:
        return self.user + self.kernel


def usage_of(pid: int) -> Usage:
    """Of a process so far; switches of its first thread. The kernel knows the sum exactly, and its parts by ticks."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        user, kernel = (int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in file.read().rpartition(")")[2].split()[11:13])
    total = time.clock_gettime(~pid << 3 | 2)  # the clock of clock_getcpuclockid(3), which Python lacks
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        switches = sum(map(int, re.findall(r"ctxt_switches:\s*(\d+)", file.read())))
    share = user / (user + kernel) if user + kernel else 1
    return Usage(total * share, total * (1 - share), switches)


def usage_between(before: Usage, after: Usage) -> Usage:
    return Usage(max(after.user - before.user, 0), max(after.kernel - before.kernel, 0), after.switches - before.switches)


def wait_for_cpu(pid: int, seconds: float) -> None:
    """Waits until a process has used this CPU time from now on, however busy the machine is."""
    begin = usage_of(pid).total()
    wait_until(lambda: usage_of(pid).total() >= begin + seconds, f"{seconds} s of CPU time")


def children_of(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return list(map(int, file.read().split()))
    except FileNotFoundError:
        return []


def command_of(recorder: subprocess.Popen, name: str) -> int:
    """The command that a recorder or its guardian has started, once it runs the program of this name."""
    def find() -> int:
        children = children_of(recorder.pid)
        for pid in children + [pid for child in children for pid in children_of(child)]:
            try:
                if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == name:
                    return pid
            except OSError:
                pass
        return 0

    wait_until(lambda: find() != 0, f"the command {name}")
    return find()


def finish(process: subprocess.Popen, seconds: float = TEST_SECONDS) -> Done:
    out, err = process.communicate(timeout=seconds)
    return Done(process.returncode, out.decode(), err.decode(), 0)


def end_after(t: Context, pid: int, seconds: float, recorder: subprocess.Popen, session: str = "wperf.data") -> Done:
    """Ends a recorder as Ctrl-C does, when its target has used this CPU time since the session exists."""
    wait_until(lambda: os.path.exists(t.path(session)), "a session")
    wait_for_cpu(pid, seconds)
    recorder.send_signal(signal.SIGINT)
    return finish(recorder)


def sample_for(t: Context, seconds: float, pid: int, *options: str) -> Done:
    """wperf sample until this process has used the CPU time."""
    if os.path.exists(t.path("wperf.data")):
        os.remove(t.path("wperf.data"))
    done = end_after(t, pid, seconds, t.start(t.wperf, "sample", "-F", "999", *options))
    check(done.status == 0 and done.err == "", "sampled", done)
    return done


def recorded_attached(t: Context, options: list[str], command: list[str], traces: bool = True) -> tuple[Done, Done]:
    """The recorder, which attaches to a program that calls traced.wait_for_tracer and runs until it ends, and the program.  If the
    recorder does not trace, the program waits for a second instead."""
    target = t.started_ready(*command, env=environment(WAITS_FOR_TRACER="1" if traces else "second"))
    done = t.ours("record", *options, "-p", str(target.pid))
    return done, finish(target)


def seconds_before_the_first_sample(t: Context) -> float:
    """From the exec of the command to the first sample of it, by the times of the session's records."""
    text = t.good("dump").out
    times = {kind: [float(at) for at in re.findall(rf"^  0x\w+  {kind} .*?\btime (\d+\.\d+)", text, re.M)] for kind in ("COMM", "SAMPLE")}
    return min(times["SAMPLE"]) - min(times["COMM"])


def deviations(counts: dict[str, int], shares: dict[str, float]) -> dict[str, float]:
    """How far each share of the counts is off, in standard errors."""
    n = sum(counts.values())
    return {name: (counts.get(name, 0) / n - share) / math.sqrt(share * (1 - share) / n) for name, share in shares.items()}


def check_samples(n: int, used: Usage, hz: float, what: str, done: Done | None = None) -> None:
    """Whether n samples in user mode are those of this CPU time: at most those of all of it, at least those of the part in user
    mode. Each time the thread gets a CPU there may be one sample more or less, and the part is an estimate from ticks: five standard
    errors of both are allowed. So is a fifth below: a virtual machine that waited for its CPU has one tick for several."""
    noise = 2 + 5 * math.sqrt(used.switches + 1) / 2
    user_error = 5 * math.sqrt(used.user * used.kernel / max(used.total(), 1e-9) / 100)
    note(f"{what}: {n} samples at {hz:g} Hz, {used.user:.3f} s in user mode, {used.kernel:.3f} s in the kernel, {used.switches} switches")
    check(n <= 1.02 * hz * used.total() + noise, f"{what}: {n} samples, too many for {used} at {hz:g} Hz", done)
    check(n >= 0.8 * hz * (used.user - user_error) - noise, f"{what}: {n} samples, too few for {used} at {hz:g} Hz", done)
