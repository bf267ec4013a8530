/* SPDX-License-Identifier: BSD-3-Clause */
/* The first byte determines the pieces in which the rest arrives as lines of --control; the first line is
 * also used as the option's value.  For all input the commands are the same as when lines arrive one by
 * one, and at most one line is stored. */
#include <stdlib.h>
#include <string.h>

#include "control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_place(const char *text)
{
        struct control_place place;
        struct err err = {0};

        if (!control_place_parse(text, &place, &err)) {
                if (err.code != ERR_USAGE || !err.text[0])
                        abort();
                return;
        }
        if (!place.ctl || !place.ctl[0] || (place.ack && !place.ack[0]) ||
            (place.kind == CONTROL_FD) != (place.ctl_fd >= 0) ||
            (place.kind == CONTROL_FD && (place.ack != NULL) != (place.ack_fd >= 0)))
                abort();
        control_place_release(&place);
}

static void add_commands(struct control_lines *lines, struct buf *out)
{
        struct control_command command;
        bool too_long;

        while (control_lines_next(lines, &command, &too_long)) {
                if (!command.line[0] || strlen(command.line) > CONTROL_LINE_MAX_BYTES ||
                    (unsigned)command.word > CONTROL_UNKNOWN || (command.event && !command.event[0]))
                        abort();
                buf_printf(out, "%d %s\n", command.word, command.line);
        }
        if (lines->in.len - lines->at > CONTROL_LINE_MAX_BYTES)
                abort();
}

/* Adds a line feed after each line, so that the result does not depend on the pieces. */
static void feed(const uint8_t *data, size_t size, size_t piece, struct buf *out)
{
        struct control_lines lines = {0};

        for (size_t at = 0; at < size; at += piece) {
                control_lines_add(&lines, data + at, size - at < piece ? size - at : piece);
                add_commands(&lines, out);
        }
        control_lines_release(&lines);
}

/* The same by lines that come whole. */
static void feed_lines(const uint8_t *data, size_t size, struct buf *out)
{
        struct control_lines lines = {0};
        size_t begin = 0;

        for (size_t at = 0; at < size; at++) {
                if (data[at] != '\n' && data[at] != '\0')
                        continue;
                control_lines_add(&lines, data + begin, at + 1 - begin);
                add_commands(&lines, out);
                begin = at + 1;
        }
        control_lines_release(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct buf pieces = {0}, whole = {0}, all = {0};
        char *text;

        if (!size)
                return 0;
        text = malloc(size);
        if (!text)
                return 0;
        memcpy(text, data + 1, size - 1);
        text[size - 1] = '\0';
        text[strcspn(text, "\n")] = '\0';
        parse_place(text);
        free(text);
        feed(data + 1, size - 1, (size_t)data[0] + 1, &pieces);
        feed(data + 1, size - 1, size, &all);
        feed_lines(data + 1, size - 1, &whole);
        /* A command without a line feed may be used early, and then be incomplete: only input that arrived
         * at once can be compared. */
        if (all.len < whole.len || (whole.len && memcmp(all.data, whole.data, whole.len)))
                abort();
        buf_release(&pieces);
        buf_release(&whole);
        buf_release(&all);
        return 0;
}
