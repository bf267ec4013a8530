/* SPDX-License-Identifier: BSD-3-Clause */
/* After all records were read: looks up names, once for each distinct address, and makes the requested
 * results. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "debug_package.h"
#include "debuginfod.h"
#include "mem.h"
#include "os.h"
#include "python_section.h"
#include "report_internal.h"
#include "report_traced.h"
#include "report_wall.h"
#include "resolver_facts.h"
#include "spe_samples.h"
#include "text.h"

/* --- Events --- */

static const char *skid_of(const struct perf_attr *attr)
{
        uint64_t precise = (attr->flags & PERF_ATTR_PRECISE) >> PERF_ATTR_PRECISE_SHIFT;

        /* A software clock has no precise levels, even if its attribute asks for one. */
        return precise >= 2 && attr->type != PERF_TYPE_SOFTWARE ? "none" : "possible";
}

static void count_event(const struct report *report, uint32_t number, struct report_event *event)
{
        struct profile_totals totals = profile_get_totals(report->profile, number);

        event->n_samples = totals.n_samples;
        event->weight = totals.weight;
        event->mean_period = totals.n_samples ? totals.weight / totals.n_samples : 0;
}

/* The events of the sources follow those of the session. */
static void add_sources(struct report *report, size_t first, const uint32_t *sources, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                struct report_event *event = &report->events[first + i];
                struct report_event *whole = &report->events[spe_samples_event(report->spe)];
                AUTO_RELEASE(buf) name = {0};

                whole->has_sources = true;
                spe_raw_add_source(&name, sources[i]);
                *event = *whole;
                event->name = arena_copy(&report->names, name.data, name.len);
                event->has_sources = false;
                event->is_source = true;
                count_event(report, (uint32_t)(first + i), event);
        }
}

static void make_events(const struct report_pass *pass, struct report *report)
{
        size_t n = perfdata_n_events(report->session.reader), n_sources = 0;
        uint32_t *sources = NULL;

        if (report->is_by_source)
                sources = profile_split_sources(report->profile, (uint32_t)n, &n_sources);
        report->n_events = n + n_sources + report_wall_is_on(pass);
        report->events = mem_new(report->n_events, sizeof(*report->events));
        for (size_t i = 0; i < n; i++) {
                const struct perfdata_event *e = perfdata_get_event(report->session.reader, i);

                report->events[i] = (struct report_event){
                        .name = e->name,
                        .attr = e->attr,
                        .skid = skid_of(&e->attr),
                        .only_tracks = text_starts(e->name, "dummy") ||
                                       spe_samples_is_source(report->spe, (uint32_t)i),
                        .is_waiting = report->has_waits && !strcmp(e->name, "waiting"),
                };
                count_event(report, (uint32_t)i, &report->events[i]);
        }
        add_sources(report, n, sources, n_sources);
        if (report_wall_is_on(pass))
                report_wall_fill_events(pass, n);
        free(sources);
}

static struct hot *new_hot(const struct report_pass *pass, const struct place_modules *modules,
                           const char *symbol)
{
        const struct profile *profile = pass->report->profile;

        return hot_new(&(struct hot_request){
                .profile = profile,
                .keys = profile_keys(profile),
                .world = pass->session->world,
                .resolver = report_session_resolver(pass->session),
                .modules = modules,
                .inlines = pass->request.inlines,
                .arguments = pass->request.arguments,
                .symbol = symbol,
                .state_word = wall_state_word,
        });
}

/* Rows of functions that do not match are only hidden, by the view. */
static const char *pattern_of_rows(const struct report_pass *pass)
{
        return profile_keys(pass->report->profile) & PROFILE_SYMBOL ? NULL : pass->request.symbol;
}

/* Only Windows on ARM64 emulates code that the session shows as it is.  The shares are of all samples,
 * which the rows may not have. */
static void find_emulation(const struct report_pass *pass, const struct place_modules *modules)
{
        struct report *report = pass->report;
        AUTO(hot) whole = NULL;

        if (!module_source_is_arm64(report->session.modules))
                return;
        if (pattern_of_rows(pass))
                whole = new_hot(pass, modules, NULL);
        for (uint32_t i = 0; i < report->n_events; i++) {
                struct report_event *e = &report->events[i];
                struct module_facts facts;

                e->emulation = hot_get_emulation(whole ? whole : report->hot, i, e->weight, modules);
                if (e->emulation.module == MODULE_NONE)
                        continue;
                modules->tell(modules->ctx, e->emulation.module, &facts);
                e->emulated_module = facts.name;
        }
}

/* --- Quality --- */

static double share_of(uint64_t part_ns, uint64_t whole_ns)
{
        return part_ns < whole_ns ? (double)part_ns / (double)whole_ns : part_ns > 0;
}

