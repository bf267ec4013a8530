/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread adds stacks and code objects, the reader of the samples takes them; a lock protects what both
 * use. */
#include "stop_python.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "os.h"
#include "thread_names.h"

enum { MAX_LOG_BYTES = 256 << 20 }; /* that the reader has not taken yet */

struct stop_python {
        struct stop_binaries *binaries;
        void (*forget)(void *ctx, int32_t tid);
        void *forget_ctx;
        struct thread_names *names; /* NULL: not wanted */

        /* Under the lock. */
        struct os_lock *lock;
        struct buf log; /* each struct stop_python_stack is followed by its frames */
        struct python_code **codes;
        size_t n_codes, cap_codes;

        /* Used by the reader. */
        struct buf taken;
        size_t taken_at;
        struct map near; /* tid to struct near_stacks */
        struct buf near_frames;
};

/* The stacks of a thread that stop_python_take_near has not taken yet, as in the log. */
struct near_stacks {
        struct buf log;
        size_t at;
};

struct stop_python *stop_python_new(void)
{
        struct stop_python *p = mem_new(1, sizeof(*p));

        p->binaries = stop_binaries_new();
        p->lock = os_lock_new();
        return p;
}

static void free_near(void *ctx, uint64_t tid, uint64_t *value)
{
        struct near_stacks *near = (struct near_stacks *)(uintptr_t)*value;

        buf_release(&near->log);
        free(near);
}

void stop_python_free(struct stop_python *p)
{
        if (!p)
                return;
        for (size_t i = 0; i < p->n_codes; i++) {
                python_code_release(p->codes[i]);
                free(p->codes[i]);
        }
        free(p->codes);
        buf_release(&p->log);
        buf_release(&p->taken);
        map_each(&p->near, free_near, NULL);
        map_release(&p->near);
        buf_release(&p->near_frames);
        thread_names_free(p->names);
        stop_binaries_free(p->binaries);
        os_lock_free(p->lock);
        free(p);
}

void stop_python_add_stack(void *ctx, const struct stop_python_stack *stack,
                           const struct python_frame *frames)
{
        struct stop_python *p = ctx;
        struct stop_python_stack added = *stack;

        if (p->names)
                thread_names_see(p->names, stack);
        os_lock_enter(p->lock);
        if (p->log.len > MAX_LOG_BYTES) {
                added.n_frames = 0;
                added.end = PYTHON_END_LIMIT;
        }
        buf_add(&p->log, &added, sizeof(added));
        if (added.n_frames)
                buf_add(&p->log, frames, (size_t)added.n_frames * sizeof(*frames));
        os_lock_leave(p->lock);
}

bool stop_python_add_code(void *ctx, uint64_t number, struct python_code *code)
{
        struct stop_python *p = ctx;
        struct python_code *kept = mem_new(1, sizeof(*kept));

        *kept = *code;
        os_lock_enter(p->lock);
        assert(number == p->n_codes + 1);
        ARRAY_PUSH(p->codes, p->n_codes, p->cap_codes, kept);
        os_lock_leave(p->lock);
        return true;
}

void stop_python_want_names(struct stop_python *p, bool is_live)
{
        if (!p->names)
                p->names =
                        thread_names_new(p->binaries, is_live ? THREAD_NAMES_LIVE_PART : THREAD_NAMES_PART);
}

struct stop_binaries *stop_python_binaries(struct stop_python *p)
{
        return p->binaries;
}

/* --- the reader --- */

bool stop_python_take(struct stop_python *p, int32_t tid, uint64_t time_ns,
                      struct stop_python_stack *ret_stack, const struct python_frame **ret_frames)
{
        for (;;) {
                struct stop_python_stack stack;

                if (p->taken_at == p->taken.len) {
                        buf_clear_and_shrink(&p->taken);
                        p->taken_at = 0;
                        os_lock_enter(p->lock);
                        buf_swap(&p->taken, &p->log);
                        os_lock_leave(p->lock);
                        if (!p->taken.len)
                                return false;
                }
                memcpy(&stack, p->taken.data + p->taken_at, sizeof(stack));
                if (stack.time_ns > time_ns)
                        return false;
                *ret_frames = (const struct python_frame *)(p->taken.data + p->taken_at + sizeof(stack));
                p->taken_at += sizeof(stack) + (size_t)stack.n_frames * sizeof(**ret_frames);
                if (stack.tid == tid && stack.time_ns == time_ns) {
                        *ret_stack = stack;
                        return true;
                }
        }
}

void stop_python_read_names(struct stop_python *p)
{
        if (p->names)
                thread_names_read(p->names);
}

const char *stop_python_take_name(struct stop_python *p, uint32_t image, int32_t tid)
{
        return p->names ? thread_names_take(p->names, image, tid) : NULL;
}

/* --- stacks whose time is not exactly that of their sample --- */

/* Between the time of a sample and that of its program something else may have interrupted the CPU.  The
 * samples of a thread are farther apart. */
enum {
        NEAR_NS = 100000,
        TAKEN_BYTES = 1 << 16, /* that were taken, until the rest is moved to the beginning */
};

