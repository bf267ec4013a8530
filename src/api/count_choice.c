/* SPDX-License-Identifier: BSD-3-Clause */
/* From the texts of -e, -m, -E and -C to a list of events, on this machine or on one that is only looked at. */
#include "count_run.h"
#include "counting.h"
#include "event_facts.h"
#include "extra_source.h"

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

        if (!event_facts_source(choice->cpu_model, choice->sysfs, &source, &model, err) ||
            !extra_source_read(choice->extra_events, choice->metrics_file, &names, err))
                return false;
        ok = count_list_parse(&text, &source, ret, err);
        extra_names_release(&names);
        return ok;
}

const char *count_source_note(const struct count_choice *choice, const struct count_list *list)
{
        if (choice->events || choice->metrics || list->kinds.n_items)
                return "";
        return "no hardware counters here (no core PMU, as in most virtual machines), so software events are "
               "counted; bare metal or a passed-through PMU has cycles and instructions too";
}
