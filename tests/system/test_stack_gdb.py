#!/usr/bin/python3
"""Native stacks of waiting threads, by wperf stack and by gdb: each frame that wperf shows is gdb's.

With SAMPLES=N in the environment, N stacks of more programs are compared.
"""
import collections
import json
import os
import re
import shutil
import subprocess

import harness
import pythons
import stacks_of
from harness import Context, Skip, check

HERE = os.path.dirname(os.path.abspath(__file__))


def gdb_stacks(t: Context, pid: int) -> dict[int, list[dict]]:
    gdb = harness.need_tool("gdb")
    done = t.run(gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off", "-p", str(pid),
                 "-x", os.path.join(HERE, "gdb_stacks.py"))
    found = re.search(r"^STACKS (.*)$", done.out, re.M)
    if not found:
        raise Skip(f"gdb that may attach: {done.err[-300:]}")
    return {int(tid): frames for tid, frames in json.loads(found[1]).items()}


def plain(name: str) -> str:
    """One of the names that a function has: libc's have versions and prefixes."""
    name = re.sub(r"::h[0-9a-f]{16}$|@.*|\.(?:constprop|isra|part|cold|localalias)[.\d]*", "", name)
    name = re.sub(r"\(.*|<.*", "", name).replace("_IO_new_", "_IO_")
    return re.sub(r"^_*(?:GI_+|libc_|new_|pthread_|private_)?_*|_?64$|_nocancel|_time64", "", name)


def is_same(ours: dict, theirs: dict) -> bool:
    if plain(ours["function"]) == plain(theirs["function"]) or "?" in ours["function"] or "??" in theirs["function"]:
        return True
    return ours["line"] is not None and ours["line"] == theirs["line"] and os.path.basename(ours["file"]) == os.path.basename(theirs["file"])


class Counts(collections.Counter):
    """Stacks by how they compare; those that differ; and where stacks are cut."""

    def __init__(self) -> None:
        super().__init__()
        self.different: list[str] = []
        self.cuts: collections.Counter = collections.Counter()


def compare(name: str, thread: dict, theirs: list[dict], counts: Counts) -> None:
    ours = thread["frames"]
    counts["stacks"] += 1
    counts["frames"] += len(ours)
    if thread["cut"]:
        counts["cut"] += 1
        last = ours[-1] if ours else {"function": "no frame", "file": ""}
        counts.cuts[f"{last['function']} {os.path.basename(last['file'])}"] += 1
    counts["empty"] += not ours
    wrong = [i for i, frame in enumerate(ours) if i >= len(theirs) or not is_same(frame, theirs[i])]
    # gdb stops at functions without a return address, and may go on behind clone.
    short = not thread["cut"] and len(ours) < len(theirs) - 1
    if wrong or short:
        counts["different"] += 1
        at = wrong[0] if wrong else len(ours)

        def show(frames: list[dict]) -> str:
            return " < ".join(f"{frame['function']} {os.path.basename(frame['file'])}:{frame['line']}" for frame in frames[max(at - 2, 0):at + 3])

        counts.different.append(f"{name} {thread['tid']}, frame {at}: {show(ours)}\n   gdb: {show(theirs)}")


def compare_process(t: Context, name: str, pid: int, counts: Counts) -> None:
    """gdb comes last: some waits end when it stops their threads."""
    def read() -> dict:
        shown = stacks_of.document(t, "-v", "--python", "native", str(pid))
        return {thread["tid"]: thread for thread in shown["processes"][0]["threads"]}

    before, after, threads = read(), read(), gdb_stacks(t, pid)
    for tid, thread in before.items():
        frames = [frame for frame in thread["frames"] if not frame["python"]]
        if thread["state"] in ("on-cpu", "runnable") or tid not in threads or tid not in after or after[tid]["frames"] != thread["frames"]:
            counts["not compared"] += 1
        else:
            compare(name, thread | {"frames": frames}, threads[tid], counts)


