/* SPDX-License-Identifier: BSD-3-Clause */
/* A function: callers, callees and source lines; on a wide screen also its code, beside them. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browser_internal.h"
#include "mem.h"
#include "name_text.h"
#include "page_text.h"
#include "python_sources.h"
#include "text.h"
#include "tree_view.h"

enum { WIDE_COLUMNS = 130, NAME_COLUMN = 18, MAX_EDGES = 12, MAX_LINES = 15, MAX_INLINED_COLUMNS = 32 };

enum about_kind { ABOUT_HEAD, ABOUT_EDGE, ABOUT_LINE };

struct about_row {
        enum about_kind kind;
        uint64_t weight;
        const char *text;
        struct browser_subject subject; /* of an edge; `name` is NULL if there is no function to go to */
        const char *path;               /* of a line; NULL if not known */
        uint32_t line;
};

struct about_page {
        struct page page;
        struct about_row *rows;
        size_t cap_rows;
        struct browser_subject subject;
        uint64_t all, weight,
                own_weight; /* of the event; of the function with its callees; of the function without them */
        uint64_t lines_weight; /* what shares of lines are of; above `weight` where its frames became Python
                                  functions */
        struct page *code;     /* NULL if no code is shown */
        bool has_code;         /* whether the code was already looked up */
        struct arena texts;
};

static struct about_page *own(const struct page *page)
{
        return (struct about_page *)page;
}

static void add_row(struct about_page *p, const struct about_row *row)
{
        struct about_row copy = *row;

        copy.text = arena_copy(&p->texts, row->text, strlen(row->text));
        copy.path = row->path ? arena_copy(&p->texts, row->path, strlen(row->path)) : NULL;
        ARRAY_PUSH(p->rows, p->page.list.n, p->cap_rows, copy);
}

static void add_head(struct about_page *p, const char *text)
{
        add_row(p, &(struct about_row){.kind = ABOUT_HEAD, .text = text});
}

/* --- callers and callees --- */

/* What add_node() gathers about the call paths through the function; the arrays have one item for each node
 * of the tree. */
struct about_edges {
        const struct calltree *tree;
        bool *is_in;   /* the node is the function or below it */
        bool *is_own;  /* the node is the function or inlined into it; for a Python function also native code
                          that it called */
        bool *is_self; /* the node is the function, called by nothing but itself since its outermost call */
        uint64_t *from, *to; /* weights of callers and callees, one for each function of the tree */
        uint64_t outermost,
                self; /* weight without a caller; weight in the function itself, not in its callees */
};

/* Counts each sample once, also in a recursion: for the caller of the outermost call, and for the callee of
 * that call. */
static void add_node(struct about_page *p, struct about_edges *e, uint32_t i)
{
        const struct calltree_node *node = calltree_get_node(e->tree, i);
        const struct calltree_function *function = calltree_get_function(e->tree, node->function);
        bool matches = browser_subject_is(function, &p->subject);

        e->is_in[i] = matches || e->is_in[node->parent];
        e->is_self[i] = matches && (!e->is_in[node->parent] || e->is_self[node->parent]);
        e->is_own[i] = matches || (e->is_own[node->parent] &&
                                   (p->subject.python ? !function->is_python : function->is_inlined));
        if (e->is_own[i])
                p->own_weight += node->self_weight;
        if (e->is_self[i])
                e->self += node->self_weight;
        if (matches && !e->is_in[node->parent]) {
                p->weight += node->weight;
                if (node->parent == CALLTREE_ROOT)
                        e->outermost += node->weight;
                else
                        e->from[calltree_get_node(e->tree, node->parent)->function] += node->weight;
        }
        if (!matches && e->is_self[node->parent])
                e->to[node->function] += node->weight;
}

struct about_edge {
        uint32_t function; /* CALLTREE_NONE if the edge has only a text */
        uint64_t weight;
        const char *text;
};

