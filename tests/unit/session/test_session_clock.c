/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of a session: as perf writes it, as wperf does, and cut. */
#include "session_clock.h"

#include <string.h>

#include "os.h"
#include "session_builder.h"
#include "tap.h"

static bool read_clock(const void *section, size_t size, int64_t *ret_offset_ns)
{
        struct session_builder b;
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_reader) reader = NULL;

        builder_init(&b);
        if (size)
                builder_feature(&b, FEATURE_CLOCK_DATA, section, size);
        builder_file(&b, &file);
        builder_release(&b);
        reader = perfdata_open_bytes(file.data, file.len, "mem", NULL);
        return reader && session_clock_read(reader, ret_offset_ns);
}

TEST(what_is_cut_or_newer_is_not_known)
{
        AUTO_RELEASE(buf) section = {0};
        int64_t offset = 5;

        buf_add_u32(&section, 1);
        buf_add_u32(&section, 1);
        buf_add_u64(&section, 1700000000000000300);
        buf_add_u64(&section, 300);
        EXPECT_TRUE(!read_clock(NULL, 0, &offset));
        EXPECT_TRUE(!read_clock(section.data, section.len - 1, &offset));
        EXPECT_INT(offset, 5);
        EXPECT_TRUE(read_clock(section.data, section.len, &offset));
        EXPECT_INT(offset, 1700000000000000000);
        section.data[0] = 2;
        EXPECT_TRUE(!read_clock(section.data, section.len, &offset));
}

TEST(the_offset_is_that_of_now)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_writer) writer = perfdata_writer_open_memory(&file);
        AUTO(perfdata_reader) reader = NULL;
        const struct perf_attr attr = {.size = sizeof(attr)};
        int64_t now = (int64_t)(os_wall_clock_ns() - os_monotonic_ns()), offset = 0;

        perfdata_writer_add_event(writer, &attr, "cycles", NULL, 0);
        ASSERT_TRUE(perfdata_writer_begin(writer, NULL));
        session_clock_write(writer);
        ASSERT_TRUE(perfdata_writer_close(TAKE(writer), NULL));
        reader = perfdata_open_bytes(file.data, file.len, "mem", NULL);
        ASSERT_TRUE(reader && session_clock_read(reader, &offset));
        EXPECT_CMP(offset, >, now - 1000000000);
        EXPECT_CMP(offset, <, now + 1000000000);
}

TAP_MAIN
