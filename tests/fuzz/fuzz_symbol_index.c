/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a file of the symbol index: as they are, and once more with the head of a whole file, so that the checks
 * behind the checksum are reached. */
#include <stdlib.h>
#include <string.h>

#include "symbol_index_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_INPUT_BYTES = 1 << 16 };

/* So that reads are not optimised away. */
static volatile uint64_t sink;

static void read_frames(const struct source_frames *frames)
{
        for (size_t i = 0; i < frames->n_frames; i++) {
                const struct source_frame *frame = &frames->frames[i];

                sink += frame->function ? strlen(frame->function) : 0;
                sink += frame->path ? strlen(frame->path) : 0;
        }
}

/* Answers are inside of what was found, and no larger than the file. */
static void find(struct symbol_image *image, const uint64_t *addrs, size_t n)
{
        struct source_frames frames = {.spans = mem_new(n, sizeof(*frames.spans))};
        bool *known = mem_new(n, sizeof(*known));
        size_t n_known = symbol_image_find(image, addrs, n, &frames, known);

        if (frames.n_frames > image->n_frames)
                abort();
        for (size_t i = 0; i < n; i++) {
                const struct source_span *span = &frames.spans[i];

                n_known -= known[i];
                if (!known[i] ? span->n != 0 : span->first + span->n > frames.n_frames)
                        abort();
        }
        if (n_known || image->n_left_bytes > image->texts_size)
                abort();
        read_frames(&frames);
        source_frames_release(&frames);
        free(known);
}

/* What was read is written, and read back the same. */
static void write_again(struct symbol_image *image, const uint64_t *addrs, size_t n,
                        const struct symbol_index_key *key)
{
        struct source_frames frames = {.spans = mem_new(n, sizeof(*frames.spans))};
        bool *known = mem_new(n, sizeof(*known));
        AUTO_RELEASE(symbol_image) again = {0};
        AUTO_RELEASE(symbol_batch) batch;
        AUTO_RELEASE(arena) arena = {0};
        AUTO_RELEASE(buf) out = {0};
        size_t n_known = symbol_image_find(image, addrs, n, &frames, known);

        symbol_batch_init(&batch, SYMBOL_INDEX_MAX_FILE_BYTES);
        for (size_t i = 0; i < n; i++) {
                const struct source_span *span = &frames.spans[i];

                if (known[i] && !symbol_batch_add(&batch, addrs[i],
                                                  span->n ? &frames.frames[span->first] : NULL, span->n))
                        abort();
        }
        symbol_batch_write(&batch, key, &out);
        if (!symbol_image_init(&again, (uint8_t *)out.data, out.len, key, &arena, NULL) ||
            again.n_addrs != n_known || again.n_frames != frames.n_frames)
                abort();
        find(&again, addrs, n);
        if (again.is_damaged)
                abort();
        source_frames_release(&frames);
        free(known);
}

static void use(const uint8_t *bytes, size_t size, const struct symbol_index_key *key)
{
        AUTO_RELEASE(symbol_image) image = {0};
        AUTO_RELEASE(arena) arena = {0};
        uint64_t few[] = {0, 1, 0x1001, 0x1002, 0x1003, 1u << 31, UINT64_MAX};
        uint64_t *all;
        size_t n;

        if (!symbol_image_init(&image, bytes, size, key, &arena, NULL))
                return;
        all = symbol_image_list(&image, &n);
        find(&image, few, N_ELEMENTS(few));
        find(&image, all, n);
        write_again(&image, all, n, key);
        free(all);
}

/* The key of any file that has one. */
static struct symbol_index_key read_key(const uint8_t bytes[SYMBOL_IMAGE_KEY_BYTES])
{
        struct symbol_index_key key = {.build_id_size = bytes[0]};

        memcpy(key.build_id, bytes + 8, sizeof(key.build_id));
        return key;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct symbol_image_header header;
        struct symbol_index_key key = {0};
        uint8_t *whole;

        if (size > MAX_INPUT_BYTES)
                return 0;
        if (size >= sizeof(header)) {
                memcpy(&header, data, sizeof(header));
                key = read_key(header.key);
        }
        use(data, size, &key);
        if (size < sizeof(header))
                return 0;
        whole = mem_new(size, 1);
        memcpy(whole, data, size);
        memcpy(header.magic, SYMBOL_IMAGE_MAGIC, sizeof(header.magic));
        header.byte_order = SYMBOL_IMAGE_BYTE_ORDER;
        header.version = SYMBOL_INDEX_VERSION;
        symbol_image_key(&key, header.key);
        memcpy(whole, &header, sizeof(header));
        header.checksum =
                symbol_image_checksum(whole + SYMBOL_IMAGE_CHECKED_FROM, size - SYMBOL_IMAGE_CHECKED_FROM);
        memcpy(whole, &header, sizeof(header));
        use(whole, size, &key);
        free(whole);
        return 0;
}
