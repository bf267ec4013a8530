"""Runs Python code of many kinds for some seconds; python3 python_paths.py SECONDS.  Names show the calls: a function
`a_b` is called only by `a`, and `native` in a comment names the C function between the two."""
import asyncio
import json
import re
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def sort_key(value):
    return -value


def sort():
    sorted(range(300), key=sort_key)  # list_sort


def gen_inner(n):
    for i in range(n):
        yield i * i


def gen_outer(n):
    yield from gen_inner(n)


def gen():
    return sum(gen_outer(200))  # builtin_sum


def sub_repl(match):
    return match[1].upper()


def sub():
    return re.sub(r"(\w)\w*", sub_repl, "ab cde fghi " * 20)


def hook(pairs):
    return len(pairs)


TEXT = json.dumps([{"a": i, "b": [i] * 3} for i in range(30)])


def load():
    return json.loads(TEXT, object_pairs_hook=hook)


class Kind:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __del__(self):
        self.value = None


def compare():
    return min([Kind(i) for i in range(100)])  # builtin_min


def throw_deep(n):
    if n == 0:
        raise ValueError(n)
    try:
        throw_deep(n - 1)
    finally:
        n = 0


def throw():
    for _ in range(10):
        try:
            throw_deep(5)
        except ValueError:
            pass


async def aleaf(n):
    await asyncio.sleep(0)
    return sum(range(n))


async def amain():
    for _ in range(5):
        await asyncio.gather(*(aleaf(50) for _ in range(3)))


def flutter():
    for _ in range(300):
        flutter_a()
        flutter_b()


def flutter_a():
    return sum(range(20))


def flutter_b():
    return sum(range(20))


loop = asyncio.new_event_loop()
print("ready", flush=True)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    fib(14)
    sort()
    gen()
    sub()
    load()
    compare()
    throw()
    flutter()
    loop.run_until_complete(amain())
