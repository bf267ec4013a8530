#!/usr/bin/python3
"""The tests of gen_events.py: small correct facts, with one error in each case."""
import copy
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Callable

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gen_events.py")

# A PMU block, whose metrics are built-in ones.
BLOCK = """block box
title A box
unit device
described-only for this test
class box
title Events of a box
event 1 inputs items Items put in
metric flow inputs Items put in
"""

GOOD: dict[str, Any] = {
    "armv8-a": {"id": "armv8-a", "name": "Armv8-A", "architecture": "armv8-a",
                "events": {"cycles": "0x0011", "inst": "0x0008"}},
    "one": {"id": "one", "name": "One", "architecture": "armv8-a", "implementer": "0x41", "part": "0xd0c",
            "aliases": ["one-r0"], "events": {"inst": "0x0008", "cycles": "0x0011"},
            "metrics": [{"name": "ipc", "formula": "inst / (cycles * 2)", "unit": "per cycle"}],
            "groups": {"General": ["ipc"]}},
    "one-r1p2": {"id": "one-r1p2", "name": "One", "architecture": "armv8-a", "implementer": "0x41", "part": "0xd0c",
                 "first_revision": "r1p2", "events": "one", "metrics": "one", "groups": "one"},
    "built-in": {"metrics": [{"name": "imix", "events": ["inst", "cycles"]}]},
    "titles": {"events": {"cycles": "Cycles", "inst": "Instructions"},
               "metrics": {"ipc": "Speed", "imix": "Kinds"}, "groups": {"General": "All"}},
}

Change = Callable[[dict[str, Any]], Any]


def set_formula(text: str) -> Change:
    return lambda facts: facts["one"]["metrics"][0].update(formula=text)


def put(file: str, key: str, value: Any) -> Change:
    return lambda facts: facts[file].update({key: value})


def put_event(name: str, code: Any) -> Change:
    return lambda facts: facts["one"]["events"].update({name: code})


# name of the case, the change, the message
BROKEN: list[tuple[str, Change, str]] = [
    ("a number twice", put_event("other", "0x0011"), "one.json: events 'cycles' and 'other' have the same number 0x0011"),
    ("a name in capitals", put_event("CYCLES", "0x0012"), "one.json: event name 'CYCLES' must be"),
    ("a number above 16 bits", put_event("far", "0x10000"), "one.json: event 'far': number 0x10000 is above 0xffff"),
    ("a number without quotes", put_event("far", 17), "one.json: event 'far': number 17 is not a hexadecimal number"),
    ("an event without a title", put_event("new", "0x0012"), "titles.json: 'new' has no title among the events"),
    ("a title too many", lambda facts: facts["titles"]["events"].update(old="Old"),
     "titles.json: a title for 'old' (events), which nothing has"),
    ("a long title", lambda facts: facts["titles"]["events"].update(inst="I" * 81),
     "titles.json: the title of 'inst' (events) must have 1 to 80 bytes"),
    ("an empty title", lambda facts: facts["titles"]["metrics"].update(ipc=""),
     "titles.json: the title of 'ipc' (metrics) must have"),
    ("a title that C would have to quote", lambda facts: facts["titles"]["events"].update(inst='a "b"'),
     "titles.json: 'a \"b\"' has characters"),
    ("a metric without a title", lambda facts: facts["titles"]["metrics"].pop("ipc"),
     "titles.json: 'ipc' has no title among the metrics"),
    ("a group without a title", lambda facts: facts["titles"]["groups"].pop("General"),
     "titles.json: 'General' has no title among the groups"),
    ("a formula with an unknown event", set_formula("inst / cpu_cycle"),
     "one.json: metric 'ipc': there is no event 'cpu_cycle'"),
    ("a formula in capitals", set_formula("INST / cycles"), "one.json: formula 'INST / cycles': 'I' is none of"),
    ("an open parenthesis", set_formula("inst / (cycles"), "one.json: formula 'inst / (cycles': a parenthesis"),
    ("a closed parenthesis too many", set_formula("inst / cycles)"), "one.json: formula 'inst / cycles)' goes on"),
    ("two names without an operator", set_formula("inst cycles"), "one.json: formula 'inst cycles' goes on"),
    ("an operator at the end", set_formula("inst /"), "one.json: formula 'inst /': a number, a name"),
    ("a formula of numbers", set_formula("1 / 2"), "one.json: metric 'ipc' counts no event"),
    ("a metric twice", lambda facts: facts["one"]["metrics"].append(facts["one"]["metrics"][0]),
     "one.json: metric 'ipc' stands twice"),
    ("a metric with a built-in name", lambda facts: facts["one"]["metrics"][0].update(name="imix"),
     "one.json: metric 'imix' has the name of a built-in one"),
    ("a built-in metric with the name of a block's", lambda facts: (
        facts["built-in"]["metrics"][0].update(name="flow"), facts["titles"]["metrics"].update(flow="Flow")),
     "box.block: metric 'flow' has the name of a built-in one"),
    ("a group with an unknown metric", put("one", "groups", {"General": ["ipc", "cpi"]}),
     "one.json: group 'General': there is no metric 'cpi'"),
    ("a group with a metric's name", put("one", "groups", {"IPC": ["ipc"]}), "one.json: group 'IPC' has the name"),
    ("a built-in metric with an unknown event",
     lambda facts: facts["built-in"]["metrics"][0]["events"].append("l1d"),
     "built-in.json: metric 'imix': there is no event 'l1d'"),
    ("a part twice", put("one-r1p2", "first_revision", "r0p0"),
     "one-r1p2.json: part 0xd0c of implementer 0x41 is 'one' already"),
    ("a revision that is none", put("one-r1p2", "first_revision", "1.2"), "one-r1p2.json: first_revision '1.2'"),
    ("events of nobody", put("one-r1p2", "events", "two"), "one-r1p2.json: events of 'two', which has none"),
    ("events of one that borrows", put("one", "events", "one-r1p2"), "one.json: events of 'one-r1p2', which has none"),
    ("another id than the file's name", put("one", "id", "two"), "one.json: the id 'two' is not the file's name"),
    ("a spelling that is an id", put("one", "aliases", ["armv8-a"]), "one.json: the other spelling 'armv8-a'"),
    ("a field that is missing", lambda facts: facts["one"].pop("name"), "one.json: the field 'name' is missing"),
    ("a field that is not known", put("one", "revision", "r0p0"), "one.json: the field 'revision' is not known"),
    ("no titles", lambda facts: facts.pop("titles"), "titles.json: this file is missing"),
    ("no built-in events", lambda facts: facts.pop("armv8-a"), "built-in.json: armv8-a.json is missing"),
]

