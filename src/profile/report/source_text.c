/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_text.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "map.h"
#include "md5.h"
#include "mem.h"
#include "os.h"
#include "text.h"

enum {
        SOURCE_MAX_BYTES = 64 << 20,
        MAX_LINES = 1 << 24, /* of a file; those after are not shown */
        ALL_MAX_BYTES =
                256 << 20, /* of all files: a session, or debug information, can name any number of them */
};

struct text_file {
        char *path; /* as in the debug information */
        struct buf text;
        uint32_t *lines; /* the offset of each */
        size_t n_lines, cap_lines;
        const struct archived_source *archived; /* used instead of the text; NULL if there is none */
        uint64_t size_bytes;                    /* 0 for archived lines */
        int64_t mtime_ns;
        bool is_here, is_refused, is_left_out;
        size_t next;               /* index + 1 of another file with the same hash of its path; 0: none */
        struct source_asker asker; /* the first to ask */
        bool is_of_module; /* a server may have been asked, so the text is only valid for this module */
        struct digest digest;
};

struct source_text {
        const char *folders;
        const struct source_archive *archive;
        bool (*find_remote)(void *ctx, const char *path, struct buf *out);
        void *ctx;
        bool takes_private;
        struct source_asker asker;
        struct text_file **files;
        size_t n_files, cap_files;
        struct map by_path; /* hash of the path to index + 1 */
        uint64_t all_bytes; /* of the texts */
        struct text_file *last;
};

struct source_text *source_text_new(const char *folders,
                                    bool (*find_remote)(void *ctx, const char *path, struct buf *out),
                                    void *ctx)
{
        struct source_text *source = mem_new(1, sizeof(*source));

        source->folders = folders;
        source->find_remote = find_remote;
        source->ctx = ctx;
        return source;
}

void source_text_use_archive(struct source_text *source, const struct source_archive *archive)
{
        source->archive = archive;
}

void source_text_ask_for(struct source_text *source, struct source_asker asker)
{
        source->asker = asker;
}

void source_text_take_private(struct source_text *source, bool takes_private)
{
        source->takes_private = takes_private;
}

void source_text_free(struct source_text *source)
{
        if (!source)
                return;
        for (size_t i = 0; i < source->n_files; i++) {
                buf_release(&source->files[i]->text);
                free(source->files[i]->lines);
                free(source->files[i]->path);
                free(source->files[i]);
        }
        free(source->files);
        map_release(&source->by_path);
        free(source);
}

static bool is_source(const char *path, struct os_stat *ret_stat)
{
        return os_stat(path, ret_stat) && ret_stat->is_file && ret_stat->size_bytes <= SOURCE_MAX_BYTES;
}

/* Tries FOLDER/a/b/c.c, FOLDER/b/c.c, FOLDER/c.c. */
static bool find_in_folder(const char *folder, size_t len, const char *path, struct buf *out,
                           struct os_stat *ret_stat)
{
        for (const char *end = path; end; end = strpbrk(end, "/\\")) {
                end += strspn(end, "/\\");
                buf_clear(out);
                buf_printf(out, "%.*s/%s", (int)len, folder, end);
                if (is_source(buf_text(out), ret_stat))
                        return true;
        }
        return false;
}

/* The length up to the next separator. The colon after a drive letter is not a separator. */
static size_t folder_length(const char *at)
{
        bool has_drive = at[0] && at[1] == ':' && (at[2] == '\\' || at[2] == '/');
        size_t before = has_drive ? 2 : 0;

        return before + strcspn(at + before, ":;");
}

static bool find_in_folders(const struct source_text *source, const char *path, struct buf *out,
                            struct os_stat *ret_stat)
{
        for (const char *at = source->folders; at && *at; at += strspn(at, ":;")) {
                size_t len = folder_length(at);

                if (find_in_folder(at, len, path, out, ret_stat))
                        return true;
                at += len;
        }
        return false;
}

static bool find_at_path(const char *path, struct buf *out, struct os_stat *ret_stat)
{
        buf_clear(out);
        buf_add_str(out, path);
        return is_source(path, ret_stat);
}

static bool find_far(const struct source_text *source, const char *path, struct buf *out,
                     struct os_stat *ret_stat)
{
        buf_clear(out);
        return source->find_remote && source->find_remote(source->ctx, path, out) &&
               is_source(buf_text(out), ret_stat);
}

static void read_lines(struct text_file *file)
{
        char *text = file->text.data;
        size_t at = 0;

        /* Each line ends where the next begins; the line ends become NULs. */
        while (at < file->text.len && file->n_lines < MAX_LINES) {
                const char *newline = memchr(text + at, '\n', file->text.len - at);
                size_t end = newline ? (size_t)(newline - text) : file->text.len;

                ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines, (uint32_t)at);
                if (end > at && text[end - 1] == '\r')
                        text[end - 1] = '\0';
                text[end] = '\0';
                at = end + 1;
        }
}

/* debuginfod fetched the file for this request, so its permissions do not matter. */
static bool read_text(const struct source_text *source, struct text_file *file, const char *place,
                      bool is_far)
{
        struct err err = {0};

        if (source->takes_private || is_far)
                return os_read_regular(place, SOURCE_MAX_BYTES, &file->text, NULL);
        if (os_read_public(place, source->asker.use != SOURCE_SHOWN, SOURCE_MAX_BYTES, &file->text, &err))
                return true;
        file->is_refused = err.code == ERR_DENIED && os_is_superuser();
        return false;
}

