/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up functions, inlined functions and lines of many addresses.  What the debug information does not
 * have comes from the symbol table; for JIT code everything comes from its jitdump. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "resolver_archive.h"
#include "resolver_internal.h"
#include "resolver_jit.h"

struct finder {
        struct resolver *resolver;
        struct symbol_module *module;
        resolver_id id;
        struct resolver_frames *out;
        const uint64_t *addrs;
        size_t n;
        uint64_t slide; /* difference to addresses in the debug information */
};

static void add_frame(struct finder *f, size_t i, struct resolver_frame frame)
{
        struct resolver_frames *out = f->out;

        if (!out->spans[i].n++)
                out->spans[i].first = out->n_frames;
        ARRAY_PUSH(out->frames, out->n_frames, out->cap_frames, frame);
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
                add_frame(f, i, frame);
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
                add_frame(f, i, (struct resolver_frame){.function = symbol.name, .start = symbol.start});
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

static void add_jit_frame(struct finder *f, size_t i)
{
        struct symbol symbol = resolver_find_in(f->resolver, f->module, f->addrs[i]);
        struct resolver_frame frame = {.function = symbol.name, .start = symbol.start};
        struct jitdump_hit hit;
        uint64_t off;

        if (symbol.status != SYMBOL_NAMED)
                return;
        if (resolver_find_jit(f->module, f->addrs[i], &hit, &off))
                resolver_jit_add_line(f->resolver, f->module, hit.index,
                                      hit.load->addr + (off - hit.load->code_off), &frame);
        add_frame(f, i, frame);
}

/* --- Interface --- */

struct resolver_image_file resolver_image_file(struct resolver *resolver, struct symbol_module *module,
                                               uint64_t addr)
{
        if (module->file)
                return (struct resolver_image_file){
                        .object = resolver_file_object(module->file),
                        .debug = resolver_file_debug(module->file, &module->is, &module->note)};
        if (!module->kallsyms)
                return (struct resolver_image_file){0};
        if (!module->vmlinux)
                module->vmlinux = resolver_vmlinux_new(&module->is, &resolver->options, &module->note);
        if (!resolver_vmlinux_place(module->vmlinux, module->kallsyms, addr))
                return (struct resolver_image_file){0};
        return (struct resolver_image_file){resolver_vmlinux_object(module->vmlinux),
                                            resolver_vmlinux_debug(module->vmlinux),
                                            resolver_vmlinux_slide(module->vmlinux)};
}

void resolver_find_frames(struct resolver *resolver, resolver_id id, const uint64_t *addrs, size_t n,
                          struct resolver_frames *ret)
{
        struct symbol_module *module = resolver_load(resolver, id);
        struct finder f = {resolver, module, id, ret, addrs, n};
        struct resolver_image_file image = {0};

        *ret = (struct resolver_frames){.spans = mem_new(n, sizeof(*ret->spans))};
        if (module->is.archived) {
                struct answered_frames found;

                resolver_archive_find_frames(module, addrs, n, &found);
                add_found(&f, &found);
                return;
        }
        if (module->python) {
                resolver_python_find_frames(resolver, module, addrs, n, ret);
                return;
        }
        for (size_t i = 0; i < n && !image.debug && !budget_has_left_out(&module->budget, BUDGET_LINES); i++)
                image = resolver_image_file(resolver, module, addrs[i]);
        f.slide = image.slide;
        if (image.debug)
                find_in_debug(&f, image.debug);
        for (size_t i = 0; i < n; i++) {
                if (module->jitdump)
                        add_jit_frame(&f, i);
                else
                        complete(&f, i);
        }
}

void resolver_frames_release(struct resolver_frames *frames)
{
        budget_give(frames->budget, frames->taken_bytes);
        free(frames->frames);
        free(frames->spans);
        *frames = (struct resolver_frames){0};
}
