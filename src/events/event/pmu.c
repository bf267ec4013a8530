/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads PMU descriptions. A PMU is a core PMU if its name is one of a core PMU and it has a list `cpus` (x86
 * may have none). A PMU with `cpumask`, the CPUs to open it on, is an uncore PMU; so is a DMC-620, which has
 * neither file. */
#include "pmu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "event_grammar.h"
#include "mem.h"
#include "os_paths.h"
#include "text.h"

/* Names are put into paths and messages, so only plain characters are allowed. */
static bool is_plain_name(const char *name, size_t len)
{
        if (!len || len >= PMU_NAME_MAX_BYTES || name[0] == '.')
                return false;
        for (size_t i = 0; i < len; i++) {
                char c = name[i];

                if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
                    !strchr("_-.", c))
                        return false;
        }
        return true;
}

/* Reads a file of the PMU, without white space at the end. */
static bool read_file(const struct pmu_source *source, const struct pmu *pmu, const char *folder,
                      const char *name, struct buf *out)
{
        AUTO_RELEASE(buf) path = {0};
        size_t before = out->len;

        os_sysfs_pmu(pmu->name, folder, &path);
        buf_printf(&path, "%s%s", *folder ? "" : "/", name);
        if (!source->read_file(source->ctx, path.data, out) || out->len - before > PMU_FILE_MAX_BYTES ||
            (out->len > before && memchr(out->data + before, '\0', out->len - before))) {
                buf_truncate(out, before);
                return false;
        }
        while (out->len > before && strchr(" \t\r\n", out->data[out->len - 1]))
                buf_truncate(out, out->len - 1);
        return true;
}

static bool each_file(const struct pmu_source *source, const struct pmu *pmu, const char *folder,
                      bool (*each)(void *ctx, const char *name), void *ctx)
{
        AUTO_RELEASE(buf) path = {0};

        os_sysfs_pmu(pmu->name, folder, &path);
        return source->list_dir(source->ctx, path.data, each, ctx);
}

/* Sets bits for a list such as "0-3,8"; stops at the first number that is too large. */
static void set_cpus(struct span text, uint64_t *bits)
{
        const char *at = text.at, *end = text.at + text.len;

        while (at < end) {
                size_t len = strspn(at, "0123456789"), last_len;
                uint64_t first, last;

                if (span_to_u64((struct span){at, len}, false, &first) || first >= PMU_CPU_LIMIT)
                        return;
                at += len;
                last = first;
                if (*at == '-') {
                        last_len = strspn(++at, "0123456789");
                        if (span_to_u64((struct span){at, last_len}, false, &last) || last >= PMU_CPU_LIMIT)
                                return;
                        at += last_len;
                }
                for (uint64_t cpu = first; cpu <= last; cpu++)
                        bits[cpu / 64] |= 1ull << cpu % 64;
                if (at < end && *at++ != ',')
                        return;
        }
}

static bool read_cpus(const struct pmu_source *source, struct pmu *pmu, const char *name)
{
        uint64_t bits[PMU_CPU_LIMIT / 64] = {0};
        AUTO_RELEASE(buf) text = {0};
        size_t n = 0;

        if (!read_file(source, pmu, "", name, &text))
                return false;
        set_cpus(span_of(buf_text(&text)), bits);
        for (size_t i = 0; i < N_ELEMENTS(bits); i++)
                n += (size_t)__builtin_popcountll(bits[i]);
        free(pmu->cpus);
        pmu->cpus = mem_new(n ? n : 1, sizeof(*pmu->cpus));
        pmu->n_cpus = 0;
        for (uint32_t cpu = 0; cpu < PMU_CPU_LIMIT; cpu++) {
                if (bits[cpu / 64] >> cpu % 64 & 1)
                        pmu->cpus[pmu->n_cpus++] = cpu;
        }
        return true;
}

/* The DMC-620's driver has no cpumask and moves its events to a CPU that it chooses
 * (drivers/perf/arm_dmc620_pmu.c). */
static bool is_uncore_name(const char *name)
{
        return text_starts(name, "arm_dmc620_");
}

/* The kernel's fixed type numbers belong to its own PMUs, except that a core PMU may have PERF_TYPE_RAW. */
static bool is_type_of(const char *name, uint64_t type)
{
        switch (type) {
        case PERF_TYPE_HARDWARE:
        case PERF_TYPE_HW_CACHE: return false;
        case PERF_TYPE_SOFTWARE: return !strcmp(name, "software");
        case PERF_TYPE_TRACEPOINT: return !strcmp(name, "tracepoint");
        case PERF_TYPE_BREAKPOINT: return !strcmp(name, "breakpoint");
        default: return true;
        }
}

