/* SPDX-License-Identifier: BSD-3-Clause */
/* Which records of a whole machine belong to the command, and how much of its CPU time the samples cover. */
#include "linux_children.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux_others.h"
#include "linux_unwinder.h"
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

/* The command's records in order of time, as the collector selects them. Keeps the bytes of the last pass. */
struct selection {
        struct children *children;
        struct linux_order order;
        struct buf before;
};

static void add_name(struct buf *seen, const struct perf_header *header, struct cursor record)
{
        struct record_id id = {0};
        struct sample sample = {0};

        if (header->type == PERF_RECORD_SAMPLE && sample_parse(&event.attr, record, &sample))
                buf_printf(seen, "sample:%d ", (int)sample.time);
        else if (record_id_parse(&event.attr, record, &id))
                buf_printf(seen, "%s:%d ", record_type_name(header->type), (int)id.time);
}

static void add_round(struct selection *s, struct buf *pass, bool is_last)
{
        struct cursor all = cursor_make(pass->data, pass->len), record;
        struct perf_header header;

        while (record_next(&all, &header, &record))
                linux_order_add(&s->order, &event.attr, &header,
                                (uint8_t *)pass->data + (record.start - (const uint8_t *)pass->data));
        linux_order_end_round(&s->order, is_last);
}

/* What is kept, as "type:time". `pass` is then empty. */
static void expect_kept(struct selection *s, struct buf *pass, bool is_last, const char *expected)
{
        AUTO_RELEASE(buf) seen = {0};
        const uint8_t *record;

        add_round(s, pass, is_last);
        while ((record = linux_order_next(&s->order)) != NULL) {
                struct perf_header header;

                memcpy(&header, record, sizeof(header));
                if (children_keep(s->children, &header, record))
                        add_name(&seen, &header, cursor_make(record, header.size));
        }
        EXPECT_STR(buf_text(&seen), expected);
        buf_swap(&s->before, pass);
        buf_clear(pass);
}

static void release_selection(struct selection *s)
{
        children_free(s->children);
        linux_order_release(&s->order);
        buf_release(&s->before);
}

TEST(a_fork_may_come_a_pass_later_than_its_childs_samples)
{
        struct selection s = {children_new(&opened, COMMAND)};
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 20, COMMAND, PERF_MISC_USER);
        add_sample(&pass, 40, CHILD, PERF_MISC_USER);
        expect_kept(&s, &pass, false, "");
        add_fork(&pass, 30, CHILD, COMMAND); /* from a ring that was read before this record was written */
        add_fork(&pass, 50, GRANDCHILD, CHILD);
        add_sample(&pass, 60, GRANDCHILD, PERF_MISC_USER);
        expect_kept(&s, &pass, false, "COMM:10 sample:20 FORK:30 sample:40 ");
        expect_kept(&s, &pass, true, "FORK:50 sample:60 ");
        release_selection(&s);
}

TEST(processes_that_run_already_are_ours_at_once)
{
        const int32_t pids[] = {COMMAND, STRANGER};
        struct selection s = {children_new_of(&opened, pids, N_ELEMENTS(pids))};
        AUTO_RELEASE(buf) pass = {0};

        add_sample(&pass, 5, COMMAND, PERF_MISC_USER);
        add_sample(&pass, 6, CHILD, PERF_MISC_USER);
        add_fork(&pass, 10, GRANDCHILD, STRANGER);
        add_sample(&pass, 20, GRANDCHILD, PERF_MISC_USER);
        add_exec(&pass, 30, STRANGER);
        expect_kept(&s, &pass, true, "sample:5 FORK:10 sample:20 COMM:30 ");
        release_selection(&s);
}

TEST(what_the_command_did_before_its_exec_is_ours)
{
        struct selection s = {children_new(&opened, COMMAND)};
        AUTO_RELEASE(buf) pass = {0};

        add_sample(&pass, 5, COMMAND, PERF_MISC_USER);
        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 15, COMMAND, PERF_MISC_USER);
        expect_kept(&s, &pass, true, "COMM:10 sample:15 ");
        release_selection(&s);
}

TEST(strangers_are_left_out_and_so_are_their_children)
{
        struct selection s = {children_new(&opened, COMMAND)};
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 20, STRANGER, PERF_MISC_USER);
        add_fork(&pass, 30, STRANGE_CHILD, STRANGER);
        add_sample(&pass, 40, STRANGE_CHILD, PERF_MISC_USER);
        add_exec(&pass, 45, STRANGE_CHILD);
        add_sample(&pass, 50, 0, PERF_MISC_USER);
        add_sample(&pass, 60, -1, PERF_MISC_USER);
        add_sample(&pass, 70, INT32_MAX, PERF_MISC_USER);
        expect_kept(&s, &pass, true, "COMM:10 ");
        release_selection(&s);
}

