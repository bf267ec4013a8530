/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps by x64's unwind codes and epilogues, and walks that use them. */
#include "attributes.h"
#include "tap.h"
#include "unwind_pe_state.h"

enum { RBX = 3, RSI = 4, RDI = 5, RBP = 6, RSP = 7, R12 = 12, R13, R14, R15 };

/* The return address was at word `n` of the stack; the caller's stack begins above it. */
static void expect_return(const char *what, const struct image *image, uint64_t n)
{
        if (image->how != UNWIND_PE_DONE)
                TAP_FAIL("%s: %d", what, image->how);
        else if (image->regs.values[UNWIND_X64_RIP] != WORD(n) ||
                 image->regs.values[RSP] != STACK + 8 * (n + 1))
                TAP_FAIL("%s: rip 0x%llx rsp 0x%llx", what,
                         (unsigned long long)image->regs.values[UNWIND_X64_RIP],
                         (unsigned long long)image->regs.values[RSP]);
}

/* The code: a function of CODE_BYTES, then code without an entry. */
enum { CODE_BYTES = 0x100, ALL_CODE_BYTES = 0x400, LEAF_OFF = 0x180, PROBE_OFF = 0x200 };

/* The code is nop except for the given end of the function. */
static void make_x64(struct image *image, const uint8_t *info, size_t info_size, const uint8_t *end,
                     size_t end_size)
{
        uint32_t word;

        *image = (struct image){0};
        for (unsigned i = 0; i < ALL_CODE_BYTES; i++)
                buf_add_u8(&image->b.code, 0x90);
        if (end_size)
                memcpy(image->b.code.data + CODE_BYTES - end_size, end, end_size);
        word = pe_add_info(&image->b, info, info_size);
        pe_add_entry(&image->b, 0, CODE_BYTES, word);
        open_image(image);
}

static void step_x64(struct image *image, uint64_t code_off)
{
        image->regs = regs_at(OBJECT_MACHINE_X86_64, code_off);
        take_step(image);
}

/* push rbx (1); push r12 (3); sub rsp, 0x20 (7) */
static const uint8_t two_pushes[] = {1, 7, 3, 0, 7, 0x32, 3, 0xc0, 1, 0x30, 0, 0};

/* In the frame that it makes, the return address is the last word. */
enum { RETURN_WORD = 6, FRAME_WORDS = 7 };

TEST(x64_prologue_instruction_by_instruction)
{
        AUTO_RELEASE(image) image;

        make_x64(&image, two_pushes, sizeof(two_pushes), NULL, 0);
        step_x64(&image, 0);
        expect_return("nothing done", &image, 0);
        expect_reg("nothing done", &image, RBX, AS_IT_WAS);
        step_x64(&image, 1);
        expect_return("one push", &image, 1);
        expect_reg("one push", &image, RBX, 0);
        expect_reg("one push", &image, R12, AS_IT_WAS);
        step_x64(&image, 3);
        expect_return("two pushes", &image, 2);
        expect_reg("two pushes", &image, R12, 0);
        expect_reg("two pushes", &image, RBX, 1);
        step_x64(&image, 6);
        expect_return("before the allocation", &image, 2);
        for (unsigned at = 7; at < CODE_BYTES; at += 31) {
                step_x64(&image, at);
                expect_return("body", &image, 6);
                expect_reg("body", &image, R12, 4);
                expect_reg("body", &image, RBX, 5);
                expect_reg("body", &image, R15, AS_IT_WAS);
        }
}

TEST(x64_what_a_callee_may_change_is_not_known)
{
        AUTO_RELEASE(image) image;

        make_x64(&image, two_pushes, sizeof(two_pushes), NULL, 0);
        step_x64(&image, 0x20);
        for (unsigned reg = 0; reg < 17; reg++)
                EXPECT_INT(unwind_has_reg(&image.regs, reg), (reg >= 3 && reg <= 7) || reg >= 12);
        EXPECT_TRUE(!image.is_caller_exact);
}

