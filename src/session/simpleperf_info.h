/* SPDX-License-Identifier: BSD-3-Clause */
/* simpleperf's feature META_INFO: pairs of texts that tell of a run, the names of its events among them. */
#ifndef SIMPLEPERF_INFO_H
#define SIMPLEPERF_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cursor.h"

/* Takes the next pair; false at the end or with c->failed where the bytes are damaged. */
bool simpleperf_info_next(struct cursor *info, const char **ret_key, const char **ret_value);

/* The text of `key`; NULL when there is none. */
const char *simpleperf_info_find(struct cursor info, const char *key);

/* An event as the text of key "event_type_info" lists it, a line each: NAME,TYPE,CONFIG. */
struct simpleperf_event {
        const char *name; /* name_len bytes of the text */
        size_t name_len;
        uint32_t type;
        uint64_t config;
};

/* Takes the next line of the text; false at its end.  Lines of another form are skipped. */
bool simpleperf_event_next(const char **text, struct simpleperf_event *ret);

#endif
