/* SPDX-License-Identifier: BSD-3-Clause */
/* stack: what the threads of running programs do now. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cmd.h"
#include "cmd_stack_options.h"
#include "mem.h"
#include "os.h"
#include "stack_run.h"
#include "stack_view.h"
#include "wait_threads.h"

enum { DEFAULT_INTERVAL_NS = 1000000000 };

struct shown_processes {
        struct stack_process *items;
        size_t n, cap;
        struct arena texts;
};

/* --- Which processes --- */

struct chosen {
        int32_t *pids;
        size_t n;
        struct buf threads; /* numbers of threads that were named instead of their processes, by commas */
        size_t n_threads;
};

static bool fail_ended(int32_t pid, struct err *err)
{
        int32_t tid = target_living_thread(pid);

        if (tid)
                return err_set(err, ERR_MISSING,
                               "the first thread of process %" PRId32
                               " has ended; write the number of another one: wperf stack %" PRId32,
                               pid, tid);
        return err_set(err, ERR_MISSING,
                       "process %" PRId32 " has ended (a zombie: its parent has not asked for its status)",
                       pid);
}

static bool check(int32_t pid, struct err *err)
{
        switch (target_kind_of(pid)) {
        case TARGET_NO_PROCESS: return err_set(err, ERR_MISSING, "there is no process %" PRId32, pid);
        case TARGET_HAS_ENDED: return fail_ended(pid, err);
        case TARGET_KERNEL_THREAD:
                return err_set(err, ERR_USAGE,
                               "process %" PRId32
                               " is a kernel thread, which has no stack outside of the kernel",
                               pid);
        case TARGET_HIDDEN:
                return err_set(err, ERR_DENIED,
                               "process %" PRId32
                               " is hidden from you (/proc is mounted with hidepid): run wperf as root",
                               pid);
        case TARGET_PROCESS: break;
        }
        return true;
}

/* The process of a thread, which is shown alone then. */
static int32_t take_thread(int32_t tid, struct chosen *ret)
{
        int32_t pid = target_process_of(tid);

        if (!pid || pid == tid || target_kind_of(pid) != TARGET_PROCESS)
                return tid;
        buf_printf(&ret->threads, "%s%" PRId32, ret->n_threads++ ? "," : "", tid);
        return pid;
}

static bool take(const struct number_list *given, struct chosen *ret, struct err *err)
{
        for (size_t i = 0; i < given->n; i++) {
                int32_t pid = (int32_t)given->numbers[i];
                bool is_known = false;

                if (!check(pid, err))
                        return false;
                pid = take_thread(pid, ret);
                for (size_t k = 0; k < ret->n; k++)
                        is_known |= ret->pids[k] == pid;
                if (!is_known)
                        ret->pids[ret->n++] = pid;
        }
        return true;
}

static bool choose(const struct stack_options *o, const struct command_line *line, struct chosen *ret,
                   struct err *err)
{
        const struct target_options *t = &o->target;
        size_t n = t->pids.n + t->bare_pids.n;

        if (line->n_args)
                return err_set(err, ERR_USAGE, "stack takes PIDs; for processes of a name write --comm %.40s",
                               line->args[0]);
        if ((n > 0) + (t->comm != NULL) + t->all_cpus > 1)
                return err_set(err, ERR_USAGE, "%s and %s cannot be used together", n ? "PIDs" : "--comm",
                               t->all_cpus ? "-a" : "--comm");
        if (t->all_cpus)
                return target_find_readable(&ret->pids, &ret->n, err);
        if (t->comm)
                return target_find_comm(t->comm, &ret->pids, &ret->n, err);
        if (!n)
                return err_set(err, ERR_USAGE, "stack needs a process: wperf stack PID, --comm NAME, or -a");
        ret->pids = mem_new(n, sizeof(*ret->pids));
        if (!take(&t->pids, ret, err) || !take(&t->bare_pids, ret, err))
                return false;
        return !ret->n_threads || (ret->n_threads == n && !o->threads) ||
               err_set(err, ERR_USAGE, "%s: threads of a process; write its PID and --thread %s",
                       buf_text(&ret->threads), buf_text(&ret->threads));
}

/* --- What is shown --- */

