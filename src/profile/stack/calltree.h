/* SPDX-License-Identifier: BSD-3-Clause */
/* The call tree of one event: functions and their callees, each call path once. Knows neither addresses nor
 * files: the caller passes the names of functions. Its size grows with distinct paths, not with samples. */
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
        CALLTREE_CUT,     /* represents missing callers */
        CALLTREE_STATE,   /* a state of the thread, below the function that waits: "[network]" */
};

/* A function of the tree. Two are the same if all fields except `brief` and is_python are equal. Texts are
 * copied; NULL means "". */
struct calltree_function {
        const char *name;   /* displayed name, without the module */
        const char *brief;  /* the name without arguments; several functions may have the same */
        const char *module; /* base name; "" for none; for a Python function, the name of its source file */
        const char *path;   /* of the module */
        const char *file;   /* source file; "" if unknown or not requested */
        uint32_t line;      /* 0 if unknown or not requested */
        uint8_t kind;       /* enum calltree_kind */
        bool is_kernel;
        bool is_inlined; /* inlined into the function of the parent node */
        /* a Python function, whose name includes its first line, or a line of it, whose name includes the
         * line: `parse [app.py:6]`; `brief` is `parse` */
        bool is_python;
};

enum { CALLTREE_ROOT = 0 };
#define CALLTREE_NONE UINT32_MAX

/* The root's `function` is CALLTREE_NONE. */
struct calltree_node {
        uint32_t parent;                  /* CALLTREE_NONE for the root */
        uint32_t function;                /* number of the function */
        uint32_t first_child, next;       /* next: next child of the same parent; CALLTREE_NONE for none */
        uint32_t depth;                   /* 0 for the root */
        uint64_t self_count, self_weight; /* number and sum of periods of the samples that end here */
        uint64_t count, weight;           /* self plus all descendants; valid after calltree_finish */
};

/* The sums of a function over all its nodes; in recursion, samples are counted once. */
struct calltree_sum {
        uint32_t function;
        uint64_t self_count, self_weight;
        uint64_t count, weight;
};

struct calltree;

struct calltree *calltree_new(void);
/* Call before adding the first node. Limits this tree, and each tree derived from it, to a quarter of the
 * limit of `budget`, which must outlive them and records what was left out. */
void calltree_set_budget(struct calltree *tree, struct budget *budget);
void calltree_free(struct calltree *tree);
AUTO_DEFINE(calltree)

/* --- Building a tree ------------------------------------------------------------------------------------ */

/* Whether a pattern of text_match_symbol matches the function's name, with or without arguments. */
bool calltree_function_matches(const struct calltree_function *function, const char *pattern);

/* Returns the function's number; equal functions have the same number. */
uint32_t calltree_add_function(struct calltree *tree, const struct calltree_function *function);

/* Returns the child of `parent` for this function; adds it if there is none. */
uint32_t calltree_add_child(struct calltree *tree, uint32_t parent, uint32_t function);

/* The same, but returns CALLTREE_NONE if there is no memory for a new node. */
uint32_t calltree_try_child(struct calltree *tree, uint32_t parent, uint32_t function);

/* Adds samples that end at `node`. */
void calltree_add(struct calltree *tree, uint32_t node, uint64_t count, uint64_t weight);

/* Computes the sums and sorts the children by weight, largest first, then by name. Nothing may be added
 * afterwards. */
void calltree_finish(struct calltree *tree);

/* --- Reading a finished tree ---------------------------------------------------------------------------- */

size_t calltree_n_nodes(const struct calltree *tree);
const struct calltree_node *calltree_get_node(const struct calltree *tree, uint32_t node);

size_t calltree_n_functions(const struct calltree *tree);
const struct calltree_function *calltree_get_function(const struct calltree *tree, uint32_t function);

/* Returns the sums of all functions, sorted by weight, largest first, then by name; *ret_n is their number.
 * free() it. Processes and marks are not included. */
struct calltree_sum *calltree_list(const struct calltree *tree, size_t *ret_n);

typedef bool (*calltree_is_wanted_fn)(const struct calltree_function *function, const void *ctx);

/* Returns a finished tree with the paths that contain a wanted function. */
struct calltree *calltree_through(const struct calltree *tree, calltree_is_wanted_fn is_wanted,
                                  const void *ctx);

/* Returns the finished inverted tree: its top nodes are the functions in which samples ended, and the
 * children of a node are its callers. With `is_wanted` (may be NULL), the innermost wanted function of each
 * path also gets the samples of its callees, and paths without one are omitted. If memory is short, the
 * outermost callers are omitted. */
struct calltree *calltree_invert(const struct calltree *tree, calltree_is_wanted_fn is_wanted,
                                 const void *ctx);

#endif
