#!/usr/bin/python3
"""Code that a process generates, drops and generates again at the same addresses: each sample has the name of its time."""
import json
import os
import re
import shutil

import harness
from harness import Context, Done, Skip, check
from own_samples import rows_of_module

MS = 1200
TURNS = 6
KINDS = ("long_turn", "short_turn")
IN_DUMP = r"jit-\d+\.dump"
# What it says where names are the latest.
DOUBT = "may be wrong"


def told_shares(done: Done) -> dict[str, float]:
    """Each function's share of the CPU time, as the program prints it."""
    taken = {name: int(ns) for name, ns in re.findall(r"^(\w+_turn) (\d+)$", done.out + done.err, re.M)}
    check(set(taken) == set(KINDS), "the program says what its functions took", done)
    return {name: ns / sum(taken.values()) for name, ns in taken.items()}


def check_shares(counts: dict[str, int], expected: dict[str, float], what: str) -> None:
    """Within five standard errors."""
    n = sum(counts.values())
    for name, share in expected.items():
        sigma = (n * share * (1 - share)) ** 0.5
        check(n > MS // 3 and abs(counts.get(name, 0) - n * share) < 5 * sigma + 3,
              f"{what}: {counts}, expected shares {expected}")


def counts_of(rows: list[harness.Row]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        name = row.symbol.split(":")[0]
        if name in KINDS:
            counts[name] = counts.get(name, 0) + row.count
    return counts


def folded(t: Context, *argv: str) -> dict[str, int]:
    """Samples by innermost function."""
    counts: dict[str, int] = {}
    below_main = 0
    for line in t.good("export", "--format", "folded", *argv).out.splitlines():
        stack, n = line.rsplit(" ", 1)
        name = stack.split(";")[-1]
        if name in KINDS:
            below_main += int(n) if ";main;" in stack else 0
            counts[name] = counts.get(name, 0) + int(n)
    check(below_main >= 0.99 * sum(counts.values()), f"{below_main} of {counts} have callers")
    return counts


def check_latest(done: Done) -> None:
    """All samples of the jitdump have the latest name."""
    rows = rows_of_module(done, IN_DUMP)
    total, latest = sum(row.count for row in rows), harness.row_named(done, "short_turn", prefix=True).count
    check(latest > MS // 3 and total - latest <= 3, f"the latest name: {latest} of {total}", done)


def check_all_views(t: Context, expected: dict[str, float], *argv: str) -> None:
    check_shares(counts_of(harness.rows_of(t.good("report", *argv).out)), expected, "report")
    tree = t.good("report", "-g", *argv)
    found = dict((name, int(n)) for n, name in re.findall(rf"^ +[\d.]+ +[\d.]+ +(\d+)  (\w+_turn) \[{IN_DUMP}\]", tree.out, re.M))
    check_shares(found, expected, "report -g")
    check_shares(folded(t, *argv), expected, "export")


def check_code(t: Context, *argv: str) -> None:
    """The loops of the two have different instructions; only those of the right load have samples."""
    for name, right, wrong in (("long_turn", r"decq|subs", r"subq +\$0x1, +%rdi|cbnz"),
                               ("short_turn", r"subq +\$0x1, +%rdi|cbnz", r"decq|subs")):
        done = t.good("annotate", *argv, name)
        if "libLLVM" in done.out:
            raise Skip("libLLVM")
        loads = re.findall(rf"^{name}@0x[0-9a-f]+:\S*: (\d+) of", done.out, re.M)
        check(len(loads) == TURNS, f"{name}: code of each of its {TURNS} loads", done)
        check(re.search(right, done.out) is not None and re.search(wrong, done.out) is None, f"{name}: its own code", done)


def swap(t: Context, how: str, *argv: str) -> Done:
    return t.good("record", "-g", *argv, "--", t.program("jitdumper"), t.folder, str(MS), how)


def test_two_functions_take_turns_at_one_address(t: Context) -> None:
    done = swap(t, "swap")
    expected = told_shares(done)
    check_shares(counts_of(harness.rows_of(done.out)), expected, "record")
    check(DOUBT not in done.out, "nobody doubts", done)
    check_all_views(t, expected)
    check_code(t)


def test_a_session_in_a_pipe(t: Context) -> None:
    """The session is read before the jitdump is complete: the latest code is named, and wperf says so."""
    with open(t.path("pipe.data"), "wb") as file:
        done = t.ours("record", "--session", "-", "--", t.program("jitdumper"), t.folder, str(MS), "swap", stdout=file)
    check(done.status == 0, "record into a pipe", done)
    done = t.good("report", "-i", "pipe.data")
    check_latest(done)
    check(re.search(rf"code of {IN_DUMP} was replaced while it ran: the names are those of the latest code and {DOUBT}", done.out) is not None, "which is said", done)


def test_the_tables_travel_in_an_archive(t: Context) -> None:
    expected = told_shares(swap(t, "swap"))
    t.good("archive", "-o", "packed.data")
    before = {name: t.good(*name.split()).out for name in ("report", "report -g", "annotate long_turn")}
    for name in os.listdir(t.folder):
        if re.fullmatch(IN_DUMP, name):
            os.remove(t.path(name))
    check_all_views(t, expected, "-i", "packed.data")
    for name, out in before.items():
        command, *rest = name.split()
        check(t.good(command, "-i", "packed.data", *rest).out == out, f"the same {name} without the jitdump")


def test_times_of_another_clock_are_not_compared(t: Context) -> None:
    done = swap(t, "ticks")
    told_shares(done)
    check_latest(done)
    check(re.search(rf"code of {IN_DUMP} was replaced while it ran, and its times are not of the session's clock.*{DOUBT}", done.out) is not None,
          "which is said", done)
    document = json.loads(t.good("report", "--json", "--json-extended").out)
    check(DOUBT in document["quality"]["doubts"], "in the document too")


def test_a_perf_map_has_no_times(t: Context) -> None:
    done = swap(t, "map")
    for name in re.findall(r"perf-\d+\.map", done.out)[:1]:
        os.remove(os.path.join("/tmp", name))
    check(re.search(rf"{2 * TURNS} functions of perf-\d+\.map overlap in memory: their names {DOUBT}", done.out) is not None,
          "that its names may be wrong is said", done)


def test_perf_tells_the_same(t: Context) -> None:
    """perf record with the jitdump's clock, and perf inject; with another clock the latest code is named, and wperf
    says so."""
    perf = harness.need_tool("perf")
    done = t.run(perf, "record", "-q", "-k", "mono", "-e", "cpu-clock:u", "-o", t.path("mono.data"), "--",
                 t.program("jitdumper"), t.folder, str(MS), "swap")
    if done.status:
        raise Skip("perf record -k mono")
    expected = told_shares(done)
    check_shares(counts_of(harness.rows_of(t.good("report", "-i", "mono.data").out)), expected, "by the same clock")
    done = t.run(perf, "inject", "-j", "-i", t.path("mono.data"), "-o", t.path("inject.data"))
    if not done.status:
        check_shares(counts_of(harness.rows_of(t.good("report", "-i", "inject.data").out)), expected, "of perf inject -j")
    t.run(perf, "record", "-q", "-e", "cpu-clock:u", "-o", t.path("other.data"), "--", t.program("jitdumper"), t.folder, str(MS),
          "swap")
    done = t.good("report", "-i", "other.data")
    check(DOUBT in done.out and "perf record -k mono" in done.out, "by another clock", done)


WORK = """
let t = 0, taken = {};
function phase(name, body, ms) {
  const f = new Function('n', 'return (function ' + name + '(n){' + body + '})(n)');
  const begin = process.cpuUsage().user, end = begin + ms * 1000;
  while (process.cpuUsage().user < end) t += f(300000);
  taken[name] = (taken[name] || 0) + process.cpuUsage().user - begin;
}
for (let r = 0; r < 6; r++) {
  phase('longTurn', 'let s=0;for(let i=0;i<n;i++){s=(s*31+i)|0;s^=s>>>7}return s', 150);
  phase('shortTurn', 'let s=1;for(let i=0;i<n;i++){s=(s*17+i)|0;s^=s<<3}return s', 50);
  for (let i = 0; i < 4; i++) gc();
}
console.log(JSON.stringify(taken));
"""


def test_code_in_a_memfd(t: Context) -> None:
    """As .NET has it since version 7: two maps of a file in memory."""
    for options in ((), ("-g",)):
        done = t.good("record", *options, "--", t.program("jit"), "300", "memfd")
        check(re.search(r"(9\d|100)\.\d\d +\d+ +jit_hot_loop", done.out) is not None, "its name is that of the perf map", done)


def test_code_that_a_program_copied_over_itself(t: Context) -> None:
    t.good("record", "-g", "--", t.program("copied_code"), "300")
    text = t.good("export", "--format", "folded", "-o", "-").out
    good = sum(int(count) for count in re.findall(r";main;copied_outer;copied_inner (\d+)$", text, re.M))
    check(good > 250, f"whole stacks with names: {text}")


def test_node_with_perf_prof(t: Context) -> None:
    node = shutil.which("node", path="/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin")
    if not node:
        raise Skip("node")
    with open(t.path("work.js"), "w", encoding="utf-8") as file:
        file.write(WORK)
    done = t.good("record", "--", node, "--perf-prof", "--expose-gc", "work.js")
    taken = json.loads(re.search(r"^\{.*\}$", done.out + done.err, re.M).group())
    expected = {name: us / sum(taken.values()) for name, us in taken.items()}
    rows = harness.csv_of(t.good("report", "--csv", "--sample-display-row", "100000"))
    counts = {name: sum(int(row["count"]) for row in rows if re.search(rf"\b{name}\b", row["symbol"])) for name in taken}
    n = sum(counts.values())
    harness.note(f"{counts} of {harness.quality_of(done)['samples']} samples, expected shares {expected}")
    for name, share in expected.items():
        # Compiling and garbage collection take a part of each function's time.
        check(abs(counts[name] / n - share) < 5 * (share * (1 - share) / n) ** 0.5 + 0.03, f"{name}: {counts}, {expected}")


if __name__ == "__main__":
    harness.main(__name__)
