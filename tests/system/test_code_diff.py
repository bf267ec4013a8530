#!/usr/bin/python3
"""diff --code: variants of a program by several compilers, against what is known of them and against objdump."""
import csv
import io
import json
import os
import re
import shutil
import subprocess

import diff_sessions
import harness
from harness import Context, Skip, check

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "code_variants.c")
OURS = {"add", "hidden", "sum", "choose", "scale", "fill", "name_of", "check", "main"}
X86, ARM64, MINGW = "gcc", "aarch64-linux-gnu-gcc", "x86_64-w64-mingw32-gcc"
SAME = {"identical", "moved", "same but for addresses"}


def need(compiler: str) -> None:
    if not shutil.which(compiler):
        raise Skip(compiler)


def need_x86() -> None:
    if os.uname().machine != "x86_64":
        raise Skip("an x86-64 machine")
    need(X86)


def variant(text: str, name: str) -> str:
    head, *functions = text.split("/* --- */\n")
    if name == "line":
        assert text.count("x * 7 - 2") == 1
        return text.replace("x * 7 - 2", "x * 9 - 2")
    if name == "order":
        return head + "".join(reversed(functions))
    if name == "constant":
        assert text.count("d * 1.5") == 1
        return text.replace("d * 1.5", "d * 2.5")
    if name == "text":
        assert text.count("another text") == 1
        return text.replace("another text", "another word")
    if name == "callee":
        assert text.count("return add(x, 2)") == 1
        return text.replace("return add(x, 2)", "return sum(&x, 2)")
    if name == "cases":
        assert text.count("case 0: return x + 1;\n        case 1: return") == 1
        return text.replace("case 0: return x + 1;\n        case 1: return", "case 1: return x + 1;\n        case 0: return")
    return text


def build(t: Context, compiler: str, name: str, *flags: str) -> str:
    """The program of a variant."""
    need(compiler)
    with open(SOURCE, encoding="utf-8") as file:
        text = variant(file.read(), name)
    path = t.path(re.sub(r"[^\w]+", "_", "-".join((compiler, name, *flags))))
    if compiler == MINGW:
        path += ".exe"
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([compiler, "-O2", *flags, path + ".c", "-o", path], check=True)
    return path


def strip(compiler: str, path: str) -> str:
    tool = "strip" if compiler == X86 else compiler.replace("gcc", "strip")
    subprocess.run([tool, "-o", path + ".stripped", path], check=True)
    return path + ".stripped"


def states(t: Context, a: str, b: str, *more: str) -> dict[str, str]:
    """State by function: of all functions, by their name in A, else in B."""
    document = json.loads(t.good("diff", "--code", "--json", *more, a, b).out)
    found = {}
    for row in document["functions"]:
        name = row["function"].rsplit(":", 1)[0].split(" -> ")[0]
        found[name] = row["state"]
    return found


def changed(found: dict[str, str]) -> set[str]:
    return {name for name, state in found.items() if state not in SAME}


def normal_objdump(compiler: str, path: str) -> dict[str, list[str]]:
    """The instructions of each function in objdump's text, without what the linker decides."""
    tool = "objdump" if compiler == X86 else compiler.replace("gcc", "objdump")
    out = subprocess.run([tool, "-d", "--no-show-raw-insn", path], check=True, text=True, stdout=subprocess.PIPE).stdout
    functions: dict[str, list[str]] = {}
    for block in out.split("\n\n"):
        heading = re.match(r"[0-9a-f]+ <([^>]+)>:\n", block)
        if not heading:
            continue
        name = heading[1].removesuffix(".cold")
        lines = functions.setdefault(name, [])
        for line in block[heading.end():].splitlines():
            text = line.split("\t", 1)[-1].split("#")[0]
            text = re.sub(r"\b[0-9a-f]+ <([^+>]+)(?:\+0x[0-9a-f]+)?>", lambda m: "own" if m[1].startswith(name) else m[1], text)
            text = re.sub(r"-?0x[0-9a-f]+\(%rip\)", "ADDRESS(%rip)", text).strip()
            if not re.match(r"(data16 |cs |rep )*nop|xchg +%ax,%ax", text):
                lines.append(re.sub(r"\s+", " ", text))
    return functions


