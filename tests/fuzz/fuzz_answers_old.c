/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the symbols of a session that was archived in version 1: unchanged, and as content after a
 * correct header. */
#include "ask_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) section = {0};

        if (size > MAX_INPUT_BYTES)
                return 0;
        use_symbols(cursor_make(data, size));
        use_symbols(wrap("WPSY", 1, data, size, &section));
        return 0;
}
