/* SPDX-License-Identifier: BSD-3-Clause */
/* A terminal to draw on and to read keys from.  Drawing never waits for a slow terminal: it gets the latest
 * state when it is ready. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "cells.h"
#include "err.h"
#include "keys.h"

struct screen;

/* Takes the terminal of standard input and output: switches to the alternate screen, raw keys and the
 * mouse.  ERR_MISSING if there is no terminal. */
struct screen *screen_open(enum cell_colors colors, struct err *err);

/* Restores the terminal and frees the screen. */
void screen_free(struct screen *screen);
AUTO_DEFINE(screen)

/* Restores the terminal but keeps the screen, because another thread may still call screen_wake().  The
 * process must end at once. */
void screen_leave(struct screen *screen);

/* Returns the cells to draw into; their size is that of the terminal since the last SCREEN_RESIZED. */
struct cells *screen_cells(struct screen *screen);

/* Shows the cells, as soon as the terminal is ready. */
void screen_show(struct screen *screen);

/* Puts a text on the clipboard, if the terminal lets programs do that (OSC 52): there is no answer. */
void screen_copy(struct screen *screen, const char *text);

enum screen_event {
        SCREEN_TIMEOUT,
        SCREEN_KEY,
        SCREEN_RESIZED, /* the cells are blank and may have a new size */
        SCREEN_WOKEN,
        SCREEN_CLOSED, /* the terminal was closed */
};

/* Waits for at most `timeout_ms` (no limit if negative), and sends output meanwhile.  Handles Ctrl-Z. */
enum screen_event screen_wait(struct screen *screen, int timeout_ms, struct key *ret_key);

/* For other threads: ends screen_wait() with SCREEN_WOKEN. */
void screen_wake(struct screen *screen);

#endif
