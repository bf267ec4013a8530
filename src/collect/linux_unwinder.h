/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinding while recording: records by time, the modules that they map, and samples with a chain in the place of
 * registers and a copy of the stack. */
#ifndef LINUX_UNWINDER_H
#define LINUX_UNWINDER_H

#include "budget.h"
#include "linux_internal.h"
#include "record_order.h"
#include "stack_marks.h"
#include "unwind.h"
#include "world.h"

/* --- linux_order.c: records of several rings by time --- */

/* Zero-initialised is empty and ready. */
struct linux_order {
        struct buf older, newer;     /* the bytes of two rounds */
        struct record_order records; /* their positions are addresses in these */
};

/* Takes what a pass over all rings brought, which is then empty.  What is not newer than the pass before may go out now,
 * all of it when this is the last; it has to be taken before the next round.  `attr` is that of any event. */
void linux_order_add_round(struct linux_order *order, const struct perf_attr *attr, struct buf *pass,
                           bool is_last);

/* The next record; valid until the next round.  NULL: no more may go out. */
const uint8_t *linux_order_next(struct linux_order *order);
void linux_order_release(struct linux_order *order);

/* --- linux_loaded.c: the files that addresses lie in --- */

struct loaded_module {
        struct object *object; /* NULL: none can be had */
        struct cfi *cfi;       /* NULL: it has none */
        struct outermost *outermost;
        uint64_t used; /* the number of the walk that asked last */
        bool is_open;  /* it was looked for */
};

struct loaded {
        struct budget budget; /* of what is unpacked of all of them */
        const struct world *world;
        const struct keeper *keeper;
        struct loaded_module *items; /* by module_id */
        size_t n_items;
        module_id *open;
        size_t n_open, cap_open;
        uint64_t walk;
};

/* Before each walk: closes those that were not asked for in the longest time where too many are open, or they have
 * learned too much. */
void loaded_begin_walk(struct loaded *loaded);

/* Before ids of modules get another meaning. */
void loaded_close_all(struct loaded *loaded);
const struct loaded_module *loaded_get(struct loaded *loaded, module_id id);
void loaded_release(struct loaded *loaded);

/* --- linux_unwinder.c --- */

struct unwinder;

/* Both are kept by the caller. */
struct unwinder *unwinder_new(const struct opened *opened, const struct keeper *keeper);
void unwinder_free(struct unwinder *unwinder);

struct stop_merge; /* stop_merge.h */

/* Before the first pass: puts Python frames into the chains.  Kept by the caller. */
void unwinder_set_merge(struct unwinder *unwinder, struct stop_merge *merge);

struct deep_stack; /* stop_engine.h */

/* From now on asks `take` for the stack of a sample whose record has not all of it; the caller of `take` releases it. */
void unwinder_set_stacks(struct unwinder *unwinder,
                         bool (*take)(void *ctx, int32_t tid, uint64_t time_ns, struct deep_stack *ret),
                         void *ctx);

/* Takes out of the samples from `start` on what the kernel left empty in the copies of stacks: they have all the bytes that
 * were asked for, and most stacks are not that deep. */
void unwinder_trim(const struct unwinder *unwinder, struct buf *pass, size_t start);

/* Takes a pass over the rings, which is then empty, and puts what may go out in order. */
bool unwinder_put(struct unwinder *unwinder, struct buf *pass, bool is_last, const struct record_sink *sink,
                  struct err *err);

/* So far, but for `cut`, which is NULL before the last pass was put; valid until the next call. */
const struct stack_marks *unwinder_get_marks(struct unwinder *unwinder);

#endif
