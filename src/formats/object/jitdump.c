/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads records and connects them: a line table and unwinding information belong to the next load, a move
 * to the load with its number.  code_history finds the code at an address and time. */
#include "jitdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "map.h"
#include "mem.h"
#include "note.h"
#include "os.h"

#define JITDUMP_MAGIC         0x4a695444u
#define JITDUMP_MAGIC_SWAPPED 0x4454694au

enum {
        JITDUMP_VERSION = 1,
        JITDUMP_HEADER_SIZE = 40,
        JITDUMP_RECORD_HEADER_SIZE = 16,
        JITDUMP_LINE_MIN_SIZE = 17,
        JITDUMP_ARCH_TIME = 1 << 0, /* flag in the header */
        FRAMES_ALIGN = 8,           /* alignment of .eh_frame after the code */
};

enum jitdump_record {
        JIT_CODE_LOAD,
        JIT_CODE_MOVE,
        JIT_CODE_DEBUG_INFO,
        JIT_CODE_CLOSE,
        JIT_CODE_UNWINDING_INFO,
};

struct code {
        struct jitdump_load is;
        str_id text;
};

struct jitdump {
        struct os_map *map; /* NULL: bytes belong to the caller */
        struct cursor file;
        struct jitdump_facts facts;
        struct code *codes;
        size_t n_codes, cap_codes;
        struct code_history *history;
        struct budget *budget;
        uint64_t taken_bytes;
};

/* Memory for each function, including its part of the history. */
enum { CODE_BYTES = sizeof(struct code) + 320 };

/* State while the records are read. */
struct jitdump_reading {
        struct jitdump *dump;
        struct map by_index, by_addr; /* index + 1 of the last load with a number, or at an address */
        uint64_t time;                /* time of the record */
        /* A line table that belongs to the next load; n_lines 0: none. */
        uint64_t lines_addr, lines_off, lines_size, n_lines;
        uint64_t frames_off, frames_size; /* the same for unwinding information */
        uint64_t n_damaged;
};

/* --- Records --- */

static uint64_t file_off(const struct jitdump *dump, const struct cursor *c)
{
        return (uint64_t)(c->at - dump->file.start);
}

static void add_code(struct jitdump_reading *r, const struct jitdump_load *load)
{
        struct jitdump *dump = r->dump;

        ARRAY_PUSH(dump->codes, dump->n_codes, dump->cap_codes, (struct code){.is = *load});
        *map_put(&r->by_index, load->code_index, NULL) = dump->n_codes;
        *map_put(&r->by_addr, load->addr, NULL) = dump->n_codes;
}

static bool read_load(struct jitdump_reading *r, struct cursor *c)
{
        struct jitdump_load load = {.time = r->time};
        uint64_t end;

        cursor_skip(c, 4 + 4 + 8); /* pid, tid, vma: perf uses the code's address instead */
        load.addr = cursor_u64(c);
        load.size_bytes = cursor_u64(c);
        load.code_index = cursor_u64(c);
        load.name = cursor_str(c, &load.name_len);
        load.code_off = file_off(r->dump, c);
        if (!cursor_skip(c, load.size_bytes) || __builtin_add_overflow(load.addr, load.size_bytes, &end))
                return false;
        if (load.name_len > JITDUMP_MAX_NAME)
                load.name_len = JITDUMP_MAX_NAME;
        if (r->n_lines && r->lines_addr == load.addr) {
                load.lines_off = r->lines_off;
                load.lines_size = r->lines_size;
                load.n_lines = r->n_lines;
        }
        load.frames_off = r->frames_off;
        load.frames_size = r->frames_size;
        add_code(r, &load);
        return true;
}

/* The load that a move refers to; compilers that do not number their code give its old address. */
static const struct code *find_moved(const struct jitdump_reading *r, uint64_t code_index, uint64_t old_addr)
{
        const uint64_t *at = map_find(&r->by_index, code_index);

        if (!at || r->dump->codes[*at - 1].is.addr != old_addr)
                at = map_find(&r->by_addr, old_addr);
        return at ? &r->dump->codes[*at - 1] : NULL;
}

static bool read_move(struct jitdump_reading *r, struct cursor *c)
{
        const struct code *code;
        struct jitdump_load load;
        uint64_t old_addr, new_addr, code_index, end;

        cursor_skip(c, 4 + 4 + 8);
        old_addr = cursor_u64(c);
        new_addr = cursor_u64(c);
        cursor_skip(c, 8); /* its size, which does not change */
        code_index = cursor_u64(c);
        code = c->failed ? NULL : find_moved(r, code_index, old_addr);
        if (!code || __builtin_add_overflow(new_addr, code->is.size_bytes, &end))
                return false;
        load = code->is;
        load.time = r->time;
        load.addr = new_addr;
        load.moved_by += new_addr - old_addr;
        add_code(r, &load);
        return true;
}

