/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_section.h"

#include <string.h>

#include "buf.h"
#include "err.h"
#include "text.h"
#include "text_printable.h"

enum { VERSION = 2 };

#define SUBJECT_KEY "subject="

static const char magic[] = {'W', 'P', 'C', 'T'};

void count_section_write(const struct count_list *list, const char *subject, struct perfdata_writer *writer)
{
        AUTO_RELEASE(buf) out = {0};

        buf_add(&out, magic, sizeof(magic));
        buf_add_u32(&out, VERSION);
        buf_add_str(&out, SUBJECT_KEY);
        text_add_printable(&out, subject);
        buf_add_char(&out, '\n');
        count_list_write(list, &out);
        perfdata_writer_add_feature(writer, FEATURE_WPERF_COUNT, out.data, out.len);
}

/* Reads the first line. count_list_read() skips that line. */
static void read_subject(const char *lines, size_t size, struct buf *out)
{
        const char *end = memchr(lines, '\n', size), *at;

        if (!end || !text_starts(lines, SUBJECT_KEY))
                return;
        at = lines + strlen(SUBJECT_KEY);
        buf_add(out, at, (size_t)(end - at));
}

bool count_section_read(struct cursor section, struct buf *subject, struct count_list *ret, struct err *err)
{
        const void *found = cursor_bytes(&section, sizeof(magic));
        uint32_t version = cursor_u32(&section);
        const char *lines = (const char *)section.at;
        size_t size = cursor_left(&section);

        if (!found || section.failed || memcmp(found, magic, sizeof(magic)))
                return err_set(err, ERR_FORMAT, "feature 225 (the counted events) is malformed");
        if (version != VERSION)
                return err_set(err, ERR_UNSUPPORTED,
                               "feature 225 (the counted events) has version %u; this wperf reads version %d",
                               version, VERSION);
        read_subject(lines, size, subject);
        return count_list_read(lines, size, ret, err);
}
