"""Waits in known ways, and measures each wait itself.  Prints a document: by function, the state, the seconds, and those without what
the kernel counts as time on a CPU or ready to run; its thread, and when it began and ended (ns of the monotonic clock)."""
import json
import os
import queue
import select
import socket
import subprocess
import sys
import threading
import time

measured: dict[str, list] = {}
threads_seconds: list[float] = []


def start():
    """When it is, and how long this thread ran and was ready to run until now, in nanoseconds."""
    with open("/proc/thread-self/schedstat", encoding="ascii") as file:
        ran = sum(int(word) for word in file.read().split()[:2])
    return time.monotonic_ns(), ran


def add(name, state, begin):
    end, ran = start()
    ns = end - begin[0]
    measured[name] = [state, ns / 1e9, (ns - (ran - begin[1])) / 1e9, threading.get_native_id(), begin[0], end]


def later(seconds, call, *args):
    """A function of its own: start() waits for the new thread, and that is not a wait of its caller."""
    threading.Timer(seconds, call, args).start()


def nap():
    begin = start()
    time.sleep(0.8)
    add("nap", "sleep", begin)


def read_pipe():
    reading, writing = os.pipe()
    later(0.6, os.write, writing, b"x")
    begin = start()
    os.read(reading, 1)
    add("read_pipe", "pipe", begin)


def want_lock():
    lock = threading.Lock()
    lock.acquire()
    later(0.5, lock.release)
    begin = start()
    with lock:
        add("want_lock", "lock", begin)


def receive():
    listener = socket.create_server(("127.0.0.1", 0))
    with socket.create_connection(listener.getsockname()) as client:
        peer, _ = listener.accept()
        later(0.5, peer.sendall, b"x")
        begin = start()
        client.recv(1)
        add("receive", "network", begin)
    peer.close()


def wait_for_child():
    child = subprocess.Popen(["sleep", "0.6"])
    begin = start()
    child.wait()
    add("wait_for_child", "child", begin)


def serve(poller):
    """Waits for work: at a listener, until somebody connects."""
    begin = start()
    poller.poll()
    add("serve", "idle", begin)


def work(jobs):
    begin = start()
    while jobs.get():
        pass
    add("work", "idle", begin)


def spin():
    """Nearly all of it in user mode, because only that is sampled."""
    begin = time.thread_time()
    while time.thread_time() - begin < 0.6:
        sum(range(20000))
    measured["spin"] = ["on-cpu", time.thread_time() - begin]


def timed(function, *args):
    begin = time.monotonic()
    function(*args)
    threads_seconds.append(time.monotonic() - begin)


def main():
    begin = time.monotonic()
    listener = socket.create_server(("127.0.0.1", 0))
    poller, jobs = select.epoll(), queue.Queue()
    poller.register(listener, select.EPOLLIN)
    pool = [threading.Thread(target=timed, args=(serve, poller)), threading.Thread(target=timed, args=(work, jobs))]
    for thread in pool:
        thread.start()
    for function in nap, read_pipe, want_lock, receive, wait_for_child, spin:
        function()
    jobs.put(None)
    with socket.create_connection(listener.getsockname()):
        for thread in pool:
            thread.join()
    threads_seconds.append(time.monotonic() - begin)
    print(json.dumps({"waits": measured, "threads": threads_seconds}), file=sys.stderr, flush=True)


main()
