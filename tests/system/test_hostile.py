#!/usr/bin/python3
"""Small files that unpack to, or name, much more than their own size: the memory of each command stays limited, wperf
says what was left out, and the profile counts as poor.  With HOSTILE_SIZES=full in the environment (`./check hostile`) the inputs are
several times as large, and so is the limit."""
import os
import re
import shutil
import time

import harness
from harness import Context, Done, Skip, check

FULL = os.environ.get("HOSTILE_SIZES") == "full"


def sized(ordinary: int, full: int) -> int:
    return full if FULL else ordinary


MAX_MIB = 64
# What is not counted, and what a sanitizer needs.
REST_MIB = 220
ASAN_OPTIONS = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=16"
N_NAMES, NAME_BYTES = 4000, 200_000
SECTION_BYTES = 100_000_000
N_FRAMES, FRAME_BYTES = 12, sized(30_000_000, 50_000_000)
N_PROCESSES, PATH_BYTES = sized(100_000, 250_000), 200
N_ENDS = sized(200_000, 1_000_000)
N_STACKS, N_FEW_STACKS, STACK_FRAMES = sized(25_000, 100_000), 500, 50
# For the tests with these sizes.
SMALL_MIB = sized(16, MAX_MIB)
TWO_THREADS_MIB = sized(32, MAX_MIB)


def make(t: Context, kind: str, name: str, n: int, size: int = 0) -> str:
    done = t.run(t.program("make_hostile"), kind, t.path(name), str(n), str(size))
    if done.status and "this build has no" in done.err:
        raise Skip("zlib or zstd in this build")
    check(done.status == 0, f"make_hostile {kind}", done)
    return t.path(name)


def bounded(t: Context, *argv: str, max_mib: int = MAX_MIB, most_mib: int = 0, starter: tuple[str, ...] = ()) -> Done:
    """Runs with a limit, by `starter`, which becomes wperf.  The maximum memory of the process is the kernel's figure; it is at most
    `most_mib`, or what the limit allows."""
    with open(t.path("out"), "wb") as out, open(t.path("err"), "wb") as err:
        begin = time.monotonic()
        process = t.start(*starter, t.wperf, argv[0], "--max-memory", str(max_mib), *argv[1:], stdout=out, stderr=err,
                          env=harness.environment(ASAN_OPTIONS=ASAN_OPTIONS))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
    texts = []
    for name in ("out", "err"):
        with open(t.path(name), encoding="utf-8", errors="replace") as file:
            texts.append(file.read())
    done = Done(process.returncode, texts[0], texts[1], seconds, usage.ru_utime)
    rss_mib = usage.ru_maxrss // 1024
    harness.note(f"{argv[0]}: {seconds:.2f} s, {usage.ru_utime:.2f} s of CPU time, {rss_mib} MiB, {len(done.out) / 1e6:.1f} MB of output")
    check(done.status >= 0, "no signal", done)
    check(rss_mib < (most_mib or max_mib + REST_MIB), f"{rss_mib} MiB of memory", done)
    return done


def test_symbols_that_share_a_long_name(t: Context) -> None:
    module = make(t, "names", "names.elf", N_NAMES, NAME_BYTES)
    make(t, f"samples:{module}", "names.data", N_NAMES)
    done = bounded(t, "report", "-i", "names.data", "--strict", "-s", "none")
    check(done.status == 3, "poor", done)
    check("left out for lack of memory: names longer than 64 KiB of names.elf" in done.out, "the quality line", done)
    done = bounded(t, "report", "-i", "names.data", "--json", "-s", "none")
    quality = harness.document_of(done)["quality"]
    check(quality["poor"] and quality["left_out"] == "names longer than 64 KiB of names.elf", f"in JSON: {quality}")
    addresses = [hex(0x400000 + 16 * i) for i in range(0, N_NAMES, 3)]
    done = bounded(t, "symbolize", "-e", module, *addresses)
    check("names longer than 64 KiB of names.elf" in done.err, "said by symbolize", done)
    check(done.out.count("\n") == len(addresses), "a line for each address")


def test_lists_copy_names(t: Context) -> None:
    """Each list, tree and drawing has copies of the names, which are just too short to be left out first."""
    n = sized(1500, N_NAMES)
    module = make(t, "names", "names.elf", n, 60_000)
    make(t, f"samples:{module}", "names.data", n)
    for argv in (["report", "-g"], ["report", "-g", "--inverted"], ["archive", "-o", t.path("packed.data")],
                 ["export", "--format", "folded", "-o", t.path("folded")]):
        done = bounded(t, *argv, "-i", "names.data", max_mib=sized(96, 512))
        check("names of names.elf" in done.out + done.err, "said", done)


