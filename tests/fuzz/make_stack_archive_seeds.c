/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_stack_archive into a folder: whole sections, and contents of sections. */
#include <stdio.h>
#include <stdlib.h>

#include "archive_section.h"
#include "os.h"
#include "stack_archive.h"

static const char *folder;

static void save(const char *name, const char *suffix, const void *bytes, size_t size)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO(os_file) file = NULL;

        buf_printf(&path, "%s/%s%s", folder, name, suffix);
        file = os_file_create(buf_text(&path), NULL);
        if (!file || !os_file_write(file, bytes, size, NULL))
                exit(1);
}

static void save_both(const char *name, const struct stack_archive_writer *writer)
{
        static const struct archive_section_kind kind = {"WPSW", STACK_ARCHIVE_VERSION};
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) unpacked = {0};
        struct cursor content;

        if (!stack_archive_write(writer, &section, NULL) ||
            !archive_section_read(&kind, cursor_make(section.data, section.len), NULL, &unpacked, &content,
                                  NULL))
                exit(1);
        save(name, "", content.at, cursor_left(&content));
        save(name, ".section", section.data, section.len);
}

static void save_nothing(void)
{
        AUTO(stack_archive_writer) writer = stack_archive_writer_new();

        save_both("nothing", writer);
        stack_archive_add(writer, 3, NULL, 0, 7);
        save_both("no_frames", writer);
}

/* All methods and ends, and shared callers. */
static void save_few(void)
{
        AUTO(stack_archive_writer) writer = stack_archive_writer_new();
        struct walked_frame frames[] = {
                {0x401000, 0, true}, {0x402010, 1, false}, {0x7f0000001000, 2, false}, {0x402020, 3, true}};

        for (uint8_t i = 0; i < 8; i++) {
                frames[0].pc += i % 3;
                frames[1].way = i % 6;
                stack_archive_add(writer, i * 2u, frames, 1 + i % 4u, i);
        }
        save_both("few", writer);
}

/* With another caller of the last frame it would exceed the maximum depth. */
static void save_deep(void)
{
        AUTO(stack_archive_writer) writer = stack_archive_writer_new();
        static struct walked_frame frames[STACK_ARCHIVE_MAX_FRAMES];

        for (size_t i = 0; i < STACK_ARCHIVE_MAX_FRAMES; i++)
                frames[i] = (struct walked_frame){0x401000, 1, false};
        stack_archive_add(writer, 0, frames, STACK_ARCHIVE_MAX_FRAMES, 3);
        frames[0].pc++;
        stack_archive_add(writer, 1, frames, STACK_ARCHIVE_MAX_FRAMES, 3);
        save_both("deep", writer);
}

static void save_borders(void)
{
        AUTO(stack_archive_writer) writer = stack_archive_writer_new();
        const struct walked_frame frames[] = {{UINT64_MAX, 0, true}, {0, 1, false}};

        stack_archive_add(writer, 5, frames, 1, 0);
        stack_archive_add(writer, UINT64_MAX - 1, frames, 2, 0);
        save_both("borders", writer);
}

/* Content for the path of fuzz_stack_archive: two nodes that make it as deep as allowed, another one
 * instead of the last, and walks from both. */
static void save_behind_path(void)
{
        static const uint8_t end[] = {3, 1, 0, 1, 0, 2, 0, 2, 0, 0x80, 8, 3, 0, 1, 3};

        save("behind_path", "", end, sizeof(end));
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 1;
        folder = argv[1];
        save_nothing();
        save_few();
        save_deep();
        save_borders();
        save_behind_path();
        return 0;
}
