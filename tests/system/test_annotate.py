#!/usr/bin/python3
"""annotate of CPython by line, instruction and handler, and the symbol cache."""
import fcntl
import glob
import json
import os
import re
import shutil
import struct
import termios

import harness
from harness import Context, Done, Skip, check
from test_main_job import FIB, STRIPPED, WORK, need_python

DEBUG_FILES = "/usr/lib/debug/.build-id"
# The library's names in LLVM's own releases, Debian 11 to 13, Ubuntu 22.04 and 24.04 and Fedora; the newest is used.
LLVM_NAMES = [f"libLLVM.so.{major}.1" for major in range(23, 17, -1)]
LLVM_NAMES += [f"libLLVM-{major}.so{end}" for major in range(17, 10, -1) for end in (".1", "")]


def need_debug_files() -> None:
    if not os.path.isdir(DEBUG_FILES):
        raise Skip(f"debug files in {DEBUG_FILES} (python3-dbg)")


def record(t: Context, name: str, python: str, code: str, *more: str) -> str:
    path = t.path(name)
    t.good("record", "-q", "-F", "1999", "--session", path, *more, "--", python, "-c", code)
    return path


def shares(done: Done) -> list[tuple[float, int, str]]:
    """(percent of the function, count, the rest) of each row of a --by table."""
    found = re.findall(r"^ +(\d+\.\d\d) +\d+\.\d\d +(\d+)  +(.*)$", done.out, re.M)
    return [(float(share), int(count), rest) for share, count, rest in found]


def check_sums(done: Done) -> None:
    """The rows contain all samples in the heading."""
    rows = shares(done)
    heading = re.search(r": (\d+) of (\d+) samples of \S+ \((\d+\.\d\d) %\), skid: possible$", done.out, re.M)
    check(heading is not None and len(rows) > 0, "a heading and rows", done)
    check(sum(count for _, count, _ in rows) == int(heading[1]), "the counts add up", done)
    check(abs(sum(share for share, _, _ in rows) - 100) < 0.01 * len(rows), "the shares too", done)
    check(abs(100 * int(heading[1]) / int(heading[2]) - float(heading[3])) < 0.5, "and the share of all", done)


def test_x_mul_by_line_and_instruction(t: Context) -> None:
    path = record(t, "x.data", need_python(), WORK, "--timeout", "2")
    for by in ("line", "instruction", "block", "function"):
        done = t.good("annotate", "-i", path, "--by", by, "--sample-display-row", "1000", "x_mul")
        check(done.out.startswith("x_mul:python3.11d: "), "of x_mul", done)
        check_sums(done)
    lines = shares(t.good("annotate", "-i", path, "--by", "line", "x_mul"))
    own = sum(count for _, count, rest in lines if re.match(r"longobject\.c:\d+", rest))
    check(own * 10 >= 9 * sum(count for _, count, _ in lines), f"lines of its file, but what was inlined: {lines}")
    whole = t.good("annotate", "-i", path)
    check(whole.out.startswith("x_mul:python3.11d: "), "it is the hottest", whole)
    check(re.search(r"^ +\d+\.\d\d +\d+ \S*[ >|]*[0-9a-f]{6}  \w+ ", whole.out, re.M) is not None, "instructions", whole)
    check("<PyErr_CheckSignals>" in t.good("annotate", "-i", path, "--asm", "-v").out, "calls have names")
    check(re.search(r"longobject\.c was not found: .*--source-path", whole.out) is not None, "the source is missing", whole)
    intel = t.good("annotate", "-i", path, "-M", "intel", "--asm").out
    check("%rax" not in intel and re.search(r"\brax\b", intel) is not None, "in Intel's syntax")


