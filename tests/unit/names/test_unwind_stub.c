/* SPDX-License-Identifier: BSD-3-Clause */
/* Stubs without call-frame information: the caller is found at each of their instructions, and not in code
 * that only looks similar.  PLTs are those of linkers, in tests/data/elf. */
#include <inttypes.h>

#include "attributes.h"
#include "buf.h"
#include "cfi_builder.h"
#include "tap.h"
#include "test_data.h"
#include "unwind.h"

enum { STUB = 0x10000, STACK = 0x7000, N_WORDS = 8, CALLER = 0x20000, TEXT_BYTES = 0x1000 };

/* A process: memory with a stub and no file, a program with a PLT, and callers without information. */
struct process {
        const uint8_t *code; /* at STUB; NULL: it can't be read */
        size_t size;
        bool is_named;         /* as CPython's trampoline */
        struct object *object; /* at STUB in its place */
        uint64_t linked_at;    /* where its first address is */
        struct object *caller; /* at CALLER */
        uint64_t words[N_WORDS];
        struct unwind_regs regs;
        const uint64_t *result; /* of a system call, in rax; NULL: not known */
};

static bool find(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        struct process *p = ctx;

        if (addr >= STUB && addr < CALLER)
                *ret_module = (struct unwind_module){.start = STUB,
                                                     .end = STUB + (p->object ? 0x8000 : 64),
                                                     .bias = STUB - p->linked_at,
                                                     .object = p->object};
        else if (addr >= CALLER && addr < CALLER + TEXT_BYTES)
                *ret_module = (struct unwind_module){.start = CALLER,
                                                     .end = CALLER + TEXT_BYTES,
                                                     .bias = CALLER - CFI_TEXT_ADDR,
                                                     .object = p->caller};
        else
                return false;
        return true;
}

static bool read_code(void *ctx, uint64_t addr, uint8_t *ret_code, size_t size)
{
        struct process *p = ctx;

        if (!p->code || addr < STUB || addr - STUB + size > 64)
                return false;
        for (size_t i = 0; i < size; i++)
                ret_code[i] = addr - STUB + i < p->size ? p->code[addr - STUB + i] : 0xcc;
        return true;
}

static bool is_trampoline(void *ctx, uint64_t addr)
{
        (void)addr;
        return ((struct process *)ctx)->is_named;
}

/* The stack has CALLER + 8 * its index, so that the caller's address shows which word was read; x30 is
 * CALLER + 0x800. */
static void set_up(struct process *p, enum object_machine machine, uint64_t pc)
{
        p->regs = (struct unwind_regs){.machine = machine};
        for (unsigned i = 0; i < N_WORDS; i++)
                p->words[i] = CALLER + 8 * i;
        unwind_set_reg(&p->regs, unwind_reg_pc(&p->regs), pc);
        unwind_set_reg(&p->regs, unwind_reg_sp(&p->regs), STACK);
        unwind_set_reg(&p->regs, unwind_reg_fp(&p->regs), 1);
        if (machine == OBJECT_MACHINE_ARM64)
                unwind_set_reg(&p->regs, UNWIND_ARM64_X30, CALLER + 0x800);
        if (p->result)
                unwind_set_reg(&p->regs, UNWIND_X64_RAX, *p->result);
}

/* The word of the stack where the caller was found: "8" for sp + 8, "x30"; "-" if it was not found. */
static const char *step(struct process *p)
{
        static char text[32];
        struct unwind_memory memory = {
                .start = STACK, .bytes = (const uint8_t *)p->words, .size = sizeof(p->words)};
        const struct unwind_modules modules = {find, p, read_code, is_trampoline};
        struct unwind_frame frames[2];
        struct unwind_walked walked;

        unwind_walk(&modules, &p->regs, &memory, frames, 2, &walked);
        if (walked.n_frames < 2 || frames[1].way != UNWIND_WAY_STUB)
                return walked.end == UNWIND_END_NO_RULE ? "-" : unwind_end_text(walked.end);
        if (frames[1].is_exact)
                return "exact";
        snprintf(text, sizeof(text), "%" PRIu64, frames[1].pc - CALLER);
        return frames[1].pc == CALLER + 0x800 ? "x30" : text;
}

/* `wanted` are offsets in the code and the results of step there: "0:0 4:8". */
static void expect(struct process *p, enum object_machine machine, uint64_t start, const char *wanted)
{
        AUTO_RELEASE(buf) got = {0};
        unsigned long off;
        int n;

        for (const char *at = wanted; sscanf(at, "%lx:%*s%n", &off, &n) == 1; at += n) {
                set_up(p, machine, start + off);
                buf_printf(&got, "%s%lx:%s", got.len ? " " : "", off, step(p));
                while (at[n] == ' ')
                        n++;
        }
        EXPECT_STR(buf_text(&got), wanted);
}

