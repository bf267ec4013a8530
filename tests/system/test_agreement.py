#!/usr/bin/python3
"""Do perf and wperf read a file in the same way?  Compares sessions of both, for many kinds of targets, by module and
symbol.

Rows that perf names must be equal: in shares (0.1 point) for sessions of wperf, in exact counts for files of perf.
Addresses that perf can't name are compared as one sum for each module, because wperf names more of them.
"""
import os
import re
from collections import Counter
from dataclasses import dataclass

import harness
from harness import Context, Skip, check

DEBUG_PYTHON = "/usr/bin/python3.11-dbg"
STRIPPED_PYTHON = "/usr/bin/python3.11"
WORK = "import json\nfor i in range({0}): json.loads(json.dumps([{{'key %d' % k: k * 1.5}} for k in range(400)]))"
POINTS = 0.1
SEPARATOR = "\t"


KERNEL = "[kernel.kallsyms]"
ANONYMOUS = "[anon]"


@dataclass
class Table:
    """Counts by (module, symbol); samples without a name are under (module, None)."""

    counts: Counter
    total: int


class KernelNames:
    """One name for all names of an address of the kernel.

    perf 6.1 shows the last one in /proc/kallsyms, because it gives the others no size: `__pi_memcpy`, where wperf shows
    `memcpy`.  Both are correct.
    """

    def __init__(self) -> None:
        self.first: dict[str, str] = {}
        by_address: dict[str, str] = {}
        with open("/proc/kallsyms", encoding="utf-8") as file:
            for address, _kind, name, *_module in map(str.split, file):
                if address.strip("0"):
                    self.first.setdefault(name, by_address.setdefault(address, name))

    def common(self, name: str) -> str:
        return self.first.get(name, name)


kernel_names = KernelNames()


def perf_environment(t: Context) -> dict[str, str]:
    """perf stores copies of files in the home folder."""
    return harness.environment(HOME=t.folder)


def perf_table(t: Context, path: str) -> Table:
    done = t.run("perf", "report", "--stdio", "--no-children", "--no-demangle", "-g", "none", "--percent-limit", "0",
                 "-F", "overhead,sample,dso,sym", "--field-separator", SEPARATOR, "-i", path, env=perf_environment(t))
    check(done.status == 0, "perf reads it", done)
    counts: Counter = Counter()
    for line in done.out.splitlines():
        fields = line.split(SEPARATOR)
        if len(fields) == 4 and fields[0].strip()[:1].isdigit():
            counts[perf_key(fields[2].strip(), fields[3].strip())] += int(fields[1])
    check(bool(counts), "perf shows rows", done)
    return Table(counts, sum(counts.values()))


def perf_key(module: str, symbol: str) -> tuple[str, str | None]:
    """[.] name, [k] name, or [.] 0x0000000000001234 without a name."""
    name = symbol.split(" ", 1)[1] if symbol.startswith("[") else symbol
    if module == "[unknown]":
        module = ""
    # Anonymous memory is a module for each process in perf, and one module for all processes in wperf.
    module = re.sub(r"^(\[JIT\] tid \d+|//anon|anon)$", ANONYMOUS, module.removesuffix(" (deleted)"))
    if module == KERNEL:
        name = kernel_names.common(name)
    # perf 6.1 gives stubs of functions that are chosen at run time (IRELATIVE) the name `@plt`, and in the C library,
    # where these are between other stubs, takes one stub for another.
    is_stub = name == "@plt" or (name.endswith("@plt") and os.path.basename(module) == "libc.so.6")
    return module, None if is_stub or is_init(name) or re.fullmatch(r"0x[0-9a-f]{8,16}", name) else name


def is_init(name: str) -> bool:
    """The symbol has no size in the C library's files: perf 6.1 counts the stubs after it as a part of it."""
    return name == "_init"


def our_table(t: Context, path: str) -> Table:
    done = t.good("report", "-i", path, "--no-demangle", "--sort", "module,symbol", "--csv", "--sample-display-row",
                  "100000")
    counts: Counter = Counter()
    for row in harness.csv_of(done):
        counts[our_key(row["module"], row["symbol"])] += int(row["count"])
    return Table(counts, sum(counts.values()))


