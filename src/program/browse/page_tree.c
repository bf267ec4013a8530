/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree, one row for each node.  The hot path is expanded at first.  Rows are indented only below a
 * node with several children, so that a deep recursion does not leave the screen. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browser_internal.h"
#include "mem.h"
#include "text_width.h"
#include "tree_view.h"

enum {
        NAME_COLUMN = 20,
        MIN_NAME_COLUMNS = 20,
        STEP_COLUMNS = 2,
        MAX_OPEN_ROWS = 1000000,
        LEAST_HEAD = 8, /* columns of a name, where callers stand beside it */
};

/* A chain of functions that each call only the next one, and have no self samples, shares a row. */
struct tree_row {
        uint32_t first, last;
        uint32_t indent;
};

struct tree_page {
        struct page page;
        const struct calltree *tree;
        struct calltree *own;
        char *title;
        bool is_inverted;
        bool *is_open; /* whether each node is expanded */
        struct tree_row *rows;
        size_t cap_rows;
        uint64_t all;       /* weight of the event */
        uint32_t *preorder; /* the nodes in the order of rows, for searches; NULL if not made yet */
};

static struct tree_page *own(const struct page *page)
{
        return (struct tree_page *)page;
}

static const struct calltree_node *node_at(const struct tree_page *p, uint32_t node)
{
        return calltree_get_node(p->tree, node);
}

static const struct calltree_function *function_of(const struct tree_page *p, uint32_t node)
{
        return calltree_get_function(p->tree, node_at(p, node)->function);
}

static bool is_joined(const struct tree_page *p, const struct calltree_node *n)
{
        const struct calltree_node *child =
                n->first_child != CALLTREE_NONE ? node_at(p, n->first_child) : NULL;

        return child && child->next == CALLTREE_NONE && child->weight == n->weight &&
               child->count == n->count;
}

static uint32_t last_joined(const struct tree_page *p, uint32_t node)
{
        while (node != CALLTREE_ROOT && is_joined(p, node_at(p, node)))
                node = node_at(p, node)->first_child;
        return node;
}

/* --- what is open --- */

/* Returns the node of the next row if `node` is collapsed. */
static uint32_t next_sibling(const struct tree_page *p, uint32_t node, uint32_t *indent)
{
        while (node != CALLTREE_ROOT && node_at(p, node)->next == CALLTREE_NONE) {
                uint32_t parent = node_at(p, node)->parent;

                *indent -= node_at(p, node_at(p, parent)->first_child)->next != CALLTREE_NONE &&
                           parent != CALLTREE_ROOT;
                node = parent;
        }
        return node == CALLTREE_ROOT ? CALLTREE_NONE : node_at(p, node)->next;
}

static void list_rows(struct tree_page *p)
{
        uint32_t node = node_at(p, CALLTREE_ROOT)->first_child, indent = 0;

        p->page.list.n = 0;
        while (node != CALLTREE_NONE && p->page.list.n < MAX_OPEN_ROWS) {
                uint32_t last = last_joined(p, node);
                const struct calltree_node *n = node_at(p, last);

                ARRAY_PUSH(p->rows, p->page.list.n, p->cap_rows, ((struct tree_row){node, last, indent}));
                node = last;
                if (p->is_open[node] && n->first_child != CALLTREE_NONE) {
                        indent += node_at(p, n->first_child)->next != CALLTREE_NONE;
                        node = n->first_child;
                } else {
                        node = next_sibling(p, node, &indent);
                }
        }
}

/* Expands the child with the most samples at each level, down to half of the samples of `node`. */
static void open_hot_path(struct tree_page *p, uint32_t node)
{
        uint64_t enough;

        if (node == CALLTREE_NONE)
                return;
        enough = node_at(p, node)->weight / 2;
        for (; node != CALLTREE_NONE && node_at(p, node)->weight >= enough;
             node = node_at(p, node)->first_child)
                p->is_open[node] = true;
}

static void set_all(struct tree_page *p, bool is_open)
{
        for (size_t i = 0; i < calltree_n_nodes(p->tree); i++)
                p->is_open[i] = is_open;
}

/* Selects the node or, if a collapsed node hides it, that node. */
static void select_node(struct tree_page *p, uint32_t node)
{
        for (; node != CALLTREE_NONE; node = node_at(p, node)->parent) {
                uint32_t last = last_joined(p, node);

                for (size_t i = 0; i < p->page.list.n; i++) {
                        if (p->rows[i].last == last) {
                                browse_list_go_to(&p->page.list, i);
                                return;
                        }
                }
        }
}

