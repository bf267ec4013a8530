/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a module besides its names: its file, its sections, and what its answers are worth. */
#ifndef RESOLVER_FACTS_H
#define RESOLVER_FACTS_H

#include "err.h"
#include "object.h"
#include "resolver.h"

/* Entry point and lowest load address are ELF virtual addresses. */
struct resolver_image {
        uint64_t entry;
        uint64_t load_addr;  /* vaddr of file offset 0 */
        uint64_t size_bytes; /* PE: size in memory; 0 from an archive */
        bool is_executable;  /* an executable (PIE or not) and not a library */
        uint8_t build_id[20];
        uint8_t build_id_size;
};

/* A section that is loaded at run time. */
struct resolver_section {
        const char *name;
        uint64_t addr; /* ELF virtual address */
        uint64_t size_bytes;
};

/* What names the source files of a module, which decides whether their text may be given to others. */
enum resolver_source_rule {
        RESOLVER_SOURCE_UNPROVEN, /* no file, or one that may be of another build */
        /* a file that is known to be the right one: by the build id that the session has, or the time stamp
         * and size of an image of Windows */
        RESOLVER_SOURCE_PROVEN,
        RESOLVER_SOURCE_PACKED, /* an archive, which has packed lines, too */
};

struct resolver_facts {
        struct object *object; /* the module's own file; NULL: there is none, or it can't be read */
        uint64_t file_bytes;   /* the size of this file; 0: there is none */
        bool has_file;         /* there is a file for lookups: the module's own, or a PDB */
        bool has_all_names;    /* a file with a full symbol table or a PDB, and not only exported names */
        bool is_kept;          /* answers that the recorder kept are used */
        bool has_packed_data;  /* an archive has data, too, that its code refers to: jump tables */
        bool has_image;
        struct resolver_image image; /* valid with has_image: of this file, or the packed one */
        struct resolver_section *sections;
        size_t n_sections;
        enum resolver_source_rule source_rule;
};

/* Belongs to the resolver and does not change. */
const struct resolver_facts *resolver_get_facts(struct resolver *resolver, resolver_id module);

/* False and an error if a file of the module became shorter while it was read. */
bool resolver_check(const struct resolver *resolver, resolver_id module, struct err *err);

/* Why names may be wrong, one sentence, or NULL: "12 functions of perf-7.map share addresses: names there
 * may be wrong".  To be called after the last lookup; valid as long as the resolver. */
const char *resolver_doubt(struct resolver *resolver, resolver_id module);

/* The MD5 checksum of a source file that its debug information names (16 bytes), by a path of a frame that
 * was looked up; NULL if there is none. */
const uint8_t *resolver_source_md5(struct resolver *resolver, resolver_id module, const char *path);

#endif
