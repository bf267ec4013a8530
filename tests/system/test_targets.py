#!/usr/bin/python3
"""Which programs wperf samples and names: threads, children, libraries that are loaded and unloaded, files that are
deleted, in memory, in containers."""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys

import harness
import own_samples
from harness import Context, Done, Skip, check
from own_samples import check_resolved, check_work, sample_its_work

BIG_SECONDS = 200
PERF_MAP, JITDUMP = r"perf-\d+\.map", r"jit-\d+\.dump"


def check_module(t: Context, pattern: str) -> None:
    """Most samples are in the module.  The table of functions does not show it if all samples are in one module."""
    rows = harness.csv_of(t.good("report", "--sort", "module", "--csv"))
    check(re.fullmatch(pattern, rows[0]["module"]) is not None, f"most of the samples are in {pattern}: {rows}")


def check_ratio(done: Done, first: str, second: str, ratio: float) -> None:
    """The first function has `ratio` times the samples of the second, within five standard errors."""
    a, b = harness.row_named(done, first).count, harness.row_named(done, second).count
    sigma = (a + ratio * ratio * b) ** 0.5
    check(abs(a - ratio * b) < 5 * sigma + 5, f"{first} has {a} samples, {second} {b}: expected {ratio} times", done)


def test_threads_children_and_exec(t: Context) -> None:
    done = t.good("record", "--", t.program("family"), "200", t.program("spin"), "400")
    check_ratio(done, "thread_two:family", "thread_one:family", 2)
    check_ratio(done, "thread_three:family", "thread_one:family", 3)
    check_ratio(done, "child_work:family", "thread_one:family", 1)
    check_ratio(done, "spin_here:spin", "thread_one:family", 2)
    check_resolved(t, done)
    by_process = harness.csv_of(t.good("report", "--sort", "process,module", "--csv"))
    check({row["module"] for row in by_process} >= {"family", "spin"}, f"rows by process: {by_process}")


def test_attached_threads_and_later_children(t: Context) -> None:
    target = t.start(t.program("family"), "600", t.program("spin"), "500")
    harness.wait_until(lambda: len(os.listdir(f"/proc/{target.pid}/task")) == 4, "the threads")
    done = t.good("sample", "-F", "999", "-p", str(target.pid))
    names = {row.symbol for row in harness.rows_of(done.out)}
    check({"thread_one:family", "thread_two:family", "thread_three:family"} <= names, "threads that ran already", done)
    check(target.wait(10) == 0, "the target ends by itself")
    later = t.start("sh", "-c", f"sleep 0.7; {t.program('spin')} 300")
    done = t.good("sample", "-F", "999", "-p", str(later.pid))
    check_work(done, "spin_here", "spin", 300)


@harness.limit(BIG_SECONDS)
def test_ten_thousand_children(t: Context) -> None:
    # The kernel's clock starts again in each child: a child that ends before the first interval has no sample.
    done = t.good("record", "-F", "20000", "--", t.program("many"), "forks", "10000", limit=BIG_SECONDS)
    own = own_samples.rows_of_module(done, "many")
    work = harness.row_named(done, "child_work:many").count
    check(work > 0.9 * sum(row.count for row in own), f"the work of the children: {own}", done)
    check_resolved(t, done)
    again = t.good("report", "--sort", "process", "--csv", "--sample-display-row", "100000")
    n = len(harness.csv_of(again))
    dump = t.good("dump").out
    sampled = set(re.findall(r"^.* SAMPLE .* pid (\d+)", dump, re.M))
    check(n == len(sampled) > 1000, f"{n} processes in the report, {len(sampled)} in the samples")
    children = len(re.findall(r"^.* FORK ", dump, re.M))
    check(children == 10000, f"{children} processes were started")
    check(again.cpu_seconds < 20, f"report took {again.cpu_seconds:.1f} s of CPU time")
    harness.note(f"record {done.seconds:.1f} s, report {again.seconds:.1f} s, {n} processes with samples")


