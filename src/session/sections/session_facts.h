/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the feature sections that readers of perf.data expect: machine, command line, build ids, times;
 * and says what they contain. */
#ifndef SESSION_FACTS_H
#define SESSION_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "perfdata_reader.h"
#include "perfdata_writer.h"

struct session_facts;

struct session_facts *session_facts_new(void);
void session_facts_free(struct session_facts *facts);
AUTO_DEFINE(session_facts)

/* Reads whole records before they are written to the session. Notes the build ids of maps and the times of
 * samples. */
void session_facts_see(struct session_facts *facts, const void *records, size_t size);

/* Whether one of the maps was a Python interpreter, by its name. The second one is for records that are not
 * put into a session. */
bool session_facts_has_python(const struct session_facts *facts);
bool session_facts_find_python(const void *records, size_t size);

/* MIDR_EL1 of the cores, from a driver, for a system that does not tell the model of an Arm CPU. */
void session_facts_set_midr(struct session_facts *facts, uint64_t midr);

/* Adds the sections to `writer`, which must not be closed yet. `command_line` may be NULL. */
void session_facts_write(const struct session_facts *facts, struct perfdata_writer *writer,
                         const char *command_line);

/* Appends the governors of the CPUs' frequencies, each once: "performance and powersave".  `prefix` is that
 * of the CPUs' folders, os_sysfs_cpu_prefix().  Nothing if the machine does not tell. */
void session_facts_add_governor(const char *prefix, struct buf *out);

/* Appends the words of a command that ends with NULL, or nothing for NULL. */
void session_facts_add_command(char *const *argv, struct buf *out);

/* Appends the machine that recorded the session, as far as it is known: "name, system, arm64, 8 CPUs, 16.0
 * GiB of memory". */
void session_facts_add_machine(const struct perfdata_reader *reader, struct buf *out);

/* The same of the machine that wperf runs on. */
void session_facts_add_this_machine(struct buf *out);

/* Appends the command line that recorded the session, wperf's or perf's. Appends nothing if it is unknown. */
void session_facts_add_command_line(const struct perfdata_reader *reader, struct buf *out);

#endif
