/* SPDX-License-Identifier: BSD-3-Clause */
/* Replays the records into processes, their maps, and the names of their threads. What is known of an exited
 * process is kept until its pid is reused, for samples that arrive late. */
#include "world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "mem.h"
#include "python_section.h"
#include "text_match.h"
#include "world_internal.h"

struct world *world_new(void)
{
        struct world *w = mem_new(1, sizeof(*w));

        w->names = strpool_new();
        *map_put(&w->name_of_thread, 0, NULL) = strpool_add(w->names, "swapper"); /* no record names pid 0 */
        w->last_process = UINT32_MAX;
        return w;
}

void world_free(struct world *w)
{
        if (!w)
                return;
        budget_give(w->budget, w->taken_bytes);
        strpool_free(w->names);
        modules_release(&w->modules);
        range_pool_release(&w->pool);
        map_release(&w->process_of_pid);
        map_release(&w->unmapped);
        map_release(&w->name_of_thread);
        map_release(&w->given_names);
        map_release(&w->image_sizes);
        free(w->processes);
        free(w->exited.pids);
        free(w->exited.free_slots);
        arena_release(&w->arena);
        free(w);
}

/* --- processes --- */

struct process *world_find_process(struct world *w, int32_t pid)
{
        const uint64_t *at;

        if (w->last_process == UINT32_MAX || w->last_pid != pid) {
                at = map_find(&w->process_of_pid, (uint32_t)pid);
                if (!at)
                        return NULL;
                w->last_pid = pid;
                w->last_process = (uint32_t)*at - 1;
        }
        w->processes[w->last_process].was_used = true;
        return &w->processes[w->last_process];
}

static struct process *get_process(struct world *w, int32_t pid)
{
        struct process *process = world_find_process(w, pid);
        struct exited *exited = &w->exited;
        size_t slot = w->n_processes;

        if (process)
                return process;
        if (exited->n_free)
                slot = exited->free_slots[--exited->n_free];
        else
                ARRAY_PUSH(w->processes, w->n_processes, w->processes_cap, (struct process){0});
        w->processes[slot] = (struct process){.main_module = MODULE_NONE};
        *map_put(&w->process_of_pid, (uint32_t)pid, NULL) = slot + 1;
        return &w->processes[slot];
}

void world_forget_process(struct world *w, struct process *process)
{
        ranges_drop(&w->pool, process->maps);
        ranges_drop(&w->pool, process->images);
        *process = (struct process){.version = ++w->last_version, .main_module = MODULE_NONE};
}

static void share_maps(struct world *w, struct process *child, int32_t parent_pid)
{
        struct process old = *child;
        const struct process *parent = world_find_process(w, parent_pid);

        if (!parent) {
                world_forget_process(w, child);
                return;
        }
        *child = *parent;
        child->has_exited = false;
        ranges_share(child->maps);
        ranges_share(child->images);
        ranges_drop(&w->pool, old.maps);
        ranges_drop(&w->pool, old.images);
}

/* --- threads --- */

