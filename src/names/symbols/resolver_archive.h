/* SPDX-License-Identifier: BSD-3-Clause */
/* Lookups in a module whose answers are packed into the session. */
#ifndef RESOLVER_ARCHIVE_H
#define RESOLVER_ARCHIVE_H

#include "resolver_internal.h"
#include "symbol_archive.h"

/* These return results like the functions of resolver.h. */
bool resolver_archive_read_code(const struct symbol_module *module, uint64_t addr, uint64_t size,
                                const uint8_t **ret_code);
bool resolver_archive_get_image(const struct symbol_module *module, struct resolver_image *ret);
bool resolver_archive_has_data(const struct symbol_module *module);

size_t resolver_archive_n_sections(const struct symbol_module *module);
struct resolver_section resolver_archive_get_section(const struct symbol_module *module, size_t index);

/* The same for functions that contain a sampled address, or that begin at the address, as in
 * resolver_debug.h. */
void resolver_archive_find_frames(struct symbol_module *module, const uint64_t *addrs, size_t n,
                                  struct answered_frames *ret_frames);
size_t resolver_archive_find_labels(struct symbol_module *module, uint64_t addr,
                                    struct source_label **ret_labels);
size_t resolver_archive_find_extents(struct symbol_module *module, uint64_t addr,
                                     struct source_extent **ret_extents);

#endif
