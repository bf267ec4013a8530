/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives parts of functions, which compilers put elsewhere because they seldom run, to their functions: by
 * the name NAME.cold, or by jumps, which lead from and to the middle of functions only in parts. */
#include <stdlib.h>
#include <string.h>

#include "code_image_internal.h"
#include "map.h"
#include "mem.h"
#include "search.h"

/* The length of the name of the function that `name` is a cold part of; 0: it is none. */
static size_t cold_of(const char *name)
{
        const char *at = NULL;

        for (const char *next = name; (next = strstr(next, ".cold")) != NULL; next++)
                at = next;
        return at && (!at[5] || at[5] == '.') ? (size_t)(at - name) : 0;
}

static void join(struct code_image *image, size_t part, size_t whole)
{
        struct code_function *from = &image->functions[part], *to = &image->functions[whole];

        if (to->n_extents == CODE_MAX_PARTS)
                return;
        to->extents = mem_resize(to->extents, to->n_extents + 1, sizeof(*to->extents));
        to->extents[to->n_extents++] = from->extents[0];
        to->size_bytes += from->size_bytes;
        from->is_part = true;
}

void code_parts_join_named(struct code_image *image)
{
        struct map by_name = {0};

        for (size_t i = 0; i < image->n_functions; i++) {
                const char *name = image->functions[i].name;
                bool is_new;
                uint64_t *index = map_put(&by_name, code_hash_bytes(name, strlen(name)), &is_new);

                *index = is_new ? i : CODE_NO_FUNCTION;
        }
        for (size_t i = 0; i < image->n_functions; i++) {
                const struct code_function *part = &image->functions[i];
                size_t len = cold_of(part->name);
                uint64_t *index = len ? map_find(&by_name, code_hash_bytes(part->name, len)) : NULL;

                if (index && *index != CODE_NO_FUNCTION && part->n_extents == 1)
                        join(image, i, *index);
        }
        map_release(&by_name);
}

/* --- Jumps --- */

/* How code outside a function refers to its start. */
struct code_entry {
        uint32_t from;   /* the first function that jumps to it, or CODE_NO_FUNCTION */
        bool is_shared;  /* several functions jump to it */
        bool is_branch;  /* a conditional jump leads to it: no call of a function at the end of another one */
        bool is_called;  /* or an address of it is taken */
        bool leaves;     /* it returns, calls, or jumps elsewhere: it does not only end in a trap */
        uint32_t middle; /* the first function into the middle of which it jumps, or CODE_NO_FUNCTION */
};

static void note_reference(const struct code_image *image, struct code_entry *entries, uint32_t from,
                           const struct disasm_step *step)
{
        uint64_t addr = step->target;
        uint32_t to = code_image_find(image, addr);
        bool is_jump = step->flow == DISASM_JUMP || step->flow == DISASM_BRANCH;

        if (to == CODE_NO_FUNCTION || to == from)
                return;
        if (addr != image->functions[to].extents[0].start) {
                if (is_jump && entries[from].middle == CODE_NO_FUNCTION)
                        entries[from].middle = to;
                return;
        }
        entries[to].is_called |= !is_jump;
        if (!is_jump)
                return;
        entries[to].is_branch |= step->flow == DISASM_BRANCH;
        entries[to].is_shared |= entries[to].from != CODE_NO_FUNCTION && entries[to].from != from;
        entries[to].from = from;
}

/* Whether an instruction of `f` leads out of it. */
static bool leaves(const struct code_function *f, const struct disasm_step *step)
{
        bool is_jump = step->flow == DISASM_JUMP || step->flow == DISASM_BRANCH;

        return step->flow == DISASM_CALL || step->flow == DISASM_RETURN ||
               (is_jump && (!step->has_target || step->is_operand || step->target < f->extents[0].start ||
                            step->target >= f->extents[0].end));
}

/* Where the code at `start` that code_image_find() gives to `from` ends; `start`: there is none. */
static uint64_t end_of_own(const struct code_image *image, uint32_t from, uint64_t start, uint64_t end)
{
        size_t low = 0, high = image->n_pieces;

        SEARCH_FIRST(low, high, middle, image->pieces[middle].start <= start);
        if (!low || image->pieces[low - 1].function != from || image->pieces[low - 1].end < end)
                return start;
        return low < image->n_pieces && image->pieces[low].start < end ? image->pieces[low].start : end;
}

static void note_references(const struct code_image *image, enum disasm_arch arch, struct code_entry *entries,
                            uint32_t from)
{
        const struct code_function *f = &image->functions[from];
        struct disasm_step step;
        const uint8_t *code;

        for (size_t i = 0; i < f->n_extents; i++) {
                uint64_t start = f->extents[i].start, size = f->extents[i].end - start;
                uint64_t own_end = end_of_own(image, from, start, f->extents[i].end);

                if (!code_image_read(image, start, size, &code))
                        continue;
                for (uint64_t off = 0; off < size; off += step.size_bytes) {
                        step = disasm_step_get(arch, code + off, size - off, start + off);
                        entries[from].leaves |= leaves(f, &step);
                        /* most jumps stay in their function */
                        if (step.has_target && (step.target < start || step.target >= own_end))
                                note_reference(image, entries, from, &step);
                }
        }
}

static bool may_be_part(const struct code_function *f)
{
        return !f->is_part && f->n_extents == 1 && (!f->name[0] || cold_of(f->name));
}

/* The function that `part` is a part of, or CODE_NO_FUNCTION.  Of two that jump into the middle of each
 * other the shorter one is the part. */
static uint32_t find_whole(const struct code_image *image, const struct code_entry *entries, uint32_t part)
{
        const struct code_entry *entry = &entries[part];
        const struct code_function *f = &image->functions[part];
        uint32_t whole = entry->middle;

        if (whole != CODE_NO_FUNCTION &&
            image->functions[whole].extents[0].end - image->functions[whole].extents[0].start > f->size_bytes)
                return whole;
        return (entry->is_branch || f->has_frame || !entry->leaves) && !entry->is_shared && !entry->is_called
                       ? entry->from
                       : CODE_NO_FUNCTION;
}

void code_parts_join_by_jumps(struct code_image *image)
{
        struct code_entry *entries;
        enum disasm_arch arch;
        size_t n_candidates = 0;

        for (size_t i = 0; i < image->n_functions; i++)
                n_candidates += may_be_part(&image->functions[i]);
        if (!n_candidates || !image->object || !code_image_get_arch(image, &arch))
                return;
        entries = mem_new(image->n_functions, sizeof(*entries));
        for (size_t i = 0; i < image->n_functions; i++)
                entries[i].from = entries[i].middle = CODE_NO_FUNCTION;
        for (uint32_t i = 0; i < image->n_functions; i++) {
                if (!image->functions[i].is_part)
                        note_references(image, arch, entries, i);
        }
        for (uint32_t i = 0; i < image->n_functions; i++) {
                uint32_t whole =
                        may_be_part(&image->functions[i]) ? find_whole(image, entries, i) : CODE_NO_FUNCTION;

                if (whole != CODE_NO_FUNCTION && !image->functions[whole].is_part)
                        join(image, i, whole);
        }
        free(entries);
}
