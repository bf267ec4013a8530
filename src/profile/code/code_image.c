/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the functions of a module.  With a file: symbols and ranges of unwind tables, named by the
 * resolver, so that symbols of separate debug files and PDBs count.  Without one: functions that contain a
 * sample. */
#include "code_image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "code_image_internal.h"
#include "code_veneers.h"
#include "demangle.h"
#include "map.h"
#include "mem.h"
#include "resolver_code.h"
#include "resolver_facts.h"
#include "search.h"
#include "text.h"

/* --- Lists --- */

static int compare_sections(const void *a, const void *b)
{
        const struct code_image_section *x = a, *y = b;

        return (x->start > y->start) - (x->start < y->start);
}

static int compare_stubs(const void *a, const void *b)
{
        const struct object_stub *x = a, *y = b;

        return (x->addr > y->addr) - (x->addr < y->addr);
}

static void add_section(struct code_image *image, const char *name, uint64_t addr, uint64_t size,
                        bool is_code)
{
        if (size && size <= UINT64_MAX - addr)
                ARRAY_PUSH(image->sections, image->n_sections, image->cap_sections,
                           (struct code_image_section){name, addr, addr + size, is_code});
}

/* In a relocatable object, sections without bytes have the addresses of others. */
static void list_sections(struct code_image *image)
{
        const struct resolver_facts *facts = resolver_get_facts(image->resolver, image->id);
        size_t n = image->object ? object_n_sections(image->object) : facts->n_sections;

        for (size_t i = 0; i < n; i++) {
                const struct object_section *own =
                        image->object ? object_get_section(image->object, i) : NULL;
                const struct resolver_section *packed = &facts->sections[i];

                if (own && (own->flags & OBJECT_SECTION_LOADED) && (own->file_size || !image->is_relocatable))
                        add_section(image, own->name, own->addr, own->size_bytes,
                                    own->flags & OBJECT_SECTION_CODE);
                if (!own)
                        add_section(image, packed->name, packed->addr, packed->size_bytes, false);
        }
        if (image->n_sections)
                qsort(image->sections, image->n_sections, sizeof(*image->sections), compare_sections);
}

static int compare_variables(const void *a, const void *b)
{
        const struct code_variable *x = a, *y = b;

        if (x->section != y->section)
                return x->section < y->section ? -1 : 1;
        return (x->addr > y->addr) - (x->addr < y->addr);
}

static void list_variables(struct code_image *image)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(image->object, OBJECT_SYMBOLS, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol)) {
                if (symbol.kind == OBJECT_SYMBOL_DATA && symbol.section)
                        ARRAY_PUSH(image->variables, image->n_variables, image->cap_variables,
                                   (struct code_variable){symbol.section, symbol.addr, symbol.size_bytes,
                                                          object_symbols_name(&symbols, &symbol)});
        }
        if (image->n_variables)
                qsort(image->variables, image->n_variables, sizeof(*image->variables), compare_variables);
}

static bool is_plt(const struct code_image *image, uint64_t addr)
{
        const struct code_image_section *section = code_image_section(image, addr);

        return section && text_starts(section->name, ".plt");
}

static bool has_room(const struct code_image *image, uint64_t size)
{
        uint64_t max =
                image->object ? CODE_FREE_BYTES + 2 * object_file_bytes(image->object) : CODE_MAX_BYTES;

        return size <= CODE_MAX_FUNCTION_BYTES && image->n_functions < CODE_MAX_FUNCTIONS &&
               size <= max - image->code_bytes;
}

static void add_function(struct code_image *image, const char *name, struct resolver_extent *extents,
                         size_t n, bool has_frame)
{
        struct code_function f = {.name = name,
                                  .match = CODE_NO_FUNCTION,
                                  .extents = extents,
                                  .n_extents = n,
                                  .has_frame = has_frame};

        for (size_t i = 0; i < n; i++)
                f.size_bytes += extents[i].end - extents[i].start;
        if (!f.size_bytes || !has_room(image, f.size_bytes)) {
                image->n_left_out += f.size_bytes > 0;
                free(extents);
                return;
        }
        image->code_bytes += f.size_bytes;
        ARRAY_PUSH(image->functions, image->n_functions, image->cap_functions, f);
}