void page_tree_select(struct page *page, calltree_is_wanted_fn is_wanted, const void *ctx)
{
        struct tree_page *p = own(page);
        uint32_t best = CALLTREE_NONE;

        for (uint32_t i = 1; i < calltree_n_nodes(p->tree); i++) {
                if (is_wanted(function_of(p, i), ctx) &&
                    (best == CALLTREE_NONE || node_at(p, i)->weight > node_at(p, best)->weight))
                        best = i;
        }
        if (best == CALLTREE_NONE)
                return;
        for (uint32_t up = best; up != CALLTREE_NONE; up = node_at(p, up)->parent)
                p->is_open[up] = true;
        list_rows(p);
        select_node(p, best);
}

static uint32_t selected(const struct tree_page *p)
{
        return p->page.list.n ? p->rows[p->page.list.at].last : CALLTREE_NONE;
}

static void fold(struct tree_page *p, uint32_t node, bool is_open)
{
        p->is_open[node] = is_open;
        list_rows(p);
        select_node(p, node);
}

/* --- what is drawn --- */

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        (void)browser;
        buf_add_str(out, own(page)->title);
}

/* "+" can be expanded, "-" is expanded. */
static const char *mark_of(const struct tree_page *p, uint32_t node)
{
        if (node_at(p, node)->first_child == CALLTREE_NONE)
                return "  ";
        return p->is_open[node] ? "- " : "+ ";
}

/* Returns the main function of a row: the innermost one, also in an inverted tree. */
static uint32_t head_of(const struct tree_page *p, const struct tree_row *row)
{
        return p->is_inverted ? row->first : row->last;
}

/* Returns how many columns the main function may take, so that there is room for the others. */
static unsigned room_of_head(const struct tree_page *p, unsigned room, unsigned rest)
{
        unsigned others = room / 3 > 2 * rest ? room / 3 : 2 * rest;

        if (!p->is_inverted || room < 2 * others)
                others = rest;
        return room > others ? room - others : room;
}

/* Adds the main function, and if there is room for more than that as many of the other functions of the row
 * as fit. */
static void add_names(const struct tree_page *p, const struct tree_row *row, unsigned room, struct buf *out)
{
        const unsigned rest = (unsigned)strlen("... > ");
        const char *arrow = p->is_inverted ? " < " : " > ";
        uint32_t node = head_of(p, row), end = p->is_inverted ? row->last : row->first;
        unsigned head = node == end ? room : room_of_head(p, room, rest);
        AUTO_RELEASE(buf) names = {0};

        if (room < LEAST_HEAD + rest) {
                end = node;
                head = room;
        }
        tree_view_add_name(function_of(p, node), true, false, head, &names);
        while (node != end) {
                AUTO_RELEASE(buf) more = {0};

                node = p->is_inverted ? node_at(p, node)->first_child : node_at(p, node)->parent;
                /* The first caller must be visible, shortened if necessary. */
                tree_view_add_name(function_of(p, node), false, false,
                                   p->is_inverted && room > head + rest ? room - head - rest : 0, &more);
                if (text_width(buf_text(&more)) + text_width(buf_text(&names)) + (node == end ? 0 : rest) +
                            strlen(arrow) >
                    room) {
                        buf_clear(&more);
                        buf_add_str(&more, "...");
                        end = node;
                }
                if (p->is_inverted) {
                        buf_printf(&names, "%s%s", arrow, buf_text(&more));
                        continue;
                }
                buf_printf(&more, "%s%s", arrow, buf_text(&names));
                buf_swap(&names, &more);
        }
        buf_add(out, names.data, names.len);
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        const struct tree_page *p = own(page);
        const struct tree_row *row = &p->rows[index];
        const struct calltree_node *n = node_at(p, row->last);
        unsigned columns = browser->cells->columns;
        unsigned widest =
                columns > NAME_COLUMN + MIN_NAME_COLUMNS ? columns - NAME_COLUMN - MIN_NAME_COLUMNS : 0;
        unsigned indent = row->indent * STEP_COLUMNS < widest ? row->indent * STEP_COLUMNS : widest;
        unsigned name = NAME_COLUMN + indent;
        double total = browser_percent(n->weight, p->all), self = browser_percent(n->self_weight, p->all);
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&text, "%8.2f", total);
        cells_put(browser->cells, at, 0, 8, browser_heat(total), buf_text(&text));
        buf_clear(&text);
        if (!p->is_inverted)
                buf_printf(&text, "%9.2f", self);
        cells_put(browser->cells, at, 8, 9, browser_heat(self), buf_text(&text));
        buf_clear(&text);
        buf_add_str(&text, mark_of(p, row->last));
        if (name + 2 < columns)
                add_names(p, row, columns - name - 2, &text);
        cells_put(browser->cells, at, name, columns, (struct cell_style){0}, buf_text(&text));
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        const struct tree_page *p = own(page);

        browser_head(browser, from,
                     p->is_inverted ? " % total             function, with its callers below"
                                    : " % total   % self    function, with its callees below");
        page_draw_rows(browser, page, from + 1, to);
}

/* --- keys --- */

