/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks by call-frame information that no installed compiler writes: their frames, and how they end. */
#include <inttypes.h>

#include "attributes.h"
#include "tap.h"
#include "unwind_cfi_state.h"

static bool find_made(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        struct made *made = ctx;

        *ret_module = (struct unwind_module){
                .start = 0x10000, .end = 0x20000, .bias = 0xf000, .object = made->object, .cfi = made->cfi};
        return addr >= ret_module->start && addr < ret_module->end;
}

static void expect_walk(struct made *made, struct place *place, size_t max_frames, const char *want)
{
        struct unwind_modules modules = {.find = find_made, .ctx = made};
        struct unwind_frame frames[UNWIND_MAX_FRAMES];
        AUTO_RELEASE(buf) text = {0};
        struct unwind_walked walked;

        unwind_walk(&modules, &place->regs, &place->memory, frames, max_frames, &walked);
        for (size_t i = 0; i < walked.n_frames; i++)
                buf_printf(&text, "%" PRIx64 "%s %s; ", frames[i].pc, frames[i].is_exact ? "!" : "",
                           unwind_way_text(frames[i].way));
        buf_printf(&text, "%s", unwind_end_text(walked.end));
        EXPECT_STR(buf_text(&text), want);
}

static void start_walk(struct place *place, enum object_machine machine, uint64_t pc, const uint64_t *words,
                       size_t n)
{
        set_place(place, machine, pc);
        memset(place->words, 0, sizeof(place->words));
        memcpy(place->words, words, n * sizeof(*words));
}

TEST(unwind_walk_ends)
{
        static const uint64_t calls[] = {0x10021, 0x10031, 0};
        static const uint64_t lost[] = {0x10021, 0x90000};
        AUTO_RELEASE(made) made = {0};
        AUTO_RELEASE(made) outer = {0};
        struct place place;

        open_entries(&made, false, BYTES(CIE_X64), BYTES(FDE));
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, calls, 3);
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; 10031 cfi; zero");
        expect_walk(&made, &place, 2, "10010! registers; 10021 cfi; limit");
        place.memory.size = 16;
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; 10031 cfi; cut");
        EXPECT_TRUE(place.memory.is_cut);
        place.memory.is_cut = false;
        place.memory.is_whole = true;
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; 10031 cfi; unreadable");
        EXPECT_TRUE(!place.memory.is_cut);
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, lost, 2);
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; 90000 cfi; no module");
        place.regs.known &= ~(1ull << UNWIND_X64_RSP);
        expect_walk(&made, &place, 127, "no start");
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, lost, 2);
        place.regs.known &= ~(1ull << UNWIND_X64_RIP);
        expect_walk(&made, &place, 127, "no start");
        /* The return address is undefined. */
        open_entries(&outer, false, BYTES(CIE_X64), BYTES(FDE "\7\20"));
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, calls, 3);
        expect_walk(&outer, &place, 127, "10010! registers; outermost");
}

/* A walk of one step by the instructions in an FDE, whose CFA is r7 + 8 at first. */
static void expect_step(const char *fde, size_t fde_size, const char *want)
{
        static const uint64_t calls[] = {0x10021, 0};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        open_entries(&made, false, BYTES(CIE_X64), fde, fde_size);
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, calls, 2);
        expect_walk(&made, &place, 127, want);
}

TEST(unwind_walk_malformed)
{
        /* An unknown instruction, a row that was not saved, and an expression: division by zero, endless,
         * cut, empty. */
        expect_step(BYTES(FDE "\x3e"), "10010! registers; malformed cfi");
        expect_step(BYTES(FDE "\x0b"), "10010! registers; malformed cfi");
        expect_step(BYTES(FDE "\x0f\3\x31\x30\x1b"), "10010! registers; malformed cfi");
        expect_step(BYTES(FDE "\x0f\3\x2f\xfd\xff"), "10010! registers; malformed cfi");
        expect_step(BYTES(FDE "\x0f\1\x90"), "10010! registers; malformed cfi");
        expect_step(BYTES(FDE "\x0f\0"), "10010! registers; malformed cfi");
        expect_step(BYTES(FDE "\x10\20\3\x31\x30\x1b"), "10010! registers; malformed cfi");
}

