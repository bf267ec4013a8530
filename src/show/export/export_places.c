/* SPDX-License-Identifier: BSD-3-Clause */
#include "export_places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "export.h"
#include "mem.h"
#include "text.h"

struct export_place {
        uint64_t offset;
        uint32_t module, node;
        bool is_behind;
};

bool export_is_behind(const struct named_node *node)
{
        return node->is_return && !node->is_unwound;
}

static int compare(const void *a, const void *b)
{
        const struct export_place *x = a, *y = b;

        if (x->module != y->module)
                return x->module < y->module ? -1 : 1;
        if (x->offset != y->offset)
                return x->offset < y->offset ? -1 : 1;
        return x->is_behind - y->is_behind;
}

void export_places_list(const struct named_stacks *stacks, const bool *wanted, struct export_places *ret)
{
        struct export_place *sorted = mem_new(stacks->n_nodes, sizeof(*sorted));
        size_t n = 0;

        *ret = (struct export_places){
                .of_node = mem_new(stacks->n_nodes, sizeof(*ret->of_node)),
                .one_node = mem_new(stacks->n_nodes, sizeof(*ret->one_node)),
        };
        for (uint32_t i = 0; i < stacks->n_nodes; i++) {
                const struct named_node *node = &stacks->nodes[i];

                ret->of_node[i] = NAMED_NONE;
                if (!node->is_cut && (!wanted || wanted[i]))
                        sorted[n++] =
                                (struct export_place){node->offset, node->module, i, export_is_behind(node)};
        }
        if (n)
                qsort(sorted, n, sizeof(*sorted), compare);
        for (size_t i = 0; i < n; i++) {
                if (!i || compare(&sorted[i - 1], &sorted[i]))
                        ret->one_node[ret->n++] = sorted[i].node;
                ret->of_node[sorted[i].node] = ret->n - 1;
        }
        free(sorted);
}

void export_places_release(struct export_places *places)
{
        free(places->of_node);
        free(places->one_node);
}

const char *export_module_name(const struct named_module *module)
{
        if (module->kind == NAMED_ANON)
                return *module->path == '[' ? module->path : "[anon]";
        return text_base_name(module->path);
}

void export_add_function_name(const struct named_stacks *stacks, const struct named_node *node,
                              const char *function, struct buf *out)
{
        char start[32] = "";

        if (*function) {
                export_add_text(function, out);
                return;
        }
        if (node->has_start)
                snprintf(start, sizeof(start), "0x%" PRIx64, node->start);
        export_add_name(
                &(const struct calltree_function){
                        .name = start,
                        .module = node->module == NAMED_NONE
                                          ? ""
                                          : export_module_name(&stacks->modules[node->module]),
                        .kind = node->is_cut ? CALLTREE_CUT : CALLTREE_UNKNOWN,
                },
                out);
}
