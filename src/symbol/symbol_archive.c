/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the answers of an archive.  The content of the section, all numbers in LEB128, "+" differences from the one before:
 *
 *     origin   flags u8 (1: unfinished), cut bytes
 *     texts    n, each with a NUL; text 0 is ""
 *     modules  n, each:
 *       identity   kind, path, pid, build id (length u8, bytes), dev, inode, start, end
 *       facts      flags u8 (1: has an image, 2: is executable, 4: names are to be made readable), entry, load
 *                  address, build id, machine u8, time of the file, note of names and of lines (0: none, i: text i - 1)
 *       sections   n: name, address, size
 *       spans      n: gap, length - 1, distance from offset to address
 *       symbols    n: status, name, module, +start, size; runs of addresses
 *       frames     n: function, path, +line, column * 2 + inlined, +start
 *       stacks     n: number of frames, +frame; runs of addresses
 *       functions  n: extents (n: +start, +end), labels (n: name, path, +line, has address u8, address); runs
 *       code       n: address, size, bytes
 *     runs     n: gap, length - 1, answer
 *
 * Nothing of it is trusted: every number is checked against what it counts or names. */
#include "symbol_archive.h"

#include <stdlib.h>
#include <string.h>

#include "symbol_archive_internal.h"

const struct archive_section_kind symbol_archive_kind = {"WPSY", SYMBOL_ARCHIVE_VERSION};

struct symbol_archive {
        struct buf unpacked;
        struct archive_origin origin;
        const char **texts; /* text i at i - 1 */
        size_t n_texts;
        struct archived_module *modules;
        size_t n_modules;
};

/* Numbers that name something out of a list are checked at once, so that nothing has to be checked later. */
struct reader {
        struct cursor c;
        const struct symbol_archive *archive;
        uint64_t memory; /* that it may still take */
};

void archived_module_release(struct archived_module *m)
{
        free(m->sections);
        free(m->spans);
        free(m->symbols);
        free(m->symbol_runs);
        free(m->frames);
        free(m->stack_frames);
        free(m->stacks);
        free(m->frame_runs);
        free(m->extents);
        free(m->labels);
        free(m->functions);
        free(m->members);
        free(m->codes);
        *m = (struct archived_module){0};
}

void symbol_archive_free(struct symbol_archive *archive)
{
        if (!archive)
                return;
        for (size_t i = 0; i < archive->n_modules; i++)
                archived_module_release(&archive->modules[i]);
        free(archive->modules);
        free(archive->texts);
        buf_release(&archive->unpacked);
        free(archive);
}

/* --- Numbers -------------------------------------------------------------------------------------- */

/* Below `end`. */
static uint32_t read_below(struct reader *r, uint64_t end)
{
        uint64_t value = cursor_uleb(&r->c);

        if (!r->c.failed && value < end && value <= UINT32_MAX)
                return (uint32_t)value;
        cursor_fail(&r->c);
        return 0;
}

static uint32_t read_u32(struct reader *r)
{
        return read_below(r, (uint64_t)UINT32_MAX + 1);
}

static uint32_t read_text(struct reader *r)
{
        return read_below(r, (uint64_t)r->archive->n_texts + 1);
}

static const char *read_optional_text(struct reader *r)
{
        uint32_t text = read_below(r, (uint64_t)r->archive->n_texts + 2);
        const char *found = text > 1 ? symbol_archive_text(r->archive, text - 1) : NULL;

        return text == 1 ? "" : found;
}

static uint64_t read_difference(struct reader *r, uint64_t *before)
{
        *before += (uint64_t)cursor_sleb(&r->c);
        return *before;
}

static uint32_t read_difference_u32(struct reader *r, uint64_t *before)
{
        uint64_t value = read_difference(r, before);

        if (value > UINT32_MAX)
                cursor_fail(&r->c);
        return (uint32_t)value;
}

static const uint8_t *read_build_id(struct reader *r, uint8_t *ret_size)
{
        const uint8_t *id;

        *ret_size = cursor_u8(&r->c);
        if (*ret_size > OBJECT_BUILD_ID_BYTES)
                cursor_fail(&r->c);
        id = cursor_bytes(&r->c, *ret_size);
        if (!id)
                *ret_size = 0;
        return id;
}

