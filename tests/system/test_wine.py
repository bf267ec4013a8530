#!/usr/bin/python3
"""Windows programs under wine: PE images of both file alignments, with names and lines from their PDB files."""
import os
import re
import shutil
import subprocess

import harness
from harness import Context, Done, check
from test_archive import STACKS, Elsewhere, compare

WINE = "/usr/lib/wine/wine64"
WINE_SECONDS = 120
IMAGE_BASE = 0x140000000
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "burn_pe.c")
WINE_DLLS = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows"
PREFIX: list[str] = []


def wine_environment() -> dict[str, str]:
    """With a prefix that all tests share, because making one takes ten seconds."""
    if not os.path.exists(WINE):
        raise harness.Skip("wine")
    if not PREFIX:
        PREFIX.append(os.path.join(harness.CACHE, "wine"))
        env = harness.environment(WINEPREFIX=PREFIX[0], WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree=d;mshtml=d")
        subprocess.run(["wineboot", "-i"], env=env, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=WINE_SECONDS)
        subprocess.run(["wineserver", "-w"], env=env, check=True, timeout=WINE_SECONDS)
    return harness.environment(WINEPREFIX=PREFIX[0], WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree=d;mshtml=d")


def build(t: Context, name: str, alignment: int, folder: str | None = None) -> str:
    """NAME.exe and NAME.pdb."""
    folder = folder or t.folder
    source = os.path.join(folder, "burn_pe.c")
    program = os.path.join(folder, name + ".exe")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(SOURCE, source)
    harness.need_tool("lld-link-14")
    t.run(harness.need_tool("clang-14"), "--target=x86_64-pc-windows-msvc", "-O2", "-g", "-gcodeview", "-ffreestanding",
          "-fno-unroll-loops", "-c", source, "-o", program + ".obj")
    done = t.run("lld-link-14", program + ".obj", "/subsystem:console", "/entry:begin", "/nodefaultlib", "/debug",
                 f"/filealign:{alignment}", f"/out:{program}", f"/pdb:{os.path.join(folder, name)}.pdb")
    check(done.status == 0, "linking", done)
    return program


def check_shares(done: Done, module: str) -> None:
    """hot_work has twice the samples of warm_work, within five standard errors."""
    a, b = harness.row_named(done, "hot_work"), harness.row_named(done, "warm_work")
    check({a.symbol, b.symbol} <= {"hot_work", "warm_work", f"hot_work:{module}", f"warm_work:{module}"}, "the module", done)
    check(a.share + b.share > 60, "most of the time is in the two functions", done)
    check(abs(a.count - 2 * b.count) < 5 * (a.count + 4 * b.count) ** 0.5 + 5, "the first has twice the other's", done)


def record(t: Context, alignment: int) -> str:
    program = build(t, f"burn{alignment}", alignment)
    done = t.ours("record", "--session", t.path("s.data"), "--", WINE, program, env=wine_environment(), limit=WINE_SECONDS)
    check(done.status == 7, "the program's own status", done)
    check_shares(done, f"burn{alignment}.exe")
    return program


def check_session(t: Context, program: str) -> None:
    """The session's data about the image, and that perf reads the session."""
    name = os.path.basename(program)[:-4]
    dump = t.good("dump", "-i", t.path("s.data"))
    maps = [line for line in dump.out.splitlines() if " MMAP2 " in line and f"path {program}" in line]
    check(maps and all(" build_id " in line for line in maps), "every map of the image has its build id", dump)
    check(f"pdb {t.path(name)}.pdb" in dump.out, "the PDB's name", dump)
    perf = t.run(harness.need_tool("perf"), "report", "-i", t.path("s.data"), "--stdio", "--sort", "dso")
    check(perf.status == 0 and "wineserver64" in perf.out, "perf opens the session", perf)


@harness.limit(WINE_SECONDS)
def test_sections_that_lie_in_memory_without_a_file(t: Context) -> None:
    check_session(t, record(t, 512))


@harness.limit(WINE_SECONDS)
def test_sections_that_are_mapped(t: Context) -> None:
    check_session(t, record(t, 4096))


@harness.limit(WINE_SECONDS)
def test_attached(t: Context) -> None:
    program = build(t, "burn", 512)

    def start() -> int:
        """It works for some 3 s of CPU time."""
        target = t.start(WINE, program, env=wine_environment())
        harness.wait_until(lambda: "burn" in open(f"/proc/{target.pid}/maps", encoding="utf-8").read(), "the image")
        return target.pid

    pid = start()
    done = harness.sample_for(t, 0.7, pid, "-p", str(pid))
    check_shares(done, "burn.exe")
    check(harness.base_line(done)[0] == "burn.exe", "the program's base address", done)
    for argv in (("--pe_file", program), ("-pe_file", "burn.exe"), ("-image_name", "BURN.exe")):
        check_shares(harness.sample_for(t, 0.3, start(), *argv), "burn.exe")
    done = t.ours("sample", "-pe_file", "burn", "--timeout", "0.3")
    check(done.status == 1, "part of a name is no name", done)


@harness.limit(WINE_SECONDS)
def test_lines_and_inlined_functions(t: Context) -> None:
    record(t, 512)
    done = t.good("report", "-i", t.path("s.data"), "--inlines", "--sort", "symbol,line", "--csv")
    rows = harness.csv_of(done)
    check(any(row["symbol"].startswith("mix") and "burn_pe.c" in row["line"] for row in rows), "the inlined function", done)
    done = t.good("annotate", "-i", t.path("s.data"), "hot_work")
    check("sink = mix(sink + i);" in done.out and "imul" in done.out, "source and instructions", done)




@harness.limit(WINE_SECONDS)
def test_archived(t: Context) -> None:
    program = record(t, 512)
    session = t.path("s.data")
    forms = [("report",), ("report", "--inlines", "--sort", "symbol,line"), ("report", "--json"),
             ("annotate", "hot_work"), ("annotate", "--asm", "-M", "intel", "hot_work"), ("annotate", "--source", "hot_work")]
    before = [t.good(form[0], "-i", session, *form[1:]).out for form in forms]
    check("hot_work" in before[0] and "imul" in before[4], "names and instructions")
    done = t.good("archive", "-i", session)
    check("archived: " in done.out, "what was packed", done)
    names = t.good("symbolize", "-e", program, *(f"{rva:x}" for rva in range(0x1000, 0x1200, 16))).out.splitlines()
    address = int(next(name for name in names if "hot_work" in name).split(":")[0], 16)
    where = [t.good("symbolize", "--session", session, "-e", "burn512.exe", f"{at:x}").out.split(":", 1)[1]
             for at in (address, IMAGE_BASE + address)]
    check(where[0] == where[1] and "hot_work" in where[0], f"an RVA and an address of one place: {where}")
    for path in (program, t.path("burn512.pdb"), t.path("burn_pe.c")):
        os.remove(path)
    for form, want in zip(forms, before):
        done = t.good(form[0], "-i", session, *form[1:])
        check(done.out == want, " ".join(form) + " as before\n" + want, done)


@harness.limit(WINE_SECONDS)
def test_images_and_pdbs_that_were_moved(t: Context) -> None:
    program = record(t, 512)
    kept, other = t.path("kept"), t.path("other")
    os.mkdir(kept)
    os.rename(program, os.path.join(kept, "BURN512.EXE"))
    os.rename(t.path("burn512.pdb"), os.path.join(kept, "Burn512.pdb"))
    session = t.path("s.data")
    gone = t.good("report", "-i", session)
    check("hot_work" not in gone.out, "no names without image and PDB", gone)
    check_shares(t.good("report", "-i", session, "--symbol-path", f"/nowhere;{kept}"), "burn512.exe")
    found = t.good("report", "-i", session, env=harness.environment(_NT_SYMBOL_PATH=f"srv*{kept}*https://example.org"))
    check_shares(found, "burn512.exe")
    named = t.good("report", "-i", session, "--pe_file", os.path.join(kept, "BURN512.EXE"), "--pdb_file",
                   os.path.join(kept, "Burn512.pdb"))
    check_shares(named, "burn512.exe")
    # Only the PDB has names; the session has its identity.
    check_shares(t.good("report", "-i", session, "--pdb_file", os.path.join(kept, "Burn512.pdb")), "burn512.exe")
    packed = t.good("archive", "-i", session, "-o", "packed.data", "--symbol-path", kept)
    check("archived: " in packed.out, "packing", packed)
    check_shares(t.good("report", "-i", "packed.data"), "burn512.exe")
    build(t, "burn512", 4096, other)
    none = t.ours("report", "-i", session, "--pdb_file", "nowhere.pdb")
    check(none.status == 1, "a PDB that is not there", none)
    harness.check_sentence(none, "PDB file 'nowhere.pdb' doesn't exist")
    named = t.ours("symbolize", "-e", os.path.join(kept, "BURN512.EXE"), "1000", "--symbol-path", "/nowhere", "--pdb_file",
                   shutil.copy(os.path.join(other, "burn512.pdb"), t.path("x.pdb")))
    check("begin at " in named.out and named.err == "", "the PDB beside the image", named)
    os.rename(os.path.join(kept, "Burn512.pdb"), t.path("away.pdb"))
    named = t.ours("symbolize", "-e", os.path.join(kept, "BURN512.EXE"), "1000", "--pdb_file", "x.pdb")
    check("x.pdb is of another build: its id is " in named.err, "the named PDB is another's", named)
    wrong = t.good("report", "-v", "-i", session, "--pdb_file", os.path.join(other, "burn512.pdb"))
    check("hot_work" not in wrong.out, "no names of another build", wrong)
    check("is of another build: its id is " in wrong.out and ", but the image needs " in wrong.out, "both identities", wrong)


@harness.limit(WINE_SECONDS)
def test_a_pdb_alone_knows_sections_that_were_mapped(t: Context) -> None:
    program = record(t, 4096)
    os.remove(program)
    check_shares(t.good("report", "-i", t.path("s.data")), "burn4096.exe")


# --- call stacks ---

# Functions of calls_pe.c, outermost first, and functions of libraries between them and after them.
CALLS = ("work", "outer", "inner", "with_alloca", "with_pages", "with_doubles", "jumps", "jumped_to", "descend", "sort_some",
         "compare", "print_some", "ask_system", "burn")
OF_MAIN = "RtlUserThreadStart;BaseThreadInitThunk;[^;]*;__tmainCRTStartup;main"
OF_THREAD = "RtlUserThreadStart;BaseThreadInitThunk;in_thread"
OF_CALLS = (r"work((;outer(;inner)?|;with_alloca|;with_pages|;with_doubles|;jumps|(;descend){1,11})?(;burn|;___chkstk_ms)?|JUMPED(;burn)?"
            r"|;sort_some(;qsort(;[^;]+)*?(;compare(;burn)?)?)?|;print_some(;.*)?|;ask_system(;.*)?)?")


def call_path(is_optimized: bool) -> re.Pattern[str]:
    """The stacks that calls_pe.c can have; its last call in `jumps` is a jump in an optimized build."""
    calls = OF_CALLS.replace("JUMPED", ";jumped_to" if is_optimized else ";jumps;jumped_to")
    return re.compile(f"({OF_MAIN}|{OF_THREAD})(;{calls})?")


def build_mingw(t: Context, source: str, name: str, *options: str) -> str:
    program = t.path(name)
    compiler = harness.need_tool("x86_64-w64-mingw32-gcc")
    done = t.run(compiler, "-g", *options, os.path.join(os.path.dirname(SOURCE), source), "-o", program, "-lpsapi")
    check(done.status == 0, "compiling", done)
    return program


def check_calls(t: Context, program: str, possible: re.Pattern[str]) -> None:
    """Only stacks that the program can have, and nearly none that is cut in its own functions."""
    folded = t.good("export", "-i", t.path("s.data"), "--format", "folded").out
    right = cut = 0
    for line in folded.splitlines():
        stack, count = line.rsplit(" ", 1)
        comm, _, frames = re.sub(r"\.(?:constprop|isra|part)\.\d+", "", stack).partition(";")
        if comm != os.path.basename(program)[:15] or not set(frames.split(";")) & set(CALLS):
            continue
        if frames.startswith("[cut]"):
            cut += int(count)
            continue
        check(possible.fullmatch(frames) is not None, f"a stack that the program does not have: {frames}")
        right += int(count)
    harness.note(f"{right} stacks are whole, {cut} are cut")
    check(right > 200, f"{right} stacks in its functions")
    check(right >= 0.99 * (right + cut), f"{right} stacks are whole, {cut} are cut")


@harness.limit(WINE_SECONDS)
def test_call_stacks(t: Context) -> None:
    for level, alignment in (("-O0", 512), ("-O2", 4096)):
        program = build_mingw(t, "calls_pe.c", f"calls{level}.exe", level, f"-Wl,--file-alignment={alignment}")
        done = t.ours("record", "-g", "--session", t.path("s.data"), "--", WINE, program, "1500", env=wine_environment(),
                      limit=WINE_SECONDS)
        check(done.status == 0, "recording", done)
        check_calls(t, program, call_path(level == "-O2"))
        report = t.good("report", "-g", "-i", t.path("s.data"))
        check(re.search(r"^stacks: .* by Windows unwind information", report.out, re.M) is not None, "how frames were found", report)


@harness.limit(WINE_SECONDS)
def test_call_stacks_out_of_copies(t: Context) -> None:
    program = build_mingw(t, "calls_pe.c", "calls.exe", "-O2")
    done = t.ours("record", "--call-graph", "dwarf,32768", "--session", t.path("s.data"), "--", WINE, program, "1500",
                  env=wine_environment(), limit=WINE_SECONDS)
    check(done.status == 0, "recording", done)
    check_calls(t, program, call_path(True))
    t.good("archive", "-i", t.path("s.data"), "-o", t.path("packed.data"))
    compare(t, Elsewhere(t), t.path("s.data"), t.path("packed.data"), STACKS)


def check_steps(t: Context, program: str) -> None:
    """At each instruction the caller is the one to which it returns."""
    traced = t.path("steps.trace")
    done = t.run(WINE, program, traced, env=wine_environment(), limit=WINE_SECONDS)
    check(done.status == 0, "stepping", done)
    done = t.run(t.program("replay_steps"), traced, program, WINE_DLLS)
    check(done.status == 0, "replaying", done)
    found = {name.lower(): (int(n), int(wrong))
             for name, n, wrong in re.findall(r"^(\S+): (\d+)(?: instructions)?, (\d+) wrong", done.out, re.M)}
    harness.note(done.out)
    check(found[os.path.basename(program).lower()][0] > 3000 and found["msvcrt.dll"][0] > 500, "instructions", done)
    check(found["returns"][0] > 10000, "return addresses", done)
    check(all(wrong == 0 for _, wrong in found.values()), "no wrong caller", done)


@harness.limit(WINE_SECONDS)
def test_unwinding_at_each_instruction(t: Context) -> None:
    if not os.path.exists(WINE_DLLS):
        raise harness.Skip("wine's libraries")
    for level in ("-O0", "-O2"):
        check_steps(t, build_mingw(t, "steps_pe.c", f"steps{level}.exe", level))


if __name__ == "__main__":
    harness.main(__name__)
