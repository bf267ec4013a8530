/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors in seeds of fuzz_python: one wrong word in a valid image. */
#ifndef PYTHON_CHANGES_H
#define PYTHON_CHANGES_H

#include <stddef.h>

#include "python_image.h"
#include "python_small.h"

/* Things of an image. */
enum what {
        PLAIN,
        RUNTIME,
        INTERP,
        STATE,
        CFRAME,
        OUTER,
        CODE,
        NAME,
        LINES,
        FRAME,
        CALLER,
        BELOW,
        SHIM,
        COPIES,
        N_WHATS
};

struct change {
        const char *name;
        uint8_t layout, flags;
        enum what what;
        size_t field; /* in struct python_layout: offset of the word in the object; NO_FIELD: at its start */
        uint32_t add;
        enum what to; /* the value is relative to this thing */
        uint64_t value;
        bool is_int;
};

#define FIELD(name) offsetof(struct python_layout, name)
#define NO_FIELD    SIZE_MAX
#define UNREADABLE  8
#define BEYOND      (IMAGE_BASE + ((uint64_t)1 << 30))

static const struct change changes[] = {
        /* Code objects. */
        {"no_name", 6, 0, CODE, FIELD(code_name), .value = 0},
        {"bad_name", 6, 0, CODE, FIELD(code_name), .value = UNREADABLE},
        {"no_file", 6, 0, CODE, FIELD(code_file), .value = 0},
        {"no_lines", 6, 0, CODE, FIELD(code_lines), .value = 0},
        {"bad_lines", 6, 0, CODE, FIELD(code_lines), .value = UNREADABLE},
        {"empty_lines", 6, 0, LINES, FIELD(bytes_size), .value = 0},
        {"endless_lines", 6, 0, LINES, FIELD(bytes_size), .value = 1ull << 40},
        {"long_lines", 6, 0, LINES, FIELD(bytes_size), .value = 1 << 20},
        {"other_type", 6, SMALL_TYPED, CODE, FIELD(object_type), .value = 1},
        {"hidden_not", 6, 0, CODE, FIELD(code_name), .to = CODE, .value = 0},
        {"same_name_and_file", 6, 0, CODE, FIELD(code_file), .to = NAME},
        {"no_code", 6, 0, FRAME, FIELD(frame_code), .value = UNREADABLE},
        {"code_at_end", 4, 0, FRAME, FIELD(frame_code), .value = UINT64_MAX - 7},
        {"name_long", 6, 0, NAME, FIELD(text_length), .value = 4000},
        {"name_huge", 6, 0, NAME, FIELD(text_length), .value = 1ull << 40},
        {"name_empty", 6, 0, NAME, FIELD(text_length), .value = 0},
        {"name_not_compact", 6, 0, NAME, FIELD(text_state), .value = 1 | 1 << 2, .is_int = true},
        {"name_kind_1", 6, 0, NAME, FIELD(text_state), .value = 9 << 2, .is_int = true},
        {"name_kind_3", 6, 0, NAME, FIELD(text_state), .value = 11 << 2, .is_int = true},
        {"name_kind_2_ascii", 6, 0, NAME, FIELD(text_state), .value = 26 << 2, .is_int = true},
        {"name_kind_4", 6, 0, NAME, FIELD(text_state), .value = 12 << 2, .is_int = true},
        {"name_state_8", 9, 0, NAME, FIELD(text_state), .value = 1 | 25 << 8, .is_int = true},
        {"name_state_16", 9, 0, NAME, FIELD(text_state), .value = 1 | 25 << 16, .is_int = true},
        /* Frames. */
        {"frame_without_code", 6, 0, FRAME, FIELD(frame_code), .value = 0},
        {"odd_code", 3, 0, FRAME, FIELD(frame_code), .to = CODE, .value = 1},
        {"odd_caller", 6, 0, FRAME, FIELD(frame_previous), .to = CALLER, .value = 1},
        {"bad_caller", 6, 0, FRAME, FIELD(frame_previous), .value = UNREADABLE},
        {"far_caller", 6, 0, FRAME, FIELD(frame_previous), .value = BEYOND},
        {"own_caller", 6, 0, FRAME, FIELD(frame_previous), .to = FRAME},
        {"loop", 6, 0, CALLER, FIELD(frame_previous), .to = FRAME},
        {"few_frames", 6, SMALL_FEW, RUNTIME, NO_FIELD, .add = 40, .value = 0},
        {"few_cframes", 3, SMALL_FEW, RUNTIME, NO_FIELD, .add = 40, .value = 0},
        {"far_instr", 6, 0, FRAME, FIELD(frame_instr), .value = BEYOND},
        {"odd_instr", 6, 0, FRAME, FIELD(frame_instr), .to = CODE, .value = 511},
        {"negative_last", 0, 0, FRAME, FIELD(frame_instr), .value = (uint32_t)-5, .is_int = true},
        {"huge_last", 2, 0, FRAME, FIELD(frame_instr), .value = 1 << 30, .is_int = true},
        {"odd_frame", 6, 0, STATE, FIELD(thread_frame), .to = FRAME, .value = 4},
        {"no_frame", 6, 0, STATE, FIELD(thread_frame), .value = 0},
        {"frame_at_end", 0, 0, STATE, FIELD(thread_frame), .value = UINT64_MAX - 7},
        {"shim_alone", 6, 0, STATE, FIELD(thread_frame), .to = SHIM},
        /* Copies of the bytecode. */
        {"no_copies", 9, 0, CODE, FIELD(code_copies), .value = 0},
        {"bad_copies", 9, 0, CODE, FIELD(code_copies), .value = UNREADABLE},
        {"bad_copies_word", 9, 0, CODE, FIELD(code_copies), .to = CODE, .value = 0},
        {"many_copies", 9, 0, COPIES, NO_FIELD, .value = 1ull << 30},
        {"one_copy", 9, 0, COPIES, NO_FIELD, .value = 1},
        {"far_copy", 9, 0, COPIES, NO_FIELD, .add = 16, .value = BEYOND},
        {"copy_of_another", 9, 0, FRAME, FIELD(frame_copy), .value = 257, .is_int = true},
        {"copy_beyond", 9, 0, FRAME, FIELD(frame_copy), .value = 1 << 19, .is_int = true},
        {"same_copy", 9, 0, FRAME, FIELD(frame_copy), .value = 1, .is_int = true},
        /* cframes. */
        {"bad_cframe", 3, 0, STATE, FIELD(thread_frame), .value = UNREADABLE},
        {"bad_outer_cframe", 3, 0, CFRAME, FIELD(cframe_previous), .value = UNREADABLE},
        {"bad_outer_at_start", 4, SMALL_STARTS, CFRAME, FIELD(cframe_previous), .value = UNREADABLE},
        {"cframe_in_state", 3, 0, CFRAME, FIELD(cframe_previous), .to = STATE, .value = 64},
        {"other_cframe", 3, 0, OUTER, FIELD(cframe_frame), .to = FRAME},
        {"empty_cframe", 4, 0, CFRAME, FIELD(cframe_frame), .value = 0},
        {"outer_at_start", 4, SMALL_STARTS, OUTER, FIELD(cframe_frame), .to = CODE},
        {"behind_start", 4, SMALL_RUNS, OUTER, FIELD(cframe_frame), .to = CODE},
        {"good_start", 4, SMALL_STARTS, OUTER, FIELD(cframe_frame), .to = BELOW},
        {"far_at_start", 4, SMALL_STARTS, STATE, FIELD(thread_frame), .to = FRAME, .value = 4096},
        {"no_cframe", 3, 0, STATE, FIELD(thread_frame), .value = 0},
        /* Thread states. */
        {"no_id", 6, 0, STATE, FIELD(thread_id), .value = 0},
        {"near_id", 6, 0, STATE, FIELD(thread_id), .value = IMAGE_POINTER - 2048},
        {"lower_id", 6, 0, STATE, FIELD(thread_id), .value = 16},
        {"higher_id", 6, 0, STATE, FIELD(thread_id), .value = IMAGE_POINTER + 16},
        {"no_id_and_no_native_id", 2, 0, STATE, FIELD(thread_id), .value = 0},
        {"active", 6, 0, STATE, FIELD(thread_status), .value = PYTHON_STATUS_ACTIVE, .is_int = true},
        {"other_interpreter", 6, 0, STATE, FIELD(thread_interp), .value = UNREADABLE},
        {"threads_loop", 6, 0, STATE, FIELD(thread_next), .to = STATE},
        {"bad_thread", 6, 0, STATE, FIELD(thread_next), .value = UNREADABLE},
        {"interpreters_loop", 6, 0, INTERP, FIELD(interp_next), .to = INTERP},
        {"bad_interpreter", 6, 0, RUNTIME, NO_FIELD, .value = UNREADABLE},
        {"no_interpreter", 6, 0, RUNTIME, NO_FIELD, .value = 0},
        {"bad_next_interpreter", 6, 0, INTERP, FIELD(interp_next), .value = BEYOND},
        {"state_gone", 6, SMALL_CUT, STATE, FIELD(thread_id), .value = IMAGE_POINTER},
        {"state_gone_without_id", 6, SMALL_CUT, STATE, FIELD(thread_id), .value = 0},
        {"state_moved", 6, SMALL_MOVED, STATE, FIELD(thread_interp), .add = SMALL_MOVED_BYTES, .value = 1},
        /* The data stack. */
        {"chunk_before_memory", 6, 0, STATE, FIELD(thread_chunk), .value = IMAGE_BASE - 4096},
        {"no_chunk", 6, 0, STATE, FIELD(thread_chunk), .value = 0},
        {"low_top", 6, 0, STATE, FIELD(thread_chunk), .add = 8, .to = STATE, .value = 1},
        {"copied_before", 6, SMALL_COPIED, STATE, FIELD(thread_frame), .value = UNREADABLE},
};

