/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of wall time from sessions that no recorder writes. */
#include "wall_times.h"

#include <stdio.h>
#include <string.h>

#include "attributes.h"
#include "map.h"
#include "tap.h"
#include "wall_live.h"

enum { WAITER = 10, HOLDER = 11, CPU = 0, WAITING = 1, MS = 1000000, N_STACKS = 20, N_READINGS = 3 };

/* Each stack has one function. */
struct fixture {
        char names[N_STACKS][80];
        struct named_frame frames[N_STACKS];
        struct named_node nodes[N_STACKS];
        struct named_stacks named;
        struct wait_reading readings[N_STACKS];
        struct wait_holder holders[2];
        size_t n_holders;
        struct sample_list *samples;
        struct cpu_spans *spans;
        struct wall_pieces *pieces;
};

static void begin(struct fixture *f, const char *suffix)
{
        *f = (struct fixture){
                .named = {.nodes = f->nodes, .n_nodes = N_STACKS, .frames = f->frames, .n_frames = N_STACKS},
                .samples = sample_list_new(),
                .spans = cpu_spans_new(NULL)};
        for (uint32_t i = 0; i < N_STACKS; i++) {
                snprintf(f->names[i], sizeof(f->names[i]), "f%u%s", i, suffix);
                f->frames[i] = (struct named_frame){.function = f->names[i], .file = ""};
                f->nodes[i] = (struct named_node){
                        .parent = NAMED_NONE, .module = NAMED_NONE, .first_frame = i, .n_frames = 1};
                f->readings[i] = (struct wait_reading){.time_ns = (1 + i) * 10 * (uint64_t)MS,
                                                       .pid = WAITER,
                                                       .tid = WAITER,
                                                       .inner_tid = WAITER,
                                                       .how = WAIT_HOW_STILL,
                                                       .state = 'S',
                                                       .call = WAIT_CALL_FUTEX,
                                                       .look_ns = 10 * MS,
                                                       .text = "",
                                                       .python_name = ""};
        }
}

static struct wall_pieces *pieces_of(struct fixture *f, size_t n_readings)
{
        const struct wait_section waits = {f->readings, n_readings, f->holders, f->n_holders};
        const struct sched_events events = {0};

        return wall_pieces_new(&(struct wall_request){.waits = &waits,
                                                      .events = &events,
                                                      .named = &f->named,
                                                      .samples = f->samples,
                                                      .spans = f->spans,
                                                      .waiting_event = WAITING,
                                                      .cpu_event = CPU,
                                                      .elapsed_ns = 1000 * MS});
}

/* Of all pieces. */
static struct wall_times *times_of(struct fixture *f, size_t n_readings)
{
        f->pieces = pieces_of(f, n_readings);
        for (size_t i = 0; i < f->pieces->n; i++)
                f->pieces->items[i].is_taken = true;
        for (size_t i = 0; i < f->pieces->n_stackless; i++)
                f->pieces->stackless[i].is_taken = true;
        return wall_times_new(f->pieces, WALL_SHOWN);
}

static void end(struct fixture *f, struct wall_times *times)
{
        wall_times_free(times);
        wall_pieces_free(f->pieces);
        sample_list_free(f->samples);
        cpu_spans_free(f->spans);
}

static void add_sample(struct fixture *f, uint32_t event, int32_t tid, uint64_t time_ns, uint32_t node)
{
        sample_list_add(f->samples, &(struct listed_sample){.time_ns = time_ns,
                                                            .weight = 1,
                                                            .event = event,
                                                            .node = node,
                                                            .pid = tid,
                                                            .tid = tid});
}

/* The holders have no switches and no readings, so their functions have no rows. */
TEST(holders_without_time_have_no_rows)
{
        struct fixture f;
        struct wall_times *times;

        begin(&f, "");
        for (uint32_t i = 0; i < N_READINGS; i++) {
                f.readings[i].python = WAIT_PYTHON_STATE | WAIT_PYTHON_IN_RUNTIME;
                f.readings[i].gil_holder = HOLDER;
                add_sample(&f, WAITING, WAITER, f.readings[i].time_ns, 0);
                add_sample(&f, CPU, HOLDER, f.readings[i].time_ns + 1, 1 + i);
        }
        times = times_of(&f, N_READINGS);
        EXPECT_INT(times->n_functions, 1);
        EXPECT_STR(times->functions[0].name->name, "f0");
        EXPECT_INT(times->functions[0].ns[WAIT_KIND_GIL], 1000 * MS);
        EXPECT_STR(times->gil_holder->name, "f1");
        end(&f, times);
}

