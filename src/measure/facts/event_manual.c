/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what a name means. */
#include "event_manual.h"

#include <string.h>

#include "buf.h"
#include "err.h"
#include "manual_internal.h"
#include "text_match.h"

/* --- kinds of names --- */

bool manual_is_name(struct manual_name name, const char *text)
{
        AUTO_RELEASE(buf) own = {0};

        buf_add(&own, name.at, name.len);
        return text_equal_nocase(buf_text(&own), text);
}

static bool tell_of_model(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                          struct manual_name name)
{
        const struct catalogue_metric *metric = catalogue_find_metric(cpu, name.at, name.len);
        const struct catalogue_event *event = metric ? NULL : catalogue_find_event(cpu, name.at, name.len);
        const struct catalogue_group *group =
                metric || event ? NULL : catalogue_find_group(cpu, name.at, name.len);

        if (metric)
                manual_add_metric(w, cpu, metric);
        else if (event)
                manual_add_event(w, cpu, event);
        else if (group)
                manual_add_group(w, cpu, group);
        return metric || event || group;
}

static bool tell_of_machine(const struct manual_writer *w, struct manual_name name)
{
        for (size_t i = 0; i < w->facts->kinds.n_items; i++) {
                const struct catalogue_cpu *cpu = event_facts_model(w->facts, i);

                if (cpu && tell_of_model(w, cpu, name))
                        return true;
        }
        return false;
}

static bool tell_of_users(const struct manual_writer *w, const char *prefix, struct manual_name name)
{
        const struct extra_names *extra = &w->facts->extra;

        for (size_t i = 0; i < extra->n_events; i++) {
                if (!strcmp(extra->events[i].prefix, prefix) && manual_is_name(name, extra->events[i].name)) {
                        manual_add_extra_event(w, &extra->events[i]);
                        return true;
                }
        }
        for (size_t i = 0; !*prefix && i < extra->n_metrics; i++) {
                if (manual_is_name(name, extra->metrics[i].name)) {
                        manual_add_extra_metric(w, &extra->metrics[i]);
                        return true;
                }
        }
        return false;
}

static bool tell_of_pmus(const struct manual_writer *w, struct manual_name name)
{
        for (size_t i = 0; i < w->facts->pmus.n_items; i++) {
                const struct pmu *pmu = &w->facts->pmus.items[i];
                AUTO_RELEASE(buf) own = {0};

                if (pmu_find_event(&w->facts->source, pmu, name.at, name.len, &own)) {
                        manual_add_pmu_event(w, pmu, buf_text(&own));
                        return true;
                }
        }
        return false;
}

static bool has_catalogued_cores(const struct event_facts *facts)
{
        for (size_t i = 0; i < facts->kinds.n_items; i++) {
                if (facts->kinds.items[i].vendor == CORE_ARM)
                        return true;
        }
        return false;
}

/* --- spellings --- */

static bool tell_bare(const struct manual_writer *w, struct manual_name name, struct err *err)
{
        struct manual_writer foreign = *w;
        const struct catalogue_cpu *cpu;
        struct generic_event generic;

        if (tell_of_machine(w, name) || tell_of_users(w, "", name))
                return true;
        if (generic_event_find(name.at, name.len, &generic)) {
                manual_add_generic(w, &generic);
                return true;
        }
        if (tell_of_pmus(w, name))
                return true;
        cpu = has_catalogued_cores(w->facts) ? NULL : manual_find_model(name);
        foreign.foreign = true;
        return (cpu && tell_of_model(&foreign, cpu, name)) ||
               manual_explain_unknown(w->facts, NULL, name, err);
}

