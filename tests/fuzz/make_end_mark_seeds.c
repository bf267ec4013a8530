/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_end_marks into a folder. */
#include <string.h>

#include "end_marks.h"
#include "save_seed.h"

enum { VERSION_AT = 4, COUNT_AT = 8, KIND_AT = 12 };

static const char *folder;

static struct buf make_three(void)
{
        struct buf out = {0};

        end_marks_add(&out, &(struct end_mark){END_MARK_RETURN, 0x27249, "/lib/libc.so.6"});
        end_marks_add(&out, &(struct end_mark){END_MARK_EXACT, 0x1000, "[vdso]"});
        end_marks_add(&out, &(struct end_mark){END_MARK_NO_FILE, 0, "/gone"});
        return out;
}

static void save_changed(const char *name, size_t off, const char *bytes, size_t size)
{
        struct buf out = make_three();

        memcpy(out.data + off, bytes, size);
        save_seed(folder, name, &out);
}

static void save_cut(const char *name, size_t len)
{
        struct buf out = make_three();

        buf_truncate(&out, len);
        save_seed(folder, name, &out);
}

int main(int argc, char **argv)
{
        struct buf out = make_three();

        if (argc != 2)
                return 2;
        folder = argv[1];
        save_seed(folder, "three", &out);
        end_marks_open(&out);
        save_seed(folder, "empty", &out);
        save_changed("magic", 0, "w", 1);
        save_changed("version", VERSION_AT, "\2", 1);
        save_changed("many", COUNT_AT, "\1\0\1\0", 4);
        save_changed("fewer", COUNT_AT, "\2", 1);
        save_changed("kind", KIND_AT, "\3", 1);
        save_cut("cut", 26);
        save_cut("cut_in_header", 11);
        return 0;
}
