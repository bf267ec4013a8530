/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_times.h"

#include <string.h>

#include "cursor.h"
#include "perfdata_format.h"
#include "record.h"

enum { WHOLE_PPM = 1000000 };

struct time_span {
        uint64_t first_ns, last_ns; /* 0: there is none */
};

static void extend(struct time_span *span, uint64_t time_ns)
{
        if (!time_ns)
                return;
        if (!span->first_ns || time_ns < span->first_ns)
                span->first_ns = time_ns;
        if (time_ns > span->last_ns)
                span->last_ns = time_ns;
}

static bool read_header(const struct perfdata_reader *reader, struct time_span *ret)
{
        struct cursor section = perfdata_feature(reader, FEATURE_SAMPLE_TIME);
        struct time_span span = {cursor_u64(&section), cursor_u64(&section)};

        if (section.failed || !span.first_ns || span.last_ns < span.first_ns)
                return false;
        *ret = span;
        return true;
}

/* A reader reads its records only once, so this opens another one. */
static bool read_records(const char *path, const struct session_input *input, struct time_span *ret,
                         struct err *err)
{
        AUTO(perfdata_reader)
        reader = strcmp(path, "-") && !input->is_converted
                         ? perfdata_open(path, err)
                         : perfdata_open_bytes(input->bytes.data, input->bytes.len, "standard input", err);
        struct perfdata_record record;
        struct sample sample;
        int got = 1;

        while (reader && (got = perfdata_next_raw(reader, &record, err)) > 0) {
                if (record.header.type == PERF_RECORD_SAMPLE && record.event != UINT32_MAX &&
                    sample_parse(&perfdata_get_event(reader, record.event)->attr, record.bytes, &sample))
                        extend(ret, sample.time);
                else if (record.header.type == PERF_RECORD_AUX)
                        extend(ret, record.time); /* the samples are in the trace */
        }
        return reader && !got;
}

/* A share of the time; with 64 bits the product would overflow after five hours. */
static uint64_t time_at(const struct time_span *span, uint32_t ppm)
{
        uint64_t length = span->last_ns - span->first_ns;

        return span->first_ns + length / WHOLE_PPM * ppm + length % WHOLE_PPM * ppm / WHOLE_PPM;
}

static bool is_by_clock(const struct time_span *span, const struct profile_filter *filter)
{
        uint64_t length = span->last_ns - span->first_ns;
        uint64_t from_ns = filter->from_ns ? filter->from_ns : filter->to_ns;
        uint64_t to_ns = filter->to_ns ? filter->to_ns : filter->from_ns;

        return filter->times_are_relative && from_ns > length && from_ns >= span->first_ns &&
               from_ns <= span->last_ns && to_ns >= from_ns;
}

bool session_times_resolve(const char *path, const struct session_input *input, struct profile_filter *filter,
                           struct err *err)
{
        struct time_span span = {0};
        bool is_known = read_header(input->reader, &span);

        if (!filter->to_ppm) {
                if (is_known && is_by_clock(&span, filter))
                        filter->times_are_relative = false;
                return true;
        }
        if (!is_known && !read_records(path, input, &span, err))
                return false;
        if (!span.first_ns)
                return err_set(err, ERR_MISSING, "%s: --time cannot select samples: they have no time stamps",
                               path);
        filter->from_ns = time_at(&span, filter->from_ppm);
        filter->to_ns = filter->to_ppm == WHOLE_PPM ? 0 : time_at(&span, filter->to_ppm) - 1;
        filter->times_are_relative = false;
        filter->to_ppm = 0;
        return true;
}