def test_archive_sections(t: Context) -> None:
    make(t, "archive", "bomb.data", 0, 240_000_000)
    done = bounded(t, "report", "-i", "bomb.data", "--strict", "-g", "-v")
    check(done.status == 3, "poor", done)
    check(done.out.count("needs more memory than --max-memory allows") + done.err.count("needs more memory than --max-memory allows") == 3,
          "each section", done)
    bounded(t, "dump", "-i", "bomb.data")


def test_sections_on_one_stream(t: Context) -> None:
    module = make(t, "sections", "sections.elf", 12, SECTION_BYTES)
    make(t, f"samples:{module}", "sections.data", 1)
    for argv in (["symbolize", "-e", module, "0x400000"], ["report", "-i", "sections.data", "-g"],
                 ["report", "-i", "sections.data", "--inlines"], ["annotate", "-i", "sections.data"],
                 ["export", "-i", "sections.data", "--format", "folded", "-o", t.path("folded")]):
        done = bounded(t, *argv)
        if argv[0] == "report":
            check("left out for lack of memory: inlined frames and lines of sections.elf" in done.out,
                  "the quality line", done)


def test_frames_that_unpack_to_too_much(t: Context) -> None:
    make(t, "frames", "frames.data", N_FRAMES, FRAME_BYTES)
    done = bounded(t, "report", "-i", "frames.data", "--strict")
    check(done.status == 3, "poor", done)
    check("they decompress to more than 4096 times their size" in done.out, "the quality line", done)
    done = bounded(t, "dump", "-i", "frames.data")
    check("overblown_bytes" in done.out, "said by dump")
    check(len(done.out) < 8 * FRAME_BYTES, f"{len(done.out) / 1e6:.0f} MB of output")


def test_stacks_and_threads_without_end(t: Context) -> None:
    """Each sample has its own thread name and stack: 5 million nodes at full size."""
    make(t, "stacks", "stacks.data", N_STACKS, STACK_FRAMES)
    for argv in (["-g"], ["-g", "--inverted"]):
        done = bounded(t, "report", "-i", "stacks.data", "--strict", *argv, max_mib=SMALL_MIB)
        check(done.status == 3, "poor", done)
        check(f"quality: {N_STACKS} samples, 0 lost" in done.out, "all samples", done)
        check("(not enough memory for their callers)" in done.out, "why stacks are cut", done)
        check("not enough memory for all call stacks" in done.out, "why it is poor", done)
        check("left out for lack of memory: call stacks" in done.out and "of stacks.data" in done.out,
              "the quality line", done)
    bounded(t, "export", "-i", "stacks.data", "--format", "folded", "-o", t.path("stacks.folded"), max_mib=SMALL_MIB)
    with open(t.path("stacks.folded"), encoding="utf-8") as file:
        counts = [int(line.rsplit(" ", 1)[1]) for line in file]
    check(sum(counts) == N_STACKS, f"all samples are in the tree: {sum(counts)}")
    make(t, "stacks", "few.data", N_FEW_STACKS, STACK_FRAMES)
    done = bounded(t, "report", "-i", "few.data", "-g", max_mib=SMALL_MIB)
    check(f"{N_FEW_STACKS} stacks not checked for cuts" in done.out and "left out for lack of memory" not in done.out, "enough memory", done)


def test_processes_without_end(t: Context) -> None:
    """Each process has its own path, in 46 MB, or 116, that several threads read: all of them need the same processes."""
    make(t, "processes", "processes.data", N_PROCESSES, PATH_BYTES)
    for argv in ([], ["-g"], ["--sort", "pid"]):
        done = bounded(t, "report", "-i", "processes.data", "--strict", *argv, max_mib=TWO_THREADS_MIB)
        check(done.status == 3, "poor", done)
        check(f"quality: {N_PROCESSES} samples, 0 lost" in done.out, "all samples", done)
        left_out = done.out[done.out.find("left out for lack of memory"):]
        check("records" in left_out and "of processes.data" in left_out, "the quality line", done)


def test_modules_without_end(t: Context) -> None:
    """In records of some 100 KB that unpack to 1 MB, 20 or 120: what describes a module takes more memory than its record, there are
    copies of its path, and many records are held at a time."""
    for n, size in ((8000, 10), (5000, 4000), (4000, 30_000)):
        make(t, "modules", "modules.data", n, size)
        for argv in (["report", "-g"], ["archive", "-o", t.path("packed.data")]):
            done = bounded(t, *argv, "-i", "modules.data", max_mib=SMALL_MIB, most_mib=SMALL_MIB + 110)
            check(re.search("left out for lack of memory: .*records.* of modules.data", done.out + done.err) is not None, f"{n} modules: said", done)


