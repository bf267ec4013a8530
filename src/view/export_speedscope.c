/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample is a place in the tree where samples ended, its weight their sum.  A function of several trees is one frame. */
#include "export_speedscope.h"

#include <stdlib.h>

#include "arena.h"
#include "json.h"

/* The frames of all trees are the functions of a tree that has nothing else. */
struct frames {
        struct calltree *all;
        uint32_t **numbers; /* of each tree: the frame of each of its functions */
        size_t n;
};

static void list_frames(const struct export_speedscope_profile *profiles, size_t n, struct frames *ret)
{
        *ret = (struct frames){calltree_new(), mem_new(n, sizeof(*ret->numbers)), n};
        for (size_t i = 0; i < n; i++) {
                const struct calltree *tree = profiles[i].tree;
                size_t n_functions = calltree_n_functions(tree);

                ret->numbers[i] = mem_new(n_functions, sizeof(*ret->numbers[i]));
                for (uint32_t k = 0; k < n_functions; k++)
                        ret->numbers[i][k] = calltree_add_function(ret->all, calltree_get_function(tree, k));
        }
}

static void release_frames(struct frames *frames)
{
        for (size_t i = 0; i < frames->n; i++)
                free(frames->numbers[i]);
        free(frames->numbers);
        calltree_free(frames->all);
}

static void add_text(struct json *json, const char *key, const char *text)
{
        AUTO_RELEASE(buf) safe = {0};

        export_add_text(text, &safe);
        json_key_str(json, key, buf_text(&safe));
}

static void add_frame(const struct calltree_function *function, struct json *json)
{
        AUTO_RELEASE(buf) name = {0};

        export_add_name(function, &name);
        if (function->is_inlined)
                buf_add_str(&name, " (inlined)");
        json_begin_object(json);
        json_key_str(json, "name", buf_text(&name));
        if (*function->file) {
                add_text(json, "file", function->file);
                if (function->line)
                        json_key_u64(json, "line", function->line);
        } else if (*function->path) {
                add_text(json, "file", function->path);
        }
        json_end_object(json);
}

static void add_frames(const struct frames *frames, struct json *json)
{
        size_t n = calltree_n_functions(frames->all);

        json_key(json, "shared");
        json_begin_object(json);
        json_key(json, "frames");
        json_begin_array(json);
        for (uint32_t i = 0; i < n; i++)
                add_frame(calltree_get_function(frames->all, i), json);
        json_end_array(json);
        json_end_object(json);
}

static bool has_samples(const struct calltree_node *node)
{
        return node->self_count || node->self_weight;
}

static void add_stack(const uint32_t *path, uint32_t depth, struct json *json)
{
        json_begin_array(json);
        for (uint32_t i = 0; i < depth; i++)
                json_u64(json, path[i]);
        json_end_array(json);
}

static void add_stacks(const struct calltree *tree, const uint32_t *numbers, struct json *json)
{
        uint32_t *path = mem_new(export_depth(tree), sizeof(*path));
        uint32_t at = CALLTREE_ROOT;

        do {
                const struct calltree_node *node = calltree_get_node(tree, at);

                if (at != CALLTREE_ROOT)
                        path[node->depth - 1] = numbers[node->function];
                if (has_samples(node))
                        add_stack(path, node->depth, json);
                at = export_next(tree, at);
        } while (at != CALLTREE_ROOT);
        free(path);
}

static void add_weights(const struct calltree *tree, struct json *json)
{
        uint32_t at = CALLTREE_ROOT;

        do {
                const struct calltree_node *node = calltree_get_node(tree, at);

                if (has_samples(node))
                        json_u64(json, node->self_weight);
                at = export_next(tree, at);
        } while (at != CALLTREE_ROOT);
}

static void add_profile(const struct export_speedscope_profile *profile, const uint32_t *numbers,
                        struct json *json)
{
        json_begin_object(json);
        json_key_str(json, "type", "sampled");
        add_text(json, "name", profile->about->event);
        json_key_str(json, "unit", profile->about->is_time ? "nanoseconds" : "none");
        json_key_u64(json, "startValue", 0);
        json_key_u64(json, "endValue", calltree_get_node(profile->tree, CALLTREE_ROOT)->weight);
        json_key(json, "samples");
        json_begin_array(json);
        add_stacks(profile->tree, numbers, json);
        json_end_array(json);
        json_key(json, "weights");
        json_begin_array(json);
        add_weights(profile->tree, json);
        json_end_array(json);
        json_end_object(json);
}

void export_speedscope(const struct export_speedscope_profile *profiles, size_t n, struct buf *out)
{
        const struct export_about *about = profiles[0].about;
        struct frames frames;
        struct json json;

        list_frames(profiles, n, &frames);
        json_init(&json, out);
        json_begin_object(&json);
        json_key_str(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
        add_text(&json, "name", about->command && *about->command ? about->command : about->event);
        add_text(&json, "exporter", about->tool);
        add_frames(&frames, &json);
        json_key(&json, "profiles");
        json_begin_array(&json);
        for (size_t i = 0; i < n; i++)
                add_profile(&profiles[i], frames.numbers[i], &json);
        json_end_array(&json);
        json_end_object(&json);
        buf_add_char(out, '\n');
        release_frames(&frames);
}
