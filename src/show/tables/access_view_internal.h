/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the forms of the tables of accesses. */
#ifndef ACCESS_VIEW_INTERNAL_H
#define ACCESS_VIEW_INTERNAL_H

#include "access_view.h"
#include "table.h"

enum access_measure_kind {
        MEASURE_SHARE,
        MEASURE_COUNT,
        MEASURE_LOADS,
        MEASURE_STORES,
        MEASURE_P50,
        MEASURE_P90,
        MEASURE_P99,
        MEASURE_LEVEL, /* share of the loads whose data came from `level` */
        MEASURE_WALKS,
        MEASURE_THREADS,
};

/* A column of numbers. */
struct access_measure {
        const char *name, *key; /* heading, and the name in JSON and CSV */
        const char *meaning;    /* part of a sentence */
        uint8_t kind;           /* enum access_measure_kind */
        uint8_t level;          /* enum access_level */
        enum column_type type;
};

/* The columns of numbers, in their order. */
const struct access_measure *access_view_measures(size_t *ret_n);

/* The number of a row; *ret_known is false if it was not recorded. */
double access_view_value(const struct access_measure *measure, const struct access_row *row, bool *ret_known);

/* Whether the view has a column for it: rows of code have no threads, and rows by level are of one level. */
bool access_view_has(const struct access_view *view, const struct access_measure *measure);

/* What memory without a variable is: "stack". */
const char *access_view_memory(const struct access_object *object);

/* Name, heading and meaning of a key of accesses: level, latency, page, cacheline, object. */
struct access_key_text {
        unsigned key; /* enum access_key */
        const char *name, *meaning;
};

const struct access_key_text *access_view_keys(size_t *ret_n);

#endif
