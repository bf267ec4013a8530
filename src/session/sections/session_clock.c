/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_clock.h"

#include "buf.h"
#include "os.h"
#include "perf_abi.h"

enum { CLOCK_DATA_VERSION = 1 };

void session_clock_write(struct perfdata_writer *writer)
{
        const uint64_t resolution_ns = 1;
        AUTO_RELEASE(buf) data = {0};

        buf_add_u32(&data, CLOCK_DATA_VERSION);
        buf_add_u32(&data, PERF_CLOCK_MONOTONIC);
        buf_add_u64(&data, os_wall_clock_ns());
        buf_add_u64(&data, os_monotonic_ns());
        perfdata_writer_add_feature(writer, FEATURE_CLOCKID, &resolution_ns, sizeof(resolution_ns));
        perfdata_writer_add_feature(writer, FEATURE_CLOCK_DATA, data.data, data.len);
}

bool session_clock_read(const struct perfdata_reader *reader, int64_t *ret_offset_ns)
{
        struct cursor c = perfdata_feature(reader, FEATURE_CLOCK_DATA);
        uint32_t version = cursor_u32(&c);
        uint64_t wall_ns, clock_ns;

        cursor_skip(&c, sizeof(uint32_t));
        wall_ns = cursor_u64(&c);
        clock_ns = cursor_u64(&c);
        if (c.failed || version != CLOCK_DATA_VERSION)
                return false;
        *ret_offset_ns = (int64_t)(wall_ns - clock_ns);
        return true;
}
