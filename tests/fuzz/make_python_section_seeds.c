/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_python_section into a folder. */
#include <string.h>

#include "python_section.h"
#include "save_seed.h"

enum {
        VERSION_AT = 4,
        MERGED_AT = 16,
        REASONS_AT = 24,
        CODE_BYTES = 12,
        FILE_BYTES = 20,
        FILES_AT = -2 * FILE_BYTES - 4,
        LAST_PLACE_AT = FILES_AT - 8,
        LAST_CODE_AT = FILES_AT - 6 * 8 - CODE_BYTES,
};

static const char *folder;

static struct buf make(void)
{
        const struct python_counts counts = {9, 7, 2, {{1, "in start-up"}, {1, "generator at exit"}}};
        AUTO(python_places) places = python_places_new();
        struct buf out = {0};

        python_places_add(places, "parse", "/a/app.py", 5, 6);
        python_places_add(places, "<module>", "/a/app.py", 1, 40);
        python_places_add(places, "parse", "/a/app.py", 5, 9);
        python_places_add(places, "parse", "/a/json/__init__.py", 5, 6);
        python_places_add(places, "", "", 0, 0);
        python_places_add(places, "parse", "/a/app.py", 5, 7);
        python_places_add_file(places, "/a/app.py", 700, 1700000000);
        python_places_add_file(places, "/a/json/__init__.py", 1 << 20, -1);
        python_places_write(places, &counts, &out);
        return out;
}

static void save_approximate(void)
{
        const struct python_counts counts = {.n_stacks = 1, .n_merged = 1, .is_approximate = true};
        AUTO(python_places) places = python_places_new();
        struct buf out = {0};

        python_places_add(places, "parse", "/a/app.py", 5, 6);
        python_places_write(places, &counts, &out);
        save_seed(folder, "approximate", &out);
}

static void save_empty(void)
{
        const struct python_counts counts = {0};
        AUTO(python_places) places = python_places_new();
        struct buf out = {0};

        python_places_write(places, &counts, &out);
        save_seed(folder, "empty", &out);
}

/* Texts of the maximum length, and one that ends the texts. */
static void save_long(void)
{
        const struct python_counts counts = {1, 1};
        AUTO(python_places) places = python_places_new();
        AUTO_RELEASE(buf) name = {0};
        struct buf out = {0};

        while (name.len < PYTHON_MAX_TEXT_BYTES)
                buf_add_char(&name, 'n');
        python_places_add(places, buf_text(&name), "/a/app.py", 1, 2);
        python_places_add(places, buf_text(&name), buf_text(&name), 1, 2);
        python_places_write(places, &counts, &out);
        save_seed(folder, "long", &out);
}

/* From the end when `off` is negative. */
static void save_changed(const char *name, int off, const char *bytes, size_t size)
{
        struct buf out = make();

        memcpy(out.data + (off < 0 ? out.len - (size_t)-off : (size_t)off), bytes, size);
        save_seed(folder, name, &out);
}

int main(int argc, char **argv)
{
        struct buf out = make();

        if (argc != 2)
                return 2;
        folder = argv[1];
        save_seed(folder, "places", &out);
        save_empty();
        save_approximate();
        save_long();
        save_changed("magic", 0, "w", 1);
        save_changed("version", VERSION_AT, "\2", 1);
        save_changed("merged", MERGED_AT, "\12", 1);
        save_changed("reasons", REASONS_AT, "\101", 1);
        save_changed("code", LAST_PLACE_AT, "\11", 1);
        save_changed("function", LAST_CODE_AT, "\377\377", 2);
        save_changed("file", LAST_CODE_AT + 4, "\377\377", 2);
        save_changed("text_without_end", LAST_CODE_AT - 3 * CODE_BYTES - 1, "x", 1);
        save_changed("line", LAST_PLACE_AT + 4, "\377\377\377\377", 4);
        save_changed("same_line", LAST_PLACE_AT + 4, "\6", 1);
        save_changed("behind_texts", LAST_CODE_AT, "\56", 1);
        out = make();
        buf_truncate(&out, out.len + FILES_AT + 3);
        save_seed(folder, "cut_before_files", &out);
        out = make();
        buf_truncate(&out, out.len - 3);
        save_seed(folder, "cut", &out);
        out = make();
        buf_truncate(&out, REASONS_AT + 2);
        save_seed(folder, "cut_in_counts", &out);
        out = make();
        buf_truncate(&out, 3);
        save_seed(folder, "cut_in_magic", &out);
        out = make();
        buf_truncate(&out, out.len + FILES_AT);
        save_seed(folder, "without_files", &out);
        out = make();
        buf_truncate(&out, out.len + FILES_AT - 6 * 8);
        save_seed(folder, "without_places", &out);
        save_changed("path", -FILE_BYTES, "\377\377", 2);
        save_changed("files", FILES_AT, "\3", 1);
        return 0;
}
