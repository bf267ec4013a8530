/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the Python frames of stopped threads. Used by the thread that stops them; the results go to a
 * sink. */
#ifndef STOP_FRAMES_H
#define STOP_FRAMES_H

#include "stop_python.h"

/* What receives the results. */
struct stop_frames_sink {
        /* The frames of a stop, stack->n_frames; valid during the call. */
        void (*add_stack)(void *ctx, const struct stop_python_stack *stack,
                          const struct python_frame *frames);
        /* A code object to which frames refer from now on; numbers begin at 1 and have no gaps. Takes
         * ownership of the contents of `code`. False if there is no room for it now. */
        bool (*add_code)(void *ctx, uint64_t number, struct python_code *code);
        void *ctx;
};

struct stop_frames;

/* `binaries` belongs to the caller. */
struct stop_frames *stop_frames_new(struct stop_binaries *binaries, const struct stop_frames_sink *sink);
void stop_frames_free(struct stop_frames *frames);
AUTO_DEFINE(stop_frames)

/* Reads the frames of a stopped thread. `ctx` is a struct stop_frames. */
void stop_frames_see(void *ctx, const struct stop_thread *thread);

/* Reads the frames of a thread that runs, twice. The sink gets none if they have changed meanwhile.
 * `is_late`: the sample is old. */
void stop_frames_see_running(struct stop_frames *frames, const struct stop_thread *thread, bool is_late);

/* Forgets an image that no process runs any more. `ctx` is a struct stop_frames. */
void stop_frames_end(void *ctx, uint32_t image);

/* For any thread: makes the next stop of a thread search for its thread state again, because its frames do
 * not match its native stack. */
void stop_frames_forget(struct stop_frames *frames, int32_t tid);

#endif
