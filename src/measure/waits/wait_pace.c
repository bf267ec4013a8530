/* SPDX-License-Identifier: BSD-3-Clause */
/* A pass looks at each thread: it is read if it waits and has been switched since its last reading. */
#include "wait_pace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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
        COST_SHARE = 50,          /* the thread runs for one part in so many of its time; */
        LIVE_COST_SHARE = 125,    /* for a live view of the machine, which has more to do */
        TASKS_SHARE = 100,        /* the same for the tasks of a loop alone */
        TASKS_MOST_NS = 20000000, /* of what reading them took, counts: more is time without a CPU */
        PASSES_TO_PAY = 8,
        LIVE_PASSES_TO_PAY = 2,      /* such passes take long, and would take too much for minutes */
        LIST_NS = 200000000,         /* between two lists of the processes */
        PROCESS_AGE_NS = 1000000000, /* how old what is known of a process may be */
        MOST_MET_NS = 200000,   /* that reading a system call may take: else the thread may have gone on */
        FORGET_THREADS = 4096,  /* that have ended, at least, before they are forgotten */
        MAX_READINGS = 1 << 18, /* that were not taken */
        MAX_WAITING_BYTES = 64 << 20, /* the same for samples */
};

/* Between two readings of a wait that goes on, if readings are taken. */
#define AGAIN_NS 10000000000ull

/* And between two readings of any thread: records are sorted by time, so those of a program in which nothing
 * happens come out when others follow. */
#define FOLLOW_NS 150000000ull

/* A thread as it was looked at last. */
struct looked_thread {
        uint64_t n_switches;     /* at its last reading; UINT64_MAX: it was not read */
        uint64_t looked_ns;      /* 0: never before */
        uint64_t read_ns;        /* when it was read */
        uint64_t tasks_ns;       /* its tasks are not read again before this time */
        bool lacks_tasks;        /* its last reading was before that */
        struct wait_times times; /* at the last look */
        int32_t pid;
        bool has_ended; /* its end was recorded */
};

