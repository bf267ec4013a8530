"""Threads with names that use CPU time: test_thread_names.py records them.  Prints the names by native thread id as JSON."""
from __future__ import annotations

import json
import sys
import threading
import time

CPU_SECONDS = 0.5
HOSTILE = "\x1b[31m<b>\n;a,b"
NAMES = ["pool-0_1", "größer 線", "x" * 300, HOSTILE]


def work() -> None:
    end = time.thread_time() + CPU_SECONDS
    while time.thread_time() < end:
        sum(range(1000))
    done.release()
    gate.acquire()


done = threading.Semaphore(0)
gate = threading.Semaphore(0)


def main() -> None:
    threads = [threading.Thread(target=work, name=name) for name in NAMES]
    for thread in threads:
        thread.start()
    print(json.dumps({thread.native_id: thread.name for thread in threads}), flush=True)
    for _ in threads:
        done.acquire()
    for _ in threads:
        gate.release()


if __name__ == "__main__":
    if "later" in sys.argv:
        sys.stdin.readline()
    main()
