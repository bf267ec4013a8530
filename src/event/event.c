/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of events, and what to sample where nobody says. */
#include "event.h"

#include <stdlib.h>

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

bool event_default_sampling(const struct event_defaults *defaults, const struct pmu_source *source,
                            struct event_list *ret, struct err *err)
{
        char name[PMU_NAME_MAX_BYTES];
        bool has = event_has_core_pmu(source, name);

        return event_parse_sampling(has ? "cycles" : "cpu-clock", defaults, source, ret, err);
}