TEST(a_number_that_is_used_again_belongs_to_whom_forked_it_last)
{
        struct selection s = {children_new(&opened, COMMAND)};
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_fork(&pass, 20, CHILD, STRANGER);
        add_sample(&pass, 30, CHILD, PERF_MISC_USER);
        add_fork(&pass, 40, CHILD, COMMAND);
        add_sample(&pass, 50, CHILD, PERF_MISC_USER);
        add_fork(&pass, 60, CHILD, STRANGER);
        add_sample(&pass, 70, CHILD, PERF_MISC_USER);
        expect_kept(&s, &pass, true, "COMM:10 FORK:40 sample:50 ");
        release_selection(&s);
}

TEST(time_in_a_mode_that_was_left_out_is_summed_up)
{
        struct selection s = {children_new(&opened, COMMAND)};
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 20, COMMAND, PERF_MISC_KERNEL);
        add_sample(&pass, 30, COMMAND, PERF_MISC_USER);
        add_sample(&pass, 40, COMMAND, PERF_MISC_KERNEL);
        add_sample(&pass, 50, STRANGER, PERF_MISC_KERNEL);
        expect_kept(&s, &pass, true, "COMM:10 sample:30 ");
        EXPECT_INT(children_left_out(s.children), 20);
        release_selection(&s);
}

/* --- what the thread that empties the rings leaves out --- */

static size_t wanted_of(struct others *o, const struct buf *record)
{
        uint64_t words[RING_WORDS];
        struct perf_header header;

        memcpy(&header, record->data, sizeof(header));
        ring_words((const uint8_t *)record->data, &header, words);
        others_see(o, &header, words);
        others_end_look(o);
        return others_wanted_bytes(o, &header, words);
}

static size_t wanted_fork(struct others *o, int32_t pid, int32_t parent)
{
        AUTO_RELEASE(buf) record = {0};

        add_fork(&record, 1, pid, parent);
        return wanted_of(o, &record);
}

static size_t wanted_sample(struct others *o, int32_t pid, uint16_t mode)
{
        AUTO_RELEASE(buf) record = {0};

        add_sample(&record, 1, pid, mode);
        buf_add_zeros(&record, 64); /* what comes after the period */
        memcpy(record.data + offsetof(struct perf_header, size), &(uint16_t){56 + 64}, 2);
        return wanted_of(o, &record);
}

static size_t wanted_exit(struct others *o, int32_t pid)
{
        AUTO_RELEASE(buf) record = {0};

        add_head(&record, PERF_RECORD_EXIT, 0, 64);
        add_pids(&record, pid, COMMAND);
        add_pids(&record, pid, COMMAND);
        buf_add_u64(&record, 1);
        add_trailer(&record, pid, 1);
        return wanted_of(o, &record);
}

TEST(samples_of_others_stay_in_the_ring)
{
        AUTO(others) o = others_new(&opened, &(const int32_t){COMMAND}, 1);
        const int32_t own = (int32_t)getpid(); /* it is in /proc */

        EXPECT_INT(wanted_sample(o, own, PERF_MISC_USER), 0);
        EXPECT_INT(wanted_sample(o, COMMAND, PERF_MISC_USER), 120);
        EXPECT_INT(wanted_sample(o, COMMAND, PERF_MISC_KERNEL), 56); /* only its period */
        EXPECT_INT(wanted_sample(o, STRANGER, PERF_MISC_USER), 120); /* not known */
        EXPECT_TRUE(wanted_fork(o, STRANGER, own));                  /* its pid may have been ours */
        EXPECT_INT(wanted_sample(o, STRANGER, PERF_MISC_USER), 0);
        EXPECT_TRUE(wanted_fork(o, STRANGE_CHILD, STRANGER));
        EXPECT_INT(wanted_sample(o, STRANGE_CHILD, PERF_MISC_USER), 0);
        EXPECT_INT(wanted_fork(o, STRANGER, STRANGER), 0); /* a thread */
        EXPECT_INT(others_n_seen(o), 6);
}

