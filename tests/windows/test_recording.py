#!/usr/bin/python3
"""Recording on Windows: wperf.exe measures small programs by its timer. Usage: test_recording.py WPERF.EXE PROGRAMS [NAME]...
WPERF_TEST_WRAPPER: the program that runs Windows programs on other systems (wine64). WPERF_TEST_LINUX: a Linux build of wperf, which
must print the same tables for the sessions."""
import collections
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

WRAPPER = shlex.split(os.environ.get("WPERF_TEST_WRAPPER", ""))
LINUX = os.environ.get("WPERF_TEST_LINUX", "")
WINE_FOLDERS = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows"
LIMIT = 200  # seconds for one program; they need less than ten on a machine that is not busy
ROW = re.compile(r"\s*(\d+\.\d+)\s+(\d+)\s+(\S.*)")


class Skip(Exception):
    """Something that the test needs is not here."""


class Done:
    """A program that has ended."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def text(self) -> str:
        return f"status {self.status}\n{self.out}\n{self.err}"

    def shares(self) -> dict[str, float]:
        """The rows of the table of functions."""
        rows = [ROW.match(line) for line in self.out.splitlines()]
        return {row[3].strip(): float(row[1]) / 100 for row in rows if row}


class Context:
    """A scratch folder with the programs."""

    def __init__(self, wperf: str, programs: str, folder: str) -> None:
        self.wperf, self.folder = os.path.abspath(wperf), folder
        for name in ("acts.exe", "phases.exe", "part.dll", "python.exe", "python312_d.dll", "python313.dll"):
            shutil.copy(os.path.join(programs, name), folder)

    def start(self, argv: list[str], cwd: str) -> tuple[subprocess.Popen, list]:
        """Output goes to files: wine's services hold a pipe for ever."""
        files = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
        return subprocess.Popen(WRAPPER + argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=files[0], stderr=files[1]), files

    def end(self, started: tuple[subprocess.Popen, list]) -> Done:
        process, files = started
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"not done after {LIMIT} s: {process.args}") from None
        texts = []
        for file in files:
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace").replace("\r\n", "\n"))
            file.close()
        return Done(status, *texts)

    def run(self, *argv: str, cwd: str = "") -> Done:
        return self.end(self.start(list(argv), cwd or self.folder))

    def ours(self, *argv: str, status: int = 0, cwd: str = "") -> Done:
        done = self.run(self.wperf, *argv, cwd=cwd)
        assert done.status == status, f"expected status {status}: {done.text()}"
        return done

    def document(self, *argv: str) -> dict:
        return json.loads(self.ours(*argv).out)

    def linux(self, *argv: str) -> Done:
        if not os.path.exists(LINUX):
            raise Skip("a Linux build of wperf")
        done = subprocess.run([LINUX, *argv, "--symbol-path", f"{WINE_FOLDERS};{self.folder}"], cwd=self.folder, timeout=LIMIT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def attach_to(self) -> tuple[tuple[subprocess.Popen, list], str]:
        """Starts a program that runs until its file `stop` exists; returns it and its Windows process id."""
        started = self.start([os.path.join(self.folder, "acts.exe"), "wait", "stop"], self.folder)
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            text = os.pread(started[1][0].fileno(), 200, 0).decode()
            if "\n" in text:
                return started, text.split()[1]
            time.sleep(0.1)
        raise AssertionError("acts did not start")

    def let_end(self, started: tuple[subprocess.Popen, list]) -> None:
        with open(os.path.join(self.folder, "stop"), "wb"):
            pass
        self.end(started)


def threads(c: Context) -> collections.Counter:
    """The samples of each thread of the session."""
    script = c.ours("export", "--format", "perf-script", "-o", "-").out
    return collections.Counter(re.findall(r"^\s*\S+\s+(\d+) \[", script, re.MULTILINE))


def test_arguments_are_quoted(c: Context) -> None:
    arguments = ["a b", 'c"d', "", "back\\", "back slash\\", 'x\\"y', "\\\\\\", "é中\U0001f600", "*.c", "-q", "tab\there"]
    done = c.ours("record", "-q", "--", "acts.exe", "args", *arguments)
    got = [bytes.fromhex(line).decode() for line in done.out.split("\n")[:-1]]
    assert got == arguments, got


def test_statuses(c: Context) -> None:
    c.ours("record", "-q", "--", "acts", "exit", "77", status=77)
    assert "there is no such program" in c.ours("record", "-q", "--", "no-such-program", status=127).err
    with open(os.path.join(c.folder, "text.exe"), "w", encoding="ascii") as file:
        file.write("not a program\n")
    assert "can't run 'text.exe'" in c.ours("record", "-q", "--", "text.exe", status=126).err
    with open(os.path.join(c.folder, "script.cmd"), "w", encoding="ascii") as file:
        file.write("rem\n")
    assert "cmd /c" in c.ours("record", "-q", "--", "script.cmd", status=126).err


def test_paths_are_long_and_not_ascii(c: Context) -> None:
    folder = os.path.join(c.folder, "ünïcode 中")
    for i in range(6):
        folder = os.path.join(folder, f"{i}" * 50)
    os.makedirs(folder)
    program = os.path.join(folder, "ä acts.exe")
    shutil.copy(os.path.join(c.folder, "acts.exe"), program)
    relative = os.path.relpath(program, c.folder).replace("/", "\\")
    done = c.ours("record", "--", relative, "spin", "1500")
    assert done.shares().get("own_work", 0) + done.shares().get("own_work:ä acts.exe", 0) > 0.3, done.text()


def test_what_is_refused(c: Context) -> None:
    assert "samples CPU time only" in c.ours("record", "-e", "L1-dcache-loads", "--", "acts.exe", status=125).err
    assert "no such CPU: 4000" in c.ours("record", "-c", "4000", "--", "acts.exe", status=2).err
    assert "no process runs 'no-such.exe'" in c.ours("sample", "--pe_file", "no-such.exe", status=1).err
    assert "there is no process 4000000" in c.ours("sample", "-p", "4000000", status=1).err
    assert "cannot set how long" in c.ours("record", "-p", "4000000", "--", "x.exe", status=125).err
    assert "name a process" in c.ours("sample", "-a", "--timeout", "1", status=1).err
    missing = c.ours("sample", "--pe_file", "no-such.exe", "-c", "0", "--timeout", "1", status=1).err
    assert "no process runs 'no-such.exe'" in missing and "sampling all programs" not in missing, missing


def test_what_it_says_of_itself(c: Context) -> None:
    assert re.search(r"windows.sampling_default +cpu-clock at 999 Hz: a timer", c.ours("test").out)
    assert re.search(r"record -- COMMAND +cpu-clock, 999 samples a second; Python functions by engine timer", c.ours("doctor").out)
    assert re.search(r"cpu-clock +0x0000 +\[timer event\]", c.ours("list").out)
    assert "a timer" in c.ours("record", "--dry-run", "--", "acts.exe").out


def test_a_command_is_pinned(c: Context) -> None:
    if (os.cpu_count() or 1) < 2:
        raise Skip("a second CPU")
    assert c.ours("record", "-q", "-c", "1", "--", "acts.exe", "cpus").out == "2\n"
    c.ours("record", "-q", "-c", "1", "--", "acts.exe", "spin", "1500")
    assert re.search(r"100\.00 +\d+ +1$", c.ours("report", "--sort", "cpu").out, re.MULTILINE)


def periods(c: Context) -> list[int]:
    """The CPU time that each sample of the session stands for, in ns."""
    script = c.ours("export", "--format", "perf-script", "-o", "-").out
    return [int(period) for period in re.findall(r": +(\d+) cpu-clock", script)]


def check_share(got: float, wanted: float, total_us: float, weights: list[int], what: str) -> None:
    """Within 5 standard errors, and what the clock of the program, whose ticks are 10 to 16 ms, leaves open. Samples of a busy
    machine stand for different times."""
    error = math.sqrt(wanted * (1 - wanted) * sum(w * w for w in weights)) / sum(weights)
    allowed = 5 * error + 2 * 16000 / total_us
    assert abs(got - wanted) <= allowed, f"{got:.3f}, expected {wanted:.3f} within {allowed:.3f}: {what}"


def test_shares_are_right(c: Context) -> None:
    """Each phase has printed its CPU time. Linux must show the same of the session."""
    done = c.ours("record", "-g", "--", "phases.exe", "60")
    told = {name: float(us) for name, us in re.findall(r"^(\w+) (\d+) us$", done.out, re.MULTILINE)}
    total, weights = sum(told.values()), periods(c)
    assert len(weights) >= 10, done.text()
    tree = c.ours("report", "-g")
    for name, function in (("both", "call_both"), ("one", "call_one")):
        match = re.search(rf"^ +(\d+\.\d+) .*\d  {function} \[phases\.exe\]", tree.out, re.MULTILINE)
        check_share(float(match[1]) / 100 if match else 0, told[name] / total, total, weights, f"{function}\n{told}\n{tree.out}")
    stacks = c.ours("export", "--format", "folded", "-o", "-").out
    callers = "phases.exe;RtlUserThreadStart;BaseThreadInitThunk;.*;__tmainCRTStartup;main;run_phase"
    for path in ("call_both;work_a", "call_both;work_b", "call_one;work_c", "work_a"):
        assert re.search(rf"^{callers};{path} \d+$", stacks, re.MULTILINE), f"{path}\n{stacks}"
    assert abs(sum(weights) / 1000 - total) < 0.2 * total + 200000, f"samples stand for {sum(weights) / 1000} us of {total}"
    for command in (["report"], ["report", "-g"]):
        here, there = c.ours(*command), c.linux(*command)
        assert here.out == there.out, f"here {here.text()}\nLinux {there.text()}"


def stack_shares(c: Context) -> dict[str, float]:
    """The share of each stack of the session, Python functions and native functions in one."""
    stacks = collections.Counter()
    for line in c.ours("export", "--format", "folded", "-o", "-").out.splitlines():
        stack, _, period = line.rpartition(" ")
        stacks[stack] += int(period)
    return {stack: period / sum(stacks.values()) for stack, period in stacks.items()}


def check_python(c: Context, dll: str, *more: str) -> None:
    """The DLL is loaded when the program has already run for a while."""
    done = c.ours("record", "-g", "--", "python.exe", dll, "600", *more)
    shares, weights = stack_shares(c), periods(c)
    by_python = {}
    for stack, share in shares.items():
        stack = re.sub(r" \[spin\.py:\d+\]", "", stack)
        found = re.search(r"(?:main|run_thread);(?:[^;]*;)?<module>;(?:outer;fake_sort;Row\.key|plain)(?:;fake_multiply)?$", stack)
        inner = stack.removesuffix(";fake_multiply").rpartition(";")[2]
        if found or inner == "<module>":
            by_python[inner] = by_python.get(inner, 0) + share
    total = sum(by_python.values())
    before = sum(share for stack, share in shares.items() if "before_python" in stack)
    assert total > 0.9 * (1 - before) and before < 0.5, f"{shares}\n{done.text()}"
    for name, wanted in (("Row.key", 0.6), ("plain", 0.3), ("<module>", 0.1)):
        check_share(by_python.get(name, 0) / total, wanted, 1e6, weights, f"{name}\n{shares}")
    document = c.document("report", "-g", "--json")
    python = document["quality"]["python"]
    assert python["merged"] >= 0.95 * python["stacks"] > 0, python


def test_python_functions(c: Context) -> None:
    check_python(c, "python312_d.dll")
    stacks = c.ours("export", "--lines", "--format", "folded", "-o", "-").out
    assert "<module> [spin.py:2];outer [spin.py:11];fake_sort;Row.key [spin.py:21];fake_multiply" in stacks, stacks
    for command in (["report"], ["report", "-g"]):
        here, there = c.ours(*command), c.linux(*command)
        assert here.out == there.out, f"here {here.text()}\nLinux {there.text()}"


def test_python_with_offsets_and_threads(c: Context) -> None:
    check_python(c, "python313.dll", "1")


def test_python_of_a_running_process(c: Context) -> None:
    started = c.start([os.path.join(c.folder, "python.exe"), "python312_d.dll", "100000"], c.folder)
    try:
        time.sleep(3)
        document = c.document("sample", "-g", "--pe_file", "python.exe", "--timeout", "3", "--json", "--json-extended")
    finally:
        started[0].kill()
    python = document["quality"]["python"]
    assert python["merged"] >= 0.9 * python["stacks"] >= 10, document


def test_children(c: Context) -> None:
    c.ours("record", "-q", "--", "phases.exe", "40", "1")
    assert len(threads(c)) == 2, threads(c)
    c.ours("record", "-q", "--no-inherit", "--", "phases.exe", "40", "1")
    assert len(threads(c)) == 1, threads(c)


def test_a_library_is_loaded_and_unloaded(c: Context) -> None:
    done = c.ours("record", "-g", "--", "acts.exe", "load", "part.dll", "3")
    shares = done.shares()
    assert shares.get("part_loop:part.dll", 0) > 0.03 and shares.get("own_work:acts.exe", 0) > 0.02, done.text()
    maps = re.findall(r"MMAP2 .* path (?:.*(part\.dll)|(//anon))", c.ours("dump").out)
    assert ("part.dll", "") in maps and ("", "//anon") in maps, maps


def test_a_running_process_is_sampled(c: Context) -> None:
    started, pid = c.attach_to()
    try:
        by_name = c.ours("sample", "-g", "--pe_file", "ACTS.EXE", "--timeout", "2")
        document = c.document("sample", "-p", pid, "--json", "sleep", "2")
        program = os.path.join(c.folder, "acts.exe")
        by_path = c.ours("sample", "--pe_file", program if not WRAPPER else "Z:" + program, "--timeout", "2")
    finally:
        c.let_end(started)
    for done in (by_name, by_path):
        assert done.shares().get("own_work:acts.exe", done.shares().get("own_work", 0)) > 0.05, done.text()
        assert "base address of" in done.out, done.text()
    event = document["sampling"]["events"][0]
    assert event["type"] == "cpu-clock" and event["samples"], document
    assert document["quality"]["sampled_share"] > 0.3, document


def test_the_end_of_a_process_ends_the_run(c: Context) -> None:
    started, pid = c.attach_to()
    sampling = c.start([c.wperf, "sample", "-p", pid], c.folder)
    end = time.monotonic() + LIMIT
    while not os.path.exists(os.path.join(c.folder, "wperf.data")) and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(3)
    c.let_end(started)
    done = c.end(sampling)
    assert done.status == 0 and "total" in done.out, done.text()


def test_time_is_up(c: Context) -> None:
    done = c.ours("record", "--timeout", "3", "--", "acts.exe", "wait", "never")
    assert "ready" in done.out and "own_work" in done.out, done.text()


def test_control_c(c: Context) -> None:
    if os.name == "nt":
        raise Skip("a signal that becomes Ctrl-C, as under wine")
    process, files = started = c.start([c.wperf, "record", "--", "acts.exe", "wait", "never"], c.folder)
    end = time.monotonic() + LIMIT
    while b"ready" not in os.pread(files[0].fileno(), 1000, 0) and time.monotonic() < end:
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    done = c.end(started)
    assert done.status == 0 and "Ctrl-C received" in done.out and "own_work" in done.out, done.text()
    c.ours("report")


TESTS = [function for name, function in list(globals().items()) if name.startswith("test_")]


def run_test(function, wperf: str, programs: str) -> str:
    """Returns "ok", perhaps with a reason to skip it, or raises."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            function(Context(wperf, programs, folder))
        except Skip as skip:
            return f"ok # SKIP {skip}"
    return "ok"


def main() -> int:
    wperf, programs, *names = sys.argv[1:]
    tests = [t for t in TESTS if not names or t.__name__.removeprefix("test_") in names]
    failed = 0
    print(f"1..{len(tests)}")
    for number, function in enumerate(tests, 1):
        name = function.__name__.removeprefix("test_").replace("_", " ")
        begin = time.monotonic()
        try:
            result = run_test(function, wperf, programs)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            result = "not ok"
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
        verdict, _, skip = result.partition(" # ")
        print(f"{verdict} {number} - {name}{' # ' + skip if skip else ''}")
        print(f"# {time.monotonic() - begin:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
