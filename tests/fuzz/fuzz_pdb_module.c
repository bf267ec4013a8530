/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the streams of a PDB with a valid container: each begins with 2 bytes of size; symbols of a
 * module, its lines, records of ids, of types, of public symbols with their addresses, contributions. */
#include <string.h>

#include "cursor.h"
#include "pdb_asked.h"
#include "pdb_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_INPUT_BYTES = 1 << 16 };

static void take(struct cursor *c, struct buf *out)
{
        size_t n = cursor_u16(c);

        if (n > cursor_left(c))
                n = cursor_left(c);
        if (n)
                buf_add(out, cursor_bytes(c, n), n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct pdb_builder b = {0};
        struct cursor c = cursor_make(data, size);
        AUTO_RELEASE(buf) bytes = {0};

        if (size > MAX_INPUT_BYTES)
                return 0;
        take(&c, &b.symbols);
        take(&c, &b.lines);
        take(&c, &b.ids);
        take(&c, &b.types);
        take(&c, &b.records);
        take(&c, &b.addresses);
        take(&c, &b.contributions);
        take(&c, &b.index);
        b.n_ids = b.n_types = 64;
        sample_files(&b);
        if (!b.contributions.len)
                built_contribution(&b, 1, 0, BUILT_SECTION_BYTES, 0);
        built_file_bytes(&b, 512, &bytes);
        {
                AUTO(pdb) pdb = pdb_open_bytes(bytes.data, bytes.len, "input", NULL);

                if (pdb)
                        pdb_asked_read(pdb);
        }
        built_release(&b);
        return 0;
}
