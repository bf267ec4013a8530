#!/usr/bin/python3
"""Starts a server written in Python, makes requests to it while it restarts its workers, ends it, and prints what came: which answers and
how often, what the server logged, and how it ended.

wide_stop.py compares this with and without a recorder.
"""
import argparse
import collections
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PYTHON = "/usr/bin/python3.11"
N_CLIENTS = 4

APP = """
import hashlib, subprocess
def app(environ, start_response):
    number = environ["PATH_INFO"].strip("/")
    body = hashlib.sha256(number.encode() * 500).hexdigest()
    if number.endswith("00"):
        body = subprocess.run(["/bin/echo", body], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body.encode()]
"""

# A process for each hundredth request; a child that ends wakes the loop, which waits with a timeout.
ASYNCIO = """
import asyncio, hashlib, signal, sys
async def answer(reader, writer):
    line = await reader.readline()
    if not line:
        writer.close()
        return
    while (await reader.readline()).strip():
        pass
    number = line.split()[1].decode().strip("/")
    body = hashlib.sha256(number.encode() * 500).hexdigest()
    if number.endswith("00"):
        child = await asyncio.create_subprocess_exec("/bin/echo", body, stdout=asyncio.subprocess.PIPE)
        body = (await child.communicate())[0].decode().strip()
    writer.write(f"HTTP/1.1 200 OK\\r\\nContent-Length: {len(body)}\\r\\nConnection: close\\r\\n\\r\\n{body}".encode())
    await writer.drain()
    writer.close()
async def tick():
    while True:
        await asyncio.sleep(0.05)
async def main():
    end = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end.set)
    ticking = asyncio.create_task(tick())
    server = await asyncio.start_server(answer, "127.0.0.1", int(sys.argv[1]))
    await end.wait()
    ticking.cancel()
    server.close()
    print("ended")
asyncio.run(main())
"""

# The main thread takes all signals by sigwait; the others answer.
SIGWAIT = """
import hashlib, signal, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = hashlib.sha256(self.path.strip("/").encode() * 500).hexdigest().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
threading.Thread(target=server.serve_forever).start()
while True:
    number = signal.sigwait(signal.valid_signals())
    print("got", signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        break
server.shutdown()
print("ended")
"""

# The word PORT stands for its number. SIGHUP restarts the workers.
SERVERS = {
    "gunicorn": (["/usr/bin/gunicorn", "-w", "3", "-b", "127.0.0.1:PORT", "app:app"], True),
    "gthread": (["/usr/bin/gunicorn", "-w", "2", "--threads", "4", "-b", "127.0.0.1:PORT", "app:app"], True),
    "uwsgi": (["/usr/bin/uwsgi", "--plugin", "python3", "--http-socket", "127.0.0.1:PORT", "--wsgi-file", "app.py", "--callable", "app",
               "--master", "--processes", "3", "--die-on-term", "--disable-logging"], True),
    "asyncio": ([PYTHON, "asyncio_server.py", "PORT"], False),
    "sigwait": ([PYTHON, "sigwait_server.py", "PORT"], True),
}


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def wait_for_port(port: int) -> None:
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"no server on port {port}")


def ask(port: int, first: int, n: int, answers: collections.Counter) -> None:
    """A connection that a restart closes is tried again, and counts as no answer of its own."""
    for number in range(first, n, N_CLIENTS):
        for _ in range(100):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                connection.request("GET", f"/{number}")
                answer = connection.getresponse()
                answers[number, answer.status, answer.read()[:8]] += 1
                break
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
            finally:
                connection.close()


def lines_of(log: str, folder: str) -> list[str]:
    """Without numbers and paths, each once. gunicorn writes a line about a worker that ends by the signal by which it ends it, if it sees
    that before its own end."""
    lines = {re.sub(r"0x[0-9a-f]+|\d+", "N", line.replace(folder, "FOLDER")) for line in log.splitlines()}
    return sorted(line for line in lines if "was terminated due to signal" not in line)


def serve(name: str, n: int) -> None:
    argv, restarts = SERVERS[name]
    port, answers = free_port(), collections.Counter()
    with tempfile.TemporaryDirectory(prefix="wide-server-") as folder:
        for file, text in (("app.py", APP), ("asyncio_server.py", ASYNCIO), ("sigwait_server.py", SIGWAIT)):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.write(text)
        with open(os.path.join(folder, "log"), "w+", encoding="utf-8", errors="replace") as log:
            server = subprocess.Popen([word.replace("PORT", str(port)) for word in argv], cwd=folder, stdout=log, stderr=log,
                                      stdin=subprocess.DEVNULL)
            wait_for_port(port)
            clients = [threading.Thread(target=ask, args=(port, i, n, answers)) for i in range(N_CLIENTS)]
            for client in clients:
                client.start()
            while any(client.is_alive() for client in clients):
                if restarts and len(answers) > n // 2:
                    server.send_signal(signal.SIGHUP)
                    restarts = False
                time.sleep(0.05)
            server.send_signal(signal.SIGTERM)
            status = server.wait(60)
            log.seek(0)
            lines = lines_of(log.read(), folder)
    print(f"{name}: {len(answers)} answers, {sorted(collections.Counter(status for _, status, _ in answers).items())}, ended with {status}")
    print(f"sum {sum(int(body, 16) for _, _, body in answers)}")
    for line in lines:
        print(f"log: {line}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("server", choices=SERVERS)
    parser.add_argument("-n", type=int, default=10000, help="requests, default 10,000")
    options = parser.parse_args()
    serve(options.server, options.n)
    return 0


if __name__ == "__main__":
    sys.exit(main())
