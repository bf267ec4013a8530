/* SPDX-License-Identifier: BSD-3-Clause */
/* Times reading a session, with one more step in each row: in the order of the file, by time, with parsed
 * samples, with a lookup of each address, with a lookup of each frame.  CPU time: the median of ROUNDS with
 * the smallest and largest.  read_session FILE [ROUNDS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "os.h"
#include "perfdata_reader.h"
#include "world.h"

enum step { STEP_RAW, STEP_ORDERED, STEP_PARSED, STEP_PLACED, STEP_FRAMES, N_STEPS };

static const char *const step_names[N_STEPS] = {"file order", "by time", "parsed", "ip looked up",
                                                "frames looked up"};

static volatile uint64_t kept;

struct totals {
        uint64_t n_records, n_samples, n_placed, sum;
};

static void take_sample(struct totals *t, struct world *world, const struct sample *s, enum step step)
{
        struct cursor chain = s->chain;

        t->sum += s->ip + s->time;
        if (step >= STEP_PLACED)
                t->n_placed += world_find(world, s->pid, s->misc, s->ip).module != MODULE_NONE;
        if (step < STEP_FRAMES)
                return;
        while (cursor_left(&chain)) {
                uint64_t ip = cursor_u64(&chain);

                if (ip < PERF_CONTEXT_MAX)
                        t->sum += world_find(world, s->pid, s->misc, ip).offset;
        }
}

static bool run_step(const char *path, enum step step, struct totals *t, struct err *err)
{
        AUTO(perfdata_reader) reader = perfdata_open(path, err);
        AUTO(world) world = world_new();
        struct perfdata_record record;
        struct sample sample;
        int got = -1;

        while (reader && (got = step == STEP_RAW ? perfdata_next_raw(reader, &record, err)
                                                 : perfdata_next(reader, &record, err)) == 1) {
                t->n_records++;
                if (step < STEP_PARSED)
                        continue;
                if (record.header.type != PERF_RECORD_SAMPLE) {
                        world_replay(world, &record);
                } else if (sample_parse(&perfdata_get_event(reader, record.event)->attr, record.bytes,
                                        &sample)) {
                        t->n_samples++;
                        take_sample(t, world, &sample, step);
                }
        }
        kept += t->sum;
        return !got;
}

static int compare_u64(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return x < y ? -1 : x > y;
}

/* Memory that is not the mapped file. */
static void print_memory(void)
{
        struct buf status = {0};
        const char *at;

        if (os_read_file("/proc/self/status", 1 << 16, &status, NULL) &&
            (at = strstr(buf_text(&status), "RssAnon:")))
                printf("memory beyond the mapping: %.*s\n", (int)strcspn(at + 8, "\n"), at + 8);
        buf_release(&status);
}

int main(int argc, char **argv)
{
        int n_rounds = argc > 2 ? atoi(argv[2]) : 5;
        struct err err = {0};
        uint64_t times[100];

        for (int step = 0; argc > 1 && step < N_STEPS && n_rounds > 0 && n_rounds <= 100; step++) {
                struct totals t = {0};

                for (int i = 0; i < n_rounds; i++) {
                        clock_t start = clock();

                        t = (struct totals){0};
                        if (!run_step(argv[1], (enum step)step, &t, &err)) {
                                fprintf(stderr, "%s\n", err.text);
                                return 1;
                        }
                        times[i] = (uint64_t)(clock() - start);
                }
                qsort(times, (size_t)n_rounds, sizeof(times[0]), compare_u64);
                printf("%-18s %7.1f ms (%.1f to %.1f)  %llu records, %llu samples, %llu placed\n",
                       step_names[step], (double)times[n_rounds / 2] * 1e3 / CLOCKS_PER_SEC,
                       (double)times[0] * 1e3 / CLOCKS_PER_SEC,
                       (double)times[n_rounds - 1] * 1e3 / CLOCKS_PER_SEC, (unsigned long long)t.n_records,
                       (unsigned long long)t.n_samples, (unsigned long long)t.n_placed);
        }
        print_memory();
        return argc < 2;
}
