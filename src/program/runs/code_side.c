/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_side.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "object.h"
#include "resolver_facts.h"
#include "text.h"

/* --- An object file --- */

static void add_module(struct code_side *side, const char *path, struct code_image *image)
{
        const struct code_side_module module = {.path = path, .image = image, .pair = SIZE_MAX};

        ARRAY_PUSH(side->modules, side->n_modules, side->cap_modules, module);
}

/* A file without functions may be damaged: its symbol table may lie behind its end. */
static bool check_sections(struct object *object, struct err *err)
{
        for (size_t i = 0; i < object_n_sections(object); i++) {
                const struct object_section *section = object_get_section(object, i);
                struct cursor bytes;

                if (section->file_size && !object_read_section(object, section, &bytes, err))
                        return false;
        }
        return true;
}

static bool open_object(struct code_side *side, const struct resolver_sources *sources, struct err *err)
{
        const struct resolver_options options = {.sources = sources};
        const struct resolver_module module = {.kind = RESOLVER_FILE, .path = side->path};
        AUTO(object) whole = object_open(side->path, err);
        resolver_id id;

        if (!whole)
                return false;
        side->resolver = side->own = resolver_new(&options);
        id = resolver_add_module(side->resolver, &module);
        if (!resolver_get_facts(side->resolver, id)->object)
                return err_set(err, ERR_IO, "%s: can't be read", side->path);
        add_module(side, side->path, code_image_new(side->resolver, id));
        code_image_finish(side->modules[0].image);
        if (!code_image_n_functions(side->modules[0].image) && code_image_n_left_out(side->modules[0].image))
                return err_set(err, ERR_LIMIT,
                               "%s: each of its functions is larger than %d MiB, the limit of a comparison",
                               side->path, CODE_MAX_FUNCTION_BYTES >> 20);
        if (!code_image_n_functions(side->modules[0].image))
                return check_sections(whole, err) &&
                       err_set(err, ERR_MISSING,
                               "%s: has neither symbols of functions nor unwind tables, so its functions are not known",
                               side->path);
        return resolver_check(side->resolver, id, err);
}

/* --- A session --- */

/* The event with samples that comes first. */
static uint32_t find_event(const struct report *report)
{
        for (uint32_t e = 0; e < report->n_events; e++) {
                if (report->events[e].n_samples)
                        return e;
        }
        return 0;
}

static void note_event(struct code_side *side, uint32_t event)
{
        size_t n = 0;

        for (uint32_t e = 0; e < side->report->n_events; e++)
                n += side->report->events[e].n_samples > 0;
        if (n > 1)
                buf_printf(&side->note, "%s: shares are of the samples of %s, the first event\n", side->path,
                           side->report->events[event].name);
}

static void add_samples(struct code_side *side, uint32_t event)
{
        const struct hot *hot = side->report->hot;
        const struct world *world = side->report->session.world;
        struct map index_of = {0};

        for (size_t i = 0; i < hot_n_pcs(hot); i++) {
                const struct hot_pc *pc = hot_get_pc(hot, i);
                uint64_t *index;
                bool is_new;

                if (pc->event != event)
                        continue;
                side->weight += pc->weight;
                if (pc->module == MODULE_NONE)
                        continue;
                index = map_put(&index_of, pc->module, &is_new);
                if (is_new) {
                        *index = side->n_modules;
                        add_module(side, world_text(world, world_get_module(world, pc->module)->path),
                                   code_image_new(side->resolver,
                                                  report_session_module(&side->report->session, pc->module)));
                        side->modules[*index].built_ns =
                                module_source_built_ns(side->report->session.modules, pc->module);
                }
                code_image_add_sample(side->modules[*index].image, pc->addr, pc->count, pc->weight);
                side->modules[*index].weight += pc->weight;
        }
        map_release(&index_of);
}

static int compare_modules(const void *a, const void *b)
{
        const struct code_side_module *x = a, *y = b;

        if (x->weight != y->weight)
                return x->weight > y->weight ? -1 : 1;
        return strcmp(x->path, y->path);
}

static bool open_session(struct code_side *side, const struct profile_filter *filter,
                         const struct resolver_sources *sources, struct err *err)
{
        struct report_request request = {
                .path = side->path,
                .keys = PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL,
                .no_demangle = true, /* names as in the files */
                .sources = sources,
        };
        uint32_t event;

        if (filter)
                request.filter = *filter;
        side->report = report_make(&request, err);
        if (!side->report)
                return false;
        side->resolver = report_session_resolver(&side->report->session);
        buf_add_str(&side->note, buf_text(&side->report->session.archive.note));
        if (side->note.len && side->note.data[side->note.len - 1] != '\n')
                buf_add_char(&side->note, '\n');
        event = find_event(side->report);
        note_event(side, event);
        add_samples(side, event);
        if (!side->n_modules)
                return err_set(err, ERR_MISSING, "%s: the session has no samples in code of a module",
                               side->path);
        qsort(side->modules, side->n_modules, sizeof(*side->modules), compare_modules);
        for (size_t i = 0; i < side->n_modules; i++)
                code_image_finish(side->modules[i].image);
        return true;
}

/* --- Both --- */

bool code_side_open(struct code_side *ret, const char *path, const struct profile_filter *filter,
                    const struct resolver_sources *sources, struct err *err)
{
        *ret = (struct code_side){.path = path};
        return strcmp(path, "-") != 0 && object_is_file(path) ? open_object(ret, sources, err)
                                                              : open_session(ret, filter, sources, err);
}

void code_side_release(struct code_side *side)
{
        for (size_t i = 0; i < side->n_modules; i++)
                code_image_free(side->modules[i].image);
        free(side->modules);
        report_free(side->report);
        resolver_free(side->own);
        buf_release(&side->note);
        *side = (struct code_side){0};
}

/* --- Pairs --- */

static bool is_same_path(const char *a, const char *b)
{
        return !strcmp(a, b);
}

static bool has_same_name(const char *a, const char *b)
{
        return !strcmp(text_base_name(a), text_base_name(b));
}

static void pair_by(struct code_side *a, struct code_side *b, bool (*is_same)(const char *a, const char *b))
{
        for (size_t i = 0; i < a->n_modules; i++) {
                for (size_t k = 0; k < b->n_modules && a->modules[i].pair == SIZE_MAX; k++) {
                        if (b->modules[k].pair != SIZE_MAX ||
                            !is_same(a->modules[i].path, b->modules[k].path))
                                continue;
                        a->modules[i].pair = k;
                        b->modules[k].pair = i;
                }
        }
}

static size_t first_free(const struct code_side *side)
{
        for (size_t i = 0; i < side->n_modules; i++) {
                if (side->modules[i].pair == SIZE_MAX && code_image_n_functions(side->modules[i].image))
                        return i;
        }
        return SIZE_MAX;
}

void code_side_pair(struct code_side *a, struct code_side *b)
{
        size_t i, k;

        pair_by(a, b, is_same_path);
        pair_by(a, b, has_same_name);
        i = first_free(a);
        k = first_free(b);
        if (i == SIZE_MAX || k == SIZE_MAX)
                return;
        a->modules[i].pair = k;
        b->modules[k].pair = i;
        if (!has_same_name(a->modules[i].path, b->modules[k].path) && (a->report || b->report))
                buf_printf(&a->note, "%s of %s is compared with %s of %s\n",
                           text_base_name(a->modules[i].path), text_base_name(a->path),
                           text_base_name(b->modules[k].path), text_base_name(b->path));
}
