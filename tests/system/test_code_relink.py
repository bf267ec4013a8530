#!/usr/bin/python3
"""diff --code: the same objects linked in another order have the same code, and each planted change is found."""
import json
import os
import random
import shutil
import subprocess

import harness
from harness import Context, Skip, check

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "code_relinked.c")
X86, CLANG, ARM64, MINGW = "gcc", "clang-14", "aarch64-linux-gnu-gcc", "x86_64-w64-mingw32-gcc"
SAME = {"identical", "moved", "same but for addresses"}


def need(compiler: str) -> None:
    if not shutil.which(compiler) or (compiler in (X86, CLANG) and os.uname().machine != "x86_64"):
        raise Skip(f"{compiler} for its machine")


def strip(compiler: str, path: str) -> str:
    tool = "strip" if compiler in (X86, CLANG) else compiler.replace("gcc", "strip")
    subprocess.run([tool, "-o", path + ".stripped", path], check=True)
    return path + ".stripped"


def rows_of(t: Context, a: str, b: str) -> dict[str, dict[str, str]]:
    rows = json.loads(t.good("diff", "--code", "--json", a, b).out)["functions"]
    return {row["function"].rsplit(":", 1)[0]: row for row in rows}


def states(t: Context, a: str, b: str) -> dict[str, str]:
    return {name: row["state"] for name, row in rows_of(t, a, b).items()}


def changed(found: dict[str, str]) -> dict[str, str]:
    return {name: state for name, state in found.items() if state not in SAME}


# --- A program of several objects ---


def compile_parts(t: Context, compiler: str, flags: tuple[str, ...]) -> list[str]:
    need(compiler)
    with open(SOURCE, encoding="utf-8") as file:
        head, *parts = file.read().split("/* --- */\n")
    objects = []
    for i, part in enumerate(parts):
        path = t.path(f"part{i}{''.join(flags)}.o")
        subprocess.run([compiler, *flags, "-x", "c", "-c", "-o", path, "-"], input=head + part, text=True, check=True)
        objects.append(path)
    return objects


def link_in_orders(t: Context, compiler: str, flags: tuple[str, ...], link: tuple[str, ...]) -> list[str]:
    objects = compile_parts(t, compiler, flags)
    shuffled = list(objects)
    random.Random(3).shuffle(shuffled)
    paths = []
    for name, order in (("a", objects), ("b", objects[::-1]), ("c", shuffled)):
        paths.append(t.path(f"{name}{''.join(flags)}.exe"))
        subprocess.run([compiler, *order, *link, "-o", paths[-1]], check=True)
    return paths


def expect_no_change(t: Context, compiler: str, *flags: str, link: tuple[str, ...] = ()) -> None:
    a, *others = link_in_orders(t, compiler, flags, link)
    for b in others:
        found = states(t, a, b)
        check(not changed(found), f"{compiler} {flags}: {changed(found)}")
        check("moved" in found.values() and "compute" in found, f"{compiler} {flags}: functions moved: {found}")
        bare = strip(compiler, b)
        found = states(t, a, bare)
        check("changed" not in found.values() and "only in B" not in found.values(), f"{compiler} {flags}, one stripped: {changed(found)}")
        found = states(t, strip(compiler, a), bare)
        check(not changed(found), f"{compiler} {flags}, both stripped: {changed(found)}")


def test_x86_64(t: Context) -> None:
    for level in ("-O2", "-O3", "-Os"):
        expect_no_change(t, X86, level)
    expect_no_change(t, X86, "-O2", "-fno-pie", link=("-no-pie",))
    expect_no_change(t, X86, "-O2", "-fPIC", link=("-shared",))


def test_clang(t: Context) -> None:
    expect_no_change(t, CLANG, "-O2")


def test_arm64(t: Context) -> None:
    for level in ("-O2", "-O3", "-Os"):
        expect_no_change(t, ARM64, level)
    expect_no_change(t, ARM64, "-O2", "-fPIC", link=("-shared",))


def test_pe(t: Context) -> None:
    for level in ("-O2", "-O3"):
        expect_no_change(t, MINGW, level)


