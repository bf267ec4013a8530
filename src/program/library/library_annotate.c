/* SPDX-License-Identifier: BSD-3-Clause */
/* Annotated functions: lines and instructions with their samples. */
#include <stdlib.h>
#include <string.h>

#include "annotation.h"
#include "library_internal.h"
#include "mem.h"

struct wperf_annotation {
        wperf_report *report;
        struct annotation *annotation;
        struct annotate_rows *lines; /* of each function */
        char *folders;
};

wperf_annotation *wperf_report_annotate(wperf_report *report, const struct wperf_annotate_request *request,
                                        struct wperf_error *error)
{
        wperf_annotation *ret = mem_new(1, sizeof(*ret));
        struct wperf_annotate_request own = {0};
        struct annotation_request wanted = {.max_functions = SIZE_MAX};
        struct err err = {0};
        size_t n;

        library_begin();
        ret->report = report;
        if (library_take_request(&own, sizeof(own), request, &err)) {
                wanted.symbol = own.symbol;
                wanted.with_code = own.with_code;
                wanted.syntax = own.intel_syntax ? DISASM_INTEL : DISASM_ATT;
                wanted.private_source = report->sources.any_owner;
                if (own.source_folders)
                        wanted.source_folders = ret->folders = mem_strdup(own.source_folders);
                ret->annotation = annotation_new(report->report, &wanted, &err);
        }
        if (!ret->annotation) {
                library_fail(&err, error);
                wperf_annotation_free(ret);
                return NULL;
        }
        n = annotation_n_functions(ret->annotation);
        ret->lines = mem_new(n, sizeof(*ret->lines));
        for (size_t i = 0; i < n; i++)
                annotate_group(annotation_get(ret->annotation, i).annotate, ANNOTATE_LINE, &ret->lines[i],
                               NULL);
        return ret;
}

void wperf_annotation_free(wperf_annotation *handle)
{
        if (!handle)
                return;
        for (size_t i = 0; handle->lines && i < annotation_n_functions(handle->annotation); i++)
                annotate_rows_release(&handle->lines[i]);
        free(handle->lines);
        annotation_free(handle->annotation);
        free(handle->folders);
        free(handle);
}

size_t wperf_annotation_count(const wperf_annotation *handle)
{
        return annotation_n_functions(handle->annotation);
}

int wperf_annotation_function(const wperf_annotation *handle, size_t index, struct wperf_annotated *function)
{
        struct annotated a;

        if (index >= wperf_annotation_count(handle))
                return 0;
        a = annotation_get(handle->annotation, index);
        *function = (struct wperf_annotated){
                .event = a.event,
                .symbol = hot_text(handle->report->report->hot, a.row->bare),
                .path = a.path,
                .start = a.start,
                .samples = annotate_count(a.annotate),
                .weight = annotate_weight(a.annotate),
                .lines = handle->lines[index].n_rows,
                .instructions = annotate_n_points(a.annotate),
                .note = a.code_note ? a.code_note : "",
        };
        return 1;
}

static const char *text_or_empty(const char *text)
{
        return text ? text : "";
}

int wperf_annotation_line(wperf_annotation *handle, size_t function, size_t index, struct wperf_line *line)
{
        const struct annotate_row *r;

        if (function >= wperf_annotation_count(handle) || index >= handle->lines[function].n_rows)
                return 0;
        r = &handle->lines[function].rows[index];
        *line = (struct wperf_line){
                .path = text_or_empty(r->path),
                .function = text_or_empty(r->function),
                .line = r->line,
                .samples = r->count,
                .weight = r->weight,
                .text = r->path ? text_or_empty(annotation_source_line(handle->annotation, function, r->path,
                                                                       r->line))
                                : "",
        };
        return 1;
}

int wperf_annotation_instruction(wperf_annotation *handle, size_t function, size_t index,
                                 struct wperf_instruction *instruction)
{
        const struct annotate_point *p;
        const struct annotate *annotate;

        if (function >= wperf_annotation_count(handle))
                return 0;
        annotate = annotation_get(handle->annotation, function).annotate;
        if (index >= annotate_n_points(annotate))
                return 0;
        p = annotate_get_point(annotate, index);
        *instruction = (struct wperf_instruction){
                .addr = p->addr,
                .text = p->insn ? p->insn->text : "",
                .samples = p->count,
                .weight = p->weight,
                .begins_block = p->begins_block,
                .target = p->insn && p->insn->has_target && !p->insn->is_operand ? p->insn->target : 0,
                .path = "",
        };
        if (p->n_frames) {
                instruction->path = text_or_empty(annotate_text(annotate, p->frames[0].path));
                instruction->line = p->frames[0].line;
        }
        return 1;
}
