# The program of test_python_stacks.py.  A comment `-> name` names the functions that a line calls; no other call is possible.
import json
import re
import sys
import threading


def spin(n):
    total = 0
    for i in range(n):
        total += i
    return total


def alpha():
    return spin(30)  # -> spin


def beta():
    return spin(30)  # -> spin


def key(item):
    return spin(2) if item else 0  # -> spin


def squares(n):
    for i in range(n):
        spin(5)  # -> spin
        yield i


def deep(n):
    if n == 0:
        return spin(50)  # -> spin
    return deep(n - 1)  # -> deep


def fail(n):
    if n == 0:
        raise ValueError
    fail(n - 1)  # -> fail


class Thing:
    def __init__(self, n):
        self.n = spin(n)  # -> spin


def mark(match):
    return "b" if spin(3) else ""  # -> spin


async def wait(n):
    return spin(n)  # -> spin


async def ask(n):
    return await wait(n)  # -> wait


def drive(n):
    try:
        ask(n).send(None)  # -> ask
    except StopIteration:
        pass


def main(rounds):
    for _ in range(rounds):
        alpha()  # -> alpha
        beta()  # -> beta
        sorted(range(20), key=key)  # -> key
        sum(squares(10))  # -> squares
        deep(100)  # -> deep
        try:
            fail(10)  # -> fail
        except ValueError:
            pass
        Thing(10)  # -> __init__
        re.sub("a", mark, "banana")  # -> mark
        json.loads('[{"a": 1}, {"b": [2, 3]}]', object_hook=key)  # -> key
        drive(20)  # -> drive


threads = []
for _ in range(3):
    threads.append(threading.Thread(target=main, args=(int(sys.argv[1]),)))
    threads[-1].start()
main(int(sys.argv[1]))  # -> main
for thread in threads:
    thread.join()
