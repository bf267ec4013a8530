/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutates event-trace files by their structure: whole buffers, and the events of a buffer, which is
 * unpacked before and packed again. */
#include <string.h>

#include "codec.h"
#include "mutate.h"
#include "xpress_pack.h"

enum {
        BUFFER_HEADER_BYTES = 0x48,
        USED_AT = 4,
        FLAGS_AT = 0x34,
        IS_PACKED = 0x40,
        MAX_BODY_BYTES = 1 << 16,
        EVENT_ALIGN = 8,
        KIND_AT = 2,
        KERNEL_SIZE_AT = 4,
        MIN_EVENT_BYTES = 8,
};
enum { STORE_BUFFERS, STORE_EVENTS };

static uint32_t u32_at(const void *at)
{
        uint32_t value;

        memcpy(&value, at, sizeof(value));
        return value;
}

static uint16_t u16_at(const void *at)
{
        uint16_t value;

        memcpy(&value, at, sizeof(value));
        return value;
}

static void put_u32(void *at, size_t value)
{
        memcpy(at, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
}

/* --- Events --- */

/* The sizes of the kernel's own events are in the second word, of all others in the first. */
static size_t size_at(const uint8_t *event)
{
        uint8_t kind = event[KIND_AT];

        return (kind >= 1 && kind <= 4) || kind == 0x10 || kind == 0x11 ? KERNEL_SIZE_AT : 0;
}

static size_t measure_event(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        (void)framing;
        return left < MIN_EVENT_BYTES ? 0 : u16_at(at + size_at(at));
}

static void resize_event(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
        uint16_t value = (uint16_t)size;

        (void)framing;
        if (size >= MIN_EVENT_BYTES && size <= UINT16_MAX)
                memcpy(at + size_at(at), &value, sizeof(value));
}

/* Events begin at multiples of 8; between the two functions they have no bytes between them. */
static void join_events(const uint8_t *body, size_t size, struct buf *out)
{
        for (size_t at = 0, n; at < size; at += (n + EVENT_ALIGN - 1) / EVENT_ALIGN * EVENT_ALIGN) {
                n = measure_event(NULL, body + at, size - at);
                if (!n || n > size - at)
                        n = size - at;
                buf_add(out, body + at, n);
        }
}

static void align_events(const struct buf *joined, struct buf *out)
{
        for (size_t at = 0, n; at < joined->len; at += n) {
                n = measure_event(NULL, (const uint8_t *)joined->data + at, joined->len - at);
                if (!n || n > joined->len - at)
                        n = joined->len - at;
                buf_add(out, joined->data + at, n);
                if (at + n < joined->len)
                        buf_add_zeros(out, -n % EVENT_ALIGN);
        }
}

/* --- Buffers --- */

static size_t measure_buffer(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        (void)framing;
        return left < BUFFER_HEADER_BYTES ? 0 : u32_at(at);
}

static void resize_buffer(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
        (void)framing;
        if (size >= BUFFER_HEADER_BYTES)
                put_u32(at, size);
}

/* The events of a buffer, unpacked; false if it has none that can be read. */
static bool get_body(const uint8_t *buffer, size_t size, struct buf *ret)
{
        size_t used = u32_at(buffer + USED_AT);

        if (used < BUFFER_HEADER_BYTES || used - BUFFER_HEADER_BYTES > MAX_BODY_BYTES)
                return false;
        if (!(buffer[FLAGS_AT] & IS_PACKED)) {
                buf_add(ret, buffer + BUFFER_HEADER_BYTES, (used < size ? used : size) - BUFFER_HEADER_BYTES);
                return true;
        }
        return codec_unpack_xpress(buffer + BUFFER_HEADER_BYTES, size - BUFFER_HEADER_BYTES,
                                   buf_extend(ret, used - BUFFER_HEADER_BYTES), used - BUFFER_HEADER_BYTES,
                                   NULL);
}

/* Appends a buffer with the head of another one.  Some streams are cut or damaged. */
static void put_buffer(const uint8_t *head, const struct buf *body, bool packs, struct mutate_random *random,
                       struct buf *out)
{
        size_t at = out->len;

        buf_add(out, head, BUFFER_HEADER_BYTES);
        if (packs)
                xpress_pack((const uint8_t *)body->data, body->len, out);
        else if (body->len)
                buf_add(out, body->data, body->len);
        if (packs && out->len > at + BUFFER_HEADER_BYTES && mutate_one_in(random, 8))
                out->data[at + BUFFER_HEADER_BYTES +
                          mutate_below(random, out->len - at - BUFFER_HEADER_BYTES)] ^=
                        (char)(1 << mutate_below(random, 8));
        out->data[at + FLAGS_AT] = (char)(packs ? head[FLAGS_AT] | IS_PACKED : head[FLAGS_AT] & ~IS_PACKED);
        put_u32(out->data + at, out->len - at);
        put_u32(out->data + at + USED_AT, BUFFER_HEADER_BYTES + body->len);
}

/* Changes the events of a buffer, except the file's header, which is the first event of the first buffer. */
static void change_body(struct buf *body, bool is_first, size_t max_bytes, struct mutate_random *random)
{
        struct mutate_framing framing = {
                .measure = measure_event,
                .resize = resize_event,
                .head_bytes = (size_t[]){0, 0x10, 0x20, 0x30}[mutate_below(random, 4)],
                .store = STORE_EVENTS,
        };
        AUTO_RELEASE(buf) joined = {0};
        AUTO_RELEASE(buf) events = {0};
        AUTO_RELEASE(buf) out = {0};
        size_t kept;

        join_events((const uint8_t *)body->data, body->len, &joined);
        kept = is_first && !mutate_one_in(random, 16)
                       ? measure_event(NULL, (const uint8_t *)joined.data, joined.len)
                       : 0;
        if (kept > joined.len)
                kept = joined.len;
        buf_add(&events, joined.data + kept, joined.len - kept);
        mutate_pieces(&events, &framing, max_bytes, random);
        buf_truncate(&joined, kept);
        if (events.len)
                buf_add(&joined, events.data, events.len);
        align_events(&joined, &out);
        buf_swap(body, &out);
}

static size_t count_buffers(const uint8_t *data, size_t size)
{
        size_t n = 0, bytes;

        for (size_t at = 0; at < size; at += bytes, n++) {
                bytes = measure_buffer(NULL, data + at, size - at);
                if (bytes < BUFFER_HEADER_BYTES || bytes > size - at)
                        break;
        }
        return n;
}

/* One of the first `n` buffers is changed inside, all others are copied. */
static void change_events(const uint8_t *data, size_t size, size_t n, size_t max_bytes,
                          struct mutate_random *random, struct buf *out)
{
        size_t chosen = mutate_below(random, n), at = 0;

        for (size_t i = 0; i < n; i++) {
                size_t bytes = u32_at(data + at);
                AUTO_RELEASE(buf) body = {0};

                if (i == chosen && get_body(data + at, bytes, &body) && body.len) {
                        change_body(&body, !i, max_bytes, random);
                        /* the file's header is not packed */
                        put_buffer(data + at, &body, i && mutate_one_in(random, 2), random, out);
                } else {
                        buf_add(out, data + at, bytes);
                }
                at += bytes;
        }
        if (at < size)
                buf_add(out, data + at, size - at);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
        struct mutate_framing buffers = {.measure = measure_buffer,
                                         .resize = resize_buffer,
                                         .head_bytes = BUFFER_HEADER_BYTES,
                                         .store = STORE_BUFFERS};
        struct mutate_random random = mutate_random_make(seed);
        AUTO_RELEASE(buf) out = {0};
        size_t n = count_buffers(data, size);

        if (!n || mutate_one_in(&random, 8))
                return LLVMFuzzerMutate(data, size, max_size);
        if (mutate_one_in(&random, 8)) {
                buffers.head_bytes = mutate_one_in(&random, 4) ? 0 : BUFFER_HEADER_BYTES;
                buf_add(&out, data, size);
                mutate_pieces(&out, &buffers, max_size, &random);
        } else {
                change_events(data, size, n, max_size, &random, &out);
        }
        return mutate_finish(&out, data, max_size);
}
