/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kinds: the fields of an item of each kind, in the order in which they are written. */
#include "answers_internal.h"
#include "object.h"

#define FIELD(type, field, form, end)                                                                        \
        {                                                                                                    \
                offsetof(struct answer_##type, field), form, end                                             \
        }
#define TEXT(type, field)       FIELD(type, field, FIELD_TEXT, 0)
#define U32(type, field)        FIELD(type, field, FIELD_U32, (uint64_t)UINT32_MAX + 1)
#define BELOW(type, field, end) FIELD(type, field, FIELD_U32, end)
#define U64(type, field)        FIELD(type, field, FIELD_U64, 0)

static const struct answer_field symbol_fields[] = {
        BELOW(symbol, status, ANSWER_N_STATUS),
        TEXT(symbol, name),
        TEXT(symbol, module),
        U64(symbol, start),
        U64(symbol, size),
};

static const struct answer_field frame_fields[] = {
        TEXT(frame, function), TEXT(frame, path),      U32(frame, line),
        U32(frame, column),    BELOW(frame, flags, 2), U64(frame, start),
};

static const struct answer_field label_fields[] = {
        TEXT(label, name), TEXT(label, path), U32(label, line), BELOW(label, has_addr, 2), U64(label, addr),
};

static const struct answer_field extent_fields[] = {U64(extent, start), U64(extent, size)};

static const struct answer_field insn_fields[] = {
        TEXT(insn, text),
        U32(insn, size_bytes),
        U64(insn, code[0]),
        U64(insn, code[1]),
};

static const struct answer_field identity_fields[] = {
        U32(identity, kind),  TEXT(identity, path),
        U64(identity, pid),   FIELD(identity, build_id, FIELD_BYTES, OBJECT_BUILD_ID_BYTES + 1),
        U64(identity, dev),   U64(identity, inode),
        U64(identity, start), U64(identity, end),
};

static const struct answer_field facts_fields[] = {
        BELOW(facts, flags, 8), U64(facts, entry),
        U64(facts, load_addr),  FIELD(facts, build_id, FIELD_BYTES, OBJECT_BUILD_ID_BYTES + 1),
        U32(facts, machine),    U64(facts, built_ns),
        TEXT(facts, name_note), TEXT(facts, line_note),
};

static const struct answer_field section_fields[] = {
        TEXT(section, name),
        U64(section, addr),
        U64(section, size),
};

static const struct answer_field offset_fields[] = {
        U64(offset, first),
        U64(offset, more),
        U64(offset, distance),
};

static const struct answer_field code_fields[] = {
        U64(code, addr),
        FIELD(code, bytes, FIELD_BYTES, UINT64_MAX),
};

static const struct answer_field kept_fields[] = {U32(kept, by)};

static const struct answer_field dwo_fields[] = {TEXT(dwo, folder), TEXT(dwo, name)};

/* Extents must be sorted and must not overlap, as annotate expects them. */
static bool check_extents(const void *items, size_t n)
{
        const struct answer_extent *e = items;
        uint64_t last = 0;

        for (size_t i = 0; i < n; i++) {
                if (!e[i].size || e[i].size > UINT64_MAX - e[i].start || e[i].start < last)
                        return false;
                last = e[i].start + e[i].size;
        }
        return true;
}

static bool check_insns(const void *items, size_t n)
{
        const struct answer_insn *insns = items;

        for (size_t i = 0; i < n; i++) {
                if (!insns[i].text || !insns[i].size_bytes || insns[i].size_bytes > ANSWERS_MAX_INSN_BYTES)
                        return false;
        }
        return true;
}

static bool check_dwo(const void *items, size_t n)
{
        const struct answer_dwo *dwo = items;

        return !n || dwo->name;
}

static bool check_offsets(const struct answer_set *set)
{
        const struct answer_offset *o = (const void *)set->items;

        for (size_t i = 0; i < set->n_items; i++) {
                if (o[i].more > UINT64_MAX - o[i].first ||
                    (i && o[i].first - o[i - 1].first <= o[i - 1].more) || (i && o[i].first < o[i - 1].first))
                        return false;
        }
        return true;
}

static bool check_single(const struct answer_set *set)
{
        return set->n_items == 1;
}

#define ROWS(type)                                                                                           \
        {                                                                                                    \
                sizeof(struct answer_##type), N_ELEMENTS(type##_fields), type##_fields                       \
        }
#define KIND(type, ...)                                                                                      \
        {                                                                                                    \
                .item = ROWS(type), __VA_ARGS__                                                              \
        }

const struct kind_facts answer_kinds[ANSWER_N_KINDS] = {
        [ANSWER_SYMBOLS] = KIND(symbol, .by_addr = true, .max_list = 1),
        [ANSWER_FRAMES] = KIND(frame, .by_addr = true, .share_items = true, .max_list = ANSWERS_MAX_FRAMES),
        [ANSWER_LABELS] = KIND(label, .by_addr = true),
        [ANSWER_EXTENTS] = KIND(extent, .by_addr = true, .check_list = check_extents),
        [ANSWER_INSNS] = KIND(insn, .by_addr = true, .check_list = check_insns),
        [ANSWER_IDENTITY] = KIND(identity, .check = check_single),
        [ANSWER_FACTS] = KIND(facts, .check = check_single),
        [ANSWER_SECTIONS] = KIND(section, .by_addr = false),
        [ANSWER_OFFSETS] = KIND(offset, .check = check_offsets),
        [ANSWER_CODE] = KIND(code, .by_addr = false),
        [ANSWER_KEPT] = KIND(kept, .check = check_single),
        [ANSWER_DWOS] = KIND(dwo, .by_addr = true, .max_list = 1, .check_list = check_dwo),
};

static const struct answer_field list_fields[] = {FIELD(list, n, FIELD_LENGTH, 0)};
static const struct answer_field member_fields[] = {{0, FIELD_ITEM, 0}};
static const struct answer_field range_fields[] = {
        U64(range, first),
        U64(range, last),
        FIELD(range, list, FIELD_LIST, 0),
};

const struct rows_form answer_list_rows = ROWS(list);
const struct rows_form answer_member_rows = {sizeof(uint32_t), N_ELEMENTS(member_fields), member_fields};
const struct rows_form answer_range_rows = ROWS(range);
