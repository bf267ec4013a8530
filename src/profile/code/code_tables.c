/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises jump tables by their content: elements that lead to instructions of the function that refers
 * to the table.  The layouts are those of gcc, clang and MSVC: addresses, distances from the table,
 * image-relative addresses, and on AArch64 small distances from a label. */
#include <stdlib.h>
#include <string.h>

#include "code_body.h"
#include "disasm_bound.h"
#include "mem.h"
#include "resolver_code.h"
#include "search.h"

enum {
        MIN_ENTRIES = 2,
        LOOK_AHEAD = 12,  /* instructions between the table's address and the jump */
        LOOK_BEHIND = 24, /* instructions between the bounds check and the jump */
};

struct table_layout {
        uint64_t max; /* elements */
        unsigned element_bytes;
        uint64_t base; /* added to an element */
        unsigned scale;
        bool is_signed;
};

static uint64_t number_of(const uint8_t *bytes, unsigned n, bool is_signed)
{
        uint64_t value = 0, sign = 1ull << (8 * n - 1);

        for (unsigned i = 0; i < n; i++)
                value |= (uint64_t)bytes[i] << (8 * i);
        return is_signed && n < 8 ? (value ^ sign) - sign : value;
}

/* The element at `addr`, with its relocation. */
static bool read_element(const struct code_image *image, const struct table_layout *layout, uint64_t addr,
                         uint64_t *ret_target)
{
        const struct object_relocation *relocation =
                code_image_relocation(image, addr, layout->element_bytes);
        const uint8_t *bytes;

        if (relocation && relocation->kind == OBJECT_RELOCATION_ABSOLUTE && layout->element_bytes == 8) {
                *ret_target = relocation->target;
                return relocation->is_defined;
        }
        if (relocation && relocation->kind == OBJECT_RELOCATION_RELATIVE && layout->element_bytes == 4) {
                *ret_target = layout->base + relocation->target - addr;
                return relocation->is_defined;
        }
        if (!code_image_read(image, addr, layout->element_bytes, &bytes))
                return false;
        *ret_target =
                layout->base + number_of(bytes, layout->element_bytes, layout->is_signed) * layout->scale;
        return true;
}

/* The end of the table at the latest: the end of its variable or section, or the next data that the
 * function refers to. */
static uint64_t limit_of(const struct code_body *body, const struct code_data *data, uint64_t addr)
{
        const struct code_image_section *section = code_image_section(body->image, addr);
        uint64_t limit = section ? section->end : addr;
        struct resolver_variable variable;
        size_t low = 0, high = data->n;

        if (!body->image->is_relocatable &&
            resolver_find_variable_at(body->image->resolver, body->image->id, addr, &variable) &&
            !variable.size_is_guessed && variable.start + variable.size_bytes < limit)
                limit = variable.start + variable.size_bytes;
        SEARCH_FIRST(low, high, middle, data->addrs[middle] <= addr);
        return low < data->n && data->addrs[low] < limit ? data->addrs[low] : limit;
}

static bool read_table(const struct code_body *body, const struct code_data *data, uint64_t addr,
                       const struct table_layout *layout, struct code_table *ret)
{
        uint64_t limit = limit_of(body, data, addr), target;
        size_t cap = 0;

        *ret = (struct code_table){.addr = addr, .element_bytes = layout->element_bytes};
        for (uint64_t at = addr; limit - at >= layout->element_bytes && ret->n < layout->max;
             at += layout->element_bytes) {
                size_t insn;

                if (!read_element(body->image, layout, at, &target))
                        break;
                insn = code_body_find(body, target);
                if (insn == SIZE_MAX)
                        break;
                ARRAY_PUSH(ret->blocks, ret->n, cap, (uint32_t)insn);
        }
        if (ret->n >= MIN_ENTRIES)
                return true;
        free(ret->blocks);
        return false;
}

/* --- Bounds --- */

static bool is_indirect_jump(const struct code_insn *insn)
{
        return insn->flow == DISASM_JUMP &&
               !(insn->n_refs && insn->refs[insn->n_refs - 1].kind == DISASM_REF_CODE);
}

/* The instruction that is executed before `insn`: of two, the one before it; SIZE_MAX: it is not known. */
static size_t find_before(const struct code_body *body, const struct code_data *data, size_t insn)
{
        const struct code_insn *before = insn ? &body->insns[insn - 1] : NULL;
        const uint64_t *jump;

        if (before && before->addr + before->size_bytes == body->insns[insn].addr &&
            (before->flow == DISASM_NEXT || before->flow == DISASM_CALL || before->flow == DISASM_BRANCH))
                return insn - 1;
        jump = map_find(&data->jumps, body->insns[insn].addr);
        return jump ? *jump - 1 : SIZE_MAX;
}

/* The number of elements of the table that instruction `first` refers to, by the bounds check before the
 * jump: `cmp w1, #20; b.hi default`.  The last branch before the jump is this check.  UINT64_MAX: there
 * is none. */
