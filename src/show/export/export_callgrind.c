/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the costs of all nodes of the tree, sorts them by function, file and line, and writes the sums.
 * The format is https://valgrind.org/docs/manual/cl-format.html */
#include "export_callgrind.h"

#include <inttypes.h>
#include <stdlib.h>

#include "map.h"
#include "mem.h"
#include "strpool.h"
#include "text_number.h"

enum { NO_FILE = 0 }; /* the empty text */

struct callgrind_function {
        str_id name, object, file;
        uint32_t line;      /* the first one in `file` that has samples; 0: not known */
        uint32_t outermost; /* the last node that entered it while it was not on the path */
        bool is_written;    /* a reader knows its number */
};

/* What a function of the tree is: a line of a function. */
struct callgrind_line {
        uint32_t function;
        str_id file;
        uint32_t line;
};

struct callgrind_cost {
        struct callgrind_line at;
        uint32_t callee; /* CALLTREE_NONE: the cost of the line itself */
        uint64_t count, weight;
};

struct callgrind_writing {
        const struct calltree *tree;
        struct buf *out;
        struct strpool *texts;
        struct callgrind_function *functions;
        size_t n_functions, cap_functions;
        struct map by_home;           /* name and object, or Python file -> function + 1 */
        struct callgrind_line *lines; /* for each node */
        struct callgrind_cost *costs;
        size_t n_costs, cap_costs;
        bool *objects,
                *files; /* for each text, whether a reader knows its number as that of an object, of a file */
};

/* --- Functions --- */

/* A reader takes no name that begins with a blank. */
static str_id add_text(struct callgrind_writing *w, struct buf *text)
{
        if (text->len && text->data[0] == ' ')
                text->data[0] = '_';
        return strpool_add(w->texts, buf_text(text));
}

static str_id add_name(struct callgrind_writing *w, const struct calltree_function *shown)
{
        AUTO_RELEASE(buf) name = {0};

        if (shown->is_python)
                export_add_text(shown->brief, &name);
        else
                export_add_name(shown, &name);
        if (shown->kind == CALLTREE_PROCESS)
                buf_add_str(&name, " (process)");
        return add_text(w, &name);
}

static str_id add_path(struct callgrind_writing *w, const char *path)
{
        AUTO_RELEASE(buf) text = {0};

        export_add_text(path, &text);
        return add_text(w, &text);
}

/* The file does not distinguish native functions, because a line of one may be in a header. */
static uint32_t find_function(struct callgrind_writing *w, str_id name, str_id object, str_id python_file)
{
        uint64_t home = python_file ? UINT64_C(1) << 31 | python_file : object, *known;

        known = map_put(&w->by_home, (uint64_t)name << 32 | home, NULL);
        if (!*known) {
                ARRAY_PUSH(w->functions, w->n_functions, w->cap_functions,
                           (struct callgrind_function){
                                   .name = name, .object = object, .outermost = CALLTREE_NONE});
                *known = w->n_functions;
        }
        return (uint32_t)*known - 1;
}

static struct callgrind_line find_line(struct callgrind_writing *w, const struct calltree_function *shown)
{
        const char *path = *shown->path ? shown->path : shown->module;
        struct callgrind_line at = {.file = add_path(w, shown->file), .line = shown->line};
        str_id name = add_name(w, shown), object = add_path(w, shown->is_python ? "[Python]" : path);
        struct callgrind_function *function;

        at.function = find_function(w, name, object, shown->is_python ? at.file : 0);
        function = &w->functions[at.function];
        if (function->file == NO_FILE)
                function->file = at.file;
        if (at.line && at.file == function->file && (!function->line || at.line < function->line))
                function->line = at.line;
        return at;
}

/* --- Costs --- */

static void add_cost(struct callgrind_writing *w, const struct callgrind_line *at, uint32_t callee,
                     uint64_t count, uint64_t weight)
{
        ARRAY_PUSH(w->costs, w->n_costs, w->cap_costs, (struct callgrind_cost){*at, callee, count, weight});
}

