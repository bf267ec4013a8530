/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees, and single samples with the frames of their stacks. */
#include <stdlib.h>

#include "library_internal.h"
#include "mem.h"

struct wperf_tree {
        struct calltree *tree;
};

wperf_tree *wperf_report_tree(wperf_report *handle, size_t event, int inverted, struct wperf_error *error)
{
        struct report *report = handle->report;
        AUTO(calltree) tree = NULL;
        struct err err = {0};
        wperf_tree *ret;

        if (!report->tree)
                err_set(&err, ERR_USAGE, "the report has no call trees: open it with WPERF_TREES");
        else if (event >= report->n_events)
                err_set(&err, ERR_USAGE, "the session has %zu events; there is no event %zu",
                        report->n_events, event);
        if (err.code) {
                library_fail(&err, error);
                return NULL;
        }
        tree = stacks_tree_make(report->tree, (uint32_t)event);
        ret = mem_new(1, sizeof(*ret));
        ret->tree = inverted ? calltree_invert(tree, NULL, NULL) : TAKE(tree);
        return ret;
}

void wperf_tree_free(wperf_tree *handle)
{
        if (!handle)
                return;
        calltree_free(handle->tree);
        free(handle);
}

uint32_t wperf_tree_node_count(const wperf_tree *handle)
{
        return (uint32_t)calltree_n_nodes(handle->tree);
}

static void describe_function(const struct calltree_function *f, struct wperf_node *node)
{
        node->name = f->kind == CALLTREE_CUT ? "[cut]" : f->name;
        node->module = f->module;
        node->is_inlined = f->is_inlined;
        node->is_python = f->is_python;
        node->is_kernel = f->is_kernel;
}

int wperf_tree_node(const wperf_tree *handle, uint32_t index, struct wperf_node *node)
{
        const struct calltree_node *n;

        _Static_assert(WPERF_NO_NODE == CALLTREE_NONE, "numbers of nodes are passed on");
        if (index >= calltree_n_nodes(handle->tree))
                return 0;
        n = calltree_get_node(handle->tree, index);
        *node = (struct wperf_node){
                .parent = n->parent,
                .first_child = n->first_child,
                .next = n->next,
                .name = "all",
                .module = "",
                .self_samples = n->self_count,
                .self_weight = n->self_weight,
                .samples = n->count,
                .weight = n->weight,
        };
        if (n->function != CALLTREE_NONE)
                describe_function(calltree_get_function(handle->tree, n->function), node);
        return 1;
}

/* --- Samples --- */

size_t wperf_report_sample_count(const wperf_report *handle)
{
        return handle->report->samples ? sample_list_n(handle->report->samples) : 0;
}

int wperf_report_sample(const wperf_report *handle, size_t index, struct wperf_sample *sample)
{
        const struct sample_list *list = handle->report->samples;
        const struct listed_sample *s;

        if (index >= wperf_report_sample_count(handle))
                return 0;
        s = sample_list_get(list, index);
        *sample = (struct wperf_sample){
                .time_ns = s->time_ns,
                .event = s->event,
                .weight = s->weight,
                .ip = s->ip,
                .pid = s->pid,
                .tid = s->tid,
                .cpu = s->cpu == UINT32_MAX ? -1 : (int64_t)s->cpu,
                .comm = sample_list_text(list, s->comm),
                .stack = s->node,
        };
        return 1;
}

static void describe_frame(const struct named_stacks *named, const struct named_node *node, size_t i,
                           struct wperf_frame *frame)
{
        *frame = (struct wperf_frame){.function = "", .module = "", .file = "", .is_cut = node->is_cut};
        if (node->is_cut)
                return;
        frame->function = named->frames[node->first_frame + i].function;
        frame->file = named->frames[node->first_frame + i].file;
        frame->line = named->frames[node->first_frame + i].line;
        frame->is_inlined = i + 1 < node->n_frames;
        if (node->module != NAMED_NONE)
                frame->module = named->modules[node->module].path;
}

int wperf_report_frame(const wperf_report *handle, uint32_t stack, size_t index, struct wperf_frame *frame)
{
        const struct named_stacks *named = handle->report->named;

        if (!named || stack >= named->n_nodes)
                return 0;
        for (uint32_t at = stack; at != NAMED_NONE; at = named->nodes[at].parent) {
                const struct named_node *node = &named->nodes[at];
                size_t n = node->is_cut ? 1 : node->n_frames;

                if (index < n) {
                        describe_frame(named, node, index, frame);
                        return 1;
                }
                index -= n;
        }
        return 0;
}
