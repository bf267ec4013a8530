/* SPDX-License-Identifier: BSD-3-Clause */
/* The container of a PDB (multi-stream file, "MSF 7.00"): numbered streams, each a list of blocks of equal
 * size. */
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
        PDB_MAX_STREAMS = 1 << 16, /* other parts of the format number streams with 16 bits */
        PDB_NO_STREAM = 0xffff,
};

struct pdb_stream {
        uint32_t size_bytes;
        uint32_t first_block; /* index of its first block in the list of all streams' blocks */
};

struct pdb_msf {
        struct cursor file;
        uint32_t block_bytes;
        struct cursor blocks; /* the numbers of all streams' blocks, 4 bytes each */
        uint8_t *directory;   /* a copy, if it is not contiguous */
        struct pdb_stream *streams;
        uint32_t n_streams;
};

/* Bytes of a stream: a pointer into the file if its blocks are contiguous, otherwise a copy. */
struct pdb_piece {
        struct cursor bytes;
        uint8_t *copy;
};

void pdb_piece_release(struct pdb_piece *piece);

/* Reads the directory.  `file` must outlive the reader. */
bool pdb_msf_init(struct pdb_msf *msf, const struct cursor *file, struct err *err);
void pdb_msf_release(struct pdb_msf *msf);

/* 0 if there is no such stream. */
uint32_t pdb_stream_size(const struct pdb_msf *msf, uint32_t stream);

/* The bytes [off, off + size) of a stream.  False if some of them do not exist. */
bool pdb_stream_piece(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t size,
                      struct pdb_piece *ret_piece, struct err *err);

/* The same for a few bytes, copied into `to`. */
bool pdb_stream_copy(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t size, void *to);

/* The NUL-terminated text at `off`, at most `max_bytes` long: a pointer into the file, or copied into
 * `copy`.  NULL if there is none. */
const char *pdb_stream_text(const struct pdb_msf *msf, uint32_t stream, uint32_t off, uint32_t max_bytes,
                            struct buf *copy);

#endif
