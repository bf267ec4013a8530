/* SPDX-License-Identifier: BSD-3-Clause */
#include "name_text.h"

#include <string.h>

#include "buf.h"
#include "demangle_fold.h"
#include "table.h"
#include "text_printable.h"
#include "text_width.h"

static const unsigned levels[] = {FOLD_ALL_LEVELS, 2, 1, 0};

static void fold(const char *name, unsigned n_levels, struct buf *printable)
{
        AUTO_RELEASE(buf) folded = {0};

        demangle_fold(name, n_levels, &folded);
        buf_clear(printable);
        text_add_printable(printable, buf_text(&folded));
}

/* Keeps the position where the name differs from `twin`. */
static void add_apart(struct buf *out, const char *name, const char *twin, size_t max_columns)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) other = {0};
        size_t same = 0;

        fold(name, FOLD_ALL_LEVELS, &text);
        fold(twin, FOLD_ALL_LEVELS, &other);
        while (same < text.len && same < other.len && text.data[same] == other.data[same])
                same++;
        table_add_around(out, buf_text(&text), same, max_columns);
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
        if (twin && max_columns)
                add_apart(out, name, twin, max_columns);
        else
                table_add_middle(out, buf_text(&text), max_columns);
}