static size_t subjects_of(const struct page *page, struct browser_subject *ret, size_t max)
{
        const struct tree_page *p = own(page);
        const struct tree_row *row = p->page.list.n ? &p->rows[p->page.list.at] : NULL;
        uint32_t node = row ? head_of(p, row) : CALLTREE_NONE, end;
        size_t n = 0;

        if (!row || function_of(p, node)->kind != CALLTREE_FUNCTION)
                return 0;
        end = p->is_inverted ? row->last : row->first;
        while (n < max) {
                if (function_of(p, node)->kind == CALLTREE_FUNCTION)
                        ret[n++] = browser_subject_of(function_of(p, node));
                if (node == end)
                        break;
                node = p->is_inverted ? node_at(p, node)->first_child : node_at(p, node)->parent;
        }
        return n;
}

static bool on_letter(struct browser *browser, struct tree_page *p, uint32_t node, uint32_t code)
{
        switch (code) {
        case '+':
        case 'e': fold(p, node, !p->is_open[node]); return true;
        case '-':
        case 'c': fold(p, node, false); return true;
        case 'E':
        case 'C':
                set_all(p, code == 'E');
                list_rows(p);
                select_node(p, node);
                return true;
        case '*':
                open_hot_path(p, node);
                list_rows(p);
                return true;
        case 'f':
                browser_push(browser, page_flame_new(browser, p->tree,
                                                     p->is_inverted ? p->title : "flame graph", node));
                return true;
        default: return false;
        }
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct tree_page *p = own(page);
        uint32_t node = selected(p);

        if (browse_list_key(&p->page.list, key, page->first_row))
                return true;
        if (node == CALLTREE_NONE)
                return false;
        if (key->kind == KEY_RIGHT || key->kind == KEY_LEFT) {
                uint32_t above = node_at(p, p->rows[p->page.list.at].first)->parent;

                if (key->kind == KEY_LEFT && !p->is_open[node] && above != CALLTREE_ROOT)
                        select_node(p, above);
                else
                        fold(p, node, key->kind == KEY_RIGHT);
                return true;
        }
        return key->kind == KEY_CHAR && on_letter(browser, p, node, key->code);
}

/* Returns the next node in the order of rows, also if it is hidden. */
static uint32_t next_node(const struct tree_page *p, uint32_t node)
{
        uint32_t indent = 0;

        return node_at(p, node)->first_child != CALLTREE_NONE ? node_at(p, node)->first_child
                                                              : next_sibling(p, node, &indent);
}

static size_t make_preorder(struct tree_page *p, uint32_t wanted)
{
        size_t n = 0, at = 0;

        if (!p->preorder)
                p->preorder = mem_new(calltree_n_nodes(p->tree), sizeof(*p->preorder));
        for (uint32_t node = next_node(p, CALLTREE_ROOT); node != CALLTREE_NONE; node = next_node(p, node)) {
                if (node == wanted)
                        at = n;
                p->preorder[n++] = node;
        }
        return at;
}

/* Expands the parents of a hidden node. */
static bool find(struct browser *browser, struct page *page, bool again, bool back)
{
        struct tree_page *p = own(page);
        size_t n = calltree_n_nodes(p->tree) - 1, from = p->page.list.n ? make_preorder(p, selected(p)) : 0;

        for (size_t i = again; p->page.list.n && i < n + again; i++) {
                uint32_t node = p->preorder[(from + (back ? n - i % n : i)) % n];

                if (!browser_matches(browser, function_of(p, node)->name))
                        continue;
                for (uint32_t up = node_at(p, node)->parent; up != CALLTREE_NONE; up = node_at(p, up)->parent)
                        p->is_open[up] = true;
                list_rows(p);
                select_node(p, node);
                return true;
        }
        return false;
}

static void release(struct page *page)
{
        struct tree_page *p = own(page);

        calltree_free(p->own);
        free(p->title);
        free(p->is_open);
        free(p->preorder);
        free(p->rows);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter menu  + unfold  - fold  a code  f flame graph  Esc back  / search  E C all  * hot path",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .find = find,
        .subjects = subjects_of,
        .free = release,
};

struct page *page_tree_new(struct browser *browser, const struct calltree *tree, struct calltree *own_tree,
                           const char *title, bool is_inverted)
{
        struct tree_page *p = mem_new(1, sizeof(*p));

        assert(!own_tree || own_tree == tree);
        p->page.kind = &kind;
        p->tree = tree;
        p->own = own_tree;
        p->title = mem_strdup(title);
        p->is_inverted = is_inverted;
        p->is_open = mem_new(calltree_n_nodes(tree), sizeof(*p->is_open));
        p->all = browser->report->events[browser->event].weight;
        open_hot_path(p, calltree_get_node(tree, CALLTREE_ROOT)->first_child);
        list_rows(p);
        return &p->page;
}