static const char *name_of(const struct stack_run_facts *facts, int32_t pid)
{
        const struct sample_list *samples = facts->report->samples;

        for (size_t i = sample_list_n(samples); i--;) {
                const struct listed_sample *sample = sample_list_get(samples, i);

                if (sample->tid == pid)
                        return sample_list_text(samples, sample->comm);
        }
        return "?";
}

static void add_process(struct shown_processes *shown, const struct stack_run_facts *facts,
                        const struct wait_reading *reading)
{
        AUTO_RELEASE(buf) version = {0};
        AUTO_RELEASE(buf) script = {0};
        struct stack_process process = {.pid = reading->pid, .comm = name_of(facts, reading->pid)};

        for (size_t i = 0; i < shown->n; i++) {
                if (shown->items[i].pid == reading->pid)
                        return;
        }
        process.name = process.comm;
        if (reading->python_minor && target_add_script(reading->pid, &script))
                process.name = arena_copy(&shown->texts, buf_text(&script), script.len);
        buf_printf(&version, "3.%u", reading->python_minor);
        if (reading->python_minor)
                process.python = arena_copy(&shown->texts, buf_text(&version), version.len);
        ARRAY_PUSH(shown->items, shown->n, shown->cap, process);
}

static int show(const struct stack_options *o, const char *only, enum stacks_python python,
                const struct stack_run *run)
{
        const struct cmd_forms forms = cmd_wanted_forms(&o->general, &o->output);
        const struct stack_run_facts facts = stack_run_get(run);
        AUTO(wait_threads)
        threads = wait_threads_new(&(struct wait_threads_request){
                .waits = facts.waits,
                .tasks = python == STACKS_PYTHON_NATIVE ? NULL : facts.tasks,
                .named = facts.report->named,
                .samples = facts.report->samples,
                .shows_waiting_code = o->general.verbose,
                .threads = only,
                .merges_same = true,
        });
        AUTO(task_rows) tasks = task_rows_new(facts.tasks, threads, true);
        struct shown_processes shown = {0};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct stack_view view = {
                .threads = threads,
                .tasks = tasks,
                .took_ns = facts.took_ns,
                .n_read = facts.n_read,
                .n_refused = facts.n_refused,
                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
                .no_lines = o->no_lines,
        };
        struct err err = {0};
        int status;

        for (size_t i = 0; i < threads->n_rows; i++) {
                if (threads->rows[i].is_shown)
                        add_process(&shown, &facts, threads->rows[i].reading);
        }
        if (!shown.n) {
                err_set(&err, ERR_MISSING, "no thread has the name or number '%s'", only);
                return cmd_fail(&err);
        }
        cmd_warn_of_left_out();
        view.processes = shown.items;
        view.n_processes = shown.n;
        if (forms.text)
                stack_view_text(&view, &text);
        if (forms.document)
                stack_view_json(&view, &document);
        status = cmd_print_document(&o->general, &o->output, &text, &document);
        free(shown.items);
        arena_release(&shown.texts);
        return status;
}

static int read_and_show(const struct stack_options *o, struct chosen *chosen)
{
        struct stack_run_request request = {
                .pids = chosen->pids,
                .n_pids = chosen->n,
                .n_repeats = o->repeats ? (unsigned)o->repeats : 1,
                .interval_ns = o->interval_ns ? o->interval_ns : DEFAULT_INTERVAL_NS,
                .nonblocking = o->nonblocking,
                .no_demangle = o->no_demangle,
        };
        AUTO(stack_run) run = NULL;
        struct lookup lookup;
        struct err err = {0};
        int status;

        if (!python_options_frames(&o->python, &request.python, &err) ||
            !lookup_init(&o->lookup, &lookup, &err))
                return cmd_fail(&err);
        request.sources = &lookup.sources;
        os_catch_stop();
        run = stack_run_make(&request, &err);
        os_release_stop();
        status = run ? show(o, chosen->n_threads ? buf_text(&chosen->threads) : o->threads, request.python,
                            run)
                     : cmd_fail(&err);
        stack_run_free(TAKE(run));
        lookup_release(&lookup);
        return status;
}

int cmd_stack(const struct command_line *line)
{
        const struct stack_options *o = line->options;
        struct chosen chosen = {0};
        struct err err = {0};
        int status = choose(o, line, &chosen, &err) ? read_and_show(o, &chosen) : cmd_fail(&err);

        free(chosen.pids);
        buf_release(&chosen.threads);
        return status;
}
