/* SPDX-License-Identifier: BSD-3-Clause */
/* Abbreviation tables.  Each is parsed once into skip programs, which step over an entry with as few reads
 * as possible, because most entries of a unit are only skipped. */
#include <stdlib.h>
#include <string.h>

#include "dwarf_form.h"
#include "mem.h"

static enum dwarf_role role_of(uint16_t tag)
{
        switch (tag) {
        case DW_TAG_subprogram: return DWARF_ROLE_FUNCTION;
        case DW_TAG_inlined_subroutine: return DWARF_ROLE_INLINED;
        case DW_TAG_lexical_block: return DWARF_ROLE_BLOCK;
        case DW_TAG_array_type:
        case DW_TAG_enumeration_type:
        case DW_TAG_subroutine_type:
        case DW_TAG_call_site:
        case DW_TAG_GNU_call_site: return DWARF_ROLE_TYPE;
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type: return DWARF_ROLE_STRUCT;
        default: return DWARF_ROLE_OTHER;
        }
}

/* Appends a step to the program of `abbrev`, or extends its last step. */
static void add_skip(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev, uint8_t kind, uint32_t n)
{
        struct dwarf_skip *last = abbrev->n_skips ? &abbrevs->skips[abbrevs->n_skips - 1] : NULL;

        if (last && last->kind == kind && (kind == DWARF_LAYOUT_FIXED || kind == DWARF_LAYOUT_LEB)) {
                last->n += n;
                return;
        }
        if (!n && kind == DWARF_LAYOUT_FIXED)
                return;
        ARRAY_PUSH(abbrevs->skips, abbrevs->n_skips, abbrevs->cap_skips, (struct dwarf_skip){kind, n});
        abbrev->n_skips++;
}

static void compile_attr(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev,
                         const struct dwarf_layout *layout, const struct dwarf_shape *shape)
{
        switch ((enum dwarf_layout_kind)layout->kind) {
        case DWARF_LAYOUT_IMPLIED: break;
        case DWARF_LAYOUT_FIXED:
                add_skip(abbrevs, abbrev, DWARF_LAYOUT_FIXED, dwarf_layout_bytes(layout, shape));
                break;
        case DWARF_LAYOUT_LEB:
        case DWARF_LAYOUT_SIGNED: add_skip(abbrevs, abbrev, DWARF_LAYOUT_LEB, 1); break;
        default: add_skip(abbrevs, abbrev, layout->kind, layout->n); break;
        }
}

/* Records the position of an attribute that describes address ranges; `skip` is everything before it. */
static void note_code(struct dwarf_abbrev *abbrev, struct dwarf_code_layout *code,
                      const struct dwarf_attr *attr, const struct dwarf_skip *skip)
{
        uint32_t off = skip ? skip->n : 0;

        abbrev->may_have_code |= attr->name != DW_AT_high_pc;
        if (abbrev->n_skips > 1 || (skip && skip->kind != DWARF_LAYOUT_FIXED) || off > UINT16_MAX ||
            code->n >= DWARF_MAX_CODE_ATTRS || attr->form == DW_FORM_implicit_const)
                code->is_fixed = false;
        else
                code->at[code->n++] =
                        (struct dwarf_code_at){(uint16_t)off, (uint16_t)attr->name, (uint16_t)attr->form};
}

static void note_span(struct dwarf_code_layout *code, const struct dwarf_shape *shape)
{
        const struct dwarf_code_at *low = &code->at[0], *high = &code->at[1];
        const struct dwarf_layout *layout = dwarf_layout_get(high->form);
        unsigned end;

        if (!code->is_fixed || code->n != 2 || shape->address_bytes != 8 || low->name != DW_AT_low_pc ||
            low->form != DW_FORM_addr || high->name != DW_AT_high_pc || layout->class != DWARF_CONSTANT ||
            layout->kind != DWARF_LAYOUT_FIXED || !layout->n)
                return;
        end = high->off + layout->n;
        if (end > UINT16_MAX)
                return;
        code->span_bytes = (uint16_t)end;
        code->low_at = low->off;
        code->high_at = high->off;
        code->high_bytes = layout->n;
}

/* Must be called before the attribute's own step is added. */
static void note_attr(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev,
                      struct dwarf_code_layout *code, const struct dwarf_attr *attr)
{
        const struct dwarf_skip *skip = abbrev->n_skips ? &abbrevs->skips[abbrev->first_skip] : NULL;

        switch (attr->name) {
        case DW_AT_sibling:
                if (attr->form == DW_FORM_ref4 && !skip)
                        abbrev->sibling_at = 0;
                else if (attr->form == DW_FORM_ref4 && abbrev->n_skips == 1 &&
                         skip->kind == DWARF_LAYOUT_FIXED && skip->n < DWARF_NO_SIBLING)
                        abbrev->sibling_at = (uint16_t)skip->n;
                break;
        case DW_AT_low_pc:
        case DW_AT_high_pc:
        case DW_AT_ranges: note_code(abbrev, code, attr, skip); break;
        default: break;
        }
}

