/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which places are one row, and makes the row's name. */
#include "hot.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "function_names.h"
#include "map.h"
#include "mem.h"
#include "place_names.h"
#include "place_python.h"
#include "python_label.h"
#include "python_package.h"
#include "search.h"
#include "spe_raw.h"
#include "text.h"
#include "text_match.h"

#define NO_ROW UINT32_MAX

struct hot {
        struct strpool *names;
        struct hot_row *rows;
        size_t n_rows, cap_rows;
        struct hot_pc *pcs;
        size_t n_pcs, cap_pcs;
        uint64_t n_unresolved;
        struct map unresolved_in; /* modules, with the numbers of their samples without a name */
        module_id single_image;
};

/* The parts of a row.  Many places have equal parts, whose names are made only once.  No padding, so that
 * it can be hashed and compared as bytes. */
struct row_parts {
        uint64_t at; /* the address with PROFILE_ADDR, otherwise the start of code without a name */
        uint32_t event;
        int32_t pid, tid;
        uint32_t cpu;
        str_id comm, process, thread, line, file, package;
        module_id module;
        uint32_t source;             /* as in struct profile_place */
        uint8_t status;              /* status of the symbol */
        uint8_t has_addr, is_native; /* 1, or 0 */
        uint8_t machine;             /* enum exec_machine */
        uint32_t zero;               /* for the size */
        /* ids of the resolver: the name, and the module that the symbol names */
        str_id function, of_function;
};

_Static_assert(sizeof(struct row_parts) == 72, "no padding");

struct known_row {
        struct row_parts parts;
        size_t row;
};

struct builder {
        struct hot *hot;
        const struct profile *profile;
        unsigned keys; /* profile_key bits */
        const struct world *world;
        const char *symbol;   /* as in struct hot_request */
        bool makes_functions; /* names of functions, for rows or to compare them with `symbol` */
        struct place_names names;
        struct function_names *functions;
        struct place_frames *frames; /* NULL: inlined functions and lines are not requested */
        bool inlines;
        const char *(*state_word)(unsigned state); /* as in struct hot_request */
        struct map row_of;                         /* hash of a row's key -> first row + 1 */
        struct known_row *known;
        size_t n_known, cap_known;
        struct map known_of; /* hash of the parts -> known + 1 */
};

void hot_free(struct hot *hot)
{
        if (!hot)
                return;
        strpool_free(hot->names);
        free(hot->rows);
        free(hot->pcs);
        map_release(&hot->unresolved_in);
        free(hot);
}

void hot_interval(double share, double n, double *ret_low, double *ret_high)
{
        const double z = 1.959964; /* 97.5 % quantile of the normal distribution */
        double centre, half;

        if (n < 1) {
                *ret_low = 0;
                *ret_high = 1;
                return;
        }
        centre = (share + z * z / (2 * n)) / (1 + z * z / n);
        half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
        *ret_low = fmax(0, centre - half);
        *ret_high = fmin(1, centre + half);
}

/* --- Names --- */

/* The module whose executable image contains every sample, or MODULE_NONE. */
static module_id find_single_image(const struct builder *b)
{
        module_id only = MODULE_NONE;
        str_id path = 0;

        for (size_t i = 0; i < profile_n_places(b->profile); i++) {
                module_id id = profile_get_place(b->profile, i)->module;

                if (id == MODULE_NONE)
                        return MODULE_NONE;
                if (only == MODULE_NONE) {
                        only = id;
                        path = world_get_module(b->world, id)->path;
                }
                if (world_get_module(b->world, id)->path != path)
                        return MODULE_NONE;
        }
        if (only == MODULE_NONE || !b->names.modules->is_executable(b->names.modules->ctx, only))
                return MODULE_NONE;
        return only;
}

static str_id shown_name(struct builder *b, str_id bare, str_id module)
{
        AUTO_RELEASE(buf) name = {0};

        if (!module || b->hot->single_image != MODULE_NONE)
                return bare;
        buf_printf(&name, "%s:%s", strpool_get(b->hot->names, bare), strpool_get(b->hot->names, module));
        return strpool_add_len(b->hot->names, name.data, name.len);
}

