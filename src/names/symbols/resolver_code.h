/* SPDX-License-Identifier: BSD-3-Clause */
/* What a module contains besides the names of its functions: their extents, labels and code, and variables.
 */
#ifndef RESOLVER_CODE_H
#define RESOLVER_CODE_H

#include "cursor.h"
#include "object.h"
#include "resolver.h"

/* A label of a function; in an interpreter with computed goto it is the name of a handler. */
struct resolver_label {
        str_id name, path; /* path: of the source file that declares the label; 0: not known */
        uint32_t line;     /* 0: not known */
        uint64_t addr;     /* valid with has_addr; an optimised build may not have it */
        bool has_addr;
};

/* The labels of the function at `addr`, sorted by address; those without an address come last, sorted by
 * line.  The caller frees *ret_labels. Returns their number. */
size_t resolver_find_labels(struct resolver *resolver, resolver_id module, uint64_t addr,
                            struct resolver_label **ret_labels);

/* [start, end) */
struct resolver_extent {
        uint64_t start, end;
};

/* All address ranges of the function at `addr`, sorted; with debug information also its .cold part.  The
 * caller frees *ret_extents.  Returns their number, 0 if not known. */
size_t resolver_find_extents(struct resolver *resolver, resolver_id module, uint64_t addr,
                             struct resolver_extent **ret_extents);

/* The code of a module as it was mapped, `size` bytes from `addr` in the object.  False if it is not
 * available.  Kept by the resolver. */
bool resolver_read_code(struct resolver *resolver, resolver_id module, uint64_t addr, uint64_t size,
                        const uint8_t **ret_code);

/* The instruction set of the code at an address in the object. */
enum object_machine resolver_get_machine(struct resolver *resolver, resolver_id module, uint64_t addr);

/* A disassembled instruction. */
struct resolver_insn {
        const char *text; /* kept by the resolver */
        size_t size_bytes;
};

/* The instructions of `size` bytes of code at `addr`, from resolver_read_code, if all of them are in the
 * symbol cache.  `dialect` identifies the version and syntax of the disassembler and must be the same in
 * all calls for a module.  The caller frees *ret_insns.  Returns their number, 0 if they are not cached. */
size_t resolver_recall_insns(struct resolver *resolver, resolver_id module, uint64_t dialect, uint64_t addr,
                             const uint8_t *code, size_t size, struct resolver_insn **ret_insns);
void resolver_keep_insns(struct resolver *resolver, resolver_id module, uint64_t dialect, uint64_t addr,
                         const uint8_t *code, const struct resolver_insn *insns, size_t n);

/* --- Code made at run time --- */

/* Unwinding information from a jitdump: its .eh_frame, kept by the resolver. */
struct resolver_jit_frames {
        uint64_t start, end; /* address range of the code when it ran */
        struct cursor frames;
        uint64_t frames_addr;
        struct budget *budget; /* of the jitdump */
};

/* For the code at an offset of a module, which ran at `addr`.  False: there is no jitdump, or no
 * information for this code. */
bool resolver_find_jit_frames(struct resolver *resolver, resolver_id module, uint64_t offset, uint64_t addr,
                              struct resolver_jit_frames *ret);

/* --- Data --- */

/* A variable: what a symbol for data names. */
struct resolver_variable {
        str_id name;
        uint64_t start; /* address in the object */
        uint64_t size_bytes;
        uint64_t addr;        /* the looked-up address in the object */
        bool size_is_guessed; /* the symbol has no size; it ends where the next one begins */
};

/* The variable at an address in the object.  False as below. */
bool resolver_find_variable_at(struct resolver *resolver, resolver_id module, uint64_t addr,
                               struct resolver_variable *ret);

/* The variable at an offset of a module.  Data that the file does not contain (.bss) has the offsets behind
 * those of its segment.  False if it is not known: archives have no variables. */
bool resolver_find_variable(struct resolver *resolver, resolver_id module, uint64_t offset,
                            struct resolver_variable *ret);

#endif
