/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames from hand-made memory: all versions, threads, interpreters, and invalid memory. */
#include "python_image.h"
#include "python_layouts.h"
#include "tap.h"

enum { MAX = 64 };

static struct image image;
static struct python_frame frames[PYTHON_MAX_FRAMES];
static struct python_walked walked;

static void start(unsigned number)
{
        struct python_layout layout = layout_number(number);

        image_init(&image, &layout);
}

static void finish(void)
{
        python_runtime_release(&image.runtime);
}

static void walk_thread(struct python_thread *thread, size_t max)
{
        python_stack_walk(&image.runtime, thread, &image.memory, frames, max, &walked);
}

static void walk(void)
{
        struct python_thread thread = {.pointer = IMAGE_POINTER};

        walk_thread(&thread, PYTHON_MAX_FRAMES);
}

/* Makes a thread state the one that runs, after the other one; either may be 0. */
static void set_current(uint64_t state, uint64_t before)
{
        const struct python_layout *layout = &image.runtime.layout;

        if (layout->thread_status == PYTHON_NO_FIELD) {
                image_word(&image, image.runtime.addr + layout->runtime_current, state);
                return;
        }
        if (before)
                image_int(&image, before + layout->thread_status, 3);
        if (state)
                image_int(&image, state + layout->thread_status, PYTHON_STATUS_ACTIVE | 3);
}

/* A main program, a generator and a function, and the shims of 3.11 and later. */
TEST(three_frames)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                uint64_t thread, main_code, gen_code, code, frame, main_frame, gen_frame, shim = 0;
                bool has_shims;

                start(i);
                has_shims = image.runtime.layout.minor >= 11;
                thread = image_thread(&image, IMAGE_POINTER);
                main_code = image_code(&image, "<module>", 1);
                gen_code = image_code(&image, "gen", 5);
                code = image_code(&image, "work", 9);
                if (image.runtime.layout.minor >= 12)
                        shim = image_aside(&image, 0, 0, 0);
                main_frame = image_push(&image, main_code, 4, shim);
                gen_frame = image_aside(&image, gen_code, 6, main_frame);
                frame = image_push(&image, code, -1, gen_frame);
                if (image.runtime.layout.frame_entry != PYTHON_NO_FIELD)
                        image_byte(&image, main_frame + image.runtime.layout.frame_entry, 1);
                if (image.runtime.layout.minor >= 14)
                        image_word(&image, frame + image.runtime.layout.frame_code, code | 1);
                image_enter(&image, thread, frame);
                walk();
                EXPECT_STR(python_end_text(walked.end), "whole");
                EXPECT_INT(walked.n_frames, 3 + has_shims);
                EXPECT_INT(frames[0].code, code);
                EXPECT_INT(frames[0].instr_bytes, PYTHON_INSTR_START);
                EXPECT_INT(frames[1].code, gen_code);
                EXPECT_INT(frames[1].instr_bytes, 6);
                EXPECT_INT(frames[1].addr, gen_frame);
                EXPECT_INT(frames[2].code, main_code);
                EXPECT_INT(frames[2].instr_bytes, 4);
                EXPECT_INT(frames[2].is_entry, image.runtime.layout.minor < 12);
                EXPECT_INT(frames[1].is_entry, image.runtime.layout.minor < 11);
                if (has_shims) {
                        EXPECT_INT(frames[3].kind, PYTHON_FRAME_SHIM);
                        if (shim)
                                EXPECT_INT(frames[3].addr, shim);
                }
                finish();
        }
}

