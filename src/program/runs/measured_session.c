/* SPDX-License-Identifier: BSD-3-Clause */
#include "measured_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotation.h"
#include "count_replay.h"
#include "measured_counts.h"
#include "measured_facts.h"
#include "mem.h"
#include "perf_abi.h"
#include "python_label.h"
#include "python_version.h"
#include "text.h"
#include "unnamed_code.h"

struct measuring {
        struct run_values *values;
        const struct measured_session_request *request;
        struct report *report;
        uint32_t *numbers; /* of the events in `values`, by index in the report */
        bool any;          /* a name was added */
};

/* --- Facts ------------------------------------------------------------------------------------------ */

static void add_fact(struct measuring *m, const char *key, const char *text)
{
        if (text && *text)
                run_values_add_fact(m->values, key, text);
}

/* record --repeat varies the rate by 5 % from run to run: that is no difference. */
static bool is_default_rate(uint64_t hz)
{
        return hz >= 949 && hz <= 1049;
}

/* "cpu-clock at 999 Hz, cycles every 100000" */
static void add_event_fact(struct measuring *m)
{
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < m->report->n_events; i++) {
                const struct report_event *e = &m->report->events[i];
                uint64_t rate = e->attr.sample_period_or_freq;

                if (e->only_tracks || e->is_derived || e->is_waiting)
                        continue;
                buf_printf(&text, "%s%s ", text.len ? ", " : "", e->name);
                if (e->attr.flags & PERF_ATTR_FREQ)
                        buf_printf(&text, "at %" PRIu64 " Hz", is_default_rate(rate) ? 999 : rate);
                else
                        buf_printf(&text, "every %" PRIu64 "%s", rate,
                                   perf_attr_is_clock(&e->attr) ? " ns" : "");
        }
        add_fact(m, "events", buf_text(&text));
}

/* Whether the kernel's samples are among those of the first event. */
static void add_code_fact(struct measuring *m)
{
        for (size_t i = 0; i < m->report->n_events; i++) {
                const struct report_event *e = &m->report->events[i];

                if (e->only_tracks || e->is_derived || e->is_waiting)
                        continue;
                add_fact(m, "code",
                         e->attr.flags & PERF_ATTR_EXCLUDE_KERNEL ? "user code" : "user code and the kernel");
                return;
        }
}

static void add_python_fact(struct measuring *m)
{
        const struct world *world = m->report->session.world;
        unsigned minor = 0;
        char version[16];

        for (module_id i = 0; i < world_n_modules(world) && !minor; i++)
                minor = python_version_of_path(world_text(world, world_get_module(world, i)->path));
        snprintf(version, sizeof(version), "3.%u", minor);
        if (minor)
                add_fact(m, "Python", version);
}

static bool is_sampled(const struct report *report, const char *path)
{
        for (size_t i = 0; i < report->modules.n; i++) {
                if (!strcmp(report->modules.items[i].path, path))
                        return true;
        }
        return false;
}

static bool is_program(const struct report *report, const char *path)
{
        return report->image.is_known && !strcmp(report->image.path, path);
}

/* The builds of sampled libraries; the program itself is expected to differ. */
static void add_builds(struct measuring *m)
{
        const struct world *world = m->report->session.world;

        for (module_id i = 0; i < world_n_modules(world); i++) {
                const struct module *module = world_get_module(world, i);
                const char *path = world_text(world, module->path);
                AUTO_RELEASE(buf) key = {0};
                AUTO_RELEASE(buf) id = {0};

                if (!module->build_id_size || !is_sampled(m->report, path) || is_program(m->report, path))
                        continue;
                buf_printf(&key, "build of %s", text_base_name(path));
                for (size_t b = 0; b < module->build_id_size && b < 6; b++)
                        buf_printf(&id, "%02x", module->build_id[b]);
                add_fact(m, buf_text(&key), buf_text(&id));
        }
}

