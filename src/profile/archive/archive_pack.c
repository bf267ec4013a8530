/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the lookups that report and annotate will make, and records the answers: symbols of all addresses in
 * samples, callers and branches; and every address of the functions with samples, so that it does not matter
 * where a disassembler finds instructions. */
#include <stdlib.h>
#include <string.h>

#include "archive_internal.h"
#include "code_image.h"
#include "map.h"
#include "mem.h"
#include "module_source.h"
#include "resolver_code.h"
#include "resolver_facts.h"

enum { FRAMES_AT_ONCE = 1 << 18 };

static const uint32_t no_function = UINT32_MAX;

/* --- Modules and addresses --------------------------------------------------------------------------- */

static int compare_places(const void *x, const void *y)
{
        const struct archive_place *a = x, *b = y;

        return (a->offset > b->offset) - (a->offset < b->offset);
}

static void merge_places(struct archive_module *m)
{
        size_t n = 0;

        if (m->n_places)
                qsort(m->places, m->n_places, sizeof(*m->places), compare_places);
        for (size_t i = 0; i < m->n_places; i++) {
                if (n && m->places[n - 1].offset == m->places[i].offset) {
                        m->places[n - 1].weight += m->places[i].weight;
                        m->places[n - 1].is_sampled |= m->places[i].is_sampled;
                } else {
                        m->places[n++] = m->places[i];
                }
        }
        m->n_places = n;
}

/* Looks up an address in each module that only occurs in stacks, so that its note about missing symbols is
 * known. Modules of samples and branches were looked up already. */
static void ask_modules_of_stacks(struct archive_pack *pack)
{
        const struct stacks *stacks = pack->report->stacks;
        struct map asked = {0};

        for (size_t i = 0; i < stacks_n_places(stacks); i++) {
                const struct code_place *node = stacks_get_place(stacks, (uint32_t)i);
                bool is_new = false;

                if (node->module != MODULE_NONE)
                        map_put(&asked, node->module, &is_new);
                if (is_new)
                        resolver_find(pack->resolver,
                                      report_session_module(&pack->report->session, node->module),
                                      node->offset);
        }
        map_release(&asked);
}

void archive_pack_add_module(struct archive_pack *pack, module_id module, bool is_named_only)
{
        struct archive_module m = {.module = module, .is_named_only = is_named_only};
        const char *note;

        m.id = module_source_get(pack->source, module);
        note = resolver_note(pack->resolver, m.id);
        m.has_name_note = note;
        buf_add_str(&m.name_note, note ? note : "");
        ARRAY_PUSH(pack->modules, pack->n_modules, pack->cap_modules, m);
        *map_put(&pack->index_of, module, NULL) = pack->n_modules;
}

void archive_pack_add_place(struct archive_pack *pack, module_id module, const struct archive_place *place)
{
        const uint64_t *index = module != MODULE_NONE ? map_find(&pack->index_of, module) : NULL;
        struct archive_module *m = index ? &pack->modules[*index - 1] : NULL;
        struct archive_place at = *place;

        at.function = no_function;
        if (!m)
                return;
        ARRAY_PUSH(m->places, m->n_places, m->cap_places, at);
        module_source_keep_code(pack->source, module, at.offset);
}

static void list_places(struct archive_pack *pack)
{
        const struct profile *profile = pack->report->profile;
        const struct stacks *stacks = pack->report->stacks;
        const struct branches *branches = pack->report->branches;

        for (size_t i = 0; i < profile_n_places(profile); i++) {
                const struct profile_place *place = profile_get_place(profile, i);

                archive_pack_add_place(pack, place->module,
                                       &(struct archive_place){.offset = place->offset,
                                                               .weight = place->weight,
                                                               .is_sampled = true});
        }
        for (size_t i = 0; i < stacks_n_places(stacks); i++) {
                const struct code_place *node = stacks_get_place(stacks, (uint32_t)i);

                archive_pack_add_place(pack, node->module, &(struct archive_place){.offset = node->offset});
        }
        for (size_t i = 0; i < branches_n_edges(branches); i++) {
                const struct branch_edge *edge = branches_get_edge(branches, i);

                archive_pack_add_place(pack, edge->from.module,
                                       &(struct archive_place){.offset = edge->from.offset});
                archive_pack_add_place(pack, edge->to.module,
                                       &(struct archive_place){.offset = edge->to.offset});
        }
}

/* --- Functions --------------------------------------------------------------------------------------- */

static bool is_same_function(const struct archive_function *f, const struct resolver_extent *extents,
                             size_t n)
{
        return f->n_extents == n && !memcmp(f->extents, extents, n * sizeof(*extents));
}

