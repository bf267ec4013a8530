# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside gdb: stops a program at random times and at the instructions after them, and writes the content of a
sample with a copied stack, and gdb's backtrace.  stacks_agree.py starts it.

Environment: SAMPLES_OUT, a file of lines as JSON: maps when they have changed, then samples; SAMPLES_STOPS,
SAMPLES_STEPS after each stop; SAMPLES_BYTES of the stack.
"""
import json
import os
import random
import subprocess

import gdb

# perf's numbers of x86-64's registers.
REGS = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip", "eflags", "cs", "ss",
        "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"]
MAX_FRAMES = 120


def maps_of(pid):
    found = []
    for line in open(f"/proc/{pid}/maps", encoding="utf-8"):
        words = line.split(maxsplit=5)
        if "x" in words[1]:
            start, end = (int(word, 16) for word in words[0].split("-"))
            found.append([start, end, int(words[2], 16), words[5].strip() if len(words) > 5 else "//anon"])
    return found


def read_stack(inferior, sp, size):
    """As far up as memory is mapped."""
    for line in open(f"/proc/{inferior.pid}/maps", encoding="utf-8"):
        start, end = (int(word, 16) for word in line.split()[0].split("-"))
        if start <= sp < end:
            return inferior.read_memory(sp, min(size, end - sp)).tobytes()
    return b""


def backtrace():
    """Addresses, innermost first, and whether gdb says why there are no more."""
    frame, pcs = gdb.newest_frame(), []
    while frame is not None and len(pcs) < MAX_FRAMES:
        reason = frame.unwind_stop_reason()
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pcs.append(frame.pc())
        # It pushes no return address.
        if frame.name() == "_start":
            break
        try:
            frame = frame.older()
        except gdb.error as error:
            return pcs, str(error)
    return pcs, gdb.frame_stop_reason_string(reason) if reason not in (0, 1) else ""


def sample(inferior, size):
    frame = gdb.newest_frame()
    regs = [int(frame.read_register(name)) & (1 << 64) - 1 for name in REGS]
    pcs, reason = backtrace()
    return {"regs": regs, "stack": read_stack(inferior, regs[7], size).hex(), "pcs": pcs, "reason": reason}


def main():
    chooser = random.Random(1)
    size, n_steps = int(os.environ["SAMPLES_BYTES"]), int(os.environ["SAMPLES_STEPS"])
    for line in ("set pagination off", "set confirm off", "set debuginfod enabled off", "set backtrace past-main on",
                 "set backtrace past-entry on", "set step-mode on", "set disable-randomization on",
                 "handle SIGUSR2 stop print nopass", "handle SIGALRM SIGPROF SIGVTALRM SIGUSR1 nostop noprint pass",
                 "tbreak *_start" if os.environ.get("SAMPLES_STATIC") else "starti"):
        gdb.execute(line)
    if os.environ.get("SAMPLES_STATIC"):
        gdb.execute("run")
    inferior, known = gdb.selected_inferior(), None
    with open(os.environ["SAMPLES_OUT"], "w", encoding="utf-8") as out:
        for _ in range(int(os.environ["SAMPLES_STOPS"])):
            wait = chooser.uniform(0.002, 0.02)
            with subprocess.Popen(["sh", "-c", f"sleep {wait}; kill -USR2 {inferior.pid}"]):
                gdb.execute("continue", to_string=True)
            if not inferior.pid:
                break
            for _ in range(n_steps):
                maps = maps_of(inferior.pid)
                if maps != known:
                    known = maps
                    out.write(json.dumps({"maps": maps, "pid": inferior.pid}) + "\n")
                out.write(json.dumps(sample(inferior, size)) + "\n")
                gdb.execute("stepi", to_string=True)
                if not inferior.pid:
                    return
        gdb.execute("kill")


main()
