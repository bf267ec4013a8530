#!/usr/bin/python3
"""Converts the descriptions of PMU blocks (driver/blocks/*.block) to C tables.

gen_blocks.py KIND OUTPUT FILE...: the build calls it once for each KIND with all files.

  events     names, titles and units for list, man, detect and stat (src/events/event/pmu_block.h)
  registers  how the driver programs the counters (driver/hw/block.h)
  sysregs    access to the system registers that the blocks name, for arm64 (driver/hw/block_sysreg.h)
  rates      what the simulated device of the tests counts (tests/driver/block_rates.h)

If a description is wrong, it prints one sentence on standard error, `FILE:LINE: problem`, and the build fails.
tools/block_format.py reads the format.
"""
from __future__ import annotations  # Python 3.9, of Debian 11

import re
import sys

from block_format import Block, BlockError, Class, Register, load_all


def quote(text: str) -> str:
    return f'"{text}"' if text else "NULL"


def symbol(*names: str) -> str:
    return "_".join(re.sub(r"\W", "_", name) for name in names)


def array(kind: str, name: str, rows: list[str], private: bool = True) -> str:
    return f"{'static ' if private else ''}const {kind} {name}[] = {{\n" + "\n".join(rows) + "\n};"


def events_text(blocks: list[Block]) -> str:
    """Cores are left out: data/ describes their events for each model."""
    blocks = [block for block in blocks if block.unit != "core"]
    parts = ['#include "pmu_block_internal.h"']
    for block in blocks:
        for at in block.classes.values():
            parts.append(array("struct pmu_block_event", symbol("events", block.name, at.name), [
                f"        {{{quote(event.name)}, {quote(event.title)}, {quote(event.unit)}, {event.number:#x}}},"
                for event in sorted(at.events.values(), key=lambda event: event.name)]))
        parts.append(array("struct pmu_block_class", symbol("classes", block.name), [
            class_text(block, at) for at in block.classes.values()]))
    rows = []
    for block in blocks:
        fields = {"name": quote(block.name), "title": quote(block.title), "unit": quote(block.unit),
                  "acpi": quote(block.acpi), "device_tree": quote(block.device_tree), "pmu": quote(block.linux or f"{block.name}_"),
                  "identifiers": quote(",".join(block.identifiers)), "cores": quote(",".join(block.cores)),
                  "classes": symbol("classes", block.name), "n_classes": str(len(block.classes))}
        rows.append("        {" + ", ".join(f".{key} = {value}" for key, value in fields.items()) + "},")
    parts += [array("struct pmu_block", "pmu_blocks", rows, False), f"const size_t pmu_blocks_n = {len(blocks)};"]
    return "\n\n".join(parts)


def class_text(block: Block, at: Class) -> str:
    fields = {"name": quote(at.name), "title": quote(at.title), "linux_events": f'"{at.linux_events}"',
              "linux_field": quote(at.linux_set[0] if at.linux_set else ""),
              "linux_value": str(at.linux_set[1] if at.linux_set else 0), "n_counters": str(at.counters),
              "n_fixed": str(int(bool(at.cycles))), "cycles_code": f"{at.cycles[2]:#x}" if at.cycles else "-1",
              "events": symbol("events", block.name, at.name), "n_events": str(len(at.events))}
    return "        {" + ", ".join(f".{key} = {value}" for key, value in fields.items()) + "},"


def register_text(register: Register) -> str:
    if register.kind == "sysreg":
        return f"{{BLOCK_SYSREG, 64, {register.encoding:#06x}, 0, 0}}"
    return f"{{BLOCK_MMIO, {register.bits}, 0, {register.offset:#x}, {register.stride:#x}}}"


def counted(blocks: list[Block]) -> list[Block]:
    return [block for block in blocks if not block.described_only]


