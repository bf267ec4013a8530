/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the functions of a file on this machine would have names, and which CPython it contains, for
 * doctor. */
#ifndef SYMBOL_CHECK_H
#define SYMBOL_CHECK_H

#include <stdbool.h>

#include "buf.h"

enum symbol_check_names {
        SYMBOL_CHECK_NO_FILE,  /* there is none, or it is not an object file */
        SYMBOL_CHECK_EXPORTED, /* only functions that other files may call */
        SYMBOL_CHECK_ALL,
};

struct symbol_check {
        struct buf path; /* of the file, without links */
        enum symbol_check_names names;
        bool has_debug_file;   /* the names are in a file of their own */
        struct buf package;    /* apt's package with all names, if they are not here; empty: not known */
        unsigned python_minor; /* 12 for Python 3.12; 0: it is no CPython */
        struct buf no_python;  /* why its Python can't be read; empty if it can, or is none */
};
void symbol_check_release(struct symbol_check *check);

/* The libc of this machine. */
void symbol_check_libc(struct symbol_check *ret);

/* The program `name` of the folders of `path_list`, as $PATH has them, which may be NULL; if that is a
 * CPython whose code is in libpython, the check is of this library. */
void symbol_check_python(const char *name, const char *path_list, struct symbol_check *ret);

/* The versions of CPython that can be read: 3.MIN to 3.MAX. */
void symbol_check_python_range(unsigned *ret_min, unsigned *ret_max);

#endif