def differing(compiler: str, a: str, b: str) -> set[str]:
    x, y = normal_objdump(compiler, a), normal_objdump(compiler, b)
    return {name for name in OURS if x.get(name) != y.get(name)}


# --- Variants ---


def test_a_program_is_identical_to_itself(t: Context) -> None:
    need_x86()
    a = build(t, X86, "plain")
    check(set(states(t, a, a).values()) == {"identical"}, "all functions")


def expect_line_and_order(t: Context, compiler: str, *flags: str) -> None:
    a = build(t, compiler, "plain", *flags)
    line, order = build(t, compiler, "line", *flags), build(t, compiler, "order", *flags)
    found = states(t, a, line)
    check(changed(found) == {"choose"} and found["choose"] == "changed", f"one function is changed: {changed(found)}")
    check(OURS <= set(found), f"all functions are known: {sorted(found)}")
    found = states(t, a, order)
    check(not changed(found), f"the order changes no function: {changed(found)}")
    check("moved" in found.values(), f"but moves some: {found}")


def test_one_line_and_the_order_by_gcc(t: Context) -> None:
    need_x86()
    expect_line_and_order(t, X86)
    expect_line_and_order(t, X86, "-O3")


def test_one_line_and_the_order_at_a_fixed_address(t: Context) -> None:
    need_x86()
    expect_line_and_order(t, X86, "-no-pie", "-fno-pie")


def test_one_line_and_the_order_by_clang(t: Context) -> None:
    need_x86()
    expect_line_and_order(t, "clang-14")


def test_one_line_and_the_order_in_relocatable_objects(t: Context) -> None:
    need_x86()
    expect_line_and_order(t, X86, "-c")
    expect_line_and_order(t, "clang-14", "-c")


def test_one_line_and_the_order_on_arm64(t: Context) -> None:
    expect_line_and_order(t, ARM64)
    expect_line_and_order(t, ARM64, "-c")


def test_one_line_and_the_order_in_pe_images(t: Context) -> None:
    expect_line_and_order(t, MINGW)


def test_stripped_programs_are_matched_by_their_code(t: Context) -> None:
    for compiler in (X86, ARM64, MINGW):
        if compiler == X86 and os.uname().machine != "x86_64" or not shutil.which(compiler):
            continue
        a, b = build(t, compiler, "plain"), build(t, compiler, "order")
        bare = states(t, strip(compiler, a), strip(compiler, b))
        check(not changed(bare), f"{compiler}: both stripped: {changed(bare)}")
        found = states(t, a, b + ".stripped")
        check("changed" not in found.values() and not any(state.startswith("only") for state in found.values()),
              f"{compiler}: one stripped: {changed(found)}")
        check(all(found[name] in SAME for name in OURS), f"{compiler}: its functions are found: {found}")
        line = states(t, a, strip(compiler, build(t, compiler, "line")))
        check([name for name in OURS if line[name] == "changed"] == ["choose"], f"{compiler}: one is changed: {line}")


def test_data_that_code_refers_to(t: Context) -> None:
    """Constants, texts, callees and jump tables count; where they are does not."""
    need_x86()
    for flags in ((), ("-no-pie", "-fno-pie"), ("-c",)):
        a = build(t, X86, "plain", *flags)
        for name, function in (("constant", "scale"), ("text", "name_of"), ("callee", "choose")):
            found = states(t, a, build(t, X86, name, *flags))
            check(changed(found) == {function}, f"{name} {flags}: {changed(found)}")
    for compiler in (X86, ARM64):
        if shutil.which(compiler):
            found = states(t, build(t, compiler, "plain"), build(t, compiler, "cases"))
            check(changed(found) == {"choose"}, f"{compiler}: cases: {changed(found)}")


def test_an_exchanged_case_is_seen_in_the_jump_table(t: Context) -> None:
    need_x86()
    done = t.good("diff", "--code", "-s", "choose", build(t, X86, "plain"), build(t, X86, "cases"))
    check(re.search(r"^choose: machine code identical in \d+ of \d+ blocks", done.out, re.M) is not None, "a sentence", done)
    check("elements of its jump tables" in done.out or ": changed" in done.out, "the table or blocks differ", done)