/* The next stretch of numbers behind *next, which is 0 again behind the last number of all. */
static bool read_stretch(struct reader *r, uint64_t *next, bool *is_full, uint64_t *ret_first,
                         uint64_t *ret_last)
{
        uint64_t gap = cursor_uleb(&r->c), length = cursor_uleb(&r->c);

        if (*is_full || gap > UINT64_MAX - *next || length > UINT64_MAX - *next - gap)
                return cursor_fail(&r->c);
        *ret_first = *next + gap;
        *ret_last = *ret_first + length;
        *next = *ret_last + 1;
        *is_full = !*next;
        return true;
}

/* --- Parts of a module ---------------------------------------------------------------------------- */

/* Allocates what is known to be there; false after a failure. */
#define READ_LIST(r, list, n, least)                                                                         \
        (n = archive_read_count(&(r)->c, (least), sizeof(*(list)), &(r)->memory),                            \
         list = mem_new(n, sizeof(*(list))), !(r)->c.failed)

/* The same of what is added to a growing list, of which as much again may be free. */
#define READ_MORE(r, list, least) archive_read_count(&(r)->c, (least), 2 * sizeof(*(list)), &(r)->memory)

static void read_runs(struct reader *r, struct archived_run **runs, size_t *n_runs, size_t n_answers)
{
        uint64_t next = 0;
        bool is_full = false;

        if (!READ_LIST(r, *runs, *n_runs, 3))
                return;
        for (size_t i = 0; i < *n_runs && !r->c.failed; i++) {
                struct archived_run *run = &(*runs)[i];

                read_stretch(r, &next, &is_full, &run->first, &run->last);
                run->answer = read_below(r, n_answers);
        }
}

static void read_identity(struct reader *r, struct archive_identity *identity)
{
        int64_t pid;
        uint32_t path;

        identity->kind = read_u32(r);
        path = read_text(r);
        identity->path = path ? symbol_archive_text(r->archive, path) : "";
        pid = cursor_sleb(&r->c);
        identity->pid = (int32_t)pid;
        if (pid != identity->pid)
                cursor_fail(&r->c);
        identity->build_id = read_build_id(r, &identity->build_id_size);
        identity->dev = cursor_uleb(&r->c);
        identity->inode = cursor_uleb(&r->c);
        identity->start = cursor_uleb(&r->c);
        identity->end = cursor_uleb(&r->c);
}

static void read_facts(struct reader *r, struct archive_facts *facts)
{
        uint8_t flags = cursor_u8(&r->c), machine, size;
        const uint8_t *id;

        facts->has_image = flags & 1;
        facts->image.is_executable = flags & 2;
        facts->has_readable_names = flags & 4;
        facts->image.entry = cursor_uleb(&r->c);
        facts->image.load_addr = cursor_uleb(&r->c);
        id = read_build_id(r, &size);
        if (id && size <= sizeof(facts->image.build_id)) {
                memcpy(facts->image.build_id, id, size);
                facts->image.build_id_size = size;
        }
        machine = cursor_u8(&r->c);
        facts->machine = machine <= OBJECT_MACHINE_ARM64 ? machine : OBJECT_MACHINE_OTHER;
        facts->built_ns = cursor_sleb(&r->c);
        facts->name_note = read_optional_text(r);
        facts->line_note = read_optional_text(r);
}

static void read_sections(struct reader *r, struct archived_module *m)
{
        if (!READ_LIST(r, m->sections, m->n_sections, 3))
                return;
        for (size_t i = 0; i < m->n_sections && !r->c.failed; i++) {
                m->sections[i].name = read_text(r);
                m->sections[i].addr = cursor_uleb(&r->c);
                m->sections[i].size_bytes = cursor_uleb(&r->c);
        }
}

static void read_spans(struct reader *r, struct archived_module *m)
{
        uint64_t next = 0;
        bool is_full = false;

        if (!READ_LIST(r, m->spans, m->n_spans, 3))
                return;
        for (size_t i = 0; i < m->n_spans && !r->c.failed; i++) {
                read_stretch(r, &next, &is_full, &m->spans[i].first, &m->spans[i].last);
                m->spans[i].distance = (uint64_t)cursor_sleb(&r->c);
        }
}

