#!/usr/bin/python3
"""Records a machine that starts many short-lived programs, and watches the memory and descriptors of the recorder.

The load is limited: --rate programs a second, copies of a program with different inodes, half of them deleted while
they run, and shells with pipelines.  The tool reads the memory and the descriptors of the recorder 720 times, and
prints them each --every seconds and by quarters.  It fails if one of them grows from the second quarter to the last, if
the session cannot be read, or if the recorder does not end.

Resident memory varies with the load, and a small leak fills holes of the heap before resident memory grows.  Therefore
a library that is loaded into the recorder counts the blocks that malloc() returned and that were not freed, and their
bytes.  The recorder has some 3000 blocks, so a leak of one block for each program shows within minutes.
"""
import argparse
import mmap
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

# Limits for the growth of the lowest tenth from the second quarter to the last; in the first quarter tables are filled.
GROWTH_BLOCKS = 4000
GROWTH_MIB = 2  # of malloc()
GROWTH_RESIDENT_MIB = 8
GROWTH_FDS = 16
MOST_FDS = 1600  # 256 files at their paths, 1024 that are not, 128 namespaces and their roots, events
N_LOOKS = 720
END_SECONDS = 600  # the table of an hour takes three minutes if 30 programs compete for each CPU

PROGRAM = """
#include <stdio.h>
int main(void)
{
        volatile unsigned long sum = 0;
        for (unsigned long i = 0; i < 3000000; i++)
                sum += i * i;
        return sum == 1;
}
"""


# Blocks of malloc() and their bytes, in the file that SOAK_COUNTS names.  It works with glibc alone.
COUNTER = """
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static long own[2], *counts = own;

__attribute__((constructor)) static void begin(void)
{
        const char *path = getenv("SOAK_COUNTS");
        int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
        long *shared = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(own), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        if (shared == MAP_FAILED)
                abort();
        shared[0] = own[0];
        shared[1] = own[1];
        counts = shared;
}

static void *count(void *block, long sign)
{
        if (block) {
                __atomic_add_fetch(&counts[0], sign, __ATOMIC_RELAXED);
                __atomic_add_fetch(&counts[1], sign * (long)malloc_usable_size(block), __ATOMIC_RELAXED);
        }
        return block;
}

void *malloc(size_t size)
{
        return count(__libc_malloc(size), 1);
}

void *calloc(size_t n, size_t size)
{
        return count(__libc_calloc(n, size), 1);
}

void *realloc(void *old, size_t size)
{
        count(old, -1);
        return count(__libc_realloc(old, size), 1);
}

void *memalign(size_t alignment, size_t size)
{
        return count(__libc_memalign(alignment, size), 1);
}

void *aligned_alloc(size_t alignment, size_t size)
{
        return memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
        *ret = memalign(alignment, size);
        return *ret ? 0 : 12;
}

void free(void *block)
{
        count(block, -1);
        __libc_free(block);
}
"""


def compile_text(text: str, path: str, *options: str) -> str:
    subprocess.run(["cc", "-O1", *options, "-x", "c", "-", "-o", path], input=text, text=True, check=True)
    return path


class Load:
    """Starts programs at a steady rate and reaps them; at most 16 at a time."""

    def __init__(self, folder: str, rate: float):
        self.folder = folder
        self.program = compile_text(PROGRAM, os.path.join(folder, "work"))
        self.gap = 1 / rate
        self.next_time = time.monotonic()
        self.running: list[tuple[subprocess.Popen, str]] = []
        self.started = 0

    def start_copy(self) -> None:
        path = os.path.join(self.folder, f"copy{self.started}")
        shutil.copy(self.program, path)
        child = subprocess.Popen([path])
        if self.started % 2:
            os.unlink(path)
            path = ""
        self.running.append((child, path))

    def start_shell(self) -> None:
        child = subprocess.Popen(["sh", "-c", "ls /usr/bin | sort | uniq -c | tail -n 1"], stdout=subprocess.DEVNULL)
        self.running.append((child, ""))

    def reap(self, wait: bool) -> None:
        left = []
        for child, path in self.running:
            if wait:
                child.wait()
            if child.poll() is None:
                left.append((child, path))
            elif path:
                os.unlink(path)
        self.running = left

    def step(self) -> None:
        self.reap(wait=False)
        if time.monotonic() < self.next_time or len(self.running) >= 16:
            time.sleep(0.002)
            return
        self.next_time = max(self.next_time + self.gap, time.monotonic() - 1)
        self.started += 1
        if self.started % 5:
            self.start_copy()
        else:
            self.start_shell()