# --- Registers ---

# Three functions: of the second side, `renamed` has other registers and stack slots, `mixed` uses one register for two, and
# `spilled` keeps a value on the stack; a `nop` moves the code.
X86_SIDES = ("""
        .text
        .globl renamed, mixed, spilled
        .type renamed, @function
renamed: sub $24, %rsp; mov %rdi, %rax; add 8(%rsi), %rax; mov %rax, 8(%rsp); lea (%rax,%rdx,4), %rcx; mov (%rcx), %rax; add $24, %rsp; ret
        .size renamed, .-renamed
        .type mixed, @function
mixed:  mov %rdi, %rax; add %rsi, %rcx; add %rcx, %rax; ret
        .size mixed, .-mixed
        .type spilled, @function
spilled: test %edi, %edi; je 1f; mov %rsi, %rax; add $1, %rax; ret
1:      mov 8(%rdx), %rax; ret
        .size spilled, .-spilled
""", """
        .text
        .globl renamed, mixed, spilled
        nop
        .type renamed, @function
renamed: sub $24, %rsp; mov %r12, %r8; add 8(%r13), %r8; mov %r8, (%rsp); lea (%r8,%rdx,4), %rdi; mov (%rdi), %r8; add $24, %rsp; ret
        .size renamed, .-renamed
        .type mixed, @function
mixed:  mov %rdi, %rax; add %rsi, %rax; add %rcx, %rax; ret
        .size mixed, .-mixed
        .type spilled, @function
spilled: test %edi, %edi; je 1f; mov 16(%rsp), %rax; add $1, %rax; ret
1:      mov 8(%rcx), %rax; ret
        .size spilled, .-spilled
""")
ARM64_SIDES = ("""
        .text
        .globl renamed, mixed, spilled
        .type renamed, @function
renamed: sub sp, sp, #32; add x0, x1, x2; ldr x3, [x0, #8]; str x3, [sp, #8]; madd x4, x0, x3, x1; fmov d0, x4; fadd d1, d0, d0; cbz x4, 1f; add sp, sp, #32
1:      ret
        .size renamed, .-renamed
        .type mixed, @function
mixed:  add x0, x1, x2; add x3, x1, x2; ret
        .size mixed, .-mixed
        .type spilled, @function
spilled: cbz w0, 1f; mov x0, x1; add x0, x0, #1; ret
1:      ldr x0, [x2, #8]; ret
        .size spilled, .-spilled
""", """
        .text
        .globl renamed, mixed, spilled
        nop
        .type renamed, @function
renamed: sub sp, sp, #32; add x9, x8, x7; ldr x6, [x9, #8]; str x6, [sp, #16]; madd x5, x9, x6, x8; fmov d3, x5; fadd d2, d3, d3; cbz x5, 1f; add sp, sp, #32
1:      ret
        .size renamed, .-renamed
        .type mixed, @function
mixed:  add x0, x1, x2; add x0, x1, x2; ret
        .size mixed, .-mixed
        .type spilled, @function
spilled: cbz w0, 1f; ldr x0, [sp, #16]; add x0, x0, #1; ret
1:      ldr x0, [x3, #8]; ret
        .size spilled, .-spilled
""")


def expect_renamed(t: Context, compiler: str, sides: tuple[str, str]) -> None:
    need(compiler)
    paths = []
    for name, text in zip("ab", sides):
        paths.append(t.path(f"{name}.{compiler}.o"))
        subprocess.run([compiler, "-c", "-x", "assembler", "-", "-o", paths[-1]], input=text, text=True, check=True)
    blocks = {}
    for name in ("renamed", "mixed", "spilled"):
        document = json.loads(t.good("diff", "--code", "--json", "-s", name, *paths).out)
        row, = document["functions"]
        check(row["state"] == "changed", f"{name} is changed: {row}")
        blocks[name] = [block["state"] for block in document["compared"][0]["blocks"]]
        check(row["register_blocks"] == blocks[name].count("same but for registers"), f"{row} {blocks}")
    check(set(blocks["renamed"]) == {"same but for registers"}, f"renamed: {blocks}")
    check(blocks["mixed"] == ["changed"], f"two registers became one: {blocks}")
    check(sorted(blocks["spilled"]) == ["changed", "same but for registers"], f"one block has another instruction: {blocks}")
    done = t.good("diff", "--code", "-s", "spilled", *paths)
    check("the same but for registers in 1" in done.out and done.out.count("\nblock ") == 1, "only the changed block is listed", done)


