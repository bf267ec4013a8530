/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a leader are samples of each event of its group, with what that has counted since. */
#include "group_reads.h"

#include "buf.h"
#include "tap.h"

static const uint64_t cycles_ids[] = {11, 12}, faults_ids[] = {21, 22};
static const struct perfdata_event cycles = {.ids = cycles_ids, .n_ids = 2},
                                   faults = {.ids = faults_ids, .n_ids = 2};
static const struct perfdata_event *const events[] = {&cycles, &faults};

struct value {
        uint64_t count, id;
};

static struct group_reads reads;
static struct budget budget;

/* Counts of a sample as text: "event+counted event+counted". */
static const char *read_of(const struct perf_attr *attr, int32_t tid, const struct value *values, size_t n)
{
        static char text[128];
        struct budget_share share = {.budget = &budget};
        AUTO_RELEASE(buf) bytes = {0};
        struct sample sample = {.tid = tid};
        struct group_counts read;
        uint32_t event;
        uint64_t counted;
        size_t len = 0;

        buf_add_u64(&bytes, n);
        if (attr->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
                buf_add_u64(&bytes, 12345);
        for (size_t i = 0; i < n; i++) {
                buf_add_u64(&bytes, values[i].count);
                buf_add_u64(&bytes, values[i].id);
                if (attr->read_format & PERF_FORMAT_LOST)
                        buf_add_u64(&bytes, 99);
        }
        sample.read = cursor_make(bytes.data, bytes.len);
        read = group_reads_begin(&reads, events, 2, attr, &sample);
        text[0] = '\0';
        while (group_reads_next(&reads, &read, &share, &event, &counted))
                len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u+%u", len ? " " : "", event,
                                        (unsigned)counted);
        budget_share_keep(&share, 0);
        return text;
}

#define READ(attr, tid, ...)                                                                                 \
        read_of(attr, tid, (const struct value[]){__VA_ARGS__},                                              \
                sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))

TEST(a_sample_counts_what_each_event_has_counted_since_the_one_before)
{
        const struct perf_attr attr = {.sample_type = PERF_SAMPLE_READ,
                                       .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID};

        EXPECT_TRUE(group_reads_has(&attr));
        EXPECT_STR(READ(&attr, 1, {100, 11}, {7, 21}), "0+100 1+7");
        EXPECT_STR(READ(&attr, 1, {250, 11}, {7, 21}), "0+150");
        EXPECT_STR(READ(&attr, 2, {260, 11}, {9, 21}), "0+10 1+2");
        EXPECT_STR(READ(&attr, 1, {30, 12}, {1, 22}), "0+30 1+1"); /* other descriptors of the events */
        group_reads_release(&reads);
}

TEST(inherited_events_count_in_each_thread_for_itself)
{
        const struct perf_attr attr = {.sample_type = PERF_SAMPLE_READ,
                                       .flags = PERF_ATTR_INHERIT,
                                       .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
                                                      PERF_FORMAT_TOTAL_TIME_ENABLED};

        EXPECT_STR(READ(&attr, 1, {100, 11}, {7, 21}), "0+100 1+7");
        EXPECT_STR(READ(&attr, 2, {40, 11}, {2, 21}), "0+40 1+2");
        EXPECT_STR(READ(&attr, 1, {130, 11}, {8, 21}), "0+30 1+1");
        group_reads_release(&reads);
}

TEST(counts_that_cannot_be_right_are_left_out)
{
        const struct perf_attr attr = {.sample_type = PERF_SAMPLE_READ,
                                       .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID},
                               no_ids = {.sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_GROUP};
        const uint64_t many[] = {UINT64_MAX, 100, 11};
        struct budget_share share = {.budget = &budget};
        struct sample sample = {.read = cursor_make((const uint8_t *)many, sizeof(many))};
        struct group_counts read;
        uint32_t event;
        uint64_t counted;

        EXPECT_TRUE(!group_reads_has(&no_ids));
        EXPECT_STR(READ(&attr, 1, {100, 11}, {5, 77}), "0+100");       /* an id of no event */
        EXPECT_STR(READ(&attr, 1, {90, 11}), "");                      /* less than before */
        EXPECT_STR(READ(&attr, 1, {91, 11}, {5, 77}, {3, 21}), "0+1"); /* more than there are events */
        read = group_reads_begin(&reads, events, 2, &attr, &sample);
        EXPECT_TRUE(group_reads_next(&reads, &read, &share, &event, &counted) && counted == 9);
        EXPECT_TRUE(!group_reads_next(&reads, &read, &share, &event, &counted)); /* the record ends */
        budget_share_keep(&share, 0);
        group_reads_release(&reads);
}
TAP_MAIN
