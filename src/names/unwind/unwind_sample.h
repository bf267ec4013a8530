/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks a sample with registers (PERF_SAMPLE_REGS_USER) and a stack copy (PERF_SAMPLE_STACK_USER). */
#ifndef UNWIND_SAMPLE_H
#define UNWIND_SAMPLE_H

#include "arch.h"
#include "cursor.h"
#include "unwind.h"

struct unwind_sample {
        const struct arch *arch;
        uint64_t reg_mask;  /* the attribute's sample_regs_user */
        struct cursor regs; /* 64 bits for each bit of the mask, lowest bit first */
        struct cursor stack;
        bool stack_is_whole; /* the copy contains all of the stack */
        /* size of the stack if it exceeds the largest copy; 0 if it does not or is unknown */
        uint64_t stack_used_size;
};

/* Like unwind_walk. Returns false without walking if there are fewer registers than the mask says. */
bool unwind_walk_sample(const struct unwind_modules *modules, const struct unwind_sample *sample,
                        struct unwind_frame *frames, size_t max_frames, struct unwind_walked *ret_walked);

/* The module that is mapped from `start` to `end`, with file offset `file_off` at `addr`. `object` and `cfi`
 * may be NULL. */
struct unwind_module unwind_module_of(uint64_t start, uint64_t end, uint64_t addr, uint64_t file_off,
                                      struct object *object, struct cfi *cfi);

/* The same for a PE image; `addr` is `image_off` bytes after the image's start in memory. */
struct unwind_module unwind_module_of_image(uint64_t start, uint64_t end, uint64_t addr, uint64_t image_off,
                                            struct object *object);

#endif
