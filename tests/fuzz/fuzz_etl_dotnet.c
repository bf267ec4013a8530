/* SPDX-License-Identifier: BSD-3-Clause */
/* Any payload as an event about a method of .NET (etl_payload.h). */
#include <stdlib.h>
#include <string.h>

#include "etl_dotnet.h"
#include "etl_payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NUMBERS_BYTES = 36, MAX_BYTES_PER_UNIT = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) name = {0};
        struct etl_payload payload;
        struct etl_method method;
        bool is_method;
        size_t left;

        if (!etl_payload_read(cursor_make(data, size), &payload))
                return 0;
        is_method = etl_dotnet_is_method(&payload.event);
        left = cursor_left(&payload.event.payload);
        if (!etl_dotnet_method(&payload.event, &method, &name)) {
                if (name.len > left / 2 * MAX_BYTES_PER_UNIT + 1)
                        abort();
                return 0;
        }
        if (left < NUMBERS_BYTES || name.len > (left - NUMBERS_BYTES) / 2 * MAX_BYTES_PER_UNIT + 1 ||
            (method.begins && !is_method))
                abort();
        return 0;
}