static void fill_damage(const struct report *report, struct quality *q)
{
        const struct perfdata_damage *damage = perfdata_get_damage(report->session.reader);
        const struct archive_origin *origin = &report->session.archive.origin;

        q->cut_bytes = damage->cut_bytes + origin->cut_bytes + report->run.info.source_cut_bytes;
        q->unfinished = damage->data_size_missing || damage->features_missing || origin->is_unfinished;
        q->overblown_bytes = damage->overblown_bytes;
        q->n_malformed += damage->n_malformed + report->run.info.n_source_malformed;
        q->n_unknown_records = damage->n_unknown_types;
        q->n_unknown_events = damage->n_unknown_events;
        q->n_out_of_order = damage->n_out_of_order;
}

static enum quality_remedy remedy_of(const struct report *report)
{
        if (report->session.input->is_converted)
                return QUALITY_MORE_BUFFERS;
        for (size_t i = 0; i < report->n_events; i++) {
                if (report->events[i].n_samples && report->events[i].attr.flags & PERF_ATTR_FREQ)
                        return QUALITY_LOWER_RATE;
        }
        return QUALITY_LONGER_INTERVAL;
}

static void fill_run(const struct report *report, struct quality *q)
{
        const struct run_info *run = &report->run.info;
        uint64_t busy_ns = run->user_ns + run->kernel_ns;
        bool kernel = false;

        q->remedy = remedy_of(report);
        q->counted_share = run->counted_share;
        q->knows_sampled = run->sampled_share >= 0;
        q->sampled_share = run->sampled_share;
        q->sampled_event = run->sampled_event[0] ? run->sampled_event : NULL;
        q->not_sampled = run->not_sampled;
        q->unprivileged = run->unprivileged;
        q->not_traced = run->not_traced;
        q->lost_is_estimate = run->lost_is_estimate;
        q->off_share = share_of(run->off_ns, run->elapsed_ns);
        q->n_not_kept = run->n_not_kept;
        q->not_kept = run->not_kept;
        for (size_t i = 0; i < report->n_events; i++)
                kernel |= !(report->events[i].attr.flags & PERF_ATTR_EXCLUDE_KERNEL);
        q->kernel_share =
                busy_ns && !kernel && !run->split_is_unknown ? (double)run->kernel_ns / (double)busy_ns : -1;
        q->kernel_is_denied = run->kernel_is_denied;
}

static void fill_python(const struct report *report, struct quality_python *ret)
{
        const struct python_section *section = module_source_python(report->session.modules);

        _Static_assert((int)QUALITY_MAX_PYTHON_REASONS == (int)PYTHON_MAX_REASONS, "all reasons");
        if (!section)
                return;
        ret->n_stacks = section->counts.n_stacks;
        ret->n_merged = section->counts.n_merged;
        ret->is_approximate = section->counts.is_approximate;
        ret->n_reasons = section->counts.n_reasons;
        for (size_t i = 0; i < ret->n_reasons; i++)
                ret->reasons[i] = (struct quality_python_reason){section->counts.reasons[i].count,
                                                                 section->counts.reasons[i].text};
}

static void fill_spe(const struct report *report, struct quality_spe *ret)
{
        struct spe_samples_counts counts;

        if (!report->spe)
                return;
        counts = spe_samples_counts(report->spe);
        *ret = (struct quality_spe){
                .n_buffers = counts.n_aux,
                .n_truncated = counts.n_truncated,
                .n_collided = counts.n_collided,
                .n_damaged = counts.records.n_damaged,
                .damaged_bytes = counts.records.damaged_bytes,
                .n_threadless = counts.n_threadless,
        };
}

/* Several modules may use the same perf map. */
static void fill_doubts(const struct report_pass *pass)
{
        const struct module_source *modules = pass->session->modules;
        struct report *report = pass->report;

        for (size_t i = 0; i < module_source_n_used(modules); i++) {
                const char *doubt = module_source_doubt(modules, module_source_used(modules, i));

                if (!doubt || (report->doubts.len && strstr(buf_text(&report->doubts), doubt)))
                        continue;
                buf_printf(&report->doubts, "%s%s", report->doubts.len ? "; " : "", doubt);
        }
        report->quality.doubts = buf_text(&report->doubts);
}

/* Samples that were taken, but could not be written, or were removed to make room. */
static uint64_t n_not_written(const struct report_pass *pass)
{
        uint64_t n_taken = pass->report->run.info.n_samples;

        return n_taken > pass->n_in_session ? n_taken - pass->n_in_session : 0;
}

