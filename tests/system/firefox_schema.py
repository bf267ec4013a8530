#!/usr/bin/python3
"""Checks that a document is a profile in the Firefox Profiler's processed format, version 60: the types of its
src/types/profile.ts, that every index in a row exists in its table, and further requirements of the profiler:
parents before children, times in ascending order, a default category."""
import re
from typing import Any, Callable, Iterator

VERSION = 60
COLORS = set("""transparent purple green orange yellow lightblue blue brown magenta red lightred darkgrey grey""".split())
RESOURCE_TYPES = range(6)

Check = Callable[[Any], bool]


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def is_null(value: Any) -> bool:
    return value is None


def either(*checks: Check) -> Check:
    return lambda value: any(check(value) for check in checks)


def is_one(*values: Any) -> Check:
    return lambda value: any(value == one and type(value) is type(one) for one in values)


def below(limit: int) -> Check:
    return lambda value: is_count(value) and value < limit


class Complaints(list):
    def expect(self, holds: bool, what: str) -> bool:
        if not holds:
            self.append(what)
        return holds

    def fields(self, where: str, document: Any, fields: dict[str, Check], more: dict[str, Check] | None = None) -> bool:
        """Checks that all of `fields` are there, that they and those of `more` have their types, and that there are no
        others."""
        if not self.expect(isinstance(document, dict), f"{where}: no object"):
            return False
        before = len(self)
        for key, check in fields.items():
            if self.expect(key in document, f"{where}: no {key}"):
                self.expect(check(document[key]), f"{where}.{key}: {str(document[key])[:60]!r}")
        for key in document.keys() - fields.keys():
            known = (more or {}).get(key)
            if self.expect(known is not None, f"{where}: what is {key}?"):
                self.expect(known(document[key]), f"{where}.{key}: {str(document[key])[:60]!r}")
        return len(self) == before

    def table(self, where: str, table: Any, columns: dict[str, Check], more: dict[str, Check] | None = None) -> None:
        """Checks that columns have the same length, and each value has its column's type."""
        is_list = {key: lambda value: isinstance(value, list) for key in columns}
        optional = {key: lambda value: isinstance(value, list) for key in more or {}}
        if not self.fields(where, table, {**is_list, "length": is_count}, optional):
            return
        for key, check in {**columns, **(more or {})}.items():
            if key not in table:
                continue
            self.expect(len(table[key]) == table["length"], f"{where}.{key}: {len(table[key])} of {table['length']} rows")
            for row, value in enumerate(table[key]):
                if not self.expect(check(value), f"{where}.{key}[{row}]: {str(value)[:60]!r}"):
                    break


def check_meta(complaints: Complaints, meta: Any) -> None:
    is_list = lambda value: isinstance(value, list)
    complaints.fields("meta", meta, {
        "interval": lambda value: is_number(value) and value > 0, "startTime": is_number, "processType": is_count,
        "product": is_text, "stackwalk": is_one(0, 1), "version": is_count, "preprocessedProfileVersion": is_one(VERSION),
        "markerSchema": is_list, "categories": is_list,
    }, {
        "debug": is_flag, "symbolicated": is_one(True), "importedFrom": is_text, "arguments": is_text,
        "sourceCodeIsNotOnSearchfox": is_flag, "usesOnlyOneStackType": is_flag, "sampleUnits": lambda value: isinstance(value, dict),
    })
    for category in meta.get("categories", []):
        if complaints.fields("category", category, {"name": is_text, "color": lambda color: color in COLORS, "subcategories": is_list}):
            complaints.expect(category["subcategories"] and all(map(is_text, category["subcategories"])), "a first subcategory")
    complaints.expect(any(category.get("color") == "grey" for category in meta.get("categories", [])), "no default category")
    if "sampleUnits" in meta:
        complaints.fields("sampleUnits", meta["sampleUnits"], {
            "time": is_one("ms"), "eventDelay": is_one("ms"), "threadCPUDelta": is_one("ns", "µs", "variable CPU cycles")})


