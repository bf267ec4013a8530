/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal browser: shows the table, call trees, functions and flame graph of a session on a screen. */
#ifndef BROWSER_H
#define BROWSER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "cells.h"
#include "debuginfod.h"
#include "disasm.h"
#include "err.h"
#include "report.h"
#include "row_keys.h"

enum browser_start {
        BROWSER_TABLE,
        BROWSER_FUNCTIONS, /* Python and native functions, above the table */
        BROWSER_TREE,
        BROWSER_CALLERS, /* the inverted call tree */
        BROWSER_CODE,    /* the code of `symbol` */
};

/* The page to begin with, above the first one: what a key shows of a function, or of all samples. */
struct browser_opening {
        uint32_t key;       /* 0: none */
        const char *name;   /* of the function, as pages name it; NULL: none */
        const char *module; /* "" for none */
        const char *python; /* of a Python function, its name without the file; NULL for native code */
        const char *comm;   /* of a thread or process; NULL: none */
        bool has_pid, has_tid;
        int32_t pid, tid;
};

struct browser_request {
        struct browser_opening opening;
        const struct report_request *report; /* the browser adds the results that it needs */
        enum browser_start start;
        const char *symbol;   /* pattern of functions; NULL for all, with BROWSER_CODE for the hottest */
        struct row_keys keys; /* of the table's rows, with BROWSER_TABLE; none: functions */
        /* Called once with the first report; false ends the browser with its error.  NULL accepts all. */
        bool (*check)(const void *ctx, const struct report *report, struct err *err);
        const void *check_ctx;
        enum disasm_syntax syntax;     /* of instructions */
        const char *source_folders;    /* as in struct annotation_request */
        bool private_source;           /* the same */
        struct debuginfod *debuginfod; /* the same */
        enum cell_colors colors;
};

/* Whether standard input and output are a terminal. */
bool browser_can(void);

/* Writes a text to a file that the user asked for. */
typedef bool browser_write_fn(const char *path, const struct buf *text, struct err *err);

/* Runs until the user quits.  Sets *ret_left if the session was still being read by another thread: then
 * the process must end at once.  ERR_MISSING, or an error of report_make_of(). */
bool browser_run(const struct browser_request *request, browser_write_fn *write, bool *ret_left,
                 struct err *err);

#endif