def our_key(module: str, symbol: str) -> tuple[str, str | None]:
    """unknown has no name and no module; 0x1234 is a function without a name."""
    if module == "unknown":
        module = ""
    module = re.sub(r"^perf-\d+\.map$", ANONYMOUS, module)
    if module == KERNEL:
        symbol = kernel_names.common(symbol)
    return module, None if symbol == "unknown" or is_init(symbol) or re.fullmatch(r"0x[0-9a-f]+", symbol) else symbol


@dataclass
class Difference:
    """How far one row is off."""

    key: tuple[str, str | None]
    perf: int
    ours: int


def differences(perf: Table, ours: Table) -> list[Difference]:
    """For each row that perf names, and for each module the sum of its other rows."""
    named = [key for key in perf.counts if key[1] is not None]
    found = [Difference(key, perf.counts[key], ours.counts[key]) for key in named]
    for module in sorted({key[0] for key in perf.counts} | {key[0] for key in ours.counts}):
        rest = sum(count for key, count in ours.counts.items() if key[0] == module)
        rest -= sum(ours.counts[key] for key in named if key[0] == module)
        found.append(Difference((module, None), perf.counts[(module, None)], rest))
    return found


def compare(t: Context, path: str, what: str, exact: bool) -> None:
    perf, ours = perf_table(t, path), our_table(t, path)
    off = differences(perf, ours)
    worst = max(abs(100 * one.perf / perf.total - 100 * one.ours / max(1, ours.total)) for one in off)
    bare = sum(count for key, count in perf.counts.items() if key[1] is None)
    harness.note(f"{what}: {perf.total} samples, {len(perf.counts)} rows of perf, {bare} samples without a name there; "
                 f"largest difference {worst:.3f} points")
    wrong = [one for one in off if one.perf != one.ours]
    text = "\n".join(f"{one.key}: perf {one.perf}, wperf {one.ours}" for one in wrong[:30])
    text += "".join(f"\nwperf alone: {key} {count}" for key, count in list((ours.counts - perf.counts).items())[:30]
                    if wrong and key not in perf.counts)
    check(perf.total == ours.total, f"{what}: perf has {perf.total} samples, wperf {ours.total}\n{text}")
    check(worst <= POINTS, f"{what}: {worst:.3f} points off\n{text}")
    check(not exact or not wrong, f"{what}: counts differ\n{text}")
    if wrong:
        harness.note(text)


def ours(t: Context, *argv: str, **options) -> str:
    harness.need_tool("perf")
    done = t.ours("record", "--session", "ours.data", *argv, **options)
    check(done.status == 0, "recorded", done)
    return "ours.data"


def perfs(t: Context, *argv: str) -> str:
    done = t.perf_record("perfs.data", "-e", "cpu-clock", *argv)
    check(done.status == 0, "perf recorded", done)
    return "perfs.data"


def need_file(path: str) -> str:
    if not os.path.exists(path):
        raise Skip(path)
    return path


def python(path: str, rounds: int) -> list[str]:
    return [need_file(path), "-c", WORK.format(rounds)]


def libraries(t: Context) -> list[str]:
    rounds = ["load", t.program("part_one.so"), "work", "50", "close", "load", t.program("part_two.so"), "work", "80",
              "close"]
    return [t.program("loader"), *rounds * 4]


def family(t: Context) -> list[str]:
    return [t.program("family"), "100", t.program("spin"), "200"]


# --- samples that contain the counts of a group ---


def periods_of(text: str) -> Counter:
    """What was counted, by event, from lines such as `250000 cpu-clock:`."""
    counts: Counter = Counter()
    for period, event in re.findall(r"^.*?\s(\d+) +([\w-]+): ", text, re.M):
        counts[event] += int(period)
    return counts


