/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines `key=value` of a session's section: what was read is the same when it is written and read again. */
#include <stdlib.h>
#include <string.h>

#include "session_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAGIC "WPXX"
enum { VERSION = 1 };

static void expect_same(struct buf *first, struct buf *second)
{
        char *at = first->data, *other = second->data;
        const char *key, *value, *other_key, *other_value;

        while (session_lines_next(&at, &key, &value)) {
                if (strchr(key, '\n') || strchr(key, '=') || strchr(value, '\n'))
                        abort();
                if (!session_lines_next(&other, &other_key, &other_value) || strcmp(key, other_key) != 0 ||
                    strcmp(value, other_value) != 0)
                        abort();
        }
        if (session_lines_next(&other, &other_key, &other_value))
                abort();
}

/* With each space as a line feed, which becomes a space again. */
static void add_split(struct buf *out, const char *key, const char *value)
{
        AUTO_RELEASE(buf) split = {0};

        for (; *value; value++)
                buf_add_char(&split, *value == ' ' ? '\n' : *value);
        session_lines_add(out, key, buf_text(&split));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) once_more = {0};
        AUTO_RELEASE(buf) out = {0};
        AUTO_RELEASE(buf) again = {0};
        const char *key, *value;
        char *at;

        if (!session_lines_read(cursor_make(data, size), MAGIC, VERSION, &text))
                return 0;
        session_lines_begin(&out, MAGIC, VERSION);
        for (at = text.data; session_lines_next(&at, &key, &value);)
                add_split(&out, key, value);
        if (!session_lines_read(cursor_make(data, size), MAGIC, VERSION, &once_more) ||
            !session_lines_read(cursor_make(out.data, out.len), MAGIC, VERSION, &again))
                abort();
        expect_same(&once_more, &again);
        return 0;
}
