/* SPDX-License-Identifier: BSD-3-Clause */
#include "sampled_source.h"

#include <stdlib.h>

#include "given_source.h"
#include "map.h"
#include "mem.h"
#include "module_source.h"
#include "report.h"
#include "strpool.h"

struct hot_file {
        const char *path;
        uint64_t own, all; /* samples in its lines, and those with them on the stack */
};

/* A line of a file, in the code of a module. */
struct hot_line {
        uint32_t node, frame;
        size_t file;
};

struct source_listing {
        const struct sampled_source_request *request;
        const struct named_stacks *stacks;
        struct sampled_source *ret;
        struct map by_path; /* address of the path's text to index + 1 */
        struct hot_file *files;
        size_t n_files, cap_files;
        struct hot_line *lines;
        size_t n_lines, cap_lines;
};

/* --- Hot files --- */

static size_t find_file(struct source_listing *l, const char *path)
{
        uint64_t *known = map_put(&l->by_path, (uint64_t)(uintptr_t)path, NULL);

        if (!*known) {
                ARRAY_PUSH(l->files, l->n_files, l->cap_files, (struct hot_file){.path = path});
                *known = l->n_files;
        }
        return *known - 1;
}

/* The samples that end at each node. */
static uint64_t *count_ends(const struct source_listing *l)
{
        const struct sample_list *samples = l->request->report->samples;
        uint64_t *counts = mem_new(l->stacks->n_nodes, sizeof(*counts));

        for (size_t i = 0; i < sample_list_n(samples); i++)
                counts[sample_list_get(samples, i)->node]++;
        return counts;
}

static void list_frames(struct source_listing *l, uint32_t index, uint64_t own, uint64_t all)
{
        const struct named_node *node = &l->stacks->nodes[index];

        for (uint32_t i = 0; i < node->n_frames; i++) {
                const struct named_frame *frame = &l->stacks->frames[node->first_frame + i];
                struct hot_line line = {.node = index, .frame = node->first_frame + i};

                if (!*frame->file || !frame->line)
                        continue;
                line.file = find_file(l, frame->file);
                l->files[line.file].own += i ? 0 : own;
                l->files[line.file].all += all;
                ARRAY_PUSH(l->lines, l->n_lines, l->cap_lines, line);
        }
}

static void list_lines(struct source_listing *l)
{
        uint64_t *own = count_ends(l), *all = mem_new(l->stacks->n_nodes, sizeof(*all));

        for (size_t i = l->stacks->n_nodes; i-- > 0;) {
                all[i] += own[i];
                if (l->stacks->nodes[i].parent != NAMED_NONE)
                        all[l->stacks->nodes[i].parent] += all[i];
        }
        for (uint32_t i = 0; i < l->stacks->n_nodes; i++) {
                if (all[i] && l->stacks->nodes[i].module != NAMED_NONE && !l->stacks->nodes[i].is_cut)
                        list_frames(l, i, own[i], all[i]);
        }
        free(own);
        free(all);
}

static int compare_files(const void *a, const void *b)
{
        const struct hot_file *x = a, *y = b;

        if (x->own != y->own)
                return x->own < y->own ? 1 : -1;
        return (x->all < y->all) - (x->all > y->all);
}

/* --- Their lines --- */

static void want_line(const struct source_listing *l, struct given_source *given, const struct hot_line *line)
{
        const struct report *report = l->request->report;
        const struct named_node *node = &l->stacks->nodes[line->node];
        const struct named_frame *frame = &l->stacks->frames[line->frame];
        const struct python_section *section = module_source_python(report->session.modules);

        if (l->stacks->modules[node->module].kind != NAMED_PYTHON)
                given_source_want(given, report_session_module(&report->session, node->module), frame->file,
                                  frame->line);
        else if (section)
                given_source_want_python(given, frame->file, python_section_code_at(section, node->offset),
                                         frame->line);
}

static void begin_file(void *ctx, const char *path, int64_t mtime_ns)
{
        struct source_listing *l = ctx;

        (void)mtime_ns;
        ARRAY_PUSH(l->ret->files, l->ret->n, l->ret->cap, (struct sampled_file){.path = path});
}

static void take_line(void *ctx, uint32_t line, const char *text)
{
        struct source_listing *l = ctx;
        struct sampled_file *file = &l->ret->files[l->ret->n - 1];
        const char *copy;

        if (l->ret->n_lines >= l->request->max_lines) {
                l->ret->n_left_out++;
                return;
        }
        copy = strpool_get(l->ret->texts, strpool_add(l->ret->texts, text));
        ARRAY_PUSH(file->lines, file->n, file->cap, (struct sampled_line){line, copy});
        l->ret->n_lines++;
}

static int compare_lines(const void *a, const void *b)
{
        const struct hot_line *x = a, *y = b;

        return (x->file > y->file) - (x->file < y->file);
}

/* Renumbers the files of the lines by their new order. */
static void sort_files(struct source_listing *l)
{
        if (l->n_files)
                qsort(l->files, l->n_files, sizeof(*l->files), compare_files);
        for (size_t i = 0; i < l->n_files; i++)
                *map_put(&l->by_path, (uint64_t)(uintptr_t)l->files[i].path, NULL) = i + 1;
        for (size_t i = 0; i < l->n_lines; i++)
                l->lines[i].file = find_file(l, l->stacks->frames[l->lines[i].frame].file);
        if (l->n_lines)
                qsort(l->lines, l->n_lines, sizeof(*l->lines), compare_lines);
}

struct sampled_source *sampled_source_new(const struct sampled_source_request *request)
{
        const struct report *report = request->report;
        struct source_listing l = {.request = request, .stacks = report->named};
        AUTO(given_source)
        given = given_source_new(&(struct given_source_request){
                .resolver = report_session_resolver(&report->session),
                .archive = report->session.archive.source,
                .folders = request->folders,
                .takes_private = request->takes_private,
                .debuginfod = request->debuginfod,
        });

        l.ret = mem_new(1, sizeof(*l.ret));
        l.ret->texts = strpool_new();
        list_lines(&l);
        sort_files(&l);
        for (size_t i = 0; i < l.n_lines; i++)
                want_line(&l, given, &l.lines[i]);
        given_source_each(given, &(struct given_source_sink){begin_file, take_line, &l});
        l.ret->n_refused = given_source_n_refused(given);
        l.ret->n_unproven = given_source_n_unproven(given);
        map_release(&l.by_path);
        free(l.files);
        free(l.lines);
        return l.ret;
}

void sampled_source_free(struct sampled_source *source)
{
        if (!source)
                return;
        for (size_t i = 0; i < source->n; i++)
                free(source->files[i].lines);
        free(source->files);
        strpool_free(source->texts);
        free(source);
}
