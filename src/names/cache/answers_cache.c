/* SPDX-License-Identifier: BSD-3-Clause */
/* The answers of one kind for one object: those from the file, and those added in this run. */
#include "answers_cache.h"

#include <assert.h>
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
        KEY_BYTES = 184,
        HEAD_BYTES = ARCHIVE_SECTION_HEAD_BYTES + KEY_BYTES,
};

static const struct archive_section_kind file_kind = {"WPCA", ANSWERS_CACHE_VERSION, .is_plain = true};

struct answers_cache {
        struct answers_key key;
        char *folder, *path;
        uint64_t max_file_bytes, max_folder_bytes;
        struct answers *file;  /* NULL if there is no file, or it is not valid */
        struct answers *added; /* has one module */
        struct module_answers *module;
        bool is_full;  /* nothing more can be added */
        bool has_news; /* something was added since the last save */
        struct buf note;
};

/* --- The key --- */

bool answers_key_make(const char *folder, const struct object *own, const struct answers_sources *sources,
                      struct answers_key *ret_key, struct err *err)
{
        const struct object_facts *facts = object_get_facts(own);
        struct answers_key key = {.build_id_size = facts->build_id_size};
        struct object_file file;

        if (!facts->build_id_size || !object_get_file(own, &file))
                return err_set(err, ERR_UNSUPPORTED, "%s: has no build id, or is not a file",
                               object_name(own));
        for (size_t i = 0; i < ANSWERS_N_SOURCE_FILES; i++) {
                if (sources->files[i] && !answers_content_find(folder, sources->files[i],
                                                               sources->section_name, &key.contents[i], err))
                        return false;
        }
        memcpy(key.build_id, facts->build_id, facts->build_id_size);
        key.size_bytes = file.size_bytes;
        *ret_key = key;
        return true;
}

void answers_key_add_dwos(struct answers_key *key, const struct buf *list)
{
        AUTO_RELEASE(buf) all = {0};

        buf_add_str(&all, "dwos");
        buf_add(&all, &key->contents[ANSWERS_SPLIT], sizeof(key->contents[ANSWERS_SPLIT]));
        buf_add(&all, list->data, list->len);
        key->contents[ANSWERS_SPLIT] = digest_of(all.data, all.len);
}

/* Appends KEY_BYTES bytes, which are equal for equal keys. */
static void add_key(const struct answers_key *key, struct buf *out)
{
        buf_add_u8(out, key->build_id_size);
        buf_add_u8(out, key->kind);
        buf_add_zeros(out, 6);
        buf_add(out, key->build_id, sizeof(key->build_id));
        buf_add_u64(out, key->size_bytes);
        buf_add(out, key->contents, sizeof(key->contents));
        buf_add_u64(out, key->version);
}

void answers_cache_add_path(const char *folder, const struct answers_key *key, struct buf *out)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) what = {0};

        add_key(key, &bytes);
        assert(bytes.len == KEY_BYTES);
        buf_printf(&what, "answers%d", ANSWERS_CACHE_VERSION);
        answers_folder_add_path(folder, key->build_id, key->build_id_size, &bytes, buf_text(&what), out);
}

/* --- A file --- */

struct answers *answers_cache_read(const struct answers_key *key, struct cursor file, struct err *err)
{
        AUTO_RELEASE(buf) wanted = {0};
        AUTO_RELEASE(buf) unpacked = {0};
        AUTO_RELEASE(budget) budget = {0};
        struct answers *answers;
        struct cursor content;
        const void *found;

        archive_section_budget(&budget, NULL, file);
        if (!archive_section_read(&file_kind, file, &budget, &unpacked, &content, err)) {
                if (err && err->code == ERR_FORMAT)
                        err_set(err, ERR_FORMAT, "is damaged");
                return NULL;
        }
        add_key(key, &wanted);
        found = cursor_bytes(&content, KEY_BYTES);
        if (!found || memcmp(found, wanted.data, KEY_BYTES) != 0) {
                err_set(err, ERR_FORMAT, "was written for other files");
                return NULL;
        }
        answers = answers_read(&content, &budget);
        if (answers && !cursor_left(&content) && answers_n_modules(answers) == 1)
                return answers;
        answers_free(answers);
        err_set(err, ERR_FORMAT, "is damaged");
        return NULL;
}

