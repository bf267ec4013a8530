#!/usr/bin/python3
"""The main use of wperf: where does CPython spend its time, started by wperf and already running."""
import json
import math
import os
import re
import struct

import harness
import own_samples
from harness import Context, Done, Skip, check
from own_samples import check_delay, check_resolved, check_work

PYTHON = "/usr/bin/python3.11-dbg"
STRIPPED = "/usr/bin/python3.11"
WORK = "10**10**100"
FIB = "fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(%d)"
AT_ENTRY = 9


def need_python(path: str = PYTHON) -> str:
    if not os.path.exists(path):
        raise Skip(f"{path} (python3-dbg)")
    return path


def check_x_mul(done: Done) -> None:
    """x_mul comes first with 70 to 95 percent of the interpreter's samples, v_isub is among the next ones."""
    check(len(harness.rows_of(done.out)) > 5, "a table", done)
    rows = own_samples.rows_of_module(done, os.path.basename(PYTHON) + "|python3.11d")
    share = 100 * rows[0].count / sum(row.count for row in rows)
    check(rows[0].symbol.split(":")[0] == "x_mul" and 70 <= share <= 95, f"x_mul first with 70 to 95 %: {share:.1f} %", done)
    check("v_isub" in [row.symbol.split(":")[0] for row in rows[1:6]], "v_isub among the next", done)


def table_of(done: Done) -> list[str]:
    """The lines of the table itself."""
    lines = done.out.splitlines()
    begin = next(number for number, line in enumerate(lines) if "sample source" in line)
    end = next(number for number, line in enumerate(lines) if "in total" in line)
    return lines[begin:end + 1]


def test_record_names_x_mul(t: Context) -> None:
    done = t.good("record", "--timeout", "3", "--", need_python(), "-c", WORK)
    check_x_mul(done)
    check_resolved(t, done)
    quality = json.loads(t.good("report", "--json").out)["quality"]
    check(quality["samples"] > 100 and quality["sampled_share"] > 0.9, f"samples of nearly all of the CPU time: {quality}", done)
    check("sampling ..." in done.out and "done!\n" in done.out, "the sampling line", done)
    elapsed = re.search(r"^ +(\d+\.\d{3}) seconds time elapsed$", done.out, re.M)
    check(elapsed is not None and 3 <= float(elapsed[1]) < 30, "the elapsed time", done)
    again = t.good("report")
    check(table_of(again) == table_of(done), "report gives the same table:\n" + "\n".join(table_of(again)), done)
    check(t.good("report").out == again.out, "report gives the same twice")


def test_record_names_the_eval_loop(t: Context) -> None:
    trial = t.run(need_python(), "-c", FIB % 29)
    number = 29 + larger_by(3 / max(trial.seconds, 0.2))
    done = t.good("record", "--", PYTHON, "-c", FIB % number, env=harness.environment(PYTHONHASHSEED="0"))
    names = [row.symbol.split(":")[0] for row in harness.rows_of(done.out)]
    check(names[0] == "_PyEval_EvalFrameDefault" and "unicodekeys_lookup_unicode" in names[1:5], "the first rows", done)


def larger_by(factor: float) -> int:
    """The increase of fib's argument for a run that takes about `factor` times as long."""
    return max(0, round(math.log(factor, (1 + 5 ** 0.5) / 2)))


def test_sample_finds_the_image(t: Context) -> None:
    others = processes_of("python3.11d")
    started = t.start(need_python(), "-c", WORK)
    harness.wait_until(lambda: started.pid in processes_of("python3.11d"), "python runs")
    done = harness.sample_for(t, 1, started.pid, "--pe_file", "python3.11d")
    check_x_mul_found(done, others)
    check(harness.base_line(done)[0] == "python3.11d", "the base line names the image", done)
    done = harness.sample_for(t, 1, started.pid, "--image_name", "python3.11d", "--pe_file", "python3.11d")
    check_x_mul_found(done, others)


def check_x_mul_found(done: Done, others: set[int]) -> None:
    """All processes of the image are sampled; if others run, shares are not checked."""
    if others:
        harness.note(f"{len(others)} others run this image")
        harness.row_named(done, "x_mul")
    else:
        check_x_mul(done)


def processes_of(image: str) -> set[int]:
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == image:
                found.add(int(pid))
        except OSError:
            pass
    return found


