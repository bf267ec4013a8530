/* SPDX-License-Identifier: BSD-3-Clause */
/* All names of a process are read at once, because they stand in one dict. */
#include "thread_names.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "os.h"
#include "python_threads.h"

enum {
        MAX_THREADS = 1 << 16, /* then all are forgotten */
        READ_NS = 1000,        /* about what one read of memory takes */
};

#define BURST_NS 2000000000ull /* of rests that may be saved up, for programs that start many threads */

/* From one reading of a process to the next: when a thread is new, which may not have its name yet; then
 * twice as long each time. */
#define LEAST_PAUSE_NS 20000000ull
#define MOST_PAUSE_NS  4000000000ull

struct new_thread {
        uint32_t image, binary;
        uint64_t bias;
        int32_t tid;
};

struct named_thread {
        int32_t tid;
        uint64_t native_id;
        char *name;  /* NULL: not known */
        bool is_new; /* it was not taken yet */
};

struct named_process {
        uint32_t image, binary;
        uint64_t bias;
        int32_t tid;               /* a thread that ran lately */
        uint64_t due_ns, pause_ns; /* when the names are to be read, and from then on to the next time */
        struct named_thread *threads;
        size_t n_threads, cap;
        struct map by_native_id; /* to index + 1 */
};

struct thread_names {
        struct stop_binaries *binaries;
        unsigned part_of_time;

        /* Under the lock. */
        struct os_lock *lock;
        struct map seen; /* image << 32 | tid */
        struct new_thread *news;
        size_t n_news, cap_news;

        /* Used by the reader. */
        struct named_process *processes;
        size_t n_processes, cap_processes;
        struct map by_image;  /* to index of processes + 1 */
        struct map by_thread; /* image << 32 | tid to index of threads + 1 */
        size_t n_threads;
        size_t next;       /* the process that is looked at next */
        uint64_t rests_ns; /* until then nothing is read */
};

static uint64_t key_of(uint32_t image, int32_t tid)
{
        return (uint64_t)image << 32 | (uint32_t)tid;
}

struct thread_names *thread_names_new(struct stop_binaries *binaries, unsigned part_of_time)
{
        struct thread_names *names = mem_new(1, sizeof(*names));

        names->binaries = binaries;
        names->part_of_time = part_of_time;
        names->lock = os_lock_new();
        return names;
}

static void forget_all(struct thread_names *names)
{
        for (size_t i = 0; i < names->n_processes; i++) {
                struct named_process *p = &names->processes[i];

                for (size_t k = 0; k < p->n_threads; k++)
                        free(p->threads[k].name);
                free(p->threads);
                map_release(&p->by_native_id);
        }
        names->n_processes = names->n_threads = names->next = 0;
        map_release(&names->by_image);
        map_release(&names->by_thread);
}

void thread_names_free(struct thread_names *names)
{
        if (!names)
                return;
        forget_all(names);
        free(names->processes);
        free(names->news);
        map_release(&names->seen);
        os_lock_free(names->lock);
        free(names);
}

void thread_names_see(struct thread_names *names, const struct stop_python_stack *stack)
{
        const struct new_thread thread = {stack->image, stack->binary, stack->bias, stack->tid};
        bool is_new;

        if (!stack->binary)
                return;
        os_lock_enter(names->lock);
        if (names->seen.n_used == MAX_THREADS)
                map_release(&names->seen);
        map_put(&names->seen, key_of(stack->image, stack->tid), &is_new);
        if (is_new && names->n_news < MAX_THREADS)
                ARRAY_PUSH(names->news, names->n_news, names->cap_news, thread);
        os_lock_leave(names->lock);
}

/* --- new threads --- */

static struct named_process *process_of(struct thread_names *names, const struct new_thread *thread)
{
        uint64_t *at = map_put(&names->by_image, thread->image, NULL);
        const struct named_process p = {
                .image = thread->image, .binary = thread->binary, .bias = thread->bias};

        if (!*at) {
                ARRAY_PUSH(names->processes, names->n_processes, names->cap_processes, p);
                *at = names->n_processes;
        }
        return &names->processes[*at - 1];
}

