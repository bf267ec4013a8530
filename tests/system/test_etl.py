#!/usr/bin/python3
"""Event-trace files of Windows that PerfView's tests use: compared with a second reader, and with what PerfView prints of them."""
import filecmp
import functools
import os
import re
import shutil
import struct
import uuid
import zipfile
from collections import Counter

import etl_reader
import harness
from harness import Context, check

FOLDER = os.path.join(os.environ["WPERF_CORPUS"], "etl")
KERNEL_TRACE = "net.4.5.2.x64"
# The traces with events of programs only: their provider, and PerfView's name of it.
OTHER_TRACES = {
    "gcevents": ("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", "Microsoft-Windows-DotNETRuntime"),
    "gcrundownevents": ("a669021c-c450-4609-a035-5af59af4df18", "Microsoft-Windows-DotNETRuntimeRundown"),
    "primitive-types": ("d3dd3dd4-aac2-4e2a-8dd4-a8fb61b77615", "solar_system"),
}
# Events of methods at the end of a recording: PerfView's text leaves them out.
METHOD_AT_END = 144
CODE_PIECE = 0x10000  # Windows gives programs memory in such pieces
# PerfView's names of the kernel's events that wperf reads, except samples and threads, of which its text has only a part.
KERNEL_NAMES = {
    0x0000: "EventTrace", 0x0301: "Process/Start", 0x0302: "Process/Stop", 0x0303: "Process/DCStart", 0x0304: "Process/DCStop",
    0x0501: "Thread/Start", 0x0502: "Thread/Stop", 0x030A: "Image/Load", 0x1402: "Image/Unload", 0x1403: "Image/DCStart",
    0x1404: "Image/DCStop", 0x0B0A: "SystemConfig/CPU", 0x0F49: "PerfInfo/CollectionStart", 0x0F4A: "PerfInfo/CollectionEnd",
}


def extract(t: Context, name: str) -> str:
    """The trace of the archive, in the test's folder."""
    with zipfile.ZipFile(os.path.join(FOLDER, name + ".etl.zip")) as archive:
        (member,) = [m for m in archive.infolist() if m.filename.endswith(".etl")]
        path = t.path(name + ".etl")
        with archive.open(member) as source, open(path, "wb") as target:
            shutil.copyfileobj(source, target)
    return path


@functools.cache
def read_again(name: str) -> etl_reader.Trace:
    """By the second reader, which takes some seconds."""
    with zipfile.ZipFile(os.path.join(FOLDER, name + ".etl.zip")) as archive:
        (member,) = [m for m in archive.infolist() if m.filename.endswith(".etl")]
        return etl_reader.read(archive.read(member))


def kernel_trace(t: Context) -> tuple[str, etl_reader.Trace]:
    return extract(t, KERNEL_TRACE), read_again(KERNEL_TRACE)


def baseline(name: str) -> str:
    with open(os.path.join(FOLDER, name + ".baseline.txt"), encoding="utf-8") as file:
        return file.read()


def printed_counts(name: str) -> dict[str, int]:
    return {kind: int(count) for kind, count in re.findall(r"^COUNT (.+):(\d+)$", baseline(name), re.M)}


def printed_events(kind: str) -> list[dict[str, str]]:
    """PerfView prints the first events of each kind, with their fields."""
    found = re.findall(rf"^EVENT ([\d,.]+): {re.escape(kind)} (.*)$", baseline(KERNEL_TRACE), re.M)
    return [{"time_ms": time.replace(",", ""), **dict(re.findall(r"(\w+)=(.*?); ", fields + " "))} for time, fields in found]


def rows(t: Context, path: str, keys: str) -> list[dict]:
    done = t.good("report", "-i", path, "--sort", keys, "--sample-display-row", "100000", "--json")
    (event,) = harness.document_of(done)["sampling"]["events"]
    return event["samples"]


