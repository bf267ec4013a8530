"""Tasks of asyncio that await each other, for test_stack_python.py: python_tasks.py CASE.  When all of them are suspended, it
prints a document with what the interpreter itself says of each: its frames, and who awaits it.  Case `blocked` prints only
names, and then sleeps inside of a task; `running` does so in several loops, with every version."""
from __future__ import annotations

import asyncio
import json
import sys
import threading
import time

N = 30


async def rest() -> None:
    await asyncio.sleep(1000)


async def work() -> None:
    await rest()


async def link(n: int) -> None:
    if n:
        await asyncio.create_task(link(n - 1), name=f"link-{n - 1}")
    else:
        await work()


async def numbers():
    while True:
        await asyncio.sleep(1000)
        yield 1


async def consume() -> None:
    async for _ in numbers():
        pass


async def chain() -> None:
    await asyncio.create_task(link(N - 1), name=f"link-{N - 1}")


async def gather() -> None:
    await asyncio.gather(*(asyncio.create_task(work(), name=f"worker-{i}") for i in range(N)))


async def group() -> None:
    async with asyncio.TaskGroup() as tasks:
        for i in range(3):
            tasks.create_task(work(), name=f"member-{i}")


async def shared() -> None:
    """Two tasks await one, whose awaiters are a set then."""
    one = asyncio.create_task(work(), name="one")

    async def wait_for_it() -> None:
        await one

    await asyncio.gather(asyncio.create_task(wait_for_it(), name="first"), asyncio.create_task(wait_for_it(), name="second"))


async def generators() -> None:
    await asyncio.create_task(consume(), name="größe")


async def blocked() -> None:
    asyncio.create_task(work(), name="not begun")
    print(json.dumps(["blocked", "not begun"]), flush=True)
    time.sleep(1000)


class OtherTask(asyncio.Task):
    pass


TASKS = {"größe, 線": asyncio.Task, "of a class": OtherTask, "in Python": asyncio.tasks._PyTask, None: asyncio.Task}  # type: ignore


def running() -> None:
    """Each thread sleeps in a task of its own loop; prints the names of these tasks."""
    names = {}
    all_run = threading.Barrier(len(TASKS) + 1)

    async def run() -> None:
        names[threading.get_native_id()] = asyncio.current_task().get_name()
        all_run.wait()
        time.sleep(1000)

    async def begin_task(kind: type, name: str | None) -> None:
        await kind(run(), name=name)

    def loop(kind: type, name: str | None) -> None:
        asyncio.new_event_loop().run_until_complete(begin_task(kind, name))

    for name, kind in TASKS.items():
        threading.Thread(target=loop, args=(kind, name), daemon=True).start()
    threading.Thread(target=asyncio.run, args=(rest(),), daemon=True).start()
    all_run.wait()
    print(json.dumps(names), flush=True)
    time.sleep(1000)


async def deep(n: int) -> None:
    await (deep(n - 1) if n else rest())


async def many() -> None:
    """More than wperf reads."""
    tasks = [asyncio.create_task(deep(40)) for _ in range(7000)]
    await asyncio.sleep(0)
    print(json.dumps(len(tasks)), flush=True)
    await asyncio.sleep(1000)


def describe(task: asyncio.Task) -> dict:
    graph = asyncio.capture_call_graph(task)
    frames = [[entry.frame.f_code.co_qualname, entry.frame.f_code.co_filename, entry.frame.f_lineno] for entry in graph.call_stack]
    return {"tid": threading.get_native_id(), "frames": frames,
            "awaited_by": sorted(waiter.future.get_name() for waiter in graph.awaited_by)}


def show_tasks() -> None:
    print(json.dumps({task.get_name(): describe(task) for task in asyncio.all_tasks()}), flush=True)


async def begin(case: str) -> None:
    asyncio.current_task().set_name(case)
    if case not in ("blocked", "many"):
        asyncio.get_running_loop().call_later(0.5, show_tasks)
    await {"chain": chain, "gather": gather, "group": group, "shared": shared, "generators": generators, "blocked": blocked,
           "many": many}[case]()


def main() -> None:
    if sys.argv[1] == "running":
        running()
    elif sys.version_info < (3, 14):
        print("{}", flush=True)
        asyncio.run(rest())
    elif sys.argv[1] == "thread":
        thread = threading.Thread(target=lambda: asyncio.run(begin("chain")), name="second loop", daemon=True)
        thread.start()
        thread.join()
    else:
        asyncio.run(begin(sys.argv[1]))


if __name__ == "__main__":
    main()
