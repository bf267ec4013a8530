/* SPDX-License-Identifier: BSD-3-Clause */
/* A line is a chain of calls without a branch; the callees of its last function are below it, indented.
 * The most frequent path is marked. */
#include "tree_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "heat.h"
#include "hot_view.h"
#include "mem.h"
#include "name_text.h"
#include "table.h"
#include "text_printable.h"
#include "text_width.h"

enum {
        SHARE_COLUMNS = 8,
        STEP_COLUMNS = 2,
        MAX_INDENT_COLUMNS = 48,
        MIN_NAME_COLUMNS = 20,
        MIN_CUT_COLUMNS = 8,
        MIN_PIECE_COLUMNS = 34,
        NARROW_COLUMNS = 60, /* of a terminal on which short names are better than broken lines */
        NUMBER_COLUMNS = 28, /* of the table of functions */
};

struct tree_printer {
        const struct tree_view *view;
        struct buf *out;
        uint64_t total_count, total, min_weight;
        uint64_t n_small, n_deep; /* nodes that are left out, not counting those below them */
};

static const struct calltree_node *node_of(const struct tree_printer *p, uint32_t node)
{
        return calltree_get_node(p->view->tree, node);
}

static double percent(const struct tree_printer *p, uint64_t weight)
{
        return p->total ? 100 * (double)weight / (double)p->total : 0;
}

static bool is_deep(const struct tree_printer *p, const struct calltree_node *node)
{
        return p->view->max_depth && node->depth > p->view->max_depth;
}

static bool is_shown(const struct tree_printer *p, uint32_t at)
{
        return at != CALLTREE_NONE && node_of(p, at)->weight >= p->min_weight && !is_deep(p, node_of(p, at));
}

static uint32_t first_shown(const struct tree_printer *p, uint32_t at)
{
        uint32_t child = node_of(p, at)->first_child;

        return is_shown(p, child) ? child : CALLTREE_NONE;
}

static void count_hidden(struct tree_printer *p, uint32_t at)
{
        for (; at != CALLTREE_NONE; at = node_of(p, at)->next) {
                if (is_deep(p, node_of(p, at)))
                        p->n_deep++;
                else
                        p->n_small++;
        }
}

/* Children are sorted by weight, so the shown ones come first. */
static uint32_t next_shown(struct tree_printer *p, uint32_t at)
{
        uint32_t next = node_of(p, at)->next;

        if (is_shown(p, next))
                return next;
        count_hidden(p, next);
        return CALLTREE_NONE;
}

/* The only child that is shown; none if there are several, or if the node itself has enough samples. */
static uint32_t only_child(const struct tree_printer *p, uint32_t at)
{
        const struct calltree_node *node = node_of(p, at);
        uint32_t child = first_shown(p, at);

        if (child == CALLTREE_NONE || is_shown(p, node_of(p, child)->next) ||
            (node->self_weight && node->self_weight >= p->min_weight))
                return CALLTREE_NONE;
        return child;
}

static const struct calltree_function *function_of(const struct tree_printer *p, uint32_t at)
{
        return calltree_get_function(p->view->tree, node_of(p, at)->function);
}

/* " (inlined) [libm.so.6]" */
static void add_origin(const struct calltree_function *f, bool with_module, struct buf *out)
{
        /* The kernel's modules already have brackets. */
        bool has_brackets = *f->module == '[';

        if (f->is_inlined)
                buf_add_str(out, " (inlined)");
        if (!with_module || !*f->module || f->is_python)
                return;
        buf_add_str(out, has_brackets ? " " : " [");
        text_add_printable(out, f->module);
        buf_add_str(out, has_brackets ? "" : "]");
}

void tree_view_add_name(const struct calltree_function *f, bool with_module, bool is_long, size_t max,
                        struct buf *out)
{
        AUTO_RELEASE(buf) origin = {0};
        size_t width;

