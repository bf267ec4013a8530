/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the tests of counting: lists of events, a sink that adds up counts, and a process
 * that follows commands. */
#ifndef TALLY_H
#define TALLY_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counting.h"
#include "mem.h"
#include "os.h"
#include "tap.h"

static const char program[] = COUNTED;

/* Whether the kernel allows this user to count; does not use the tested code. */
UNUSED static bool may_count(void)
{
        struct perf_attr attr = {
                .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .flags = PERF_ATTR_EXCLUDE_KERNEL};
        long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

        if (fd >= 0)
                close((int)fd);
        return fd >= 0;
}

#define NEED_EVENTS()                                                                                        \
        do {                                                                                                 \
                if (!may_count())                                                                            \
                        SKIP("perf_event_open");                                                             \
        } while (0)

#define COMMAND(...) ((char *const *)(const char *const[]){__VA_ARGS__, NULL})

enum { MS = 1000000, MAX_EVENTS = 8 };

/* --- what is counted --- */

static void add_software(struct count_list *list, const char *name, uint64_t config)
{
        struct count_event item = {.kind = COUNT_NO_KIND, .group = COUNT_LOOSE, .code = -1};

        snprintf(item.event.name, sizeof(item.event.name), "%s", name);
        item.event.attr.type = PERF_TYPE_SOFTWARE;
        item.event.attr.config = config;
        ARRAY_PUSH(list->items, list->n_items, list->cap_items, item);
}

UNUSED static void add_cycles(struct count_list *list)
{
        add_software(list, "cycles", PERF_COUNT_HW_CPU_CYCLES);
        list->items[list->n_items - 1].event.attr.type = PERF_TYPE_HARDWARE;
}

enum { CLOCK, SWITCHES, MIGRATIONS, FAULTS };

