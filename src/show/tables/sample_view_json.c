/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling document: WindowsPerf's keys, which editor extensions read, and at top level further keys. */
#include "buf.h"
#include "quality_view.h"
#include "sample_view_internal.h"
#include "text.h"
#include "wall_view.h"

static void add_modules(const struct report_modules *modules, struct json *json)
{
        json_key(json, "modules");
        json_begin_array(json);
        for (size_t i = 0; i < modules->n; i++) {
                const struct report_module *module = &modules->items[i];

                json_begin_object(json);
                json_key_str(json, "name", text_base_name(module->path));
                json_key_u64(json, "address", module->address);
                json_key_str(json, "path", module->path);
                if (module->note)
                        json_key_str(json, "note", module->note);
                json_end_object(json);
        }
        json_end_array(json);
}

/* Modules whose file was found, with the sections that are loaded. */
static void add_modules_info(const struct report_modules *modules, struct json *json)
{
        json_key(json, "modules_info");
        json_begin_array(json);
        for (size_t i = 0; i < modules->n; i++) {
                const struct report_module *module = &modules->items[i];

                if (!module->n_sections)
                        continue;
                json_begin_object(json);
                json_key(json, "sections");
                json_begin_array(json);
                for (size_t k = 0; k < module->n_sections; k++) {
                        json_begin_object(json);
                        json_key_str(json, "section", module->sections[k].name);
                        json_key_u64(json, "offset", module->sections[k].addr);
                        json_key_u64(json, "virtual_size", module->sections[k].size_bytes);
                        json_end_object(json);
                }
                json_end_array(json);
                json_key_str(json, "module", text_base_name(module->path));
                json_key_str(json, "pe_name", module->path);
                json_key_str(json, "pdb_file", "");
                json_end_object(json);
        }
        json_end_array(json);
}

static void add_sampling(const struct sample_view *view, struct json *json)
{
        const struct report_image *image = &view->report->image;
        const char *pe_file = view->pe_file ? view->pe_file : image->path;
        const struct quality *q = &view->report->quality;

        json_key(json, "sampling");
        json_begin_object(json);
        json_key_str(json, "pe_file", pe_file ? pe_file : "");
        json_key_str(json, "pdb_file", view->pdb_file ? view->pdb_file : "");
        json_key_u64(json, "sample_display_row", view->hot.max_rows);
        json_key_u64(json, "samples_generated", q->n_samples + q->n_lost);
        json_key_u64(json, "samples_dropped", q->n_lost);
        if (image->is_known) {
                json_key_u64(json, "base_address", image->base_address);
                json_key_u64(json, "runtime_delta", image->runtime_delta);
        }
        if (view->hot.verbose) {
                add_modules(&view->report->modules, json);
                add_modules_info(&view->report->modules, json);
        }
        hot_view_json(&view->hot, json);
        json_end_object(json);
}

/* Trees and branches have keys of their own, which WindowsPerf's readers ignore. */
void sample_view_begin_json(const struct sample_view *view, struct json *json)
{
        const struct branch_view branches = sample_view_branches(view);

        json_begin_object(json);
        add_sampling(view, json);
        if (view->trees.are_wanted) {
                json_key(json, "call_trees");
                json_begin_array(json);
        } else if (view->report->branch_rows) {
                branch_view_json(&branches, json);
        }
}

void sample_view_end_json(const struct sample_view *view, struct json *json)
{
        if (view->trees.are_wanted)
                json_end_array(json);
        if (view->report->wall)
                wall_view_json(&(struct wall_view){.times = view->report->wall,
                                                   .tasks = view->report->wall_tasks,
                                                   .task_section = view->report->tasks,
                                                   .n_rows = view->hot.max_rows},
                               json);
        if (view->python.rows)
                python_view_json(&view->python, json);
        quality_add_json(&view->report->quality, view->report->run.info.source_note, json);
        if (view->has_elapsed) {
                json_key(json, "Time_elapsed");
                json_fixed(json, (double)view->elapsed_ns / 1e9, 3);
        }
        if (view->has_exit)
                json_key_i64(json, "target_exit", view->exit_status);
        json_end_object(json);
}
