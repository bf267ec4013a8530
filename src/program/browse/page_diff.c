/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a comparison: the rows that `diff` prints, with as many of its columns as fit. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_browser_internal.h"
#include "diff_columns.h"
#include "lazy_order.h"
#include "mem.h"
#include "name_text.h"
#include "table.h"
#include "text_width.h"

enum {
        GAP = 1,
        BAR_COLUMNS = 10,
        MIN_NAME = 12,
        MAX_MEASURED = 1000, /* rows that the widths of columns are taken from */
};

/* In the order of the screen. */
enum diff_cell {
        CELL_SHARE_A,
        CELL_SHARE_B,
        CELL_AMOUNT_A,
        CELL_AMOUNT_B,
        CELL_CHANGE,
        CELL_INTERVAL,
        CELL_SMALLEST,
        CELL_BAR,
        CELL_VERDICT,
        N_CELLS, /* then the name */
};

static const char *const heads[N_CELLS] = {
        [CELL_SHARE_A] = "% A",     [CELL_SHARE_B] = "% B",    [CELL_AMOUNT_A] = "A mean",
        [CELL_AMOUNT_B] = "B mean", [CELL_CHANGE] = "change",  [CELL_INTERVAL] = "95 % interval",
        [CELL_SMALLEST] = "finds",  [CELL_BAR] = "difference", [CELL_VERDICT] = "verdict",
};

/* What a narrow screen leaves out, in this order; the change and the verdict always stay. */
static const unsigned left_out[] = {
        1u << CELL_SMALLEST, 1u << CELL_SHARE_A | 1u << CELL_SHARE_B,
        1u << CELL_BAR,      1u << CELL_AMOUNT_A | 1u << CELL_AMOUNT_B,
        1u << CELL_INTERVAL,
};

enum diff_order { BY_DIFFERENCE, BY_CHANGE, BY_A, BY_B, BY_VERDICT, BY_NAME, N_ORDERS };
static const char *const order_names[N_ORDERS] = {"difference", "change", "A", "B", "verdict", "name"};

enum diff_shown { SHOW_ALL, SHOW_DIFFERENT, SHOW_ONLY_A, SHOW_ONLY_B, N_SHOWN };
static const char *const shown_names[N_SHOWN] = {"", " shown to differ", " only in A", " only in B"};

struct diff_item {
        const struct compared_row *row;
        enum diff_presence presence;
};

struct diff_page {
        struct page page;
        const struct comparison *comparison;
        struct diff_item *items;
        size_t n_items;
        struct lazy_item *rows; /* those that are shown */
        struct lazy_order order;
        enum diff_order by;
        enum diff_shown shown;
        const char *module; /* show only its rows; NULL: all */
        double largest;     /* difference, for the bars */
        unsigned widest[N_CELLS];
};

static struct diff_page *own(const struct page *page)
{
        return (struct diff_page *)page;
}

static const struct diff_item *item_at(struct diff_page *p, size_t place)
{
        return &p->items[lazy_order_get(&p->order, place)];
}

static const struct compared *value_of(const struct diff_page *p, const struct diff_item *item)
{
        return comparison_value(p->comparison, item->row);
}

/* Of a row that both sides have; else COMPARED_NOT_MEASURED. */
static enum compared_verdict verdict_of(const struct diff_page *p, const struct diff_item *item)
{
        return item->presence == DIFF_IN_BOTH ? value_of(p, item)->verdict : COMPARED_NOT_MEASURED;
}

/* --- Cells --- */

static void add_share(const struct diff_item *item, const struct run_group *group, enum diff_presence lacking,
                      struct buf *out)
{
        if (item->presence != lacking)
                buf_printf(out, "%.2f", 100 * group->mean);
}

static void add_amount(const struct diff_page *p, const struct diff_item *item, const struct run_group *group,
                       enum diff_presence lacking, struct buf *out)
{
        if (item->presence != lacking)
                diff_view_add_amount(out, group->mean, p->comparison->is_time ? COMPARED_NS : COMPARED_COUNT);
}

static void add_bar(const struct diff_page *p, const struct diff_item *item, struct buf *out)
{
        double difference = item->row->amount.b.mean - item->row->amount.a.mean;

        for (int i = 0; p->largest > 0 && i < BAR_COLUMNS &&
                        i < (int)(fabs(difference) / p->largest * BAR_COLUMNS + 0.5);
             i++)
                buf_add_char(out, difference > 0 ? '+' : '-');
}

static void add_verdict(const struct diff_page *p, const struct diff_item *item, struct buf *out)
{
        bool is_time = p->comparison->is_time && p->comparison->measure == MEASURE_TIME;
        char other = item->presence == DIFF_ONLY_A ? 'B' : 'A';

        if (item->presence == DIFF_IN_BOTH)
                diff_columns_add_verdict(value_of(p, item), is_time, out);
        else if (item->row->is_inlined)
                buf_printf(out, "inlined in %c", other);
        else
                buf_printf(out, "only in %c", other == 'A' ? 'B' : 'A');
}

