/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of events that sample accesses to memory, groups of two events, and when the reader is woken. */
#include "err.h"
#include "event.h"
#include "linux_events.h"
#include "tap.h"

static struct event clock_event(uint64_t config, bool is_member)
{
        return (struct event){
                .name = "clock",
                .attr = {.type = PERF_TYPE_SOFTWARE,
                         .config = config,
                         .sample_period_or_freq = 1000000,
                         .flags = PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV},
                .is_member = is_member,
        };
}

/* Opens a leader and a second event, which is pinned: the kernel refuses that for members of a group. */
static bool opens_pinned(bool is_member, struct opened *ret, struct err *err)
{
        static const int32_t own_thread = 0;
        struct event events[] = {clock_event(PERF_COUNT_SW_CPU_CLOCK, false),
                                 clock_event(PERF_COUNT_SW_TASK_CLOCK, is_member)};
        struct event_list list = {.items = events, .n_items = 2};
        const struct collect_request request = {.events = &list};

        events[1].attr.flags |= PERF_ATTR_PINNED;
        return linux_open(&request, &own_thread, 1, false, ret, err);
}

TEST(a_member_is_opened_in_the_group_of_the_event_before_it)
{
        struct opened opened;
        struct err err = {0};

        if (!opens_pinned(false, &opened, &err))
                SKIP("perf_event_open");
        EXPECT_INT(opened.events[1].n_fds, opened.events[0].n_fds);
        opened_release(&opened);
        EXPECT_TRUE(!opens_pinned(true, &opened, &err));
}

TEST(a_reader_of_running_threads_is_woken_at_each_sample)
{
        struct event event = clock_event(PERF_COUNT_SW_CPU_CLOCK, false);
        struct event_list list = {.items = &event, .n_items = 1};
        struct collect_request request = {.events = &list};
        struct kernel_features features = ALL_KERNEL_FEATURES;
        struct perf_attr attr = linux_attr_make(&event, &request, true, &features);

        EXPECT_TRUE(attr.flags & PERF_ATTR_WATERMARK && attr.wakeup > 1);
        request.engine = COLLECT_PEEK;
        attr = linux_attr_make(&event, &request, true, &features);
        EXPECT_TRUE(!(attr.flags & PERF_ATTR_WATERMARK));
        EXPECT_INT(attr.wakeup, 1);
}

TEST(accesses_have_address_source_and_latency)
{
        const uint64_t data = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
        struct event event = clock_event(PERF_COUNT_SW_CPU_CLOCK, false);
        struct event_list list = {.items = &event, .n_items = 1};
        const struct collect_request request = {.events = &list};
        struct kernel_features features = ALL_KERNEL_FEATURES;
        struct perf_attr attr = linux_attr_make(&event, &request, true, &features);

        EXPECT_TRUE(!(attr.sample_type & (data | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)));
        EXPECT_TRUE(!(attr.flags & PERF_ATTR_MMAP_DATA));
        event.is_memory = true;
        attr = linux_attr_make(&event, &request, true, &features);
        EXPECT_INT(attr.sample_type & (data | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT),
                   data | PERF_SAMPLE_WEIGHT_STRUCT);
        EXPECT_TRUE(attr.flags & PERF_ATTR_MMAP_DATA);
        features.weight_struct = false; /* Linux before 5.12 */
        attr = linux_attr_make(&event, &request, true, &features);
        EXPECT_INT(attr.sample_type & (data | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT),
                   data | PERF_SAMPLE_WEIGHT);
}

TAP_MAIN