static int by_weight(const void *x, const void *y)
{
        const struct about_edge *a = x, *b = y;

        if (a->weight != b->weight)
                return a->weight < b->weight ? 1 : -1;
        return (a->function > b->function) - (a->function < b->function);
}

/* `other` is an edge without a function.  `more` says how to see the rows that are left out. */
static void add_edges(struct about_page *p, const struct calltree *tree, const uint64_t *weights,
                      const struct about_edge *other, const char *more)
{
        size_t n_functions = calltree_n_functions(tree), n = 0, n_shown;
        struct about_edge *edges = mem_new(n_functions + 1, sizeof(*edges));

        for (uint32_t i = 0; i < n_functions; i++) {
                if (weights[i])
                        edges[n++] = (struct about_edge){.function = i, .weight = weights[i]};
        }
        if (other->weight)
                edges[n++] = *other;
        qsort(edges, n, sizeof(*edges), by_weight);
        n_shown = n < MAX_EDGES ? n : MAX_EDGES;
        for (size_t i = 0; i < n_shown; i++) {
                struct about_row row = {.kind = ABOUT_EDGE, .weight = edges[i].weight, .text = edges[i].text};
                AUTO_RELEASE(buf) name = {0};

                if (edges[i].function != CALLTREE_NONE) {
                        const struct calltree_function *f = calltree_get_function(tree, edges[i].function);
                        const struct browser_subject subject = browser_subject_of(f);

                        tree_view_add_name(f, true, false, 0, &name);
                        row.text = buf_text(&name);
                        if (f->kind == CALLTREE_FUNCTION)
                                row.subject = browser_subject_copy(&subject, &p->texts);
                }
                add_row(p, &row);
        }
        if (n > n_shown) {
                AUTO_RELEASE(buf) rest = {0};

                buf_printf(&rest, "%zu more; %s", n - n_shown, more);
                add_row(p, &(struct about_row){.kind = ABOUT_HEAD, .text = buf_text(&rest)});
        }
        free(edges);
}

static void add_calls(struct browser *browser, struct about_page *p)
{
        const struct calltree *tree = browser_tree(browser);
        size_t n = calltree_n_nodes(tree), n_functions = calltree_n_functions(tree);
        struct about_edges e = {
                .tree = tree,
                .is_in = mem_new(n, sizeof(*e.is_in)),
                .is_own = mem_new(n, sizeof(*e.is_own)),
                .is_self = mem_new(n, sizeof(*e.is_self)),
                .from = mem_new(n_functions, sizeof(*e.from)),
                .to = mem_new(n_functions, sizeof(*e.to)),
        };

        for (uint32_t i = 1; i < n; i++)
                add_node(p, &e, i);
        add_head(p, "callers");
        add_edges(p, tree, e.from,
                  &(struct about_edge){CALLTREE_NONE, e.outermost, "no caller (outermost function)"},
                  "r shows all callers as a tree");
        add_head(p, "callees");
        add_edges(p, tree, e.to, &(struct about_edge){CALLTREE_NONE, e.self, "self, without callees"},
                  "the menu (m) shows all call paths as a tree");
        free(e.is_in);
        free(e.is_own);
        free(e.is_self);
        free(e.from);
        free(e.to);
}

/* --- lines --- */

static int hotter_line(const void *x, const void *y)
{
        const struct about_row *a = x, *b = y;

        if (a->weight != b->weight)
                return a->weight < b->weight ? 1 : -1;
        return (a->line > b->line) - (a->line < b->line);
}

/* Shares of lines are of the function with its callees.  But where its frames were merged into those of
 * Python functions, it has more samples than its nodes in the call tree. */
static void sum_lines(struct about_page *p, size_t from)
{
        for (size_t i = from; i < p->page.list.n; i++)
                p->lines_weight += p->rows[i].weight;
        if (p->lines_weight < p->weight)
                p->lines_weight = p->weight;
}

