/* SPDX-License-Identifier: BSD-3-Clause */
/* Suggests names for one that `man` does not know. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "manual_internal.h"
#include "mem.h"
#include "text.h"
#include "text_match.h"

static bool is_built_in(struct manual_name name)
{
        size_t n;
        const struct catalogue_metric *metrics = catalogue_built_in(&n);

        for (size_t i = 0; i < n; i++) {
                if (manual_is_name(name, metrics[i].name))
                        return true;
        }
        return false;
}

const struct catalogue_cpu *manual_find_model(struct manual_name name)
{
        const struct catalogue_cpu *cpu, *best = NULL;

        if (catalogue_find_anywhere(name.at, name.len, &cpu))
                return cpu;
        /* Built-in metrics are those of no model. */
        if (is_built_in(name))
                return catalogue_find_cpu("armv8-a");
        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                cpu = catalogue_get_cpu(i);
                if (!catalogue_find_metric(cpu, name.at, name.len) &&
                    !catalogue_find_group(cpu, name.at, name.len))
                        continue;
                if (!best || (!text_starts(best->id, "neoverse") && text_starts(cpu->id, "neoverse")))
                        best = cpu;
        }
        return best;
}

struct nearest_names {
        const char **items;
        size_t n, cap;
        struct arena texts;
};

static void add_name(struct nearest_names *names, const char *name)
{
        ARRAY_PUSH(names->items, names->n, names->cap, name);
}

static void add_model_names(struct nearest_names *names, const struct catalogue_cpu *cpu)
{
        size_t n_built_in;
        const struct catalogue_metric *built_in = catalogue_built_in(&n_built_in);

        for (size_t i = 0; i < cpu->n_metrics; i++)
                add_name(names, cpu->metrics[i].name);
        for (size_t i = 0; i < cpu->n_events; i++)
                add_name(names, catalogue_get_event(cpu, i)->name);
        for (size_t i = 0; i < cpu->n_groups; i++)
                add_name(names, cpu->groups[i].name);
        for (size_t i = 0; i < n_built_in; i++)
                add_name(names, built_in[i].name);
}

static bool add_generic_name(void *ctx, const struct generic_event *event)
{
        struct nearest_names *names = ctx;

        add_name(names, arena_copy(&names->texts, event->name, strlen(event->name)));
        return true;
}

bool manual_explain_unknown(const struct event_facts *facts, const struct catalogue_cpu *cpu,
                            struct manual_name name, struct err *err)
{
        const struct catalogue_cpu *other = manual_find_model(name);
        struct nearest_names names = {0};
        AUTO_RELEASE(buf) word = {0};
        const char *nearest;

        buf_add(&word, name.at, name.len < 60 ? name.len : 60);
        if (cpu)
                add_model_names(&names, cpu);
        for (size_t i = 0; !cpu && i < facts->kinds.n_items; i++) {
                if (event_facts_model(facts, i))
                        add_model_names(&names, event_facts_model(facts, i));
        }
        if (!cpu)
                generic_event_each(add_generic_name, &names);
        if (!cpu && !facts->kinds.n_items && catalogue_find_cpu("armv8-a"))
                add_model_names(&names, catalogue_find_cpu("armv8-a"));
        nearest = text_nearest(buf_text(&word), names.items, names.n);
        if (other && other != cpu)
                err_set(err, ERR_MISSING,
                        "warning: \"%s\" not found! Ensure it is compatible with the specified CPU; '%s/%s' is known",
                        buf_text(&word), other->id, buf_text(&word));
        else
                err_set(err, ERR_MISSING,
                        "warning: \"%s\" not found! Ensure it is compatible with the specified CPU%s%s%s",
                        buf_text(&word), nearest ? "; did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "");
        free(names.items);
        arena_release(&names.texts);
        return false;
}
