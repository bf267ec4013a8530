/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which files are lost. Reads the session again only if a file is lost, and only replays the
 * processes that mapped one. */
#include "kept_names_internal.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "jit_codes.h"
#include "mem.h"
#include "module_source.h"
#include "os.h"
#include "process_files.h"
#include "session_input.h"
#include "text.h"

/* --- Which files are lost --- */

static size_t path_len(const char *path)
{
        static const char deleted[] = " (deleted)";

        return strlen(path) - (text_ends(path, deleted) ? sizeof(deleted) - 1 : 0);
}

static uint64_t key_of(const char *path, const uint8_t *build_id, size_t build_id_size, uint64_t inode)
{
        uint64_t key = map_hash_bytes(path, path_len(path));

        return build_id_size ? key ^ map_hash_bytes(build_id, build_id_size) : key ^ map_mix(inode + 1);
}

static void look_at(struct kept_gathering *g, const struct kept_file *file)
{
        struct module module = {
                .kind = MODULE_FILE, .build_id_size = file->build_id_size, .inode = file->inode};
        AUTO_RELEASE(buf) path = {0};

        memcpy(module.build_id, file->build_id, sizeof(module.build_id));
        buf_add(&path, file->path, path_len(file->path));
        if (!module_source_is_lost(g->session->collected, &module, buf_text(&path)))
                return;
        map_put(&g->lost, key_of(file->path, file->build_id, file->build_id_size, file->inode), NULL);
        if (world_is_jitdump(buf_text(&path)))
                map_put(&g->jits, (uint32_t)file->pid, NULL);
}

/* Checks for a perf map in another root, unless its path leads to the same file here. */
static void look_at_perf_map(struct kept_gathering *g, int32_t pid)
{
        AUTO_RELEASE(buf) inside = {0};
        AUTO_RELEASE(buf) here = {0};
        struct os_stat a, b;

        process_perf_map_path(g->session->collected, pid, &inside);
        process_perf_map_path(NULL, pid, &here);
        if (os_stat(buf_text(&inside), &a) &&
            !(os_stat(buf_text(&here), &b) && a.dev == b.dev && a.inode == b.inode))
                map_put(&g->jits, (uint32_t)pid, NULL);
}

static void find_lost(struct kept_gathering *g)
{
        const struct collect_result *collected = g->session->collected;

        for (size_t i = 0; i < collected->n_kept; i++)
                look_at(g, &collected->kept[i]);
        for (size_t i = 0; i < collected->n_copies; i++)
                look_at(g, &collected->copies[i]);
        for (size_t i = 0; i < collected->n_roots; i++) {
                if (collected->roots[i].root_fd >= 0)
                        look_at_perf_map(g, collected->roots[i].pid);
        }
}

/* --- Where the samples are --- */

static bool is_of_lost(const struct kept_gathering *g, const struct record_mmap *map)
{
        return map_find(&g->lost, key_of(map->path, map->build_id, map->build_id_size, map->inode));
}

static void replay(struct kept_gathering *g, const struct perfdata_record *record)
{
        profile_catch_up(g->profile, g->world);
        world_replay(g->world, record);
}

/* Replaced code changes the meaning of addresses, so pending addresses must be resolved first. */
static void set_code_time(struct kept_gathering *g, const struct sample *sample)
{
        if (!world_has_code(g->world) || world_code_is_at(g->world, sample->pid, sample->time))
                return;
        profile_catch_up(g->profile, g->world);
        world_set_code_time(g->world, sample->pid, sample->time);
}

static bool is_watched(const struct kept_gathering *g, int32_t pid)
{
        return map_find(&g->pids, (uint32_t)pid) || map_find(&g->jits, (uint32_t)pid);
}

static void take_map(struct kept_gathering *g, const struct perfdata_record *record)
{
        struct record_mmap map;

        if (!record_mmap_parse(record->bytes, record->asked_build_id, &map))
                return;
        if (is_of_lost(g, &map))
                map_put(&g->pids, (uint32_t)map.pid, NULL);
        if (is_watched(g, map.pid))
                replay(g, record);
}

/* A new process inherits its parent's memory. If the parent is not watched, the pid was reused. */
static void take_fork(struct kept_gathering *g, const struct perfdata_record *record)
{
        struct record_task task;

        if (!record_task_parse(record->bytes, &task) || task.pid == task.ppid ||
            !(is_watched(g, task.pid) || is_watched(g, task.ppid)))
                return;
        replay(g, record);
        if (is_watched(g, task.ppid))
                map_put(&g->pids, (uint32_t)task.pid, NULL);
        else
                map_remove(&g->pids, (uint32_t)task.pid);
}

