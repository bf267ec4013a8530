/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracepoint_session.h"

#include <string.h>

#include "attributes.h"
#include "perfdata_format.h"
#include "tracing_data.h"

/* As the kernel has them, for readers that need them. */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char header_event[] = "# compressed entry header\n"
                                   "\ttype_len    :    5 bits\n"
                                   "\ttime_delta  :   27 bits\n"
                                   "\tarray       :   32 bits\n";

static void add_formats(struct session_builder *b, const struct tracepoint_format *formats, size_t n)
{
        struct tracing_source source = {0};
        AUTO_RELEASE(buf) section = {0};

        buf_add_str(&source.header_page, header_page);
        buf_add_str(&source.header_event, header_event);
        for (size_t i = 0; i < n; i++) {
                AUTO_RELEASE(buf) text = {0};

                buf_add_str(&text, formats[i].text);
                tracing_source_add(&source, formats[i].system, &text);
        }
        tracing_data_write(&source, &section);
        builder_feature(b, FEATURE_TRACING_DATA, section.data, section.len);
        tracing_source_release(&source);
}

void tracepoint_session_begin(struct session_builder *b, const struct tracepoint_format *formats, size_t n)
{
        builder_init(b);
        b->attrs[0].type = PERF_TYPE_TRACEPOINT;
        b->attrs[0].config = formats[0].id;
        b->attrs[0].sample_period_or_freq = 1;
        b->attrs[0].flags &= ~PERF_ATTR_FREQ;
        b->attrs[0].sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                  PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
        for (size_t i = 1; i < n; i++)
                builder_add_event(b, PERF_TYPE_TRACEPOINT, formats[i].id);
        add_formats(b, formats, n);
}

void tracepoint_session_sample(struct session_builder *b, unsigned event, uint64_t time, int32_t tid,
                               uint64_t period, const void *raw, uint32_t raw_size)
{
        builder_begin(b, PERF_RECORD_SAMPLE, PERF_MISC_KERNEL);
        builder_u64(b, b->ids[event]);
        builder_u64(b, 0xffffffff81000000);
        builder_u32(b, (uint32_t)tid);
        builder_u32(b, (uint32_t)tid);
        builder_u64(b, time);
        builder_u32(b, b->cpu);
        builder_u32(b, 0);
        builder_u64(b, period);
        builder_u32(b, raw_size);
        builder_bytes(b, raw, raw_size);
        builder_end(b);
}

void tracepoint_session_put(uint8_t *raw, size_t offset, uint64_t value, size_t size)
{
        memcpy(raw + offset, &value, size);
}
