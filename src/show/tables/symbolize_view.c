/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbolize_view.h"

#include <assert.h>

#include "buf.h"
#include "text_number.h"
#include "text_printable.h"

/* --- Text --- */

static void add_place(const struct symbolize_row *row, struct buf *out)
{
        text_add_printable(out, row->path ? row->path : "??");
        if (row->line || !row->path) {
                buf_add_char(out, ':');
                text_add_u64(out, row->line);
        } else {
                buf_add_str(out, ":?");
        }
}

static void add_addr(uint64_t addr, struct buf *out)
{
        char *digits;

        buf_add_str(out, "0x");
        digits = buf_extend(out, 16);
        for (int i = 16; i--; addr >>= 4)
                digits[i] = "0123456789abcdef"[addr & 0xf];
        buf_add_str(out, ": ");
}

static void add_text(const struct symbolize_row *row, struct buf *out)
{
        text_add_printable(out, row->function ? row->function : "??");
        buf_add_str(out, row->is_known ? " at " : " ");
        add_place(row, out);
        buf_add_char(out, '\n');
}

/* --- JSON --- */

static void add_json_text(struct json *json, const char *key, const char *text)
{
        json_key(json, key);
        if (text)
                json_str(json, text);
        else
                json_null(json);
}

static void add_json_number(struct json *json, const char *key, uint32_t number)
{
        json_key(json, key);
        if (number)
                json_u64(json, number);
        else
                json_null(json);
}

static void add_json(const struct symbolize_row *row, struct json *json)
{
        json_begin_object(json);
        json_key(json, "address");
        json_hex(json, row->addr);
        add_json_text(json, "function", row->function);
        add_json_text(json, "file", row->path);
        add_json_number(json, "line", row->line);
        add_json_number(json, "column", row->column);
        json_key_bool(json, "inlined", row->is_inlined);
        json_key(json, "start");
        if (row->function)
                json_hex(json, row->start);
        else
                json_null(json);
        json_end_object(json);
}

/* --- Both --- */

enum { INSIDE = 2 }; /* the depth at which rows are added */

void symbolize_view_begin(struct symbolize_view *view, struct buf *text, struct buf *document)
{
        *view = (struct symbolize_view){.text = text, .document = document};
        if (!document)
                return;
        json_init(&view->json, document);
        json_begin_object(&view->json);
        json_key(&view->json, "frames");
        json_begin_array(&view->json);
}

void symbolize_view_add(struct symbolize_view *view, const struct symbolize_row *rows, size_t n)
{
        assert(n && (!view->document || view->json.depth == INSIDE));
        if (view->text)
                add_addr(rows[0].addr, view->text);
        for (size_t i = 0; i < n; i++) {
                if (view->text && i)
                        buf_add_str(view->text, " (inlined by) ");
                if (view->text)
                        add_text(&rows[i], view->text);
                if (view->document)
                        add_json(&rows[i], &view->json);
        }
}

void symbolize_view_end(struct symbolize_view *view)
{
        if (!view->document)
                return;
        assert(view->json.depth == INSIDE);
        json_end_array(&view->json);
        json_end_object(&view->json);
        buf_add_char(view->document, '\n');
}