def check_libs(complaints: Complaints, libs: Any) -> None:
    if not complaints.expect(isinstance(libs, list), "libs: no list"):
        return
    for lib in libs:
        complaints.fields("lib", lib, {
            "arch": is_text, "name": is_text, "path": is_text, "debugName": is_text, "debugPath": is_text,
            "breakpadId": lambda value: is_text(value) and re.fullmatch(r"[0-9A-F]{33,40}", value) is not None,
            "codeId": either(is_null, lambda value: is_text(value) and re.fullmatch(r"([0-9a-f]{2}){1,20}", value) is not None)})


def length_of(shared: dict, name: str) -> int:
    table = shared.get(name)
    length = len(table) if isinstance(table, list) else table.get("length") if isinstance(table, dict) else 0
    return length if is_count(length) else 0


def check_shared(complaints: Complaints, shared: Any, n_libs: int, categories: list) -> None:
    is_table = lambda value: isinstance(value, dict)
    tables = ("stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources")
    if not complaints.fields("shared", shared, {**{name: is_table for name in tables}, "stringArray": lambda value: isinstance(value, list)}):
        return
    of = {name: below(length_of(shared, name)) for name in (*tables, "stringArray")}
    line = either(is_null, lambda value: is_count(value) and value > 0)
    address = either(is_count, is_one(-1))
    complaints.expect(all(map(is_text, shared["stringArray"])), "stringArray: not all are texts")
    complaints.expect(len(set(map(str, shared["stringArray"]))) == len(shared["stringArray"]), "stringArray: a text twice")
    complaints.table("stackTable", shared["stackTable"], {"frame": of["frameTable"], "prefix": either(is_null, of["stackTable"])})
    complaints.table("frameTable", shared["frameTable"], {
        "address": address, "inlineDepth": is_count, "category": either(is_null, below(len(categories))),
        "subcategory": either(is_null, is_count), "func": of["funcTable"], "nativeSymbol": either(is_null, of["nativeSymbols"]),
        "innerWindowID": either(is_null, is_count), "line": line, "column": line})
    complaints.table("funcTable", shared["funcTable"], {
        "name": of["stringArray"], "isJS": is_flag, "relevantForJS": is_flag, "resource": either(is_one(-1), of["resourceTable"]),
        "source": either(is_null, of["sources"]), "lineNumber": line, "columnNumber": line})
    complaints.table("resourceTable", shared["resourceTable"], {
        "lib": either(is_null, below(n_libs)), "name": of["stringArray"], "host": either(is_null, of["stringArray"]),
        "type": lambda value: is_count(value) and value in RESOURCE_TYPES})
    complaints.table("nativeSymbols", shared["nativeSymbols"], {
        "libIndex": below(n_libs), "address": is_count, "name": of["stringArray"], "functionSize": line})
    complaints.table("sources", shared["sources"], {"uuid": either(is_null, is_text), "filename": of["stringArray"]})


def check_relations(complaints: Complaints, shared: dict) -> None:
    """Checks relations between rows of tables that are valid by themselves."""
    stacks, frames, natives = shared["stackTable"], shared["frameTable"], shared["nativeSymbols"]
    functions, resources = shared["funcTable"], shared["resourceTable"]
    for row, (frame, prefix) in enumerate(zip(stacks["frame"], stacks["prefix"])):
        complaints.expect(prefix is None or prefix < row, f"stackTable.prefix[{row}]: {prefix} is no parent before it")
        depth = frames["inlineDepth"][frame]
        if depth and complaints.expect(prefix is not None and prefix < row, f"stackTable[{row}]: inlined into nothing"):
            outer = stacks["frame"][prefix]
            complaints.expect(frames["inlineDepth"][outer] == depth - 1 and frames["address"][outer] == frames["address"][frame] and
                              frames["nativeSymbol"][outer] == frames["nativeSymbol"][frame],
                              f"stackTable[{row}]: inlined into another place")
    for row, (native, function) in enumerate(zip(frames["nativeSymbol"], frames["func"])):
        resource = functions["resource"][function]
        if native is not None:
            complaints.expect(resource >= 0 and resources["lib"][resource] == natives["libIndex"][native], f"frameTable[{row}]: two libraries")
        complaints.expect(resource >= 0 or frames["address"][row] == -1, f"frameTable[{row}]: an address in no library")
        complaints.expect((frames["category"][row] is None) == (frames["subcategory"][row] is None), f"frameTable[{row}]: half a category")