/* The call in the prologue probes the stack before it is used. */
TEST(x64_calls)
{
        AUTO_RELEASE(image) image;

        make_x64(&image, two_pushes, sizeof(two_pushes), NULL, 0);
        image.is_return = true;
        step_x64(&image, 6);
        expect_return("in the prologue", &image, 2);
        step_x64(&image, 0x40);
        expect_return("in the body", &image, 6);
        /* The last instruction calls what does not return. */
        step_x64(&image, CODE_BYTES);
        expect_return("at the end", &image, 6);
        image.is_return = false;
        step_x64(&image, CODE_BYTES);
        EXPECT_INT(image.how, UNWIND_PE_LEAF);
}

static void expect_one(const char *what, const uint8_t *info, size_t size, uint64_t n, unsigned reg,
                       uint64_t from)
{
        AUTO_RELEASE(image) image;

        make_x64(&image, info, size, NULL, 0);
        step_x64(&image, 0x50);
        expect_return(what, &image, n);
        expect_reg(what, &image, reg, from);
}

TEST(x64_each_code)
{
        expect_one("none", BYTES(1, 0, 0, 0), 0, RBX, AS_IT_WAS);
        expect_one("push", BYTES(1, 2, 1, 0, 2, 0xf0, 0, 0), 1, R15, 0);
        expect_one("push rsi", BYTES(1, 1, 1, 0, 1, 0x60, 0, 0), 1, RSI, 0);
        expect_one("push rdi", BYTES(1, 1, 1, 0, 1, 0x70, 0, 0), 1, RDI, 0);
        expect_one("small", BYTES(1, 4, 1, 0, 4, 0xf2, 0, 0), 16, RBX, AS_IT_WAS);
        expect_one("large", BYTES(1, 7, 2, 0, 7, 0x01, 0x00, 0x10), 0x1000, RBX, AS_IT_WAS);
        expect_one("large, unscaled", BYTES(1, 7, 3, 0, 7, 0x11, 0, 0, 0x20, 0, 0, 0), 0x40000, RBX,
                   AS_IT_WAS);
        expect_one("save", BYTES(1, 9, 3, 0, 9, 0xe4, 3, 0, 4, 0x72, 0, 0), 8, R14, 3);
        expect_one("save above", BYTES(1, 9, 3, 0, 9, 0x34, 9, 0, 4, 0x72, 0, 0), 8, RBX, 9);
        expect_one("save far", BYTES(1, 9, 4, 0, 9, 0xd5, 8, 0, 1, 0, 4, 0x72), 8, R13, 0x2001);
        expect_one("xmm", BYTES(1, 9, 3, 0, 9, 0x68, 1, 0, 4, 0x72, 0, 0), 8, RSI, AS_IT_WAS);
        expect_one("xmm far", BYTES(1, 9, 4, 0, 9, 0x79, 0x10, 0, 0, 0, 4, 0x72), 8, RDI, AS_IT_WAS);
        expect_one("old codes", BYTES(1, 9, 6, 0, 9, 0x66, 2, 0, 5, 0x77, 1, 2, 3, 4, 2, 0x30), 1, RBX, 0);
}

TEST(x64_frame_register)
{
        /* push rbp (1); sub rsp, 0x40 (5); lea rbp, [rsp + 0x20] (10); mov [rsp + 0x30], rsi (15) */
        static const uint8_t info[] = {1, 15, 5, 0x25, 15, 0x64, 6, 0, 10, 0x03, 5, 0x72, 1, 0x50, 0, 0};
        AUTO_RELEASE(image) image;

        make_x64(&image, info, sizeof(info), NULL, 0);
        for (unsigned at = 15; at < CODE_BYTES; at += 50) {
                image.regs = regs_at(OBJECT_MACHINE_X86_64, at);
                unwind_set_reg(&image.regs, RBP, STACK + 0x820); /* sp is somewhere below */
                take_step(&image);
                expect_return("body", &image, 0x100 + 9);
                expect_reg("body", &image, RBP, 0x100 + 8);
                expect_reg("body", &image, RSI, 0x100 + 6);
        }
        image.regs = regs_at(OBJECT_MACHINE_X86_64, 5);
        take_step(&image);
        expect_return("before it is set", &image, 9);
        expect_reg("before it is set", &image, RSI, AS_IT_WAS);
        image.regs = regs_at(OBJECT_MACHINE_X86_64, 0x20);
        image.regs.known &= ~(1ull << RBP);
        take_step(&image);
        EXPECT_INT(image.how, UNWIND_PE_NO_REGISTER);
        EXPECT_INT(image.regs.values[RSP], STACK);
}

