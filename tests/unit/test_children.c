/* SPDX-License-Identifier: BSD-3-Clause */
/* Which records of a whole machine belong to the command, and how much of its CPU time the samples cover. */
#include "linux_children.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* Above the numbers that this machine gives to processes. */
enum { COMMAND = (4 << 20) - 100, CHILD, GRANDCHILD, STRANGER, STRANGE_CHILD };

static uint64_t ids[] = {7};

static struct opened_event event = {
        .attr =
                {
                        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
                        .flags = PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_COMM_EXEC,
                },
        .left_out = PERF_ATTR_EXCLUDE_KERNEL,
        .ids = ids,
        .n_ids = 1,
};

static const struct opened opened = {.events = &event, .n_events = 1, .n_rings = 1};

static void add_head(struct buf *pass, uint32_t type, uint16_t misc, uint16_t size)
{
        struct perf_header header = {.type = type, .misc = misc, .size = size};

        buf_add(pass, &header, sizeof(header));
}

static void add_pids(struct buf *pass, int32_t pid, int32_t other)
{
        buf_add_u32(pass, (uint32_t)pid);
        buf_add_u32(pass, (uint32_t)other);
}

/* What sample_id_all puts behind a record. */
static void add_trailer(struct buf *pass, int32_t pid, uint64_t time)
{
        add_pids(pass, pid, pid);
        buf_add_u64(pass, time);
        buf_add_u64(pass, 0);
        buf_add_u64(pass, ids[0]);
}

static void add_sample(struct buf *pass, uint64_t time, int32_t pid, uint16_t mode)
{
        add_head(pass, PERF_RECORD_SAMPLE, mode, 56);
        buf_add_u64(pass, ids[0]);
        buf_add_u64(pass, 0x1000);
        add_pids(pass, pid, pid);
        buf_add_u64(pass, time);
        buf_add_u64(pass, 0);
        buf_add_u64(pass, 10);
}

static void add_fork(struct buf *pass, uint64_t time, int32_t pid, int32_t parent)
{
        add_head(pass, PERF_RECORD_FORK, 0, 64);
        add_pids(pass, pid, parent);
        add_pids(pass, pid, parent);
        buf_add_u64(pass, time);
        add_trailer(pass, parent, time);
}

static void add_exec(struct buf *pass, uint64_t time, int32_t pid)
{
        add_head(pass, PERF_RECORD_COMM, PERF_MISC_COMM_EXEC, 56);
        add_pids(pass, pid, pid);
        buf_add_u64(pass, 'x');
        add_trailer(pass, pid, time);
}

/* What is kept, as "type:time pid". */
static void expect_kept(struct children *c, struct buf *pass, bool is_last, const char *expected)
{
        AUTO_RELEASE(buf) out = {0};
        AUTO_RELEASE(buf) seen = {0};
        struct cursor all, record;
        struct perf_header header;

        children_put(c, pass, is_last, &out);
        all = cursor_make(out.data, out.len);
        while (record_next(&all, &header, &record)) {
                struct record_id id = {0};
                struct sample sample = {0};

                if (header.type == PERF_RECORD_SAMPLE && sample_parse(&event.attr, record, &sample))
                        buf_printf(&seen, "sample:%d ", (int)sample.time);
                else if (record_id_parse(&event.attr, record, &id))
                        buf_printf(&seen, "%s:%d ", record_type_name(header.type), (int)id.time);
        }
        EXPECT_STR(buf_text(&seen), expected);
}

TEST(a_fork_may_come_a_pass_later_than_its_childs_samples)
{
        AUTO(children) c = children_new(&opened, COMMAND);
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 20, COMMAND, PERF_MISC_USER);
        add_sample(&pass, 40, CHILD, PERF_MISC_USER);
        expect_kept(c, &pass, false, "");
        add_fork(&pass, 30, CHILD, COMMAND); /* from a ring that was read before this record was written */
        add_fork(&pass, 50, GRANDCHILD, CHILD);
        add_sample(&pass, 60, GRANDCHILD, PERF_MISC_USER);
        expect_kept(c, &pass, false, "COMM:10 sample:20 FORK:30 sample:40 ");
        expect_kept(c, &pass, true, "FORK:50 sample:60 ");
}

TEST(what_the_command_did_before_its_exec_is_ours)
{
        AUTO(children) c = children_new(&opened, COMMAND);
        AUTO_RELEASE(buf) pass = {0};

        add_sample(&pass, 5, COMMAND, PERF_MISC_USER);
        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 15, COMMAND, PERF_MISC_USER);
        expect_kept(c, &pass, true, "COMM:10 sample:15 ");
}

TEST(strangers_are_left_out_and_so_are_their_children)
{
        AUTO(children) c = children_new(&opened, COMMAND);
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 20, STRANGER, PERF_MISC_USER);
        add_fork(&pass, 30, STRANGE_CHILD, STRANGER);
        add_sample(&pass, 40, STRANGE_CHILD, PERF_MISC_USER);
        add_exec(&pass, 45, STRANGE_CHILD);
        add_sample(&pass, 50, 0, PERF_MISC_USER);
        add_sample(&pass, 60, -1, PERF_MISC_USER);
        add_sample(&pass, 70, INT32_MAX, PERF_MISC_USER);
        expect_kept(c, &pass, true, "COMM:10 ");
}

TEST(a_number_that_is_used_again_belongs_to_whom_forked_it_last)
{
        AUTO(children) c = children_new(&opened, COMMAND);
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_fork(&pass, 20, CHILD, STRANGER);
        add_sample(&pass, 30, CHILD, PERF_MISC_USER);
        add_fork(&pass, 40, CHILD, COMMAND);
        add_sample(&pass, 50, CHILD, PERF_MISC_USER);
        add_fork(&pass, 60, CHILD, STRANGER);
        add_sample(&pass, 70, CHILD, PERF_MISC_USER);
        expect_kept(c, &pass, true, "COMM:10 FORK:40 sample:50 ");
}