/* path[DEPTH] are the nodes from the root to `at`. */
static bool is_recursion(const struct callgrind_writing *w, const uint32_t *path, uint32_t at)
{
        uint32_t outer = w->functions[w->lines[at].function].outermost, depth;

        if (outer == CALLTREE_NONE)
                return false;
        depth = calltree_get_node(w->tree, outer)->depth;
        return depth < calltree_get_node(w->tree, at)->depth && path[depth] == outer;
}

/* A line with calls also has a cost of its own, perhaps 0, because callgrind_annotate expects it.  A call of
 * a function that is on the path already costs nothing, but makes the cycle known. */
static void add_node(struct callgrind_writing *w, const uint32_t *path, uint32_t at)
{
        const struct calltree_node *node = calltree_get_node(w->tree, at);
        const struct callgrind_line *own = &w->lines[at];
        bool is_again = is_recursion(w, path, at);

        if (at != CALLTREE_ROOT || node->self_count || node->self_weight)
                add_cost(w, own, CALLTREE_NONE, node->self_count, node->self_weight);
        if (node->depth > 1)
                add_cost(w, &w->lines[node->parent], own->function, is_again ? 0 : node->count,
                         is_again ? 0 : node->weight);
        if (!is_again && at != CALLTREE_ROOT)
                w->functions[own->function].outermost = at;
}

/* Samples without a stack count for the root. */
static void add_nodes(struct callgrind_writing *w)
{
        static const struct calltree_function unknown = {"", "", "", "", "", .kind = CALLTREE_UNKNOWN};
        uint32_t *path = mem_new((size_t)export_depth(w->tree) + 1, sizeof(*path)), at = CALLTREE_ROOT;

        do {
                path[calltree_get_node(w->tree, at)->depth] = at;
                w->lines[at] = find_line(w, at == CALLTREE_ROOT ? &unknown : export_function(w->tree, at));
                add_node(w, path, at);
                at = export_next(w->tree, at);
        } while (at != CALLTREE_ROOT);
        free(path);
}

/* A line's own cost comes before its calls. */
static int compare_costs(const void *a, const void *b)
{
        const struct callgrind_cost *x = a, *y = b;
        const uint32_t of_x[] = {x->at.function, x->at.file, x->at.line, x->callee + 1};
        const uint32_t of_y[] = {y->at.function, y->at.file, y->at.line, y->callee + 1};

        for (size_t i = 0; i < N_ELEMENTS(of_x); i++) {
                if (of_x[i] != of_y[i])
                        return of_x[i] < of_y[i] ? -1 : 1;
        }
        return 0;
}

static void sum_costs(struct callgrind_writing *w)
{
        size_t n = 0;

        for (size_t i = 0; i < w->n_costs; i++) {
                struct callgrind_line *at = &w->costs[i].at;

                if (at->file == NO_FILE)
                        *at = (struct callgrind_line){at->function, w->functions[at->function].file, 0};
        }
        if (w->n_costs)
                qsort(w->costs, w->n_costs, sizeof(*w->costs), compare_costs);
        for (size_t i = 0; i < w->n_costs; i++) {
                if (n && !compare_costs(&w->costs[n - 1], &w->costs[i])) {
                        w->costs[n - 1].count += w->costs[i].count;
                        w->costs[n - 1].weight += w->costs[i].weight;
                } else {
                        w->costs[n++] = w->costs[i];
                }
        }
        w->n_costs = n;
}

/* --- Writing --- */

static void write_number(struct callgrind_writing *w, uint64_t value, char end)
{
        text_add_u64(w->out, value);
        buf_add_char(w->out, end);
}

/* `fn=(7) work` the first time, then `fn=(7)`.  0 is not a number of all readers. */
static void write_name(struct callgrind_writing *w, const char *key, uint32_t number, str_id text,
                       bool *is_written)
{
        buf_printf(w->out, "%s=(%" PRIu32 ")", key, number + 1);
        if (!*is_written)
                buf_printf(w->out, " %s", text ? strpool_get(w->texts, text) : "???");
        *is_written = true;
        buf_add_char(w->out, '\n');
}

static void write_file(struct callgrind_writing *w, const char *key, str_id file)
{
        write_name(w, key, file, file, &w->files[file]);
}

static void write_object(struct callgrind_writing *w, const char *key, str_id object)
{
        write_name(w, key, object, object, &w->objects[object]);
}

