/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a jitdump's times can be compared with the session's. */
#include "jit_codes.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"
#include "text.h"

struct jit_codes {
        struct map by_module; /* hash of its identity -> index + 1 */
        struct jit_code **items;
        size_t n, cap;
        bool is_monotonic; /* the session's clock */
        struct budget *budget;
        struct arena paths;
};

/* Samples and records of all events have the time of CLOCK_MONOTONIC. */
static bool is_monotonic(const struct perfdata_reader *reader)
{
        for (size_t i = 0; i < perfdata_n_events(reader); i++) {
                const struct perf_attr *attr = &perfdata_get_event(reader, i)->attr;

                if (!(attr->flags & PERF_ATTR_USE_CLOCKID) || attr->clockid != PERF_CLOCK_MONOTONIC ||
                    !(attr->sample_type & PERF_SAMPLE_TIME))
                        return false;
        }
        return perfdata_n_events(reader);
}

struct jit_codes *jit_codes_new(const struct perfdata_reader *reader, struct budget *budget)
{
        struct jit_codes *codes = mem_new(1, sizeof(*codes));

        codes->is_monotonic = is_monotonic(reader);
        codes->budget = budget;
        return codes;
}

void jit_codes_free(struct jit_codes *codes)
{
        if (!codes)
                return;
        for (size_t i = 0; i < codes->n; i++) {
                struct jit_code *code = codes->items[i];

                jitdump_free(code->dump);
                buf_release(&code->note);
                buf_release(&code->doubt);
                budget_release(&code->budget);
                free(code);
        }
        free(codes->items);
        map_release(&codes->by_module);
        arena_release(&codes->paths);
        free(codes);
}

static uint64_t key_of(const struct module *module)
{
        const uint64_t identity[] = {module->path, (uint32_t)module->pid, module->dev, module->inode};

        return map_hash_bytes(identity, sizeof(identity));
}

bool jit_codes_has(const struct jit_codes *codes, const struct module *module, const struct jit_code **ret)
{
        const uint64_t *at = map_find(&codes->by_module, key_of(module));

        if (at)
                *ret = codes->items[*at - 1];
        return at;
}

static void judge_clock(const struct jit_codes *codes, struct jit_code *code, const char *name)
{
        const struct jitdump_facts *facts = jitdump_get_facts(code->dump);

        code->is_by_time = codes->is_monotonic && !facts->arch_time;
        if (code->is_by_time || !facts->has_replaced)
                return;
        buf_printf(
                &code->doubt,
                "code of %s was replaced at times that are not of the session's clock, and the latest is named: names "
                "there may be wrong",
                name);
        if (!facts->arch_time)
                buf_add_str(&code->doubt, " (perf record -k mono has that clock, and so has wperf record)");
}

const struct jit_code *jit_codes_add(struct jit_codes *codes, const struct module *module,
                                     const struct jit_file *file)
{
        const char *path = arena_copy(&codes->paths, file->path, strlen(file->path));
        const char *name = text_base_name(path);
        struct jit_code *code = mem_new(1, sizeof(*code));
        AUTO_RELEASE(buf) note = {0};

        budget_init_file(&code->budget, codes->budget, path);
        code->dump =
                jitdump_new(file->open_path ? file->open_path : path, &file->origin, &code->budget, &note);
        code->history = jitdump_history(code->dump);
        if (note.len)
                buf_printf(&code->note, "%s: %s", name, buf_text(&note));
        judge_clock(codes, code, name);
        ARRAY_PUSH(codes->items, codes->n, codes->cap, code);
        *map_put(&codes->by_module, key_of(module), NULL) = codes->n;
        return code;
}

static uint64_t time_for(const struct jit_code *code, uint64_t time)
{
        return code->is_by_time ? time : CODE_HISTORY_LATEST;
}

bool jit_code_find(const void *ctx, uint64_t addr, uint64_t time, uint64_t *ret_offset)
{
        const struct jit_code *code = ctx;

        return code_history_to_off(code->history, addr, time_for(code, time), ret_offset);
}

void jit_code_span(const void *ctx, uint64_t time, uint64_t *ret_from, uint64_t *ret_to)
{
        const struct jit_code *code = ctx;

        code_history_span(code->history, time_for(code, time), ret_from, ret_to);
        if (code->is_by_time)
                return;
        *ret_from = 0;
        *ret_to = UINT64_MAX;
}