static void add_facts(struct measuring *m)
{
        measured_facts_add(m->values, m->report->session.reader);
        add_event_fact(m);
        add_code_fact(m);
        add_python_fact(m);
        add_builds(m);
        if (m->report->image.is_known)
                run_values_set_program(m->values, m->report->image.name);
}

static void add_times(struct measuring *m)
{
        const struct run_info *info = &m->report->run.info;

        struct profile_totals totals = profile_get_totals(m->report->profile, UINT32_MAX);

        if (totals.first_ns)
                run_values_set_start(m->values, (double)totals.first_ns);
        if (!m->report->run.is_known)
                return;
        run_values_set_time(m->values, RUN_ELAPSED, (double)info->elapsed_ns);
        if (!info->user_ns && !info->kernel_ns)
                return;
        run_values_set_time(m->values, RUN_USER, (double)info->user_ns);
        run_values_set_time(m->values, RUN_KERNEL, (double)info->kernel_ns);
}

/* --- Events ----------------------------------------------------------------------------------------- */

/* The CPU time that the recorder measured is exact, and the sum of the periods is not: samples are lost,
 * and the clock of the samples stops now and then. */
static double amount_of(const struct report *report, const struct report_event *event)
{
        const struct run_info *info = &report->run.info;
        uint64_t busy_ns = info->user_ns;

        if (event->is_derived)
                return (double)event->weight;
        if (!(event->attr.flags & PERF_ATTR_EXCLUDE_KERNEL))
                busy_ns += info->kernel_ns;
        if (report->run.is_known && busy_ns && perf_attr_is_clock(&event->attr) &&
            !(info->split_is_unknown && event->attr.flags & PERF_ATTR_EXCLUDE_KERNEL))
                return (double)busy_ns;
        return (double)event->weight;
}

static void add_events(struct measuring *m)
{
        m->numbers = mem_new(m->report->n_events, sizeof(*m->numbers));
        for (size_t i = 0; i < m->report->n_events; i++) {
                const struct report_event *e = &m->report->events[i];
                const struct run_event event = {
                        .name = e->name,
                        .is_time = perf_attr_is_clock(&e->attr),
                        .n_samples = e->n_samples,
                        .weight = e->weight,
                        .amount = amount_of(m->report, e),
                };

                m->numbers[i] = e->only_tracks || e->is_in_wall || e->is_waiting
                                        ? UINT32_MAX
                                        : run_values_add_event(m->values, &event);
        }
}

/* --- Names ------------------------------------------------------------------------------------------ */

static void add_name(struct measuring *m, uint32_t event, const struct run_name *name, uint64_t count,
                     uint64_t weight)
{
        if (!count || m->numbers[event] == UINT32_MAX)
                return;
        run_values_add(m->values, m->numbers[event], name, count, weight);
        m->any = true;
}

static void add_functions(struct measuring *m)
{
        const struct hot *hot = m->report->hot;
        bool lines = m->request->by == MEASURED_LINE;

        for (size_t i = 0; i < hot_n_rows(hot); i++) {
                const struct hot_row *row = hot_get_row(hot, i);
                struct run_name name = {
                        .name = hot_text(hot, row->bare),
                        .brief = hot_text(hot, row->brief),
                        .module = hot_text(hot, row->module),
                };
                AUTO_RELEASE(buf) text = {0};

                if (!lines &&
                    unnamed_code_add_name(m->request->codes, m->request->builds, m->report, i, &text))
                        name.name = buf_text(&text);
                if (lines) {
                        const char *line = hot_text(hot, row->line);

                        buf_printf(&text, "%s %s", name.brief, *line ? line : "(line not known)");
                        name.name = buf_text(&text);
                        name.brief = NULL;
                }
                add_name(m, row->event, &name, row->count, row->weight);
        }
}