/* The innermost function goes on, its callers stand at their calls. */
TEST(stacks_of_two_readings)
{
        const struct python_frame before[] = {
                {.addr = 0x300, .code = 0x30, .instr_bytes = 4},
                {.addr = 0x290, .kind = PYTHON_FRAME_SHIM, .instr_bytes = PYTHON_INSTR_UNKNOWN},
                {.addr = 0x200, .code = 0x20, .instr_bytes = 8},
        };
        struct python_frame after[N_ELEMENTS(before)];

        memcpy(after, before, sizeof(after));
        EXPECT_TRUE(python_stack_agree(before, 3, after, 3));
        EXPECT_TRUE(!python_stack_agree(before, 3, after + 1, 2));
        after[0].instr_bytes = 6;
        EXPECT_TRUE(python_stack_agree(before, 3, after, 3));
        after[2].instr_bytes = 10;
        EXPECT_TRUE(!python_stack_agree(before, 3, after, 3));
        after[2].instr_bytes = 8;
        after[1].addr = 0x288;
        EXPECT_TRUE(!python_stack_agree(before, 3, after, 3));
        after[1].addr = 0x290;
        after[0].code = 0x31;
        EXPECT_TRUE(!python_stack_agree(before, 3, after, 3));
}

TEST(few_reads)
{
        for (unsigned i = 3; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = IMAGE_POINTER};
                uint64_t state, code, frame = 0;

                start(i);
                state = image_thread(&image, IMAGE_POINTER);
                code = image_code(&image, "f", 1);
                for (int n = 0; n < 100; n++)
                        frame = image_push(&image, code, 2, frame);
                image_enter(&image, state, frame);
                set_current(state, 0);
                for (int n = 0; n < 3; n++)
                        walk_thread(&thread, PYTHON_MAX_FRAMES);
                EXPECT_INT(walked.n_frames, 100);
                EXPECT_INT(walked.n_reads, i == 3 ? 4 : i == 4 ? 3 : 2);
                finish();
        }
}

/* Through several pieces of the data stack. */
TEST(deep_recursion)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                uint64_t state, code, frame = 0;

                start(i);
                state = image_thread(&image, IMAGE_POINTER);
                code = image_code(&image, "f", 1);
                for (int n = 0; n < 1000; n++)
                        frame = image_push(&image, code, 2, frame);
                image_enter(&image, state, frame);
                walk();
                EXPECT_INT(walked.n_frames, 1000);
                EXPECT_STR(python_end_text(walked.end), "whole");
                if (i >= 3)
                        EXPECT_CMP(walked.n_reads, <, 20);
                finish();
        }
}

/* A chunk of the data stack that is longer than usual, for a function with very many variables. */
TEST(long_chunk)
{
        uint64_t state, code, outer, inner, far, chunk;

        start(7);
        state = image_thread(&image, IMAGE_POINTER);
        code = image_code(&image, "f", 1);
        image.chunk = image_alloc(&image, 4 * IMAGE_CHUNK);
        image_word(&image, image.chunk + IMAGE_CHUNK_SIZE_OFF, 4 * IMAGE_CHUNK);
        outer = image.chunk + IMAGE_CHUNK_DATA_OFF;
        far = image.chunk + 3 * IMAGE_CHUNK;
        image_fill(&image, outer, code, 2, 0);
        image_fill(&image, far, code, 4, outer);
        chunk = image_alloc(&image, IMAGE_CHUNK);
        image_word(&image, chunk + IMAGE_CHUNK_PREVIOUS_OFF, image.chunk);
        image_word(&image, chunk + IMAGE_CHUNK_SIZE_OFF, IMAGE_CHUNK);
        inner = chunk + IMAGE_CHUNK_DATA_OFF;
        image_fill(&image, inner, code, 6, far);
        image.chunk = chunk;
        image.chunk_top = inner + 128;
        image_enter(&image, state, inner);
        walk();
        EXPECT_INT(walked.n_frames, 3);
        EXPECT_INT(frames[2].instr_bytes, 2);
        EXPECT_STR(python_end_text(walked.end), "whole");
        finish();
}

