/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutates sections of names by their files: simpleperf writes each file's size before it, hiperf writes the
 * number of files first. */
#include <string.h>

#include "cursor.h"
#include "mutate.h"

enum { COUNT_BYTES = 4, SIZE_BYTES = 4 };
enum { STORE_SIMPLEPERF, STORE_HIPERF };

static size_t measure_simpleperf(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        uint32_t size;

        if (left < SIZE_BYTES)
                return 0;
        memcpy(&size, at, sizeof(size));
        return SIZE_BYTES + (size_t)size;
}

static void resize_simpleperf(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
        uint32_t value = (uint32_t)(size - SIZE_BYTES);

        if (size >= SIZE_BYTES)
                memcpy(at, &value, sizeof(value));
}

/* path, type u32, vaddr u64, offset u64, build id, n u32, n times {addr u64, length u32, name} */
static size_t measure_hiperf(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        struct cursor c = cursor_make(at, left);
        uint32_t n;

        cursor_skip(&c, cursor_u32(&c));
        cursor_skip(&c, 4 + 8 + 8);
        cursor_skip(&c, cursor_u32(&c));
        n = cursor_u32(&c);
        for (uint32_t i = 0; i < n && !c.failed; i++) {
                cursor_skip(&c, 8 + 4);
                cursor_skip(&c, cursor_u32(&c));
        }
        return c.failed ? 0 : cursor_pos(&c);
}

/* Entries may become longer and shorter. */
static void resize_hiperf(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
}

/* Whether the section begins with a number and a text, like hiperf's. */
static bool is_hiperf(const uint8_t *data, size_t size)
{
        struct cursor c = cursor_make(data, size);

        cursor_skip(&c, COUNT_BYTES);
        return cursor_skip(&c, cursor_u32(&c));
}

static void set_count(const struct mutate_framing *framing, const struct buf *files, uint8_t *count)
{
        uint32_t n = 0;

        for (size_t at = 0, size = 1; size && at < files->len; at += size, n++)
                size = measure_hiperf(framing, (uint8_t *)files->data + at, files->len - at);
        memcpy(count, &n, sizeof(n));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
        struct mutate_random random = mutate_random_make(seed);
        const bool hiperf = is_hiperf(data, size);
        const size_t head = hiperf ? COUNT_BYTES : 0;
        struct mutate_framing framing = {
                .measure = hiperf ? measure_hiperf : measure_simpleperf,
                .resize = hiperf ? resize_hiperf : resize_simpleperf,
                .head_bytes = hiperf ? 0 : SIZE_BYTES,
                .store = hiperf ? STORE_HIPERF : STORE_SIMPLEPERF,
        };
        AUTO_RELEASE(buf) files = {0};
        AUTO_RELEASE(buf) out = {0};

        if (size <= head || mutate_one_in(&random, 4))
                return LLVMFuzzerMutate(data, size, max_size);
        buf_add(&files, data + head, size - head);
        mutate_pieces(&files, &framing, max_size, &random);
        buf_add(&out, data, head);
        if (hiperf && !mutate_one_in(&random, 8))
                set_count(&framing, &files, (uint8_t *)out.data);
        buf_add(&out, files.data, files.len);
        return mutate_finish(&out, data, max_size);
}
