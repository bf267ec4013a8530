/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_info.h"

#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "text.h"

#define MAGIC "WPRF"
enum { VERSION = 1, PARTS_PER_SHARE = 1000000 };

/* A line feed inside a value would begin another key. */
static void add_text(struct buf *out, const char *key, const char *value)
{
        buf_printf(out, "%s=", key);
        for (; *value; value++)
                buf_add_char(out, *value == '\n' ? ' ' : *value);
        buf_add_char(out, '\n');
}

static void add_number(struct buf *out, const char *key, uint64_t value)
{
        buf_printf(out, "%s=%" PRIu64 "\n", key, value);
}

void run_info_write(const struct run_info *info, struct perfdata_writer *writer)
{
        AUTO_RELEASE(buf) out = {0};

        buf_add(&out, MAGIC, 4);
        buf_add_u32(&out, VERSION);
        add_text(&out, "source_note", info->source_note);
        add_number(&out, "elapsed_ns", info->elapsed_ns);
        add_number(&out, "user_ns", info->user_ns);
        add_number(&out, "kernel_ns", info->kernel_ns);
        add_number(&out, "counted_ppm", (uint64_t)(info->counted_share * PARTS_PER_SHARE));
        add_number(&out, "n_not_kept", info->n_not_kept);
        add_text(&out, "not_kept", info->not_kept);
        if (info->has_exit)
                add_number(&out, "exit_status", (uint64_t)info->exit_status);
        perfdata_writer_add_feature(writer, FEATURE_WPERF_RUN, out.data, out.len);
}

static void take_pair(struct run_info *info, const char *key, const char *value)
{
        const struct {
                const char *key;
                uint64_t *number;
        } numbers[] = {
                {"elapsed_ns", &info->elapsed_ns},
                {"user_ns", &info->user_ns},
                {"kernel_ns", &info->kernel_ns},
                {"n_not_kept", &info->n_not_kept},
        };
        uint64_t v = 0;

        if (!strcmp(key, "source_note"))
                info->source_note = value;
        else if (!strcmp(key, "not_kept"))
                info->not_kept = value;
        if (!text_to_u64(value, 10, &v))
                return;
        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                if (!strcmp(key, numbers[i].key))
                        *numbers[i].number = v;
        }
        if (!strcmp(key, "counted_ppm") && v <= PARTS_PER_SHARE)
                info->counted_share = (double)v / PARTS_PER_SHARE;
        if (!strcmp(key, "exit_status") && v <= INT32_MAX) {
                info->has_exit = true;
                info->exit_status = (int)v;
        }
}

bool run_info_read(const struct perfdata_reader *reader, struct buf *text, struct run_info *ret)
{
        struct cursor c = perfdata_feature(reader, FEATURE_WPERF_RUN);
        const char *magic = cursor_bytes(&c, 4);
        char *line, *next;

        *ret = (struct run_info){.source_note = "", .not_kept = "", .counted_share = 1};
        if (!magic || memcmp(magic, MAGIC, 4) || cursor_u32(&c) != VERSION || c.failed)
                return false;
        buf_add(text, c.at, cursor_left(&c));
        if (!text->len)
                return true;
        for (line = text->data; *line; line = next) {
                char *value = line + strcspn(line, "=\n");

                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = '\0';
                if (*value != '=')
                        continue;
                *value++ = '\0';
                take_pair(ret, line, value);
        }
        return true;
}
