/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums up edges between addresses to edges between functions. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "branches.h"
#include "function_names.h"
#include "mem.h"
#include "place_names.h"
#include "text_match.h"

struct branch_rows {
        struct strpool *texts;
        struct branch_row *rows;
        size_t n, cap;
        bool by_target;
};

/* An end of an edge, while rows are made. */
struct named {
        uint32_t function; /* number of the function */
        str_id module;
        uint64_t addr;
};

struct branch_rows_maker {
        struct branch_rows *rows;
        const struct branch_rows_request *request;
        struct place_names names;
        struct function_names *functions;
};

static struct named name_of(struct branch_rows_maker *m, const struct branch_end *end)
{
        struct symbol symbol = place_names_symbol(&m->names, end->module, end->offset);
        str_id module = place_names_module(&m->names, end->module, &symbol);

        return (struct named){
                .function = function_names_add(m->functions, module, &symbol),
                .module = module,
                .addr = m->request->keys & PROFILE_ADDR ? symbol.addr : 0,
        };
}

/* Rows have numbers of functions until all functions are known. */
static void add_row(struct branch_rows_maker *m, const struct branch_edge *edge)
{
        struct named from = {0}, to = name_of(m, &edge->to);
        struct branch_rows *rows = m->rows;

        if (!m->request->by_target)
                from = name_of(m, &edge->from);

        ARRAY_PUSH(rows->rows, rows->n, rows->cap,
                   (struct branch_row){
                           .event = edge->event,
                           .from = from.function,
                           .from_module = from.module,
                           .from_addr = from.addr,
                           .to = to.function,
                           .to_module = to.module,
                           .to_addr = to.addr,
                           .count = edge->count,
                           .n_told = edge->n_told,
                           .n_mispredicted = edge->n_mispredicted,
                           .n_timed = edge->n_timed,
                           .cycles = edge->cycles,
                   });
}

static void name_rows(struct branch_rows_maker *m)
{
        bool wanted = m->request->keys & PROFILE_SYMBOL, wants_from = wanted && !m->request->by_target;

        function_names_finish(m->functions);
        for (size_t i = 0; i < m->rows->n; i++) {
                struct branch_row *row = &m->rows->rows[i];
                uint32_t from = row->from, to = row->to;

                row->from = wants_from ? function_names_get(m->functions, from) : 0;
                row->from_brief = wants_from ? function_names_short(m->functions, from) : 0;
                row->to = wanted ? function_names_get(m->functions, to) : 0;
                row->to_brief = wanted ? function_names_short(m->functions, to) : 0;
        }
}

static int compare_ids(const struct branch_row *a, const struct branch_row *b)
{
        const uint64_t x[] = {a->event,     a->from,      a->from_module, a->to,
                              a->to_module, a->from_addr, a->to_addr};
        const uint64_t y[] = {b->event,     b->from,      b->from_module, b->to,
                              b->to_module, b->from_addr, b->to_addr};

        for (size_t i = 0; i < N_ELEMENTS(x); i++) {
                if (x[i] != y[i])
                        return x[i] < y[i] ? -1 : 1;
        }
        return 0;
}

static int compare_for_merge(const void *a, const void *b)
{
        return compare_ids(a, b);
}

/* Merges rows with equal names, which are neighbours. */
static void merge(struct branch_rows *rows)
{
        size_t n = 0;

        for (size_t i = 0; i < rows->n; i++) {
                struct branch_row *row = &rows->rows[i];

                if (!n || compare_ids(&rows->rows[n - 1], row)) {
                        rows->rows[n++] = *row;
                        continue;
                }
                rows->rows[n - 1].count += row->count;
                rows->rows[n - 1].n_told += row->n_told;
                rows->rows[n - 1].n_mispredicted += row->n_mispredicted;
                rows->rows[n - 1].n_timed += row->n_timed;
                rows->rows[n - 1].cycles += row->cycles;
        }
        rows->n = n;
}

static void keep_mispredicted(struct branch_rows *rows)
{
        size_t n = 0;

        for (size_t i = 0; i < rows->n; i++) {
                if (rows->rows[i].n_mispredicted)
                        rows->rows[n++] = rows->rows[i];
        }
        rows->n = n;
}

