/* SPDX-License-Identifier: BSD-3-Clause */
/* The source lines of a Python file or function with their samples. */
#ifndef PYTHON_SOURCE_VIEW_H
#define PYTHON_SOURCE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate_texts.h"
#include "buf.h"
#include "json.h"
#include "python_sources.h"
#include "view_marks.h"

struct python_source_view {
        const struct python_source *source;
        const char *event;
        uint64_t event_count, event_weight;
        struct annotate_texts texts;
        bool with_natives; /* show the native functions below each line */
        bool is_colored;
        unsigned max_columns;     /* width of the terminal; 0: no limit */
        struct view_marks *marks; /* get the positions of the lines; may be NULL */
};

void python_source_view_text(const struct python_source_view *view, struct buf *out);

/* An object. */
void python_source_view_json(const struct python_source_view *view, struct json *json);

#endif
