/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches the stack for the return address of a frame whose frame pointer is unknown. */
#include "unwind_search.h"

#include <string.h>

#include "unwind_cfi.h"
#include "unwind_internal.h"

enum {
        WORD_BYTES = 8,
        MAX_WORDS = 1 << 14,  /* words of the stack that are looked at */
        MAX_CANDIDATES = 16,  /* return addresses that are tried */
        CALL_BYTES = 5,       /* e8 rel32 */
        CALL_TABLE_BYTES = 6, /* ff 15 rel32: through a table of addresses */
        STUB_BYTES = 11,      /* endbr64, bnd, jmp *rel32(%rip) */
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

bool unwind_search_begin(struct unwind_search *search, const struct unwind_modules *modules,
                         const struct unwind_module *module, uint64_t addr, const struct unwind_regs *regs,
                         struct unwind_memory *memory)
{
        unsigned fp = unwind_reg_fp(regs);
        struct cfi_row row;

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
        search->at = (regs->values[unwind_reg_sp(regs)] + WORD_BYTES - 1) & ~(uint64_t)(WORD_BYTES - 1);
        search->n_words = search->n_candidates = 0;
        return true;
}

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

/* Whether the call before `pc` calls the function, or can do so: where it calls is only known of a direct
 * call and of one through a table. */
static bool calls_function(const struct unwind_search *search, const struct unwind_module *module,
                           uint64_t pc)
{
        uint8_t code[CALL_TABLE_BYTES];
        uint64_t function;

        if (!unwind_is_behind_call(module, pc) ||
            !search->modules->read_memory(search->modules->ctx, pc - sizeof(code), code, sizeof(code)))
                return false;
        if (code[sizeof(code) - CALL_BYTES] == 0xe8) {
                uint64_t target = relative(code + sizeof(code) - CALL_BYTES + 1, pc);

                return target == search->function || behind_stub(search, target) == search->function;
        }
        if (code[0] == 0xff && code[1] == 0x15)
                return search->modules->read_memory(search->modules->ctx, relative(code + 2, pc), &function,
                                                    sizeof(function)) &&
                       function == search->function;
        return true;
}

/* Whether the word at `at` can be the return address: its frame must fit, too. */
static bool is_candidate(const struct unwind_search *search, uint64_t pc, uint64_t *ret_fp)
{
        uint64_t cfa = search->at - (uint64_t)search->return_off, saved = cfa + (uint64_t)search->fp_off;
        struct unwind_module module;
        uint64_t caller_fp;

        if (!unwind_read_word(search->memory, saved, &caller_fp) || caller_fp <= saved ||
            !unwind_read_word(search->memory, caller_fp, &(uint64_t){0}))
                return false;
        *ret_fp = cfa - (uint64_t)search->cfa_off;
        return search->modules->find(search->modules->ctx, pc - 1, &module) &&
               calls_function(search, &module, pc);
}

bool unwind_search_next(struct unwind_search *search, uint64_t *ret_fp)
{
        uint64_t pc;

        while (search->n_words++ < MAX_WORDS && search->n_candidates < MAX_CANDIDATES &&
               unwind_read_word(search->memory, search->at, &pc)) {
                bool is = pc && is_candidate(search, pc, ret_fp);

                search->at += WORD_BYTES;
                search->n_candidates += is;
                if (is)
                        return true;
        }
        return false;
}
