/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes seeds of fuzz_xpress into a folder. */
#include <string.h>

#include "save_seed.h"

/* A stream of less than 32 items. */
struct stream {
        struct buf bytes;
        uint32_t flags;
        unsigned n;
};

static void begin(struct stream *s, uint16_t unpacked)
{
        *s = (struct stream){0};
        buf_add_u16(&s->bytes, unpacked);
        buf_add_u32(&s->bytes, 0);
}

static void add_byte(struct stream *s, uint8_t byte)
{
        buf_add_u8(&s->bytes, byte);
        s->n++;
}

/* What follows the two bytes is the caller's. */
static void add_match(struct stream *s, unsigned distance, unsigned bits)
{
        buf_add_u16(&s->bytes, (uint16_t)((distance - 1) << 3 | bits));
        s->flags |= 1u << (31 - s->n++);
}

static void save(struct stream *s, const char *folder, const char *name)
{
        memcpy(s->bytes.data + sizeof(uint16_t), &s->flags, sizeof(s->flags));
        save_seed(folder, name, &s->bytes);
}

int main(int argc, char **argv)
{
        const char *folder = argc > 1 ? argv[1] : ".";
        struct stream s;

        begin(&s, 40);
        for (unsigned i = 0; i < 32; i++)
                add_byte(&s, (uint8_t)('a' + i));
        buf_add_u32(&s.bytes, 0);
        for (unsigned i = 0; i < 8; i++)
                buf_add_u8(&s.bytes, (uint8_t)i);
        save(&s, folder, "bytes");

        begin(&s, 4 + 3 + 9 + 10 + 12 + 25);
        for (unsigned i = 0; i < 4; i++)
                add_byte(&s, (uint8_t)i);
        add_match(&s, 4, 0); /* 3 bytes */
        add_match(&s, 1, 6); /* 9, which overlap */
        add_match(&s, 4, 7); /* 10, by the lower half of a byte, whose upper half is 2 */
        buf_add_u8(&s.bytes, 0x20);
        add_match(&s, 12, 7);
        add_match(&s, 30, 7); /* 25, by a byte */
        buf_add_u8(&s.bytes, 0x0f);
        buf_add_u8(&s.bytes, 0);
        save(&s, folder, "matches");

        begin(&s, 1 + 1000 + 3000);
        add_byte(&s, 'x');
        add_match(&s, 1, 7); /* by 16 bits */
        buf_add_u8(&s.bytes, 0xff);
        buf_add_u8(&s.bytes, 0xff);
        buf_add_u16(&s.bytes, 1000 - 3);
        add_match(&s, 1, 7); /* by 32 bits, with the other half of the byte */
        buf_add_u8(&s.bytes, 0xff);
        buf_add_u16(&s.bytes, 0);
        buf_add_u32(&s.bytes, 3000 - 3);
        save(&s, folder, "long");

        begin(&s, 100);
        add_byte(&s, 'x');
        add_match(&s, 1, 7); /* less than a length of 16 bits can be */
        buf_add_u8(&s.bytes, 0xff);
        buf_add_u8(&s.bytes, 0xff);
        buf_add_u16(&s.bytes, 3);
        save(&s, folder, "too-short");

        begin(&s, 8);
        add_byte(&s, 'x');
        add_match(&s, 2, 0);
        save(&s, folder, "before-the-start");

        begin(&s, 8);
        add_byte(&s, 'x');
        add_match(&s, 1, 6);
        save(&s, folder, "behind-the-end");

        begin(&s, 8);
        add_byte(&s, 'x');
        add_match(&s, 1, 7);
        save(&s, folder, "cut");

        begin(&s, 0);
        save(&s, folder, "nothing");
        return 0;
}
