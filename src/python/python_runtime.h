/* SPDX-License-Identifier: BSD-3-Clause */
/* One interpreter library in one process: from a native thread to its thread states.  What was found once is kept, so that a thread
 * costs one read from then on. */
#ifndef PYTHON_RUNTIME_H
#define PYTHON_RUNTIME_H

#include "python_binary.h"
#include "python_memory.h"

enum {
        PYTHON_MAX_INTERPRETERS = 1024,
        PYTHON_MAX_THREADS = 16384, /* thread states that one search looks at */
        PYTHON_MAX_STATES = 8, /* thread states of one native thread: one for each interpreter that it runs */
        PYTHON_KEPT_COPIES = 256,
};

/* Where the bytecode of a code object begins for one thread, in a free-threaded build. */
struct python_kept_copy {
        uint64_t code;
        uint64_t instrs;
        int32_t index;
};

struct python_runtime {
        struct python_layout layout;
        uint64_t addr;                   /* of _PyRuntime */
        uint64_t code_type;              /* of PyCode_Type; 0: not known */
        uint64_t eval;                   /* of _PyEval_EvalFrameDefault; 0: not known */
        struct python_kept_copy *copies; /* NULL until the first one is found */
};

/* `bias` is the run-time address of the file's virtual address 0.  Reads no memory of the process. */
void python_runtime_init(struct python_runtime *runtime, const struct python_binary *binary, uint64_t bias);
void python_runtime_release(struct python_runtime *runtime);

/* What is known of a native thread; zeroed before its first use, one for each (runtime, thread). */
struct python_thread {
        uint64_t pointer;   /* fs base, tpidr_el0; set by the caller */
        uint64_t native_id; /* gettid() in the process's PID namespace, 0: not known; set by the caller */
        uint64_t pc, sp;    /* where it stands; set by the caller before each walk, 0 when not known */
        uint64_t states[PYTHON_MAX_STATES]; /* thread states, the active one first */
        uint32_t n_states;
        uint32_t wait;  /* so many walks that find no frames don't search again */
        uint32_t reach; /* bytes of the data stack that the last walks needed */
};

/* Forgets the thread states, so that the next walk searches again: to be called when the frames that were found don't match the
 * native stack, and in the child of a fork. */
void python_thread_forget(struct python_thread *thread);

/* Searches all interpreters for the thread's states.  By pthread_self(), which is the thread pointer (on arm64 somewhat below), else
 * by the native id.  Returns their number. */
uint32_t python_runtime_search(const struct python_runtime *runtime, struct python_thread *thread,
                               struct python_memory *memory);

/* Whether a copy of a thread state's bytes (layout.thread_bytes of them) is still one of this thread. */
bool python_runtime_is_state(const struct python_runtime *runtime, const struct python_thread *thread,
                             const uint8_t *state);

/* A word of a copy of some struct. */
static inline uint64_t python_word_at(const uint8_t *bytes, uint32_t off)
{
        uint64_t word;

        __builtin_memcpy(&word, bytes + off, sizeof(word));
        return word;
}

static inline int32_t python_int_at(const uint8_t *bytes, uint32_t off)
{
        int32_t value;

        __builtin_memcpy(&value, bytes + off, sizeof(value));
        return value;
}

#endif
