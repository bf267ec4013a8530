/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches the lists of interpreters and thread states. */
#include "python_runtime.h"

#include <stdlib.h>
#include <string.h>

enum {
        /* glibc and musl on arm64: the thread pointer is after struct pthread, which has up to some 2300
         * bytes */
        MAX_PTHREAD_BYTES = 4096,
        READS_A_WAIT = 16, /* after a search of that many reads, one walk without a search must follow */
        MAX_WAIT = 256,
};

void python_runtime_init(struct python_runtime *runtime, const struct python_binary *binary, uint64_t bias)
{
        *runtime = (struct python_runtime){
                .layout = binary->layout,
                .addr = binary->runtime_addr + bias,
                .code_type = binary->code_type ? binary->code_type + bias : 0,
                .eval = binary->eval ? binary->eval + bias : 0,
        };
}

void python_runtime_release(struct python_runtime *runtime)
{
        free(runtime->copies);
        runtime->copies = NULL;
}

bool python_runtime_forget_copies(struct python_runtime *runtime)
{
        bool had = runtime->copies;

        python_runtime_release(runtime);
        return had;
}

void python_thread_forget(struct python_thread *thread)
{
        thread->n_states = 0;
        thread->wait = 0;
}

/* Up to CPython 3.12 a new interpreter has one thread state, which says to be of the thread that made it.
 * Another thread may run it (run_string). CPython 3.11 and 3.12 keep a struct on the C stack for each native
 * function that evaluates Python code, so that the state shows whose stack that is. Without such a function
 * the struct is in the state. */
static uint64_t stack_of(const struct python_layout *layout, uint64_t addr, const uint8_t *state)
{
        uint64_t at;

        if (layout->frames != PYTHON_FRAMES_CFRAME)
                return 0;
        at = python_word_at(state, layout->thread_frame);
        return at - addr < layout->thread_bytes ? 0 : at;
}

/* Stacks of threads, except the first one, are below the thread pointer. */
static bool is_on_stack(const struct python_thread *thread, uint64_t at)
{
        return at >= thread->sp && at < thread->pointer;
}

static bool is_elsewhere(const struct python_thread *thread, uint64_t at)
{
        return at < thread->sp || (thread->sp < thread->pointer && at >= thread->pointer);
}

/* How well a thread state fits a thread. */
enum fit { FIT_NONE, FIT_NATIVE_ID, FIT_NEAR, FIT_POINTER };

static enum fit fit_of(const struct python_layout *layout, const struct python_thread *thread, uint64_t addr,
                       const uint8_t *state)
{
        uint64_t id = python_id_at(layout, state, layout->thread_id);
        uint64_t stack = thread->has_foreign && thread->sp ? stack_of(layout, addr, state) : 0;

        if (stack && is_elsewhere(thread, stack))
                return FIT_NONE;
        if (stack && is_on_stack(thread, stack))
                return FIT_POINTER;
        if (id && id == thread->pointer)
                return FIT_POINTER;
        if (!layout->is_windows && id && id < thread->pointer && thread->pointer - id <= MAX_PTHREAD_BYTES)
                return FIT_NEAR;
        if (layout->thread_native_id != PYTHON_NO_FIELD && thread->native_id &&
            python_id_at(layout, state, layout->thread_native_id) == thread->native_id)
                return FIT_NATIVE_ID;
        return FIT_NONE;
}

bool python_runtime_is_state(const struct python_runtime *runtime, const struct python_thread *thread,
                             uint64_t addr, const uint8_t *state)
{
        return python_word_at(state, runtime->layout.thread_interp) &&
               fit_of(&runtime->layout, thread, addr, state) != FIT_NONE;
}

static void move_to_front(struct python_thread *thread, uint32_t i)
{
        uint64_t state = thread->states[i];

        for (; i; i--)
                thread->states[i] = thread->states[i - 1];
        thread->states[0] = state;
}