/* 3.15: the outermost frame of a thread is in its thread state, if the version has one. */
TEST(base_frame)
{
        for (int has_base = 0; has_base < 2; has_base++) {
                uint64_t state, base, frame;

                start(7);
                state = image_thread(&image, IMAGE_POINTER);
                base = has_base ? image_aside(&image, 0, 0, 0) : 0;
                if (base)
                        image_byte(&image, base + image.runtime.layout.frame_owner, 4);
                frame = image_push(&image, image_code(&image, "f", 1), 2, base);
                image_enter(&image, state, frame);
                walk();
                EXPECT_INT(walked.n_frames, 1 + has_base);
                EXPECT_STR(python_end_text(walked.end), "whole");
                image_enter(&image, state, base);
                walk();
                EXPECT_INT(walked.n_frames, has_base);
                EXPECT_STR(python_end_text(walked.end), has_base ? "whole" : "no frame");
                finish();
        }
}

/* Copies of the bytecode: copy 0 is in the code object. */
TEST(bytecode_copies)
{
        enum { ENTRIES_OFF = 8 }; /* of _PyCodeArray: its size, then the addresses */

        for (unsigned i = 9; i < 11; i++) {
                uint64_t state, code, frame, array, copy;
                struct python_layout layout;

                start(i);
                layout = image.runtime.layout;
                state = image_thread(&image, IMAGE_POINTER);
                code = image_code(&image, "f", 1);
                array = image_alloc(&image, 64);
                copy = image_alloc(&image, 64);
                image_word(&image, array, 3);
                image_word(&image, array + ENTRIES_OFF, code + layout.code_instrs);
                image_word(&image, array + ENTRIES_OFF + 2 * 8, copy);
                image_word(&image, code + layout.code_copies, array);
                frame = image_push(&image, code, 2, 0);
                image_word(&image, frame + layout.frame_instr, copy + 10);
                image_int(&image, frame + layout.frame_copy, 2);
                image_enter(&image, state, frame);
                walk();
                EXPECT_INT(frames[0].instr_bytes, 10);
                walk(); /* the copy is known now */
                EXPECT_INT(frames[0].instr_bytes, 10);
                image_int(&image, frame + layout.frame_copy, 1); /* an entry that is NULL */
                walk();
                EXPECT_INT(frames[0].instr_bytes, PYTHON_INSTR_UNKNOWN);
                image_int(&image, frame + layout.frame_copy, 3); /* beyond the array */
                walk();
                EXPECT_INT(frames[0].instr_bytes, PYTHON_INSTR_UNKNOWN);
                image_int(&image, frame + layout.frame_copy, 0);
                image_word(&image, frame + layout.frame_instr, code + layout.code_instrs + 8);
                walk();
                EXPECT_INT(frames[0].instr_bytes, 8);
                finish();
        }
}

/* --- Threads ---------------------------------------------------------------------------------------- */

TEST(threads)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = 0x9000, .native_id = 77};
                uint64_t first, second;

                start(i);
                first = image_thread(&image, IMAGE_POINTER);
                second = image_thread(&image, 0x9000);
                image_enter(&image, first, image_push(&image, image_code(&image, "a", 1), 2, 0));
                walk_thread(&thread, MAX);
                EXPECT_STR(python_end_text(walked.end), "no frame");
                image_enter(&image, second, image_push(&image, image_code(&image, "b", 2), 2, 0));
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                EXPECT_INT(thread.states[0], second);
                thread = (struct python_thread){.pointer = 0x9000 +
                                                           2000}; /* arm64: struct pthread stands below */
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                EXPECT_INT(thread.states[0], second);
                thread = (struct python_thread){.pointer = 0x123456};
                walk_thread(&thread, MAX);
                EXPECT_STR(python_end_text(walked.end), "no thread state");
                finish();
        }
}

TEST(native_ids)
{
        for (unsigned i = 3; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = 0x9000, .native_id = 77};
                uint64_t state;

                start(i);
                state = image_thread(&image, 0x555000);
                image_word(&image, state + image.runtime.layout.thread_native_id, 77);
                image_enter(&image, state, image_push(&image, image_code(&image, "a", 1), 2, 0));
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                finish();
        }
}