@harness.limit(BIG_SECONDS)
def test_twenty_thousand_files(t: Context) -> None:
    done = t.good("record", "--", t.program("many"), "maps", "20000", limit=BIG_SECONDS)
    own = own_samples.rows_of_module(done, "many")
    work = harness.row_named(done, "map_work:many").count
    check(work > 0.8 * sum(row.count for row in own), f"the work between the maps: {own}", done)
    check_resolved(t, done)
    maps = set(re.findall(r" MMAP2 .* path \S*/(mapped-\d+) ", t.good("dump").out))
    check(len(maps) == 20000, f"{len(maps)} files were mapped")
    again = t.good("report")
    check(again.cpu_seconds < 20, f"report took {again.cpu_seconds:.1f} s of CPU time")
    size = os.path.getsize(t.path("wperf.data"))
    harness.note(f"record {done.seconds:.1f} s, report {again.seconds:.1f} s, {size / 1e6:.1f} MB")


@harness.limit(BIG_SECONDS)
def test_attach_with_twenty_thousand_maps(t: Context) -> None:
    target = t.started_ready(t.program("many"), "stay", "20000")
    done = t.good("sample", "-F", "999", "-p", str(target.pid), "--timeout", "1", limit=BIG_SECONDS)
    check_work(done, "map_work", "many")
    check_resolved(t, done)
    check(done.cpu_seconds < 20, f"sample took {done.cpu_seconds:.1f} s of CPU time")


def test_two_libraries_at_one_address(t: Context) -> None:
    """A name is correct for its time: each library has been at the other one's address."""
    rounds = []
    for _ in range(4):
        rounds += ["load", t.program("part_one.so"), "work", "60", "close",
                   "load", t.program("part_two.so"), "work", "120", "close"]
    done = t.good("record", "--", t.program("loader"), *rounds)
    places = re.findall(r"^0x[0-9a-f]+$", done.out, re.M)
    check(len(places) == 8 and len(set(places)) == 1, f"the loader puts both at one address: {places}", done)
    check_ratio(done, "work_of_two:part_two.so", "work_of_one:part_one.so", 2)
    check_resolved(t, done)


def copied(t: Context, program: str, name: str) -> str:
    path = t.path(name)
    shutil.copy(t.program(program), path)
    return path


def test_a_deleted_executable(t: Context) -> None:
    doomed = copied(t, "spin", "doomed")
    done = t.good("record", "--", doomed, "400", "unlink", doomed)
    check(not os.path.exists(doomed), "it is deleted")
    check_work(done, "spin_here", "doomed", 400)


def test_attach_to_a_deleted_executable(t: Context) -> None:
    doomed = copied(t, "spin", "doomed")
    target = t.started_ready(doomed, "60000", "unlink", doomed)
    done = sample_its_work(t, target.pid, 200, "-p", str(target.pid))
    check_work(done, "spin_here", "doomed")
    done = sample_its_work(t, target.pid, 200, "--pe_file", "doomed")
    check_work(done, "spin_here", "doomed")


def test_a_deleted_library(t: Context) -> None:
    doomed = copied(t, "part_one.so", "doomed.so")
    done = t.good("record", "--", t.program("loader"), "load", doomed, "work", "100", "unlink", doomed, "work", "400")
    check_work(done, "work_of_one", r"doomed\.so", 500)
    check_module(t, r"doomed\.so")


def test_a_replaced_library(t: Context) -> None:
    """Names must not come from another file at the same path."""
    doomed = copied(t, "part_one.so", "same.so")
    script = '"$1" load "$2" work 200; cp "$3" new.so; mv new.so "$2"; "$1" load "$2" work 200'
    done = t.good("record", "--", "sh", "-c", script, "sh", t.program("loader"), doomed, t.program("part_two.so"))
    quality = harness.quality_of(done)
    one = [row for row in harness.rows_of(done.out) if row.symbol == "work_of_one:same.so"]
    check(bool(one) or quality["unresolved"] > 0, "the first one is right or said to be unresolved", done)
    two = harness.row_named(done, "work_of_two:same.so").count
    both = sum(row.count for row in own_samples.rows_of_module(done, r"same\.so"))
    check(both > 200 and abs(two - both / 2) < 5 * (both / 4) ** 0.5 + 5,
          f"each has half of the samples, so that none of the first has the second's name: {two} of {both}", done)


def build_id(t: Context, path: str) -> str:
    notes = t.run(harness.need_tool("readelf"), "-n", path).out
    return re.search(r"Build ID: ([0-9a-f]+)", notes)[1]