/* Data that GNU's linker puts into the code of PE images. */
static bool is_list_of_constructors(const struct code_image *image, const char *name)
{
        return image->image_base && (!strcmp(name, "__CTOR_LIST__") || !strcmp(name, "__DTOR_LIST__"));
}

static const char *name_of(const struct code_image *image, const struct symbol *symbol)
{
        return symbol->status == SYMBOL_NAMED ? resolver_text(image->resolver, symbol->name) : "";
}

/* Adds the function that begins at `addr`, if there is one.  `size` 0: the size of its symbol. */
static void add_at(struct code_image *image, uint64_t addr, uint64_t size, bool has_frame)
{
        struct symbol symbol = resolver_find_addr(image->resolver, image->id, addr);
        struct resolver_extent *extent;

        if (!size)
                size = symbol.size;
        if (symbol.status == SYMBOL_NONE || symbol.start != addr || !size || is_plt(image, addr) ||
            size > UINT64_MAX - addr || is_list_of_constructors(image, name_of(image, &symbol)))
                return;
        extent = mem_new(1, sizeof(*extent));
        *extent = (struct resolver_extent){addr, addr + size};
        add_function(image, name_of(image, &symbol), extent, 1, has_frame);
}

struct starts {
        uint64_t *addrs;
        size_t n, cap;
};

static void add_symbols(struct code_image *image, enum object_table table, struct starts *starts)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(image->object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol) && starts->n < 2 * CODE_MAX_FUNCTIONS) {
                if (symbol.is_defined && symbol.section && (symbol.section->flags & OBJECT_SECTION_CODE) &&
                    (symbol.kind == OBJECT_SYMBOL_FUNCTION || symbol.kind == OBJECT_SYMBOL_LABEL))
                        ARRAY_PUSH(starts->addrs, starts->n, starts->cap, symbol.addr);
        }
}

static void add_ranges(const struct object_range *ranges, size_t n, struct starts *starts)
{
        for (size_t i = 0; i < n && starts->n < 2 * CODE_MAX_FUNCTIONS; i++)
                ARRAY_PUSH(starts->addrs, starts->n, starts->cap, ranges[i].start);
}

static int compare_addrs(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;

        return (*x > *y) - (*x < *y);
}

/* The range that contains `addr`, or NULL. */
static const struct object_range *range_at(const struct object_range *ranges, size_t n, uint64_t addr)
{
        size_t low = 0, high = n;

        SEARCH_FIRST(low, high, middle, ranges[middle].start <= addr);
        return low && addr - ranges[low - 1].start < ranges[low - 1].size_bytes ? &ranges[low - 1] : NULL;
}

/* Symbols of PE images have no sizes, and labels divide functions: there the unwind table decides. */
static void list_functions(struct code_image *image)
{
        struct starts starts = {0};
        struct object_range *ranges = NULL;
        /* unwind tables of relocatable objects have no addresses yet */
        size_t n_ranges = image->is_relocatable ? 0 : object_list_functions(image->object, &ranges);

        add_symbols(image, OBJECT_SYMBOLS, &starts);
        add_symbols(image, OBJECT_DYNAMIC_SYMBOLS, &starts);
        add_ranges(ranges, n_ranges, &starts);
        if (starts.n)
                qsort(starts.addrs, starts.n, sizeof(*starts.addrs), compare_addrs);
        for (size_t i = 0; i < starts.n; i++) {
                const struct object_range *range = range_at(ranges, n_ranges, starts.addrs[i]);
                bool is_start = range && range->start == starts.addrs[i];

                if ((i && starts.addrs[i] == starts.addrs[i - 1]) ||
                    (image->image_base && range && !is_start))
                        continue;
                add_at(image, starts.addrs[i], image->image_base && range ? range->size_bytes : 0,
                       is_start && range->has_frame);
        }
        free(starts.addrs);
        free(ranges);
}

