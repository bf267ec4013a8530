/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that waits does not change its thread state, so that this is exact for it. */
#include "wait_python.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "python_threads.h"
#include "wait_pages.h"
#include "wait_thread.h"

enum {
        RUNTIME_BYTES = 1 << 20, /* at most, of _PyRuntime */
        HOLDER_NS = 5000000,     /* how old what is known of the GIL may be: its interval for switches */
        FIRST_WITH_OWN_GILS = 12,
        MAX_OBJECTS = 4096,    /* words of a stack that are followed */
        MAX_FUTEXES = 4096,    /* of which it is known what they belong to */
        N_WITHOUT_SEARCH = 64, /* waits for a futex of no lock of Python, until the next search */
        WORD = 8,
        /* words of a lock object: type, then the lock, or a pointer to it; of an RLock its owner */
        LOCK_TYPE = 1,
        LOCK_LOCK = 2,
        LOCK_OWNER = 3,
        LOCK_N_WORDS = 4,
        TYPE_NAME_AT = 24, /* tp_name */
};

struct known_state {
        struct python_state state;
        int32_t inner_tid;
};

struct wait_python {
        int32_t pid;
        uint32_t binary;
        uint64_t bias;
        uint64_t updated_ns;
        struct python_runtime runtime;
        struct known_state *states;
        size_t n_states, cap_states;
        struct map by_tid; /* inner tid to the index of its first state */
        bool has_several;  /* interpreters */
        bool has_names;
        struct map names; /* pthread_self() to the name of the thread, in `texts` */
        struct arena texts;
        /* futex to its lock object; or less than N_WITHOUT_SEARCH: how often none was found */
        struct map locks;
};

static bool read_memory(void *ctx, uint64_t addr, void *to, size_t size)
{
        const struct wait_python *p = ctx;

        return wait_read_memory(p->pid, addr, to, size);
}

/* CPython up to 3.10 stores no number. */
static int32_t tid_of(const struct wait_python *p, const struct python_state *state)
{
        int32_t tid;

        if (state->native_id)
                return (int32_t)state->native_id;
        return wait_read_memory(p->pid, state->pointer + PYTHON_PTHREAD_TID_AT, &tid, sizeof(tid)) ? tid : 0;
}

static bool see_state(void *ctx, const struct python_state *state)
{
        struct wait_python *p = ctx;
        const struct known_state known = {*state, tid_of(p, state)};
        bool is_new;
        uint64_t *at = map_put(&p->by_tid, (uint64_t)(uint32_t)known.inner_tid, &is_new);

        if (is_new)
                *at = p->n_states;
        ARRAY_PUSH(p->states, p->n_states, p->cap_states, known);
        return true;
}

void wait_python_update(struct wait_python *p)
{
        struct python_memory memory = {.read = read_memory, .ctx = p};

        map_release(&p->by_tid);
        p->n_states = 0;
        p->updated_ns = os_monotonic_ns();
        python_runtime_each_state(&p->runtime, &memory, see_state, p);
        p->has_several = p->n_states && p->states[0].state.interp != p->states[p->n_states - 1].state.interp;
}

struct wait_python *wait_python_new(struct stop_binaries *binaries, int32_t pid)
{
        const struct stop_thread thread = {.pid = pid, .tid = pid};
        struct wait_python *p;
        uint64_t bias;
        bool is_unsupported;
        uint32_t binary = stop_binaries_find(binaries, &thread, &bias, &is_unsupported);

        if (!binary)
                return NULL;
        p = mem_new(1, sizeof(*p));
        p->pid = pid;
        p->binary = binary;
        p->bias = bias;
        python_runtime_init(&p->runtime, stop_binaries_get(binaries, binary), bias);
        wait_python_update(p);
        return p;
}

void wait_python_free(struct wait_python *p)
{
        if (!p)
                return;
        python_runtime_release(&p->runtime);
        map_release(&p->by_tid);
        map_release(&p->names);
        map_release(&p->locks);
        arena_release(&p->texts);
        free(p->states);
        free(p);
}

