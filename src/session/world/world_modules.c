/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives the kind of module from a mapped path, and decides whether two maps belong to the same module: same
 * path, inode and build id. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "python_section.h"
#include "text.h"
#include "world_internal.h"

static const char kernel_name[] = "[kernel.kallsyms]";
static const char deleted_suffix[] = " (deleted)";

static bool is_anonymous(const char *path)
{
        /* .NET 7 and Android's runtime have their code in such files. */
        static const char *const starts[] = {"[",
                                             "//anon",
                                             "/dev/zero",
                                             "/anon_hugepage",
                                             "/SYSV",
                                             "/dev/ashmem/",
                                             "/memfd:doublemapper",
                                             "/memfd:jit-cache",
                                             "/memfd:jit-zygote-cache"};

        for (size_t i = 0; i < N_ELEMENTS(starts); i++) {
                if (text_starts(path, starts[i]))
                        return true;
        }
        return !*path;
}

/* A process maps a page of its jit-PID.dump to announce the file. */
static bool is_jitdump(const char *path, size_t len)
{
        static const char end[] = ".dump";
        size_t end_len = sizeof(end) - 1, n_digits;
        const char *name = text_base_name(path);

        len -= (size_t)(name - path);
        if (!text_starts(name, "jit-"))
                return false;
        n_digits = strspn(name + 4, "0123456789");
        return n_digits && len == 4 + n_digits + end_len && !memcmp(name + 4 + n_digits, end, end_len);
}

bool world_is_jitdump(const char *path)
{
        return is_jitdump(path, strlen(path));
}

/* No process maps memory at PYTHON_PLACES_BASE. */
void world_modules_name_python(struct map_name *name, const char *path, const struct record_mmap *map)
{
        if (name->kind == MODULE_FILE && !name->deleted && map->start == PYTHON_PLACES_BASE && !map->pgoff &&
            text_ends(path, ".pysyms"))
                name->kind = MODULE_PYTHON;
}

struct map_name world_modules_user_name(struct world *w, const char *path)
{
        struct map_name name = {.kind = MODULE_FILE};
        size_t len = strlen(path);

        if (text_ends(path, deleted_suffix) && len >= sizeof(deleted_suffix)) {
                name.deleted = true;
                len -= sizeof(deleted_suffix) - 1;
        }
        if (!strcmp(path, "[vdso]") || !strcmp(path, "[vdso32]"))
                name.kind = MODULE_VDSO;
        else if (is_anonymous(path))
                name.kind = MODULE_ANON;
        else if (is_jitdump(path, len))
                name.kind = MODULE_JITDUMP;
        name.path = strpool_add_len(w->names, path, len);
        return name;
}

/* The path may be "[kernel.kallsyms]_text": the suffix is the symbol from which the address was taken. */
struct map_name world_modules_kernel_name(struct world *w, const char *path)
{
        struct map_name name = {.kind = MODULE_KERNEL_MODULE};

        if (text_starts(path, kernel_name)) {
                name.kind = MODULE_KERNEL;
                path = kernel_name;
        }
        name.path = strpool_add(w->names, path);
        return name;
}

static uint64_t device_of(const struct record_mmap *map)
{
        return (uint64_t)map->maj << 32 | map->min;
}

static uint64_t end_of(const struct record_mmap *map)
{
        uint64_t end = map->start + map->len;

        return end < map->start ? UINT64_MAX : end;
}

/* A module that belongs to one process is not shared with others. Parts of the kernel are identified by name
 * and address. */
static bool is_same(const struct module *m, const struct map_name *name, const struct record_mmap *map)
{
        if (m->kind != name->kind || m->path != name->path)
                return false;
        switch (name->kind) {
        case MODULE_ANON: return m->pid == map->pid;
        case MODULE_VDSO: return true;
        case MODULE_KERNEL: return true;
        case MODULE_KERNEL_MODULE:
        case MODULE_KSYMBOL: return m->start == map->start && m->end == end_of(map);
        case MODULE_FILE:
        case MODULE_IMAGE:
        case MODULE_JITDUMP:
        case MODULE_PYTHON: break;
        }
        /* A build id from the session's table is not part of the identity. */
        if (map->build_id_size && (m->build_id_size != map->build_id_size ||
                                   memcmp(m->build_id, map->build_id, map->build_id_size)))
                return false;
        return m->dev == device_of(map) && m->inode == map->inode;
}

static uint64_t identity_hash(const struct map_name *name, const struct record_mmap *map)
{
        uint64_t key = map_mix((uint64_t)name->path << 4 | name->kind);

        switch (name->kind) {
        case MODULE_ANON: return map_mix(key ^ (uint32_t)map->pid);
        case MODULE_VDSO:
        case MODULE_KERNEL: return key;
        case MODULE_KERNEL_MODULE:
        case MODULE_KSYMBOL: return map_mix(map_mix(key ^ map->start) ^ map->len);
        case MODULE_FILE:
        case MODULE_IMAGE:
        case MODULE_JITDUMP:
        case MODULE_PYTHON: break;
        }
        key = map_mix(map_mix(key ^ device_of(map)) ^ map->inode);
        return map->build_id_size ? key ^ map_hash_bytes(map->build_id, map->build_id_size) : key;
}