/* Takes ownership of `extents`. */
static uint32_t add_function(struct archive_pack *pack, uint32_t module, struct resolver_extent *extents,
                             size_t n)
{
        struct archive_module *m = &pack->modules[module];
        struct archive_function f = {.module = module, .extents = extents, .n_extents = n};

        for (size_t i = 0; i < n; i++)
                f.size_bytes += extents[i].end - extents[i].start;
        ARRAY_PUSH(pack->functions, pack->n_functions, pack->cap_functions, f);
        ARRAY_PUSH(m->functions, m->n_functions, m->cap_functions, (uint32_t)pack->n_functions - 1);
        return (uint32_t)m->n_functions - 1;
}

/* The index of the function at an address in its module. `known` maps hashes of extents to index + 1. */
static uint32_t find_function(struct archive_pack *pack, uint32_t module, struct map *known, uint64_t addr)
{
        const struct archive_module *m = &pack->modules[module];
        struct resolver_extent *extents;
        size_t n = resolver_find_extents(pack->resolver, m->id, addr, &extents);

        if (!n) {
                free(extents);
                return no_function;
        }
        for (uint64_t hash = map_hash_bytes(extents, n * sizeof(*extents));; hash++) {
                uint64_t *at = map_put(known, hash, NULL);

                if (!*at) {
                        *at = add_function(pack, module, extents, n) + 1;
                        return (uint32_t)*at - 1;
                }
                if (is_same_function(&pack->functions[m->functions[*at - 1]], extents, n)) {
                        free(extents);
                        return (uint32_t)*at - 1;
                }
        }
}

static void list_functions(struct archive_pack *pack, uint32_t module)
{
        struct archive_module *m = &pack->modules[module];
        struct map known = {0};

        for (size_t i = 0; i < m->n_places; i++) {
                struct archive_place *p = &m->places[i];

                p->has_addr = resolver_to_addr(pack->resolver, m->id, p->offset, &p->addr);
                if (!p->has_addr || !p->is_sampled || m->is_named_only)
                        continue;
                p->function = find_function(pack, module, &known, p->addr);
                if (p->function != no_function)
                        pack->functions[m->functions[p->function]].weight += p->weight;
        }
        map_release(&known);
}

void archive_pack_begin(struct archive_pack *pack, struct module_source *source, const struct world *world)
{
        *pack = (struct archive_pack){
                .source = source, .world = world, .resolver = module_source_resolver(source)};
}

void archive_pack_end_places(struct archive_pack *pack)
{
        for (size_t i = 0; i < pack->n_modules; i++) {
                merge_places(&pack->modules[i]);
                list_functions(pack, (uint32_t)i);
        }
        map_release(&pack->index_of);
}

void archive_pack_init(struct archive_pack *pack, struct report *report)
{
        struct module_source *source = report->session.modules;

        archive_pack_begin(pack, source, report->session.world);
        pack->report = report;
        ask_modules_of_stacks(pack);
        for (size_t i = 0, n = module_source_n_used(source); i < n; i++) {
                module_id module = module_source_used(source, i);

                /* Python places have their own section, which is kept. */
                if (world_get_module(pack->world, module)->kind != MODULE_PYTHON)
                        archive_pack_add_module(pack, module, false);
        }
        list_places(pack);
        archive_pack_end_places(pack);
}

void archive_pack_release(struct archive_pack *pack)
{
        buf_release(&pack->source_files);
        for (size_t i = 0; i < pack->n_modules; i++) {
                buf_release(&pack->modules[i].name_note);
                free(pack->modules[i].places);
                free(pack->modules[i].functions);
        }
        for (size_t i = 0; i < pack->n_functions; i++)
                free(pack->functions[i].extents);
        for (size_t i = 0; i < N_ELEMENTS(pack->disasms); i++)
                disasm_free(pack->disasms[i]);
        free(pack->modules);
        free(pack->functions);
        *pack = (struct archive_pack){0};
}

uint64_t archive_pack_code_bytes(const struct archive_pack *pack)
{
        uint64_t sum = 0;

        for (size_t i = 0; i < pack->n_functions; i++) {
                if (pack->functions[i].size_bytes <= ARCHIVE_MAX_FUNCTION_BYTES)
                        sum += pack->functions[i].size_bytes;
        }
        return sum;
}

uint64_t archive_pack_file_bytes(const struct archive_pack *pack)
{
        uint64_t sum = 0;

        for (size_t i = 0; i < pack->n_modules; i++) {
                const struct archive_module *m = &pack->modules[i];

                sum += m->n_functions ? resolver_get_facts(pack->resolver, m->id)->file_bytes : 0;
        }
        return sum;
}

