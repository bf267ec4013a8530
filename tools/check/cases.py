#!/usr/bin/python3
"""The tests of ./check itself: how it understands names of parts, what it counts, what comes first, and what runs by ccache."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = "/usr/sbin:/usr/bin:/sbin:/bin"

# Steps and totals with parts made here, in a folder of its own.  tools/run_tests.py is replaced by what prints its last lines.
SCRIPT = """
set -u
cd "$1"; shift
again=() jobs=2 quick_parts=("one: a part of seconds") alone_parts=("one: a part that is alone")
. {root}/tools/check/steps.sh
make_asan() {{ make "build native" true; }}
part_one() {{ make "build one" true && step good true; step bad false; }}
part_two() {{ make "build one" true; suites two nowhere; }}
part_three() {{ suites three nowhere; }}
part_low() {{ step low eval '[ "$(nice)" -ge 10 ] && [ "$jobs" = 1 ]'; }}
forget_logs
for word in "$@"; do
        case $word in
        most:*) run_most "${{word#most:}}: what it checks" ;;
        last:*) run_last "${{word#last:}}: what it checks" ;;
        *,*) beside 2 ${{word//,/ }} ;;
        *) run_part $word ;;
        esac
done
finish
"""
RUN_TESTS = """#!/bin/bash
for word in "$@"; do [ "$last" != --names ] || printf '%s\\n' unit test_a 'test b' >>"$word"; last=$word; done
for word in a b; do [ "${TOTAL##* }" != 2 ] || echo "  unsteady: test_x: $word: failed, and passed when it ran again; x.py:1: no"; done
[ "$TOTAL" != "4 1 0 0" ] || echo "  FAILED: test_x: c: failed"
echo "TOTAL $TOTAL"
"""
# name, words, TOTAL, exit status, last line, a part of the output
COUNTED = [
    ("steps are counted", ["one"], "", 1, "2 passed, 1 failed, 0 skipped", "FAILED: bad"),
    ("a step by name", ["one good"], "", 0, "2 passed, 0 failed, 0 skipped", "ok: good"),
    ("a name that is none", ["one god"], "", 1, "1 passed, 1 failed, 0 skipped", "no step, suite or test 'god'; did you mean 'good'?"),
    ("what is built once counts once", ["one good", "two"], "7 0 1 0", 0, "9 passed, 0 failed, 1 skipped", ""),
    ("a test by name", ["two test_a"], "1 0 0 0", 0, "2 passed, 0 failed, 0 skipped", ""),
    ("a test that is none", ["two test_c"], "0 0 0 0", 1, "1 passed, 1 failed, 0 skipped", "did you mean 'test_a'?"),
    ("failures stand at the end again", ["two"], "4 1 0 0", 1, "5 passed, 1 failed, 0 skipped", "c: failed\nFAILED: test_x: c: failed\n5 passed"),
    ("a suite without a total", ["two"], "", 1, "1 passed, 1 failed, 0 skipped", "gave no total"),
    ("parts side by side are added up", ["one,two,three"], "7 0 1 1", 1, "17 passed, 1 failed, 2 skipped", "2 of the tests that passed failed at first"),
    ("two failed at first", ["two"], "5 0 0 2", 0, "6 passed, 0 failed, 0 skipped", "ran again:\n  test_x: a; x.py:1: no\n  test_x: b; x.py:1: no\n"),
    ("parts of seconds come before the build", ["most:two"], "1 0 0 0", 1, "4 passed, 1 failed, 0 skipped", "FAILED: bad; the end of build/logs/bad.log:\nok: build native"),
    ("compilers beside parts that are alone", ["last:low"], "", 1, "3 passed, 1 failed, 0 skipped", "ok: low"),
    ("three failed at first", ["two"], "5 0 0 3", 1, "6 passed, 1 failed, 0 skipped", "FAILED: more than 2 tests failed at first"),
]
# words, exit status, a part of standard error
REFUSED = [
    (["asn"], 2, "'asn' is not a part; did you mean 'asan'?"),
    (["asan:test_stacks", "mingv:driver"], 2, "'mingv' is not a part; did you mean 'mingw'?"),
    (["lits"], 2, "did you mean 'list'?"),
    (["quick", "asan"], 2, "'quick' takes no names"),
    (["--help"], 2, "./check quick"),
]

# Of the other compilers Debian's package has links.
SCRIPT_OF_MINGW = ". {root}/tools/check/steps.sh; use_ccache; readlink -f $(command -v x86_64-w64-mingw32-gcc)"


def mingw_runs_by_ccache() -> str:
    """A line of TAP without its number."""
    for name in "ccache", "x86_64-w64-mingw32-gcc":
        if not shutil.which(name, path=PROGRAMS):
            return f"ok - mingw's compiler runs by ccache # SKIP {name}"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash", "-c", SCRIPT_OF_MINGW.format(root=ROOT)], cwd=folder, stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, PATH=PROGRAMS), check=False)
    return f"{'ok' if done.stdout.endswith('/ccache' + os.linesep) else 'not ok'} - mingw's compiler runs by ccache\n# {done.stdout.strip()}"


def counted(words: list[str], total: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/tools")
        with open(f"{folder}/tools/run_tests.py", "w", encoding="utf-8") as file:
            file.write(RUN_TESTS)
        os.chmod(f"{folder}/tools/run_tests.py", 0o755)
        return subprocess.run(["bash", "-c", SCRIPT.format(root=ROOT), "check", folder, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=dict(os.environ, TOTAL=total, last=""), check=False)


def main() -> int:
    bad = 0
    print(f"1..{len(COUNTED) + len(REFUSED) + 1}")
    for number, (name, words, total, status, last, part) in enumerate(COUNTED, 1):
        done = counted(words, total)
        good = done.returncode == status and done.stdout.splitlines()[-1] == last and part in done.stdout
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}" + ("" if good else f"\n{done.returncode} {done.stdout}"))
    for number, (words, status, part) in enumerate(REFUSED, len(COUNTED) + 1):
        done = subprocess.run([f"{ROOT}/check", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        good = done.returncode == status and part in done.stderr
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - refuses {' '.join(words)}" + ("" if good else f"\n{done.stderr}"))
    said = mingw_runs_by_ccache()
    print(said)
    return 1 if bad or said.startswith("not") else 0


if __name__ == "__main__":
    sys.exit(main())
