/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of what may become slower, and whether runs keep them. */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "comparison.h"
#include "err.h"

/* "total", "elapsed", "user" or "kernel"; "group:NAME"; "event:NAME"; otherwise a pattern of function
 * names, `json_*`, whose functions are added up. */
struct limit {
        const char *name;
        double max_change; /* of B / A - 1 */
};

struct limits {
        struct limit *items;
        size_t n, cap;
        struct arena arena;
};

/* Parses "total=3%,json_*=10%" and adds it.  ERR_USAGE. */
bool limits_parse(struct limits *limits, const char *text, struct err *err);
void limits_release(struct limits *limits);

enum limit_verdict {
        LIMIT_KEPT,     /* the change is shown to be below the limit */
        LIMIT_EXCEEDED, /* the change is shown to be above the limit */
        LIMIT_UNKNOWN,
};

/* The intervals of all limits together miss the truth with at most this probability. */
#define LIMITS_ERROR 0.05

struct limit_result {
        const struct limit *limit;
        enum limit_verdict verdict;
        enum compared_unit unit;
        struct compared value;
        double change;
        double alpha;  /* of this limit: LIMITS_ERROR divided by their number */
        char why[160]; /* of LIMIT_UNKNOWN */
};

struct limits_request {
        const struct run_values *values;
        const struct run_values *groups;     /* the same by group; NULL: there are no groups */
        const struct comparison *comparison; /* for totals */
        uint32_t event;                      /* of the functions */
        enum comparison_measure measure;     /* of functions and groups */
        size_t n_looks;    /* how often the runs are judged at most, because more may follow; 0 is 1 */
        const char *doubt; /* why nothing can be told; NULL: nothing speaks against it */
};

/* `ret` has room for all limits. */
void limits_judge(const struct limits *limits, const struct limits_request *request,
                  struct limit_result *ret);

/* LIMIT_EXCEEDED if any is, else LIMIT_UNKNOWN if any is. */
enum limit_verdict limits_verdict(const struct limit_result *results, size_t n);

#endif
