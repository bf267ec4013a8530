/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes keys from the bytes that a terminal sends.  Drops unknown sequences. */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum key_kind {
        KEY_NONE,
        KEY_CHAR,    /* `code` */
        KEY_CONTROL, /* Ctrl and the lower-case letter `code` */
        KEY_ENTER,
        KEY_TAB,
        KEY_BACK_TAB,
        KEY_ESCAPE,
        KEY_BACKSPACE,
        KEY_UP,
        KEY_DOWN,
        KEY_RIGHT,
        KEY_LEFT,
        KEY_HOME,
        KEY_END,
        KEY_PAGE_UP,
        KEY_PAGE_DOWN,
        KEY_INSERT,
        KEY_DELETE,
        KEY_F1,         /* other function keys are dropped: no page uses them */
        KEY_PRESS,      /* left mouse button pressed at `row` and `column` */
        KEY_DRAG,       /* moved with that button down */
        KEY_RELEASE,    /* button released */
        KEY_WHEEL_UP,   /* at `row` and `column` */
        KEY_WHEEL_DOWN, /* at `row` and `column` */
};

struct key {
        enum key_kind kind;
        uint32_t code;
        unsigned row, column; /* from 0 */
        bool is_pasted;       /* a KEY_CHAR or KEY_ENTER from a paste; nobody typed it */
};

enum { KEYS_MAX_BYTES = 64 };

/* Zero-initialise before use. */
struct keys {
        uint8_t bytes[KEYS_MAX_BYTES];
        size_t n;
        bool in_paste;
};

/* Takes as many bytes as fit; returns how many. */
size_t keys_add(struct keys *keys, const void *bytes, size_t size);

/* Returns the next key; false if more bytes are needed.  With `at_end` no more bytes will come, so an
 * escape byte alone is the Escape key. */
bool keys_next(struct keys *keys, bool at_end, struct key *ret);

/* Whether there are bytes that are not a whole key yet. */
bool keys_are_waiting(const struct keys *keys);

#endif
