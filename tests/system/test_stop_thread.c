/* SPDX-License-Identifier: BSD-3-Clause */
/* The stop engine without the rest of wperf: the data that can be read from a thread at its sample, and the samples. */
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os.h"
#include "stands.h"
#include "stop_internal.h"
#include "tap.h"

enum { ID = 77, HZ = 999, WORK_MS = 200, PERIOD = 1000000000 / HZ };

struct seen {
        struct stop_thread last;
        int32_t tids[2];
        unsigned n, n_of_tid[2], n_marks, n_still, n_right;
        unsigned n_ends;
        uint32_t ended_image;
        long n_switches; /* of the thread that waits for the program */
};

static const struct stands_mark *find_mark(const struct stop_thread *thread)
{
        for (size_t at = 0; at + sizeof(struct stands_mark) <= thread->stack_bytes; at += 8) {
                const struct stands_mark *mark = (const void *)(thread->stack + at);

                if (mark->magic == STANDS_MAGIC)
                        return mark;
        }
        return NULL;
}

/* The counter does not change while the thread is stopped. */
static void see_mark(struct seen *seen, const struct stop_thread *thread, const struct stands_mark *mark)
{
        const struct timespec a_while = {.tv_nsec = 200000};
        uint64_t addr = (uint64_t)(uintptr_t)mark->counter, before, after, copied;

        seen->n_marks++;
        seen->n_right += mark->pid == thread->pid && mark->tid == thread->tid && mark->tls == thread->tls;
        if (stop_thread_read(thread, addr, &before, sizeof(before)) != sizeof(before))
                return;
        if (seen->n_marks % 16 == 0)
                nanosleep(&a_while, NULL);
        stop_thread_read(thread, addr, &after, sizeof(after));
        seen->n_still +=
                after == before &&
                stop_thread_read(thread, thread->stack_addr, &copied, sizeof(copied)) == sizeof(copied) &&
                !memcmp(&copied, thread->stack, sizeof(copied));
}

static void on_stop(void *ctx, const struct stop_thread *thread)
{
        struct seen *seen = ctx;
        const struct stands_mark *mark = find_mark(thread);

        seen->n++;
        for (unsigned i = 0; i < 2; i++) {
                seen->tids[i] = seen->tids[i] ? seen->tids[i] : thread->tid;
                if (seen->tids[i] != thread->tid)
                        continue;
                seen->n_of_tid[i]++;
                break;
        }
        if (mark)
                see_mark(seen, thread, mark);
        seen->last = *thread;
}

static void on_end(void *ctx, uint32_t image)
{
        struct seen *seen = ctx;

        seen->n_ends++;
        seen->ended_image = image;
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
               cursor_left(&sample->stack_user) >= sizeof(struct stands_mark) && sample->time;
}

/* Runs the program to its end; NULL if the kernel does not allow it. */
static struct stop_engine *run(const struct opened_event *event, struct seen *seen, struct child *child,
                               struct err *err)
{
        static const char *const argv[] = {STANDS, "200", NULL};
        const struct spawned_command command = {.argv = (char *const *)argv, .output_to_stderr = true};
        struct stop_engine *engine;
        struct rusage before, after;

        if (!spawn_prepare(child, &command, NULL, err))
                return NULL;
        engine = stop_engine_open(&(struct stop_request){event, child, true, on_stop, on_end, seen}, err);
        if (!engine) {
                spawn_release(child);
                return NULL;
        }
        spawn_go(child, argv[0], NULL);
        getrusage(RUSAGE_THREAD, &before);
        poll(&(struct pollfd){.fd = child->pid_fd, .events = POLLIN}, 1, 30000);
        getrusage(RUSAGE_THREAD, &after);
        seen->n_switches = after.ru_nvcsw - before.ru_nvcsw;
        while (!stop_engine_reap(engine, child))
                sched_yield();
        stop_engine_end(engine, child);
        return engine;
}

static void check_samples(struct stop_engine *engine, const struct perf_attr *attr, const struct seen *seen)
{
        AUTO_RELEASE(buf) records = {0};
        struct cursor all, record;
        struct perf_header header;
        unsigned n = 0, n_right = 0, n_cpus = 0;
        uint64_t before_ns = 0;

        stop_engine_take(engine, &records);
        all = cursor_make(records.data, records.len);
        while (record_next(&all, &header, &record)) {
                struct sample sample;

                EXPECT_TRUE(sample_parse(attr, record, &sample));
                n++;
                n_right += is_right(attr, &sample, seen->last.pid) && sample.time >= before_ns;
                n_cpus += sample.cpu != UINT32_MAX;
                before_ns = sample.time;
        }
        EXPECT_INT(n, seen->n);
        EXPECT_INT(n_right, n);
        EXPECT_INT(before_ns, seen->last.time_ns);
        printf("# %u samples, the CPU is known of %u\n", n, n_cpus);
        EXPECT_INT(stop_engine_counts(engine).n_stops, n);
}

