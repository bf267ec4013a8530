/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes a function, finds what its fields refer to, and divides it into blocks. */
#include "code_body.h"

#include <stdlib.h>
#include <string.h>

#include "code_pages.h"
#include "code_veneers.h"
#include "mem.h"
#include "resolver_code.h"
#include "search.h"

/* --- Instructions --- */

static void add_insn(struct code_body *body, const struct disasm_shape *shape, const uint8_t *bytes,
                     uint64_t addr)
{
        struct code_insn insn = {
                .addr = addr,
                .bytes = bytes,
                .size_bytes = shape->size_bytes,
                .flow = shape->flow,
                .is_padding = shape->is_padding,
                .n_refs = shape->n_refs,
                .bare = code_hash_bytes(shape->bytes, shape->n_bytes),
        };

        memcpy(insn.refs, shape->refs, sizeof(insn.refs));
        ARRAY_PUSH(body->insns, body->n_insns, body->cap_insns, insn);
}

size_t code_body_find(const struct code_body *body, uint64_t addr)
{
        size_t low = 0, high = body->n_insns;

        /* Parts are in the order of their addresses after decode(). */
        SEARCH_FIRST(low, high, middle, body->insns[middle].addr < addr);
        return low < body->n_insns && body->insns[low].addr == addr ? low : SIZE_MAX;
}

/* --- Referents --- */

struct referring {
        struct code_body *body;
        const uint64_t *pages; /* AArch64: by instruction, of code_pages_list() */
        bool loads_image_base;
};

/* Replaces a field of an instruction by what it refers to.  The caller has decided that it is an address. */
static void refer(struct code_body *body, uint64_t addr, const struct disasm_ref *ref,
                  struct code_referent *ret)
{
        size_t index = code_body_find(body, addr);

        if (index != SIZE_MAX && addr != body->function->extents[0].start) {
                *ret = (struct code_referent){
                        .kind = CODE_REFERS_BLOCK, .addr = addr, .index = (uint32_t)index};
                return;
        }
        code_referent_of_addr(body->image, addr, ref, ret);
}

static bool is_image_relative(const struct referring *r, const struct disasm_ref *ref)
{
        uint64_t base = r->body->image->image_base;

        return base && r->loads_image_base && ref->has_register && ref->size_bytes == 4 &&
               ref->value < UINT32_MAX && code_image_section(r->body->image, base + ref->value);
}

static void refer_number(const struct referring *r, const struct disasm_ref *ref, struct code_referent *ret)
{
        const struct code_image *image = r->body->image;

        if (code_referent_is_addr(image, ref->value) ||
            (image->is_fixed && code_body_find(r->body, ref->value) != SIZE_MAX))
                refer(r->body, ref->value, ref, ret);
        else if (is_image_relative(r, ref))
                refer(r->body, image->image_base + ref->value, ref, ret);
        else
                *ret = (struct code_referent){.kind = CODE_REFERS_NUMBER, .key = ref->value};
}

static void refer_low(const struct referring *r, uint64_t page, const struct disasm_ref *ref,
                      struct code_referent *ret)
{
        if (page != CODE_NO_PAGE)
                refer(r->body, page + ref->value, ref, ret);
        else
                *ret = (struct code_referent){.kind = CODE_REFERS_NUMBER, .key = ref->value};
}

/* The relocation of a field.  In a linked object code has none, and addresses of code are no fields of the
 * table. */
static const struct object_relocation *relocation_of(const struct code_body *body,
                                                     const struct code_insn *insn,
                                                     const struct disasm_ref *ref)
{
        return body->image->is_relocatable
                       ? code_image_relocation(body->image, insn->addr + ref->off, ref->size_bytes)
                       : NULL;
}

