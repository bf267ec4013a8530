/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_session.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "elf_search.h"
#include "etl_session.h"
#include "perfdata_format.h"
#include "text.h"

/* If a session was copied together with its programs, they are in its folder.  The programs of a session
 * that was just recorded are at their paths. */
static void find_folder(struct report_session *s, const struct report_session_request *request)
{
        const char *path = request->path;
        size_t len = path ? (size_t)(text_base_name(path) - path) : 0;

        if (!path || !strcmp(path, "-") || request->collected)
                return;
        buf_add(&s->folder, path, len > 1 ? len - 1 : len);
        if (!len)
                buf_add_str(&s->folder, ".");
}

/* 0 for a session that was just recorded, or that is no file. */
static int64_t time_of(const struct report_session_request *request)
{
        struct os_stat st;

        return request->path && !request->collected && os_stat(request->path, &st) && st.is_file ? st.mtime_ns
                                                                                                 : 0;
}

static void init_budget(struct report_session *s, const struct report_session_request *request)
{
        if (request->sources)
                s->sources = *request->sources;
        budget_init(&s->own_budget, session_input_max_memory());
        if (!s->sources.budget)
                s->sources.budget = &s->own_budget;
        budget_init_file(&s->budget, s->sources.budget, request->path);
}

static void open_modules(struct report_session *s, const struct report_session_request *request)
{
        struct resolver_options options = {
                .demangle = !request->no_demangle,
                .keep_clones = request->keep_clones,
                .demangle_params = request->long_names,
                .decorated = request->long_names,
                .sources = &s->sources,
        };

        find_folder(s, request);
        options.session_dir = s->folder.len ? buf_text(&s->folder) : NULL;
        s->modules = module_source_new(s->world, s->reader, s->images, &options, request->collected);
        module_source_set_written(s->modules, time_of(request));
        session_archive_init(&s->archive, s->reader, &s->budget);
        buf_add_str(&s->archive.note, module_source_recorded_note(s->modules));
        module_source_use_archive(s->modules, s->archive.symbols);
}

void report_session_init(struct report_session *ret, const struct report_session_request *request,
                         struct session_input *input)
{
        *ret = (struct report_session){.input = input, .reader = input->reader, .world = world_new()};
        init_budget(ret, request);
        if (!request->is_renewed)
                world_add_build_ids(ret->world, ret->reader);
        ret->images = pe_images_new(perfdata_feature(ret->reader, FEATURE_WPERF_IMAGES));
        world_set_images(ret->world, pe_images_size, ret->images);
        open_modules(ret, request);
        report_session_name_unmapped(ret, ret->world);
}

void report_session_renew(struct report_session *s, const struct report_session_request *request)
{
        module_source_free(s->modules);
        session_archive_release(&s->archive);
        world_forget_unmapped(s->world);
        open_modules(s, request);
}

struct session_access report_session_access(const struct resolver_sources *sources)
{
        static const struct session_converter converter = {etl_session_is, etl_session_make};
        struct session_access access = {.converter = &converter};

        if (sources) {
                access.budget = sources->budget;
                access.any_owner = sources->any_owner;
        }
        return access;
}

struct session_access report_session_any_access(const struct resolver_sources *sources)
{
        static const struct session_converter converter = {etl_session_is, etl_session_make_any};
        struct session_access access = report_session_access(sources);

        access.converter = &converter;
        return access;
}

void report_session_release(struct report_session *s)
{
        module_source_free(s->modules);
        session_archive_release(&s->archive);
        world_free(s->world);
        pe_images_free(s->images);
        session_input_free(s->input);
        buf_release(&s->folder);
        budget_release(&s->budget);
        budget_release(&s->own_budget);
}

struct resolver *report_session_resolver(const struct report_session *s)
{
        return module_source_resolver(s->modules);
}

resolver_id report_session_module(const struct report_session *s, module_id module)
{
        return module_source_get(s->modules, module);
}

struct place_modules report_session_modules(const struct report_session *s)
{
        return (struct place_modules){module_source_get, module_source_is_executable, module_source_tell,
                                      s->modules, module_source_machine};
}

void report_session_name_unmapped(const struct report_session *s, struct world *world)
{
        const struct recorded_symbols *recorded = module_source_recorded(s->modules);

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
