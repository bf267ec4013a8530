/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame is a function at a place; a stack is the frame of a node and the stack of its parent; functions
 * inlined at a place are a chain of frames with the same address.  Addresses count from the beginning of a
 * library's image. */
#include "export_firefox_tables.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "export_places.h"
#include "map.h"
#include "mem.h"
#include "strpool.h"
#include "text.h"

enum { GUID_BYTES = 16, BREAKPAD_DIGITS = 2 * GUID_BYTES + 1 };

#define NO_ADDRESS  UINT64_MAX
#define MAX_ADDRESS UINT32_MAX

struct stack_row {
        uint32_t frame, prefix;
};

struct frame_row {
        uint64_t address;
        uint32_t depth, category, function, native, line, column;
};

struct function_row {
        uint32_t name, resource, source;
};

struct native_row {
        uint64_t address, size;
        uint32_t lib, name;
};

struct resource_row {
        uint32_t lib, name;
};

struct source_row {
        uint32_t name;
};

struct firefox_tables {
        const struct named_stacks *stacks;
        struct export_places places;
        uint32_t *libs;           /* for each module; NAMED_NONE: it is not a library */
        struct resource_row *lib; /* for each library */
        size_t n_libs, cap_libs;
        uint32_t *modules; /* for each library */
        size_t n_modules, cap_modules;
        uint32_t *first_frames; /* for each place: its outermost frame; the others follow */
        uint32_t *ends;         /* for each node: its innermost stack */
        struct stack_row *stack;
        size_t n_stacks, cap_stacks;
        struct frame_row *frame;
        size_t n_frames, cap_frames;
        struct function_row *function;
        size_t n_functions, cap_functions;
        struct map by_name_and_source, by_resource; /* number + 1 */
        size_t n_names;
        struct native_row *native;
        size_t n_natives, cap_natives;
        uint32_t native_module; /* module of the last native_row */
        struct source_row *source;
        size_t n_sources, cap_sources;
        struct map by_path; /* source + 1 */
        struct strpool *texts;
};

/* --- Tables by columns --- */

static void add_value(struct json *json, const uint8_t *row, const struct firefox_column *column)
{
        uint32_t number = 0;
        uint64_t wide = 0;

        if (column->kind <= FIREFOX_POSITION)
                memcpy(&number, row + column->offset, sizeof(number));
        else if (column->kind <= FIREFOX_SIZE)
                memcpy(&wide, row + column->offset, sizeof(wide));
        switch (column->kind) {
        case FIREFOX_ALWAYS_NULL: json_null(json); break;
        case FIREFOX_ALWAYS_FALSE: json_bool(json, false); break;
        case FIREFOX_ALWAYS_ZERO: json_u64(json, 0); break;
        case FIREFOX_ALWAYS_ONE: json_u64(json, 1); break;
        case FIREFOX_NUMBER: json_u64(json, number); break;
        case FIREFOX_OR_NULL: number == NAMED_NONE ? json_null(json) : json_u64(json, number); break;
        case FIREFOX_OR_MINUS: number == NAMED_NONE ? json_i64(json, -1) : json_u64(json, number); break;
        case FIREFOX_POSITION: number ? json_u64(json, number) : json_null(json); break;
        case FIREFOX_ADDRESS: wide > MAX_ADDRESS ? json_i64(json, -1) : json_u64(json, wide); break;
        case FIREFOX_SIZE: wide &&wide <= MAX_ADDRESS ? json_u64(json, wide) : json_null(json); break;
        }
}

void firefox_add_table(struct json *json, const char *key, const void *rows, size_t n, size_t row_bytes,
                       const struct firefox_column *columns)
{
        json_key(json, key);
        json_begin_object(json);
        for (; columns->key; columns++) {
                json_key(json, columns->key);
                json_begin_array(json);
                for (size_t i = 0; i < n; i++)
                        add_value(json, (const uint8_t *)rows + i * row_bytes, columns);
                json_end_array(json);
        }
        json_key_u64(json, "length", n);
        json_end_object(json);
}

/* --- Texts and libraries --- */

uint32_t firefox_add_text(struct firefox_tables *t, const char *text)
{
        AUTO_RELEASE(buf) safe = {0};

        export_add_text(text, &safe);
        return strpool_add(t->texts, buf_text(&safe));
}