static void add_thread(struct thread_names *names, const struct new_thread *new)
{
        const struct stop_thread at = {.tid = new->tid};
        const struct named_thread thread = {.tid = new->tid, .native_id = stop_thread_native_id(&at)};
        struct named_process *p;
        uint64_t *known;

        if (names->n_threads == MAX_THREADS)
                forget_all(names);
        p = process_of(names, new);
        p->tid = new->tid;
        p->due_ns = 0;
        p->pause_ns = LEAST_PAUSE_NS;
        known = map_put(&names->by_thread, key_of(new->image, new->tid), NULL);
        if (*known)
                return;
        ARRAY_PUSH(p->threads, p->n_threads, p->cap, thread);
        *known = p->n_threads;
        *map_put(&p->by_native_id, thread.native_id, NULL) = p->n_threads;
        names->n_threads++;
}

static void take_news(struct thread_names *names)
{
        struct new_thread *news;
        size_t n;

        os_lock_enter(names->lock);
        news = names->news;
        n = names->n_news;
        names->news = NULL;
        names->n_news = names->cap_news = 0;
        os_lock_leave(names->lock);
        for (size_t i = 0; i < n; i++)
                add_thread(names, &news[i]);
        free(news);
}

/* --- reading --- */

struct names_memory {
        struct stop_thread thread;
        bool is_there; /* something could be read */
};

static bool read_memory(void *ctx, uint64_t addr, void *to, size_t size)
{
        struct names_memory *memory = ctx;
        bool ok = stop_thread_read(&memory->thread, addr, to, size) == size;

        memory->is_there |= ok;
        return ok;
}

/* At most THREAD_NAME_MAX_BYTES, whole characters of UTF-8. */
static char *copy_name(const char *name)
{
        size_t n = strlen(name);
        char *copy;

        if (n > THREAD_NAME_MAX_BYTES) {
                n = THREAD_NAME_MAX_BYTES;
                while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
                        n--;
        }
        copy = mem_new(n + 1, 1);
        for (size_t i = 0; i < n; i++)
                copy[i] = (unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i];
        return copy;
}

static void see_name(void *ctx, const struct python_named_thread *named)
{
        struct named_process *p = ctx;
        const uint64_t *at = map_find(&p->by_native_id, named->native_id);
        struct named_thread *thread = at ? &p->threads[*at - 1] : NULL;
        char *name;

        if (!thread || !*named->name)
                return;
        name = copy_name(named->name);
        if (thread->name && !strcmp(thread->name, name)) {
                free(name);
                return;
        }
        free(thread->name);
        thread->name = name;
        thread->is_new = true;
}

static void read_process(struct thread_names *names, struct named_process *p)
{
        struct names_memory of_process = {.thread = {.tid = p->tid}};
        struct python_memory memory = {.read = read_memory, .ctx = &of_process};
        uint64_t now_ns;
        struct python_runtime runtime;
        struct python_objects objects;

        python_runtime_init(&runtime, stop_binaries_get(names->binaries, p->binary), p->bias);
        python_objects_init(&objects, &runtime.layout, &memory);
        python_threads_each_name(&runtime, &objects, see_name, p);
        python_runtime_release(&runtime);
        now_ns = os_monotonic_ns();
        if (names->rests_ns + BURST_NS < now_ns)
                names->rests_ns = now_ns - BURST_NS;
        names->rests_ns += memory.n_reads * READ_NS * names->part_of_time;
        p->due_ns = of_process.is_there ? now_ns + p->pause_ns : UINT64_MAX;
        p->pause_ns = p->pause_ns < MOST_PAUSE_NS / 2 ? p->pause_ns * 2 : MOST_PAUSE_NS;
}

void thread_names_read(struct thread_names *names)
{
        uint64_t now_ns = os_monotonic_ns();

        take_news(names);
        for (size_t i = 0; i < names->n_processes && names->rests_ns <= now_ns; i++) {
                struct named_process *p = &names->processes[names->next++ % names->n_processes];

                if (p->due_ns <= now_ns)
                        read_process(names, p);
        }
}

const char *thread_names_take(struct thread_names *names, uint32_t image, int32_t tid)
{
        const uint64_t *thread_at = map_find(&names->by_thread, key_of(image, tid));
        struct named_process *p;
        struct named_thread *thread;

        if (!thread_at)
                return NULL;
        p = &names->processes[*map_find(&names->by_image, image) - 1];
        p->tid = tid;
        if (p->due_ns == UINT64_MAX)
                p->due_ns = 0;
        thread = &p->threads[*thread_at - 1];
        if (!thread->is_new)
                return NULL;
        thread->is_new = false;
        return thread->name;
}
