/* SPDX-License-Identifier: BSD-3-Clause */
/* simpleperf's META_INFO: each pair is found by its key, and events are parts of the text. */
#include <stdlib.h>
#include <string.h>

#include "simpleperf_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_so)
{
        if (!is_so)
                abort();
}

/* Any value as a list of events. */
static void use_events(const char *text)
{
        const char *end = text + strlen(text);
        struct simpleperf_event event;

        while (simpleperf_event_next(&text, &event)) {
                must(event.name_len && event.name + event.name_len < text && text <= end);
                must(!memchr(event.name, '\n', event.name_len) && event.name[event.name_len] == ',');
        }
        must(text == end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        enum { MAX_PAIRS = 64 };
        struct cursor info = cursor_make(data, size);
        const char *key, *value;

        for (unsigned n = 0; n < MAX_PAIRS && simpleperf_info_next(&info, &key, &value); n++) {
                const char *found = simpleperf_info_find(cursor_make(data, size), key);

                must(found && found <= value); /* the first with this key */
                use_events(value);
        }
        simpleperf_info_find(cursor_make(data, size), "event_type_info");
        return 0;
}