struct ranked {
        uint64_t weight;
        size_t index;
};

static int compare_ranked(const void *x, const void *y)
{
        const struct ranked *a = x, *b = y;

        if (a->weight != b->weight)
                return a->weight > b->weight ? -1 : 1;
        return (a->index > b->index) - (a->index < b->index);
}

size_t archive_pack_choose(struct archive_pack *pack, uint64_t code_bytes)
{
        struct ranked *order = mem_new(pack->n_functions, sizeof(*order));
        size_t n = 0;

        for (size_t i = 0; i < pack->n_functions; i++)
                order[i] = (struct ranked){pack->functions[i].weight, i};
        if (pack->n_functions)
                qsort(order, pack->n_functions, sizeof(*order), compare_ranked);
        for (size_t i = 0; i < pack->n_functions; i++) {
                struct archive_function *f = &pack->functions[order[i].index];

                f->is_whole = f->size_bytes <= ARCHIVE_MAX_FUNCTION_BYTES && f->size_bytes <= code_bytes;
                code_bytes = f->is_whole ? code_bytes - f->size_bytes : code_bytes;
                n += f->is_whole;
        }
        free(order);
        return n;
}

/* --- Lookups in a module ------------------------------------------------------------------------------ */

enum wanted_of {
        WANTED_NAME,
        WANTED_FRAMES,  /* and the symbol */
        WANTED_LISTING, /* and the source line */
};

/* `step` addresses from `addr` on, which all have the same answer. */
struct asked {
        uint64_t addr;
        uint32_t step;
        enum wanted_of wanted;
};

/* Every `step` bytes an address is asked. */
struct asked_range {
        uint64_t start, end;
        uint32_t step;
};

struct asking {
        struct archive_pack *pack;
        const struct archive_module *module;
        struct symbol_archive_writer *writer;
        struct asked *list;
        size_t n, cap;
        struct asked_range *ranges; /* the code of functions */
        size_t n_ranges, cap_ranges;
        struct code_image *image; /* made for the jump tables of functions; NULL: not needed yet */
};

static int compare_asked(const void *x, const void *y)
{
        const struct asked *a = x, *b = y;

        if (a->addr != b->addr)
                return a->addr < b->addr ? -1 : 1;
        if (a->wanted != b->wanted)
                return a->wanted > b->wanted ? -1 : 1;
        return (a->step < b->step) - (a->step > b->step);
}

static void ask(struct asking *a, uint64_t addr, uint32_t step, enum wanted_of wanted)
{
        ARRAY_PUSH(a->list, a->n, a->cap, (struct asked){addr, step, wanted});
}

static struct disasm *get_disasm(struct archive_pack *pack, enum object_machine machine)
{
        enum disasm_arch arch = machine == OBJECT_MACHINE_ARM64 ? DISASM_AARCH64 : DISASM_X86_64;

        if (machine != OBJECT_MACHINE_ARM64 && machine != OBJECT_MACHINE_X86_64)
                return NULL;
        if (!pack->disasms[arch])
                pack->disasms[arch] = disasm_open(arch, DISASM_ATT, NULL);
        pack->has_no_disasm |= !pack->disasms[arch];
        return pack->disasms[arch];
}

/* A listing shows the names of branch and call targets. */
static void ask_targets(struct asking *a, const struct archive_function *f, const struct disasm_code *code)
{
        struct module_source *source = a->pack->source;

        for (size_t i = 0; i < code->n_insns; i++) {
                const struct disasm_insn *insn = &code->insns[i];
                uint64_t addr;

                if (!insn->has_target || insn->is_operand ||
                    !module_source_target(source, a->module->module, f->extents[0].start, insn->target,
                                          &addr))
                        continue;
                module_source_keep_code(source, a->module->module, addr);
                ask(a, addr, 1, WANTED_NAME);
        }
}

/* Tells which case of a switch is where, when machine code is compared. */
static void add_tables(struct asking *a, const struct archive_function *f)
{
        struct code_table_bytes *tables;
        size_t n;

        /* A table ends with its section at the latest. */
        if (!resolver_get_facts(a->pack->resolver, a->module->id)->n_sections)
                return;
        if (!a->image)
                a->image = code_image_new(a->pack->resolver, a->module->id);
        n = code_image_tables(a->image, f->extents, f->n_extents, &tables);
        for (size_t i = 0; i < n; i++) {
                symbol_archive_add_code(a->writer, tables[i].addr, tables[i].bytes, tables[i].size);
                free(tables[i].bytes);
        }
        free(tables);
}