TEST(x64_machine_frame)
{
        AUTO_RELEASE(image) image;

        /* sub rsp, 8 (4) above what an interrupt pushed, without and with a code */
        for (unsigned has_code = 0; has_code < 2; has_code++) {
                const uint8_t info[] = {1, 4, 2, 0, 4, 0x02, 0, (uint8_t)(has_code << 4 | 0xa)};

                make_x64(&image, info, sizeof(info), NULL, 0);
                step_x64(&image, 0x20);
                EXPECT_INT(image.how, UNWIND_PE_DONE);
                EXPECT_TRUE(image.is_caller_exact);
                EXPECT_INT(image.regs.values[UNWIND_X64_RIP], WORD(1 + has_code));
                EXPECT_INT(image.regs.values[RSP], WORD(4 + has_code));
                if (!has_code)
                        image_release(&image);
        }
}

/* --- Epilogues of x64 --- */

/* At each instruction of the code at the function's end, of `n` bytes: the offset of the return address
 * from sp; 0xff inside an instruction. */
static void expect_epilogue(const char *what, const uint8_t *info, size_t info_size, const uint8_t *code,
                            size_t code_size, const uint8_t *words)
{
        AUTO_RELEASE(image) image;

        make_x64(&image, info, info_size, code, code_size);
        for (unsigned i = 0; i < code_size; i++) {
                if (words[i] == 0xff)
                        continue;
                image.regs = regs_at(OBJECT_MACHINE_X86_64, CODE_BYTES - code_size + i);
                unwind_set_reg(&image.regs, RBP, STACK + 0x80);
                take_step(&image);
                expect_return(what, &image, words[i]);
        }
}

#define XX 0xff
#define WORDS(...)                                                                                           \
        (const uint8_t[])                                                                                    \
        {                                                                                                    \
                __VA_ARGS__                                                                                  \
        }

TEST(x64_epilogues)
{
        /* nop; add rsp, 0x20; pop r12; pop rbx; ret */
        expect_epilogue("ret", two_pushes, sizeof(two_pushes),
                        BYTES(0x90, 0x48, 0x83, 0xc4, 0x20, 0x41, 0x5c, 0x5b, 0xc3),
                        WORDS(6, 6, XX, XX, XX, 2, XX, 1, 0));
        expect_epilogue("add of 32 bits, rep ret", two_pushes, sizeof(two_pushes),
                        BYTES(0x48, 0x81, 0xc4, 0x20, 0, 0, 0, 0x41, 0x5c, 0x5b, 0xf3, 0xc3),
                        WORDS(6, XX, XX, XX, XX, XX, XX, 2, XX, 1, 0, XX));
        expect_epilogue("ret n, after vzeroupper", two_pushes, sizeof(two_pushes),
                        BYTES(0x41, 0x5c, 0x5b, 0xc5, 0xf8, 0x77, 0xc2, 8, 0),
                        WORDS(2, XX, 1, 0, XX, XX, 0, XX, XX));
        /* pop; jmp to what stands behind the function */
        expect_epilogue("jmp out", two_pushes, sizeof(two_pushes),
                        BYTES(0x48, 0x83, 0xc4, 0x20, 0x41, 0x5c, 0x5b, 0xe9, 0, 1, 0, 0),
                        WORDS(6, XX, XX, XX, 2, XX, 1, 0, XX, XX, XX, XX));
        expect_epilogue("short jmp out", two_pushes, sizeof(two_pushes), BYTES(0x41, 0x5c, 0x5b, 0xeb, 0x10),
                        WORDS(2, XX, 1, 0, XX));
        expect_epilogue("jmp to itself", two_pushes, sizeof(two_pushes),
                        BYTES(0x5b, 0xe9, 0x00, 0xff, 0xff, 0xff), WORDS(1, 0, XX, XX, XX, XX));
        expect_epilogue("jmp by memory", two_pushes, sizeof(two_pushes), BYTES(0x5b, 0xff, 0x25, 0, 0, 0, 0),
                        WORDS(1, 0, XX, XX, XX, XX, XX));
        expect_epilogue("jmp by a register", two_pushes, sizeof(two_pushes), BYTES(0x5b, 0x48, 0xff, 0xe0),
                        WORDS(1, 0, XX, XX));
}

