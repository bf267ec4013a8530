/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the kernel itself as a file of the symbol cache: to print /proc/kallsyms takes the kernel longer than all
 * else that a small report does.  They stay where they are until the next boot, so the file is named after the boot.  What may come
 * and go, modules and code that the kernel makes, is not in it. */
#ifndef KALLSYMS_KEPT_H
#define KALLSYMS_KEPT_H

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "symtab.h"

struct kallsyms_kept;

/* From bytes that the caller keeps.  ERR_FORMAT where they are not of this boot, or damaged. */
struct kallsyms_kept *kallsyms_kept_new(const void *bytes, size_t size, const char *boot, struct err *err);

/* The file of this boot in the folder; NULL where there is none that is believed.  The folder is the user's alone, as for the
 * symbol index. */
struct kallsyms_kept *kallsyms_kept_open(const char *folder, const char *boot);
void kallsyms_kept_free(struct kallsyms_kept *kept);
AUTO_DEFINE(kallsyms_kept)

/* The function that holds `addr`; false where the file does not tell. */
bool kallsyms_kept_find(const struct kallsyms_kept *kept, uint64_t addr, struct symtab_hit *ret_hit);

/* The bytes of such a file: the functions of group 0, which is the kernel, but for the last one before another group. */
void kallsyms_kept_write(const struct symtab *tab, const char *boot, struct buf *out);

/* Puts the file into the folder. */
bool kallsyms_kept_save(const struct symtab *tab, const char *folder, const char *boot,
                        uint64_t max_folder_bytes, struct err *err);

#endif
