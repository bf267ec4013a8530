/* SPDX-License-Identifier: BSD-3-Clause */
#include "named_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "function_names.h"
#include "mem.h"
#include "place_frames.h"
#include "place_names.h"
#include "place_python.h"
#include "python_section.h"
#include "resolver_facts.h"
#include "stacks_python.h"
#include "stacks_tree.h"

struct stack_naming {
        const struct stacks_tree_request *request;
        struct named_stacks *named;
        struct place_names names;
        struct function_names *functions;
        /* for each frame: its function's number + 1, until all are known; 0 if it has no name */
        uint32_t *numbers;
        size_t n_numbers, cap_numbers;
        struct place_frames *frames; /* NULL if neither inlined functions nor lines are requested */
};

static const char *copy_text(struct stack_naming *n, str_id of_resolver)
{
        str_id id = of_resolver
                            ? strpool_add(n->named->texts, resolver_text(n->request->resolver, of_resolver))
                            : 0;

        return strpool_get(n->named->texts, id);
}

/* --- Modules --- */

/* Takes base address and build id from the module's file, if there are samples in it. */
static void ask_file(struct stack_naming *n, uint32_t id)
{
        const struct place_modules *modules = n->request->modules;
        struct named_module *named = &n->named->modules[id];
        const struct resolver_facts *known;
        struct module_facts facts;

        modules->tell(modules->ctx, id, &facts);
        if (!facts.has_file)
                return;
        known = resolver_get_facts(n->request->resolver, modules->get(modules->ctx, id));
        if (!known->has_image)
                return;
        named->base = known->image.load_addr;
        if (!named->build_id_size && facts.has_elf_id) {
                named->build_id_size = known->image.build_id_size;
                memcpy(named->build_id, known->image.build_id, sizeof(named->build_id));
        }
}

static void ask_files(struct stack_naming *n)
{
        bool *asked = mem_new(n->named->n_modules, sizeof(*asked));

        for (size_t i = 0; i < n->named->n_nodes; i++) {
                uint32_t module = n->named->nodes[i].module;

                if (module == NAMED_NONE || asked[module])
                        continue;
                asked[module] = true;
                ask_file(n, module);
        }
        free(asked);
}

static void add_modules(struct stack_naming *n)
{
        const struct place_modules *modules = n->request->modules;
        const struct world *world = n->request->world;

        n->named->n_modules = world_n_modules(world);
        n->named->modules = mem_new(n->named->n_modules, sizeof(*n->named->modules));
        for (uint32_t i = 0; i < n->named->n_modules; i++) {
                const struct module *module = world_get_module(world, i);
                struct named_module *named = &n->named->modules[i];
                struct module_facts facts;

                modules->tell(modules->ctx, i, &facts);
                *named = (struct named_module){
                        .kind = facts.kind,
                        .path = world_text(world, module->path),
                        .pid = module->pid,
                        .is_deleted = module->deleted,
                        .base = module->start,
                };
                if (facts.has_elf_id) {
                        named->build_id_size = module->build_id_size;
                        memcpy(named->build_id, module->build_id, sizeof(named->build_id));
                }
        }
}

/* --- Nodes --- */

/* `number` as in stack_naming.numbers. */
static void add_frame(struct stack_naming *n, uint32_t number, const struct resolver_frame *frame)
{
        struct named_frame named = {.function = "", .file = ""};

        if (frame && n->request->lines) {
                named.file = copy_text(n, frame->path);
                named.line = frame->line;
                named.column = frame->column;
        }
        ARRAY_PUSH(n->named->frames, n->named->n_frames, n->named->cap_frames, named);
        ARRAY_PUSH(n->numbers, n->n_numbers, n->cap_numbers, number);
}

/* Uses the debug information's function if the symbol table has none. */
static void take_frame(struct symbol *symbol, const struct resolver_frame *outer)
{
        if (symbol->status == SYMBOL_NAMED || !outer->function)
                return;
        symbol->status = SYMBOL_NAMED;
        symbol->name = outer->function;
        symbol->start = outer->start;
        symbol->size = 0;
}

static void name_python(struct stack_naming *n, const struct place_python *python, struct named_node *node)
{
        uint64_t half = PYTHON_PLACE_BYTES / 2;
        AUTO_RELEASE(buf) label = {0};
        struct named_frame frame = {
                .function = strpool_get(n->named->texts, python->name),
                .brief = strpool_get(n->named->texts, python->line_label),
                .file = copy_text(n, python->path),
                .file_name = strpool_get(n->named->texts, python->file),
                .line = python->line,
                .first_line = python->first_line,
        };

        resolver_add_arguments(n->request->resolver, python->function, &label);
        if (label.len)
                frame.label = strpool_get(n->named->texts, strpool_add(n->named->texts, buf_text(&label)));
        /* As in FILE.pysyms. */
        node->addr = node->offset;
        node->start = (node->offset + half) / PYTHON_PLACE_BYTES * PYTHON_PLACE_BYTES - half;
        node->size = PYTHON_PLACE_BYTES;
        node->has_start = true;
        ARRAY_PUSH(n->named->frames, n->named->n_frames, n->named->cap_frames, frame);
        ARRAY_PUSH(n->numbers, n->n_numbers, n->cap_numbers, 0);
}