static void say_damaged(struct answers_cache *cache, const char *what)
{
        if (!cache->note.len)
                buf_printf(&cache->note, "%s: %s; wperf creates it again", cache->path, what);
}

/* NULL if there is no file, or if it is damaged or for another key. */
static struct answers *read_file(struct answers_cache *cache)
{
        struct err err = {0};
        AUTO(os_map) map = answers_folder_map(cache->path, &err);
        struct answers *answers;

        if (!map) {
                if (err.code != ERR_MISSING)
                        say_damaged(cache, "can't be read");
                return NULL;
        }
        answers = answers_cache_read(&cache->key, cursor_make(map->bytes, map->size_bytes), &err);
        if (!answers && err.code != ERR_UNSUPPORTED)
                say_damaged(cache, err.text);
        return answers;
}

/* --- Opening and closing --- */

struct answers_cache *answers_cache_open(const struct answers_cache_options *options,
                                         const struct answers_key *key, struct err *err)
{
        AUTO_RELEASE(buf) path = {0};
        struct answers_cache *cache;

        assert(key->build_id_size && answer_kinds[key->kind].by_addr);
        if (!answers_folder_check(options->folder, err))
                return NULL;
        cache = mem_new(1, sizeof(*cache));
        cache->key = *key;
        cache->folder = mem_strdup(options->folder);
        cache->max_folder_bytes =
                options->max_folder_bytes ? options->max_folder_bytes : ANSWERS_CACHE_MAX_FOLDER_BYTES;
        cache->max_file_bytes =
                options->max_file_bytes ? options->max_file_bytes : ANSWERS_CACHE_MAX_FILE_BYTES;
        if (cache->max_file_bytes > ARCHIVE_SECTION_MAX_BYTES)
                cache->max_file_bytes = ARCHIVE_SECTION_MAX_BYTES;
        cache->added = answers_new();
        cache->module = answers_add_module(cache->added);
        answers_cache_add_path(options->folder, key, &path);
        cache->path = buf_take(&path);
        cache->file = read_file(cache);
        if (cache->file)
                os_touch(cache->path, NULL);
        return cache;
}

void answers_cache_free(struct answers_cache *cache)
{
        if (!cache)
                return;
        answers_free(cache->file);
        answers_free(cache->added);
        buf_release(&cache->note);
        free(cache->folder);
        free(cache->path);
        free(cache);
}

const char *answers_cache_note(const struct answers_cache *cache)
{
        return buf_text(&cache->note);
}

/* --- Looking up --- */

const struct module_answers *answers_cache_file(const struct answers_cache *cache)
{
        return cache->file ? answers_get_module(cache->file, 0) : NULL;
}

size_t answers_cache_find_all(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                              struct answer_found *found)
{
        const struct module_answers *file = answers_cache_file(cache);
        enum answer_kind kind = cache->key.kind;
        size_t n_found = file ? answers_find_all(file, kind, addrs, n, found) : 0;

        if (n_found == n)
                return n;
        answers_sort(cache->module, kind);
        if (!file)
                return answers_find_all(cache->module, kind, addrs, n, found);
        for (size_t i = 0; i < n; i++) {
                if (!found[i].set)
                        n_found += answers_find(cache->module, kind, addrs[i], &found[i]);
        }
        return n_found;
}

bool answers_cache_find(struct answers_cache *cache, uint64_t addr, struct answer_found *ret_found)
{
        return answers_cache_find_all(cache, &addr, 1, ret_found);
}

struct source_frame answers_get(const struct answered_frames *frames, size_t i, size_t k)
{
        const struct answer_found *found;
        const struct answer_frame *frame;

        if (!answered_is_found(frames, i))
                return frames->rest.frames[frames->rest.spans[i].first + k];
        found = &frames->found[i];
        frame = answer_found_get(found, k);
        return (struct source_frame){
                .function = answers_text(found->store, frame->function),
                .path = answers_text(found->store, frame->path),
                .line = frame->line,
                .column = frame->column,
                .is_inlined = frame->flags & ANSWER_IS_INLINED,
                .start = frame->start,
        };
}

