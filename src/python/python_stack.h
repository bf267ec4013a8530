/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python frames of a stopped thread, as plain structs.  Code objects are not read here: python_code.h. */
#ifndef PYTHON_STACK_H
#define PYTHON_STACK_H

#include "python_runtime.h"

enum { PYTHON_MAX_FRAMES = 8000 };

/* Why a walk ended. */
enum python_end {
        PYTHON_END_WHOLE,      /* the outermost frame was reached */
        PYTHON_END_NO_THREAD,  /* no interpreter knows the thread */
        PYTHON_END_NO_FRAME,   /* the thread has a thread state, and runs no Python code */
        PYTHON_END_UNREADABLE, /* a frame or what leads to it can't be read */
        PYTHON_END_LOOP,       /* a frame's callers lead back to it */
        PYTHON_END_LIMIT,      /* no room for another frame */
        PYTHON_END_START,      /* 3.11, 3.12: an eval function has begun, and its cframe has nothing yet */
        PYTHON_END_BAD_FRAME, /* a frame without code, a pointer that can't be one, or a cframe of other frames */
        PYTHON_N_ENDS,
};

enum python_frame_kind {
        PYTHON_FRAME_CODE, /* runs a code object */
        /* 3.11 and later: no code.  A native eval frame has it among its local variables; the frames up to it, inwards, are those that
         * this native frame runs.  In 3.11 it is the eval function's cframe, later a frame with an owner of its own.  Or, from 3.14
         * on, it is the outermost frame of a thread, which lies in the thread state. */
        PYTHON_FRAME_SHIM,
};

/* Offsets into the bytecode that are no offset. */
enum {
        PYTHON_INSTR_START = -1,         /* nothing was executed yet */
        PYTHON_INSTR_UNKNOWN = INT32_MIN /* the frame has a pointer that is not into its bytecode */
};

struct python_frame {
        uint64_t addr;
        uint64_t code;       /* the code object, without tag bits; nothing in a shim */
        int32_t instr_bytes; /* the current instruction, from the start of the bytecode; else PYTHON_INSTR_* */
        uint8_t kind;        /* enum python_frame_kind */
        bool is_entry;       /* up to 3.11: a native eval frame begins with this frame */
};

struct python_walked {
        size_t n_frames;
        enum python_end end;
        uint32_t n_reads; /* calls of the memory's callback */
};

/* Innermost first.  The thread has to stand still.  A frame that can't be read ends the walk; frames before it are good.  Where the
 * thread runs several interpreters, the frames of all of them follow each other.  Costs one read for the thread state, one for the
 * cframe of 3.11 and 3.12, and one for each 16 KB of the data stack; generators, shims and cframes that don't lie in `memory`'s copy are
 * one read each.  3.8 to 3.10: one for each page of the heap that the walk comes to. */
void python_stack_walk(struct python_runtime *runtime, struct python_thread *thread,
                       struct python_memory *memory, struct python_frame *frames, size_t max_frames,
                       struct python_walked *ret_walked);

/* Whether native eval frames are known by the address of a shim; else each Python frame is an entry. */
static inline bool python_stack_has_shims(const struct python_layout *layout)
{
        return layout->frames != PYTHON_FRAMES_HEAP;
}

/* One or two words for messages and tests; never NULL, "?" for a number that is not known. */
const char *python_end_text(enum python_end end);

#endif