static struct near_stacks *near_of(struct stop_python *p, int32_t tid)
{
        uint64_t *slot = map_put(&p->near, (uint64_t)(uint32_t)tid, NULL);

        if (!*slot)
                *slot = (uint64_t)(uintptr_t)mem_new(1, sizeof(struct near_stacks));
        return (struct near_stacks *)(uintptr_t)*slot;
}

static size_t logged_bytes(const struct stop_python_stack *stack)
{
        return sizeof(*stack) + (size_t)stack->n_frames * sizeof(struct python_frame);
}

/* Moves what was added to the threads. */
static void sort_near(struct stop_python *p)
{
        size_t at = 0;

        buf_clear_and_shrink(&p->taken);
        os_lock_enter(p->lock);
        buf_swap(&p->taken, &p->log);
        os_lock_leave(p->lock);
        while (at < p->taken.len) {
                struct stop_python_stack stack;

                memcpy(&stack, p->taken.data + at, sizeof(stack));
                buf_add(&near_of(p, stack.tid)->log, p->taken.data + at, logged_bytes(&stack));
                at += logged_bytes(&stack);
        }
        buf_clear(&p->taken);
}

static struct stop_python_stack stack_at(const struct near_stacks *near, size_t at)
{
        struct stop_python_stack stack;

        memcpy(&stack, near->log.data + at, sizeof(stack));
        return stack;
}

/* The kernel notes the sample's time before it runs the program; before Linux 6.10, after it. */
static uint64_t distance(const struct stop_python_stack *stack, uint64_t time_ns)
{
        if (time_ns < stack->time_ns)
                return stack->time_ns - time_ns;
        return time_ns > stack->until_ns ? time_ns - stack->until_ns : 0;
}

/* Finds the stack that was read at `pc` and whose time is the nearest. */
static bool find_near(const struct near_stacks *near, uint64_t time_ns, uint64_t pc, size_t *ret_at)
{
        uint64_t best = NEAR_NS + 1;

        for (size_t at = near->at; at < near->log.len;) {
                struct stop_python_stack stack = stack_at(near, at);

                if (stack.time_ns > time_ns + NEAR_NS)
                        break;
                if (stack.pc == pc && distance(&stack, time_ns) < best) {
                        best = distance(&stack, time_ns);
                        *ret_at = at;
                }
                at += logged_bytes(&stack);
        }
        return best <= NEAR_NS;
}

/* Forgets the stacks before those of `time_ns`: their samples were lost. */
static void forget_older(struct near_stacks *near, uint64_t time_ns)
{
        while (near->at < near->log.len) {
                struct stop_python_stack stack = stack_at(near, near->at);

                if (stack.until_ns + NEAR_NS >= time_ns)
                        return;
                near->at += logged_bytes(&stack);
        }
}

static void free_taken(struct stop_python *p, int32_t tid, struct near_stacks *near)
{
        size_t n_left = near->log.len - near->at;

        if (!n_left) {
                buf_release(&near->log);
                free(near);
                map_remove(&p->near, (uint64_t)(uint32_t)tid);
        } else if (near->at > TAKEN_BYTES && near->at > n_left) {
                memmove(near->log.data, near->log.data + near->at, n_left);
                buf_truncate(&near->log, n_left);
                near->at = 0;
        }
}

bool stop_python_take_near(struct stop_python *p, int32_t tid, uint64_t time_ns, uint64_t pc,
                           struct stop_python_stack *ret_stack, const struct python_frame **ret_frames)
{
        struct near_stacks *near;
        size_t at;
        bool has;

        sort_near(p);
        near = near_of(p, tid);
        forget_older(near, time_ns);
        has = find_near(near, time_ns, pc, &at);
        if (has) {
                *ret_stack = stack_at(near, at);
                buf_clear(&p->near_frames);
                buf_add(&p->near_frames, near->log.data + at + sizeof(*ret_stack),
                        logged_bytes(ret_stack) - sizeof(*ret_stack));
                near->at = at + logged_bytes(ret_stack);
        }
        free_taken(p, tid, near);
        *ret_frames = (const struct python_frame *)p->near_frames.data;
        return has;
}

const struct python_code *stop_python_get_code(struct stop_python *p, uint64_t number)
{
        const struct python_code *code = NULL;

        os_lock_enter(p->lock);
        if (number && number <= p->n_codes)
                code = p->codes[number - 1];
        os_lock_leave(p->lock);
        return code;
}

enum python_native stop_python_kind(struct stop_python *p, const struct stop_python_stack *stack, uint64_t pc)
{
        return stop_binaries_kind(p->binaries, stack->binary, pc - stack->bias);
}

const struct python_binary *stop_python_binary(struct stop_python *p, const struct stop_python_stack *stack)
{
        return stop_binaries_get(p->binaries, stack->binary);
}

void stop_python_on_forget(struct stop_python *p, void (*forget)(void *ctx, int32_t tid), void *ctx)
{
        p->forget = forget;
        p->forget_ctx = ctx;
}

void stop_python_forget(struct stop_python *p, int32_t tid)
{
        if (p->forget)
                p->forget(p->forget_ctx, tid);
}
