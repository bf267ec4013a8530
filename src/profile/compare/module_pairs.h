/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs modules that have different names in both groups of runs, but are versions of the same program or
 * library: python-a and python-b, libpython3.11.so.1.0 and libpython3.12.so.1.0. */
#ifndef MODULE_PAIRS_H
#define MODULE_PAIRS_H

#include "run_values_internal.h"

/* Pairs the programs of both groups, and modules whose names differ only in numbers.  A module that both
 * groups have is not paired, and neither are names of which a group has several.  To be freed by the
 * caller. */
struct module_pair *module_pairs_make(const struct run_values *values, size_t *ret_n);

/* The module of A that is paired with `module`; otherwise `module` itself. */
str_id module_pairs_find(const struct module_pair *pairs, size_t n, str_id module);

#endif
