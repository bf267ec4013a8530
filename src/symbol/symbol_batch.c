/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers in memory, packed as a file of the symbol index has them; knows at any time how large that file would be. */
#include <stdlib.h>
#include <string.h>

#include "symbol_index_internal.h"

void symbol_batch_init(struct symbol_batch *batch, uint64_t max_bytes)
{
        *batch = (struct symbol_batch){.texts = strpool_new(), .texts_size = 1, .max_bytes = max_bytes};
}

void symbol_batch_release(struct symbol_batch *batch)
{
        strpool_free(batch->texts);
        map_release(&batch->by_addr);
        free(batch->entries);
        free(batch->frames);
        *batch = (struct symbol_batch){0};
}

/* --- Adding --- */

static uint64_t size_of_text(const char *text)
{
        return text ? strlen(text) + 1 + sizeof(uint32_t) : 0;
}

static uint64_t size_of_file(const struct symbol_batch *batch)
{
        return sizeof(struct symbol_image_header) +
               (sizeof(uint64_t) + sizeof(struct symbol_image_span)) * batch->n_entries +
               sizeof(struct symbol_image_frame) * batch->n_frames +
               sizeof(uint32_t) * strpool_count(batch->texts) + batch->texts_size;
}

/* What these frames add at most: if none of their texts is there. */
static uint64_t size_of_frames(const struct source_frame *frames, size_t n)
{
        uint64_t size =
                sizeof(uint64_t) + sizeof(struct symbol_image_span) + sizeof(struct symbol_image_frame) * n;

        for (size_t i = 0; i < n; i++)
                size += size_of_text(frames[i].function) + size_of_text(frames[i].path);
        return size;
}

static uint32_t add_text(struct symbol_batch *batch, const char *text)
{
        size_t n_before = strpool_count(batch->texts);
        str_id id;

        if (!text)
                return 0;
        id = strpool_add(batch->texts, text);
        if (strpool_count(batch->texts) > n_before)
                batch->texts_size += strlen(text) + 1;
        return id + 1;
}

bool symbol_batch_add(struct symbol_batch *batch, uint64_t addr, const struct source_frame *frames, size_t n)
{
        struct symbol_batch_entry entry = {addr, {(uint32_t)batch->n_frames, (uint32_t)n}};

        if (map_find(&batch->by_addr, addr))
                return true;
        if (size_of_file(batch) + size_of_frames(frames, n) > batch->max_bytes)
                return false;
        for (size_t i = 0; i < n; i++) {
                const struct source_frame *frame = &frames[i];

                ARRAY_PUSH(batch->frames, batch->n_frames, batch->cap_frames,
                           (struct symbol_image_frame){
                                   .start = frame->start,
                                   .function = add_text(batch, frame->function),
                                   .path = add_text(batch, frame->path),
                                   .line = frame->line,
                                   .column = frame->column,
                                   .flags = frame->is_inlined ? SYMBOL_IMAGE_IS_INLINED : 0,
                           });
        }
        ARRAY_PUSH(batch->entries, batch->n_entries, batch->cap_entries, entry);
        *map_put(&batch->by_addr, addr, NULL) = batch->n_entries;
        return true;
}

/* --- Looking up --- */

static const char *get_text(const struct symbol_batch *batch, uint32_t text)
{
        return text ? strpool_get(batch->texts, text - 1) : NULL;
}

bool symbol_batch_find(const struct symbol_batch *batch, uint64_t addr, struct source_frames *frames,
                       struct source_span *ret_span)
{
        const uint64_t *at = map_find(&batch->by_addr, addr);
        const struct symbol_image_span *span;

        if (!at)
                return false;
        span = &batch->entries[*at - 1].span;
        *ret_span = (struct source_span){frames->n_frames, span->n};
        for (uint32_t i = 0; i < span->n; i++) {
                const struct symbol_image_frame *frame = &batch->frames[span->first + i];

                ARRAY_PUSH(frames->frames, frames->n_frames, frames->cap_frames,
                           (struct source_frame){
                                   .function = get_text(batch, frame->function),
                                   .path = get_text(batch, frame->path),
                                   .line = frame->line,
                                   .column = frame->column,
                                   .is_inlined = frame->flags & SYMBOL_IMAGE_IS_INLINED,
                                   .start = frame->start,
                           });
        }
        return true;
}

/* --- Writing --- */

static int compare_entries(const void *a, const void *b)
{
        const struct symbol_batch_entry *x = a, *y = b;

        return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void add_texts(const struct symbol_batch *batch, struct buf *out)
{
        uint32_t off = 0;

        for (str_id id = 0; id < strpool_count(batch->texts); id++) {
                buf_add_u32(out, off);
                off += (uint32_t)strlen(strpool_get(batch->texts, id)) + 1;
        }
        for (str_id id = 0; id < strpool_count(batch->texts); id++) {
                buf_add_str(out, strpool_get(batch->texts, id));
                buf_add_char(out, '\0');
        }
}

static void add_entries(const struct symbol_batch *batch, struct buf *out)
{
        struct symbol_batch_entry *sorted = mem_new(batch->n_entries, sizeof(*sorted));

        if (batch->n_entries) {
                memcpy(sorted, batch->entries, batch->n_entries * sizeof(*sorted));
                qsort(sorted, batch->n_entries, sizeof(*sorted), compare_entries);
        }
        for (size_t i = 0; i < batch->n_entries; i++)
                buf_add_u64(out, sorted[i].addr);
        for (size_t i = 0; i < batch->n_entries; i++)
                buf_add(out, &sorted[i].span, sizeof(sorted[i].span));
        free(sorted);
}

void symbol_batch_write(const struct symbol_batch *batch, const struct symbol_index_key *key, struct buf *out)
{
        struct symbol_image_header header = {
                .byte_order = SYMBOL_IMAGE_BYTE_ORDER,
                .version = SYMBOL_INDEX_VERSION,
                .n_addrs = (uint32_t)batch->n_entries,
                .n_frames = (uint32_t)batch->n_frames,
                .n_texts = (uint32_t)strpool_count(batch->texts),
                .texts_size = batch->texts_size,
        };

        memcpy(header.magic, SYMBOL_IMAGE_MAGIC, sizeof(header.magic));
        symbol_image_key(key, header.key);
        buf_clear(out);
        buf_add(out, &header, sizeof(header));
        add_entries(batch, out);
        if (batch->n_frames)
                buf_add(out, batch->frames, batch->n_frames * sizeof(*batch->frames));
        add_texts(batch, out);
        header.checksum = symbol_image_checksum((const uint8_t *)out->data + SYMBOL_IMAGE_CHECKED_FROM,
                                                out->len - SYMBOL_IMAGE_CHECKED_FROM);
        memcpy(out->data, &header, sizeof(header));
}