static void run_thread_for_a_while(struct fixture *f, int32_t tid, uint64_t from_ns)
{
        struct cpu_change change = {.time_ns = from_ns, .cpu = 0, .pid = tid, .tid = tid};

        cpu_spans_add(f->spans, &change);
        change.time_ns += MS;
        change.is_out = true;
        cpu_spans_add(f->spans, &change);
}

static void run_for_a_while(struct fixture *f, uint64_t from_ns)
{
        run_thread_for_a_while(f, WAITER, from_ns);
}

/* A thread that has the GIL at the reading, and computes without it at the nearest sample. */
static void expect_gil_holder(size_t n_holders, const char *function)
{
        struct fixture f;
        struct wall_times *times;
        uint64_t ns;

        begin(&f, "");
        ns = f.readings[0].time_ns;
        f.readings[0].python = WAIT_PYTHON_STATE | WAIT_PYTHON_IN_RUNTIME;
        f.readings[0].gil_holder = HOLDER;
        f.holders[0] = (struct wait_holder){.time_ns = ns - 5 * MS, .tid = HOLDER, .has_gil = true};
        f.holders[1] = (struct wait_holder){.time_ns = ns + MS, .tid = HOLDER};
        f.n_holders = n_holders;
        run_thread_for_a_while(&f, HOLDER, ns - 5 * MS);
        add_sample(&f, CPU, HOLDER, ns - 5 * MS, 1);
        add_sample(&f, WAITING, WAITER, ns, 0);
        add_sample(&f, CPU, HOLDER, ns + MS, 2);
        times = times_of(&f, 1);
        ASSERT_TRUE(times->gil_holder);
        EXPECT_STR(times->gil_holder->name, function);
        end(&f, times);
}

TEST(a_function_that_runs_without_the_gil_did_not_have_it)
{
        expect_gil_holder(2, "f1");
        expect_gil_holder(0, "f2"); /* the nearest sample, where that is not known */
}

/* The sum of the looks is 2 in 64 bits. */
TEST(looks_without_sense_share_out_no_more_than_there_is)
{
        struct fixture f;
        struct wall_times *times;
        uint64_t sum_ns = 0;

        begin(&f, "");
        for (uint32_t i = 0; i < 2; i++) {
                f.readings[i].look_ns = (1ull << 63) + 1;
                run_for_a_while(&f, f.readings[i].time_ns - MS - 1);
                add_sample(&f, WAITING, WAITER, f.readings[i].time_ns, i);
        }
        times = times_of(&f, 2);
        for (size_t i = 0; i < WALL_N_STATES; i++)
                sum_ns += times->ns[i];
        EXPECT_INT(sum_ns <= times->elapsed_ns, 1);
        EXPECT_INT(sum_ns > 990 * MS, 1);
        end(&f, times);
}

/* What is known of them is their system call. */
TEST(waits_that_ended_while_they_were_read_count_without_stack)
{
        struct fixture f;
        struct wall_times *times;

        begin(&f, "");
        f.readings[0].how = WAIT_HOW_MOVING;
        f.readings[0].call = WAIT_CALL_SLEEP;
        add_sample(&f, WAITING, WAITER, f.readings[0].time_ns, 0);
        times = times_of(&f, 1);
        EXPECT_INT(times->ns[WAIT_KIND_SLEEP], 1000 * MS);
        EXPECT_INT(times->stackless_ns, 1000 * MS);
        end(&f, times);
}

/* They are names of functions, of which a session may have very many. */
TEST(few_idle_calls_are_named)
{
        struct fixture f;
        struct wall_times *times;

        begin(&f, "::v8::platform::DefaultWorkerThreadsTaskRunner::WorkerThread::Run");
        for (uint32_t i = 0; i < N_STACKS; i++) {
                run_for_a_while(&f, f.readings[i].time_ns - MS - 1);
                add_sample(&f, WAITING, WAITER, f.readings[i].time_ns, i);
        }
        times = times_of(&f, N_STACKS);
        EXPECT_INT(times->n_idle_threads, 1);
        EXPECT_INT(times->n_idle_calls, WALL_MAX_IDLE_CALLS);
        end(&f, times);
}

static void run_from_to(struct fixture *f, uint64_t from_ns, uint64_t to_ns)
{
        struct cpu_change change = {.time_ns = from_ns, .cpu = 0, .pid = WAITER, .tid = WAITER};

        cpu_spans_add(f->spans, &change);
        change.time_ns = to_ns;
        change.is_out = true;
        cpu_spans_add(f->spans, &change);
}