static uint32_t find_lib(struct firefox_tables *t, uint32_t id)
{
        const struct named_module *module;
        struct resource_row row = {.lib = (uint32_t)t->n_libs};

        if (id == NAMED_NONE)
                return NAMED_NONE;
        module = &t->stacks->modules[id];
        if (module->kind == NAMED_ANON || module->kind == NAMED_JIT || module->kind == NAMED_PYTHON ||
            !*module->path)
                return NAMED_NONE;
        if (t->libs[id] == NAMED_NONE) {
                row.name = firefox_add_text(t, export_module_name(module));
                t->libs[id] = row.lib;
                ARRAY_PUSH(t->lib, t->n_libs, t->cap_libs, row);
                ARRAY_PUSH(t->modules, t->n_modules, t->cap_modules, id);
        }
        return t->libs[id];
}

static uint32_t find_source(struct firefox_tables *t, const char *file)
{
        uint32_t name;
        uint64_t *known;

        if (!*file)
                return NAMED_NONE;
        name = firefox_add_text(t, file);
        known = map_put(&t->by_path, name, NULL);
        if (!*known) {
                ARRAY_PUSH(t->source, t->n_sources, t->cap_sources, (struct source_row){name});
                *known = t->n_sources;
        }
        return (uint32_t)*known - 1;
}

/* --- Functions and frames --- */

static uint32_t add_name(struct firefox_tables *t, const struct named_node *node, const char *function)
{
        AUTO_RELEASE(buf) name = {0};

        export_add_function_name(t->stacks, node, function, &name);
        return strpool_add(t->texts, buf_text(&name));
}

/* A function is unique by name, library and file. */
static uint32_t find_function(struct firefox_tables *t, struct function_row row)
{
        uint64_t *named = map_put(&t->by_name_and_source, (uint64_t)row.name << 32 | row.source, NULL),
                 *known;

        if (!*named)
                *named = ++t->n_names;
        known = map_put(&t->by_resource, *named << 32 | row.resource, NULL);
        if (!*known) {
                ARRAY_PUSH(t->function, t->n_functions, t->cap_functions, row);
                *known = t->n_functions;
        }
        return (uint32_t)*known - 1;
}

static uint64_t address_in(const struct named_module *module, uint64_t addr)
{
        return addr >= module->base && addr - module->base <= MAX_ADDRESS ? addr - module->base : NO_ADDRESS;
}

/* Places are sorted by address, so that those of a function are neighbours. */
static uint32_t find_native(struct firefox_tables *t, const struct named_node *node, uint32_t lib,
                            const char *function)
{
        struct native_row row = {.lib = lib, .size = node->size};
        const struct native_row *last = t->n_natives ? &t->native[t->n_natives - 1] : NULL;

        if (lib == NAMED_NONE || !node->has_start)
                return NAMED_NONE;
        row.address = address_in(&t->stacks->modules[node->module], node->start);
        if (row.address == NO_ADDRESS)
                return NAMED_NONE;
        row.name = add_name(t, node, function);
        if (!last || last->lib != lib || last->address != row.address || last->name != row.name)
                ARRAY_PUSH(t->native, t->n_natives, t->cap_natives, row);
        return (uint32_t)t->n_natives - 1;
}

enum firefox_category firefox_category_of_state(const char *word)
{
        return !strcmp(word, "runnable") ? FIREFOX_RUNNABLE : FIREFOX_WAITING;
}

static bool is_collecting(const char *function)
{
        return !strcmp(function, "[gc]");
}

bool firefox_is_off_cpu(const struct named_stacks *stacks, const struct named_node *node)
{
        return node->is_state && !is_collecting(stacks->frames[node->first_frame].function);
}

static uint32_t category_of(const struct firefox_tables *t, const struct named_node *node,
                            const char *function)
{
        if (node->is_state)
                return !strcmp(function, "[no stack]")   ? FIREFOX_OTHER
                       : !strcmp(function, "[runnable]") ? FIREFOX_RUNNABLE
                       : is_collecting(function)         ? FIREFOX_USER
                                                         : FIREFOX_WAITING;
        if (node->is_kernel)
                return FIREFOX_KERNEL;
        if (node->is_cut || node->module == NAMED_NONE)
                return FIREFOX_OTHER;
        switch (t->stacks->modules[node->module].kind) {
        case NAMED_JIT: return FIREFOX_JIT;
        case NAMED_PYTHON: return FIREFOX_PYTHON;
        case NAMED_ANON: return *function ? FIREFOX_JIT : FIREFOX_USER;
        default: return FIREFOX_USER;
        }
}