def records(t: Context, path: str, kind: str, pattern: str) -> list[tuple[str, ...]]:
    lines = [line for line in t.good("dump", "-i", path).out.split("\n") if f"  {kind}  misc" in line]
    return [re.search(pattern, line).groups() for line in lines]


def ticks_of(trace: etl_reader.Trace, seconds: str) -> int:
    whole, part = seconds.split(".")
    return (int(whole) * 10**9 + int(part)) * trace.ticks_a_second // 10**9


def test_samples_are_those_that_perfview_prints(t: Context) -> None:
    path, trace = kernel_trace(t)
    counts = printed_counts(KERNEL_TRACE)
    check(len(trace.samples) == counts["Windows Kernel/PerfInfo/Sample"] == 6320, f"{len(trace.samples)} samples")
    check(trace.n_events == 179474, f"{trace.n_events} events")
    done = t.good("report", "-i", path)
    check(harness.quality_of(done)["samples"] == 6320, "as many samples", done)
    check(f"note: {trace.n_idle} samples of idle CPUs are left out" in done.out and trace.n_idle == 79528 - 6320, "idle samples", done)


def test_all_counts_are_those_of_perfview(t: Context) -> None:
    _, trace = kernel_trace(t)
    counts = printed_counts(KERNEL_TRACE)
    for hook, name in KERNEL_NAMES.items():
        check(trace.kernel[hook] == counts["Windows Kernel/" + name], f"{name}: {trace.kernel[hook]}")
    of_images = {0: "", 32: "/None", 36: "/DbgID_RSDS", 37: "/DbgID_ILRSDS", 64: "/FileVersion"}
    for number, name in of_images.items():
        found = trace.others[etl_reader.IMAGE_CLASS, number]
        check(found == counts["KernelTraceControl/ImageID" + name], f"ImageID{name}: {found}")
    for number, name in {32: "BuildInfo", 33: "SystemPaths", 34: "UnknownVolume", 35: "VolumeMapping"}.items():
        found = trace.others[etl_reader.CONFIG_CLASS, number]
        check(found == counts["Windows Kernel/SysConfig/" + name], f"{name}: {found}")


def test_events_are_those_that_perfview_prints(t: Context) -> None:
    path, trace = kernel_trace(t)
    n = 0
    samples = {(round((ticks_of(trace, time) - trace.start) * 1000 / trace.ticks_a_second, 3), int(pid), int(tid), int(cpu), int(ip, 16))
               for pid, tid, cpu, time, ip in
               records(t, path, "SAMPLE", r" pid (-?\d+) tid (\d+) cpu (\d+) time ([\d.]+) ip (0x\w+)")}
    maps = {(int(start, 16), int(size, 16)): build_id
            for start, size, build_id in records(t, path, "MMAP2", r" start (0x\w+) len (0x\w+) .*?(?: build_id (\w+))? prot")}
    for event in printed_events("Windows Kernel/PerfInfo/Sample"):
        wanted = (float(event["time_ms"]), int(event["PID"]), int(event["TID"]), int(event["ProcessorNumber"]),
                  int(event["InstructionPointer"], 16))
        check(wanted in samples, f"sample {wanted}")
        n += 1
    for kind in ("Load", "DCStart"):
        for event in printed_events("Windows Kernel/Image/" + kind):
            check((int(event["ImageBase"], 16), int(event["ImageSize"].replace(",", ""))) in maps, f"image {event}")
            n += 1
    for event in printed_events("KernelTraceControl/ImageID/DbgID_RSDS"):
        base = int(event["ImageBase"], 16)
        ids = [build_id for (start, _), build_id in maps.items() if start == base and build_id]
        found = [(str(uuid.UUID(bytes_le=bytes.fromhex(i)[:16])), int.from_bytes(bytes.fromhex(i)[16:20], "little")) for i in ids]
        check(any(text.startswith(event["GuidSig"].rstrip(".")) and age == int(event["Age"]) for text, age in found),
              f"PDB {event}, {found}")
        n += 1
    check(n == 20, f"{n} printed events")


