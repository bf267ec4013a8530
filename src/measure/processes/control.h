/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands by which another program controls a measurement: perf's --control. A command is a line that ends
 * with a line feed or a NUL. The answer to each is "ack\n" and a NUL, like perf's. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"

/* A delay that only a controlling program ends. */
#define CONTROL_NEVER UINT64_MAX

/* --- the text --- */

enum control_kind { CONTROL_FIFO, CONTROL_FD };

/* Where commands come from and answers go to. For no answers, ack is NULL and ack_fd -1. */
struct control_place {
        enum control_kind kind;
        char *ctl, *ack; /* paths of FIFOs */
        int ctl_fd, ack_fd;
};

/* Parses "fifo:CTL[,ACK]" or "fd:CTL[,ACK]"; opens nothing. ERR_USAGE. */
bool control_place_parse(const char *text, struct control_place *ret, struct err *err);
void control_place_release(struct control_place *place);

enum control_word {
        CONTROL_ENABLE,
        CONTROL_DISABLE,
        CONTROL_EVLIST, /* list the names of the events */
        CONTROL_PING,
        CONTROL_SNAPSHOT, /* trace data, which wperf does not record */
        CONTROL_STOP,
        CONTROL_UNKNOWN,
};

struct control_command {
        enum control_word word;
        const char *event; /* ENABLE and DISABLE: only this event; NULL for all */
        const char *line;  /* the line as received. Both texts are valid until the next command is taken */
};

/* Splits the input into lines. Zero-initialize before use. */
struct control_lines {
        struct buf in;
        size_t at;     /* offset of the first byte that was not taken */
        bool skipping; /* skips the rest of a line that is too long */
};

enum { CONTROL_LINE_MAX_BYTES = 1024 };

void control_lines_add(struct control_lines *lines, const void *bytes, size_t size);
void control_lines_release(struct control_lines *lines);

/* Takes the next line that is not empty. A command without an end of line, as `echo -n` writes it, is taken
 * if nothing follows it. Lines of more than CONTROL_LINE_MAX_BYTES are skipped and set *ret_too_long. */
bool control_lines_next(struct control_lines *lines, struct control_command *ret, bool *ret_too_long);

/* --- descriptors --- */

/* Receives warnings to display at once, and texts that a controlling program asked for. */
struct control_listener {
        void (*tell)(void *ctx, bool is_warning, const char *text); /* NULL to ignore them */
        void *ctx;
};

struct control;

/* Opens FIFOs without waiting for the other side. ERR_USAGE, ERR_MISSING, ERR_DENIED, ERR_UNSUPPORTED. */
struct control *control_open(const char *text, const struct control_listener *listener, struct err *err);
void control_free(struct control *control);
AUTO_DEFINE(control)

/* Opens and closes the FIFOs, because no recorder will start: programs that wait to open the other ends then
 * continue and find them closed. Takes a second at most, half a second if no program waits. */
void control_dismiss(const char *text);

/* The descriptor to poll for reading; -1 after the end of the commands. */
int control_fd(const struct control *control);

/* True after the end of the commands. If `is_off`, all events are disabled and stay so, which is worth a
 * warning. */
bool control_see_end(struct control *control, bool is_off);

/* Reads what was received, a few KiB at most, so that a flood of commands can't block the caller. Never
 * waits. */
void control_read(struct control *control);

/* Takes the next command of what was read. Warns about lines that are not commands and skips them. */
bool control_next(struct control *control, struct control_command *ret);

/* Sends the answer. If it can't be written it is dropped, with one warning. */
void control_answer(struct control *control);

/* Passes a warning to the listener; after WARNINGS_MAX warnings further ones are dropped. */
void control_warn(struct control *control, const char *fmt, ...) PRINTF_LIKE(2, 3);
void control_tell(struct control *control, const char *text);

#endif
