#!/usr/bin/python3
"""What a server of many threads feels while it is sampled: its CPU time for a request, and how long clients wait.

The server is Python with one thread for each connection; each request computes for some 0.2 ms.  One client sends
requests at a fixed rate to the connections in turn, whether the earlier ones have been answered or not, as strangers
do.  `wperf record -p` samples the server, and its events are turned off and on through --control, so that windows with
and without sampling alternate.  Prints for each engine the median over neighbouring pairs of windows of the ratios
(with sampling / without) with its distribution-free 95 % interval, and the percentiles of all requests of either kind.
Not a test: figures depend on the machine.

    tests/bench/server_cost.py --wperf build/release/src/program/cli/wperf [--seconds 30] [--hz 100]
                               [--engines bpf,stop] [--threads 200] [--rate 1000] [--python /usr/bin/python3.11]
"""
import argparse
import os
import selectors
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

from stop_cost import interval

SERVER = """
import socket, sys, threading, time
def work(n):
    return sum(k * k for k in range(n))
def serve(connection):
    while True:
        request = connection.recv(8)
        if not request:
            break
        cpu = time.thread_time_ns()
        work(2000)
        connection.sendall(request + (time.thread_time_ns() - cpu).to_bytes(8, 'little'))
listener = socket.create_server(('127.0.0.1', 0), backlog=1024)
print(listener.getsockname()[1], flush=True)
for _ in range(int(sys.argv[1])):
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
print('ready', flush=True)
sys.stdin.read()
"""
WINDOW_S = 0.5
EDGE_NS = 20_000_000  # requests so near to a change are left out


def ask(connections: list[socket.socket], rate: int, seconds: float) -> list[tuple[int, int, int]]:
    """(when it was due, ns until its answer, ns of CPU time that it took) of each request."""
    answers: list[tuple[int, int, int]] = []
    selector = selectors.DefaultSelector()
    for connection in connections:
        selector.register(connection, selectors.EVENT_READ)
    start, sent = time.monotonic_ns(), 0
    n = int(rate * seconds)
    while len(answers) < n:
        due = start + sent * 1_000_000_000 // rate
        if sent < n and time.monotonic_ns() >= due:
            connections[sent % len(connections)].send(struct.pack("<Q", due))
            sent += 1
            continue
        wait = max(0, due - time.monotonic_ns()) / 1e9 if sent < n else 5
        ready = selector.select(wait)
        if not ready and sent == n:
            break
        for key, _ in ready:
            data = key.fileobj.recv(4096)
            now = time.monotonic_ns()
            for request, cpu in struct.iter_unpack("<QQ", data[:len(data) // 16 * 16]):
                answers.append((request, now - request, cpu))
    return answers


def switch(control: str, ack: str, done: threading.Event) -> list[tuple[int, int, bool]]:
    """Turns the events off and on until the client is done.  (start, end, whether they were on), in ns."""
    windows, is_on = [], True
    with open(control, "wb", buffering=0) as to, open(ack) as acks:
        start = time.monotonic_ns()
        while not done.wait(WINDOW_S):
            end = time.monotonic_ns()
            to.write(b"disable\n" if is_on else b"enable\n")
            if not acks.readline():
                break
            windows.append((start, end, is_on))
            start, is_on = time.monotonic_ns(), not is_on
    return windows


def percentile(values: list[int], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def of_windows(windows: list[tuple[int, int, bool]], answers: list[tuple[int, int, int]]) -> list[tuple[bool, list]]:
    found = []
    for start, end, is_on in windows:
        inside = [a for a in answers if start + EDGE_NS <= a[0] and a[0] + a[1] < end - EDGE_NS]
        if len(inside) >= 50:
            found.append((is_on, inside))
    return found


def compare(by_window: list[tuple[bool, list]], measure) -> str:
    ratios = [measure(a if on else b) / measure(b if on else a)
              for (on, a), (also_on, b) in zip(by_window, by_window[1:]) if on != also_on]
    low, high = interval(ratios)
    return f"{statistics.median(ratios):.3f} [{low:.3f}, {high:.3f}]"


def measure(args: argparse.Namespace, engine: str, folder: str) -> None:
    control, ack = (os.path.join(folder, name) for name in ("control", "ack"))
    for path in (control, ack):
        if not os.path.exists(path):
            os.mkfifo(path)
    server = subprocess.Popen([args.python, "-c", SERVER, str(args.threads)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    port = int(server.stdout.readline())
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(args.threads)]
    server.stdout.readline()
    recorder = subprocess.Popen([args.wperf, "record", "-q", "--engine", engine, "-F", str(args.hz), "-p", str(server.pid),
                                 "--control", f"fifo:{control},{ack}", "-o", os.path.join(folder, "wperf.data")],
                                stdout=subprocess.DEVNULL)
    done, windows = threading.Event(), []
    switching = threading.Thread(target=lambda: windows.extend(switch(control, ack, done)))
    switching.start()
    answers = ask(connections, args.rate, args.seconds)
    done.set()
    switching.join()
    recorder.send_signal(2)
    recorder.wait()
    server.stdin.close()
    server.wait()
    by_window = of_windows(windows, answers)
    print(f"{engine}, {args.hz} Hz, {args.threads} threads, {args.rate} requests a second, {len(by_window)} windows:"
          f" CPU time of a request {compare(by_window, lambda w: statistics.fmean(a[2] for a in w))},"
          f" p50 {compare(by_window, lambda w: percentile([a[1] for a in w], 0.5))},"
          f" p99 {compare(by_window, lambda w: percentile([a[1] for a in w], 0.99))}")
    for name, wanted in (("without", False), ("with", True)):
        waits = [a[1] for is_on, window in by_window if is_on == wanted for a in window]
        print(f"  {name:7} {len(waits)} requests: p50 {percentile(waits, 0.5) / 1e6:.3f} ms, p90 {percentile(waits, 0.9) / 1e6:.3f},"
              f" p99 {percentile(waits, 0.99) / 1e6:.3f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--hz", type=int, default=100)
    parser.add_argument("--engines", default="bpf,stop")
    parser.add_argument("--threads", type=int, default=200)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--python", default="/usr/bin/python3.11")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="server-cost-") as folder:
        for engine in args.engines.split(","):
            measure(args, engine, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