bool pmu_load(const struct pmu_source *source, struct pmu *pmu, struct err *err)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t type;

        if (pmu->loaded)
                return true;
        if (!read_file(source, pmu, "", "type", &text) ||
            span_to_u64(span_of(buf_text(&text)), false, &type) || type > INT32_MAX ||
            !is_type_of(pmu->name, type))
                return err_set(err, ERR_FORMAT, "PMU '%s' has no type number in %s/%s/type", pmu->name,
                               os_sysfs_pmus(), pmu->name);
        pmu->type = (uint32_t)type;
        if (!read_cpus(source, pmu, "cpus"))
                pmu->uncore = read_cpus(source, pmu, "cpumask") || is_uncore_name(pmu->name);
        pmu->loaded = true;
        return true;
}

static bool is_x86_core_name(const char *name)
{
        static const char *const names[] = {"cpu", "cpu_core", "cpu_atom", "cpu_lowpower"};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (!strcmp(name, names[i]))
                        return true;
        }
        return false;
}

static bool is_arm_core_name(const char *name)
{
        static const char *const prefixes[] = {"armv7_", "armv8_", "armv9_", "arm_", "apple_"};

        for (size_t i = 0; i < N_ELEMENTS(prefixes); i++) {
                if (text_starts(name, prefixes[i]))
                        return !text_starts(name, "arm_spe");
        }
        return false;
}

static int compare_type(const void *a, const void *b)
{
        const struct pmu *x = *(struct pmu *const *)a, *y = *(struct pmu *const *)b;

        if (x->type != y->type)
                return x->type < y->type ? -1 : 1;
        return strcmp(x->name, y->name);
}

static void find_cores(struct pmu_table *table)
{
        for (size_t i = 0; i < table->n_items && table->n_cores < PMU_CORE_MAX; i++) {
                struct pmu *pmu = &table->items[i];
                bool x86 = is_x86_core_name(pmu->name), arm = !x86 && is_arm_core_name(pmu->name);

                if ((!x86 && !arm) || !pmu_load(table->source, pmu, NULL))
                        continue;
                /* A PMU whose CPUs are all offline has an empty list. */
                if (pmu->cpus ? pmu->uncore || !pmu->n_cpus : arm)
                        continue;
                pmu->core = true;
                pmu->arm = arm;
                table->cores[table->n_cores++] = pmu;
        }
        qsort(table->cores, table->n_cores, sizeof(table->cores[0]), compare_type);
}

static bool add_name(void *ctx, const char *name)
{
        struct pmu_table *table = ctx;
        struct pmu pmu = {0};

        if (table->n_items == PMU_LIST_MAX)
                return false;
        if (!is_plain_name(name, strlen(name)))
                return true;
        text_copy(pmu.name, sizeof(pmu.name), name);
        ARRAY_PUSH(table->items, table->n_items, table->cap, pmu);
        return true;
}

static int compare_name(const void *a, const void *b)
{
        return strcmp(((const struct pmu *)a)->name, ((const struct pmu *)b)->name);
}

void pmu_table_load(struct pmu_table *table, const struct pmu_source *source)
{
        *table = (struct pmu_table){.source = source};
        if (!source)
                return;
        table->known = source->list_dir(source->ctx, os_sysfs_pmus(), add_name, table);
        if (table->n_items)
                qsort(table->items, table->n_items, sizeof(*table->items), compare_name);
        find_cores(table);
}

void pmu_table_release(struct pmu_table *table)
{
        for (size_t i = 0; i < table->n_items; i++)
                free(table->items[i].cpus);
        free(table->items);
        free(table->others);
        arena_release(&table->names);
        *table = (struct pmu_table){0};
}

struct pmu *pmu_find(struct pmu_table *table, const char *name, size_t len)
{
        struct span span = {name, len};
        struct pmu *found = NULL;

        for (size_t i = 0; i < table->n_items; i++) {
                struct pmu *pmu = &table->items[i];

                if (!span_equal_nocase(span, pmu->name))
                        continue;
                if (!found || !memcmp(pmu->name, name, len))
                        found = pmu;
        }
        return found;
}

struct event_walk {
        bool (*each)(void *ctx, const char *name);
        void *ctx;
        size_t n_left;
};

