/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the functions of addresses. Functions are distinguished by module and by the name in the file. Each
 * gets a displayed name that is unique in its module: with arguments if the short names are equal. Copies of
 * a static function in several files, usually from a header, count as one. */
#ifndef FUNCTION_NAMES_H
#define FUNCTION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "place_names.h"

struct function_names;

/* `names` and its pool must outlive the result. With `arguments`, all C++ functions are named with their
 * arguments. */
struct function_names *function_names_new(const struct place_names *names, bool arguments);
void function_names_free(struct function_names *functions);
AUTO_DEFINE(function_names)

/* Returns the number of a symbol's function. `module` is the module's name from place_names_module. Several
 * numbers may turn out to be one function. */
uint32_t function_names_add(struct function_names *functions, str_id module, const struct symbol *symbol);

/* Call after adding the last function: computes the names. */
void function_names_finish(struct function_names *functions);

/* Texts of the pool; functions of a module with the same text are one. */
str_id function_names_get(const struct function_names *functions, uint32_t number);
/* The name without added arguments. */
str_id function_names_short(const struct function_names *functions, uint32_t number);
/* Whether a function of another module has the same name. */
bool function_names_is_in_several(const struct function_names *functions, uint32_t number);

#endif
