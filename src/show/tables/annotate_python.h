/* SPDX-License-Identifier: BSD-3-Clause */
/* annotate: lines of Python files and functions. */
#ifndef ANNOTATE_PYTHON_H
#define ANNOTATE_PYTHON_H

#include "annotate_page.h"
#include "report.h"

struct annotate_python {
        const struct report *report; /* with rows of Python functions, if the session has any */
        const char *symbol;          /* a file or a pattern of functions */
        const char *source_folders;  /* or NULL */
        bool takes_private;          /* also read source that not all users may read */
        bool with_natives, is_colored;
        unsigned max_columns;
        struct view_marks *marks; /* as in struct python_source_view */
        uint64_t max_sources;
};

/* Adds a part for each file or function that the symbol matches.  Returns their number. */
size_t annotate_python_show(const struct annotate_python *request, struct annotate_page *page);

#endif