int32_t wait_python_pid(const struct wait_python *p)
{
        return p->pid;
}

struct python_runtime *wait_python_runtime(struct wait_python *p)
{
        return &p->runtime;
}

uint32_t wait_python_binary(const struct wait_python *p, uint64_t *ret_bias)
{
        *ret_bias = p->bias;
        return p->binary;
}

/* With several interpreters, where a state runs counts more than which thread it says to be of. */
static bool is_of(const struct wait_python *p, const struct known_state *known, int32_t inner_tid,
                  struct wait_python_stack stack)
{
        if (p->has_several && known->state.stack_at && stack.end)
                return known->state.stack_at >= stack.start && known->state.stack_at < stack.end;
        return known->inner_tid == inner_tid;
}

/* The state that has the GIL first. */
static void find(const struct wait_python *p, int32_t inner_tid, struct wait_python_stack stack,
                 struct wait_python_thread *ret)
{
        const uint64_t *first = map_find(&p->by_tid, (uint64_t)(uint32_t)inner_tid);

        *ret = (struct wait_python_thread){0};
        for (size_t i = p->has_several ? 0 : first ? (size_t)*first : p->n_states; i < p->n_states; i++) {
                const struct known_state *known = &p->states[i];

                if (!is_of(p, known, inner_tid, stack) || ret->n_states == PYTHON_MAX_STATES)
                        continue;
                if (known->inner_tid == inner_tid || !ret->pointer)
                        ret->pointer = known->state.pointer;
                ret->states[ret->n_states++] = known->state.addr;
                if (!known->state.has_gil)
                        continue;
                ret->states[ret->n_states - 1] = ret->states[0];
                ret->states[0] = known->state.addr;
                ret->has_gil = true;
        }
}

void wait_python_find(struct wait_python *p, int32_t inner_tid, struct wait_python_stack stack,
                      struct wait_python_thread *ret)
{
        find(p, inner_tid, stack, ret);
        if (ret->n_states || os_monotonic_ns() - p->updated_ns < HOLDER_NS)
                return;
        wait_python_update(p);
        find(p, inner_tid, stack, ret);
}

/* The name of a thread in the main interpreter, which is the last one, replaces others. */
static void see_name(void *ctx, const struct python_named_thread *thread)
{
        struct wait_python *p = ctx;
        const char *name = arena_copy(&p->texts, thread->name, strlen(thread->name));

        *map_put(&p->names, thread->pointer, NULL) = (uint64_t)(uintptr_t)name;
}

static void read_names(struct wait_python *p)
{
        AUTO(wait_pages) pages = wait_pages_new(p->pid);
        struct python_memory memory = {.read = wait_pages_read, .ctx = pages};
        struct python_objects objects;

        p->has_names = true;
        python_objects_init(&objects, &p->runtime.layout, &memory);
        python_threads_each_name(&p->runtime, &objects, see_name, p);
}

const char *wait_python_name(struct wait_python *p, int32_t inner_tid)
{
        const uint64_t *first, *name;

        if (!p->has_names)
                read_names(p);
        first = map_find(&p->by_tid, (uint64_t)(uint32_t)inner_tid);
        name = first ? map_find(&p->names, p->states[*first].state.pointer) : NULL;
        return name ? (const char *)(uintptr_t)*name : "";
}

static uint64_t interp_of(const struct wait_python *p, uint64_t state)
{
        for (size_t i = 0; i < p->n_states; i++) {
                if (p->states[i].state.addr == state)
                        return p->states[i].state.interp;
        }
        return 0;
}

/* The interpreter whose GIL a thread waits for; that of the main one, which is the last, is in the runtime.
 */
