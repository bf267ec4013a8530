/* SPDX-License-Identifier: BSD-3-Clause */
/* A session that is read: a file, or all of standard input. */
#ifndef SESSION_INPUT_H
#define SESSION_INPUT_H

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "err.h"
#include "perfdata_reader.h"

/* How a session may be read; all zero is fine. */
struct session_access {
        struct budget *budget; /* of the command; NULL: the usual limit */
        bool any_owner;        /* sessions of other users are read too, by root as well */
};

struct session_input {
        struct buf bytes; /* standard input */
        struct perfdata_reader *reader;
};

/* The memory that a command may use for what it derives from files: 1 GiB, or a quarter of all if that is less. */
uint64_t session_input_max_memory(void);

/* `path` "-" is standard input. */
struct session_input *session_input_open(const char *path, struct session_access access, struct err *err);
void session_input_free(struct session_input *input);
AUTO_DEFINE(session_input)

/* All of standard input, as much as the budget allows. */
bool session_input_read_stdin(struct budget *budget, struct buf *out, struct err *err);

/* What all do who open a session: bounds the reader's memory, and refuses what root should not read because it is another
 * user's, as perf does: a session names files that are then opened.  False and ERR_DENIED. */
bool session_input_admit(struct perfdata_reader *reader, const char *path, struct session_access access,
                         struct err *err);

#endif
