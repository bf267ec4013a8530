/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands' functions, one a file cmd_NAME.c, and the only ways out: standard output, standard error and
 * the exit status. */
#ifndef CMD_H
#define CMD_H

#include "buf.h"
#include "err.h"
#include "event_facts.h"
#include "fact_tables.h"
#include "option_groups.h"
#include "options.h"
#include "run.h"
#include "target.h"

enum exit_status {
        EXIT_OK = 0,
        EXIT_FAILED = 1,           /* wperf's own failure without a command */
        EXIT_WRONG_USAGE = 2,      /* the command line */
        EXIT_POOR = 3,             /* poor quality with --strict */
        EXIT_FAILED_COMMAND = 125, /* wperf's own failure with a command */
        EXIT_NOT_RUNNABLE = 126,
        EXIT_NOT_FOUND = 127,
};

int cmd_record(const struct command_line *line);
int cmd_stat(const struct command_line *line);
int cmd_dump(const struct command_line *line);
int cmd_symbolize(const struct command_line *line);
int cmd_report(const struct command_line *line);
int cmd_annotate(const struct command_line *line);
int cmd_archive(const struct command_line *line);
int cmd_export(const struct command_line *line);
int cmd_test(const struct command_line *line);
int cmd_list(const struct command_line *line);
int cmd_man(const struct command_line *line);
int cmd_detect(const struct command_line *line);
int cmd_names(const struct command_line *line);
int cmd_complete(const struct command_line *line);
int cmd_version(const struct command_line *line);
int cmd_help(const struct command_line *line);
int cmd_explain(const struct command_line *line);
int cmd_man_page(const struct command_line *line);
int cmd_completion(const struct command_line *line);

/* What the options say of the machine and of more names; `extra` may be NULL. */
struct event_facts_request cmd_facts_request(const struct general_options *general,
                                             const struct machine_options *machine,
                                             const struct extra_options *extra);

/* Writes all of `out` to standard output.  Returns `status`, or EXIT_FAILED after one sentence on standard
 * error when that fails and `status` is 0. */
int cmd_print(const struct buf *out, int status);

/* cmd_print of a long text: on a terminal through the pager that $PAGER names, where it is set. */
int cmd_page(const struct buf *out, int status);

/* Progress may be drawn as it comes: standard output is a terminal that no target uses, neither a command, which has it by
 * birth, nor a process that runs already. */
bool cmd_may_draw(bool has_command, const int32_t *pids, size_t n_pids);

/* Writes to standard output.  ERR_CLOSED, of which cmd_fail says nothing, when its reader has left. */
bool cmd_write_stdout(const void *bytes, size_t size, struct err *err);

/* The session to read: -i, or the command's one word, or wperf.data where there is one, else perf.data. */
bool cmd_input_path(const struct command_line *line, const struct input_options *input, const char **ret_path,
                    struct err *err);

/* Prints «wperf: SENTENCE» on standard error and returns the exit status for err->code: EXIT_WRONG_USAGE for
 * ERR_USAGE, else EXIT_FAILED. */
int cmd_fail(const struct err *err);

/* The exit status of a run that failed. */
int cmd_run_failure(enum run_failure failure, bool has_command);

/* The line as it was understood, "wperf record --event cycles -- ./program", for a session's header. */
void cmd_join_line(const struct command_line *line, struct buf *out);

/* Prints «wperf: warning: SENTENCE» on standard error for each line of `sentences`. */
void cmd_warn(const struct buf *sentences);

/* A control_listener's: prints warnings, and what was asked as it is, on standard error. */
void cmd_tell(void *ctx, bool is_warning, const char *text);

/* For a run that did not begin: lets another program go that waits at the FIFOs of --control. */
void cmd_dismiss(const struct command_line *line);

/* The delay of the options; CONTROL_NEVER needs one who ends it.  ERR_USAGE. */
bool cmd_delay(const struct target_options *target, uint64_t *ret_ns, struct err *err);

/* The file that an output option names: `name` under --output-prefix unless it is absolute or "-". */
void cmd_output_path(const char *prefix, const char *name, struct buf *out);

/* Whether that file could be written, asked before anything is measured; NULL (standard output) can.  What it holds
 * stays. */
bool cmd_can_write(const char *prefix, const char *name, struct err *err);

/* The process ids of an option, which the caller frees. */
int32_t *cmd_pids(const struct number_list *given);

/* Whom the options name, with the command `argv` (NULL: none) and the processes `pids`; all of it stays the caller's.  The
 * delay and where the command's output goes are left to the caller. */
struct target cmd_target(const struct target_options *options, char *const *argv, const int32_t *pids,
                         size_t n_pids);

/* Writes a document to `path` ("-": standard output). */
bool cmd_write_file(const char *path, const struct buf *document, struct err *err);

struct os_file; /* os.h */

/* Closes a file, or where `ok` is false (err says why) removes what was written of it.  True when the file is whole. */
bool cmd_end_file(struct os_file *file, bool ok, struct err *err);

/* Which forms of its result a command makes. */
struct cmd_forms {
        bool text;     /* for standard output */
        bool document; /* JSON, for standard output or the file of -o */
};
struct cmd_forms cmd_wanted_forms(const struct general_options *general, const struct output_options *output);

/* The rule for commands with one document: text on standard output, with -o the JSON in a file as well; with
 * --json the JSON in the file or, without one, alone on standard output.  Returns the exit status. */
int cmd_print_document(const struct general_options *general, const struct output_options *output,
                       const struct buf *text, const struct buf *json);

/* The same for tables; without_empty as in fact_tables_text. */
int cmd_print_tables(const struct general_options *general, const struct output_options *output,
                     const struct fact_tables *tables, bool without_empty);

#endif