#define CODE(text) .code = (const uint8_t *)(text), .size = sizeof(text) - 1

TEST(trampolines_of_cpython)
{
        struct process x64 = {CODE("\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3")};
        struct process cet = {CODE("\xf3\x0f\x1e\xfa\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3")};
        struct process with_fp = {CODE("\x55\x48\x89\xe5\xff\xd1\x5d\xc3")};
        struct process arm64 = {
                CODE("\xfd\x7b\xbf\xa9\xfd\x03\0\x91\x60\0\x3f\xd6\xfd\x7b\xc1\xa8\xc0\x03\x5f\xd6")};
        struct process pac = {CODE(
                "\x3f\x23\x03\xd5\xfd\x7b\xbf\xa9\xfd\x03\0\x91\x60\0\x3f\xd6\xfd\x7b\xc1\xa8\xbf\x23\x03\xd5\xc0"
                "\x03\x5f\xd6")};

        expect(&x64, OBJECT_MACHINE_X86_64, STUB, "0:0 4:8 6:8 a:0 1:- 5:- b:-");
        expect(&cet, OBJECT_MACHINE_X86_64, STUB, "0:0 4:0 8:8 a:8 e:0 f:-");
        expect(&with_fp, OBJECT_MACHINE_X86_64, STUB, "0:0 1:8 4:8 6:8 7:0 2:-");
        expect(&arm64, OBJECT_MACHINE_ARM64, STUB, "0:x30 4:8 8:8 c:8 10:x30 14:-");
        expect(&pac, OBJECT_MACHINE_ARM64, STUB, "0:x30 4:x30 8:8 c:8 10:8 14:x30 18:x30 1c:-");
        /* Of the other machine. */
        expect(&x64, OBJECT_MACHINE_ARM64, STUB, "0:- 6:-");
}

/* In the caller of the system call the result is the new thread's id, or -ENOSYS while the call lasts; in
 * the new thread it is 0. */
TEST(the_call_that_starts_a_thread)
{
        struct process p = {CODE("\x0f\x05\x48\x85\xc0\x7c\x13\x74\x01\xc3")};

        /* The result is not known. */
        expect(&p, OBJECT_MACHINE_X86_64, STUB, "0:0 2:- 9:-");
        p.result = &(uint64_t){(uint64_t)-38};
        expect(&p, OBJECT_MACHINE_X86_64, STUB, "0:0 2:0 5:0 7:0 9:0 1:- a:-");
        p.result = &(uint64_t){0};
        expect(&p, OBJECT_MACHINE_X86_64, STUB, "0:0 2:outermost 5:outermost 7:outermost 9:outermost a:-");
}

TEST(memory_without_a_file_has_no_plt)
{
        struct process jump = {CODE("\xff\x25\x08\0\0\0\x68\0\0\0\0\xe9\x10\0\0\0")};

        expect(&jump, OBJECT_MACHINE_X86_64, STUB, "0:- 6:- b:-");
}

static void open_object(struct process *p, const char *name)
{
        struct err err = {0};

        p->object = object_open(data_path(name), &err);
        ASSERT_TRUE(p->object);
}

TEST(plt_entries_and_their_head)
{
        struct process p = {0};

        /* The first entry is called with a number on the stack. */
        open_object(&p, "elf/caller.exe");
        expect(&p, OBJECT_MACHINE_X86_64, STUB + 0x1000, "0:8 6:16 10:0 16:0 1b:8 20:0 26:0 2b:8 30:0 11:-");
        object_free(p.object);
        open_object(&p, "elf/caller-arm64-bti.exe");
        expect(&p, OBJECT_MACHINE_ARM64, STUB + 0x460,
               "0:x30 4:x30 8:8 c:8 10:8 14:8 20:x30 24:x30 28:x30 2c:x30 30:x30");
        object_free(p.object);
        open_object(&p, "elf/caller-ibt.exe");
        p.linked_at = 0x400000;
        expect(&p, OBJECT_MACHINE_X86_64, STUB + 0x1000, "0:8 6:16 10:0 14:0 19:8 40:0 44:0 11:-");
        object_free(p.object);
}

/* An object whose code is nothing but `byte`. */
static struct object *open_caller(struct cfi_builder *b, struct buf *file, int byte)
{
        struct err err = {0};

