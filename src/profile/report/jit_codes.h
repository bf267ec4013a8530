/* SPDX-License-Identifier: BSD-3-Clause */
/* The jitdumps of a session. They turn an address of generated code and a time into a place (world.h). */
#ifndef JIT_CODES_H
#define JIT_CODES_H

#include "attributes.h"
#include "code_section.h"
#include "jitdump.h"
#include "map.h"
#include "os.h"
#include "perfdata_reader.h"
#include "world.h"

struct jit_codes;

/* Both arguments must outlive the result. Code packed into the session takes precedence over files. */
struct jit_codes *jit_codes_new(const struct perfdata_reader *reader, struct budget *budget);
void jit_codes_free(struct jit_codes *codes);
AUTO_DEFINE(jit_codes)

/* Where to find a jitdump. */
struct jit_file {
        const char *path, *open_path; /* open_path: the file to read instead; NULL for path */
        struct os_origin origin;
};

/* What is known about a jitdump. */
struct jit_code {
        struct jitdump *dump; /* NULL if only the packed code is known */
        const struct code_history *history;
        struct code_history *packed; /* the history without a dump, from the session */
        /* the session has the jitdump's clock; if not, the latest code at an address is used */
        bool is_by_time;
        struct buf note;  /* what is wrong with the file, beginning with its name; empty if nothing */
        struct buf doubt; /* as resolver_doubt(); empty if none */
        struct budget budget;
        struct recorded_jitdump is; /* identifies the jitdump; without codes */
        struct map to_pack;         /* set of the offsets where code to pack begins */
};

/* Finds the entry of a module; NULL if it was not added. Add each module once. */
struct jit_code *jit_codes_find(const struct jit_codes *codes, const struct module *module);
struct jit_code *jit_codes_add(struct jit_codes *codes, const struct module *module,
                               const struct jit_file *file);

/* Implement struct world_code_source; `code` is a struct jit_code. Thread-safe. */
bool jit_code_find(const void *code, uint64_t addr, uint64_t time, uint64_t *ret_offset);
void jit_code_span(const void *code, uint64_t time, uint64_t *ret_from, uint64_t *ret_to);

/* The number to add to an offset in the jitdump to get the address at which the code was first loaded; 0 if
 * unknown. */
uint64_t jit_code_slide(const struct jit_code *code, uint64_t offset);

/* The offset of the code that was at address `target` when the code at `offset` was loaded. False if there
 * was none. */
bool jit_code_target(const struct jit_code *code, uint64_t offset, uint64_t target, uint64_t *ret_offset);

/* Marks the code at an offset to be packed. */
void jit_code_keep(struct jit_code *code, uint64_t offset);

/* Appends the section FEATURE_WPERF_CODE. Appends nothing if no code was marked. */
void jit_codes_pack(const struct jit_codes *codes, struct buf *section);

#endif
