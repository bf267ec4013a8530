/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up entries of the generated tables: binary search where they are sorted by name, linear search in the
 * short ones. */
#include <assert.h>
#include <string.h>

#include "catalogue_internal.h"
#include "event_grammar.h"

static const char armv8[] = "armv8-a";

/* Compares `name` (any case) with the lower-case `text`. */
static int compare_name(struct span name, const char *text)
{
        for (size_t i = 0; i < name.len; i++) {
                unsigned char c = (unsigned char)name.at[i];

                if (c >= 'A' && c <= 'Z')
                        c = (unsigned char)(c - 'A' + 'a');
                if (c != (unsigned char)text[i] || !c)
                        return c < (unsigned char)text[i] ? -1 : 1;
        }
        return text[name.len] ? -1 : 0;
}

size_t catalogue_n_cpus(void)
{
        return catalogue_cpus_n;
}

const struct catalogue_cpu *catalogue_get_cpu(size_t index)
{
        assert(index < catalogue_cpus_n);
        return &catalogue_cpus[index];
}

static const struct catalogue_cpu *find_id(struct span id)
{
        size_t low = 0, high = catalogue_cpus_n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                int order = compare_name(id, catalogue_cpus[middle].id);

                if (!order)
                        return &catalogue_cpus[middle];
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return NULL;
}

const struct catalogue_cpu *catalogue_find_cpu(const char *id)
{
        const struct catalogue_cpu *cpu = find_id(span_of(id));

        for (size_t i = 0; !cpu && i < catalogue_aliases_n; i++) {
                if (span_equal_nocase(span_of(id), catalogue_aliases[i].alias))
                        cpu = &catalogue_cpus[catalogue_aliases[i].cpu];
        }
        return cpu;
}

const char *catalogue_get_alias(size_t index, const char **ret_id)
{
        if (index >= catalogue_aliases_n)
                return NULL;
        *ret_id = catalogue_cpus[catalogue_aliases[index].cpu].id;
        return catalogue_aliases[index].alias;
}

const struct catalogue_cpu *catalogue_cpu_from_midr(uint64_t midr)
{
        unsigned implementer = midr >> 24 & 0xff;
        unsigned part = midr >> 4 & 0xfff;
        unsigned revision = (unsigned)(midr >> 20 & 0xf) << 4 | (midr & 0xf);
        uint32_t wanted = implementer << 20 | part << 8 | revision;
        size_t low = 0, high = catalogue_parts_n;
        const struct catalogue_part *last;

        /* Find the last part that is not after the wanted one. */
        while (low < high) {
                size_t middle = low + (high - low) / 2;
                const struct catalogue_part *p = &catalogue_parts[middle];

                if (((uint32_t)p->implementer << 20 | (uint32_t)p->part << 8 | p->first_revision) <= wanted)
                        low = middle + 1;
                else
                        high = middle;
        }
        last = low ? &catalogue_parts[low - 1] : NULL;
        if (last && last->implementer == implementer && last->part == part)
                return &catalogue_cpus[last->cpu];
        return find_id(span_of(armv8));
}

const struct catalogue_event *catalogue_get_event(const struct catalogue_cpu *cpu, size_t index)
{
        assert(index < cpu->n_events);
        return &catalogue_events[cpu->events[index]];
}

const struct catalogue_event *catalogue_find_event(const struct catalogue_cpu *cpu, const char *name,
                                                   size_t len)
{
        size_t low = 0, high = cpu->n_events;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                const struct catalogue_event *event = catalogue_get_event(cpu, middle);
                int order = compare_name((struct span){name, len}, event->name);

                if (!order)
                        return event;
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return NULL;
}

const struct catalogue_event *catalogue_find_code(const struct catalogue_cpu *cpu, uint32_t code)
{
        size_t low = 0, high = cpu->n_events;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                const struct catalogue_event *event = &catalogue_events[cpu->events_by_code[middle]];

                if (event->code == code)
                        return event;
                if (event->code > code)
                        high = middle;
                else
                        low = middle + 1;
        }
        return NULL;
}

const struct catalogue_event *catalogue_find_anywhere(const char *name, size_t len,
                                                      const struct catalogue_cpu **ret_cpu)
{
        static const char *const first[] = {armv8, "armv9-a"};

        for (size_t i = 0; i < sizeof(first) / sizeof(first[0]) + catalogue_cpus_n; i++) {
                const struct catalogue_cpu *cpu = i < 2 ? find_id(span_of(first[i])) : &catalogue_cpus[i - 2];
                const struct catalogue_event *event = catalogue_find_event(cpu, name, len);

                if (event) {
                        *ret_cpu = cpu;
                        return event;
                }
        }
        return NULL;
}

static const struct catalogue_metric *find_metric(const struct catalogue_metric *metrics, size_t n,
                                                  struct span name)
{
        for (size_t i = 0; i < n; i++) {
                if (span_equal_nocase(name, metrics[i].name))
                        return &metrics[i];
        }
        return NULL;
}

const struct catalogue_metric *catalogue_find_metric(const struct catalogue_cpu *cpu, const char *name,
                                                     size_t len)
{
        struct span wanted = {name, len};
        const struct catalogue_metric *own = cpu ? find_metric(cpu->metrics, cpu->n_metrics, wanted) : NULL;

        return own ? own : find_metric(catalogue_built_in_metrics, catalogue_built_in_metrics_n, wanted);
}

const struct catalogue_group *catalogue_find_group(const struct catalogue_cpu *cpu, const char *name,
                                                   size_t len)
{
        for (size_t i = 0; cpu && i < cpu->n_groups; i++) {
                if (span_equal_nocase((struct span){name, len}, cpu->groups[i].name))
                        return &cpu->groups[i];
        }
        return NULL;
}

const struct catalogue_metric *catalogue_built_in(size_t *ret_n)
{
        *ret_n = catalogue_built_in_metrics_n;
        return catalogue_built_in_metrics;
}
