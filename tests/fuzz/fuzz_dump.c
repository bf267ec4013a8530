/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a session file, dumped in both forms. */
#include "dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool drop(void *ctx, const void *bytes, size_t size, struct err *err)
{
        *(size_t *)ctx += size;
        return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(dump) dump = dump_open_bytes(data, size, "input", NULL);
        size_t n_bytes = 0;

        if (!dump)
                return 0;
        dump_write(dump, false, &(struct field_output){drop, &n_bytes}, NULL);
        dump_write(dump, true, &(struct field_output){drop, &n_bytes}, NULL);
        return 0;
}