def test_perfs_samples_of_a_group(t: Context) -> None:
    """perf record -e '{...}:S': the samples of the leader contain the counts of the others, and are theirs, too."""
    for options in ((), ("--no-inherit",)):
        path = "group.data"
        done = t.perf_record(path, *options, "-e", "{cpu-clock,page-faults,context-switches}:S", "--", *family(t))
        check(done.status == 0, "perf recorded", done)
        perf = t.run("perf", "script", "-i", path, "-F", "comm,period,event,ip", env=perf_environment(t))
        wanted, found = periods_of(perf.out), periods_of(t.run(t.wperf, "export", "--format", "perf-script", "-i", path, "-o", "-").out)
        check(wanted == found and wanted["page-faults"] > 20, f"{options}: perf {wanted}, wperf {found}")


# --- our sessions ---


def test_our_session_of_code_in_anonymous_memory(t: Context) -> None:
    compare(t, ours(t, "--", t.program("jit"), "300", "nameless"), "anonymous memory", exact=False)


def test_our_session_of_the_debug_python(t: Context) -> None:
    compare(t, ours(t, "--", *python(DEBUG_PYTHON, 500)), "debug python", exact=False)


def test_our_session_of_the_stripped_python(t: Context) -> None:
    compare(t, ours(t, "--", *python(STRIPPED_PYTHON, 2500)), "stripped python", exact=False)


def test_our_session_of_a_cpp_program(t: Context) -> None:
    compare(t, ours(t, "--", t.program("shapes"), "25000"), "C++", exact=False)


def test_our_session_of_libraries_that_come_and_go(t: Context) -> None:
    compare(t, ours(t, "--", *libraries(t)), "dlopen and dlclose", exact=False)


def test_our_session_of_a_family(t: Context) -> None:
    compare(t, ours(t, "--", *family(t)), "threads, fork and exec", exact=False)


def test_our_session_with_the_kernel(t: Context) -> None:
    harness.need_root()
    compare(t, ours(t, "-k", "--", *python(DEBUG_PYTHON, 300)), "with the kernel", exact=False)


def test_our_session_of_everything(t: Context) -> None:
    harness.need_root()
    t.start(*python(DEBUG_PYTHON, 100000))
    compare(t, ours(t, "-a", "-k", "--timeout", "1500ms"), "everything", exact=False)


# --- files of perf ---


def test_a_file_of_perf(t: Context) -> None:
    compare(t, perfs(t, "-F", "999", "--", *python(DEBUG_PYTHON, 400)), "perf -F 999, debug python", exact=True)
    compare(t, perfs(t, "-F", "999", "--", *python(STRIPPED_PYTHON, 2000)), "perf -F 999, stripped python", exact=True)


def test_a_file_of_perf_of_cpp(t: Context) -> None:
    compare(t, perfs(t, "-F", "1999", "--", t.program("shapes"), "10000"), "perf, C++", exact=True)


def test_a_file_of_perf_of_moving_targets(t: Context) -> None:
    compare(t, perfs(t, "-F", "1999", "--", *libraries(t)), "perf, dlopen and dlclose", exact=True)
    compare(t, perfs(t, "-F", "1999", "--", *family(t)), "perf, threads, fork and exec", exact=True)


def test_a_file_of_perf_of_everything(t: Context) -> None:
    harness.need_root()
    t.start(*python(DEBUG_PYTHON, 100000))
    compare(t, perfs(t, "-F", "999", "-a", "--", "sleep", "1.5"), "perf -a", exact=True)


def test_a_file_of_perf_with_stacks(t: Context) -> None:
    compare(t, perfs(t, "-g", "-F", "999", "--", *python(DEBUG_PYTHON, 300)), "perf -g", exact=True)


def test_a_packed_file_of_perf(t: Context) -> None:
    # Once in some fifty times perf 6.1 crashes on a packed file that it wrote itself.
    for _ in range(3):
        path = perfs(t, "-z", "-g", "-F", "999", "--", *python(DEBUG_PYTHON, 300))
        if t.run("perf", "report", "--stdio", "-i", path, env=perf_environment(t)).status == 0:
            break
    compare(t, path, "perf -z", exact=True)


if __name__ == "__main__":
    harness.main(__name__)
