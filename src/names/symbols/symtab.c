/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules for choosing symbols are those of perf's symbol.c and symbol-elf.c, with two differences: a
 * label without a size inside a function with a size is not a function of its own (as in elfutils), and a
 * symbol without a size ends with its section. */
#include "symtab.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "mem.h"
#include "search.h"

enum {
        PAGE_BYTES = 4096,
        /* number of characters of a name that are counted when lengths are compared */
        MAX_COMPARED_NAME = 4096,
        MAX_NESTING = 64, /* maximum nesting of symbols in a search */
};

#define NO_PARENT UINT32_MAX

#define ENTRY_LABEL    (1u << 0)
#define ENTRY_GUESSED  (1u << 1)
#define ENTRY_PLT_STUB (1u << 2)

struct symtab_entry {
        uint64_t start;
        uint64_t end; /* before symtab_finish, for a symbol without a size: its limit */
        uint32_t name_off;
        uint32_t parent; /* index of the enclosing entry */
        str_id text;
        uint16_t group;
        uint8_t names;
        uint8_t binding : 2;
        uint8_t flags : 6; /* ENTRY_* */
};

struct symtab_names {
        const char *text;
        size_t size;
};

struct symtab {
        struct symtab_entry *entries;
        size_t n_entries, cap_entries;
        uint64_t *starts; /* starts of the entries, for the search */
        uint32_t *coarse; /* coarse[i]: the first entry at or after first + (i << coarse_shift) */
        size_t n_coarse;
        unsigned coarse_shift;
        struct symtab_names names[SYMTAB_MAX_NAME_TABLES];
        uint8_t n_names;
        struct budget *budget; /* budget of the objects */
        uint64_t taken_bytes;
};

enum {
        /* memory for a symbol, including sorting */
        SYMBOL_BYTES = 2 * sizeof(struct symtab_entry) + 4 * sizeof(uint64_t),
        /* what is kept of it */
        KEPT_BYTES = sizeof(struct symtab_entry) + sizeof(uint64_t) + sizeof(uint32_t),
};

struct symtab *symtab_new(void)
{
        return mem_new(1, sizeof(struct symtab));
}

void symtab_free(struct symtab *tab)
{
        if (!tab)
                return;
        free(tab->entries);
        free(tab->starts);
        free(tab->coarse);
        budget_give(tab->budget, tab->taken_bytes);
        free(tab);
}

