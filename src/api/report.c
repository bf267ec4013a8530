/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session is read with, and what was read: names are looked up once for each distinct address, after the one pass over
 * the records in report_read.c. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "elf_search.h"
#include "report_internal.h"
#include "session_times.h"
#include "text.h"

void report_free(struct report *report)
{
        if (!report)
                return;
        hot_free(report->hot);
        stacks_free(report->stacks);
        sample_list_free(report->samples);
        branches_free(report->branches);
        branch_rows_free(report->branch_rows);
        stack_unwind_free(report->unwind);
        stack_archive_writer_free(report->walks);
        module_source_free(report->modules);
        session_archive_release(&report->archive);
        profile_free(report->profile);
        world_free(report->world);
        pe_images_free(report->images);
        session_input_free(report->input);
        buf_release(&report->session_dir);
        buf_release(&report->run_text);
        buf_release(&report->ends);
        buf_release(&report->doubts);
        map_release(&report->seen_pids);
        budget_release(&report->session_budget);
        budget_release(&report->own_budget);
        free(report->pids);
        free(report);
}

static double share_of(uint64_t part_ns, uint64_t whole_ns)
{
        return part_ns < whole_ns ? (double)part_ns / (double)whole_ns : part_ns > 0;
}

/* Several modules may be of one perf map. */
static void fill_doubts(struct report *report)
{
        for (size_t i = 0; i < module_source_n_used(report->modules); i++) {
                const char *doubt =
                        module_source_doubt(report->modules, module_source_used(report->modules, i));

                if (!doubt || (report->doubts.len && strstr(buf_text(&report->doubts), doubt)))
                        continue;
                buf_printf(&report->doubts, "%s%s", report->doubts.len ? "; " : "", doubt);
        }
        report->quality.doubts = buf_text(&report->doubts);
}

static void fill_quality(struct report *report)
{
        const struct perfdata_damage *damage = perfdata_get_damage(report->reader);
        struct quality *q = &report->quality;
        uint64_t busy_ns = report->run_info.user_ns + report->run_info.kernel_ns;
        bool kernel = false;

        q->n_samples = profile_get_totals(report->profile, UINT32_MAX).n_samples;
        /* The kernel's count for each event holds what the LOST records told, and more. */
        q->n_lost = report->n_lost_records > report->n_lost_samples ? report->n_lost_records
                                                                    : report->n_lost_samples;
        q->n_unresolved = hot_n_unresolved(report->hot);
        report_fill_cut(report);
        fill_doubts(report);
        q->counted_share = report->run_info.counted_share;
        q->knows_sampled = report->run_info.sampled_share >= 0;
        q->sampled_share = report->run_info.sampled_share;
        q->sampled_event = report->run_info.sampled_event[0] ? report->run_info.sampled_event : NULL;
        q->not_sampled = report->run_info.not_sampled;
        q->off_share = share_of(report->run_info.off_ns, report->run_info.elapsed_ns);
        q->cut_bytes = damage->cut_bytes + report->archive.origin.cut_bytes;
        q->unfinished =
                damage->data_size_missing || damage->features_missing || report->archive.origin.is_unfinished;
        q->overblown_bytes = damage->overblown_bytes;
        q->n_malformed += damage->n_malformed;
        q->n_unknown_records = damage->n_unknown_types;
        q->n_unknown_events = damage->n_unknown_events;
        q->n_out_of_order = damage->n_out_of_order;
        q->n_not_kept = report->run_info.n_not_kept;
        q->not_kept = report->run_info.not_kept;
        for (size_t i = 0; i < perfdata_n_events(report->reader); i++)
                kernel |= !(perfdata_get_event(report->reader, i)->attr.flags & PERF_ATTR_EXCLUDE_KERNEL);
        q->kernel_share = busy_ns && !kernel ? (double)report->run_info.kernel_ns / (double)busy_ns : -1;
}

