/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the argument of --control, and lines into commands. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "control.h"
#include "err.h"
#include "mem.h"
#include "text.h"
#include "text_number.h"
#include "text_printable.h"

static bool refuse_place(const char *text, struct err *err)
{
        AUTO_RELEASE(buf) shown = {0};

        text_add_printable(&shown, text);
        return err_set(err, ERR_USAGE,
                       "--control: '%.80s' names no FIFO or descriptor: write fifo:CTL[,ACK] or fd:CTL[,ACK]",
                       buf_text(&shown));
}

static bool read_fd(const char *text, int *ret_fd)
{
        uint64_t number;

        if (!isdigit((unsigned char)text[0]) || !text_to_u64(text, 10, &number) || number > INT32_MAX)
                return false;
        *ret_fd = (int)number;
        return true;
}

static char *copy_text(const char *text, size_t len)
{
        char *copy = mem_new(len + 1, 1);

        memcpy(copy, text, len);
        return copy;
}

bool control_place_parse(const char *text, struct control_place *ret, struct err *err)
{
        struct control_place place = {.ctl_fd = -1, .ack_fd = -1};
        const char *rest, *comma;
        size_t len;

        if (text_starts(text, "fifo:"))
                place.kind = CONTROL_FIFO;
        else if (text_starts(text, "fd:"))
                place.kind = CONTROL_FD;
        else
                return refuse_place(text, err);
        rest = strchr(text, ':') + 1;
        comma = strchr(rest, ',');
        len = comma ? (size_t)(comma - rest) : strlen(rest);
        if (!len)
                return refuse_place(text, err);
        place.ctl = copy_text(rest, len);
        /* A comma without a path means no ACK, as in perf. */
        if (comma && comma[1])
                place.ack = copy_text(comma + 1, strlen(comma + 1));
        if (place.kind == CONTROL_FD &&
            (!read_fd(place.ctl, &place.ctl_fd) || (place.ack && !read_fd(place.ack, &place.ack_fd)))) {
                control_place_release(&place);
                return refuse_place(text, err);
        }
        *ret = place;
        return true;
}

void control_place_release(struct control_place *place)
{
        free(place->ctl);
        free(place->ack);
        *place = (struct control_place){.ctl_fd = -1, .ack_fd = -1};
}

/* --- lines --- */

void control_lines_add(struct control_lines *lines, const void *bytes, size_t size)
{
        assert(lines->at <= lines->in.len);
        if (lines->at) {
                lines->in.len -= lines->at;
                memmove(lines->in.data, lines->in.data + lines->at, lines->in.len);
                lines->at = 0;
        }
        buf_add(&lines->in, bytes, size);
}

void control_lines_release(struct control_lines *lines)
{
        buf_release(&lines->in);
        *lines = (struct control_lines){0};
}

static const char *const words[] = {
        [CONTROL_ENABLE] = "enable", [CONTROL_DISABLE] = "disable",   [CONTROL_EVLIST] = "evlist",
        [CONTROL_PING] = "ping",     [CONTROL_SNAPSHOT] = "snapshot", [CONTROL_STOP] = "stop",
};

/* The command that `line` consists of or begins with, up to a blank. */
static enum control_word find_word(const char *line)
{
        size_t len = strcspn(line, " ");

        for (size_t i = 0; i < N_ELEMENTS(words); i++) {
                if (strlen(words[i]) == len && !memcmp(words[i], line, len))
                        return (enum control_word)i;
        }
        return CONTROL_UNKNOWN;
}

static struct control_command read_line(const char *line)
{
        struct control_command command = {.word = find_word(line), .line = line};
        const char *rest = line + strcspn(line, " ");

        rest += strspn(rest, " ");
        switch (command.word) {
        case CONTROL_ENABLE:
        case CONTROL_DISABLE: command.event = *rest ? rest : NULL; break;
        case CONTROL_EVLIST: /* ignore perf's -v, -g and -F, which select details */ break;
        default:
                if (*rest)
                        command.word = CONTROL_UNKNOWN;
                break;
        }
        return command;
}

/* The length of the line at `text` without its end; false if it has no end yet. */
static bool line_length(const char *text, size_t size, size_t *ret_len)
{
        for (*ret_len = 0; *ret_len < size; ++*ret_len) {
                if (text[*ret_len] == '\n' || text[*ret_len] == '\0')
                        return true;
        }
        return false;
}

bool control_lines_next(struct control_lines *lines, struct control_command *ret, bool *ret_too_long)
{
        *ret_too_long = false;
        while (lines->at < lines->in.len) {
                char *line = lines->in.data + lines->at;
                size_t left = lines->in.len - lines->at, len;
                bool ended = line_length(line, left, &len), is_rest = lines->skipping;

                if (len > CONTROL_LINE_MAX_BYTES || is_rest) {
                        lines->skipping = !ended;
                        lines->at += len + ended;
                        *ret_too_long |= !is_rest;
                        continue;
                }
                /* buf has a NUL after its content, so find_word stops. */
                if (!ended && find_word(line) == CONTROL_UNKNOWN)
                        return false;
                lines->at += len + ended;
                line[len] = '\0';
                if (!len)
                        continue;
                *ret = read_line(line);
                return true;
        }
        return false;
}