static void name_native(struct stack_naming *n, uint32_t place, struct named_node *node)
{
        struct symbol symbol = place_names_symbol(&n->names, node->module, node->offset);
        const struct resolver_frame *frames = NULL;
        size_t n_frames = n->frames ? place_frames_get(n->frames, place, &frames) : 0;

        str_id module;
        uint32_t number = 0;

        if (n_frames)
                take_frame(&symbol, &frames[n_frames - 1]);
        node->addr = symbol.addr;
        node->start = symbol.start;
        node->size = symbol.size;
        node->has_start = symbol.status != SYMBOL_NONE;
        node->runs_python = stacks_python_runs(&n->names, &symbol);
        module = place_names_module(&n->names, node->module, &symbol);
        for (size_t i = 0; n->request->inlines && i + 1 < n_frames; i++) {
                const struct symbol inlined = {.status = SYMBOL_NAMED, .name = frames[i].function};

                if (inlined.name)
                        add_frame(n, 1 + function_names_add(n->functions, module, &inlined), &frames[i]);
        }
        if (symbol.status == SYMBOL_NAMED)
                number = 1 + function_names_add(n->functions, module, &symbol);
        add_frame(n, number, n_frames ? &frames[n_frames - 1] : NULL);
}

static void name_place(struct stack_naming *n, uint32_t index, struct named_node *node)
{
        const struct code_place *place = stacks_get_place(n->request->stacks, index);
        struct place_python python;

        if (place_python_find(&n->names, place, &python))
                name_python(n, &python, node);
        else
                name_native(n, index, node);
}

static void add_state(struct stack_naming *n, unsigned state)
{
        struct named_frame frame = {.file = ""};
        AUTO_RELEASE(buf) name = {0};

        buf_printf(&name, "[%s]", n->request->state_word(state));
        frame.function = strpool_get(n->named->texts, strpool_add(n->named->texts, buf_text(&name)));
        ARRAY_PUSH(n->named->frames, n->named->n_frames, n->named->cap_frames, frame);
        ARRAY_PUSH(n->numbers, n->n_numbers, n->cap_numbers, 0);
}

static void name_frames(struct stack_naming *n)
{
        function_names_finish(n->functions);
        for (size_t i = 0; i < n->n_numbers; i++) {
                struct named_frame *frame = &n->named->frames[i];
                uint32_t number = n->numbers[i] - 1;

                if (!n->numbers[i])
                        continue;
                frame->function = strpool_get(n->named->texts, function_names_get(n->functions, number));
                frame->brief = strpool_get(n->named->texts, function_names_short(n->functions, number));
        }
        free(n->numbers);
        function_names_free(n->functions);
}

static void add_nodes(struct stack_naming *n)
{
        struct named_stacks *named = n->named;

        named->n_nodes = stacks_n_nodes(n->request->stacks);
        named->nodes = mem_new(named->n_nodes, sizeof(*named->nodes));
        for (uint32_t i = 0; i < named->n_nodes; i++) {
                const struct stack_node *at = stacks_get_node(n->request->stacks, i);
                const struct code_place *place = stacks_place_of(n->request->stacks, i);
                struct named_node *node = &named->nodes[i];

                *node = (struct named_node){
                        .parent = at->parent,
                        .module = place->module,
                        .first_frame = (uint32_t)named->n_frames,
                        .offset = place->offset,
                        .is_kernel = place->is_kernel,
                        .is_return = at->is_return,
                        .is_unwound = at->is_unwound,
                        .is_cut = place->is_cut,
                        .is_state = place->state,
                };
                if (place->is_cut)
                        add_frame(n, 0, NULL);
                else if (place->state)
                        add_state(n, place->state);
                else
                        name_place(n, at->place, node);
                node->n_frames = (uint32_t)named->n_frames - node->first_frame;
        }
}

/* --- Everything --- */

_Static_assert(NAMED_NONE == STACKS_NONE && NAMED_NONE == MODULE_NONE, "numbers are the same");
_Static_assert((int)NAMED_BUILD_ID_MAX == (int)BUILD_ID_MAX, "build ids are the same");

struct named_stacks *named_stacks_new(const struct stacks_tree_request *request)
{
        struct named_stacks *named = mem_new(1, sizeof(*named));
        struct stack_naming n = {.request = request, .named = named};

        named->texts = strpool_new();
        n.names = (struct place_names){named->texts, request->resolver, request->modules, {0}};
        if (request->inlines || request->lines)
                n.frames = place_frames_of_stacks(request->stacks, request->resolver, request->modules);
        n.functions = function_names_new(&n.names, request->arguments);
        add_modules(&n);
        add_nodes(&n);
        name_frames(&n);
        ask_files(&n);
        place_frames_free(n.frames);
        place_names_release(&n.names);
        return named;
}

void named_stacks_free(struct named_stacks *named)
{
        if (!named)
                return;
        free(named->nodes);
        free(named->frames);
        free(named->modules);
        strpool_free(named->texts);
        free(named);
}
