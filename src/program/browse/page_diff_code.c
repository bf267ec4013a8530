/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine code of a function in A and B: the blocks that are not the same, side by side. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code_diff_view.h"
#include "diff_browser_internal.h"
#include "mem.h"
#include "page_text.h"
#include "text_width.h"

enum {
        SHARE_COLUMNS = 7,
        MARK_COLUMNS = 3,
        MIN_FOR_SHARE = 28,   /* columns of a side that has shares, too */
        MIN_FOR_ADDRESS = 60, /* the same for addresses */
        SIDE_STEP = 8,
        MAX_SIDE = 4096,
};

/* A line of text, or an instruction of both sides. */
struct code_page_row {
        const char *text; /* NULL: an instruction */
        const struct code_function_row *function;
        const struct code_line_row *line;
        bool is_block; /* the heading of a block */
};

struct diff_code_page {
        struct page page;
        struct code_diff diff;
        struct code_diff_view view;
        const char *module; /* in `texts` */
        char *title;
        struct arena texts, wrapped; /* the latter: of the rows */
        struct code_page_row *rows;
        size_t cap_rows;
        unsigned columns;        /* the width that texts are wrapped for */
        unsigned address_digits; /* of the longest address */
        unsigned first_column;   /* of the instructions, if scrolled sideways */
};

static struct diff_code_page *own(const struct page *page)
{
        return (struct diff_code_page *)page;
}

static double percent_of(const struct code_page_row *row, int side)
{
        return browser_percent(row->line->sides[side].weight, row->function->sides[side].weight);
}

/* --- Rows --- */

static void push(struct diff_code_page *p, const struct code_page_row *row)
{
        ARRAY_PUSH(p->rows, p->page.list.n, p->cap_rows, *row);
}

/* Adds lines that fit the width.  The first is the heading of a block if `is_block`. */
static void push_lines(struct diff_code_page *p, const struct buf *lines, bool is_block)
{
        for (const char *at = buf_text(lines), *end; *at; at = end + 1) {
                end = strchr(at, '\n');
                push(p, &(struct code_page_row){.text = arena_copy(&p->wrapped, at, (size_t)(end - at)),
                                                .is_block = is_block});
                is_block = false;
        }
}

static void push_text(struct diff_code_page *p, const char *text, bool is_block)
{
        AUTO_RELEASE(buf) lines = {0};

        text_page_wrap(text, p->columns, &lines);
        push_lines(p, &lines, is_block);
}

static void push_block(struct diff_code_page *p, const struct code_function_row *function,
                       const struct code_block_row *block)
{
        AUTO_RELEASE(buf) head = {0};

        push(p, &(struct code_page_row){.text = ""});
        code_diff_view_block(&p->view, function, block, &head);
        push_text(p, buf_text(&head), true);
        for (size_t i = 0; i < block->n_lines; i++)
                push(p, &(struct code_page_row){.function = function, .line = &block->lines[i]});
}

static void push_hot(struct diff_code_page *p, const struct code_function_row *function)
{
        struct code_diff_view view = p->view;
        AUTO_RELEASE(buf) text = {0};

        if (!function->n_hot)
                return;
        view.max_columns = p->columns;
        push(p, &(struct code_page_row){.text = ""});
        code_diff_view_hot(&view, function, &text);
        push_lines(p, &text, false);
}

static void push_function(struct diff_code_page *p, const struct code_function_row *function)
{
        AUTO_RELEASE(buf) sentence = {0};

        if (p->page.list.n)
                push(p, &(struct code_page_row){.text = ""});
        code_diff_view_sentence(&p->view, function, &sentence);
        push_text(p, buf_text(&sentence), false);
        push_hot(p, function);
        for (size_t i = 0; i < function->n_blocks_listed; i++) {
                if (code_diff_view_lists(function, &function->blocks[i]))
                        push_block(p, function, &function->blocks[i]);
        }
}

static bool is_of_module(const struct diff_code_page *p, const struct code_function_row *function)
{
        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (function->modules[side] && !strcmp(function->modules[side], p->module))
                        return true;
        }
        return false;
}

static void make_rows(struct diff_code_page *p, unsigned columns)
{
        size_t n_of_module = 0;
        AUTO_RELEASE(buf) sides = {0};

        p->columns = columns;
        p->page.list.n = 0;
        arena_release(&p->wrapped);
        buf_printf(&sides, "A = %s, B = %s", p->view.paths[CODE_A], p->view.paths[CODE_B]);
        push_text(p, buf_text(&sides), false);
        if (p->diff.note.len)
                push_text(p, buf_text(&p->diff.note), false);
        for (size_t i = 0; i < p->diff.rows.n_functions; i++)
                n_of_module += is_of_module(p, &p->diff.rows.functions[i]);
        for (size_t i = 0; i < p->diff.rows.n_functions; i++) {
                const struct code_function_row *function = &p->diff.rows.functions[i];

                if (!n_of_module || is_of_module(p, function))
                        push_function(p, function);
        }
}

/* --- Drawing --- */

static struct cell_style style_of(char mark)
{
        switch (mark) {
        case '|': return (struct cell_style){.text = CELL_RGB | 0xc08020};
        case '<': return (struct cell_style){.text = CELL_RGB | 0xd04040};
        case '>': return (struct cell_style){.text = CELL_RGB | 0x40a040};
        default: return (struct cell_style){0};
        }
}

