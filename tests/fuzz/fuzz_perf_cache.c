/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as the configuration file of perf: the folder that it names is on one of its lines. */
#include <stdlib.h>
#include <string.h>

#include "perf_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) folder = {0};
        AUTO_RELEASE(buf) whole = {0};
        const char *name;

        buf_add(&text, data, size);
        buf_add_char(&text, '\0');
        buf_add(&whole, text.data, text.len);
        if (!perf_cache_read_config(text.data, &folder)) {
                if (folder.len)
                        abort();
                return 0;
        }
        name = buf_text(&folder);
        if (!*name || strpbrk(name, "\n") || strchr(" \t\r", name[strlen(name) - 1]))
                abort();
        /* What stands for ~ is not in the text. */
        if (!strstr(whole.data, name) && !strstr(whole.data, "~/"))
                abort();
        return 0;
}
