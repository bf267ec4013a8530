/* SPDX-License-Identifier: BSD-3-Clause */
/* The procedure of Benjamini and Hochberg, which bounds the share of false discoveries among many tests. */
#ifndef DISCOVERIES_H
#define DISCOVERIES_H

#include <stddef.h>

/* Makes of each p its q: among the tests whose q is at most 0.05, on average at most 5 % differ by chance. */
void discoveries_adjust(const double *p, size_t n, double *ret_q);

#endif