static void read_symbols(struct reader *r, struct archived_module *m)
{
        uint64_t start = 0;

        if (!READ_LIST(r, m->symbols, m->n_symbols, 5))
                return;
        for (size_t i = 0; i < m->n_symbols && !r->c.failed; i++) {
                struct archived_symbol *symbol = &m->symbols[i];

                symbol->status = read_below(r, SYMBOL_NONE);
                symbol->name = read_text(r);
                symbol->module = read_text(r);
                symbol->start = read_difference(r, &start);
                symbol->size = cursor_uleb(&r->c);
        }
        read_runs(r, &m->symbol_runs, &m->n_symbol_runs, m->n_symbols);
}

static void read_frames(struct reader *r, struct archived_module *m)
{
        uint64_t line = 0, start = 0;

        if (!READ_LIST(r, m->frames, m->n_frames, 5))
                return;
        for (size_t i = 0; i < m->n_frames && !r->c.failed; i++) {
                struct archived_frame *frame = &m->frames[i];
                uint64_t column;

                frame->function = read_text(r);
                frame->path = read_text(r);
                frame->line = read_difference_u32(r, &line);
                column = cursor_uleb(&r->c);
                if (column >> 33)
                        cursor_fail(&r->c);
                frame->column = (uint32_t)(column >> 1);
                frame->is_inlined = column & 1;
                frame->start = read_difference(r, &start);
        }
}

static void read_stacks(struct reader *r, struct archived_module *m)
{
        uint64_t number = 0;

        if (!READ_LIST(r, m->stacks, m->n_stacks, 1))
                return;
        for (size_t i = 0; i < m->n_stacks && !r->c.failed; i++) {
                size_t n = READ_MORE(r, m->stack_frames, 1);

                if (n > ARCHIVE_MAX_STACK || n > UINT32_MAX - m->n_stack_frames) {
                        cursor_fail(&r->c);
                        return;
                }
                m->stacks[i] = (struct archived_stack){(uint32_t)m->n_stack_frames, (uint32_t)n};
                for (size_t k = 0; k < n && !r->c.failed; k++) {
                        uint32_t frame = read_difference_u32(r, &number);

                        if (frame >= m->n_frames)
                                cursor_fail(&r->c);
                        ARRAY_PUSH(m->stack_frames, m->n_stack_frames, m->cap_stack_frames, frame);
                }
        }
        read_runs(r, &m->frame_runs, &m->n_frame_runs, m->n_stacks);
}

/* In order and without one in another, as annotate expects them. */
static void read_extents(struct reader *r, struct archived_module *m, struct archived_function *f,
                         uint64_t *at)
{
        size_t n = READ_MORE(r, m->extents, 2);
        uint64_t last = 0;

        f->first_extent = (uint32_t)m->n_extents;
        f->n_extents = (uint32_t)n;
        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct resolver_extent e;

                e.start = read_difference(r, at);
                e.end = read_difference(r, at);
                if (e.end <= e.start || e.start < last)
                        cursor_fail(&r->c);
                last = e.end;
                ARRAY_PUSH(m->extents, m->n_extents, m->cap_extents, e);
        }
        if (m->n_extents > UINT32_MAX)
                cursor_fail(&r->c);
}

static void read_labels(struct reader *r, struct archived_module *m, struct archived_function *f,
                        uint64_t *line)
{
        size_t n = READ_MORE(r, m->labels, 5);

        f->first_label = (uint32_t)m->n_labels;
        f->n_labels = (uint32_t)n;
        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct archived_label label;

                label.name = read_text(r);
                label.path = read_text(r);
                label.line = read_difference_u32(r, line);
                label.has_addr = cursor_u8(&r->c);
                label.addr = cursor_uleb(&r->c);
                ARRAY_PUSH(m->labels, m->n_labels, m->cap_labels, label);
        }
        if (m->n_labels > UINT32_MAX)
                cursor_fail(&r->c);
}

static void read_functions(struct reader *r, struct archived_module *m)
{
        uint64_t at = 0, line = 0;

        if (!READ_LIST(r, m->functions, m->n_functions, 2))
                return;
        for (size_t i = 0; i < m->n_functions && !r->c.failed; i++) {
                read_extents(r, m, &m->functions[i], &at);
                read_labels(r, m, &m->functions[i], &line);
        }
        read_runs(r, &m->members, &m->n_members, m->n_functions);
}

