/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_diff_view.h"

#include <inttypes.h>
#include <string.h>

#include "table.h"
#include "text.h"
#include "text_printable.h"

static const char *const state_names[CODE_N_STATES] = {
        [CODE_CHANGED] = "changed",       [CODE_ONLY_A] = "only in A",
        [CODE_ONLY_B] = "only in B",      [CODE_ADDRESSES] = "same but for addresses",
        [CODE_MOVED] = "moved",           [CODE_IDENTICAL] = "identical",
        [CODE_UNKNOWN] = "not available",
};

static const char *const block_names[] = {
        [CODE_BLOCK_SAME] = "same",        [CODE_BLOCK_ORDER] = "in another order",
        [CODE_BLOCK_CHANGED] = "changed",  [CODE_BLOCK_ONLY_A] = "only in A",
        [CODE_BLOCK_ONLY_B] = "only in B", [CODE_BLOCK_REGISTERS] = "same but for registers",
};

static const char *const change_names[CODE_N_CHANGES] = {
        [CODE_CHANGE_NONE] = "",
        [CODE_CHANGE_CONSTANT] = "a constant",
        [CODE_CHANGE_BOUND] = "a bound",
        [CODE_CHANGE_INLINED] = "an inlined callee",
        [CODE_CHANGE_CALLS] = "a call",
        [CODE_CHANGE_SPILL] = "a spill",
        [CODE_CHANGE_VECTORS] = "a vectorised loop",
        [CODE_CHANGE_OTHER] = "other",
};

static double share(uint64_t part, uint64_t all)
{
        return all ? 100.0 * (double)part / (double)all : 0;
}

static void add_share(struct table *table, const struct code_rows *rows, int side, uint64_t part)
{
        if (rows->has_samples[side])
                table_add_fixed(table, share(part, rows->weight[side]));
        else
                table_add_none(table);
}

static bool has_samples(const struct code_rows *rows)
{
        return rows->has_samples[CODE_A] || rows->has_samples[CODE_B];
}

/* --- Summary --- */

static const struct column summary_columns[] = {
        {.name = "functions", .type = COLUMN_U64},
        {.name = "% of A", .key = "a_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "% of B", .key = "b_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "machine code", .key = "state"},
};

/* Columns of shares are left out without samples. */
struct shown_columns {
        struct column list[16];
        size_t n;
};

static void take_columns(const struct code_rows *rows, const struct column *columns, size_t n,
                         struct shown_columns *ret)
{
        ret->n = 0;
        for (size_t i = 0; i < n; i++) {
                if (!columns[i].is_share || has_samples(rows))
                        ret->list[ret->n++] = columns[i];
        }
}

static struct table *make_summary(const struct code_diff_view *view, struct shown_columns *columns)
{
        const struct code_rows *rows = view->rows;
        struct table *table;

        take_columns(rows, summary_columns, N_ELEMENTS(summary_columns), columns);
        table = table_new(columns->list, columns->n);
        for (int state = 0; state < CODE_N_STATES; state++) {
                if (!rows->n_by_state[state] && state == CODE_UNKNOWN)
                        continue;
                table_add_u64(table, rows->n_by_state[state]);
                for (int side = 0; side < CODE_N_SIDES && has_samples(rows); side++)
                        add_share(table, rows, side, rows->weight_by_state[state][side]);
                table_add_text(table, state_names[state]);
        }
        table_color(table, view->is_colored);
        return table;
}

/* --- Functions --- */

