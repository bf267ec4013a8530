"""Three threads that compute, wait for one lock, sleep, and read from the kernel."""
import os
import threading
import time

lock = threading.Lock()


def norm(n):
    return sum(i * i for i in range(n))


def put(seconds):
    with lock:
        time.sleep(seconds)


def read(n):
    with open("/dev/zero", "rb", buffering=0) as zeros:
        for _ in range(n):
            zeros.read(1 << 20)


def order():
    for _ in range(6):
        put(0.01)
        norm(60000)
        read(200)


threads = [threading.Thread(target=order) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