static void read_code(struct reader *r, struct archived_module *m)
{
        if (!READ_LIST(r, m->codes, m->n_codes, 2))
                return;
        for (size_t i = 0; i < m->n_codes && !r->c.failed; i++) {
                struct archived_code *code = &m->codes[i];

                code->addr = cursor_uleb(&r->c);
                code->size = cursor_uleb(&r->c);
                code->bytes = cursor_bytes(&r->c, code->size);
        }
}

static void read_module(struct reader *r, struct archived_module *m)
{
        m->archive = r->archive;
        read_identity(r, &m->identity);
        read_facts(r, &m->facts);
        read_sections(r, m);
        read_spans(r, m);
        read_symbols(r, m);
        read_frames(r, m);
        read_stacks(r, m);
        read_functions(r, m);
        read_code(r, m);
}

/* --- The whole ------------------------------------------------------------------------------------ */

static bool read_content(struct symbol_archive *archive, struct cursor content, uint64_t memory)
{
        struct reader r = {content, archive, memory};

        archive->origin.is_unfinished = cursor_u8(&r.c);
        archive->origin.cut_bytes = cursor_uleb(&r.c);
        if (!READ_LIST(&r, archive->texts, archive->n_texts, 1))
                return false;
        for (size_t i = 0; i < archive->n_texts && !r.c.failed; i++)
                archive->texts[i] = cursor_str(&r.c, NULL);
        if (!READ_LIST(&r, archive->modules, archive->n_modules, 16))
                return false;
        for (size_t i = 0; i < archive->n_modules && !r.c.failed; i++)
                read_module(&r, &archive->modules[i]);
        return !r.c.failed && !cursor_left(&r.c);
}

struct symbol_archive *symbol_archive_open(struct cursor section, struct err *err)
{
        AUTO(symbol_archive) archive = mem_new(1, sizeof(*archive));
        struct cursor content;

        if (!archive_section_read(&symbol_archive_kind, section, &archive->unpacked, &content, err))
                return NULL;
        if (!read_content(archive, content, archive_section_memory(section))) {
                err_set(err, ERR_FORMAT, "is damaged: a number in it can't be");
                return NULL;
        }
        return TAKE(archive);
}

const struct archive_origin *symbol_archive_origin(const struct symbol_archive *archive)
{
        return &archive->origin;
}

size_t symbol_archive_n_modules(const struct symbol_archive *archive)
{
        return archive->n_modules;
}

const struct archived_module *symbol_archive_get(const struct symbol_archive *archive, size_t index)
{
        return &archive->modules[index];
}

static bool is_same(const struct archive_identity *a, const struct archive_identity *b)
{
        return a->kind == b->kind && a->pid == b->pid && a->dev == b->dev && a->inode == b->inode &&
               a->start == b->start && a->end == b->end && a->build_id_size == b->build_id_size &&
               (!a->build_id_size || !memcmp(a->build_id, b->build_id, a->build_id_size)) &&
               !strcmp(a->path, b->path);
}

const struct archived_module *symbol_archive_find(const struct symbol_archive *archive,
                                                  const struct archive_identity *identity)
{
        for (size_t i = 0; i < archive->n_modules; i++) {
                if (is_same(&archive->modules[i].identity, identity))
                        return &archive->modules[i];
        }
        return NULL;
}

const struct archive_identity *archived_module_identity(const struct archived_module *m)
{
        return &m->identity;
}

const struct archive_facts *archived_module_facts(const struct archived_module *m)
{
        return &m->facts;
}

const struct archived_run *archived_run_find(const struct archived_run *runs, size_t n, uint64_t addr)
{
        size_t low = 0, high = n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (runs[middle].first <= addr)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low && addr <= runs[low - 1].last ? &runs[low - 1] : NULL;
}

bool archived_module_knows(const struct archived_module *m, uint64_t addr)
{
        return archived_run_find(m->frame_runs, m->n_frame_runs, addr);
}

const char *symbol_archive_text(const struct symbol_archive *archive, uint32_t text)
{
        return text ? archive->texts[text - 1] : NULL;
}