TEST(unwind_walk_unknown_registers)
{
        /* For the CFA, for the return address in a register, for an expression. */
        expect_step(BYTES(FDE "\x0d\x14"), "10010! registers; no register");
        expect_step(BYTES(FDE "\x09\20\x14"), "10010! registers; no register");
        expect_step(BYTES(FDE "\x0f\3\x92\x14\0"), "10010! registers; no register");
        expect_step(BYTES(FDE "\x16\20\2\x84\0"), "10010! registers; no register");
}

TEST(unwind_walk_of_another_machine)
{
        static const uint64_t calls[] = {0x10021, 0};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        open_entries(&made, false, BYTES(CIE_X64), BYTES(FDE));
        start_walk(&place, OBJECT_MACHINE_ARM64, 0x10010, calls, 2);
        expect_walk(&made, &place, 127, "10010! registers; other machine");
}

/* The sorted table leads to an entry whose CIE has version 9: it is ignored, and the frame pointer is
 * tried. */
TEST(unwind_walk_malformed_entry)
{
        static const uint64_t chain[] = {0x7010, 0x10221, 0, 0};
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(made) made = {0};
        struct cfi_row row;
        struct place place;
        struct err err;

        cfi_add_entry(&b.eh_frame, 0, false, BYTES("\x09zR\0\1\x78\20\1\3\x0c\7\10\x90\1"));
        buf_add(&b.eh_frame_hdr, "\1\x03\x03\x3b\0\0\x20\0\1\0\0\0", 12);
        buf_add_u32(&b.eh_frame_hdr, 0x1010u - CFI_HDR_ADDR);
        buf_add_u32(&b.eh_frame_hdr, (uint32_t)(CFI_FRAME_ADDR + b.eh_frame.len - CFI_HDR_ADDR));
        cfi_add_entry(&b.eh_frame, 0, true, BYTES(FDE));
        open_made(&b, &made);
        ASSERT_TRUE(made.cfi);
        EXPECT_TRUE(!cfi_find(made.cfi, 0x1010, &row, &err));
        EXPECT_INT(err.code, ERR_FORMAT);
        EXPECT_STR(err.text, "the entry for 0x1010 is malformed");
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, chain, 4);
        expect_walk(&made, &place, 127, "10010! registers; malformed cfi");
        unwind_set_reg(&place.regs, UNWIND_X64_RBP, STACK_ADDR);
        expect_walk(&made, &place, 127, "10010! registers; 10221 fp; malformed cfi");
        /* This is reported for this frame only: its caller, before all entries, has none. */
        place.words[1] = 0x10009;
        expect_walk(&made, &place, 127, "10010! registers; 10009 fp; no rule");
}

/* The saved value of a register is far away, which does no harm; the return address is then above the whole
 * stack, not far. */
TEST(unwind_walk_unreadable_behind_far)
{
        static const uint64_t calls[] = {0x10021, 0x10031};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        /* r3 at CFA - 0x1000; 16 bytes on the CFA is r7 + 0x100. */
        open_entries(&made, false, BYTES(CIE_X64), BYTES(FDE "\5\3\x80\4\x60\x0e\x80\2"));
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, calls, 2);
        place.memory.is_whole = true;
        place.memory.max_size = 0x1000;
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; unreadable");
        EXPECT_TRUE(!place.memory.is_cut && !place.memory.is_far);
        place.memory.is_whole = false;
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; cut");
        place.memory.max_size = 0x80; /* of a large frame only a part is copied */
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; cut");
        place.memory.is_whole = true; /* the copied stack ends before */
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; far");
        place.memory.is_whole = false;
        /* The copied stack has more than a copy may have. */
        place.memory.used_size = 0x200;
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; large");
        place.memory.used_size = 0x100;
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; far");
}

TEST(unwind_walk_endless)
{
        static const uint64_t calls[] = {0x10021};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        /* CFA = sp, with the same return address again and again. */
        open_entries(&made, false, BYTES("\1zR\0\1\x78\20\1\3\x0c\7\0\x90\0"), BYTES(FDE));
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, calls, 1);
        expect_walk(&made, &place, 127, "10010! registers; 10021 cfi; endless");
}

/* A return address is looked up at the byte before, because a call may be the last instruction of its
 * function. */
