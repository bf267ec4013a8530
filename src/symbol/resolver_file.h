/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of one object file: which files and tables they come from, in which order. */
#ifndef RESOLVER_FILE_H
#define RESOLVER_FILE_H

#include "attributes.h"
#include "buf.h"
#include "object.h"
#include "resolver.h"
#include "resolver_debug.h"
#include "symtab.h"

struct resolver_file;

/* Opens what there is for the module.  Never fails; what is missing is said in `note` (one sentence), which
 * stays as it was when all is well.  `options` outlive it. */
struct resolver_file *resolver_file_new(const struct resolver_module *module,
                                        const struct resolver_options *options, struct buf *note);
void resolver_file_free(struct resolver_file *file);
AUTO_DEFINE(resolver_file)

/* Whether a full table of symbols was found, or a PDB: not only exported names. */
bool resolver_file_has_all_names(const struct resolver_file *file);

/* The virtual address of a file offset; false when it can't be told. */
bool resolver_file_to_addr(const struct resolver_file *file, uint64_t file_off, uint64_t *ret_addr);

/* SYMBOL_NAMED: *ret_hit is set, but of a PDB's function there is no place for the text.  SYMBOL_RANGE: start and end are.
 * Always: same_from and same_to. */
enum symbol_status resolver_file_find(struct resolver_file *file, uint64_t addr, struct symtab_hit *ret_hit);

/* Appends the name of a hit as the file has it; without `@plt` for a stub. */
void resolver_file_add_name(const struct resolver_file *file, const struct symtab_hit *hit, struct buf *out);

/* The module's own file, or NULL. */
struct object *resolver_file_object(const struct resolver_file *file);

bool resolver_file_has_pdb(const struct resolver_file *file);

/* Whose instructions its code at `addr` is. */
enum object_machine resolver_file_machine(const struct resolver_file *file, uint64_t addr);

/* The debug information of the file, made ready by the first call, which appends what is missing to `note`. */
struct resolver_debug *resolver_file_debug(struct resolver_file *file, const struct resolver_module *module,
                                           struct buf *note);

/* False after one of its files has become shorter while it was read. */
bool resolver_file_check(const struct resolver_file *file, struct err *err);

#endif
