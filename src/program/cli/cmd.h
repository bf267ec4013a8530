/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands' functions, one in each file cmd_NAME.c, and functions that they share. */
#ifndef CMD_H
#define CMD_H

#include "buf.h"
#include "cmd_output.h"
#include "err.h"
#include "event_facts.h"
#include "option_groups.h"
#include "options.h"
#include "run.h"
#include "target.h"

struct process_choice; /* process_choice.h */

int cmd_record(const struct command_line *line);
int cmd_stat(const struct command_line *line);
int cmd_stack(const struct command_line *line);
int cmd_top(const struct command_line *line);
int cmd_diff(const struct command_line *line);
int cmd_check(const struct command_line *line);
int cmd_dump(const struct command_line *line);
int cmd_symbolize(const struct command_line *line);
int cmd_report(const struct command_line *line);
int cmd_annotate(const struct command_line *line);
int cmd_archive(const struct command_line *line);
int cmd_export(const struct command_line *line);
int cmd_test(const struct command_line *line);
int cmd_hardware_loops(const struct command_line *line);
int cmd_list(const struct command_line *line);
int cmd_man(const struct command_line *line);
int cmd_detect(const struct command_line *line);
int cmd_names(const struct command_line *line);
int cmd_complete(const struct command_line *line);
int cmd_doctor(const struct command_line *line);
int cmd_version(const struct command_line *line);
int cmd_help(const struct command_line *line);
int cmd_explain(const struct command_line *line);
int cmd_man_page(const struct command_line *line);
int cmd_completion(const struct command_line *line);

/* The facts request for the machine and the extra names that the options give; `extra` may be NULL. */
struct event_facts_request cmd_facts_request(const struct general_options *general,
                                             const struct machine_options *machine,
                                             const struct extra_options *extra);

/* What record would do with this line; starts and writes nothing. */
bool cmd_record_rehearse(const struct command_line *line, struct run_rehearsal *ret, struct err *err);

/* test --hardware. */
int cmd_hardware_test(const struct command_line *line, const struct event_facts *facts);

/* Like cmd_print, for long texts: on a terminal it uses the pager that $PAGER names, if set. */
int cmd_page(const struct buf *out, int status);

/* Whether progress may be drawn: standard output is a terminal that no target uses.  A command inherits
 * standard output; a running process may have it open. */
bool cmd_may_draw(bool has_command, const int32_t *pids, size_t n_pids);

/* The session to read: -i, or the command's only argument, or wperf.data if it exists, else perf.data.
 * ERR_MISSING if none is named and there is neither. */
bool cmd_input_path(const struct command_line *line, const struct input_options *input, const char **ret_path,
                    struct err *err);

/* The exit status of a run that failed. */
int cmd_run_failure(enum run_failure failure, bool has_command);

/* The line as it was parsed, "wperf record --event cycles -- ./program", for a session's header. */
void cmd_join_line(const struct command_line *line, struct buf *out);

/* For a control_listener: prints warnings and received commands on standard error. */
void cmd_tell(void *ctx, bool is_warning, const char *text);

/* For a run that did not begin: releases a program that waits at the FIFOs of --control. */
void cmd_dismiss(const struct command_line *line);

/* The delay that the options give; CONTROL_NEVER needs --control.  ERR_USAGE. */
bool cmd_delay(const struct target_options *target, uint64_t *ret_ns, struct err *err);

/* The process ids of an option, which the caller frees. */
int32_t *cmd_pids(const struct number_list *given);

/* The target that the options name, with the command `argv` (NULL: none) and the chosen processes; the
 * caller keeps all of it. The caller also sets the delay and the command's output. */
struct target cmd_target(const struct target_options *options, char *const *argv,
                         const struct process_choice *processes);

/* The folder for temporary files: that of TMPDIR or TEMP, else the system's. */
const char *cmd_temp_folder(void);

#endif
