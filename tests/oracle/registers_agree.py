#!/usr/bin/python3
"""Compares the registers that wperf takes out of instructions with LLVM's texts: two instructions are the same without their registers
exactly if their texts are.

    registers_agree.py DISASSEMBLE              the tests: libraries of this machine and code that is compiled for it
    registers_agree.py DISASSEMBLE FILE...      by hand
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src")
X86_LIBRARY = "/usr/lib/x86_64-linux-gnu/libc.so.6"
ARM64_LIBRARY = "/usr/aarch64-linux-gnu/lib/libc.so.6"
MIN_INSNS = 300
X86_REGISTER = re.compile(r"%(?:r(?:[abcd]x|[sd]i|bp)|e(?:[abcd]x|[sd]i|bp)|[abcd]x|[sd]i|bp|[abcd]l|[sd]il|bpl|r\d+[dwb]?|[xyz]?mm\d+|k\d)\b")
X86_SLOT = re.compile(r"(?:-?0x[0-9a-f]+)?\(%rsp")
X86_ADDRESS = re.compile(r"-?0x[0-9a-f]+(?=\(%[re]ip\))")  # the form has the address itself
ARM64_REGISTER = re.compile(r"\b([wxbhsdqv])(\d+)(?=\.|\b)")
ARM64_ALIAS = re.compile(r"c(?:inc|neg|inv)m? |mov +v")  # other names if two registers are the same
ARM64_PAGE = re.compile(r"^adr[ \t](?=\s*x\d+, 0x[0-9a-f]*000$)")  # a linker puts it in place of adrp
ARM64_SLOT = re.compile(r"\[sp(?:, #-?0x[0-9a-f]+|, #-?\d+)?\](?!,)|(?<=, sp, )#0x[0-9a-f]+$")


class Skip(Exception):
    """Something that the test needs is missing."""


def kind_of(register: str) -> str:
    """Width and kind of an x86 register."""
    name = register[1:]
    if name[0] == "k":
        return "k"
    if "mm" in name:
        return name[:-len(re.search(r"\d+$", name)[0])]
    if match := re.fullmatch(r"r\d+([dwb]?)", name):
        return {"": "r64", "d": "r32", "w": "r16", "b": "r8"}[match[1]]
    return "r64" if name[0] == "r" else "r32" if name[0] == "e" and len(name) == 3 else "r8" if name.endswith("l") else "r16"


def without_registers(text: str, is_arm64: bool) -> str:
    text = re.sub(r"\s+", " ", text)
    if is_arm64:
        text = ARM64_SLOT.sub("SLOT", re.sub(r"^mov (x\d+), sp$", r"add \1, sp, #0x0", text))
        return ARM64_REGISTER.sub(lambda m: m[1], text)
    text = X86_SLOT.sub("SLOT(%rsp", text)
    # a displacement of 0 is there for some registers only
    text = re.sub(r"\b0x0\(|(?<![0-9a-fx])\(", "(", text)
    return X86_REGISTER.sub(lambda m: kind_of(m[0]), text)


def compare(disassemble: str, path: str) -> tuple[int, int, list[str]]:
    """Number of instructions, of forms, and the differences."""
    is_arm64 = "AArch64" in subprocess.run(["readelf", "-h", path], capture_output=True, text=True, check=True).stdout
    lines = subprocess.run([disassemble, "-r", path], capture_output=True, text=True, check=True).stdout.splitlines()
    masked: dict[str, str] = {}
    whole: dict[tuple[str, str], str] = {}
    problems = []
    texts, shapes = set(), set()
    for line in lines:
        form, names, text = line.split("\t")
        text = X86_ADDRESS.sub("ADDRESS", text)
        if is_arm64 and ARM64_ALIAS.match(text):
            continue
        text = ARM64_PAGE.sub("adrp", text)
        short = without_registers(text, is_arm64)
        texts.add(short)
        shapes.add((form.split("+")[0], short))
        if masked.setdefault(form, short) != short:
            problems.append(f"one form for '{masked[form]}' and '{short}' ({text})")
        if whole.setdefault((form, names), text) != text:
            problems.append(f"one form and the same names for '{whole[form, names]}' and '{text}'")
    if len(shapes) > 1.1 * len(texts):
        problems.append(f"{len(shapes)} forms, but {len(texts)} texts")
    return len(lines), len(masked), problems


def compiled(compiler: str, flags: tuple[str, ...], folder: str) -> str:
    path = os.path.join(folder, "compiled.o")
    done = subprocess.run([compiler, *flags, "-std=gnu11", "-D_GNU_SOURCE", f"-I{SOURCES}/base", "-c", f"{SOURCES}/base/json.c", "-o", path],
                          check=False) if os.path.exists(f"/usr/bin/{compiler}") else None
    if not done or done.returncode:
        raise Skip(compiler)
    return path


def library(path: str) -> str:
    if not os.path.exists(path):
        raise Skip(path)
    return path


TESTS = (
    ("libc of x86-64", lambda folder: library(X86_LIBRARY)),
    ("code with AVX2 and BMI", lambda folder: compiled("gcc", ("-O3", "-march=haswell"), folder)),
    ("libc of arm64", lambda folder: library(ARM64_LIBRARY)),
    ("code with LSE", lambda folder: compiled("aarch64-linux-gnu-gcc", ("-O3", "-march=armv8.2-a"), folder)),
)


def main() -> int:
    good = True
    if len(sys.argv) > 2:
        for path in sys.argv[2:]:
            n, n_forms, problems = compare(sys.argv[1], path)
            print(f"{path}: {n} instructions, {n_forms} forms, {len(problems)} differences", *problems[:40], sep="\n  ")
        return 0
    print(f"1..{len(TESTS)}")
    for number, (name, make) in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                n, n_forms, problems = compare(sys.argv[1], make(folder))
            except Skip as skip:
                print(f"ok {number} - {name} # SKIP {skip}", flush=True)
                continue
        print(f"# {n} instructions, {n_forms} forms")
        for problem in problems[:20]:
            print(f"# {problem}")
        is_ok = not problems and n >= MIN_INSNS
        good &= is_ok
        print(f"{'ok' if is_ok else 'not ok'} {number} - {name}", flush=True)
    return 0 if good else 1


sys.exit(main())
