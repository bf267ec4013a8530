/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks as lists of numbered frames: each frame, and each stack of a frame and its callers, is there once.
 */
#ifndef EXPORT_FRAMES_H
#define EXPORT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "map.h"
#include "named_stacks.h"
#include "sample_list.h"
#include "strpool.h"

struct export_frame {
        str_id name;   /* the name of an inlined function is marked */
        str_id file;   /* the source file of a Python function, otherwise the module; may be empty */
        uint32_t line; /* of a Python function; 0: not known */
};

struct export_stack {
        uint32_t prefix; /* the callers' stack; NAMED_NONE: the frame is the outermost */
        uint32_t frame;
};

struct export_frames {
        struct strpool *texts;
        struct export_frame *frames;
        size_t n_frames, cap_frames;
        struct map by_text; /* name, file and line -> frame + 1 */
        struct export_stack *stacks;
        size_t n_stacks, cap_stacks;
        struct map by_frame; /* prefix and frame -> stack + 1 */
        uint32_t *of_node;   /* for each node of a wanted sample, and its callers: its stack */
        uint32_t depth;      /* of the deepest stack */
};

struct export_frames_request {
        const struct sample_list *samples;
        const struct named_stacks *stacks;
        const uint32_t *events; /* the stacks of samples of these */
        size_t n_events;
        bool python_lines; /* each line of a Python function is a frame; otherwise its line is the first one
                            */
};

bool export_frames_wants(const struct export_frames_request *request, const struct listed_sample *sample);

void export_frames_make(const struct export_frames_request *request, struct export_frames *ret);
void export_frames_release(struct export_frames *frames);

/* Writes the frames of a stack, the outermost one first, and returns their number; `path` has room for
 * `depth`. */
uint32_t export_frames_path(const struct export_frames *frames, uint32_t stack, uint32_t *path);

#endif
