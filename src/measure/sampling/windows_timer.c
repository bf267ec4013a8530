/* SPDX-License-Identifier: BSD-3-Clause */
/* The timer's thread writes samples into a ring, from which the collector's thread takes them.  A list of
 * threads, behind a lock, is what both change. */
#include "windows_internal.h"

#include <windows.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"

enum { RING_BYTES = 32 << 20, ALIGN = 16 };

/* CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, which older headers do not have. */
enum { HIGH_RESOLUTION = 2 };

/* A sample in the ring, followed by its copy of the stack.  `bytes` is 0 where the ring goes on at its
 * beginning. */
struct timer_slot {
        size_t bytes;
        struct timer_sample sample;
};

struct timer {
        uint64_t interval_ns;
        size_t stack_bytes, slot_bytes; /* the most that a sample can need */
        struct thread_clock clock;
        struct stop_frames *frames; /* NULL: Python frames are not read */
        HANDLE tick;
        struct os_task *task;
        struct os_lock *lock; /* for `threads` */
        struct timer_thread *threads;
        size_t n_threads, cap_threads;
        bool is_on, has_to_end; /* atomic */
        uint8_t *ring;
        uint64_t head, tail; /* atomic; ever growing positions: where the writer and the reader are */
        size_t taken;        /* bytes of the sample that timer_next returned last */
        struct timer_counts counts;
};

static void forget(void *frames, int32_t tid)
{
        stop_frames_forget(frames, tid);
}

struct timer *timer_new(uint64_t interval_ns, size_t stack_bytes, struct stop_python *python, struct err *err)
{
        struct timer *t = mem_new(1, sizeof(*t));

        t->interval_ns = interval_ns;
        t->stack_bytes = stack_bytes;
        if (python) {
                const struct stop_frames_sink sink = {stop_python_add_stack, stop_python_add_code, python};

                t->frames = stop_frames_new(stop_python_binaries(python), &sink);
                stop_python_on_forget(python, forget, t->frames);
        }
        t->slot_bytes = (sizeof(struct timer_slot) + stack_bytes + ALIGN - 1) / ALIGN * ALIGN;
        t->lock = os_lock_new();
        /* Windows before 10, version 1803, has no timer of high resolution. */
        t->tick = CreateWaitableTimerExW(NULL, NULL, HIGH_RESOLUTION, TIMER_ALL_ACCESS);
        if (!t->tick)
                t->tick = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
        t->ring = VirtualAlloc(NULL, RING_BYTES, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
        if (!t->tick || !t->ring) {
                timer_free(t);
                err_set(err, ERR_UNSUPPORTED, "Windows gave no timer or no memory to sample with");
                return NULL;
        }
        thread_clock_init(&t->clock);
        return t;
}

void timer_free(struct timer *t)
{
        if (!t)
                return;
        timer_end(t);
        if (t->tick)
                CloseHandle(t->tick);
        if (t->ring)
                VirtualFree(t->ring, 0, MEM_RELEASE);
        stop_frames_free(t->frames);
        os_lock_free(t->lock);
        free(t->threads);
        free(t);
}

void timer_add(struct timer *t, const struct timer_thread *thread, bool is_new)
{
        struct timer_thread added = *thread;

        added.seen_ns = is_new ? 0 : thread_clock_ns(&t->clock, thread->thread);
        os_lock_enter(t->lock);
        ARRAY_PUSH(t->threads, t->n_threads, t->cap_threads, added);
        os_lock_leave(t->lock);
}

uint64_t timer_remove(struct timer *t, uint32_t tid)
{
        uint64_t seen_ns = 0;

        os_lock_enter(t->lock);
        for (size_t i = 0; i < t->n_threads; i++) {
                if (t->threads[i].tid == tid) {
                        seen_ns = t->threads[i].seen_ns;
                        t->threads[i] = t->threads[--t->n_threads];
                        break;
                }
        }
        os_lock_leave(t->lock);
        return seen_ns;
}

/* --- The ring --- */

/* Room for the largest sample; NULL if there is none. */
static struct timer_slot *reserve(struct timer *t)
{
        uint64_t tail = __atomic_load_n(&t->tail, __ATOMIC_ACQUIRE);
        size_t at = t->head % RING_BYTES, rest = RING_BYTES - at;

