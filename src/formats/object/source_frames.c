/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_frames.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

bool source_frames_reserve(struct source_frames *frames, size_t n)
{
        size_t cap =
                frames->cap_frames * 2 > frames->n_frames + n ? frames->cap_frames * 2 : frames->n_frames + n;
        uint64_t bytes = (cap - frames->cap_frames) * sizeof(*frames->frames);

        if (frames->n_frames + n <= frames->cap_frames)
                return true;
        if (!budget_take(frames->budget, BUDGET_LINES, bytes))
                return false;
        frames->taken_bytes += bytes;
        frames->frames = mem_resize(frames->frames, cap, sizeof(*frames->frames));
        frames->cap_frames = cap;
        return true;
}

void source_frames_release(struct source_frames *frames)
{
        budget_give(frames->budget, frames->taken_bytes);
        free(frames->frames);
        free(frames->spans);
        *frames = (struct source_frames){0};
}

static int compare_extents(const void *a, const void *b)
{
        const struct source_extent *x = a, *y = b;

        return x->start < y->start ? -1 : x->start > y->start;
}

void source_extents_sort(struct source_extent *extents, size_t n)
{
        if (n)
                qsort(extents, n, sizeof(*extents), compare_extents);
}

static int compare_labels(const void *a, const void *b)
{
        const struct source_label *x = a, *y = b;

        if (x->has_addr != y->has_addr)
                return x->has_addr ? -1 : 1;
        if (x->addr != y->addr)
                return x->addr < y->addr ? -1 : 1;
        if (x->line != y->line)
                return x->line < y->line ? -1 : 1;
        return strcmp(x->name, y->name);
}

void source_labels_sort(struct source_label *labels, size_t n)
{
        if (n)
                qsort(labels, n, sizeof(*labels), compare_labels);
}