struct wait_pace {
        struct wait_pace_request request;
        int32_t *except; /* children that ran when it began, which are not measured, and their parents */
        size_t n_except;
        struct own_thread *thread;
        volatile bool quits;
        struct wait_reader *reader;
        struct wait_tasks *tasks;
        struct map threads; /* tid to struct looked_thread * */
        uint64_t passed_ns, between_ns, listed_ns;
        bool is_second; /* a pass has been made */
        uint64_t random;
        uint64_t debt_ns; /* to wait because of what the passes have cost */
        int32_t *pids;    /* that have not ended */
        size_t n_pids;
        size_t n_looked; /* threads in this pass */
        uint64_t n_left_out;
        uint64_t read_ns;     /* when a thread was read last */
        struct os_lock *lock; /* for: */
        struct buf records;
        struct wait_pace_readings readings; /* of them, and of those that were taken */
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

static void forget_threads(struct wait_pace *p)
{
        map_each(&p->threads, free_thread, NULL);
        map_release(&p->threads);
}

/* Moves threads that were looked at since `ns` to a new map. */
struct kept_threads {
        uint64_t ns;
        struct map threads;
};

static void keep_thread(void *ctx, uint64_t tid, uint64_t *thread)
{
        struct kept_threads *kept = ctx;

        if (((struct looked_thread *)(uintptr_t)*thread)->looked_ns < kept->ns)
                free_thread(NULL, tid, thread);
        else
                *map_put(&kept->threads, tid, NULL) = *thread;
}

static void forget_ended(struct wait_pace *p, uint64_t passed_ns)
{
        struct kept_threads kept = {.ns = passed_ns};

        map_each(&p->threads, keep_thread, &kept);
        map_release(&p->threads);
        p->threads = kept.threads;
}

/* False if there is no room. */
static bool add_reading(struct wait_pace *p, const struct wait_reading *reading,
                        const struct wait_registers *registers)
{
        struct deep_stack stack;
        size_t bytes;
        bool has_room;

        wait_reader_take_stack(p->reader, &stack);
        bytes = stack.bytes.len < WAIT_RECORD_MAX_STACK ? stack.bytes.len : WAIT_RECORD_MAX_STACK;
        os_lock_enter(p->lock);
        has_room = p->records.len < MAX_WAITING_BYTES && p->readings.n < MAX_READINGS;
        if (has_room) {
                wait_record_add(reading, registers, stack.bytes.data, bytes,
                                stack.is_whole && bytes == stack.bytes.len, &p->records);
                ARRAY_PUSH(p->readings.items, p->readings.n, p->readings.cap, *reading);
                p->readings.items[p->readings.n - 1].text =
                        arena_copy(&p->readings.texts, reading->text, strlen(reading->text));
        }
        os_lock_leave(p->lock);
        buf_release(&stack.bytes);
        return has_room;
}

/* Whether the wait that was read is the one that was met, or another one at the same place of the program. */
static bool is_as_met(const struct wait_reading *reading, const struct wait_registers *registers,
                      const struct wait_thread *met)
{
        if (reading->how != WAIT_HOW_STILL)
                return false;
        return reading->n_switches == met->n_switches ||
               (reading->number == met->number && registers->values[linux_arch()->reg_ip] == met->pc &&
                registers->values[linux_arch()->reg_sp] == met->sp);
}

/* Loops may have thousands of tasks. */
static void plan_tasks(struct wait_pace *p, struct looked_thread *thread)
{
        uint64_t took_ns;

        if (!wait_tasks_of_thread(p->tasks, &took_ns))
                return;
        took_ns = took_ns < TASKS_MOST_NS ? took_ns : TASKS_MOST_NS;
        thread->tasks_ns = os_monotonic_ns() + took_ns * TASKS_SHARE;
}

/* A wait that ended meanwhile counts as well, without stack: otherwise kinds of short waits had too little
 * time. */
static void read_thread(struct wait_pace *p, int32_t tid, struct looked_thread *thread,
                        const struct wait_thread *met, uint64_t look_ns)
{
        struct wait_registers registers;
        struct wait_reading reading;

        wait_reader_begin(p->reader, thread->pid, PROCESS_AGE_NS);
        thread->lacks_tasks = thread->looked_ns < thread->tasks_ns;
        wait_tasks_leave_out(p->tasks, thread->lacks_tasks);
        if (!wait_reader_read_met(p->reader, tid, met, &reading, &registers) ||
            reading.how == WAIT_HOW_REFUSED)
                return;
        if (!is_as_met(&reading, &registers, met))
                wait_reader_met(p->reader, tid, met, &reading, &registers);
        else
                plan_tasks(p, thread);
        thread->n_switches = reading.n_switches;
        thread->read_ns = p->read_ns = thread->looked_ns;
        reading.look_ns = look_ns;
        if (thread->lacks_tasks || (reading.how == WAIT_HOW_MOVING && thread->tasks_ns))
                reading.python |= WAIT_PYTHON_TASKS;
        p->n_left_out += !add_reading(p, &reading, &registers);
}

/* Not since its last switch, or not with its tasks, or long ago. */
static bool is_to_read(const struct wait_pace *p, const struct looked_thread *thread,
                       const struct wait_thread *now)
{
        if (now->is_running || now->is_refused)
                return false;
        /* also if it still waits: else short waits would be left out more often than long ones */
        if (now->after_ns - now->before_ns > MOST_MET_NS)
                return false;
        return now->n_switches != thread->n_switches ||
               (p->request.is_live && (thread->looked_ns - thread->read_ns >= AGAIN_NS ||
                                       thread->looked_ns - p->read_ns >= FOLLOW_NS)) ||
               (thread->lacks_tasks && thread->looked_ns >= thread->tasks_ns);
}

/* --- Switches --- */

static void add_switches(struct wait_pace *p, int32_t pid, int32_t tid, uint64_t before_ns, uint64_t now_ns,
                         uint64_t cpu_ns, uint64_t queued_ns)
{
        uint64_t ns = now_ns - before_ns;

        cpu_ns = cpu_ns < ns ? cpu_ns : ns;
        queued_ns = queued_ns < ns - cpu_ns ? queued_ns : ns - cpu_ns;
        os_lock_enter(p->lock);
        if (queued_ns) {
                wait_record_add_switch(pid, tid, now_ns - queued_ns - cpu_ns, WAIT_SWITCH_IN, &p->records);
                wait_record_add_switch(pid, tid, now_ns - queued_ns - cpu_ns, WAIT_SWITCH_PREEMPTED,
                                       &p->records);
        }
        wait_record_add_switch(pid, tid, now_ns - cpu_ns, WAIT_SWITCH_IN, &p->records);
        wait_record_add_switch(pid, tid, now_ns, WAIT_SWITCH_OUT, &p->records);
        os_lock_leave(p->lock);
}

/* Threads of a process that ran before begin with the first look; those that begin later, after the pass
 * before. */
static void see_times(struct wait_pace *p, int32_t pid, int32_t tid, struct looked_thread *thread,
                      uint64_t before_ns, uint64_t now_ns)
{
        struct wait_times now;

        if (!wait_thread_read_times(pid, tid, &now))
                return;
        if (!before_ns && !p->request.is_command && !p->is_second)
                add_switches(p, pid, tid, now_ns, now_ns, 0, 0);
        else if (now.cpu_ns > thread->times.cpu_ns || !before_ns)
                add_switches(p, pid, tid, before_ns ? before_ns : now_ns - p->between_ns, now_ns,
                             now.cpu_ns - thread->times.cpu_ns, now.queued_ns - thread->times.queued_ns);
        thread->times = now;
}

/* Ends of processes are recorded by who traces them. */
static void add_end(void *ctx, uint64_t tid, uint64_t *slot)
{
        struct wait_pace *p = ctx;
        struct looked_thread *thread = (struct looked_thread *)(uintptr_t)*slot;

        if (thread->looked_ns >= p->passed_ns || thread->has_ended || thread->pid == (int32_t)tid)
                return;
        thread->has_ended = true;
        os_lock_enter(p->lock);
        wait_record_add_exit(thread->pid, (int32_t)tid, thread->looked_ns, &p->records);
        os_lock_leave(p->lock);
}

/* Whether the number was another thread's: of another process, or one that had ended before the last pass. */
static bool is_another(const struct wait_pace *p, const struct looked_thread *thread, int32_t pid)
{
        return thread->looked_ns && (thread->pid != pid || thread->looked_ns < p->passed_ns - p->between_ns);
}

/* The new thread began after the pass before. */
static void begin_again(struct wait_pace *p, struct looked_thread *thread, int32_t pid, int32_t tid,
                        uint64_t now_ns)
{
        const struct looked_thread before = *thread;
        uint64_t begin_ns = now_ns - p->between_ns;

        *thread = (struct looked_thread){.n_switches = UINT64_MAX};
        if (!p->request.adds_switches)
                return;
        os_lock_enter(p->lock);
        if (!before.has_ended && before.pid != tid)
                wait_record_add_exit(before.pid, tid, before.looked_ns, &p->records);
        wait_record_add_fork(pid, tid, begin_ns > before.looked_ns ? begin_ns : before.looked_ns,
                             &p->records);
        os_lock_leave(p->lock);
}

static void look_at(struct wait_pace *p, int32_t pid, int32_t tid)
{
        struct looked_thread *thread = get_thread(p, tid);
        uint64_t now_ns = os_monotonic_ns(), before_ns;
        struct wait_thread now;

        if (is_another(p, thread, pid))
                begin_again(p, thread, pid, tid, now_ns);
        before_ns = thread->looked_ns;
        thread->looked_ns = now_ns;
        thread->has_ended = false;
        thread->pid = pid;
        if (p->request.adds_switches)
                see_times(p, pid, tid, thread, before_ns, now_ns);
        if (wait_thread_read(pid, tid, &now) && is_to_read(p, thread, &now))
                read_thread(p, tid, thread, &now, before_ns ? now_ns - before_ns : p->between_ns);
}

/* False if it has ended. */
static bool look_at_process(struct wait_pace *p, int32_t pid)
{
        int32_t *tids = NULL;
        size_t n = 0;

        if (!proc_threads(pid, &tids, &n))
                return false;
        p->n_looked += n;
        /* Most processes of a machine sleep. What is known of the others is renewed before their threads are
         * looked at, because a wait that was met may end meanwhile. */
        if (wait_reader_is_used(p->reader, pid, PROCESS_AGE_NS))
                wait_reader_begin(p->reader, pid, PROCESS_AGE_NS);
        for (size_t i = 0; i < n && !p->quits; i++)
                look_at(p, pid, tids[i]);
        free(tids);
        return true;
}

/* --- Passes --- */

static void add_new(struct wait_pace *p, const int32_t *pids, size_t n)
{
        struct map known = {0};
        size_t cap = p->n_pids;

        for (size_t i = 0; i < p->n_pids; i++)
                *map_put(&known, (uint64_t)p->pids[i], NULL) = 1;
        for (size_t i = 0; i < n; i++) {
                if (map_find(&known, (uint64_t)pids[i]))
                        continue;
                if (!p->request.cgroup || cgroup_has(p->request.cgroup, pids[i]))
                        ARRAY_PUSH(p->pids, p->n_pids, cap, pids[i]);
        }
        map_release(&known);
}

static void list_processes(struct wait_pace *p)
{
        int32_t *found = NULL;
        size_t n = 0;

        p->listed_ns = os_monotonic_ns();
        if (p->request.all && target_find_readable(&found, &n, NULL))
                add_new(p, found, n);
        else if (!p->request.all)
                target_add_children(&p->pids, &p->n_pids, p->except, p->n_except);
        free(found);
}

static void pass(struct wait_pace *p)
{
        uint64_t now_ns = os_monotonic_ns();
        size_t n = 0;

        p->is_second = p->passed_ns;
        p->between_ns = p->is_second ? now_ns - p->passed_ns : WAIT_PACE_NS;
        p->passed_ns = now_ns;
        if (!p->listed_ns || now_ns - p->listed_ns > LIST_NS)
                list_processes(p);
        if (p->threads.n_used > 2 * p->n_looked + FORGET_THREADS)
                forget_ended(p, now_ns - p->between_ns);
        p->n_looked = 0;
        for (size_t i = 0; i < p->n_pids && !p->quits; i++) {
                if (look_at_process(p, p->pids[i]))
                        p->pids[n++] = p->pids[i];
                else
                        wait_reader_forget(p->reader, p->pids[i]);
        }
        p->n_pids = n;
        if (p->request.adds_switches && !p->quits)
                map_each(&p->threads, add_end, p);
}

/* Evenly between half the pace and one and a half, so that it does not fall into step with a program. What a
 * pass costs is paid over several ones, so that one that is dear leaves no long gap. */
static uint64_t next_wait_ns(struct wait_pace *p, uint64_t cost_ns)
{
        bool is_machine = p->request.is_live && p->request.all;
        uint64_t wait_ns;

        p->random = p->random * 6364136223846793005ull + 1442695040888963407ull;
        p->debt_ns += cost_ns * (is_machine ? LIVE_COST_SHARE : COST_SHARE);
        wait_ns = WAIT_PACE_NS / 2 + (p->random >> 33) % WAIT_PACE_NS +
                  p->debt_ns / (is_machine ? LIVE_PASSES_TO_PAY : PASSES_TO_PAY);
        p->debt_ns -= p->debt_ns < wait_ns ? p->debt_ns : wait_ns;
        return wait_ns;
}

static void *run(void *ctx)
{
        struct wait_pace *p = ctx;

        os_name_thread("wperf waits");
        while (!p->quits) {
                uint64_t before_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
                uint64_t cost_ns, end_ns;

                pass(p);
                cost_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
                end_ns = os_monotonic_ns() + next_wait_ns(p, cost_ns);
                for (uint64_t now_ns; !p->quits && (now_ns = os_monotonic_ns()) < end_ns;) {
                        uint64_t left_ns = end_ns - now_ns;
                        struct timespec wait = {
                                .tv_nsec = (long)(left_ns < WAIT_PACE_NS ? left_ns : WAIT_PACE_NS)};

                        nanosleep(&wait, NULL);
                }
        }
        return NULL;
}

/* Children that run already are not measured: the kernel passes events on when a process is started. */
static void begin_processes(struct wait_pace *p)
{
        size_t cap = 0, cap_except = 0;

        if (p->request.all)
                return;
        for (size_t i = 0; i < p->request.n_pids; i++) {
                ARRAY_PUSH(p->pids, p->n_pids, cap, p->request.pids[i]);
                ARRAY_PUSH(p->except, p->n_except, cap_except, p->request.pids[i]);
        }
        target_add_children(&p->except, &p->n_except, NULL, 0);
}

struct wait_pace *wait_pace_begin(const struct wait_pace_request *request)
{
        struct wait_pace *p = mem_new(1, sizeof(*p));

