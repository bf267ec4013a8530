#!/usr/bin/python3
"""Converts the facts of data/*.json to the C file with the tables that src/events/event/catalogue.c uses.

gen_events.py OUTPUT FILE...: the build calls it with all files, and with the PMU blocks (*.block), of which it takes the
metrics.  If the facts are wrong, it prints one sentence that names the file on standard error, and the build fails.
data/README.md describes the format.
"""
from __future__ import annotations  # Python 3.9, of Debian 11

import json
import os
import re
import sys
from typing import Any, Iterable, NoReturn

from block_format import Block, BlockError, Metric, load_all

NAME = re.compile(r"[a-z][a-z0-9_]*")
ID = re.compile(r"[a-z][a-z0-9_-]*")
TOKEN = re.compile(r"\s*(?:([a-z][a-z0-9_]*)|([0-9]+(?:\.[0-9]+)?)|([-+*/()]))")
REVISION = re.compile(r"r([0-9]|1[0-5])p([0-9]|1[0-5])")
TITLE_MAX_BYTES = 80
SPECIAL = ("titles", "built-in")
FIELDS = {"id", "name", "architecture", "events"}
MORE_FIELDS = {"aliases", "pmu_architecture", "implementer", "part", "other_parts", "first_revision", "slots", "counters",
               "generic_events", "metrics", "groups"}


class FactError(Exception):
    """The message, without the file."""


def fail(text: str) -> NoReturn:
    raise FactError(text)


def unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object of JSON, and refuses duplicate keys; Python would use the last one."""
    known: dict[str, Any] = {}
    for key, value in pairs:
        if key in known:
            fail(f"'{key}' stands twice in one object")
        known[key] = value
    return known


def number(text: Any, limit: int, what: str) -> int:
    if not isinstance(text, str) or not re.fullmatch(r"0x[0-9a-f]+", text):
        fail(f"{what} {text!r} is not a hexadecimal number in a string, as \"0x001b\"")
    value = int(text, 16)
    if value > limit:
        fail(f"{what} {text} is above {limit:#x}")
    return value


class Formula:
    """The names in a formula, whose syntax is checked: sums, products, parentheses, no signs."""

    def __init__(self, text: str):
        self.text = text
        self.names: set[str] = set()
        self.tokens: list[tuple[str, str, str]] = []
        at = 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if not match:
                fail(f"formula '{text}': '{text[at:].strip()[0]}' is none of + - * / ( ), number or lower-case name")
            self.tokens.append(match.groups(default=""))
            at = match.end()
        self.at = 0
        self.sum()
        if self.at < len(self.tokens):
            fail(f"formula '{text}' goes on behind its end")

    def next(self) -> tuple[str, str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "", "")

    def sum(self, operators: str = "+-") -> None:
        below = (lambda: self.sum("*/")) if operators == "+-" else self.value
        below()
        while self.next()[2] and self.next()[2] in operators:
            self.at += 1
            below()

    def value(self) -> None:
        name, digits, sign = self.next()
        self.at += 1
        if name:
            self.names.add(name)
        elif sign == "(":
            self.sum()
            if self.next()[2] != ")":
                fail(f"formula '{self.text}': a parenthesis is not closed")
            self.at += 1
        elif not digits:
            fail(f"formula '{self.text}': a number, a name or a parenthesis is missing")


class Titles:
    """Titles by kind and name; each must be used, so that a renamed event does not leave a title behind."""

    KINDS = ("events", "metrics", "groups")

    def __init__(self, facts: dict[str, Any]):
        self.facts = {kind: facts.get(kind, {}) for kind in self.KINDS}
        self.used: set[tuple[str, str]] = set()
        for kind, titles in self.facts.items():
            for name, title in titles.items():
                if not title or len(title.encode()) > TITLE_MAX_BYTES:
                    fail(f"the title of '{name}' ({kind}) must have 1 to {TITLE_MAX_BYTES} bytes")

    def get(self, kind: str, name: str) -> str:
        self.used.add((kind, name))
        if name not in self.facts[kind]:
            fail(f"'{name}' has no title among the {kind}")
        return self.facts[kind][name]

    def check_used(self) -> None:
        for kind, titles in self.facts.items():
            for name in titles:
                if (kind, name) not in self.used:
                    fail(f"a title for '{name}' ({kind}), which nothing has")


def check_events(events: dict[str, str]) -> dict[str, int]:
    """Names with their numbers, sorted by name."""
    by_code: dict[int, str] = {}
    codes = {}
    for name, text in events.items():
        if not NAME.fullmatch(name):
            fail(f"event name '{name}' must be lower-case letters, digits and _")
        codes[name] = number(text, 0xFFFF, f"event '{name}': number")
        if codes[name] in by_code:
            fail(f"events '{by_code[codes[name]]}' and '{name}' have the same number {text}")
        by_code[codes[name]] = name
    return dict(sorted(codes.items()))


def check_metrics(metrics: list[dict[str, Any]], known: set[str]) -> list[dict[str, Any]]:
    """The metrics, each with the events that it needs."""
    names: set[str] = set()
    checked = []
    for metric in metrics:
        name = metric.get("name", "")
        if not NAME.fullmatch(name):
            fail(f"metric name '{name}' must be lower-case letters, digits and _")
        if name in names:
            fail(f"metric '{name}' stands twice")
        names.add(name)
        if "formula" in metric:
            events = sorted(Formula(metric["formula"]).names)
        else:
            events = metric.get("events", [])
        for event in events:
            if event not in known:
                fail(f"metric '{name}': there is no event '{event}'")
        if not events:
            fail(f"metric '{name}' counts no event")
        checked.append({"unit": None, "formula": None, **metric, "events": events})
    return checked


class Cpu:
    """One model: its file, completed with what it takes from other models."""

    def __init__(self, facts: dict[str, Any]):
        for field in sorted(FIELDS ^ facts.keys() - MORE_FIELDS):
            fail(f"the field '{field}' is {'missing' if field in FIELDS else 'not known'}")
        self.facts = facts
        self.id = facts["id"]
        self.symbol = re.sub(r"\W", "_", self.id)
        self.implementer = number(facts.get("implementer", "0x0"), 0xFF, "implementer")
        self.part = number(facts.get("part", "0x0"), 0xFFF, "part")
        match = REVISION.fullmatch(facts.get("first_revision", "r0p0"))
        if not match:
            fail(f"first_revision '{facts['first_revision']}' is not rNpN")
        self.first_revision = int(match[1]) << 4 | int(match[2])
        self.parts = [(self.implementer, self.part)] if self.implementer else []
        for other in facts.get("other_parts", []):
            self.parts.append((number(other["implementer"], 0xFF, "implementer"), number(other["part"], 0xFFF, "part")))

    def owner(self, cpus: dict[str, "Cpu"], what: str) -> "Cpu":
        """The model whose table this model uses."""
        other = self.facts.get(what)
        if not isinstance(other, str):
            return self
        if other not in cpus or isinstance(cpus[other].facts.get(what), str):
            fail(f"{what} of '{other}', which has none of its own")
        return cpus[other]

    def check(self, cpus: dict[str, "Cpu"], built_in: set[str]) -> None:
        events = check_events(self.owner(cpus, "events").facts["events"])
        known = set(events) | set(self.facts.get("generic_events", []))
        metrics = check_metrics(self.owner(cpus, "metrics").facts.get("metrics", []), known)
        groups = self.owner(cpus, "groups").facts.get("groups", {})
        names = {metric["name"] for metric in metrics} | built_in
        for name in built_in & {metric["name"] for metric in metrics}:
            fail(f"metric '{name}' has the name of a built-in one")
        for group, members in groups.items():
            if group.lower() in {name.lower() for name in names}:
                fail(f"group '{group}' has the name of a metric")
            for member in members:
                if member not in names:
                    fail(f"group '{group}': there is no metric '{member}'")
        self.events, self.metrics, self.groups = events, metrics, groups


class Catalogue:
    """All facts, checked, and the generated C text."""

    def __init__(self, files: dict[str, dict[str, Any]], blocks: list[Block]):
        self.file = ""
        self.files = files
        self.blocks = blocks

    def check(self) -> None:
        for kind in SPECIAL:
            self.file = f"{kind}.json"
            if kind not in self.files:
                fail("this file is missing")
        self.file = "titles.json"
        self.titles = Titles(self.files["titles"])
        self.cpus = {}
        for file, facts in sorted(self.files.items()):
            if file not in SPECIAL:
                self.file = f"{file}.json"
                if facts.get("id") != file or not ID.fullmatch(file):
                    fail(f"the id '{facts.get('id')}' is not the file's name")
                self.cpus[file] = Cpu(facts)
        self.check_shared()
        for cpu in self.cpus.values():
            self.file = f"{cpu.id}.json"
            cpu.check(self.cpus, {metric["name"] for metric in self.built_in})
        self.check_parts()
        self.check_aliases()

    def check_shared(self) -> None:
        self.file = "built-in.json"
        if "armv8-a" not in self.cpus:
            fail("armv8-a.json is missing, whose events the built-in metrics count")
        self.built_in = check_metrics(self.files["built-in"]["metrics"], set(self.cpus["armv8-a"].facts["events"]))
        names = {metric["name"] for metric in self.built_in}
        for block in self.blocks:
            self.file = os.path.basename(block.path)
            for at in block.classes.values():
                for metric in at.metrics.values():
                    self.add_block_metric(at.name, metric, names)

    def add_block_metric(self, prefix: str, metric: Metric, names: set[str]) -> None:
        """Blocks of one class may have the same metric; block_format checks that."""
        mine = {"name": metric.name, "formula": None, "unit": None, "title": metric.title,
                "events": [f"/{prefix}/{event}" for event in metric.events]}
        if mine in self.built_in:
            return
        if metric.name in names:
            fail(f"metric '{metric.name}' has the name of a built-in one")
        names.add(metric.name)
        self.built_in.append(mine)

    def check_parts(self) -> None:
        """implementer, part and first revision of each model, sorted."""
        seen: dict[tuple[int, int, int], str] = {}
        for cpu in self.cpus.values():
            self.file = f"{cpu.id}.json"
            for implementer, part in cpu.parts:
                key = (implementer, part, cpu.first_revision)
                if key in seen:
                    fail(f"part {part:#05x} of implementer {implementer:#04x} is '{seen[key]}' already")
                seen[key] = cpu.id
        self.parts = sorted(seen.items())

    def check_aliases(self) -> None:
        self.aliases: dict[str, str] = {}
        for cpu in self.cpus.values():
            self.file = f"{cpu.id}.json"
            for alias in cpu.facts.get("aliases", []):
                if not ID.fullmatch(alias) or alias in self.cpus or alias in self.aliases:
                    fail(f"the other spelling '{alias}' is a name already")
                self.aliases[alias] = cpu.id

    def events_text(self, symbol: str, events: Iterable[tuple[str, int]], kind: str, private: bool = True) -> str:
        rows = [f"        {{{quote(name)}, {quote(self.titles.get(kind, name))}, {code:#06x}}},"
                for name, code in events]
        return table("struct catalogue_event", symbol, rows, private)

    def metrics_text(self, symbol: str, metrics: list[dict[str, Any]]) -> str:
        rows = [f"        {{{quote(metric['name'])}, {quote(metric.get('title') or self.titles.get('metrics', metric['name']))},"
                f" {quote(','.join(metric['events']))}, {quote(metric['formula'])}, {quote(metric['unit'])}}},"
                for metric in metrics]
        return table("struct catalogue_metric", symbol, rows)

    def groups_text(self, symbol: str, groups: dict[str, list[str]]) -> str:
        rows = [f"        {{{quote(group)}, {quote(self.titles.get('groups', group))}, {quote(','.join(members))}}},"
                for group, members in groups.items()]
        return table("struct catalogue_group", symbol, rows)

    def cpu_text(self, cpu: Cpu) -> str:
        facts = cpu.facts
        fields = [f".id = {quote(cpu.id)}", f".name = {quote(facts['name'])}",
                  f".architecture = {quote(facts['architecture'])}",
                  f".pmu_architecture = {quote(facts.get('pmu_architecture'))}",
                  f".implementer = {cpu.implementer:#04x}", f".part = {cpu.part:#05x}",
                  f".first_revision = {cpu.first_revision:#04x}", f".n_slots = {int(facts.get('slots', 0))}",
                  f".n_counters = {int(facts.get('counters', 0))}"]
        if cpu.events:
            symbol = cpu.owner(self.cpus, "events").symbol
            fields.append(f".events = events_{symbol}, .events_by_code = codes_{symbol}, .n_events = {len(cpu.events)}")
        for what, items in (("metrics", cpu.metrics), ("groups", cpu.groups)):
            if items:
                fields.append(f".{what} = {what}_{cpu.owner(self.cpus, what).symbol}")
                fields.append(f".n_{what} = {len(items)}")
        return "        {" + ", ".join(fields) + "},"

    def text(self) -> str:
        self.file = "titles.json"
        parts = ["/* Made by tools/gen_events.py out of data/: not to be changed here. */",
                 '#include "catalogue_internal.h"']
        all_events = sorted({event for cpu in self.cpus.values() for event in cpu.events.items()})
        place = {event: i for i, event in enumerate(all_events)}
        parts.append(self.events_text("catalogue_events", all_events, "events", False))
        for cpu in self.cpus.values():
            if cpu.owner(self.cpus, "events") is cpu and cpu.events:
                by_code = sorted(cpu.events.items(), key=lambda item: item[1])
                parts.append(numbers(f"events_{cpu.symbol}", [place[event] for event in cpu.events.items()]))
                parts.append(numbers(f"codes_{cpu.symbol}", [place[event] for event in by_code]))
            if cpu.owner(self.cpus, "metrics") is cpu and cpu.metrics:
                parts.append(self.metrics_text(f"metrics_{cpu.symbol}", cpu.metrics))
            if cpu.owner(self.cpus, "groups") is cpu and cpu.groups:
                parts.append(self.groups_text(f"groups_{cpu.symbol}", cpu.groups))
        index = {cpu: i for i, cpu in enumerate(self.cpus)}
        parts += [self.metrics_text("catalogue_built_in_metrics", self.built_in).replace("static ", "", 1),
                  number_of("built_in_metrics", self.built_in),
                  table("struct catalogue_cpu", "catalogue_cpus", map(self.cpu_text, self.cpus.values()), False),
                  number_of("cpus", self.cpus),
                  table("struct catalogue_part", "catalogue_parts",
                        [f"        {{{implementer:#04x}, {revision:#04x}, {part:#05x}, {index[cpu]}}},"
                         for (implementer, part, revision), cpu in self.parts], False),
                  number_of("parts", self.parts),
                  table("struct catalogue_alias", "catalogue_aliases",
                        [f"        {{{quote(alias)}, {index[cpu]}}}," for alias, cpu in sorted(self.aliases.items())],
                        False),
                  number_of("aliases", self.aliases)]
        self.titles.check_used()
        return "\n\n".join(parts) + "\n"


def quote(text: Any) -> str:
    if text is None:
        return "NULL"
    if not re.fullmatch(r"[ -~]*", text) or '"' in text or "\\" in text:
        fail(f"'{text}' has characters that stand in no table here: plain ASCII without \" and \\ is wanted")
    return f'"{text}"'


def table(kind: str, symbol: str, rows: Any, private: bool = True) -> str:
    return f"{'static ' if private else ''}const {kind} {symbol}[] = {{\n" + "\n".join(rows) + "\n};"


def numbers(symbol: str, values: list[int]) -> str:
    lines = [", ".join(map(str, values[i:i + 20])) for i in range(0, len(values), 20)]
    return table("uint16_t", symbol, [f"        {line}," for line in lines])


def number_of(name: str, items: Any) -> str:
    return f"const size_t catalogue_{name}_n = {len(items)};"


def load(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        try:
            facts = json.load(file, object_pairs_hook=unique_pairs)
        except ValueError as error:
            fail(f"no JSON: {error}")
    if not isinstance(facts, dict):
        fail("no JSON object")
    return facts


def generate(paths: list[str]) -> str:
    files = {}
    file = ""
    catalogue = None
    try:
        for path in paths:
            if path.endswith(".json"):
                file = os.path.basename(path)
                files[file.removesuffix(".json")] = load(path)
        catalogue = Catalogue(files, load_all([path for path in paths if path.endswith(".block")]))
        catalogue.check()
        return catalogue.text()
    except FactError as error:
        raise FactError(f"{catalogue.file if catalogue else file}: {error}") from None
    except BlockError as error:
        raise FactError(str(error)) from None


def main() -> int:
    try:
        text = generate(sys.argv[2:])
    except FactError as error:
        print(f"gen_events.py: {error}", file=sys.stderr)
        return 1
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
