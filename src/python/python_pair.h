/* SPDX-License-Identifier: BSD-3-Clause */
/* One chain out of a native stack and the Python frames of the same thread: native frames of the eval function give way to the
 * Python frames that they run.  From 3.11 on by address: the shim of an eval function is one of its local variables.  Before that by
 * count, from the frames that are entries. */
#ifndef PYTHON_PAIR_H
#define PYTHON_PAIR_H

#include "python_native.h"
#include "python_stack.h"
#include "unwind.h"

/* What became of the two stacks. */
enum python_pair_end {
        PYTHON_PAIR_MERGED,
        PYTHON_PAIR_NATIVE_ONLY, /* neither Python frames nor an eval function: nothing to pair */
        /* All of these leave the native stack as it is: */
        PYTHON_PAIR_START,       /* an eval function has just begun: the thread's frames can't be read */
        PYTHON_PAIR_NO_FRAMES,   /* an eval function, and no Python frame or thread state was found */
        PYTHON_PAIR_PYTHON_CUT,  /* the Python frames were not read to the outermost one */
        PYTHON_PAIR_NATIVE_CUT,  /* the native stack was not, and pairing by count needs it */
        PYTHON_PAIR_MORE_NATIVE, /* an eval function without Python frames: python_thread_forget */
        PYTHON_PAIR_MORE_PYTHON, /* Python frames without an eval function */
        PYTHON_PAIR_NO_ROOM,
        PYTHON_N_PAIR_ENDS,
};

/* Words for the quality line ("start-up"); never NULL. */
const char *python_pair_end_text(enum python_pair_end end);

/* A frame of the chain: of which list, and its number there. */
struct python_link {
        bool is_python;
        uint32_t index;
};

/* `kinds` (enum python_native) goes with `natives`; `is_native_whole` as by unwind_end_is_whole.  `frames` and `python_end` are from
 * python_stack_walk; `has_shims`: python_stack_has_shims.  Frames of hidden code are linked like others: only the
 * caller knows their code. */
struct python_stacks {
        const struct unwind_frame *natives;
        const uint8_t *kinds;
        size_t n_natives;
        bool is_native_whole;
        const struct python_frame *frames;
        size_t n_frames;
        enum python_end python_end;
        bool has_shims;
};

/* Innermost first; shims are left out.  A native frame with another name that has a shim stays, and the Python frames follow it: an eval
 * frame between the two was not found.  At most n_natives + n_frames links are needed.  When the stacks can't be paired, *ret_n is the
 * native frames and the links are these.  An innermost eval function without a frame of its own, which begins or ends, stays a native
 * frame; so does one whose Python function has returned.  Where the native stack is cut, pairing by address goes on with the Python
 * frames alone. */
enum python_pair_end python_pair(const struct python_stacks *stacks, struct python_link *links,
                                 size_t max_links, size_t *ret_n);

#endif
