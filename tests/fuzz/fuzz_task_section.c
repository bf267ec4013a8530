/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section about tasks: numbers are inside of their lists, and the section is the same after
 * it was written again. */
#include <stdlib.h>
#include <string.h>

#include "task_section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_so)
{
        if (!is_so)
                abort();
}

static void check(const struct task_section *s)
{
        for (size_t i = 0; i < s->n_frames; i++)
                must(s->frames[i].function < s->n_functions);
        for (size_t i = 0; i < s->n_functions; i++)
                must(s->functions[i].name && s->functions[i].file);
        for (size_t i = 0; i < s->n_tasks; i++) {
                const struct task_reading *task = &s->tasks[i];

                must(task->name && (uint64_t)task->first_frame + task->n_frames <= s->n_frames &&
                     (uint64_t)task->first_awaiter + task->n_awaiters <= s->n_awaiters);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct cursor swapped = cursor_make(data, size);
        AUTO(task_section) other = NULL;
        AUTO(task_section) section = task_section_new(cursor_make(data, size));
        AUTO(task_section) again = NULL;
        AUTO_RELEASE(buf) out = {0};

        swapped.swap = true;
        other = task_section_new(swapped);
        if (other)
                check(other);
        if (!section)
                return 0;
        check(section);
        task_section_write(section, &out);
        must(out.len <= size && !memcmp(out.data, data, out.len));
        again = task_section_new(cursor_make(out.data, out.len));
        must(again && again->n_tasks == section->n_tasks && again->n_frames == section->n_frames);
        return 0;
}