/* Instructions of AArch64 are aligned to 4 bytes. */
static void add_range(struct asking *a, const struct resolver_extent *e, enum object_machine machine)
{
        uint32_t step = machine == OBJECT_MACHINE_ARM64 && !(e->start % 4) ? 4 : 1;

        ARRAY_PUSH(a->ranges, a->n_ranges, a->cap_ranges, (struct asked_range){e->start, e->end, step});
}

static void ask_code(struct asking *a, const struct archive_function *f, enum object_machine machine)
{
        uint64_t slide = module_source_slide(a->pack->source, a->module->module, f->extents[0].start);
        AUTO_RELEASE(disasm_code) code = {0};
        struct disasm *disasm;

        for (size_t i = 0; i < f->n_extents; i++) {
                const struct resolver_extent *e = &f->extents[i];
                const uint8_t *bytes;

                if (!resolver_read_code(a->pack->resolver, a->module->id, e->start, e->end - e->start,
                                        &bytes))
                        continue;
                symbol_archive_add_code(a->writer, e->start, bytes, e->end - e->start);
                disasm = get_disasm(a->pack, machine);
                if (disasm)
                        disasm_add(disasm, bytes, (size_t)(e->end - e->start), e->start + slide, &code);
        }
        ask_targets(a, f, &code);
        add_tables(a, f);
}

static int compare_ranges(const void *x, const void *y)
{
        const struct asked_range *a = x, *b = y;

        if (a->step != b->step)
                return a->step < b->step ? -1 : 1;
        return (a->start > b->start) - (a->start < b->start);
}

/* Functions may overlap. */
static void merge_ranges(struct asking *a)
{
        size_t n = 0;

        if (a->n_ranges)
                qsort(a->ranges, a->n_ranges, sizeof(*a->ranges), compare_ranges);
        for (size_t i = 0; i < a->n_ranges; i++) {
                const struct asked_range *r = &a->ranges[i];
                struct asked_range *last = n ? &a->ranges[n - 1] : NULL;

                if (!last || last->step != r->step || r->start > last->end)
                        a->ranges[n++] = *r;
                else if (r->end > last->end)
                        last->end = r->end;
        }
        a->n_ranges = n;
}

static void ask_ranges(struct asking *a)
{
        merge_ranges(a);
        for (size_t i = 0; i < a->n_ranges; i++) {
                const struct asked_range *r = &a->ranges[i];

                for (uint64_t addr = r->start; addr < r->end; addr += r->step)
                        ask(a, addr, r->end - addr < r->step ? (uint32_t)(r->end - addr) : r->step,
                            WANTED_LISTING);
        }
}

static void add_function_answers(struct asking *a, const struct archive_function *f)
{
        enum object_machine machine =
                resolver_get_machine(a->pack->resolver, a->module->id, f->extents[0].start);
        struct resolver_label *labels = NULL;
        size_t n_labels =
                resolver_find_labels(a->pack->resolver, a->module->id, f->extents[0].start, &labels);

        symbol_archive_add_function(a->writer, f->extents, f->n_extents, labels, n_labels);
        free(labels);
        if (!f->is_whole)
                return;
        ask_code(a, f, machine);
        for (size_t i = 0; i < f->n_extents; i++)
                add_range(a, &f->extents[i], machine);
}

/* Sorts the addresses, removes duplicates, and shortens ranges that overlap the next. */
static void sort_asked(struct asking *a)
{
        size_t n = 0;

        if (a->n)
                qsort(a->list, a->n, sizeof(*a->list), compare_asked);
        for (size_t i = 0; i < a->n; i++) {
                struct asked *last = n ? &a->list[n - 1] : NULL;

                if (last && last->addr == a->list[i].addr)
                        continue;
                if (last && a->list[i].addr - last->addr < last->step)
                        last->step = (uint32_t)(a->list[i].addr - last->addr);
                a->list[n++] = a->list[i];
        }
        a->n = n;
}

static void add_symbols(struct asking *a)
{
        for (size_t i = 0; i < a->n; i++) {
                struct symbol symbol = resolver_find_addr(a->pack->resolver, a->module->id, a->list[i].addr);

                symbol_archive_add_symbol(a->writer, a->list[i].step, &symbol);
        }
}

static void add_frames_of(struct asking *a, const struct asked *const *list, const uint64_t *addrs, size_t n)
{
        struct resolver_frames found;

        resolver_find_frames(a->pack->resolver, a->module->id, addrs, n, &found);
        for (size_t i = 0; i < n; i++)
                symbol_archive_add_frames(a->writer, addrs[i], list[i]->step,
                                          found.spans[i].n ? found.frames + found.spans[i].first : NULL,
                                          found.spans[i].n, list[i]->wanted == WANTED_LISTING);
        resolver_frames_release(&found);
}

