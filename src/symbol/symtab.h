/* SPDX-License-Identifier: BSD-3-Clause */
/* A sorted table of functions: which symbol an address belongs to.  Decides among symbols at one address and
 * how far a symbol without a size reaches, by perf's rules.  Names stay where they are. */
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

/* Makes names known that symbols point into: `size` bytes, the last one NUL, kept by the caller for the
 * table's life.  Returns their number; at most SYMTAB_MAX_NAME_TABLES. */
uint8_t symtab_add_names(struct symtab *tab, const char *names, size_t size);

struct symtab_symbol {
        uint64_t addr;
        uint64_t size_bytes; /* 0: up to the next symbol */
        uint64_t limit;      /* where a symbol without a size ends at the latest; 0: not known */
        uint32_t name_off;
        uint16_t group;   /* a symbol without a size does not reach into another group */
        uint8_t names;    /* of symtab_add_names, or SYMTAB_NO_NAMES: name_off is the caller's own number */
        uint8_t binding;  /* enum object_binding */
        bool is_label;    /* dropped where a function with a size covers it */
        bool is_plt_stub; /* the name is the target's; the symbol is called NAME@plt */
};

void symtab_add(struct symtab *tab, const struct symtab_symbol *symbol);

/* Adds what names code in a symbol table of an object, which must live as long.  False when it has none. */
bool symtab_add_object(struct symtab *tab, struct object *object, enum object_table table);

/* After the last symbol and before the first search. */
void symtab_finish(struct symtab *tab);

size_t symtab_n_symbols(const struct symtab *tab);

struct symtab_hit {
        uint32_t index;
        uint64_t start, end;
        uint64_t same_from, same_to; /* every address in here gives this hit */
        uint16_t group;
        bool end_is_guessed; /* the symbol had no size */
        bool is_plt_stub;
        uint32_t name_off;
        const char *name; /* NULL when added with SYMTAB_NO_NAMES */
        size_t name_max;  /* the bytes in which the name ends */
        str_id *text;     /* for the reader, who may keep the interned name here; 0 at first */
};

/* The innermost symbol that holds `addr`; false when there is none, and of *ret_hit only same_from and same_to
 * are set then. */
bool symtab_find(const struct symtab *tab, uint64_t addr, struct symtab_hit *ret_hit);

/* The symbol `index`, for listing. */
void symtab_get(const struct symtab *tab, size_t index, struct symtab_hit *ret_hit);

#endif