def test_ends_of_chains_without_end(t: Context) -> None:
    make(t, "ends", "ends.data", N_ENDS)
    done = bounded(t, "report", "-i", "ends.data", "--strict", max_mib=SMALL_MIB)
    check(done.status == 3, "poor", done)
    check(f"quality: {N_ENDS} samples, 0 lost" in done.out, "all samples", done)
    check("left out for lack of memory: sampled addresses of ends.data" in done.out, "the quality line", done)
    check(re.search(r" cut stacks \((?:\d+: )?not enough memory for their callers", done.out) is not None, "why they are cut", done)
    for kind in "speedscope", "firefox", "chrome", "perf-script":
        done = bounded(t, "export", "-i", "ends.data", "--format", kind, "-o", t.path("ends.out"), max_mib=SMALL_MIB)
        check("single samples of ends.data" in done.err.replace(" and sampled addresses", ""), f"said by {kind}", done)
    with open(t.path("ends.out"), encoding="utf-8") as file:
        written = sum(line.startswith("ends ") for line in file)
    check(N_ENDS / 10 < written < N_ENDS, f"{written} of {N_ENDS} samples are written")


def ordinary_cpu(t: Context, *argv: str) -> float:
    """The CPU time for an ordinary session of 1 MB, 2000 processes: what a hostile one of this size is compared with."""
    make(t, "processes", "ordinary.data", 2000, PATH_BYTES)
    return bounded(t, *argv, "-i", "ordinary.data").cpu_seconds


def no_slower(t: Context, ordinary: float, *argv: str, factor: float = 20, starter: tuple[str, ...] = ()) -> Done:
    """Work, as a ratio: neither the machine nor a sanitizer changes it much.  Without its limit it is 100 or more."""
    done = bounded(t, *argv, starter=starter)
    most = factor * max(ordinary, 0.05)
    check(done.cpu_seconds < most, f"{done.cpu_seconds:.2f} s of CPU time, more than {most:.2f}", done)
    return done


def test_symbols_that_are_hard_to_choose(t: Context) -> None:
    """All at one address, with names of 400,000 underscores that differ in length."""
    module = make(t, "underscores", "underscores.elf", 20_000, 400_000)
    make(t, f"samples:{module}", "underscores.data", 1)
    no_slower(t, ordinary_cpu(t, "report"), "report", "-i", "underscores.data")


def test_functions_that_contain_each_other(t: Context) -> None:
    """5,000 functions end at one address: together they have 200 MB of code, in a file of 125 KB."""
    module = make(t, "nested", "nested.elf", sized(5000, 12_000), 10)
    make(t, f"samples:{module}", "nested.data", sized(1000, 3000))
    ordinary = ordinary_cpu(t, "archive", "-o", t.path("packed.data"))
    no_slower(t, ordinary, "archive", "-o", t.path("packed.data"), "-i", "nested.data", factor=60)
    shutil.copy(t.path("nested.data"), t.path("again.data"))
    done = no_slower(t, ordinary, "diff", "--code", "nested.data", "again.data", factor=100)
    check("functions were left out" in done.out + done.err, "said by diff", done)


def test_functions_with_one_long_name(t: Context) -> None:
    n = sized(1500, 3000)
    module = make(t, "shared-name", "shared.elf", n, 120_000)
    make(t, f"samples:{module}", "shared.data", n)
    done = bounded(t, "annotate", "-i", "shared.data")
    check("more functions are not shown" in done.out, "said by annotate", done)
    shutil.copy(t.path("shared.data"), t.path("again.data"))
    bounded(t, "diff", "--code", "shared.data", "again.data")


def test_frames_of_a_jitdump(t: Context) -> None:
    """Each move of a function has its own index of all entries; entries have augmentations of 200,000 letters in turn."""
    dump = make(t, "jit-moves", "jit-77.dump", 4000, 16_000)
    make(t, f"jit-samples:{dump}", "jit.data", 3000)
    ordinary = ordinary_cpu(t, "report", "-g")
    done = no_slower(t, ordinary, "report", "-g", "-i", "jit.data")
    check("call stacks of jit-77.dump" in done.out, "the quality line", done)
    make(t, "jit-augmentations", "jit-77.dump", 12_000, 200_000)
    no_slower(t, ordinary, "report", "-g", "-i", "jit.data")


# Sessions of about 1 MB: kind, N and BYTES.
SESSIONS = [("forks", 3000, 0), ("overlaps", 3000, 0), ("comms", 7000, 0), ("ids", 20, 4000), ("branches", 20, 2000),
            ("build-ids", 16_000, 0), ("rounds", 120_000, 0)]