uint8_t symtab_add_names(struct symtab *tab, const char *names, size_t size)
{
        assert(tab->n_names < SYMTAB_MAX_NAME_TABLES);
        assert(size && !names[size - 1]);
        tab->names[tab->n_names] = (struct symtab_names){names, size};
        return tab->n_names++;
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
        uint64_t sum;

        return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void symtab_add(struct symtab *tab, const struct symtab_symbol *symbol)
{
        struct symtab_entry entry = {.start = symbol->addr,
                                     .end = symbol->size_bytes ? add_capped(symbol->addr, symbol->size_bytes)
                                                               : symbol->limit,
                                     .name_off = symbol->name_off,
                                     .group = symbol->group,
                                     .names = symbol->names,
                                     .binding = symbol->binding & 3};

        assert(!tab->starts);
        assert(symbol->names < tab->n_names || symbol->names == SYMTAB_NO_NAMES);
        if (symbol->is_label)
                entry.flags |= ENTRY_LABEL;
        if (!symbol->size_bytes)
                entry.flags |= ENTRY_GUESSED;
        if (symbol->is_plt_stub)
                entry.flags |= ENTRY_PLT_STUB;
        if (tab->n_entries < NO_PARENT - 1)
                ARRAY_PUSH(tab->entries, tab->n_entries, tab->cap_entries, entry);
}

/* --- Symbols of an object --- */

/* $x, $d.3 and similar symbols mark code and data for disassemblers. */
static bool is_mapping_symbol(const struct object *object, const char *name)
{
        enum object_machine machine = object_get_facts(object)->machine;

        return name[0] == '$' && (machine == OBJECT_MACHINE_ARM64 || machine == OBJECT_MACHINE_ARM) &&
               name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_text(const struct object_section *section)
{
        return section && (section->flags & OBJECT_SECTION_CODE) && strstr(section->name, "text");
}

/* Checks that do not need the name come first, because tables have many symbols of data. */
static bool names_code(const struct object_symbols *symbols, const struct object_symbol *symbol)
{
        const struct object_section *section = symbol->section;
        const char *name;

        if (!symbol->is_defined ||
            (symbol->kind != OBJECT_SYMBOL_FUNCTION && symbol->kind != OBJECT_SYMBOL_LABEL))
                return false;
        if (symbol->kind == OBJECT_SYMBOL_LABEL &&
            (symbol->is_hidden || !is_text(section) || symbol->addr - section->addr >= section->size_bytes))
                return false;
        name = object_symbols_name(symbols, symbol);
        return name[0] &&
               (symbol->kind == OBJECT_SYMBOL_FUNCTION || !is_mapping_symbol(symbols->object, name));
}

static bool names_data(const struct object_symbols *symbols, const struct object_symbol *symbol)
{
        return symbol->is_defined && symbol->kind == OBJECT_SYMBOL_DATA &&
               object_symbols_name(symbols, symbol)[0];
}

typedef bool is_wanted_symbol(const struct object_symbols *symbols, const struct object_symbol *symbol);

/* All objects of a table must have the same budget. */
static bool take_budget(struct symtab *tab, const struct object *object, size_t n)
{
        if (!budget_take(object_budget(object), BUDGET_NAMES, (uint64_t)n * SYMBOL_BYTES))
                return false;
        tab->budget = object_budget(object);
        tab->taken_bytes += (uint64_t)n * SYMBOL_BYTES;
        return true;
}

static bool add_object(struct symtab *tab, struct object *object, enum object_table table,
                       is_wanted_symbol *is_wanted)
{
        struct object_symbols symbols;
        struct object_symbol symbol;
        uint8_t names;

        if (!object_symbols_begin(object, table, &symbols) || !symbols.names_size ||
            !take_budget(tab, object, symbols.n_symbols))
                return false;
        names = symtab_add_names(tab, symbols.names, symbols.names_size);
        while (object_symbols_next(&symbols, &symbol)) {
                const struct object_section *section = symbol.section;

                if (!is_wanted(&symbols, &symbol))
                        continue;
                symtab_add(tab, &(struct symtab_symbol){
                                        .addr = symbol.addr,
                                        .size_bytes = symbol.size_bytes,
                                        .limit = section ? section->addr + section->size_bytes : 0,
                                        .name_off = symbol.name_off,
                                        .names = names,
                                        .binding = symbol.binding,
                                        .is_label = symbol.kind == OBJECT_SYMBOL_LABEL,
                                });
        }
        return true;
}

bool symtab_add_object(struct symtab *tab, struct object *object, enum object_table table)
{
        return add_object(tab, object, table, names_code);
}

bool symtab_add_data(struct symtab *tab, struct object *object, enum object_table table)
{
        return add_object(tab, object, table, names_data);
}

/* --- Sorting and choosing names --- */

static bool is_sorted(const struct symtab *tab)
{
        for (size_t i = 1; i < tab->n_entries; i++) {
                if (tab->entries[i].start < tab->entries[i - 1].start)
                        return false;
        }
        return true;
}

struct sort_key {
        uint64_t start;
        uint32_t index;
};

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS };

/* One stable pass of a radix sort; false if the digit is the same in all keys, and nothing was moved. */
static bool sort_pass(const struct sort_key *from, struct sort_key *to, size_t n, unsigned shift)
{
        size_t at[N_DIGITS + 1] = {0};

        for (size_t i = 0; i < n; i++)
                at[(from[i].start >> shift) % N_DIGITS + 1]++;
        if (at[(from[0].start >> shift) % N_DIGITS + 1] == n)
                return false;
        for (size_t i = 1; i <= N_DIGITS; i++)
                at[i] += at[i - 1];
        for (size_t i = 0; i < n; i++)
                to[at[(from[i].start >> shift) % N_DIGITS]++] = from[i];
        return true;
}

/* Sorts by start; symbols at one address keep their order. */
static void sort_entries(struct symtab *tab)
{
        size_t n = tab->n_entries;
        struct sort_key *keys, *other;
        struct symtab_entry *sorted;

        if (is_sorted(tab))
                return;
        keys = mem_new(n, sizeof(*keys));
        other = mem_new(n, sizeof(*other));
        sorted = mem_new(n, sizeof(*sorted));
        for (size_t i = 0; i < n; i++)
                keys[i] = (struct sort_key){tab->entries[i].start, (uint32_t)i};
        for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
                if (sort_pass(keys, other, n, shift)) {
                        struct sort_key *swap = keys;

                        keys = other;
                        other = swap;
                }
        }
        for (size_t i = 0; i < n; i++)
                sorted[i] = tab->entries[keys[i].index];
        free(keys);
        free(other);
        free(tab->entries);
        tab->entries = sorted;
        tab->cap_entries = n;
}

