/* SPDX-License-Identifier: BSD-3-Clause */
/* struct _Py_AsyncioModuleDebugOffsets: task object (size, task_name, task_awaited_by, task_is_task,
 * task_awaited_by_is_set, task_coro, task_node), interpreter state (size, asyncio_tasks_head), thread state
 * (size, asyncio_running_loop, asyncio_running_task, asyncio_tasks_head). */
#include "python_task_layout.h"

#include <string.h>

#include "python_layout.h"

enum {
        WORD = 8,
        SECTION_TASK = 0, /* words at which sections begin: their sizes */
        SECTION_INTERP = 7,
        SECTION_THREAD = 9,
};

static uint32_t get_off(const uint64_t *words, size_t section, size_t i, size_t width, uint64_t most,
                        bool *ok)
{
        uint64_t off = words[section + i], size = words[section];

        if (size > most || off >= size || width > size - off || off % width)
                *ok = false;
        return (uint32_t)off;
}

bool python_task_layout_read(const void *bytes, size_t size, struct python_task_layout *ret_layout)
{
        uint64_t words[PYTHON_TASK_WORDS];
        const size_t most = PYTHON_MAX_TASK_BYTES;
        struct python_task_layout l;
        bool ok = true;

        *ret_layout = (struct python_task_layout){0};
        if (size != sizeof(words))
                return false;
        memcpy(words, bytes, sizeof(words));
        l = (struct python_task_layout){
                .task_bytes = (uint32_t)words[SECTION_TASK],
                .task_name = get_off(words, SECTION_TASK, 1, WORD, most, &ok),
                .task_awaited_by = get_off(words, SECTION_TASK, 2, WORD, most, &ok),
                .task_is_task = get_off(words, SECTION_TASK, 3, 1, most, &ok),
                .task_has_set = get_off(words, SECTION_TASK, 4, 1, most, &ok),
                .task_coro = get_off(words, SECTION_TASK, 5, WORD, most, &ok),
                .task_node = get_off(words, SECTION_TASK, 6, WORD, most, &ok),
                .thread_task = get_off(words, SECTION_THREAD, 2, WORD, PYTHON_MAX_RUNTIME_OFFSET, &ok),
                .thread_tasks = get_off(words, SECTION_THREAD, 3, WORD, PYTHON_MAX_RUNTIME_OFFSET, &ok),
        };
        get_off(words, SECTION_INTERP, 1, WORD, PYTHON_MAX_RUNTIME_OFFSET, &ok);
        get_off(words, SECTION_THREAD, 1, WORD, PYTHON_MAX_RUNTIME_OFFSET, &ok);
        if (ok)
                *ret_layout = l;
        return ok;
}
