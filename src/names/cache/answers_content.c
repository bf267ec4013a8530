/* SPDX-License-Identifier: BSD-3-Clause */
/* The digest of a file is the digest of a list: who may change the file, its type, its sections, and the
 * digests of pieces of these in order.  The pieces allow several threads to share the work.
 *
 * The file of digests, in an envelope with magic WPCF:
 *
 *     size of the build id u8  build id[64]  size of the file u64  n u64  n times: struct answers_seen
 *
 * For a file without a build id, a digest of its path replaces build id and size. */
#include "answers_content.h"

#include <stdlib.h>
#include <string.h>

#include "answers_folder.h"
#include "answers_internal.h"
#include "archive_section.h"
#include "buf.h"
#include "err.h"
#include "log.h"
#include "mem.h"
#include "os.h"

enum {
        SEEN_VERSION = 1, /* part of the file's name too */
        PIECE_BYTES = 1 << 20,
        MIN_THREAD_BYTES = 4 << 20, /* do not start a thread for less */
        MAX_THREADS = 4,
        MAX_KEPT_BYTES = 64 << 20, /* for more than that, drop each piece from memory after hashing */
        /* Files without a build id up to this size, such as .dwo files, are not stored: hashing them is as
         * fast as reading a list. */
        MAX_UNLISTED_BYTES = 64 << 10,
};

static const struct archive_section_kind seen_kind = {"WPCF", SEEN_VERSION, .is_plain = true};

/* --- The digest --- */

struct content_piece {
        const uint8_t *at;
        size_t size;
};

struct hashing {
        const struct object *object;
        struct content_piece *pieces;
        struct digest *digests; /* of each */
        size_t n, cap;
        uint64_t n_bytes;
        unsigned n_threads;
};

static void hash_some(void *ctx, unsigned thread)
{
        const struct hashing *h = ctx;

        for (size_t i = thread; i < h->n; i += h->n_threads) {
                h->digests[i] = digest_of(h->pieces[i].at, h->pieces[i].size);
                if (h->n_bytes > MAX_KEPT_BYTES)
                        object_forget(h->object, h->pieces[i].at, h->pieces[i].size);
        }
}

static void hash_pieces(struct hashing *h)
{
        uint64_t most = h->n_bytes / MIN_THREAD_BYTES + 1;

        h->digests = mem_new(h->n, sizeof(*h->digests));
        h->n_threads = os_usable_cpus();
        if (h->n_threads > MAX_THREADS)
                h->n_threads = MAX_THREADS;
        if (h->n_threads > most)
                h->n_threads = (unsigned)most;
        os_parallel(h->n_threads, hash_some, h);
}

static void add_section(struct hashing *h, struct cursor bytes)
{
        h->n_bytes += cursor_left(&bytes);
        while (cursor_left(&bytes)) {
                size_t left = cursor_left(&bytes), size = left < PIECE_BYTES ? left : PIECE_BYTES;

                ARRAY_PUSH(h->pieces, h->n, h->cap, (struct content_piece){cursor_bytes(&bytes, size), size});
        }
}

static void add_facts(const struct object *object, const struct object_file *file, struct buf *out)
{
        const struct object_facts *facts = object_get_facts(object);

        buf_add_u64(out, file->writers);
        buf_add_u32(out, facts->format);
        buf_add_u32(out, facts->machine);
        buf_add_u8(out, facts->address_bytes);
        buf_add_u8(out, facts->is_relocatable);
}

bool answers_content_make(const struct object *object, const char *(*section_name)(size_t i),
                          struct digest *ret_content)
{
        AUTO_RELEASE(buf) list = {0};
        struct hashing h = {.object = object};
        struct object_file file;
        const char *name;

        if (!object_get_file(object, &file))
                return false;
        add_facts(object, &file, &list);
        for (size_t i = 0; (name = section_name(i)) && h.n_bytes <= file.size_bytes; i++) {
                const struct object_section *section = object_find_section(object, name);

                if (!section)
                        continue;
                buf_add(&list, section->name, strlen(section->name) + 1);
                buf_add_u32(&list, section->flags);
                buf_add_u64(&list, section->size_bytes);
                buf_add_u64(&list, section->file_size);
                add_section(&h, object_raw_section(object, section));
        }
        if (h.n_bytes <= file.size_bytes) {
                hash_pieces(&h);
                buf_add(&list, h.digests, h.n * sizeof(*h.digests));
                *ret_content = digest_of(list.data, list.len);
        }
        free(h.pieces);
        free(h.digests);
        return h.n_bytes <= file.size_bytes;
}

/* --- Files that were seen --- */