static void add_frames(struct firefox_tables *t, const struct named_node *node)
{
        const struct named_frame *frames = &t->stacks->frames[node->first_frame];
        const char *function = frames[node->n_frames - 1].function;
        uint32_t lib = node->is_cut ? NAMED_NONE : find_lib(t, node->module);
        struct frame_row row = {
                .address = lib == NAMED_NONE ? NO_ADDRESS
                                             : address_in(&t->stacks->modules[node->module], node->addr),
                .category = category_of(t, node, function),
                .native = find_native(t, node, lib, function),
        };

        for (uint32_t i = node->n_frames; i-- > 0; row.depth++) {
                row.function = find_function(t, (struct function_row){
                                                        .name = add_name(t, node, frames[i].function),
                                                        .resource = lib,
                                                        .source = find_source(t, frames[i].file),
                                                });
                row.line = frames[i].line;
                row.column = frames[i].column;
                ARRAY_PUSH(t->frame, t->n_frames, t->cap_frames, row);
        }
}

/* --- Stacks --- */

static void add_stacks(struct firefox_tables *t, uint32_t index, uint32_t cut_frame)
{
        const struct named_node *node = &t->stacks->nodes[index];
        uint32_t first = node->is_cut ? cut_frame : t->first_frames[t->places.of_node[index]];
        struct stack_row row = {.prefix = node->parent == NAMED_NONE ? NAMED_NONE : t->ends[node->parent]};

        for (uint32_t i = 0; i < (node->is_cut ? 1 : node->n_frames); i++) {
                row.frame = first + i;
                ARRAY_PUSH(t->stack, t->n_stacks, t->cap_stacks, row);
                row.prefix = (uint32_t)t->n_stacks - 1;
        }
        t->ends[index] = row.prefix;
}

struct firefox_tables *firefox_tables_new(const struct named_stacks *stacks, const bool *wanted)
{
        struct firefox_tables *t = mem_new(1, sizeof(*t));
        uint32_t cut_frame = NAMED_NONE;

        t->stacks = stacks;
        t->texts = strpool_new();
        t->libs = mem_new(stacks->n_modules, sizeof(*t->libs));
        for (size_t i = 0; i < stacks->n_modules; i++)
                t->libs[i] = NAMED_NONE;
        export_places_list(stacks, wanted, &t->places);
        t->first_frames = mem_new(t->places.n, sizeof(*t->first_frames));
        for (uint32_t i = 0; i < t->places.n; i++) {
                t->first_frames[i] = (uint32_t)t->n_frames;
                add_frames(t, &stacks->nodes[t->places.one_node[i]]);
        }
        t->ends = mem_new(stacks->n_nodes, sizeof(*t->ends));
        for (uint32_t i = 0; i < stacks->n_nodes; i++) {
                t->ends[i] = NAMED_NONE;
                if (!wanted[i])
                        continue;
                if (stacks->nodes[i].is_cut && cut_frame == NAMED_NONE) {
                        cut_frame = (uint32_t)t->n_frames;
                        add_frames(t, &stacks->nodes[i]);
                }
                add_stacks(t, i, cut_frame);
        }
        return t;
}

void firefox_tables_free(struct firefox_tables *t)
{
        if (!t)
                return;
        export_places_release(&t->places);
        map_release(&t->by_name_and_source);
        map_release(&t->by_resource);
        map_release(&t->by_path);
        strpool_free(t->texts);
        free(t->libs);
        free(t->lib);
        free(t->modules);
        free(t->first_frames);
        free(t->ends);
        free(t->stack);
        free(t->frame);
        free(t->function);
        free(t->native);
        free(t->source);
        free(t);
}

uint32_t firefox_stack_of(const struct firefox_tables *t, uint32_t node)
{
        assert(node < t->stacks->n_nodes);
        return t->ends[node];
}

/* --- Writing --- */

/* A GUID, whose first three numbers are little-endian, and an age, which ELF files do not have. */
static void add_breakpad_id(const struct named_module *module, struct json *json)
{
        static const uint8_t order[GUID_BYTES] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
        uint8_t padded[NAMED_BUILD_ID_MAX] = {0};
        char digits[BREAKPAD_DIGITS + 1];

        memcpy(padded, module->build_id, module->build_id_size);
        for (size_t i = 0; i < GUID_BYTES; i++)
                snprintf(digits + 2 * i, 3, "%02X", padded[order[i]]);
        memcpy(digits + BREAKPAD_DIGITS - 1, "0", 2);
        json_key_str(json, "breakpadId", digits);
}

static void add_code_id(const struct named_module *module, struct json *json)
{
        char digits[2 * NAMED_BUILD_ID_MAX + 1];

        text_hex(digits, module->build_id, module->build_id_size);
        json_key(json, "codeId");
        if (module->build_id_size)
                json_str(json, digits);
        else
                json_null(json);
}