def test_records_that_cause_much_work(t: Context) -> None:
    """Linear work for each record, whatever it does to those before."""
    ordinary = ordinary_cpu(t, "report", "-g")
    for kind, n, size in SESSIONS:
        make(t, kind, f"{kind}.data", n, size)
        for argv in (["report", "-g"], ["report", "--sort", "comm,pid,module"], ["dump"],
                     ["export", "--format", "folded", "-o", t.path("folded")]):
            no_slower(t, ordinary, *argv, "-i", f"{kind}.data")


def with_perf_map(t: Context, n: int, size: int, *argv: str, **limits: int) -> Done:
    """Runs with a perf map of the process of make_hostile's sessions, which is where a runtime would write it."""
    make(t, "map", "map.txt", n, size)
    path = "/tmp/perf-77.map"
    if os.path.lexists(path):
        raise Skip(f"{path} is in use")
    try:
        shutil.copy(t.path("map.txt"), path)
        return bounded(t, *argv, **limits)
    finally:
        os.unlink(path)


def test_long_perf_map(t: Context) -> None:
    """One of 3 million lines: 37 MB; a list of them would need 200."""
    make(t, "samples:", "map.data", 1)
    done = with_perf_map(t, 3_000_000, 0, "report", "-i", "map.data")
    check("left out for lack of memory: names of perf-77.map" in done.out, "the quality line", done)


def test_overlapping_functions_of_a_perf_map(t: Context) -> None:
    """3000 functions of 1 MiB, each of which begins 16 bytes after the one before: archive asks for each address once.  A list of those of
    each function would need 512 MiB."""
    make(t, "samples:", "map.data", 3000)
    done = with_perf_map(t, 3000, 1 << 20, "archive", "-i", "map.data", "-o", t.path("packed.data"), max_mib=1024, most_mib=300)
    check("takes more memory than the 1024 MiB of --max-memory allow" in done.err, "said by archive", done)
    done = bounded(t, "report", "-i", "packed.data")
    check(re.search(r"100.00 +3000 +a:perf-77.map", done.out) is not None, "names in the archive", done)


def test_python_functions_with_one_long_name(t: Context) -> None:
    """20,000 functions whose names and paths are the ends of one text of 4 KiB: a name that does not fit is made once."""
    make(t, "python-codes", "codes.data", 20_000, 4096)
    make(t, "python-files", "files.data", sized(3000, 12_000), 3900)
    ordinary = ordinary_cpu(t, "report", "-g")
    for name, argv in (("codes", ["report", "-g"]), ("files", ["export", "--format", "folded", "-o", t.path("folded")]),
                       ("files", ["annotate"]), ("files", ["archive", "-o", t.path("packed.data")])):
        done = no_slower(t, ordinary, *argv, "-i", f"{name}.data", factor=40)
        check("names of a.pysyms" in done.out + done.err or argv[0] in ("annotate", "archive"), "said", done)


def test_functions_of_the_kernel(t: Context) -> None:
    """Lines of 24 bytes in the wrong order, each of its own module; and names of underscores, all at one address."""
    harness.need_mounts()
    make(t, "kernel-samples", "kernel.data", sized(4000, 8000))
    ordinary = ordinary_cpu(t, "report", "-g")
    for n, size in ((sized(15_000, 400_000), 0), (sized(250, 2500), 4000)):
        make(t, "kallsyms", "kallsyms", n, size)
        starter = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" /proc/kallsyms && exec "$@"', t.path("kallsyms"))
        for argv in (["report", "-g"], ["annotate"], ["archive", "-o", t.path("packed.data")], ["export", "--format", "folded"]):
            done = no_slower(t, ordinary, *argv, "--no-index", "-i", "kernel.data", starter=starter)
            name = "_" * 40 if size else " a [kernel.kallsyms]"
            check(name in done.out or argv[0] != "report", "names of the file", done)


FORMATS = ("folded", "speedscope", "firefox", "pprof", "callgrind", "perf-script", "svg")


def test_exports_of_long_paths(t: Context) -> None:
    """Each image of a trace of 150 KB has a path of 20,000 letters."""
    n = sized(1000, 4000)
    make(t, "etl", "paths.etl", n, 20_000)
    done = bounded(t, "report", "-i", "paths.etl", "--strict", max_mib=SMALL_MIB)
    check(done.status == 3, "poor", done)
    check(f"quality: {n} samples, 0 lost" in done.out, "all samples", done)
    check("images are left out for lack of memory" in done.out, "the note", done)
    check(re.search("left out for lack of memory: .*records.* of paths.etl", done.out) is not None, "the quality line", done)
    for form in FORMATS:
        bounded(t, "export", "-i", "paths.etl", "--format", form, "-o", t.path("out.export"), max_mib=SMALL_MIB)


if __name__ == "__main__":
    harness.main(__name__)
