#!/usr/bin/python3
"""Texts of other people reach every field of every command: no control character, no change of direction and no forged
line arrives on the terminal or in a document."""
import fcntl
import json
import os
import re
import struct
import subprocess
import termios

import harness
from harness import Context, Skip, check

# What hostile texts consist of; each piece as long as the text that it replaces.  A line that begins with FORGED came out of a name.
FORGED = "QZXQ"
PIECES = ("\x1b]0;P\a", "\x1b[31mX", "\u009b31mX", "a\u202eb\u2066", "\n" + FORGED + "1", "\r\x1b[Kab", "\x01\x7f\x08b")

# Control characters but tab and line feed, C1 controls, and what changes the direction of text.
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
OWN_COLOURS = re.compile("\x1b\\[(?:31|32|0)m")

FORMATS = ("folded", "speedscope", "firefox", "chrome", "callgrind", "perf-script", "svg")
REPORTS = ([], ["-v"], ["-g"], ["-g", "callee", "--percent-limit", "0"], ["--csv"], ["--json"], ["--json-extended", "-v"],
           ["--sort", "comm,pid,tid,module,symbol,file,line,addr"], ["--sort", "machine,source,event,cpu"], ["--inlines"],
           ["--annotate"], ["--annotate", "--disassemble", "--json"], ["-b"], ["--mem", "--sort", "object,page,level"], ["--threads"],
           ["--timeline"], ["--sort", "python,line"], ["--python", "all"], ["--group-by", "cpython"], ["--module", "nothing"])
ANNOTATES = ([], ["-v"], ["--source"], ["--asm"], ["--by", "function"], ["--by", "line"], ["--by", "block"], ["--json"])


def check_safe(shown: str, what: str, colours: bool = False) -> None:
    shown = shown.replace("\r\n", "\n")
    if colours:
        shown = OWN_COLOURS.sub("", shown)
    found = FORBIDDEN.search(shown)
    check(not found, f"{what}: {found and shown[max(0, found.start() - 60):found.end() + 60]!r}")
    check(not re.search(f"^{FORGED}", shown, re.M), f"{what}: a name begins a line")


def check_json(text: str, what: str) -> None:
    try:
        json.loads(text)
    except ValueError as error:
        raise AssertionError(f"{what}: {error}") from None


def on_terminal(t: Context, columns: int, *argv: str) -> str:
    """What a terminal of so many columns gets."""
    ours, theirs = harness.open_terminal()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([t.wperf, *argv], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, cwd=t.folder,
                               env=harness.environment(PAGER="cat"))
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    process.wait()
    return shown.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def commands_on(session: str) -> list[list[str]]:
    """Each command that reads a session, in each of its forms."""
    found = [["report", "--stdio", *options, "-i", session] for options in REPORTS]
    found += [["annotate", "--stdio", *options, "-i", session] for options in ANNOTATES]
    found += [["export", "--format", form, "-i", session] for form in FORMATS]
    found += [["dump", "-i", session], ["dump", "--json", "-i", session]]
    found += [["diff", "--stdio", *more, session, session] for more in ([], ["--json"], ["-v"], ["-g"])]
    return found


def check_commands(t: Context, session: str, what: str) -> None:
    for argv in commands_on(session):
        done = t.ours(*argv)
        check(done.status >= 0 and "Sanitizer" not in done.err, f"{what}: {argv}", done)
        check_safe(done.out, f"{what}: {argv}")
        check_safe(done.err, f"{what}: {argv}, standard error")
        if done.status == 0 and any(option.startswith("--json") for option in argv):
            check_json(done.out, f"{what}: {argv}")


def check_terminals(t: Context, session: str, what: str) -> None:
    for columns in (40, 60, 100):
        for options in ([], ["-v"], ["-g"], ["--threads"], ["--annotate"]):
            shown = on_terminal(t, columns, "report", "--stdio", *options, "--color", "always", "-i", session)
            check_safe(shown, f"{what}: report {options} on {columns} columns", colours=True)
            rows = [line for line in OWN_COLOURS.sub("", shown).split("\n") if re.match(r" +\d+\.\d\d +(\d|_)", line)]
            check(rows, f"{what}: report {options} has no table")
            check(all(len(row) <= columns for row in rows), f"{what}: report {options}: wider than {columns} columns: {max(rows, key=len)}")


def mutate(data: bytes, share: int, n_shares: int) -> bytes:
    """The file with hostile bytes in one share of its texts; nothing changes its size."""
    made = bytearray(data)
    for number, match in enumerate(re.finditer(rb"[\x20-\x7e]{8,}", data)):
        if number % n_shares != share:
            continue
        for at in range(match.start(), match.end() - 7, 12):
            piece = PIECES[(number + at) % len(PIECES)].encode()[:8]
            made[at:at + len(piece)] = piece
    return bytes(made)


def replay_files() -> list[str]:
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay")
    return [os.path.join(folder, name) for name in ("every_kind.data", "archived_v1.data", "spe_perf.data")]