void firefox_add_libs(const struct firefox_tables *t, const char *arch, struct json *json)
{
        json_key(json, "libs");
        json_begin_array(json);
        for (size_t i = 0; i < t->n_libs; i++) {
                const struct named_module *module = &t->stacks->modules[t->modules[i]];
                const char *name = strpool_get(t->texts, t->lib[i].name);
                AUTO_RELEASE(buf) path = {0};

                export_add_text(module->path, &path);
                json_begin_object(json);
                json_key_str(json, "arch", arch ? arch : "");
                json_key_str(json, "name", name);
                json_key_str(json, "path", buf_text(&path));
                json_key_str(json, "debugName", name);
                json_key_str(json, "debugPath", buf_text(&path));
                add_breakpad_id(module, json);
                add_code_id(module, json);
                json_end_object(json);
        }
        json_end_array(json);
}

static const struct firefox_column stack_columns[] = {
        {"frame", FIREFOX_NUMBER, offsetof(struct stack_row, frame)},
        {"prefix", FIREFOX_OR_NULL, offsetof(struct stack_row, prefix)},
        {0},
};

static const struct firefox_column frame_columns[] = {
        {"address", FIREFOX_ADDRESS, offsetof(struct frame_row, address)},
        {"inlineDepth", FIREFOX_NUMBER, offsetof(struct frame_row, depth)},
        {"category", FIREFOX_NUMBER, offsetof(struct frame_row, category)},
        {"subcategory", FIREFOX_ALWAYS_ZERO, 0},
        {"func", FIREFOX_NUMBER, offsetof(struct frame_row, function)},
        {"nativeSymbol", FIREFOX_OR_NULL, offsetof(struct frame_row, native)},
        {"innerWindowID", FIREFOX_ALWAYS_NULL, 0},
        {"line", FIREFOX_POSITION, offsetof(struct frame_row, line)},
        {"column", FIREFOX_POSITION, offsetof(struct frame_row, column)},
        {0},
};

static const struct firefox_column function_columns[] = {
        {"name", FIREFOX_NUMBER, offsetof(struct function_row, name)},
        {"isJS", FIREFOX_ALWAYS_FALSE, 0},
        {"relevantForJS", FIREFOX_ALWAYS_FALSE, 0},
        {"resource", FIREFOX_OR_MINUS, offsetof(struct function_row, resource)},
        {"source", FIREFOX_OR_NULL, offsetof(struct function_row, source)},
        {"lineNumber", FIREFOX_ALWAYS_NULL, 0},
        {"columnNumber", FIREFOX_ALWAYS_NULL, 0},
        {0},
};

static const struct firefox_column resource_columns[] = {
        {"lib", FIREFOX_NUMBER, offsetof(struct resource_row, lib)},
        {"name", FIREFOX_NUMBER, offsetof(struct resource_row, name)},
        {"host", FIREFOX_ALWAYS_NULL, 0},
        {"type", FIREFOX_ALWAYS_ONE, 0}, /* a library */
        {0},
};

static const struct firefox_column native_columns[] = {
        {"libIndex", FIREFOX_NUMBER, offsetof(struct native_row, lib)},
        {"address", FIREFOX_ADDRESS, offsetof(struct native_row, address)},
        {"name", FIREFOX_NUMBER, offsetof(struct native_row, name)},
        {"functionSize", FIREFOX_SIZE, offsetof(struct native_row, size)},
        {0},
};

static const struct firefox_column source_columns[] = {
        {"uuid", FIREFOX_ALWAYS_NULL, 0},
        {"filename", FIREFOX_NUMBER, offsetof(struct source_row, name)},
        {0},
};

void firefox_add_shared(const struct firefox_tables *t, struct json *json)
{
        json_key(json, "shared");
        json_begin_object(json);
        firefox_add_table(json, "stackTable", t->stack, t->n_stacks, sizeof(*t->stack), stack_columns);
        firefox_add_table(json, "frameTable", t->frame, t->n_frames, sizeof(*t->frame), frame_columns);
        firefox_add_table(json, "funcTable", t->function, t->n_functions, sizeof(*t->function),
                          function_columns);
        firefox_add_table(json, "resourceTable", t->lib, t->n_libs, sizeof(*t->lib), resource_columns);
        firefox_add_table(json, "nativeSymbols", t->native, t->n_natives, sizeof(*t->native), native_columns);
        firefox_add_table(json, "sources", t->source, t->n_sources, sizeof(*t->source), source_columns);
        json_key(json, "stringArray");
        json_begin_array(json);
        for (uint32_t i = 0; i < strpool_count(t->texts); i++)
                json_str(json, strpool_get(t->texts, i));
        json_end_array(json);
        json_end_object(json);
}