uint64_t world_thread_key(int32_t pid, int32_t tid)
{
        return (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
}

static void inherit_name(struct world *w, const struct record_task *task)
{
        const uint64_t *from = map_find(&w->name_of_thread, world_thread_key(task->ppid, task->ptid));
        uint64_t name = from ? *from : 0;

        *map_put(&w->name_of_thread, world_thread_key(task->pid, task->tid), NULL) = name;
        map_remove(&w->given_names, world_thread_key(task->pid, task->tid));
}

/* --- records --- */

static void replay_fork(struct world *w, const struct perfdata_record *record)
{
        struct record_task task;
        struct process *child;

        if (!record_task_parse(record->bytes, &task) || task.pid == -1)
                return;
        inherit_name(w, &task);
        if (task.pid == task.ppid)
                return;
        child = get_process(w, task.pid);
        if (record->header.misc & PERF_MISC_FORK_EXEC) {
                world_forget_process(w, child);
                return;
        }
        share_maps(w, child, task.ppid);
}

static void replay_exit(struct world *w, const struct perfdata_record *record)
{
        struct record_task task;

        if (w->exited.max && record_task_parse(record->bytes, &task))
                world_forget_exited(w, &task);
}

static void replay_comm(struct world *w, const struct perfdata_record *record)
{
        struct record_comm comm;

        if (!record_comm_parse(record->bytes, &comm))
                return;
        *map_put(comm.given ? &w->given_names : &w->name_of_thread, world_thread_key(comm.pid, comm.tid),
                 NULL) = strpool_add(w->names, comm.name);
        if (comm.exec)
                map_remove(&w->given_names, world_thread_key(comm.pid, comm.tid));
        if (comm.exec && comm.pid != -1)
                world_forget_process(w, get_process(w, comm.pid));
}

static bool range_of(const struct record_mmap *map, struct range *ret)
{
        *ret = (struct range){.start = map->start, .end = map->start + map->len, .pgoff = map->pgoff};
        if (ret->end < ret->start)
                ret->end = UINT64_MAX;
        return ret->start < ret->end;
}

/* --- PE images --- */

void world_set_images(struct world *w, world_image_size *size_of, void *ctx)
{
        w->image_size = size_of;
        w->image_ctx = ctx;
}

static uint64_t image_size_of(struct world *w, module_id id)
{
        const struct module *module = w->modules.items[id];
        bool is_new;
        uint64_t *size = map_put(&w->image_sizes, id, &is_new);

        if (is_new)
                *size = w->image_size(w->image_ctx, strpool_get(w->names, module->path), module->build_id,
                                      module->build_id_size);
        return *size;
}

static bool is_program_name(const char *path)
{
        size_t len = strlen(path);

        return len > 4 && text_equal_nocase(path + len - 4, ".exe");
}

/* Removes images that another file is mapped over. The image's own sections are mapped over it too and do not
 * remove it. */
static void cut_images(struct world *w, struct process *process, str_id path, const struct range *range,
                       bool whole)
{
        const struct range *there = ranges_find(process->images, range->start);

        if (there && w->modules.items[there->module]->path != path)
                process->images = ranges_cut(&w->pool, process->images, whole ? there->start : range->start,
                                             whole ? there->end : range->end);
}

/* The map of an image's beginning represents the whole image. If the image is mapped as a whole, its
 * addresses have no file offsets. */
static void map_image(struct world *w, struct process *process, const struct record_mmap *map,
                      struct map_name name, struct range *range)
{
        uint64_t size = w->image_size && !map->pgoff ? image_size_of(w, range->module) : 0;
        struct range image = *range;

        cut_images(w, process, name.path, range, size);
        if (!size)
                return;
        name.kind = MODULE_IMAGE;
        image.module = modules_get(w, &name, map);
        if (size > image.end - image.start)
                image.end = image.start + size < image.start ? UINT64_MAX : image.start + size;
        else
                range->module = image.module;
        process->images = ranges_put(&w->pool, process->images, &image);
        /* The loader that runs the image is mapped before it. */
        if (is_program_name(map->path) && !process->main_is_image) {
                process->main_is_image = true;
                process->main_module = image.module;
                process->main_base = image.start;
        }
}

static void note_code(struct module *module, const struct record_mmap *map)
{
        if (map->prot & RECORD_PROT_EXEC && module->code_pgoff == UINT64_MAX)
                module->code_pgoff = map->pgoff;
}

/* Whether places are offsets in the module's file. */
static bool has_offsets(enum module_kind kind)
{
        return kind == MODULE_FILE || kind == MODULE_JITDUMP || kind == MODULE_PYTHON;
}

static bool is_program(const struct process *process, uint64_t addr)
{
        const struct range *range = ranges_find(process->maps, addr);

        return range && range->module == process->main_module;
}

/* A program that wants huge pages for its code copies it into anonymous memory at the same addresses. Of a
 * library, the records do not tell whether it was unmapped before; a program is not. */
static bool is_copied_code(const struct process *process, const struct range *range)
{
        return process->main_module != MODULE_NONE && !process->main_is_image &&
               is_program(process, range->start) && is_program(process, range->end - 1);
}

static void map_user(struct world *w, const struct record_mmap *map)
{
        struct process *process;
        struct map_name name;
        struct range range;

        if (map->pid == -1 || !range_of(map, &range))
                return;
        name = world_modules_user_name(w, map->path);
        world_modules_name_python(&name, map->path, map);
        range.module = modules_get(w, &name, map);
        if (!has_offsets(name.kind) || map->prot & RECORD_PROT_ADDRESSES)
                range.pgoff = name.kind == MODULE_VDSO ? 0 : range.start;
        note_code(w->modules.items[range.module], map);
        process = get_process(w, map->pid);
        if (name.kind == MODULE_ANON && is_copied_code(process, &range))
                return;
        if (name.kind == MODULE_FILE)
                map_image(w, process, map, name, &range);
        if (name.kind == MODULE_JITDUMP)
                code_map(w, process, range.module);
        process->maps = ranges_put(&w->pool, process->maps, &range);
        process->version = ++w->last_version;
        if (process->main_module == MODULE_NONE && name.kind == MODULE_FILE && map->prot & RECORD_PROT_EXEC) {
                process->main_module = range.module;
                process->main_base = range.start - range.pgoff;
        }
}

/* The kernel's own map may span all kernel addresses, so the maps within it are searched first. */
static void map_kernel(struct world *w, const struct record_mmap *map)
{
        struct map_name name;
        struct range range;

        if (!range_of(map, &range))
                return;
        name = world_modules_kernel_name(w, map->path);
        range.module = modules_get(w, &name, map);
        range.pgoff = range.start;                             /* offsets are addresses */
        if (w->image_size && image_size_of(w, range.module)) { /* of Windows' kernel */
                name.kind = MODULE_IMAGE;
                range.module = modules_get(w, &name, map);
                range.pgoff = 0;
        }
        w->kernel.version = ++w->last_version;
        if (name.kind == MODULE_KERNEL)
                w->kernel_image = range;
        else
                w->kernel.maps = ranges_put(&w->pool, w->kernel.maps, &range);
}

static void replay_mmap(struct world *w, const struct perfdata_record *record)
{
        struct record_mmap map;

        if (!record_mmap_parse(record->bytes, record->asked_build_id, &map))
                return;
        switch (record->header.misc & PERF_MISC_CPUMODE_MASK) {
        case PERF_MISC_KERNEL: map_kernel(w, &map); break;
        case PERF_MISC_USER:
        case PERF_MISC_UNKNOWN: map_user(w, &map); break;
        default: break;
        }
}

static void replay_ksymbol(struct world *w, const struct perfdata_record *record)
{
        struct record_ksymbol symbol;
        struct record_mmap map = {.pid = -1};
        struct map_name name = {.kind = MODULE_KSYMBOL};
        struct range range;

        if (!record_ksymbol_parse(record->bytes, &symbol))
                return;
        map.start = symbol.addr;
        map.len = symbol.len;
        if (!range_of(&map, &range))
                return;
        w->kernel.version = ++w->last_version;
        if (symbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) {
                w->kernel.maps = ranges_cut(&w->pool, w->kernel.maps, range.start, range.end);
                return;
        }
        name.path = strpool_add(w->names, symbol.name);
        range.module = modules_get(w, &name, &map);
        range.pgoff = range.start;
        w->kernel.maps = ranges_put(&w->pool, w->kernel.maps, &range);
}

void world_set_budget(struct world *w, struct budget *budget)
{
        w->budget = budget;
}

void world_limit_lookups(struct world *w, uint64_t max_bytes)
{
        w->max_lookup_bytes = max_bytes;
}

bool world_has_left_out(const struct world *w)
{
        return w->has_left_out;
}

enum { WORLD_STEP_BYTES = 1 << 20 }; /* taken from the budget at once */

uint64_t world_bytes(const struct world *w)
{
        size_t n_slots = w->process_of_pid.n_slots + w->name_of_thread.n_slots + w->given_names.n_slots +
                         w->modules.by_identity.n_slots + w->image_sizes.n_slots;

        return w->arena.total_bytes + w->pool.arena.total_bytes + strpool_bytes(w->names) +
               w->processes_cap * sizeof(*w->processes) + w->modules.cap * sizeof(*w->modules.items) +
               n_slots * MAP_SLOT_BYTES;
}

uint64_t world_lookup_bytes(const struct world *w)
{
        return w->modules.lookup_bytes;
}

/* Whether the budget has memory for another record. */
static bool has_room(struct world *w)
{
        uint64_t used = w->budget ? world_bytes(w) + world_lookup_bytes(w) : 0;

        if (w->max_lookup_bytes && world_lookup_bytes(w) > w->max_lookup_bytes) {
                w->has_left_out = true;
                return false;
        }
        if (used < w->taken_bytes || !w->budget)
                return true;
        if (!budget_take(w->budget, BUDGET_RECORDS, used - w->taken_bytes + WORLD_STEP_BYTES))
                return false;
        w->taken_bytes = used + WORLD_STEP_BYTES;
        return true;
}

void world_replay(struct world *w, const struct perfdata_record *record)
{
        if (!has_room(w))
                return;
        switch (record->header.type) {
        case PERF_RECORD_FORK: replay_fork(w, record); break;
        case PERF_RECORD_EXIT: replay_exit(w, record); break;
        case PERF_RECORD_COMM: replay_comm(w, record); break;
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2: replay_mmap(w, record); break;
        case PERF_RECORD_KSYMBOL: replay_ksymbol(w, record); break;
        default: break;
        }
}

/* --- lookups --- */

static struct place place_in(const struct range *range, uint64_t ip)
{
        return (struct place){
                .module = range->module,
                .offset = ip - range->start + range->pgoff,
                .map_start = range->start,
                .map_end = range->end,
                .map_pgoff = range->pgoff,
        };
}

static struct place no_place(uint64_t ip)
{
        return (struct place){.module = MODULE_NONE, .offset = ip};
}

enum { PAGE_SHIFT = 12 };

static struct found *slot_of(struct world *w, const struct process *process, uint64_t page)
{
        return &w->found[(page ^ page >> 10 ^ process->version * 31) % FOUND_SLOTS];
}

static bool is_found(const struct found *slot, const struct process *process, uint64_t ip)
{
        return slot->version == process->version && slot->page == ip >> PAGE_SHIFT &&
               ip >= slot->range.start && ip < slot->range.end;
}

/* Most samples hit few pages, so the result is cached per page. */
static const struct range *find_range(struct world *w, const struct process *process, uint64_t ip)
{
        uint64_t page = ip >> PAGE_SHIFT;
        struct found *slot = slot_of(w, process, page);
        const struct range *range;

        if (is_found(slot, process, ip))
                return &slot->range;
        range = ranges_find(process->maps, ip);
        if (range)
                *slot = (struct found){.version = process->version, .page = page, .range = *range};
        return range;
}

void world_name_unmapped(struct world *w, int32_t pid, const char *path)
{
        const struct map_name name = {.kind = MODULE_ANON, .path = strpool_add(w->names, path)};

        *map_put(&w->unmapped, (uint32_t)pid, NULL) =
                (uint64_t)modules_get(w, &name, &(struct record_mmap){.pid = pid}) + 1;
}

static struct place find_unmapped(const struct world *w, int32_t pid, uint64_t ip)
{
        const uint64_t *module = map_find(&w->unmapped, (uint32_t)pid);

        if (!module)
                return no_place(ip);
        return (struct place){.module = (module_id)(*module - 1), .offset = ip, .map_end = UINT64_MAX};
}

static bool is_anon(const struct world *w, const struct range *range)
{
        return w->modules.items[range->module]->kind == MODULE_ANON;
}

static struct place find_user(struct world *w, int32_t pid, uint64_t ip)
{
        const struct process *process = pid == -1 ? NULL : world_find_process(w, pid);
        const struct range *range = process ? find_range(w, process, ip) : NULL;
        struct place place;

        if (process && process->images && (!range || is_anon(w, range))) {
                const struct range *image = ranges_find(process->images, ip);

                range = image ? image : range;
        }
        if (!range)
                return find_unmapped(w, pid, ip);
        place = place_in(range, ip);
        if (process->code && is_anon(w, range))
                code_find(w, process, ip, &place);
        return place;
}

static struct place find_kernel(struct world *w, uint64_t ip)
{
        const struct range *range = find_range(w, &w->kernel, ip);

        if (!range && ip >= w->kernel_image.start && ip < w->kernel_image.end)
                range = &w->kernel_image;
        return range ? place_in(range, ip) : no_place(ip);
}

struct place world_find(struct world *w, int32_t pid, uint16_t misc, uint64_t ip)
{
        struct place place;

        switch (misc & PERF_MISC_CPUMODE_MASK) {
        case PERF_MISC_USER: return find_user(w, pid, ip);
        case PERF_MISC_KERNEL: return find_kernel(w, ip);
        case PERF_MISC_UNKNOWN:
                place = find_user(w, pid, ip);
                return place.module == MODULE_NONE ? find_kernel(w, ip) : place;
        default: return no_place(ip);
        }
}

/* Gaps between maps are few and large, so the result is cached per 16 MiB. */
static bool is_in_gap(struct world *w, const struct process *process, uint64_t ip)
{
        enum { PIECE_SHIFT = 24 };
        uint64_t piece = ip >> PIECE_SHIFT, version = process->version + 1;
        struct found_gap *slot = &w->gaps[(piece ^ piece >> 10 ^ version * 31) % GAP_SLOTS];

        if (slot->version == version && ip >= slot->gap.first && ip <= slot->gap.last)
                return true;
        if (is_found(slot_of(w, process, ip >> PAGE_SHIFT), process, ip) ||
            !ranges_find_gap(process->maps, ip, &slot->gap))
                return false;
        slot->version = version;
        return true;
}

bool world_is_unmapped(struct world *w, int32_t pid, uint64_t ip)
{
        const struct process *process = pid == -1 ? NULL : world_find_process(w, pid);

        if (w->unmapped.n_used || !process || process->images)
                return world_find(w, pid, PERF_MISC_USER, ip).module == MODULE_NONE;
        return is_in_gap(w, process, ip);
}

uint64_t world_version(struct world *w, int32_t pid, uint16_t misc)
{
        const struct process *process;
        uint64_t version;

        if ((misc & PERF_MISC_CPUMODE_MASK) == PERF_MISC_KERNEL)
                return w->kernel.version + 1;
        process = pid == -1 ? NULL : world_find_process(w, pid);
        version = process ? process->version + 1 : 1;
        /* Both maps are searched. No two versions are equal, so the later one identifies both. */
        if ((misc & PERF_MISC_CPUMODE_MASK) == PERF_MISC_UNKNOWN && w->kernel.version >= version)
                version = w->kernel.version + 1;
        return version;
}

const char *world_text(const struct world *w, str_id id)
{
        return strpool_get(w->names, id);
}

bool world_is_file(const struct world *world, module_id id)
{
        const struct module *module = world_get_module(world, id);

        return module && (module->kind == MODULE_FILE || module->kind == MODULE_IMAGE);
}

bool world_is_stack(const struct world *world, module_id id)
{
        const struct module *module = world_get_module(world, id);

        assert(module);
        return module->kind == MODULE_ANON && !strcmp(world_text(world, module->path), "[stack]");
}

str_id world_thread_name_id(struct world *w, int32_t pid, int32_t tid)
{
        const uint64_t *name = map_find(&w->name_of_thread, world_thread_key(pid, tid));

        return name ? (str_id)*name : 0;
}

const char *world_thread_name(struct world *w, int32_t pid, int32_t tid)
{
        return strpool_get(w->names, world_thread_name_id(w, pid, tid));
}

str_id world_given_name_id(struct world *w, int32_t pid, int32_t tid)
{
        const uint64_t *name = map_find(&w->given_names, world_thread_key(pid, tid));

        return name ? (str_id)*name : world_thread_name_id(w, pid, tid);
}

const char *world_given_name(struct world *w, int32_t pid, int32_t tid)
{
        return strpool_get(w->names, world_given_name_id(w, pid, tid));
}

bool world_is_python_main(struct world *w, int32_t pid, int32_t tid)
{
        const struct module *module;

        if (pid != tid)
                return false;
        module = world_get_module(w, world_find(w, pid, PERF_MISC_USER, PYTHON_PLACES_BASE).module);
        return module && module->kind == MODULE_PYTHON;
}

module_id world_main_module(const struct world *w, int32_t pid, uint64_t *ret_base)
{
        const uint64_t *at = map_find(&w->process_of_pid, (uint32_t)pid);

        if (!at || w->processes[*at - 1].main_module == MODULE_NONE)
                return MODULE_NONE;
        *ret_base = w->processes[*at - 1].main_base;
        return w->processes[*at - 1].main_module;
}
