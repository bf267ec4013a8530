/* SPDX-License-Identifier: BSD-3-Clause */
#include "spe_output.h"

#include <stdlib.h>
#include <string.h>

/* Events of the CPU's own counters. */
static const struct {
        const char *name, *index;
        bool is_known;
} counters[] = {
        {"sample_pop", "0x4000", false},
        {"sample_feed", "0x4001", false},
        {"sample_filtrate", "0x4002", true},
        {"sample_collision", "0x4003", false},
};

static const char *const notes[] = {
        "sample_filtrate is the number of samples in the session; sample_pop, sample_feed and sample_collision are not known, "
        "because a session of samples does not count them",
};

static void add_table(struct spe_output *o, enum sheet_kind kind, uint32_t cpu, uint64_t n_samples)
{
        struct sheet_row *rows = arena_alloc(&o->arena, sizeof(*rows) * N_ELEMENTS(counters));

        for (size_t i = 0; i < N_ELEMENTS(counters); i++)
                rows[i] = (struct sheet_row){
                        .name = counters[i].name,
                        .index = counters[i].index,
                        .note = "e",
                        .value = counters[i].is_known ? n_samples : 0,
                        .deviation_percent = -1,
                        .not_counted = counters[i].is_known ? NULL : notes[0],
                        .instead = "<not known>",
                };
        o->sheet.tables[o->sheet.n_tables++] = (struct sheet_table){
                .kind = kind,
                .class = COUNT_CORE,
                .number = cpu,
                .pmu = "",
                .rows = rows,
                .n_rows = N_ELEMENTS(counters),
        };
}

static bool samples_kernel(const struct report *report)
{
        for (size_t i = 0; i < report->n_events; i++) {
                if (report->events[i].is_source)
                        return !(report->events[i].attr.flags & PERF_ATTR_EXCLUDE_KERNEL);
        }
        return false;
}

void spe_output_init(struct spe_output *o, const struct report *report, bool is_text)
{
        size_t n;
        uint32_t *cpus = profile_spe_cpus(report->profile, &n);
        uint64_t all = 0;

        *o = (struct spe_output){0};
        o->sheet.tables = arena_alloc(&o->arena, (n + 1) * sizeof(*o->sheet.tables));
        for (size_t i = 0; i < n; i++) {
                uint64_t n_samples = profile_spe_count(report->profile, cpus[i]);

                all += n_samples;
                if (n == 1 || !is_text)
                        add_table(o, SHEET_CPU, cpus[i], n_samples);
        }
        if (n != 1)
                add_table(o, SHEET_SYSTEM, COUNTS_NO_CPU, all);
        free(cpus);
        o->sheet.kernel = samples_kernel(report);
        o->sheet.n_events = N_ELEMENTS(counters);
        o->sheet.worst_share = 1;
        o->view = (struct stat_view){
                .sheet = &o->sheet,
                .subject = "samples whose core is not known",
                .n_runs = 1,
                .elapsed_ns = report->run.info.elapsed_ns,
                .elapsed_deviation_percent = -1,
                .notes = notes,
                .n_notes = N_ELEMENTS(notes),
        };
}

void spe_output_release(struct spe_output *o)
{
        arena_release(&o->arena);
}
