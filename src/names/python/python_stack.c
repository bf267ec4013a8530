/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks the frames of a thread state. */
#include "python_stack.h"

#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "mem.h"
#include "python_window.h"

enum {
        START_BYTES = 256, /* first bytes of the eval function, in which it fills the cframe; 166 in 3.12.1 */
        MAX_EVAL_BYTES = 4096,     /* maximum size of its native frame */
        OWNER_SHIM = 3,            /* enum _frameowner: from here on, owners run no code */
        TAG_BITS = 7,              /* tag bits of a _PyStackRef; 3.14 and later */
        MAX_INSTR_BYTES = 1 << 26, /* maximum size of the bytecode of a function */
        COPIES_ENTRIES = 8,        /* struct _PyCodeArray */
        MAX_COPIES = 1 << 20,
        CFRAME_BYTES =
                24, /* size in 3.11; 3.12 has 16, followed by other data of the stack or thread state */
};

/* Local variable of the eval function in 3.11 and 3.12. */
struct cframe {
        uint64_t addr, current, previous;
};

/* What frames are read with. */
struct frame_source {
        struct python_runtime *runtime;
        struct python_memory *memory;
};

struct frame_walk {
        struct frame_source source;
        struct python_frame *frames;
        size_t n_frames, max_frames;
        enum python_end end;
        uint64_t pc, sp;
        /* 3.11: cframe of the native eval frame that runs the current frames; addr 0: none */
        struct cframe cframe;
        bool is_starting;       /* an eval function begins: frames are not trusted until a cframe agrees with
                                   them */
        uint64_t outer_current; /* 3.12, if is_starting: the frame of the cframe before */
        uint64_t state_addr;
        uint8_t state[PYTHON_MAX_THREAD_BYTES];
        bool is_searched;  /* the states were searched for this walk */
        bool needs_search; /* the thread may have another state */
        struct python_window window;
};

static const char *const end_texts[PYTHON_N_ENDS] = {
        [PYTHON_END_WHOLE] = "whole",         [PYTHON_END_NO_THREAD] = "no thread state",
        [PYTHON_END_NO_FRAME] = "no frame",   [PYTHON_END_UNREADABLE] = "unreadable",
        [PYTHON_END_LOOP] = "loop",           [PYTHON_END_LIMIT] = "limit",
        [PYTHON_END_START] = "start of eval", [PYTHON_END_BAD_FRAME] = "bad frame",
};

const char *python_end_text(enum python_end end)
{
        return end < PYTHON_N_ENDS ? end_texts[end] : "?";
}

static bool end_walk(struct frame_walk *walk, enum python_end end)
{
        walk->end = end;
        return false;
}

/* --- One frame -------------------------------------------------------------------------------------- */

static bool is_in_code(uint64_t instrs, uint64_t instr)
{
        return instr + 2 - instrs < MAX_INSTR_BYTES && !((instr - instrs) & 1);
}

/* The address of copy `index` of the bytecode; 0 if it can't be found. */
static uint64_t read_copy(const struct frame_source *source, uint64_t code, int32_t index)
{
        uint64_t copies, n, instrs;

        if (!python_memory_word(source->memory, code + source->runtime->layout.code_copies, &copies) ||
            !copies || !python_memory_word(source->memory, copies, &n) || n > MAX_COPIES ||
            (uint64_t)index >= n ||
            !python_memory_word(source->memory, copies + COPIES_ENTRIES + (uint64_t)index * 8, &instrs))
                return 0;
        return instrs;
}

/* A free-threaded interpreter gives each thread a copy of the bytecode; copy 0 is in the code object. */
static uint64_t find_copy(struct frame_source *source, uint64_t code, int32_t index, uint64_t instr)
{
        struct python_runtime *runtime = source->runtime;
        struct python_kept_copy *kept;

        if (!runtime->copies)
                runtime->copies = mem_new(PYTHON_KEPT_COPIES, sizeof(*runtime->copies));
        kept = &runtime->copies[(code >> 4 ^ code >> 12 ^ (uint64_t)index) % PYTHON_KEPT_COPIES];
        if (kept->code == code && kept->index == index && is_in_code(kept->instrs, instr))
                return kept->instrs;
        *kept = (struct python_kept_copy){
                .code = code, .index = index, .instrs = read_copy(source, code, index)};
        return kept->instrs;
}