/* Whether a file comes with the distribution. */
static bool is_of_system(const char *path)
{
        static const char *const folders[] = {"/usr/bin/", "/usr/lib", "/usr/sbin/",
                                              "/bin/",     "/lib",     "/sbin/"};

        for (size_t i = 0; i < N_ELEMENTS(folders); i++) {
                if (text_starts(path, folders[i]))
                        return true;
        }
        return false;
}

/* Only for a file that is on this machine: what gives the names of others is not known. */
static void fill_nameless(struct report_pass *pass, struct quality_nameless *ret)
{
        struct report *report = pass->report;
        module_id module = hot_most_unresolved(report->hot, &ret->n);
        const struct resolver_image *image;
        struct module_facts facts;
        const char *path;
        struct os_stat there;

        if (module == MODULE_NONE || report->session.archive.symbols ||
            !quality_lacks_names(&report->quality))
                return;
        module_source_tell(pass->session->modules, module, &facts);
        path = module_source_identity(pass->session->modules, module).path;
        if (facts.kind != NAMED_FILE || !facts.has_elf_id || !os_stat(path, &there) || !there.is_file)
                return;
        ret->module = path;
        image = module_source_image(pass->session->modules, module);
        if (image && debug_package_find(NULL, image->build_id, image->build_id_size, &report->namer_source)) {
                ret->namer = QUALITY_NAMER_PACKAGE;
        } else if (!is_of_system(path)) {
                ret->namer = QUALITY_NAMER_BUILD;
        } else if (report->session.sources.remote) {
                ret->namer = QUALITY_NAMER_NONE;
        } else {
                ret->namer = QUALITY_NAMER_SERVER;
                debuginfod_server(NULL, &report->namer_source);
        }
        ret->source = buf_text(&report->namer_source);
}

static void fill_quality(struct report_pass *pass)
{
        struct report *report = pass->report;
        struct quality *q = &report->quality;

        q->budget = report->session.sources.budget;
        q->n_samples = profile_get_totals(report->profile, UINT32_MAX).n_samples;
        /* The kernel's count for each event includes the losses of the LOST records. */
        q->n_lost = pass->n_lost_records > pass->n_lost_samples ? pass->n_lost_records : pass->n_lost_samples;
        q->n_unresolved = hot_n_unresolved(report->hot);
        fill_nameless(pass, &q->nameless);
        report_fill_cut(pass);
        fill_doubts(pass);
        fill_run(report, q);
        if (n_not_written(pass)) {
                q->n_lost += n_not_written(pass);
                q->remedy = QUALITY_MORE_ROOM;
        } else {
                fill_python(report, &q->python); /* it counts the stacks of all samples */
        }
        fill_damage(report, q);
        fill_spe(report, &q->spe);
}

/* --- The main image --- */

/* True if every sampled process runs the same image at the same address. */
static bool same_image_everywhere(const struct report_pass *pass, module_id *ret_module, uint64_t *ret_base)
{
        module_id only = MODULE_NONE;
        uint64_t only_base = 0;

        for (size_t i = 0; i < pass->n_pids; i++) {
                uint64_t base;
                module_id id = world_main_module(pass->session->world, pass->pids[i], &base);

                if (id == MODULE_NONE || (only != MODULE_NONE && (id != only || base != only_base)))
                        return false;
                only = id;
                only_base = base;
        }
        *ret_module = only;
        *ret_base = only_base;
        return only != MODULE_NONE && !pass->misses_pids;
}

static void find_image(const struct report_pass *pass, struct report_image *ret)
{
        const struct world *world = pass->session->world;
        const struct resolver_image *image;
        module_id id;
        uint64_t base;

        image = same_image_everywhere(pass, &id, &base) ? module_source_image(pass->session->modules, id)
                                                        : NULL;
        if (!image)
                return;
        ret->is_known = true;
        ret->path = world_text(world, world_get_module(world, id)->path);
        ret->name = text_base_name(ret->path);
        ret->runtime_delta = base - image->load_addr;
        ret->base_address = image->entry + ret->runtime_delta;
}

/* --- Modules --- */

/* Called before the names of trees are looked up, because this also asks about modules without samples. */
static void make_modules(const struct report_pass *pass, struct report_modules *ret)
{
        const struct world *world = pass->session->world;
        struct module_source *source = pass->session->modules;

        ret->n = module_source_n_used(source);
        ret->items = mem_new(ret->n, sizeof(*ret->items));
        for (size_t i = 0; i < ret->n; i++) {
                module_id id = module_source_used(source, i);
                const char *note = module_source_note(source, id);

                ret->items[i] = (struct report_module){
                        .path = world_text(world, world_get_module(world, id)->path),
                        .address = profile_module_base(pass->report->profile, id),
                        .note = note ? arena_copy(&ret->arena, note, strlen(note)) : NULL,
                };
                if (!report_wants(pass, REPORT_SECTIONS))
                        continue;
                ret->items[i].sections = module_source_facts(source, id)->sections;
                ret->items[i].n_sections = module_source_facts(source, id)->n_sections;
        }
}

