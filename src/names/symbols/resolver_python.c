/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of names of Python places.  Places are not sorted by function, but the addresses assigned here
 * are: those of a function are contiguous and sorted by line, so that a Python function has a range like
 * any other function. */
#include <inttypes.h>
#include <stdlib.h>

#include "buf.h"
#include "mem.h"
#include "python_label.h"
#include "resolver_internal.h"

enum { ADDR_BYTES = 16 }; /* bytes of addresses for each place */

#define LEFT_OUT UINT32_MAX

/* A place, sorted by address. */
struct ordered_place {
        uint32_t function, line;
        uint32_t place; /* its index in the module */
};

struct python_table {
        const struct resolver_python *is;
        struct ordered_place *order;
        uint32_t *ranks;    /* for each place, its index in `order` */
        uint32_t *firsts;   /* for each function, index of its first place in `order`; one more at the end */
        str_id *functions;  /* 0: not looked up yet; LEFT_OUT: for lack of memory */
        const char **files; /* of functions: the ends of their paths that tell them apart */
};

static int compare_places(const void *x, const void *y)
{
        const struct ordered_place *a = x, *b = y;

        if (a->function != b->function)
                return a->function < b->function ? -1 : 1;
        if (a->line != b->line)
                return a->line < b->line ? -1 : 1;
        return (a->place > b->place) - (a->place < b->place);
}

static void order_places(struct python_table *t)
{
        size_t n = t->is->n_places, at = 0;

        for (size_t i = 0; i < n; i++)
                t->order[i] =
                        (struct ordered_place){t->is->places[i].function, t->is->places[i].line, (uint32_t)i};
        if (n)
                qsort(t->order, n, sizeof(*t->order), compare_places);
        for (size_t i = 0; i < n; i++)
                t->ranks[t->order[i].place] = (uint32_t)i;
        for (size_t f = 0; f <= t->is->n_functions; f++) {
                while (at < n && t->order[at].function < f)
                        at++;
                t->firsts[f] = (uint32_t)at;
        }
}

static void name_files(struct python_table *t)
{
        const char **paths = mem_new(t->is->n_functions, sizeof(*paths));

        for (size_t i = 0; i < t->is->n_functions; i++)
                paths[i] = t->is->functions[i].path;
        python_label_files(paths, t->is->n_functions, t->files);
        free(paths);
}

static void python_table_free(struct python_table *t)
{
        if (!t)
                return;
        free(t->order);
        free(t->ranks);
        free(t->firsts);
        free(t->functions);
        free(t->files);
        free(t);
}
AUTO_DEFINE(python_table)

/* Takes memory from the budget; NULL if there is not enough. */
static struct python_table *table_new(const struct resolver_python *python, struct budget *budget)
{
        AUTO(python_table) t = mem_new(1, sizeof(*t));
        uint64_t bytes =
                python->n_places * (sizeof(*t->order) + sizeof(*t->ranks)) +
                (python->n_functions + 1) * (sizeof(*t->firsts) + sizeof(*t->functions) + sizeof(*t->files));

        if (!budget_take(budget, BUDGET_NAMES, bytes))
                return NULL;
        t->is = python;
        t->order = mem_new(python->n_places, sizeof(*t->order));
        t->ranks = mem_new(python->n_places, sizeof(*t->ranks));
        t->firsts = mem_new(python->n_functions + 1, sizeof(*t->firsts));
        t->functions = mem_new(python->n_functions, sizeof(*t->functions));
        t->files = mem_new(python->n_functions, sizeof(*t->files));
        order_places(t);
        name_files(t);
        return TAKE(t);
}

/* --- Lookup --- */

static bool to_addr(const struct symbol_module *module, uint64_t offset, uint64_t *ret_addr)
{
        const struct python_table *t = module->python;
        uint64_t place_bytes = t->is->place_bytes, number = offset / place_bytes;

        /* The offset of a caller is one less than that of its place. */
        number += offset % place_bytes >= place_bytes / 2;
        if (!number || number > t->is->n_places)
                return false;
        *ret_addr = ((uint64_t)t->ranks[number - 1] + 1) * ADDR_BYTES;
        return true;
}

static const struct ordered_place *place_at(const struct python_table *t, uint64_t addr)
{
        uint64_t number = addr / ADDR_BYTES;

        return number && number <= t->is->n_places ? &t->order[number - 1] : NULL;
}

/* The name is the id's readable form; the id's own text is unique, so that two functions with the same name
 * have different ids. */
static str_id name_of(struct resolver *resolver, struct symbol_module *module, uint32_t index)
{
        const struct resolver_python_function *function = &module->python->is->functions[index];
        str_id *known = &module->python->functions[index];
        AUTO_RELEASE(buf) identity = {0};
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) label = {0};

        if (*known)
                return *known == LEFT_OUT ? 0 : *known;
        buf_add_str(&identity, function->name);
        buf_add_char(&identity, '\n');
        buf_add_str(&identity, function->path);
        buf_printf(&identity, ":%" PRIu32, function->first_line);
        buf_add_str(&name, *function->name ? function->name : "?");
        python_label_add_file(&label, function->name, module->python->files[index], function->first_line);
        if (resolver_keep_told_apart(resolver, module, &identity, &name, &label, known))
                return *known;
        *known = LEFT_OUT;
        return 0;
}

static struct symbol find(struct resolver *resolver, struct symbol_module *module, uint64_t addr)
{
        const struct python_table *t = module->python;
        const struct ordered_place *place = place_at(t, addr);
        struct symbol symbol = {.status = SYMBOL_NONE, .addr = addr};
        uint32_t first;

        if (!place)
                return symbol;
        first = t->firsts[place->function];
        symbol.name = name_of(resolver, module, place->function);
        symbol.status = symbol.name ? SYMBOL_NAMED : SYMBOL_RANGE;
        symbol.start = ((uint64_t)first + 1) * ADDR_BYTES;
        symbol.size = (uint64_t)(t->firsts[place->function + 1] - first) * ADDR_BYTES;
        return symbol;
}

static void find_frames(struct resolver *resolver, struct symbol_module *module, const uint64_t *addrs,
                        size_t n, struct resolver_frames *ret)
{
        const struct python_table *t = module->python;

        for (size_t i = 0; i < n; i++) {
                const struct ordered_place *place = place_at(t, addrs[i]);
                struct symbol symbol = find(resolver, module, addrs[i]);
                struct resolver_frame frame = {.function = symbol.name, .start = symbol.start};

                if (!place)
                        continue;
                frame.path = resolver_frame_text(resolver, module, BUDGET_LINES,
                                                 t->is->functions[place->function].path, false);
                frame.file =
                        resolver_frame_text(resolver, module, BUDGET_LINES, t->files[place->function], false);
                frame.line = place->line;
                resolver_add_frame(ret, i, frame);
        }
}

static bool open_python(struct resolver *resolver, struct symbol_module *module)
{
        if (module->is.python)
                module->python = table_new(module->is.python, &module->budget);
        else
                buf_add_str(&module->note, "the session has no names of Python functions");
        return module->python;
}

static void close_python(struct symbol_module *module)
{
        python_table_free(module->python);
}

const struct symbol_source symbol_source_python = {
        .open = open_python,
        .close = close_python,
        .to_addr = to_addr,
        .find = find,
        .find_frames = find_frames,
};