def test_wrong_usage_is_one_sentence(t: Context) -> None:
    path = record(t, "x.data", need_python(), WORK, "--timeout", "1")
    for arguments, words in {("annotate", "--by", "blok"): ["'block'"], ("annotate", "--by", "inlined", "-M", "foo"): ["-M"],
                             ("annotate", "--by", "block", "--source"): ["--by", "--source"], ("annotate", "a", "b"): ["'b'"],
                             ("report", "--inlines", "--annotate"): ["--inlines"],
                             ("report", "--sort", "pid", "--disassemble"): ["--sort"]}.items():
        done = t.ours(*arguments, "-i", path)
        check(done.status == 2 and not done.out, "wrong usage", done)
        harness.check_sentence(done, *words)
    done = t.ours("annotate", "-i", path, "no_such_function")
    check(done.status == 1, "a function without samples", done)
    harness.check_sentence(done, "no_such_function")


def test_what_is_missing_is_told(t: Context) -> None:
    path = record(t, "x.data", need_python(), WORK, "--timeout", "1")
    done = t.good("annotate", "-i", path, "x_mul")
    check(done.out.splitlines()[-1].startswith("quality: "), "the last line", done)
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) * 2 // 3)
    done = t.good("annotate", "--json", "-i", path)
    quality = json.loads(done.out)["quality"]
    check(quality["cut_bytes"] > 0 and quality["poor"], "a cut file", done)


def test_source_is_found(t: Context) -> None:
    path = record(t, "x.data", need_python(), WORK, "--timeout", "1")
    os.makedirs(t.path("src/Objects"))
    with open(t.path("src/Objects/longobject.c"), "w", encoding="utf-8") as file:
        file.write("".join(f"\tline {number};\n" for number in range(1, 7000)))
    done = t.good("annotate", "-i", path, "--source", "--source-path", t.path("src"), "x_mul")
    check("(is newer than the program)" in done.out, "it was written after the program", done)
    check(re.search(r"^ +\d+\.\d\d +\d+\.\d\d +\d+ +(\d+)  +line \1;$", done.out, re.M) is not None, "its lines", done)


def check_fib(done: Done) -> None:
    """Checks shares of some hundred samples (25 to 50 % seen), whose order varies."""
    found = {rest.split()[-1]: (row, share) for row, (share, _, rest) in enumerate(shares(done))}
    wanted = [found.get(f"TARGET_{name}") for name in ("COMPARE_OP_INT_JUMP", "BINARY_OP_ADD_INT", "BINARY_OP_SUBTRACT_INT")]
    check(all(wanted) and wanted[0][0] < 8 and sum(share for _, share in wanted) > 15, "bytecodes of fib", done)


def test_handlers_of_the_debug_build(t: Context) -> None:
    path = record(t, "d.data", need_python(), FIB % 30)
    done = t.good("annotate", "-i", path, "--by", "handler", "--sample-display-row", "1000", "_PyEval_EvalFrameDefault")
    check_sums(done)
    check_fib(done)


def test_handlers_of_the_optimised_build(t: Context) -> None:
    need_debug_files()
    path = record(t, "o.data", need_python(STRIPPED), FIB % 31)
    for by in ("handler", "line", "instruction"):
        check_sums(t.good("annotate", "-i", path, "--by", by, "--sample-display-row", "2000", "_PyEval_EvalFrameDefault"))
    done = t.good("annotate", "-i", path, "--by", "handler")
    names = [rest.split()[-1] for _, _, rest in shares(done)]
    check_fib(done)
    # Handlers that fib does not run; by the remaining addresses they would have samples.
    check("TARGET_PREP_RERAISE_STAR" not in names, "and no others", done)
    check("the compiler kept no addresses for some labels" in done.out, "says how", done)
    inlined = t.good("annotate", "-i", path, "--by", "inlined")
    check(inlined.out.startswith("all functions: ") and re.search(r" (Py_|_Py)\w+$", inlined.out, re.M) is not None,
          "what was inlined", inlined)


