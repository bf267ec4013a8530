/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files as lines, found where debug information says, or under folders that the user names. */
#ifndef SOURCE_TEXT_H
#define SOURCE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "digest.h"
#include "source_archive.h"

struct source_text;

/* `folders` are separated by ':' or ';', NULL: none; a file is looked for there under ever shorter ends of its path.
 * `find_remote` appends where a file is that is neither there nor at its path; NULL: nobody is asked. */
struct source_text *source_text_new(const char *folders,
                                    bool (*find_remote)(void *ctx, const char *path, struct buf *out),
                                    void *ctx);
void source_text_free(struct source_text *source);

/* Lines that were packed into the session come behind those under `folders` and before all others; NULL: there are
 * none.  Kept by the caller. */
void source_text_use_archive(struct source_text *source, const struct source_archive *archive);
AUTO_DEFINE(source_text)

/* Whose source is asked for from now on; module 0, which is not archived, before that.  What servers have for the build of one
 * module is not shown for another one that has the same path, and lines that were packed are only those of modules that were. */
struct source_asker {
        uint32_t module;
        bool is_archived;
};
void source_text_ask_for(struct source_text *source, struct source_asker asker);

/* The digest of the file's text for whom it is asked; zeros: there is none. */
struct digest source_text_digest(struct source_text *source, const char *path);

/* For the superuser: takes files too that not all users may read.  Debug information may name any file, and what is read may
 * be passed on. */
void source_text_take_private(struct source_text *source, bool takes_private);

/* Line `line` from 1 on, without its end; NULL: no such file or line.  Kept by `source`. */
const char *source_text_line(struct source_text *source, const char *path, uint32_t line);

/* "is not here: ...", "is not readable by all users: ...", or when the file was changed after `built_ns` (of the program; 0: not known) "is newer than the
 * program"; NULL: nothing is wrong. */
const char *source_text_note(struct source_text *source, const char *path, int64_t built_ns);

/* Whether the file is there, but was not read because not all users may read it. */
bool source_text_is_refused(struct source_text *source, const char *path);

/* Whether the text is not that of a file with this size and time of change; of a packed text the size is not known.  False when
 * there is none. */
bool source_text_has_changed(struct source_text *source, const char *path, uint64_t size_bytes,
                             int64_t mtime_ns);

/* False when there is no such file; else *ret_mtime_ns is when it was changed. */
bool source_text_find(struct source_text *source, const char *path, int64_t *ret_mtime_ns);

#endif
