/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of short waits that were sampled: of many simulated recordings, whose times are known, the mean is
 * right, and they differ as much as their errors say. */
#include <math.h>
#include <stdlib.h>

#include "tap.h"
#include "wall_times.h"

enum { WAITER = 10, US = 1000, MS = 1000000, N_TRIALS = 300, SECONDS = 2, MAX_READINGS = 1000 };
enum { CPU_EVENT, WAITING_EVENT };
enum { OFTEN, RARE, N_FUNCTIONS };

struct trial {
        struct wait_reading readings[MAX_READINGS];
        size_t n_readings;
        struct sample_list *samples;
        struct cpu_spans *spans;
        uint64_t waited_ns[N_FUNCTIONS]; /* in truth */
        uint64_t next_look_ns, last_look_ns;
};

static struct named_frame frames[N_FUNCTIONS] = {{.function = "often", .file = ""},
                                                 {.function = "rare", .file = ""}};
static struct named_node nodes[N_FUNCTIONS] = {
        {.parent = NAMED_NONE, .module = NAMED_NONE, .first_frame = OFTEN, .n_frames = 1},
        {.parent = NAMED_NONE, .module = NAMED_NONE, .first_frame = RARE, .n_frames = 1},
};
static const struct named_stacks named = {
        .nodes = nodes, .n_nodes = N_FUNCTIONS, .frames = frames, .n_frames = N_FUNCTIONS};

static uint64_t random_up_to(uint64_t *state, uint64_t most)
{
        *state = *state * 6364136223846793005ull + 1442695040888963407ull;
        return (*state >> 33) % most;
}

static void add_switch(struct trial *t, uint64_t time_ns, bool is_out)
{
        const struct cpu_change change = {
                .time_ns = time_ns, .cpu = UINT32_MAX, .pid = WAITER, .tid = WAITER, .is_out = is_out};

        cpu_spans_add(t->spans, &change);
}

/* At random moments around every 10 ms, as wait_pace.c does; while the thread runs there is nothing to read.
 */
static void look(struct trial *t, uint64_t *random, uint64_t from_ns, uint64_t to_ns, uint32_t function)
{
        bool is_read = false;

        while (t->next_look_ns < to_ns) {
                uint64_t now_ns = t->next_look_ns, look_ns = now_ns - t->last_look_ns;

                t->last_look_ns = now_ns;
                t->next_look_ns += 5 * MS + random_up_to(random, 10 * MS);
                if (now_ns < from_ns || is_read || t->n_readings == MAX_READINGS)
                        continue;
                is_read = true;
                t->readings[t->n_readings++] = (struct wait_reading){.time_ns = now_ns,
                                                                     .pid = WAITER,
                                                                     .tid = WAITER,
                                                                     .how = WAIT_HOW_STILL,
                                                                     .state = 'S',
                                                                     .call = WAIT_CALL_SLEEP,
                                                                     .look_ns = look_ns,
                                                                     .text = "",
                                                                     .python_name = ""};
                sample_list_add(t->samples, &(struct listed_sample){.time_ns = now_ns,
                                                                    .weight = 1,
                                                                    .event = WAITING_EVENT,
                                                                    .node = function,
                                                                    .pid = WAITER,
                                                                    .tid = WAITER});
        }
}

/* Waits of 0.1 to 4 ms, one in four of them in the second function. */
static void simulate(struct trial *t, uint64_t *random)
{
        const uint64_t start_ns = 1000 * (uint64_t)MS, end_ns = start_ns + SECONDS * 1000 * (uint64_t)MS;
        uint64_t now_ns = start_ns;

        t->last_look_ns = start_ns;
        t->next_look_ns = start_ns + random_up_to(random, 10 * MS);
        add_switch(t, now_ns, false);
        while (now_ns < end_ns) {
                uint64_t from_ns = now_ns + 100 * US + random_up_to(random, 900 * US);
                uint64_t to_ns = from_ns + 100 * US + random_up_to(random, 3900 * US);
                uint32_t function = random_up_to(random, 4) ? OFTEN : RARE;

                add_switch(t, from_ns, true);
                add_switch(t, to_ns, false);
                look(t, random, from_ns, to_ns, function);
                t->waited_ns[function] += to_ns - from_ns;
                now_ns = to_ns;
        }
        add_switch(t, now_ns + US, true);
        cpu_spans_exit(t->spans,
                       &(struct cpu_change){
                               .time_ns = now_ns + US, .cpu = UINT32_MAX, .pid = WAITER, .tid = WAITER});
}

static void take_all(struct wall_pieces *pieces)
{
        for (size_t i = 0; i < pieces->n; i++)
                pieces->items[i].is_taken = true;
        for (size_t i = 0; i < pieces->n_stackless; i++)
                pieces->stackless[i].is_taken = true;
}

/* The difference of the time of the rare function from the truth, and the error that is said, in ns. */
static void try(uint64_t *random, double *ret_difference, double *ret_error)
{
        struct trial *t = calloc(1, sizeof(*t));
        struct wait_section waits = {0};
        struct wall_pieces *pieces;
        struct wall_times *times;

        ASSERT_TRUE(t);
        t->samples = sample_list_new();
        t->spans = cpu_spans_new(NULL);
        simulate(t, random);
        waits.readings = t->readings;
        waits.n = t->n_readings;
        pieces = wall_pieces_new(&(struct wall_request){.waits = &waits,
                                                        .named = &named,
                                                        .samples = t->samples,
                                                        .spans = t->spans,
                                                        .waiting_event = WAITING_EVENT,
                                                        .cpu_event = CPU_EVENT});
        take_all(pieces);
        times = wall_times_new(pieces, WALL_SHOWN);
        *ret_difference = -(double)t->waited_ns[RARE];
        *ret_error = 0;
        for (size_t i = 0; i < times->n_functions; i++) {
                if (times->functions[i].name->name[0] != 'r')
                        continue;
                *ret_difference += (double)times->functions[i].total_ns;
                *ret_error = times->functions[i].error_ns;
        }
        wall_times_free(times);
        wall_pieces_free(pieces);
        sample_list_free(t->samples);
        cpu_spans_free(t->spans);
        free(t);
}

TEST(errors_are_as_large_as_they_are_said_to_be)
{
        uint64_t random = 1;
        double sum = 0, squares = 0, ratios = 0;
        size_t n_beyond = 0;

        for (int i = 0; i < N_TRIALS; i++) {
                double difference = 0, error = 0;

                try(&random, &difference, &error);
                ASSERT_TRUE(error > 0);
                sum += difference;
                squares += difference * difference;
                ratios += difference / error * (difference / error);
                n_beyond += fabs(difference) > 2 * error;
        }
        /* unbiased: the mean is within three standard errors of 0 */
        EXPECT_INT(fabs(sum / N_TRIALS) < 3 * sqrt(squares / N_TRIALS / N_TRIALS), 1);
        /* the mean of the squared ratios is 1 with a standard error of 0.08 */
        EXPECT_INT(ratios / N_TRIALS > 0.75 && ratios / N_TRIALS < 1.25, 1);
        EXPECT_INT(n_beyond < N_TRIALS / 10, 1);
        printf("# mean %.2f ms, root of squares %.2f ms, ratio %.2f, beyond two errors %zu of %d\n",
               sum / N_TRIALS / MS, sqrt(squares / N_TRIALS) / MS, ratios / N_TRIALS, n_beyond, N_TRIALS);
}

TAP_MAIN