/* --- Stacks --- */

static void count_ways(const struct report_pass *pass, struct report_ways *ret)
{
        const struct stack_marks *marks = &pass->marks;

        ret->were_recorded = marks->n_samples;
        ret->unwind_ns = marks->unwind_ns;
        if (!ret->were_recorded)
                memcpy(ret->by_way, stack_unwind_get_counts(pass->unwind).by_way, sizeof(ret->by_way));
        for (uint32_t i = 0; i < marks->n_ways && i < UNWIND_N_WAYS; i++)
                ret->by_way[i] = marks->by_way[i];
        for (size_t i = 0; i < UNWIND_N_WAYS; i++)
                ret->any |= ret->by_way[i] > 0;
}

/* The profile has the sampled places already. */
static void make_python(const struct report_pass *pass, struct report *report)
{
        const struct place_modules modules = report_session_modules(pass->session);
        const struct stacks_python_request request = {report_session_resolver(pass->session), &modules};

        if (!module_source_python(pass->session->modules))
                return;
        if (report_wants(pass, REPORT_PYTHON))
                report->python = python_rows_new(report->stacks, &request);
        if (pass->request.python != STACKS_PYTHON_ALL)
                stacks_python_fold(report->stacks, report->samples, &request, pass->request.python);
}

static void make_trees(const struct report_pass *pass, struct report *report)
{
        const struct place_modules modules = report_session_modules(pass->session);
        struct stacks_tree_request request = {
                .stacks = report->stacks,
                .world = pass->session->world,
                .resolver = report_session_resolver(pass->session),
                .modules = &modules,
                .inlines = !pass->request.no_tree_inlines,
                .lines = pass->request.tree_lines,
                .python_lines = pass->request.python_lines,
                .arguments = pass->request.arguments,
                .state_word = report->state_word,
        };

        if (report_wants(pass, REPORT_NAMED_STACKS))
                report->named = named_stacks_new(&request);
        request.processes = pass->request.tree_processes;
        request.budget = &pass->session->budget;
        if (report_wants(pass, REPORT_TREE))
                report->tree = stacks_tree_new(&request);
}

struct access_rows *report_access_rows(struct report *report, unsigned keys, unsigned code_keys, bool inlines,
                                       const char *symbol)
{
        const struct place_modules modules = report_session_modules(&report->session);
        const struct access_rows_request request = {
                .accesses = report->accesses,
                .keys = keys,
                /* Rows by level or line alone still name the functions that use a line. */
                .code_keys = code_keys ? code_keys : PROFILE_MODULE | PROFILE_SYMBOL,
                .by_code = code_keys || !keys,
                .world = report->session.world,
                .resolver = report_session_resolver(&report->session),
                .modules = &modules,
                .inlines = inlines,
                .symbol = symbol,
        };

        return report->accesses ? access_rows_new(&request) : NULL;
}

/* Targets are functions, or addresses, whatever else the rows of accesses distinguish. */
static unsigned branch_keys(const struct report_pass *pass)
{
        unsigned keys = profile_keys(pass->report->profile);

        return pass->request.branches_by_target ? (keys & PROFILE_ADDR) | PROFILE_MODULE | PROFILE_SYMBOL
                                                : keys;
}

static void make_of_stacks(struct report_pass *pass, struct report *report)
{
        count_ways(pass, &report->ways);
        make_python(pass, report);
        make_trees(pass, report);
}

void report_make_results(struct report_pass *pass)
{
        struct report *report = pass->report;
        const struct place_modules modules = report_session_modules(pass->session);
        struct resolver *resolver = report_session_resolver(pass->session);

        make_events(pass, report);
        report->hot = new_hot(pass, &modules, pattern_of_rows(pass));
        find_emulation(pass, &modules);
        if (report->branches)
                report->branch_rows = branch_rows_new(report->branches,
                                                      &(struct branch_rows_request){
                                                              .keys = branch_keys(pass),
                                                              .resolver = resolver,
                                                              .modules = &modules,
                                                              .arguments = pass->request.arguments,
                                                              .by_target = pass->request.branches_by_target,
                                                      });
        fill_quality(pass);
        find_image(pass, &report->image);
        make_modules(pass, &report->modules);
        if (report_wall_is_on(pass) && report_wants(pass, REPORT_WALL) &&
            !report_wall_is_of_cpus(&pass->request.filter)) {
                report->wall = wall_times_new(report->pieces, pass->request.filter.states);
                report->wall_tasks = wall_tasks_new(report->pieces, report->tasks);
        }
        if (report->stacks)
                make_of_stacks(pass, report);
        report_traced_end(pass);
}