static const char *name_of(const struct symtab *tab, const struct symtab_entry *entry, size_t *ret_max)
{
        const struct symtab_names *names;

        *ret_max = 0;
        if (entry->names == SYMTAB_NO_NAMES)
                return NULL;
        names = &tab->names[entry->names];
        if (entry->name_off >= names->size)
                return "";
        *ret_max = names->size - entry->name_off;
        return names->text + entry->name_off;
}

static size_t count_underscores(const char *name, size_t max)
{
        size_t n = 0;

        while (n < max && n < MAX_COMPARED_NAME && name[n] == '_')
                n++;
        return n;
}

static size_t name_length(const char *name, size_t max)
{
        return name ? strnlen(name, max < MAX_COMPARED_NAME ? max : MAX_COMPARED_NAME) : 0;
}

/* Prefers fewer leading underscores, then longer names: more than 0 if `a` is better. */
static int compare_names(const struct symtab *tab, const struct symtab_entry *a, const struct symtab_entry *b)
{
        size_t max_a, max_b;
        const char *name_a = name_of(tab, a, &max_a);
        const char *name_b = name_of(tab, b, &max_b);
        size_t under_a = count_underscores(name_a, max_a);
        size_t under_b = count_underscores(name_b, max_b);
        size_t len_a, len_b;

        if (under_a != under_b)
                return under_a < under_b ? 1 : -1;
        len_a = name_length(name_a, max_a);
        len_b = name_length(name_b, max_b);
        return (len_a > len_b) - (len_a < len_b);
}

static int compare_flag(bool a, bool b)
{
        return (int)a - (int)b;
}

/* Whether `b` is the better name for the address of both.  If both are equally good, the first stays. */
static bool is_better(const struct symtab *tab, const struct symtab_entry *a, const struct symtab_entry *b)
{
        int order = compare_flag(!(a->flags & ENTRY_GUESSED), !(b->flags & ENTRY_GUESSED));

        if (!order)
                order = compare_flag(!(a->flags & ENTRY_PLT_STUB), !(b->flags & ENTRY_PLT_STUB));
        if (!order)
                order = compare_flag(a->binding != OBJECT_WEAK, b->binding != OBJECT_WEAK);
        if (!order)
                order = compare_flag(a->binding == OBJECT_GLOBAL, b->binding == OBJECT_GLOBAL);
        if (!order)
                order = compare_names(tab, a, b);
        return order < 0;
}

/* Keeps one entry for each address. */
static void choose_names(struct symtab *tab)
{
        size_t n = 0;

        for (size_t i = 0; i < tab->n_entries; i++) {
                struct symtab_entry *entry = &tab->entries[i];

                if (n && tab->entries[n - 1].start == entry->start) {
                        if (is_better(tab, &tab->entries[n - 1], entry))
                                tab->entries[n - 1] = *entry;
                } else {
                        tab->entries[n++] = *entry;
                }
        }
        tab->n_entries = n;
}

static void drop_covered_labels(struct symtab *tab)
{
        uint64_t covered_to = 0;
        size_t n = 0;

        for (size_t i = 0; i < tab->n_entries; i++) {
                const struct symtab_entry *entry = &tab->entries[i];

                if ((entry->flags & ENTRY_LABEL) && (entry->flags & ENTRY_GUESSED) &&
                    entry->start < covered_to)
                        continue;
                if (!(entry->flags & ENTRY_GUESSED) && entry->end > covered_to)
                        covered_to = entry->end;
                tab->entries[n++] = *entry;
        }
        tab->n_entries = n;
}