/* True when every sampled process runs the same image at the same place. */
static bool same_image_everywhere(const struct report *report, module_id *ret_module, uint64_t *ret_base)
{
        module_id only = MODULE_NONE;
        uint64_t only_base = 0;

        for (size_t i = 0; i < report->n_pids; i++) {
                uint64_t base;
                module_id id = world_main_module(report->world, report->pids[i], &base);

                if (id == MODULE_NONE || (only != MODULE_NONE && (id != only || base != only_base)))
                        return false;
                only = id;
                only_base = base;
        }
        *ret_module = only;
        *ret_base = only_base;
        return only != MODULE_NONE && !report->misses_pids;
}

static void find_image(struct report *report)
{
        struct resolver_image image;
        module_id id;
        uint64_t base;

        if (!same_image_everywhere(report, &id, &base) || !module_source_image(report->modules, id, &image))
                return;
        report->has_image = true;
        report->image.path = world_text(report->world, world_get_module(report->world, id)->path);
        report->image.name = text_base_name(report->image.path);
        report->image.runtime_delta = base - image.load_addr;
        report->image.base_address = image.entry + report->image.runtime_delta;
}

static struct hot_modules hot_modules_of(const struct report *report)
{
        return (struct hot_modules){module_source_get, module_source_is_executable, report->modules};
}

/* A session that came with its programs has them in its folder.  Of one that was just made they are where they ran. */
static void find_session_dir(struct report *report)
{
        const char *path = report->request.path;
        size_t len = path ? (size_t)(text_base_name(path) - path) : 0;

        if (!path || !strcmp(path, "-") || report->request.collected)
                return;
        buf_add(&report->session_dir, path, len > 1 ? len - 1 : len);
        if (!len)
                buf_add_str(&report->session_dir, ".");
}

static void open_modules(struct report *report)
{
        struct resolver_options options = {
                .demangle = !report->request.no_demangle,
                .demangle_params = report->request.long_names,
                .decorated = report->request.long_names,
                .sources = &report->sources,
        };
        const struct resolver_sources *sources = report->request.sources;

        if (sources && sources->elf)
                options.debug_dirs = sources->elf->debug_dirs;
        find_session_dir(report);
        options.session_dir = report->session_dir.len ? buf_text(&report->session_dir) : NULL;
        report->modules = module_source_new(report->world, report->reader, report->images, &options,
                                            report->request.collected);
        session_archive_init(&report->archive, report->reader);
        buf_add_str(&report->archive.note, module_source_recorded_note(report->modules));
        module_source_use_archive(report->modules, report->archive.symbols);
        report->branches = report->request.branches ? branches_new() : NULL;
        if (report->branches)
                branches_set_budget(report->branches, &report->session_budget);
        report->unwind = stack_unwind_new(report->world, report->modules, report->reader);
        stack_unwind_use_ends(report->unwind, perfdata_feature(report->reader, FEATURE_WPERF_ENDS));
        stack_unwind_pack_ends(report->unwind, report->request.to_pack ? &report->ends : NULL);
        if (!report->request.stacks)
                return;
        report->stacks = stacks_new(report->request.merges_strays);
        stacks_set_budget(report->stacks, &report->session_budget);
        report->samples = report->request.samples ? sample_list_new() : NULL;
        if (report->samples)
                sample_list_set_budget(report->samples, &report->session_budget);
        report->is_by_stacks = !report->request.to_pack && profile_by_place(report->profile);
        session_archive_open_walks(&report->archive, report->reader);
        stack_unwind_use_archive(report->unwind, report->archive.walks);
        report->walks = report->request.to_pack ? stack_archive_writer_new() : NULL;
        stack_unwind_pack(report->unwind, report->walks);
}

static void name_places(struct report *report)
{
        struct hot_modules modules = hot_modules_of(report);

        report->hot = hot_new(report->profile, report->world, module_source_resolver(report->modules),
                              &modules, report->request.inlines);
        if (report->branches)
                report->branch_rows = branch_rows_new(report->branches, report->world,
                                                      module_source_resolver(report->modules), &modules);
}

