/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of WindowsPerf: line_number, hits, filename, instruction_address and disassembled_line.  Its
 * tables and its JSON are made from the same entries. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_view_internal.h"
#include "buf.h"
#include "mem.h"
#include "table.h"
#include "text_printable.h"

enum { NEIGHBOURS_MAX = 64 }; /* on each side, because one line of generated code can be a whole function */

/* A sampled line.  With code, each sampled address of the line is an entry of its own. */
struct json_entry {
        const char *path; /* NULL: not known */
        uint32_t line;
        const char *function; /* the function that was inlined there; NULL: none */
        uint64_t addr;
        uint64_t count, weight;
        size_t first, last; /* neighbouring points of the same line */
};

struct entries {
        struct json_entry *list;
        size_t n, cap;
};

/* Whether both points have the same known line.  A point without a line has no neighbours. */
static bool same_source(const struct annotate_view *view, const struct annotate_source *a, size_t index)
{
        const struct annotate_source b = annotate_view_source_of(view, annotate_view_point(view, index));

        return a->path && b.path && a->line && a->line == b.line && !strcmp(a->path, b.path);
}

/* Finds the neighbours of a point on the same line: windowsperf shows these for an address. */
static void find_neighbours(const struct annotate_view *view, size_t index, struct json_entry *entry)
{
        const struct annotate_source source = annotate_view_source_of(view, annotate_view_point(view, index));

        entry->first = entry->last = index;
        while (entry->first && index - entry->first < NEIGHBOURS_MAX &&
               same_source(view, &source, entry->first - 1))
                entry->first--;
        while (entry->last + 1 < annotate_view_n_points(view) && entry->last - index < NEIGHBOURS_MAX &&
               same_source(view, &source, entry->last + 1))
                entry->last++;
}

static struct json_entry make_entry(const struct annotate_view *view, size_t index)
{
        const struct annotate_point *point = annotate_view_point(view, index);
        const struct annotate_source source = annotate_view_source_of(view, point);
        struct json_entry entry = {
                .path = source.path,
                .line = source.line,
                .function = source.inlined && *source.inlined ? source.inlined : NULL,
                .addr = point->addr,
                .count = point->count,
                .weight = point->weight,
        };

        find_neighbours(view, index, &entry);
        return entry;
}

static int compare_text(const char *a, const char *b)
{
        return strcmp(a ? a : "", b ? b : "");
}

static int compare_source(const struct json_entry *a, const struct json_entry *b)
{
        int order = compare_text(a->path, b->path);

        if (!order && a->line != b->line)
                order = a->line < b->line ? -1 : 1;
        return order ? order : compare_text(a->function, b->function);
}

static int by_source(const void *x, const void *y)
{
        const struct json_entry *a = x, *b = y;
        int order = compare_source(a, b);

        return order ? order : (a->addr > b->addr) - (a->addr < b->addr);
}

static int by_weight(const void *x, const void *y)
{
        const struct json_entry *a = x, *b = y;

        if (a->weight != b->weight)
                return a->weight > b->weight ? -1 : 1;
        return by_source(x, y);
}

static void merge_lines(struct entries *e)
{
        size_t n = 0;

        for (size_t i = 0; i < e->n; i++) {
                if (n && !compare_source(&e->list[n - 1], &e->list[i])) {
                        e->list[n - 1].count += e->list[i].count;
                        e->list[n - 1].weight += e->list[i].weight;
                } else {
                        e->list[n++] = e->list[i];
                }
        }
        e->n = n;
}

static struct entries list_entries(const struct annotate_view *view, bool by_address)
{
        struct entries e = {0};

        for (size_t i = 0; i < annotate_view_n_points(view); i++) {
                if (annotate_view_point(view, i)->count)
                        ARRAY_PUSH(e.list, e.n, e.cap, make_entry(view, i));
        }
        if (!e.n)
                return e;
        qsort(e.list, e.n, sizeof(*e.list), by_source);
        if (!by_address)
                merge_lines(&e);
        qsort(e.list, e.n, sizeof(*e.list), by_weight);
        return e;
}

/* --- Tables --- */

static const struct column code_columns[] = {
        {.name = "address", .type = COLUMN_HEX},
        {.name = "instruction", .can_cut = true},
};

static struct table *make_code(const struct annotate_view *view, const struct json_entry *entry)
{
        struct table *table = table_new(code_columns, N_ELEMENTS(code_columns));

        for (size_t i = entry->first; i <= entry->last; i++) {
                const struct annotate_point *point = annotate_view_point(view, i);

                table_add_u64(table, point->addr);
                table_add_text(table, point->insn ? point->insn->text : "");
        }
        return table;
}

