/* SPDX-License-Identifier: BSD-3-Clause */
/* annotate: lines of Python files and functions. */
#ifndef ANNOTATE_PYTHON_H
#define ANNOTATE_PYTHON_H

#include "annotate_page.h"
#include "report.h"

struct annotate_python {
        const struct report *report; /* with rows of Python functions, where the session has any */
        const char *symbol;          /* a file or a pattern of functions */
        const char *source_folders;  /* or NULL */
        bool takes_private;          /* source that not all users may read */
        bool with_natives, is_colored;
        unsigned max_columns;
        uint64_t max_sources;
};

/* Adds a part for each file or function that the symbol means.  Returns how many there were. */
size_t annotate_python_show(const struct annotate_python *request, struct annotate_page *page);

#endif
