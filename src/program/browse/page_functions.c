/* SPDX-License-Identifier: BSD-3-Clause */
/* Python and native functions in one table, from the call tree: the first page of a session with Python
 * frames. */
#include <stdlib.h>
#include <string.h>

#include "browse_session.h"
#include "browser_internal.h"
#include "mem.h"
#include "name_text.h"
#include "text_width.h"
#include "tree_view.h"

struct functions_page {
        struct page page;
        const struct calltree *tree; /* belongs to the session */
        struct calltree_sum *rows;
        bool by_total;
};

static struct functions_page *own(const struct page *page)
{
        return (struct functions_page *)page;
}

static const struct calltree_function *function_of(const struct functions_page *p, size_t row)
{
        return calltree_get_function(p->tree, p->rows[row].function);
}

static int compare_down(uint64_t a, uint64_t b)
{
        return (a < b) - (a > b);
}

static int by_self(const void *x, const void *y)
{
        const struct calltree_sum *a = x, *b = y;
        int order = compare_down(a->self_weight, b->self_weight);

        if (!order)
                order = compare_down(a->weight, b->weight);
        return order ? order : compare_down(b->function, a->function);
}

static int by_total(const void *x, const void *y)
{
        const struct calltree_sum *a = x, *b = y;
        int order = compare_down(a->weight, b->weight);

        return order ? order : by_self(x, y);
}

static void sort(struct functions_page *p)
{
        if (p->page.list.n)
                qsort(p->rows, p->page.list.n, sizeof(*p->rows), p->by_total ? by_total : by_self);
}

/* What is added up while the tree is walked. */
struct function_summing {
        const struct calltree *tree;
        struct calltree_sum *sums; /* for each function */
        uint32_t *n_open;          /* how often each function is on the path */
        uint32_t *counted;         /* for each node: the function that it counts for */
};

static bool counts_for_parent(const struct calltree_function *function)
{
        return function->is_inlined || function->kind == CALLTREE_STATE;
}

static void enter(struct function_summing *s, uint32_t at)
{
        const struct calltree_node *node = calltree_get_node(s->tree, at);
        const struct calltree_function *function = calltree_get_function(s->tree, node->function);
        struct calltree_sum *sum;

        s->counted[at] = counts_for_parent(function) && node->parent != CALLTREE_ROOT
                                 ? s->counted[node->parent]
                                 : node->function;
        sum = &s->sums[s->counted[at]];
        sum->self_count += node->self_count;
        sum->self_weight += node->self_weight;
        if (s->n_open[s->counted[at]]++)
                return;
        sum->count += node->count;
        sum->weight += node->weight;
}

/* An inlined function counts for the function that contains it, and a state of wall time for the function
 * that waits, as in the table of native functions; a recursive function counts once. */
static void add_up(struct function_summing *s)
{
        uint32_t at = calltree_get_node(s->tree, CALLTREE_ROOT)->first_child;

        while (at != CALLTREE_NONE && at != CALLTREE_ROOT) {
                const struct calltree_node *node = calltree_get_node(s->tree, at);

                enter(s, at);
                if (node->first_child != CALLTREE_NONE) {
                        at = node->first_child;
                        continue;
                }
                for (; at != CALLTREE_ROOT; at = node->parent) {
                        node = calltree_get_node(s->tree, at);
                        s->n_open[s->counted[at]]--;
                        if (node->next != CALLTREE_NONE) {
                                at = node->next;
                                break;
                        }
                }
        }
}

static bool is_shown(const struct browser *browser, const struct functions_page *p, size_t row)
{
        const struct calltree_function *function = function_of(p, row);
        const char *symbol = page_pattern(browser);

        return p->rows[row].count && function->kind <= CALLTREE_UNKNOWN &&
               (!symbol || calltree_function_matches(function, symbol));
}

static void fill(const struct browser *browser, struct functions_page *p)
{
        const struct calltree *tree = browse_session_tree(browser->session, browser->event);
        size_t n = calltree_n_functions(tree);
        struct function_summing s = {
                .tree = tree,
                .sums = mem_new(n, sizeof(*s.sums)),
                .n_open = mem_new(n, sizeof(*s.n_open)),
                .counted = mem_new(calltree_n_nodes(tree), sizeof(*s.counted)),
        };

        add_up(&s);
        free(s.n_open);
        free(s.counted);
        p->tree = tree;
        p->rows = s.sums;
        p->page.list.n = 0;
        for (size_t i = 0; i < n; i++) {
                p->rows[i].function = (uint32_t)i;
                if (is_shown(browser, p, i))
                        p->rows[p->page.list.n++] = p->rows[i];
        }
        sort(p);
}

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        (void)browser;
        buf_printf(out, "%zu function%s by %s", page->list.n, page->list.n == 1 ? "" : "s",
                   own(page)->by_total ? "total" : "self");
}

static const char *name_of(const struct page *page, size_t row)
{
        return function_of(own(page), row)->name;
}

/* Where both do not fit, the name goes before the module. */
static void add_name(const struct page *page, size_t index, unsigned columns, struct buf *out)
{
        tree_view_add_name(function_of(own(page), index), true, false, 0, out);
        if (text_width(buf_text(out)) <= columns)
                return;
        buf_clear(out);
        name_text_add(out, name_of(page, index), page_find_twin(page, index, columns, name_of), columns);
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        const struct functions_page *p = own(page);
        const struct calltree_sum *row = &p->rows[index];
        unsigned column = page_draw_shares(browser, at, row->self_weight, row->self_count, row->weight);
        unsigned columns = browser->cells->columns;
        AUTO_RELEASE(buf) name = {0};

        add_name(page, index, columns > column ? columns - column : 1, &name);
        cells_put(browser->cells, at, column, columns, (struct cell_style){0}, buf_text(&name));
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        page_draw_shares_head(browser, from, "Python and native functions");
        page_draw_rows(browser, page, from + 1, to);
        page_draw_no_match(browser, page, from + 2, to);
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct functions_page *p = own(page);

        (void)browser;
        if (browse_list_key(&p->page.list, key, page->first_row))
                return true;
        if (key->kind != KEY_CHAR || key->code != 's')
                return false;
        p->by_total = !p->by_total;
        sort(p);
        return true;
}

static size_t subjects_of(const struct page *page, struct browser_subject *ret, size_t max)
{
        if (!page->list.n || !max)
                return 0;
        *ret = browser_subject_of(function_of(own(page), page->list.at));
        return 1;
}

static bool matches(const struct browser *browser, const struct page *page, size_t row)
{
        return browser_matches(browser, function_of(own(page), row)->name);
}

static void renew(struct browser *browser, struct page *page)
{
        free(own(page)->rows);
        fill(browser, own(page));
}

static void release(struct page *page)
{
        free(own(page)->rows);
        free(page);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter menu  a lines  r callers  g tree  f flame graph  s sort  p Python  / search",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .matches = matches,
        .subjects = subjects_of,
        .renew = renew,
        .free = release,
};

struct page *page_functions_new(struct browser *browser)
{
        struct functions_page *p = mem_new(1, sizeof(*p));

        p->page.kind = &kind;
        fill(browser, p);
        return &p->page;
}
