/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the container of a PDB.  The first block is the superblock: 32 bytes of magic; then, 4 bytes each,
 * the size of a block, the active free-block map, the number of blocks, the size of the directory, an
 * unused field, and the numbers of the blocks that list the directory's blocks.  The directory has the
 * number of streams, their sizes, and the numbers of their blocks. Free-block maps are only used by
 * writers.  LLVM: docs/PDB/MsfFile. */
#include "pdb_msf.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

static const char magic[] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
                            "DS\0\0"; /* followed by one more 0 */

#define NIL_SIZE UINT32_MAX

void pdb_piece_release(struct pdb_piece *piece)
{
        free(piece->copy);
        *piece = (struct pdb_piece){0};
}

static uint32_t count_blocks(const struct pdb_msf *msf, uint32_t n_bytes)
{
        return (uint32_t)(((uint64_t)n_bytes + msf->block_bytes - 1) / msf->block_bytes);
}

/* --- Blocks --- */

/* The number of the i-th block in a list. */
static uint32_t get_block(const struct cursor *list, uint32_t i)
{
        uint32_t block;

        memcpy(&block, list->start + (size_t)i * sizeof(block), sizeof(block));
        return block;
}

/* Number of bytes from `off` on, at most `max`, that are contiguous in the file. */
static uint64_t count_together(const struct pdb_msf *msf, const struct cursor *list, uint32_t off,
                               uint64_t max)
{
        uint32_t i = off / msf->block_bytes;
        uint64_t n = msf->block_bytes - off % msf->block_bytes;

        for (; n < max && get_block(list, i + 1) == (uint64_t)get_block(list, i) + 1; i++)
                n += msf->block_bytes;
        return n < max ? n : max;
}

static struct cursor find_bytes(const struct pdb_msf *msf, const struct cursor *list, uint32_t off,
                                uint64_t size)
{
        uint64_t block = get_block(list, off / msf->block_bytes);

        return cursor_sub(&msf->file, block * msf->block_bytes + off % msf->block_bytes, size);
}

/* The caller must check that the list is long enough. */
static bool copy_blocks(const struct pdb_msf *msf, const struct cursor *list, uint32_t off, uint32_t size,
                        uint8_t *to)
{
        while (size) {
                uint64_t n = count_together(msf, list, off, size);
                struct cursor bytes = find_bytes(msf, list, off, n);

                if (bytes.failed)
                        return false;
                memcpy(to, bytes.start, (size_t)n);
                to += n;
                off += (uint32_t)n;
                size -= (uint32_t)n;
        }
        return true;
}

static bool get_piece(const struct pdb_msf *msf, const struct cursor *list, uint32_t off, uint32_t size,
                      struct pdb_piece *ret_piece, struct err *err)
{
        struct cursor bytes;
        uint8_t *copy;

        if (!size) {
                *ret_piece = (struct pdb_piece){.bytes = cursor_sub(&msf->file, 0, 0)};
                return true;
        }
        if (count_together(msf, list, off, size) == size) {
                bytes = find_bytes(msf, list, off, size);
                if (bytes.failed)
                        return err_set(err, ERR_FORMAT, "a block lies behind the file's end");
                *ret_piece = (struct pdb_piece){.bytes = bytes};
                return true;
        }
        /* Every block belongs to one stream only, so no stream is larger than the file. */
        if (size > cursor_left(&msf->file))
                return err_set(err, ERR_FORMAT, "a stream is larger than the file");
        copy = mem_new(size, 1);
        if (!copy_blocks(msf, list, off, size, copy)) {
                free(copy);
                return err_set(err, ERR_FORMAT, "a block lies behind the file's end");
        }
        *ret_piece = (struct pdb_piece){.bytes = cursor_make(copy, size), .copy = copy};
        return true;
}

/* --- The directory --- */

static bool read_streams(struct pdb_msf *msf, struct cursor directory, struct err *err)
{
        uint32_t n_streams = cursor_u32(&directory);
        struct cursor sizes = directory;
        uint64_t n_blocks = 0, n_listed;

        if (!cursor_skip(&directory, (uint64_t)n_streams * 4))
                return err_set(err, ERR_FORMAT, "its directory is too short for %u streams", n_streams);
        msf->blocks = cursor_sub(&directory, cursor_pos(&directory), cursor_left(&directory));
        n_listed = cursor_left(&msf->blocks) / 4;
        if (n_streams > PDB_MAX_STREAMS)
                n_streams = PDB_MAX_STREAMS;
        msf->streams = mem_new(n_streams, sizeof(*msf->streams));
        for (uint32_t i = 0; i < n_streams; i++) {
                uint32_t size = cursor_u32(&sizes);

                if (size == NIL_SIZE)
                        size = 0;
                if (n_blocks + count_blocks(msf, size) > n_listed)
                        return err_set(err, ERR_FORMAT, "its directory lacks the blocks of stream %u", i);
                msf->streams[i] = (struct pdb_stream){size, (uint32_t)n_blocks};
                msf->n_streams = i + 1;
                n_blocks += count_blocks(msf, size);
        }
        return true;
}