/* Code that looks like a part of an epilogue but is none. */
TEST(x64_jumps_of_a_body)
{
        expect_epilogue("to a part elsewhere", two_pushes, sizeof(two_pushes), BYTES(0x90, 0xe9, 0, 1, 0, 0),
                        WORDS(6, 6, XX, XX, XX, XX));
        expect_epilogue("a switch", two_pushes, sizeof(two_pushes), BYTES(0x5b, 0xff, 0xe0), WORDS(6, 6, XX));
        expect_epilogue("to the epilogue", two_pushes, sizeof(two_pushes),
                        BYTES(0xeb, 1, 0x90, 0x48, 0x83, 0xc4, 0x20, 0x41, 0x5c, 0x5b, 0xc3),
                        WORDS(6, XX, 6, 6, XX, XX, XX, 2, XX, 1, 0));
        expect_epilogue("for ever", two_pushes, sizeof(two_pushes), BYTES(0xeb, 0xfe), WORDS(6, XX));
        /* Another register's pop is not how its epilogues end. */
        expect_epilogue("behind another pop", two_pushes, sizeof(two_pushes), BYTES(0x5f, 0xe9, 0, 1, 0, 0),
                        WORDS(XX, 6, XX, XX, XX, XX));
}

TEST(x64_epilogue_with_a_frame_register)
{
        /* push rbp (1); sub rsp, 0x40 (5); lea rbp, [rsp + 0x20] (10) */
        static const uint8_t info[] = {1, 10, 3, 0x25, 10, 0x03, 5, 0x72, 1, 0x50, 0, 0};
        /* sub rsp, 0x28 (4) */
        static const uint8_t alone[] = {1, 4, 1, 0, 4, 0x42, 0, 0};

        /* rbp is STACK + 0x80: its frame begins at word 12, and has 8 */
        expect_epilogue("lea", info, sizeof(info), BYTES(0x48, 0x8d, 0x65, 0x20, 0x5d, 0xc3),
                        WORDS(21, XX, XX, XX, 1, 0));
        expect_epilogue("lea of 32 bits", info, sizeof(info),
                        BYTES(0x48, 0x8d, 0xa5, 0x20, 0, 0, 0, 0x5d, 0xc3),
                        WORDS(21, XX, XX, XX, XX, XX, XX, 1, 0));
        expect_epilogue("jmp behind add", alone, sizeof(alone),
                        BYTES(0x48, 0x83, 0xc4, 0x28, 0xe9, 0, 1, 0, 0),
                        WORDS(5, XX, XX, XX, 0, XX, XX, XX, XX));
        expect_epilogue("jmp behind a long add", alone, sizeof(alone),
                        BYTES(0x48, 0x81, 0xc4, 0x28, 0, 0, 0, 0xe9, 0, 1, 0, 0),
                        WORDS(5, XX, XX, XX, XX, XX, XX, 0, XX, XX, XX, XX));
}

TEST(x64_epilogues_of_version_2)
{
        /* two bytes at the end, and two 0x40 before it; push rdi (1) */
        static const uint8_t info[] = {2, 1, 3, 0, 2, 0x16, 0x40, 0x06, 1, 0x70, 0, 0};
        enum { EPILOGUE_OFF = CODE_BYTES - 0x40, OTHER_JUMP_OFF = 0xa0 };
        static const uint8_t jump[] = {0xeb, 0x7e};
        AUTO_RELEASE(image) image;

        make_x64(&image, info, sizeof(info), BYTES(0xeb, 0x10));
        memcpy(image.b.code.data + EPILOGUE_OFF, jump, sizeof(jump));
        memcpy(image.b.code.data + OTHER_JUMP_OFF, jump, sizeof(jump));
        object_free(image.object);
        buf_release(&image.file);
        open_image(&image);
        step_x64(&image, 0x80);
        expect_return("body", &image, 1);
        step_x64(&image, CODE_BYTES - 2);
        expect_return("at the end", &image, 0);
        step_x64(&image, EPILOGUE_OFF);
        expect_return("elsewhere", &image, 0);
        step_x64(&image, OTHER_JUMP_OFF);
        expect_return("the same jump outside of them", &image, 1);
}

