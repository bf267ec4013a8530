/* SPDX-License-Identifier: BSD-3-Clause */
/* Spans of threads on CPUs that are put together by thread. */
#include "cpu_spans.h"

#include "map.h"
#include "tap.h"

enum { N_TURNS = 5000, N_THREADS = 7 };

/* Threads come to a CPU in any order; some of them are taken back. */
TEST(grouped_spans_keep_their_order)
{
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);
        uint64_t last_ns[N_THREADS + 1] = {0};
        bool is_done[N_THREADS + 1] = {false};
        size_t n_kept = 0;
        int32_t tid = 0;

        for (uint64_t i = 1; i <= N_TURNS; i++) {
                struct cpu_change change = {.time_ns = i, .cpu = 0, .is_of_thread = true};

                change.tid = 1 + (int32_t)(map_mix(i) % N_THREADS);
                cpu_spans_add(spans, &change);
                if (i % 10 == 3) {
                        cpu_spans_take_back(spans, &change);
                        continue;
                }
                change.is_out = true;
                cpu_spans_add(spans, &change);
                n_kept++;
        }
        cpu_spans_group(spans);
        ASSERT_CMP(cpu_spans_n(spans), ==, n_kept);
        for (size_t i = 0; i < n_kept; i++) {
                const struct cpu_span *span = cpu_spans_get(spans, i);

                if (span->tid != tid) {
                        is_done[tid] = true;
                        tid = span->tid;
                        EXPECT_TRUE(!is_done[tid]);
                }
                EXPECT_TRUE(span->from_ns > last_ns[tid]);
                last_ns[tid] = span->from_ns;
        }
}

TEST(no_spans_are_no_groups)
{
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);

        cpu_spans_group(spans);
        EXPECT_INT(cpu_spans_n(spans), 0);
}

TAP_MAIN
