/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of code: the module behind an image (code_image.c), and references to it
 * (code_referent.c). */
#ifndef CODE_IMAGE_INTERNAL_H
#define CODE_IMAGE_INTERNAL_H

#include "code_image.h"
#include "disasm_shape.h"
#include "object.h"

/* A range of code and its function. */
struct code_piece {
        uint64_t start, end;
        uint32_t function;
};

struct code_sample {
        uint64_t addr, count, weight;
};

struct code_image_section {
        const char *name;
        uint64_t start, end;
        bool is_code; /* false if it is not known */
};

struct code_variable {
        /* of a relocatable object, whose sections have no addresses that tell them apart; otherwise NULL */
        const struct object_section *section;
        uint64_t addr, size_bytes;
        const char *name;
};

struct code_image {
        struct resolver *resolver;
        resolver_id id;
        struct object *object; /* NULL: the module has no file; belongs to the resolver */
        enum object_machine machine;
        bool is_relocatable;
        bool is_fixed; /* not position-independent: numbers in instructions may be addresses */
        /* PE: numbers may be distances from here, in functions that load this address; otherwise 0 */
        uint64_t image_base;
        struct code_image_section *sections; /* loaded ones, sorted by address */
        size_t n_sections, cap_sections;
        struct code_naming naming;
        struct code_function *functions;
        size_t n_functions, cap_functions;
        struct code_piece *pieces; /* sorted */
        size_t n_pieces, cap_pieces;
        struct code_sample *samples; /* sorted by address */
        size_t n_samples, cap_samples;
        struct object_relocation *relocations; /* sorted by address */
        size_t n_relocations;
        struct object_stub *stubs; /* of the procedure linkage table, sorted by address */
        size_t n_stubs;
        struct code_variable *variables; /* of a relocatable object; sorted by section and address */
        size_t n_variables, cap_variables;
        size_t n_left_out;
        uint64_t code_bytes; /* of all functions */
};

/* The first relocation in [addr, addr + size), or NULL. */
const struct object_relocation *code_image_relocation(const struct code_image *image, uint64_t addr,
                                                      uint64_t size);

/* Reads bytes of code or data; false if they are not available. */
bool code_image_read(const struct code_image *image, uint64_t addr, uint64_t size, const uint8_t **ret);

/* The loaded section that contains the address, or NULL. */
const struct code_image_section *code_image_section(const struct code_image *image, uint64_t addr);

/* --- Parts, for code_image_finish() --- */

/* Gives NAME.cold to NAME, if there is only one function with this name. */
void code_parts_join_named(struct code_image *image);

/* Gives parts without a name, and others named NAME.cold, to functions with which they share jumps. */
void code_parts_join_by_jumps(struct code_image *image);

/* --- What an address refers to --- */

enum code_referent_kind {
        CODE_REFERS_NUMBER,   /* not an address */
        CODE_REFERS_BLOCK,    /* an instruction of the same function */
        CODE_REFERS_FUNCTION, /* a function, or a stub of one */
        CODE_REFERS_SLOT,     /* the slot of the global offset table with a symbol's address */
        CODE_REFERS_VARIABLE, /* a named one */
        CODE_REFERS_CONTENT,  /* a constant or text without a name, which is compared */
        CODE_REFERS_SECTION,  /* data about which only its section is known */
        CODE_REFERS_TABLE,    /* a jump table of the same function */
        CODE_REFERS_PAGE,     /* AArch64: a page; the low bits follow in another instruction */
};

struct code_referent {
        uint8_t kind;  /* enum code_referent_kind */
        uint64_t key;  /* equal for equal things in both modules; 0 for BLOCK and PAGE */
        uint64_t addr; /* in the object; 0: not in it */
        /* BLOCK: the block; TABLE: the table; FUNCTION: the function, or CODE_NO_FUNCTION */
        uint32_t index;
        /* of a relocation, or NULL */
        const struct object_relocation *relocation;
};

/* What hashes of instructions have of it: equal for equal things in both modules.  Where jumps and tables
 * lead is compared later. */
static inline uint64_t code_referent_key(const struct code_referent *referent)
{
        return referent->kind == CODE_REFERS_BLOCK ? CODE_REFERS_BLOCK : referent->key;
}

/* What the address `addr` refers to.  `ref` is the field of the instruction that has it. */
void code_referent_of_addr(const struct code_image *image, uint64_t addr, const struct disasm_ref *ref,
                           struct code_referent *ret);

/* The same for a field of an instruction that has a relocation.  `after` is the distance from the field to
 * the end of the instruction. */
void code_referent_of_relocation(const struct code_image *image, const struct object_relocation *relocation,
                                 unsigned after, const struct disasm_ref *ref, struct code_referent *ret);

/* Whether it is code of a stripped module that belongs to no known function. */
bool code_referent_is_unlisted(const struct code_referent *referent);

/* Whether a number in an instruction of a program at a fixed address may be an address. */
bool code_referent_is_addr(const struct code_image *image, uint64_t number);

/* The variable that contains the address, if both modules name variables. */
bool code_referent_find_object(const struct code_image *image, uint64_t addr, struct code_variable *ret);

/* The key of data about which only its section is known.  NULL: not even that. */
uint64_t code_referent_section_key(const struct code_image_section *section);

/* The key of a variable and an offset in it, or beside it. */
uint64_t code_referent_variable_key(const char *name, uint64_t offset);

/* The length of the text of ASCII at an address in constant data, if both modules have their contents; 0:
 * there is none. */
size_t code_referent_text(const struct code_image *image, uint64_t addr, const uint8_t **ret);

/* Appends the name of what it refers to, such as "memcpy" or "table+0x8"; nothing if it has none. */
void code_referent_add_name(const struct code_image *image, const struct code_referent *referent,
                            struct buf *out);

/* Hashes for keys; the same in both modules, and on every run and machine, because they name functions in
 * output and in baselines.  An attacker who chooses code can also choose its hash. */
uint64_t code_hash_bytes(const void *bytes, size_t size);
uint64_t code_hash_join(uint64_t a, uint64_t b);

/* Hash of the name of a function, without the suffixes of clones. */
uint64_t code_hash_name(const char *name);

#endif
