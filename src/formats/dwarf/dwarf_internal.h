/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations of the format shared by the files dwarf_*.c: sections, abbreviations, values, units and
 * ranges.  A file's debug sections are a dwarf_file; offsets of entries are offsets in its .debug_info. */
#ifndef DWARF_INTERNAL_H
#define DWARF_INTERNAL_H

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "cursor.h"
#include "dwarf.h"
#include "dwarf_names.h"
#include "map.h"
#include "strpool.h"

enum dwarf_section {
        DWARF_INFO,
        DWARF_ABBREV,
        DWARF_ARANGES,
        DWARF_LINE,
        DWARF_STR,
        DWARF_LINE_STR,
        DWARF_STR_OFFSETS,
        DWARF_ADDR,
        DWARF_RANGES,
        DWARF_RNGLISTS,
        DWARF_N_SECTIONS,
};

struct dwarf_unit;
struct dwarf_abbrevs;

struct dwarf_file {
        struct cursor sections[DWARF_N_SECTIONS]; /* empty if missing */
        struct dwarf_unit *units;                 /* by offset */
        size_t n_units, cap_units;
        struct map table_ids; /* key of an abbreviation table -> its index + 1 */
        struct dwarf_abbrevs **tables;
        struct dwarf_abbrevs *draft; /* for a table that is being read */
        size_t n_tables, cap_tables;
        uint64_t tables_bytes;      /* size of the tables in the file */
        struct dwarf_file *alt;     /* or NULL */
        struct budget_meter *meter; /* what may still be read in this lookup */
        struct map origin_names;    /* names of entries that others refer to, by offset; NULL: not known */
};

/* False and ERR_LIMIT if the lookup has read so much that the file must be malformed. */
bool dwarf_spend(const struct dwarf_file *file, uint64_t n_bytes, struct err *err);

/* --- Abbreviations --- */

struct dwarf_attr {
        uint64_t name, form;
        int64_t constant; /* DW_FORM_implicit_const */
};

enum dwarf_role {
        DWARF_ROLE_OTHER,
        DWARF_ROLE_FUNCTION,
        DWARF_ROLE_INLINED,
        DWARF_ROLE_BLOCK,  /* of a function */
        DWARF_ROLE_TYPE,   /* contains no code, in any language */
        DWARF_ROLE_STRUCT, /* contains no code in C */
};

enum { DWARF_NO_SIBLING = 0xffff, DWARF_MAX_CODE_ATTRS = 3 };

#define DWARF_NO_LEAF UINT32_MAX

/* 32 bytes, two in a cache line, because each entry needs one. */
struct dwarf_abbrev {
        const uint8_t *attrs; /* position in the section */
        /* size of an entry of fixed size without children that is not a function; or DWARF_NO_LEAF */
        uint32_t leaf_bytes;
        uint32_t first_skip, n_skips;
        uint16_t tag;
        /* offset of DW_AT_sibling in the entry, if it has 4 bytes, or DWARF_NO_SIBLING */
        uint16_t sibling_at;
        uint16_t code_layout; /* index in the table's code_layouts, if it may have code */
        uint8_t role;         /* enum dwarf_role */
        bool has_children : 1;
        bool may_have_code : 1; /* has an attribute with address ranges */
};

/* How entries describe their code. */
struct dwarf_code_layout {
        bool is_fixed; /* each of these attributes has the same offset in all entries: */
        uint8_t n;
        struct dwarf_code_at {
                uint16_t off; /* offset after the abbreviation code */
                uint16_t name, form;
        } at[DWARF_MAX_CODE_ATTRS];
        /* Set if there is only an address and a size, which are in the first span_bytes. */
        uint16_t span_bytes; /* 0: described in another way */
        uint16_t low_at, high_at;
        uint8_t high_bytes;
};

/* A step over attributes that are not needed. */
struct dwarf_skip {
        uint8_t kind;
        uint32_t n; /* number of bytes, or of repetitions */
};

/* Determines the sizes of forms. */
struct dwarf_shape {
        uint8_t version;
        uint8_t address_bytes;
        uint8_t offset_bytes;
};

