/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of names: what the resolver asks about a module.  Each module has one, which is chosen when the
 * module is opened. */
#ifndef SYMBOL_SOURCE_H
#define SYMBOL_SOURCE_H

#include "buf.h"
#include "object.h"
#include "resolver.h"
#include "symtab.h"

struct resolver_debug; /* resolver_debug.h */
struct source_extent;  /* source_frames.h */
struct source_label;   /* source_frames.h */
struct symbol_module;  /* resolver_internal.h */

/* The file that is read for lines and code. */
struct resolver_image_file {
        const struct object *object; /* NULL: none */
        struct resolver_debug *debug;
        uint64_t slide; /* the difference between the module's addresses and the file's */
};

struct symbol_source {
        /* Called once, before all others; sets the facts of the module.  False: there are no names, and
         * symbol_source_none is used. */
        bool (*open)(struct resolver *resolver, struct symbol_module *module);
        void (*close)(struct symbol_module *module); /* NULL: nothing to do */

        /* As resolver_to_addr.  NULL: the offsets of the module are its addresses. */
        bool (*to_addr)(const struct symbol_module *module, uint64_t offset, uint64_t *ret_addr);

        /* As resolver_find_addr.  NULL: `find_hit` finds the function, and the names of another recorder
         * (struct resolver_recorded) are used for what it does not have. */
        struct symbol (*find)(struct resolver *resolver, struct symbol_module *module, uint64_t addr);

        /* Sets *ret_hit as resolver_file_find does; with SYMBOL_NAMED also *ret_container, if the function
         * belongs to a kernel module or a jitdump.  NULL: there are no names. */
        enum symbol_status (*find_hit)(struct symbol_module *module, uint64_t addr,
                                       struct symtab_hit *ret_hit, const char **ret_container);

        /* Appends the name of a hit as in the file.  NULL: it is hit->name. */
        void (*add_name)(const struct symbol_module *module, const struct symtab_hit *hit, struct buf *out);
        bool has_mangled_names;

        /* The file with the debug information for `addr`.  NULL: there is none. */
        struct resolver_image_file (*get_image)(struct resolver *resolver, struct symbol_module *module,
                                                uint64_t addr);

        /* As resolver_find_frames, but ret->spans is allocated.  NULL: they come from the debug information,
         * and functions that it does not have by name. */
        void (*find_frames)(struct resolver *resolver, struct symbol_module *module, const uint64_t *addrs,
                            size_t n, struct resolver_frames *ret_frames);
        /* NULL: they come from the debug information; without it, the extent is that of the symbol. */
        size_t (*find_labels)(struct symbol_module *module, uint64_t addr, struct source_label **ret_labels);
        size_t (*find_extents)(struct symbol_module *module, uint64_t addr,
                               struct source_extent **ret_extents);

        /* As resolver_read_code, _get_machine and _check.  NULL: there is no code, the machine is not known,
         * there are no files. */
        bool (*read_code)(struct resolver *resolver, struct symbol_module *module, uint64_t addr,
                          uint64_t size, const uint8_t **ret_code);
        enum object_machine (*get_machine)(const struct symbol_module *module, uint64_t addr);
        bool (*check)(const struct symbol_module *module, struct err *err);
};

extern const struct symbol_source symbol_source_archive; /* answers in the session */
extern const struct symbol_source symbol_source_file;    /* an object file, its debug file, a PDB */
extern const struct symbol_source symbol_source_jitdump;
extern const struct symbol_source symbol_source_kernel;
extern const struct symbol_source symbol_source_perfmap; /* and the jitdump of the same process */
extern const struct symbol_source symbol_source_python;

#endif
