#!/usr/bin/python3
"""wperf stack on Python programs: names of threads, tasks of asyncio, and threads that run."""
import json
import os
import re
import sys
from typing import Callable

import harness
from harness import Context, check
from pythons import find_python, has_tasks, HERE, installed, newest_with_tasks


def start_python(t: Context, kind: str, script: str, *args: str) -> tuple[int, dict]:
    """The process, when all its threads sleep, and the document that it printed."""
    process = t.start(find_python(kind), os.path.join(HERE, script), *args)
    line = process.stdout.readline()
    check(bool(line), f"{script} printed nothing: {process.stderr.read()!r}" if not line else "")
    said = json.loads(line)

    def sleep() -> bool:
        tasks = f"/proc/{process.pid}/task"
        return all(open(f"{tasks}/{tid}/stat", encoding="utf-8").read().rsplit(")", 1)[1].split()[0] == "S" for tid in os.listdir(tasks))

    harness.wait_until(sleep, "all threads sleep")
    return process.pid, said


def stack_document(t: Context, *args: str) -> dict:
    return json.loads(t.good("stack", "--json", *args).out)


def names_of(kind: str) -> Callable[[Context], None]:
    """Each thread has the name that threading knows, by its native id; before 3.8 there is none."""

    def test(t: Context) -> None:
        for option in ("plain", "rename"):
            pid, said = start_python(t, kind, "python_threads.py", option)
            threads = stack_document(t, str(pid))["processes"][0]["threads"]
            got = {str(thread["tid"]): thread["python_name"] for thread in threads if thread["python_name"]}
            check(got == said, f"{said}\nis not\n{got}")
            check(len(threads) == len(said) + 1, f"{len(threads)} threads, {len(said)} of them with names")
        text = t.good("stack", str(pid)).out
        check(re.search(rf"^{pid} the first ", text, re.M) is not None, f"the renamed main thread: {text}")

    return test


def test_thread_by_its_python_name(t: Context) -> None:
    pid, said = start_python(t, "python3", "python_threads.py")
    wanted = {name: int(tid) for tid, name in said.items()}
    for name in ("worker-7", "renamed", "größer, 線, 🐍"):
        threads = stack_document(t, "--thread", name, str(pid))["processes"][0]["threads"]
        check([thread["tid"] for thread in threads] == [wanted[name]], f"{name}: {threads}")
    done = t.ours("stack", "--thread", "worker-1", str(pid))  # it was renamed
    check(done.status != 0 and "worker-1" in done.err, "no such thread", done)


def test_threads_that_wait_alike(t: Context) -> None:
    """One block with what their names have in common."""
    pid, _ = start_python(t, "python3", "python_threads.py", "workers")
    text = t.good("stack", str(pid)).out
    check(re.search(r"^40 threads worker-\* +sleeps", text, re.M) is not None, f"the names begin alike: {text}")
    pid, _ = start_python(t, "python3", "python_threads.py")
    text = t.good("stack", str(pid)).out
    check(re.search(r"^\d+ threads  +sleeps", text, re.M) is not None, f"names without a common beginning: {text}")


# --- Tasks of asyncio ---

CASES = ("chain", "gather", "group", "shared", "generators", "thread")
# What the tool `python -m asyncio pstree` prints is made of this.
PSTREE = """
import json, sys
from asyncio import tools
def place(frame):
    location = frame.lineno if hasattr(frame, "lineno") else frame.location.lineno
    return [frame.funcname, frame.filename, location]
print(json.dumps([{"tid": thread.thread_id, "id": hex(task.task_id), "name": task.task_name,
                   "frames": [place(frame) for coro in task.coroutine_stack for frame in coro.call_stack],
                   "awaited_by": sorted(hex(coro.task_name) for coro in task.awaited_by)}
                  for thread in tools.get_all_awaited_by(int(sys.argv[1])) for task in thread.awaited_by]))
"""


def tasks_of(t: Context, pid: int) -> list[dict]:
    return stack_document(t, str(pid))["processes"][0]["tasks"]


def as_said(tasks: list[dict]) -> dict[str, dict]:
    names = {task["id"]: task["name"] for task in tasks}
    return {task["name"]: {"tid": task["tid"], "frames": [[f["function"], f["file"], f["line"]] for f in task["frames"]],
                           "awaited_by": sorted(names[waiter] for waiter in task["awaited_by"])} for task in tasks}


def tasks_are_right(kind: str) -> Callable[[Context], None]:
    """The tasks, their frames and awaiters are those that the interpreter itself finds."""

    def test(t: Context) -> None:
        n_tasks = 0
        for case in CASES:
            pid, said = start_python(t, kind, "python_tasks.py", case)
            got = tasks_of(t, pid)
            if case == "generators":  # which the interpreter does not follow
                frames = as_said(got)["größe"]["frames"]
                check([frame[0] for frame in frames] == ["sleep", "numbers", "consume"], f"{frames}")
                said["größe"]["frames"] = frames[:2] + said["größe"]["frames"]
            check(as_said(got) == said, f"{case}: {said}\nis not\n{as_said(got)}")
            check(not any(task["running"] or task["cut"] or task["alone"] for task in got), f"{case}: {got}")
            n_tasks += len(got)
        check(n_tasks > 100, f"{n_tasks} tasks")
        harness.note(f"{kind}: {n_tasks} tasks are right")

    return test


