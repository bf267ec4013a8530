/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the kinds of cores: each core PMU with its CPUs, its model by the identification register, and
 * whether the model's event table holds for it. */
#include "core_kind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "event_grammar.h"
#include "mem.h"
#include "os_paths.h"
#include "text.h"

enum {
        COMMON_END = 0x40, /* PMCEID0/1 describe events 0-0x3f */
        EXTENDED_FIRST = 0x4000,
        EXTENDED_END = 0x4040, /* and 0x4000-0x403f */
        ADVERTISED_MIN =
                16, /* common events; the smallest real cores advertise about 30, emulators fewer than 10 */
};

/* The events of both ranges that Linux can list (drivers/perf/arm_pmuv3.c): all common events except sw_incr
 * and chain. */
#define KERNEL_COMMON   (~(1ull << 0x00 | 1ull << 0x1e))
#define KERNEL_EXTENDED 0x000000770f0f5e7full

bool core_code_is_advertised(uint32_t code)
{
        if (code < COMMON_END)
                return KERNEL_COMMON >> code & 1;
        return code >= EXTENDED_FIRST && code < EXTENDED_END &&
               KERNEL_EXTENDED >> (code - EXTENDED_FIRST) & 1;
}

struct core_kind_walk {
        const struct pmu_source *source;
        const struct pmu *pmu;
        struct core_kind *kind;
};

static bool note_event(void *ctx, const char *name)
{
        struct core_kind_walk *walk = ctx;
        struct term_extras extras = {0};
        struct perf_attr attr = {0};

        if (!event_terms_apply_alias(walk->source, walk->pmu, name, &attr, &extras, NULL))
                return true;
        if (attr.config < COMMON_END)
                walk->kind->common_events |= 1ull << attr.config;
        else if (attr.config >= EXTENDED_FIRST && attr.config < EXTENDED_END)
                walk->kind->extended_events |= 1ull << (attr.config - EXTENDED_FIRST);
        return true;
}

static bool is_advertised(const struct core_kind *kind, uint32_t code)
{
        return code < COMMON_END ? kind->common_events >> code & 1
                                 : kind->extended_events >> (code - EXTENDED_FIRST) & 1;
}

static bool is_known_model(const struct catalogue_cpu *model)
{
        return model && model->implementer;
}

/* Whether the kernel lists most of the model's events that it can list; for an unknown model, whether it
 * lists as many as a real core has. */
static bool believe_model(const struct core_kind *kind)
{
        size_t n_possible = 0, n_listed = 0;

        if (!is_known_model(kind->model))
                return __builtin_popcountll(kind->common_events) >= ADVERTISED_MIN;
        for (size_t i = 0; i < kind->model->n_events; i++) {
                uint32_t code = catalogue_get_event(kind->model, i)->code;

                if (!core_code_is_advertised(code))
                        continue;
                n_possible++;
                n_listed += is_advertised(kind, code);
        }
        return 2 * n_listed > n_possible;
}

static uint64_t read_midr(const struct pmu_source *source, uint32_t cpu)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) text = {0};
        uint64_t midr;

        buf_printf(&path, "%s%" PRIu32 "/regs/identification/midr_el1", os_sysfs_cpu_prefix(), cpu);
        if (!source->read_file(source->ctx, path.data, &text))
                return 0;
        while (text.len && strchr(" \n", text.data[text.len - 1]))
                buf_truncate(&text, text.len - 1);
        return span_to_u64((struct span){buf_text(&text), text.len}, false, &midr) == NUMBER_OK ? midr : 0;
}

static void describe_arm(const struct pmu_source *source, const struct pmu *pmu, struct core_kind *kind)
{
        struct core_kind_walk walk = {source, pmu, kind};

        kind->vendor = CORE_ARM;
        kind->midr = read_midr(source, kind->n_cpus ? kind->cpus[0] : 0);
        if (kind->midr)
                kind->model = catalogue_cpu_from_midr(kind->midr);
        if (kind->model)
                kind->n_counters = kind->model->n_counters;
        pmu_each_event(source, pmu, note_event, &walk);
        /* PMUs before version 3 have no PMCEID; their drivers list a fixed set. */
        kind->lists_events = text_starts(pmu->name, "armv8_") || text_starts(pmu->name, "armv9_");
        kind->lists_events &= (kind->common_events | kind->extended_events) != 0;
        kind->model_believed = kind->model && believe_model(kind);
}

static struct core_kind describe(const struct pmu_source *source, const struct pmu *pmu)
{
        struct core_kind kind = {.type = pmu->type};

        text_copy(kind.pmu, sizeof(kind.pmu), pmu->name);
        if (pmu->n_cpus) {
                kind.cpus = mem_new(pmu->n_cpus, sizeof(*kind.cpus));
                memcpy(kind.cpus, pmu->cpus, pmu->n_cpus * sizeof(*kind.cpus));
                kind.n_cpus = pmu->n_cpus;
        }
        if (!pmu->arm) {
                kind.vendor = CORE_X86;
                kind.model = catalogue_find_cpu("x86_64");
        } else if (!text_starts(pmu->name, "apple_")) {
                describe_arm(source, pmu, &kind);
        }
        return kind;
}

void core_kinds_from_table(const struct pmu_table *pmus, struct core_kinds *ret)
{
        *ret = (struct core_kinds){.pmus_known = pmus->known};
        ret->items = mem_new(pmus->n_cores, sizeof(*ret->items));
        for (size_t i = 0; i < pmus->n_cores; i++)
                ret->items[ret->n_items++] = describe(pmus->source, pmus->cores[i]);
}

void core_kinds_load(const struct pmu_source *source, struct core_kinds *ret)
{
        struct pmu_table pmus;

        pmu_table_load(&pmus, source);
        core_kinds_from_table(&pmus, ret);
        pmu_table_release(&pmus);
}

void core_kinds_release(struct core_kinds *kinds)
{
        for (size_t i = 0; i < kinds->n_items; i++)
                free(kinds->items[i].cpus);
        free(kinds->items);
        *kinds = (struct core_kinds){0};
}

enum core_has core_kind_has(const struct core_kind *kind, uint32_t code)
{
        if (kind->vendor != CORE_ARM)
                return CORE_MAY_HAVE;
        if (kind->lists_events && core_code_is_advertised(code))
                return is_advertised(kind, code) ? CORE_HAS : CORE_HAS_NOT;
        if (!is_known_model(kind->model))
                return kind->lists_events && !kind->model_believed ? CORE_HAS_NOT : CORE_MAY_HAVE;
        return kind->model_believed && catalogue_find_code(kind->model, code) ? CORE_HAS : CORE_HAS_NOT;
}

bool core_kind_add_doubt(const struct core_kind *kind, uint32_t code, const char *name, struct buf *out)
{
        if (core_kind_has(kind, code) != CORE_HAS_NOT)
                return false;
        if (core_code_is_advertised(code))
                buf_printf(out,
                           "the PMU does not advertise %s (0x%02" PRIx32
                           "): the kernel opens it, and its count is 0",
                           name, code);
        else if (!kind->model_believed)
                buf_printf(
                        out,
                        "the PMU advertises only few of the events of %s, as emulators do: the kernel opens %s (0x%02" PRIx32
                        "), and its count is 0",
                        kind->model && kind->model->implementer ? kind->model->name : "a core", name, code);
        else
                buf_printf(out,
                           "%s is not known to have %s (0x%02" PRIx32
                           "): the kernel opens it, and its count is 0 if the core does not have it",
                           kind->model->name, name, code);
        return true;
}
