/* SPDX-License-Identifier: BSD-3-Clause */
/* FILE.pysyms, which has the name of a function once for each of its lines. */
#include "python_names.h"

#include <string.h>

#include "buf.h"
#include "cursor.h"
#include "os.h"
#include "tap.h"

enum { N_LINES = 1000 };

/* The names of a function with N_LINES lines, as many as fit into `max_bytes`. */
static void write_names(uint64_t max_bytes, size_t *ret_n_left_out, struct buf *out)
{
        AUTO(python_places) places = python_places_new();
        AUTO(python_section) section = NULL;
        AUTO_RELEASE(buf) bytes = {0};
        struct err err = {0};
        char name[1001] = "";

        memset(name, 'f', sizeof(name) - 1);
        for (uint32_t i = 1; i <= N_LINES; i++)
                python_places_add(places, name, "/a/app.py", 1, i);
        python_places_write(places, &(struct python_counts){0}, &bytes);
        section = python_section_new(cursor_make(bytes.data, bytes.len));
        EXPECT_TRUE(section && bytes.len < 20000);
        EXPECT_TRUE(python_names_write(section, "python_names.tmp", max_bytes, ret_n_left_out, &err));
        EXPECT_TRUE(os_read_file("python_names.tmp", 1 << 24, out, &err));
        os_remove("python_names.tmp", NULL);
}

static bool has_text(const struct buf *image, const char *text)
{
        size_t len = strlen(text) + 1;

        for (size_t i = 0; i + len <= image->len; i++) {
                if (!memcmp(image->data + i, text, len))
                        return true;
        }
        return false;
}

TEST(names_are_left_out_above_the_limit)
{
        AUTO_RELEASE(buf) whole = {0};
        AUTO_RELEASE(buf) cut = {0};
        size_t n_left_out;

        write_names(PYTHON_NAMES_MAX_BYTES, &n_left_out, &whole);
        EXPECT_INT(n_left_out, 0);
        EXPECT_TRUE(whole.len > 1000 * N_LINES);
        EXPECT_TRUE(has_text(&whole, "f [app.py:1]") && has_text(&whole, "f [app.py:1000]"));
        write_names(100000, &n_left_out, &cut);
        EXPECT_TRUE(n_left_out > 890 && n_left_out < 910);
        EXPECT_TRUE(cut.len > 90000 && cut.len < 110000);
        EXPECT_TRUE(has_text(&cut, "f [app.py:1]") && !has_text(&cut, "f [app.py:1000]"));
}

TAP_MAIN