static uint64_t interp_waited_for(const struct wait_python *p, const struct wait_python_thread *thread,
                                  const struct wait_reading *reading)
{
        if (reading->python & WAIT_PYTHON_IN_RUNTIME && p->n_states)
                return p->states[p->n_states - 1].state.interp;
        return thread->n_states ? interp_of(p, thread->states[0]) : 0;
}

/* From 3.12 on interpreters may have a GIL each, so that who has one in another interpreter does not count.
 * 0: not known. */
static int32_t gil_holder(const struct wait_python *p, const struct wait_python_thread *thread,
                          const struct wait_reading *reading)
{
        bool is_shared = p->runtime.layout.minor < FIRST_WITH_OWN_GILS;
        uint64_t interp = interp_waited_for(p, thread, reading);

        for (size_t i = 0; i < p->n_states; i++) {
                const struct known_state *known = &p->states[i];

                if (known->state.has_gil && (is_shared || known->state.interp == interp))
                        return known->inner_tid;
        }
        return 0;
}

/* The GIL goes from thread to thread. */
static void update_holder(struct wait_python *p)
{
        if (os_monotonic_ns() - p->updated_ns > HOLDER_NS)
                wait_python_update(p);
}

/* The list may be older than the thread's wait. A thread that waits does not get or give away the GIL, so
 * what is read now holds for all of its wait. */
static bool has_gil_now(struct wait_python *p, const struct wait_python_thread *thread,
                        const struct wait_reading *reading)
{
        struct python_memory memory = {.read = read_memory, .ctx = p};
        bool has_gil = false;

        if (reading->how != WAIT_HOW_STILL)
                return thread->has_gil;
        for (uint32_t i = 0; i < thread->n_states && !has_gil; i++)
                has_gil = python_runtime_has_gil(&p->runtime, &memory, thread->states[i]);
        if (has_gil != thread->has_gil)
                wait_python_update(p);
        return has_gil;
}

static int32_t thread_of_pointer(const struct wait_python *p, uint64_t pointer)
{
        for (size_t i = 0; pointer && i < p->n_states; i++) {
                if (p->states[i].state.pointer == pointer)
                        return p->states[i].inner_tid;
        }
        return 0;
}

/* --- Locks of Python --- */

struct lock_search {
        const struct wait_python *python;
        uint64_t futex;  /* what the thread waits for */
        uint64_t waited; /* from 3.14 on: the lock for which the thread is parked; else 0 */
        uint64_t found;  /* the object; 0: none so far */
        bool is_rlock, is_ambiguous;
        uint64_t owner; /* pthread_self() of the owner of an RLock */
};

static bool type_is(const struct lock_search *s, uint64_t type, const char *name)
{
        char text[24] = {0};
        uint64_t at;

        return wait_read_memory(s->python->pid, type + TYPE_NAME_AT, &at, sizeof(at)) &&
               wait_read_memory(s->python->pid, at, text, strlen(name) + 1) && !strcmp(text, name);
}

/* `words`: the object's. */
static void see_object(struct lock_search *s, uint64_t addr, const uint64_t *words)
{
        bool is_rlock;

        if (addr == s->found)
                return;
        if (words[LOCK_LOCK] != s->futex && addr + LOCK_LOCK * WORD != s->waited)
                return;
        is_rlock = type_is(s, words[LOCK_TYPE], "_thread.RLock");
        if (!is_rlock && !type_is(s, words[LOCK_TYPE], "_thread.lock"))
                return;
        s->is_ambiguous |= s->found != 0;
        s->found = addr;
        s->is_rlock = is_rlock;
        s->owner = words[LOCK_OWNER];
}

/* Locks are objects of the heap, which can be written and have no code. */
static bool is_heap(const struct wait_maps *maps, uint64_t addr)
{
        const struct wait_map *map = addr % WORD ? NULL : wait_maps_find(maps, addr);

        return map && map->can_read && map->can_write && !map->can_execute;
}

