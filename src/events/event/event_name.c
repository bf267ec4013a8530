/* SPDX-License-Identifier: BSD-3-Clause */
/* The events that need no description of a PMU: generic hardware, software and hardware cache events, with
 * perf's names and aliases. Whether the machine can count them is checked by the parser. */
#include <stdio.h>
#include <string.h>

#include "event_grammar.h"

struct generic {
        uint32_t type;
        uint32_t id;
        const char *name;
        const char *alias;
};

static const struct generic generics[] = {
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles", "cpu-cycles"},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions", NULL},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "cache-references", NULL},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "cache-misses", NULL},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches", "branch-instructions"},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch-misses", NULL},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus-cycles", NULL},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend",
         "idle-cycles-frontend"},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend",
         "idle-cycles-backend"},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults", "faults"},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches", "cs"},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations", "migrations"},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, "bpf-output", NULL},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, "cgroup-switches", NULL},
};

enum { WORDS_MAX = 5, OP_LOAD = 1, OP_STORE = 2, OP_PREFETCH = 4 };

/* In the order of the kernel's PERF_COUNT_HW_CACHE_* numbers; the first name is displayed. */
static const struct {
        const char *words[WORDS_MAX];
        unsigned ops; /* the operations that exist, OP_* */
} caches[] = {
        {{"L1-dcache", "l1-d", "l1d", "L1-data"}, OP_LOAD | OP_STORE | OP_PREFETCH},
        {{"L1-icache", "l1-i", "l1i", "L1-instruction"}, OP_LOAD | OP_PREFETCH},
        {{"LLC", "L2"}, OP_LOAD | OP_STORE | OP_PREFETCH},
        {{"dTLB", "d-tlb", "Data-TLB"}, OP_LOAD | OP_STORE | OP_PREFETCH},
        {{"iTLB", "i-tlb", "Instruction-TLB"}, OP_LOAD},
        {{"branch", "branches", "bpu", "btb", "bpc"}, OP_LOAD},
        {{"node"}, OP_LOAD | OP_STORE | OP_PREFETCH},
};

/* Displayed: the first name before "-misses", the second one otherwise. */
static const char *const cache_ops[][WORDS_MAX] = {
        {"load", "loads", "read"},
        {"store", "stores", "write"},
        {"prefetch", "prefetches", "speculative-read", "speculative-load"},
};

static const char *const cache_results[][WORDS_MAX] = {
        {"refs", "Reference", "ops", "access"},
        {"misses", "miss"},
};

/* The length of the longest of `words` that `span` begins with, if the span ends there or continues with '-';
 * else 0. */
static size_t match_words(struct span span, const char *const *words)
{
        size_t best = 0;

        for (size_t i = 0; i < WORDS_MAX && words[i]; i++) {
                size_t len = strlen(words[i]);

                if (len > span.len || len <= best || (len < span.len && span.at[len] != '-'))
                        continue;
                if (span_equal_nocase((struct span){span.at, len}, words[i]))
                        best = len;
        }
        return best;
}

static bool match_next(struct span *rest, const char *const (*lists)[WORDS_MAX], size_t n, size_t *ret_index)
{
        struct span word;

        if (!rest->len || rest->at[0] != '-')
                return false;
        word = (struct span){rest->at + 1, rest->len - 1};
        for (size_t i = 0; i < n; i++) {
                size_t len = match_words(word, lists[i]);

                if (!len)
                        continue;
                *ret_index = i;
                *rest = (struct span){word.at + len, word.len - len};
                return true;
        }
        return false;
}

/* CACHE[-OP][-RESULT], the last two in either order. */
static bool find_cache_event(struct span name, uint64_t *ret_config)
{
        for (size_t cache = 0; cache < N_ELEMENTS(caches); cache++) {
                size_t len = match_words(name, caches[cache].words), op = 0, result = 0;
                struct span rest = {name.at + len, name.len - len};
                bool has_result;

                if (!len)
                        continue;
                has_result = match_next(&rest, cache_results, N_ELEMENTS(cache_results), &result);
                if (match_next(&rest, cache_ops, N_ELEMENTS(cache_ops), &op) && !has_result)
                        match_next(&rest, cache_results, N_ELEMENTS(cache_results), &result);
                if (rest.len || !(caches[cache].ops & (1u << op)))
                        continue;
                *ret_config = cache | op << 8 | result << 16;
                return true;
        }
        return false;
}

bool event_name_find(struct span name, uint32_t *ret_type, uint64_t *ret_config)
{
        for (size_t i = 0; i < N_ELEMENTS(generics); i++) {
                const struct generic *g = &generics[i];

                if (span_equal_nocase(name, g->name) || (g->alias && span_equal_nocase(name, g->alias))) {
                        *ret_type = g->type;
                        *ret_config = g->id;
                        return true;
                }
        }
        if (!find_cache_event(name, ret_config))
                return false;
        *ret_type = PERF_TYPE_HW_CACHE;
        return true;
}

static void add_cache_name(uint64_t config, struct buf *out)
{
        uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

        if (cache >= N_ELEMENTS(caches) || op >= N_ELEMENTS(cache_ops) ||
            result >= N_ELEMENTS(cache_results) || !(caches[cache].ops & (1u << op)))
                return;
        buf_printf(out, "%s-%s%s", caches[cache].words[0], cache_ops[op][result ? 0 : 1],
                   result ? "-misses" : "");
}

void event_name_add(uint32_t type, uint64_t config, struct buf *out)
{
        if (type == PERF_TYPE_HW_CACHE)
                add_cache_name(config, out);
        for (size_t i = 0; i < N_ELEMENTS(generics); i++) {
                if (generics[i].type == type && generics[i].id == config)
                        buf_add_str(out, generics[i].name);
        }
}

void event_name_each(bool (*each)(void *ctx, const char *name), void *ctx)
{
        for (size_t i = 0; i < N_ELEMENTS(generics); i++) {
                if (!each(ctx, generics[i].name) || (generics[i].alias && !each(ctx, generics[i].alias)))
                        return;
        }
        for (uint64_t i = 0; i < N_ELEMENTS(caches) * 6; i++) {
                AUTO_RELEASE(buf) name = {0};

                add_cache_name(i / 6 | i % 3 << 8 | (i / 3 % 2) << 16, &name);
                if (name.len && !each(ctx, name.data))
                        return;
        }
}
