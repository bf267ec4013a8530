/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges a native stack and the Python frames of the same thread into one chain: Python frames replace the
 * native frames of the eval functions that run them.  From 3.11 on frames are matched by address: the shim
 * of an eval function is one of its local variables.  In older versions they are matched by count: each
 * Python frame that is an entry has one eval function. */
#ifndef PYTHON_PAIR_H
#define PYTHON_PAIR_H

#include "python_native.h"
#include "python_stack.h"
#include "unwind.h"

/* Result of pairing the two stacks. */
enum python_pair_end {
        PYTHON_PAIR_MERGED,
        PYTHON_PAIR_NATIVE_ONLY, /* neither Python frames nor an eval function: nothing to pair */
        /* With all of these the native stack does not change: */
        PYTHON_PAIR_START,      /* an eval function has just begun, so the thread's frames can't be read */
        PYTHON_PAIR_NO_FRAMES,  /* there is an eval function, but no Python frame or thread state was found */
        PYTHON_PAIR_PYTHON_CUT, /* the outermost Python frame was not reached */
        PYTHON_PAIR_NATIVE_CUT, /* the outermost native frame was not reached, and pairing by count needs
                                   it */
        PYTHON_PAIR_MORE_NATIVE, /* there is an eval function without Python frames: call
                                    python_thread_forget */
        PYTHON_PAIR_MORE_PYTHON, /* there are Python frames without an eval function */
        PYTHON_PAIR_NO_ROOM,
        PYTHON_N_PAIR_ENDS,
};

/* A few words for the quality line ("start-up"); never NULL. */
const char *python_pair_end_text(enum python_pair_end end);

/* A frame of the chain: its list, and its index there. */
struct python_link {
        bool is_python;
        uint32_t index;
};

/* `kinds` (enum python_native) has an element for each of `natives`; `is_native_whole` as by
 * unwind_end_is_whole.  `frames` and `python_end` are from python_stack_walk; `has_shims` from
 * python_stack_has_shims.  Frames of hidden code are linked like others, because only the caller knows
 * their code. */
struct python_stacks {
        /* Whether a native frame is of a file of which python_native_switches; only asked if there are more
         * eval functions than Python frames.  NULL: none is. */
        bool (*switches)(void *ctx, size_t native);
        void *switches_ctx;
        const struct unwind_frame *natives;
        const uint8_t *kinds;
        size_t n_natives;
        bool is_native_whole;
        const struct python_frame *frames;
        size_t n_frames;
        enum python_end python_end;
        bool has_shims;
};

/* The links are innermost first and leave out shims.  A native frame with another name that has a shim
 * stays, and the Python frames follow it, because an eval frame between the two was not found.  At most
 * n_natives + n_frames links are needed.  If the stacks can't be paired, the links are the native frames.
 * An innermost eval function without a frame of its own, at its beginning or end, stays a native frame; so
 * does one whose Python function has returned.  If the native stack is cut, pairing by address continues
 * with the Python frames alone.  If a library that switches stacks has started the coroutine that runs, the
 * links end with its function; *ret_n_natives is the number of native frames up to there, else all of
 * them. */
enum python_pair_end python_pair(const struct python_stacks *stacks, struct python_link *links,
                                 size_t max_links, size_t *ret_n, size_t *ret_n_natives);

#endif
