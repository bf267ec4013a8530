#!/usr/bin/python3
"""The hook of pyperf in the wheel: with pyperf's own base class where pyperf is installed, otherwise with one that is written here."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import harness
from harness import Context, Done, check
from own_samples import check_work

HERE = pathlib.Path(__file__).resolve().parent
PACKAGING = HERE.parent.parent / "packaging"
WORKER = str(HERE / "pyperf_worker.py")
TURNS_MS = 3 * 150

# What of pyperf a hook uses.
STAND_IN = '''import abc


class HookError(Exception):
    pass


class HookBase(abc.ABC):
    def __init__(self):
        pass

    def teardown(self, _metadata):
        pass

    def __enter__(self):
        pass

    def __exit__(self, _exc_type, _exc_value, _traceback):
        pass
'''


def has_pyperf() -> bool:
    return subprocess.run([sys.executable, "-c", "import pyperf._hooks"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def entry_points() -> str:
    done = subprocess.run([sys.executable, "-c", "import wheel; print(wheel.ENTRY_POINTS)"], env={"PYTHONPATH": str(PACKAGING)},
                          stdout=subprocess.PIPE, check=True, encoding="ascii")
    return done.stdout


def install(t: Context) -> str:
    """The package as pip installs it, without the program."""
    site = t.path("site")
    shutil.copytree(PACKAGING / "python/wperf", f"{site}/wperf", ignore=shutil.ignore_patterns("__pycache__"))
    os.mkdir(f"{site}/wperf-1.dist-info")
    pathlib.Path(f"{site}/wperf-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: wperf\nVersion: 1\n", encoding="ascii")
    pathlib.Path(f"{site}/wperf-1.dist-info/entry_points.txt").write_text(entry_points(), encoding="ascii")
    if not has_pyperf():
        os.mkdir(f"{site}/pyperf")
        pathlib.Path(f"{site}/pyperf/__init__.py").touch()
        pathlib.Path(f"{site}/pyperf/_hooks.py").write_text(STAND_IN, encoding="ascii")
    return site


def work(t: Context, *options: str, **variables: str) -> Done:
    site = t.path("site") if os.path.exists(t.path("site")) else install(t)
    os.makedirs(t.path("tmp"), exist_ok=True)
    env = harness.environment(PYTHONPATH=f"{site}:{os.environ.get('PYTHONPATH', '')}", TMPDIR=t.path("tmp"),
                              **{"WPERF": t.wperf, "WPERF_PYPERF_SESSION": t.path("a-%n.data"), **variables})
    done = t.run(sys.executable, WORKER, t.program("part_one.so"), t.program("part_two.so"), *options, env=env, limit=60)
    check(not os.listdir(t.path("tmp")), f"no FIFOs are left behind: {os.listdir(t.path('tmp'))}", done)
    return done


def check_session(t: Context, name: str) -> None:
    done = t.good("report", "-i", name)
    check("work_of_two" not in done.out, "nothing between the values", done)
    n = harness.row_named(done, "work_of_one").count
    check(n < 1.05 * TURNS_MS, f"at most {TURNS_MS} samples", done)
    check_work(done, "work_of_one", r"part_one\.so", TURNS_MS)


def test_each_process_is_a_session_of_its_values(t: Context) -> None:
    harness.need_events()
    for number, options in enumerate(((), ("--warmups", "0"), ("--worker", "--warmups", "2")), 1):
        done = work(t, *options)
        check(done.status == 0, f"with {options}", done)
        session = t.path(f"a-{number}.data")
        check(json.loads(done.out)[-1] == {"wperf_session": session}, "its name is metadata", done)
        check(json.loads(done.out)[0] == {} or len(json.loads(done.out)) == 1, "warmups are not recorded", done)
        check_session(t, session)
    check(sorted(name for name in os.listdir(t.folder) if name.startswith("a-") and name.endswith(".data")) == ["a-1.data", "a-2.data", "a-3.data"], "no others")
    t.good("diff", "a-1.data", "a-2.data", "--", "a-3.data")


def test_calibration_is_not_recorded(t: Context) -> None:
    for option in ("--calibrate-loops", "--recalibrate-warmups"):
        done = work(t, option)
        check(done.status == 0 and json.loads(done.out) == [{}], f"nothing with {option}", done)
    check(not [name for name in os.listdir(t.folder) if name.endswith(".data")], "no session")


def test_options_reach_wperf(t: Context) -> None:
    harness.need_events()
    done = work(t, WPERF_PYPERF_OPTIONS="-F 199 -g")
    check(done.status == 0, "recorded", done)
    check("cpu-clock at 199 Hz" in t.good("report", "-i", "a-1.data").out, "the rate")
    check("work_of_one" in t.good("report", "-g", "-i", "a-1.data").out, "stacks")


def test_mistakes_are_errors_of_the_hook(t: Context) -> None:
    for variables, words in (({"WPERF": "/no/such/wperf"}, "/no/such/wperf: No such file or directory"),
                             ({"WPERF": "", "PATH": "/nowhere"}, "wperf is not installed"),
                             ({"WPERF_PYPERF_SESSION": "a.data"}, "'a.data' names one session for all processes"),
                             ({"WPERF_PYPERF_OPTIONS": "--no-such-option"}, "--no-such-option"),
                             ({"WPERF_PYPERF_OPTIONS": "-e nosuch"}, "nosuch"),
                             ({"WPERF_PYPERF_SESSION": "/no/such/folder/a-%n.data"}, "/no/such/folder"),
                             ({"WPERF": "/bin/false"}, "wperf record did not begin")):
        begin = time.monotonic()
        done = work(t, **variables)
        check(done.status == 1 and done.err.startswith("ERROR: ") and words in done.err, f"with {variables}", done)
        check(time.monotonic() - begin < 20, "at once", done)


if __name__ == "__main__":
    harness.main(__name__)
