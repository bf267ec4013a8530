/* SPDX-License-Identifier: BSD-3-Clause */
/* All processes are read before names are looked up, so that their stacks are from about the same time. */
#include "stack_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "perfdata_writer.h"
#include "run_info.h"
#include "session_facts.h"
#include "text_number.h"
#include "thread_stacks.h"

struct stack_run {
        struct thread_stacks *stacks;
        struct perfdata_writer *writer;
        struct session_facts *facts;
        struct buf session;
        struct buf waits, task_bytes; /* the sections */
        struct wait_section *section;
        struct task_section *tasks;
        struct report *report;
        uint64_t took_ns;
        size_t n_refused;
        unsigned n_read;
};

void stack_run_free(struct stack_run *run)
{
        if (!run)
                return;
        perfdata_writer_free(run->writer);
        report_free(run->report);
        wait_section_free(run->section);
        task_section_free(run->tasks);
        session_facts_free(run->facts);
        thread_stacks_free(run->stacks);
        buf_release(&run->session);
        buf_release(&run->waits);
        buf_release(&run->task_bytes);
        free(run);
}

static bool put_records(void *ctx, const void *records, size_t size, struct err *err)
{
        struct stack_run *run = ctx;

        session_facts_see(run->facts, records, size);
        return perfdata_writer_put(run->writer, records, size, err);
}

/* --- Reading --- */

static bool read_process(struct stack_run *run, int32_t pid, struct err *err)
{
        const struct record_sink sink = {put_records, run};

        return thread_stacks_begin(run->stacks, pid, &sink, err) &&
               thread_stacks_take(run->stacks, &sink, err);
}

/* A process that has ended meanwhile is left out, unless it is the only one. */
static bool read_all(struct stack_run *run, const struct stack_run_request *request, struct err *err)
{
        uint64_t start_ns = os_monotonic_ns();
        size_t n_before, n_after, n_refused = 0;
        struct err refused = {0};

        thread_stacks_readings(run->stacks, &n_before);
        for (size_t i = 0; i < request->n_pids; i++) {
                struct err why = {0};

                if (read_process(run, request->pids[i], &why))
                        continue;
                refused = why.code == ERR_DENIED ? why : refused;
                n_refused += why.code == ERR_DENIED;
                if ((why.code != ERR_MISSING && why.code != ERR_DENIED) || request->n_pids == 1)
                        return err_set(err, why.code, "%s", why.text);
        }
        run->n_refused = n_refused;
        run->took_ns = os_monotonic_ns() - start_ns;
        thread_stacks_readings(run->stacks, &n_after);
        if (n_after > n_before)
                return true;
        if (n_refused)
                return err_set(err, ERR_DENIED, "%s", refused.text);
        if (request->n_pids == 1)
                return err_set(err, ERR_MISSING, "process %" PRId32 " has ended", request->pids[0]);
        return err_set(err, ERR_MISSING, "the processes have ended");
}

/* The first reading must succeed; a process may end between two of them. */
static bool read_repeatedly(struct stack_run *run, const struct stack_run_request *request, struct err *err)
{
        for (run->n_read = 0; run->n_read < request->n_repeats; run->n_read++) {
                if (run->n_read && !os_sleep(request->interval_ns))
                        break;
                if (!read_all(run, request, run->n_read ? NULL : err))
                        return run->n_read;
        }
        return true;
}

/* --- The session --- */

static bool begin_session(struct stack_run *run, struct err *err)
{
        run->writer = perfdata_writer_open_memory(&run->session);
        run->facts = session_facts_new();
        for (size_t i = 0; i < thread_stacks_n_events(run->stacks); i++) {
                const struct collect_event event = thread_stacks_get_event(run->stacks, i);

                perfdata_writer_add_event(run->writer, &event.attr, event.name, event.ids, event.n_ids);
        }
        return perfdata_writer_begin(run->writer, err);
}

static bool end_session(struct stack_run *run, struct err *err)
{
        const struct collect_result *result = thread_stacks_result(run->stacks);
        AUTO_RELEASE(buf) python = {0};
        const struct wait_reading *readings;
        size_t n;

        readings = thread_stacks_readings(run->stacks, &n);
        wait_section_write(readings, n, NULL, 0, &run->waits);
        perfdata_writer_add_feature(run->writer, FEATURE_WPERF_WAITS, run->waits.data, run->waits.len);
        task_section_write(thread_stacks_tasks(run->stacks), &run->task_bytes);
        perfdata_writer_add_feature(run->writer, FEATURE_WPERF_TASKS, run->task_bytes.data,
                                    run->task_bytes.len);
        if (result->python->n_stacks) {
                python_places_write(result->python_places, result->python, &python);
                perfdata_writer_add_feature(run->writer, FEATURE_WPERF_PYTHON, python.data, python.len);
        }
        session_facts_write(run->facts, run->writer, NULL);
        stack_marks_write(result->stacks, run->writer);
        return perfdata_writer_close(TAKE(run->writer), err);
}

static bool read_back(struct stack_run *run, const struct stack_run_request *request, struct err *err)
{
        const struct report_request wanted = {
                .path = "the stacks",
                .results = REPORT_NAMED_STACKS | REPORT_SAMPLES,
                .arguments = false,
                .no_demangle = request->no_demangle,
                .tree_lines = true,
                .python = request->python,
                .sources = request->sources,
                .collected = thread_stacks_result(run->stacks),
        };
        struct session_input *input = session_input_of_memory(&run->session, wanted.path, err);

        if (!input)
                return false;
        run->section = wait_section_new(perfdata_feature(input->reader, FEATURE_WPERF_WAITS));
        run->tasks = task_section_new(perfdata_feature(input->reader, FEATURE_WPERF_TASKS));
        if (!run->section || !run->tasks) {
                session_input_free(input);
                return err_set(err, ERR_FORMAT, "%s: the section of waits or of tasks is damaged",
                               wanted.path);
        }
        run->report = report_make_of(&wanted, input, err);
        return run->report;
}

struct stack_run *stack_run_make(const struct stack_run_request *request, struct err *err)
{
        AUTO(stack_run) run = mem_new(1, sizeof(*run));

        run->stacks = thread_stacks_new(!request->nonblocking, err);
        if (!run->stacks || !begin_session(run, err) || !read_repeatedly(run, request, err) ||
            !end_session(run, err) || !read_back(run, request, err))
                return NULL;
        return TAKE(run);
}

struct stack_run_facts stack_run_get(const struct stack_run *run)
{
        return (struct stack_run_facts){.report = run->report,
                                        .waits = run->section,
                                        .tasks = run->tasks,
                                        .took_ns = run->took_ns,
                                        .n_read = run->n_read,
                                        .n_refused = run->n_refused};
}
