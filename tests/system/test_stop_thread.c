/* SPDX-License-Identifier: BSD-3-Clause */
/* The stop engine without the rest of wperf: the guardian's samples, and what is kept of the ring's. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os.h"
#include "stands.h"
#include "stop_engine_internal.h"
#include "stop_python.h"
#include "tap.h"

enum { ID = 77, HZ = 999, WORK_MS = 200, PERIOD = 1000000000 / HZ };

struct seen {
        int32_t pid, tids[2];
        unsigned n, n_of_tid[2], n_right, n_marks, n_own_marks, n_still, n_cpus;
        long n_switches; /* of the thread that waits for the program */
        uint64_t before_ns;
};

static const struct stands_mark *find_mark(const struct cursor *stack)
{
        for (const uint8_t *at = stack->at; at + sizeof(struct stands_mark) <= stack->end; at += 8) {
                const struct stands_mark *mark = (const void *)at;

                if (mark->magic == STANDS_MAGIC)
                        return mark;
        }
        return NULL;
}

static const struct perf_attr clock_attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_attr),
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period_or_freq = HZ,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
                       PERF_SAMPLE_STACK_USER,
        .flags = PERF_ATTR_FREQ | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV | PERF_ATTR_USE_CLOCKID,
        .sample_stack_user = 8192,
        .clockid = PERF_CLOCK_MONOTONIC,
};

static bool is_right(const struct perf_attr *attr, const struct sample *sample, int32_t pid)
{
        const struct arch *arch = linux_arch();
        struct cursor regs = sample->regs_user;
        uint64_t ip = 0;

        for (unsigned i = 0; i <= arch->reg_ip; i++) {
                if (attr->sample_regs_user >> i & 1)
                        ip = cursor_u64(&regs);
        }
        return !regs.failed && sample->ip == ip && sample->pid == pid && sample->id == ID &&
               sample->period == PERIOD && sample->misc == PERF_MISC_USER && sample->n_chain == 0 &&
               sample->regs_user_abi == PERF_SAMPLE_REGS_ABI_64 && sample->stack_is_whole &&
               cursor_left(&sample->stack_user) >= sizeof(struct stands_mark);
}

/* The registers and the stack were read one after the other, so they differ if the thread ran in between. */
static bool has_stood(const struct perf_attr *attr, const struct sample *sample,
                      const struct stands_mark *mark)
{
        struct cursor regs = sample->regs_user;
        uint64_t counter = 0;

        for (unsigned i = 0; i <= STANDS_REG_NUMBER; i++) {
                if (attr->sample_regs_user >> i & 1)
                        counter = cursor_u64(&regs);
        }
        return counter == mark->counter || counter == mark->counter + 1;
}

static void see_sample(struct seen *seen, const struct perf_attr *attr, const struct sample *sample)
{
        const struct stands_mark *mark = find_mark(&sample->stack_user);

        seen->n++;
        seen->n_right += is_right(attr, sample, seen->pid) && sample->time >= seen->before_ns;
        seen->before_ns = sample->time;
        seen->n_cpus += sample->cpu != UINT32_MAX;
        for (unsigned i = 0; i < 2; i++) {
                seen->tids[i] = seen->tids[i] ? seen->tids[i] : sample->tid;
                if (seen->tids[i] != sample->tid)
                        continue;
                seen->n_of_tid[i]++;
                break;
        }
        seen->n_marks += mark != NULL;
        seen->n_still += mark && has_stood(attr, sample, mark);
        seen->n_own_marks += mark && mark->pid == sample->pid && mark->tid == sample->tid;
}

static void take(struct stop_engine *engine, const struct perf_attr *attr, struct seen *seen)
{
        const uint8_t *record;
        size_t n;

        stop_engine_take(engine);
        while ((record = stop_engine_next(engine, &n)) != NULL) {
                struct cursor all = cursor_make(record, n), bytes;
                struct perf_header header;
                struct sample sample;

                EXPECT_TRUE(record_next(&all, &header, &bytes) && sample_parse(attr, bytes, &sample));
                see_sample(seen, attr, &sample);
        }
}

