/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which nodes of the tree represent a place: one for its function, and below it one for each inlined
 * function. */
#include "stacks_tree.h"

#include <stdlib.h>

#include "buf.h"
#include "function_names.h"
#include "map.h"
#include "mem.h"
#include "place_frames.h"
#include "place_names.h"
#include "place_python.h"

/* A function of a place as in calltree.h, with texts of the pool. */
struct shown_node {
        str_id name;
        /* until all functions are known: the function's number + 1; 0 if `name` is set already */
        str_id brief;
        str_id module, path, file;
        uint32_t line;
        uint8_t kind;
        bool is_kernel, is_inlined;
        bool is_python; /* `brief` already is a text */
};

struct stacks_tree {
        struct stacks_tree_request request;
        struct strpool *texts;
        struct place_names names;
        struct function_names *functions;
        struct place_frames *frames; /* NULL if neither inlined functions nor lines are requested */
        /* For each place, its functions from the outermost one: n items of `shown` from `first` on. */
        struct {
                uint32_t first, n;
        } * spans;
        struct shown_node *shown;
        size_t n_shown, cap_shown;
        /* for places with a single function: hash, or the next free key, to index in `shown` */
        struct map by_hash;
};

/* --- Looking up --- */

static str_id copy_text(struct stacks_tree *t, str_id of_resolver)
{
        return of_resolver ? strpool_add(t->texts, resolver_text(t->request.resolver, of_resolver)) : 0;
}

static void add_shown(struct stacks_tree *t, const struct shown_node *shown)
{
        ARRAY_PUSH(t->shown, t->n_shown, t->cap_shown, *shown);
}

static void set_line(struct stacks_tree *t, struct shown_node *shown, const struct resolver_frame *frame)
{
        if (!t->request.lines)
                return;
        shown->file = copy_text(t, frame->path);
        shown->line = frame->line;
}

static void add_inlined(struct stacks_tree *t, const struct shown_node *outer,
                        const struct resolver_frame *frame)
{
        const struct symbol symbol = {.status = SYMBOL_NAMED, .name = frame->function};
        struct shown_node shown = *outer;

        if (!frame->function)
                return;
        shown.brief = function_names_add(t->functions, shown.module, &symbol) + 1;
        shown.kind = CALLTREE_FUNCTION;
        shown.is_inlined = true;
        set_line(t, &shown, frame);
        add_shown(t, &shown);
}

static str_id path_of(struct stacks_tree *t, module_id id)
{
        const struct world *world = t->request.world;

        return strpool_add(t->texts, world_text(world, world_get_module(world, id)->path));
}

static void add_python(struct stacks_tree *t, const struct code_place *place,
                       const struct place_python *python)
{
        bool is_line = t->request.lines || t->request.python_lines;

        add_shown(t, &(struct shown_node){
                             .name = is_line ? python->line_label : python->label,
                             .brief = python->name,
                             .module = python->file,
                             .path = path_of(t, place->module),
                             .file = copy_text(t, python->path),
                             .line = is_line ? python->line : python->first_line,
                             .kind = CALLTREE_FUNCTION,
                             .is_python = true,
                     });
}

static void add_native(struct stacks_tree *t, uint32_t index)
{
        const struct code_place *place = stacks_get_place(t->request.stacks, index);
        struct symbol symbol = place_names_symbol(&t->names, place->module, place->offset);
        const struct resolver_frame *frames = NULL;
        size_t n = t->frames ? place_frames_get(t->frames, index, &frames) : 0;
        struct shown_node outer = {.is_kernel = place->is_kernel};

        if (symbol.status != SYMBOL_NAMED && n && frames[n - 1].function) {
                symbol.status = SYMBOL_NAMED;
                symbol.name = frames[n - 1].function;
        }
        outer.module = place_names_module(&t->names, place->module, &symbol);
        outer.brief = function_names_add(t->functions, outer.module, &symbol) + 1;
        outer.kind = symbol.status == SYMBOL_NAMED ? CALLTREE_FUNCTION : CALLTREE_UNKNOWN;
        if (place->module != MODULE_NONE)
                outer.path = path_of(t, place->module);
        if (n)
                set_line(t, &outer, &frames[n - 1]);
        add_shown(t, &outer);
        for (size_t i = n; t->request.inlines && i-- > 1;)
                add_inlined(t, &outer, &frames[i - 1]);
}

