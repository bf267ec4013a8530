/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses -e, -m, -E and -C into a list of events, for this machine or for another one that is only
 * examined. */
#include "count_run.h"
#include "counting.h"
#include "event_facts.h"
#include "extra_source.h"
#include "kernel.h"

bool count_choice_parse(const struct count_choice *choice, struct count_list *ret, struct err *err)
{
        struct extra_names names = {0};
        const struct count_text text = {
                .events = choice->events,
                .metrics = choice->metrics,
                .detail = choice->detail,
                .kernel = choice->kernel,
                .leave_out = true,
                .extra = &names,
                .dmc = choice->dmc,
                .measure_counters = choice->cpu_model || choice->sysfs ? NULL : counting_probe_counters,
        };
        const struct catalogue_cpu *model = NULL;
        struct pmu_source source;
        bool ok;

        if (!choice->cpu_model && !choice->sysfs && !kernel_connect(choice->force_lock, err))
                return false;
        if (!event_facts_source(choice->cpu_model, choice->sysfs, &source, &model, err) ||
            !extra_source_read(choice->extra_events, choice->metrics_file, &names, err))
                return false;
        ok = count_list_parse(&text, &source, ret, err);
        extra_names_release(&names);
        return ok;
}

const char *count_source_note(const struct count_choice *choice, const struct count_list *list)
{
        const struct pmu_source source = kernel_pmu_source(choice->sysfs);

        if (choice->events || choice->metrics || list->kinds.n_items)
                return "";
        if (!event_knows_pmus(&source))
                return "hardware counters are not looked for, because /sys is not mounted here, so software events "
                       "are counted; mount -t sysfs sysfs /sys";
        return "no hardware counters here (no core PMU, as in most virtual machines), so "
               "software events are counted; to count cycles and instructions use a physical machine or give "
               "the virtual machine a PMU";
}
