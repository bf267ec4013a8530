"""Recurses and burns CPU time there: python3 python_deep.py FILE DEPTH SECONDS.  Writes the frames of the thread at the
deepest call to FILE, innermost first, as Python itself sees them."""
import json
import sys
import threading
import time


def frames_of_this_thread():
    frame = sys._current_frames()[threading.get_ident()].f_back
    frames = []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        frames.append("%s [%s:%d]" % (name, code.co_filename.rsplit("/", 1)[1], frame.f_lineno))
        frame = frame.f_back
    return frames


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


def recurse(n):
    if n == 0:
        found.extend(frames_of_this_thread()); return spin(float(sys.argv[3]))
    return recurse(n - 1) if n % 2 else \
        recurse(n - 1)


found = []
sys.setrecursionlimit(100000)
threading.stack_size(512 << 20)
thread = threading.Thread(target=recurse, args=(int(sys.argv[2]),))
thread.start()
thread.join()
with open(sys.argv[1], "w") as file:
    json.dump(found, file)