def registers_text(blocks: list[Block]) -> str:
    parts = ['#include "block.h"']
    for block in counted(blocks):
        rows = []
        for at in block.classes.values():
            low, high = at.event_bits or (0, 0)
            field_low, field_high = at.counted_by or (0, 0)
            bit, width, code = at.cycles or (0, 0, 0)
            excludes = [f"UINT64_C(1) << {at.exclude[who]}" if who in at.exclude else "0" for who in ("kernel", "user")]
            fields = {"name": quote(at.name), "n_counters": at.counters, "first": at.first, "counter_bits": at.bits,
                      "count_low": field_low, "count_bits": field_high - field_low + 1 if at.counted_by else 0,
                      "cycles_bit": bit, "cycles_bits": width, "cycles_event": f"{code:#x}", "event_low": low,
                      "event_bits": high - low + 1,
                      "enable_in_event": f"UINT64_C(1) << {at.enable_bit}" if at.enable_bit is not None else "0",
                      "run": f"{at.run:#x}", "wide": f"UINT64_C(1) << {at.wide_bit}" if at.wide_bit is not None else "0",
                      "overflow_write_1": str(bool(at.overflow_write)).lower(),
                      "exclude_kernel": excludes[0], "exclude_user": excludes[1]}
            lines = [f"                .{key} = {value}," for key, value in fields.items()]
            for role, register in at.registers.items():
                key = f"BLOCK_{role.upper().replace('-', '_')}"
                lines.append(f"                .registers[{key}] = {register_text(register)},")
            rows.append("        {\n" + "\n".join(lines) + "\n        },")
        parts.append(array("struct block_class", symbol("classes", block.name), rows))
    rows = [f"        {{{quote(block.name)}, {quote(block.acpi)}, {block.memory:#x}, {symbol('classes', block.name)}, "
            f"{len(block.classes)}}}," for block in counted(blocks)]
    parts += [array("struct block", "block_all", rows, False),
              f"const uint32_t block_all_n = {len(counted(blocks))};"]
    return "\n\n".join(parts)


def sysregs_text(blocks: list[Block]) -> str:
    used = {register.encoding: register.text for block in counted(blocks) for at in block.classes.values()
            for register in at.registers.values() if register.kind == "sysreg"}
    reads = [f'        case {code:#06x}: __asm__ volatile("mrs %0, {text}" : "=r"(value)); break;'
             for code, text in sorted(used.items())]
    writes = [f'        case {code:#06x}: __asm__ volatile("msr {text}, %0" : : "r"(value) : "memory"); break;'
              for code, text in sorted(used.items())]
    return "\n".join(['#include "block_sysreg.h"', "", "uint64_t block_sysreg_read(uint32_t encoding)", "{",
                      "        uint64_t value = 0;", "", "        switch (encoding) {", *reads, "        default: break;",
                      "        }", "        return value;", "}", "",
                      "void block_sysreg_write(uint32_t encoding, uint64_t value)", "{", "        switch (encoding) {",
                      *writes, "        default: break;", "        }",
                      '        __asm__ volatile("isb" : : : "memory");', "}"])


def rates_text(blocks: list[Block]) -> str:
    """Each event with what it counts in a step; without a line `simulate`, its number and 1 more."""
    rows = []
    for block in counted(blocks):
        for at in block.classes.values():
            for event in at.events.values():
                rate = event.number + 1 if event.rate is None else event.rate
                rows.append(f"        {{{quote(block.name)}, {quote(at.name)}, {quote(event.name)}, {event.number:#x}, {rate}}},")
    return "\n\n".join(['#include "block_rates.h"', array("struct block_rate", "block_rates", rows, False),
                        f"const uint32_t block_rates_n = {len(rows)};"])


KINDS = {"events": events_text, "registers": registers_text, "sysregs": sysregs_text, "rates": rates_text}


def main() -> int:
    kind, output, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    try:
        text = KINDS[kind](load_all(paths))
    except BlockError as error:
        print(error, file=sys.stderr)
        return 1
    with open(output, "w", encoding="utf-8") as file:
        file.write(f"/* Made by tools/gen_blocks.py out of *.block: not to be changed here. */\n{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
