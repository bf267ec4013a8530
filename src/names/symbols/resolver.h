/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the name and range of the function at (module, address).  Uses files, debug files, PDBs, kallsyms,
 * perf maps and jitdumps.  Does not depend on sessions: the caller describes each module once. */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "object.h"
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

/* False and an error if a file of the module became shorter while it was read. */
bool resolver_check(const struct resolver *resolver, resolver_id module, struct err *err);

const char *resolver_text(const struct resolver *resolver, str_id id);

/* Appends the name of a function with its arguments.  Returns false, and appends nothing, if the name is
 * not mangled, or the options select the long form. */
bool resolver_add_arguments(const struct resolver *resolver, str_id name, struct buf *out);

/* Why a module has no names or few, one sentence, or NULL: "build id differs", "no such file".  Valid as
 * long as the resolver; set by the first lookup. */
const char *resolver_note(const struct resolver *resolver, resolver_id module);

/* Why names may be wrong, one sentence, or NULL: "12 functions of perf-7.map share addresses: names there
 * may be wrong".  To be called after the last lookup; valid as long as the resolver. */
const char *resolver_doubt(struct resolver *resolver, resolver_id module);

/* The MD5 checksum of a source file that its debug information names (16 bytes), by a path of a frame that
 * was looked up; NULL if there is none. */
const uint8_t *resolver_source_md5(struct resolver *resolver, resolver_id module, const char *path);

/* The instruction set of the code at an address in the object. */
enum object_machine resolver_get_machine(struct resolver *resolver, resolver_id module, uint64_t addr);

#endif
