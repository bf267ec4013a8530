/* SPDX-License-Identifier: BSD-3-Clause */
/* The call tree of one event: who called whom, by function, each path once.  Knows no addresses and no files: what a
 * function is called is told to it.  Size grows with distinct paths, not with samples. */
#ifndef CALLTREE_H
#define CALLTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"

enum calltree_kind {
        CALLTREE_FUNCTION,
        CALLTREE_UNKNOWN, /* code without a name */
        CALLTREE_PROCESS, /* a thread's name, above its outermost functions */
        CALLTREE_CUT,     /* in the place of callers that are missing */
};

/* Two functions are one where all of this is the same.  Texts are copied; NULL counts as "". */
struct calltree_function {
        const char *name;   /* as it is shown, without its module */
        const char *brief;  /* the same without the arguments that tell it from others; tells no two apart */
        const char *module; /* base name; "" none; of a Python function the source file's */
        const char *path;   /* of the module */
        const char *file;   /* of the source; "" not known, or not asked for */
        uint32_t line;      /* 0: not known, or not asked for */
        uint8_t kind;       /* enum calltree_kind */
        bool is_kernel;
        bool is_inlined; /* into the node above */
        bool is_python; /* a line of a Python function, whose name says where it is: `parse [app.py:6]`; `brief` is `parse` */
};

enum { CALLTREE_ROOT = 0 };
#define CALLTREE_NONE UINT32_MAX

/* Of the root `function` is CALLTREE_NONE. */
struct calltree_node {
        uint32_t parent;            /* CALLTREE_NONE: it is the root */
        uint32_t function;          /* its number */
        uint32_t first_child, next; /* next: of the same parent; CALLTREE_NONE: no more */
        uint32_t depth;             /* the root's is 0 */
        uint64_t self_count,
                self_weight;    /* samples that end here: their number, and the sum of their periods */
        uint64_t count, weight; /* and all below, after calltree_finish */
};

/* A function wherever it stands, what it called counted once even where it called itself. */
struct calltree_sum {
        uint32_t function;
        uint64_t self_count, self_weight;
        uint64_t count, weight;
};

struct calltree;

struct calltree *calltree_new(void);
/* Before the first node: bounds the tree, and each tree that is made of it, by a quarter of the limit of `budget`, which outlives
 * them and is told when that was too little. */
void calltree_set_budget(struct calltree *tree, struct budget *budget);
void calltree_free(struct calltree *tree);
AUTO_DEFINE(calltree)

/* --- Making one ------------------------------------------------------------------------------------------ */

/* Whether a pattern of text_match_symbol means the function: with arguments or without. */
bool calltree_function_matches(const struct calltree_function *function, const char *pattern);

/* The function's number; equal ones have one. */
uint32_t calltree_add_function(struct calltree *tree, const struct calltree_function *function);

/* The child of `parent` for this function, made where there is none. */
uint32_t calltree_add_child(struct calltree *tree, uint32_t parent, uint32_t function);

/* The same, but CALLTREE_NONE where there is no memory for a new node. */
uint32_t calltree_try_child(struct calltree *tree, uint32_t parent, uint32_t function);

/* Samples that end at `node`. */
void calltree_add(struct calltree *tree, uint32_t node, uint64_t count, uint64_t weight);

/* Sums up and sorts: children by weight, most first, then by name.  Nothing is added afterwards. */
void calltree_finish(struct calltree *tree);

/* --- Looking at one that is finished --------------------------------------------------------------------- */

size_t calltree_n_nodes(const struct calltree *tree);
const struct calltree_node *calltree_get_node(const struct calltree *tree, uint32_t node);

size_t calltree_n_functions(const struct calltree *tree);
const struct calltree_function *calltree_get_function(const struct calltree *tree, uint32_t function);

/* All functions, by weight, most first, then by name; free() by the caller.  *ret_n of them.  Processes and marks are not
 * among them. */
struct calltree_sum *calltree_list(const struct calltree *tree, size_t *ret_n);

typedef bool (*calltree_is_wanted_fn)(const struct calltree_function *function, const void *ctx);

/* The paths that a wanted function is on.  Finished. */
struct calltree *calltree_through(const struct calltree *tree, calltree_is_wanted_fn is_wanted,
                                  const void *ctx);

/* The tree upside down: its top nodes are the functions that samples ended in, and below each its callers.  With `is_wanted`,
 * which may be NULL, the innermost wanted function of each path stands for all that it called, and paths without one are
 * left out.  With too little memory the outermost callers are left out.  Finished. */
struct calltree *calltree_invert(const struct calltree *tree, calltree_is_wanted_fn is_wanted,
                                 const void *ctx);

#endif
