/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects functions of a report to annotate, and finds their code and source. */
#ifndef ANNOTATION_H
#define ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate.h"
#include "attributes.h"
#include "debuginfod.h"
#include "err.h"
#include "report.h"

struct annotation_request {
        /* a pattern of text_match_symbol(), or the whole name of a row; NULL to use `all` */
        const char *symbol;
        bool all;             /* without a symbol: all rows; if false, the hottest row of each event */
        bool with_handlers;   /* without a symbol: begin with the hottest function that has handlers */
        size_t max_functions; /* per event */
        bool with_code;
        enum disasm_syntax syntax;
        const char *source_folders;    /* as in source_text_new() */
        bool private_source;           /* as in source_text_take_private() */
        struct debuginfod *debuginfod; /* queried for source files; NULL for none */
};

struct annotation;

/* `report` must have rows by module and symbol, and must outlive the result. ERR_MISSING if there is no such
 * function with samples, unless `all`; the message suggests a similar name. */
struct annotation *annotation_new(struct report *report, const struct annotation_request *request,
                                  struct err *err);
void annotation_free(struct annotation *annotation);
AUTO_DEFINE(annotation)

/* All samples of an event together, for tables that do not belong to a single function. Free it with
 * annotate_free(). */
struct annotate *annotation_whole(const struct report *report, uint32_t event);

struct annotated {
        const struct hot_row *row;
        uint32_t event;
        const char *path;     /* of the module's file */
        bool shares_row;      /* functions of other files have the same row, so show the path */
        uint64_t start;       /* address in the object file */
        bool is_in_same_file; /* a clone or a piece of the same function is in this file, so show `start` */
        const struct annotate *annotate;
        const struct disasm_code *code; /* empty if it is not available */
        const char *code_note;          /* why it is not available; else NULL */
        const char *debug_note; /* what is wrong with the module's debug information; NULL if nothing */
};

/* Ordered by event, then by samples, most first. */
size_t annotation_n_functions(const struct annotation *annotation);
struct annotated annotation_get(const struct annotation *annotation, size_t index);

/* A line of a source file of function `index`. As source_text_line(). */
const char *annotation_source_line(struct annotation *annotation, size_t index, const char *path,
                                   uint32_t line);

/* What is wrong with a source file of function `index`; NULL if nothing. */
const char *annotation_source_note(struct annotation *annotation, size_t index, const char *path);

/* Appends the name for an address in the module of function `index`, such as "PyLong_New" or "x_mul+0x1c".
 * Appends nothing if the address has no symbol. */
void annotation_add_target(struct annotation *annotation, size_t index, uint64_t addr, struct buf *out);

#endif
