/* SPDX-License-Identifier: BSD-3-Clause */
#include "answers_folder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "digest.h"
#include "err.h"
#include "mem.h"
#include "object.h"
#include "text.h"

/* How long an unfinished file is left alone, relative to the time of the newest file. */
#define UNFINISHED_NS ((int64_t)3600 * 1000000000)

/* Appends the nearest parent folder that exists. */
static void find_above(const char *folder, struct buf *out)
{
        size_t len = strlen(folder);
        struct os_stat st;

        do {
                while (len && folder[len - 1] != '/' && folder[len - 1] != '\\')
                        len--;
                buf_clear(out);
                buf_add(out, folder, len);
                if (!len)
                        buf_add_char(out, '.');
        } while (!os_stat(buf_text(out), &st) && len--);
}

bool answers_folder_check(const char *folder, struct err *err)
{
        AUTO_RELEASE(buf) above = {0};
        AUTO_RELEASE(buf) link = {0};
        struct os_stat st;

        if (os_is_private_dir(folder))
                return true;
        if (!os_stat(folder, &st)) {
                find_above(folder, &above);
                /* If HOME is that of another user, as sudo may leave it, do not create folders that the other
                 * user could not write to. */
                if (!os_stat(buf_text(&above), &st) || !st.is_dir || os_is_own_dir(buf_text(&above)))
                        return true;
                return err_set(err, ERR_DENIED, "%s: is not created, because %s belongs to another user",
                               folder, buf_text(&above));
        }
        if (!st.is_dir)
                return err_set(err, ERR_IO, "%s: is not a folder", folder);
        if (os_read_link(folder, &link))
                return err_set(err, ERR_DENIED, "%s: is a symbolic link", folder);
        return err_set(err, ERR_DENIED, "%s: belongs to another user, or others may write to it", folder);
}

bool answers_folder_make(const char *folder, struct err *err)
{
        AUTO_RELEASE(buf) above = {0};

        if (!answers_folder_check(folder, err))
                return false;
        /* Ignore errors here; if they matter, creating the last folder fails too. */
        for (const char *at = folder; *at; at++) {
                if (at > folder && (*at == '/' || *at == '\\')) {
                        buf_clear(&above);
                        buf_add(&above, folder, (size_t)(at - folder));
                        os_make_dir(buf_text(&above), NULL);
                }
        }
        return os_make_dir(folder, err) && answers_folder_check(folder, err);
}

void answers_folder_add_path(const char *folder, const uint8_t *build_id, size_t build_id_size,
                             const struct buf *name, const char *what, struct buf *out)
{
        assert(build_id_size <= OBJECT_BUILD_ID_BYTES);

        enum { NAME_BYTES = 16 };
        struct digest digest = digest_of(name->data, name->len);
        char id[2 * OBJECT_BUILD_ID_BYTES + 1], hex[2 * NAME_BYTES + 1];

        text_hex(id, build_id, build_id_size);
        text_hex(hex, digest.bytes, NAME_BYTES);
        buf_printf(out, "%s/%s-%s-%s" ANSWERS_FOLDER_SUFFIX, folder, id, hex, what);
}

struct os_map *answers_folder_map(const char *path, struct err *err)
{
        return os_map_open_of(path, &(struct os_origin){0}, err);
}

bool answers_folder_put(const char *path, const struct buf *bytes, struct err *err)
{
        AUTO_RELEASE(buf) temp = {0};
        AUTO(os_file) file = os_file_create_temp(path, &temp, err);
        bool ok;

        if (!file)
                return false;
        ok = os_file_write(file, bytes->data, bytes->len, err);
        ok = os_file_close(TAKE(file), ok ? err : NULL) && ok;
        if (!ok || !os_rename(buf_text(&temp), path, err)) {
                os_remove(buf_text(&temp), NULL);
                return false;
        }
        return true;
}

/* --- Removing files --- */

struct found_entry {
        char *path;
        uint64_t size_bytes;
        int64_t mtime_ns;
        bool is_finished;
};

struct found_list {
        const char *folder;
        struct found_entry *items;
        size_t n_items, cap;
};

static bool add_found(void *ctx, const char *name)
{
        struct found_list *list = ctx;
        AUTO_RELEASE(buf) path = {0};
        struct os_stat st;

        if (!strstr(name, ANSWERS_FOLDER_SUFFIX))
                return true;
        buf_printf(&path, "%s/%s", list->folder, name);
        if (os_stat(buf_text(&path), &st) && st.is_file)
                ARRAY_PUSH(list->items, list->n_items, list->cap,
                           (struct found_entry){buf_take(&path), st.size_bytes, st.mtime_ns,
                                                text_ends(name, ANSWERS_FOLDER_SUFFIX)});
        return true;
}

/* Newest first. */
static int compare_found(const void *a, const void *b)
{
        const struct found_entry *x = a, *y = b;

        if (x->mtime_ns != y->mtime_ns)
                return x->mtime_ns > y->mtime_ns ? -1 : 1;
        return strcmp(x->path, y->path);
}

void answers_folder_trim(const char *folder, uint64_t max_bytes, const char *kept)
{
        struct found_list list = {.folder = folder};
        uint64_t total = 0;
        struct os_stat st;

        if (os_stat(kept, &st))
                total = st.size_bytes;
        os_list_dir(folder, add_found, &list, NULL);
        if (list.n_items)
                qsort(list.items, list.n_items, sizeof(*list.items), compare_found);
        for (size_t i = 0; i < list.n_items; i++) {
                struct found_entry *found = &list.items[i];
                bool is_old = !found->is_finished && list.items[0].mtime_ns - found->mtime_ns > UNFINISHED_NS;

                if (strcmp(found->path, kept) != 0) {
                        total += found->size_bytes;
                        if (is_old || (found->is_finished && total > max_bytes)) {
                                os_remove(found->path, NULL);
                                total -= found->size_bytes;
                        }
                }
                free(found->path);
        }
        free(list.items);
}