# --- Planted changes ---

CONSTANT, BOUND, CALL, OTHER = {"a constant"}, {"a bound"}, {"a call"}, {"other"}
NUMBER = CONSTANT | OTHER  # other numbers need other instructions

# A function, the text that is replaced in it, what replaces it, and which kinds of a change this may be.
PLANTED = (
    ("intern", "* 8 + kind", "* 16 + kind", NUMBER),  # a constant
    ("intern", "s->top == 64", "s->top == 63", BOUND),  # a bound
    ("begin", "i < 4; i++", "i < 3; i++", BOUND),  # the bound of a loop
    ("begin", "searchers[i], i + 1)", "searchers[i], i + 2)", BOUND | OTHER),
    ("token_of", "case '>': return 6", "case '?': return 6", OTHER),  # an element of a jump table
    ("token_of", "9L * s->line", "9L + s->line", OTHER),  # an instruction
    ("token_of", "\"two dots\"", "\"three dots\"", CONSTANT),  # a text
    ("check", "x > 100000", "x >= 100000", BOUND | CONSTANT),  # a condition
    ("compute", "y / 3", "y / 5", NUMBER),
    ("compute", "case 2: return x * y;", "case 2: return check(s, x * y);", CALL),  # another callee
    ("find_text", "is_find ? 3 : 2", "is_find ? 3 : 4", NUMBER),
    ("text_match", "find_text(s, 0, 0)", "find_text(s, 0, 0) + 1", NUMBER),
    ("text_kind", "return 77", "return 78", CONSTANT),
    ("list_first", "next_item(s, 1, 0)", "next_item(s, 1, 0) - s->line", OTHER),
    ("list_sum", "* 7 + i", "* 7 - i", OTHER),  # a vectorised loop
    ("mixed", "* 1.5", "* 1.75", CONSTANT),  # a constant in memory
    ("mixed", "sum += v[i] >", "sum -= v[i] >", OTHER),
    ("add_entries", "> 60", "> 61", BOUND),
    ("main", "compute(&s, argc)", "compute(&s, argc + 1)", NUMBER),
)


def planted_program(t: Context, compiler: str, flags: tuple[str, ...], number: int | None) -> str:
    with open(SOURCE, encoding="utf-8") as file:
        text = file.read()
    if number is not None:
        _, old, new, _ = PLANTED[number]
        check(text.count(old) == 1, f"{old!r} is in the source once")
        text = text.replace(old, new)
    head, *parts = text.split("/* --- */\n")
    path = t.path(f"planted{number}{''.join(flags)}.exe")
    subprocess.run([compiler, *flags, "-x", "c", "-", "-o", path], input=head + "".join(parts), text=True, check=True)
    return path


def changed_rows(t: Context, a: str, b: str) -> dict[str, dict[str, str]]:
    return {name: row for name, row in rows_of(t, a, b).items() if row["state"] not in SAME}


def expect_planted(t: Context, compiler: str, *flags: str) -> None:
    """Only the changed function is changed."""
    need(compiler)
    plain = planted_program(t, compiler, flags, None)
    for i, (name, old, _, kinds) in enumerate(PLANTED):
        rows = changed_rows(t, plain, planted_program(t, compiler, flags, i))
        names = {key.split(".")[0] for key in rows}  # of clones
        check(names == {name}, f"{compiler} {flags}, {old!r}: {rows}")
        for row in rows.values():
            check(row["state"] == "changed" and row["change"] in kinds, f"{compiler} {flags}, {old!r}: {row}")


def test_planted_changes(t: Context) -> None:
    expect_planted(t, X86, "-O2", "-fno-inline", "-fno-ipa-cp")
    expect_planted(t, X86, "-O3", "-fno-inline", "-fno-ipa-cp")


def test_planted_changes_on_arm64(t: Context) -> None:
    expect_planted(t, ARM64, "-O2", "-fno-inline", "-fno-ipa-cp")


def test_planted_changes_in_pe_images(t: Context) -> None:
    expect_planted(t, MINGW, "-O2", "-fno-inline", "-fno-ipa-cp")


