/* SPDX-License-Identifier: BSD-3-Clause */
/* A section, or a file of the cache, uses the byte order of its file:
 *
 *     magic[4]  version u32  flags u32  0 u32  size of the content u64  checksum of what follows u64  content
 *
 * Flag 1: the content is a zstd stream.  The checksum detects accidental damage; it does not make the content
 * trustworthy. */
#include "archive_section.h"

#include <string.h>

#include "codec.h"
#include "map.h"

enum {
        SECTION_IS_PACKED = 1,
        ZSTD_LEVEL = 12,
        QUICK_ZSTD_LEVEL = 1,
        SIZE_OFF = 16, /* of the content's size */
        USUAL_BYTES = 64 << 20,
        BYTES_PER_BYTE = 128,
};

/* Each step is a bijection of the word and of the lane, so a changed word cannot be compensated by others
 * that did not change. */
uint64_t archive_section_checksum(const void *bytes, size_t size)
{
        const uint8_t *at = bytes;
        uint64_t lanes[4] = {size, 1, 2, 3}, sum;

        for (; size >= sizeof(lanes); size -= sizeof(lanes), at += sizeof(lanes)) {
                uint64_t words[4];

                memcpy(words, at, sizeof(words));
                for (unsigned i = 0; i < 4; i++) {
                        lanes[i] = (lanes[i] ^ words[i]) * 0xd6e8feb86659fd93u;
                        lanes[i] ^= lanes[i] >> 32;
                }
        }
        sum = map_sum_bytes(at, size);
        for (unsigned i = 0; i < 4; i++)
                sum = map_mix_fixed(sum ^ lanes[i]);
        return sum;
}

/* False if compression does not make it smaller, or this build does not support it. */
static bool pack(const struct buf *content, int level, struct buf *out)
{
        AUTO(codec_packer) packer = codec_packer_new(level, NULL);

        return packer && codec_packer_feed(packer, buf_text(content), content->len, out, NULL) &&
               out->len < content->len;
}

bool archive_section_write(const struct archive_section_kind *kind, const struct buf *content,
                           struct buf *out, struct err *err)
{
        AUTO_RELEASE(buf) packed = {0};
        const struct buf *body = content;
        uint32_t flags = 0;

        if (content->len > ARCHIVE_SECTION_MAX_BYTES)
                return err_set(err, ERR_LIMIT, "the archive would be larger than %d MiB",
                               ARCHIVE_SECTION_MAX_BYTES >> 20);
        if (!kind->is_plain && pack(content, kind->is_quick ? QUICK_ZSTD_LEVEL : ZSTD_LEVEL, &packed)) {
                body = &packed;
                flags = SECTION_IS_PACKED;
        }
        buf_add(out, kind->magic, 4);
        buf_add_u32(out, kind->version);
        buf_add_u32(out, flags);
        buf_add_u32(out, 0);
        buf_add_u64(out, content->len);
        buf_add_u64(out, archive_section_checksum(buf_text(body), body->len));
        buf_add(out, buf_text(body), body->len);
        return true;
}

void archive_section_budget(struct budget *budget, struct budget *session, struct cursor section)
{
        struct cursor c = section;
        uint64_t size, limit = USUAL_BYTES + BYTES_PER_BYTE * (uint64_t)cursor_left(&section);

        cursor_skip(&c, SIZE_OFF);
        size = cursor_u64(&c);
        budget_init(budget, limit + (size < ARCHIVE_SECTION_MAX_BYTES ? size : ARCHIVE_SECTION_MAX_BYTES));
        budget->parent = session;
        budget->name = session ? session->name : NULL;
}

bool archive_section_take(struct budget *budget, uint64_t bytes)
{
        return !budget || (budget->used_bytes <= budget->limit_bytes &&
                           bytes <= budget->limit_bytes - budget->used_bytes &&
                           budget_take(budget, BUDGET_NAMES, bytes));
}

void archive_section_fail(const struct budget *budget, struct err *err)
{
        if (budget_is_short(budget))
                err_set(err, ERR_LIMIT, "needs more memory than --max-memory allows");
        else
                err_set(err, ERR_FORMAT, "is damaged: a number in it is impossible");
}

static bool unpack(struct cursor *c, uint64_t size, struct budget *budget, struct buf *unpacked,
                   struct cursor *ret_content, struct err *err)
{
        AUTO(codec_stream) stream = codec_stream_new(NULL);
        bool swap = c->swap;

        if (!stream)
                return err_set(err, ERR_UNSUPPORTED,
                               "is compressed with zstd, which this build of wperf does not support");
        if (!archive_section_take(budget, size)) {
                archive_section_fail(budget, err);
                return false;
        }
        if (!codec_stream_feed(stream, c->at, cursor_left(c), (size_t)size, unpacked, err))
                return err_in(err, "is damaged");
        if (unpacked->len != size)
                return err_set(err, ERR_FORMAT, "is damaged: its decompressed size is wrong");
        *ret_content = cursor_make(buf_text(unpacked), unpacked->len);
        ret_content->swap = swap;
        return true;
}

bool archive_section_read(const struct archive_section_kind *kind, struct cursor section,
                          struct budget *budget, struct buf *unpacked, struct cursor *ret_content,
                          struct err *err)
{
        struct cursor c = section;
        const char *magic = cursor_bytes(&c, 4);
        uint32_t version = cursor_u32(&c), flags = cursor_u32(&c);
        uint32_t zero = cursor_u32(&c);
        uint64_t size = cursor_u64(&c), checksum = cursor_u64(&c);

        if (c.failed || memcmp(magic, kind->magic, 4) != 0 || zero)
                return err_set(err, ERR_FORMAT, "is damaged: its header is missing");
        if (version != kind->version || flags & ~(kind->is_plain ? 0u : SECTION_IS_PACKED))
                return err_set(err, ERR_UNSUPPORTED, "has version %u, which this wperf does not support",
                               version);
        if (size > ARCHIVE_SECTION_MAX_BYTES)
                return err_set(err, ERR_LIMIT, "is larger than %d MiB", ARCHIVE_SECTION_MAX_BYTES >> 20);
        /* The checksum depends on this machine's byte order. */
        if (!c.swap && checksum != archive_section_checksum(c.at, cursor_left(&c)))
                return err_set(err, ERR_FORMAT, "is damaged: its checksum is wrong");
        if (flags & SECTION_IS_PACKED)
                return unpack(&c, size, budget, unpacked, ret_content, err);
        if (size != cursor_left(&c))
                return err_set(err, ERR_FORMAT, "is damaged: its size is wrong");
        *ret_content = cursor_sub(&c, cursor_pos(&c), size);
        return true;
}

size_t archive_read_count(struct cursor *c, size_t least, size_t each, struct budget *budget)
{
        uint64_t n = cursor_uleb(c);

        if (!c->failed && n <= cursor_left(c) / least && archive_section_take(budget, n * each))
                return (size_t)n;
        cursor_fail(c);
        return 0;
}
