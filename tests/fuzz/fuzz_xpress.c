/* SPDX-License-Identifier: BSD-3-Clause */
/* XPRESS: the first two bytes are the size that the rest should have, unpacked.  A stream that is cut gives
 * no more than the whole one. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy at the end of an allocation, so that a read or a write behind it is found. */
static uint8_t *unpack(const uint8_t *data, size_t packed, size_t size, bool *ret_ok)
{
        uint8_t *in = mem_new(packed, 1), *out = mem_new(size, 1);

        if (packed)
                memcpy(in, data, packed);
        *ret_ok = codec_unpack_xpress(in, packed, out, size, NULL);
        free(in);
        return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        size_t unpacked;
        uint8_t *whole, *half;
        bool is_whole, is_half;

        if (size < 2)
                return 0;
        unpacked = data[0] | (size_t)data[1] << 8;
        whole = unpack(data + 2, size - 2, unpacked, &is_whole);
        half = unpack(data + 2, size - 2, unpacked / 2, &is_half);
        /* What fits into half of the room may end within a match, which is then refused. */
        if (is_whole && is_half && memcmp(whole, half, unpacked / 2))
                abort();
        free(whole);
        free(half);
        return 0;
}