struct dwarf_abbrevs {
        struct dwarf_abbrev *abbrevs;
        size_t n_abbrevs, cap_abbrevs;
        size_t n_attrs;
        struct dwarf_skip *skips;
        size_t n_skips, cap_skips;
        struct dwarf_code_layout *code_layouts;
        size_t n_code_layouts, cap_code_layouts;
        bool has_functions; /* may have code; otherwise the unit has none */
        bool is_dense;      /* code i + 1 is abbrevs[i] */
        struct map codes;   /* otherwise: code -> index + 1 */
};

/* The table at `off`; parsed at the first call for this shape and stored in the file. */
const struct dwarf_abbrevs *dwarf_abbrevs_get(struct dwarf_file *file, uint64_t off, struct dwarf_shape shape,
                                              struct err *err);
void dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs);
AUTO_DEFINE(dwarf_abbrevs)

const struct dwarf_abbrev *dwarf_abbrev_find_sparse(const struct dwarf_abbrevs *abbrevs, uint64_t code);

static inline const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
        if (!abbrevs->is_dense)
                return dwarf_abbrev_find_sparse(abbrevs, code);
        return code - 1 < abbrevs->n_abbrevs ? &abbrevs->abbrevs[code - 1] : NULL;
}

/* Moves `c` from after the abbreviation code to the next entry; if the entry is damaged, sets c->failed. */
void dwarf_skip_attrs(const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev,
                      const struct dwarf_shape *shape, struct cursor *c);

/* --- Values --- */

enum dwarf_class {
        DWARF_NONE,
        DWARF_ADDRESS,
        DWARF_ADDRESS_INDEX,
        DWARF_CONSTANT,
        DWARF_REFERENCE,     /* an offset in this file's .debug_info */
        DWARF_ALT_REFERENCE, /* an offset in the other file's .debug_info */
        DWARF_OFFSET,        /* an offset in the section that the attribute implies */
        DWARF_LIST_INDEX,
        DWARF_TEXT, /* `text` */
        DWARF_STR_OFFSET,
        DWARF_LINE_STR_OFFSET,
        DWARF_ALT_STR_OFFSET,
        DWARF_STR_INDEX,
        DWARF_OTHER, /* blocks, signatures */
};

struct dwarf_value {
        uint16_t name; /* DW_AT_* */
        uint8_t class; /* enum dwarf_class */
        uint64_t number;
        const char *text;
};

/* Reads one attribute.  A reference is made absolute with `unit_off`.  An unknown form sets c->failed. */
void dwarf_read_form(struct cursor *c, uint16_t form, int64_t constant, const struct dwarf_shape *shape,
                     uint64_t unit_off, struct dwarf_value *ret_value);

/* A number of 1, 2, 3, 4 or 8 bytes. */
uint64_t dwarf_read_sized(struct cursor *c, unsigned n_bytes);

/* Reads the length of a unit or table, and whether offsets have 4 or 8 bytes. */
uint64_t dwarf_read_length(struct cursor *c, uint8_t *ret_offset_bytes);

/* Reads ULEB128; inline for one byte. */
static inline uint64_t dwarf_uleb(struct cursor *c)
{
        if (!c->failed && c->at < c->end && *c->at < 0x80)
                return *c->at++;
        return cursor_uleb(c);
}

/* The same, signed. */
static inline int64_t dwarf_sleb(struct cursor *c)
{
        if (!c->failed && c->at < c->end && *c->at < 0x80)
                return (int64_t)((*c->at++ ^ 0x40) - 0x40);
        return cursor_sleb(c);
}

/* The next attribute of an abbreviation; false at the end, and with c->failed if it is cut. */
static inline bool dwarf_attr_next(struct cursor *c, struct dwarf_attr *ret_attr)
{
        ret_attr->name = dwarf_uleb(c);
        ret_attr->form = dwarf_uleb(c);
        ret_attr->constant = ret_attr->form == DW_FORM_implicit_const ? cursor_sleb(c) : 0;
        return !c->failed && (ret_attr->name || ret_attr->form);
}

/* --- Units --- */

