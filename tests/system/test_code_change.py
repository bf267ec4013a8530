#!/usr/bin/python3
"""diff --code: each function with a planted change is found, and the kind of its change is right."""
import os
import re
import subprocess

import harness
from harness import Context, check
from test_code_relink import ARM64, MINGW, SAME, X86, need, rows_of

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "code_changes.c")
KINDS = {"constant": "a constant", "bound": "a bound", "inlined": "an inlined callee", "call": "a call",
         "spill": "a spill", "vector": "a vectorised loop", "other": "other"}
LEAST = 36  # functions with a change

# What `detail` says of some of them, whichever compiler made them; calls through a stub of the PLT end in `@plt`.
DETAILS = {
    "bound_if": "500 -> 600",
    "bound_loop": "400 -> 480",  # bytes
    "bound_return": "999 -> 1999",
    "bound_while": "59 -> 58",
    "bound_equal": "another condition",
    "call_checked": "out_of_line: 1 -> 2",
    "call_less": "sink: 2 -> 1",
    "call_more": "sink: 0 -> 1",
    "call_other": "a function by its address: 0 -> 1",
    "constant_added": "17 -> 18",
    "constant_argument": "400 -> 500",
    "constant_mask": "65280 -> 32512",
    "constant_member": "8 -> 12",
    "constant_shift": "5 -> 7",
    "constant_text": '"the old text" -> "the new text"',
    "inlined_before": "hash_step is inlined in A",
    "inlined_square": "square_and_add is inlined in B",
}

# What compilers make of some of the changes is of more than one kind.
AMBIGUOUS = {
    "bound_loop": {"a constant"},  # the end of the array instead of a counter
    "other_case": {"a bound"},  # of the jump table
}


def build(t: Context, compiler: str, flags: tuple[str, ...], pick: str) -> str:
    path = t.path(f"changes-{pick}{''.join(flags)}.so")
    subprocess.run([compiler, *flags, "-shared", "-Wl,--no-gc-sections", f"-DPICK(old,new)={pick}", SOURCE, "-o", path], check=True)
    return path


def expect_kinds(t: Context, compiler: str, *flags: str) -> None:
    need(compiler)
    a, b = (build(t, compiler, flags, pick) for pick in ("old", "new"))
    found = rows_of(t, a, b)
    with open(SOURCE, encoding="utf-8") as file:
        planted = re.findall(rf"^.*\b((?:{'|'.join(KINDS)})_\w+)\(.*;$", file.read(), re.MULTILINE)
    check(len(planted) >= LEAST and set(planted) <= set(found), f"{len(planted)} functions: {planted}")
    wrong = []
    for name in planted:
        row, kind = found[name], KINDS[name.split("_")[0]]
        accepted = {kind} | AMBIGUOUS.get(name, set())
        if row["state"] != "changed" or row["change"] not in accepted:
            wrong.append(f"{name}: {row['state']}, {row['change']} ({row['detail']})")
    check(not wrong, f"{compiler} {flags}: {len(wrong)} of {len(planted)}: {wrong}")
    details = {name: found[name]["detail"].replace("@plt", "") for name in DETAILS}
    check(details == DETAILS, f"{compiler} {flags}: {details}")
    others = {name: row["state"] for name, row in found.items() if name.startswith("same")}
    check(others and set(others.values()) <= SAME, f"{compiler} {flags}: {others}")


def test_x86_64(t: Context) -> None:
    expect_kinds(t, X86, "-O3", "-fPIC")
    expect_kinds(t, X86, "-O3", "-fPIC", "-mavx2")


def test_arm64(t: Context) -> None:
    expect_kinds(t, ARM64, "-O3", "-fPIC")


def test_pe(t: Context) -> None:
    expect_kinds(t, MINGW, "-O3")


if __name__ == "__main__":
    harness.main(__name__)
