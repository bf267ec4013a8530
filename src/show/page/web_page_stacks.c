/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions, frames and stacks of a page.  If there are too many stacks, the small ones are merged into
 * `[small stacks]` below their callers, whose own samples stay as they are. */
#include <inttypes.h>
#include <stdlib.h>

#include "export_places.h"
#include "map.h"
#include "mem.h"
#include "web_page_internal.h"

/* Stack 0 is no stack: the callers of outermost functions. */
struct stack_table {
        uint32_t *parents, *frames;
        size_t n, cap_parents, cap_frames;
        struct map by_frame; /* parent and frame -> stack */
};

struct stack_listing {
        const struct web_page *page;
        struct strpool *texts;
        struct web_page_stacks *ret;
        struct strpool *function_keys, *frame_keys;
        uint32_t *numbers; /* frames of each place, innermost first */
        size_t n_numbers, cap_numbers;
        struct stack_table all, kept;
};

static uint32_t find_stack(struct stack_table *table, uint32_t parent, uint32_t frame)
{
        uint64_t *known = map_put(&table->by_frame, (uint64_t)parent << 32 | frame, NULL);
        size_t n = table->n;

        if (!*known) {
                ARRAY_PUSH(table->parents, n, table->cap_parents, parent);
                ARRAY_PUSH(table->frames, table->n, table->cap_frames, frame);
                *known = table->n;
        }
        return (uint32_t)*known;
}

static void stack_table_release(struct stack_table *table)
{
        free(table->parents);
        free(table->frames);
        map_release(&table->by_frame);
}

/* --- Functions and frames --- */

/* The number of a row, which is added to the table if it is a new one. */
static uint32_t find_row(struct web_page_table *table, struct strpool *keys, const uint32_t *row)
{
        AUTO_RELEASE(buf) key = {0};
        str_id id;

        for (size_t i = 0; i < table->n_fields; i++)
                buf_printf(&key, "%" PRIx32 " ", row[i]);
        id = strpool_add(keys, buf_text(&key));
        if (id > table->n)
                web_page_table_add(table, row);
        return id - 1;
}

static uint32_t find_frame(struct stack_listing *l, const uint32_t *function, uint32_t file, uint32_t line)
{
        uint32_t frame[] = {find_row(&l->ret->functions, l->function_keys, function), file, line};

        return find_row(&l->ret->frames, l->frame_keys, frame);
}

static enum web_page_kind kind_of(const struct named_node *node, const struct named_frame *frame)
{
        if (node->is_cut)
                return WEB_PAGE_CUT;
        if (node->is_state)
                return WEB_PAGE_STATE;
        return !*frame->function ? WEB_PAGE_UNKNOWN
               : node->is_kernel ? WEB_PAGE_KERNEL
                                 : WEB_PAGE_NATIVE_CODE;
}

/* A Python function is in its source file, as other code is in a module. */
static uint32_t number_of(struct stack_listing *l, const struct named_node *node,
                          const struct named_frame *frame, bool is_inlined)
{
        const struct named_stacks *stacks = l->page->stacks;
        const struct named_module *module =
                node->is_cut || node->module == NAMED_NONE ? NULL : &stacks->modules[node->module];
        bool is_python = module && module->kind == NAMED_PYTHON;
        const char *path = is_python ? frame->file : module ? module->path : "";
        const char *base = is_python ? frame->file_name : module ? export_module_name(module) : "";
        uint32_t kind = is_python ? WEB_PAGE_PYTHON_CODE : kind_of(node, frame);
        AUTO_RELEASE(buf) name = {0};

        export_add_function_name(stacks, node, frame->label ? frame->label : frame->function, &name);
        kind |= (is_inlined ? WEB_PAGE_INLINED : 0) | (node->runs_python ? WEB_PAGE_RUNS_PYTHON : 0);
        return find_frame(l,
                          (const uint32_t[]){strpool_add(l->texts, buf_text(&name)),
                                             web_page_add_text(l->texts, base),
                                             web_page_add_text(l->texts, path), kind},
                          web_page_add_text(l->texts, frame->file), frame->line);
}

static void add_numbers(struct stack_listing *l, const struct named_node *node)
{
        for (uint32_t i = 0; i < node->n_frames; i++)
                ARRAY_PUSH(l->numbers, l->n_numbers, l->cap_numbers,
                           number_of(l, node, &l->page->stacks->frames[node->first_frame + i],
                                     i + 1 < node->n_frames));
}

/* For each place, and then for the mark of cut stacks: the index of its first frame number. */
static uint32_t *name_places(struct stack_listing *l, const struct export_places *places)
{
        const struct named_stacks *stacks = l->page->stacks;
        uint32_t *ret = mem_new((size_t)places->n + 1, sizeof(*ret));

        for (uint32_t i = 0; i < places->n; i++) {
                ret[i] = (uint32_t)l->n_numbers;
                add_numbers(l, &stacks->nodes[places->one_node[i]]);
        }
        ret[places->n] = (uint32_t)l->n_numbers;
        for (size_t i = 0; i < stacks->n_nodes; i++) {
                if (stacks->nodes[i].is_cut) {
                        add_numbers(l, &stacks->nodes[i]);
                        break;
                }
        }
        return ret;
}

/* --- Stacks --- */

