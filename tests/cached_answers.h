/* SPDX-License-Identifier: BSD-3-Clause */
/* Artificial answers for a cache, and the folder FOLDER that stores them; one program, one folder. */
#ifndef CACHED_ANSWERS_H
#define CACHED_ANSWERS_H

#include <stdlib.h>

#include "answers_cache.h"
#include "mem.h"
#include "os.h"
#include "tap.h"

enum { MAX_FILE_BYTES = 1 << 20, N_SMALL = 5 };

static const struct answers_cache_options options = {.folder = FOLDER};

/* --- The folder --- */

static inline bool remove_one(void *ctx, const char *name)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "%s/%s", FOLDER, name);
        os_remove(buf_text(&path), NULL);
        return true;
}

static inline void clean(void)
{
        os_list_dir(FOLDER, remove_one, NULL, NULL);
}

static inline bool count_one(void *ctx, const char *name)
{
        ++*(size_t *)ctx;
        return true;
}

static inline size_t count_files(void)
{
        size_t n = 0;

        os_list_dir(FOLDER, count_one, &n, NULL);
        return n;
}

static inline struct answers_key key_of(uint8_t n)
{
        return (struct answers_key){.kind = ANSWER_FRAMES,
                                    .build_id = {n, 2, 3, 4},
                                    .build_id_size = 4,
                                    .size_bytes = 1000,
                                    .contents = {{{n, 5, 6, 7}}, {{n, 8, 9}}}};
}

/* Valid until the next call. */
static const char *path_of(const struct answers_key *key)
{
        static char path[1000];
        AUTO_RELEASE(buf) out = {0};

        answers_cache_add_path(FOLDER, key, &out);
        snprintf(path, sizeof(path), "%s", buf_text(&out));
        return path;
}

static inline void read_whole(const struct answers_key *key, struct buf *out)
{
        buf_clear(out);
        EXPECT_TRUE(os_read_file(path_of(key), MAX_FILE_BYTES, out, NULL));
}

/* Some file systems wait when a file is truncated and written again, so a new one is written. */
static inline void write_whole(const char *path, const void *bytes, size_t size)
{
        struct os_file *file;

        os_remove(path, NULL);
        file = os_file_create(path, NULL);

        EXPECT_TRUE(file && os_file_write(file, bytes, size, NULL));
        EXPECT_TRUE(file && os_file_close(file, NULL));
}

static inline struct answers_cache *open_index(const struct answers_key *key)
{
        struct err err = {0};
        struct answers_cache *index = answers_cache_open(&options, key, &err);

        if (!index)
                TAP_FAIL("%s", err.text);
        return index;
}

/* --- Made-up answers --- */

/* Address A has A % 4 frames, which contain the address. */
static inline void answer(uint64_t addr, struct source_frames *frames, struct source_span *ret_span)
{
        static char texts[64][32];
        size_t n = addr % 4;

        ret_span->first = frames->n_frames;
        ret_span->n = n;
        for (size_t i = 0; i < n; i++) {
                char *function = texts[addr % 32], *path = texts[32 + addr % 7];

                snprintf(function, sizeof(texts[0]), "function_%u", (unsigned)(addr % 32));
                snprintf(path, sizeof(texts[0]), "/src/%u.c", (unsigned)(addr % 7));
                ARRAY_PUSH(frames->frames, frames->n_frames, frames->cap_frames,
                           (struct source_frame){.function = i == 2 ? NULL : function,
                                                 .path = i == 1 ? "" : path,
                                                 .line = (uint32_t)addr,
                                                 .column = UINT32_MAX - (uint32_t)i,
                                                 .is_inlined = i + 1 < n,
                                                 .start = addr << 32 | i});
        }
}

static inline void answer_all(const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        *ret_frames = (struct source_frames){.spans = mem_new(n, sizeof(*ret_frames->spans))};
        for (size_t i = 0; i < n; i++)
                answer(addrs[i], ret_frames, &ret_frames->spans[i]);
}

static inline bool same_text(const char *a, const char *b)
{
        return a && b ? !strcmp(a, b) : a == b;
}

static inline bool is_answer(uint64_t addr, const struct answered_frames *got, size_t at)
{
        struct source_frames want = {0};
        struct source_span want_span;
        bool ok;

        answer(addr, &want, &want_span);
        ok = answered_count(got, at) == want_span.n;
        for (size_t i = 0; ok && i < want_span.n; i++) {
                const struct source_frame a = answers_get(got, at, i), *b = &want.frames[i];

                ok = same_text(a.function, b->function) && same_text(a.path, b->path) && a.line == b->line &&
                     a.column == b->column && a.is_inlined == b->is_inlined && a.start == b->start;
        }
        source_frames_release(&want);
        return ok;
}

static inline void add(struct answers_cache *index, const uint64_t *addrs, size_t n)
{
        struct source_frames frames;

        answer_all(addrs, n, &frames);
        answers_cache_add_frames(index, addrs, n, &frames);
        source_frames_release(&frames);
}

static inline void save(struct answers_cache *index)
{
        struct err err = {0};

        if (!answers_cache_save(index, &err))
                TAP_FAIL("%s", err.text);
}

/* Number of known addresses; each answer must be the right one. */
static inline size_t find(struct answers_cache *index, const uint64_t *addrs, size_t n)
{
        struct answered_frames frames = {.found = mem_new(n, sizeof(*frames.found))};
        size_t n_known = answers_cache_find_all(index, addrs, n, frames.found), n_right = 0;

        for (size_t i = 0; i < n; i++)
                n_right += frames.found[i].set && is_answer(addrs[i], &frames, i);
        EXPECT_INT(n_right, n_known);
        answers_frames_release(&frames);
        return n_known;
}

/* A later run. */
static inline size_t find_again(const struct answers_key *key, const uint64_t *addrs, size_t n)
{
        AUTO(answers_cache) index = open_index(key);

        EXPECT_STR(answers_cache_note(index), "");
        return find(index, addrs, n);
}

static inline void keep(const struct answers_key *key, const uint64_t *addrs, size_t n)
{
        AUTO(answers_cache) index = open_index(key);

        add(index, addrs, n);
        save(index);
}

static const uint64_t small[N_SMALL] = {0, 0x1001, 0x1002, 0x1007, UINT64_MAX};

/* Every FACTOR-th number from `start`. */
static inline uint64_t *make_addrs(uint64_t start, uint64_t factor, size_t n)
{
        uint64_t *addrs = mem_new(n, sizeof(*addrs));

        for (size_t i = 0; i < n; i++)
                addrs[i] = start + i * factor;
        return addrs;
}

#endif
