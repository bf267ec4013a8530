/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbol index of one object: the file that was there, and what was added in this run. */
#include "symbol_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "os.h"
#include "symbol_index_internal.h"

struct symbol_index {
        struct symbol_index_key key;
        char *folder, *path;
        uint64_t max_folder_bytes;
        struct os_map *map; /* NULL: no file, or not one that is believed */
        struct symbol_image image;
        struct arena texts; /* of all images */
        struct symbol_batch added;
        bool has_news; /* something was added since it was saved */
        struct buf note;
};

/* --- The key --- */

static bool make_source(const struct object *object, struct symbol_index_source *ret_source)
{
        const struct object_facts *facts = object_get_facts(object);

        if (!object_get_file(object, &ret_source->size_bytes, &ret_source->mtime_ns))
                return false;
        ret_source->build_id_size = facts->build_id_size;
        memcpy(ret_source->build_id, facts->build_id, facts->build_id_size);
        return true;
}

bool symbol_index_key_make(const struct object *own, const struct object *debug, const struct object *alt,
                           struct symbol_index_key *ret_key)
{
        const struct object_facts *facts = object_get_facts(own);
        struct symbol_index_key key = {.build_id_size = facts->build_id_size,
                                       .answers_version = DWARF_ANSWERS_VERSION};

        if (!facts->build_id_size || !make_source(debug, &key.debug) || (alt && !make_source(alt, &key.alt)))
                return false;
        memcpy(key.build_id, facts->build_id, facts->build_id_size);
        *ret_key = key;
        return true;
}

/* --- The file that is there --- */

static void say_damaged(struct symbol_index *index, const char *what)
{
        if (!index->note.len)
                buf_printf(&index->note, "%s: %s; it is made anew", index->path, what);
}

static void close_file(struct symbol_index *index)
{
        symbol_image_release(&index->image);
        os_map_free(index->map);
        index->map = NULL;
}

static void open_file(struct symbol_index *index)
{
        struct err err = {0};

        index->map = os_map_open(index->path, &err);
        if (!index->map) {
                if (err.code != ERR_MISSING)
                        say_damaged(index, "can't be read");
                return;
        }
        if (symbol_image_init(&index->image, index->map->bytes, index->map->size_bytes, &index->key,
                              &index->texts, &err))
                return;
        if (err.code == ERR_FORMAT)
                say_damaged(index, err.text);
        os_map_free(index->map);
        index->map = NULL;
}

struct symbol_index *symbol_index_open(const struct symbol_index_options *options,
                                       const struct symbol_index_key *key, struct err *err)
{
        uint64_t max_file_bytes =
                options->max_file_bytes ? options->max_file_bytes : SYMBOL_INDEX_MAX_FILE_BYTES;
        AUTO_RELEASE(buf) path = {0};
        struct symbol_index *index;

        assert(key->build_id_size);
        if (!symbol_folder_check(options->folder, err))
                return NULL;
        index = mem_new(1, sizeof(*index));
        index->key = *key;
        index->folder = mem_strdup(options->folder);
        index->max_folder_bytes =
                options->max_folder_bytes ? options->max_folder_bytes : SYMBOL_INDEX_MAX_FOLDER_BYTES;
        if (max_file_bytes > SYMBOL_INDEX_LIMIT_BYTES)
                max_file_bytes = SYMBOL_INDEX_LIMIT_BYTES;
        symbol_batch_init(&index->added, max_file_bytes);
        symbol_folder_add_path(options->folder, key, &path);
        index->path = buf_take(&path);
        open_file(index);
        if (index->map)
                os_touch(index->path, NULL);
        return index;
}

void symbol_index_free(struct symbol_index *index)
{
        if (!index)
                return;
        close_file(index);
        arena_release(&index->texts);
        symbol_batch_release(&index->added);
        buf_release(&index->note);
        free(index->folder);
        free(index->path);
        free(index);
}

const char *symbol_index_note(const struct symbol_index *index)
{
        return buf_text(&index->note);
}

/* --- Looking up --- */

size_t symbol_index_find(struct symbol_index *index, const uint64_t *addrs, size_t n,
                         struct source_frames *ret_frames, bool *ret_known)
{
        size_t n_known = 0;

