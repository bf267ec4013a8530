/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_kallsyms_kept into a folder: the result of kallsyms_kept_write for a small
 * kernel, and damaged forms of it. */
#include <string.h>

#include "kallsyms_kept.h"
#include "save_seed.h"

/* Offsets in the header, and in a function. */
enum { BYTE_ORDER_AT = 8, VERSION_AT = 12, NAMES_SIZE_AT = 20, HEADER_BYTES = 88 };
enum { NAME_OFF_AT = 12, FUNCTION_BYTES = 16 };

static const struct {
        uint64_t start;
        const char *name;
} functions[] = {
        {0xffffffff81000000, "_stext"},
        {0xffffffff81000100, "do_one_initcall"},
        {0xffffffff81000200, "vfs_read"},
        {0xffffffff81000400, "behind"},
};

/* All are kept but the one behind. */
enum { N_FUNCTIONS = sizeof(functions) / sizeof(*functions), N_KEPT = N_FUNCTIONS - 1, LAST = N_KEPT - 1 };

static const char *folder;

static struct buf make_sound(const char *boot)
{
        AUTO(symtab) tab = symtab_new();
        AUTO_RELEASE(buf) names = {0};
        uint32_t offs[N_FUNCTIONS];
        struct buf out = {0};

        for (size_t i = 0; i < N_FUNCTIONS; i++) {
                offs[i] = (uint32_t)names.len;
                buf_add(&names, functions[i].name, strlen(functions[i].name) + 1);
        }
        symtab_add_names(tab, names.data, names.len);
        for (size_t i = 0; i < N_FUNCTIONS; i++)
                symtab_add(tab, &(struct symtab_symbol){.addr = functions[i].start, .name_off = offs[i]});
        symtab_finish(tab);
        kallsyms_kept_write(tab, boot, &out);
        return out;
}

/* A valid file with `size` bytes at `off` changed. */
static void save_changed(const char *name, size_t off, const void *bytes, size_t size)
{
        struct buf out = make_sound("boot");

        memcpy(out.data + off, bytes, size);
        save_seed(folder, name, &out);
}

/* A valid file that is `more` bytes longer, or shorter. */
static void save_resized(const char *name, int more)
{
        struct buf out = make_sound("boot");

        if (more > 0)
                buf_add_zeros(&out, (size_t)more);
        else
                buf_truncate(&out, out.len - (size_t)-more);
        save_seed(folder, name, &out);
}

/* A function that ends after the last address. */
static void save_wraps(void)
{
        const uint64_t start = UINT64_MAX - 7;

        save_changed("wraps", HEADER_BYTES + LAST * FUNCTION_BYTES, &start, sizeof(start));
}

static void save_unsorted(void)
{
        struct buf out = make_sound("boot");
        char *first = out.data + HEADER_BYTES, *last = first + LAST * FUNCTION_BYTES;
        char kept[FUNCTION_BYTES];

        memcpy(kept, first, sizeof(kept));
        memcpy(first, last, sizeof(kept));
        memcpy(last, kept, sizeof(kept));
        save_seed(folder, "unsorted", &out);
}

static void save_no_names(void)
{
        struct buf out = make_sound("boot");

        memset(out.data + NAMES_SIZE_AT, 0, sizeof(uint32_t));
        buf_truncate(&out, HEADER_BYTES + N_KEPT * FUNCTION_BYTES);
        save_seed(folder, "no_names", &out);
}

int main(int argc, char **argv)
{
        struct buf out;
        size_t last_byte;

        if (argc != 2)
                return 2;
        folder = argv[1];
        out = make_sound("boot");
        last_byte = out.len - 1;
        save_seed(folder, "sound", &out);
        out = make_sound("another");
        save_seed(folder, "other_boot", &out);
        save_changed("other_magic", 0, "W", 1);
        save_changed("other_byte_order", BYTE_ORDER_AT, "\1\2\3\4", 4);
        save_changed("version", VERSION_AT, "\2", 1);
        save_changed("name_outside", HEADER_BYTES + NAME_OFF_AT, "\xff\xff\xff\xff", 4);
        save_changed("names_without_end", last_byte, "x", 1);
        save_no_names();
        save_unsorted();
        save_wraps();
        save_resized("longer", 3);
        save_resized("cut", -58);
        save_resized("cut_in_header", -100);
        return 0;
}