def test_registers_are_renamed(t: Context) -> None:
    need_x86()
    expect_renamed(t, X86, X86_SIDES)


def test_registers_are_renamed_on_arm64(t: Context) -> None:
    expect_renamed(t, ARM64, ARM64_SIDES)


N_CASES = 40


def build_cases(t: Context) -> list[str]:
    """Two programs with a jump table.  The cases of the second have other registers, and are laid out in the opposite order."""
    need_x86()
    paths = []
    for name, order, x, y in (("a", range(N_CASES), "rax", "rsi"), ("b", reversed(range(N_CASES)), "rcx", "r8")):
        cases = "\n".join(f"c{i}: mov 8(%{y}), %{x}; imul $1000, %{x}; mov %{x}, (%{y}); jmp end" for i in order)
        table = "\n".join(f".long c{i} - table" for i in range(N_CASES))
        text = (f".text\n.globl f\n.type f, @function\nf: lea table(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rdi\nadd %rdx, %rdi\n"
                f"jmp *%rdi\n{cases}\nend: ret\n.size f, .-f\n.section .rodata\n.align 4\ntable: {table}\n"
                f".globl main\n.text\n.type main, @function\nmain: sub $24, %rsp\nmov $200000000, %r9d\n"
                f"1: mov %r9d, %eax\nxor %edx, %edx\nmov ${N_CASES}, %ecx\ndiv %ecx\nmov %edx, %edi\nmov %rsp, %rsi\nmov %rsp, %r8\n"
                f"call f\ndec %r9d\njne 1b\nxor %eax, %eax\nadd $24, %rsp\nret\n.size main, .-main\n"
                f".section .note.GNU-stack,\"\",@progbits\n")
        os.mkdir(t.path(name))
        paths.append(t.path(os.path.join(name, "cases")))
        subprocess.run([X86, "-x", "assembler", "-", "-o", paths[-1]], input=text, text=True, check=True)
    return paths


def check_cases(document: dict, what: str) -> None:
    """The first four instructions and the end are one block each, so case i is block i + 2 in A and N_CASES - 1 - i + 2 in B."""
    found = {(block.get("a_block"), block.get("b_block")): block["state"] for block in document["compared"][0]["blocks"]}
    wanted = {(i + 2, N_CASES - i + 1): "same but for registers" for i in range(N_CASES)}
    check(found.items() >= wanted.items(), f"{what}: each case has its own one: {found}")
    check(document["compared"][0]["changed_table_elements"] == 0, f"{what}: the table leads to the same cases")


def test_blocks_in_another_order_are_found_by_jump_tables(t: Context) -> None:
    paths = build_cases(t)
    check_cases(json.loads(t.good("diff", "--code", "--json", "-s", "f", *paths).out), "programs")


def test_archives_have_jump_tables(t: Context) -> None:
    harness.need_events()
    paths = build_cases(t)
    sessions = [path + ".data" for path in paths]
    for path, session in zip(paths, sessions):
        t.good("record", "-q", "--session", session, "--timeout", "0.3", "--", path)
        t.good("archive", "-i", session)
    os.remove(paths[0])
    check_cases(json.loads(t.good("diff", "--code", "--json", "-s", "f", sessions[0], paths[1]).out), "archive and program")
    os.remove(paths[1])
    check_cases(json.loads(t.good("diff", "--code", "--json", "-s", "f", *sessions).out), "archives")


# --- objdump ---


