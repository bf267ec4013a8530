/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python frames of threads that stand at their samples: copied on the engine's thread, taken by the reader of the
 * samples.  Everything else (lines, pairing with native frames) is done by the reader, while the threads run on. */
#ifndef STOP_PYTHON_H
#define STOP_PYTHON_H

#include "python_code.h"
#include "python_pair.h"
#include "python_stack.h"
#include "stop_thread.h"

struct stop_python;

struct stop_python *stop_python_new(void);
void stop_python_free(struct stop_python *python);
AUTO_DEFINE(stop_python)

/* The engine's callback; `ctx` is a struct stop_python. */
void stop_python_see(void *ctx, const struct stop_thread *thread);

/* The engine's other callback: forgets what is known of an image, which nobody runs any more. */
void stop_python_end(void *ctx, uint32_t image);

/* The frames of one stop. */
struct stop_python_stack {
        int32_t tid;
        uint32_t image; /* of struct stop_thread */
        uint64_t time_ns;
        uint32_t
                binary; /* number of the file that defines the interpreter, counted from 1; 0: it was not found */
        uint16_t end;        /* enum python_end */
        bool is_unsupported; /* the interpreter is one that wperf can't read */
        uint64_t bias;       /* of that file: run-time address - virtual address */
        uint64_t n_frames;
};

/* Takes the frames of the sample of `tid` at `time_ns`; samples have to be asked for in the order of their times.  Frames
 * are valid until the next call; `code` of a frame is the number for stop_python_get_code.  False: there was no stop. */
bool stop_python_take(struct stop_python *python, int32_t tid, uint64_t time_ns,
                      struct stop_python_stack *ret_stack, const struct python_frame **ret_frames);

/* Valid until stop_python_free; NULL: it could not be read. */
const struct python_code *stop_python_get_code(struct stop_python *python, uint64_t number);

/* What the native function at `pc` is to the interpreter. */
enum python_native stop_python_kind(struct stop_python *python, const struct stop_python_stack *stack,
                                    uint64_t pc);

/* NULL: the interpreter was not found. */
const struct python_binary *stop_python_binary(struct stop_python *python,
                                               const struct stop_python_stack *stack);

/* Lets the next stop of a thread search for its thread states again: its frames don't match its native stack. */
void stop_python_forget(struct stop_python *python, int32_t tid);

#endif
