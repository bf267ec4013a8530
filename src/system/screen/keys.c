/* SPDX-License-Identifier: BSD-3-Clause */
#include "keys.h"

#include <assert.h>
#include <string.h>

#include "attributes.h"
#include "text_printable.h"

enum { ESCAPE = 0x1b, MAX_NUMBERS = 4, MAX_NUMBER = 1 << 16 };

/* ESC [ numbers final, where `first` is a '<', '?', ... before the numbers, or 0. */
struct control_sequence {
        uint8_t first, last;
        unsigned numbers[MAX_NUMBERS];
        size_t n_numbers;
        size_t size;
};

size_t keys_add(struct keys *keys, const void *bytes, size_t size)
{
        size_t room = sizeof(keys->bytes) - keys->n;
        size_t n = size < room ? size : room;

        assert(keys->n <= sizeof(keys->bytes));
        memcpy(keys->bytes + keys->n, bytes, n);
        keys->n += n;
        return n;
}

bool keys_are_waiting(const struct keys *keys)
{
        return keys->n;
}

static void drop(struct keys *keys, size_t n)
{
        assert(n <= keys->n);
        memmove(keys->bytes, keys->bytes + n, keys->n - n);
        keys->n -= n;
}

/* --- escape sequences --- */

/* Returns 1 for a sequence, 0 if it is incomplete, -1 if it is none: then `size` bytes must be dropped. */
static int read_sequence(const struct keys *keys, struct control_sequence *ret)
{
        size_t at = 2;

        *ret = (struct control_sequence){0};
        if (at < keys->n && keys->bytes[at] >= 0x3c && keys->bytes[at] <= 0x3f)
                ret->first = keys->bytes[at++];
        for (; at < keys->n; at++) {
                uint8_t c = keys->bytes[at];
                unsigned *number =
                        &ret->numbers[ret->n_numbers < MAX_NUMBERS ? ret->n_numbers : MAX_NUMBERS - 1];

                if (c >= '0' && c <= '9') {
                        *number = *number < MAX_NUMBER ? *number * 10 + (c - '0') : MAX_NUMBER;
                } else if (c == ';' || c == ':') {
                        ret->n_numbers += ret->n_numbers < MAX_NUMBERS - 1;
                } else if (c >= 0x40 && c <= 0x7e) {
                        ret->last = c;
                        ret->n_numbers++;
                        ret->size = at + 1;
                        return 1;
                } else if (c < 0x20 || c > 0x7e) {
                        ret->size = at;
                        return -1;
                }
        }
        ret->size = at;
        return keys->n == sizeof(keys->bytes) ? -1 : 0;
}

static enum key_kind kind_of_letter(uint8_t letter)
{
        switch (letter) {
        case 'A': return KEY_UP;
        case 'B': return KEY_DOWN;
        case 'C': return KEY_RIGHT;
        case 'D': return KEY_LEFT;
        case 'H': return KEY_HOME;
        case 'F': return KEY_END;
        case 'P': return KEY_F1;
        case 'Z': return KEY_BACK_TAB;
        case 'M': return KEY_ENTER; /* Enter of the keypad, after ESC O */
        default: return KEY_NONE;
        }
}

static enum key_kind kind_of_number(unsigned number)
{
        switch (number) {
        case 1:
        case 7: return KEY_HOME;
        case 2: return KEY_INSERT;
        case 3: return KEY_DELETE;
        case 4:
        case 8: return KEY_END;
        case 5: return KEY_PAGE_UP;
        case 6: return KEY_PAGE_DOWN;
        case 11: return KEY_F1;
        default: return KEY_NONE;
        }
}

/* ESC [ < button ; column ; row M, or m for a release. */
static void read_mouse(const struct control_sequence *s, struct key *ret)
{
        enum { MOTION = 32, WHEEL = 64 };
        unsigned button = s->numbers[0] & ~(4u | 8u | 16u); /* without Shift, Alt and Ctrl */

        ret->column = s->numbers[1] ? s->numbers[1] - 1 : 0;
        ret->row = s->numbers[2] ? s->numbers[2] - 1 : 0;
        if (s->n_numbers < 3)
                ret->kind = KEY_NONE;
        else if (button == WHEEL)
                ret->kind = KEY_WHEEL_UP;
        else if (button == WHEEL + 1)
                ret->kind = KEY_WHEEL_DOWN;
        else if (button == MOTION)
                ret->kind = KEY_DRAG;
        else if (button == 0)
                ret->kind = s->last == 'M' ? KEY_PRESS : KEY_RELEASE;
}