TEST(unwind_walk_call_at_the_end)
{
        static const uint64_t calls[] = {0x10100, 0};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        open_entries(&made, false, BYTES(CIE_X64), BYTES(FDE));
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, calls, 2);
        expect_walk(&made, &place, 127, "10010! registers; 10100 cfi; zero");
}

/* In an epilogue a popped register has its value again, and its slot is below the stack pointer. */
TEST(unwind_walk_popped)
{
        static const uint64_t stack[] = {0x10041, 0, 0, 0x10045};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        /* rbp at CFA - 16; 48 bytes on the CFA is rbp + 16. */
        open_entries(&made, false, BYTES(CIE_X64), BYTES(FDE "\x86\2\x70\x0c\6\20"));
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, stack, 4);
        unwind_set_reg(&place.regs, UNWIND_X64_RBP, STACK_ADDR + 0x10);
        expect_walk(&made, &place, 127, "10010! registers; 10041 cfi; 10045 cfi; endless");
        place.regs.known &= ~(1ull << UNWIND_X64_RBP);
        expect_walk(&made, &place, 127, "10010! registers; 10041 cfi; no register");
        /* Above it is what was not copied. */
        set_place(&place, OBJECT_MACHINE_X86_64, 0x10040);
        unwind_set_reg(&place.regs, UNWIND_X64_RBP, STACK_ADDR + sizeof(place.words));
        expect_walk(&made, &place, 127, "10040! registers; cut");
}

TEST(unwind_walk_frame_pointer)
{
        static const uint64_t chain[] = {0x7010, 0x10221, 0, 0x10021, 0};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        /* 0x10200 has no entry. */
        open_entries(&made, false, BYTES(CIE_X64), BYTES(FDE));
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10210, chain, 5);
        unwind_set_reg(&place.regs, UNWIND_X64_RBP, STACK_ADDR);
        expect_walk(&made, &place, 127, "10210! registers; 10221 fp; 10021 fp; zero");
        unwind_set_reg(&place.regs, UNWIND_X64_RBP, STACK_ADDR + 1);
        expect_walk(&made, &place, 127, "10210! registers; no rule");
        unwind_set_reg(&place.regs, UNWIND_X64_RBP, 0);
        expect_walk(&made, &place, 127, "10210! registers; no rule");
        unwind_set_reg(&place.regs, UNWIND_X64_RBP, STACK_ADDR + 8);
        expect_walk(&made, &place, 127, "10210! registers; no rule");
}

/* The caller of __do_global_dtors_aux does not use a frame pointer, and the function itself has no entry. */
static void expect_called(const char *code, size_t size, const char *want)
{
        static const uint64_t chain[] = {7, 0x10020, 0};
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        cfi_add_entry(&b.eh_frame, 0, false, BYTES(CIE_X64));
        cfi_add_entry(&b.eh_frame, 0, true, BYTES(FDE));
        buf_add_zeros(&b.text, 0x20 - size);
        buf_add(&b.text, code, size);
        open_made(&b, &made);
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10210, chain, 3);
        unwind_set_reg(&place.regs, UNWIND_X64_RBP, STACK_ADDR);
        expect_walk(&made, &place, 127, want);
}

TEST(unwind_walk_frame_pointer_is_the_last)
{
        static const struct {
                const char *code;
                size_t size;
        } calls[] = {
                {"\xe8\0\0\0\0", 5},         /* relative */
                {"\xff\xd0", 2},             /* rax */
                {"\x41\xff\xd4", 3},         /* r12 */
                {"\xff\x10", 2},             /* [rax] */
                {"\xff\x14\x24", 3},         /* [rsp] */
                {"\xff\x53\x18", 3},         /* [rbx + 0x18] */
                {"\xff\x54\x24\x08", 4},     /* [rsp + 8] */
                {"\xff\x15\1\0\0\0", 6},     /* [rip + 1] */
                {"\xff\x93\0\1\0\0", 6},     /* [rbx + 0x100] */
                {"\xff\x94\x24\0\1\0\0", 7}, /* [rsp + 0x100] */
                {"\xff\x14\x85\0\1\0\0", 7}, /* [rax * 4 + 0x100] */
        };

        for (size_t i = 0; i < N_ELEMENTS(calls); i++)
                expect_called(calls[i].code, calls[i].size, "10210! registers; 10020 fp; zero");
        expect_called("\xff\xe0", 2, "10210! registers; no rule");
        expect_called("\xff\xd0\x90", 3, "10210! registers; no rule");
        expect_called("\xff\x53", 2, "10210! registers; no rule");
}