/* --- Rows --- */

static bool same_row(const struct hot_row *a, const struct hot_row *b)
{
        return a->event == b->event && a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu &&
               a->comm == b->comm && a->process == b->process && a->thread == b->thread &&
               a->bare == b->bare && a->module == b->module && a->line == b->line && a->file == b->file &&
               a->package == b->package && a->source == b->source && a->machine == b->machine &&
               a->is_native == b->is_native && a->addr == b->addr && a->has_addr == b->has_addr;
}

static uint64_t row_hash(const struct hot_row *r)
{
        uint64_t parts[] = {
                (uint64_t)r->event << 32 | r->cpu,
                (uint64_t)r->thread << 32 | r->machine,
                (uint64_t)(uint32_t)r->pid << 32 | (uint32_t)r->tid,
                (uint64_t)r->comm << 32 | r->process,
                (uint64_t)r->bare << 32 | r->module,
                (uint64_t)r->file << 32 | r->line,
                r->addr,
                (uint64_t)r->package << 32 | r->source,
        };

        return map_hash_bytes(parts, sizeof(parts));
}

static size_t push_row(struct hot *hot, const struct hot_row *row)
{
        ARRAY_PUSH(hot->rows, hot->n_rows, hot->cap_rows, *row);
        return hot->n_rows - 1;
}

/* If another row already has the hash, the next number is tried, so that rows with the same hash stay
 * separate. */
static size_t find_or_add_row(struct builder *b, const struct hot_row *row)
{
        struct hot *hot = b->hot;

        for (uint64_t hash = row_hash(row);; hash++) {
                uint64_t *at = map_put(&b->row_of, hash, NULL);

                if (!*at) {
                        *at = push_row(hot, row) + 1;
                        return *at - 1;
                }
                if (same_row(&hot->rows[*at - 1], row))
                        return *at - 1;
        }
}

/* "longobject.c:3404" */
static str_id line_name(struct builder *b, const struct resolver_frame *frame)
{
        AUTO_RELEASE(buf) name = {0};

        if (!frame->path || !frame->line)
                return 0;
        buf_printf(&name, "%s:%" PRIu32,
                   frame->file ? resolver_text(b->names.resolver, frame->file)
                               : python_label_file(resolver_text(b->names.resolver, frame->path)),
                   frame->line);
        return strpool_add_len(b->hot->names, name.data, name.len);
}

static void name_file(struct builder *b, size_t index, struct row_parts *parts)
{
        AUTO_RELEASE(buf) package = {0};
        const struct resolver_frame *frame;
        const char *path;

        if (!(b->keys & (PROFILE_FILE | PROFILE_PACKAGE)) || !place_frames_get(b->frames, index, &frame) ||
            !frame->path)
                return;
        path = resolver_text(b->names.resolver, frame->path);
        if (b->keys & PROFILE_FILE)
                parts->file = strpool_add(b->hot->names, path);
        if (!(b->keys & PROFILE_PACKAGE))
                return;
        python_package_add(path, &package);
        parts->package = strpool_add(b->hot->names, buf_text(&package));
}

/* Uses the debug information of the frame: returns the line, and replaces the symbol by the inlined
 * function. */
static str_id take_frame(struct builder *b, size_t index, struct symbol *symbol)
{
        const struct resolver_frame *frame, *outer;
        size_t n = b->frames ? place_frames_get(b->frames, index, &frame) : 0;
        str_id line = 0;

        if (!n)
                return 0;
        outer = frame + n - 1;
        if (b->keys & PROFILE_LINE)
                line = line_name(b, frame);
        if (b->inlines && frame->is_inlined && frame->function)
                symbol->name = frame->function;
        else if (symbol->status != SYMBOL_NAMED && outer->function)
                symbol->name = outer->function;
        else
                return line;
        symbol->status = SYMBOL_NAMED;
        return line;
}