/* A link to another file must have the ending, too. */
static bool may_use(const struct source_text *source, const char *path, const char *place)
{
        AUTO_RELEASE(buf) real = {0};

        switch (source->asker.use) {
        case SOURCE_GIVEN_UNKNOWN: return false;
        case SOURCE_GIVEN_PYTHON:
                return text_ends(path, ".py") && os_real_path(place, &real) &&
                       text_ends(buf_text(&real), ".py");
        default: return true;
        }
}

static bool has_checksum(const struct text_file *file)
{
        struct md5 md5;

        if (!file->asker.md5)
                return true;
        md5 = md5_of(buf_text(&file->text), file->text.len);
        return !memcmp(md5.bytes, file->asker.md5, sizeof(md5.bytes));
}

static bool is_same_md5(const uint8_t *a, const uint8_t *b)
{
        return a == b || (a && b && !memcmp(a, b, MD5_BYTES));
}

static struct text_file *load(const struct source_text *source, const char *path)
{
        struct text_file *file = mem_new(1, sizeof(*file));
        AUTO_RELEASE(buf) place = {0};
        struct os_stat st;
        bool is_found, is_far;

        buf_add_str(&place, path);
        file->path = buf_take(&place);
        file->asker = source->asker;
        is_found = find_in_folders(source, path, &place, &st);
        if (!is_found && source->archive && source->asker.is_archived)
                file->archived = source_archive_find(source->archive, path, &file->mtime_ns);
        file->is_here = file->archived;
        if (file->is_here) {
                file->digest = digest_of(&file->archived, sizeof(file->archived));
                return file;
        }
        is_found = is_found || find_at_path(path, &place, &st);
        file->is_of_module = !is_found && source->find_remote;
        is_far = !is_found && find_far(source, path, &place, &st);
        file->is_left_out = (is_found || is_far) && source->all_bytes + st.size_bytes > ALL_MAX_BYTES;
        if ((!is_found && !is_far) || file->is_left_out || !may_use(source, path, buf_text(&place)) ||
            !read_text(source, file, buf_text(&place), is_far))
                return file;
        file->is_here = true;
        file->size_bytes = st.size_bytes;
        file->mtime_ns = st.mtime_ns;
        file->digest = digest_of(buf_text(&file->text), file->text.len);
        if (!has_checksum(file)) {
                file->is_here = false;
                file->digest = (struct digest){0};
                return file;
        }
        if (file->text.len)
                read_lines(file);
        return file;
}

static bool is_wanted(const struct source_text *source, const struct text_file *file, const char *path)
{
        if (strcmp(file->path, path) != 0 || file->asker.use != source->asker.use ||
            !is_same_md5(file->asker.md5, source->asker.md5) ||
            (source->archive && file->asker.is_archived != source->asker.is_archived))
                return false;
        return !file->is_of_module || file->asker.module == source->asker.module;
}

static struct text_file *get_file(struct source_text *source, const char *path)
{
        uint64_t *first;

        if (source->last && is_wanted(source, source->last, path))
                return source->last;
        first = map_put(&source->by_path, map_hash_bytes(path, strlen(path)), NULL);
        for (size_t i = (size_t)*first; i; i = source->files[i - 1]->next) {
                if (is_wanted(source, source->files[i - 1], path))
                        return source->last = source->files[i - 1];
        }
        source->last = load(source, path);
        source->last->next = (size_t)*first;
        source->all_bytes += source->last->text.len + source->last->cap_lines * sizeof(*source->last->lines);
        ARRAY_PUSH(source->files, source->n_files, source->cap_files, source->last);
        *first = source->n_files;
        return source->last;
}

const char *source_text_line(struct source_text *source, const char *path, uint32_t line)
{
        const struct text_file *file = get_file(source, path);

        if (file->archived)
                return source_archive_line(file->archived, line);
        return line && line <= file->n_lines ? file->text.data + file->lines[line - 1] : NULL;
}

const char *source_text_note(struct source_text *source, const char *path, int64_t built_ns)
{
        const struct text_file *file = get_file(source, path);

        if (file->is_refused)
                return "is not readable by all users: read it with --force";
        if (file->is_left_out)
                return "was left out, because the files before it have 256 MiB";
        if (!file->is_here)
                return "was not found: name its folder with --source-path";
        return built_ns && file->mtime_ns > built_ns ? "is newer than the program" : NULL;
}

bool source_text_is_refused(struct source_text *source, const char *path)
{
        return get_file(source, path)->is_refused;
}

bool source_text_has_changed(struct source_text *source, const char *path, uint64_t size_bytes,
                             int64_t mtime_ns)
{
        const struct text_file *file = get_file(source, path);

        return file->is_here &&
               (file->mtime_ns != mtime_ns || (!file->archived && file->size_bytes != size_bytes));
}

bool source_text_find(struct source_text *source, const char *path, int64_t *ret_mtime_ns)
{
        const struct text_file *file = get_file(source, path);

        if (file->is_here)
                *ret_mtime_ns = file->mtime_ns;
        return file->is_here;
}

struct digest source_text_digest(struct source_text *source, const char *path)
{
        return get_file(source, path)->digest;
}
