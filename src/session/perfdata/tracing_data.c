/* SPDX-License-Identifier: BSD-3-Clause */
/* 17 08 44 "tracing" version NUL, big endian u8, bytes of a long u8, page size u32; "header_page" NUL, size
 * u64, text; "header_event" NUL, size u64, text; n u32 of ftrace's own formats {size u64, text}; n u32 of
 * systems {name, n u32 of formats {size u64, text}}; kallsyms {size u32}, printk formats {size u32}, names of
 * threads {size u64}. */
#include "tracing_data.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "map.h"
#include "mem.h"
#include "text.h"

static const char magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
static const char version[] = "0.6", page_name[] = "header_page", event_name[] = "header_event";

struct tracing_data {
        struct arena arena;
        struct tracing_event **events;
        size_t n, cap;
        struct map by_id; /* index + 1 */
};

/* --- One format file --- */

/* Whether the line begins with `key`; *ret is the rest. */
static bool take_key(const char *line, size_t len, const char *key, struct cursor *ret)
{
        size_t key_len = strlen(key);

        if (len < key_len || memcmp(line, key, key_len))
                return false;
        *ret = cursor_make(line + key_len, len - key_len);
        return true;
}

/* Finds the number after `key` in a line. */
static bool find_number(struct cursor line, const char *key, uint32_t *ret)
{
        const char *text = (const char *)line.at, *end = (const char *)line.end;
        size_t key_len = strlen(key);
        uint64_t value = 0;

        for (; (size_t)(end - text) > key_len; text++) {
                if (memcmp(text, key, key_len))
                        continue;
                for (text += key_len; text < end && *text >= '0' && *text <= '9' && value < UINT32_MAX;
                     text++)
                        value = value * 10 + (uint64_t)(*text - '0');
                *ret = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
                return true;
        }
        return false;
}

