/* SPDX-License-Identifier: BSD-3-Clause */
/* library_uses CASE ...   What the library promises to the program that uses it: each case prints `ok` or
 *                         what is wrong. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wperf.h"

enum { N_SIGNALS = 64 };

static struct sigaction handlers[N_SIGNALS];

static int fail(const char *what)
{
        printf("%s\n", what);
        return 1;
}

static int succeed(void)
{
        printf("ok\n");
        return 0;
}

static void note_handlers(void)
{
        for (int i = 1; i < N_SIGNALS; i++)
                sigaction(i, NULL, &handlers[i]);
}

static int handlers_are_as_before(void)
{
        for (int i = 1; i < N_SIGNALS; i++) {
                struct sigaction now;

                if (!sigaction(i, NULL, &now) && now.sa_handler != handlers[i].sa_handler)
                        return 0;
        }
        return 1;
}

/* Counts and samples `argv`, and reads the session. */
static int case_measure(char **argv)
{
        const struct wperf_target target = {.size = sizeof(target), .argv = argv};
        struct wperf_count_request counted = {
                .size = sizeof(counted), .target = &target, .events = "task-clock,page-faults"};
        struct wperf_record_request sampled = {.size = sizeof(sampled),
                                               .target = &target,
                                               .session_path = "uses.data",
                                               .events = "cpu-clock",
                                               .call_stacks = 1};
        struct wperf_report_request read = {
                .size = sizeof(read), .path = "uses.data", .contents = WPERF_TREES | WPERF_SAMPLES};
        struct wperf_ending ending;
        struct wperf_error error;
        struct wperf_sample sample;
        struct wperf_frame frame;
        struct wperf_count count;
        wperf_counts *counts;
        wperf_report *report;
        wperf_tree *tree;
        uint64_t clock_ns = 0;

        note_handlers();
        counts = wperf_count(&counted, &error);
        if (!counts)
                return fail(error.text);
        for (size_t i = 0; wperf_counts_get(counts, i, &count); i++)
                clock_ns += !strcmp(count.event, "task-clock") ? count.value : 0;
        ending = wperf_counts_ending(counts);
        if (clock_ns < 10000000 || !ending.has_status || ending.exit_status || ending.stopped)
                return fail("the counts of the command");
        wperf_counts_free(counts);
        if (!wperf_record(&sampled, &ending, &error))
                return fail(error.text);
        if (!ending.has_status || ending.exit_status || !ending.elapsed_ns)
                return fail("the end of the sampled command");
        report = wperf_report_open(&read, &error);
        if (!report)
                return fail(error.text);
        if (!wperf_report_sample(report, 0, &sample) || !wperf_report_frame(report, sample.stack, 0, &frame))
                return fail("the frames of a sample");
        tree = wperf_report_tree(report, 0, 1, &error);
        if (!tree || wperf_tree_node_count(tree) < 2)
                return fail("the inverted call tree");
        wperf_tree_free(tree);
        wperf_report_close(report);
        return handlers_are_as_before() ? succeed() : fail("a signal has another handler");
}

static atomic_bool has_ended;

/* Again, if the measurement had not begun yet. */
static void *stop_soon(void *arg)
{
        while (!atomic_load(&has_ended)) {
                usleep(300000);
                wperf_stop();
        }
        return arg;
}

/* wperf_stop() ends a measurement without a timeout. */
static int case_stop(char **argv)
{
        const struct wperf_target target = {.size = sizeof(target), .argv = argv};
        struct wperf_count_request counted = {
                .size = sizeof(counted), .target = &target, .events = "task-clock"};
        struct wperf_error error;
        wperf_counts *counts;
        pthread_t thread;
        int stopped;

        pthread_create(&thread, NULL, stop_soon, NULL);
        counts = wperf_count(&counted, &error);
        atomic_store(&has_ended, true);
        pthread_join(thread, NULL);
        if (!counts)
                return fail(error.text);
        stopped = wperf_counts_ending(counts).stopped;
        wperf_counts_free(counts);
        return stopped ? succeed() : fail("the command ended by itself");
}

struct reading {
        const char *path;
        uint64_t samples;
};

static void *read_often(void *arg)
{
        struct reading *reading = arg;
        struct wperf_report_request request = {.size = sizeof(request),
                                               .path = reading->path,
                                               .contents = WPERF_TREES | WPERF_SAMPLES | WPERF_PYTHON |
                                                           WPERF_ACCESSES};

        for (int i = 0; i < 8; i++) {
                wperf_report *report = wperf_report_open(&request, NULL);
                struct wperf_quality quality = {0};

                if (report)
                        wperf_report_quality(report, &quality);
                reading->samples += quality.samples;
                wperf_report_close(report);
        }
        return NULL;
}

/* Several threads read sessions at the same time. */
static int case_threads(char **argv)
{
        struct reading readings[4];
        pthread_t threads[4];

        for (size_t i = 0; i < 4; i++) {
                readings[i] = (struct reading){.path = argv[i % 2]};
                pthread_create(&threads[i], NULL, read_often, &readings[i]);
        }
        for (size_t i = 0; i < 4; i++)
                pthread_join(threads[i], NULL);
        if (!readings[0].samples || readings[0].samples != readings[2].samples ||
            readings[1].samples != readings[3].samples)
                return fail("threads read different numbers of samples");
        return succeed();
}

static void end_here(void *ctx, size_t bytes)
{
        printf("%s\n", bytes ? (const char *)ctx : "0 bytes were asked for");
        fflush(stdout);
        _Exit(7);
}

/* To be called with little memory. */
static int case_memory(char **argv)
{
        struct wperf_report_request request = {
                .size = sizeof(request), .path = argv[0], .contents = WPERF_TREES | WPERF_SAMPLES};

        wperf_set_out_of_memory(end_here, (void *)(uintptr_t) "out of memory");
        wperf_report_close(wperf_report_open(&request, NULL));
        return fail("there was enough memory");
}

/* Mapping installs a handler only if it is allowed. */
static int case_mapping(char **argv)
{
        struct wperf_report_request request = {.size = sizeof(request), .path = argv[0]};
        wperf_report *report;

        note_handlers();
        report = wperf_report_open(&request, NULL);
        if (!report || !handlers_are_as_before())
                return fail("a handler without mapping");
        wperf_report_close(report);
        wperf_allow_mapping(1);
        report = wperf_report_open(&request, NULL);
        if (!report || handlers_are_as_before())
                return fail("no handler with mapping");
        wperf_report_close(report);
        return succeed();
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                int (*run)(char **argv);
        } cases[] = {{"measure", case_measure},
                     {"stop", case_stop},
                     {"threads", case_threads},
                     {"memory", case_memory},
                     {"mapping", case_mapping}};

        for (size_t i = 0; argc > 2 && i < sizeof(cases) / sizeof(*cases); i++) {
                if (!strcmp(cases[i].name, argv[1]))
                        return cases[i].run(argv + 2);
        }
        return fail("no such case");
}