static const struct column function_columns[] = {
        {.name = "% of A", .key = "a_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "% of B", .key = "b_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "B - A", .key = "gain_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "machine code", .key = "state"},
        {.name = "change"},
        {.name = "blocks A", .key = "a_blocks", .type = COLUMN_U64},
        {.name = "blocks B", .key = "b_blocks", .type = COLUMN_U64},
        {.name = "same", .key = "same_blocks", .type = COLUMN_U64},
        {.name = "registers", .key = "register_blocks", .type = COLUMN_U64},
        {.name = "A", .key = "a_address", .type = COLUMN_HEX},
        {.name = "B", .key = "b_address", .type = COLUMN_HEX},
        {.name = "detail", .can_cut = true},
        {.name = "function", .can_cut = true, .is_name = true},
};

/* "f:python3.11", or "f -> f.isra.0:python3.11" if it has another name in B. */
static void add_function_name(const struct code_function_row *row, struct table *table)
{
        int first = row->sides[CODE_A].exists ? CODE_A : CODE_B;
        AUTO_RELEASE(buf) name = {0};
        size_t len;

        buf_add_str(&name, row->sides[first].text);
        if (first == CODE_A && row->sides[CODE_B].exists &&
            strcmp(row->sides[CODE_A].text, row->sides[CODE_B].text) != 0)
                buf_printf(&name, " -> %s", row->sides[CODE_B].text);
        len = name.len;
        if (row->modules[first])
                buf_printf(&name, ":%s", row->modules[first]);
        table_add_name(table, buf_text(&name), name.len - len);
}

static void add_text(const char *text, struct table *table)
{
        if (text[0])
                table_add_text(table, text);
        else
                table_add_none(table);
}

/* The time that the function takes more in B, in percent of all of A. */
static void add_gain(const struct code_rows *rows, const struct code_function_row *row, struct table *table)
{
        double a = (double)row->sides[CODE_A].weight, b = (double)row->sides[CODE_B].weight;

        if (rows->has_samples[CODE_A] && rows->has_samples[CODE_B] && rows->weight[CODE_A])
                table_add_fixed(table, 100 * (b - a) / (double)rows->weight[CODE_A]);
        else
                table_add_none(table);
}

static void add_function(const struct code_diff_view *view, const struct code_function_row *row,
                         struct table *table)
{
        bool is_pair = row->sides[CODE_A].exists && row->sides[CODE_B].exists;

        for (int side = 0; side < CODE_N_SIDES && has_samples(view->rows); side++)
                add_share(table, view->rows, side, row->sides[side].weight);
        if (has_samples(view->rows))
                add_gain(view->rows, row, table);
        table_add_text(table, state_names[row->state]);
        add_text(change_names[row->change], table);
        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (is_pair)
                        table_add_u64(table, row->n_blocks[side]);
                else
                        table_add_none(table);
        }
        if (is_pair) {
                table_add_u64(table, row->n_same);
                table_add_u64(table, row->n_renamed);
        } else {
                table_add_none(table);
                table_add_none(table);
        }
        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (row->sides[side].exists)
                        table_add_u64(table, row->sides[side].addr);
                else
                        table_add_none(table);
        }
        add_text(row->detail ? row->detail : "", table);
        add_function_name(row, table);
}

static bool is_same_code(const struct code_function_row *row)
{
        return row->state == CODE_IDENTICAL || row->state == CODE_MOVED || row->state == CODE_ADDRESSES;
}

/* `all`: also functions with the same code, and as many as there are. */
static struct table *make_functions(const struct code_diff_view *view, bool all,
                                    struct shown_columns *columns, size_t *ret_n_more)
{
        struct table *table;

        take_columns(view->rows, function_columns, N_ELEMENTS(function_columns), columns);
        table = table_new(columns->list, columns->n);
        *ret_n_more = 0;
        for (size_t i = 0; i < view->rows->n_functions; i++) {
                const struct code_function_row *row = &view->rows->functions[i];

                if (!all && is_same_code(row))
                        continue;
                if (!all && table_n_rows(table) >= view->max_rows)
                        ++*ret_n_more;
                else
                        add_function(view, row, table);
        }
        table_color(table, view->is_colored);
        return table;
}

/* --- One function --- */

static void add_changed_share(const struct code_diff_view *view, const struct code_function_row *row,
                              struct buf *out)
{
        const struct code_row_side *a = &row->sides[CODE_A], *b = &row->sides[CODE_B];

        if (a->weight && b->weight)
                buf_printf(out, ", %.1f %% of its samples in A and %.1f %% in B in changed ones",
                           share(row->changed_weight[CODE_A], a->weight),
                           share(row->changed_weight[CODE_B], b->weight));
        else if (a->weight || b->weight)
                buf_printf(out, ", %.1f %% of its samples in changed ones",
                           a->weight ? share(row->changed_weight[CODE_A], a->weight)
                                     : share(row->changed_weight[CODE_B], b->weight));
        else if (has_samples(view->rows))
                buf_add_str(out, "; it has no samples");
}

