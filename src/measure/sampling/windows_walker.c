/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinds the copies of stacks by the modules' unwind codes. */
#include "windows_internal.h"

#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "record.h"
#include "unwind_sample.h"

struct walker *walker_new(void)
{
        struct walker *w = mem_new(1, sizeof(*w));

        w->marks.n_ways = UNWIND_N_WAYS;
        w->marks.n_ends = UNWIND_N_ENDS;
        return w;
}

void walker_free(struct walker *w)
{
        if (!w)
                return;
        stack_cuts_release(&w->cuts);
        buf_release(&w->unpacked);
        buf_release(&w->chain);
        free(w);
}

static bool find_module(void *ctx, uint64_t addr, struct unwind_module *ret)
{
        const struct process_module *m = process_modules_find(ctx, addr);

        if (!m)
                return false;
        *ret = unwind_module_of_image(m->start, m->start + m->size_bytes, addr, addr - m->start,
                                      m->file->object);
        ret->outermost = ret->object ? m->file->outermost : NULL;
        return true;
}

/* As many as fit into a record, whose size has 16 bits. */
enum { MAX_FRAMES = 8000 };

bool walker_walk(struct walker *w, const struct process_modules *modules, const struct timer_sample *sample)
{
        const struct thread_copy *copy = &sample->copy;
        const struct unwind_modules found = {.find = find_module, .ctx = (void *)(uintptr_t)modules};
        struct unwind_memory memory = {
                .start = copy->regs.values[unwind_reg_sp(&copy->regs)],
                .bytes = sample->stack,
                .size = copy->stack_bytes,
                .is_whole = copy->stack_is_whole,
                .max_size = CALL_GRAPH_MAX_BYTES,
        };
        uint64_t begin_ns = os_monotonic_ns();

        unwind_walk(&found, &copy->regs, &memory, w->frames, MAX_FRAMES, &w->walked);
        /* Elapsed time: Windows counts the CPU time of a thread in ticks that are longer than a walk. */
        w->marks.unwind_ns += os_monotonic_ns() - begin_ns;
        return unwind_end_is_whole(w->walked.end);
}

const struct buf *walker_take(struct walker *w, struct stop_merge *merge)
{
        struct unwind_walked *walked = &w->walked;

        buf_clear(&w->chain);
        buf_add_u64(&w->chain, PERF_CONTEXT_USER);
        if (merge && !stop_merge_add(merge, w->frames, walked->n_frames, walked->end, MAX_FRAMES, &w->chain))
                walked->end = UNWIND_END_LIMIT;
        for (size_t i = 0; !merge && i < walked->n_frames; i++)
                buf_add_u64(&w->chain, unwind_chain_word(w->frames, i));
        for (size_t i = 0; i < UNWIND_N_WAYS; i++)
                w->marks.by_way[i] += walked->n_by_way[i];
        w->marks.by_end[walked->end]++;
        w->marks.n_samples++;
        stack_cuts_add(&w->cuts, !unwind_end_is_whole(walked->end));
        return &w->chain;
}

const struct stack_marks *walker_get_marks(struct walker *w, bool is_last)
{
        w->marks.cut = NULL;
        if (is_last) {
                buf_clear(&w->unpacked);
                stack_cuts_unpack(&w->cuts, &w->unpacked);
                w->marks.cut = (const uint8_t *)w->unpacked.data;
        }
        return &w->marks;
}
