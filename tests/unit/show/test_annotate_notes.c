/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes about source files that are missing. */
#include <string.h>

#include "annotate_view.h"
#include "tap.h"

static const char *note_of(void *ctx, const char *path)
{
        (void)ctx;
        if (strstr(path, "mine"))
                return NULL;
        return strstr(path, "new") ? "is newer than the program" : "was not found";
}

static void expect_notes(struct annotate_row *rows, size_t n, uint64_t max_rows, const char *want)
{
        const struct annotate_view view = {.max_rows = max_rows, .texts.note = note_of};
        const struct annotate_rows lines = {.rows = rows, .n_rows = n};
        AUTO_RELEASE(buf) out = {0};

        annotate_view_missing_source(&view, &lines, &out);
        EXPECT_STR(buf_text(&out), want);
}

TEST(one_note_of_each_kind)
{
        struct annotate_row rows[] = {{.path = "mine.rs"}, {.path = "core/cmp.rs"}, {.path = NULL},
                                      {.path = "new.rs"},  {.path = "raw.rs"},      {.path = "core/cmp.rs"},
                                      {.path = "mod.rs"}};

        expect_notes(rows, N_ELEMENTS(rows), 50,
                     "note: core/cmp.rs was not found; the same of 2 more files\n"
                     "note: new.rs is newer than the program\n");
        expect_notes(rows, N_ELEMENTS(rows), 5,
                     "note: core/cmp.rs was not found; the same of 1 more file\n"
                     "note: new.rs is newer than the program\n");
        expect_notes(rows, 1, 50, "");
}

TAP_MAIN
