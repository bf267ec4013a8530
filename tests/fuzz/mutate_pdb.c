/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutates PDBs by their structure: divides the container into streams, changes one of them, and makes a
 * container again. */
#include "cursor.h"
#include "mutate_pdb_records.h"
#include "pdb_builder.h"

enum { MAX_BLOCKS = 4096, TYPES_HEAD = 56, SYMBOLS_HEAD = 4, PUBLICS_HEAD = 28 };

struct container {
        struct cursor all;
        uint32_t block_bytes;
};

/* Appends `size` bytes from the blocks with the numbers in `list`. */
static bool add_blocks(const struct container *file, struct cursor *list, size_t size, struct buf *out)
{
        for (size_t n = 0; size; n++) {
                struct cursor block = cursor_sub(&file->all, (uint64_t)cursor_u32(list) * file->block_bytes,
                                                 file->block_bytes);
                size_t part = size < file->block_bytes ? size : file->block_bytes;

                if (block.failed || list->failed || n >= MAX_BLOCKS)
                        return false;
                buf_add(out, block.start, part);
                size -= part;
        }
        return true;
}

static size_t count_blocks(const struct container *file, size_t size)
{
        return (size + file->block_bytes - 1) / file->block_bytes;
}

static bool read_directory(struct container *file, struct buf *out)
{
        struct buf list = {0};
        struct cursor c;
        uint32_t size;
        bool ok;

        cursor_seek(&file->all, 32);
        file->block_bytes = cursor_u32(&file->all);
        cursor_skip(&file->all, 8);
        size = cursor_u32(&file->all);
        cursor_skip(&file->all, 4);
        if (file->all.failed || file->block_bytes < 512 || file->block_bytes > 4096 || size > 1 << 16)
                return false;
        ok = add_blocks(file, &file->all, count_blocks(file, size) * 4, &list);
        c = cursor_make(list.data, list.len);
        ok = ok && add_blocks(file, &c, size, out);
        buf_release(&list);
        return ok;
}

static bool read_streams(struct container *file, struct msf_builder *msf)
{
        struct buf directory = {0};
        struct cursor sizes, blocks;
        bool ok = read_directory(file, &directory);

        sizes = cursor_make(directory.data, directory.len);
        msf->n_streams = cursor_u32(&sizes);
        ok = ok && msf->n_streams && msf->n_streams <= MSF_MAX_STREAMS;
        blocks = sizes;
        if (ok)
                cursor_skip(&blocks, (uint64_t)msf->n_streams * 4);
        for (uint32_t i = 0; ok && i < msf->n_streams; i++) {
                uint32_t size = cursor_u32(&sizes);

                msf->is_nil[i] = size == UINT32_MAX;
                ok = msf->is_nil[i] || add_blocks(file, &blocks, size, &msf->streams[i]);
        }
        buf_release(&directory);
        return ok && !sizes.failed;
}

enum { MODULE_SIGNATURE = 4, TYPES_VERSION = 20040203 };

static uint32_t first_number(const struct buf *stream)
{
        struct cursor c = cursor_make(stream->data, stream->len);

        return cursor_u32(&c);
}

/* Streams of modules and types are recognised by their first number; others by their numbers in the PDBs
 * that the tests make. */
static void change_stream(struct msf_builder *msf, size_t max_bytes, struct mutate_random *random)
{
        uint32_t i = (uint32_t)mutate_below(random, msf->n_streams);
        struct buf *stream = &msf->streams[i];
        uint32_t first = first_number(stream);

        if (mutate_one_in(random, 20))
                msf->is_nil[i] = !msf->is_nil[i];
        if (mutate_one_in(random, 4))
                mutate_plain(stream, max_bytes);
        else if (first == TYPES_VERSION)
                mutate_pdb_change(stream, TYPES_HEAD, MUTATE_PDB_TYPES, max_bytes, random);
        else if (first == MODULE_SIGNATURE)
                mutate_pdb_change(stream, SYMBOLS_HEAD, MUTATE_PDB_SYMBOLS, max_bytes, random);
        else if (i == BUILT_RECORDS)
                mutate_pdb_change(stream, 0, MUTATE_PDB_PUBLICS, max_bytes, random);
        else if (i == BUILT_PUBLICS)
                mutate_pdb_change(stream, PUBLICS_HEAD, MUTATE_PDB_U32, max_bytes, random);
        else if (i == BUILT_HASH)
                mutate_pdb_change(stream, 0, MUTATE_PDB_PAIRS, max_bytes, random);
        else
                mutate_plain(stream, max_bytes);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
        struct mutate_random random = mutate_random_make(seed);
        struct container file = {.all = cursor_make(data, size)};
        struct msf_builder msf = {0};
        struct buf out = {0};
        bool ok = !mutate_one_in(&random, 4) && read_streams(&file, &msf);

        if (ok) {
                change_stream(&msf, max_size, &random);
                msf.block_bytes = file.block_bytes;
                msf.is_scattered = mutate_one_in(&random, 8);
                msf_build(&msf, msf_write_buf, &out);
                ok = out.len <= max_size;
        }
        size = ok ? mutate_finish(&out, data, max_size) : LLVMFuzzerMutate(data, size, max_size);
        msf_release(&msf);
        buf_release(&out);
        return size;
}
