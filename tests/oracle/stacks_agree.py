#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""By hand: compares the stacks that wperf unwinds from copies with gdb's backtraces at the same times.

    stacks_agree.py WPERF [-n STOPS] [--steps N] [--examples N] [SUBJECT...]

Each subject is built in its own folder and run under gdb, which stops it at random times and then at each of the next N
instructions, also in prologues, epilogues and stubs; registers, stack and maps are written into a session, which wperf
reads. Counts stacks with the same addresses in the same order, those where one is a prefix of the other, and others.
"""
import argparse
import collections
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SYSTEM = os.path.join(os.path.dirname(HERE), "system")
STACK_BYTES = 63 * 1024
REGS_MASK = 0xfff | 0xff << 16

SOURCES = {
    "exceptions.cpp": r"""
#include <functional>
#include <stdexcept>
#include <string>
static volatile unsigned long sink;
struct guard { ~guard() { for (int i = 0; i < 3000; i++) sink += i; } };
static __attribute__((noinline)) void thrower(int depth)
{
        guard g;
        if (depth == 0)
                throw std::runtime_error("deep" + std::to_string(sink % 7));
        thrower(depth - 1);
        sink++;
}
static __attribute__((noinline)) void call(const std::function<void(int)> &f, int n) { f(n); sink++; }
int main()
{
        for (;;) {
                try {
                        auto twice = [](int n) { thrower(n); thrower(n); };
                        call(twice, 6);
                } catch (const std::exception &e) {
                        for (int i = 0; i < 20000; i++)
                                sink += e.what()[0];
                }
        }
}
""",
    "rusty.rs": r"""
use std::collections::BTreeMap;
#[inline(never)]
fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
#[inline(never)]
fn fill(map: &mut BTreeMap<String, u64>, n: u64) { for i in 0..n { *map.entry(format!("{}", i * 7919 % 1000)).or_insert(0) += fib(8); } }
fn main() { let mut map = BTreeMap::new(); loop { fill(&mut map, 5000); let f = |x: &u64| fib(x % 12); let s: u64 = map.values().map(f).sum(); if s == 1 { break; } } }
""",
    "clock.c": r"""
#include <stdio.h>
#include <string.h>
#include <time.h>
static volatile unsigned long sink;
static __attribute__((noinline)) void ask(int depth)
{
        struct timespec t;
        char text[64];
        if (depth) { ask(depth - 1); sink++; return; }
        for (int i = 0; i < 50; i++) {
                clock_gettime(CLOCK_MONOTONIC, &t);
                sink += (unsigned long)t.tv_nsec;
                snprintf(text, sizeof(text), "%ld", t.tv_nsec);
                sink += strlen(text);
        }
}
int main(void) { for (;;) ask(5); }
""",
    "deep.c": r"""
static volatile unsigned long sink;
static __attribute__((noinline)) unsigned long down(unsigned long n) { volatile char room[40]; room[0] = (char)n; return n ? down(n - 1) + room[0] : sink++; }
int main(void) { for (;;) sink += down(90); }
""",
    "twice.c": r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile unsigned long sink;
static __attribute__((noinline)) void work(unsigned n) { for (unsigned long i = 0; i < n * 1000000ul; i++) sink += i; }
int main(int argc, char **argv)
{
        char *again[] = {argv[0], argc > 1 ? "xx" : "x", NULL};
        work(40);
        if (argc < 2 || strlen(argv[1]) < 2)
                execv("/proc/self/exe", again);
        for (;;)
                work(50);
}
""",
    "busy.py": r"""
import re
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
class Thing:
    def __init__(self, n): self.n = n
    def __lt__(self, other): return fib(self.n % 9) < fib(other.n % 9)
while True:
    sorted(Thing(i * 7919 % 101) for i in range(60))
    re.sub(r"(\w+) (\w+)", lambda m: m[2] + m[1], "hello world " * 20)
    10**500 // 7**300
""",
}


