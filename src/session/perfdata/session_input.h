/* SPDX-License-Identifier: BSD-3-Clause */
/* A session to read: a file, or all of standard input. */
#ifndef SESSION_INPUT_H
#define SESSION_INPUT_H

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "err.h"
#include "perfdata_reader.h"

/* Makes sessions of files of another kind. */
struct session_converter {
        bool (*is)(const void *bytes, size_t size); /* whether they are the beginning of such a file */
        /* Appends a session of at most about `limit` bytes; `name` is for messages. */
        bool (*make)(const void *bytes, size_t size, const char *name, uint64_t limit, struct buf *out,
                     struct err *err);
};

/* How a session may be read; zero-initialized gives the defaults. */
struct session_access {
        struct budget *budget;                     /* of the command; NULL for the default limit */
        bool any_owner;                            /* also read sessions of other users, even as root */
        const struct session_converter *converter; /* for files that are not sessions; NULL: none */
};

struct session_input {
        struct buf bytes;  /* content of standard input, or what was converted */
        bool is_converted; /* the file itself is no session */
        struct perfdata_reader *reader;
};

/* The default limit of memory for data derived from files: 1 GiB, or a quarter of the machine's memory if
 * that is less. */
uint64_t session_input_max_memory(void);

/* Opens a session; `path` "-" is standard input. */
struct session_input *session_input_open(const char *path, struct session_access access, struct err *err);

/* Whether the file can be opened as a session.  Nothing is converted: then *ret, which belongs to the caller,
 * is NULL. */
bool session_input_look(const char *path, struct session_access access, struct perfdata_reader **ret,
                        struct err *err);

/* A session that this program has made; takes the content of `bytes`. `name` is for messages. */
struct session_input *session_input_of_memory(struct buf *bytes, const char *name, struct err *err);
void session_input_free(struct session_input *input);
AUTO_DEFINE(session_input)

/* Reads all of standard input; ERR_LIMIT if it exceeds the budget. */
bool session_input_read_stdin(struct budget *budget, struct buf *out, struct err *err);

/* Call after opening a session: limits the memory of the reader and, like perf, refuses other users' sessions
 * to root (ERR_DENIED), because a session names files that are then opened. */
bool session_input_admit(struct perfdata_reader *reader, const char *path, struct session_access access,
                         struct err *err);

#endif
