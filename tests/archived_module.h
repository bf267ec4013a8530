/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs all results of a resolver for a part of a file of tests/data. */
#ifndef ARCHIVED_MODULE_H
#define ARCHIVED_MODULE_H

#include <stdlib.h>

#include "map.h"
#include "mem.h"
#include "resolver_code.h"
#include "resolver_facts.h"
#include "symbol_archive.h"

static const char *const no_debug_dirs[] = {NULL};

static inline struct resolver *raw_resolver(void)
{
        return resolver_new(&(struct resolver_options){.debug_dirs = no_debug_dirs});
}

static inline struct archive_identity identity_of(const char *path)
{
        static const uint8_t build_id[] = {1, 2, 3, 4};

        return (struct archive_identity){.kind = 3,
                                         .path = path,
                                         .pid = -7,
                                         .build_id = build_id,
                                         .build_id_size = sizeof(build_id),
                                         .dev = 1,
                                         .inode = UINT64_MAX,
                                         .start = 5,
                                         .end = UINT64_MAX};
}

/* A function that begins at `addr`, with labels and code. */
static inline uint32_t pack_function(struct symbol_archive_writer *w, struct resolver *resolver,
                                     resolver_id id, const struct resolver_extent *extents, size_t n)
{
        struct resolver_label *labels;
        size_t n_labels = resolver_find_labels(resolver, id, extents[0].start, &labels);
        uint32_t function = symbol_archive_add_function(w, extents, n, labels, n_labels);
        uint64_t size = extents[0].end - extents[0].start;
        const uint8_t *code;

        if (resolver_read_code(resolver, id, extents[0].start, size, &code))
                symbol_archive_add_code(w, extents[0].start, code, size);
        free(labels);
        return function;
}

/* All functions; every address is a member of one. */
static inline void pack_functions(struct symbol_archive_writer *w, struct resolver *resolver, resolver_id id,
                                  uint64_t from, uint64_t to)
{
        struct map functions = {0};

        for (uint64_t addr = from; addr < to; addr++) {
                struct resolver_extent *extents;
                size_t n = resolver_find_extents(resolver, id, addr, &extents);
                uint64_t *known =
                        n ? map_put(&functions, map_hash_bytes(extents, n * sizeof(*extents)), NULL) : NULL;

                if (known && !*known)
                        *known = (uint64_t)pack_function(w, resolver, id, extents, n) + 1;
                if (known)
                        symbol_archive_add_member(w, addr, (uint32_t)*known - 1);
                free(extents);
        }
        map_release(&functions);
}

static inline void pack_answers(struct symbol_archive_writer *w, struct resolver *resolver, resolver_id id,
                                uint64_t from, uint64_t to)
{
        uint64_t *addrs = mem_new((size_t)(to - from), sizeof(*addrs));
        struct resolver_frames frames;

        for (uint64_t addr = from; addr < to; addr++)
                addrs[addr - from] = addr;
        resolver_find_frames(resolver, id, addrs, (size_t)(to - from), &frames);
        for (uint64_t addr = from; addr < to; addr++) {
                struct symbol symbol = resolver_find_addr(resolver, id, addr);
                size_t n = frames.spans[addr - from].n;

                symbol_archive_add_symbol(w, 1, &symbol);
                symbol_archive_add_frames(
                        w, addr, 1, n ? frames.frames + frames.spans[addr - from].first : NULL, n, true);
        }
        resolver_frames_release(&frames);
        free(addrs);
}

/* Another module: addresses from..to of the file. */
static inline void pack_module(struct symbol_archive_writer *w, struct resolver *resolver, const char *path,
                               const struct archive_identity *identity, uint64_t from, uint64_t to)
{
        const struct resolver_module module = {.kind = RESOLVER_FILE, .path = path};
        resolver_id id = resolver_add_module(resolver, &module);
        const struct resolver_facts *known = resolver_get_facts(resolver, id);
        const struct archive_facts facts = {
                .has_image = known->has_image,
                .image = known->image,
                .machine = resolver_get_machine(resolver, id, 0),
                .has_readable_names = true,
                .built_ns = -5,
                .name_note = "names are poor",
        };
        bool is_next = false;

        symbol_archive_begin(w, identity, &facts);
        for (size_t i = 0; i < known->n_sections; i++)
                symbol_archive_add_section(w, &known->sections[i]);
        for (uint64_t offset = from; offset < to; offset++) {
                uint64_t addr;
                bool is_known = resolver_to_addr(resolver, id, offset, &addr);

                if (is_known)
                        symbol_archive_add_offset(w, offset, addr, is_next);
                is_next = is_known;
        }
        pack_functions(w, resolver, id, from, to);
        pack_answers(w, resolver, id, from, to);
        symbol_archive_set_line_note(w, "lines are poor");
}

/* The same as the recorder keeps it: names of every eighth address, and no functions. */
static inline void pack_kept(struct symbol_archive_writer *w, struct resolver *resolver, const char *path,
                             const struct archive_identity *identity, uint64_t from, uint64_t to)
{
        const struct resolver_module module = {.kind = RESOLVER_FILE, .path = path};
        resolver_id id = resolver_add_module(resolver, &module);
        const struct archive_facts facts = {.machine = resolver_get_machine(resolver, id, 0),
                                            .has_readable_names = true,
                                            .is_kept = true};

        symbol_archive_begin(w, identity, &facts);
        for (uint64_t offset = from; offset < to; offset += 8) {
                struct symbol symbol = resolver_find(resolver, id, offset);

                symbol_archive_add_offset(w, offset, symbol.addr, offset > from);
                symbol_archive_add_symbol(w, 1, &symbol);
        }
}

#endif
