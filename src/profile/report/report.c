/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a report: report_read.c reads the records, report_results.c makes the results. */
#include "report.h"

#include <stdlib.h>

#include "arena.h"
#include "mem.h"
#include "perfdata_format.h"
#include "report_internal.h"
#include "report_tasks.h"
#include "report_traced.h"
#include "report_wall.h"
#include "session_facts.h"
#include "session_times.h"
#include "spe_samples.h"

static void modules_release(struct report_modules *modules)
{
        free(modules->items);
        arena_release(&modules->arena);
}

static void packed_release(struct report_packed *packed)
{
        stack_archive_writer_free(packed->walks);
        buf_release(&packed->ends);
}

void report_free(struct report *report)
{
        if (!report)
                return;
        stacks_tree_free(report->tree);
        named_stacks_free(report->named);
        hot_free(report->hot);
        python_rows_free(report->python);
        stacks_free(report->stacks);
        sample_list_free(report->samples);
        sched_log_free(report->sched_log);
        sched_events_free(report->sched);
        cpu_spans_free(report->cpu_spans);
        wall_times_free(report->wall);
        wall_tasks_free(report->wall_tasks);
        report_tasks_free(report->task_stacks);
        task_section_free(report->tasks);
        wall_pieces_free(report->pieces);
        syscall_log_free(report->syscall_log);
        syscall_rows_free(report->syscalls);
        lock_log_free(report->lock_log);
        lock_rows_free(report->locks);
        branches_free(report->branches);
        branch_rows_free(report->branch_rows);
        accesses_free(report->accesses);
        packed_release(&report->packed);
        modules_release(&report->modules);
        profile_free(report->profile);
        free(report->events);
        arena_release(&report->names);
        spe_samples_free(report->spe);
        report_session_release(&report->session);
        buf_release(&report->run.text);
        buf_release(&report->run.machine);
        buf_release(&report->doubts);
        buf_release(&report->namer_source);
        free(report);
}

static void pass_release(struct report_pass *pass)
{
        stack_unwind_free(pass->unwind);
        report_python_release(&pass->python);
        map_release(&pass->seen_pids);
        map_release(&pass->cut_modules);
        map_release(&pass->in_a_row);
        free(pass->pids);
}

static void begin_stacks(struct report_pass *pass)
{
        struct report *report = pass->report;
        struct report_session *session = pass->session;

        report->stacks = stacks_new(pass->request.merges_strays);
        stacks_set_budget(report->stacks, &session->budget);
        report->samples = report_wants(pass, REPORT_SAMPLES) ? sample_list_new() : NULL;
        report->cpu_spans = report->samples ? cpu_spans_new(&session->budget) : NULL;
        report->sched_log =
                report->samples ? sched_log_new(report->sched, report->cpu_spans, &session->budget) : NULL;
        if (report->samples)
                sample_list_set_budget(report->samples, &session->budget);
        pass->is_by_stacks = !report_wants(pass, REPORT_PACKED) && profile_by_place(report->profile) &&
                             !report_wall_is_on(pass);
        session_archive_open_walks(&session->archive, session->reader, &session->budget);
        stack_unwind_use_archive(pass->unwind, session->archive.walks);
        report->packed.walks = report_wants(pass, REPORT_PACKED) ? stack_archive_writer_new() : NULL;
        stack_unwind_pack(pass->unwind, report->packed.walks);
}

static void begin_spe(struct report *report)
{
        struct perfdata_extra extra;

        report->spe = spe_samples_open(report->session.reader);
        if (!report->spe)
                return;
        extra = spe_samples_extra(report->spe);
        perfdata_set_extra(report->session.reader, &extra);
}

static struct profile *new_profile(const struct report_pass *pass)
{
        const struct report_request *request = &pass->request;
        unsigned keys = request->keys ? request->keys : PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL;
        struct profile *profile;

        pass->report->is_by_source = request->by_source && pass->report->spe;
        if (pass->report->is_by_source)
                keys |= PROFILE_SOURCE;
        profile = profile_new(keys, &request->filter);
        if (pass->report->spe)
                profile_set_spe(profile, spe_samples_event(pass->report->spe));
        profile_set_budget(profile, &pass->session->budget);
        return profile;
}