/* Runs the program to its end; false if the kernel does not allow it. */
static bool run(struct stop_engine *engine, const struct opened_event *event, struct stop_python *python,
                struct seen *seen, struct child *child, struct err *err)
{
        static const char *const argv[] = {STANDS, "200", NULL};
        const struct spawned_command command = {.argv = (char *const *)argv, .output_to_stderr = true};
        const struct spawn_parent parent = stop_engine_parent(engine);
        struct rusage before, after;

        if (!spawn_prepare(child, &command, &parent, err) ||
            !stop_engine_begin(engine, event, true, python, err))
                return false;
        seen->pid = child->pid;
        spawn_go(child, argv[0], NULL);
        getrusage(RUSAGE_THREAD, &before);
        poll(&(struct pollfd){.fd = child->pid_fd, .events = POLLIN}, 1, 30000);
        getrusage(RUSAGE_THREAD, &after);
        seen->n_switches = after.ru_nvcsw - before.ru_nvcsw;
        spawn_reap(child, true);
        stop_engine_end(engine, child);
        take(engine, &event->attr, seen);
        return true;
}

static double user_seconds(const struct child *child)
{
        return (double)child->usage.ru_utime.tv_sec + (double)child->usage.ru_utime.tv_usec / 1e6;
}

TEST(threads_that_stand)
{
        struct opened_event event = {.attr = clock_attr, .ids = (uint64_t[]){ID}, .n_ids = 1};
        AUTO(stop_python) python = stop_python_new();
        AUTO(stop_engine) engine = stop_engine_new(NULL);
        struct child child = {0};
        struct seen seen = {0};
        struct err err = {0};
        bool ok;

        event.attr.sample_regs_user = linux_arch()->regs_user_mask;
        EXPECT_TRUE(stop_engine_serves(&event.attr));
        ok = run(engine, &event, python, &seen, &child, &err);
        stop_engine_end(engine, &child);
        EXPECT_TRUE(!ok || spawn_exit_status(&child) == 7);
        if (!ok) {
                spawn_release(&child);
                SKIP(err.text);
        }
        /* As many samples as the time in user mode has, less a third for what is late or estimated; of both
         * threads, and most of them in the threads' work. */
        printf("# %u samples, the CPU is known of %u, %u marks, %u as the register\n", seen.n, seen.n_cpus,
               seen.n_marks, seen.n_still);
        EXPECT_CMP(seen.n, >, user_seconds(&child) * HZ * 2 / 3 - 10);
        EXPECT_TRUE(seen.n_of_tid[0] > seen.n / 4 && seen.n_of_tid[1] > seen.n / 4);
        EXPECT_CMP(seen.n_marks, >, seen.n / 2);
        EXPECT_INT(seen.n_own_marks, seen.n_marks);
        /* All but those in a function that the work calls, which uses the register. */
        EXPECT_CMP(seen.n_still, >, seen.n_marks - seen.n_marks / 20);
        /* Stops wake the guardian alone. */
        EXPECT_CMP(seen.n_switches, <, WORK_MS / 4);
        EXPECT_INT(seen.n_right, seen.n);
        EXPECT_INT(stop_engine_counts(engine).n_stops, seen.n);
        EXPECT_INT(stop_engine_counts(engine).n_lost, 0);
        spawn_release(&child);
}

/* The process between is killed: nobody tells the exit status, and nobody waits for ever. */
TEST(a_guardian_that_is_killed)
{
        static const char *const argv[] = {STANDS, "20", NULL};
        const struct spawned_command command = {.argv = (char *const *)argv, .output_to_stderr = true};
        AUTO(stop_engine) engine = stop_engine_new(NULL);
        const struct spawn_parent parent = stop_engine_parent(engine);
        struct child child = {0};

        EXPECT_TRUE(spawn_prepare(&child, &command, &parent, NULL));
        spawn_go(&child, argv[0], NULL);
        kill(child.parent, SIGKILL);
        EXPECT_TRUE(spawn_reap(&child, true));
        EXPECT_TRUE(child.status_unknown);
        EXPECT_INT(spawn_exit_status(&child), 125);
        stop_engine_end(engine, &child);
        spawn_release(&child);
}