/* All functions that are inlined somewhere in this run's samples. */
static void add_inlined(struct measuring *m)
{
        const struct report *report = m->report;
        const struct place_modules modules = report_session_modules(&report->session);
        AUTO(hot)
        hot = hot_new(&(struct hot_request){
                .profile = report->profile,
                .keys = profile_keys(report->profile),
                .world = report->session.world,
                .resolver = report_session_resolver(&report->session),
                .modules = &modules,
                .inlines = true,
                .arguments = true,
        });

        for (size_t i = 0; i < hot_n_rows(hot); i++)
                run_values_add_inlined(m->values, hot_text(hot, hot_get_row(hot, i)->bare));
}

static void add_python(struct measuring *m)
{
        const struct python_rows *rows = m->report->python;

        for (size_t i = 0; rows && i < rows->n; i++) {
                const struct python_function *f = &rows->items[i];
                const struct run_name name = {.name = f->name, .module = f->path};

                add_name(m, f->event, &name, f->self_count, f->self_weight);
        }
}

static void add_handler_rows(struct measuring *m, uint32_t event, const struct annotate_rows *rows,
                             const char *module)
{
        for (size_t i = 0; i < rows->n_rows; i++) {
                const struct run_name name = {.name = rows->rows[i].name, .module = module};

                add_name(m, event, &name, rows->rows[i].count, rows->rows[i].weight);
        }
}

static void add_tail_calls(struct measuring *m, uint32_t event)
{
        struct annotate_rows rows;

        annotate_tail_calls(m->report->hot, event, &rows);
        add_handler_rows(m, event, &rows, "");
        annotate_rows_release(&rows);
}

static void add_handlers(struct measuring *m)
{
        const struct annotation_request request = {.all = true, .with_handlers = true, .max_functions = 1};
        AUTO(annotation) annotation = NULL;

        for (uint32_t e = 0; e < m->report->n_events; e++)
                add_tail_calls(m, e);
        if (m->any)
                return;
        annotation = annotation_new(m->report, &request, NULL);
        for (size_t i = 0; annotation && i < annotation_n_functions(annotation); i++) {
                struct annotated annotated = annotation_get(annotation, i);
                struct annotate_rows rows;

                if (annotate_group(annotated.annotate, ANNOTATE_HANDLER, &rows, NULL))
                        add_handler_rows(m, annotated.event, &rows,
                                         hot_text(m->report->hot, annotated.row->bare));
                annotate_rows_release(&rows);
        }
}

/* Without the line of a Python function: an edit of the file moves it. */
static void add_function(const struct calltree_function *function, struct buf *out)
{
        if (function->is_python)
                buf_printf(out, "%s [%s]", function->brief, python_label_file(function->module));
        else
                buf_add_str(out, function->name);
}

static void add_path(const struct calltree *tree, uint32_t at, struct buf *out)
{
        const struct calltree_node *node = calltree_get_node(tree, at);

        if (at == CALLTREE_ROOT)
                return;
        if (node->parent != CALLTREE_ROOT) {
                add_path(tree, node->parent, out);
                buf_add_char(out, ';');
        }
        add_function(calltree_get_function(tree, node->function), out);
}

static void add_stacks_of(struct measuring *m, uint32_t event, const struct calltree *tree)
{
        for (uint32_t i = 0; i < calltree_n_nodes(tree); i++) {
                const struct calltree_node *node = calltree_get_node(tree, i);
                AUTO_RELEASE(buf) path = {0};
                struct run_name name = {.module = ""};

                if (!node->self_count)
                        continue;
                add_path(tree, i, &path);
                name.name = buf_text(&path);
                add_name(m, event, &name, node->self_count, node->self_weight);
        }
}

static void use_trees(struct measuring *m)
{
        for (uint32_t e = 0; e < m->report->n_events; e++) {
                AUTO(calltree) tree = NULL;

                if (!m->report->events[e].n_samples)
                        continue;
                tree = stacks_tree_make(m->report->tree, e);
                if (m->request->by == MEASURED_STACK)
                        add_stacks_of(m, e, tree);
                if (m->request->trees)
                        diff_tree_take(m->request->trees, m->values, m->report->events[e].name, TAKE(tree));
        }
}

