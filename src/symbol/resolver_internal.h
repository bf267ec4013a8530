/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the resolver share: its modules as they were opened. */
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
#include "resolver_file.h"
#include "resolver_python.h"
#include "resolver_vmlinux.h"
#include "symtab.h"

/* A line of code made at run time; the file's name stands in the jitdump. */
struct jit_row {
        uint64_t addr;
        const char *file;
        size_t file_len;
        uint32_t line;
        size_t number; /* in the jitdump */
};

struct jit_rows {
        struct jit_row *items; /* by address */
        size_t n, cap;
        size_t load; /* whose they are */
        bool is_read;
};

struct symbol_module {
        struct resolver_module is; /* with strings and build id of its own */
        bool is_loaded;
        struct resolver_file *file;  /* RESOLVER_FILE */
        struct perfmap *perfmap;     /* RESOLVER_PERFMAP */
        struct jitdump *own_jitdump; /* the same, when there is one */
        struct jitdump *jitdump;     /* that, or the description's */
        struct jit_rows jit_rows;
        struct python_table *python; /* RESOLVER_PYTHON, when it is known */
        struct kallsyms *kallsyms;   /* RESOLVER_KERNEL, when it is the kernel of these; the resolver's */
        struct resolver_vmlinux *vmlinux; /* the same, when it was asked for lines or code */
        struct budget budget;
        struct buf note, doubt;
        bool is_in_doubt;       /* a name was given that the perf map has another one beside */
        struct map frame_texts; /* address of a name as the debug information has it -> str_id */
        /* The last answer, and the addresses for which it is the answer. */
        struct symbol last;
        uint64_t last_from, last_to;
};

/* What is known of a function's name by its id: the name as it stands in the file. */
struct symbol_facts {
        bool is_known;
        str_id function;   /* of a clone or piece: the name without what tells it apart, else 0 */
        str_id readable;   /* 0: it is as readable as it is */
        str_id told_apart; /* of a Python function: with what tells it from others that read the same; else 0 */
};

struct resolver {
        struct resolver_options options;
        struct strpool *texts;
        struct symbol_facts *names; /* by id; of ids from n_names on nothing is known */
        size_t n_names;
        struct arena arena;
        struct symbol_module **modules;
        size_t n_modules, cap_modules;
        struct kallsyms *kallsyms; /* one for all modules of the kernel */
        struct buf kallsyms_note;
        struct buf scratch;
};

/* The module, opened. */
struct symbol_module *resolver_load(struct resolver *resolver, resolver_id id);

/* The function of the jitdump at an address as the object counts, and the offset of that in the file. */
bool resolver_find_jit(const struct symbol_module *module, uint64_t addr, struct jitdump_hit *ret_hit,
                       uint64_t *ret_off);

/* What is read for lines and code. */
struct resolver_image_file {
        const struct object *object; /* NULL: none */
        struct resolver_debug *debug;
        uint64_t slide; /* its addresses are so much less than the module's */
};

/* The module's file, or the kernel's by one of its addresses. */
struct resolver_image_file resolver_image_file(struct resolver *resolver, struct symbol_module *module,
                                               uint64_t addr);

/* A name or path as the debug information has it; a function's is that of the function whose clone or piece it is.  0 for NULL
 * and "", and where the budget does not allow it. */
str_id resolver_frame_text(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                           const char *text, bool is_function);

/* Interns a text; false when the module's budget does not allow it, which is then remembered.  `use` is that of a text of
 * usual length. */
bool resolver_keep_text(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                        const struct buf *text, str_id *ret_id);

/* Interns a function's name as it stands in the file, with "@plt" behind it where it is of a stub.  With `is_mangled` its
 * readable form is kept too; what says that it is a clone is left out where the options want names short: resolver_function_id.  False as above. */
bool resolver_keep_name(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                        const struct buf *name, bool is_mangled, str_id *ret_id);

/* Interns a function's `name` under a text that no other function has.  False as above. */
bool resolver_keep_told_apart(struct resolver *resolver, struct symbol_module *module,
                              const struct buf *identity, const struct buf *name,
                              const struct buf *told_apart, str_id *ret_id);

/* The name of the function that a name is a clone or piece of; most often the name itself. */
str_id resolver_function_id(const struct resolver *resolver, str_id name);

#endif