def test_handlers_are_of_the_hottest_function_that_has_some(t: Context) -> None:
    """Most of the time is in a multiplication, which is not an interpreter although it has a label."""
    multiply = "def f():\n s = 0\n for i in range(400000): s += i & 7\n" \
               "for i in range(60): x = (3**40000) * (7**40000)\nf()"
    path = record(t, "m.data", need_python(), multiply)
    hottest = t.good("annotate", "-i", path, "--by", "line").out.split(":")[0]
    check(hottest in ("k_mul", "x_mul"), f"the hottest function is {hottest}")
    done = t.good("annotate", "-i", path, "--by", "handler")
    check(done.out.startswith("_PyEval_EvalFrameDefault:"), "the interpreter", done)
    check(re.search(r" TARGET_\w+$", done.out, re.M) is not None, "its handlers", done)


def test_handlers_that_are_functions(t: Context) -> None:
    path = t.path("h.data")
    t.good("record", "-q", "-F", "1999", "--session", path, "--", t.program("handlers"))
    done = t.good("annotate", "-i", path, "--by", "handler")
    rows = re.findall(r"^ +(\d+\.\d\d) +\d+ +(_TAIL_CALL_\w+)$", done.out, re.M)
    check([name for _, name in rows] == ["_TAIL_CALL_ADD", "_TAIL_CALL_NOP"], "each of them", done)
    check(60 < float(rows[0][0]) < 90, "three quarters", done)
    document = json.loads(t.good("annotate", "-i", path, "--by", "handler", "--json").out)
    check(document["annotate"][0]["rows"][0]["handler"] == "_TAIL_CALL_ADD", "as JSON too")


def test_record_with_lines_and_instructions(t: Context) -> None:
    done = t.good("record", "--timeout", "1", "--disassemble", "--json", "--session", t.path("s.data"), "--", need_python(),
                  "-c", WORK)
    first = json.loads(done.out)["sampling"]["events"][0]["annotate"][0]
    check(first["function_name"] == "x_mul:python3.11d", "its hottest function", done)
    entry = first["source_code"][0]
    code = entry["disassembled_line"]["disassemble"]
    check(entry["filename"].endswith("longobject.c") and entry["line_number"] > 3000, f"{entry}")
    check(entry["instruction_address"] in [one["address"] for one in code], f"{entry}")
    check(all("\t" not in one["instruction"] for one in code), "no tabs")


