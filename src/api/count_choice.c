/* SPDX-License-Identifier: BSD-3-Clause */
/* From the texts of -e, -m, -E and -C to a list of events, on this machine or on one that is only looked at. */
#include "collector.h"
#include "count_run.h"
#include "counting.h"
#include "event_facts.h"
#include "extra_source.h"

bool count_choice_source(const struct count_choice *choice, struct pmu_source *ret, struct err *err)
{
        const struct catalogue_cpu *model = NULL;

        if (choice->cpu_model) {
                model = event_facts_find_model(choice->cpu_model, err);
                if (!model)
                        return false;
        }
        *ret = model ? core_model_source(model) : collector_pmu_source(choice->sysfs);
        return true;
}

bool count_choice_parse(const struct count_choice *choice, struct count_list *ret, struct err *err)
{
        struct extra_names names = {0};
        const struct count_text text = {
                .events = choice->events,
                .metrics = choice->metrics,
                .kernel = choice->kernel,
                .extra = &names,
                .dmc = choice->dmc,
                .measure_counters = choice->cpu_model || choice->sysfs ? NULL : counting_probe_counters,
        };
        struct pmu_source source;
        bool ok;

        if (!count_choice_source(choice, &source, err) ||
            !extra_source_read(choice->extra_events, choice->metrics_file, &names, err))
                return false;
        ok = count_list_parse(&text, &source, ret, err);
        extra_names_release(&names);
        return ok;
}

const char *count_source_note(const struct count_choice *choice)
{
        struct pmu_source source = collector_pmu_source(choice->sysfs);
        char pmu[64];

        if (choice->events || choice->metrics || choice->cpu_model || event_has_core_pmu(&source, pmu))
                return "";
        return "no hardware counters here (no core PMU, as in most virtual machines), so software events are "
               "counted; on bare metal or with a passed-through PMU cycles and instructions are too";
}