def source(folder, name):
    path = os.path.join(folder, name)
    if name not in SOURCES:
        return os.path.join(SYSTEM, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(SOURCES[name])
    return path


def built(*command):
    """Builds the program named by the last word and runs it with `args`."""
    def build(folder, name, args):
        program = os.path.join(folder, name)
        words = [source(folder, word) if re.search(r"\.(c|cpp|rs)$", word) else word for word in command]
        subprocess.run([*words, "-o", program], check=True, cwd=folder)
        return [program, *args]
    return build


def python(program):
    return lambda folder, name, args: [program, source(folder, "busy.py")]


LONG = ["1000000"]
SUBJECTS = {
    **{f"paths-{cc}{level}": (built(cc, level, "paths.c"), LONG) for cc in ("gcc", "clang-14") for level in ("-O0", "-O1", "-O2", "-O3")},
    "paths-static": (built("gcc", "-O2", "-static", "paths.c"), LONG),
    "paths-musl": (built("musl-gcc", "-O2", "paths.c"), LONG),
    "paths-musl-static": (built("musl-gcc", "-O2", "-static", "paths.c"), LONG),
    "paths-stripped": (built("gcc", "-O2", "-s", "paths.c"), LONG),
    "handlers": (built("gcc", "-O2", "handlers.c"), LONG),
    "shapes": (built("g++", "-O2", "-std=c++17", "shapes.cpp"), LONG),
    "exceptions": (built("g++", "-O2", "exceptions.cpp"), []),
    "exceptions-clang": (built("clang++-14", "-O1", "exceptions.cpp"), []),
    "rust": (built("/usr/bin/rustc", "-O", "rusty.rs"), []),
    "rust-debug": (built("/usr/bin/rustc", "-g", "rusty.rs"), []),
    "clock-vdso-plt": (built("gcc", "-O2", "-Wl,-z,lazy", "clock.c"), []),
    "deep-recursion": (built("gcc", "-O1", "deep.c"), []),
    "exec-twice": (built("gcc", "-O1", "twice.c"), []),
    "python3.11": (python("/usr/bin/python3.11"), []),
    "python3.11d": (python("/usr/bin/python3.11d"), []),
}


# --- the session ---


def record(kind, misc, body):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def build_id_of_vdso(folder):
    """For the running kernel; without it a reader does not know that the session has the vdso of this kernel."""
    for line in open("/proc/self/maps", encoding="utf-8"):
        if line.endswith("[vdso]\n"):
            start, end = (int(word, 16) for word in line.split()[0].split("-"))
    path = os.path.join(folder, "vdso")
    with open("/proc/self/mem", "rb") as memory, open(path, "wb") as out:
        memory.seek(start)
        out.write(memory.read(end - start))
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(re.search(r"Build ID: (\w+)", notes)[1])


def session_of(lines, vdso_id):
    """Samples of IP, TID, TIME, CALLCHAIN (empty), REGS_USER, STACK_USER of an event without sample_id_all; maps are at
    their time."""
    attr = struct.pack("<IIQQQQQIIQQQQIIQIHHIIQ", 1, 128, 0, 1000, 1 | 2 | 4 | 1 << 5 | 1 << 12 | 1 << 13, 0,
                       1 << 18, 0, 0, 0, 0, 0, REGS_MASK, STACK_BYTES, 0, 0, 0, 0, 0, 0, 0, 0)[:128].ljust(128, b"\0")
    data, pid, time = b"", 0, 0
    parts = []
    for line in lines:
        time += 1
        if "maps" in line:
            pid = line["pid"]
            # sample_id: TID, TIME
            parts.append(record(3, 1 << 13, struct.pack("<II16sIIQ", pid, pid, b"subject", pid, pid, time)))
            for start, end, off, path in line["maps"]:
                name = path.encode() + b"\0"
                name += b"\0" * (-len(name) % 8)
                body = struct.pack("<IIQQQIIQQII", pid, pid, start, end - start, off, 0, 0, 0, 0, 5, 2) + name
                parts.append(record(10, 2, body + struct.pack("<IIQ", pid, pid, time)))
            continue
        stack = bytes.fromhex(line["stack"])
        body = struct.pack("<QIIQ", line["regs"][8], pid, pid, time)
        body += struct.pack("<QQ20Q", 0, 2, *line["regs"])
        body += struct.pack("<Q", len(stack)) + stack + struct.pack("<Q", len(stack))
        parts.append(record(9, 2, body))
    data = b"".join(parts)
    # A reader compares this with its own machine before it uses that machine's vdso.
    texts = [struct.pack("<I64s", 64, text.encode()) for text in (os.uname().nodename, os.uname().release, os.uname().machine)]
    vdso = struct.pack("<IHHi24s64s", 0, 2 | 1 << 15, 100, -1, vdso_id.ljust(20, b"\0") + bytes([len(vdso_id), 0, 0, 0]), b"[vdso]")
    features = {2: vdso, 3: texts[0], 4: texts[1], 6: texts[2]}
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 144) + struct.pack("<QQQQQQ", 104, 144, 248, len(data), 0, 0)
    head += struct.pack("<QQQQ", sum(1 << number for number in features), 0, 0, 0)
    table, place = b"", 248 + len(data) + 16 * len(features)
    for content in features.values():
        table += struct.pack("<QQ", place, len(content))
        place += len(content)
    return head + attr + struct.pack("<QQ", 0, 0) + data + table + b"".join(features.values())