void report_name_unmapped(const struct report *report, struct world *world)
{
        const struct recorded_symbols *recorded = module_source_recorded(report->modules);

        for (size_t i = 0; i < recorded_symbols_n_files(recorded); i++) {
                const char *path = recorded_symbols_get(recorded, i)->path;
                char *end;
                long pid;

                if (!text_starts(path, "perf-"))
                        continue;
                pid = strtol(path + strlen("perf-"), &end, 10);
                if (pid > 0 && pid <= INT32_MAX && !strcmp(end, ".map"))
                        world_name_unmapped(world, (int32_t)pid, path);
        }
}

struct report *report_make(const struct report_request *request, struct err *err)
{
        AUTO(session_input) input = session_input_open(request->path, request->sources, err);

        return input ? report_make_of(request, TAKE(input), err) : NULL;
}

static void init_budget(struct report *report)
{
        if (report->request.sources)
                report->sources = *report->request.sources;
        budget_init(&report->own_budget, session_input_max_memory());
        if (!report->sources.budget)
                report->sources.budget = &report->own_budget;
        report->quality.budget = report->sources.budget;
}

struct report *report_make_of(const struct report_request *request, struct session_input *input,
                              struct err *err)
{
        AUTO(report) report = mem_new(1, sizeof(*report));
        unsigned keys = request->keys ? request->keys : PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL;

        report->request = *request;
        init_budget(report);
        report->input = input;
        report->reader = input->reader;
        report->world = world_new();
        budget_init_file(&report->session_budget, report->sources.budget, request->path);
        report->tree_budget = &report->session_budget;
        world_add_build_ids(report->world, report->reader);
        report->images = pe_images_new(perfdata_feature(report->reader, FEATURE_WPERF_IMAGES));
        world_set_images(report->world, pe_images_size, report->images);
        if (!session_times_resolve(request->path, input, &report->request.filter, err))
                return NULL;
        report->profile = profile_new(keys, &report->request.filter);
        profile_set_budget(report->profile, &report->session_budget);
        report->has_run_info = run_info_read(report->reader, &report->run_text, &report->run_info);
        stack_marks_read(perfdata_feature(report->reader, FEATURE_WPERF_STACKS), &report->marks);
        open_modules(report);
        report_name_unmapped(report, report->world);
        if (!report_read(report, err))
                return NULL;
        name_places(report);
        fill_quality(report);
        find_image(report);
        return TAKE(report);
}

size_t report_n_events(const struct report *report)
{
        return perfdata_n_events(report->reader);
}

struct report_event report_get_event(const struct report *report, size_t index)
{
        const struct perfdata_event *e = perfdata_get_event(report->reader, index);
        struct profile_totals totals = profile_get_totals(report->profile, (uint32_t)index);

        return (struct report_event){
                .name = e->name,
                .attr = e->attr,
                .n_samples = totals.n_samples,
                .weight = totals.weight,
                .mean_period = totals.n_samples ? totals.weight / totals.n_samples : 0,
        };
}

const char *report_event_skid(const struct report_event *event)
{
        uint64_t precise = (event->attr.flags & PERF_ATTR_PRECISE) >> PERF_ATTR_PRECISE_SHIFT;

        /* A software clock has no precise levels, whatever its attribute says. */
        return precise >= 2 && event->attr.type != PERF_TYPE_SOFTWARE ? "none" : "possible";
}

const struct hot *report_hot(const struct report *report)
{
        return report->hot;
}

const struct branch_rows *report_branches(const struct report *report)
{
        return report->branch_rows;
}

struct resolver *report_resolver(const struct report *report)
{
        return module_source_resolver(report->modules);
}

resolver_id report_resolver_id(const struct report *report, module_id module)
{
        return module_source_get(report->modules, module);
}

struct annotate *report_annotate_whole(const struct report *report, uint32_t event)
{
        const struct hot_modules modules = hot_modules_of(report);

        return annotate_new_whole(report->profile, report_resolver(report), &modules, event);
}

