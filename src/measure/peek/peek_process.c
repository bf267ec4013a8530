/* SPDX-License-Identifier: BSD-3-Clause */
#include "peek_process.h"

#include <stdlib.h>

#include "linux_processes.h"
#include "map.h"
#include "mem.h"
#include "wait_python.h"

enum { FIRST_WAIT_NS = 2000000, LONGEST_WAIT_NS = 1000000000, MAX_PROCESSES = 4096, MAX_THREADS = 16384 };

/* When something that was not found is looked for again. */
struct later {
        uint64_t next_ns, wait_ns;
};

struct known_thread {
        uint64_t pointer; /* 0: not found */
        struct later later;
        int32_t inner_tid;
};

struct known_process {
        uint32_t image;
        struct wait_python *interpreter; /* NULL: not found */
        struct later later;
        struct map threads; /* tid to struct known_thread * */
};

struct peek_processes {
        struct stop_binaries *binaries;
        void (*end)(void *ctx, uint32_t image);
        void *ctx;
        struct map by_pid; /* to struct known_process * */
        uint32_t n_images;
};

struct peek_processes *peek_processes_new(struct stop_binaries *binaries,
                                          void (*end)(void *ctx, uint32_t image), void *ctx)
{
        struct peek_processes *p = mem_new(1, sizeof(*p));

        *p = (struct peek_processes){.binaries = binaries, .end = end, .ctx = ctx};
        return p;
}

static void free_thread(void *ctx, uint64_t tid, uint64_t *thread)
{
        free((struct known_thread *)(uintptr_t)*thread);
}

static void forget_threads(struct known_process *process)
{
        map_each(&process->threads, free_thread, NULL);
        map_release(&process->threads);
}

static void free_process(void *ctx, uint64_t pid, uint64_t *value)
{
        struct known_process *process = (struct known_process *)(uintptr_t)*value;
        struct peek_processes *p = ctx;

        if (process->interpreter)
                p->end(p->ctx, process->image);
        wait_python_free(process->interpreter);
        forget_threads(process);
        free(process);
}

static void forget_all(struct peek_processes *p)
{
        map_each(&p->by_pid, free_process, p);
        map_release(&p->by_pid);
}

void peek_processes_free(struct peek_processes *p)
{
        if (!p)
                return;
        forget_all(p);
        free(p);
}

/* --- looking --- */

static void wait_longer(struct later *later, uint64_t now_ns)
{
        later->wait_ns = later->wait_ns ? 2 * later->wait_ns : FIRST_WAIT_NS;
        if (later->wait_ns > LONGEST_WAIT_NS)
                later->wait_ns = LONGEST_WAIT_NS;
        later->next_ns = now_ns + later->wait_ns;
}

static struct known_process *get_process(struct peek_processes *p, int32_t pid, uint64_t now_ns)
{
        struct known_process *process;
        uint64_t *slot;

        if (p->by_pid.n_used == MAX_PROCESSES)
                forget_all(p);
        slot = map_put(&p->by_pid, (uint64_t)(uint32_t)pid, NULL);
        process = (struct known_process *)(uintptr_t)*slot;
        if (!process) {
                process = mem_new(1, sizeof(*process));
                process->image = ++p->n_images;
                *slot = (uint64_t)(uintptr_t)process;
        }
        if (process->interpreter || now_ns < process->later.next_ns)
                return process;
        process->interpreter = wait_python_new(p->binaries, pid);
        wait_longer(&process->later, now_ns);
        return process;
}

static struct known_thread *get_thread(struct known_process *process, int32_t tid, uint64_t now_ns)
{
        struct wait_python_thread found;
        struct known_thread *thread;
        uint64_t *slot;

        if (process->threads.n_used == MAX_THREADS)
                forget_threads(process);
        slot = map_put(&process->threads, (uint64_t)(uint32_t)tid, NULL);
        thread = (struct known_thread *)(uintptr_t)*slot;
        if (!thread) {
                thread = mem_new(1, sizeof(*thread));
                thread->inner_tid = proc_inner_pid(tid);
                *slot = (uint64_t)(uintptr_t)thread;
        }
        if (thread->pointer || now_ns < thread->later.next_ns)
                return thread;
        wait_python_find(process->interpreter, thread->inner_tid, (struct wait_python_stack){0}, &found);
        thread->pointer = found.n_states ? found.pointer : 0;
        wait_longer(&thread->later, now_ns);
        return thread;
}

bool peek_processes_find(struct peek_processes *p, int32_t pid, int32_t tid, uint64_t now_ns,
                         struct peek_thread *ret)
{
        struct known_process *process = get_process(p, pid, now_ns);

        if (!process->interpreter)
                return false;
        *ret = (struct peek_thread){process->image, get_thread(process, tid, now_ns)->pointer};
        return ret->pointer;
}

void peek_processes_forget(struct peek_processes *p, int32_t pid)
{
        uint64_t *slot = map_find(&p->by_pid, (uint64_t)(uint32_t)pid);

        if (!slot)
                return;
        free_process(p, (uint64_t)(uint32_t)pid, slot);
        map_remove(&p->by_pid, (uint64_t)(uint32_t)pid);
}

void peek_processes_forget_thread(struct peek_processes *p, int32_t pid, int32_t tid)
{
        const uint64_t *slot = map_find(&p->by_pid, (uint64_t)(uint32_t)pid);
        struct known_process *process = slot ? (struct known_process *)(uintptr_t)*slot : NULL;
        uint64_t *thread = process ? map_find(&process->threads, (uint64_t)(uint32_t)tid) : NULL;

        if (!thread)
                return;
        free_thread(NULL, 0, thread);
        map_remove(&process->threads, (uint64_t)(uint32_t)tid);
}
