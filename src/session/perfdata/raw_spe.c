/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw_spe.h"

#include <string.h>

#include "perfdata_format.h"
#include "record.h"
#include "record_aux.h"
#include "spe_record.h"

enum {
        PROBE_BYTES = 1 << 20,
        SPE_PMU_TYPE = 0x10000, /* not a type of another PMU */
        ATTR_BYTES = 136,
        ATTR_IDS_BYTES = 16,
        AUXTRACE_BYTES = 48,
        INFO_BYTES = 32,
        NAME_BYTES = 64,
};

static const char event_name[] = "arm_spe_0//";

bool raw_spe_is(struct cursor bytes)
{
        struct spe_decoder decoder;
        struct spe_record record;
        size_t n = cursor_left(&bytes) < PROBE_BYTES ? cursor_left(&bytes) : PROBE_BYTES;
        const struct spe_counts *counts = &decoder.counts;

        spe_decoder_begin(&decoder, 0);
        spe_decoder_feed(&decoder, bytes.at, n);
        while (spe_decoder_next(&decoder, &record))
                ;
        spe_decoder_end(&decoder);
        while (spe_decoder_next(&decoder, &record))
                ;
        /* A cut record at the end is not damage. */
        return counts->n_records && counts->damaged_bytes <= n / 10 + SPE_RECORD_MAX_BYTES &&
               counts->damaged_bytes < counts->record_bytes;
}

static void add_u32(struct buf *out, uint32_t value)
{
        buf_add(out, &value, sizeof(value));
}

static void add_u64(struct buf *out, uint64_t value)
{
        buf_add(out, &value, sizeof(value));
}

static void add_zeros(struct buf *out, size_t n)
{
        while (n--)
                buf_add_char(out, '\0');
}

static void add_section(struct buf *out, uint64_t off, uint64_t size)
{
        add_u64(out, off);
        add_u64(out, size);
}

static void add_attr(struct buf *out)
{
        size_t start = out->len;

        add_u32(out, SPE_PMU_TYPE);
        add_u32(out, ATTR_BYTES);
        add_u64(out, 0); /* config */
        add_u64(out, 1); /* period; not known */
        add_u64(out, PERF_SAMPLE_IP | PERF_SAMPLE_TID);
        add_zeros(out, ATTR_BYTES - (out->len - start));
}

static void add_head(struct buf *out, uint32_t type, uint16_t size)
{
        add_u32(out, type);
        add_u32(out, (uint32_t)size << 16);
}

/* AUXTRACE_INFO and AUXTRACE: the kind of trace, and the trace. */
static void add_records(struct cursor bytes, struct buf *out)
{
        add_head(out, PERF_RECORD_AUXTRACE_INFO, INFO_BYTES);
        add_u32(out, AUXTRACE_ARM_SPE);
        add_u32(out, 0);
        add_u64(out, SPE_PMU_TYPE);
        add_u64(out, 0);
        add_head(out, PERF_RECORD_AUXTRACE, AUXTRACE_BYTES);
        add_u64(out, cursor_left(&bytes));
        add_zeros(out, 8 + 8 + 4);
        add_u32(out, UINT32_MAX); /* thread */
        add_u32(out, UINT32_MAX); /* CPU */
        add_u32(out, 0);
        buf_add(out, bytes.at, cursor_left(&bytes));
}

/* EVENT_DESC: the event's name. */
static void add_names(struct buf *out)
{
        add_u32(out, 1);
        add_u32(out, ATTR_BYTES);
        add_attr(out);
        add_u32(out, 0);
        add_u32(out, NAME_BYTES);
        buf_add(out, event_name, sizeof(event_name));
        add_zeros(out, NAME_BYTES - sizeof(event_name));
}

void raw_spe_wrap(struct cursor bytes, struct buf *out)
{
        const uint64_t data_off = PERFDATA_HEADER_BYTES + ATTR_BYTES + ATTR_IDS_BYTES;
        const uint64_t data_bytes = INFO_BYTES + AUXTRACE_BYTES + cursor_left(&bytes);
        const uint64_t names_off = data_off + data_bytes + ATTR_IDS_BYTES;

        buf_add(out, PERFDATA_MAGIC, strlen(PERFDATA_MAGIC));
        add_u64(out, PERFDATA_HEADER_BYTES);
        add_u64(out, ATTR_BYTES + ATTR_IDS_BYTES);
        add_section(out, PERFDATA_HEADER_BYTES, ATTR_BYTES + ATTR_IDS_BYTES);
        add_section(out, data_off, data_bytes);
        add_section(out, 0, 0);
        add_u64(out, UINT64_C(1) << FEATURE_EVENT_DESC);
        add_zeros(out, (PERFDATA_FEATURE_WORDS - 1) * sizeof(uint64_t));
        add_attr(out);
        add_section(out, 0, 0);
        add_records(bytes, out);
        add_section(out, names_off, 3 * sizeof(uint32_t) + sizeof(uint32_t) + ATTR_BYTES + NAME_BYTES);
        add_names(out);
}
