/* SPDX-License-Identifier: BSD-3-Clause */
#include "shapes.h"

volatile int sink;

int sum_longest(const struct shape *shape)
{
        int sum = 0;

        for (; shape; shape = shape->next) {
                if (__builtin_expect(shape->kind > TRIANGLE, 0)) {
                        sink = shape->kind;
                        report_fault(shape, 1);
                }
                sum += longest(shape);
        }
        return sum;
}

static __attribute__((noinline)) int scaled(const struct shape *shape, int by)
{
        return by * longest(shape) + distance(&shape->corners[0], &shape->corners[1]);
}

int twice(const struct shape *shape)
{
        return scaled(shape, 2) + sink;
}
