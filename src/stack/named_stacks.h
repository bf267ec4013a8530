/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct stacks of a session with what is known of each of their places: where it is in its module, in which
 * function, what was inlined there.  For exports that show frames; a call tree of functions is stacks_tree.h. */
#ifndef NAMED_STACKS_H
#define NAMED_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "module_facts.h"

#define NAMED_NONE UINT32_MAX

/* Texts are never NULL. */
struct named_frame {
        const char *function; /* "": not known */
        const char *file;     /* of the source; "": not known, or not asked for and not of Python */
        uint32_t line, column;
        const char *
                brief; /* as perf shows it: without arguments, of Python with file and line; NULL: as `function` */
};

/* A place with the path to it. */
struct named_node {
        uint32_t parent;                /* NAMED_NONE: the outermost function */
        uint32_t module;                /* NAMED_NONE: no module */
        uint32_t first_frame, n_frames; /* innermost first; the last, of 1 at least, is the function itself */
        uint64_t offset;                /* as in struct place; of a return address, where its call is */
        uint64_t addr;                  /* the same as the object counts: an ELF virtual address */
        uint64_t start, size;           /* of the function, as addr; size 0: not known */
        bool has_start;
        bool is_kernel;
        bool is_return;  /* the sample held `offset` plus one byte */
        bool is_unwound; /* no chain held it: it was found in a copy of the stack */
        bool is_cut;     /* it stands for callers that are not known, and the rest of it for nothing */
};

enum { NAMED_BUILD_ID_MAX = 20 };

struct named_module {
        enum named_kind kind;
        const char *path;
        int32_t pid; /* the first that had it; for NAMED_ANON the one that has it */
        bool is_deleted;
        uint8_t build_id[NAMED_BUILD_ID_MAX]; /* an ELF file's */
        uint8_t build_id_size;                /* 0: not known */
        uint64_t base; /* the address, as the object counts, that its image begins at */
};

struct named_stacks {
        struct named_node *nodes; /* a parent stands before its children */
        size_t n_nodes;
        struct named_frame *frames;
        size_t n_frames, cap_frames;
        struct named_module *modules;
        size_t n_modules;
        struct strpool *texts; /* of the frames */
};

struct stacks_tree_request; /* stacks_tree.h */

/* Looks up all places in one go.  Paths of modules are the world's. */
struct named_stacks *named_stacks_new(const struct stacks_tree_request *request);
void named_stacks_free(struct named_stacks *named);
AUTO_DEFINE(named_stacks)

#endif
