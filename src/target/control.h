/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of another program that switch a measurement on and off: perf's --control.  Each is a line, ended by a line feed
 * or a NUL; the answer to it is "ack\n" and a NUL, as perf writes it. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"

/* A delay that only another program ends. */
#define CONTROL_NEVER UINT64_MAX

/* --- the text --- */

enum control_kind { CONTROL_FIFO, CONTROL_FD };

/* Where words come from and answers go to; ack NULL, ack_fd -1: no answers. */
struct control_place {
        enum control_kind kind;
        char *ctl, *ack; /* paths of FIFOs */
        int ctl_fd, ack_fd;
};

/* "fifo:CTL[,ACK]" or "fd:CTL[,ACK]".  ERR_USAGE; nothing is opened. */
bool control_place_parse(const char *text, struct control_place *ret, struct err *err);
void control_place_release(struct control_place *place);

enum control_word {
        CONTROL_ENABLE,
        CONTROL_DISABLE,
        CONTROL_EVLIST, /* tell the events' names */
        CONTROL_PING,
        CONTROL_SNAPSHOT, /* of a trace, which there is none of */
        CONTROL_STOP,
        CONTROL_UNKNOWN,
};

struct control_command {
        enum control_word word;
        const char *event; /* of ENABLE and DISABLE: this event alone; NULL: all */
        const char *line;  /* as it came; both are valid until the next command is taken */
};

/* What came in, cut into lines.  Zero-initialised is empty. */
struct control_lines {
        struct buf in;
        size_t at;     /* of the first byte that was not taken */
        bool skipping; /* the rest of a line that was too long */
};

enum { CONTROL_LINE_MAX_BYTES = 1024 };

void control_lines_add(struct control_lines *lines, const void *bytes, size_t size);
void control_lines_release(struct control_lines *lines);

/* Takes the next line that is not empty.  A word without an end of its line, as `echo -n` writes it, is taken when it is
 * complete and nothing follows.  A line above CONTROL_LINE_MAX_BYTES is left out, to its end: *ret_too_long. */
bool control_lines_next(struct control_lines *lines, struct control_command *ret, bool *ret_too_long);

/* --- the open ends --- */

/* Gets sentences that the user ought to see at once, and what another program asked to be told. */
struct control_listener {
        void (*tell)(void *ctx, bool is_warning, const char *text); /* NULL: nobody listens */
        void *ctx;
};

struct control;

/* Opens FIFOs without waiting for the other side.  ERR_USAGE, ERR_MISSING, ERR_DENIED, ERR_UNSUPPORTED. */
struct control *control_open(const char *text, const struct control_listener *listener, struct err *err);
void control_free(struct control *control);
AUTO_DEFINE(control)

/* Lets those go who wait for the other end of FIFOs, since no recorder will come: they find both ends closed.  Takes at
 * most a second, and half of one where nobody waits. */
void control_dismiss(const char *text);

/* To be waited at for reading; -1 once no word can come any more. */
int control_fd(const struct control *control);

/* True once that is so; `is_off`: all events are off, and to stay off with that is worth a warning. */
bool control_see_end(struct control *control, bool is_off);

/* Reads what has come, a few KiB at most, so that a flood can't keep the caller; never waits. */
void control_read(struct control *control);

/* Takes the next command of what was read.  What is no command is warned of and left out. */
bool control_next(struct control *control, struct control_command *ret);

/* Answers; where nobody takes answers they are dropped, with one warning. */
void control_answer(struct control *control);

/* After some warnings no more are told. */
void control_warn(struct control *control, const char *fmt, ...) PRINTF_LIKE(2, 3);
void control_tell(struct control *control, const char *text);

#endif
