/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which grammar the events are written in, and plans each class of counters. */
#include "machine_plan.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "count_config.h"
#include "err.h"
#include "mem.h"

static const char *const class_rows[] = {
        [COUNT_CORE] = "EVT_CORE",
        [COUNT_DSU] = "EVT_DSU",
        [COUNT_DMC_CLK] = "EVT_DMC_CLK",
        [COUNT_DMC_CLKDIV2] = "EVT_DMC_CLKDIV2",
};

static const size_t class_limits[] = {
        [COUNT_CORE] = SCHEDULE_CORE_MAX,
        [COUNT_DSU] = SCHEDULE_DSU_MAX,
        [COUNT_DMC_CLK] = SCHEDULE_DMC_CLK_MAX,
        [COUNT_DMC_CLKDIV2] = SCHEDULE_DMC_CLKDIV2_MAX,
};

void machine_plan_release(struct machine_plan *plan)
{
        count_list_release(&plan->counting);
        event_list_release(&plan->sampling);
        for (size_t i = 0; i < N_ELEMENTS(plan->schedules); i++)
                schedule_release(&plan->schedules[i]);
        *plan = (struct machine_plan){0};
}

/* --- events --- */

/* Whether an event has a period such as ":100000", which the grammar of `stat` does not allow. */
static bool has_interval(const char *text)
{
        for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
                if (at[1] >= '0' && at[1] <= '9')
                        return true;
        }
        return false;
}

static bool parse_events(const struct machine_support_request *request, struct machine_plan *plan,
                         struct err *err)
{
        const struct event_defaults defaults = {.kernel = request->kernel};
        const struct count_text text = {
                .events = request->events,
                .metrics = request->metrics,
                .kernel = request->kernel,
                .extra = &request->facts->extra,
                .dmc = UINT32_MAX,
        };
        const struct pmu_source *source = &request->facts->source;

        if (!request->metrics && has_interval(request->events)) {
                plan->has_sampling =
                        event_parse_sampling(request->events, &defaults, source, &plan->sampling, err);
                return plan->has_sampling;
        }
        plan->has_counting = count_list_parse(&text, source, &plan->counting, err);
        if (!plan->has_counting && !request->metrics)
                plan->has_sampling =
                        event_parse_sampling(request->events, &defaults, source, &plan->sampling, NULL);
        return plan->has_counting || plan->has_sampling;
}

/* If there are several kinds of cores, plans the first. */
static bool is_planned(const struct count_event *event, enum count_class class)
{
        return event->class == class && event->code >= 0 && !event->is_cycle && event->kind <= 0 &&
               !event->unit;
}

static bool make_schedule(struct machine_plan *plan, enum count_class class, unsigned n_counters,
                          struct buf *warnings, struct err *err)
{
        const struct count_list *list = &plan->counting;
        struct schedule_event *events = mem_new(list->n_items, sizeof(*events));
        size_t n = 0;
        bool ok;

        for (size_t i = 0; i < list->n_items; i++) {
                const struct count_event *event = &list->items[i];

                if (is_planned(event, class))
                        events[n++] =
                                (struct schedule_event){(uint32_t)event->code, event->group, event->metric};
        }
        if (n && !n_counters) {
                n_counters = USUAL_COUNTERS;
                buf_printf(warnings,
                           "the number of counters is not known: the plan assumes %u, as on many cores\n",
                           n_counters);
        }
        ok = !n || schedule_make(events, n, n_counters, class_limits[class], count_class_name(class),
                                 &plan->schedules[class], err);
        free(events);
        return ok;
}

bool machine_plan_make(const struct machine_support_request *request, const unsigned *n_counters,
                       struct machine_plan *ret, struct buf *warnings, struct err *err)
{
        struct machine_plan plan = {0};
        bool ok = true;

        plan.period_ms = count_config_period(request->config, warnings);
        if (request->events || request->metrics)
                ok = parse_events(request, &plan, err);
        for (enum count_class c = COUNT_CORE; ok && plan.has_counting && c < N_ELEMENTS(class_rows); c++)
                ok = make_schedule(&plan, c, n_counters[c], warnings, err);
        if (!ok) {
                machine_plan_release(&plan);
                return false;
        }
        if (plan.counting.warnings.len)
                buf_add_str(warnings, buf_text(&plan.counting.warnings));
        *ret = plan;
        return true;
}

bool machine_plan_has_class(const struct machine_plan *plan, enum count_class class)
{
        for (size_t i = 0; i < plan->counting.n_items; i++) {
                if (plan->counting.items[i].class == class)
                        return true;
        }
        return class == COUNT_CORE && plan->has_sampling;
}

/* --- rows --- */

void machine_plan_add_schedules(const struct machine_plan *plan, machine_support_row_fn *row, void *ctx)
{
        for (enum count_class c = COUNT_CORE; c < N_ELEMENTS(class_rows); c++) {
                const struct schedule *schedule = &plan->schedules[c];
                AUTO_RELEASE(buf) name = {0};
                AUTO_RELEASE(buf) indexes = {0};
                AUTO_RELEASE(buf) notes = {0};

                if (schedule->n_slots) {
                        schedule_add_indexes(schedule, &indexes);
                        schedule_add_notes(schedule, &notes);
                }
                buf_printf(&name, "ioctl_events[%s].index", class_rows[c]);
                row(ctx, name.data, buf_text(&indexes));
                buf_clear(&name);
                buf_printf(&name, "ioctl_events[%s].note", class_rows[c]);
                row(ctx, name.data, buf_text(&notes));
        }
}

static void add_event(const char *kind, size_t index, const struct event *event, machine_support_row_fn *row,
                      void *ctx)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) facts = {0};
        AUTO_RELEASE(buf) text = {0};

        event_describe_attr(&event->attr, &facts);
        buf_printf(&name, "%s_events[%zu]", kind, index);
        buf_printf(&text, "%s:", event->name);
        for (char *line = facts.data, *end; *line; line = end + 1) {
                end = strchr(line, '\n');
                buf_printf(&text, "%s %.*s", line == facts.data ? "" : ",", (int)(end - line), line);
        }
        row(ctx, name.data, text.data);
}

void machine_plan_add_events(const struct machine_plan *plan, machine_support_row_fn *row, void *ctx)
{
        for (size_t i = 0; i < plan->counting.n_items; i++)
                add_event("counting", i, &plan->counting.items[i].event, row, ctx);
        for (size_t i = 0; i < plan->sampling.n_items; i++)
                add_event("sampling", i, &plan->sampling.items[i], row, ctx);
}