static void find_referent(const struct referring *r, struct code_insn *insn, size_t k)
{
        const struct disasm_ref *ref = &insn->refs[k];
        const struct object_relocation *relocation = relocation_of(r->body, insn, ref);
        struct code_referent *ret = &insn->referents[k];
        unsigned after = (unsigned)(insn->size_bytes - ref->off);

        if (relocation) {
                code_referent_of_relocation(r->body->image, relocation, after, ref, ret);
                if (ret->kind == CODE_REFERS_FUNCTION && ret->addr &&
                    code_body_find(r->body, ret->addr) != SIZE_MAX)
                        refer(r->body, ret->addr, ref, ret);
                return;
        }
        switch (ref->kind) {
        case DISASM_REF_CODE:
        case DISASM_REF_PC: refer(r->body, ref->value, ref, ret); break;
        case DISASM_REF_PAGE: *ret = (struct code_referent){.kind = CODE_REFERS_PAGE}; break;
        case DISASM_REF_LOW: refer_low(r, r->pages[insn - r->body->insns], ref, ret); break;
        default: refer_number(r, ref, ret);
        }
}

static void find_referents(struct code_body *body, const struct disasm_shape *shapes)
{
        bool is_arm64 = body->image->machine == OBJECT_MACHINE_ARM64;
        uint64_t *pages = is_arm64 ? code_pages_list(body, shapes) : NULL;
        struct referring r = {.body = body, .pages = pages};

        for (size_t i = 0; i < body->n_insns && body->image->image_base; i++) {
                const struct code_insn *insn = &body->insns[i];

                r.loads_image_base |= insn->n_refs && insn->refs[0].kind == DISASM_REF_PC &&
                                      insn->refs[0].value == body->image->image_base;
        }
        for (size_t i = 0; i < body->n_insns; i++) {
                for (size_t k = 0; k < body->insns[i].n_refs; k++)
                        find_referent(&r, &body->insns[i], k);
        }
        free(pages);
}

/* --- Tables --- */

/* Elements of a table are read at an address with an index, not at one that is a constant. */
static bool may_be_table(const struct code_body *body, const struct disasm_ref *ref,
                         const struct code_referent *to)
{
        const struct code_image_section *section;

        if (ref->load_bytes && (ref->kind == DISASM_REF_PC || ref->kind == DISASM_REF_LOW))
                return false;
        if (to->kind != CODE_REFERS_VARIABLE && to->kind != CODE_REFERS_CONTENT &&
            to->kind != CODE_REFERS_SECTION)
                return false;
        section = to->addr ? code_image_section(body->image, to->addr) : NULL;
        return section && section->name[0] == '.' && section->name[1] != 'b'; /* not .bss */
}

static int compare_addrs(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;

        return (*x > *y) - (*x < *y);
}

static struct code_data list_data(const struct code_body *body)
{
        struct code_data data = {0};
        uint64_t *jump;

        for (size_t i = 0; i < body->n_insns; i++) {
                for (size_t k = 0; k < body->insns[i].n_refs; k++) {
                        const struct code_referent *to = &body->insns[i].referents[k];

                        if (to->kind != CODE_REFERS_BLOCK && to->addr)
                                ARRAY_PUSH(data.addrs, data.n, data.cap, to->addr);
                        if (to->kind != CODE_REFERS_BLOCK || body->insns[i].refs[k].kind != DISASM_REF_CODE)
                                continue;
                        jump = map_put(&data.jumps, to->addr, NULL);
                        if (!*jump)
                                *jump = i + 1;
                }
        }
        if (data.n)
                qsort(data.addrs, data.n, sizeof(*data.addrs), compare_addrs);
        return data;
}

/* Makes the referent a table, if it is one.  `known` has the number + 1 of the table at each address, 0 if
 * there is none. */
static void find_table(struct code_body *body, const struct code_data *data, size_t insn,
                       struct code_referent *to, struct map *known)
{
        struct code_table table;
        bool is_new;
        uint64_t *number = map_put(known, to->addr, &is_new);

        if (is_new && code_tables_read(body, data, insn, to->addr, &table)) {
                ARRAY_PUSH(body->tables, body->n_tables, body->cap_tables, table);
                *number = body->n_tables;
        }
        if (!*number)
                return;
        to->kind = CODE_REFERS_TABLE;
        if (body->image->naming.contents)
                to->key = CODE_REFERS_TABLE;
        to->index = (uint32_t)(*number - 1);
}