        memset(buf_extend(&b->text, TEXT_BYTES), byte, TEXT_BYTES);
        cfi_build(b, file);
        return object_open_bytes(file->data, file->len, "caller", &err);
}

static void expect_linked(const char *code, size_t size, const char *wanted)
{
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(buf) file = {0};
        struct process p = {.linked_at = CFI_TEXT_ADDR};

        buf_add(&b.text, code, size);
        p.object = open_caller(&b, &file, 0xcc);
        ASSERT_TRUE(p.object);
        expect(&p, OBJECT_MACHINE_X86_64, STUB, wanted);
        object_free(p.object);
}

#define LINKED(text) (text), sizeof(text) - 1

TEST(what_a_module_runs_first_and_last)
{
        struct process jit = {CODE("\x48\x83\xec\x08\x48\x83\xc4\x08\xc3")};

        expect_linked(
                LINKED("\x48\x83\xec\x08\x48\x8b\x05\x01\x02\x03\x04\x48\x85\xc0\x74\x02\xff\xd0\x48\x83\xc4\x08"
                       "\xc3"),
                "0:0 4:8 b:8 e:8 10:8 12:8 16:0 1:- 17:-");
        expect_linked(
                LINKED("\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x48\x8b\x05\x01\x02\x03\x04\x48\x85\xc0\x74\x02\xff\xd0"
                       "\x48\x83\xc4\x08\xc3"),
                "0:0 4:0 8:8 16:8 1a:0");
        expect_linked(LINKED("\x48\x83\xec\x08\x48\x83\xc4\x08\xc3"), "0:0 4:8 8:0 9:-");
        expect_linked(LINKED("\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x48\x83\xc4\x08\xc3"), "0:0 4:0 8:8 c:0");
        expect_linked(LINKED("\xf3\x0f\x1e\xfa\x80\x3d\x01\x02\x03\x04\x00\x75\x2b\x55"),
                      "0:0 4:0 b:0 d:0 e:-");
        expect(&jit, OBJECT_MACHINE_X86_64, STUB, "0:- 4:- 8:-");
}

static void expect_by_name(int byte_of_caller, const char *wanted, const char *wanted_unnamed)
{
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(buf) file = {0};
        struct process p = {.is_named = true, .caller = open_caller(&b, &file, byte_of_caller)};

        ASSERT_TRUE(p.caller);
        expect(&p, OBJECT_MACHINE_X86_64, STUB, wanted);
        p.is_named = false;
        expect(&p, OBJECT_MACHINE_X86_64, STUB, wanted_unnamed);
        object_free(p.caller);
}

/* The sampled instruction itself may be anywhere in the code. */
TEST(the_sampled_address_of_unreadable_code_is_not_guessed)
{
        expect_by_name(0xe8, "0:- 6:- a:-", "6:-");
}

/* As the caller of the function at the top of the stack. */
static const char *step_behind_call(struct process *p)
{
        static char text[32];
        struct unwind_memory memory = {
                .start = STACK, .bytes = (const uint8_t *)p->words, .size = sizeof(p->words)};
        const struct unwind_modules modules = {find, p, read_code, is_trampoline};
        struct unwind_frame frames[3];
        struct unwind_walked walked;

        /* By the frame pointer to the trampoline, whose stack begins at STACK + 16. */
        set_up(p, OBJECT_MACHINE_X86_64, CALLER + 4);
        unwind_set_reg(&p->regs, UNWIND_X64_RBP, STACK);
        p->words[0] = STACK + 0x31; /* no frame pointer */
        p->words[1] = STUB + 6;
        unwind_walk(&modules, &p->regs, &memory, frames, 3, &walked);
        if (walked.n_frames < 3 || frames[2].way != UNWIND_WAY_STUB)
                return unwind_end_text(walked.end);
        snprintf(text, sizeof(text), "%" PRIu64, frames[2].pc - CALLER);
        return text;
}

TEST(a_trampoline_that_cannot_be_read_is_known_by_its_name)
{
        static const struct {
                int byte;
                bool is_named;
                const char *wanted;
        } cases[] = {{0xe8, true, "24"}, {0xe8, false, "no rule"}, {0x90, true, "no rule"}};

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(cfi_builder) b = {0};
                AUTO_RELEASE(buf) file = {0};
                struct process p = {.is_named = cases[i].is_named,
                                    .caller = open_caller(&b, &file, cases[i].byte)};

                ASSERT_TRUE(p.caller);
                EXPECT_STR(step_behind_call(&p), cases[i].wanted);
                object_free(p.caller);
        }
}

TAP_MAIN
