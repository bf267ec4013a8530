/* SPDX-License-Identifier: BSD-3-Clause */
/* The jitdumps of a session: what turns an address of code that a process made, and a time, into a place. */
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

/* Keeps what it is given.  What was packed into the session comes before files. */
struct jit_codes *jit_codes_new(const struct perfdata_reader *reader, struct budget *budget);
void jit_codes_free(struct jit_codes *codes);
AUTO_DEFINE(jit_codes)

/* Where a jitdump is looked for. */
struct jit_file {
        const char *path, *open_path; /* open_path NULL: at its path */
        struct os_origin origin;
};

/* What is known of one jitdump. */
struct jit_code {
        struct jitdump *dump; /* NULL: what was packed is all that is known */
        const struct code_history *history;
        struct code_history *packed; /* the same, without a dump */
        bool is_by_time;  /* the session has the same clock; else the latest code of an address is meant */
        struct buf note;  /* what is wrong with the file, with its name; empty: nothing */
        struct buf doubt; /* as resolver_doubt; empty: none */
        struct budget budget;
        struct recorded_jitdump is; /* which one it is; without codes */
        struct map to_pack;         /* offsets where code begins */
};

/* The one of a module; NULL: it was not added.  To be added once. */
struct jit_code *jit_codes_find(const struct jit_codes *codes, const struct module *module);
struct jit_code *jit_codes_add(struct jit_codes *codes, const struct module *module,
                               const struct jit_file *file);

/* The questions of struct world_code_source; `code` is a struct jit_code.  Safe to be asked by several threads. */
bool jit_code_find(const void *code, uint64_t addr, uint64_t time, uint64_t *ret_offset);
void jit_code_span(const void *code, uint64_t time, uint64_t *ret_from, uint64_t *ret_to);

/* What is added to an offset of the file to give the address where that code first ran. */
uint64_t jit_code_slide(const struct jit_code *code, uint64_t offset);

/* The offset of what stood at `target` when the code at `offset` was made; false: nothing did. */
bool jit_code_target(const struct jit_code *code, uint64_t offset, uint64_t target, uint64_t *ret_offset);

/* Lets the code at an offset be packed. */
void jit_code_keep(struct jit_code *code, uint64_t offset);

/* Appends FEATURE_WPERF_CODE; nothing where nothing was kept. */
void jit_codes_pack(const struct jit_codes *codes, struct buf *section);

#endif