def test_agrees_with_objdump(t: Context) -> None:
    """The functions that are changed are those whose text by objdump differs."""
    need_x86()
    need("objdump")
    a = build(t, X86, "plain")
    pairs = [(X86, a, build(t, X86, "line")), (X86, a, build(t, X86, "order")), (X86, a, build(t, X86, "plain", "-O3")),
             (X86, a, build(t, X86, "plain", "-O1")), (X86, a, build(t, "clang-14", "plain"))]
    if shutil.which(ARM64):
        pairs += [(ARM64, build(t, ARM64, "plain"), build(t, ARM64, "line"))]
    for compiler, x, y in pairs:
        found = changed(states(t, x, y)) & OURS
        check(found == differing(compiler, x, y), f"{y}: ours {sorted(found)}, objdump {sorted(differing(compiler, x, y))}")


def test_the_instructions_of_a_changed_block(t: Context) -> None:
    """gcc computes x * 7 as x * 8 - x, and x * 9 as x + x * 8: the lines have objdump's addresses."""
    need_x86()
    a, b = build(t, X86, "plain"), build(t, X86, "line")
    document = json.loads(t.good("diff", "--code", "--json", "-s", "choose", a, b).out)
    blocks = [block for block in document["compared"][0]["blocks"] if block["state"] == "changed"]
    check(len(blocks) == 1, f"one block: {blocks}")
    for path, side in ((a, "a"), (b, "b")):
        out = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, text=True, stdout=subprocess.PIPE).stdout
        lines = [line for line in blocks[0]["lines"] if line[f"{side}_code"]]
        for line in lines:
            known = re.search(rf"^ +{int(line[f'{side}_address'], 16):x}:\t(\w+)", out, re.M)
            check(known is not None and line[f"{side}_code"].startswith(known[1][:3]), f"{path}: {line}, objdump {known}")
        check(any(line["mark"] != " " for line in lines), f"some lines differ: {lines}")


# --- Sessions, forms and mistakes ---


def test_sessions_have_shares(t: Context) -> None:
    need_x86()
    harness.need_events()
    folder_a, folder_b = t.path("old"), t.path("new")
    os.mkdir(folder_a)
    os.mkdir(folder_b)
    for folder, name in ((folder_a, "plain"), (folder_b, "line")):
        shutil.copy(build(t, X86, name, "-Dmain=once", "-c"), os.path.join(folder, "part.o"))
        with open(os.path.join(folder, "loop.c"), "w", encoding="utf-8") as file:
            file.write("int choose(int, int);\nint main(void)\n{\n"
                       "        unsigned s = 0;\n        for (unsigned i = 0; i < 400000000; i++)\n"
                       "                s += (unsigned)choose(1, (int)(i & 1023));\n        return s == 42;\n}\n")
        subprocess.run([X86, "-O1", os.path.join(folder, "loop.c"), os.path.join(folder, "part.o"), "-o",
                        os.path.join(folder, "loop")], check=True)
        t.good("record", "-q", "--session", os.path.join(folder, "run.data"), "--timeout", "1", "--", os.path.join(folder, "loop"))
    a, b = os.path.join(folder_a, "run.data"), os.path.join(folder_b, "run.data")
    done = t.good("diff", "--code", "-s", "choose", a, "--", b)
    found = re.search(r"^choose: machine code identical in (\d+) of \d+ blocks, ([\d.]+) % of its samples in A and ([\d.]+) % in B "
                      r"in changed ones; change: \w", done.out, re.M)
    check(found is not None and float(found[2]) > 5 and float(found[3]) > 5, "shares of the changed block", done)
    check("blocks with most of the function's samples" in done.out, "hot blocks", done)
    document = json.loads(t.good("diff", "--code", "--json", "-s", "choose", a, "--", b).out)
    hot = document["compared"][0]["hot_blocks"]
    check(hot and sum(row["a_percent"] or 0 for row in hot) > 90 and hot[0]["a_percent"] + hot[0]["b_percent"] > 20, f"hot first: {hot}")
    check({row["state"] for row in hot} >= {"same", "changed"}, f"also those that are the same: {hot}")
    gains = {}
    for x, y in ((a, a), (a, b), (b, a)):
        rows = json.loads(t.good("diff", "--code", "--json", x, "--", y).out)["functions"]
        gains[x, y] = [row["gain_percent"] for row in rows if row["function"].startswith("choose")][0]
    check(gains[a, a] == 0 and gains[a, b] * gains[b, a] < 0, f"time that the function takes more in B: {gains}")
    before = states(t, a, b)
    check(before.get("choose") == "changed" and before.get("main") in SAME, f"{before}")
    for path in (a, b):
        t.good("archive", "-i", path)
    for folder in (folder_a, folder_b):
        os.remove(os.path.join(folder, "loop"))
    archived = states(t, a, b)
    check(archived.get("choose") == "changed" and archived.get("main") in SAME, f"the archives have the code: {archived}")


