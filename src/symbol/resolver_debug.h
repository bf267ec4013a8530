/* SPDX-License-Identifier: BSD-3-Clause */
/* The debug information of one object file, wherever it stands: in the file, in its debug file, and in the one that
 * several debug files share. */
#ifndef RESOLVER_DEBUG_H
#define RESOLVER_DEBUG_H

#include "attributes.h"
#include "buf.h"
#include "debug_search.h"
#include "dwarf.h"

struct resolver_debug;

/* `wanted` says whose it is; `debug` is its debug file if that is open already, else NULL: it is then looked for where the
 * file itself has no debug information.  Both must outlive it.  Never fails; what is missing is appended to `note`. */
struct resolver_debug *resolver_debug_new(const struct debug_wanted *wanted, struct object *debug,
                                          struct buf *note);
void resolver_debug_free(struct resolver_debug *debug);
AUTO_DEFINE(resolver_debug)

/* NULL: there is none. */
struct dwarf *resolver_debug_dwarf(const struct resolver_debug *debug);

/* False after a file of it has become shorter while it was read. */
bool resolver_debug_check(const struct resolver_debug *debug, struct err *err);

#endif
