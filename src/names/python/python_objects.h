/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of a Python program: numbers, texts, attributes. Nothing that is read is trusted: types are checked
 * by their flags, and one struct makes a limited number of reads. */
#ifndef PYTHON_OBJECTS_H
#define PYTHON_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python_layout.h"
#include "python_memory.h"

enum {
        PYTHON_MAX_OBJECT_READS = 1 << 20, /* by all that is read of a process */
        PYTHON_TYPE_NAME_BYTES = 64,       /* longer names are cut */
};

/* Bits of tp_flags, Include/object.h. */
enum {
        PYTHON_TYPE_INLINE_VALUES = 1 << 2, /* 3.13 and later */
        PYTHON_TYPE_MANAGED_DICT = 1 << 4,  /* 3.11 and later */
        PYTHON_TYPE_INT = 1 << 24,
        PYTHON_TYPE_TEXT = 1 << 28,
        PYTHON_TYPE_DICT = 1 << 29,
};

struct python_objects {
        const struct python_layout *layout;
        struct python_memory *memory;
        uint32_t n_left;              /* reads that may still be made */
        uint64_t text_type, int_type; /* addresses of types that were checked; 0: none so far */
};

/* Both must outlive the struct. */
void python_objects_init(struct python_objects *objects, const struct python_layout *layout,
                         struct python_memory *memory);

bool python_objects_read(struct python_objects *objects, uint64_t addr, void *ret_bytes, size_t size);

/* A pointer; 0 if it can't be read. */
uint64_t python_objects_word(struct python_objects *objects, uint64_t addr);

/* The size of an object's header without ob_size. */
static inline uint32_t python_objects_header(const struct python_layout *layout)
{
        return layout->object_type + 8;
}

/* The address of the object's type, and the type's flags; 0 if they can't be read. */
uint64_t python_objects_type(struct python_objects *objects, uint64_t addr, uint64_t *ret_flags);

/* The name of a type, as "coroutine" or "_asyncio.Task", in PYTHON_TYPE_NAME_BYTES. */
bool python_objects_type_name(struct python_objects *objects, uint64_t type, char *ret_name);

/* A str as UTF-8, to be freed; NULL if there is none at the address. */
char *python_objects_text(struct python_objects *objects, uint64_t addr);

/* Whether a str has these ASCII characters. */
bool python_objects_is_text(struct python_objects *objects, uint64_t addr, const char *text);

/* An int that is not negative and has at most 64 bits; false if there is none at the address. */
bool python_objects_int(struct python_objects *objects, uint64_t addr, uint64_t *ret_value);

/* Where an attribute was found in the keys that objects of a class share; zeroed at first. It saves reads
 * when the same attribute of another object is read. */
struct python_slot {
        uint64_t keys;
        uint32_t index;
};

/* The value of an attribute of an object of a class that Python code defines; 0 if it has none. */
uint64_t python_objects_attribute(struct python_objects *objects, uint64_t addr, const char *name,
                                  struct python_slot *slot);

#endif