def test_each_version_of_a_file_has_its_build_id(t: Context) -> None:
    """Also of a file that is overwritten, which keeps its inode."""
    path = copied(t, "part_one.so", "same.so")
    ids = {build_id(t, t.program("part_one.so")), build_id(t, t.program("part_two.so"))}
    for change in ('cp "$3" new.so; mv new.so "$2"', 'cat "$3" > "$2"'):
        shutil.copy(t.program("part_one.so"), path)
        script = '"$1" load "$2" work 100; ' + change + '; "$1" load "$2" work 100'
        t.good("record", "--", "sh", "-c", script, "sh", t.program("loader"), path, t.program("part_two.so"))
        maps = re.findall(r" MMAP2 .* build_id ([0-9a-f]+) .* path \S*/same\.so ", t.good("dump").out)
        check(set(maps) == ids, f"{change}: {maps}, expected {ids}")


def test_perf_runs_beside_a_recorder(t: Context) -> None:
    """perf 6.1 aborts if another recorder asks the kernel for build ids."""
    harness.need_root()
    perf = harness.need_tool("perf")
    if t.run(perf, "record", "-q", "-N", "-e", "cpu-clock", "-o", "alone.data", "--", t.program("spin"), "10").status:
        raise Skip("a machine on which perf record runs: another recorder may be there that asks for build ids")
    recorder = t.start(t.wperf, "record", "--no-stacks", "-a", "--session", "all.data", "--timeout", "20")
    harness.wait_until(lambda: os.path.exists(t.path("all.data")), "the recorder has begun")
    for i in range(3):
        done = t.run(perf, "record", "-q", "-N", "-e", "cpu-clock", "-o", f"perf{i}.data", "--", t.program("spin"), "300")
        check(done.status == 0, "perf record", done)
        check_work(t.good("report", "-i", f"perf{i}.data"), "spin_here", "spin", 300)
    done = t.run(perf, "record", "-q", "-N", "-o", "outer.data", "--", t.wperf, "record", "--", t.program("spin"), "300")
    check(done.status == 0, "perf record of wperf record", done)
    recorder.send_signal(signal.SIGINT)
    check(recorder.wait(harness.WAIT_SECONDS) == 0, "the recorder ends")


def test_a_program_in_memory(t: Context) -> None:
    done = t.good("record", "--", t.program("loader"), "memfd", t.program("spin"), "400")
    check_work(done, "spin_here", "memfd:in-memory", 400)


IN_NAMESPACE = 'mount -t tmpfs none "$1" && cp "$2" "$1/hidden" && cp "$3" "$1/jitted" && shift 3 && exec "$@"'


def namespace_command(t: Context, *argv: str) -> list[str]:
    harness.need_root()
    harness.need_tool("unshare")
    os.makedirs(t.path("inner"), exist_ok=True)
    probe = t.run("unshare", "-mpf", "--mount-proc", "sh", "-c", 'mount -t tmpfs none "$1"', "sh", t.path("inner"))
    if probe.status:
        raise Skip("mount and PID namespaces")
    return ["unshare", "-mpf", "--mount-proc", "sh", "-c", IN_NAMESPACE, "sh", t.path("inner"), t.program("spin"),
            t.program("jit"), *argv]


def test_another_mount_and_pid_namespace(t: Context) -> None:
    done = t.good("record", "--", *namespace_command(t, t.path("inner/hidden"), "500"))
    check(not os.path.exists(t.path("inner/hidden")), "the program is not to be seen from here")
    check_work(done, "spin_here", "hidden", 500)
    check_module(t, "hidden")
    check(harness.quality_of(done)["lost"] == 0, "none lost", done)


def test_attach_in_another_namespace(t: Context) -> None:
    outer = t.start(*namespace_command(t, t.path("inner/hidden"), "60000"))
    check(outer.stdout.readline() == b"ready\n", "it runs")
    pid = find_by_name("hidden")
    done = sample_its_work(t, pid, 200, "-p", str(pid))
    check_work(done, "spin_here", "hidden")
    # A later report, while the target runs.
    check_work(t.good("report"), "spin_here", "hidden")
    done = sample_its_work(t, pid, 200, "--pe_file", "hidden")
    check_work(done, "spin_here", "hidden")


def test_the_same_in_a_chroot(t: Context) -> None:
    """/proc/PID/maps has the paths of another mount namespace relative to that namespace's root, not to the target's."""
    harness.need_mounts()
    os.mkdir(t.path("root"))
    script = 'mount --rbind / "$0" && exec chroot "$0" "$@"'
    done = t.run("unshare", "-m", "sh", "-c", script, t.path("root"), sys.executable, os.path.abspath(__file__), t.wperf,
                 os.path.dirname(os.path.dirname(t.programs)), "attach_in_another_namespace")
    check("ok 1 - attach in another namespace\n" in done.out and "not ok" not in done.out, "it passes there", done)


