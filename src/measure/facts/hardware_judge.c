/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits are wide: a CPU may divide an instruction into several operations, and each of them is
 * sampled.  What falls outside of them is a wrong reading of the records, or hardware that wperf does not
 * understand. */
#include "hardware_judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "buf.h"
#include "hardware_loops.h"

enum {
        LEAST_SAMPLES = 100,
        /* percent */
        CHASE_LOADS = 75,
        STORE_STORES = 50,
        BRANCH_BRANCHES = 10,
        RANDOM_LOW = 40,
        RANDOM_HIGH = 60,
        STEADY_HIGH = 5,
        NEAR_SHARE = 80, /* of loads from a cache that holds twice the data */
        NEXT_SHARE = 40, /* of loads from the second cache, if the first one is at most half as large as the
                            data */
        FAR_SHARE = 50,  /* of loads from behind a cache that holds at most a quarter of the data */
        SHORTER = 90,    /* of the latency with less data */
        LONGEST = 4,     /* the last latency is at least this many times the first one */
        FAR_PARTS = 4,
};

struct judge {
        const struct hardware_seen *seen;
        const struct hardware_caches *caches;
        hardware_judge_fn *each;
        void *ctx;
        size_t n_differ;
        const char *loop;
        uint64_t first_cycles, last_cycles; /* latencies of the chases so far; 0: none */
};

static void add_check(struct judge *j, const char *what, enum hardware_verdict verdict, const char *seen,
                      const char *fmt, ...) PRINTF_LIKE(5, 6);

static void add_check(struct judge *j, const char *what, enum hardware_verdict verdict, const char *seen,
                      const char *fmt, ...)
{
        char expected[64];
        va_list args;

        va_start(args, fmt);
        vsnprintf(expected, sizeof(expected), fmt, args);
        va_end(args);
        j->n_differ += verdict == HARDWARE_DIFFERS;
        j->each(j->ctx, &(const struct hardware_check){j->loop, what, expected, seen, verdict});
}

static double percent(uint64_t part, uint64_t whole)
{
        return whole ? 100.0 * (double)part / (double)whole : 0;
}

static enum hardware_verdict verdict_of(bool holds)
{
        return holds ? HARDWARE_AS_EXPECTED : HARDWARE_DIFFERS;
}

static void check_share(struct judge *j, const char *what, uint64_t part, uint64_t whole, unsigned least,
                        unsigned most)
{
        const double share = percent(part, whole);
        const bool holds = share >= least && share <= most;
        char seen[32];

        snprintf(seen, sizeof(seen), "%.1f %%", share);
        if (most == 100)
                add_check(j, what, verdict_of(holds), seen, "at least %u %%", least);
        else if (!least)
                add_check(j, what, verdict_of(holds), seen, "at most %u %%", most);
        else
                add_check(j, what, verdict_of(holds), seen, "%u to %u %%", least, most);
}

/* Sizes between those of two caches say nothing clear, and so do caches whose size is not known. */
static void check_level(struct judge *j, const struct hardware_seen *seen, uint64_t size_bytes)
{
        const uint64_t l1 = j->caches->bytes[0], l2 = j->caches->bytes[1];
        const uint64_t far = seen->n_levels[HARDWARE_FAR] + seen->n_levels[HARDWARE_MEMORY];
        const uint64_t unknown = seen->n_levels[HARDWARE_UNKNOWN];
        char text[64];

        if (seen->n_loads && unknown * 2 > seen->n_loads) {
                snprintf(text, sizeof(text), "unknown: %.1f %%", percent(unknown, seen->n_loads));
                add_check(j, "data source", HARDWARE_NOT_JUDGED, text, "a known data source");
        } else if (l1 && size_bytes <= l1 / 2) {
                check_share(j, "loads from L1", seen->n_levels[HARDWARE_L1], seen->n_loads, NEAR_SHARE, 100);
        } else if (l1 && l2 && size_bytes >= l1 * 2 && size_bytes <= l2 / 2) {
                check_share(j, "loads from L2", seen->n_levels[HARDWARE_L2], seen->n_loads, NEXT_SHARE, 100);
        } else if (l2 && size_bytes >= l2 * FAR_PARTS) {
                check_share(j, "loads from behind L2", far, seen->n_loads, FAR_SHARE, 100);
        }
}

static void check_latency(struct judge *j, const struct hardware_seen *seen)
{
        const uint64_t least = j->last_cycles * SHORTER / 100;
        char text[32];

        if (!seen->load_cycles)
                return;
        snprintf(text, sizeof(text), "%" PRIu64 " cycles", seen->load_cycles);
        if (j->last_cycles)
                add_check(j, "median latency", verdict_of(seen->load_cycles >= least), text,
                          "at least %" PRIu64 " cycles", least);
        else
                j->first_cycles = seen->load_cycles;
        j->last_cycles = seen->load_cycles;
}

/* After the last chase. */
static void check_growth(struct judge *j)
{
        char text[64];

        if (!j->first_cycles)
                return;
        j->loop = "all chases";
        snprintf(text, sizeof(text), "%" PRIu64 " to %" PRIu64 " cycles", j->first_cycles, j->last_cycles);
        add_check(j, "latency grows with size", verdict_of(j->last_cycles >= LONGEST * j->first_cycles), text,
                  "%d times or more", LONGEST);
}

static void check_branches(struct judge *j, const struct hardware_seen *seen, unsigned least, unsigned most)
{
        check_share(j, "branches", seen->n_branches, seen->n_samples, BRANCH_BRANCHES, 100);
        check_share(j, "mispredicted", seen->n_worst_mispredicted, seen->n_worst_branch, least, most);
}

static void check_loop(struct judge *j, const struct hardware_loop *loop, const struct hardware_seen *seen)
{
        char text[32];

        j->loop = loop->name;
        if (!seen->was_run) {
                add_check(j, "samples", HARDWARE_NOT_JUDGED, "not run", "%d or more", LEAST_SAMPLES);
                return;
        }
        snprintf(text, sizeof(text), "%" PRIu64, seen->n_samples);
        add_check(j, "samples", verdict_of(seen->n_samples >= LEAST_SAMPLES), text, "%d or more",
                  LEAST_SAMPLES);
        if (seen->n_samples < LEAST_SAMPLES)
                return;
        switch (loop->kind) {
        case HARDWARE_CHASE:
                check_share(j, "loads", seen->n_loads, seen->n_samples, CHASE_LOADS, 100);
                check_level(j, seen, loop->size_bytes);
                check_latency(j, seen);
                break;
        case HARDWARE_STORES:
                check_share(j, "stores", seen->n_stores, seen->n_samples, STORE_STORES, 100);
                break;
        case HARDWARE_RANDOM_BRANCHES: check_branches(j, seen, RANDOM_LOW, RANDOM_HIGH); break;
        case HARDWARE_STEADY_BRANCHES: check_branches(j, seen, 0, STEADY_HIGH); break;
        }
}

size_t hardware_judge(const struct hardware_seen *seen, const struct hardware_caches *caches,
                      hardware_judge_fn *each, void *ctx)
{
        struct judge j = {.seen = seen, .caches = caches, .each = each, .ctx = ctx};

        for (size_t i = 0; i < hardware_loops_n(); i++)
                check_loop(&j, hardware_loops_get(i), &seen[i]);
        check_growth(&j);
        return j.n_differ;
}
