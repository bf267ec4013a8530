/* SPDX-License-Identifier: BSD-3-Clause */
#include "measured_counts.h"

#include <string.h>

#include "count_replay.h"
#include "measured_facts.h"

struct measuring_counts {
        struct run_values *values;
        bool any, is_poor;
};

/* The sum of all CPUs or units, or what was counted for the command. */
static bool is_sum(const struct sheet_table *table)
{
        return table->kind == SHEET_SYSTEM || table->kind == SHEET_ALL_UNITS ||
               (table->kind == SHEET_CPU && table->number == COUNTS_NO_CPU);
}

static void add_table(struct measuring_counts *m, const struct sheet_table *table)
{
        for (size_t i = 0; i < table->n_rows; i++) {
                const struct sheet_row *row = &table->rows[i];
                const struct run_event event = {
                        .name = row->name,
                        .is_time = row->unit && !strcmp(row->unit, "ns"),
                        .is_counted = true,
                        .amount = (double)row->scaled,
                };

                if (row->not_counted)
                        continue;
                run_values_add_event(m->values, &event);
                m->any = true;
        }
}

/* A session with a timeline has several rounds, which are added up. */
static bool add_round(void *ctx, const struct sheet *sheet, uint64_t elapsed_ns)
{
        struct measuring_counts *m = ctx;
        bool has_sum = false;

        (void)elapsed_ns;
        for (size_t i = 0; i < sheet->n_tables; i++)
                has_sum |= is_sum(&sheet->tables[i]);
        for (size_t i = 0; i < sheet->n_tables; i++) {
                if (!has_sum || is_sum(&sheet->tables[i]))
                        add_table(m, &sheet->tables[i]);
        }
        m->is_poor |= sheet_is_poor(sheet);
        return true;
}

static void add_times(struct run_values *values, const struct count_replay *replay)
{
        const struct run_info *info = &replay->info;

        if (!replay->has_info)
                return;
        if (info->start_ns)
                run_values_set_start(values, (double)info->start_ns);
        run_values_set_time(values, RUN_ELAPSED, (double)info->elapsed_ns);
        if (!info->user_ns && !info->kernel_ns)
                return;
        run_values_set_time(values, RUN_USER, (double)info->user_ns);
        run_values_set_time(values, RUN_KERNEL, (double)info->kernel_ns);
}

bool measured_counts_add(struct run_values *values, enum run_side side, const char *name,
                         struct perfdata_reader *reader, struct buf *warnings, struct err *err)
{
        struct count_replay replay = {0};
        struct measuring_counts m = {.values = values};
        bool ok = count_replay_open(&replay, reader, err);

        if (ok) {
                run_values_add_run(values, side, name);
                measured_facts_add(values, reader);
                add_times(values, &replay);
                ok = count_replay_read(&replay, reader, add_round, &m, err);
        }
        if (ok && !m.any)
                ok = err_set(err, ERR_MISSING, "none of its events was counted");
        if (ok && warnings && (m.is_poor || replay.damaged))
                buf_printf(warnings, "%s: %s\n", name,
                           replay.damaged
                                   ? "the recorder did not finish the file"
                                   : "an event was counted for less than half of the time, or not at all");
        count_replay_release(&replay);
        return ok || err_in(err, "%s", name);
}
