/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns (module, address) into a function's name and range.  Knows files, debug files, PDBs, kallsyms, perf maps and
 * jitdumps; does not know sessions: the caller describes each module once. */
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

/* What there may be besides files. */
struct resolver_sources {
        const struct debug_remote *remote; /* asked for debug files that are not here; NULL: nobody is */
        const struct answers_cache_options *index; /* where answers are kept on disk; NULL: nowhere */
        const struct pe_places *pe;                /* where PE images and PDBs are; NULL: where files say */
        const struct elf_places *elf; /* where ELF files are besides their paths; NULL: nowhere */
        struct budget *budget;        /* the command's, for all files; NULL: each file has one of its own */
        bool any_owner; /* sessions, perf maps and jitdumps of other users are read too, and private source */
};

struct resolver_options {
        bool demangle; /* C++ and Rust names readable, in short form (demangle.h); clones have the function's name */
        bool keep_clones; /* clones and pieces of functions have names of their own (f.cold) in short form too */
        bool demangle_params;          /* in long form */
        bool decorated;                /* a PDB's functions as they are decorated */
        const char *kallsyms_path;     /* NULL: /proc/kallsyms */
        const char *const *debug_dirs; /* NULL-terminated; NULL: those of sources->elf, else /usr/lib/debug */
        const struct resolver_sources *sources; /* NULL: files of this machine alone */
        const char *session_dir; /* files of the session's folder may be its modules; NULL: none */
};

/* `options` is copied, its strings are kept by the caller. */
struct resolver *resolver_new(const struct resolver_options *options);
void resolver_free(struct resolver *resolver);
AUTO_DEFINE(resolver)

enum resolver_kind {
        RESOLVER_FILE,    /* an object file, or a PDB alone; addresses are file offsets */
        RESOLVER_KERNEL,  /* kernel and its modules by kallsyms; addresses are absolute */
        RESOLVER_PERFMAP, /* a perf-PID.map, and maybe a jitdump; addresses are absolute */
        RESOLVER_JITDUMP, /* a jitdump that was read; addresses are offsets of its file */
        RESOLVER_PYTHON,  /* Python places of a session; addresses are theirs (resolver_python) */
        RESOLVER_NONE,    /* nothing is known: every answer is SYMBOL_NONE */
};

/* Names that another recorder wrote into the session. */
struct resolver_recorded {
        const struct recorded_file *file; /* kept by the caller; NULL: none */
        uint64_t slide;                   /* added to a module's offset gives the address in `file` */
};

/* Functions and lines of Python places.  Place i has the offset (i + 1) * place_bytes, and half of place_bytes on both sides. */
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
        const char *path;      /* of the file, or of the perf map */
        const char *open_path; /* where its bytes can be had if not at `path` (/proc/self/fd/7); NULL */
        const uint8_t *image;  /* bytes in memory in place of a file (vdso), kept by the caller; NULL */
        size_t image_size;
        const uint8_t *build_id; /* what the session says; a file with another one is not used */
        size_t build_id_size;    /* 0: not known */
        bool is_image; /* RESOLVER_FILE: addresses are counted from where its image begins in memory */
        const struct pe_identity *pe; /* of a PE image, as its session says, kept by the caller; NULL */
        /* RESOLVER_PERFMAP: a jit-PID.dump, which is asked before the perf map for the latest code; NULL: none. */
        const char *jitdump_path, *jitdump_open_path;
        const char *
                jit_note; /* the process has a jitdump, and this is wrong with it ("": nothing); NULL: it has none */
        struct jitdump *jitdump; /* RESOLVER_JITDUMP: kept by the caller; its texts are the resolver's */
        struct os_origin origin; /* whose the two have to be */
        const struct resolver_python *python; /* RESOLVER_PYTHON: kept by the caller; NULL: not known */
        /* Answers that stand in the session; kept by the caller.  Those that wperf archive packed are all that is asked, whatever the
         * kind.  Those that the recorder kept are asked where no file of the build id has more. */
        const struct archived_module *archived;
        /* Asked in this order for what the files do not name. */
        struct resolver_recorded recorded[2];
        bool is_elsewhere;     /* another machine's, without a build id: the file at `path` is not asked */
        struct budget *budget; /* of its files; set by the resolver */
};