        *ret_frames = (struct source_frames){.spans = mem_new(n, sizeof(*ret_frames->spans))};
        memset(ret_known, 0, n * sizeof(*ret_known));
        if (index->map)
                n_known = symbol_image_find(&index->image, addrs, n, ret_frames, ret_known);
        if (index->image.is_damaged)
                say_damaged(index, "is damaged");
        for (size_t i = 0; i < n && index->added.n_entries; i++) {
                if (ret_known[i])
                        continue;
                ret_known[i] = symbol_batch_find(&index->added, addrs[i], ret_frames, &ret_frames->spans[i]);
                n_known += ret_known[i];
        }
        return n_known;
}

void symbol_index_add(struct symbol_index *index, const uint64_t *addrs, size_t n,
                      const struct source_frames *frames)
{
        for (size_t i = 0; i < n; i++) {
                const struct source_span *span = &frames->spans[i];
                const struct source_frame *first = span->n ? &frames->frames[span->first] : NULL;

                if (!symbol_batch_add(&index->added, addrs[i], first, span->n))
                        return;
                index->has_news = true;
        }
}

/* Puts the frames of `more`, which has the answers to what is not known, at their places. */
static void insert(struct source_frames *frames, const bool *known, size_t n,
                   const struct source_frames *more)
{
        size_t base = frames->n_frames, at = 0;

        for (size_t i = 0; i < more->n_frames; i++)
                ARRAY_PUSH(frames->frames, frames->n_frames, frames->cap_frames, more->frames[i]);
        for (size_t i = 0; i < n; i++) {
                if (known[i])
                        continue;
                frames->spans[i] = more->spans[at++];
                frames->spans[i].first += base;
        }
}

static void ask_rest(struct symbol_index *index, const uint64_t *addrs, size_t n, const bool *known,
                     symbol_index_ask *ask, void *ctx, struct source_frames *frames)
{
        uint64_t *rest = mem_new(n, sizeof(*rest));
        struct source_frames more = {0};
        size_t n_rest = 0;

        for (size_t i = 0; i < n; i++) {
                if (!known[i])
                        rest[n_rest++] = addrs[i];
        }
        if (ask(ctx, rest, n_rest, &more))
                symbol_index_add(index, rest, n_rest, &more);
        insert(frames, known, n, &more);
        source_frames_release(&more);
        free(rest);
}

void symbol_index_look_up(struct symbol_index *index, const uint64_t *addrs, size_t n, symbol_index_ask *ask,
                          void *ctx, struct source_frames *ret_frames)
{
        bool *known;

        if (!index) {
                ask(ctx, addrs, n, ret_frames);
                return;
        }
        known = mem_new(n, sizeof(*known));
        if (symbol_index_find(index, addrs, n, ret_frames, known) < n)
                ask_rest(index, addrs, n, known, ask, ctx, ret_frames);
        free(known);
}

/* --- Saving --- */

/* Adds what the file has, as far as there is room. */
static void add_file(struct symbol_batch *batch, struct symbol_image *image)
{
        size_t n;
        uint64_t *addrs = symbol_image_list(image, &n);
        struct source_frames frames = {.spans = mem_new(n, sizeof(*frames.spans))};
        bool *known = mem_new(n, sizeof(*known));

        symbol_image_find(image, addrs, n, &frames, known);
        for (size_t i = 0; i < n; i++) {
                const struct source_span *span = &frames.spans[i];

                if (known[i] &&
                    !symbol_batch_add(batch, addrs[i], span->n ? &frames.frames[span->first] : NULL, span->n))
                        break;
        }
        source_frames_release(&frames);
        free(known);
        free(addrs);
}

bool symbol_index_save(struct symbol_index *index, struct err *err)
{
        AUTO_RELEASE(buf) bytes = {0};

        if (!index->has_news)
                return true;
        if (!symbol_folder_make(index->folder, err))
                return false;
        close_file(index);
        open_file(index);
        if (index->map)
                add_file(&index->added, &index->image);
        symbol_batch_write(&index->added, &index->key, &bytes);
        close_file(index);
        if (!symbol_folder_put(index->path, &bytes, err))
                return false;
        index->has_news = false;
        symbol_folder_trim(index->folder, index->max_folder_bytes, index->path);
        return true;
}
