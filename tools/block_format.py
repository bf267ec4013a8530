#!/usr/bin/python3
"""Reads descriptions of PMU blocks (driver/blocks/*.block); docs/adding-a-pmu-block.md describes the format.

load() and load_all() raise BlockError, whose text is one sentence, `FILE:LINE: problem`.
"""
from __future__ import annotations  # Python 3.9, of Debian 11

import os
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Callable, NoReturn

NAME = re.compile(r"[a-z][a-z0-9_]*")
BLOCK = re.compile(r"[a-z][a-z0-9-]*")
SYSREG = re.compile(r"S([23])_([0-7])_C(1[0-5]|[0-9])_C(1[0-5]|[0-9])_([0-7])")
CHOICE = re.compile(r"\{([a-z0-9_,]*)\}")
TITLE_MAX_BYTES = 80
FILE_MAX_BYTES = 1 << 20
COUNTERS_MAX = 31
EVENTS_MAX = 4096

# What a register does; the names are those of enum block_role in driver/hw/block.h.
ROLES = ("control", "select", "event", "value", "cycles", "enable-set", "enable-clear", "overflow", "overflow-set",
         "interrupt-set", "interrupt-clear", "cycles-filter")
# Register roles of which each counter has its own, if the registers are in memory.
PER_COUNTER = ("event", "value")


class BlockError(Exception):
    """The message, with file and line."""


@dataclass
class Register:
    kind: str
    bits: int = 64
    encoding: int = 0
    offset: int = 0
    stride: int = 0
    text: str = ""


@dataclass
class Event:
    name: str
    number: int
    unit: str
    title: str
    line: int
    rate: int | None = None


@dataclass
class Metric:
    name: str
    events: list[str]
    title: str
    line: int


@dataclass
class Class:
    """A set of counters with one list of events."""
    name: str
    line: int
    title: str = ""
    counters: int = 0
    first: int = 0
    bits: int = 32
    counted_by: tuple[int, int] | None = None
    cycles: tuple[int, int, int] | None = None  # bit in the masks, width, event number
    event_bits: tuple[int, int] | None = None
    enable_bit: int | None = None
    run: int = 0
    wide_bit: int | None = None
    overflow_write: int = 1
    exclude: dict[str, int] = field(default_factory=dict)
    linux_events: str = ""
    linux_set: tuple[str, int] | None = None
    registers: dict[str, Register] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    metrics: dict[str, Metric] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)


@dataclass
class Block:
    name: str
    path: str
    title: str = ""
    unit: str = ""
    acpi: str = ""
    device_tree: str = ""
    linux: str = ""
    identifiers: list[str] = field(default_factory=list)
    cores: list[str] = field(default_factory=list)
    memory: int = 0
    described_only: str = ""
    classes: dict[str, Class] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)


