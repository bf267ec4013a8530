/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of names: what the resolver asks about a module.  Each module has one, which is chosen when the
 * module is opened. */
#ifndef SYMBOL_SOURCE_H
#define SYMBOL_SOURCE_H

#include "resolver.h"

struct symbol_module; /* resolver_internal.h */

struct symbol_source {
        /* Called once, before all others.  False: there are no names, and symbol_source_none is used. */
        bool (*open)(struct resolver *resolver, struct symbol_module *module);
        void (*close)(struct symbol_module *module); /* NULL: nothing to do */
};

extern const struct symbol_source symbol_source_archive; /* answers in the session */
extern const struct symbol_source symbol_source_file;    /* an object file, its debug file, a PDB */
extern const struct symbol_source symbol_source_jitdump;
extern const struct symbol_source symbol_source_kernel;
extern const struct symbol_source symbol_source_perfmap; /* and the jitdump of the same process */
extern const struct symbol_source symbol_source_python;

#endif