/* An extension deletes the thread state of its thread and makes another one. */
TEST(new_state_of_a_thread)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = IMAGE_POINTER};
                uint64_t old, state;

                start(i);
                old = image_thread(&image, IMAGE_POINTER);
                image_enter(&image, old, image_push(&image, image_code(&image, "a", 1), 2, 0));
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                image_enter(&image, old, 0);
                image_word(&image, image.interp + image.runtime.layout.interp_threads, 0);
                state = image_thread(&image, IMAGE_POINTER);
                image_enter(&image, state, image_push(&image, image_code(&image, "b", 1), 2, 0));
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                EXPECT_INT(thread.states[0], state);
                finish();
        }
}

/* The memory of the old thread state is used for other data: it may still look like a thread state, but its
 * frames do not. */
TEST(stale_state_of_a_thread)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = IMAGE_POINTER};
                uint64_t old, state;

                start(i);
                old = image_thread(&image, IMAGE_POINTER);
                image_enter(&image, old, image_push(&image, image_code(&image, "a", 1), 2, 0));
                walk_thread(&thread, MAX);
                image_enter(&image, old, 0x30);
                image_word(&image, image.interp + image.runtime.layout.interp_threads, 0);
                state = image_thread(&image, IMAGE_POINTER);
                image_enter(&image, state, image_push(&image, image_code(&image, "b", 1), 2, 0));
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                EXPECT_STR(python_end_text(walked.end), "whole");
                EXPECT_INT(thread.states[0], state);
                finish();
        }
}

/* A thread that runs a subinterpreter, whose frames come first. */
TEST(subinterpreters)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_layout layout;
                uint64_t outer, inner, outer_code, inner_code, interp;

                start(i);
                layout = image.runtime.layout;
                outer_code = image_code(&image, "outer", 1);
                inner_code = image_code(&image, "inner", 1);
                outer = image_thread(&image, IMAGE_POINTER);
                image_enter(&image, outer, image_push(&image, outer_code, 2, 0));
                interp = image.interp;
                image.interp = image_alloc(&image, layout.interp_threads + 64);
                image_word(&image, interp + layout.interp_next, image.interp);
                inner = image_thread(&image, IMAGE_POINTER);
                image_add_chunk(&image);
                image_enter(&image, inner, image_push(&image, inner_code, 2, 0));
                if (layout.thread_status != PYTHON_NO_FIELD)
                        image_int(&image, inner + layout.thread_status, PYTHON_STATUS_ACTIVE | 3);
                else
                        image_word(&image, image.runtime.addr + layout.runtime_current, inner);
                walk();
                EXPECT_INT(walked.n_frames, 2);
                EXPECT_INT(frames[0].code, inner_code);
                EXPECT_INT(frames[1].code, outer_code);
                finish();
        }
}

/* Another interpreter, newer than the one before. */
static void add_interpreter(void)
{
        const struct python_layout *layout = &image.runtime.layout;
        uint64_t older = image.interp;

        image.interp = image_alloc(&image, layout->interp_threads + 64);
        image_word(&image, image.interp + layout->interp_next, older);
        image_word(&image, image.runtime.addr + layout->runtime_interpreters, image.interp);
}