static uint64_t find_bound(const struct code_body *body, const struct code_data *data, size_t first)
{
        size_t at = first;
        bool has_branch = false;
        uint64_t more = 0, number;

        while (at < body->n_insns && at < first + LOOK_AHEAD && !is_indirect_jump(&body->insns[at]))
                at++;
        if (at == body->n_insns || !is_indirect_jump(&body->insns[at]))
                return UINT64_MAX;
        for (int i = 0; i < LOOK_BEHIND; i++) {
                const struct code_insn *insn;

                at = find_before(body, data, at);
                if (at == SIZE_MAX)
                        return UINT64_MAX;
                insn = &body->insns[at];
                if (has_branch && disasm_bound_compares(body->arch, insn->bytes, insn->size_bytes, &number))
                        return number + more;
                if (insn->flow != DISASM_BRANCH)
                        continue;
                if (has_branch || !disasm_bound_branches(body->arch, insn->bytes, insn->size_bytes, &more))
                        return UINT64_MAX;
                has_branch = true;
        }
        return UINT64_MAX;
}

/* --- Tables --- */

bool code_tables_are_possible(const struct code_body *body)
{
        if (!body->image->naming.tables)
                return false;
        for (size_t i = 0; i < body->n_insns; i++) {
                if (is_indirect_jump(&body->insns[i]))
                        return true;
        }
        return false;
}

static uint32_t word_of(const struct code_insn *insn)
{
        uint32_t word = 0;

        for (unsigned i = 0; i < insn->size_bytes && i < 4; i++)
                word |= (uint32_t)insn->bytes[i] << (8 * i);
        return word;
}

/* `ldrb w0, [table, w0, uxtw]; adr x1, label; add x0, x1, w0, sxtb #2; br x0`: finds the size of elements
 * and the label. */
static bool find_arm64_layout(const struct code_body *body, size_t first, uint64_t max,
                              struct table_layout *ret)
{
        *ret = (struct table_layout){.max = max, .scale = 4};
        for (size_t i = first + 1; i < body->n_insns && i <= first + LOOK_AHEAD; i++) {
                const struct code_insn *insn = &body->insns[i];
                unsigned element = disasm_arm64_element_bytes(word_of(insn));

                if (element && !ret->element_bytes)
                        ret->element_bytes = element;
                if (insn->n_refs && insn->referents[0].kind == CODE_REFERS_BLOCK &&
                    insn->refs[0].kind == DISASM_REF_PC)
                        ret->base = insn->referents[0].addr;
                if (ret->base && ret->element_bytes &&
                    disasm_arm64_adds_words(word_of(insn), &ret->is_signed))
                        return ret->element_bytes <= 4;
        }
        return false;
}

bool code_tables_read(const struct code_body *body, const struct code_data *data, size_t insn, uint64_t addr,
                      struct code_table *ret)
{
        uint64_t bound = find_bound(body, data, insn);
        uint64_t max = bound < CODE_MAX_TABLE_ENTRIES ? bound : CODE_MAX_TABLE_ENTRIES;
        const struct table_layout addresses = {.max = max, .element_bytes = 8, .scale = 1};
        const struct table_layout distances = {max, 4, addr, 1, true};
        const struct table_layout from_image = {max, 4, body->image->image_base, 1, false};
        struct table_layout small;

        if (read_table(body, data, addr, &addresses, ret) || read_table(body, data, addr, &distances, ret))
                return true;
        if (body->image->image_base && read_table(body, data, addr, &from_image, ret))
                return true;
        return body->image->machine == OBJECT_MACHINE_ARM64 && find_arm64_layout(body, insn, max, &small) &&
               read_table(body, data, addr, &small, ret);
}

/* Other relocations than of addresses leave the bytes of the file. */
static void take_bytes(const struct code_image *image, const struct code_table *table,
                       struct code_table_bytes *ret)
{
        const uint8_t *bytes;

        *ret = (struct code_table_bytes){table->addr, NULL, table->n * table->element_bytes};
        ret->bytes = mem_new(ret->size, 1);
        for (size_t at = 0; at < ret->size; at += table->element_bytes) {
                const struct object_relocation *relocation =
                        code_image_relocation(image, table->addr + at, table->element_bytes);

                if (relocation && relocation->kind == OBJECT_RELOCATION_ABSOLUTE && table->element_bytes == 8)
                        memcpy(ret->bytes + at, &relocation->target, sizeof(relocation->target));
                else if (code_image_read(image, table->addr + at, table->element_bytes, &bytes))
                        memcpy(ret->bytes + at, bytes, table->element_bytes);
        }
}

size_t code_image_tables(struct code_image *image, struct resolver_extent *extents, size_t n,
                         struct code_table_bytes **ret_tables)
{
        struct code_function function = {.name = "", .extents = extents, .n_extents = n};
        struct code_body body;
        size_t n_tables;

        code_image_set_naming(image, code_image_can_name(image));
        code_body_make(image, &function, &body);
        n_tables = body.n_tables;
        *ret_tables = mem_new(n_tables + 1, sizeof(**ret_tables));
        for (size_t i = 0; i < n_tables; i++)
                take_bytes(image, &body.tables[i], &(*ret_tables)[i]);
        code_body_release(&body);
        return n_tables;
}