/* Of samples of other events: "". */
static str_id source_name(struct builder *b, uint32_t source)
{
        AUTO_RELEASE(buf) name = {0};

        if (!source)
                return 0;
        spe_raw_add_source(&name, source);
        return strpool_add_len(b->hot->names, name.data, name.len);
}

static str_id state_name(struct builder *b, uint32_t source)
{
        const char *word = b->state_word(source - 1);

        return strpool_add_len(b->hot->names, word, strlen(word));
}

/* The row with these parts; adds it if there is none yet. */
static size_t add_row(struct builder *b, const struct row_parts *parts, const struct symbol *symbol)
{
        struct hot_row row = {
                .event = parts->event,
                .pid = parts->pid,
                .tid = parts->tid,
                .cpu = parts->cpu,
                .line = parts->line,
                .file = parts->file,
                .package = parts->package,
                .machine = parts->machine,
                .is_native = parts->is_native,
                .resolved = symbol->status == SYMBOL_NAMED,
                .has_addr = parts->has_addr,
                .addr = parts->has_addr ? parts->at : 0,
        };

        if (b->keys & PROFILE_COMM)
                row.comm = strpool_add(b->hot->names, world_text(b->world, parts->comm));
        if (b->keys & PROFILE_THREAD)
                row.thread = strpool_add(b->hot->names, world_text(b->world, parts->thread));
        if (b->keys & PROFILE_PROCESS)
                row.process = strpool_add(b->hot->names, world_text(b->world, parts->process));
        if (b->keys & PROFILE_STATE)
                row.source = state_name(b, parts->source);
        else if (b->keys & PROFILE_SOURCE)
                row.source = source_name(b, parts->source);
        if (b->makes_functions || b->keys & (PROFILE_MODULE | PROFILE_ADDR))
                row.module = place_names_module(&b->names, parts->module, symbol);
        if (!b->makes_functions)
                return find_or_add_row(b, &row);
        /* Until all functions are known, this is the function's number + 1; name_rows merges rows that turn
         * out to be the same. */
        row.bare = function_names_add(b->functions, row.module, symbol) + 1;
        return push_row(b->hot, &row);
}

static size_t row_of_parts(struct builder *b, const struct row_parts *parts, const struct symbol *symbol)
{
        for (uint64_t hash = map_hash_bytes(parts, sizeof(*parts));; hash++) {
                uint64_t *at = map_put(&b->known_of, hash, NULL);

                if (!*at) {
                        struct known_row known = {*parts, add_row(b, parts, symbol)};

                        ARRAY_PUSH(b->known, b->n_known, b->cap_known, known);
                        *at = b->n_known;
                        return known.row;
                }
                if (!memcmp(&b->known[*at - 1].parts, parts, sizeof(*parts)))
                        return b->known[*at - 1].row;
        }
}

/* For a sample without Python frames the row only has its process, thread and CPU. */
static void leave_native(struct row_parts *parts, struct symbol *symbol)
{
        *parts = (struct row_parts){
                .event = parts->event,
                .pid = parts->pid,
                .tid = parts->tid,
                .cpu = parts->cpu,
                .comm = parts->comm,
                .process = parts->process,
                .thread = parts->thread,
                .source = parts->source,
                .module = MODULE_NONE,
                .is_native = true,
        };
        *symbol = (struct symbol){.status = SYMBOL_NONE};
}

