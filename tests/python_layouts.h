/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts with which tests run: 3.8 to 3.15, and the free-threaded builds of 3.13, 3.14 and 3.15. */
#ifndef PYTHON_LAYOUTS_H
#define PYTHON_LAYOUTS_H

#include <stdlib.h>

#include "python_layout.h"
#include "python_published.h"

enum { N_LAYOUTS = 11 };

static inline struct python_layout layout_number(unsigned i)
{
        struct published table;
        struct python_layout layout;

        if (python_layout_get(8 + i, false, &layout))
                return layout;
        published_make(&table, i < 8 ? 8 + i : 5 + i, i >= 8);
        if (!python_layout_read(table.words, table.n_words * 8, false, &layout, NULL))
                abort();
        return layout;
}

#endif
