/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits the memory that a command uses for data derived from files: decompressed sections, frames, lines,
 * names, and the work that a file may cause. There is a budget for the command and one for each file. Over
 * the limit of memory, less valuable data is left out first; over that of work, the file is given up.  The
 * command's budget remembers from which file.  Safe to use from several threads. */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"

enum {
        BUDGET_LONG_NAME_BYTES = 64 * 1024, /* longer names are left out first */
        BUDGET_MAX_FILES = 8,               /* files that are named in the message */
        BUDGET_STEP_BYTES = 8,              /* of debug information */
};

#define BUDGET_DEFAULT_BYTES ((uint64_t)1 << 30)

/* Uses of memory, in the order in which they are left out.  Names may use the whole limit, lines three
 * quarters of it, sampled addresses and single samples five eighths, call stacks and long names half. */
enum budget_use {
        BUDGET_LONG_NAMES,
        BUDGET_STACKS,
        BUDGET_ADDRESSES,
        BUDGET_SAMPLES,
        BUDGET_LINES,
        BUDGET_NAMES,
        BUDGET_RECORDS,
        BUDGET_N_USES
};

/* What is done with a file.  Work is counted in steps: a turn of a loop, or 64 bytes copied.  It is not
 * measured by a clock, so that a result does not depend on the machine.  Each MB of a file may cause as
 * many steps as take at most some ten seconds. */
enum budget_work {
        BUDGET_WORK_DEBUG,  /* reading debug information: a step is BUDGET_STEP_BYTES of entries, lines or
                               ranges */
        BUDGET_WORK_UNWIND, /* unwinding by its frame information: a step is four instructions of rules */
        BUDGET_WORK_TRACE,  /* reading an event trace: a step is an event, or 64 bytes that are unpacked */
        BUDGET_N_WORKS
};

/* A file from which something was left out, or that was given up. */
struct budget_short {
        char *name;
        _Atomic unsigned uses;     /* 1 << enum budget_use: for lack of memory */
        _Atomic unsigned given_up; /* the same: after too much work */
};

/* Budget of a command, or of a file, whose parent is the command's. */
struct budget {
        struct budget *parent; /* NULL: none */
        const char *name;      /* name of the file, for messages; kept by the caller */
        uint64_t limit_bytes;  /* 0: no limit */
        _Atomic uint64_t used_bytes;
        _Atomic unsigned left_out; /* 1 << enum budget_use */
        _Atomic unsigned given_up; /* the same, after too much work */
        uint64_t max_steps;        /* 0: no limit */
        bool is_unasked;           /* max_steps are those of a file about which nothing was said */
        _Atomic uint64_t n_steps;
        /* For a command: the files from which something was left out.  The lock is for adding one; another
         * thread may read those below `n_files` meanwhile. */
        atomic_flag lock;
        struct budget_short files[BUDGET_MAX_FILES];
        _Atomic size_t n_files;
        _Atomic size_t n_more_short, n_more_given_up; /* files that are not in the list */
};

void budget_init(struct budget *budget, uint64_t limit_bytes);

/* The budget of one file, with the limit of `command`, or BUDGET_DEFAULT_BYTES if that is NULL.  In a
 * command a file may cause the work of one MB, whoever reads it; a recorder, which has none, reads its
 * files for as long as it runs. */
void budget_init_file(struct budget *budget, struct budget *command, const char *name);

/* A file's budget returns to the command's budget the bytes that it still holds. */
void budget_release(struct budget *budget);

/* Takes `bytes` from the budget and from its parent. If one of the limits would be exceeded, returns false,
 * takes nothing and records this. If `budget` is NULL there is no limit. */
bool budget_take(struct budget *budget, enum budget_use use, uint64_t bytes);
void budget_give(struct budget *budget, uint64_t bytes);

/* True if budget_take would succeed now; records nothing. */
bool budget_has_room(const struct budget *budget, enum budget_use use, uint64_t bytes);

/* --- Work --- */

/* Lets `bytes` more of the file cause work; the first MB counts as a whole one. */
void budget_allow_work(struct budget *budget, enum budget_work work, uint64_t bytes);

/* Counts steps.  False once there are more than the file may cause; then `use` of it is given up, and this
 * is recorded.  Without a budget, or where no work was allowed, there is no limit. */
bool budget_work(struct budget *budget, enum budget_use use, uint64_t steps);

/* The steps that are left; UINT64_MAX: no limit. */
uint64_t budget_steps_left(const struct budget *budget);

/* The bytes that one lookup may read.  What it has read counts as work of the file. */
struct budget_meter {
        struct budget *budget; /* of the file, kept by the caller; NULL: no limit for the file */
        uint64_t left, granted;
};

/* Begins a lookup that may read `bytes`, or less if the file may not cause more work. */
void budget_meter_begin(struct budget_meter *meter, uint64_t bytes);

/* Lets the lookup read `bytes` more. */
void budget_meter_extend(struct budget_meter *meter, uint64_t bytes);

/* Counts what was read; called by budget_meter_begin(), too. */
void budget_meter_end(struct budget_meter *meter);

/* False once the lookup has read too much; then everything is refused until the next one. */
static inline bool budget_meter_spend(struct budget_meter *meter, uint64_t bytes)
{
        bool ok = bytes <= meter->left;

        meter->left = ok ? meter->left - bytes : 0;
        return ok;
}

/* True if the file was given up (for a command's budget, any file). */
bool budget_has_given_up(const struct budget *budget);

/* Appends what was given up, as budget_add_text does. */
void budget_add_given_up(const struct budget *budget, struct buf *out);

/* --- Shares --- */

/* Memory that a thread took from a budget in advance, for many small objects.  Zero-initialised has no
 * limit. */
struct budget_share {
        struct budget *budget; /* kept by the caller; NULL: no limit */
        uint64_t taken_bytes;
        /* a share for each use, so that less valuable uses cannot take the memory of others */
        uint64_t left_bytes[BUDGET_N_USES];
};

bool budget_share_refill(struct budget_share *share, enum budget_use use, uint64_t bytes);

/* Like budget_take(). */
static inline bool budget_share_take(struct budget_share *share, enum budget_use use, uint64_t bytes)
{
        if (!share->budget)
                return true;
        if (share->left_bytes[use] < bytes && !budget_share_refill(share, use, bytes))
                return false;
        share->left_bytes[use] -= bytes;
        return true;
}

/* Returns the bytes above `bytes` to the budget. */
void budget_share_keep(struct budget_share *share, uint64_t bytes);

/* Records that something was left out for another reason than a failed budget_take. */
void budget_leave_out(struct budget *budget, enum budget_use use);

/* True if something of that use was left out from this file (for a command's budget, from any file). */
bool budget_has_left_out(const struct budget *budget, enum budget_use use);
bool budget_is_short(const struct budget *budget);

/* The limit in bytes; BUDGET_DEFAULT_BYTES if the budget has none. */
uint64_t budget_limit(const struct budget *budget);

/* "inlined frames and lines"; the text for a use. */
const char *budget_use_text(enum budget_use use);

/* Appends what was left out: "names longer than 64 KiB and lines of a.out, names of b.so"; nothing if
 * nothing was. */
void budget_add_text(const struct budget *budget, struct buf *out);

#endif