def test_traces_of_programs_have_perfviews_counts(t: Context) -> None:
    for name, (provider, text) in OTHER_TRACES.items():
        path = extract(t, name)
        trace = read_again(name)
        found = sorted(n for (guid, number), n in trace.others.items() if str(guid) == provider and number != METHOD_AT_END)
        if name == "primitive-types":
            found = [sum(found)]
        check(found == sorted(n for kind, n in printed_counts(name).items() if kind.startswith(text + "/")), f"{name}: {found}")
        done = t.ours("report", "-i", path)
        check(done.status == 1 and f"no samples in {trace.n_events} events" in done.err and done.err.count("\n") == 1,
              "one sentence", done)
        check("  name dummy\n" in t.good("dump", "-i", path).out, f"dump of {name}")


def test_processes_have_their_samples(t: Context) -> None:
    path, trace = kernel_trace(t)
    expected = Counter(sample.process for sample in trace.samples)
    found = {row["pid"]: row["count"] for row in rows(t, path, "pid")}
    check(found == dict(expected), f"{found}, not {expected}")


def image_at(trace: etl_reader.Trace, pid: int, address: int) -> str:
    for of, base, size, path in sorted(trace.images):
        if base <= address < base + size and (of == pid or address >> 63):
            return re.split(r"[\\/]", path)[-1]
    return f"[.NET {pid}]" if method_at(trace, pid, address, CODE_PIECE) else "unknown"


def method_at(trace: etl_reader.Trace, pid: int, address: int, piece: int = 1) -> str:
    """The method whose code has the address, or is in the same piece of memory."""
    for (of, start), (size, name) in trace.methods.items():
        if of == pid and start // piece <= address // piece <= (start + size - 1) // piece:
            return name
    return ""


def test_methods_have_their_samples(t: Context) -> None:
    """Most samples of this trace are in methods of .NET, and PerfView prints some of them."""
    path, trace = kernel_trace(t)
    expected = Counter((sample.process, method_at(trace, sample.process, sample.address)) for sample in trace.samples)
    expected = Counter({key: n for key, n in expected.items() if key[1]})
    found = Counter({(row["pid"], row["symbol"]): row["count"] for row in rows(t, path, "pid,module,symbol")
                     if row["module"].startswith("[.NET ") and row["symbol"] != "unknown"})
    check(sum(expected.values()) > 4000 and found == expected, f"{found - expected}, not {expected - found}")
    printed = printed_events("Microsoft-Windows-DotNETRuntime/Method/LoadVerbose")
    for event in printed:
        size, name = trace.methods[int(event["PID"]), int(event["MethodStartAddress"], 16)]
        check(size == int(event["MethodSize"].replace(",", "")), f"{name}: {size}")
        check(name.startswith(event["MethodNamespace"].rstrip(".")) and event["MethodName"].rstrip(".") in name, name)
    check(len(printed) == 5, f"{len(printed)} printed methods")


def test_images_have_their_samples(t: Context) -> None:
    path, trace = kernel_trace(t)
    expected = Counter(image_at(trace, sample.process, sample.address) for sample in trace.samples)
    found = {row["module"]: row["count"] for row in rows(t, path, "module")}
    check(found == dict(expected), f"{found}, not {expected}")


def test_images_are_maps_with_the_identity_of_their_pdbs(t: Context) -> None:
    path, trace = kernel_trace(t)
    expected, found = Counter(), Counter()
    for (pid, base, size, name), n in trace.images.items():
        expected[-1 if base >> 63 else pid, base, size, trace.program_path(name), trace.pdbs.get((pid, base), b"").hex() or None] += n
    for pid, start, size, build_id, name in records(
            t, path, "MMAP2", r" pid (-?\d+) .* start (0x\w+) len (0x\w+) .*?(?: build_id (\w+))? prot \S+ .*? path \"?(.*?)\"? sample_id"):
        if not name.startswith("[.NET "):
            found[int(pid), int(start, 16), int(size, 16), name, build_id] += 1
    check(sum(expected.values()) == 1798 and sum(1 for key in expected if key[4]) > 1500, f"{sum(expected.values())} images")
    check(found == expected, f"{found - expected}, not {expected - found}")


