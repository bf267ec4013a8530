#!/usr/bin/python3
"""wperf stack on the GIL: who holds it and who waits for it, when it goes from thread to thread."""
import re
from typing import Callable

import harness
from harness import Context, check
from pythons import find_python, installed
from stacks_of import functions, only, python, read

# The last of many threads, which is read some time after the first, sleeps with the GIL and without it in turns.
TURNS = """
import ctypes, threading, time
keep = ctypes.PyDLL(None).usleep
def held():
    keep(60000)
def free():
    time.sleep(0.03)
def turn():
    while True:
        held()
        free()
for _ in range(200):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
threading.Thread(target=turn, daemon=True).start()
print("ready")
threading.Event().wait()
"""


@harness.limit(120)
def test_the_gil_in_turns(t: Context) -> None:
    process = python(t, TURNS)
    seen = {"held": 0, "free": 0}
    for _ in range(20):
        thread = max(read(t, process.pid), key=lambda thread: thread["tid"])
        where = next((name for name in functions(thread) if name in seen), None)
        if thread["state"] != "sleep" or not where:
            continue
        seen[where] += 1
        check(thread["holds_gil"] == (where == "held"), f"{thread}")
    harness.note(f"{seen}")
    check(seen["held"] > 3, f"{seen}")


# Many threads ask for the GIL, each every 5 ms.
ASKING = """
import ctypes, threading
keep = ctypes.PyDLL(None).sleep
locks = [threading.Lock() for _ in range(40)]
def ask(lock):
    lock.acquire()
    while True:
        pass
for lock in locks:
    lock.acquire()
    threading.Thread(target=ask, args=(lock,), daemon=True).start()
print("ready")
for lock in locks:
    lock.release()
keep(1000)
"""


@harness.limit(120)
def test_threads_that_ask_for_the_gil(t: Context) -> None:
    """One that is met between two waits still waits."""
    process = python(t, ASKING)
    n_on_cpu = n = 0
    for _ in range(5):
        threads = [thread for thread in read(t, process.pid) if thread["tid"] != process.pid]
        n += len(threads)
        n_on_cpu += sum(thread["state"] in ("on-cpu", "runnable") for thread in threads)
    harness.note(f"{n_on_cpu} of {n} on a CPU")
    check(n_on_cpu <= n / 50, f"{n_on_cpu} of {n} threads are said to run")


# A GIL of its own for each of two interpreters: one is kept by C code, the other goes between two threads. In 3.12 the
# thread of run_string has a thread state that says to be of another thread.
INTERPRETERS = """
import ctypes, os, threading, time
import _interpreters as interpreters
other = interpreters.create()
inner = '''
import threading
def inner():
    while True:
        pass
threading.Thread(target=inner).start()
inner()
'''
keep = ctypes.PyDLL(None).sleep
def outer():
    while True:
        pass
threading.Thread(target=interpreters.run_string, args=(other, inner), daemon=True).start()
while len(os.listdir("/proc/self/task")) < 3:
    time.sleep(0.01)
for _ in range(3):
    threading.Thread(target=outer, daemon=True).start()
print("ready")
keep(1000)
"""


def gil_of_each_interpreter(kind: str) -> Callable[[Context], None]:
    @harness.limit(120)
    def test(t: Context) -> None:
        process = python(t, INTERPRETERS, 0, find_python(kind))
        n_outer = 0
        harness.wait_until(lambda: len(read(t, process.pid)) == 6, "all threads run")
        for _ in range(10):
            threads = read(t, process.pid)
            inner = [thread["tid"] for thread in threads if "inner" in functions(thread)]
            check(only(threads, tid=process.pid)["holds_gil"], f"{threads}")
            for thread in threads:
                if thread["state"] == "gil" and "outer" in functions(thread):
                    n_outer += 1
                    check(thread["owner"] == process.pid, f"{thread}")
                elif thread["state"] == "gil":
                    check(thread["owner"] is None or thread["owner"] in inner, f"{thread}, not of {inner}")
        check(n_outer > 10, f"{n_outer} readings of threads that wait")

    return test


# Up to 3.12 a new interpreter has a thread state that says to be of the thread that made it.
RUN_ELSEWHERE = """
import threading
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
other = interpreters.create()
inner = '''
import time
def inner():
    time.sleep(1000)
inner()
'''
def outer():
    interpreters.run_string(other, inner)
threading.Thread(target=outer, daemon=True).start()
print("ready")
threading.Event().wait()
"""


def interpreter_of_another_thread(kind: str) -> Callable[[Context], None]:
    def test(t: Context) -> None:
        process = python(t, RUN_ELSEWHERE, 2, find_python(kind))
        threads = read(t, process.pid)
        main, = (thread for thread in threads if thread["tid"] == process.pid)
        runner, = (thread for thread in threads if thread["tid"] != process.pid)
        check("inner" not in functions(main) and "<module>" in functions(main), f"{main}")
        names = functions(runner)
        check("outer" in names and names.index("inner") < names.index("outer"), f"{runner}")

    return test


# A handler of a signal waits, on a stack of its own.
OTHER_STACK = """
import ctypes, signal
libc = ctypes.CDLL(None)
memory = ctypes.create_string_buffer(1 << 16)
class Stack(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]
class Action(ctypes.Structure):
    _fields_ = [("handler", ctypes.c_void_p), ("mask", ctypes.c_ulong * 16), ("flags", ctypes.c_int), ("restorer", ctypes.c_void_p)]
libc.sigaltstack(ctypes.byref(Stack(ctypes.addressof(memory), 0, 1 << 16)), None)
action = Action(handler=ctypes.cast(libc.pause, ctypes.c_void_p).value, flags=0x08000000)
libc.sigaction(signal.SIGUSR1, ctypes.byref(action), None)
def inner():
    print("ready")
    getattr(libc, "raise")(signal.SIGUSR1)
inner()
"""


def another_stack(kind: str) -> Callable[[Context], None]:
    def test(t: Context) -> None:
        thread, = read(t, python(t, OTHER_STACK, 1, find_python(kind)).pid)
        check({"inner", "<module>"} <= set(functions(thread)), f"{thread}")

    return test


MORE = [(f"the GIL of each interpreter of {kind}", gil_of_each_interpreter(kind))
        for kind in installed() if re.search(r"pyenv 3\.13|newest 3\.1[45]", kind)]
MORE += [(f"an interpreter of another thread with {kind}", interpreter_of_another_thread(kind))
         for kind in installed() if re.search(r"3\.1[1-5]|python3$", kind)]
MORE += [(f"a stack for signals with {kind}", another_stack(kind)) for kind in installed() if re.search(r"3\.1[12]|python3$", kind)]

if __name__ == "__main__":
    harness.main(__name__, MORE)
