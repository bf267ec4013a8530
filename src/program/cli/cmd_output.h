/* SPDX-License-Identifier: BSD-3-Clause */
/* All output of commands: standard output, standard error, files that options name, and the exit status. */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "fact_tables.h"
#include "option_groups.h"

enum exit_status {
        EXIT_OK = 0,
        EXIT_FAILED = 1,           /* wperf's own failure without a command */
        EXIT_WRONG_USAGE = 2,      /* error in the command line */
        EXIT_POOR = 3,             /* poor quality with --strict */
        EXIT_FAILED_COMMAND = 125, /* wperf's own failure with a command */
        EXIT_NOT_RUNNABLE = 126,
        EXIT_NOT_FOUND = 127,
};

/* Prints «wperf: SENTENCE» on standard error and returns the exit status for err->code: EXIT_WRONG_USAGE for
 * ERR_USAGE, else EXIT_FAILED. */
int cmd_fail(const struct err *err);

/* Prints «wperf: warning: SENTENCE» on standard error for each line of `sentences`. */
void cmd_warn(const struct buf *sentences);

/* Warns of file systems that do not answer, and whose files therefore have no names. */
void cmd_warn_of_left_out(void);

/* Writes to standard output.  If its reader has closed it, the error is ERR_CLOSED, for which cmd_fail
 * prints nothing. */
bool cmd_write_stdout(const void *bytes, size_t size, struct err *err);

/* Writes all of `out` to standard output.  Returns `status`; if writing fails and `status` is 0, prints an
 * error and returns EXIT_FAILED. */
int cmd_print(const struct buf *out, int status);

/* Path of an output file: `name` below the folder of --output-prefix, unless `name` is absolute or "-". */
void cmd_output_path(const char *prefix, const char *name, struct buf *out);

/* Whether the file can be written, to be checked before anything is measured; NULL (standard output) can.
 * Does not change the file. */
bool cmd_can_write(const char *prefix, const char *name, struct err *err);

/* Whether two paths name one regular file.  A file that does not exist is known by its folder and name. */
bool cmd_is_same_file(const char *a, const char *b);

/* ERR_USAGE if the output `name` of `option` is the file that the command reads. */
bool cmd_spares_input(const char *option, const char *prefix, const char *name, const char *input,
                      struct err *err);

/* Writes a document to `path` ("-": standard output). */
bool cmd_write_file(const char *path, const struct buf *document, struct err *err);

struct os_file; /* os.h */

/* Closes a file.  If `ok` is false (err says why), removes what was written.  True if the file is
 * complete. */
bool cmd_end_file(struct os_file *file, bool ok, struct err *err);

/* Which forms of its result a command must make. */
struct cmd_forms {
        bool text;     /* for standard output */
        bool document; /* JSON, for standard output or the file of -o */
};
struct cmd_forms cmd_wanted_forms(const struct general_options *general, const struct output_options *output);

/* The rule for commands with one document: text on standard output, and with -o also the JSON in a file.
 * With --json, only the JSON, in the file or on standard output.  Returns the exit status. */
int cmd_print_document(const struct general_options *general, const struct output_options *output,
                       const struct buf *text, const struct buf *json);

/* The same for tables; without_empty as in fact_tables_text. */
int cmd_print_tables(const struct general_options *general, const struct output_options *output,
                     const struct fact_tables *tables, bool without_empty);

#endif
