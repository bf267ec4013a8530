/* SPDX-License-Identifier: BSD-3-Clause */
/* A pass looks at each thread: it is read if it waits and has been switched since its last reading. */
#include "wait_pace.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "linux_events.h"
#include "linux_processes.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "target.h"
#include "wait_reader.h"
#include "wait_record.h"
#include "wait_thread.h"

enum {
        COST_SHARE = 50, /* the thread runs for one part in so many of its time */
        PASSES_TO_PAY = 8,
        LIST_NS = 200000000,         /* between two lists of the processes */
        PROCESS_AGE_NS = 1000000000, /* how old what is known of a process may be */
        MAX_READINGS = 1 << 20,
        MAX_WAITING_BYTES = 64 << 20, /* of samples that were not taken */
};

/* A thread as it was looked at last. */
struct looked_thread {
        uint64_t n_switches; /* at its last reading; UINT64_MAX: it was not read */
        uint64_t looked_ns;  /* 0: never before */
};

struct wait_pace {
        struct wait_pace_request request;
        int32_t *roots;
        pthread_t thread;
        bool has_thread;
        volatile bool quits;
        struct wait_reader *reader;
        struct map threads; /* tid to struct looked_thread * */
        uint64_t passed_ns, between_ns, listed_ns, cpu_ns;
        uint64_t random;
        uint64_t debt_ns; /* to wait because of what the passes have cost */
        int32_t *pids;
        size_t n_pids;
        struct wait_reading *readings;
        size_t n_readings, cap_readings;
        uint64_t n_left_out;
        struct arena texts;
        struct os_lock *lock;
        struct buf records; /* under the lock */
};

/* --- Threads --- */

static struct looked_thread *get_thread(struct wait_pace *p, int32_t tid)
{
        bool is_new;
        uint64_t *slot = map_put(&p->threads, (uint64_t)(uint32_t)tid, &is_new);

        if (is_new) {
                struct looked_thread *thread = mem_new(1, sizeof(*thread));

                thread->n_switches = UINT64_MAX;
                *slot = (uint64_t)(uintptr_t)thread;
        }
        return (struct looked_thread *)(uintptr_t)*slot;
}

static void free_thread(void *ctx, uint64_t tid, uint64_t *thread)
{
        free((struct looked_thread *)(uintptr_t)*thread);
}

static void add_sample(struct wait_pace *p, const struct wait_reading *reading,
                       const struct wait_registers *registers)
{
        struct deep_stack stack;
        size_t bytes;

        wait_reader_take_stack(p->reader, &stack);
        bytes = stack.bytes.len < WAIT_RECORD_MAX_STACK ? stack.bytes.len : WAIT_RECORD_MAX_STACK;
        os_lock_enter(p->lock);
        if (p->records.len < MAX_WAITING_BYTES)
                wait_record_add(reading, registers, stack.bytes.data, bytes,
                                stack.is_whole && bytes == stack.bytes.len, &p->records);
        os_lock_leave(p->lock);
        buf_release(&stack.bytes);
}

static void read_thread(struct wait_pace *p, int32_t tid, struct looked_thread *thread, uint64_t look_ns)
{
        struct wait_registers registers;
        struct wait_reading reading;

        if (!wait_reader_read(p->reader, tid, &reading, &registers) || reading.how != WAIT_HOW_STILL)
                return;
        thread->n_switches = reading.n_switches;
        reading.look_ns = look_ns;
        if (p->n_readings == MAX_READINGS) {
                p->n_left_out++;
                return;
        }
        reading.text = arena_copy(&p->texts, reading.text, strlen(reading.text));
        ARRAY_PUSH(p->readings, p->n_readings, p->cap_readings, reading);
        add_sample(p, &reading, &registers);
}

static void look_at(struct wait_pace *p, int32_t pid, int32_t tid)
{
        struct looked_thread *thread = get_thread(p, tid);
        uint64_t now_ns = os_monotonic_ns(), before_ns = thread->looked_ns;
        struct wait_thread now;

        thread->looked_ns = now_ns;
        if (wait_thread_read(pid, tid, &now) && !now.is_running && !now.is_refused &&
            now.n_switches != thread->n_switches)
                read_thread(p, tid, thread, before_ns ? now_ns - before_ns : p->between_ns);
}

static void look_at_process(struct wait_pace *p, int32_t pid)
{
        int32_t *tids = NULL;
        size_t n = 0;

        if (!proc_threads(pid, &tids, &n))
                return;
        wait_reader_begin(p->reader, pid, PROCESS_AGE_NS);
        for (size_t i = 0; i < n && !p->quits; i++)
                look_at(p, pid, tids[i]);
        free(tids);
}

