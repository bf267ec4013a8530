/* SPDX-License-Identifier: BSD-3-Clause */
/* The jitdump code that the samples hit, with the addresses and times at which it was valid. Readers use it
 * when the jitdumps are missing. Written as the feature section FEATURE_WPERF_CODE: "WPJC", the version, then
 * lines `key=value`; see docs/session-format.md. */
#ifndef CODE_SECTION_H
#define CODE_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"

/* `size_bytes` of code that were at `addr` from `time` (ns) on; the bytes are at offset `off` of the
 * jitdump. */
struct recorded_code {
        uint64_t addr, size_bytes, time, off;
};

struct recorded_jitdump {
        const char *path; /* as recorded; so are pid, dev and inode */
        int32_t pid;
        uint64_t dev, inode;
        /* the times are of the session's clock; if not, only the latest code of an address is used */
        bool is_by_time;
        const char *doubt; /* why its names may be wrong; NULL if there is no reason to doubt them */
        struct recorded_code *codes;
        size_t n_codes, cap_codes;
};

/* Appends a jitdump to the section. Begins the section if it is empty. */
void code_section_add(struct buf *section, const struct recorded_jitdump *jitdump);

struct code_section;

/* Reads the section, which may be empty. Skips damaged lines. */
struct code_section *code_section_new(struct cursor section);
void code_section_free(struct code_section *section);
AUTO_DEFINE(code_section)

/* The jitdump `index`, in the order of the section; NULL after the last. Valid as long as `section`. */
const struct recorded_jitdump *code_section_get(const struct code_section *section, size_t index);

#endif
