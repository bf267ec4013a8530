/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_symbol_index into the folder that is its argument.  Run by hand when the format changes. */
#include <stdio.h>
#include <string.h>

#include "symbol_index_internal.h"

static const char *folder;

static void save(const char *name, const struct buf *bytes)
{
        char path[500];
        FILE *out;

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        out = fopen(path, "wb");
        if (!out || fwrite(bytes->data, 1, bytes->len, out) != bytes->len || fclose(out))
                perror(path);
}

static void make_empty(const struct symbol_index_key *key, struct buf *out)
{
        AUTO_RELEASE(symbol_batch) batch;

        symbol_batch_init(&batch, SYMBOL_INDEX_MAX_FILE_BYTES);
        symbol_batch_write(&batch, key, out);
}

static void make_some(const struct symbol_index_key *key, struct buf *out)
{
        static const struct source_frame frames[] = {
                {"inner", "/src/a.h", 12, 5, true, 0x1001},
                {"middle", "/src/a.c", 34, 1, true, 0x1001},
                {"outer", "/src/a.c", 56, 0, false, 0x1000},
                {NULL, "/src/b.c", 7, 0, false, 0},
                {"plain", NULL, 0, 0, false, 0x2000},
                {"", "", UINT32_MAX, UINT32_MAX, false, UINT64_MAX},
        };
        AUTO_RELEASE(symbol_batch) batch;

        symbol_batch_init(&batch, SYMBOL_INDEX_MAX_FILE_BYTES);
        symbol_batch_add(&batch, 0, NULL, 0);
        symbol_batch_add(&batch, 0x1001, frames, 3);
        symbol_batch_add(&batch, 0x1003, frames + 1, 2);
        symbol_batch_add(&batch, 0x1002, frames, 3);
        symbol_batch_add(&batch, 0x1fff, frames + 3, 1);
        symbol_batch_add(&batch, 0x2000, frames + 4, 1);
        symbol_batch_add(&batch, UINT64_MAX, frames + 5, 1);
        symbol_batch_write(&batch, key, out);
}

/* Changes a 32-bit number; the target makes the checksum right. */
static void save_changed(const char *name, const struct buf *good, size_t off, uint32_t value)
{
        AUTO_RELEASE(buf) bytes = {0};

        buf_add(&bytes, good->data, good->len);
        memcpy(bytes.data + off, &value, sizeof(value));
        save(name, &bytes);
}

int main(int argc, char **argv)
{
        struct symbol_index_key key = {.build_id = {1, 2, 3, 4, 5, 6, 7, 8}, .build_id_size = 8};
        AUTO_RELEASE(buf) bytes = {0};
        struct symbol_image_header header;
        size_t spans, frames, offs;

        if (argc != 2)
                return 1;
        folder = argv[1];
        make_empty(&key, &bytes);
        save("empty", &bytes);
        make_some(&key, &bytes);
        save("some", &bytes);
        memcpy(&header, bytes.data, sizeof(header));
        spans = sizeof(header) + 8u * header.n_addrs;
        frames = spans + 8u * header.n_addrs;
        offs = frames + sizeof(struct symbol_image_frame) * header.n_frames;
        save_changed("magic", &bytes, 0, 0);
        save_changed("byte-order", &bytes, offsetof(struct symbol_image_header, byte_order), 0x04030201);
        save_changed("too-many-addrs", &bytes, offsetof(struct symbol_image_header, n_addrs), UINT32_MAX);
        save_changed("texts-too-short", &bytes, offsetof(struct symbol_image_header, texts_size), 1);
        save_changed("first-outside", &bytes, spans + 8, header.n_frames + 1);
        save_changed("n-outside", &bytes, spans + 12, UINT32_MAX);
        save_changed("n-too-many", &bytes, spans + 12, header.n_frames);
        save_changed("text-outside", &bytes, frames + 8, header.n_texts + 1);
        save_changed("text-off-outside", &bytes, offs + 4, UINT32_MAX);
        save_changed("text-overlaps", &bytes, offs + 4, 1);
        save_changed("text-endless", &bytes, bytes.len - 4, 0x41414141);
        save_changed("addrs-not-sorted", &bytes, sizeof(header) + 8, 0x3000);
        bytes.len -= 3;
        save("cut", &bytes);
        return 0;
}
