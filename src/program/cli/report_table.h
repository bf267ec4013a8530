/* SPDX-License-Identifier: BSD-3-Clause */
/* Which table `report` prints, and which options each table allows.  A new option is one line in
 * report_table.c. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>

#include "cmd_report_options.h"
#include "err.h"
#include "report.h"

/* The first one that the options ask for is printed. */
enum report_table {
        REPORT_TABLE_GROUPS,
        REPORT_TABLE_ACCESSES,
        REPORT_TABLE_WAKERS,
        REPORT_TABLE_SYSCALLS,
        REPORT_TABLE_LOCKS,
        REPORT_TABLE_THREADS,
        REPORT_TABLE_CPUS,
        REPORT_TABLE_BRANCHES,
        REPORT_TABLE_ANNOTATED, /* functions with their lines or instructions */
        REPORT_TABLE_TREE,
        REPORT_TABLE_FUNCTIONS, /* or the rows of --sort */
        REPORT_N_TABLES
};

/* Chooses the table.  ERR_USAGE, with the reason, if another option cannot be used with it. */
bool report_table_choose(const struct report_options *options, bool wants_tree, enum report_table *ret,
                         struct err *err);

/* Whether a call tree shows lines of Python functions, by --sort line. */
bool report_table_by_line(const struct report_options *options);

/* Whose rows the tables of system calls and locks have.  ERR_USAGE. */
bool report_table_waiters(const struct report_options *options, enum report_table table, enum waiters_by *ret,
                          struct err *err);

/* Whether the browser can show the table. */
bool report_table_is_browsed(enum report_table table, const struct report_options *options);

#endif
