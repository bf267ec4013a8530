/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the tables, caches rows by address, and applies rows. */
#include "unwind_cfi.h"

#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "mem.h"
#include "unwind_cfi_internal.h"
#include "unwind_internal.h"

enum {
        INSTRUCTIONS_OF_STEP = 4,
        INSTRUCTIONS_OF_ENTRY = 16, /* reading and sorting an entry takes as long as so many instructions */
        UNCOUNTED_INSTRUCTIONS = 1 << 12,
};

static bool check_object(const struct object *object, struct err *err)
{
        const struct object_facts *facts = object_get_facts(object);

        if (facts->format != OBJECT_ELF ||
            (facts->machine != OBJECT_MACHINE_X86_64 && facts->machine != OBJECT_MACHINE_ARM64) ||
            facts->address_bytes != 8)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "%s: not a 64-bit ELF file for x86-64 or AArch64; wperf reads call-frame information only from those",
                        object_name(object));
        if (facts->is_relocatable)
                return err_set(err, ERR_UNSUPPORTED, "%s: the file is not linked", object_name(object));
        return true;
}

static void add_debug_frame(struct cfi *cfi, struct object *object)
{
        if (cfi->n_tables < N_ELEMENTS(cfi->tables) &&
            cfi_open_debug_frame(object, &cfi->tables[cfi->n_tables]))
                cfi->n_tables++;
}

struct cfi *cfi_open(struct object *object, struct object *debug, struct err *err)
{
        AUTO(cfi) cfi = NULL;

        if (!check_object(object, err))
                return NULL;
        cfi = mem_new(1, sizeof(*cfi));
        cfi->object = object;
        cfi->machine = object_get_facts(object)->machine;
        if (cfi_open_eh_frame(object, &cfi->tables[0]))
                cfi->n_tables = 1;
        add_debug_frame(cfi, object);
        if (debug && object_get_facts(debug)->machine == cfi->machine && check_object(debug, NULL))
                add_debug_frame(cfi, debug);
        if (!cfi->n_tables) {
                err_set(err, ERR_MISSING, "%s: no call-frame information", object_name(object));
                return NULL;
        }
        return TAKE(cfi);
}

struct cfi *cfi_open_frames(struct cursor eh_frame, uint64_t addr, enum object_machine machine,
                            struct budget *budget)
{
        struct cfi *cfi;

        if (eh_frame.failed || eh_frame.swap || !cursor_left(&eh_frame))
                return NULL;
        cfi = mem_new(1, sizeof(*cfi));
        cfi->machine = machine;
        cfi->budget = budget;
        cfi->tables[0].area = (struct cfi_area){.bytes = eh_frame, .addr = addr};
        cfi->n_tables = 1;
        return cfi;
}

void cfi_free(struct cfi *cfi)
{
        if (!cfi)
                return;
        for (size_t i = 0; i < cfi->n_tables; i++) {
                budget_give(cfi->tables[i].budget, cfi->tables[i].taken_bytes);
                free(cfi->tables[i].index);
        }
        map_release(&cfi->by_addr);
        map_release(&cfi->by_hash);
        free(cfi->kept);
        free(cfi->rules);
        free(cfi);
}

struct cfi_counts cfi_get_counts(const struct cfi *cfi)
{
        struct cfi_counts counts = cfi->counts;

        counts.n_held = cfi->by_addr.n_used;
        counts.n_different = cfi->n_kept;
        for (size_t i = 0; i < cfi->n_tables; i++)
                counts.n_indexed += cfi->tables[i].n_index;
        return counts;
}

static struct budget *budget_of(const struct cfi *cfi)
{
        return cfi->object ? object_budget(cfi->object) : cfi->budget;
}

static enum cfi_step find_fde(struct cfi *cfi, struct cfi_table *table, uint64_t addr,
                              struct cfi_fde *ret_fde)
{
        enum cfi_step how;

        if (!table->taken_bytes)
                table->budget = budget_of(cfi);
        how = cfi_find_fde(table, addr, ret_fde);
        cfi->n_instructions += table->n_read * INSTRUCTIONS_OF_ENTRY;
        table->n_read = 0;
        return how;
}

/* Returns DONE, NONE, BAD_ENTRY or MALFORMED. */
static enum cfi_step find_row(struct cfi *cfi, uint64_t addr, struct cfi_row *ret_row, struct err *err)
{
        enum cfi_step how, none = CFI_STEP_NONE;
        struct cfi_fde fde;

        for (size_t i = 0; i < cfi->n_tables; i++) {
                how = find_fde(cfi, &cfi->tables[i], addr, &fde);
                if (how == CFI_STEP_BAD_ENTRY)
                        none = how;
                if (how != CFI_STEP_DONE)
                        continue;
                if (cfi_read_row(&cfi->tables[i], &fde, cfi->machine, addr, ret_row, &cfi->n_instructions,
                                 err))
                        return CFI_STEP_DONE;
                err_in(err, "%s", cfi->tables[i].is_debug ? ".debug_frame" : ".eh_frame");
                return CFI_STEP_MALFORMED;
        }
        if (none == CFI_STEP_BAD_ENTRY)
                err_set(err, ERR_FORMAT, "the entry for 0x%llx is malformed", (unsigned long long)addr);
        else
                err_set(err, ERR_MISSING, "no call-frame information for 0x%llx", (unsigned long long)addr);
        return none;
}

