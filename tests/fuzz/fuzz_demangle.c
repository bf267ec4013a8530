/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a mangled name: the result stays in its limits, and a failure leaves the output alone. */
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Suffixes and the words for global constructors come on top of the limit, but no longer than the input. */
enum { FRAME_BYTES = 64 };

static void check(const char *name, size_t size, bool with_params)
{
        struct buf out = {0};
        bool ok;

        buf_add_str(&out, "kept");
        ok = demangle_cxx(name, with_params, &out);
        if (memcmp(out.data, "kept", 4) != 0 || out.data[out.len] != '\0')
                abort();
        if (ok ? out.len == 4 : out.len != 4)
                abort();
        /* A suffix of two bytes becomes ` [clone .x]`. */
        if (out.len > DEMANGLE_MAX_OUTPUT_BYTES + 8 * size + FRAME_BYTES)
                abort();
        buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        /* Exactly as large as the name, for the sanitizer to see a step behind it. */
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