static bool is_name(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Parses `char prev_comm[16]`, `__data_loc char[] name`, `pid_t prev_pid`, `const char * buf`. The address of
 * a probe is a pointer. */
static void read_declaration(struct tracing_data *data, const char *text, size_t len,
                             struct tracing_field *field)
{
        AUTO_RELEASE(buf) type = {0};
        size_t end = len, start;
        bool is_array;

        while (end && text[end - 1] != ']' && !is_name(text[end - 1]))
                end--;
        is_array = end && text[end - 1] == ']';
        while (is_array && end && text[end - 1] != '[')
                end--;
        end -= is_array && end;
        for (start = end; start && is_name(text[start - 1]); start--)
                ;
        field->name = arena_copy(&data->arena, text + start, end - start);
        buf_add(&type, text, start);
        field->is_relative = type.len && text_starts(type.data, "__rel_loc ");
        field->is_elsewhere = field->is_relative || (type.len && text_starts(type.data, "__data_loc "));
        is_array |= field->is_elsewhere;
        if (is_array)
                field->form = strstr(buf_text(&type), "char") ? TRACING_TEXT : TRACING_BYTES;
        else if (strchr(buf_text(&type), '*') || text_starts(field->name, "__probe_"))
                field->form = TRACING_POINTER;
}

static bool read_field(struct tracing_data *data, struct cursor line, struct tracing_field *ret)
{
        const char *text = (const char *)line.at;
        const char *end = memchr(text, ';', cursor_left(&line));
        uint32_t is_signed = 0;

        *ret = (struct tracing_field){0};
        if (!end || !find_number(line, "offset:", &ret->off) || !find_number(line, "size:", &ret->size_bytes))
                return false;
        find_number(line, "signed:", &is_signed);
        ret->is_signed = is_signed;
        read_declaration(data, text, (size_t)(end - text), ret);
        if (ret->form <= TRACING_POINTER && ret->size_bytes != 1 && ret->size_bytes != 2 &&
            ret->size_bytes != 4 && ret->size_bytes != 8)
                ret->form = TRACING_BYTES;
        return *ret->name;
}

static void add_format(struct tracing_data *data, const char *system, struct cursor text)
{
        struct tracing_event *event = arena_alloc(&data->arena, sizeof(*event));
        struct tracing_field *fields = NULL, field;
        size_t n = 0, cap = 0;
        uint32_t id = UINT32_MAX;

        *event = (struct tracing_event){.system = system, .name = ""};
        while (cursor_left(&text)) {
                const char *line = (const char *)text.at, *feed = memchr(line, '\n', cursor_left(&text));
                size_t len = feed ? (size_t)(feed - line) : cursor_left(&text);
                struct cursor rest;

                cursor_skip(&text, len + (feed != NULL));
                if (take_key(line, len, "name: ", &rest))
                        event->name = arena_copy(&data->arena, (const char *)rest.at, cursor_left(&rest));
                else if (take_key(line, len, "ID: ", &rest))
                        find_number(cursor_make(line, len), "ID: ", &id);
                else if (take_key(line, len, "\tfield:", &rest) && read_field(data, rest, &field))
                        ARRAY_PUSH(fields, n, cap, field);
        }
        if (id != UINT32_MAX && *event->name) {
                struct tracing_field *kept = arena_alloc(&data->arena, n ? n * sizeof(*kept) : 1);

                if (n)
                        memcpy(kept, fields, n * sizeof(*kept));
                event->fields = kept;
                event->n_fields = n;
                event->id = id;
                ARRAY_PUSH(data->events, data->n, data->cap, event);
                *map_put(&data->by_id, id, NULL) = data->n;
        }
        free(fields);
}

/* --- The section --- */

static struct cursor next_text(struct cursor *c)
{
        uint64_t size = cursor_u64(c);
        struct cursor text = cursor_sub(c, cursor_pos(c), size);

        cursor_skip(c, size);
        return text;
}

static bool skip_head(struct cursor *c)
{
        const void *begin = cursor_bytes(c, sizeof(magic));
        const char *name;

        if (!begin || memcmp(begin, magic, sizeof(magic)) || !cursor_str(c, NULL))
                return false;
        c->swap = (cursor_u8(c) != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
        cursor_skip(c, 1 + sizeof(uint32_t));
        name = cursor_str(c, NULL);
        if (!name || strcmp(name, page_name))
                return false;
        next_text(c);
        name = cursor_str(c, NULL);
        if (!name || strcmp(name, event_name))
                return false;
        next_text(c);
        return !c->failed;
}

static void read_formats(struct tracing_data *data, struct cursor *c, const char *system)
{
        uint32_t n = cursor_u32(c);

        for (uint32_t i = 0; i < n && !c->failed; i++) {
                struct cursor text = next_text(c);

                if (!c->failed)
                        add_format(data, system, text);
        }
}

struct tracing_data *tracing_data_new(struct cursor section)
{
        struct tracing_data *data = mem_new(1, sizeof(*data));
        uint32_t n;

        if (section.failed || !skip_head(&section))
                return data;
        read_formats(data, &section, "ftrace");
        n = cursor_u32(&section);
        for (uint32_t i = 0; i < n && !section.failed; i++) {
                size_t len;
                const char *system = cursor_str(&section, &len);

                if (system)
                        read_formats(data, &section, arena_copy(&data->arena, system, len));
        }
        return data;
}

void tracing_data_free(struct tracing_data *data)
{
        if (!data)
                return;
        free(data->events);
        map_release(&data->by_id);
        arena_release(&data->arena);
        free(data);
}

size_t tracing_data_n_events(const struct tracing_data *data)
{
        return data->n;
}

const struct tracing_event *tracing_data_get(const struct tracing_data *data, size_t index)
{
        return index < data->n ? data->events[index] : NULL;
}

const struct tracing_event *tracing_data_find(const struct tracing_data *data, uint64_t id)
{
        const uint64_t *at = map_find(&data->by_id, id);

        return at ? data->events[*at - 1] : NULL;
}

const struct tracing_field *tracing_event_number(const struct tracing_event *event, const char *name)
{
        for (size_t i = 0; i < event->n_fields; i++) {
                const struct tracing_field *field = &event->fields[i];

                if (!strcmp(field->name, name) &&
                    (field->form == TRACING_NUMBER || field->form == TRACING_POINTER))
                        return field;
        }
        return NULL;
}

/* --- Values --- */

struct cursor tracing_field_bytes(const struct tracing_field *field, struct cursor raw)
{
        struct cursor bytes = cursor_sub(&raw, field->off, field->size_bytes), at = bytes;
        uint32_t where;
        uint64_t off;

        if (!field->is_elsewhere)
                return bytes;
        where = cursor_u32(&at);
        off = where & UINT16_MAX;
        if (field->is_relative)
                off += (uint64_t)field->off + sizeof(where);
        if (at.failed)
                return at;
        return cursor_sub(&raw, off, where >> 16);
}

uint64_t tracing_field_number(const struct tracing_field *field, struct cursor bytes)
{
        switch (cursor_left(&bytes)) {
        case 1: return field->is_signed ? (uint64_t)(int8_t)cursor_u8(&bytes) : cursor_u8(&bytes);
        case 2: return field->is_signed ? (uint64_t)(int16_t)cursor_u16(&bytes) : cursor_u16(&bytes);
        case 4: return field->is_signed ? (uint64_t)(int32_t)cursor_u32(&bytes) : cursor_u32(&bytes);
        default: return cursor_u64(&bytes);
        }
}

uint64_t tracing_field_read(const struct tracing_field *field, struct cursor raw, bool *ret_is_bad)
{
        struct cursor bytes = tracing_field_bytes(field, raw);

        *ret_is_bad |= bytes.failed;
        return bytes.failed ? 0 : tracing_field_number(field, bytes);
}

/* --- Writing --- */

void tracing_source_release(struct tracing_source *source)
{
        for (size_t i = 0; i < source->n_formats; i++) {
                free(source->formats[i].system);
                buf_release(&source->formats[i].format);
        }
        free(source->formats);
        buf_release(&source->header_page);
        buf_release(&source->header_event);
}

void tracing_source_add(struct tracing_source *source, const char *system, const struct buf *format)
{
        const size_t at = source->n_formats;

        if (at == source->cap_formats)
                source->formats =
                        mem_grow(source->formats, at, &source->cap_formats, sizeof(*source->formats));
        source->formats[at].system = mem_strdup(system);
        source->formats[at].format = (struct buf){0};
        buf_add(&source->formats[at].format, format->data, format->len);
        source->n_formats++;
}

static void add_text(struct buf *out, const struct buf *text)
{
        buf_add_u64(out, text->len);
        buf_add(out, text->data, text->len);
}

static bool is_first(const struct tracing_source *source, size_t at)
{
        for (size_t i = 0; i < at; i++) {
                if (!strcmp(source->formats[i].system, source->formats[at].system))
                        return false;
        }
        return true;
}

static void add_system(const struct tracing_source *source, size_t first, struct buf *out)
{
        const char *system = source->formats[first].system;
        uint32_t n = 0;

        for (size_t i = first; i < source->n_formats; i++)
                n += !strcmp(source->formats[i].system, system);
        buf_add(out, system, strlen(system) + 1);
        buf_add_u32(out, n);
        for (size_t i = first; i < source->n_formats; i++) {
                if (!strcmp(source->formats[i].system, system))
                        add_text(out, &source->formats[i].format);
        }
}

void tracing_data_write(const struct tracing_source *source, struct buf *out)
{
        const uint32_t page_bytes = 4096;
        uint32_t n_systems = 0;

        buf_add(out, magic, sizeof(magic));
        buf_add(out, version, sizeof(version));
        buf_add_char(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
        buf_add_char(out, sizeof(uint64_t));
        buf_add_u32(out, page_bytes);
        buf_add(out, page_name, sizeof(page_name));
        add_text(out, &source->header_page);
        buf_add(out, event_name, sizeof(event_name));
        add_text(out, &source->header_event);
        buf_add_u32(out, 0); /* ftrace's own formats */
        for (size_t i = 0; i < source->n_formats; i++)
                n_systems += is_first(source, i);
        buf_add_u32(out, n_systems);
        for (size_t i = 0; i < source->n_formats; i++) {
                if (is_first(source, i))
                        add_system(source, i, out);
        }
        buf_add_u32(out, 0); /* kallsyms */
        buf_add_u32(out, 0); /* printk */
        buf_add_u64(out, 0); /* names of threads */
}
