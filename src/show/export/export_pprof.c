/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree has no addresses: a location is a function together with the functions inlined into it on this
 * path, and all locations of a module have one mapping, without a range.  Field numbers are those of
 * profile.proto. */
#include "export_pprof.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "strpool.h"

enum {
        PROFILE_SAMPLE_TYPE = 1,
        PROFILE_SAMPLE,
        PROFILE_MAPPING,
        PROFILE_LOCATION,
        PROFILE_FUNCTION,
        PROFILE_STRING
};
enum { PROFILE_DURATION_NS = 10, PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14 };
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_INLINES = 10 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

struct location {
        uint32_t outer;    /* the location without the innermost function; 0: it has only one function */
        uint32_t function; /* CALLTREE_NONE: not known */
        bool is_used;
};

static const struct calltree_function nothing_known = {"", "", "", "", .kind = CALLTREE_UNKNOWN};

struct pprof_writing {
        const struct calltree *tree;
        struct buf *out;
        struct strpool *strings;
        struct map by_chain; /* outer << 32 | function -> location */
        struct location *locations;
        size_t n_locations, cap_locations; /* number 0 means none */
        uint32_t *at;                      /* for each node its location; 0 for a process */
        struct map mappings;               /* string of a path -> number of the mapping */
        uint64_t count_left, weight_left;  /* readers add the values in 63 bits */
        struct map functions;              /* name << 32 | file -> number of the function */
};

/* --- Protobuf --- */

/* 0 is the default of a field, so it is not written. */
static void add_number(struct buf *out, unsigned field, uint64_t value)
{
        if (!value)
                return;
        buf_add_uleb(out, field << 3);
        buf_add_uleb(out, value);
}

static void add_bytes(struct buf *out, unsigned field, const void *bytes, size_t size)
{
        buf_add_uleb(out, field << 3 | 2);
        buf_add_uleb(out, size);
        buf_add(out, bytes, size);
}

static void add_message(struct buf *out, unsigned field, const struct buf *message)
{
        add_bytes(out, field, buf_text(message), message->len);
}

/* --- Strings, functions, mappings --- */

static uint64_t add_string(struct pprof_writing *w, const char *text)
{
        AUTO_RELEASE(buf) safe = {0};

        export_add_text(text, &safe);
        return strpool_add(w->strings, buf_text(&safe));
}

static uint64_t add_type(struct pprof_writing *w, const char *type, const char *unit)
{
        AUTO_RELEASE(buf) message = {0};
        uint64_t name = add_string(w, type);

        add_number(&message, TYPE_TYPE, name);
        add_number(&message, TYPE_UNIT, add_string(w, unit));
        add_message(w->out, PROFILE_SAMPLE_TYPE, &message);
        return name;
}

/* All of these flags must be set; otherwise readers try to look up the addresses of the mapping. */
static uint64_t add_mapping(struct pprof_writing *w, const char *path)
{
        AUTO_RELEASE(buf) message = {0};
        uint64_t *number, file;
        bool is_new;

        if (!*path)
                return 0;
        file = add_string(w, path);
        number = map_put(&w->mappings, file, &is_new);
        if (!is_new)
                return *number;
        *number = w->mappings.n_used;
        add_number(&message, MAPPING_ID, *number);
        add_number(&message, MAPPING_FILE, file);
        for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINES; field++)
                add_number(&message, field, 1);
        add_message(w->out, PROFILE_MAPPING, &message);
        return *number;
}

static uint64_t add_function(struct pprof_writing *w, const struct calltree_function *function)
{
        AUTO_RELEASE(buf) message = {0}, safe = {0};
        uint64_t name, file = add_string(w, function->file), *number;
        bool is_new;

        if (function->is_python)
                export_add_text(function->brief, &safe);
        else
                export_add_name(function, &safe);
        name = strpool_add(w->strings, buf_text(&safe));
        number = map_put(&w->functions, name << 32 | file, &is_new);
        if (!is_new)
                return *number;
        *number = w->functions.n_used;
        add_number(&message, FUNCTION_ID, *number);
        add_number(&message, FUNCTION_NAME, name);
        /* Otherwise pprof would take `<module>` for the arguments of a template. */
        if (!function->is_python)
                add_number(&message, FUNCTION_SYSTEM_NAME, name);
        add_number(&message, FUNCTION_FILE, file);
        add_message(w->out, PROFILE_FUNCTION, &message);
        return *number;
}

/* --- Locations --- */

static bool is_inside_of_parent(const struct pprof_writing *w, uint32_t node)
{
        uint32_t parent = calltree_get_node(w->tree, node)->parent;

        return export_function(w->tree, node)->is_inlined && parent != CALLTREE_ROOT &&
               export_function(w->tree, parent)->kind <= CALLTREE_UNKNOWN;
}

static uint32_t find_location(struct pprof_writing *w, uint32_t outer, uint32_t function)
{
        bool is_new;
        uint64_t *number = map_put(&w->by_chain, (uint64_t)outer << 32 | function, &is_new);

        if (is_new) {
                *number = w->n_locations;
                ARRAY_PUSH(w->locations, w->n_locations, w->cap_locations,
                           (struct location){.outer = outer, .function = function});
        }
        return (uint32_t)*number;
}

