#!/usr/bin/python3
"""One recording on ARM64, as far as qemu-user allows: there a program can't be started, and the memory of another one can't be read, so
that modules and stacks are missing. Threads, their CPU time and their registers are there. Usage: test_recording_arm64.py WPERF.EXE
ACTS.EXE LINUX-WPERF. WPERF_TEST_WRAPPER: what runs programs for Windows on ARM64 (build/arm64-wine/wine)."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

WRAPPER = shlex.split(os.environ.get("WPERF_TEST_WRAPPER", ""))
LIMIT = 200


def start(argv: list[str], folder: str, name: str) -> subprocess.Popen:
    """Output goes to a file: wine's services hold a pipe for ever."""
    with open(os.path.join(folder, name), "wb") as out:
        return subprocess.Popen(WRAPPER + argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)


def read(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        return file.read().replace("\r\n", "\n")


def wait_for_pid(folder: str) -> str:
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if match := re.match(r"ready (\d+)\n", read(folder, "acts.txt")):
            return match[1]
        time.sleep(0.2)
    raise AssertionError("acts did not start")


def function_at(program: str, address: str) -> str:
    done = subprocess.run(["llvm-symbolizer-14", f"--obj={program}", address], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          timeout=LIMIT, check=True)
    return done.stdout.decode().split("\n")[0]


def record(wperf: str, acts: str, linux: str, folder: str) -> None:
    running = start([acts, "wait", "stop"], folder, "acts.txt")
    try:
        pid = wait_for_pid(folder)
        status = start([wperf, "sample", "--no-stacks", "-p", pid, "--timeout", "4"], folder, "sample.txt").wait(LIMIT)
    finally:
        with open(os.path.join(folder, "stop"), "wb"):
            pass
        running.wait(LIMIT)
    text = read(folder, "sample.txt")
    assert status == 0 and "session: wperf.data" in text, text
    script = subprocess.run([linux, "export", "--format", "perf-script", "-o", "-"], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LIMIT, check=True).stdout.decode()
    addresses = re.findall(r"cpu-clock: +([0-9a-f]+) ", script)
    assert len(addresses) >= 20, f"{len(addresses)} samples\n{text}\n{script[:2000]}"
    names = {address: function_at(acts, "0x" + address) for address in set(addresses)}
    hits = sum(names[address] == "own_work" for address in addresses)
    assert hits >= 0.9 * len(addresses), f"{hits} of {len(addresses)} samples are in own_work: {names}"
    print(f"# {len(addresses)} samples, {hits} in own_work")


def main() -> int:
    wperf, acts, linux = (os.path.abspath(path) for path in sys.argv[1:4])
    print("1..1")
    with tempfile.TemporaryDirectory() as folder:
        try:
            record(wperf, acts, linux, folder)
        except AssertionError as error:
            print("\n".join(f"# {line}" for line in str(error).split("\n")))
            print("not ok 1 - a running process is sampled")
            return 1
    print("ok 1 - a running process is sampled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
