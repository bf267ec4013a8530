/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers the facts, and decides which of the kernel's and the catalogue's events a machine has. */
#include "event_facts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "extra_source.h"
#include "kernel.h"
#include "mem.h"
#include "text.h"
#include "text_match.h"

const struct catalogue_cpu *event_facts_find_model(const char *id, struct err *err)
{
        const struct catalogue_cpu *cpu = catalogue_find_cpu(id);
        size_t n = catalogue_n_cpus();
        const char **names, *nearest;

        if (cpu)
                return cpu;
        names = mem_new(n, sizeof(*names));
        for (size_t i = 0; i < n; i++)
                names[i] = catalogue_get_cpu(i)->id;
        nearest = text_nearest(id, names, n);
        free(names);
        err_set(err, ERR_USAGE, "CPU name: \"%.60s\" not found, use %s or another that 'wperf test' lists",
                id, nearest ? nearest : "armv8-a, armv9-a");
        return NULL;
}

static void add_block(struct event_facts *facts, struct pmu *pmu)
{
        const struct pmu_block *block = pmu_block_of(&facts->source, pmu, &facts->kinds);

        for (size_t i = 0; i < facts->n_blocks; i++) {
                if (facts->blocks[i].block == block)
                        return;
        }
        if (block && facts->n_blocks < EVENT_FACTS_BLOCKS_MAX)
                facts->blocks[facts->n_blocks++] = (struct machine_block){block, pmu};
}

static void find_units(struct event_facts *facts)
{
        for (size_t i = 0; i < facts->pmus.n_items; i++) {
                struct pmu *pmu = &facts->pmus.items[i];

                add_block(facts, pmu);
                facts->has_spe |= text_starts(pmu->name, "arm_spe_");
                facts->has_kernel |= !strcmp(pmu->name, "software");
        }
}

static void read_tree(struct event_facts *facts, struct pmu_source source)
{
        facts->source = source;
        core_kinds_load(&facts->source, &facts->kinds);
        pmu_table_load(&facts->pmus, &facts->source);
        find_units(facts);
}

void event_facts_load_tree(struct pmu_source source, struct event_facts *ret)
{
        *ret = (struct event_facts){0};
        read_tree(ret, source);
}

bool event_facts_source(const char *cpu_model, const char *sysfs, struct pmu_source *ret,
                        const struct catalogue_cpu **ret_model, struct err *err)
{
        const struct catalogue_cpu *model = NULL;

        if (cpu_model && sysfs)
                return err_set(err, ERR_USAGE,
                               "--cpu-model and --sysfs cannot be used together: both name a machine");
        if (cpu_model) {
                model = event_facts_find_model(cpu_model, err);
                if (!model)
                        return false;
        }
        *ret_model = model;
        *ret = model ? core_model_source(model) : kernel_pmu_source(sysfs);
        return true;
}

bool event_facts_load(const struct event_facts_request *request, struct event_facts *ret, struct err *err)
{
        const struct catalogue_cpu *model = NULL;
        struct pmu_source source;

        if (!event_facts_source(request->cpu_model, request->sysfs, &source, &model, err))
                return false;
        *ret = (struct event_facts){.this_machine = !model && !request->sysfs, .asked_model = model};
        if (!extra_source_read(request->extra_events, request->metrics_file, &ret->extra, err))
                return false;
        if (ret->this_machine)
                kernel_connect(request->force_lock, &ret->unknown);
        read_tree(ret, source);
        /* An x86 model represents a Linux machine. Its cores only have the kernel's events. */
        ret->has_kernel |= model && ret->kinds.n_items && ret->kinds.items[0].vendor == CORE_X86;
        return true;
}

void event_facts_release(struct event_facts *facts)
{
        extra_names_release(&facts->extra);
        core_kinds_release(&facts->kinds);
        pmu_table_release(&facts->pmus);
        *facts = (struct event_facts){0};
}

bool event_facts_are_known(const struct event_facts *facts, struct err *err)
{
        return facts->unknown.code == ERR_NONE || facts->unknown.code == ERR_MISSING ||
               err_set(err, facts->unknown.code, "%s", facts->unknown.text);
}

