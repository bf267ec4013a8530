/* SPDX-License-Identifier: BSD-3-Clause */
#include "renamed_code.h"

#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "map.h"
#include "mem.h"

/* Shorter ones may be alike by chance: the names of what they call are not compared. */
enum { MIN_CODE_BYTES = 32 };

/* Functions that only one side has. */
struct lone_functions {
        struct map by_name; /* hash of name and module to number in the values */
        struct map by_code; /* hash of code and module to pack_function(), or SEVERAL */
};

#define SEVERAL UINT64_MAX

/* A function: its number in the values, and its module's number, as a value of a map. */
static uint64_t pack_function(uint64_t name, uint32_t module)
{
        return name << 32 | module;
}

static uint32_t name_of(uint64_t packed)
{
        return (uint32_t)(packed >> 32);
}

static uint32_t module_of(uint64_t packed)
{
        return (uint32_t)packed;
}

struct rename_search {
        struct run_values *values;
        const struct measured_session_request *request;
        struct lone_functions lone[RUN_N_SIDES];
};

static void rename_search_release(struct rename_search *r)
{
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                map_release(&r->lone[side].by_name);
                map_release(&r->lone[side].by_code);
        }
}

static uint64_t key_of(uint64_t key, const char *module)
{
        return map_mix(key + map_hash_bytes(module, strlen(module)));
}

static uint64_t key_of_name(const char *name, const char *module)
{
        return key_of(map_hash_bytes(name, strlen(name)), module);
}

/* Mean number of samples of a run. */
static double samples_of(const struct run_values *v, size_t name, enum run_side side)
{
        uint64_t n = 0;

        for (uint32_t e = 0; e < run_values_n_events(v); e++) {
                for (size_t r = run_values_first(v, side); r < run_values_end(v, side); r++)
                        n += run_values_row(v, e, name)[r].count;
        }
        return (double)n / (double)run_values_n_runs(v, side);
}

/* Two functions of one build are two functions, even if they have the same code. */
static bool is_shared(const struct rename_search *r, const char *module)
{
        return r->request->builds && shared_builds_have(r->request->builds, module);
}

static void list_lone(struct rename_search *r)
{
        for (size_t i = 0; i < run_values_n_names(r->values); i++) {
                double a = samples_of(r->values, i, RUN_A), b = samples_of(r->values, i, RUN_B);
                struct run_name name = run_values_name(r->values, i);

                if ((a > 0) != (b > 0) && a + b >= COMPARISON_MIN_SAMPLES && !is_shared(r, name.module))
                        *map_put(&r->lone[a > 0 ? RUN_A : RUN_B].by_name, key_of_name(name.name, name.module),
                                 NULL) = i;
        }
}

static void add_code(struct rename_search *r, enum run_side side, struct report *report, size_t row_index)
{
        const struct hot *hot = report->hot;
        const struct hot_row *row = hot_get_row(hot, row_index);
        const char *module = hot_text(hot, row->module);
        struct function_code code;
        const uint64_t *name;
        uint64_t *found;
        const struct hot_pc *pc;
        size_t n, first;
        bool is_new;

        if (side == RUN_B)
                module = run_values_paired_module(r->values, module);
        name = row->resolved ? map_find(&r->lone[side].by_name, key_of_name(hot_text(hot, row->bare), module))
                             : NULL;
        first = hot_pcs_of_row(hot, row_index, &n);
        pc = name && n ? hot_get_pc(hot, first) : NULL;
        if (!pc || pc->module == MODULE_NONE ||
            !function_codes_find(r->request->codes, report, pc->module, pc->addr, &code) ||
            code.size_bytes < MIN_CODE_BYTES)
                return;
        found = map_put(&r->lone[side].by_code, key_of(code.hash, module), &is_new);
        *found = is_new || name_of(*found) == *name ? pack_function(*name, code.module) : SEVERAL;
}

static void read_codes(struct rename_search *r, enum run_side side, const char *path)
{
        struct report_request wanted = measured_session_report(path, r->request);
        struct report *report = function_codes_open(r->request->codes, &wanted);

        for (size_t i = 0; report && i < hot_n_rows(report->hot); i++)
                add_code(r, side, report, i);
}

static void pair(void *ctx, uint64_t code, uint64_t *a)
{
        struct rename_search *r = ctx;
        const uint64_t *b = map_find(&r->lone[RUN_B].by_code, code);

        if (b && *b != SEVERAL && *a != SEVERAL && module_of(*a) != module_of(*b))
                run_values_rename(r->values, name_of(*a), name_of(*b));
}

void renamed_code_pair(struct run_values *values, const char *a, const char *b,
                       const struct measured_session_request *request)
{
        AUTO_RELEASE(rename_search) r = {.values = values, .request = request};

        list_lone(&r);
        if (!r.lone[RUN_A].by_name.n_used || !r.lone[RUN_B].by_name.n_used)
                return;
        read_codes(&r, RUN_A, a);
        read_codes(&r, RUN_B, b);
        map_each(&r.lone[RUN_A].by_code, pair, &r);
}
