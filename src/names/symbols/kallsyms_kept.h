/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the kernel itself as a file of the symbol cache, because the kernel takes longer to
 * print /proc/kallsyms than wperf does for the rest of a small report.  Their addresses do not change until
 * the next boot, so the file is named after the boot.  It does not contain modules and code that the kernel
 * generates, which may change. */
#ifndef KALLSYMS_KEPT_H
#define KALLSYMS_KEPT_H

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "symtab.h"

struct kallsyms_kept;

/* From bytes that the caller keeps.  ERR_FORMAT: they are not from this boot, or damaged. */
struct kallsyms_kept *kallsyms_kept_new(const void *bytes, size_t size, const char *boot, struct err *err);

/* The file of this boot in the folder; NULL if there is none, or it is not trusted.  The folder must belong
 * to the user and be writable only by the user, as for the symbol cache. */
struct kallsyms_kept *kallsyms_kept_open(const char *folder, const char *boot);
void kallsyms_kept_free(struct kallsyms_kept *kept);
AUTO_DEFINE(kallsyms_kept)

/* The function that contains `addr`; false if it is not in the file. */
bool kallsyms_kept_find(const struct kallsyms_kept *kept, uint64_t addr, struct symtab_hit *ret_hit);

/* The bytes of such a file: the functions of group 0, which is the kernel, without the last one before
 * another group. */
void kallsyms_kept_write(const struct symtab *tab, const char *boot, struct buf *out);

/* Writes the file into the folder. */
bool kallsyms_kept_save(const struct symtab *tab, const char *folder, const char *boot,
                        uint64_t max_folder_bytes, struct err *err);

#endif
