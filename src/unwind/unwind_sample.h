/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk over a sample that holds registers (PERF_SAMPLE_REGS_USER) and a copy of the stack (PERF_SAMPLE_STACK_USER). */
#ifndef UNWIND_SAMPLE_H
#define UNWIND_SAMPLE_H

#include "arch.h"
#include "cursor.h"
#include "unwind.h"

struct unwind_sample {
        const struct arch *arch;
        uint64_t reg_mask;  /* the attribute's sample_regs_user */
        struct cursor regs; /* a number of 64 bits for each bit of the mask, lowest first */
        struct cursor stack;
        bool stack_is_whole; /* there was no more of it than could have been copied */
};

/* As unwind_walk.  False, and nothing is walked, when there are fewer registers than the mask says. */
bool unwind_walk_sample(const struct unwind_modules *modules, const struct unwind_sample *sample,
                        struct unwind_frame *frames, size_t max_frames, struct unwind_walked *ret_walked);

/* What is mapped from `start` to `end`, where the byte at `addr` is the file's at `file_off`.  `object` and `cfi` may be
 * NULL. */
struct unwind_module unwind_module_of(uint64_t start, uint64_t end, uint64_t addr, uint64_t file_off,
                                      struct object *object, struct cfi *cfi);

/* The same of a PE image, where the byte at `addr` is that far from the image's beginning in memory. */
struct unwind_module unwind_module_of_image(uint64_t start, uint64_t end, uint64_t addr, uint64_t image_off,
                                            struct object *object);

#endif
