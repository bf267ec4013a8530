/* SPDX-License-Identifier: BSD-3-Clause */
/* The answers of an archive in memory, the same for who writes and who reads them. */
#ifndef SYMBOL_ARCHIVE_INTERNAL_H
#define SYMBOL_ARCHIVE_INTERNAL_H

#include "archive_section.h"
#include "arena.h"
#include "symbol_archive.h"

/* So that a small file can't make large answers; what is deeper loses its outermost frames. */
enum { ARCHIVE_MAX_STACK = 256 };

/* Offsets first to last stand at `distance` more. */
struct archived_span {
        uint64_t first, last, distance;
};

/* Addresses first to last have the same answer. */
struct archived_run {
        uint64_t first, last;
        uint32_t answer;
};

/* Texts are numbers of the archive's; 0 is none. */
struct archived_symbol {
        uint32_t status, name, module;
        uint64_t start, size;
};

struct archived_frame {
        uint32_t function, path, line, column;
        bool is_inlined;
        uint64_t start;
};

/* Frames of an address: stack_frames[first] and the following. */
struct archived_stack {
        uint32_t first, n;
        bool is_listed; /* writing: as in symbol_archive_add_frames */
};

struct archived_label {
        uint32_t name, path, line;
        bool has_addr;
        uint64_t addr;
};

struct archived_function {
        uint32_t first_extent, n_extents, first_label, n_labels;
};

struct archived_code {
        uint64_t addr, size;
        const uint8_t *bytes;
};

struct archived_loaded {
        uint32_t name;
        uint64_t addr, size_bytes;
};

#define ARCHIVED_ARRAY(type, name)                                                                           \
        struct type *name;                                                                                   \
        size_t n_##name, cap_##name

struct archived_module {
        const struct symbol_archive *archive; /* NULL while it is written */
        struct archive_identity identity;
        struct archive_facts facts;
        ARCHIVED_ARRAY(archived_loaded, sections);
        ARCHIVED_ARRAY(archived_span, spans);
        ARCHIVED_ARRAY(archived_symbol, symbols);
        ARCHIVED_ARRAY(archived_run, symbol_runs);
        ARCHIVED_ARRAY(archived_frame, frames);
        uint32_t *stack_frames;
        size_t n_stack_frames, cap_stack_frames;
        ARCHIVED_ARRAY(archived_stack, stacks);
        ARCHIVED_ARRAY(archived_run, frame_runs);
        ARCHIVED_ARRAY(resolver_extent, extents);
        ARCHIVED_ARRAY(archived_label, labels);
        ARCHIVED_ARRAY(archived_function, functions);
        ARCHIVED_ARRAY(archived_run, members);
        ARCHIVED_ARRAY(archived_code, codes);
};

#undef ARCHIVED_ARRAY

extern const struct archive_section_kind symbol_archive_kind;

void archived_module_release(struct archived_module *module);

/* The run of an address, or NULL. */
const struct archived_run *archived_run_find(const struct archived_run *runs, size_t n, uint64_t addr);

/* NULL for 0. */
const char *symbol_archive_text(const struct symbol_archive *archive, uint32_t text);

#endif
