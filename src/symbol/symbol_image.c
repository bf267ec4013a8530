/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of the symbol index while it is read.  The checksum finds damage; bounds are checked at every use all the same,
 * since a mapped file can change after it was summed up. */
#include <stdlib.h>
#include <string.h>

#include "symbol_index_internal.h"

_Static_assert(sizeof(struct symbol_image_header) == 48 + SYMBOL_IMAGE_KEY_BYTES, "no holes");
_Static_assert(sizeof(struct symbol_image_frame) == 32, "no holes");

/* --- Opening --- */

static void add_source(struct buf *out, const struct symbol_index_source *source)
{
        buf_add(out, source->build_id, sizeof(source->build_id));
        buf_add_u64(out, source->size_bytes);
        buf_add_u64(out, (uint64_t)source->mtime_ns);
}

void symbol_image_key(const struct symbol_index_key *key, uint8_t ret_bytes[SYMBOL_IMAGE_KEY_BYTES])
{
        AUTO_RELEASE(buf) out = {0};

        buf_add_u8(&out, key->build_id_size);
        buf_add_u8(&out, key->debug.build_id_size);
        buf_add_u8(&out, key->alt.build_id_size);
        buf_add_u8(&out, key->kind);
        buf_add_zeros(&out, 4);
        buf_add(&out, key->build_id, sizeof(key->build_id));
        add_source(&out, &key->debug);
        add_source(&out, &key->alt);
        buf_add_u64(&out, key->answers_version);
        memcpy(ret_bytes, out.data, SYMBOL_IMAGE_KEY_BYTES);
}

/* Every step is one to one in the word and in the lane, so that one changed word cannot be made good by others that
 * did not change. */
uint64_t symbol_image_checksum(const uint8_t *bytes, size_t size)
{
        uint64_t lanes[4] = {size, 1, 2, 3}, sum;

        for (; size >= sizeof(lanes); size -= sizeof(lanes), bytes += sizeof(lanes)) {
                uint64_t words[4];

                memcpy(words, bytes, sizeof(words));
                for (unsigned i = 0; i < 4; i++) {
                        lanes[i] = (lanes[i] ^ words[i]) * 0xd6e8feb86659fd93u;
                        lanes[i] ^= lanes[i] >> 32;
                }
        }
        sum = map_hash_bytes(bytes, size);
        for (unsigned i = 0; i < 4; i++)
                sum = map_mix(sum ^ lanes[i]);
        return sum;
}

static bool check_header(const struct symbol_image_header *header, const uint8_t *bytes, size_t size,
                         const struct symbol_index_key *key, struct err *err)
{
        uint8_t wanted[SYMBOL_IMAGE_KEY_BYTES];

        if (memcmp(header->magic, SYMBOL_IMAGE_MAGIC, sizeof(header->magic)) != 0)
                return err_set(err, ERR_FORMAT, "is damaged");
        if (header->byte_order != SYMBOL_IMAGE_BYTE_ORDER || header->version != SYMBOL_INDEX_VERSION)
                return err_set(err, ERR_UNSUPPORTED, "is of another version or machine");
        if (header->checksum !=
            symbol_image_checksum(bytes + SYMBOL_IMAGE_CHECKED_FROM, size - SYMBOL_IMAGE_CHECKED_FROM))
                return err_set(err, ERR_FORMAT, "is damaged");
        symbol_image_key(key, wanted);
        if (memcmp(header->key, wanted, sizeof(wanted)) != 0)
                return err_set(err, ERR_FORMAT, "is of another object or debug file");
        return true;
}

bool symbol_image_init(struct symbol_image *image, const uint8_t *bytes, size_t size,
                       const struct symbol_index_key *key, struct arena *arena, struct err *err)
{
        struct symbol_image_header header;
        uint64_t spans_off, frames_off, offs_off, texts_off;

        if (size < sizeof(header))
                return err_set(err, ERR_FORMAT, "is damaged");
        if (size > SYMBOL_INDEX_LIMIT_BYTES)
                return err_set(err, ERR_FORMAT, "is larger than %d bytes", SYMBOL_INDEX_LIMIT_BYTES);
        memcpy(&header, bytes, sizeof(header));
        if (!check_header(&header, bytes, size, key, err))
                return false;
        spans_off = sizeof(header) + (uint64_t)header.n_addrs * sizeof(uint64_t);
        frames_off = spans_off + (uint64_t)header.n_addrs * sizeof(struct symbol_image_span);
        offs_off = frames_off + (uint64_t)header.n_frames * sizeof(struct symbol_image_frame);
        texts_off = offs_off + (uint64_t)header.n_texts * sizeof(uint32_t);
        if (texts_off > size || header.texts_size != size - texts_off)
                return err_set(err, ERR_FORMAT, "is damaged");
        *image = (struct symbol_image){
                .addrs = bytes + sizeof(header),
                .spans = bytes + spans_off,
                .frames = bytes + frames_off,
                .text_offs = bytes + offs_off,
                .texts = bytes + texts_off,
                .n_addrs = header.n_addrs,
                .n_frames = header.n_frames,
                .n_texts = header.n_texts,
                .texts_size = header.texts_size,
                .copies = mem_new(header.n_texts, sizeof(*image->copies)),
                .arena = arena,
                .n_left_bytes = header.texts_size,
        };
        return true;
}

