/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the weights of samples with a count of all threads that run at their time. */
#include "latency_pieces.h"

#include "attributes.h"
#include "tap.h"

enum { N_THREADS = 5, N_TURNS = 200, PERIOD = 1000000, LONGEST_TURN = 50 };

struct fixture {
        struct sample_list *samples;
        struct cpu_spans *spans;
        uint32_t random;
        /* when each thread ran */
        uint64_t from[N_THREADS][N_TURNS], to[N_THREADS][N_TURNS];
};

static uint32_t next(struct fixture *f)
{
        f->random = f->random * 1664525 + 1013904223;
        return f->random >> 8;
}

static void add_change(struct fixture *f, int32_t thread, uint64_t ns, bool is_out)
{
        cpu_spans_add(f->spans, &(struct cpu_change){.time_ns = ns,
                                                     .cpu = (uint32_t)thread,
                                                     .pid = 1,
                                                     .tid = 1 + thread,
                                                     .is_out = is_out});
}

static void add_sample(struct fixture *f, uint64_t ns, int32_t tid)
{
        sample_list_add(f->samples,
                        &(struct listed_sample){.time_ns = ns, .weight = PERIOD, .pid = 1, .tid = tid});
}

/* Each thread runs and rests in turns of random length. */
static void make_turns(struct fixture *f)
{
        for (int32_t i = 0; i < N_THREADS; i++) {
                uint64_t ns = 1;

                for (size_t k = 0; k < N_TURNS; k++) {
                        f->from[i][k] = ns += 1 + next(f) % LONGEST_TURN;
                        f->to[i][k] = ns += 1 + next(f) % LONGEST_TURN;
                }
        }
}

static uint64_t count_running(const struct fixture *f, uint64_t ns)
{
        uint64_t n = 0;

        for (size_t i = 0; i < N_THREADS; i++) {
                for (size_t k = 0; k < N_TURNS; k++)
                        n += f->from[i][k] <= ns && ns < f->to[i][k];
        }
        return n ? n : 1;
}

/* Only samples beside which level - 1 other threads ran, with their whole periods. */
static void expect_level(const struct fixture *f, uint32_t level)
{
        const uint64_t levels[] = {UINT64_C(1) << level};
        struct wall_pieces *pieces = latency_pieces_new(&(struct latency_request){.samples = f->samples,
                                                                                  .spans = f->spans,
                                                                                  .is_whole = true,
                                                                                  .levels = levels,
                                                                                  .n_levels = 64});
        size_t n = 0;

        for (size_t i = 0; i < sample_list_n(f->samples); i++)
                n += count_running(f, sample_list_get(f->samples, i)->time_ns) == level;
        EXPECT_INT(pieces->n, n);
        for (size_t i = 0; i < pieces->n; i++)
                EXPECT_INT(pieces->items[i].ns, PERIOD);
        wall_pieces_free(pieces);
}

TEST(a_moment_is_divided_among_all_threads_that_run)
{
        struct fixture f = {.samples = sample_list_new(), .spans = cpu_spans_new(NULL), .random = 1};
        struct wall_pieces *pieces;
        bool has_shared = false, has_alone = false;

        make_turns(&f);
        for (int32_t i = 0; i < N_THREADS; i++) {
                for (size_t k = 0; k < N_TURNS; k++) {
                        add_change(&f, i, f.from[i][k], false);
                        add_change(&f, i, f.to[i][k], true);
                        add_sample(&f, f.from[i][k] + (f.to[i][k] - f.from[i][k]) / 2, 1 + i);
                }
        }
        pieces = latency_pieces_new(&(struct latency_request){f.samples, f.spans, 0});
        ASSERT_CMP(pieces->n, ==, (size_t)N_THREADS * N_TURNS);
        for (size_t i = 0; i < pieces->n; i++) {
                uint64_t n = count_running(&f, pieces->items[i].time_ns);

                EXPECT_INT(pieces->items[i].ns, PERIOD / n);
                has_shared |= n > 2;
                has_alone |= n == 1;
        }
        EXPECT_TRUE(has_shared && has_alone);
        wall_pieces_free(pieces);
        for (uint32_t level = 1; level <= N_THREADS; level++)
                expect_level(&f, level);
        sample_list_free(f.samples);
        cpu_spans_free(f.spans);
}

TEST(without_switches_there_is_no_latency)
{
        struct fixture f = {.samples = sample_list_new(), .spans = cpu_spans_new(NULL)};

        add_sample(&f, 1, 1);
        EXPECT_TRUE(!latency_pieces_new(&(struct latency_request){f.samples, f.spans, 0}));
        sample_list_free(f.samples);
        cpu_spans_free(f.spans);
}

TAP_MAIN