class Parser:
    """Reads one description, line by line."""

    def __init__(self, path: str):
        self.path = path
        self.line = 0
        self.block: Block | None = None
        self.at: Class | None = None
        self.of_block: dict[str, Callable[[Block, list[str], str], None]] = {
            "title": self.title, "unit": self.unit, "find": self.find, "memory": self.memory,
            "described-only": self.described_only, "class": self.new_class}
        self.of_class: dict[str, Callable[[Class, list[str], str], None]] = {
            "title": self.class_title, "counters": self.counters, "counters-in": self.counters_in,
            "cycles": self.cycles, "event-bits": self.event_bits, "enable-bit": self.enable_bit, "run": self.run,
            "wide": self.wide,
            "overflow": self.overflow, "exclude": self.exclude, "linux-events": self.linux_events,
            "linux-set": self.linux_set, "register": self.register,
            "event": self.event, "metric": self.metric, "simulate": self.simulate}

    def fail(self, text: str, line: int | None = None) -> NoReturn:
        raise BlockError(f"{self.path}:{line or self.line}: {text}")

    # --- pieces ---

    def number(self, text: str, limit: int, what: str) -> int:
        if not re.fullmatch(r"0x[0-9a-fA-F]+|[0-9]+", text):
            self.fail(f"{what} '{text}' is not a number such as 16 or 0x10")
        value = int(text, 0 if text.startswith("0x") else 10)
        if value > limit:
            self.fail(f"{what} {text} is above {limit:#x}")
        return value

    def range(self, text: str, what: str) -> tuple[int, int]:
        match = re.fullmatch(r"([0-9]+)-([0-9]+)", text)
        if not match or not int(match[1]) <= int(match[2]) <= 63:
            self.fail(f"{what} '{text}' is not a range of bits such as 0-15")
        return int(match[1]), int(match[2])

    def words(self, words: list[str], least: int, most: int, form: str) -> None:
        if not least <= len(words) <= most:
            self.fail(f"the line should be '{form}'")

    def text(self, text: str, what: str) -> str:
        if not text:
            self.fail(f"{what} is missing")
        if len(text.encode()) > TITLE_MAX_BYTES:
            self.fail(f"{what} has {len(text.encode())} bytes; the limit is {TITLE_MAX_BYTES}")
        if not re.fullmatch(r"[ -~]*", text) or '"' in text or "\\" in text:
            self.fail(f"{what} must be plain ASCII without \" and \\")
        return text

    def once(self, seen: set[str], key: str) -> None:
        if key in seen:
            self.fail(f"'{key}' is given twice")
        seen.add(key)

    # --- lines of a block ---

    def title(self, block: Block, words: list[str], rest: str) -> None:
        block.title = self.text(rest, "the title")

    def unit(self, block: Block, words: list[str], rest: str) -> None:
        block.unit = self.text(rest, "the unit")

    def find(self, block: Block, words: list[str], rest: str) -> None:
        ways = ("acpi", "device-tree", "linux", "cores", "identifier")
        if len(words) < 2 or words[0] not in ways:
            self.fail("the line should be 'find acpi|device-tree|linux|identifier|cores VALUE'")
        self.once(block.seen, f"find {words[0]}")
        if words[0] == "cores":
            block.cores = [self.text(word, "the core") for word in words[1:]]
            return
        value = self.text(" ".join(words[1:]), "the value")
        if words[0] == "identifier":
            block.identifiers = words[1:]
        elif words[0] == "linux":
            if not re.fullmatch(r"[a-z0-9_]+_", value):
                self.fail(f"'{value}' is not the start of a PMU's name in /sys/bus/event_source/devices, such as toy_")
            block.linux = value
        elif words[0] == "acpi":
            if not re.fullmatch(r"[A-Z0-9]{7,8}", value):
                self.fail(f"'{value}' is not an ACPI id of 7 or 8 capital letters and digits")
            block.acpi = value
        else:
            block.device_tree = value

    def memory(self, block: Block, words: list[str], rest: str) -> None:
        self.words(words, 1, 1, "memory BYTES")
        block.memory = self.number(words[0], 1 << 30, "the size")
        if not block.memory or block.memory % 8:
            self.fail(f"the size {words[0]} is not a multiple of 8")

    def described_only(self, block: Block, words: list[str], rest: str) -> None:
        block.described_only = self.text(rest, "the reason")

    def new_class(self, block: Block, words: list[str], rest: str) -> None:
        self.words(words, 1, 1, "class NAME")
        if not NAME.fullmatch(words[0]):
            self.fail(f"the name '{words[0]}' must be lower-case letters, digits and _")
        if words[0] in block.classes:
            self.fail(f"the class '{words[0]}' is in line {block.classes[words[0]].line} already")
        self.at = block.classes[words[0]] = Class(words[0], self.line)

    # --- lines of a class ---

    def class_title(self, at: Class, words: list[str], rest: str) -> None:
        at.title = self.text(rest, "the title")

    def counters(self, at: Class, words: list[str], rest: str) -> None:
        form = "counters N bits WIDTH [first INDEX]"
        self.words(words, 3, 5, form)
        if words[1] != "bits" or (len(words) != 3 and (len(words) != 5 or words[3] != "first")):
            self.fail(f"the line should be '{form}'")
        at.counters = self.number(words[0], COUNTERS_MAX, "the number of counters")
        at.bits = self.number(words[2], 64, "the width")
        at.first = self.number(words[4], COUNTERS_MAX, "the first index") if len(words) == 5 else 0
        if not at.counters:
            self.fail("a class has at least one counter")
        if at.bits not in (32, 64):
            self.fail(f"the width {at.bits} is neither 32 nor 64")
        if at.first + at.counters > COUNTERS_MAX:
            self.fail(f"counters {at.first} to {at.first + at.counters - 1}: the last index is {COUNTERS_MAX - 1}")

    def counters_in(self, at: Class, words: list[str], rest: str) -> None:
        self.words(words, 1, 1, "counters-in LOW-HIGH")
        at.counted_by = self.range(words[0], "the field")

    def cycles(self, at: Class, words: list[str], rest: str) -> None:
        form = "cycles bit BIT bits WIDTH event NUMBER"
        if len(words) != 6 or words[0::2] != ["bit", "bits", "event"]:
            self.fail(f"the line should be '{form}'")
        width = self.number(words[3], 64, "the width")
        if width not in (32, 64):
            self.fail(f"the width {width} is neither 32 nor 64")
        at.cycles = (self.number(words[1], 63, "the bit"), width, self.number(words[5], 0xFFFF, "the event"))

    def event_bits(self, at: Class, words: list[str], rest: str) -> None:
        self.words(words, 1, 1, "event-bits LOW-HIGH")
        at.event_bits = self.range(words[0], "the field")

    def enable_bit(self, at: Class, words: list[str], rest: str) -> None:
        self.words(words, 1, 1, "enable-bit BIT")
        at.enable_bit = self.number(words[0], 63, "the bit")

    def run(self, at: Class, words: list[str], rest: str) -> None:
        self.words(words, 1, 1, "run BITS")
        at.run = self.number(words[0], 0xFFFFFFFF, "the value")

    def wide(self, at: Class, words: list[str], rest: str) -> None:
        if len(words) != 2 or words[0] != "bit":
            self.fail("the line should be 'wide bit BIT'")
        at.wide_bit = self.number(words[1], 63, "the bit")

    def overflow(self, at: Class, words: list[str], rest: str) -> None:
        if words not in (["write-1"], ["write-0"]):
            self.fail("the line should be 'overflow write-1' or 'overflow write-0': what clears a bit")
        at.overflow_write = int(words[0] == "write-1")

    def exclude(self, at: Class, words: list[str], rest: str) -> None:
        if len(words) != 3 or words[0] not in ("kernel", "user") or words[1] != "bit":
            self.fail("the line should be 'exclude kernel|user bit BIT'")
        if words[0] in at.exclude:
            self.fail(f"'exclude {words[0]}' is given twice")
        at.exclude[words[0]] = self.number(words[2], 63, "the bit")

    def linux_events(self, at: Class, words: list[str], rest: str) -> None:
        self.words(words, 1, 1, "linux-events PREFIX")
        if not NAME.fullmatch(words[0]):
            self.fail(f"'{words[0]}' must be lower-case letters, digits and _")
        at.linux_events = words[0]

    def linux_set(self, at: Class, words: list[str], rest: str) -> None:
        match = re.fullmatch(r"([a-z0-9_]+)=([0-9]+)", rest)
        if not match or int(match[2]) > 255:
            self.fail("the line should be 'linux-set FIELD=NUMBER', with a number up to 255")
        at.linux_set = (match[1], int(match[2]))

    def register(self, at: Class, words: list[str], rest: str) -> None:
        form = "register ROLE sysreg S3_0_C15_C5_0, or register ROLE mmio OFFSET [stride BYTES] [bits 32|64]"
        if len(words) < 3 or words[1] not in ("sysreg", "mmio"):
            self.fail(f"the line should be '{form}'")
        role = words[0]
        if role not in ROLES:
            self.fail(f"'{role}' is not a role of a register{nearest(role, ROLES)}; the roles are {', '.join(ROLES)}")
        if role in at.registers:
            self.fail(f"the register '{role}' is given twice")
        at.registers[role] = self.sysreg(words) if words[1] == "sysreg" else self.mmio(words, form)

    def sysreg(self, words: list[str]) -> Register:
        match = SYSREG.fullmatch(words[2])
        if not match or len(words) != 3:
            self.fail(f"'{' '.join(words[2:])}' is not a system register such as S3_0_C15_C5_0")
        op0, op1, crn, crm, op2 = map(int, match.groups())
        return Register("sysreg", 64, op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2, text=words[2])

    def mmio(self, words: list[str], form: str) -> Register:
        assert self.block
        register = Register("mmio", 32, offset=self.number(words[2], 0xFFFFFFFF, "the offset"))
        options = words[3:]
        if len(options) % 2 or any(key not in ("stride", "bits") for key in options[::2]):
            self.fail(f"the line should be '{form}'")
        for key, value in zip(options[::2], options[1::2]):
            setattr(register, key, self.number(value, 0xFFFF, f"the {key}"))
        if register.bits not in (32, 64):
            self.fail(f"the width {register.bits} is neither 32 nor 64")
        size = register.bits // 8
        if register.offset % size or register.stride % size:
            self.fail(f"offset and stride of a register of {register.bits} bits are multiples of {size}")
        return register

    def event(self, at: Class, words: list[str], rest: str) -> None:
        if len(words) < 4:
            self.fail("the line should be 'event NUMBER NAME UNIT TITLE'")
        match = re.fullmatch(r"(0x[0-9a-fA-F]+|[0-9]+)(?:\+(0x[0-9a-fA-F]+|[0-9]+))?", words[0])
        if not match:
            self.fail(f"the number '{words[0]}' is not a number such as 0x2b, or 0x100+4 for a name with choices")
        number = self.number(match[1], (1 << 48) - 1, "the number")
        step = self.number(match[2], (1 << 48) - 1, "the step") if match[2] else 0
        choices = CHOICE.search(words[1])
        title = " ".join(words[3:])
        if bool(choices) != bool(step):
            self.fail("a name with {a,b} needs a step (0x100+4), and a step needs such a name")
        if not choices:
            self.add_event(at, words[1], number, words[2], title)
            return
        for i, choice in enumerate(choices[1].split(",")):
            name = CHOICE.sub(choice, words[1], count=1)
            self.add_event(at, name, number + i * step, words[2], title.replace("{}", choice))

    def add_event(self, at: Class, name: str, number: int, unit: str, title: str) -> None:
        if not NAME.fullmatch(name):
            self.fail(f"the event's name '{name}' must be lower-case letters, digits and _")
        if name in at.events:
            self.fail(f"the event '{name}' is in line {at.events[name].line} already")
        for other in at.events.values():
            if other.number == number:
                self.fail(f"the number {number:#x} is that of '{other.name}' in line {other.line} already")
        if len(at.events) == EVENTS_MAX:
            self.fail(f"more than {EVENTS_MAX} events in one class")
        unit = self.text(unit.replace("_", " "), "the unit")
        at.events[name] = Event(name, number, unit, self.text(title, f"the title of '{name}'"), self.line)

    def metric(self, at: Class, words: list[str], rest: str) -> None:
        if len(words) < 3:
            self.fail("the line should be 'metric NAME EVENT,EVENT TITLE'")
        if not NAME.fullmatch(words[0]):
            self.fail(f"the metric's name '{words[0]}' must be lower-case letters, digits and _")
        if words[0] in at.metrics:
            self.fail(f"the metric '{words[0]}' is in line {at.metrics[words[0]].line} already")
        events = words[1].split(",")
        for event in events:
            if event not in at.events:
                self.fail(f"metric '{words[0]}': there is no event '{event}' above{nearest(event, at.events)}")
        at.metrics[words[0]] = Metric(words[0], events, self.text(" ".join(words[2:]), "the title"), self.line)

    def simulate(self, at: Class, words: list[str], rest: str) -> None:
        self.words(words, 2, 2, "simulate EVENT COUNT")
        if words[0] not in at.events:
            self.fail(f"there is no event '{words[0]}' above{nearest(words[0], at.events)}")
        if at.events[words[0]].rate is not None:
            self.fail(f"'simulate {words[0]}' is given twice")
        at.events[words[0]].rate = self.number(words[1], 1 << 30, "the count")

    # --- the whole file ---

    def parse(self, text: str) -> Block:
        for self.line, raw in enumerate(text.splitlines(), 1):
            line = raw.split("#", 1)[0].strip()
            if line:
                self.one_line(line.split(), line)
        if not self.block:
            self.fail("the file describes no block: its first line should be 'block NAME'", 1)
        self.check(self.block)
        return self.block

    def one_line(self, words: list[str], line: str) -> None:
        key, rest = words[0], line[len(words[0]):].strip()
        if not self.block:
            if key != "block" or len(words) != 2:
                self.fail("the first line should be 'block NAME'")
            if not BLOCK.fullmatch(words[1]):
                self.fail(f"the name '{words[1]}' must be lower-case letters, digits and -")
            if words[1] + ".block" != os.path.basename(self.path):
                self.fail(f"the block '{words[1]}' must be in a file '{words[1]}.block'")
            self.block = Block(words[1], self.path)
            return
        several = ("find", "class", "register", "event", "metric", "simulate", "exclude")
        target: Block | Class = self.at if self.at and key != "class" else self.block
        known = self.of_class if isinstance(target, Class) else self.of_block
        if key not in known:
            where = f"class '{self.at.name}'" if self.at else f"block '{self.block.name}'"
            hint = nearest(key, known)
            if not hint and self.at and key in self.of_block:
                hint = "; lines of the whole block stand before its first class"
            elif not hint and key in self.of_class:
                hint = "; it belongs to a class: write 'class NAME' first"
            self.fail(f"'{key}' is not a line of a {where}{hint}")
        if key not in several:
            self.once(target.seen, key)
        if isinstance(target, Class):
            self.of_class[key](target, words[1:], rest)
        else:
            self.of_block[key](target, words[1:], rest)

    def check(self, block: Block) -> None:
        end = self.line
        for what in ("title", "unit"):
            if not getattr(block, what):
                self.fail(f"the block has no line '{what}'", end)
        if not (block.acpi or block.device_tree or block.linux or block.described_only):
            self.fail("nothing says how to find the block: add a line 'find acpi ID' or another 'find'", end)
        if not block.classes:
            self.fail("the block has no counters: add a line 'class NAME'", end)
        for number, at in enumerate(block.classes.values()):
            self.check_class(block, at)
            # Events with the same number in two classes of a PMU differ in something.
            if len(block.classes) > 1 and not at.linux_set:
                at.linux_set = ("class", number)

    def check_class(self, block: Block, at: Class) -> None:
        if not at.title:
            self.fail(f"class '{at.name}' has no line 'title'", at.line)
        if not at.events:
            self.fail(f"class '{at.name}' has no event", at.line)
        if block.described_only:
            if at.registers:
                self.fail(f"class '{at.name}' has registers, but the block is described only", at.line)
            return
        if not at.counters:
            self.fail(f"class '{at.name}' has no line 'counters'", at.line)
        self.check_registers(block, at)
        low, high = at.event_bits or (0, 0)
        if not at.event_bits:
            self.fail(f"class '{at.name}' has no line 'event-bits'", at.line)
        for event in at.events.values():
            if event.number >> (high - low + 1):
                self.fail(f"the number {event.number:#x} of '{event.name}' does not fit into event-bits {low}-{high}",
                          event.line)

    def check_registers(self, block: Block, at: Class) -> None:
        def need(role: str, why: str) -> None:
            if role not in at.registers:
                self.fail(f"class '{at.name}' has no register '{role}', {why}", at.line)

        need("event", "which selects what a counter counts")
        need("value", "which has the count")
        if at.enable_bit is None:
            need("enable-set", "and no line 'enable-bit'")
            need("enable-clear", "and no line 'enable-bit'")
        elif at.event_bits and at.event_bits[0] <= at.enable_bit <= at.event_bits[1]:
            self.fail(f"enable-bit {at.enable_bit} of class '{at.name}' is one of its event-bits", at.line)
        if at.cycles:
            need("cycles", "which its cycle counter needs")
            if at.cycles[0] < at.counters:
                self.fail(f"bit {at.cycles[0]} of the cycle counter is that of another counter", at.line)
        if at.run or at.counted_by or at.wide_bit is not None:
            need("control", "which 'run', 'wide' and 'counters-in' need")
        for role, register in at.registers.items():
            if register.kind == "sysreg" and role in PER_COUNTER:
                need("select", f"so the register '{role}' belongs to no counter")
            if register.kind != "mmio":
                continue
            if not block.memory:
                self.fail(f"the register '{role}' is in memory, but the block has no line 'memory BYTES'", at.line)
            if role in PER_COUNTER and not register.stride and at.counters > 1 and "select" not in at.registers:
                self.fail(f"the register '{role}' needs 'stride BYTES': there are {at.counters} counters", at.line)
            last = at.first + at.counters - 1 if register.stride else 0
            if register.offset + last * register.stride + register.bits // 8 > block.memory:
                self.fail(f"the register '{role}' of class '{at.name}' ends behind the {block.memory:#x} bytes of the "
                          "block", at.line)


