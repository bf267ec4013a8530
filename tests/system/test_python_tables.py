#!/usr/bin/python3
"""import wperf, which reads a session into tables: the same rows as the program's, as tuples, columns and Arrow data."""
import json
import os
import re
import shutil
import sys

import harness
import pages
from harness import Context, Done, check
from test_library import ROOT, SESSION, library, sanitizers

PYTHON = "/usr/bin/python3"
# What a program does with an Arrow stream: it moves the struct out of the capsule, reads all, and releases what it took.
CONSUMER = """
import ctypes, gc, sys
import wperf
from wperf import session as s

def moved(capsule, name, kind):
    at = ctypes.pythonapi.PyCapsule_GetPointer
    at.restype, at.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    given = kind.from_address(at(capsule, name))
    taken = kind.from_buffer_copy(given)
    given.release = type(given.release)()
    return taken

opened = wperf.open(sys.argv[1])
stream = moved(opened.samples().__arrow_c_stream__(), b"arrow_array_stream", s.Stream)
schema = moved(opened.samples().__arrow_c_schema__(), b"arrow_schema", s.Schema)
unused = [opened.rows().__arrow_c_stream__(), opened.rows().__arrow_c_schema__()]
number = sum(1 for _ in opened.samples())
opened.close()
del opened, unused
gc.collect()
batch, rows = s.Batch(), 0
while not stream.get_next(ctypes.byref(stream), ctypes.byref(batch)) and batch.release:
    rows += batch.length
    batch.release(ctypes.byref(batch))
stream.release(ctypes.byref(stream))
names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
schema.release(ctypes.byref(schema))
try:
    len(wperf.open(sys.argv[1]).rows().__arrow_c_stream__())
except TypeError as error:
    print("a consumer's own error")
s._release_unused()
print(rows == number > 0, names, len(s._handed))
kept = wperf.open(sys.argv[1]).rows().__arrow_c_stream__()  # until the interpreter ends
"""


def python(t: Context, program: str, *arguments: str) -> Done:
    if sanitizers():
        raise harness.Skip("a build without sanitizers")
    env = harness.environment(LIBWPERF=library(), PYTHONPATH=os.path.join(ROOT, "packaging", "python"), PYTHONDONTWRITEBYTECODE="1")
    return t.run(PYTHON, "-c", program, *arguments, env=env)


def lines_of(t: Context, program: str, *arguments: str) -> list:
    """What the program prints, a JSON value a line."""
    done = python(t, "import json, sys, wperf\nsession = wperf.open(sys.argv[1])\n" + program, *arguments)
    check(done.status == 0 and not done.err, "the program ends well", done)
    return [json.loads(line) for line in done.out.splitlines()]


def test_rows_are_those_of_report(t: Context) -> None:
    rows = lines_of(t, "for row in session.rows(): print(json.dumps(row._asdict()))", SESSION)
    (event,) = json.loads(t.good("report", "-i", SESSION, "--json").out)["sampling"]["events"]
    wanted = [(row["symbol"], row["count"], f"{row['overhead']:.2f}") for row in event["samples"]]
    shown = [(row["symbol"] + (f":{row['module']}" if ":" in wanted[i][0] else ""), row["samples"], f"{100 * row['share']:.2f}") for i, row in enumerate(rows)]
    check(len(rows) > 1 and shown == wanted, f"{shown} {wanted}")
    check({row["event"] for row in rows} == {event["type"]}, f"{rows[0]}, {event['type']}")
    check(all(row["resolved"] is (row["symbol"] != "unknown") for row in rows), f"{rows}")


def test_columns_have_buffers(t: Context) -> None:
    columns, weights = lines_of(t, """
columns = session.rows().to_dict()
print(json.dumps({name: getattr(column, "typecode", "list") for name, column in columns.items()}))
print(json.dumps([memoryview(columns["weight"]).format, sum(columns["weight"]), next(iter(session.events())).weight]))
""", SESSION)
    check(columns["symbol"] == "list" and columns["samples"] == "Q" and columns["share"] == "d", f"{columns}")
    check(weights[0] == "Q" and weights[1] == weights[2] > 0, f"{weights}")


def test_stacks_lead_to_their_callers(t: Context) -> None:
    """As `export` prints them."""
    printed = lines_of(t, """
stacks = {}
for frame in session.frames():
    stacks.setdefault(frame.stack, (frame.caller, []))[1].append(frame.function)
counts = {}
for sample in session.samples():
    names, at = [], sample.stack
    while at >= 0:
        names, at = names + stacks[at][1], stacks[at][0]
    line = ";".join([sample.comm] + names[::-1])
    counts[line] = counts.get(line, 0) + 1
print(json.dumps(counts))
""", SESSION)[0]
    done = t.good("export", "-i", SESSION, "--format", "folded", "-o", "-")
    wanted = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in done.out.splitlines()}
    check(printed == wanted and len(wanted) > 1, f"{printed}", done)


def test_quality(t: Context) -> None:
    (quality,) = lines_of(t, "print(json.dumps(session.quality()._asdict()))", SESSION)
    wanted = json.loads(t.good("report", "-i", SESSION, "--json").out)["quality"]
    check(quality["samples"] == wanted["samples"] and quality["unresolved"] == wanted["unresolved"], f"{quality} {wanted}")
    check(quality["poor"] is wanted["poor"] and bool(quality["why_poor"]) is wanted["poor"], f"{quality} {wanted}")


def test_an_arrow_consumer(t: Context) -> None:
    done = python(t, CONSUMER, SESSION)
    check(done.status == 0 and not done.err, "nothing is freed twice", done)
    check(done.out == "a consumer's own error\nTrue ['time_ns', 'event', 'weight', 'ip', 'pid', 'tid', 'cpu', 'comm', 'stack'] 0\n", "all rows, and nothing is left", done)


def test_the_program_on_the_page(t: Context) -> None:
    with open(os.path.join(ROOT, "docs", "library.md"), encoding="utf-8") as file:
        page = file.read()
    (block,) = [block for block in pages.blocks_of(page) if block.words.get("file") == "tables.py"]
    shutil.copy(SESSION, t.path("wperf.data"))
    done = python(t, "\n".join(block.lines))
    check(done.status == 0 and not done.err, "the program runs", done)
    check(len(re.findall(r"^ *\d+\.\d\d %  \S", done.out, re.M)) > 1 and len(re.findall(r"^\d+ spin \S", done.out, re.M)) == 36, "its rows and samples", done)


def test_what_is_wrong_is_one_sentence(t: Context) -> None:
    done = python(t, "import wperf\ntry: wperf.open('no-such.data')\nexcept wperf.Error as error: print(error)")
    check(done.status == 0 and done.out.startswith("no-such.data: ") and done.out.count("\n") == 1, "a missing file", done)
    done = python(t, "import sys, wperf\ntry: list(wperf.open(sys.argv[1], samples=False).samples())\nexcept wperf.Error as error: print(error)", SESSION)
    check(done.out == "the session was opened with samples=False\n", "a table that was left out", done)
    done = python(t, "import sys, wperf\nprint('ctypes' in sys.modules)\nwperf.opne")
    check(done.out == "False\n" and "has no attribute 'opne'" in done.err, "libwperf is loaded when it is used", done)


if __name__ == "__main__":
    harness.main(__name__)