static void add_frames(struct asking *a)
{
        size_t most = a->n < FRAMES_AT_ONCE ? a->n : FRAMES_AT_ONCE, n = 0;
        const struct asked **list = mem_new(most, sizeof(const struct asked *));
        uint64_t *addrs = mem_new(most, sizeof(*addrs));

        for (size_t i = 0; i < a->n; i++) {
                if (a->list[i].wanted != WANTED_NAME) {
                        addrs[n] = a->list[i].addr;
                        list[n++] = &a->list[i];
                }
                if (n == most || i + 1 == a->n) {
                        add_frames_of(a, list, addrs, n);
                        n = 0;
                }
        }
        free(addrs);
        free(list);
}

static void add_places(struct asking *a)
{
        const struct archive_module *m = a->module;

        for (size_t i = 0; i < m->n_places; i++) {
                const struct archive_place *p = &m->places[i];

                if (!p->has_addr)
                        continue;
                symbol_archive_add_offset(a->writer, p->offset, p->addr, i && m->places[i - 1].has_addr);
                ask(a, p->addr, 1,
                    m->is_named_only ? WANTED_NAME
                    : p->is_sampled  ? WANTED_LISTING
                                     : WANTED_FRAMES);
        }
}

struct member {
        uint64_t addr;
        uint32_t function;
};

static int compare_members(const void *x, const void *y)
{
        const struct member *a = x, *b = y;

        return (a->addr > b->addr) - (a->addr < b->addr);
}

/* Sorts by address, because the file's segments may be in another order. */
static void add_members(struct asking *a)
{
        const struct archive_module *m = a->module;
        struct member *members = mem_new(m->n_places, sizeof(*members));
        size_t n = 0;

        for (size_t i = 0; i < m->n_places; i++) {
                if (m->places[i].function != no_function)
                        members[n++] = (struct member){m->places[i].addr, m->places[i].function};
        }
        if (n)
                qsort(members, n, sizeof(*members), compare_members);
        for (size_t i = 0; i < n; i++) {
                if (!i || members[i].addr != members[i - 1].addr)
                        symbol_archive_add_member(a->writer, members[i].addr, members[i].function);
        }
        free(members);
}

static bool has_readable_names(enum module_kind kind)
{
        return kind == MODULE_FILE || kind == MODULE_IMAGE || kind == MODULE_VDSO;
}

/* If the image contains code for two machines, uses that of the first function. */
static enum object_machine machine_of(const struct archive_pack *pack, const struct archive_module *m)
{
        const struct archive_function *first = m->n_functions ? &pack->functions[m->functions[0]] : NULL;

        return resolver_get_machine(pack->resolver, m->id,
                                    first && first->n_extents ? first->extents[0].start : 0);
}

static void begin_module(struct asking *a)
{
        const struct archive_module *m = a->module;
        const struct archive_identity identity = module_source_identity(a->pack->source, m->module);
        const struct resolver_facts *known = resolver_get_facts(a->pack->resolver, m->id);
        const struct archive_facts facts = {
                .machine = machine_of(a->pack, m),
                .has_readable_names = has_readable_names(world_get_module(a->pack->world, m->module)->kind),
                .built_ns = module_source_built_ns(a->pack->source, m->module),
                .name_note = m->has_name_note ? buf_text(&m->name_note) : NULL,
                .is_kept = !a->pack->report || known->is_kept,
                .has_image = known->has_image,
                .image = known->image,
        };

        symbol_archive_begin(a->writer, &identity, &facts);
        for (size_t i = 0; i < known->n_sections; i++)
                symbol_archive_add_section(a->writer, &known->sections[i]);
}

static void add_module(struct archive_pack *pack, const struct archive_module *m,
                       struct symbol_archive_writer *writer)
{
        struct asking a = {.pack = pack, .module = m, .writer = writer};

        begin_module(&a);
        add_places(&a);
        for (size_t i = 0; i < m->n_functions; i++)
                add_function_answers(&a, &pack->functions[m->functions[i]]);
        ask_ranges(&a);
        add_members(&a);
        sort_asked(&a);
        add_symbols(&a);
        add_frames(&a);
        symbol_archive_set_line_note(writer, resolver_note(pack->resolver, m->id));
        code_image_free(a.image);
        free(a.ranges);
        free(a.list);
}

void archive_pack_write(struct archive_pack *pack, struct symbol_archive_writer *writer)
{
        for (size_t i = 0; i < pack->n_modules; i++)
                add_module(pack, &pack->modules[i], writer);
}