# --- Jump tables of AArch64 ---

# `choose` has five cases.  The bytes behind its table lead to an instruction of `choose` in the first program, and not in the second.
TABLE = """
        .text
        .globl choose
        .type choose, @function
choose: cmp w0, #4
        b.hi 9f
        adrp x1, table
        add x1, x1, :lo12:table
        ldrb w1, [x1, w0, uxtw]
        adr x2, 1f
        add x1, x2, w1, sxtb #2
        br x1
1:      mov w0, #7; ret
        mov w0, #8; ret
        mov w0, #9; ret
        mov w0, #10; ret
        mov w0, #11; ret
9:      mov w0, #0; ret
        .size choose, .-choose
        .section .rodata
table:  .byte 0, 2, 4, 6, 8
        .byte %s
"""


def assemble(t: Context, compiler: str, texts: tuple[str, ...], *flags: str) -> list[str]:
    need(compiler)
    paths = []
    for name, text in zip("ab", texts):
        paths.append(t.path(f"{name}.so"))
        kind = () if "-static" in flags else ("-shared",)
        subprocess.run([compiler, "-nostdlib", *kind, *flags, "-x", "assembler", "-", "-o", paths[-1]], input=text + "\n", text=True, check=True)
    return paths


def test_a_jump_table_ends_at_its_bound(t: Context) -> None:
    found = states(t, *assemble(t, ARM64, (TABLE % "1, 3, 5", TABLE % "99, 99, 99")))
    check(found["choose"] in SAME, f"{found}")


def test_a_larger_bound_is_a_change(t: Context) -> None:
    more = (TABLE % "1, 3, 5").replace("#4", "#5")
    found = states(t, *assemble(t, ARM64, (TABLE % "1, 3, 5", more)))
    check(found["choose"] == "changed", f"{found}")


def test_a_constant_is_no_jump_table(t: Context) -> None:
    """Its two numbers lead to an instruction, if they are distances from it; not from where the second program has it."""
    load = "        adrp x3, number\n        ldr q0, [x3, :lo12:number]\n"
    text = TABLE.replace("        adrp x1, table\n", load + "        adrp x1, table\n").replace("1:      mov", "inside:\n1:      mov") % "99"
    text += "        .balign 4096\n        %s\nnumber: .long %d, %d, 0, 0\n"
    a, _ = assemble(t, ARM64, (text % ("", 0, 0), text % ("", 0, 0)))
    out = subprocess.run([ARM64.replace("gcc", "nm"), a], check=True, text=True, stdout=subprocess.PIPE).stdout
    at = {line.split()[2]: int(line.split()[0], 16) for line in out.splitlines()}
    far = at["inside"] - at["number"]
    found = states(t, *assemble(t, ARM64, (text % ("", far, far), text % (".skip 4096", far, far))))
    check(found["choose"] in SAME, f"{found}")


# --- Pages of AArch64 ---

# Each way to the load of `var` has its page in x2; `var` is elsewhere in the second program.
PAGES = """
        .text
        .globl f
        .type f, @function
f:      adrp x2, var
        mov x5, #3
        %s
        .size f, .-f
        .data
        .balign 16
        %s
        .globl var
        .hidden var
        .type var, @object
var:    .quad 1
        .size var, 8
"""
WAYS = {
    "a loop that begins in its middle": "b 2f; 1: ldr x3, [x2, :lo12:var]; add x0, x0, x3; 2: subs x1, x1, #1; b.ne 1b; ret",
    "a call that does not return": "cbz x0, 1f; add x4, x2, :lo12:var; mov x0, x4; b 3f; 3: cbz x0, 2f; ret; "
                                   "2: mov x2, x0; bl fail; 1: ldr x3, [x2, :lo12:var]; ret",
    "a page on the stack": "sub sp, sp, #32; stp x5, x2, [sp, #8]; mov x2, x5; 1: cbz x0, 2f; str w5, [sp, #4]; bl fail; b 1b; "
                           "2: ldr x3, [sp, #16]; ldr x3, [x3, :lo12:var]; add sp, sp, #32; ret",
    "a call of a function that keeps registers": "bl fail; ldr x3, [x2, :lo12:var]; ret",
    "a jump table beside a call at the end": "cbz x0, 1f; mov x2, x5; ldp x29, x30, [sp], #16; br x6; 1: br x7; "
                                             "ldr x3, [x2, :lo12:var]; ret",
    "instructions that write vectors": "movi v2.4s, #1; fmov d2, x5; ld2 {v2.8b, v3.8b}, [x5]; ldr x3, [x2, :lo12:var]; ret",
}


