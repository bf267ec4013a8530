#!/usr/bin/python3
"""Compares wperf's instructions with GNU objdump's, which shares no code with LLVM: boundaries, names, targets,
branches.

    disasm_agrees.py DISASSEMBLE              the tests: libraries of this machine and code that is compiled for it
    disasm_agrees.py DISASSEMBLE FILE...      by hand: counts differences, by kind and with an example

Each .text is compared as plain bytes, because objdump would start again at each symbol.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src")
INCLUDES = [f"-I{SOURCES}/{room}" for room in ("base", "system/os", "session/perfdata")]
COMPILED = ("base/text.c", "base/json.c", "base/map.c", "session/perfdata/record.c")
MIN_INSNS = 100

X86_LIBRARY = "/usr/lib/x86_64-linux-gnu/libc.so.6"
ARM64_LIBRARY = "/usr/aarch64-linux-gnu/lib/libc.so.6"
# All instructions that gcc 12 generates by itself: SVE2, LSE, pointer authentication, branch targets, bf16.
ARM64_FLAGS = ("-O3", "-march=armv8.6-a+sve2", "-mbranch-protection=standard", "-mno-outline-atomics")
X86_FLAGS = ("-O3", "-march=skylake-avx512", "-mprefer-vector-width=512", "-fcf-protection")

LINE = re.compile(r"\s*([0-9a-f]+):\t([^\t].*)$")
ADDRESS = re.compile(r"(?:^|[ ,*])0x([0-9a-f]+)(?: |$)")
GNU_PREFIX = re.compile(r"(?:data16|addr32|cs|ds|es|ss|fs|gs|rex(?:\.[WRXB]+)?|notrack|bnd|repz|repnz|rep|lock|xacquire"
                        r"|xrelease) +(?=\S)")
OUR_PREFIX = re.compile(r"(?:data16|notrack|rep|repne|lock|xacquire|xrelease) +(?=\S)")
# Two names of one instruction: GNU's, LLVM's.
SAME_NAMES = {
    ("fwait", "wait"), ("fucomip", "fucompi"), ("fcomip", "fcompi"), ("xchgw", "nop"), ("xchg", "nop"),
    ("b.cs", "b.hs"), ("b.cc", "b.lo"), ("uxtl", "ushll"), ("sxtl", "sshll"), ("uxtl2", "ushll2"), ("sxtl2", "sshll2"),
}


class Skip(Exception):
    """Something that the test needs is missing."""


@dataclass
class Insn:
    name: str
    flow: str
    target: str
    text: str


@dataclass
class Differences:
    """By kind: how many, and the first."""

    n_insns: int = 0
    n_targets: int = 0
    counts: collections.Counter = field(default_factory=collections.Counter)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, addr: int, gnu: Insn | None, ours: Insn | None) -> None:
        self.counts[kind] += 1
        self.first.setdefault(kind, f"{addr:x}: objdump '{gnu.text if gnu else ''}', ours '{ours.text if ours else ''}'"
                                    + (f" ({ours.flow}, {ours.target})" if ours else ""))


def run(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(argv)}: {done.stderr.strip()}")
    return done.stdout


def need(tool: str) -> str:
    path = shutil.which(tool, path="/usr/bin:/bin")
    if not path:
        raise Skip(tool)
    return path


# --- objdump's side ---


def flow_of(name: str, is_arm64: bool) -> str:
    kinds = ((r"bl|blr|blra.*", "call"), (r"b|br|bra.*|b\.al|b\.nv", "jump"), (r"bc?\..*|cbn?z|tbn?z", "branch"),
             (r"ret|reta.|eret.*|drps", "return"), (r"udf|brk|hlt", "trap")) if is_arm64 else \
            ((r"l?call[wlq]?", "call"), (r"l?jmp[wlq]?", "jump"), (r"j.*|loop.*|xbegin[wlq]?", "branch"),
             (r"l?ret[wlq]?|iret[wlq]?|sysret[lq]?|sysexit[lq]?|rsm", "return"), (r"ud[012].*|hlt|int3", "trap"))
    return next((flow for pattern, flow in kinds if re.fullmatch(pattern, name)), "next")


def target_of(text: str, name: str, flow: str, is_arm64: bool) -> str:
    """As `disassemble` prints it."""
    if is_arm64:
        match = re.search(r"[\t ]0x([0-9a-f]+)$", text)
        wanted = flow in ("call", "jump", "branch") or name in ("adr", "adrp", "ldr", "ldrsw", "prfm")
        return "-" if not match or not wanted else match[1] if flow != "next" else "@" + match[1]
    match = re.search(r"# 0x([0-9a-f]+)$", text)
    if match:
        return "@" + match[1]
    match = re.fullmatch(r"\S+ +0x([0-9a-f]+)", text)
    return match[1] if match and flow in ("call", "jump", "branch") else "-"


def gnu_insns(bare: str, start: int, is_arm64: bool, syntax: str) -> dict[int, Insn]:
    tool = need("aarch64-linux-gnu-objdump" if is_arm64 else "objdump")
    options = ["-m", "aarch64"] if is_arm64 else ["-m", "i386:x86-64", "-M", syntax]
    found = {}
    for line in run(tool, "-D", "-b", "binary", "-z", "-w", "--no-show-raw-insn", f"--adjust-vma={start:#x}", *options,
                    bare).splitlines():
        if match := LINE.match(line):
            text = match[2].split("//")[0].strip()
            short = text
            while prefix := GNU_PREFIX.match(short):
                short = short[prefix.end():]
            name = re.sub(r",p[nt]$|\.s$", "", short.split()[0])
            flow = flow_of(name, is_arm64)
            found[int(match[1], 16)] = Insn(name, flow, target_of(short, name, flow, is_arm64), text)
    return found


# --- our side ---


def our_insns(disassemble: str, path: str, options: list[str]) -> dict[int, Insn]:
    found = {}
    end = None
    for line in run(disassemble, *options, path).splitlines():
        addr_text, size, flow, target, text = line.split("\t")
        addr = int(addr_text, 16)
        if end is not None and addr != end:
            raise AssertionError(f"{addr:x}: the instruction before ends at {end:x}")
        end = addr + int(size)
        short = text
        while prefix := OUR_PREFIX.match(short):
            short = short[prefix.end():]
        found[addr] = Insn(short.split()[0], flow, target, text)
    return found


def same_name(gnu: str, ours: str) -> bool:
    if gnu == ours or (gnu, ours) in SAME_NAMES:
        return True
    longer, shorter = max(gnu, ours, key=len), min(gnu, ours, key=len)
    return longer[:-1] == shorter and longer[-1] in "bwldqst"


def text_range(path: str) -> tuple[int, bool]:
    """The start of .text, and whether the code is arm64.  wperf's address in a relocatable file is an offset."""
    out = run("readelf", "-hSW", path)
    found = re.search(r"\] \.text\s+PROGBITS\s+(\w+)\s+(\w+)", out)
    if not found:
        raise AssertionError(f"{path}: no .text")
    return int(found[2] if "REL (" in out else found[1], 16), "AArch64" in out


