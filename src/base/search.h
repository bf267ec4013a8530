/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary search in any sorted sequence. */
#ifndef SEARCH_H
#define SEARCH_H

/* Searches the numbers from `low` up to but not including `high` for the first for which `is_before`, an
 * expression with the number `middle`, is false, and stores it in `low` and `high`; the old `high` if there
 * is none.  `is_before` must be true for all numbers below the result. */
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