bool cfi_find(struct cfi *cfi, uint64_t addr, struct cfi_row *ret_row, struct err *err)
{
        return find_row(cfi, addr, ret_row, err) == CFI_STEP_DONE;
}

/* --- Cached rows --- */

/* A signal's return code may directly follow a function, so that the byte before it is not its caller. On
 * AArch64 even its own entry, which some kernels have, gives x30 of the interrupted code instead of its
 * pc. */
static bool is_before_sigreturn(const struct cfi *cfi, const struct cfi_row *row, uint64_t addr)
{
        if (cfi->machine == OBJECT_MACHINE_X86_64 && (row->entry_end != addr + 1 || row->is_signal))
                return false;
        return cfi->object && unwind_is_sigreturn(cfi->object, cfi->machine, addr + 1);
}

static void forget_all(struct cfi *cfi)
{
        map_release(&cfi->by_addr);
        map_release(&cfi->by_hash);
        cfi->n_kept = cfi->n_rules = 0;
}

static bool is_same_row(const struct cfi *cfi, const struct cfi_kept *a, const struct cfi_kept *b,
                        const struct cfi_rule *b_rules)
{
        return !memcmp(&a->cfa, &b->cfa, sizeof(a->cfa)) && a->n_rules == b->n_rules &&
               a->return_reg == b->return_reg && a->state == b->state && a->is_signal == b->is_signal &&
               (!a->n_rules || !memcmp(cfi->rules + a->first, b_rules, a->n_rules * sizeof(*b_rules)));
}

static uint64_t row_hash(const struct cfi_kept *row, const struct cfi_rule *rules)
{
        uint64_t key = (uint64_t)row->state << 16 | (uint64_t)row->return_reg << 8 | row->is_signal;

        return map_mix(key ^ map_hash_bytes(&row->cfa, sizeof(row->cfa))) ^
               map_hash_bytes(rules, row->n_rules * sizeof(*rules));
}

/* The index of an equal row in `kept`; adds the row if there is none. */
static uint64_t keep(struct cfi *cfi, struct cfi_kept row, const struct cfi_rule *rules)
{
        uint64_t key = row_hash(&row, rules), *number;
        bool is_new;

        for (;; key++) {
                number = map_put(&cfi->by_hash, key, &is_new);
                if (is_new)
                        break;
                if (is_same_row(cfi, &cfi->kept[*number], &row, rules))
                        return *number;
        }
        *number = cfi->n_kept;
        row.first = (uint32_t)cfi->n_rules;
        for (size_t i = 0; i < row.n_rules; i++)
                ARRAY_PUSH(cfi->rules, cfi->n_rules, cfi->cap_rules, rules[i]);
        ARRAY_PUSH(cfi->kept, cfi->n_kept, cfi->cap_kept, row);
        return cfi->n_kept - 1;
}

static uint64_t keep_row(struct cfi *cfi, const struct cfi_row *row)
{
        return keep(cfi,
                    (struct cfi_kept){
                            .cfa = row->cfa,
                            .n_rules = row->n_rules,
                            .return_reg = row->return_reg,
                            .state = CFI_STEP_DONE,
                            .is_signal = row->is_signal,
                    },
                    row->rules);
}

static uint64_t keep_failure(struct cfi *cfi, enum cfi_step state)
{
        return keep(cfi, (struct cfi_kept){.state = (uint8_t)state}, NULL);
}

static uint64_t find_and_keep(struct cfi *cfi, uint64_t addr)
{
        struct cfi_row row;
        enum cfi_step how = find_row(cfi, addr, &row, NULL);

        if (how != CFI_STEP_DONE)
                return keep_failure(cfi, how);
        return is_before_sigreturn(cfi, &row, addr) ? keep_failure(cfi, CFI_STEP_NONE) : keep_row(cfi, &row);
}

static const struct cfi_kept *get_kept(struct cfi *cfi, uint64_t addr)
{
        const uint64_t *known = map_find(&cfi->by_addr, addr);
        uint64_t number;

        if (known) {
                cfi->counts.n_kept++;
                return &cfi->kept[*known];
        }
        if (cfi->by_addr.n_used == CFI_MAX_CACHED)
                forget_all(cfi);
        cfi->counts.n_read++;
        number = find_and_keep(cfi, addr);
        *map_put(&cfi->by_addr, addr, NULL) = number;
        return &cfi->kept[number];
}

/* --- Steps --- */

