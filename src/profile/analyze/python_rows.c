/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_rows.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "place_python.h"
#include "stacks.h"
#include "stacks_python.h"

/* A looked-up place; function 0: it is not a Python place. */
struct known_place {
        bool is_known;
        str_id function; /* id of the resolver */
        uint32_t line;
        str_id path; /* id of the resolver */
        str_id name; /* id in `texts` */
};

struct node_sum {
        uint64_t self_count, self_weight, count, weight;
        uint32_t outer; /* the next Python node towards the root */
};

struct row_making {
        const struct stacks *stacks;
        struct python_rows *rows;
        struct place_names names;
        struct known_place *places;
        struct node_sum *sums;  /* for the nodes of the event */
        struct map by_function; /* event << 32 | name -> index + 1 */
        uint32_t event;
};

static const struct known_place *get_place(struct row_making *m, uint32_t node)
{
        uint32_t index = stacks_get_node(m->stacks, node)->place;
        struct known_place *known = &m->places[index];
        struct place_python python;

        if (known->is_known)
                return known;
        known->is_known = true;
        if (place_python_find(&m->names, stacks_get_place(m->stacks, index), &python)) {
                known->function = python.function;
                known->line = python.line;
                known->path = python.path;
                known->name = python.name;
        }
        return known;
}

static struct python_function *get_function(struct row_making *m, const struct known_place *place)
{
        uint64_t *known = map_put(&m->by_function, (uint64_t)m->event << 32 | place->function, NULL);
        struct strpool *texts = m->rows->texts;
        AUTO_RELEASE(buf) label = {0};

        if (*known)
                return &m->rows->items[*known - 1];
        resolver_add_arguments(m->names.resolver, place->function, &label);
        ARRAY_PUSH(m->rows->items, m->rows->n, m->rows->cap,
                   (struct python_function){
                           .event = m->event,
                           .name = strpool_get(texts, place->name),
                           .label = strpool_get(texts, strpool_add(texts, buf_text(&label))),
                           .path = strpool_get(
                                   texts, strpool_add(texts, resolver_text(m->names.resolver, place->path))),
                   });
        *known = m->rows->n;
        return &m->rows->items[m->rows->n - 1];
}

static struct python_line *get_line(struct python_function *function, uint32_t line)
{
        for (size_t i = 0; i < function->n_lines; i++) {
                if (function->lines[i].line == line)
                        return &function->lines[i];
        }
        ARRAY_PUSH(function->lines, function->n_lines, function->cap_lines,
                   (struct python_line){.line = line});
        return &function->lines[function->n_lines - 1];
}

/* Texts are from one pool, so equal texts have equal pointers. */
static void add_native(struct row_making *m, uint32_t node, struct python_line *line,
                       const struct node_sum *sum)
{
        const struct code_place *place = stacks_place_of(m->stacks, node);
        struct symbol symbol = place_names_symbol(&m->names, place->module, place->offset);
        struct python_native native = {
                .function = strpool_get(m->rows->texts, place_names_function(&m->names, &symbol)),
                .module = strpool_get(m->rows->texts, place_names_module(&m->names, place->module, &symbol)),
        };
        size_t i = 0;

        while (i < line->n_natives &&
               (line->natives[i].function != native.function || line->natives[i].module != native.module))
                i++;
        if (i == line->n_natives)
                ARRAY_PUSH(line->natives, line->n_natives, line->cap_natives, native);
        line->natives[i].count += sum->self_count;
        line->natives[i].weight += sum->self_weight;
}

static bool is_in_itself(struct row_making *m, uint32_t node, str_id function)
{
        for (node = m->sums[node].outer; node != STACKS_NONE; node = m->sums[node].outer) {
                if (get_place(m, node)->function == function)
                        return true;
        }
        return false;
}

/* Whether a caller is at the same line of the function, or of the file: a comprehension may be a function of
 * its own. */
static void find_in_line(struct row_making *m, uint32_t node, const struct known_place *place,
                         bool *ret_of_function, bool *ret_of_file)
{
        *ret_of_function = *ret_of_file = false;
        for (node = m->sums[node].outer; node != STACKS_NONE; node = m->sums[node].outer) {
                const struct known_place *outer = get_place(m, node);

                if (outer->line != place->line || outer->path != place->path)
                        continue;
                *ret_of_file = true;
                *ret_of_function |= outer->function == place->function;
        }
}

static void count_total(struct row_making *m, uint32_t node, const struct known_place *place)
{
        const struct node_sum *sum = &m->sums[node];
        struct python_function *function = get_function(m, place);
        struct python_line *line;
        bool is_again, is_again_in_file;

        if (!is_in_itself(m, node, place->function)) {
                function->count += sum->count;
                function->weight += sum->weight;
        }
        find_in_line(m, node, place, &is_again, &is_again_in_file);
        if (is_again)
                return;
        line = get_line(function, place->line);
        line->total_count += sum->count;
        line->total_weight += sum->weight;
        line->file_count += is_again_in_file ? 0 : sum->count;
        line->file_weight += is_again_in_file ? 0 : sum->weight;
}

