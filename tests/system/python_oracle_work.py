"""Runs each case for some CPU time: python3 python_oracle_work.py SECONDS FOLDER PID.

Each thread passes its thread state to python_oracle, whose pid is PID.  FOLDER is an empty folder for imported modules.
Runs on CPython 3.8 and later.
"""
import asyncio
import contextlib
import ctypes
import functools
import importlib
import itertools
import json
import os
import re
import sys
import threading
import time
import types

import traced

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

try:
    import greenlet
except ImportError:
    greenlet = None
try:
    import gevent
except ImportError:
    gevent = None

SECONDS = float(sys.argv[1])
FOLDER = sys.argv[2]
ORACLE_MAGIC = 0xac1e << 32 | int(sys.argv[3])

WORK = os.path.abspath(__file__)
number = itertools.count()
get_state = ctypes.pythonapi.PyThreadState_Get
get_state.restype = ctypes.c_void_p
libc = ctypes.CDLL(None)
libc.prctl.argtypes = [ctypes.c_int] + 4 * [ctypes.c_ulong]


@contextlib.contextmanager
def seen_by_oracle():
    libc.prctl(-1, ORACLE_MAGIC, get_state(), 0, 0)
    try:
        yield
    finally:
        libc.prctl(-1, ORACLE_MAGIC, 0, 0, 0)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def case_fib():
    fib(15)


def leaf_of_left():
    return sum(range(50))


def leaf_of_right():
    return sum(range(50))


def left():
    return leaf_of_left()


def right():
    return leaf_of_right()


def case_alternating_paths():
    for _ in range(200):
        left()
        right()


MODULE = """
class Kind:
    kinds = [i * i for i in range(200)]

    def value(self):
        return sum(self.kinds)


def work():
    return [Kind().value() for _ in range(3)]


work()
"""


def write_modules(depth):
    with open(os.path.join(FOLDER, "executed.py"), "w") as file:
        file.write(EXECUTED)
    for i in range(depth):
        with open(os.path.join(FOLDER, "nested%d.py" % i), "w") as file:
            file.write(("import nested%d\n" % (i + 1) if i + 1 < depth else "") + MODULE)


def case_nested_imports():
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.startswith("nested")]:
        del sys.modules[name]
    import nested0
    nested0.work()


TEXT = json.dumps([{"a": i, "b": [i] * 3, "c": {"d": str(i)}} for i in range(20)])


def pairs_hook(pairs):
    return {key: value for key, value in pairs}


class Odd:
    pass


def odd_default(value):
    return [1, 2, type(value).__name__]


def case_json():
    json.loads(TEXT)
    json.loads(TEXT, object_pairs_hook=pairs_hook)
    json.dumps({"x": [Odd() for _ in range(5)], "y": 1.5}, default=odd_default, indent=1)


def upper(match):
    return match[1].upper()


def case_re():
    re.purge()
    re.compile(r"(a|b)*c[d-f]+(?P<name>x?)")
    re.sub(r"(\w)\w*", upper, "ab cde fghi " * 10)
    re.findall(r"(\w+)@(\w+)\.com", "someone@example.com, " * 10)


def negative(value):
    return -value


def case_sorted():
    sorted(range(200), key=negative)
    sorted(["b", "a", "c"] * 20, key=lambda text: (text.upper(), len(text)))


def inner_generator(n):
    for i in range(n):
        yield i * i


def outer_generator(n):
    yield from inner_generator(n)
    got = yield n
    while got:
        got = yield (lambda x: x + 1)(got)


def case_generators():
    sum(outer_generator(50))
    list(x for x in (y + 1 for y in inner_generator(20)) if x % 2)
    generator = outer_generator(2)
    for value in (None, None, None, 3, 2, 1):
        generator.send(value)
    with contextlib.suppress(KeyError):
        generator.throw(KeyError(1))
    {a: {b for b in range(3)} for a in range(10)}


async def wait_a_little(n):
    await asyncio.sleep(0)
    return sum(inner_generator(n))