/* In the pages of a ring: the control page, then the data. */
TEST(records_that_go_over_the_end_of_a_ring_are_whole)
{
        enum { PAGE = 4096, DATA_BYTES = 256, HEAD_OFF = 1024, TAIL_OFF = 1032, SAMPLE_BYTES = 56 };
        uint8_t *pages = calloc(2, PAGE);
        struct ring ring = {.base = pages, .data = pages + PAGE, .data_bytes = DATA_BYTES};
        AUTO(children) c = children_new(&opened, COMMAND);
        AUTO_RELEASE(buf) pass = {0}, records = {0};
        uint64_t tail = 0;

        add_exec(&pass, 1, COMMAND);
        expect_kept(c, &pass, true, "COMM:1 ");
        for (uint64_t time = 10; time < 40; time++) {
                uint64_t head;

                buf_clear(&records);
                add_sample(&records, time, COMMAND, PERF_MISC_USER);
                add_sample(&records, time, STRANGER, PERF_MISC_USER);
                add_sample(&records, time, COMMAND, PERF_MISC_KERNEL);
                head = tail + records.len;
                for (size_t i = 0; i < records.len; i++)
                        ring.data[(tail + i) % DATA_BYTES] = (uint8_t)records.data[i];
                memcpy(pages + HEAD_OFF, &head, sizeof(head));
                children_drain(c, &ring, 1, &pass);
                memcpy(&tail, pages + TAIL_OFF, sizeof(tail));
                EXPECT_INT(tail, head);
                buf_clear(&records);
                children_put(c, &pass, true, &records);
                EXPECT_INT(records.len, SAMPLE_BYTES);
        }
        EXPECT_INT(children_left_out(c), 30 * 10);
        EXPECT_INT(children_own_losses(c, 10), 4); /* 30 of 90 samples were kept */
        free(pages);
}

TEST(time_in_a_mode_that_was_left_out_is_summed_up)
{
        AUTO(children) c = children_new(&opened, COMMAND);
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 20, COMMAND, PERF_MISC_KERNEL);
        add_sample(&pass, 30, COMMAND, PERF_MISC_USER);
        add_sample(&pass, 40, COMMAND, PERF_MISC_KERNEL);
        add_sample(&pass, 50, STRANGER, PERF_MISC_KERNEL);
        expect_kept(c, &pass, true, "COMM:10 sample:30 ");
        EXPECT_INT(children_left_out(c), 20);
}

static double share_of(struct sampled s)
{
        return sampled_share(&s);
}

TEST(the_share_that_was_sampled)
{
        const struct sampled clock = {.is_clock = true,
                                      .period_ns = 1000000,
                                      .n_samples = 280,
                                      .periods = 280000000,
                                      .running_ns = 1000000000,
                                      .user_ns = 600000000,
                                      .kernel_ns = 400000000};
        struct sampled s = clock;

        EXPECT_TRUE(share_of(s) > 0.27 && share_of(s) < 0.29);
        s.left_out = PERF_ATTR_EXCLUDE_KERNEL; /* of 600 ms */
        EXPECT_TRUE(share_of(s) > 0.46 && share_of(s) < 0.47);
        s.user_ns = s.kernel_ns = 0; /* how the time divides is not known */
        EXPECT_TRUE(share_of(s) < 0);
        s = clock;
        s.every_cpu = true;
        s.left_out = PERF_ATTR_EXCLUDE_KERNEL;
        s.left_out_periods = 690000000;
        EXPECT_TRUE(share_of(s) == 1); /* 970 of 1000 is chance */
        s.n_samples = s.periods = s.left_out_periods = 0;
        EXPECT_TRUE(share_of(s) == 0);
        s.running_ns = 3000000; /* three periods may pass without a sample */
        EXPECT_TRUE(share_of(s) == 1);
        s = (struct sampled){.n_samples = 10, .periods = 10000, .value = 40000};
        EXPECT_TRUE(share_of(s) == 0.25);
        s.every_cpu = true; /* the value is that of all processes */
        EXPECT_TRUE(share_of(s) < 0);
}

static void see(struct denied *d, const struct buf *pass)
{
        struct cursor all = cursor_make(pass->data, pass->len), record;
        struct perf_header header;

        while (record_next(&all, &header, &record))
                denied_see(d, &event.attr, &header, record);
        denied_end_pass(d, false);
}

TEST(a_program_that_loses_its_events_at_exec_is_named)
{
        struct denied d = {0};
        struct buf pass = {0};

        for (int32_t pid = CHILD; pid <= GRANDCHILD; pid++) {
                add_exec(&pass, 1000, pid);
                add_head(&pass, PERF_RECORD_EXIT, 0, 64);
                add_pids(&pass, pid, COMMAND);
                add_pids(&pass, pid, COMMAND);
                buf_add_u64(&pass, pid == CHILD ? 5000 : 50000000); /* the second lived for a while */
                add_trailer(&pass, pid, 5000);
        }
        see(&d, &pass);
        EXPECT_STR(buf_text(&d.names), ""); /* its maps may come in the next pass */
        denied_end_pass(&d, false);
        EXPECT_STR(buf_text(&d.names), "x");
        see(&d, &pass);
        denied_end_pass(&d, false);
        EXPECT_STR(buf_text(&d.names), "x");
        denied_release(&d);
        buf_release(&pass);
}

TAP_MAIN
