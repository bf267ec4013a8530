/* SPDX-License-Identifier: BSD-3-Clause */
/* Replays FORK, EXEC, COMM, MMAP, MMAP2, EXIT and KSYMBOL records, so that an address is looked up in the
 * maps that were valid at that time. Replay the records in order of time, and look addresses up between
 * them. */
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
        MODULE_IMAGE,         /* a PE image as loaded in memory: offsets count from its first byte */
        MODULE_VDSO,          /* [vdso] */
        MODULE_KERNEL,        /* [kernel.kallsyms]: addresses are absolute */
        MODULE_KERNEL_MODULE, /* a loaded kernel module: addresses are absolute */
        /* code that the kernel generated, such as a BPF program; path is its symbol, addresses are
         * absolute */
        MODULE_KSYMBOL,
        MODULE_ANON,    /* memory without a file; the process's perf map may name its functions */
        MODULE_JITDUMP, /* jit-PID.dump: code that the process generated; offsets are those in that file */
        MODULE_PYTHON,  /* FILE.pysyms: lines of Python code objects; offsets are those of python_section.h */
};

struct module {
        enum module_kind kind;
        str_id path; /* as recorded, without " (deleted)"; an id for world_text() */
        bool deleted;
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t build_id_size; /* 0 if unknown */
        int32_t pid;         /* the first process that mapped it; for MODULE_ANON the process that owns it */
        uint64_t dev, inode; /* 0 if unknown */
        /* MODULE_KERNEL, MODULE_KERNEL_MODULE, MODULE_KSYMBOL: absolute addresses; 0 for others */
        uint64_t start, end;
        uint64_t code_pgoff; /* of its first executable map; UINT64_MAX if it has none */
};

struct world;

struct world *world_new(void);
void world_free(struct world *world);
AUTO_DEFINE(world)

/* Adds the build ids of the session's table, for modules whose MMAP records have none. Updates existing
 * modules too. */
void world_add_build_ids(struct world *world, const struct perfdata_reader *reader);

/* Returns the bytes of memory that a PE image takes, or 0 if the file is not a PE image. Called once per
 * module, when the beginning of the file is mapped. */
typedef uint64_t world_image_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size);

/* Call it before the first record. Memory without a file that lies within an image then belongs to the image:
 * if a loader such as wine cannot map sections because they are not aligned to pages, it reads them there.
 * Without this call all such memory is anonymous. */
void world_set_images(struct world *world, world_image_size *size_of, void *ctx);

/* A source that knows the code that processes generate and may have replaced: the jitdumps. */
struct world_code_source {
        /* Called before the first sample of a process that has mapped a MODULE_JITDUMP. Returns a handle for
         * find() and span(), which belongs to the source; NULL if the source knows nothing about the file. */
        const void *(*open)(void *ctx, const struct module *module, const char *path);
        /* Gives the offset in the file of the code that was at `addr` at `time` (ns). False if there was
         * none. */
        bool (*find)(const void *code, uint64_t addr, uint64_t time, uint64_t *ret_offset);
        /* Gives the interval [*ret_from, *ret_to) around `time` (ns) in which find() gives the same
         * answers. */
        void (*span)(const void *code, uint64_t time, uint64_t *ret_from, uint64_t *ret_to);
        void *ctx;
};

/* Whether a mapped file with this path is a MODULE_JITDUMP. */
bool world_is_jitdump(const char *path);

/* Call it before the first record. An address in memory without a file is then looked up in the source; if
 * the source knows its code, the place is the offset in the jitdump. Without this call all such memory is
 * anonymous. */
void world_set_code(struct world *world, const struct world_code_source *source);

/* Whether a process has mapped a jitdump. If not, the next two functions need not be called. */
bool world_has_code(const struct world *world);

/* Whether world_find() uses the code of `pid` that was valid at `time` (ns). If not, call
 * world_set_code_time(), which changes the world. */
bool world_code_is_at(struct world *world, int32_t pid, uint64_t time);
void world_set_code_time(struct world *world, int32_t pid, uint64_t time);

/* Assigns the addresses of process `pid` that no map contains to an anonymous module with this path, because
 * the recorder named code there. */