/* --- Chains of x64 --- */

TEST(x64_chained_entries)
{
        static const uint8_t first[] = {1, 1, 1, 0, 1, 0x30, 0, 0}; /* push rbx */
        uint8_t second[] = {
                0x21, 5, 3, 0, 5,    0xc4, 2, 0, 0, 0x32, 0, 0, /* sub 0x20; mov [rsp + 0x10], r12 */
                0,    0, 1, 0, 0x40, 0,    1, 0, 0, 0,    0, 0};
        enum { ENTRY_BYTES = 12, CHAINED_UNWIND_INFO_OFF = 20 }; /* the last field of the chained entry */
        AUTO_RELEASE(image) image = {0};
        uint32_t word;

        buf_add_zeros(&image.b.code, 0x200);
        word = pe_add_info(&image.b, first, sizeof(first));
        pe_add_entry(&image.b, 0, 0x40, word);
        memcpy(second + CHAINED_UNWIND_INFO_OFF, &word, 4);
        word = pe_add_info(&image.b, second, sizeof(second));
        pe_add_entry(&image.b, 0x40, 0x80, word);
        pe_add_entry(&image.b, 0x80, 0xc0, (PE_TABLE_RVA + ENTRY_BYTES) | 1);
        pe_add_entry(&image.b, 0xc0, 0x100, (PE_TABLE_RVA + 3 * ENTRY_BYTES) | 1); /* to itself */
        open_image(&image);
        for (unsigned at = 0x50; at < 0xc0; at += 0x30) {
                step_x64(&image, at);
                expect_return("second", &image, 5);
                expect_reg("second", &image, RBX, 4);
                expect_reg("second", &image, R12, 2);
        }
        step_x64(&image, 0x40);
        expect_return("the second's prologue", &image, 5);
        expect_reg("the second's prologue", &image, R12, AS_IT_WAS);
        step_x64(&image, 0xd0);
        EXPECT_INT(image.how, UNWIND_PE_MALFORMED);
        for (unsigned at = 0x10; at < 0xc0; at += 0x40) {
                struct object_unwind entry;

                EXPECT_TRUE(object_find_function(image.object, PE_BASE + PE_CODE_RVA + at, &entry));
                EXPECT_INT(entry.start, PE_BASE + PE_CODE_RVA);
        }
}

/* --- What is not there --- */

TEST(x64_leaves)
{
        /* push rcx; push rax; cmp rax, 0x1000; lea rcx, [rsp + 0x18]; jb; ...; pop rax; pop rcx; ret */
        static const uint8_t probe[] = {0x51, 0x50, 0x48, 0x3d, 0x00, 0x10, 0x00, 0x00, 0x48, 0x8d,
                                        0x4c, 0x24, 0x18, 0x72, 0x01, 0x90, 0x58, 0x59, 0xc3};
        static const uint8_t pushed[] = {0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0};
        AUTO_RELEASE(image) image;

        make_x64(&image, two_pushes, sizeof(two_pushes), NULL, 0);
        memcpy(image.b.code.data + PROBE_OFF, probe, sizeof(probe));
        object_free(image.object);
        buf_release(&image.file);
        open_image(&image);
        step_x64(&image, LEAF_OFF);
        EXPECT_INT(image.how, UNWIND_PE_LEAF);
        EXPECT_INT(image.regs.values[UNWIND_X64_RIP], WORD(0));
        EXPECT_INT(image.regs.values[RSP], STACK + 8);
        for (unsigned i = 0; i < sizeof(probe); i++) {
                step_x64(&image, PROBE_OFF + i);
                EXPECT_INT(image.how, UNWIND_PE_LEAF);
                EXPECT_INT(image.regs.values[UNWIND_X64_RIP], WORD(pushed[i]));
        }
        image.is_return = true;
        step_x64(&image, LEAF_OFF);
        EXPECT_INT(image.how, UNWIND_PE_NO_RULE);
}