/* Up to 3.11 all interpreters have one lock, and the state that has it is known.  If it is of another
 * thread, this one runs C code without the lock. */
static bool sort_by_current(const struct python_runtime *runtime, struct python_thread *thread,
                            struct python_memory *memory)
{
        const struct python_layout *layout = &runtime->layout;
        uint64_t current;
        uint8_t state[PYTHON_MAX_THREAD_BYTES];

        if (layout->runtime_current == PYTHON_NO_FIELD ||
            !python_memory_word(memory, runtime->addr + layout->runtime_current, &current) || !current)
                return true;
        for (uint32_t i = 0; i < thread->n_states; i++) {
                if (thread->states[i] != current)
                        continue;
                move_to_front(thread, i);
                return true;
        }
        return !python_memory_read(memory, current, state, layout->thread_bytes) ||
               !python_runtime_is_state(runtime, thread, current, state);
}

bool python_runtime_sort_states(const struct python_runtime *runtime, struct python_thread *thread,
                                struct python_memory *memory, const uint8_t *first)
{
        const struct python_layout *layout = &runtime->layout;
        uint64_t newest;

        if (layout->thread_status == PYTHON_NO_FIELD)
                return sort_by_current(runtime, thread, memory);
        if (python_int_at(first, layout->thread_status) & PYTHON_STATUS_ACTIVE)
                return true;
        return thread->n_interpreters == 1 &&
               python_memory_word(memory, runtime->addr + layout->runtime_interpreters, &newest) &&
               newest == thread->newest;
}

struct state_search {
        const struct python_runtime *runtime;
        struct python_thread *thread;
        struct python_memory *memory;
        enum fit best;
        uint32_t n_left;  /* number of thread states that may still be read */
        uint64_t current; /* up to CPython 3.11: address of the thread state that has the GIL */
};

/* The state that runs comes first; thread states of other interpreters, in which the thread waits, come
 * after it. */
static void add_state(struct state_search *search, uint64_t addr, const uint8_t *state, enum fit fit)
{
        const struct python_layout *layout = &search->runtime->layout;
        struct python_thread *thread = search->thread;
        bool is_active = addr == search->current;

        if (layout->thread_status != PYTHON_NO_FIELD)
                is_active = python_int_at(state, layout->thread_status) & PYTHON_STATUS_ACTIVE;
        if (fit > search->best)
                thread->n_states = 0;
        search->best = fit;
        if (thread->n_states == PYTHON_MAX_STATES)
                return;
        thread->states[thread->n_states++] = addr;
        if (is_active)
                move_to_front(thread, thread->n_states - 1);
}

/* Reads thread states of an interpreter one after the other. */
struct state_list {
        const struct python_layout *layout;
        struct python_memory *memory;
        uint64_t interp;
        uint64_t addr, next;
        uint32_t *n_left; /* number of thread states that may still be read */
        uint8_t state[PYTHON_MAX_THREAD_BYTES];
};

static void list_begin(struct state_list *list, uint64_t interp)
{
        list->interp = interp;
        if (!python_memory_word(list->memory, interp + list->layout->interp_threads, &list->next))
                list->next = 0;
}

static bool list_next(struct state_list *list)
{
        list->addr = list->next;
        if (!list->addr || !*list->n_left)
                return false;
        --*list->n_left;
        if (!python_memory_read(list->memory, list->addr, list->state, list->layout->thread_bytes))
                return false;
        list->next = python_word_at(list->state, list->layout->thread_next);
        return true;
}

static void search_interpreter(struct state_search *search, uint64_t interp)
{
        const struct python_layout *layout = &search->runtime->layout;
        struct state_list list = {.layout = layout, .memory = search->memory, .n_left = &search->n_left};

        list_begin(&list, interp);
        while (list_next(&list)) {
                enum fit fit = fit_of(layout, search->thread, list.addr, list.state);

                if (fit != FIT_NONE && fit >= search->best &&
                    python_word_at(list.state, layout->thread_interp) == interp)
                        add_state(search, list.addr, list.state, fit);
        }
}

