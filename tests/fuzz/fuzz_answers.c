/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the sections of an archived session: unchanged, and as the content of sections with correct
 * headers; and as a file of the cache with a correct header and key. */
#include "answers_cache.h"
#include "ask_archive.h"
#include "source_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_source(struct cursor section)
{
        AUTO(source_archive) archive = source_archive_open(section, NULL, NULL);
        const struct archived_source *file;
        int64_t mtime_ns;

        if (!archive)
                return;
        file = source_archive_find(archive, "/src/a.c", &mtime_ns);
        for (uint32_t line = 0; file && line < MAX_QUESTIONS; line++) {
                const char *text = source_archive_line(file, line);

                sink += text ? strlen(text) : 0;
        }
}

/* The content follows a key of zeros, and has one module.  It is first read with little memory: files may
 * need 64 MB, and otherwise most of the time would be spent on a few bytes that request this much. */
static void use_cache(const uint8_t *data, size_t size, struct buf *section)
{
        enum { LITTLE_BYTES = 256 << 10 };
        AUTO_RELEASE(buf) content = {0};
        struct cursor c = cursor_make(data, size);
        struct budget little;
        AUTO(answers) small = NULL;
        AUTO(answers) answers = NULL;

        budget_init(&little, LITTLE_BYTES);
        small = answers_read(&c, &little);
        if (!small)
                return;
        buf_add_zeros(&content, 184);
        buf_add(&content, data, size);
        answers = answers_cache_read(
                &(struct answers_key){0},
                wrap("WPCA", ANSWERS_CACHE_VERSION, (const uint8_t *)content.data, content.len, section),
                NULL);
        if (answers)
                use_insns(answers_get_module(answers, 0));
}

static void read_seen(const struct buf *name, struct cursor file)
{
        struct answers_seen_list list;

        if (!answers_seen_read(name, file, &list))
                return;
        for (size_t i = 0; i < list.n; i++)
                sink += list.items[i].file.inode + list.items[i].content.bytes[0];
}

/* Unchanged, as a content, and with a name of zeros before it. */
static void use_seen(const uint8_t *data, size_t size, struct buf *section)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) content = {0};

        buf_add_zeros(&name, ANSWERS_SEEN_NAME_BYTES);
        buf_add(&content, name.data, name.len);
        buf_add(&content, data, size);
        read_seen(&name, cursor_make(data, size));
        read_seen(&name, wrap("WPCF", 1, data, size, section));
        read_seen(&name, wrap("WPCF", 1, (const uint8_t *)content.data, content.len, section));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) section = {0};
        struct cursor swapped = cursor_make(data, size);

        if (size > MAX_INPUT_BYTES)
                return 0;
        use_symbols(cursor_make(data, size));
        swapped.swap = true;
        use_symbols(swapped);
        use_source(cursor_make(data, size));
        use_symbols(wrap("WPSY", SYMBOL_ARCHIVE_VERSION, data, size, &section));
        use_source(wrap("WPSR", SOURCE_ARCHIVE_VERSION, data, size, &section));
        use_cache(data, size, &section);
        use_seen(data, size, &section);
        return 0;
}
