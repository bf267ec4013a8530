/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the name and range of the function at (module, address).  Uses files, debug files, PDBs, kallsyms,
 * perf maps and jitdumps.  Does not depend on sessions: the caller describes each module once. */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "os.h"
#include "strpool.h"

struct resolver;
struct budget;                /* budget.h */
struct archived_module;       /* symbol_archive.h */
struct recorded_file;         /* recorded_symbols.h */
struct jitdump;               /* jitdump.h */
struct debug_remote;          /* debug_search.h */
struct answers_cache_options; /* answers_cache.h */
struct pe_places;             /* pe_search.h */
struct elf_places;            /* elf_search.h */
struct pe_identity;           /* pe_search.h */

/* Sources besides the modules' files. */
struct resolver_sources {
        const struct debug_remote *remote; /* source of debug files that are not on this machine; NULL:
                                            * none */
        const struct answers_cache_options *index; /* folder of the symbol cache; NULL: no cache */
        const struct pe_places *pe;   /* PE images and PDBs; NULL: only at the paths that files name */
        const struct elf_places *elf; /* more folders with ELF files; NULL: only their own paths */
        struct budget *budget;        /* budget of the command, for all files; NULL: each file has its own */
        bool any_owner; /* also read sessions, perf maps and jitdumps of other users, and private source */
};

struct resolver_options {
        /* make C++ and Rust names readable, in short form (demangle.h); clones have the function's name */
        bool demangle;
        /* clones and parts of functions have names of their own (f.cold), also in short form */
        bool keep_clones;
        bool demangle_params;          /* use the long form */
        bool decorated;                /* use decorated names for functions of a PDB */
        const char *kallsyms_path;     /* NULL: /proc/kallsyms */
        const char *const *debug_dirs; /* ends with NULL; NULL: those of sources->elf, else /usr/lib/debug */
        const struct resolver_sources *sources; /* NULL: only files of this machine */
        const char *session_dir; /* files of modules may be in the session's folder; NULL: none */
};

/* `options` is copied; its strings are kept by the caller. */
struct resolver *resolver_new(const struct resolver_options *options);
void resolver_free(struct resolver *resolver);
AUTO_DEFINE(resolver)

enum resolver_kind {
        RESOLVER_FILE,    /* an object file, or a PDB without an image; addresses are file offsets */
        RESOLVER_KERNEL,  /* the kernel and its modules, by kallsyms; addresses are absolute */
        RESOLVER_PERFMAP, /* a perf-PID.map, and maybe a jitdump; addresses are absolute */
        RESOLVER_JITDUMP, /* a jitdump; addresses are offsets in its file */
        RESOLVER_PYTHON,  /* Python places of a session; addresses as in resolver_python */
        RESOLVER_NONE,    /* not known: every lookup returns SYMBOL_NONE */
};

/* Names that another recorder wrote into the session. */
struct resolver_recorded {
        const struct recorded_file *file; /* kept by the caller; NULL: none */
        uint64_t slide;                   /* added to an offset in the module, gives the address in `file` */
};

/* Functions and lines of Python places.  Place i has the offset (i + 1) * place_bytes, and half of
 * place_bytes on both sides. */
struct resolver_python {
        struct resolver_python_function {
                const char *name, *path;
                uint32_t first_line;
        } * functions;
        struct resolver_python_place {
                uint32_t function, line; /* line 0: not known */
        } * places;
        size_t n_functions, n_places;
        uint32_t place_bytes;
};

