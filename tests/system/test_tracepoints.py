#!/usr/bin/python3
"""Tracepoints and probes by name: recording, counting, and their fields in dump and in perf script."""
import os
import re
import shlex
import struct

import harness
from harness import Context, Done, Skip, check

TRACEFS = "/sys/kernel/tracing"
SWITCH = ("prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio")


def with_tracefs(t: Context, script: str) -> Done:
    """Runs a shell script with tracefs mounted: here, or in its own mount namespace."""
    harness.need_root()
    if not os.path.isdir(TRACEFS + "/events"):
        mount = f"mount -t tracefs nodev {TRACEFS}"
        if t.run("unshare", "-m", "sh", "-c", mount).status:
            raise Skip("tracefs, and the right to mount it")
        return t.run("unshare", "-m", "sh", "-c", f"{mount} && {{ {script}\n}}")
    return t.run("sh", "-c", script)


def record(t: Context, options: str, command: str = "sleep 0.05") -> None:
    done = with_tracefs(t, f"{shlex.quote(t.wperf)} record -q {options} -- {command}")
    check(done.status == 0, "recorded", done)


def fields_of(t: Context, session: str, event: str) -> list[dict[str, str]]:
    """The fields of each sample of an event, as dump shows them."""
    document = harness.document_of(t.good("dump", "--json", "-i", session))
    return [one["fields"] for one in document["records"] if one.get("event") == event and "fields" in one]


def test_fields_of_our_session(t: Context) -> None:
    record(t, "-e sched:sched_switch,sched:sched_process_exec --session s.data", "sh -c 'sleep 0.02; true'")
    switches = fields_of(t, "s.data", "sched:sched_switch")
    check(len(switches) > 1 and all(tuple(one) == SWITCH for one in switches), f"fields of sched_switch: {switches[:2]}")
    check(any(one["prev_comm"] == "sleep" for one in switches), f"sleep goes to sleep: {switches[:3]}")
    execs = fields_of(t, "s.data", "sched:sched_process_exec")
    check(any(one["filename"].endswith("/sleep") for one in execs), f"the exec of sleep: {execs}")
    done = t.good("report", "-i", "s.data")
    check("event: sched:sched_switch every 1, user and kernel mode" in done.out, "each pass is a sample", done)


def test_perf_shows_the_fields_of_our_session(t: Context) -> None:
    perf = harness.need_tool("perf")
    record(t, "-e sched:sched_switch --session s.data")
    done = t.run(perf, "script", "-i", "s.data")
    check(done.status == 0 and "sched:sched_switch: prev_comm=" in done.out, "perf script of the file", done)
    record(t, "-e sched:sched_switch --session - > s.pipe")
    with open(t.path("s.pipe"), "rb") as file:
        done = t.run(perf, "script", "-i", "-", stdin=file)
    check(done.status == 0 and "sched:sched_switch: prev_comm=" in done.out, "perf script of the pipe", done)
    check(len(fields_of(t, "s.pipe", "sched:sched_switch")) > 0, "and dump of the pipe")


def test_fields_of_perfs_session(t: Context) -> None:
    perf = harness.need_tool("perf")
    done = with_tracefs(t, f"{perf} record -q -e sched:sched_switch -o p.data -- sleep 0.05\n"
                        f"{perf} record -q -e sched:sched_switch -o - -- sleep 0.05 > p.pipe")
    for session in ("p.data", "p.pipe"):
        if not os.path.exists(t.path(session)) or not os.path.getsize(t.path(session)):
            raise Skip(f"a session of perf: {done.err.splitlines()[-1:]}")
        found = fields_of(t, session, "sched:sched_switch")
        check(len(found) > 0 and tuple(found[0]) == SWITCH, f"{session}: {found[:1]}")


def test_names_without_descriptions_of_events(t: Context) -> None:
    """A session without EVENT_DESC has its tracepoints' names in TRACING_DATA."""
    record(t, "-e sched:sched_switch --session s.data")
    with open(t.path("s.data"), "rb") as file:
        data = bytearray(file.read())
    event_desc = 12
    data_off, data_size = struct.unpack_from("<QQ", data, 40)
    bits = int.from_bytes(data[72:104], "little")
    place = data_off + data_size + 16 * bin(bits & ((1 << event_desc) - 1)).count("1")
    struct.pack_into("<QQ", data, place, 0, 0)
    with open(t.path("unnamed.data"), "wb") as file:
        file.write(data)
    done = t.good("report", "-i", "unnamed.data")
    check("event: sched:sched_switch every 1" in done.out, "its name", done)


def test_stacks(t: Context) -> None:
    record(t, "-g -e sched:sched_switch --session s.data")
    check(len(fields_of(t, "s.data", "sched:sched_switch")) > 0, "fields behind an unwound stack")
    done = t.good("report", "-g", "-i", "s.data")
    check("__schedule" in done.out, "where it was switched", done)


def test_counts(t: Context) -> None:
    done = with_tracefs(t, f"{shlex.quote(t.wperf)} stat -e sched:sched_switch,task-clock -- sh -c 'sleep 0.01; sleep 0.01'")
    row = re.search(r"^ *([\d,]+)  sched:sched_switch +\S+ +e", done.out, re.M)
    check(done.status == 0 and row is not None and int(row[1].replace(",", "")) >= 2, "counted", done)


def test_probes_by_name(t: Context) -> None:
    """Probes made by perf probe.  The program with the probe is a copy that no other process runs."""
    system = f"wperf_{os.getpid()}"
    program, probes = t.program("spin"), f"{TRACEFS}/uprobe_events"
    with open(program, "rb") as file:
        entry, = struct.unpack_from("<Q", file.read(64), 24)
    wperf = shlex.quote(t.wperf)
    done = with_tracefs(t, f"""
        echo 'p:{system}/start {program}:{entry:#x} sp=%sp' >> {probes} || exit 77
        {wperf} record -q -e {system}:start --session u.data -- {program} 20
        status=$?
        {wperf} stat -e {system}:start -- {program} 20
        echo '-:{system}/start' >> {probes}
        exit $status""")
    if done.status == 77:
        raise Skip("uprobes")
    check(done.status == 0, "recorded", done)
    check(re.search(rf"^ +1  {system}:start ", done.out, re.M) is not None, "counted once", done)
    found = fields_of(t, "u.data", f"{system}:start")
    check(len(found) == 1 and set(found[0]) == {"__probe_ip", "sp"}, f"the probe's fields: {found}")
    check(int(found[0]["__probe_ip"], 16) & 0xfff == entry & 0xfff, f"where it was hit: {found}")


def test_sentences(t: Context) -> None:
    if not os.path.isdir(TRACEFS + "/events"):
        harness.check_sentence(t.ours("record", "-e", "sched:sched_switch", "--", "true"), "tracefs", "mount -t tracefs")
    done = with_tracefs(t, f"{shlex.quote(t.wperf)} record -e sched:sched_swich -- true")
    harness.check_sentence(done, "did you mean 'sched_switch'?")
    check(done.status == 2, "wrong usage", done)


if __name__ == "__main__":
    harness.main(__name__)
