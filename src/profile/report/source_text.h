/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of source files, found at the paths in the debug information or in folders that the user
 * names. */
#ifndef SOURCE_TEXT_H
#define SOURCE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "digest.h"
#include "source_archive.h"

struct source_text;

/* `folders` is a list separated by ':' or ';', or NULL. A file is searched there by its path, then by ever
 * shorter suffixes of it. `find_remote` appends the path of a file that is found neither there nor at its own
 * path; it may be NULL. `folders` and `ctx` must outlive the result. */
struct source_text *source_text_new(const char *folders,
                                    bool (*find_remote)(void *ctx, const char *path, struct buf *out),
                                    void *ctx);
void source_text_free(struct source_text *source);

/* Uses lines that are packed in the session. They take precedence over all files but those in `folders`. May
 * be NULL; must outlive `source`. */
void source_text_use_archive(struct source_text *source, const struct source_archive *archive);
AUTO_DEFINE(source_text)

/* Sets the module whose source is read from now on; initially module 0, not archived. What a server has for
 * the build of one module is not used for another module with the same path. Packed lines are only used for
 * archived modules. */
/* What the lines are for, and what names the file.  A session, and the debug information of a module that
 * it names, can name any file, such as a private key: lines that are given to others come only from files
 * that are likely to be source. */
enum source_use {
        SOURCE_SHOWN, /* shown to the user of this machine: any text file */
        SOURCE_GIVEN, /* given to others; debug information of a module with the right build id names it */
        SOURCE_GIVEN_PYTHON,  /* given to others; a Python function names it: only *.py, see also
                                 python_claim.h */
        SOURCE_GIVEN_UNKNOWN, /* given to others; nothing that can be checked names it: only packed lines */
};

struct source_asker {
        uint32_t module;
        bool is_archived;
        enum source_use use;
        const uint8_t *md5; /* with SOURCE_GIVEN: the file must have this checksum; NULL: not known */
};
void source_text_ask_for(struct source_text *source, struct source_asker asker);

/* The digest of the file's text for the present module; zeros if there is no text. For packed lines it only
 * identifies the file within this process. */
struct digest source_text_digest(struct source_text *source, const char *path);

/* For the superuser: whether to read files that are not readable by all users, as os_read_public decides.
 * Off by default, because debug information may name any file, and the text may be passed on. */
void source_text_take_private(struct source_text *source, bool takes_private);

/* Line `line`, counted from 1, without its line feed. NULL if there is no such file or line. Belongs to
 * `source`. */
const char *source_text_line(struct source_text *source, const char *path, uint32_t line);

/* What is wrong with the file: not found, not readable by all users, or changed after `built_ns`, when the
 * program was built (ns since 1970; 0 if unknown). NULL if nothing is wrong. */
const char *source_text_note(struct source_text *source, const char *path, int64_t built_ns);

/* Whether the file exists but was not read because it is not readable by all users. */
bool source_text_is_refused(struct source_text *source, const char *path);

/* Whether the file has another size or time of change than these. Packed lines are only compared by time.
 * False if there is no file. */
bool source_text_has_changed(struct source_text *source, const char *path, uint64_t size_bytes,
                             int64_t mtime_ns);

/* False if there is no such file. *ret_mtime_ns is the time of its last change, in ns since 1970. */
bool source_text_find(struct source_text *source, const char *path, int64_t *ret_mtime_ns);

#endif
