/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsers of the two recorders' layouts, for recorded_symbols.c. */
#ifndef RECORDED_INTERNAL_H
#define RECORDED_INTERNAL_H

#include "recorded_symbols.h"

struct recorded_name {
        uint64_t addr;
        uint64_t size_bytes; /* 0: not known */
        const char *text;
        size_t len;
};

/* Reads the next name of a file; false at the end, and with c->failed if the bytes are damaged. */
typedef bool recorded_next_name(struct cursor *c, struct recorded_name *ret);

struct recorded_entry {
        struct recorded_file file; /* path points to `path_len` bytes of the section, which may lack a NUL */
        size_t path_len;
        struct cursor names;
        recorded_next_name *next_name;
};

/* Reads the next file of a section; false at the end, and with c->failed if the bytes are damaged.
 * hiperf's section begins with the number of its files, which the caller has read. */
bool recorded_simpleperf_next(struct cursor *c, struct recorded_entry *ret);
bool recorded_simpleperf2_next(struct cursor *c, struct recorded_entry *ret);
bool recorded_hiperf_next(struct cursor *c, struct recorded_entry *ret);

#endif