TEST(x64_memory_that_is_not_there)
{
        uint64_t n_words = 6;
        AUTO_RELEASE(image) image;

        make_x64(&image, two_pushes, sizeof(two_pushes), NULL, 0);
        image.n_words = &n_words;
        step_x64(&image, 0x20);
        EXPECT_INT(image.how, UNWIND_PE_UNREAD);
        EXPECT_INT(image.regs.values[RSP], STACK);
        image.regs = regs_at(OBJECT_MACHINE_X86_64, 0x20);
        unwind_set_reg(&image.regs, RSP, STACK - 0x28);
        take_step(&image);
        EXPECT_INT(image.how, UNWIND_PE_DONE);
        EXPECT_INT(image.regs.values[UNWIND_X64_RIP], WORD(1));
        EXPECT_TRUE(!unwind_has_reg(&image.regs, R12));
        EXPECT_TRUE(unwind_has_reg(&image.regs, RBX));
}

static void expect_refused(const char *what, enum unwind_pe how, const uint8_t *info, size_t size)
{
        AUTO_RELEASE(image) image;

        make_x64(&image, info, size, NULL, 0);
        step_x64(&image, 0x50);
        if (image.how != how || image.regs.values[RSP] != STACK)
                TAP_FAIL("%s: %d", what, image.how);
}

TEST(x64_refused)
{
        expect_refused("version 3", UNWIND_PE_UNSUPPORTED, BYTES(3, 0, 0, 0));
        expect_refused("code 11", UNWIND_PE_UNSUPPORTED, BYTES(1, 4, 1, 0, 4, 0x0b, 0, 0));
        expect_refused("push rsp", UNWIND_PE_MALFORMED, BYTES(1, 1, 1, 0, 1, 0x40, 0, 0));
        expect_refused("save rsp", UNWIND_PE_MALFORMED, BYTES(1, 9, 2, 0, 9, 0x44, 3, 0));
        expect_refused("cut", UNWIND_PE_MALFORMED, BYTES(1, 9, 1, 0, 9, 0x05, 3, 0));
}

TEST(other_machines_and_images_without_a_table)
{
        AUTO_RELEASE(image) image;

        make_x64(&image, two_pushes, sizeof(two_pushes), NULL, 0);
        image.regs = regs_at(OBJECT_MACHINE_ARM64, 0x20);
        take_step(&image);
        EXPECT_INT(image.how, UNWIND_PE_NONE);
        object_free(image.object);
        buf_release(&image.file);
        buf_release(&image.b.table);
        open_image(&image);
        step_x64(&image, 0x20);
        EXPECT_INT(image.how, UNWIND_PE_NONE);
}

/* --- The walk --- */

struct process {
        struct unwind_module module;
};

static bool find_module(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        struct process *process = ctx;

        *ret_module = process->module;
        return addr >= ret_module->start && addr < ret_module->end;
}

/* Only the registers in `known` are valid; rbp has the address of the stack. */
static struct unwind_walked walk_known(struct image *image, uint64_t code_off, uint64_t known,
                                       const uint64_t *words, size_t n, struct unwind_frame *frames,
                                       size_t max)
{
        struct process process = {
                {PE_BASE + BIAS, PE_BASE + BIAS + PE_IMAGE_BYTES, BIAS, image->object, NULL}};
        struct unwind_modules modules = {find_module, &process};
        struct unwind_memory memory = {.start = STACK, .bytes = (const uint8_t *)words, .size = 8 * n};
        struct unwind_regs regs = regs_at(OBJECT_MACHINE_X86_64, code_off);
        struct unwind_walked walked;

        unwind_set_reg(&regs, RBP, STACK);
        regs.known &= known;
        unwind_walk(&modules, &regs, &memory, frames, max, &walked);
        return walked;
}

/* A stack of words with the frames of two_pushes. */
static struct unwind_walked walk_words(struct image *image, uint64_t code_off, const uint64_t *words,
                                       size_t n, struct unwind_frame *frames, size_t max)
{
        return walk_known(image, code_off, UINT64_MAX, words, n, frames, max);
}