def check_thread(complaints: Complaints, thread: Any, n_stacks: int, n_texts: int, n_categories: int) -> None:
    null_or_number = either(is_null, is_number)
    if not complaints.fields("thread", thread, {
            "processType": is_text, "processStartupTime": is_number, "processShutdownTime": null_or_number,
            "registerTime": is_number, "unregisterTime": null_or_number, "pausedRanges": lambda value: value == [],
            "name": is_text, "isMainThread": is_flag, "pid": is_text, "tid": either(is_text, is_number),
            "samples": lambda value: isinstance(value, dict), "markers": lambda value: isinstance(value, dict)},
            {"processName": is_text}):
        return
    samples = dict(thread["samples"])
    weights, kind = samples.pop("weight", ()), samples.pop("weightType", None)
    complaints.expect(kind in ("samples", "tracing-ms", "bytes"), f"weightType: {kind}")
    complaints.expect(weights is None or isinstance(weights, list) and len(weights) == samples.get("length") and
                      all(map(is_number, weights)), "samples.weight: not a number each")
    complaints.table("samples", samples, {"stack": either(is_null, below(n_stacks)), "time": is_number},
                     {"threadCPUDelta": either(is_null, is_count)})
    times = samples.get("time", [])
    complaints.expect(all(map(is_number, times)) and times == sorted(times) and (not times or times[0] >= 0), "samples.time: goes back")
    complaints.table("markers", thread["markers"], {
        "data": is_null, "name": below(n_texts), "startTime": is_number, "endTime": is_number, "phase": is_one(1),
        "category": below(n_categories)})
    markers = thread["markers"]
    if not complaints:
        complaints.expect(all(a <= b for a, b in zip(markers["startTime"], markers["endTime"])), "a marker that ends before it begins")


def complaints_of(profile: Any) -> list[str]:
    """The problems of a document; none for a valid profile."""
    complaints = Complaints()
    is_dict, is_list = lambda value: isinstance(value, dict), lambda value: isinstance(value, list)
    if not complaints.fields("profile", profile, {"meta": is_dict, "libs": is_list, "shared": is_dict, "threads": is_list}):
        return complaints
    check_meta(complaints, profile["meta"])
    check_libs(complaints, profile["libs"])
    check_shared(complaints, profile["shared"], len(profile["libs"]), profile["meta"].get("categories", []))
    for thread in profile["threads"]:
        check_thread(complaints, thread, length_of(profile["shared"], "stackTable"), len(profile["shared"].get("stringArray", [])),
                     len(profile["meta"].get("categories", [])))
    known = [(thread.get("pid"), thread.get("tid")) for thread in profile["threads"]]
    complaints.expect(len(set(known)) == len(known), "a thread twice")
    if not complaints:
        check_relations(complaints, profile["shared"])
    return complaints


def stacks_of(profile: dict) -> Iterator[tuple[dict, int, list[str]]]:
    """For each sample: the thread, the index of the sample in it and the names of its functions, outermost first."""
    shared = profile["shared"]
    names = [shared["stringArray"][name] for name in shared["funcTable"]["name"]]
    for thread in profile["threads"]:
        for number, at in enumerate(thread["samples"]["stack"]):
            path = []
            while at is not None:
                path.append(names[shared["frameTable"]["func"][shared["stackTable"]["frame"][at]]])
                at = shared["stackTable"]["prefix"][at]
            yield thread, number, path[::-1]