def stacks_of(wperf, path):
    """Addresses of each sample as wperf unwinds them, innermost first."""
    done = subprocess.run([wperf, "export", "--format", "perf-script", "--no-inlines", "--force", "-i", path], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [[int(word, 16) for word in re.findall(r"^\s+([0-9a-f]+) ", block, re.M)] for block in done.stdout.strip("\n").split("\n\n")]


def in_files(pcs, maps):
    """Addresses as in perf script: offsets in the mapped file."""
    found = []
    for pc in pcs:
        inside = [pc - start + off for start, end, off, _ in maps if start <= pc < end]
        found.append(inside[0] if inside else pc)
    return found


def compare(theirs, ours):
    # perf script prints the address of a call, one byte before the return address.
    same = [b in (a, a - 1) for a, b in zip(theirs, ours)]
    if not all(same):
        return "different"
    return "the same" if len(theirs) == len(ours) else "gdb goes further" if len(theirs) > len(ours) else "wperf goes further"


def run(args, name, folder):
    build, program_args = SUBJECTS[name]
    command = build(folder, "subject", program_args)
    out, session = os.path.join(folder, "samples"), os.path.join(folder, "session.data")
    env = dict(os.environ, SAMPLES_OUT=out, SAMPLES_STOPS=str(args.n), SAMPLES_STEPS=str(args.steps), SAMPLES_BYTES=str(STACK_BYTES))
    if "static" in name:
        env["SAMPLES_STATIC"] = "1"
    done = subprocess.run(["gdb", "-q", "-nx", "-batch", "-x", os.path.join(HERE, "gdb_samples.py"), "--args", *command], env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    lines = [json.loads(line) for line in open(out, encoding="utf-8")] if os.path.exists(out) else []
    samples, maps = [], []
    for line in lines:
        maps = line.get("maps", maps)
        if "pcs" in line:
            samples.append(dict(line, pcs=in_files(line["pcs"], maps)))
    if not samples:
        print(f"{name}: gdb gave no samples: {done.stderr[-300:]}")
        return
    with open(session, "wb") as file:
        file.write(session_of(lines, build_id_of_vdso(folder)))
    if args.keep:
        shutil.copy(session, os.path.join(args.keep, f"{name}.data"))
    ours = stacks_of(args.wperf, session)
    kinds, examples = collections.Counter(), collections.defaultdict(list)
    if len(ours) != len(samples):
        sys.exit(f"{name}: {len(ours)} stacks of {len(samples)} samples")
    for sample, mine in zip(samples, ours):
        kind = compare(sample["pcs"], mine)
        kinds[kind] += 1
        examples[kind].append((sample, mine))
    print(f"{name}: {len(samples)} stacks, " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()), flush=True)
    for kind, found in examples.items():
        for sample, mine in found[:args.examples] if kind != "the same" else []:
            print(f"    {kind}: gdb {[hex(pc) for pc in sample['pcs']]} {sample['reason']}\n{'wperf':>{len(kind) + 10}} {[hex(pc) for pc in mine]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wperf")
    parser.add_argument("subjects", nargs="*", default=list(SUBJECTS))
    parser.add_argument("-n", type=int, default=60, help="stops")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--examples", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the sessions")
    args = parser.parse_intermixed_args()
    for name in args.subjects:
        with tempfile.TemporaryDirectory() as folder:
            run(args, name, folder)


if __name__ == "__main__":
    main()