void symbol_image_release(struct symbol_image *image)
{
        free(image->copies);
        *image = (struct symbol_image){0};
}

/* --- Texts --- */

static const char *copy_text(struct symbol_image *image, uint32_t number)
{
        const uint8_t *text, *nul;
        uint32_t off;
        size_t len;

        memcpy(&off, image->text_offs + (size_t)number * sizeof(off), sizeof(off));
        if (off >= image->texts_size)
                return NULL;
        text = image->texts + off;
        nul = memchr(text, 0, (size_t)(image->texts_size - off));
        len = nul ? (size_t)(nul - text) : 0;
        if (!nul || len >= image->n_left_bytes)
                return NULL;
        image->n_left_bytes -= len + 1;
        return arena_copy(image->arena, (const char *)text, len);
}

static bool get_text(struct symbol_image *image, uint32_t text, const char **ret_text)
{
        const char **copy;

        *ret_text = NULL;
        if (!text)
                return true;
        if (text > image->n_texts)
                return false;
        copy = &image->copies[text - 1];
        if (!*copy)
                *copy = copy_text(image, text - 1);
        *ret_text = *copy;
        return *copy;
}

/* --- Looking up --- */

static uint64_t addr_at(const struct symbol_image *image, size_t i)
{
        uint64_t addr;

        memcpy(&addr, image->addrs + i * sizeof(addr), sizeof(addr));
        return addr;
}

/* The first address from place `from` on that is not below `addr`; the wanted ones are often near each other. */
static size_t seek(const struct symbol_image *image, size_t from, uint64_t addr)
{
        size_t step = 1, low = from, high;

        while (low + step < image->n_addrs && addr_at(image, low + step) < addr) {
                low += step;
                step *= 2;
        }
        high = low + step < image->n_addrs ? low + step : image->n_addrs;
        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (addr_at(image, middle) < addr)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static bool add_frame(struct symbol_image *image, size_t i, struct source_frames *frames)
{
        struct symbol_image_frame packed;
        struct source_frame frame = {0};

        memcpy(&packed, image->frames + i * sizeof(packed), sizeof(packed));
        if (!get_text(image, packed.function, &frame.function) || !get_text(image, packed.path, &frame.path))
                return false;
        frame.line = packed.line;
        frame.column = packed.column;
        frame.is_inlined = packed.flags & SYMBOL_IMAGE_IS_INLINED;
        frame.start = packed.start;
        ARRAY_PUSH(frames->frames, frames->n_frames, frames->cap_frames, frame);
        return true;
}

/* The frames at place `at`.  No frame is given out twice in a find, or a small file could make large answers. */
static bool add_span(struct symbol_image *image, size_t at, struct source_frames *frames,
                     struct source_span *ret_span)
{
        size_t first = frames->n_frames;
        struct symbol_image_span span;

        memcpy(&span, image->spans + at * sizeof(span), sizeof(span));
        if (span.first > image->n_frames || span.n > image->n_frames - span.first ||
            span.n > image->n_left_frames)
                return false;
        image->n_left_frames -= span.n;
        for (uint32_t i = 0; i < span.n; i++) {
                if (!add_frame(image, (size_t)span.first + i, frames)) {
                        frames->n_frames = first;
                        return false;
                }
        }
        *ret_span = (struct source_span){first, span.n};
        return true;
}

size_t symbol_image_find(struct symbol_image *image, const uint64_t *addrs, size_t n,
                         struct source_frames *frames, bool *ret_known)
{
        size_t at = 0, n_known = 0;

        image->n_left_frames = image->n_frames;
        for (size_t i = 0; i < n && !image->is_damaged; i++) {
                at = seek(image, at, addrs[i]);
                if (at == image->n_addrs)
                        break;
                if (addr_at(image, at) != addrs[i])
                        continue;
                ret_known[i] = add_span(image, at, frames, &frames->spans[i]);
                n_known += ret_known[i];
                image->is_damaged = !ret_known[i];
        }
        return n_known;
}

uint64_t *symbol_image_list(const struct symbol_image *image, size_t *ret_n)
{
        uint64_t *addrs = mem_new(image->n_addrs, sizeof(*addrs));
        size_t n = 0;

        for (size_t i = 0; i < image->n_addrs; i++) {
                uint64_t addr = addr_at(image, i);

                if (!n || addr > addrs[n - 1])
                        addrs[n++] = addr;
        }
        *ret_n = n;
        return addrs;
}