@harness.limit(600)
def test_every_text_of_a_session(t: Context) -> None:
    for path in replay_files():
        with open(path, "rb") as file:
            data = file.read()
        for share in range(5):
            with open(t.path("hostile.data"), "wb") as file:
                file.write(mutate(data, share, 5))
            check_commands(t, t.path("hostile.data"), f"{os.path.basename(path)}, share {share}")


HOSTILE_C = r"""
#include <stdlib.h>
#include <sys/prctl.h>
static volatile unsigned long sum;
void work(void) __asm__("\"wo\33]0;P\7_\302\23331m_\342\200\256_name_long_enough_for_a_narrow_terminal_of_forty_columns\"");
__attribute__((noinline)) void work(void) { for (unsigned long i = 0; i < 150000000; i++) sum += i; }
int main(void) { prctl(15, "t\33[31m\nQZXQ2\r"); work(); return 0; }
"""


def build_hostile(t: Context) -> str:
    """A program whose file, source, thread and function have hostile names."""
    source, program = t.path("s\x1b]0;P\a\nQZXQ.c"), t.path("p\x1b]0;P\a\x1b[31m\nQZXQ3\u202e")
    with open(source, "w", encoding="utf-8") as file:
        file.write(HOSTILE_C)
    done = t.run(harness.need_tool("gcc"), "-g", "-O1", "-o", program, source)
    if done.status:
        raise Skip("an assembler that takes each name")
    return program


@harness.limit(300)
def test_names_of_a_program(t: Context) -> None:
    program = build_hostile(t)
    record = ["record", "--session", "s.data", "-g", "--annotate", "--", program, "arg\x1b]0;P\a\nQZXQ4"]
    harness.need_events()
    done = t.ours(*record)
    check(done.status == 0, "record", done)
    check_safe(done.out + done.err, "record")
    check_safe(on_terminal(t, 60, *record), "record on a terminal", colours=True)
    check("\\x1b]0;P" in t.ours("report", "--stdio", "-i", "s.data").out, "the name is shown, made safe")
    check_commands(t, "s.data", "recorded")
    check_terminals(t, "s.data", "recorded")
    check(t.ours("archive", "-i", "s.data", "-o", "packed.data").status == 0, "archive")
    check_commands(t, "packed.data", "archived")


def hostile_json(value: object, number: list[int]) -> object:
    """The document with hostile texts in place of what is neither a key nor short."""
    if isinstance(value, dict):
        return {key: hostile_json(item, number) for key, item in value.items()}
    if isinstance(value, list):
        return [hostile_json(item, number) for item in value]
    if isinstance(value, str) and len(value) > 3:
        number[0] += 1
        return value + PIECES[number[0] % len(PIECES)]
    return value


def test_facts_of_a_baseline(t: Context) -> None:
    session = replay_files()[0]
    check(t.ours("check", "--write-baseline", "base.json", "--", session).status == 0, "a baseline")
    with open(t.path("base.json"), encoding="utf-8") as file:
        document = json.load(file)
    facts = document["runs"][0]["facts"]
    for start in range(len(PIECES)):
        # Runs of another architecture, or with the kernel, are refused.
        for kept in {}, {name: facts[name] for name in ("architecture", "code")}:
            hostile = hostile_json(document, [start])
            hostile["runs"][0]["facts"].update(kept)
            with open(t.path("hostile.json"), "w", encoding="utf-8") as file:
                json.dump(hostile, file)
            for more in ([], ["--json"], ["-v"], ["--markdown", "check.md"]):
                done = t.ours("check", "--baseline", "hostile.json", *more, "--", session)
                check_safe(done.out + done.err, f"check {more}")
    with open(t.path("check.md"), encoding="utf-8") as file:
        check_safe(file.read(), "Markdown")


def test_arguments(t: Context) -> None:
    text = "x\x1b]0;P\a\nQZXQ\u202e\u009b31m"
    for argv in ([text], ["report", "-i", text], ["report", "--sort", text], ["stat", "-e", text, "true"], ["stat", "-m", text, "true"],
                 ["list", text], ["man", text], ["help", text], ["symbolize", "-e", text, "1"], ["record", "-o", text + "/y", "--", "true"],
                 ["record", "--", "/nowhere/" + text], ["check", "--baseline", text, "--", "x"], ["export", "--format", text],
                 ["annotate", "-i", replay_files()[0], text], ["stat", "--cpu", text, "true"], ["detect", "--sysfs", text]):
        done = t.ours(*argv)
        check_safe(done.out + done.err, repr(argv))


def test_ascii_without_utf8(t: Context) -> None:
    session = os.path.join(os.path.dirname(replay_files()[0]), "jobs.data")
    for option in ("--threads", "--timeline"):
        plain = t.ours("report", "--stdio", option, "-i", session, env=harness.environment(LC_ALL="C"))
        check(plain.status == 0 and plain.out.isascii(), option, plain)
        shown = t.ours("report", "--stdio", option, "-i", session)
        check(not shown.out.isascii() and len(shown.out) == len(plain.out), "blocks where the locale has UTF-8", shown)


if __name__ == "__main__":
    harness.main(__name__)