        if (rest >= t->slot_bytes)
                return t->head + t->slot_bytes - tail <= RING_BYTES ? (struct timer_slot *)(t->ring + at)
                                                                    : NULL;
        if (t->head + rest + t->slot_bytes - tail > RING_BYTES)
                return NULL;
        ((struct timer_slot *)(t->ring + at))->bytes = 0;
        __atomic_store_n(&t->head, t->head + rest, __ATOMIC_RELEASE);
        return (struct timer_slot *)t->ring;
}

static void commit(struct timer *t, struct timer_slot *slot)
{
        slot->bytes = (sizeof(*slot) + slot->sample.copy.stack_bytes + ALIGN - 1) / ALIGN * ALIGN;
        __atomic_store_n(&t->head, t->head + slot->bytes, __ATOMIC_RELEASE);
}

bool timer_next(struct timer *t, struct timer_sample *ret)
{
        uint64_t head = __atomic_load_n(&t->head, __ATOMIC_ACQUIRE), tail = t->tail + t->taken;
        const struct timer_slot *slot = (const struct timer_slot *)(t->ring + tail % RING_BYTES);

        if (tail != head && !slot->bytes)
                tail += RING_BYTES - tail % RING_BYTES;
        t->taken = 0;
        __atomic_store_n(&t->tail, tail, __ATOMIC_RELEASE);
        if (tail == head)
                return false;
        slot = (const struct timer_slot *)(t->ring + tail % RING_BYTES);
        t->taken = slot->bytes;
        *ret = slot->sample;
        ret->stack = (const uint8_t *)(slot + 1);
        return true;
}

/* --- The timer's thread --- */

/* Copies what disappears when the thread runs again. */
static void see_python(struct timer *t, const struct timer_thread *thread, const struct timer_sample *sample,
                       const uint8_t *stack)
{
        const struct unwind_regs *regs = &sample->copy.regs;
        const struct stop_thread stopped = {
                .pid = (int32_t)sample->pid,
                .tid = (int32_t)sample->tid,
                .image = thread->image,
                .time_ns = sample->time_ns,
                .pc = regs->values[unwind_reg_pc(regs)],
                .tls = sample->tid,
                .process = thread->process,
                .stack_addr = regs->values[unwind_reg_sp(regs)],
                .stack = stack,
                .stack_bytes = sample->copy.stack_bytes,
        };

        stop_frames_see(t->frames, &stopped);
}

static void sample(struct timer *t, const struct timer_thread *thread, uint64_t period_ns)
{
        struct timer_slot *slot = reserve(t);
        uint8_t *stack = (uint8_t *)(slot + 1);
        struct timer_sample *s;

        if (!slot) {
                t->counts.n_lost++;
                return;
        }
        s = &slot->sample;
        *s = (struct timer_sample){.pid = thread->pid, .tid = thread->tid, .cpu = thread->cpu};
        s->time_ns = os_monotonic_ns();
        s->period_ns = period_ns;
        if (!thread_copy_begin(thread->process, thread->thread, thread->stack_end, stack, t->stack_bytes,
                               &s->copy))
                return;
        if (t->frames)
                see_python(t, thread, s, stack);
        thread_copy_end(thread->thread, &s->copy);
        t->counts.n_copies++;
        t->counts.suspended_ns += s->copy.suspended_ns;
        t->counts.period_ns += period_ns;
        if (s->copy.suspended_ns > t->counts.longest_ns)
                t->counts.longest_ns = s->copy.suspended_ns;
        commit(t, slot);
}

/* A process may have a thousand threads that only wait, so those that were idle are looked at less often:
 * after 32 looks, because the clock of a thread that runs may stand still for 16 ticks. */
static void look_at(struct timer *t, struct timer_thread *thread, bool is_on)
{
        enum { IDLE_LOOKS = 32, MOST_SKIPPED = 15 };
        uint64_t cpu_ns;

        if (thread->n_skip) {
                thread->n_skip--;
                return;
        }
        cpu_ns = thread_clock_ns(&t->clock, thread->thread);
        if (cpu_ns <= thread->seen_ns) {
                thread->n_idle += thread->n_idle < IDLE_LOOKS * MOST_SKIPPED;
                thread->n_skip = thread->n_idle / IDLE_LOOKS;
                return;
        }
        thread->n_idle = 0;
        if (is_on)
                sample(t, thread, cpu_ns - thread->seen_ns);
        thread->seen_ns = cpu_ns;
}

static void look_at_threads(struct timer *t)
{
        bool is_on = __atomic_load_n(&t->is_on, __ATOMIC_ACQUIRE);

        os_lock_enter(t->lock);
        for (size_t i = 0; i < t->n_threads; i++)
                look_at(t, &t->threads[i], is_on);
        os_lock_leave(t->lock);
}

static void wait_until(struct timer *t, uint64_t time_ns)
{
        enum { UNIT_NS = 100 };
        uint64_t now_ns = os_monotonic_ns();
        LARGE_INTEGER due;

        if (time_ns <= now_ns)
                return;
        due.QuadPart = -(LONGLONG)((time_ns - now_ns) / UNIT_NS + 1);
        if (SetWaitableTimer(t->tick, &due, 0, NULL, NULL, FALSE))
                WaitForSingleObject(t->tick, INFINITE);
}

/* If looking takes longer than the interval, ticks are left out, so that this thread uses half of a CPU at
 * most. */
static void run_timer(void *ctx)
{
        struct timer *t = ctx;
        uint64_t next_ns = os_monotonic_ns();

        /* Else the threads that it looks at keep it from running at its ticks. */
        SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL);
        while (!__atomic_load_n(&t->has_to_end, __ATOMIC_ACQUIRE)) {
                uint64_t begin_ns, end_ns;

                next_ns += t->interval_ns;
                wait_until(t, next_ns);
                begin_ns = os_monotonic_ns();
                look_at_threads(t);
                end_ns = os_monotonic_ns();
                if (next_ns + t->interval_ns < end_ns + (end_ns - begin_ns))
                        next_ns = end_ns + (end_ns - begin_ns) - t->interval_ns;
        }
}

void timer_begin(struct timer *t, bool is_on)
{
        assert(!t->task);
        t->is_on = is_on;
        t->task = os_task_start(run_timer, t);
}

void timer_switch(struct timer *t, bool is_on)
{
        __atomic_store_n(&t->is_on, is_on, __ATOMIC_RELEASE);
}

void timer_end(struct timer *t)
{
        __atomic_store_n(&t->has_to_end, true, __ATOMIC_RELEASE);
        os_task_join(t->task);
        t->task = NULL;
}

struct timer_counts timer_get_counts(const struct timer *t)
{
        return t->counts;
}
