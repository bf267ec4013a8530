/* SPDX-License-Identifier: BSD-3-Clause */
#include "name_text.h"

#include <string.h>

#include "buf.h"
#include "demangle_fold.h"
#include "table.h"
#include "text_printable.h"
#include "text_width.h"

static const unsigned levels[] = {FOLD_ALL_LEVELS, 2, 1, 0};

/* Of Python, as <module>, f.<locals>.<lambda> and the file <string>: those are no arguments of templates. */
static bool has_python_words(const char *name)
{
        return *name == '<' || strstr(name, ".<") || strstr(name, " [<");
}

static void fold(const char *name, unsigned n_levels, struct buf *printable)
{
        AUTO_RELEASE(buf) folded = {0};

        demangle_fold(name, has_python_words(name) ? FOLD_ALL_LEVELS : n_levels, &folded);
        buf_clear(printable);
        text_add_printable(printable, buf_text(&folded));
}

/* Keeps the position where the name differs from `twin`. */
static void add_apart(struct buf *out, const struct buf *name, const struct buf *twin, size_t max_columns)
{
        size_t same = 0;

        while (same < name->len && same < twin->len && name->data[same] == twin->data[same])
                same++;
        table_add_around(out, buf_text(name), same, max_columns);
}

/* Where the file and line in brackets behind a name begin, as in `loads [json/__init__.py:299]`; its length
 * if it has none. */
static size_t find_origin(const struct buf *text)
{
        const char *at = NULL;

        if (text->len && text->data[text->len - 1] == ']') {
                for (const char *next = strstr(buf_text(text), " ["); next; next = strstr(next + 1, " ["))
                        at = next;
        }
        return at ? (size_t)(at - buf_text(text)) : text->len;
}

/* The name goes before its file, unless only the file tells it from `twin`, which may be NULL. */
static void cut_origins(struct buf *name, struct buf *twin, size_t max_columns)
{
        size_t n = find_origin(name), n_twin = twin ? find_origin(twin) : 0;

        if (!max_columns || !n || (twin && n == n_twin && !memcmp(name->data, twin->data, n)))
                return;
        buf_truncate(name, n);
        if (twin)
                buf_truncate(twin, n_twin);
}

void name_text_add(struct buf *out, const char *name, const char *twin, size_t max_columns)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) other = {0};

        for (size_t i = 0; i < N_ELEMENTS(levels); i++) {
                fold(name, levels[i], &text);
                if (max_columns && text_width(buf_text(&text)) > max_columns)
                        continue;
                if (twin)
                        fold(twin, levels[i], &other);
                if (!twin || strcmp(buf_text(&text), buf_text(&other)) != 0) {
                        buf_add(out, text.data, text.len);
                        return;
                }
        }
        if (twin) {
                fold(name, FOLD_ALL_LEVELS, &text);
                fold(twin, FOLD_ALL_LEVELS, &other);
        }
        cut_origins(&text, twin ? &other : NULL, max_columns);
        if (twin && max_columns)
                add_apart(out, &text, &other, max_columns);
        else
                table_add_middle(out, buf_text(&text), max_columns);
}
