/* SPDX-License-Identifier: BSD-3-Clause */
/* A jitdump file: what a just-in-time compiler says of the code it made, with the code itself, its lines and the times
 * (tools/perf/Documentation/jitdump-specification.txt in Linux).  In either byte order. */
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
                1 << 20, /* functions, those that were moved counted again; later ones are left out */
        JITDUMP_MAX_NAME = 1 << 16, /* bytes of a function's name; the rest is cut off */
};

struct jitdump;
struct os_origin; /* os.h */

/* Reads the file if it is of that origin; what is derived of it is taken from `budget`, which may be NULL.  Never fails: what is whole is taken.
 * What is missing is said in `note`, which stays as it was when all is well. */
struct jitdump *jitdump_new(const char *path, const struct os_origin *origin, struct budget *budget,
                            struct buf *note);

/* The same for bytes in memory, kept by the caller. */
struct jitdump *jitdump_new_bytes(const void *bytes, size_t size, struct budget *budget, struct buf *note);

void jitdump_free(struct jitdump *dump);
AUTO_DEFINE(jitdump)

struct jitdump_facts {
        uint32_t machine; /* ELF's e_machine */
        uint32_t pid;     /* as the process itself sees it */
        uint64_t time;    /* of the file's beginning */
        bool arch_time;   /* times are of the processor's counter (TSC), not of CLOCK_MONOTONIC */
        bool has_replaced; /* memory was used again: an address alone does not tell the function for all times */
};

/* All 0 when the file is no jitdump file. */
const struct jitdump_facts *jitdump_get_facts(const struct jitdump *dump);

/* Code at an address from a time on: a JIT_CODE_LOAD, or a JIT_CODE_MOVE of one. */
struct jitdump_load {
        uint64_t time;
        uint64_t addr, size_bytes;
        uint64_t code_index; /* the compiler's own number of it */
        const char *name;    /* name_len bytes, without a NUL where it was cut off */
        size_t name_len;
        uint64_t code_off; /* of its bytes in the file, size_bytes of them */
        uint64_t lines_off, lines_size, n_lines;
        uint64_t moved_by; /* from where its line table has it */
        /* Its .eh_frame, as if it lay behind the code; 0 bytes: the file says nothing. */
        uint64_t frames_off, frames_size;
};

/* In the file's order; NULL behind the last one. */
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
        const char *file; /* of the entry before */
};

void jitdump_lines_begin(const struct jitdump *dump, const struct jitdump_load *load,
                         struct jitdump_lines *ret);
bool jitdump_lines_next(struct jitdump_lines *lines, struct jitdump_line *ret);

struct jitdump_hit {
        uint32_t index; /* of the load */
        const struct jitdump_load *load;
        uint64_t same_from, same_to; /* every address in here gives this hit */
        str_id *text;                /* for the reader, who may keep the interned name here; 0 at first */
};

/* The function that stood at `addr` at `time` by the dump's clock, or CODE_HISTORY_LATEST.  False: of *ret_hit only
 * same_from and same_to are set. */
bool jitdump_find(const struct jitdump *dump, uint64_t addr, uint64_t time, struct jitdump_hit *ret_hit);

/* The function whose bytes are at an offset of the file; same_from and same_to are offsets.  Of a function that was moved, its
 * load. */
bool jitdump_find_off(const struct jitdump *dump, uint64_t off, struct jitdump_hit *ret_hit);

/* All loads in the order of the file, by its clock; kept by the dump.  Safe to be asked by several threads. */
const struct code_history *jitdump_history(const struct jitdump *dump);

/* The .eh_frame of a load, and the address that it counts from; false: it has none. */
bool jitdump_get_frames(const struct jitdump *dump, const struct jitdump_load *load,
                        struct cursor *ret_frames, uint64_t *ret_addr);

/* `size` bytes of code at an offset of the file; false: not all of them are of one function.  Kept by the dump. */
bool jitdump_read_code(const struct jitdump *dump, uint64_t off, uint64_t size, const uint8_t **ret_code);

#endif
