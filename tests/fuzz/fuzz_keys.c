/* SPDX-License-Identifier: BSD-3-Clause */
/* The first byte determines the pieces in which the rest arrives from a terminal.  All input is used, each
 * key takes at least a byte, and outside of a paste the result does not depend on the pieces, unless one
 * ends with an escape. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_key(const struct key *key)
{
        if (key->kind <= KEY_NONE || key->kind > KEY_WHEEL_DOWN || key->code > 0x10ffff)
                abort();
        if (key->kind == KEY_CONTROL && (key->code < 'a' || key->code > 'z'))
                abort();
        if (key->is_pasted && key->kind != KEY_CHAR && key->kind != KEY_ENTER)
                abort();
}

static void add_keys(struct keys *keys, bool at_end, struct buf *out)
{
        size_t before = keys->n;
        struct key key;

        while (keys_next(keys, at_end, &key)) {
                check_key(&key);
                if (keys->n >= before)
                        abort();
                before = keys->n;
                buf_printf(out, "%d %u %u %u %d\n", (int)key.kind, (unsigned)key.code, key.row, key.column,
                           key.is_pasted);
        }
        if (at_end && keys->n)
                abort();
}

static void read_in_pieces(const uint8_t *data, size_t size, size_t step, struct buf *out)
{
        struct keys keys = {0};

        for (size_t at = 0; at < size;) {
                size_t n = keys_add(&keys, data + at, size - at < step ? size - at : step);

                if (!n)
                        abort(); /* nothing makes room */
                at += n;
                add_keys(&keys, false, out);
        }
        add_keys(&keys, true, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) pieces = {0};
        AUTO_RELEASE(buf) whole = {0};

        if (size < 1)
                return 0;
        read_in_pieces(data + 1, size - 1, data[0] % 32 + 1, &pieces);
        read_in_pieces(data + 1, size - 1, KEYS_MAX_BYTES, &whole);
        /* When the room of an unfinished sequence is used up depends on the pieces. */
        if (size <= KEYS_MAX_BYTES &&
            (pieces.len != whole.len || (whole.len && memcmp(pieces.data, whole.data, whole.len) != 0)))
                abort();
        return 0;
}
