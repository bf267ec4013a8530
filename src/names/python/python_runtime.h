/* SPDX-License-Identifier: BSD-3-Clause */
/* One interpreter library in one process: finds the thread states of a native thread.  Results are kept, so
 * that later each thread costs one read. */
#ifndef PYTHON_RUNTIME_H
#define PYTHON_RUNTIME_H

#include "python_binary.h"
#include "python_memory.h"

enum {
        PYTHON_MAX_INTERPRETERS = 1024,
        PYTHON_MAX_THREADS = 16384, /* maximum number of thread states that one search reads */
        PYTHON_MAX_STATES = 8, /* thread states of one native thread: one for each interpreter that it runs */
        PYTHON_KEPT_COPIES = 256,
/* where glibc's struct pthread, to which pthread_self() points, has the number of the thread */
#if defined(__aarch64__)
        PYTHON_PTHREAD_TID_AT = 0xd0,
#else
        PYTHON_PTHREAD_TID_AT = 0x2d0,
#endif
};

/* The address of the bytecode of a code object for one thread, in a free-threaded build. */
struct python_kept_copy {
        uint64_t code;
        uint64_t instrs;
        int32_t index;
};

struct python_runtime {
        struct python_layout layout;
        uint64_t addr;                   /* address of _PyRuntime */
        uint64_t code_type;              /* address of PyCode_Type; 0: not known */
        uint64_t eval;                   /* address of _PyEval_EvalFrameDefault; 0: not known */
        struct python_kept_copy *copies; /* NULL until the first copy is found */
};

/* `bias` is the run-time address of the file's virtual address 0.  Reads no memory of the process. */
void python_runtime_init(struct python_runtime *runtime, const struct python_binary *binary, uint64_t bias);
void python_runtime_release(struct python_runtime *runtime);

/* Forgets where copies of bytecode are, because a code object has changed.  False if none were known. */
bool python_runtime_forget_copies(struct python_runtime *runtime);

/* State of a native thread; zeroed before its first use, one for each (runtime, thread). */
struct python_thread {
        uint64_t pointer;   /* fs base, tpidr_el0; on Windows the thread's id; set by the caller */
        uint64_t native_id; /* gettid() in the process's PID namespace, 0: not known; set by the caller */
        uint64_t pc, sp;    /* registers; set by the caller before each walk, 0 if not known */
        uint64_t states[PYTHON_MAX_STATES]; /* thread states, the one that runs first */
        uint32_t n_states;
        uint32_t n_interpreters; /* at the last search; 0: before it */
        uint64_t newest;         /* the newest interpreter then */
        bool has_foreign;        /* states may run that say to be of another thread: see python_runtime.c */
        uint32_t wait;           /* number of walks without frames that do not search again */
        uint32_t reach;          /* bytes of the data stack that the last walks needed */
};

/* Forgets the thread states, so that the next walk searches again.  To be called if the frames that were
 * found don't match the native stack, and in the child of a fork. */
void python_thread_forget(struct python_thread *thread);

/* Searches all interpreters for the thread's states: by pthread_self(), which is the thread pointer (on
 * arm64 somewhat below it), else by the native id; on Windows by the thread's id.  Returns their number. */
uint32_t python_runtime_search(const struct python_runtime *runtime, struct python_thread *thread,
                               struct python_memory *memory);

/* A thread state of any interpreter. */
struct python_state {
        uint64_t addr;
        uint64_t pointer;   /* pthread_self() of its thread */
        uint64_t native_id; /* gettid() in the process's PID namespace; 0: this version does not store it */
        uint64_t interp;    /* its interpreter */
        bool has_gil;       /* its thread runs, and may touch objects */
        uint64_t stack_at;  /* an address on the stack of the thread that runs it; 0: not known */
};

/* Whether the state at this address has the GIL now. */
bool python_runtime_has_gil(const struct python_runtime *runtime, struct python_memory *memory,
                            uint64_t state);

/* Calls `see` for each thread state; it returns false to end. One read for each. */
void python_runtime_each_state(const struct python_runtime *runtime, struct python_memory *memory,
                               bool (*see)(void *ctx, const struct python_state *state), void *ctx);

/* A thread that runs an interpreter in another one has a state in each, and changes from one to the other.
 * Makes the state that runs the first one, if it is known; false if there may be another state, so that the
 * thread's states must be searched.  `first` is a copy of the first state. */
bool python_runtime_sort_states(const struct python_runtime *runtime, struct python_thread *thread,
                                struct python_memory *memory, const uint8_t *first);

/* Whether `state`, a copy of the thread state at `addr` (layout.thread_bytes), still belongs to this thread.
 */
bool python_runtime_is_state(const struct python_runtime *runtime, const struct python_thread *thread,
                             uint64_t addr, const uint8_t *state);

/* Reads a word from a copy of a struct. */
static inline uint64_t python_word_at(const uint8_t *bytes, uint32_t off)
{
        uint64_t word;

        __builtin_memcpy(&word, bytes + off, sizeof(word));
        return word;
}

static inline uint64_t python_id_at(const struct python_layout *layout, const uint8_t *bytes, uint32_t off)
{
        uint32_t id;

        if (!layout->is_windows)
                return python_word_at(bytes, off);
        __builtin_memcpy(&id, bytes + off, sizeof(id));
        return id;
}

static inline int32_t python_int_at(const uint8_t *bytes, uint32_t off)
{
        int32_t value;

        __builtin_memcpy(&value, bytes + off, sizeof(value));
        return value;
}

#endif