static double user_seconds(const struct child *child)
{
        return (double)child->usage.ru_utime.tv_sec + (double)child->usage.ru_utime.tv_usec / 1e6;
}

TEST(threads_that_stand)
{
        struct opened_event event = {.attr = clock_attr, .ids = (uint64_t[]){ID}, .n_ids = 1};
        AUTO(stop_engine) engine = NULL;
        struct child child = {0};
        struct seen seen = {0};
        struct err err = {0};

        event.attr.sample_regs_user = linux_arch()->regs_user_mask;
        EXPECT_TRUE(stop_engine_serves(&event.attr));
        engine = run(&event, &seen, &child, &err);
        if (!engine)
                SKIP(err.text);
        EXPECT_INT(spawn_exit_status(&child), 7);
        /* As many samples as the time in user mode has, less a third for what is late or estimated; of both threads,
         * and most of them in the threads' work. */
        EXPECT_TRUE(seen.n > user_seconds(&child) * HZ * 2 / 3 - 10);
        EXPECT_TRUE(seen.n_of_tid[0] > seen.n / 4 && seen.n_of_tid[1] > seen.n / 4);
        EXPECT_TRUE(seen.n_marks > seen.n / 2);
        EXPECT_TRUE(seen.n_ends && seen.ended_image == seen.last.image);
        EXPECT_INT(seen.n_right, seen.n_marks);
        EXPECT_INT(seen.n_still, seen.n_marks);
        /* Stops wake the tracer alone. */
        EXPECT_TRUE(seen.n_switches < WORK_MS / 4);
        EXPECT_INT(seen.last.image, 2); /* the image after the command's own, which waits to begin */
        check_samples(engine, &event.attr, &seen);
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

TEST(a_thread_that_never_stops)
{
        struct stop_engine engine = {.lock = os_lock_new()};
        int32_t tid = (int32_t)syscall(SYS_gettid);
        unsigned n_dropped = 0;

        EXPECT_TRUE(!stop_seen_keeps(&engine, tid, 1000)); /* nobody knows it */
        stop_seen_begin(&engine, tid);
        while (n_dropped < 100 && !stop_seen_keeps(&engine, tid, 1000 + n_dropped))
                n_dropped++;
        EXPECT_TRUE(n_dropped > 0 && n_dropped < 10);
        EXPECT_INT(engine.counts.n_not_opened, 1);
        EXPECT_INT(engine.counts.n_blocking, 0);
        /* One that does stop. */
        stop_seen_begin(&engine, tid);
        EXPECT_TRUE(stop_seen_stop(&engine, tid, 2000));
        for (unsigned i = 0; i < 100; i++)
                EXPECT_TRUE(!stop_seen_keeps(&engine, tid, 2000 + i));
        stop_seen_release(&engine);
        os_lock_free(engine.lock);
}

/* At most 64 MiB of stacks that wait for the unwinder are kept. */
TEST(more_large_stacks_than_are_kept)
{
        enum { N = 70, N_KEPT = 64, MIB = 1 << 20 };
        struct stop_engine engine = {.lock = os_lock_new()};
        struct stop_thread thread = {.tid = 5};
        unsigned n_kept = 0;

        for (thread.time_ns = 0; thread.time_ns < N; thread.time_ns++)
                n_kept += !stop_stack_new(&engine, &thread, MIB)->copy.is_left_out;
        EXPECT_INT(n_kept, N_KEPT);
        for (uint64_t time_ns = 0; time_ns < N; time_ns++) {
                struct deep_stack stack = {0};

                EXPECT_TRUE(stop_engine_take_stack(&engine, 5, time_ns, &stack));
                EXPECT_TRUE(stack.is_left_out == (time_ns >= N_KEPT));
                buf_release(&stack.bytes);
        }
        EXPECT_TRUE(!stop_stack_new(&engine, &thread, MIB)->copy.is_left_out); /* there is room again */
        stop_stack_release(&engine);
        os_lock_free(engine.lock);
}

TAP_MAIN
