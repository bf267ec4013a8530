/* SPDX-License-Identifier: BSD-3-Clause */
/* The section: "WPPY", version u32; stacks u64, merged u64, number of reasons u32, each reason a count u64
 * and a text with its NUL; bytes of texts u32, number of codes u32, number of places u32; the texts, each
 * with its NUL; each code: offsets of its name and its file in the texts u32, first line u32; each place: its
 * code u32, its line u32; number of files u32; each file: offset of its path in the texts u32, size u64, time
 * of change u64; if there are any, flags u32, 1: approximate. Sections of older versions end after the
 * places. */
#include "python_section.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "strpool.h"

#define MAGIC "WPPY"
enum {
        VERSION = 1,
        MAGIC_BYTES = 4,
        CODE_BYTES = 12,
        PLACE_RECORD_BYTES = 8,
        FILE_BYTES = 20,
        FLAG_APPROXIMATE = 1,
        ROOM_FOR_COUNTS = 128 << 10, /* enough for the reasons, whose texts have some hundred bytes */
};

/* --- While recording --- */

struct place_code {
        str_id function, file;
        uint32_t first_line;
};

struct place_file {
        str_id path;
        uint64_t size_bytes;
        int64_t mtime_ns;
};

struct python_places {
        struct strpool *texts;
        struct place_code *codes;
        size_t n_codes, cap_codes;
        struct map code_of; /* hash, or the next free number after it, to index + 1 */
        struct python_section_place *items;
        size_t n, cap;
        struct map place_of; /* code << 32 | line to index + 1 */
        struct place_file *files;
        size_t n_files, cap_files;
        uint64_t section_bytes;
};

struct python_places *python_places_new(void)
{
        struct python_places *places = mem_new(1, sizeof(*places));

        places->texts = strpool_new();
        places->section_bytes = ROOM_FOR_COUNTS;
        return places;
}

void python_places_free(struct python_places *places)
{
        if (!places)
                return;
        strpool_free(places->texts);
        free(places->codes);
        free(places->items);
        free(places->files);
        map_release(&places->code_of);
        map_release(&places->place_of);
        free(places);
}

static bool take_room(struct python_places *places, uint64_t bytes)
{
        if (places->section_bytes + bytes > PYTHON_MAX_SECTION_BYTES)
                return false;
        places->section_bytes += bytes;
        return true;
}

/* The length of the text, at most PYTHON_MAX_TEXT_BYTES. Truncates between characters. */
static size_t length_of(const char *text)
{
        size_t len = strnlen(text, PYTHON_MAX_TEXT_BYTES + 1);

        if (len <= PYTHON_MAX_TEXT_BYTES)
                return len;
        len = PYTHON_MAX_TEXT_BYTES;
        while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
                len--;
        return len;
}

static bool add_text(struct python_places *places, const char *text, str_id *ret_id)
{
        size_t len = length_of(text);

        if (strpool_find_len(places->texts, text, len, ret_id))
                return true;
        if (!take_room(places, len + 1))
                return false;
        *ret_id = strpool_add_len(places->texts, text, len);
        return true;
}

static bool is_code(const struct place_code *a, const struct place_code *b)
{
        return a->function == b->function && a->file == b->file && a->first_line == b->first_line;
}

static bool find_code(struct python_places *places, const struct place_code *code, uint32_t *ret_index)
{
        uint64_t hash = map_mix(map_mix((uint64_t)code->function << 32 | code->file) ^ code->first_line);
        const uint64_t *known;

        for (; (known = map_find(&places->code_of, hash)); hash++) {
                *ret_index = (uint32_t)(*known - 1);
                if (is_code(&places->codes[*ret_index], code))
                        return true;
        }
        if (!take_room(places, CODE_BYTES))
                return false;
        *ret_index = (uint32_t)places->n_codes;
        ARRAY_PUSH(places->codes, places->n_codes, places->cap_codes, *code);
        *map_put(&places->code_of, hash, NULL) = places->n_codes;
        return true;
}