        add_origin(f, with_module, &origin);
        width = text_width(buf_text(&origin));
        if (is_long)
                text_add_printable(out, f->name);
        else
                name_text_add(out, f->name, NULL, max > width + MIN_CUT_COLUMNS ? max - width : max);
        if (!max || is_long || max > width + MIN_CUT_COLUMNS)
                buf_add(out, origin.data, origin.len);
}

/* Continues on a new line at the end of the terminal's line. */
static void add_piece(const struct tree_printer *p, const char *piece, size_t indent, size_t *column)
{
        size_t width = text_width(piece), max = p->view->max_columns;
        size_t least = max < NARROW_COLUMNS ? MIN_CUT_COLUMNS : MIN_NAME_COLUMNS;

        if (max && *column > indent && *column + width > max) {
                buf_printf(p->out, "\n%*s", (int)indent, "");
                *column = indent;
        }
        if (max && !p->view->long_names && *column + width > max && max > *column + least) {
                table_add_cut(p->out, piece, max - *column);
                *column = max;
                return;
        }
        buf_add_str(p->out, piece);
        *column += width;
}

static void color_share(const struct tree_printer *p, size_t from, uint64_t weight)
{
        if (p->view->is_colored)
                heat_color(p->out, from, SHARE_COLUMNS, percent(p, weight));
}

static size_t add_shares(const struct tree_printer *p, uint32_t first, uint32_t last, bool is_hot,
                         unsigned depth)
{
        size_t before = p->out->len, indent = (size_t)depth * STEP_COLUMNS, columns;

        buf_printf(p->out, "%8.2f", percent(p, node_of(p, first)->weight));
        if (!p->view->is_inverted)
                buf_printf(p->out, " %8.2f", percent(p, node_of(p, last)->self_weight));
        buf_printf(p->out, " %c ", is_hot ? '*' : ' ');
        if (indent > MAX_INDENT_COLUMNS)
                buf_printf(p->out, "%*s+%zu ", MAX_INDENT_COLUMNS, "",
                           (indent - MAX_INDENT_COLUMNS) / STEP_COLUMNS);
        else
                buf_printf(p->out, "%*s", (int)indent, "");
        columns = p->out->len - before;
        if (!p->view->is_inverted)
                color_share(p, before + SHARE_COLUMNS + 1, node_of(p, last)->self_weight);
        color_share(p, before, node_of(p, first)->weight);
        return columns;
}

/* Columns left for a name and its module between an arrow and "(12 times)"; 0: no limit. */
static size_t name_columns(const struct tree_printer *p, size_t indent, bool is_repeated)
{
        size_t others = indent + strlen("> ") + 1 + (is_repeated ? strlen(" (1000 times)") : 0);

        if (!p->view->max_columns)
                return 0;
        /* Lines with a large indent may exceed the terminal's width. */
        return p->view->max_columns > others + MIN_PIECE_COLUMNS ? p->view->max_columns - others
                                                                 : MIN_PIECE_COLUMNS;
}

/* Returns the last node of the chain. */
static uint32_t add_chain(struct tree_printer *p, uint32_t first, bool is_hot, unsigned depth,
                          const char *module)
{
        const char *arrow = p->view->is_inverted ? "< " : "> ";
        AUTO_RELEASE(buf) piece = {0};
        size_t indent, column;
        uint32_t last = first, next, n_same;

        while ((next = only_child(p, last)) != CALLTREE_NONE) {
                count_hidden(p, node_of(p, next)->next);
                last = next;
        }
        indent = column = add_shares(p, first, last, is_hot, depth);
        for (uint32_t at = first;; at = only_child(p, at)) {
                const struct calltree_function *f = function_of(p, at);

                buf_clear(&piece);
                if (at != first)
                        buf_add_str(&piece, arrow);
                for (n_same = 1; at != last && function_of(p, only_child(p, at)) == f; n_same++)
                        at = only_child(p, at);
                tree_view_add_name(f, strcmp(f->module, module) != 0 && !f->is_inlined, p->view->long_names,
                                   name_columns(p, indent, n_same > 1), &piece);
                if (n_same > 1)
                        buf_printf(&piece, " (%" PRIu32 " times)", n_same);
                if (at != last)
                        buf_add_char(&piece, ' ');
                add_piece(p, buf_text(&piece), indent, &column);
                if (!f->is_inlined && !f->is_python)
                        module = f->module;
                if (at == last)
                        break;
        }
        buf_add_char(p->out, '\n');
        return last;
}