typedef uint32_t resolver_id;

/* Describes a module; strings are copied.  Files are opened at the first lookup, not here. */
resolver_id resolver_add_module(struct resolver *resolver, const struct resolver_module *module);

enum symbol_status {
        SYMBOL_NAMED,
        SYMBOL_RANGE, /* a function without a name whose range .eh_frame gives */
        SYMBOL_NONE,
};

struct symbol {
        enum symbol_status status;
        str_id name; /* SYMBOL_NAMED; resolver_text gives it.  Functions that read the same have ids of their own */
        str_id module;  /* the kernel module ("nf_tables") or jitdump ("jit-7.dump") that it is in, else 0 */
        uint64_t start; /* address of its first byte as the object counts (virtual address; absolute) */
        uint64_t size;
        uint64_t addr; /* the looked-up address, counted the same way */
};

/* What the object counts for an address of the module (ELF virtual address for a file offset); false: it can't be told. */
bool resolver_to_addr(struct resolver *resolver, resolver_id module, uint64_t offset, uint64_t *ret_addr);

/* Never fails: what is not known is SYMBOL_NONE with addr set as well as it can be. */
struct symbol resolver_find(struct resolver *resolver, resolver_id module, uint64_t offset);

/* The same for an address as the object counts. */
struct symbol resolver_find_addr(struct resolver *resolver, resolver_id module, uint64_t addr);

/* A function of an address, or one that was inlined there. */
struct resolver_frame {
        str_id function;       /* as a symbol's name; 0: not known */
        str_id path;           /* of the source file; 0: not known */
        uint32_t line, column; /* 0: not known */
        bool is_inlined;       /* into the next frame */
        uint64_t start;        /* of the function or of its inlined copy; 0 without a function */
};

/* Frames of address i: frames[spans[i].first] and the following, spans[i].n of them, innermost first. */
struct resolver_frames {
        struct resolver_frame *frames;
        size_t n_frames, cap_frames;
        struct {
                size_t first, n;
        } * spans;
        struct budget *budget; /* the module's, until they are released */
        uint64_t taken_bytes;
};

/* Looks up `n` distinct addresses as the object counts, sorted, in one go: units of debug information are read once a
 * call.  Where there is none the one frame is what resolver_find says; SYMBOL_NONE has no frame.  Never fails; what is missing
 * is in the module's note. */
void resolver_find_frames(struct resolver *resolver, resolver_id module, const uint64_t *addrs, size_t n,
                          struct resolver_frames *ret_frames);
void resolver_frames_release(struct resolver_frames *frames);

/* A label of a function: in an interpreter with computed goto the name of a handler. */
struct resolver_label {
        str_id name, path; /* path: of the source file that declares it; 0: not known */
        uint32_t line;     /* 0: not known */
        uint64_t addr;     /* valid with has_addr: an optimised build may have lost it */
        bool has_addr;
};

/* Those of the function at `addr`, by address, those without one behind them by line.  The caller frees *ret_labels.
 * Returns their number. */
size_t resolver_find_labels(struct resolver *resolver, resolver_id module, uint64_t addr,
                            struct resolver_label **ret_labels);

/* [start, end) */
struct resolver_extent {
        uint64_t start, end;
};

/* All code of the function at `addr`, by address: its .cold part too where debug information tells of it.  The caller
 * frees *ret_extents.  Returns their number, 0 where nothing is known. */
size_t resolver_find_extents(struct resolver *resolver, resolver_id module, uint64_t addr,
                             struct resolver_extent **ret_extents);

/* The code of a module as it was mapped, `size` bytes from `addr` on, as the object counts.  False when there are none.
 * Kept by the resolver. */
bool resolver_read_code(struct resolver *resolver, resolver_id module, uint64_t addr, uint64_t size,
                        const uint8_t **ret_code);

