/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct stacks of a session with module, function and inlined functions of each frame. For exports
 * that show frames; stacks_tree.h makes call trees of functions. */
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
        const char *function; /* "" if unknown */
        /* source file; "" if unknown, or if lines were not requested and it is not Python */
        const char *file;
        uint32_t line, column;
        uint32_t first_line; /* of a Python function; 0 if unknown */
        /* the name that perf would show: without arguments, or for Python with file and line; NULL if it
         * equals `function` */
        const char *brief;
        /* Only of Python functions, otherwise NULL: `app.py`, or `json/__init__.py` if other files have the
         * same name; and `parse [app.py:5]`, with the first line of the function. */
        const char *file_name;
        const char *label;
};

/* A node of the tree of stacks: an address and its callers. */
struct named_node {
        uint32_t parent; /* NAMED_NONE for the outermost function */
        uint32_t module; /* NAMED_NONE for none */
        /* innermost first, at least one; the last one is the function itself */
        uint32_t first_frame, n_frames;
        uint64_t offset;      /* as in struct place; for a return address, of the call before it */
        uint64_t addr;        /* the same as an ELF virtual address */
        uint64_t start, size; /* of the function, as `addr`; size 0 if unknown */
        bool has_start;
        bool is_kernel;
        bool is_return;  /* the sample has `offset` + 1 */
        bool is_unwound; /* found in a stack copy, not in a chain */
        bool is_cut;     /* represents missing callers; the other fields are not used */
        bool is_state;   /* its function is a state of the thread, as "[network]" */
        /* a native function that runs Python frames; STACKS_PYTHON_MERGED leaves it out below them */
        bool runs_python;
};

enum { NAMED_BUILD_ID_MAX = 20 };

struct named_module {
        enum named_kind kind;
        const char *path;
        int32_t pid; /* the first process that had it; for NAMED_ANON its process */
        bool is_deleted;
        uint8_t build_id[NAMED_BUILD_ID_MAX]; /* of an ELF file */
        uint8_t build_id_size;                /* 0 if unknown */
        uint64_t base;                        /* virtual address of the start of its image */
};

struct named_stacks {
        struct named_node *nodes; /* a parent precedes its children */
        size_t n_nodes;
        struct named_frame *frames;
        size_t n_frames, cap_frames;
        struct named_module *modules;
        size_t n_modules;
        struct strpool *texts; /* texts of the frames */
};

struct stacks_tree_request; /* stacks_tree.h */

/* Looks up all addresses at once. The paths of modules belong to the world. */
struct named_stacks *named_stacks_new(const struct stacks_tree_request *request);
void named_stacks_free(struct named_stacks *named);
AUTO_DEFINE(named_stacks)

#endif
