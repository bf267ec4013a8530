/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a list of packages: the name that is found is one that a command may have. */
#include <stdlib.h>
#include <string.h>

#include "debug_package.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) name = {0};
        bool found = debug_package_in_list((const char *)data, size, "c0ffee", UINT64_MAX, &name);

        if (found != (name.len > 0) || strpbrk(buf_text(&name), " \t\n;&|$`'\"/\\") ||
            buf_text(&name)[0] == '-')
                abort();
        return 0;
}