static bool visit_event(void *ctx, const char *name)
{
        static const char *const not_events[] = {".scale", ".unit", ".per-pkg", ".snapshot"};
        struct event_walk *walk = ctx;

        if (!walk->n_left--)
                return false;
        if (!is_plain_name(name, strlen(name)))
                return true;
        for (size_t i = 0; i < N_ELEMENTS(not_events); i++) {
                if (text_ends(name, not_events[i]))
                        return true;
        }
        return walk->each(walk->ctx, name);
}

void pmu_each_event(const struct pmu_source *source, const struct pmu *pmu,
                    bool (*each)(void *ctx, const char *name), void *ctx)
{
        struct event_walk walk = {each, ctx, PMU_EVENTS_MAX};

        each_file(source, pmu, "events", visit_event, &walk);
}

struct other_walk {
        struct pmu_table *table;
        struct pmu *pmu;
};

static bool add_other(void *ctx, const char *name)
{
        struct other_walk *walk = ctx;
        struct pmu_table *table = walk->table;
        struct pmu_other_event event = {arena_copy(&table->names, name, strlen(name)), walk->pmu};

        if (table->n_others == PMU_OTHER_EVENTS_MAX)
                return false;
        ARRAY_PUSH(table->others, table->n_others, table->cap_others, event);
        return true;
}

void pmu_list_others(struct pmu_table *table)
{
        struct other_walk walk = {.table = table};

        if (table->others_listed)
                return;
        table->others_listed = true;
        for (size_t i = 0; i < table->n_items && table->n_others < PMU_OTHER_EVENTS_MAX; i++) {
                walk.pmu = &table->items[i];
                if (!walk.pmu->core)
                        pmu_each_event(table->source, walk.pmu, add_other, &walk);
        }
}

struct name_search {
        struct span wanted;
        struct buf *out;
        size_t start;
};

static bool compare_event(void *ctx, const char *name)
{
        struct name_search *search = ctx;

        if (!span_equal_nocase(search->wanted, name))
                return true;
        buf_truncate(search->out, search->start);
        buf_add_str(search->out, name);
        return memcmp(search->wanted.at, name, search->wanted.len) != 0;
}

bool pmu_find_event(const struct pmu_source *source, const struct pmu *pmu, const char *name, size_t len,
                    struct buf *out)
{
        struct name_search search = {{name, len}, out, out->len};

        if (!is_plain_name(name, len))
                return false;
        pmu_each_event(source, pmu, compare_event, &search);
        return out->len > search.start;
}

bool pmu_read_event(const struct pmu_source *source, const struct pmu *pmu, const char *name, struct buf *out,
                    struct err *err)
{
        if (!read_file(source, pmu, "events/", name, out))
                return err_set(err, ERR_IO, "%s/%s/events/%s cannot be read", os_sysfs_pmus(), pmu->name,
                               name);
        return true;
}

bool pmu_read_unit_cpus(const struct pmu_source *source, const struct pmu *pmu, struct buf *out)
{
        return read_file(source, pmu, "", "associated_cpus", out);
}

bool pmu_find_cap(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                  uint64_t *ret_value)
{
        AUTO_RELEASE(buf) text = {0};

        return read_file(source, pmu, "caps/", name, &text) &&
               span_to_u64(span_of(buf_text(&text)), false, ret_value) == NUMBER_OK;
}

int pmu_find_field(const struct pmu_source *source, const struct pmu *pmu, const char *name, size_t len,
                   struct pmu_field *ret, struct err *err)
{
        AUTO_RELEASE(buf) text = {0};
        char plain[PMU_NAME_MAX_BYTES];

        if (!is_plain_name(name, len) || !span_copy(plain, sizeof(plain), (struct span){name, len}))
                return 0;
        if (!read_file(source, pmu, "format/", plain, &text)) {
                for (char *c = plain; *c; c++)
                        *c = (char)tolower((unsigned char)*c);
                if (!read_file(source, pmu, "format/", plain, &text))
                        return 0;
        }
        if (pmu_field_parse(buf_text(&text), ret, err))
                return 1;
        err_in(err, "%s/%s/format/%s", os_sysfs_pmus(), pmu->name, plain);
        return -1;
}

void pmu_each_field(const struct pmu_source *source, const struct pmu *pmu,
                    bool (*each)(void *ctx, const char *name), void *ctx)
{
        struct event_walk walk = {each, ctx, PMU_EVENTS_MAX};

        each_file(source, pmu, "format", visit_event, &walk);
}
