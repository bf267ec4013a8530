/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up functions, inlined functions and lines of many addresses.  What the debug information does not
 * have comes from the symbol table. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "resolver_internal.h"

struct finder {
        struct resolver *resolver;
        struct symbol_module *module;
        struct resolver_frames *out;
        const uint64_t *addrs;
        size_t n;
        uint64_t slide; /* difference to addresses in the debug information */
};

void resolver_add_frame(struct resolver_frames *frames, size_t i, struct resolver_frame frame)
{
        assert(!frames->spans[i].n || frames->spans[i].first + frames->spans[i].n == frames->n_frames);
        if (!frames->spans[i].n++)
                frames->spans[i].first = frames->n_frames;
        ARRAY_PUSH(frames->frames, frames->n_frames, frames->cap_frames, frame);
}

static struct resolver_frame make_frame(struct finder *f, const struct source_frame *from, bool is_named)
{
        return (struct resolver_frame){
                .function = is_named ? resolver_frame_text(f->resolver, f->module, BUDGET_LINES,
                                                           from->function, true)
                                     : 0,
                .path = resolver_frame_text(f->resolver, f->module, BUDGET_LINES, from->path, false),
                .line = from->line,
                .column = from->column,
                .is_inlined = from->is_inlined,
                .start = is_named && from->start ? from->start + f->slide : 0,
        };
}

static void add_source_frames(struct finder *f, size_t i, const struct answered_frames *found)
{
        size_t n_before = f->out->n_frames, n = answered_count(found, i);

        for (size_t k = 0; k < n; k++) {
                struct source_frame from = answers_get(found, i, k);
                /* After a function with a guessed end, another source may have a name. */
                bool is_named = from.function && !from.is_guessed;
                struct resolver_frame frame;

                if (!is_named && !from.path && !from.is_inlined)
                        continue;
                frame = make_frame(f, &from, is_named);
                /* there was no memory for the name; the symbol table may have one */
                if (is_named && *from.function && !frame.function) {
                        f->out->n_frames = n_before;
                        f->out->spans[i].n = 0;
                        return;
                }
                resolver_add_frame(f->out, i, frame);
        }
}

/* The debug information may have a line but no function, or neither. */
static void complete(struct finder *f, size_t i)
{
        size_t n = f->out->spans[i].n;
        struct resolver_frame *last = n ? &f->out->frames[f->out->spans[i].first + n - 1] : NULL;
        struct symbol symbol;

        if (last && last->function)
                return;
        symbol = resolver_find_in(f->resolver, f->module, f->addrs[i]);
        if (symbol.status != SYMBOL_NAMED)
                return;
        if (!last) {
                resolver_add_frame(f->out, i,
                                   (struct resolver_frame){.function = symbol.name, .start = symbol.start});
                return;
        }
        last->function = symbol.name;
        last->start = symbol.start;
}

static bool reserve(struct finder *f, size_t n)
{
        struct resolver_frames *out = f->out;

        out->budget = &f->module->budget;
        out->taken_bytes = n * sizeof(*out->frames);
        if (!budget_take(out->budget, BUDGET_LINES, out->taken_bytes)) {
                out->taken_bytes = 0;
                return false;
        }
        out->cap_frames = n;
        out->frames = mem_resize(NULL, n, sizeof(*out->frames));
        return true;
}

static void add_found(struct finder *f, struct answered_frames *found)
{
        size_t n_frames = 0;

        for (size_t i = 0; i < f->n; i++)
                n_frames += answered_count(found, i);
        if (reserve(f, n_frames + f->n)) {
                for (size_t i = 0; i < f->n; i++)
                        add_source_frames(f, i, found);
        }
        answers_frames_release(found);
}

void resolver_add_answers(struct resolver *resolver, struct symbol_module *module,
                          struct answered_frames *found, size_t n, struct resolver_frames *ret)
{
        struct finder f = {.resolver = resolver, .module = module, .out = ret, .n = n};

        add_found(&f, found);
}

static void find_in_debug(struct finder *f, struct resolver_debug *debug)
{
        struct answered_frames found = {0};
        uint64_t *linked = f->slide ? mem_new(f->n, sizeof(*linked)) : NULL;

        for (size_t i = 0; linked && i < f->n; i++)
                linked[i] = f->addrs[i] - f->slide;
        resolver_debug_find(debug, linked ? linked : f->addrs, f->n, &found);
        free(linked);
        add_found(f, &found);
}

/* --- Interface --- */

struct resolver_image_file resolver_get_image_file(struct resolver *resolver, struct symbol_module *module,
                                                   uint64_t addr)
{
        return module->source->get_image ? module->source->get_image(resolver, module, addr)
                                         : (struct resolver_image_file){0};
}

static void find_frames(struct finder *f)
{
        struct resolver_image_file image = {0};

        for (size_t i = 0; i < f->n && !image.debug && !budget_has_left_out(&f->module->budget, BUDGET_LINES);
             i++)
                image = resolver_get_image_file(f->resolver, f->module, f->addrs[i]);
        f->slide = image.slide;
        if (image.debug)
                find_in_debug(f, image.debug);
        for (size_t i = 0; i < f->n; i++)
                complete(f, i);
}

void resolver_find_frames(struct resolver *resolver, resolver_id id, const uint64_t *addrs, size_t n,
                          struct resolver_frames *ret)
{
        struct symbol_module *module = resolver_load(resolver, id);
        struct finder f = {resolver, module, ret, addrs, n};

        *ret = (struct resolver_frames){.spans = mem_new(n, sizeof(*ret->spans))};
        if (module->source->find_frames)
                module->source->find_frames(resolver, module, addrs, n, ret);
        else
                find_frames(&f);
}

void resolver_frames_release(struct resolver_frames *frames)
{
        budget_give(frames->budget, frames->taken_bytes);
        free(frames->frames);
        free(frames->spans);
        *frames = (struct resolver_frames){0};
}