def test_stacks_are_the_same(t: Context) -> None:
    """Each sample's frames, of the kernel and of the program, plain and by key."""
    path, trace = kernel_trace(t)
    expected = Counter((sample.thread, sample.time, sample.address, sample.chain) for sample in trace.samples)
    found: Counter = Counter()
    for tid, time, ip, chain in records(t, path, "SAMPLE", r" tid (\d+) cpu \d+ time ([\d.]+) ip (0x\w+) .* chain \[(.*)\]"):
        frames = [int(word, 16) for word in chain.split()]
        found[int(tid), ticks_of(trace, time), int(ip, 16), tuple(f for f in frames if f < (1 << 64) - 4096)] += 1
    check(trace.n_unknown_keys == 0, f"{trace.n_unknown_keys} keys without frames")
    n_deep = sum(bool(key[3]) for key in expected.elements())
    check(n_deep > 0.9 * len(trace.samples), f"{n_deep} samples have stacks")
    check(found == expected, f"{list((found - expected).items())[:3]}, not {list((expected - found).items())[:3]}")


def test_stacks_begin_where_the_sample_is(t: Context) -> None:
    """The file itself gives two of them another innermost frame, in the same function."""
    path, _ = kernel_trace(t)
    chains = [(int(ip, 16), [int(word, 16) for word in chain.split() if int(word, 16) < (1 << 64) - 4096])
              for ip, chain in records(t, path, "SAMPLE", r" ip (0x\w+) .* chain \[(.*)\]")]
    elsewhere = [(ip, chain[0]) for ip, chain in chains if chain and chain[0] != ip]
    check(elsewhere == [(0x7773FACB, 0x7773FAB0), (0x7773FAE8, 0x7773FAB0)], f"{elsewhere}")
    callbacks = [chain for _, chain in chains if any(not below >> 63 and above >> 63 for below, above in zip(chain, chain[1:]))]
    check(len(callbacks) == 15, f"{len(callbacks)} stacks with kernel frames between those of the program")


def test_what_was_running_is_known_from_the_start(t: Context) -> None:
    """However late the kernel lists what was running, samples have the same processes and modules."""
    path, trace = kernel_trace(t)
    with open(path, "rb") as file:
        data = file.read()
    last = max(sample.time for sample in trace.samples)

    def list_late(event: etl_reader.Event, events: bytearray) -> None:
        if event.hook in etl_reader.RUNNING:
            struct.pack_into("<Q", events, event.time_at, last)

    late = etl_reader.changed_events(data, list_late)
    with open(t.path("late.etl"), "wb") as file:
        file.write(late)
    n = sum(event.time == last and event.hook in etl_reader.RUNNING for event in etl_reader.events(late))
    check(n == 32 + 670 + 1763, f"{n} events are late")
    keys = "process,pid,tid,module"
    check(rows(t, t.path("late.etl"), keys) == rows(t, path, keys), "the same rows")


def test_losses_are_the_same(t: Context) -> None:
    path, trace = kernel_trace(t)
    check(harness.quality_of(t.good("report", "-i", path))["lost"] == trace.n_lost == 0, "nothing was lost")
    with open(path, "r+b") as file:
        file.seek(0x48 + 0x20 + 48)
        file.write(bytes([7, 0, 0, 0]))
    done = t.good("report", "-i", path)
    check(harness.quality_of(done)["lost"] == 7 and "7 events of all kinds were lost" in done.out, "seven are lost", done)


