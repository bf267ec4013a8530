/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that the user defines: events of -E and metrics of -C. Parses text into tables; the caller reads the
 * files. */
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
        const char *prefix; /* "dsu", "dmc_clk", "dmc_clkdiv2"; "" for core events */
        uint16_t code;
};

struct extra_metric {
        const char *name;
        const char *events; /* in the counting grammar: "{e1,e2}" */
};

struct extra_names {
        struct extra_event *events;
        size_t n_events, cap_events;
        struct extra_metric *metrics;
        size_t n_metrics, cap_metrics;
        struct arena texts;
};

void extra_names_release(struct extra_names *names);

/* These functions leave `names` unchanged on error.
 *
 * Parses -E: `name1:0xNN,/dsu/name2:NN`, hexadecimal numbers of 16 bits with or without 0x. A number that the
 * same unit already has is ignored; a second number for a name is an error. The messages are WindowsPerf's
 * ("missing extra event delimiter ':' in X") with the column. */
bool extra_events_parse(const char *text, struct extra_names *names, struct err *err);

/* The same for a file with one list on each line; blank lines and lines that begin with '#' are skipped.
 * Errors name `file` and the line. */
bool extra_events_parse_file(const char *text, const char *file, struct extra_names *names, struct err *err);

/* Parses a file of -C with `metric:{e1,e2},e3` on each line. Names keep their case and are unique without
 * regard to case. Checks braces and commas, not the names of events. Errors name `file` and the line. */
bool extra_metrics_parse_file(const char *text, const char *file, struct extra_names *names, struct err *err);

#endif
