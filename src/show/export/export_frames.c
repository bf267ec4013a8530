/* SPDX-License-Identifier: BSD-3-Clause */
#include "export_frames.h"

#include <inttypes.h>
#include <stdlib.h>

#include "buf.h"
#include "export.h"
#include "export_places.h"
#include "mem.h"

struct frames_making {
        const struct export_frames_request *request;
        struct export_frames *frames;
        uint32_t *numbers; /* frames of each place, innermost first */
        size_t n_numbers, cap_numbers;
};

/* --- Frames --- */

/* Adds the source file of a Python function, otherwise the module.  Returns the line for Python functions,
 * otherwise 0. */
static uint32_t add_file(const struct frames_making *m, const struct named_node *node,
                         const struct named_frame *named, struct buf *out)
{
        const struct named_module *module;
        bool is_python;

        if (node->module == NAMED_NONE || node->is_cut)
                return 0;
        module = &m->request->stacks->modules[node->module];
        is_python = module->kind == NAMED_PYTHON;
        export_add_text(is_python ? named->file : module->path, out);
        return !is_python ? 0 : m->request->python_lines ? named->line : named->first_line;
}

static uint32_t find_frame(struct frames_making *m, const struct named_node *node,
                           const struct named_frame *named, bool is_inlined)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) at = {0};
        struct export_frame frame;
        uint64_t *known;
        uint32_t line = add_file(m, node, named, &file);

        export_add_function_name(m->request->stacks, node, named->function, &name);
        if (is_inlined)
                buf_add_str(&name, " (inlined)");
        frame = (struct export_frame){strpool_add(m->frames->texts, buf_text(&name)),
                                      strpool_add(m->frames->texts, buf_text(&file)), line};
        buf_printf(&at, "%" PRIu32 " %s", line, buf_text(&file));
        known = map_put(&m->frames->by_text,
                        (uint64_t)frame.name << 32 | strpool_add(m->frames->texts, buf_text(&at)), NULL);
        if (!*known) {
                ARRAY_PUSH(m->frames->frames, m->frames->n_frames, m->frames->cap_frames, frame);
                *known = m->frames->n_frames;
        }
        return (uint32_t)*known - 1;
}

static void add_numbers(struct frames_making *m, const struct named_node *node)
{
        for (uint32_t i = 0; i < node->n_frames; i++) {
                const struct named_frame *named = &m->request->stacks->frames[node->first_frame + i];

                ARRAY_PUSH(m->numbers, m->n_numbers, m->cap_numbers,
                           find_frame(m, node, named, i + 1 < node->n_frames));
        }
}

/* For each place, and then for the mark of cut stacks: the index of its first frame number. */
static uint32_t *name_places(struct frames_making *m, const struct export_places *places)
{
        uint32_t *ret = mem_new((size_t)places->n + 1, sizeof(*ret));

        for (uint32_t i = 0; i < places->n; i++) {
                ret[i] = (uint32_t)m->n_numbers;
                add_numbers(m, &m->request->stacks->nodes[places->one_node[i]]);
        }
        ret[places->n] = (uint32_t)m->n_numbers;
        for (size_t i = 0; i < m->request->stacks->n_nodes; i++) {
                if (m->request->stacks->nodes[i].is_cut) {
                        add_numbers(m, &m->request->stacks->nodes[i]);
                        break;
                }
        }
        return ret;
}

/* --- Stacks --- */

static uint32_t find_stack(struct frames_making *m, struct export_stack stack)
{
        uint64_t *known = map_put(&m->frames->by_frame, (uint64_t)stack.prefix << 32 | stack.frame, NULL);

        if (!*known) {
                ARRAY_PUSH(m->frames->stacks, m->frames->n_stacks, m->frames->cap_stacks, stack);
                *known = m->frames->n_stacks;
        }
        return (uint32_t)*known - 1;
}

bool export_frames_wants(const struct export_frames_request *request, const struct listed_sample *sample)
{
        for (size_t i = 0; i < request->n_events; i++) {
                if (request->events[i] == sample->event)
                        return true;
        }
        return false;
}

/* The nodes of the samples of the wanted events. */
static bool *find_nodes(const struct export_frames_request *request)
{
        const struct named_stacks *stacks = request->stacks;
        bool *wanted = mem_new(stacks->n_nodes, sizeof(*wanted));

        for (size_t i = 0; i < sample_list_n(request->samples); i++) {
                const struct listed_sample *sample = sample_list_get(request->samples, i);

                if (export_frames_wants(request, sample))
                        wanted[sample->node] = true;
        }
        for (size_t i = stacks->n_nodes; i-- > 0;) {
                if (wanted[i] && stacks->nodes[i].parent != NAMED_NONE)
                        wanted[stacks->nodes[i].parent] = true;
        }
        return wanted;
}

static void add_stacks(struct frames_making *m)
{
        const struct named_stacks *stacks = m->request->stacks;
        bool *wanted = find_nodes(m->request);
        uint32_t *depths = mem_new(stacks->n_nodes, sizeof(*depths)), deepest = 0, *first;
        struct export_places places;

        export_places_list(stacks, wanted, &places);
        first = name_places(m, &places);
        m->frames->of_node = mem_new(stacks->n_nodes, sizeof(*m->frames->of_node));
        for (size_t i = 0; i < stacks->n_nodes; i++) {
                const struct named_node *node = &stacks->nodes[i];
                bool is_outermost = node->parent == NAMED_NONE;
                uint32_t at = is_outermost ? NAMED_NONE : m->frames->of_node[node->parent], numbers;

                if (!wanted[i])
                        continue;
                numbers = first[node->is_cut ? places.n : places.of_node[i]];
                depths[i] = node->n_frames + (is_outermost ? 0 : depths[node->parent]);
                deepest = depths[i] > deepest ? depths[i] : deepest;
                for (uint32_t k = node->n_frames; k-- > 0;)
                        at = find_stack(m, (struct export_stack){at, m->numbers[numbers + k]});
                m->frames->of_node[i] = at;
        }
        m->frames->depth = deepest;
        export_places_release(&places);
        free(first);
        free(depths);
        free(wanted);
}

void export_frames_make(const struct export_frames_request *request, struct export_frames *ret)
{
        struct frames_making m = {.request = request, .frames = ret};

        *ret = (struct export_frames){.texts = strpool_new()};
        add_stacks(&m);
        free(m.numbers);
}

void export_frames_release(struct export_frames *frames)
{
        strpool_free(frames->texts);
        map_release(&frames->by_text);
        map_release(&frames->by_frame);
        free(frames->frames);
        free(frames->stacks);
        free(frames->of_node);
}

uint32_t export_frames_path(const struct export_frames *frames, uint32_t stack, uint32_t *path)
{
        uint32_t depth = 0, at = stack;

        for (; at != NAMED_NONE; at = frames->stacks[at].prefix)
                depth++;
        for (uint32_t i = depth; stack != NAMED_NONE; stack = frames->stacks[stack].prefix)
                path[--i] = frames->stacks[stack].frame;
        return depth;
}