static void find_locations(struct pprof_writing *w)
{
        ARRAY_PUSH(w->locations, w->n_locations, w->cap_locations, (struct location){0});
        for (uint32_t at = export_next(w->tree, CALLTREE_ROOT); at != CALLTREE_ROOT;
             at = export_next(w->tree, at)) {
                const struct calltree_node *node = calltree_get_node(w->tree, at);
                uint32_t outer = is_inside_of_parent(w, at) ? w->at[node->parent] : 0;

                if (export_function(w->tree, at)->kind != CALLTREE_PROCESS)
                        w->at[at] = find_location(w, outer, node->function);
        }
}

static void add_location(struct pprof_writing *w, uint32_t number)
{
        AUTO_RELEASE(buf) message = {0};
        const struct calltree_function *function = NULL;

        add_number(&message, LOCATION_ID, number);
        for (uint32_t at = number; at; at = w->locations[at].outer) {
                AUTO_RELEASE(buf) line = {0};

                function = w->locations[at].function == CALLTREE_NONE
                                   ? &nothing_known
                                   : calltree_get_function(w->tree, w->locations[at].function);
                add_number(&line, LINE_FUNCTION, add_function(w, function));
                add_number(&line, LINE_LINE, function->line);
                add_message(&message, LOCATION_LINE, &line);
        }
        add_number(&message, LOCATION_MAPPING,
                   add_mapping(w, *function->path ? function->path : function->module));
        add_message(w->out, PROFILE_LOCATION, &message);
}

/* --- Samples --- */

/* The value, limited to what is left. */
static uint64_t take_value(uint64_t value, uint64_t *left)
{
        value = value < *left ? value : *left;
        *left -= value;
        return value;
}

static void add_to_stack(struct pprof_writing *w, uint32_t location, struct buf *stack)
{
        w->locations[location].is_used = true;
        buf_add_uleb(stack, location);
}

static void add_label(struct pprof_writing *w, const char *key, const char *text, struct buf *sample)
{
        AUTO_RELEASE(buf) label = {0};

        add_number(&label, LABEL_KEY, add_string(w, key));
        add_number(&label, LABEL_TEXT, add_string(w, text));
        add_message(sample, SAMPLE_LABEL, &label);
}

static void add_sample(struct pprof_writing *w, uint32_t at)
{
        const struct calltree_node *node = calltree_get_node(w->tree, at);
        AUTO_RELEASE(buf) sample = {0}, numbers = {0};
        const char *process = NULL;

        for (; at != CALLTREE_ROOT; at = calltree_get_node(w->tree, at)->parent) {
                if (!w->at[at]) {
                        process = export_function(w->tree, at)->name;
                        continue;
                }
                add_to_stack(w, w->at[at], &numbers);
                while (is_inside_of_parent(w, at))
                        at = calltree_get_node(w->tree, at)->parent;
        }
        /* Readers ignore a sample without a stack. */
        if (!numbers.len)
                add_to_stack(w, find_location(w, 0, CALLTREE_NONE), &numbers);
        add_message(&sample, SAMPLE_LOCATION, &numbers);
        buf_clear(&numbers);
        buf_add_uleb(&numbers, take_value(node->self_count, &w->count_left));
        buf_add_uleb(&numbers, take_value(node->self_weight, &w->weight_left));
        add_message(&sample, SAMPLE_VALUE, &numbers);
        if (process && *process)
                add_label(w, "comm", process, &sample);
        add_message(w->out, PROFILE_SAMPLE, &sample);
}

static void add_samples(struct pprof_writing *w)
{
        uint32_t at = CALLTREE_ROOT;

        do {
                const struct calltree_node *node = calltree_get_node(w->tree, at);

                if (node->self_count || node->self_weight)
                        add_sample(w, at);
                at = export_next(w->tree, at);
        } while (at != CALLTREE_ROOT);
}

static void add_comment(struct pprof_writing *w, const char *text)
{
        if (text && *text)
                add_number(w->out, PROFILE_COMMENT, add_string(w, text));
}

void export_pprof(const struct calltree *tree, const struct export_about *about, struct buf *out)
{
        struct pprof_writing w = {
                .tree = tree,
                .out = out,
                .strings = strpool_new(),
                .count_left = INT64_MAX,
                .weight_left = INT64_MAX,
                .at = mem_new(calltree_n_nodes(tree), sizeof(*w.at)),
        };

        add_type(&w, "samples", "count");
        add_number(out, PROFILE_DEFAULT_TYPE,
                   add_type(&w, about->event, about->is_time ? "nanoseconds" : "count"));
        find_locations(&w);
        add_samples(&w);
        for (uint32_t i = 1; i < w.n_locations; i++) {
                if (w.locations[i].is_used)
                        add_location(&w, i);
        }
        add_number(out, PROFILE_DURATION_NS, about->dur_ns);
        add_comment(&w, about->tool);
        add_comment(&w, about->command);
        for (str_id i = 0; i < strpool_count(w.strings); i++) {
                const char *text = strpool_get(w.strings, i);

                add_bytes(out, PROFILE_STRING, text, strlen(text));
        }
        map_release(&w.by_chain);
        map_release(&w.mappings);
        map_release(&w.functions);
        strpool_free(w.strings);
        free(w.locations);
        free(w.at);
}