def test_sample_one_and_two_pids(t: Context) -> None:
    first = t.started_ready(t.program("spin"), "30000")
    second = t.started_ready(t.program("spin_fixed"), "30000")
    done = t.good("sample", "-F", "999", "-p", str(first.pid), "--timeout", "1")
    check_work(done, "spin_here", "spin")
    done = t.good("sample", "-F", "999", "-p", f"{first.pid},{second.pid}", "--timeout", "1")
    names = {row.symbol for row in harness.rows_of(done.out)}
    check({"spin_here:spin", "spin_here:spin_fixed"} <= names, "a row for each of the two", done)
    check(first.poll() is None and second.poll() is None, "what is sampled goes on", done)


def test_sample_everything(t: Context) -> None:
    harness.need_root()
    t.started_ready(t.program("spin"), "30000")
    done = t.good("sample", "--no-stacks", "-a", "--timeout", "1")
    harness.row_named(done, "spin_here")
    by_module = harness.csv_of(t.good("report", "--sort", "module", "--csv"))
    check("spin" in {row["module"] for row in by_module}, f"its module: {by_module}")
    done = t.good("record", "--no-stacks", "-a", "--", t.program("spin_fixed"), "700")
    harness.row_named(done, "spin_here:spin_fixed")
    harness.row_named(done, "spin_here:spin")


def test_one_cpu(t: Context) -> None:
    if os.cpu_count() < 2:
        raise Skip("a second CPU")
    done = t.good("record", "-c", "1", "--", t.program("spin"), "700")
    check_work(done, "spin_here", "spin", 700)
    by_cpu = harness.csv_of(t.good("report", "--sort", "cpu", "--csv"))
    check([row["cpu"] for row in by_cpu] == ["1"], f"samples of CPU 1 only: {by_cpu}")
    done = t.good("record", "-c", "1", "--", "/usr/bin/python3", "-c",
                  "import os; print('allowed', sorted(os.sched_getaffinity(0)))")
    check("allowed [1]\n" in done.out, "the command is pinned to the CPU", done)
    harness.need_root()
    done = t.good("sample", "-F", "999", "-c", "0", "--timeout", "1")
    by_cpu = harness.csv_of(t.good("report", "--sort", "cpu", "--csv"))
    check({row["cpu"] for row in by_cpu} <= {"0"}, f"samples of CPU 0 only: {by_cpu}")


def test_stripped_python_by_its_debug_file(t: Context) -> None:
    need_python(STRIPPED)
    if not os.path.isdir("/usr/lib/debug/.build-id"):
        raise Skip("debug files in /usr/lib/debug (python3-dbg)")
    recorder = t.start(t.wperf, "record", "--", STRIPPED, "-c", WORK)
    done = harness.end_after(t, harness.command_of(recorder, os.path.basename(STRIPPED)), 2, recorder)
    names = [row.symbol.split(":")[0].split(".")[0] for row in harness.rows_of(done.out)]
    # In this build x_mul is inlined into k_mul: there is no symbol of this name, also in the debug file.
    check(names[0] in ("x_mul", "k_mul") and "v_isub" in names[1:6], "k_mul first, then v_isub", done)
    inlined = t.good("report", "--inlines")
    check(harness.rows_of(inlined.out)[0].symbol.split(":")[0] == "x_mul", "the debug file knows it", inlined)
    lines = t.good("report", "--inlines", "--sort", "symbol,line")
    check(re.search(r"^ +\d+\.\d+ +\d+  x_mul +longobject\.c:\d+$", lines.out, re.M), "and its lines", lines)
    check_resolved(t, done)


def auxv_of(pid: int) -> dict[int, int]:
    """Empty while a program is being loaded."""
    with open(f"/proc/{pid}/auxv", "rb") as file:
        return dict(struct.iter_unpack("@LL", file.read()))


def entry_of(pid: int) -> int:
    return auxv_of(pid)[AT_ENTRY]


def first_map_of(pid: int, image: str) -> int:
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        return min(int(line.split("-")[0], 16) for line in file if line.rstrip().endswith("/" + image))


def test_base_address_and_delta(t: Context) -> None:
    for image, is_fixed in (("spin", False), ("spin_fixed", True)):
        process = t.started_ready(t.program(image), "30000")
        delta = 0 if is_fixed else first_map_of(process.pid, image)
        done = t.good("sample", "-F", "999", "-p", str(process.pid), "--timeout", "300ms")
        expected = (image, entry_of(process.pid), delta)
        check(harness.base_line(done) == expected, f"expected {image}, {expected[1]:#x}, {delta:#x}", done)
        document = harness.document_of(t.good("report", "--json"))["sampling"]
        check((document["base_address"], document["runtime_delta"]) == expected[1:], f"in JSON: {document}")


