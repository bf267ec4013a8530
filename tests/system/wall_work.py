"""Waits in known ways, and measures each wait itself.  Prints a document: by function, the state and the seconds."""
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


def add(name, state, begin):
    seconds = measured.setdefault(name, [state, 0.0])
    seconds[1] += time.monotonic() - begin


def nap():
    begin = time.monotonic()
    time.sleep(0.8)
    add("nap", "sleep", begin)


def read_pipe():
    reading, writing = os.pipe()
    threading.Timer(0.6, os.write, (writing, b"x")).start()
    begin = time.monotonic()
    os.read(reading, 1)
    add("read_pipe", "pipe", begin)


def want_lock():
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(0.5, lock.release).start()
    begin = time.monotonic()
    with lock:
        add("want_lock", "lock", begin)


def receive():
    listener = socket.create_server(("127.0.0.1", 0))
    with socket.create_connection(listener.getsockname()) as client:
        peer, _ = listener.accept()
        threading.Timer(0.5, peer.sendall, (b"x",)).start()
        begin = time.monotonic()
        client.recv(1)
        add("receive", "network", begin)
    peer.close()


def wait_for_child():
    child = subprocess.Popen(["sleep", "0.6"])
    begin = time.monotonic()
    child.wait()
    add("wait_for_child", "child", begin)


def serve(poller, done):
    """Waits for work: a listener and a connection that others opened."""
    begin = time.monotonic()
    while not done.is_set():
        poller.poll(0.2)
    add("serve", "idle", begin)


def work(jobs):
    begin = time.monotonic()
    while jobs.get():
        pass
    add("work", "idle", begin)


def spin():
    begin = time.thread_time()
    while time.thread_time() - begin < 0.6:
        pass
    measured["spin"] = ["on-cpu", time.thread_time() - begin]


def timed(function, *args):
    begin = time.monotonic()
    function(*args)
    threads_seconds.append(time.monotonic() - begin)


def main():
    begin = time.monotonic()
    listener = socket.create_server(("127.0.0.1", 0))
    poller, done, jobs = select.epoll(), threading.Event(), queue.Queue()
    poller.register(listener, select.EPOLLIN)
    pool = [threading.Thread(target=timed, args=(serve, poller, done)), threading.Thread(target=timed, args=(work, jobs))]
    for thread in pool:
        thread.start()
    for function in nap, read_pipe, want_lock, receive, wait_for_child, spin:
        function()
    done.set()
    jobs.put(None)
    for thread in pool:
        thread.join()
    threads_seconds.append(time.monotonic() - begin)
    print(json.dumps({"waits": measured, "threads": threads_seconds}), file=sys.stderr, flush=True)


main()
