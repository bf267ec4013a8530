/* SPDX-License-Identifier: BSD-3-Clause */
/* The first byte determines what the rest is: 'e' the text of -E, 'f' a file of it, otherwise a file of -C.
 * The result is names that can be typed, or one error message and the old names. */
#include <stdlib.h>
#include <string.h>

#include "extra_event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_typed(const char *name)
{
        size_t len = strlen(name);

        return len && len <= EXTRA_NAME_MAX_BYTES && !strpbrk(name, " \t\r\n,:/{}");
}

static void check_names(const struct extra_names *names)
{
        for (size_t i = 0; i < names->n_events; i++) {
                const struct extra_event *event = &names->events[i];

                if (!is_typed(event->name) || strpbrk(event->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
                        abort();
                for (size_t k = 0; k < i; k++) {
                        const struct extra_event *other = &names->events[k];

                        if (!strcmp(other->prefix, event->prefix) &&
                            (other->code == event->code || !strcmp(other->name, event->name)))
                                abort();
                }
        }
        for (size_t i = 0; i < names->n_metrics; i++) {
                if (!is_typed(names->metrics[i].name) || !*names->metrics[i].events ||
                    strpbrk(names->metrics[i].events, " \t\r\n:"))
                        abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct extra_names names = {0};
        struct err err = {0};
        char *text = malloc(size + 1);
        bool ok;

        if (!text)
                return 0;
        memcpy(text, data, size);
        text[size] = '\0';
        if (*text == 'e')
                ok = extra_events_parse(text + 1, &names, &err);
        else if (*text == 'f')
                ok = extra_events_parse_file(text + 1, "file", &names, &err);
        else
                ok = extra_metrics_parse_file(text + !!*text, "file", &names, &err);
        if (ok == (err.code && err.text[0]) || (!ok && (names.n_events || names.n_metrics)))
                abort();
        check_names(&names);
        extra_names_release(&names);
        free(text);
        return 0;
}
