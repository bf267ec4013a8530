/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a jitdump's times are comparable with the session's times. */
#include "jit_codes.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "mem.h"
#include "text.h"

struct jit_codes {
        struct map by_module; /* hash of the module's identity to index + 1 */
        struct jit_code **items;
        size_t n, cap;
        bool is_monotonic; /* the session's clock is CLOCK_MONOTONIC */
        struct budget *budget;
        struct code_section *section;
        struct arena paths;
};

/* Whether samples and records of all events have times of CLOCK_MONOTONIC. */
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
        codes->section = code_section_new(perfdata_feature(reader, FEATURE_WPERF_CODE));
        return codes;
}

void jit_codes_free(struct jit_codes *codes)
{
        if (!codes)
                return;
        for (size_t i = 0; i < codes->n; i++) {
                struct jit_code *code = codes->items[i];

                jitdump_free(code->dump);
                code_history_free(code->packed);
                map_release(&code->to_pack);
                buf_release(&code->note);
                buf_release(&code->doubt);
                budget_release(&code->budget);
                free(code);
        }
        free(codes->items);
        map_release(&codes->by_module);
        code_section_free(codes->section);
        arena_release(&codes->paths);
        free(codes);
}

static uint64_t key_of(const struct module *module)
{
        const uint64_t identity[] = {module->path, (uint32_t)module->pid, module->dev, module->inode};

        return map_hash_bytes(identity, sizeof(identity));
}

struct jit_code *jit_codes_find(const struct jit_codes *codes, const struct module *module)
{
        const uint64_t *at = map_find(&codes->by_module, key_of(module));

        return at ? codes->items[*at - 1] : NULL;
}

static void judge_clock(const struct jit_codes *codes, struct jit_code *code, const char *name)
{
        const struct jitdump_facts *facts = jitdump_get_facts(code->dump);

        code->is_by_time = codes->is_monotonic && !facts->arch_time;
        if (code->is_by_time || !facts->has_replaced)
                return;
        buf_printf(
                &code->doubt,
                "code of %s was replaced while it ran, and its times are not of the session's clock: the names are those "
                "of the latest code and may be wrong",
                name);
        if (!facts->arch_time)
                buf_add_str(&code->doubt, " (wperf record and perf record -k mono use the right clock)");
}

static void read_file(const struct jit_codes *codes, struct jit_code *code, const struct jit_file *file)
{
        const char *path = file->open_path ? file->open_path : file->path;
        const char *name = text_base_name(code->is.path);
        AUTO_RELEASE(buf) note = {0};

        code->dump = jitdump_new(path, &file->origin, &code->budget, &note);
        budget_allow_work(&code->budget, BUDGET_WORK_UNWIND, jitdump_get_facts(code->dump)->file_bytes);
        code->history = jitdump_history(code->dump);
        if (note.len)
                buf_printf(&code->note, "%s: %s", name, buf_text(&note));
        judge_clock(codes, code, name);
}

/* --- Packed code --- */

static const struct recorded_jitdump *find_packed(const struct jit_codes *codes,
                                                  const struct recorded_jitdump *is)
{
        const struct recorded_jitdump *packed;

        for (size_t i = 0; (packed = code_section_get(codes->section, i)); i++) {
                if (packed->pid == is->pid && packed->dev == is->dev && packed->inode == is->inode &&
                    !strcmp(packed->path, is->path))
                        break;
        }
        return packed;
}

enum { PACKED_BYTES = 320 }; /* memory per packed code, approximately */

static void take_packed(struct jit_code *code, const struct recorded_jitdump *packed)
{
        struct code_range *ranges = mem_new(packed->n_codes, sizeof(*ranges));
        size_t n = 0;

        for (; n < packed->n_codes && budget_take(&code->budget, BUDGET_NAMES, PACKED_BYTES); n++) {
                const struct recorded_code *at = &packed->codes[n];

                ranges[n] = (struct code_range){at->addr, at->addr + at->size_bytes, at->time, at->off};
        }
        code->packed = code_history_new(ranges, n);
        code->history = code->packed;
        code->is_by_time = packed->is_by_time;
        buf_add_str(&code->doubt, packed->doubt ? packed->doubt : "");
        free(ranges);
}

/* --- Adding and lookups --- */

struct jit_code *jit_codes_add(struct jit_codes *codes, const struct module *module,
                               const struct jit_file *file)
{
        struct jit_code *code = mem_new(1, sizeof(*code));
        const struct recorded_jitdump *packed;

        code->is =
                (struct recorded_jitdump){.path = arena_copy(&codes->paths, file->path, strlen(file->path)),
                                          .pid = module->pid,
                                          .dev = module->dev,
                                          .inode = module->inode};
        budget_init_file(&code->budget, codes->budget, code->is.path);
        packed = find_packed(codes, &code->is);
        if (packed)
                take_packed(code, packed);
        else
                read_file(codes, code, file);
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

static const struct code_range *range_of(const struct jit_code *code, uint64_t offset)
{
        struct code_found found;

        return code_history_find_off(code->history, offset, &found)
                       ? code_history_get(code->history, found.range)
                       : NULL;
}

uint64_t jit_code_slide(const struct jit_code *code, uint64_t offset)
{
        const struct code_range *range = range_of(code, offset);

        return range ? range->start - range->off : 0;
}

bool jit_code_target(const struct jit_code *code, uint64_t offset, uint64_t target, uint64_t *ret_offset)
{
        const struct code_range *range = range_of(code, offset);

        return range && code_history_to_off(code->history, target, time_for(code, range->time), ret_offset);
}

/* --- Packing --- */

void jit_code_keep(struct jit_code *code, uint64_t offset)
{
        const struct code_range *range = range_of(code, offset);

        if (range)
                map_put(&code->to_pack, range->off, NULL);
}

/* Code that was moved has several ranges with the same offset. */
static void pack(const struct jit_code *code, struct buf *section)
{
        struct recorded_jitdump jitdump = code->is;

        for (size_t i = 0; i < code_history_n(code->history); i++) {
                const struct code_range *range = code_history_get(code->history, i);
                const struct recorded_code at = {range->start, range->end - range->start, range->time,
                                                 range->off};

                if (map_find(&code->to_pack, range->off))
                        ARRAY_PUSH(jitdump.codes, jitdump.n_codes, jitdump.cap_codes, at);
        }
        jitdump.is_by_time = code->is_by_time;
        jitdump.doubt = code->doubt.len ? buf_text(&code->doubt) : NULL;
        code_section_add(section, &jitdump);
        free(jitdump.codes);
}

void jit_codes_pack(const struct jit_codes *codes, struct buf *section)
{
        for (size_t i = 0; i < codes->n; i++) {
                if (codes->items[i]->to_pack.n_used)
                        pack(codes->items[i], section);
        }
}