static void count_node(struct row_making *m, uint32_t node)
{
        struct node_sum *sum = &m->sums[node];
        const struct known_place *place = get_place(m, node);
        uint32_t parent = stacks_get_node(m->stacks, node)->parent, inner;
        struct python_function *function;
        struct python_line *line;

        sum->outer = parent == STACKS_NONE            ? STACKS_NONE
                     : get_place(m, parent)->function ? parent
                                                      : m->sums[parent].outer;
        if (!sum->count)
                return;
        if (place->function)
                count_total(m, node, place);
        inner = place->function ? node : sum->outer;
        if (!sum->self_count || inner == STACKS_NONE)
                return;
        function = get_function(m, get_place(m, inner));
        function->self_count += sum->self_count;
        function->self_weight += sum->self_weight;
        line = get_line(function, get_place(m, inner)->line);
        line->count += sum->self_count;
        line->weight += sum->self_weight;
        if (inner != node)
                add_native(m, node, line, sum);
}

/* Callers come before their callees. */
static void count_event(struct row_making *m)
{
        size_t n = stacks_n_nodes(m->stacks);

        memset(m->sums, 0, n * sizeof(*m->sums));
        for (size_t i = 0; i < stacks_n_series(m->stacks); i++) {
                const struct stack_series *series = stacks_get_series(m->stacks, i);

                for (size_t k = 0; series->event == m->event && k < series->n_ends; k++) {
                        struct node_sum *sum = &m->sums[series->ends[k].node];

                        sum->self_count += series->ends[k].count;
                        sum->self_weight += series->ends[k].weight;
                }
        }
        for (uint32_t i = (uint32_t)n; i-- > 0;) {
                uint32_t parent = stacks_get_node(m->stacks, i)->parent;

                m->sums[i].count += m->sums[i].self_count;
                m->sums[i].weight += m->sums[i].self_weight;
                if (parent == STACKS_NONE)
                        continue;
                m->sums[parent].count += m->sums[i].count;
                m->sums[parent].weight += m->sums[i].weight;
        }
        for (uint32_t i = 0; i < n; i++)
                count_node(m, i);
}

/* --- Sorting --- */

static int compare_down(uint64_t a, uint64_t b)
{
        return (a < b) - (a > b);
}

static int compare_natives(const void *x, const void *y)
{
        const struct python_native *a = x, *b = y;
        int order = compare_down(a->weight, b->weight);

        if (!order)
                order = strcmp(a->function, b->function);
        return order ? order : strcmp(a->module, b->module);
}

static int compare_lines(const void *x, const void *y)
{
        const struct python_line *a = x, *b = y;

        return (a->line > b->line) - (a->line < b->line);
}

static int compare_functions(const void *x, const void *y)
{
        const struct python_function *a = x, *b = y;
        int order = compare_down(b->event, a->event);

        if (!order)
                order = compare_down(a->self_weight, b->self_weight);
        if (!order)
                order = compare_down(a->weight, b->weight);
        if (!order)
                order = strcmp(a->label, b->label);
        return order ? order : strcmp(a->path, b->path);
}

static void sort_rows(struct python_rows *rows)
{
        for (size_t i = 0; i < rows->n; i++) {
                struct python_function *function = &rows->items[i];

                for (size_t k = 0; k < function->n_lines; k++)
                        if (function->lines[k].n_natives)
                                qsort(function->lines[k].natives, function->lines[k].n_natives,
                                      sizeof(*function->lines[k].natives), compare_natives);
                if (function->n_lines)
                        qsort(function->lines, function->n_lines, sizeof(*function->lines), compare_lines);
        }
        if (rows->n)
                qsort(rows->items, rows->n, sizeof(*rows->items), compare_functions);
}

struct python_rows *python_rows_new(const struct stacks *stacks, const struct stacks_python_request *request)
{
        struct python_rows *rows = mem_new(1, sizeof(*rows));
        struct row_making m = {
                .stacks = stacks,
                .rows = rows,
                .places = mem_new(stacks_n_places(stacks), sizeof(*m.places)),
                .sums = mem_new(stacks_n_nodes(stacks), sizeof(*m.sums)),
        };
        uint32_t n_events = 0;

        rows->texts = strpool_new();
        m.names = (struct place_names){rows->texts, request->resolver, request->modules, {0}};
        for (size_t i = 0; i < stacks_n_series(stacks); i++) {
                uint32_t event = stacks_get_series(stacks, i)->event;

                n_events = event >= n_events ? event + 1 : n_events;
        }
        for (m.event = 0; m.event < n_events; m.event++)
                count_event(&m);
        sort_rows(rows);
        place_names_release(&m.names);
        map_release(&m.by_function);
        free(m.places);
        free(m.sums);
        return rows;
}

void python_rows_free(struct python_rows *rows)
{
        if (!rows)
                return;
        for (size_t i = 0; i < rows->n; i++) {
                for (size_t k = 0; k < rows->items[i].n_lines; k++)
                        free(rows->items[i].lines[k].natives);
                free(rows->items[i].lines);
        }
        free(rows->items);
        strpool_free(rows->texts);
        free(rows);
}