def tasks_are_those_of_pstree(kind: str) -> Callable[[Context], None]:
    def test(t: Context) -> None:
        # it stops at asynchronous generators, and finds tasks of some threads only
        for case in ("chain", "gather", "group", "shared"):
            pid, _ = start_python(t, kind, "python_tasks.py", case)
            done = t.run(find_python(kind), "-c", PSTREE, str(pid))
            check(done.status == 0, "python -m asyncio pstree", done)
            ours = {task["id"]: task for task in tasks_of(t, pid)}
            theirs = json.loads(done.out)
            check({task["id"] for task in theirs} == set(ours), f"{case}: {theirs}\nis not\n{ours}")
            for task in theirs:
                same = ours[task["id"]]
                frames = [[f["function"], f["file"], f["line"]] for f in same["frames"]]
                check((task["name"], task["frames"], task["awaited_by"]) == (same["name"], frames, sorted(same["awaited_by"])),
                      f"{case}: {task}\nis not\n{same}")

    return test


def blocked_task(kind: str) -> Callable[[Context], None]:
    """A task that blocks its loop is marked; the one that has not begun has the line of its function."""

    def test(t: Context) -> None:
        pid, _ = start_python(t, kind, "python_tasks.py", "blocked")
        tasks = {task["name"]: task for task in tasks_of(t, pid)}
        check(tasks["blocked"]["running"] and not tasks["not begun"]["running"], f"{tasks}")
        check([f["function"] for f in tasks["not begun"]["frames"]] == ["work"], f"{tasks}")
        check("runs, awaited by no task" in t.good("stack", str(pid)).out, "the text")

    return test


def running_tasks(kind: str) -> Callable[[Context], None]:
    """The tasks that run are those of asyncio.current_task(), each of the thread of its loop."""

    def test(t: Context) -> None:
        pid, said = start_python(t, kind, "python_tasks.py", "running")
        tasks = [task for task in tasks_of(t, pid) if task["running"]]
        check({str(task["tid"]): task["name"] for task in tasks} == said and len(tasks) == len(said), f"{said}\nis not\n{tasks}")
        check(all(task["alone"] for task in tasks), f"{tasks}")
        text = t.good("stack", str(pid)).out
        for tid, name in said.items():
            check(re.search(rf"^task that runs in the loop of {tid} Thread-\d.*\n{name} +runs$", text, re.M) is not None, f"{name}: {text}")

    return test


def no_tasks(kind: str) -> Callable[[Context], None]:
    """Up to 3.13 interpreters say only which tasks run."""

    def test(t: Context) -> None:
        pid, _ = start_python(t, kind, "python_tasks.py", "chain")
        check(not tasks_of(t, pid), "tasks")

    return test


@harness.limit(200)
def test_more_tasks_than_are_read(t: Context) -> None:
    pid, n_tasks = start_python(t, newest_with_tasks(), "python_tasks.py", "many")
    process = stack_document(t, str(pid))["processes"][0]
    check(process["tasks_cut"] and 1000 < len(process["tasks"]) < n_tasks, f"{len(process['tasks'])} of {n_tasks} tasks")
    check("\n... (the loop has more tasks than can be read)" in t.good("stack", str(pid)).out, "the text")


def test_tasks_as_text(t: Context) -> None:
    """Tasks that are alike are one block, with who awaits them; a chain is cut where it gets long."""
    kind = newest_with_tasks()
    pid, _ = start_python(t, kind, "python_tasks.py", "gather")
    text = t.good("stack", str(pid)).out
    check(re.search(rf"^tasks: 31 of the loop of {pid} MainThread$", text, re.M) is not None, text)
    check(re.search(r"^30 tasks worker-\* +awaited by gather\n +sleep +tasks\.py:\d+\n +rest .*\n +work .*\n", text, re.M) is not None, text)
    pid, _ = start_python(t, kind, "python_tasks.py", "chain")
    text = t.good("stack", str(pid)).out
    check(re.search(r"^link-28 +awaited by link-29 <- chain$", text, re.M) is not None, text)
    check(re.search(r"^link-0 +awaited by link-1 <- link-2 <- .* <- \.\.\.$", text, re.M) is not None, text)


# --- Threads that run ---

STACKS = (["turn"], ["left", "turn"], ["right", "turn"])


def running_of(kind: str) -> Callable[[Context], None]:
    """Without a stop, frames are shown if two readings agree; they are those of one moment then."""

    def test(t: Context) -> None:
        process = t.start(find_python(kind), os.path.join(HERE, "python_in_turns.py"))
        process.stdout.readline()
        harness.wait_for_cpu(process.pid, 0.05)
        n_found = 0
        for _ in range(15):
            thread = stack_document(t, "--nonblocking", str(process.pid))["processes"][0]["threads"][0]
            functions = [frame["function"] for frame in thread["frames"]]
            if thread["state"] not in ("on-cpu", "runnable"):
                continue
            check(thread["approximate"] == bool(functions), f"{thread}")
            check(not functions or functions in [[*stack, "main", "<module>"] for stack in STACKS], f"{thread}")
            n_found += thread["approximate"]
        check(n_found > 0, "no reading with frames")
        native = t.good("stack", "--nonblocking", "--python", "native", str(process.pid)).out
        check("turn " not in native, native)

    return test


NAMED = [(f"names of threads of {kind}", names_of(kind)) for kind in installed()]
NAMED += [(f"{what} of {kind}", make(kind)) for kind in installed() if has_tasks(kind)
          for what, make in (("tasks", tasks_are_right), ("tasks of pstree", tasks_are_those_of_pstree), ("a blocked loop", blocked_task))]
NAMED += [(f"threads that run in {kind}", running_of(kind)) for kind in installed()]
NAMED += [(f"tasks that run in {kind}", running_tasks(kind)) for kind in installed() if not has_tasks(kind)]
NAMED += [(f"no tasks of {kind}", no_tasks(kind)) for kind in installed() if not has_tasks(kind)]

if __name__ == "__main__":
    harness.main(__name__, NAMED)