/* Native stacks that match the frames of an image in different ways; found by trying many. */
static const struct {
        uint8_t layout, flags, natives[SMALL_TAIL_BYTES];
} pairs[] = {
        {3,
         SMALL_TYPED,
         {0x59, 0x17, 0x01, 0x44, 0x42, 0x47, 0x86, 0x10, 0x86, 0x41, 0x85, 0x46, 0x40, 0x41, 0x01, 0x00}},
        {2,
         SMALL_WHOLE | SMALL_TYPED,
         {0xdc, 0x82, 0x82, 0x42, 0x10, 0x0f, 0x16, 0x16, 0x0e, 0x0e, 0x87, 0x12, 0x0c, 0x10, 0x02, 0x82}},
        {3,
         SMALL_WHOLE | SMALL_TYPED,
         {0xbd, 0x10, 0x42, 0x87, 0x02, 0x17, 0xfa, 0x13, 0x03, 0x02, 0x42, 0x12, 0xfa, 0x14, 0x07, 0x00}},
        {6,
         SMALL_WHOLE | SMALL_TYPED,
         {0x15, 0x0e, 0x17, 0xfa, 0x15, 0x06, 0x83, 0xf9, 0x82, 0x42, 0x02, 0x85, 0x0a, 0x47, 0x08, 0x82}},
        {6,
         SMALL_WHOLE | SMALL_TYPED,
         {0xf0, 0xfb, 0x12, 0x03, 0x02, 0x0e, 0xfc, 0x08, 0x07, 0xfa, 0xfc, 0x43, 0x0e, 0x86, 0x42, 0x00}},
        {2,
         SMALL_WHOLE | SMALL_TYPED,
         {0x46, 0x45, 0x46, 0x06, 0x47, 0x0a, 0xff, 0x02, 0x11, 0x86, 0x45, 0x10, 0x45, 0x42, 0x86, 0x89}},
        {6,
         SMALL_WHOLE | SMALL_TYPED,
         {0xdd, 0x42, 0xfb, 0x05, 0xfc, 0x06, 0x0f, 0x0b, 0x83, 0x46, 0x12, 0x09, 0x16, 0x0e, 0x08, 0x00}},
        {4,
         SMALL_WHOLE | SMALL_TYPED,
         {0xdc, 0x42, 0x42, 0x0f, 0x15, 0x03, 0x09, 0x42, 0x0e, 0x07, 0x86, 0x40, 0x16, 0x03, 0x06, 0x10}},
        {6,
         SMALL_WHOLE | SMALL_TYPED,
         {0x02, 0x06, 0x06, 0x04, 0xfa, 0x42, 0x05, 0x40, 0x15, 0xfd, 0x0a, 0x09, 0xfd, 0x02, 0xfb, 0x00}},
        {4,
         SMALL_TYPED,
         {0xec, 0x82, 0x46, 0xfc, 0x0a, 0x86, 0x85, 0x12, 0xff, 0x86, 0x40, 0xfa, 0xfe, 0x06, 0xfa, 0x85}},
        {6,
         SMALL_TYPED,
         {0x6e, 0x83, 0x85, 0x16, 0x0a, 0x45, 0x10, 0xfb, 0x16, 0x13, 0xfa, 0x46, 0x44, 0x12, 0x15, 0x00}},
        {6,
         SMALL_WHOLE | SMALL_TYPED,
         {0xed, 0x44, 0xfd, 0x0f, 0x85, 0x82, 0x17, 0x05, 0x81, 0xfe, 0x46, 0x87, 0x0a, 0x0e, 0x12, 0x82}},
        {0,
         SMALL_WHOLE | SMALL_TYPED,
         {0x43, 0xfe, 0x46, 0x82, 0x86, 0x46, 0x16, 0x06, 0xfa, 0x0e, 0x0f, 0x01, 0x86, 0x09, 0x06, 0xfc}},
};

/* Impossible words of _Py_DebugOffsets of 3.14: number and value. */
static const struct {
        uint8_t word;
        uint64_t value;
} bad_offsets[] = {
        {0, 0},                                                             /* cookie */
        {1, 0},           {1, 2 << 24}, {1, 0x03070000},                    /* version */
        {31, 3},                                                            /* size of a frame */
        {50, 1ull << 40},                                                   /* size of an object */
        {75, 3},          {76, 0},      {77, 0},         {80, 0}, {80, 65}, /* bytes and texts */
};

#endif
