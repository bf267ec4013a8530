/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the kernel's functions in the symbol cache: names are inside the bytes, and functions
 * contain the address. */
#include <stdlib.h>
#include <string.h>

#include "kallsyms_kept.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
        if (!ok)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(kallsyms_kept) kept = kallsyms_kept_new(data, size, "boot", NULL);

        for (size_t at = 0; kept && at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
                struct symtab_hit hit;
                uint64_t addr;

                memcpy(&addr, data + at, sizeof(addr));
                if (!kallsyms_kept_find(kept, addr, &hit))
                        continue;
                must(addr >= hit.start && addr - hit.start < hit.end - hit.start);
                must(memchr(hit.name, 0, hit.name_max));
        }
        return 0;
}
