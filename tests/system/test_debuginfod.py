#!/usr/bin/python3
"""Debug files from debuginfod servers on this machine: a real one, and servers that are silent, slow, wrong or missing."""
import contextlib
import os
import re
import shutil
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from typing import Callable, Iterator

import harness
from harness import Context, Done, Skip, check, need_tool, wait_until

LIBRARY = "libdebuginfod.so.1"
LIMIT_MS = 2000
# The library checks the limit once a second; the machine may be busy.
MOST_SECONDS = LIMIT_MS / 1000 + 30
SOURCE = "int twice(int x)\n{\n        return 2 * x;\n}\n\nint main(void)\n{\n        return twice(0);\n}\n"

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def need_library() -> None:
    folders = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
    if not any(os.path.exists(os.path.join(folder, LIBRARY)) for folder in folders):
        raise Skip(f"{LIBRARY}, of the package libdebuginfod1")


def settings(t: Context, *urls: str) -> dict[str, str]:
    env = {name: value for name, value in harness.environment().items()
           if not name.startswith("DEBUGINFOD") and not name.lower().endswith("_proxy")}
    env["DEBUGINFOD_CACHE_PATH"] = t.path("client")
    if urls:
        env["DEBUGINFOD_URLS"] = " ".join(urls)
    return env


def ask(t: Context, urls: list[str], *argv: str) -> Done:
    need_library()
    done = t.run(t.program("ask_debuginfod"), *argv, env=settings(t, *urls))
    check(done.err == "", "nothing on standard error", done)
    return done


def results(done: Done) -> list[str]:
    """The result for each file, without progress messages."""
    return [line for line in done.out.splitlines() if not line.startswith(("asking for ", "note: ", "told: "))]


def note_of(done: Done) -> str:
    return re.search(r"^note: (.*)$", done.out, re.M)[1]


def told(done: Done) -> list[int]:
    """Number of progress messages, and the received and total bytes."""
    return [int(n) for n in re.search(r"^told: (\d+), (\d+) of (\d+) bytes$", done.out, re.M).groups()]


# --- what is asked for ---