def in_terminal(t: Context, columns: int, *argv: str) -> list[str]:
    """The output on a terminal of this width, as lines."""
    ours, theirs = harness.open_terminal()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = {name: value for name, value in harness.environment(TERM="xterm-256color").items() if name != "NO_COLOR"}
    process = t.start(t.wperf, *argv, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    out = b""
    while True:
        try:
            got = os.read(ours, 65536)
        except OSError: # the other end is closed
            break
        if not got:
            break
        out += got
    os.close(ours)
    check(process.wait() == 0, "it ends well")
    text = out.decode("utf-8").replace("\r\n", "\n")
    check("\x1b[3" in text, "shares are coloured")
    return re.sub(r"\x1b\[\d+m", "", text).splitlines()


def test_terminals_of_80_and_200_columns(t: Context) -> None:
    path = record(t, "x.data", need_python(), WORK, "--timeout", "1")
    os.makedirs(t.path("src/Objects"))
    with open(t.path("src/Objects/longobject.c"), "w", encoding="utf-8") as file:
        file.write(("x" * 150 + "\n") * 7000)
    for columns in (80, 200):
        lines = in_terminal(t, columns, "annotate", "-i", path, "--source-path", t.path("src"), "x_mul")
        rows = [line for line in lines if not line.startswith(("note: ", "poor: ", "quality: "))] # sentences go on in the next line
        widest = max(len(line) for line in rows)
        check(widest <= columns, f"{widest} columns: {max(rows, key=len)}")
        check(columns == 80 or widest > 150, "and as wide as may be")


# --- what is kept on disk ---


def test_answers_are_kept(t: Context) -> None:
    program = need_python()
    addresses = [hex(0x4d0000 + 61 * i) for i in range(200)]
    cache = t.path("cache")
    env = dict(harness.environment(), XDG_CACHE_HOME=cache)
    first = t.good("symbolize", "-e", program, *addresses, env=env)
    check(os.stat(os.path.join(cache, "wperf")).st_mode & 0o777 == 0o700, "the user's alone")
    files = [name for name in os.listdir(os.path.join(cache, "wperf")) if "-answers" in name]
    check(len(files) == 1, f"one file of answers: {files}")
    check(t.good("symbolize", "-e", program, *addresses, env=env).out == first.out, "the same again")
    check(t.good("symbolize", "--no-index", "-e", program, *addresses, env=env).out == first.out, "and without it")
    kept = os.path.join(cache, "wperf", files[0])
    with open(kept, "r+b") as file:
        file.seek(os.path.getsize(kept) // 2)
        file.write(b"\xff" * 64)
    damaged = t.ours("symbolize", "-e", program, *addresses, env=env)
    check(damaged.status == 0 and damaged.out == first.out, "damage changes nothing", damaged)
    check("the symbol cache is not used" in damaged.err or not damaged.err, "and is told where it is seen", damaged)
    shutil.rmtree(cache)
    t.good("symbolize", "--no-index", "-e", program, *addresses, env=env)
    check(not os.path.exists(cache), "--no-index keeps nothing")


def test_instructions_are_kept(t: Context) -> None:
    path = record(t, "x.data", need_python(), WORK, "--timeout", "1")
    env = dict(harness.environment(), XDG_CACHE_HOME=t.path("cache"))
    for style in ("att", "intel"):
        forms = [t.good("annotate", *how, "-i", path, "-M", style, "x_mul", env=env).out
                 for how in (("--no-index",), (), ())]
        check(forms[0] == forms[1] == forms[2] and "imul" in forms[0], "the same by the disassembler, kept and from there")
    loads = [t.ours("annotate", *how, "-i", path, "x_mul", env=dict(env, LD_DEBUG="files")).err for how in (("--no-index",), ())]
    check("libLLVM" in loads[0] and "libLLVM" not in loads[1], "no disassembler is loaded for what is known")


def installed_llvm() -> str:
    found = [path for name in LLVM_NAMES for path in glob.glob(f"/usr/lib/*/{name}")]
    if not found:
        raise Skip("libLLVM")
    return os.path.realpath(found[0])


def test_each_name_of_libllvm_is_tried(t: Context) -> None:
    """The folder has a library under each name, but only one of them is LLVM."""
    library, folder = installed_llvm(), t.path("names")
    empty = t.path("empty.so")
    check(t.run(harness.need_tool("gcc"), "-shared", "-o", empty, "-x", "c", "/dev/null").status == 0, "an empty library")
    path = t.path("s.data")
    t.good("record", "-q", "-F", "1999", "--session", path, "--", t.program("spin"), "100")
    os.mkdir(folder)
    for name in LLVM_NAMES:
        os.symlink(empty, f"{folder}/{name}")
    env = harness.environment(LD_LIBRARY_PATH=folder, LD_DEBUG="libs")
    asked = re.findall(r"find library=(libLLVM\S+)", t.ours("annotate", "--no-index", "-i", path, env=env).err)
    check(list(dict.fromkeys(asked)) == LLVM_NAMES, f"the newest first: {asked}")
    env = harness.environment(LD_LIBRARY_PATH=folder)
    for name in LLVM_NAMES:
        os.remove(f"{folder}/{name}")
        os.symlink(library, f"{folder}/{name}")
        done = t.good("annotate", "--no-index", "-i", path, env=env)
        check("libllvm" not in done.out and "  bytes  " not in done.out and not done.err, f"{name} is loaded", done)
        check(re.search(r"[0-9a-f]  retq?$", done.out, re.M) is not None, f"{name}: instructions", done)
        os.remove(f"{folder}/{name}")
        os.symlink(empty, f"{folder}/{name}")


def test_servers_that_are_not_there(t: Context) -> None:
    """The result is as complete as without servers, and a note says what failed."""
    program = t.path("true")
    shutil.copy("/usr/bin/true", program)
    plain = t.ours("symbolize", "-e", program, "0x2000")
    env = harness.environment(DEBUGINFOD_URLS="http://127.0.0.1:1/", DEBUGINFOD_CACHE_PATH=t.path("cache"))
    done = t.ours("symbolize", "--debuginfod", "--debuginfod-timeout", "3", "-e", program, "0x2000", env=env)
    check(done.status == plain.status == 0 and done.out == plain.out and done.seconds < 45, "the same answer", done)
    check("debuginfod" in done.err, "and why there is no better one", done)


def test_symbolize_has_the_names_of_the_symbol_table(t: Context) -> None:
    """Debug information has no linkage names for a unit's own functions: only `sum_of`."""
    program = t.program("shapes")
    names: dict[str, set[str]] = {}
    for addr, name in re.findall(r"^([0-9a-f]+) [tTwW] (.*::.*)$", t.run(harness.need_tool("nm"), "-C", program).out, re.M):
        names.setdefault(addr, set()).add(name)
    check(any("(anonymous namespace)::sum_of(" in name for known in names.values() for name in known), f"names: {names}")
    for addr, known in names.items():
        done = t.good("symbolize", "-e", program, addr)
        outer = re.search(r"^(?:0x\w+: | \(inlined by\) )(.*) at [^\n]*\Z", done.out.rstrip("\n"), re.M)
        # With a template's result type, if it has one, and g++'s parts of functions without theirs.
        check(outer is not None and any(outer[1].endswith(name) for name in known), f"{known}", done)


def test_blocks_of_an_archived_session_of_version_1(t: Context) -> None:
    session = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "replay", "archived_v1.data")
    done = t.good("annotate", "--by", "block", "-i", session)
    check_sums(done)
    rows = [(count, rest.split()) for _, count, rest in shares(done)]
    check(rows == [(19, ["block", "4", "0x11df", "0x1202"]), (7, ["block", "1", "0x11a0", "0x11b6"]),
                   (7, ["block", "3", "0x11c1", "0x11df"])], "the blocks of the code in the session", done)


COLD = """
#include <cstdio>
namespace { struct Box { int *p; Box(int n) : p(new int(n)) {} ~Box() { std::printf("%d\\n", *p); delete p; } };
struct V { virtual ~V() { std::puts("v"); } }; struct W : V { Box b; W() : b(3) {} ~W() override { std::puts("w"); } }; }
__attribute__((noinline)) V *make(int n) { return n > 1 ? new V : new W; }
int main(int c, char **) { V *v = make(c); delete v; return 0; }
"""


def test_symbolize_names_a_cold_part_as_its_function(t: Context) -> None:
    """Debug information has one function for both, and the symbol table two."""
    with open(t.path("cold.cc"), "w", encoding="utf-8") as file:
        file.write(COLD)
    done = t.run(harness.need_tool("g++"), "-O2", "-g", "-o", t.path("cold"), t.path("cold.cc"))
    check(done.status == 0, "g++", done)
    found = re.search(r"^([0-9a-f]+) t _Z4makei\.cold", t.run(harness.need_tool("nm"), t.path("cold")).out, re.M)
    if not found:
        raise Skip("a compiler that makes cold parts")
    done = t.good("symbolize", "-e", t.path("cold"), found[1])
    check(re.search(r"make\(int\) at [^\n]*\Z", done.out.rstrip("\n")) is not None, "the function's whole name", done)


if __name__ == "__main__":
    harness.main(__name__)
