#!/usr/bin/python3
"""The tests of gen_blocks.py: a small correct description, with one error in each case."""
import os
import subprocess
import sys
import tempfile

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gen_blocks.py")

GOOD = """# a comment
block box
title A box
unit device
find acpi TEST0001
find linux box_
memory 0x1000

class box
title Events of a box
counters 4 bits 32
event-bits 0-7
enable-bit 31
register event mmio 0x10 stride 8
register value mmio 0x14 stride 8
event 0x01 inputs items Items put in
event 0x02 outputs items Items taken out     # a comment
event 0x10+2 port_{a,b}_stall cycles Cycles in which port {} waited
metric flow inputs,outputs Items in and out
simulate outputs 250
"""

OTHER = """block other
title Another
unit device
find linux other_
memory 8
class box
title Events
counters 1 bits 32
event-bits 0-7
enable-bit 8
register event mmio 0
register value mmio 4
event 1 inputs items Items put in
"""

# name of the case, the text to replace, the new text, the line and the sentence
BROKEN: list[tuple[str, str, str, int, str]] = [
    ("no block line", "block box\n", "", 2, "the first line should be 'block NAME'"),
    ("a block in capitals", "block box", "block Box", 2, "the name 'Box' must be lower-case letters, digits and -"),
    ("a block in the wrong file", "block box", "block crate", 2,
     "the block 'crate' must be in a file 'crate.block'"),
    ("an unknown line of the block", "unit device", "units device", 4,
     "'units' is not a line of a block 'box'; did you mean 'unit'?"),
    ("a line of a class in the block", "unit device", "counters 4 bits 32", 4,
     "'counters' is not a line of a block 'box'; it belongs to a class: write 'class NAME' first"),
    ("a line of the block in a class", "event-bits 0-7", "memory 8", 12,
     "'memory' is not a line of a class 'box'; lines of the whole block stand before its first class"),
    ("a line twice", "unit device", "title Again", 4, "'title' is given twice"),
    ("no title", "title A box\n", "", 19, "the block has no line 'title'"),
    ("an empty title", "title A box", "title", 3, "the title is missing"),
    ("a long title", "title A box", "title " + "A" * 81, 3, "the title has 81 bytes; the limit is 80"),
    ("a title that C would have to quote", "title A box", 'title A "box"', 3,
     "the title must be plain ASCII without \" and \\"),
    ("an unknown way to find it", "find acpi TEST0001", "find pci 1234", 5,
     "the line should be 'find acpi|device-tree|linux|identifier|cores VALUE'"),
    ("an ACPI id that is none", "find acpi TEST0001", "find acpi box", 5,
     "'box' is not an ACPI id of 7 or 8 capital letters and digits"),
    ("a PMU name without an end", "find linux box_", "find linux box", 6, "'box' is not the start of a PMU's name"),
    ("no way to find it", "find acpi TEST0001\nfind linux box_\n", "", 18,
     "nothing says how to find the block: add a line 'find acpi ID' or another 'find'"),
    ("a size that is odd", "memory 0x1000", "memory 0x1001", 7, "the size 0x1001 is not a multiple of 8"),
    ("no size", "memory 0x1000\n", "", 8,
     "the register 'event' is in memory, but the block has no line 'memory BYTES'"),
    ("no class", GOOD[GOOD.index("class box"):], "", 8, "the block has no counters: add a line 'class NAME'"),
    ("a class twice", "simulate outputs 250", "class box", 20, "the class 'box' is in line 9 already"),
    ("no counters", "counters 4 bits 32\n", "", 9, "class 'box' has no line 'counters'"),
    ("counters without a width", "counters 4 bits 32", "counters 4", 11,
     "the line should be 'counters N bits WIDTH [first INDEX]'"),
    ("0 counters", "counters 4", "counters 0", 11, "a class has at least one counter"),
    ("too many counters", "counters 4", "counters 32", 11, "the number of counters 32 is above 0x1f"),
    ("a width of 48 bits", "bits 32\n", "bits 48\n", 11, "the width 48 is neither 32 nor 64"),
    ("a number in words", "counters 4", "counters four", 11,
     "the number of counters 'four' is not a number such as 16 or 0x10"),
    ("bits the wrong way round", "event-bits 0-7", "event-bits 7-0", 12, "the field '7-0' is not a range of bits"),
    ("no event-bits", "event-bits 0-7\n", "", 9, "class 'box' has no line 'event-bits'"),
    ("an enable bit in the field", "enable-bit 31", "enable-bit 7", 9,
     "enable-bit 7 of class 'box' is one of its event-bits"),
    ("no enable bit", "enable-bit 31\n", "", 9, "class 'box' has no register 'enable-set', and no line 'enable-bit'"),
    ("an unknown role", "register value", "register values", 15,
     "'values' is not a role of a register; did you mean 'value'?"),
    ("a role twice", "register value", "register event", 15, "the register 'event' is given twice"),
    ("no value register", "register value mmio 0x14 stride 8\n", "", 9,
     "class 'box' has no register 'value', which has the count"),
    ("no stride", "mmio 0x10 stride 8", "mmio 0x10", 9,
     "the register 'event' needs 'stride BYTES': there are 4 counters"),
    ("a register outside", "memory 0x1000", "memory 0x28", 9,
     "the register 'event' of class 'box' ends behind the 0x28 bytes of the block"),
    ("an offset that is odd", "mmio 0x10", "mmio 0x12", 14, "offset and stride of a register of 32 bits are multiples"),
    ("a system register that is none", "mmio 0x10 stride 8", "sysreg S3_0_C16_C5_0", 14,
     "'S3_0_C16_C5_0' is not a system register such as S3_0_C15_C5_0"),
    ("system registers without a selector", "mmio 0x10 stride 8", "sysreg S3_0_C15_C5_0", 9,
     "class 'box' has no register 'select', so the register 'event' belongs to no counter"),
    ("an event without a title", "event 0x01 inputs items Items put in", "event 0x01 inputs items", 16,
     "the line should be 'event NUMBER NAME UNIT TITLE'"),
    ("an event in capitals", "0x01 inputs", "0x01 Inputs", 16, "the event's name 'Inputs' must be lower-case"),
    ("an event twice", "0x02 outputs", "0x02 inputs", 17, "the event 'inputs' is in line 16 already"),
    ("a number twice", "0x02 outputs", "0x01 outputs", 17, "the number 0x1 is that of 'inputs' in line 16 already"),
    ("a number that is too large", "0x02 outputs", "0x100 outputs", 17,
     "the number 0x100 of 'outputs' does not fit into event-bits 0-7"),
    ("choices without a step", "0x10+2", "0x10", 18, "a name with {a,b} needs a step (0x100+4)"),
    ("no event", GOOD[GOOD.index("event 0x01"):], "", 9, "class 'box' has no event"),
    ("a metric with an unknown event", "inputs,outputs", "inputs,output", 19,
     "metric 'flow': there is no event 'output' above; did you mean 'outputs'?"),
    ("a simulation of an unknown event", "simulate outputs", "simulate losses", 20, "there is no event 'losses' above"),
    ("a simulation without a count", "outputs 250", "outputs", 20, "the line should be 'simulate EVENT COUNT'"),
    ("registers of a described block", "unit device", "unit device\ndescribed-only no reason", 10,
     "class 'box' has registers, but the block is described only"),
    ("an overflow that is none", "enable-bit 31", "overflow clear", 13,
     "the line should be 'overflow write-1' or 'overflow write-0'"),
    ("a cycle counter without a register", "enable-bit 31", "enable-bit 31\ncycles bit 31 bits 64 event 1", 9,
     "class 'box' has no register 'cycles', which its cycle counter needs"),
]


