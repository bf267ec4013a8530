/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches the stack for the return address of a frame whose frame pointer is unknown. */
#include "unwind_search.h"

#include <string.h>

#include "unwind_cfi.h"
#include "unwind_internal.h"

enum {
        WORD_BYTES = 8,
        MAX_WORDS = 1 << 14,   /* words of the stack that are looked at */
        PUSHED_WORDS = 16,     /* arguments that a call may have pushed */
        MAX_CODE_BYTES = 4096, /* of a function, up to its call */
        CALL_BYTES = 5,        /* e8 rel32 */
        CALL_TABLE_BYTES = 6,  /* ff 15 rel32: through a table of addresses */
        STUB_BYTES = 11,       /* endbr64, bnd, jmp *rel32(%rip) */
};

/* Registers at a system call are sp and pc; all others are those of a frame above. */
static bool is_saved(const struct cfi_row *row, unsigned reg, int64_t *ret_off)
{
        for (size_t i = 0; i < row->n_rules; i++) {
                if (row->rules[i].target != reg)
                        continue;
                *ret_off = row->rules[i].off;
                return row->rules[i].kind == CFI_OFFSET;
        }
        return false;
}

/* --- The size of the frame --- */

/* Instructions that change the stack pointer: "sub $SIZE, %rsp" has a size, others make it variable. */
struct sizes {
        uint64_t fixed;
        bool is_variable;
};

static void see_instruction(const uint8_t *code, struct sizes *sizes)
{
        bool is_sub = code[1] == 0x29 && (code[2] & 0xc7) == 0xc4;                     /* sub %REG, %rsp */
        bool is_move = code[1] == 0x89 && (code[2] & 0xc7) == 0xc4 && code[2] != 0xec; /* mov %REG, %rsp */
        bool is_sub_from = code[1] == 0x2b && (code[2] & 0xf8) == 0xe0;
        bool is_align = (code[1] == 0x83 || code[1] == 0x81) && code[2] == 0xe4; /* and $SIZE, %rsp */
        bool is_lea = code[1] == 0x8d && (code[2] == 0x64 || code[2] == 0xa4) && code[3] == 0x24;
        uint32_t size;

        if ((code[0] & 0xfb) != 0x48)
                return;
        sizes->is_variable |= is_sub || is_move || is_sub_from || is_align || is_lea;
        if (sizes->fixed || code[2] != 0xec || (code[1] != 0x83 && code[1] != 0x81))
                return;
        memcpy(&size, code + 3, sizeof(size));
        sizes->fixed = code[1] == 0x83 ? code[3] : size;
}

/* Looks at each byte, as where instructions begin is not known: what is found by chance makes the frame
 * variable, or too small or large, so that no return address is found where it is expected. */
static struct sizes read_sizes(const struct unwind_modules *modules, uint64_t function, uint64_t addr)
{
        uint8_t code[MAX_CODE_BYTES];
        struct sizes sizes = {0};
        size_t size = addr - function;

        sizes.is_variable = size > sizeof(code) || !modules->read_memory(modules->ctx, function, code, size);
        for (size_t i = 0; !sizes.is_variable && i + 7 <= size; i++)
                see_instruction(code + i, &sizes);
        return sizes;
}

/* How far below the return address registers are saved. */
static uint64_t saved_bytes(const struct cfi_row *row, int64_t return_off)
{
        int64_t lowest = return_off;

        for (size_t i = 0; i < row->n_rules; i++) {
                if (row->rules[i].kind == CFI_OFFSET && row->rules[i].off < lowest)
                        lowest = row->rules[i].off;
        }
        return (uint64_t)return_off - (uint64_t)lowest;
}

bool unwind_search_begin(struct unwind_search *search, const struct unwind_modules *modules,
                         const struct unwind_module *module, uint64_t addr, const struct unwind_regs *regs,
                         struct unwind_memory *memory)
{
        unsigned fp = unwind_reg_fp(regs);
        struct cfi_row row;
        struct sizes sizes;

