/* SPDX-License-Identifier: BSD-3-Clause */
/* The sources of names of JIT code: a perf map with the jitdump of the process, and a jitdump alone. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "resolver_code.h"
#include "resolver_internal.h"
#include "search.h"
#include "text.h"

enum {
        ELF_X86_64 = 62, /* e_machine */
        ELF_AARCH64 = 183,
};

/* --- Opening --- */

/* Reads a jitdump for a session without usable times: it is not known which code was at an address at which
 * time. */
static void load_jitdump(struct symbol_module *module)
{
        const char *path =
                module->is.jitdump_open_path ? module->is.jitdump_open_path : module->is.jitdump_path;
        const char *name = text_base_name(module->is.jitdump_path);
        AUTO_RELEASE(buf) note = {0};

        module->own_jitdump = module->jitdump = jitdump_new(path, &module->is.origin, &module->budget, &note);
        budget_allow_work(&module->budget, BUDGET_WORK_UNWIND,
                          jitdump_get_facts(module->jitdump)->file_bytes);
        if (jitdump_get_facts(module->jitdump)->has_replaced)
                buf_printf(
                        &module->doubt,
                        "code of %s was replaced while it ran: the names are those of the latest code and may be wrong",
                        name);
        if (note.len)
                buf_printf(&module->note, "%s: %s", name, buf_text(&note));
}

/* If there is a jitdump, a missing perf map is not an error. */
static bool open_perfmap(struct resolver *resolver, struct symbol_module *module)
{
        AUTO_RELEASE(buf) unsaid = {0};
        bool has_jitdump = module->is.jitdump_path || module->is.jit_note;

        if (module->is.jitdump_path)
                load_jitdump(module);
        if (module->is.jit_note)
                buf_add_str(&module->note, module->is.jit_note);
        module->perfmap =
                perfmap_new(module->is.open_path ? module->is.open_path : module->is.path, &module->is.origin,
                            &module->budget, has_jitdump ? &unsaid : &module->note);
        return true;
}

static bool open_jitdump(struct resolver *resolver, struct symbol_module *module)
{
        module->jitdump = module->is.jitdump;
        buf_add_str(&module->note, module->is.jit_note ? module->is.jit_note : "");
        return true;
}

static void close_jit(struct symbol_module *module)
{
        perfmap_free(module->perfmap);
        jitdump_free(module->own_jitdump);
        free(module->jit_rows.items);
}

/* --- Functions --- */

/* The function of the jitdump at an address in the object, and the address's offset in the file. */
static bool find_load(const struct symbol_module *module, uint64_t addr, struct jitdump_hit *ret_hit,
                      uint64_t *ret_off)
{
        *ret_off = addr;
        if (!module->perfmap)
                return jitdump_find_off(module->jitdump, addr, ret_hit);
        if (!jitdump_find(module->jitdump, addr, CODE_HISTORY_LATEST, ret_hit))
                return false;
        *ret_off = ret_hit->load->code_off + (addr - ret_hit->load->addr);
        return true;
}

static bool find_in_jitdump(const struct symbol_module *module, uint64_t addr, struct symtab_hit *ret_hit)
{
        struct jitdump_hit hit;
        uint64_t off;
        bool is_found = find_load(module, addr, &hit, &off);

        if (is_found)
                *ret_hit = (struct symtab_hit){
                        .index = hit.index,
                        .start = addr - (off - hit.load->code_off),
                        .end = addr - (off - hit.load->code_off) + hit.load->size_bytes,
                        .name = hit.load->name,
                        .name_max = hit.load->name_len,
                        .text = hit.text,
                };
        ret_hit->same_from = hit.same_from;
        ret_hit->same_to = hit.same_to;
        return is_found;
}

static enum symbol_status find_only_in_jitdump(struct symbol_module *module, uint64_t addr,
                                               struct symtab_hit *ret_hit, const char **ret_container)
{
        return find_in_jitdump(module, addr, ret_hit) ? SYMBOL_NAMED : SYMBOL_NONE;
}

/* Functions that are not in the jitdump may be in the perf map, up to the next function of the jitdump. */
static enum symbol_status find_hit(struct symbol_module *module, uint64_t addr, struct symtab_hit *ret_hit,
                                   const char **ret_container)
{
        uint64_t from = 0, to = UINT64_MAX;
        bool is_shared;

        if (module->jitdump) {
                if (find_in_jitdump(module, addr, ret_hit)) {
                        *ret_container = text_base_name(module->is.jitdump_path);
                        return SYMBOL_NAMED;
                }
                from = ret_hit->same_from;
                to = ret_hit->same_to;
        }
        if (!perfmap_find(module->perfmap, addr, ret_hit, &is_shared)) {
                ret_hit->same_from = ret_hit->same_to = addr;
                return SYMBOL_NONE;
        }
        module->is_in_doubt |= is_shared;
        if (ret_hit->same_from < from)
                ret_hit->same_from = from;
        if (ret_hit->same_to > to)
                ret_hit->same_to = to;
        return SYMBOL_NAMED;
}

/* --- Lines --- */