static void add_place(struct builder *b, size_t place_index)
{
        const struct profile_place *place = profile_get_place(b->profile, place_index);
        struct symbol symbol = place_names_symbol(&b->names, place->module, place->offset);
        struct row_parts parts = {
                .event = place->event,
                .pid = place->pid,
                .tid = place->tid,
                .cpu = place->cpu,
                .comm = place->comm,
                .process = place->process,
                .thread = place->thread,
                .source = place->source,
                .module = place->module,
        };
        size_t index;

        parts.line = take_frame(b, place_index, &symbol);
        name_file(b, place_index, &parts);
        parts.status = (uint8_t)symbol.status;
        parts.of_function = symbol.module;
        if (symbol.status == SYMBOL_NAMED)
                parts.function = symbol.name;
        if (symbol.status == SYMBOL_RANGE)
                parts.at = symbol.start;
        if (b->keys & PROFILE_ADDR) {
                /* The row without a module and with offset 0 is for all samples for which there was no
                 * memory. */
                parts.has_addr = place->module != MODULE_NONE || place->offset;
                parts.at = symbol.addr;
        }
        if (b->keys & PROFILE_MACHINE && b->names.modules->machine)
                parts.machine =
                        (uint8_t)b->names.modules->machine(b->names.modules->ctx, place->module, symbol.addr);
        if (symbol.status != SYMBOL_NAMED) {
                b->hot->n_unresolved += place->count;
                *map_put(&b->hot->unresolved_in, place->module, NULL) += place->count;
        }
        if (b->keys & PROFILE_PYTHON && !place_python_is(b->names.modules, place->module))
                leave_native(&parts, &symbol);
        index = row_of_parts(b, &parts, &symbol);
        b->hot->rows[index].count += place->count;
        b->hot->rows[index].weight += place->weight;
        ARRAY_PUSH(b->hot->pcs, b->hot->n_pcs, b->hot->cap_pcs,
                   (struct hot_pc){place->event, (uint32_t)index, (uint32_t)place_index, place->module,
                                   symbol.addr, place->count, place->weight});
}

static void name_row(struct builder *b, struct hot_row *row)
{
        uint32_t number = row->bare - 1;

        row->bare = function_names_get(b->functions, number);
        row->brief = function_names_short(b->functions, number);
        row->is_in_several = function_names_is_in_several(b->functions, number);
        row->symbol = shown_name(b, row->bare, row->module);
}

/* False: the row's function does not match.  If rows have no functions, the name is removed again. */
static bool keep_row(const struct builder *b, struct hot_row *row)
{
        if (b->symbol && !hot_row_matches(b->hot, row, b->symbol))
                return false;
        if (b->keys & PROFILE_SYMBOL)
                return true;
        row->symbol = row->bare = row->brief = 0;
        row->is_in_several = false;
        if (!(b->keys & (PROFILE_MODULE | PROFILE_ADDR)))
                row->module = 0;
        return true;
}

/* `new_index` has the new index of each row, or NO_ROW. */
static void move_pcs(struct hot *hot, const uint32_t *new_index)
{
        size_t n = 0;

        for (size_t i = 0; i < hot->n_pcs; i++) {
                struct hot_pc pc = hot->pcs[i];

                pc.row = new_index[pc.row];
                if (pc.row != NO_ROW)
                        hot->pcs[n++] = pc;
        }
        hot->n_pcs = n;
}

/* Gives rows their names; several numbers of functions may have the same name. */
static void name_rows(struct builder *b)
{
        struct hot *hot = b->hot;
        size_t n = hot->n_rows;
        uint32_t *new_index = mem_new(n, sizeof(*new_index));

        function_names_finish(b->functions);
        hot->n_rows = 0; /* rows are added again, at the same index or before it */
        for (size_t i = 0; i < n; i++) {
                struct hot_row row = hot->rows[i];
                uint64_t count = row.count, weight = row.weight;

                name_row(b, &row);
                new_index[i] = NO_ROW;
                if (!keep_row(b, &row))
                        continue;
                row.count = row.weight = 0;
                new_index[i] = (uint32_t)find_or_add_row(b, &row);
                hot->rows[new_index[i]].count += count;
                hot->rows[new_index[i]].weight += weight;
        }
        move_pcs(hot, new_index);
        free(new_index);
}

/* A row with its sort keys, so that qsort can be used. */
struct sortable {
        struct hot_row row;
        const char *names[5], *tasks[4]; /* in the order of their weight; the address is between both */
        uint32_t old_index;
};

static int compare_numbers(int64_t a, int64_t b)
{
        return (a > b) - (a < b);
}

static int compare_texts(const char *const *a, const char *const *b, size_t n)
{
        int order = 0;

        for (size_t i = 0; i < n && !order; i++)
                order = strcmp(a[i], b[i]);
        return order;
}