static int32_t get_instr(struct frame_source *source, const uint8_t *bytes, uint64_t code)
{
        const struct python_layout *layout = &source->runtime->layout;
        uint64_t instr, instrs = code + layout->code_instrs;

        if (layout->frames == PYTHON_FRAMES_HEAP) {
                int32_t last = python_int_at(bytes, layout->frame_instr);
                int32_t unit = layout->table == PYTHON_TABLE_LINES ? 2 : 1;

                if (last == -1)
                        return PYTHON_INSTR_START;
                return last >= 0 && last < MAX_INSTR_BYTES ? last * unit : PYTHON_INSTR_UNKNOWN;
        }
        instr = python_word_at(bytes, layout->frame_instr);
        if (layout->frame_copy != PYTHON_NO_FIELD) {
                int32_t index = python_int_at(bytes, layout->frame_copy);

                if (index > 0)
                        instrs = find_copy(source, code, index, instr);
        }
        if (!instrs || !is_in_code(instrs, instr))
                return PYTHON_INSTR_UNKNOWN;
        return instr < instrs ? PYTHON_INSTR_START : (int32_t)(instr - instrs);
}

/* False: this is not a valid frame. */
static bool decode_frame(struct frame_source *source, uint64_t addr, const uint8_t *bytes,
                         struct python_frame *ret_frame)
{
        const struct python_layout *layout = &source->runtime->layout;
        uint64_t code = python_word_at(bytes, layout->frame_code);

        *ret_frame = (struct python_frame){.addr = addr, .kind = PYTHON_FRAME_CODE};
        if (layout->frame_owner != PYTHON_NO_FIELD && bytes[layout->frame_owner] >= OWNER_SHIM) {
                ret_frame->kind = PYTHON_FRAME_SHIM;
                ret_frame->instr_bytes = PYTHON_INSTR_UNKNOWN;
                return true;
        }
        if (layout->minor >= 14)
                code &= ~(uint64_t)TAG_BITS;
        if (!code || code & 7)
                return false;
        ret_frame->code = code;
        ret_frame->instr_bytes = get_instr(source, bytes, code);
        ret_frame->is_entry = layout->frames == PYTHON_FRAMES_HEAP ||
                              (layout->frame_entry != PYTHON_NO_FIELD && bytes[layout->frame_entry]);
        return true;
}

bool python_stack_read_frame(struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                             struct python_frame *ret_frame)
{
        struct frame_source source = {runtime, memory};
        uint8_t bytes[PYTHON_MAX_FRAME_BYTES];

        return python_memory_read(memory, addr, bytes, runtime->layout.frame_bytes) &&
               decode_frame(&source, addr, bytes, ret_frame);
}

bool python_stack_agree(const struct python_frame *before, size_t n_before, const struct python_frame *after,
                        size_t n_after)
{
        bool is_caller = false;

        if (n_before != n_after)
                return false;
        for (size_t i = 0; i < n_before; i++) {
                const struct python_frame *a = &before[i], *b = &after[i];

                if (a->addr != b->addr || a->kind != b->kind)
                        return false;
                if (a->kind != PYTHON_FRAME_CODE)
                        continue;
                if (a->code != b->code || (is_caller && a->instr_bytes != b->instr_bytes))
                        return false;
                is_caller = true;
        }
        return true;
}

static bool add_frame(struct frame_walk *walk, struct python_frame frame)
{
        if (walk->n_frames == walk->max_frames)
                return end_walk(walk, PYTHON_END_LIMIT);
        walk->frames[walk->n_frames++] = frame;
        return true;
}

/* Reads a cframe; the outermost one is in the thread state. */
static bool read_cframe(struct frame_walk *walk, uint64_t addr, struct cframe *ret_cframe)
{
        const struct python_layout *layout = &walk->source.runtime->layout;
        uint64_t off = addr - walk->state_addr;
        uint8_t bytes[CFRAME_BYTES];

        if (addr >= walk->state_addr && off + CFRAME_BYTES <= layout->thread_bytes)
                memcpy(bytes, walk->state + off, CFRAME_BYTES);
        else if (!python_memory_read(walk->source.memory, addr, bytes, CFRAME_BYTES))
                return false;
        *ret_cframe = (struct cframe){.addr = addr,
                                      .current = python_word_at(bytes, layout->cframe_frame),
                                      .previous = python_word_at(bytes, layout->cframe_previous)};
        return true;
}

/* 3.11: each cframe belongs to a native eval frame.  The frame in the cframe before must be the frame that
 * follows. */
static bool add_cframe(struct frame_walk *walk, uint64_t following)
{
        struct python_frame shim = {
                .addr = walk->cframe.addr, .instr_bytes = PYTHON_INSTR_UNKNOWN, .kind = PYTHON_FRAME_SHIM};

        if (!add_frame(walk, shim))
                return false;
        if (!read_cframe(walk, walk->cframe.previous, &walk->cframe))
                return end_walk(walk, PYTHON_END_UNREADABLE);
        if (walk->cframe.current != following)
                return end_walk(walk, PYTHON_END_BAD_FRAME);
        walk->is_starting = false;
        return true;
}