def nearest(word: str, known: object) -> str:
    close = get_close_matches(word, list(known), 1)  # type: ignore[call-overload]
    return f"; did you mean '{close[0]}'?" if close else ""


def load(path: str) -> Block:
    """The block of a file; BlockError if the description is wrong."""
    try:
        if os.path.getsize(path) > FILE_MAX_BYTES:
            raise BlockError(f"{path}:1: the file has more than {FILE_MAX_BYTES} bytes")
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise BlockError(f"{path}:1: the file is not text in UTF-8") from None
    except OSError as error:
        raise BlockError(f"{path}: {error.strerror}") from None
    return Parser(path).parse(text)


def load_all(paths: list[str]) -> list[Block]:
    """The blocks of all files, sorted by name. What blocks share must be the same in each."""
    blocks: dict[str, Block] = {}
    metrics: dict[str, tuple[str, list[str], str]] = {}
    owners: dict[str, Block] = {}
    for path in sorted(paths, key=os.path.basename):
        block = load(path)
        if block.name in blocks:
            raise BlockError(f"{path}:1: the block '{block.name}' is also in {blocks[block.name].path}")
        blocks[block.name] = block
        for at in block.classes.values():
            owner = owners.setdefault(at.name, block)
            if owner.linux != block.linux:
                raise BlockError(f"{path}:{at.line}: the class '{at.name}' is also in {owner.path}, whose PMUs on Linux "
                                 f"are '{owner.linux}' and not '{block.linux}'")
            for metric in at.metrics.values():
                here = (at.name, metric.events, metric.title)
                if metrics.setdefault(metric.name, here) != here:
                    raise BlockError(f"{path}:{metric.line}: another block has another metric '{metric.name}'")
    return list(blocks.values())
