/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses rules of groups, and finds the group of some names. */
#include <stdint.h>
#include <stdlib.h>

#include "attributes.h"
#include "name_groups.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const struct run_name names[] = {
                {"malloc", NULL, "libc.so.6"}, {"f(int)", "f", ""}, {"", NULL, ""}};
        AUTO(name_groups) groups = NULL;
        struct err err = {0};

        if (size > 10000) /* patterns with many * are slow */
                return 0;
        groups = name_groups_parse((const char *)data, size, &err);
        for (size_t i = 0; groups && i < N_ELEMENTS(names); i++) {
                if (!name_groups_find(groups, &names[i])[0])
                        abort();
        }
        return 0;
}
