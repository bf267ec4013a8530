/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of wall time from sessions that no recorder writes. */
#include "wall_times.h"

#include "attributes.h"
#include "tap.h"

enum { WAITER = 10, HOLDER = 11, CPU = 0, WAITING = 1, MS = 1000000 };

/* One stack of one function for each node. */
static struct named_frame frames[] = {
        {.function = "waits", .file = ""},
        {.function = "holds", .file = ""},
        {.function = "holds later", .file = ""},
};
static struct named_node nodes[] = {
        {.parent = NAMED_NONE, .module = NAMED_NONE, .first_frame = 0, .n_frames = 1},
        {.parent = NAMED_NONE, .module = NAMED_NONE, .first_frame = 1, .n_frames = 1},
        {.parent = NAMED_NONE, .module = NAMED_NONE, .first_frame = 2, .n_frames = 1},
};
static const struct named_stacks named = {
        .nodes = nodes, .n_nodes = N_ELEMENTS(nodes), .frames = frames, .n_frames = N_ELEMENTS(frames)};

static struct wait_reading gil_reading(uint64_t time_ns)
{
        return (struct wait_reading){.time_ns = time_ns,
                                     .pid = WAITER,
                                     .tid = WAITER,
                                     .inner_tid = WAITER,
                                     .how = WAIT_HOW_STILL,
                                     .state = 'S',
                                     .call = WAIT_CALL_FUTEX,
                                     .python = WAIT_PYTHON_STATE | WAIT_PYTHON_IN_RUNTIME,
                                     .python_minor = 11,
                                     .gil_holder = HOLDER,
                                     .look_ns = 10 * MS,
                                     .text = "",
                                     .python_name = ""};
}

static struct wall_times *times_of(struct wait_reading *readings, size_t n)
{
        const struct wait_section waits = {readings, n};
        AUTO(sample_list) samples = sample_list_new();
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);

        for (size_t i = 0; i < n; i++) {
                sample_list_add(samples, &(struct listed_sample){.time_ns = readings[i].time_ns,
                                                                 .tid = WAITER,
                                                                 .pid = WAITER,
                                                                 .event = WAITING,
                                                                 .node = 0});
                sample_list_add(samples, &(struct listed_sample){.time_ns = readings[i].time_ns + 1,
                                                                 .tid = HOLDER,
                                                                 .pid = HOLDER,
                                                                 .event = CPU,
                                                                 .weight = 1,
                                                                 .node = (uint32_t)(1 + i)});
        }
        return wall_times_new(&(struct wall_request){.waits = &waits,
                                                     .named = &named,
                                                     .samples = samples,
                                                     .spans = spans,
                                                     .waiting_event = WAITING,
                                                     .cpu_event = CPU,
                                                     .elapsed_ns = 1000 * MS});
}

TEST(a_holder_whose_time_is_not_known_is_not_named)
{
        struct wait_reading readings[] = {gil_reading(100 * MS), gil_reading(200 * MS)};
        AUTO(wall_times) times = times_of(readings, N_ELEMENTS(readings));

        EXPECT_INT(times->n_functions, 1);
        EXPECT_STR(times->functions[0].name, "waits");
        EXPECT_INT(times->functions[0].ns[WAIT_KIND_GIL] > 0, 1);
        EXPECT_INT(times->gil_holder == NULL, 1);
}

TAP_MAIN
