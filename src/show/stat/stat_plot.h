/* SPDX-License-Identifier: BSD-3-Clause */
/* A timeline as one HTML page: a chart for each event and metric, with a line for each CPU. */
#ifndef STAT_PLOT_H
#define STAT_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "sheet.h"

struct stat_plot;

struct stat_plot *stat_plot_new(void);
void stat_plot_free(struct stat_plot *plot);
AUTO_DEFINE(stat_plot)

/* Adds one count, which began `start_ns` after the first one and took `elapsed_ns`; events are shown as
 * rates a second. */
void stat_plot_add(struct stat_plot *plot, const struct sheet *sheet, uint64_t start_ns, uint64_t elapsed_ns);

/* What the page says besides the counts. */
struct stat_plot_about {
        const char *title;   /* what was measured */
        const char *command; /* wperf's command line */
        const char *machine; /* name, system, CPUs */
        const char *tool;    /* "wperf 1.2" */
};

bool stat_plot_render(const struct stat_plot *plot, const struct stat_plot_about *about, struct buf *out,
                      struct err *err);

#endif