static void add_code(const struct annotate_view *view, const struct json_entry *entry, struct buf *out)
{
        AUTO(table) table = make_code(view, entry);

        buf_printf(out, "        %" PRIu32 " ", entry->line);
        text_add_printable(out, entry->path ? entry->path : "unknown");
        buf_printf(out, ": instruction_address 0x%" PRIx64 ", hits %" PRIu64 "\n", entry->addr, entry->count);
        table_render_text(table, view->max_columns, out);
}

void annotate_view_windowsperf(const struct annotate_view *view, bool disassemble, struct buf *out)
{
        static const struct column columns[] = {
                {.name = "line_number", .type = COLUMN_U64},
                {.name = "hits", .type = COLUMN_U64},
                {.name = "filename", .can_cut = true},
        };
        AUTO(table) table = table_new(columns, N_ELEMENTS(columns));
        struct entries lines = list_entries(view, false);

        for (size_t i = 0; i < lines.n; i++) {
                AUTO_RELEASE(buf) name = {0};

                table_add_u64(table, lines.list[i].line);
                table_add_u64(table, lines.list[i].count);
                text_add_printable(&name, lines.list[i].path ? lines.list[i].path : "unknown");
                table_add_text(table, buf_text(&name));
        }
        text_add_printable(out, view->function);
        buf_add_char(out, '\n');
        table_render_text(table, view->max_columns, out);
        free(lines.list);
        if (!disassemble)
                return;
        lines = list_entries(view, true);
        for (size_t i = 0; i < lines.n; i++)
                add_code(view, &lines.list[i], out);
        free(lines.list);
}

/* --- JSON --- */

static void add_latency(const struct access_row *access, struct json *json)
{
        json_key_u64(json, "latency_p50_cycles", access->p50);
        json_key_u64(json, "latency_p90_cycles", access->p90);
        json_key_u64(json, "latency_p99_cycles", access->p99);
}

static void add_json_code(const struct annotate_view *view, const struct json_entry *entry, bool disassemble,
                          struct json *json)
{
        AUTO_RELEASE(buf) address = {0};

        buf_printf(&address, "%" PRIx64, entry->addr);
        json_key_str(json, "instruction_address", buf_text(&address));
        json_key(json, "disassembled_line");
        json_begin_object(json);
        json_key(json, "disassemble");
        json_begin_array(json);
        for (size_t i = entry->first; disassemble && i <= entry->last; i++) {
                const struct annotate_point *point = annotate_view_point(view, i);

                buf_clear(&address);
                buf_printf(&address, "%" PRIx64, point->addr);
                json_begin_object(json);
                json_key_str(json, "address", buf_text(&address));
                json_key_str(json, "instruction", point->insn ? point->insn->text : "");
                if (view->is_extended)
                        json_key_u64(json, "hits", point->count);
                if (view->is_extended && point->access && point->access->n_timed)
                        add_latency(point->access, json);
                json_end_object(json);
        }
        json_end_array(json);
        json_end_object(json);
}

static void add_json_extras(const struct annotate_view *view, const struct json_entry *entry,
                            struct json *json)
{
        const char *source = annotate_texts_line(&view->texts, entry->path, entry->line);

        json_key(json, "share_of_function");
        json_fixed(json, annotate_view_share(view, entry->weight), 2);
        json_key(json, "share_of_all");
        json_fixed(json, annotate_view_share_of_all(view, entry->weight), 2);
        if (entry->function)
                json_key_str(json, "inlined_function", entry->function);
        if (source)
                json_key_str(json, "source", source);
}

/* Schemas of WindowsPerf's documents require every one of these keys, and allow no other. */
static void add_json_entry(const struct annotate_view *view, const struct json_entry *entry, bool disassemble,
                           struct json *json)
{
        json_begin_object(json);
        json_key_u64(json, "line_number", entry->line);
        json_key_u64(json, "hits", entry->count);
        json_key_str(json, "filename", entry->path ? entry->path : "");
        if (view->is_extended)
                add_json_extras(view, entry, json);
        add_json_code(view, entry, disassemble, json);
        json_end_object(json);
}

void annotate_view_json(const struct annotate_view *view, bool disassemble, struct json *json)
{
        struct entries entries = list_entries(view, disassemble);

        json_key_str(json, "function_name", view->function);
        json_key(json, "source_code");
        json_begin_array(json);
        /* Editors open the file of each entry, and mark its line. */
        for (size_t i = 0; i < entries.n; i++) {
                if (view->is_extended || (entries.list[i].path && entries.list[i].line))
                        add_json_entry(view, &entries.list[i], disassemble, json);
        }
        json_end_array(json);
        free(entries.list);
}
