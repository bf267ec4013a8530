/* SPDX-License-Identifier: BSD-3-Clause */
#include "name_text.h"

#include "demangle_fold.h"
#include "table.h"
#include "text.h"

static void fold(const char *name, unsigned levels, struct buf *printable)
{
        AUTO_RELEASE(buf) folded = {0};

        demangle_fold(name, levels, &folded);
        buf_clear(printable);
        text_add_printable(printable, buf_text(&folded));
}

void name_text_add(struct buf *out, const char *name, size_t max_columns)
{
        static const unsigned levels[] = {FOLD_ALL_LEVELS, 2, 1, 0};
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < N_ELEMENTS(levels); i++) {
                fold(name, levels[i], &text);
                if (!max_columns || table_text_width(buf_text(&text)) <= max_columns) {
                        buf_add(out, text.data, text.len);
                        return;
                }
        }
        table_add_middle(out, buf_text(&text), max_columns);
}
