/* SPDX-License-Identifier: BSD-3-Clause */
/* The attributes for each method to take call stacks, as --dry-run shows them. */
#include <stdlib.h>

#include "buf.h"
#include "control.h"
#include "kernel.h"
#include "tap.h"

#if defined(__aarch64__)
#define REGS "sample_regs_user 0x1ffffffff\n"
#else
#define REGS "sample_regs_user 0xff0fff\n"
#endif

#define PLAIN     "sample_type IP|TID|TIME|CPU|PERIOD|IDENTIFIER\n"
#define CHAIN     "sample_type IP|TID|TIME|CALLCHAIN|CPU|PERIOD|IDENTIFIER\n"
#define CALLS     "sample_type IP|TID|TIME|CALLCHAIN|CPU|PERIOD|BRANCH_STACK|IDENTIFIER\n"
#define COPIES    "sample_type IP|TID|TIME|CALLCHAIN|CPU|PERIOD|REGS_USER|STACK_USER|IDENTIFIER\n"
#define NO_KERNEL "exclude_callchain_kernel 1\n"
#define NO_USER   "exclude_callchain_user 1\n"

static void describe(struct call_graph graph, const char *event, struct buf *out)
{
        static char name[] = "true";
        static char *argv[] = {name, NULL};
        struct event_list events = {0};
        struct err err = {0};
        static const uint32_t cpus[] = {0, 1};
        struct collect_request request = {.target.argv = argv,
                                          .events = &events,
                                          .call_graph = graph,
                                          .target.cpus = cpus,
                                          .target.n_cpus = N_ELEMENTS(cpus)};

        ASSERT_TRUE(event_parse_sampling(event, NULL, NULL, &events, &err));
        kernel_describe(&request, out);
        event_list_release(&events);
}

static bool has(const struct buf *out, const char *text)
{
        return strstr(buf_text(out), text) != NULL;
}

TEST(attributes_by_way)
{
        static const struct {
                struct call_graph graph;
                const char *event, *type;
                const char *lines[4], *absent[4];
        } cases[] = {
                {{CALL_GRAPH_NONE, 0}, "cpu-clock", PLAIN, {0}, {NO_KERNEL, NO_USER, "regs", "stack"}},
                {{CALL_GRAPH_FP, 0}, "cpu-clock:u", CHAIN, {NO_KERNEL}, {NO_USER, "regs", "stack"}},
                {{CALL_GRAPH_FP, 0}, "cpu-clock:uk", CHAIN, {0}, {NO_KERNEL, NO_USER, "regs", "stack"}},
                {{CALL_GRAPH_DWARF, 8192},
                 "cpu-clock:u",
                 COPIES,
                 {NO_KERNEL, NO_USER, REGS "sample_stack_user 8192\n", "mmap_data 1\n"},
                 {"branch"}},
                {{CALL_GRAPH_DWARF, 65528},
                 "cpu-clock:uk",
                 COPIES,
                 {NO_USER, REGS, "sample_stack_user 65528\n", "wakeup_watermark 8388608\n"},
                 {NO_KERNEL}},
                {{CALL_GRAPH_UNWIND, 8192},
                 "cpu-clock:uk",
                 COPIES,
                 {NO_USER, REGS, "sample_stack_user 8192\n", "wakeup_watermark 2097152\n"},
                 {NO_KERNEL, "mmap_data"}},
                {{CALL_GRAPH_LBR, 0},
                 "cycles:u",
                 CALLS,
                 {NO_KERNEL, "branch_sample_type USER|CALL_STACK|NO_FLAGS|NO_CYCLES\n"},
                 {NO_USER, "regs", "stack_user"}},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(buf) out = {0};

                describe(cases[i].graph, cases[i].event, &out);
                if (!has(&out, cases[i].type))
                        TAP_FAIL("case %zu: no %s in\n%s", i, cases[i].type, buf_text(&out));
                for (size_t k = 0; k < N_ELEMENTS(cases[i].lines) && cases[i].lines[k]; k++) {
                        if (!has(&out, cases[i].lines[k]))
                                TAP_FAIL("case %zu: no %s in\n%s", i, cases[i].lines[k], buf_text(&out));
                }
                for (size_t k = 0; k < N_ELEMENTS(cases[i].absent) && cases[i].absent[k]; k++) {
                        if (has(&out, cases[i].absent[k]))
                                TAP_FAIL("case %zu: %s in\n%s", i, cases[i].absent[k], buf_text(&out));
                }
        }
}

TEST(what_only_tracks_has_no_stacks)
{
        static char name[] = "true";
        static char *argv[] = {name, NULL};
        struct event_list events = {0};
        struct collect_request request = {.target.argv = argv,
                                          .events = &events,
                                          .target.delay_ns = 1,
                                          .call_graph = {CALL_GRAPH_DWARF, 8192}};
        AUTO_RELEASE(buf) out = {0};
        const char *second;

        ASSERT_TRUE(event_parse_sampling("cpu-clock", NULL, NULL, &events, NULL));
        kernel_describe(&request, &out);
        event_list_release(&events);
        ASSERT_CMP(strncmp(buf_text(&out), "event dummy:u\n", 14), ==, 0);
        second = strstr(buf_text(&out), "event cpu-clock\n");
        ASSERT_CMP(second, !=, NULL);
        EXPECT_TRUE(strstr(buf_text(&out), PLAIN) && strstr(buf_text(&out), PLAIN) < second);
        EXPECT_CMP(strstr(second, COPIES), !=, NULL);
}

/* Maps and names are recorded while the events are off. */
TEST(what_is_switched_has_its_maps_always)
{
        static char name[] = "true";
        static char *argv[] = {name, NULL};
        struct event_list events = {0};
        struct collect_request request = {
                .target.argv = argv, .events = &events, .target.control = "fifo:there"};
        static const uint64_t delays_ns[] = {0, CONTROL_NEVER};

        ASSERT_TRUE(event_parse_sampling("cpu-clock", NULL, NULL, &events, NULL));
        for (size_t i = 0; i < N_ELEMENTS(delays_ns); i++) {
                AUTO_RELEASE(buf) out = {0};
                const char *second;

                request.target.delay_ns = delays_ns[i];
                kernel_describe(&request, &out);
                second = strstr(buf_text(&out), "\nevent cpu-clock\n");
                ASSERT_CMP(second, !=, NULL);
                EXPECT_TRUE(!strstr(second, "\nmmap 1\n"));
                EXPECT_INT(strstr(second, "\nenable_on_exec 1\n") != NULL, !delays_ns[i]);
                out.data[second - out.data] = '\0';
                EXPECT_CONTAINS(buf_text(&out), "event dummy:u\n");
                EXPECT_CONTAINS(buf_text(&out), "\nmmap 1\n");
                EXPECT_CONTAINS(buf_text(&out), "\nenable_on_exec 1\n");
        }
        event_list_release(&events);
}

TAP_MAIN
