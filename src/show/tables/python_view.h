/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of Python functions after the table of native functions: sorted by own samples, with the total
 * of each function. */
#ifndef PYTHON_VIEW_H
#define PYTHON_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "hot_view.h"
#include "json.h"
#include "python_rows.h"

struct python_view {
        const struct python_rows *rows;    /* NULL: there is no table */
        const struct report_event *events; /* one for each event of the session */
        size_t n_events;
        uint64_t max_rows;
        const char *symbol; /* pattern of functions to show, or NULL */
        bool is_colored;
        unsigned max_columns; /* width of the terminal; 0: no limit */
};

/* Whether the function matches the pattern. */
bool python_view_shows(const struct python_view *view, const struct python_function *function);

/* Whether there is a function that matches the pattern. */
bool python_view_has_rows(const struct python_view *view);

/* A section for each event with Python functions. */
void python_view_text(const struct python_view *view, struct buf *out);

/* The key "python_functions": an array with one object for each function. */
void python_view_json(const struct python_view *view, struct json *json);

#endif