TEST(events_that_stops_cannot_serve)
{
        struct perf_attr attr = clock_attr;

        attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
        EXPECT_TRUE(!stop_engine_serves(&attr));
        attr = clock_attr;
        attr.flags |= PERF_ATTR_EXCLUDE_USER;
        EXPECT_TRUE(!stop_engine_serves(&attr));
        attr = clock_attr;
        attr.sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
        EXPECT_TRUE(!stop_engine_serves(&attr));
}

/* The ring's samples of a thread are kept in the times in which it does not stop. */
TEST(times_in_which_a_thread_does_not_stop)
{
        struct stop_engine engine = {.socket = -1};
        int32_t tid = 5;

        EXPECT_TRUE(!stop_seen_keeps(&engine, tid, 1000)); /* nobody knows it */
        stop_seen_begin(&engine, tid);
        EXPECT_TRUE(!stop_seen_keeps(&engine, tid, 1000));
        stop_seen_keep(&engine, tid, 2000);
        EXPECT_TRUE(!stop_seen_keeps(&engine, tid, 1999));
        EXPECT_TRUE(stop_seen_keeps(&engine, tid, 2000));
        EXPECT_TRUE(stop_seen_keeps(&engine, tid, UINT64_MAX - 1));
        stop_seen_keep_end(&engine, tid, 3000);
        EXPECT_TRUE(stop_seen_keeps(&engine, tid, 2999));
        EXPECT_TRUE(!stop_seen_keeps(&engine, tid, 3000));
        stop_seen_end(&engine, tid, 4000); /* the ring may still hold samples of that time */
        EXPECT_TRUE(stop_seen_keeps(&engine, tid, 2999));
        stop_seen_begin(&engine, tid);
        EXPECT_TRUE(!stop_seen_keeps(&engine, tid, 2999));
        stop_seen_release(&engine);
}

/* What is known of threads that have ended is forgotten after some seconds. */
TEST(threads_that_ended_long_ago)
{
        enum { N = 1000 };
        struct stop_engine engine = {.socket = -1};

        for (int32_t tid = 1; tid <= N; tid++) {
                stop_seen_begin(&engine, tid);
                stop_seen_keep(&engine, tid, 1);
                stop_seen_keep_end(&engine, tid, UINT64_MAX);
                if (tid > 1)
                        stop_seen_end(&engine, tid, STOP_RING_NS + 1000);
        }
        EXPECT_INT(engine.seen.n_used, N);
        stop_seen_end(&engine, N, 2 * STOP_RING_NS + 2000);
        EXPECT_INT(engine.seen.n_used, 2); /* the first runs, the last has just ended */
        EXPECT_TRUE(stop_seen_keeps(&engine, 1, 5) && stop_seen_keeps(&engine, N, 5));
        EXPECT_TRUE(!stop_seen_keeps(&engine, 2, 5));
        stop_seen_release(&engine);
}

/* A thread that the ring samples and that does not stop is told to the guardian, at most once in 0.1 s. */
TEST(a_thread_that_never_stops)
{
        struct stop_engine engine = {.stacks = NULL};
        struct stop_command command = {0};
        int sockets[2];

        EXPECT_TRUE(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
        engine.socket = sockets[0];
        stop_seen_begin(&engine, 5);
        for (int i = 0; i < 8; i++)
                EXPECT_TRUE(!stop_seen_keeps(&engine, 5, 1000000000 + (uint64_t)i));
        EXPECT_INT(recv(sockets[1], &command, sizeof(command), MSG_DONTWAIT), -1);
        for (int i = 0; i < 100; i++)
                stop_seen_keeps(&engine, 5, 1000001000 + (uint64_t)i);
        EXPECT_INT(recv(sockets[1], &command, sizeof(command), MSG_DONTWAIT), sizeof(command));
        EXPECT_TRUE(command.kind == STOP_CHECK && command.value == 5);
        EXPECT_INT(recv(sockets[1], &command, sizeof(command), MSG_DONTWAIT), -1);
        /* One that does stop. */
        for (int i = 0; i < 100; i++) {
                stop_seen_stop(&engine, 5, 2000000000 + (uint64_t)i);
                stop_seen_keeps(&engine, 5, 2000000000 + (uint64_t)i);
        }
        EXPECT_INT(recv(sockets[1], &command, sizeof(command), MSG_DONTWAIT), -1);
        close(sockets[0]);
        close(sockets[1]);
        stop_seen_release(&engine);
}

TAP_MAIN
