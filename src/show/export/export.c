/* SPDX-License-Identifier: BSD-3-Clause */
#include "export.h"

#include <assert.h>
#include <string.h>

#include "buf.h"
#include "text_printable.h"
#include "text_xml.h"

bool export_flush(const struct export_sink *sink, struct buf *out, size_t least, struct err *err)
{
        if (out->len < least)
                return true;
        if (!sink->put(sink->ctx, buf_text(out), out->len, err))
                return false;
        buf_clear(out);
        return true;
}

void export_cut(struct buf *out, size_t from, size_t max)
{
        size_t end = from + max;

        assert(from <= out->len);
        if (out->len <= end)
                return;
        for (int i = 0; i < 3 && end > from && (out->data[end] & 0xc0) == 0x80; i++)
                end--;
        buf_truncate(out, end);
        buf_add_str(out, "...");
}

/* Names may have many megabytes, so only the beginning is made printable. */
void export_add_text(const char *text, struct buf *out)
{
        size_t from = out->len;

        text = text ? text : "";
        if (strnlen(text, EXPORT_NAME_MAX + 1) > EXPORT_NAME_MAX) {
                AUTO_RELEASE(buf) head = {0};

                buf_add(&head, text, EXPORT_NAME_MAX + 1);
                text_add_printable(out, buf_text(&head));
        } else {
                text_add_printable(out, text);
        }
        export_cut(out, from, EXPORT_NAME_MAX);
        text_replace_noncharacters(out, from);
}

static bool has_name(const struct calltree_function *f)
{
        return *f->name && (f->kind != CALLTREE_UNKNOWN || strcmp(f->name, "unknown"));
}

/* Modules that are not files already have brackets: `[vdso]`. */
void export_add_name(const struct calltree_function *f, struct buf *out)
{
        size_t from = out->len;

        if (has_name(f) && (f->kind != CALLTREE_UNKNOWN || !*f->module)) {
                export_add_text(f->name, out);
                return;
        }
        if (*f->module != '[')
                buf_add_char(out, '[');
        export_add_text(f->kind == CALLTREE_CUT ? "cut" : *f->module ? f->module : "unknown", out);
        if (*f->module == '[' && out->data[out->len - 1] == ']')
                buf_truncate(out, out->len - 1);
        if (has_name(f)) {
                buf_add_char(out, '+');
                export_add_text(f->name, out);
        }
        buf_add_char(out, ']');
        export_cut(out, from, EXPORT_NAME_MAX);
}

uint32_t export_skip(const struct calltree *tree, uint32_t at)
{
        while (at != CALLTREE_ROOT) {
                const struct calltree_node *node = calltree_get_node(tree, at);

                if (node->next != CALLTREE_NONE)
                        return node->next;
                at = node->parent;
        }
        return CALLTREE_ROOT;
}

uint32_t export_next(const struct calltree *tree, uint32_t at)
{
        const struct calltree_node *node = calltree_get_node(tree, at);

        return node->first_child != CALLTREE_NONE ? node->first_child : export_skip(tree, at);
}

const struct calltree_function *export_function(const struct calltree *tree, uint32_t node)
{
        assert(node != CALLTREE_ROOT);
        return calltree_get_function(tree, calltree_get_node(tree, node)->function);
}

uint32_t export_depth(const struct calltree *tree)
{
        uint32_t depth = 0;

        for (uint32_t i = 0; i < calltree_n_nodes(tree); i++) {
                uint32_t own = calltree_get_node(tree, i)->depth;

                depth = own > depth ? own : depth;
        }
        return depth;
}