static void add_names(struct measuring *m)
{
        switch (m->request->by) {
        case MEASURED_FUNCTION:
        case MEASURED_LINE: add_functions(m); break;
        case MEASURED_PYTHON: add_python(m); break;
        case MEASURED_HANDLER: add_handlers(m); break;
        case MEASURED_STACK: break; /* use_trees() */
        }
        if (m->request->by == MEASURED_FUNCTION && m->request->finds_inlined)
                add_inlined(m);
        if (m->report->tree)
                use_trees(m);
}

static const char *why_missing(const struct measuring *m)
{
        if (count_replay_is(m->report->session.reader))
                return "it has counts, not samples; its totals can be compared, without --by and without a picture";
        switch (m->request->by) {
        case MEASURED_PYTHON: return "its samples have no Python frames; record Python programs with -g";
        case MEASURED_HANDLER:
                return "no function with samples has bytecode handlers; these need an interpreter with debug information";
        default: return "it has no samples; let the program run longer";
        }
}

static bool has_names(const struct measuring *m, const char *name, struct err *err)
{
        return m->any || err_set(err, ERR_MISSING, "%s: %s", name, why_missing(m));
}

static void add_warning(const struct measuring *m, const char *name)
{
        if (!m->request->warnings || !quality_is_poor(&m->report->quality))
                return;
        buf_printf(m->request->warnings, "%s: ", name);
        quality_add_reasons(&m->report->quality, m->request->warnings);
        buf_add_char(m->request->warnings, '\n');
}

static unsigned keys_of(enum measured_by by)
{
        return PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL | (by == MEASURED_LINE ? PROFILE_LINE : 0);
}

bool measured_session_has_python(const char *path, const struct resolver_sources *sources)
{
        AUTO(session_input) input = session_input_open(path, report_session_access(sources), NULL);
        struct cursor section = {0};

        if (input)
                section = perfdata_feature(input->reader, FEATURE_WPERF_PYTHON);
        return input && cursor_left(&section) > 0;
}

struct report_request measured_session_report(const char *path,
                                              const struct measured_session_request *request)
{
        struct report_request wanted = {
                .path = path,
                .keys = keys_of(request->by),
                .no_demangle = request->no_demangle,
                .arguments = true,
                .merges_strays = true,
                .merges_callers = true,
                .sources = request->sources,
        };
        if (request->filter)
                wanted.filter = *request->filter;
        if (request->by == MEASURED_PYTHON)
                wanted.results |= REPORT_PYTHON;
        if (request->by == MEASURED_STACK || request->trees)
                wanted.results |= REPORT_TREE;
        return wanted;
}

bool measured_session_add(struct run_values *values, enum run_side side, const char *path,
                          const struct measured_session_request *request, struct err *err)
{
        struct report_request wanted = measured_session_report(path, request);
        AUTO(session_input) input = NULL;
        AUTO(report) report = NULL;
        struct measuring m = {.values = values, .request = request};
        const char *name = request->name ? request->name : path;
        bool ok;

        input = session_input_open(path, report_session_access(request->sources), err);
        if (!input)
                return false;
        /* Other names than functions, which are the default, need samples. */
        if (count_replay_is(input->reader) && request->by == MEASURED_FUNCTION && !request->trees)
                return measured_counts_add(values, side, name, input->reader, request->warnings, err);
        report = report_make_of(&wanted, TAKE(input), err);
        if (!report)
                return false;
        m.report = report;
        add_warning(&m, name);
        run_values_add_run(values, side, name);
        add_facts(&m);
        add_times(&m);
        add_events(&m);
        add_names(&m);
        free(m.numbers);
        ok = has_names(&m, name, err);
        function_codes_end(request->codes, TAKE(report));
        return ok;
}
