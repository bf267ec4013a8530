/* SPDX-License-Identifier: BSD-3-Clause */
/* The feature sections that readers of perf.data expect: machine, command line, build ids, times. */
#ifndef SESSION_FACTS_H
#define SESSION_FACTS_H

#include <stddef.h>

#include "attributes.h"
#include "buf.h"
#include "perfdata_reader.h"
#include "perfdata_writer.h"

struct session_facts;

struct session_facts *session_facts_new(void);
void session_facts_free(struct session_facts *facts);
AUTO_DEFINE(session_facts)

/* Looks at whole records on their way to the session: build ids of maps, times of samples. */
void session_facts_see(struct session_facts *facts, const void *records, size_t size);

/* Adds the sections to `writer`, before its close. */
void session_facts_write(const struct session_facts *facts, struct perfdata_writer *writer,
                         const char *command_line);

/* Appends the line that a session was recorded by, ours or perf's; nothing when it is not known. */
void session_facts_add_command_line(const struct perfdata_reader *reader, struct buf *out);

#endif