/* --- Passes --- */

static void list_processes(struct wait_pace *p)
{
        p->listed_ns = os_monotonic_ns();
        free(p->pids);
        p->pids = NULL;
        p->n_pids = 0;
        if (p->request.all) {
                target_find_readable(&p->pids, &p->n_pids, NULL);
                return;
        }
        p->pids = mem_new(p->request.n_pids + 1, sizeof(*p->pids));
        memcpy(p->pids, p->roots, p->request.n_pids * sizeof(*p->pids));
        p->n_pids = p->request.n_pids;
        target_add_children(&p->pids, &p->n_pids);
}

static void pass(struct wait_pace *p)
{
        uint64_t now_ns = os_monotonic_ns();

        p->between_ns = p->passed_ns ? now_ns - p->passed_ns : WAIT_PACE_NS;
        p->passed_ns = now_ns;
        if (!p->listed_ns || now_ns - p->listed_ns > LIST_NS)
                list_processes(p);
        for (size_t i = 0; i < p->n_pids && !p->quits; i++)
                look_at_process(p, p->pids[i]);
}

/* Evenly between half the pace and one and a half, so that it does not fall into step with a program. What a
 * pass costs is paid over several ones, so that one that is dear leaves no long gap. */
static uint64_t next_wait_ns(struct wait_pace *p, uint64_t cost_ns)
{
        uint64_t wait_ns;

        p->random = p->random * 6364136223846793005ull + 1442695040888963407ull;
        p->debt_ns += cost_ns * COST_SHARE;
        wait_ns = WAIT_PACE_NS / 2 + (p->random >> 33) % WAIT_PACE_NS + p->debt_ns / PASSES_TO_PAY;
        p->debt_ns -= p->debt_ns < wait_ns ? p->debt_ns : wait_ns;
        return wait_ns;
}

static void *run(void *ctx)
{
        struct wait_pace *p = ctx;

        os_name_thread("wperf waits");
        while (!p->quits) {
                uint64_t before_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
                uint64_t end_ns;

                pass(p);
                p->cpu_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
                end_ns = os_monotonic_ns() + next_wait_ns(p, p->cpu_ns - before_ns);
                for (uint64_t now_ns; !p->quits && (now_ns = os_monotonic_ns()) < end_ns;) {
                        uint64_t left_ns = end_ns - now_ns;
                        struct timespec wait = {
                                .tv_nsec = (long)(left_ns < WAIT_PACE_NS ? left_ns : WAIT_PACE_NS)};

                        nanosleep(&wait, NULL);
                }
        }
        return NULL;
}

/* Signals that end the run must reach the thread that waits for them. */
struct wait_pace *wait_pace_begin(const struct wait_pace_request *request)
{
        struct wait_pace *p = mem_new(1, sizeof(*p));
        sigset_t all, before;

        p->request = *request;
        p->roots = mem_new(request->n_pids + 1, sizeof(*p->roots));
        memcpy(p->roots, request->pids, request->n_pids * sizeof(*p->roots));
        p->random = os_monotonic_ns();
        p->lock = os_lock_new();
        p->reader = wait_reader_new(request->python, 0);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        p->has_thread = !pthread_create(&p->thread, NULL, run, p);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return p;
}

void wait_pace_end(struct wait_pace *p)
{
        p->quits = true;
        if (p->has_thread)
                pthread_join(p->thread, NULL);
        p->has_thread = false;
}

void wait_pace_free(struct wait_pace *p)
{
        if (!p)
                return;
        wait_pace_end(p);
        wait_reader_free(p->reader);
        map_each(&p->threads, free_thread, NULL);
        map_release(&p->threads);
        os_lock_free(p->lock);
        buf_release(&p->records);
        arena_release(&p->texts);
        free(p->readings);
        free(p->roots);
        free(p->pids);
        free(p);
}

void wait_pace_take(struct wait_pace *p, struct buf *out)
{
        buf_clear(out);
        os_lock_enter(p->lock);
        buf_swap(out, &p->records);
        os_lock_leave(p->lock);
}

struct wait_pace_facts wait_pace_get(const struct wait_pace *p)
{
        return (struct wait_pace_facts){.readings = p->readings,
                                        .n_readings = p->n_readings,
                                        .n_left_out = p->n_left_out,
                                        .cpu_ns = p->cpu_ns};
}