static bool read_debug_info(struct jitdump_reading *r, struct cursor *c)
{
        uint64_t addr = cursor_u64(c), n = cursor_u64(c), off = file_off(r->dump, c);

        r->n_lines = 0;
        if (c->failed || n > cursor_left(c) / JITDUMP_LINE_MIN_SIZE)
                return false;
        for (uint64_t i = 0; i < n; i++) {
                cursor_skip(c, JITDUMP_LINE_MIN_SIZE - 1);
                cursor_str(c, NULL);
        }
        if (c->failed)
                return false;
        r->lines_addr = addr;
        r->lines_off = off;
        r->lines_size = file_off(r->dump, c) - off;
        r->n_lines = n;
        return true;
}

/* .eh_frame, followed by .eh_frame_hdr. */
static bool read_unwinding(struct jitdump_reading *r, struct cursor *c)
{
        uint64_t size = cursor_u64(c), hdr_size = cursor_u64(c), off;

        cursor_skip(c, 8); /* whether the program also has it in memory */
        off = file_off(r->dump, c);
        if (!cursor_skip(c, size) || hdr_size > size)
                return false;
        r->frames_off = off;
        r->frames_size = size - hdr_size;
        return true;
}

static bool read_record(struct jitdump_reading *r, uint32_t id, struct cursor *c)
{
        bool ok;

        switch (id) {
        case JIT_CODE_LOAD:
                ok = read_load(r, c);
                r->n_lines = 0;
                r->frames_size = 0;
                return ok;
        case JIT_CODE_MOVE: return read_move(r, c);
        case JIT_CODE_DEBUG_INFO: return read_debug_info(r, c);
        case JIT_CODE_UNWINDING_INFO: r->frames_size = 0; return read_unwinding(r, c);
        case JIT_CODE_CLOSE:
        default: return true;
        }
}

/* --- The file --- */

/* Separates the next sentence from the note so far. */
static struct buf *say(struct buf *note)
{
        if (note->len)
                buf_add_str(note, "; ");
        return note;
}

static bool read_header(struct jitdump *dump, struct buf *note)
{
        struct cursor *c = &dump->file;
        uint32_t magic = cursor_u32(c), version, size;

        c->swap = magic == JITDUMP_MAGIC_SWAPPED;
        version = cursor_u32(c);
        size = cursor_u32(c);
        if (c->failed || size < JITDUMP_HEADER_SIZE || (magic != JITDUMP_MAGIC && !c->swap)) {
                buf_add_str(note, "is not a jitdump file");
                return false;
        }
        if (version != JITDUMP_VERSION) {
                buf_printf(say(note), "jitdump version %" PRIu32 " is not supported", version);
                return false;
        }
        dump->facts.machine = cursor_u32(c);
        cursor_skip(c, 4);
        dump->facts.pid = cursor_u32(c);
        dump->facts.time = cursor_u64(c);
        dump->facts.arch_time = cursor_u64(c) & JITDUMP_ARCH_TIME;
        if (!cursor_seek(c, size)) {
                buf_add_str(note, "ends inside its header");
                return false;
        }
        return true;
}

/* Whether another function is within the limits. */
static bool has_room(struct jitdump *dump)
{
        uint64_t bytes = (dump->n_codes + 1) * CODE_BYTES;

        if (dump->n_codes == JITDUMP_MAX_LOADS)
                return false;
        if (bytes <= dump->taken_bytes)
                return true;
        if (!budget_take(dump->budget, BUDGET_NAMES, bytes - dump->taken_bytes))
                return false;
        dump->taken_bytes = bytes;
        return true;
}

static void read_records(struct jitdump_reading *r, struct cursor *c, struct buf *note)
{
        while (cursor_left(c)) {
                uint64_t off = cursor_pos(c);
                uint32_t id = cursor_u32(c), size = cursor_u32(c);
                struct cursor body;

                r->time = cursor_u64(c);
                if (!c->failed && size < JITDUMP_RECORD_HEADER_SIZE) {
                        buf_printf(say(note), "is damaged at byte %" PRIu64 " and not read further", off);
                        return;
                }
                body = cursor_sub(c, cursor_pos(c), size - JITDUMP_RECORD_HEADER_SIZE);
                if (c->failed || body.failed) {
                        buf_printf(say(note),
                                   "ends inside the record at byte %" PRIu64
                                   ", which is normal while its process runs",
                                   off);
                        return;
                }
                if (!has_room(r->dump)) {
                        buf_printf(say(note), "only its first %zu functions are read", r->dump->n_codes);
                        return;
                }
                cursor_skip(c, cursor_left(&body));
                r->n_damaged += !read_record(r, id, &body);
        }
}

static void make_history(struct jitdump *dump)
{
        struct code_range *ranges = mem_new(dump->n_codes, sizeof(*ranges));

        for (size_t i = 0; i < dump->n_codes; i++) {
                const struct jitdump_load *load = &dump->codes[i].is;

                ranges[i] = (struct code_range){load->addr, load->addr + load->size_bytes, load->time,
                                                load->code_off};
        }
        dump->history = code_history_new(ranges, dump->n_codes);
        dump->facts.has_replaced = code_history_has_changes(dump->history);
        free(ranges);
}