static int compare_samples(const void *a, const void *b)
{
        const struct code_sample *x = a, *y = b;

        return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Cold parts are shorter than the function. */
static void put_entry_first(struct resolver_extent *extents, size_t n)
{
        for (size_t i = 1; i < n; i++) {
                struct resolver_extent first = extents[0];

                if (extents[i].end - extents[i].start <= first.end - first.start)
                        continue;
                extents[0] = extents[i];
                extents[i] = first;
        }
}

/* A sample may be in the cold part, which has a symbol of its own. */
static const char *name_of_sampled(const struct code_image *image, const struct symbol *sampled,
                                   uint64_t entry)
{
        struct symbol symbol = resolver_find_addr(image->resolver, image->id, entry);

        return name_of(image, symbol.status == SYMBOL_NAMED ? &symbol : sampled);
}

/* For a module without a file.  Samples are sorted, so a function is mostly found by the last one. */
static void list_sampled(struct code_image *image)
{
        struct map known = {0};
        uint64_t end = 0;

        for (size_t i = 0; i < image->n_samples; i++) {
                struct symbol symbol;
                struct resolver_extent *extents;
                size_t n;
                bool is_new;

                if (i && image->samples[i].addr < end)
                        continue;
                symbol = resolver_find_addr(image->resolver, image->id, image->samples[i].addr);
                n = resolver_find_extents(image->resolver, image->id, image->samples[i].addr, &extents);
                if (n)
                        map_put(&known, extents[0].start, &is_new);
                if (!n || !is_new) {
                        free(extents);
                        continue;
                }
                end = image->samples[i].addr;
                for (size_t k = 0; k < n; k++) {
                        if (end >= extents[k].start && end < extents[k].end)
                                end = extents[k].end;
                }
                put_entry_first(extents, n);
                add_function(image, name_of_sampled(image, &symbol, extents[0].start), extents, n, false);
        }
        map_release(&known);
}

/* --- Pieces --- */

static int compare_pieces(const void *a, const void *b)
{
        const struct code_piece *x = a, *y = b;

        return (x->start > y->start) - (x->start < y->start);
}

static void list_pieces(struct code_image *image)
{
        image->n_pieces = 0;
        for (size_t i = 0; i < image->n_functions; i++) {
                const struct code_function *f = &image->functions[i];

                for (size_t k = 0; k < f->n_extents && !f->is_part; k++)
                        ARRAY_PUSH(image->pieces, image->n_pieces, image->cap_pieces,
                                   (struct code_piece){f->extents[k].start, f->extents[k].end, (uint32_t)i});
        }
        if (image->n_pieces)
                qsort(image->pieces, image->n_pieces, sizeof(*image->pieces), compare_pieces);
}

static void sum_samples(struct code_image *image)
{
        for (size_t i = 0; i < image->n_samples; i++) {
                uint32_t index = code_image_find(image, image->samples[i].addr);

                if (index == CODE_NO_FUNCTION)
                        continue;
                image->functions[index].count += image->samples[i].count;
                image->functions[index].weight += image->samples[i].weight;
        }
}

/* --- Interface --- */

struct code_image *code_image_new(struct resolver *resolver, resolver_id id)
{
        struct code_image *image = mem_new(1, sizeof(*image));
        const struct resolver_facts *known = resolver_get_facts(resolver, id);

        image->resolver = resolver;
        image->id = id;
        image->object = known->object;
        image->machine = resolver_get_machine(resolver, id, 0);
        if (image->object) {
                const struct object_facts *facts = object_get_facts(image->object);

                image->machine = facts->machine;
                image->is_relocatable = facts->is_relocatable;
                image->is_fixed = facts->format == OBJECT_ELF && !facts->is_relocatable &&
                                  facts->is_executable && facts->load_addr;
                image->image_base = facts->format == OBJECT_PE ? facts->load_addr : 0;
                image->n_relocations = object_list_relocations(image->object, &image->relocations);
                image->n_stubs = object_list_stubs(image->object, &image->stubs);
                if (image->n_stubs)
                        qsort(image->stubs, image->n_stubs, sizeof(*image->stubs), compare_stubs);
        } else {
                image->is_fixed = known->image.is_executable && known->image.load_addr;
        }
        list_sections(image);
        if (image->is_relocatable)
                list_variables(image);
        return image;
}

void code_image_free(struct code_image *image)
{
        if (!image)
                return;
        for (size_t i = 0; i < image->n_functions; i++)
                free(image->functions[i].extents);
        free(image->functions);
        free(image->pieces);
        free(image->samples);
        free(image->relocations);
        free(image->stubs);
        free(image->sections);
        free(image->variables);
        free(image);
}

void code_image_add_sample(struct code_image *image, uint64_t addr, uint64_t count, uint64_t weight)
{
        assert(!image->n_functions);
        ARRAY_PUSH(image->samples, image->n_samples, image->cap_samples,
                   (struct code_sample){addr, count, weight});
}

void code_image_finish(struct code_image *image)
{
        if (image->n_samples)
                qsort(image->samples, image->n_samples, sizeof(*image->samples), compare_samples);
        if (image->object)
                list_functions(image);
        else
                list_sampled(image);
        code_veneers_join(image);
        code_parts_join_named(image);
        list_pieces(image);
        code_parts_join_by_jumps(image);
        list_pieces(image);
        sum_samples(image);
}

size_t code_image_n_functions(const struct code_image *image)
{
        return image->n_functions;
}

struct code_function *code_image_get(const struct code_image *image, size_t index)
{
        assert(index < image->n_functions);
        return &image->functions[index];
}

bool code_image_lists_all(const struct code_image *image)
{
        return image->object;
}

uint32_t code_image_find(const struct code_image *image, uint64_t addr)
{
        size_t low = 0, high = image->n_pieces;

        SEARCH_FIRST(low, high, middle, image->pieces[middle].start <= addr);
        return low && addr < image->pieces[low - 1].end ? image->pieces[low - 1].function : CODE_NO_FUNCTION;
}

uint64_t code_image_weight(const struct code_image *image, uint64_t start, uint64_t end, uint64_t *ret_count)
{
        size_t low = 0, high = image->n_samples;
        uint64_t weight = 0, count = 0;

        SEARCH_FIRST(low, high, middle, image->samples[middle].addr < start);
        for (; low < image->n_samples && image->samples[low].addr < end; low++) {
                weight += image->samples[low].weight;
                count += image->samples[low].count;
        }
        if (ret_count)
                *ret_count = count;
        return weight;
}

bool code_image_has_machine(const struct code_image *image)
{
        return image->object || image->machine != OBJECT_MACHINE_OTHER;
}

bool code_image_get_arch(const struct code_image *image, enum disasm_arch *ret)
{
        *ret = image->machine == OBJECT_MACHINE_ARM64 ? DISASM_AARCH64 : DISASM_X86_64;
        return image->machine == OBJECT_MACHINE_ARM64 || image->machine == OBJECT_MACHINE_X86_64;
}

struct code_naming code_image_can_name(const struct code_image *image)
{
        const struct resolver_facts *facts = resolver_get_facts(image->resolver, image->id);

        return (struct code_naming){
                .functions = facts->has_all_names || !image->object,
                .variables = facts->has_all_names && image->object,
                .contents = image->object,
                .tables = image->object || facts->has_packed_data,
        };
}

void code_image_set_naming(struct code_image *image, struct code_naming naming)
{
        image->naming = naming;
}

size_t code_image_n_left_out(const struct code_image *image)
{
        return image->n_left_out;
}

const struct object_relocation *code_image_relocation(const struct code_image *image, uint64_t addr,
                                                      uint64_t size)
{
        size_t low = 0, high = image->n_relocations;

        SEARCH_FIRST(low, high, middle, image->relocations[middle].addr < addr);
        return low < image->n_relocations && image->relocations[low].addr - addr < size
                       ? &image->relocations[low]
                       : NULL;
}

bool code_image_read(const struct code_image *image, uint64_t addr, uint64_t size, const uint8_t **ret)
{
        return resolver_read_code(image->resolver, image->id, addr, size, ret);
}

const struct code_image_section *code_image_section(const struct code_image *image, uint64_t addr)
{
        size_t low = 0, high = image->n_sections;

        SEARCH_FIRST(low, high, middle, image->sections[middle].start <= addr);
        return low && addr < image->sections[low - 1].end ? &image->sections[low - 1] : NULL;
}