static void write_function(struct callgrind_writing *w, uint32_t number)
{
        struct callgrind_function *function = &w->functions[number];

        write_object(w, "ob", function->object);
        write_file(w, "fl", function->file);
        write_name(w, "fn", number, function->name, &function->is_written);
}

/* Parts of samples count 0; a reader needs at least one call.  callgrind_annotate cuts its own folder off
 * the names of files, but not off those of callees: a callee without a file is in that of its caller. */
static void write_callee(struct callgrind_writing *w, const struct callgrind_cost *cost)
{
        struct callgrind_function *callee = &w->functions[cost->callee];

        write_object(w, "cob", callee->object);
        if (callee->file != cost->at.file || callee->file != w->functions[cost->at.function].file)
                write_file(w, "cfi", callee->file);
        write_name(w, "cfn", cost->callee, callee->name, &callee->is_written);
        buf_add_str(w->out, "calls=");
        write_number(w, cost->count ? cost->count : 1, ' ');
        write_number(w, w->functions[cost->callee].line, '\n');
}

static void write_costs(struct callgrind_writing *w)
{
        uint32_t function = CALLTREE_NONE;
        str_id file = NO_FILE;

        for (size_t i = 0; i < w->n_costs; i++) {
                const struct callgrind_cost *cost = &w->costs[i];
                const struct callgrind_function *own = &w->functions[cost->at.function];

                if (cost->at.function != function) {
                        function = cost->at.function;
                        file = own->file;
                        buf_add_char(w->out, '\n');
                        write_function(w, function);
                }
                if (cost->at.file != file) {
                        file = cost->at.file;
                        write_file(w, file == own->file ? "fe" : "fi", file);
                }
                if (cost->callee != CALLTREE_NONE)
                        write_callee(w, cost);
                write_number(w, cost->at.line, ' ');
                write_number(w, cost->weight, ' ');
                write_number(w, cost->count, '\n');
        }
}

static void write_text(struct callgrind_writing *w, const char *key, const char *text)
{
        if (!text || !*text)
                return;
        buf_printf(w->out, "%s: ", key);
        export_add_text(text, w->out);
        buf_add_char(w->out, '\n');
}

/* A reader takes letters, digits and `_` in the name of an event, and a letter first. */
static void add_event_name(const char *event, struct buf *out)
{
        bool is_first = true;

        for (const char *at = event; *at; at++, is_first = false) {
                bool is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
                bool is_digit = *at >= '0' && *at <= '9';

                if (is_first && !is_letter)
                        buf_add_str(out, "event_");
                buf_add_char(out, is_letter || is_digit ? *at : '_');
        }
}

static void write_head(struct callgrind_writing *w, const struct export_about *about)
{
        const struct calltree_node *root = calltree_get_node(w->tree, CALLTREE_ROOT);
        AUTO_RELEASE(buf) event = {0};

        add_event_name(about->event, &event);
        buf_add_str(w->out, "# callgrind format\nversion: 1\n");
        write_text(w, "creator", about->tool);
        write_text(w, "cmd", about->command);
        buf_printf(w->out, "positions: line\nevent: %s : ", buf_text(&event));
        export_add_text(about->event, w->out);
        buf_printf(w->out, "%s\nevent: samples : samples\nevents: %s samples\nsummary: ",
                   about->is_time ? " in ns" : "", buf_text(&event));
        write_number(w, root->weight, ' ');
        write_number(w, root->count, '\n');
}

void export_callgrind(const struct calltree *tree, const struct export_about *about, struct buf *out)
{
        struct callgrind_writing w = {
                .tree = tree,
                .out = out,
                .texts = strpool_new(),
                .lines = mem_new(calltree_n_nodes(tree), sizeof(*w.lines)),
        };

        add_nodes(&w);
        sum_costs(&w);
        w.objects = mem_new(strpool_count(w.texts), sizeof(*w.objects));
        w.files = mem_new(strpool_count(w.texts), sizeof(*w.files));
        write_head(&w, about);
        write_costs(&w);
        free(w.objects);
        free(w.files);
        strpool_free(w.texts);
        map_release(&w.by_home);
        free(w.functions);
        free(w.lines);
        free(w.costs);
}
