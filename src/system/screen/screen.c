/* SPDX-License-Identifier: BSD-3-Clause */
#include "screen.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "os.h"

enum { ESCAPE_MS = 12 }; /* after this time an escape byte is the Escape key, not the start of a sequence */

/* Alternate screen, hidden cursor, no line wrap; mouse clicks, drags and wheel; bracketed paste. */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[?1002h\033[?1006h\033[?2004h";
static const char leave[] = "\033[0m\033[?2004l\033[?1006l\033[?1002l\033[?7h\033[?25h\033[?1049l";

struct screen {
        struct os_terminal *terminal;
        enum cell_colors colors;
        struct cells wanted, shown;
        struct buf output; /* the terminal has not taken the bytes from `sent` on */
        size_t sent;
        struct buf copied; /* to be sent before the next frame */
        struct keys keys;
        bool is_asked; /* `wanted` has to be shown */
        bool anew;     /* draw everything: `shown` is lost */
};

static void take_size(struct screen *screen)
{
        unsigned columns, rows;

        os_terminal_size(screen->terminal, &columns, &rows);
        cells_resize(&screen->wanted, columns, rows);
}

struct screen *screen_open(enum cell_colors colors, struct err *err)
{
        struct os_terminal *terminal = os_terminal_open(enter, leave, err);
        struct screen *screen;

        if (!terminal)
                return NULL;
        screen = mem_new(1, sizeof(*screen));
        screen->terminal = terminal;
        screen->colors = colors;
        screen->anew = true;
        take_size(screen);
        return screen;
}

void screen_free(struct screen *screen)
{
        if (!screen)
                return;
        os_terminal_close(screen->terminal);
        cells_release(&screen->wanted);
        cells_release(&screen->shown);
        buf_release(&screen->output);
        buf_release(&screen->copied);
        free(screen);
}

void screen_leave(struct screen *screen)
{
        os_terminal_leave(screen->terminal);
}

struct cells *screen_cells(struct screen *screen)
{
        return &screen->wanted;
}

static bool is_sending(const struct screen *screen)
{
        return screen->sent < screen->output.len;
}

/* Sends one frame at a time; the next is made when the terminal has taken this one. */
static void send(struct screen *screen)
{
        if (!is_sending(screen) && screen->is_asked) {
                buf_clear(&screen->output);
                screen->sent = 0;
                buf_add(&screen->output, screen->copied.data, screen->copied.len);
                buf_clear(&screen->copied);
                cells_update(&screen->shown, &screen->wanted, screen->colors, screen->anew, &screen->output);
                screen->is_asked = screen->anew = false;
        }
        if (is_sending(screen))
                screen->sent += os_terminal_write(screen->terminal, screen->output.data + screen->sent,
                                                  screen->output.len - screen->sent);
}

void screen_copy(struct screen *screen, const char *text)
{
        buf_clear(&screen->copied);
        buf_add_str(&screen->copied, "\033]52;c;");
        buf_add_base64(&screen->copied, text, strlen(text));
        buf_add_char(&screen->copied, '\a');
        screen_show(screen);
}

void screen_show(struct screen *screen)
{
        screen->is_asked = true;
        send(screen);
}

/* Returns false if there were none. */
static bool read_bytes(struct screen *screen)
{
        uint8_t bytes[KEYS_MAX_BYTES];
        size_t room = sizeof(bytes) - screen->keys.n;
        size_t n = os_terminal_read(screen->terminal, bytes, room);

        keys_add(&screen->keys, bytes, n);
        return n;
}

static bool take_key(struct screen *screen, bool at_end, struct key *ret)
{
        while (keys_next(&screen->keys, at_end, ret)) {
                if (ret->kind != KEY_CONTROL || ret->code != 'z' || ret->is_pasted)
                        return true;
                os_terminal_suspend(screen->terminal);
        }
        return false;
}

/* Call when the screen was lost or has another size. */
static void begin_anew(struct screen *screen)
{
        screen->anew = true;
        screen->is_asked = false;
        buf_clear(&screen->output);
        screen->sent = 0;
        take_size(screen);
}

enum screen_event screen_wait(struct screen *screen, int timeout_ms, struct key *ret_key)
{
        for (;;) {
                bool is_waiting, has_read;
                unsigned events;

                if (take_key(screen, false, ret_key))
                        return SCREEN_KEY;
                send(screen);
                is_waiting = keys_are_waiting(&screen->keys);
                events = os_terminal_wait(screen->terminal, is_sending(screen),
                                          is_waiting ? ESCAPE_MS : timeout_ms);
                if (events & (OS_TERMINAL_RESIZED | OS_TERMINAL_RESUMED)) {
                        begin_anew(screen);
                        return SCREEN_RESIZED;
                }
                has_read = events & OS_TERMINAL_INPUT && read_bytes(screen);
                if (events & OS_TERMINAL_WOKEN)
                        return SCREEN_WOKEN;
                if (events & OS_TERMINAL_CLOSED && !has_read)
                        return SCREEN_CLOSED;
                if (!events && !is_waiting)
                        return SCREEN_TIMEOUT;
                if (!events && take_key(screen, true, ret_key))
                        return SCREEN_KEY;
        }
}

void screen_wake(struct screen *screen)
{
        os_terminal_wake(screen->terminal);
}
