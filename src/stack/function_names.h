/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that places are in, told apart by the module and the name that they have in the file, not by how they read.  Each is
 * given a name that no other function of its module has: with its arguments where the short ones are equal.  Copies of a static
 * function in several files, those of a header most often, are one. */
#ifndef FUNCTION_NAMES_H
#define FUNCTION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "place_names.h"

struct function_names;

/* `names` and its pool outlive it.  `arguments`: all functions of C++ are named with them. */
struct function_names *function_names_new(const struct place_names *names, bool arguments);
void function_names_free(struct function_names *functions);
AUTO_DEFINE(function_names)

/* The number of the function of a symbol; `module` is its module's text by place_names_module.  Several numbers may turn out to be
 * one function. */
uint32_t function_names_add(struct function_names *functions, str_id module, const struct symbol *symbol);

/* After the last one is added: gives the names. */
void function_names_finish(struct function_names *functions);

/* Texts of the pool: equal ones of a module are one function. */
str_id function_names_get(const struct function_names *functions, uint32_t number);
/* The name without what was added to it. */
str_id function_names_short(const struct function_names *functions, uint32_t number);
/* Whether a function of another module is named the same. */
bool function_names_is_in_several(const struct function_names *functions, uint32_t number);

#endif
