/* SPDX-License-Identifier: BSD-3-Clause */
#include "record_window.h"

#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "record.h"
#include "session_builder.h"
#include "tap.h"
#include "task_records.h"

static bool add_to(void *ctx, const void *records, size_t size_bytes, struct err *err)
{
        (void)err;
        buf_add(ctx, records, size_bytes);
        return true;
}

/* The types of the records in it, "COMM MMAP2 ". */
static const char *types_of(const struct buf *records)
{
        static char text[300];
        struct cursor all = cursor_make(records->data, records->len), record;
        struct perf_header header;
        size_t len = 0;

        text[0] = '\0';
        while (record_next(&all, &header, &record) && len < sizeof(text) - 20)
                len += (size_t)snprintf(text + len, sizeof(text) - len, "%s ", record_type_name(header.type));
        return text;
}

static const char *kept_of(const struct session_builder *b)
{
        AUTO(task_records) tasks = task_records_new();
        AUTO_RELEASE(buf) out = {0};
        const struct record_sink sink = {add_to, &out};

        task_records_add(tasks, b->records.data, b->records.len);
        EXPECT_TRUE(task_records_put(tasks, &sink, NULL));
        return types_of(&out);
}

TEST(a_process_that_has_ended_is_forgotten)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_mmap(&b, 2, 10, 0x1000, 0x1000, 0, "/bin/a");
        EXPECT_STR(kept_of(&b), "COMM MMAP2 ");
        builder_exit(&b, 3, 10, 1, 10, 1);
        EXPECT_STR(kept_of(&b), "");
        builder_release(&b);
}

TEST(a_child_uses_the_maps_of_its_parent_until_it_runs_a_program)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_mmap(&b, 2, 10, 0x1000, 0x1000, 0, "/bin/a");
        builder_fork(&b, 3, 11, 10, 11, 10, 0);
        builder_exit(&b, 4, 10, 1, 10, 1);
        EXPECT_STR(kept_of(&b), "COMM MMAP2 FORK ");
        builder_comm(&b, 5, 11, 11, "b", true);
        EXPECT_STR(kept_of(&b), "FORK COMM ");
        builder_release(&b);
}

TEST(threads_go_on_after_the_main_thread)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_mmap(&b, 2, 10, 0x1000, 0x1000, 0, "/bin/a");
        builder_fork(&b, 3, 10, 10, 11, 10, 0);
        builder_exit(&b, 4, 10, 1, 10, 1);
        EXPECT_STR(kept_of(&b), "COMM MMAP2 FORK ");
        builder_comm(&b, 5, 10, 11, "worker", false);
        builder_exit(&b, 6, 10, 1, 11, 1);
        EXPECT_STR(kept_of(&b), "");
        builder_release(&b);
}

TEST(a_name_that_the_program_gave_stays_beside_that_of_the_kernel)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 11, "a", false);
        builder_given_name(&b, 2, 10, 11, "pool-0");
        builder_comm(&b, 3, 10, 11, "b", false);
        EXPECT_STR(kept_of(&b), "COMM COMM ");
        builder_given_name(&b, 4, 10, 11, "pool-1");
        EXPECT_STR(kept_of(&b), "COMM COMM ");
        builder_release(&b);
}

TEST(a_number_is_used_again_though_ends_of_threads_were_lost)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_fork(&b, 2, 10, 10, 11, 10, 0);
        builder_fork(&b, 3, 10, 1, 10, 1, 0);
        EXPECT_STR(kept_of(&b), "FORK ");
        builder_exit(&b, 4, 10, 1, 10, 1);
        EXPECT_STR(kept_of(&b), "");
        builder_release(&b);
}

/* The kernel gives it the number of the main thread, which has ended. */
TEST(a_thread_runs_a_program)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_fork(&b, 2, 10, 10, 11, 10, 0);
        builder_exit(&b, 3, 10, 1, 10, 1);
        builder_comm(&b, 4, 10, 10, "b", true);
        EXPECT_STR(kept_of(&b), "COMM ");
        builder_exit(&b, 5, 10, 1, 10, 1);
        EXPECT_STR(kept_of(&b), "");
        builder_release(&b);
}