/* A line whose callees are being printed. */
struct open_line {
        uint32_t last, first;
        bool is_hot;
};

static void add_tree(struct tree_printer *p)
{
        struct open_line *open = NULL;
        size_t n_open = 0, cap_open = 0;
        uint32_t at = first_shown(p, CALLTREE_ROOT);
        bool is_hot = true;

        if (at == CALLTREE_NONE)
                count_hidden(p, node_of(p, CALLTREE_ROOT)->first_child);
        while (at != CALLTREE_NONE) {
                const char *module = n_open ? function_of(p, open[n_open - 1].last)->module : "";
                uint32_t last = add_chain(p, at, is_hot, (unsigned)n_open, module);
                uint32_t child = first_shown(p, last);

                if (child == CALLTREE_NONE)
                        count_hidden(p, node_of(p, last)->first_child);
                ARRAY_PUSH(open, n_open, cap_open, (struct open_line){last, at, is_hot});
                /* The first child has the largest weight. */
                at = child;
                is_hot = is_hot && node_of(p, last)->self_weight <=
                                           (child == CALLTREE_NONE ? 0 : node_of(p, child)->weight);
                while (at == CALLTREE_NONE && n_open) {
                        at = next_shown(p, open[--n_open].first);
                        is_hot = false;
                }
        }
        free(open);
}

/* --- The table of functions --- */

static bool is_listed(const struct tree_printer *p, const struct calltree_function *f)
{
        return !p->view->symbol || calltree_function_matches(f, p->view->symbol);
}

static void add_function_row(const struct tree_printer *p, const struct calltree_sum *sum)
{
        const struct calltree_function *f = calltree_get_function(p->view->tree, sum->function);
        size_t before = p->out->len;

        buf_printf(p->out, "%8.2f %8.2f %8" PRIu64 "  ", percent(p, sum->weight),
                   percent(p, sum->self_weight), sum->count);
        tree_view_add_name(f, true, p->view->long_names,
                           p->view->max_columns > MIN_CUT_COLUMNS + NUMBER_COLUMNS
                                   ? p->view->max_columns - NUMBER_COLUMNS
                                   : 0,
                           p->out);
        color_share(p, before + SHARE_COLUMNS + 1, sum->self_weight);
        color_share(p, before, sum->weight);
        buf_add_char(p->out, '\n');
}

static void add_functions(const struct tree_printer *p)
{
        size_t n, n_shown = 0, n_left = 0, n_small = 0;
        bool is_narrow = p->view->max_columns && p->view->max_columns < NUMBER_COLUMNS + 31;
        struct calltree_sum *sums = calltree_list(p->view->tree, &n);

        buf_printf(p->out, " %% total   %% self    count  function%s\n",
                   is_narrow ? "" : ", including its callees");
        for (size_t i = 0; i < n; i++) {
                if (!is_listed(p, calltree_get_function(p->view->tree, sums[i].function)))
                        continue;
                if (sums[i].weight < p->min_weight) {
                        n_small++;
                } else if (n_shown == p->view->max_rows) {
                        n_left++;
                } else {
                        n_shown++;
                        add_function_row(p, &sums[i]);
                }
        }
        if (n_left)
                buf_printf(p->out, "... and %zu more (--sample-display-row shows more)\n", n_left);
        if (n_small)
                buf_printf(p->out, "... and %zu with less than %g %% each (--percent-limit shows them)\n",
                           n_small, p->view->min_percent);
        buf_add_char(p->out, '\n');
        free(sums);
}

/* --- The whole text --- */