/* If results have no more of a sample than the profile, equal samples can be counted before they are made. */
static void count_equal_spe(struct report_pass *pass)
{
        const unsigned results = REPORT_STACKS | REPORT_ACCESSES | REPORT_BRANCHES;
        struct report *report = pass->report;

        if (!report->spe || pass->request.results & results || pass->python.is_wanted ||
            !profile_counts_alike(report->profile))
                return;
        pass->spe_event = spe_samples_event(report->spe);
        pass->spe_period = spe_samples_count_equal(report->spe);
}

/* Prepares the results that the records will fill. */
static void begin(struct report_pass *pass)
{
        const struct report_request *request = &pass->request;
        struct report *report = pass->report;
        struct report_session *session = pass->session;

        begin_spe(report);
        report->profile = new_profile(pass);
        report_python_init(&pass->python, module_source_python(session->modules), request->filter.python_file,
                           request->keys & PROFILE_PYTHON);
        count_equal_spe(pass);
        report->run.is_known = run_info_read(session->reader, &report->run.text, &report->run.info);
        if (report->run.info.source_is_short)
                budget_leave_out(&session->budget, BUDGET_RECORDS);
        session_facts_add_machine(session->reader, &report->run.machine);
        stack_marks_read(perfdata_feature(session->reader, FEATURE_WPERF_STACKS), &pass->marks);
        report->branches = report_wants(pass, REPORT_BRANCHES) ? branches_new() : NULL;
        if (report->branches)
                branches_set_budget(report->branches, &session->budget);
        if (report_wants(pass, REPORT_ACCESSES))
                report->accesses =
                        accesses_new(profile_keys(report->profile) & ~PROFILE_SOURCE, request->access_keys);
        if (report->accesses)
                accesses_set_budget(report->accesses, &session->budget);
        pass->unwind = stack_unwind_new(session->world, session->modules, session->reader);
        stack_unwind_use_ends(pass->unwind, perfdata_feature(session->reader, FEATURE_WPERF_ENDS));
        stack_unwind_pack_ends(pass->unwind, report_wants(pass, REPORT_PACKED) ? &report->packed.ends : NULL);
        if (report_wants(pass, REPORT_STACKS))
                begin_stacks(pass);
}

struct report *report_make(const struct report_request *request, struct err *err)
{
        AUTO(session_input)
        input = session_input_open(request->path, report_session_access(request->sources), err);

        return input ? report_make_of(request, TAKE(input), err) : NULL;
}

struct report *report_make_of(const struct report_request *request, struct session_input *input,
                              struct err *err)
{
        AUTO(report) report = mem_new(1, sizeof(*report));
        __attribute__((cleanup(pass_release))) struct report_pass pass = {
                .request = *request, .report = report, .session = &report->session};
        const struct report_session_request session = {
                .path = request->path,
                .sources = request->sources,
                .collected = request->collected,
                .no_demangle = request->no_demangle,
                .long_names = request->long_names,
                .keep_clones = request->keep_clones,
        };

        if (request->results & REPORT_PYTHON && !perfdata_feature(input->reader, FEATURE_WPERF_PYTHON).failed)
                pass.request.results |= REPORT_STACKS;
        report->has_waits = !perfdata_feature(input->reader, FEATURE_WPERF_WAITS).failed;
        if (pass.request.results & (REPORT_TREE | REPORT_NAMED_STACKS | REPORT_SAMPLES | REPORT_PACKED))
                pass.request.results |= REPORT_STACKS;
        report_session_init(&report->session, &session, input);
        report->sched = sched_events_new(input->reader);
        report_traced_begin(&pass);
        if (!session_times_resolve(request->path, input, &pass.request.filter, err) ||
            !report_wall_begin(&pass, input, err))
                return NULL;
        begin(&pass);
        if (!report_read(&pass, err))
                return NULL;
        report_make_results(&pass);
        return TAKE(report);
}
