/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of accesses to memory, with the functions that touched a page or cache line. */
#ifndef ACCESS_ROWS_H
#define ACCESS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accesses.h"
#include "attributes.h"
#include "hot.h"
#include "place_modules.h"
#include "resolver.h"

#define ACCESS_NO_CODE SIZE_MAX

/* Whether threads slow each other down because they use one cache line. */
enum access_sharing {
        ACCESS_NOT_SHARED,
        ACCESS_TRULY_SHARED,    /* several threads use the same bytes, and one writes them */
        ACCESS_SHARED_POSSIBLY, /* a thread writes, and another reads other bytes of the line */
        ACCESS_SHARED_FALSELY,  /* different threads write different bytes of the line */
};

struct access_row {
        uint32_t event;
        size_t code;       /* row of access_rows_hot(); ACCESS_NO_CODE if rows do not distinguish code */
        uint8_t level;     /* enum access_level, with ACCESS_BY_LEVEL */
        uint64_t from, to; /* latencies in cycles: from <= latency < to; with ACCESS_BY_LATENCY */
        struct access_data data; /* with ACCESS_BY_PAGE and ACCESS_BY_LINE, else zero */
        size_t object;           /* with ACCESS_BY_OBJECT, for access_rows_object() */
        uint64_t count, n_loads, n_stores;
        uint64_t n_tlb, n_walks; /* accesses whose use of a TLB is known, and those of them that read the page
                                    tables */
        uint64_t by_level[ACCESS_N_LEVELS]; /* loads only */
        /* Accesses with a latency, the sum of the latencies, its share of the sum of the event (0 to 1),
         * and quantiles: the smallest latency that at least 50, 90 or 99 % of the accesses do not exceed,
         * or up to 1/128 more.  In cycles. */
        uint64_t n_timed, cycles;
        double share;
        uint64_t p50, p90, p99;
        /* With ACCESS_BY_ADDRESS: */
        uint32_t n_threads;
        enum access_sharing sharing; /* with ACCESS_BY_LINE */
        size_t first_use, n_uses;    /* for access_rows_use() */
};

/* The accesses of one function to one offset. */
struct access_use {
        size_t code; /* row of access_rows_hot() */
        /* of the first byte from the begin of the line or variable; of pages, rounded down to a line; 0 for
         * other objects */
        uint64_t offset;
        uint64_t count, n_loads, n_stores;
        size_t first_thread, n_threads; /* for access_rows_thread() */
};

/* A variable, or memory that no symbol names. */
struct access_object {
        uint32_t memory;     /* enum access_memory */
        int32_t pid;         /* of a stack, a heap or a mapping; else 0 */
        const char *name;    /* of the variable; NULL: none */
        const char *module;  /* base name of the file; NULL: none */
        uint64_t size_bytes; /* of the variable; 0: not known */
};

struct access_rows;

struct access_rows_request {
        const struct accesses *accesses; /* finished */
        unsigned keys;                   /* enum access_key: those of the accesses, or some of them */
        unsigned code_keys;              /* profile_key bits, by which code is distinguished */
        bool by_code; /* rows distinguish code; if not, it is distinguished only in their uses */
        const struct world *world;
        struct resolver *resolver;
        const struct place_modules *modules;
        bool inlines; /* as in hot_new() */
        /* Only accesses by functions that match this pattern of text_match_symbol() are in rows; the shares
         * are still those of all accesses.  NULL: all accesses. */
        const char *symbol;
};

struct access_rows *access_rows_new(const struct access_rows_request *request);
void access_rows_free(struct access_rows *rows);
AUTO_DEFINE(access_rows)

/* Sorted by event; then cycles, or count where none has a latency (most first); by the latency alone if
 * that is the only key. */
size_t access_rows_n(const struct access_rows *rows);
const struct access_row *access_rows_get(const struct access_rows *rows, size_t index);

/* Those of a cache line are sorted by offset, others by count (most first). */
const struct access_use *access_rows_use(const struct access_rows *rows, size_t index);
/* A thread's number; sorted within a use. */
int32_t access_rows_thread(const struct access_rows *rows, size_t index);

const struct access_object *access_rows_object(const struct access_rows *rows, size_t index);

/* Names of code. */
const struct hot *access_rows_hot(const struct access_rows *rows);

#endif