def run(kind: str, texts: dict[str, str]) -> tuple[int, str, str]:
    """Exit status, standard error and the C text."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="latin-1") as file:
                file.write(text)
        result = subprocess.run([sys.executable, TOOL, kind, "out.c", *texts], cwd=folder, capture_output=True,
                                text=True, check=False)
        output = os.path.join(folder, "out.c")
        if not os.path.exists(output):
            return result.returncode, result.stderr, ""
        with open(output, encoding="utf-8") as file:
            return result.returncode, result.stderr, file.read()


def good_cases() -> list[tuple[str, str]]:
    """(name, problem or "") for correct descriptions."""
    wanted = {"events": ['{"port_b_stall", "Cycles in which port b waited", "cycles", 0x12}', '.pmu = "box_"'],
              "registers": [".enable_in_event = UINT64_C(1) << 31", "{BLOCK_MMIO, 32, 0, 0x14, 0x8}"],
              "rates": ['{"box", "box", "outputs", 0x2, 250}', '{"box", "box", "inputs", 0x1, 2}'],
              "sysregs": ["uint64_t block_sysreg_read(uint32_t encoding)"]}
    cases = []
    for kind, parts in wanted.items():
        status, said, text = run(kind, {"box.block": GOOD})
        missing = [part for part in parts if part not in text]
        cases.append((f"{kind} of a correct description", said or str(missing) if status or missing else ""))
    return cases


def bad_cases() -> list[tuple[str, str, dict[str, str], str]]:
    """(name, replaced text that must exist, files, sentence)."""
    cases = [(what, old, {"box.block": GOOD.replace(old, new, 1)}, f"box.block:{line}: {sentence}")
             for what, old, new, line, sentence in BROKEN]
    cases.append(("a class of two blocks", "block", {"box.block": GOOD, "other.block": OTHER},
                  "other.block:6: the class 'box' is also in box.block, whose PMUs on Linux are 'box_' and not 'other_'"))
    cases.append(("another metric of that name", "block", {
        "box.block": GOOD, "other.block": OTHER.replace("other_", "box_") + "metric flow inputs Items put in\n"},
        "other.block:14: another block has another metric 'flow'"))
    cases.append(("bytes that are not UTF-8", "block", {"box.block": GOOD + "# \xff\n"},
                  "box.block:1: the file is not text in UTF-8"))
    return cases


def main() -> int:
    results = good_cases()
    for what, old, texts, sentence in bad_cases():
        status, said, text = run("events", texts)
        good = status == 1 and not text and said.count("\n") == 1 and said.startswith(sentence) and old in GOOD
        results.append((what, "" if good else f"{said or 'nothing said'}, want {sentence}"))
    print(f"1..{len(results)}")
    for number, (what, problem) in enumerate(results, 1):
        print(f"{'not ok' if problem else 'ok'} {number} - {what}")
        if problem:
            print(f"# {problem}")
    return any(problem for _, problem in results)


if __name__ == "__main__":
    sys.exit(main())