/* The states of a thread are known, and another one begins to run, or a new one. */
TEST(interpreters_in_turns)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = IMAGE_POINTER};
                uint64_t outer, inner, innermost, outer_code, inner_code;

                start(i);
                outer_code = image_code(&image, "outer", 1);
                inner_code = image_code(&image, "inner", 1);
                outer = image_thread(&image, IMAGE_POINTER);
                image_enter(&image, outer, image_push(&image, outer_code, 2, 0));
                set_current(outer, 0);
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                add_interpreter();
                inner = image_thread(&image, IMAGE_POINTER);
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                image_add_chunk(&image);
                image_enter(&image, inner, image_push(&image, inner_code, 2, 0));
                set_current(inner, outer);
                walk_thread(&thread, MAX);
                ASSERT_CMP(walked.n_frames, ==, 2);
                EXPECT_INT(frames[0].code, inner_code);
                EXPECT_INT(frames[1].code, outer_code);
                add_interpreter();
                innermost = image_thread(&image, IMAGE_POINTER);
                image_add_chunk(&image);
                image_enter(&image, innermost, image_push(&image, outer_code, 2, 0));
                set_current(innermost, inner);
                walk_thread(&thread, MAX);
                ASSERT_CMP(walked.n_frames, ==, 3);
                EXPECT_INT(frames[0].code, outer_code);
                EXPECT_INT(frames[1].code, inner_code);
                /* Both have ended. */
                image_word(&image, innermost + image.runtime.layout.thread_interp, 0);
                image_enter(&image, inner, 0);
                set_current(outer, inner);
                walk_thread(&thread, MAX);
                ASSERT_CMP(walked.n_frames, ==, 1);
                EXPECT_STR(python_end_text(walked.end), "whole");
                EXPECT_INT(frames[0].code, outer_code);
                finish();
        }
}

/* The thread of another state has the lock: it is looked at, and the thread's own states are not searched
 * again. */
TEST(another_thread_runs)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = IMAGE_POINTER};
                uint64_t state, other;

                start(i);
                state = image_thread(&image, IMAGE_POINTER);
                image_enter(&image, state, image_push(&image, image_code(&image, "f", 1), 2, 0));
                set_current(state, 0);
                walk_thread(&thread, MAX);
                other = image_thread(&image, IMAGE_POINTER + 0x100000);
                set_current(other, state);
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_frames, 1);
                EXPECT_CMP(walked.n_reads, <=, 5);
                finish();
        }
}

/* From 3.12 on shims tell the order of calls, also if interpreters call each other in turns. */
TEST(shims_sort_frames)
{
        for (unsigned i = 4; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = IMAGE_POINTER};
                uint64_t shims[3], state, codes[2];

                start(i);
                for (int n = 0; n < 3; n++)
                        shims[n] = image_aside(&image, 0, 0, 0);
                thread.sp = shims[0] - 64;
                codes[0] = image_code(&image, "outer", 1);
                codes[1] = image_code(&image, "inner", 1);
                state = image_thread(&image, IMAGE_POINTER);
                image_word(&image, shims[0] + image.runtime.layout.frame_previous,
                           image_push(&image, codes[0], 2, shims[2]));
                image_enter(&image, state, image_push(&image, codes[0], 2, shims[0]));
                set_current(state, 0);
                add_interpreter();
                image_add_chunk(&image);
                state = image_thread(&image, IMAGE_POINTER);
                image_enter(&image, state, image_push(&image, codes[1], 2, shims[1]));
                walk_thread(&thread, MAX);
                ASSERT_CMP(walked.n_frames, ==, 6);
                EXPECT_INT(frames[0].code, codes[0]);
                EXPECT_INT(frames[1].addr, shims[0]);
                EXPECT_INT(frames[2].code, codes[1]);
                EXPECT_INT(frames[3].addr, shims[1]);
                EXPECT_INT(frames[4].code, codes[0]);
                EXPECT_INT(frames[5].addr, shims[2]);
                finish();
        }
}

/* 3.11: native eval frames are recognised by their cframes, each of which has the frame to which the inner
 * one's entry returns. */
