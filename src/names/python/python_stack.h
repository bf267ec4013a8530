/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the Python frames of a stopped thread as plain structs.  python_code.h reads code objects. */
#ifndef PYTHON_STACK_H
#define PYTHON_STACK_H

#include "python_runtime.h"

enum { PYTHON_MAX_FRAMES = 8000 };

/* Why a walk ended. */
enum python_end {
        PYTHON_END_WHOLE,      /* the outermost frame was reached */
        PYTHON_END_NO_THREAD,  /* no interpreter has a state for the thread */
        PYTHON_END_NO_FRAME,   /* the thread has a thread state, but runs no Python code */
        PYTHON_END_UNREADABLE, /* a frame or a pointer to it can't be read */
        PYTHON_END_LOOP,       /* a frame's callers lead back to it */
        PYTHON_END_LIMIT,      /* no room for another frame */
        PYTHON_END_START,      /* 3.11, 3.12: an eval function has begun, and its cframe is not filled yet */
        PYTHON_END_BAD_FRAME, /* a frame without code, an impossible pointer, or a cframe that does not belong
                                 to the frames */
        PYTHON_N_ENDS,
};

enum python_frame_kind {
        PYTHON_FRAME_CODE, /* the frame runs a code object */
        /* 3.11 and later: no code.  A shim is a local variable of a native eval frame, which runs the
         * frames from here inwards up to the next shim.  In 3.11 the shim is the eval function's cframe,
         * later a frame with an owner of its own.  From 3.14 on it may also be the outermost frame of a
         * thread, which is in the thread state. */
        PYTHON_FRAME_SHIM,
};

/* Special values of instr_bytes. */
enum {
        PYTHON_INSTR_START = -1,         /* nothing was executed yet */
        PYTHON_INSTR_UNKNOWN = INT32_MIN /* the frame's pointer is outside its bytecode */
};

struct python_frame {
        uint64_t addr;
        uint64_t code;       /* the code object, without tag bits; undefined in a shim */
        int32_t instr_bytes; /* offset of the current instruction in the bytecode, or PYTHON_INSTR_* */
        uint8_t kind;        /* enum python_frame_kind */
        bool is_entry;       /* up to 3.11: a native eval frame runs this frame and the frames inside it */
};

struct python_walked {
        size_t n_frames;
        enum python_end end;
        uint32_t n_reads; /* number of calls of the memory's callback */
};

/* Frames are innermost first.  The thread must be stopped.  A frame that can't be read ends the walk; the
 * frames before it are valid.  If the thread runs several interpreters, their frames are in one list.
 * Needs one read for the thread state, one for the cframe of 3.11 and 3.12, and one for each 16 KB of the
 * data stack; one more for each generator, shim and cframe that is not in `memory`'s copy.  3.8 to 3.10:
 * one for each page of the heap. */
void python_stack_walk(struct python_runtime *runtime, struct python_thread *thread,
                       struct python_memory *memory, struct python_frame *frames, size_t max_frames,
                       struct python_walked *ret_walked);

/* Whether two walks of a thread that runs have met the same stack: the same frames and callers. The innermost
 * function may have gone on. */
bool python_stack_agree(const struct python_frame *before, size_t n_before, const struct python_frame *after,
                        size_t n_after);

/* Reads one frame, such as that of a suspended coroutine; false if there is none. */
bool python_stack_read_frame(struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                             struct python_frame *ret_frame);

/* Whether native eval frames are matched by the address of a shim; otherwise each Python frame is an
 * entry. */
static inline bool python_stack_has_shims(const struct python_layout *layout)
{
        return layout->frames != PYTHON_FRAMES_HEAP;
}

/* One or two words for messages and tests; never NULL, "?" for a number that is not known. */
const char *python_end_text(enum python_end end);

#endif