# the same for text that is not a Python object
BROKEN_TEXT = [
    ("a name twice", '{"id": "one", "events": {"a": "0x1", "a": "0x2"}}', "one.json: 'a' stands twice in one object"),
    ("no JSON", '{"id": ', "one.json: no JSON: "),
    ("a list", "[]", "one.json: no JSON object"),
]


def run(facts: dict[str, Any], texts: dict[str, str]) -> tuple[int, str, str]:
    """Exit status, standard error and the C text."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in {**facts, **texts}:
            paths.append(os.path.join(folder, f"{name}.json"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(texts.get(name) or json.dumps(facts[name]))
        paths.append(os.path.join(folder, "box.block"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(BLOCK)
        output = os.path.join(folder, "out.c")
        result = subprocess.run([sys.executable, TOOL, output, *paths], capture_output=True, text=True, check=False)
        if not os.path.exists(output):
            return result.returncode, result.stderr, ""
        with open(output, encoding="utf-8") as file:
            return result.returncode, result.stderr, file.read()


def main() -> int:
    cases = [(what, change, {}, sentence) for what, change, sentence in BROKEN]
    cases += [(what, lambda facts: None, {"one": text}, sentence) for what, text, sentence in BROKEN_TEXT]
    print(f"1..{len(cases) + 1}")
    status, said, text = run(GOOD, {})
    wanted = ['"ipc", "Speed", "cycles,inst", "inst / (cycles * 2)", "per cycle"', '{"one-r0", 1}',
              '.id = "one-r1p2"', '{"flow", "Items put in", "/box/inputs", NULL, NULL}', ".first_revision = 0x12", ".events = events_one"]
    bad = status != 0 or said or any(part not in text for part in wanted)
    print(f"{'not ok' if bad else 'ok'} 1 - facts that are right{f': {said}' if bad else ''}")
    for number, (what, change, texts, sentence) in enumerate(cases, 2):
        facts = copy.deepcopy(GOOD)
        change(facts)
        status, said, text = run(facts, texts)
        good = status == 1 and not text and said.count("\n") == 1 and said.startswith(f"gen_events.py: {sentence}")
        if not good:
            print(f"# {said or 'nothing said'}")
        print(f"{'ok' if good else 'not ok'} {number} - {what}")
        bad = bad or not good
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