/* What a jitdump says of unwinding code: its .eh_frame, kept by the resolver. */
struct resolver_jit_frames {
        uint64_t start, end; /* of the code, where it ran */
        struct cursor frames;
        uint64_t frames_addr;
};

/* Of the code at an offset of a module, which ran at `addr`.  False: there is no jitdump, or it says nothing of that code. */
bool resolver_find_jit_frames(struct resolver *resolver, resolver_id module, uint64_t offset, uint64_t addr,
                              struct resolver_jit_frames *ret);

/* An instruction as a disassembler wrote it. */
struct resolver_insn {
        const char *text; /* kept by the resolver */
        size_t size_bytes;
};

/* The instructions of `size` bytes of code at `addr`, as resolver_read_code gave them, when an earlier run kept all of
 * them on disk; `dialect` tells those of one version and syntax from others and is the same in all questions about a module.
 * The caller frees *ret_insns.  Returns their number, 0 when they are not known. */
size_t resolver_recall_insns(struct resolver *resolver, resolver_id module, uint64_t dialect, uint64_t addr,
                             const uint8_t *code, size_t size, struct resolver_insn **ret_insns);
void resolver_keep_insns(struct resolver *resolver, resolver_id module, uint64_t dialect, uint64_t addr,
                         const uint8_t *code, const struct resolver_insn *insns, size_t n);

/* False, with a sentence, after a file of the module has become shorter while it was read. */
bool resolver_check(const struct resolver *resolver, resolver_id module, struct err *err);

const char *resolver_text(const struct resolver *resolver, str_id id);

/* Appends the name of a function with its arguments.  False, with nothing appended, where there is nothing to add: it is no
 * mangled name, or the options want names long. */
bool resolver_add_arguments(const struct resolver *resolver, str_id name, struct buf *out);

/* Why a module has no or poor names, one sentence, or NULL when all is well: "build id differs",
 * "no such file".  Valid for the resolver's life; known after the first lookup. */
const char *resolver_note(const struct resolver *resolver, resolver_id module);

/* Why names that were given may be wrong, one sentence, or NULL: "12 functions of perf-7.map share addresses: names there may be
 * wrong".  To be asked after the last lookup; valid for the resolver's life. */
const char *resolver_doubt(struct resolver *resolver, resolver_id module);

/* The module's own file, kept by the resolver; NULL: it can't be read, or there is none. */
struct object *resolver_get_object(struct resolver *resolver, resolver_id module);

/* Facts of the module's own file: entry point and lowest load address (ELF virtual addresses), and whether
 * it is an executable image (PIE or fixed) and not a library.  False when the file can't be read. */
struct resolver_image {
        uint64_t entry;
        uint64_t load_addr;  /* vaddr of file offset 0 */
        uint64_t size_bytes; /* PE: of memory from there on; 0 from an archive */
        bool is_executable;
        uint8_t build_id[20];
        uint8_t build_id_size;
};
bool resolver_get_image(struct resolver *resolver, resolver_id module, struct resolver_image *ret);

/* Whether its answers were packed into the session. */
bool resolver_is_archived(const struct resolver *resolver, resolver_id module);

/* Whether answers come from what the recorder kept. */
bool resolver_is_kept(struct resolver *resolver, resolver_id module);

/* Whether there is a file that answers: the module's own, or a PDB alone. */
bool resolver_has_file(struct resolver *resolver, resolver_id module);

/* Whose instructions the code at an address is, as the object counts. */
enum object_machine resolver_get_machine(struct resolver *resolver, resolver_id module, uint64_t addr);

/* Sections of the module's own file that are loaded at run time; 0 when the file can't be read. */
struct resolver_section {
        const char *name;
        uint64_t addr; /* ELF virtual address */
        uint64_t size_bytes;
};
size_t resolver_n_sections(struct resolver *resolver, resolver_id module);
struct resolver_section resolver_get_section(struct resolver *resolver, resolver_id module, size_t index);

#endif