static void take_table_id(struct world *w, struct module *m)
{
        const uint64_t *at = map_find(&w->modules.id_of_path, m->path);

        if (m->build_id_size || !at || m->kind == MODULE_ANON)
                return;
        m->build_id_size = w->modules.table_ids[*at - 1].size;
        memcpy(m->build_id, w->modules.table_ids[*at - 1].bytes, BUILD_ID_MAX);
}

/* The memory that a command needs at most to look up names in the module, and to write them to an archive:
 * for the objects that describe it, and for copies of its path. */
enum { LOOKUP_BYTES = 6 << 10, PATH_COPIES = 7 };

static uint64_t lookup_bytes(const struct world *w, const struct module *m)
{
        return LOOKUP_BYTES + PATH_COPIES * strlen(strpool_get(w->names, m->path));
}

static module_id module_new(struct world *w, const struct map_name *name, const struct record_mmap *map)
{
        struct module_table *t = &w->modules;
        bool is_reused = t->n_free;
        struct module *m =
                is_reused ? t->items[t->free_ids[t->n_free - 1]] : arena_alloc(&w->arena, sizeof(*m));
        bool is_kernel = name->kind == MODULE_KERNEL || name->kind == MODULE_KERNEL_MODULE ||
                         name->kind == MODULE_KSYMBOL;

        *m = (struct module){.kind = name->kind, .path = name->path};
        m->pid = map->pid;
        m->code_pgoff = UINT64_MAX;
        m->dev = device_of(map);
        m->inode = map->inode;
        m->build_id_size = map->build_id_size;
        memcpy(m->build_id, map->build_id, BUILD_ID_MAX);
        if (is_kernel) {
                m->start = map->start;
                m->end = end_of(map);
        }
        take_table_id(w, m);
        t->lookup_bytes += lookup_bytes(w, m);
        if (is_reused)
                return t->free_ids[--t->n_free];
        ARRAY_PUSH(t->items, t->n, t->cap, m);
        return (module_id)t->n - 1;
}

module_id modules_get(struct world *w, const struct map_name *name, const struct record_mmap *map)
{
        struct module_table *t = &w->modules;
        uint64_t key = identity_hash(name, map), *slot;
        bool is_new;

        for (;; key++) {
                slot = map_put(&t->by_identity, key, &is_new);
                if (is_new)
                        *slot = (uint64_t)module_new(w, name, map) + 1;
                else if (!is_same(t->items[*slot - 1], name, map))
                        continue;
                t->items[*slot - 1]->deleted |= name->deleted;
                return (module_id)*slot - 1;
        }
}

/* Adds a module that exists already to by_identity. */
static void put_identity(struct module_table *t, module_id id)
{
        const struct module *m = t->items[id];
        const struct map_name name = {.kind = m->kind, .path = m->path};
        struct record_mmap map = {
                .pid = m->pid,
                .maj = (uint32_t)(m->dev >> 32),
                .min = (uint32_t)m->dev,
                .inode = m->inode,
                .start = m->start,
                .len = m->end - m->start,
                .build_id_size = m->build_id_size,
        };
        uint64_t key, *slot;
        bool is_new;

        memcpy(map.build_id, m->build_id, BUILD_ID_MAX);
        key = identity_hash(&name, &map);
        do
                slot = map_put(&t->by_identity, key++, &is_new);
        while (!is_new);
        *slot = (uint64_t)id + 1;
}

void modules_release(struct module_table *t)
{
        free(t->items);
        free(t->free_ids);
        free(t->table_ids);
        map_release(&t->by_identity);
        map_release(&t->id_of_path);
}

void modules_keep(struct world *w, const bool *is_used, const struct strpool *old_names)
{
        struct module_table *t = &w->modules;

        map_release(&t->by_identity);
        t->n_free = 0;
        t->lookup_bytes = 0;
        for (size_t i = t->n; i-- > 0;) {
                struct module *m = t->items[i];

                if (is_used[i]) {
                        m->path = strpool_add(w->names, strpool_get(old_names, m->path));
                        put_identity(t, (module_id)i);
                        t->lookup_bytes += lookup_bytes(w, m);
                } else {
                        m->path = 0; /* who goes over all modules finds it */
                        ARRAY_PUSH(t->free_ids, t->n_free, t->cap_free, (module_id)i);
                }
        }
}

static bool add_table_id(void *ctx, uint16_t misc, int32_t pid, const uint8_t *id, size_t id_size,
                         const char *path)
{
        struct world *w = ctx;
        struct module_table *t = &w->modules;
        struct table_id entry = {.size = (uint8_t)id_size};
        struct map_name name;

        if (!id_size)
                return true;
        memcpy(entry.bytes, id, id_size);
        if ((misc & PERF_MISC_CPUMODE_MASK) == PERF_MISC_KERNEL)
                name = world_modules_kernel_name(w, path);
        else
                name = world_modules_user_name(w, path);
        ARRAY_PUSH(t->table_ids, t->n_table_ids, t->table_ids_cap, entry);
        *map_put(&t->id_of_path, name.path, NULL) = t->n_table_ids;
        return true;
}

void world_add_build_ids(struct world *w, const struct perfdata_reader *reader)
{
        perfdata_each_build_id(reader, add_table_id, w);
        for (size_t i = 0; i < w->modules.n; i++)
                take_table_id(w, w->modules.items[i]);
}

size_t world_n_modules(const struct world *w)
{
        return w->modules.n;
}

const struct module *world_get_module(const struct world *w, module_id id)
{
        return id < w->modules.n ? w->modules.items[id] : NULL;
}