def judge(counts: Counts) -> None:
    harness.note(", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    for line in counts.different[:40]:
        harness.note(line)
    harness.note("cut after " + ", ".join(f"{place} ({n})" for place, n in counts.cuts.most_common(20)))
    check(not counts["different"], f"{counts['different']} of {counts['stacks']} stacks are not those of gdb")


WAYS = ("nanosleep", "poll", "select", "epoll", "read", "recv", "accept", "pause", "mutex", "cond", "sem", "signal", "flock", "usleep")


@harness.limit(300)
def test_stacks_are_those_of_gdb(t: Context) -> None:
    counts = Counts()
    for program in "hangs", "hangs_fp", "hangs_static":
        for way in WAYS[::5]:
            compare_process(t, f"{program} {way}", stacks_of.hanging(t, "stack", way, program=program).pid, counts)
    compare_process(t, "hangs many", stacks_of.hanging(t, "many", "20", n=21).pid, counts)
    compare_process(t, "python", stacks_of.python(t, WAITS_OF_PYTHON, 21).pid, counts)
    judge(counts)
    check(counts["stacks"] >= 45 and counts["cut"] <= 2, f"{counts}")


WAITS_OF_PYTHON = """
import queue, select, socket, subprocess, sys, threading, time
n = int(sys.argv[1]) if len(sys.argv) > 1 else 20
left, right = socket.socketpair()
child = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
lock = threading.Lock()
lock.acquire()
def through(depth, wait):
    return through(depth - 1, wait) if depth else sorted([0], key=lambda _: wait())
waits = [lambda: time.sleep(10000), threading.Event().wait, lock.acquire, queue.Queue().get, lambda: select.select([left], [], []),
         lambda: right.recv(1), lambda: select.poll().poll(9999999), child.wait, lambda: queue.Queue().get(timeout=99999),
         lambda: lock.acquire(timeout=99999), lambda: select.epoll().poll()]
for i in range(n):
    threading.Thread(target=through, args=(i % 7, waits[i % len(waits)]), daemon=True).start()
print("ready")
threading.Event().wait()
"""

# Programs of Debian that wait for their input, for time or for a child.
COMMANDS = (
    ["cat"], ["sleep", "9999"], ["tail", "-f", "/dev/null"], ["perl", "-e", "sleep 9999"], ["perl", "-e", "<STDIN>"], ["bash", "-c", "read x"],
    ["bash", "-c", "sleep 9999; true"], ["dash", "-c", "read x; true"], ["dash", "-c", "sleep 9999; true"], ["sort"], ["sed", "s/a/b/"], ["grep", "x"],
    ["awk", "{print}"], ["mawk", "{print}"], ["tee"], ["dd"], ["wc"], ["head"], ["tr", "a", "b"], ["cut", "-c1"], ["xargs"], ["gzip"], ["xz"], ["bzip2"],
    ["zstd"], ["git", "cat-file", "--batch"], ["make", "-f", "-"], ["bc"], ["m4"], ["nl"], ["od"], ["md5sum"], ["sha256sum"], ["base64"],
    ["gcc", "-E", "-"], ["as"], ["python3", "-c", "import time; time.sleep(9999)"], ["python3", "-c", "input()"],
    ["perl", "-e", "wait if fork; sleep 9999"], ["timeout", "9999", "sleep", "9998"], ["script", "-qc", "cat", "/dev/null"], ["flock", "/tmp", "sleep", "9997"],
    ["nc", "-l", "-p", "0"], ["socat", "-", "TCP-LISTEN:0"], ["openssl", "s_server", "-nocert", "-accept", "0"], ["ssh-agent", "-D"], ["gpg-agent", "--server"],
    ["curl", "-s", "file:///dev/stdin"], ["wget", "-i", "-"], ["node", "-e", "setTimeout(()=>0,1e7)"], ["sqlite3"], ["gdb", "-nx", "-q"],
    ["ninja", "-f", "/dev/stdin"], ["file", "-f", "-"], ["diff", "-", "/dev/null"], ["patch"], ["tar", "x"], ["cpio", "-i"], ["less", "-"], ["ruby", "-e", "sleep"],
    ["java", "-version"], ["redis-server"], ["nginx", "-g", "daemon off;"], ["dbus-daemon", "--session"], ["rsync", "--server", ".", "."], ["perf", "record", "-o", "/dev/null", "sleep", "9996"],
)

GO = """
package main

import (
    "fmt"
    "net"
    "os"
    "sync"
    "time"
)

func main() {
    var lock sync.Mutex
    lock.Lock()
    for i := 0; i < 4; i++ {
        go lock.Lock()
        go func() { time.Sleep(time.Hour) }()
        go func() { l, _ := net.Listen("tcp", "127.0.0.1:0"); l.Accept() }()
        go func() { r, _, _ := os.Pipe(); r.Read(make([]byte, 1)) }()
    }
    time.Sleep(100 * time.Millisecond)
    fmt.Println("ready")
    time.Sleep(time.Hour)
}
"""

RUST = """
use std::sync::{mpsc, Arc, Condvar, Mutex};
use std::{thread, time};

fn deep(n: u32, wait: &dyn Fn()) -> u32 {
    if n == 0 { wait(); 0 } else { deep(n - 1, wait) + n }
}

fn main() {
    let mutex: &'static Mutex<u32> = Box::leak(Box::new(Mutex::new(1)));
    let _held = mutex.lock().unwrap();
    for i in 0..16 {
        let all = Arc::new((Mutex::new(()), Condvar::new()));
        thread::spawn(move || deep(i, &|| match i % 4 {
            0 => thread::sleep(time::Duration::from_secs(9999)),
            1 => drop(mutex.lock()),
            2 => { let (_s, r) = mpsc::channel::<u32>(); let _ = r.recv(); }
            _ => { let held = all.0.lock().unwrap(); drop(all.1.wait(held)); }
        }));
    }
    thread::sleep(time::Duration::from_millis(200));
    println!("ready");
    thread::park();
}
"""


def built(t: Context, kind: str) -> list[list[str]]:
    if kind == "go" and shutil.which("go"):
        with open(t.path("hang.go"), "w", encoding="utf-8") as file:
            file.write(GO)
        subprocess.run(["go", "build", "-o", t.path("hang_go"), t.path("hang.go")], check=True, env=os.environ | {"GOCACHE": t.path("cache"), "HOME": t.folder})
        return [[t.path("hang_go")]]
    if kind == "rust" and shutil.which("rustc"):
        with open(t.path("hang.rs"), "w", encoding="utf-8") as file:
            file.write(RUST)
        found = []
        for i, options in enumerate((["-O"], ["-O", "-Cforce-frame-pointers=yes"], ["-g"])):
            subprocess.run(["rustc", *options, "-o", t.path(f"hang_rs{i}"), t.path("hang.rs")], check=True)
            found.append([t.path(f"hang_rs{i}")])
        return found
    return []


def compare_commands(t: Context, counts: Counts) -> None:
    for argv in COMMANDS:
        path = shutil.which(argv[0], path="/usr/sbin:/usr/bin:/sbin:/bin")
        if not path:
            continue
        process = t.start(path, *argv[1:], stdin=subprocess.PIPE)
        try:
            harness.wait_until(lambda: all(state == "S" for state, _ in stacks_of.threads_of(process.pid).values()), argv[0], 3)
            if stacks_of.threads_of(process.pid):
                compare_process(t, " ".join(argv), process.pid, counts)
                counts["programs"] += 1
        except (AssertionError, Skip) as error:
            harness.note(f"{argv}: {str(error)[:100]}")
        harness.kill_group(process)


def many_stacks(t: Context) -> None:
    counts, wanted = Counts(), int(os.environ["SAMPLES"])
    compare_commands(t, counts)
    for kind in "go", "rust":
        for argv in built(t, kind):
            process = t.started_ready(*argv)
            for _ in range(3):
                compare_process(t, kind, process.pid, counts)
            counts["programs"] += 1
            harness.kill_group(process)
    for program in "hangs", "hangs_fp", "hangs_static":
        for way in WAYS:
            compare_process(t, f"{program} {way}", stacks_of.hanging(t, "stack", way, program=program).pid, counts)
        compare_process(t, program, stacks_of.hanging(t, "many", "40", n=41, program=program).pid, counts)
        counts["programs"] += 1
    harness.note(f"without interpreters: {dict(counts)}")
    kinds, n = pythons.installed(), 0
    while counts["stacks"] < wanted:
        program = pythons.find_python(kinds[n % len(kinds)])
        process = stacks_of.python(t, WAITS_OF_PYTHON, 0, program, "80")
        harness.wait_until(lambda: len(stacks_of.threads_of(process.pid)) == 81, "threads")
        compare_process(t, program, process.pid, counts)
        counts["programs"] += n < len(kinds)
        harness.kill_group(process)
        n += 1
    judge(counts)


if "SAMPLES" in os.environ:
    test_many_stacks_are_those_of_gdb = harness.limit(3600)(many_stacks)


if __name__ == "__main__":
    harness.main(__name__)