/* Tells of an event of the class: as this machine's block describes it, else as any block does. */
static bool tell_of_class(const struct manual_writer *w, struct manual_name prefix, struct manual_name name)
{
        for (size_t i = 0; i < w->facts->n_blocks + pmu_block_count(); i++) {
                const struct pmu_block *block = i < w->facts->n_blocks
                                                        ? w->facts->blocks[i].block
                                                        : pmu_block_get(i - w->facts->n_blocks);
                const struct pmu_block_class *class = pmu_block_find_class(block, prefix.at, prefix.len);
                const struct pmu_block_event *event =
                        class ? pmu_block_find_event(class, name.at, name.len) : NULL;

                if (event) {
                        manual_add_block_event(w, block, class, event);
                        return true;
                }
        }
        return false;
}

/* CPU/NAME */
static bool tell_of_cpu(const struct manual_writer *w, struct manual_name item, size_t len, struct err *err)
{
        struct manual_name name = {item.at + len + 1, item.len - len - 1};
        const struct catalogue_cpu *cpu;
        AUTO_RELEASE(buf) id = {0};

        buf_add(&id, item.at, len);
        cpu = event_facts_find_model(buf_text(&id), err);
        if (!cpu) {
                err->code = ERR_MISSING;
                return err_in(err, "warning");
        }
        return tell_of_model(w, cpu, name) || manual_explain_unknown(w->facts, cpu, name, err);
}

/* /dsu/NAME */
static bool tell_prefixed(const struct manual_writer *w, struct manual_name item, struct err *err)
{
        const char *second = memchr(item.at + 1, '/', item.len - 1);
        const struct pmu_block_class *class;
        const struct pmu_block *block;
        struct manual_name prefix, name;

        if (!second)
                return tell_of_cpu(w, item, 0, err);
        prefix = (struct manual_name){item.at + 1, (size_t)(second - item.at - 1)};
        name = (struct manual_name){second + 1, item.len - prefix.len - 2};
        class = pmu_block_find_class_anywhere(prefix.at, prefix.len, &block);
        return tell_of_class(w, prefix, name) || (class && tell_of_users(w, class->name, name)) ||
               manual_explain_unknown(w->facts, NULL, item, err);
}

/* PMU/EVENT/ */
static bool tell_pmu_event(const struct manual_writer *w, struct manual_name item, struct err *err)
{
        size_t len = strcspn(item.at, "/");
        struct manual_name name = {item.at + len + 1, item.len > len + 2 ? item.len - len - 2 : 0};

        for (size_t i = 0; i < w->facts->pmus.n_items; i++) {
                const struct pmu *pmu = &w->facts->pmus.items[i];
                AUTO_RELEASE(buf) own = {0};

                if (manual_is_name((struct manual_name){item.at, len}, pmu->name) &&
                    pmu_find_event(&w->facts->source, pmu, name.at, name.len, &own)) {
                        manual_add_pmu_event(w, pmu, buf_text(&own));
                        return true;
                }
        }
        return manual_explain_unknown(w->facts, NULL, item, err);
}

static bool tell(const struct manual_writer *w, struct manual_name item, struct err *err)
{
        const char *slash = memchr(item.at, '/', item.len);

        if (!item.len)
                return err_set(err, ERR_USAGE, "a name is missing before or after a comma");
        if (!slash)
                return tell_bare(w, item, err);
        if (slash == item.at)
                return tell_prefixed(w, item, err);
        if (item.at[item.len - 1] == '/' && slash != &item.at[item.len - 1])
                return tell_pmu_event(w, item, err);
        return tell_of_cpu(w, item, (size_t)(slash - item.at), err);
}

bool event_manual(const struct event_facts *facts, char *const *words, size_t n_words,
                  event_manual_field_fn *field, void *ctx, struct err *err)
{
        const struct manual_writer w = {facts, field, ctx, false};

        for (size_t i = 0; i < n_words; i++) {
                for (const char *at = words[i];; at++) {
                        size_t len = strcspn(at, ",");

                        if (!tell(&w, (struct manual_name){at, len}, err))
                                return false;
                        at += len;
                        if (!*at)
                                break;
                }
        }
        return true;
}
