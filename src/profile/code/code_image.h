/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of a module, their code and their samples, and what the addresses in code refer to.  No
 * input or output: the caller opens the module in a resolver. */
#ifndef CODE_IMAGE_H
#define CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "disasm.h"
#include "resolver.h"
#include "resolver_code.h"

/* Limits, because files are foreign.  What exceeds one is left out and counted. */
enum {
        CODE_MAX_FUNCTIONS = 1 << 20,
        CODE_MAX_FUNCTION_BYTES = 1 << 20,
        /* Code of all functions together: twice the size of the file and CODE_FREE_BYTES, or without a file
         * CODE_MAX_BYTES.  Functions of a hostile file overlap. */
        CODE_FREE_BYTES = 2 << 20,
        CODE_MAX_BYTES = 64 << 20,
        CODE_MAX_PARTS = 64, /* of a function */
        CODE_MAX_TABLE_ENTRIES = 4096,
        CODE_MAX_TEXT_BYTES = 4096, /* of a string constant that is compared */
};

#define CODE_NO_FUNCTION UINT32_MAX

struct code_function {
        const char *name; /* as in the file; "": not known */
        struct resolver_extent *extents;
        size_t n_extents; /* the first one contains the entry; others are parts such as NAME.cold */
        uint64_t size_bytes;
        uint64_t count, weight; /* samples */
        /* what calls of it are compared by: equal in both modules if the functions were matched */
        uint64_t key;
        uint32_t match; /* index of the matched function in the other module, or CODE_NO_FUNCTION */
        bool has_frame; /* of other code, at its start: a part of another function */
        bool is_part;   /* belongs to another function, which has its extent */
};

/* Which names and contents the comparison uses: only what both modules have. */
struct code_naming {
        bool functions, variables, contents, tables;
};

struct code_image;

/* `id` is a module of the resolver, which must outlive the image.  Names should be as in the file.  If the
 * module has a file, all of its functions are listed; otherwise (archived sessions, JIT code) only those
 * that contain an address of code_image_add_sample. */
struct code_image *code_image_new(struct resolver *resolver, resolver_id id);
void code_image_free(struct code_image *image);
AUTO_DEFINE(code_image)

/* Samples at an address in the object; all before code_image_finish(). */
void code_image_add_sample(struct code_image *image, uint64_t addr, uint64_t count, uint64_t weight);

/* To be called after the last sample: sorts the functions by address. */
void code_image_finish(struct code_image *image);

size_t code_image_n_functions(const struct code_image *image);
struct code_function *code_image_get(const struct code_image *image, size_t index);

/* Whether the functions are those of the module's file, and not only those with samples. */
bool code_image_lists_all(const struct code_image *image);

/* The function that contains the address, or CODE_NO_FUNCTION. */
uint32_t code_image_find(const struct code_image *image, uint64_t addr);

/* Sums of the samples in [start, end); `ret_count` may be NULL.  Returns the weight. */
uint64_t code_image_weight(const struct code_image *image, uint64_t start, uint64_t end, uint64_t *ret_count);

/* Whether the machine is known, because the file or an archive of it is there. */
bool code_image_has_machine(const struct code_image *image);

/* False: wperf does not know the machine's code. */
bool code_image_get_arch(const struct code_image *image, enum disasm_arch *ret);

/* What the module has: to choose the naming of a comparison, which must be set before a body is made. */
struct code_naming code_image_can_name(const struct code_image *image);
void code_image_set_naming(struct code_image *image, struct code_naming naming);

/* The bytes of a jump table, with addresses in place of relocations. */
struct code_table_bytes {
        uint64_t addr;
        uint8_t *bytes;
        size_t size;
};

/* The jump tables of the function that has these extents.  Returns their number; the caller frees the bytes
 * of each, and the array. */
size_t code_image_tables(struct code_image *image, struct resolver_extent *extents, size_t n,
                         struct code_table_bytes **ret_tables);

/* Number of functions that were left out because of a limit. */
size_t code_image_n_left_out(const struct code_image *image);

#endif