/* "callers of x_mul, by cycles" */
static void add_subject(const struct tree_printer *p)
{
        const char *symbol = p->view->is_inverted ? p->view->symbol : NULL;

        if (symbol) {
                buf_add_str(p->out, "callers of ");
                text_add_printable(p->out, symbol);
                buf_add_str(p->out, ", by ");
        } else {
                buf_add_str(p->out,
                            p->view->is_inverted ? "callers of the sampled functions, by " : "call tree of ");
        }
        text_add_printable(p->out, p->view->event);
}

static void add_heading(const struct tree_printer *p)
{
        add_subject(p);
        buf_printf(p->out, ", %" PRIu64 " samples", p->total_count);
        if (p->view->symbol) {
                buf_printf(p->out, ", %" PRIu64 " with ", node_of(p, CALLTREE_ROOT)->count);
                text_add_printable(p->out, p->view->symbol);
        }
        buf_add_str(p->out, "; shares are of all samples, * marks the most frequent path\n");
        buf_add_str(p->out, p->view->is_inverted ? " % total    function < its caller\n"
                                                 : " % total   % self    caller > callee\n");
}

void tree_view_text(const struct tree_view *view, struct buf *out)
{
        const struct calltree_node *root = calltree_get_node(view->tree, CALLTREE_ROOT);
        struct tree_printer p = {.view = view, .out = out};

        if (view->symbol && !root->count) {
                hot_view_add_no_match(view->symbol, out);
                return;
        }
        p.total_count = view->all_count ? view->all_count : root->count;
        p.total = view->all_weight ? view->all_weight : root->weight;
        p.min_weight = (uint64_t)((double)p.total * view->min_percent / 100);
        if (!view->is_inverted)
                add_functions(&p);
        add_heading(&p);
        add_tree(&p);
        if (p.n_small)
                buf_printf(out,
                           "%" PRIu64
                           " rows with less than %g %% each are not shown (--percent-limit shows them)\n",
                           p.n_small, view->min_percent);
        if (p.n_deep)
                buf_printf(out,
                           "%" PRIu64 " rows deeper than %u levels are not shown (--max-stack shows them)\n",
                           p.n_deep, view->max_depth);
}

static void add_function_json(const struct calltree_function *f, struct json *json)
{
        static const char *const kinds[] = {
                [CALLTREE_FUNCTION] = "function", [CALLTREE_UNKNOWN] = "unknown",
                [CALLTREE_PROCESS] = "process",   [CALLTREE_CUT] = "cut",
                [CALLTREE_STATE] = "state",
        };

        json_begin_object(json);
        json_key_str(json, "name", f->name);
        json_key_str(json, "module", f->module);
        json_key_str(json, "kind", kinds[f->kind]);
        if (f->line) {
                json_key_str(json, "file", f->file);
                json_key_u64(json, "line", f->line);
        }
        if (f->is_inlined)
                json_key_bool(json, "inlined", true);
        if (f->is_kernel)
                json_key_bool(json, "kernel", true);
        if (f->is_python)
                json_key_bool(json, "python", true);
        json_end_object(json);
}

void tree_view_json(const struct tree_view *view, struct json *json)
{
        json_begin_object(json);
        json_key_str(json, "event", view->event);
        json_key(json, "functions");
        json_begin_array(json);
        for (size_t i = 0; i < calltree_n_functions(view->tree); i++)
                add_function_json(calltree_get_function(view->tree, (uint32_t)i), json);
        json_end_array(json);
        json_key(json, "nodes");
        json_begin_array(json);
        for (size_t i = 1; i < calltree_n_nodes(view->tree); i++) {
                const struct calltree_node *node = calltree_get_node(view->tree, (uint32_t)i);

                json_begin_array(json);
                json_u64(json, node->parent);
                json_u64(json, node->function);
                json_u64(json, node->self_count);
                json_u64(json, node->self_weight);
                json_end_array(json);
        }
        json_end_array(json);
        json_end_object(json);
}
