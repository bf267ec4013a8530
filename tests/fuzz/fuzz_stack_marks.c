/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section about unwound stacks: the result is written again unchanged. */
#include <stdlib.h>
#include <string.h>

#include "stack_marks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that reads are not optimised away. */
static volatile uint64_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct stack_marks marks;
        struct buf out = {0};
        struct cursor swapped = cursor_make(data, size);

        swapped.swap = true;
        if (stack_marks_read(swapped, &marks))
                sink += stack_marks_is_cut(&marks, marks.n_samples - 1);
        if (!stack_marks_read(cursor_make(data, size), &marks))
                return 0;
        for (uint64_t i = 0; i <= marks.n_samples; i++)
                sink += stack_marks_is_cut(&marks, i);
        stack_marks_add(&marks, &out);
        if (out.len > size || memcmp(out.data, data, out.len))
                abort();
        buf_release(&out);
        return 0;
}
