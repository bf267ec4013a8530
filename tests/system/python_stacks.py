"""Writes the frames of all of its threads to a file, as Python itself sees them, and stops there.

python3 python_stacks.py FILE CASE [NUMBER]     CASE: a function `case_CASE` below
"""
import asyncio
import json
import os
import re
import signal
import sys
import threading
import time

OUT = sys.argv[1]
outer_frames = []


def frames_of(frame):
    frames = []
    while frame:
        code = frame.f_code
        frames.append([getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno])
        frame = frame.f_back
    return frames


def write_frames(frame):
    """All threads: the line of a waiting thread does not change any more."""
    time.sleep(0.2)
    own = threading.get_ident()
    threads = {thread.ident: thread.native_id for thread in threading.enumerate()}
    current = sys._current_frames()
    stacks = {str(threads[ident]): frames_of(frame if ident == own else current[ident]) for ident in threads}
    stacks[str(threads[own])] += outer_frames
    with open(OUT + ".new", "w") as file:
        json.dump(stacks, file)
    os.rename(OUT + ".new", OUT)


def stop(*_):
    """Sends the signal to this thread: otherwise another one would stop first, and this one later."""
    write_frames(sys._getframe()); signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


def recurse(n):
    if n == 0:
        return stop()
    return recurse(n - 1)


def case_recursion(n):
    sys.setrecursionlimit(n + 1000)
    threading.stack_size(512 << 20)
    thread = threading.Thread(target=recurse, args=(n,))
    thread.start()
    thread.join()


def inner_generator(n):
    yield n
    stop()
    yield n


def outer_generator(n):
    yield from inner_generator(n)


def case_generators(n):
    for value in outer_generator(n):
        list(x for x in (y for y in [value]))


async def leaf():
    await asyncio.sleep(0)
    stop()


async def agen():
    yield 1
    await leaf()
    yield 2


async def amain():
    async for _ in agen():
        await asyncio.gather(asyncio.sleep(0))


def case_asyncio(n):
    asyncio.run(amain())


def waiter(n, lock):
    if n:
        waiter(n - 1, lock)
    else:
        lock.acquire()


def case_threads(n):
    lock = threading.Lock()
    lock.acquire()
    for i in range(12):
        threading.Thread(target=waiter, args=(i, lock), daemon=True).start()
    stop()


class Key:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        if self.value == 3:
            stop()
        return self.value < other.value


def case_callbacks(n):
    sorted([5, 3, 4], key=Key)


def hook(pairs):
    return re.sub("b+", lambda match: str(list(map(stop, [match]))), pairs[0][1])


def case_json(n):
    json.loads('{"a": "abba"}', object_pairs_hook=hook)


def case_ctypes(n):
    import ctypes

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    def compare(a, b):
        if not os.path.exists(OUT):
            stop()
        return 0

    array = (ctypes.c_int * 4)(3, 1, 2, 0)
    ctypes.CDLL(None).qsort(array, 4, 4, compare)


class Guard:
    def __enter__(self):
        raise KeyError(1)

    def __exit__(self, *_):
        pass


def case_exceptions(n):
    try:
        try:
            with Guard():
                pass
        finally:
            exec("""class Body:
    x = 1

    def __init__(self):
        self.y = [stop() for _ in
                  range(1)]

Body(
)
""")
    except KeyError:
        pass


# A name, a file and a line table that are not ASCII, and lines far apart.
def case_names(n):
    for name in ("gr\u00fcn", "\u03b1\u03b2", "x" * 300):
        source = "def " + name + "(f):\n" + "\n" * 400 + "    a = 1; return f(\n" + "\n" * 200 + "  a)\n"
        scope = {}
        exec(compile(source, name + ".py", "exec"), scope)
        inner = scope[name]
        case_names.function = (lambda g, h: lambda a: h(lambda b: g(b)))(case_names.function, inner)
    case_names.function(1)


case_names.function = stop


def case_subinterpreter(n):
    """The inner interpreter does not have the frames of the outer one, which runs in the same thread."""
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    frames = frames_of(sys._getframe())
    frames[0][2] += 6
    with open(__file__) as file:
        source = file.read().rsplit("\nglobals()", 1)[0]
    with open(OUT + ".py", "w") as file:
        file.write(source.replace("sys.argv[1]", repr(OUT)).replace("outer_frames = []", f"outer_frames = {frames}") + "\nstop()\n")
    interpreters.run_string(interpreters.create(), f"exec(compile(open({OUT + '.py'!r}).read(), 'inner.py', 'exec'))")


globals()["case_" + sys.argv[2]](int(sys.argv[3]) if len(sys.argv) > 3 else 0)
