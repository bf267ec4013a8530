/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of names: what the resolver asks about a module.  Each module has one, which is chosen when the
 * module is opened. */
#ifndef SYMBOL_SOURCE_H
#define SYMBOL_SOURCE_H

#include "buf.h"
#include "resolver.h"
#include "symtab.h"

struct symbol_module; /* resolver_internal.h */

struct symbol_source {
        /* Called once, before all others.  False: there are no names, and symbol_source_none is used. */
        bool (*open)(struct resolver *resolver, struct symbol_module *module);
        void (*close)(struct symbol_module *module); /* NULL: nothing to do */

        /* As resolver_to_addr.  NULL: the offsets of the module are its addresses. */
        bool (*to_addr)(const struct symbol_module *module, uint64_t offset, uint64_t *ret_addr);

        /* As resolver_find_addr.  NULL: `find_hit` finds the function, and the names of another recorder
         * are used for what it does not have. */
        struct symbol (*find)(struct resolver *resolver, struct symbol_module *module, uint64_t addr);

        /* Sets *ret_hit as resolver_file_find does; with SYMBOL_NAMED also *ret_container, if the function
         * belongs to a kernel module or a jitdump.  NULL: there are no names. */
        enum symbol_status (*find_hit)(struct symbol_module *module, uint64_t addr,
                                       struct symtab_hit *ret_hit, const char **ret_container);

        /* Appends the name of a hit as in the file.  NULL: it is hit->name. */
        void (*add_name)(const struct symbol_module *module, const struct symtab_hit *hit, struct buf *out);
        bool has_mangled_names;
};

extern const struct symbol_source symbol_source_archive; /* answers in the session */
extern const struct symbol_source symbol_source_file;    /* an object file, its debug file, a PDB */
extern const struct symbol_source symbol_source_jitdump;
extern const struct symbol_source symbol_source_kernel;
extern const struct symbol_source symbol_source_perfmap; /* and the jitdump of the same process */
extern const struct symbol_source symbol_source_python;

#endif
