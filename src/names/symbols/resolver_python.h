/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and lines of Python places. */
#ifndef RESOLVER_PYTHON_H
#define RESOLVER_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolver.h"

struct symbol_module;

/* ret->spans must be allocated, one for each address. */
void resolver_python_find_frames(struct resolver *resolver, struct symbol_module *module,
                                 const uint64_t *addrs, size_t n, struct resolver_frames *ret_frames);

#endif