def test_every_view_reads_traces(t: Context) -> None:
    path, trace = kernel_trace(t)
    done = t.good("report", "-v", "-i", path)
    check("machine: BRIANROB-W8, Windows 8 Pro 9200.16384.amd64fre.win8_rtm.120725-1247, x86_64, 8 CPUs, 4.0 GiB" in done.out, "machine", done)
    check("ntdll.dll:ntdll.dll" not in done.out and "C:\\Windows\\System32\\ntdll.dll" in done.out, "paths with letters", done)
    check("unknown [ntoskrnl.exe]" in t.good("report", "-g", "-i", path).out, "call tree")
    for option in ("--threads", "--timeline"):
        check("over time" in t.good("report", option, "-i", path).out, option)
    for name in ("profile.svg", "profile.folded", "profile.pb.gz"):
        t.good("export", "-i", path, "-o", t.path(name))
    done = t.good("report", "-i", path, "--time", "10%-20%", "--sort", "pid")
    check(0 < harness.quality_of(done)["samples"] < len(trace.samples), "a part of the time", done)


def test_standard_input_may_be_a_trace(t: Context) -> None:
    path = extract(t, KERNEL_TRACE)
    for command in ("report", "dump"):
        with open(path, "rb") as trace:
            done = t.ours(command, "-i", "-", stdin=trace)
        check(done.status == 0 and done.out == t.good(command, "-i", path).out, f"{command} of standard input", done)


def test_archive_travels(t: Context) -> None:
    """The session that is packed has the same rows, and the trace itself is never overwritten."""
    path = extract(t, KERNEL_TRACE)
    shutil.copyfile(path, t.path("before"))
    done = t.ours("archive", "-i", path)
    check(done.status != 0 and "-o" in done.err and filecmp.cmp(path, t.path("before")), "the trace is as it was", done)
    t.good("archive", "-i", path, "-o", t.path("travels.data"))
    check(rows(t, t.path("travels.data"), "pid,module") == rows(t, path, "pid,module"), "the same rows")


def test_a_trace_that_is_cut_keeps_what_it_has(t: Context) -> None:
    path, trace = kernel_trace(t)
    size = os.path.getsize(path)
    for part in (0.9, 0.5):
        os.truncate(path, int(size * part))
        done = t.good("report", "-i", path)
        n = harness.quality_of(done)["samples"]
        check("poor: " in done.out and "the session file is incomplete or damaged" in done.out, "a poor profile", done)
        check(0.3 * part * len(trace.samples) < n < len(trace.samples) and "note: " in done.out and "the file is damaged: " in done.out,
              f"{n} samples", done)
    os.truncate(path, 1000)
    check(t.ours("report", "-i", path).status == 1, "a file without its first buffer")


def test_traces_without_samples_say_so(t: Context) -> None:
    done = t.ours("report", "-i", os.path.join(FOLDER, "SelfDescribingSingleEvent.etl"))
    check(done.status == 1 and "no samples in 22 events" in done.err and done.err.count("\n") == 1, "one sentence", done)


def test_dump_shows_traces_without_samples(t: Context) -> None:
    """Processes, images and switches are there to see; nothing else reads such a trace."""
    path, trace = kernel_trace(t)
    with open(path, "rb") as file:
        data = file.read()

    def hide_samples(event: etl_reader.Event, events: bytearray) -> None:
        if event.hook == etl_reader.SAMPLE:
            struct.pack_into("<H", events, event.at + 6, 0x0F00)

    bare = etl_reader.changed_events(data, hide_samples)
    with open(t.path("bare.etl"), "wb") as file:
        file.write(bare)
    check(t.ours("report", "-i", t.path("bare.etl")).status == 1, "no report")
    check(not records(t, t.path("bare.etl"), "SAMPLE", r" tid (\d+)"), "no samples")
    images = r" start (0x\w+) len (0x\w+) .*? path \"?(.*?)\"? sample_id"
    check(records(t, t.path("bare.etl"), "MMAP2", images) == records(t, path, "MMAP2", images) != [], "the same images")
    done = t.good("dump", "-i", t.path("bare.etl"), "--json")
    check(harness.document_of(done)["records"], "a document", done)


if __name__ == "__main__":
    harness.main(__name__)