static void add_changed_sentence(const struct code_diff_view *view, const struct code_function_row *row,
                                 struct buf *out)
{
        buf_printf(out, "machine code identical in %zu of %zu blocks", row->n_same, row->n_blocks[CODE_A]);
        if (row->n_blocks[CODE_A] != row->n_blocks[CODE_B])
                buf_printf(out, " (%zu in B)", row->n_blocks[CODE_B]);
        if (row->n_renamed)
                buf_printf(out, ", the same but for registers in %zu", row->n_renamed);
        add_changed_share(view, row, out);
        if (row->n_reordered)
                buf_printf(out, "; %zu of the identical blocks %s in another order", row->n_reordered,
                           row->n_reordered == 1 ? "is" : "are");
        if (row->n_entries_changed)
                buf_printf(out, "; %zu elements of its jump tables lead to other blocks",
                           row->n_entries_changed);
        buf_printf(out, "; change: %s", change_names[row->change]);
        if (row->detail[0])
                buf_printf(out, " (%s)", row->detail);
        if (row->is_too_large)
                buf_add_str(out, "; a part was too large to be aligned, so more blocks may be identical");
}

void code_diff_view_sentence(const struct code_diff_view *view, const struct code_function_row *row,
                             struct buf *out)
{
        const char *name = row->sides[row->sides[CODE_A].exists ? CODE_A : CODE_B].text;
        size_t n = row->n_blocks[CODE_A];

        buf_printf(out, "%s: ", name);
        switch (row->state) {
        case CODE_CHANGED: add_changed_sentence(view, row, out); break;
        case CODE_IDENTICAL: buf_printf(out, "machine code identical, %zu blocks", n); break;
        case CODE_MOVED:
                buf_printf(out, "machine code identical, %zu blocks; moved from 0x%" PRIx64 " to 0x%" PRIx64,
                           n, row->sides[CODE_A].addr, row->sides[CODE_B].addr);
                break;
        case CODE_ADDRESSES: buf_printf(out, "machine code the same but for addresses, %zu blocks", n); break;
        case CODE_UNKNOWN:
                buf_printf(out, "its code is not available in %s",
                           !row->sides[CODE_A].exists   ? "A"
                           : !row->sides[CODE_B].exists ? "B"
                                                        : "one of both");
                break;
        default: buf_printf(out, "%s", state_names[row->state]);
        }
        buf_add_char(out, '\n');
}