/* Another program has other maps. */
static void take_exec(struct kept_gathering *g, const struct perfdata_record *record)
{
        struct record_comm comm;

        if (!record_comm_parse(record->bytes, &comm) || !comm.exec || !is_watched(g, comm.pid))
                return;
        replay(g, record);
        map_remove(&g->pids, (uint32_t)comm.pid);
}

static void add_address(struct kept_gathering *g, uint32_t of, const struct sample *sample, uint16_t misc,
                        uint64_t addr)
{
        profile_add_address(g->profile, g->world, &(struct profile_address){of, sample->pid, misc, addr, 1});
}

static void add_branches(struct kept_gathering *g, const struct sample *sample)
{
        struct branch branch;

        for (uint64_t i = 0; sample_branch(sample, i, &branch); i++) {
                add_address(g, KEPT_IN_CALLER, sample, PERF_MISC_USER, branch.from);
                add_address(g, KEPT_IN_CALLER, sample, PERF_MISC_USER, branch.to);
        }
}

static void take_sample(struct kept_gathering *g, const struct perfdata_record *record)
{
        bool is_cut = false, has_user = false;
        struct sample sample;
        size_t n;

        if (record->event == UINT32_MAX ||
            !sample_parse(&perfdata_get_event(g->reader, record->event)->attr, record->bytes, &sample) ||
            !is_watched(g, sample.pid))
                return;
        set_code_time(g, &sample);
        add_address(g, KEPT_IN_SAMPLE, &sample, sample.misc, sample.ip);
        n = stack_frames_of_chain(&sample, g->frames, &is_cut, &has_user);
        for (size_t i = 0; i < n; i++)
                add_address(g, KEPT_IN_CALLER, &sample, g->frames[i].misc,
                            g->frames[i].addr - g->frames[i].is_return);
        add_branches(g, &sample);
}

static void gather(struct kept_gathering *g)
{
        struct perfdata_record record;

        while (perfdata_next(g->reader, &record, NULL) > 0) {
                switch (record.header.type) {
                case PERF_RECORD_SAMPLE: take_sample(g, &record); break;
                case PERF_RECORD_MMAP2: take_map(g, &record); break;
                case PERF_RECORD_FORK: take_fork(g, &record); break;
                case PERF_RECORD_COMM: take_exec(g, &record); break;
                default: break;
                }
        }
        profile_catch_up(g->profile, g->world);
        profile_finish(g->profile);
}

/* --- All steps --- */

static struct perfdata_reader *open_session(const char *path, const struct budget *budget)
{
        struct perfdata_reader *reader = perfdata_open(path, NULL);

        if (reader)
                perfdata_set_waiting(reader, budget_limit(budget) / 4);
        return reader;
}

static size_t keep(struct kept_gathering *g, struct budget *budget, struct buf *symbols, struct buf *code)
{
        const struct resolver_sources sources = {.budget = budget};
        const struct resolver_options options = {.sources = &sources};
        size_t n_left_out;
        const struct buf *section = g->session->images;
        AUTO(pe_images) images = pe_images_new(cursor_make(section->data, section->len));

        g->world = world_new();
        world_set_budget(g->world, budget);
        world_set_images(g->world, pe_images_size, images);
        g->codes = module_source_new(g->world, g->reader, images, &options, g->session->collected);
        world_set_code(g->world, &(struct world_code_source){module_source_open_code, jit_code_find,
                                                             jit_code_span, g->codes});
        g->profile =
                profile_new(PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL, &(struct profile_filter){0});
        profile_set_budget(g->profile, budget);
        g->frames = mem_new(STACKS_MAX_FRAMES + 1, sizeof(*g->frames));
        gather(g);
        n_left_out = kept_names_pack(g, images, budget, symbols);
        module_source_pack_code(g->codes, code);
        module_source_free(g->codes);
        free(g->frames);
        profile_free(g->profile);
        world_free(g->world);
        return n_left_out;
}

size_t kept_names_make(const struct kept_session *session, struct buf *symbols, struct buf *code)
{
        struct kept_gathering g = {.session = session};
        struct budget budget;
        size_t n_left_out = 0;

        budget_init(&budget, session_input_max_memory());
        find_lost(&g);
        if (g.lost.n_used || g.jits.n_used)
                g.reader = open_session(session->path, &budget);
        if (g.reader)
                n_left_out = keep(&g, &budget, symbols, code);
        perfdata_reader_free(g.reader);
        map_release(&g.lost);
        map_release(&g.jits);
        map_release(&g.pids);
        budget_release(&budget);
        return n_left_out;
}
