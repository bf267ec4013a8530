/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a decorated name: the result keeps the limits, and a failure does not change the output. */
#include <stdlib.h>
#include <string.h>

#include "undecorate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *name, size_t size, bool with_params)
{
        struct buf out = {0};
        bool ok;

        buf_add_str(&out, "kept");
        ok = undecorate(name, with_params, &out);
        if (memcmp(out.data, "kept", 4) != 0 || out.data[out.len] != '\0')
                abort();
        if (!ok && out.len != 4)
                abort();
        /* A suffix of two bytes becomes ` [clone .x]`. */
        if (out.len > UNDECORATE_MAX_OUTPUT_BYTES + 8 * size + 4)
                abort();
        buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        /* An allocation of the exact size, so that the sanitizer detects reads after the end. */
        char *name = malloc(size + 1);

        if (!name)
                return 0;
        memcpy(name, data, size);
        name[size] = '\0';
        check(name, size, true);
        check(name, size, false);
        free(name);
        return 0;
}
