/* SPDX-License-Identifier: BSD-3-Clause */
/* The world's parts: processes and threads (world.c), modules (world_modules.c), code that processes
 * make (world_code.c), what is forgotten (world_forget.c). */
#ifndef WORLD_INTERNAL_H
#define WORLD_INTERNAL_H

#include "arena.h"
#include "map.h"
#include "ranges_internal.h"
#include "world.h"

struct process {
        struct range_node *maps;
        struct range_node *images; /* what PE images cover, whatever is mapped there; their pgoff is 0 */
        uint64_t version;          /* of maps; equal versions are equal maps */
        module_id main_module;
        uint64_t main_base;
        bool main_is_image;
        bool tells_code;  /* it has mapped a file that may tell of its code: */
        const void *code; /* of the code source; NULL: not opened yet */
        module_id code_module;
        uint64_t code_time, code_from, code_to; /* world_find goes by the code of then */
        bool has_exited;
        bool was_used; /* by a record or a question after that */
};

/* The processes that exited last: a ring. */
struct exited {
        int32_t *pids;
        size_t max, n, oldest; /* max 0: nobody is forgotten */
        uint32_t *free_slots;  /* of world.processes */
        size_t n_free, cap_free;
};

struct table_id { /* an entry of the BUILD_ID table */
        uint8_t bytes[BUILD_ID_MAX];
        uint8_t size;
};

struct module_table {
        struct module **items; /* in the arena */
        size_t n, cap;
        module_id *free_ids; /* of modules that were forgotten */
        size_t n_free, cap_free;
        struct map by_identity; /* hash to id + 1 */
        struct table_id *table_ids;
        size_t n_table_ids, table_ids_cap;
        struct map id_of_path; /* str_id to index of table_ids + 1 */
};

/* An answer of world_find that is given again while the maps have the same version. */
struct found {
        uint64_t version, page;
        struct range range;
};

enum { FOUND_SLOTS = 4096 };

/* Addresses that no map holds while the maps have the same version; version 0: none. */
struct found_gap {
        uint64_t version; /* + 1 */
        struct range_gap gap;
};

enum { GAP_SLOTS = 1024 };

struct world {
        struct arena arena;
        struct strpool *names;
        struct module_table modules;
        struct range_pool pool;
        struct map process_of_pid; /* index + 1 */
        struct process *processes;
        size_t n_processes, processes_cap;
        struct map unmapped; /* pid to module + 1 */
        struct exited exited;
        struct map name_of_thread; /* pid << 32 | tid to str_id */
        struct process kernel;     /* modules and what the kernel made, by address */
        struct range kernel_image; /* beneath all of them; end 0: none */
        uint64_t last_version;
        world_image_size *image_size; /* NULL: nobody knows */
        void *image_ctx;
        struct map image_sizes;        /* module to size in bytes + 1 */
        struct world_code_source code; /* open NULL: nobody knows of code that is made */
        bool has_code;                 /* some process has */
        struct budget *budget;         /* NULL: no limit */
        uint64_t taken_bytes;
        int32_t last_pid; /* of last_process */
        uint32_t last_process;
        struct found found[FOUND_SLOTS];
        struct found_gap gaps[GAP_SLOTS];
};

/* What a map's path says. */
struct map_name {
        enum module_kind kind;
        str_id path;
        bool deleted;
};

struct map_name world_modules_user_name(struct world *world, const char *path);
/* Makes the name of a mapped file that of Python places where its map says so. */
void world_modules_name_python(struct map_name *name, const char *path, const struct record_mmap *map);
struct map_name world_modules_kernel_name(struct world *world, const char *path);

uint64_t world_thread_key(int32_t pid, int32_t tid);

/* The process, or NULL. */
struct process *world_find_process(struct world *world, int32_t pid);

/* Drops all that is known of a process but its version. */
void world_forget_process(struct world *world, struct process *process);

/* --- Code that processes make (world_code.c) --- */

/* A process has mapped the file that tells of its code. */
void code_map(struct world *world, struct process *process, module_id module);

/* Makes the place of an address in memory without a file that of the code there, where it is told of. */
void code_find(const struct world *world, const struct process *process, uint64_t addr, struct place *place);

/* An EXIT record, where the world forgets. */
void world_forget_exited(struct world *world, const struct record_task *task);

/* The module with this identity, made when there is none. */
module_id modules_get(struct world *world, const struct map_name *name, const struct record_mmap *map);
void modules_release(struct module_table *modules);

/* Makes by_identity and paths anew after `is_used[id]` and world.names have changed. */
void modules_keep(struct world *world, const bool *is_used, const struct strpool *old_names);

#endif
