"""Types random keys into the browser, as fast as it takes them."""
import fcntl
import os
import random
import select
import struct
import termios

import harness
from harness import Context, check, wait_until

# The first four changed the filter while another thread read the session with it.
SEEDS = (7, 26, 29, 31)
N_KEYS = 250

KEYS = [bytes([code]) for code in b"arxdtgGfpMmicsWowlH/nNeEcC+-* 1237890hjk?Iv"] + [
    b"\r", b"\r", b"\033[A", b"\033[B", b"\033[C", b"\033[D", b"\033[5~", b"\033[6~", b"\033[H", b"\033[F", b"\t", b"\033[Z", b"\033", b"\x7f"]


def seeds() -> list[int]:
    """By hand: WPERF_SEEDS="1 2 3", and WPERF_KEYS=1000 for the number of keys of each."""
    return [int(word) for word in os.environ.get("WPERF_SEEDS", "").split()] or list(SEEDS)


def random_input(chance: random.Random, terminal: int) -> bytes:
    """Returns a key or sometimes a mouse event, and sometimes changes the size of the terminal."""
    if chance.random() < 0.02:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", chance.randint(1, 60), chance.randint(1, 220), 0, 0))
    if chance.random() < 0.04:
        return b"\033[<%d;%d;%d%c" % (chance.choice((0, 32, 64, 65)), chance.randint(1, 90), chance.randint(1, 30), chance.choice(b"Mm"))
    return chance.choice(KEYS)


def drained(terminal: int) -> bool:
    """Reads all output; whether the terminal still exists."""
    try:
        return not select.select([terminal], [], [], 0.1)[0] or bool(os.read(terminal, 65536))
    except OSError:
        return False


def type_at_random(t: Context, seed: int, *argv: str) -> None:
    """The program must take all keys, say nothing on standard error, and leave by Ctrl-C with status 0."""
    chance, typed = random.Random(seed), []
    ours, theirs = harness.open_terminal()
    process = t.start(*argv, stdin=theirs, stdout=theirs, env=harness.environment(TERM="xterm-256color"))
    os.close(theirs)
    for _ in range(int(os.environ.get("WPERF_KEYS", N_KEYS))):
        typed.append(random_input(chance, ours))
        os.write(ours, typed[-1])
        while select.select([ours], [], [], 0.004)[0]:
            if not drained(ours):
                break
        if process.poll() is not None:
            break
    died = process.poll() is not None
    if not died:
        os.write(ours, b"\x03")
        wait_until(lambda: process.poll() is not None or not drained(ours), "Ctrl-C leaves")
    status, said = process.wait(harness.WAIT_SECONDS), process.stderr.read().decode(errors="replace")
    os.close(ours)
    check(not died, f"seed {seed}: it goes on after {len(typed)} keys, the last {typed[-20:]}; status {status}\n{said}")
    check(status == 0 and said == "", f"seed {seed}: without a word; status {status}\n{said}")