static int by_place(const void *x, const void *y)
{
        const struct about_row *a = x, *b = y;
        int order = strcmp(a->path ? a->path : "", b->path ? b->path : "");

        return order ? order : strcmp(a->text, b->text);
}

/* Clones and pieces of a function have lines in common. */
static void join_lines(struct about_page *p, size_t from)
{
        size_t n = from;

        qsort(p->rows + from, p->page.list.n - from, sizeof(*p->rows), by_place);
        for (size_t i = from; i < p->page.list.n; i++) {
                if (n > from && !by_place(&p->rows[n - 1], &p->rows[i]))
                        p->rows[n - 1].weight += p->rows[i].weight;
                else
                        p->rows[n++] = p->rows[i];
        }
        p->page.list.n = n;
}

static void sort_lines(struct about_page *p, size_t from)
{
        qsort(p->rows + from, p->page.list.n - from, sizeof(*p->rows), hotter_line);
        if (p->page.list.n > from + MAX_LINES)
                p->page.list.n = from + MAX_LINES;
}

static void add_line(struct about_page *p, const char *path, uint32_t line, const char *inlined,
                     const char *source, uint64_t weight)
{
        AUTO_RELEASE(buf) text = {0};

        if (path)
                buf_printf(&text, "%s:%" PRIu32, text_base_name(path), line);
        else
                buf_add_str(&text, "unknown line");
        if (inlined) {
                buf_add_str(&text, " [");
                name_text_add(&text, inlined, NULL, MAX_INLINED_COLUMNS);
                buf_add_char(&text, ']');
        }
        if (source)
                buf_printf(&text, "  %s", source + strspn(source, " \t"));
        add_row(p, &(struct about_row){.kind = ABOUT_LINE,
                                       .weight = weight,
                                       .text = buf_text(&text),
                                       .path = path,
                                       .line = line});
}

static void add_python_lines(const struct browser *browser, struct about_page *p)
{
        AUTO(python_sources) sources = python_sources_find(browser->report->python, p->subject.python);

        for (size_t i = 0; i < sources->n; i++) {
                const struct python_source *source = &sources->items[i];

                for (size_t k = 0; source->event == browser->event && k < source->n_lines; k++) {
                        const struct python_line *line = &source->lines[k];

                        if (line->weight)
                                add_line(p, source->path, line->line, NULL, NULL, line->weight);
                }
        }
}

static void add_native_lines(struct browser *browser, struct about_page *p)
{
        AUTO(annotation) annotation = browser_annotate(browser, &p->subject, false, NULL);

        for (size_t i = 0; annotation && i < annotation_n_functions(annotation); i++) {
                const struct annotated function = annotation_get(annotation, i);
                struct annotate_rows rows;

                if (function.event != browser->event)
                        continue;
                annotate_group(function.annotate, ANNOTATE_LINE, &rows, NULL);
                for (size_t k = 0; k < rows.n_rows; k++) {
                        const struct annotate_row *row = &rows.rows[k];

                        if (row->weight)
                                add_line(p, row->path, row->line, row->function,
                                         row->path
                                                 ? annotation_source_line(annotation, i, row->path, row->line)
                                                 : NULL,
                                         row->weight);
                }
                annotate_rows_release(&rows);
        }
}

/* --- as a page --- */

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        const struct about_page *p = own(page);

        (void)browser;
        buf_printf(out, "%s: total %.2f %%, self %.2f %%", p->subject.name,
                   browser_percent(p->weight, p->all), browser_percent(p->own_weight, p->all));
        if (p->lines_weight > p->weight)
                buf_printf(out, ", %.2f %% as Python functions",
                           browser_percent(p->lines_weight - p->own_weight, p->all));
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        const struct about_page *p = own(page);
        const struct about_row *row = &p->rows[index];
        unsigned columns = page->columns ? page->columns : browser->cells->columns;
        AUTO_RELEASE(buf) text = {0};
        double share = browser_percent(row->weight, p->all);

        if (row->kind == ABOUT_HEAD) {
                cells_put(browser->cells, at, 0, columns, (struct cell_style){.attributes = CELL_BOLD},
                          row->text);
                return;
        }
        buf_printf(&text, "%8.2f %8.2f", share,
                   browser_percent(row->weight, row->kind == ABOUT_LINE ? p->lines_weight : p->weight));
        cells_put(browser->cells, at, 0, NAME_COLUMN, browser_heat(share), buf_text(&text));
        if (columns > NAME_COLUMN)
                cells_put(browser->cells, at, NAME_COLUMN, columns - NAME_COLUMN, (struct cell_style){0},
                          row->text);
}

