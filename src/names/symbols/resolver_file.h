/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of one object file: the files and tables in which they are looked up, and their order. */
#ifndef RESOLVER_FILE_H
#define RESOLVER_FILE_H

#include "attributes.h"
#include "buf.h"
#include "object.h"
#include "resolver.h"
#include "resolver_debug.h"
#include "symtab.h"

struct resolver_file;

/* Opens the files of the module.  Never fails; `note` says what is missing (one sentence), and does not
 * change if nothing is. `options` must outlive it. */
struct resolver_file *resolver_file_new(const struct resolver_module *module,
                                        const struct resolver_options *options, struct buf *note);
void resolver_file_free(struct resolver_file *file);
AUTO_DEFINE(resolver_file)

/* Whether there is a full symbol table or a PDB, and not only exported names. */
bool resolver_file_has_all_names(const struct resolver_file *file);

/* The virtual address of a file offset; false if it is not known. */
bool resolver_file_to_addr(const struct resolver_file *file, uint64_t file_off, uint64_t *ret_addr);

/* SYMBOL_NAMED: *ret_hit is set, but for a PDB's function `text` is not.  SYMBOL_RANGE: start and end are
 * set. Always: same_from and same_to. */
enum symbol_status resolver_file_find(struct resolver_file *file, uint64_t addr, struct symtab_hit *ret_hit);

/* Appends the name of a hit as in the file; without `@plt` for a stub. */
void resolver_file_add_name(const struct resolver_file *file, const struct symtab_hit *hit, struct buf *out);

/* The address of data at a file offset.  Data that the file does not contain (.bss) has the offsets behind
 * those of its segment. False if there is none. */
bool resolver_file_data_addr(const struct resolver_file *file, uint64_t file_off, uint64_t *ret_addr);

/* The symbol for data at an address; false if there is none. */
bool resolver_file_find_data(struct resolver_file *file, uint64_t addr, struct symtab_hit *ret_hit);

/* The module's own file, or NULL. */
struct object *resolver_file_object(const struct resolver_file *file);

/* Whether the file is the recorded image of Windows, by its time stamp and size: images of MinGW have no
 * PDB id. */
bool resolver_file_is_image(const struct resolver_file *file, const struct resolver_module *module);

bool resolver_file_has_pdb(const struct resolver_file *file);

/* The instruction set of its code at `addr`. */
enum object_machine resolver_file_machine(const struct resolver_file *file, uint64_t addr);

/* The debug information of the file, opened by the first call, which appends what is missing to `note`. */
struct resolver_debug *resolver_file_debug(struct resolver_file *file, const struct resolver_module *module,
                                           struct buf *note);

/* False if one of its files became shorter while it was read. */
bool resolver_file_check(const struct resolver_file *file, struct err *err);

#endif
