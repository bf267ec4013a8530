/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section about counted events: a subject on one line and a list, or one error message. */
#include <stdlib.h>
#include <string.h>

#include "count_section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) subject = {0};
        struct count_list list = {0};
        struct err err = {0};

        if (!count_section_read(cursor_make(data, size), &subject, &list, &err)) {
                if (!err.code || !err.text[0] || list.items || list.n_items)
                        abort();
                return 0;
        }
        if (subject.len > size || (subject.len && memchr(subject.data, '\n', subject.len)))
                abort();
        for (size_t i = 0; i < list.n_items; i++) {
                if (list.items[i].kind >= (int32_t)list.kinds.n_items)
                        abort();
        }
        count_list_release(&list);
        return 0;
}
