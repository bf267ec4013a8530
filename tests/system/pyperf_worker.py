#!/usr/bin/python3
"""pyperf_worker.py ONE TWO [pyperf's options]: does what a worker process of pyperf does with a hook: a turn of warmups, if any, and one of
values.  Calls of the library ONE are benchmarks, those of TWO are between them.  Prints the metadata of the turns."""
import ctypes
import importlib.metadata
import json
import sys

from pyperf._hooks import HookBase, HookError

VALUES = 3
TURN_MS = 150


def turn(make: type, one: ctypes.CDLL, two: ctypes.CDLL) -> dict:
    metadata: dict = {}
    hook = make()
    assert isinstance(hook, HookBase)
    for _ in range(VALUES):
        two.work(ctypes.c_uint64(TURN_MS))
        with hook:
            one.work(ctypes.c_uint64(TURN_MS))
    hook.teardown(metadata)
    return metadata


def main() -> None:
    found = importlib.metadata.entry_points().select(group="pyperf.hook", name="wperf_record")
    make = next(iter(found)).load()
    one, two = map(ctypes.CDLL, sys.argv[1:3])
    turns = 2 if "--warmups" in sys.argv and sys.argv[sys.argv.index("--warmups") + 1] != "0" else 1
    try:
        print(json.dumps([turn(make, one, two) for _ in range(turns)]))
    except HookError as err:
        sys.exit(f"ERROR: {err}")


main()
