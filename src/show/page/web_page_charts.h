/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts over time as one HTML file, with the style and the parts of the page of a profile (page_counts.js).
 */
#ifndef WEB_PAGE_CHARTS_H
#define WEB_PAGE_CHARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "web_page_fact.h"

struct web_page_span {
        uint64_t start_ns, end_ns;
};

/* A line of the chart with this title.  Lines of one title have one unit. */
struct web_page_line {
        const char *title, *unit, *name;
        const double *values; /* of the first n spans; NaN: not counted */
        size_t n;
};

struct web_page_charts {
        const struct web_page_span *spans; /* by time, none within another */
        size_t n_spans;
        const struct web_page_line *lines;
        size_t n_lines;
        const struct web_page_fact *facts;
        size_t n_facts;
        /* Values of neighbours become their mean until the page has at most so many; 0: a default. */
        size_t max_values;
};

/* Appends the document. */
bool web_page_charts_write(const struct web_page_charts *charts, struct buf *out, struct err *err);

#endif
