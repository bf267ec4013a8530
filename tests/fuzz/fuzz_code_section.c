/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section about jitdumps in an archive: the result is written and read again. */
#include <stdlib.h>
#include <string.h>

#include "code_section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_same(const struct recorded_jitdump *a, const struct recorded_jitdump *b)
{
        if (!b || strcmp(a->path, b->path) != 0 || a->pid != b->pid || a->dev != b->dev ||
            a->inode != b->inode || a->is_by_time != b->is_by_time || !a->doubt != !b->doubt ||
            a->n_codes != b->n_codes ||
            (a->n_codes && memcmp(a->codes, b->codes, a->n_codes * sizeof(*a->codes)) != 0))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(code_section) section = code_section_new(cursor_make(data, size));
        AUTO(code_section) again = NULL;
        AUTO_RELEASE(buf) bytes = {0};
        const struct recorded_jitdump *jitdump;

        for (size_t i = 0; (jitdump = code_section_get(section, i)); i++) {
                for (size_t k = 0; k < jitdump->n_codes; k++) {
                        const struct recorded_code *code = &jitdump->codes[k];

                        if (code->addr + code->size_bytes < code->addr ||
                            code->off + code->size_bytes < code->off)
                                abort();
                }
                code_section_add(&bytes, jitdump);
        }
        again = code_section_new(cursor_make(bytes.data, bytes.len));
        for (size_t i = 0; (jitdump = code_section_get(section, i)); i++)
                expect_same(jitdump, code_section_get(again, i));
        return 0;
}