static void add_cell(const struct diff_page *p, const struct diff_item *item, enum diff_cell cell,
                     struct buf *out)
{
        const struct compared_row *row = item->row;
        bool is_pair = item->presence == DIFF_IN_BOTH;

        switch (cell) {
        case CELL_SHARE_A: add_share(item, &row->share.a, DIFF_ONLY_B, out); break;
        case CELL_SHARE_B: add_share(item, &row->share.b, DIFF_ONLY_A, out); break;
        case CELL_AMOUNT_A: add_amount(p, item, &row->amount.a, DIFF_ONLY_B, out); break;
        case CELL_AMOUNT_B: add_amount(p, item, &row->amount.b, DIFF_ONLY_A, out); break;
        case CELL_BAR: add_bar(p, item, out); break;
        case CELL_VERDICT: add_verdict(p, item, out); break;
        default: break;
        }
        if (is_pair && cell == CELL_CHANGE)
                diff_columns_add_change(value_of(p, item), out);
        else if (is_pair && cell == CELL_INTERVAL)
                diff_columns_add_interval(value_of(p, item), out);
        else if (is_pair && cell == CELL_SMALLEST)
                diff_columns_add_smallest(value_of(p, item), out);
}

static void add_name(const struct diff_item *item, struct buf *out)
{
        buf_add_str(out, item->row->name);
        if (*item->row->module)
                buf_printf(out, ":%s", item->row->module);
}

/* --- The order of rows --- */

/* A key for the largest number first. */
static uint64_t key_of(double value)
{
        uint64_t bits;

        memcpy(&bits, &value, sizeof(bits));
        return ~(bits >> 63 ? ~bits : bits | 1ull << 63);
}

static double change_of(const struct diff_page *p, const struct diff_item *item)
{
        double change = item->presence == DIFF_ONLY_B   ? INFINITY
                        : item->presence == DIFF_ONLY_A ? -1
                                                        : comparison_change(value_of(p, item));

        return isnan(change) ? 0 : change;
}

static uint64_t number_of(const struct diff_page *p, const struct diff_item *item)
{
        switch (p->by) {
        case BY_CHANGE: return key_of(change_of(p, item));
        case BY_A: return key_of(item->row->amount.a.mean);
        case BY_B: return key_of(item->row->amount.b.mean);
        case BY_VERDICT:
                /* slower and faster first */
                return item->presence == DIFF_IN_BOTH ? (value_of(p, item)->verdict >= COMPARED_MORE
                                                                 ? (uint64_t)value_of(p, item)->verdict
                                                                 : 10u - (uint64_t)value_of(p, item)->verdict)
                                                      : 20u + (uint64_t)item->presence;
        case BY_NAME: return lazy_order_text_key(item->row->name);
        default: return 0;
        }
}

/* Other orders are whole in their keys: equal rows keep the order of the comparison. */
static int by_name(uint32_t a, uint32_t b, const void *ctx)
{
        const struct diff_page *p = ctx;

        return p->by == BY_NAME ? strcmp(p->items[a].row->name, p->items[b].row->name) : 0;
}

static bool is_shown(const struct diff_page *p, const struct diff_item *item)
{
        if (p->module && strcmp(item->row->module, p->module) != 0)
                return false;
        switch (p->shown) {
        case SHOW_DIFFERENT: return verdict_of(p, item) >= COMPARED_MORE;
        case SHOW_ONLY_A: return item->presence == DIFF_ONLY_A;
        case SHOW_ONLY_B: return item->presence == DIFF_ONLY_B;
        default: return true;
        }
}

static void measure(struct diff_page *p)
{
        for (int cell = 0; cell < N_CELLS; cell++) {
                p->widest[cell] = 0;
                for (size_t i = 0; i < p->page.list.n && i < MAX_MEASURED; i++) {
                        AUTO_RELEASE(buf) text = {0};

                        add_cell(p, item_at(p, i), (enum diff_cell)cell, &text);
                        p->widest[cell] = text.len > p->widest[cell] ? (unsigned)text.len : p->widest[cell];
                }
                /* A column without texts is not shown. */
                if (p->widest[cell] && p->widest[cell] < strlen(heads[cell]))
                        p->widest[cell] = (unsigned)strlen(heads[cell]);
        }
}

static void fill(struct diff_page *p)
{
        size_t n = 0;

        for (size_t i = 0; i < p->n_items; i++) {
                if (is_shown(p, &p->items[i]))
                        p->rows[n++] = (struct lazy_item){number_of(p, &p->items[i]), (uint32_t)i};
        }
        lazy_order_begin(&p->order, p->rows, n, p->by == BY_DIFFERENCE, by_name, p);
        p->page.list.n = n;
        measure(p);
}

