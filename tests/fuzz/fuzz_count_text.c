/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a session's section WPERF_COUNT: the result is a list with valid references only, which can
 * be written and read again, or one error message. */
#include <stdlib.h>
#include <string.h>

#include "count_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct count_list *list)
{
        for (size_t i = 0; i < list->n_items; i++) {
                const struct count_event *e = &list->items[i];
                struct buf note = {0};

                if (!e->plain || (unsigned)e->class >= COUNT_CLASSES ||
                    e->kind >= (int32_t)list->kinds.n_items || e->group < COUNT_LOOSE ||
                    !memchr(e->index, '\0', sizeof(e->index)))
                        abort();
                count_event_add_note(e, &note);
                buf_release(&note);
        }
        for (size_t i = 0; i < list->n_metrics; i++) {
                const struct count_metric *m = &list->metrics[i];

                if (!m->name || !m->title || m->kind >= (int32_t)list->kinds.n_items)
                        abort();
                for (size_t j = 0; j < m->n_events; j++) {
                        if (m->events[j] >= list->n_items)
                                abort();
                }
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct count_list list = {0}, again = {0};
        struct buf first = {0}, second = {0};
        struct err err = {0};

        if (!count_list_read((const char *)data, size, &list, &err)) {
                if (!err.code || !err.text[0] || list.items)
                        abort();
                return 0;
        }
        check(&list);
        count_list_write(&list, &first);
        if (count_list_read(buf_text(&first), first.len, &again, &err)) {
                count_list_write(&again, &second);
                if (second.len < first.len)
                        abort();
        } else if (err.code != ERR_FORMAT && err.code != ERR_LIMIT) {
                abort();
        }
        count_list_release(&list);
        count_list_release(&again);
        buf_release(&first);
        buf_release(&second);
        return 0;
}
