/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory a command may use for what it derives from files, and for what it derives from one of them: unpacked
 * sections, frames, lines, names.  Over the limit less valuable things are left out first, and the command's budget
 * remembers of which file.  Safe to use from several threads. */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"

enum {
        BUDGET_LONG_NAME_BYTES = 64 * 1024, /* longer names are the first to be left out */
        BUDGET_MAX_FILES = 8,               /* that are named */
};

#define BUDGET_DEFAULT_BYTES ((uint64_t)1 << 30)

/* What memory is used for, in the order in which it is left out.  Names may fill the whole limit, lines three quarters
 * of it, sampled addresses and single samples five eighths, call stacks and long names half. */
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

/* A file of which something was left out. */
struct budget_short {
        char *name;
        unsigned uses; /* 1 << enum budget_use */
};

/* Of a command, or of a file with the command's as its parent. */
struct budget {
        struct budget *parent; /* NULL: none */
        const char *name;      /* of the file, for messages; kept by the caller */
        uint64_t limit_bytes;  /* 0: no limit */
        _Atomic uint64_t used_bytes;
        _Atomic unsigned left_out; /* 1 << enum budget_use */
        /* A command's: the files that something was left out of. */
        atomic_flag lock;
        struct budget_short files[BUDGET_MAX_FILES];
        size_t n_files, n_more;
};

void budget_init(struct budget *budget, uint64_t limit_bytes);

/* The budget of one file, which has the limit of `command`, or BUDGET_DEFAULT_BYTES where that is NULL. */
void budget_init_file(struct budget *budget, struct budget *command, const char *name);

/* A file's budget gives back to its command's what it still holds. */
void budget_release(struct budget *budget);

/* Takes `bytes` from the budget and from its parent, or nothing: then it was over one of the limits, and that is
 * remembered.  `budget` may be NULL, which has no limit. */
bool budget_take(struct budget *budget, enum budget_use use, uint64_t bytes);
void budget_give(struct budget *budget, uint64_t bytes);

/* Whether budget_take would succeed now; nothing is remembered. */
bool budget_has_room(const struct budget *budget, enum budget_use use, uint64_t bytes);

/* What one thread took of a budget in advance, for many things that are small.  Zero-initialised has no limit. */
struct budget_share {
        struct budget *budget; /* kept by the caller; NULL: no limit */
        uint64_t taken_bytes;
        uint64_t left_bytes[BUDGET_N_USES]; /* apart: less valuable things must not use up what others took */
};

bool budget_share_refill(struct budget_share *share, enum budget_use use, uint64_t bytes);

/* As budget_take(). */
static inline bool budget_share_take(struct budget_share *share, enum budget_use use, uint64_t bytes)
{
        if (!share->budget)
                return true;
        if (share->left_bytes[use] < bytes && !budget_share_refill(share, use, bytes))
                return false;
        share->left_bytes[use] -= bytes;
        return true;
}

/* Gives back what is above `bytes`. */
void budget_share_keep(struct budget_share *share, uint64_t bytes);

/* Remembers that something was left out for another reason than a budget_take that failed. */
void budget_leave_out(struct budget *budget, enum budget_use use);

/* Whether something of that use was left out of this file, or of all files. */
bool budget_has_left_out(const struct budget *budget, enum budget_use use);
bool budget_is_short(const struct budget *budget);

/* The limit, BUDGET_DEFAULT_BYTES where there is none. */
uint64_t budget_limit(const struct budget *budget);

/* "inlined frames and lines"; for the use with this number. */
const char *budget_use_text(enum budget_use use);

/* "names longer than 64 KiB and lines of a.out, names of b.so": what was left out, appended; nothing when there was
 * enough. */
void budget_add_text(const struct budget *budget, struct buf *out);

#endif
