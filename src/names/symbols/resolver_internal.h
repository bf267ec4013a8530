/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of the resolver: opened modules. */
#ifndef RESOLVER_INTERNAL_H
#define RESOLVER_INTERNAL_H

#include "arena.h"
#include "budget.h"
#include "buf.h"
#include "jitdump.h"
#include "kallsyms.h"
#include "map.h"
#include "perfmap.h"
#include "resolver.h"
#include "resolver_facts.h"
#include "resolver_file.h"
#include "resolver_vmlinux.h"
#include "symbol_source.h"
#include "symtab.h"

/* A line of JIT code; the file's name is in the jitdump. */
struct jit_row {
        uint64_t addr;
        const char *file;
        size_t file_len;
        uint32_t line;
        size_t number; /* index in the jitdump */
};

struct jit_rows {
        struct jit_row *items; /* sorted by address */
        size_t n, cap;
        size_t load; /* load to which they belong */
        bool is_read;
};

struct symbol_module {
        struct resolver_module is; /* with its own copies of strings and build id */
        bool is_loaded;
        const struct symbol_source *source;
        bool has_plain_names; /* names of its lines are not mangled */
        /* what its source has opened */
        struct resolver_file *file;
        struct perfmap *perfmap;
        struct jitdump *own_jitdump; /* the one beside the perf map */
        struct jitdump *jitdump;     /* own_jitdump, or the one of the description */
        struct jit_rows jit_rows;
        struct python_table *python;
        struct kallsyms *kallsyms;        /* owned by the resolver */
        struct resolver_vmlinux *vmlinux; /* opened when lines or code are looked up */
        struct budget budget;
        struct buf note, doubt;
        bool is_in_doubt;            /* the perf map has another name for an address that was looked up */
        struct resolver_facts facts; /* its sections are released with free() */
        struct map frame_texts;      /* pointer of a name in the debug information -> str_id */
        /* The last result, and the range of addresses for which it is valid. */
        struct symbol last;
        uint64_t last_from, last_to;
};

/* Properties of a function's name by its id, which is the name as in the file. */
struct symbol_facts {
        bool is_known;
        str_id function; /* for a clone or part: the function's name without the suffix, otherwise 0 */
        str_id readable; /* 0: the name is already readable */
        /* for a Python function: a unique text that distinguishes it from others with the same name;
         * otherwise 0 */
        str_id told_apart;
};

struct resolver {
        struct resolver_options options;
        struct strpool *texts;
        struct symbol_facts *names; /* by id; ids from n_names on have no properties */
        size_t n_names;
        struct arena arena;
        struct symbol_module **modules;
        size_t n_modules, cap_modules;
        struct kallsyms *kallsyms; /* one for the kernel and all of its modules */
        struct buf kallsyms_note;
        struct buf scratch;
};

/* Returns the module; opens it first, if needed. */
struct symbol_module *resolver_load(struct resolver *resolver, resolver_id id);

/* As resolver_find_addr. */
struct symbol resolver_find_in(struct resolver *resolver, struct symbol_module *module, uint64_t addr);

/* If the recorder kept answers: opens the module's file, and returns whether it is of the same build and
 * has all names, lines and code, itself or with its debug file. */
bool resolver_file_replaces_kept(const struct resolver *resolver, struct symbol_module *module);

/* The file with the debug information for `addr`, if the module's source has one. */
struct resolver_image_file resolver_get_image_file(struct resolver *resolver, struct symbol_module *module,
                                                   uint64_t addr);

/* For sources that find frames: appends a frame of address number `i`; the same for the found frames of
 * debug information, and releases these.  The frames of an address are added one after the other. */
void resolver_add_frame(struct resolver_frames *frames, size_t i, struct resolver_frame frame);
void resolver_add_answers(struct resolver *resolver, struct symbol_module *module,
                          struct answered_frames *found, size_t n, struct resolver_frames *ret_frames);

/* Interns a name or path from the debug information; for a clone or part of a function, the function's
 * name.  0 for NULL and "", and if the budget does not allow it. */
str_id resolver_frame_text(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                           const char *text, bool is_function);

/* Interns a text; false if the module's budget does not allow it, which is then recorded.  `use` is for a
 * text of usual length. */
bool resolver_keep_text(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                        const struct buf *text, str_id *ret_id);

/* Interns a function's name as in the file, with the suffix "@plt" for a stub.  With `is_mangled` also
 * stores its readable form, without the suffix of a clone if the options select short names:
 * resolver_function_id.  False as above. */
bool resolver_keep_name(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                        const struct buf *name, bool is_mangled, str_id *ret_id);

/* The name of a hit of `source`, interned at its first use; 0 if there is not enough memory. */
str_id resolver_hit_text(struct resolver *resolver, struct symbol_module *module,
                         const struct symbol_source *source, const struct symtab_hit *hit);

/* Interns a function's `name` as a text that no other function has.  False as above. */
bool resolver_keep_told_apart(struct resolver *resolver, struct symbol_module *module,
                              const struct buf *identity, const struct buf *name,
                              const struct buf *told_apart, str_id *ret_id);

/* The name of the function of which this is a clone or part; usually the name itself. */
str_id resolver_function_id(const struct resolver *resolver, str_id name);

#endif