/* Walks from the innermost frame to the frame without a caller.  Finds loops by Brent's algorithm: one
 * frame is remembered, and replaced after 1, 2, 4, ... steps. */
static bool walk_frames(struct frame_walk *walk, uint64_t addr)
{
        uint64_t kept = 0;
        size_t n_steps = 0, next_kept = 1;

        while (addr) {
                struct python_frame frame;
                const uint8_t *bytes;

                if (addr == kept)
                        return end_walk(walk, PYTHON_END_LOOP);
                if (++n_steps == next_kept) {
                        kept = addr;
                        next_kept *= 2;
                }
                if (addr & 7)
                        return end_walk(walk, PYTHON_END_BAD_FRAME);
                bytes = python_window_get(&walk->window, addr);
                if (!bytes)
                        return end_walk(walk, PYTHON_END_UNREADABLE);
                if (!decode_frame(&walk->source, addr, bytes, &frame))
                        return end_walk(walk, PYTHON_END_BAD_FRAME);
                addr = python_word_at(bytes, walk->source.runtime->layout.frame_previous);
                if (!add_frame(walk, frame))
                        return false;
                if (walk->cframe.addr && frame.is_entry && !add_cframe(walk, addr))
                        return false;
                if (walk->is_starting && frame.kind == PYTHON_FRAME_SHIM) {
                        if (addr != walk->outer_current)
                                return end_walk(walk, PYTHON_END_START);
                        walk->is_starting = false;
                }
        }
        return true;
}

/* --- Thread states ---------------------------------------------------------------------------------- */

/* In 3.11 and 3.12 the eval function first writes the address of its cframe, a local variable, into the
 * thread state, and fills the cframe a few instructions later.  Until then the cframe has what the last
 * call left there, usually the same values. */
static bool may_be_unfilled(const struct frame_walk *walk, uint64_t cframe)
{
        const struct python_runtime *runtime = walk->source.runtime;

        return runtime->eval && walk->pc - runtime->eval < START_BYTES && cframe - walk->sp < MAX_EVAL_BYTES;
}

static bool begin_cframe(struct frame_walk *walk, uint64_t addr, uint64_t *ret_frame)
{
        const struct python_layout *layout = &walk->source.runtime->layout;
        struct cframe cframe, outer = {0};

        walk->is_starting = may_be_unfilled(walk, addr);
        if (!read_cframe(walk, addr, &cframe))
                return end_walk(walk, PYTHON_END_UNREADABLE);
        if (walk->is_starting && !read_cframe(walk, cframe.previous, &outer))
                return end_walk(walk, PYTHON_END_START);
        walk->outer_current = outer.current;
        if (layout->frame_entry != PYTHON_NO_FIELD)
                walk->cframe = cframe;
        *ret_frame = cframe.current;
        return true;
}

/* The innermost frame of the state in walk->state; 0 if there is none. */
static bool get_innermost(struct frame_walk *walk, uint64_t *ret_addr)
{
        const struct python_layout *layout = &walk->source.runtime->layout;
        uint64_t addr = python_word_at(walk->state, layout->thread_frame);

        walk->cframe.addr = 0;
        walk->is_starting = false;
        if (layout->frames == PYTHON_FRAMES_CFRAME && addr && !begin_cframe(walk, addr, &addr))
                return false;
        *ret_addr = addr;
        return true;
}

static bool read_state(struct frame_walk *walk, const struct python_thread *thread, uint32_t i)
{
        walk->state_addr = i < thread->n_states ? thread->states[i] : 0;
        return walk->state_addr &&
               python_memory_read(walk->source.memory, walk->state_addr, walk->state,
                                  walk->source.runtime->layout.thread_bytes) &&
               python_runtime_is_state(walk->source.runtime, thread, walk->state_addr, walk->state);
}

/* Reads the first state, which is the one that runs. */
static bool read_first(struct frame_walk *walk, struct python_thread *thread)
{
        uint64_t first = thread->states[0];

        if (!read_state(walk, thread, 0))
                return false;
        if (walk->is_searched)
                return true;
        walk->needs_search =
                !python_runtime_sort_states(walk->source.runtime, thread, walk->source.memory, walk->state);
        return !walk->needs_search && (thread->states[0] == first || read_state(walk, thread, 0));
}

/* Walks the frames of one state; false: the walk has ended.  Other states than the first one may have
 * ended. */