static const struct column line_columns[] = {
        {.name = "% A", .key = "a_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "A", .key = "a_address", .type = COLUMN_HEX},
        {.name = "code A", .key = "a_code", .can_cut = true},
        {.name = " ", .key = "mark"},
        {.name = "% B", .key = "b_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "B", .key = "b_address", .type = COLUMN_HEX},
        {.name = "code B", .key = "b_code", .can_cut = true},
};

/* Columns of a block, for CSV. */
static const struct column block_columns[] = {
        {.name = "function"},
        {.name = "block A", .key = "a_block", .type = COLUMN_U64},
        {.name = "block B", .key = "b_block", .type = COLUMN_U64},
        {.name = "state"},
};

static void add_line_side(const struct code_function_row *function, int side,
                          const struct code_row_side *line, bool with_shares, struct table *table)
{
        const uint64_t all = function->sides[side].weight;

        if (with_shares && line->exists && line->weight)
                table_add_fixed(table, share(line->weight, all));
        else if (with_shares)
                table_add_none(table);
        if (line->exists)
                table_add_u64(table, line->addr);
        else
                table_add_none(table);
        table_add_text(table, line->exists ? line->text : "");
}

static void add_line(const struct code_diff_view *view, const struct code_function_row *function,
                     const struct code_line_row *line, struct table *table)
{
        const char mark[2] = {line->mark, '\0'};

        add_line_side(function, CODE_A, &line->sides[CODE_A], has_samples(view->rows), table);
        table_add_text(table, mark);
        add_line_side(function, CODE_B, &line->sides[CODE_B], has_samples(view->rows), table);
}

static void add_number(size_t number, struct table *table)
{
        if (number)
                table_add_u64(table, number);
        else
                table_add_none(table);
}

void code_diff_view_block(const struct code_diff_view *view, const struct code_function_row *function,
                          const struct code_block_row *block, struct buf *out)
{
        const char *before = ", ";

        if (block->numbers[CODE_A] && block->numbers[CODE_B])
                buf_printf(out, "block %zu in A, block %zu in B: ", block->numbers[CODE_A],
                           block->numbers[CODE_B]);
        else
                buf_printf(out, "block %zu: ", block->numbers[CODE_A] + block->numbers[CODE_B]);
        buf_add_str(out, block_names[block->state]);
        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (!block->numbers[side] || !view->rows->has_samples[side])
                        continue;
                buf_printf(out, "%s%.2f %%%s in %c", before,
                           share(block->sides[side].weight, function->sides[side].weight),
                           *before == ',' && before[1] == ' ' ? " of the function's samples" : "",
                           side == CODE_A ? 'A' : 'B');
                before = " and ";
        }
        buf_add_char(out, '\n');
}

static void add_block_text(const struct code_diff_view *view, const struct code_function_row *function,
                           const struct code_block_row *block, struct buf *out)
{
        struct shown_columns columns;
        AUTO(table) table = NULL;

        buf_add_char(out, '\n');
        code_diff_view_block(view, function, block, out);
        if (!block->n_lines)
                return;
        take_columns(view->rows, line_columns, N_ELEMENTS(line_columns), &columns);
        table = table_new(columns.list, columns.n);
        for (size_t i = 0; i < block->n_lines; i++)
                add_line(view, function, &block->lines[i], table);
        table_color(table, view->is_colored);
        table_render_text(table, view->max_columns, out);
}

/* --- Blocks with most samples --- */

static const struct column hot_columns[] = {
        {.name = "% A", .key = "a_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "% B", .key = "b_percent", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "block A", .key = "a_block", .type = COLUMN_U64},
        {.name = "block B", .key = "b_block", .type = COLUMN_U64},
        {.name = "machine code", .key = "state"},
        {.name = "source", .can_cut = true},
        {.name = "A", .key = "a_address", .type = COLUMN_HEX},
        {.name = "B", .key = "b_address", .type = COLUMN_HEX},
};

enum { HOT_TEXT_COLUMNS = 6 }; /* without the addresses */

static void add_hot(const struct code_function_row *row, const struct code_hot_row *hot, bool with_addresses,
                    struct table *table)
{
        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (hot->numbers[side] && row->sides[side].weight)
                        table_add_fixed(table, share(hot->sides[side].weight, row->sides[side].weight));
                else
                        table_add_none(table);
        }
        add_number(hot->numbers[CODE_A], table);
        add_number(hot->numbers[CODE_B], table);
        table_add_text(table, block_names[hot->state]);
        table_add_text(table, hot->source);
        for (int side = 0; side < CODE_N_SIDES && with_addresses; side++) {
                if (hot->numbers[side])
                        table_add_u64(table, hot->sides[side].addr);
                else
                        table_add_none(table);
        }
}

/* Shares are of the function's samples. */
static struct table *make_hot(const struct code_diff_view *view, const struct code_function_row *row,
                              bool with_addresses)
{
        size_t n = with_addresses ? N_ELEMENTS(hot_columns) : (size_t)HOT_TEXT_COLUMNS;
        struct table *table = table_new(hot_columns, n);

        for (size_t i = 0; i < row->n_hot; i++)
                add_hot(row, &row->hot[i], with_addresses, table);
        table_color(table, view->is_colored);
        return table;
}

void code_diff_view_hot(const struct code_diff_view *view, const struct code_function_row *row,
                        struct buf *out)
{
        AUTO(table) table = NULL;

        if (!row->n_hot)
                return;
        buf_add_str(out, "blocks with most of the function's samples:\n");
        table = make_hot(view, row, false);
        table_render_text(table, view->max_columns, out);
}

/* --- Text of a function --- */

static uint64_t heat_of(const struct code_block_row *block)
{
        return block->sides[CODE_A].weight + block->sides[CODE_B].weight;
}

bool code_diff_view_lists(const struct code_function_row *row, const struct code_block_row *block)
{
        return block->state != CODE_BLOCK_REGISTERS && (heat_of(block) || !row->n_hot);
}

/* The limit of rows keeps the hottest blocks.  Without samples in the function, the first ones. */
static bool is_shown(const struct code_diff_view *view, const struct code_function_row *row, size_t index)
{
        uint64_t heat = heat_of(&row->blocks[index]);
        size_t n_before = 0;

        if (!code_diff_view_lists(row, &row->blocks[index]))
                return false;
        if (row->n_blocks_listed <= view->max_rows)
                return true;
        for (size_t i = 0; i < row->n_blocks_listed && n_before < view->max_rows; i++) {
                uint64_t other = heat_of(&row->blocks[i]);

                n_before += code_diff_view_lists(row, &row->blocks[i]) &&
                            (other > heat || (other == heat && i < index));
        }
        return n_before < view->max_rows;
}

static void add_function_text(const struct code_diff_view *view, const struct code_function_row *row,
                              struct buf *out)
{
        size_t n_listed = 0, n_shown = 0;

        code_diff_view_sentence(view, row, out);
        if (row->n_hot)
                buf_add_char(out, '\n');
        code_diff_view_hot(view, row, out);
        for (size_t i = 0; i < row->n_blocks_listed; i++) {
                n_listed += row->blocks[i].state != CODE_BLOCK_REGISTERS;
                if (!is_shown(view, row, i))
                        continue;
                add_block_text(view, row, &row->blocks[i], out);
                n_shown++;
        }
        if (n_listed > n_shown)
                buf_printf(out, "\n%zu more blocks are not shown%s\n", n_listed - n_shown,
                           n_shown < view->max_rows ? ": they have no samples"
                                                    : "; --sample-display-row N shows more");
}

/* --- Documents --- */

static void add_heads(const struct code_diff_view *view, struct buf *out)
{
        text_printf(out, "A: %s\n", view->paths[CODE_A]);
        text_printf(out, "B: %s\n", view->paths[CODE_B]);
        buf_add_char(out, '\n');
}

static void text_of_all(const struct code_diff_view *view, struct buf *out)
{
        struct shown_columns columns, more;
        AUTO(table) summary = make_summary(view, &columns);
        size_t n_more;
        AUTO(table) functions = make_functions(view, false, &more, &n_more);

        table_render_text(summary, view->max_columns, out);
        if (!table_n_rows(functions))
                return;
        buf_add_char(out, '\n');
        table_render_text(functions, view->max_columns, out);
        if (n_more)
                buf_printf(out, "%zu more functions are not shown; --sample-display-row N shows more\n",
                           n_more);
}

void code_diff_view_text(const struct code_diff_view *view, struct buf *out)
{
        add_heads(view, out);
        if (!view->with_blocks) {
                text_of_all(view, out);
                return;
        }
        for (size_t i = 0; i < view->rows->n_functions; i++) {
                if (i)
                        buf_add_char(out, '\n');
                add_function_text(view, &view->rows->functions[i], out);
        }
}

static void csv_of_blocks(const struct code_diff_view *view, struct buf *out)
{
        struct column list[N_ELEMENTS(block_columns) + N_ELEMENTS(line_columns)];
        struct shown_columns lines;
        AUTO(table) table = NULL;

        take_columns(view->rows, line_columns, N_ELEMENTS(line_columns), &lines);
        memcpy(list, block_columns, sizeof(block_columns));
        memcpy(list + N_ELEMENTS(block_columns), lines.list, lines.n * sizeof(*list));
        table = table_new(list, N_ELEMENTS(block_columns) + lines.n);
        for (size_t i = 0; i < view->rows->n_functions; i++) {
                const struct code_function_row *row = &view->rows->functions[i];

                for (size_t k = 0; k < row->n_blocks_listed; k++) {
                        const struct code_block_row *block = &row->blocks[k];

                        for (size_t l = 0; l < block->n_lines; l++) {
                                table_add_text(table, row->sides[CODE_A].text);
                                add_number(block->numbers[CODE_A], table);
                                add_number(block->numbers[CODE_B], table);
                                table_add_text(table, block_names[block->state]);
                                add_line(view, row, &block->lines[l], table);
                        }
                }
        }
        table_render_csv(table, out);
}

void code_diff_view_csv(const struct code_diff_view *view, struct buf *out)
{
        struct shown_columns columns;
        size_t n_more;

        if (view->with_blocks) {
                csv_of_blocks(view, out);
        } else {
                AUTO(table) functions = make_functions(view, true, &columns, &n_more);

                table_render_csv(functions, out);
        }
}

static void json_of_lines(const struct code_diff_view *view, const struct code_function_row *row,
                          const struct code_block_row *block, struct json *json)
{
        struct shown_columns columns;
        AUTO(table) table = NULL;

        take_columns(view->rows, line_columns, N_ELEMENTS(line_columns), &columns);
        table = table_new(columns.list, columns.n);
        for (size_t i = 0; i < block->n_lines; i++)
                add_line(view, row, &block->lines[i], table);
        json_key(json, "lines");
        table_render_json(table, true, json);
}

static void json_of_block(const struct code_diff_view *view, const struct code_function_row *row,
                          const struct code_block_row *block, struct json *json)
{
        static const char *const number_keys[] = {"a_block", "b_block"};
        static const char *const address_keys[] = {"a_address", "b_address"};
        static const char *const count_keys[] = {"a_samples", "b_samples"};

        json_begin_object(json);
        json_key_str(json, "state", block_names[block->state]);
        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (!block->numbers[side])
                        continue;
                json_key_u64(json, number_keys[side], block->numbers[side]);
                json_key(json, address_keys[side]);
                json_hex(json, block->sides[side].addr);
                if (view->rows->has_samples[side])
                        json_key_u64(json, count_keys[side], block->sides[side].count);
        }
        json_of_lines(view, row, block, json);
        json_end_object(json);
}

