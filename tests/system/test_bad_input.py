#!/usr/bin/python3
"""Sessions that are cut, damaged or no sessions: wperf prints one sentence and exits with 0 or 1, without a signal and
without waiting."""
import os
import random
import struct
import time

import harness
from harness import Context, Done, check

MOST_SECONDS = 10
N_CUTS = 300
HEAD_BYTES = 104
WILD = (0, 1, 7, 8, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2 ** 62, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 8, 2 ** 64 - 1)


def small_session(t: Context) -> bytes:
    """Some kilobytes, with the description of the run."""
    t.good("record", "--session", "small.data", "-F", "500", "--", t.program("spin"), "100")
    with open(t.path("small.data"), "rb") as file:
        return file.read()


def put(t: Context, name: str, content: bytes) -> str:
    with open(t.path(name), "wb") as file:
        file.write(content)
    return name


def report(t: Context, name: str, *more: str) -> Done:
    """A report of bad input must end normally."""
    done = t.ours("report", "-i", name, *more)
    check(done.status in (0, 1), "status 0 or 1", done)
    check(done.cpu_seconds < MOST_SECONDS, "in time", done)
    lines = done.err.splitlines()
    if done.status:
        check(len(lines) == 1 and lines[0].startswith("wperf: "), "one sentence", done)
        check(name in lines[0] or (name == "-" and "standard input" in lines[0]), "the sentence names the file", done)
        check(done.out == "", "nothing on standard output", done)
    else:
        # A changed bit of the header may make a section out of nothing.
        check(all(line.startswith("wperf: warning: ") and
                  ("the session's archive " in line or "its names from there on are left out" in line) for line in lines),
              "nothing on standard error but what is wrong with names in the session", done)
        check(done.out.splitlines()[-1].startswith("quality: "), "ends with the quality line", done)
    return done


def sentence(done: Done) -> str:
    return done.err.strip() if done.status else "(table) " + done.out.splitlines()[-1]


class Sentences:
    """The messages, each kind once: messages that differ in numbers are of the same kind."""

    def __init__(self) -> None:
        self.kinds: dict[str, tuple[int, str, str]] = {}

    def add(self, case: str, done: Done) -> None:
        said = sentence(done)
        key = "".join("#" if c.isdigit() else c for c in said)
        while "##" in key:
            key = key.replace("##", "#")
        count, first, example = self.kinds.get(key, (0, case, said))
        self.kinds[key] = (count + 1, first, example)

    def show(self) -> None:
        for count, case, example in self.kinds.values():
            harness.note(f"{count:4} x, first {case}: {example}")


def cuts_of(size: int) -> list[int]:
    """Every length of the header and of the last 40 bytes, and some between."""
    chosen = set(range(0, min(size, HEAD_BYTES + 16))) | set(range(max(0, size - 40), size))
    left = random.Random(size).sample(range(size), max(0, min(size, N_CUTS) - len(chosen)))
    return sorted(chosen | set(left))


def test_cut_at_many_lengths(t: Context) -> None:
    data = small_session(t)
    said = Sentences()
    samples = -1
    for length in cuts_of(len(data)):
        done = report(t, put(t, "cut.data", data[:length]))
        said.add(f"at {length} bytes of {len(data)}", done)
        if done.status == 0:
            now = harness.quality_of(done)["samples"]
            check(now >= samples, f"{length} bytes give fewer samples than a shorter file", done)
            samples = now
            check("cut" in done.out.splitlines()[-1] or "did not finish" in done.out.splitlines()[-1],
                  f"the quality line says that {length} of {len(data)} bytes are not all", done)
    check(samples > 20, f"samples are shown: {samples}")
    said.show()


def test_wild_numbers_in_the_head(t: Context) -> None:
    """Sizes and offsets at extremes, each in turn."""
    data = small_session(t)
    said = Sentences()
    for at in range(8, HEAD_BYTES, 8):
        for number in WILD:
            done = report(t, put(t, "wild.data", data[:at] + struct.pack("<Q", number) + data[at + 8:]))
            said.add(f"{number:#x} at byte {at}", done)
    said.show()


def test_wild_numbers_in_records_and_features(t: Context) -> None:
    data = small_session(t)
    said = Sentences()
    chosen = random.Random(1)
    for _ in range(150):
        at, number = chosen.randrange(HEAD_BYTES, len(data) - 8), chosen.choice(WILD)
        size = chosen.choice((2, 4, 8))
        broken = data[:at] + (number & (2 ** (8 * size) - 1)).to_bytes(size, "little") + data[at + size:]
        said.add(f"{number:#x} at byte {at}", report(t, put(t, "wild.data", broken)))
    said.show()


def session_of_counts(t: Context) -> bytes:
    """Three rounds of two events."""
    t.good("stat", "-q", "-e", "page-faults,task-clock", "-I", "20", "--output-csv", "x.csv", "--session", "counts.data",
           "--", t.program("spin"), "50")
    with open(t.path("counts.data"), "rb") as file:
        return file.read()


