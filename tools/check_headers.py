#!/usr/bin/python3
"""Compiles each header alone and included twice, with only the include folders that its room may use."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

from check_layers import ROOMS, find_sources, folder_of, room_of

# Its headers need those of Windows' kernel; driver/wdm/build.sh compiles them.
ELSEWHERE = {"driver/wdm"}
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only"]


def reach(room: str) -> set[str]:
    """The include folders that a room may use, directly and through the rooms that it may include."""
    seen: set[str] = set()
    todo = [room]
    while todo:
        name = todo.pop()
        name = name if name in ROOMS else os.path.dirname(name)
        if name and name not in seen:
            seen.add(name)
            todo.extend(ROOMS.get(name, ()))
    return {folder_of(name) for name in seen}


def compile_twice(path: str, root: str, compiler: str) -> str:
    """The compiler's messages about the header; empty if there are none."""
    folders = [f"-I{os.path.join(root, folder)}" for folder in sorted(reach(room_of(path) or ""))]
    with tempfile.NamedTemporaryFile("w", suffix=".c", encoding="utf-8") as file:
        file.write(f'#include "{os.path.join(root, path)}"\n' * 2)
        file.flush()
        # ccache keeps nothing of -fsyntax-only, but looks for a while.
        done = subprocess.run([compiler, *FLAGS, *folders, file.name], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, CCACHE_DISABLE="1"))
    return done.stdout if done.returncode else ""


def main() -> int:
    compiler = sys.argv[1] if len(sys.argv) > 1 else "gcc"
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
    headers = [path for path in find_sources(root) if path.endswith(".h") and room_of(path) in ROOMS.keys() - ELSEWHERE]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for path, complaint in zip(headers, threads.map(lambda path: compile_twice(path, root, compiler), headers)):
            if complaint:
                print(f"{path}:1: does not compile alone and twice\n{complaint}")
                bad += 1
    print(f"{len(headers)} headers, {bad} that do not stand alone")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