def test_pages_reach_all_blocks(t: Context) -> None:
    for name, code in WAYS.items():
        texts = (PAGES % (code.replace("; ", "\n"), ""), PAGES % (code.replace("; ", "\n"), ".skip 48"))
        found = states(t, *assemble(t, ARM64, texts))
        check(found["f"] in SAME, f"{name}: {found}")


def test_a_page_that_was_overwritten_is_none(t: Context) -> None:
    """Another value is in the stack slot on one of the ways to the load."""
    code = "sub sp, sp, #16; str x2, [sp, #8]; cbz x0, 1f; str x5, [sp, #8]; 1: ldr x3, [sp, #8]; ldr x3, [x3, #%d]; ret"
    texts = tuple(PAGES % ((code % off).replace("; ", "\n"), "") for off in (16, 24))
    found = states(t, *assemble(t, ARM64, texts))
    check(found["f"] == "changed", f"{found}")


# The linker moves an instruction to a veneer, if a processor would execute it wrongly where it is.
VENEER = """
        .type veneer, @function
veneer: ldr x3, [x2, #%d]
        b 2b
        .size veneer, .-veneer
"""


def test_veneers_for_errata_are_no_change(t: Context) -> None:
    code = "mov x2, x5\n%s\n2: add x0, x3, #1\nret"
    plain = PAGES % (code % "ldr x3, [x2, #40]", "")
    head, tail = (PAGES % (code % "b veneer", "")).split("        .data")
    moved = head + VENEER + "        .data" + tail
    found = states(t, *assemble(t, ARM64, (plain, moved % 40)))
    check(set(found) == {"f"} and not changed(found), f"no veneer is listed: {found}")
    found = states(t, *assemble(t, ARM64, (plain, moved % 48)))
    check(found == {"f": "changed"}, f"the instruction in the veneer counts: {found}")


def test_another_page_is_a_change(t: Context) -> None:
    other = "mov x2, x5; ldr x3, [x2, #16]; ret".replace("; ", "\n")
    found = states(t, *assemble(t, ARM64, (PAGES % (other, ""), PAGES % (other.replace("#16", "#24"), ""))))
    check(found["f"] == "changed", f"a number is no address: {found}")


# --- Stripped programs ---

# Two wrappers have the same code except for the function that they call, and are in another order in the second program.
WRAPPERS = (".type {0}, @function\n{0}: .cfi_startproc\nxor %esi, %esi\njmp {1}\n.cfi_endproc\n.size {0}, .-{0}\n")
WRAPPED = (".type {0}, @function\n{0}: .cfi_startproc\nimul ${1}, %rdi, %rax\nadd %rsi, %rax\nret\n.cfi_endproc\n.size {0}, .-{0}\n")


def test_stripped_wrappers_are_paired_with_their_callees(t: Context) -> None:
    first, second = WRAPPERS.format("one", "f"), WRAPPERS.format("two", "g")
    rest = WRAPPED.format("f", 3000) + WRAPPED.format("g", 7000)
    a, b = assemble(t, X86, (".text\n" + first + second + rest, ".text\n" + second + rest + first), "-Wl,-Bsymbolic")
    found = states(t, strip(X86, a), strip(X86, b))
    check(len(found) == 4 and not changed(found), f"{found}")


