/* SPDX-License-Identifier: BSD-3-Clause */
/* The source lines of the samples of a report, as far as they may be given to others: the lines of the
 * hottest files first. */
#ifndef SAMPLED_SOURCE_H
#define SAMPLED_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

struct report;     /* report.h */
struct debuginfod; /* debuginfod.h */

struct sampled_line {
        uint32_t line;
        const char *text;
};

/* Lines with samples and lines around them, in ascending order. */
struct sampled_file {
        const char *path;
        struct sampled_line *lines;
        size_t n, cap;
};

struct sampled_source {
        struct sampled_file *files;
        size_t n, cap;
        size_t n_lines;
        size_t n_left_out; /* lines beyond max_lines */
        size_t n_refused;  /* files that not all users may read */
        size_t n_unproven; /* files that nothing names that can be checked */
        struct strpool *texts;
};

struct sampled_source_request {
        const struct report *report; /* with named stacks and lines; its texts must outlive the result */
        const char *folders;         /* as in source_text_new() */
        bool takes_private;          /* as in source_text_take_private() */
        struct debuginfod *debuginfod;
        size_t max_lines;
};

struct sampled_source *sampled_source_new(const struct sampled_source_request *request);
void sampled_source_free(struct sampled_source *source);
AUTO_DEFINE(sampled_source)

#endif