static enum cfi_step find_cfa(struct cfi *cfi, const struct cfi_rule *rule, uint64_t bias,
                              const struct unwind_regs *regs, struct unwind_memory *memory, uint64_t *ret_cfa)
{
        if (rule->kind == CFI_VAL_EXPR)
                return cfi_eval(rule, NULL, bias, regs, memory, &cfi->n_instructions, ret_cfa);
        if (!unwind_has_reg(regs, rule->reg))
                return CFI_STEP_NO_REGISTER;
        *ret_cfa = regs->values[rule->reg] + (uint64_t)rule->off;
        return CFI_STEP_DONE;
}

static enum cfi_step find_value(struct cfi *cfi, const struct cfi_rule *rule, uint64_t cfa, uint64_t bias,
                                const struct unwind_regs *regs, struct unwind_memory *memory,
                                uint64_t *ret_value)
{
        uint64_t addr = cfa + (uint64_t)rule->off;
        enum cfi_step step;

        switch (rule->kind) {
        case CFI_VAL_OFFSET: *ret_value = addr; return CFI_STEP_DONE;
        case CFI_VAL_EXPR: return cfi_eval(rule, &cfa, bias, regs, memory, &cfi->n_instructions, ret_value);
        case CFI_REG:
                if (!unwind_has_reg(regs, rule->reg))
                        return CFI_STEP_NO_REGISTER;
                *ret_value = regs->values[rule->reg];
                return CFI_STEP_DONE;
        case CFI_EXPR:
                step = cfi_eval(rule, &cfa, bias, regs, memory, &cfi->n_instructions, &addr);
                if (step != CFI_STEP_DONE)
                        return step;
                break;
        default: break;
        }
        if (unwind_read_word(memory, addr, ret_value))
                return CFI_STEP_DONE;
        /* Memory below the stack pointer was already popped; compilers do not describe this in epilogues. */
        if (rule->kind != CFI_OFFSET || addr >= regs->values[unwind_reg_sp(regs)] ||
            !unwind_has_reg(regs, rule->target))
                return CFI_STEP_UNREAD;
        *ret_value = regs->values[rule->target];
        return CFI_STEP_DONE;
}

/* A register that can't be restored is unknown in the caller; only the return address and sp are required.
 * All values are computed before any register changes, because rules refer to the frame's registers. */
static enum cfi_step apply(struct cfi *cfi, const struct cfi_kept *row, uint64_t bias,
                           struct unwind_regs *regs, struct unwind_memory *memory)
{
        const struct cfi_rule *rules = row->n_rules ? cfi->rules + row->first : NULL;
        unsigned sp = unwind_reg_sp(regs);
        uint64_t values[UNWIND_N_REGS], known = regs->known | 1ull << sp, cfa;
        enum cfi_step step = find_cfa(cfi, &row->cfa, bias, regs, memory, &cfa);

        if (step != CFI_STEP_DONE)
                return step;
        for (size_t i = 0; i < row->n_rules; i++) {
                uint8_t target = rules[i].target;

                step = CFI_STEP_OUTERMOST;
                if (rules[i].kind != CFI_UNDEFINED)
                        step = find_value(cfi, &rules[i], cfa, bias, regs, memory, &values[i]);
                if (step == CFI_STEP_DONE)
                        known |= 1ull << target;
                else if (target == row->return_reg || target == sp)
                        return step;
                else
                        known &= ~(1ull << target);
        }
        if (!(known >> row->return_reg & 1))
                return CFI_STEP_NO_REGISTER;
        regs->known = known;
        regs->values[sp] = cfa;
        for (size_t i = 0; i < row->n_rules; i++) {
                if (known >> rules[i].target & 1)
                        regs->values[rules[i].target] = values[i];
        }
        unwind_set_reg(regs, unwind_reg_pc(regs), regs->values[row->return_reg]);
        return CFI_STEP_DONE;
}

/* False once the file takes too much work, as one whose rules are very long, at very many addresses. */
static bool count_work(struct cfi *cfi)
{
        uint64_t n = cfi->n_instructions;

        if (!budget_work(budget_of(cfi), BUDGET_STACKS, n / INSTRUCTIONS_OF_STEP))
                return false;
        cfi->n_instructions = 0;
        return true;
}

enum cfi_step cfi_step(struct cfi *cfi, uint64_t addr, uint64_t bias, struct unwind_regs *regs,
                       struct unwind_memory *memory, struct cfi_stepped *ret_stepped)
{
        const struct cfi_kept *row;

        if (cfi->n_instructions >= UNCOUNTED_INSTRUCTIONS && !count_work(cfi))
                return CFI_STEP_MALFORMED;
        row = get_kept(cfi, addr);
        if (regs->machine != cfi->machine)
                return CFI_STEP_OTHER_MACHINE;
        ret_stepped->is_signal = row->is_signal;
        if (row->state != CFI_STEP_DONE)
                return (enum cfi_step)row->state;
        return apply(cfi, row, bias, regs, memory);
}