def test_stripped_wrappers_of_other_functions_are_no_pair(t: Context) -> None:
    """All wrappers are alike: without their callees nothing says that two are the same function."""
    other = ".type g, @function\ng: .cfi_startproc\nxor %eax, %eax\n1: add (%rdi), %eax\ndec %esi\njnz 1b\nret\n.cfi_endproc\n.size g, .-g\n"
    a, b = assemble(t, X86, (".text\n" + WRAPPERS.format("one", "f") + WRAPPED.format("f", 3000), ".text\n" + WRAPPERS.format("two", "g") + other),
                    "-Wl,-Bsymbolic")
    found = states(t, strip(X86, a), strip(X86, b))
    check(set(found.values()) <= {"only in A", "only in B"}, f"{found}")


# `f` jumps to its cold part, which does not come back.
COLD = """
        .section .text.unlikely, "ax"
        .type f.cold, @function
f.cold: .cfi_startproc
        call fail
        .cfi_endproc
        .size f.cold, .-f.cold
        .text
        .type f, @function
f:      .cfi_startproc
        test %edi, %edi
        je f.cold
        lea 7(%rdi), %eax
        ret
        .cfi_endproc
        .size f, .-f
        .globl fail
        .type fail, @function
fail:   .cfi_startproc
        ud2
        .cfi_endproc
        .size fail, .-fail
"""


def test_a_cold_part_of_a_stripped_program_is_found(t: Context) -> None:
    a, b = assemble(t, X86, (COLD, COLD), "-Wl,-Bsymbolic")
    found = states(t, a, strip(X86, b))
    check(len(found) == 2 and not changed(found), f"f and fail: {found}")


def test_a_cold_part_that_ends_in_a_trap_is_found(t: Context) -> None:
    """It has the unwind information of a function, and `f` jumps to it without a condition; but no function only ends in a trap."""
    text = COLD.replace("call fail\n        .cfi_endproc\n        .size f.cold", "mov 0, %rax\n        ud2\n        .cfi_endproc\n        .size f.cold")
    text = text.replace("je f.cold", "jne 1f\njmp f.cold\n1:")
    a, b = assemble(t, X86, (text, text), "-Wl,-Bsymbolic")
    found = states(t, a, strip(X86, b))
    check(len(found) == 2 and not changed(found), f"f and fail: {found}")


def test_a_called_function_is_no_part(t: Context) -> None:
    called = COLD.replace("ud2", "call f.cold\nud2")
    a, b = assemble(t, X86, (called, called), "-Wl,-Bsymbolic")
    found = states(t, strip(X86, a), strip(X86, b))
    check(len(found) == 3 and not changed(found), f"three functions: {found}")


def test_a_cold_part_with_a_frame_is_found(t: Context) -> None:
    """Its unwind information begins with the frame of the function, which jumps to it without a condition."""
    text = COLD.replace("f.cold: .cfi_startproc\n", "f.cold: .cfi_startproc\n.cfi_def_cfa_offset 48\n")
    text = text.replace("je f.cold", "jne 1f\njmp f.cold\n1:")
    a, b = assemble(t, X86, (text, text), "-Wl,-Bsymbolic")
    found = states(t, a, strip(X86, b))
    check(len(found) == 2 and not changed(found), f"f and fail: {found}")
    plain = text.replace(".cfi_def_cfa_offset 48\n", "")
    a, b = assemble(t, X86, (plain, plain), "-Wl,-Bsymbolic")
    found = states(t, strip(X86, a), strip(X86, b))
    check(len(found) == 3 and not changed(found), f"a function may end with a call of another one: {found}")


SELECTED = """
#define SELECT(name, factor) \\
        static int name##_plain(int x) { return x * factor; } \\
        static void *name##_select(void) { return name##_plain; } \\
        __attribute__((visibility("hidden"))) int name(int x) __attribute__((ifunc(#name "_select")));
SELECT(first, 3) SELECT(second, 5) SELECT(third, 7)
__attribute__((noinline)) int use_first(int x) { return first(x + 1) + 2; }
__attribute__((noinline)) int use_third(int x) { return third(x + 1) + 2; }
int main(int argc, char **argv) { (void)argv; return use_first(argc) + second(argc) + use_third(argc); }
"""