static void find_tables(struct code_body *body)
{
        struct map known = {0};
        struct code_data data;

        if (!code_tables_are_possible(body))
                return;
        data = list_data(body);
        for (size_t i = 0; i < body->n_insns; i++) {
                for (size_t k = 0; k < body->insns[i].n_refs; k++) {
                        if (may_be_table(body, &body->insns[i].refs[k], &body->insns[i].referents[k]))
                                find_table(body, &data, i, &body->insns[i].referents[k], &known);
                }
        }
        map_release(&known);
        map_release(&data.jumps);
        free(data.addrs);
}

/* --- Blocks --- */

static bool ends_block(const struct code_insn *insn)
{
        return insn->flow != DISASM_NEXT && insn->flow != DISASM_CALL;
}

static void mark_blocks(struct code_body *body)
{
        for (size_t i = 0; i < body->n_insns; i++) {
                struct code_insn *insn = &body->insns[i];

                if (!i || ends_block(insn - 1) || insn[-1].addr + insn[-1].size_bytes != insn->addr)
                        insn->begins_block = true;
                for (size_t k = 0; k < insn->n_refs; k++) {
                        if (insn->referents[k].kind == CODE_REFERS_BLOCK)
                                body->insns[insn->referents[k].index].begins_block = true;
                }
        }
        for (size_t i = 0; i < body->n_tables; i++) {
                for (size_t k = 0; k < body->tables[i].n; k++)
                        body->insns[body->tables[i].blocks[k]].begins_block = true;
        }
}

/* Without the padding at both ends, which belongs to no block. */
static void add_block(struct code_body *body, size_t first, size_t end)
{
        struct code_block block = {0};

        while (end > first && body->insns[end - 1].is_padding)
                end--;
        while (first < end && body->insns[first].is_padding)
                first++;
        block.first = first;
        block.addr = body->insns[first].addr;
        block.n = end - first;
        if (!block.n)
                return;
        block.end = body->insns[end - 1].addr + body->insns[end - 1].size_bytes;
        block.weight = code_image_weight(body->image, block.addr, block.end, &block.count);
        ARRAY_PUSH(body->blocks, body->n_blocks, body->cap_blocks, block);
}

static void list_blocks(struct code_body *body)
{
        size_t first = 0;

        for (size_t i = 1; i <= body->n_insns; i++) {
                if (i < body->n_insns && !body->insns[i].begins_block)
                        continue;
                if (i > first)
                        add_block(body, first, i);
                first = i;
        }
}

/* The block that contains an instruction, or the next one if it is padding. */
static uint32_t block_of(const struct code_body *body, size_t insn)
{
        size_t low = 0, high = body->n_blocks;

        SEARCH_FIRST(low, high, middle, body->blocks[middle].first + body->blocks[middle].n <= insn);
        return (uint32_t)low;
}

static void number_blocks(struct code_body *body)
{
        for (size_t i = 0; i < body->n_insns; i++) {
                for (size_t k = 0; k < body->insns[i].n_refs; k++) {
                        struct code_referent *to = &body->insns[i].referents[k];

                        if (to->kind == CODE_REFERS_BLOCK)
                                to->index = block_of(body, to->index);
                }
        }
        for (size_t i = 0; i < body->n_tables; i++) {
                for (size_t k = 0; k < body->tables[i].n; k++)
                        body->tables[i].blocks[k] = block_of(body, body->tables[i].blocks[k]);
        }
}

/* --- Hashes --- */

static bool is_named_by_linker(const struct code_referent *to)
{
        return to->kind == CODE_REFERS_SLOT || to->kind == CODE_REFERS_NUMBER;
}

static void hash_insn(struct code_insn *insn)
{
        insn->hash = insn->blank = insn->bare;
        for (size_t k = 0; k < insn->n_refs; k++) {
                const struct code_referent *to = &insn->referents[k];

                insn->hash = code_hash_join(insn->hash, code_referent_key(to));
                insn->blank = code_hash_join(insn->blank, is_named_by_linker(to) ? to->key : 0);
        }
}

