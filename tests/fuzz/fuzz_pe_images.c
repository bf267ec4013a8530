/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a session's section about PE images: each image in it is found. */
#include <stdlib.h>
#include <string.h>

#include "pe_images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that reads are not optimised away. */
static volatile uint64_t sink;

static void ask(struct pe_images *images, const char *path)
{
        const struct pe_identity *identity = pe_images_find(images, path, NULL, 0);

        if (!identity)
                return;
        if (pe_images_size(images, path, NULL, 0) != identity->image_size ||
            identity->image_size > UINT32_MAX)
                abort();
        sink += identity->pdb_path ? strlen(identity->pdb_path) : identity->time_stamp;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(pe_images) images = pe_images_new(cursor_make(data, size));
        AUTO_RELEASE(buf) text = {0};
        char *line, *next;

        buf_add(&text, data, size);
        for (line = text.data; line && line < text.data + text.len; line = next) {
                next = memchr(line, '\n', (size_t)(text.data + text.len - line));
                next = next ? next : text.data + text.len;
                if (next < text.data + text.len)
                        *next++ = '\0';
                if (!strncmp(line, "image=", 6))
                        ask(images, line + 6);
        }
        return 0;
}
