#!/usr/bin/python3
"""wperf doctor: what it says of record is what record does, for root, for another user and in containers."""
import json
import os
import re
import sys

import harness
from harness import Context, Done, Skip, check
from test_containers import CONTAINERS, contained
from test_refusals import NOBODY
from test_schemas import complaints
from test_stop_engine import PYTHON, need_python, script

WORK = """
import time
end = time.process_time() + 0.5
while time.process_time() < end:
    sum(range(1000))
"""
NO_LEAKS = {"ASAN_OPTIONS": "detect_leaks=0"}


def rows(done: Done) -> dict[str, tuple[str, str]]:
    check(done.status == 0 and not done.err, "doctor prints its table", done)
    document = json.loads(done.out)
    check(not complaints("doctor", document, "doctor"), "the document fits its schema", done)
    return {row["Check"]: (row["State"], row["For_More"]) for row in document["Doctor"]}


def setting(name: str) -> int:
    with open(f"/proc/sys/kernel/{name}", encoding="ascii") as file:
        return int(file.read())


def engine_of(recorded: Done) -> str:
    found = re.search(r"engine (stop|pace|bpf)\b", recorded.out)
    check(found is not None, "record names its engine", recorded)
    return found.group(1)


def test_fifteen_lines(t: Context) -> None:
    done = t.good("doctor")
    lines = done.out.splitlines()
    check(2 < len(lines) <= 17, "a heading and 15 rows at most", done)
    check(all(re.match(r" {8}\S", line) for line in lines), "a table", done)
    for word in ("record -- COMMAND", "hardware counters", "Python", "debuginfod"):
        check(word in done.out, word, done)


def test_what_record_does(t: Context) -> None:
    """The engine of doctor's rows is that of a recording."""
    harness.need_events()
    need_python()
    work = script(t, "work.py", WORK)
    said = rows(t.good("doctor", "--json"))
    state = said["record -- COMMAND"][0]
    done = t.good("record", "-v", "-o", "command.data", "--", PYTHON, work)
    check(state.endswith(f"Python functions by engine {engine_of(done)}"), state, done)
    event, rate = re.match(r"(\S+), (\d+) samples a second", state).groups()
    check(event in done.out and rate == "999", f"the event is {event}", done)


def test_a_user_without_rights(t: Context) -> None:
    harness.need_root()
    os.chmod(t.folder, 0o777)
    become = [harness.need_tool("setpriv"), "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    done = t.run(*become, t.wperf, "doctor", "--json", cwd=t.folder, env=harness.environment(**NO_LEAKS))
    if "Permission denied" in done.err:
        raise Skip("a build that other users can run")
    said = rows(done)
    for what, argv in (("record -a", ("-a", "-d", "0.1")), ("record -k", ("-k", "--", "true"))):
        recorded = t.run(*become, t.wperf, "record", *argv, cwd=t.folder, env=harness.environment(**NO_LEAKS))
        if said[what][0] == "no":
            check(recorded.err == f"wperf: {said[what][1]}\n", f"{what} is refused with the same sentence: {said[what]}", recorded)
        else:
            check(recorded.status == 0, f"{what} works: {said[what]}", recorded)
    check(said["BPF"] == ("not used", "it needs root, or CAP_BPF and CAP_PERFMON"), str(said["BPF"]))
    state, more = said["names in the kernel"]
    if "hidden" in state:
        wanted = [name for name, limit in (("kptr_restrict", 0), ("perf_event_paranoid", 1)) if setting(name) > limit]
        check(re.findall(r"kernel\.(\w+)=", more) == wanted, f"{wanted}: {more}")
    check("bpf" not in said["record -- COMMAND"][1], f"which is not repeated: {said['record -- COMMAND']}")
    check(said["perf_event_paranoid"][1].startswith("sudo sysctl") or "everything" in said["perf_event_paranoid"][0], str(said))


@harness.limit(120)
def test_containers(t: Context) -> None:
    """Docker takes samples without events, Podman none at all; both are said with what record says."""
    harness.need_root()
    harness.need_mounts()
    need_python()
    work = script(t, "work.py", WORK)
    for name in ("Docker", "Podman", "Docker, without /proc"):
        # The sanitizer reads its options in /proc.
        if name.endswith("/proc") and harness.is_sanitized(t.wperf):
            continue
        environment = ("env", "ASAN_OPTIONS=detect_leaks=0")
        said = rows(contained(t, CONTAINERS[name], *environment, t.wperf, "doctor", "--json"))
        state, more = said["record -- COMMAND"]
        done = contained(t, CONTAINERS[name], *environment, t.wperf, "record", "-v", "-o", t.path("contained.data"), "--", PYTHON, work)
        if state == "no":
            check(f"wperf: {more}\n" in done.err, f"{name}: {more}", done)
        else:
            check(state.endswith(f"engine {engine_of(done)}") and more, f"{name}: {state}; {more}", done)
            check("some 100 samples a second" in state, f"the rate of the engine pace: {state}")
            check([said[what][1] for what in ("record -a", "record -k")] == ["as for record -- COMMAND"] * 2, f"{name}: {said}")
        check(said["BPF"][0] == "not used" and said["BPF"][1], f"{name}: {said['BPF']}")
        check(said["seccomp"][0].startswith("a filter") and said["seccomp"][1], f"{name}: {said['seccomp']}")


def test_servers_and_path(t: Context) -> None:
    done = t.run(t.wperf, "doctor", "--json", env=harness.environment(DEBUGINFOD_URLS="https://example.org", PATH=t.folder))
    said = rows(done)
    check(said["debuginfod"] == ("https://example.org", ""), str(said["debuginfod"]))
    check(said["names of python3"][0] == "not found" and "python3 is" not in said["Python"][0], str(said))


if __name__ == "__main__":
    harness.main(__name__)
