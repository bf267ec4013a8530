/* SPDX-License-Identifier: BSD-3-Clause */
/* A sorted table of functions: finds the symbol of an address.  Chooses among symbols at one address, and
 * decides where a symbol without a size ends, by perf's rules.  Does not copy names. */
#ifndef SYMTAB_H
#define SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "object.h"
#include "strpool.h"

enum { SYMTAB_MAX_NAME_TABLES = 16, SYMTAB_NO_NAMES = 255 };

struct symtab;

struct symtab *symtab_new(void);
void symtab_free(struct symtab *tab);
AUTO_DEFINE(symtab)

/* Adds a table of names for symbols: `size` bytes, the last one NUL, kept by the caller as long as the
 * table.  Returns its number; at most SYMTAB_MAX_NAME_TABLES. */
uint8_t symtab_add_names(struct symtab *tab, const char *names, size_t size);

struct symtab_symbol {
        uint64_t addr;
        uint64_t size_bytes; /* 0: up to the next symbol */
        uint64_t limit;      /* upper limit for the end of a symbol without a size; 0: not known */
        uint32_t name_off;
        uint16_t group;   /* a symbol without a size ends at the next one only if that has the same group */
        uint8_t names;    /* from symtab_add_names, or SYMTAB_NO_NAMES: name_off is a number of the caller */
        uint8_t binding;  /* enum object_binding */
        bool is_label;    /* dropped if a function with a size covers it */
        bool is_plt_stub; /* the name is that of the target; the symbol is NAME@plt */
};

void symtab_add(struct symtab *tab, const struct symtab_symbol *symbol);

/* Adds the symbols for code in a symbol table of an object, which must live as long.  False if it has no
 * such table. */
bool symtab_add_object(struct symtab *tab, struct object *object, enum object_table table);

/* The same with the symbols for data: variables, except those of threads. */
bool symtab_add_data(struct symtab *tab, struct object *object, enum object_table table);

/* To be called after the last symbol and before the first search. */
void symtab_finish(struct symtab *tab);

size_t symtab_n_symbols(const struct symtab *tab);

struct symtab_hit {
        uint32_t index;
        uint64_t start, end;
        uint64_t same_from, same_to; /* the result is the same for every address in this range */
        uint16_t group;
        bool end_is_guessed; /* the symbol had no size */
        bool is_plt_stub;
        uint32_t name_off;
        const char *name; /* NULL if added with SYMTAB_NO_NAMES */
        size_t name_max;  /* number of bytes in which the name ends */
        str_id *text;     /* where the caller may store the interned name; 0 at first */
};

/* The innermost symbol that contains `addr`; false if there is none, and then only same_from and same_to of
 * *ret_hit are set. */
bool symtab_find(const struct symtab *tab, uint64_t addr, struct symtab_hit *ret_hit);

/* Symbol number `index`, for listing. */
void symtab_get(const struct symtab *tab, size_t index, struct symtab_hit *ret_hit);

#endif
