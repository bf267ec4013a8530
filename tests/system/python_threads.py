"""Threads with names of all kinds, which sleep: test_stack_python.py reads their names.  Prints the names that
threading knows by native thread id as JSON, then sleeps."""
from __future__ import annotations

import _thread
import json
import sys
import threading
import time

N_MANY = 40


class Counted(threading.Thread):
    """With attributes of its own, and a __dict__ that was asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(target=rest, name=name, daemon=True)
        for i in range(N_MANY):
            setattr(self, f"attribute_{i}", i)
        self.seen = dict(self.__dict__)


class Slotted(threading.Thread):
    """Slots come before the dict."""

    __slots__ = ("first", "second")


def rest() -> None:
    time.sleep(1000)


def main() -> None:
    threads = [threading.Thread(target=rest, name=f"worker-{i}", daemon=True) for i in range(N_MANY)]
    if "workers" not in sys.argv:
        threads += others()
    for thread in threads:
        thread.start()
    if "workers" not in sys.argv:
        threads[1].name = "renamed"
        _thread.start_new_thread(rest, ())  # has no name
    if "rename" in sys.argv:
        threading.current_thread().name = "the first"
    print(json.dumps({thread.native_id: thread.name for thread in threading.enumerate()}), flush=True)
    time.sleep(1000)


def others() -> list[threading.Thread]:
    return [threading.Thread(target=rest, daemon=True), Counted("counted"), Slotted(target=rest, name="slotted", daemon=True),
                threading.Thread(target=rest, name="größer, 線, 🐍", daemon=True), threading.Thread(target=rest, name="x" * 300, daemon=True)]


if __name__ == "__main__":
    main()
