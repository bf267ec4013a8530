"""Threads that hand over the GIL: python3 python_turns.py HOW SECONDS.

HOW: switch (the interpreter takes the GIL from a thread that runs) or wait (each thread wakes the next one and waits).  All threads do the
same work, so that the time in the kernel, which has no samples, belongs to all functions alike.  Prints the CPU time of each function.
"""
import random
import sys
import threading
from time import thread_time_ns

import traced

N_THREADS = 4
WEIGHTS = {"often": 40, "less": 30, "some": 20, "few": 8, "rare": 2}
HELD_NS = 4000000
spent = dict.fromkeys(WEIGHTS, 0)
condition = threading.Condition()
turn = 0
is_over = False


def often(n):
    for _ in range(n): pass


def less(n):
    for _ in range(n): pass


def some(n):
    for _ in range(n): pass


def few(n):
    for _ in range(n): pass


def rare(n):
    for _ in range(n): pass


def wait_for_turn(i):
    global turn
    with condition:
        turn = (i + 1) % N_THREADS
        condition.notify_all()
        while turn != i and not is_over:
            condition.wait()


def end():
    global is_over
    with condition:
        is_over = True
        condition.notify_all()


def work(i):
    numbers, mine, most_ns = random.Random(i), dict.fromkeys(WEIGHTS, 0), float(sys.argv[2]) * 1e9 / N_THREADS
    functions = [globals()[name] for name in WEIGHTS]
    start = thread_time_ns()
    while not is_over and thread_time_ns() < start + most_ns:
        function, n = numbers.choices(functions, WEIGHTS.values())[0], numbers.randrange(8000)
        before = thread_time_ns()
        function(n)
        after = thread_time_ns()
        if after - before < HELD_NS:  # else a hypervisor stopped the machine
            mine[function.__name__] += after - before
        if sys.argv[1] == "wait":
            wait_for_turn(i)
    end()
    with condition:
        for name in WEIGHTS:
            spent[name] += mine[name]


traced.wait_for_tracer()
sys.setswitchinterval(0.0005)
threads = [threading.Thread(target=work, args=(i,)) for i in range(N_THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("spent", *(f"{name} {ns}" for name, ns in spent.items()))