static void add_state(struct stacks_tree *t, unsigned state)
{
        AUTO_RELEASE(buf) name = {0};

        buf_printf(&name, "[%s]", t->request.state_word(state));
        add_shown(t, &(struct shown_node){.name = strpool_add(t->texts, buf_text(&name)),
                                          .kind = CALLTREE_STATE});
}

static void add_place(struct stacks_tree *t, uint32_t index)
{
        const struct code_place *place = stacks_get_place(t->request.stacks, index);
        struct place_python python;

        if (place->is_cut)
                add_shown(t,
                          &(struct shown_node){.name = strpool_add(t->texts, "[cut]"), .kind = CALLTREE_CUT});
        else if (place->state)
                add_state(t, place->state);
        else if (place_python_find(&t->names, place, &python))
                add_python(t, place, &python);
        else
                add_native(t, index);
}

static bool is_same(const struct shown_node *a, const struct shown_node *b)
{
        return a->name == b->name && a->brief == b->brief && a->module == b->module && a->path == b->path &&
               a->file == b->file && a->line == b->line && a->kind == b->kind &&
               a->is_kernel == b->is_kernel && a->is_python == b->is_python;
}

/* Places of one function without inlined functions share one item. `index` is the last item; returns the
 * first equal one. */
static uint32_t share_shown(struct stacks_tree *t, uint32_t index)
{
        const struct shown_node *shown = &t->shown[index];
        uint64_t hash = map_mix((uint64_t)(shown->name ^ shown->brief) << 32 | shown->path), *at;
        bool is_new;

        for (hash ^= (uint64_t)shown->line << 32 | shown->file;; hash++) {
                at = map_put(&t->by_hash, hash, &is_new);
                if (is_new)
                        break;
                if (!is_same(&t->shown[*at], shown))
                        continue;
                t->n_shown--;
                return (uint32_t)*at;
        }
        *at = index;
        return index;
}

static void name_all(struct stacks_tree *t)
{
        function_names_finish(t->functions);
        for (size_t i = 0; i < t->n_shown; i++) {
                struct shown_node *shown = &t->shown[i];
                uint32_t number = shown->brief - 1;

                if (!shown->brief || shown->is_python)
                        continue;
                shown->name = function_names_get(t->functions, number);
                shown->brief = function_names_short(t->functions, number);
        }
}

struct stacks_tree *stacks_tree_new(const struct stacks_tree_request *request)
{
        struct stacks_tree *t = mem_new(1, sizeof(*t));
        size_t n = stacks_n_places(request->stacks);

        t->request = *request;
        t->texts = strpool_new();
        t->names = (struct place_names){t->texts, request->resolver, request->modules, {0}};
        t->functions = function_names_new(&t->names, request->arguments);
        if (request->inlines || request->lines)
                t->frames = place_frames_of_stacks(request->stacks, request->resolver, request->modules);
        t->spans = mem_new(n, sizeof(*t->spans));
        for (uint32_t i = 0; i < n; i++) {
                t->spans[i].first = (uint32_t)t->n_shown;
                add_place(t, i);
                t->spans[i].n = (uint32_t)t->n_shown - t->spans[i].first;
                if (t->spans[i].n == 1)
                        t->spans[i].first = share_shown(t, t->spans[i].first);
        }
        place_frames_free(t->frames);
        t->frames = NULL;
        name_all(t);
        function_names_free(t->functions);
        t->functions = NULL;
        return t;
}

void stacks_tree_free(struct stacks_tree *t)
{
        if (!t)
                return;
        place_names_release(&t->names);
        map_release(&t->by_hash);
        strpool_free(t->texts);
        free(t->spans);
        free(t->shown);
        free(t);
}

/* --- The tree of an event --- */

/* A tree that is being built. */
struct making {
        const struct stacks_tree *t;
        struct calltree *tree;
        uint32_t *functions; /* for each item of `shown`: its number in the tree + 1; 0 if not added yet */
        /* For each node of the stacks, its node below `top`; valid if `of` is the current series. */
        struct {
                uint32_t of, node;
        } * known;
        uint64_t *wanted; /* a bit for each node that is needed */
        uint32_t top, series;
};

