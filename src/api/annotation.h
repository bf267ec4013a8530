/* SPDX-License-Identifier: BSD-3-Clause */
/* From a report to annotated functions: which ones, their code, and their source. */
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
        const char *symbol;   /* a pattern of text_match_symbol, or a row's whole name; NULL: see `all` */
        bool all;             /* without a symbol: every row; else the hottest of each event */
        bool with_handlers;   /* without a symbol: the hottest that has handlers */
        size_t max_functions; /* of each event */
        bool with_code;
        enum disasm_syntax syntax;
        const char *source_folders;    /* as in source_text_new */
        bool private_source;           /* as in source_text_take_private */
        struct debuginfod *debuginfod; /* asked for source files; NULL: nobody is */
};

struct annotation;

/* `report` has rows by module and symbol, and must outlive it.  ERR_MISSING when there is no such function with
 * samples; the sentence names what is near. */
struct annotation *annotation_new(struct report *report, const struct annotation_request *request,
                                  struct err *err);
void annotation_free(struct annotation *annotation);
AUTO_DEFINE(annotation)

/* All samples of an event together, for tables that are of no one function; annotate_free() by the caller. */
struct annotate *annotation_whole(const struct report *report, uint32_t event);

struct annotated {
        const struct hot_row *row;
        uint32_t event;
        const char *path;     /* of the module's file */
        bool shares_row;      /* with functions of other files of that name: the path tells them apart */
        uint64_t start;       /* as the object counts */
        bool is_in_same_file; /* as a clone or piece of it: `start` tells them apart */
        const struct annotate *annotate;
        const struct disasm_code *code; /* empty: there is none */
        const char *code_note;          /* why there is none; NULL */
        const char *debug_note;         /* what is wrong with the module's debug information; NULL */
};

/* By event, then most samples first. */
size_t annotation_n_functions(const struct annotation *annotation);
struct annotated annotation_get(const struct annotation *annotation, size_t index);

/* A line of a source file of function `index`. */
const char *annotation_source_line(struct annotation *annotation, size_t index, const char *path,
                                   uint32_t line);

/* What is wrong with a source file of function `index`; NULL: nothing. */
const char *annotation_source_note(struct annotation *annotation, size_t index, const char *path);

/* Appends the function at an address of function `index`'s module: "PyLong_New", "x_mul+0x1c"; nothing where none is known. */
void annotation_add_target(struct annotation *annotation, size_t index, uint64_t addr, struct buf *out);

#endif