TEST(walk_of_frames_with_codes)
{
        const uint64_t code = PE_BASE + BIAS + PE_CODE_RVA;
        uint64_t words[3 * FRAME_WORDS] = {[RETURN_WORD] = code + 0x40,
                                           [FRAME_WORDS + RETURN_WORD] = code + 0x50};
        struct unwind_frame frames[8];
        struct unwind_walked walked;
        AUTO_RELEASE(image) image;

        make_x64(&image, two_pushes, sizeof(two_pushes), NULL, 0);
        walked = walk_words(&image, 0x20, words, N_ELEMENTS(words), frames, 8);
        EXPECT_INT(walked.n_frames, 3);
        EXPECT_STR(unwind_end_text(walked.end), "zero");
        EXPECT_INT(walked.n_by_way[UNWIND_WAY_PE], 2);
        EXPECT_INT(frames[1].pc, code + 0x40);
        EXPECT_INT(frames[2].pc, code + 0x50);
        EXPECT_TRUE(!frames[2].is_exact);
        walked = walk_words(&image, 0x20, words, N_ELEMENTS(words) - 1, frames, 8);
        EXPECT_STR(unwind_end_text(walked.end), "cut");
        /* To where no code is. */
        words[FRAME_WORDS + RETURN_WORD] = PE_BASE + BIAS + PE_INFO_RVA + 4;
        walked = walk_words(&image, 0x20, words, N_ELEMENTS(words), frames, 8);
        EXPECT_INT(walked.n_frames, 2);
        EXPECT_STR(unwind_end_text(walked.end), "no code");
        words[FRAME_WORDS + RETURN_WORD] = 0x1234;
        walked = walk_words(&image, 0x20, words, N_ELEMENTS(words), frames, 8);
        EXPECT_STR(unwind_end_text(walked.end), "no code");
        /* Into code without an entry, which did not call. */
        words[RETURN_WORD] = code + LEAF_OFF;
        walked = walk_words(&image, 0x20, words, N_ELEMENTS(words), frames, 8);
        EXPECT_INT(walked.n_frames, 2);
        EXPECT_STR(unwind_end_text(walked.end), "no rule");
}

static void expect_walk_end(const char *want, uint64_t known, const uint8_t *info, size_t size)
{
        uint64_t words[8] = {0};
        struct unwind_frame frames[8];
        AUTO_RELEASE(image) image;

        make_x64(&image, info, size, NULL, 0);
        EXPECT_STR(unwind_end_text(walk_known(&image, 0x20, known, words, 8, frames, 8).end), want);
}

TEST(walk_ends_where_codes_cannot_be_used)
{
        const uint64_t no_rbp = UINT64_MAX & ~(1ull << RBP);

        expect_walk_end("malformed pe", UINT64_MAX, BYTES(1, 1, 1, 0, 1, 0x40, 0, 0));
        expect_walk_end("unsupported pe", UINT64_MAX, BYTES(3, 0, 0, 0));
        expect_walk_end("zero", UINT64_MAX, BYTES(1, 4, 1, 5, 4, 0x03, 0, 0));
        expect_walk_end("no register", no_rbp, BYTES(1, 4, 1, 5, 4, 0x03, 0, 0));
}

TEST(walk_out_of_a_leaf)
{
        const uint64_t code = PE_BASE + BIAS + PE_CODE_RVA;
        uint64_t words[8] = {code + 0x40};
        struct unwind_frame frames[8];
        struct unwind_walked walked;
        AUTO_RELEASE(image) image;

        make_x64(&image, two_pushes, sizeof(two_pushes), NULL, 0);
        walked = walk_words(&image, LEAF_OFF, words, 8, frames, 8);
        EXPECT_INT(walked.n_frames, 2);
        EXPECT_STR(unwind_end_text(walked.end), "zero");
        /* What it has stored there is no caller. */
        words[0] = 7;
        walked = walk_words(&image, LEAF_OFF, words, 8, frames, 8);
        EXPECT_INT(walked.n_frames, 1);
        EXPECT_STR(unwind_end_text(walked.end), "no rule");
        words[0] = 0;
        walked = walk_words(&image, LEAF_OFF, words, 8, frames, 8);
        EXPECT_STR(unwind_end_text(walked.end), "no rule");
}

TAP_MAIN
