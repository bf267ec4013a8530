/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section about the ends of chains: the result is written again unchanged. */
#include <stdlib.h>
#include <string.h>

#include "end_marks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct buf out = {0};
        struct end_marks marks;
        struct end_mark mark;
        const size_t count_at = 8;

        if (!end_marks_begin(cursor_make(data, size), &marks))
                return 0;
        while (end_marks_next(&marks, &mark)) {
                if (mark.kind >= END_MARK_N_KINDS || !end_marks_add(&out, &mark))
                        abort();
        }
        /* Except for the number, if the section is damaged. */
        if (out.len > size ||
            (out.len && (memcmp(out.data, data, count_at) ||
                         memcmp(out.data + count_at + 4, data + count_at + 4, out.len - count_at - 4))))
                abort();
        buf_release(&out);
        return 0;
}
