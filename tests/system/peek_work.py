"""Calls functions that change quickly, and keeps a log of its own stack.

python3 peek_work.py FILE SECONDS THREADS     SECONDS: CPU time of each thread

Each function notes the time when it begins, and before it returns.  FILE gets a line for each thread: its native id, then
time and function of each note; a function that returns has a minus sign.
"""
import sys
import threading
from time import monotonic_ns as now, thread_time
from zlib import crc32

NAMES = ["short", "other", "nested", "inner", "checked", "summed", "compared", "key", "deep", "steady"]
SHORT, OTHER, NESTED, INNER, CHECKED, SUMMED, COMPARED, KEY, DEEP, STEADY = range(1, len(NAMES) + 1)
BYTES = bytes(20000)


def make_work(note_time, note):
    """The functions are local ones, because each thread has a log of its own."""

    def short(n):
        note_time(now()); note(SHORT)
        for _ in range(n):
            pass
        note_time(now()); note(-SHORT)

    def other(n):
        note_time(now()); note(OTHER)
        for _ in range(n):
            pass
        note_time(now()); note(-OTHER)

    def inner(n):
        note_time(now()); note(INNER)
        short(n)
        note_time(now()); note(-INNER)

    def nested(n):
        note_time(now()); note(NESTED)
        inner(n); other(n); inner(n)
        note_time(now()); note(-NESTED)

    def checked():
        note_time(now()); note(CHECKED)
        crc32(BYTES)
        note_time(now()); note(-CHECKED)

    def summed():
        note_time(now()); note(SUMMED)
        sum(range(1000))
        note_time(now()); note(-SUMMED)

    def key(value):
        note_time(now()); note(KEY)
        note_time(now()); note(-KEY)
        return -value

    def compared():
        note_time(now()); note(COMPARED)
        sorted(range(20), key=key)
        note_time(now()); note(-COMPARED)

    def deep(n):
        note_time(now()); note(DEEP)
        if n:
            deep(n - 1)
        note_time(now()); note(-DEEP)

    def steady():
        note_time(now()); note(STEADY)
        for _ in range(5000):
            pass
        note_time(now()); note(-STEADY)

    def work(seconds):
        while thread_time() < seconds:
            for _ in range(20):
                short(20); other(20)
            nested(10); checked(); summed(); checked(); compared(); deep(20); steady()

    return work


def run(seconds, logs):
    times, notes = [], []
    logs.append((threading.get_native_id(), times, notes))
    make_work(times.append, notes.append)(seconds)


def main():
    logs = []
    threads = [threading.Thread(target=run, args=(float(sys.argv[2]), logs)) for _ in range(int(sys.argv[3]) - 1)]
    for thread in threads:
        thread.start()
    run(float(sys.argv[2]), logs)
    for thread in threads:
        thread.join()
    with open(sys.argv[1], "w") as file:
        for tid, times, notes in logs:
            print(tid, *(f"{time} {kind}" for time, kind in zip(times, notes)), file=file)


if __name__ == "__main__":
    main()
