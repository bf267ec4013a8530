/* SPDX-License-Identifier: BSD-3-Clause */
#include "view_rows.h"

static struct hot_view_row hot_row_of(const struct hot *hot, const struct hot_row *row, const char *symbol)
{
        return (struct hot_view_row){
                .event = row->event,
                .pid = row->pid,
                .tid = row->tid,
                .cpu = row->cpu,
                .comm = hot_text(hot, row->comm),
                .process = hot_text(hot, row->process),
                .symbol = hot_text(hot, row->symbol),
                .bare = hot_text(hot, row->bare),
                .module = hot_text(hot, row->module),
                .line = hot_text(hot, row->line),
                .file = hot_text(hot, row->file),
                .source = hot_text(hot, row->source),
                .is_native = row->is_native,
                .machine = hot_machine_text((enum exec_machine)row->machine),
                .is_in_several = row->is_in_several,
                .has_addr = row->has_addr,
                .is_hidden = symbol && !hot_row_matches(hot, row, symbol),
                .addr = row->addr,
                .count = row->count,
                .share = row->share,
                .low = row->low,
                .high = row->high,
        };
}

static void add_pcs(const struct hot *hot, struct hot_view *view, struct arena *arena)
{
        size_t n = hot_n_pcs(hot);
        struct hot_view_pc *pcs = arena_alloc(arena, n * sizeof(*pcs));

        for (size_t i = 0; i < n; i++) {
                const struct hot_pc *pc = hot_get_pc(hot, i);

                pcs[i] = (struct hot_view_pc){pc->event, pc->row, pc->addr, pc->count};
        }
        view->pcs = pcs;
        view->n_pcs = n;
}

void view_rows_of_hot(const struct hot *hot, struct hot_view *view, struct arena *arena)
{
        size_t n = hot_n_rows(hot);
        struct hot_view_row *rows = arena_alloc(arena, n * sizeof(*rows));

        for (size_t i = 0; i < n; i++)
                rows[i] = hot_row_of(hot, hot_get_row(hot, i), view->symbol);
        view->rows = rows;
        view->n_rows = n;
        if (view->verbose)
                add_pcs(hot, view, arena);
}

static struct branch_view_row branch_row_of(const struct branch_rows *rows, const struct branch_row *row,
                                            const char *symbol)
{
        return (struct branch_view_row){
                .event = row->event,
                .from = {branch_rows_text(rows, row->from), branch_rows_text(rows, row->from_module),
                         row->from_addr},
                .to = {branch_rows_text(rows, row->to), branch_rows_text(rows, row->to_module), row->to_addr},
                .is_hidden = symbol && !branch_row_matches(rows, row, symbol),
                .count = row->count,
                .n_told = row->n_told,
                .n_mispredicted = row->n_mispredicted,
                .n_timed = row->n_timed,
                .cycles = row->cycles,
        };
}

struct branch_view_rows *view_rows_of_branches(const struct branch_rows *rows, const char *symbol,
                                               size_t n_events, struct arena *arena)
{
        struct branch_view_rows *ret = arena_alloc(arena, sizeof(*ret));
        size_t n = branch_rows_n(rows);
        struct branch_view_row *items = arena_alloc(arena, n * sizeof(*items));
        uint64_t *counts = arena_alloc(arena, n_events * sizeof(*counts));

        for (size_t i = 0; i < n; i++)
                items[i] = branch_row_of(rows, branch_rows_get(rows, i), symbol);
        for (size_t i = 0; i < n_events; i++)
                counts[i] = branch_rows_count(rows, (uint32_t)i);
        *ret = (struct branch_view_rows){.items = items, .n = n, .counts = counts};
        return ret;
}
