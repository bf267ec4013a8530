/* SPDX-License-Identifier: BSD-3-Clause */
/* Titles of the kernel's generic events; event_name.c has the names and numbers. */
#include "generic_event.h"

#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "event_grammar.h"
#include "text.h"

static const char *const hardware_titles[] = {
        [PERF_COUNT_HW_CPU_CYCLES] = "Cycles of the core",
        [PERF_COUNT_HW_INSTRUCTIONS] = "Instructions retired",
        [PERF_COUNT_HW_CACHE_REFERENCES] = "Cache accesses, on most cores of the last-level cache",
        [PERF_COUNT_HW_CACHE_MISSES] = "Cache misses, on most cores of the last-level cache",
        [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "Branches retired",
        [PERF_COUNT_HW_BRANCH_MISSES] = "Branches that were mispredicted",
        [PERF_COUNT_HW_BUS_CYCLES] = "Cycles of the bus",
        [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "Cycles in which the front end delivered no instruction",
        [PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "Cycles in which the back end took no instruction",
        [PERF_COUNT_HW_REF_CPU_CYCLES] = "Cycles at a fixed frequency while the core ran",
};

static const char *const software_titles[] = {
        [PERF_COUNT_SW_CPU_CLOCK] = "Time on the CPU, by the CPU's clock, in nanoseconds",
        [PERF_COUNT_SW_TASK_CLOCK] = "Time on the CPU, by the task's clock, in nanoseconds",
        [PERF_COUNT_SW_PAGE_FAULTS] = "Page faults",
        [PERF_COUNT_SW_CONTEXT_SWITCHES] = "Switches of a CPU to another task",
        [PERF_COUNT_SW_CPU_MIGRATIONS] = "Moves of a task to another CPU",
        [PERF_COUNT_SW_PAGE_FAULTS_MIN] = "Page faults that needed no disk",
        [PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "Page faults that waited for a disk",
        [PERF_COUNT_SW_ALIGNMENT_FAULTS] = "Accesses to unaligned addresses that the kernel had to correct",
        [PERF_COUNT_SW_EMULATION_FAULTS] = "Instructions that the kernel had to emulate",
        [PERF_COUNT_SW_DUMMY] = "Counts nothing; used to record processes and memory maps",
        [PERF_COUNT_SW_BPF_OUTPUT] = "Data that BPF programs write",
        [PERF_COUNT_SW_CGROUP_SWITCHES] = "Switches to a task of another cgroup",
};

/* In the order of PERF_COUNT_HW_CACHE_*. */
static const char *const cache_titles[] = {
        "Level 1 data cache", "Level 1 instruction cache", "Last-level cache",         "Data TLB",
        "Instruction TLB",    "Branch prediction unit",    "Memory of the local node",
};

static const char *const cache_op_titles[] = {"loads", "stores", "prefetches"};

static const char *find_title(const char *const *titles, size_t n, uint64_t config)
{
        return config < n && titles[config] ? titles[config] : "";
}

static void set_title(struct generic_event *event)
{
        uint64_t cache = event->config & 0xff, op = event->config >> 8 & 0xff;

        if (event->type == PERF_TYPE_HARDWARE)
                text_copy(event->title, sizeof(event->title),
                          find_title(hardware_titles, N_ELEMENTS(hardware_titles), event->config));
        else if (event->type == PERF_TYPE_SOFTWARE)
                text_copy(event->title, sizeof(event->title),
                          find_title(software_titles, N_ELEMENTS(software_titles), event->config));
        else
                snprintf(event->title, sizeof(event->title), "%s: %s%s",
                         find_title(cache_titles, N_ELEMENTS(cache_titles), cache),
                         find_title(cache_op_titles, N_ELEMENTS(cache_op_titles), op),
                         event->config >> 16 ? " that missed" : "");
}

static bool learn_alias(void *ctx, const char *name)
{
        struct generic_event *event = ctx;
        uint32_t type;
        uint64_t config;

        if (strcmp(name, event->name) && event_name_find(span_of(name), &type, &config) &&
            type == event->type && config == event->config)
                event->alias = name;
        return !event->alias;
}

bool generic_event_find(const char *name, size_t len, struct generic_event *ret)
{
        struct generic_event event = {.alias = NULL};
        AUTO_RELEASE(buf) own = {0};

        if (!event_name_find((struct span){name, len}, &event.type, &event.config))
                return false;
        event_name_add(event.type, event.config, &own);
        text_copy(event.name, sizeof(event.name), buf_text(&own));
        set_title(&event);
        if (event.type != PERF_TYPE_HW_CACHE)
                event_name_each(learn_alias, &event);
        *ret = event;
        return true;
}

struct generic_walk {
        bool (*each)(void *ctx, const struct generic_event *event);
        void *ctx;
};

static bool visit(void *ctx, const char *name)
{
        const struct generic_walk *walk = ctx;
        struct generic_event event;

        if (!generic_event_find(name, strlen(name), &event) || strcmp(event.name, name))
                return true;
        return walk->each(walk->ctx, &event);
}

void generic_event_each(bool (*each)(void *ctx, const struct generic_event *event), void *ctx)
{
        struct generic_walk walk = {each, ctx};

        event_name_each(visit, &walk);
}