static uint64_t weight_of(const struct branch_rows *rows, const struct branch_row *row)
{
        return rows->by_target ? row->n_mispredicted : row->count;
}

struct shown_branch {
        struct branch_row row;
        uint64_t weight;
        const struct strpool *texts;
};

static int compare_shown(const void *a, const void *b)
{
        const struct shown_branch *x = a, *y = b;
        const struct branch_row *p = &x->row, *q = &y->row;
        const str_id of_x[] = {p->from, p->to, p->from_module, p->to_module};
        const str_id of_y[] = {q->from, q->to, q->from_module, q->to_module};
        int by = 0;

        if (x->row.event != y->row.event)
                return x->row.event < y->row.event ? -1 : 1;
        if (x->weight != y->weight)
                return x->weight > y->weight ? -1 : 1;
        for (size_t i = 0; i < N_ELEMENTS(of_x) && !by; i++)
                by = strcmp(strpool_get(x->texts, of_x[i]), strpool_get(y->texts, of_y[i]));
        if (!by)
                by = (p->from_addr > q->from_addr) - (p->from_addr < q->from_addr);
        return by ? by : (p->to_addr > q->to_addr) - (p->to_addr < q->to_addr);
}

static void sort_for_show(struct branch_rows *rows)
{
        struct shown_branch *shown = mem_new(rows->n, sizeof(*shown));

        for (size_t i = 0; i < rows->n; i++)
                shown[i] = (struct shown_branch){rows->rows[i], weight_of(rows, &rows->rows[i]), rows->texts};
        qsort(shown, rows->n, sizeof(*shown), compare_shown);
        for (size_t i = 0; i < rows->n; i++)
                rows->rows[i] = shown[i].row;
        free(shown);
}

struct branch_rows *branch_rows_new(const struct branches *branches,
                                    const struct branch_rows_request *request)
{
        struct branch_rows *rows = mem_new(1, sizeof(*rows));
        struct branch_rows_maker m = {
                .rows = rows,
                .request = request,
                .names = {.resolver = request->resolver, .modules = request->modules},
        };

        rows->by_target = request->by_target;
        rows->texts = m.names.texts = strpool_new();
        m.functions = function_names_new(&m.names, request->arguments);
        for (size_t i = 0; i < branches_n_edges(branches); i++) {
                const struct branch_edge *edge = branches_get_edge(branches, i);

                if (!edge->is_not_taken || request->by_target)
                        add_row(&m, edge);
        }
        name_rows(&m);
        function_names_free(m.functions);
        place_names_release(&m.names);
        if (!rows->n)
                return rows;
        qsort(rows->rows, rows->n, sizeof(*rows->rows), compare_for_merge);
        merge(rows);
        if (request->by_target)
                keep_mispredicted(rows);
        sort_for_show(rows);
        return rows;
}

void branch_rows_free(struct branch_rows *rows)
{
        if (!rows)
                return;
        strpool_free(rows->texts);
        free(rows->rows);
        free(rows);
}

size_t branch_rows_n(const struct branch_rows *rows)
{
        return rows->n;
}

const struct branch_row *branch_rows_get(const struct branch_rows *rows, size_t index)
{
        assert(index < rows->n);
        return &rows->rows[index];
}

const char *branch_rows_text(const struct branch_rows *rows, str_id id)
{
        return strpool_get(rows->texts, id);
}

bool branch_row_matches(const struct branch_rows *rows, const struct branch_row *row, const char *pattern)
{
        const str_id names[] = {row->from, row->from_brief, row->to, row->to_brief};
        bool any = false;

        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                any |= text_match_symbol(pattern, strpool_get(rows->texts, names[i]));
        return any;
}

uint64_t branch_rows_count(const struct branch_rows *rows, uint32_t event)
{
        uint64_t count = 0;

        for (size_t i = 0; i < rows->n; i++)
                count += rows->rows[i].event == event ? weight_of(rows, &rows->rows[i]) : 0;
        return count;
}