uint64_t python_places_add(struct python_places *places, const char *function, const char *file,
                           uint32_t first_line, uint32_t line)
{
        struct place_code code = {.first_line = first_line};
        struct python_section_place place = {.line = line};
        uint64_t key;
        const uint64_t *known;

        if (!add_text(places, function, &code.function) || !add_text(places, file, &code.file) ||
            !find_code(places, &code, &place.code))
                return 0;
        key = (uint64_t)place.code << 32 | line;
        known = map_find(&places->place_of, key);
        if (known)
                return PYTHON_PLACES_BASE + PYTHON_PLACE_BYTES * *known;
        if (!take_room(places, PLACE_RECORD_BYTES))
                return 0;
        ARRAY_PUSH(places->items, places->n, places->cap, place);
        *map_put(&places->place_of, key, NULL) = places->n;
        return PYTHON_PLACES_BASE + PYTHON_PLACE_BYTES * (uint64_t)places->n;
}

size_t python_places_n(const struct python_places *places)
{
        return places->n;
}

void python_places_add_file(struct python_places *places, const char *path, uint64_t size_bytes,
                            int64_t mtime_ns)
{
        struct place_file file = {.size_bytes = size_bytes, .mtime_ns = mtime_ns};

        if (add_text(places, path, &file.path) && take_room(places, FILE_BYTES))
                ARRAY_PUSH(places->files, places->n_files, places->cap_files, file);
}

static void write_counts(const struct python_counts *counts, struct buf *out)
{
        assert(counts->n_reasons <= PYTHON_MAX_REASONS);
        buf_add_u64(out, counts->n_stacks);
        buf_add_u64(out, counts->n_merged);
        buf_add_u32(out, counts->n_reasons);
        for (uint32_t i = 0; i < counts->n_reasons; i++) {
                buf_add_u64(out, counts->reasons[i].count);
                buf_add(out, counts->reasons[i].text, strlen(counts->reasons[i].text) + 1);
        }
}

static void write_items(const struct python_places *places, const uint32_t *offsets, struct buf *out)
{
        for (size_t i = 0; i < places->n_codes; i++) {
                buf_add_u32(out, offsets[places->codes[i].function]);
                buf_add_u32(out, offsets[places->codes[i].file]);
                buf_add_u32(out, places->codes[i].first_line);
        }
        for (size_t i = 0; i < places->n; i++) {
                buf_add_u32(out, places->items[i].code);
                buf_add_u32(out, places->items[i].line);
        }
        buf_add_u32(out, (uint32_t)places->n_files);
        for (size_t i = 0; i < places->n_files; i++) {
                buf_add_u32(out, offsets[places->files[i].path]);
                buf_add_u64(out, places->files[i].size_bytes);
                buf_add_u64(out, (uint64_t)places->files[i].mtime_ns);
        }
}

void python_places_write(const struct python_places *places, const struct python_counts *counts,
                         struct buf *out)
{
        size_t n_texts = strpool_count(places->texts), n_bytes = 0;
        uint32_t *offsets = mem_new(n_texts, sizeof(*offsets));

        buf_add(out, MAGIC, MAGIC_BYTES);
        buf_add_u32(out, VERSION);
        write_counts(counts, out);
        for (size_t i = 0; i < n_texts; i++) {
                offsets[i] = (uint32_t)n_bytes;
                n_bytes += strlen(strpool_get(places->texts, (str_id)i)) + 1;
        }
        buf_add_u32(out, (uint32_t)n_bytes);
        buf_add_u32(out, (uint32_t)places->n_codes);
        buf_add_u32(out, (uint32_t)places->n);
        for (size_t i = 0; i < n_texts; i++) {
                const char *text = strpool_get(places->texts, (str_id)i);

                buf_add(out, text, strlen(text) + 1);
        }
        write_items(places, offsets, out);
        if (counts->is_approximate)
                buf_add_u32(out, FLAG_APPROXIMATE);
        free(offsets);
}

/* --- Reading --- */

static void read_counts(struct cursor *c, struct python_counts *ret)
{
        ret->n_stacks = cursor_u64(c);
        ret->n_merged = cursor_u64(c);
        ret->n_reasons = cursor_u32(c);
        if (ret->n_reasons > PYTHON_MAX_REASONS || ret->n_merged > ret->n_stacks)
                cursor_fail(c);
        for (uint32_t i = 0; !c->failed && i < ret->n_reasons; i++) {
                ret->reasons[i].count = cursor_u64(c);
                ret->reasons[i].text = cursor_str(c, NULL);
        }
}

/* Refuses texts longer than PYTHON_MAX_TEXT_BYTES, so that many codes that share one very long text do not
 * take long to read. */