static uint64_t end_of_page(uint64_t addr)
{
        return add_capped(add_capped(addr, PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES, PAGE_BYTES);
}

static void guess_ends(struct symtab *tab)
{
        for (size_t i = 0; i < tab->n_entries; i++) {
                struct symtab_entry *entry = &tab->entries[i];
                const struct symtab_entry *next = i + 1 < tab->n_entries ? entry + 1 : NULL;

                if (!(entry->flags & ENTRY_GUESSED))
                        continue;
                if (entry->end <= entry->start)
                        entry->end =
                                next && next->group == entry->group ? next->start : end_of_page(entry->start);
                if (next && entry->end > next->start)
                        entry->end = next->start;
        }
}

static void find_parents(struct symtab *tab)
{
        uint32_t around = NO_PARENT;

        for (size_t i = 0; i < tab->n_entries; i++) {
                struct symtab_entry *entry = &tab->entries[i];

                while (around != NO_PARENT && tab->entries[around].end <= entry->start)
                        around = tab->entries[around].parent;
                entry->parent = around;
                around = (uint32_t)i;
        }
}

/* --- Searching --- */

/* About one slot for each entry, so that the binary search needs one or two steps. */
static void build_coarse(struct symtab *tab)
{
        uint64_t first = tab->starts[0];
        uint64_t span = tab->starts[tab->n_entries - 1] - first;
        size_t next = 0;

        while ((span >> tab->coarse_shift) > tab->n_entries)
                tab->coarse_shift++;
        tab->n_coarse = (size_t)(span >> tab->coarse_shift) + 1;
        tab->coarse = mem_new(tab->n_coarse, sizeof(*tab->coarse));
        for (size_t i = 0; i < tab->n_coarse; i++) {
                while (next < tab->n_entries && (tab->starts[next] - first) >> tab->coarse_shift < i)
                        next++;
                tab->coarse[i] = (uint32_t)next;
        }
}

/* Many symbols are dropped: those of data, and all but one name of each function. */
static void trim(struct symtab *tab)
{
        uint64_t kept_bytes = (uint64_t)tab->n_entries * KEPT_BYTES;

        if (tab->n_entries) {
                tab->entries = mem_resize(tab->entries, tab->n_entries, sizeof(*tab->entries));
                tab->cap_entries = tab->n_entries;
        }
        if (kept_bytes < tab->taken_bytes) {
                budget_give(tab->budget, tab->taken_bytes - kept_bytes);
                tab->taken_bytes = kept_bytes;
        }
}

void symtab_finish(struct symtab *tab)
{
        assert(!tab->starts);
        if (!tab->n_entries) {
                trim(tab);
                return;
        }
        sort_entries(tab);
        choose_names(tab);
        drop_covered_labels(tab);
        guess_ends(tab);
        trim(tab);
        find_parents(tab);
        tab->starts = mem_new(tab->n_entries, sizeof(*tab->starts));
        for (size_t i = 0; i < tab->n_entries; i++)
                tab->starts[i] = tab->entries[i].start;
        build_coarse(tab);
}

size_t symtab_n_symbols(const struct symtab *tab)
{
        return tab->n_entries;
}

/* The number of entries that start at or before `addr`. */
static size_t count_up_to(const struct symtab *tab, uint64_t addr)
{
        size_t low = 0, high = tab->n_entries, slot;

        if (!tab->n_entries || addr < tab->starts[0])
                return 0;
        slot = (size_t)((addr - tab->starts[0]) >> tab->coarse_shift);
        if (slot < tab->n_coarse) {
                low = tab->coarse[slot];
                high = slot + 1 < tab->n_coarse ? tab->coarse[slot + 1] : tab->n_entries;
        } else {
                return tab->n_entries;
        }
        SEARCH_FIRST(low, high, middle, tab->starts[middle] <= addr);
        return low;
}

void symtab_get(const struct symtab *tab, size_t index, struct symtab_hit *ret_hit)
{
        struct symtab_entry *entry = &tab->entries[index];

        assert(index < tab->n_entries);
        *ret_hit = (struct symtab_hit){
                .index = (uint32_t)index,
                .start = entry->start,
                .end = entry->end,
                .same_from = entry->start,
                .same_to = entry->end,
                .group = entry->group,
                .end_is_guessed = entry->flags & ENTRY_GUESSED,
                .is_plt_stub = entry->flags & ENTRY_PLT_STUB,
                .name_off = entry->name_off,
                .text = &entry->text,
        };
        ret_hit->name = name_of(tab, entry, &ret_hit->name_max);
}

bool symtab_find(const struct symtab *tab, uint64_t addr, struct symtab_hit *ret_hit)
{
        size_t n_before = count_up_to(tab, addr);
        uint32_t at = n_before ? (uint32_t)n_before - 1 : NO_PARENT;
        uint64_t next = n_before < tab->n_entries ? tab->starts[n_before] : UINT64_MAX;

        for (int i = 0; i < MAX_NESTING && at != NO_PARENT; i++) {
                if (addr < tab->entries[at].end) {
                        symtab_get(tab, at, ret_hit);
                        if (n_before - 1 != at)
                                ret_hit->same_from = addr;
                        if (next < ret_hit->same_to)
                                ret_hit->same_to = next;
                        return true;
                }
                at = tab->entries[at].parent;
        }
        ret_hit->same_from = addr;
        ret_hit->same_to = next;
        return false;
}