void answers_seen_add_name(const struct object *object, struct buf *out)
{
        const struct object_facts *facts = object_get_facts(object);
        uint8_t id[OBJECT_BUILD_ID_BYTES] = {0};
        struct object_file file = {0};
        struct digest digest;

        object_get_file(object, &file);
        memcpy(id, facts->build_id, facts->build_id_size);
        /* Uses the path, because .dwo files of equal size would displace each other from a common list. */
        if (!facts->build_id_size) {
                digest = digest_of(object_name(object), strlen(object_name(object)));
                memcpy(id, &digest, sizeof(digest));
        }
        buf_add_u8(out, facts->build_id_size);
        buf_add(out, id, sizeof(id));
        buf_add_u64(out, facts->build_id_size ? file.size_bytes : 0);
}

static void add_path(const char *folder, const struct object *object, const struct buf *name, struct buf *out)
{
        const struct object_facts *facts = object_get_facts(object);

        answers_folder_add_path(folder, facts->build_id, facts->build_id_size, name, "files1", out);
}

void answers_seen_add_path(const char *folder, const struct object *object, struct buf *out)
{
        AUTO_RELEASE(buf) name = {0};

        answers_seen_add_name(object, &name);
        add_path(folder, object, &name, out);
}

bool answers_seen_read(const struct buf *name, struct cursor file, struct answers_seen_list *ret_list)
{
        AUTO_RELEASE(buf) unpacked = {0};
        struct cursor content;
        const void *items, *found;
        uint64_t n;

        if (!archive_section_read(&seen_kind, file, NULL, &unpacked, &content, NULL))
                return false;
        found = cursor_bytes(&content, name->len);
        n = cursor_u64(&content);
        if (n > ANSWERS_MAX_SEEN)
                return false;
        items = cursor_bytes(&content, n * sizeof(ret_list->items[0]));
        if (content.failed || cursor_left(&content) || memcmp(found, name->data, name->len) != 0)
                return false;
        ret_list->n = (size_t)n;
        memcpy(ret_list->items, items, n * sizeof(ret_list->items[0]));
        return true;
}

void answers_seen_write(const struct buf *name, const struct answers_seen_list *list, struct buf *out)
{
        AUTO_RELEASE(buf) content = {0};

        buf_add(&content, name->data, name->len);
        buf_add_u64(&content, list->n);
        buf_add(&content, list->items, list->n * sizeof(list->items[0]));
        archive_section_write(&seen_kind, &content, out, NULL);
}

/* Puts the new entry first and drops the oldest if there are too many. Ignores errors: the file is then
 * hashed again next time, and problems with the folder are reported when answers are saved. */
static void add_seen(const char *path, const struct buf *name, const struct answers_seen *seen,
                     struct answers_seen_list *list)
{
        AUTO_RELEASE(buf) bytes = {0};

        if (list->n < ANSWERS_MAX_SEEN)
                list->n++;
        memmove(list->items + 1, list->items, (list->n - 1) * sizeof(list->items[0]));
        list->items[0] = *seen;
        answers_seen_write(name, list, &bytes);
        answers_folder_put(path, &bytes, NULL);
}

static void read_seen(const char *path, const struct buf *name, struct answers_seen_list *ret_list)
{
        AUTO(os_map) map = answers_folder_map(path, NULL);

        ret_list->n = 0;
        if (map)
                answers_seen_read(name, cursor_make(map->bytes, map->size_bytes), ret_list);
}

static bool say_overlap(const struct object *object, struct err *err)
{
        return err_set(err, ERR_UNSUPPORTED, "%s: has sections that overlap", object_name(object));
}

bool answers_content_find(const char *folder, const struct object *object,
                          const char *(*section_name)(size_t i), struct digest *ret_content, struct err *err)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) name = {0};
        struct answers_seen_list known;
        struct answers_seen seen;

        if (!object_get_file(object, &seen.file))
                return err_set(err, ERR_UNSUPPORTED, "%s: is not a file", object_name(object));
        if (!object_get_facts(object)->build_id_size && seen.file.size_bytes <= MAX_UNLISTED_BYTES)
                return answers_content_make(object, section_name, ret_content) || say_overlap(object, err);
        answers_seen_add_name(object, &name);
        add_path(folder, object, &name, &path);
        read_seen(buf_text(&path), &name, &known);
        for (size_t i = 0; i < known.n; i++) {
                if (memcmp(&known.items[i].file, &seen.file, sizeof(seen.file)) != 0)
                        continue;
                *ret_content = known.items[i].content;
                return true;
        }
        if (!answers_folder_make(folder, err))
                return false;
        if (!answers_content_make(object, section_name, &seen.content))
                return say_overlap(object, err);
        log_debug("%s: hashing its content", object_name(object));
        *ret_content = seen.content;
        if (!object_is_changed(object))
                add_seen(buf_text(&path), &name, &seen, &known);
        return true;
}