def find_by_name(name: str) -> int:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == name:
                return int(pid)
        except OSError:
            pass
    raise AssertionError(f"no process {name}")


def test_a_perf_map(t: Context) -> None:
    done = t.good("record", "--", t.program("jit"), "400")
    check_work(done, "jit_hot_loop", PERF_MAP, 400)
    remove_perf_maps()


def test_a_perf_map_by_the_inner_pid(t: Context) -> None:
    """In there /tmp is another folder, too, and the PID in the file's name is the one that the JIT sees."""
    # The scratch folder may be below /tmp, which is hidden then, so the program runs from a descriptor.
    script = 'exec 9<"$1"; shift; mount -t tmpfs none /tmp && exec /proc/self/fd/9 "$@"'
    done = t.good("record", "--", *namespace_command(t, "sh", "-c", script, "sh", t.path("inner/jitted"), "400"))
    check_work(done, "jit_hot_loop", PERF_MAP, 400)


def test_a_jitdump(t: Context) -> None:
    done = t.good("record", "--", t.program("jitdumper"), t.folder, "400")
    check_work(done, "dumped_loop", JITDUMP, 400)
    check_module(t, JITDUMP)
    check_work(t.good("report"), "dumped_loop", JITDUMP, 400)


def test_a_jitdump_with_replaced_code(t: Context) -> None:
    done = t.good("record", "--", t.program("jitdumper"), t.folder, "400", "again")
    check_work(done, "dumped_loop", JITDUMP, 400)


def test_a_jitdump_that_was_removed(t: Context) -> None:
    done = t.good("record", "--", t.program("jitdumper"), t.folder, "400", "gone")
    check_work(done, "dumped_loop", JITDUMP, 400)


def test_a_jitdump_in_another_namespace(t: Context) -> None:
    """Its name has the PID that the JIT sees, and its folder is not visible from here."""
    argv = namespace_command(t, "sh", "-c", 'cp "$1" "$2/jd" && exec "$2/jd" "$2" 400', "sh", t.program("jitdumper"),
                             t.path("inner"))
    done = t.good("record", "--", *argv)
    check_work(done, "dumped_loop", JITDUMP, 400)


def remove_perf_maps() -> None:
    """Those that our own jit program left."""
    for name in os.listdir("/tmp"):
        if re.fullmatch(r"perf-\d+\.map", name):
            path = os.path.join("/tmp", name)
            with open(path, encoding="utf-8", errors="replace") as file:
                ours = "jit_hot_loop" in file.read(4096)
            if ours:
                os.remove(path)


def test_a_target_that_ends_at_once(t: Context) -> None:
    for _ in range(5):
        short = t.start(t.program("spin"), "1", stdout=subprocess.DEVNULL)
        done = t.ours("sample", "-p", str(short.pid), "--timeout", "50")
        short.wait()
        check(done.status in (0, 1) and done.seconds < 45, "a table or a sentence, before the time is over", done)
        if done.status:
            harness.check_sentence(done, str(short.pid))
        else:
            harness.quality_of(done)


def test_no_such_target(t: Context) -> None:
    ended = t.start("true")
    ended.wait()
    done = t.ours("sample", "-p", str(ended.pid), "--timeout", "1")
    check(done.status == 1, "status 1", done)
    harness.check_sentence(done, f"no process {ended.pid}")
    done = t.ours("sample", "--pe_file", "no-such-image", "--timeout", "1")
    check(done.status == 1, "status 1", done)
    harness.check_sentence(done, "no running process has the image 'no-such-image'")


def test_no_such_cpu(t: Context) -> None:
    """-c is a period in perf, which is a large number."""
    for cpu, hint in ((999, ""), (2000, "; for a period write cycles:2000")):
        done = t.ours("record", "-c", str(cpu), "--", "true")
        check(re.fullmatch(rf"wperf: no such CPU: {cpu} \(online are [-0-9,]+\){hint}\n", done.err) is not None, f"CPU {cpu}", done)


def test_all_processes_and_some(t: Context) -> None:
    for command in "record", "stat", "top":
        done = t.ours(command, "-a", "-p", str(os.getpid()))
        check(done.status == 2, f"{command}: wrong usage", done)
        harness.check_sentence(done, "-p and -a cannot be used together")