static void see_objects(struct lock_search *s, const uint64_t *addrs, size_t n)
{
        uint64_t words[WAIT_MAX_PIECES][LOCK_N_WORDS];
        size_t n_read = wait_read_pieces(s->python->pid, addrs, n, words, sizeof(*words));

        for (size_t i = 0; i < n; i++) {
                if (i < n_read || wait_read_memory(s->python->pid, addrs[i], words[i], sizeof(*words)))
                        see_object(s, addrs[i], words[i]);
        }
}

static void search_lock(struct lock_search *s, const struct wait_maps *maps, const uint8_t *stack,
                        size_t stack_bytes)
{
        uint64_t addrs[WAIT_MAX_PIECES] = {0};
        size_t n = 0;

        for (size_t i = 0; i + WORD <= stack_bytes && i / WORD < MAX_OBJECTS; i += WORD) {
                memcpy(&addrs[n], stack + i, sizeof(*addrs));
                n += is_heap(maps, addrs[n]);
                if (n == WAIT_MAX_PIECES) {
                        see_objects(s, addrs, n);
                        n = 0;
                }
        }
        see_objects(s, addrs, n);
}

/* A search takes long, and many waits are for the same lock. */
static void find_on_stack(struct wait_python *p, struct lock_search *s, const struct wait_maps *maps,
                          const uint8_t *stack, size_t stack_bytes)
{
        uint64_t *known;

        if (p->locks.n_used >= MAX_FUTEXES)
                map_release(&p->locks);
        known = map_put(&p->locks, s->futex, NULL);
        if (*known >= N_WITHOUT_SEARCH) {
                see_objects(s, known, 1);
                *known = s->found ? *known : 0;
        }
        if (!s->found && !*known)
                search_lock(s, maps, stack, stack_bytes);
        *known = s->found && !s->is_ambiguous ? s->found : (*known + 1) % N_WITHOUT_SEARCH;
}

static void find_lock(struct wait_python *p, const struct wait_maps *maps, const uint8_t *stack,
                      size_t stack_bytes, struct wait_reading *reading)
{
        struct lock_search search = {.python = p, .futex = reading->args[0]};
        uint64_t waited;

        /* the word before the semaphore of a parked thread, in struct wait_entry of Python/parking_lot.c */
        if (p->runtime.layout.minor >= 13 &&
            wait_read_memory(p->pid, search.futex - WORD, &waited, sizeof(waited)))
                search.waited = waited;
        if (search.waited && is_heap(maps, search.waited & ~(uint64_t)(WORD - 1)))
                see_objects(&search, &(uint64_t){search.waited - LOCK_LOCK * WORD}, 1);
        if (!search.found)
                find_on_stack(p, &search, maps, stack, stack_bytes);
        if (!search.found || search.is_ambiguous)
                return;
        reading->python |= search.is_rlock ? WAIT_PYTHON_RLOCK : WAIT_PYTHON_LOCK;
        reading->lock_object = search.found;
        if (search.is_rlock)
                reading->owner = thread_of_pointer(p, search.owner);
}

void wait_python_see(struct wait_python *p, const struct wait_python_thread *thread,
                     const struct wait_maps *maps, const uint8_t *stack, size_t stack_bytes,
                     struct wait_reading *reading)
{
        bool has_gil = has_gil_now(p, thread, reading);

        reading->python_minor = p->runtime.layout.minor;
        reading->gil_holder = gil_holder(p, thread, reading);
        if (!thread->n_states)
                return;
        reading->python = WAIT_PYTHON_STATE;
        if (has_gil)
                reading->python |= WAIT_PYTHON_GIL;
        if (reading->call != WAIT_CALL_FUTEX)
                return;
        if (reading->args[0] - p->runtime.addr >= RUNTIME_BYTES) {
                find_lock(p, maps, stack, stack_bytes, reading);
                return;
        }
        reading->python |= WAIT_PYTHON_IN_RUNTIME;
        update_holder(p);
        reading->gil_holder = gil_holder(p, thread, reading);
}