UNUSED static void add_default(struct count_list *list)
{
        add_software(list, "task-clock", PERF_COUNT_SW_TASK_CLOCK);
        add_software(list, "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES);
        add_software(list, "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS);
        add_software(list, "page-faults", PERF_COUNT_SW_PAGE_FAULTS);
}

/* --- what comes out --- */

struct tally {
        const struct counting *counting;
        size_t n_events;
        uint64_t value[MAX_EVENTS], enabled_ns[MAX_EVENTS], running_ns[MAX_EVENTS]; /* of the last round */
        uint64_t pending[MAX_EVENTS][3];
        uint32_t cpus; /* a bit for each that was seen */
        bool any_cpu;
        size_t n_stats; /* of the last round */
        size_t pending_stats;
        unsigned n_threads_seen;
        size_t n_rounds, n_final, n_maps;
        uint64_t time_ns;
        bool shrank, unknown_id;
};

static size_t event_of_id(const struct tally *t, uint64_t id)
{
        for (size_t i = 0; i < t->n_events; i++) {
                struct counting_event e = counting_get_event(t->counting, i);

                for (size_t k = 0; k < e.n_ids; k++) {
                        if (e.ids[k] == id)
                                return i;
                }
        }
        return t->n_events;
}

static void take_stat(struct tally *t, struct cursor record)
{
        struct record_stat stat;
        size_t i;

        if (!record_stat_parse(record, &stat) || (i = event_of_id(t, stat.id)) == t->n_events) {
                t->unknown_id = true;
                return;
        }
        t->pending[i][0] += stat.value;
        t->pending[i][1] += stat.enabled_ns;
        t->pending[i][2] += stat.running_ns;
        t->pending_stats++;
        if (stat.cpu == UINT32_MAX)
                t->any_cpu = true;
        else
                t->cpus |= 1u << stat.cpu;
        if (stat.thread >= t->n_threads_seen)
                t->n_threads_seen = stat.thread + 1;
}

static void take_round(struct tally *t, struct cursor record)
{
        struct record_stat_round round;

        if (!record_stat_round_parse(record, &round))
                return;
        t->n_rounds++;
        t->n_final += round.type == PERF_STAT_ROUND_FINAL;
        t->shrank |= round.time < t->time_ns;
        t->time_ns = round.time;
        for (size_t i = 0; i < t->n_events; i++) {
                t->shrank |= t->pending[i][0] < t->value[i] || t->pending[i][1] < t->enabled_ns[i];
                t->value[i] = t->pending[i][0];
                t->enabled_ns[i] = t->pending[i][1];
                t->running_ns[i] = t->pending[i][2];
        }
        t->n_stats = t->pending_stats;
        t->pending_stats = 0;
        memset(t->pending, 0, sizeof(t->pending));
}

static bool take(void *ctx, const void *records, size_t size, struct err *err)
{
        struct cursor all = cursor_make(records, size), record;
        struct perf_header header;
        struct tally *t = ctx;

        while (record_next(&all, &header, &record)) {
                switch (header.type) {
                case PERF_RECORD_STAT: take_stat(t, record); break;
                case PERF_RECORD_STAT_ROUND: take_round(t, record); break;
                default: t->n_maps++; break;
                }
        }
        return true;
}

UNUSED static struct counting *opened(const struct count_request *request, struct tally *tally)
{
        struct err err = {0};
        struct counting *c = counting_open(request, &err);

        *tally = (struct tally){.counting = c, .n_events = request->list->n_items};
        if (!c)
                printf("# %s\n", err.text);
        return c;
}

UNUSED static bool begun(struct counting *c, struct tally *tally)
{
        const struct record_sink sink = {take, tally};
        struct err err = {0};

        if (counting_begin(c, &sink, &err))
                return true;
        printf("# %s\n", err.text);
        return false;
}

UNUSED static struct counting *run_to_end(const struct count_request *request, struct tally *tally)
{
        struct counting *c = opened(request, tally);

        if (!c || !begun(c, tally)) {
                counting_free(c);
                return NULL;
        }
        while (counting_wait(c, 3000ull * MS))
                ;
        counting_end(c);
        EXPECT_TRUE(counting_read(c, true, NULL));
        EXPECT_TRUE(!tally->unknown_id && !tally->shrank);
        return c;
}

UNUSED static void free_list(struct count_list *list)
{
        free(list->items);
        *list = (struct count_list){0};
}

/* Context switches of this process's children that have ended, and of theirs. */
UNUSED static uint64_t switches_of_children(void)
{
        struct rusage usage;

        getrusage(RUSAGE_CHILDREN, &usage);
        return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/* Their CPU time. */
UNUSED static uint64_t cpu_of_children_ns(void)
{
        struct rusage usage;

        getrusage(RUSAGE_CHILDREN, &usage);
        return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
               (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

UNUSED static bool is_within(uint64_t value, uint64_t low, uint64_t high)
{
        if (value >= low && value <= high)
                return true;
        printf("# %" PRIu64 " is not in %" PRIu64 " to %" PRIu64 "\n", value, low, high);
        return false;
}

struct talker {
        pid_t pid;
        int to, from;
};

static void wait_for_line(struct talker *talker)
{
        char byte;

        while (read(talker->from, &byte, 1) == 1 && byte != '\n')
                ;
}

UNUSED static struct talker start_talker(const char *n)
{
        struct talker talker = {0};
        int to[2], from[2];

        if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
                return talker;
        talker.pid = fork();
        if (!talker.pid) {
                dup2(to[0], STDIN_FILENO);
                dup2(from[1], STDOUT_FILENO);
                execl(program, program, "grow", n, (char *)NULL);
                _exit(127);
        }
        close(to[0]);
        close(from[1]);
        talker.to = to[1];
        talker.from = from[0];
        wait_for_line(&talker);
        return talker;
}

UNUSED static void ask(struct talker *talker)
{
        if (write(talker->to, "x", 1) == 1)
                wait_for_line(talker);
}

UNUSED static void end_talker(struct talker *talker)
{
        close(talker->to);
        close(talker->from);
        waitpid(talker->pid, NULL, 0);
}

#endif
