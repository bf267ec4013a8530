/* SPDX-License-Identifier: BSD-3-Clause */
/* A flame graph in cells: one row for each level; the width of a function is its share of the function that
 * is zoomed to. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browser_internal.h"
#include "mem.h"
#include "tree_view.h"

struct flame_page {
        struct page page;
        const struct calltree *tree;
        char *title;
        uint32_t root, at; /* the node that is zoomed to; the selected node */
        unsigned top;      /* levels that are scrolled off the screen */
        unsigned height;
        uint64_t all;
};

/* A function on the screen. */
struct flame_box {
        uint32_t node;
        unsigned level, column, columns;
};

static struct flame_page *own(const struct page *page)
{
        return (struct flame_page *)page;
}

static const struct calltree_node *node_at(const struct flame_page *p, uint32_t node)
{
        return calltree_get_node(p->tree, node);
}

static const char *name_of(const struct flame_page *p, uint32_t node)
{
        return node == CALLTREE_ROOT ? "all"
                                     : calltree_get_function(p->tree, node_at(p, node)->function)->name;
}

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        const struct flame_page *p = own(page);

        (void)browser;
        buf_printf(out, "%s: %.2f %% ", p->title, browser_percent(node_at(p, p->at)->weight, p->all));
        if (p->at == CALLTREE_ROOT)
                buf_add_str(out, "all");
        else
                tree_view_add_name(calltree_get_function(p->tree, node_at(p, p->at)->function), true, true, 0,
                                   out);
}

/* --- boxes --- */

/* Divides the columns of a parent among its children, from the left; leaves out children narrower than a
 * column. */
static void place_children(const struct flame_page *p, const struct flame_box *of,
                           void (*take)(void *ctx, const struct flame_box *box), void *ctx)
{
        const struct calltree_node *parent = node_at(p, of->node);
        uint64_t before = 0;

        for (uint32_t c = parent->first_child; c != CALLTREE_NONE; c = node_at(p, c)->next) {
                uint64_t weight = node_at(p, c)->weight;
                unsigned from = (unsigned)((double)before * of->columns / (double)parent->weight);
                unsigned to = (unsigned)((double)(before + weight) * of->columns / (double)parent->weight);

                before += weight;
                if (to > from)
                        take(ctx, &(struct flame_box){c, of->level + 1, of->column + from, to - from});
        }
}

struct flame_drawing {
        struct browser *browser;
        const struct flame_page *page;
        struct flame_box *boxes; /* whose children are still to be drawn */
        size_t n, cap;
        unsigned from, to;
};

static cell_color color_of(const struct calltree_function *f)
{
        static const struct {
                uint8_t r, g, b;
        } user[] = {{0xd0, 0x70, 0x30}, {0xc0, 0x60, 0x40}, {0xd8, 0x88, 0x40}, {0xb8, 0x58, 0x28}},
          kernel[] = {{0x90, 0x90, 0xb0}, {0x80, 0x80, 0xa0}, {0xa0, 0xa0, 0xc0}, {0x78, 0x78, 0x98}},
          python[] = {{0x60, 0xa0, 0x60}, {0x50, 0x90, 0x60}, {0x70, 0xb0, 0x70}, {0x58, 0x98, 0x50}},
          state[] = {{0x98, 0x80, 0xb8}, {0x88, 0x70, 0xa8}, {0xa8, 0x90, 0xc8}, {0x90, 0x70, 0xb0}}, *of;
        unsigned shade = 0;

        for (const char *at = f->name; *at; at++)
                shade = shade * 31 + (unsigned char)*at;
        of = f->kind == CALLTREE_STATE ? state : f->is_python ? python : f->is_kernel ? kernel : user;
        of += shade % N_ELEMENTS(user);
        return CELL_RGB | (cell_color)of->r << 16 | (cell_color)of->g << 8 | of->b;
}

