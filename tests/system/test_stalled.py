#!/usr/bin/python3
"""wperf beside a file system whose server hangs: it says who waits for it, and does not wait with them."""
import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Iterator

import harness
import stacks_of
from harness import Context, Skip, check
from stacks_of import only, read


@contextlib.contextmanager
def served(t: Context, program: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """The folder of a file system that has `program`, and its server."""
    harness.need_mounts()
    if not os.path.exists("/dev/fuse"):
        raise Skip("/dev/fuse")
    folder = t.path("served")
    os.mkdir(folder)
    server = t.started_ready(t.program("stalled_fs"), folder, program)
    try:
        yield folder, server
    finally:
        server.kill()
        server.wait()
        subprocess.run(["umount", "-l", folder], check=True)


def stall(server: subprocess.Popen) -> None:
    server.send_signal(signal.SIGUSR1)
    check(server.stdout.readline() == b"stalled\n", "the server hangs")


def settle(pid: int) -> int:
    harness.wait_until(lambda: os.path.exists(f"/proc/{pid}") and "request" in open(f"/proc/{pid}/wchan", encoding="ascii").read(),
                       f"process {pid} to ask the server")
    return pid


def started(t: Context, *argv: str) -> int:
    return settle(t.start(*argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)


NO_LEAKS = harness.environment(ASAN_OPTIONS="detect_leaks=0")  # LeakSanitizer would wait for a thread that asks the server

READER = 'exec 3<"$0"; echo ready; read line; exec cat <&3'


@harness.limit(120)
def test_who_waits_for_the_server(t: Context) -> None:
    with served(t, "/bin/true") as (folder, server):
        path = f"{folder}/program"
        reader = t.started_ready("/bin/sh", "-c", READER, path, stdin=subprocess.PIPE)
        stall(server)
        reader.stdin.write(b"\n")
        reader.stdin.flush()
        said = {settle(reader.pid): rf"reads {path} at byte 0 \(kernel: \w+\)",
                started(t, "/bin/cat", path): rf"opens {path} \(kernel: \w+\)",
                started(t, "/usr/bin/stat", f"{folder}/other"): rf"waits for a file system in \w+ of {folder}/other \(kernel: \w+\)"}
        for pid, text in said.items():
            thread = only(read(t, pid), state="disk")
            check(re.fullmatch(text, thread["what"]), f"{thread['what']}")


@harness.limit(120)
def test_a_program_of_the_server(t: Context) -> None:
    """Its names can't be had; the other modules have theirs."""
    with served(t, t.program("hangs")) as (folder, server):
        process = t.started_ready(f"{folder}/program", "stack", "nanosleep")
        stacks_of.settle(process.pid, 1)
        stall(server)
        done = t.run(t.wperf, "stack", str(process.pid), env=NO_LEAKS)
        check(done.status == 0 and f"warning: the file system at {folder} does not answer" in done.err, "says so", done)
        check("sleeps for 1000 s" in done.out and "nanosleep" in done.out, "the stack", done)
        for target in ("-p", str(process.pid)), ("-a",):
            done = t.run(t.wperf, "record", "-o", t.path("wperf.data"), *target, "--timeout", "0.2", env=NO_LEAKS)
            check(done.status == 0 and f"warning: the file system at {folder} does not answer" in done.err, f"{target}: recorded", done)
        process.kill()


@harness.limit(120)
def test_a_server_of_another_namespace(t: Context) -> None:
    """Folders of the same name are others for programs of our namespace, so they are not left out."""
    with served(t, t.program("hangs")) as (folder, server):
        elsewhere = t.path("elsewhere")
        os.mkdir(elsewhere)
        process = t.started_ready("unshare", "-m", "sh", "-c", 'mount --move "$0" "$1" && exec "$1/program" stack nanosleep', folder, elsewhere)
        stacks_of.settle(process.pid, 1)
        stall(server)
        for argv in ("stack", str(process.pid)), ("record", "-o", t.path("wperf.data"), "-p", str(process.pid), "--timeout", "0.2"):
            done = t.run(t.wperf, *argv, env=NO_LEAKS)
            said = re.findall("warning: the file system at (\\S+) does not answer", done.err)
            check(done.status == 0 and said == [folder, f"/proc/{process.pid}/root{elsewhere}"], f"{argv[0]} says so: {said}", done)
        process.kill()


if __name__ == "__main__":
    harness.main(__name__)
