/* SPDX-License-Identifier: BSD-3-Clause */
/* The object files of tests/data. */
#ifndef DATA_OBJECT_H
#define DATA_OBJECT_H

#include <string.h>

#include "object.h"
#include "tap.h"
#include "test_data.h"

/* NULL if it can't be read; then the test fails. */
static inline struct object *open_data(const char *name)
{
        struct err err = {0};
        struct object *object = object_open(data_path(name), &err);

        if (!object)
                TAP_FAIL("%s", err.text);
        return object;
}

/* The first symbol of that name. */
static inline bool find_symbol(struct object *object, enum object_table table, const char *name,
                               struct object_symbol *ret)
{
        struct object_symbols symbols;

        if (!object_symbols_begin(object, table, &symbols))
                return false;
        while (object_symbols_next(&symbols, ret)) {
                if (!strcmp(object_symbols_name(&symbols, ret), name))
                        return true;
        }
        return false;
}

#endif
