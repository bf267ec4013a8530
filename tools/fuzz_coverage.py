#!/usr/bin/python3
"""Prints how many branches of a parser a fuzz target reaches with some inputs, and which branches it does not reach.

Needs a build made with clang-14 and without -Dfuzz=true (CONTRIBUTING.md has the command), and llvm-14.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


Condition = tuple[str, str, int, int, int, int]  # file, function, first line and column, last line and column


def count_conditions(program: str, inputs: list[str]) -> dict[Condition, list[int]]:
    """How often each condition was true, and how often false."""
    with tempfile.TemporaryDirectory() as folder:
        raw, data = os.path.join(folder, "raw"), os.path.join(folder, "data")
        subprocess.run([program, *inputs], env=dict(os.environ, LLVM_PROFILE_FILE=raw), stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["llvm-profdata-14", "merge", "-sparse", raw, "-o", data], check=True)
        text = subprocess.run(["llvm-cov-14", "export", program, f"-instr-profile={data}"], stdout=subprocess.PIPE,
                              check=True).stdout
    found: dict[Condition, list[int]] = {}
    for function in json.loads(text)["data"][0]["functions"]:
        file = os.path.basename(function["filenames"][0])
        name = function["name"].rsplit(":", maxsplit=1)[-1]  # the name of a static function begins with its file
        for *where, n_true, n_false, _, _, _ in function["branches"]:
            counts = found.setdefault((file, name, *where), [0, 0])
            counts[0] += n_true
            counts[1] += n_false
    return found


def source_path(name: str) -> str:
    for folder, _, files in os.walk("src"):
        if name in files:
            return os.path.join(folder, name)
    sys.exit(f"fuzz_coverage.py: src has no file {name}")


def share(counts: list[list[int]]) -> str:
    n_reached = sum((n_true > 0) + (n_false > 0) for n_true, n_false in counts)
    return f"{n_reached} of {2 * len(counts)} branches, {100 * n_reached / max(1, 2 * len(counts)):.1f} %"


def report(name: str, conditions: list[tuple[Condition, list[int]]]) -> None:
    with open(source_path(name), encoding="utf-8") as file:
        lines = file.read().split("\n")
    print(f"{name}: {share([counts for _, counts in conditions])}")
    for (_, function, line, column, last_line, last_column), (n_true, n_false) in conditions:
        if n_true and n_false:
            continue
        missing = "reached" if not n_true and not n_false else "true" if not n_true else "false"
        text = lines[line - 1][column - 1:last_column - 1 if last_line == line else None]
        print(f"  line {line}, {function}: `{text}` is never {missing}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", help="the build that counts branches")
    parser.add_argument("target", help="as perfdata, for fuzz_perfdata")
    parser.add_argument("inputs", nargs="*", help="files and folders, default tests/fuzz/corpus/TARGET")
    parser.add_argument("--file", action="append", help="count the branches of this file, as jitdump.c; default TARGET.c")
    parser.add_argument("--leave-out", action="append", default=[], metavar="FUNCTION",
                        help="do not count the branches of FUNCTION, as of one that writes")
    options = parser.parse_args()
    inputs = options.inputs or [os.path.join("tests/fuzz/corpus", options.target)]
    found = count_conditions(os.path.join(options.build, "tests/fuzz", f"fuzz_{options.target}"), inputs)
    for name in options.file or [f"{options.target}.c"]:
        report(name, sorted(((key, counts) for key, counts in found.items()
                             if key[0] == name and key[1] not in options.leave_out), key=lambda entry: entry[0][2:]))


if __name__ == "__main__":
    main()