def test_counts_that_are_cut(t: Context) -> None:
    data = session_of_counts(t)
    said = Sentences()
    for length in cuts_of(len(data)):
        done = report(t, put(t, "cut.data", data[:length]))
        said.add(f"at {length} bytes of {len(data)}", done)
        check(done.status or "of the file are missing" in done.out or "did not finish" in done.out,
              f"says that {length} of {len(data)} bytes are not all", done)
    said.show()


def test_wild_numbers_in_counts(t: Context) -> None:
    data = session_of_counts(t)
    said = Sentences()
    chosen = random.Random(2)
    for _ in range(200):
        at, number = chosen.randrange(8, len(data) - 8), chosen.choice(WILD)
        size = chosen.choice((2, 4, 8))
        broken = data[:at] + (number & (2 ** (8 * size) - 1)).to_bytes(size, "little") + data[at + size:]
        said.add(f"{number:#x} at byte {at}", report(t, put(t, "wild.data", broken)))
    said.show()


def test_what_is_no_session(t: Context) -> None:
    data = small_session(t)
    cases = {
        "empty": b"",
        "text": b"This is a letter to you.\n" * 100,
        "one-byte": b"P",
        "magic-alone": data[:8],
        "wrong-magic": b"PERFILE3" + data[8:],
        "old-magic": b"PERFFILE" + data[8:],
        "zeros": bytes(10000),
        "ones": b"\xff" * 10000,
        "elf": open(t.wperf, "rb").read(100000),
        "json": b'{"sampling": {}}\n',
        "gzip": b"\x1f\x8b\x08" + bytes(500),
    }
    for name, content in cases.items():
        done = report(t, put(t, name, content))
        check(done.status == 1, f"{name} is refused", done)
        harness.note(f"{name}: {sentence(done)}")
    harness.note(sentence(report(t, put(t, "it's a name", b"text"))))


def test_what_is_no_file(t: Context) -> None:
    os.mkdir(t.path("folder"))
    os.mkfifo(t.path("fifo"))
    os.symlink("nowhere", t.path("dangling"))
    os.symlink("loop", t.path("loop"))
    for name in ("folder", "missing", "missing/below", "dangling", "loop", "/dev/null", "fifo"):
        done = report(t, name)
        check(done.status == 1, f"{name} is refused", done)
        harness.note(f"{name}: {sentence(done)}")


def test_standard_input(t: Context) -> None:
    data = small_session(t)
    put(t, "half.data", data[:len(data) // 2])
    for name, expected in (("small.data", 0), ("half.data", 0), ("/dev/null", 1)):
        with open(name if name.startswith("/") else t.path(name), "rb") as file:
            done = t.ours("report", "-i", "-", stdin=file)
        check(done.status == expected, f"status {expected} for {name} as standard input", done)
        harness.note(f"{name} as standard input: {sentence(done)}")


def many_samples(t: Context, data: bytes, times: int) -> bytes:
    """The same session with its records repeated, some 100 MB."""
    off, size = struct.unpack_from("<QQ", data, 40)
    head = bytearray(data[:off])
    struct.pack_into("<Q", head, 48, size * times)
    features, first = bytearray(data[off + size:]), struct.unpack_from("<Q", data, off + size)[0]
    for number in range((first - off - size) // 16):
        place = struct.unpack_from("<Q", features, 16 * number)[0]
        struct.pack_into("<Q", features, 16 * number, place + size * (times - 1))
    return bytes(head) + data[off:off + size] * times + bytes(features)


@harness.limit(120)
def test_truncated_while_it_is_read(t: Context) -> None:
    data = small_session(t)
    large = many_samples(t, data, 100_000_000 // len(data))
    whole = report(t, put(t, "large.data", large))
    check(whole.status == 0, "the large session is whole", whole)
    said = Sentences()
    for part in (0.05, 0.2, 0.4, 0.6, 0.8):
        put(t, "large.data", large)
        process = t.start(t.wperf, "report", "-i", "large.data")
        time.sleep(part * whole.seconds)
        os.truncate(t.path("large.data"), len(large) // 100)
        out, err = process.communicate(timeout=harness.WAIT_SECONDS + whole.seconds)
        done = Done(process.returncode, out.decode(), err.decode(), 0)
        check(done.status in (0, 1), "no signal", done)
        if done.status:
            harness.check_sentence(done, "large.data", "became shorter while it was read")
        said.add(f"after {part:.0%} of the time", done)
    said.show()
    harness.note(f"{len(large) / 1e6:.0f} MB, report {whole.seconds:.1f} s")


def test_other_views_of_a_cut_session(t: Context) -> None:
    data = small_session(t)
    for length in (0, 50, 104, len(data) // 3, len(data) // 2, len(data) - 1):
        name = put(t, "cut.data", data[:length])
        for more in (("--json",), ("--csv",), ("--sort", "process,thread,module"), ("--strict",)):
            done = t.ours("report", "-i", name, *more)
            check(done.status in (0, 1, 3), f"{more} of {length} bytes", done)
            check(done.status != 3 or "--strict" in more, "3 for --strict only", done)
            if more == ("--json",) and done.status == 0:
                quality = harness.document_of(done)["quality"]
                check(quality["unfinished"] or quality["cut_bytes"] > 0, f"said in JSON: {quality}")


if __name__ == "__main__":
    harness.main(__name__)
