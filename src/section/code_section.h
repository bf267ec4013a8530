/* SPDX-License-Identifier: BSD-3-Clause */
/* Which code of jitdumps stood where and since when, of all that was sampled, for where the jitdumps are not: the feature section
 * FEATURE_WPERF_CODE, "WPJC", version, then lines `key=value`.  docs/session-format.md. */
#ifndef CODE_SECTION_H
#define CODE_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"

/* `size_bytes` of code that stood at `addr` from `time` on, at `off` of the jitdump. */
struct recorded_code {
        uint64_t addr, size_bytes, time, off;
};

struct recorded_jitdump {
        const char *path; /* as recorded, like the next three */
        int32_t pid;
        uint64_t dev, inode;
        bool is_by_time;   /* times are of the session's clock */
        const char *doubt; /* why its names may be wrong; NULL: nothing speaks against them */
        struct recorded_code *codes;
        size_t n_codes, cap_codes;
};

/* Appends a jitdump to a section, which begins with the first. */
void code_section_add(struct buf *section, const struct recorded_jitdump *jitdump);

struct code_section;

/* Reads the section, which may be empty; what is damaged in it is left out. */
struct code_section *code_section_new(struct cursor section);
void code_section_free(struct code_section *section);
AUTO_DEFINE(code_section)

/* In the order of the section; NULL behind the last one. */
const struct recorded_jitdump *code_section_get(const struct code_section *section, size_t index);

#endif
