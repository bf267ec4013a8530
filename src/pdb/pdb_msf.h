/* SPDX-License-Identifier: BSD-3-Clause */
/* The container of a PDB (multi-stream file, "MSF 7.00"): numbered streams, each a list of equal blocks of the file. */
#ifndef PDB_MSF_H
#define PDB_MSF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"

enum {
        PDB_MIN_BLOCK_BYTES = 512,
        PDB_MAX_BLOCK_BYTES = 64 * 1024,
        PDB_MAX_STREAMS = 1 << 16, /* the rest of the format numbers them with 16 bits */
        PDB_NO_STREAM = 0xffff,
};

struct pdb_stream {
        uint32_t size_bytes;
        uint32_t first_block; /* its place in the list of all streams' blocks */
};

struct pdb_msf {
        struct cursor file;
        uint32_t block_bytes;
        struct cursor blocks; /* the numbers of all streams' blocks, 4 bytes each */
        uint8_t *directory;   /* a copy, where it is not in one piece */
        struct pdb_stream *streams;
        uint32_t n_streams;
};

/* Bytes of a stream: in the file where its blocks follow each other, else a copy. */
struct pdb_piece {
        struct cursor bytes;
        uint8_t *copy;
};

void pdb_piece_release(struct pdb_piece *piece);

/* Reads the directory.  `file` must outlive the reader. */
bool pdb_msf_init(struct pdb_msf *msf, const struct cursor *file, struct err *err);
void pdb_msf_release(struct pdb_msf *msf);

/* 0 where there is no such stream. */
uint32_t pdb_stream_size(const struct pdb_msf *msf, uint32_t stream);

/* The bytes [off, off + size) of a stream.  False when they are not all there. */
bool pdb_stream_piece(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t size,
                      struct pdb_piece *ret_piece, struct err *err);

/* The same for few bytes: copied into `to`. */
bool pdb_stream_copy(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t size, void *to);

/* The NUL-terminated text at `off`, at most `max_bytes` long: in the file, or copied into `copy`.  NULL when there is
 * none. */
const char *pdb_stream_text(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t max_bytes,
                            struct buf *copy);

#endif
