/* SPDX-License-Identifier: BSD-3-Clause */
/* What a live view shows at one time: rows of functions, threads and processes, with the sums of the last
 * interval and those since the start. */
#ifndef LIVE_TABLE_H
#define LIVE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "wall_times.h"

enum live_kind { LIVE_FUNCTIONS, LIVE_THREADS, LIVE_PROCESSES, LIVE_CONTAINERS, LIVE_N_KINDS };

/* Sums of samples and of their periods. Threads, processes and containers have only `self`. */
struct live_sum {
        uint64_t self_count, self_weight;
        uint64_t count, weight; /* with callees; recursion counts once */
};

/* Wall time of a row by state, in ns. What it is since the start may change for what was before, when more
 * becomes known of it. */
struct live_states {
        uint64_t now[WALL_N_STATES], since[WALL_N_STATES];
        /* for the sums: since the start at the table before this one; and what is not divided again */
        uint64_t before[WALL_N_STATES], settled[WALL_N_STATES];
        uint32_t line; /* of a Python function: the one with most of it; 0: not known */
};

struct live_row {
        const char *name; /* "parse", "memcpy"; of a thread or process its name */
        /* of a function: with its arguments, or its file: "parse [app.py:5]"; of a container the path of its
         * control group; else "" */
        const char *label;
        const char *module; /* base name of a native function's module; "" for none */
        const char *file;   /* path of a Python function's file; "" if not known */
        uint32_t line;      /* its first line; 0 if not known */
        int32_t pid, tid;   /* of a thread or process; 0: rows that were merged, or none */
        bool is_python, is_kernel;
        bool is_unnamed; /* a native function without a name */
        bool is_rest;    /* the sum of rows that are not listed one by one */
        struct live_sum now, since;
        struct live_states *states; /* NULL without wall time; else the sums are of the states that count */
};

/* The rows of a kind, the largest first: by total time now, then since the start. */
struct live_rows {
        struct live_row *items;
        size_t n;
        size_t n_merged; /* rows that were merged into the last one, to save memory */
};

struct live_table {
        struct live_rows kinds[LIVE_N_KINDS];
        struct live_sum now, since; /* of all samples; only `self` */
        uint64_t n_lost;            /* since the start */
        uint64_t interval_ns;       /* the time that `now` covers */
        bool is_time;               /* weights are nanoseconds of CPU time */
        bool is_user_only;          /* the kernel is left out */
        bool has_python;            /* there are Python functions */
        unsigned python_minor;      /* the interpreter is 3.N; 0: not known */
        uint64_t hz;                /* samples a second of a busy CPU; 0: not known */
        const char *event;          /* its name */
        /* Wall time by state, without functions; shown == 0: it was not recorded. */
        struct wall_times wall_now, wall_since;
        struct arena texts;
};

void live_sum_add(struct live_sum *to, const struct live_sum *from);

/* Whether a table shows the row: one with states may have no time in those that count. */
bool live_row_is_shown(const struct live_row *row);

/* Whether two rows are of the same function, thread, process or container. */
bool live_row_is_same(const struct live_row *a, const struct live_row *b);

void live_table_free(struct live_table *table);
AUTO_DEFINE(live_table)

/* The order of rows: by total, or by self time. */
enum live_order { LIVE_BY_TOTAL, LIVE_BY_SELF, LIVE_BY_SINCE };
void live_table_sort(struct live_table *table, enum live_kind kind, enum live_order order);

#endif
