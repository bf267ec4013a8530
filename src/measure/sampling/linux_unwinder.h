/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinds while recording: follows maps, and replaces the registers and stack copy of a sample by a call
 * chain. */
#ifndef LINUX_UNWINDER_H
#define LINUX_UNWINDER_H

#include "budget.h"
#include "linux_internal.h"
#include "record_order.h"
#include "stack_marks.h"
#include "unwind.h"
#include "world.h"

/* --- linux_order.c: sorts records of several rings by time --- */

/* Zero-initialize before use. */
struct linux_order {
        struct record_order records; /* positions are addresses */
};

/* Adds a record, which must stay where it is until linux_order_next has returned it. `attr` is the
 * attribute of any event. */
void linux_order_add(struct linux_order *order, const struct perf_attr *attr,
                     const struct perf_header *header, uint8_t *record);

/* Call at the end of a pass over all rings. linux_order_next then returns the records that are not newer
 * than the previous pass, or all of them if `is_last`; read them before records are added. */
void linux_order_end_round(struct linux_order *order, bool is_last);

/* The next record in order of time. NULL if the others have to wait. */
uint8_t *linux_order_next(struct linux_order *order);
void linux_order_release(struct linux_order *order);

/* --- linux_loaded.c: the files of the modules that addresses are in --- */

struct loaded_module {
        struct object *object; /* NULL if the file can't be opened */
        struct cfi *cfi;       /* NULL if it has no call-frame information */
        struct outermost *outermost;
        bool is_python; /* it defines the state of a CPython */
        uint64_t used;  /* number of the last walk that used it */
        bool is_open;   /* an attempt to open it was made */
};

struct loaded {
        struct budget budget; /* for unpacked data of all modules */
        const struct world *world;
        const struct keeper *keeper;
        bool finds_python;           /* set is_python of modules */
        struct loaded_module *items; /* by module_id */
        size_t n_items;
        module_id *open;
        size_t n_open, cap_open;
        uint64_t walk;
};

/* Call before each walk. Closes the modules that were not used for the longest time if too many are open or
 * their unwind rows take too much memory. */
void loaded_begin_walk(struct loaded *loaded);

/* Call before module ids are renumbered. */
void loaded_close_all(struct loaded *loaded);
const struct loaded_module *loaded_get(struct loaded *loaded, module_id id);
void loaded_release(struct loaded *loaded);

/* --- linux_unwinder.c --- */

struct unwinder;

/* `opened` and `keeper` belong to the caller. */
struct unwinder *unwinder_new(const struct opened *opened, const struct keeper *keeper);
void unwinder_free(struct unwinder *unwinder);

struct stop_merge; /* stop_merge.h */

/* Adds Python frames to the chains. Call before the first pass. `merge` belongs to the caller. */
void unwinder_set_merge(struct unwinder *unwinder, struct stop_merge *merge);

struct deep_stacks; /* deep_stack.h */

/* Where the stacks of samples are whose records do not contain all of them. Call before the first pass. */
void unwinder_set_stacks(struct unwinder *unwinder, struct deep_stacks *stacks);

/* Puts `n` records, which are in order of time. After the last ones, the marks are complete. */
bool unwinder_put(struct unwinder *unwinder, uint8_t *const *records, size_t n, bool is_last,
                  const struct record_sink *sink, struct err *err);

/* The marks so far, before the last pass; `cut` receives their bits. */
void unwinder_look_at_marks(const struct unwinder *unwinder, struct buf *cut, struct stack_marks *ret);

/* The counts so far; valid until the next call. `cut` is NULL until the last pass was put. */
const struct stack_marks *unwinder_get_marks(struct unwinder *unwinder);

#endif