def compare(disassemble: str, path: str, syntax: str, folder: str) -> Differences:
    start, is_arm64 = text_range(path)
    bare = os.path.join(folder, "text.bin")
    run(need("aarch64-linux-gnu-objcopy" if is_arm64 else "objcopy"), "-O", "binary", "-j", ".text", path, bare)
    gnu = gnu_insns(bare, start, is_arm64, "intel" if syntax == "intel" else "suffix")
    ours = our_insns(disassemble, path, ["-i"] if syntax == "intel" else [])
    found = Differences(n_insns=len(ours))
    for addr in sorted(gnu.keys() | ours.keys()):
        g, o = gnu.get(addr), ours.get(addr)
        if not g or not o:
            found.add("boundary", addr, g, o)
        elif o.flow == "data":
            found.add("not decoded by us", addr, g, o)
        elif not same_name(g.name, o.name):
            found.add(f"name: {g.name}, ours {o.name}", addr, g, o)
        elif g.flow != o.flow:
            found.add("flow", addr, g, o)
        elif g.target != o.target:
            found.add("target", addr, g, o)
        else:
            found.n_targets += g.target != "-"
    return found


# --- tests ---


def compiled(compiler: str, flags: tuple[str, ...], folder: str) -> str:
    """An object file of some of this project's sources."""
    tool, objects = need(compiler), []
    for source in COMPILED:
        objects.append(os.path.join(folder, os.path.basename(source) + ".o"))
        run(tool, "-std=gnu11", "-D_GNU_SOURCE", *flags, *INCLUDES, "-c", os.path.join(SOURCES, source), "-o", objects[-1])
    whole = os.path.join(folder, "compiled.o")
    run(tool, "-r", "-nostdlib", *objects, "-o", whole)
    return whole


def library(path: str, folder: str) -> str:
    if not os.path.exists(path):
        raise Skip(path)
    return path


TESTS = (
    ("libc of x86-64", "att", lambda folder: library(X86_LIBRARY, folder)),
    ("code with AVX-512", "att", lambda folder: compiled("gcc", X86_FLAGS, folder)),
    ("the same in Intel's syntax", "intel", lambda folder: compiled("gcc", X86_FLAGS, folder)),
    ("libc of arm64", "att", lambda folder: library(ARM64_LIBRARY, folder)),
    ("code with SVE2 and pointer authentication", "att",
     lambda folder: compiled("aarch64-linux-gnu-gcc", ARM64_FLAGS, folder)),
)


def check_one(disassemble: str, syntax: str, make, folder: str) -> None:
    found = compare(disassemble, make(folder), syntax, folder)
    print(f"# {found.n_insns} instructions, {found.n_targets} targets")
    if found.n_insns < MIN_INSNS or not found.n_targets:
        raise AssertionError("too few to be a comparison")
    if found.counts:
        raise AssertionError("\n".join(f"{n} x {kind}; {found.first[kind]}" for kind, n in found.counts.most_common(20)))


def run_tests(disassemble: str) -> bool:
    good = True
    print(f"1..{len(TESTS)}")
    for number, (name, syntax, make) in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check_one(disassemble, syntax, make, folder)
                print(f"ok {number} - {name}", flush=True)
            except Skip as skip:
                print(f"ok {number} - {name} # SKIP {skip}", flush=True)
            except AssertionError as problem:
                good = False
                print("\n".join(f"# {line}" for line in str(problem).splitlines()))
                print(f"not ok {number} - {name}", flush=True)
    return good


def by_hand(disassemble: str, paths: list[str]) -> None:
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            found = compare(disassemble, path, "att", folder)
        print(f"{path}: {found.n_insns} instructions, {found.n_targets} targets agree; {found.counts.total()} differ")
        for kind, n in found.counts.most_common(40):
            print(f"  {n} x {kind}; {found.first[kind]}")


if len(sys.argv) > 2:
    by_hand(sys.argv[1], sys.argv[2:])
else:
    sys.exit(0 if run_tests(sys.argv[1]) else 1)
