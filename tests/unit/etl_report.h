/* SPDX-License-Identifier: BSD-3-Clause */
/* Event-trace files that were made in memory, as reports. */
#ifndef ETL_REPORT_H
#define ETL_REPORT_H

#include "etl_builder.h"
#include "report.h"
#include "tap.h"

enum { PID = 100, TID = 104, OTHER_PID = 200, OTHER_TID = 204 };

#define PROGRAM 0x7ff600000000u
#define LIBRARY 0x7ff700000000u
#define KERNEL  0xfffff80000000000u

/* Ends the last buffer and the builder, and writes the file. */
static inline void etl_save(struct etl_builder *b, const char *path)
{
        FILE *file = fopen(path, "wb");

        etl_end_buffer(b);
        if (!file || fwrite(b->file.data, 1, b->file.len, file) != b->file.len || fclose(file))
                TAP_FAIL("%s", path);
        buf_release(&b->file);
}

/* Writes the file, and reads it as a session with `results`; the test fails if that is not possible. */
static inline struct report *etl_report(struct etl_builder *b, const char *path, unsigned results,
                                        unsigned keys)
{
        const struct report_request request = {.path = path, .results = results, .keys = keys};
        struct report *report;
        struct err err = {0};

        etl_save(b, path);
        report = report_make(&request, &err);
        if (!report)
                TAP_FAIL("%s", err.text);
        return report;
}

#endif
