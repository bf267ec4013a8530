/* SPDX-License-Identifier: BSD-3-Clause */
#include "browse_read.h"

#include <stdlib.h>

#include "mem.h"
#include "os.h"

struct browse_read {
        struct browse_request request; /* only the task uses it */
        struct report_progress progress;
        struct screen *screen;
        struct os_task *task;
        struct browse_session *session;
        struct err err;
        bool is_done;
};

static void read_session(void *ctx)
{
        struct browse_read *read = ctx;
        struct report *report = report_make(&read->request.report, &read->err);

        if (report) {
                read->session = browse_session_new(report, &read->request);
                browse_session_make_trees(read->session);
        }
        __atomic_store_n(&read->is_done, true, __ATOMIC_RELEASE);
        screen_wake(read->screen);
}

struct browse_read *browse_read_start(const struct report_request *request, struct screen *screen)
{
        struct browse_read *read = mem_new(1, sizeof(*read));

        browse_request_init(&read->request, request);
        read->request.report.progress = &read->progress;
        read->screen = screen;
        read->task = os_task_start(read_session, read);
        return read;
}

bool browse_read_is_done(const struct browse_read *read)
{
        return __atomic_load_n(&read->is_done, __ATOMIC_ACQUIRE);
}

double browse_read_share(const struct browse_read *read)
{
        uint64_t done = __atomic_load_n(&read->progress.done_bytes, __ATOMIC_RELAXED);
        uint64_t all = __atomic_load_n(&read->progress.all_bytes, __ATOMIC_RELAXED);

        return all ? (double)(done < all ? done : all) / (double)all : 0;
}

struct browse_session *browse_read_end(struct browse_read *read, struct err *err)
{
        struct browse_session *session;

        os_task_join(read->task);
        session = read->session;
        if (!session)
                *err = read->err;
        browse_request_release(&read->request);
        free(read);
        return session;
}
