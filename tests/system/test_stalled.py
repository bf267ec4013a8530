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
def served(t: Context, program: str, *how: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """The folder of a file system that has `program`, and its server."""
    harness.need_mounts()
    if not os.path.exists("/dev/fuse"):
        raise Skip("/dev/fuse")
    folder = t.path("served")
    os.mkdir(folder)
    server = t.started_ready(t.program("stalled_fs"), folder, program, *how)
    try:
        yield folder, server
    finally:
        server.kill()
        server.wait()
        subprocess.run(["umount", "-l", folder], check=True)
        os.rmdir(folder)


def stall(server: subprocess.Popen) -> None:
    server.send_signal(signal.SIGUSR1)
    check(server.stdout.readline() == b"stalled\n", "the server hangs")


def settle(pid: int) -> int:
    harness.wait_until(lambda: os.path.exists(f"/proc/{pid}") and "request" in open(f"/proc/{pid}/wchan", encoding="ascii").read(),
                       f"process {pid} to ask the server")
    return pid


def started(t: Context, *argv: str) -> int:
    return settle(t.start(*argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)


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


def check_stack(t: Context, pid: int, wanted: list[str]) -> None:
    done = t.run(t.wperf, "stack", str(pid), limit=30)
    said = re.findall(r"warning: the file system at (\S+) does not answer", done.err)
    check(done.status == 0 and said == wanted, f"stack: {said}, and not {wanted}", done)
    check("sleeps for 1000 s" in done.out and "nanosleep" in done.out, "the stack", done)


@harness.limit(200)
def test_a_program_of_the_server(t: Context) -> None:
    """Its names can't be had; the other modules have theirs. Who has asked a server that took the question can't be killed."""
    for how in (), ("takes",):
        with served(t, t.program("hangs"), *how) as (folder, server):
            process = t.started_ready(f"{folder}/program", "stack", "nanosleep")
            stacks_of.settle(process.pid, 1)
            stall(server)
            check_stack(t, process.pid, [folder])
            for target in ("-p", str(process.pid)), ("-a",):
                done = t.run(t.wperf, "record", "-o", t.path("wperf.data"), *target, "--timeout", "0.2", limit=30)
                check(done.status == 0, f"{target}: recorded", done)
            process.kill()


@harness.limit(200)
def test_a_script_of_the_server(t: Context) -> None:
    """Sources are not mapped; the folder in which a program runs may lie there, too."""
    source = t.path("source.py")
    with open(source, "w", encoding="ascii") as file:
        file.write("print('ready', flush=True)\nwhile True: sum(range(1000))\n")
    with served(t, source) as (folder, server):
        processes = [t.started_ready("/usr/bin/python3", f"{folder}/program"),
                     t.started_ready("/usr/bin/python3", "program", cwd=folder)]
        stall(server)
        for process in processes:
            for argv in ("stack", str(process.pid)), ("record", "-o", t.path("wperf.data"), "-p", str(process.pid), "--timeout", "0.3"):
                done = t.run(t.wperf, *argv, limit=30)
                check(done.status == 0 and "<module>" in done.out, f"{argv[0]} ends", done)
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
        check_stack(t, process.pid, [f"/proc/{process.pid}/root{elsewhere}"])
        process.kill()


@contextlib.contextmanager
def locked(t: Context) -> Iterator[subprocess.Popen]:
    """A process whose mappings are locked for as long as the server hangs."""
    with served(t, t.wperf) as (folder, server):
        process = t.started_ready(t.program("locks_mappings"), f"{folder}/program", stdin=subprocess.PIPE)
        stall(server)
        process.stdin.write(b"\n")
        process.stdin.flush()
        check(process.stdout.readline() == b"locked\n", "the mappings are locked")
        yield process


def check_is_said(done: harness.Done, pid: int) -> None:
    said = re.findall(r"warning: the memory of process (\d+) can't be read, because a thread of it changes its mappings", done.err)
    check(said == [str(pid)], f"process {pid} is named: {said}", done)


@harness.limit(120)
def test_a_process_whose_mappings_are_locked(t: Context) -> None:
    """Reading its memory would hang, and nobody could end the reader."""
    with locked(t) as process:
        pid = process.pid
        done = t.run(t.wperf, "stack", str(pid), limit=30)
        check(done.status == 0, "stack ends", done)
        check_is_said(done, pid)
        for what in r"mmap .*\(kernel: \w*folio\w*\)", r"reads \S+/program at byte \d+", r"waits for a signal":
            check(re.search(what, done.out), f"'{what}' is shown", done)
        for argv in ("stack", "--repeat", "2", "--interval", "0.1", str(pid)), ("stack", "--comm", "locks_mappings"):
            done = t.run(t.wperf, *argv, limit=30)
            check(done.status == 0, f"{argv} ends", done)
            check_is_said(done, pid)
        for target in ("-p", str(pid)), ("-a",):
            done = t.run(t.wperf, "record", "-o", t.path("wperf.data"), *target, "--timeout", "0.3", limit=30)
            check(done.status == 0, f"record {target} ends", done)
            check_is_said(done, pid)


if __name__ == "__main__":
    harness.main(__name__)
