/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests of writing and reading: a small session, and the list of what a reader returns for it. */
#ifndef SMALL_SESSION_H
#define SMALL_SESSION_H

#include "perfdata_reader.h"
#include "session_builder.h"
#include "tap.h"

static void build_small(struct session_builder *b)
{
        builder_comm(b, 0, 100, 100, "prog", false);
        builder_mmap(b, 0, 100, 0x400000, 0x10000, 0, "/bin/prog");
        builder_sample_ip(b, 1000, 100, 100, 0x400100);
        builder_sample_ip(b, 3000, 100, 101, 0x400200);
        builder_sample_ip(b, 2000, 100, 102, 0x400300);
        builder_round(b);
        builder_sample_ip(b, 2500, 100, 103, 0x400400);
        builder_exit(b, 4000, 100, 1, 100, 1);
        builder_round(b);
}

/* The types of all records; for samples time, address and event: "COMM MMAP2 ROUND 1000:400100 ..." */
static bool list_records(struct perfdata_reader *reader, bool raw, struct buf *out, struct err *err)
{
        struct perfdata_record record;
        int got;

        while ((got = raw ? perfdata_next_raw(reader, &record, err) : perfdata_next(reader, &record, err)) ==
               1) {
                struct sample sample;

                if (record.header.type == PERF_RECORD_HEADER_ATTR ||
                    record.header.type == PERF_RECORD_HEADER_FEATURE)
                        continue; /* in a pipe alone */
                if (record.header.type != PERF_RECORD_SAMPLE) {
                        buf_printf(out, "%s ", record_type_name(record.header.type));
                        continue;
                }
                if (record.event == UINT32_MAX ||
                    !sample_parse(&perfdata_get_event(reader, record.event)->attr, record.bytes, &sample))
                        buf_add_str(out, "? ");
                else
                        buf_printf(out, "%" PRIu64 ":%" PRIx64 "/%" PRIu32 " ", record.time, sample.ip,
                                   record.event);
        }
        return !got;
}

static const char *const small_by_time = "COMM MMAP2 FINISHED_ROUND FINISHED_ROUND "
                                         "1000:400100/0 2000:400300/0 2500:400400/0 3000:400200/0 EXIT ";

#endif
