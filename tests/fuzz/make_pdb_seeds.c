/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_pdb and fuzz_pdb_module into the two folders given as its arguments.  Run by
 * hand when the reader changes. */
#include <stdio.h>

#include "pdb_sample.h"

static void save(const char *folder, const char *name, struct buf *bytes)
{
        char path[500];
        FILE *out;

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        out = fopen(path, "wb");
        if (!out || fwrite(bytes->data, 1, bytes->len, out) != bytes->len || fclose(out))
                perror(path);
        buf_release(bytes);
}

static void add_part(struct buf *out, const struct buf *part)
{
        buf_add_u16(out, (uint16_t)part->len);
        buf_add(out, part->data, part->len);
}

static void save_module(const char *folder, const char *name, const struct pdb_builder *b)
{
        struct buf out = {0};

        add_part(&out, &b->symbols);
        add_part(&out, &b->lines);
        add_part(&out, &b->ids);
        add_part(&out, &b->types);
        add_part(&out, &b->records);
        add_part(&out, &b->addresses);
        add_part(&out, &b->contributions);
        add_part(&out, &b->index);
        save(folder, name, &out);
}

static void save_whole(const char *folder, const char *name, const struct pdb_builder *b,
                       uint32_t block_bytes, bool is_scattered)
{
        struct msf_builder msf = {.block_bytes = block_bytes, .is_scattered = is_scattered};
        struct buf out = {0};

        built_streams(b, &msf);
        msf_build(&msf, msf_write_buf, &out);
        msf_release(&msf);
        save(folder, name, &out);
}

int main(int argc, char **argv)
{
        struct pdb_builder b = {0};

        if (argc != 3)
                return 2;
        sample_make(&b);
        save_whole(argv[1], "sample", &b, 512, false);
        save_whole(argv[1], "scattered", &b, 512, true);
        save_whole(argv[1], "wide", &b, 1024, false);
        save_module(argv[2], "sample", &b);
        b.has_omap = true;
        save_whole(argv[1], "moved", &b, 512, false);
        b.has_omap = false;
        buf_add_u32(&b.index, BUILT_FIRST_TYPE);
        buf_add_u32(&b.index, 0);
        save_whole(argv[1], "index", &b, 512, true);
        save_module(argv[2], "index", &b);
        buf_clear(&b.contributions);
        b.is_new = true;
        built_contribution(&b, 1, SAMPLE_COLD, 0x20, 0);
        built_contribution(&b, 1, SAMPLE_MAIN, 0x90, 0);
        save_whole(argv[1], "disorder", &b, 512, false);
        save_module(argv[2], "disorder", &b);
        built_release(&b);
        return 0;
}