        p->request = *request;
        begin_processes(p);
        p->random = os_monotonic_ns();
        p->lock = os_lock_new();
        p->reader = wait_reader_new(request->python, false);
        p->tasks = wait_tasks_new(stop_python_binaries(request->python), false);
        if (!request->is_live)
                wait_reader_set_tasks(p->reader, p->tasks);
        p->thread = own_thread_start(run, p);
        return p;
}

void wait_pace_end(struct wait_pace *p)
{
        p->quits = true;
        own_thread_join(p->thread);
        p->thread = NULL;
}

void wait_pace_free(struct wait_pace *p)
{
        if (!p)
                return;
        wait_pace_end(p);
        wait_reader_free(p->reader);
        wait_tasks_free(p->tasks);
        forget_threads(p);
        os_lock_free(p->lock);
        buf_release(&p->records);
        wait_pace_readings_release(&p->readings);
        free(p->except);
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

void wait_pace_add_places(struct wait_pace *p, struct python_places *places)
{
        wait_tasks_add_places(p->tasks, places);
}

void wait_pace_take_readings(struct wait_pace *p, struct wait_pace_readings *ret)
{
        os_lock_enter(p->lock);
        *ret = p->readings;
        p->readings = (struct wait_pace_readings){0};
        os_lock_leave(p->lock);
}

void wait_pace_readings_release(struct wait_pace_readings *readings)
{
        free(readings->items);
        arena_release(&readings->texts);
}

struct wait_pace_facts wait_pace_get(const struct wait_pace *p)
{
        return (struct wait_pace_facts){
                .n_left_out = p->n_left_out,
                .tasks = wait_tasks_get(p->tasks),
        };
}