struct stacks_tree *report_name_stacks(const struct report *report, const struct report_tree_options *options)
{
        const struct hot_modules modules = hot_modules_of(report);
        const struct stacks_tree_request request = {
                .stacks = report->stacks,
                .world = report->world,
                .resolver = report_resolver(report),
                .modules = &modules,
                .inlines = !options->no_inlines,
                .lines = options->lines,
                .processes = options->processes,
                .budget = report->tree_budget,
        };

        return stacks_tree_new(&request);
}

bool report_has_stacks(const struct report *report)
{
        for (size_t i = 0; i < perfdata_n_events(report->reader); i++) {
                const struct perf_attr *attr = &perfdata_get_event(report->reader, i)->attr;

                if (attr->sample_type & PERF_SAMPLE_CALLCHAIN || stack_unwind_can(attr))
                        return true;
        }
        return false;
}

struct named_stacks *report_named_stacks(const struct report *report, bool inlines, bool lines)
{
        const struct hot_modules modules = hot_modules_of(report);

        return named_stacks_new(&(struct stacks_tree_request){
                .stacks = report->stacks,
                .world = report->world,
                .resolver = report_resolver(report),
                .modules = &modules,
                .inlines = inlines,
                .lines = lines,
        });
}

const struct stacks *report_stacks(const struct report *report)
{
        return report->stacks;
}

const struct branches *report_branch_edges(const struct report *report)
{
        return report->branches;
}

const struct stack_archive_writer *report_walks(const struct report *report)
{
        return report->walks;
}

const struct buf *report_ends(const struct report *report)
{
        return &report->ends;
}

const struct sample_list *report_samples(const struct report *report)
{
        return report->samples;
}

bool report_get_ways(const struct report *report, struct report_ways *ret)
{
        struct report_ways ways = {.were_recorded = report->marks.n_samples,
                                   .unwind_ns = report->marks.unwind_ns};
        uint64_t n = 0;

        if (!report->stacks)
                return false;
        if (!ways.were_recorded)
                memcpy(ways.by_way, stack_unwind_get_counts(report->unwind).by_way, sizeof(ways.by_way));
        for (uint32_t i = 0; i < report->marks.n_ways && i < UNWIND_N_WAYS; i++)
                ways.by_way[i] = report->marks.by_way[i];
        for (size_t i = 0; i < UNWIND_N_WAYS; i++)
                n += ways.by_way[i];
        *ret = ways;
        return n;
}

const struct perfdata_reader *report_reader(const struct report *report)
{
        return report->reader;
}

const struct profile *report_profile(const struct report *report)
{
        return report->profile;
}

struct module_source *report_module_source(const struct report *report)
{
        return report->modules;
}

int64_t report_built_ns(const struct report *report, module_id module)
{
        return module_source_built_ns(report->modules, module);
}

const struct session_archive *report_archive(const struct report *report)
{
        return &report->archive;
}

const struct world *report_world(const struct report *report)
{
        return report->world;
}

const struct quality *report_quality(const struct report *report)
{
        return &report->quality;
}

size_t report_n_modules(const struct report *report)
{
        return module_source_n_used(report->modules);
}

struct report_module report_get_module(const struct report *report, size_t index)
{
        module_id id = module_source_used(report->modules, index);
        const struct module *module = world_get_module(report->world, id);

        return (struct report_module){
                .path = world_text(report->world, module->path),
                .address = profile_module_base(report->profile, id),
                .note = module_source_note(report->modules, id),
        };
}

size_t report_n_sections(const struct report *report, size_t index)
{
        return module_source_n_sections(report->modules, module_source_used(report->modules, index));
}

struct resolver_section report_get_section(const struct report *report, size_t index, size_t section)
{
        return module_source_section(report->modules, module_source_used(report->modules, index), section);
}

bool report_run_info(const struct report *report, struct run_info *ret)
{
        *ret = report->run_info;
        return report->has_run_info;
}

bool report_image(const struct report *report, struct report_image *ret)
{
        *ret = report->image;
        return report->has_image;
}
