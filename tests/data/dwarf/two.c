/* SPDX-License-Identifier: BSD-3-Clause */
#include "shapes.h"

void report_fault(const struct shape *shape, int code)
{
        for (;;)
                *(volatile int *)&shape->at.x = code;
}

int is_far(const struct shape *a, const struct shape *b)
{
        return distance(&a->at, &b->at) > longest(a);
}