def need_clock_of_the_vdso() -> None:
    """With other sources the vDSO asks the kernel."""
    path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            if file.read().strip() not in ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"):
                raise Skip("a clock source that the vDSO reads")


def vdso_functions(t: Context) -> tuple[dict[str, int], set[int]]:
    """The functions of the vDSO that have names, and the starts of all that have call-frame information, as binutils reads
    them in our own vDSO."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        start, end = re.search(r"^(\w+)-(\w+) .*\[vdso\]$", maps.read(), re.M).groups()
    with open("/proc/self/mem", "rb") as memory, open(t.path("vdso.so"), "wb") as copy:
        memory.seek(int(start, 16))
        copy.write(memory.read(int(end, 16) - int(start, 16)))
    readelf = harness.need_tool("readelf")
    table = t.run(readelf, "-W", "--dyn-syms", t.path("vdso.so")).out
    frames = t.run(readelf, "--debug-dump=frames", t.path("vdso.so")).out
    return ({name: int(at, 16) for at, name in re.findall(r"^ +\d+: ([0-9a-f]+) .* FUNC .* (\w+)@", table, re.M)},
            {int(at, 16) for at in re.findall(r" FDE .* pc=([0-9a-f]+)\.\.", frames)})


def test_the_vdso(t: Context) -> None:
    """The clock may be read in a local function of the vDSO, which has no name: then its row is named by its start."""
    need_clock_of_the_vdso()
    done = t.good("record", "--", t.program("calls"), "vdso", "500")
    inside = [row for row in harness.rows_of(done.out) if row.symbol.endswith(":[vdso]")]
    check(sum(row.count for row in inside) > 500 * own_samples.HZ / 4000, "samples of [vdso]", done)
    names, starts = vdso_functions(t)
    known = set(names) | {f"{start:#x}" for start in starts}
    for row in inside:
        check(row.symbol.split(":")[0] in known, f"{row.symbol} is one of {known}", done)
    named = [row.symbol.split(":")[0] for row in inside if not own_samples.is_nameless(row.symbol)]
    check(not named or set(named) & {"__vdso_clock_gettime", "clock_gettime", "__kernel_clock_gettime"}, f"its name: {named}", done)


def test_a_function_of_the_vdso_without_a_name(t: Context) -> None:
    """Moves the samples of the vDSO into such a function, where another kernel or hypervisor may have them."""
    need_clock_of_the_vdso()
    names, starts = vdso_functions(t)
    nameless = sorted(starts - set(names.values()))
    if not nameless:
        raise Skip("a function of the vDSO without a name")
    t.good("record", "-q", "--", t.program("calls"), "vdso", "300")
    dump = t.good("dump").out
    start, size = (int(number, 16) for number in re.search(r" start (0x\w+) len (0x\w+) .* path \[vdso\] ", dump).groups())
    sampled = [int(ip, 16) for ip in re.findall(r" SAMPLE .* ip (0x[0-9a-f]+) ", dump)]
    inside = [ip for ip in sampled if start <= ip < start + size]
    with open(t.path("wperf.data"), "r+b") as file:
        content = file.read()
        for ip in set(inside):
            content = content.replace(struct.pack("=Q", ip), struct.pack("=Q", start + nameless[0] + 4))
        file.seek(0)
        file.write(content)
    row = harness.row_named(t.good("report"), f"{nameless[0]:#x}:[vdso]")
    check(row.count == len(inside) > 30, f"{row} has the {len(inside)} samples")


def test_the_kernel(t: Context) -> None:
    harness.need_root()
    done = t.good("record", "-k", "--", t.program("calls"), "kernel", "700")
    kernel = [row for row in harness.rows_of(done.out) if row.symbol.endswith(":[kernel.kallsyms]")]
    check(sum(row.share for row in kernel) > 25, "time in the kernel", done)
    check(not any(row.symbol.startswith(("unknown", "0x")) for row in kernel), "all of it named", done)
    check(any("getppid" in row.symbol or "syscall" in row.symbol or "SYSCALL" in row.symbol for row in kernel),
          "what a system call runs through", done)


def test_without_the_kernel_its_share_is_told(t: Context) -> None:
    done = t.good("record", "--", t.program("calls"), "kernel", "700")
    match = re.search(r", (\d+) % of the CPU time was in the kernel; add -k", done.out.splitlines()[-1])
    check(match is not None and 20 < int(match[1]) <= 100, "the share in the quality line", done)


if __name__ == "__main__":
    harness.main(__name__)