/* Stops after samples take 50 us, and two of them 5 ms, because others have the CPUs. */
TEST(a_stopped_thread_that_queues_for_a_cpu_is_ready_to_run)
{
        enum { US = 1000, N_STOPS = 8, N_QUEUED = 2 };
        struct fixture f;
        struct wall_times *times;
        uint64_t now_ns = 10 * MS;

        begin(&f, "");
        for (unsigned i = 0; i < N_STOPS; i++) {
                run_from_to(&f, now_ns, now_ns + MS);
                add_sample(&f, CPU, WAITER, now_ns + MS - 10 * US, 0);
                now_ns += MS + (i % 4 ? 50 * US : 5 * MS);
        }
        run_from_to(&f, now_ns, now_ns + MS);
        times = times_of(&f, 0);
        EXPECT_INT(times->ns[WALL_OWN], (6 * 50 + N_QUEUED * 100) * US);
        EXPECT_INT(times->ns[WALL_RUNNABLE], N_QUEUED * (5 * MS - 100 * US));
        end(&f, times);
}

/* --- while it is recorded --- */

static uint64_t ns_of(const struct wall_pieces *pieces, const char *function, unsigned state)
{
        uint64_t ns = 0;

        for (size_t i = 0; i < pieces->n; i++) {
                const struct wall_piece *p = &pieces->items[i];

                if (p->state == state && p->function &&
                    !strcmp(pieces->functions[p->function - 1].name, function))
                        ns += p->ns;
        }
        return ns;
}

static void add_switch(struct fixture *f, uint64_t ms, bool is_out)
{
        cpu_spans_add(f->spans, &(struct cpu_change){.time_ns = ms * MS,
                                                     .cpu = UINT32_MAX,
                                                     .pid = WAITER,
                                                     .tid = WAITER,
                                                     .is_out = is_out});
}

/* It waits from 5 to 600 ms and is read then, in f0; */
static void begin_wait(struct fixture *f)
{
        begin(f, "");
        add_switch(f, 1, false);
        add_switch(f, 5, true);
        add_sample(f, WAITING, WAITER, f->readings[0].time_ns, 0);
}

/* and after that it runs in f1 until 1000 ms. */
static void end_wait(struct fixture *f)
{
        add_switch(f, 600, false);
        add_sample(f, CPU, WAITER, 700 * (uint64_t)MS, 1);
        add_switch(f, 1001, true);
}

static struct wall_pieces *divide(struct fixture *f, struct wall_live *live, uint64_t elapsed_ms)
{
        const struct wait_section waits = {f->readings, 1, NULL, 0};
        const struct sched_events events = {0};
        struct wall_pieces *pieces =
                wall_live_divide(live, &(struct wall_request){.waits = &waits,
                                                              .events = &events,
                                                              .named = &f->named,
                                                              .samples = f->samples,
                                                              .spans = f->spans,
                                                              .waiting_event = WAITING,
                                                              .cpu_event = CPU,
                                                              .elapsed_ns = elapsed_ms * MS});

        sample_list_free(f->samples);
        f->samples = sample_list_new();
        return pieces;
}

TEST(what_arrives_is_divided_with_what_came_before)
{
        AUTO(wall_live) live = wall_live_new();
        struct fixture f;
        struct wall_pieces *pieces;

        begin_wait(&f);
        pieces = divide(&f, live, 300);
        EXPECT_INT(ns_of(pieces, "f0", WAIT_KIND_UNKNOWN), 296 * MS);
        end_wait(&f);
        pieces = divide(&f, live, 1000);
        EXPECT_INT(ns_of(pieces, "f0", WAIT_KIND_UNKNOWN), 595 * MS);
        EXPECT_INT(ns_of(pieces, "f1", WAIT_KIND_ON_CPU), 405 * MS);
        end(&f, NULL);
}

/* A wait that goes on is known after that, unless its thread has ended without a switch. */
static void expect_settled(bool has_ended, uint64_t rest_ms)
{
        AUTO(wall_live) live = wall_live_new();
        struct map ended = {0};
        struct fixture f;
        struct wall_pieces *pieces;
        uint64_t now_ns;

        begin_wait(&f);
        divide(&f, live, 300);
        if (has_ended)
                *map_put(&ended, WAITER, NULL) = 1;
        now_ns = wall_live_begin_anew(live, &ended);
        EXPECT_INT(now_ns, 301 * MS);
        cpu_spans_begin_anew(f.spans, now_ns);
        EXPECT_INT(wall_live_n(live), !has_ended);
        EXPECT_INT(cpu_spans_n(f.spans), 1);
        end_wait(&f);
        pieces = divide(&f, live, 700);
        EXPECT_INT(ns_of(pieces, "f0", WAIT_KIND_UNKNOWN), rest_ms * MS);
        EXPECT_INT(ns_of(pieces, "f1", WAIT_KIND_ON_CPU), 401 * MS);
        map_release(&ended);
        end(&f, NULL);
}

TEST(settled_time_is_not_divided_again)
{
        expect_settled(false, 299);
        expect_settled(true, 0);
}

TAP_MAIN