static void read_numbers(struct keys *keys, const struct control_sequence *s, struct key *ret)
{
        enum { PASTE_BEGINS = 200, PASTE_ENDS = 201 };

        if (s->numbers[0] == PASTE_BEGINS || s->numbers[0] == PASTE_ENDS)
                keys->in_paste = s->numbers[0] == PASTE_BEGINS;
        else
                ret->kind = kind_of_number(s->numbers[0]);
}

/* Returns the bytes of the sequence; 0 if it is incomplete.  An unknown sequence is KEY_NONE. */
static size_t read_escape(struct keys *keys, struct key *ret)
{
        struct control_sequence s;
        int known;

        if (keys->n < 3)
                return 0;
        if (keys->bytes[1] == 'O') {
                ret->kind = kind_of_letter(keys->bytes[2]);
                return 3;
        }
        known = read_sequence(keys, &s);
        if (!known)
                return 0;
        if (known < 0)
                return s.size;
        if (s.first == '<' && (s.last == 'M' || s.last == 'm'))
                read_mouse(&s, ret);
        else if (s.first)
                ret->kind = KEY_NONE;
        else if (s.last == '~')
                read_numbers(keys, &s, ret);
        else if (s.last != 'M')
                ret->kind = kind_of_letter(s.last);
        return s.size;
}

/* --- characters --- */

static size_t read_control(uint8_t byte, struct key *ret)
{
        switch (byte) {
        case '\r':
        case '\n': ret->kind = KEY_ENTER; break;
        case '\t': ret->kind = KEY_TAB; break;
        case 0x08:
        case 0x7f: ret->kind = KEY_BACKSPACE; break;
        case 0: break;
        default:
                ret->kind = byte < 0x1b ? KEY_CONTROL : KEY_NONE;
                ret->code = (uint32_t)byte + 'a' - 1;
                break;
        }
        return 1;
}

/* Returns the length of a UTF-8 character with this first byte. */
static size_t wanted_bytes(uint8_t first)
{
        return first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
}

static size_t read_character(const struct keys *keys, bool at_end, struct key *ret)
{
        unsigned char bytes[5] = {0};
        size_t wanted = wanted_bytes(keys->bytes[0]), n;

        if (keys->n < wanted && !at_end)
                return 0;
        memcpy(bytes, keys->bytes, keys->n < 4 ? keys->n : 4);
        n = text_utf8_length(bytes);
        if (!n)
                return 1; /* not UTF-8 */
        ret->kind = KEY_CHAR;
        ret->code = text_utf8_code(bytes);
        return n;
}

static size_t read_one(struct keys *keys, bool at_end, struct key *ret)
{
        uint8_t first = keys->bytes[0];

        if (first == ESCAPE) {
                size_t n = keys->n > 1 && (keys->bytes[1] == '[' || keys->bytes[1] == 'O')
                                   ? read_escape(keys, ret)
                                   : 0;

                if (n || (keys->n == 1 && !at_end))
                        return n;
                if (keys->n > 1 && !at_end && (keys->bytes[1] == '[' || keys->bytes[1] == 'O'))
                        return 0;
                ret->kind = keys->in_paste ? KEY_NONE : KEY_ESCAPE;
                return 1;
        }
        return first < 0x20 || first == 0x7f ? read_control(first, ret) : read_character(keys, at_end, ret);
}

bool keys_next(struct keys *keys, bool at_end, struct key *ret)
{
        while (keys->n) {
                size_t n;

                *ret = (struct key){.is_pasted = keys->in_paste};
                n = read_one(keys, at_end, ret);
                if (!n)
                        return false;
                drop(keys, n);
                if (ret->kind != KEY_NONE &&
                    (!ret->is_pasted || ret->kind == KEY_CHAR || ret->kind == KEY_ENTER))
                        return true;
        }
        return false;
}