def test_csv_has_a_row_for_each_function_or_line(t: Context) -> None:
    need_x86()
    a, b = build(t, X86, "plain"), build(t, X86, "line")
    rows = list(csv.DictReader(io.StringIO(t.good("diff", "--code", "--csv", a, b).out)))
    check({row["state"] for row in rows if row["function"].startswith("choose:")} == {"changed"}, f"{rows}")
    lines = list(csv.DictReader(io.StringIO(t.good("diff", "--code", "--csv", "-s", "choose", a, b).out)))
    check(len(lines) > 2 and {line["mark"] for line in lines} & set("|<>"), f"{lines}")


def test_mistakes_are_one_sentence(t: Context) -> None:
    need_x86()
    a = build(t, X86, "plain")
    text = t.path("text")
    with open(text, "w", encoding="utf-8") as file:
        file.write("no program\n")
    for arguments, words in (([a], "two programs or sessions"), ([a, a, "-s", "chose"], "did you mean 'choose'?"),
                             ([a, a, "-M", "foo"], "-M takes intel or att"), ([a, text], "not a perf.data file"),
                             ([a, t.path("nothing")], "nothing"), ([a, a, a], "3 are given")):
        done = t.ours("diff", "--code", *arguments)
        check(done.status in (1, 2) and words in done.err and done.err.count("\n") == 1, f"{arguments}", done)
    if shutil.which(ARM64):
        done = t.ours("diff", "--code", a, build(t, ARM64, "plain"))
        check(done.status == 1 and "different machines" in done.err, "machines", done)


def test_functions_that_are_too_large(t: Context) -> None:
    need_x86()
    path = t.path("large.o")
    text = ".text\n.globl f\n.type f, @function\nf: .fill 0x100001, 1, 0xc3\n.size f, .-f\n"
    subprocess.run([X86, "-c", "-x", "assembler", "-", "-o", path], input=text, text=True, check=True)
    done = t.ours("diff", "--code", path, path)
    check(done.status == 1, "refused", done)
    harness.check_sentence(done, "large.o: each of its functions is larger than 1 MiB")


def test_damaged_programs_are_not_called_sessions(t: Context) -> None:
    """Each message names the file and the place in it."""
    diff_sessions.write_runs(t.folder, 1)
    with open(t.path("old"), "rb") as file:
        good = file.read()

    def changed(at: int, data: bytes) -> bytes:
        return good[:at] + data + good[at + len(data):]

    damaged = {
        "cut": (good[:30], "ELF header is cut after 30 bytes"),
        "half": (good[:len(good) // 2], "section table at 0x"),
        "class": (changed(4, b"\x09"), "ELF header: class 9 is not known"),
        "order": (changed(5, b"\x09"), "ELF header: byte order 9 is not known"),
        "entries": (changed(58, b"\x01\x00"), "section table: entries of 1 bytes, 64 are needed"),
        "symbols": (changed(len(good) - 3 * 64 + 24, b"\xff" * 7), "section .symtab lies outside the file"),
        "pe": (b"MZ" + bytes(100), "is not a PE image"),
    }
    for name, (data, words) in damaged.items():
        with open(t.path(name), "wb") as file:
            file.write(data)
        for argv in ((name, "new"), ("new", name), (name, "b-1.data")):
            done = t.ours("diff", "--code", *argv)
            check(done.status == 1, f"{name}: refused", done)
            harness.check_sentence(done, f"{name}: {words}")


if __name__ == "__main__":
    harness.main(__name__)
