/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that the user brings: events of -E and metrics of -C.  Text in, tables out; files are read by the caller. */
#ifndef EXTRA_EVENT_H
#define EXTRA_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"

enum { EXTRA_TEXT_MAX_BYTES = 1 << 20, EXTRA_ITEMS_MAX = 4096, EXTRA_NAME_MAX_BYTES = 64 };

struct extra_event {
        const char *name;   /* lower case, without the prefix */
        const char *prefix; /* "dsu", "dmc_clk", "dmc_clkdiv2"; "" for the core */
        uint16_t code;
};

struct extra_metric {
        const char *name;
        const char *events; /* text of the counting grammar: "{e1,e2}" */
};

struct extra_names {
        struct extra_event *events;
        size_t n_events, cap_events;
        struct extra_metric *metrics;
        size_t n_metrics, cap_metrics;
        struct arena texts;
};

void extra_names_release(struct extra_names *names);

/* An error in any of these leaves `names` as they were.
 *
 * `name1:0xNN,/dsu/name2:NN`: hexadecimal with or without 0x, 16 bits.  A number that the same class has already is
 * left out; a second number for a name is an error.  Errors are WindowsPerf's («missing extra event delimiter ':' in
 * X») with the column. */
bool extra_events_parse(const char *text, struct extra_names *names, struct err *err);

/* The same, a list a line; blank lines and those that begin with '#' are skipped.  Errors name `file` and the line. */
bool extra_events_parse_file(const char *text, const char *file, struct extra_names *names, struct err *err);

/* -C: `metric:{e1,e2},e3` a line; names stand as they were written, and once in any case.  What the events are is not
 * checked here, their braces and commas are.  Errors name `file` and the line. */
bool extra_metrics_parse_file(const char *text, const char *file, struct extra_names *names, struct err *err);

#endif