static void json_of_function(const struct code_diff_view *view, const struct code_function_row *row,
                             struct json *json)
{
        AUTO_RELEASE(buf) sentence = {0};

        code_diff_view_sentence(view, row, &sentence);
        buf_truncate(&sentence, sentence.len - 1);
        json_begin_object(json);
        json_key_str(json, "function", row->sides[row->sides[CODE_A].exists ? CODE_A : CODE_B].text);
        json_key_str(json, "sentence", buf_text(&sentence));
        json_key_u64(json, "reordered_blocks", row->n_reordered);
        json_key_u64(json, "register_blocks", row->n_renamed);
        json_key_u64(json, "changed_table_elements", row->n_entries_changed);
        json_key(json, "blocks");
        json_begin_array(json);
        for (size_t i = 0; i < row->n_blocks_listed; i++)
                json_of_block(view, row, &row->blocks[i], json);
        json_end_array(json);
        if (row->n_hot) {
                AUTO(table) hot = make_hot(view, row, true);

                json_key(json, "hot_blocks");
                table_render_json(hot, true, json);
        }
        json_end_object(json);
}

void code_diff_view_json(const struct code_diff_view *view, struct buf *out)
{
        struct shown_columns columns, more;
        AUTO(table) summary = make_summary(view, &columns);
        size_t n_more;
        AUTO(table) functions = make_functions(view, true, &more, &n_more);
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key_str(&json, "a", view->paths[CODE_A]);
        json_key_str(&json, "b", view->paths[CODE_B]);
        json_key(&json, "summary");
        table_render_json(summary, true, &json);
        json_key(&json, "functions");
        table_render_json(functions, true, &json);
        if (view->with_blocks) {
                json_key(&json, "compared");
                json_begin_array(&json);
                for (size_t i = 0; i < view->rows->n_functions; i++)
                        json_of_function(view, &view->rows->functions[i], &json);
                json_end_array(&json);
        }
        json_end_object(&json);
        buf_add_char(out, '\n');
}
