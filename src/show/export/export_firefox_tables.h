/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables shared by the threads of a Firefox profile: stacks, frames, functions, libraries, texts. */
#ifndef EXPORT_FIREFOX_TABLES_H
#define EXPORT_FIREFOX_TABLES_H

#include "export_firefox.h"
#include "json.h"

/* Type of a column. */
enum firefox_column_kind {
        FIREFOX_NUMBER,      /* uint32_t */
        FIREFOX_OR_NULL,     /* uint32_t, NAMED_NONE is null */
        FIREFOX_OR_MINUS,    /* uint32_t, NAMED_NONE is -1 */
        FIREFOX_POSITION,    /* uint32_t, 0 is null */
        FIREFOX_ADDRESS,     /* uint64_t; -1 if not in a library */
        FIREFOX_SIZE,        /* uint64_t, 0 is null */
        FIREFOX_ALWAYS_NULL, /* these are not stored in the row */
        FIREFOX_ALWAYS_FALSE,
        FIREFOX_ALWAYS_ZERO,
        FIREFOX_ALWAYS_ONE,
};

struct firefox_column {
        const char *key; /* NULL ends the list */
        enum firefox_column_kind kind;
        size_t offset;
};

void firefox_add_table(struct json *json, const char *key, const void *rows, size_t n, size_t row_bytes,
                       const struct firefox_column *columns);

enum firefox_category {
        FIREFOX_OTHER,
        FIREFOX_USER,
        FIREFOX_KERNEL,
        FIREFOX_JIT,
        FIREFOX_PYTHON,
        FIREFOX_WAITING,
        FIREFOX_RUNNABLE
};

struct firefox_tables;

/* Makes the tables for the nodes in `wanted`; the parent of each must be in it, too. */
struct firefox_tables *firefox_tables_new(const struct named_stacks *stacks, const bool *wanted);
void firefox_tables_free(struct firefox_tables *tables);
AUTO_DEFINE(firefox_tables)

/* The number of a text among the shared ones; call it before firefox_add_shared(). */
uint32_t firefox_add_text(struct firefox_tables *tables, const char *text);

/* The category of a thread's state. */
enum firefox_category firefox_category_of_state(const char *word);

/* Whether a node stands for a state in which its thread did not run. */
bool firefox_is_off_cpu(const struct named_stacks *stacks, const struct named_node *node);

/* The stack of a node; NAMED_NONE if the node is not in `wanted`. */
uint32_t firefox_stack_of(const struct firefox_tables *tables, uint32_t node);

void firefox_add_libs(const struct firefox_tables *tables, const char *arch, struct json *json);
void firefox_add_shared(const struct firefox_tables *tables, struct json *json);

#endif