static void draw_box(const struct flame_drawing *d, const struct flame_box *box)
{
        const struct flame_page *p = d->page;
        struct cells *cells = d->browser->cells;
        unsigned row = d->from + box->level - p->top;
        struct cell_style style = {.text = CELL_RGB | 0x101010, .ground = CELL_RGB | 0xc8c8c8};
        AUTO_RELEASE(buf) text = {0};

        if (box->node != CALLTREE_ROOT)
                style.ground = color_of(calltree_get_function(p->tree, node_at(p, box->node)->function));
        if (d->browser->search.len && browser_matches(d->browser, name_of(p, box->node)))
                style.ground = CELL_RGB | 0xe060e0;
        if (d->browser->request->colors == CELL_COLORS_NONE)
                style.attributes = box->node == p->at ? CELL_REVERSE | CELL_BOLD
                                   : box->column % 2  ? CELL_REVERSE | CELL_DIM
                                                      : CELL_REVERSE;
        else if (box->node == p->at)
                style = (struct cell_style){
                        .text = CELL_RGB | 0xffffff, .ground = CELL_RGB | 0x2040a0, .attributes = CELL_BOLD};
        /* Leave one column free on the right, to separate neighbours. */
        cells_fill(cells, row, box->column, box->columns > 2 ? box->columns - 1 : box->columns, style);
        if (box->columns < 4)
                return;
        if (box->node == CALLTREE_ROOT)
                buf_add_str(&text, "all");
        else
                tree_view_add_name(calltree_get_function(p->tree, node_at(p, box->node)->function), false,
                                   false, box->columns - 2, &text);
        cells_put(cells, row, box->column, box->columns - 1, style, buf_text(&text));
}

static void take_box(void *ctx, const struct flame_box *box)
{
        struct flame_drawing *d = ctx;

        ARRAY_PUSH(d->boxes, d->n, d->cap, *box);
}

static unsigned level_of(const struct flame_page *p, uint32_t node)
{
        return node_at(p, node)->depth - node_at(p, p->root)->depth;
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        struct flame_page *p = own(page);
        struct flame_drawing d = {.browser = browser, .page = p, .from = from, .to = to};
        unsigned level = level_of(p, p->at);

        page->first_row = from;
        p->height = to - from;
        if (level < p->top)
                p->top = level;
        if (level >= p->top + p->height)
                p->top = level - p->height + 1;
        take_box(&d, &(struct flame_box){p->root, 0, 0, browser->cells->columns});
        while (d.n) {
                struct flame_box box = d.boxes[--d.n];

                if (box.level >= p->top)
                        draw_box(&d, &box);
                if (box.level + 1 < p->top + p->height)
                        place_children(p, &box, take_box, &d);
        }
        free(d.boxes);
}

/* --- moving --- */

static uint32_t sibling_before(const struct flame_page *p, uint32_t node)
{
        uint32_t before = CALLTREE_NONE;

        for (uint32_t c = node_at(p, node_at(p, node)->parent)->first_child; c != node;
             c = node_at(p, c)->next)
                before = c;
        return before;
}

static void move(struct flame_page *p, uint32_t to)
{
        if (to != CALLTREE_NONE)
                p->at = to;
}

static void zoom(struct flame_page *p, uint32_t node)
{
        p->root = node;
        p->top = 0;
}

/* A search for the child at a column. */
struct flame_pick {
        unsigned column;
        struct flame_box found; /* 0 columns if there is none */
};

static void pick_child(void *ctx, const struct flame_box *box)
{
        struct flame_pick *pick = ctx;

        if (pick->column >= box->column && pick->column < box->column + box->columns)
                pick->found = *box;
}

/* Returns the node at a cell, or CALLTREE_NONE. */
static uint32_t pick(const struct flame_page *p, unsigned columns, unsigned level, unsigned column)
{
        struct flame_pick pick = {.column = column};
        struct flame_box box = {p->root, 0, 0, columns};

        while (box.level < level) {
                pick.found = (struct flame_box){.columns = 0};
                place_children(p, &box, pick_child, &pick);
                if (!pick.found.columns)
                        return CALLTREE_NONE;
                box = pick.found;
        }
        return box.node;
}

static bool on_letter(struct browser *browser, struct flame_page *p, uint32_t code)
{
        if (code == '-') {
                zoom(p, p->root == CALLTREE_ROOT ? CALLTREE_ROOT : node_at(p, p->root)->parent);
                return true;
        }
        if (code == 'I') {
                browser_push(browser,
                             page_flame_new(browser, browse_session_callers(browser->session, browser->event),
                                            "inverted flame graph", CALLTREE_ROOT));
                return true;
        }
        return false;
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct flame_page *p = own(page);
        uint32_t picked;

        switch (key->kind) {
        case KEY_DOWN: move(p, node_at(p, p->at)->first_child); return true;
        case KEY_UP:
                if (p->at != p->root)
                        move(p, node_at(p, p->at)->parent);
                return true;
        case KEY_RIGHT:
                if (p->at != p->root)
                        move(p, node_at(p, p->at)->next);
                return true;
        case KEY_LEFT:
                if (p->at != p->root)
                        move(p, sibling_before(p, p->at));
                return true;
        case KEY_ENTER: zoom(p, p->at); return true;
        case KEY_HOME:
                zoom(p, CALLTREE_ROOT);
                p->at = CALLTREE_ROOT;
                return true;
        case KEY_PRESS:
                if (key->row < page->first_row || key->row >= page->first_row + p->height)
                        return false;
                picked = pick(p, browser->cells->columns, key->row - page->first_row + p->top, key->column);
                if (picked != CALLTREE_NONE && picked == p->at)
                        zoom(p, picked);
                move(p, picked);
                return true;
        case KEY_CHAR: return on_letter(browser, p, key->code);
        default: return false;
        }
}