/* Each CPU has its buffer, and they are read one after another. */
TEST(the_end_of_a_thread_comes_before_its_start)
{
        struct session_builder b;

        builder_init(&b);
        builder_exit(&b, 6, 11, 10, 11, 10);
        builder_exit(&b, 6, 10, 10, 12, 10);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_fork(&b, 3, 11, 10, 11, 10, 0);
        builder_comm(&b, 4, 11, 11, "short", true);
        builder_mmap(&b, 5, 11, 0x1000, 0x1000, 0, "/bin/short");
        builder_fork(&b, 3, 10, 10, 12, 10, 0);
        builder_comm(&b, 4, 10, 12, "worker", false);
        EXPECT_STR(kept_of(&b), "COMM ");
        builder_fork(&b, 7, 11, 10, 11, 10, 0);
        builder_comm(&b, 8, 11, 11, "next", true);
        builder_mmap(&b, 9, 11, 0x1000, 0x1000, 0, "/bin/next");
        EXPECT_STR(kept_of(&b), "COMM FORK COMM MMAP2 ");
        builder_exit(&b, 10, 10, 1, 10, 1);
        builder_exit(&b, 10, 11, 10, 11, 10);
        EXPECT_STR(kept_of(&b), "");
        builder_release(&b);
}

TEST(the_newest_name_of_a_thread_is_kept)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_mmap(&b, 2, 10, 0x1000, 0x1000, 0, "/bin/a");
        for (unsigned i = 0; i < 100; i++) {
                builder_comm(&b, 3 + i, 10, 10, "state", false);
                builder_comm(&b, 3 + i, 10, 11, "worker", false);
        }
        EXPECT_STR(kept_of(&b), "COMM MMAP2 COMM COMM ");
        builder_release(&b);
}

TEST(symbols_of_the_kernel_that_were_unregistered)
{
        struct session_builder b;

        builder_init(&b);
        for (unsigned i = 0; i < 100; i++) {
                builder_ksymbol(&b, 2 * i + 1, 0x1000, 16, 0, "bpf_prog");
                builder_ksymbol(&b, 2 * i + 2, 0x1000, 16, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog");
        }
        builder_ksymbol(&b, 300, 0x2000, 16, 0, "bpf_other");
        EXPECT_STR(kept_of(&b), "KSYMBOL ");
        builder_release(&b);
}

TEST(another_program_replaces_the_maps)
{
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        builder_mmap(&b, 2, 10, 0x1000, 0x1000, 0, "/bin/a");
        builder_mmap(&b, 3, 10, 0x1000, 0x2000, 0, "/bin/a");
        EXPECT_STR(kept_of(&b), "COMM MMAP2 ");
        builder_comm(&b, 4, 10, 10, "b", true);
        EXPECT_STR(kept_of(&b), "COMM ");
        builder_release(&b);
}

TEST(samples_fall_out_and_processes_stay)
{
        enum { BYTES = 64 << 10 };
        AUTO(record_window) window = record_window_new(BYTES);
        AUTO_RELEASE(buf) out = {0};
        const struct record_sink sink = {add_to, &out};
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, 10, 10, "a", true);
        record_window_add(window, b.records.data, b.records.len);
        builder_release(&b);
        for (unsigned i = 0; i < 10000; i++) {
                builder_init(&b);
                builder_sample_ip(&b, i, 10, 10, 0x1000);
                record_window_add(window, b.records.data, b.records.len);
                builder_release(&b);
        }
        EXPECT_INT(record_window_n_dropped(window) + record_window_n_samples(window), 10000);
        EXPECT_TRUE(record_window_n_dropped(window) > 5000 && record_window_n_samples(window) > 100);
        EXPECT_TRUE(record_window_put(window, &sink, NULL));
        EXPECT_TRUE(out.len <= (size_t)BYTES + 200 && !strncmp(types_of(&out), "COMM SAMPLE ", 12));
        record_window_drop_all(window);
        buf_clear(&out);
        EXPECT_TRUE(record_window_put(window, &sink, NULL));
        EXPECT_STR(types_of(&out), "COMM ");
        EXPECT_INT(record_window_n_dropped(window), 10000);
}

TAP_MAIN