static int compare_rows(const void *x, const void *y)
{
        const struct sortable *a = x, *b = y;
        int order = compare_numbers(a->row.event, b->row.event);

        if (!order && a->row.weight != b->row.weight)
                return a->row.weight > b->row.weight ? -1 : 1;
        if (!order && a->row.count != b->row.count)
                return a->row.count > b->row.count ? -1 : 1;
        if (!order)
                order = compare_texts(a->names, b->names, N_ELEMENTS(a->names));
        if (!order && a->row.addr != b->row.addr)
                return a->row.addr < b->row.addr ? -1 : 1;
        if (!order)
                order = compare_texts(a->tasks, b->tasks, N_ELEMENTS(a->tasks));
        if (!order)
                order = compare_numbers(a->row.pid, b->row.pid);
        if (!order)
                order = compare_numbers(a->row.tid, b->row.tid);
        if (!order)
                order = compare_numbers(a->row.machine, b->row.machine);
        return order ? order : compare_numbers(a->row.cpu, b->row.cpu);
}

/* Within one row. */
static int compare_pcs(const void *x, const void *y)
{
        const struct hot_pc *a = x, *b = y;

        if (a->count != b->count)
                return a->count > b->count ? -1 : 1;
        return (a->addr > b->addr) - (a->addr < b->addr);
}

/* Sorts by row first, by counting, because rows are few. */
static void sort_pcs(struct hot *hot)
{
        struct hot_pc *sorted = mem_new(hot->n_pcs, sizeof(*sorted));
        size_t *ends = mem_new(hot->n_rows + 1, sizeof(*ends)), first = 0;

        for (size_t i = 0; i < hot->n_pcs; i++)
                ends[hot->pcs[i].row + 1]++;
        for (size_t row = 0; row < hot->n_rows; row++)
                ends[row + 1] += ends[row];
        for (size_t i = 0; i < hot->n_pcs; i++)
                sorted[ends[hot->pcs[i].row]++] = hot->pcs[i];
        for (size_t row = 0; row < hot->n_rows; first = ends[row++])
                qsort(sorted + first, ends[row] - first, sizeof(*sorted), compare_pcs);
        free(ends);
        free(hot->pcs);
        hot->pcs = sorted;
        hot->cap_pcs = hot->n_pcs;
}

/* Sorts rows and updates the row index of each address. */
static void sort_rows(struct hot *hot)
{
        struct sortable *order = mem_new(hot->n_rows, sizeof(*order));
        uint32_t *new_index = mem_new(hot->n_rows, sizeof(*new_index));

        for (size_t i = 0; i < hot->n_rows; i++) {
                const struct hot_row *row = &hot->rows[i];

                order[i] =
                        (struct sortable){.row = *row,
                                          .names = {hot_text(hot, row->symbol), hot_text(hot, row->module),
                                                    hot_text(hot, row->line), hot_text(hot, row->file),
                                                    hot_text(hot, row->package)},
                                          .tasks = {hot_text(hot, row->source), hot_text(hot, row->process),
                                                    hot_text(hot, row->comm), hot_text(hot, row->thread)},
                                          .old_index = (uint32_t)i};
        }
        qsort(order, hot->n_rows, sizeof(*order), compare_rows);
        for (size_t i = 0; i < hot->n_rows; i++) {
                hot->rows[i] = order[i].row;
                new_index[order[i].old_index] = (uint32_t)i;
        }
        for (size_t i = 0; i < hot->n_pcs; i++)
                hot->pcs[i].row = new_index[hot->pcs[i].row];
        sort_pcs(hot);
        free(order);
        free(new_index);
}

static void set_shares(struct hot *hot, const struct profile *profile)
{
        for (size_t i = 0; i < hot->n_rows; i++) {
                struct hot_row *row = &hot->rows[i];
                struct profile_totals totals = profile_get_totals(profile, row->event);

                row->share = totals.weight ? (double)row->weight / (double)totals.weight : 0;
                hot_interval(row->share, (double)totals.n_samples, &row->low, &row->high);
        }
}