def test_selected_functions_of_a_static_program(t: Context) -> None:
    """Stripped, their stubs have no names, and the callers differ in nothing else."""
    need(X86)
    path = t.path("selected")
    subprocess.run([X86, "-O2", "-static", "-x", "c", "-", "-o", path], input=SELECTED, text=True, check=True)
    found = states(t, path, strip(X86, path))
    for name in ("use_first", "use_third", "main"):
        rows = [state for key, state in found.items() if key.split(" ")[0] == name]
        check(len(rows) == 1 and rows[0] in SAME, f"{name}: {rows}")


# `two` calls a function without unwind information, which a stripped image does not list.
IMAGE = """
        .text
        .globl DllMain
DllMain: mov $1, %eax
        ret
one:    .seh_proc one
        sub $40, %rsp
        .seh_stackalloc 40
        .seh_endprologue
        call listed
        add $40, %rsp
        ret
        .seh_endproc
two:    .seh_proc two
        sub $40, %rsp
        .seh_stackalloc 40
        .seh_endprologue
        call unlisted
        add $40, %rsp
        ret
        .seh_endproc
listed: .seh_proc listed
        sub $40, %rsp
        .seh_stackalloc 40
        .seh_endprologue
        mov end_pointer(%rip), %rax
        add $41, %rax
        imul $77, %rcx, %rcx
        add %rcx, %rax
        add $40, %rsp
        ret
        .seh_endproc
unlisted: lea 7(%rcx), %eax
        ret
        .section .rdata, "dr"
end_pointer: .quad end
        .section .rdata$z, "dr"
        .quad 7
end:
"""


def test_images_with_functions_that_are_not_listed(t: Context) -> None:
    for name in ("listed", "unlisted"):
        check(f"call {name}\n" in IMAGE, "the wrappers differ in their callees")
    swapped = IMAGE.replace("one:", "ONE:").replace("two:", "one:").replace("ONE:", "two:")
    swapped = swapped.replace("seh_proc one", "seh_proc ONE").replace("seh_proc two", "seh_proc one").replace("seh_proc ONE", "seh_proc two")
    swapped = swapped.replace("call listed", "CALL").replace("call unlisted", "call listed").replace("CALL", "call unlisted")
    a, b = assemble(t, MINGW, (IMAGE, swapped), "-Wl,--image-base,0x1d0000000", "-Wl,--disable-dynamicbase")
    for x, y in ((a, strip(MINGW, b)), (strip(MINGW, a), strip(MINGW, b))):
        found = states(t, x, y)
        check("changed" not in found.values() and "only in B" not in found.values(), f"{found}")
    (other,) = assemble(t, MINGW, (IMAGE,), "-Wl,--image-base,0x2d0000000", "-Wl,--disable-dynamicbase")
    found = states(t, strip(MINGW, b), strip(MINGW, other))
    check(not changed(found), f"a pointer to the end of a section: {found}")


# --- Addresses beside an array ---

BESIDE = """
        .text
        .globl f
        .type f, @function
f:      lea %s(%%rip), %%rax
        ret
        .size f, .-f
        .data
        .balign 16
        .quad 0
        .type before_%s, @object
        .size before_%s, 8
before_%s: .quad 1
        .type array, @object
        .size array, 16
array:  .quad 1, 2
        .type after_%s, @object
        .size after_%s, 8
after_%s: .quad 1
"""


def test_an_address_beside_an_array_is_not_what_is_there(t: Context) -> None:
    for place in ("array-8", "array+16"):
        texts = tuple(BESIDE % (place, *([name] * 6)) for name in "ab")
        found = states(t, *assemble(t, X86, texts))
        check(found["f"] in SAME, f"{place}: {found}")
    texts = (BESIDE % ("array-8", *"aaaaaa"), BESIDE % ("array+16", *"aaaaaa"))
    found = states(t, *assemble(t, X86, texts))
    check(found["f"] == "changed", f"the other end: {found}")