static void draw_side(const struct browser *browser, const struct diff_code_page *p,
                      const struct code_page_row *row, int side, unsigned column, unsigned width, unsigned at)
{
        const struct code_row_side *line = &row->line->sides[side];
        unsigned end = column + width;
        const char *text = line->exists ? line->text : "";
        AUTO_RELEASE(buf) number = {0};

        if (p->diff.rows.has_samples[side] && width >= MIN_FOR_SHARE) {
                if (line->exists && line->weight)
                        buf_printf(&number, "%6.2f", percent_of(row, side));
                cells_put(browser->cells, at, column, SHARE_COLUMNS, browser_heat(percent_of(row, side)),
                          buf_text(&number));
                column += SHARE_COLUMNS;
        }
        if (width >= MIN_FOR_ADDRESS) {
                buf_clear(&number);
                if (line->exists)
                        buf_printf(&number, "0x%0*" PRIx64, (int)p->address_digits, line->addr);
                cells_put(browser->cells, at, column, p->address_digits + 3,
                          (struct cell_style){.attributes = CELL_DIM}, buf_text(&number));
                column += p->address_digits + 3;
        }
        text += text_fitting_bytes(text, p->first_column, NULL);
        cells_put(browser->cells, at, column, end - column, style_of(row->line->mark), text);
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        const struct diff_code_page *p = own(page);
        const struct code_page_row *row = &p->rows[index];
        unsigned columns = browser->cells->columns;
        unsigned width = columns > MARK_COLUMNS ? (columns - MARK_COLUMNS) / 2 : 0;

        if (row->text) {
                cells_put(browser->cells, at, 0, columns,
                          (struct cell_style){.attributes = row->is_block ? CELL_BOLD : 0}, row->text);
                return;
        }
        draw_side(browser, p, row, CODE_A, 0, width, at);
        cells_put(browser->cells, at, width + 1, 1, style_of(row->line->mark), (char[]){row->line->mark, 0});
        draw_side(browser, p, row, CODE_B, width + MARK_COLUMNS, width, at);
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        struct diff_code_page *p = own(page);

        if (p->columns != browser->cells->columns)
                make_rows(p, browser->cells->columns);
        page_draw_rows(browser, page, from, to);
}

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        (void)browser;
        buf_add_str(out, own(page)->title);
}

/* --- Keys --- */

static void next_block(struct diff_code_page *p, bool back)
{
        size_t n = p->page.list.n;

        for (size_t i = 1; i <= n; i++) {
                size_t row = (p->page.list.at + (back ? n - i : i)) % n;

                if (p->rows[row].is_block) {
                        browse_list_go_to(&p->page.list, row);
                        return;
                }
        }
}

static void go_to_hottest(struct browser *browser, struct diff_code_page *p)
{
        size_t best = SIZE_MAX;
        double hottest = 0;

        for (size_t i = 0; i < p->page.list.n; i++) {
                double heat = p->rows[i].line
                                      ? percent_of(&p->rows[i], CODE_A) + percent_of(&p->rows[i], CODE_B)
                                      : 0;

                if (heat > hottest) {
                        hottest = heat;
                        best = i;
                }
        }
        if (best != SIZE_MAX)
                browse_list_go_to(&p->page.list, best);
        else
                browser_say(browser, "no line that is shown has samples");
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct diff_code_page *p = own(page);

        switch (key->kind) {
        case KEY_RIGHT: p->first_column += p->first_column < MAX_SIDE ? SIDE_STEP : 0; return true;
        case KEY_LEFT: p->first_column -= p->first_column ? SIDE_STEP : 0; return true;
        case KEY_TAB:
        case KEY_BACK_TAB: next_block(p, key->kind == KEY_BACK_TAB); return true;
        case KEY_CHAR:
                if (key->code != 'H')
                        break;
                go_to_hottest(browser, p);
                return true;
        default: break;
        }
        return browse_list_key(&p->page.list, key, page->first_row);
}

static bool matches(const struct browser *browser, const struct page *page, size_t index)
{
        const struct code_page_row *row = &own(page)->rows[index];

        if (row->text)
                return browser_matches(browser, row->text);
        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (row->line->sides[side].exists && browser_matches(browser, row->line->sides[side].text))
                        return true;
        }
        return false;
}

static void release(struct page *page)
{
        struct diff_code_page *p = own(page);

        code_diff_release(&p->diff);
        arena_release(&p->texts);
        arena_release(&p->wrapped);
        free(p->rows);
        free(p->title);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Esc back  TAB next block  H hottest  / search  right, left scroll",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .matches = matches,
        .free = release,
};

static void measure_addresses(struct diff_code_page *p)
{
        uint64_t largest = 0;

        for (size_t i = 0; i < p->diff.rows.n_functions; i++) {
                for (int side = 0; side < CODE_N_SIDES; side++) {
                        uint64_t end = p->diff.rows.functions[i].sides[side].addr +
                                       p->diff.rows.functions[i].size_bytes[side];

                        largest = end > largest ? end : largest;
                }
        }
        for (p->address_digits = 1; largest >>= 4;)
                p->address_digits++;
}

struct page *page_diff_code_new(const char *title, const char *const paths[CODE_N_SIDES], const char *module,
                                struct code_diff *diff)
{
        struct diff_code_page *p = mem_new(1, sizeof(*p));

        p->page.kind = &kind;
        p->page.list.takes_j_k = true;
        p->title = mem_strdup(title);
        p->module = arena_copy(&p->texts, module, strlen(module));
        p->diff = *diff;
        *diff = (struct code_diff){0};
        p->view.rows = &p->diff.rows;
        for (int side = 0; side < CODE_N_SIDES; side++)
                p->view.paths[side] = paths[side];
        measure_addresses(p);
        return &p->page;
}
