/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary search in whatever is sorted. */
#ifndef SEARCH_H
#define SEARCH_H

/* Of the numbers from `low` up to but not including `high`, leaves in `low` and `high` the first for which `is_before`, an
 * expression of the number `middle`, is false; `high` as it was where there is none.  It is true for all numbers below. */
#define SEARCH_FIRST(low, high, middle, is_before)                                                           \
        do {                                                                                                 \
                while ((low) < (high)) {                                                                     \
                        size_t middle = (low) + ((high) - (low)) / 2;                                        \
                                                                                                             \
                        if (is_before)                                                                       \
                                (low) = middle + 1;                                                          \
                        else                                                                                 \
                                (high) = middle;                                                             \
                }                                                                                            \
        } while (0)

#endif