uint32_t python_runtime_search(const struct python_runtime *runtime, struct python_thread *thread,
                               struct python_memory *memory)
{
        const struct python_layout *layout = &runtime->layout;
        struct state_search search = {.runtime = runtime,
                                      .thread = thread,
                                      .memory = memory,
                                      .best = FIT_NONE,
                                      .n_left = PYTHON_MAX_THREADS};
        uint64_t interp, older, n_before = memory->n_reads, n_reads;

        thread->n_states = thread->n_interpreters = 0;
        if (layout->runtime_current != PYTHON_NO_FIELD &&
            !python_memory_word(memory, runtime->addr + layout->runtime_current, &search.current))
                search.current = 0;
        if (!python_memory_word(memory, runtime->addr + layout->runtime_interpreters, &interp))
                interp = 0;
        thread->newest = interp;
        thread->has_foreign = interp && layout->frames == PYTHON_FRAMES_CFRAME &&
                              python_memory_word(memory, interp + layout->interp_next, &older) && older;
        for (unsigned i = 0; interp && i < PYTHON_MAX_INTERPRETERS; i++) {
                thread->n_interpreters++;
                search_interpreter(&search, interp);
                if (!python_memory_word(memory, interp + layout->interp_next, &interp))
                        break;
        }
        n_reads = (memory->n_reads - n_before) / READS_A_WAIT;
        thread->wait = n_reads < MAX_WAIT ? (uint32_t)n_reads : MAX_WAIT;
        return thread->n_states;
}

static struct python_state make_state(const struct state_list *list, uint64_t current)
{
        const struct python_layout *layout = list->layout;
        bool has_status = layout->thread_status != PYTHON_NO_FIELD;

        return (struct python_state){
                .addr = list->addr,
                .interp = list->interp,
                .pointer = python_id_at(layout, list->state, layout->thread_id),
                .native_id = layout->thread_native_id == PYTHON_NO_FIELD
                                     ? 0
                                     : python_id_at(layout, list->state, layout->thread_native_id),
                .stack_at = stack_of(layout, list->addr, list->state),
                .has_gil = has_status
                                   ? python_int_at(list->state, layout->thread_status) & PYTHON_STATUS_ACTIVE
                                   : list->addr == current,
        };
}

bool python_runtime_has_gil(const struct python_runtime *runtime, struct python_memory *memory,
                            uint64_t state)
{
        const struct python_layout *layout = &runtime->layout;
        uint64_t current;
        int32_t status;

        if (layout->thread_status == PYTHON_NO_FIELD)
                return layout->runtime_current != PYTHON_NO_FIELD &&
                       python_memory_word(memory, runtime->addr + layout->runtime_current, &current) &&
                       current == state;
        return python_memory_read(memory, state + layout->thread_status, &status, sizeof(status)) &&
               status & PYTHON_STATUS_ACTIVE;
}

void python_runtime_each_state(const struct python_runtime *runtime, struct python_memory *memory,
                               bool (*see)(void *ctx, const struct python_state *state), void *ctx)
{
        const struct python_layout *layout = &runtime->layout;
        uint32_t n_left = PYTHON_MAX_THREADS;
        struct state_list list = {.layout = layout, .memory = memory, .n_left = &n_left};
        uint64_t interp, current = 0;

        if (layout->runtime_current != PYTHON_NO_FIELD &&
            !python_memory_word(memory, runtime->addr + layout->runtime_current, &current))
                current = 0;
        if (!python_memory_word(memory, runtime->addr + layout->runtime_interpreters, &interp))
                return;
        for (unsigned i = 0; interp && i < PYTHON_MAX_INTERPRETERS; i++) {
                list_begin(&list, interp);
                while (list_next(&list)) {
                        struct python_state state = make_state(&list, current);

                        if (!see(ctx, &state))
                                return;
                }
                if (!python_memory_word(memory, interp + layout->interp_next, &interp))
                        return;
        }
}