def build(t: Context, name: str) -> tuple[str, str]:
    """A stripped program, and its debug file; each name has another build id."""
    gcc, objcopy = need_tool("gcc"), need_tool("objcopy")
    source, whole, stripped, debug = (t.path(f"{name}{end}") for end in (".c", "", ".stripped", ".debug"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE + f"int number_{name} = {len(name)};\n")
    for argv in ([gcc, "-g", "-O1", "-Wl,--build-id=sha1", "-o", whole, source],
                 [objcopy, "--only-keep-debug", whole, debug], [objcopy, "--strip-all", whole, stripped]):
        done = t.run(*argv)
        check(done.status == 0, " ".join(argv), done)
    os.remove(whole)
    return stripped, debug


def build_id_of(t: Context, path: str) -> str:
    return re.search(r"Build ID: ([0-9a-f]+)", t.run(need_tool("readelf"), "-n", path).out)[1]


# --- servers ---


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def has(url: str) -> bool:
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def start_debuginfod(t: Context, folder: str, build_id: str) -> str:
    """Debian's server, once it has this file."""
    port = free_port()
    t.start(need_tool("debuginfod"), "-F", "-p", str(port), "-d", t.path("server.sqlite"), "-t", "1", folder,
            env=settings(t), stdout=open(t.path("server.log"), "wb"), stderr=open(t.path("server.err"), "wb"))
    url = f"http://127.0.0.1:{port}"
    wait_until(lambda: has(f"{url}/buildid/{build_id}/debuginfo"), "the server has the debug file", 30)
    return url


@contextlib.contextmanager
def server(answer: Callable[[socket.socket, threading.Event], None]) -> Iterator[tuple[str, list[bytes]]]:
    """Its address, and the first line of every request; calls `answer` with each connection after reading its request."""
    requests: list[bytes] = []
    end = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(30)
            requests.append(connection.recv(65536).split(b"\r\n")[0])
            answer(connection, end)

    def accept() -> None:
        while not end.is_set():
            with contextlib.suppress(TimeoutError):
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
    finally:
        end.set()
        thread.join()
        listener.close()


def be_silent(_connection: socket.socket, end: threading.Event) -> None:
    end.wait()


def give(content: bytes) -> Callable[[socket.socket, threading.Event], None]:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode()
    return lambda connection, _end: connection.sendall(head + content)


def give_slowly(size: int) -> Callable[[socket.socket, threading.Event], None]:
    def answer(connection: socket.socket, end: threading.Event) -> None:
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
        while not end.wait(0.1):
            connection.sendall(b"x" * 1000)
    return answer


# --- tests ---


def test_a_real_server_gives_the_debug_file(t: Context) -> None:
    need_tool("debuginfod")
    stripped, debug = build(t, "one")
    other, _ = build(t, "another")
    os.mkdir(t.path("served"))
    shutil.move(debug, t.path("served/one.debug"))
    url = start_debuginfod(t, t.path("served"), build_id_of(t, stripped))
    for _ in range(2):
        done = ask(t, [url], stripped, other)
        first, second = results(done)
        check(first.startswith(t.path("client")) and first.endswith("/debuginfo "), "a file of the cache", done)
        check(second == "none " and note_of(done) == "", "what the server has not is no note", done)
    with open(first.strip(), "rb") as got, open(t.path("served/one.debug"), "rb") as want:
        check(got.read() == want.read(), "the debug file as it is")
    done = ask(t, [url], "-s", t.path("one.c"), stripped)
    with open(results(done)[0], encoding="utf-8") as got:
        check(got.read().startswith(SOURCE), "the source as it is", done)
    names = t.run("nm", t.path("served/one.debug")).out.splitlines()
    address = next(line.split()[0] for line in names if line.endswith(" twice"))
    plain = t.ours("symbolize", "--no-debuginfod", "-e", stripped, address, env=settings(t, url))
    asked = t.good("symbolize", "-e", stripped, address, env=settings(t, url))
    check("one.c:" not in plain.out and re.search(r" twice at \S+one\.c:[123]$", asked.out, re.M) is not None,
          "names and lines of a file that only the server has", asked)


def test_the_limit_holds_with_a_silent_server(t: Context) -> None:
    files = [build(t, name)[0] for name in ("one", "other", "third")]
    with server(be_silent) as (url, requests):
        done = ask(t, [url], "-l", str(LIMIT_MS), *files, files[0], files[2])
        check(LIMIT_MS / 1000 <= done.seconds < MOST_SECONDS, f"within {MOST_SECONDS} s", done)
        check(len(requests) == 1, f"one question, not {len(requests)}", done)
    check(results(done) == ["none "] * 5, "none, and no note of a file", done)
    check(note_of(done) == f"debuginfod: the time limit of {LIMIT_MS // 1000} s was reached, "
          f"1 file was not fetched in time, 2 files were not requested (--debuginfod-timeout {10 * LIMIT_MS // 1000} waits longer)", "the note", done)
    check(done.out.startswith("asking for one.stripped\n") and told(done)[0] >= 2, "progress was told", done)


def test_the_limit_holds_with_a_slow_server(t: Context) -> None:
    stripped, _ = build(t, "one")
    with server(give_slowly(1 << 30)) as (url, _):
        done = ask(t, [url], "-l", str(LIMIT_MS), stripped)
    check(LIMIT_MS / 1000 <= done.seconds < MOST_SECONDS, f"within {MOST_SECONDS} s", done)
    check("s was reached, 1 file was not fetched in time (--debuginfod-timeout " in note_of(done), "the note", done)
    n, most, total = told(done)
    check(total == 1 << 30 and 1000 <= most < 1 << 20, "progress tells the bytes", done)
    check(n <= 4 * (done.seconds + 1), f"a few times a second, not {n} times", done)


def test_the_limit_is_one_for_all_servers(t: Context) -> None:
    stripped, _ = build(t, "one")
    with server(be_silent) as (first, _), server(lambda connection, _end: connection.sendall(NOT_FOUND)) as (second, _):
        done = ask(t, [first, second], "-l", str(LIMIT_MS), stripped)
    check(done.seconds < MOST_SECONDS, f"within {MOST_SECONDS} s", done)
    check("was reached" in note_of(done), "the note", done)


def test_a_stop_ends_the_waiting(t: Context) -> None:
    need_library()
    files = [build(t, name)[0] for name in ("one", "other")]
    with server(be_silent) as (url, requests):
        asking = t.start(t.program("ask_debuginfod"), *files, env=settings(t, url))
        wait_until(lambda: requests, "the question")
        asking.send_signal(signal.SIGINT)
        out, err = asking.communicate(timeout=harness.WAIT_SECONDS)
        check(asking.returncode == 0 and err == b"", f"status {asking.returncode}, {err!r}")
    check(b"note: debuginfod: the search was stopped, 1 file was not fetched in time, 1 file was not requested\n" in out, repr(out))


def test_garbage_is_no_debug_file(t: Context) -> None:
    stripped, _ = build(t, "one")
    with server(give(b"<html>sign in to this hotel</html>" * 100)) as (url, _):
        done = ask(t, [url], stripped)
    check(re.match(r"none debug file .*/debuginfo: is not an object file", results(done)[0]) is not None, "a note", done)


def test_the_file_of_another_build_is_refused(t: Context) -> None:
    stripped, _ = build(t, "one")
    _, other = build(t, "another")
    with open(other, "rb") as file, server(give(file.read())) as (url, _):
        done = ask(t, [url], stripped)
    check(re.match(r"none debug file .*/debuginfo is of another build$", results(done)[0]) is not None, "a note", done)


def test_what_speaks_no_http_gives_nothing(t: Context) -> None:
    """libdebuginfod 0.188 reports this as a missing file."""
    files = [build(t, name)[0] for name in ("one", "other")]
    with server(lambda connection, _end: connection.sendall(b"\0\xff\r\n\r\n" * 1000)) as (url, _):
        done = ask(t, [url], *files)
    check(done.status == 0 and results(done) == ["none ", "none "], "none", done)


def test_no_server_is_there(t: Context) -> None:
    stripped, _ = build(t, "one")
    done = ask(t, [f"http://127.0.0.1:{free_port()}"], stripped)
    check(results(done) == ["none "], "none", done)
    check(note_of(done) == "debuginfod: could not fetch 1 file: Connection refused", "a note", done)


def test_an_unknown_build_id_is_no_failure(t: Context) -> None:
    stripped, _ = build(t, "one")
    with server(lambda connection, _end: connection.sendall(NOT_FOUND)) as (url, requests):
        done = ask(t, [url], stripped, stripped)
    check(results(done) == ["none ", "none "] and note_of(done) == "", "none, and no note", done)
    check(len(requests) == 1, f"one question, not {len(requests)}", done)
    check(build_id_of(t, stripped).encode() in requests[0], "by build id", done)


def test_a_recording_that_ctrl_c_ended_asks_too(t: Context) -> None:
    need_library()
    program = t.path("spinning")
    check(t.run(need_tool("objcopy"), "--strip-all", t.program("spin"), program).status == 0, "strip")
    with server(lambda connection, _end: connection.sendall(NOT_FOUND)) as (url, requests):
        process = t.start(t.wperf, "record", "--debuginfod", "--session", t.path("s.data"), "--", program, "30000",
                          env=settings(t, url))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        asked = build_id_of(t, program).encode()
        check(process.returncode == 0 and any(asked in request for request in requests), f"{requests} {err}")


WORK = """__attribute__((noinline)) int work_NAME(void)
{
        volatile unsigned long n = 0;

        while (n < 200000000)
                n++; /* text of NAME */
        return 0;
}

int main(void)
{
        return work_NAME();
}
"""


def test_source_is_of_the_build_that_it_was_asked_for(t: Context) -> None:
    """Two programs name the same path, and the server has another file for each of them."""
    need_library()
    harness.need_events()
    gcc, source, build_ids = need_tool("gcc"), t.path("work.c"), {}
    for name in ("honest", "forged"):
        with open(source, "w", encoding="ascii") as file:
            file.write(WORK.replace("NAME", name))
        check(t.run(gcc, "-g", "-O1", "-Wl,--build-id=sha1", "-o", t.path(name), source).status == 0, "built")
        build_ids[name] = build_id_of(t, t.path(name))
    os.remove(source)
    requests: list[bytes] = []

    def answer(connection: socket.socket, end: threading.Event) -> None:
        for name, build_id in build_ids.items():
            if f"/buildid/{build_id}/source/".encode() in requests[-1]:
                return give(WORK.replace("NAME", name).encode())(connection, end)
        return connection.sendall(NOT_FOUND)

    t.good("record", "-q", "--session", t.path("x.data"), "--", "sh", "-c", f"{t.path('honest')}; {t.path('forged')}")
    with server(answer) as (url, requests):
        env = settings(t, url)
        for order in (("honest", "forged"), ("forged", "honest")):
            for name, other in (order, order[::-1]):
                done = t.ours("annotate", "--debuginfod", "--source", "-i", t.path("x.data"), f"work_{name}", env=env)
                check(f"text of {name}" in done.out and f"text of {other}" not in done.out, f"{name}: its own source", done)
        done = t.ours("annotate", "--debuginfod", "--source", "-i", t.path("x.data"), "^work_", env=env)
        for part in re.split(r"^(?=work_)", done.out, flags=re.M)[1:]:
            name = re.match(r"work_(\w+)", part)[1]
            check(f"text of {name}" in part and part.count("text of ") == part.count(f"text of {name}"), "each its own", done)
        done = t.ours("archive", "--debuginfod", "-i", t.path("x.data"), "-o", t.path("packed.data"), env=env)
        check(done.status == 0, "packed", done)
        done = t.ours("annotate", "--source", "-i", t.path("packed.data"), "^work_", env=settings(t))
        check("work_forged" in done.out and "text of" not in done.out, "what the builds differ in is not packed", done)


def test_no_server_is_named(t: Context) -> None:
    stripped, _ = build(t, "one")
    done = ask(t, [], stripped, stripped)
    check(results(done) == ["none ", "none "], "none", done)
    check(note_of(done).startswith("debuginfod: no server is named: export DEBUGINFOD_URLS=https://"), "a note", done)


def test_a_server_is_asked_where_one_is_named(t: Context) -> None:
    """Without an option; --no-debuginfod asks none.  The poor line says what would give names."""
    need_library()
    os.mkdir(t.path("bin"))
    stripped = t.path("bin/spin_stripped")
    done = t.run(need_tool("objcopy"), "--strip-all", t.program("spin"), stripped)
    check(done.status == 0, "stripped", done)
    t.good("record", "-q", "--session", t.path("x.data"), "--", stripped, "200")
    report = ("report", "--stdio", "--no-index", "-i", t.path("x.data"))
    with server(lambda connection, _end: connection.sendall(NOT_FOUND)) as (url, requests):
        done = t.ours(*report, env={**settings(t), "LD_DEBUG": "files"})
        check("libc.so" in done.err and LIBRARY not in done.err, "what asks servers is not even loaded where none is named", done)
        check(re.search(r"have no symbol, \d+ % in spin_stripped: build it without -s and strip", done.out), "what to do", done)
        done = t.ours(*report, "--no-debuginfod", env=settings(t, url))
        check(not requests, "nothing is asked with --no-debuginfod", done)
        done = t.ours(*report, env={**settings(t, url), "LD_DEBUG": "files"})
        check(LIBRARY in done.err, "it is loaded where one is named", done)
        check(any(build_id_of(t, stripped).encode() in request for request in requests), f"asked for its debug file: {requests}", done)
    harness.check_sentence(t.ours("report", "--no-debuginfod", "--debuginfod", "-i", t.path("x.data")), "cannot be used together")


def test_ctrl_c_goes_on_without_the_server(t: Context) -> None:
    """The report that was asked for comes, without the names that the server might have had."""
    need_library()
    stripped = t.path("spin_stripped")
    check(t.run(need_tool("objcopy"), "--strip-all", t.program("spin"), stripped).status == 0, "strip")
    t.good("record", "-q", "--no-debuginfod", "--session", t.path("x.data"), "--", stripped, "200")
    with server(be_silent) as (url, requests):
        report = t.start(t.wperf, "report", "--stdio", "--no-index", "-i", t.path("x.data"), env=settings(t, url))
        wait_until(lambda: requests, "the question")
        report.send_signal(signal.SIGINT)
        out, err = report.communicate(timeout=harness.WAIT_SECONDS)
    check(report.returncode == 0 and b"spin_stripped" in out and b"quality: " in out, f"status {report.returncode}, {out!r} {err!r}")


def test_a_file_of_the_distribution(t: Context) -> None:
    """What gives its names is a package of apt's lists, or the distribution's server."""
    with open(t.path("zeros"), "wb") as file:
        file.truncate(128 << 20)
    t.good("record", "-q", "--session", t.path("x.data"), "--", need_tool("sha256sum"), "zeros")
    done = t.ours("report", "--stdio", "--no-index", "--no-debuginfod", "-i", t.path("x.data"))
    found = re.search(r"^poor: (?:.*; )?\d+ % of the samples have no symbol(.*)", done.out, re.M)
    if not found:
        raise Skip("a stripped sha256sum without its debug file")
    check(re.search(r"^, \d+ % in \S+: (?:apt install \S+-dbg\S*|export DEBUGINFOD_URLS=https://\S+), then wperf report", found[1]), "one command", done)


def test_without_the_library(t: Context) -> None:
    stripped, _ = build(t, "one")
    done = t.run(t.program("ask_debuginfod"), "-L", "libno-such.so.1", stripped)
    check(done.status == 0 and results(done) == ["none "], "none", done)
    check("install the package libdebuginfod1" in note_of(done), "the package", done)


if __name__ == "__main__":
    harness.main(__name__)
