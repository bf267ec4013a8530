/* SPDX-License-Identifier: BSD-3-Clause */
#include "reading_progress.h"

#include <stdlib.h>

#include "buf.h"
#include "mem.h"
#include "os.h"
#include "progress_view.h"
#include "text.h"
#include "text_stream.h"

enum { STEP_NS = 10000000, SECOND_NS = 1000000000, DRAW_NS = SECOND_NS / 4 };

struct reading_progress {
        const char *what;
        const struct lookup *lookup;    /* its downloads draw on the same line */
        struct report_request *request; /* NULL: no report is read */
        struct report_progress report;
        struct os_task *task;
        bool is_over;  /* set by the thread that reads */
        bool is_drawn; /* the task's until it has ended */
};

static void draw(struct reading_progress *p, uint64_t ns)
{
        uint64_t done = __atomic_load_n(&p->report.done_bytes, __ATOMIC_RELAXED);
        uint64_t all = __atomic_load_n(&p->report.all_bytes, __ATOMIC_RELAXED);
        AUTO_RELEASE(buf) line = {0};

        progress_view_reading(text_base_name(p->what), done, all, ns / SECOND_NS, &line);
        text_stream_write(OS_STDERR, line.data, line.len, NULL);
        p->is_drawn = true;
}

static void watch(void *ctx)
{
        struct reading_progress *p = ctx;
        uint64_t begin_ns = os_monotonic_ns(), drawn_ns = begin_ns + SECOND_NS - DRAW_NS;

        while (!__atomic_load_n(&p->is_over, __ATOMIC_ACQUIRE) && os_sleep(STEP_NS)) {
                uint64_t now_ns = os_monotonic_ns();

                if (now_ns < drawn_ns + DRAW_NS ||
                    __atomic_load_n(&p->lookup->shows_progress, __ATOMIC_RELAXED))
                        continue;
                draw(p, now_ns - begin_ns);
                drawn_ns = now_ns;
        }
}

struct reading_progress *reading_progress_start(const char *what, struct report_request *request,
                                                const struct lookup *lookup, bool is_quiet)
{
        struct reading_progress *p;

        if (is_quiet || !os_is_terminal(OS_STDERR))
                return NULL;
        p = mem_new(1, sizeof(*p));
        p->what = what;
        p->lookup = lookup;
        p->request = request;
        if (request)
                request->progress = &p->report;
        p->task = os_task_start(watch, p);
        return p;
}

void reading_progress_end(struct reading_progress *p)
{
        AUTO_RELEASE(buf) line = {0};

        if (!p)
                return;
        __atomic_store_n(&p->is_over, true, __ATOMIC_RELEASE);
        os_task_join(p->task);
        if (p->request)
                p->request->progress = NULL;
        if (p->is_drawn) {
                progress_view_erase(&line);
                text_stream_write(OS_STDERR, line.data, line.len, NULL);
        }
        free(p);
}
