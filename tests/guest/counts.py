"""Functions shared by the tests of counting: the document of `wperf stat`, and the numbers of `perf stat`."""
import re

import machine
from machine import Guest, check, harness

CYCLE = "cycle"  # the fixed counter, which is always there


def stat(t: Guest, *argv: str) -> dict:
    """The output of the counted command goes to standard error."""
    done = t.ours("stat", "--json", *argv)
    check(done.status == 0, "wperf stat --json " + " ".join(argv), done)
    return harness.document_of(done)


def rows_of(document: dict, core: int | None = None) -> list[dict]:
    """The counters of a core; without an argument those of the only table."""
    tables = [table for table in document["core"]["cores"] if core is None or table["core_number"] == core]
    check(len(tables) == 1, f"one table: {document}")
    return tables[0]["Performance_counter"]


def values_of(document: dict, core: int | None = None) -> dict[str, int]:
    return {row["event_name"]: row["counter_value"] for row in rows_of(document, core)}


def reasons_of(document: dict) -> dict[str, str]:
    """Why events were not counted."""
    return {entry["event_name"]: entry["reason"] for entry in document["quality"]["not_counted"]}


def total(t: Guest, rounds: int) -> int:
    """How many instructions `loops ROUNDS` executes."""
    return machine.total_of(t.run("loops", str(rounds)))


def perf_counts(t: Guest, *argv: str) -> list[tuple[str, str]]:
    """Value and event of each line of `perf stat`, in its order."""
    done = t.run("perf", "stat", "-x", ";", *argv)
    check(done.status == 0, "perf stat", done)
    fields = [line.split(";") for line in done.err.splitlines() if line.count(";") > 3]
    return [(field[0], re.sub(r":u$", "", field[2])) for field in fields]