void world_name_unmapped(struct world *world, int32_t pid, const char *path);

struct budget; /* budget.h */

/* Charges the memory of processes, maps and names, and that of lookups in the modules, to the budget, from
 * the next record on. Once the budget is used up, records are ignored. */
void world_set_budget(struct world *world, struct budget *budget);

/* Once lookups in the modules would need more than this, records are ignored.  So worlds that replay the same
 * records stay equal; with a budget they might not. */
void world_limit_lookups(struct world *world, uint64_t max_bytes);

/* Whether records were ignored because of that limit. */
bool world_has_left_out(const struct world *world);

/* The memory that processes, maps and names take, approximately. */
uint64_t world_bytes(const struct world *world);

/* The memory that a command needs at most to look up names in all modules: once, however many copies of the
 * world there are. */
uint64_t world_lookup_bytes(const struct world *world);

/* Call it before the first record, for a recorder that may run for months. The world then drops the maps of a
 * process when `n_exited` other processes have exited after it and its maps were not used since, and a
 * thread's name at its EXIT record. Without this call it keeps both until the pid is reused. */
void world_set_exited_limit(struct world *world, size_t n_exited);

/* Forgets the modules that no process maps, and all paths and names that are no longer used. Other modules
 * keep their ids; new modules reuse the ids of forgotten ones. Every str_id becomes invalid. Do not combine
 * with world_add_build_ids() or world_name_unmapped(). */
void world_forget_unmapped(struct world *world);

/* The number of modules that are not forgotten. */
size_t world_n_known_modules(const struct world *world);

/* Replays one record. Ignores types that do not change the world. */
void world_replay(struct world *world, const struct perfdata_record *record);

/* The module and offset that an address belongs to now. */
struct place {
        module_id module; /* MODULE_NONE if no module contains the address */
        /* MODULE_FILE, MODULE_VDSO, MODULE_JITDUMP, MODULE_PYTHON: offset in the file; MODULE_IMAGE: offset
         * from the image's first byte; otherwise the address itself */
        uint64_t offset;
        uint64_t map_start, map_end, map_pgoff; /* of the map, or of the part that later maps left of it */
};

/* `misc` is that of the sample. Its CPU mode selects user or kernel maps. */
struct place world_find(struct world *world, int32_t pid, uint16_t misc, uint64_t ip);

/* Whether world_find() would find no module for this user address. Faster if the addresses are mostly
 * distinct and in no map. */
bool world_is_unmapped(struct world *world, int32_t pid, uint64_t ip);

/* Never 0. The number changes whenever world_find() may give other answers for this process and CPU mode. */
uint64_t world_version(struct world *world, int32_t pid, uint16_t misc);

size_t world_n_modules(const struct world *world);
const struct module *world_get_module(const struct world *world, module_id id);
const char *world_text(const struct world *world, str_id id);

/* Whether the module is a mapped file or image, so that its places are offsets in it. */
bool world_is_file(const struct world *world, module_id id);

/* Whether the module is the [stack] of a main thread, whose map the kernel records when a program starts. It
 * contains no code. */
bool world_is_stack(const struct world *world, module_id id);

/* The present name of a thread: its own, or the one inherited from the thread that started it. "" if no
 * record named it; never NULL. */
const char *world_thread_name(struct world *world, int32_t pid, int32_t tid);

/* The same name as an id, which stays valid. */
str_id world_thread_name_id(struct world *world, int32_t pid, int32_t tid);

/* The name that the program gave the thread, as Python programs do; else the name above. */
const char *world_given_name(struct world *world, int32_t pid, int32_t tid);
str_id world_given_name_id(struct world *world, int32_t pid, int32_t tid);

/* Whether this is the first thread of a process whose samples have Python frames.  Such a thread has the name
 * of its process in a session; Python calls it MainThread. */
bool world_is_python_main(struct world *world, int32_t pid, int32_t tid);

/* The executable of process `pid`; MODULE_NONE if unknown. *ret_base is the address of its file offset 0: the
 * start of its map minus the map's offset. */
module_id world_main_module(const struct world *world, int32_t pid, uint64_t *ret_base);

#endif