@dataclass
class Look:
    """The resources of the recorder at one time."""

    seconds: float
    blocks: int  # of malloc()
    mib: float  # their bytes
    resident_mib: float  # all private memory of the recorder
    files_mib: float  # pages of the files that it reads, which the system may reclaim
    fds: int  # descriptors except for those of other programs' files and namespaces
    all_fds: int

    def __str__(self) -> str:
        return (f"{self.seconds:7.0f} s {self.blocks:7d} blocks {self.mib:7.1f} MiB "
                f"{self.resident_mib:7.1f} MiB resident "
                f"{self.files_mib:6.1f} MiB of files {self.fds:3d} of {self.all_fds:4d} descriptors")


def count_fds(pid: int, folder: str) -> tuple[int, int]:
    """The number of descriptors that do not lead out of the folder (others vary with the programs of a busy machine),
    and of all."""
    count, names = 0, os.listdir(f"/proc/{pid}/fd")
    for name in names:
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            continue
        count += target.startswith(folder) or not target.startswith(("/", "mnt:"))
    return count, len(names)


class Recorder:
    """`wperf record` with a library that counts allocations."""

    def __init__(self, command: list[str], folder: str):
        library = compile_text(COUNTER, os.path.join(folder, "counter.so"), "-shared", "-fPIC")
        path = os.path.join(folder, "counts")
        with open(path, "wb") as file:
            file.truncate(mmap.PAGESIZE)
        with open(path, "rb") as file:
            self.counts = mmap.mmap(file.fileno(), mmap.PAGESIZE, prot=mmap.PROT_READ)
        self.folder = folder
        self.log = os.path.join(folder, "log")
        self.start = time.monotonic()
        with open(self.log, "wb") as out:
            # A session of its own, so that it does not share the load's part of the CPUs.
            self.process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True,
                                            env={**os.environ, "LD_PRELOAD": library, "SOAK_COUNTS": path})

    def look(self) -> Look:
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file)
        resident, files = (int(fields[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile"))
        blocks, n_bytes = struct.unpack("ll", self.counts[:16])
        return Look(time.monotonic() - self.start, blocks, n_bytes / 2**20, resident, files,
                    *count_fds(self.process.pid, self.folder))


def watch(recorder: Recorder, load: Load, seconds: float, every: float) -> list[Look]:
    next_print = every
    seen = []
    while recorder.process.poll() is None and time.monotonic() - recorder.start < seconds:
        load.step()
        if time.monotonic() - recorder.start < (len(seen) + 1) * seconds / N_LOOKS:
            continue
        try:
            seen.append(recorder.look())
        except (OSError, KeyError):
            break
        if seen[-1].seconds >= next_print:
            next_print += every
            print(f"{seen[-1]} {load.started:8d} programs", flush=True)
    return seen


# name, unit, digits, allowed growth, figure
FIGURES = (("blocks", "blocks", 0, GROWTH_BLOCKS, lambda look: look.blocks),
           ("malloc", "MiB", 1, GROWTH_MIB, lambda look: look.mib),
           ("resident", "MiB", 1, GROWTH_RESIDENT_MIB, lambda look: look.resident_mib),
           ("files", "MiB", 1, None, lambda look: look.files_mib),
           ("descriptors", "descriptors", 0, GROWTH_FDS, lambda look: look.fds),
           ("all descriptors", "descriptors", 0, None, lambda look: look.all_fds))


def quarters_of(seen: list[Look]) -> list[list[Look]]:
    size = len(seen) // 4
    return [seen[i * size:(i + 1) * size] for i in range(4)]


def show_quarters(seen: list[Look]) -> None:
    print("quarter: lowest tenth, median, highest")
    for number, quarter in enumerate(quarters_of(seen) if len(seen) >= 8 else [], 1):
        texts = []
        for name, _, digits, _, figure in FIGURES:
            values = [figure(look) for look in quarter]
            low, middle, high = lowest_tenth(values), statistics.median(values), max(values)
            texts.append(f"{name} {low:.{digits}f} {middle:.{digits}f} {high:.{digits}f}")
        print(f"{number}: {', '.join(texts)}")


def lowest_tenth(values: list[float]) -> float:
    return statistics.quantiles(values, n=10)[0]


def judge(seen: list[Look], limits: dict[str, float] | None = None) -> list[str]:
    """The problems: figures that grew from the second quarter to the last.  `limits`: other limits, by name of the
    figure."""
    quarters = quarters_of(seen)
    if len(quarters[0]) < 12:
        return ["too short to tell: at least 48 looks are needed"]
    problems = []
    for name, unit, digits, limit, figure in FIGURES:
        limit = (limits or {}).get(name, limit)
        early, late = (lowest_tenth([figure(look) for look in quarters[i]]) for i in (1, 3))
        if limit is not None and late - early > limit:
            problems.append(f"{name} grew from {early:.{digits}f} to {late:.{digits}f} {unit}")
    most = max(look.all_fds for look in seen)
    if most > MOST_FDS:
        problems.append(f"{most} descriptors, more than {MOST_FDS}")
    return problems


def end(recorder: Recorder) -> list[str]:
    """Stops the recorder as a user does, and waits for its table."""
    start = time.monotonic()
    recorder.process.terminate()
    peak = 0.0
    while recorder.process.poll() is None:
        if time.monotonic() - start > END_SECONDS:
            recorder.process.kill()
            return [f"the recorder did not end within {END_SECONDS} s"]
        try:
            peak = max(peak, recorder.look().resident_mib)
        except (OSError, KeyError):
            pass
        time.sleep(0.02)
    print(f"end: {time.monotonic() - start:.1f} s, at most {peak:.1f} MiB resident")
    status = recorder.process.returncode
    return [] if status == 0 else [f"the recorder exited with {status}"]


def soak(options: argparse.Namespace, folder: str) -> list[str]:
    session = os.path.join(folder, "session")
    command = [options.wperf, "record", "-a", "-F", str(options.freq), "-z", "--session", session, *options.option]
    load = Load(folder, options.rate)
    recorder = Recorder(command, folder)
    seen = watch(recorder, load, options.seconds, options.every)
    ended = recorder.process.poll() is not None
    problems = [] if ended else end(recorder)
    load.reap(wait=True)
    with open(recorder.log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    print("\n".join(lines[-3:]))
    if ended:
        problems.append(f"the recorder ended by itself, exit status {recorder.process.returncode}")
    if options.keep:
        shutil.copy(session, options.keep)
    print(f"{load.started} programs, session of {os.path.getsize(session) / 1e6:.1f} MB")
    show_quarters(seen)
    return problems + judge(seen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("wperf", help="the program to watch")
    parser.add_argument("--seconds", type=float, default=3600, help="how long, default 3600")
    parser.add_argument("--every", type=float, default=60, metavar="SECONDS", help="print a line every SECONDS, default 60")
    parser.add_argument("--rate", type=float, default=40, help="programs started a second, default 40")
    parser.add_argument("--freq", type=int, default=999, help="samples a second and CPU, default 999")
    parser.add_argument("--folder", default="/var/tmp", help="where session and programs lie, default /var/tmp")
    parser.add_argument("--keep", metavar="FILE", help="copy the session to FILE")
    parser.add_argument("--option", action="append", default=[], help="an option for wperf record, as --option=-g")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="wperf-soak-", dir=options.folder)
    try:
        problems = soak(options, folder)
    finally:
        shutil.rmtree(folder)
    for problem in problems:
        print(f"failed: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
