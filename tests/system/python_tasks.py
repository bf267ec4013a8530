"""Tasks of asyncio that await each other, for test_stack_python.py: python_tasks.py CASE.  When all of them are suspended, it
prints a document with what the interpreter itself says of each: its frames, and who awaits it.  Case `blocked` prints only
names, and then sleeps inside of a task."""
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


def describe(task: asyncio.Task) -> dict:
    graph = asyncio.capture_call_graph(task)
    frames = [[entry.frame.f_code.co_qualname, entry.frame.f_code.co_filename, entry.frame.f_lineno] for entry in graph.call_stack]
    return {"tid": threading.get_native_id(), "frames": frames,
            "awaited_by": sorted(waiter.future.get_name() for waiter in graph.awaited_by)}


def show_tasks() -> None:
    print(json.dumps({task.get_name(): describe(task) for task in asyncio.all_tasks()}), flush=True)


async def begin(case: str) -> None:
    asyncio.current_task().set_name(case)
    if case != "blocked":
        asyncio.get_running_loop().call_later(0.5, show_tasks)
    await {"chain": chain, "gather": gather, "group": group, "shared": shared, "generators": generators, "blocked": blocked}[case]()


def main() -> None:
    if sys.version_info < (3, 14):
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
