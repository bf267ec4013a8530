/* SPDX-License-Identifier: BSD-3-Clause */
#include "task_kind.h"

#include <string.h>

#include "attributes.h"
#include "text.h"

struct asyncio_function {
        const char *file;
        const char *part; /* of the name */
        enum wait_kind kind;
};

/* Tried in this order. */
static const struct asyncio_function asyncio_functions[] = {
        {"queues.py", "get", WAIT_KIND_IDLE},
        {"base_events.py", "serve_forever", WAIT_KIND_IDLE},
        {"base_events.py", "shutdown_", WAIT_KIND_OTHER},
        {"tasks.py", "sleep", WAIT_KIND_SLEEP},
        {"queues.py", "", WAIT_KIND_LOCK},
        {"locks.py", "", WAIT_KIND_LOCK},
        {"streams.py", "", WAIT_KIND_NETWORK},
        {"selector_events.py", "", WAIT_KIND_NETWORK},
        {"base_events.py", "", WAIT_KIND_NETWORK},
        {"subprocess.py", "", WAIT_KIND_CHILD},
        {"base_subprocess.py", "", WAIT_KIND_CHILD},
};

bool task_kind_is_of_asyncio(const struct task_function *f)
{
        return strstr(f->file, "/asyncio/") || strstr(f->file, "\\asyncio\\");
}

enum wait_kind task_kind_of(const struct task_section *section, const struct task_reading *task)
{
        const struct task_frame *frame = &section->frames[task->first_frame + task->n_frames - 1];
        const struct task_function *innermost = &section->functions[frame->function];
        const char *base = text_base_name(innermost->file);

        for (size_t i = 0; task_kind_is_of_asyncio(innermost) && i < N_ELEMENTS(asyncio_functions); i++) {
                const struct asyncio_function *f = &asyncio_functions[i];

                if (!strcmp(base, f->file) && strstr(innermost->name, f->part))
                        return f->kind;
        }
        return WAIT_KIND_OTHER;
}

size_t task_kind_n_at_once(const struct task_section *s, size_t first)
{
        size_t n = 1;

        while (first + n < s->n_tasks && s->tasks[first + n].time_ns == s->tasks[first].time_ns &&
               s->tasks[first + n].tid == s->tasks[first].tid)
                n++;
        return n;
}

/* Those that await a future may wait for another task. */
enum wait_kind task_kind_of_loop(const struct task_section *s, size_t first)
{
        size_t n = task_kind_n_at_once(s, first), counts[WAIT_N_KINDS] = {0};
        enum wait_kind most = WAIT_KIND_IDLE;

        for (size_t i = first; i < first + n; i++) {
                if (s->tasks[i].n_frames)
                        counts[task_kind_of(s, &s->tasks[i])]++;
        }
        counts[WAIT_KIND_IDLE] = counts[WAIT_KIND_OTHER] = 0;
        for (unsigned kind = 0; kind < WAIT_N_KINDS; kind++) {
                if (counts[kind] > counts[most])
                        most = (enum wait_kind)kind;
        }
        return most;
}