TEST(cframes)
{
        struct python_thread thread = {.pointer = IMAGE_POINTER};
        uint64_t state, code, outer, middle, inner, cframe, outer_cframe;
        uint32_t entry, current_frame, previous;

        start(3);
        entry = image.runtime.layout.frame_entry;
        current_frame = image.runtime.layout.cframe_frame;
        previous = image.runtime.layout.cframe_previous;
        state = image_thread(&image, IMAGE_POINTER);
        code = image_code(&image, "f", 1);
        outer = image_push(&image, code, 2, 0);
        image_byte(&image, outer + entry, 1);
        image_enter(&image, state, outer);
        outer_cframe = image_get(&image, state + image.runtime.layout.thread_frame);
        middle = image_push(&image, code, 2, outer);
        image_byte(&image, middle + entry, 1);
        inner = image_push(&image, code, 2, middle);
        cframe = image_alloc(&image, 32);
        image_word(&image, cframe + current_frame, inner);
        image_word(&image, cframe + previous, outer_cframe);
        image_word(&image, state + image.runtime.layout.thread_frame, cframe);
        image_enter(&image, state, inner);
        walk();
        EXPECT_STR(python_end_text(walked.end), "whole");
        ASSERT_CMP(walked.n_frames, ==, 5);
        EXPECT_INT(frames[2].kind, PYTHON_FRAME_SHIM);
        EXPECT_INT(frames[2].addr, cframe);
        EXPECT_INT(frames[3].addr, outer);
        EXPECT_INT(frames[4].addr, outer_cframe);
        image_word(&image, outer_cframe + current_frame, inner);
        walk();
        EXPECT_STR(python_end_text(walked.end), "bad frame");
        image_word(&image, cframe + previous, 8);
        walk();
        EXPECT_STR(python_end_text(walked.end), "unreadable");
        /* The eval function has begun, and its cframe is not filled. */
        image.runtime.eval = 0x400000;
        thread.pc = 0x400020;
        thread.sp = cframe - 64;
        walk_thread(&thread, MAX);
        EXPECT_STR(python_end_text(walked.end), "start of eval");
        EXPECT_INT(walked.n_frames, 0);
        thread.pc = 0x400000 - 1;
        walk_thread(&thread, MAX);
        EXPECT_STR(python_end_text(walked.end), "unreadable");
        thread.pc = 0x400020;
        thread.sp = cframe + 8; /* the cframe is an outer eval function's */
        walk_thread(&thread, MAX);
        EXPECT_STR(python_end_text(walked.end), "unreadable");
        finish();
}

/* --- Memory that lies ------------------------------------------------------------------------------- */

TEST(frames_that_loop)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                uint64_t state, code, frame, previous;

                start(i);
                state = image_thread(&image, IMAGE_POINTER);
                code = image_code(&image, "f", 1);
                frame = image_push(&image, code, 2, 0);
                image_word(&image, frame + image.runtime.layout.frame_previous, frame);
                image_enter(&image, state, frame);
                walk();
                EXPECT_STR(python_end_text(walked.end), "loop");
                EXPECT_INT(walked.n_frames, 1);
                previous = frame;
                for (int n = 0; n < 20; n++)
                        previous = image_push(&image, code, 2, previous);
                image_word(&image, frame + image.runtime.layout.frame_previous, previous);
                image_enter(&image, state, previous);
                walk();
                EXPECT_STR(python_end_text(walked.end), "loop");
                EXPECT_CMP(walked.n_frames, <, 100);
                finish();
        }
}