TEST(unwind_walk_signed_addresses)
{
        static const uint64_t chain[] = {0x7020, 0x12f0000000010020, 0, 0, 0, 0};
        AUTO_RELEASE(made) made = {0};
        struct place place;

        /* x29 and x30 at CFA - 16; 0x1020 is a leaf. */
        open_entries(&made, true, BYTES(CIE_ARM64), BYTES(FDE "\x44\x0e\20\x9d\2\x9e\1\x5c\x0e\0\xde\xdd"));
        start_walk(&place, OBJECT_MACHINE_ARM64, 0x10030, chain, 6);
        unwind_set_reg(&place.regs, UNWIND_ARM64_X30, 0x00ab000000010010);
        expect_walk(&made, &place, 127, "10030! registers; 10010 cfi; 10020 cfi; zero");
}

TEST(unwind_walk_signal_frames)
{
        static const uint64_t calls[] = {0x10081, 0x10040, 0x10021, 0};
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(made) made = {0};
        struct place place;
        size_t cie;

        cfi_add_entry(&b.eh_frame, 0, false, BYTES(CIE_X64));
        cfi_add_entry(&b.eh_frame, 0, true, BYTES("\0\x10\0\0\x80\0\0\0\0"));
        cie = b.eh_frame.len;
        cfi_add_entry(&b.eh_frame, 0, false, BYTES("\1zRS\0\1\x78\20\1\3\x0c\7\10\x90\1"));
        cfi_add_entry(&b.eh_frame, cie, true, BYTES("\x80\x10\0\0\x10\0\0\0\0"));
        open_made(&b, &made);
        start_walk(&place, OBJECT_MACHINE_X86_64, 0x10010, calls, 4);
        expect_walk(&made, &place, 127, "10010! registers; 10081! cfi; 10040! cfi; 10021 cfi; zero");
}

/* The words at sp when a handler has returned: saved registers, from `off` on. */
static void expect_sigreturn(bool is_arm64, const char *code, size_t code_size, size_t off, unsigned pc_index,
                             unsigned sp_index)
{
        AUTO_RELEASE(cfi_builder) b = {.is_arm64 = is_arm64};
        AUTO_RELEASE(made) made = {0};
        uint64_t words[80] = {0};
        struct place place;

        /* The entry ends where the code begins, and a return address is looked up at the byte before. */
        buf_add_zeros(&b.text, 0x100);
        buf_add(&b.text, code, code_size);
        cfi_add_entry(&b.eh_frame, 0, false, is_arm64 ? CIE_ARM64 : CIE_X64,
                      is_arm64 ? sizeof(CIE_ARM64) - 1 : sizeof(CIE_X64) - 1);
        cfi_add_entry(&b.eh_frame, 0, true, BYTES(FDE));
        open_made(&b, &made);
        set_place(&place, is_arm64 ? OBJECT_MACHINE_ARM64 : OBJECT_MACHINE_X86_64, 0x10010);
        unwind_set_reg(&place.regs, UNWIND_ARM64_X30, 0x10100);
        if (!is_arm64)
                words[0] = 0x10100;
        words[off / 8 + !is_arm64 + pc_index] = 0x10050;
        words[off / 8 + !is_arm64 + sp_index] = STACK_ADDR + sizeof(words) - 8;
        place.memory.bytes = (const uint8_t *)words;
        place.memory.size = sizeof(words);
        expect_walk(&made, &place, 127, "10010! registers; 10100! cfi; 10050! signal; zero");
}

TEST(unwind_walk_signal_without_information)
{
        expect_sigreturn(false, BYTES("\x48\xc7\xc0\x0f\0\0\0\x0f\5"), 40, 16, 15);
        expect_sigreturn(false, BYTES("\xb8\x0f\0\0\0\x0f\5"), 40, 16, 15);
        expect_sigreturn(true, BYTES("\x68\x11\x80\xd2\1\0\0\xd4"), 312, 32, 31);
}

TAP_MAIN