const struct catalogue_cpu *event_facts_model(const struct event_facts *facts, size_t kind)
{
        assert(kind < facts->kinds.n_items);

        const struct core_kind *k = &facts->kinds.items[kind];

        if (k->model)
                return k->model;
        if (facts->asked_model)
                return facts->asked_model;
        return k->vendor == CORE_ARM ? catalogue_find_cpu("armv8-a") : NULL;
}

enum core_has event_facts_core_has(const struct event_facts *facts, const struct catalogue_event *event)
{
        enum core_has best = CORE_HAS_NOT;

        for (size_t i = 0; i < facts->kinds.n_items && best != CORE_HAS; i++) {
                const struct core_kind *kind = &facts->kinds.items[i];
                const struct catalogue_cpu *model = event_facts_model(facts, i);
                enum core_has has;

                if (!model || !catalogue_find_event(model, event->name, strlen(event->name)))
                        continue;
                has = core_kind_has(kind, event->code);
                if (has != CORE_HAS_NOT)
                        best = has;
        }
        return best;
}

/* --- the kernel's own events --- */

static bool kernel_takes(const struct generic_event *generic)
{
        struct event event = {
                .attr =
                        {
                                .type = generic->type,
                                .config = generic->config,
                                .sample_period_or_freq = INT32_MAX,
                                .flags = PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV,
                        },
        };
        const struct event_list events = {.items = &event, .n_items = 1};
        struct kernel_probed probe;
        struct err err = {0};

        text_copy(event.name, sizeof(event.name), generic->name);
        /* Missing permission does not tell whether the event exists. */
        return kernel_probe(&events, false, &probe, &err) || err.code == ERR_DENIED;
}

/* The events that drivers/perf/arm_pmuv3.c maps to numbers: no ref-cycles, and only the loads of cache
 * events. */
static bool arm_has_generic(const struct generic_event *event)
{
        enum { CACHE_NODE = 6 };

        if (event->type == PERF_TYPE_HARDWARE)
                return event->config != PERF_COUNT_HW_REF_CPU_CYCLES;
        return !(event->config >> 8 & 0xff) && (event->config & 0xff) < CACHE_NODE;
}

/* For another machine. For x86 only hardware events are known, because sysfs lists them. */
static bool lists_generic(const struct event_facts *facts, const struct generic_event *event)
{
        const char *names[] = {event->name, event->alias};

        for (size_t i = 0; i < facts->pmus.n_cores; i++) {
                const struct pmu *pmu = facts->pmus.cores[i];

                if (pmu->arm)
                        return arm_has_generic(event);
                if (event->type != PERF_TYPE_HARDWARE || facts->asked_model)
                        return true;
                for (size_t n = 0; n < N_ELEMENTS(names) && names[n]; n++) {
                        AUTO_RELEASE(buf) own = {0};

                        if (pmu_find_event(&facts->source, pmu, names[n], strlen(names[n]), &own))
                                return true;
                }
        }
        return false;
}

bool event_facts_has_generic(const struct event_facts *facts, const struct generic_event *event)
{
        if (!facts->has_kernel || (event->type != PERF_TYPE_SOFTWARE && !facts->pmus.n_cores))
                return false;
        if (facts->this_machine)
                return kernel_takes(event);
        return event->type == PERF_TYPE_SOFTWARE || lists_generic(facts, event);
}

/* --- PMU blocks and built-in metrics --- */

const struct pmu_block *event_facts_block_of(const struct event_facts *facts, const struct pmu *pmu)
{
        return facts->n_blocks ? pmu_block_of(&facts->source, pmu, &facts->kinds) : NULL;
}

const struct pmu_block_class *event_facts_find_class(const struct event_facts *facts, const char *name,
                                                     size_t len)
{
        for (size_t i = 0; i < facts->n_blocks; i++) {
                const struct pmu_block_class *class = pmu_block_find_class(facts->blocks[i].block, name, len);

                if (class)
                        return class;
        }
        return NULL;
}

bool event_facts_has_built_in(const struct event_facts *facts, const struct catalogue_metric *metric)
{
        bool is_arm = false;

        if (*metric->events == '/')
                return event_facts_find_class(facts, metric->events + 1, strcspn(metric->events + 1, "/"));
        for (size_t i = 0; i < facts->kinds.n_items; i++)
                is_arm |= facts->kinds.items[i].vendor == CORE_ARM;
        return is_arm;
}