struct dwarf_unit {
        struct dwarf_file *file;
        uint64_t off, end, first_entry;
        uint64_t abbrev_off;
        struct dwarf_shape shape;
        bool has_code;    /* a compilation unit, not a type or partial unit */
        bool is_listed;   /* .debug_aranges has its ranges */
        bool is_prepared; /* the following fields are set */
        bool is_c;        /* the language is C, whose structs contain no functions */
        bool has_lines;
        bool is_damaged; /* damage was reported */
        const struct dwarf_abbrevs *abbrevs;
        uint64_t str_offsets_base, addr_base, rnglists_base;
        uint64_t ranges_base; /* for a unit in a .dwo file of version 4 */
        uint64_t low_addr;    /* base address of ranges */
        uint64_t line_off;
        const char *folder; /* the compiler's working directory, or NULL */

        bool has_dwo_id;
        bool is_full_sought;
        uint64_t dwo_id;
        const char *dwo_name;              /* for a skeleton: the file with its entries; otherwise NULL */
        struct dwarf_unit *full;           /* the unit in that file; NULL: not found */
        const struct dwarf_unit *skeleton; /* for a unit in a .dwo file */
};

/* Lists the headers.  False if the chain of units is broken; units before that are listed. */
bool dwarf_units_scan(struct dwarf_file *file, struct err *err);

/* The unit that contains the entry at `off`, or NULL. */
struct dwarf_unit *dwarf_unit_at(const struct dwarf_file *file, uint64_t off);

/* The unit whose header is at `off`, or NULL. */
struct dwarf_unit *dwarf_unit_from(const struct dwarf_file *file, uint64_t off);

/* Reads the abbreviations and the unit's own entry. */
bool dwarf_unit_prepare(struct dwarf_unit *unit, struct err *err);

/* The unit of the entry that a reference points to, prepared; NULL if there is none. */
const struct dwarf_unit *dwarf_value_unit(const struct dwarf_unit *unit, const struct dwarf_value *value);

/* The text, or NULL; for an address, false if the table does not contain it. */
const char *dwarf_value_text(const struct dwarf_unit *unit, const struct dwarf_value *value);
bool dwarf_value_addr(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_addr);

/* An entry, whose attributes are read in order. */
struct dwarf_entry {
        const struct dwarf_unit *unit;
        const struct dwarf_abbrev *abbrev;
        struct cursor attrs; /* position in its abbreviation */
        struct cursor c;
};

/* The unit must be prepared.  False if there is no entry at `off`. */
bool dwarf_entry_open(const struct dwarf_unit *unit, uint64_t off, struct dwarf_entry *ret_entry);

/* The same, with the cursor after the abbreviation code. */
struct dwarf_entry dwarf_entry_at(const struct dwarf_unit *unit, const struct dwarf_abbrev *abbrev,
                                  const struct cursor *c);
bool dwarf_entry_next(struct dwarf_entry *entry, struct dwarf_value *ret_value);

/* --- Ranges --- */

struct dwarf_interval {
        uint64_t start, end;
        uint32_t owner;
};

struct dwarf_intervals {
        struct dwarf_interval *items;
        size_t n, cap;
};

/* Address ranges of an entry, as its attributes describe them. */
struct dwarf_code {
        struct dwarf_value low, high, ranges;
};

/* Stores the value if it belongs to one of these attributes. */
void dwarf_code_take(struct dwarf_code *code, const struct dwarf_value *value);

/* Appends one range, unless it is empty or the linker dropped its code. */
bool dwarf_add_range(const struct dwarf_unit *unit, uint64_t start, uint64_t end, uint32_t owner,
                     struct dwarf_intervals *out, struct err *err);

/* Appends the ranges of `code`, without code that the linker dropped. */
bool dwarf_add_ranges(const struct dwarf_unit *unit, const struct dwarf_code *code, uint32_t owner,
                      struct dwarf_intervals *out, struct err *err);

bool dwarf_is_dropped(uint64_t addr, uint8_t address_bytes);

/* From `start` up to the next segment, addresses belong to the owner. */
struct dwarf_segment {
        uint64_t start;
        uint32_t owner;
};

#define DWARF_NO_OWNER UINT32_MAX

struct dwarf_segments {
        struct dwarf_segment *items;
        size_t n, cap;
};

/* Sorts the intervals and divides them into segments without overlaps: if two contain an address, its owner
 * is the one that begins later; if both begin together, the one with the greater number. */
void dwarf_flatten(struct dwarf_intervals *intervals, struct dwarf_segments *out);

/* The owner at `addr`, or DWARF_NO_OWNER. */
uint32_t dwarf_segments_find(const struct dwarf_segments *segments, uint64_t addr);

#endif
