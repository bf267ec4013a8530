#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plans: compares the attributes of events on other machines with files.

A case is tests/plans/NAME.args (event text and options, split as by a shell), NAME.sysfs (the folder below
tests/plans/sysfs with the machine's /sys) and NAME.plan (the output of plan_events).

--update rewrites the plans of the cases that fail.
"""

import argparse
import difflib
import os
import pathlib
import shlex
import subprocess
import sys

TIME_LIMIT_S = 10


def run(case, command):
    tree = case.parent / "sysfs" / case.with_suffix(".sysfs").read_text(encoding="utf-8").strip()
    if not tree.is_dir():
        return f"no tree {tree}\n"
    args = shlex.split(case.read_text(encoding="utf-8"))
    done = subprocess.run(command + [str(tree)] + args, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIME_LIMIT_S, check=False)
    got = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    if done.returncode:
        got += f"exit status {done.returncode}\n" + done.stderr.decode("utf-8", "replace")
    return got


def check(case, command, update):
    """The differences as lines; none if the plan is as expected."""
    path = case.with_suffix(".plan")
    got = run(case, command)
    want = path.read_text(encoding="utf-8") if path.exists() else ""
    if got == want:
        return []
    if update:
        path.write_text(got, encoding="utf-8", newline="\n")
        print(f"# {case.stem}: rewritten")
        return []
    return list(difflib.unified_diff(want.splitlines(), got.splitlines(), path.name, path.name + " (got)", lineterm=""))


def read_arguments():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=root / "build/dev/tests/plans/plan_events", help="plan_events")
    parser.add_argument("--wrapper", default=os.environ.get("WPERF_WRAPPER", ""), help="what runs it")
    parser.add_argument("--update", action="store_true", help="rewrite the plans of the cases that fail")
    parser.add_argument("case", nargs="*", help="names of cases; all unless given")
    args = parser.parse_args()
    folder = root / "tests" / "plans"
    args.cases = [case for case in sorted(folder.glob("*.args")) if not args.case or case.stem in args.case]
    unknown = set(args.case) - {case.stem for case in args.cases}
    if unknown:
        sys.exit(f"plans: no such case: {', '.join(sorted(unknown))}")
    return args


def main():
    args = read_arguments()
    command = shlex.split(args.wrapper) + [str(pathlib.Path(args.program).resolve())]
    failed = False
    print(f"1..{len(args.cases)}")
    for number, case in enumerate(args.cases, 1):
        problems = check(case, command, args.update)
        for line in problems:
            print("# " + line)
        print(f"{'not ok' if problems else 'ok'} {number} - {case.stem}", flush=True)
        failed |= bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
