/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which sentences a page of `man` contains. */
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "manual_internal.h"
#include "text.h"

static void add_field(const struct manual_writer *w, const char *field, const char *text)
{
        if (text && *text)
                w->field(w->ctx, field, text);
}

/* Adds a field from a list whose items are separated by commas without blanks. */
static void add_list(const struct manual_writer *w, const char *field, const char *list)
{
        AUTO_RELEASE(buf) text = {0};

        for (const char *at = list; *at; at++) {
                buf_add_char(&text, *at);
                if (*at == ',')
                        buf_add_char(&text, ' ');
        }
        add_field(w, field, buf_text(&text));
}

static void add_head(const struct manual_writer *w, const char *cpu, const char *prefix, const char *name,
                     const char *title)
{
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&text, "%s%s", prefix, name);
        if (title && *title)
                buf_printf(&text, " - %s", title);
        add_field(w, "CPU", cpu);
        add_field(w, "NAME", buf_text(&text));
}

static void add_sentence(struct buf *out, const char *text)
{
        if (!text || !*text)
                return;
        buf_printf(out, "%s%c%s", out->len ? " " : "",
                   *text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text, text + 1);
        if (!text_ends(text, "."))
                buf_add_char(out, '.');
}

static void add_description(const struct manual_writer *w, struct buf *text)
{
        if (w->foreign)
                add_sentence(text, "This machine has no core of this model");
        add_field(w, "DESCRIPTION", buf_text(text));
}

/* --- pages --- */

static bool machine_has_model(const struct event_facts *facts, const struct catalogue_cpu *cpu)
{
        for (size_t i = 0; i < facts->kinds.n_items; i++) {
                if (event_facts_model(facts, i) == cpu)
                        return true;
        }
        return false;
}

void manual_add_metric(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                       const struct catalogue_metric *metric)
{
        AUTO_RELEASE(buf) text = {0};

        /* Its events are not those of cores. */
        bool is_foreign_unit = w->foreign && *metric->events == '/';

        add_head(w, is_foreign_unit ? "uncore" : cpu->id, "", metric->name, metric->title);
        add_list(w, "EVENTS", metric->events);
        add_sentence(&text, metric->title);
        if (is_foreign_unit) {
                add_sentence(&text, "This machine has no unit that counts these events");
                add_field(w, "DESCRIPTION", buf_text(&text));
        } else {
                add_description(w, &text);
        }
        add_field(w, "FORMULA", metric->formula);
        add_field(w, "UNIT", metric->unit);
}

void manual_add_group(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                      const struct catalogue_group *group)
{
        AUTO_RELEASE(buf) text = {0};

        add_head(w, cpu->id, "", group->name, group->title);
        add_list(w, "METRICS", group->metrics);
        add_sentence(&text, group->title);
        add_description(w, &text);
}

void manual_add_event(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                      const struct catalogue_event *event)
{
        AUTO_RELEASE(buf) text = {0};

        add_head(w, cpu->id, "", event->name, event->title);
        add_sentence(&text, event->title);
        buf_printf(&text, "%sIts number is 0x%04x.", text.len ? " " : "", event->code);
        if (machine_has_model(w->facts, cpu) && event_facts_core_has(w->facts, event) == CORE_HAS_NOT)
                add_sentence(&text,
                             "The PMU of this machine does not have this event, so wperf cannot count it");
        add_description(w, &text);
}

void manual_add_block_event(const struct manual_writer *w, const struct pmu_block *block,
                            const struct pmu_block_class *class, const struct pmu_block_event *event)
{
        AUTO_RELEASE(buf) prefix = {0};
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&prefix, "/%s/", class->name);
        add_head(w, "uncore", buf_text(&prefix), event->name, event->title);
        add_sentence(&text, event->title);
        buf_printf(&text, " Its number is 0x%04" PRIx64 ".", event->code);
        buf_printf(&text, " Each %s has its own counters", block->unit);
        for (size_t i = 0; i < w->facts->n_blocks; i++) {
                if (w->facts->blocks[i].block == block)
                        buf_printf(&text, ": %s", block->title);
        }
        buf_add_char(&text, '.');
        add_field(w, "DESCRIPTION", buf_text(&text));
        add_field(w, "UNIT", event->unit);
}

static const char *own_cpu(const struct event_facts *facts)
{
        for (size_t i = 0; i < facts->kinds.n_items; i++) {
                if (event_facts_model(facts, i))
                        return event_facts_model(facts, i)->id;
        }
        return "any";
}

void manual_add_generic(const struct manual_writer *w, const struct generic_event *event)
{
        static const char *const types[] = {
                [PERF_TYPE_HARDWARE] = "a hardware event",
                [PERF_TYPE_SOFTWARE] = "a software event",
                [PERF_TYPE_HW_CACHE] = "a hardware cache event",
        };
        AUTO_RELEASE(buf) text = {0};

        add_head(w, own_cpu(w->facts), "", event->name, event->title);
        add_sentence(&text, event->title);
        buf_printf(&text, " It is %s that the kernel defines", types[event->type]);
        if (event->alias)
                buf_printf(&text, ", also called %s", event->alias);
        buf_add_char(&text, '.');
        if (!event_facts_has_generic(w->facts, event))
                add_sentence(&text, "This machine can't count this event");
        add_field(w, "DESCRIPTION", buf_text(&text));
}

void manual_add_extra_event(const struct manual_writer *w, const struct extra_event *event)
{
        AUTO_RELEASE(buf) prefix = {0};
        AUTO_RELEASE(buf) text = {0};

        if (*event->prefix)
                buf_printf(&prefix, "/%s/", event->prefix);
        add_head(w, *event->prefix ? "uncore" : own_cpu(w->facts), buf_text(&prefix), event->name,
                 "<extra event>");
        buf_printf(&text, "This event was defined with -E. Its number is 0x%04x.", event->code);
        add_field(w, "DESCRIPTION", buf_text(&text));
}

void manual_add_extra_metric(const struct manual_writer *w, const struct extra_metric *metric)
{
        add_head(w, own_cpu(w->facts), "", metric->name, "<extra metric>");
        add_list(w, "EVENTS", metric->events);
        add_field(w, "DESCRIPTION", "This metric was defined with -C.");
}

void manual_add_pmu_event(const struct manual_writer *w, const struct pmu *pmu, const char *name)
{
        AUTO_RELEASE(buf) full = {0};
        AUTO_RELEASE(buf) terms = {0};
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&full, "%s/%s/", pmu->name, name);
        add_head(w, own_cpu(w->facts), "", full.data, "Kernel PMU event");
        buf_printf(&text, "The kernel describes it as %s/", pmu->name);
        if (pmu_read_event(&w->facts->source, pmu, name, &terms, NULL))
                buf_add_str(&text, buf_text(&terms));
        buf_add_str(&text, "/.");
        add_field(w, "DESCRIPTION", text.data);
}