/* The superblock has the numbers of blocks that list the numbers of the directory's blocks. */
static bool read_directory(struct pdb_msf *msf, struct cursor c, uint32_t size, struct err *err)
{
        struct pdb_piece list = {0}, directory = {0};
        uint32_t list_bytes = count_blocks(msf, size) * 4;
        struct cursor list_blocks;
        bool is_good;

        list_blocks = cursor_sub(&c, cursor_pos(&c), (uint64_t)count_blocks(msf, list_bytes) * 4);
        if (list_blocks.failed || !size)
                return err_set(err, ERR_FORMAT, "has no directory of its streams");
        if (!get_piece(msf, &list_blocks, 0, list_bytes, &list, err))
                return false;
        is_good = get_piece(msf, &list.bytes, 0, size, &directory, err);
        pdb_piece_release(&list);
        if (!is_good)
                return false;
        msf->directory = directory.copy;
        return read_streams(msf, directory.bytes, err);
}

bool pdb_msf_init(struct pdb_msf *msf, const struct cursor *file, struct err *err)
{
        struct cursor c = *file, superblock;
        const char *found = cursor_bytes(&c, sizeof(magic));
        uint32_t size;

        msf->file = *file;
        if (!found || memcmp(found, magic, sizeof(magic)))
                return err_set(err, ERR_FORMAT, "is not a PDB (its first bytes are not those of a PDB)");
        msf->block_bytes = cursor_u32(&c);
        if (msf->block_bytes < PDB_MIN_BLOCK_BYTES || msf->block_bytes > PDB_MAX_BLOCK_BYTES ||
            (msf->block_bytes & (msf->block_bytes - 1)))
                return err_set(err, ERR_FORMAT, "has blocks of %u bytes, a size that is not valid in a PDB",
                               msf->block_bytes);
        cursor_skip(&c, 8);
        size = cursor_u32(&c);
        cursor_skip(&c, 4);
        superblock = cursor_sub(file, 0, msf->block_bytes);
        if (c.failed || superblock.failed)
                return err_set(err, ERR_FORMAT, "ends inside its first block");
        cursor_seek(&superblock, cursor_pos(&c));
        return read_directory(msf, superblock, size, err);
}

void pdb_msf_release(struct pdb_msf *msf)
{
        free(msf->directory);
        free(msf->streams);
        *msf = (struct pdb_msf){0};
}

/* --- Streams --- */

uint32_t pdb_stream_size(const struct pdb_msf *msf, uint32_t stream)
{
        return stream < msf->n_streams && stream != PDB_NO_STREAM ? msf->streams[stream].size_bytes : 0;
}

/* The block numbers of the stream. */
static struct cursor list_blocks(const struct pdb_msf *msf, uint32_t stream)
{
        const struct pdb_stream *s = &msf->streams[stream];

        return cursor_sub(&msf->blocks, (uint64_t)s->first_block * 4,
                          (uint64_t)count_blocks(msf, s->size_bytes) * 4);
}

static bool has_bytes(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t size)
{
        uint32_t total = pdb_stream_size(msf, stream);

        return off <= total && size <= total - off;
}

bool pdb_stream_piece(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t size,
                      struct pdb_piece *ret_piece, struct err *err)
{
        struct cursor list;

        if (!has_bytes(msf, stream, off, size))
                return err_set(err, ERR_FORMAT, "stream %u ends too early", stream);
        if (!size) {
                *ret_piece = (struct pdb_piece){.bytes = cursor_sub(&msf->file, 0, 0)};
                return true;
        }
        list = list_blocks(msf, stream);
        return get_piece(msf, &list, off, size, ret_piece, err);
}

bool pdb_stream_copy(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t size, void *to)
{
        struct cursor list;

        if (!has_bytes(msf, stream, off, size))
                return false;
        if (!size)
                return true;
        list = list_blocks(msf, stream);
        return copy_blocks(msf, &list, off, size, to);
}

const char *pdb_stream_text(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t max_bytes,
                            struct buf *copy)
{
        uint32_t total = pdb_stream_size(msf, stream);
        struct cursor list;

        if (off >= total)
                return NULL;
        list = list_blocks(msf, stream);
        buf_clear(copy);
        if (max_bytes > total - off)
                max_bytes = total - off;
        while (max_bytes) {
                uint32_t in_block = msf->block_bytes - off % msf->block_bytes;
                uint32_t n = in_block < max_bytes ? in_block : max_bytes;
                struct cursor bytes = find_bytes(msf, &list, off, n);
                const void *end;

                if (bytes.failed)
                        return NULL;
                end = memchr(bytes.start, 0, n);
                if (end && !copy->len)
                        return (const char *)bytes.start;
                buf_add(copy, bytes.start, end ? (size_t)((const uint8_t *)end - bytes.start) : n);
                if (end)
                        return buf_text(copy);
                off += n;
                max_bytes -= n;
        }
        return NULL;
}