INDEXED = """
        .text
        .globl _start
        .type _start, @function
_start: .cfi_startproc
        mov array-8(,%%rdi,8), %%rax
        mov $other, %%ecx
        ret
        .cfi_endproc
        .size _start, .-_start
        .section .rodata
        .balign 8
        .skip 8
%s
        .type array, @object
        .size array, 16
array:  .quad 1, 2
other:  .quad 0x0fffffffffffffff
"""


def test_an_indexed_address_beside_an_array(t: Context) -> None:
    """At a fixed address, with a text or nothing before the array."""
    texts = (INDEXED % '.ascii "?.so"\n.long 0', INDEXED % "before: .quad 1, 2, 3")
    a, b = assemble(t, X86, texts, "-no-pie", "-static")
    for x, y in ((a, b), (strip(X86, a), strip(X86, b))):
        found = states(t, x, y)
        check(len(found) == 1 and not changed(found), f"{found}")


# `f` has the address of what is between `before` and `after`.
BETWEEN = """
        .text
        .globl f
        .type f, @function
f:      lea place%s(%%rip), %%rax
        movzbl (%%rax,%%rdi), %%eax
        ret
        .size f, .-f
        .section .rodata
        .type before_%s, @object
        .size before_%s, 8
before_%s: %s
place:  %s
"""


def between(name: str, offset: str, before: str, after: str) -> str:
    return BETWEEN % (offset, name, name, name, before, after)


def expect_between(t: Context, a: str, b: str, state: str, stripped: bool = True) -> None:
    paths = assemble(t, X86, (a, b))
    found = states(t, *(strip(X86, path) for path in paths) if stripped else paths)
    check((found["f"] in SAME) == (state == "same"), f"{a} {b}: {found}")


def test_an_address_before_a_text(t: Context) -> None:
    """The last byte of another object is there."""
    a, b, other = (between(name, "-1", ".quad 1", f'.asciz "{text}"') for name, text in (("a", "92233720"), ("b", "92233720"), ("b", "92233721")))
    for stripped in (False, True):
        expect_between(t, a, b, "same", stripped)
    expect_between(t, a, other, "changed", False)


def test_the_end_of_a_section(t: Context) -> None:
    """The first object of the next section is there."""
    texts = tuple(BESIDE.replace(".data\n", f'.section .first, "aw"\n.quad 1, 2\nend:\n.section .second, "aw"\n.type {name}, @object\n.size {name}, 8\n'
                                 f"{name}: .quad 3\n.data\n") % ("end", *["x"] * 6) for name in ("one", "other"))
    found = states(t, *assemble(t, X86, texts, "-Wl,--build-id=none"))
    check(found["f"] in SAME, f"{found}")


def test_a_table_of_characters_has_no_end(t: Context) -> None:
    """With a zero behind it, it looks like a text."""
    a, b, other = (between("x", "", ".quad 1", f'.ascii "{text}"\n.byte {end}') for text, end in (("CADDEB", 11), ("CADDEB", 0), ("CAXDEB", 0)))
    expect_between(t, a, b, "same")
    expect_between(t, a, other, "changed")


def test_the_end_of_an_array_without_a_name(t: Context) -> None:
    """A text is behind it in the first program."""
    text, zeros = '.asciz ":8"', ".long 0, 0"
    a, b, other = (between("x", "", f".quad {first}", after) for first, after in ((0x0800060005, text), (0x0800060005, zeros), (0x0700060005, zeros)))
    expect_between(t, a, b, "same")
    expect_between(t, a, other, "changed")


# --- Texts ---


def test_a_short_text_is_no_pointer(t: Context) -> None:
    """The bytes of "rb" and the zeros behind it are an address in a large library."""
    text = ('.text\n.globl f\n.type f, @function\nf: lea text(%rip), %rax\nret\n.size f, .-f\n.skip 0x8000\n.section .rodata\n'
            '.ascii "SOME"\ntext: .asciz "rb"\n')
    found = states(t, *assemble(t, X86, (text + ".skip 5\n.byte 1", text.replace("SOME", "OTHER") + '.ascii "after"\n')))
    check(found["f"] in SAME, f"{found}")


if __name__ == "__main__":
    harness.main(__name__)
