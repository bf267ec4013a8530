/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the kernel and its modules, from /proc/kallsyms or a copy of it. */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "attributes.h"
#include "buf.h"
#include "symtab.h"

enum { KALLSYMS_MAX_BYTES = 512 << 20 };

struct kallsyms;

/* Reads the file. Never fails; `note` says why there are no names. */
struct kallsyms *kallsyms_new(const char *path, struct buf *note);

struct answers_cache_options; /* answers_cache.h */

/* For the running kernel: the kernel's own functions are read from the symbol cache if it has them.  The
 * file is read only for modules, or if there is no cache file yet, which is then written. */
struct kallsyms *kallsyms_new_kept(const char *path, const struct answers_cache_options *cache,
                                   struct buf *note);

/* The same as kallsyms_new for text in memory, which is copied. */
struct kallsyms *kallsyms_new_text(const void *text, size_t size, struct buf *note);

void kallsyms_free(struct kallsyms *kallsyms);
AUTO_DEFINE(kallsyms)

bool kallsyms_find(struct kallsyms *kallsyms, uint64_t addr, struct symtab_hit *ret_hit);

/* The name of the kernel module that contains a hit ("nf_tables"), "" for the kernel itself. */
const char *kallsyms_module(const struct kallsyms *kallsyms, const struct symtab_hit *hit);

/* Maximum number of modules. */
enum { KALLSYMS_MAX_MODULES = 65535 };

#endif