/* The nodes of the wanted samples, and their callers. */
static bool *find_nodes(const struct web_page *page)
{
        bool *wanted = mem_new(page->stacks->n_nodes, sizeof(*wanted));

        for (size_t i = 0; i < sample_list_n(page->samples); i++) {
                const struct listed_sample *sample = sample_list_get(page->samples, i);

                wanted[sample->node] |= web_page_wants(page, sample->event);
        }
        for (size_t i = page->stacks->n_nodes; i-- > 0;) {
                if (wanted[i] && page->stacks->nodes[i].parent != NAMED_NONE)
                        wanted[page->stacks->nodes[i].parent] = true;
        }
        return wanted;
}

static void add_stacks(struct stack_listing *l)
{
        const struct named_stacks *stacks = l->page->stacks;
        bool *wanted = find_nodes(l->page);
        struct export_places places;
        uint32_t *first;

        export_places_list(stacks, wanted, &places);
        first = name_places(l, &places);
        for (size_t i = 0; i < stacks->n_nodes; i++) {
                const struct named_node *node = &stacks->nodes[i];
                uint32_t at = node->parent == NAMED_NONE ? 0 : l->ret->of_node[node->parent], numbers;

                if (!wanted[i])
                        continue;
                numbers = first[node->is_cut ? places.n : places.of_node[i]];
                for (uint32_t k = node->n_frames; k-- > 0;)
                        at = find_stack(&l->all, at, l->numbers[numbers + k]);
                l->ret->of_node[i] = at;
        }
        export_places_release(&places);
        free(first);
        free(wanted);
}

/* --- Small stacks --- */

/* For each stack the number of its samples and those of its callees. */
static uint64_t *count_samples(const struct stack_listing *l)
{
        uint64_t *counts = mem_new(l->all.n + 1, sizeof(*counts));

        for (size_t i = 0; i < sample_list_n(l->page->samples); i++) {
                const struct listed_sample *sample = sample_list_get(l->page->samples, i);

                counts[l->ret->of_node[sample->node]] +=
                        web_page_wants(l->page, sample->event) && !sample->is_part;
        }
        for (size_t i = l->all.n; i > 0; i--)
                counts[l->all.parents[i - 1]] += counts[i];
        return counts;
}

static int compare_counts(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;

        return (*x > *y) - (*x < *y);
}

/* The least number of samples that at most `max` stacks have. */
static uint64_t find_least(const uint64_t *counts, size_t n, size_t max)
{
        uint64_t *sorted = mem_new(n, sizeof(*sorted)), least;

        for (size_t i = 0; i < n; i++)
                sorted[i] = counts[i + 1];
        qsort(sorted, n, sizeof(*sorted), compare_counts);
        least = sorted[n - max - 1] + 1;
        free(sorted);
        return least;
}

static uint32_t find_small(struct stack_listing *l, uint32_t parent)
{
        const uint32_t function[] = {strpool_add(l->texts, "[small stacks]"), 0, 0, WEB_PAGE_SMALL};

        return find_stack(&l->kept, parent, find_frame(l, function, 0, 0));
}

static void merge_small(struct stack_listing *l, size_t max)
{
        uint64_t *counts = count_samples(l);
        uint32_t *to = mem_new(l->all.n + 1, sizeof(*to));

        l->ret->least_samples = l->all.n > max ? find_least(counts, l->all.n, max) : 0;
        for (size_t i = 1; i <= l->all.n; i++) {
                uint32_t parent = l->all.parents[i - 1];
                bool is_small = counts[i] < l->ret->least_samples;

                if (is_small && parent && counts[parent] < l->ret->least_samples)
                        to[i] = to[parent];
                else if (is_small)
                        to[i] = find_small(l, to[parent]);
                else
                        to[i] = find_stack(&l->kept, to[parent], l->all.frames[i - 1]);
        }
        for (size_t i = 0; i < l->page->stacks->n_nodes; i++)
                l->ret->of_node[i] = to[l->ret->of_node[i]];
        free(counts);
        free(to);
}

void web_page_stacks_make(const struct web_page *page, struct strpool *texts, struct web_page_stacks *ret)
{
        struct stack_listing l = {.page = page,
                                  .texts = texts,
                                  .ret = ret,
                                  .function_keys = strpool_new(),
                                  .frame_keys = strpool_new()};

        *ret = (struct web_page_stacks){
                .functions = {.n_fields = 4},
                .frames = {.n_fields = 3},
                .stacks = {.n_fields = 2},
                .of_node = mem_new(page->stacks->n_nodes, sizeof(*ret->of_node)),
        };
        add_stacks(&l);
        merge_small(&l, page->max_stacks ? page->max_stacks : WEB_PAGE_MAX_STACKS);
        for (uint32_t i = 0; i < l.kept.n; i++)
                web_page_table_add(&ret->stacks,
                                   (const uint32_t[]){i + 1 - l.kept.parents[i], l.kept.frames[i]});
        strpool_free(l.function_keys);
        strpool_free(l.frame_keys);
        free(l.numbers);
        stack_table_release(&l.all);
        stack_table_release(&l.kept);
}

void web_page_stacks_release(struct web_page_stacks *stacks)
{
        web_page_table_release(&stacks->functions);
        web_page_table_release(&stacks->frames);
        web_page_table_release(&stacks->stacks);
        free(stacks->of_node);
}
