/* SPDX-License-Identifier: BSD-3-Clause */
/* The format, in the machine's byte order: the header; for each function, sorted by address, its start, its
 * size and the offset of its name; the names, each with a NUL. */
#include "kallsyms_kept.h"

#include <stdlib.h>
#include <string.h>

#include "answers_cache.h"
#include "answers_folder.h"
#include "buf.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "search.h"
#include "text.h"

static const char magic[] = {'w', 'p', 'e', 'r', 'f', 'k', 's', 'y'};

enum { VERSION = 1, BYTE_ORDER_MARK = 0x01020304, BOOT_BYTES = 64 };

struct kept_header {
        char magic[sizeof(magic)];
        uint32_t byte_order, version;
        uint32_t n, names_size;
        char boot[BOOT_BYTES];
};

struct kept_function {
        uint64_t start;
        uint32_t size, name_off;
};

struct kallsyms_kept {
        struct os_map *map; /* NULL: bytes of the caller */
        const uint8_t *functions;
        const char *names; /* the last byte is a NUL */
        uint32_t n, names_size;
        str_id *texts; /* for each function, for the reader */
};

static bool is_of_boot(const struct kept_header *h, const char *boot)
{
        return !memcmp(h->magic, magic, sizeof(magic)) && h->byte_order == BYTE_ORDER_MARK &&
               h->version == VERSION && strlen(boot) < BOOT_BYTES && !strncmp(h->boot, boot, BOOT_BYTES);
}

struct kallsyms_kept *kallsyms_kept_new(const void *bytes, size_t size, const char *boot, struct err *err)
{
        struct cursor c = cursor_make(bytes, size);
        const void *start = cursor_bytes(&c, sizeof(struct kept_header)), *functions, *names;
        struct kallsyms_kept *kept;
        struct kept_header header;

        if (start)
                memcpy(&header, start, sizeof(header));
        if (!start || !is_of_boot(&header, boot)) {
                err_set(err, ERR_FORMAT, "was written during another boot");
                return NULL;
        }
        functions = cursor_bytes(&c, (uint64_t)header.n * sizeof(struct kept_function));
        names = cursor_bytes(&c, header.names_size);
        if (c.failed || cursor_left(&c) || !header.names_size ||
            ((const char *)names)[header.names_size - 1]) {
                err_set(err, ERR_FORMAT, "is damaged");
                return NULL;
        }
        kept = mem_new(1, sizeof(*kept));
        kept->functions = functions;
        kept->names = names;
        kept->n = header.n;
        kept->names_size = header.names_size;
        kept->texts = mem_new(header.n, sizeof(*kept->texts));
        return kept;
}

static void add_path(const char *folder, const char *boot, struct buf *out)
{
        buf_printf(out, "%s/kernel-%s-%d.symbols", folder, boot, VERSION);
}

struct kallsyms_kept *kallsyms_kept_open(const char *folder, const char *boot)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO(os_map) map = NULL;
        struct kallsyms_kept *kept;

        if (!answers_folder_check(folder, NULL))
                return NULL;
        add_path(folder, boot, &path);
        map = answers_folder_map(buf_text(&path), NULL);
        kept = map ? kallsyms_kept_new(map->bytes, map->size_bytes, boot, NULL) : NULL;
        if (kept)
                kept->map = TAKE(map);
        return kept;
}

void kallsyms_kept_free(struct kallsyms_kept *kept)
{
        if (!kept)
                return;
        os_map_free(kept->map);
        free(kept->texts);
        free(kept);
}

static struct kept_function function_at(const struct kallsyms_kept *kept, size_t index)
{
        struct kept_function f;

        memcpy(&f, kept->functions + index * sizeof(f), sizeof(f));
        return f;
}

bool kallsyms_kept_find(const struct kallsyms_kept *kept, uint64_t addr, struct symtab_hit *ret_hit)
{
        size_t low = 0, high = kept->n;
        struct kept_function f;

        SEARCH_FIRST(low, high, middle, function_at(kept, middle).start <= addr);
        if (!low)
                return false;
        f = function_at(kept, low - 1);
        if (f.start > addr || addr - f.start >= f.size || f.name_off >= kept->names_size)
                return false;
        *ret_hit = (struct symtab_hit){
                .index = (uint32_t)low - 1,
                .start = f.start,
                .end = f.start + f.size,
                .same_from = f.start,
                .same_to = f.start + f.size,
                .end_is_guessed = true,
                .name_off = f.name_off,
                .name = kept->names + f.name_off,
                .name_max = kept->names_size - f.name_off,
                .text = &kept->texts[low - 1],
        };
        return true;
}

/* --- Writing --- */

/* Whether a function ends where the next one of the kernel begins, so that no changing code is between
 * them. */
static bool is_kept(const struct symtab *tab, size_t index, struct symtab_hit *ret_hit)
{
        struct symtab_hit next;

        if (index + 1 >= symtab_n_symbols(tab))
                return false;
        symtab_get(tab, index, ret_hit);
        symtab_get(tab, index + 1, &next);
        return !ret_hit->group && !next.group && ret_hit->name && ret_hit->end <= next.start &&
               ret_hit->end > ret_hit->start && ret_hit->end - ret_hit->start <= UINT32_MAX;
}

void kallsyms_kept_write(const struct symtab *tab, const char *boot, struct buf *out)
{
        struct kept_header header = {.byte_order = BYTE_ORDER_MARK, .version = VERSION};
        AUTO_RELEASE(buf) names = {0};

        memcpy(header.magic, magic, sizeof(magic));
        text_copy(header.boot, sizeof(header.boot), boot);
        buf_add(out, &header, sizeof(header));
        for (size_t i = 0; i < symtab_n_symbols(tab); i++) {
                struct symtab_hit hit;
                struct kept_function f;

                if (!is_kept(tab, i, &hit))
                        continue;
                f = (struct kept_function){hit.start, (uint32_t)(hit.end - hit.start), (uint32_t)names.len};
                buf_add(out, &f, sizeof(f));
                buf_add(&names, hit.name, strlen(hit.name) + 1);
                header.n++;
        }
        header.names_size = (uint32_t)names.len;
        memcpy(out->data + out->len - (size_t)header.n * sizeof(struct kept_function) - sizeof(header),
               &header, sizeof(header));
        buf_add(out, names.data, names.len);
}

bool kallsyms_kept_save(const struct symtab *tab, const char *folder, const char *boot,
                        uint64_t max_folder_bytes, struct err *err)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) bytes = {0};

        if (!answers_folder_make(folder, err))
                return false;
        add_path(folder, boot, &path);
        kallsyms_kept_write(tab, boot, &bytes);
        if (!answers_folder_put(buf_text(&path), &bytes, err))
                return false;
        answers_folder_trim(folder, max_folder_bytes ? max_folder_bytes : ANSWERS_CACHE_MAX_FOLDER_BYTES,
                            buf_text(&path));
        return true;
}
