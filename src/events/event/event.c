/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of events, and the default event for sampling. */
#include "event.h"

#include <stdlib.h>

#include "err.h"
#include "pmu.h"
#include "text.h"

void event_list_release(struct event_list *list)
{
        for (size_t i = 0; i < list->n_items; i++)
                free(list->items[i].cpus);
        free(list->items);
        *list = (struct event_list){0};
}

bool event_has_core_pmu(const struct pmu_source *source, char *ret_name)
{
        struct pmu_table pmus;
        bool has;

        pmu_table_load(&pmus, source);
        has = pmus.n_cores > 0;
        if (has)
                text_copy(ret_name, PMU_NAME_MAX_BYTES, pmus.cores[0]->name);
        pmu_table_release(&pmus);
        return has;
}

bool event_knows_pmus(const struct pmu_source *source)
{
        struct pmu_table pmus;
        bool known;

        pmu_table_load(&pmus, source);
        known = pmus.known;
        pmu_table_release(&pmus);
        return known;
}

bool event_default_sampling(const struct event_defaults *defaults, const struct pmu_source *source,
                            struct event_list *ret, struct err *err)
{
        char name[PMU_NAME_MAX_BYTES];
        bool has = event_has_core_pmu(source, name);

        return event_parse_sampling(has ? "cycles" : "cpu-clock", defaults, source, ret, err);
}

bool event_by_number(const struct event *event, struct event *ret)
{
        /* Arm Architecture Reference Manual, PMU event numbers. */
        static const struct {
                uint32_t generic, number;
        } numbers[] = {
                {PERF_COUNT_HW_CPU_CYCLES, 0x11},    {PERF_COUNT_HW_INSTRUCTIONS, 0x08},
                {PERF_COUNT_HW_BRANCH_MISSES, 0x10}, {PERF_COUNT_HW_BUS_CYCLES, 0x1d},
                {PERF_COUNT_HW_CACHE_MISSES, 0x03},  {PERF_COUNT_HW_CACHE_REFERENCES, 0x04},
        };
        uint32_t pmu_type = (uint32_t)(event->attr.config >> 32);

        if (event->attr.type != PERF_TYPE_HARDWARE || !pmu_type || !text_starts(event->pmu, "arm"))
                return false;
        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                if (numbers[i].generic != (uint32_t)event->attr.config)
                        continue;
                *ret = *event;
                ret->attr.type = pmu_type;
                ret->attr.config = numbers[i].number;
                return true;
        }
        return false;
}
