/* SPDX-License-Identifier: BSD-3-Clause */
/* What each line of a text shows, so that a user can move from line to line. */
#ifndef VIEW_MARKS_H
#define VIEW_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem.h"

struct view_mark {
        size_t at;        /* offset of the line in the text */
        uint64_t weight;  /* weight of the line's samples */
        double percent;   /* the share at the beginning of the line, if it has samples */
        const char *path; /* path of the source line; NULL: not known */
        uint32_t line;
        bool has_target; /* it is an instruction that leads to `target` */
        bool is_jump;    /* `target` is in the text, if it is shown */
        uint64_t addr, target;
};

/* In the order of the text.  Zero-initialised is empty; the caller frees `items` with free(). */
struct view_marks {
        struct view_mark *items;
        size_t n, cap;
};

/* `marks` may be NULL. */
static inline void view_marks_add(struct view_marks *marks, const struct view_mark *mark)
{
        if (marks)
                ARRAY_PUSH(marks->items, marks->n, marks->cap, *mark);
}

#endif