/* --- Drawing --- */

/* Returns which columns fit on a screen of this width beside the names. */
static unsigned columns_that_fit(const struct diff_page *p, unsigned width)
{
        unsigned wanted = width / 5 > MIN_NAME ? width / 5 : MIN_NAME, set = (1u << N_CELLS) - 1;

        for (size_t i = 0; i <= N_ELEMENTS(left_out); i++) {
                unsigned used = 0;

                for (int cell = 0; cell < N_CELLS; cell++)
                        used += set >> cell & 1 && p->widest[cell] ? p->widest[cell] + GAP : 0;
                if (used + wanted <= width || i == N_ELEMENTS(left_out))
                        break;
                set &= ~left_out[i];
        }
        return set;
}

static bool is_left_aligned(enum diff_cell cell)
{
        return cell == CELL_BAR || cell == CELL_VERDICT;
}

static struct cell_style style_of(const struct diff_page *p, const struct diff_item *item,
                                  enum diff_cell cell)
{
        if (cell == CELL_SHARE_A)
                return browser_heat(100 * item->row->share.a.mean);
        if (cell == CELL_SHARE_B)
                return browser_heat(100 * item->row->share.b.mean);
        if (cell == CELL_BAR)
                return diff_browser_style(
                        item->row->amount.b.mean > item->row->amount.a.mean ? COMPARED_MORE : COMPARED_LESS);
        return cell == CELL_CHANGE || cell == CELL_VERDICT ? diff_browser_style(verdict_of(p, item))
                                                           : (struct cell_style){0};
}

/* Draws the cells of `item`, or the headings if it is NULL.  Returns the column of the name. */
static unsigned draw_cells(const struct browser *browser, const struct diff_page *p,
                           const struct diff_item *item, unsigned at)
{
        unsigned column = 0, set = columns_that_fit(p, browser->cells->columns);

        for (int i = 0; i < N_CELLS; i++) {
                enum diff_cell cell = (enum diff_cell)i;
                unsigned width = p->widest[cell], indent;
                AUTO_RELEASE(buf) text = {0};

                if (!(set >> cell & 1) || !width)
                        continue;
                if (item)
                        add_cell(p, item, cell, &text);
                else
                        buf_add_str(&text, heads[cell]);
                indent = is_left_aligned(cell) || text.len > width ? 0 : width - (unsigned)text.len;
                cells_put(browser->cells, at, column + indent, width,
                          item ? style_of(p, item, cell) : (struct cell_style){.attributes = CELL_BOLD},
                          buf_text(&text));
                column += width + GAP;
        }
        return column;
}

static const char *name_of(const struct page *page, size_t index)
{
        return item_at(own(page), index)->row->name;
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        struct diff_page *p = own(page);
        const struct diff_item *item = item_at(p, index);
        unsigned column = draw_cells(browser, p, item, at), columns = browser->cells->columns;
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) shown = {0};

        if (column >= columns)
                return;
        add_name(item, &name);
        /* The function is worth more than its module. */
        name_text_add(&shown,
                      text_width(buf_text(&name)) > columns - column ? item->row->name : buf_text(&name),
                      page_find_twin(page, index, columns - column, name_of), columns - column);
        cells_put(browser->cells, at, column, columns, (struct cell_style){0}, buf_text(&shown));
}

/* How much of the total the line above the table tells. */
enum total_detail { TOTAL_CHANGE, TOTAL_INTERVAL, TOTAL_AMOUNTS, N_DETAILS };

static const struct compared_total *find_total(const struct browser *browser)
{
        const struct comparison *c = browser->diff->view.comparisons[0];
        const struct compared_total *total = comparison_total(c, "cpu");

        return total || !c->n_totals ? total : &c->totals[0];
}

/* "CPU time 1.234 s to 1.300 s, +5.3 % (+4.1 to +6.5 %), slower" */
static void add_total(const struct compared_total *total, enum total_detail detail, struct buf *out)
{
        buf_printf(out, "%s ", total->name);
        if (detail >= TOTAL_AMOUNTS) {
                diff_view_add_amount(out, total->value.a.mean, total->unit);
                buf_add_str(out, " to ");
                diff_view_add_amount(out, total->value.b.mean, total->unit);
                buf_add_str(out, ", ");
        }
        diff_browser_add_change(total, detail >= TOTAL_INTERVAL, out);
}

