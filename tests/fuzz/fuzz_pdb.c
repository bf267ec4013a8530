/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a PDB: container, streams, functions, lines, inlined functions, labels and public symbols. */
#include <stdlib.h>
#include <string.h>

#include "pdb_asked.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_INPUT_BYTES = 1 << 18 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(pdb) pdb = size <= MAX_INPUT_BYTES ? pdb_open_bytes(data, size, "input", NULL) : NULL;

        if (pdb)
                pdb_asked_read(pdb);
        return 0;
}
