"""Calls itself through many code objects.  Arguments: their kind (none, long, lines, damaged), seconds.

long: names of 4,000 characters, new code objects all the time.  lines: line tables of 8 MB.  damaged: names that are
not text.
"""
import ctypes
import os
import sys
import time

WHAT, SECONDS = sys.argv[1], float(sys.argv[2])
DEPTH = 400
NAME_AT = {11: 128, 12: 120}.get(sys.version_info[1], 0)  # of co_qualname
kept: list[object] = []


def step(functions, i, end):
    if i + 1 < len(functions):
        return functions[i + 1](functions, i + 1, end)
    n = 0
    while time.thread_time() < end:
        n += sum(range(1000))
    return n


def make(number: int):
    changes = {"co_name": f"step{number}"}
    if sys.version_info >= (3, 11):
        changes["co_qualname"] = changes["co_name"] + "n" * (4000 if WHAT == "long" else 0)
    if WHAT == "lines":
        changes["co_linetable"] = step.__code__.co_linetable + number.to_bytes(4, "little") * (2 << 20)
    if WHAT == "long":
        changes["co_filename"] = f"/{number}/" + "f" * 3900
    code = step.__code__.replace(**changes)
    function = type(step)(code, globals())
    if WHAT == "damaged":
        no_text = ctypes.create_string_buffer(256)
        no_text[0:4] = (1 << 30).to_bytes(4, "little")  # references, so that it is never freed
        kept.append(no_text)
        ctypes.c_uint64.from_address(id(code) + NAME_AT).value = ctypes.addressof(no_text)
    return function


def main() -> None:
    number, stop = 0, time.thread_time() + SECONDS
    while time.thread_time() < stop:
        functions = [make(number + i) for i in range(DEPTH if WHAT != "lines" else 8)]
        number += len(functions)
        functions[0](functions, 0, time.thread_time() + 0.01 if WHAT in ("long", "lines") else stop)
        kept.append(functions if WHAT == "damaged" else None)
    print(number, "code objects", flush=True)
    os._exit(0)


sys.setrecursionlimit(10000)
main()
