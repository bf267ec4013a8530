/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_rows.h"

#include <stdlib.h>

void code_rows_release(struct code_rows *rows)
{
        free(rows->functions);
        arena_release(&rows->texts);
        *rows = (struct code_rows){0};
}
