/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns each sample to the instruction that contains its address. */
#include "annotate.h"

#include <assert.h>
#include <stdlib.h>

#include "annotate_internal.h"
#include "mem.h"
#include "search.h"

/* --- A function --- */

static bool is_inside(const struct annotate_request *request, uint64_t addr)
{
        for (size_t i = 0; i < request->n_extents; i++) {
                if (addr >= request->extents[i].start && addr < request->extents[i].end)
                        return true;
        }
        return false;
}

static void add_instructions(struct annotate *a)
{
        const struct disasm_code *code = a->request.code;
        size_t n_blocks, next = 0;
        size_t *blocks = disasm_blocks(code, &n_blocks);

        for (size_t i = 0; i < code->n_insns; i++) {
                struct annotate_point point = {.addr = code->insns[i].addr, .insn = &code->insns[i]};

                if (next < n_blocks && blocks[next] == i) {
                        point.begins_block = true;
                        next++;
                }
                ARRAY_PUSH(a->points, a->n_points, a->cap_points, point);
        }
        free(blocks);
}

static int compare_points(const void *x, const void *y)
{
        const struct annotate_point *a = x, *b = y;

        return (a->addr > b->addr) - (a->addr < b->addr);
}

static void add_samples(struct annotate *a, const struct hot_pc *pc)
{
        const struct disasm_code *code = a->request.code;
        struct annotate_point point = {.addr = pc->addr + a->request.slide};
        const struct disasm_insn *insn = disasm_find(code, point.addr);

        a->count += pc->count;
        a->weight += pc->weight;
        if (insn) {
                struct annotate_point *at = &a->points[insn - code->insns];

                at->count += pc->count;
                at->weight += pc->weight;
                return;
        }
        point.count = pc->count;
        point.weight = pc->weight;
        ARRAY_PUSH(a->points, a->n_points, a->cap_points, point);
}

/* Several rows of the hot table may have the same address. */
static void merge_points(struct annotate *a)
{
        size_t n = 0;

        if (a->n_points)
                qsort(a->points, a->n_points, sizeof(*a->points), compare_points);
        for (size_t i = 0; i < a->n_points; i++) {
                if (n && a->points[n - 1].addr == a->points[i].addr) {
                        a->points[n - 1].count += a->points[i].count;
                        a->points[n - 1].weight += a->points[i].weight;
                } else {
                        a->points[n++] = a->points[i];
                }
        }
        a->n_points = n;
}

static void find_frames(struct annotate *a)
{
        uint64_t *addrs = mem_new(a->n_points, sizeof(*addrs));

        for (size_t i = 0; i < a->n_points; i++)
                addrs[i] = a->points[i].addr - a->request.slide;
        resolver_find_frames(a->request.resolver, a->request.id, addrs, a->n_points, &a->frames);
        for (size_t i = 0; i < a->n_points; i++) {
                a->points[i].frames = a->frames.frames + a->frames.spans[i].first;
                a->points[i].n_frames = a->frames.spans[i].n;
        }
        free(addrs);
}

/* Rows are sorted by latency, so the first row of an address is that of the most accesses. */
static void add_access(struct annotate *a, const struct access_row *row)
{
        const struct hot *hot = access_rows_hot(a->request.accesses);
        size_t n, first = hot_pcs_of_row(hot, row->code, &n);
        const struct hot_pc *pc = hot_get_pc(hot, first);
        size_t low = 0, high = a->n_points;
        uint64_t addr = pc->addr + a->request.slide;

        if (!n || row->event != a->request.event || pc->module != a->request.module ||
            !is_inside(&a->request, pc->addr))
                return;
        SEARCH_FIRST(low, high, middle, a->points[middle].addr < addr);
        if (low < a->n_points && a->points[low].addr == addr && !a->points[low].access)
                a->points[low].access = row;
}

struct annotate *annotate_new(const struct annotate_request *request)
{
        struct annotate *a = mem_new(1, sizeof(*a));
        const struct hot *hot = request->hot;

        a->request = *request;
        add_instructions(a);
        for (size_t i = 0; i < hot_n_pcs(hot); i++) {
                const struct hot_pc *pc = hot_get_pc(hot, i);

                if (pc->event == request->event && pc->module == request->module &&
                    is_inside(request, pc->addr))
                        add_samples(a, pc);
        }
        merge_points(a);
        for (size_t i = 0; request->accesses && i < access_rows_n(request->accesses); i++)
                add_access(a, access_rows_get(request->accesses, i));
        find_frames(a);
        return a;
}

/* --- A session --- */

struct annotate *annotate_new_whole(const struct profile *profile, struct resolver *resolver,
                                    const struct place_modules *modules, uint32_t event)
{
        struct annotate *a = mem_new(1, sizeof(*a));

        a->request.resolver = resolver;
        a->places = hot_place_frames(profile, resolver, modules);
        for (size_t i = 0; i < profile_n_places(profile); i++) {
                const struct profile_place *place = profile_get_place(profile, i);
                struct annotate_point point = {.count = place->count, .weight = place->weight};

                if (place->event != event)
                        continue;
                point.n_frames = place_frames_get(a->places, i, &point.frames);
                a->count += place->count;
                a->weight += place->weight;
                ARRAY_PUSH(a->points, a->n_points, a->cap_points, point);
        }
        return a;
}

void annotate_free(struct annotate *a)
{
        if (!a)
                return;
        resolver_frames_release(&a->frames);
        place_frames_free(a->places);
        free(a->points);
        free(a);
}

size_t annotate_n_points(const struct annotate *a)
{
        return a->n_points;
}

const struct annotate_point *annotate_get_point(const struct annotate *a, size_t index)
{
        assert(index < a->n_points);
        return &a->points[index];
}

uint64_t annotate_count(const struct annotate *a)
{
        return a->count;
}

uint64_t annotate_weight(const struct annotate *a)
{
        return a->weight;
}

const char *annotate_text(const struct annotate *a, str_id id)
{
        return resolver_text(a->request.resolver, id);
}