async def numbers(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


async def ask():
    await asyncio.gather(*(wait_a_little(20) for _ in range(5)))
    return [i async for i in numbers(5)]


loop = asyncio.new_event_loop()


def case_asyncio():
    loop.run_until_complete(ask())


def run_thread(lock):
    with seen_by_oracle():
        for i in range(10):
            with lock:
                fib(8)
            sorted(range(100), key=negative)
            sum(inner_generator(100))


def case_threads():
    lock = threading.Lock()
    threads = [threading.Thread(target=run_thread, args=(lock,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fail(n):
    if n == 0:
        raise ValueError(n)
    try:
        fail(n - 1)
    finally:
        n += 1


class Guard:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return self.number % 2 == 0

    def __del__(self):
        self.number = None


def case_exceptions():
    for i in range(20):
        try:
            with Guard(i):
                fail(i % 7)
        except ValueError as error:
            error.__traceback__ = None
        else:
            i = 0


def recurse(n):
    if n == 0:
        return fib(9)
    return recurse(n - 1) + 1


def case_recursion_to_500():
    recurse(500)


class Number:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __getattr__(self, name):
        if name == "absent":
            raise AttributeError(name)
        return name

    @property
    def doubled(self):
        return self.value * 2


class Filler(dict):
    def __missing__(self, key):
        self[key] = value = fib(3)
        return value


EXECUTED = "[negative(i)\n for i in range(5)]\n"


def add(a, b):
    return a + b


def compare(a, b):
    return a - b


class Meta(type):
    def __call__(cls, *args):
        return super().__call__(*args)


class Made(metaclass=Meta):
    def __init_subclass__(cls):
        cls.name = "made"

    def __new__(cls, value):
        return super().__new__(cls)

    def __init__(self, value):
        self.value = fib(2)


def case_c_callbacks():
    functools.reduce(add, range(50))
    list(map(negative, filter(lambda value: value % 2, range(50))))
    min(Number(i) for i in range(20)).doubled
    {Number(i): 1 for i in range(20)}[Number(3)]
    sorted(range(30), key=functools.cmp_to_key(compare))
    filler = Filler()
    [filler[i] for i in range(10)]
    [hasattr(Number(1), "absent") for _ in range(5)]
    type("Sub", (Made,), {})(1)
    exec(compile(EXECUTED, os.path.join(FOLDER, "executed.py"), "exec"), globals())


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def compare_ints(a, b):
    return compare(a[0], b[0])


def case_ctypes():
    array = (ctypes.c_int * 30)(*(i * 7 % 31 for i in range(30)))
    libc.qsort(array, ctypes.c_size_t(30), ctypes.c_size_t(4), compare_ints)


def base(n):
    total = 0
    for i in range(n):
        total += i
    return total


QUALIFIED = hasattr(base.__code__, "co_qualname")
MADE = "def made(n):\n%s    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
MADE = [MADE % "", MADE % "\n\n\n"]


def write_made():
    """For python_oracle_lines.py: both have the same functions with the same first lines, and other lines."""
    for i in range(2):
        with open(os.path.join(FOLDER, "made.%d" % i), "w") as file:
            file.write(MADE[i])


def run_recycled(code):
    """The code object is freed with its function, so that the next one is at its address."""
    names = {"range": range}
    types.FunctionType(code, names)(2000)


def case_renamed_code():
    for kind in "ab":
        name = kind + "~%06d" % next(number)
        fields = {"co_name": name, "co_qualname": name} if QUALIFIED else {"co_name": name}
        run_recycled(base.__code__.replace(**fields))


def case_moved_code():
    for kind in "ab":
        run_recycled(base.__code__.replace(co_filename=WORK + "~" + kind + "%06d" % next(number)))


def case_made_code():
    for text in MADE:
        code = compile(text, "<made %s>" % os.path.join(FOLDER, "made"), "exec")
        run_recycled(next(const for const in code.co_consts if isinstance(const, types.CodeType)))


INNER = """
import sys
sys.path.insert(0, {folder!r})
import oracle_states

def inner_leaf(n):
    return sum(range(n))

def inner_key(n):
    return -inner_leaf(n)

def inner_main():
    for i in range(20):
        inner_leaf(100)
        sorted(range(20), key=inner_key)

oracle_states.show({magic}, {state})
inner_main()
sum(range(1000))
oracle_states.hide({magic})
"""


inner = interpreters.create()


def case_nested_interpreters():
    text = INNER.format(folder=FOLDER, magic=ORACLE_MAGIC, state=get_state())
    with open(os.path.join(FOLDER, "string.py"), "w") as file:
        file.write(text)
    # Until the other interpreter passes its state, it is not known.
    libc.prctl(-1, ORACLE_MAGIC, 0, 0, 0)
    (getattr(interpreters, "exec", None) or interpreters.run_string)(inner, text)
    libc.prctl(-1, ORACLE_MAGIC, get_state(), 0, 0)
    fib(10)


if greenlet:
    def case_greenlets_partner(value):
        """Switches at another depth each time."""
        while True:
            fib(value % 5)
            value = switch_deep(value % 7, greenlet.getcurrent().parent)

    def switch_deep(n, to):
        return switch_deep(n - 1, to) if n else to.switch(n)

    def case_greenlets():
        partners = [greenlet.greenlet(case_greenlets_partner) for _ in range(3)]
        for i in range(30):
            fib(3)
            # Each begins on the stack of the one that calls it first.
            sorted(range(3), key=lambda k: partners[k].switch(i + k) or k)


if gevent:
    def case_gevent_task(n):
        for i in range(n):
            sum(inner_generator(50))
            gevent.sleep(0)
            fib(4)

    def case_gevent():
        gevent.joinall([gevent.spawn(case_gevent_task, n) for n in range(5)])


def run_case(case):
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        case()


def main():
    write_modules(8)
    write_made()
    sys.path.insert(0, FOLDER)
    sys.dont_write_bytecode = True
    sys.setswitchinterval(0.0005)
    for name, case in list(globals().items()):
        if name.startswith("case_") and not case.__code__.co_argcount:
            run_case(case)


traced.wait_for_tracer()
with seen_by_oracle():
    main()
# Of -X perf and -X perf_jit.
for path in ("/tmp/perf-%d.map" % os.getpid(), "/tmp/jit-%d.dump" % os.getpid()):
    if os.path.exists(path):
        os.unlink(path)
