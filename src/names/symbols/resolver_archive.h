/* SPDX-License-Identifier: BSD-3-Clause */
/* Lookups in a module whose answers are packed into the session. */
#ifndef RESOLVER_ARCHIVE_H
#define RESOLVER_ARCHIVE_H

#include "resolver_internal.h"
#include "symbol_archive.h"

/* These return results like the functions of resolver.h. */
bool resolver_archive_get_image(const struct symbol_module *module, struct resolver_image *ret);
bool resolver_archive_has_data(const struct symbol_module *module);

size_t resolver_archive_n_sections(const struct symbol_module *module);
struct resolver_section resolver_archive_get_section(const struct symbol_module *module, size_t index);

#endif