/* Draws the change of the total in as much detail as fits, and how many rows differ. */
static void draw_summary(struct browser *browser, const struct comparison *c, unsigned at)
{
        const struct compared_total *total = find_total(browser);
        unsigned columns = browser->cells->columns, column = 0;
        AUTO_RELEASE(buf) rows = {0};

        buf_printf(&rows, "%s%s: ", total ? "; " : "", c->event);
        if (c->n_tested)
                buf_printf(&rows, "%zu of %zu tested %s differ", diff_view_n_differ(c), c->n_tested,
                           browser->diff->view.rows_are);
        else
                buf_add_str(&rows, "nothing was tested");
        for (int detail = N_DETAILS - 1; total && detail >= 0; detail--) {
                AUTO_RELEASE(buf) text = {0};

                add_total(total, (enum total_detail)detail, &text);
                if (detail && text.len + rows.len > columns)
                        continue;
                column = cells_put(browser->cells, at, 0, columns, diff_browser_style(total->value.verdict),
                                   buf_text(&text));
                break;
        }
        if (column + rows.len <= columns)
                cells_put(browser->cells, at, column, columns, (struct cell_style){0}, buf_text(&rows));
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        struct diff_page *p = own(page);
        unsigned column;

        draw_summary(browser, p->comparison, from);
        column = draw_cells(browser, p, NULL, from + 1);
        cells_put(browser->cells, from + 1, column, browser->cells->columns,
                  (struct cell_style){.attributes = CELL_BOLD}, browser->diff->view.row_is);
        page_draw_rows(browser, page, from + 2, to);
        if (!page->list.n)
                cells_put(browser->cells, from + 2, 0, browser->cells->columns, (struct cell_style){0},
                          "no rows; v shows others");
}

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        const struct diff_page *p = own(page);

        buf_printf(out, "%zu %s%s", page->list.n,
                   page->list.n == 1 ? browser->diff->view.row_is : browser->diff->view.rows_are,
                   shown_names[p->shown]);
        if (p->module)
                buf_printf(out, " in %s", p->module);
        buf_printf(out, "%s by %s", p->shown || p->module ? "," : "", order_names[p->by]);
}

/* --- Keys --- */

static void choose_module(struct browser *browser, struct diff_page *p)
{
        const char *module = p->page.list.n ? item_at(p, p->page.list.at)->row->module : "";

        if (!p->module && !*module) {
                browser_say(browser, "this row has no module");
                return;
        }
        p->module = p->module ? NULL : module;
        p->page.list.at = 0;
        fill(p);
}

static bool on_letter(struct browser *browser, struct diff_page *p, uint32_t code)
{
        switch (code) {
        case 's':
                p->by = (p->by + 1) % N_ORDERS;
                fill(p);
                return true;
        case 'v':
                p->shown = (p->shown + 1) % N_SHOWN;
                p->page.list.at = 0;
                fill(p);
                return true;
        case 'd': choose_module(browser, p); return true;
        default: return false;
        }
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct diff_page *p = own(page);
        bool is_letter = key->kind == KEY_CHAR,
             is_back = key->kind == KEY_ESCAPE || key->kind == KEY_BACKSPACE;

        if (browse_list_key(&p->page.list, key, page->first_row) ||
            (is_letter && on_letter(browser, p, key->code)))
                return true;
        if (is_back && (p->shown || p->module)) {
                p->shown = SHOW_ALL;
                p->module = NULL;
                fill(p);
                return true;
        }
        if (key->kind != KEY_ENTER && key->kind != KEY_RIGHT && !(is_letter && key->code == 'c'))
                return false;
        if (page->list.n)
                diff_browser_show_code(browser, item_at(p, page->list.at)->row);
        return true;
}

static bool matches(const struct browser *browser, const struct page *page, size_t index)
{
        AUTO_RELEASE(buf) name = {0};

        add_name(item_at(own(page), index), &name);
        return browser_matches(browser, buf_text(&name));
}

static void release(struct page *page)
{
        struct diff_page *p = own(page);

        lazy_order_release(&p->order);
        free(p->items);
        free(p->rows);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter code  s sort  v which rows  i notes  d module  / search  TAB event",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .matches = matches,
        .free = release,
};

struct page *page_diff_new(struct browser *browser)
{
        const struct comparison *c = diff_browser_comparison(browser);
        struct diff_page *p = mem_new(1, sizeof(*p));

        p->page.kind = &kind;
        p->page.list.takes_j_k = true;
        p->comparison = c;
        p->items = mem_new(c->n_rows + c->n_only_a + c->n_only_b, sizeof(*p->items));
        p->rows = mem_new(c->n_rows + c->n_only_a + c->n_only_b, sizeof(*p->rows));
        for (int presence = DIFF_IN_BOTH; presence <= DIFF_ONLY_B; presence++) {
                struct diff_rows rows = diff_rows_of(c, (enum diff_presence)presence);
                double largest = diff_columns_largest(&rows);

                p->largest = largest > p->largest ? largest : p->largest;
                for (size_t i = 0; i < rows.n; i++)
                        p->items[p->n_items++] = (struct diff_item){&rows.rows[i], rows.presence};
        }
        fill(p);
        return &p->page;
}