static void hash_blocks(struct code_body *body)
{
        for (size_t i = 0; i < body->n_blocks; i++) {
                struct code_block *block = &body->blocks[i];

                block->hash = 0;
                for (size_t k = 0; k < block->n; k++) {
                        const struct code_insn *insn = &body->insns[block->first + k];

                        block->hash = code_hash_join(block->hash, insn->hash);
                        body->blank = code_hash_join(body->blank, insn->blank);
                }
                body->hash = code_hash_join(body->hash, block->hash);
        }
}

static uint64_t hash_of(const struct code_block *block, bool is_loose)
{
        return is_loose ? block->loose : block->hash;
}

uint64_t code_body_widen(const struct code_body *body, size_t block, bool is_loose)
{
        const struct code_block *b = &body->blocks[block];
        const struct code_insn *last = &body->insns[b->first + b->n - 1];
        uint64_t wider = hash_of(b, is_loose);

        for (size_t k = 0; k < last->n_refs; k++) {
                uint32_t to = last->referents[k].index;

                if (last->referents[k].kind == CODE_REFERS_BLOCK && to < body->n_blocks)
                        wider = code_hash_join(wider, hash_of(&body->blocks[to], is_loose));
        }
        if (block + 1 < body->n_blocks)
                wider = code_hash_join(wider, hash_of(&body->blocks[block + 1], is_loose));
        return wider;
}

void code_body_hash(struct code_body *body)
{
        body->hash = body->blank = 0;
        for (size_t i = 0; i < body->n_insns; i++)
                hash_insn(&body->insns[i]);
        hash_blocks(body);
        for (size_t i = 0; i < body->n_blocks; i++)
                body->blocks[i].wider = code_body_widen(body, i, false);
}

/* --- Interface --- */

static int compare_extents(const void *a, const void *b)
{
        const struct resolver_extent *x = a, *y = b;

        return (x->start > y->start) - (x->start < y->start);
}

static struct disasm_shape *decode(struct code_body *body)
{
        const struct code_function *f = body->function;
        struct resolver_extent *extents = mem_new(f->n_extents, sizeof(*extents));
        struct disasm_shape *shapes = NULL, shape;
        size_t n = 0, cap = 0;

        memcpy(extents, f->extents, f->n_extents * sizeof(*extents));
        qsort(extents, f->n_extents, sizeof(*extents), compare_extents);
        for (size_t i = 0; i < f->n_extents; i++) {
                uint64_t size = extents[i].end - extents[i].start;
                const uint8_t *code;

                if (size > CODE_MAX_FUNCTION_BYTES || (i && extents[i].start < extents[i - 1].end) ||
                    !code_image_read(body->image, extents[i].start, size, &code)) {
                        body->is_missing = true;
                        continue;
                }
                for (uint64_t off = 0; off < size; off += shape.size_bytes) {
                        const uint8_t *moved;

                        disasm_shape_get(body->arch, code + off, size - off, extents[i].start + off, &shape);
                        moved = code_veneers_follow(body->image, extents[i].start + off, &shape);
                        add_insn(body, &shape, moved ? moved : code + off, extents[i].start + off);
                        ARRAY_PUSH(shapes, n, cap, shape);
                }
        }
        free(extents);
        return shapes;
}

/* int3 after the end of a function fills the gap to the next one. */
static void drop_filling(struct code_body *body, const struct disasm_shape *shapes)
{
        for (size_t i = body->n_insns; i-- > 0 && (shapes[i].is_trap_byte || shapes[i].is_padding);)
                body->insns[i].is_padding = true;
}

void code_body_make(const struct code_image *image, const struct code_function *function,
                    struct code_body *ret)
{
        struct disasm_shape *shapes;

        *ret = (struct code_body){.image = image, .function = function};
        if (!code_image_get_arch(image, &ret->arch)) {
                ret->is_missing = true;
                return;
        }
        shapes = decode(ret);
        drop_filling(ret, shapes);
        find_referents(ret, shapes);
        find_tables(ret);
        mark_blocks(ret);
        list_blocks(ret);
        number_blocks(ret);
        code_body_hash(ret);
        free(shapes);
}

void code_body_release(struct code_body *body)
{
        for (size_t i = 0; i < body->n_tables; i++)
                free(body->tables[i].blocks);
        free(body->tables);
        free(body->blocks);
        free(body->insns);
        *body = (struct code_body){0};
}