/* V8 and LLVM count from the beginning of the ELF file that perf inject makes of the code. */
enum { ELF_HEADER_BYTES = 64 };

/* Sorts by address; rows of one address stay in the order of the file. */
static int compare_rows(const void *a, const void *b)
{
        const struct jit_row *x = a, *y = b;

        if (x->addr != y->addr)
                return x->addr < y->addr ? -1 : 1;
        return x->number < y->number ? -1 : x->number > y->number;
}

static void read_rows(const struct jitdump *dump, const struct jitdump_load *load, struct jit_rows *rows)
{
        uint64_t first = UINT64_MAX, base;
        const char *file = NULL;
        size_t file_len = 0;
        struct jitdump_lines lines;
        struct jitdump_line line;

        rows->n = 0;
        jitdump_lines_begin(dump, load, &lines);
        while (jitdump_lines_next(&lines, &line)) {
                first = line.addr < first ? line.addr : first;
                if (line.file != file) {
                        file = line.file;
                        file_len = strlen(file);
                }
                ARRAY_PUSH(rows->items, rows->n, rows->cap,
                           (struct jit_row){line.addr, file, file_len, line.line, rows->n});
        }
        base = first >= load->addr + ELF_HEADER_BYTES ? ELF_HEADER_BYTES : 0;
        for (size_t i = 0; i < rows->n; i++)
                rows->items[i].addr -= base;
        if (rows->n)
                qsort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
}

/* The rows of the last load are kept, because lookups are sorted by address. */
static const struct jit_rows *rows_of(struct symbol_module *module, size_t load)
{
        struct jit_rows *rows = &module->jit_rows;

        if (!rows->is_read || rows->load != load) {
                read_rows(module->jitdump, jitdump_get_load(module->jitdump, load), rows);
                rows->load = load;
                rows->is_read = true;
        }
        return rows;
}

static void add_line(struct resolver *resolver, struct symbol_module *module, size_t load, uint64_t addr,
                     struct resolver_frame *frame)
{
        const struct jit_rows *rows = rows_of(module, load);
        size_t low = 0, high = rows->n;
        const struct jit_row *row;

        SEARCH_FIRST(low, high, mid, rows->items[mid].addr <= addr);
        if (!low)
                return;
        row = &rows->items[low - 1];
        frame->path = strpool_add_len(resolver->texts, row->file, row->file_len);
        frame->line = row->line;
}

static void find_frames(struct resolver *resolver, struct symbol_module *module, const uint64_t *addrs,
                        size_t n, struct resolver_frames *ret)
{
        for (size_t i = 0; i < n; i++) {
                struct symbol symbol = resolver_find_in(resolver, module, addrs[i]);
                struct resolver_frame frame = {.function = symbol.name, .start = symbol.start};
                struct jitdump_hit hit;
                uint64_t off;

                if (symbol.status != SYMBOL_NAMED)
                        continue;
                if (module->jitdump && find_load(module, addrs[i], &hit, &off))
                        add_line(resolver, module, hit.index, hit.load->addr + (off - hit.load->code_off),
                                 &frame);
                resolver_add_frame(ret, i, frame);
        }
}

/* --- Code --- */

static bool read_code(struct resolver *resolver, struct symbol_module *module, uint64_t addr, uint64_t size,
                      const uint8_t **ret_code)
{
        struct jitdump_hit hit;
        uint64_t off;

        return module->jitdump && find_load(module, addr, &hit, &off) &&
               jitdump_read_code(module->jitdump, off, size, ret_code);
}

static enum object_machine get_machine(const struct symbol_module *module, uint64_t addr)
{
        switch (module->jitdump ? jitdump_get_facts(module->jitdump)->machine : 0) {
        case ELF_X86_64: return OBJECT_MACHINE_X86_64;
        case ELF_AARCH64: return OBJECT_MACHINE_ARM64;
        default: return OBJECT_MACHINE_OTHER;
        }
}

bool resolver_find_jit_frames(struct resolver *resolver, resolver_id id, uint64_t offset, uint64_t addr,
                              struct resolver_jit_frames *ret)
{
        const struct symbol_module *module = resolver_load(resolver, id);
        struct jitdump_load at;
        struct jitdump_hit hit;
        uint64_t off;

        if (!module->jitdump || !find_load(module, offset, &hit, &off))
                return false;
        at = *hit.load;
        at.addr = addr - (off - at.code_off);
        ret->start = at.addr;
        ret->end = at.addr + at.size_bytes;
        ret->budget = jitdump_budget(module->jitdump);
        return jitdump_get_frames(module->jitdump, &at, &ret->frames, &ret->frames_addr);
}

/* --- Sources --- */

const struct symbol_source symbol_source_perfmap = {
        .open = open_perfmap,
        .close = close_jit,
        .find_hit = find_hit,
        .find_frames = find_frames,
        .read_code = read_code,
        .get_machine = get_machine,
};

const struct symbol_source symbol_source_jitdump = {
        .open = open_jitdump,
        .close = close_jit,
        .find_hit = find_only_in_jitdump,
        .find_frames = find_frames,
        .read_code = read_code,
        .get_machine = get_machine,
};
