/* SPDX-License-Identifier: BSD-3-Clause */
/* A session that is read: a file, or all of standard input. */
#ifndef SESSION_INPUT_H
#define SESSION_INPUT_H

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "perfdata_reader.h"

struct session_input {
        struct buf bytes; /* standard input */
        struct perfdata_reader *reader;
};

/* `path` "-" is standard input. */
struct session_input *session_input_open(const char *path, struct err *err);
void session_input_free(struct session_input *input);
AUTO_DEFINE(session_input)

#endif