/* Returns the code to show beside the rows; makes it when the screen is wide enough for the first time. */
static struct text_page *code_of(struct browser *browser, struct about_page *p)
{
        if (!p->has_code && browser->cells->columns >= WIDE_COLUMNS) {
                p->has_code = true;
                p->code = p->subject.python ? page_python_source_new(browser, p->subject.python)
                                            : page_code_new(browser, &p->subject);
                buf_clear(
                        &browser->message); /* no key asked for the code, so do not say that there is none */
        }
        return browser->cells->columns >= WIDE_COLUMNS ? (struct text_page *)p->code : NULL;
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        struct about_page *p = own(page);
        struct text_page *code = code_of(browser, p);
        const struct about_row *row = &p->rows[page->list.at];

        page->columns = code ? browser->cells->columns / 2 - 1 : 0;
        browser_head(browser, from, "   % all   % func  function or line");
        page_draw_rows(browser, page, from + 1, to);
        if (!code)
                return;
        code->page.left = page->columns + 1;
        if (row->path)
                text_page_go_to_line(code, row->path, row->line);
        page_draw_rows(browser, &code->page, from, to);
}

static size_t subjects_of(const struct page *page, struct browser_subject *ret, size_t max)
{
        const struct about_page *p = own(page);
        const struct about_row *row = &p->rows[p->page.list.at];

        if (!max)
                return 0;
        *ret = row->kind == ABOUT_EDGE && row->subject.name ? row->subject : p->subject;
        return 1;
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct about_page *p = own(page);
        const struct about_row *row = &p->rows[p->page.list.at];

        if (browse_list_key(&p->page.list, key, page->first_row))
                return true;
        if (key->kind != KEY_ENTER && key->kind != KEY_RIGHT)
                return false;
        if (row->kind == ABOUT_EDGE && row->subject.name)
                browser_push(browser, page_function_new(browser, &row->subject));
        else if (row->kind == ABOUT_LINE)
                browser_show_code(browser, &p->subject);
        return true;
}

static bool matches(const struct browser *browser, const struct page *page, size_t row)
{
        return browser_matches(browser, own(page)->rows[row].text);
}

static void release(struct page *page)
{
        struct about_page *p = own(page);

        if (p->code)
                p->code->kind->free(p->code);
        free(p->rows);
        arena_release(&p->texts);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter open  a code  r callers  t over time  m menu  Esc back  / search",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .matches = matches,
        .subjects = subjects_of,
        .free = release,
};

struct page *page_function_new(struct browser *browser, const struct browser_subject *subject)
{
        struct about_page *p = mem_new(1, sizeof(*p));
        size_t first_line;

        assert(browser->is_whole);
        p->page.kind = &kind;
        p->subject = browser_subject_copy(subject, &p->texts);
        p->all = browser->report->events[browser->event].weight;
        add_calls(browser, p);
        add_head(p, "source lines");
        first_line = p->page.list.n;
        if (subject->python && browser->report->python)
                add_python_lines(browser, p);
        else if (!subject->python)
                add_native_lines(browser, p);
        join_lines(p, first_line);
        sum_lines(p, first_line);
        sort_lines(p, first_line);
        if (p->page.list.n == first_line)
                add_head(p, "no samples with line information");
        return &p->page;
}
