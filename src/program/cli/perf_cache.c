/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_cache.h"

#include <string.h>

#include "buf.h"
#include "os.h"
#include "text.h"

enum { CONFIG_LIMIT = 1 << 20 };

static char *trim(char *text)
{
        char *end;

        text += strspn(text, " \t\r");
        end = text + strlen(text);
        while (end > text && strchr(" \t\r", end[-1]))
                end--;
        *end = '\0';
        return text;
}

/* A leading ~/ means the home folder, as in perf. */
static void add_value(const char *value, struct buf *out)
{
        const char *home = os_environment("HOME");

        if (text_starts(value, "~/") && home) {
                buf_add_str(out, home);
                value++;
        }
        buf_add_str(out, value);
}

bool perf_cache_read_config(char *text, struct buf *out)
{
        bool is_buildid = false;

        for (char *line = text, *next; line && *line; line = next) {
                char *equal;

                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = '\0';
                line = trim(line);
                if (*line == '[') {
                        is_buildid = !strcmp(line, "[buildid]");
                        continue;
                }
                equal = strchr(line, '=');
                if (!is_buildid || !equal)
                        continue;
                *equal = '\0';
                if (strcmp(trim(line), "dir") || !*trim(equal + 1))
                        continue;
                add_value(trim(equal + 1), out);
                return true;
        }
        return false;
}

static bool find_in_config(const char *home, struct buf *out)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) text = {0};

        struct os_stat there;

        buf_printf(&path, "%s/.perfconfig", home);
        return os_stat(buf_text(&path), &there) && there.is_file &&
               os_read_file(buf_text(&path), CONFIG_LIMIT, &text, NULL) && text.len &&
               perf_cache_read_config(text.data, out);
}

bool perf_cache_find(struct buf *out)
{
        const char *variable = os_environment("PERF_BUILDID_DIR"), *home = os_environment("HOME");
        struct os_stat there;

        if (variable && *variable)
                buf_add_str(out, variable);
        else if (!home || *home != '/')
                return false;
        else if (!find_in_config(home, out))
                buf_printf(out, "%s/.debug", home);
        return os_stat(buf_text(out), &there) && there.is_dir;
}
