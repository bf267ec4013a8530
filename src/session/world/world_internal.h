/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the world: processes and threads (world.c), modules (world_modules.c), generated
 * code (world_code.c), forgetting (world_forget.c). */
#ifndef WORLD_INTERNAL_H
#define WORLD_INTERNAL_H

#include "arena.h"
#include "map.h"
#include "ranges_internal.h"
#include "world.h"

struct process {
        struct range_node *maps;
        struct range_node *images; /* the memory that PE images cover, whatever is mapped there; pgoff is 0 */
        uint64_t version;          /* of the maps: equal versions mean equal maps */
        module_id main_module;
        uint64_t main_base;
        bool main_is_image;
        bool tells_code;  /* it has mapped a jitdump, to which the next members belong */
        const void *code; /* from world_code_source.open(); NULL if not opened yet */
        module_id code_module;
        /* world_find() uses the code of code_time, which is valid in [code_from, code_to) */
        uint64_t code_time, code_from, code_to;
        bool has_exited;
        bool was_used; /* by a record or a lookup since the process exited */
};

/* The processes that exited last, in a ring buffer. */
struct exited {
        int32_t *pids;
        size_t max, n, oldest; /* max: 0 if processes are never forgotten */
        uint32_t *free_slots;  /* indexes in world.processes */
        size_t n_free, cap_free;
};

struct table_id { /* an entry of the BUILD_ID table */
        uint8_t bytes[BUILD_ID_MAX];
        uint8_t size;
};

struct module_table {
        struct module **items; /* allocated in the arena */
        size_t n, cap;
        module_id *free_ids; /* of forgotten modules */
        size_t n_free, cap_free;
        uint64_t lookup_bytes;  /* see world_lookup_bytes() */
        struct map by_identity; /* hash to id + 1 */
        struct table_id *table_ids;
        size_t n_table_ids, table_ids_cap;
        struct map id_of_path; /* str_id to index in table_ids + 1 */
};

/* A cached result of world_find(), valid while the maps have this version. */
struct found {
        uint64_t version, page;
        struct range range;
};

enum { FOUND_SLOTS = 4096 };

/* A cached gap between maps, valid while the maps have this version. */
struct found_gap {
        uint64_t version; /* + 1; 0 for an empty slot */
        struct range_gap gap;
};

enum { GAP_SLOTS = 1024 };

struct world {
        struct arena arena;
        struct strpool *names;
        struct module_table modules;
        struct range_pool pool;
        struct map process_of_pid; /* pid to index in processes + 1 */
        struct process *processes;
        size_t n_processes, processes_cap;
        struct map unmapped; /* pid to module + 1 */
        struct exited exited;
        struct map name_of_thread; /* pid << 32 | tid to str_id */
        struct map given_names;    /* the same, of threads that their program named */
        struct process kernel;     /* maps of kernel modules and of generated kernel code */
        struct range kernel_image; /* searched after `kernel`; end is 0 if unknown */
        uint64_t last_version;
        world_image_size *image_size; /* NULL if the caller cannot tell */
        void *image_ctx;
        struct map image_sizes;        /* module id to size in bytes, 0 if the module is not a PE image */
        struct world_code_source code; /* open is NULL if there is no source */
        bool has_code;                 /* some process has mapped a jitdump */
        struct budget *budget;         /* NULL for no limit */
        uint64_t taken_bytes;
        uint64_t max_lookup_bytes; /* 0 for no limit */
        bool has_left_out;         /* records, because of max_lookup_bytes */
        int32_t last_pid;          /* the pid of last_process */
        uint32_t last_process;
        struct found found[FOUND_SLOTS];
        struct found_gap gaps[GAP_SLOTS];
};

/* What the path of a map tells about its module. */
struct map_name {
        enum module_kind kind;
        str_id path;
        bool deleted;
};

struct map_name world_modules_user_name(struct world *world, const char *path);
/* Changes the kind to MODULE_PYTHON if the map is at PYTHON_PLACES_BASE. */
void world_modules_name_python(struct map_name *name, const char *path, const struct record_mmap *map);
struct map_name world_modules_kernel_name(struct world *world, const char *path);

uint64_t world_thread_key(int32_t pid, int32_t tid);

/* The process, or NULL if it is unknown. */
struct process *world_find_process(struct world *world, int32_t pid);

/* Drops everything that is known of a process, and gives it a new version. */
void world_forget_process(struct world *world, struct process *process);

/* --- Code that processes make (world_code.c) --- */

/* To be called when a process has mapped a jitdump. */
void code_map(struct world *world, struct process *process, module_id module);

/* Sets the place of an address in memory without a file to the generated code there, if the source knows that
 * code. */
void code_find(const struct world *world, const struct process *process, uint64_t addr, struct place *place);

/* Replays an EXIT record if the world has an exited limit. */
void world_forget_exited(struct world *world, const struct record_task *task);

/* Returns the module with this identity; adds it if it is new. */
module_id modules_get(struct world *world, const struct map_name *name, const struct record_mmap *map);
void modules_release(struct module_table *modules);

/* Rebuilds by_identity and the paths after world.names was replaced. Frees the ids of modules without
 * is_used[id]. */
void modules_keep(struct world *world, const bool *is_used, const struct strpool *old_names);

#endif