TEST(a_pid_of_others_that_is_used_again_is_wanted)
{
        AUTO(others) o = others_new(&opened, &(const int32_t){COMMAND}, 1);
        const int32_t own = (int32_t)getpid();

        EXPECT_TRUE(wanted_fork(o, CHILD, own));
        EXPECT_TRUE(wanted_exit(o, CHILD));
        EXPECT_TRUE(wanted_sample(o, CHILD, PERF_MISC_USER));
        EXPECT_TRUE(wanted_fork(o, CHILD, own));
        EXPECT_TRUE(wanted_sample(o, CHILD, PERF_MISC_USER)); /* may be of the process before */
        EXPECT_INT(wanted_sample(o, CHILD, PERF_MISC_USER), 0);
        EXPECT_TRUE(wanted_fork(o, CHILD, COMMAND)); /* its exit was lost */
        EXPECT_TRUE(wanted_sample(o, CHILD, PERF_MISC_USER));
}

static void add_exit(struct buf *pass, uint64_t time, int32_t pid)
{
        add_head(pass, PERF_RECORD_EXIT, 0, 64);
        add_pids(pass, pid, COMMAND);
        add_pids(pass, pid, COMMAND);
        buf_add_u64(pass, time);
        add_trailer(pass, pid, time);
}

static void see_pass(struct others *o, const struct buf *pass)
{
        struct cursor all = cursor_make(pass->data, pass->len), record;
        struct perf_header header;

        while (record_next(&all, &header, &record)) {
                uint64_t words[RING_WORDS];

                ring_words(record.start, &header, words);
                others_see(o, &header, words);
        }
        others_end_look(o);
}

/* The ring of another CPU has the earlier records. */
TEST(a_pid_belongs_to_whom_forked_it_last_in_time_not_in_the_order_of_rings)
{
        AUTO(others) o = others_new(&opened, &(const int32_t){COMMAND}, 1);
        const int32_t own = (int32_t)getpid();
        AUTO_RELEASE(buf) pass = {0};

        add_exit(&pass, 20, CHILD);
        add_fork(&pass, 30, CHILD, COMMAND);
        add_fork(&pass, 40, GRANDCHILD, CHILD);
        add_fork(&pass, 10, CHILD, own);
        see_pass(o, &pass);
        for (int i = 0; i < 3; i++) {
                EXPECT_TRUE(wanted_sample(o, CHILD, PERF_MISC_USER));
                EXPECT_TRUE(wanted_sample(o, GRANDCHILD, PERF_MISC_USER));
        }
}

TEST(a_pid_that_another_process_got_is_wanted_until_the_records_before_it_are_read)
{
        AUTO(others) o = others_new(&opened, &(const int32_t){COMMAND}, 1);
        const int32_t own = (int32_t)getpid();
        AUTO_RELEASE(buf) pass = {0};

        add_fork(&pass, 10, CHILD, COMMAND);
        add_exit(&pass, 20, CHILD);
        add_fork(&pass, 30, CHILD, own);
        add_exit(&pass, 40, CHILD);
        add_fork(&pass, 50, CHILD, own);
        see_pass(o, &pass);
        EXPECT_TRUE(wanted_sample(o, CHILD, PERF_MISC_USER)); /* in the next pass */
        EXPECT_INT(wanted_sample(o, CHILD, PERF_MISC_USER), 0);
}

TEST(losses_are_shared_as_samples_are)
{
        struct selection s = {children_new(&opened, COMMAND)};
        AUTO_RELEASE(buf) pass = {0};

        add_exec(&pass, 10, COMMAND);
        add_sample(&pass, 20, COMMAND, PERF_MISC_USER);
        expect_kept(&s, &pass, true, "COMM:10 sample:20 ");
        EXPECT_INT(children_own_losses(s.children, 3, 0, 10), 4);
        EXPECT_INT(children_own_losses(s.children, 3, 1, 10), 0);
        EXPECT_INT(children_own_losses(s.children, 3, 0, 0), 0);
        EXPECT_INT(children_own_losses(s.children, 1, 0, 10), 10);
        release_selection(&s);
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
        EXPECT_CMP(share_of(s), <, 0);
        s = clock;
        s.every_cpu = true;
        s.left_out = PERF_ATTR_EXCLUDE_KERNEL;
        s.left_out_periods = 690000000;
        EXPECT_CMP(share_of(s), ==, 1); /* 970 of 1000 is chance */
        s.n_samples = s.periods = s.left_out_periods = 0;
        EXPECT_CMP(share_of(s), ==, 0);
        s.running_ns = 3000000; /* three periods may pass without a sample */
        EXPECT_CMP(share_of(s), ==, 1);
        s = (struct sampled){.n_samples = 10, .periods = 10000, .value = 40000};
        EXPECT_CMP(share_of(s), ==, 0.25);
        s.every_cpu = true; /* the value is that of all processes */
        EXPECT_CMP(share_of(s), <, 0);
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