static void read_file(struct jitdump *dump, struct buf *note)
{
        struct jitdump_reading r = {.dump = dump};
        struct cursor c;

        if (read_header(dump, note)) {
                c = dump->file;
                read_records(&r, &c, note);
                if (r.n_damaged)
                        buf_printf(say(note), "has damaged records, which are not read: %" PRIu64,
                                   r.n_damaged);
                if (!dump->n_codes)
                        buf_add_str(say(note), "has no functions");
        }
        make_history(dump);
        map_release(&r.by_index);
        map_release(&r.by_addr);
}

struct jitdump *jitdump_new_bytes(const void *bytes, size_t size, struct budget *budget, struct buf *note)
{
        struct jitdump *dump = mem_new(1, sizeof(*dump));

        dump->budget = budget;
        dump->file = cursor_make(bytes, size);
        dump->facts.file_bytes = size;
        read_file(dump, note);
        return dump;
}

struct jitdump *jitdump_new(const char *path, const struct os_origin *origin, struct budget *budget,
                            struct buf *note)
{
        AUTO_RELEASE(buf) own_note = {0};
        struct err err = {0};
        struct os_map *map = os_map_open_of(path, origin, &err);
        struct jitdump *dump =
                jitdump_new_bytes(map ? map->bytes : NULL, map ? map->size_bytes : 0, budget, &own_note);

        dump->map = map;
        if (!map || !os_map_check(map, path, &err))
                note_add_error(note, &err, path);
        else
                buf_add_str(note, buf_text(&own_note));
        return dump;
}

void jitdump_free(struct jitdump *dump)
{
        if (!dump)
                return;
        code_history_free(dump->history);
        os_map_free(dump->map);
        budget_give(dump->budget, dump->taken_bytes);
        free(dump->codes);
        free(dump);
}

/* --- Lookups --- */

const struct jitdump_facts *jitdump_get_facts(const struct jitdump *dump)
{
        return &dump->facts;
}

const struct jitdump_load *jitdump_get_load(const struct jitdump *dump, size_t index)
{
        return index < dump->n_codes ? &dump->codes[index].is : NULL;
}

void jitdump_lines_begin(const struct jitdump *dump, const struct jitdump_load *load,
                         struct jitdump_lines *ret)
{
        *ret = (struct jitdump_lines){
                .at = cursor_sub(&dump->file, load->lines_off, load->lines_size),
                .n_left = load->n_lines,
                .moved_by = load->moved_by,
                .file = "",
        };
}

bool jitdump_lines_next(struct jitdump_lines *lines, struct jitdump_line *ret)
{
        struct cursor *c = &lines->at;
        struct jitdump_line line;
        const char *file;

        if (!lines->n_left)
                return false;
        line.addr = cursor_u64(c) + lines->moved_by;
        line.line = cursor_u32(c);
        line.discriminator = cursor_u32(c);
        file = cursor_str(c, NULL);
        if (!file) /* the mapped file was truncated since it was read */
                return false;
        if (strcmp(file, "\xff") != 0) /* "\xff": the same file as in the entry before */
                lines->file = file;
        line.file = lines->file;
        lines->n_left--;
        *ret = line;
        return true;
}

static bool give_hit(const struct jitdump *dump, bool is_found, const struct code_found *found,
                     struct jitdump_hit *ret)
{
        struct code *code = is_found ? &dump->codes[found->range] : NULL;

        ret->same_from = found->same_from;
        ret->same_to = found->same_to;
        if (!code)
                return false;
        ret->index = found->range;
        ret->load = &code->is;
        ret->text = &code->text;
        return true;
}

bool jitdump_find(const struct jitdump *dump, uint64_t addr, uint64_t time, struct jitdump_hit *ret_hit)
{
        struct code_found found;
        bool is_found = code_history_find(dump->history, addr, time, CODE_TOLD_BEFORE, &found);

        return give_hit(dump, is_found, &found, ret_hit);
}

bool jitdump_find_off(const struct jitdump *dump, uint64_t off, struct jitdump_hit *ret_hit)
{
        struct code_found found;
        bool is_found = code_history_find_off(dump->history, off, &found);

        return give_hit(dump, is_found, &found, ret_hit);
}

struct budget *jitdump_budget(const struct jitdump *dump)
{
        return dump->budget;
}

const struct code_history *jitdump_history(const struct jitdump *dump)
{
        return dump->history;
}

bool jitdump_get_frames(const struct jitdump *dump, const struct jitdump_load *load,
                        struct cursor *ret_frames, uint64_t *ret_addr)
{
        uint64_t end = load->addr + load->size_bytes;

        if (!load->frames_size)
                return false;
        *ret_frames = cursor_sub(&dump->file, load->frames_off, load->frames_size);
        *ret_addr = end + -end % FRAMES_ALIGN;
        return !ret_frames->failed;
}

bool jitdump_read_code(const struct jitdump *dump, uint64_t off, uint64_t size, const uint8_t **ret_code)
{
        struct cursor code = dump->file;
        struct jitdump_hit hit;

        if (!jitdump_find_off(dump, off, &hit) || size > hit.same_to - off || !cursor_seek(&code, off))
                return false;
        *ret_code = cursor_bytes(&code, size);
        return *ret_code;
}
