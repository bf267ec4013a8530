/* SPDX-License-Identifier: BSD-3-Clause */
/* simpleperf's feature META_INFO: pairs of texts that describe a run, including the names of its events. */
#ifndef SIMPLEPERF_INFO_H
#define SIMPLEPERF_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cursor.h"

/* Takes the next pair; false at the end, or with c->failed if the bytes are invalid. */
bool simpleperf_info_next(struct cursor *info, const char **ret_key, const char **ret_value);

/* The text for `key`; NULL if there is none. */
const char *simpleperf_info_find(struct cursor info, const char *key);

/* An event in the text for key "event_type_info", which has one event on each line: NAME,TYPE,CONFIG. */
struct simpleperf_event {
        const char *name; /* name_len bytes inside the text */
        size_t name_len;
        uint32_t type;
        uint64_t config;
};

/* Takes the next line of the text; false at its end. Skips lines in another format. */
bool simpleperf_event_next(const char **text, struct simpleperf_event *ret);

#endif