static uint32_t function_of(struct making *m, uint32_t index)
{
        const struct stacks_tree *t = m->t;
        const struct shown_node *shown = &t->shown[index];

        if (!m->functions[index])
                m->functions[index] =
                        1 +
                        calltree_add_function(m->tree, &(struct calltree_function){
                                                               .name = strpool_get(t->texts, shown->name),
                                                               .brief = strpool_get(t->texts, shown->brief),
                                                               .module = strpool_get(t->texts, shown->module),
                                                               .path = strpool_get(t->texts, shown->path),
                                                               .file = strpool_get(t->texts, shown->file),
                                                               .line = shown->line,
                                                               .kind = shown->kind,
                                                               .is_kernel = shown->is_kernel,
                                                               .is_inlined = shown->is_inlined,
                                                               .is_python = shown->is_python,
                                                       });
        return m->functions[index] - 1;
}

static uint32_t add_process(const struct stacks_tree *t, struct calltree *tree, str_id comm)
{
        const char *name = world_text(t->request.world, comm);
        struct calltree_function process = {.name = *name ? name : "unknown", .kind = CALLTREE_PROCESS};

        return t->request.processes
                       ? calltree_add_child(tree, CALLTREE_ROOT, calltree_add_function(tree, &process))
                       : CALLTREE_ROOT;
}

/* Adds a child. If there is no memory for the path, the function goes below the mark of a cut stack: one such
 * node for each function. */
static uint32_t add_child(struct making *m, uint32_t parent, uint32_t function)
{
        uint32_t child = calltree_try_child(m->tree, parent, function), mark;

        if (child != CALLTREE_NONE)
                return child;
        mark = calltree_add_function(m->tree,
                                     &(struct calltree_function){.name = "[cut]", .kind = CALLTREE_CUT});
        return calltree_add_child(m->tree, calltree_add_child(m->tree, CALLTREE_ROOT, mark), function);
}

static uint32_t add_node(struct making *m, uint32_t parent, uint32_t place)
{
        for (uint32_t k = 0; k < m->t->spans[place].n; k++)
                parent = add_child(m, parent, function_of(m, m->t->spans[place].first + k));
        return parent;
}

/* Marks a node and its ancestors that are not known yet. */
static void want_node(struct making *m, uint32_t node)
{
        const struct stacks *stacks = m->t->request.stacks;

        for (; node != STACKS_NONE && m->known[node].of != m->series;
             node = stacks_get_node(stacks, node)->parent) {
                uint64_t bit = (uint64_t)1 << node % 64;

                if (m->wanted[node / 64] & bit)
                        return;
                m->wanted[node / 64] |= bit;
        }
}

static void know_node(struct making *m, uint32_t index)
{
        const struct stack_node *node = stacks_get_node(m->t->request.stacks, index);
        uint32_t parent = node->parent == STACKS_NONE ? m->top : m->known[node->parent].node;

        m->known[index].of = m->series;
        m->known[index].node = add_node(m, parent, node->place);
}

/* A parent precedes its children. */
static void know_wanted(struct making *m)
{
        size_t n = stacks_n_nodes(m->t->request.stacks);

        for (size_t i = 0; i * 64 < n; i++) {
                for (; m->wanted[i]; m->wanted[i] &= m->wanted[i] - 1)
                        know_node(m, (uint32_t)(i * 64 + (size_t)__builtin_ctzll(m->wanted[i])));
        }
}

/* Without processes, all series share the nodes of the tree. */
static void add_series(struct making *m, const struct stack_series *series)
{
        m->top = add_process(m->t, m->tree, series->comm);
        if (m->t->request.processes || !m->series)
                m->series++;
        for (size_t i = 0; i < series->n_ends; i++)
                want_node(m, series->ends[i].node);
        know_wanted(m);
        for (size_t i = 0; i < series->n_ends; i++) {
                const struct stack_end *end = &series->ends[i];

                calltree_add(m->tree, m->known[end->node].node, end->count, end->weight);
        }
}

struct calltree *stacks_tree_make(const struct stacks_tree *t, uint32_t event)
{
        const struct stacks *stacks = t->request.stacks;
        struct making m = {.t = t, .tree = calltree_new()};

        calltree_set_budget(m.tree, t->request.budget);
        m.functions = mem_new(t->n_shown, sizeof(*m.functions));
        m.known = mem_new(stacks_n_nodes(stacks), sizeof(*m.known));
        m.wanted = mem_new(stacks_n_nodes(stacks) / 64 + 1, sizeof(*m.wanted));
        for (size_t i = 0; i < stacks_n_series(stacks); i++) {
                if (stacks_get_series(stacks, i)->event == event)
                        add_series(&m, stacks_get_series(stacks, i));
        }
        free(m.functions);
        free(m.known);
        free(m.wanted);
        calltree_finish(m.tree);
        return m.tree;
}
