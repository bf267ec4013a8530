/* SPDX-License-Identifier: BSD-3-Clause */
#include "field_layout.h"

#include <assert.h>
#include <string.h>

#include "buf.h"
#include "record.h"
#include "text.h"

static bool show_text_of(const char *name, struct cursor *c, uint64_t size, struct field_sink *sink)
{
        const char *bytes = cursor_bytes(c, size);
        AUTO_RELEASE(buf) text = {0};

        if (!bytes)
                return false;
        buf_add(&text, bytes, strnlen(bytes, size));
        field_text(sink, name, buf_text(&text));
        return true;
}

static bool show_text(const char *name, struct cursor *c, struct field_sink *sink)
{
        const char *text = cursor_str(c, NULL);

        if (!text)
                return false;
        field_text(sink, name, text);
        return cursor_skip(c, cursor_left(c));
}

static bool show_prot(const char *name, uint32_t prot, struct field_sink *sink)
{
        const char text[4] = {prot & 1 ? 'r' : '-', prot & 2 ? 'w' : '-', prot & 4 ? 'x' : '-'};

        field_text(sink, name, text);
        return true;
}

static bool show_build_id(const char *name, struct cursor *c, struct field_sink *sink)
{
        char hex[2 * BUILD_ID_MAX + 1];
        uint8_t size = cursor_u8(c);
        const void *id;

        cursor_skip(c, 3);
        id = cursor_bytes(c, BUILD_ID_MAX);
        if (!id)
                return false;
        text_hex(hex, id, size < BUILD_ID_MAX ? size : BUILD_ID_MAX);
        field_text(sink, name, hex);
        return true;
}

static bool show_hex_of(const char *name, struct cursor *c, unsigned size, struct field_sink *sink)
{
        enum { MAX_BYTES = 64 };
        char hex[2 * MAX_BYTES + 1];
        const void *bytes = cursor_bytes(c, size);

        assert(size <= MAX_BYTES);
        if (!bytes)
                return false;
        text_hex(hex, bytes, size);
        field_text(sink, name, hex);
        return true;
}

static bool show_bytes(const char *name, struct cursor *c, uint64_t size, struct field_sink *sink)
{
        const void *bytes = cursor_bytes(c, size);

        if (bytes && size)
                field_bytes(sink, name, bytes, size);
        return bytes;
}

/* A list without a length ends with the bytes. */
static bool show_items(const struct field_layout *list, uint64_t n, bool to_end, struct cursor *c,
                       struct field_sink *sink)
{
        bool values = !list->items[0].name, ok = true;

        field_begin(sink, values ? FIELD_WORDS : FIELD_LINES, list->name);
        for (uint64_t i = 0; ok && !sink->failed && (to_end ? cursor_left(c) : i < n); i++) {
                if (!values)
                        field_begin(sink, FIELD_LINE, NULL);
                ok = field_layout_show(list->items, c, sink);
                if (!values)
                        field_end(sink);
        }
        field_end(sink);
        return ok;
}

static bool show_list(const struct field_layout *list, struct cursor *c, struct field_sink *sink)
{
        uint64_t n = 0;

        switch (list->kind) {
        case FIELD_LIST16: n = cursor_u16(c); break;
        case FIELD_LIST32: n = cursor_u32(c); break;
        case FIELD_LIST64: n = cursor_u64(c); break;
        default: return show_items(list, 0, true, c, sink);
        }
        return !c->failed && show_items(list, n, false, c, sink);
}

static bool show_u64(const struct field_layout *field, uint64_t value, const struct cursor *c,
                     struct field_sink *sink)
{
        if (c->failed)
                return false;
        if (field->kind == FIELD_X16 || field->kind == FIELD_X32 || field->kind == FIELD_X64)
                field_hex(sink, field->name, value);
        else if (field->kind == FIELD_I32)
                field_i64(sink, field->name, (int32_t)value);
        else if (field->kind == FIELD_I64)
                field_i64(sink, field->name, (int64_t)value);
        else if (field->kind == FIELD_TIME)
                field_time(sink, field->name, value);
        else if (field->kind == FIELD_PROT)
                show_prot(field->name, (uint32_t)value, sink);
        else
                field_u64(sink, field->name, value);
        return true;
}

static bool show_field(const struct field_layout *field, struct cursor *c, struct field_sink *sink)
{
        switch (field->kind) {
        case FIELD_NONE: break;
        case FIELD_U8: return show_u64(field, cursor_u8(c), c, sink);
        case FIELD_U16:
        case FIELD_X16: return show_u64(field, cursor_u16(c), c, sink);
        case FIELD_U32:
        case FIELD_I32:
        case FIELD_X32:
        case FIELD_PROT: return show_u64(field, cursor_u32(c), c, sink);
        case FIELD_U64:
        case FIELD_I64:
        case FIELD_X64:
        case FIELD_TIME: return show_u64(field, cursor_u64(c), c, sink);
        case FIELD_BUILD_ID: return show_build_id(field->name, c, sink);
        case FIELD_TEXT: return show_text(field->name, c, sink);
        case FIELD_TEXT_OF: return show_text_of(field->name, c, field->size, sink);
        case FIELD_TEXT_REST: return show_text_of(field->name, c, cursor_left(c), sink);
        case FIELD_STRING: return show_text_of(field->name, c, cursor_u32(c), sink);
        case FIELD_BYTES_OF: return show_bytes(field->name, c, field->size, sink);
        case FIELD_HEX_OF: return show_hex_of(field->name, c, field->size, sink);
        case FIELD_REST: return show_bytes(field->name, c, cursor_left(c), sink);
        case FIELD_SKIP: return cursor_skip(c, field->size);
        case FIELD_LIST16:
        case FIELD_LIST32:
        case FIELD_LIST64:
        case FIELD_LIST_REST: return show_list(field, c, sink);
        }
        return true;
}

bool field_layout_show(const struct field_layout *layout, struct cursor *c, struct field_sink *sink)
{
        for (; layout->kind != FIELD_NONE; layout++) {
                if (!show_field(layout, c, sink))
                        return false;
        }
        return true;
}
