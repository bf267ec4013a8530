/* SPDX-License-Identifier: BSD-3-Clause */
/* Replays FORK, EXEC, COMM, MMAP, MMAP2, EXIT and KSYMBOL so that an address is looked up in the maps that
 * stood at that moment.  Records go in by time; questions are asked between them. */
#ifndef WORLD_H
#define WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "perfdata_reader.h"
#include "strpool.h"

typedef uint32_t module_id; /* index into the world's modules */
#define MODULE_NONE UINT32_MAX

enum module_kind {
        MODULE_FILE,          /* a file: executable, library, memfd, deleted file */
        MODULE_IMAGE,         /* a PE image as it lies in memory: addresses are counted from its beginning */
        MODULE_VDSO,          /* [vdso] */
        MODULE_KERNEL,        /* [kernel.kallsyms]: addresses are absolute */
        MODULE_KERNEL_MODULE, /* a loaded kernel module: addresses are absolute */
        MODULE_KSYMBOL, /* code that the kernel made (a BPF program): path is its symbol; absolute addresses */
        MODULE_ANON,    /* memory without a file; its names may stand in the process' perf map */
        MODULE_JITDUMP, /* jit-PID.dump: code that the process made, by offsets in that file; other numbers are in archives */
        MODULE_PYTHON, /* FILE.pysyms: lines of Python code objects, by the offsets of python_section.h */
};

struct module {
        enum module_kind kind;
        str_id path; /* as recorded, without " (deleted)"; world_text gives it */
        bool deleted;
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t build_id_size; /* 0: not known */
        int32_t pid;         /* the first process that mapped it; for MODULE_ANON the process it belongs to */
        uint64_t dev, inode; /* 0: not known */
        uint64_t start, end; /* kernel and kernel modules: absolute addresses */
        uint64_t code_pgoff; /* of its first executable map; UINT64_MAX: it has none */
};

struct world;

struct world *world_new(void);
void world_free(struct world *world);
AUTO_DEFINE(world)

/* Build ids of a session's table, for modules whose MMAP records have none; those that are there already too. */
void world_add_build_ids(struct world *world, const struct perfdata_reader *reader);

/* Bytes of memory that a PE image takes; 0 for a file that is none.  Asked once a module, when its beginning is mapped. */
typedef uint64_t world_image_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size);

/* Before the first record.  Memory without a file that lies within an image is then the image's: a loader that cannot map
 * its sections (wine, where they are not aligned to pages) reads them there.  Without it all of that is anonymous. */
void world_set_images(struct world *world, world_image_size *size_of, void *ctx);

/* What a file says of the code that a process made and may have replaced: a jitdump. */
struct world_code_source {
        /* Asked before the first sample of a process that has mapped a MODULE_JITDUMP: what is asked for its code from then on, kept
         * by the source; NULL: it says nothing. */
        const void *(*open)(void *ctx, const struct module *module, const char *path);
        /* The offset in the file of the code that stood at `addr` at `time`; false: none. */
        bool (*find)(const void *code, uint64_t addr, uint64_t time, uint64_t *ret_offset);
        /* The times, until before *ret_to, for which all answers are those for `time`. */
        void (*span)(const void *code, uint64_t time, uint64_t *ret_from, uint64_t *ret_to);
        void *ctx;
};

/* Whether a mapped file of that name is a MODULE_JITDUMP. */
bool world_is_jitdump(const char *path);

/* Before the first record.  An address in memory without a file is then that of its code in the file where there is such.
 * Without it, all of that is anonymous. */
void world_set_code(struct world *world, const struct world_code_source *source);

/* Whether a process has such code: only then the next two matter. */
bool world_has_code(const struct world *world);

/* Whether world_find goes by the code of `pid` as it was at `time`; else world_turn_code makes it so, which is a change of the
 * world. */
bool world_code_is_at(struct world *world, int32_t pid, uint64_t time);
void world_turn_code(struct world *world, int32_t pid, uint64_t time);

/* Addresses of process `pid` that lie in no map belong to an anonymous module with this path: the recorder named code
 * there. */
void world_name_unmapped(struct world *world, int32_t pid, const char *path);

struct budget; /* budget.h */

/* What processes, maps and names take comes out of it from the next record on.  Over it records are left out. */
void world_set_budget(struct world *world, struct budget *budget);

/* The memory that they take, about. */
uint64_t world_bytes(const struct world *world);

/* Before the first record, for a recorder that may run for months: the maps of a process go once `n_exited` others have
 * exited after it and nobody has asked for it since, and a thread's name with its EXIT record.  Otherwise they stay until
 * the pid is used again. */
void world_set_exited_limit(struct world *world, size_t n_exited);

/* Forgets the modules that no process maps, and all paths and names that are not in use.  Modules keep their ids; those of
 * forgotten ones are given to new modules.  Any str_id is void afterwards.  Not with world_add_build_ids or
 * world_name_unmapped. */
void world_forget_unmapped(struct world *world);

/* Modules that are not forgotten. */
size_t world_n_known_modules(const struct world *world);

/* Takes one record of any type; those that change nothing are ignored. */
void world_replay(struct world *world, const struct perfdata_record *record);

/* Where an address lies now. */
struct place {
        module_id module; /* MODULE_NONE: no module */
        /* MODULE_FILE, MODULE_VDSO, MODULE_JITDUMP, MODULE_PYTHON: file offset; MODULE_IMAGE: from the image's beginning; otherwise the
         * address itself */
        uint64_t offset;
        uint64_t map_start, map_end, map_pgoff; /* of the map, or of what later maps left of it */
};

/* `misc` is the sample's: its CPU mode chooses user or kernel maps. */
struct place world_find(struct world *world, int32_t pid, uint16_t misc, uint64_t ip);

/* Whether world_find would give no module for user code: faster where most addresses are different and lie in no map. */
bool world_is_unmapped(struct world *world, int32_t pid, uint64_t ip);

/* Another number, never 0, when answers of world_find for this process and mode may be others than before. */
uint64_t world_version(struct world *world, int32_t pid, uint16_t misc);

size_t world_n_modules(const struct world *world);
const struct module *world_get_module(const struct world *world, module_id id);
const char *world_text(const struct world *world, str_id id);

/* The stack of a main thread, which the kernel tells of when a program begins; it holds no code. */
bool world_is_stack(const struct world *world, module_id id);

/* The name of a thread now (its own, or that of the thread that started it), "" when it was never told; never NULL. */
const char *world_thread_name(struct world *world, int32_t pid, int32_t tid);

/* The same as an id that stays valid. */
str_id world_thread_name_id(struct world *world, int32_t pid, int32_t tid);

/* The executable that process `pid` ran when it was last mapped: MODULE_NONE when not known; and the address
 * where its file offset 0 would lie (map start minus offset). */
module_id world_main_module(const struct world *world, int32_t pid, uint64_t *ret_base);

#endif