struct place_frames *hot_place_frames(const struct profile *profile, struct resolver *resolver,
                                      const struct place_modules *modules)
{
        size_t n = profile_n_places(profile);
        struct place_at *places = mem_new(n, sizeof(*places));
        struct place_frames *frames;

        for (size_t i = 0; i < n; i++) {
                const struct profile_place *place = profile_get_place(profile, i);

                places[i] = (struct place_at){place->module, place->offset};
        }
        frames = place_frames_new(places, n, resolver, modules);
        free(places);
        return frames;
}

struct hot *hot_new(const struct hot_request *request)
{
        const struct profile *profile = request->profile;
        const struct place_modules *modules = request->modules;
        struct hot *hot = mem_new(1, sizeof(*hot));
        struct builder b = {
                .hot = hot,
                .profile = profile,
                .keys = request->keys,
                .world = request->world,
                .symbol = request->symbol,
                .makes_functions = request->keys & PROFILE_SYMBOL || request->symbol,
                .names = {.resolver = request->resolver, .modules = modules},
                .inlines = request->inlines,
                .state_word = request->state_word,
        };

        hot->names = strpool_new();
        b.names.texts = hot->names;
        hot->single_image = find_single_image(&b);
        b.functions = function_names_new(&b.names, request->arguments);
        if (b.inlines || (b.keys & (PROFILE_LINE | PROFILE_FILE | PROFILE_PACKAGE)))
                b.frames = hot_place_frames(profile, request->resolver, modules);
        for (size_t i = 0; i < profile_n_places(profile); i++)
                add_place(&b, i);
        place_frames_free(b.frames);
        if (b.makes_functions)
                name_rows(&b);
        sort_rows(hot);
        set_shares(hot, profile);
        function_names_free(b.functions);
        place_names_release(&b.names);
        map_release(&b.row_of);
        map_release(&b.known_of);
        free(b.known);
        return hot;
}

size_t hot_n_rows(const struct hot *hot)
{
        return hot->n_rows;
}

const struct hot_row *hot_get_row(const struct hot *hot, size_t index)
{
        assert(index < hot->n_rows);
        return &hot->rows[index];
}

size_t hot_n_pcs(const struct hot *hot)
{
        return hot->n_pcs;
}

const struct hot_pc *hot_get_pc(const struct hot *hot, size_t index)
{
        assert(index < hot->n_pcs);
        return &hot->pcs[index];
}

static size_t first_of(const struct hot *hot, size_t row)
{
        size_t low = 0, high = hot->n_pcs;

        SEARCH_FIRST(low, high, middle, hot->pcs[middle].row < row);
        return low;
}

size_t hot_pcs_of_row(const struct hot *hot, size_t row, size_t *ret_n)
{
        size_t first = first_of(hot, row);

        assert(row < hot->n_rows);
        *ret_n = first_of(hot, row + 1) - first;
        return first;
}

const char *hot_text(const struct hot *hot, str_id id)
{
        return strpool_get(hot->names, id);
}

bool hot_row_matches(const struct hot *hot, const struct hot_row *row, const char *pattern)
{
        return text_match_symbol(pattern, hot_text(hot, row->bare)) ||
               text_match_symbol(pattern, hot_text(hot, row->brief));
}

uint64_t hot_n_unresolved(const struct hot *hot)
{
        return hot->n_unresolved;
}

struct most_unresolved {
        module_id module;
        uint64_t n;
};

static void take_most_unresolved(void *ctx, uint64_t module, uint64_t *n)
{
        struct most_unresolved *most = ctx;

        if (*n > most->n || (*n == most->n && module < most->module))
                *most = (struct most_unresolved){(module_id)module, *n};
}

module_id hot_most_unresolved(const struct hot *hot, uint64_t *ret_n)
{
        struct most_unresolved most = {.module = MODULE_NONE};

        map_each(&hot->unresolved_in, take_most_unresolved, &most);
        *ret_n = most.n;
        return most.module;
}
