/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session is read with: the pass over its records is in report_read.c, what is made of that in report_results.c. */
#include "report.h"

#include <stdlib.h>

#include "arena.h"
#include "mem.h"
#include "perfdata_format.h"
#include "report_internal.h"
#include "session_times.h"

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
        branches_free(report->branches);
        branch_rows_free(report->branch_rows);
        packed_release(&report->packed);
        modules_release(&report->modules);
        profile_free(report->profile);
        free(report->events);
        report_session_release(&report->session);
        buf_release(&report->run.text);
        buf_release(&report->doubts);
        free(report);
}

static void pass_release(struct report_pass *pass)
{
        stack_unwind_free(pass->unwind);
        report_python_release(&pass->python);
        map_release(&pass->seen_pids);
        map_release(&pass->cut_modules);
        free(pass->pids);
}

static void begin_stacks(struct report_pass *pass)
{
        struct report *report = pass->report;
        struct report_session *session = pass->session;

        report->stacks = stacks_new(pass->request.merges_strays);
        stacks_set_budget(report->stacks, &session->budget);
        report->samples = report_wants(pass, REPORT_SAMPLES) ? sample_list_new() : NULL;
        if (report->samples)
                sample_list_set_budget(report->samples, &session->budget);
        pass->is_by_stacks = !report_wants(pass, REPORT_PACKED) && profile_by_place(report->profile);
        session_archive_open_walks(&session->archive, session->reader);
        stack_unwind_use_archive(pass->unwind, session->archive.walks);
        report->packed.walks = report_wants(pass, REPORT_PACKED) ? stack_archive_writer_new() : NULL;
        stack_unwind_pack(pass->unwind, report->packed.walks);
}

/* What the records are to fill. */
static void begin(struct report_pass *pass)
{
        const struct report_request *request = &pass->request;
        struct report *report = pass->report;
        struct report_session *session = pass->session;
        unsigned keys = request->keys ? request->keys : PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL;

        report->profile = profile_new(keys, &request->filter);
        profile_set_budget(report->profile, &session->budget);
        report_python_init(&pass->python, module_source_python(session->modules), request->filter.python_file,
                           keys & PROFILE_PYTHON);
        report->run.is_known = run_info_read(session->reader, &report->run.text, &report->run.info);
        stack_marks_read(perfdata_feature(session->reader, FEATURE_WPERF_STACKS), &pass->marks);
        report->branches = report_wants(pass, REPORT_BRANCHES) ? branches_new() : NULL;
        if (report->branches)
                branches_set_budget(report->branches, &session->budget);
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
        if (request->results & (REPORT_TREE | REPORT_NAMED_STACKS | REPORT_SAMPLES | REPORT_PACKED))
                pass.request.results |= REPORT_STACKS;
        report_session_init(&report->session, &session, input);
        if (!session_times_resolve(request->path, input, &pass.request.filter, err))
                return NULL;
        begin(&pass);
        if (!report_read(&pass, err))
                return NULL;
        report_make_results(&pass);
        return TAKE(report);
}