static size_t subjects_of(const struct page *page, struct browser_subject *ret, size_t max)
{
        const struct flame_page *p = own(page);
        const struct calltree_function *f;

        if (p->at == CALLTREE_ROOT || !max)
                return 0;
        f = calltree_get_function(p->tree, node_at(p, p->at)->function);
        *ret = browser_subject_of(f);
        return f->kind == CALLTREE_FUNCTION;
}

/* Zooms out, but only so far that the function remains wide enough to see. */
static void show_node(struct flame_page *p, uint32_t node, unsigned columns)
{
        uint32_t root = node;

        while (root != CALLTREE_ROOT &&
               node_at(p, node_at(p, root)->parent)->weight <= node_at(p, node)->weight * (columns / 8))
                root = node_at(p, root)->parent;
        zoom(p, root);
        p->at = node;
}

static bool is_match(const struct browser *browser, const struct flame_page *p, uint32_t node)
{
        return node != CALLTREE_ROOT && browser_matches(browser, name_of(p, node));
}

/* Of the function with the largest share among those that match; CALLTREE_NONE without a match.  Says how
 * many frames match, and the share of the samples that they are in, each counted once. */
static uint32_t find_largest(struct browser *browser, const struct flame_page *p)
{
        size_t n = calltree_n_nodes(p->tree), n_matches = 0;
        bool *is_inside = mem_new(n, sizeof(*is_inside));
        uint32_t largest = CALLTREE_NONE;
        uint64_t weight = 0;

        /* A caller comes before its callees. */
        for (uint32_t i = 0; i < n; i++) {
                const struct calltree_node *node = node_at(p, i);
                bool matches = is_match(browser, p, i);

                is_inside[i] = i != CALLTREE_ROOT && is_inside[node->parent];
                n_matches += matches;
                if (matches && !is_inside[i])
                        weight += node->weight;
                is_inside[i] |= matches;
                if (matches && (largest == CALLTREE_NONE || node->weight > node_at(p, largest)->weight))
                        largest = i;
        }
        free(is_inside);
        if (n_matches)
                browser_say(browser, "%zu frame%s match%s, %.2f %% in total", n_matches,
                            n_matches == 1 ? "" : "s", n_matches == 1 ? "es" : "",
                            browser_percent(weight, p->all));
        return largest;
}

static bool find(struct browser *browser, struct page *page, bool again, bool back)
{
        struct flame_page *p = own(page);
        size_t n = calltree_n_nodes(p->tree);
        uint32_t largest = find_largest(browser, p);

        if (largest == CALLTREE_NONE)
                return false;
        if (!again) {
                show_node(p, largest, browser->cells->columns);
                return true;
        }
        for (size_t i = 1; i <= n; i++) {
                uint32_t node = (uint32_t)((p->at + (back ? n - i % n : i)) % n);

                if (!is_match(browser, p, node))
                        continue;
                show_node(p, node, browser->cells->columns);
                return true;
        }
        return false;
}

static void release(struct page *page)
{
        struct flame_page *p = own(page);

        free(p->title);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter zoom in  - zoom out  I inverted  a code  Esc back  / search",
        .add_title = add_title,
        .draw = draw,
        .key = on_key,
        .find = find,
        .subjects = subjects_of,
        .free = release,
};

struct page *page_flame_new(struct browser *browser, const struct calltree *tree, const char *title,
                            uint32_t root)
{
        struct flame_page *p = mem_new(1, sizeof(*p));

        assert(root < calltree_n_nodes(tree));
        *p = (struct flame_page){
                .page.kind = &kind,
                .tree = tree,
                .title = mem_strdup(title),
                .root = root,
                .at = root,
                .all = browser->report->events[browser->event].weight,
        };
        return &p->page;
}
