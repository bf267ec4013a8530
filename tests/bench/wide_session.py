#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the sessions that tests/bench/report_speed.py reads: a wide one, or one of a single recursive program.

    tests/bench/wide_session.py [--seconds N] [--frequency HZ] [--compiles N] [--compilers-only] FILE
    tests/bench/wide_session.py --recursive [--seconds N] [--frequency HZ] FILE

The wide session is `perf record -F 20000 -g -a` of the whole machine while eight C++ compilers run at a time: 5.7
million samples in 72 s on four CPUs.  g++ is built without frame pointers, so its call chains contain stray values and
nearly every chain is distinct.  Needs perf, g++ and either root or kernel.perf_event_paranoid at most 0.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

ENDED_BY_TIMEOUT = 124

SOURCE = """
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
template <int N> struct table {
        std::map<std::string, std::vector<std::shared_ptr<table<N - 1>>>> below;
        std::unordered_map<int, std::function<std::string(const table &)>> print;
        std::variant<int, std::string, std::vector<double>> value;
        std::string show() const
        {
                std::regex word("[a-z]+" + std::to_string(N));
                std::string out;
                for (auto &b : below)
                        if (std::regex_search(b.first, word))
                                for (auto &t : b.second)
                                        out += t->show();
                return out;
        }
};
template <> struct table<0> { std::string show() const { return "SEED"; } };
int main() { return (int)table<40>().show().size(); }
"""

RECURSIVE = """
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) static unsigned long fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) + (sink++ & 1); }
int main(int argc, char **argv) { for (;;) sink += fib((unsigned)atoi(argv[argc - 1])); }
"""


def record(args, extra, command):
    status = subprocess.run(["perf", "record", "-q", "-F", str(args.frequency), "-g", "-o", args.file, *extra, "--", *command]).returncode
    if status not in (0, ENDED_BY_TIMEOUT):
        sys.exit(f"perf record ended with {status}")


def compile_at_a_time(folder, seconds, n):
    """Keeps `n` compilers running for the given time."""
    sources = []
    for i in range(n):
        sources.append(os.path.join(folder, f"table{i}.cpp"))
        with open(sources[-1], "w") as out:
            out.write(SOURCE.replace("SEED", f"seed {i}"))
    end = time.monotonic() + seconds
    running = {}
    while time.monotonic() < end:
        for i, source in enumerate(sources):
            if i not in running or running[i].poll() is not None:
                running[i] = subprocess.Popen(["g++", "-std=c++17", "-g" if i % 2 else "-g0", f"-O{i % 4}", "-c", source, "-o", os.devnull])
        time.sleep(0.05)
    for compiler in running.values():
        compiler.terminate()
        compiler.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recursive", action="store_true", help="record one recursive program, depth 26, instead")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--frequency", type=int)
    parser.add_argument("--compiles", type=int, default=8)
    parser.add_argument("--compilers-only", action="store_true", help="leave out -a: record the compilers alone, on a machine that others use")
    parser.add_argument("--compile-in", help=argparse.SUPPRESS)
    parser.add_argument("file")
    args = parser.parse_args()
    args.seconds = args.seconds or (6 if args.recursive else 72)
    args.frequency = args.frequency or (49999 if args.recursive else 20000)
    if args.compile_in:
        compile_at_a_time(args.compile_in, args.seconds, args.compiles)
        return
    with tempfile.TemporaryDirectory() as folder:
        if args.recursive:
            program = os.path.abspath(args.file) + ".program"  # the report reads its symbols
            subprocess.run(["gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-x", "c", "-o", program, "-"],
                           input=RECURSIVE, text=True, check=True)
            record(args, [], ["timeout", str(args.seconds), program, "26"])
        else:
            again = [sys.executable, os.path.abspath(__file__), "--compile-in", folder, "--seconds", str(args.seconds),
                     "--compiles", str(args.compiles), args.file]
            record(args, [] if args.compilers_only else ["-a"], again)


main()
