/* SPDX-License-Identifier: BSD-3-Clause */
/* The input is a list of resources as Windows keeps it in the registry. */
#include <stdlib.h>

#include "resource_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        uint64_t first;
        uint32_t n;

        if (resource_list_find_memory(data, size, &first, &n) && (!n || first + n < first))
                abort();
        return 0;
}