size_t answers_get_labels(const struct answer_found *found, struct source_label **ret_labels)
{
        *ret_labels = mem_new(found->list.n, sizeof(**ret_labels));
        for (size_t i = 0; i < found->list.n; i++) {
                const struct answer_label *label = answer_found_get(found, i);

                (*ret_labels)[i] = (struct source_label){
                        .name = answers_text(found->store, label->name),
                        .path = answers_text(found->store, label->path),
                        .line = label->line,
                        .addr = label->addr,
                        .has_addr = label->has_addr,
                };
        }
        return found->list.n;
}

size_t answers_get_extents(const struct answer_found *found, struct source_extent **ret_extents)
{
        *ret_extents = mem_new(found->list.n, sizeof(**ret_extents));
        for (size_t i = 0; i < found->list.n; i++) {
                const struct answer_extent *extent = answer_found_get(found, i);

                (*ret_extents)[i] = (struct source_extent){extent->start, extent->start + extent->size};
        }
        return found->list.n;
}

void answers_frames_release(struct answered_frames *frames)
{
        source_frames_release(&frames->rest);
        free(frames->found);
        *frames = (struct answered_frames){0};
}

/* --- Adding --- */

/* Whether the file stays within its limit with `bytes` more. If not, nothing more can be added. */
static bool has_room(struct answers_cache *cache, uint64_t bytes)
{
        if (HEAD_BYTES + answers_size(cache->module, cache->key.kind) + bytes > cache->max_file_bytes)
                cache->is_full = true;
        return !cache->is_full;
}

answer_text answers_cache_text(struct answers_cache *cache, const char *text)
{
        if (!text || !has_room(cache, strlen(text) + 1))
                return 0;
        return answers_add_text(cache->added, text);
}

static void add_range(struct answers_cache *cache, uint64_t first, uint64_t last, const void *items, size_t n)
{
        enum answer_kind kind = cache->key.kind;
        uint64_t bytes = (answer_kinds[kind].item.bytes + sizeof(uint32_t)) * (uint64_t)n +
                         sizeof(struct answer_list) + sizeof(struct answer_range);

        if (n > answers_max_list(kind) || !has_room(cache, bytes))
                return;
        /* Debug information may contain impossible values. */
        if (answer_kinds[kind].check_list && !answer_kinds[kind].check_list(items, n))
                return;
        answers_add_range(cache->module, kind, first, last, answers_add_list(cache->module, kind, items, n));
}

void answers_cache_add(struct answers_cache *cache, uint64_t addr, const void *items, size_t n)
{
        add_range(cache, addr, addr, items, n);
        cache->has_news |= !cache->is_full;
}

void answers_cache_add_frames(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                              const struct source_frames *frames)
{
        struct answer_frame items[ANSWERS_MAX_FRAMES];

        items[0] = (struct answer_frame){0};
        for (size_t i = 0; i < n && !cache->is_full; i++) {
                const struct source_frame *from = NULL;

                if (frames->spans[i].n > ANSWERS_MAX_FRAMES)
                        continue;
                if (frames->spans[i].n)
                        from = frames->frames + frames->spans[i].first;
                for (size_t k = 0; k < frames->spans[i].n; k++)
                        items[k] = (struct answer_frame){
                                .function = answers_cache_text(cache, from[k].function),
                                .path = answers_cache_text(cache, from[k].path),
                                .line = from[k].line,
                                .column = from[k].column,
                                .flags = from[k].is_inlined ? ANSWER_IS_INLINED : 0,
                                .start = from[k].start,
                        };
                answers_cache_add(cache, addrs[i], items, frames->spans[i].n);
        }
}

/* Asks for the addresses that were not found, and stores the spans of their frames by the index of the
 * address. */
