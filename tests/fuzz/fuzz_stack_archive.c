/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as packed stacks: as a section, as the content of one with a correct header, and as its end.
 * Every walk is read; it is written and read again with the same result. */
#include <stdlib.h>

#include "archive_section.h"
#include "stack_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_INPUT_BYTES = 1 << 16, N_WAYS = 6, N_ENDS = 8, FEW_FRAMES = 3, MAX_LOOKED_AT = 1 << 20 };

static void check_frames(const struct stack_archive *archive, const struct archived_walk *walk,
                         const struct walked_frame *frames, size_t n)
{
        struct walked_frame few[FEW_FRAMES];
        size_t n_few = stack_archive_frames(archive, walk, few, FEW_FRAMES);

        if (n != walk->n_frames || n_few != (n < FEW_FRAMES ? n : FEW_FRAMES) || walk->end >= N_ENDS)
                abort();
        for (size_t i = 0; i < n; i++) {
                if (frames[i].way >= N_WAYS)
                        abort();
                if (i < n_few && (few[i].pc != frames[i].pc || few[i].way != frames[i].way))
                        abort();
        }
}

/* The walks that are written again have the same frames; frames may be shared differently. */
static void write_again(const struct stack_archive *archive, const struct stack_archive_writer *writer)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO(stack_archive) again = NULL;
        struct walked_frame a[STACK_ARCHIVE_MAX_FRAMES], b[STACK_ARCHIVE_MAX_FRAMES];

        if (!stack_archive_write(writer, &section, NULL))
                abort();
        again = stack_archive_open(cursor_make(section.data, section.len), N_WAYS, N_ENDS, NULL, NULL);
        if (!again || stack_archive_n_walks(again) != stack_archive_n_walks(archive) ||
            stack_archive_n_nodes(again) > stack_archive_n_nodes(archive))
                abort();
        for (size_t i = 0; i < stack_archive_n_walks(archive); i++) {
                const struct archived_walk *x = stack_archive_get(archive, i);
                const struct archived_walk *y = stack_archive_get(again, i);
                size_t n = stack_archive_frames(archive, x, a, STACK_ARCHIVE_MAX_FRAMES);

                if (x->sample != y->sample || x->end != y->end ||
                    stack_archive_frames(again, y, b, STACK_ARCHIVE_MAX_FRAMES) != n)
                        abort();
                for (size_t k = 0; k < n; k++) {
                        if (a[k].pc != b[k].pc || a[k].way != b[k].way || a[k].is_exact != b[k].is_exact)
                                abort();
                }
        }
}

static void use(struct cursor section)
{
        AUTO(stack_archive) archive = stack_archive_open(section, N_WAYS, N_ENDS, NULL, NULL);
        AUTO(stack_archive_writer) writer = NULL;
        struct walked_frame frames[STACK_ARCHIVE_MAX_FRAMES];
        size_t n_looked_at = 0;

        if (!archive)
                return;
        writer = stack_archive_writer_new();
        for (size_t i = 0; i < stack_archive_n_walks(archive); i++) {
                const struct archived_walk *walk = stack_archive_get(archive, i);
                size_t n = stack_archive_frames(archive, walk, frames, STACK_ARCHIVE_MAX_FRAMES);

                if (stack_archive_find(archive, walk->sample) != walk)
                        abort();
                check_frames(archive, walk, frames, n);
                stack_archive_add(writer, walk->sample, frames, n, walk->end);
                n_looked_at += n;
                if (n_looked_at > MAX_LOOKED_AT)
                        return;
        }
        write_again(archive, writer);
}

/* As content that is not packed. */
static void use_content(const void *content, size_t size)
{
        AUTO_RELEASE(buf) section = {0};

        buf_add(&section, "WPSW", 4);
        buf_add_u32(&section, STACK_ARCHIVE_VERSION);
        buf_add_u64(&section, 0);
        buf_add_u64(&section, size);
        buf_add_u64(&section, archive_section_checksum(content, size));
        buf_add(&section, content, size);
        use(cursor_make(section.data, section.len));
}

/* Content after a path of nearly the maximum depth: the number of further nodes, the nodes, and the walks. */
static void use_behind_path(const uint8_t *data, size_t size)
{
        enum { PATH_FRAMES = STACK_ARCHIVE_MAX_FRAMES - 2 };
        AUTO_RELEASE(buf) content = {0};

        if (!size)
                return;
        buf_add(&content, "\1\0\0", 3); /* a frame */
        buf_add_uleb(&content, PATH_FRAMES + data[0]);
        for (size_t i = 0; i < PATH_FRAMES; i++) {
                buf_add_u8(&content, i > 0);
                buf_add_u8(&content, 0);
        }
        buf_add(&content, data + 1, size - 1);
        use_content(content.data, content.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct cursor swapped = cursor_make(data, size);

        if (size > MAX_INPUT_BYTES)
                return 0;
        swapped.swap = true;
        use(cursor_make(data, size));
        use(swapped);
        use_content(data, size);
        use_behind_path(data, size);
        return 0;
}
