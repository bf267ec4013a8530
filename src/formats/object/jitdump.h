/* SPDX-License-Identifier: BSD-3-Clause */
/* A jitdump file: a JIT compiler writes the functions that it generated, with their code, lines and times
 * (tools/perf/Documentation/jitdump-specification.txt in Linux).  Both byte orders. */
#ifndef JITDUMP_H
#define JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "code_history.h"
#include "cursor.h"
#include "strpool.h"

enum {
        JITDUMP_MAX_LOADS =
                1 << 20, /* functions, counting each move as another one; later ones are left out */
        JITDUMP_MAX_NAME = 1 << 16, /* bytes of a function's name; longer names are cut */
};

struct jitdump;
struct os_origin; /* os.h */

/* Reads the file if it has this origin; memory is taken from `budget`, which may be NULL.  Never fails:
 * whole records are used. `note` describes what is missing, and does not change if nothing is. */
struct jitdump *jitdump_new(const char *path, const struct os_origin *origin, struct budget *budget,
                            struct buf *note);

/* The same for bytes in memory, which the caller keeps. */
struct jitdump *jitdump_new_bytes(const void *bytes, size_t size, struct budget *budget, struct buf *note);

void jitdump_free(struct jitdump *dump);
AUTO_DEFINE(jitdump)

struct jitdump_facts {
        uint64_t file_bytes;
        uint32_t machine;  /* ELF's e_machine */
        uint32_t pid;      /* number in the process's own namespace */
        uint64_t time;     /* time when the file was begun */
        bool arch_time;    /* times are from the processor's counter (TSC), not from CLOCK_MONOTONIC */
        bool has_replaced; /* memory was used again: the function at an address depends on the time */
};

/* All 0 if the file is not a jitdump file. */
const struct jitdump_facts *jitdump_get_facts(const struct jitdump *dump);

/* Code at an address from a time on: a JIT_CODE_LOAD, or a JIT_CODE_MOVE of a load. */
struct jitdump_load {
        uint64_t time;
        uint64_t addr, size_bytes;
        uint64_t code_index; /* the number that the compiler gave it */
        const char *name;    /* name_len bytes; without a NUL if it was cut */
        size_t name_len;
        uint64_t code_off; /* offset of its size_bytes bytes in the file */
        uint64_t lines_off, lines_size, n_lines;
        uint64_t moved_by; /* distance from the address in its line table */
        /* Its .eh_frame, as if it were after the code; 0 bytes: the file has none. */
        uint64_t frames_off, frames_size;
};

/* In the file's order; NULL after the last one. */
const struct jitdump_load *jitdump_get_load(const struct jitdump *dump, size_t index);

/* The line table of a load, in the file's order. */
struct jitdump_line {
        uint64_t addr; /* V8 and LLVM add 64 to it, the size of the ELF header that perf inject makes */
        uint32_t line, discriminator;
        const char *file;
};

struct jitdump_lines {
        struct cursor at;
        uint64_t n_left, moved_by;
        const char *file; /* or the file of the entry before */
};

void jitdump_lines_begin(const struct jitdump *dump, const struct jitdump_load *load,
                         struct jitdump_lines *ret);
bool jitdump_lines_next(struct jitdump_lines *lines, struct jitdump_line *ret);

struct jitdump_hit {
        uint32_t index; /* index of the load */
        const struct jitdump_load *load;
        uint64_t same_from, same_to; /* the result is the same for every address in this range */
        str_id *text;                /* where the caller may store the interned name; 0 at first */
};

/* The function at `addr` at `time` by the dump's clock, or CODE_HISTORY_LATEST.  False: only same_from and
 * same_to of *ret_hit are set. */
bool jitdump_find(const struct jitdump *dump, uint64_t addr, uint64_t time, struct jitdump_hit *ret_hit);

/* The function whose bytes are at an offset of the file; same_from and same_to are offsets.  For a function
 * that was moved, its load. */
bool jitdump_find_off(const struct jitdump *dump, uint64_t off, struct jitdump_hit *ret_hit);

/* The budget that jitdump_new() was given. */
struct budget *jitdump_budget(const struct jitdump *dump);

/* All loads in the order of the file, by its clock; kept by the dump.  May be used by several threads. */
const struct code_history *jitdump_history(const struct jitdump *dump);

/* The .eh_frame of a load, and its start address; false: it has none. */
bool jitdump_get_frames(const struct jitdump *dump, const struct jitdump_load *load,
                        struct cursor *ret_frames, uint64_t *ret_addr);

/* `size` bytes of code at an offset of the file; false if they are not all in one function.  Kept by the
 * dump. */
bool jitdump_read_code(const struct jitdump *dump, uint64_t off, uint64_t size, const uint8_t **ret_code);

#endif
