/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the fields of a perf.data file's header are, for tests that read or change bytes: struct
 * perf_header of perf.data-file-format.txt. */
#ifndef PERFDATA_LAYOUT_H
#define PERFDATA_LAYOUT_H

enum {
        PERFDATA_DATA_OFFSET_OFF = 40, /* data.offset */
        PERFDATA_DATA_SIZE_OFF = 48,   /* data.size */
        PERFDATA_FLAGS_OFF = 72,       /* flags and flags1: a bit for each feature, up to the end */
};

#endif