static void ask_rest(struct answers_cache *cache, const uint64_t *addrs, size_t n, answers_ask_frames *ask,
                     void *ctx, struct answered_frames *frames)
{
        uint64_t *unknown = mem_new(n, sizeof(*unknown));
        struct source_span *spans = mem_new(n, sizeof(*spans));
        size_t n_unknown = 0, at = 0;

        for (size_t i = 0; i < n; i++) {
                if (!answered_is_found(frames, i))
                        unknown[n_unknown++] = addrs[i];
        }
        if (ask(ctx, unknown, n_unknown, &frames->rest))
                answers_cache_add_frames(cache, unknown, n_unknown, &frames->rest);
        for (size_t i = 0; i < n; i++) {
                if (!answered_is_found(frames, i))
                        spans[i] = frames->rest.spans[at++];
        }
        free(frames->rest.spans);
        frames->rest.spans = spans;
        free(unknown);
}

void answers_cache_look_up(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                           answers_ask_frames *ask, void *ctx, struct answered_frames *ret_frames)
{
        size_t n_found;

        *ret_frames = (struct answered_frames){0};
        if (!cache) {
                ask(ctx, addrs, n, &ret_frames->rest);
                return;
        }
        ret_frames->found = mem_resize(NULL, n, sizeof(*ret_frames->found));
        n_found = answers_cache_find_all(cache, addrs, n, ret_frames->found);
        log_debug("%s: knows %zu of %zu addresses", cache->path, n_found, n);
        if (n_found < n)
                ask_rest(cache, addrs, n, ask, ctx, ret_frames);
}

/* --- Saving --- */

/* Changes the texts of an item from another store into texts of the added ones. */
static void translate(struct answers_cache *cache, const struct answers *from, uint8_t *item)
{
        const struct kind_facts *kind = &answer_kinds[cache->key.kind];

        for (size_t i = 0; i < kind->item.n_fields; i++) {
                answer_text text;

                if (kind->item.fields[i].form != FIELD_TEXT)
                        continue;
                memcpy(&text, item + kind->item.fields[i].offset, sizeof(text));
                text = answers_cache_text(cache, answers_text(from, text));
                memcpy(item + kind->item.fields[i].offset, &text, sizeof(text));
        }
}

/* Adds the content of the file, as far as there is room. */
static void add_file(struct answers_cache *cache, const struct answers *file)
{
        const struct module_answers *from = answers_get_module(file, 0);
        enum answer_kind kind = cache->key.kind;
        size_t item_bytes = answer_kinds[kind].item.bytes;
        AUTO_RELEASE(buf) items = {0};

        answers_sort(cache->module, kind);
        for (size_t i = 0; i < answers_n_ranges(from, kind) && !cache->is_full; i++) {
                struct answer_range range = answers_get_range(from, kind, i);
                struct answer_found found = answers_of_range(from, kind, i), known;

                if (answers_find(cache->module, kind, range.first, &known))
                        continue;
                buf_clear(&items);
                for (uint32_t k = 0; k < found.list.n; k++) {
                        uint8_t *item = buf_extend(&items, item_bytes);

                        memcpy(item, answer_found_get(&found, k), item_bytes);
                        translate(cache, file, item);
                }
                add_range(cache, range.first, range.last, buf_text(&items), found.list.n);
        }
}

void answers_cache_move(struct answers_cache *cache, const struct answers_key *key)
{
        AUTO_RELEASE(buf) path = {0};

        memcpy(cache->key.contents, key->contents, sizeof(key->contents));
        answers_cache_add_path(cache->folder, &cache->key, &path);
        free(cache->path);
        cache->path = buf_take(&path);
        if (cache->file) {
                cache->has_news = true;
                add_file(cache, cache->file);
        }
}

bool answers_cache_save(struct answers_cache *cache, struct err *err)
{
        AUTO_RELEASE(buf) content = {0};
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(answers) file = NULL;

        if (!cache->has_news)
                return true;
        if (!answers_folder_make(cache->folder, err))
                return false;
        file = read_file(cache);
        if (file)
                add_file(cache, file);
        add_key(&cache->key, &content);
        answers_write(cache->added, false, &content);
        if (!archive_section_write(&file_kind, &content, &bytes, err) ||
            !answers_folder_put(cache->path, &bytes, err))
                return false;
        cache->has_news = false;
        answers_folder_trim(cache->folder, cache->max_folder_bytes, cache->path);
        return true;
}