        if (!modules->read_memory || regs->machine != OBJECT_MACHINE_X86_64 || unwind_has_reg(regs, fp) ||
            !module->cfi || !cfi_find(module->cfi, addr - module->bias, &row, NULL))
                return false;
        if (row.cfa.kind != CFI_VAL_OFFSET || row.cfa.reg != fp ||
            !is_saved(&row, UNWIND_X64_RIP, &search->return_off) || !is_saved(&row, fp, &search->fp_off))
                return false;
        search->modules = modules;
        search->memory = memory;
        search->cfa_off = row.cfa.off;
        search->function = row.entry_start + module->bias;
        sizes = read_sizes(modules, search->function, addr);
        search->is_static = !sizes.is_variable;
        search->start =
                regs->values[unwind_reg_sp(regs)] + sizes.fixed + saved_bytes(&row, search->return_off);
        search->start = (search->start + WORD_BYTES - 1) & ~(uint64_t)(WORD_BYTES - 1);
        return true;
}

/* --- Calls --- */

static uint64_t relative(const uint8_t *rel32, uint64_t pc)
{
        int32_t off;

        memcpy(&off, rel32, sizeof(off));
        return pc + (uint64_t)(int64_t)off;
}

/* A stub of the procedure linkage table jumps to the address in a table. */
static uint64_t behind_stub(const struct unwind_search *search, uint64_t target)
{
        static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
        uint8_t code[STUB_BYTES];
        size_t at = 0;
        uint64_t function;

        if (!search->modules->read_memory(search->modules->ctx, target, code, sizeof(code)))
                return target;
        if (!memcmp(code, endbr64, sizeof(endbr64)))
                at = sizeof(endbr64);
        at += code[at] == 0xf2;
        if (code[at] != 0xff || code[at + 1] != 0x25 ||
            !search->modules->read_memory(search->modules->ctx,
                                          relative(code + at + 2, target + at + CALL_TABLE_BYTES), &function,
                                          sizeof(function)))
                return target;
        return function;
}

enum call { CALL_OTHER, CALL_ANY, CALL_FUNCTION };

/* What the call before `pc` calls. Where it goes is only known of a direct call and of one through a table.
 */
static enum call call_before(const struct unwind_search *search, uint64_t pc)
{
        uint8_t code[CALL_TABLE_BYTES];
        uint64_t function;

        if (!search->modules->read_memory(search->modules->ctx, pc - sizeof(code), code, sizeof(code)))
                return CALL_OTHER;
        if (code[sizeof(code) - CALL_BYTES] == 0xe8) {
                uint64_t target = relative(code + sizeof(code) - CALL_BYTES + 1, pc);

                return target == search->function || behind_stub(search, target) == search->function
                               ? CALL_FUNCTION
                               : CALL_OTHER;
        }
        if (code[0] != 0xff || code[1] != 0x15)
                return CALL_ANY;
        if (!search->modules->read_memory(search->modules->ctx, relative(code + 2, pc), &function,
                                          sizeof(function)))
                return CALL_OTHER;
        return function == search->function ? CALL_FUNCTION : CALL_OTHER;
}

/* A frame of a known size has its return address where the code says, or behind arguments that were pushed.
 * There the call may be one of another function, which has jumped to this one. */
static bool is_candidate(const struct unwind_search *search, uint64_t at, uint64_t pc,
                         struct unwind_candidate *ret)
{
        bool is_place = search->is_static && at - search->start <= PUSHED_WORDS * WORD_BYTES;
        uint64_t cfa = at - (uint64_t)search->return_off;
        struct unwind_module module;
        enum call call;

        if (!search->modules->find(search->modules->ctx, pc - 1, &module) ||
            !unwind_is_behind_call(&module, pc))
                return false;
        call = call_before(search, pc);
        if (call == CALL_OTHER && !(is_place && at == search->start))
                return false;
        if (call == CALL_ANY && search->is_static && !is_place)
                return false;
        *ret = (struct unwind_candidate){
                .at = at,
                .pc = pc,
                .fp = cfa - (uint64_t)search->cfa_off,
                .rank = is_place                ? UNWIND_RANK_PLACE
                        : call == CALL_FUNCTION ? UNWIND_RANK_CALL
                                                : UNWIND_RANK_ANY,
        };
        return true;
}

size_t unwind_search_all(const struct unwind_search *search, struct unwind_candidate *ret)
{
        uint64_t pc, at = search->start;
        size_t n = 0;

        for (size_t i = 0; i < MAX_WORDS && n < UNWIND_MAX_CANDIDATES; i++, at += WORD_BYTES) {
                if (!unwind_read_word(search->memory, at, &pc))
                        break;
                n += pc && is_candidate(search, at, pc, &ret[n]);
        }
        return n;
}