static bool read_attrs(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev,
                       const struct dwarf_shape *shape, struct cursor *c, struct err *err)
{
        struct dwarf_code_layout code = {.is_fixed = true};
        struct dwarf_attr attr;

        abbrev->attrs = c->at;
        while (dwarf_attr_next(c, &attr)) {
                const struct dwarf_layout *layout = dwarf_layout_get((uint16_t)attr.form);

                if (attr.form > UINT16_MAX || layout->kind == DWARF_LAYOUT_UNKNOWN)
                        return err_set(err, ERR_UNSUPPORTED, ".debug_abbrev has the unknown form 0x%llx",
                                       (unsigned long long)attr.form);
                if (abbrevs->n_attrs++ >= DWARF_MAX_ATTRS)
                        return err_set(err, ERR_LIMIT, ".debug_abbrev has more than %d attributes in a table",
                                       DWARF_MAX_ATTRS);
                note_attr(abbrevs, abbrev, &code, &attr);
                compile_attr(abbrevs, abbrev, layout, shape);
        }
        if (abbrev->may_have_code) {
                note_span(&code, shape);
                abbrev->code_layout = (uint16_t)abbrevs->n_code_layouts;
                ARRAY_PUSH(abbrevs->code_layouts, abbrevs->n_code_layouts, abbrevs->cap_code_layouts, code);
        }
        return !c->failed || err_set(err, ERR_FORMAT, ".debug_abbrev ends inside a table");
}

static uint32_t leaf_bytes(const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev)
{
        const struct dwarf_skip *skip;

        if (abbrev->has_children || abbrev->role == DWARF_ROLE_FUNCTION || abbrev->role == DWARF_ROLE_INLINED)
                return DWARF_NO_LEAF;
        if (!abbrev->n_skips)
                return 0;
        skip = &abbrevs->skips[abbrev->first_skip];
        return abbrev->n_skips == 1 && skip->kind == DWARF_LAYOUT_FIXED ? skip->n : DWARF_NO_LEAF;
}

/* In nearly all tables codes count from 1 on; from the first code that does not, they are stored in the
 * map. */
static void put_code(struct dwarf_abbrevs *abbrevs, uint64_t code)
{
        if (abbrevs->is_dense && code != abbrevs->n_abbrevs + 1) {
                abbrevs->is_dense = false;
                for (uint64_t i = 1; i <= abbrevs->n_abbrevs; i++)
                        *map_put(&abbrevs->codes, i, NULL) = i;
        }
        if (!abbrevs->is_dense)
                *map_put(&abbrevs->codes, code, NULL) = abbrevs->n_abbrevs + 1;
}

static bool read_abbrev(struct dwarf_abbrevs *abbrevs, uint64_t code, const struct dwarf_shape *shape,
                        struct cursor *c, struct err *err)
{
        uint64_t tag = dwarf_uleb(c);
        struct dwarf_abbrev abbrev = {
                .first_skip = (uint32_t)abbrevs->n_skips,
                .tag = (uint16_t)(tag <= UINT16_MAX ? tag : 0),
                .sibling_at = DWARF_NO_SIBLING,
                .has_children = cursor_u8(c),
        };

        if (abbrevs->n_abbrevs >= DWARF_MAX_ABBREVS)
                return err_set(err, ERR_LIMIT, ".debug_abbrev has more than %d abbreviations in a table",
                               DWARF_MAX_ABBREVS);
        abbrev.role = (uint8_t)role_of(abbrev.tag);
        if (!read_attrs(abbrevs, &abbrev, shape, c, err))
                return false;
        abbrev.leaf_bytes = leaf_bytes(abbrevs, &abbrev);
        abbrevs->has_functions |= abbrev.role == DWARF_ROLE_FUNCTION && abbrev.may_have_code;
        put_code(abbrevs, code);
        ARRAY_PUSH(abbrevs->abbrevs, abbrevs->n_abbrevs, abbrevs->cap_abbrevs, abbrev);
        return true;
}

static bool read_table(struct dwarf_file *file, uint64_t off, const struct dwarf_shape *shape,
                       struct dwarf_abbrevs *abbrevs, struct err *err)
{
        struct cursor c = file->sections[DWARF_ABBREV];
        uint64_t code;

        if (!cursor_seek(&c, off))
                return err_set(err, ERR_FORMAT, "its abbreviations lie outside .debug_abbrev");
        while ((code = dwarf_uleb(&c))) {
                const uint8_t *at = c.at;

                if (!read_abbrev(abbrevs, code, shape, &c, err) ||
                    !dwarf_spend(file, (uint64_t)(c.at - at), err))
                        return false;
        }
        file->tables_bytes += cursor_pos(&c) - off;
        if (file->tables_bytes / DWARF_MAX_TABLES_PASSES > (uint64_t)(c.end - c.start))
                return err_set(err, ERR_LIMIT, "its tables of abbreviations overlap too much");
        return true;
}