struct resolver_module {
        enum resolver_kind kind;
        const char *path; /* path of the file, or of the perf map */
        /* another path with its bytes, if they are not at `path` (/proc/self/fd/7); or NULL */
        const char *open_path;
        const uint8_t *image; /* bytes in memory instead of a file (vdso), kept by the caller; or NULL */
        size_t image_size;
        const uint8_t *build_id; /* from the session; a file with another build id is not used */
        size_t build_id_size;    /* 0: not known */
        bool is_image; /* RESOLVER_FILE: addresses are relative to the beginning of the image in memory */
        const struct pe_identity *pe; /* from the session, for a PE image; kept by the caller; or NULL */
        /* RESOLVER_PERFMAP: a jit-PID.dump, used before the perf map for the latest code; NULL: none. */
        const char *jitdump_path, *jitdump_open_path;
        const char *jit_note;    /* problems of the process's jitdump ("": none); NULL: it has no jitdump */
        struct jitdump *jitdump; /* RESOLVER_JITDUMP: kept by the caller; the resolver interns its texts */
        struct os_origin origin; /* the owner that both files must have */
        const struct resolver_python *python; /* RESOLVER_PYTHON: kept by the caller; NULL: not known */
        /* Answers in the session; kept by the caller.  If wperf archive packed them, nothing else is used,
         * for any kind of module.  If the recorder kept them, they are used if no file with the build id
         * has more names. */
        const struct archived_module *archived;
        /* Used in this order for names that are not in the files. */
        struct resolver_recorded recorded[2];
        /* why the file at `path` is not used, though its build id is not known ("was ..."); NULL if it is
         * used. Not copied */
        const char *not_used;
        struct budget *budget; /* for its files; set by the resolver */
};

typedef uint32_t resolver_id;

/* Describes a module; strings are copied.  Files are opened at the first lookup. */
resolver_id resolver_add_module(struct resolver *resolver, const struct resolver_module *module);

enum symbol_status {
        SYMBOL_NAMED,
        SYMBOL_RANGE, /* a function without a name, whose range is from .eh_frame */
        SYMBOL_NONE,
};

struct symbol {
        enum symbol_status status;
        /* with SYMBOL_NAMED, for resolver_text.  Different functions with equal names have different ids */
        str_id name;
        /* the kernel module ("nf_tables") or jitdump ("jit-7.dump") that contains it, otherwise 0 */
        str_id module;
        uint64_t start; /* address of its first byte in the object (virtual address; absolute) */
        uint64_t size;
        uint64_t addr; /* the looked-up address in the object */
};

/* The address in the object for an address of the module (ELF virtual address for a file offset); false if
 * it is not known. */
bool resolver_to_addr(struct resolver *resolver, resolver_id module, uint64_t offset, uint64_t *ret_addr);

/* Never fails: the result may be SYMBOL_NONE; addr is set if possible. */
struct symbol resolver_find(struct resolver *resolver, resolver_id module, uint64_t offset);

/* The same for an address in the object. */
struct symbol resolver_find_addr(struct resolver *resolver, resolver_id module, uint64_t addr);

/* A function at an address, or a function inlined there. */
struct resolver_frame {
        str_id function; /* as the name of a symbol; 0: not known */
        str_id path;     /* of the source file; 0: not known */
        str_id file;     /* of a Python function: the end of its path that tells it from others; else 0 */
        uint32_t line, column; /* 0: not known */
        bool is_inlined;       /* inlined into the next frame */
        uint64_t start;        /* start of the function or of its inlined copy; 0 without a function */
};

/* Frames of address i: spans[i].n frames from frames[spans[i].first] on, innermost first. */
struct resolver_frames {
        struct resolver_frame *frames;
        size_t n_frames, cap_frames;
        struct {
                size_t first, n;
        } * spans;
        struct budget *budget; /* belongs to the module; gets the memory back when the frames are released */
        uint64_t taken_bytes;
};

/* Looks up `n` distinct, sorted addresses in the object: each call reads units of debug information once.
 * Without debug information there is one frame, from resolver_find; SYMBOL_NONE has no frame.  Never fails;
 * the module's note says what is missing. */
void resolver_find_frames(struct resolver *resolver, resolver_id module, const uint64_t *addrs, size_t n,
                          struct resolver_frames *ret_frames);
void resolver_frames_release(struct resolver_frames *frames);

const char *resolver_text(const struct resolver *resolver, str_id id);

/* Appends the name of a function with its arguments.  Returns false, and appends nothing, if the name is
 * not mangled, or the options select the long form. */
bool resolver_add_arguments(const struct resolver *resolver, str_id name, struct buf *out);

/* Why a module has no names or few, one sentence, or NULL: "build id differs", "no such file".  Valid as
 * long as the resolver; set by the first lookup. */
const char *resolver_note(const struct resolver *resolver, resolver_id module);

#endif
