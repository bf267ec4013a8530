/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses in bulk to functions, inlined functions and lines: what the debug information does not have comes from
 * the symbol table, and for code made at run time from its jitdump. */
#include <stdlib.h>
#include <string.h>

#include "resolver_internal.h"
#include "text.h"

struct finder {
        struct resolver *resolver;
        struct module *module;
        resolver_id id;
        struct resolver_frames *out;
        const uint64_t *addrs;
        size_t n;
};

str_id resolver_frame_text(struct resolver *resolver, struct module *module, const char *text,
                           bool is_function)
{
        AUTO_RELEASE(buf) readable = {0};
        uint64_t *id;

        if (!text || !*text)
                return 0;
        /* The same place is the same text. */
        id = map_put(&module->frame_texts, (uint64_t)(uintptr_t)text, NULL);
        if (*id)
                return (str_id)*id;
        if (is_function)
                resolver_add_readable(resolver, text, &readable);
        else
                buf_add_str(&readable, text);
        *id = strpool_add_len(resolver->texts, buf_text(&readable), readable.len);
        return (str_id)*id;
}

static void add_frame(struct finder *f, size_t i, struct resolver_frame frame)
{
        struct resolver_frames *out = f->out;

        if (!out->spans[i].n++)
                out->spans[i].first = out->n_frames;
        ARRAY_PUSH(out->frames, out->n_frames, out->cap_frames, frame);
}

static void add_dwarf_frames(struct finder *f, size_t i, const struct dwarf_frames *found)
{
        const struct dwarf_span *span = &found->spans[i];

        for (size_t k = 0; k < span->n; k++) {
                const struct dwarf_frame *from = &found->frames[span->first + k];

                add_frame(
                        f, i,
                        (struct resolver_frame){
                                .function = resolver_frame_text(f->resolver, f->module, from->function, true),
                                .path = resolver_frame_text(f->resolver, f->module, from->path, false),
                                .line = from->line,
                                .column = from->column,
                                .is_inlined = from->is_inlined,
                                .start = from->start,
                        });
        }
}

/* The debug information may know a line and no function, or nothing. */
static void complete(struct finder *f, size_t i)
{
        size_t n = f->out->spans[i].n;
        struct resolver_frame *last = n ? &f->out->frames[f->out->spans[i].first + n - 1] : NULL;
        struct symbol symbol;

        if (last && last->function)
                return;
        symbol = resolver_find_addr(f->resolver, f->id, f->addrs[i]);
        if (symbol.status != SYMBOL_NAMED)
                return;
        if (!last) {
                add_frame(f, i, (struct resolver_frame){.function = symbol.name, .start = symbol.start});
                return;
        }
        last->function = symbol.name;
        last->start = symbol.start;
}

static void find_in_debug(struct finder *f, struct resolver_debug *debug)
{
        struct dwarf_frames found = {0};

        resolver_debug_find(debug, f->addrs, f->n, &found);
        for (size_t i = 0; i < f->n; i++)
                add_dwarf_frames(f, i, &found);
        dwarf_frames_release(&found);
}

/* --- code made at run time --- */

/* V8 and LLVM count from the beginning of the ELF file that perf inject would make of the code. */
enum { ELF_HEADER_BYTES = 64 };

static uint64_t lines_base(const struct jitdump *dump, const struct jitdump_load *load)
{
        struct jitdump_lines lines;
        struct jitdump_line line;
        uint64_t first = UINT64_MAX;

        jitdump_lines_begin(dump, load, &lines);
        while (jitdump_lines_next(&lines, &line))
                first = line.addr < first ? line.addr : first;
        return first >= load->addr + ELF_HEADER_BYTES ? ELF_HEADER_BYTES : 0;
}

static void find_jit_line(struct finder *f, const struct jitdump_load *load, uint64_t addr,
                          struct resolver_frame *frame)
{
        const struct jitdump *dump = f->module->jitdump;
        uint64_t base = lines_base(dump, load), best = 0;
        struct jitdump_lines lines;
        struct jitdump_line line;

        jitdump_lines_begin(dump, load, &lines);
        while (jitdump_lines_next(&lines, &line)) {
                if (line.addr - base > addr || line.addr - base < best)
                        continue;
                best = line.addr - base;
                frame->path = *line.file ? strpool_add(f->resolver->texts, line.file) : 0;
                frame->line = line.line;
        }
}

static void add_jit_frame(struct finder *f, size_t i)
{
        const struct jitdump *dump = f->module->jitdump;
        struct symbol symbol = resolver_find_addr(f->resolver, f->id, f->addrs[i]);
        struct resolver_frame frame = {.function = symbol.name, .start = symbol.start};
        struct symtab_hit hit;

        if (symbol.status != SYMBOL_NAMED)
                return;
        if (jitdump_find(dump, f->addrs[i], CODE_HISTORY_LATEST, &hit))
                find_jit_line(f, jitdump_get_load(dump, hit.index), f->addrs[i], &frame);
        add_frame(f, i, frame);
}

/* --- the face --- */

struct resolver_debug *resolver_debug_of(struct module *module)
{
        return module->file ? resolver_file_debug(module->file, &module->is, &module->note) : NULL;
}

void resolver_find_frames(struct resolver *resolver, resolver_id id, const uint64_t *addrs, size_t n,
                          struct resolver_frames *ret)
{
        struct module *module = resolver_load(resolver, id);
        struct finder f = {resolver, module, id, ret, addrs, n};
        struct resolver_debug *debug = resolver_debug_of(module);

        *ret = (struct resolver_frames){.spans = mem_new(n, sizeof(*ret->spans))};
        if (debug)
                find_in_debug(&f, debug);
        for (size_t i = 0; i < n; i++) {
                if (module->jitdump)
                        add_jit_frame(&f, i);
                else
                        complete(&f, i);
        }
}

void resolver_frames_release(struct resolver_frames *frames)
{
        free(frames->frames);
        free(frames->spans);
        *frames = (struct resolver_frames){0};
}
