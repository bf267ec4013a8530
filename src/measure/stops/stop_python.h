/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python frames of stopped threads, from stop_frames.h, until the reader of the samples takes them. The
 * reader does the rest (lines, pairing with native frames) while the threads run. */
#ifndef STOP_PYTHON_H
#define STOP_PYTHON_H

#include "python_code.h"
#include "python_pair.h"
#include "python_stack.h"
#include "stop_binary.h"
#include "stop_thread.h"

struct stop_python;

struct stop_python *stop_python_new(void);
void stop_python_free(struct stop_python *python);
AUTO_DEFINE(stop_python)

/* Has the names of the threads read that stacks are added of, by stop_python_read_names, which the reader
 * calls often (thread_names.h). On Linux. Call it before the first stack. */
void stop_python_want_names(struct stop_python *python, bool is_live);
void stop_python_read_names(struct stop_python *python);

/* The name of a thread if it is known and was not taken yet, else NULL; valid until names are read again. */
const char *stop_python_take_name(struct stop_python *python, uint32_t image, int32_t tid);

/* How the frames of a thread were read. */
enum stop_running {
        STOP_READ_STOPPED, /* it was stopped, or its memory was copied at the sample */
        STOP_READ_RUNNING,
        STOP_LATE,    /* the same, but the sample was old then */
        STOP_CHANGED, /* it ran, and two readings differ, so that there are no frames */
};

/* The frames of one stop. */
struct stop_python_stack {
        int32_t tid;
        uint32_t image;    /* as in struct stop_thread */
        uint64_t time_ns;  /* of the sample; for stop_python_take_near: when reading began */
        uint64_t until_ns; /* for stop_python_take_near: when reading ended */
        uint32_t binary; /* number of the file that defines the interpreter, from 1; 0 if it was not found */
        uint16_t end;    /* enum python_end */
        bool is_unsupported; /* wperf can't read this interpreter */
        uint8_t running;     /* enum stop_running */
        /* of a thread that ran: where its eval function must have pointed to at the sample */
        uint64_t anchor, anchor_end;
        uint64_t bias;      /* of that file: run-time address - virtual address */
        uint64_t pc;        /* of the sample */
        int32_t gil_holder; /* as in struct stop_thread */
        bool has_gil;
        uint64_t n_frames;
};

/* Adds what stop_frames.h has read; for its sink. `ctx` is a struct stop_python. */
void stop_python_add_stack(void *ctx, const struct stop_python_stack *stack,
                           const struct python_frame *frames);
bool stop_python_add_code(void *ctx, uint64_t number, struct python_code *code);

/* Takes the frames of the sample of `tid` at `time_ns`; call in order of time. The frames are valid until the
 * next call; a frame's `code` is the number for stop_python_get_code. False if there was no stop. */
bool stop_python_take(struct stop_python *python, int32_t tid, uint64_t time_ns,
                      struct stop_python_stack *ret_stack, const struct python_frame **ret_frames);

/* The same for frames that were read by the kernel's event itself, from time_ns to until_ns, a little before
 * or after the time of the sample at `pc`. */
bool stop_python_take_near(struct stop_python *python, int32_t tid, uint64_t time_ns, uint64_t pc,
                           struct stop_python_stack *ret_stack, const struct python_frame **ret_frames);

/* Valid until stop_python_free; NULL if it could not be read. */
const struct python_code *stop_python_get_code(struct stop_python *python, uint64_t number);

/* The role of the native function at `pc` in the interpreter. */
enum python_native stop_python_kind(struct stop_python *python, const struct stop_python_stack *stack,
                                    uint64_t pc);

/* NULL if the interpreter was not found. */
const struct python_binary *stop_python_binary(struct stop_python *python,
                                               const struct stop_python_stack *stack);

/* The files of interpreters; they belong to `python`. */
struct stop_binaries *stop_python_binaries(struct stop_python *python);

/* Tells what reads the frames that those of a thread do not match its native stack, so that it searches for
 * the thread state again. */
void stop_python_forget(struct stop_python *python, int32_t tid);

/* What is called then; from the reader's thread. */
void stop_python_on_forget(struct stop_python *python, void (*forget)(void *ctx, int32_t tid), void *ctx);

#endif