TEST(bad_frames)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = IMAGE_POINTER};
                uint64_t state, code, frame;

                start(i);
                state = image_thread(&image, IMAGE_POINTER);
                code = image_code(&image, "f", 1);
                frame = image_push(&image, code, 2, IMAGE_BASE + 3);
                image_enter(&image, state, frame);
                walk();
                EXPECT_STR(python_end_text(walked.end), "bad frame");
                EXPECT_INT(walked.n_frames, 1);
                image_word(&image, frame + image.runtime.layout.frame_previous, UINT64_MAX - 7);
                walk();
                EXPECT_STR(python_end_text(walked.end), "unreadable");
                image_word(&image, frame + image.runtime.layout.frame_previous, 0x1000);
                walk();
                EXPECT_STR(python_end_text(walked.end), "unreadable");
                image_word(&image, frame + image.runtime.layout.frame_code, 0);
                walk();
                EXPECT_STR(python_end_text(walked.end), "bad frame");
                EXPECT_INT(walked.n_frames, 0);
                image_fill(&image, frame, code, 1 << 27, 0);
                walk();
                EXPECT_INT(frames[0].instr_bytes, PYTHON_INSTR_UNKNOWN);
                image_fill(&image, frame, code, -4, 0);
                walk();
                EXPECT_INT(frames[0].instr_bytes, PYTHON_INSTR_UNKNOWN);
                walk_thread(&thread, 0);
                EXPECT_STR(python_end_text(walked.end), "limit");
                image_enter(&image, state, 0x20);
                walk();
                EXPECT_STR(python_end_text(walked.end), "unreadable");
                finish();
        }
}

/* A chunk of the data stack with a wrong large size, and one that leads to itself. */
TEST(bad_chunks)
{
        for (unsigned i = 3; i < N_LAYOUTS; i++) {
                struct python_layout layout;
                uint64_t state, code, frame;

                start(i);
                layout = image.runtime.layout;
                state = image_thread(&image, IMAGE_POINTER);
                code = image_code(&image, "f", 1);
                frame = image_push(&image, code, 2, 0);
                frame = image_aside(&image, code, 2, frame);
                image_enter(&image, state, frame);
                image_word(&image, state + layout.thread_chunk, 8);
                image_word(&image, state + layout.thread_chunk + IMAGE_TOP_AFTER_CHUNK, UINT64_MAX);
                walk();
                EXPECT_STR(python_end_text(walked.end), "whole");
                EXPECT_INT(walked.n_frames, 2);
                image_word(&image, state + layout.thread_chunk, image.chunk);
                image_word(&image, state + layout.thread_chunk + IMAGE_TOP_AFTER_CHUNK, image.chunk);
                image_word(&image, image.chunk + IMAGE_CHUNK_PREVIOUS_OFF, image.chunk);
                image_word(&image, image.chunk + IMAGE_CHUNK_SIZE_OFF, UINT64_MAX);
                walk();
                EXPECT_STR(python_end_text(walked.end), "whole");
                EXPECT_INT(walked.n_frames, 2);
                finish();
        }
}

/* Lists that form loops end, and an unknown thread is not searched for at each sample. */
TEST(lists_that_loop)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_thread thread = {.pointer = 0x99000};
                struct python_layout layout;
                uint64_t state;

                start(i);
                layout = image.runtime.layout;
                state = image_thread(&image, IMAGE_POINTER);
                image_word(&image, state + layout.thread_next, state);
                image_word(&image, image.interp + layout.interp_next, image.interp);
                walk_thread(&thread, MAX);
                EXPECT_STR(python_end_text(walked.end), "no thread state");
                EXPECT_CMP(walked.n_reads, <, 20000);
                EXPECT_CMP(thread.wait, >, 100);
                walk_thread(&thread, MAX);
                EXPECT_INT(walked.n_reads, 0);
                python_thread_forget(&thread);
                walk_thread(&thread, MAX);
                EXPECT_CMP(walked.n_reads, >, 1000);
                finish();
        }
}

/* Before the interpreter begins, and after it ended. */
TEST(no_interpreter)
{
        start(5);
        image_word(&image, image.runtime.addr + image.runtime.layout.runtime_interpreters, 0);
        walk();
        EXPECT_STR(python_end_text(walked.end), "no thread state");
        image.runtime.addr = 0;
        walk();
        EXPECT_STR(python_end_text(walked.end), "no thread state");
        finish();
        EXPECT_STR(python_end_text(PYTHON_N_ENDS), "?");
}

TAP_MAIN