static const char *get_text(const struct cursor *texts, uint32_t offset)
{
        struct cursor c = *texts;
        size_t n_left;

        if (!cursor_seek(&c, offset))
                return NULL;
        n_left = cursor_left(&c);
        return n_left && memchr(c.at, 0, n_left <= PYTHON_MAX_TEXT_BYTES ? n_left : PYTHON_MAX_TEXT_BYTES + 1)
                       ? (const char *)c.at
                       : NULL;
}

static void read_codes(struct cursor *c, const struct cursor *texts, struct python_section *section)
{
        section->codes = mem_new(section->n_codes, sizeof(*section->codes));
        for (size_t i = 0; !c->failed && i < section->n_codes; i++) {
                struct python_section_code *code = &section->codes[i];

                code->function = get_text(texts, cursor_u32(c));
                code->file = get_text(texts, cursor_u32(c));
                code->first_line = cursor_u32(c);
                if (!code->function || !code->file)
                        cursor_fail(c);
        }
}

static void read_places(struct cursor *c, struct python_section *section)
{
        section->places = mem_new(section->n_places, sizeof(*section->places));
        for (size_t i = 0; !c->failed && i < section->n_places; i++) {
                section->places[i].code = cursor_u32(c);
                section->places[i].line = cursor_u32(c);
                if (section->places[i].code >= section->n_codes)
                        cursor_fail(c);
        }
}

static void read_files(struct cursor *c, const struct cursor *texts, struct python_section *section)
{
        uint32_t n = cursor_u32(c);

        if (c->failed || (uint64_t)n * FILE_BYTES > cursor_left(c)) {
                cursor_fail(c);
                return;
        }
        section->files = mem_new(n, sizeof(*section->files));
        section->n_files = n;
        for (size_t i = 0; !c->failed && i < n; i++) {
                struct python_section_file *file = &section->files[i];

                file->path = get_text(texts, cursor_u32(c));
                file->size_bytes = cursor_u64(c);
                file->mtime_ns = (int64_t)cursor_u64(c);
                if (!file->path)
                        cursor_fail(c);
        }
}

static bool read_section(struct cursor c, struct python_section *section)
{
        const void *magic = cursor_bytes(&c, MAGIC_BYTES);
        struct cursor texts;
        uint64_t n_text_bytes;

        if (!magic || memcmp(magic, MAGIC, MAGIC_BYTES) || cursor_u32(&c) != VERSION ||
            cursor_left(&c) > PYTHON_MAX_SECTION_BYTES)
                return false;
        read_counts(&c, &section->counts);
        n_text_bytes = cursor_u32(&c);
        section->n_codes = cursor_u32(&c);
        section->n_places = cursor_u32(&c);
        if (c.failed || n_text_bytes + (uint64_t)section->n_codes * CODE_BYTES +
                                        (uint64_t)section->n_places * PLACE_RECORD_BYTES >
                                cursor_left(&c))
                return false;
        texts = cursor_sub(&c, cursor_pos(&c), n_text_bytes);
        cursor_skip(&c, n_text_bytes);
        read_codes(&c, &texts, section);
        read_places(&c, section);
        if (!c.failed && cursor_left(&c))
                read_files(&c, &texts, section);
        if (!c.failed && cursor_left(&c))
                section->counts.is_approximate = cursor_u32(&c) & FLAG_APPROXIMATE;
        return !c.failed;
}

struct python_section *python_section_new(struct cursor bytes)
{
        AUTO(python_section) section = mem_new(1, sizeof(*section));

        return read_section(bytes, section) ? TAKE(section) : NULL;
}

void python_section_free(struct python_section *section)
{
        if (!section)
                return;
        free(section->codes);
        free(section->places);
        free(section->files);
        free(section);
}

const struct python_section_code *python_section_code_at(const struct python_section *section,
                                                         uint64_t offset)
{
        uint64_t number = offset / PYTHON_PLACE_BYTES;

        /* The offset of a caller is one less than that of its place. */
        number += offset % PYTHON_PLACE_BYTES >= PYTHON_PLACE_BYTES / 2;
        return number && number <= section->n_places ? &section->codes[section->places[number - 1].code]
                                                     : NULL;
}

const struct python_section_file *python_section_find_file(const struct python_section *section,
                                                           const char *path)
{
        for (size_t i = 0; i < section->n_files; i++) {
                if (!strcmp(section->files[i].path, path))
                        return &section->files[i];
        }
        return NULL;
}
