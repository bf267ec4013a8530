/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_frames.h"

#include <stdlib.h>

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
