/* SPDX-License-Identifier: BSD-3-Clause */
/* jitdumps by their records. */
#include <string.h>

#include "mutate.h"

enum { HEADER_BYTES = 40, RECORD_HEADER_BYTES = 16, TIME_AT = 8, SIZE_AT = 4, FIRST_SWAPPED = 0x4a };

static size_t measure_record(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        uint32_t size;

        if (left < RECORD_HEADER_BYTES)
                return 0;
        memcpy(&size, at + SIZE_AT, sizeof(size));
        return framing->swap ? __builtin_bswap32(size) : size;
}

static void resize_record(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
        uint32_t value = (uint32_t)size;

        value = framing->swap ? __builtin_bswap32(value) : value;
        if (size >= RECORD_HEADER_BYTES)
                memcpy(at + SIZE_AT, &value, sizeof(value));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
        static const size_t heads[] = {0, TIME_AT, RECORD_HEADER_BYTES, RECORD_HEADER_BYTES};
        struct mutate_random random = mutate_random_make(seed);
        struct mutate_framing framing = {
                .measure = measure_record,
                .resize = resize_record,
                .head_bytes = heads[mutate_below(&random, 4)],
                .swap = size && data[0] == FIRST_SWAPPED,
                .store = size && data[0] == FIRST_SWAPPED,
        };
        AUTO_RELEASE(buf) records = {0};
        AUTO_RELEASE(buf) out = {0};

        if (size <= HEADER_BYTES || mutate_one_in(&random, 4))
                return LLVMFuzzerMutate(data, size, max_size);
        buf_add(&records, data + HEADER_BYTES, size - HEADER_BYTES);
        mutate_pieces(&records, &framing, max_size, &random);
        buf_add(&out, data, HEADER_BYTES);
        buf_add(&out, records.data, records.len);
        return mutate_finish(&out, data, max_size);
}
