/* SPDX-License-Identifier: BSD-3-Clause */
/* Dicts, in the order in which their keys were added. */
#ifndef PYTHON_DICT_H
#define PYTHON_DICT_H

#include "python_objects.h"

enum {
        PYTHON_DICT_COPY = 4096,  /* bytes of one read */
        PYTHON_MAX_DICT_LOG = 24, /* log2 of the size of a hash table; bigger dicts are not read */
};

struct python_dict {
        struct python_objects *objects;
        uint64_t entries; /* address of the first */
        uint64_t values;  /* address of the first; 0: they are in the entries */
        uint32_t n, at;   /* entries, and the next one */
        uint32_t entry_bytes;
        uint32_t key_off;              /* the value follows */
        uint32_t copy_first, n_copied; /* entries in the copy */
        uint8_t copy[PYTHON_DICT_COPY];
};

/* False if there is no dict at the address, or a damaged one. */
bool python_dict_begin(struct python_dict *dict, struct python_objects *objects, uint64_t addr);

/* Begins with the keys of a class, and the values of one of its objects. */
bool python_dict_begin_split(struct python_dict *dict, struct python_objects *objects, uint64_t keys,
                             uint64_t values);

/* Begins with the names of a module that an interpreter has imported (sys.modules). */
bool python_dict_begin_module(struct python_dict *dict, struct python_objects *objects, uint64_t interp,
                              const char *module);

/* False at the end. Entries without a value are left out. */
bool python_dict_next(struct python_dict *dict, uint64_t *ret_key, uint64_t *ret_value);

/* The value of a key that is a str; 0 if there is none. */
uint64_t python_dict_find(struct python_dict *dict, const char *key);

/* The same, with the number of the entry. */
uint64_t python_dict_find_slot(struct python_dict *dict, const char *key, struct python_slot *slot);

#endif
