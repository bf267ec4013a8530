/* SPDX-License-Identifier: BSD-3-Clause */
/* Function names that another recorder wrote into its session: simpleperf's features FILE and FILE2,
 * hiperf's section of symbols. For every mapped file they have the names of the sampled functions. */
#ifndef RECORDED_SYMBOLS_H
#define RECORDED_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"
#include "symtab.h"

struct recorded_symbols;

/* The bytes of the sections, kept by the caller; a failed cursor if the session does not have the section. */
struct recorded_sections {
        struct cursor simpleperf_file;
        struct cursor simpleperf_file2;
        struct cursor hiperf_symbols;
};

/* Never fails: readable parts are used, and `note` gets a sentence for each damaged section. */
struct recorded_symbols *recorded_symbols_new(const struct recorded_sections *sections, struct buf *note);
void recorded_symbols_free(struct recorded_symbols *symbols);
AUTO_DEFINE(recorded_symbols)

size_t recorded_symbols_n_files(const struct recorded_symbols *symbols);

enum recorded_kind {
        RECORDED_KERNEL,        /* addresses are absolute */
        RECORDED_KERNEL_MODULE, /* addresses are relative to the start of the loaded module */
        RECORDED_FILE,          /* addresses are the object's virtual addresses */
};

struct recorded_file {
        const char *path;
        enum recorded_kind kind;
        uint64_t vaddr; /* virtual address of the byte at `off` */
        uint64_t off;   /* offset in the file; for a kernel module, in its memory */
        bool has_off;   /* false: the first executable map of the file begins at `vaddr` */
        uint8_t build_id[20];
        uint8_t build_id_size; /* 0: not known */
        const struct recorded_symbols *of;
        size_t index;
};

/* The file with this path; NULL if there is none.  It lives as long as `symbols`. */
const struct recorded_file *recorded_symbols_find(const struct recorded_symbols *symbols, const char *path);
const struct recorded_file *recorded_symbols_get(const struct recorded_symbols *symbols, size_t index);

/* The function at `addr`, counted as in the file.  Always sets same_from and same_to of *ret_hit. */
bool recorded_file_find(const struct recorded_file *file, uint64_t addr, struct symtab_hit *ret_hit);

#endif
