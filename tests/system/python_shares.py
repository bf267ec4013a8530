"""Does the same work each time: python3 python_shares.py ROUNDS.

Prints its pid and the CPU time of each line with `# timed`, without the time in which a hypervisor stopped the machine.
"""
import os
import random
import sys
from time import thread_time_ns

import traced

HELD_NS = 4000000
spent = [0, 0, 0, 0, 0]
numbers = random.Random(1)


def some(n):
    """Rounds of equal length could be in phase with the samples."""
    return numbers.randrange(2 * n)


def add_times(*times):
    for i, (start, end) in enumerate(zip(times, times[1:])):
        if end - start < HELD_NS:
            spent[i] += end - start


def lines(a, b, c, d, e):
    start = thread_time_ns()
    sum(range(a))  # timed
    summed = thread_time_ns()
    [i * i for i in range(b)]  # timed
    listed = thread_time_ns()
    max(range(c), key=float, default=0)  # timed
    found = thread_time_ns()
    for _ in range(d): pass  # timed
    looped = thread_time_ns()
    "".join(map(str, range(e)))  # timed
    add_times(start, summed, listed, found, looped, thread_time_ns())


def add(n):
    total = 0
    for i in range(n):
        total += i
    return total


def table(n):
    return {i: i for i in range(n)}


def down(n):
    return add(3000) if n == 0 else down(n - 1)


def join(n):
    text = ""
    for i in range(n):
        text += "x"
    return text


def main():
    for _ in range(int(sys.argv[1])):
        lines(some(24000), some(2500), some(4000), some(10000), some(1200))
        add(some(6000))
        table(some(4000))
        down(10)
        join(some(3000))


traced.wait_for_tracer()
main()
print("pid", os.getpid(), "spent", *spent)
