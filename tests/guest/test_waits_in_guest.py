#!/usr/bin/python3
"""Interrupted system calls of a traced program on an arm64 machine: which of its waits end as without a recorder."""
import machine
from machine import Guest, check, harness
from test_waits import LINE, differing

GROUPS = 12
SECONDS = 60  # of a run; the guest's


def run_waits(t: Guest, recorder: str) -> dict[str, tuple[str, float]]:
    """How each wait ended, and how many ms it lasted. `recorder` may have the number of the group, as $i."""
    script = ("mkdir -p waits /dev/pts; busybox mount -t devpts devpts /dev/pts 2> /dev/null; "  # for the terminal
              f"for i in $(busybox seq 0 {GROUPS - 1}); do {recorder} waits waits $i {GROUPS} > $i.txt 2> $i.err & "
              "done; wait; cat *.txt; cat *.err >&2")
    done = t.shell(script, seconds=SECONDS)
    rows = {row: (end, float(ms)) for row, end, ms in LINE.findall(done.out)}
    check(len(rows) > 140, f"{len(rows)} waits", done)
    return rows


# docs/python.md lists these: the kernel has decided before the stop that they return EINTR.
INTERRUPTED = ("epoll_wait", "epoll_pwait2", "semtimedop", "sigtimedwait", "io_getevents", "accept with a timeout",
               "read of a socket", "write to a socket", "recv with a timeout", "recvmsg with a timeout", "send with a timeout")


def test_waits_end_as_docs_say(t: Guest) -> None:
    done = t.ours("record", "-g", "--engine", "stop", "-e", "cpu-clock:u", "--", "stands", "30")
    check("are traced for their stacks" in done.out, "traced", done)
    recorder = "wperf record -q -g --engine stop -F 99 -e cpu-clock:u --session $i.data --"
    bare, ours = run_waits(t, ""), run_waits(t, recorder)
    check(bare.keys() == ours.keys(), f"{len(bare)} and {len(ours)} waits")
    for line in differing([bare], [ours]):
        row = line.split(":")[0]
        check(row.split(", ")[0] in INTERRUPTED and ours[row][0].startswith("-1 EINTR"), line)
    n_differing = len(differing([bare], [ours]))
    harness.note(f"{n_differing} of {len(bare)} waits return EINTR")
    check(n_differing < len(bare) / 3, f"{n_differing} of {len(bare)} differ")


if __name__ == "__main__":
    machine.main(__name__, extra=("stands", "waits"))
