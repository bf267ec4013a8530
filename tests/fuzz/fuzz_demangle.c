/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a mangled name: the result keeps the limits, and a failure does not change the output. */
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "demangle_fold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Suffixes and the words for global constructors are added after the limit, but are no longer than the
 * input. */
enum { FRAME_BYTES = 64 };

/* A folded name is never much longer; if folding fails, the name does not change. */
static void check_fold(const char *name, unsigned levels)
{
        struct buf out = {0};

        buf_add_str(&out, "kept");
        if (!demangle_fold(name, levels, &out) && strcmp(out.data + 4, name) != 0)
                abort();
        if (memcmp(out.data, "kept", 4) != 0 || out.len > 2 * strlen(name) + FRAME_BYTES)
                abort();
        buf_release(&out);
}

static void check_short(const char *name)
{
        struct buf out = {0};

        if (demangle_without_clone(name) > strlen(name))
                abort();
        for (unsigned levels = 0; levels < 3; levels++)
                check_fold(name, levels);
        check_fold(name, FOLD_ALL_LEVELS);
        if (demangle_arguments(name, &out))
                check_fold(out.data, FOLD_ALL_LEVELS);
        buf_release(&out);
}

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
        /* An allocation of the exact size, so that the sanitizer detects reads after the end. */
        char *name = malloc(size + 1);

        if (!name)
                return 0;
        memcpy(name, data, size);
        name[size] = '\0';
        check(name, size, true);
        check(name, size, false);
        check_short(name);
        free(name);
        return 0;
}