static bool walk_state(struct frame_walk *walk, struct python_thread *thread, uint32_t i)
{
        uint64_t addr;
        bool is_good;

        if (i && !read_state(walk, thread, i))
                return true;
        if (!i && !read_first(walk, thread))
                return end_walk(walk, PYTHON_END_NO_THREAD);
        if (!get_innermost(walk, &addr))
                return false;
        if (!addr)
                return true;
        python_window_begin(&walk->window, walk->state, thread->reach);
        walk->end = PYTHON_END_WHOLE;
        is_good = walk_frames(walk, addr);
        if (walk->is_starting) {
                walk->n_frames = 0;
                return end_walk(walk, PYTHON_END_START);
        }
        if (is_good && i == 0)
                thread->reach = python_window_reach(&walk->window);
        return is_good;
}

/* The frames of one native eval frame. */
struct segment {
        size_t start, n;
        uint64_t shim;
};

static int by_shim(const void *a, const void *b)
{
        const struct segment *x = a, *y = b;

        if (x->shim != y->shim)
                return x->shim < y->shim ? -1 : 1;
        return (x->start > y->start) - (x->start < y->start);
}

/* Splits the frames at their shims.  A shim below the stack belongs to no native frame: it is the outermost
 * of its state. */
static size_t find_segments(const struct frame_walk *walk, struct segment *segments)
{
        size_t n = 0, start = 0;

        for (size_t i = 0; i < walk->n_frames; i++) {
                const struct python_frame *frame = &walk->frames[i];

                if (frame->kind != PYTHON_FRAME_SHIM && i + 1 < walk->n_frames)
                        continue;
                segments[n].start = start;
                segments[n].n = i + 1 - start;
                segments[n++].shim = frame->kind == PYTHON_FRAME_SHIM && frame->addr >= walk->sp ? frame->addr
                                                                                                 : UINT64_MAX;
                start = i + 1;
        }
        return n;
}

/* Interpreters may call each other in turns: the addresses of shims tell which frames were called later. */
static void sort_segments(struct frame_walk *walk)
{
        struct segment *segments = mem_new(walk->n_frames, sizeof(*segments));
        struct python_frame *sorted = mem_new(walk->n_frames, sizeof(*sorted));
        size_t n = find_segments(walk, segments), at = 0;

        qsort(segments, n, sizeof(*segments), by_shim);
        for (size_t i = 0; i < n; i++) {
                memcpy(sorted + at, walk->frames + segments[i].start, segments[i].n * sizeof(*sorted));
                at += segments[i].n;
        }
        memcpy(walk->frames, sorted, at * sizeof(*sorted));
        free(segments);
        free(sorted);
}

/* Walks the frames of all known states.  False: another search may find other states. */
static bool walk_states(struct frame_walk *walk, struct python_thread *thread)
{
        size_t n_first = 0;

        walk->n_frames = 0;
        walk->end = thread->n_states ? PYTHON_END_NO_FRAME : PYTHON_END_NO_THREAD;
        walk->pc = thread->pc;
        for (uint32_t i = 0; i < thread->n_states && walk_state(walk, thread, i); i++) {
                walk->pc = 0;
                n_first = i ? n_first : walk->n_frames;
        }
        if (walk->n_frames > n_first && n_first && python_stack_has_shims(&walk->source.runtime->layout))
                sort_segments(walk);
        for (size_t i = 0; i < walk->n_frames; i++)
                if (walk->frames[i].kind == PYTHON_FRAME_CODE)
                        return true;
        return walk->end == PYTHON_END_START || walk->end == PYTHON_END_LIMIT;
}

void python_stack_walk(struct python_runtime *runtime, struct python_thread *thread,
                       struct python_memory *memory, struct python_frame *frames, size_t max_frames,
                       struct python_walked *ret_walked)
{
        struct frame_walk walk;
        uint64_t n_before = memory->n_reads;

        walk.source.runtime = runtime;
        walk.source.memory = memory;
        walk.frames = frames;
        walk.max_frames = max_frames;
        walk.sp = thread->sp;
        walk.window.layout = &runtime->layout;
        walk.window.memory = memory;
        walk.is_searched = walk.needs_search = false;
        /* Extensions may delete thread states and make new ones. */
        if (!walk_states(&walk, thread)) {
                if (thread->wait && !walk.needs_search) {
                        thread->wait--;
                } else {
                        python_runtime_search(runtime, thread, memory);
                        walk.is_searched = true;
                        walk_states(&walk, thread);
                }
        }
        *ret_walked = (struct python_walked){.n_frames = walk.n_frames,
                                             .end = walk.end,
                                             .n_reads = (uint32_t)(memory->n_reads - n_before)};
}