def test_base_address_of_a_command(t: Context) -> None:
    for image in ("spin", "spin_fixed"):
        recorder = t.start(t.wperf, "record", "--no-stacks", "--", t.program(image), "1500")
        pid = child_of(recorder.pid, image)
        entry = entry_of(pid)
        delta = 0 if image == "spin_fixed" else first_map_of(pid, image)
        out, err = recorder.communicate(timeout=20)
        done = Done(recorder.returncode, out.decode(), err.decode(), 0)
        check(harness.base_line(done) == (image, entry, delta), f"expected {entry:#x}, {delta:#x}", done)


def child_of(pid: int, image: str) -> int:
    found: list[int] = []

    def look() -> bool:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            found[:] = [int(child) for child in file.read().split()]
        try:
            return (bool(found) and os.readlink(f"/proc/{found[0]}/exe").endswith("/" + image)
                    and AT_ENTRY in auxv_of(found[0]))
        except OSError:
            return False

    harness.wait_until(look, f"a child {image}")
    return found[0]


def test_a_packed_session(t: Context) -> None:
    plain = t.good("record", "-e", "cpu-clock:100000", "--", t.program("spin"), "500")
    plain_bytes = os.path.getsize(t.path("wperf.data"))
    packed = t.good("record", "-z", "-e", "cpu-clock:100000", "--", t.program("spin"), "500")
    packed_bytes = os.path.getsize(t.path("wperf.data"))
    check(packed_bytes * 2 < plain_bytes, f"{packed_bytes} bytes packed, {plain_bytes} plain")
    for done in (plain, packed):
        check_work(done, "spin_here", "spin", 500)


def test_a_session_in_a_pipe(t: Context) -> None:
    shell = f"{t.wperf} record --session - -- sh -c 'echo to the terminal; exec {t.program('spin')} 300' | {t.wperf} report -i -"
    done = t.run("sh", "-c", shell)
    check(done.status == 0, "the table comes through the pipe", done)
    check_work(done, "spin_here", "spin", 300)
    check("to the terminal" in done.err and "to the terminal" not in done.out, "the command's output stays out of it", done)
    refused = t.run(t.wperf, "record", "--session", "-", "--json", "--", "true")
    check(refused.status == 2, "no two things on standard output", refused)


def named_kernel_samples(done: harness.Done) -> tuple[int, int]:
    """Number of samples in functions of the kernel with a name, and without one."""
    rows = [row for row in harness.rows_of(done.out) if "[kernel.kallsyms]" in row.symbol]
    without = sum(row.count for row in rows if row.symbol.startswith(("unknown", "0x")))
    return sum(row.count for row in rows) - without, without


def test_kernel_names_of_a_pipe(t: Context) -> None:
    harness.need_root()
    copy = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=600000", "status=none"]
    with open(t.path("ours.pipe"), "wb") as file:
        check(t.ours("record", "-k", "--session", "-", "--", *copy, stdout=file).status == 0, "a session in a pipe")
    named, without = named_kernel_samples(t.good("report", "-i", "ours.pipe", "--sample-display-row", "200"))
    check(named > 20 and not without, f"ours: {named} samples with a name and {without} without")
    with open(t.path("perf.pipe"), "wb") as file:
        t.run(harness.need_tool("perf"), "record", "-q", "-F", "999", "-o", "-", "--", *copy, stdout=file)
    with open(t.path("perf.pipe"), "rb") as file:
        named, without = named_kernel_samples(t.good("report", "-i", "-", "--sample-display-row", "200", stdin=file))
    check(named > 20 and not without, f"perf's: {named} samples with a name and {without} without")


def test_events_that_begin_later(t: Context) -> None:
    at_once = t.good("record", "--", t.program("spin"), "900")
    later = t.good("record", "-D", "600", "--", t.program("spin"), "900")
    check_work(at_once, "spin_here", "spin", 900)
    # At least 300 ms of its work are after the delay; on a busy machine more, because it takes longer.
    check_work(later, "spin_here", "spin", 300)
    check_delay(t, later, 0.6)


if __name__ == "__main__":
    harness.main(__name__)