static void clear(struct dwarf_abbrevs *abbrevs)
{
        abbrevs->n_abbrevs = abbrevs->n_attrs = abbrevs->n_skips = abbrevs->n_code_layouts = 0;
        abbrevs->has_functions = false;
        abbrevs->is_dense = true;
        map_release(&abbrevs->codes);
}

static void *copy(const void *items, size_t n, size_t size)
{
        return n ? memcpy(mem_resize(NULL, n, size), items, n * size) : NULL;
}

/* Tables are parsed into a draft, whose arrays are large enough after the first few, and then copied with
 * their exact size, because a vmlinux has thousands. */
static struct dwarf_abbrevs *abbrevs_read(struct dwarf_file *file, uint64_t off,
                                          const struct dwarf_shape *shape, struct err *err)
{
        struct dwarf_abbrevs *draft = file->draft ? file->draft : mem_new(1, sizeof(*draft));
        struct dwarf_abbrevs *abbrevs;

        file->draft = draft;
        clear(draft);
        if (!read_table(file, off, shape, draft, err))
                return NULL;
        abbrevs = mem_new(1, sizeof(*abbrevs));
        *abbrevs = *draft;
        draft->codes = (struct map){0};
        abbrevs->abbrevs = copy(draft->abbrevs, draft->n_abbrevs, sizeof(*draft->abbrevs));
        abbrevs->skips = copy(draft->skips, draft->n_skips, sizeof(*draft->skips));
        abbrevs->code_layouts =
                copy(draft->code_layouts, draft->n_code_layouts, sizeof(*draft->code_layouts));
        return abbrevs;
}

const struct dwarf_abbrevs *dwarf_abbrevs_get(struct dwarf_file *file, uint64_t off, struct dwarf_shape shape,
                                              struct err *err)
{
        uint64_t key = off << 10 | (uint64_t)(shape.version <= 2) << 9 | (uint64_t)shape.offset_bytes << 5 |
                       shape.address_bytes;
        const uint64_t *id = map_find(&file->table_ids, key);
        struct dwarf_abbrevs *abbrevs;

        if (id)
                return file->tables[*id - 1];
        abbrevs = abbrevs_read(file, off, &shape, err);
        if (!abbrevs)
                return NULL;
        ARRAY_PUSH(file->tables, file->n_tables, file->cap_tables, abbrevs);
        *map_put(&file->table_ids, key, NULL) = file->n_tables;
        return abbrevs;
}

void dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs)
{
        if (!abbrevs)
                return;
        free(abbrevs->abbrevs);
        free(abbrevs->skips);
        free(abbrevs->code_layouts);
        map_release(&abbrevs->codes);
        free(abbrevs);
}

const struct dwarf_abbrev *dwarf_abbrev_find_sparse(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
        const uint64_t *id = map_find(&abbrevs->codes, code);

        return id ? &abbrevs->abbrevs[*id - 1] : NULL;
}

/* Forms whose sizes are in the entry. */
static void skip_slowly(const struct dwarf_skip *skip, const struct dwarf_shape *shape, struct cursor *c)
{
        static const uint16_t block_forms[] = {DW_FORM_block, DW_FORM_block1, DW_FORM_block2, 0,
                                               DW_FORM_block4};
        struct dwarf_value ignored;

        switch (skip->kind) {
        case DWARF_LAYOUT_TEXT: cursor_str(c, NULL); break;
        case DWARF_LAYOUT_INDIRECT: dwarf_read_form(c, DW_FORM_indirect, 0, shape, 0, &ignored); break;
        default: dwarf_read_form(c, block_forms[skip->n], 0, shape, 0, &ignored); break;
        }
}

void dwarf_skip_attrs(const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev,
                      const struct dwarf_shape *shape, struct cursor *c)
{
        for (uint32_t i = 0; i < abbrev->n_skips; i++) {
                const struct dwarf_skip *skip = &abbrevs->skips[abbrev->first_skip + i];

                switch (skip->kind) {
                case DWARF_LAYOUT_FIXED: cursor_take(c, skip->n); break;
                case DWARF_LAYOUT_LEB:
                        for (uint32_t n = skip->n; n;)
                                n -= cursor_u8(c) < 0x80;
                        break;
                case DWARF_LAYOUT_BLOCK:
                        if (!skip->n) {
                                cursor_take(c, dwarf_uleb(c));
                                break;
                        }
                        skip_slowly(skip, shape, c);
                        break;
                default: skip_slowly(skip, shape, c); break;
                }
        }
}
